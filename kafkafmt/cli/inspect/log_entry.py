"""Rows of one entry of a log segment: its header, and its content, decompressed if needed.

Structures come from the parsers that record positions. The reference engine reads the same bytes: its verdict is
used, and it finds the record at which a batch breaks without keeping the positions of all records.
"""

import importlib.util
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from kafkafmt_specs_with_positions import kafka_record
from kafkafmt_specs_with_positions.kafka_log_segment import KafkaLogSegment

from kafkafmt.cli.inspect.choosing import RecordChoice, Shown
from kafkafmt.cli.inspect.meaning import Checksum, EntryNotes, expand_control, expand_internal
from kafkafmt.cli.inspect.rows import Row, Space, Walk, fields_of, more_telling, parse, stream_of
from kafkafmt.codec.checksum import crc32, crc32c
from kafkafmt.codec.compression import Compression, decompress, last_codec
from kafkafmt.errors import ChecksumError, KafkafmtError, TruncatedError, UnsupportedError
from kafkafmt.limits import Limits
from kafkafmt.phrases import counted, sized
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.generated_errors import generated_errors
from kafkafmt.reference.header import BatchHeader, to_int64
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    crc_span,
    read_frame,
    read_size,
)
from kafkafmt.reference.parsers import parse_message, range_of_headers, record_parser
from kafkafmt.reference.record_batch import check_count
from kafkafmt.reference.streams import record_stream


def rows_of_entry(
    data: bytes, file: str, position: int, *, wanted: RecordChoice, limits: Limits, topic: str | None = None
) -> list[Row]:
    """Make the rows of one entry.

    Args:
        data: its bytes; if its end is missing, or its size is impossible, the existing part.
        file: name of the file, for errors.
        position: start of the entry in the file, in bytes.
        wanted: the records of it that are shown.
        limits: bounds of the decode.
        topic: internal topic whose keys and values are decoded, or None.

    Returns:
        Rows that tile the entry, followed by those of the decompressed bytes. A row's `error` has its fault.
    """
    entry = _whole(data, file, position)
    if entry is None:
        return _rows_of_piece(data, position)
    return _EntryRows(entry, data, wanted, limits, topic).rows()


def _whole(data: bytes, file: str, position: int) -> Entry | None:
    if len(data) <= HEADER_SIZE_UP_TO_MAGIC:
        return None
    entry = Entry(data, file, position)
    return entry if entry.frame.size_in_bytes == len(data) and entry.frame.size >= RECORD_OVERHEAD_V0 else None


def _rows_of_piece(data: bytes, position: int) -> list[Row]:
    walk = Walk(Space(memoryview(data), position), EntryNotes(position))
    parsed, error = parse(partial(KafkaLogSegment.Entry, 0), data)
    walk.structure(parsed, 0, len(data), "", error)
    if error is None:
        size = f"{LOG_OVERHEAD + parsed.len_body} bytes" if hasattr(parsed, "len_body") else None
        walk.rows[-1].error = TruncatedError("the entry is incomplete", expected=size, found=sized(len(data)))
    return walk.rows


def _of_header(header: BatchHeader, positioned: KafkafmtError | None) -> KafkafmtError | None:
    """Why an entry's header was not parsed; for an unknown magic the reference engine's error says more."""
    return header.error if positioned is not None and isinstance(header.error, UnsupportedError) else positioned


