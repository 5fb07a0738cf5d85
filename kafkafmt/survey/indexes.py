"""Whether the index files beside a segment are sound, by themselves and against the segment's own batch headers."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files.kinds import LAYOUTS
from kafkafmt.files.time_index import TimeIndexEntry
from kafkafmt.survey.facts import IndexFacts, IndexKind, IndexStatus

if TYPE_CHECKING:
    from kafkafmt.files.offset_index import OffsetIndex, OffsetIndexEntry
    from kafkafmt.files.time_index import TimeIndex
    from kafkafmt.files.transaction_index import TransactionIndex
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

    AnyIndex = OffsetIndex | TimeIndex | TransactionIndex

T = TypeVar("T")


class IndexCheck:
    """Reads the indexes of one segment, and holds them to its headers while somebody else walks those.

    An offset index is right if each entry's position begins an entry of the log, and nothing at or above its offset
    lies before that position; a time index, if nothing up to an entry's offset is later than its timestamp. More they
    do not promise: releases up to 1.1 and later ones put different offsets of an appended set into them.

    Args:
        segment: whose indexes to read.
    """

    def __init__(self, segment: "Segment") -> None:
        self._errors: dict[IndexKind, KafkafmtError] = {}
        # Only a file named after its base offset has indexes: no raft snapshot, and no file of another name.
        self._is_alone = segment.base_offset is None
        self._offset_index = self._read("index", lambda: segment.offset_index)
        self._time_index = self._read("timeindex", lambda: segment.time_index)
        self._transaction_index = self._read("txnindex", lambda: segment.transaction_index)
        self._end = 0
        self._beyond_end = False
        self._offset_entry = 0
        self._offset_entries = iter(self._offset_index.entries if self._offset_index is not None else ())
        self._next_offset_entry = next(self._offset_entries, None)
        self._time_entry = 0
        self._time_entries = iter(self._time_index.entries if self._time_index is not None else ())
        self._next_time_entry = next(self._time_entries, None)
        self._highest_offset = -1
        self._highest_timestamp = -1
        self._mismatches: dict[IndexKind, KafkafmtError] = {}

    def see(self, header: "BatchHeader") -> None:
        """Take note of the next entry of the segment, in file order."""
        while (entry := self._next_offset_entry) is not None and entry.position <= header.position:
            if entry.position < header.position:
                self._mismatch(
                    "index",
                    self._offset_entry,
                    "index entry points between batches",
                    expected=f"position {header.position} or the start of another batch",
                    found=f"position {entry.position}",
                )
            elif entry.offset is not None and self._highest_offset >= entry.offset:
                self._mismatch(
                    "index",
                    self._offset_entry,
                    f"index entry points past its offset: there are higher offsets before position {entry.position}",
                    expected=f"an offset above {self._highest_offset}",
                    found=entry.offset,
                )
            self._offset_entry += 1
            self._next_offset_entry = next(self._offset_entries, None)
        self._end = header.position + header.size_in_bytes
        if header.last_offset is None:
            return
        while (time := self._next_time_entry) is not None and (time.offset or 0) < header.last_offset:
            self._judge(time)
        self._highest_offset = max(self._highest_offset, header.last_offset)
        self._highest_timestamp = max(self._highest_timestamp, header.max_timestamp or -1)

    def end(self) -> None:
        """Take note that the segment has no more entries."""
        while self._next_time_entry is not None:
            self._judge(self._next_time_entry)
        entry = self._next_offset_entry
        if self._offset_index is None or entry is None:
            return
        # The first slot of an unused, preallocated index is zero as well.
        if self._offset_entry or entry.relative_offset or entry.position:
            self._beyond_end = "index" not in self._mismatches and _only_goes_up(self._offset_index.entries)
            self._mismatch(
                "index",
                self._offset_entry,
                "index entry points between batches",
                expected=f"a position below {self._end}",
                found=f"position {entry.position}",
            )

    def facts(self) -> tuple[IndexFacts, IndexFacts, IndexFacts]:
        """What is known of the three, from all that was seen so far."""
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

    def _judge(self, entry: "TimeIndexEntry") -> None:
        unused = self._time_entry == 0 and not entry.timestamp and not entry.relative_offset
        if entry.timestamp < self._highest_timestamp and not unused:
            self._mismatch(
                "timeindex",
                self._time_entry,
                f"a batch at or below offset {entry.offset} has a later timestamp than the time index entry",
                expected=f"{self._highest_timestamp} or more",
                found=entry.timestamp,
            )
        self._time_entry += 1
        self._next_time_entry = next(self._time_entries, None)

    def _mismatch(self, kind: IndexKind, number: int, message: str, *, expected: object, found: object) -> None:
        index = self._offset_index if kind == "index" else self._time_index
        file = None if index is None else index.file
        error = CorruptError(message, file=file, position=number * LAYOUTS[kind].size, expected=expected, found=found)
        self._mismatches.setdefault(kind, error)

    def _facts_of(self, kind: IndexKind, index: "AnyIndex | None") -> IndexFacts:
        if index is None:
            return IndexFacts(kind, "unreadable", problem=self._errors[kind])
        if index.file is None:
            return IndexFacts(kind, "none" if kind == "txnindex" or self._is_alone else "missing")
        sanity_error = index.sanity_error
        problem = _broken(index, sanity_error) or self._mismatches.get(kind)
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
            kind == "index" and self._beyond_end,
        )


def _only_goes_up(offsets: "Sequence[OffsetIndexEntry]") -> bool:
    """Whether an offset index could have been right for a longer log: its entries go up, one by one."""
    return all(
        one.relative_offset < next_one.relative_offset and one.position < next_one.position
        for one, next_one in pairwise(offsets)
    )


def _broken(index: "AnyIndex", sanity_error: CorruptError | None) -> KafkafmtError | None:
    """What is wrong with an index by itself, its padding aside, which is no fault."""
    if index.trailing_bytes:
        return sanity_error or CorruptError(
            "bytes follow the last whole entry of the index", file=index.file, found=f"{index.trailing_bytes} bytes"
        )
    if index.zero_padded_from is None:
        return sanity_error
    first, last = index.entries[0], index.entries[-1]
    number = len(index.entries) - 1
    if isinstance(first, TimeIndexEntry) and isinstance(last, TimeIndexEntry) and last.timestamp < first.timestamp:
        return CorruptError(
            "the last timestamp of the time index is below the first",
            file=index.file,
            position=number * LAYOUTS["timeindex"].size,
            expected=f"{first.timestamp} or more",
            found=last.timestamp,
        )
    if last.relative_offset < 0:
        return CorruptError(
            "the last offset of the index is below its base offset",
            file=index.file,
            position=number * LAYOUTS["timeindex" if isinstance(last, TimeIndexEntry) else "index"].size,
            expected="a relative offset of 0 or more",
            found=last.relative_offset,
        )
    return None
