"""Access to byte arrays in kernels, without Python's negative indexes, and without slices, which take references.

Copies use the widths that processors copy fastest. Numbers are read at any alignment; the caller has checked bounds.
"""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.compiling import address, instructions, part, rare_part


def _reader(stored: Any, result: Any, byteorder: str) -> Any:
    """Make a function that reads a number at an index of a byte array."""

    @instructions
    def read(_: Any, source: Any, _at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            begin = address(context, builder, signature.args[0], arguments[0], arguments[1], stored.bitwidth // 8)
            number = builder.load(builder.bitcast(begin, ir.IntType(stored.bitwidth).as_pointer()))
            number.align = 1
            if byteorder != sys.byteorder:
                number = builder.bswap(number)
            return context.cast(builder, number, stored, result)

        return result(source, types.int64), generate

    return read


int16_at = _reader(types.int16, types.int64, "big")
"""Read a signed big-endian number of two bytes."""

uint16_at = _reader(types.uint16, types.int64, "big")
"""Read an unsigned big-endian number of two bytes."""

int32_at = _reader(types.int32, types.int64, "big")
"""Read a signed big-endian number of four bytes."""

uint32_at = _reader(types.uint32, types.int64, "big")
"""Read an unsigned big-endian number of four bytes."""

int64_at = _reader(types.int64, types.int64, "big")
"""Read a signed big-endian number of eight bytes."""

little_endian_uint32 = _reader(types.uint32, types.int64, "little")
"""Read an unsigned little-endian number of four bytes."""

little_endian_uint64 = _reader(types.uint64, types.uint64, "little")
"""Read an unsigned little-endian number of eight bytes."""


def _writer(stored: Any) -> Any:
    """Make a function that writes a number at an index of a byte array, in this machine's byte order."""

    @instructions
    def write(_: Any, target: Any, _at: Any, _value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            begin = address(context, builder, signature.args[0], arguments[0], arguments[1], stored.bitwidth // 8)
            pointer = builder.bitcast(begin, context.get_value_type(stored).as_pointer())
            builder.store(context.cast(builder, arguments[2], signature.args[2], stored), pointer).align = 1
            return context.get_dummy_value()

        return types.void(target, types.int64, _value), generate

    return write


put_int32, put_int64, put_float, put_double = map(_writer, (types.int32, types.int64, types.float32, types.float64))
"""Write a number: functions of a byte array, an index and the number."""


@instructions
def float_of(_: Any, number: Any) -> Any:
    """The 32-bit float with the given bits."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(builder.trunc(arguments[0], ir.IntType(32)), ir.FloatType())

    return types.float32(number), generate


@instructions
def trailing_zeros(_: Any, number: Any) -> Any:
    """The number of zeros below the lowest set bit; there must be one."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(number), generate


_INT32_BYTES = 5
_INT64_BYTES = 10
_LOW_32 = 0xFFFFFFFF


@part
def varint(source: UInt8s, at: int) -> tuple[int, int]:
    """Read an int32 of at most 5 bytes; bits beyond 32 are dropped."""
    first = byte_at(source, at)
    if first < 0x80:
        return (first >> 1) ^ -(first & 1), at + 1
    second = byte_at(source, at + 1)
    if second < 0x80:
        number = (first & 0x7F) | second << 7
        return (number >> 1) ^ -(number & 1), at + 2
    number, end = _groups(source, at, _INT32_BYTES)
    number &= _LOW_32
    return (number >> 1) ^ -(number & 1), end


@part
def length(source: UInt8s, at: int) -> tuple[int, int]:
    """Read a length: an int32 as a varint; any negative number becomes -1 (null)."""
    first = byte_at(source, at)
    if first < 0x80:
        return -1 if first & 1 else first >> 1, at + 1
    second = byte_at(source, at + 1)
    if second < 0x80:
        return -1 if first & 1 else (first & 0x7F) >> 1 | second << 6, at + 2
    number, end = _groups(source, at, _INT32_BYTES)
    return -1 if number & 1 else (number & _LOW_32) >> 1, end


@part
def varlong(source: UInt8s, at: int) -> tuple[int, int]:
    """Read an int64 of at most 10 bytes (`formats/kafka_varlong.ksy`); bits beyond 64 are dropped."""
    first = byte_at(source, at)
    if first < 0x80:
        return (first >> 1) ^ -(first & 1), at + 1
    second = byte_at(source, at + 1)
    if second < 0x80:
        number = (first & 0x7F) | second << 7
        return (number >> 1) ^ -(number & 1), at + 2
    number, end = _groups(source, at, _INT64_BYTES)
    # The highest bit is not a sign.
    return ((number >> 1) & 0x7FFFFFFFFFFFFFFF) ^ -(number & 1), end


@rare_part
def _groups(source: UInt8s, at: int, most: int) -> tuple[int, int]:
    """Combine at most `most` groups of 7 bits."""
    number = 0
    for index in range(most):
        group = byte_at(source, at + index)
        number |= (group & 0x7F) << 7 * index
        if group < 0x80:
            return number, at + index + 1
    return -1, source.size - SLACK + 1


_STEP = 32
# Most keys and values are shorter, and calling memcpy takes longer than the few steps to copy them.
_SHORT = 512


@part
def byte_at(source: UInt8s, at: int) -> int:
    """Read a byte; the caller has checked the bounds."""
    return np.int64(source[np.uint64(at)])  # type: ignore[return-value]


@part
def put(array: npt.NDArray[Any], at: int, value: Any) -> None:
    """Write an element; the caller has checked the bounds."""
    array[np.uint64(at)] = value


@part
def clear_bit(bits: UInt8s, at: int) -> None:
    """Clear a bit of an Arrow bitmap, in which the lowest bit of a byte comes first."""
    bits[np.uint64(at >> 3)] &= np.uint8(~(1 << (at & 7)) & 0xFF)


@part
def copy(target: UInt8s, at: int, source: UInt8s, start: int, size: int) -> None:
    """Copy bytes; both arrays have `SLACK` bytes after them, and those of `target` may be overwritten."""
    if size > _SHORT:
        _copy_bytes(target, at, source, start, size)
    else:
        _copy_step(target, at, source, start)
        for done in range(_STEP, size, _STEP):
            _copy_step(target, at + done, source, start + done)


@instructions
def _copy_bytes(_: Any, target: Any, _at: Any, source: Any, _start: Any, _size: Any) -> Any:
    """Copy at least one byte, by one memcpy."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, begin = _addresses(context, builder, signature, arguments, arguments[4])
        cgutils.raw_memcpy(builder, to, begin, arguments[4], 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), generate


def _copier(size: int) -> Any:
    """Make a function that copies exactly `size` bytes by one unaligned load and store."""

    @instructions
    def copy_step(_: Any, target: Any, _at: Any, source: Any, _start: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, begin = _addresses(context, builder, signature, arguments, size)
            vector = ir.VectorType(ir.IntType(8), size).as_pointer()
            load = builder.load(builder.bitcast(begin, vector))
            store = builder.store(load, builder.bitcast(to, vector))
            load.align = store.align = 1
            return context.get_dummy_value()

        return types.void(target, types.int64, source, types.int64), generate

    return copy_step


_copy_step, copy_16, copy_8 = map(_copier, (_STEP, 16, 8))
"""Copy exactly that many bytes from `source[start:]` to `target[at:]`: functions of target, at, source, start."""


@part
def copy_exact(target: UInt8s, at: Any, source: UInt8s, start: Any, size: Any) -> None:
    """Copy bytes without accessing any others in either array."""
    if size > _SHORT:
        _copy_bytes(target, at, source, start, size)
    elif size >= _STEP:
        for done in range(0, size - _STEP, _STEP):
            _copy_step(target, at + done, source, start + done)
        _copy_step(target, at + size - _STEP, source, start + size - _STEP)
    elif size >= 16:
        copy_16(target, at, source, start)
        copy_16(target, at + size - 16, source, start + size - 16)
    elif size >= 8:
        copy_8(target, at, source, start)
        copy_8(target, at + size - 8, source, start + size - 8)
    else:
        for index in range(size):
            put(target, at + index, source[np.uint64(start + index)])


def _addresses(context: Any, builder: Any, signature: Any, arguments: Any, size: Any) -> tuple[Any, Any]:
    to = address(context, builder, signature.args[0], arguments[0], arguments[1], size)
    return to, address(context, builder, signature.args[2], arguments[2], arguments[3], size)
