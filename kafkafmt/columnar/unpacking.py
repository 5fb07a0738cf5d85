"""Batches of ordinary LZ4 frames, decompressed one after the other by one call of a kernel.

The kernel calls liblz4 by the address that the `lz4` wheel exports; where it exports none, as on Windows, Python goes
from batch to batch instead. Whatever is not ordinary is left to `codec.compression`, which takes or refuses it.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from kafkafmt.codec.compression import Compression, lz4
from kafkafmt.columnar.compiling import address, instructions, kernel, rare_part
from kafkafmt.columnar.copying import SLACK, UInt8s, byte_at, copy
from kafkafmt.columnar.crc import crc32c
from kafkafmt.columnar.fixed_width import little_endian_uint32
from kafkafmt.columnar.headers import COMPRESSION, Headers, Mask, Positions
from kafkafmt.reference.layout import CURRENT_MAGIC, RECORD_BATCH_OVERHEAD, crc_span
from kafkafmt.reference.record_batch import SMALLEST_RECORD

_LZ4 = Compression.LZ4.value
_CRC_INPUT = crc_span(CURRENT_MAGIC)[1]
_MAGIC, _FLAGS, _CONTENT_CHECKSUM = lz4.MAGIC, lz4.ORDINARY_FLAGS, lz4.CONTENT_CHECKSUM
# Bytes up to the first block: magic, FLG, BD, HC; and behind the last one, of a content checksum.
_HEADER_SIZE, _CHECKSUM_SIZE = 7, 4
_SIZE, _UNCOMPRESSED, _LENGTH = 4, 0x80000000, 0x7FFFFFFF
# HC of each ordinary header, by whether there is a content checksum, and by the block size.
_HEADER_CHECKSUMS = np.array([known[0] for known in lz4.ORDINARY_HEADERS.values()], np.uint8)


def _function() -> int:
    """Find liblz4's `LZ4_decompress_safe`; 0 if it is not exported, or does not do what it should."""
    try:
        from lz4.block import _block  # noqa: PLC0415 (a private module, which may not be there)

        function = ctypes.CDLL(_block.__file__).LZ4_decompress_safe
        function.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int)
        function.restype = ctypes.c_int
        # A block of five bytes, with room for them and without: a private module may export another function.
        block, target = b"\x50hello", ctypes.create_string_buffer(5)
        if function(block, target, 6, 5) != 5 or target.raw != b"hello" or function(block, target, 6, 4) >= 0:
            return 0
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    except (ImportError, AttributeError, OSError):
        return 0


LZ4_FUNCTION = _function()
"""Address of liblz4's function; 0 if there is none."""


@kernel
def unpack(
    function: int,
    source: UInt8s,
    starts: Positions,
    ends: Positions,
    headers: Headers,
    chosen: Mask,
    checked: Mask,
    bounds: tuple[int, int, int, int, int],
    target: UInt8s,
    numbers: Positions,
    edges: Positions,
) -> tuple[int, int]:
    """Decompress batches side by side, up to one that is broken or not ordinary, or until there are enough bytes.

    Args:
        function: `LZ4_FUNCTION`.
        source: bytes of a stretch of a file.
        starts: where in `source` each batch begins.
        ends: where each ends, behind its header and not beyond `source`.
        headers: their headers.
        chosen: which of them to decompress; the others are passed over.
        checked: of which the CRC is compared.
        bounds: how many bytes are enough; and at most: bytes of a batch, of one of few records, of a record on average
            where there are more, and records of a batch.
        target: where to, `SLACK` bytes behind them included.
        numbers: number of each batch that is decompressed; is written.
        edges: where in `target` each ends, behind the 0 that stands first; is written.

    Returns:
        How many batches were visited, and how many of them decompressed.
    """
    enough, most_bytes, most_of_few, large_record, most_records = bounds
    count = used = last = 0
    for number in range(starts.size):
        header = headers[number]
        if checked[number] and crc32c(source, starts[number] + _CRC_INPUT, ends[number]) != header.crc:
            return number, count
        if chosen[number]:
            records = np.int64(header.num_records)
            if header.attributes & COMPRESSION != _LZ4 or records > most_records:
                return number, count
            last = _unpack_frame(
                function, source, starts[number] + RECORD_BATCH_OVERHEAD, ends[number], target, used, most_bytes
            )
            if last < 0 or records > last // SMALLEST_RECORD or (last > most_of_few and last > records * large_record):
                return number, count
            used += last
            numbers[count] = number
            count += 1
            edges[count] = used
        if used + last > enough:
            return number + 1, count
    return starts.size, count


@rare_part
def _unpack_frame(function: int, source: UInt8s, at: int, end: int, target: UInt8s, used: int, most: int) -> int:
    """Decompress one frame of independent blocks without checksums, as `lz4.decompress_ordinary` does.

    Returns:
        How many bytes it holds; -1 if it is broken or not ordinary, or there is no room.
    """
    if end - at < _HEADER_SIZE + _SIZE or little_endian_uint32(source, at) != _MAGIC:
        return -1
    flags, descriptor = byte_at(source, at + 4), byte_at(source, at + 5)
    if flags | _CONTENT_CHECKSUM != _FLAGS | _CONTENT_CHECKSUM or descriptor & 0x8F or descriptor < 0x40:
        return -1
    has_checksum = flags != _FLAGS
    block_size = descriptor >> 4
    if byte_at(source, at + 6) != _HEADER_CHECKSUMS[4 * has_checksum + block_size - 4]:
        return -1
    max_block = 1 << (8 + 2 * block_size)
    size = little_endian_uint32(source, at + _HEADER_SIZE)
    at += _HEADER_SIZE + _SIZE
    written = 0
    while size != 0:
        length = size & _LENGTH
        room = min(target.size - SLACK - used - written, max_block)
        if length == 0 or length > max_block or end - at < length + _SIZE or room <= 0:
            return -1
        if size < _UNCOMPRESSED:
            part = _unpack_block(function, source, at, length, target, used + written, room)
            if part <= 0 or part > room:
                return -1
        else:
            part = length
            if part > room or source.size - at - part < SLACK:
                return -1
            copy(target, used + written, source, at, part)
        written += part
        if written > most:
            return -1
        size = little_endian_uint32(source, at + length)
        at += length + _SIZE
    if end - at < (_CHECKSUM_SIZE if has_checksum else 0):
        return -1
    return written


@instructions
def _unpack_block(_: Any, _function: Any, source: Any, _at: Any, _size: Any, target: Any, _to: Any, _room: Any) -> Any:
    """Call liblz4 for a block; it reads and writes no more than the sizes say, both at least 1, and fails below 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function, source, at, size, target, to, room = arguments
        begin = address(context, builder, signature.args[1], source, at, size)
        out = address(context, builder, signature.args[4], target, to, room)
        integer = ir.IntType(32)
        kind = ir.FunctionType(integer, [begin.type, out.type, integer, integer])
        call = builder.inttoptr(function, kind.as_pointer())
        sizes = [builder.trunc(number, integer) for number in (size, room)]
        return builder.sext(builder.call(call, [begin, out, *sizes]), ir.IntType(64))

    return types.int64(types.int64, source, types.int64, types.int64, target, types.int64, types.int64), generate
