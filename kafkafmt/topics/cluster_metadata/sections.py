"""Sections of cluster metadata: each kind of thing in it as a table. docs/metadata.md describes the columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kafkafmt.topics.answer_columns import TableColumns
from kafkafmt.topics.answers import TIME
from kafkafmt.topics.cluster_metadata.nodes import BrokerRegistration, ControllerRegistration, Voter
from kafkafmt.topics.cluster_metadata.settings import (
    KRAFT_VERSION,
    METADATA_VERSION,
    Config,
    Redacted,
    metadata_version_name,
)
from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration, Topic

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata


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
        objects: Callable[["ClusterMetadata"], Iterable[Any]],
        key: int,
        *columns: tuple[str, pa.DataType, str | Callable[[Any], Any]],
    ) -> None:
        self.key = key
        self._objects = objects
        self._columns = TableColumns(*columns)
        self.schema = self._columns.schema

    def rows(self, cluster: "ClusterMetadata") -> Iterator[tuple[Any, ...]]:
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


def _topics(cluster: "ClusterMetadata") -> Iterator[_OfTopic]:
    configs: dict[str, list[Config]] = {}
    for config in cluster.configs:
        if config.resource_type == "TOPIC":
            configs.setdefault(config.resource_name, []).append(config)
    return (_OfTopic(topic, configs.get(topic.name, ())) for topic in cluster.topics.values())


def _partitions(cluster: "ClusterMetadata") -> Iterator[_OfTopic]:
    return (_OfTopic(topic, partition=partition) for topic, partition in cluster.partitions())


def _voters(cluster: "ClusterMetadata") -> Iterator[tuple[Voter, bool | None]]:
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
