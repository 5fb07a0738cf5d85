"""read_log_dirs and count_records: the rows of kafkafmt.scan, in its order, whatever the arguments."""

import logging
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import kafkafmt
from pyspark_kafkafmt import compacted, count_records, frames, read_log_dirs
from pyspark_kafkafmt.columns import TIMESTAMP_MS, record_columns
from pyspark_kafkafmt.frames import map_splits, plan_splits
from tests.golden_cases import GOLDEN, Case, cases

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
TRANSACTIONS = GOLDEN / "modern/04-transactions-3.9.1/log-dir"
BROKERS = GOLDEN / "modern/07-three-nodes-diverged-4.3.1/log-dir"
LARGE = GOLDEN / "modern/15-large-4.3.1/log-dir"

WHOLE = [
    each
    for each in cases()
    if each.name
    in (
        "05-compacted-4.3.1",
        "05c-swap-4.3.1",
        "06-retention-4.3.1",
        "07-three-nodes-diverged-4.3.1",
        "13-names-4.3.1",
        "14-running-4.3.1",
        "16-storage-library-4.3.1",
        "m1-codecs-0.10.2.2",
        "upgrade-0.8.2.2-to-2.8.2",
    )
]

ARGUMENTS: dict[str, tuple[Path, dict[str, Any]]] = {
    "topics": (CODECS, {"topics": ["codec-lz4", "codec-zstd"]}),
    "assignment": (TRANSACTIONS, {"topics": {"__transaction_state": [1], "__consumer_offsets": [0, 1]}}),
    "pattern": (CODECS, {"topics": re.compile("codec-.*"), "partitions": 0}),
    "offsets": (LARGE, {"start_offset": 1000, "end_offset": 1500}),
    "offsets-by-partition": (LARGE, {"start_offset": {("events", 1): 100}, "end_offset": {("events", 0): 200}}),
    "high-watermark": (BROKERS / "node-1", {"end_offset": "high_watermark"}),
    "key": (LARGE, {"key": b"user-17"}),
    "committed": (TRANSACTIONS, {"isolation_level": "read_committed"}),
    "control-records": (TRANSACTIONS, {"control_records": True}),
    "below-log-start": (GOLDEN / "modern/06-retention-4.3.1/log-dir", {"below_log_start": True}),
    "all-replicas": (BROKERS, {"replica": "all"}),
    "reference": (CODECS, {"engine": "reference", "verify_checksums": False}),
    "filter": (CODECS, {"filter": pc.field("offset") >= 3}),
    "threads": (CODECS, {"threads": 2, "limits": kafkafmt.Limits(max_decompressed_bytes=50_000_000)}),
}


def expected(source: Path, **arguments: Any) -> pa.Table:
    """The expected result of read_log_dirs as Arrow, all columns: scan's rows with full paths, us and ms."""
    table = kafkafmt.scan(source, **arguments).to_table()
    ms = table["timestamp"].cast(pa.int64())
    files = [None if file is None else str(source / file) for file in table["file"].to_pylist()]
    return (
        table.drop_columns(["timestamp", "file"])
        .append_column("file", pa.array(files, pa.string()))
        .append_column(TIMESTAMP_MS, ms)
    )


def rows(table: pa.Table) -> list[dict[str, Any]]:
    columns = [name for name in record_columns() if name != "timestamp"]
    return [
        {**row, "headers": row["headers"] and [tuple(header.values()) for header in row["headers"]]}
        for row in table.select(columns).to_pylist()
    ]


def read(spark: SparkSession, source: Path, **arguments: Any) -> pa.Table:
    return read_log_dirs(spark, source, columns=list(record_columns()), **arguments).toArrow()


@pytest.mark.parametrize("case", WHOLE, ids=str)
def test_whole_log_directories_are_those_of_scan(spark: SparkSession, case: Case) -> None:
    wanted = expected(case.log_dir, on_damage="skip")
    assert rows(read(spark, case.log_dir, on_damage="skip", max_split_bytes=20_000)) == rows(wanted)
    assert wanted.num_rows > 0
    counted = kafkafmt.scan(case.log_dir, on_damage="skip").count()
    assert count_records(spark, case.log_dir, on_damage="skip") == counted


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_arguments_are_those_of_scan(spark: SparkSession, name: str) -> None:
    source, arguments = ARGUMENTS[name]
    wanted = expected(source, **arguments)
    assert wanted.num_rows > 0
    assert rows(read(spark, source, max_split_bytes=100_000, **arguments)) == rows(wanted)
    assert count_records(spark, source, **arguments) == wanted.num_rows


