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
# More than this is given back, or one huge batch would keep it for good.
_LARGEST_KEPT = 64 << 20


def references_are_counted() -> bool:
    """Whether `sys.getrefcount` shows that an object has no other references, which memory pools need to know.

    CPython without its GIL keeps per-thread counts and omits some.
    """
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    return is_enabled is None or bool(is_enabled())


class Buffer:
    """Content, followed by space that a codec writes to before it says how many of those bytes are content.

    Attributes:
        buffer: the content, followed by at least `SLACK` bytes of any value. It is another object once it has grown.
        used: how many bytes of content it has.
    """

    __slots__ = ("_end", "buffer", "used")

    def __init__(self) -> None:
        self._take(_FIRST_CAPACITY)
        self.used = 0

    def clear(self) -> None:
        """Start again at the buffer's start, and so overwrite the bytes that earlier arrays over it show."""
        self.used = 0
        if len(self.buffer) > _LARGEST_KEPT:
            self._take(_FIRST_CAPACITY)

    def reset(self) -> int:
        """Let go of the content; returns how many bytes are kept."""
        self.clear()
        return len(self.buffer)

    def content(self) -> memoryview:
        """Give the content and `SLACK` more bytes, read-only, as they are in the buffer now.

        Once the buffer has grown, the view shows its earlier memory, which stays valid and as it was.
        """
        return self.buffer[: self.used + SLACK].toreadonly()

    def give_back(self) -> None:
        """Release a large buffer with little content, as others need the memory now."""
        if len(self.buffer) > max(_LARGEST_KEPT, 2 * self.used):
            written = self.buffer[: self.used]
            self._take(max(self.used + SLACK, _FIRST_CAPACITY))
            self.buffer[: self.used] = written

    def room(self, skipped: int, size: int) -> memoryview:
        """Give `size` writable bytes that begin `skipped` bytes after the content; bytes already written there stay."""
        start = self.used + skipped
        end = start + size
        if end > self._end:
            written = self.buffer[:start]
            # While it is copied there are both. A large one grows so far that it is copied only once.
            factor = 2 if len(self.buffer) < _LARGE else 8
            self._take(max(end + SLACK, factor * len(self.buffer)))
            self.buffer[:start] = written
        return self.buffer[start:end]

    def _take(self, capacity: int) -> None:
        # Not a bytearray, which zeroes all of it: memory that is never touched costs nothing.
        self.buffer = np.empty(capacity, np.uint8).data
        self._end = capacity - SLACK


class CappedOutput:
    """Gathers decompressed parts with as few copies as possible and no memory beyond the content.

    Args:
        codec: name of the codec, for the error.
        limits: `max_decompressed_bytes` is the cap.

    Attributes:
        limit: the cap, in bytes.
        room: how many bytes may still come.
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
        """Refuse a part of `size` bytes, before it is made, if it passes the cap.

        Raises:
            LimitExceededError: the limit leaves no space for it.
        """
        if size > self.room:
            raise LimitExceededError(
                f"{self._codec} data decompress beyond max_decompressed_bytes",
                expected=self.limit,
                found=self.limit - self.room + size,
            )

    def reserve(self, size: int) -> None:
        """Count a part of `size` bytes against the limit, without the part.

        Raises:
            LimitExceededError: it passes the cap.
        """
        self.expect(size)
        self.room -= size

    def add(self, part: bytes) -> None:
        """Append a part.

        Raises:
            LimitExceededError: it passes the cap.
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
        """Give all parts in one; a single one is not copied."""
        return self._first if self._stream is None else self._stream.getvalue()
