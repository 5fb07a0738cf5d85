"""Which directory numba's cache of compiled kernels may be in: none that another user can write to.

numba unpickles what it finds in its cache, so who can write there runs code as the user who reads it.
"""

import logging
import os
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl

_LOG = logging.getLogger("kafkafmt")


@cache
def other_writer(directory: Path) -> str | None:
    """Find out whether another user than this process's and root can write to a directory, or to a kernel in it.

    A directory above counts too, for who can rename things in it can put another directory in this one's place. Below
    a directory that no other user may search, nothing else is open to them.

    Args:
        directory: where kernels are kept, or would be; without links in its path; need not exist.

    Returns:
        None if nobody else can (always on Windows, where access lists are not looked at), else what they can write to,
        as text for an error.

    Raises:
        OSError: a directory cannot be examined.
    """
    if os.name != "posix":
        return None
    searchable = True
    for path in _with_kernels(directory):
        found = path.lstat()
        mode = stat.S_IMODE(found.st_mode)
        if found.st_uid not in {0, os.geteuid()}:
            return f"{path} (owner: user id {found.st_uid})"
        if stat.S_ISLNK(found.st_mode):
            return f"{path} (a link)"
        if stat.S_ISDIR(found.st_mode) and not mode & (stat.S_IXGRP | stat.S_IXOTH):
            searchable = False
        # In a sticky directory, like /tmp, others can add to what is there, but not replace it.
        adds_only = bool(mode & stat.S_ISVTX) and path in directory.parents
        if searchable and mode & (stat.S_IWGRP | stat.S_IWOTH) and not adds_only:
            return f"{path} (mode {mode:04o})"
    return None


def _with_kernels(directory: Path) -> Iterator[Path]:
    """Go through the directories from the root down to this one, as far as they exist, then the kernels in it."""
    for path in (*reversed(directory.parents), directory):
        if not os.path.lexists(path):
            return
        yield path
    with os.scandir(directory) as entries:
        kernels = [entry.path for entry in entries if entry.name.endswith((".nbi", ".nbc"))]
    yield from map(Path, kernels)


@cache
def _warn_once(directory: str, writable: str) -> None:
    _LOG.warning("NUMBA_CACHE_DIR=%s is not used, because other users can write to %s", directory, writable)


def _private(locator: Any) -> Any:
    """Derive from one of numba's locators one that refuses where others can write, so that the next one is tried."""

    class Private(locator):  # type: ignore[misc]
        @cache  # noqa: B019 (a locator lives as long as its kernel)
        def get_cache_path(self) -> str:
            # Resolved once: a link could lead elsewhere after the check.
            path: str = super().get_cache_path()
            return os.path.realpath(path)

        @classmethod
        def from_function(cls, function: Any, file: str) -> Any:
            found = super().from_function(function, file)
            if found is None:
                return None
            writable = other_writer(Path(found.get_cache_path()))
            if writable is None:
                return found
            configured: str = numba.config.CACHE_DIR  # type: ignore[attr-defined]
            if configured and Path(found.get_cache_path()).is_relative_to(os.path.realpath(configured)):
                _warn_once(configured, writable)
            return None

        def ensure_cache_path(self) -> None:
            path = Path(self.get_cache_path())
            for missing in reversed([parent for parent in (path, *path.parents) if not parent.exists()]):
                missing.mkdir(mode=0o700, exist_ok=True)
            super().ensure_cache_path()

    return Private


class PrivateCacheFiles(CompileResultCacheImpl):
    """What numba's cache is made of, in the first of numba's places where no other user can write.

    Raises:
        RuntimeError: there is none.
    """

    _locator_classes = [_private(locator) for locator in CompileResultCacheImpl._locator_classes]  # noqa: SLF001, RUF012

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        # NUMBA_CACHE_LOCATOR_CLASSES names other locators than ours.
        if writable := other_writer(Path(os.path.realpath(self.locator.get_cache_path()))):
            raise RuntimeError(f"other users can write to {writable}")
