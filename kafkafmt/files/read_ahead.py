"""FileWindow: bytes of a file in a window that moves forward. ReadAhead: a thread that reads the bytes after it."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.libraries import futures

if TYPE_CHECKING:
    from kafkafmt.io.base import File

T = TypeVar("T")

# Before the bytes read ahead there is space for the batch that the window cuts off: Kafka's default is 1 MiB at most.
_ROOM: Final = 1024 * 1024 + 4096

_WINDOW: Final = 1024 * 1024
# After a jump this share of the gap that would be worth a jump is read, and twice as much each time that reading goes
# on.
_PART_AFTER_A_JUMP: Final = 16
_PART_BEFORE_READING_AHEAD: Final = 8
# At most this many times as much: a read takes the time of a jump in addition to that of its bytes.
_JUMPS_A_READ: Final = 4
# A file that is rewritten again and again would otherwise keep its reader at the same place.
_MOST_RENEWALS: Final = 16
_COMPARED_AT_ONCE: Final = 1024 * 1024


class Aside(Protocol):
    """Lets another thread run a function, when it has time for that."""

    def __call__(self, function: Callable[[], T], /) -> "futures.Future[T]":
        """Start the function; its future can be cancelled until it begins."""


class ReadAhead:
    """One range of a file that another thread reads.

    Args:
        file: the file, which is open until `drop`.
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
        """Give a writable buffer, as large in memory as one that is read ahead: both take turns."""
        return self._buffer(_ROOM + size)[_ROOM:]

    def begin(self, position: int, size: int) -> None:
        """Read `size` bytes from `position` on, in place of the earlier request."""
        self.drop()
        self._memory = self._buffer(_ROOM + size + SLACK)
        self._begin, self._size, self._process = position, size, os.getpid()
        # The thread's state is here alone, so that no buffer stays in use because a thread has not yet forgotten it.
        self._future = self._aside(self._fill)

    def take(self, position: int, held: memoryview) -> memoryview | None:
        """Give the bytes of the file that were read ahead, which ends that; waits if they are being read.

        Args:
            position: where they begin, in bytes.
            held: the first ones, if the caller has some.

        Returns:
            Those bytes, and `SLACK` more of any value. None if the bytes after `held` were not read ahead.

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
            futures.wait([future])
        self._memory = memoryview(b"")

    def _is_begun(self, future: "futures.Future[None]") -> bool:
        """Whether the thread has begun, and belongs to this process; if it has not, it never will."""
        # A forked child has none of the threads, and their locks may be held for good.
        return self._process == os.getpid() and not future.cancel()

    def _fill(self) -> None:
        self._file.readinto_at(self._begin, self._memory[_ROOM : _ROOM + self._size])


class FileWindow:
    """Bytes of a file, in a window that moves forward.

    Args:
        file: an open file.
        stop: no byte of the file from here on is read before it is asked for.
        ahead: how many bytes to read at once if all are needed; None to read little more than asked for.
        buffer: makes a writable buffer of a size in bytes.
        aside: lets another thread read, with `ahead`, the bytes after a window while that is decoded; None to read all
            of it here.
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
        self._renewed = -1, 0  # a position, and how often its bytes were compared
        self._all_ahead = ahead
        self._buffer = buffer
        self._following = None if aside is None or ahead is None else ReadAhead(file, aside, buffer)
        # They are followed by `SLACK` bytes of any value.
        self._padded = self._bytes = memoryview(b"")
        self._begin = 0
        self._ahead = 0

    def at(self, position: int, length: int) -> memoryview:
        """Bytes of the file, which the caller knows to exist; the window moves if it does not hold them."""
        begin = position - self._begin
        if begin < 0 or begin + length > len(self._bytes):
            self._move(position, length)
            begin = 0
        return self._bytes[begin : begin + length]

    def held(self, position: int, most: int) -> memoryview:
        """Bytes from a position in the window on, at most `most`, if it holds them."""
        begin = position - self._begin
        return self._bytes[begin : begin + most]

    def held_padded(self, position: int, most: int) -> tuple[memoryview, memoryview]:
        """The same bytes as `held`; and with `SLACK` more of any value."""
        begin = position - self._begin
        stop = min(begin + most, len(self._bytes))
        return self._bytes[begin:stop], self._padded[begin : stop + SLACK]

    @property
    def end(self) -> int:
        """Where the window ends in the file."""
        return self._begin + len(self._bytes)

    def renew(self, position: int, length: int) -> bool:
        """Forget its bytes if the file has others now at a position; a few times at most for each position.

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
        """Whether the file has other bytes at a position now; compared in pieces, as a batch can be of any size."""
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
        """Let the window begin at `position`, and hold at least `length` bytes."""
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
            # This frees the old one, or two of 128 MiB would be in memory at once.
            self._padded = self._bytes = memoryview(b"")
            memory = None
            size, buffer = self._ahead, self._buffer
            if following is not None and position + size < self._stop:
                buffer = following.room
                if not window_end:
                    # Little at first, so that decoding can soon begin while the next window is read.
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
