"""Indexes read by ranges compared with whole reads, and their binary search compared with bisect."""

import math
import struct
from bisect import bisect_left, bisect_right
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import SourceError
from kafkafmt.files import offset_index
from kafkafmt.files.index_steps import IndexEntryChosen, IndexEntryCompared, IndexOpened, Step
from kafkafmt.files.offset_index import RangedOffsetIndex
from kafkafmt.files.time_index import RangedTimeIndex
from kafkafmt.io.base import MemoryFile
from tests.golden_cases import Case, cases


def packed(entries: list[tuple[int, int]], padding: int = 0) -> bytes:
    return b"".join(struct.pack(">ii", *entry) for entry in entries) + bytes(8 * padding)


@given(
    steps=st.lists(st.tuples(st.integers(1, 9), st.integers(61, 999)), min_size=1, max_size=40),
    padding=st.sampled_from([0, 1, 511, 513, 3000]),
    base=st.sampled_from([0, 7, 2**62]),
    asked=st.integers(-1, 400),
)
def test_entries_are_counted_and_given_as_the_whole_index_has_them(
    steps: list[tuple[int, int]], padding: int, base: int, asked: int
) -> None:
    entries = [(sum(s for s, _ in steps[:n]), sum(p for _, p in steps[:n])) for n in range(1, len(steps) + 1)]
    index = RangedOffsetIndex(MemoryFile("x", packed(entries, padding)), base)
    assert len(index) == len(entries)
    below = [position for offset, position in entries if offset <= asked]
    assert index.count_up_to(base + asked) == len(below)
    assert [index.position(number) for number in range(len(index))] == [position for _, position in entries]


@pytest.mark.parametrize("case", cases()[::4], ids=str)
def test_golden_indexes_have_as_many_entries(case: Case) -> None:
    for path in case.files("*.index"):
        data = path.read_bytes()
        whole = offset_index.parse(data, base_offset=0)
        index = RangedOffsetIndex(MemoryFile("x", data), 0)
        assert [index.position(number) for number in range(len(index))] == [entry.position for entry in whole]


@given(data=st.binary(max_size=200), offset=st.integers(-(2**63), 2**63))
def test_any_bytes_are_an_index(data: bytes, offset: int) -> None:
    index = RangedOffsetIndex(MemoryFile("x", data), 5)
    assert 0 <= index.count_up_to(offset) <= len(index) <= len(data) // 8
    for number in range(len(index)):
        assert 0 <= index.position(number) < 2**31 or data[8 * number + 4] >= 0x80


class Gone(MemoryFile):
    """A file that can no longer be read."""

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        raise SourceError("gone", position=position, expected=len(buffer))


def test_an_index_that_cannot_be_read_any_more_knows_nothing() -> None:
    index = RangedOffsetIndex(Gone("x", bytes(80_000)), 0)
    assert len(index) == 1
    assert index.position(0) == 0


class Counting(MemoryFile):
    """A file that counts its reads and the bytes read."""

    calls = read = 0

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        self.calls += 1
        self.read += len(buffer)
        return super().readinto_at(position, buffer)


def test_a_large_index_is_asked_a_few_blocks() -> None:
    file = Counting("x", packed([(number, 100 * number) for number in range(1, 100_000)], 1_200_000))
    index = RangedOffsetIndex(file, 0)
    assert len(index) == 99_999
    assert index.padding == 1_200_000
    assert index.position(index.count_up_to(70_000) - 1) == 7_000_000
    assert file.read < 160 * 1024


def test_what_is_asked_for_most_is_read_at_once() -> None:
    file = Counting("x", packed([(number, 100 * number) for number in range(1, 100_000)]))
    index = RangedOffsetIndex(file, 0)
    for offset in (99_999, 99_000, 98_976):
        assert index.count_up_to(offset) == offset
    assert (file.calls, file.read) == (1, 8192)


