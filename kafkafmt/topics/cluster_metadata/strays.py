"""Strays: decides whether a partition directory belongs to a topic of its cluster, to this broker and log directory."""

from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.libraries import pa
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.partition import Partition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyarrow.fs import FileSystem

    from kafkafmt.files.names import PartitionState
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata

AT_HAND_BYTES: Final = 4 * 1024 * 1024
"""Size in bytes of log and snapshots above which a cluster's metadata is not read unless requested."""

# Prefix of reserved directory ids (KIP-858): unknown, unassigned, lost, and future reserved ones.
_RESERVED: Final = "AAAAAAAAAAAAAAAAAAAA"


@dataclass(frozen=True, slots=True)
class Placement:
    """Whether a partition directory is in the place that the cluster's metadata assign to it.

    Attributes:
        belongs: whether the cluster has its topic and its partition; of a directory that the broker renamed (-stray,
            -delete), whether the cluster has the topic of its id. None if that is unknown.
        topic_of_id: name of the cluster's topic with its topic id, or None.
        remark: what is wrong, as a predicate to be read after the directory's name; or None.
        advice: how that may have happened, or "".
        is_of_another_broker: whether the cluster has its partition on other brokers alone.
    """

    belongs: Annotated[bool | None, "bool"]
    topic_of_id: Annotated[str | None, "string"]
    remark: Annotated[str | None, "string"] = None
    advice: str = ""
    is_of_another_broker: bool = False

    @property
    def is_stray(self) -> bool:
        """Whether a starting Kafka sets this live directory aside as -stray."""
        return self.belongs is False or self.is_of_another_broker


class _Placed(NamedTuple):
    """A partition directory and its placement.

    Attributes:
        topic_id: topic id in its partition.metadata, or None.
    """

    partition: Partition
    topic_id: Annotated[str | None, "string"]
    placement: Placement


BELONGING: Final = TableColumns(
    *columns_of(Partition, "partition", only=("topic", "partition", "path")),
    *columns_of(_Placed),
    *columns_of(Placement, "placement", only=("topic_of_id", "belongs", "remark")),
)
"""Columns of `belonging`."""


def belonging_of(
    clusters: "Mapping[str | None, ClusterMetadata]",
    cluster_id: str | None,
    broker_id: int | None,
    directory_id: str | None,
) -> "Belonging | None":
    """The placement of partitions in a log directory, by its cluster; by the only cluster if it has no cluster id.

    Args:
        clusters: metadata by cluster id.
        cluster_id: cluster id in the log directory's meta.properties, or None.
        broker_id: as for `Belonging`.
        directory_id: as for `Belonging`.
    """
    cluster = clusters.get(cluster_id, clusters.get(None))
    if cluster is None and cluster_id is None and len(clusters) == 1:
        cluster = next(iter(clusters.values()))
    return None if cluster is None else Belonging(cluster, broker_id, directory_id)


class Belonging:
    """Compares the partition directories of one log directory with the cluster's metadata.

    Args:
        cluster: the metadata.
        broker_id: node id of the broker of the log directory, or None.
        directory_id: id of the log directory (KIP-858), or None.
    """

    def __init__(self, cluster: "ClusterMetadata", broker_id: int | None, directory_id: str | None) -> None:
        self._cluster = cluster
        self._broker = broker_id
        self._directory = directory_id

    def topic_name(self, topic_id: str | None) -> str | None:
        """Name of the topic with this id, or None."""
        topic = None if topic_id is None else self._cluster.topic_by_id(topic_id)
        return None if topic is None else topic.name

    def judge(
        self, topic: str | None, partition: int | None, topic_id: str | None, state: "PartitionState" = "live"
    ) -> Placement:
        """The placement of a partition directory.

        Args:
            topic: topic in its name, or None.
            partition: partition in its name, or None.
            topic_id: topic id in its partition.metadata, or None.
            state: state in its name.
        """
        of_id = self.topic_name(topic_id)
        if topic == CLUSTER_METADATA:
            return Placement(belongs=True, topic_of_id=None)
        if state != "live":
            # The name may be truncated, so only the id decides.
            known = None if topic_id is None else of_id is not None
            return Placement(known, of_id, f"was set aside by the broker as -{state}")
        if topic is None:
            return Placement(None, of_id, "is not named TOPIC-PARTITION")
        return self._judge(topic, partition, topic_id, of_id)

    def _judge(self, name: str, number: int | None, topic_id: str | None, of_id: str | None) -> Placement:
        topics = self._cluster.topics
        if topic_id is not None and of_id is None and name in topics:
            return Placement(
                belongs=False,
                topic_of_id=None,
                remark=f"belongs to an earlier topic of this name: topic id {topic_id}, now {topics[name].id}",
                advice="the topic was recreated; Kafka sets the directory aside as -stray when it starts",
            )
        if of_id is None and (topic_id is not None or name not in topics):
            known_by = "no topic id" if topic_id is None else f"topic id {topic_id}"
            return Placement(
                belongs=False,
                topic_of_id=None,
                remark=f"belongs to no topic of this cluster ({known_by})",
                advice=f"deleted, or created after offset {self._cluster.offset} of the metadata read",
            )
        topic = topics[of_id or name]
        if topic.name != name:
            return Placement(
                belongs=True,
                topic_of_id=of_id,
                remark=f"belongs to the topic {topic.name} by its topic id {topic_id}",
                advice="was the directory renamed?",
            )
        partition = topic.partitions.get(number if number is not None else -1)
        if partition is None:
            return Placement(
                belongs=False,
                topic_of_id=of_id,
                remark=f"is not a partition of the cluster's topic {name}, which has {len(topic.partitions)}",
                advice=f"was it added after offset {self._cluster.offset} of the metadata that were read?",
            )
        remark, advice = self._elsewhere(partition.replicas, partition.directories)
        is_of_another = self._broker is not None and self._broker not in partition.replicas
        return Placement(
            belongs=True, topic_of_id=of_id, remark=remark, advice=advice, is_of_another_broker=is_of_another
        )

    def _elsewhere(self, replicas: "tuple[int, ...]", directories: "tuple[str, ...]") -> tuple[str | None, str]:
        """Remark and advice on a partition that is assigned to another broker or log directory."""
        if self._broker is None:
            return None, ""
        if self._broker not in replicas:
            return (
                f"is not assigned to broker {self._broker}: the replicas are on {', '.join(map(str, replicas))}",
                "it was reassigned; Kafka sets the directory aside as -stray when it starts",
            )
        directory = directories[replicas.index(self._broker)]
        if self._directory not in (None, directory) and not directory.startswith(_RESERVED):
            return (
                f"is assigned to another log directory of broker {self._broker}: {directory}",
                "it was moved between log directories, or the two were exchanged",
            )
        return None, ""


