"""Sections: cluster metadata as tables, one a kind of thing. docs/metadata.md tells what the columns mean."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kafkafmt.columns import as_text
from kafkafmt.topics.cluster_metadata.names import METADATA_VERSION, metadata_version_name
from kafkafmt.topics.cluster_metadata.redaction import Redacted
from kafkafmt.topics.cluster_metadata.shapes import SHAPES

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.registrations import Endpoint, SupportedFeature

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of thing, as a table.

    Attributes:
        schema: its columns.
        key: how many of the columns, from the first one on, tell one row from another.
        rows: makes the rows; a secret that is not told is `Redacted`, and null in a table.
    """

    schema: pa.Schema
    key: int
    rows: "Callable[[ClusterMetadata], Iterable[Row]]"


def to_table(cluster: "ClusterMetadata", section: str) -> pa.Table:
    """Give one section as a table.

    Raises:
        ValueError: there is no such section.
    """
    known = SECTIONS.get(section)
    if known is None:
        raise ValueError(f"no section {section!r}; there are: {', '.join(SECTIONS)}")
    columns = list(zip(*known.rows(cluster), strict=True)) or [()] * len(known.schema)
    arrays = [
        pa.array([None if isinstance(value, Redacted) else value for value in column], field.type)
        for column, field in zip(columns, known.schema, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=known.schema)


def _cluster(cluster: "ClusterMetadata") -> Iterable[Row]:
    provenance = cluster.provenance
    yield (
        cluster.cluster_id,
        cluster.metadata_version,
        cluster.features.get("kraft.version"),
        cluster.leader_id,
        [voter.id for voter in cluster.voters],
        len(cluster.brokers),
        sum(broker.fenced for broker in cluster.brokers.values()),
        len(cluster.controllers),
        len(cluster.topics),
        cluster.partition_count,
        sum(topic.under_replicated for topic in cluster.topics.values()),
        sum(topic.without_leader for topic in cluster.topics.values()),
        len(cluster.configs),
        len(cluster.quotas),
        len(cluster.acls),
        len(cluster.scram),
        len(cluster.delegation_tokens),
        cluster.next_producer_id,
        cluster.zk_migration_state,
        provenance.end_offset,
        provenance.epoch,
        None if provenance.timestamp < 0 else provenance.timestamp,
        provenance.committed_offset,
        as_text(provenance.snapshot),
        as_text(provenance.path),
    )


def _topics(cluster: "ClusterMetadata") -> Iterable[Row]:
    configs: dict[str, list[tuple[str, Any]]] = {}
    for config in cluster.configs:
        if config.resource_type == "TOPIC":
            configs.setdefault(config.resource_name, []).append((config.name, config.value))
    for topic in cluster.topics.values():
        yield (
            topic.name,
            topic.id,
            len(topic.partitions),
            topic.replication_factor,
            topic.under_replicated,
            topic.without_leader,
            [
                {"name": name, "value": None if isinstance(value, Redacted) else value}
                for name, value in configs.get(topic.name, ())
            ],
        )


def _partitions(cluster: "ClusterMetadata") -> Iterable[Row]:
    for topic, each in cluster.partitions():
        yield (
            topic.name,
            each.partition,
            topic.id,
            each.leader,
            each.leader_epoch,
            each.partition_epoch,
            each.leader_recovery_state,
            each.replicas,
            each.isr,
            each.removing_replicas,
            each.adding_replicas,
            each.elr,
            each.last_known_elr,
            each.directories,
        )


def _brokers(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.brokers.values():
        yield (
            each.id,
            each.epoch,
            each.incarnation_id,
            each.rack,
            each.fenced,
            each.in_controlled_shutdown,
            each.is_migrating_zk_broker,
            _endpoints(each.endpoints),
            each.log_dirs,
            each.cordoned_log_dirs,
            _features(each.features),
        )


def _controllers(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.controllers.values():
        yield (
            each.id,
            each.incarnation_id,
            each.zk_migration_ready,
            _endpoints(each.endpoints),
            _features(each.features),
        )


def _voters(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.voters:
        yield (
            each.id,
            each.directory_id,
            each.id == cluster.leader_id if cluster.leader_id is not None else None,
            _endpoints(each.endpoints),
            each.min_kraft_version,
            each.max_kraft_version,
        )


def _levels(cluster: "ClusterMetadata") -> Iterable[Row]:
    for name, level in cluster.features.items():
        yield name, level, metadata_version_name(level) if name == METADATA_VERSION else None


def _configs(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.configs:
        yield each.resource_type, each.resource_name, each.name, each.value, each.is_sensitive


def _quotas(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.quotas:
        entity = [{"entityType": kind, "entityName": name} for kind, name in each.entity]
        yield entity, each.key, each.value


def _acls(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.acls:
        yield (
            each.id,
            each.resource_type,
            each.resource_name,
            each.pattern_type,
            each.principal,
            each.host,
            each.operation,
            each.permission_type,
        )


def _scram(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.scram:
        yield each.user, each.mechanism, each.iterations, each.salt, each.stored_key, each.server_key


def _tokens(cluster: "ClusterMetadata") -> Iterable[Row]:
    for each in cluster.delegation_tokens:
        yield (
            each.token_id,
            each.owner,
            each.requester,
            each.renewers,
            each.issue_timestamp,
            each.max_timestamp,
            each.expiration_timestamp,
        )


SECTIONS: Mapping[str, Section] = {
    "cluster": Section(SHAPES["cluster"], 1, _cluster),
    "topics": Section(SHAPES["topics"], 2, _topics),
    "partitions": Section(SHAPES["partitions"], 3, _partitions),
    "brokers": Section(SHAPES["brokers"], 1, _brokers),
    "controllers": Section(SHAPES["controllers"], 1, _controllers),
    "voters": Section(SHAPES["voters"], 2, _voters),
    "features": Section(SHAPES["features"], 1, _levels),
    "configs": Section(SHAPES["configs"], 3, _configs),
    "quotas": Section(SHAPES["quotas"], 2, _quotas),
    "acls": Section(SHAPES["acls"], 1, _acls),
    "scram": Section(SHAPES["scram"], 2, _scram),
    "tokens": Section(SHAPES["tokens"], 1, _tokens),
}
"""All sections, in the order in which they are told."""


def _endpoints(endpoints: "Iterable[Endpoint]") -> list[dict[str, object]]:
    return [
        {"name": each.name, "host": each.host, "port": each.port, "securityProtocol": each.security_protocol}
        for each in endpoints
    ]


def _features(features: "Iterable[SupportedFeature]") -> list[dict[str, object]]:
    return [{"name": each.name, "minSupportedVersion": each.min, "maxSupportedVersion": each.max} for each in features]
