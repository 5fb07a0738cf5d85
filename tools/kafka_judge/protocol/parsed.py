"""Requests and responses as the parsers of formats/protocol/ read them, as JSON of Kafka's converters."""

import importlib
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from kaitaistruct import BytesIO, KaitaiStream

from kafkafmt.codec.java_text import decode_utf8, format_uuid
from message_specs.fields import fields_of_messages

PROTOCOL = Path(__file__).resolve().parents[3] / "formats" / "protocol"

Field = dict[str, Any]

_UNALIGNED = "unalignedRecords"  # records in Kafka, bytes in the spec: they may begin and end inside a batch


class BytesLeftError(Exception):
    """A parser did not read all bytes of a message."""


class NegativeCountError(Exception):
    """A number of tagged fields is negative: an error to Kafka since 4.4; the specs, as earlier Kafkas, read none."""


@cache
def messages() -> dict[str, Any]:
    """The messages of the protocol and their fields from the specs, by Kafka's names."""
    texts = (path.read_text(encoding="utf-8") for path in PROTOCOL.glob("*.ksy"))
    return fields_of_messages(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) for text in texts)


def parse(name: str, version: int, data: bytes, *, to_end: bool = True) -> dict[str, Any]:
    """Parse a message.

    Args:
        name: Kafka's name, such as "FetchRequest".
        version: version of the API or header.
        data: bytes of the message.
        to_end: whether bytes after the message are an error.

    Raises:
        BytesLeftError: there are bytes after the message.
        NegativeCountError: a number of tagged fields is negative.
        KaitaiStructError: the parser refuses the message.
    """
    spec = messages()[name]["spec"]
    module = importlib.import_module(f"kafkafmt_specs.{spec}")
    parser = getattr(module, "".join(word.capitalize() for word in spec.split("_")))
    return as_json(name, version, parser(version, KaitaiStream(BytesIO(data))), to_end=to_end)


def tagged_fields(name: str) -> set[str]:
    """Names of the tagged fields of a message and of all its structures."""

    def names(fields: list[Field]) -> set[str]:
        own = {field["name"] for field in fields if "tag" in field}
        return own.union(*(names(field["fields"]) for field in fields if "fields" in field))

    return names(messages()[name]["fields"])


def as_json(name: str, version: int, parsed: Any, *, to_end: bool = True) -> dict[str, Any]:  # noqa: ANN401 (generated)
    """Convert to JSON a message that fills its stream, or a header, which does not.

    Raises:
        BytesLeftError: there are bytes after the message.
        NegativeCountError: a number of tagged fields is negative.
    """
    if to_end and not name.endswith("Header") and not parsed._io.is_eof():  # noqa: SLF001 (its parser leaves the stream there)
        raise BytesLeftError(f"{parsed._io.size() - parsed._io.pos()} bytes are left")  # noqa: SLF001
    return _structure(messages()[name]["fields"], version, parsed)


def _structure(fields: list[Field], version: int, parsed: Any) -> dict[str, Any]:  # noqa: ANN401
    made: dict[str, Any] = {}
    if _is_flexible(parsed) and parsed.tagged_fields.num_fields.value < 0:
        raise NegativeCountError
    tags = {each.tag.value: each.data for each in parsed.tagged_fields.fields} if _is_flexible(parsed) else {}
    for field in fields:
        if "versions" in field and not field["versions"][0] <= version <= field["versions"][1]:
            continue
        holder = tags.get(field["tag"]) if "tag" in field else parsed
        if holder is None:
            continue
        identifier = field["id"]
        name = field["name"]
        value: Any = getattr(holder, identifier, None)  # a null structure has no attribute
        if field.get("array"):
            is_null = getattr(holder, f"num_{identifier}").value < 0
            made[name] = None if is_null else [_value(field, version, each) for each in value]
        elif name == _UNALIGNED:
            made[f"{name}SizeInBytes"] = len(value.value)
        elif field["type"] == "records" and not value.is_null:
            made[f"{name}SizeInBytes"] = len(value.value.data)
        else:
            made[name] = _value(field, version, value)
    return made


def _is_flexible(parsed: Any) -> bool:  # noqa: ANN401
    return getattr(parsed, "tagged_fields", None) is not None


def _value(field: Field, version: int, value: Any) -> Any:  # noqa: ANN401
    match field["type"]:
        case "struct":
            return None if value is None else _structure(field["fields"], version, value)
        case "string":
            return None if value.is_null else decode_utf8(value.value)
        case "bytes" | "records":
            return None if value.is_null else b64encode(value.value).decode()
        case "bool":
            return value.value
        case "uuid":
            return format_uuid(value)
    return value
