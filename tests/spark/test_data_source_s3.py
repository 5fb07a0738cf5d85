"""The data source on a real S3 API: options and access keys travel with the splits, and are never shown."""

import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

import kafkafmt
from tests.golden_cases import GOLDEN
from tests.remote.conftest import SECRET, Bucket, bucket, s3_port  # noqa: F401 - fixtures
from tests.spark.data_source_rows import load, load_all_columns

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

LOG_DIR = GOLDEN / "modern/06-retention-4.3.1/log-dir"


def test_a_bucket_is_read(spark: SparkSession, bucket: Bucket) -> None:  # noqa: F811 - the fixture
    bucket.upload(LOG_DIR, "copies/b1")
    head, mark, options = bucket.uri("copies/*").partition("?")
    frame = load_all_columns(spark, head.replace("s3:", "s3a:", 1) + mark + options, maxPartitionBytes="2k")
    rows = frame.select("topic", "partition", "offset", "file").collect()
    expected = kafkafmt.scan(LOG_DIR).to_table().to_pylist()
    assert sorted((row.topic, row.partition, row.offset, row.file) for row in rows) == sorted(
        (row["topic"], row["partition"], row["offset"], bucket.shown(f"copies/b1/{row['file']}")) for row in expected
    )
    assert frame.rdd.getNumPartitions() > 1


def test_an_object_that_vanishes_is_told_without_keys(
    spark: SparkSession,
    bucket: Bucket,  # noqa: F811 - the fixture
) -> None:
    bucket.upload(LOG_DIR, "data")
    frame = load(spark, bucket.uri("data"))
    assert frame.rdd.getNumPartitions()
    gone = max(path.relative_to(LOG_DIR) for path in LOG_DIR.rglob("*.log") if path.stat().st_size)
    bucket.delete(f"data/{gone}")
    with pytest.raises(PythonException) as caught:
        frame.collect()
    assert f"SourceError: {bucket.shown(f'data/{gone}')}: " in str(caught.value)
    assert SECRET not in str(caught.value)
