"""JSON tokens in kernels: finds the ends of values, names and strings, and removes escapes, without regard to types."""

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.json_program import ESCAPED, NULL
from kafkafmt.columnar.kernels.access import byte_at, copy_exact, little_endian_uint64, put
from kafkafmt.columnar.kernels.compiling import kernel, part, rare_part
from kafkafmt.columnar.kernels.value_reading import character_size

QUOTE, COMMA, COLON = 0x22, 0x2C, 0x3A
OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY = 0x7B, 0x7D, 0x5B, 0x5D
ZERO, NINE, MINUS, PLUS, POINT, N, T, F = 0x30, 0x39, 0x2D, 0x2B, 0x2E, 0x6E, 0x74, 0x66
"""Bytes of JSON."""

_BACKSLASH, _U = 0x5C, 0x75
_MOST_DEPTH = 60
"""Maximal nesting in values without a column: one bit of an int64 per level says whether it is an object."""

_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_QUOTES = np.uint64(0x2222222222222222)
_BACKSLASHES = np.uint64(0x5C5C5C5C5C5C5C5C)
_SPACES = np.uint64(0x2020202020202020)


@part
def skip_space(source: UInt8s, at: int, end: int) -> int:
    """Position of the first byte that is not white space."""
    while at < end:
        byte = byte_at(source, at)
        if byte > 0x20 or (byte != 0x20 and byte != 0x0A and byte != 0x0D and byte != 0x09):  # noqa: PLR1714 - faster
            break
        at += 1
    return at


@part
def is_word(source: UInt8s, at: int, first: int, second: int, third: int, fourth: int) -> bool:
    """Whether four bytes equal the given ones."""
    return (
        byte_at(source, at) == first
        and byte_at(source, at + 1) == second
        and byte_at(source, at + 2) == third
        and byte_at(source, at + 3) == fourth
    )


@part
def is_null(source: UInt8s, at: int, end: int) -> bool:
    """Whether a null begins here."""
    return at + 4 <= end and is_word(source, at, 0x6E, 0x75, 0x6C, 0x6C)


@part
def member_name(source: UInt8s, at: int, end: int) -> tuple[int, int]:
    """Skip a name and its colon; return the start of the value (-1: not plain), and the size of the name."""
    if at >= end or byte_at(source, at) != QUOTE:
        return -1, 0
    stop, escaped = string_end(source, at + 1, end)
    if stop < 0 or escaped != 0:
        return -1, 0
    size = stop - at - 2
    at = skip_space(source, stop, end)
    if at >= end or byte_at(source, at) != COLON:
        return -1, 0
    return skip_space(source, at + 1, end), size


@part
def string_end(source: UInt8s, at: int, end: int) -> tuple[int, int]:
    """End of a string, after its quote, and whether it has escapes; -1 if it is invalid."""
    escaped = 0
    while at < end:
        while at + 8 <= end:
            word = little_endian_uint64(source, at)
            # Eight bytes at a time: `(x - ones) & ~x` sets the high bit of a byte that is 0, or in the last case also
            # below a space.
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
        if byte == QUOTE:
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
            size = character_size(source, at, end)
            if size == 0:
                return -1, 0
            at += size
    return -1, 0


@rare_part
def _escape(source: UInt8s, at: int, end: int) -> int:
    """Size of an escape, or of both halves of a surrogate pair; 0 if it is invalid."""
    if at + 1 >= end:
        return 0
    byte = byte_at(source, at + 1)
    if byte != _U:
        return 2 if byte in (QUOTE, _BACKSLASH, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74) else 0
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
    """The number given by four hexadecimal digits; -1 if they are not hexadecimal."""
    if at + 4 > end:
        return -1
    number = 0
    for index in range(4):
        byte = byte_at(source, at + index)
        if ZERO <= byte <= NINE:
            digit = byte - ZERO
        elif 0x61 <= byte <= 0x66:
            digit = byte - 0x57
        elif 0x41 <= byte <= 0x46:
            digit = byte - 0x37
        else:
            return -1
        number = number << 4 | digit
    return number


@part
def _digits_end(source: UInt8s, at: int, end: int) -> int:
    while at < end and ZERO <= byte_at(source, at) <= NINE:
        at += 1
    return at


@rare_part
def _number_end(source: UInt8s, at: int, end: int) -> int:
    """End of a number; -1 if it is not a JSON number."""
    if at < end and byte_at(source, at) == MINUS:
        at += 1
    stop = _digits_end(source, at, end)
    if stop == at or (stop > at + 1 and byte_at(source, at) == ZERO):
        return -1
    at = stop
    if at < end and byte_at(source, at) == POINT:
        stop = _digits_end(source, at + 1, end)
        if stop == at + 1:
            return -1
        at = stop
    if at < end and byte_at(source, at) | 0x20 == 0x65:
        at += 1
        if at < end and byte_at(source, at) in (PLUS, MINUS):
            at += 1
        stop = _digits_end(source, at, end)
        if stop == at:
            return -1
        at = stop
    return at


@rare_part
def value_end(source: UInt8s, at: int, end: int) -> int:
    """End of any value; -1 if it is invalid, or nested too deeply."""
    objects, depth = 0, 0
    while True:
        at = skip_space(source, at, end)
        if at >= end:
            return -1
        byte = byte_at(source, at)
        if byte in (OPEN, OPEN_ARRAY):
            is_object = byte == OPEN
            at = skip_space(source, at + 1, end)
            if at >= end:
                return -1
            if byte_at(source, at) != (CLOSE if is_object else CLOSE_ARRAY):
                if depth == _MOST_DEPTH:
                    return -1
                depth += 1
                objects = objects << 1 | is_object
                if is_object:
                    at, _ = member_name(source, at, end)
                    if at < 0:
                        return -1
                continue
            at += 1
        elif byte == QUOTE:
            at, _ = string_end(source, at + 1, end)
        elif byte == T:
            at = at + 4 if at + 4 <= end and is_word(source, at, 0x74, 0x72, 0x75, 0x65) else -1
        elif byte == F:
            at = at + 5 if at + 5 <= end and is_word(source, at + 1, 0x61, 0x6C, 0x73, 0x65) else -1
        elif byte == N:
            at = at + 4 if is_null(source, at, end) else -1
        else:
            at = _number_end(source, at, end)
        if at < 0:
            return -1
        while True:
            if depth == 0:
                return at
            at = skip_space(source, at, end)
            if at >= end:
                return -1
            byte, is_object = byte_at(source, at), objects & 1 == 1
            if byte == COMMA:
                at = skip_space(source, at + 1, end)
                if is_object:
                    at, _ = member_name(source, at, end)
                    if at < 0:
                        return -1
                break
            if byte != (CLOSE if is_object else CLOSE_ARRAY):
                return -1
            objects >>= 1
            depth -= 1
            at += 1


@kernel
def copy_texts(source: UInt8s, spans: Int64s, valid: UInt8s, offsets: npt.NDArray[np.int32], target: UInt8s) -> int:
    """Copy texts side by side, without their escapes.

    Args:
        source: bytes of the texts.
        spans: spans of the texts.
        valid: cells that have a text.
        offsets: start of each text, and the end of the last; is written.
        target: output; is written.

    Returns:
        Number of bytes written.
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
    """Copy a sound text without its escapes; return where it ends."""
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