@given(
    steps=st.lists(st.integers(1, 50), min_size=1, max_size=300),
    times=st.integers(1, 20),
    padding=st.sampled_from([0, 1, 700, 3000]),
    asked=st.lists(st.integers(-5, 400_000) | st.integers(0, 3000), min_size=1, max_size=8),
)
def test_a_binary_search_finds_what_bisect_finds_for_few_reads(
    steps: list[int], times: int, padding: int, asked: list[int]
) -> None:
    keys = list(accumulate(steps * times))
    slots = len(keys) + padding
    most = 2 * math.log2(slots + 2) + 3
    offsets = Counting("x", packed([(key, 7 * key) for key in keys], padding))
    timestamps = Counting("x", b"".join(struct.pack(">qi", key, key) for key in keys) + bytes(12 * padding))
    for wanted in asked:
        offset_index = RangedOffsetIndex(offsets, 10**12)
        assert offset_index.count_up_to(10**12 + wanted) == bisect_right(keys, wanted)
        time_index = RangedTimeIndex(timestamps, 10**12)
        below = bisect_left(keys, wanted)
        found = time_index.last_below(wanted)
        assert found == (below - 1 if below else None)
        assert found is None or time_index.entry(found) == (keys[below - 1], keys[below - 1], 10**12 + keys[below - 1])
        assert offset_index.finding is time_index.finding is None
        for file in (offsets, timestamps):
            assert file.calls <= most
            file.calls = 0


def test_the_steps_of_a_search_are_told() -> None:
    steps: list[Step] = []
    index = RangedOffsetIndex(MemoryFile("x", packed([(3, 100), (5, 200), (9, 300)], 2) + b"\1"), 10, "t-0/x")
    assert index.count_up_to(16, steps.append) == 2
    assert steps == [
        IndexOpened("t-0/x", "index", 3, 2, 16, finding=index.oddity),
        IndexEntryCompared("t-0/x", "index", 1, 15, 200, None, is_below=True),
        IndexEntryCompared("t-0/x", "index", 2, 19, 300, None, is_below=False),
    ]
    assert str(index.oddity) == "t-0/x: position 40: the size of the index is not a multiple of 8 (found 41 bytes)"
    assert index.chosen(1) == IndexEntryChosen("t-0/x", "index", 1, 15, 200)
    assert index.chosen(None) == IndexEntryChosen("t-0/x", "index", None)
    steps.clear()
    times = RangedTimeIndex(MemoryFile("y", struct.pack(">qiqi", 50, 1, 70, 4)), 10)
    assert times.last_below(70, steps.append) == 0
    assert times.last_below(50, steps.append) is None
    assert times.last_below(None, steps.append) == 1
    assert steps == [
        IndexOpened("y", "timeindex", 2, 0, 69),
        IndexEntryCompared("y", "timeindex", 1, 14, None, 70, is_below=False),
        IndexEntryCompared("y", "timeindex", 0, 11, None, 50, is_below=True),
        IndexEntryChosen("y", "timeindex", 0, 11, None, 50),
        IndexOpened("y", "timeindex", 2, 0, 49),
        IndexEntryCompared("y", "timeindex", 1, 14, None, 70, is_below=False),
        IndexEntryCompared("y", "timeindex", 0, 11, None, 50, is_below=False),
        IndexEntryChosen("y", "timeindex", None),
        IndexOpened("y", "timeindex", 2, 0, None),
        IndexEntryChosen("y", "timeindex", 1, 14, None, 70),
    ]


def test_an_index_that_was_never_written_to_has_no_times() -> None:
    index = RangedTimeIndex(MemoryFile("x", bytes(120)), 10)
    assert index.last_below(100) is index.last_below(None) is None
    assert RangedTimeIndex(MemoryFile("x", bytes(12)), 10).last_below(100) == 0
    assert RangedTimeIndex(MemoryFile("x", b""), 10).last_below(100) is None


def test_entries_out_of_order_are_found_out_where_they_are_compared() -> None:
    index = RangedOffsetIndex(MemoryFile("x", packed([(5, 1), (9, 2), (30, 3), (20, 4)])), 0)
    index.count_up_to(25)
    assert index.finding is None
    index.count_up_to(40)
    finding = "x: position 24: the entries of the index are out of order (expected 30 or more, found 20)"
    assert str(index.finding) == finding
    index.count_up_to(40)
    assert str(index.finding) == finding
