"""ReadAhead: the bytes of a file behind a window, read by another thread while the window is looked at."""

import os
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from kafkafmt.codec.compression.buffer import SLACK

if TYPE_CHECKING:
    from kafkafmt.io.base import File

T = TypeVar("T")

# In front of what is read ahead there is room for the batch that the window cuts off: Kafka's default is 1 MiB at most.
_ROOM: Final = 1024 * 1024 + 4096


class Aside(Protocol):
    """Lets another thread run a function, when it has time for that."""

    def __call__(self, function: Callable[[], T], /) -> "Future[T]":
        """Give what the function will return, which can be cancelled until it begins."""


class ReadAhead:
    """One range of a file that another thread reads.

    Args:
        file: the file, which is open until `drop`.
        aside: lets another thread read it.
        buffer: makes a writable buffer of so many bytes.
    """

    __slots__ = ("_aside", "_begin", "_buffer", "_file", "_future", "_memory", "_process", "_size")

    def __init__(self, file: "File", aside: Aside, buffer: Callable[[int], memoryview]) -> None:
        self._file = file
        self._aside = aside
        self._buffer = buffer
        self._future: Future[None] | None = None
        self._memory = memoryview(b"")
        self._begin = self._size = self._process = 0

    def room(self, size: int) -> memoryview:
        """Give a writable buffer of so many bytes, as large in memory as one that is read ahead: both take turns."""
        return self._buffer(_ROOM + size)[_ROOM:]

    def begin(self, position: int, size: int) -> None:
        """Read `size` bytes from `position` on, in place of what was asked for before."""
        self.drop()
        self._memory = self._buffer(_ROOM + size + SLACK)
        self._begin, self._size, self._process = position, size, os.getpid()
        # What the thread needs is here alone, so that no buffer is in use because a thread has not yet forgotten it.
        self._future = self._aside(self._fill)

    def take(self, position: int, held: memoryview) -> memoryview | None:
        """Give bytes of the file as far as they were read ahead, which ends that; waits if they are being read.

        Args:
            position: where they begin, in bytes.
            held: the first ones, if the caller has some.

        Returns:
            Those bytes, and `SLACK` more of no meaning. None if what follows `held` was not read ahead.

        Raises:
            SourceError: reading failed.
        """
        future, skipped = self._future, position + len(held) - self._begin
        if future is None or not 0 <= skipped < self._size or not self._is_begun(future):
            self.drop()
            return None
        self._future = None
        try:
            future.result()
            memory = self._memory
        finally:
            self._memory = memoryview(b"")
        start = _ROOM + skipped
        if len(held) > start:
            joined = self._buffer(len(held) + self._size - skipped + SLACK)
            joined[len(held) :] = memory[start:]
            memory, start = joined, len(held)
        first = start - len(held)
        memory[first:start] = held
        return memory[first:]

    def drop(self) -> None:
        """Read no more: waits until the thread has left the file and the buffer alone."""
        future, self._future = self._future, None
        if future is not None and self._is_begun(future):
            wait([future])
        self._memory = memoryview(b"")

    def _is_begun(self, future: "Future[None]") -> bool:
        """Whether the thread has begun, and is one of this process; if it has not, it never will."""
        # A forked child has none of the threads, and their locks may be held for good.
        return self._process == os.getpid() and not future.cancel()

    def _fill(self) -> None:
        self._file.readinto_at(self._begin, self._memory[_ROOM : _ROOM + self._size])
