"""The offset index of a segment through ranged reads: an index of 10 MiB is asked a question by a few blocks of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from struct import Struct

from kafkafmt.errors import SourceError
from kafkafmt.files.source import File

_LAYOUT = Struct(">ii")
_LEAST_BLOCK = 4 * 1024


class RangedOffsetIndex:
    """Entries of an open offset index by their number; read in blocks, of which the last one is kept.

    Answers are as good as the index is: entries out of order, or zeros between them, raise nothing, and neither does a
    file that cannot be read any more.

    Args:
        file: the open index file; whoever opened it closes it.
        base_offset: of the segment.
    """

    def __init__(self, file: File, base_offset: int) -> None:
        self._file = file
        self._base_offset = base_offset
        self._block_size = max(_LEAST_BLOCK, file.worth_skipping // _LAYOUT.size * _LAYOUT.size)
        self._block = b""
        self._block_begin = 0
        slots = range(file.size // _LAYOUT.size)
        # What a broker preallocates and has not written yet is zero; a first slot of zeros is an entry.
        self._used = bisect_left(slots, 1, lo=min(1, len(slots)), key=lambda number: self._slot(number) == (0, 0))

    def __len__(self) -> int:
        """Number of entries, without the zeros that pad the file."""
        return self._used

    def count_up_to(self, offset: int) -> int:
        """How many entries are at or below an offset."""
        return bisect_right(range(self._used), offset - self._base_offset, key=lambda number: self._slot(number)[0])

    def positions_backwards(self, count: int | None = None) -> Iterator[int]:
        """Positions in the log file of the first `count` entries (of all if None), the last of them first."""
        return (self._slot(number)[1] for number in reversed(range(self._used if count is None else count)))

    def _slot(self, number: int) -> tuple[int, int]:
        at = number * _LAYOUT.size - self._block_begin
        if not 0 <= at < len(self._block):
            self._block_begin = number * _LAYOUT.size // self._block_size * self._block_size
            try:
                self._block = self._file.read_at(self._block_begin, self._block_size)
            except SourceError:
                # A broker cuts off the padding when it rolls the segment. What an index is for works without it too.
                self._block = bytes(self._block_size)
            at = number * _LAYOUT.size - self._block_begin
        relative_offset, position = _LAYOUT.unpack_from(self._block, at)
        return relative_offset, position
