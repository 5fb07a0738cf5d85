"""Output of codecs: Buffer, reusable memory that grows; CappedOutput, a list of parts with a maximum size."""

import sys
from io import BytesIO

from kafkafmt.errors import LimitExceededError
from kafkafmt.libraries import np
from kafkafmt.limits import Limits

SLACK = 64
"""Readable padding after the content, for kernels that over-read."""

_FIRST_CAPACITY = 1 << 20
_LARGE = 16 << 20
# A larger buffer is released, or one huge batch would keep it forever.
_LARGEST_KEPT = 64 << 20


def references_are_counted() -> bool:
    """Whether `sys.getrefcount` shows that an object has no other references, on which memory pools rely.

    CPython without its GIL keeps per-thread counts and omits some.
    """
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    return is_enabled is None or bool(is_enabled())


class Buffer:
    """Content, followed by space to which a codec writes before it declares some of these bytes as content.

    Attributes:
        buffer: the content, followed by at least `SLACK` bytes of any value. It is another object once it has grown.
        used: size of the content in bytes.
    """

    __slots__ = ("_end", "buffer", "used")

    def __init__(self) -> None:
        self._take(_FIRST_CAPACITY)
        self.used = 0

    def clear(self) -> None:
        """Start again at the buffer's start, overwriting the bytes that earlier arrays over it show."""
        self.used = 0
        if len(self.buffer) > _LARGEST_KEPT:
            self._take(_FIRST_CAPACITY)

    def reset(self) -> int:
        """Release the content; return the number of bytes kept."""
        self.clear()
        return len(self.buffer)

    def content(self) -> memoryview:
        """Return the content and `SLACK` more bytes, read-only, as they are in the buffer now.

        Once the buffer has grown, the view shows its earlier memory, which stays valid and unchanged.
        """
        return self.buffer[: self.used + SLACK].toreadonly()

    def give_back(self) -> None:
        """Release a large buffer with little content, as the memory is needed elsewhere now."""
        if len(self.buffer) > max(_LARGEST_KEPT, 2 * self.used):
            written = self.buffer[: self.used]
            self._take(max(self.used + SLACK, _FIRST_CAPACITY))
            self.buffer[: self.used] = written

    def room(self, skipped: int, size: int) -> memoryview:
        """Return `size` writable bytes, starting `skipped` bytes after the content; bytes already there are kept."""
        start = self.used + skipped
        end = start + size
        if end > self._end:
            written = self.buffer[:start]
            # Both exist while it is copied. A large one grows so far that it is copied only once.
            factor = 2 if len(self.buffer) < _LARGE else 8
            self._take(max(end + SLACK, factor * len(self.buffer)))
            self.buffer[:start] = written
        return self.buffer[start:end]

    def _take(self, capacity: int) -> None:
        # Not a bytearray, which zeroes everything: memory that is never touched costs nothing.
        self.buffer = np.empty(capacity, np.uint8).data
        self._end = capacity - SLACK


class CappedOutput:
    """Collects decompressed parts with as few copies as possible and no memory beyond the content.

    Args:
        codec: name of the codec, for the error.
        limits: bounds, of which `max_decompressed_bytes` is the cap.

    Attributes:
        limit: the cap, in bytes.
        room: number of bytes that may still be added.
    """

    __slots__ = ("_codec", "_first", "_stream", "limit", "room")

    def __init__(self, codec: str, limits: Limits) -> None:
        self.limit = limits.max_decompressed_bytes
        self.room = self.limit
        self._codec = codec
        self._first = b""
        # Millions of tiny parts in a list would take many times their content.
        self._stream: BytesIO | None = None

    def expect(self, size: int) -> None:
        """Refuse a part of `size` bytes, before it is made, if it exceeds the cap.

        Raises:
            LimitExceededError: the part exceeds the cap.
        """
        if size > self.room:
            raise LimitExceededError(
                f"{self._codec} data decompress beyond max_decompressed_bytes",
                expected=self.limit,
                found=self.limit - self.room + size,
            )

    def reserve(self, size: int) -> None:
        """Count a part of `size` bytes against the cap, without adding it.

        Raises:
            LimitExceededError: the part exceeds the cap.
        """
        self.expect(size)
        self.room -= size

    def add(self, part: bytes) -> None:
        """Append a part.

        Raises:
            LimitExceededError: the part exceeds the cap.
        """
        size = len(part)
        self.reserve(size)
        if self._stream is not None:
            self._stream.write(part)
        elif not self._first:
            self._first = part
        elif size:
            self._stream = BytesIO()
            self._stream.write(self._first)
            self._stream.write(part)

    def content(self) -> bytes:
        """Return all parts joined; a single one is not copied."""
        return self._first if self._stream is None else self._stream.getvalue()
