"""Directories: which partition directories of a scan belong to a topic of their cluster."""

from typing import TYPE_CHECKING

import pyarrow as pa

import kafkafmt
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import meta_properties
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.scanning import Scan
from kafkafmt.topics.cluster_metadata.belonging import AT_HAND_BYTES, Belonging, Verdict, belonging_of
from kafkafmt.topics.cluster_metadata.copies import find_copies
from kafkafmt.topics.cluster_metadata.door import metadata_at_hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyarrow.fs import FileSystem

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata

BELONGING_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("path", pa.string()),
        ("topicId", pa.string()),
        ("topicOfId", pa.string()),
        ("belongs", pa.bool_()),
        ("remark", pa.string()),
    ]
)


def belonging(
    source: "Scan | Searchable",
    metadata: "ClusterMetadata | None" = None,
    *,
    filesystem: "FileSystem | None" = None,
) -> pa.Table:
    """Say which partition directories belong to a topic of their cluster, and which to none any more.

        >>> table = kafkafmt.topics.belonging("/var/lib/kafka/data")
        >>> [row["path"] for row in table.to_pylist() if row["belongs"] is False]

    Args:
        source: a scan, whatever its filters select, or a source as for `kafkafmt.scan`.
        metadata: of the cluster (`kafkafmt.topics.metadata`); None for that in the source, each cluster's own.
        filesystem: as for `kafkafmt.scan`; for a source that is no scan.

    Returns:
        One row per partition directory, in the order of the source: topic, partition, path; `topicId` from its
        partition.metadata, `topicOfId`, the cluster's name for the topic of that id; `belongs`, null without metadata
        of its cluster, or if it does not decide; `remark`, a sentence to read after its name, or null.

    Raises:
        SourceError: a path cannot be read.
        LimitExceededError: the metadata in the source is larger than 4 MiB: pass `metadata`.
        KafkafmtError: the metadata in the source cannot be read.
        TypeError: a source is no path.
    """
    scan = source if isinstance(source, Scan) else kafkafmt.scan(source, filesystem=filesystem)
    clusters = clusters_at_hand(scan, _refuse) if metadata is None else {metadata.cluster_id: metadata}
    rows = [
        {
            "topic": partition.topic,
            "partition": partition.partition,
            "path": partition.path,
            "topicId": topic_id,
            "topicOfId": verdict.topic_of_id,
            "belongs": verdict.belongs,
            "remark": verdict.remark,
        }
        for partition, topic_id, verdict in judged(scan.source_partitions, clusters)
    ]
    return pa.Table.from_pylist(rows, schema=BELONGING_SCHEMA)


def clusters_at_hand(
    scan: "Scan", unreadable: "Callable[[KafkafmtError], None]"
) -> "dict[str | None, ClusterMetadata]":
    """Metadata by cluster id of the metadata logs that a scan has found, whatever its filters take; only small ones.

    Args:
        scan: where they may be.
        unreadable: called with what is wrong with metadata that are not read.
    """
    try:
        found = find_copies(
            each.location for each in scan.source_partitions if each.topic == CLUSTER_METADATA and each.state == "live"
        )
        return metadata_at_hand((copy for copy in found if copy.is_log), max_bytes=AT_HAND_BYTES, unreadable=unreadable)
    except KafkafmtError as error:
        unreadable(error)
        return {}


def judged(
    partitions: "Iterable[Partition]", clusters: "Mapping[str | None, ClusterMetadata]"
) -> "Iterator[tuple[Partition, str | None, Verdict]]":
    """Give for each partition directory, once, its topic id and what the metadata tell of it.

    Args:
        partitions: the directories; one is given again for each file in it that was named by itself.
        clusters: metadata by cluster id.
    """
    met: set[str] = set()
    log_dirs: dict[str, Belonging | None] = {}
    for each in partitions:
        if each.location.identity in met:
            continue
        met.add(each.location.identity)
        parent = each.location.parent
        if parent.identity not in log_dirs:
            log_dirs[parent.identity] = _belonging_in(parent, clusters)
        yield _verdict(each, log_dirs[parent.identity])


def _verdict(partition: "Partition", known: Belonging | None) -> "tuple[Partition, str | None, Verdict]":
    try:
        topic_id = partition.topic_id
    except KafkafmtError as error:
        return partition, None, Verdict(None, None, f"has a partition.metadata that cannot be read: {error}")
    if known is None:
        return partition, topic_id, Verdict(None, None, "belongs to a cluster whose metadata log is missing")
    return partition, topic_id, known.judge(partition.topic, partition.partition, topic_id, partition.state)


def _belonging_in(log_dir: "Location", clusters: "Mapping[str | None, ClusterMetadata]") -> Belonging | None:
    place = log_dir.child(META_PROPERTIES)
    try:
        properties = meta_properties.read(place) if place.is_file() else None
    except KafkafmtError:
        # Kafka would not start with it; here it only tells whose directory this is.
        properties = None
    if properties is None:
        return belonging_of(clusters, None, None, None)
    broker_id = properties.broker_id if properties.node_id is None else properties.node_id
    return belonging_of(clusters, properties.cluster_id, broker_id, properties.directory_id)


def _refuse(error: KafkafmtError) -> None:
    raise error
