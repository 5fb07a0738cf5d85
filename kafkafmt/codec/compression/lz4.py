"""One LZ4 frame, read by the rules of Kafka's `Lz4BlockInputStream`; liblz4 decodes the blocks."""

import struct
import threading
from functools import cache, lru_cache
from typing import Any

from kafkafmt.cached import cached_property
from kafkafmt.codec.compression.beginnings import wrong_beginning
from kafkafmt.codec.compression.buffer import Buffer, CappedOutput
from kafkafmt.errors import ChecksumError, CorruptError, TruncatedError, UnsupportedError
from kafkafmt.libraries import cramjam, lz4_block, lz4_frame
from kafkafmt.limits import Limits

MAGIC = 0x184D2204
_HEADER = struct.Struct("<IBB")
_SIZE = struct.Struct("<I")
_ORDINARY_START = struct.Struct("<6sBI")
_UNCOMPRESSED, _LENGTH = 0x80000000, 0x7FFFFFFF
_VERSION_1, _INDEPENDENT, _BLOCK_CHECKSUM, _CONTENT_SIZE, CONTENT_CHECKSUM = 0x40, 0x20, 0x10, 0x08, 0x04
FLAGS_AT = _HEADER.size - 2
"""Position of the flags in a frame."""
CONTENT_FLAGS = CONTENT_CHECKSUM | _CONTENT_SIZE
"""Flags of a frame with a checksum or the size of its content."""
# Frame headers that Kafka's producer and librdkafka write, with or without a content checksum.
ORDINARY_FLAGS = _VERSION_1 | _INDEPENDENT
_MASK = 0xFFFFFFFF
# Primes of xxHash32, which LZ4 frames use for checksums.
_PRIME_2, _PRIME_3, _PRIME_4, _PRIME_5 = 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1
_PIECE = 4 << 20
_BLOCK_64K, _FAST = 0x40, 9


class _Contexts(threading.local):
    """One decompression context per thread: a new one for each batch costs four times the decoding."""

    @cached_property
    def context(self) -> Any:  # noqa: ANN401 - the library has no type of it
        """The thread's context, made for its first frame."""
        return lz4_frame.create_decompression_context()


_contexts = _Contexts()


def decompress(data: bytes | memoryview, limits: Limits, magic: int) -> bytes:
    """Decode the first frame; bytes after it are ignored, as in Kafka.

    Content size and content checksum are not checked, as in Kafka. With `magic` 0 the header checksum is not checked
    either, as clients before 0.10 wrote a wrong one (KAFKA-3160).

    Raises:
        CorruptError: the header or a block is broken.
        ChecksumError: the checksum of the header or of a block is wrong.
        TruncatedError: the data end within the frame.
        UnsupportedError: blocks refer to earlier ones, or the frame has another version, or a dictionary.
        LimitExceededError: the output exceeds `max_decompressed_bytes`.
    """
    view = memoryview(data).cast("B")
    flags, descriptor, start = _read_header(view, magic)
    max_block = _max_block(descriptor)
    end, bound = _walk(view, start, flags, max_block)
    output = CappedOutput("lz4", limits)
    context = _contexts.context
    position = start
    try:
        lz4_frame.reset_decompression_context(context)
        lz4_frame.decompress_chunk(context, _plain_header(flags & _BLOCK_CHECKSUM, descriptor))
        while True:
            # The library copies its results, so it is asked for little at a time.
            most = min(_PIECE, bound, output.room) + 1
            content, used, _ = lz4_frame.decompress_chunk(context, view[position:end], max_length=most)
            output.add(content)
            position += used
            if len(content) < most:
                return output.content()
    except (RuntimeError, MemoryError) as error:
        kind = ChecksumError if "Checksum" in str(error) else CorruptError
        raise kind(f"lz4 block does not decompress: {error}") from error


