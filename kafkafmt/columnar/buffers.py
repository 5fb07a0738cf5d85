"""Arrays that kernels fill and Arrow holds, used again once nobody holds them; without CPython's GIL never."""

import sys
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.codec.compression.buffer import references_are_counted
from kafkafmt.columnar.compiling import CHECK_ACCESS
from kafkafmt.columnar.copying import UInt8s

_SMALLEST = 1 << 16
_LARGEST = 1 << 26
# One is filled, a reader holds another, and a few are held until they are put together.
_MOST_OF_A_COLUMN = 4
# Of each column, what a scan leaves to the next: one to fill, and one that a reader may still hold.
_KEPT_OF_A_COLUMN = 2
# Those of one record batch and the one before take half of it, when batches are of 1 MB; most of it is never touched.
_MOST_BYTES = 1 << 27
# An array is not given for much less than it has, unless it is of the usual size: its user would keep all of it.
_USUAL = 1 << 24
_LEAST_PART = 4


def _references(arrays: deque[UInt8s], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNSHARED = _references(deque([np.empty(0, np.uint8)]), 0)


class Buffers:
    """A pool of arrays, of one thread; Arrow may drop what it was handed in any thread.

    A column gets its own arrays again, of which only the part is in memory that such a column fills.

    Attributes:
        filled: how many bytes the largest record batch wrote to its arrays.
    """

    __slots__ = ("_arrays", "filled")

    def __init__(self) -> None:
        # By column. An array that only its deque refers to is free.
        self._arrays: dict[str, deque[UInt8s]] = {}
        self.filled = 0

    @property
    def kept(self) -> int:
        """How many bytes of memory the pool takes, at most and about."""
        return self.filled * max(map(len, self._arrays.values()), default=0)

    def take(self, column: str, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Give an array of `count` elements or more, of any content; of exactly `count` where accesses are checked."""
        kind = np.dtype(dtype)
        size = count * kind.itemsize
        return self._bytes(column, size if CHECK_ACCESS else _rounded(size)).view(kind)

    def trim(self) -> None:
        """Drop all but a few arrays of each column, as no others are taken for a while."""
        for arrays in self._arrays.values():
            while len(arrays) > _KEPT_OF_A_COLUMN:
                arrays.popleft()

    def _bytes(self, column: str, size: int) -> UInt8s:
        if not _SMALLEST <= size <= _LARGEST or not references_are_counted():
            return np.empty(size, np.uint8)
        arrays = self._arrays.setdefault(column, deque())
        index = 0
        # The one that was taken first stands in front, and is most likely to be free again.
        while index < len(arrays):
            if _references(arrays, index) != _UNSHARED:
                index += 1
                continue
            array = arrays[index]
            del arrays[index]
            if size <= len(array) <= max(_LEAST_PART * size, _USUAL):
                arrays.append(array)
                return array[:size]
        if len(arrays) == _MOST_OF_A_COLUMN:
            arrays.popleft()
        array = np.empty(size, np.uint8)
        arrays.append(array)
        while sum(map(_total, self._arrays.values())) > _MOST_BYTES:
            max(self._arrays.values(), key=_total).popleft()
        return array


def arrow_buffer(array: npt.NDArray[Any], count: int) -> pa.Buffer:
    """Hand the first `count` elements to Arrow: the array itself if they fill a third of it, else a copy."""
    content = array[:count]
    if 3 * content.nbytes < array.nbytes:
        # Arrow's own memory: what malloc gives back to the system at once would be cleared for every record batch.
        copied = pa.allocate_buffer(content.nbytes)
        np.frombuffer(copied, array.dtype)[:] = content
        return copied
    return pa.py_buffer(content)


def _rounded(size: int) -> int:
    """Round up to a power of two, so that sizes that differ are one; what is never written takes no memory."""
    return 1 << (size - 1).bit_length() if size else 0


def _total(arrays: deque[UInt8s]) -> int:
    return sum(map(len, arrays))
