"""Zstandard frames (RFC 8878), read as by zstd-jni's `ZstdInputStream` under Kafka."""

import struct
import threading

from kafkafmt.cached import cached_property
from kafkafmt.codec.compression.beginnings import wrong_beginning
from kafkafmt.codec.compression.buffer import Buffer, CappedOutput
from kafkafmt.errors import ChecksumError, CorruptError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.libraries import zstandard
from kafkafmt.limits import Limits

MAGIC = 0xFD2FB528
_FIRST_LEGACY_MAGIC = 0xFD2FB522
_SKIPPABLE, _SKIPPABLE_MASK = 0x184D2A50, 0xFFFFFFF0
_WORD = struct.Struct("<I")
_ORDINARY_START = struct.Struct("<IBBHB")
# Block_Maximum_Size of the zstd format (RFC 8878).
MAX_BLOCK = 128 * 1024
RLE, COMPRESSED = 1, 2
_LAST_COMPRESSED = COMPRESSED << 1 | 1
# zstd-jni reads its input in pieces of this size. It treats a truncated frame as a normal end of the data if an earlier
# frame ended in the same piece.
_JAVA_BUFFER = MAX_BLOCK + 3
# Kafka's default of `compression.zstd.level`.
_DEFAULT_LEVEL = 3
# The largest window that zstd decodes by default (ZSTD_WINDOWLOG_LIMIT_DEFAULT).
_CHUNK_WINDOW = 1 << 27


class _Decompressors(threading.local):
    """One decompressor per thread; windows are checked before it gets a frame, so its own bound is the widest."""

    @cached_property
    def decompressor(self) -> "zstandard.ZstdDecompressor":
        """The thread's decompressor, made for its first frame."""
        return zstandard.ZstdDecompressor(max_window_size=1 << 31)


class _Compressors(threading.local):
    """One compressor per thread and level: a new one for each batch costs more than compressing it."""

    def __init__(self) -> None:
        self.by_level: dict[int, zstandard.ZstdCompressor] = {}


_decompressors = _Decompressors()
_compressors = _Compressors()


def decompress(data: bytes | memoryview, limits: Limits, _magic: int) -> bytes:
    """Decompress all frames one after the other; skippable frames are skipped.

    Raises:
        CorruptError: frames are broken, or something else is between or after them.
        TruncatedError: the data end within a frame.
        UnsupportedError: a frame needs a dictionary.
        LimitExceededError: a window is above `zstd_window_log`, or the output exceeds `max_decompressed_bytes`.
    """
    view = memoryview(data).cast("B")
    total = len(view)
    output = CappedOutput("zstd", limits)
    position = 0
    while position < total:
        end, bound, content_size = _walk(view, position, limits)
        content = _decode(view[position:end], min(bound, output.room) + 1)
        output.add(content)
        if end > total:
            if position <= (total - 1) // _JAVA_BUFFER * _JAVA_BUFFER:
                raise TruncatedError("zstd data end within a frame")
        elif content_size is not None and len(content) != content_size:
            # The library overlooks a wrong size if the last block is empty.
            raise CorruptError("size mismatch in zstd frame", expected=content_size, found=len(content))
        position = end
    return output.content()


def decompress_ordinary(data: bytes | memoryview, target: Buffer, limits: Limits, _magic: int) -> int | None:
    """Decompress a single frame without content size and checksum to the end of the content of `target`.

    Returns:
        Number of bytes written; None if `decompress` has to examine the data.
    """
    total = len(data)
    if total < _ORDINARY_START.size:
        return None
    magic, descriptor, window, low, high = _ORDINARY_START.unpack_from(data)
    # Including the fraction in its lowest three bits, a window is less than twice its power of two.
    if magic != MAGIC or descriptor or 10 + (window >> 3) >= limits.zstd_window_log:
        return None
    block = low | high << 16
    if block & 7 == _LAST_COMPRESSED:
        end, bound = _ORDINARY_START.size + (block >> 3), MAX_BLOCK
    else:
        end, bound = _walk_blocks(memoryview(data), _ORDINARY_START.size - 3)
    if end != total:
        return None
    limit = limits.max_decompressed_bytes
    try:
        room = target.room(0, min(bound, limit) + 1)
        size: int = _decompressors.decompressor.stream_reader(data).readinto(room)
    except (zstandard.ZstdError, MemoryError):
        return None
    return size if size <= limit else None


def decompress_frame(data: bytes | memoryview, target: memoryview) -> int:
    """Decompress one frame of content of a known size, such as a chunk of a tiered segment.

    Args:
        data: the frame.
        target: space for the output.

    Returns:
        Number of bytes of output, at most the size of `target`.

    Raises:
        CorruptError: the frame is broken, or its declared size differs from that of `target`.
        LimitExceededError: its window is larger than the content, and larger than 128 MiB.
    """
    try:
        declared = zstandard.frame_content_size(data)
        if declared not in (-1, len(target)):
            raise CorruptError("size mismatch in zstd frame", expected=len(target), found=declared)
        window = zstandard.get_frame_parameters(data).window_size
        if window > max(len(target), _CHUNK_WINDOW):
            raise LimitExceededError("the window of a zstd frame is too large", expected=_CHUNK_WINDOW, found=window)
        reader = _decompressors.decompressor.stream_reader(data)
        size: int = reader.readinto(target)
        if reader.read(1):
            raise CorruptError("a zstd frame decompresses to more bytes than it should", expected=len(target))
    except (zstandard.ZstdError, MemoryError) as error:
        raise _broken(error) from error
    return size