def decompress_ordinary(data: bytes | memoryview, target: Buffer, limits: Limits, magic: int) -> int | None:
    """Decode a frame of independent blocks without checksums to the end of the content of `target`.

    Returns:
        Number of bytes written; None if `decompress` has to examine the data.
    """
    total = len(data)
    if total < _ORDINARY_START.size:
        return None
    header, checksum, size = _ORDINARY_START.unpack_from(data)
    known = ORDINARY_HEADERS.get(header)
    if known is None or (magic > 0 and checksum != known[0]):
        return None
    _, max_block, tail = known
    limit = limits.max_decompressed_bytes
    position, written = _ORDINARY_START.size, 0
    while size:
        start = position
        end = start + (size & _LENGTH)
        position = end + _SIZE.size
        if position > total or end - start > max_block or written > limit:
            return None
        if size > _LENGTH:
            part = end - start
            target.room(written, part)[:] = data[start:end]
        else:
            # cramjam reads data that do not decode as a block as a size and a block, so there must not be a plausible
            # size.
            (word,) = _SIZE.unpack_from(data, start)
            if word <= max_block:
                return None
            try:
                part = cramjam.lz4.decompress_block_into(data[start:end], target.room(written, max_block), max_block)
            except (cramjam.DecompressionError, MemoryError):
                return None
        if not part:
            return None
        written += part
        (size,) = _SIZE.unpack_from(data, end)
    if total - position < tail or written > limit:
        return None
    return written


def content_fault(data: bytes | memoryview, limits: Limits) -> str | None:
    """How the first frame contradicts its content checksum or size, which Kafka does not check; None if it does not.

    Args:
        data: data that `decompress` accepts, of magic 1 or 2.
        limits: bounds of decoding.
    """
    view = memoryview(data).cast("B")
    if len(view) <= _HEADER.size or not view[FLAGS_AT] & CONTENT_FLAGS:
        return None
    context = lz4_frame.create_decompression_context()
    position = size = 0
    ended, progress = False, 1
    try:
        while not ended and progress and position < len(view) and size <= limits.max_decompressed_bytes:
            content, used, ended = lz4_frame.decompress_chunk(context, view[position:], max_length=_PIECE)
            position += used
            size += len(content)
            progress = used + len(content)
    except (RuntimeError, MemoryError) as error:
        if "contentChecksum" in str(error):
            return "the content checksum of the lz4 frame does not match its content"
        if "frameSize" in str(error):
            return "the content size of the lz4 frame does not match its content"
    return None


def compress(data: bytes | memoryview, level: int | None, magic: int) -> bytes:
    """Make one frame of independent blocks of 64 KiB without checksums, as Kafka's `Lz4BlockOutputStream` does.

    Levels are 1 to 17; 9, the default, is the fast compressor in Kafka. In format 0 the header checksum also covers the
    magic bytes, as in clients before 0.10 (KAFKA-3160), which accept nothing else.
    """
    header = _HEADER.pack(MAGIC, ORDINARY_FLAGS, _BLOCK_64K)
    checksum = _header_checksum(header if magic == 0 else header[4:])
    view = memoryview(data)
    parts = [header, bytes((checksum,))]
    size = _max_block(_BLOCK_64K)
    for start in range(0, len(view), size):
        part = view[start : start + size]
        if level is None or level == _FAST:
            block: bytes = lz4_block.compress(part, store_size=False)
        else:
            block = lz4_block.compress(part, mode="high_compression", compression=level, store_size=False)
        if len(block) < len(part):
            parts += [_SIZE.pack(len(block)), block]
        else:
            parts += [_SIZE.pack(len(part) | _UNCOMPRESSED), bytes(part)]
    return b"".join((*parts, _SIZE.pack(0)))


def _read_header(view: memoryview, magic: int) -> tuple[int, int, int]:
    """Check the frame descriptor; return its FLG and BD bytes and the index after it."""
    if len(view) < _HEADER.size + 1:
        raise TruncatedError("lz4 data end within the frame header")
    found, flags, descriptor = _HEADER.unpack_from(view)
    if found != MAGIC:
        raise wrong_beginning("an lz4 frame", MAGIC.to_bytes(4, "little"), view)
    if flags & 0x03:
        raise UnsupportedError("lz4 frame with a dictionary or reserved flags", found=flags)
    if flags & 0xC0 != _VERSION_1:
        raise UnsupportedError("lz4 frame of another version", expected=1, found=flags >> 6)
    if not flags & _INDEPENDENT:
        raise UnsupportedError("lz4 frame whose blocks refer to earlier ones")
    # The other bits are reserved, and block sizes begin at 4, which is 64 KiB.
    if descriptor & 0x8F or descriptor >> 4 < 4:
        raise CorruptError("lz4 frame with a broken block size", found=descriptor)
    position = _HEADER.size + (8 if flags & _CONTENT_SIZE else 0)
    if len(view) <= position:
        raise TruncatedError("lz4 data end within the frame header")
    if magic > 0:
        checksum = _header_checksum(bytes(view[4:position]))
        if view[position] != checksum:
            raise ChecksumError("checksum mismatch in lz4 frame header", expected=checksum, found=view[position])
    return flags, descriptor, position + 1


