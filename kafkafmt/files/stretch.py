"""Stretch: bytes of a log segment in which a walk stands, for whoever can take many entries at once."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from kafkafmt.codec.compression.buffer import references_are_counted

T = TypeVar("T")


@dataclass(slots=True)
class Stretch:
    """Bytes that lie ahead of a walk: one whole entry at least, and what was read with it.

    Attributes:
        data: the bytes, from the entry on which the walk stands; the last entry may be cut off. They may be written
            over once the walk goes on, as soon as nobody refers to them any more.
        position: where in the file `data` begins, in bytes.
        taken: how many of these bytes the taker is done with; whole entries, 0 for none.
        last: where in the file the last entry taken begins; None if nothing is taken.
        passed_over: the same, if the CRC of that entry was left unchecked because of what its header says; else None.
        ends_walk: whether nothing behind the entries taken is wanted.
    """

    data: memoryview
    position: int
    taken: int = 0
    last: int | None = None
    passed_over: int | None = None
    ends_walk: bool = False


Take = Callable[[Stretch], Iterator[T]]
"""Yields what it makes of as many entries as it can take, from the first on; the stretch is told how far it came."""


class ReusedBuffer:
    """Gives the same memory again, once nobody refers to what it gave before: fresh pages take longer than reading.

    Without CPython's GIL, which makes reference counts exact, the memory is new each time.
    """

    _LITTLE = 8 * 1024 * 1024

    def __init__(self) -> None:
        self._memory = bytearray()
        self._unshared = sys.getrefcount(self._memory)

    def __call__(self, size: int) -> memoryview:
        """Give a writable buffer of so many bytes, whatever they hold."""
        fits = size <= len(self._memory) <= max(self._LITTLE, 4 * size)
        if not fits or not references_are_counted() or sys.getrefcount(self._memory) > self._unshared:
            self._memory = bytearray()  # the old one is freed first, if nobody refers to it
            self._memory = bytearray(size)
        return memoryview(self._memory)[:size]


def new_buffer(size: int) -> memoryview:
    """Make a writable buffer of so many bytes."""
    return memoryview(bytearray(size))
