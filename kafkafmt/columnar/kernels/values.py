"""Avro values of many records as Arrow columns: a walk over steps, which `columnar.value_steps` describes.

Every access is bounded by the value or by the room of its column. A value that breaks a rule is refused and becomes
null; where a column is too small the walk ends, and begins again at the same value once there is more room.
"""

from typing import Any

import numpy as np

from kafkafmt.columnar import value_steps as steps_of
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import (
    byte_at,
    clear_bit,
    copy,
    copy_exact,
    float_of,
    little_endian_uint32,
    little_endian_uint64,
    put,
    put_double,
    put_float,
    put_int32,
    put_int64,
    trailing_zeros,
)
from kafkafmt.columnar.kernels.compiling import kernel, part, rare_part

_END, _JUMP, _REFUSE = steps_of.END, steps_of.JUMP, steps_of.REFUSE
_BOOLEAN, _INT, _LONG = steps_of.BOOLEAN, steps_of.INT, steps_of.LONG
_INT_TO_LONG, _INT_TO_FLOAT, _INT_TO_DOUBLE = steps_of.INT_TO_LONG, steps_of.INT_TO_FLOAT, steps_of.INT_TO_DOUBLE
_LONG_TO_FLOAT, _LONG_TO_DOUBLE = steps_of.LONG_TO_FLOAT, steps_of.LONG_TO_DOUBLE
_FLOAT, _DOUBLE, _FLOAT_TO_DOUBLE = steps_of.FLOAT, steps_of.DOUBLE, steps_of.FLOAT_TO_DOUBLE
_BYTES, _TEXT, _FIXED, _ENUM = steps_of.BYTES, steps_of.TEXT, steps_of.FIXED, steps_of.ENUM
_DECIMAL, _UUID, _DURATION, _REST = steps_of.DECIMAL, steps_of.UUID, steps_of.DURATION, steps_of.REST
_NULL, _SET_BOOLEAN = steps_of.NULL, steps_of.SET_BOOLEAN
_SET_FIXED, _SET_BYTES = steps_of.SET_FIXED, steps_of.SET_BYTES
_SKIP_BOOLEAN, _SKIP_INT, _SKIP_LONG = steps_of.SKIP_BOOLEAN, steps_of.SKIP_INT, steps_of.SKIP_LONG
_SKIP_FIXED, _SKIP_BYTES = steps_of.SKIP_FIXED, steps_of.SKIP_BYTES
_SKIP_TEXT, _SKIP_ENUM = steps_of.SKIP_TEXT, steps_of.SKIP_ENUM
_UNION, _BLOCK, _ITEM = steps_of.UNION, steps_of.BLOCK, steps_of.ITEM
_OPEN, _ADVANCE, _CLOSE, _KEY = steps_of.OPEN, steps_of.ADVANCE, steps_of.CLOSE, steps_of.KEY
_MARK, _TAKE = steps_of.MARK, steps_of.TAKE
_STEP, _COLUMN, _GROUP = steps_of.STEP, steps_of.COLUMN, steps_of.GROUP
_OF_GROUP, _SHAPE, _WIDTH, _AFTER = steps_of.OF_GROUP, steps_of.SHAPE, steps_of.WIDTH, steps_of.AFTER
_ITEMS, _VALIDITY, _VALUES, _DATA = steps_of.ITEMS, steps_of.VALIDITY, steps_of.VALUES, steps_of.DATA
_ROOM, _NULLS = steps_of.ROOM, steps_of.NULLS
_LIST, _PARENT, _ENTRIES = steps_of.LIST, steps_of.PARENT, steps_of.ENTRIES
_BITS_OF_VALUES, _NUMBERS, _STRINGS, _LISTS = (
    steps_of.BITS_OF_VALUES,
    steps_of.NUMBERS,
    steps_of.STRINGS,
    steps_of.LISTS,
)
_DONE, _WANTED, _WHICH, _NEEDED = steps_of.DONE, steps_of.WANTED, steps_of.WHICH, steps_of.NEEDED
_GREW_DATA, _GREW_GROUP = steps_of.GREW_DATA, steps_of.GREW_GROUP
_DECODED, _REFUSED, _WITH_MORE = steps_of.DECODED, steps_of.REFUSED, steps_of.WITH_MORE
_PREFIXED, _FREE_ITEMS, _MOST_KEYS = steps_of.PREFIXED, steps_of.FREE_ITEMS, steps_of.MOST_KEYS
_INT_BYTES, _LONG_BYTES = 5, 10
_OVER_READ = 32
_HIGH_BITS = np.uint64(0x8080808080808080)