def compress(data: bytes | memoryview, level: int | None, _magic: int) -> bytes:
    """Make one frame as zstd-jni's `ZstdOutputStream` does; level 3 by default.

    The size is unknown in advance, so the frame has neither a content size nor a checksum. Kafka flushes the stream
    before closing it, so the last block is empty.
    """
    level = _DEFAULT_LEVEL if level is None else level
    compressor = _compressors.by_level.get(level)
    if compressor is None:
        compressor = zstandard.ZstdCompressor(level=level, write_content_size=False)
        _compressors.by_level[level] = compressor
    stream = compressor.compressobj()
    return stream.compress(data) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) + stream.flush()


def _decode(frame: memoryview, capacity: int) -> bytes:
    """Decompress one frame up to `capacity` bytes; from a truncated one, as many bytes as zstd-jni returns."""
    try:
        content: bytes = _decompressors.decompressor.stream_reader(frame).read(capacity)
    except (zstandard.ZstdError, MemoryError) as error:
        raise _broken(error) from error
    return content


def _broken(error: Exception) -> CorruptError:
    """The error for a frame that the library refuses, the same whatever it decompressed before.

    A block that is too long for its memory is corrupt, but gets another text after a frame that needed more.
    """
    text = str(error).replace("Destination buffer is too small", "Data corruption detected")
    kind = ChecksumError if "checksum" in text else CorruptError
    return kind(f"zstd frame does not decompress: {text}")


def _walk(view: memoryview, start: int, limits: Limits) -> tuple[int, int, int | None]:
    """Measure a frame by its headers before the library gets it; broken blocks are left to the library.

    Returns:
        End of the frame, past the data if they are truncated; the upper bound of its content in bytes; and the declared
        size, or None.
    """
    total = len(view)
    beyond = total + 1
    if total - start < _WORD.size:
        return beyond, 0, None
    (magic,) = _WORD.unpack_from(view, start)
    if magic & _SKIPPABLE_MASK == _SKIPPABLE:
        return (start + 8 + _WORD.unpack_from(view, start + 4)[0] if total - start >= 8 else beyond), 0, None
    if _FIRST_LEGACY_MAGIC <= magic < MAGIC:
        raise UnsupportedError("zstd frame from before zstd 0.8", expected=f"0x{MAGIC:08x}", found=f"0x{magic:08x}")
    if magic != MAGIC:
        raise wrong_beginning("a zstd frame", MAGIC.to_bytes(4, "little"), view[start:])
    position, tail, content_size = _read_header(view, start + 4, limits)
    end, bound = _walk_blocks(view, position)
    return end + tail, bound, content_size


def _walk_blocks(view: memoryview, start: int) -> tuple[int, int]:
    """Measure a frame's blocks; return where they end, past the data if truncated, and the most that they can hold."""
    total = len(view)
    position, bound, last = start, 0, 0
    while not last:
        if total - position < 3:
            return total + 1, bound
        header = view[position] | view[position + 1] << 8 | view[position + 2] << 16
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        position += 3 + (1 if kind == RLE else size)
        bound += MAX_BLOCK if kind == COMPRESSED else min(size, MAX_BLOCK)
    return position, bound


def _read_header(view: memoryview, start: int, limits: Limits) -> tuple[int, int, int | None]:
    """Check the frame header at `start`, after the magic number.

    Returns:
        End of the header, past the data if they are truncated; the size of the checksum at the frame's end; and the
        declared size of the content, or None.
    """
    total = len(view)
    if total <= start:
        return total + 1, 0, None
    descriptor = view[start]
    single_segment = descriptor >> 5 & 1
    dictionary = start + 2 - single_segment
    sizes = dictionary + (0, 1, 2, 4)[descriptor & 3]
    end = sizes + (single_segment, 2, 4, 8)[descriptor >> 6]
    if total < end:
        return total + 1, 0, None
    content_size = None
    if end > sizes:
        # The range of two bytes starts where that of one byte ends.
        content_size = int.from_bytes(view[sizes:end], "little") + (256 if end - sizes == 2 else 0)
    if single_segment and content_size is not None:
        window = content_size
    else:
        base = 1 << 10 + (view[start + 1] >> 3)
        window = base + base // 8 * (view[start + 1] & 7)
    limit = 1 << limits.zstd_window_log
    if window > limit:
        raise LimitExceededError("zstd window is larger than zstd_window_log allows", expected=limit, found=window)
    if any(view[dictionary:sizes]):
        raise UnsupportedError("zstd frame needs a dictionary")
    return end, 4 if descriptor & 0x04 else 0, content_size
