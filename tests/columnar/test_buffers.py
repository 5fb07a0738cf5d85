"""The pool of arrays: what nobody holds is taken again, what somebody holds never."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from kafkafmt.columnar.buffers import Buffers, arrow_buffer
from kafkafmt.files.stretch import ReusedBuffer

LARGE = 100_000


def address(array: npt.NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("count", [0, 1, 1000, LARGE])
def test_arrays_are_large_enough(dtype: type, count: int) -> None:
    array = Buffers().take(count, dtype)
    assert array.dtype == dtype
    assert count <= array.size <= 2 * count


def test_a_free_array_is_taken_again() -> None:
    buffers = Buffers()
    array = buffers.take(LARGE, np.int64)
    where = address(array)
    del array
    assert address(buffers.take(LARGE, np.int64)) == where


@pytest.mark.parametrize("has_gil", [True, False])
def test_nothing_is_used_again_where_references_are_not_counted(has_gil: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: has_gil, raising=False)
    buffers, memory = Buffers(), ReusedBuffer()
    buffers.take(LARGE, np.uint8)[:] = 7
    assert bool(buffers._arrays) == has_gil
    memory(LARGE)[:] = b"\7" * LARGE
    assert bytes(memory(LARGE)) == (b"\7" if has_gil else b"\0") * LARGE


def test_an_array_in_use_is_not() -> None:
    buffers = Buffers()
    array = buffers.take(LARGE, np.int64)
    part = array[5:7]
    where = address(array)
    del array
    assert address(buffers.take(LARGE, np.int64)) != where
    del part
    assert where in {address(buffers.take(LARGE, np.int64)) for _ in range(3)}


def test_an_array_that_arrow_holds_is_not() -> None:
    buffers = Buffers()
    array = buffers.take(LARGE, np.int64)
    array[:] = 7
    where = address(array)
    column = pa.Array.from_buffers(pa.int64(), LARGE, [None, arrow_buffer(array, LARGE)])
    assert column.buffers()[1].address == where
    del array
    child = pa.chunked_array([column.slice(10, 5)])
    del column
    other = buffers.take(LARGE, np.int64)
    other[:] = 8
    assert child.to_pylist() == [7] * 5
    del child, other
    assert where in {address(each) for each in [buffers.take(LARGE, np.int64) for _ in range(2)]}


def test_no_more_arrays_are_kept_than_are_of_use() -> None:
    buffers = Buffers()
    held = [buffers.take(LARGE, np.int64) for _ in range(100)]
    assert len({address(each) for each in held}) == 100
    first = address(held[0])
    del held
    assert first not in {address(each) for each in [buffers.take(LARGE, np.int64) for _ in range(32)]}


def test_what_fills_little_of_an_array_is_copied() -> None:
    array = Buffers().take(LARGE, np.int64)
    array[:] = 1
    for count, is_copy in ((10, True), (LARGE, False)):
        buffer = arrow_buffer(array, count)
        assert buffer.size == count * 8
        assert (buffer.address != address(array)) == is_copy
        assert np.frombuffer(buffer, np.int64).tolist() == [1] * count


def test_sizes_that_nobody_asks_for_any_more_are_dropped() -> None:
    buffers = Buffers()
    for megabytes in range(1, 40):
        del_me = buffers.take(megabytes << 20, np.uint8)
        del del_me
    assert sum(size * len(arrays) for size, arrays in buffers._arrays.items()) <= 1 << 27
    array = buffers.take(39 << 20, np.uint8)
    assert len(array) >= 39 << 20
