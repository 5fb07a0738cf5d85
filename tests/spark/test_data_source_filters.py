"""Filters that Spark pushes: less is read, and the rows are the same."""

from collections.abc import Iterator
from typing import Any

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import kafkafmt
from pyspark_kafkafmt import reader
from pyspark_kafkafmt.options import SourceOptions
from pyspark_kafkafmt.reader import FilteringReader, KafkafmtReader, new_reader
from tests.golden_cases import GOLDEN
from tests.spark.data_source_rows import rows_of

pytestmark = pytest.mark.xdist_group("spark")

LARGE = GOLDEN / "modern/15-large-4.3.1/log-dir"
OFFSET = StructType().add("offset", "long")
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


@pytest.fixture
def pushing(spark: SparkSession) -> Iterator[SparkSession]:
    if pyspark.__version__ < "4.1":
        pytest.skip("needs pyspark 4.1 or later")
    spark.conf.set(PUSHDOWN, "true")
    yield spark
    spark.conf.unset(PUSHDOWN)


def events(spark: SparkSession, *, push: bool = False) -> DataFrame:
    source = spark.read.format("kafkafmt").options(includeMetadata=True, maxPartitionBytes="400k", pushFilters=push)
    return source.load(str(LARGE))


@pytest.mark.parametrize(
    "condition",
    [
        "offset >= 4000 and offset < 4100",
        "topic = 'events' and partition = 1 and offset in (17, 9000)",
        "partition in (0, 7) and offset <= 20",
        "topic = 'absent'",
        "timestampMs = (select max(timestampMs) from everything)",
        "key = (select min(key) from everything where length(key) > 0)",
    ],
)
def test_the_rows_are_those_without_pushing(pushing: SparkSession, condition: str) -> None:
    everything = events(pushing).cache()
    everything.createOrReplaceTempView("everything")
    try:
        expected = rows_of(everything.where(condition))
        if "select" in condition:
            column, _, query = condition.partition(" = ")
            row = pushing.sql(query.strip("()")).first()
            assert row is not None
            value = row[0]
            condition = f"{column} = X'{bytes(value).hex()}'" if column == "key" else f"{column} = {value}"
    finally:
        everything.unpersist()
    pushed = events(pushing, push=True).where(condition)
    assert rows_of(pushed) == expected
    assert bool(expected) == ("absent" not in condition)
    whole = events(pushing).rdd.getNumPartitions()
    assert pushed.rdd.getNumPartitions() < whole or "offset" not in condition


def test_times_are_pushed(pushing: SparkSession) -> None:
    half = events(pushing).selectExpr("percentile(timestampMs, 0.5)").first()
    assert half is not None
    condition = f"timestamp >= timestamp_millis({int(half[0])}) and timestamp <= timestamp_millis({int(half[0]) + 50})"
    pushed = events(pushing, push=True).where(condition)
    assert rows_of(pushed) == rows_of(events(pushing).where(condition))
    assert pushed.count()


def filtered(*filters: Any) -> tuple[FilteringReader, Any]:
    filtering = FilteringReader(SourceOptions.parse({"path": str(LARGE), "maxPartitionBytes": "100k"}), OFFSET)
    return filtering, list(filtering.pushFilters(list(filters)))


def test_all_filters_are_left_to_spark_too_and_less_is_read() -> None:
    from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual, LessThan

    filters = [EqualTo(("topic",), "events"), GreaterThanOrEqual(("offset",), 4000), LessThan(("offset",), 4010)]
    filtering, left = filtered(*filters)
    assert all(one is other for one, other in zip(left, filters, strict=True))
    everything, _ = filtered()
    sizes = [
        sum(each.split.size_in_bytes for each in planned.partitions())  # type: ignore[attr-defined]
        for planned in (filtering, everything)
    ]
    assert 0 < sizes[0] < sizes[1] // 4
    rows = sum(batch.num_rows for each in filtering.partitions() for batch in filtering.read(each))
    assert rows == kafkafmt.scan(LARGE, topics="events", start_offset=4000, end_offset=4010).count() == 20


def test_sparks_that_push_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    options = SourceOptions.parse({"path": str(LARGE), "pushFilters": "true"})
    monkeypatch.setattr(pyspark, "__version__", "4.0.0")
    with pytest.raises(kafkafmt.UnsupportedError, match=r"pushFilters: .*expected pyspark 4\.1.*found 4\.0\.0"):
        new_reader(options, OFFSET)
    monkeypatch.setattr(pyspark, "__version__", "4.1.0")
    assert isinstance(new_reader(options, OFFSET), FilteringReader)


@pytest.mark.parametrize(("version", "warns"), [("4.3.0", True), ("5.0.0", False)])
def test_a_spark_that_keeps_filters_with_the_data_frame_is_warned_of(
    version: str, warns: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from pyspark.sql.datasource import EqualTo, IsNotNull

    monkeypatch.setattr(pyspark, "__version__", version)
    filtered(IsNotNull(("offset",)))
    assert not caplog.records
    filtered(EqualTo(("offset",), 17))
    assert ["offset" in each.message and "load a new one" in each.message for each in caplog.records] == [True] * warns


def test_filters_are_not_pushed_unless_asked_for() -> None:
    plain = new_reader(SourceOptions.parse({"path": str(LARGE)}), OFFSET)
    assert type(plain) is KafkafmtReader
    assert "pushFilters" not in vars(reader.KafkafmtReader)
