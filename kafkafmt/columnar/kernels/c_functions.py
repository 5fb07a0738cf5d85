"""Calls of C functions by address in kernels: those of `columnar.libraries`."""

from typing import Any

from llvmlite import ir
from numba import types

from kafkafmt.columnar.kernels.compiling import address, instructions


@instructions
def place(_: Any, array: Any, _at: Any, _size: Any) -> Any:
    """Give the address of an index of an array, for a C function that goes through `size` elements, at least one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = address(context, builder, signature.args[0], *arguments)
        return builder.ptrtoint(pointer, ir.IntType(64))

    return types.int64(array, types.int64, types.int64), generate


def _caller(result: Any, *parameters: Any) -> Any:
    """Make a function of kernels that calls a C function by its address, all numbers being int64."""

    @instructions
    def call(_: Any, _function: Any, _arguments: Any) -> Any:
        def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            function, packed = arguments
            kind = ir.FunctionType(result, parameters)
            numbers = [builder.extract_value(packed, index) for index in range(len(parameters))]
            cast = [
                builder.trunc(number, parameter) if parameter.width < number.type.width else number
                for number, parameter in zip(numbers, parameters, strict=True)
            ]
            returned = builder.call(builder.inttoptr(function, kind.as_pointer()), cast)
            return builder.sext(returned, ir.IntType(64)) if result.width < 64 else returned

        return types.int64(types.int64, types.UniTuple(types.int64, len(parameters))), generate

    return call


_INT, _LONG = ir.IntType(32), ir.IntType(64)

call_lz4 = _caller(_INT, _LONG, _LONG, _INT, _INT)
"""Call `Libraries.lz4` with (source, target, size, room); returns the size decompressed, below 0 if it is broken."""

call_zstd = _caller(_LONG, _LONG, _LONG, _LONG, _LONG, _LONG)
"""Call `Libraries.zstd` with (context, target, room, source, size); returns as `call_lz4`."""

call_inflate = _caller(_INT, _LONG)
"""Call `Libraries.inflate` with (state,); returns 0 if a whole stream was inflated."""
