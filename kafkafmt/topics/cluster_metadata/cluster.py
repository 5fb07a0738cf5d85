"""ClusterMetadata: what a cluster was, at one offset of its metadata log."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafkafmt.topics.cluster_metadata.names import KRAFT_VERSION, METADATA_VERSION, metadata_version_name
from kafkafmt.topics.cluster_metadata.redaction import Redacted, is_sensitive
from kafkafmt.topics.cluster_metadata.registrations import (
    AccessControlEntry,
    BrokerRegistration,
    ClientQuota,
    Config,
    ControllerRegistration,
    DelegationToken,
    PartitionRegistration,
    ScramCredential,
    Topic,
    Voter,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata.image import Entity, Image
    from kafkafmt.topics.cluster_metadata.replay import OpenTransaction, PassedOver


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an answer comes from.

    Attributes:
        path: the metadata log directory, or the file, that was read.
        snapshot: path of the snapshot that it begins with, or None.
        end_offset: what stands below this offset is in it, as in the name of a snapshot.
        epoch: leader epoch of the last record; -1 for none.
        timestamp: of the last record, ms; -1 for none.
        records: how many records were replayed, of the snapshot and of the log.
        committed_offset: what stands below it is on a majority of the voters' disks that were at hand; None where too
            few of them were.
    """

    path: str
    snapshot: str | None
    end_offset: int
    epoch: int
    timestamp: int
    records: int
    committed_offset: int | None


@dataclass(frozen=True, kw_only=True)
class ClusterMetadata:
    """What a cluster was, as its metadata log tells. `kafkafmt.topics.metadata` makes it.

    Secrets (values of sensitive configs, SCRAM salts and keys, ids of delegation tokens) are `Redacted`, and gone from
    memory, unless `show_secrets=True` was asked for.

    Attributes:
        cluster_id: by meta.properties, or None.
        provenance: where this comes from, and as of which offset.
        topics: by name, in order.
        brokers: by node id, in order.
        controllers: by node id, in order.
        voters: of the quorum, by node id.
        leader_id: node id of the active controller, or None where that is unknown.
        features: finalized level by name: "metadata.version", "kraft.version" and others.
        configs: those that were set, by type and name of the resource.
        quotas: client quotas.
        acls: access control entries.
        scram: SCRAM credentials.
        delegation_tokens: those issued and not yet removed.
        next_producer_id: where the next block of producer ids begins; None before the first.
        zk_migration_state: "NONE", "MIGRATION", "POST_MIGRATION", ...; None where no record tells.
        open_transaction: one of the controller's that has not ended, or None; none of it counts.
        notes: sentences for the user: which copy was read, what may be uncommitted, which snapshots are unfinished.
        damage: what of the files was not read; a snapshot that is damaged or unfinished is here, too.
        passed_over: records that do not count: of a type or version that is not known, or a change of something that
            there is not.
        passed_over_count: how many there are; the first thousand are kept.
        skipped_replicas: directories of other copies of the log.
    """

    cluster_id: str | None
    provenance: Provenance
    topics: Mapping[str, Topic] = field(repr=False)
    brokers: Mapping[int, BrokerRegistration] = field(repr=False)
    controllers: Mapping[int, ControllerRegistration] = field(repr=False)
    voters: tuple[Voter, ...] = field(repr=False)
    leader_id: int | None
    features: Mapping[str, int]
    configs: tuple[Config, ...] = field(repr=False)
    quotas: tuple[ClientQuota, ...] = field(repr=False)
    acls: tuple[AccessControlEntry, ...] = field(repr=False)
    scram: tuple[ScramCredential, ...] = field(repr=False)
    delegation_tokens: tuple[DelegationToken, ...] = field(repr=False)
    next_producer_id: int | None
    zk_migration_state: str | None
    open_transaction: "OpenTransaction | None"
    notes: tuple[str, ...] = field(repr=False)
    damage: "tuple[Damage, ...]" = field(repr=False)
    passed_over: "tuple[PassedOver, ...]" = field(repr=False)
    passed_over_count: int
    skipped_replicas: "tuple[Partition, ...]" = field(repr=False)
    _names: Mapping[str, str] = field(repr=False)

    @property
    def offset(self) -> int:
        """What stands below this offset of the metadata log is in here."""
        return self.provenance.end_offset

    @property
    def epoch(self) -> int:
        """Leader epoch of the last record that is in here; -1 for none."""
        return self.provenance.epoch

    @property
    def metadata_version(self) -> str | None:
        """The metadata.version as Kafka calls it ("4.3-IV0"), its number where that is unknown; None without one."""
        level = self.features.get(METADATA_VERSION)
        return None if level is None else metadata_version_name(level) or str(level)

    @property
    def partition_count(self) -> int:
        """Partitions of all topics."""
        return sum(len(topic.partitions) for topic in self.topics.values())

    def topic_by_id(self, topic_id: str) -> Topic | None:
        """The topic of an id as Kafka prints it, or None."""
        name = self._names.get(topic_id)
        return None if name is None else self.topics[name]

    def partitions(self) -> Iterator[tuple[Topic, PartitionRegistration]]:
        """All partitions, by topic and number."""
        return ((topic, partition) for topic in self.topics.values() for partition in topic.partitions.values())

    def config(self, resource_type: str, resource_name: str) -> dict[str, str | Redacted]:
        """What is set for one resource: `metadata.config("TOPIC", "orders")`; name "" for all brokers."""
        return {
            each.name: each.value
            for each in self.configs
            if (each.resource_type, each.resource_name) == (resource_type, resource_name)
        }

    def to_table(self, section: str = "topics") -> "pa.Table":
        """Give one section as a table.

        Args:
            section: one of `kafkafmt.topics.cluster_metadata.sections.SECTIONS`, whose columns docs/metadata.md tells.

        Raises:
            ValueError: there is no such section.
        """
        # Not at the top: who asks for a topic's name needs no Arrow.
        from kafkafmt.topics.cluster_metadata.sections import to_table  # noqa: PLC0415

        return to_table(self, section)


