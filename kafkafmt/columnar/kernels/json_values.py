"""Reads JSON values into the cells of their types, strictly; other rows are left to the reference reader."""

import numpy as np

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.json_program import (
    ARRAY,
    BOOLEAN,
    BUDGET,
    DOCUMENT,
    INTEGER,
    MAP,
    NULL,
    NUMBER,
    OBJECT,
    ROOM,
    SET,
    STRING,
    TO_READ,
    UNKNOWN,
    Cells,
    JsonProgram,
)
from kafkafmt.columnar.kernels.access import byte_at, put
from kafkafmt.columnar.kernels.compiling import kernel, part, rare_part
from kafkafmt.columnar.kernels.json_text import (
    CLOSE,
    CLOSE_ARRAY,
    COMMA,
    MINUS,
    NINE,
    OPEN,
    OPEN_ARRAY,
    PLUS,
    POINT,
    QUOTE,
    ZERO,
    F,
    N,
    T,
    is_null,
    is_word,
    member_name,
    skip_space,
    string_end,
    value_end,
)
from kafkafmt.columnar.outcomes import REFUSED, SOUND, WITH_MORE

_BAD, _NO_ROOM = -1, -2
_MOST_KEYS = 32
"""Limit of a map's keys that are checked for duplicates; a larger map is left to the reference reader."""

_PER_BYTE = 25
_FREE = 1_000_000
# A double holds powers of ten up to 10**22 and integers up to 2**53 exactly, so one operation on both rounds correctly.
_POWERS = np.array([10.0**exponent for exponent in range(23)])
_EXACT = 1 << 53
# Any number of 18 digits fits into an int64; with 19 digits, the last one is compared, too.
_MOST_DIGITS = 18
_HIGHEST = (2**63 - 1) // 10
_MOST_EXPONENT = 300
# The 64-bit FNV-1a hash; the last number is 2**64 divided by the golden ratio, and mixes high bits into the slot.
_MULTIPLIER = np.uint64(0x100000001B3)
_OFFSET = np.uint64(0xCBF29CE484222325)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def read_json(
    source: UInt8s, starts: Int64s, ends: Int64s, first: int, program: JsonProgram, cells: Cells, outcomes: UInt8s
) -> int:
    """Read values into cells.

    Args:
        source: bytes of all values.
        starts: start of each value; -1 for a null.
        ends: end of each value.
        first: number of the first value to read.
        program: the type.
        cells: cells; are extended.
        outcomes: outcome of each value, as in `columnar.outcomes`; the cells of a refused one are null. Is written.

    Returns:
        Number of the next value: all are done; or `cells.state[ROOM]` lacks space, and the earlier values are read.
    """
    for row in range(first, starts.size):
        for node in range(program.kinds.size):
            put(cells.saved, node, cells.counts[np.uint64(node)])
        cells.state[UNKNOWN] = 0
        cells.state[BUDGET] = _FREE + _PER_BYTE * (ends[row] - starts[row])
        at = -1
        if starts[row] >= 0:
            at = _value(program, cells, source, starts[row], ends[row])
            if at >= 0 and skip_space(source, at, ends[row]) != ends[row]:
                at = _BAD
        outcomes[row] = SOUND if cells.state[UNKNOWN] == 0 else WITH_MORE
        if at == _BAD:
            outcomes[row] = REFUSED if starts[row] >= 0 else SOUND
            _restore(program, cells)
            at = _null(program, cells, 0)
        if at == _NO_ROOM:
            _restore(program, cells)
            return row
    return starts.size


@rare_part
def _restore(program: JsonProgram, cells: Cells) -> None:
    for node in range(program.kinds.size):
        put(cells.counts, node, cells.saved[np.uint64(node)])


@part
def _add(cells: Cells, node: int, cell: int, valid: int) -> bool:
    """Add a cell; return False if there is no space."""
    index = cells.counts[np.uint64(node)]
    if index >= cells.room[np.uint64(node)]:
        cells.state[ROOM] = node
        return False
    at = cells.bases[np.uint64(node)] + index
    put(cells.cells, at, cell)
    put(cells.valid, at, np.uint8(valid))
    put(cells.counts, node, index + 1)
    return True


@rare_part
def _null(program: JsonProgram, cells: Cells, node: int) -> int:
    """Add a null, also to the fields of an object."""
    at, end = node, program.ends[np.uint64(node)]
    while at < end:
        kind = program.kinds[np.uint64(at)]
        is_list = kind in (ARRAY, MAP)
        if not _add(cells, at, cells.counts[np.uint64(at + 1)] if is_list else 0, NULL):
            return _NO_ROOM
        at = program.ends[np.uint64(at)] if is_list else at + 1
    return 0


