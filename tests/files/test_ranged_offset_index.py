"""The offset index by ranged reads against the one that is read whole."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import SourceError
from kafkafmt.files import offset_index
from kafkafmt.files.file import MemoryFile
from kafkafmt.files.ranged_offset_index import RangedOffsetIndex
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
    assert list(index.positions_backwards(len(below))) == below[::-1]
    assert list(index.positions_backwards()) == [position for _, position in entries[::-1]]


@pytest.mark.parametrize("case", cases()[::4], ids=str)
def test_golden_indexes_have_as_many_entries(case: Case) -> None:
    for path in case.files("*.index"):
        data = path.read_bytes()
        whole = offset_index.parse(data, base_offset=0)
        index = RangedOffsetIndex(MemoryFile("x", data), 0)
        assert list(index.positions_backwards()) == [entry.position for entry in whole[::-1]]


@given(data=st.binary(max_size=200), offset=st.integers(-(2**63), 2**63))
def test_any_bytes_are_an_index(data: bytes, offset: int) -> None:
    index = RangedOffsetIndex(MemoryFile("x", data), 5)
    assert 0 <= index.count_up_to(offset) <= len(index) <= len(data) // 8
    assert len(list(index.positions_backwards())) == len(index)


class Gone(MemoryFile):
    """A file that cannot be read any more."""

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        raise SourceError("gone", position=position, expected=len(buffer))


def test_an_index_that_cannot_be_read_any_more_knows_nothing() -> None:
    index = RangedOffsetIndex(Gone("x", bytes(80_000)), 0)
    assert len(index) == 1
    assert list(index.positions_backwards()) == [0]


def test_a_large_index_is_asked_a_few_blocks() -> None:
    class Counting(MemoryFile):
        read = 0

        def readinto_at(self, position: int, buffer: memoryview) -> int:
            self.read += len(buffer)
            return super().readinto_at(position, buffer)

    file = Counting("x", packed([(number, 100 * number) for number in range(1, 100_000)], 1_200_000))
    index = RangedOffsetIndex(file, 0)
    assert len(index) == 99_999
    assert next(index.positions_backwards(index.count_up_to(70_000))) == 7_000_000
    assert file.read < file.size // 4
