"""The meaning of bytes, beyond the specs' text on a field.

Notes have absolute offsets, times, and the CRC computed from the bytes. Kafka's own records get decoded rows:
control records, and keys and values of internal topics.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kafkafmt_specs_with_positions.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs_with_positions.kafka_end_transaction_marker import KafkaEndTransactionMarker
from kafkafmt_specs_with_positions.kafka_kraft_version_record import KafkaKraftVersionRecord
from kafkafmt_specs_with_positions.kafka_leader_change_message import KafkaLeaderChangeMessage
from kafkafmt_specs_with_positions.kafka_snapshot_footer_record import KafkaSnapshotFooterRecord
from kafkafmt_specs_with_positions.kafka_snapshot_header_record import KafkaSnapshotHeaderRecord
from kafkafmt_specs_with_positions.kafka_voters_record import KafkaVotersRecord

from kafkafmt.cli import human
from kafkafmt.cli.dump.topic_decoders import value_data
from kafkafmt.cli.inspect.rows import Row, Walk, meaning_of_field, meaning_of_type, more_telling, parse
from kafkafmt.codec.java_text import format_uuid
from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError
from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.reference import control
from kafkafmt.reference.header import LOG_APPEND_TIME, BatchHeader, increment_sequence, to_int64
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, RECORD_OVERHEAD_V0
from kafkafmt.reference.messages import ApiMessage, Field, framed_records, message
from kafkafmt.reference.messages.coordinator_records import RecordKey, decode_key, decode_value

_NULL = "null: no bytes follow"

_VALUES: dict[str, type] = {
    "ABORT": KafkaEndTransactionMarker,
    "COMMIT": KafkaEndTransactionMarker,
    "LEADER_CHANGE": KafkaLeaderChangeMessage,
    "SNAPSHOT_HEADER": KafkaSnapshotHeaderRecord,
    "SNAPSHOT_FOOTER": KafkaSnapshotFooterRecord,
    "KRAFT_VERSION": KafkaKraftVersionRecord,
    "KRAFT_VOTERS": KafkaVotersRecord,
}
"""Specs of the values of control records, by control type."""

_MOST_ELEMENTS = 1000
_SENT = {"subscription": "ConsumerProtocolSubscription", "assignment": "ConsumerProtocolAssignment"}


def time(timestamp: int) -> str:
    """A time in ms as ISO 8601 in UTC; "" for -1 and for years outside 1 to 9999."""
    text = human.time(timestamp)
    return text if text.endswith("Z") else ""


@dataclass(frozen=True, slots=True)
class Checksum:
    """The CRC of an entry or a file.

    Attributes:
        computed: CRC of the existing bytes.
        begin: position of the first byte it covers.
        end: position after the last byte it covers.
    """

    computed: int
    begin: int
    end: int

    def compare(self, stored: int) -> str:
        """A note on whether a stored CRC is right."""
        covered = f"bytes {self.begin} to {self.end - 1}"
        return f"matches {covered}" if stored == self.computed else f"WRONG: {covered} give {self.computed:#010x}"


@dataclass(frozen=True, slots=True)
class EntryNotes:
    """Notes on the fields of a log entry, and of the messages and records in it.

    Attributes:
        position: position of the entry.
        checksum: checksum of its bytes; None if some are missing.
        header: its header by the reference engine; None if it is too broken.
        wrapper: header of the wrapper, if the entry is an inner message.
        shift: number to add to the offset of an inner message; None if it is unknown.
    """

    position: int
    checksum: Checksum | None = None
    header: BatchHeader | None = None
    wrapper: BatchHeader | None = None
    shift: int | None = None

    def __call__(self, owner: Any, name: str, value: Any) -> str:
        """The note on a field of a structure; "" for none."""
        note = _ENTRY_NOTES.get(f"{type(owner).__qualname__}.{name}")
        return note(self, owner, value) if note else plain(owner, name, value)


def plain(owner: Any, name: str, value: Any) -> str:
    """The note on a field that needs no context; "" for none."""
    note = _NOTES.get(f"{type(owner).__qualname__}.{name}")
    return note(value) if note else ""


def _base_offset(notes: EntryNotes, _: Any, value: int) -> str:
    if notes.wrapper is not None:
        return "" if notes.shift is None else f"offset {to_int64(value + notes.shift)}"
    header = notes.header
    is_wrapper = header is not None and header.magic < CURRENT_MAGIC and header.compression not in ("none", None)
    return "of the last message in this wrapper" if is_wrapper else ""


def _len_body(notes: EntryNotes, _: Any, value: int) -> str:
    if value < RECORD_OVERHEAD_V0:
        return ""
    size = LOG_OVERHEAD + value
    return f"with the {LOG_OVERHEAD} bytes so far {size}: the entry ends before {notes.position + size}"


def _crc(notes: EntryNotes, _: Any, value: int) -> str:
    return notes.checksum.compare(value) if notes.checksum else ""


def _last_offset_delta(notes: EntryNotes, _: Any, __: int) -> str:
    return f"last offset {notes.header.last_offset}" if notes.header else ""


def _base_timestamp(_: EntryNotes, batch: Any, value: int) -> str:
    moment = time(value)
    return f"delete horizon {moment}" if batch.attributes.has_delete_horizon else moment


def _base_sequence(notes: EntryNotes, _: Any, value: int) -> str:
    return f"last sequence {notes.header.last_sequence}" if notes.header and value != -1 else ""


def _num_records(_: EntryNotes, batch: Any, value: int) -> str:
    offsets = batch.last_offset_delta + 1
    return f"of {offsets} as produced" if 0 <= value < offsets else ""


def _timestamp_delta(notes: EntryNotes, _: Any, value: int) -> str:
    header = notes.header
    if header is None:
        return ""
    if header.timestamp_type == LOG_APPEND_TIME:
        return "not used: the batch has LogAppendTime"
    timestamp = to_int64((header.base_timestamp or 0) + value)
    return f"timestamp {timestamp}, {time(timestamp)}".removesuffix(", ")


def _offset_delta(notes: EntryNotes, _: Any, value: int) -> str:
    header = notes.header
    if header is None:
        return ""
    sequence = f", sequence {increment_sequence(header.base_sequence, value)}" if header.base_sequence >= 0 else ""
    return f"offset {to_int64((header.base_offset or 0) + value)}{sequence}"


def _message_timestamp(notes: EntryNotes, _: Any, value: int) -> str:
    if notes.wrapper is not None and notes.wrapper.timestamp_type == LOG_APPEND_TIME:
        return f"{time(value)} not used: the wrapper has LogAppendTime".lstrip()
    return time(value)


def _null_or_nothing(value: int) -> str:
    return _NULL if value < 0 else ""


def _attributes(bits: Any) -> str:
    """The names of the bits that are set, in Kafka's words."""
    compression = _named(bits, "compression")
    names = ["not compressed" if compression == "none" else compression, _named(bits, "timestamp_type")]
    flags = ("is_transactional", "is_control", "has_delete_horizon")
    return ", ".join(names + [flag.partition("_")[2].replace("_", " ") for flag in flags if getattr(bits, flag, False)])


