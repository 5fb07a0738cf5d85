"""Compiles kernels to object code by numba; `columnar.object_code` keeps the code and calls it."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from kafkafmt.columnar.object_code import CHECK_ACCESS

F = TypeVar("F", bound=Callable[..., Any])

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("NUMBA_DISABLE_JIT is set, and kernels do nothing uncompiled")

# Without numba's runtime, kernels cannot allocate arrays, and do not count references to arrays that they pass on,
# which would take several times as long as everything else per record.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": CHECK_ACCESS}
_WORD = ir.IntType(64)


def kernel(function: F) -> F:
    """Mark a function as a kernel, which Python calls by its name in `columnar.kernels`."""
    compiled: F = numba.njit(**_OPTIONS)(function)
    return compiled


def part(function: F) -> F:
    """Compile a function that kernels call for every record, inlined into their code."""
    compiled: F = numba.njit(forceinline=True, **_OPTIONS)(function)
    return compiled


def rare_part(function: F) -> F:
    """Compile a function that kernels call rarely."""
    compiled: F = numba.njit(**_OPTIONS)(function)
    return compiled


def object_code(function: Any, arguments: tuple[Any, ...]) -> tuple[dict[str, str], bytes]:
    """Compile a kernel for arguments of these types.

    The code takes the address of an array of 64-bit words: numbers, and addresses of numpy's objects, in the order of
    the arguments and their elements. It writes its result to the first of these words.

    Args:
        function: the result of `kernel`.
        arguments: arguments of the types with which it will be called.

    Returns:
        Name of the function in the code (`symbol`), its result (`returns`), and the code.
    """
    kinds = tuple(map(numba.typeof, arguments))
    returns: list[str] = []

    @intrinsic
    def call(typing: Any, _words: Any) -> Any:
        signature = numba.typeof(function).get_call_type(typing, kinds, {})
        returned: Any = signature.return_type
        is_tuple = isinstance(signature.return_type, types.BaseTuple)
        results = tuple(returned) if is_tuple else (returned,)
        returns[:] = [] if returned == types.none else map(_name_of, results)

        def generate(context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            words = builder.inttoptr(given[0], _WORD.as_pointer())
            taken = (builder.load(builder.gep(words, [_WORD(number)])) for number in count())
            callee = context.get_function(numba.typeof(function), signature)
            result = callee(builder, [_argument(context, builder, kind, taken) for kind in kinds])
            values = cgutils.unpack_tuple(builder, result) if is_tuple else [result]
            for number, (value, kind) in enumerate(zip(values, results, strict=True) if returns else ()):
                word = context.cast(builder, value, kind, types.int64)
                builder.store(word, builder.gep(words, [_WORD(number)]))
            return context.get_dummy_value()

        return types.void(types.int64), generate

    def entry(words: int) -> None:
        call(words)  # type: ignore[call-arg] # the first one is numba's own

    options = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Any = numba.njit(**options)(entry)
    compiled.compile((types.int64,))
    result = compiled.overloads[types.int64,]
    facts = {"symbol": result.fndesc.llvm_func_name, "returns": ", ".join(returns) or "none"}
    return facts, result.library._get_compiled_object()  # noqa: SLF001 - what numba's own cache stores


def _name_of(kind: Any) -> str:
    if isinstance(kind, types.Boolean):
        return "bool"
    if isinstance(kind, types.Integer):
        return "int64"
    raise TypeError(f"a kernel returns no {kind}")


def _argument(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    """Make an argument of a numba type from the next words."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return context.make_tuple(builder, kind, [_argument(context, builder, part, words) for part in parts])
    word = next(words)
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, word)
    given = context.get_value_type(kind)
    if isinstance(given, ir.IntType):
        return builder.trunc(word, given) if given.width < _WORD.width else word
    if isinstance(given, ir.FloatType):
        return builder.bitcast(builder.trunc(word, ir.IntType(32)), given)
    return builder.bitcast(word, given)


def _array(context: Any, builder: Any, kind: types.Array, word: Any) -> Any:
    """Make an array from the address of a `PyArrayObject`, whose first fields numpy never moves."""
    fields = builder.inttoptr(builder.add(word, _WORD(object.__basicsize__)), _WORD.as_pointer())
    data, dimensions, strides = (builder.load(builder.gep(fields, [_WORD(field)])) for field in (0, 2, 3))

    def numbers(begin: Any) -> list[Any]:
        pointer = builder.inttoptr(begin, _WORD.as_pointer())
        return [builder.load(builder.gep(pointer, [_WORD(axis)])) for axis in range(kind.ndim)]

    array = context.make_array(kind)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(data, array.data.type),
        shape=numbers(dimensions),
        strides=numbers(strides),
        itemsize=context.get_abi_sizeof(context.get_data_type(kind.dtype)),
        meminfo=None,
    )
    return array._getvalue()  # noqa: SLF001 - numba has no other name for it


def address(context: Any, builder: Any, array_type: Any, array: Any, at: Any, size: Any) -> Any:
    """Compute the address of an index of a byte array, for instructions that use a pointer.

    Where accesses are checked, the kernel raises IndexError unless all `size` bytes there are in the array.

    Args:
        context: argument of `generate`, like the next three.
        builder: makes LLVM instructions.
        array_type: numba's type of the array.
        array: the array.
        at: the index, as an int64 of LLVM.
        size: number of bytes that are read or written, at least one, as an int64 of LLVM or an int.
    """
    found = context.make_array(array_type)(context, builder, array)
    if context.enable_boundscheck:
        last = builder.add(at, builder.sub(at.type(size) if isinstance(size, int) else size, at.type(1)))
        for index in (at, last):
            cgutils.do_boundscheck(context, builder, index, found.nitems)
    return builder.gep(found.data, [at])


def instructions(function: Callable[..., Any]) -> Any:
    """Make a function for kernels from the instructions that it generates for LLVM (numba's `intrinsic`)."""
    return intrinsic(function)
