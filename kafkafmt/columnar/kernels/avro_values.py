"""Avro values of many records as Arrow columns: a walk over the steps of a program (`columnar.avro_program`).

Every access is bounded by the value or by the space of its column. A value that breaks a rule is refused and becomes
null. If a column is too small, the walk ends, and is resumed at the same value once there is more space.
"""

from typing import Any

import numpy as np

from kafkafmt.columnar import avro_program as steps
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import (
    byte_at,
    copy_exact,
    float_of,
    little_endian_uint32,
    little_endian_uint64,
    put,
    put_double,
    put_float,
    put_int32,
    put_int64,
)
from kafkafmt.columnar.kernels.compiling import kernel, part
from kafkafmt.columnar.kernels.value_reading import (
    INT_BYTES,
    LONG_BYTES,
    element,
    is_text,
    read_bits,
    read_int,
    read_length,
    read_long,
    signed,
)
from kafkafmt.columnar.kernels.value_writing import (
    index_of,
    is_new_key,
    place_of,
    put_bit,
    put_bytes,
    put_decimal,
    put_null,
    put_uuid,
    take_back,
)
from kafkafmt.columnar.outcomes import REFUSED, SOUND, WITH_MORE


@kernel
def read_avro(
    source: UInt8s,
    begins: Int64s,
    ends: Int64s,
    firsts: Int64s,
    program: Int64s,
    numbers: Int64s,
    constants: UInt8s,
    columns: Int64s,
    groups: Int64s,
    counts: Int64s,
    left: Int64s,
    before: Int64s,
    memory: UInt8s,
    state: Int64s,
    outcomes: UInt8s,
    most_fields: int,
) -> None:
    """Decode values from `state[DONE]` on, until all are done or a column is too small.

    Args:
        source: bytes of the values.
        begins: start of each value.
        ends: end of each value.
        firsts: first step of each value; -1 for null.
        program: the steps.
        numbers: tables of steps: branches of unions, symbols, the largest decimals.
        constants: bytes of symbols and defaults.
        columns: the columns; `NULLS` is written.
        groups: the groups.
        counts: number of entries of each group so far; is written.
        left: number of items left in each list being read, and positions of marks; is written.
        before: as large as `counts`, of any content; is written.
        memory: memory of all columns, with `SLACK` bytes after each part; is written.
        state: as in `value_steps`; is written.
        outcomes: outcome of each value, initially `SOUND`; is written.
        most_fields: maximal number of fields in the items of a value.
    """
    # One loop, as its steps share the position and the reason to stop, which separate functions would all have to
    # return.
    row = state[steps.DONE]
    state[steps.WANTED] = 0
    while row < begins.size:
        put(counts, 0, row)
        step = element(firsts, row)
        if step < 0:
            put_null(columns, counts, memory, 0)
            row += 1
            continue
        at, end = element(begins, row), element(ends, row)
        free, free_fields = end - at + steps.FREE_ITEMS, np.int64(most_fields)
        is_sound, has_room = True, True
        while is_sound and has_room:
            kind = element(program, step)
            column, second, third = element(program, step + 1), element(program, step + 2), element(program, step + 3)
            step += steps.STEP
            if kind == steps.END:
                break
            if kind == steps.UNION:
                number, at = read_int(source, at, end)
                if at < 0 or number < 0 or number >= second:
                    is_sound = False
                else:
                    step = element(numbers, column + number)
            elif kind == steps.TEXT:
                size, at = read_length(source, at, end)
                if at < 0 or not is_text(source, at, size):
                    is_sound = False
                else:
                    has_room = put_bytes(columns, counts, memory, state, column, source, at, size)
                    at += size
            elif steps.BOOLEAN <= kind <= steps.FLOAT_TO_DOUBLE:
                at = _put_number(source, at, end, kind, columns, counts, memory, column)
                is_sound = at >= 0
            elif kind == steps.NULL:
                put_null(columns, counts, memory, column)
            elif kind == steps.JUMP:
                step = column
            elif kind == steps.ENUM:
                number, at = read_int(source, at, end)
                if at < 0 or number < 0 or number >= third or element(numbers, second + 2 * number) < 0:
                    is_sound = False
                else:
                    start, size = element(numbers, second + 2 * number), element(numbers, second + 2 * number + 1)
                    has_room = put_bytes(columns, counts, memory, state, column, constants, start, size)
            elif kind == steps.BYTES:
                size, at = read_length(source, at, end)
                if at < 0:
                    is_sound = False
                else:
                    has_room = put_bytes(columns, counts, memory, state, column, source, at, size)
                    at += size
            elif kind == steps.FIXED:
                if end - at < second:
                    is_sound = False
                else:
                    copy_exact(memory, place_of(columns, counts, column, second), source, at, second)
                    at += second
            elif kind == steps.DECIMAL:
                size = second if second >= 0 else end - at
                if second == steps.PREFIXED:
                    size, at = read_length(source, at, end)
                if at < 0 or end - at < size:
                    is_sound = False
                else:
                    is_sound = put_decimal(columns, counts, memory, column, source, at, size, numbers, third)
                    at += size
            elif kind == steps.BLOCK:
                number, at = read_long(source, at, end)
                if at >= 0 and number < 0:
                    number = -number
                    _, at = read_long(source, at, end)
                if at < 0 or number < 0 or number > free:
                    is_sound = False
                elif number == 0:
                    step = third
                else:
                    free -= number
                    put(left, column, number)
                    if second >= 0:
                        free_fields -= number * element(groups, second * steps.GROUP + steps.FIELDS)
                        is_sound = free_fields >= 0
                    if (
                        is_sound
                        and second >= 0
                        and element(counts, second) + number > element(groups, second * steps.GROUP + steps.ENTRIES)
                    ):
                        state[steps.WANTED], state[steps.WHICH] = steps.GREW_GROUP, second
                        state[steps.NEEDED] = element(counts, second) + number
                        has_room = False
            elif kind == steps.ITEM:
                if second >= 0:
                    put(counts, second, element(counts, second) + 1)
                put(left, column, element(left, column) - 1)
                step = third + steps.STEP if element(left, column) > 0 else third
            elif kind == steps.CLOSE:
                to = place_of(columns, counts, column, 4)
                put_int32(memory, to + 4, element(counts, element(columns, column * steps.COLUMN + steps.ITEMS)))
            elif kind == steps.KEY:
                is_sound = is_new_key(columns, counts, memory, column, second)
            elif kind == steps.REST:
                has_room = put_bytes(columns, counts, memory, state, column, source, at, end - at)
                at = end
            elif kind == steps.UUID:
                of_column = column * steps.COLUMN
                offsets = element(columns, of_column + steps.VALUES) + 4 * index_of(columns, counts, column)
                begin = little_endian_uint32(memory, offsets)
                if end - at < 16:
                    is_sound = False
                elif begin + 36 > element(columns, of_column + steps.ROOM):
                    state[steps.WANTED], state[steps.WHICH], state[steps.NEEDED] = steps.GREW_DATA, column, begin + 36
                    has_room = False
                else:
                    put_uuid(memory, element(columns, of_column + steps.DATA) + begin, source, at)
                    put_int32(memory, offsets + 4, begin + 36)
                    at += 16
            elif kind == steps.DURATION:
                if end - at < 12:
                    is_sound = False
                else:
                    for child in range(1, 4):
                        to = element(columns, (column + child) * steps.COLUMN + steps.VALUES)
                        to += 8 * index_of(columns, counts, column)
                        put_int64(memory, to, little_endian_uint32(source, at))
                        at += 4
            elif kind == steps.SET_BOOLEAN:
                index = index_of(columns, counts, column)
                put_bit(memory, element(columns, column * steps.COLUMN + steps.VALUES), index, second)
            elif kind == steps.SET_FIXED:
                copy_exact(memory, place_of(columns, counts, column, third), constants, second, third)
            elif kind == steps.SET_BYTES:
                has_room = put_bytes(columns, counts, memory, state, column, constants, second, third)
            elif kind == steps.OPEN:
                if element(counts, column) + second > element(groups, column * steps.GROUP + steps.ENTRIES):
                    state[steps.WANTED], state[steps.WHICH] = steps.GREW_GROUP, column
                    state[steps.NEEDED] = element(counts, column) + second
                    has_room = False
            elif kind == steps.MARK:
                put(left, column, at)
            elif kind == steps.TAKE:
                begin = element(left, second)
                has_room = put_bytes(columns, counts, memory, state, column, source, begin, at - begin)
            elif kind == steps.ADVANCE:
                put(counts, column, element(counts, column) + 1)
            elif steps.SKIP_BOOLEAN <= kind <= steps.SKIP_ENUM:
                at = _skip(source, at, end, kind, column)
                is_sound = at >= 0
            else:
                is_sound = False
        if not has_room:
            break
        if is_sound:
            put(outcomes, row, np.uint8(WITH_MORE if at < end else SOUND))
        else:
            put(outcomes, row, np.uint8(REFUSED))
            put(counts, 0, row)
            take_back(columns, groups, counts, before, memory)
            put_null(columns, counts, memory, 0)
        row += 1
    if row < begins.size:
        # Items of the value that will be decoded again.
        put(counts, 0, row)
        take_back(columns, groups, counts, before, memory)
    state[steps.DONE] = row