class _EntryRows:
    """Makes the rows of a complete entry."""

    def __init__(self, entry: Entry, data: bytes, wanted: RecordChoice, limits: Limits, topic: str | None) -> None:
        self._entry = entry
        self._topic = topic
        self._data = data
        self._wanted = wanted
        self._limits = limits
        self._header = entry.describe()
        covered = crc_span(entry.frame.magic)[1]
        crc = crc32c if entry.frame.magic >= CURRENT_MAGIC else crc32
        checksum = Checksum(
            crc(memoryview(data)[covered:]), entry.position + covered, entry.position + entry.frame.size_in_bytes
        )
        self._notes = EntryNotes(entry.position, checksum, None if self._header.error else self._header)
        self._walk = Walk(Space(memoryview(data), entry.position), self._notes)

    def rows(self) -> list[Row]:
        parsed, error = parse(partial(KafkaLogSegment.Entry, 0), self._data)
        self._walk.structure(parsed, 0, len(self._data), "", _of_header(self._header, error))
        rows = self._walk.rows
        if error is None:
            verdict = self._verdict()
            body = parsed.body
            # Frees the parsed copy of the entry's bytes.
            body.close()
            del parsed
            within = self._rows_of_batch if self._entry.frame.magic >= CURRENT_MAGIC else self._rows_of_message
            rows += within(body, verdict)
            if verdict is not None and all(row.error is None for row in rows):
                # No single field is wrong: the error is about the whole content of the entry.
                holders = [row for row in rows if row.field in ("body.value", "body.compressed_records")]
                (holders or rows)[-1].error = verdict
        try:
            self._entry.verify_checksum()
        except ChecksumError as wrong:
            for row in rows:
                if row.field == "body.crc":  # an unknown format has none
                    row.error = wrong
        except KafkafmtError:
            pass  # too small for its header, which the parser has reported
        return rows

    def _verdict(self) -> KafkafmtError | None:
        """The error that keeps the reference engine from reading records; it also completes a wrapper's header."""
        try:
            self._entry.records(self._limits, self._header)
        except KafkafmtError as error:
            return error
        return None

    def _rows_of_batch(self, batch: Any, verdict: KafkafmtError | None) -> list[Row]:
        codec = int(batch.attributes.compression)
        name = "records" if codec == Compression.NONE else "compressed_records"
        path = f"body.{name}"
        if batch.num_records == 0:
            if len(self._data) > RECORD_BATCH_OVERHEAD:
                note = "not parsed: Kafka ignores the bytes of a batch without records"
                self._walk.unread(path, RECORD_BATCH_OVERHEAD, len(self._data), note)
            return []
        if codec == Compression.NONE:
            self._records(batch, self._walk, RECORD_BATCH_OVERHEAD, path, verdict)
            return []
        row = self._walk.unread(path, RECORD_BATCH_OVERHEAD, len(self._data))
        described = fields_of(type(batch))[name]
        row.type, row.meaning = described.type, described.meaning
        inner = self._decompressed(row, codec, verdict)
        if inner is None:
            return []
        self._records(batch, inner, 0, f"{path}.records", verdict)
        return inner.rows

    def _rows_of_message(self, message: Any, verdict: KafkafmtError | None) -> list[Row]:
        codec = int(message.attributes.compression)
        if codec == Compression.NONE and self._topic is not None:
            self._walk.rows[:] = expand_internal(self._walk.rows, self._topic)
        if codec == Compression.NONE or message.len_value < 0:
            return []
        row = _row(self._walk.rows, "body.value")
        row.value = None
        inner = self._decompressed(row, codec, verdict)
        if inner is None:
            return []
        return self._messages(inner.rows, inner.space, f"{row.field}.entries", verdict)

    def _decompressed(self, row: Row, codec: int, verdict: KafkafmtError | None) -> Walk | None:
        """Decompress a field, to walk its content; None, and an error in its row, if that fails."""
        if codec > last_codec(self._header.magic):
            row.error = verdict
            row.note = "not parsed"
            return None
        compression = Compression(codec)
        try:
            data = decompress(compression, row.data, magic=self._entry.frame.magic, limits=self._limits)
        except KafkafmtError as error:
            row.error = verdict or error
            row.note = "not decompressed"
            return None
        row.note = f"{len(row.data)} bytes of {compression.label}, {len(data)} bytes decompressed: see below"
        return Walk(Space(memoryview(data), name=row.field), self._notes)

    def _records(self, batch: Any, walk: Walk, begin: int, path: str, verdict: KafkafmtError | None) -> None:
        """Add the records that a walk's space holds from `begin` to its end."""
        try:
            check_count(batch.num_records, len(walk.space.data) - begin, self._limits)
        except KafkafmtError as error:
            _row(self._walk.rows, "body.num_records").error = error
        shown = Shown(walk.rows, walk.space, path, "kafka_record", self._wanted)
        source = record_stream(walk.space.data[begin:])
        fast = record_parser(self._limits.max_headers_per_record)
        for number in range(min(batch.num_records, self._limits.max_records_per_batch)):
            start = begin + source.pos()
            try:
                with generated_errors():
                    offset_delta = fast(source).body.offset_delta.value
            except KafkafmtError as error:
                shown.skipped_end(number, start)
                self._record(walk, f"{path}[{number}]", start, len(walk.space.data), error)
                return
            end = begin + source.pos()
            offset = to_int64((self._header.base_offset or 0) + offset_delta)
            if shown.begins(number, start, end, has_offset=self._reaches(offset)):
                self._record(walk, f"{path}[{number}]", start, end, note=f"offset {offset}")
        end = begin + source.pos()
        shown.skipped_end(min(batch.num_records, self._limits.max_records_per_batch), end)
        if end < len(walk.space.data):
            walk.unread(f"{path}(rest)", end, len(walk.space.data)).error = verdict

    def _record(
        self, walk: Walk, path: str, begin: int, end: int, error: KafkafmtError | None = None, note: str = ""
    ) -> None:
        parser = _bounded_record(self._limits.max_headers_per_record)
        group = walk.group(path, "kafka_record", parser, begin, end)
        group.note = note
        parsed, positioned = parse(parser, walk.space.data[begin:end])
        first = len(walk.rows)
        walk.structure(parsed, begin, end, f"{path}.", more_telling(error, positioned))
        if self._header.is_control_batch or self._topic is not None:
            for row in walk.rows[first:]:
                row.value = bytes(row.value) if isinstance(row.value, memoryview) else row.value
        if self._header.is_control_batch and error is None:
            walk.rows[first:] = expand_control(walk.rows[first:], self._notes)
        elif self._topic is not None:
            walk.rows[first:] = expand_internal(walk.rows[first:], self._topic)

    def _messages(self, rows: list[Row], space: Space, path: str, verdict: KafkafmtError | None) -> list[Row]:
        """Add the inner messages of a wrapper."""
        data = space.data
        shift = None
        if verdict is None and self._header.base_offset is not None:
            shift = self._header.base_offset - read_frame(data).offset
        end = number = 0
        shown = Shown(rows, space, path, "entry", self._wanted)
        for number, (begin, size) in enumerate(_sizes(data, self._limits.max_records_per_batch)):
            if size >= RECORD_OVERHEAD_V0 and begin + LOG_OVERHEAD + size > len(data):
                break
            whole = size >= RECORD_OVERHEAD_V0
            end = begin + LOG_OVERHEAD + size if whole else len(data)
            error = _inner_error(data[begin:end], verdict) if whole else verdict
            if error is not None:
                shown.skipped_end(number, begin)
                rows += self._message(space, f"{path}[{number}]", begin, end, shift, error)
                if end < len(data):
                    rows.append(Row(f"{path}(rest)", "", space, end, len(data), note="not parsed"))
                return rows
            offset = None if shift is None else to_int64(read_frame(data, begin).offset + shift)
            if shown.begins(number, begin, end, has_offset=self._reaches(offset)):
                rows += self._message(space, f"{path}[{number}]", begin, end, shift)
        else:
            number += 1
        shown.skipped_end(number, end)
        if end < len(data):
            note = "not parsed: an incomplete inner message, which Kafka drops silently"
            rows.append(Row(f"{path}(rest)", "", space, end, len(data), note=note))
        return rows

    def _reaches(self, offset: int | None) -> bool:
        """Whether a record with this offset may be the first one shown."""
        wanted = self._wanted.offset
        return wanted is None or offset is None or offset >= wanted

    def _message(
        self, space: Space, path: str, begin: int, end: int, shift: int | None, error: KafkafmtError | None = None
    ) -> list[Row]:
        data = space.data[begin:end]
        checksum = None
        if len(data) > HEADER_SIZE_UP_TO_MAGIC:
            covered = crc_span(0)[1]
            checksum = Checksum(crc32(data[covered:]), begin + covered, end)
        walk = Walk(space, EntryNotes(begin, checksum, wrapper=self._header, shift=shift))
        walk.group(path, "entry", KafkaLogSegment.Entry, begin, end)
        parsed, positioned = parse(partial(KafkaLogSegment.Entry, 0), data)
        walk.structure(parsed, begin, end, f"{path}.", more_telling(error, positioned))
        return walk.rows if self._topic is None else expand_internal(walk.rows, self._topic)


