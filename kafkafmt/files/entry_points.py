"""Entry points: places in a segment to begin reading at, so that not all before them must be read.

The offset index offers some, and is not believed: an entry with a right CRC and a plausible header has to begin there,
and all that is ever taken from the index is where to look. A walk over the headers finds the others.
"""

from array import array
from collections.abc import Iterator
from functools import partial
from itertools import islice

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.ranged_offset_index import RangedOffsetIndex
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.source import File
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import (
    HEADER_SIZE_UP_TO_MAGIC,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    read_frame,
)

# So many entries of an index are tried; where they are all wrong, it is.
_TRIES = 8
_FIRST_STRETCH = 4 * 1024
_LONGEST_STRETCH = 4 * 1024 * 1024


def at_or_before(file: File, index: RangedOffsetIndex, offset: int, limits: Limits) -> int:
    """Find a place with nothing at or above an offset in front of it: the nearest that the index knows, or 0.

    The entry there has a right CRC and does not begin above the offset. So this holds wherever offsets go up, whatever
    the index says, but for one that points into a record whose value is a batch of such an offset.

    Args:
        file: the log file.
        index: its offset index.
        offset: the lowest that is wanted.
        limits: bounds of an entry's size.

    Returns:
        Its position in the log file, in bytes.

    Raises:
        SourceError: reading failed.
    """
    for position in islice(index.positions_backwards(index.count_up_to(offset)), _TRIES):
        first = _first_offset_at(file, position, limits)
        if first is not None and first <= offset:
            return position
    return 0


def stretches_from_end(
    file: File, index: RangedOffsetIndex | None, begin: int, limits: Limits
) -> Iterator[tuple[int, int]]:
    """Divide a segment into stretches that begin with an entry each, the last one first.

    The index is asked for as many as the caller takes, of growing size. Where it knows none, headers are walked over.
    That an entry begins where a stretch ends is told by walking over it: the walk must come out there.

    Args:
        file: the log file.
        index: its offset index, or None.
        begin: where the first entry of the first stretch begins.
        limits: bounds of an entry's size.

    Returns:
        Where each begins and where it ends, in bytes.

    Raises:
        SourceError: reading failed.
    """
    end = file.size
    least = max(_FIRST_STRETCH, file.worth_skipping // 16)
    wrong = 0
    for position in index.positions_backwards() if index is not None else ():
        if not begin < position <= end - least:
            continue
        if _first_offset_at(file, position, limits) is None:
            wrong += 1
            if wrong == _TRIES:
                break
            continue
        yield from _divided(file, position, end, least, limits)
        end = position
        least = min(2 * least, _LONGEST_STRETCH)
    if begin < end:
        yield from _divided(file, begin, end, least, limits)


def _first_offset_at(file: File, position: int, limits: Limits) -> int | None:
    """Offset that an entry begins with (of a wrapper its last), or None if no whole one is there."""
    if not 0 < position < file.size:
        return None
    head = file.read_at(position, RECORD_BATCH_OVERHEAD)
    if len(head) < HEADER_SIZE_UP_TO_MAGIC:
        return None
    frame = read_frame(head)
    size = frame.size_in_bytes
    if frame.size < RECORD_OVERHEAD_V0 or size > min(file.size - position, limits.max_batch_bytes):
        return None
    entry = Entry(head[:size], position=position, first=partial(file.read_at, position))
    try:
        plausible = entry.is_plausible(entry.header())
        # Other bytes can look like a header too.
        if plausible:
            entry.verify_checksum()
    except SourceError:
        raise
    except KafkafmtError:
        return None
    return frame.offset if plausible else None


def _divided(file: File, begin: int, end: int, least: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """A stretch in several if it is long, the last one first."""
    bounds = array("q", [begin])
    if end - begin > max(4 * least, file.worth_skipping):
        reader = SegmentReader(file, limits=limits, on_damage="skip")
        for position in reader.walk(lambda entry: entry.position, begin, end):
            if position - bounds[-1] >= least:
                bounds.append(position)
    for position in reversed(bounds):
        if end - position >= least or position == begin:
            yield position, end
            end = position
            least = min(2 * least, _LONGEST_STRETCH)
