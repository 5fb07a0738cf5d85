"""The output of kernels, column by column: reused memory, and the Arrow arrays made from it."""

import sys
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.arrays import array
from kafkafmt.codec.compression.buffer import SLACK, references_are_counted
from kafkafmt.codec.java_text import decode_utf8
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.object_code import CHECK_ACCESS
from kafkafmt.columns import SCHEMA, STORED_HEADERS

# Sizes of arrays that are reused, in bytes; others are allocated each time.
_SMALLEST = 1 << 16
_LARGEST = 1 << 26
# Limit of arrays per column: one is being filled, a reader holds another, and a few wait to be concatenated.
_MOST_OF_A_COLUMN = 4
# Arrays per column kept between scans: one to fill, and one that a reader may still hold.
_KEPT_OF_A_COLUMN = 2
# Two record batches (the current and the previous one) take half of it with batches of 1 MB; the rest is mostly
# untouched, and so takes no memory.
_MOST_BYTES = 1 << 27
# An array is not handed out for much less than its size, unless it has the usual size, as its user keeps all of it.
_USUAL = 1 << 24
_LEAST_PART = 4


def _references(arrays: deque[UInt8s], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNSHARED = _references(deque([np.empty(0, np.uint8)]), 0)


class Buffers:
    """A pool of arrays, for one thread; Arrow may drop its references in any thread.

    A column gets its own arrays again, so only the parts that such a column fills are in memory.

    Attributes:
        filled: number of bytes that the largest record batch wrote to its arrays.
    """

    __slots__ = ("_arrays", "filled")

    def __init__(self) -> None:
        # Arrays by column. An array to which only its deque refers is free.
        self._arrays: dict[str, deque[UInt8s]] = {}
        self.filled = 0

    @property
    def kept(self) -> int:
        """Approximate upper bound of the pool's memory, in bytes."""
        return self.filled * max(map(len, self._arrays.values()), default=0)

    def take(self, column: str, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return an array of at least `count` elements of any content; exactly `count` where accesses are checked."""
        kind = np.dtype(dtype)
        size = count * kind.itemsize
        return self._bytes(column, size if CHECK_ACCESS else _rounded(size)).view(kind)

    def trim(self) -> None:
        """Drop all but a few arrays of each column, as the others will not be used for a while."""
        for arrays in self._arrays.values():
            while len(arrays) > _KEPT_OF_A_COLUMN:
                arrays.popleft()

    def _bytes(self, column: str, size: int) -> UInt8s:
        if not _SMALLEST <= size <= _LARGEST or not references_are_counted():
            return np.empty(size, np.uint8)
        arrays = self._arrays.setdefault(column, deque())
        index = 0
        # Oldest first: the array handed out first is the most likely to be free again.
        while index < len(arrays):
            if _references(arrays, index) != _UNSHARED:
                index += 1
                continue
            array = arrays[index]
            del arrays[index]
            if size <= len(array) <= max(_LEAST_PART * size, _USUAL):
                arrays.append(array)
                return array[:size]
        if len(arrays) == _MOST_OF_A_COLUMN:
            arrays.popleft()
        array = np.empty(size, np.uint8)
        arrays.append(array)
        while sum(map(_total, self._arrays.values())) > _MOST_BYTES:
            max(self._arrays.values(), key=_total).popleft()
        return array


def arrow_buffer(array: npt.NDArray[Any], count: int) -> pa.Buffer:
    """Pass the first `count` elements to Arrow: the array itself if they fill a third of it, else a copy."""
    content = array[:count]
    if 3 * content.nbytes < array.nbytes:
        # In Arrow's own memory: malloc would return it to the system at once, which would clear it for every record
        # batch.
        copied = pa.allocate_buffer(content.nbytes)
        np.frombuffer(copied, array.dtype)[:] = content
        return copied
    return pa.py_buffer(content)


def _rounded(size: int) -> int:
    """Round up to a power of two, so that different sizes share arrays; untouched bytes take no memory."""
    return 1 << (size - 1).bit_length() if size else 0


def _total(arrays: deque[UInt8s]) -> int:
    return sum(map(len, arrays))


_OFFSET, _TIMESTAMP, _SEQUENCE, _BASE_OFFSET, _POSITION = (
    SCHEMA.field(name) for name in ("offset", "timestamp", "sequence", "baseOffset", "position")
)
_HEADERS_TYPE = SCHEMA.field("headers").type
_BEYOND_ASCII = 0x80
# Bytes of a record and of a header besides their content: numbers, offsets and bits.
_ROW_BYTES, _HEADER_BYTES = 4 * 8 + 4 * 4 + 1, 2 * 4 + 1


class Strings(NamedTuple):
    """An Arrow column of bytes: end of each row, validity bits, and the bytes of all rows, followed by `SLACK` bytes.

    All three arrays are empty if the column is not requested. The first offset is 0, and all bits are set at first.
    """

    offsets: npt.NDArray[np.int32]
    bits: UInt8s
    data: UInt8s


class Lists(NamedTuple):
    """An Arrow column of lists, without their elements."""

    offsets: npt.NDArray[np.int32]
    bits: UInt8s


class Columns(NamedTuple):
    """The columns whose values differ by record or by batch; columns that are not requested are empty."""

    offset: npt.NDArray[np.int64]
    timestamp: npt.NDArray[np.int64]
    sequence: npt.NDArray[np.int32]
    base_offset: npt.NDArray[np.int64]
    position: npt.NDArray[np.int64]
    key: Strings
    value: Strings
    headers: Lists
    header_key: Strings
    header_value: Strings


class Totals(NamedTuple):
    """Filled sizes of columns.

    Attributes:
        rows: number of records.
        key_rows: number of records up to the last one with a key; nothing is written for the null keys after it.
        header_rows: number of records up to the last one with headers; nothing is written for records after it.
        headers: number of headers of all records.
        nulls: whether there are nulls among these keys, values, lists and header values, one bit each (1, 2, 4, 8).
    """

    rows: int
    key_rows: int
    key_bytes: int
    value_bytes: int
    header_rows: int
    headers: int
    header_key_bytes: int
    header_value_bytes: int
    nulls: int


# Positions of the totals in an array of kernels.
ROWS, KEY_ROWS, KEY_BYTES, VALUE_BYTES, HEADER_ROWS, HEADERS, HEADER_KEY_BYTES, HEADER_VALUE_BYTES, NULLS = range(
    len(Totals._fields)
)

NULL_KEY, NULL_VALUE, NO_HEADERS, NULL_HEADER_VALUE = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Needs:
    """Upper bounds of a record batch's sizes, whatever its bytes are.

    Attributes:
        rows: number of records.
        data: number of bytes of keys, or of values, or of header keys, or of header values.
        headers: number of headers of all records.
    """

    rows: int
    data: int
    headers: int


_NO_BYTES = np.empty(0, np.uint8)
_NO_INT32S = np.empty(0, np.int32)
_NO_STRINGS = Strings(_NO_INT32S, _NO_BYTES, _NO_BYTES)
_NO_LISTS = Lists(_NO_INT32S, _NO_BYTES)


def new_columns(buffers: Buffers, names: set[str], needs: Needs) -> Columns:
    """Take arrays for the columns of these names."""
    rows = needs.rows
    take = buffers.take

    def numbers(name: str, dtype: npt.DTypeLike = np.int64) -> npt.NDArray[Any]:
        return take(name, rows, dtype) if name in names else np.empty(0, dtype)

    def bits(name: str) -> UInt8s:
        array: UInt8s = take(f"{name} bits", (rows + 7) // 8, np.uint8)
        array[: (rows + 7) // 8] = 0xFF
        return array

    def offsets(name: str, count: int) -> npt.NDArray[np.int32]:
        array = take(f"{name} offsets", count + 1, np.int32)
        array[0] = 0
        return array

    def data(name: str) -> UInt8s:
        array: UInt8s = take(f"{name} data", needs.data + SLACK, np.uint8)
        return array

    def strings(name: str) -> Strings:
        return Strings(offsets(name, rows), bits(name), data(name)) if name in names else _NO_STRINGS

    if "headers" in names:
        headers = Lists(offsets("headers", rows), bits("headers"))
        header_key = Strings(offsets("header key", needs.headers), _NO_BYTES, data("header key"))
        # The writer of a header value sets the bits.
        value_bits = take("header value bits", (needs.headers + 7) // 8, np.uint8)
        header_value = Strings(offsets("header value", needs.headers), value_bits, data("header value"))
    else:
        headers, header_key, header_value = _NO_LISTS, _NO_STRINGS, _NO_STRINGS
    return Columns(
        numbers("offset"),
        numbers("timestamp"),
        numbers("sequence", np.int32),
        numbers("baseOffset"),
        numbers("position"),
        strings("key"),
        strings("value"),
        headers,
        header_key,
        header_value,
    )


def filled_bytes(totals: Totals) -> int:
    """Number of bytes filled in all columns, wanted or not."""
    strings = totals.key_bytes + totals.value_bytes + totals.header_key_bytes + totals.header_value_bytes
    return totals.rows * _ROW_BYTES + totals.headers * _HEADER_BYTES + strings


def record_arrays(columns: Columns, totals: Totals, *, stored_names: bool = False) -> dict[str, pa.Array]:
    """Make the Arrow arrays of the columns that records fill, for every format.

    Args:
        columns: columns filled by kernels.
        totals: filled sizes.
        stored_names: whether header names are bytes, as in `kafkafmt.columns.STORED_HEADERS`.
    """
    rows = totals.rows
    arrays = {
        field.name: pa.Array.from_buffers(field.type, rows, [None, arrow_buffer(values, rows)])
        for field, values in (
            (_OFFSET, columns.offset),
            (_TIMESTAMP, columns.timestamp),
            (_SEQUENCE, columns.sequence),
            (_BASE_OFFSET, columns.base_offset),
            (_POSITION, columns.position),
        )
        if len(values)
    }
    if totals.key_rows:
        arrays["key"] = keys_array(columns, totals)
    if len(columns.value.offsets):
        has_nulls = bool(totals.nulls & NULL_VALUE)
        arrays["value"] = strings_array(pa.binary(), columns.value, rows, totals.value_bytes, has_nulls=has_nulls)
    if totals.header_rows:
        arrays["headers"] = headers_array(columns, totals, stored_names=stored_names)
    return arrays


def strings_array(data_type: pa.DataType, strings: Strings, rows: int, used: int, *, has_nulls: bool) -> pa.Array:
    """Make an Arrow array of bytes or text."""
    validity = _validity(strings.bits, rows, has_nulls=has_nulls)
    offsets = arrow_buffer(strings.offsets, rows + 1)
    return pa.Array.from_buffers(data_type, rows, [validity, offsets, arrow_buffer(strings.data, used)])


def keys_array(columns: Columns, totals: Totals) -> pa.Array:
    """Make the Arrow array of keys; there must be at least one key."""
    has_nulls = bool(totals.nulls & NULL_KEY)
    return strings_array(pa.binary(), columns.key, totals.rows, totals.key_bytes, has_nulls=has_nulls)


def headers_array(columns: Columns, totals: Totals, *, stored_names: bool = False) -> pa.Array:
    """Make the Arrow array of headers; names that are not UTF-8 are decoded like Java does, or stay as stored."""
    count = totals.headers
    stored = columns.header_key
    used = totals.header_key_bytes
    kind = STORED_HEADERS.type if stored_names else _HEADERS_TYPE
    keys = strings_array(kind.value_type.field("key").type, stored, count, used, has_nulls=False)
    if not stored_names and int(stored.data[:used].max(initial=0)) >= _BEYOND_ASCII and not _is_valid(keys):
        as_bytes = strings_array(pa.binary(), stored, count, used, has_nulls=False)
        keys = array([decode_utf8(key) for key in as_bytes.to_pylist()], pa.string())
    has_nulls = bool(totals.nulls & NULL_HEADER_VALUE)
    values = strings_array(pa.binary(), columns.header_value, count, totals.header_value_bytes, has_nulls=has_nulls)
    pairs = pa.Array.from_buffers(kind.value_type, count, [None], children=[keys, values])
    rows = totals.rows
    validity = _validity(columns.headers.bits, rows, has_nulls=bool(totals.nulls & NO_HEADERS))
    return pa.Array.from_buffers(
        kind, rows, [validity, arrow_buffer(columns.headers.offsets, rows + 1)], children=[pairs]
    )


def _is_valid(text: pa.Array) -> bool:
    """Whether the bytes of all strings are UTF-8, by Arrow's full validation."""
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _validity(bits: UInt8s, count: int, has_nulls: bool) -> pa.Buffer | None:
    return arrow_buffer(bits, (count + 7) // 8) if has_nulls else None
