"""Kept answers: read from the disks when first asked for, and again after the disks have changed."""

import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_PAUSE: Final = 10.0
"""Pause after a reading, as a multiple of its duration: readings take at most a tenth of a processor."""


class KeptAnswer(Generic[T]):
    """A kept answer. Threads may share it.

    Args:
        read: reads the answer from the disks.
    """

    def __init__(self, read: Callable[[], T]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._known: T | None = None
        self._is_known = self._is_outdated = False
        self._not_before = 0.0

    def outdate(self) -> None:
        """Mark the answer as outdated, because the disks have changed; `get` may read it again."""
        self._is_outdated = True

    def get(self) -> T:
        """The current answer, or one that is older by a few times the duration of a reading."""
        if not self._is_due or not self._lock.acquire(blocking=not self._is_known):
            return self._known  # type: ignore[return-value]
        try:
            if self._is_due:
                self._is_outdated = False  # reset before reading, so that a change during the reading is not lost
                begun = time.monotonic()
                self._known = self._read()
                self._is_known = True
                now = time.monotonic()
                self._not_before = now + _PAUSE * (now - begun)
        finally:
            self._lock.release()
        return self._known

    @property
    def known(self) -> T:
        """The last answer, even an outdated one, so that no caller waits; only the first one is read."""
        return self._known if self._is_known else self.get()  # type: ignore[return-value]

    @property
    def _is_due(self) -> bool:
        return not self._is_known or (self._is_outdated and time.monotonic() >= self._not_before)