@part
def _at(numbers: Int64s, index: Any) -> Any:
    return numbers[np.uint64(index)]


@part
def _number(source: UInt8s, at: Any, end: Any, most: Any) -> Any:
    """The bits of a varint of at most so many bytes and where it ends; -1 if it is not one."""
    if at >= end:
        return np.uint64(0), np.int64(-1)
    first = byte_at(source, at)
    if first < 0x80:
        return np.uint64(first), at + 1
    return _long_number(source, at, end, most)


@rare_part
def _long_number(source: UInt8s, at: Any, end: Any, most: Any) -> Any:
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
            if most == _INT_BYTES and (size > most or word >> np.uint64(32)):
                return np.uint64(0), np.int64(-1)
            return word, at + size
    number = np.uint64(0)
    for index in range(most):
        if at + index >= end:
            break
        group = np.uint64(byte_at(source, at + index))
        number |= (group & np.uint64(0x7F)) << np.uint64(7 * index)
        if group < np.uint64(0x80):
            # The last byte has the bits that are left of 32 or 64.
            if index == most - 1 and group >> np.uint64(4 if most == _INT_BYTES else 1):
                break
            return number, at + index + 1
    return np.uint64(0), np.int64(-1)


@part
def _signed(number: Any) -> Any:
    return np.int64(number >> np.uint64(1)) ^ -np.int64(number & np.uint64(1))


@part
def _long(source: UInt8s, at: Any, end: Any) -> Any:
    number, after = _number(source, at, end, _LONG_BYTES)
    return _signed(number), after


@part
def _int(source: UInt8s, at: Any, end: Any) -> Any:
    number, after = _number(source, at, end, _INT_BYTES)
    return _signed(number), after


@part
def _length(source: UInt8s, at: Any, end: Any) -> Any:
    """A length and where its bytes begin; -1 if they are not all there."""
    size, after = _long(source, at, end)
    if size < 0 or size > end - after:
        return size, np.int64(-1)
    return size, after


@part
def _is_text(source: UInt8s, at: Any, size: Any) -> bool:
    if size <= 8 and at + 8 <= source.size:
        if size == 0:
            return True
        if little_endian_uint64(source, at) << np.uint64(64 - 8 * size) & _HIGH_BITS == 0:
            return True
    return _is_utf8(source, at, at + size)


@rare_part
def _is_utf8(source: UInt8s, at: Any, end: Any) -> bool:
    """Whether bytes are UTF-8 without surrogates, as Unicode's table 3-7 has it."""
    while at < end:
        while end - at >= 8 and little_endian_uint64(source, at) & _HIGH_BITS == 0:
            at += 8
        if at >= end:
            break
        first = byte_at(source, at)
        if first < 0x80:
            at += 1
            continue
        if first < 0xC2 or first > 0xF4:
            return False
        more = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
        if end - at <= more:
            return False
        second = byte_at(source, at + 1)
        lowest = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
        highest = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
        if second < lowest or second > highest:
            return False
        for index in range(2, more + 1):
            if byte_at(source, at + index) & 0xC0 != 0x80:
                return False
        at += more + 1
    return True


@part
def _index(columns: Int64s, counts: Int64s, column: Any) -> Any:
    return _at(counts, _at(columns, column * _COLUMN + _OF_GROUP))


@part
def _put_bytes(
    columns: Int64s, counts: Int64s, memory: UInt8s, state: Int64s, column: Any, source: UInt8s, start: Any, size: Any
) -> bool:
    """Write bytes; False if there is no room."""
    of_column = column * _COLUMN
    ends = _at(columns, of_column + _VALUES) + 4 * _index(columns, counts, column)
    begin = little_endian_uint32(memory, ends)
    if begin + size > _at(columns, of_column + _ROOM):
        state[_WANTED], state[_WHICH], state[_NEEDED] = _GREW_DATA, column, begin + size
        return False
    to = _at(columns, of_column + _DATA) + begin
    if start + size + _OVER_READ <= source.size:
        copy(memory, to, source, start, size)
    else:
        copy_exact(memory, to, source, start, size)
    put_int32(memory, ends + 4, begin + size)
    return True


