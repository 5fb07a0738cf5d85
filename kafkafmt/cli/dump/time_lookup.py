"""What a log says of the offsets in its time index, found in one walk over it, however many they are."""

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter, le
from typing import TYPE_CHECKING

from kafkafmt.cli.dump.fixed_places import as_known_format
from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import LOG_APPEND_TIME
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_TIMESTAMP = -1
_ABSENT, _UNREADABLE, _READ = range(3)


@dataclass(frozen=True, slots=True)
class Found:
    """The first batch of a log that ends at or above an offset.

    Attributes:
        last_offset: of the batch.
        max_timestamp: largest timestamp of all its records, -1 without records; None where they cannot be read.
        max_timestamp_up_to: the same of its records up to the offset.
    """

    last_offset: int
    max_timestamp: int | None
    max_timestamp_up_to: int | None


class TimeLookup:
    """The answers to all offsets of a time index.

    Args:
        log: the open log.
        offsets: absolute ones, in the order of the index.

    Attributes:
        errors: why batches cannot be read, one for each.

    Raises:
        SourceError: the log cannot be read.
    """

    def __init__(self, log: File, offsets: "array[int]") -> None:
        self.errors: list[KafkafmtError] = []
        self._answered = bytearray(len(offsets))
        self._answers = [array("q", bytes(8 * len(offsets))) for _ in range(3)]
        order: Sequence[int] = range(len(offsets))
        if not all(map(le, offsets, offsets[1:])):
            order = sorted(order, key=offsets.__getitem__)
        batches = _Batches(log)
        for number in order:
            batch = batches.find(offsets[number])
            if batch is None:
                break
            self._answered[number], *answer = self._ask(batch, offsets[number])
            for answers, value in zip(self._answers, answer, strict=True):
                answers[number] = value

    def __getitem__(self, number: int) -> Found | None:
        """Give the answer to an offset by its place in the index; None where the log ends before it."""
        if self._answered[number] == _ABSENT:
            return None
        last_offset, of_all, up_to = (answers[number] for answers in self._answers)
        return Found(last_offset, of_all, up_to) if self._answered[number] == _READ else Found(last_offset, None, None)

    def _ask(self, batch: "_Batch", offset: int) -> tuple[int, int, int, int]:
        try:
            return _READ, batch.last_offset, *batch.max_timestamps(offset)
        except DataError as error:
            if not self.errors or self.errors[-1].position != error.position:
                self.errors.append(error)
            return _UNREADABLE, batch.last_offset, 0, 0


class _Batch:
    """A batch that ends at or above a wanted offset."""

    def __init__(self, entry: Entry, last_offset: int) -> None:
        self._entry = entry
        self.last_offset = last_offset
        self._error: KafkafmtError | None = None
        self._offsets: list[int] | None = None
        self._highest: list[int] = []

    def max_timestamps(self, up_to: int) -> tuple[int, int]:
        """Tell the largest timestamp of all its records, and of those up to an offset; -1 without records.

        Raises:
            KafkafmtError: the records cannot be read.
        """
        if self._error is not None:
            raise self._error
        if self._offsets is None:
            try:
                self._offsets = self._read()
            except KafkafmtError as error:
                self._error = error
                raise
        place = bisect_right(self._offsets, up_to)
        return (
            self._highest[-1] if self._highest else _NO_TIMESTAMP,
            self._highest[place - 1] if place else _NO_TIMESTAMP,
        )

    def _read(self) -> list[int]:
        header = self._entry.header()
        if (
            header.magic == CURRENT_MAGIC
            and header.timestamp_type == LOG_APPEND_TIME
            and header.base_offset is not None
        ):
            # Only with LogAppendTime is the header's timestamp by definition that of every record.
            self._highest = [header.max_timestamp or 0] if header.count else []
            return [header.base_offset] if header.count else []
        pairs = sorted((record.offset, record.timestamp) for record in self._entry.records(header=header))
        self._highest = list(accumulate(map(itemgetter(1), pairs), max))
        return [offset for offset, _ in pairs]


class _Batches:
    """The batches of a log, looked up by ever higher offsets in one walk."""

    def __init__(self, log: File) -> None:
        self._walk = SegmentReader(log, on_damage="skip").walk(self._visit)
        self._wanted = 0
        self._found: _Batch | None = None

    def find(self, offset: int) -> _Batch | None:
        """Find the first batch that ends at or above an offset, which must not be lower than the one before."""
        self._wanted = offset
        if self._found is None or self._found.last_offset < offset:
            self._found = next((batch for batch in self._walk if batch is not None), None)
        return self._found

    def _visit(self, entry: Entry) -> _Batch | None:
        known = as_known_format(entry)
        last_offset = known.describe().last_offset
        return None if last_offset is None or last_offset < self._wanted else _Batch(known, last_offset)
