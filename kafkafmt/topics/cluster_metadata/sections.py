"""Sections of cluster metadata: each kind of thing in it as a table. docs/metadata.md describes the columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.libraries import pa
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
        columns: the columns of the table.
    """

    def __init__(
        self,
        objects: Callable[["ClusterMetadata"], Iterable[Any]],
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

    def rows(self, cluster: "ClusterMetadata") -> Iterator[tuple[Any, ...]]:
        """The rows, with `Redacted` in place of secrets."""
        return map(self._table.row, self._objects(cluster))


_IDS = "list<int32>"
_CONFIGS = "list<struct<name: string, value: string>>"


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


class _OfVoter(NamedTuple):
    """A voter.

    Attributes:
        voter: the voter.
        is_leader: whether it is the leader of the quorum; None if the leader is unknown.
    """

    voter: Voter
    is_leader: Annotated[bool | None, "bool"]


def _voters(cluster: "ClusterMetadata") -> Iterator[_OfVoter]:
    for voter in cluster.voters:
        yield _OfVoter(voter, None if cluster.leader_id is None else voter.id == cluster.leader_id)


def _in_configs(row: _OfTopic) -> list[dict[str, str | None]]:
    """The configs that were set for it, secrets as null."""
    values = ((config.name, config.value) for config in row.configs)
    return [{"name": name, "value": None if isinstance(value, Redacted) else value} for name, value in values]


SECTIONS: Mapping[str, Section] = {
    "cluster": Section(
        lambda cluster: [cluster],
        1,
        ("clusterId", "string", "cluster_id"),
        ("metadataVersion", "string", "metadata_version"),
        ("kraftVersion", "int16", lambda cluster: cluster.features.get(KRAFT_VERSION)),
        ("leaderId", "int32", "leader_id"),
        ("voters", _IDS, lambda cluster: [voter.id for voter in cluster.voters]),
        ("brokers", "int32", lambda cluster: len(cluster.brokers)),
        ("fencedBrokers", "int32", lambda cluster: sum(broker.fenced for broker in cluster.brokers.values())),
        ("controllers", "int32", lambda cluster: len(cluster.controllers)),
        ("topics", "int32", lambda cluster: len(cluster.topics)),
        ("partitions", "int32", "partition_count"),
        (
            "underReplicatedPartitions",
            "int32",
            lambda cluster: sum(topic.under_replicated for topic in cluster.topics.values()),
        ),
        (
            "leaderlessPartitions",
            "int32",
            lambda cluster: sum(topic.without_leader for topic in cluster.topics.values()),
        ),
        ("configs", "int32", lambda cluster: len(cluster.configs)),
        ("quotas", "int32", lambda cluster: len(cluster.quotas)),
        ("acls", "int32", lambda cluster: len(cluster.acls)),
        ("scramCredentials", "int32", lambda cluster: len(cluster.scram)),
        ("delegationTokens", "int32", lambda cluster: len(cluster.delegation_tokens)),
        ("nextProducerId", "int64", "next_producer_id"),
        ("zkMigrationState", "string", "zk_migration_state"),
        ("endOffset", "int64", "provenance.end_offset"),
        ("leaderEpoch", "int32", "provenance.epoch"),
        (
            "timestamp",
            TIME,
            lambda cluster: None if cluster.provenance.timestamp < 0 else cluster.provenance.timestamp,
        ),
        ("committedOffset", "int64", "provenance.committed_offset"),
        ("snapshot", "string", "provenance.snapshot"),
        ("path", "string", "provenance.path"),
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
        lambda cluster: cluster.features.items(),
        1,
        ("feature", "string", lambda row: row[0]),
        ("level", "int16", lambda row: row[1]),
        ("name", "string", lambda row: metadata_version_name(row[1]) if row[0] == METADATA_VERSION else None),
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
"""All sections, in the order of the documents. Times are ms, ids as Kafka prints them."""
