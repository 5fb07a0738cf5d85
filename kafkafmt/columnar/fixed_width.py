"""Numbers of fixed width in kernels, at any place in an array; the caller has made sure that their bytes are there."""

import sys
from typing import Any

from llvmlite import ir
from numba import types

from kafkafmt.columnar.compiling import address, instructions


def _reader(stored: Any, result: Any, byteorder: str) -> Any:
    """Make a function that reads the number at an index of an array of bytes."""

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
"""Read a signed number of two bytes, the highest first."""

uint16_at = _reader(types.uint16, types.int64, "big")
"""Read an unsigned number of two bytes, the highest first."""

int32_at = _reader(types.int32, types.int64, "big")
"""Read a signed number of four bytes, the highest first."""

uint32_at = _reader(types.uint32, types.int64, "big")
"""Read an unsigned number of four bytes, the highest first."""

int64_at = _reader(types.int64, types.int64, "big")
"""Read a signed number of eight bytes, the highest first."""

little_endian_uint32 = _reader(types.uint32, types.int64, "little")
"""Read an unsigned number of four bytes, the lowest first."""

little_endian_uint64 = _reader(types.uint64, types.uint64, "little")
"""Read an unsigned number of eight bytes, the lowest first."""
