"""Stretches: what a walk offers to whoever takes many entries at once; nothing is missed or visited twice."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import ChecksumError, CorruptError, Damage, Limits
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.files.stretch import Stretch, new_buffer
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import read_frame
from tests.reference.builder import R, batch, with_size

SMALL = len(batch([R(value=b"")]))
KIB = 1024


class Log(MemoryFile):
    """A file in memory in which little is worth jumping over."""

    def __init__(self, data: bytes, worth_skipping: int = 64 * KIB) -> None:
        super().__init__("a.log", data)
        self.worth_skipping = worth_skipping


def log(*sizes: int) -> bytes:
    return b"".join(batch([R(value=bytes(size))], base_offset=number) for number, size in enumerate(sizes))


def starts(data: bytes) -> list[int]:
    found = [0]
    while found[-1] < len(data):
        found.append(found[-1] + read_frame(data, found[-1]).size_in_bytes)
    return found[:-1]


def take_some(how_many: Callable[[int], int], seen: list[Stretch] | None = None) -> Callable[[Stretch], Iterator[Any]]:
    """Take so many of the whole entries of each stretch, at most; `how_many` gets the number of the stretch."""
    number = -1

    def take(stretch: Stretch) -> Iterator[tuple[str, int]]:
        nonlocal number
        number += 1
        if seen is not None:
            seen.append(stretch)
        for _ in range(how_many(number)):
            rest = len(stretch.data) - stretch.taken
            if rest < 17 or read_frame(stretch.data, stretch.taken).size_in_bytes > rest:
                return
            yield "taken", stretch.position + stretch.taken
            stretch.taken += read_frame(stretch.data, stretch.taken).size_in_bytes

    return take


def visit(entry: Entry) -> tuple[str, int]:
    return "visited", entry.position


@given(
    st.lists(st.sampled_from((0, 1, 50, 300, 2000)), max_size=20),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.sampled_from((20, 200, 1000, 64 * KIB)),
    st.sampled_from((None, 1, 100, 1000, 64 * KIB)),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_each_entry_is_taken_or_visited_once_and_in_order(
    sizes: list[int], counts: list[int], worth_skipping: int, ahead: int | None, first: int, last: int
) -> None:
    data = log(*sizes)
    positions = starts(data)
    begin = positions[min(first, len(positions) - 1)] if positions else 0
    end = positions[last] if last < len(positions) else None
    reader = SegmentReader(Log(data, worth_skipping), ahead=ahead)
    take = take_some(lambda number: counts[number % len(counts)])
    found = list(reader.walk(visit, begin, end, take=take))
    expected = [position for position in positions if begin <= position < (len(data) if end is None else end)]
    assert [position for _, position in found] == expected
    if expected:
        assert reader.position == (len(data) if end is None else end)


@given(st.lists(st.sampled_from((0, 50, 300)), max_size=20), st.integers(0, 400), st.sampled_from((None, 1, 700)))
def test_a_stretch_begins_with_an_entry_and_holds_it_whole(sizes: list[int], cut: int, ahead: int | None) -> None:
    whole = log(*sizes)
    data = whole[: len(whole) - cut]
    seen: list[Stretch] = []
    list(SegmentReader(Log(data), ahead=ahead).walk(visit, take=take_some(lambda number: number % 3, seen)))
    for stretch in seen:
        assert stretch.position in starts(whole)
        assert bytes(stretch.data) == data[stretch.position : stretch.position + len(stretch.data)]
        assert read_frame(stretch.data).size_in_bytes <= len(stretch.data)


def test_what_is_worth_jumping_over_is_visited_unless_all_is_read() -> None:
    data = log(0, 2000, 0)
    kinds = [kind for kind, _ in SegmentReader(Log(data, 500)).walk(visit, take=take_some(lambda _: 9))]
    assert kinds == ["taken", "visited", "taken"]
    reader = SegmentReader(Log(data, 500), ahead=100)
    assert [kind for kind, _ in reader.walk(visit, take=take_some(lambda _: 9))] == ["taken"] * 3


def test_what_is_larger_than_the_limit_is_never_offered() -> None:
    data = log(0, 2000, 0)
    reader = SegmentReader(Log(data), limits=Limits(max_batch_bytes=1000), ahead=100, on_damage="skip")
    assert [position for _, position in reader.walk(visit, take=take_some(lambda _: 9))] == [0, len(data) - SMALL]


def test_little_is_offered_behind_what_was_not_taken_and_then_ever_more() -> None:
    data = log(*[0] * 4000)
    seen: list[Stretch] = []
    take = take_some(lambda number: 4000 if number else 0, seen)
    list(SegmentReader(Log(data), ahead=1 << 20).walk(visit, take=take))
    offered = [len(stretch.data) for stretch in seen]
    assert offered[0] == len(data)
    assert offered[1:5] == [4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB]
    assert sum(offered[1:]) >= len(data) - SMALL


def test_where_refusals_come_close_together_ever_more_entries_are_visited_before_the_next_offer() -> None:
    data = log(*[0] * 1000)
    seen: list[Stretch] = []
    found = list(SegmentReader(Log(data), ahead=1 << 20).walk(visit, take=take_some(lambda _: 0, seen)))
    assert [kind for kind, _ in found] == ["visited"] * 1000
    visits = [(after.position - stretch.position) // SMALL for stretch, after in pairwise(seen)]
    assert visits[:8] == [1, 2, 4, 8, 16, 32, 64, 64]
    assert sum(len(stretch.data) for stretch in seen[1:]) <= len(seen) * 4 * KIB


def test_entries_that_are_taken_between_refusals_are_not_looked_at_again_and_again() -> None:
    data = log(*[0] * 4000)
    seen: list[Stretch] = []
    found = list(SegmentReader(Log(data), ahead=1 << 20).walk(visit, take=take_some(lambda _: 1, seen)))
    assert [position for _, position in found] == starts(data)
    assert sum(len(stretch.data) for stretch in seen[1:]) < 100 * 4 * KIB


def test_a_wrong_size_that_was_taken_on_trust_is_found_by_where_it_leads() -> None:
    good = batch([R(value=b"")])
    wrong = with_size(batch([R(value=b"")], base_offset=1), SMALL - 12 + 5)
    data = good + wrong + good
    damage: list[Damage] = []

    def take(stretch: Stretch) -> Iterator[str]:
        if stretch.position == 0:
            stretch.taken = len(good) + SMALL + 5
            stretch.passed_over = len(good)
        yield "taken"

    with pytest.raises(ChecksumError) as caught:
        list(SegmentReader(Log(data)).walk(visit, take=take))
    assert caught.value.position == len(good)
    reader = SegmentReader(Log(data), on_damage="skip", report=damage.append)
    assert list(reader.walk(visit, take=take))[-1] == ("visited", 2 * SMALL)
    assert [(each.position, each.length, each.reason) for each in damage] == [(SMALL, SMALL, "checksum")]


def test_a_taker_may_end_the_walk() -> None:
    data = log(0, 0, 0)

    def take(stretch: Stretch) -> Iterator[str]:
        stretch.taken = SMALL
        stretch.ends_walk = True
        yield "taken"

    reader = SegmentReader(Log(data))
    assert list(reader.walk(visit, take=take)) == ["taken"]
    assert reader.position == SMALL


def test_what_a_taker_raises_is_not_skipped() -> None:
    def take(stretch: Stretch) -> Iterator[str]:
        raise CorruptError("mine")
        yield

    with pytest.raises(CorruptError, match="mine"):
        list(SegmentReader(Log(log(0)), on_damage="skip").walk(visit, take=take))


def test_buffers_come_from_whoever_gives_them() -> None:
    given: list[int] = []

    def buffer(size: int) -> memoryview:
        given.append(size)
        return new_buffer(size)

    data = log(0, 0)
    list(SegmentReader(Log(data), ahead=KIB, buffer=buffer).walk(visit, take=take_some(lambda _: 9)))
    assert given == [len(data) + SLACK]
