"""Loss: the offsets and records that a damaged range of a log file costs, by its own header and its neighbours.

The header of a damaged batch may itself be damaged. It is trusted if its CRC is right for the bytes up to the end of
the range (then only the size or the magic is wrong), or if its fields agree with each other and with the neighbouring
batches. Otherwise only the neighbours bound the missing offsets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.io.base import File
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_BATCH_OVERHEAD,
    crc_span,
    is_compressed_message,
)

_SIZE_OFFSET = 8


@dataclass(frozen=True, slots=True)
class SegmentBounds:
    """The partition of a log file, and bounds of its offsets, from names of files and directories.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        base_offset: base offset of the segment, or None if unknown.
        next_base_offset: base offset of the next segment, or None if unknown.
        clean_end: for the last segment, the log end offset at a clean shutdown, from the recovery point; None without
            one.
    """

    topic: str | None = None
    partition: int | None = None
    base_offset: int | None = None
    next_base_offset: int | None = None
    clean_end: int | None = None


class Loss(NamedTuple):
    """The cost of a damaged range.

    Attributes:
        first_offset: lowest lost offset, or None if unknown or if nothing is lost.
        last_offset: highest lost offset, or None if unknown or if nothing is lost.
        records: number of lost records; None if unknown.
    """

    first_offset: int | None = None
    last_offset: int | None = None
    records: int | None = None


def last_offset_at(file: File, position: int) -> int | None:
    """Last offset of the whole entry at `position`, by its header; None if that cannot be read.

    Raises:
        SourceError: reading failed.
    """
    entry = _entry_at(file, position)
    if entry.frame.magic < CURRENT_MAGIC:
        return entry.frame.offset
    try:
        return entry.header().last_offset
    except (CorruptError, UnsupportedError):
        return None


def first_offset_at(file: File, position: int) -> int | None:
    """First offset of the whole entry at `position`, by its header; None for a wrapper, which does not state it.

    Raises:
        SourceError: reading failed.
    """
    entry = _entry_at(file, position)
    return None if _is_wrapper(entry) else entry.frame.offset


def loss_of(
    file: File,
    begin: int,
    end: int,
    before: int | None,
    after: int | None,
    crc32c: Callable[[int, int], int],
    *,
    is_tail: bool = False,
    is_garbage: bool = False,
    is_refuted: bool = False,
) -> Loss:
    """Compute the cost of a damaged range.

    Args:
        file: an open file.
        begin: start of the range, in bytes.
        end: end of the range.
        before: last offset before it, or None if unknown.
        after: first offset after it, or None if unknown.
        crc32c: computes the CRC-32C of the file's bytes from one position to another.
        is_tail: whether no whole entry claims these bytes: the file ends before the entry does, or has zeros or garbage
            there.
        is_garbage: whether no write leaves such a tail; then it may have replaced entries written after `before`.
        is_refuted: whether records were found that contradict their batch, so that its count may be wrong too.

    Raises:
        SourceError: reading failed.
    """
    if before is not None and after is not None and after <= before:
        before = after = None  # one of the neighbours is itself wrong
    around = Loss(None if before is None else before + 1, None if after is None else after - 1)
    room = _room(around)
    if room == 0:
        return Loss(records=0)
    known = None
    if RECORD_BATCH_OVERHEAD <= end - begin <= LOG_OVERHEAD + INT32_MAX:
        known = _of_batch(file, begin, end, around, crc32c, is_tail=is_tail, is_refuted=is_refuted)
    if known is None and end - begin > HEADER_SIZE_UP_TO_MAGIC:
        known = _of_message(file, begin, end, around)
    if known is not None:
        return known
    # Zeros or the first bytes of an entry at the end of a log do not prove a loss.
    return Loss() if is_tail and not is_garbage and after is None else around


def _of_batch(
    file: File,
    begin: int,
    end: int,
    around: Loss,
    crc32c: Callable[[int, int], int],
    *,
    is_tail: bool,
    is_refuted: bool,
) -> Loss | None:
    stored = _entry_at(file, begin)
    declared_end = begin + stored.frame.size_in_bytes
    is_claimed = stored.frame.magic == CURRENT_MAGIC and (declared_end == end or (is_tail and declared_end > end))
    base_offset = stored.frame.offset
    # Header fields outside the CRC are right if the fault is in bytes covered by the CRC.
    alone = None
    if is_claimed and _fits(base_offset, base_offset, around):
        alone = Loss(base_offset, around.last_offset)
    entry = stored if is_claimed else _mended(stored, end - begin)
    try:
        header = entry.header()
    except CorruptError:
        return alone
    first, last, count = header.base_offset, header.last_offset, header.count
    if first is None or last is None or count is None or not entry.is_plausible(header):
        return alone
    delta, room = last - first, _room(around)
    if crc32c(begin + crc_span(CURRENT_MAGIC)[1], end) == header.crc:
        if is_refuted and is_claimed and declared_end == end:
            count = None  # records contradict the batch, and only its count can be the reason
        if _fits(first, last, around):
            return Loss(first, last, count)
        return Loss(around.first_offset, around.last_offset, count) if room == delta + 1 else Loss(records=count)
    if not is_claimed:
        return None
    if room is not None and room != delta + 1 and room == count:
        # The count and the neighbours agree, so the last offset delta is wrong.
        return Loss(around.first_offset, around.last_offset, count)
    is_full = count == delta + 1
    if not _fits(first, last, around) or (room is None and not is_full):
        return alone  # the batch is compacted, or the count or the delta is wrong
    return Loss(first, last, count if is_full else None)


def _of_message(file: File, begin: int, end: int, around: Loss) -> Loss | None:
    entry = _entry_at(file, begin)
    if not 0 <= entry.frame.magic < CURRENT_MAGIC or begin + entry.frame.size_in_bytes != end:
        return None
    offset = entry.frame.offset
    if not _fits(offset, offset, around):
        return None
    if _room(around) == 1:
        return Loss(offset, offset, 1)
    # The codec may be the fault; the offset of a wrapper is that of its last record.
    return Loss(around.first_offset, offset)


def _entry_at(file: File, position: int) -> Entry:
    """The entry, with only as many bytes as a batch header has."""
    return Entry(file.read_at(position, RECORD_BATCH_OVERHEAD), None, position)


def _is_wrapper(entry: Entry) -> bool:
    return entry.frame.magic < CURRENT_MAGIC and is_compressed_message(entry.head)


def _mended(entry: Entry, size: int) -> Entry:
    """The same bytes as a record batch of this size."""
    head = bytearray(entry.head)
    head[_SIZE_OFFSET:LOG_OVERHEAD] = (size - LOG_OVERHEAD).to_bytes(4, "big", signed=True)
    head[MAGIC_OFFSET] = CURRENT_MAGIC
    return Entry(bytes(head))


def _room(around: Loss) -> int | None:
    if around.first_offset is None or around.last_offset is None:
        return None
    return around.last_offset - around.first_offset + 1


def _fits(first: int, last: int, around: Loss) -> bool:
    return (
        0 <= first <= last
        and (around.first_offset is None or first >= around.first_offset)
        and (around.last_offset is None or last <= around.last_offset)
    )
