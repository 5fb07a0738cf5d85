"""Kafka's largest timestamp of a segment (`LogSegment.largestTimestamp`), and the record that has it.

Kafka reads no record to find it: the last entry of the `.timeindex` decides, even if it is wrong. If there is no entry,
or its timestamp is -1, the time at which the `.log` file was last written decides. A start rebuilds a time index only
with the rest of the segment, if the `.index` is missing, or after an unclean shutdown if the segment may not have been
flushed; then the batches decide.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from kafkafmt.answer_columns import TIME, Named
from kafkafmt.errors import DataError
from kafkafmt.files.names import segment_file_name
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.time_index import LAYOUT
from kafkafmt.logdir.time_search import first_record_at, first_sound_record_at, largest_timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

TimeSource = Literal["time index", "file"]
"""Source of the largest timestamp; "time index" includes one that a start rebuilds."""


@dataclass(frozen=True, slots=True)
class LargestTimestamp:
    """The largest timestamp of a segment as Kafka sees it.

    Attributes:
        timestamp: largest timestamp as Kafka sees it, in ms since the epoch.
        source: where it comes from: "time index" or "file".
    """

    timestamp: Annotated[int, Named("largestTimestamp", TIME)]
    source: Annotated[TimeSource, Named("largestTimestampFrom", "string")]


class SegmentTimes:
    """The largest timestamps of the segments of one partition directory.

    Args:
        partition: the partition directory.
        clean_shutdown: whether its log directory has the mark of a clean shutdown.
        recovery_point: offset up to which the log was flushed; None without an entry, which `LogManager` treats as 0.
        report: called with damage, after which the search continues; None to raise it.
    """

    def __init__(
        self,
        partition: "Partition",
        *,
        clean_shutdown: bool,
        recovery_point: int | None = None,
        report: "Callable[[Damage], None] | None" = None,
    ) -> None:
        self._names: Collection[str] = {entry.name for entry in partition.listing if entry.is_file}
        self._clean = clean_shutdown
        self._recovery_point = recovery_point
        self._report = report

    def largest(self, segment: "Segment", following: "Segment | None") -> LargestTimestamp:
        """The largest timestamp of a segment; that of its file if no record has one.

        Args:
            segment: a segment of the partition.
            following: the next segment; None for the active segment.

        Raises:
            KafkafmtError: there is damage and no `report`, or a file cannot be read.
        """
        timestamp: int | None = None
        if self.is_recovered(segment, following):
            timestamp = self._by_batches(segment)
        elif self._has(segment, "timeindex"):
            timestamp = _last_slot(segment.location.sibling(self._name(segment, "timeindex")))
        if timestamp is not None and timestamp >= 0:
            return LargestTimestamp(timestamp, "time index")
        return LargestTimestamp(segment.location.modified() or 0, "file")

    def offset_of(self, segment: "Segment", largest: LargestTimestamp) -> int | None:
        """Offset of the first record with the largest timestamp; None if the file's time decides, or no record has it.

        Raises:
            KafkafmtError: as in `largest`.
        """
        if largest.source == "file":
            return None
        base_offset = segment.base_offset or 0
        try:
            found = first_record_at(segment, largest.timestamp, base_offset, only_times=True)
        except DataError:
            if self._report is None:
                raise
            found = first_sound_record_at(segment, None, largest.timestamp, base_offset, self._report)
        return found.offset if found is not None and found.timestamp == largest.timestamp else None

    def is_recovered(self, segment: "Segment", following: "Segment | None") -> bool:
        """Whether a start walks the batches and rebuilds the indexes; for a running broker the active segment."""
        if not self._has(segment, "index"):
            return True
        if self._clean:
            return False
        return following is None or (following.base_offset or 0) > (self._recovery_point or 0)

    def _by_batches(self, segment: "Segment") -> int | None:
        try:
            # With an offset index, the time index is trusted where batches confirm it.
            if self._has(segment, "index"):
                return largest_timestamp(segment)
            return max(map(_latest, segment.batches()), default=None)
        except DataError:
            if self._report is None:
                raise
        with segment.open() as file:
            reader = SegmentReader(
                file, name=segment.file, bounds=segment.bounds(), on_damage="skip", report=self._report
            )
            return max(reader.walk(lambda entry: _latest(entry.header())), default=None)

    def _has(self, segment: "Segment", kind: str) -> bool:
        return self._name(segment, kind) in self._names

    def _name(self, segment: "Segment", kind: str) -> str:
        """Name of an index beside a segment; that of its swap file if it is not renamed yet."""
        base_offset = segment.base_offset or 0
        swapped = segment_file_name(base_offset, kind, ".swap")
        return swapped if swapped in self._names else segment_file_name(base_offset, kind, segment.suffix)


def _latest(header: "BatchHeader") -> int:
    return -1 if header.max_timestamp is None else header.max_timestamp


def _last_slot(time_index: "Location") -> int | None:
    """Timestamp of the last whole entry of a time index, as Kafka reads it; None if the index is empty.

    Raises:
        SourceError: the file cannot be read.
    """
    with time_index.open() as file:
        last = file.size // LAYOUT.size - 1
        if last < 0:
            return None
        timestamp: int = LAYOUT.unpack(file.read_at(last * LAYOUT.size, LAYOUT.size))[0]
        return timestamp
