"""ClusterMetadata: the answer of `kafkafmt.topics.metadata`, and its tables. docs/metadata.md describes the columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.topics.answers import TIME, StateFinding, TableColumns
from kafkafmt.topics.cluster_metadata.nodes import BrokerRegistration, ControllerRegistration, Voter
from kafkafmt.topics.cluster_metadata.settings import (
    KRAFT_VERSION,
    METADATA_VERSION,
    AccessControlEntry,
    ClientQuota,
    Config,
    DelegationToken,
    Redacted,
    ScramCredential,
    metadata_version_name,
)
from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration, Topic
from kafkafmt.topics.history import HISTORY, LazyHistory, WithHistory

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata.history import MetadataHistory
    from kafkafmt.topics.cluster_metadata.replay import IgnoredRecord, OpenTransaction


@dataclass(frozen=True, slots=True)
class MetadataProvenance:
    """The files and offsets that an answer was read from.

    Attributes:
        path: the metadata log directory, or the file, that was read.
        snapshot: path of the snapshot from which it starts, or None.
        end_offset: the state is as of this offset (exclusive), as in the name of a snapshot.
        epoch: leader epoch of the last record; -1 for none.
        timestamp: timestamp of the last record in ms; -1 for none.
        records: number of replayed records, of the snapshot and of the log.
        committed_offset: offset below which records are on a majority of the voters' disks; None if too few are there.
    """

    path: str
    snapshot: str | None
    end_offset: int
    epoch: int
    timestamp: int
    records: int
    committed_offset: int | None


@dataclass(frozen=True, kw_only=True)
class ClusterMetadata(WithHistory["MetadataHistory"]):
    """The metadata of a cluster at one offset of its metadata log; its tables are the `SECTIONS`.

    Secrets (values of sensitive configs, SCRAM salts and keys, ids of delegation tokens) are `Redacted`, and no longer
    in memory, unless `show_secrets=True` was given.

    Attributes:
        cluster_id: id in meta.properties, or None.
        provenance: files and offsets that this was read from.
        topics: by name, in order.
        brokers: by node id, in order.
        controllers: by node id, in order.
        voters: voters of the quorum, by node id.
        leader_id: node id of the active controller, or None if unknown.
        features: finalized level by name: "metadata.version", "kraft.version" and others.
        configs: configs that were set, by type and name of the resource.
        quotas: client quotas.
        acls: access control entries.
        scram: SCRAM credentials.
        delegation_tokens: tokens that were issued and not removed.
        next_producer_id: start of the next block of producer ids; None before the first.
        zk_migration_state: "NONE", "MIGRATION", "POST_MIGRATION", ...; None if no record has it.
        open_transaction: open transaction of the controller, which has no effect yet, or None.
        notes: sentences for the user: which copy was read, what may be uncommitted, which snapshots are incomplete.
        damage: stretches that were not read, and damaged or incomplete snapshots.
        ignored_records: records of an unknown type or version, or a change of something that does not exist.
        ignored_count: number of ignored records, of which the first thousand are kept.
        skipped_replicas: directories of other copies of the log.
    """

    cluster_id: str | None
    provenance: MetadataProvenance
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
    ignored_records: "tuple[IgnoredRecord, ...]" = field(repr=False)
    ignored_count: int
    skipped_replicas: "tuple[Partition, ...]" = field(repr=False)
    _names: Mapping[str, str] = field(repr=False)
    _history: "LazyHistory[MetadataHistory]" = field(repr=False, compare=False)

    @property
    def offset(self) -> int:
        """End offset (exclusive) of the records in here."""
        return self.provenance.end_offset

    @property
    def epoch(self) -> int:
        """Leader epoch of the last record in here; -1 for none."""
        return self.provenance.epoch

    @property
    def metadata_version(self) -> str | None:
        """The metadata.version by name ("4.3-IV0"), by number if it has none here; None without one."""
        level = self.features.get(METADATA_VERSION)
        return None if level is None else metadata_version_name(level) or str(level)

    @property
    def partition_count(self) -> int:
        """Number of partitions of all topics."""
        return sum(len(topic.partitions) for topic in self.topics.values())

    def topic_by_id(self, topic_id: str) -> Topic | None:
        """The topic with an id, or None."""
        name = self._names.get(topic_id)
        return None if name is None else self.topics[name]

    def partitions(self) -> Iterator[tuple[Topic, PartitionRegistration]]:
        """All partitions, by topic and number."""
        return ((topic, partition) for topic in self.topics.values() for partition in topic.partitions.values())

    def config(self, resource_type: str, resource_name: str) -> dict[str, str | Redacted]:
        """The configs of one resource: `metadata.config("TOPIC", "orders")`; name "" for all brokers."""
        return {
            each.name: each.value
            for each in self.configs
            if (each.resource_type, each.resource_name) == (resource_type, resource_name)
        }

    @property
    def findings(self) -> tuple[StateFinding, ...]:
        """The ignored records in `ignored_records` as findings."""
        return tuple(
            StateFinding(
                CLUSTER_METADATA,
                0,
                each.file,
                None,
                f"{each.record_type or 'a record'} at offset {each.offset} is ignored: {each.error.message}",
            )
            for each in self.ignored_records
        )

    @classmethod
    def schemas(cls) -> Mapping[str, pa.Schema]:
        """Schema of each section by its name, "topics" first."""
        from kafkafmt.topics.cluster_metadata.history import METADATA_HISTORY  # noqa: PLC0415 - it takes the replay

        main = "topics"
        return {**{name: SECTIONS[name].schema for name in dict.fromkeys((main, *SECTIONS))}, HISTORY: METADATA_HISTORY}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a section, with null in place of `Redacted`; or of the history."""
        if name == HISTORY:
            return self.history_answer.rows()
        return (
            tuple([None if isinstance(value, Redacted) else value for value in row])
            for row in SECTIONS[name].rows(self)
        )


