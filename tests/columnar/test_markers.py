"""Markers read many at once say what the reference engine says of them, or nothing."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.columnar.headers import CONTROL, read_batches
from kafkafmt.columnar.markers import ABORT, COMMIT, NOT_ORDINARY, marker_types
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from tests.golden_cases import Case, cases
from tests.reference import builder
from tests.transactions import data, marker


def types_of(content: bytes) -> list[int]:
    types: list[int] = marker_types(read_batches(memoryview(content), 0, 0, Limits())).tolist()
    return types


def test_markers_as_brokers_write_them_are_ordinary() -> None:
    assert types_of(marker(5, 1, ABORT) + marker(6, 1, COMMIT) + marker(7, 1, ABORT, epoch=9)) == [ABORT, COMMIT, ABORT]


@pytest.mark.parametrize(
    "content",
    [
        marker(0, 1, 2),
        marker(0, 1, 256),
        marker(0, 1, COMMIT, key=struct.pack(">hh", 1, 1)),
        marker(0, 1, COMMIT, key=struct.pack(">h", 1)),
        marker(0, 1, COMMIT, value=struct.pack(">hi", 1, 7)),
        marker(0, 1, COMMIT, value=struct.pack(">h", 0)),
        marker(0, 1, COMMIT, timestamp_delta=-1),
        marker(0, 1, COMMIT, timestamp_delta=-(2**40)),
        builder.batch([builder.R()] * 2, attributes=CONTROL),
        data(0, 1),
    ],
    ids=range(10),
)
def test_anything_else_is_not(content: bytes) -> None:
    assert types_of(content) == [NOT_ORDINARY]


def test_none_are_none() -> None:
    assert types_of(b"") == []


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_golden_markers_are_what_the_reference_engine_reads(case: Case) -> None:
    for path in case.files("*.log"):
        content = path.read_bytes()
        batches = read_batches(memoryview(content), 0, 0, Limits())
        control = np.flatnonzero((batches.headers["attributes"] & CONTROL) != 0)
        chosen = batches[control]
        for start, end, header, found in zip(
            chosen.starts, chosen.ends, chosen.headers, marker_types(chosen), strict=True
        ):
            if header["producer_id"] >= 0 and (header["attributes"] & 0x40) == 0:
                assert found != NOT_ORDINARY, path
            if found != NOT_ORDINARY:
                first = next(Entry(content[start:end]).records())
                assert first.control_type_id == found, path


@given(st.sampled_from([ABORT, COMMIT]), st.lists(st.tuples(st.integers(61, 77), st.integers(0, 255)), max_size=3))
def test_changed_markers_are_what_the_reference_engine_reads(kind: int, changes: list[tuple[int, int]]) -> None:
    content = bytearray(marker(3, 1, kind))
    for position, value in changes:
        content[position] = value
    (found,) = types_of(bytes(content))
    if found != NOT_ORDINARY:
        assert next(Entry(bytes(content)).records()).control_type_id == found
