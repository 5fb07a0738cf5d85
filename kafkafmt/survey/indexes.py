"""Checks of a segment's index files: of each file alone, and against the segment's batch headers."""

from collections.abc import Callable
from operator import le, lt
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.columnar.headers import Positions
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.time_index import TimeIndexEntry
from kafkafmt.libraries import np
from kafkafmt.survey.facts import IndexFacts, IndexKind, IndexStatus
from kafkafmt.survey.index_order import FEW, fault_of, first_fall, only_goes_up

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches
    from kafkafmt.files.index_file import SlotFile
    from kafkafmt.files.offset_index import OffsetIndexEntry
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.survey.index_order import AnyIndex

T = TypeVar("T")
EntryT = TypeVar("EntryT")

# Entries checked together: up to this many may be checked again for the next batches.
_CHUNK = 4096


class IndexCheck:
    """Reads the indexes of one segment, and compares them with its headers during a walk over the segment.

    An offset index is right if each entry's position begins an entry of the log, and all earlier ones have lower
    offsets; a time index, if no timestamp up to an entry's offset is later than the entry's. Kafka guarantees no more:
    releases up to 1.1 index the first offset of an appended set, later releases the last.

    Args:
        segment: the segment whose indexes are read.
    """

    def __init__(self, segment: "Segment") -> None:
        self._errors: dict[IndexKind, KafkafmtError] = {}
        # Only a file named after its base offset has indexes: raft snapshots and files with other names have none.
        self._is_alone = segment.base_offset is None
        self._offset_index = self._read("index", lambda: segment.offset_index)
        self._time_index = self._read("timeindex", lambda: segment.time_index)
        self._transaction_index = self._read("txnindex", lambda: segment.transaction_index)
        self._end = 0
        self._beyond_end: set[IndexKind] = set()
        # Numbers of the first entries not yet compared with a batch.
        self._offset_entry = self._time_entry = 0
        self._next_offset_entry: OffsetIndexEntry | None = None
        self._next_time_entry: TimeIndexEntry | None = None
        self._highest_offset = -1
        self._highest_timestamp = -1
        self._mismatches: dict[IndexKind, KafkafmtError] = {}

    def begin(self) -> None:
        """Start the comparison; the first entry of the segment follows."""
        self._next_offset_entry = _entry_of(self._offset_index, 0)
        self._next_time_entry = _entry_of(self._time_index, 0)

    def see(self, header: "BatchHeader") -> None:
        """Observe the next entry of the segment, in file order."""
        self._see(header.position, header.size_in_bytes, header.last_offset, header.max_timestamp)

    def see_batches(self, batches: "Batches") -> None:
        """Observe the next batches, all sound and in file order; the same as `see` for each batch."""
        lasts, timestamps = batches.last_offsets, batches.headers["max_timestamp"]
        begins, ends = batches.starts + batches.position, batches.ends + batches.position
        if not (lasts[1:] > lasts[:-1]).all():
            rows = zip(*(each.tolist() for each in (begins, ends - begins, lasts, timestamps)), strict=True)
            for row in rows:
                self._see(*row)
            return
        highest = np.maximum(lasts, self._highest_offset)
        latest = np.maximum.accumulate(np.maximum(np.where(timestamps == 0, -1, timestamps), self._highest_timestamp))
        self._meet_offset_entries(begins, _shifted(self._highest_offset, highest))
        self._meet_time_entries(lasts, _shifted(self._highest_timestamp, latest))
        self._end = int(ends[-1])
        self._highest_offset, self._highest_timestamp = int(highest[-1]), int(latest[-1])

    def end(self) -> None:
        """Finish: the segment has no more entries."""
        self._meet_last_time_entries()
        self._judge_whole_time_index()
        self._judge_offsets()
        entry = self._next_offset_entry
        if self._offset_index is None or entry is None:
            return
        # In an unused, preallocated index the first slot is zero as well.
        if self._offset_entry or entry.relative_offset or entry.position:
            if "index" not in self._mismatches and only_goes_up(self._offset_index):
                self._beyond_end.add("index")
            self._mismatch(
                "index",
                self._offset_entry,
                "index entry points between batches",
                expected=f"a position below {self._end}",
                found=f"position {entry.position}",
            )

    def facts(self) -> tuple[IndexFacts, IndexFacts, IndexFacts]:
        """The facts of the three indexes, from all batches seen so far."""
        return (
            self._facts_of("index", self._offset_index),
            self._facts_of("timeindex", self._time_index),
            self._facts_of("txnindex", self._transaction_index),
        )

    def _read(self, kind: IndexKind, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except KafkafmtError as error:
            self._errors[kind] = error
            return None

    def _see(self, position: int, size: int, last_offset: int | None, max_timestamp: int | None) -> None:
        while (entry := self._next_offset_entry) is not None and entry.position <= position:
            self._judge_offset_entry(self._offset_entry, entry, position, self._highest_offset)
            self._offset_entry += 1
            self._next_offset_entry = _entry_of(self._offset_index, self._offset_entry)
        self._end = position + size
        if last_offset is None:
            return
        while (time := self._next_time_entry) is not None and (time.offset or 0) < last_offset:
            self._meet_time_entry(time)
        self._highest_offset = max(self._highest_offset, last_offset)
        self._highest_timestamp = max(self._highest_timestamp, max_timestamp or -1)

    def _meet_time_entry(self, entry: TimeIndexEntry) -> None:
        self._judge_time_entry(self._time_entry, entry, self._highest_timestamp)
        self._time_entry += 1
        self._next_time_entry = _entry_of(self._time_index, self._time_entry)

    def _meet_last_time_entries(self) -> None:
        """Judge the remaining entries of the time index, whose offsets no batch has reached."""
        index = self._time_index
        if index is not None and len(index.entries) - self._time_entry > FEW:
            self._meet_time_entries(None, np.array([self._highest_timestamp]))
        while self._next_time_entry is not None:
            self._meet_time_entry(self._next_time_entry)

    def _meet_offset_entries(self, begins: Positions, highest: Positions) -> None:
        """Judge the entries of the offset index that point to these batches or before them.

        Args:
            begins: rising positions of the batches in the file.
            highest: the highest offset before each batch.
        """
        index = self._offset_index
        batch = 0
        while index is not None and self._next_offset_entry is not None and batch < len(begins):
            relative, positions = index.entries.fields(self._offset_entry, _CHUNK)
            # In order: an entry is judged only after all earlier entries.
            batches = np.maximum.accumulate(np.maximum(np.searchsorted(begins, positions), batch))
            count = int(np.searchsorted(batches, len(begins)))
            batches, positions = batches[:count], positions[:count]
            wrong = begins[batches] > positions
            if index.base_offset is not None:
                wrong |= highest[batches] >= relative[:count] + np.int64(index.base_offset)
            if wrong.any():
                first = int(wrong.argmax())
                number, batch = self._offset_entry + first, int(batches[first])
                self._judge_offset_entry(number, index.entries[number], int(begins[batch]), int(highest[batch]))
            self._offset_entry += count
            self._next_offset_entry = _entry_of(index, self._offset_entry)
            batch = int(batches[-1]) if count == len(relative) else len(begins)

    def _meet_time_entries(self, lasts: Positions | None, latest: Positions) -> None:
        """Judge the entries of the time index whose offsets are below the last offsets of these batches.

        Args:
            lasts: rising last offsets of the batches; None at the end of the file, above all offsets.
            latest: the latest timestamp before each batch.
        """
        index = self._time_index
        batch = 0
        while index is not None and self._next_time_entry is not None and batch < len(latest):
            timestamps, relative = index.entries.fields(self._time_entry, _CHUNK)
            offsets = relative + np.int64(index.base_offset) if index.base_offset is not None else relative * 0
            above = np.searchsorted(lasts, offsets, "right") if lasts is not None else np.zeros_like(offsets)
            batches = np.maximum.accumulate(np.maximum(above, batch))
            count = int(np.searchsorted(batches, len(latest)))
            batches = batches[:count]
            wrong = timestamps[:count] < latest[batches]
            for first in np.flatnonzero(wrong)[:2].tolist():  # the very first entry may be unused
                number = self._time_entry + first
                self._judge_time_entry(number, index.entries[number], int(latest[batches[first]]))
            self._time_entry += count
            self._next_time_entry = _entry_of(index, self._time_entry)
            batch = int(batches[-1]) if count == len(relative) else len(latest)

    def _judge_offset_entry(self, number: int, entry: "OffsetIndexEntry", position: int, highest: int) -> None:
        """Compare an entry with the first batch at or after its position, and the highest offset before that batch."""
        if entry.position < position:
            self._mismatch(
                "index",
                number,
                "index entry points between batches",
                expected=f"position {position} or the start of another batch",
                found=f"position {entry.position}",
            )
        elif entry.offset is not None and highest >= entry.offset:
            self._mismatch(
                "index",
                number,
                f"index entry points past its offset: there are higher offsets before position {entry.position}",
                expected=f"an offset above {highest}",
                found=entry.offset,
            )

    def _judge_time_entry(self, number: int, entry: "TimeIndexEntry", latest: int) -> None:
        """Compare an entry with the latest timestamp up to its offset."""
        unused = number == 0 and not entry.timestamp and not entry.relative_offset
        if entry.timestamp < latest and not unused:
            self._mismatch(
                "timeindex",
                number,
                f"a batch at or below offset {entry.offset} has a later timestamp than the time index entry",
                expected=f"{latest} or more",
                found=entry.timestamp,
            )

    def _judge_offsets(self) -> None:
        """Check that the offset index's offsets rise, and that the last one is within the log."""
        index = self._offset_index
        if index is None or index.base_offset is None or "index" in self._mismatches:
            return
        met = self._offset_entry
        fall = first_fall(index.entries, met, (-1, -1), lt)
        last = index.base_offset + index.entries[met - 1].relative_offset if met else -1
        if fall is not None:
            number, (before, _), (relative, _) = fall
            self._mismatch(
                "index",
                number,
                "the entries of the index do not rise",
                expected=f"an offset above {index.base_offset + before}",
                found=index.base_offset + relative,
            )
        elif met and self._highest_offset >= 0 and last > self._highest_offset:
            self._beyond_end.add("index")
            self._mismatch(
                "index",
                met - 1,
                "index entry is beyond the last offset of the log",
                expected=f"at most {self._highest_offset}",
                found=last,
            )

    def _judge_whole_time_index(self) -> None:
        """Check that the timestamps rise, and compare them with the log's latest timestamp and last offset."""
        index = self._time_index
        if index is None or index.base_offset is None or "timeindex" in self._mismatches or not len(index.entries):
            return
        if not index.entries[0].timestamp and not index.entries[0].relative_offset:
            return  # its first slot is unused
        fall = first_fall(index.entries, len(index.entries), (-1, 0), le)
        latest = index.entries[-1].timestamp
        last = index.base_offset + index.entries[-1].relative_offset
        if fall is not None:
            number, (before, relative_before), (timestamp, relative) = fall
            self._mismatch(
                "timeindex",
                number,
                "the entries of the time index do not rise",
                expected=f"a timestamp above {before}, an offset of {index.base_offset + relative_before} or more",
                found=f"{timestamp}, {index.base_offset + relative}",
            )
        elif self._highest_timestamp >= 0 and latest > self._highest_timestamp:
            if last > self._highest_offset:
                self._beyond_end.add("timeindex")
            self._mismatch(
                "timeindex",
                len(index.entries) - 1,
                "time index entry is later than any batch of the log",
                expected=f"at most {self._highest_timestamp}",
                found=latest,
            )
        elif self._highest_offset >= 0 and last > self._highest_offset:
            self._beyond_end.add("timeindex")
            self._mismatch(
                "timeindex",
                len(index.entries) - 1,
                "time index entry is beyond the last offset of the log",
                expected=f"at most {self._highest_offset}",
                found=last,
            )

    def _mismatch(self, kind: IndexKind, number: int, message: str, *, expected: object, found: object) -> None:
        index = self._offset_index if kind == "index" else self._time_index
        file = None if index is None else index.file
        error = CorruptError(message, file=file, position=number * LAYOUTS[kind].size, expected=expected, found=found)
        self._mismatches.setdefault(kind, error)

    def _facts_of(self, kind: IndexKind, index: "AnyIndex | None") -> IndexFacts:
        if index is None:
            return IndexFacts(kind, "unreadable", problem=self._errors[kind])
        if index.file is None:
            return _NONE[kind] if kind == "txnindex" or self._is_alone else _MISSING[kind]
        sanity_error = index.sanity_error
        problem = fault_of(index, sanity_error) or self._mismatches.get(kind)
        status: IndexStatus = "ok"
        if problem is not None:
            status = "mismatch" if problem is self._mismatches.get(kind) else "broken"
        elif index.zero_padded_from is not None:
            status = "padded"
        elif not index.entries:
            status = "empty"
        return IndexFacts(
            kind,
            status,
            index.file,
            len(index.entries),
            index.zero_padded_from,
            sanity_error,
            problem,
            kind in self._beyond_end,
        )


_KINDS: "tuple[IndexKind, ...]" = ("index", "timeindex", "txnindex")
_NONE = {kind: IndexFacts(kind, "none") for kind in _KINDS}
_MISSING = {kind: IndexFacts(kind, "missing") for kind in _KINDS}


def _entry_of(index: "SlotFile[EntryT] | None", number: int) -> "EntryT | None":
    return index.entries[number] if index is not None and number < len(index.entries) else None


def _shifted(before: int, numbers: Positions) -> Positions:
    """For each number the one before it."""
    return np.concatenate([np.array([before], np.int64), numbers[:-1]])
