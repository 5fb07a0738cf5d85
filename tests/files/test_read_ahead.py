"""Read-ahead by another thread: same walk, no additional bytes read, no thread left."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kafkafmt import Damage, KafkafmtError, SourceError
from kafkafmt.codec.checksum import crc32c
from kafkafmt.files import read_ahead
from kafkafmt.files.read_ahead import Aside, ReadAhead
from kafkafmt.files.read_window import ReadWindow, new_buffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.base import MemoryFile
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import read_frame
from tests.engines import shown
from tests.reference.builder import R, batch

T = TypeVar("T")


class Log(MemoryFile):
    """A file in memory that records its reads, and cannot be read from position `broken` on."""

    def __init__(self, data: bytes, broken: int | None = None) -> None:
        super().__init__("a.log", data)
        self.reads: list[tuple[int, int]] = []
        self.broken = len(data) if broken is None else broken

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        count = super().readinto_at(position, buffer)
        self.reads.append((position, position + count))
        if position + count > self.broken:
            raise SourceError("broken", file=self.name, position=max(position, self.broken))
        return count


def log(*sizes: int) -> bytes:
    return b"".join(batch([R(value=bytes(size))], base_offset=number) for number, size in enumerate(sizes))


def at_once(function: Callable[[], T]) -> "Future[T]":
    """As fast as a thread can be."""
    future: Future[T] = Future()
    assert future.set_running_or_notify_cancel()
    try:
        future.set_result(function())
    except KafkafmtError as error:
        future.set_exception(error)
    return future


def never(_: Callable[[], T]) -> "Future[T]":
    """As slow as a thread can be."""
    return Future()


def taken(window: ReadWindow, most: int) -> Iterator[tuple[int, bytes]]:
    """The first complete entries of a window, up to a maximum and to one of another format or with a wrong CRC."""
    for _ in range(most):
        rest = len(window.data) - window.taken
        if rest < 17 or read_frame(window.data, window.taken).size_in_bytes > rest:
            return
        size = read_frame(window.data, window.taken).size_in_bytes
        data = bytes(window.data[window.taken : window.taken + size])
        if data[16] != 2 or crc32c(data[21:]) != int.from_bytes(data[17:21], "big"):
            return
        yield window.position + window.taken, data
        window.last = window.position + window.taken
        window.taken += size


def visit(entry: Entry) -> tuple[int, bytes]:
    entry.verify_checksum()
    return entry.position, bytes(entry.data)


def walked(log: Log, aside: Aside | None, ahead: int, counts: list[int], end: int | None = None) -> list[Any]:
    """The entries, damage, and final error of a walk over a log."""
    found: list[Any] = []
    damage: list[Damage] = []
    reader = SegmentReader(log, ahead=ahead, aside=aside, on_damage="skip", report=damage.append, end=end)
    number = 0
    try:
        for each in reader.bulk_walk(visit):
            if isinstance(each, ReadWindow):
                found.extend(taken(each, counts[number % len(counts)]))
                number += 1
            else:
                found.append(each)
    except KafkafmtError as error:
        found.append(shown(error))
    finally:
        reader.end()
    return [*found, *((each.position, each.length, each.reason) for each in damage)]


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@given(
    st.lists(st.sampled_from((0, 1, 50, 300, 2000)), max_size=20),
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
    st.sampled_from((1, 100, 700, 3000)),
    st.sampled_from((0, 10, 500)),
    st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from((0, 1, 2, 0x40, 0xFF))), max_size=3),
    st.integers(0, 20),
)
@example([0] * 7, [0, 2], 100, 0, [(424, 2)], 0)  # windows of other sizes
def test_a_walk_is_the_same_whoever_reads(
    pool: ThreadPoolExecutor,
    sizes: list[int],
    counts: list[int],
    ahead: int,
    room: int,
    flips: list[tuple[int, int]],
    cut: int,
) -> None:
    data = bytearray(log(*sizes))
    for position, bits in flips:
        if position < len(data):
            data[position] ^= bits
    whole = bytes(data[: max(0, len(data) - cut)])
    expected = walked(Log(whole), None, ahead, [9])
    with patch.object(read_ahead, "_ROOM", room):
        for aside in (pool.submit, at_once, never):
            assert walked(Log(whole), aside, ahead, [9]) == expected
            assert walked(Log(whole), aside, ahead, counts) == expected


@given(st.lists(st.sampled_from((0, 50, 300, 2000)), min_size=1, max_size=20), st.integers(0, 20))
@example([0] * 6 + [50, 50, 300, 300, 2000], 11)  # a truncated batch larger than the read-ahead
def test_each_byte_is_read_once_and_none_behind_the_end(sizes: list[int], last: int) -> None:
    data = log(*sizes)
    edges = [0]
    while edges[-1] < len(data):
        edges.append(edges[-1] + read_frame(data, edges[-1]).size_in_bytes)
    end = edges[min(last, len(edges) - 1)]
    for aside in (at_once, never):
        file = Log(data)
        found = walked(file, aside, 700, [9], end)
        assert [position for position, _ in found] == [edge for edge in edges if edge < end]
        assert all(begin < after for begin, after in file.reads)
        if aside is at_once and file.reads:
            begins, afters = zip(*file.reads, strict=True)
            assert (begins[0], *afters[:-1]) == begins
            assert end <= afters[-1] <= max(end, 700)


@pytest.mark.parametrize("aside", [at_once, never])
def test_what_cannot_be_read_is_said_where_the_walk_comes_to_it(aside: Aside) -> None:
    data = log(*[300] * 40)
    expected = walked(Log(data, 9000), None, 1000, [9])
    assert expected[-1] == shown(SourceError("broken", file="a.log", position=9000))
    found = walked(Log(data, 9000), aside, 1000, [9])
    assert found[-1] == expected[-1]
    # All rows before the failing read come first; its position depends on the reads before.
    every = walked(Log(data), None, 1000, [9])
    for entries in (found[:-1], expected[:-1]):
        assert entries == every[: len(entries)]
        assert 9000 - 2 * 1000 < entries[-1][0] < 9000


def test_only_the_first_piece_is_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Log, "worth_skipping", 10)
    for aside in (at_once, never):
        file = Log(log(*[300] * 40))
        walked(file, aside, 1600, [9])
        sizes = [after - begin for begin, after in file.reads if after - begin > 17]
        assert sizes[0] < 1600
        assert all(size > 1600 - 2 * 370 for size in sizes[1:-1])


def test_an_error_behind_the_end_of_the_walk_is_never_met() -> None:
    data = log(*[300] * 40)
    reader = SegmentReader(Log(data, 2000), ahead=1000, aside=at_once)
    for window in reader.bulk_walk(visit):
        assert isinstance(window, ReadWindow)
        list(taken(window, 9))
        if window.position:
            window.ends_walk = True
    assert 1000 < reader.position <= 2000


class Slow(Log):
    """A log whose end cannot be read before `go` is set."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.begun, self.go = threading.Event(), threading.Event()
        self.is_being_read = False

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        if threading.current_thread() is threading.main_thread():
            return super().readinto_at(position, buffer)
        self.is_being_read = True
        self.begun.set()
        assert self.go.wait(60)
        self.is_being_read = False
        return super().readinto_at(position, buffer)