def _named(bits: Any, name: str) -> str:
    value = getattr(bits, name, None)
    return getattr(value, "name", f"{name.replace('_', ' ')} {value}")


_Note = Callable[[EntryNotes, Any, Any], str]

_ENTRY_NOTES: dict[str, _Note] = {
    "KafkaLogSegment.Entry.base_offset": _base_offset,
    "KafkaLogSegment.Entry.len_body": _len_body,
    "KafkaRecordBatch.crc": _crc,
    "KafkaRecordBatch.last_offset_delta": _last_offset_delta,
    "KafkaRecordBatch.base_timestamp": _base_timestamp,
    "KafkaRecordBatch.base_sequence": _base_sequence,
    "KafkaRecordBatch.num_records": _num_records,
    "KafkaRecord.Body.timestamp_delta": _timestamp_delta,
    "KafkaRecord.Body.offset_delta": _offset_delta,
    "KafkaMessage.crc": _crc,
    "KafkaMessage.timestamp": _message_timestamp,
}

_NOTES: dict[str, Callable[[Any], str]] = {
    "KafkaRecordBatch.attributes": _attributes,
    "KafkaRecordBatch.max_timestamp": time,
    "KafkaRecord.Body.len_key": _null_or_nothing,
    "KafkaRecord.Body.len_value": _null_or_nothing,
    "KafkaHeader.len_value": _null_or_nothing,
    "KafkaMessage.attributes": _attributes,
    "KafkaMessage.len_key": _null_or_nothing,
    "KafkaMessage.len_value": _null_or_nothing,
    "KafkaSnapshotHeaderRecord.last_contained_log_timestamp": time,
    "KafkaLeaderChangeMessage.Voter.voter_directory_id": format_uuid,
    "KafkaVotersRecord.Voter.voter_directory_id": format_uuid,
}


