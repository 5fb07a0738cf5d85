"""Stretch: bytes of a log segment in which a walk stands, for whoever can take many entries at once."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from kafkafmt.codec.compression.buffer import references_are_counted

T = TypeVar("T")


@dataclass(slots=True)
class Stretch:
    """Bytes that lie ahead of a walk: one whole entry at least, and what was read with it.

    Attributes:
        data: the bytes, from the entry on which the walk stands; the last entry may be cut off. They may be written
            over once the walk goes on, as soon as nobody refers to them any more.
        position: where in the file `data` begins, in bytes.
        padded: the same bytes, and `SLACK` more of no meaning, which kernels may read.
        taken: how many of these bytes the taker is done with; whole entries, 0 for none.
        last: where in the file the last entry taken begins; None if nothing is taken.
        passed_over: the same, if the CRC of that entry was left unchecked because of what its header says; else None.
        ends_walk: whether nothing behind the entries taken is wanted.
    """

    data: memoryview
    position: int
    padded: memoryview
    taken: int = 0
    last: int | None = None
    passed_over: int | None = None
    ends_walk: bool = False


Take = Callable[[Stretch], Iterator[T]]
"""Yields what it makes of as many entries as it can take, from the first on; the stretch is told how far it came."""


def _references(memories: list[bytearray]) -> int:
    return sys.getrefcount(memories[-1])


_UNSHARED = _references([bytearray()])


class ReusedBuffer:
    """Gives the same memory again, once nobody refers to what it gave before: fresh pages take longer than reading.

    Little memory is the same for all of them in the process, so that the next scan has it too. Without CPython's GIL,
    which makes reference counts exact, the memory is new each time.
    """

    _LITTLE = 8 * 1024 * 1024 + 4096
    _little: ClassVar[list[bytearray]] = []

    def __init__(self) -> None:
        self._large: list[bytearray] = []

    def __call__(self, size: int) -> memoryview:
        """Give a writable buffer of so many bytes, whatever they hold."""
        if not references_are_counted():
            return new_buffer(size)
        if size > self._LITTLE:
            return _taken(self._large, size, 4 * size)
        self._large.clear()
        given = _taken(self._little, size, self._LITTLE)
        while sum(map(len, self._little)) > self._LITTLE:
            del self._little[:1]
        return given


def _taken(memories: list[bytearray], least: int, most: int) -> memoryview:
    """Give memory of a list that nobody refers to, or new memory, which is put into the list.

    Free memory of a size that does not fit is dropped. What is out of the list is nobody else's: to take it out, and to
    put it in again, are single operations, so there is no lock that a finalizer or a forked child could wait for.
    """
    tried: list[bytearray] = []
    given: memoryview | None = None
    while memories and given is None:
        with suppress(IndexError):  # a thread took the last one
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
    """Make a writable buffer of so many bytes."""
    return memoryview(bytearray(size))
