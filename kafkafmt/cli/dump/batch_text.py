"""Batches and records in the words of Kafka's tool, with the parts of records that the options ask for."""

from collections.abc import Callable, Iterator

from kafkafmt.cli.dump.console import Line
from kafkafmt.cli.dump.options import Contents, Decoder, DumpOptions, decode_bytes, decode_string
from kafkafmt.cli.dump.topic_decoders import as_json
from kafkafmt.codec.java_text import LARGE, PIECE, text_pieces
from kafkafmt.errors import ChecksumError, CorruptError, KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.reference.control import TRANSACTION_MARKERS
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.reference.record import Record

_CONTROL_TITLES = {
    "LEADER_CHANGE": "LeaderChange:",
    "SNAPSHOT_HEADER": "SnapshotHeader",
    "SNAPSHOT_FOOTER": "SnapshotFooter",
    "KRAFT_VERSION": "KRaftVersion",
    "KRAFT_VOTERS": "KRaftVoters",
}


class BatchText:
    """Makes the text of batches and records.

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
        """The text of a batch, message or wrapper.

        Args:
            header: its header, with all fields.
            magic: its magic as stored in the file.
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
        """The text of an entry's records, regardless of its CRC; take the pieces of a line before the next line.

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
        """The line of a record with a large key or value, in pieces: one text would take up to eight times as much."""
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
    """A number that may be missing, as Java's OptionalLong prints it."""
    return "OptionalLong.empty" if number is None else f"OptionalLong[{number}]"


def _boolean(value: bool) -> str:
    return "true" if value else "false"
