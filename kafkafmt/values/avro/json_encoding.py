"""Converts Avro's "JSON encoding" to the binary encoding, which is then read and resolved like any other value."""

import struct
from typing import Any

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.json_values import value_of_json
from kafkafmt.values.avro.schema import Node
from kafkafmt.values.primitives import json_of


def binary_of_json(writer: Node, data: bytes) -> bytes:
    """The binary encoding of a value in the JSON encoding.

    Args:
        writer: the schema with which the value was written.
        data: JSON text.

    Raises:
        CorruptError: the text is not JSON, or not a value of the schema.
        LimitExceededError: the JSON is nested too deeply.
    """
    written = bytearray()
    try:
        _write(writer, value_of_json(writer, json_of(data)), written)
    except UnicodeEncodeError as error:
        raise CorruptError(f"a string of Avro's JSON encoding: {error.reason}") from error
    except RecursionError as error:
        raise LimitExceededError("JSON is nested too deeply") from error
    return bytes(written)


def _write(node: Node, value: Any, written: bytearray) -> None:  # noqa: ANN401 - any value
    match node.type:
        case "boolean":
            written.append(value)
        case "int" | "long":
            _write_long(value, written)
        case "float" | "double":
            written += struct.pack("<f" if node.type == "float" else "<d", value)
        case "bytes":
            _write_sized(value, written)
        case "string":
            _write_sized(value.encode(), written)
        case "fixed":
            written += value
        case "enum":
            _write_long(node.symbols.index(value), written)
        case "array" | "map":
            if value:
                _write_long(len(value), written)
            for item in value:
                if node.type == "map":
                    _write_sized(item[0].encode(), written)
                _write(node.inner[0], item[1] if node.type == "map" else item, written)
            written.append(0)
        case "record":
            for field in node.fields:
                _write(field.type, value[field.name], written)
        case "union":
            branch = _branch(node, value)
            _write_long(branch, written)
            _write(node.inner[branch], value.value if isinstance(value, Branch) else value, written)


def _branch(union: Node, value: object) -> int:
    if isinstance(value, Branch):
        return next(number for number, each in enumerate(union.inner) if each.branch_name == value.name)
    return next(number for number, each in enumerate(union.inner) if (each.type == "null") == (value is None))


def _write_sized(data: bytes, written: bytearray) -> None:
    _write_long(len(data), written)
    written += data


def _write_long(value: int, written: bytearray) -> None:
    rest = (value << 1) ^ (value >> 63)
    while rest > 0x7F:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
