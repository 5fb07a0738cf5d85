"""Values of Arrow columns as Python values that JSON can hold.

Times are ISO 8601 text, numbers exact, bytes text or {"base64": ".."}. A map with text as keys is an object, any other
map a list of pairs.
"""

import math
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa

from kafkafmt.times import iso_text

_NOT_FINITE: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def plain_values(array: pa.Array, encode: "Callable[[bytes], Any] | None" = None) -> list[Any]:
    """Values of a column as JSON can hold them; "NaN", "Infinity" and "-Infinity" are text, as in Protobuf's JSON.

    Args:
        array: the column.
        encode: makes text from bytes; None for text if they are UTF-8, else {"base64": ".."}.
    """
    return _values(array, encode or text_or_base64)


def _values(array: pa.Array, encode: Callable[[bytes], Any]) -> list[Any]:
    kind = array.type
    if pa.types.is_temporal(kind):
        return [None if value is None else iso_text(kind)(value) for value in _numbers(array)]
    if pa.types.is_fixed_size_binary(kind):
        return _encoded(array.cast(pa.binary()), encode)
    if pa.types.is_binary(kind):
        return _encoded(array, encode)
    if pa.types.is_floating(kind):
        return [
            value if value is None or math.isfinite(value) else _NOT_FINITE[str(value)] for value in array.to_pylist()
        ]
    if pa.types.is_struct(kind):
        columns = [_values(child, encode) for child in array.flatten()]
        names = [kind.field(number).name for number in range(kind.num_fields)]
        rows = zip(*columns, strict=True) if columns else [()] * len(array)
        return [
            dict(zip(names, row, strict=True)) if there else None
            for there, row in zip(_valid(array), rows, strict=True)
        ]
    if pa.types.is_map(kind):
        pairs = _lists(
            array, [*zip(_inner(array, array.keys, encode), _inner(array, array.items, encode), strict=True)]
        )
        return [*map(_object, pairs)] if pa.types.is_string(kind.key_type) else pairs
    if pa.types.is_list(kind):
        return _lists(array, _inner(array, array.values, encode))
    return array.to_pylist()  # type: ignore[no-any-return]


def _inner(array: pa.Array, values: pa.Array, encode: Callable[[bytes], Any]) -> list[Any]:
    """The values inside the lists of a column."""
    begin, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
    return _values(values.slice(begin, end - begin), encode)


def _lists(array: pa.Array, items: list[Any]) -> list[list[Any] | None]:
    """The lists of a column, built from the values inside them."""
    offsets = array.offsets.to_pylist()
    base = offsets[0]
    return [
        items[begin - base : end - base] if there else None
        for there, begin, end in zip(_valid(array), offsets[:-1], offsets[1:], strict=True)
    ]


def _object(pairs: list[tuple[str, Any]] | None) -> dict[str, Any] | None:
    return None if pairs is None else dict(pairs)


def _numbers(array: pa.Array) -> list[int | None]:
    """The numbers that times and dates are stored as: Python cannot represent many years."""
    numbers: list[int | None] = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64()).to_pylist()
    return numbers


def _encoded(array: pa.Array, encode: Callable[[bytes], Any]) -> list[Any]:
    if encode is text_or_base64:
        try:
            return array.cast(pa.string()).to_pylist()  # type: ignore[no-any-return]
        except pa.ArrowInvalid:  # some values are not UTF-8
            pass
    return [None if value is None else encode(value) for value in array.to_pylist()]


def text_or_base64(data: bytes) -> str | dict[str, str]:
    """Bytes as text, or as an object that marks them as base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode("ascii")}


def _valid(array: pa.Array) -> list[bool]:
    """For each value, whether it is not null."""
    if array.null_count == 0:
        return [True] * len(array)
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    valid: list[bool] = (
        np.unpackbits(bits, count=array.offset + len(array), bitorder="little")[array.offset :].astype(bool).tolist()
    )
    return valid
