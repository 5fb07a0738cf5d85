"""Cuts: where a log file can be cut, for each part to be read by itself.

An entry with a right CRC and a plausible header begins at each cut. The offset index says where to look; what it does
not know, a walk over the headers finds.
"""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import read_batches
from kafkafmt.errors import DataError
from kafkafmt.files import entry_points
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.stretch import ReusedBuffer
from kafkafmt.logdir.transactions import ENOUGH_BEYOND_THE_END
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from kafkafmt.files.offset_index import RangedOffsetIndex
    from kafkafmt.files.stretch import Stretch
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

# So many places are tried for one cut, before another way is gone.
_TRIES = 8


def stretches(
    file: "File",
    index: "RangedOffsetIndex | None",
    bounds: tuple[int, int],
    end_offset: int | None,
    most: int,
    limits: "Limits",
) -> Iterator[tuple[int, int]]:
    """Cut a file into stretches of about the same size.

    Args:
        file: the log file.
        index: its offset index, or None.
        bounds: where the first stretch begins, and the last one ends, in bytes.
        end_offset: first offset that is not wanted, or None; they end in front of a cut with nothing else behind it.
        most: bytes that a stretch has at most, or one entry more.
        limits: bounds of an entry's size.

    Returns:
        Where each begins and ends.

    Raises:
        SourceError: reading failed.
    """
    begin, end = bounds
    size = end - begin
    parts = -(-size // most)
    at, part = begin, 0
    while True:
        # Where an entry is larger than a part, the next part begins behind it.
        part = max(part + 1, (at - begin) * parts // size + 1)
        ideal = begin + size * part // parts
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
    """Where reading for offsets below `offset` can end: in front of the first batches beyond it that the index knows.

    Returns:
        A position in the log file, or its size.

    Raises:
        SourceError: reading failed.
    """
    # An entry of the index may state the last offset of what begins there, which then begins below it.
    first = index.count_up_to(offset - 1)
    for number in range(first, min(first + _TRIES, len(index))):
        position = index.position(number)
        if entry_points.is_believed(file, index, number, limits) and is_beyond(file, position, offset, limits):
            return position
    return file.size


def is_beyond(file: "File", position: int, offset: int, limits: "Limits") -> bool:
    """Whether a walk would end here: several batches in a row, all of format 2, begin at an offset or beyond it."""

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
        return False  # a scan reports it, and looks behind it again for as many in a row
    return False


def _by_index(file: "File", index: "RangedOffsetIndex", above: int, ideal: int, limits: "Limits") -> int | None:
    """The last entry up to `ideal` that the index knows, if it lies above `above`."""
    last = index.count_up_to_position(ideal) - 1
    for number in range(last, max(last - _TRIES, -1), -1):
        position = index.position(number)
        if not above < position <= ideal:
            return None
        if entry_points.is_believed(file, index, number, limits):
            return position
    return None


def _by_headers(file: "File", at: int, ideal: int, end: int, limits: "Limits") -> int | None:
    """The last entry up to `ideal`, else the first behind it; from the one at `at` on."""
    before: deque[int] = deque(maxlen=_TRIES)
    for position in _positions(file, at, end, limits):
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


def _positions(file: "File", begin: int, end: int, limits: "Limits") -> Iterator[int]:
    """Where entries begin, as their sizes tell."""

    def take(stretch: "Stretch") -> "Iterator[list[int]]":
        batches = read_batches(stretch.data, 0, stretch.position, limits)
        if len(batches):
            stretch.taken = int(batches.ends[-1])
            yield (batches.starts + stretch.position).tolist()

    def visit(entry: "Entry") -> list[int]:
        return [entry.position]

    reader = SegmentReader(file, limits=limits, on_damage="skip", buffer=ReusedBuffer())
    for positions in reader.walk(visit, begin, end, take=take):
        yield from positions
