"""Arrow arrays built from Python values without pandas, and Arrow types by name.

`pyarrow.array` and `Array.to_numpy` import pandas, if it is installed, to check their input. The import takes longer
than the rest of a small scan.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from kafkafmt.libraries import np, pa

TIME: Final = "timestamp"
"""Name of the type that all times have: milliseconds since the epoch, in UTC."""

# Offsets in Arrow's strings and binaries are signed 32-bit numbers.
_MOST_BYTES = 2**31 - 1
_OF_OTHERS = re.compile(r"(list|struct)<(.*)>")


def arrow_type(name: str) -> "pa.DataType":
    """The type with a name: `TIME`, "list<int32>", "list<struct<name: string, port: int32>>", or any alias of Arrow."""
    if name == TIME:
        return pa.timestamp("ms", "UTC")
    found = _OF_OTHERS.fullmatch(name)
    if found is None:
        return pa.type_for_alias(name)
    kind, inner = found.groups()
    if kind == "list":
        return pa.list_(arrow_type(inner))
    fields = [field.split(": ") for field in inner.split(", ")]
    return pa.struct([(field, arrow_type(each)) for field, each in fields])


def as_text(name: str | None) -> str | None:
    """A name in a form that Arrow can hold: bytes that are not text become U+FFFD."""
    return name if name is None else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def array(values: Sequence[Any], kind: "pa.DataType") -> "pa.Array":
    """Make the same array as `pyarrow.array`, from values that fit the type.

    Args:
        values: None for null; integers, bool, bytes or str; a list for a list, and a tuple for a struct.
        kind: integers, timestamps (given as numbers), bool, binary, string, and lists and structs of these;
            `pyarrow.array` makes all other types.

    Raises:
        OverflowError: an integer does not fit.
    """
    count = len(values)
    is_valid = [value is not None for value in values]
    validity = None if all(is_valid) else _bits(is_valid)
    types = pa.types
    if types.is_integer(kind) or types.is_timestamp(kind):
        numbers = values if validity is None else [value or 0 for value in values]
        data = np.array(numbers, f"{'u' if types.is_unsigned_integer(kind) else 'i'}{kind.bit_width // 8}")
        return pa.Array.from_buffers(kind, count, [validity, pa.py_buffer(data)])
    if types.is_boolean(kind):
        return pa.Array.from_buffers(kind, count, [validity, _bits(values)])
    if types.is_string(kind) or types.is_binary(kind):
        present = [value or b"" for value in values]
        stored = [value.encode() if isinstance(value, str) else value for value in present]
        if sum(map(len, stored)) <= _MOST_BYTES:
            return pa.Array.from_buffers(kind, count, [validity, _offsets(stored), pa.py_buffer(b"".join(stored))])
    if types.is_list(kind):
        lists = [value or () for value in values]
        items = array(list(chain.from_iterable(lists)), kind.value_type)
        return pa.Array.from_buffers(kind, count, [validity, _offsets(lists)], children=[items])
    if types.is_struct(kind) and validity is None:
        fields = [
            array([value[number] for value in values], kind.field(number).type) for number in range(kind.num_fields)
        ]
        return pa.Array.from_buffers(kind, count, [None], children=fields)
    return pa.array(values, kind)


def _bits(values: "Sequence[Any] | np.ndarray[tuple[int], np.dtype[np.bool_]]") -> "pa.Buffer":
    return pa.py_buffer(np.packbits(np.array(values, np.bool_), bitorder="little"))


def _offsets(parts: "Sequence[Sequence[Any]]") -> "pa.Buffer":
    offsets = np.zeros(len(parts) + 1, np.int32)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return pa.py_buffer(offsets)


def of_numpy(values: "np.ndarray[tuple[int], np.dtype[Any]]") -> "pa.Array":
    """A column of numpy integers or bools, without nulls; integers are not copied."""
    if values.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def numbers(column: "pa.Array") -> "np.ndarray[tuple[int], np.dtype[Any]]":
    """The integers of a column without nulls, as `Array.to_numpy` gives them, without a copy.

    Args:
        column: integers, or times and timestamps, which are read as their numbers.

    Raises:
        ValueError: the column has nulls, whose numbers are arbitrary.
    """
    _require_no_nulls(column)
    kind, count = column.type, len(column)
    dtype = np.dtype(f"{'u' if pa.types.is_unsigned_integer(kind) else 'i'}{kind.bit_width // 8}")
    data = column.buffers()[1]
    return np.frombuffer(data, dtype, count, column.offset * dtype.itemsize) if count else np.empty(0, dtype)


def flags(column: "pa.Array") -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """The values of a column of bool without nulls, as `Array.to_numpy` gives them.

    Raises:
        ValueError: the column has nulls, whose values are arbitrary.
    """
    _require_no_nulls(column)
    count = len(column)
    if not count:
        return np.empty(0, np.bool_)
    first, data = column.offset // 8, np.frombuffer(column.buffers()[1], np.uint8)
    bits = np.unpackbits(data[first : (column.offset + count + 7) // 8], bitorder="little")
    return bits[column.offset % 8 :][:count].view(np.bool_)


def _require_no_nulls(column: "pa.Array") -> None:
    if column.null_count:
        raise ValueError(f"a column of {column.type} with {column.null_count} nulls of {len(column)} values")
