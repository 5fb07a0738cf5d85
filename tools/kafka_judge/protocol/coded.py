"""Requests and responses as kafkafmt's codec decodes them, as JSON of Kafka's converters."""

from base64 import b64encode
from itertools import chain, repeat
from typing import Any
from uuid import UUID

from kafkafmt.codec.java_text import format_uuid
from kafkafmt.protocol.codec import Value, message
from kafkafmt.protocol.message_bytes import MessageReader, MessageWriter
from kafkafmt.protocol.schemas import Schema, messages, versions


class BytesLeftError(Exception):
    """The codec did not decode all bytes of a message."""


def decode(name: str, version: int, data: bytes, *, to_end: bool = True) -> Value:
    """Decode a message; bytes after it are an error if `to_end` is set.

    Raises:
        BytesLeftError: there are bytes after the message.
        KafkafmtError: the codec refuses the message.
    """
    reader = MessageReader(memoryview(data))
    value = message(name, version).decode(reader)
    if to_end and reader.position != len(data):
        raise BytesLeftError(f"{len(data) - reader.position} bytes are left")
    return value


def encode(name: str, version: int, value: Value) -> bytes:
    """Encode a message."""
    writer = MessageWriter()
    message(name, version).encode(writer, value)
    return writer.joined()


def as_json(name: str, version: int, value: Value, kafkas: Any = None) -> dict[str, Any]:  # noqa: ANN401 (JSON)
    """Convert a decoded message to JSON: like Kafka, without tagged fields that have their default values.

    Args:
        name: Kafka's name of the message.
        version: its version.
        value: the decoded message.
        kafkas: Kafka's JSON. It has a tagged structure of default values in which there are unknown tagged fields,
            which the codec skips.
    """
    schema = messages()[name]
    structures = {each["name"]: each["fields"] for each in schema.get("commonStructs", ())}
    return _Json(version, structures).structure(schema["fields"], value, kafkas)


class _Json:
    def __init__(self, version: int, structures: dict[str, list[Schema]]) -> None:
        self._version = version
        self._structures = structures

    def structure(self, fields: list[Schema], value: Value, kafkas: Any) -> dict[str, Any]:  # noqa: ANN401 (JSON)
        made = {}
        others = kafkas if isinstance(kafkas, dict) else {}
        for field in fields:
            if self._version not in versions(field["versions"]):
                continue
            found = value[field["name"]]
            name = field["name"][0].lower() + field["name"][1:]
            is_tagged = self._version in versions(field.get("taggedVersions"))
            if is_tagged and self._is_default(field, found) and not (isinstance(found, dict) and name in others):
                continue
            if field["type"] == "records" and found is not None:
                made[f"{name}SizeInBytes"] = len(found)
            else:
                made[name] = self._value(field, field["type"], found, others.get(name))
        return made

    def _value(self, field: Schema, kind: str, value: Any, kafkas: Any) -> Any:  # noqa: ANN401 (any field)
        if value is None:
            return None
        if kind.startswith("[]"):
            others = chain(kafkas if isinstance(kafkas, list) else (), repeat(None))
            return [self._value(field, kind[2:], each, other) for each, other in zip(value, others, strict=False)]
        if isinstance(value, UUID):
            return format_uuid(value.bytes)
        if isinstance(value, dict):
            return self.structure(self._fields(field, kind), value, kafkas)
        return b64encode(value).decode() if isinstance(value, memoryview | bytes) else value

    def _fields(self, field: Schema, kind: str) -> list[Schema]:
        return field.get("fields") or self._structures[kind]

    def _is_default(self, field: Schema, value: Any) -> bool:  # noqa: ANN401
        default, kind = field.get("default"), field["type"]
        if default == "null" or value is None:
            return value is None and default == "null"
        if isinstance(value, dict):
            return all(
                self._is_default(each, value[each["name"]])
                for each in self._fields(field, kind)
                if self._version in versions(each["versions"])
            )
        if isinstance(value, bool):
            return value == (str(default).lower() == "true")
        if isinstance(value, int | float):
            return value == (0 if default is None else int(str(default), 0))
        return value in (UUID(int=0), default or "", [], b"")
