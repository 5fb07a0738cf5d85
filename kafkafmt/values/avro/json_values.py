"""Avro values in JSON: defaults of fields, and Avro's "JSON encoding"."""

import json
import struct
from typing import Any, Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.schema import MISSING, Node, RecordField

_LONGEST: Final = 500


class Mismatch(Exception):  # noqa: N818 - not an error where another branch fits
    """Two types cannot be resolved, or JSON is not a value of a type.

    Args:
        reason: the reason, which is cut if it is long, as thousands of pairs of types may each have one.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}..")


def value_of_json(node: Node, content: object) -> Any:  # noqa: ANN401 - any value
    """The value of JSON in Avro's "JSON encoding".

    Args:
        node: type of the value.
        content: the JSON.

    Raises:
        CorruptError: the JSON is not a value of the type.
    """
    try:
        return _of_json(node, content, is_default=False)
    except Mismatch as mismatch:
        raise CorruptError(f"JSON that is not a value of its Avro schema: {mismatch}") from None
    except RecursionError as error:
        raise LimitExceededError("JSON is nested too deeply") from error


def _of_json(node: Node, content: object, *, is_default: bool) -> Any:  # noqa: ANN401 - one return a type
    """The value of JSON; a union's branch is the first that fits for a default, and named in the JSON encoding."""
    match node.type, content:
        case "null", None:
            return None
        case "boolean", bool():
            return content
        case (("int" | "long"), int()) if not isinstance(content, bool) and _fits(node.type, content):
            return content
        case (("float" | "double"), int() | float()) if not isinstance(content, bool):
            return as_float(content) if node.type == "float" else _as_double(content)
        case (("float" | "double"), "NaN" | "Infinity" | "-Infinity" | "INF" | "-INF"):
            return float(content)
        case "string", str():
            return content
        case (("bytes" | "fixed"), str()):
            data = _latin(content)
            if node.type == "fixed" and len(data) != node.size:
                raise Mismatch(f"{node.name} has {len(data)} bytes, expecting {node.size}")
            return data
        case "enum", str() if content in node.symbols:
            return content
        case "array", list():
            return [_of_json(node.inner[0], each, is_default=is_default) for each in content]
        case "map", dict():
            return [(name, _of_json(node.inner[0], each, is_default=is_default)) for name, each in content.items()]
        case "record", dict():
            return {each.name: _field_of_json(node, each, content, is_default=is_default) for each in node.fields}
        case "union", _:
            return _branch_of_json(node, content, is_default=is_default)
    raise Mismatch(f"found {json.dumps(content)[:80]}, expecting {node.branch_name}")


def _field_of_json(record: Node, field: RecordField, content: dict[str, Any], *, is_default: bool) -> Any:  # noqa: ANN401
    if field.name in content:
        return _of_json(field.type, content[field.name], is_default=is_default)
    if is_default:
        return default_value(record, field)
    # As in Java: defaults belong to the reader's schema, and a value has all fields of its writer's.
    raise Mismatch(f"{record.name} has no field {field.name!r} in the JSON")


def _branch_of_json(union: Node, content: object, *, is_default: bool) -> Any:  # noqa: ANN401
    for each in union.inner:
        if is_default or each.type == "null":
            try:
                return _wrapped(_of_json(each, content, is_default=is_default), each, union)
            except Mismatch:
                continue
        elif isinstance(content, dict) and len(content) == 1 and each.branch_name in content:
            return _wrapped(_of_json(each, content[each.branch_name], is_default=False), each, union)
    raise Mismatch(f"found {json.dumps(content)[:80]}, expecting {union.branch_names}")


def default_value(record: Node, field: RecordField) -> Any:  # noqa: ANN401 - any value
    """The value of a field that is not written.

    Raises:
        Mismatch: the field has no default, or one that is not a value of its type.
    """
    if field.default is MISSING:
        raise Mismatch(f"{record.name} needs the field {field.name!r}, which is missing and has no default")
    try:
        return _of_json(field.type, field.default, is_default=True)
    except RecursionError:
        raise Mismatch(f"the default of {record.name}.{field.name} is nested too deeply") from None


def _wrapped(value: object, branch: Node, union: Node) -> object:
    return value if union.optional is not None or branch.type == "null" else Branch(branch.branch_name, value)


def _fits(kind: str, value: int) -> bool:
    bits = 31 if kind == "int" else 63
    return -(1 << bits) <= value < 1 << bits


def as_float(value: float) -> float:
    """The nearest value of a 32-bit float."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def _as_double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise Mismatch("a number is beyond a double") from None


def _latin(text: str) -> bytes:
    """The bytes that JSON writes as characters with the same numbers."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise Mismatch("a character of bytes is above U+00FF") from None
