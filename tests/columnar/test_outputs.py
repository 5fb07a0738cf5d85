"""The pool of arrays: unreferenced arrays are reused, referenced ones never."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from kafkafmt.columnar.outputs import Buffers, arrow_buffer
from kafkafmt.files.read_window import ReusedBuffer

LARGE = 100_000
COLUMN = "offset"


def address(array: npt.NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("count", [0, 1, 1000, LARGE])
def test_arrays_are_large_enough(dtype: type, count: int) -> None:
    array = Buffers().take(COLUMN, count, dtype)
    assert array.dtype == dtype
    assert count <= array.size <= 2 * count


def test_a_free_array_is_taken_again() -> None:
    buffers = Buffers()
    array = buffers.take(COLUMN, LARGE, np.int64)
    where = address(array)
    del array
    assert address(buffers.take(COLUMN, LARGE, np.int64)) == where


@pytest.mark.parametrize("has_gil", [True, False])
def test_nothing_is_used_again_where_references_are_not_counted(has_gil: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: has_gil, raising=False)
    buffers, memory = Buffers(), ReusedBuffer()
    buffers.take(COLUMN, LARGE, np.uint8)[:] = 7
    assert bool(buffers._arrays) == has_gil
    memory(LARGE)[:] = b"\7" * LARGE
    assert bytes(memory(LARGE)) == (b"\7" if has_gil else b"\0") * LARGE


def test_an_array_in_use_is_not() -> None:
    buffers = Buffers()
    array = buffers.take(COLUMN, LARGE, np.int64)
    part = array[5:7]
    where = address(array)
    del array
    assert address(buffers.take(COLUMN, LARGE, np.int64)) != where
    del part
    assert where in {address(buffers.take(COLUMN, LARGE, np.int64)) for _ in range(3)}


def test_an_array_that_arrow_holds_is_not() -> None:
    buffers = Buffers()
    array = buffers.take(COLUMN, LARGE, np.int64)
    array[:] = 7
    where = address(array)
    column = pa.Array.from_buffers(pa.int64(), LARGE, [None, arrow_buffer(array, LARGE)])
    assert column.buffers()[1].address == where
    del array
    child = pa.chunked_array([column.slice(10, 5)])
    del column
    other = buffers.take(COLUMN, LARGE, np.int64)
    other[:] = 8
    assert child.to_pylist() == [7] * 5
    del child, other
    assert where in {address(each) for each in [buffers.take(COLUMN, LARGE, np.int64) for _ in range(2)]}


def test_no_more_arrays_are_kept_than_are_of_use() -> None:
    buffers = Buffers()
    held = [buffers.take(COLUMN, LARGE, np.int64) for _ in range(100)]
    assert len({address(each) for each in held}) == 100
    first = address(held[0])
    del held
    assert first not in {address(each) for each in [buffers.take(COLUMN, LARGE, np.int64) for _ in range(4)]}
    assert len(buffers._arrays[COLUMN]) == 4
    buffers.trim()
    assert len(buffers._arrays[COLUMN]) == 2


def test_a_column_gets_its_own_arrays_again() -> None:
    buffers = Buffers()
    where = {name: address(buffers.take(name, LARGE, np.int64)) for name in ("key data", "value data")}
    for name in ("value data", "key data", "key data"):
        assert address(buffers.take(name, LARGE, np.int64)) == where[name]


@pytest.mark.parametrize("first", [LARGE, 40 * LARGE])
def test_an_array_for_less_is_given_as_one_of_that_size(first: int) -> None:
    buffers = Buffers()
    where = address(buffers.take(COLUMN, first, np.uint8))
    array = buffers.take(COLUMN, LARGE, np.uint8)
    assert address(array) == where
    assert LARGE <= array.size <= 2 * LARGE
    column = pa.Array.from_buffers(pa.uint8(), LARGE, [None, arrow_buffer(array, LARGE)])
    assert column.buffers()[1].address == where
    del array
    assert address(buffers.take(COLUMN, LARGE, np.uint8)) != where


def test_a_huge_array_is_not_given_for_little() -> None:
    buffers = Buffers()
    buffers.take(COLUMN, 60 << 20, np.uint8)
    assert buffers.take(COLUMN, LARGE, np.uint8).base.size <= 2 * LARGE  # type: ignore[union-attr]


def test_what_fills_little_of_an_array_is_copied() -> None:
    array = Buffers().take(COLUMN, LARGE, np.int64)
    array[:] = 1
    for count, is_copy in ((10, True), (LARGE, False)):
        buffer = arrow_buffer(array, count)
        assert buffer.size == count * 8
        assert (buffer.address != address(array)) == is_copy
        assert np.frombuffer(buffer, np.int64).tolist() == [1] * count


def test_what_all_columns_take_is_bounded() -> None:
    buffers = Buffers()
    for megabytes in range(1, 40):
        for name in ("key data", "value data", "header key data"):
            del_me = buffers.take(name, megabytes << 20, np.uint8)
            del del_me
    assert sum(array.nbytes for arrays in buffers._arrays.values() for array in arrays) <= 1 << 27
    assert len(buffers.take("key data", 39 << 20, np.uint8)) >= 39 << 20


def test_read_buffers_are_the_same_for_all_unless_somebody_refers_to_them() -> None:
    first = ReusedBuffer()(LARGE)
    first[:] = b"\7" * LARGE
    other = ReusedBuffer()(LARGE)
    other[:] = b"\x08" * LARGE
    assert bytes(first) == b"\7" * LARGE
    part = first[5:7]
    del first, other
    again = [ReusedBuffer()(LARGE) for _ in range(2)]
    assert sorted(bytes(each[:1]) for each in again) == [b"\0", b"\x08"]
    assert bytes(part) == b"\7\7"


@pytest.mark.slow
def test_read_buffers_of_many_readers_are_bounded_and_nobody_else_s() -> None:
    def fill(number: int) -> bool:
        for _ in range(200):
            memory = ReusedBuffer()(LARGE + number)
            memory[:] = bytes([number]) * len(memory)
            time.sleep(0)
            if memory.tobytes().strip(bytes([number])):
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(fill, range(1, 33)))
    held = [ReusedBuffer()(5 << 20) for _ in range(4)]
    assert sum(map(len, ReusedBuffer._little)) <= ReusedBuffer._KEPT
    del held
    large = ReusedBuffer()
    assert len(large(20 << 20)) == 20 << 20
    assert sum(map(len, ReusedBuffer._little)) <= ReusedBuffer._KEPT
