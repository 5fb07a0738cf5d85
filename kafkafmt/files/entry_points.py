"""Entry points: positions in a segment at which reading can begin, so that the bytes before them need not be read.

The offset index proposes some. It is not trusted: an entry with a valid CRC and a plausible header must begin there. A
walk over the headers finds the others.
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

# Number of index entries to try; if all of these are wrong, the index is not used.
_TRIES = 8
# Number of bytes that are read and checked at once.
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
    """Find where to begin reading a segment for an offset, so that all earlier entries are below the offset.

    Args:
        file: the log file.
        open_index: opens the offset index, or returns None; called only if the index can help.
        base_offset: base offset of the segment, or None if unknown.
        offset: the lowest wanted offset, or None for all.
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
    """Find the nearest position in the index with only lower offsets before it, or 0.

    The entry there has a valid CRC, does not begin above the offset, and, by the index's previous entry, is not inside
    a record of another entry. So the result is right wherever offsets rise, whatever the index says.

    Args:
        file: the log file.
        index: its offset index.
        offset: the lowest wanted offset.
        limits: bounds of an entry's size.
        trace: called with each step.

    Returns:
        A position in the log file, in bytes.

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
            # A wrapper states its last offset; its first offset, and so the index entry, may still be right.
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
    """Whether a whole entry with a valid CRC and a plausible header begins here, with space for another before it.

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

    The ranges grow, and only as many are looked up in the index as the caller consumes. Without index entries the
    headers are walked. That an entry begins where a range ends is proved only by the walk over the range, which must
    end there.

    Args:
        file: the log file.
        index: its offset index, or None.
        begin: position of the first entry of the first range.
        limits: bounds of an entry's size.

    Returns:
        Start and end of every range, in bytes.

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
    """Whether the log entry to which an index entry points is sound, and not part of a record in another entry.

    Raises:
        SourceError: reading failed.
    """
    try:
        _believed(file, index, number, limits)
    except DataError:
        return False
    return True


def _believed(file: File, index: RangedOffsetIndex, number: int, limits: Limits) -> Frame:
    """First fields of the log entry to which an index entry points.

    Raises:
        CorruptError: no sound entry begins there, or it is part of a record in another entry.
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
    """First fields of the whole entry at a position other than 0.

    Raises:
        KafkafmtError: no entry with a valid CRC and a plausible header begins there, or reading failed.
    """
    if not 0 < position <= file.size - HEADER_SIZE_UP_TO_MAGIC:
        raise CorruptError("it is outside the file", position=position)
    head = file.read_at(position, RECORD_BATCH_OVERHEAD)
    frame = read_frame(head)
    size = frame.size_in_bytes
    if frame.size < RECORD_OVERHEAD_V0 or size > min(file.size - position, limits.max_batch_bytes):
        raise CorruptError("the size there is not that of a batch", position=position, found=frame.size)
    entry = Entry(head[:size], position=position, first=partial(file.read_at, position))
    if not entry.is_plausible(entry.header()):
        raise CorruptError("the header there is not one of Kafka's", position=position)
    # Other bytes can look like a header, so the CRC decides.
    if size <= _AT_ONCE:
        entry.verify_checksum()
    else:
        _require_right_crc(file, position, frame, head)
    return frame


def _require_right_crc(file: File, position: int, frame: Frame, head: bytes) -> None:
    """Check the CRC of a large entry, holding only a part in memory: fresh pages cost more than reading.

    Raises:
        ChecksumError: the CRC is wrong.
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
    """Whether an index entry points into an entry of the log, as a short walk shows.

    A record's value may be a batch with a valid CRC. A walk over the headers, from where the previous index entry
    points, or from the start of the file if that is near, passes over such a batch. A walk that meets damage gives no
    answer.
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
    """Positions of entries, by their sizes alone; damage is skipped.

    Args:
        file: the log file.
        begin: position of the first entry.
        end: position at or after which no entry is yielded.
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
            del batches  # so that the next window reuses the memory
            yield from starts
        else:
            yield found


def _divided(file: File, begin: int, end: int, least: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """Divide a range if it is large; the last part comes first."""
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
