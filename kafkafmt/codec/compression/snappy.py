"""Snappy as stored by Kafka: with xerial's framing (snappy-java's `SnappyInputStream`), or as one raw block."""

import struct
from collections.abc import Callable, Iterator

from kafkafmt.codec.compression.beginnings import format_of, wrong_beginning
from kafkafmt.codec.compression.buffer import Buffer, CappedOutput
from kafkafmt.errors import CorruptError, KafkafmtError, TruncatedError, UnsupportedError
from kafkafmt.libraries import cramjam
from kafkafmt.limits import Limits

MAGIC = b"\x82SNAPPY\x00"
_HEADER = struct.Struct(">8sii")
_LENGTH = struct.Struct(">i")
# Value of another stream's header, read as the size of a chunk: streams may be concatenated.
_HEADER_START = _LENGTH.unpack(MAGIC[:4])[0]
_MIN_VERSION = 1
_JAVA_REQUEST = 16384
# A copy element of three bytes gives up to 64 bytes, so a block expands by at most this factor.
MAX_RATIO = 22
_TOO_LARGE = 1 << 63  # more than any limit
# The default block size of snappy-java's `SnappyOutputStream`.
_BLOCK = 32 * 1024


def decompress(data: bytes | memoryview, limits: Limits, _magic: int) -> bytes:
    """Decompress xerial chunks, or one raw block if the data do not begin with xerial's header.

    Raises:
        CorruptError: a length or a block is broken.
        TruncatedError: the data end within a chunk.
        UnsupportedError: the framing's version is below the first one.
        LimitExceededError: the blocks declare more than `max_decompressed_bytes`.
    """
    view = memoryview(data).cast("B")
    # If anything is wrong, even the total size, no output is kept on the way to the error.
    visit = _add if _is_possible(view, limits) else _check
    output = CappedOutput("snappy", limits)
    try:
        _walk(view, output, visit)
    except CorruptError as error:
        if view[: len(MAGIC)] != MAGIC and format_of(view) is not None:
            raise wrong_beginning("snappy", MAGIC, view) from error
        raise
    return output.content()


def compress(data: bytes | memoryview, _level: int | None, _magic: int) -> bytes:
    """Compress like snappy-java's `SnappyOutputStream`: a header, then blocks of 32 KiB, each preceded by its size."""
    view = memoryview(data)
    parts = [_HEADER.pack(MAGIC, _MIN_VERSION, _MIN_VERSION)]
    for start in range(0, len(view), _BLOCK):
        block = bytes(cramjam.snappy.compress_raw(view[start : start + _BLOCK]))
        parts += [_LENGTH.pack(len(block)), block]
    return b"".join(parts)


def _is_possible(view: memoryview, limits: Limits) -> bool:
    """Whether everything that blocks and their framing declare is valid, by a walk without decompression."""
    try:
        _walk(view, CappedOutput("snappy", limits), _reserve)
    except KafkafmtError:
        return False
    return True


def _walk(view: memoryview, output: CappedOutput, visit: Callable[[memoryview, CappedOutput], None]) -> None:
    """Visit each block, in order; a visitor counts its size against the output's limit."""
    if len(view) < _HEADER.size or view[: len(MAGIC)] != MAGIC:
        visit(view, output)
        return
    position = _HEADER.size
    room_at_break = output.room
    while len(view) - position >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(view, position)
        if length == _HEADER_START:
            if not _is_header(view, position):
                # SnappyInputStream ends here, but continues when it is called again; Kafka calls it again after a
                # partial read, and requests this many bytes at a time.
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
        visit(view[position : position + length], output)
        position += length


def decompress_ordinary(data: bytes | memoryview, target: Buffer, limits: Limits, _magic: int) -> int | None:
    """Decompress one raw block, or xerial chunks after one header, to the end of the content of `target`.

    Returns:
        Number of bytes written; None if `decompress` has to examine the data.
    """
    total = len(data)
    if total < _HEADER.size:
        return None
    size = sum(declared for _, _, declared in _ordinary_blocks(data))
    if size > limits.max_decompressed_bytes:
        return None
    # All sizes are known now, so memory is taken once.
    room = target.room(0, size)
    written = 0
    try:
        for begin, end, declared in _ordinary_blocks(data):
            written += cramjam.snappy.decompress_raw_into(data[begin:end], room[written : written + declared])
    except (cramjam.DecompressionError, MemoryError):
        return None
    return written


def _ordinary_blocks(data: bytes | memoryview) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks by their declared sizes: start, end and decompressed size of every block.

    If the data are invalid, the last block declares more than any limit.
    """
    total = len(data)
    if data[: len(MAGIC)] != MAGIC:
        yield 0, total, _ordinary_size(data, 0, total)
        return
    position = _HEADER.size
    while position < total:
        begin = position + _LENGTH.size
        length = _LENGTH.unpack_from(data, position)[0] if begin <= total else 0
        position = begin + length
        if length <= 0 or position > total:
            yield begin, total, _TOO_LARGE
            return
        yield begin, position, _ordinary_size(data, begin, length)


def _ordinary_size(data: bytes | memoryview, start: int, length: int) -> int:
    """Read the size that a block of this length declares, in up to four bytes; cramjam accepts more than Kafka does."""
    size = 0
    for index in range(min(4, length)):
        byte = data[start + index]
        size |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return size if size <= MAX_RATIO * length else _TOO_LARGE
    return _TOO_LARGE


def _is_header(view: memoryview, position: int) -> bool:
    """Whether a header begins between chunks; its version is checked, unlike that of the first one."""
    if len(view) - position < _HEADER.size:
        raise TruncatedError("snappy data end within a header")
    magic, version, _ = _HEADER.unpack_from(view, position)
    if magic != MAGIC:
        return False
    if version < _MIN_VERSION:
        raise UnsupportedError("snappy framing of an unknown version", expected=_MIN_VERSION, found=version)
    return True


def _reserve(block: memoryview, output: CappedOutput) -> None:
    """Check the size that a raw block declares against the most that it can hold, and against the limit."""
    size = _declared_size(block)
    if size > MAX_RATIO * len(block):
        raise CorruptError("snappy block declares more than it can hold", expected=MAX_RATIO * len(block), found=size)
    output.reserve(size)


def _check(block: memoryview, output: CappedOutput) -> None:
    """Decompress one raw block, if its sizes allow it, and drop the output."""
    _reserve(block, output)
    _decompressed(block)


def _add(block: memoryview, output: CappedOutput) -> None:
    """Decompress one raw block whose size has been checked."""
    output.add(_decompressed(block))


def _decompressed(block: memoryview) -> bytes:
    try:
        return bytes(cramjam.snappy.decompress_raw(block))
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
