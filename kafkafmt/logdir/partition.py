"""Partition: a partition directory with its segments and the files beside them. Lazy and read-only."""

from typing import TYPE_CHECKING, Annotated

from kafkafmt.cached import cached_property
from kafkafmt.files import leader_epoch_checkpoint, partition_metadata, producer_snapshot, quorum_state
from kafkafmt.files.names import is_log_file, parse_partition_name, parse_segment_file_name
from kafkafmt.io.source import locate
from kafkafmt.logdir import lookup
from kafkafmt.logdir.checkpoints import (
    CLEANER_CHECKPOINT,
    HIGH_WATERMARK_CHECKPOINT,
    LOG_START_OFFSET_CHECKPOINT,
    RECOVERY_POINT_CHECKPOINT,
    REPAIR_CHECKPOINT,
    Checkpoints,
)
from kafkafmt.logdir.log_files import choose_segments, is_raft_snapshot
from kafkafmt.logdir.segment import Segment, is_loaded_as_it_is
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.moments import Time, milliseconds
from kafkafmt.public import Public
from kafkafmt.reference.header import INT64_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry, LeaderEpochCheckpoint
    from kafkafmt.files.names import PartitionState
    from kafkafmt.files.producer_snapshot import ProducerSnapshot
    from kafkafmt.files.quorum_state import QuorumState
    from kafkafmt.io.base import DirectoryEntry, Location
    from kafkafmt.io.source import Source
    from kafkafmt.logdir.lookup import EntryPlace, RecordTime
    from kafkafmt.logdir.trace import Trace
    from kafkafmt.reference.header import BatchHeader


