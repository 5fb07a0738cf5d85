"""Time indexes as text, each entry checked against the batch of its offset, in one walk over the log."""

from array import array

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.index_files import (
    base_offset_or_note,
    check_sanity,
    ends_index,
    open_log_beside,
    report_trailing_bytes,
)
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.cli.dump.pairs import Pairs
from kafkafmt.cli.dump.time_lookup import Found, TimeLookup
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files import time_index
from kafkafmt.files.kinds import KINDS, LAYOUTS
from kafkafmt.files.time_index import TimeIndex
from kafkafmt.io.base import File, Location
from kafkafmt.io.source import read_bytes

_NO_TIMESTAMP = -1
_ERRORS_SHOWN = 10


def dump(location: Location, options: DumpOptions, console: Console) -> None:
    """Dump a time index, an entry a line.

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
        """Print the entries, then what is wrong with them."""
        lookup = TimeLookup(self._log, array("q", (offset for _, _, offset in self._index if offset is not None)))
        previous_timestamp, previous_offset = _NO_TIMESTAMP, None
        for number, (timestamp, relative_offset, offset) in enumerate(self._index):
            if ends_index(self._path, self._index, number, relative_offset, self._console):
                break
            if not self._options.verify_index_only:
                self._console.line(f"timestamp: {timestamp} offset: {relative_offset if offset is None else offset}")
            if offset is None:
                continue
            if previous_offset is not None and offset < previous_offset:
                self._is_wrong(number, f"offset {offset} is lower than that of the entry before")
            if not (timestamp == relative_offset == 0 and len(self._index) == 1 and _is_padding(lookup[0], offset)):
                self._compare(number, timestamp, offset, previous_timestamp, lookup[number])
            previous_timestamp, previous_offset = timestamp, offset
        self._print(lookup.errors)

    def _compare(self, number: int, timestamp: int, offset: int, previous_timestamp: int, found: Found | None) -> None:
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
                self._is_wrong(number, f"timestamp {timestamp} is not above {previous_timestamp} of the entry before")
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
            self._console.note(f"{self._path}: these entries hold what a time index promises all the same")


def _is_padding(found: Found | None, offset: int) -> bool:
    """Tell zeros that were never written from the entry of a record of timestamp 0 at the base offset."""
    return found is None or found.last_offset != offset or found.max_timestamp != 0
