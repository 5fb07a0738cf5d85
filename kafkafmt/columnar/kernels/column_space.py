"""The space of the columns to which records are written: whether it suffices, and null rows."""

import numpy as np
import numpy.typing as npt

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import clear_bit, put
from kafkafmt.columnar.kernels.compiling import part, rare_part
from kafkafmt.columnar.outputs import (
    HEADER_KEY_BYTES,
    HEADER_VALUE_BYTES,
    HEADERS,
    KEY_BYTES,
    ROWS,
    VALUE_BYTES,
    Columns,
    Strings,
)
from kafkafmt.reference.parsers import SMALLEST_HEADER


@rare_part
def has_room(columns: Columns, totals: Int64s, count: int, size: int) -> bool:
    """Whether the columns have space for any batch of this size and declared record count.

    The count bounds the rows, because the walk ends there; it bounds nothing else until the walk has confirmed it.
    """
    rows = totals[ROWS] + count
    headers = totals[HEADERS] + size // SMALLEST_HEADER
    return (
        _fits(columns.offset.size, rows)
        and _fits(columns.timestamp.size, rows)
        and _fits(columns.sequence.size, rows)
        and _fits(columns.base_offset.size, rows)
        and _fits(columns.position.size, rows)
        and _string_fits(columns.key, rows, totals[KEY_BYTES] + size)
        and _string_fits(columns.value, rows, totals[VALUE_BYTES] + size)
        and _fits(columns.headers.offsets.size, rows + 1)
        and _fits(columns.headers.bits.size * 8, rows)
        and _string_fits(columns.header_key, headers, totals[HEADER_KEY_BYTES] + size)
        and _string_fits(columns.header_value, headers, totals[HEADER_VALUE_BYTES] + size)
    )


@rare_part
def fill_nulls(offsets: npt.NDArray[np.int32], bits: UInt8s, begin: int, end: int, flag: int) -> int:
    """Make rows of a column null; return the flag if there are any."""
    used = offsets[np.uint64(begin)]
    for row in range(begin, end):
        clear_bit(bits, row)
        put(offsets, row + 1, used)
    return flag if begin < end else 0


@part
def header_room_of(columns: Columns) -> int:
    """The number of headers that fit into the columns."""
    keys, values = columns.header_key, columns.header_value
    return min(keys.offsets.size - 1, values.offsets.size - 1, values.bits.size * 8)


@part
def _fits(capacity: int, count: int) -> bool:
    """Whether an array has space for the elements, if its column is requested."""
    return capacity == 0 or count <= capacity


@part
def _string_fits(column: Strings, rows: int, data: int) -> bool:
    """Whether a column of bytes has space for the rows and bytes, if it is requested."""
    return (
        _fits(column.offsets.size, rows + 1)
        and _fits(column.bits.size * 8, rows)
        and _fits(column.data.size, data + SLACK)
    )
