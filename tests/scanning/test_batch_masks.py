"""Masks say of each of many batches what `Selection` says of one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import Limits
from kafkafmt.columnar.headers import Batches, read_batches
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.scanning import selection as batch_masks
from kafkafmt.scanning.selection import OffsetRange, Selection
from tests.reference.builder import CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, TRANSACTIONAL, R, batch

TOP = 2**63 - 1
NUMBERS = st.integers(-3, 12) | st.sampled_from((TOP, TOP - 1, TOP - 5, -TOP - 1))
OFFSETS = st.integers(0, 12) | st.sampled_from((TOP - 20, TOP - 5))
BOUNDS = st.none() | NUMBERS | st.sampled_from((TOP - 19, TOP - 18))


@st.composite
def some_batches(draw: st.DrawFn) -> tuple[Batches, list[BatchHeader]]:
    """Batches with headers of all kinds, and what the reference engine says of each."""
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
def selections(draw: st.DrawFn) -> tuple[Selection, OffsetRange]:
    wanted: dict[str, Any] = {
        "start_timestamp": draw(BOUNDS),
        "end_timestamp": draw(BOUNDS),
        "key": draw(st.sampled_from((None, None, None, b"k"))),
        "control_records": draw(st.booleans()),
    }
    if draw(st.booleans()):
        wanted |= {"start_timestamp": None, "end_timestamp": None}
    return Selection(**wanted), OffsetRange(draw(BOUNDS), draw(BOUNDS))


@given(some_batches(), selections())
def test_masks_say_of_each_what_the_selection_says(
    both: tuple[Batches, list[BatchHeader]], asked: tuple[Selection, OffsetRange]
) -> None:
    batches, headers = both
    selection, offsets = asked
    assert batch_masks.can_be_masked(selection, offsets)
    passed_over = batch_masks.passed_over(selection, offsets, batches)
    assert passed_over.tolist() == [selection.passes_over(header, offsets) for header in headers]
    kept_whole = batch_masks.kept_whole(selection, offsets, batches)
    assert kept_whole.tolist() == [selection.keeps_all(header, offsets) for header in headers]


@pytest.mark.parametrize("bound", [2**63, -(2**63) - 1, 2**80])
def test_bounds_beyond_64_bits_are_not_for_masks(bound: int) -> None:
    assert not batch_masks.can_be_masked(Selection(), OffsetRange(bound))
    assert not batch_masks.can_be_masked(Selection(), OffsetRange(None, bound))
    assert not batch_masks.can_be_masked(Selection(start_timestamp=bound), OffsetRange())
    assert not batch_masks.can_be_masked(Selection(end_timestamp=bound), OffsetRange())
    assert batch_masks.can_be_masked(Selection(), OffsetRange(-(2**63), 2**63 - 1))
