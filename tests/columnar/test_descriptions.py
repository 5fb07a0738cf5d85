"""Descriptions of many batches are those that the reference engine gives of each."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt import Limits
from kafkafmt.columnar.descriptions import descriptions
from kafkafmt.columnar.headers import read_batches
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import segment
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.source import open_file
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from tests.engines import shown, shown_headers
from tests.golden_cases import Case, cases
from tests.reference.builder import CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, TRANSACTIONAL, R, batch

INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
EDGES = st.sampled_from((-2, -1, 0, 2**31 - 2, 2**31 - 1))


@given(
    fields=st.fixed_dictionaries(
        {
            "base_offset": st.integers(0, 2**62),
            "leader_epoch": INT32,
            "last_offset_delta": st.integers(0, 2**31 - 1) | st.sampled_from((0, 1, 2**31 - 1)),
            "base_timestamp": INT64,
            "max_timestamp": INT64,
            "producer_id": INT64,
            "producer_epoch": st.integers(-(2**15), 2**15 - 1),
            "base_sequence": INT32 | EDGES,
            "attributes": st.builds(
                lambda codec, bits: codec | sum(bits),
                st.integers(0, 4),
                st.sets(st.sampled_from((CONTROL, TRANSACTIONAL, DELETE_HORIZON, LOG_APPEND_TIME))),
            ),
        }
    ),
    is_valid=st.sampled_from((None, True)),
)
def test_a_description_is_that_of_the_reference_engine(fields: dict[str, Any], is_valid: bool | None) -> None:
    data = batch([R()], **fields)
    found = descriptions(read_batches(memoryview(b"xyz" + data), 3, 100, Limits()), "a.log", is_valid=is_valid)
    expected = Entry(data, "a.log", 103).describe(verify_checksum=is_valid is not None)
    assert list(shown_headers(found)) == list(shown_headers([expected]))


def listed(headers: Iterable[BatchHeader]) -> tuple[object, ...]:
    found: list[tuple[object, ...]] = []
    try:
        for header in headers:
            found += shown_headers([header])
    except KafkafmtError as error:
        return found, shown(error)
    return found, None


@pytest.mark.parametrize("case", cases(), ids=str)
def test_batches_of_golden_segments_are_listed_as_they_are_one_by_one(case: Case) -> None:
    for path in case.files("*.log*", "*.checkpoint"):
        with open_file(path) as file:
            for verify in (False, True):
                found = listed(segment.batches(file, name="a.log", verify_checksums=verify))
                expected = SegmentReader(file, name="a.log").walk(lambda e, v=verify: e.describe(verify_checksum=v))  # type: ignore[misc]
                assert found == listed(expected), path
