"""Text and Avro's numbers, read in kernels without accessing bytes beyond the end of the value."""

from typing import Any

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import byte_at, little_endian_uint64, trailing_zeros
from kafkafmt.columnar.kernels.compiling import part, rare_part

INT_BYTES, LONG_BYTES = 5, 10
"""Maximal sizes of an int and of a long, in bytes."""

_HIGH_BITS = np.uint64(0x8080808080808080)


@part
def element(numbers: Int64s, index: Any) -> Any:
    """An element of an array; the caller has checked the bounds."""
    return numbers[np.uint64(index)]


@part
def read_bits(source: UInt8s, at: Any, end: Any, most: Any) -> Any:
    """The bits of a varint of at most `most` bytes, and where it ends; -1 if it is invalid."""
    if at >= end:
        return np.uint64(0), np.int64(-1)
    first = byte_at(source, at)
    if first < 0x80:
        return np.uint64(first), at + 1
    return _read_groups(source, at, end, most)


@rare_part
def _read_groups(source: UInt8s, at: Any, end: Any, most: Any) -> Any:
    if end - at >= 8:
        word = little_endian_uint64(source, at)
        stops = ~word & _HIGH_BITS
        if stops:
            size = (trailing_zeros(stops) >> 3) + 1
            word &= stops ^ (stops - np.uint64(1))
            word &= np.uint64(0x7F7F7F7F7F7F7F7F)
            word = (word & np.uint64(0x007F007F007F007F)) | ((word & np.uint64(0x7F007F007F007F00)) >> np.uint64(1))
            word = (word & np.uint64(0x00003FFF00003FFF)) | ((word & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2))
            word = (word & np.uint64(0x0FFFFFFF)) | ((word & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4))
            if most == INT_BYTES and (size > most or word >> np.uint64(32)):
                return np.uint64(0), np.int64(-1)
            return word, at + size
    number = np.uint64(0)
    for index in range(most):
        if at + index >= end:
            break
        group = np.uint64(byte_at(source, at + index))
        number |= (group & np.uint64(0x7F)) << np.uint64(7 * index)
        if group < np.uint64(0x80):
            # The last byte has the remaining bits of 32 or 64.
            if index == most - 1 and group >> np.uint64(4 if most == INT_BYTES else 1):
                break
            return number, at + index + 1
    return np.uint64(0), np.int64(-1)


@part
def signed(number: Any) -> Any:
    """Decode the bits of a varint to a signed number."""
    return np.int64(number >> np.uint64(1)) ^ -np.int64(number & np.uint64(1))


@part
def read_long(source: UInt8s, at: Any, end: Any) -> Any:
    """A long, and where it ends; -1 if it is invalid."""
    number, after = read_bits(source, at, end, LONG_BYTES)
    return signed(number), after


@part
def read_int(source: UInt8s, at: Any, end: Any) -> Any:
    """An int, and where it ends; -1 if it is invalid."""
    number, after = read_bits(source, at, end, INT_BYTES)
    return signed(number), after


@part
def read_length(source: UInt8s, at: Any, end: Any) -> Any:
    """A length, and where its bytes begin; -1 if they are not all present."""
    size, after = read_long(source, at, end)
    if size < 0 or size > end - after:
        return size, np.int64(-1)
    return size, after


@part
def is_text(source: UInt8s, at: Any, size: Any) -> bool:
    """Whether bytes are UTF-8."""
    if size <= 8 and at + 8 <= source.size:
        if size == 0:
            return True
        if little_endian_uint64(source, at) << np.uint64(64 - 8 * size) & _HIGH_BITS == 0:
            return True
    return _is_utf8(source, at, at + size)


@rare_part
def _is_utf8(source: UInt8s, at: Any, end: Any) -> bool:
    """Whether bytes are UTF-8 without surrogates."""
    while at < end:
        while end - at >= 8 and little_endian_uint64(source, at) & _HIGH_BITS == 0:
            at += 8
        if at >= end:
            break
        size = 1 if byte_at(source, at) < 0x80 else character_size(source, at, end)
        if size == 0:
            return False
        at += size
    return True


@part
def character_size(source: UInt8s, at: Any, end: Any) -> int:
    """Size of a character above U+007F in UTF-8, by Unicode's table 3-7; 0 if it is invalid."""
    first = byte_at(source, at)
    if first < 0xC2 or first > 0xF4:
        return 0
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if at + size > end:
        return 0
    second = byte_at(source, at + 1)
    lowest = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    highest = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    if second < lowest or second > highest:
        return 0
    for index in range(2, size):
        if byte_at(source, at + index) & 0xC0 != 0x80:
            return 0
    return size
