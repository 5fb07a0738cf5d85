"""What cluster metadata consist of: topics, partitions, brokers, configs and the rest, as frozen values.

Names are those of Kafka's own images (`TopicImage`, `PartitionRegistration`, `BrokerRegistration`, ...). UUIDs are as
Kafka prints them, times ms since the epoch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kafkafmt.topics.cluster_metadata.redaction import Redacted


@dataclass(frozen=True, slots=True)
class PartitionRegistration:
    """A partition as the controller knows it.

    Attributes:
        partition: its number.
        replicas: node ids of the brokers that hold it, the preferred leader first.
        isr: those in sync.
        removing_replicas: those that a reassignment takes away.
        adding_replicas: those that a reassignment brings.
        leader: node id, or -1 for none.
        leader_recovery_state: "RECOVERED", or "RECOVERING" after an unclean election.
        leader_epoch: goes up with every election.
        partition_epoch: goes up with every change.
        elr: eligible leader replicas (KIP-966): out of the ISR, and known to hold all that was committed.
        last_known_elr: those that shut down uncleanly.
        directories: of each replica, in their order, the id of its log directory (KIP-858).
    """

    partition: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    removing_replicas: tuple[int, ...]
    adding_replicas: tuple[int, ...]
    leader: int
    leader_recovery_state: str
    leader_epoch: int
    partition_epoch: int
    elr: tuple[int, ...]
    last_known_elr: tuple[int, ...]
    directories: tuple[str, ...]

    @property
    def is_under_replicated(self) -> bool:
        """Whether a replica is out of sync."""
        return len(self.isr) < len(self.replicas)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic.

    Attributes:
        name: its name.
        id: its id.
        partitions: by number, in order.
    """

    name: str
    id: str
    partitions: Mapping[int, PartitionRegistration] = field(repr=False, hash=False)

    @property
    def replication_factor(self) -> int:
        """The most replicas that one of its partitions has; 0 without partitions."""
        return max((len(each.replicas) for each in self.partitions.values()), default=0)

    @property
    def under_replicated(self) -> int:
        """How many partitions have a replica out of sync."""
        return sum(each.is_under_replicated for each in self.partitions.values())

    @property
    def without_leader(self) -> int:
        """How many partitions have no leader."""
        return sum(each.leader < 0 for each in self.partitions.values())


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a node listens.

    Attributes:
        name: of the listener.
        host: name or address.
        port: number.
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL"; None for a voter's, which has none.
    """

    name: str
    host: str
    port: int
    security_protocol: str | None

    def __str__(self) -> str:
        """The listener as Kafka's config `listeners` has it: `INTERNAL://host:9092`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SupportedFeature:
    """Which levels of a feature a node can do.

    Attributes:
        name: of the feature.
        min: lowest level.
        max: highest level.
    """

    name: str
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class BrokerRegistration:
    """A broker.

    Attributes:
        id: its node id.
        epoch: offset of the record with which it registered last.
        incarnation_id: of its process.
        endpoints: where it listens, by name.
        features: what it can do, by name.
        rack: or None.
        fenced: whether it is out: down, or not ready yet.
        in_controlled_shutdown: whether it asked to go.
        is_migrating_zk_broker: whether it still ran with ZooKeeper, in a migration.
        log_dirs: ids of its log directories that are online, in Kafka's order.
        cordoned_log_dirs: ids of those that take no new partitions (KIP-1066); None where it has not told.
    """

    id: int
    epoch: int
    incarnation_id: str
    endpoints: tuple[Endpoint, ...]
    features: tuple[SupportedFeature, ...]
    rack: str | None
    fenced: bool
    in_controlled_shutdown: bool
    is_migrating_zk_broker: bool
    log_dirs: tuple[str, ...]
    cordoned_log_dirs: tuple[str, ...] | None

    @property
    def state(self) -> str:
        """One of "fenced", "in controlled shutdown", "active"."""
        return "fenced" if self.fenced else "in controlled shutdown" if self.in_controlled_shutdown else "active"


