"""df.write.format("kafkafmt"): the DataFrame's records in a log directory that verify finds clean."""

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's name for them

import kafkafmt
from kafkafmt.writing import partition_for_key
from pyspark_kafkafmt.sink_options import NODE_OPTIONS, ROW_OPTIONS, SinkOptions
from pyspark_kafkafmt.writer import RowWriter
from tests.golden_cases import GOLDEN
from tests.spark.data_source_rows import load

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
COLUMNS = ["topic", "partition", "offset", "timestamp", "key", "value", "headers"]
FAILURE = (AnalysisException, PySparkException, Py4JJavaError)
DOCUMENT = (Path(__file__).parents[2] / "docs/spark_options.md").read_text(encoding="utf-8")


def save(frame: DataFrame, target: Path, **options: Any) -> None:
    frame.write.format("kafkafmt").mode("append").options(**options).save(str(target))


def records(path: Path, *columns: str) -> list[dict[str, Any]]:
    rows = kafkafmt.scan(path, columns=[*columns] or COLUMNS).to_table()
    return sorted(rows.to_pylist(), key=lambda row: (row["topic"], row["partition"], row["offset"]))


def check(target: Path) -> None:
    """Require that a broker would start on the log directory, and nothing is beside it."""
    assert kafkafmt.open(target).verify().findings.num_rows == 0
    assert os.listdir(target.parent) == [target.name]


def source(spark: SparkSession) -> DataFrame:
    return load(spark, CODECS, includeHeaders=True, maxPartitionBytes=7_000)


def numbered(spark: SparkSession, count: int, tasks: int) -> DataFrame:
    return spark.range(0, count, 1, tasks).select(
        F.lit("orders").alias("topic"),
        (F.col("id") % 3).cast("int").alias("partition"),
        F.col("id").alias("offset"),
        F.timestamp_millis(F.col("id") + 1_700_000_000_000).alias("timestamp"),
        F.encode(F.concat(F.lit("key-"), F.col("id")), "utf-8").alias("key"),
        F.encode(F.concat(F.lit("value-"), F.col("id")), "utf-8").alias("value"),
    )


@pytest.mark.parametrize("tasks", ["one", "a task a partition", "as they were read"])
def test_what_was_read_is_what_is_written(spark: SparkSession, tmp_path: Path, tasks: str) -> None:
    frame = source(spark)
    if tasks == "one":
        frame = frame.coalesce(1)
    elif tasks != "as they were read":
        frame = frame.repartition(3, "topic", "partition").sortWithinPartitions("topic", "partition", "offset")
    assert tasks == "one" or frame.rdd.getNumPartitions() > 1
    save(frame, tmp_path / "new", compression="lz4", clusterId="MkU3OEVBNTcwNTJENDM2Qg", nodeId=7)
    expected = records(CODECS)
    assert expected
    assert records(tmp_path / "new") == expected
    check(tmp_path / "new")
    assert "node.id=7" in (tmp_path / "new/meta.properties").read_text()


def test_a_partition_of_one_task_is_byte_for_byte_what_write_makes(spark: SparkSession, tmp_path: Path) -> None:
    save(numbered(spark, 3_000, 4).repartition(2, "partition").sortWithinPartitions("offset"), tmp_path / "new")
    kafkafmt.write(numbered(spark, 3_000, 4).orderBy("offset").toArrow(), tmp_path / "same")
    logs = sorted(path.relative_to(tmp_path / "same") for path in tmp_path.glob("same/*/*.*log"))
    assert len(logs) == 3
    for log in logs:
        assert (tmp_path / "new" / log).read_bytes() == (tmp_path / "same" / log).read_bytes()


def test_rows_of_a_partition_in_several_tasks_are_merged_by_offset(spark: SparkSession, tmp_path: Path) -> None:
    mixed = numbered(spark, 30_000, 2).repartition(5).sortWithinPartitions("offset")
    save(mixed, tmp_path / "new")
    rows = records(tmp_path / "new")
    assert [row["offset"] for row in rows] == [each for part in range(3) for each in range(part, 30_000, 3)]
    assert {row["value"] for row in rows if row["offset"] == 4_711} == {b"value-4711"}
    check(tmp_path / "new")