@part
def _put_bit(memory: UInt8s, begin: Any, index: Any, bit: Any) -> None:
    place = np.uint64(begin + (index >> 3))
    mask = np.uint8(1 << (index & 7))
    memory[place] = (memory[place] | mask) if bit else (memory[place] & ~mask)


@rare_part
def _put_null(columns: Int64s, counts: Int64s, memory: UInt8s, column: Any) -> None:
    """Write null, in all columns below it too."""
    group = _at(columns, column * _COLUMN + _OF_GROUP)
    index = _at(counts, group)
    for each in range(column, _at(columns, column * _COLUMN + _AFTER)):
        of_column = each * _COLUMN
        if _at(columns, of_column + _OF_GROUP) != group or _at(columns, of_column + _VALIDITY) < 0:
            continue
        clear_bit(memory, 8 * _at(columns, of_column + _VALIDITY) + index)
        put(columns, of_column + _NULLS, 1)
        shape, values = _at(columns, of_column + _SHAPE), _at(columns, of_column + _VALUES)
        if shape == _NUMBERS:
            width = _at(columns, of_column + _WIDTH)
            for byte in range(width * index, width * (index + 1)):
                put(memory, values + byte, np.uint8(0))
        elif shape == _STRINGS:
            put_int32(memory, values + 4 * index + 4, little_endian_uint32(memory, values + 4 * index))
        elif shape == _LISTS:
            put_int32(memory, values + 4 * index + 4, _at(counts, _at(columns, of_column + _ITEMS)))
        elif shape == _BITS_OF_VALUES:
            _put_bit(memory, values, index, 0)


@rare_part
def _take_back(columns: Int64s, groups: Int64s, counts: Int64s, before: Int64s, memory: UInt8s) -> None:
    """Forget the items of a value that is refused."""
    for group in range(1, counts.size):
        of_list = _at(groups, group * _GROUP + _LIST) * _COLUMN
        begin = _at(columns, of_list + _VALUES) + 4 * _at(counts, _at(groups, group * _GROUP + _PARENT))
        put(before, group, _at(counts, group))
        put(counts, group, little_endian_uint32(memory, begin))
    for of_column in range(0, columns.size, _COLUMN):
        group, validity = _at(columns, of_column + _OF_GROUP), _at(columns, of_column + _VALIDITY)
        if group and validity >= 0:
            for index in range(_at(counts, group), _at(before, group) + 1):
                _put_bit(memory, validity, index, 1)


