"""The position of an offset or a time in a partition, as Kafka answers Fetch and ListOffsets (LocalLog, UnifiedLog).

A look-up chooses a segment by its name, searches its indexes for a start, and reads batch headers from there. An index
entry is checked against the log; if they disagree, the index is ignored, headers decide, and the trace says so.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.errors import CorruptError, DataError
from kafkafmt.files import entry_points
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import refuted
from kafkafmt.logdir.time_search import (
    RecordTime,
    first_record_at,
    first_sound_record_at,
    largest_record,
    largest_timestamp,
)
from kafkafmt.logdir.trace import (
    BytesScanned,
    EntryFound,
    NothingFound,
    ScanBegun,
    SegmentChosen,
    header_read,
    scan_reason,
)
from kafkafmt.reference.header import INT64_MAX, INT64_MIN

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.trace import Trace
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

__all__ = [
    "EntryPlace",
    "RecordTime",
    "find_max_timestamp",
    "find_offset",
    "find_timestamp",
    "floor",
    "next_record",
    "place_from",
]

_REASONS = ("the last one with a base offset at or below the offset", "the segment before it ends below the offset")


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """The position where a fetch at an offset begins.

    Attributes:
        file: name of the log file as the `file` column gives it.
        position: position of the entry in the file, in bytes.
        base_offset: base offset of the entry; of a v0 or v1 wrapper the wrapper's own offset, which is its last.
        size_in_bytes: size of the whole entry; None if its length is damaged.
        is_misplaced: whether the offset in its header is wrong; `base_offset` is then the true one, if the neighbouring
            entries show it.
    """

    file: str
    position: int
    base_offset: int
    size_in_bytes: int | None
    is_misplaced: bool = False


def floor(segments: Sequence["Segment"], offset: int) -> int:
    """Number of the last segment whose base offset is at or below an offset, by file names; -1 if none.

    Args:
        segments: segments in order of base offsets.
        offset: the wanted offset.
    """
    return bisect_right(segments, offset, key=lambda segment: segment.base_offset or 0) - 1


def place_from(
    segments: Sequence["Segment"], offset: int, report: "Callable[[Damage], None] | None" = None
) -> tuple[int, int]:
    """Number of a segment and position of an entry in it, after which all records from this offset on are found.

    Args:
        segments: the log, in order.
        offset: the wanted offset.
        report: as for `find_offset`; None to begin at the start of the segment if there is damage on the way.

    Raises:
        SourceError: a file cannot be read.
    """
    number = floor(segments, offset)
    if number < 0:
        return 0, 0
    try:
        place = find_offset(segments, offset, report=report)
    except DataError:
        return number, 0
    if place is None:
        return len(segments), 0
    return next(which for which, segment in enumerate(segments) if segment.file == place.file), place.position


def find_offset(
    segments: Sequence["Segment"],
    offset: int,
    trace: "Trace | None" = None,
    report: "Callable[[Damage], None] | None" = None,
) -> EntryPlace | None:
    """Find the first entry whose last offset is at or above `offset`, from the segment that the offset belongs to on.

    Args:
        segments: the log, in order.
        offset: the wanted offset.
        trace: called with each step.
        report: called with damage, after which the search continues at the next sound entry; a damaged entry that holds
            the offset is still the result. Offsets refuted by the neighbouring entries are damage, too. None to raise
            damage, and to trust offsets as stored.

    Returns:
        None if the offset is at or past the end, or below the first segment.

    Raises:
        KafkafmtError: damage on the way, without `report`; a file cannot be read.
    """
    first = floor(segments, offset)
    if first < 0:
        if trace is not None:
            trace(NothingFound("no segment has a base offset at or below the offset"))
        return None
    for number in range(first, len(segments)):
        segment = segments[number]
        if trace is not None:
            trace(SegmentChosen(segment.file, segment.base_offset or 0, _REASONS[number > first]))
        following = segments[number + 1] if number + 1 < len(segments) else None
        found = _entry_that_reaches(segment, following, offset, trace, report)
        if found is not None:
            if trace is not None:
                trace(EntryFound(found.file, found.position, found.base_offset, found.size_in_bytes))
            return found
    if trace is not None:
        trace(NothingFound("the log ends before the offset"))
    return None


def find_timestamp(
    segments: Sequence["Segment"],
    timestamp: int,
    log_start_offset: int,
    trace: "Trace | None" = None,
    report: "Callable[[Damage], None] | None" = None,
) -> RecordTime | None:
    """Find the first record in log order at or after a time and at or above the log start offset.

    Control records count, as for Kafka's ListOffsets. Kafka gives up if the segment that it chose by its largest
    timestamp has such a record only below the log start offset; this function continues with the next segments.

    Args:
        segments: the log, in order.
        timestamp: ms since the epoch.
        log_start_offset: lowest offset that counts.
        trace: called with each step.
        report: called with damage on the way, which is then skipped; None to raise it.

    Raises:
        KafkafmtError: damage, without `report`; a file cannot be read.
    """
    first = max(floor(segments, log_start_offset), 0)
    for number in range(first, len(segments)):
        segment = segments[number]
        if segment.latest_timestamp is not None and segment.latest_timestamp < timestamp:
            continue
        if trace is not None:
            reason = (
                "all earlier timestamps are below the time"
                if number > first
                else "by its name it holds the log start offset"
            )
            trace(SegmentChosen(segment.file, segment.base_offset or 0, reason))
        try:
            found = first_record_at(segment, timestamp, log_start_offset, trace, checks_order=report is not None)
        except DataError:
            if report is None:
                raise
            following = segments[number + 1] if number + 1 < len(segments) else None
            found = first_sound_record_at(segment, following, timestamp, log_start_offset, report, trace)
        if found is not None:
            return found
    if trace is not None:
        trace(NothingFound("no record has such a late timestamp"))
    return None


def find_max_timestamp(
    segments: Sequence["Segment"],
    trace: "Trace | None" = None,
    report: "Callable[[Damage], None] | None" = None,
    end: int = INT64_MAX,
) -> RecordTime | None:
    """Find the record with the largest timestamp, the first of several, also below the log start offset, as Kafka does.

    Kafka gives up if the batch that it chose by its header no longer has a record with that timestamp; this function
    finds the largest timestamp of a record.

    Args:
        segments: the log, in order.
        trace: called with each step.
        report: called with damage on the way, which is then skipped; None to raise it.
        end: offset at which the log is treated as ended; batches must not have records on both sides.

    Returns:
        None if no record has a timestamp.

    Raises:
        KafkafmtError: damage, without `report`; a file cannot be read.
    """
    largest: list[int] = []
    decoded: set[int] = set()
    for number, segment in enumerate(segments):
        if number and (segment.base_offset or 0) >= end:
            break
        if trace is not None:
            trace(SegmentChosen(segment.file, segment.base_offset or 0, "to compare its largest timestamp"))
        try:
            largest.append(largest_timestamp(segment, trace))
        except DataError:
            if report is None:
                raise
            record = largest_record(segment, report=report, end=end)
            largest.append(-1 if record is None else record.timestamp)
            decoded.add(number)
    while max(largest, default=-1) >= 0:
        latest = max(largest)
        number = largest.index(latest)
        segment = segments[number]
        if trace is not None:
            reason = f"its largest timestamp, {latest}, is the largest of the log"
            trace(SegmentChosen(segment.file, segment.base_offset or 0, reason))
        if number in decoded:
            return largest_record(segment, trace, report, end)
        found = None
        try:
            found = first_record_at(segment, latest, INT64_MIN, trace, checks_order=report is not None)
        except DataError:
            if report is None:
                raise
        if found is not None and found.offset < end:
            return found
        # Its headers promise more than its records before the end have, so the records decide. Each segment gets here
        # once.
        decoded.add(number)
        largest_found = largest_record(segment, report=report, end=end)
        largest[number] = -1 if largest_found is None else largest_found.timestamp
    if trace is not None:
        trace(NothingFound("no record has a timestamp"))
    return None


def next_record(
    segments: Sequence["Segment"], place: EntryPlace, offset: int, report: "Callable[[Damage], None]"
) -> int | None:
    """The first offset at or after `offset` that a record has, searched from the entry with which a fetch begins.

    It is the offset itself, unless compaction, a deleted segment or damage has removed it. The CRC of the entry that
    holds the record is checked, and of those that are decoded before it.

    Args:
        segments: the log, in order.
        place: the result of `find_offset` for the offset.
        offset: the wanted offset.
        report: called with damage on the way, which is skipped.

    Returns:
        None if no record follows.

    Raises:
        SourceError: a file cannot be read.
    """

    def later(entry: "Entry") -> tuple["BatchHeader", list[int]]:
        entry.verify_checksum()
        header = entry.header()
        return header, [each for each, _ in entry.times(header) if each >= offset]

    begin = place.position + (place.size_in_bytes or 0 if place.is_misplaced else 0)
    number = next(number for number, segment in enumerate(segments) if segment.file == place.file)
    for at in range(number, len(segments)):
        segment = segments[at]
        following = segments[at + 1] if at + 1 < len(segments) else None
        with segment.open() as file:
            reader = segment.reader(file, following, limits=Limits(), on_damage="skip", report=report)
            before: deque[BatchHeader] = deque(maxlen=2)
            for header, offsets in reader.walk(later, begin):
                is_known = at == number and header.position == place.position
                damage = refuted(segment, file, following, before, header) if offsets and not is_known else None
                if offsets and damage is None:
                    return min(offsets)
                if damage is not None:
                    report(damage)
                before.append(header)
        begin = 0
    return None


def _entry_that_reaches(
    segment: "Segment",
    following: "Segment | None",
    offset: int,
    trace: "Trace | None",
    report: "Callable[[Damage], None] | None",
) -> EntryPlace | None:
    """The first entry of a segment whose last offset is at or above `offset`."""
    damaged: EntryPlace | None = None

    def tell(damage: "Damage") -> None:
        nonlocal damaged
        if damaged is not None and damage.position == damaged.position and damage.length != damaged.size_in_bytes:
            damaged = replace(damaged, size_in_bytes=None)
        if report is not None:
            report(damage)

    def place(entry: "Entry") -> tuple["BatchHeader", EntryPlace | None]:
        nonlocal damaged
        header = entry.describe()
        if header.last_offset is None:
            # An entry of an unknown format has no known last offset.
            raise header.error or CorruptError("the entry has no last offset")
        reaches = header.last_offset >= offset
        if trace is not None:
            trace(header_read(segment.file, header, may_hold=reaches))
        if not reaches:
            return header, None
        found = EntryPlace(segment.file, entry.position, entry.frame.offset, header.size_in_bytes)
        if report is not None:
            if damaged is None and header.base_offset is not None and header.base_offset <= offset:
                damaged = found  # unless it is sound, or a sound one follows that holds the offset
            entry.verify_checksum()
        return header, found

    with segment.open() as file:
        open_index = partial(segment.ranged_offset_index, trace)
        begin = entry_points.begin(file, open_index, segment.base_offset, offset, Limits(), trace)
        if trace is not None:
            trace(ScanBegun(segment.file, begin, scan_reason(begin)))
        reader = segment.reader(
            file,
            # Kafka's look-up stops at an incomplete entry in any segment, so this one does not treat it as damage.
            None if report is None else following,
            limits=Limits(),
            on_damage="raise" if report is None else "skip",
            report=tell,
            checks_lengths=True,
        )
        before: deque[BatchHeader] = deque(maxlen=2)
        sound: EntryPlace | None = None
        for header, found in reader.walk(place, begin):
            if header.base_offset is None or header.base_offset <= offset:
                damaged = None
            wrong = None if report is None or found is None else refuted(segment, file, following, before, header)
            if found is not None and wrong is None:
                sound = found
                break
            if found is not None and wrong is not None:
                tell(wrong)
                first, last = wrong.first_offset, wrong.last_offset
                first, last = (header.base_offset, header.last_offset) if first is None else (first, last)
                if first is not None and last is not None and first <= offset <= last:
                    damaged = replace(found, base_offset=first, is_misplaced=True)
            before.append(header)
        if trace is not None:
            trace(BytesScanned(segment.file, begin, reader.position))
    return damaged or sound