def _row(rows: list[Row], field: str) -> Row:
    return next(row for row in rows if row.field == field)


def _sizes(data: memoryview, at_most: int) -> Iterator[tuple[int, int]]:
    """Positions and sizes of inner messages, up to the first incomplete one."""
    begin = 0
    for _ in range(at_most):
        if len(data) - begin < LOG_OVERHEAD:
            return
        size = read_size(data, begin)
        yield begin, size
        begin += LOG_OVERHEAD + size


def _inner_error(data: memoryview, verdict: KafkafmtError | None) -> KafkafmtError | None:
    """The error that prevents the reference engine from reading a whole inner message."""
    if verdict is None:
        return None
    try:
        message = parse_message(data)
    except KafkafmtError:
        return verdict
    return verdict if int(message.attributes.compression) != Compression.NONE else None


@cache
def _bounded_record(max_headers: int) -> type:
    """The parser of a record that makes at most `max_headers` headers, and no copies of large values."""
    # A second copy of the generated module, in which this name hides the built-in one.
    module = importlib.util.module_from_spec(kafka_record.__spec__)
    vars(module)["range"] = partial(range_of_headers, max_headers)
    kafka_record.__spec__.loader.exec_module(module)
    vars(module)["BytesIO"] = stream_of
    parser: type = module.KafkaRecord
    return parser


def headline(data: bytes, position: int) -> str:
    """Describe an entry in a few words, from its header."""
    entry = _whole(data, "", position)
    if entry is None:
        return "no whole entry"
    header = entry.describe()
    if header.error is not None:
        return f"an entry of magic {header.magic}"
    compression = "" if header.compression == "none" else f", {header.compression or 'of unknown compression'}"
    if header.magic < CURRENT_MAGIC:
        kind = "message" if header.compression == "none" else "wrapper of messages"
        return f"{kind}, format {header.magic}, offset {header.last_offset}{compression}"
    offsets = f"offsets {header.base_offset} to {header.last_offset}"
    kind = "control batch" if header.is_control_batch else "record batch"
    return f"{kind}, format 2, {counted(header.count or 0, 'record')}, {offsets}{compression}"
