"""parse_segment on a real session: the rows are those of kafkafmt.scan, and damage is reported or skipped."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import kafkafmt
from pyspark_kafkafmt import parse_segment
from pyspark_kafkafmt.columns import record_columns
from tests.golden_cases import GOLDEN

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
CASES = [
    CODECS,
    GOLDEN / "modern/02-timestamps-4.3.1/log-dir",
    GOLDEN / "modern/04-transactions-4.3.1/log-dir",
    GOLDEN / "modern/08-consumer-groups-4.3.1/log-dir",
    GOLDEN / "modern/12-crash-4.3.1/log-dir/damaged",
    GOLDEN / "modern/13-names-4.3.1/log-dir/dir-0",
    GOLDEN / "legacy/mixed-magic-2.8.2/log-dir",
    GOLDEN / "legacy/m0-codecs-0.8.2.2/log-dir",
]
SEGMENTS = "*-*[0-9]/*.log"  # without directories that the broker set aside: -delete, -future, -stray
IN_YEARS_1_TO_9999 = range(-62_135_596_800_000, 253_402_300_800_000)


def read_files(spark: SparkSession, pattern: Path) -> DataFrame:
    return spark.read.format("binaryFile").load(str(pattern))


def read_records(spark: SparkSession, pattern: Path, **options: Any) -> DataFrame:
    files = read_files(spark, pattern)
    return files.select(F.explode(parse_segment("path", "content", **options)).alias("r")).select("r.*")


def rows_of(records: DataFrame, log_dir: Path) -> list[dict[str, Any]]:
    """Rows in the order of files, with times in ms and file names relative to the log directory."""
    rows: list[dict[str, Any]] = records.withColumn("timestamp", F.unix_millis("timestamp")).toArrow().to_pylist()
    for row in rows:
        row["file"] = row["file"].removeprefix(f"file:{log_dir}/")
    return sorted(rows, key=lambda row: (row["file"], row["position"], row["offset"]))


def scanned(log_dir: Path, **options: Any) -> list[dict[str, Any]]:
    """The expected rows, from kafkafmt.scan."""
    table = kafkafmt.scan(log_dir, on_damage="skip", below_log_start=True, **options).to_table()
    number = table.schema.get_field_index("timestamp")
    ms = table["timestamp"].cast("int64")
    rows: list[dict[str, Any]] = table.set_column(number, "timestamp", ms).to_pylist()
    for row in rows:
        row["timestampMs"] = row["timestamp"]
        row["timestamp"] = row["timestamp"] if row["timestamp"] in IN_YEARS_1_TO_9999 else None
    return sorted(rows, key=lambda row: (row["file"], row["position"], row["offset"]))


@pytest.mark.parametrize("log_dir", CASES, ids=lambda path: str(path.relative_to(GOLDEN)))
def test_rows_are_those_of_scan(spark: SparkSession, log_dir: Path) -> None:
    expected = scanned(log_dir)
    assert expected
    assert rows_of(read_records(spark, log_dir / SEGMENTS, on_damage="skip"), log_dir) == expected


def test_rows_are_those_of_scan_the_way_that_spark_4_0_takes(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__version__", "4.0.1")
    for log_dir in CASES[:3]:
        assert rows_of(read_records(spark, log_dir / SEGMENTS, on_damage="skip"), log_dir) == scanned(log_dir)


def test_null_content_is_null_with_skip_the_way_that_spark_4_0_takes(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__version__", "4.0.1")
    test_null_content_is_null_with_skip(spark)


def test_default_columns_are_scans_columns_and_the_raw_timestamp(spark: SparkSession) -> None:
    names = kafkafmt.scan(CODECS).schema.names
    assert read_records(spark, CODECS / SEGMENTS).columns == [*names, "timestampMs"]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
def test_session_time_zone_shifts_no_instant(spark: SparkSession, zone: str) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    assert before is not None
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        records = read_records(spark, CODECS / "codec-none-0/*.log", columns=["timestamp", "timestampMs"])
        assert records.where("unix_millis(timestamp) <> timestampMs or timestamp is null").count() == 0
        assert records.count() > 0
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_timestamps_that_spark_cannot_hold_are_null_and_collect(spark: SparkSession) -> None:
    log_dir = GOLDEN / "modern/02-timestamps-4.3.1/log-dir"
    far = read_records(spark, log_dir / SEGMENTS, columns=["timestampMs", "timestamp"]).where("timestamp is null")
    assert 2**63 - 1 in {row["timestampMs"] for row in far.collect()}


@pytest.mark.parametrize("columns", [["value"], ["offset", "key"], ["timestampMs"], ["file", "headers", "timestamp"]])
def test_columns_are_those_asked_for_in_that_order(spark: SparkSession, columns: Sequence[str]) -> None:
    log_dir = GOLDEN / "modern/02-timestamps-4.3.1/log-dir"
    records = read_records(spark, log_dir / SEGMENTS, columns=columns)
    assert records.columns == columns
    assert [field.dataType for field in records.schema] == [record_columns()[name] for name in columns]
    assert records.count() == len(scanned(log_dir))


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A log directory with a sound file, one with a flipped bit in its second batch, and one that is not a log."""
    for name in ("sound-0", "flipped-0", "noise-0"):
        (tmp_path / name).mkdir()
        shutil.copy(CODECS / "codec-none-0/00000000000000000000.log", tmp_path / name)
    flipped = tmp_path / "flipped-0/00000000000000000000.log"
    data = bytearray(flipped.read_bytes())
    data[second_batch(flipped) + 70] ^= 1
    flipped.write_bytes(data)
    (tmp_path / "noise-0/00000000000000000000.log").write_bytes(b"\xff" * 600)
    return tmp_path


