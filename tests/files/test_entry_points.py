"""Positions to start reading at: no index is trusted, and the stretches cover the file."""

import struct

import pytest

from kafkafmt.errors import SourceError
from kafkafmt.files import entry_points
from kafkafmt.files.offset_index import RangedOffsetIndex
from kafkafmt.io.base import MemoryFile
from kafkafmt.limits import Limits
from tests.reference.builder import R, batch, message, with_size, wrapper

ENTRIES = [
    batch([R(0), R(9)], base_offset=0, last_offset_delta=9),
    message(10, b"x" * 50, key=b"k"),
    wrapper(19, message(0) + message(1)),
    batch([R(0)], base_offset=20),
    batch([R(0)], base_offset=21),
]
POSITIONS = [sum(map(len, ENTRIES[:number])) for number in range(len(ENTRIES) + 1)]
FILE = MemoryFile("a.log", b"".join(ENTRIES))


def index_of(*entries: tuple[int, int]) -> RangedOffsetIndex:
    return RangedOffsetIndex(MemoryFile("a.index", b"".join(struct.pack(">ii", *entry) for entry in entries)), 0)


def begin(offset: int, *entries: tuple[int, int], file: MemoryFile = FILE) -> int:
    return entry_points.at_or_before(file, index_of(*entries), offset, Limits())


FIRST = [(10, POSITIONS[1]), (11, POSITIONS[2]), (20, POSITIONS[3]), (21, POSITIONS[4])]
LAST = [(10, POSITIONS[1]), (19, POSITIONS[2]), (20, POSITIONS[3]), (21, POSITIONS[4])]


@pytest.mark.parametrize("entries", [FIRST, LAST], ids=["first offsets", "last offsets"])
def test_reading_begins_at_the_nearest_entry_that_does_not_begin_above(entries: list[tuple[int, int]]) -> None:
    begins = {5: 0, 9: 0, 10: POSITIONS[1], 15: POSITIONS[1], 19: POSITIONS[2], 20: POSITIONS[3], 99: POSITIONS[4]}
    assert {offset: begin(offset, *entries) for offset in begins} == begins


@pytest.mark.parametrize(
    "wrong",
    [
        (5, POSITIONS[4]),
        (5, POSITIONS[2] + 1),
        (5, -1),
        (5, 0),
        (5, POSITIONS[5]),
        (5, POSITIONS[5] - 3),
        (5, 2**31 - 1),
    ],
)
def test_an_index_entry_that_points_elsewhere_is_passed_over(wrong: tuple[int, int]) -> None:
    assert begin(15, wrong) == 0
    assert begin(15, (4, POSITIONS[1]), wrong) == POSITIONS[1]
    assert begin(15, (4, POSITIONS[1]), *[wrong] * 7) == POSITIONS[1]
    assert begin(15, (4, POSITIONS[1]), *[wrong] * 8) == 0


@pytest.mark.parametrize(
    "damaged",
    [
        ENTRIES[3][:-1] + b"\xff",
        with_size(ENTRIES[3], 13),
        with_size(ENTRIES[3], 10**6),
        ENTRIES[3][:16] + b"\x07" + ENTRIES[3][17:],
        batch([R(0)], base_offset=20, attributes=0x100),
        batch([R(0)], base_offset=20, count=-1),
    ],
)
def test_an_entry_that_is_damaged_is_no_place_to_begin(damaged: bytes) -> None:
    file = MemoryFile("a.log", b"".join([*ENTRIES[:3], damaged, ENTRIES[4]]))
    assert begin(20, *LAST, file=file) == POSITIONS[2]
    assert begin(20, *LAST) == POSITIONS[3]


def test_an_entry_above_the_limit_is_no_place_to_begin() -> None:
    limits = Limits(max_batch_bytes=len(ENTRIES[1]) - 1)
    assert entry_points.at_or_before(FILE, index_of(LAST[0]), 15, limits) == 0


