"""JSON values into the cells of their types: strict, and a row that is not plain is left to the reference reader."""

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.json_program import (
    ARRAY,
    BOOLEAN,
    BUDGET,
    DOCUMENT,
    ESCAPED,
    INTEGER,
    MAP,
    NULL,
    NUMBER,
    OBJECT,
    REFUSED,
    ROOM,
    SET,
    SOUND,
    STRING,
    TO_READ,
    UNKNOWN,
    WITH_UNKNOWN,
    Cells,
    JsonProgram,
)
from kafkafmt.columnar.kernels.access import byte_at, copy_exact, little_endian_uint64, put
from kafkafmt.columnar.kernels.compiling import kernel, part, rare_part

_REFUSED, _NO_ROOM = -1, -2
_MOST_DEPTH = 60
"""Of values that no column has, one bit each."""

_MOST_KEYS = 32
"""Of a map that is searched for a key that comes twice."""

_PER_BYTE = 25
_FREE = 1_000_000
_POWERS = np.array([10.0**exponent for exponent in range(23)])
_EXACT = 1 << 53
_MOST_DIGITS = 18
_HIGHEST = (2**63 - 1) // 10
_MOST_EXPONENT = 300
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_QUOTES = np.uint64(0x2222222222222222)
_BACKSLASHES = np.uint64(0x5C5C5C5C5C5C5C5C)
_SPACES = np.uint64(0x2020202020202020)
_QUOTE, _BACKSLASH, _COMMA, _COLON = 0x22, 0x5C, 0x2C, 0x3A
_OPEN, _CLOSE, _OPEN_ARRAY, _CLOSE_ARRAY = 0x7B, 0x7D, 0x5B, 0x5D
_ZERO, _NINE, _MINUS, _PLUS, _POINT, _N, _T, _F, _U = 0x30, 0x39, 0x2D, 0x2B, 0x2E, 0x6E, 0x74, 0x66, 0x75
_MULTIPLIER = np.uint64(0x100000001B3)
_OFFSET = np.uint64(0xCBF29CE484222325)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def read_json(
    source: UInt8s, starts: Int64s, ends: Int64s, first: int, program: JsonProgram, cells: Cells, rows: UInt8s
) -> int:
    """Read values into cells.

    Args:
        source: the bytes of all values.
        starts: where each begins; -1 for a null.
        ends: the end of every value.
        first: number of the first one.
        program: the type.
        cells: are added to.
        rows: is written: SOUND, REFUSED (its cells are null) or WITH_UNKNOWN.

    Returns:
        The number of the next one: all are done; or `cells.state[ROOM]` lacks room, and what is there counts.
    """
    for row in range(first, starts.size):
        for node in range(program.kinds.size):
            put(cells.saved, node, cells.counts[np.uint64(node)])
        cells.state[UNKNOWN] = 0
        cells.state[BUDGET] = _FREE + _PER_BYTE * (ends[row] - starts[row])
        at = -1
        if starts[row] >= 0:
            at = _value(program, cells, source, starts[row], ends[row])
            if at >= 0 and _skip(source, at, ends[row]) != ends[row]:
                at = _REFUSED
        rows[row] = SOUND if cells.state[UNKNOWN] == 0 else WITH_UNKNOWN
        if at == _REFUSED:
            rows[row] = REFUSED if starts[row] >= 0 else SOUND
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
    """Add a cell; False if there is no room."""
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
    """Add a null, and to the fields of an object too."""
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
    """Read a value; returns where it ends."""
    node, depth = 0, 0
    while True:
        at = _skip(source, at, end)
        if at >= end:
            return _REFUSED
        kind, first = program.kinds[np.uint64(node)], byte_at(source, at)
        is_open = False
        if first == _N and kind != DOCUMENT:
            if not _is_null(source, at, end):
                return _REFUSED
            if _null(program, cells, node) != 0:
                return _NO_ROOM
            at += 4
        elif kind < ARRAY:
            at = _scalar(cells, source, at, end, node, kind)
            if at < 0:
                return at
        else:
            if first != (_OPEN_ARRAY if kind == ARRAY else _OPEN):
                return _REFUSED
            _set_frame(cells, depth, node, cells.counts[np.uint64(node if kind == OBJECT else node + 1)], node + 1)
            depth += 1
            at = _skip(source, at + 1, end)
            is_open = True
        # Ends of what is open, and unknown members, up to the next value.
        while True:
            if depth == 0:
                return at
            if not is_open:
                at = _skip(source, at, end)
            if at >= end:
                return _REFUSED
            top = 3 * (depth - 1)
            parent = cells.frames[np.uint64(top)]
            kind, byte = program.kinds[np.uint64(parent)], byte_at(source, at)
            if byte == (_CLOSE_ARRAY if kind == ARRAY else _CLOSE):
                at += 1
                depth -= 1
                is_open = False
                if not _close(program, cells, parent, kind, cells.frames[np.uint64(top + 1)]):
                    return _NO_ROOM
                continue
            if not is_open:
                if byte != _COMMA:
                    return _REFUSED
                at = _skip(source, at + 1, end)
            is_open = False
            if kind == ARRAY:
                node = parent + 1
            else:
                name = at + 1
                at, size = _name(source, at, end)
                if at < 0:
                    return _REFUSED
                if kind == OBJECT:
                    node = cells.frames[np.uint64(top + 2)]
                    if node >= program.ends[np.uint64(parent)] or not _is_named(program, node, source, name, size):
                        node = _find(program, parent, source, name, size)
                    if node < 0:
                        cells.state[UNKNOWN] = 1
                        at = _end_of(source, at, end)
                        if at < 0:
                            return _REFUSED
                        continue
                    if cells.counts[np.uint64(node)] != cells.frames[np.uint64(top + 1)]:
                        return _REFUSED
                    put(cells.frames, top + 2, program.ends[np.uint64(node)])
                    break
                if _is_known(cells, parent + 1, cells.frames[np.uint64(top + 1)], source, name, size):
                    return _REFUSED
                if not _add(cells, parent + 1, name << 32 | size << 1, SET):
                    return _NO_ROOM
                node = program.ends[np.uint64(parent + 1)]
            cells.state[BUDGET] -= program.ends[np.uint64(parent)] - parent
            if cells.state[BUDGET] < 0:
                return _REFUSED
            break


