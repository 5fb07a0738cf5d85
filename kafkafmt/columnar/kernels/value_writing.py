"""Fills columns of values in kernels, in the memory that `columnar.value_columns` lays out."""

from typing import Any

import numpy as np

from kafkafmt.columnar import avro_program as steps
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import (
    byte_at,
    clear_bit,
    copy,
    copy_exact,
    little_endian_uint32,
    little_endian_uint64,
    put,
    put_int32,
)
from kafkafmt.columnar.kernels.compiling import part, rare_part
from kafkafmt.columnar.kernels.value_reading import element

# `copy` reads whole steps of 32 bytes, so it may read this many bytes after the text.
_OVER_READ = 32


@part
def index_of(columns: Int64s, counts: Int64s, column: Any) -> Any:
    """The number of a column's next entry."""
    return element(counts, element(columns, column * steps.COLUMN + steps.OF_GROUP))


@part
def place_of(columns: Int64s, counts: Int64s, column: Any, width: Any) -> Any:
    """Position in memory of a column's next value or offset, of a given width in bytes."""
    return element(columns, column * steps.COLUMN + steps.VALUES) + width * index_of(columns, counts, column)


@part
def put_bytes(
    columns: Int64s, counts: Int64s, memory: UInt8s, state: Int64s, column: Any, source: UInt8s, start: Any, size: Any
) -> bool:
    """Write bytes; return False if there is no space."""
    of_column = column * steps.COLUMN
    ends = element(columns, of_column + steps.VALUES) + 4 * index_of(columns, counts, column)
    begin = little_endian_uint32(memory, ends)
    if begin + size > element(columns, of_column + steps.ROOM):
        state[steps.WANTED], state[steps.WHICH], state[steps.NEEDED] = steps.GREW_DATA, column, begin + size
        return False
    to = element(columns, of_column + steps.DATA) + begin
    if start + size + _OVER_READ <= source.size:
        copy(memory, to, source, start, size)
    else:
        copy_exact(memory, to, source, start, size)
    put_int32(memory, ends + 4, begin + size)
    return True


@part
def put_bit(memory: UInt8s, begin: Any, index: Any, bit: Any) -> None:
    """Write a bit of a bitmap, in which the lowest bit of a byte comes first."""
    place = np.uint64(begin + (index >> 3))
    mask = np.uint8(1 << (index & 7))
    memory[place] = (memory[place] | mask) if bit else (memory[place] & ~mask)


@rare_part
def put_null(columns: Int64s, counts: Int64s, memory: UInt8s, column: Any) -> None:
    """Write null, also to all columns below the column."""
    group = element(columns, column * steps.COLUMN + steps.OF_GROUP)
    index = element(counts, group)
    for each in range(column, element(columns, column * steps.COLUMN + steps.AFTER)):
        of_column = each * steps.COLUMN
        if element(columns, of_column + steps.OF_GROUP) != group or element(columns, of_column + steps.VALIDITY) < 0:
            continue
        clear_bit(memory, 8 * element(columns, of_column + steps.VALIDITY) + index)
        put(columns, of_column + steps.NULLS, 1)
        shape, values = element(columns, of_column + steps.SHAPE), element(columns, of_column + steps.VALUES)
        if shape == steps.NUMBERS:
            width = element(columns, of_column + steps.WIDTH)
            for byte in range(width * index, width * (index + 1)):
                put(memory, values + byte, np.uint8(0))
        elif shape == steps.STRINGS:
            put_int32(memory, values + 4 * index + 4, little_endian_uint32(memory, values + 4 * index))
        elif shape == steps.LISTS:
            put_int32(memory, values + 4 * index + 4, element(counts, element(columns, of_column + steps.ITEMS)))
        elif shape == steps.BITS_OF_VALUES:
            put_bit(memory, values, index, 0)


