"""128-bit blocks in kernels, as polynomials over GF(2), which x86-64 multiplies with `pclmulqdq`."""

from collections.abc import Collection, Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.registry import cpu_target
from numba.extending import register_model

from kafkafmt.columnar.kernels.compiling import address, instructions


def widest(features: Collection[str]) -> int:
    """Number of halves of blocks that a processor multiplies at once; features are LLVM's names after a "+"."""
    if "+vpclmulqdq" not in features:
        return 2
    return 8 if "+avx512f" in features else 4


# The processor for which numba compiles, which need not be the one that runs the code.
_TRIPLE, _, _FEATURES = cpu_target.target_context.codegen().magic_tuple()
MACHINE: str = _TRIPLE.split("-")[0]
FEATURES: list[str] = _FEATURES.split(",")
_WIDEST = widest(FEATURES)

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)

# Instructions that multiply a half of each block of two vectors, by the number of the vectors' halves.
_MULTIPLIERS = {2: "llvm.x86.pclmulqdq", 4: "llvm.x86.pclmulqdq.256", 8: "llvm.x86.pclmulqdq.512"}


class _Blocks(types.Type):
    """A number of 128-bit blocks side by side."""

    def __init__(self, count: int) -> None:
        super().__init__(f"Blocks({count})")
        self.vector = ir.VectorType(_INT64, 2 * count)
        self.size = 16 * count


@register_model(_Blocks)
class _BlocksModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)  # type: ignore[no-untyped-call]


_ONE, _FOUR = _Blocks(1), _Blocks(4)


def _loader(kind: _Blocks) -> Any:
    """Make a function that loads blocks from an index of an array."""

    @instructions
    def load(_: Any, source: Any, _at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            begin = address(context, builder, signature.args[0], arguments[0], arguments[1], kind.size)
            blocks = builder.load(builder.bitcast(begin, kind.vector.as_pointer()))
            blocks.align = 1
            return blocks

        return kind(source, types.int64), generate

    return load


load, load_four = _loader(_ONE), _loader(_FOUR)


@instructions
def xor(_: Any, one: Any, _other: Any) -> Any:
    """Add blocks."""

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.xor(*arguments)

    return one(one, one), generate


@instructions
def masked(_: Any, one: Any, _mask: Any) -> Any:
    """Keep the bits of blocks that are set in a mask."""

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.and_(*arguments)

    return one(one, one), generate


@instructions
def multiply(_: Any, _one: Any, _other: Any) -> Any:
    """Multiply two polynomials of 64 bits."""

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        one, other = (_repeated(builder, [argument], 2) for argument in arguments)
        return _products(builder, one, other, 0x00)

    return _ONE(types.uint64, types.uint64), generate


@instructions
def fold(_: Any, blocks: Any, _first: Any, _second: Any) -> Any:
    """Multiply the first half of each block by one polynomial, the second half by another, and add the products."""

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        factors = _repeated(builder, arguments[1:], blocks.vector.count)
        first, second = (_products(builder, arguments[0], factors, halves) for halves in (0x00, 0x11))
        return builder.xor(first, second)

    return blocks(blocks, types.uint64, types.uint64), generate


def _repeated(builder: Any, numbers: Any, count: int) -> Any:
    """Make a vector from a few numbers, repeated."""
    vector = ir.Constant(ir.VectorType(_INT64, count), ir.Undefined)
    for index in range(count):
        vector = builder.insert_element(vector, numbers[index % len(numbers)], _INT32(index))
    return vector


def _products(builder: Any, one: Any, other: Any, halves: int) -> Any:
    """Multiply one half of each block of two vectors: the first (0x00) or the second (0x11)."""
    width = min(_WIDEST, one.type.count)
    parts = [
        builder.call(
            cgutils.get_or_insert_function(builder.module, _multiplier(width), _MULTIPLIERS[width]),
            [_part(builder, one, start, width), _part(builder, other, start, width), ir.IntType(8)(halves)],
        )
        for start in range(0, one.type.count, width)
    ]
    while len(parts) > 1:
        parts = [_joined(builder, *pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _multiplier(width: int) -> Any:
    vector = ir.VectorType(_INT64, width)
    return ir.FunctionType(vector, [vector, vector, ir.IntType(8)])


def _part(builder: Any, vector: Any, start: int, count: int) -> Any:
    return _shuffled(builder, vector, vector, range(start, start + count))


def _joined(builder: Any, one: Any, other: Any) -> Any:
    return _shuffled(builder, one, other, range(2 * one.type.count))


def _shuffled(builder: Any, one: Any, other: Any, indexes: Iterable[int]) -> Any:
    mask = [_INT32(index) for index in indexes]
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(_INT32, len(mask)), mask))


@instructions
def in_front(_: Any, _block: Any) -> Any:
    """Put a block before three zero blocks."""

    def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        zeros = ir.Constant(_ONE.vector, [0, 0])
        return _shuffled(builder, arguments[0], zeros, [0, 1, *[2, 3] * 3])

    return _FOUR(_ONE), generate


def _block(index: int) -> Any:
    """Make a function that takes one of four blocks."""

    @instructions
    def block(_: Any, _four: Any) -> Any:
        def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return _part(builder, arguments[0], 2 * index, 2)

        return _ONE(_FOUR), generate

    return block


block_0, block_1, block_2, block_3 = map(_block, range(4))


def _half(index: int) -> Any:
    """Make a function that takes one half of a block."""

    @instructions
    def half(_: Any, _block: Any) -> Any:
        def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.extract_element(arguments[0], _INT32(index))

        return types.uint64(_ONE), generate

    return half


low_half, high_half = _half(0), _half(1)
