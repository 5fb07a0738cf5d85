"""Errors in a job reach the driver, and their text says what and where."""

import re
import shutil
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import SparkSession

import kafkafmt
from tests.golden_cases import GOLDEN
from tests.spark.data_source_rows import load

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"


def test_an_option_that_makes_no_sense_is_told_where_the_data_is_loaded(spark: SparkSession) -> None:
    text = "OptionError: option mode = 'lenient': not an allowed value; allowed: FAIL"
    with pytest.raises(AnalysisException, match=text) as caught:
        load(spark, CODECS, mode="lenient")
    assert "options.py" not in str(caught.value)
    with pytest.raises(AnalysisException, match=text) as caught:
        spark.read.format("kafkafmt").option("mode", "lenient").schema("offset bigint").load(str(CODECS)).count()
    assert "options.py" not in str(caught.value)


def test_without_a_path_nothing_can_be_loaded(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match="option path: nothing to read is named"):
        spark.read.format("kafkafmt").load()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no such place", "SourceError: {}/no such place: "),
        ("no*such*place", "SourceError: {}/no[*]such[*]place: nothing matches this path"),
        (".", "SourceError: {}.*: no Kafka log here or below"),
    ],
)
def test_a_path_that_holds_nothing_is_told(spark: SparkSession, tmp_path: Path, path: str, message: str) -> None:
    frame = load(spark, tmp_path / path)
    with pytest.raises(AnalysisException, match=message.format(tmp_path)):
        frame.count()


def test_a_topic_that_is_not_there_is_told(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match=r"DataLossError: option subscribe: .*absent"):
        load(spark, CODECS, subscribe="absent").count()


@pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE", "DROPMALFORMED"])
def test_a_file_that_vanishes_after_the_planning_ends_the_job(spark: SparkSession, tmp_path: Path, mode: str) -> None:
    shutil.copytree(CODECS / "codec-lz4-0", tmp_path / "codec-lz4-0")
    frame = load(spark, tmp_path, mode=mode)
    assert frame.rdd.getNumPartitions() == 1
    for log in tmp_path.glob("*/*.log"):
        log.unlink()
    with pytest.raises(PythonException, match=rf"SourceError: {tmp_path}/codec-lz4-0/\d+.log: the file vanished"):
        frame.collect()


def test_a_file_that_shrinks_after_the_planning_ends_the_job(spark: SparkSession, tmp_path: Path) -> None:
    shutil.copytree(CODECS / "codec-none-0", tmp_path / "codec-none-0")
    frame = load(spark, tmp_path, mode="PERMISSIVE")
    assert frame.rdd.getNumPartitions() == 1
    log = max(tmp_path.glob("*/*.log"))
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - 1)
    with pytest.raises(PythonException, match=rf"SourceError: {log}: .*(shr[au]nk|shorter)"):
        frame.collect()


def test_a_batch_beyond_the_limit_is_told(spark: SparkSession) -> None:
    with pytest.raises(PythonException, match=rf"LimitExceededError: {re.escape(str(CODECS))}/\S+: position \d+: "):
        load(spark, CODECS, maxDecompressedBytes="1k").collect()
    assert load(spark, CODECS, maxDecompressedBytes="1k", mode="DROPMALFORMED").count() < kafkafmt.scan(CODECS).count()
