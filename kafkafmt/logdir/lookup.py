"""Where an offset or a time lies in a partition, as Kafka answers Fetch and ListOffsets; by a walk over headers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import CorruptError
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.record import Record

if TYPE_CHECKING:
    from kafkafmt.logdir.segment import Segment


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """Where a fetch at an offset begins.

    Attributes:
        file: name of the log file as the `file` column gives it.
        position: where in it the entry begins, in bytes.
        base_offset: of the entry (of a v0 or v1 wrapper the wrapper's own, which is its last).
        size_in_bytes: of the whole entry.
    """

    file: str
    position: int
    base_offset: int
    size_in_bytes: int


@dataclass(frozen=True, slots=True)
class RecordTime:
    """The first record at or after a time.

    Attributes:
        offset: of the record.
        timestamp: of the record, ms since the epoch.
        leader_epoch: partition leader epoch of its batch, -1 where the format has none.
    """

    offset: int
    timestamp: int
    leader_epoch: int


def find_offset(segments: Sequence["Segment"], offset: int) -> EntryPlace | None:
    """Find the first entry that reaches up to `offset`: in the segment the offset belongs to by name, or after it.

    None if the offset is at or beyond the end, or below the first segment.

    Raises:
        KafkafmtError: damage on the way.
    """

    def place(entry: Entry) -> EntryPlace | None:
        header = entry.describe()
        if header.last_offset is None:
            # Without a known layout nobody can tell how far the entry reaches.
            raise header.error or CorruptError("the entry does not tell its last offset")
        if header.last_offset < offset:
            return None
        return EntryPlace(segment.file, entry.position, entry.frame.offset, header.size_in_bytes)

    for segment in _from_floor(segments, offset):
        with segment.open() as file:
            for found in SegmentReader(file, name=segment.file).walk(place):
                if found is not None:
                    return found
    return None


def find_timestamp(segments: Sequence["Segment"], timestamp: int, log_start_offset: int) -> RecordTime | None:
    """Find the first record in log order at or after a time (ms) and at or above the log start offset.

    Control records count, as for Kafka's ListOffsets.

    Raises:
        KafkafmtError: damage on the way.
    """

    def search(entry: Entry) -> Record | None:
        header = entry.header()
        if header.max_timestamp is None or header.max_timestamp < timestamp:
            return None
        entry.verify_checksum()
        for record in entry.records(header=header):
            if record.timestamp >= timestamp and record.offset >= log_start_offset:
                return record
        return None

    for segment in _from_floor(segments, log_start_offset) or segments:
        with segment.open() as file:
            for record in SegmentReader(file, name=segment.file).walk(search):
                if record is not None:
                    return RecordTime(record.offset, record.timestamp, record.batch.partition_leader_epoch)
    return None


def _from_floor(segments: Sequence["Segment"], offset: int) -> Sequence["Segment"]:
    """The last segment whose base offset is not above `offset`, and those after it; none if the log begins above it."""
    floor = len(segments)
    for index, segment in enumerate(segments):
        if segment.base_offset is not None and segment.base_offset <= offset:
            floor = index
    return segments[floor:]
