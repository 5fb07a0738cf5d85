"""Idle: what one scan of the process leaves to the next."""

import os
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Idle(Generic[T]):
    """Unused objects, one for each key, up to a number of bytes, that the next scan of the process need not make.

    Each step is one operation of a dict, which is atomic: there is no lock that a signal handler, a finalizer or a
    forked child could wait for. A forked child takes nothing that its parent left.

    Args:
        most: bytes that all of them take at most.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int) -> None:
        self._kept: dict[Hashable, tuple[int, T, int]] = {}
        self._most = most

    def take(self, key: Hashable) -> T | None:
        """Take out the object of a key, which is the caller's from now on; None if there is none."""
        process, kept, _ = self._kept.pop(key, (None, None, 0))
        return kept if process == os.getpid() else None

    def give(self, key: Hashable, left: T, size: int) -> None:
        """Keep an object that nobody uses any more, in place of an earlier one of its key, unless it is too large.

        Args:
            key: its key.
            left: the object.
            size: how many bytes it takes.
        """
        self._kept.pop(key, None)
        if size > self._most:
            return
        self._kept[key] = os.getpid(), left, size
        # The newest is the last one.
        for other, (_, _, held) in reversed(self._kept.copy().items()):
            size = held if other == key else size + held
            if size > self._most:
                self._kept.pop(other, None)
