"""Entry points: positions in a segment at which reading can begin, so that the bytes before them need not be read.

The offset index proposes some and is not trusted: an entry with a right CRC and a plausible header must begin there.
A walk over the headers finds the others.
"""

from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.errors import CorruptError, DataError, KafkafmtError
from kafkafmt.files.index_steps import IndexNotBelieved, Trace
from kafkafmt.files.offset_index import RangedOffsetIndex
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    Frame,
    crc_span,
    read_frame,
    require_equal_crcs,
    stored_crc,
)

# Entries of an index that are tried; if all of these are wrong, the index is not used.
_TRIES = 8
# Bytes that are read and checked at once.
_AT_ONCE = 64 * 1024
_LEAST_RANGE = 4 * 1024
_LARGEST_RANGE = 4 * 1024 * 1024


def begin(
    file: File,
    open_index: Callable[[], AbstractContextManager[RangedOffsetIndex | None]],
    base_offset: int | None,
    offset: int | None,
    limits: Limits,
    trace: Trace | None = None,
) -> int:
    """Find where to begin in a segment for an offset: all entries before are below it.

    Args:
        file: the log file.
        open_index: opens its offset index, or gives None; asked only if that can help.
        base_offset: of the segment, or None if that is unknown.
        offset: the lowest that is wanted, or None for all.
        limits: bounds of an entry's size.
        trace: called with each step.

    Returns:
        A position in the log file, in bytes; see `at_or_before`.

    Raises:
        SourceError: reading failed.
    """
    if offset is None or base_offset is None or offset <= base_offset:
        return 0
    with open_index() as index:
        return 0 if index is None else at_or_before(file, index, offset, limits, trace)


def at_or_before(file: File, index: RangedOffsetIndex, offset: int, limits: Limits, trace: Trace | None = None) -> int:
    """Find a position with only lower offsets before it: the nearest that the index knows, or 0.

    The entry there has a right CRC and does not begin above the offset, and by the index's entry before it is not
    inside a record of another. So the answer is right wherever offsets go up, whatever the index says.

    Args:
        file: the log file.
        index: its offset index.
        offset: the lowest that is wanted.
        limits: bounds of an entry's size.
        trace: called with each step.

    Returns:
        Its position in the log file, in bytes.

    Raises:
        SourceError: reading failed.
    """
    count = index.count_up_to(offset, trace)
    if index.finding is not None:
        if trace is not None:
            trace(IndexNotBelieved(index.name, index.kind, None, finding=index.finding))
        return 0
    for number in range(count - 1, max(count - 1 - _TRIES, -1), -1):
        if trace is not None:
            trace(index.chosen(number))
        position = index.position(number)
        if position == number == 0:
            return 0
        doubt: KafkafmtError | None = None
        try:
            frame = _believed(file, index, number, limits)
            if frame.offset <= offset:
                return position
            # A wrapper states its last offset: its first, and so the entry of the index, may be right all the same.
            if frame.magic >= CURRENT_MAGIC:
                doubt = _doubt(index, number, "the batch to which the index points starts above its offset")
        except DataError as error:
            doubt = error
        if trace is not None:
            trace(IndexNotBelieved(index.name, index.kind, number, finding=doubt))
    if trace is not None and count == 0:
        trace(index.chosen(None))
    return 0


def is_entry(file: File, position: int, limits: Limits) -> bool:
    """Whether a whole entry with a right CRC and a plausible header begins here, and leaves space for one before it.

    Raises:
        SourceError: reading failed.
    """
    try:
        _frame_at(file, position, limits)
    except DataError:
        return False
    return True


