"""How kernels are compiled: by numba, once a machine where that can be kept, else once a process.

With `KAFKAFMT_CHECK_ACCESS=1` in the environment, kernels compare every access with the bounds of its array, and raise
IndexError instead of reading or writing beyond them: for tests, since a sound kernel never does. They are several times
slower then, and their arrays are exactly as large as was asked for.
"""

import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import cgutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.extending import intrinsic

from kafkafmt.codec import compression

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


F = TypeVar("F", bound=Callable[..., Any])

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("NUMBA_DISABLE_JIT is set, and kernels do nothing uncompiled")

CHECK_ACCESS = os.environ.get("KAFKAFMT_CHECK_ACCESS") == "1"
"""Whether kernels check every access."""

# Without numba's runtime kernels cannot make arrays, and do not count references to those that they pass on: for each
# record that takes several times as long as the rest.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": CHECK_ACCESS}


def _sources() -> tuple[tuple[str, int, int], ...]:
    """Tell modules and their state: a kernel is made of other modules than its own, and of their constants."""
    packages = Path(__file__).parent, Path(compression.__file__).parent
    modules = sorted(module for package in packages for module in package.glob("*.py"))
    return tuple((module.name, stat.st_mtime_ns, stat.st_size) for module in modules for stat in [module.stat()])


_SOURCES = _sources()


class _Cache(FunctionCache):
    """numba's cache on disk, which may be full, damaged or read-only at any time: then there is none."""

    _impl_class = PrivateCacheFiles

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        checks = CHECK_ACCESS, numba.config.BOUNDSCHECK  # type: ignore[attr-defined]
        return (*super()._index_key(sig, codegen), _SOURCES, checks)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001 (a damaged pickle raises anything)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001 (as above: the index is read first)
            self.disable()  # type: ignore[no-untyped-call]


def kernel(function: F) -> F:
    """Compile a function that Python calls; the result is kept on disk, if a directory for it is writable and private.

    numba looks for `NUMBA_CACHE_DIR`, then next to the module, then in the user's cache directory. A directory that
    another user than this process's and root can write to is not used, for kernels are loaded with pickle: who writes
    there runs code as this user. `NUMBA_CACHE_DIR` not used is logged as a warning.
    """
    compiled: F = numba.njit(**_OPTIONS)(function)
    # With no such directory it is compiled anew in each process.
    with suppress(RuntimeError, OSError):
        # What numba's own enable_caching does, with our class.
        compiled._cache = _Cache(function)  # type: ignore[attr-defined, no-untyped-call] # noqa: SLF001
    return compiled


def part(function: F) -> F:
    """Compile a function that kernels call for every record; its code becomes a part of theirs."""
    compiled: F = numba.njit(forceinline=True, **_OPTIONS)(function)
    return compiled


def rare_part(function: F) -> F:
    """Compile a function that kernels call now and then."""
    compiled: F = numba.njit(**_OPTIONS)(function)
    return compiled


def address(context: Any, builder: Any, array_type: Any, array: Any, at: Any, size: Any) -> Any:
    """Compute the address of an index of an array of bytes, for instructions that go through a pointer.

    Where accesses are checked, the kernel raises IndexError unless all of the `size` bytes there are in the array.

    Args:
        context: as numba hands it to `generate`, as the next three.
        builder: makes LLVM's instructions.
        array_type: numba's type of the array.
        array: the array.
        at: the index, as an int64 of LLVM.
        size: how many bytes are read or written, at least one; likewise, or an int.
    """
    found = context.make_array(array_type)(context, builder, array)
    if context.enable_boundscheck:
        last = builder.add(at, builder.sub(at.type(size) if isinstance(size, int) else size, at.type(1)))
        for index in (at, last):
            cgutils.do_boundscheck(context, builder, index, found.nitems)
    return builder.gep(found.data, [at])


def instructions(function: Callable[..., Any]) -> Any:
    """Make a function of kernels out of the instructions that it gives to LLVM (numba's `intrinsic`)."""
    return intrinsic(function)