def _walk(view: memoryview, start: int, flags: int, max_block: int) -> tuple[int, int]:
    """Check every block's size; return the position of the end mark and the upper bound of the blocks' content."""
    position, bound = start, 0
    checksum_size = 4 if flags & _BLOCK_CHECKSUM else 0
    total = len(view)
    while position + 4 <= total:
        (size,) = _SIZE.unpack_from(view, position)
        length = size & ~_UNCOMPRESSED
        if length == 0:
            if flags & CONTENT_CHECKSUM and total - position < 8:
                raise TruncatedError("lz4 data end within the content checksum")
            return position, bound
        if length > max_block:
            raise CorruptError("lz4 block is larger than its frame allows", expected=max_block, found=length)
        bound += length if size & _UNCOMPRESSED else min(max_block, 255 * length)
        empty = length == 1 and not size & _UNCOMPRESSED and position + 4 < total and view[position + 4] < 0x10
        position += 4 + length + checksum_size
        if empty and position <= total:
            # Kafka's record reader treats a block that decodes to 0 bytes as the end of the data.
            return position, bound
    raise TruncatedError("lz4 data end before the frame's end mark")


def _max_block(descriptor: int) -> int:
    return 1 << (8 + 2 * (descriptor >> 4))


@cache
def _plain_header(block_checksum: int, descriptor: int) -> bytes:
    """Build the header for liblz4 in place of the stored one: without content size or checksum, with a valid HC."""
    flags = _VERSION_1 | _INDEPENDENT | block_checksum
    return _HEADER.pack(MAGIC, flags, descriptor) + bytes((_header_checksum(bytes((flags, descriptor))),))


@lru_cache(maxsize=64)
def _header_checksum(descriptor: bytes) -> int:
    """Compute HC, the second byte of the descriptor's xxHash-32; only the part of that hash for less than 16 bytes."""
    hashed = (_PRIME_5 + len(descriptor)) & _MASK
    whole = len(descriptor) // 4 * 4
    for (word,) in _SIZE.iter_unpack(descriptor[:whole]):
        hashed = (hashed + word * _PRIME_3) & _MASK
        hashed = ((hashed << 17 | hashed >> 15) & _MASK) * _PRIME_4 & _MASK
    for byte in descriptor[whole:]:
        hashed = (hashed + byte * _PRIME_5) & _MASK
        hashed = ((hashed << 11 | hashed >> 21) & _MASK) * 0x9E3779B1 & _MASK
    hashed = (hashed ^ hashed >> 15) * _PRIME_2 & _MASK
    hashed = (hashed ^ hashed >> 13) * _PRIME_3 & _MASK
    return (hashed ^ hashed >> 16) >> 8 & 0xFF


def _ordinary_headers() -> dict[bytes, tuple[int, int, int]]:
    """For headers with neither block checksums nor a content size: HC byte, block size, bytes after the end mark."""
    headers = {}
    for flags in (ORDINARY_FLAGS, ORDINARY_FLAGS | CONTENT_CHECKSUM):
        for descriptor in (0x40, 0x50, 0x60, 0x70):
            header = _HEADER.pack(MAGIC, flags, descriptor)
            tail = 4 if flags & CONTENT_CHECKSUM else 0
            headers[header] = (_header_checksum(header[4:]), _max_block(descriptor), tail)
    return headers


ORDINARY_HEADERS = _ordinary_headers()
"""For each ordinary frame header, without its checksum: the HC byte, block size, and bytes after the end mark."""