@part
def _set_frame(cells: Cells, depth: int, node: int, count: int, hint: int) -> None:
    """Open an object, array or map: with its cells or those of its items so far, and the field that may come next."""
    put(cells.frames, 3 * depth, node)
    put(cells.frames, 3 * depth + 1, count)
    put(cells.frames, 3 * depth + 2, hint)


@part
def _close(program: JsonProgram, cells: Cells, node: int, kind: int, index: int) -> bool:
    """Add the cell of an object, array or map after what is inside of it; False if there is no room."""
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
    """Read a value that is not null, and has nothing inside that is a column; returns where it ends."""
    first = byte_at(source, at)
    if kind == STRING:
        if first != _QUOTE:
            return _REFUSED
        stop, escaped = _string_end(source, at + 1, end)
        if stop < 0:
            return _REFUSED
        return stop if _add(cells, node, (at + 1) << 32 | (stop - at - 2) << 1 | escaped, SET) else _NO_ROOM
    if kind in (INTEGER, NUMBER):
        return _number(cells, source, at, end, node, kind == INTEGER)
    if kind == BOOLEAN:
        if first == _T and at + 4 <= end and _is(source, at, 0x74, 0x72, 0x75, 0x65):
            return at + 4 if _add(cells, node, 1, SET) else _NO_ROOM
        if first == _F and at + 5 <= end and _is(source, at + 1, 0x61, 0x6C, 0x73, 0x65):
            return at + 5 if _add(cells, node, 0, SET) else _NO_ROOM
        return _REFUSED
    stop = _end_of(source, at, end)
    if stop < 0:
        return _REFUSED
    return stop if _add(cells, node, at << 32 | (stop - at) << 1, SET) else _NO_ROOM


