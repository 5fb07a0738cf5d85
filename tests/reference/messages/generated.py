"""Messages read by the generated parsers as they are: slowly, and without kafkafmt's stand-ins."""

import importlib
from typing import Any

from kaitaistruct import BytesIO, KaitaiStream

from kafkafmt.codec.java_text import decode_utf8, format_uuid
from kafkafmt.reference.messages import Field, message


def read(name: str, version: int, payload: bytes) -> dict[str, Any]:
    """Parse a message, and make of the tree what `decode_message` does; raises what generated code raises."""
    kind = message(name)
    of_spec = parser(kind.spec)
    stream = KaitaiStream(BytesIO(payload))
    return structure(
        of_spec(stream) if kind.begins_with_version or name.endswith("Key") else of_spec(version, stream),
        kind.fields,
        version,
    )


def parser(spec: str) -> Any:
    """The class that a spec gives."""
    return getattr(importlib.import_module(f"kafkafmt_specs.{spec}"), "".join(map(str.capitalize, spec.split("_"))))


def structure(parsed: Any, fields: tuple[Field, ...], version: int) -> dict[str, Any]:
    data = {}
    for field in fields:
        if not field.first_version <= version <= field.last_version:
            continue
        if field.tag is None:
            data[field.name] = value(parsed, field, version)
        else:
            for tagged in parsed.tagged_fields.fields:
                if tagged.tag.value == field.tag:
                    data[field.name] = value(tagged.data, field, version)
    return data


def value(parsed: Any, field: Field, version: int) -> Any:
    if field.is_array and getattr(parsed, f"num_{field.id}").value < 0:
        return None
    if field.is_array:
        return [element(each, field, version) for each in getattr(parsed, field.id)]
    found = getattr(parsed, field.id, None)
    return None if found is None else element(found, field, version)


def element(found: Any, field: Field, version: int) -> Any:
    if field.type == "struct":
        return structure(found, field.fields, version)
    if field.type == "uuid":
        return format_uuid(found)
    if field.type in {"string", "bytes"}:
        found = getattr(found, "value", None)
        return decode_utf8(found) if field.type == "string" and found is not None else found
    return found.value if field.type == "bool" else found