@part
def _value(program: JsonProgram, cells: Cells, source: UInt8s, at: int, end: int) -> int:
    """Read a value; return where it ends."""
    node, depth = 0, 0
    while True:
        at = skip_space(source, at, end)
        if at >= end:
            return _BAD
        kind, first = program.kinds[np.uint64(node)], byte_at(source, at)
        is_open = False
        if first == N and kind != DOCUMENT:
            if not is_null(source, at, end):
                return _BAD
            if _null(program, cells, node) != 0:
                return _NO_ROOM
            at += 4
        elif kind < ARRAY:
            at = _scalar(cells, source, at, end, node, kind)
            if at < 0:
                return at
        else:
            if first != (OPEN_ARRAY if kind == ARRAY else OPEN):
                return _BAD
            _set_frame(cells, depth, node, cells.counts[np.uint64(node if kind == OBJECT else node + 1)], node + 1)
            depth += 1
            at = skip_space(source, at + 1, end)
            is_open = True
        # Ends of what is open, and unknown members, up to the next value.
        while True:
            if depth == 0:
                return at
            if not is_open:
                at = skip_space(source, at, end)
            if at >= end:
                return _BAD
            top = 3 * (depth - 1)
            parent = cells.frames[np.uint64(top)]
            kind, byte = program.kinds[np.uint64(parent)], byte_at(source, at)
            if byte == (CLOSE_ARRAY if kind == ARRAY else CLOSE):
                at += 1
                depth -= 1
                is_open = False
                if not _close(program, cells, parent, kind, cells.frames[np.uint64(top + 1)]):
                    return _NO_ROOM
                continue
            if not is_open:
                if byte != COMMA:
                    return _BAD
                at = skip_space(source, at + 1, end)
            is_open = False
            if kind == ARRAY:
                node = parent + 1
            else:
                name = at + 1
                at, size = member_name(source, at, end)
                if at < 0:
                    return _BAD
                if kind == OBJECT:
                    node = cells.frames[np.uint64(top + 2)]
                    if node >= program.ends[np.uint64(parent)] or not _is_named(program, node, source, name, size):
                        node = _find(program, parent, source, name, size)
                    if node < 0:
                        cells.state[UNKNOWN] = 1
                        at = value_end(source, at, end)
                        if at < 0:
                            return _BAD
                        continue
                    if cells.counts[np.uint64(node)] != cells.frames[np.uint64(top + 1)]:
                        return _BAD
                    put(cells.frames, top + 2, program.ends[np.uint64(node)])
                    break
                if _is_known(cells, parent + 1, cells.frames[np.uint64(top + 1)], source, name, size):
                    return _BAD
                if not _add(cells, parent + 1, name << 32 | size << 1, SET):
                    return _NO_ROOM
                node = program.ends[np.uint64(parent + 1)]
            cells.state[BUDGET] -= program.ends[np.uint64(parent)] - parent
            if cells.state[BUDGET] < 0:
                return _BAD
            break


@part
def _set_frame(cells: Cells, depth: int, node: int, count: int, hint: int) -> None:
    """Open an object, array or map, with its number of cells or items so far, and the field expected next."""
    put(cells.frames, 3 * depth, node)
    put(cells.frames, 3 * depth + 1, count)
    put(cells.frames, 3 * depth + 2, hint)


@part
def _close(program: JsonProgram, cells: Cells, node: int, kind: int, index: int) -> bool:
    """Add the cell of an object, array or map after its content; return False if there is no space."""
    if kind != OBJECT:
        return _add(cells, node, cells.counts[np.uint64(node + 1)], SET)
    child, last = node + 1, program.ends[np.uint64(node)]
    while child < last:
        if cells.counts[np.uint64(child)] == index and _null(program, cells, child) != 0:
            return False
        child = program.ends[np.uint64(child)]
    return _add(cells, node, 0, SET)


@part
def _scalar(cells: Cells, source: UInt8s, at: int, end: int, node: int, kind: int) -> int:
    """Read a value that is not null, and has no columns inside; return where it ends."""
    first = byte_at(source, at)
    if kind == STRING:
        if first != QUOTE:
            return _BAD
        stop, escaped = string_end(source, at + 1, end)
        if stop < 0:
            return _BAD
        return stop if _add(cells, node, (at + 1) << 32 | (stop - at - 2) << 1 | escaped, SET) else _NO_ROOM
    if kind in (INTEGER, NUMBER):
        return _number(cells, source, at, end, node, kind == INTEGER)
    if kind == BOOLEAN:
        if first == T and at + 4 <= end and is_word(source, at, 0x74, 0x72, 0x75, 0x65):
            return at + 4 if _add(cells, node, 1, SET) else _NO_ROOM
        if first == F and at + 5 <= end and is_word(source, at + 1, 0x61, 0x6C, 0x73, 0x65):
            return at + 5 if _add(cells, node, 0, SET) else _NO_ROOM
        return _BAD
    stop = value_end(source, at, end)
    if stop < 0:
        return _BAD
    return stop if _add(cells, node, at << 32 | (stop - at) << 1, SET) else _NO_ROOM


