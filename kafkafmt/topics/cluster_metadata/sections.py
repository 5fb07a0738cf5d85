"""Sections of cluster metadata: a table for each kind of object. docs/metadata.md describes the columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.libraries import pa
from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata, MetadataProvenance
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


class Section:
    """One kind of object in cluster metadata, as a table.

    Args:
        objects: returns the objects of the rows.
        key: number of the first columns that identify a row.
        columns: as for `TableColumns`.

    Attributes:
        key: as given.
        columns: the columns of the table.
    """

    def __init__(
        self,
        objects: Callable[[ClusterMetadata], Iterable[Any]],
        key: int,
        *columns: tuple[Any, ...],
    ) -> None:
        self.key = key
        self._objects = objects
        self._table = TableColumns(*columns)
        self.columns = self._table.columns

    @property
    def schema(self) -> "pa.Schema":
        """The columns as an Arrow schema."""
        return self._table.schema

    def rows(self, cluster: ClusterMetadata) -> Iterator[tuple[Any, ...]]:
        """The rows, with `Redacted` in place of secrets."""
        return map(self._table.row, self._objects(cluster))


_CONFIGS = "list<struct<name: string, value: string>>"


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


class _Feature(NamedTuple):
    """A finalized feature.

    Attributes:
        feature: name of the feature: "metadata.version", "kraft.version", ...
        level: its finalized level.
    """

    feature: Annotated[str, "string"]
    level: Annotated[int, "int16"]

    @property
    def name(self) -> Annotated[str | None, "string"]:
        """Name of a metadata.version: "4.3-IV0"; None for other features."""
        return metadata_version_name(self.level) if self.feature == METADATA_VERSION else None


class _OfVoter(NamedTuple):
    """A voter.

    Attributes:
        voter: the voter.
        is_leader: whether it is the leader of the quorum; None if the leader is unknown.
    """

    voter: Voter
    is_leader: Annotated[bool | None, "bool"]


def _voters(cluster: ClusterMetadata) -> Iterator[_OfVoter]:
    for voter in cluster.voters:
        yield _OfVoter(voter, None if cluster.leader_id is None else voter.id == cluster.leader_id)


def _in_configs(row: _OfTopic) -> list[dict[str, str | None]]:
    """The configs that were set for it, secrets as null."""
    values = ((config.name, config.value) for config in row.configs)
    return [{"name": name, "value": None if isinstance(value, Redacted) else value} for name, value in values]


def _kraft_version(cluster: ClusterMetadata) -> int | None:
    """The finalized kraft.version: 1 with a dynamic quorum (KIP-853); None if no record has it."""
    return cluster.features.get(KRAFT_VERSION)


def _fenced_brokers(cluster: ClusterMetadata) -> int:
    """Number of brokers that are fenced."""
    return sum(broker.fenced for broker in cluster.brokers.values())


def _under_replicated(cluster: ClusterMetadata) -> int:
    """Number of partitions with a replica out of the ISR."""
    return sum(topic.under_replicated for topic in cluster.topics.values())


def _leaderless(cluster: ClusterMetadata) -> int:
    """Number of partitions without a leader."""
    return sum(topic.without_leader for topic in cluster.topics.values())


def _timestamp(cluster: ClusterMetadata) -> int | None:
    """Timestamp of the last record; None for none."""
    return None if cluster.provenance.timestamp < 0 else cluster.provenance.timestamp


SECTIONS: Mapping[str, Section] = {
    "cluster": Section(
        lambda cluster: [cluster],
        1,
        *columns_of(ClusterMetadata, only=("cluster_id", "metadata_version")),
        ("kraftVersion", "int16", _kraft_version),
        *columns_of(ClusterMetadata, only=("leader_id", "voters", "brokers")),
        ("fencedBrokers", "int32", _fenced_brokers),
        *columns_of(ClusterMetadata, only=("controllers", "topics", "partition_count")),
        ("underReplicatedPartitions", "int32", _under_replicated),
        ("leaderlessPartitions", "int32", _leaderless),
        *columns_of(ClusterMetadata, after="features", to="zk_migration_state"),
        *columns_of(MetadataProvenance, "provenance", only=("end_offset", "epoch")),
        ("timestamp", TIME, _timestamp),
        *columns_of(MetadataProvenance, "provenance", only=("committed_offset", "snapshot", "path")),
    ),
    "topics": Section(
        _topics,
        2,
        *columns_of(Topic, "topic"),
        ("configs", _CONFIGS, _in_configs),
    ),
    "partitions": Section(
        _partitions,
        3,
        *columns_of(Topic, "topic", to="name"),
        *columns_of(PartitionRegistration, "partition", to="partition"),
        *columns_of(Topic, "topic", after="name", to="id"),
        *columns_of(PartitionRegistration, "partition", after="partition"),
    ),
    "brokers": Section(
        lambda cluster: cluster.brokers.values(),
        1,
        *columns_of(BrokerRegistration),
    ),
    "controllers": Section(
        lambda cluster: cluster.controllers.values(),
        1,
        *columns_of(ControllerRegistration),
    ),
    "voters": Section(
        _voters,
        2,
        *columns_of(Voter, "voter", to="directory_id"),
        *columns_of(_OfVoter),
        *columns_of(Voter, "voter", after="directory_id"),
    ),
    "features": Section(
        lambda cluster: starmap(_Feature, cluster.features.items()),
        1,
        *columns_of(_Feature),
    ),
    "configs": Section(
        attrgetter("configs"),
        3,
        *columns_of(Config),
    ),
    "quotas": Section(
        attrgetter("quotas"),
        2,
        *columns_of(ClientQuota),
    ),
    "acls": Section(
        attrgetter("acls"),
        1,
        *columns_of(AccessControlEntry),
    ),
    "scram": Section(
        attrgetter("scram"),
        2,
        *columns_of(ScramCredential),
    ),
    "tokens": Section(
        attrgetter("delegation_tokens"),
        1,
        *columns_of(DelegationToken),
    ),
}
"""All sections, in the order of the documentation. Times are in ms, ids in Kafka's text form."""
