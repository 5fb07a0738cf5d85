"""Kernels whose arrays lie between inaccessible pages: an out-of-bounds access kills the process.

`KAFKAFMT_CHECK_ACCESS=1` compiles kernels that check each access, unlike those that users run. These are the users'
kernels. Each call gets copies of its arrays, at the end or the beginning of a page, and its output is copied back.
SIGSEGV cannot be caught, so run it in a separate process.
"""

import ctypes
import mmap
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar import outputs
from kafkafmt.columnar.libraries import Libraries
from kafkafmt.columnar.object_code import Kernel

Array = npt.NDArray[Any]

_PAGE = mmap.PAGESIZE
_PROT_NONE = 0
_LARGEST = 64 * 2**20


class _Region:
    """Some pages between two inaccessible ones.

    Args:
        pages: number of accessible pages.
    """

    def __init__(self, pages: int) -> None:
        self._end = (pages + 1) * _PAGE
        memory = mmap.mmap(-1, self._end + _PAGE)
        self._bytes = np.frombuffer(memory, np.uint8)
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for begin in (0, self._end):
            address = ctypes.c_void_p(self._bytes.ctypes.data + begin)
            if protect(address, ctypes.c_size_t(_PAGE), _PROT_NONE):
                raise OSError(ctypes.get_errno(), "mprotect")

    def place(self, array: Array, *, is_at_end: bool) -> Array:
        """Copy an array to one edge."""
        begin = self._end - array.nbytes if is_at_end else _PAGE
        copied = self._bytes[begin : begin + array.nbytes].view(array.dtype)
        copied[...] = array
        copied.flags.writeable = array.flags.writeable
        return copied


class _Regions(threading.local):
    """The free regions of a thread by their number of pages, a power of two."""

    def __init__(self) -> None:
        self.free: dict[int, list[_Region]] = {}
        self.calls = 0

    def take(self, size: int) -> tuple[int, _Region]:
        pages = 1 << max(0, (size - 1) // _PAGE).bit_length()
        free = self.free.setdefault(pages, [])
        return pages, free.pop() if free else _Region(pages)


_REGIONS = _Regions()


@contextmanager
def guarded() -> Iterator[None]:
    """Guard all kernel calls until the block ends."""
    called, rounded = Kernel.__call__, outputs._rounded

    def call(self: Kernel, *arguments: Any) -> Any:
        _REGIONS.calls += 1
        alone = _alone(list(_arrays(arguments)))
        taken = [_REGIONS.take(each.nbytes) for each in alone.values()]
        # Arrays are overrun past their end more often than before their start.
        is_at_end = _REGIONS.calls % 4 > 0
        copies = {
            identity: region.place(array, is_at_end=is_at_end)
            for (identity, array), (_, region) in zip(alone.items(), taken, strict=True)
        }
        try:
            return called(self, *(_replaced(each, copies) for each in arguments))
        finally:
            for identity, array in alone.items():
                if array.flags.writeable:
                    array[...] = copies[identity]
            for pages, region in taken:
                _REGIONS.free[pages].append(region)

    Kernel.__call__, outputs._rounded = call, lambda size: size  # type: ignore[method-assign]
    try:
        yield
    finally:
        Kernel.__call__, outputs._rounded = called, rounded  # type: ignore[method-assign]


def _arrays(values: Iterable[Any]) -> Iterator[Array]:
    """All arrays that can be copied; memory of libraries contains its own address."""
    for value in values:
        if isinstance(value, tuple) and not isinstance(value, Libraries):
            yield from _arrays(value)
        elif isinstance(value, np.ndarray) and value.ndim == 1 and value.flags.c_contiguous:
            yield value


def _alone(arrays: Sequence[Array]) -> dict[int, Array]:
    """Arrays with separate memory, by identity: shared memory must not be copied twice."""
    return {
        id(each): each
        for each in arrays
        if each.nbytes <= _LARGEST
        and not any(other is not each and np.may_share_memory(each, other) for other in arrays)
    }


def _replaced(value: Any, copies: Mapping[int, Array]) -> Any:
    if isinstance(value, Libraries):
        return value
    if isinstance(value, tuple):
        parts = [_replaced(each, copies) for each in value]
        return value._make(parts) if hasattr(value, "_make") else tuple(parts)
    return copies.get(id(value), value)
