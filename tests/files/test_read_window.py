"""Windows, which a walk offers for taking many entries at once: no entry is missed or visited twice."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import ChecksumError, CorruptError, Damage, Limits
from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.files.read_window import ReadWindow, new_buffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import read_frame
from tests.reference.builder import R, batch, with_size

SMALL = len(batch([R(value=b"")]))
KIB = 1024


class Log(MemoryFile):
    """A file in memory in which small gaps are worth skipping."""

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


def take_some(
    how_many: Callable[[int], int], seen: list[ReadWindow] | None = None
) -> Callable[[ReadWindow], Iterator[Any]]:
    """Take at most `how_many(number of the window)` complete entries of each window."""
    number = -1

    def take(window: ReadWindow) -> Iterator[tuple[str, int]]:
        nonlocal number
        number += 1
        if seen is not None:
            seen.append(replace(window))  # the walk clears its own
        for _ in range(how_many(number)):
            rest = len(window.data) - window.taken
            if rest < 17 or read_frame(window.data, window.taken).size_in_bytes > rest:
                return
            yield "taken", window.position + window.taken
            window.taken += read_frame(window.data, window.taken).size_in_bytes

    return take


def visit(entry: Entry) -> tuple[str, int]:
    return "visited", entry.position


def walked(
    reader: SegmentReader, take: Callable[[ReadWindow], Iterator[Any]], begin: int = 0, end: int | None = None
) -> Iterator[Any]:
    """The results of `take` for the windows of a bulk walk, and of `visit` for the entries between."""
    for found in reader.bulk_walk(visit, begin, end):
        if isinstance(found, ReadWindow):
            yield from take(found)
        else:
            yield found


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
    found = list(walked(reader, take, begin, end))
    expected = [position for position in positions if begin <= position < (len(data) if end is None else end)]
    assert [position for _, position in found] == expected
    if expected:
        assert reader.position == (len(data) if end is None else end)


@given(st.lists(st.sampled_from((0, 50, 300)), max_size=20), st.integers(0, 400), st.sampled_from((None, 1, 700)))
def test_a_window_begins_with_an_entry_and_holds_it_whole(sizes: list[int], cut: int, ahead: int | None) -> None:
    whole = log(*sizes)
    data = whole[: len(whole) - cut]
    seen: list[ReadWindow] = []
    list(walked(SegmentReader(Log(data), ahead=ahead), take_some(lambda number: number % 3, seen)))
    for window in seen:
        assert window.position in starts(whole)
        assert bytes(window.data) == data[window.position : window.position + len(window.data)]
        assert read_frame(window.data).size_in_bytes <= len(window.data)


def test_what_is_worth_jumping_over_is_visited_unless_all_is_read() -> None:
    data = log(0, 2000, 0)
    kinds = [kind for kind, _ in walked(SegmentReader(Log(data, 500)), take_some(lambda _: 9))]
    assert kinds == ["taken", "visited", "taken"]
    reader = SegmentReader(Log(data, 500), ahead=100)
    assert [kind for kind, _ in walked(reader, take_some(lambda _: 9))] == ["taken"] * 3


def test_what_is_larger_than_the_limit_is_never_offered() -> None:
    data = log(0, 2000, 0)
    reader = SegmentReader(Log(data), limits=Limits(max_batch_bytes=1000), ahead=100, on_damage="skip")
    assert [position for _, position in walked(reader, take_some(lambda _: 9))] == [0, len(data) - SMALL]


def test_little_is_offered_behind_what_was_not_taken_and_then_ever_more() -> None:
    data = log(*[0] * 4000)
    seen: list[ReadWindow] = []
    take = take_some(lambda number: 4000 if number else 0, seen)
    list(walked(SegmentReader(Log(data), ahead=1 << 20), take))
    offered = [len(window.data) for window in seen]
    assert offered[0] == len(data)
    assert offered[1:5] == [4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB]
    assert sum(offered[1:]) >= len(data) - SMALL


def test_where_refusals_come_close_together_ever_more_entries_are_visited_before_the_next_offer() -> None:
    data = log(*[0] * 1000)
    seen: list[ReadWindow] = []
    found = list(walked(SegmentReader(Log(data), ahead=1 << 20), take_some(lambda _: 0, seen)))
    assert [kind for kind, _ in found] == ["visited"] * 1000
    visits = [(after.position - window.position) // SMALL for window, after in pairwise(seen)]
    assert visits[:8] == [1, 2, 4, 8, 16, 32, 64, 64]
    assert sum(len(window.data) for window in seen[1:]) <= len(seen) * 4 * KIB


def test_entries_that_are_taken_between_refusals_are_not_looked_at_again_and_again() -> None:
    data = log(*[0] * 4000)
    seen: list[ReadWindow] = []
    found = list(walked(SegmentReader(Log(data), ahead=1 << 20), take_some(lambda _: 1, seen)))
    assert [position for _, position in found] == starts(data)
    assert sum(len(window.data) for window in seen[1:]) < 100 * 4 * KIB


def test_a_wrong_size_that_was_taken_on_trust_is_found_by_where_it_leads() -> None:
    good = batch([R(value=b"")])
    wrong = with_size(batch([R(value=b"")], base_offset=1), SMALL - 12 + 5)
    data = good + wrong + good
    damage: list[Damage] = []

    def take(window: ReadWindow) -> Iterator[str]:
        if window.position == 0:
            window.taken = len(good) + SMALL + 5
            window.last, window.crc_unchecked = len(good), True
        yield "taken"

    with pytest.raises(ChecksumError) as caught:
        list(walked(SegmentReader(Log(data)), take))
    assert caught.value.position == len(good)
    reader = SegmentReader(Log(data), on_damage="skip", report=damage.append)
    assert list(walked(reader, take))[-1] == ("visited", 2 * SMALL)
    assert [(each.position, each.length, each.reason) for each in damage] == [(SMALL, SMALL, "checksum")]


def test_a_taker_may_end_the_walk() -> None:
    data = log(0, 0, 0)

    def take(window: ReadWindow) -> Iterator[str]:
        window.taken = SMALL
        window.ends_walk = True
        yield "taken"

    reader = SegmentReader(Log(data))
    assert list(walked(reader, take)) == ["taken"]
    assert reader.position == SMALL


def test_what_a_taker_raises_is_not_skipped() -> None:
    def take(window: ReadWindow) -> Iterator[str]:
        raise CorruptError("mine")
        yield

    with pytest.raises(CorruptError, match="mine"):
        list(walked(SegmentReader(Log(log(0)), on_damage="skip"), take))


def test_buffers_come_from_whoever_gives_them() -> None:
    given: list[int] = []

    def buffer(size: int) -> memoryview:
        given.append(size)
        return new_buffer(size)

    data = log(0, 0)
    list(walked(SegmentReader(Log(data), ahead=KIB, buffer=buffer), take_some(lambda _: 9)))
    assert given == [len(data) + SLACK]
