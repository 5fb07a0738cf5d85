"""LengthCheck: finds a wrong length that covers the next batches, where only headers are read.

A wrong length can end where another batch begins. The walk then continues there, and only the CRC, which a walk over
headers does not compute, would reveal it. But the offsets that the length covers are missing afterwards. So the CRC of
a batch is computed if the next entry does not continue its offsets. Compaction leaves such gaps everywhere, so the
number of bytes whose CRCs are computed is bounded per file.

Only batches of format 2 are checked. A message of formats 0 and 1 states no last offset, and offsets in a wrapper may
be relative, so only the first fields of its header are known: a wrong length of a message that ends where another one
begins goes unnoticed where CRCs are not computed. Everything that decodes records computes them.
"""

from typing import TYPE_CHECKING, Final

from kafkafmt.columnar.headers import first_wrong
from kafkafmt.libraries import np
from kafkafmt.reference.header import to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, RECORD_BATCH_OVERHEAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkafmt.columnar.headers import Batches
    from kafkafmt.io.base import File
    from kafkafmt.reference.entry import Entry

MOST_CHECKED: Final = 16 * 1024 * 1024
"""Bytes per file, in batches before a gap, whose CRCs are computed; the last such batch may extend beyond."""

# formats/kafka_log_segment.ksy and formats/kafka_record_batch.ksy: an entry begins with its offset.
_OFFSET: Final = 8
# Position of lastOffsetDelta in a record batch.
_DELTA: Final = 23


class LengthCheck:
    """Checks the lengths of the batches of one file where offsets make them doubtful.

    Args:
        file: the file.
        next_base_offset: base offset of the next segment; None if unknown, so that the length of the last batch is
            never doubtful.
    """

    def __init__(self, file: "File", next_base_offset: int | None) -> None:
        self._file = file
        self._next = next_base_offset
        self._left = MOST_CHECKED
        self._reached = 0

    def right(self, batches: "Batches", end: int) -> int:
        """The number of adjacent batches before the first whose length is wrong.

        Args:
            batches: the batches, with their bytes.
            end: end of these bytes in `batches.data`; the next entry may begin before.

        Raises:
            SourceError: the bytes after the last batch cannot be read.
        """
        firsts, lasts, ends = batches.headers["base_offset"], batches.last_offsets, batches.ends

        def read(position: int, length: int) -> "bytes | memoryview":
            at = position - batches.position
            return batches.data[at : at + length] if at + length <= end else self._file.read_at(position, length)

        is_doubted = np.ones(len(batches), np.bool_)
        is_doubted[:-1] = firsts[1:] != lasts[:-1] + 1
        is_doubted[-1] = self._is_doubted(batches.position + int(ends[-1]), int(lasts[-1]), read)
        for number in np.flatnonzero(is_doubted).tolist():
            size = int(ends[number]) - int(batches.starts[number])
            is_doubted[number] = self._may_check(batches.position + int(batches.starts[number]), size)
        return first_wrong(batches, is_doubted)

    def require_right(self, entry: "Entry", read: "Callable[[int, int], bytes | memoryview]") -> None:
        """Check the length of an entry whose header has been read.

        Args:
            entry: the entry.
            read: returns bytes of the file, by position and length.

        Raises:
            ChecksumError: the entry is a batch whose CRC is wrong, and the next entry does not continue its offsets.
            SourceError: the entry cannot be read.
        """
        size, position = entry.frame.size_in_bytes, entry.position
        if entry.frame.magic != CURRENT_MAGIC or size < RECORD_BATCH_OVERHEAD:
            return
        last = entry.frame.offset + int.from_bytes(read(position + _DELTA, 4), "big", signed=True)
        if self._is_doubted(position + size, last, read) and self._may_check(position, size):
            entry.verify_checksum()

    def _is_doubted(self, end: int, last: int, read: "Callable[[int, int], bytes | memoryview]") -> bool:
        """Whether the next bytes do not continue the offsets of a batch that ends here."""
        if end == self._file.size:
            return self._next is not None and self._next != to_int64(last + 1)
        if end + _OFFSET > self._file.size:
            return True
        return int.from_bytes(read(end, _OFFSET), "big", signed=True) != to_int64(last + 1)

    def _may_check(self, position: int, size: int) -> bool:
        if position < self._reached:
            return True  # checked before
        if self._left <= 0:
            return False
        self._left -= size
        self._reached = position + 1
        return True
