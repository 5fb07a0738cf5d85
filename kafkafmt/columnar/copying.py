"""Access to arrays in kernels: without Python's negative indexes, and copies as processors like them."""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils

from kafkafmt.codec.compression import buffer
from kafkafmt.columnar.compiling import address, instructions, part

SLACK = buffer.SLACK
"""Bytes of an array that must exist behind the content: kernels read and write that far beyond it."""

_STEP = 32
# Most keys and values are shorter, and a call of memcpy takes longer than their few steps.
_SHORT = 512

UInt8s = npt.NDArray[np.uint8]


@part
def byte_at(source: UInt8s, at: int) -> int:
    """Read a byte; the caller has made sure that it is there."""
    return np.int64(source[np.uint64(at)])  # type: ignore[return-value]


@part
def put(array: npt.NDArray[Any], at: int, value: Any) -> None:
    """Write an element; the caller has made sure that it is there."""
    array[np.uint64(at)] = value


@part
def clear_bit(bits: UInt8s, at: int) -> None:
    """Clear a bit of an Arrow bitmap, the lowest of a byte first."""
    bits[np.uint64(at >> 3)] &= np.uint8(~(1 << (at & 7)) & 0xFF)


@part
def copy(target: UInt8s, at: int, source: UInt8s, start: int, size: int) -> None:
    """Copy bytes; both arrays have `SLACK` bytes behind what is copied, and those of `target` may be overwritten."""
    if size > _SHORT:
        _copy_bytes(target, at, source, start, size)
    else:
        _copy_step(target, at, source, start)
        for done in range(_STEP, size, _STEP):
            _copy_step(target, at + done, source, start + done)


@instructions
def _copy_bytes(_: Any, target: Any, _at: Any, source: Any, _start: Any, _size: Any) -> Any:
    """Copy bytes, at least one, by one memcpy."""

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
"""Copy exactly so many bytes from `source[start:]` to `target[at:]`: functions of target, at, source, start."""


def _addresses(context: Any, builder: Any, signature: Any, arguments: Any, size: Any) -> tuple[Any, Any]:
    to = address(context, builder, signature.args[0], arguments[0], arguments[1], size)
    return to, address(context, builder, signature.args[2], arguments[2], arguments[3], size)
