"""Scans of records by their times."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.moments import milliseconds
from kafkafmt.scanning import selection
from tests.logdir.builders import LOG_APPEND_TIME, batch, offsets, segment

NAIVE = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def test_a_record_is_kept_by_its_own_timestamp_wherever_it_stands(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0, 3, timestamp=100), batch(3, 3, timestamp=50), batch(6, 2, timestamp=-1))
    assert offsets(path, start_timestamp=100) == [0, 1, 2]
    assert offsets(path, start_timestamp=51, end_timestamp=101) == [0, 4, 5]
    assert offsets(path, end_timestamp=0) == [6]
    assert offsets(path, start_timestamp=-1, end_timestamp=1) == [6, 7]


def test_append_time_counts_for_the_whole_batch(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0, 3, timestamp=98, attributes=LOG_APPEND_TIME))
    assert [offsets(path, start_timestamp=time) for time in (100, 101)] == [[0, 1, 2], []]
    assert [offsets(path, end_timestamp=time) for time in (100, 101)] == [[], [0, 1, 2]]


@pytest.mark.parametrize(
    ("time", "ms"),
    [
        (5, 5),
        (-1, -1),
        (NAIVE, 0),
        (NAIVE + timedelta(microseconds=1000), 1),
        (NAIVE + timedelta(microseconds=1001), 2),
        (NAIVE + timedelta(microseconds=1), 1),
        (NAIVE - timedelta(microseconds=1), 0),
        (NAIVE - timedelta(microseconds=1000), -1),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), 0),
        (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), 253402300800000),
        (None, None),
    ],
)
def test_times_are_ms_and_a_datetime_within_one_counts_as_the_next(time: Any, ms: int | None) -> None:
    assert milliseconds(time, "start_timestamp") == ms


@given(st.integers(-2_000, 5_000), st.integers(-1_000, 5_000_000))
def test_a_datetime_splits_records_as_exact_time_does(first: int, microseconds: int) -> None:
    bound = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    chosen = selection.Selection(
        start_timestamp=milliseconds(bound, "start_timestamp"),
        end_timestamp=milliseconds(bound, "end_timestamp"),
    )
    assert chosen.start_timestamp is not None
    assert (first >= chosen.start_timestamp) == (first * 1000 >= microseconds)


def test_datetimes_in_a_scan(tmp_path: Path) -> None:
    path = segment(tmp_path, 0, batch(0, 5, timestamp=1000))
    naive = NAIVE + timedelta(milliseconds=1001, microseconds=500)
    elsewhere = naive.replace(tzinfo=UTC).astimezone(timezone(timedelta(hours=-5)))
    for bound in (naive, naive.replace(tzinfo=UTC), elsewhere):
        assert offsets(path, start_timestamp=bound) == [2, 3, 4]
        assert offsets(path, end_timestamp=bound) == [0, 1]