def second_batch(path: Path) -> int:
    batches = kafkafmt.Segment(str(path)).batches()
    next(batches)
    position = next(batches).position
    assert position is not None
    return position


def test_damage_ends_the_job_with_file_and_position(spark: SparkSession, damaged: Path) -> None:
    position = second_batch(damaged / "sound-0/00000000000000000000.log")
    with pytest.raises(PySparkException) as caught:
        read_records(spark, damaged / "flipped-0/*.log").collect()
    message = str(caught.value)
    assert "ChecksumError" in message
    assert f"file:{damaged}/flipped-0/00000000000000000000.log: position {position}:" in message


def test_damage_is_left_out_with_skip_and_nothing_else_is(spark: SparkSession, damaged: Path) -> None:
    expected = scanned(damaged)
    files = {row["file"].partition("/")[0] for row in expected}
    assert files == {"sound-0", "flipped-0"}
    assert rows_of(read_records(spark, damaged / SEGMENTS, on_damage="skip"), damaged) == expected


def test_limits_hold(spark: SparkSession, damaged: Path) -> None:
    limits = kafkafmt.Limits(max_records_per_batch=1)
    with pytest.raises(PySparkException, match="LimitExceededError"):
        read_records(spark, damaged / "sound-0/*.log", limits=limits).collect()
    few = read_records(spark, damaged / "sound-0/*.log", limits=limits, on_damage="skip")
    assert rows_of(few, damaged) == [
        row for row in scanned(damaged, limits=limits) if row["file"].startswith("sound-0/")
    ]


def test_null_content_ends_the_job_and_says_what_to_use(spark: SparkSession) -> None:
    files = read_files(spark, CODECS / "codec-none-0/*55.log").withColumn("content", F.lit(None).cast("binary"))
    with pytest.raises(PySparkException, match=r"00055\.log: the file has no content .*kafkafmt\.scan"):
        files.select(parse_segment("path", "content")).collect()


def test_null_content_is_null_with_skip(spark: SparkSession) -> None:
    files = read_files(spark, CODECS / "codec-none-0/*.log").withColumn("content", F.lit(None).cast("binary"))
    records = files.select(parse_segment("path", "content", on_damage="skip").alias("records"))
    assert [row["records"] for row in records.collect()] == [None] * files.count()


def test_null_content_among_others_does_not_move_records_to_another_file(spark: SparkSession) -> None:
    lost = "path like '%codec-gzip-%'"
    files = read_files(spark, CODECS / SEGMENTS).withColumn("content", F.expr(f"if({lost}, null, content)"))
    parsed = files.coalesce(1).select("path", parse_segment("path", "content", on_damage="skip").alias("records"))
    assert parsed.where(f"({lost}) <> (records is null)").count() == 0
    rows = parsed.select("path", F.explode("records").alias("r")).where("path <> r.file")
    assert rows.count() == 0


def test_columns_may_be_expressions_and_paths_of_any_name(spark: SparkSession, tmp_path: Path) -> None:
    directory = tmp_path / "a b%20c,Ж" / "orders-7"
    directory.mkdir(parents=True)
    shutil.copy(CODECS / "codec-none-0/00000000000000000000.log", directory)
    files = spark.read.format("binaryFile").option("recursiveFileLookup", value=True).load(str(tmp_path))
    parsed = files.select(
        parse_segment(F.col("path"), files.content, columns=["topic", "partition", "file"]).alias("r")
    )
    rows = parsed.select(F.explode("r").alias("r")).select("r.*").distinct().collect()
    assert [tuple(row) for row in rows] == [("orders", 7, f"file:{directory}/00000000000000000000.log")]


def test_internal_topics_need_a_glob_as_documented(spark: SparkSession) -> None:
    log_dir = GOLDEN / "modern/08-consumer-groups-4.3.1/log-dir"
    options = {"recursiveFileLookup": "true", "pathGlobFilter": "*.log"}
    walked = spark.read.format("binaryFile").options(**options).load(str(log_dir)).select("path").collect()
    named = read_files(spark, log_dir / SEGMENTS).select("path").collect()
    assert not any("__consumer_offsets" in row["path"] for row in walked)
    assert any("__consumer_offsets" in row["path"] for row in named)