class Section:
    """One kind of thing in cluster metadata, as a table.

    Args:
        objects: gives the objects of the rows.
        key: number of the first columns that identify a row.
        columns: as for `TableColumns`.

    Attributes:
        key: as given.
        schema: the columns.
    """

    def __init__(
        self,
        objects: Callable[[ClusterMetadata], Iterable[Any]],
        key: int,
        *columns: tuple[str, pa.DataType, str | Callable[[Any], Any]],
    ) -> None:
        self.key = key
        self._objects = objects
        self._columns = TableColumns(*columns)
        self.schema = self._columns.schema

    def rows(self, cluster: ClusterMetadata) -> Iterator[tuple[Any, ...]]:
        """The rows, with `Redacted` in place of secrets."""
        return map(self._columns.row, self._objects(cluster))


_IDS = pa.list_(pa.int32())
_WORDS = pa.list_(pa.string())
_ENDPOINTS = pa.list_(
    pa.struct([("name", pa.string()), ("host", pa.string()), ("port", pa.int32()), ("securityProtocol", pa.string())])
)
_FEATURES = pa.list_(
    pa.struct([("name", pa.string()), ("minSupportedVersion", pa.int16()), ("maxSupportedVersion", pa.int16())])
)
_CONFIGS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
_ENTITY = pa.list_(pa.struct([("entityType", pa.string()), ("entityName", pa.string())]))


class _OfTopic(NamedTuple):
    """A topic and its configs, or one of its partitions."""

    topic: Topic
    configs: Sequence[Config] = ()
    partition: PartitionRegistration | None = None


def _topics(cluster: ClusterMetadata) -> Iterator[_OfTopic]:
    configs: dict[str, list[Config]] = {}
    for config in cluster.configs:
        if config.resource_type == "TOPIC":
            configs.setdefault(config.resource_name, []).append(config)
    return (_OfTopic(topic, configs.get(topic.name, ())) for topic in cluster.topics.values())


def _partitions(cluster: ClusterMetadata) -> Iterator[_OfTopic]:
    return (_OfTopic(topic, partition=partition) for topic, partition in cluster.partitions())


def _voters(cluster: ClusterMetadata) -> Iterator[tuple[Voter, bool | None]]:
    for voter in cluster.voters:
        yield voter, None if cluster.leader_id is None else voter.id == cluster.leader_id


def _in_configs(row: _OfTopic) -> list[dict[str, str | None]]:
    values = ((config.name, config.value) for config in row.configs)
    return [{"name": name, "value": None if isinstance(value, Redacted) else value} for name, value in values]


