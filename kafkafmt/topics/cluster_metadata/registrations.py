"""Parts of cluster metadata: topics, partitions, brokers, configs and the rest, as frozen values; and redacted secrets.

Names are those of Kafka's own enums and images (`TopicImage`, `PartitionRegistration`, ...). UUIDs are as Kafka prints
them, times ms since the epoch.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

RESOURCE_TYPES: Mapping[int, str] = {
    0: "UNKNOWN",
    2: "TOPIC",
    4: "BROKER",
    8: "BROKER_LOGGER",
    16: "CLIENT_METRICS",
    32: "GROUP",
}
"""Of configs: `ConfigResource.Type`."""

SECURITY_PROTOCOLS: Mapping[int, str] = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}
"""Of endpoints: `SecurityProtocol`."""

ACL_RESOURCE_TYPES: Mapping[int, str] = dict(
    enumerate(("UNKNOWN", "ANY", "TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"))
)
"""Of access control entries: `ResourceType`."""

PATTERN_TYPES: Mapping[int, str] = dict(enumerate(("UNKNOWN", "ANY", "MATCH", "LITERAL", "PREFIXED")))
"""Of access control entries: `PatternType`."""

OPERATIONS: Mapping[int, str] = dict(
    enumerate(
        (
            "UNKNOWN",
            "ANY",
            "ALL",
            "READ",
            "WRITE",
            "CREATE",
            "DELETE",
            "ALTER",
            "DESCRIBE",
            "CLUSTER_ACTION",
            "DESCRIBE_CONFIGS",
            "ALTER_CONFIGS",
            "IDEMPOTENT_WRITE",
            "CREATE_TOKENS",
            "DESCRIBE_TOKENS",
            "TWO_PHASE_COMMIT",
        )
    )
)
"""Of access control entries: `AclOperation`."""

PERMISSION_TYPES: Mapping[int, str] = dict(enumerate(("UNKNOWN", "ANY", "DENY", "ALLOW")))
"""Of access control entries: `AclPermissionType`."""

SCRAM_MECHANISMS: Mapping[int, str] = {0: "UNKNOWN", 1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
"""`ScramMechanism.mechanismName`."""

LEADER_RECOVERY_STATES: Mapping[int, str] = {0: "RECOVERED", 1: "RECOVERING"}
"""Of partitions: `LeaderRecoveryState`."""

ZK_MIGRATION_STATES: Mapping[int, str] = {
    0: "NONE",
    1: "MIGRATION",
    2: "PRE_MIGRATION",
    3: "POST_MIGRATION",
    4: "ZK",
}
"""`ZkMigrationState`, as Kafka 3.4 to 3.9 have it."""

METADATA_VERSION = "metadata.version"
"""The feature whose level decides which records the controllers may write."""

KRAFT_VERSION = "kraft.version"
"""The feature that control records set (KIP-853), not FeatureLevelRecords."""

MIGRATING = "AAAAAAAAAAAAAAAAAAAAAA"
"""Directory id of a replica whose directory is not known yet (`DirectoryId.MIGRATING`)."""

# Metadata versions of each release; their levels count from 1.
_LEVELS_OF_RELEASES = {
    "3.0": (1,),
    "3.1": (0,),
    "3.2": (0,),
    "3.3": (0, 1, 2, 3),
    "3.4": (0,),
    "3.5": (0, 1, 2),
    "3.6": (0, 1, 2),
    "3.7": (0, 1, 2, 3, 4),
    "3.8": (0,),
    "3.9": (0,),
    "4.0": (0, 1, 2, 3),
    "4.1": (0, 1),
    "4.2": (0, 1),
    "4.3": (0,),
    "4.4": (0, 1, 2),
    "4.5": (0,),
}
_METADATA_VERSIONS = [f"{release}-IV{number}" for release, numbers in _LEVELS_OF_RELEASES.items() for number in numbers]


def name_of(names: Mapping[int, str], number: int) -> str:
    """Name of a number; `UNKNOWN(9)` if Kafka 4.4 has none."""
    return names.get(number) or f"UNKNOWN({number})"


def metadata_version_name(level: int) -> str | None:
    """Name of a level of `metadata.version` in Kafka's MetadataVersion: 30 is 4.3-IV0; None if unknown."""
    return _METADATA_VERSIONS[level - 1] if 1 <= level <= len(_METADATA_VERSIONS) else None


_KEY = secrets.token_bytes(16)

_SECRET_NAME = re.compile(
    r"password|passwd|passphrase|secret|jaas|credential|private|certificate\.chain|truststore\.certificates|key",
    re.IGNORECASE,
)
_HARMLESS_NAME = re.compile(r"(?:.*\.)?ssl\.keystore\.(?:location|type)", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"PRIVATE KEY-----|LoginModule|\bpassword\s*=", re.IGNORECASE)

REDACTED_TEXT = "[redacted]"
"""Text in place of a secret."""


