"""Damage and the modes of the data source: a job that ends, rows that describe it, or a warning."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import kafkafmt
from tests.golden_cases import GOLDEN
from tests.spark.data_source_rows import load, load_all_columns, rows_of, scanned

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

CRASHED = GOLDEN / "modern/12-crash-4.3.1/log-dir/damaged"
DAMAGED = [CRASHED, GOLDEN / "legacy/damaged-mixed-1.1.1/log-dir"]
ROOT = Path(__file__).parents[2]


def damage_in(log_dir: Path) -> list[dict[str, Any]]:
    """The expected rows of damage, without the open ends that a running broker leaves."""
    scan = kafkafmt.scan(log_dir, on_damage="skip")
    scan.to_table()
    return [
        {
            "file": str(log_dir / (each.file or "")),
            "position": each.position,
            "length": each.length,
            "reason": each.reason,
            "firstOffset": each.first_offset,
            "lastOffset": each.last_offset,
            "records": each.records,
        }
        for each in scan.damage
        if not each.is_open_end
    ]


def by_place(each: dict[str, Any]) -> tuple[str, int]:
    return each["file"], each["position"]


@pytest.mark.parametrize("log_dir", DAMAGED, ids=lambda path: str(path.relative_to(GOLDEN)))
@pytest.mark.parametrize("bytes_each", ["64m", "2k"])
def test_permissive_has_a_row_for_each_damaged_range(spark: SparkSession, log_dir: Path, bytes_each: str) -> None:
    frame = load_all_columns(spark, log_dir, mode="PERMISSIVE", maxPartitionBytes=bytes_each).cache()
    try:
        records = frame.where("_corrupt_record is null").drop("_corrupt_record")
        assert rows_of(records) == scanned(log_dir, on_damage="skip")
        damaged = frame.where("_corrupt_record is not null").collect()
    finally:
        frame.unpersist()
    expected = sorted(damage_in(log_dir), key=by_place)
    assert expected
    assert sorted((json.loads(row["_corrupt_record"]) for row in damaged), key=by_place) == expected
    for row in damaged:
        filled = row.asDict()
        named = Path(json.loads(filled.pop("_corrupt_record"))["file"]).parent.name
        assert f"{filled.pop('topic')}-{filled.pop('partition')}" == named
        assert set(filled.values()) == {None}


def test_the_column_of_damage_can_have_another_name(spark: SparkSession) -> None:
    frame = load(spark, CRASHED, mode="permissive", columnNameOfCorruptRecord="damage")
    assert frame.columns[-1] == "damage"
    assert frame.where("damage is not null").count() == len(damage_in(CRASHED))


def test_the_column_of_damage_can_be_chosen_alone(spark: SparkSession) -> None:
    reader = spark.read.format("kafkafmt").option("mode", "PERMISSIVE").schema("_corrupt_record string")
    counts = reader.load(str(CRASHED)).groupBy(F.col("_corrupt_record").isNull()).count().collect()
    records = kafkafmt.scan(CRASHED, on_damage="skip").to_table().num_rows
    assert {tuple(row) for row in counts} == {(True, records), (False, len(damage_in(CRASHED)))}


@pytest.mark.parametrize("name", ["14-running-4.3.1", "12-crash-4.3.1/log-dir/damaged/crash-zero-tail-0"])
def test_what_a_running_broker_leaves_is_no_damage(spark: SparkSession, name: str) -> None:
    source = GOLDEN / "modern" / name
    scan = kafkafmt.scan(source)
    scan.to_table()
    assert scan.damage
    frame = load(spark, source, mode="PERMISSIVE")
    assert frame.where("_corrupt_record is not null").count() == 0
    assert load(spark, source).count() == frame.count() == scan.count()


@pytest.mark.parametrize("mode", [{}, {"mode": "failfast"}], ids=["by default", "FAILFAST"])
def test_failfast_ends_the_job_with_file_and_position(spark: SparkSession, mode: dict[str, str]) -> None:
    source = CRASHED / "crash-flip-crc-0"
    with pytest.raises(kafkafmt.ChecksumError) as expected:
        kafkafmt.scan(source).to_table()
    with pytest.raises(PySparkException) as caught:
        load(spark, source, **mode).collect()
    lines = str(caught.value).splitlines()
    (line,) = [line for line in lines if line.startswith("kafkafmt.errors.")]
    place = f"{source / (expected.value.file or '')}: position {expected.value.position}"
    assert line.startswith(f"kafkafmt.errors.ChecksumError: {place}: {expected.value.message}")
    # Spark's own heading, and only the part of Python's traceback where our reader raised it.
    assert len(lines) < 9


def test_a_broken_checkpoint_is_a_row_too(spark: SparkSession, tmp_path: Path) -> None:
    """Planning, on the driver, finds it, and it belongs to no partition."""
    log_dir = tmp_path / "data"
    shutil.copytree(GOLDEN / "modern/06-retention-4.3.1/log-dir", log_dir)
    checkpoint = log_dir / "log-start-offset-checkpoint"
    checkpoint.write_text("0\nbroken\n")
    with pytest.raises(PySparkException, match=f"CorruptError: {checkpoint}: "):
        load(spark, log_dir).collect()
    frame = load(spark, log_dir, mode="PERMISSIVE")
    (row,) = frame.where("_corrupt_record is not null").collect()
    assert json.loads(row["_corrupt_record"])["file"] == str(checkpoint)
    assert (row.topic, row.partition, row.value) == (None, None, None)
    assert frame.count() == len(scanned(log_dir, on_damage="skip")) + 1


LEFT_OUT = """
import sys
import pyspark_kafkafmt
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.log.level", "OFF").config("spark.ui.enabled", "false")
spark = spark.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
def read(mode):
    return spark.read.format("kafkafmt").option("mode", mode)
print(read("DROPMALFORMED").load(sys.argv[1]).count())
print(read("PERMISSIVE").schema("offset bigint").load(sys.argv[1]).count())
print(read("DROPMALFORMED").option("kafka.bootstrap.servers", "b:9092").load(sys.argv[2]).count())
"""


def test_what_is_left_out_is_counted_on_stderr(tmp_path: Path) -> None:
    """In a job run by a Python other than the `python3` of PATH."""
    sound = CRASHED / "crash-none-0"
    other = tmp_path / "bin" / "python3"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho this Python has no kafkafmt >&2\nexit 9\n")
    other.chmod(0o755)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK_", "SPARK_"))} | {
        "PATH": f"{other.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in (".", "generated", "spark")),
    }
    command = [sys.executable, "-c", LEFT_OUT, str(CRASHED), str(sound)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environ, cwd=tmp_path)
    records = kafkafmt.scan(CRASHED, on_damage="skip").to_table().num_rows
    assert done.stdout.split() == [str(records), str(records), str(kafkafmt.scan(sound).count())]
    damage = damage_in(CRASHED)
    ranges = f"left out {len(damage)} damaged ranges of {sum(each['length'] for each in damage)} bytes"
    ours = [line for line in done.stderr.splitlines() if line.startswith("kafkafmt: ")]
    assert [line.partition("; ")[0] for line in ours if "left out" in line] == [
        f"kafkafmt: {ranges} (mode DROPMALFORMED)",
        f"kafkafmt: {ranges} (the schema has no column _corrupt_record)",
    ]
    assert any(f"; the first: {CRASHED}/" in line for line in ours)
    assert sum("kafka.bootstrap.servers" in line for line in ours) == 1
