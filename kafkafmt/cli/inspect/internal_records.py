"""Rows of what the keys and values of Kafka's internal topics say, decoded as `cat --kind` and `dump` decode them.

They follow the row of the key or value itself, which has the bytes; their names are Kafka's camelCase.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kafkafmt.cli.dump.topic_decoders import value_data
from kafkafmt.cli.inspect import documentation
from kafkafmt.cli.inspect.notes import time
from kafkafmt.cli.inspect.rows import Row
from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import CLUSTER_METADATA, COORDINATORS_TOPICS
from kafkafmt.reference.messages import ApiMessage, Field, message, metadata_records, remote_log_metadata
from kafkafmt.reference.messages.coordinator_records import RecordKey, decode_key, decode_value

_MOST_ELEMENTS = 1000
_SENT = {"subscription": "ConsumerProtocolSubscription", "assignment": "ConsumerProtocolAssignment"}


def expand(rows: list[Row], topic: str) -> list[Row]:
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
        meaning = documentation.meaning_of_field(spec, field.id)
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
        yield _group(row, path, field.structure or "struct", documentation.meaning_of_field(spec, field.id))
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
