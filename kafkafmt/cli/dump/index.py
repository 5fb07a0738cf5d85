"""Indexes dumped: offset and transaction indexes, and the results of a sanity check or a comparison with the log."""

from array import array

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.kafkas_view import as_java_prints, as_known_format, base_offset_of
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.errors import CorruptError, KafkafmtError, SourceError, UnsupportedError
from kafkafmt.files import offset_index, transaction_index
from kafkafmt.files.kinds import KINDS, LAYOUTS, without_suffix
from kafkafmt.files.offset_index import OffsetIndex
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.time_index import TimeIndex
from kafkafmt.io.base import File, Location
from kafkafmt.io.source import read_bytes
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import (
    HEADER_SIZE_UP_TO_MAGIC,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    read_frame,
)

MAX_KEPT = 1_000_000
"""Most pairs that are kept; further ones are only counted, as a compacted log may have a gap after every record."""


def report_trailing_bytes(path: str, trailing_bytes: int, console: Console) -> None:
    """Report bytes after the last whole entry of an index, if there are any."""
    if trailing_bytes:
        console.finding(
            CorruptError("the index ends inside an entry", file=path, found=f"{trailing_bytes} bytes of one")
        )


def check_sanity(location: Location, error: CorruptError | None, console: Console) -> None:
    """Print whether a starting broker would keep an index."""
    if error is None:
        console.line(f"{as_java_prints(location)} passed sanity check.")
        return
    console.finding(error)
    console.note(f"{location}: brokers before 4.0 rebuild this index when they start; later ones do not check it")


def open_log_beside(location: Location, console: Console) -> File | None:
    """Open the log of an index, or report that the index is not checked without it.

    `0.index.deleted` belongs to `0.log.deleted`, or to `0.log` if only that exists.
    """
    plain, suffix = without_suffix(location.name)
    name = plain.split(".")[0] + ".log"
    try:
        try:
            return location.sibling(name + suffix).open()
        except SourceError:
            if not suffix:
                raise
            return location.sibling(name).open()
    except SourceError as error:
        error.message = f"the index is not checked: its log cannot be read: {error.message}"
        console.finding(error)
    return None


def ends_index(path: str, index: OffsetIndex | TimeIndex, number: int, relative_offset: int, console: Console) -> bool:
    """Whether Kafka's tool takes an entry for the end of an index: one with the base offset that is not the first.

    The entries contain no padding, so everything that follows such an entry is reported.
    """
    if number == 0 or relative_offset != 0:
        return False
    console.finding(
        CorruptError(
            f"entry {number} has the base offset, so Kafka's tool stops there, but others follow",
            file=path,
            found=f"{len(index) - number} entries left out",
        )
    )
    return True


def base_offset_or_note(location: Location, console: Console) -> int | None:
    """Read the base offset from an index's name; report it if there is none."""
    base_offset = base_offset_of(location.name)
    if base_offset is None:
        console.note(f"{location}: the file name has no base offset, so offsets are printed as stored")
    return base_offset


