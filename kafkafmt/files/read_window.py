"""ReadWindow: bytes of a log segment from which many entries can be taken at once; and the memory for them."""

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from kafkafmt.codec.compression.buffer import references_are_counted
from kafkafmt.limits import Limits
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_OVERHEAD_V0,
    is_compressed_message,
    read_frame,
    read_size,
)

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches
    from kafkafmt.files.length_check import LengthCheck

# Size of a window after a refused entry, doubled each time that all of it is taken; otherwise all bytes ahead would be
# examined in vain for each of many such entries.
_LEAST_OFFERED: Final = 4 * 1024
# Visiting this many entries takes less time than importing numpy.
_WORTH_NUMPY: Final = 500
# A window costs more than visiting a few entries. After a second consecutive refusal, this many entries are visited
# before the next window.
_MOST_VISITED: Final = 64


@dataclass(slots=True, eq=False)
class ReadWindow:
    """Bytes from the position of a walk on: at least one whole entry, and the bytes read with it.

    The consumer takes as many entries as possible in bulk, from the first on; the walk visits the next one.

    Attributes:
        data: the bytes; the last entry may be cut off. Empty once the walk continues, as the memory is reused.
        position: position of `data` in the file, in bytes.
        padded: the same bytes, and `SLACK` more of any value, which kernels may read.
        limits: bounds of memory.
        taken: number of bytes taken, in whole entries; 0 for none.
        last: position in the file of the last entry taken; None for none.
        crc_unchecked: whether that entry's header made checking its CRC unnecessary.
        ends_walk: to be set to end the walk after the entries taken.
        lengths: checks the lengths of batches; None to rely on CRCs for that.
    """

    data: memoryview
    position: int
    padded: memoryview
    limits: Limits
    taken: int = 0
    last: int | None = None
    crc_unchecked: bool = False
    ends_walk: bool = False
    lengths: "LengthCheck | None" = None

    @property
    def holds_entry(self) -> bool:
        """Whether a whole entry follows the last one taken."""
        left = len(self.data) - self.taken
        return left >= HEADER_SIZE_UP_TO_MAGIC and LOG_OVERHEAD + read_size(self.data, self.taken) <= left

    @property
    def begins_batch(self) -> bool:
        """Whether the next entry is a record batch of format v2."""
        return self.data[self.taken + MAGIC_OFFSET] == CURRENT_MAGIC

    def batches(self) -> "Batches":
        """Read the headers of the ordinary, adjacent record batches after the last one taken; perhaps none."""
        from kafkafmt.columnar.headers import read_batches  # noqa: PLC0415 (numpy)

        found = read_batches(self.padded, self.taken, self.position, self.limits, end=len(self.data))
        return found if self.lengths is None or not len(found) else found[: self.lengths.right(found, len(self.data))]

    def take(self, batches: "Batches", *, crc_unchecked: bool = False) -> None:
        """Take the next batches of this window; perhaps none.

        Args:
            batches: the result of `batches`, or the first of these batches.
            crc_unchecked: whether the CRC of the last one was left unchecked because of its header.
        """
        if len(batches):
            start = int(batches.starts[-1])
            self.taken = start + LOG_OVERHEAD + int(batches.headers["size"][-1])
            self.last = self.position + start
            self.crc_unchecked = crc_unchecked

    def take_messages(
        self,
        *,
        crc_unchecked: bool,
        offsets: list[int] | None = None,
        see: Callable[[int, int, int], None] | None = None,
    ) -> bool:
        """Take the next whole messages and wrappers of formats v0 and v1; return whether there are any.

        Args:
            crc_unchecked: whether their CRCs were left unchecked.
            offsets: list to extend by the offset of each message; wrappers are then not taken, as their offsets are in
                their messages.
            see: called with offset, position and size of each message.
        """
        data, end = self.data, self.taken
        while end + HEADER_SIZE_UP_TO_MAGIC <= len(data):
            size = read_size(data, end)
            after = end + LOG_OVERHEAD + size
            if data[end + MAGIC_OFFSET] >= CURRENT_MAGIC or size < RECORD_OVERHEAD_V0 or after > len(data):
                break
            if offsets is not None:
                if is_compressed_message(data[end:after]):
                    break
                offsets.append(read_frame(data, end).offset)
            self.last, self.crc_unchecked = self.position + end, crc_unchecked
            if see is not None:
                see(read_frame(data, end).offset, self.last, after - end)
            end = after
        taken, self.taken = self.taken, end
        return end > taken

    def clear(self) -> None:
        """Release the memory."""
        self.data = self.padded = memoryview(b"")


