"""Selects the records of many batches that a filter keeps; searches for needles, many bytes at once."""

from typing import Any

from llvmlite import ir
from numba import types

from kafkafmt.columnar.headers import Mask, Positions, UInt8s
from kafkafmt.columnar.kernels.access import byte_at
from kafkafmt.columnar.kernels.compiling import address, instructions, kernel, part, rare_part
from kafkafmt.columnar.row_filter import Kept, Sought

# Number of positions compared at once; `SLACK` is larger.
_STEP = 32


@kernel
def holding(source: UInt8s, starts: Positions, ends: Positions, sought: Sought, held: Mask) -> None:
    """Find which ranges of an array contain one of some needles.

    Args:
        source: an array, with `SLACK` bytes of any value after the last range.
        starts: start of each range.
        ends: end of each range.
        sought: the needles.
        held: whether each range contains a needle; is written.
    """
    for index in range(starts.size):
        held[index] = holds(source, starts[index], ends[index], sought)


@rare_part
def holds(source: UInt8s, begin: int, end: int, sought: Sought) -> bool:
    """Whether a range of an array, followed by `SLACK` more bytes, contains one of some needles."""
    for number in range(sought.rarest.size):
        first = sought.edges[number]
        size = sought.edges[number + 1] - first
        rarest, second = sought.rarest[number], sought.second[number]
        byte, other = byte_at(sought.strings, first + rarest), byte_at(sought.strings, first + second)
        at, last = begin, end - size
        while at <= last:
            likely = _alike(source, at + rarest, byte, at + second, other, sought.case)
            step = at
            while likely != 0 and step <= last:
                if likely & 1 and _is_at(source, step, sought, first, size):
                    return True
                likely >>= 1
                step += 1
            at += _STEP
    return False


@part
def _is_at(source: UInt8s, at: int, sought: Sought, first: int, size: int) -> bool:
    for index in range(size):
        if byte_at(source, at + index) | sought.case != byte_at(sought.strings, first + index):
            return False
    return True


@instructions
def _alike(_: Any, source: Any, _at: Any, _byte: Any, _other: Any, _next: Any, _case: Any) -> Any:
    """A bit for each of 32 positions, the lowest first: whether one byte is at an index, and another at a second."""

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


@part
def is_kept(source: UInt8s, kept: Kept, offset: int, timestamp: int, key_at: int, key_size: int, end: int) -> bool:
    """Whether a record that ends at `end` becomes a row."""
    if not (kept.first_offset <= offset <= kept.last_offset):
        return False
    if not (kept.first_timestamp <= timestamp <= kept.last_timestamp):
        return False
    if kept.by_key:
        if key_size != kept.key.size:
            return False
        for index in range(key_size):
            if byte_at(source, key_at + index) != kept.key[index]:
                return False
    return not kept.by_needle or holds(source, key_at, end, kept.sought)