@part
def _skip(source: UInt8s, at: int, end: int) -> int:
    while at < end:
        byte = byte_at(source, at)
        if byte > 0x20 or (byte != 0x20 and byte != 0x0A and byte != 0x0D and byte != 0x09):  # noqa: PLR1714 - faster
            break
        at += 1
    return at


@part
def _is(source: UInt8s, at: int, first: int, second: int, third: int, fourth: int) -> bool:
    return (
        byte_at(source, at) == first
        and byte_at(source, at + 1) == second
        and byte_at(source, at + 2) == third
        and byte_at(source, at + 3) == fourth
    )


@part
def _is_null(source: UInt8s, at: int, end: int) -> bool:
    return at + 4 <= end and _is(source, at, 0x6E, 0x75, 0x6C, 0x6C)


@part
def _name(source: UInt8s, at: int, end: int) -> tuple[int, int]:
    """Pass over a name and its colon; returns where the value begins (-1: not plain), and the size of the name."""
    if at >= end or byte_at(source, at) != _QUOTE:
        return -1, 0
    stop, escaped = _string_end(source, at + 1, end)
    if stop < 0 or escaped != 0:
        return -1, 0
    size = stop - at - 2
    at = _skip(source, stop, end)
    if at >= end or byte_at(source, at) != _COLON:
        return -1, 0
    return _skip(source, at + 1, end), size


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
    """The field of an object with a name; -1 for none."""
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
    """Whether a map has a key already, or too many to tell."""
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


@part
def _string_end(source: UInt8s, at: int, end: int) -> tuple[int, int]:
    """Where a text ends, after its quote, and whether it has escapes; -1 if it is not sound."""
    escaped = 0
    while at < end:
        while at + 8 <= end:
            word = little_endian_uint64(source, at)
            quotes, backslashes = word ^ _QUOTES, word ^ _BACKSLASHES
            special = (
                (quotes - _ONES) & ~quotes | (backslashes - _ONES) & ~backslashes | (word - _SPACES) & ~word | word
            )
            if special & _HIGH != 0:
                break
            at += 8
        if at >= end:
            break
        byte = byte_at(source, at)
        if byte == _QUOTE:
            return at + 1, escaped
        if byte == _BACKSLASH:
            size = _escape(source, at, end)
            if size == 0:
                return -1, 0
            escaped = ESCAPED
            at += size
        elif byte < 0x20:
            return -1, 0
        elif byte < 0x80:
            at += 1
        else:
            size = _character(source, at, end)
            if size == 0:
                return -1, 0
            at += size
    return -1, 0


@rare_part
def _escape(source: UInt8s, at: int, end: int) -> int:
    """Bytes of an escape, of both halves of a surrogate pair; 0 if it is not sound."""
    if at + 1 >= end:
        return 0
    byte = byte_at(source, at + 1)
    if byte != _U:
        return 2 if byte in (_QUOTE, _BACKSLASH, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74) else 0
    unit = _unit(source, at + 2, end)
    if unit < 0 or 0xDC00 <= unit < 0xE000:
        return 0
    if unit < 0xD800 or unit >= 0xE000:
        return 6
    if at + 8 > end or byte_at(source, at + 6) != _BACKSLASH or byte_at(source, at + 7) != _U:
        return 0
    low = _unit(source, at + 8, end)
    return 12 if 0xDC00 <= low < 0xE000 else 0


@rare_part
def _unit(source: UInt8s, at: int, end: int) -> int:
    """The number of four hexadecimal digits; -1 if they are none."""
    if at + 4 > end:
        return -1
    number = 0
    for index in range(4):
        byte = byte_at(source, at + index)
        if _ZERO <= byte <= _NINE:
            digit = byte - _ZERO
        elif 0x61 <= byte <= 0x66:
            digit = byte - 0x57
        elif 0x41 <= byte <= 0x46:
            digit = byte - 0x37
        else:
            return -1
        number = number << 4 | digit
    return number