def test_without_offsets_they_count_from_0_task_after_task(spark: SparkSession, tmp_path: Path) -> None:
    save(numbered(spark, 900, 3).drop("offset"), tmp_path / "new")
    rows = records(tmp_path / "new")
    assert [row["offset"] for row in rows] == [*range(300)] * 3
    assert [row["value"] for row in rows[:300]] == [b"value-%d" % each for each in range(0, 900, 3)]


def test_rows_without_partition_get_that_of_their_key_and_each_partition_is_there(
    spark: SparkSession, tmp_path: Path
) -> None:
    frame = numbered(spark, 20, 2).drop("partition", "offset", "topic")
    save(frame, tmp_path / "new", topic="events", partitions=50, topicIds='{"events":"x8vK1pq5SWeBkqHXFyy4Kw"}')
    rows = records(tmp_path / "new")
    assert len(rows) == 20
    assert all(row["partition"] == partition_for_key(row["key"], 50) for row in rows)
    found = list(tmp_path.glob("new/events-*/partition.metadata"))
    assert len(found) == 50
    assert {path.read_text() for path in found} == {"version: 0\ntopic_id: x8vK1pq5SWeBkqHXFyy4Kw"}
    check(tmp_path / "new")


def test_a_topic_has_one_id_in_all_tasks(spark: SparkSession, tmp_path: Path) -> None:
    save(numbered(spark, 90, 3).repartition(3, "partition").sortWithinPartitions("offset"), tmp_path / "new")
    assert len({path.read_text() for path in tmp_path.glob("new/*/partition.metadata")}) == 1


def test_no_rows_make_an_empty_log_directory(spark: SparkSession, tmp_path: Path) -> None:
    save(numbered(spark, 0, 2).drop("topic"), tmp_path / "new", topic="orders", partitions='{"orders":2}')
    assert sorted(path.name for path in tmp_path.glob("new/orders-*")) == ["orders-0", "orders-1"]
    check(tmp_path / "new")


def test_rows_that_are_not_sorted_are_refused_with_a_remedy(spark: SparkSession, tmp_path: Path) -> None:
    frame = numbered(spark, 100, 1).coalesce(1).sortWithinPartitions(F.desc("offset"))
    with pytest.raises(FAILURE, match=r"offset 96 of orders-0 follows offset 99: offsets must rise; sort them: df"):
        save(frame, tmp_path / "new")
    assert not os.listdir(tmp_path)


def test_the_same_offset_twice_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(FAILURE, match="offset 0 of orders-0 follows offset"):
        save(numbered(spark, 9, 1).union(numbered(spark, 9, 1)), tmp_path / "new")
    assert not os.listdir(tmp_path)


def test_a_row_that_makes_no_sense_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    odd = numbered(spark, 100, 4).withColumn("timestamp", F.when(F.col("offset") != 77, F.col("timestamp")))
    with pytest.raises(FAILURE, match="'timestamp' has 1 null:"):
        save(odd, tmp_path / "new")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("columns", [("timestamp", "timestampMs"), ("timestampMs",), ("timestamp",)])
def test_times_that_spark_has_no_value_for_are_written_as_they_were(
    spark: SparkSession, tmp_path: Path, columns: tuple[str, ...]
) -> None:
    times = pa.array([1_700_000_000_000, 1_700_000_000_000_000, 253_402_300_800_000, -1], pa.timestamp("ms", "UTC"))
    kafkafmt.write(
        pa.table({"value": [b"a", b"b", b"c", b"d"], "timestamp": times}), tmp_path / "old", topic="t", partitions=1
    )
    frame = load(spark, tmp_path / "old", includeMetadata=True).select(
        "topic", "partition", "offset", "value", *columns
    )
    if columns == ("timestamp",):
        with pytest.raises(FAILURE, match=r"'timestamp' has 2 nulls: .* keep the column timestampMs"):
            save(frame, tmp_path / "new")
        return
    save(frame, tmp_path / "new")
    parts = RowWriter(SinkOptions.parse({"path": str(tmp_path / "rows")}), frame.schema)
    parts.commit([parts.write(iter(frame.collect()))])
    for name in ("new", "rows"):
        found = kafkafmt.scan(tmp_path / name, columns=COLUMNS).to_table()
        assert found == kafkafmt.scan(tmp_path / "old", columns=COLUMNS).to_table()
        assert found["timestamp"].combine_chunks() == times


