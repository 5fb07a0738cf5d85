"""Decompresses batches side by side in one call of a kernel, by the C function of each codec.

It accepts the same data as the codecs' `decompress_ordinary`, under the same bounds and checks. All other data, broken
or only unusual, is left to `codec.compression`, which accepts or refuses it.

No wheel required by kafkafmt exports a C function for snappy, so its blocks are decompressed here
(https://github.com/google/snappy/blob/main/format_description.txt): the size in a varint, then literals, and copies of
earlier output. Most of these are short, so up to 64 bytes are copied at once. An overrun is noticed at the end, as
`SLACK` bytes follow both input and output.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from kafkafmt.codec.compression import Compression, gzip, lz4, snappy, zstd
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.headers import Headers, Mask, Positions, UInt8s
from kafkafmt.columnar.kernels.access import (
    byte_at,
    copy,
    copy_8,
    copy_16,
    int32_at,
    little_endian_uint32,
    little_endian_uint64,
    put,
)
from kafkafmt.columnar.kernels.compiling import address, instructions, kernel, part, rare_part
from kafkafmt.columnar.kernels.crc import crc32, crc32c
from kafkafmt.columnar.libraries import AVAIL_IN, AVAIL_OUT, HALF, NEXT_IN, NEXT_OUT, Libraries
from kafkafmt.columnar.payloads import FEW
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, RECORD_BATCH_OVERHEAD, crc_span
from kafkafmt.reference.record_batch import SMALLEST_RECORD

# Codecs without a function here are also left to `codec.compression`.
_NONE, _GZIP, _SNAPPY = Compression.NONE.value, Compression.GZIP.value, Compression.SNAPPY.value
_LZ4, _ZSTD = Compression.LZ4.value, Compression.ZSTD.value
_CRC_INPUT = crc_span(CURRENT_MAGIC)[1]
_LZ4_MAGIC, _LZ4_FLAGS, _CONTENT_CHECKSUM = lz4.MAGIC, lz4.ORDINARY_FLAGS, lz4.CONTENT_CHECKSUM
# Sizes of the header before the first block (magic, FLG, BD, HC), and of a content checksum after the last one.
_LZ4_HEADER, _CHECKSUM_SIZE = 7, 4
_SIZE, _UNCOMPRESSED, _LENGTH = 4, 0x80000000, 0x7FFFFFFF
# HC of each ordinary header, by the presence of a content checksum, and by the block size.
_HEADER_CHECKSUMS = np.array([known[0] for known in lz4.ORDINARY_HEADERS.values()], np.uint8)
# Magic, an empty descriptor, and the window; then blocks, each preceded by three bytes.
_ZSTD_MAGIC, _ZSTD_HEADER, _BLOCK_HEADER, _MAX_BLOCK = zstd.MAGIC, 6, 3, zstd.MAX_BLOCK
_RLE, _COMPRESSED = zstd.RLE, zstd.COMPRESSED
# Kinds of elements of snappy; most bytes of the size in front; limit of the compression ratio.
_LITERAL, _NEAR = 0, 1
_SIZE_BYTES, _MAX_RATIO = 4, snappy.MAX_RATIO
# Snappy's tag has the length of a literal up to 60 bytes; for longer ones, the number of bytes of the length.
_SHORT_LITERAL = 60
# Of the type that the reader returns, or kernels would compare both as floating-point numbers.
_XERIAL = np.uint64(int.from_bytes(snappy.MAGIC, "little"))
# A magic of eight bytes and two versions of four.
_XERIAL_HEADER = 16
# ID1, ID2, CM and no FLG, the lowest byte first; then time and system, of any content.
_GZIP_START, _GZIP_HEADER, _GZIP_TRAILER = gzip.MAGIC | gzip.DEFLATE << 16, 10, 8


@instructions
def place(_: Any, array: Any, _at: Any, _size: Any) -> Any:
    """The address of an index of an array, for a C function that accesses `size` elements, at least one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = address(context, builder, signature.args[0], *arguments)
        return builder.ptrtoint(pointer, ir.IntType(64))

    return types.int64(array, types.int64, types.int64), generate