def belonging(
    source: "Scan | Searchable",
    metadata: "ClusterMetadata | None" = None,
    *,
    filesystem: "FileSystem | None" = None,
) -> "pa.Table":
    """List which partition directories belong to a topic of their cluster, and which are strays.

        >>> table = kafkafmt.topics.belonging("/var/lib/kafka/data")
        >>> [row["path"] for row in table.to_pylist() if row["belongs"] is False]

    Args:
        source: a scan, whatever its filters select, or a source as for `kafkafmt.scan`.
        metadata: metadata of the cluster (`kafkafmt.topics.metadata`); None for the metadata in the source, of each
            cluster.
        filesystem: as for `kafkafmt.scan`; for a source other than a scan.

    Returns:
        One row per partition directory, in the order of the source: topic, partition, path; `topicId` from its
        partition.metadata; `topicOfId`, the name of the cluster's topic with that id; `belongs`, null without metadata
        of its cluster, or if that does not decide; `remark`, a sentence to read after its name, or null.

    Raises:
        SourceError: a path cannot be read.
        LimitExceededError: the metadata in the source is larger than 4 MiB: pass `metadata`.
        KafkafmtError: the metadata in the source cannot be read.
        TypeError: a source is not a path.
    """
    from kafkafmt import scanning  # noqa: PLC0415 - `kafkafmt ls` needs this module, but no scan

    scan = source if isinstance(source, scanning.Scan) else scanning.scan(source, filesystem=filesystem)
    clusters = small_clusters(scan, _refuse) if metadata is None else {metadata.cluster_id: metadata}
    return BELONGING.to_table(starmap(_Placed, placements(scan.source_partitions, clusters)))


def small_clusters(scan: "Scan", unreadable: "Callable[[KafkafmtError], None]") -> "dict[str | None, ClusterMetadata]":
    """Read the small metadata logs in the source of a scan, whatever it selects, by cluster id.

    Args:
        scan: the scan.
        unreadable: called with the error of metadata that is not read.
    """
    from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415
    from kafkafmt.topics.cluster_metadata.reading import small_metadata  # noqa: PLC0415

    try:
        found = find_copies(
            each.location for each in scan.source_partitions if each.topic == CLUSTER_METADATA and each.state == "live"
        )
        return small_metadata((copy for copy in found if copy.is_log), max_bytes=AT_HAND_BYTES, unreadable=unreadable)
    except KafkafmtError as error:
        unreadable(error)
        return {}


def placements(
    partitions: "Iterable[Partition]", clusters: "Mapping[str | None, ClusterMetadata]"
) -> "Iterator[tuple[Partition, str | None, Placement]]":
    """Yield each partition directory once, with its topic id and placement.

    Args:
        partitions: the directories; one may be repeated for files in it that are sources.
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
        yield _placement(each, log_dirs[parent.identity])


def _placement(partition: "Partition", known: Belonging | None) -> "tuple[Partition, str | None, Placement]":
    try:
        topic_id = partition.topic_id
    except KafkafmtError as error:
        return partition, None, Placement(None, None, f"has a partition.metadata that cannot be read: {error}")
    if known is None:
        return partition, topic_id, Placement(None, None, "belongs to a cluster whose metadata log is missing")
    return partition, topic_id, known.judge(partition.topic, partition.partition, topic_id, partition.state)


def _belonging_in(log_dir: "Location", clusters: "Mapping[str | None, ClusterMetadata]") -> Belonging | None:
    try:
        properties = properties_of(log_dir)
    except KafkafmtError:
        # Kafka would not start with it; here it only identifies the cluster, broker and directory.
        properties = None
    if properties is None:
        return belonging_of(clusters, None, None, None)
    broker_id = properties.broker_id if properties.node_id is None else properties.node_id
    return belonging_of(clusters, properties.cluster_id, broker_id, properties.directory_id)


def _refuse(error: KafkafmtError) -> None:
    raise error