@rare_part
def take_back(columns: Int64s, groups: Int64s, counts: Int64s, before: Int64s, memory: UInt8s) -> None:
    """Remove the items of a value that is refused."""
    for group in range(1, counts.size):
        of_list = element(groups, group * steps.GROUP + steps.LIST) * steps.COLUMN
        begin = element(columns, of_list + steps.VALUES) + 4 * element(
            counts, element(groups, group * steps.GROUP + steps.PARENT)
        )
        put(before, group, element(counts, group))
        put(counts, group, little_endian_uint32(memory, begin))
    for of_column in range(0, columns.size, steps.COLUMN):
        group, validity = element(columns, of_column + steps.OF_GROUP), element(columns, of_column + steps.VALIDITY)
        if group and validity >= 0:
            for index in range(element(counts, group), element(before, group) + 1):
                put_bit(memory, validity, index, 1)


@rare_part
def put_decimal(
    columns: Int64s,
    counts: Int64s,
    memory: UInt8s,
    column: Any,
    source: UInt8s,
    at: Any,
    size: Any,
    numbers: Int64s,
    bound: Any,
) -> bool:
    """Write a big-endian number in two's complement; return False if it has no bytes, or too many digits.

    Args:
        columns: as for the kernel.
        counts: as for the kernel.
        memory: as for the kernel.
        column: the column.
        source: array with the bytes.
        at: start of the bytes.
        size: number of bytes.
        numbers: as for the kernel.
        bound: position in `numbers` of the largest number's 64-bit words, the lowest first.
    """
    if size == 0:
        return False
    width = element(columns, column * steps.COLUMN + steps.WIDTH)
    is_negative = byte_at(source, at) > 0x7F
    filler = 0xFF if is_negative else 0
    while size > width:
        if byte_at(source, at) != filler or (byte_at(source, at + 1) ^ filler) > 0x7F:
            return False
        at, size = at + 1, size - 1
    to = place_of(columns, counts, column, width)
    for byte in range(size):
        put(memory, to + byte, np.uint8(byte_at(source, at + size - 1 - byte)))
    for byte in range(size, width):
        put(memory, to + byte, np.uint8(filler))
    for word in range(width // 8 - 1, -1, -1):
        number = little_endian_uint64(memory, to + 8 * word)
        most = np.uint64(element(numbers, bound + word))
        if is_negative:
            # ~x is -x - 1, so it is compared with the bound minus one, which needs no borrow, as the bound is odd.
            number = ~number
            most -= np.uint64(word == 0)
        if number != most:
            return bool(number < most)
    return True


@rare_part
def put_uuid(memory: UInt8s, to: Any, source: UInt8s, at: Any) -> None:
    """Write 16 bytes as the 36 characters of a UUID."""
    for byte in range(16):
        if byte in (4, 6, 8, 10):
            put(memory, to, np.uint8(0x2D))
            to += 1
        number = byte_at(source, at + byte)
        for digit in (number >> 4, number & 15):
            put(memory, to, np.uint8(0x30 + digit if digit < 10 else 0x57 + digit))
            to += 1


@rare_part
def is_new_key(columns: Int64s, counts: Int64s, memory: UInt8s, keys: Any, of_map: Any) -> bool:
    """Whether the key written last is the only one of its kind in its map."""
    begins = place_of(columns, counts, of_map, 4)
    first, last = little_endian_uint32(memory, begins), index_of(columns, counts, keys)
    if last - first >= steps.MOST_KEYS:
        return False
    offsets, data = (
        element(columns, keys * steps.COLUMN + steps.VALUES),
        element(columns, keys * steps.COLUMN + steps.DATA),
    )
    begin = little_endian_uint32(memory, offsets + 4 * last)
    size = little_endian_uint32(memory, offsets + 4 * last + 4) - begin
    for other in range(first, last):
        at = little_endian_uint32(memory, offsets + 4 * other)
        if little_endian_uint32(memory, offsets + 4 * other + 4) - at == size:
            byte = 0
            while byte < size and byte_at(memory, data + at + byte) == byte_at(memory, data + begin + byte):
                byte += 1
            if byte == size:
                return False
    return True