@part
def _put_number(
    source: UInt8s, at: Any, end: Any, kind: Any, columns: Int64s, counts: Int64s, memory: UInt8s, column: Any
) -> Any:
    """Write a number or a boolean; return where it ends, -1 if it is invalid."""
    if kind == steps.BOOLEAN:
        if at >= end or byte_at(source, at) > 1:
            return np.int64(-1)
        index = index_of(columns, counts, column)
        put_bit(memory, element(columns, column * steps.COLUMN + steps.VALUES), index, byte_at(source, at))
        return at + 1
    if kind in (steps.FLOAT, steps.FLOAT_TO_DOUBLE):
        if end - at < 4:
            return np.int64(-1)
        word = little_endian_uint32(source, at)
        if kind == steps.FLOAT:
            put_int32(memory, place_of(columns, counts, column, 4), word)
        else:
            put_double(memory, place_of(columns, counts, column, 8), np.float64(float_of(word)))
        return at + 4
    if kind == steps.DOUBLE:
        if end - at < 8:
            return np.int64(-1)
        put_int64(memory, place_of(columns, counts, column, 8), np.int64(little_endian_uint64(source, at)))
        return at + 8
    is_long = kind in (steps.LONG, steps.LONG_TO_FLOAT, steps.LONG_TO_DOUBLE)
    bits, at = read_bits(source, at, end, LONG_BYTES if is_long else INT_BYTES)
    number = signed(bits)
    if kind == steps.INT:
        put_int32(memory, place_of(columns, counts, column, 4), number)
    elif kind in (steps.INT_TO_FLOAT, steps.LONG_TO_FLOAT):
        # Via a double, as in Python.
        put_float(memory, place_of(columns, counts, column, 4), np.float32(np.float64(number)))
    elif kind in (steps.INT_TO_DOUBLE, steps.LONG_TO_DOUBLE):
        put_double(memory, place_of(columns, counts, column, 8), np.float64(number))
    else:
        put_int64(memory, place_of(columns, counts, column, 8), number)
    return at


@part
def _skip(source: UInt8s, at: Any, end: Any, kind: Any, detail: Any) -> Any:
    """End of a value without a column, -1 if it is invalid; with the size of a fixed, or the symbols of an enum."""
    if kind == steps.SKIP_BOOLEAN:
        return at + 1 if at < end and byte_at(source, at) <= 1 else np.int64(-1)
    if kind == steps.SKIP_FIXED:
        return at + detail if end - at >= detail else np.int64(-1)
    if kind == steps.SKIP_LONG:
        return read_long(source, at, end)[1]
    if kind in (steps.SKIP_INT, steps.SKIP_ENUM):
        number, at = read_int(source, at, end)
        return at if kind == steps.SKIP_INT or 0 <= number < detail else np.int64(-1)
    size, at = read_length(source, at, end)
    return at + size if at >= 0 and (kind == steps.SKIP_BYTES or is_text(source, at, size)) else np.int64(-1)
