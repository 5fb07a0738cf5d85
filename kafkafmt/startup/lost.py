"""The losses of a start: the sound records, by their CRCs, in cut parts of log files and in deleted files.

A broker cuts a log at its first fault, and loses all records after it. To count them, this module continues after a
fault, as the other commands do: it searches for the next sound entry, also inside the bytes that a wrong length claims.
"""

import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.files.offset_order import OffsetFault, OffsetOrder
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment import take_batches
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.libraries import np
from kafkafmt.limits import Limits

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.reference.entry import Entry
    from kafkafmt.startup.outcome import LoadedLog
    from kafkafmt.startup.segment import LoadedSegment

_CONFIRMING = 2
"""Number of batches after a batch that can refute its offset."""


def count_lost(
    log: "LoadedLog", listing: "Collection[DirectoryEntry]", segments: "Collection[LoadedSegment]", *, falls: bool
) -> None:
    """Count the lost records of a log.

    Args:
        log: the loaded log, to which the count is added.
        listing: the files of the partition before the load.
        segments: the segments that remain.
        falls: whether the log end is below the last sound batch, although no byte is cut.

    Raises:
        SourceError: a file cannot be read.
    """
    # Usually all segments remain, perhaps a million, and need no look. Parts of a split file are not in the listing.
    whole = {segment.log for segment in segments if segment.size == (segment.log.size or 0)}.intersection(listing)
    kept: dict[str, list[tuple[int, int]]] = {}
    for segment in segments:
        if segment.log not in whole:
            kept.setdefault(segment.name, []).append((segment.origin, segment.origin + segment.size))
    bases = sorted(each.base_offset for each in segments) if falls else []
    # A log can end below the base offset of its last segment.
    reaching = {*bases[max(0, bisect_right(bases, log.log_end_offset) - 1) :]}
    for entry in listing:
        parsed = parse_segment_file_name(entry.name)
        if parsed is None or (parsed.kind, parsed.suffix) != ("log", "") or not entry.is_file:
            continue
        begin, size = 0, entry.size or 0
        stretches: list[tuple[int, int, int | None]] = []
        for low, high in () if entry in whole else (*sorted(kept.get(entry.path, ())), (size, size)):
            if begin < low:
                stretches.append((begin, low, None))
            begin = high
        if falls and not stretches and parsed.base_offset in reaching:
            stretches.append((0, size, log.log_end_offset))
        for low, high, from_offset in stretches:
            records, first = _lost_in(entry, parsed.base_offset, low, high, from_offset)
            log.lost_records += records
            if first is not None:
                log.first_lost_offset = first if log.first_lost_offset is None else min(first, log.first_lost_offset)
    if log.first_lost_offset is not None and log.truncate_from is not None:
        # Lost offsets begin at the cut, since unreadable batches may precede the first readable one.
        log.first_lost_offset = min(log.first_lost_offset, log.truncate_from)


def _lost_in(
    entry: "DirectoryEntry", base_offset: int, begin: int, end: int, from_offset: int | None = None
) -> tuple[int, int | None]:
    """Count the records lost in a range of bytes of a log file.

    Args:
        entry: the file.
        base_offset: the base offset in the file's name.
        begin: start of the range, in bytes.
        end: end of the range, in bytes.
        from_offset: only records from this offset on are counted, by the order of the batches; None for all.

    Returns:
        the number of records, and the lowest offset, or None if nothing is lost.

    Raises:
        SourceError: the file cannot be read.
    """
    damaged: list[Damage] = []
    lost = _Lost(base_offset, from_offset)
    limits = Limits()

    def count(entry: "Entry") -> _Batch:
        entry.verify_checksum()
        header = entry.header()
        place = header.position, header.size_in_bytes
        return _Batch(header.base_offset, header.last_offset or 0, *place, entry.count(header, limits))

    with entry.location.open() as file:
        reader = SegmentReader(
            file,
            name=entry.path,
            bounds=SegmentBounds(base_offset=base_offset),
            limits=limits,
            on_damage="skip",
            report=damaged.append,
            buffer=ReusedBuffer(),
        )
        for found in reader.bulk_walk(count, begin, end):
            for batch in _batches(found) if isinstance(found, ReadWindow) else (found,):
                lost.take(batch)
    lost.end()
    for each in damaged:
        if each.records and not each.is_open_end:
            lost.add(each.first_offset, each.last_offset, each.records)
    return lost.records, lost.first


class _Batch(NamedTuple):
    """A sound batch; the first offset of a wrapper (v0, v1) is not known."""

    first: int | None
    last: int
    position: int
    size: int
    records: int


class _Lost:
    """Counts lost records; a batch whose offset its neighbours refute counts at the offsets that it must have.

    Args:
        base_offset: base offset of the segment.
        from_offset: only records from this offset on are counted; None for all.

    Attributes:
        records: number of lost records.
        first: the lowest lost offset, or None.
    """

    def __init__(self, base_offset: int, from_offset: int | None) -> None:
        self.records = 0
        self.first: int | None = None
        self._from = from_offset
        self._faults: dict[int, OffsetFault] = {}
        self._order = OffsetOrder(SegmentBounds(base_offset=base_offset), self._note, most=sys.maxsize)
        self._waiting: deque[_Batch] = deque()

    def take(self, batch: _Batch) -> None:
        """Take the next batch, and count the one whose offset two later batches have confirmed."""
        self._order.see_offsets(batch.first, batch.last, batch.position, batch.size)
        self._waiting.append(batch)
        if len(self._waiting) > _CONFIRMING:
            self._count(self._waiting.popleft())

    def end(self) -> None:
        """Count the remaining batches."""
        self._order.end()
        while self._waiting:
            self._count(self._waiting.popleft())

    def add(self, first: int | None, last: int | None, records: int) -> None:
        """Count records with these offsets, of which one or both may be unknown."""
        if self._from is not None and last is not None:
            first = self._from if first is None else max(first, self._from)
            records = min(records, max(0, last - first + 1))
        self.records += records
        if records and first is not None:
            self.first = first if self.first is None else min(first, self.first)

    def _note(self, fault: OffsetFault) -> None:
        self._faults[fault.position] = fault

    def _count(self, batch: _Batch) -> None:
        fault = self._faults.pop(batch.position, None)
        known = None if fault is None else fault.range
        first, last = (batch.first, batch.last) if known is None else known
        self.add(last if first is None else first, last, batch.records)


def _batches(window: ReadWindow) -> Iterator[_Batch]:
    batches = take_batches(window, verify_checksums=True)
    if len(batches):
        headers = batches.headers
        columns = (
            headers["base_offset"],
            batches.last_offsets,
            batches.starts + batches.position,
            batches.ends - batches.starts,
            headers["num_records"].astype(np.int64),
        )
        yield from map(_Batch, *(column.tolist() for column in columns))