def _caller(result: Any, *parameters: Any) -> Any:
    """Make a function for kernels that calls a C function by its address, with all numbers as int64."""

    @instructions
    def call(_: Any, _function: Any, _arguments: Any) -> Any:
        def generate(_: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            function, packed = arguments
            kind = ir.FunctionType(result, parameters)
            numbers = [builder.extract_value(packed, index) for index in range(len(parameters))]
            cast = [
                builder.trunc(number, parameter) if parameter.width < number.type.width else number
                for number, parameter in zip(numbers, parameters, strict=True)
            ]
            returned = builder.call(builder.inttoptr(function, kind.as_pointer()), cast)
            return builder.sext(returned, ir.IntType(64)) if result.width < 64 else returned

        return types.int64(types.int64, types.UniTuple(types.int64, len(parameters))), generate

    return call


_INT, _LONG = ir.IntType(32), ir.IntType(64)

call_lz4 = _caller(_INT, _LONG, _LONG, _INT, _INT)
"""Call `Libraries.lz4` with (source, target, size, room); returns the decompressed size, negative if broken."""

call_zstd = _caller(_LONG, _LONG, _LONG, _LONG, _LONG, _LONG)
"""Call `Libraries.zstd` with (context, target, room, source, size); returns the same as `call_lz4`."""

call_inflate = _caller(_INT, _LONG)
"""Call `Libraries.inflate` with (state,); returns 0 if a whole stream was inflated."""


@kernel
def unpack(
    libraries: Libraries,
    source: UInt8s,
    starts: Positions,
    ends: Positions,
    headers: Headers,
    chosen: Mask,
    checked: Mask,
    bounds: tuple[int, int, int, int, int, int],
    target: UInt8s,
    numbers: Positions,
    edges: Positions,
) -> tuple[int, int]:
    """Decompress batches side by side, up to one that is broken or not ordinary, or until there are enough bytes.

    Args:
        libraries: the functions that decompress.
        source: bytes of a stretch of a file.
        starts: start of each batch in `source`.
        ends: end of each batch, after its header and within `source`.
        headers: headers of the batches.
        chosen: batches to decompress; the others are skipped.
        checked: batches whose CRCs are checked.
        bounds: number of bytes that is enough; then upper bounds: bytes of a batch, bytes of one with few records,
            average bytes per record in one with more, and records of a batch; then the exclusive upper bound of the
            logarithm of a zstd window.
        target: output, including `SLACK` bytes after it.
        numbers: number of each decompressed batch; is written.
        edges: end of each decompressed batch in `target`, after a leading 0; is written.

    Returns:
        Number of batches visited, and number of batches decompressed.
    """
    enough, most_bytes, most_of_few, large_record, most_records, window_log = bounds
    count = used = last = 0
    for number in range(starts.size):
        header = headers[number]
        if checked[number] and crc32c(source, starts[number] + _CRC_INPUT, ends[number]) != header.crc:
            return number, count
        if chosen[number]:
            records = np.int64(header.num_records)
            if records > most_records:
                return number, count
            codec = header.attributes & COMPRESSION
            at, end = starts[number] + RECORD_BATCH_OVERHEAD, ends[number]
            room = min(target.size - SLACK - used, most_bytes)
            last = -1
            if codec == _ZSTD:
                last = _unpack_zstd(libraries, source, at, end, target, used, room, window_log)
            elif codec == _LZ4:
                last = _unpack_lz4(libraries, source, at, end, target, used, room)
            elif codec == _GZIP:
                last = _unpack_gzip(libraries, source, at, end, target, used, room)
            elif codec == _SNAPPY:
                last = _unpack_snappy(source, at, end, target, used, room)
            elif codec == _NONE and end - at <= room and source.size - end >= SLACK:
                last = end - at
                copy(target, used, source, at, last)
            if last < 0 or records > last // SMALLEST_RECORD or (last > most_of_few and last > records * large_record):
                return number, count
            used += last
            numbers[count] = number
            count += 1
            edges[count] = used
        if used + last > enough:
            # A small remainder, by stored sizes, is decompressed too, rather than becoming a tiny record batch.
            done, left = ends[number] - starts[0], ends[starts.size - 1] - ends[number]
            if used > enough + enough // FEW or left * used > done * (enough // FEW):
                return number + 1, count
    return starts.size, count


@rare_part
def _unpack_lz4(libraries: Libraries, source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int) -> int:
    """Decompress one frame of independent blocks without checksums, as `lz4.decompress_ordinary` does.

    Args:
        libraries: the functions that decompress.
        source: array with the stored bytes.
        at: start of the frame in `source`.
        end: end of the stored bytes.
        target: output.
        used: position in `target` at which to write.
        most: maximal decompressed size in bytes.

    Returns:
        The decompressed size; -1 if the frame is broken or not ordinary, or exceeds `most`.
    """
    if libraries.lz4 == 0 or end - at < _LZ4_HEADER + _SIZE or little_endian_uint32(source, at) != _LZ4_MAGIC:
        return -1
    flags, descriptor = byte_at(source, at + 4), byte_at(source, at + 5)
    if flags | _CONTENT_CHECKSUM != _LZ4_FLAGS | _CONTENT_CHECKSUM or descriptor & 0x8F or descriptor < 0x40:
        return -1
    has_checksum = flags != _LZ4_FLAGS
    block_size = descriptor >> 4
    if byte_at(source, at + 6) != _HEADER_CHECKSUMS[4 * has_checksum + block_size - 4]:
        return -1
    max_block = 1 << (8 + 2 * block_size)
    size = little_endian_uint32(source, at + _LZ4_HEADER)
    at += _LZ4_HEADER + _SIZE
    written = 0
    while size != 0:
        length = size & _LENGTH
        room = min(most - written, max_block)
        if length == 0 or length > max_block or end - at < length + _SIZE or room <= 0:
            return -1
        if size < _UNCOMPRESSED:
            begin, out = place(source, at, length), place(target, used + written, room)
            part = call_lz4(libraries.lz4, (begin, out, length, room))
            if part <= 0 or part > room:
                return -1
        else:
            part = length
            if part > room or source.size - at - part < SLACK:
                return -1
            copy(target, used + written, source, at, part)
        written += part
        size = little_endian_uint32(source, at + length)
        at += length + _SIZE
    if end - at < (_CHECKSUM_SIZE if has_checksum else 0):
        return -1
    return written


@rare_part
def _unpack_zstd(
    libraries: Libraries, source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int, window_log: int
) -> int:
    """Decompress one frame without content size and checksum, as `zstd.decompress_ordinary` does; see `_unpack_lz4`."""
    if libraries.zstd == 0 or end - at < _ZSTD_HEADER + _BLOCK_HEADER:
        return -1
    log = 10 + (byte_at(source, at + 5) >> 3)
    if little_endian_uint32(source, at) != _ZSTD_MAGIC or byte_at(source, at + 4) != 0 or log >= window_log:
        return -1
    block = at + _ZSTD_HEADER
    bound = is_last = 0
    while not is_last:
        if end - block < _BLOCK_HEADER:
            return -1
        header = byte_at(source, block) | byte_at(source, block + 1) << 8 | byte_at(source, block + 2) << 16
        is_last, kind, size = header & 1, header >> 1 & 3, header >> 3
        block += _BLOCK_HEADER + (1 if kind == _RLE else size)
        bound += _MAX_BLOCK if kind == _COMPRESSED else min(size, _MAX_BLOCK)
    room = min(bound, most)
    if block != end or room <= 0:
        return -1
    context = place(libraries.zstd_context, 0, libraries.zstd_context.size)
    begin, out = place(source, at, end - at), place(target, used, room)
    written = call_zstd(libraries.zstd, (context, out, room, begin, end - at))
    # In one call, the library finds a block's references at any distance; in a stream, only within the window.
    return written if 0 <= written <= min(room, 1 << log) else -1


@rare_part
def _unpack_gzip(libraries: Libraries, source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int) -> int:
    """Inflate one member without optional fields, as `gzip.decompress_ordinary` does; see `_unpack_lz4`."""
    stored = end - at - _GZIP_HEADER - _GZIP_TRAILER
    if libraries.inflate == 0 or stored <= 0 or little_endian_uint32(source, at) != _GZIP_START:
        return -1
    size = little_endian_uint32(source, end - 4)
    if size == 0 or size > most:
        return -1
    state = libraries.inflate_state
    state[NEXT_OUT], state[AVAIL_OUT] = place(target, used, size), size
    state[NEXT_IN], state[AVAIL_IN] = place(source, at + _GZIP_HEADER, stored), stored
    if call_inflate(libraries.inflate, (place(state, 0, state.size),)) != 0:
        return -1
    if state[AVAIL_OUT] & HALF != 0 or state[AVAIL_IN] & HALF != 0:
        return -1
    checksum = little_endian_uint32(source, end - _GZIP_TRAILER)
    return size if crc32(target, used, used + size) == checksum else -1


@rare_part
def _unpack_snappy(source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int) -> int:
    """Decompress a raw block, or xerial chunks after one header, as `snappy.decompress_ordinary` does."""
    if end - at < _XERIAL_HEADER:
        return -1
    if little_endian_uint64(source, at) != _XERIAL:
        return _unsnap(source, at, end, target, used, most)
    at += _XERIAL_HEADER
    written = 0
    while at < end:
        length = int32_at(source, at) if end - at >= _SIZE else 0
        at += _SIZE
        if length <= 0 or length > end - at:
            return -1
        part = _unsnap(source, at, at + length, target, used + written, most - written)
        if part < 0:
            return -1
        written += part
        at += length
    return written


@rare_part
def _unsnap(source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int) -> int:
    """Decompress a snappy block.

    Args:
        source: array with the stored bytes, and `SLACK` more.
        at: start of the block in `source`.
        end: end of the block.
        target: output, with `SLACK` bytes after the part to write.
        used: position in `target` at which to write.
        most: maximal decompressed size in bytes.

    Returns:
        The decompressed size; -1 if the block is broken, or exceeds `most`.
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
        # Without branches, as processors cannot predict which of the three kinds is next: 1, 2 or 4 bytes of distance,
        # with three more bits in the tag of the first kind.
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
    """Repeat `length` bytes from less than 16 bytes back, and up to 15 more."""
    step = distance
    done = 0
    if distance < 8:
        # Repeat byte by byte, until copies of eight bytes at once do not overlap.
        while step < 8:
            step += distance
        while done < step and done < length:
            put(target, to + done, byte_at(target, to + done - distance))
            done += 1
    while done < length:
        copy_8(target, to + done, target, to + done - step)
        done += 8
