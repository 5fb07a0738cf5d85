"""Segments and raft snapshots as text: first the output of Kafka's tool, then the other whole entries of the file.

Kafka's iterator goes from entry to entry by their declared sizes, regardless of CRCs, and stops or fails at the first
impossible size; so does stdout. Whole entries that it does not reach are printed on stderr.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable

from kafkafmt.cli.dump import DECODER_OPTIONS
from kafkafmt.cli.dump.batch_text import BatchText
from kafkafmt.cli.dump.console import Console, Line
from kafkafmt.cli.dump.index import Pairs
from kafkafmt.cli.dump.kafkas_view import (
    BOOTSTRAP_SNAPSHOT,
    as_known_format,
    base_offset_of,
    header_at_fixed_places,
    internal_topic_of,
    snapshot_id_of,
)
from kafkafmt.cli.dump.options import DumpOptions
from kafkafmt.errors import CorruptError, DataError, UnsupportedError
from kafkafmt.files.kinds import KINDS, kind_of, without_suffix
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.offset_order import OffsetFault, OffsetOrder
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.io.base import File, Location
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC


def dump(location: Location, options: DumpOptions, console: Console) -> None:
    """Dump a segment or a raft snapshot.

    Raises:
        SourceError: the file cannot be read, or is a packed backup.
    """
    with location.open() as file:
        refuse_wrapped(file)
        title = _title(location.name)
        if title is not None:
            console.line(title)
        if options.topic_decoder is None:
            topic = internal_topic_of(location)
            if topic is not None:
                console.hint(f"--{DECODER_OPTIONS[topic]} decodes records of {topic} say")
        _LogDump(location, file, options, console).run()


def _title(name: str) -> str | None:
    plain, _ = without_suffix(name)
    if kind_of(name) is KINDS["log"]:
        base_offset = base_offset_of(plain)
        return None if base_offset is None else f"Log starting offset: {base_offset}"
    if plain == BOOTSTRAP_SNAPSHOT:
        return "KRaft bootstrap snapshot"
    snapshot_id = snapshot_id_of(plain)
    return None if snapshot_id is None else f"Snapshot end offset: {snapshot_id[0]}, epoch: {snapshot_id[1]}"


class _LogDump:
    """The dump of one open log."""

    def __init__(self, location: Location, file: File, options: DumpOptions, console: Console) -> None:
        self._location = location
        self._path = str(location)
        self._file = file
        self._options = options
        self._console = console
        self._limits = Limits()
        self._text = BatchText(options, console.finding)
        self._gaps = Pairs()
        self._last_offset: int | None = None
        plain, _ = without_suffix(location.name)
        base_offset = base_offset_of(plain) if kind_of(location.name) is KINDS["log"] else None
        self._order = OffsetOrder(SegmentBounds(base_offset=base_offset), self._say_out_of_order)
        self._goes_back = False
        self._beyond_bound = False
        # Position of the first entry whose size cannot be trusted, and positions of all later entries on stdout.
        self._bad_from: int | None = None
        self._dumped = array("q")

    def run(self) -> None:
        """Print the whole dump."""
        end = 0
        walk = SegmentReader(self._file, name=self._path, limits=self._limits).walk(self._visit)
        try:
            while self._may_hold_an_entry(end):
                visited = next(walk, None)
                if visited is None or self._beyond_bound:
                    break
                end = visited
        except DataError as error:
            self._console.finding(error)
            self._distrust(end)
        if self._options.max_bytes is None and end < self._file.size:
            self._console.line(f"Found {self._file.size - end} invalid bytes at the end of {self._location.name}")
        self._gaps.print(
            self._console, f"Non-consecutive offsets in {self._location.absolute}", "  {} is followed by {}"
        )
        self._order.end()
        if self._goes_back:
            self._console.finding(CorruptError("offsets go back or repeat", file=self._path))
        if self._bad_from is not None and self._options.max_bytes is None:
            self._dump_what_was_missed(self._bad_from)
        self._text.print_summary(self._path)

    def _may_hold_an_entry(self, position: int) -> bool:
        bound = self._options.max_bytes
        return bound is None or position < min(bound, self._file.size) - HEADER_SIZE_UP_TO_MAGIC

    def _visit(self, entry: Entry) -> int:
        end = entry.position + entry.frame.size_in_bytes
        if self._options.max_bytes is not None and end > self._options.max_bytes:
            self._beyond_bound = True
            return end
        self._dump_entry(entry, self._console.line)
        if self._bad_from is not None:
            self._dumped.append(entry.position)
        return end

    def _dump_entry(self, entry: Entry, print_line: Callable[[Line], None]) -> None:
        known = as_known_format(entry)
        header = known.describe(verify_checksum=True)
        if not header.is_valid:
            self._distrust(entry.position)
        if header.timestamp_type is not None:
            print_line(self._text.batch_line(header, entry.frame.magic))
        else:
            fixed = header_at_fixed_places(known, self._file)
            if fixed is not None:
                fixed.is_valid = header.is_valid
                print_line(self._text.batch_line(fixed, entry.frame.magic))
        self._judge(entry, header)
        if header.is_valid:
            self._order.see(header)
        if self._options.deep_iteration and header.timestamp_type is not None:
            self._dump_records(known, header, print_line)

    def _judge(self, entry: Entry, header: BatchHeader) -> None:
        magic = entry.frame.magic
        if not 0 <= magic <= CURRENT_MAGIC:
            self._console.finding(
                UnsupportedError(
                    f"an unknown message format, printed as format {1 if magic < 0 else 2}",
                    file=self._path,
                    position=entry.position,
                    expected=f"magic 0 to {CURRENT_MAGIC}",
                    found=magic,
                )
            )
        if header.error is not None:
            self._console.finding(header.error)
        elif header.compression is None and not self._options.deep_iteration:
            self._console.finding(
                UnsupportedError("a codec that Kafka does not know", file=self._path, position=entry.position)
            )

    def _say_out_of_order(self, fault: OffsetFault) -> None:
        if fault.first_offset is None:
            self._goes_back = True  # reported once, after the pairs of offsets that do not follow each other
        else:
            self._console.finding(CorruptError(fault.message, file=self._path, position=fault.position))

    def _dump_records(self, entry: Entry, header: BatchHeader, print_line: Callable[[Line], None]) -> None:
        last = self._last_offset
        is_first = True
        try:
            for record, line in self._text.records_of(entry, header, self._limits):
                print_line(line)
                if last is not None:
                    if record.offset != to_int64(last + 1):  # wraps as in Java
                        self._gaps.add(last, record.offset)
                    self._goes_back |= record.offset <= last and not is_first
                last = record.offset
                is_first = False
        except DataError as error:
            self._console.finding(error)
        self._last_offset = last

    def _distrust(self, position: int) -> None:
        if self._bad_from is None:
            self._bad_from = position

    def _dump_what_was_missed(self, bad_from: int) -> None:
        """Print the entries after the first bad one that only a search finds, on stderr."""
        missed_until = -1

        def dump_if_missed(entry: Entry) -> None:
            nonlocal missed_until
            if entry.position < bad_from:
                return
            entry.verify_checksum()
            place = bisect_left(self._dumped, entry.position)
            if place < len(self._dumped) and self._dumped[place] == entry.position:
                return
            if missed_until != entry.position:
                self._console.note(f"{self._path}: position {entry.position}: entry found by a search after the damage")
            missed_until = entry.position + entry.frame.size_in_bytes
            self._dump_entry(entry, self._console.error_line)

        reader = SegmentReader(self._file, name=self._path, limits=self._limits, on_damage="skip")
        for _ in reader.walk(dump_if_missed):
            pass
