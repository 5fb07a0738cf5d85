"""Offset indexes as text, each entry checked against the batch that it points to."""

from kafkafmt.cli.dump.console import Console
from kafkafmt.cli.dump.fixed_places import as_known_format
from kafkafmt.cli.dump.index_files import (
    base_offset_or_note,
    check_sanity,
    ends_index,
    open_log_beside,
    report_trailing_bytes,
)
from kafkafmt.cli.dump.names import as_java_prints
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.cli.dump.pairs import Pairs
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files import offset_index
from kafkafmt.files.kinds import KINDS, LAYOUTS
from kafkafmt.files.offset_index import OffsetIndex
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import File, Location
from kafkafmt.io.source import read_bytes
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import (
    HEADER_SIZE_UP_TO_MAGIC,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    read_frame,
)


def dump(location: Location, options: DumpOptions, console: Console) -> None:
    """Dump an offset index, an entry a line.

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

    Positions that lie close together, as those of an index do, are read in one piece.
    """

    def __init__(self, log: File) -> None:
        self._log = log
        self._begin = 0
        self._data = b""

    def at(self, position: int) -> int | None:
        """Read the last offset of the entry at a position.

        Returns:
            None where no whole entry can begin.

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
        # Offset and position of entries that point to a batch of another last offset.
        self._doubtful: list[tuple[int, int]] = []
        self._error: KafkafmtError | None = None
        self._astray = 0

    def run(self) -> None:
        """Print the entries, then what is wrong with them."""
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
            self._console.note(f"{self._path}: {self._astray} entries of the index lead astray")

    def _goes_astray(self, number: int, message: str) -> None:
        self._astray += 1
        if self._error is None:
            self._error = CorruptError(message, file=self._path, position=number * LAYOUTS["index"].size)

    def _judge_mismatches(self) -> None:
        # An index promises no more than that nothing at or above an entry's offset lies before its position. Kafka up
        # to 1.1 wrote the first offset of what it appended, some later releases the last one of several batches.
        if not self._doubtful:
            return
        doubtful = sorted(self._doubtful, key=lambda each: each[1])
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
            self._console.note(f"{self._path}: these entries lead to the right places all the same")
        else:
            self._astray += len(doubtful) - kept
            self._error = self._error or CorruptError(
                "entries of the index lead behind the batches of their offsets",
                file=self._path,
                found=f"{len(doubtful) - kept} of {len(self._index)}",
            )


def _place_and_offset(entry: Entry) -> tuple[int, int]:
    last_offset = _last_offset(entry)
    return entry.position, -1 if last_offset is None else last_offset
