"""Watching: whether a file or directory of this machine has changed, by one look at its status.

A poll costs one `stat` a path. Nothing is asked of the kernel's notifications: they are not portable, and miss what
another machine writes to a shared disk.
"""

import os
import time
from typing import Final, TypeAlias

Status: TypeAlias = tuple[int, int, int, int]
"""Device, inode, size in bytes, and time of the last change in ns."""

# So much may the clocks of a file server and of this machine differ.
_RECENT: Final = 10 * 10**9
_UNSEEN: Final[Status] = (-1, -1, -1, -1)


def status_of(path: str) -> Status | None:
    """Status of what is at a path now; None if nothing is there, or it may not be looked at."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Watch:
    """Tells whether what is at a path has changed since the look before.

    The kernel's clock ticks every few milliseconds, and what changes twice within a tick has the same time after both
    changes. So a change is reported at one look more, which comes later than that; not if it lies seconds back, nor of
    a file whose size shows each change.

    Args:
        path: an absolute path, or one that stays good.
        is_file: whether it is a file.

    Attributes:
        path: as given.
        status: at the last look; None if nothing was there.
    """

    __slots__ = ("_is_file", "_is_settled", "path", "status")

    def __init__(self, path: str, *, is_file: bool = False) -> None:
        self.path = path
        self._is_file = is_file
        self.status: Status | None = _UNSEEN
        self._is_settled = False

    def has_changed(self) -> bool:
        """Look, and say whether there is reason to read; true at the first look."""
        status = status_of(self.path)
        changed = status != self.status
        is_due = changed or not self._is_settled
        sizes = {known[2] for known in (status, self.status) if known is not None}
        has_grown = self._is_file and len(sizes) > 1
        self._is_settled = not changed or has_grown or status is None or status[3] < time.time_ns() - _RECENT
        self.status = status
        return is_due

    def unsettle(self) -> None:
        """Let the next look report a change, whatever it sees."""
        self._is_settled = False