@rare_part
def _character(source: UInt8s, at: int, end: int) -> int:
    """Bytes of a character above U+007F in UTF-8; 0 if it is none."""
    first = byte_at(source, at)
    if first < 0xC2 or first > 0xF4:
        return 0
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if at + size > end:
        return 0
    second = byte_at(source, at + 1)
    lowest = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    highest = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    if second < lowest or second > highest:
        return 0
    for index in range(2, size):
        if byte_at(source, at + index) & 0xC0 != 0x80:
            return 0
    return size


@part
def _digits_end(source: UInt8s, at: int, end: int) -> int:
    while at < end and _ZERO <= byte_at(source, at) <= _NINE:
        at += 1
    return at


@rare_part
def _number_end(source: UInt8s, at: int, end: int) -> int:
    """Where a number ends; -1 if it is none."""
    if at < end and byte_at(source, at) == _MINUS:
        at += 1
    stop = _digits_end(source, at, end)
    if stop == at or (stop > at + 1 and byte_at(source, at) == _ZERO):
        return -1
    at = stop
    if at < end and byte_at(source, at) == _POINT:
        stop = _digits_end(source, at + 1, end)
        if stop == at + 1:
            return -1
        at = stop
    if at < end and byte_at(source, at) | 0x20 == 0x65:
        at += 1
        if at < end and byte_at(source, at) in (_PLUS, _MINUS):
            at += 1
        stop = _digits_end(source, at, end)
        if stop == at:
            return -1
        at = stop
    return at


@rare_part
def _number(cells: Cells, source: UInt8s, begin: int, end: int, node: int, is_integer: bool) -> int:
    """Read a number; returns where it ends."""
    at = begin
    is_negative = byte_at(source, at) == _MINUS
    if is_negative:
        at += 1
    start = at
    mantissa, digits = 0, 0
    while at < end and _ZERO <= byte_at(source, at) <= _NINE:
        if digits < _MOST_DIGITS:
            mantissa = mantissa * 10 + byte_at(source, at) - _ZERO
        digits += mantissa > 0
        at += 1
    if at == start or (at > start + 1 and byte_at(source, start) == _ZERO):
        return _REFUSED
    exponent = 0
    is_plain = True
    if at < end and byte_at(source, at) == _POINT:
        is_plain = False
        start = at + 1
        at = start
        while at < end and _ZERO <= byte_at(source, at) <= _NINE:
            if digits < _MOST_DIGITS:
                mantissa = mantissa * 10 + byte_at(source, at) - _ZERO
            digits += mantissa > 0
            at += 1
        if at == start:
            return _REFUSED
        exponent = start - at
    if at < end and byte_at(source, at) | 0x20 == 0x65:
        is_plain = False
        at += 1
        is_below = at < end and byte_at(source, at) == _MINUS
        if at < end and byte_at(source, at) in (_PLUS, _MINUS):
            at += 1
        start = at
        power = 0
        while at < end and _ZERO <= byte_at(source, at) <= _NINE:
            power = min(power * 10 + byte_at(source, at) - _ZERO, 1_000_000)
            at += 1
        if at == start:
            return _REFUSED
        exponent += -power if is_below else power
    if is_integer:
        if not is_plain or digits > _MOST_DIGITS + 1:
            return _REFUSED
        if digits > _MOST_DIGITS:
            last = byte_at(source, at - 1) - _ZERO
            if mantissa > _HIGHEST or (mantissa == _HIGHEST and last > 7 + is_negative):
                return _REFUSED
            # Below 0 there is one number more.
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
        return _REFUSED
    return at if _add(cells, node, begin << 32 | (at - begin) << 1, TO_READ) else _NO_ROOM


