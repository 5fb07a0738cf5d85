"""How kernels are compiled: by numba, once a machine where that can be kept, else once a process.

With `KAFKAFMT_CHECK_ACCESS=1` in the environment, kernels compare every access with the bounds of its array, and raise
IndexError instead of reading or writing beyond them: for tests, since a sound kernel never does. They are several times
slower then, and their arrays are exactly as large as was asked for.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

from kafkafmt.codec import compression
from kafkafmt.columnar.kernel_cache import PrivateCacheFiles

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
