"""The data source and its reader alone, called as Spark calls them: in this process, without a session."""

import json
import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql.datasource import CaseInsensitiveDict, InputPartition
from pyspark.sql.types import StructType

import kafkafmt
import pyspark_kafkafmt
from pyspark_kafkafmt import KafkafmtDataSource
from pyspark_kafkafmt.option_errors import OptionError
from pyspark_kafkafmt.reader import KafkafmtReader
from tests.golden_cases import GOLDEN

CODECS = GOLDEN / "modern/01-codecs-4.3.1/log-dir"
CRASHED = GOLDEN / "modern/12-crash-4.3.1/log-dir/damaged"


def source(path: Path, **options: str) -> KafkafmtDataSource:
    return KafkafmtDataSource(CaseInsensitiveDict({"path": str(path), **options}))


def read(path: Path, schema: StructType | None = None, **options: str) -> list[dict[str, Any]]:
    """Rows read through the pickles that Spark makes."""
    made = pickle.loads(pickle.dumps(source(path, **options)))
    planned = made.reader(schema or made.schema())
    reader = pickle.loads(pickle.dumps(planned))
    partitions = [pickle.loads(pickle.dumps(each)) for each in planned.partitions()]
    return [row for each in partitions for batch in reader.read(each) for row in batch.to_pylist()]


def damage() -> list[kafkafmt.Damage]:
    scan = kafkafmt.scan(CRASHED, on_damage="skip")
    scan.to_table()
    return [each for each in scan.damage if not each.is_open_end]


def test_rows_are_those_of_scan() -> None:
    expected = kafkafmt.scan(CODECS, columns=["value", "topic", "offset"]).to_table().to_pylist()
    found = read(CODECS, maxPartitionBytes="100k")
    assert [{name: row[name] for name in ("value", "topic", "offset")} for row in found] == expected


def test_damage_becomes_rows() -> None:
    rows = [row for row in read(CRASHED, mode="PERMISSIVE") if row["_corrupt_record"] is not None]
    told = [json.loads(row["_corrupt_record"]) for row in rows]
    assert told == [
        {
            "file": str(CRASHED / (each.file or "")),
            "position": each.position,
            "length": each.length,
            "reason": each.reason,
            "firstOffset": each.first_offset,
            "lastOffset": each.last_offset,
            "records": each.records,
        }
        for each in damage()
    ]
    assert {"file", "checksum", 58, 60} <= {value for each in told for value in (*each, *each.values())}
    assert {row["value"] for row in rows} == {None}
    assert {row["topic"] for row in rows} == {Path(each.file or "").parent.name[:-2] for each in damage()}


@pytest.mark.parametrize(
    ("options", "schema", "why"),
    [
        ({"mode": "DROPMALFORMED"}, None, "mode DROPMALFORMED"),
        ({"mode": "PERMISSIVE"}, StructType().add("offset", "long"), "the schema has no column _corrupt_record"),
    ],
    ids=["DROPMALFORMED", "PERMISSIVE without the column"],
)
def test_damage_is_left_out_and_counted(
    options: dict[str, str], schema: StructType | None, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="pyspark_kafkafmt"):
        rows = read(CRASHED, schema, **options)
    assert len(rows) == kafkafmt.scan(CRASHED, on_damage="skip").to_table().num_rows
    *notes, warning = [each.getMessage() for each in caplog.records]
    assert any("position 681: base offset 125 should be 61" in note for note in notes)
    size = sum(each.length for each in damage())
    assert warning.startswith(f"kafkafmt: left out {len(damage())} damaged ranges of {size} bytes ({why}); the first: ")


def test_one_range_is_one(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="pyspark_kafkafmt"):
        read(CRASHED / "crash-flip-crc-0", mode="DROPMALFORMED")
    assert caplog.records[0].getMessage().startswith("kafkafmt: left out 1 damaged range of ")


def test_nothing_is_said_where_nothing_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    read(CRASHED / "crash-zero-tail-0", mode="DROPMALFORMED")
    assert not caplog.records


def test_an_error_comes_without_the_way_to_it() -> None:
    reader = source(CRASHED / "crash-flip-crc-0").reader(StructType().add("value", "binary"))
    (partition,) = reader.partitions()
    with pytest.raises(kafkafmt.ChecksumError) as caught:
        list(reader.read(partition))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert len(caught.traceback) == 2
    with pytest.raises(OptionError) as wrong:
        source(CODECS, subscribe="absent").reader(StructType()).partitions()
    assert wrong.value.__suppress_context__


def test_a_broken_checkpoint_is_told_by_a_partition_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    (tmp_path / "t-0" / "00000000000000000000.log").write_bytes(b"")
    (tmp_path / "log-start-offset-checkpoint").write_text("broken")
    (row,) = read(tmp_path, mode="PERMISSIVE")
    assert json.loads(row["_corrupt_record"])["file"] == str(tmp_path / "log-start-offset-checkpoint")
    assert (row["topic"], row["partition"]) == (None, None)


def test_a_partition_of_sparks_own_is_empty() -> None:
    reader = source(CODECS).reader(StructType())
    assert isinstance(reader, KafkafmtReader)
    assert list(reader.read(InputPartition(None))) == []


def test_partitions_and_readers_are_small() -> None:
    reader = source(CODECS, maxPartitionBytes="5k").reader(StructType().add("value", "binary"))
    sizes = [len(pickle.dumps(each)) for each in reader.partitions()]
    assert len(sizes) > 10
    assert max(sizes) < 2000
    assert len(pickle.dumps(reader)) < 4000


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("streamWriter", r"streaming is not offered .expected df\.write, found df\.writeStream"),
        ("writer", r'nothing is ever overwritten .expected mode\("append"\), found mode\("overwrite"\)'),
    ],
)
def test_streams_of_writes_and_overwriting_are_refused(method: str, said: str) -> None:
    with pytest.raises(kafkafmt.UnsupportedError, match=rf'format\("kafkafmt"\): {said}'):
        getattr(source(CODECS), method)(StructType(), overwrite=True)


def test_an_older_spark_is_told_where_the_data_source_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "3.5.6")
    for name in ("KafkafmtDataSource", "DefaultSource"):
        with pytest.raises(kafkafmt.UnsupportedError, match=r"expected pyspark 4\.0 or later, found 3\.5\.6"):
            getattr(pyspark_kafkafmt, name)
    with pytest.raises(AttributeError, match="no attribute 'Default'"):
        _ = pyspark_kafkafmt.Default


def test_what_finds_the_data_source_loads_little() -> None:
    """Spark imports it in every session that uses any Python data source."""
    code = """
import sys, pyspark.sql.worker.lookup_data_sources
before = set(sys.modules)
import pyspark_kafkafmt
assert pyspark_kafkafmt.DefaultSource.name() == "kafkafmt"
print(sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
    environ = {"PYTHONPATH": os.pathsep.join(sys.path)}
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environ)
    assert loaded.stdout.strip() == "['pyspark_kafkafmt']"
