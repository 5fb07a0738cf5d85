"""What expression is made of Spark's filters: it keeps the rows that pass them, or says nothing."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from kafkafmt.columns import SCHEMA
from pyspark_kafkafmt.planning import expression_of

T = datetime(2024, 5, 6, 7, 8, 9, 123_456, tzinfo=UTC)
ROWS = [
    {
        **dict.fromkeys(SCHEMA.names),
        "topic": topic,
        "partition": offset % 3,
        "offset": offset,
        "timestamp": datetime(2024, 5, 6, 7, 8, 9, 120_000, tzinfo=UTC) + timedelta(milliseconds=offset),
        "key": None if offset % 4 == 0 else b"k%d" % (offset % 4),
        "isControl": offset % 5 == 0,
        "compression": "gzip" if offset % 2 else "none",
    }
    for topic in ("aa", "ab", "b", None)
    for offset in range(10)
]
NAMES = ("topic", "partition", "offset", "timestamp", "key", "isControl", "compression")
TABLE = pa.Table.from_pylist(ROWS, pa.schema([(name, SCHEMA.field(name).type) for name in NAMES]))
Row = dict[str, Any]


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        ([EqualTo(("topic",), "aa")], lambda row: row["topic"] == "aa"),
        ([EqualNullSafe(("topic",), "aa")], lambda row: row["topic"] == "aa"),
        ([In(("topic",), ("aa", "b", None)), In(("topic",), ("b", "c"))], lambda row: row["topic"] == "b"),
        ([In(("topic",), ("aa",)), EqualTo(("topic",), "b")], lambda _: False),
        ([Not(EqualTo(("topic",), "aa"))], lambda row: row["topic"] not in ("aa", None)),
        ([StringStartsWith(("topic",), "a")], lambda row: (row["topic"] or "").startswith("a")),
        ([StringEndsWith(("topic",), "b")], lambda row: (row["topic"] or "").endswith("b")),
        ([StringContains(("topic",), "b")], lambda row: "b" in (row["topic"] or "")),
        ([IsNull(("topic",))], lambda row: row["topic"] is None),
        ([IsNotNull(("key",))], lambda row: row["key"] is not None),
        ([Not(IsNull(("key",)))], lambda row: row["key"] is not None),
        ([In(("partition",), (1, 2))], lambda row: row["partition"] in (1, 2)),
        ([EqualTo(("partition",), 1 << 40)], lambda _: False),
        ([EqualTo(("key",), b"k1")], lambda row: row["key"] == b"k1"),
        ([EqualTo(("key",), bytearray(b"k1"))], lambda row: row["key"] == b"k1"),
        ([In(("key",), (b"k1", b"k2"))], lambda row: row["key"] in (b"k1", b"k2")),
        ([EqualTo(("offset",), 5)], lambda row: row["offset"] == 5),
        ([GreaterThan(("offset",), 5), LessThan(("offset",), 8)], lambda row: 5 < row["offset"] < 8),
        ([GreaterThanOrEqual(("offset",), 5), LessThanOrEqual(("offset",), 8)], lambda row: 5 <= row["offset"] <= 8),
        ([EqualTo(("isControl",), value=True)], lambda row: row["isControl"]),
        ([EqualTo(("compression",), "gzip")], lambda row: row["compression"] == "gzip"),
        ([EqualTo(("timestamp",), T)], lambda _: False),
        ([In(("timestamp",), (T, T.replace(microsecond=122_000)))], lambda row: row["offset"] == 2),
        ([Not(GreaterThan(("timestamp",), T))], lambda row: row["timestamp"] <= T),
        ([EqualTo(("timestampMs",), 1_714_979_289_122)], lambda row: row["offset"] == 2),
        ([LessThan(("timestampMs",), 1_714_979_289_122)], lambda row: row["offset"] < 2),
        ([EqualTo(("offset",), 5), EqualTo(("value", "x"), 1)], lambda row: row["offset"] == 5),
    ],
    ids=lambda value: str(value) if isinstance(value, list) else "",
)
def test_an_expression_keeps_what_passes(filters: list[Any], passes: Callable[[Row], bool]) -> None:
    expression = expression_of(filters)
    assert expression is not None
    kept = [{**dict.fromkeys(SCHEMA.names), **row} for row in TABLE.filter(expression).to_pylist()]
    assert kept == [row for row in ROWS if passes(row)]


@pytest.mark.parametrize(
    "each",
    [
        EqualNullSafe(("topic",), None),
        Not(EqualNullSafe(("topic",), "a")),
        EqualTo(("partition",), value=True),
        EqualTo(("partition",), 1.0),
        EqualTo(("offset",), 1 << 63),
        In(("offset",), ()),
        In(("offset",), (5, "x")),
        LessThan(("offset",), 2.5),
        IsNotNull(("offset",)),
        IsNotNull(("timestamp",)),
        IsNull(("timestampMs",)),
        GreaterThan(("timestamp",), T.replace(tzinfo=None)),
        StringStartsWith(("key",), "a"),
        StringStartsWith(("topic",), 5),  # type: ignore[arg-type]
        EqualTo(("headers",), []),
        EqualTo(("headers", "key"), "offset"),
        EqualTo(("_corrupt_record",), "x"),
    ],
    ids=str,
)
def test_what_is_not_understood_is_left_to_spark(each: Any) -> None:
    assert expression_of([each]) is None


@pytest.mark.parametrize("micros", [0, 1, 999, 1000, 1001, -1, -999, -1000, -1001])
def test_no_whole_ms_is_lost_to_microseconds(micros: int) -> None:
    """Of the records at each ms around a time, those that pass a filter are kept, and no others."""
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    around = pa.table({"timestamp": pa.array(range(-3, 4), SCHEMA.field("timestamp").type)})
    cases: list[tuple[Any, Callable[[int], bool]]] = [
        (GreaterThan, lambda ms: ms * 1000 > micros),
        (GreaterThanOrEqual, lambda ms: ms * 1000 >= micros),
        (LessThan, lambda ms: ms * 1000 < micros),
        (LessThanOrEqual, lambda ms: ms * 1000 <= micros),
        (EqualTo, lambda ms: ms * 1000 == micros),
    ]
    for kind, passes in cases:
        expression = expression_of([kind(("timestamp",), time)])
        assert expression is not None
        kept = around.filter(expression).column("timestamp").cast(pa.int64()).to_pylist()
        assert kept == [ms for ms in range(-3, 4) if passes(ms)], kind
