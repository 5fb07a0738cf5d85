"""Split points: positions at which a log file can be divided into independent parts.

At each of them an entry with a valid CRC and a plausible header begins. The offset index proposes positions; a walk
over the headers finds others.
"""

from array import array
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt import columns
from kafkafmt.errors import DataError
from kafkafmt.files import entry_points
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.logdir.transactions import ENOUGH_BEYOND_THE_END
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC, Frame, read_frame
from kafkafmt.scanning.batching import record_batches
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.selection import Selection

if TYPE_CHECKING:
    from kafkafmt.files.offset_index import RangedOffsetIndex
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.scanning.file_selection import OffsetRange
    from kafkafmt.scanning.tasks import ScanTask

# Number of index entries to try for one split point before walking over headers.
_TRIES = 8


def ranges(
    file: "File",
    index: "RangedOffsetIndex | None",
    bounds: tuple[int, int],
    end_offset: int | None,
    most: int,
    limits: "Limits",
) -> Iterator[tuple[int, int]]:
    """Divide a file into ranges of similar size.

    Args:
        file: the log file.
        index: its offset index, or None.
        bounds: start of the first range and end of the last one, in bytes.
        end_offset: first unwanted offset, or None; no range begins where nothing wanted follows.
        most: upper bound of a range's size in bytes, which one entry may exceed.
        limits: bounds of an entry's size.

    Returns:
        Start and end of each range.

    Raises:
        SourceError: reading failed.
    """
    begin, end = bounds
    size = end - begin
    parts = -(-size // most)
    at, part = begin, 0
    while True:
        # If an entry is larger than a part, the next part begins after it.
        part = max(part + 1, (at - begin) * parts // size + 1)
        ideal = begin + size * part // parts
        if ideal - ideal % file.unit > at:
            ideal -= ideal % file.unit
        if ideal >= end:
            break
        cut = None if index is None else _by_index(file, index, (at + ideal) // 2, ideal, limits)
        if cut is None:
            cut = _by_headers(file, at, ideal, end, limits)
        if cut is None:
            break
        yield at, cut
        if end_offset is not None and is_beyond(file, cut, end_offset, limits):
            return
        at = cut
    yield at, end


def end_of_range(file: "File", index: "RangedOffsetIndex", offset: int, limits: "Limits") -> int:
    """Position where reading offsets below `offset` can end: at the first later batches in the index.

    Returns:
        A position in the log file, or its size.

    Raises:
        SourceError: reading failed.
    """
    # An entry of the index may state the last offset of its batch, which then begins below it.
    first = index.count_up_to(offset - 1)
    for number in range(first, min(first + _TRIES, len(index))):
        position = index.position(number)
        if entry_points.is_believed(file, index, number, limits) and is_beyond(file, position, offset, limits):
            return position
    return file.size


def is_beyond(file: "File", position: int, offset: int, limits: "Limits") -> bool:
    """Whether a walk would end here: several consecutive batches, all of format 2, begin at or past an offset."""

    def describe(entry: "Entry") -> "BatchHeader":
        return entry.describe()

    headers = SegmentReader(file, limits=limits, on_damage="raise").walk(describe, position)
    try:
        for count, header in enumerate(headers, 1):
            if header.magic != CURRENT_MAGIC or header.base_offset is None or header.base_offset < offset:
                return False
            if count == ENOUGH_BEYOND_THE_END:
                return True
    except DataError:
        return False  # a scan reports the damage, and needs as many consecutive batches after it
    return False


def _by_index(file: "File", index: "RangedOffsetIndex", above: int, ideal: int, limits: "Limits") -> int | None:
    """The last entry in the index at or below `ideal`, if it is above `above`."""
    last = index.count_up_to_position(ideal) - 1
    for number in range(last, max(last - _TRIES, -1), -1):
        position = index.position(number)
        if not above < position <= ideal:
            return None
        if entry_points.is_believed(file, index, number, limits):
            return position
    return None


def _by_headers(file: "File", at: int, ideal: int, end: int, limits: "Limits") -> int | None:
    """The last entry at or below `ideal`, else the first after it; always after the entry at `at`."""
    before: deque[int] = deque(maxlen=_TRIES)
    for position in entry_points.positions(file, at, end, limits):
        if position == at:
            continue
        if position <= ideal:
            before.append(position)
            continue
        while before:
            tried = before.pop()
            if entry_points.is_entry(file, tried, limits):
                return tried
        if entry_points.is_entry(file, position, limits):
            return position
    return next((tried for tried in reversed(before) if entry_points.is_entry(file, tried, limits)), None)


# Number of index entries to try for one cut.
_TRIES = 8
# The record count of a batch is trusted up to this many parts.
_MOST_UNSEEN = 100


class _Batch(NamedTuple):
    """An entry by its header; the first offset of a wrapper is assumed to follow the previous entry."""

    position: int
    size: int
    first: int
    last: int
    records: int
    magic: int = CURRENT_MAGIC

    def is_beyond(self, offsets: "OffsetRange") -> bool:
        """Whether a walk may end after this batch and another such batch."""
        return self.magic == CURRENT_MAGIC and offsets.end is not None and self.first >= offsets.end


@dataclass(frozen=True)
class RecordDivider:
    """Divides tasks by an upper bound of their records.

    Attributes:
        most_bytes: upper bound of a part's size in bytes, which one entry may exceed.
        most_records: upper bound of a part's records.
        limits: bounds of an entry's size.
    """

    most_bytes: int
    most_records: int
    limits: "Limits"

    def parts(self, task: "ScanTask", file: "File", index: "RangedOffsetIndex | None") -> "Iterator[ScanTask]":
        """Divide the task of an open file; a batch with more records than a part may have is in several parts.

        Between consecutive batches of format 2 the offsets in the index bound the number of records; elsewhere a walk
        over the headers counts them.

        Raises:
            SourceError: reading failed.
        """
        begin = task.begin
        while begin < task.stop:
            cut = None if index is None else self._by_index(task, file, index, begin)
            if cut is None:
                end = task.stop if index is None else self._next_in(index, file, begin, task.stop)
                is_over = yield from self._by_headers(task.part(begin, end, None), file)
            else:
                end, records = cut
                is_over = False
                yield task.part(begin, end, records)
            end_offset = task.offsets.end
            if is_over or (
                end_offset is not None and end < task.stop and is_beyond(file, end, end_offset, self.limits)
            ):
                return
            begin = end

    def _by_index(
        self, task: "ScanTask", file: "File", index: "RangedOffsetIndex", begin: int
    ) -> tuple[int, int] | None:
        """The furthest usable cut in the index after `begin`, and the number of records between them.

        None if there is no such cut.
        """
        first = _first_offset(task, file, begin)
        if first is None:
            return None
        by_offset = index.count_up_to(first + self.most_records)
        last = min(by_offset, index.count_up_to_position(min(begin + self.most_bytes, task.stop - 1))) - 1
        for number in range(last, max(last - _TRIES, -1), -1):
            position = index.position(number)
            if not begin < position < task.stop:
                return None
            frame = _frame(file, position)
            records = frame.offset - first
            is_near = frame.magic == CURRENT_MAGIC and 0 < records <= self.most_records
            if is_near and entry_points.is_believed(file, index, number, self.limits):
                return position, records
        return None

    def _next_in(self, index: "RangedOffsetIndex", file: "File", begin: int, end: int) -> int:
        """The next position in the index, or `end`."""
        first = index.count_up_to_position(begin)
        for number in range(first, min(first + _TRIES, len(index))):
            position = index.position(number)
            if begin < position < end and entry_points.is_believed(file, index, number, self.limits):
                return position
        return end

    def _by_headers(self, task: "ScanTask", file: "File") -> "Generator[ScanTask, None, bool]":
        """Divide by headers; return whether nothing wanted follows."""
        begin, records, beyond, after = task.begin, 0, 0, task.begin
        for batch in self._batches(file, task):
            wanted = _wanted(batch, task.offsets)
            beyond = beyond * (batch.position == after) + 1 if batch.is_beyond(task.offsets) else 0
            after = batch.position + batch.size
            is_cut = batch.position == begin
            is_over = beyond == ENOUGH_BEYOND_THE_END
            is_full = records + wanted > self.most_records or batch.position + batch.size - begin > self.most_bytes
            may_cut = is_over or is_full
            if not is_cut and may_cut and entry_points.is_entry(file, batch.position, self.limits):
                yield task.part(begin, batch.position, records)
                begin, records, is_cut = batch.position, 0, True
            if is_over and is_cut:
                return True
            records += wanted
            if records <= self.most_records or not is_cut:
                continue
            end = batch.position + batch.size
            if end < task.stop and not entry_points.is_entry(file, end, self.limits):
                continue
            yield from self._windows(task.part(begin, end, None), batch)
            begin, records = end, 0
        if begin < task.stop:
            yield task.part(begin, task.stop, records)
        return False

    def _windows(self, task: "ScanTask", batch: _Batch) -> "Iterator[ScanTask]":
        """Divide one batch into parts by its offsets; offsets outside the batch belong to the first and last part.

        If each offset has a record, offsets are counted. A header can claim any number, so where there would be many
        parts, or compaction left gaps, the batch is decoded; one that cannot be decoded is one part.
        """
        offsets, most = task.offsets, self.most_records
        first = batch.first if offsets.start is None else max(batch.first, offsets.start)
        end = batch.last + 1 if offsets.end is None else min(batch.last + 1, offsets.end)
        starts: Sequence[int] = range(first + most, end, most)
        # len(starts) would overflow where a header claims nearly all possible offsets.
        if end - first > _MOST_UNSEEN * most or batch.records != batch.last - batch.first + 1:
            held = array("q", sorted(self._offsets_in(task, batch)))
            # A part that begins outside the header's offsets would not be searched in this batch.
            starts = sorted({start for start in held[most::most] if first < start < end})
        counts = [min(most, stop - start) for start, stop in pairwise([first, *starts, end])]
        for number, (start, stop) in enumerate(pairwise([offsets.start, *starts, offsets.end])):
            window = replace(offsets, start=start, end=stop)
            is_reported = task.is_reported or number > 0
            yield replace(task, offsets=window, most_records=counts[number], is_reported=is_reported)

    def _offsets_in(self, task: "ScanTask", batch: _Batch) -> Iterator[int]:
        """Offsets of the wanted records of a batch; none if it is damaged, which the task that reads it reports."""
        alone = replace(
            task,
            offsets=replace(task.offsets, transactions=None),
            next_base_offset=None,
            is_last=True,
            begin=batch.position,
            end=batch.position + batch.size,
        )
        # The reader of the parts checks the CRC.
        reading = Pass(
            Selection(control_records=True),
            on_damage="skip",
            verify_checksums=False,
            limits=self.limits,
            report=lambda _: None,
            note=lambda _: None,
        )
        offsets = columns.select(["offset"])
        for rows in record_batches(reading.decode([alone], offsets), offsets):
            yield from rows.column(0).to_pylist()

    def _batches(self, file: "File", task: "ScanTask") -> Iterator[_Batch]:
        next_offset: int | None = None

        def visit(entry: "Entry") -> _Batch:
            header = entry.describe()
            position, size = entry.position, entry.frame.size_in_bytes
            last = entry.frame.offset if header.last_offset is None else header.last_offset
            first = next_offset if header.base_offset is None else header.base_offset
            if header.count is None and (first is None or not 0 <= last - first < self.most_records):
                # A wrapper that may hold more than a part: only its messages show how many.
                header = entry.describe(deep=True, limits=self.limits)
                first = header.base_offset
            if first is None or header.error is not None:
                return _Batch(position, size, last, last, 0, header.magic)
            return _Batch(
                position, size, first, last, last - first + 1 if header.count is None else header.count, header.magic
            )

        reader = SegmentReader(file, limits=self.limits, on_damage="skip", buffer=ReusedBuffer())
        for found in reader.bulk_walk(visit, task.begin, task.stop):
            for batch in _batches_in(found) if isinstance(found, ReadWindow) else (found,):
                next_offset = batch.last + 1
                yield batch


def _batches_in(window: ReadWindow) -> Iterator[_Batch]:
    """Take the ordinary batches of a window."""
    batches = window.batches()
    window.take(batches)
    headers = batches.headers
    columns = (
        batches.starts + batches.position,
        batches.ends - batches.starts,
        headers["base_offset"],
        batches.last_offsets,
        headers["num_records"],
    )
    return map(_Batch, *(column.tolist() for column in columns))


def _first_offset(task: "ScanTask", file: "File", begin: int) -> int | None:
    """A lower bound of all offsets after a cut; None if there is none, as in old formats."""
    if begin == 0:
        return task.base_offset
    frame = _frame(file, begin)
    return frame.offset if frame.magic == CURRENT_MAGIC else None


def _frame(file: "File", position: int) -> Frame:
    if file.size - position < HEADER_SIZE_UP_TO_MAGIC:
        return Frame(0, 0, -1)
    return read_frame(file.read_at(position, HEADER_SIZE_UP_TO_MAGIC))


def _wanted(batch: _Batch, offsets: "OffsetRange") -> int:
    """Upper bound of the number of wanted records in a batch."""
    first = batch.first if offsets.start is None else max(batch.first, offsets.start)
    end = batch.last + 1 if offsets.end is None else min(batch.last + 1, offsets.end)
    return max(0, min(batch.records, end - first))