def test_an_abandoned_walk_waits_until_nobody_reads(pool: ThreadPoolExecutor) -> None:
    file = Slow(log(*[300] * 40))
    given: list[memoryview] = []

    def buffer(size: int) -> memoryview:
        given.append(new_buffer(size))
        return given[-1]

    reader = SegmentReader(file, ahead=1000, aside=pool.submit, buffer=buffer)
    walk = reader.bulk_walk(visit)
    assert isinstance(next(walk), ReadWindow)
    assert file.begun.wait(60)
    threading.Timer(0.2, file.go.set).start()
    reader.end()
    assert not file.is_being_read
    assert len(given) == 2
    reader.end()


def test_a_read_that_has_not_begun_when_it_is_wanted_is_made_by_who_wants_it(pool: ThreadPoolExecutor) -> None:
    go = threading.Event()
    busy = pool.submit(go.wait, 60)
    data = log(*[300] * 40)
    file = Log(data)
    assert walked(file, pool.submit, 1000, [9]) == walked(Log(data), None, 1000, [9])
    go.set()
    assert busy.result()


def test_a_forked_child_reads_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Log(log(300, 300))
    ahead = ReadAhead(file, at_once, new_buffer)
    ahead.begin(0, 10)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert ahead.take(0, memoryview(b"")) is None
    ahead.begin(5, 10)
    memory = ahead.take(3, memoryview(b"ab"))
    assert memory is not None
    assert bytes(memory[:12]) == b"ab" + file.read_at(5, 10)
