"""Avro types as Arrow types, and Avro values as objects from which Arrow makes arrays.

A union of several types besides null, a recursive record and a record without fields have no Arrow type that tables and
files support: they become columns of JSON text.
"""

import json
import math
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from decimal import Context, Decimal
from itertools import count
from typing import Any, Final

import pyarrow as pa

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.times import Unit, iso_date, iso_time, iso_timestamp
from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.schema import Node

Convert = Callable[[Any], Any]

JSON: Final = pa.string()
"""Type of a column of JSON text."""

_DIGITS_128, _DIGITS_256 = 38, 76
_MOST_COLUMNS: Final = 10_000
_MOST_FIXED: Final = 1024
"""Most bytes of a fixed-width value, as in Arrow a null takes as many bytes as a value."""

_MOST_DECIMAL_BYTES: Final = 1700
"""Most bytes of a decimal: Python converts at most 4,300 digits to text."""
_PRIMITIVES: Final[Mapping[str, pa.DataType]] = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
    "enum": pa.string(),
}
_LOGICAL: Final[Mapping[str, pa.DataType]] = {
    "uuid": pa.string(),
    "date": pa.date32(),
    "time-millis": pa.time32("ms"),
    "time-micros": pa.time64("us"),
    "timestamp-millis": pa.timestamp("ms", "UTC"),
    "timestamp-micros": pa.timestamp("us", "UTC"),
    "timestamp-nanos": pa.timestamp("ns", "UTC"),
    "local-timestamp-millis": pa.timestamp("ms"),
    "local-timestamp-micros": pa.timestamp("us"),
    "local-timestamp-nanos": pa.timestamp("ns"),
    "duration": pa.struct([("months", pa.int64()), ("days", pa.int64()), ("milliseconds", pa.int64())]),
}
_UNITS: Final[Mapping[str, Unit]] = {"millis": "ms", "micros": "us", "nanos": "ns"}
_DURATION: Final = ("months", "days", "milliseconds")


def arrow_type(node: Node) -> pa.DataType:
    """The Arrow type of a type's values.

    Raises:
        LimitExceededError: there are too many columns; a record that is used in several places is expanded in each.
    """
    try:
        return _type(node, (), count(1))
    except RecursionError as error:
        raise LimitExceededError("the types of the Avro schema are nested too deeply") from error


def converter(node: Node) -> Convert:
    """The function that converts a value from `reading` to an object that `pyarrow.array` accepts for `arrow_type`."""
    return _converter(node, ())