class Partition(Public):
    """A directory of segments.

    Args:
        path: a path, a URI, or a location.
        filesystem: the pyarrow file system of `path`, unless that is a local path or URI.
        prefix: prefix of file names in answers: "" or a path that ends with "/".
        listing: the directory's entries, if it has already been listed.
        checkpoints: checkpoints of its log directory, if already open.

    Attributes:
        location: location of the directory.
        path: the partition directory, as a path or URI.
        name: its base name.
        topic: topic in the directory's name (cut in a long name that was set aside); None if the name does not have
            Kafka's form.
        partition: number in the directory's name; None if the name does not have Kafka's form.
        state: "live", or "delete", "future", "stray" for a directory that the broker has set aside.
        prefix: as given.
        checkpoints: as given.
    """

    path: Annotated[str, "string"]
    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]

    _INNER = frozenset(
        {
            *("anchored", "checkpoints", "first_at", "forget_segments", "left_out_below", "listing", "location"),
            "prefix",
            "remote_snapshot_files",
        }
    )

    def __init__(
        self,
        path: "Source | Location",
        filesystem: "FileSystem | None" = None,
        *,
        prefix: str = "",
        listing: "Sequence[DirectoryEntry] | None" = None,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self.location = locate(path, filesystem)
        self.path = str(self.location)
        self.name = self.location.name
        place = self.location
        parsed = place.partition_name if isinstance(place, TierPartition) else parse_partition_name(self.name)
        self.topic = parsed.topic
        self.partition = parsed.partition
        self.state: PartitionState = parsed.state
        self.prefix = prefix
        # A cached_property would give each partition a dictionary, and there may be 20,000 of them.
        self._listing = listing
        self._searched_place: Location | None = None
        self._segments: tuple[list[Segment], list[Segment]] | None = None
        self.checkpoints = checkpoints

    @property
    def segments(self) -> "list[Segment]":
        """The log in order of base offsets: the segments that Kafka would keep after completing interrupted work.

        Raises:
            SourceError: the directory, or a swap file in it, cannot be read.
        """
        return self._view[0]

    @property
    def other_segments(self) -> "list[Segment]":
        """Files outside the log: `.deleted`, `.cleaned`, replaced files, raft `.checkpoint` snapshots."""
        return self._view[1]

    def forget_segments(self) -> None:
        """Free the memory of the segments; they are made again from the listing when needed."""
        self._segments = None

    @cached_property
    def checkpointed_log_start_offset(self) -> int | None:
        """Entry of this partition in the log directory's log-start-offset-checkpoint, or None.

        Kafka writes one only where the log begins inside a segment (after DeleteRecords).

        Raises:
            CorruptError, UnsupportedError: the checkpoint file is broken.
        """
        return self._checkpointed(LOG_START_OFFSET_CHECKPOINT)

    @property
    def log_start_offset(self) -> int | None:
        """Lowest offset of the log: the first segment's base offset, or the checkpointed one if that is higher.

        None for a directory without live segments or checkpoint.
        """
        known = [self.checkpointed_log_start_offset, *(segment.base_offset for segment in self.segments[:1])]
        return max((offset for offset in known if offset is not None), default=None)

    @property
    def log_end_offset(self) -> int | None:
        """Offset that the next record would get; None for a directory without live segments.

        The last segment is read to find it, as by `next_offset`. If the log start offset is past all remaining records,
        the log ends there too.

        Raises:
            CorruptError, UnsupportedError: the log-start-offset-checkpoint is broken.
        """
        if not self.segments:
            return None
        known = [self.next_offset(), self.checkpointed_log_start_offset]
        return max((offset for offset in known if offset is not None), default=None)

    def next_offset(self) -> int | None:
        """Offset after `last_entry`; the base offset of an empty last segment, None without live segments.

        Raises:
            SourceError: a file cannot be read.
        """
        last = self.last_entry()
        base_offset = self.segments[-1].base_offset if self.segments else None
        return base_offset if last is None or last.last_offset is None else last.last_offset + 1

    def last_entry(self) -> "BatchHeader | None":
        """Header of the last entry of the last segment, or None.

        Damaged entries at the end are ignored, as recovery cuts them away. After a clean shutdown Kafka recovers
        nothing, so the last entry by headers counts, whatever its CRC.

        Raises:
            SourceError: a file cannot be read.
        """
        if not self.segments:
            return None
        last = self.segments[-1]
        is_kept = not isinstance(self.location, TierPartition) and is_loaded_as_it_is(self.location)
        return last.last_kept_entry() if is_kept else last.last_entry()

    @property
    def high_watermark(self) -> int | None:
        """Offset up to which the log was replicated, from the replication-offset-checkpoint, or None."""
        return self._checkpointed(HIGH_WATERMARK_CHECKPOINT)

    @property
    def cleaner_offset(self) -> int | None:
        """Offset up to which the cleaner has compacted, from cleaner-offset-checkpoint; None without an entry.

        Raises:
            KafkafmtError: as for `high_watermark`.
        """
        return self._checkpointed(CLEANER_CHECKPOINT)

    @property
    def left_out_below(self) -> int | None:
        """Offset below which kafkafmt left offsets out when it made this copy, from repair-offset-checkpoint.

        Raises:
            KafkafmtError: as for `high_watermark`.
        """
        return self._checkpointed(REPAIR_CHECKPOINT)

    @property
    def recovery_point(self) -> int | None:
        """Offset up to which the log was flushed, from the recovery-point-offset-checkpoint, or None."""
        return self._checkpointed(RECOVERY_POINT_CHECKPOINT)

    @property
    def leader_epochs(self) -> "Sequence[EpochEntry]":
        """Entries of the leader-epoch-checkpoint: each epoch and its start offset; empty without the file."""
        found = self.leader_epoch_checkpoint
        return found.entries if found else ()

    @property
    def leader_epoch_checkpoint(self) -> "LeaderEpochCheckpoint | None":
        """The leader-epoch-checkpoint, or None."""
        file = self._beside("leader-epoch-checkpoint")
        return leader_epoch_checkpoint.read(file) if file else None

    @property
    def topic_id(self) -> str | None:
        """Topic id in partition.metadata, as Kafka prints it; None without the file (before Kafka 2.8)."""
        file = self._beside("partition.metadata")
        return partition_metadata.read(file).topic_id if file else None

    @property
    def quorum_state(self) -> "QuorumState | None":
        """The raft election state beside the cluster metadata log, or None."""
        file = self._beside(quorum_state.FILE_NAME)
        return quorum_state.read(file) if file else None

    @property
    def producer_snapshots(self) -> "list[ProducerSnapshot]":
        """The live `.snapshot` files in order of their offsets; there may be one without a segment."""
        return [producer_snapshot.read(file) for _, file in self.producer_snapshot_files]

    @property
    def producer_snapshot_files(self) -> "list[tuple[int, Location]]":
        """Offset and location of each live `.snapshot` file, in order of their offsets; the files are not read."""
        snapshots = (entry for entry in self.listing if entry.name.endswith(".snapshot"))
        parsed = ((parse_segment_file_name(entry.name), entry) for entry in snapshots)
        names = sorted(
            (name.base_offset, entry.name)
            for name, entry in parsed
            if name and (name.kind, name.suffix) == ("snapshot", "") and entry.is_file
        )
        return [(offset, self._searched.child(name)) for offset, name in names]

    @property
    def remote_snapshot_files(self) -> "list[tuple[int, Location]]":
        """Snapshots of segments in remote storage, below the first local segment; none for a plain directory."""
        return []

    def find_offset(
        self,
        offset: int,
        *,
        trace: "Trace | None" = None,
        report: "Callable[[Damage], None] | None" = None,
    ) -> "EntryPlace | None":
        """Find the entry that a Fetch at `offset` begins with; None outside the log.

        Records below the log start offset are found too, while they are on disk.

        Args:
            offset: the wanted offset.
            trace: called with each step of the look-up, defined in `kafkafmt.logdir.trace`.
            report: called with damage on the way, after which the search continues at the next sound entry; a damaged
                entry that holds the offset by its header is still the result. None to raise damage.

        Raises:
            KafkafmtError: damage on the way, without `report`. Segments excluded by the indexes are not read.
        """
        return lookup.find_offset(self.segments, offset, trace, report)

    def find_timestamp(
        self,
        timestamp: Time,
        *,
        trace: "Trace | None" = None,
        report: "Callable[[Damage], None] | None" = None,
    ) -> "RecordTime | None":
        """Find the first record at or after a time, as ListOffsets does; None if there is none.

        The search begins at the log start offset, and control records count.

        Args:
            timestamp: ms since the epoch, a datetime (UTC if it has no zone), or ISO 8601.
            trace: as for `find_offset`.
            report: called with damage on the way, after which the search continues; None to raise it.

        Raises:
            KafkafmtError: damage on the way, without `report`. Segments excluded by the indexes are not read.
            TypeError: the time is of another type.
            ValueError: the text is not a time, or the number looks like seconds.
        """
        return self.first_at(milliseconds(timestamp, "timestamp"), trace=trace, report=report)

    def first_at(
        self,
        timestamp: int,
        *,
        trace: "Trace | None" = None,
        report: "Callable[[Damage], None] | None" = None,
    ) -> "RecordTime | None":
        """Find the first record at or after a time in ms, as `find_timestamp` does; a client may send any number."""
        return lookup.find_timestamp(self.segments, timestamp, self.log_start_offset or 0, trace, report)

    def find_max_timestamp(
        self,
        *,
        trace: "Trace | None" = None,
        report: "Callable[[Damage], None] | None" = None,
        end: int = INT64_MAX,
    ) -> "RecordTime | None":
        """Find the record with the largest timestamp, the first of several; None if no record has one.

        As Kafka answers ListOffsets for MAX_TIMESTAMP, records below the log start offset count too while they are on
        disk. Earliest and latest are `log_start_offset` and `log_end_offset`.

        Args:
            trace: as for `find_offset`.
            report: called with damage on the way, which is skipped; None to raise it.
            end: offset at which the log is treated as ended, as at an earlier time; batches must not have records on
                both sides.

        Raises:
            KafkafmtError: damage on the way, without `report`. Segments excluded by the indexes are not read.
        """
        return lookup.find_max_timestamp(self.segments, trace, report, end)

    def anchored(self) -> "Partition":
        """The same directory with the same listing, whose files are named by their whole path or URI."""
        location = self._searched.anchored()
        prefix = f"{str(location).rstrip('/')}/"
        if isinstance(location, TierPartition):
            return Partition(location, prefix=prefix, checkpoints=self.checkpoints)
        listing = [entry.anchored() for entry in self.listing]
        return Partition(location, prefix=prefix, listing=listing, checkpoints=self.checkpoints)

    def __repr__(self) -> str:
        return f"Partition({self.path!r})"

    @property
    def notes(self) -> "Sequence[Note]":
        """Notes on how its log was assembled from remote storage; empty for a local directory."""
        return self.location.log.notes if isinstance(self.location, TierPartition) else ()

    @property
    def listing(self) -> "Sequence[DirectoryEntry]":
        """The files in it, by name.

        Raises:
            SourceError: it cannot be listed.
        """
        if isinstance(self._searched, TierPartition):
            return self._searched.contents
        if self._listing is None:
            self._listing = self._searched.list()
        return self._listing

    @property
    def _searched(self) -> "Location":
        if self._searched_place is None:
            self._searched_place = self.location.searched()
        return self._searched_place

    @cached_property
    def _checkpoints(self) -> Checkpoints:
        return self.checkpoints or Checkpoints(self.location.parent)

    @property
    def _view(self) -> tuple[list[Segment], list[Segment]]:
        if self._segments is None:
            files = [entry for entry in self.listing if not entry.is_directory]
            logs = [self._segment(entry) for entry in files if is_log_file(entry.name)]
            chosen, left_out = choose_segments(logs, (entry.name for entry in files))
            snapshots = [self._segment(entry) for entry in files if is_raft_snapshot(entry.name)]
            self._segments = chosen, left_out + sorted(snapshots, key=lambda snapshot: snapshot.name)
        return self._segments

    def _segment(self, entry: "DirectoryEntry") -> Segment:
        if entry.called is not None:
            return Segment(entry.location, file=entry.called, size=entry.size)
        return Segment(self._searched.child(entry.name), file=self.prefix + entry.name, size=entry.size)

    def _beside(self, name: str) -> "Location | None":
        is_there = any(entry.name == name and entry.is_file for entry in self.listing)
        return self._searched.child(name) if is_there else None

    def _checkpointed(self, name: str) -> int | None:
        if isinstance(self.location, TierPartition):
            return self.location.log.log_start_offset if name == LOG_START_OFFSET_CHECKPOINT else None
        # A future replica has checkpoint entries like a live one. The entry of a deleted one may belong to a new topic
        # of the same name.
        if self.topic is None or self.partition is None or self.state in ("delete", "stray"):
            return None
        return self._checkpoints.offset(name, self.topic, self.partition)
