"""verify_log_dirs: the answer of Disks.verify for any grouping into tasks."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import kafkafmt
from pyspark_kafkafmt import verify_log_dirs
from tests.golden_cases import cluster_case
from tests.startup.test_golden_starts import unpack

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.mark.parametrize("max_group_bytes", [1, 20_000, 1 << 30])
def test_spark_finds_what_one_machine_finds(spark: SparkSession, max_group_bytes: int, tmp_path: Path) -> None:
    unpack("79-killed-many", tmp_path)
    paths = [tmp_path / "d0", tmp_path / "d1"]
    expected = kafkafmt.open(paths).verify(level="records")
    answer = verify_log_dirs(spark, paths, level="records", max_group_bytes=max_group_bytes)
    assert _sorted(answer.findings.to_pylist()) == _sorted(expected.findings.to_pylist())
    assert answer.findings.schema == expected.findings.schema
    assert answer.verdict == expected.verdict
    assert answer.partitions == expected.partitions


def test_a_partition_directory_is_checked_where_this_is_called(spark: SparkSession, tmp_path: Path) -> None:
    unpack("79-killed-many", tmp_path)
    path = tmp_path / "d0" / "orders-0"
    assert verify_log_dirs(spark, path).findings == kafkafmt.open(path).verify().findings


def test_copies_of_one_node_are_judged_apart(spark: SparkSession, tmp_path: Path) -> None:
    """As one node they would not start: they have the same directory id and different partitions."""
    nodes = cluster_case(6).unpack(tmp_path)
    copies = [tmp_path / "snapshots" / name for name in ("a", "b")]
    for copy, log_dir in zip(copies, nodes[2], strict=True):
        shutil.copytree(log_dir, copy / "d")
    answer = verify_log_dirs(spark, copies, level="headers", metadata=nodes[1][0], copies=copies)
    assert answer.verdict["starts"].to_pylist() == [True, True]


def test_a_path_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(kafkafmt.SourceError):
        verify_log_dirs(spark, tmp_path / "nowhere")


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=repr)