def test_a_killed_worker_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    def die(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            os.kill(os.getpid(), signal.SIGKILL)

    frame = numbered(spark, 40_000, 2)
    with pytest.raises(FAILURE):
        save(frame.mapInArrow(die, frame.schema), tmp_path / "above" / "new")
    assert not os.listdir(tmp_path)


def test_missing_directories_above_are_created(spark: SparkSession, tmp_path: Path) -> None:
    save(numbered(spark, 9, 1), tmp_path / "backups" / "today" / "new")
    assert len(records(tmp_path / "backups" / "today" / "new")) == 9


def test_what_may_not_be_written_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    frame = numbered(spark, 9, 1)
    (tmp_path / "there").mkdir()
    with pytest.raises(FAILURE, match="exists already; choose another name"):
        save(frame, tmp_path / "there")
    with pytest.raises(FAILURE, match="nothing is ever overwritten"):
        frame.write.format("kafkafmt").mode("overwrite").save(str(tmp_path / "new"))
    with pytest.raises(FAILURE, match="only a local path can be written"):
        frame.write.format("kafkafmt").mode("append").save("s3://bucket/new")
    (tmp_path / "file").touch()
    with pytest.raises(FAILURE, match="cannot be created: "):
        save(frame, tmp_path / "file" / "new")
    with pytest.raises(FAILURE, match="did you mean compression"):
        save(frame, tmp_path / "new", compresion="lz4")
    with pytest.raises(FAILURE, match="format 1"):
        save(frame, tmp_path / "new", compression="zstd", messageFormat=1)
    with pytest.raises(FAILURE, match="topic_ids names 'zzz': there are 'orders'"):
        save(frame, tmp_path / "new", topicIds='{"zzz":"x8vK1pq5SWeBkqHXFyy4Kw"}')
    with pytest.raises(FAILURE, match="which has Kafka files"):
        save(frame, CODECS / "new")
    assert sorted(os.listdir(tmp_path)) == ["file", "there"]
    assert not (CODECS / "new").exists()


def test_rows_of_spark_4_0_are_the_same_batches(spark: SparkSession, tmp_path: Path) -> None:
    frame = source(spark)
    writer = RowWriter(SinkOptions.parse({"path": str(tmp_path / "new")}), frame.schema)
    rows: Iterator[Row] = iter(frame.collect())
    writer.commit([writer.write(rows)])
    assert records(tmp_path / "new") == records(CODECS)
    check(tmp_path / "new")


def test_times_of_spark_4_0_are_those_of_the_workers_zone(spark: SparkSession, tmp_path: Path) -> None:
    writer = RowWriter(SinkOptions.parse({"path": str(tmp_path / "new")}), numbered(spark, 1, 1).schema)
    moment = datetime(2026, 11, 23, 12, tzinfo=UTC).astimezone().replace(tzinfo=None)
    row = Row(topic="orders", partition=0, offset=5, timestamp=moment, key=None, value=b"v")
    writer.commit([writer.write(iter([row]))])
    [record] = records(tmp_path / "new")
    assert record["timestamp"] == datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_the_table_of_options_is_complete() -> None:
    table = DOCUMENT.partition("## Writing")[2].partition("\n## ")[0]
    named = {line.split("`")[1]: line.split("`")[3] for line in table.splitlines() if line.startswith("| `")}
    assert named == {name: argument for name, (argument, _) in {**ROW_OPTIONS, **NODE_OPTIONS}.items()}
