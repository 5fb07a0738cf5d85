"""The search for needles in the records of many batches, many bytes at once."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from kafkafmt.columnar.access import UInt8s, byte_at
from kafkafmt.columnar.compiling import address, instructions, kernel, part
from kafkafmt.columnar.headers import Mask, Positions
from kafkafmt.columnar.row_filter import Needles

# Positions that are compared at once; `SLACK` is more.
_STEP = 32
_CASE = 0x20
# Bytes of text, those that occur more often further behind; others are rarer.
_BY_FREQUENCY = b'zjqxkvbwygfmp9876543c2dlu1hrs0noiat.e,:"- \x00'


def holding(source: UInt8s, starts: Positions, ends: Positions, needles: Needles) -> Mask:
    """Tell which ranges of an array hold a needle.

    Args:
        source: an array, with `SLACK` bytes of any content behind the last range.
        starts: where each range begins.
        ends: where each ends.
        needles: what is looked for.
    """
    held = np.zeros(len(starts), np.bool_)
    case = _CASE if needles.ignore_case else 0
    for string in needles.strings:
        needle = np.frombuffer(string, np.uint8) | np.uint8(case)
        by_rarity = np.argsort([_BY_FREQUENCY.find(byte) for byte in needle.tobytes()], kind="stable")
        rarest, second = int(by_rarity[0]), int(by_rarity[min(1, len(needle) - 1)])
        _search(source, starts, ends, needle, rarest, second, case, held)
    return held


@kernel
def _search(
    source: UInt8s, starts: Positions, ends: Positions, needle: UInt8s, rarest: int, second: int, case: int, held: Mask
) -> None:
    """Mark the ranges that hold a needle.

    Args:
        source: as for `holding`, like the next two.
        starts: where each range begins.
        ends: where each ends.
        needle: its bytes, with the bits of `case` set.
        rarest: which of them is looked for first.
        second: which is looked for next to it.
        case: bits that do not count.
        held: is set where the needle lies in a range.
    """
    for index in range(starts.size):
        if held[index]:
            continue
        at, stop = starts[index], ends[index] - needle.size
        while at <= stop and not held[index]:
            likely = _alike(source, at + rarest, byte_at(needle, rarest), at + second, byte_at(needle, second), case)
            step = at
            while likely != 0 and step <= stop:
                if likely & 1 and _is_at(source, step, needle, case):
                    held[index] = True
                    break
                likely >>= 1
                step += 1
            at += _STEP


@part
def _is_at(source: UInt8s, at: int, needle: UInt8s, case: int) -> bool:
    for index in range(needle.size):  # noqa: SIM110 (kernels have no generators)
        if byte_at(source, at + index) | case != byte_at(needle, index):
            return False
    return True


@instructions
def _alike(_: Any, source: Any, _at: Any, _byte: Any, _other: Any, _next: Any, _case: Any) -> Any:
    """At which of 32 positions from two on there is one byte and the other, as bits, the lowest first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, first, byte, second, other, case = arguments
        vector = ir.VectorType(ir.IntType(8), _STEP)

        def every(number: Any) -> Any:
            lane = builder.trunc(number, ir.IntType(8))
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), lane, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(
                one, ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(ir.IntType(32), _STEP), None)
            )

        def equal(at: Any, wanted: Any) -> Any:
            begin = address(context, builder, signature.args[0], array, at, _STEP)
            bytes_there = builder.load(builder.bitcast(begin, vector.as_pointer()))
            bytes_there.align = 1
            return builder.icmp_unsigned("==", builder.or_(bytes_there, every(case)), every(wanted))

        both = builder.and_(equal(first, byte), equal(second, other))
        return builder.zext(builder.bitcast(both, ir.IntType(_STEP)), ir.IntType(64))

    number = types.int64
    return number(source, number, number, number, number, number), generate
