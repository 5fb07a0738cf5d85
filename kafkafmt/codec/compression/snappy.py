"""Snappy as Kafka stores it: xerial's framing (snappy-java's `SnappyInputStream`), or one raw block without any."""

import struct

import cramjam

from kafkafmt.codec.compression.buffer import Buffer
from kafkafmt.codec.compression.output import Output
from kafkafmt.errors import CorruptError, TruncatedError, UnsupportedError
from kafkafmt.limits import Limits

_MAGIC = b"\x82SNAPPY\x00"
_HEADER = struct.Struct(">8sii")
_LENGTH = struct.Struct(">i")
_CHUNK_START = struct.Struct(">ii")
# Set in a block's first bytes if its size goes on after four of them; cramjam takes more bytes than Kafka does.
_GOES_ON = 0x80808080
_HEADER_START = _LENGTH.unpack(_MAGIC[:4])[0]
_MIN_VERSION = 1
_JAVA_REQUEST = 16384
# A copy element of three bytes stands for up to 64 bytes: no block can hold more than this many times its size.
_MAX_RATIO = 22
_decode_block = cramjam.snappy.decompress_raw_into


def decompress(data: bytes | memoryview, limits: Limits) -> bytes:
    """Decompress xerial chunks, or one raw block where the data do not start with xerial's header.

    Raises:
        CorruptError: a length or a block is broken.
        TruncatedError: the data end within a chunk.
        UnsupportedError: the framing's version is below the first one.
        LimitExceededError: the blocks declare more than `max_decompressed_bytes`.
    """
    view = memoryview(data).cast("B")
    output = Output("snappy", limits)
    if len(view) < _HEADER.size or view[: len(_MAGIC)] != _MAGIC:
        _add_block(view, output)
        return output.content()
    position = _HEADER.size
    room_at_break = output.room
    while len(view) - position >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(view, position)
        if length == _HEADER_START:
            if not _is_header(view, position):
                # SnappyInputStream ends here, yet reads on when asked again; Kafka asks again if it got part of what
                # it asked for, and asks for this many bytes at a time.
                if (room_at_break - output.room) % _JAVA_REQUEST == 0:
                    break
                room_at_break = output.room
            position += _HEADER.size
            continue
        position += _LENGTH.size
        if length < 0:
            raise CorruptError("snappy chunk has a negative length", found=length)
        if length > len(view) - position:
            raise TruncatedError("snappy data end within a chunk", expected=length, found=len(view) - position)
        _add_block(view[position : position + length], output)
        position += length
    return output.content()


def decompress_ordinary(data: bytes | memoryview, target: Buffer, limits: Limits) -> int | None:
    """Decompress one raw block, or xerial chunks behind one header, behind the content of `target`.

    Returns:
        How many bytes were written; None if `decompress` has to say what the data are.
    """
    total = len(data)
    if total < _HEADER.size:
        return None
    limit = limits.max_decompressed_bytes
    position, written = _HEADER.size, 0
    try:
        if data[: len(_MAGIC)] != _MAGIC:
            if _LENGTH.unpack_from(data)[0] & _GOES_ON == _GOES_ON:
                return None
            return _decode_block(data, target.room(0, min(_MAX_RATIO * total, limit)))
        while position < total:
            if total - position < _CHUNK_START.size:
                return None
            length, size_start = _CHUNK_START.unpack_from(data, position)
            position += _LENGTH.size
            if not 0 < length <= total - position or size_start & _GOES_ON == _GOES_ON:
                return None
            room = target.room(written, min(_MAX_RATIO * length, limit - written))
            written += _decode_block(data[position : position + length], room)
            position += length
    except (cramjam.DecompressionError, MemoryError):
        return None
    return written


def _is_header(view: memoryview, position: int) -> bool:
    """Look at a header between chunks; unlike the first one's, its version counts."""
    if len(view) - position < _HEADER.size:
        raise TruncatedError("snappy data end within a header")
    magic, version, _ = _HEADER.unpack_from(view, position)
    if magic != _MAGIC:
        return False
    if version < _MIN_VERSION:
        raise UnsupportedError("snappy framing of an unknown version", expected=_MIN_VERSION, found=version)
    return True


def _add_block(block: memoryview, output: Output) -> None:
    """Decompress one raw block after its declared size is checked against the cap and against what it can hold."""
    size = _declared_size(block)
    if size > _MAX_RATIO * len(block):
        raise CorruptError("snappy block declares more than it can hold", expected=_MAX_RATIO * len(block), found=size)
    output.expect(size)
    try:
        output.add(bytes(cramjam.snappy.decompress_raw(block)))
    except (cramjam.DecompressionError, MemoryError) as error:
        raise CorruptError(f"snappy block does not decompress: {error}") from error


def _declared_size(block: memoryview) -> int:
    size = 0
    for index, byte in enumerate(block[:5]):
        size |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return size
    if len(block) < 5:
        raise TruncatedError("snappy block ends within its length")
    raise CorruptError("snappy block has a length of more than five bytes")
