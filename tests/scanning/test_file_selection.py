"""A selection judges many headers at once as it judges each."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import Limits
from kafkafmt.columnar.headers import Batches, read_batches
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.scanning.file_selection import FileSelection, OffsetRange
from kafkafmt.scanning.selection import Selection
from tests.reference.builder import CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, TRANSACTIONAL, R, batch

TOP = 2**63 - 1
NUMBERS = st.integers(-3, 12) | st.sampled_from((TOP, TOP - 1, TOP - 5, -TOP - 1))
OFFSETS = st.integers(0, 12) | st.sampled_from((TOP - 20, TOP - 5))
BOUNDS = st.none() | NUMBERS | st.sampled_from((TOP - 19, TOP - 18))


@st.composite
def some_batches(draw: st.DrawFn) -> tuple[Batches, list[BatchHeader]]:
    """Batches with headers of all kinds, and the reference engine's verdict on each."""
    data = [
        batch(
            [R()],
            base_offset=draw(OFFSETS),
            last_offset_delta=draw(st.integers(0, 5)),
            base_timestamp=draw(NUMBERS),
            max_timestamp=draw(NUMBERS),
            attributes=draw(st.sampled_from((0, 4)))
            | sum(draw(st.sets(st.sampled_from((CONTROL, TRANSACTIONAL, DELETE_HORIZON, LOG_APPEND_TIME))))),
        )
        for _ in range(draw(st.integers(1, 6)))
    ]
    found = read_batches(memoryview(b"".join(data)), 0, 0, Limits())
    assert len(found) == len(data)
    return found, [Entry(each).header() for each in data]


@st.composite
def selections(draw: st.DrawFn) -> FileSelection:
    wanted: dict[str, Any] = {
        "start_timestamp": draw(BOUNDS),
        "end_timestamp": draw(BOUNDS),
        "key": draw(st.sampled_from((None, None, None, b"k"))),
        "control_records": draw(st.booleans()),
    }
    if draw(st.booleans()):
        wanted |= {"start_timestamp": None, "end_timestamp": None}
    return Selection(**wanted).of_file(OffsetRange(draw(BOUNDS), draw(BOUNDS)))


@given(some_batches(), selections())
def test_masks_say_of_each_header_what_is_said_of_one(
    both: tuple[Batches, list[BatchHeader]], selection: FileSelection
) -> None:
    batches, headers = both
    assert selection.fits_kernels
    assert selection.ruled_out(batches).tolist() == [selection.rules_out(header) for header in headers]
    assert selection.covered(batches).tolist() == [selection.covers(header) for header in headers]


@pytest.mark.parametrize("bound", [2**63, -(2**63) - 1, 2**80])
def test_bounds_beyond_64_bits_are_not_for_kernels(bound: int) -> None:
    assert not FileSelection(OffsetRange(bound)).fits_kernels
    assert not FileSelection(OffsetRange(None, bound)).fits_kernels
    assert not FileSelection(OffsetRange(), start_timestamp=bound).fits_kernels
    assert not FileSelection(OffsetRange(), end_timestamp=bound).fits_kernels
    assert FileSelection(OffsetRange(-(2**63), 2**63 - 1)).fits_kernels