@rare_part
def _end_of(source: UInt8s, at: int, end: int) -> int:
    """Where any value ends; -1 if it is not sound, or nested too deeply."""
    objects, depth = 0, 0
    while True:
        at = _skip(source, at, end)
        if at >= end:
            return -1
        byte = byte_at(source, at)
        if byte in (_OPEN, _OPEN_ARRAY):
            is_object = byte == _OPEN
            at = _skip(source, at + 1, end)
            if at >= end:
                return -1
            if byte_at(source, at) != (_CLOSE if is_object else _CLOSE_ARRAY):
                if depth == _MOST_DEPTH:
                    return -1
                depth += 1
                objects = objects << 1 | is_object
                if is_object:
                    at, _ = _name(source, at, end)
                    if at < 0:
                        return -1
                continue
            at += 1
        elif byte == _QUOTE:
            at, _ = _string_end(source, at + 1, end)
        elif byte == _T:
            at = at + 4 if at + 4 <= end and _is(source, at, 0x74, 0x72, 0x75, 0x65) else -1
        elif byte == _F:
            at = at + 5 if at + 5 <= end and _is(source, at + 1, 0x61, 0x6C, 0x73, 0x65) else -1
        elif byte == _N:
            at = at + 4 if _is_null(source, at, end) else -1
        else:
            at = _number_end(source, at, end)
        if at < 0:
            return -1
        while True:
            if depth == 0:
                return at
            at = _skip(source, at, end)
            if at >= end:
                return -1
            byte, is_object = byte_at(source, at), objects & 1 == 1
            if byte == _COMMA:
                at = _skip(source, at + 1, end)
                if is_object:
                    at, _ = _name(source, at, end)
                    if at < 0:
                        return -1
                break
            if byte != (_CLOSE if is_object else _CLOSE_ARRAY):
                return -1
            objects >>= 1
            depth -= 1
            at += 1


@kernel
def copy_texts(source: UInt8s, spans: Int64s, valid: UInt8s, offsets: npt.NDArray[np.int32], target: UInt8s) -> int:
    """Copy texts side by side, without their escapes.

    Args:
        source: holds the texts.
        spans: of the texts.
        valid: which cells have any.
        offsets: is written: where each text begins, and the end of the last.
        target: is written.

    Returns:
        The bytes that were written.
    """
    to = 0
    for row in range(spans.size):
        put(offsets, row, to)
        if valid[np.uint64(row)] == NULL:
            continue
        span = spans[np.uint64(row)]
        begin, size = span >> 32, (span & 0xFFFFFFFF) >> 1
        if span & ESCAPED:
            to = _unescaped(source, begin, size, target, to)
        elif size > 0:
            copy_exact(target, to, source, begin, size)
            to += size
    put(offsets, spans.size, to)
    return to


@rare_part
def _unescaped(source: UInt8s, at: int, size: int, target: UInt8s, to: int) -> int:
    """Copy a sound text without its escapes; returns where it ends."""
    end = at + size
    while at < end:
        byte = byte_at(source, at)
        if byte != _BACKSLASH:
            put(target, to, np.uint8(byte))
            at, to = at + 1, to + 1
            continue
        byte = byte_at(source, at + 1)
        if byte != _U:
            if byte == 0x62:
                byte = 0x08
            elif byte == 0x66:
                byte = 0x0C
            elif byte == 0x6E:
                byte = 0x0A
            elif byte == 0x72:
                byte = 0x0D
            elif byte == 0x74:
                byte = 0x09
            put(target, to, np.uint8(byte))
            at, to = at + 2, to + 1
            continue
        code = _unit(source, at + 2, end)
        at += 6
        if code >= 0xD800 and code < 0xDC00:
            code = 0x10000 + ((code - 0xD800) << 10) + _unit(source, at + 2, end) - 0xDC00
            at += 6
        if code < 0x80:
            put(target, to, np.uint8(code))
            to += 1
        elif code < 0x800:
            put(target, to, np.uint8(0xC0 | code >> 6))
            put(target, to + 1, np.uint8(0x80 | code & 0x3F))
            to += 2
        elif code < 0x10000:
            put(target, to, np.uint8(0xE0 | code >> 12))
            put(target, to + 1, np.uint8(0x80 | code >> 6 & 0x3F))
            put(target, to + 2, np.uint8(0x80 | code & 0x3F))
            to += 3
        else:
            put(target, to, np.uint8(0xF0 | code >> 18))
            put(target, to + 1, np.uint8(0x80 | code >> 12 & 0x3F))
            put(target, to + 2, np.uint8(0x80 | code >> 6 & 0x3F))
            put(target, to + 3, np.uint8(0x80 | code & 0x3F))
            to += 4
    return to
