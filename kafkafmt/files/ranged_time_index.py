"""The time index of a segment through ranged reads; see `kafkafmt.files.time_index` for what an entry means."""

from kafkafmt.files import time_index
from kafkafmt.files.index_steps import IndexEntryChosen, IndexEntryCompared, Trace
from kafkafmt.files.ranged_index import RangedIndex
from kafkafmt.files.time_index import TimeIndexEntry


class RangedTimeIndex(RangedIndex):
    """Entries of an open time index by their number; see `RangedIndex`."""

    kind = "timeindex"
    _layout = time_index.LAYOUT

    def entry(self, number: int) -> TimeIndexEntry:
        """An entry by its number."""
        timestamp, relative_offset = self.slot(number)
        return TimeIndexEntry(timestamp, relative_offset, self.base_offset + relative_offset)

    def last_below(self, timestamp: int | None, trace: Trace | None = None) -> int | None:
        """Number of the last entry whose timestamp is below one in ms (None for the last of all); None without one.

        The entry of zeros with which an unused, preallocated index begins is none.
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
