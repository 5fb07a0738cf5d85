"""register(spark): the same functions from SQL."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import kafkafmt
from pyspark_kafkafmt import register
from tests.golden_cases import GOLDEN

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

LOG_DIR = GOLDEN / "modern/11-index-full-4.3.1/log-dir"


@pytest.fixture
def sql(spark: SparkSession) -> SparkSession:
    register(spark)
    for suffix in ("log", "index", "timeindex"):
        files = spark.read.format("binaryFile").load(str(LOG_DIR / f"*-*[0-9]/*.{suffix}"))
        files.createOrReplaceTempView(suffix)
    return spark


def test_segments_are_parsed_in_sql(sql: SparkSession) -> None:
    records = sql.sql("select inline(kafkafmt_parse_segment(path, content)) from log")
    assert records.count() == kafkafmt.scan(LOG_DIR).count()
    assert records.columns == [*kafkafmt.scan(LOG_DIR).schema.names, "timestampMs"]


@pytest.mark.parametrize("name", ["offset_index", "time_index"])
def test_indexes_are_parsed_in_sql(sql: SparkSession, name: str) -> None:
    view, module = {
        "offset_index": ("index", kafkafmt.files.offset_index),
        "time_index": ("timeindex", kafkafmt.files.time_index),
    }[name]
    entries = sql.sql(f"select inline(kafkafmt_parse_{name}(path, content)) from {view}")
    assert entries.count() == sum(len(module.read(path).entries) for path in LOG_DIR.glob(f"*-*/*.{view}"))
    assert entries.count() > 0


def test_damage_is_raised_by_default_and_skipped_on_demand(sql: SparkSession, tmp_path: Path) -> None:
    damaged = tmp_path / "noise-0"
    damaged.mkdir()
    (damaged / "00000000000000000000.log").write_bytes(b"\xff" * 600)
    files = sql.read.format("binaryFile").load([str(damaged / "*.log"), str(LOG_DIR / "idxfull-0/*.log")])
    files.createOrReplaceTempView("some_damaged")
    with pytest.raises(PySparkException, match=f"CorruptError: file:{damaged}/00000000000000000000.log: position 0: "):
        sql.sql("select inline(kafkafmt_parse_segment(path, content)) from some_damaged").collect()
    skipped = sql.sql("select inline(kafkafmt_parse_segment(path, content, on_damage => 'skip')) from some_damaged")
    assert skipped.count() == kafkafmt.scan(LOG_DIR, topics="idxfull", partitions=0).count()