def ranges_from_end(
    file: File, index: RangedOffsetIndex | None, begin: int, limits: Limits
) -> Iterator[tuple[int, int]]:
    """Divide a segment into ranges that begin with an entry each, the last one first.

    They grow, and only as many are looked up in the index as the caller consumes. Without index entries headers are
    walked over. That an entry begins where a range ends, only the walk over the range proves: it must end there.

    Args:
        file: the log file.
        index: its offset index, or None.
        begin: where the first entry of the first range begins.
        limits: bounds of an entry's size.

    Returns:
        Start and end of every entry, in bytes.

    Raises:
        SourceError: reading failed.
    """
    end = file.size
    least = max(_LEAST_RANGE, file.worth_skipping // 16)
    wrong = 0
    if index is not None:
        for number in reversed(range(len(index))):
            position = index.position(number)
            if not begin < position <= end - least:
                continue
            if is_believed(file, index, number, limits):
                yield from _divided(file, position, end, least, limits)
                end = position
                least = min(2 * least, _LARGEST_RANGE)
                continue
            wrong += 1
            if wrong == _TRIES:
                break
    if begin < end:
        yield from _divided(file, begin, end, least, limits)


def is_believed(file: File, index: RangedOffsetIndex, number: int, limits: Limits) -> bool:
    """Whether the log entry at an index entry's position is sound, and not part of a record in another.

    Raises:
        SourceError: reading failed.
    """
    try:
        _believed(file, index, number, limits)
    except DataError:
        return False
    return True


def _believed(file: File, index: RangedOffsetIndex, number: int, limits: Limits) -> Frame:
    """Beginning of the log entry at an index entry's position.

    Raises:
        CorruptError: no sound one begins there, or it is part of a record in another.
        SourceError: reading failed.
    """
    position = index.position(number)
    try:
        frame = _frame_at(file, position, limits)
    except DataError as error:
        message = f"no sound batch starts where the index points: {error.message}"
        raise _doubt(index, number, message) from None
    if _is_inside_another(file, index, number, limits):
        raise _doubt(index, number, "the index points into an entry of the log")
    return frame


def _doubt(index: RangedOffsetIndex, number: int, message: str) -> CorruptError:
    return CorruptError(
        message,
        file=index.name,
        position=number * index.slot_size,
        found=f"position {index.position(number)}",
    )


def _frame_at(file: File, position: int, limits: Limits) -> Frame:
    """Beginning of the whole entry at a position that is not the first.

    Raises:
        KafkafmtError: none with a right CRC and a plausible header begins there, or reading failed.
    """
    if not 0 < position <= file.size - HEADER_SIZE_UP_TO_MAGIC:
        raise CorruptError("it is outside the file", position=position)
    head = file.read_at(position, RECORD_BATCH_OVERHEAD)
    frame = read_frame(head)
    size = frame.size_in_bytes
    if frame.size < RECORD_OVERHEAD_V0 or size > min(file.size - position, limits.max_batch_bytes):
        raise CorruptError("the size there fits no batch", position=position, found=frame.size)
    entry = Entry(head[:size], position=position, first=partial(file.read_at, position))
    if not entry.is_plausible(entry.header()):
        raise CorruptError("the header there is not one of Kafka's", position=position)
    # Other bytes can look like a header too.
    if size <= _AT_ONCE:
        entry.verify_checksum()
    else:
        _require_right_crc(file, position, frame, head)
    return frame


def _require_right_crc(file: File, position: int, frame: Frame, head: bytes) -> None:
    """Compare the CRC of a large entry, of which no more than a part is in memory: fresh pages cost more than reading.

    Raises:
        ChecksumError: it is wrong.
        SourceError: reading failed.
    """
    checksum = crc32c if frame.magic >= CURRENT_MAGIC else crc32
    end = position + frame.size_in_bytes
    at = position + crc_span(frame.magic)[1]
    buffer = memoryview(bytearray(max(_AT_ONCE, file.worth_skipping)))
    crc = 0
    while at < end:
        part = buffer[: end - at]
        at += file.readinto_at(at, part)
        crc = checksum(part, crc)
    require_equal_crcs(stored_crc(head, frame.magic), crc)


def _is_inside_another(file: File, index: RangedOffsetIndex, number: int, limits: Limits) -> bool:
    """Whether an entry of the index points into an entry of the log, by a short walk.

    A record's value may be a batch with a right CRC. A walk over the headers from where the index's entry before points
    to passes it over; from the start of the file if that is near. A walk that meets damage gives no answer.
    """
    position = index.position(number)
    begin = index.position(number - 1) if number and position > file.worth_skipping else 0
    if not 0 <= begin < position or position - begin > _LARGEST_RANGE:
        return False
    reader = SegmentReader(file, limits=limits)
    last: Entry | None = None
    try:
        for last in reader.walk(lambda entry: entry, begin, position):  # noqa: B007 (the last one is wanted)
            pass
        if last is None or reader.position <= position:
            return False
        last.verify_checksum()
    except DataError:
        return False
    return True


def positions(file: File, begin: int, end: int, limits: Limits) -> Iterator[int]:
    """Where entries begin, by their sizes alone; damage is skipped.

    Args:
        file: the log file.
        begin: where the first entry begins.
        end: no entry is given that begins here or later.
        limits: bounds of an entry's size.

    Raises:
        SourceError: reading failed.
    """
    reader = SegmentReader(file, limits=limits, on_damage="skip", buffer=ReusedBuffer())
    for found in reader.bulk_walk(lambda entry: entry.position, begin, end):
        if isinstance(found, ReadWindow):
            batches = found.batches()
            found.take(batches)
            starts: list[int] = (batches.starts + batches.position).tolist()
            del batches  # so that the next window has the same memory
            yield from starts
        else:
            yield found


def _divided(file: File, begin: int, end: int, least: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """A range in several if it is large, the last one first."""
    bounds = array("q", [begin])
    if end - begin > max(4 * least, file.worth_skipping):
        for position in positions(file, begin, end, limits):
            if position - bounds[-1] >= least:
                bounds.append(position)
    for position in reversed(bounds):
        if end - position >= least or position == begin:
            yield position, end
            end = position
            least = min(2 * least, _LARGEST_RANGE)