@dataclass(frozen=True, slots=True)
class ControllerRegistration:
    """A controller, which registers from metadata.version 3.7 on.

    Attributes:
        id: its node id.
        incarnation_id: of its process.
        zk_migration_ready: whether it was configured for a migration from ZooKeeper.
        endpoints: where it listens, by name.
        features: what it can do, by name.
    """

    id: int
    incarnation_id: str
    zk_migration_ready: bool
    endpoints: tuple[Endpoint, ...]
    features: tuple[SupportedFeature, ...]


@dataclass(frozen=True, slots=True)
class Voter:
    """A voter of the quorum.

    Attributes:
        id: its node id.
        directory_id: of its metadata log directory; None in a static quorum (before kraft.version 1).
        endpoints: where it listens; none in a static quorum.
        min_kraft_version: lowest kraft.version that it can do, or None.
        max_kraft_version: highest, or None.
    """

    id: int
    directory_id: str | None
    endpoints: tuple[Endpoint, ...]
    min_kraft_version: int | None
    max_kraft_version: int | None


@dataclass(frozen=True, slots=True)
class Config:
    """A config that was set: a value other than the default, or the default spelt out.

    Attributes:
        resource_type: "TOPIC", "BROKER", "CLIENT_METRICS", "GROUP", ...
        resource_name: name of the topic, node id of the broker, ...; "" for all brokers.
        name: of the config.
        value: what it was set to; `Redacted` where that is a secret.
        is_sensitive: whether it is one.
    """

    resource_type: str
    resource_name: str
    name: str
    value: str | Redacted
    is_sensitive: bool


@dataclass(frozen=True, slots=True)
class ClientQuota:
    """A limit for clients.

    Attributes:
        entity: ("user", "client-id", "ip") and name, sorted; the name None is the default of that kind.
        key: what is limited: "producer_byte_rate", "request_percentage", ...
        value: the limit.
    """

    entity: tuple[tuple[str, str | None], ...]
    key: str
    value: float


@dataclass(frozen=True, slots=True)
class AccessControlEntry:
    """An ACL.

    Attributes:
        id: its id.
        resource_type: "TOPIC", "GROUP", "CLUSTER", ...
        resource_name: name, or prefix of names; "*" for all.
        pattern_type: "LITERAL" or "PREFIXED".
        principal: who, as in "User:alice".
        host: from where; "*" for everywhere.
        operation: "READ", "WRITE", ...
        permission_type: "ALLOW" or "DENY".
    """

    id: str
    resource_type: str
    resource_name: str
    pattern_type: str
    principal: str
    host: str
    operation: str
    permission_type: str


@dataclass(frozen=True, slots=True)
class ScramCredential:
    """A user's SCRAM credential.

    Attributes:
        user: name.
        mechanism: "SCRAM-SHA-256" or "SCRAM-SHA-512".
        iterations: of the hash; AdminClient tells them too.
        salt: bytes, `Redacted` unless secrets are asked for.
        stored_key: likewise.
        server_key: likewise.
    """

    user: str
    mechanism: str
    iterations: int
    salt: bytes | Redacted
    stored_key: bytes | Redacted
    server_key: bytes | Redacted


@dataclass(frozen=True, slots=True)
class DelegationToken:
    """A delegation token (KIP-48, KIP-900).

    Attributes:
        token_id: `Redacted` unless secrets are asked for: with the brokers' master key it makes the token's password.
        owner: principal that it speaks for.
        requester: principal that asked for it.
        renewers: principals that may renew it.
        issue_timestamp: ms.
        max_timestamp: ms, beyond which it cannot be renewed.
        expiration_timestamp: ms.
    """

    token_id: str | Redacted
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp: int
    max_timestamp: int
    expiration_timestamp: int
