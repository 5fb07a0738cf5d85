"""The offset index of a segment (`.index`): from offsets to positions in the `.log` file, sparse.

Kafka's OffsetIndex, with 8 bytes per entry. Up to Kafka 1.1 an entry holds the first offset of the appended set that
starts at its position, later the last one; in both cases all entries before its position have lower offsets.
"""

from bisect import bisect_right
from typing import Annotated, Final, NamedTuple

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import CorruptError
from kafkafmt.files import index_file
from kafkafmt.files.index_steps import IndexEntryChosen, IndexEntryCompared, Trace
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.ranged_index import RangedIndex
from kafkafmt.libraries import pa
from kafkafmt.reference.header import to_int64

LAYOUT = LAYOUTS["index"]


class OffsetIndexEntry(NamedTuple):
    """One entry of an offset index.

    Attributes:
        relative_offset: offset less the base offset of the segment (int32).
        offset: absolute offset; None while the base offset is unknown.
        position: where in the log file the entry's batch, or the set appended with it, begins, in bytes.
    """

    relative_offset: Annotated[int, "int32"]
    offset: Annotated[int | None, "int64"]
    position: Annotated[int, "int64"]


COLUMNS: Final = TableColumns(*columns_of(OffsetIndexEntry, only=("offset", "relative_offset", "position")))


class OffsetIndex(index_file.SlotFile[OffsetIndexEntry]):
    """The entries of an offset index, `OffsetIndexEntry` objects; see `kafkafmt.files.index_file.SlotFile`."""

    __slots__ = ()

    @property
    def sanity_error(self) -> CorruptError | None:
        """The error of Kafka's OffsetIndex.sanityCheck when it loads this file; None if it passes.

        It checks only the file's size and the last entry, including padding, and so overlooks most damage.
        """
        last_offset = None
        if self.entry_count:
            last_offset, _ = self._stored_fields(self.entry_count - 1, LAYOUT)
        return self._ends_oddly("index", LAYOUT.size, last_offset)

    def to_table(self) -> "pa.Table":
        """Make a table of the entries, with the columns `COLUMNS`."""
        relative, position = index_file.columns(self._data, LAYOUT, len(self.entries))
        offset = index_file.absolute_offsets(relative, self.base_offset)
        return pa.table([offset, relative, position.cast(pa.int64())], schema=COLUMNS.schema)


class RangedOffsetIndex(RangedIndex):
    """Entries of an open offset index, by number; see `RangedIndex`."""

    kind = "index"
    _layout = LAYOUT

    def position(self, number: int) -> int:
        """Position in the log file to which an entry points, in bytes."""
        return self.slot(number)[1]

    def count_up_to(self, offset: int, trace: Trace | None = None) -> int:
        """Number of entries at or below an offset."""
        return self.search(offset, trace)

    def count_up_to_position(self, position: int) -> int:
        """Number of entries that point to a position in the log file or before it."""
        return bisect_right(range(len(self)), position, key=self.position)

    def chosen(self, number: int | None) -> IndexEntryChosen:
        """Make the step of choosing an entry."""
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


def _entry(base_offset: int | None, relative_offset: int, position: int) -> OffsetIndexEntry:
    offset = None if base_offset is None else to_int64(base_offset + relative_offset)
    return OffsetIndexEntry(relative_offset, offset, position)


parse = index_file.parser(OffsetIndex, LAYOUT, _entry)
read = index_file.reader(parse)