@rare_part
def _put_decimal(
    columns: Int64s,
    counts: Int64s,
    memory: UInt8s,
    column: Any,
    source: UInt8s,
    at: Any,
    size: Any,
    numbers: Int64s,
    bound: Any,
) -> bool:
    """Write a number in two's complement, the highest byte first; False if it has no bytes, or too many digits.

    Args:
        columns: as of the kernel.
        counts: as of the kernel.
        memory: as of the kernel.
        column: the column.
        source: has the bytes.
        at: where they begin.
        size: how many there are.
        numbers: as of the kernel.
        bound: where they have the 64-bit words of the largest number, the lowest first.
    """
    if size == 0:
        return False
    width = _at(columns, column * _COLUMN + _WIDTH)
    is_negative = byte_at(source, at) > 0x7F
    filler = 0xFF if is_negative else 0
    while size > width:
        if byte_at(source, at) != filler or (byte_at(source, at + 1) ^ filler) > 0x7F:
            return False
        at, size = at + 1, size - 1
    to = _at(columns, column * _COLUMN + _VALUES) + width * _index(columns, counts, column)
    for byte in range(size):
        put(memory, to + byte, np.uint8(byte_at(source, at + size - 1 - byte)))
    for byte in range(size, width):
        put(memory, to + byte, np.uint8(filler))
    for word in range(width // 8 - 1, -1, -1):
        number = little_endian_uint64(memory, to + 8 * word)
        most = np.uint64(_at(numbers, bound + word))
        if is_negative:
            # One below its absolute value, so the bound is one lower: it is odd, or its lowest word is all ones.
            number = ~number
            most -= np.uint64(word == 0)
        if number != most:
            return bool(number < most)
    return True


@rare_part
def _put_uuid(memory: UInt8s, to: Any, source: UInt8s, at: Any) -> None:
    """Write 16 bytes as the 36 characters of a UUID."""
    for byte in range(16):
        if byte in (4, 6, 8, 10):
            put(memory, to, np.uint8(0x2D))
            to += 1
        number = byte_at(source, at + byte)
        for digit in (number >> 4, number & 15):
            put(memory, to, np.uint8(0x30 + digit if digit < 10 else 0x57 + digit))
            to += 1


@rare_part
def _is_new_key(columns: Int64s, counts: Int64s, memory: UInt8s, keys: Any, of_map: Any) -> bool:
    """Whether the key that was written last is the only one of its map."""
    begins = _at(columns, of_map * _COLUMN + _VALUES) + 4 * _index(columns, counts, of_map)
    first, last = little_endian_uint32(memory, begins), _index(columns, counts, keys)
    if last - first >= _MOST_KEYS:
        return False
    offsets, data = _at(columns, keys * _COLUMN + _VALUES), _at(columns, keys * _COLUMN + _DATA)
    begin = little_endian_uint32(memory, offsets + 4 * last)
    size = little_endian_uint32(memory, offsets + 4 * last + 4) - begin
    for other in range(first, last):
        at = little_endian_uint32(memory, offsets + 4 * other)
        if little_endian_uint32(memory, offsets + 4 * other + 4) - at == size:
            byte = 0
            while byte < size and byte_at(memory, data + at + byte) == byte_at(memory, data + begin + byte):
                byte += 1
            if byte == size:
                return False
    return True


@kernel
def decode_values(
    source: UInt8s,
    begins: Int64s,
    ends: Int64s,
    programs: Int64s,
    steps: Int64s,
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
) -> None:
    """Decode values from `state[DONE]` on, until all are done or a column is too small.

    Args:
        source: holds the values.
        begins: where each value begins.
        ends: and ends.
        programs: the first step of each value; -1 for null.
        steps: what to do.
        numbers: tables of steps: branches of unions, symbols, the largest decimals.
        constants: bytes of symbols and defaults.
        columns: the columns; `NULLS` is written.
        groups: the groups.
        counts: entries of each group so far; is written.
        left: items that are left of each list that is read, and where marks are; is written.
        before: as large as `counts`, of any content; is written.
        memory: holds all columns, with `SLACK` bytes after each part; is written.
        state: as in `value_steps`; is written.
        outcomes: what becomes of each value, `DECODED` to begin with; is written.
    """
    row = state[_DONE]
    state[_WANTED] = 0
    while row < begins.size:
        put(counts, 0, row)
        step = _at(programs, row)
        if step < 0:
            _put_null(columns, counts, memory, 0)
            row += 1
            continue
        at, end = _at(begins, row), _at(ends, row)
        free = end - at + _FREE_ITEMS
        is_sound, has_room = True, True
        while is_sound and has_room:
            kind = _at(steps, step)
            column, second, third = _at(steps, step + 1), _at(steps, step + 2), _at(steps, step + 3)
            step += _STEP
            if kind == _END:
                break
            if kind == _UNION:
                number, at = _int(source, at, end)
                if at < 0 or number < 0 or number >= second:
                    is_sound = False
                else:
                    step = _at(numbers, column + number)
            elif kind == _TEXT:
                size, at = _length(source, at, end)
                if at < 0 or not _is_text(source, at, size):
                    is_sound = False
                else:
                    has_room = _put_bytes(columns, counts, memory, state, column, source, at, size)
                    at += size
            elif kind == _LONG:
                number, at = _long(source, at, end)
                to = _at(columns, column * _COLUMN + _VALUES) + 8 * _index(columns, counts, column)
                put_int64(memory, to, number)
                is_sound = at >= 0
            elif kind == _INT:
                number, at = _int(source, at, end)
                to = _at(columns, column * _COLUMN + _VALUES) + 4 * _index(columns, counts, column)
                put_int32(memory, to, number)
                is_sound = at >= 0
            elif kind == _DOUBLE:
                if end - at < 8:
                    is_sound = False
                else:
                    to = _at(columns, column * _COLUMN + _VALUES) + 8 * _index(columns, counts, column)
                    put_int64(memory, to, np.int64(little_endian_uint64(source, at)))
                    at += 8
            elif kind == _FLOAT:
                if end - at < 4:
                    is_sound = False
                else:
                    to = _at(columns, column * _COLUMN + _VALUES) + 4 * _index(columns, counts, column)
                    put_int32(memory, to, little_endian_uint32(source, at))
                    at += 4
            elif kind == _BOOLEAN:
                if at >= end or byte_at(source, at) > 1:
                    is_sound = False
                else:
                    index = _index(columns, counts, column)
                    _put_bit(memory, _at(columns, column * _COLUMN + _VALUES), index, byte_at(source, at))
                    at += 1
            elif kind == _NULL:
                _put_null(columns, counts, memory, column)
            elif kind == _JUMP:
                step = column
            elif kind == _ENUM:
                number, at = _int(source, at, end)
                if at < 0 or number < 0 or number >= third or _at(numbers, second + 2 * number) < 0:
                    is_sound = False
                else:
                    start, size = _at(numbers, second + 2 * number), _at(numbers, second + 2 * number + 1)
                    has_room = _put_bytes(columns, counts, memory, state, column, constants, start, size)
            elif kind == _BYTES:
                size, at = _length(source, at, end)
                if at < 0:
                    is_sound = False
                else:
                    has_room = _put_bytes(columns, counts, memory, state, column, source, at, size)
                    at += size
            elif kind == _FIXED:
                if end - at < second:
                    is_sound = False
                else:
                    to = _at(columns, column * _COLUMN + _VALUES) + second * _index(columns, counts, column)
                    copy_exact(memory, to, source, at, second)
                    at += second
            elif kind == _DECIMAL:
                size = second if second >= 0 else end - at
                if second == _PREFIXED:
                    size, at = _length(source, at, end)
                if at < 0 or end - at < size:
                    is_sound = False
                else:
                    is_sound = _put_decimal(columns, counts, memory, column, source, at, size, numbers, third)
                    at += size
            elif kind == _BLOCK:
                number, at = _long(source, at, end)
                if at >= 0 and number < 0:
                    number = -number
                    _, at = _long(source, at, end)
                if at < 0 or number < 0 or number > free:
                    is_sound = False
                elif number == 0:
                    step = third
                else:
                    free -= number
                    put(left, column, number)
                    if second >= 0 and _at(counts, second) + number > _at(groups, second * _GROUP + _ENTRIES):
                        state[_WANTED], state[_WHICH] = _GREW_GROUP, second
                        state[_NEEDED] = _at(counts, second) + number
                        has_room = False
            elif kind == _ITEM:
                if second >= 0:
                    put(counts, second, _at(counts, second) + 1)
                put(left, column, _at(left, column) - 1)
                step = third + _STEP if _at(left, column) > 0 else third
            elif kind == _CLOSE:
                to = _at(columns, column * _COLUMN + _VALUES) + 4 * _index(columns, counts, column)
                put_int32(memory, to + 4, _at(counts, _at(columns, column * _COLUMN + _ITEMS)))
            elif kind == _KEY:
                is_sound = _is_new_key(columns, counts, memory, column, second)
            elif kind == _INT_TO_LONG:
                number, at = _int(source, at, end)
                to = _at(columns, column * _COLUMN + _VALUES) + 8 * _index(columns, counts, column)
                put_int64(memory, to, number)
                is_sound = at >= 0
            elif kind in (_INT_TO_FLOAT, _LONG_TO_FLOAT):
                number, at = _number(source, at, end, _INT_BYTES if kind == _INT_TO_FLOAT else _LONG_BYTES)
                to = _at(columns, column * _COLUMN + _VALUES) + 4 * _index(columns, counts, column)
                # By way of a double, as Python.
                put_float(memory, to, np.float32(np.float64(_signed(number))))
                is_sound = at >= 0
            elif kind in (_INT_TO_DOUBLE, _LONG_TO_DOUBLE):
                number, at = _number(source, at, end, _INT_BYTES if kind == _INT_TO_DOUBLE else _LONG_BYTES)
                to = _at(columns, column * _COLUMN + _VALUES) + 8 * _index(columns, counts, column)
                put_double(memory, to, np.float64(_signed(number)))
                is_sound = at >= 0
            elif kind == _FLOAT_TO_DOUBLE:
                if end - at < 4:
                    is_sound = False
                else:
                    to = _at(columns, column * _COLUMN + _VALUES) + 8 * _index(columns, counts, column)
                    put_double(memory, to, np.float64(float_of(little_endian_uint32(source, at))))
                    at += 4
            elif kind == _REST:
                has_room = _put_bytes(columns, counts, memory, state, column, source, at, end - at)
                at = end
            elif kind == _UUID:
                of_column = column * _COLUMN
                offsets = _at(columns, of_column + _VALUES) + 4 * _index(columns, counts, column)
                begin = little_endian_uint32(memory, offsets)
                if end - at < 16:
                    is_sound = False
                elif begin + 36 > _at(columns, of_column + _ROOM):
                    state[_WANTED], state[_WHICH], state[_NEEDED] = _GREW_DATA, column, begin + 36
                    has_room = False
                else:
                    _put_uuid(memory, _at(columns, of_column + _DATA) + begin, source, at)
                    put_int32(memory, offsets + 4, begin + 36)
                    at += 16
            elif kind == _DURATION:
                if end - at < 12:
                    is_sound = False
                else:
                    for child in range(1, 4):
                        to = _at(columns, (column + child) * _COLUMN + _VALUES)
                        to += 8 * _index(columns, counts, column)
                        put_int64(memory, to, little_endian_uint32(source, at))
                        at += 4
            elif kind == _SET_BOOLEAN:
                index = _index(columns, counts, column)
                _put_bit(memory, _at(columns, column * _COLUMN + _VALUES), index, second)
            elif kind == _SET_FIXED:
                to = _at(columns, column * _COLUMN + _VALUES) + third * _index(columns, counts, column)
                copy_exact(memory, to, constants, second, third)
            elif kind == _SET_BYTES:
                has_room = _put_bytes(columns, counts, memory, state, column, constants, second, third)
            elif kind == _OPEN:
                if _at(counts, column) + second > _at(groups, column * _GROUP + _ENTRIES):
                    state[_WANTED], state[_WHICH], state[_NEEDED] = _GREW_GROUP, column, _at(counts, column) + second
                    has_room = False
            elif kind == _MARK:
                put(left, column, at)
            elif kind == _TAKE:
                begin = _at(left, second)
                has_room = _put_bytes(columns, counts, memory, state, column, source, begin, at - begin)
            elif kind == _ADVANCE:
                put(counts, column, _at(counts, column) + 1)
            elif kind == _SKIP_BOOLEAN:
                is_sound = at < end and byte_at(source, at) <= 1
                at += 1
            elif kind == _SKIP_INT:
                _, at = _int(source, at, end)
                is_sound = at >= 0
            elif kind == _SKIP_LONG:
                _, at = _long(source, at, end)
                is_sound = at >= 0
            elif kind == _SKIP_FIXED:
                is_sound = end - at >= column
                at += column
            elif kind in (_SKIP_BYTES, _SKIP_TEXT):
                size, at = _length(source, at, end)
                is_sound = at >= 0 and (kind == _SKIP_BYTES or _is_text(source, at, size))
                at += size
            elif kind == _SKIP_ENUM:
                number, at = _int(source, at, end)
                is_sound = at >= 0 and number >= 0 and number < column
            else:
                is_sound = False
        if not has_room:
            break
        if is_sound:
            put(outcomes, row, np.uint8(_WITH_MORE if at < end else _DECODED))
        else:
            put(outcomes, row, np.uint8(_REFUSED))
            put(counts, 0, row)
            _take_back(columns, groups, counts, before, memory)
            _put_null(columns, counts, memory, 0)
        row += 1
    if row < begins.size:
        # The items of the value that is decoded again.
        put(counts, 0, row)
        _take_back(columns, groups, counts, before, memory)
    state[_DONE] = row
