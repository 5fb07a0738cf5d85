"""LengthCheck: finds a wrong length that includes the next batches, where only headers are read.

A wrong length can end where another batch begins. Then the walk continues there, and only the CRC refutes it, which a
walk over headers does not compute. But the offsets that it swallows are missing after it. So the CRC of a batch is
computed where the next entry does not continue its offsets. Compaction leaves such gaps everywhere: of each file, the
CRCs of that many bytes are computed.

Only batches of format 2 are checked. A message of formats 0 and 1 states no last offset, and in a wrapper offsets may
be relative, so only its header's first fields are known: a length in it that ends where another message begins stays
unnoticed where CRCs are not computed. Whatever decodes records computes them.
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
"""Bytes of a file, in batches before a gap, whose CRCs are computed; the last such batch may extend further."""

# formats/kafka_log_segment.ksy and formats/kafka_record_batch.ksy: an entry begins with its offset.
_OFFSET: Final = 8
# Where a record batch has its lastOffsetDelta.
_DELTA: Final = 23


class LengthCheck:
    """Checks the lengths of the batches of one file where their offsets put them in doubt.

    Args:
        file: the file.
        next_base_offset: base offset of the segment after it; None if that is unknown, so that nothing puts the length
            of the last batch in doubt.
    """

    def __init__(self, file: "File", next_base_offset: int | None) -> None:
        self._file = file
        self._next = next_base_offset
        self._left = MOST_CHECKED
        self._reached = 0

    def right(self, batches: "Batches", end: int) -> int:
        """How many of adjacent batches come before one whose length is wrong.

        Args:
            batches: with their bytes.
            end: where those end in `batches.data`; the next entry may begin before.

        Raises:
            SourceError: the bytes after the last one cannot be read.
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
        """Check the length of an entry of which the header was read.

        Args:
            entry: the entry.
            read: gives bytes of the file, by position and length.

        Raises:
            ChecksumError: it is a batch whose CRC is wrong, and the next entry does not continue its offsets.
            SourceError: it cannot be read.
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
            return True  # it was checked before
        if self._left <= 0:
            return False
        self._left -= size
        self._reached = position + 1
        return True