@part
def _is_named(program: JsonProgram, node: int, source: UInt8s, at: int, size: int) -> bool:
    begin = program.name_ends[np.uint64(node)]
    if program.name_ends[np.uint64(node + 1)] - begin != size:
        return False
    same = 0
    while same < size and byte_at(program.names, begin + same) == byte_at(source, at + same):
        same += 1
    return same == size


@rare_part
def _find(program: JsonProgram, parent: int, source: UInt8s, at: int, size: int) -> int:
    """The field of an object with this name; -1 for none."""
    number = _OFFSET ^ np.uint64(parent)
    for index in range(size):
        number = (number ^ np.uint64(byte_at(source, at + index))) * _MULTIPLIER
    mask = program.slots.size - 1
    slot = np.int64((number * _GOLDEN) >> np.uint64(33)) & mask
    while program.slots[np.uint64(slot)] != 0:
        node = program.slots[np.uint64(slot)] - 1
        if program.parents[np.uint64(node)] == parent and _is_named(program, node, source, at, size):
            return int(node)
        slot = (slot + 1) & mask
    return -1


@rare_part
def _is_known(cells: Cells, node: int, first: int, source: UInt8s, at: int, size: int) -> bool:
    """Whether a map already has a key, or has too many keys to check."""
    count = cells.counts[np.uint64(node)] - first
    if count >= _MOST_KEYS:
        return True
    for number in range(count):
        span = cells.cells[np.uint64(cells.bases[np.uint64(node)] + first + number)]
        if (span & 0xFFFFFFFF) >> 1 == size:
            begin = span >> 32
            same = 0
            while same < size and byte_at(source, begin + same) == byte_at(source, at + same):
                same += 1
            if same == size:
                return True
    return False


@rare_part
def _number(cells: Cells, source: UInt8s, begin: int, end: int, node: int, is_integer: bool) -> int:
    """Read a number; return where it ends."""
    at = begin
    is_negative = byte_at(source, at) == MINUS
    if is_negative:
        at += 1
    start = at
    mantissa, digits = 0, 0
    while at < end and ZERO <= byte_at(source, at) <= NINE:
        if digits < _MOST_DIGITS:
            mantissa = mantissa * 10 + byte_at(source, at) - ZERO
        digits += mantissa > 0
        at += 1
    if at == start or (at > start + 1 and byte_at(source, start) == ZERO):
        return _BAD
    exponent = 0
    is_plain = True
    if at < end and byte_at(source, at) == POINT:
        is_plain = False
        start = at + 1
        at = start
        while at < end and ZERO <= byte_at(source, at) <= NINE:
            if digits < _MOST_DIGITS:
                mantissa = mantissa * 10 + byte_at(source, at) - ZERO
            digits += mantissa > 0
            at += 1
        if at == start:
            return _BAD
        exponent = start - at
    if at < end and byte_at(source, at) | 0x20 == 0x65:
        is_plain = False
        at += 1
        is_below = at < end and byte_at(source, at) == MINUS
        if at < end and byte_at(source, at) in (PLUS, MINUS):
            at += 1
        start = at
        power = 0
        while at < end and ZERO <= byte_at(source, at) <= NINE:
            power = min(power * 10 + byte_at(source, at) - ZERO, 1_000_000)
            at += 1
        if at == start:
            return _BAD
        exponent += -power if is_below else power
    if is_integer:
        if not is_plain or digits > _MOST_DIGITS + 1:
            return _BAD
        if digits > _MOST_DIGITS:
            last = byte_at(source, at - 1) - ZERO
            if mantissa > _HIGHEST or (mantissa == _HIGHEST and last > 7 + is_negative):
                return _BAD
            # There is one more number below 0 than above.
            number = -mantissa * 10 - last if is_negative else mantissa * 10 + last
            return at if _add(cells, node, number, SET) else _NO_ROOM
        return at if _add(cells, node, -mantissa if is_negative else mantissa, SET) else _NO_ROOM
    if digits <= _MOST_DIGITS and mantissa <= _EXACT and -22 <= exponent <= 22:
        value = np.float64(mantissa)
        value = value / _POWERS[np.uint64(-exponent)] if exponent < 0 else value * _POWERS[np.uint64(exponent)]
        if not _add(cells, node, 0, SET):
            return _NO_ROOM
        put(
            cells.doubles,
            cells.bases[np.uint64(node)] + cells.counts[np.uint64(node)] - 1,
            -value if is_negative else value,
        )
        return at
    if is_plain or digits + exponent > _MOST_EXPONENT:
        return _BAD
    return at if _add(cells, node, begin << 32 | (at - begin) << 1, TO_READ) else _NO_ROOM