class WindowSizes:
    """Determines how many bytes the windows of a bulk walk offer, and how many entries are visited in between.

    Args:
        most: size of the file in bytes.

    Attributes:
        offered: maximal size of the next window in bytes, unless one entry is larger.
    """

    _visited_first: ClassVar[int] = 0

    __slots__ = ("_most", "_next_visits", "_visits", "offered")

    def __init__(self, most: int) -> None:
        self.offered = self._most = most
        self._visits = 0
        self._next_visits = 1

    def visits(self) -> bool:
        """Whether to visit the next entry without a window; so a process need not import numpy for a few."""
        if "numpy" not in sys.modules and WindowSizes._visited_first < _WORTH_NUMPY:
            WindowSizes._visited_first += 1
            return True
        if not self._visits:
            return False
        self._visits -= 1
        return True

    def see(self, window: ReadWindow) -> None:
        """Offer more in the next window; or less, and later, if a whole entry was refused in this one."""
        if not window.holds_entry:
            self.offered = min(2 * self.offered, self._most)
            self._next_visits = 1
            return
        if window.taken >= _LEAST_OFFERED:
            self._next_visits = 1
        self.offered = _LEAST_OFFERED
        # If nothing was taken from the window, the caller visits the refused entry at once.
        self._visits = self._next_visits - (not window.taken)
        self._next_visits = min(2 * self._next_visits, _MOST_VISITED)


def _references(memories: list[bytearray]) -> int:
    return sys.getrefcount(memories[-1])


_UNSHARED = _references([bytearray()])


class ReusedBuffer:
    """Reuses memory once nothing refers to it any more, as touching new pages takes longer than reading.

    Two blocks of at most `_LITTLE` bytes are kept for the next scan of the process: a window and its read-ahead.
    Without CPython's GIL, which makes reference counts exact, the memory is new each time.
    """

    _LITTLE = 9 * 1024 * 1024 + 8192
    _KEPT = 2 * _LITTLE
    _little: ClassVar[list[bytearray]] = []

    def __init__(self) -> None:
        self._large: list[bytearray] = []

    def __call__(self, size: int) -> memoryview:
        """Return a writable buffer of `size` bytes, not zeroed."""
        if not references_are_counted():
            return new_buffer(size)
        if size > self._LITTLE:
            return _taken(self._large, size, 4 * size)
        self._large.clear()
        given = _taken(self._little, size, self._LITTLE)
        while sum(map(len, self._little)) > self._KEPT:
            del self._little[:1]
        return given


def _taken(memories: list[bytearray], least: int, most: int) -> memoryview:
    """Return memory from a list to which nothing else refers, or new memory, which is added to the list.

    Free memory of an unsuitable size is dropped. A thread that takes memory out of the list owns it: taking and
    returning are single operations, so there is no lock that a finalizer or a forked child could wait for.
    """
    tried: list[bytearray] = []
    given: memoryview | None = None
    while memories and given is None:
        with suppress(IndexError):  # another thread took the last one
            tried.append(memories.pop())
            if _references(tried) == _UNSHARED:
                if least <= len(tried[-1]) <= most:
                    given = memoryview(tried[-1])[:least]
                else:
                    tried.pop()
    if given is None:
        tried.append(bytearray(least))
        given = memoryview(tried[-1])[:least]
    memories += tried
    return given


def new_buffer(size: int) -> memoryview:
    """Make a writable buffer of `size` bytes."""
    return memoryview(bytearray(size))
