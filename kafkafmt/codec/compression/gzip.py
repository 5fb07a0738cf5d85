"""Gzip members (RFC 1952), read as by Java's `GZIPInputStream` under Kafka, and inflated by ISA-L."""

import struct
import zlib
from typing import cast

from isal import isal_zlib

from kafkafmt.codec.compression.beginnings import wrong_beginning
from kafkafmt.codec.compression.buffer import Buffer, CappedOutput
from kafkafmt.errors import ChecksumError, CorruptError, TruncatedError
from kafkafmt.limits import Limits

_FHCRC, _FEXTRA, _FNAME, _FCOMMENT = 0x02, 0x04, 0x08, 0x10
_FIXED_HEADER = struct.Struct("<HBB6x")
_TRAILER = struct.Struct("<II")
MAGIC, DEFLATE = 0x8B1F, 8
_RAW_DEFLATE, _GZIP = -15, 31
# The stubs of isal declare this exception class as an instance.
_IsalError = cast("type[Exception]", isal_zlib.error)
# A deflate stream expands by at most this factor.
_MAX_RATIO = 1040
# Kafka gives GZIPInputStream an input buffer of this size, which is refilled from the end of a header on. If it holds
# everything that is left, trailer included, Java looks for a next member only if there are more bytes than the shortest
# one takes.
_JAVA_BUFFER = 8192
# Java's `GZIPInputStream` tries another member only if more bytes are left: this trailer (8), a header (10), a trailer
# (8).
_SHORTEST_TRIED = 26
_NEXT_WINDOW = 512


def decompress(data: bytes | memoryview, limits: Limits, _magic: int) -> bytes:
    """Inflate every member; bytes after a whole member that are not a gzip header are ignored, as in Java.

    Raises:
        CorruptError: there is no gzip header at the start, or a deflate stream is broken.
        ChecksumError: a CRC-32 of header or content, or the length after it, is wrong.
        TruncatedError: the data end within a member.
        LimitExceededError: the output exceeds `max_decompressed_bytes`.
    """
    view = memoryview(data).cast("B")
    total = len(view)
    output = CappedOutput("gzip", limits)
    position = filled = _header_end(view, 0)
    window = total
    while True:
        end = _inflate_member(view, position, window, output)
        trailer_end = end + _TRAILER.size
        if end > filled:
            filled = min(total, filled + -(-(end - filled) // _JAVA_BUFFER) * _JAVA_BUFFER)
        if max(filled, trailer_end) == total and filled - end <= _SHORTEST_TRIED:
            break
        try:
            position = _header_end(view, trailer_end)
        except CorruptError:
            break
        filled = max(filled, position)
        window = _NEXT_WINDOW
    return output.content()


def decompress_ordinary(data: bytes | memoryview, target: Buffer, limits: Limits, _magic: int) -> int | None:
    """Inflate a single member, whose header has no optional fields, to the end of the content of `target`.

    Returns:
        Number of bytes written; None if `decompress` has to examine the data.
    """
    total = len(data)
    if total < _FIXED_HEADER.size + _TRAILER.size or _FIXED_HEADER.unpack_from(data) != (MAGIC, DEFLATE, 0):
        return None
    stored_size = _TRAILER.unpack_from(data, total - _TRAILER.size)[1]
    inflater = isal_zlib.decompressobj(_GZIP)
    try:
        content = inflater.decompress(data, min(stored_size, limits.max_decompressed_bytes) + 1)
    except (_IsalError, MemoryError):
        return None
    size = len(content)
    if not inflater.eof or inflater.unused_data or size > limits.max_decompressed_bytes:
        return None
    target.room(0, size)[:] = content
    return size


def compress(data: bytes | memoryview, level: int | None, _magic: int) -> bytes:
    """Make one member, as Java's `GZIPOutputStream` does; levels 1 to 9, and -1, which is the default."""
    deflater = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, _GZIP)
    return deflater.compress(data) + deflater.flush()


def _inflate_member(view: memoryview, start: int, window: int, output: CappedOutput) -> int:
    """Inflate one member's deflate stream and check its trailer; return where the stream ends.

    ISA-L gets a copy of `window` bytes, and twice as many each time it needs more, as it copies everything it gets.
    """
    inflater = isal_zlib.decompressobj(_RAW_DEFLATE)
    bound = _MAX_RATIO * len(view)
    fed, size, crc = start, 0, 0
    while not inflater.eof:
        if fed == len(view):
            raise TruncatedError("gzip data end within a deflate stream")
        piece = view[fed : fed + window]
        fed += len(piece)
        window *= 2
        try:
            # It consumes the whole piece unless the output gets this long; then the output exceeds the cap.
            part = inflater.decompress(piece, min(bound, output.room) + 1)
        except (_IsalError, MemoryError) as error:
            raise CorruptError(f"gzip data do not inflate: {error}") from error
        output.add(part)
        size += len(part)
        crc = isal_zlib.crc32(part, crc)
    end = fed - len(inflater.unused_data)
    if len(view) - end < _TRAILER.size:
        raise TruncatedError("gzip data end within a member's trailer")
    stored_crc, stored_size = _TRAILER.unpack_from(view, end)
    if stored_crc != crc:
        raise ChecksumError("CRC-32 mismatch in gzip data", expected=stored_crc, found=crc)
    if stored_size != size & 0xFFFFFFFF:
        raise ChecksumError("length mismatch in gzip data", expected=stored_size, found=size)
    return end


def _header_end(view: memoryview, start: int) -> int:
    """Check the member header at `start` and return the index after it."""
    if len(view) - start < _FIXED_HEADER.size:
        raise TruncatedError("gzip data end within a member's header")
    magic, method, flags = _FIXED_HEADER.unpack_from(view, start)
    if magic != MAGIC:
        raise wrong_beginning("a gzip stream", MAGIC.to_bytes(2, "little"), view[start:])
    if method != DEFLATE:
        raise CorruptError("unknown gzip compression method", expected=DEFLATE, found=method)
    position = start + _FIXED_HEADER.size
    if flags & _FEXTRA:
        position += 2 + _short(view, position)
    for flag in (_FNAME, _FCOMMENT):
        if flags & flag:
            position = _string_end(view, position)
    if flags & _FHCRC:
        stored = _short(view, position)
        found = isal_zlib.crc32(view[start:position]) & 0xFFFF
        if stored != found:
            raise ChecksumError("CRC mismatch in gzip header", expected=stored, found=found)
        position += 2
    if position > len(view):
        raise TruncatedError("gzip data end within a member's header")
    return position


def _short(view: memoryview, position: int) -> int:
    if len(view) - position < 2:
        raise TruncatedError("gzip data end within a member's header")
    return view[position] | view[position + 1] << 8


def _string_end(view: memoryview, position: int) -> int:
    window = 256
    while position < len(view):
        found = bytes(view[position : position + window]).find(0)
        if found >= 0:
            return position + found + 1
        position += window
    raise TruncatedError("gzip data end within a member's header")
