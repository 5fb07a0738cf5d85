"""The metadata logs by which nodes are judged and repaired: those on the disks, and one that was named."""

from collections import defaultdict
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note
from kafkafmt.logdir.log_dir import properties_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyarrow.fs import FileSystem

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.startup.outcome import LogDirStart, PartitionStart
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration


class ReachableMetadata:
    """The metadata logs within reach, each read once, when it is first needed.

    Args:
        logs: directories of metadata logs.
        named: metadata that the caller named, or None.
        filesystem: as for `kafkafmt.scan`.

    Attributes:
        notes: notes on metadata logs that cannot be read.
        named: the metadata that the caller named, or None.
        named_nodes: the nodes that the named metadata logs are from, by the meta.properties beside them.

    Raises:
        KafkafmtError: the metadata that was named cannot be read.
    """

    def __init__(
        self,
        logs: "Iterable[Location]",
        named: "Searchable | None" = None,
        filesystem: "FileSystem | None" = None,
    ) -> None:
        self.notes: list[Note] = []
        self.named: ClusterMetadata | None = None
        self.named_nodes: frozenset[int] = frozenset()
        if named is not None:
            self._read_named(named, filesystem)
        self._logs = list(logs)
        self._read: dict[tuple[str, int | None], ClusterMetadata | None] = {}

    def _read_named(self, named: "Searchable", filesystem: "FileSystem | None") -> None:
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - it takes a while
        from kafkafmt.topics.cluster_metadata.reading import metadata  # noqa: PLC0415 - it takes a while

        self.named = metadata(named, filesystem=filesystem, on_damage="skip")
        self.notes += [Note(f"in the metadata that were named: {each}", is_finding=False) for each in self.named.faults]
        copies = find_copies(named, filesystem)
        self.named_nodes = frozenset(each.node_id for each in copies if each.is_log and each.node_id is not None)

    def of_log(self, log: "PartitionStart") -> "ClusterMetadata | None":
        """The metadata of a node's own log, up to its end after its load; None if it cannot be read."""
        from kafkafmt.topics.cluster_metadata.copies import snapshots_in  # noqa: PLC0415 - it takes a while

        end = None if log.log is None else log.log.truncate_from
        if end is not None:
            # A snapshot may have the cut part.
            end = max([end, *(snapshot.end_offset for snapshot in snapshots_in(log.listing))])
        return self._of(log.location, end)

    def newest_snapshot(self, log: "PartitionStart") -> "ClusterMetadata | None":
        """The metadata in the newest snapshot beside a node's own log; None if there is none that can be read."""
        from kafkafmt.topics.cluster_metadata.copies import snapshots_in  # noqa: PLC0415 - it takes a while

        found = (snapshot for snapshot in snapshots_in(log.listing) if not snapshot.is_partial)
        newest = next(found, None)
        return None if newest is None else self._of(newest.location, None)

    @cached_property
    def clusters(self) -> "list[ClusterMetadata]":
        """The metadata of each cluster by its newest log; only the named metadata if there is any."""
        from kafkafmt.topics.cluster_metadata.reading import metadata  # noqa: PLC0415 - it takes a while

        if self.named is not None:
            return [self.named]
        of_clusters: dict[str | None, list[Location]] = defaultdict(list)
        for each in self._logs:
            of_clusters[_cluster_id(each)].append(each)
        if None in of_clusters and len(of_clusters) == 2:
            unknown = of_clusters.pop(None)
            next(iter(of_clusters.values())).extend(unknown)
        found = []
        for logs in of_clusters.values():
            try:
                found.append(metadata(logs, on_damage="skip"))
            except KafkafmtError as error:
                self.notes.append(Note(f"no metadata log can be read: {error}", is_finding=False, path=error.file))
        return found

    def of(self, cluster_id: str | None) -> "ClusterMetadata | None":
        """A cluster's metadata; if its id or the metadata's is unknown, that of the only cluster there is, or None."""
        named = [each for each in self.clusters if cluster_id is not None and each.cluster_id == cluster_id]
        if named:
            return named[0]
        if len(self.clusters) != 1:
            return None
        (only,) = self.clusters
        return only if self.named is not None or same_cluster(cluster_id, only.cluster_id) else None

    def partition(
        self, cluster_id: str | None, topic: str | None, number: int | None
    ) -> "PartitionRegistration | None":
        """The controller's state of a partition; None if it is unknown."""
        cluster = self.of(cluster_id)
        found = None if cluster is None or topic is None else cluster.topics.get(topic)
        return None if found is None or number is None else found.partitions.get(number)

    def topic_id(self, cluster_id: str | None, topic: str | None) -> str | None:
        """Id of a topic; None if it is unknown."""
        cluster = self.of(cluster_id)
        found = None if cluster is None or topic is None else cluster.topics.get(topic)
        return None if found is None else found.id

    def owner(self, cluster_id: str | None, directory_id: str) -> int | None:
        """Node id of the broker that registered a directory id; None if none did."""
        for cluster in self._of_cluster(cluster_id):
            for broker in cluster.brokers.values():
                if directory_id in broker.log_dirs:
                    return broker.id
        return None

    def registered(self, cluster_id: str | None, node_id: int | None) -> tuple[str, ...]:
        """Ids of the log directories that a broker registered: the largest set of any metadata log."""
        known = (cluster.brokers.get(-1 if node_id is None else node_id) for cluster in self._of_cluster(cluster_id))
        return max((broker.log_dirs for broker in known if broker is not None), key=len, default=())

    def newest(self, cluster_id: str | None) -> "ClusterMetadata | None":
        """The newest metadata of a cluster; None if there is none."""
        return next(iter(self._of_cluster(cluster_id)), None)

    def _of_cluster(self, cluster_id: str | None) -> "list[ClusterMetadata]":
        found = [self.named, *(self._of(log, None) for log in self._logs)]
        return newest_first(each for each in found if each is not None and same_cluster(cluster_id, each.cluster_id))

    def _of(self, log: "Location", end: int | None) -> "ClusterMetadata | None":
        from kafkafmt.topics.cluster_metadata.reading import metadata  # noqa: PLC0415 - it takes a while

        key = str(log), end
        if key not in self._read:
            try:
                self._read[key] = metadata(log, on_damage="skip", at_offset=end)
            except KafkafmtError as error:
                text = f"strays are not judged, because the metadata cannot be read: {error}"
                self.notes.append(Note(text, is_finding=False, path=str(log)))
                self._read[key] = None
        return self._read[key]


def metadata_logs(log_dirs: "Iterable[LogDirStart]") -> "list[Location]":
    """Directories of the metadata logs in these log directories."""
    return [one.location for each in log_dirs for one in each.partitions if one.is_metadata_log]


def _cluster_id(log: "Location") -> str | None:
    try:
        properties = properties_of(log.parent)
    except KafkafmtError:
        return None
    return None if properties is None else properties.cluster_id


def newest_first(clusters: "Iterable[ClusterMetadata]") -> "list[ClusterMetadata]":
    """Metadata of one cluster by leader epoch and end offset, newest first."""
    return sorted(clusters, key=lambda each: (-each.epoch, -each.offset))


def same_cluster(cluster_id: str | None, other: str | None) -> bool:
    """Whether two cluster ids may be of one cluster: an unknown id matches any."""
    return cluster_id is None or other is None or cluster_id == other
