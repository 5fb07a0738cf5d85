"""Blocks of snappy, decompressed by a kernel: no wheel that kafkafmt requires exports a C function for them.

The format is that of https://github.com/google/snappy/blob/main/format_description.txt: the size in a varint, then
literals, and copies of what was written before. Most are short: so up to 64 bytes are copied at once, and whether that
was too many shows at the end, as `SLACK` bytes follow both what is read and what is written.
"""

import numpy as np

from kafkafmt.codec.compression import snappy
from kafkafmt.columnar.compiling import part, rare_part
from kafkafmt.columnar.copying import SLACK, UInt8s, byte_at, copy, copy_8, copy_16, put
from kafkafmt.columnar.fixed_width import little_endian_uint32

_LITERAL, _NEAR = 0, 1
# A size takes so many bytes at most.
_SIZE_BYTES, _MAX_RATIO = 4, snappy.MAX_RATIO
_SHORT_LITERAL = 60


@rare_part
def unsnap(source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int) -> int:
    """Decompress a block.

    Args:
        source: where it is stored, and `SLACK` bytes more.
        at: where it begins there.
        end: where it ends.
        target: where to, with `SLACK` bytes behind what may be written.
        used: where in `target` it is written.
        most: how many bytes it may hold.

    Returns:
        How many bytes it holds; -1 if it is broken, or holds more.
    """
    if end - at <= 0 or source.size - end < SLACK or target.size - used - most < SLACK:
        return -1
    stored = end - at
    size = shift = 0
    while True:
        byte = byte_at(source, at)
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
        if at == end or shift == 7 * _SIZE_BYTES:
            return -1
    if size > most or size > _MAX_RATIO * stored:
        return -1
    to, stop = used, used + size
    while at < end and to < stop:
        tag = byte_at(source, at)
        kind, length = tag & 3, (tag >> 2) + 1
        if kind == _LITERAL:
            at += 1
            if length > _SHORT_LITERAL:
                extra = length - _SHORT_LITERAL
                if extra > end - at:
                    return -1
                length = (little_endian_uint32(source, at) & ((1 << 8 * extra) - 1)) + 1
                at += extra
                if length > end - at or length > stop - to:
                    return -1
                copy(target, to, source, at, length)
            else:
                copy_16(target, to, source, at)
                if length > 16:
                    copy_16(target, to + 16, source, at + 16)
                    copy_16(target, to + 32, source, at + 32)
                    copy_16(target, to + 48, source, at + 48)
            at += length
            to += length
            continue
        # Without branches, as no processor guesses which of the three kinds is next: 1, 2 or 4 bytes of distance, and
        # three bits more in the tag of the first kind.
        is_near: int = np.int64(kind == _NEAR)  # type: ignore[assignment]
        extra = (1 << kind) >> 1
        distance = little_endian_uint32(source, at + 1) & ((1 << 8 * extra) - 1) | ((tag & 0xE0) << 3) * is_near
        length = length * (1 - is_near) + ((tag >> 2 & 7) + 4) * is_near
        at += 1 + extra
        begin = to - distance
        if distance == 0 or begin < used:
            return -1
        if distance >= 16:
            copy_16(target, to, target, begin)
            if length > 16:
                copy_16(target, to + 16, target, begin + 16)
                copy_16(target, to + 32, target, begin + 32)
                copy_16(target, to + 48, target, begin + 48)
        else:
            _repeat(target, to, distance, length)
        to += length
    return size if at == end and to == stop else -1


@part
def _repeat(target: UInt8s, to: int, distance: int, length: int) -> None:
    """Write again what stands less than 16 bytes in front, `length` bytes of it, and up to 15 more."""
    step = distance
    done = 0
    if distance < 8:
        # Some repetitions byte by byte, up to where eight bytes that are copied at once do not overlap.
        while step < 8:
            step += distance
        while done < step and done < length:
            put(target, to + done, byte_at(target, to + done - distance))
            done += 1
    while done < length:
        copy_8(target, to + done, target, to + done - step)
        done += 8
