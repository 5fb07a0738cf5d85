"""The offset index of a segment through ranged reads; see `kafkafmt.files.offset_index` for what an entry means."""

from bisect import bisect_right
from collections.abc import Iterator

from kafkafmt.files import offset_index
from kafkafmt.files.index_steps import IndexEntryChosen, IndexEntryCompared, Trace
from kafkafmt.files.ranged_index import RangedIndex


class RangedOffsetIndex(RangedIndex):
    """Entries of an open offset index by their number; see `RangedIndex`."""

    kind = "index"
    _layout = offset_index.LAYOUT

    def position(self, number: int) -> int:
        """Position in the log file that an entry holds, in bytes."""
        return self.slot(number)[1]

    def count_up_to(self, offset: int, trace: Trace | None = None) -> int:
        """How many entries are at or below an offset."""
        return self.search(offset, trace)

    def count_up_to_position(self, position: int) -> int:
        """How many entries point to a position in the log file or before it."""
        return bisect_right(range(len(self)), position, key=self.position)

    def positions_backwards(self, count: int | None = None) -> Iterator[int]:
        """Positions in the log file of the first `count` entries (of all if None), the last of them first."""
        return (self.position(number) for number in reversed(range(len(self) if count is None else count)))

    def chosen(self, number: int | None) -> IndexEntryChosen:
        """The step of choosing an entry."""
        if number is None:
            return IndexEntryChosen(self.name, self.kind, None)
        relative_offset, position = self.slot(number)
        return IndexEntryChosen(self.name, self.kind, number, self.base_offset + relative_offset, position)

    def _key(self, number: int) -> int:
        return self.base_offset + self.slot(number)[0]

    def _compared(self, number: int, *, is_below: bool) -> IndexEntryCompared:
        relative_offset, position = self.slot(number)
        offset = self.base_offset + relative_offset
        return IndexEntryCompared(self.name, self.kind, number, offset, position, None, is_below)