@dataclass(frozen=True, slots=True)
class IndexNotes:
    """Notes on an entry of an index.

    Attributes:
        base_offset: base offset of the segment, or None if the file name has none.
    """

    base_offset: int | None

    def __call__(self, owner: Any, name: str, value: Any) -> str:
        """The note on a field of an index entry; "" for none."""
        if name == "relative_offset" and self.base_offset is not None:
            return f"offset {to_int64(self.base_offset + value)}"
        return time(value) if name == "timestamp" else ""


@dataclass(frozen=True, slots=True)
class SnapshotNotes:
    """Notes on a producer snapshot.

    Attributes:
        checksum: checksum of the file; None while it is unknown.
    """

    checksum: Checksum | None = None

    def __call__(self, owner: Any, name: str, value: Any) -> str:
        """The note on a field of the file or of a producer in it; "" for none."""
        if name == "crc" and self.checksum is not None:
            return self.checksum.compare(value)
        if name == "timestamp":
            return time(value)
        if name == "offset_delta" and owner.last_offset >= 0:
            return f"first offset {to_int64(owner.last_offset - value)}"
        return ""


def expand_control(rows: list[Row], notes: EntryNotes) -> list[Row]:
    """Insert the fields of a control record's key and value after their rows."""
    expanded = []
    control_type = control.UNKNOWN_CONTROL_TYPE
    for row in rows:
        expanded.append(row)
        if row.field.endswith(".body.key") and isinstance(row.value, bytes):
            control_type = control.type_name(control.type_id_of(row.value))
            expanded += _fields_within(row, KafkaControlRecordKey, "kafka_control_record_key", notes)
        elif row.field.endswith(".body.value") and isinstance(row.value, bytes) and control_type in _VALUES:
            expanded += _control_value(row, row.value, control_type, notes)
    return expanded


def _control_value(row: Row, value: bytes, control_type: str, notes: EntryNotes) -> list[Row]:
    error: KafkafmtError | None = None
    try:
        if control_type in control.TRANSACTION_MARKERS:
            control.coordinator_epoch_of(value)
        else:
            control.value_of(control_type, value)
    except LimitExceededError as too_large:
        row.error = too_large
        return []
    except KafkafmtError as unreadable:
        error = unreadable
    parser = _VALUES[control_type]
    return _fields_within(row, parser, parser.__module__.rpartition(".")[2], notes, error)


def _fields_within(
    row: Row, parser: type, type_name: str, notes: EntryNotes, error: KafkafmtError | None = None
) -> list[Row]:
    parsed, positioned = parse(parser, row.data)
    walk = Walk(row.space, notes)
    walk.structure(parsed, row.begin, row.end, f"{row.field}.", more_telling(error, positioned))
    if walk.end < row.end:
        walk.unread(f"{row.field}.(rest)", walk.end, row.end, "not parsed: Kafka skips it")
    row.is_group, row.type, row.value = True, type_name, None
    row.meaning = meaning_of_type(parser)
    return walk.rows


