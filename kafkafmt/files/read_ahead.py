"""FileWindow: a part of a file in memory that moves forward. ReadAhead: a thread that reads the bytes after it."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.libraries import futures

if TYPE_CHECKING:
    from kafkafmt.io.base import File

T = TypeVar("T")

# Space before the bytes read ahead, for the batch that the end of the window cuts: by Kafka's default at most 1 MiB.
_ROOM: Final = 1024 * 1024 + 4096

_WINDOW: Final = 1024 * 1024
# After a jump, this share of `File.worth_skipping` is read, and twice as much at each further read.
_PART_AFTER_A_JUMP: Final = 16
_PART_BEFORE_READING_AHEAD: Final = 8
# Limit of such a read, in multiples of `File.worth_skipping`, as each read also takes the time of a jump.
_JUMPS_A_READ: Final = 4
# A file that is rewritten again and again would otherwise keep its reader at the same position.
_MOST_RENEWALS: Final = 16
_COMPARED_AT_ONCE: Final = 1024 * 1024


class Aside(Protocol):
    """Lets another thread run a function when it is free."""

    def __call__(self, function: Callable[[], T], /) -> "futures.Future[T]":
        """Start the function; its future can be cancelled until it begins."""


class ReadAhead:
    """One range of a file that another thread reads.

    Args:
        file: the file, which stays open until `drop`.
        aside: lets another thread read it.
        buffer: makes a writable buffer of a size in bytes.
    """

    __slots__ = ("_aside", "_begin", "_buffer", "_file", "_future", "_memory", "_process", "_size")

    def __init__(self, file: "File", aside: Aside, buffer: Callable[[int], memoryview]) -> None:
        self._file = file
        self._aside = aside
        self._buffer = buffer
        self._future: futures.Future[None] | None = None
        self._memory = memoryview(b"")
        self._begin = self._size = self._process = 0

    def room(self, size: int) -> memoryview:
        """Return a writable buffer with as much memory as one that is read ahead, as both take turns."""
        return self._buffer(_ROOM + size)[_ROOM:]

    def begin(self, position: int, size: int) -> None:
        """Read `size` bytes from `position` on, replacing an earlier request."""
        self.drop()
        self._memory = self._buffer(_ROOM + size + SLACK)
        self._begin, self._size, self._process = position, size, os.getpid()
        # Only this object refers to the thread's state, so no buffer stays in use because a thread has not yet dropped
        # it.
        self._future = self._aside(self._fill)

    def take(self, position: int, held: memoryview) -> memoryview | None:
        """Return the bytes of the file that were read ahead, waiting for them if necessary; ends the request.

        Args:
            position: position of the wanted bytes, in bytes.
            held: the first of these bytes, if the caller already has some.

        Returns:
            The bytes, and `SLACK` more of any value. None if the bytes after `held` were not read ahead.

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
        """Stop reading: waits until the thread no longer uses the file and the buffer."""
        future, self._future = self._future, None
        if future is not None and self._is_begun(future):
            futures.wait([future])
        self._memory = memoryview(b"")

    def _is_begun(self, future: "futures.Future[None]") -> bool:
        """Whether the thread has begun, and belongs to this process; if it has not begun, it never will."""
        # A forked child has none of the threads, and their locks may be held forever.
        return self._process == os.getpid() and not future.cancel()

    def _fill(self) -> None:
        self._file.readinto_at(self._begin, self._memory[_ROOM : _ROOM + self._size])