class Pairs:
    """Pairs of 64-bit numbers, in 16 bytes each."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._dropped = 0

    def add(self, first: int, second: int) -> None:
        """Remember a pair."""
        if len(self._numbers) < 2 * MAX_KEPT:
            self._numbers.append(first)
            self._numbers.append(second)
        else:
            self._dropped += 1

    def __len__(self) -> int:
        return len(self._numbers) // 2 + self._dropped

    def print(self, console: Console, title: str, wording: str, *, descending: bool = False) -> None:
        """Print a title and a line for each pair on stderr; nothing without pairs.

        Args:
            console: console with the stderr.
            title: the first line.
            wording: text of a line, with two `{}`.
            descending: whether the last pair comes first.
        """
        if not self._numbers:
            return
        numbers = self._numbers
        places = range(0, len(numbers), 2)
        lines = [title]
        lines += [
            wording.format(numbers[place], numbers[place + 1]) for place in (reversed(places) if descending else places)
        ]
        if self._dropped:
            lines.append(f"  ... and {self._dropped} more")
        console.error_lines(lines)


def dump_transaction_index(location: Location, _: DumpOptions, console: Console) -> None:
    """Dump a transaction index, one line for each aborted transaction, up to one with an unknown version.

    Raises:
        KafkafmtError: the file cannot be read, or is too large.
    """
    path = str(location)
    data = read_bytes(location, max_bytes=KINDS["txnindex"].max_bytes)
    base_offset = base_offset_of(location.name)
    unknown = None
    try:
        index = transaction_index.parse(data, base_offset=base_offset, file=path)
    except UnsupportedError as error:
        unknown = error
        index = transaction_index.parse(data[: error.position], base_offset=base_offset, file=path)
    for entry in index:
        console.line(
            f"version: {entry.version} producerId: {entry.producer_id} firstOffset: {entry.first_offset} "
            f"lastOffset: {entry.last_offset} lastStableOffset: {entry.last_stable_offset}"
        )
    report_trailing_bytes(path, index.trailing_bytes, console)
    for wrong in (unknown, index.sanity_error):
        if wrong is not None:
            console.finding(wrong)


def dump(location: Location, options: DumpOptions, console: Console) -> None:
    """Dump an offset index, one line for each entry.

    Raises:
        KafkafmtError: the index cannot be read, or is too large.
    """
    path = str(location)
    data = read_bytes(location, max_bytes=KINDS["index"].max_bytes)
    base_offset = base_offset_or_note(location, console)
    index = offset_index.parse(data, base_offset=base_offset, file=path)
    if index.entry_count == 0:
        console.line(f"{as_java_prints(location)} is empty.")
        report_trailing_bytes(path, index.trailing_bytes, console)
        return
    if options.index_sanity_check:
        check_sanity(location, index.sanity_error, console)
        return
    log = open_log_beside(location, console)
    if log is None:
        _print_entries(path, index, options, console)
    else:
        with log:
            _Check(location, index, log, options, console).run()
    report_trailing_bytes(path, index.trailing_bytes, console)


class _LastOffsets:
    """The last offsets of entries at given positions of a log, from their headers.

    Positions close together, such as those of an index, are read in one piece.
    """

    def __init__(self, log: File) -> None:
        self._log = log
        self._begin = 0
        self._data = b""

    def at(self, position: int) -> int | None:
        """Read the last offset of the entry at a position.

        Returns:
            None if no whole entry can begin there.

        Raises:
            SourceError: reading failed.
        """
        if not 0 <= position < self._log.size - HEADER_SIZE_UP_TO_MAGIC:
            return None
        data = self._read(position)
        frame = read_frame(data)
        if frame.size < RECORD_OVERHEAD_V0 or position + frame.size_in_bytes > self._log.size:
            return None
        return _last_offset(Entry(data, self._log.name, position))

    def _read(self, position: int) -> bytes:
        end = self._begin + len(self._data)
        if not self._begin <= position <= end - RECORD_BATCH_OVERHEAD:
            near = 0 <= position - self._begin <= self._log.worth_skipping
            self._begin = position
            self._data = self._log.read_at(position, self._log.worth_skipping if near else RECORD_BATCH_OVERHEAD)
        begin = position - self._begin
        return self._data[begin : begin + RECORD_BATCH_OVERHEAD]


def _last_offset(entry: Entry) -> int | None:
    return as_known_format(entry).describe().last_offset


def _print_entries(path: str, index: OffsetIndex, options: DumpOptions, console: Console) -> None:
    for number, (relative_offset, offset, position) in enumerate(index):
        if ends_index(path, index, number, relative_offset, console):
            break
        if not options.verify_index_only:
            console.line(f"offset: {relative_offset if offset is None else offset} position: {position}")


class _Check:
    """The check of one index against its open log."""

    def __init__(
        self, location: Location, index: OffsetIndex, log: File, options: DumpOptions, console: Console
    ) -> None:
        self._location = location
        self._path = str(location)
        self._index = index
        self._log = log
        self._options = options
        self._console = console
        self._mismatches = Pairs()
        # Offset and position of entries that point to a batch with another last offset.
        self._doubtful: list[tuple[int, int]] = []
        self._error: KafkafmtError | None = None
        self._astray = 0

    def run(self) -> None:
        """Print the entries, then their faults."""
        last_offsets = _LastOffsets(self._log)
        for number, (relative_offset, offset, position) in enumerate(self._index):
            if ends_index(self._path, self._index, number, relative_offset, self._console):
                break
            expected = relative_offset if offset is None else offset
            found = last_offsets.at(position)
            may_be_padding = relative_offset == position == 0 and len(self._index) == 1
            if may_be_padding and found is None:
                self._console.line(f"{as_java_prints(self._location)} is empty.")
                return
            if not self._options.verify_index_only:
                self._console.line(f"offset: {expected} position: {position}")
            if found is None:
                self._goes_astray(number, f"an entry points to {position}, where the log has no entry")
            elif found != expected and offset is not None and not may_be_padding:
                self._mismatches.add(expected, found)
                self._doubtful.append((expected, position))
        self._mismatches.print(
            self._console,
            f"Mismatches in :{self._location.absolute}",
            "  Index offset: {}, log offset: {}",
            descending=True,
        )
        self._judge_mismatches()
        if self._error is not None:
            self._console.finding(self._error)
        if self._astray > 1:
            self._console.note(f"{self._path}: {self._astray} index entries are wrong")

    def _goes_astray(self, number: int, message: str) -> None:
        self._astray += 1
        if self._error is None:
            self._error = CorruptError(message, file=self._path, position=number * LAYOUTS["index"].size)

    def _judge_mismatches(self) -> None:
        # An index only promises that all offsets before its position are lower than the entry's. Kafka up to 1.1 wrote
        # the first offset of an appended set, some later releases the last one of several batches.
        if not self._doubtful:
            return
        doubtful = sorted(self._doubtful, key=lambda entry: entry[1])
        kept = 0
        highest = -1
        place = 0
        for position, last_offset in SegmentReader(self._log, name=self._path, on_damage="skip").walk(
            _place_and_offset
        ):
            while place < len(doubtful) and doubtful[place][1] < position:
                place += 1
            while place < len(doubtful) and doubtful[place][1] == position:
                kept += highest < doubtful[place][0]
                place += 1
            highest = max(highest, last_offset)
        if kept == len(doubtful):
            self._console.note(f"{self._path}: these index entries still lead to the right batches")
        else:
            self._astray += len(doubtful) - kept
            self._error = self._error or CorruptError(
                "index entries point past the batches of their offsets",
                file=self._path,
                found=f"{len(doubtful) - kept} of {len(self._index)}",
            )


def _place_and_offset(entry: Entry) -> tuple[int, int]:
    last_offset = _last_offset(entry)
    return entry.position, -1 if last_offset is None else last_offset
