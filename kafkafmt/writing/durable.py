"""Durable writes: syncs files and directory entries so that they survive a power failure.

Each file costs an fsync, which waits for the disk's cache: some milliseconds, or a minute for a log directory of 2,000
partitions. Linux can sync a whole file system at once (syncfs), and from 5.8 on reports writes that failed since one of
its files was opened: that is as safe, and costs one wait.
"""

import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Self

_MANY = 100  # files from which one wait for all writes of a file system is shorter than one for each file
# The first version of Linux in which syncfs reports that writing failed.
_REPORTS_ERRORS = 5, 8
_CALL_FAILED = -1


class Tree:
    """A directory that is filled, and then synced to the disk with everything in it.

    Args:
        directory: the directory, before anything is written into it.

    Raises:
        OSError: the directory cannot be opened.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._since = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._since)

    def sync(self) -> None:
        """Sync all files and directories to the disk.

        Raises:
            OSError: a part could not be written, now or since the directory was opened.
        """
        found = [
            os.path.join(parent, name) for parent, _, names in os.walk(self._directory) for name in (*names, os.curdir)
        ]
        syncfs = _syncfs() if len(found) > _MANY else None
        if syncfs is None:
            for each in found:
                sync(each)
        else:
            syncfs(self._since)


def sync(path: str | os.PathLike[str]) -> None:
    """Sync a file, or the names in a directory, to the disk.

    Raises:
        OSError: it could not be written.
    """
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _syncfs() -> Callable[[int], None] | None:
    """The system's syncfs; None if there is none, or if it may hide that a write failed."""
    release = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if os.uname().sysname != "Linux" or release is None or tuple(map(int, release.groups())) < _REPORTS_ERRORS:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "syncfs"):
        return None

    def call(file: int) -> None:
        if library.syncfs(file) == _CALL_FAILED:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return call
