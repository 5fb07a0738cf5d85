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
# As many are in use by two record batches of all columns, and a few more.
_MOST_OF_A_SIZE = 32
# Those of one record batch and the one before take half of it, when batches are of 1 MB; most of it is never touched.
_MOST_BYTES = 1 << 27


def _references(arrays: deque[UInt8s], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNSHARED = _references(deque([np.empty(0, np.uint8)]), 0)


class Buffers:
    """A pool of arrays, of one thread; Arrow may drop what it was handed in any thread."""

    __slots__ = ("_arrays",)

    def __init__(self) -> None:
        # By size in bytes. An array that only its deque refers to is free.
        self._arrays: dict[int, deque[UInt8s]] = {}

    def take(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Give an array of `count` elements or more, of any content; of exactly `count` where accesses are checked."""
        kind = np.dtype(dtype)
        size = count * kind.itemsize
        return self._bytes(size if CHECK_ACCESS else _rounded(size)).view(kind)

    def _bytes(self, size: int) -> UInt8s:
        if not _SMALLEST <= size <= _LARGEST or not references_are_counted():
            return np.empty(size, np.uint8)
        # The sizes that were asked for last stand at the end.
        arrays = self._arrays.pop(size, None) or deque()
        self._arrays[size] = arrays
        # The one that was taken first stands in front, and is most likely to be free again.
        for index in range(len(arrays)):
            if _references(arrays, index) == _UNSHARED:
                array = arrays[index]
                del arrays[index]
                arrays.append(array)
                return array
        if len(arrays) == _MOST_OF_A_SIZE:
            arrays.popleft()
        array = np.empty(size, np.uint8)
        arrays.append(array)
        while sum(each * len(kept) for each, kept in self._arrays.items()) > _MOST_BYTES and len(self._arrays) > 1:
            del self._arrays[next(iter(self._arrays))]
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