class FileWindow:
    """A part of a file in memory that moves forward.

    Args:
        file: an open file.
        stop: position from which on no byte is read before it is requested.
        ahead: number of bytes to read at once if all are needed; None to read little more than requested.
        buffer: makes a writable buffer of a size in bytes.
        aside: lets another thread read, with `ahead`, the bytes after a window while that is decoded; None to read
            everything in the calling thread.
    """

    __slots__ = (
        "_ahead",
        "_all_ahead",
        "_begin",
        "_buffer",
        "_bytes",
        "_file",
        "_following",
        "_padded",
        "_renewed",
        "_stop",
    )

    def __init__(
        self, file: "File", stop: int, ahead: int | None, buffer: Callable[[int], memoryview], aside: Aside | None
    ) -> None:
        self._file = file
        self._stop = stop
        self._renewed = -1, 0  # a position, and how often its bytes have been compared
        self._all_ahead = ahead
        self._buffer = buffer
        self._following = None if aside is None or ahead is None else ReadAhead(file, aside, buffer)
        # Followed by `SLACK` bytes of any value.
        self._padded = self._bytes = memoryview(b"")
        self._begin = 0
        self._ahead = 0

    def at(self, position: int, length: int) -> memoryview:
        """Bytes of the file, which must exist; the window moves if it does not hold them."""
        begin = position - self._begin
        if begin < 0 or begin + length > len(self._bytes):
            self._move(position, length)
            begin = 0
        return self._bytes[begin : begin + length]

    def held(self, position: int, most: int) -> memoryview:
        """The held bytes from a position in the window on, at most `most`."""
        begin = position - self._begin
        return self._bytes[begin : begin + most]

    def held_padded(self, position: int, most: int) -> tuple[memoryview, memoryview]:
        """The same bytes as `held`, and these with `SLACK` more of any value."""
        begin = position - self._begin
        stop = min(begin + most, len(self._bytes))
        return self._bytes[begin:stop], self._padded[begin : stop + SLACK]

    @property
    def end(self) -> int:
        """End of the window in the file."""
        return self._begin + len(self._bytes)

    def renew(self, position: int, length: int) -> bool:
        """Forget the bytes in the window if the file has changed at a position; a few times at most for each position.

        Returns:
            Whether they will be read again.
        """
        if not self._begin <= position < self.end:
            return False
        self._renewed = position, self._renewed[1] + 1 if self._renewed[0] == position else 1
        if self._renewed[1] > _MOST_RENEWALS or not self._has_changed(position, self.held(position, length)):
            return False
        self.drop()
        self._padded = self._bytes = memoryview(b"")
        self._begin = 0
        return True

    def _has_changed(self, position: int, held: memoryview) -> bool:
        """Whether the file has other bytes at a position now; compared in pieces, as a batch can have any size."""
        for begin in range(0, len(held), _COMPARED_AT_ONCE):
            piece = held[begin : begin + _COMPARED_AT_ONCE]
            if piece != self._file.read_at(position + begin, len(piece)):
                return True
        return False

    def drop(self) -> None:
        """Stop reading ahead, as the file will be closed."""
        if self._following is not None:
            self._following.drop()

    def _move(self, position: int, length: int) -> None:
        """Move the window to `position`, with at least `length` bytes."""
        worth_skipping = self._file.worth_skipping
        window_end = self._begin + len(self._bytes)
        least = min(worth_skipping // _PART_AFTER_A_JUMP, _WINDOW)
        if self._all_ahead is not None:
            self._ahead = self._all_ahead
        elif self._begin <= position < window_end + worth_skipping:
            self._ahead = min(max(2 * self._ahead, least), max(_JUMPS_A_READ * worth_skipping, _WINDOW))
        else:
            self._ahead = least
        following = self._following
        most_held = _WINDOW if following is None else _ROOM + self._ahead
        held = memoryview(b"")
        if 0 < window_end - position <= most_held and self._begin <= position:
            held = self._bytes[position - self._begin :]
        memory = None if following is None else following.take(position, held)
        if memory is None or len(memory) - SLACK < length:
            held = memoryview(bytes(held if memory is None else memory[:-SLACK]))
            # Frees the old window; otherwise two of 128 MiB would be in memory at once.
            self._padded = self._bytes = memoryview(b"")
            memory = None
            size, buffer = self._ahead, self._buffer
            if following is not None and position + size < self._stop:
                buffer = following.room
                if not window_end:
                    # Little at first, so that decoding can begin while the next window is read.
                    size = min(size, max(size // _PART_BEFORE_READING_AHEAD, _JUMPS_A_READ * worth_skipping))
            size = min(max(length, size), self._file.size - position)
            memory = buffer(size + SLACK)
            memory[: len(held)] = held
            self._file.readinto_at(position + len(held), memory[len(held) : size])
        self._padded = memory.toreadonly()
        self._bytes = self._padded[:-SLACK]
        self._begin = position
        if following is not None:
            del held, memory
            end = position + len(self._bytes)
            if end < self._stop:
                following.begin(end, min(self._ahead, self._stop - end))
