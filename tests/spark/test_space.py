"""space on Spark: the groups of Disks.space for any splits, with exact figures."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import kafkafmt
from kafkafmt.sizing import SpaceUse
from pyspark_kafkafmt import space
from tests.golden_cases import GOLDEN
from tests.logdir import builders

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CODECS = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
TRANSACTIONS = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"


@pytest.mark.parametrize(
    ("source", "by"),
    [(CODECS, ["topic", "key"]), (TRANSACTIONS, "partition,producer,codec"), (TRANSACTIONS, "hour,day,format")],
)
def test_groups_are_those_of_one_machine(spark: SparkSession, source: Path, by: Any) -> None:
    found = space(spark, source, by, max_split_bytes=5_000)
    assert found.rdd.getNumPartitions() >= 1
    assert _rows(found) == _rows(kafkafmt.open(source).space(by))
    stored = [row.storedBytes for row in found.collect()]
    assert stored == sorted(stored, reverse=True)


def test_no_group_is_dropped_however_little_memory_a_task_has(spark: SparkSession, tmp_path: Path) -> None:
    batches = [builders.batch(number, key=b"k%d" % (number % 400)) for number in range(1000)]
    builders.segment(tmp_path / "orders-0", 0, *batches)
    little = kafkafmt.Limits(max_state_bytes=20_000)
    assert kafkafmt.open(tmp_path).space("key", limits=little).is_estimate
    assert _rows(space(spark, tmp_path, "key", limits=little)) == _rows(kafkafmt.open(tmp_path).space("key"))


def test_columns_top_and_times(spark: SparkSession, tmp_path: Path) -> None:
    builders.segment(tmp_path / "a-0", 0, builders.batch(0, 3, timestamp=1_795_234_584_000), builders.batch(3, 1))
    builders.segment(tmp_path / "b-0", 0, builders.batch(0, timestamp=2**62))
    found = space(spark, tmp_path, columns=["records", "maxTimestamp"]).collect()
    assert [row.asDict() for row in found] == [
        {"topic": "a", "records": 4, "maxTimestamp": datetime(2026, 11, 21, 4, 16, 24, 2000, UTC).replace(tzinfo=None)},
        {"topic": "b", "records": 1, "maxTimestamp": None},
    ]
    assert [row.topic for row in space(spark, tmp_path, top=1).collect()] == ["a"]


def test_wrong_arguments(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match="cannot group by"):
        space(spark, CODECS, "size")
    with pytest.raises(kafkafmt.SourceError):
        space(spark, CODECS / "nowhere")


def _rows(answer: "DataFrame | SpaceUse") -> list[dict[str, Any]]:
    """Sorted rows, with times without a zone, which Spark omits."""
    table = answer.to_table() if isinstance(answer, SpaceUse) else answer.toArrow()
    return sorted(
        (
            {name: value.replace(tzinfo=None) if isinstance(value, datetime) else value for name, value in row.items()}
            for row in table.to_pylist()
        ),
        key=repr,
    )