def test_few_tasks_count_many_splits(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def mapped(*arguments: Any) -> Any:
        frame = map_splits(*arguments)
        seen.append(frame.rdd.getNumPartitions())
        return frame

    monkeypatch.setattr(frames, "map_splits", mapped)
    wanted = kafkafmt.scan(LARGE).count()
    splits = len(plan_splits(LARGE, {}, 20_000).splits)
    cores = spark.sparkContext.defaultParallelism
    assert splits > 16 * cores
    assert count_records(spark, LARGE, max_split_bytes=20_000) == wanted
    assert count_records(spark, LARGE, max_split_bytes=20_000, verify_checksums=True) == wanted
    assert seen == [max(cores, -(-splits // 8)), splits]


def test_times_bound_what_is_read(spark: SparkSession) -> None:
    times = kafkafmt.scan(LARGE, columns=["timestamp"]).to_table()["timestamp"].cast(pa.int64()).to_pylist()
    low, high = sorted(times)[len(times) // 3], sorted(times)[len(times) // 2]
    arguments: dict[str, Any] = {
        "start_timestamp": low,
        "end_timestamp": datetime.fromtimestamp(high / 1000, UTC),
    }
    wanted = expected(LARGE, **arguments)
    assert 0 < wanted.num_rows < len(times)
    assert rows(read(spark, LARGE, **arguments)) == rows(wanted)
    assert count_records(spark, LARGE, **arguments) == wanted.num_rows


def test_columns_come_in_the_order_asked_for_with_the_source_types(spark: SparkSession) -> None:
    frame = read_log_dirs(spark, CODECS, columns=["timestampMs", "value", "timestamp", "headers"])
    assert frame.schema == StructType.fromDDL(
        "timestampMs bigint, value binary, timestamp timestamp, headers array<struct<key: string, value: binary>>"
    )
    every = read_log_dirs(spark, CODECS)
    assert every.columns == kafkafmt.scan(CODECS).schema.names
    assert {field.name: field.dataType for field in every.schema} == {
        name: kind for name, kind in record_columns().items() if name != TIMESTAMP_MS
    }


def test_only_timestamp_ms(spark: SparkSession) -> None:
    ms = kafkafmt.scan(CODECS, columns=["timestamp"]).to_table()["timestamp"].cast(pa.int64())
    assert read_log_dirs(spark, CODECS, columns=["timestampMs"]).toArrow()["timestampMs"].to_pylist() == ms.to_pylist()


def test_timestamps_are_exact_or_null(spark: SparkSession) -> None:
    source = GOLDEN / "modern/02-timestamps-4.3.1/log-dir"
    table = read_log_dirs(spark, source, columns=["timestamp", "timestampMs"]).toArrow()
    pairs = set(zip(table["timestamp"].cast(pa.int64()).to_pylist(), table["timestampMs"].to_pylist(), strict=True))
    fits = range(-62_135_596_800_000, 253_402_300_800_000)
    assert pairs == {(ms * 1000 if ms in fits else None, ms) for _, ms in pairs}
    assert {None, -1000} & {us for us, _ in pairs}


def test_columns_that_are_not_there_are_refused(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match="no such column: 'colour'"):
        read_log_dirs(spark, CODECS, columns=["colour"])
    with pytest.raises(TypeError, match="list of names"):
        read_log_dirs(spark, CODECS, columns="value")
    with pytest.raises(TypeError, match="colour"):
        read_log_dirs(spark, CODECS, colour="blue")  # type: ignore[call-arg]


def test_a_split_is_a_partition_without_a_shuffle(spark: SparkSession) -> None:
    plan = kafkafmt.scan(LARGE).plan(max_split_bytes=200_000)
    frame = read_log_dirs(spark, LARGE, max_split_bytes=200_000)
    assert frame.rdd.getNumPartitions() == len(plan.splits) > 3
    explained = frame._jdf.queryExecution().toString()
    assert "Exchange" not in explained
    few = read_log_dirs(spark, LARGE, columns=["offset"], min_splits=7)
    assert few.rdd.getNumPartitions() >= 7
    small = read_log_dirs(spark, LARGE, columns=["offset"], max_records_per_split=500)
    per_partition = small.rdd.mapPartitions(lambda part: [sum(1 for _ in part)]).collect()
    assert max(per_partition) <= 500
    assert sum(per_partition) == kafkafmt.scan(LARGE).count()


def test_several_sources_and_uris(spark: SparkSession) -> None:
    sources: list[str | os.PathLike[str]] = [BROKERS / "node-1", (BROKERS / "node-2").as_uri()]
    columns = ["topic", "partition", "offset", "value"]
    frame = read_log_dirs(spark, sources, columns=columns)
    assert frame.toArrow().to_pylist() == kafkafmt.scan(sources, columns=columns).to_table().to_pylist()


def test_nothing_wanted_is_an_empty_frame(spark: SparkSession) -> None:
    frame = read_log_dirs(spark, CODECS, topics=[])
    assert frame.count() == 0
    assert frame.columns == kafkafmt.scan(CODECS).schema.names
    assert count_records(spark, CODECS, topics=[]) == 0
    for read in (read_log_dirs, count_records):
        with pytest.raises(kafkafmt.NotFoundError, match=r"no topic absent\. There are: big, codec-"):
            read(spark, CODECS, topics="absent")


def test_a_path_without_logs_is_said_at_once(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(kafkafmt.SourceError, match="no Kafka log here or below"):
        read_log_dirs(spark, tmp_path)
    with pytest.raises(kafkafmt.SourceError, match="no Kafka log here or below"):
        count_records(spark, tmp_path)


def test_wildcards_are_those_of_the_data_source(spark: SparkSession) -> None:
    expected = kafkafmt.scan(CODECS, topics=re.compile("codec-(lz4|zstd)")).count()
    assert count_records(spark, [CODECS / "codec-{lz4,zstd}-*"]) == expected > 0


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A copy of a partition with a flipped bit in its first batch, as an absolute path."""
    source = tmp_path / "data"
    shutil.copytree(GOLDEN / "modern/06-retention-4.3.1/log-dir", source)
    file = source / "by-size-0/00000000000000000060.log"
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)
    return source


def test_damage_ends_the_job_with_file_and_position(spark: SparkSession, damaged: Path) -> None:
    frame = read_log_dirs(spark, damaged)
    file = damaged / "by-size-0/00000000000000000060.log"
    with pytest.raises(PythonException, match=f"ChecksumError: {re.escape(str(file))}: position 0: "):
        frame.collect()
    with pytest.raises(PythonException, match=f"ChecksumError: {re.escape(str(file))}: position 0: "):
        count_records(spark, damaged, verify_checksums=True)


def test_a_file_that_vanished_ends_the_job_with_its_path(spark: SparkSession, damaged: Path) -> None:
    frame = read_log_dirs(spark, damaged, topics="trimmed", on_damage="skip")
    for file in damaged.glob("trimmed-0/*.log"):
        file.unlink()
    with pytest.raises(PythonException, match=rf"SourceError: {re.escape(str(damaged))}/trimmed-0/\d+\.log"):
        frame.collect()


def test_skipped_damage_is_reported_once_on_the_driver(spark: SparkSession, damaged: Path) -> None:
    scan = kafkafmt.scan(damaged, on_damage="skip")
    wanted = scan.to_table()
    found: list[kafkafmt.Damage] = []
    frame = read_log_dirs(spark, damaged, on_damage="skip", report=found.append)
    assert found == []
    assert frame.count() == wanted.num_rows
    described = [(str(damaged / str(each.file)), each.position, each.length, each.reason) for each in scan.damage]
    assert [(each.file, each.position, each.length, each.reason) for each in found] == described
    assert "position 0: " in str(found[0].error)
    frame.count()
    assert len(found) == len(described)
    counted: list[kafkafmt.Damage] = []
    assert count_records(spark, damaged, on_damage="skip", verify_checksums=True, report=counted.append) == len(wanted)
    assert [each.file for each in counted] == [each.file for each in found]


def test_skipped_damage_is_logged_where_no_report_is_asked_for(
    spark: SparkSession, damaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (damage,) = [each for each in scan_damage(damaged) if not each.is_open_end]
    with caplog.at_level(logging.WARNING, "pyspark_kafkafmt"):
        read_log_dirs(spark, damaged, on_damage="skip", columns=["offset"]).count()
    file = damaged / "by-size-0/00000000000000000060.log"
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith(
        f"kafkafmt: left out {damage.length} bytes (offsets 60 to 63, 4 records): {file}: position 0: "
    )


def test_what_planning_meets_is_reported_too(spark: SparkSession, damaged: Path) -> None:
    (damaged / "log-start-offset-checkpoint").write_text("no checkpoint\n")
    found: list[kafkafmt.Damage] = []
    read_log_dirs(spark, damaged, on_damage="skip", report=found.append)
    assert [os.path.basename(each.file or "") for each in found] == ["log-start-offset-checkpoint"]


def test_open_ends_are_reported_but_not_warned_of(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = tmp_path / "cut-0"
    shutil.copytree(CODECS / "codec-none-0", source)
    log = max(source.glob("*.log"))
    log.write_bytes(log.read_bytes()[:-5])
    found: list[kafkafmt.Damage] = []
    read_log_dirs(spark, source, report=found.append).count()
    assert [(each.reason, each.is_open_end) for each in found] == [("incomplete_tail", True)]
    with caplog.at_level(logging.WARNING, "pyspark_kafkafmt"):
        read_log_dirs(spark, source).count()
    assert caplog.records == []


def scan_damage(source: Path) -> Iterator[kafkafmt.Damage]:
    scan = kafkafmt.scan(source, on_damage="skip")
    scan.to_table()
    yield from scan.damage


def test_the_latest_record_of_each_key(spark: SparkSession) -> None:
    place = GOLDEN / "modern/05-compacted-4.3.1/log-dir"
    columns = ["topic", "partition", "offset", "key", "value"]
    order = [(name, "ascending") for name in columns[:3]]
    expected = kafkafmt.scan(place, columns=columns, compacted=True).to_table()
    records = read_log_dirs(spark, place, columns=columns)
    assert 0 < expected.num_rows < records.count()
    assert compacted(records).toArrow().sort_by(order).to_pylist() == expected.sort_by(order).to_pylist()
    assert compacted(records).columns == columns