class Redacted:
    """Placeholder of a secret; two are equal if their values are.

    It keeps a keyed hash whose key is never stored, so the value cannot be recovered from it.
    """

    __slots__ = ("_digest",)

    def __init__(self, value: str | bytes) -> None:
        data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        self._digest = hashlib.blake2b(data, key=_KEY, digest_size=16).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Redacted) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return REDACTED_TEXT


def is_sensitive(name: str, value: str | None) -> bool:
    """Whether the value of a config is a secret, by its name, or by text like a private key or a JAAS login.

    All of Kafka's configs of type PASSWORD are included. Kafka takes every config that it does not know for a secret;
    here the words in its name decide.
    """
    if value is not None and _SECRET_VALUE.search(value):
        return True
    return _SECRET_NAME.search(name) is not None and _HARMLESS_NAME.fullmatch(name) is None


@dataclass(frozen=True, slots=True)
class PartitionRegistration:
    """A partition as the controller knows it.

    Attributes:
        partition: number of the partition.
        replicas: node ids of its brokers, the preferred leader first.
        isr: in-sync replicas.
        removing_replicas: replicas that a reassignment removes.
        adding_replicas: replicas that a reassignment adds.
        leader: node id, or -1 for none.
        leader_recovery_state: "RECOVERED", or "RECOVERING" after an unclean election.
        leader_epoch: raised by every election.
        partition_epoch: raised by every change.
        elr: eligible leader replicas (KIP-966): not in the ISR, but with all committed records.
        last_known_elr: former eligible leader replicas that shut down uncleanly.
        directories: id of the log directory of each replica, in their order (KIP-858).
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
        """The largest number of replicas of a partition; 0 without partitions."""
        return max((len(each.replicas) for each in self.partitions.values()), default=0)

    @property
    def under_replicated(self) -> int:
        """Number of partitions with a replica out of sync."""
        return sum(each.is_under_replicated for each in self.partitions.values())

    @property
    def without_leader(self) -> int:
        """Number of partitions without a leader."""
        return sum(each.leader < 0 for each in self.partitions.values())


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A listener of a node.

    Attributes:
        name: name of the listener.
        host: name or address.
        port: port number.
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL"; None for a voter, which has none.
    """

    name: str
    host: str
    port: int
    security_protocol: str | None

    def __str__(self) -> str:
        """The listener as in Kafka's config `listeners`: `INTERNAL://host:9092`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SupportedFeature:
    """The levels of a feature that a node supports.

    Attributes:
        name: name of the feature.
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
        epoch: broker epoch: offset of the record of its last registration.
        incarnation_id: id of its process.
        endpoints: its listeners, by name.
        features: features that it supports, by name.
        rack: its rack, or None.
        fenced: whether it is fenced: down, or not ready yet.
        in_controlled_shutdown: whether it is in a controlled shutdown.
        is_migrating_zk_broker: whether it runs with ZooKeeper, in a migration.
        log_dirs: ids of its online log directories, in Kafka's order.
        cordoned_log_dirs: ids of those that take no new partitions (KIP-1066); None if it did not report any.
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
        incarnation_id: id of its process.
        zk_migration_ready: whether it is configured for a migration from ZooKeeper.
        endpoints: its listeners, by name.
        features: features that it supports, by name.
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
        directory_id: id of its metadata log directory; None in a static quorum (before kraft.version 1).
        endpoints: its listeners; none in a static quorum.
        min_kraft_version: lowest kraft.version that it supports, or None.
        max_kraft_version: highest kraft.version that it supports, or None.
    """

    id: int
    directory_id: str | None
    endpoints: tuple[Endpoint, ...]
    min_kraft_version: int | None
    max_kraft_version: int | None


@dataclass(frozen=True, slots=True)
class Config:
    """A config that was set, also if it was set to its default.

    Attributes:
        resource_type: "TOPIC", "BROKER", "CLIENT_METRICS", "GROUP", ...
        resource_name: name of the topic, node id of the broker, ...; "" for all brokers.
        name: name of the config.
        value: its value; `Redacted` if that is a secret.
        is_sensitive: whether its value is a secret.
    """

    resource_type: str
    resource_name: str
    name: str
    value: str | Redacted
    is_sensitive: bool


@dataclass(frozen=True, slots=True)
class ClientQuota:
    """A client quota.

    Attributes:
        entity: entity types ("user", "client-id", "ip") and names, sorted; the name None is the default entity.
        key: quota type: "producer_byte_rate", "request_percentage", ...
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
        principal: principal, as in "User:alice".
        host: client host; "*" for all.
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
        iterations: iterations of the hash, as in AdminClient.
        salt: bytes; `Redacted` unless secrets are requested.
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
        token_id: `Redacted` unless secrets are requested: with the brokers' master key it gives the token's password.
        owner: principal of the token.
        requester: principal that requested it.
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
