"""Raw bytes: a pattern searched in a range of a file, and compressed batches hidden in a damaged range."""

import re
from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from kafkafmt.codec.compression import LABELS
from kafkafmt.errors import CorruptError, DataError, TruncatedError, UnsupportedError
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import (
    COMPRESSION,
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    RECORD_OVERHEAD_V0,
    read_frame,
)
from kafkafmt.searching.pattern import Pattern

_WINDOW: Final = 4 * 1024 * 1024
LONGEST_MATCH: Final = 64 * 1024
"""Matches of an expression that are longer than this many bytes may be cut at the borders of windows."""

_ATTRIBUTES: Final = {0: 17, 1: 17, 2: 22}
_TOKEN = re.compile(r"\\(.)|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|([\^$])", re.DOTALL)


def spans_in(
    file: File, begin: int, end: int, pattern: Pattern, *, overlapping: bool = False
) -> Iterator[tuple[int, int]]:
    """Start and end of matches that have at least one byte in a range of a file, from left to right.

    Args:
        file: an open file.
        begin: start of the range, in bytes.
        end: end of the range.
        pattern: the search.
        overlapping: whether a string is also found where it overlaps with the previous match.

    Raises:
        SourceError: the file cannot be read.
    """
    reach = LONGEST_MATCH if pattern.needle is None else max(0, len(pattern.needle) - 1)
    position = max(0, begin - reach)
    stop = min(file.size, end + reach)
    last_end = position
    in_zeros = any(matches_in(bytes(2 * reach + 1), pattern))
    while position < min(stop, end):
        if not in_zeros:
            # Holes read as zeros. Apart from matches of zeros only, none begins earlier than its length before the next
            # data.
            position = max(position, file.next_data(position) - reach)
        window = file.read_at(position, min(_WINDOW + reach, stop - position))
        for first, after in matches_in(window, pattern):
            span = position + first, position + after
            if first < _WINDOW and span[0] < end and span[1] > begin and span[0] >= last_end:
                last_end = span[0] if overlapping and pattern.needle is not None else span[1]
                yield span
        position += _WINDOW


def matches_in(data: bytes | memoryview, pattern: Pattern) -> Iterator[tuple[int, int]]:
    """Start and end of matches in some bytes, from left to right; for a string all, including overlapping ones."""
    needle = pattern.needle
    held = data if isinstance(data, bytes) else bytes(data)
    if needle is None:
        if pattern.matches(pa.array([held], pa.binary()))[0].as_py():
            yield from pattern.spans(held)
        return
    first = held.find(needle)
    while first >= 0:
        yield first, first + len(needle)
        first = held.find(needle, first + 1)


def has_anchors(expression: str) -> bool:
    """Whether an expression is anchored to the start or end of a value or word."""
    return any(found[2] or (found[1] and found[1] in "AzbB") for found in _TOKEN.finditer(expression))


def hidden_entries(file: File, begin: int, end: int, limits: Limits) -> Iterator[Entry | DataError]:
    """Compressed batches in a damaged range, whatever their CRC; or the error of decompressing its bytes.

    Uncompressed batches have no bytes but those that are stored.

    Args:
        file: an open file.
        begin: start of the range, in bytes.
        end: end of the range.
        limits: bounds of decoding.

    Raises:
        SourceError: the file cannot be read.
    """
    while begin < end:
        lost = file.lost(begin, end)
        if lost is not None:
            yield lost
            return
        head = file.read_at(begin, min(end - begin, 64))
        if len(head) < HEADER_SIZE_UP_TO_MAGIC or not any(head):
            return
        frame = read_frame(head)
        error: DataError | None = None
        if frame.magic not in _ATTRIBUTES:
            error = UnsupportedError("not a batch of a known format", found=f"magic {frame.magic}")
            yield error.at(file.name, begin)
            return
        if frame.size_in_bytes < LOG_OVERHEAD + RECORD_OVERHEAD_V0:
            return
        size = min(frame.size_in_bytes, end - begin)
        attributes = _ATTRIBUTES[frame.magic]
        codec = head[attributes] & COMPRESSION if attributes < len(head) else 0
        if codec and codec not in LABELS:
            error = CorruptError("a batch of an unknown codec", found=codec)
        elif codec and size < frame.size_in_bytes:
            error = TruncatedError(f"a batch compressed with {LABELS[codec]} is cut off")
        elif codec and size > limits.max_batch_bytes:
            error = CorruptError("a compressed batch is larger than max_batch_bytes", found=size)
        if error is not None:
            yield error.at(file.name, begin)
        elif codec:
            yield Entry(file.read_at(begin, size), file.name, begin)
        begin += size


def is_a_log(file: File) -> bool:
    """Whether a file begins with a batch whose CRC is correct, whatever the file's name is.

    Raises:
        SourceError: the file cannot be read.
    """
    head = file.read_at(0, HEADER_SIZE_UP_TO_MAGIC)
    if len(head) < HEADER_SIZE_UP_TO_MAGIC:
        return False
    frame = read_frame(head)
    limit = Limits().max_batch_bytes
    if frame.magic not in range(CURRENT_MAGIC + 1) or not RECORD_OVERHEAD_V0 <= frame.size <= min(file.size, limit):
        return False
    try:
        Entry(file.read_at(0, frame.size_in_bytes), file.name).verify_checksum()
    except DataError:
        return False
    return True