def _endpoints(node: BrokerRegistration | ControllerRegistration | Voter) -> list[dict[str, object]]:
    return [
        {"name": each.name, "host": each.host, "port": each.port, "securityProtocol": each.security_protocol}
        for each in node.endpoints
    ]


def _features(node: BrokerRegistration | ControllerRegistration) -> list[dict[str, object]]:
    return [
        {"name": each.name, "minSupportedVersion": each.min, "maxSupportedVersion": each.max} for each in node.features
    ]


SECTIONS: Mapping[str, Section] = {
    "cluster": Section(
        lambda cluster: [cluster],
        1,
        ("clusterId", pa.string(), "cluster_id"),
        ("metadataVersion", pa.string(), "metadata_version"),
        ("kraftVersion", pa.int16(), lambda cluster: cluster.features.get(KRAFT_VERSION)),
        ("leaderId", pa.int32(), "leader_id"),
        ("voters", _IDS, lambda cluster: [voter.id for voter in cluster.voters]),
        ("brokers", pa.int32(), lambda cluster: len(cluster.brokers)),
        ("fencedBrokers", pa.int32(), lambda cluster: sum(broker.fenced for broker in cluster.brokers.values())),
        ("controllers", pa.int32(), lambda cluster: len(cluster.controllers)),
        ("topics", pa.int32(), lambda cluster: len(cluster.topics)),
        ("partitions", pa.int32(), "partition_count"),
        (
            "underReplicatedPartitions",
            pa.int32(),
            lambda cluster: sum(topic.under_replicated for topic in cluster.topics.values()),
        ),
        (
            "leaderlessPartitions",
            pa.int32(),
            lambda cluster: sum(topic.without_leader for topic in cluster.topics.values()),
        ),
        ("configs", pa.int32(), lambda cluster: len(cluster.configs)),
        ("quotas", pa.int32(), lambda cluster: len(cluster.quotas)),
        ("acls", pa.int32(), lambda cluster: len(cluster.acls)),
        ("scramCredentials", pa.int32(), lambda cluster: len(cluster.scram)),
        ("delegationTokens", pa.int32(), lambda cluster: len(cluster.delegation_tokens)),
        ("nextProducerId", pa.int64(), "next_producer_id"),
        ("zkMigrationState", pa.string(), "zk_migration_state"),
        ("endOffset", pa.int64(), "provenance.end_offset"),
        ("leaderEpoch", pa.int32(), "provenance.epoch"),
        (
            "timestamp",
            TIME,
            lambda cluster: None if cluster.provenance.timestamp < 0 else cluster.provenance.timestamp,
        ),
        ("committedOffset", pa.int64(), "provenance.committed_offset"),
        ("snapshot", pa.string(), "provenance.snapshot"),
        ("path", pa.string(), "provenance.path"),
    ),
    "topics": Section(
        _topics,
        2,
        ("topic", pa.string(), "topic.name"),
        ("topicId", pa.string(), "topic.id"),
        ("partitions", pa.int32(), lambda row: len(row.topic.partitions)),
        ("replicationFactor", pa.int32(), "topic.replication_factor"),
        ("underReplicatedPartitions", pa.int32(), "topic.under_replicated"),
        ("leaderlessPartitions", pa.int32(), "topic.without_leader"),
        ("configs", _CONFIGS, _in_configs),
    ),
    "partitions": Section(
        _partitions,
        3,
        ("topic", pa.string(), "topic.name"),
        ("partition", pa.int32(), "partition.partition"),
        ("topicId", pa.string(), "topic.id"),
        ("leader", pa.int32(), "partition.leader"),
        ("leaderEpoch", pa.int32(), "partition.leader_epoch"),
        ("partitionEpoch", pa.int32(), "partition.partition_epoch"),
        ("leaderRecoveryState", pa.string(), "partition.leader_recovery_state"),
        ("replicas", _IDS, "partition.replicas"),
        ("isr", _IDS, "partition.isr"),
        ("removingReplicas", _IDS, "partition.removing_replicas"),
        ("addingReplicas", _IDS, "partition.adding_replicas"),
        ("elr", _IDS, "partition.elr"),
        ("lastKnownElr", _IDS, "partition.last_known_elr"),
        ("directories", _WORDS, "partition.directories"),
    ),
    "brokers": Section(
        lambda cluster: cluster.brokers.values(),
        1,
        ("brokerId", pa.int32(), "id"),
        ("brokerEpoch", pa.int64(), "epoch"),
        ("incarnationId", pa.string(), "incarnation_id"),
        ("rack", pa.string(), "rack"),
        ("fenced", pa.bool_(), "fenced"),
        ("inControlledShutdown", pa.bool_(), "in_controlled_shutdown"),
        ("isMigratingZkBroker", pa.bool_(), "is_migrating_zk_broker"),
        ("endpoints", _ENDPOINTS, _endpoints),
        ("logDirs", _WORDS, "log_dirs"),
        ("cordonedLogDirs", _WORDS, "cordoned_log_dirs"),
        ("features", _FEATURES, _features),
    ),
    "controllers": Section(
        lambda cluster: cluster.controllers.values(),
        1,
        ("controllerId", pa.int32(), "id"),
        ("incarnationId", pa.string(), "incarnation_id"),
        ("zkMigrationReady", pa.bool_(), "zk_migration_ready"),
        ("endpoints", _ENDPOINTS, _endpoints),
        ("features", _FEATURES, _features),
    ),
    "voters": Section(
        _voters,
        2,
        ("voterId", pa.int32(), lambda row: row[0].id),
        ("directoryId", pa.string(), lambda row: row[0].directory_id),
        ("isLeader", pa.bool_(), lambda row: row[1]),
        ("endpoints", _ENDPOINTS, lambda row: _endpoints(row[0])),
        ("minKraftVersion", pa.int16(), lambda row: row[0].min_kraft_version),
        ("maxKraftVersion", pa.int16(), lambda row: row[0].max_kraft_version),
    ),
    "features": Section(
        lambda cluster: cluster.features.items(),
        1,
        ("feature", pa.string(), lambda row: row[0]),
        ("level", pa.int16(), lambda row: row[1]),
        ("name", pa.string(), lambda row: metadata_version_name(row[1]) if row[0] == METADATA_VERSION else None),
    ),
    "configs": Section(
        attrgetter("configs"),
        3,
        ("resourceType", pa.string(), "resource_type"),
        ("resourceName", pa.string(), "resource_name"),
        ("name", pa.string(), "name"),
        ("value", pa.string(), "value"),
        ("isSensitive", pa.bool_(), "is_sensitive"),
    ),
    "quotas": Section(
        attrgetter("quotas"),
        2,
        ("entity", _ENTITY, lambda quota: [{"entityType": kind, "entityName": name} for kind, name in quota.entity]),
        ("key", pa.string(), "key"),
        ("value", pa.float64(), "value"),
    ),
    "acls": Section(
        attrgetter("acls"),
        1,
        ("id", pa.string(), "id"),
        ("resourceType", pa.string(), "resource_type"),
        ("resourceName", pa.string(), "resource_name"),
        ("patternType", pa.string(), "pattern_type"),
        ("principal", pa.string(), "principal"),
        ("host", pa.string(), "host"),
        ("operation", pa.string(), "operation"),
        ("permissionType", pa.string(), "permission_type"),
    ),
    "scram": Section(
        attrgetter("scram"),
        2,
        ("user", pa.string(), "user"),
        ("mechanism", pa.string(), "mechanism"),
        ("iterations", pa.int32(), "iterations"),
        ("salt", pa.binary(), "salt"),
        ("storedKey", pa.binary(), "stored_key"),
        ("serverKey", pa.binary(), "server_key"),
    ),
    "tokens": Section(
        attrgetter("delegation_tokens"),
        1,
        ("tokenId", pa.string(), "token_id"),
        ("owner", pa.string(), "owner"),
        ("requester", pa.string(), "requester"),
        ("renewers", _WORDS, "renewers"),
        ("issueTimestamp", TIME, "issue_timestamp"),
        ("maxTimestamp", TIME, "max_timestamp"),
        ("expirationTimestamp", TIME, "expiration_timestamp"),
    ),
}
"""All sections, in the order of the documents. Times are ms, ids as Kafka prints them."""
