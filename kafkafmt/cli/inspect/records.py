"""Records that Kafka wrote for itself, field by field: control records and those of internal topics."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kafkafmt_specs_with_positions.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs_with_positions.kafka_end_transaction_marker import KafkaEndTransactionMarker
from kafkafmt_specs_with_positions.kafka_kraft_version_record import KafkaKraftVersionRecord
from kafkafmt_specs_with_positions.kafka_leader_change_message import KafkaLeaderChangeMessage
from kafkafmt_specs_with_positions.kafka_snapshot_footer_record import KafkaSnapshotFooterRecord
from kafkafmt_specs_with_positions.kafka_snapshot_header_record import KafkaSnapshotHeaderRecord
from kafkafmt_specs_with_positions.kafka_voters_record import KafkaVotersRecord

from kafkafmt.cli.dump.topic_decoders import value_data
from kafkafmt.cli.inspect.notes import EntryNotes, time
from kafkafmt.cli.inspect.rows import Row, Walk, meaning_of_field, meaning_of_type, more_telling, parse
from kafkafmt.errors import CorruptError, KafkafmtError, LimitExceededError
from kafkafmt.internal_topics import CLUSTER_METADATA, COORDINATORS_TOPICS
from kafkafmt.reference import control
from kafkafmt.reference.messages import ApiMessage, Field, message, metadata_records, remote_log_metadata
from kafkafmt.reference.messages.coordinator_records import RecordKey, decode_key, decode_value

_VALUES: dict[str, type] = {
    "ABORT": KafkaEndTransactionMarker,
    "COMMIT": KafkaEndTransactionMarker,
    "LEADER_CHANGE": KafkaLeaderChangeMessage,
    "SNAPSHOT_HEADER": KafkaSnapshotHeaderRecord,
    "SNAPSHOT_FOOTER": KafkaSnapshotFooterRecord,
    "KRAFT_VERSION": KafkaKraftVersionRecord,
    "KRAFT_VOTERS": KafkaVotersRecord,
}
"""Specs of the values of control records."""


def expand_control(rows: list[Row], notes: EntryNotes) -> list[Row]:
    """Put the fields of a control record's key and value behind their rows."""
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
        walk.unread(f"{row.field}.(rest)", walk.end, row.end, "not parsed: Kafka passes over it")
    row.is_group, row.type, row.value = True, type_name, None
    row.meaning = meaning_of_type(parser)
    return walk.rows


_MOST_ELEMENTS = 1000
_SENT = {"subscription": "ConsumerProtocolSubscription", "assignment": "ConsumerProtocolAssignment"}


def expand_internal(rows: list[Row], topic: str) -> list[Row]:
    """Put the decoded fields of each record's key and value after their rows.

    Args:
        rows: of one record or message, or of several.
        topic: one of `INTERNAL_TOPICS`. What cannot be decoded gets an `error`.
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
    """Make the row of a decoded field, which has no bytes of its own, after that of the bytes it comes from."""
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
    decode = metadata_records.decode if topic == CLUSTER_METADATA else remote_log_metadata.decode
    record = decode(value)
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
            # What members of a group sent each other, decoded.
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