def test_a_source_error_passes_through() -> None:
    class Shrunk(MemoryFile):
        def readinto_at(self, position: int, buffer: memoryview) -> int:
            if len(buffer) > 61:
                raise SourceError("shrunk")
            return super().readinto_at(position, buffer)

    with pytest.raises(SourceError):
        begin(15, LAST[0], file=Shrunk("a.log", b"".join(ENTRIES)))


# A record whose value holds a batch and a second one, which ends where the record does.
INNER = [batch([R(0)], base_offset=10), batch([R(0)], base_offset=11)]
OUTER = [ENTRIES[0], batch([R(0, value=b"".join(INNER))], base_offset=10), ENTRIES[3]]
AT = len(OUTER[0]) + OUTER[1].index(INNER[0])


@pytest.mark.parametrize("worth_skipping", [16, 10_000])
@pytest.mark.parametrize("inside", [AT, AT + len(INNER[0])])
def test_a_batch_in_a_record_is_no_place_to_begin(worth_skipping: int, inside: int) -> None:
    file = MemoryFile("a.log", b"".join(OUTER))
    file.worth_skipping = worth_skipping
    assert begin(15, (10, inside), file=file) == 0
    assert begin(15, (10, len(OUTER[0])), (11, inside), file=file) == len(OUTER[0])
    assert [begin for begin, _ in entry_points.ranges_from_end(file, index_of((10, inside)), 0, Limits())] == [0]


def test_what_cannot_be_told_of_an_entry_is_not_held_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file = MemoryFile("a.log", b"".join(ENTRIES))
    file.worth_skipping = 16
    assert begin(15, (5, POSITIONS[4]), (6, POSITIONS[1]), file=file) == POSITIONS[1]
    assert begin(20, (5, 3), (20, POSITIONS[3]), file=file) == POSITIONS[3]
    monkeypatch.setattr(entry_points, "_LARGEST_RANGE", 16)
    assert begin(20, (20, POSITIONS[3]), file=file) == POSITIONS[3]


@pytest.mark.parametrize("fails_at", [0, POSITIONS[3]])
def test_a_file_that_cannot_be_read_any_more_is_no_fault_of_the_index(fails_at: int) -> None:
    class Gone(MemoryFile):
        def readinto_at(self, position: int, buffer: memoryview) -> int:
            if position == fails_at:
                raise SourceError("gone")
            return super().readinto_at(position, buffer)

    file = Gone("a.log", b"".join(ENTRIES))
    file.worth_skipping = 16
    with pytest.raises(SourceError):
        begin(20, (20, POSITIONS[3]), file=file)
    with pytest.raises(SourceError):
        entry_points.is_believed(file, index_of((20, POSITIONS[3])), 0, Limits())


@pytest.mark.parametrize("entries", [None, [], LAST, [(3, 7)] * 9, [*LAST, *[(30, 7)] * 8]], ids=str)
@pytest.mark.parametrize("least", [16, 200, 10_000])
@pytest.mark.parametrize("first", [0, POSITIONS[2]])
def test_stretches_make_up_the_file_and_begin_with_entries(
    entries: list[tuple[int, int]] | None, least: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_points, "_LEAST_RANGE", least)
    file = MemoryFile("a.log", b"".join(ENTRIES))
    file.worth_skipping = 16
    index = None if entries is None else index_of(*entries)
    found = list(entry_points.ranges_from_end(file, index, first, Limits()))
    assert [end for _, end in found] == [file.size, *(begin for begin, _ in found[:-1])]
    assert found[-1][0] == first
    assert {begin for begin, _ in found} <= set(POSITIONS)
    assert all(end - begin >= least for begin, end in found[:-1])
    assert least != 16 or len(found) > 1
    assert least != 10_000 or len(found) == 1


def test_an_empty_file_has_no_stretch() -> None:
    assert list(entry_points.ranges_from_end(MemoryFile("a.log", b""), None, 0, Limits())) == []