def expand_internal(rows: list[Row], topic: str) -> list[Row]:
    """Insert the decoded fields of each record's key and value after their rows.

    Args:
        rows: rows of one or more records or messages.
        topic: one of `INTERNAL_TOPICS`. A record that cannot be decoded gets an `error`.
    """
    expanded: list[Row] = []
    key: RecordKey | None = None
    is_key_broken = False
    for row in rows:
        expanded.append(row)
        part = row.field.rpartition("body.")[2]
        if part == "len_key":
            key, is_key_broken = None, False
        if part not in ("key", "value") or not isinstance(row.value, bytes):
            continue
        try:
            if topic not in COORDINATORS_TOPICS:
                if part == "value":
                    expanded += _framed(row, topic, row.value)
            elif part == "key":
                key = decode_key(topic, row.value)
                expanded += _of_key(row, key)
            elif key is None and not is_key_broken:
                raise CorruptError("the value cannot be decoded without a key")
            elif key is not None:
                decoded = decode_value(topic, key.type, row.value)
                if decoded is not None:
                    expanded += _of_message(row, decoded, value_data(decoded))
        except KafkafmtError as error:
            row.error = error
            is_key_broken = part == "key"
    return expanded


def decoded_row(row: Row, name: str, type_name: str, value: Any, meaning: str = "") -> Row:
    """Make the row of a decoded field, which has no bytes of its own, after the row of its bytes."""
    added = Row(f"{row.field}.{name}", type_name, row.space, row.end, row.end, meaning=meaning, is_decoded=True)
    if value is None:
        added.note = "null"
    elif isinstance(value, bool | str | bytes | int):
        added.value = value
    else:
        added.value = json.dumps(value, ensure_ascii=False, default=lambda raw: raw.hex())
    if isinstance(value, int) and "timestamp" in name.casefold():
        added.note = time(value)
    return added


def _framed(row: Row, topic: str, value: bytes) -> Iterator[Row]:
    record = framed_records.decode(topic, value)
    yield decoded_row(row, "type", "uint32", record.api_key)
    yield from _of_message(row, record.message, record.message.data)


def _of_key(row: Row, key: RecordKey) -> Iterator[Row]:
    row.note = f"{key.kind}Key"
    yield decoded_row(row, "type", "int16", key.type, f"A record of {key.kind}")
    kind = message(f"{key.kind}Key")
    yield from _fields(row, "", kind.fields, key.data, f"Kafka{kind.name}")


def _of_message(row: Row, decoded: ApiMessage, data: dict[str, Any]) -> Iterator[Row]:
    row.note = f"{decoded.name}, version {decoded.version}"
    yield decoded_row(row, "version", "int16", decoded.version, f"Version of the layout of {decoded.name}")
    yield from _fields(row, "", message(decoded.name).fields, data, f"Kafka{decoded.name}")


def _fields(row: Row, path: str, fields: Sequence[Field], data: dict[str, Any], spec: str) -> Iterator[Row]:
    for field in fields:
        if field.name not in data:
            continue
        name, value = path + field.name, data[field.name]
        meaning = meaning_of_field(spec, field.id)
        if field.type == "struct" and value is not None:
            yield from _structures(row, name, field, value, spec)
        elif isinstance(value, dict):
            # The decoded data that members of a group sent each other.
            sent = _SENT[field.name]
            yield _group(row, name, sent, meaning)
            yield from _fields(row, f"{name}.", message(sent).fields, value, f"Kafka{sent}")
        else:
            yield decoded_row(row, name, f"{field.type}[]" if field.is_array else field.type, value, meaning)


def _structures(row: Row, name: str, field: Field, value: Any, spec: str) -> Iterator[Row]:
    structure = "".join(word.capitalize() for word in (field.structure or "").split("_"))
    inner = f"{spec.partition('.')[0]}.{structure}"
    elements = value if field.is_array else [value]
    for number, element in enumerate(elements[:_MOST_ELEMENTS]):
        path = f"{name}[{number}]" if field.is_array else name
        yield _group(row, path, field.structure or "struct", meaning_of_field(spec, field.id))
        yield from _fields(row, f"{path}.", field.fields, element, inner)
    more = len(elements) - _MOST_ELEMENTS
    if more > 0:
        yield decoded_row(row, f"{name}(rest)", "", f"{more} more elements: --output jsonl of kafkafmt cat has them")
    elif not elements:
        yield decoded_row(row, name, f"{field.structure}[]", [])


def _group(row: Row, name: str, type_name: str, meaning: str) -> Row:
    added = decoded_row(row, name, type_name, "", meaning)
    added.value, added.is_group = None, True
    return added
