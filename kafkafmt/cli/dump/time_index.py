"""Time indexes dumped, and compared with the log as DumpLogSegments does."""

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter, le
from typing import TYPE_CHECKING

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.index import (
    Pairs,
    base_offset_or_note,
    check_sanity,
    ends_index,
    open_log_beside,
    report_trailing_bytes,
)
from kafkafmt.cli.dump.kafkas_view import as_known_format
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.errors import CorruptError, DataError, KafkafmtError
from kafkafmt.files import time_index
from kafkafmt.files.kinds import KINDS, LAYOUTS
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.time_index import TimeIndex
from kafkafmt.io.base import File, Location
from kafkafmt.io.source import read_bytes
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import LOG_APPEND_TIME
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_TIME = -1
_ABSENT, _UNREADABLE, _READ = range(3)

_ERRORS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class FirstBatch:
    """The first batch of a log that ends at or above an offset.

    Attributes:
        last_offset: last offset of the batch.
        max_timestamp: largest timestamp of all its records, -1 without records; None if they cannot be read.
        max_timestamp_up_to: largest timestamp of its records up to the offset; -1 or None as above.
    """

    last_offset: int
    max_timestamp: int | None
    max_timestamp_up_to: int | None


class TimeLookup:
    """The first batches for all offsets of a time index.

    Args:
        log: the open log.
        offsets: absolute offsets, in the order of the index.

    Attributes:
        errors: the reasons why batches cannot be read, one for each batch.

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

    def __getitem__(self, number: int) -> FirstBatch | None:
        """The first batch for an offset, by its place in the index; None if the log ends before it."""
        if self._answered[number] == _ABSENT:
            return None
        last_offset, of_all, up_to = (answers[number] for answers in self._answers)
        return (
            FirstBatch(last_offset, of_all, up_to)
            if self._answered[number] == _READ
            else FirstBatch(last_offset, None, None)
        )

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
        """The largest timestamp of all its records, and of those up to an offset; -1 without records.

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
            self._highest[-1] if self._highest else _NO_TIME,
            self._highest[place - 1] if place else _NO_TIME,
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
    """The batches of a log, looked up by ascending offsets in one walk."""

    def __init__(self, log: File) -> None:
        self._walk = SegmentReader(log, on_damage="skip").walk(self._visit)
        self._wanted = 0
        self._found: _Batch | None = None

    def find(self, offset: int) -> _Batch | None:
        """Find the first batch that ends at or above an offset, which must not be lower than the previous one."""
        self._wanted = offset
        if self._found is None or self._found.last_offset < offset:
            self._found = next((batch for batch in self._walk if batch is not None), None)
        return self._found

    def _visit(self, entry: Entry) -> _Batch | None:
        known = as_known_format(entry)
        last_offset = known.describe().last_offset
        return None if last_offset is None or last_offset < self._wanted else _Batch(known, last_offset)


def dump(location: Location, options: DumpOptions, console: Console) -> None:
    """Dump a time index, one line for each entry.

    Raises:
        KafkafmtError: the index cannot be read, or is too large.
    """
    path = str(location)
    data = read_bytes(location, max_bytes=KINDS["timeindex"].max_bytes)
    base_offset = base_offset_or_note(location, console)
    index = time_index.parse(data, base_offset=base_offset, file=path)
    if options.index_sanity_check:
        check_sanity(location, index.sanity_error, console)
        return
    log = open_log_beside(location, console) if len(index) else None
    if log is None:
        _print_entries(path, index, options, console)
    else:
        with log:
            _Check(location, index, log, options, console).run()
    report_trailing_bytes(path, index.trailing_bytes, console)


def _print_entries(path: str, index: TimeIndex, options: DumpOptions, console: Console) -> None:
    for number, (timestamp, relative_offset, offset) in enumerate(index):
        if ends_index(path, index, number, relative_offset, console):
            break
        if not options.verify_index_only:
            console.line(f"timestamp: {timestamp} offset: {relative_offset if offset is None else offset}")


