"""Segments and raft snapshots as text: first the output of Kafka's tool, then all other whole entries of the file.

Kafka's iterator goes from entry to entry by their declared sizes, whatever their CRCs, and stops or dies at the first
size that cannot be; so does stdout. Whole entries that it does not reach go to stderr.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator

from kafkafmt.cli.dump import DECODER_OPTIONS
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
from kafkafmt.cli.dump.options import Contents, Decoder, DumpOptions, decode_bytes, decode_string
from kafkafmt.cli.dump.topic_decoders import as_json
from kafkafmt.codec.java_text import LARGE, PIECE, text_pieces
from kafkafmt.errors import ChecksumError, CorruptError, DataError, KafkafmtError, UnsupportedError
from kafkafmt.files.kinds import KINDS, kind_of, without_suffix
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.files.offset_order import OffsetFault, OffsetOrder
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.io.base import File, Location
from kafkafmt.limits import Limits
from kafkafmt.reference.control import TRANSACTION_MARKERS
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, HEADER_SIZE_UP_TO_MAGIC
from kafkafmt.reference.record import Record

_CONTROL_TITLES = {
    "LEADER_CHANGE": "LeaderChange:",
    "SNAPSHOT_HEADER": "SnapshotHeader",
    "SNAPSHOT_FOOTER": "SnapshotFooter",
    "KRAFT_VERSION": "KRaftVersion",
    "KRAFT_VOTERS": "KRaftVoters",
}


class BatchText:
    """Words batches and records.

    Args:
        options: the parts of records to print.
        report: called with faults inside a record.
    """

    def __init__(self, options: DumpOptions, report: Callable[[KafkafmtError], None]) -> None:
        self._options = options
        self._report = report
        self._undecoded = {"keys": 0, "values": 0}
        self._decoded_records = 0
        self._passed_over = 0
        self._first_passed_over: tuple[int, KafkafmtError] | None = None

    def batch_line(self, header: BatchHeader, magic: int) -> str:
        """Word a batch, message or wrapper.

        Args:
            header: its whole fields.
            magic: as stored in the file.
        """
        if header.magic >= CURRENT_MAGIC:
            horizon = header.delete_horizon_ms
            start = (
                f"baseOffset: {header.base_offset} lastOffset: {header.last_offset} count: {header.count} "
                f"baseSequence: {header.base_sequence} lastSequence: {header.last_sequence} "
                f"producerId: {header.producer_id} producerEpoch: {header.producer_epoch} "
                f"partitionLeaderEpoch: {header.partition_leader_epoch} "
                f"isTransactional: {_boolean(header.is_transactional)} isControl: {_boolean(header.is_control_batch)} "
                f"deleteHorizonMs: {optional_long(horizon)}"
            )
        else:
            start = f"offset: {header.last_offset}"
        return (
            f"{start} position: {header.position} {header.timestamp_type}: {header.max_timestamp} "
            f"size: {header.size_in_bytes} magic: {magic} compresscodec: {header.compression or 'unknown'} "
            f"crc: {header.crc} isvalid: {_boolean(header.is_valid is not False)}"
        )

    def records_of(self, entry: Entry, header: BatchHeader, limits: Limits) -> Iterator[tuple[Record, Line]]:
        """Word the records of an entry, whatever its CRC; the pieces of a line are to be taken before the next line.

        Raises:
            KafkafmtError: at an unreadable part; after the records that Kafka's tool prints before it.
        """
        records = entry.readable_records(header, limits)
        if entry.frame.magic >= CURRENT_MAGIC:
            for record in records:
                yield record, self._record_line(record, header)
        else:
            checksums = self._checksums(entry, header, limits)
            for record in records:
                crc, error = next(checksums)
                is_valid = error is None and (header.compression != "none" or header.is_valid is not False)
                yield record, self._record_line(record, header, (crc, is_valid))
                if error is not None:
                    error.message = f"inner message, offset {record.offset}: {error.message}"
                    self._report(error.at(header.file, header.position))

    def print_summary(self, path: str) -> None:
        """Report how many keys and values, or records, the chosen decoders could not read."""
        if self._first_passed_over is not None:
            self._report(self._about_passed_over(*self._first_passed_over, path))
        failed = [f"{count} {what}" for what, count in self._undecoded.items() if count]
        if failed:
            self._report(
                CorruptError(
                    f"{' and '.join(failed)} are too short for the decoder, and are printed in hexadecimal",
                    file=path,
                )
            )

    def _about_passed_over(self, offset: int, first: KafkafmtError, path: str) -> KafkafmtError:
        if self._passed_over == self._decoded_records:
            which = "no record could be decoded, so this may be another topic's decoder"
        else:
            which = f"{self._passed_over} of {self._decoded_records} records could not be decoded"
        message = f"{which}; the first, at offset {offset}: {first.message}"
        return type(first)(message, file=path, position=first.position, expected=first.expected, found=first.found)

    @staticmethod
    def _checksums(
        entry: Entry, header: BatchHeader, limits: Limits
    ) -> Iterator[tuple[int | None, ChecksumError | None]]:
        if header.compression == "none":
            return iter(((header.crc, None),))
        return entry.inner_checksums(limits)

    def _record_line(
        self, record: Record, header: BatchHeader, checksum: tuple[int | None, bool] | None = None
    ) -> Line:
        options = self._options
        key, value = record.key, record.value
        line = "|"
        if not options.skip_record_metadata:
            line = (
                f"| offset: {record.offset} {header.timestamp_type}: {record.timestamp} "
                f"keySize: {-1 if key is None else len(key)} valueSize: {-1 if value is None else len(value)}"
            )
            if checksum is None:
                header_keys = ",".join([name for name, _ in record.headers])
                line += f" sequence: {record.sequence} headerKeys: [{header_keys}]"
            else:
                line += f" isValid: {_boolean(checksum[1])} crc: {checksum[0]}"
            if header.is_control_batch:
                line += self._control_text(record)
        if options.print_data_log and not header.is_control_batch:
            if options.topic_decoder is None and max(len(key or b""), len(value or b"")) > LARGE:
                return self._long_line(line, key, value)
            contents = self._contents(record)
            if contents.key is not None:
                line += f" key: {contents.key}"
            if contents.payload is not None:
                line += f" payload: {contents.payload}"
        return "" if line == "|" else line

    def _long_line(self, start: str, key: bytes | None, value: bytes | None) -> Iterator[str]:
        """The line of a record with a large key or value, which as one text would take up to eight times its bytes."""
        options = self._options
        yield start
        if key is not None:
            yield " key: "
            yield from self._decoded_pieces(key, options.key_decoder, "keys")
        if value is not None:
            yield " payload: "
            yield from self._decoded_pieces(value, options.value_decoder, "values")

    def _decoded_pieces(self, data: bytes, decode: Decoder, what: str) -> Iterator[str]:
        if decode is decode_string:
            yield from text_pieces(data)
        elif decode is decode_bytes:
            yield from (data[begin : begin + PIECE].hex() for begin in range(0, len(data), PIECE))
        else:
            yield self._decoded(data, decode, what)

    def _contents(self, record: Record) -> Contents:
        options = self._options
        if options.topic_decoder is None:
            key, value = record.key, record.value
            return Contents(
                None if key is None else self._decoded(key, options.key_decoder, "keys"),
                None if value is None else self._decoded(value, options.value_decoder, "values"),
            )
        contents = options.topic_decoder(record)
        self._decoded_records += 1
        if contents.error is not None:
            self._passed_over += 1
            if self._first_passed_over is None:
                self._first_passed_over = record.offset, contents.error.at(position=record.position)
        return contents

    def _decoded(self, data: bytes, decode: Decoder, what: str) -> str:
        try:
            return decode(data)
        except ValueError:
            self._undecoded[what] += 1
            return data.hex()

    def _control_text(self, record: Record) -> str:
        kind = record.control_type or ""
        try:
            if kind in TRANSACTION_MARKERS:
                return f" endTxnMarker: {kind} coordinatorEpoch: {record.coordinator_epoch}"
            if kind in _CONTROL_TITLES:
                return f" {_CONTROL_TITLES[kind]} {as_json(record.control_value)}"
        except KafkafmtError as error:
            self._report(error)
        else:
            if record.control_type_id is None:
                self._report(
                    CorruptError("not the key of a control record", file=record.file, position=record.position)
                )
        return f" controlType: {kind}({record.control_type_id})"


def optional_long(number: int | None) -> str:
    """Print a number that may be missing as Java's OptionalLong does."""
    return "OptionalLong.empty" if number is None else f"OptionalLong[{number}]"


def _boolean(value: bool) -> str:
    return "true" if value else "false"


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
        # Position of the first entry whose size cannot be trusted, and of all entries on stdout from there on.
        self._bad_from: int | None = None
        self._dumped = array("q")

    def run(self) -> None:
        """Print all."""
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
            self._goes_back = True  # said once, after the pairs of offsets that do not follow each other
        else:
            self._console.finding(CorruptError(fault.message, file=self._path, position=fault.position))

    def _dump_records(self, entry: Entry, header: BatchHeader, print_line: Callable[[Line], None]) -> None:
        last = self._last_offset
        is_first = True
        try:
            for record, line in self._text.records_of(entry, header, self._limits):
                print_line(line)
                if last is not None:
                    if record.offset != to_int64(last + 1):  # as Java adds
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
        """Print on stderr the entries after the first bad one that only a search finds."""
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
