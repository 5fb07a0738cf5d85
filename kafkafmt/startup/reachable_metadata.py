"""The metadata by which nodes are judged: of the metadata logs among the log directories, and one that was named."""

from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyarrow.fs import FileSystem

    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.startup.outcome import LogDirStart, PartitionStart
    from kafkafmt.topics.cluster_metadata import ClusterMetadata


class ReachableMetadata:
    """Metadata logs in reach, each read once, when it is first asked for.

    Args:
        log_dirs: log directories, some of which may have a metadata log.
        named: metadata that the caller named, or None.
        filesystem: as for `kafkafmt.scan`.

    Attributes:
        notes: on metadata logs that cannot be read.
        named: the metadata that the caller named, or None.
        named_nodes: the nodes whose metadata logs these are, as far as meta.properties beside them tell.

    Raises:
        KafkafmtError: the metadata that were named cannot be read.
    """

    def __init__(
        self,
        log_dirs: "Sequence[LogDirStart]",
        named: "Searchable | None" = None,
        filesystem: "FileSystem | None" = None,
    ) -> None:
        self.notes: list[Note] = []
        self.named: ClusterMetadata | None = None
        self.named_nodes: frozenset[int] = frozenset()
        if named is not None:
            self._read_named(named, filesystem)
        self._logs = [one for each in log_dirs for one in each.partitions if one.is_metadata_log]
        self._read: dict[tuple[str, int | None], ClusterMetadata | None] = {}

    def _read_named(self, named: "Searchable", filesystem: "FileSystem | None") -> None:
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - it takes a while
        from kafkafmt.topics.cluster_metadata.reading import metadata  # noqa: PLC0415 - likewise

        self.named = metadata(named, filesystem=filesystem, on_damage="skip")
        self.notes += [Note(f"in the metadata that were named: {each}", is_finding=False) for each in self.named.faults]
        copies = find_copies(named, filesystem)
        self.named_nodes = frozenset(each.node_id for each in copies if each.is_log and each.node_id is not None)

    def of_log(self, log: "PartitionStart") -> "ClusterMetadata | None":
        """The metadata of a node's own log, as far as the log reaches after its load; None if it cannot be read."""
        from kafkafmt.topics.cluster_metadata.copies import snapshots_in  # noqa: PLC0415 - it takes a while

        end = None if log.log is None else log.log.truncate_from
        if end is not None:
            # What was cut may be in a snapshot.
            end = max([end, *(snapshot.end_offset for snapshot in snapshots_in(log.listing))])
        return self._of(log, end)

    def owner(self, cluster_id: str | None, directory_id: str) -> int | None:
        """Node id of the broker that registered a directory id; None if none did."""
        for cluster in self._of_cluster(cluster_id):
            for broker in cluster.brokers.values():
                if directory_id in broker.log_dirs:
                    return broker.id
        return None

    def directories(self, cluster_id: str | None, node_id: int | None) -> int:
        """How many log directories a broker registered."""
        known = (cluster.brokers.get(-1 if node_id is None else node_id) for cluster in self._of_cluster(cluster_id))
        return max((len(broker.log_dirs) for broker in known if broker is not None), default=0)

    def _of_cluster(self, cluster_id: str | None) -> "list[ClusterMetadata]":
        found = [self.named, *(self._of(log, None) for log in self._logs)]
        return newest_first(each for each in found if each is not None and same_cluster(cluster_id, each.cluster_id))

    def _of(self, log: "PartitionStart", end: int | None) -> "ClusterMetadata | None":
        from kafkafmt.topics.cluster_metadata.reading import metadata  # noqa: PLC0415 - it takes a while

        key = log.path, end
        if key not in self._read:
            try:
                self._read[key] = metadata(log.location, on_damage="skip", at_offset=end)
            except KafkafmtError as error:
                text = f"strays are not judged, for the metadata cannot be read: {error}"
                self.notes.append(Note(text, is_finding=False))
                self._read[key] = None
        return self._read[key]


def newest_first(clusters: "Iterable[ClusterMetadata]") -> "list[ClusterMetadata]":
    """Metadata of one cluster by leader epoch and end offset, the newest first."""
    return sorted(clusters, key=lambda each: (-each.epoch, -each.offset))


def same_cluster(cluster_id: str | None, other: str | None) -> bool:
    """Whether two cluster ids may be of one cluster: an unknown one contradicts none."""
    return cluster_id is None or other is None or cluster_id == other