class _Check:
    """The check of one index against its open log."""

    def __init__(self, location: Location, index: TimeIndex, log: File, options: DumpOptions, console: Console) -> None:
        self._location = location
        self._path = str(location)
        self._index = index
        self._log = log
        self._options = options
        self._console = console
        self._mismatches = Pairs()
        self._out_of_order = Pairs()
        self._not_found = Pairs()
        self._errors: list[KafkafmtError] = []
        self._error_count = 0

    def run(self) -> None:
        """Print the entries, then their faults."""
        lookup = TimeLookup(self._log, array("q", (offset for _, _, offset in self._index if offset is not None)))
        previous_timestamp, previous_offset = _NO_TIME, None
        for number, (timestamp, relative_offset, offset) in enumerate(self._index):
            if ends_index(self._path, self._index, number, relative_offset, self._console):
                break
            if not self._options.verify_index_only:
                self._console.line(f"timestamp: {timestamp} offset: {relative_offset if offset is None else offset}")
            if offset is None:
                continue
            if previous_offset is not None and offset < previous_offset:
                self._is_wrong(number, f"offset {offset} is below that of the previous entry")
            if not (timestamp == relative_offset == 0 and len(self._index) == 1 and _is_padding(lookup[0], offset)):
                self._compare(number, timestamp, offset, previous_timestamp, lookup[number])
            previous_timestamp, previous_offset = timestamp, offset
        self._print(lookup.errors)

    def _compare(
        self, number: int, timestamp: int, offset: int, previous_timestamp: int, found: FirstBatch | None
    ) -> None:
        if found is None or found.last_offset != offset:
            self._not_found.add(offset, -1 if found is None else found.last_offset)
        if found is None:
            self._is_wrong(number, f"the log ends before offset {offset}")
            return
        if found.max_timestamp is None or found.max_timestamp_up_to is None:
            return
        if found.last_offset == offset:
            if found.max_timestamp != timestamp:
                self._mismatches.add(timestamp, found.max_timestamp)
            if previous_timestamp >= timestamp:
                self._out_of_order.add(timestamp, previous_timestamp)
                self._is_wrong(number, f"timestamp {timestamp} is not above {previous_timestamp} of the previous entry")
        if found.max_timestamp_up_to > timestamp:
            self._is_wrong(
                number,
                f"timestamp {timestamp} is below {found.max_timestamp_up_to}, which comes up to offset {offset}",
            )

    def _is_wrong(self, number: int, what: str) -> None:
        self._error_count += 1
        if len(self._errors) < _ERRORS_SHOWN:
            self._errors.append(CorruptError(what, file=self._path, position=number * LAYOUTS["timeindex"].size))

    def _print(self, unreadable: list[KafkafmtError]) -> None:
        path = self._location.absolute
        self._mismatches.print(
            self._console, f"Found timestamp mismatch in :{path}", "  Index timestamp: {}, log timestamp: {}"
        )
        self._out_of_order.print(
            self._console,
            f"Found out of order timestamp in :{path}",
            "  Index timestamp: {}, Previously indexed timestamp: {}",
        )
        self._not_found.print(
            self._console,
            f"The following indexed offsets are not found in :{path}",
            "Indexed offset: {}, found log offset: {}",
        )
        for error in (*unreadable, *self._errors):
            self._console.finding(error)
        if self._error_count > len(self._errors):
            self._console.note(f"{self._path}: {self._error_count} entries of the time index are wrong")
        elif not self._errors and (self._mismatches or self._not_found):
            self._console.note(f"{self._path}: these entries still satisfy the rule of a time index")


def _is_padding(found: FirstBatch | None, offset: int) -> bool:
    """Whether a zero entry was never written, and is not that of a record with timestamp 0 at the base offset."""
    return found is None or found.last_offset != offset or found.max_timestamp != 0
