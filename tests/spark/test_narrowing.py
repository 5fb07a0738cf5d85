"""What bounds are made of filters: never so narrow that a row is lost which passes them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)

from pyspark_kafkafmt.planning import Bounds, PushedFilters

NOTHING = PushedFilters()
T = datetime(2024, 5, 6, 7, 8, 9, 123_456, tzinfo=UTC)
MS = 1_714_979_289_123


def topic(*values: Any) -> Any:
    return In(("topic",), values)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], NOTHING),
        ([EqualTo(("topic",), "a")], PushedFilters(topics=frozenset("a"))),
        ([EqualNullSafe(("topic",), "a")], PushedFilters(topics=frozenset("a"))),
        ([EqualNullSafe(("topic",), None)], NOTHING),
        ([topic("a", "b", None), topic("b", "c")], PushedFilters(topics=frozenset("b"))),
        ([topic("a"), topic("b")], PushedFilters(topics=frozenset())),
        ([In(("partition",), (1, 2))], PushedFilters(partitions=frozenset((1, 2)))),
        ([EqualTo(("partition",), value=True)], NOTHING),
        ([EqualTo(("partition",), 1.0)], NOTHING),
        ([EqualTo(("key",), b"k")], PushedFilters(key=b"k")),
        ([EqualTo(("key",), bytearray(b"k"))], PushedFilters(key=b"k")),
        ([In(("key",), (b"k", b"l"))], NOTHING),
        ([EqualTo(("offset",), 5)], PushedFilters(offsets=Bounds(5, 6))),
        ([In(("offset",), (7, None, 5))], PushedFilters(offsets=Bounds(5, 8))),
        ([In(("offset",), ())], NOTHING),
        ([In(("offset",), (5, "x"))], NOTHING),
        ([GreaterThan(("offset",), 5), LessThan(("offset",), 9)], PushedFilters(offsets=Bounds(6, 9))),
        ([GreaterThanOrEqual(("offset",), 5), LessThanOrEqual(("offset",), 9)], PushedFilters(offsets=Bounds(5, 10))),
        ([GreaterThan(("offset",), 5), GreaterThan(("offset",), 3)], PushedFilters(offsets=Bounds(6, None))),
        ([LessThan(("offset",), 2.5)], NOTHING),
        ([LessThan(("timestampMs",), 9)], PushedFilters(timestamps=Bounds(None, 9))),
        ([EqualTo(("timestamp",), T)], PushedFilters(timestamps=Bounds(MS + 1, MS + 1))),
        ([GreaterThan(("timestamp",), T)], PushedFilters(timestamps=Bounds(MS + 1, None))),
        ([GreaterThanOrEqual(("timestamp",), T)], PushedFilters(timestamps=Bounds(MS + 1, None))),
        ([LessThan(("timestamp",), T)], PushedFilters(timestamps=Bounds(None, MS + 1))),
        ([LessThanOrEqual(("timestamp",), T)], PushedFilters(timestamps=Bounds(None, MS + 1))),
        ([GreaterThan(("timestamp",), T.replace(tzinfo=None))], NOTHING),
        ([Not(EqualTo(("offset",), 5))], NOTHING),
        ([IsNotNull(("offset",))], NOTHING),
        ([StringStartsWith(("topic",), "a")], NOTHING),
        ([StringStartsWith(("offset",), "a")], NOTHING),
        ([StringStartsWith(("offset",), 5)], NOTHING),  # type: ignore[arg-type]
        ([EqualTo(("value",), b"v")], NOTHING),
        ([EqualTo(("headers", "key"), "offset")], NOTHING),
    ],
    ids=str,
)
def test_filters_become_bounds(filters: list[Any], expected: PushedFilters) -> None:
    assert NOTHING.by(filters) == expected


@pytest.mark.parametrize("micros", [0, 1, 999, 1000, 1001, -1, -999, -1000, -1001])
def test_no_whole_ms_is_lost_to_microseconds(micros: int) -> None:
    """Of the records at each ms around a time, those that pass a filter are within its bounds, and no others."""
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    cases: list[tuple[Any, Callable[[int], bool]]] = [
        (GreaterThan, lambda ms: ms * 1000 > micros),
        (GreaterThanOrEqual, lambda ms: ms * 1000 >= micros),
        (LessThan, lambda ms: ms * 1000 < micros),
        (LessThanOrEqual, lambda ms: ms * 1000 <= micros),
        (EqualTo, lambda ms: ms * 1000 == micros),
    ]
    for kind, passes in cases:
        bounds = NOTHING.by([kind(("timestamp",), time)]).timestamps
        for ms in range(-3, 4):
            within = (bounds.start is None or ms >= bounds.start) and (bounds.end is None or ms < bounds.end)
            assert within == passes(ms), (kind, ms)