def contents(image: "Image", *, show_secrets: bool) -> dict[str, object]:
    """What of a `ClusterMetadata` an image makes, by attribute: sorted, and redacted unless secrets are asked for."""
    named = {name: image.topics[topic_id] for name, topic_id in sorted(image.topic_ids.items())}
    topics = {name: Topic(name, topic.id, dict(sorted(topic.partitions.items()))) for name, topic in named.items()}
    features = dict(image.features)
    if image.kraft_version is not None:
        features[KRAFT_VERSION] = image.kraft_version
    scram = (image.scram[key] for key in sorted(image.scram, key=lambda key: (key[1], key[0])))
    tokens = (image.tokens[key] for key in sorted(image.tokens))
    return {
        "topics": topics,
        "_names": {topic.id: name for name, topic in topics.items()},
        "brokers": dict(sorted(image.brokers.items())),
        "controllers": dict(sorted(image.controllers.items())),
        "voters": image.voters,
        "features": dict(sorted(features.items())),
        "configs": tuple(_configs(image, show_secrets=show_secrets)),
        "quotas": tuple(_quotas(image)),
        "acls": tuple(sorted(image.acls.values(), key=_acl_order)),
        "scram": tuple(scram if show_secrets else map(_redacted_credential, scram)),
        "delegation_tokens": tuple(tokens if show_secrets else map(_redacted_token, tokens)),
        "next_producer_id": image.next_producer_id,
        "zk_migration_state": image.zk_migration_state,
    }


def _configs(image: "Image", *, show_secrets: bool) -> Iterable[Config]:
    for resource_type, resource_name in sorted(image.configs):
        for name, value in sorted(image.configs[resource_type, resource_name].items()):
            sensitive = is_sensitive(name, value)
            shown = Redacted(value) if sensitive and not show_secrets else value
            yield Config(resource_type, resource_name, name, shown, sensitive)


def _quotas(image: "Image") -> Iterable[ClientQuota]:
    for entity in sorted(image.quotas, key=_entity_order):
        for key, value in sorted(image.quotas[entity].items()):
            yield ClientQuota(entity, key, value)


def _entity_order(entity: "Entity") -> list[tuple[str, bool, str]]:
    return [(kind, name is not None, name or "") for kind, name in entity]


def _acl_order(acl: AccessControlEntry) -> tuple[str, ...]:
    return (acl.resource_type, acl.resource_name, acl.pattern_type, acl.principal, acl.operation, acl.host, acl.id)


def _redacted_credential(credential: ScramCredential) -> ScramCredential:
    return replace(
        credential,
        salt=_hidden(credential.salt),
        stored_key=_hidden(credential.stored_key),
        server_key=_hidden(credential.server_key),
    )


def _redacted_token(token: DelegationToken) -> DelegationToken:
    return replace(token, token_id=_hidden(token.token_id))


def _hidden(value: str | bytes | Redacted) -> Redacted:
    return value if isinstance(value, Redacted) else Redacted(value)
