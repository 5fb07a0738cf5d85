"""The time index of a segment (`.timeindex`): from timestamps to offsets, sparse.

Kafka's TimeIndex (since 0.10.1, KIP-33), with 12 bytes per entry. An entry states that no timestamp up to its offset is
above its own. A file may be empty (all messages of format 0). Its last entry is written when the segment is rolled or
closed.
"""

from typing import Annotated, Final, NamedTuple

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.arrays import arrow_type
from kafkafmt.errors import CorruptError
from kafkafmt.files import index_file
from kafkafmt.files.index_steps import IndexEntryChosen, IndexEntryCompared, Trace
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.ranged_index import RangedIndex
from kafkafmt.libraries import pa
from kafkafmt.reference.header import to_int64

LAYOUT = LAYOUTS["timeindex"]


class TimeIndexEntry(NamedTuple):
    """One entry of a time index.

    Attributes:
        timestamp: largest timestamp up to the offset, in ms since the epoch.
        relative_offset: offset less the base offset of the segment (int32).
        offset: absolute offset; None while the base offset is unknown.
    """

    timestamp: Annotated[int, TIME]
    relative_offset: Annotated[int, "int32"]
    offset: Annotated[int | None, "int64"]


COLUMNS: Final = TableColumns(*columns_of(TimeIndexEntry, only=("timestamp", "offset", "relative_offset")))


class TimeIndex(index_file.SlotFile[TimeIndexEntry]):
    """The entries of a time index, `TimeIndexEntry` objects; see `kafkafmt.files.index_file.SlotFile`."""

    __slots__ = ()

    @property
    def sanity_error(self) -> CorruptError | None:
        """The error of Kafka's TimeIndex.sanityCheck when it loads this file; None if it passes.

        It checks the file's size, and the first and the last entry, including padding: a padded file fails.
        """
        last_offset = None
        if self.entry_count:
            position = (self.entry_count - 1) * LAYOUT.size
            first_timestamp, _ = self._stored_fields(0, LAYOUT)
            last_timestamp, last_offset = self._stored_fields(self.entry_count - 1, LAYOUT)
            if last_timestamp < first_timestamp:
                return CorruptError(
                    "the last timestamp of the time index is below the first",
                    file=self.file,
                    position=position,
                    expected=f"{first_timestamp} or more",
                    found=last_timestamp,
                )
        return self._ends_oddly("time index", LAYOUT.size, last_offset)

    def to_table(self) -> "pa.Table":
        """Make a table of the entries, with the columns `COLUMNS` and Kafka's ms unchanged."""
        timestamp, relative = index_file.columns(self._data, LAYOUT, len(self.entries))
        offset = index_file.absolute_offsets(relative, self.base_offset)
        return pa.table([timestamp.view(arrow_type(TIME)), offset, relative], schema=COLUMNS.schema)


class RangedTimeIndex(RangedIndex):
    """Entries of an open time index, by number; see `RangedIndex`."""

    kind = "timeindex"
    _layout = LAYOUT

    def entry(self, number: int) -> TimeIndexEntry:
        """An entry by its number."""
        timestamp, relative_offset = self.slot(number)
        return TimeIndexEntry(timestamp, relative_offset, self.base_offset + relative_offset)

    def last_below(self, timestamp: int | None, trace: Trace | None = None) -> int | None:
        """Number of the last entry with a timestamp below one in ms, or of the last entry for None; None if none.

        The zero entry with which an unused, preallocated index begins does not count.
        """
        unused = len(self) == 1 and self.padding and not any(self.slot(0))
        if timestamp is None or unused:
            self._tell_opened(None if timestamp is None else timestamp - 1, trace)
            count = 0 if unused else len(self)
        else:
            count = self.search(timestamp - 1, trace)
        number = count - 1 if count else None
        if trace is not None:
            trace(self._chosen(number))
        return number

    def _chosen(self, number: int | None) -> IndexEntryChosen:
        if number is None:
            return IndexEntryChosen(self.name, self.kind, None)
        entry = self.entry(number)
        return IndexEntryChosen(self.name, self.kind, number, entry.offset, None, entry.timestamp)

    def _key(self, number: int) -> int:
        return self.slot(number)[0]

    def _compared(self, number: int, *, is_below: bool) -> IndexEntryCompared:
        entry = self.entry(number)
        return IndexEntryCompared(self.name, self.kind, number, entry.offset or 0, None, entry.timestamp, is_below)


def _entry(base_offset: int | None, timestamp: int, relative_offset: int) -> TimeIndexEntry:
    offset = None if base_offset is None else to_int64(base_offset + relative_offset)
    return TimeIndexEntry(timestamp, relative_offset, offset)


parse = index_file.parser(TimeIndex, LAYOUT, _entry)
read = index_file.reader(parse)