def as_json(node: Node, value: object) -> str:
    """A value as JSON text, with its logical types.

    Bytes become {"base64": ".."}, decimals text, times ISO 8601, maps objects; a value of a union of several types is
    an object with the name of its branch.
    """
    return json.dumps(_json_of(node, value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _type(node: Node, path: tuple[Node, ...], numbers: Iterator[int]) -> pa.DataType:
    if next(numbers) > _MOST_COLUMNS:
        raise LimitExceededError("the Avro schema has too many columns", expected=f"at most {_MOST_COLUMNS:,}")
    if is_json(node, path):
        return JSON
    if (optional := node.optional) is not None:
        return _type(optional, path, numbers)
    if node.logical == "decimal":
        kind = pa.decimal128 if node.precision <= _DIGITS_128 else pa.decimal256
        return kind(node.precision, node.scale) if node.precision <= _DIGITS_256 else pa.string()
    if node.logical is not None:
        return _LOGICAL[node.logical]
    if node.type == "fixed":
        return pa.binary(node.size if 0 < node.size <= _MOST_FIXED else -1)  # Parquet has no values of 0 bytes
    if node.type == "array":
        return pa.list_(pa.field("element", _type(node.inner[0], (*path, node), numbers)))
    if node.type == "map":
        return pa.map_(pa.string(), _type(node.inner[0], (*path, node), numbers))
    if node.type == "record":
        return pa.struct([pa.field(each.name, _type(each.type, (*path, node), numbers)) for each in node.fields])
    return _PRIMITIVES["null" if node.type == "union" else node.type]


def is_json(node: Node, path: tuple[Node, ...]) -> bool:
    """Whether a type's column is JSON text.

    Args:
        node: the type.
        path: the types around it.
    """
    if node.type == "record":
        return node in path or not node.fields
    if node.type == "fixed":
        return False
    return node.type == "union" and node.optional is None and any(each.type != "null" for each in node.inner)


def _converter(node: Node, path: tuple[Node, ...]) -> Convert:
    if is_json(node, path):
        return lambda value: None if value is None and node.type == "union" else as_json(node, value)
    if (optional := node.optional) is not None:
        inner = _converter(optional, path)
        return lambda value: None if value is None else inner(value)
    if node.logical == "decimal":
        return _decimal_text(node) if node.precision > _DIGITS_256 else _decimal(node)
    if node.logical == "uuid":
        return _uuid
    if node.logical == "duration":
        return lambda value: dict(zip(_DURATION, _duration(value), strict=True))
    if node.type in ("array", "map"):
        item = _converter(node.inner[0], (*path, node))
        if item is _same:
            return _same
        if node.type == "array":
            return lambda value: [item(each) for each in value]
        return lambda value: [(name, item(each)) for name, each in value]
    if node.type == "record":
        items = {each.name: _converter(each.type, (*path, node)) for each in node.fields}
        items = {name: item for name, item in items.items() if item is not _same}
        return _fields(items) if items else _same
    return _same


def _same(value: object) -> object:
    return value


def _fields(items: Mapping[str, Convert]) -> Convert:
    def convert(value: dict[str, Any]) -> dict[str, Any]:
        return {**value, **{name: item(value[name]) for name, item in items.items()}}

    return convert


def _decimal(node: Node) -> Convert:
    digits, scale = node.precision, node.scale
    context = Context(prec=digits)

    def convert(value: bytes) -> Decimal:
        number = _unscaled(value)
        if len(str(abs(number))) > digits:
            raise CorruptError(f"a decimal has more than its {digits} digits", found=number)
        return Decimal(number).scaleb(-scale, context)

    return convert


def _decimal_text(node: Node) -> Convert:
    return lambda value: _plain(_unscaled(value), node.scale)


def _unscaled(value: bytes) -> int:
    if not value:
        raise CorruptError("a decimal has no bytes")
    if len(value) > _MOST_DECIMAL_BYTES:
        raise LimitExceededError("a decimal has too many bytes", expected=f"at most {_MOST_DECIMAL_BYTES:,}")
    return int.from_bytes(value, "big", signed=True)


def _plain(unscaled: int, scale: int) -> str:
    """A decimal as text without an exponent."""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    sign = "-" if unscaled < 0 else ""
    return f"{sign}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else f"{sign}{digits}"


def _uuid(value: str | bytes) -> str:
    return value if isinstance(value, str) else str(uuid.UUID(bytes=value))


def _duration(value: bytes) -> tuple[int, ...]:
    return tuple(int.from_bytes(value[at : at + 4], "little") for at in (0, 4, 8))


def _json_of(node: Node, value: Any) -> Any:  # noqa: ANN401 - any value, one return a type
    if node.type == "union":
        if isinstance(value, Branch):
            branch = next(each for each in node.inner if each.branch_name == value.name)
            return {value.name: _json_of(branch, value.value)}
        return None if value is None or node.optional is None else _json_of(node.optional, value)
    if node.logical is not None:
        return _logical_of(node, value)
    if node.type in ("bytes", "fixed"):
        return {"base64": b64encode(value).decode()}
    if node.type == "array":
        return [_json_of(node.inner[0], each) for each in value]
    if node.type == "map":
        return {name: _json_of(node.inner[0], each) for name, each in value}
    if node.type == "record":
        return {each.name: _json_of(each.type, value[each.name]) for each in node.fields}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _logical_of(node: Node, value: Any) -> Any:  # noqa: ANN401 - any value, one return a type
    match node.logical:
        case "decimal":
            return _plain(_unscaled(value), node.scale)
        case "uuid":
            return _uuid(value)
        case "duration":
            return dict(zip(_DURATION, _duration(value), strict=True))
        case "date":
            return iso_date(value)
        case "time-millis":
            return iso_time(value, "ms")
        case "time-micros":
            return iso_time(value, "us")
        case logical:
            name = str(logical)
            return iso_timestamp(value, _UNITS[name.rpartition("-")[2]], is_local=name.startswith("local"))
