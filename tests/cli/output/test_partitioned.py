"""`cat --partition-by`: Parquet files in directories, readable by other programs, of bounded size, all or none."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

import kafkafmt as library
from kafkafmt.loading import parquet_files
from tests.cli.conftest import Call
from tests.golden_cases import GOLDEN
from tests.logdir.builders import batch, segment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATA = GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"
DAMAGED = GOLDEN / "modern" / "12-crash-4.3.1" / "log-dir" / "damaged"
TRANSACTIONS = GOLDEN / "modern" / "04-transactions-4.3.1" / "log-dir"
DAY_MS, HOUR_MS = 86_400_000, 3_600_000


def dataset(path: Path) -> pa.Table:
    return pads.dataset(path, partitioning="hive").to_table()


def names(path: Path) -> list[str]:
    return sorted(str(each.relative_to(path)) for each in path.rglob("*") if each.is_file())


def sorted_rows(table: pa.Table) -> list[Any]:
    columns = ["topic", "partition", "offset", "key", "value", "timestamp", "headers"]
    return sorted(map(repr, table.select(columns).to_pylist()))


@pytest.mark.slow
def test_others_read_what_a_scan_gives(kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "lake"
    answer = kafkafmt("cat", DATA, "--partition-by", "topic,partition,day,hour", "--out", out)
    assert (answer.status, answer.stdout, answer.stderr) == (0, b"", "")
    found = dataset(out)
    assert sorted_rows(found) == sorted_rows(library.scan(DATA).to_table())
    assert set(found.column("day").to_pylist()) == {"2026-11-21"}
    assert set(found.column("hour").to_pylist()) == {4}
    assert "topic=shapes/partition=0/day=2026-11-21/hour=4/part-0.parquet" in names(out)
    # The partition columns are not in the files, as in pyarrow and Spark.
    file = out / "topic=shapes" / "partition=0" / "day=2026-11-21" / "hour=4" / "part-0.parquet"
    assert pq.read_schema(file).names == [
        name for name in library.scan(DATA).schema.names if name not in ("topic", "partition")
    ]
    files = f"read_parquet('{out}/**/*.parquet', hive_partitioning = true)"
    query = f"select topic, day, hour, count(*) from {files} group by all"
    in_duckdb = duckdb.connect().execute(query).fetchall()
    counts = Counter(library.scan(DATA).to_table().column("topic").to_pylist())
    assert {topic: count for topic, _, _, count in in_duckdb} == counts
    assert {(str(day), hour) for _, day, hour, _ in in_duckdb} == {("2026-11-21", 4)}


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_spark_reads_it_too(spark: "SparkSession", kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "lake"
    for some in (("--topic", "shapes"), ()):  # two runs
        divided = ("--partition-by", "topic,day", "--out", out, "--state", tmp_path / "s")
        assert kafkafmt("cat", DATA, *some, *divided).status == 0
    (out / "_kafkafmt" / "00000003.writing").mkdir()
    (out / "_kafkafmt" / "00000003.writing" / "0.part").write_bytes(b"PAR1 half of a file")
    found = spark.read.parquet(str(out))
    assert {"topic": "string", "day": "date"}.items() <= dict(found.dtypes).items()
    assert sorted_rows(found.toArrow()) == sorted_rows(library.scan(DATA).to_table())
    # Every column, in Spark's types.
    expected = library.scan(DATA).to_table()
    names_of_columns = [*expected.schema.names, "day"]
    rows = found.withColumn("day", found.day.cast("string")).toArrow().select(names_of_columns)
    expected = expected.append_column("day", pa.array(["2026-11-21"] * expected.num_rows)).cast(rows.schema)
    by = [("topic", "ascending"), ("partition", "ascending"), ("offset", "ascending")]
    assert rows.sort_by(by).to_pylist() == expected.sort_by(by).to_pylist()


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_spark_reads_days_of_records_without_a_timestamp(spark: "SparkSession", kafkafmt: Call, tmp_path: Path) -> None:
    first, second = date(1970, 1, 1), date(1970, 1, 2)
    moments = {0: first, DAY_MS - 1: first, -1: None, DAY_MS: second, -2: date(1969, 12, 31)}
    segment(tmp_path / "d" / "t-0", 0, *(batch(number, timestamp=moment) for number, moment in enumerate(moments)))
    out = tmp_path / "lake"
    assert kafkafmt("cat", tmp_path / "d", "--partition-by", "day", "--out", out).status == 0
    found = spark.read.parquet(str(out)).sort("offset").select("offset", "day").collect()
    assert [(row.offset, row.day) for row in found] == [*enumerate(moments.values())]


def test_days_and_hours_are_those_of_utc(kafkafmt: Call, tmp_path: Path) -> None:
    moments = [-1, 0, DAY_MS - 1, DAY_MS, 23 * HOUR_MS, -2, -DAY_MS - 1, 2**62]
    segment(tmp_path / "d" / "t-0", 0, *(batch(number, timestamp=moment) for number, moment in enumerate(moments)))
    out = tmp_path / "lake"
    assert (
        kafkafmt("cat", tmp_path / "d", "--partition-by", "day,hour", "--columns", "offset", "--out", out).status == 0
    )
    found = {
        name.removesuffix("/part-0.parquet"): pq.ParquetFile(out / name).read().column(0).to_pylist()
        for name in names(out)
    }
    far = f"day={__import__('numpy').datetime64(2**62 // DAY_MS, 'D')}/hour={2**62 // HOUR_MS % 24}"
    assert found == {
        "day=__HIVE_DEFAULT_PARTITION__/hour=__HIVE_DEFAULT_PARTITION__": [0],
        "day=1970-01-01/hour=0": [1],
        "day=1970-01-01/hour=23": [2, 4],
        "day=1970-01-02/hour=0": [3],
        "day=1969-12-31/hour=23": [5],
        "day=1969-12-30/hour=23": [6],
        far: [7],
    }


def test_other_columns_name_directories(kafkafmt: Call, tmp_path: Path) -> None:
    out = tmp_path / "lake"
    arguments = ["--control", "--partition-by", "isControl,controlType,compression,producerId", "--topic", "tx"]
    assert kafkafmt("cat", TRANSACTIONS, *arguments, "--out", out).status == 0
    expected = library.scan(TRANSACTIONS, topics="tx", control_records=True).to_table()
    found = dataset(out)
    for name in ("controlType", "compression", "producerId"):
        assert Counter(found.column(name).to_pylist()) == Counter(expected.column(name).to_pylist())
    assert {name.partition("/")[0] for name in names(out)} == {"isControl=true", "isControl=false"}
    assert any("controlType=__HIVE_DEFAULT_PARTITION__" in name for name in names(out))


def test_files_are_no_larger_than_asked_for(kafkafmt: Call, tmp_path: Path) -> None:
    import random

    values = random.Random(0)
    parts = [batch(number, value=values.randbytes(1000)) for number in range(500)]
    large = batch(500, value=values.randbytes(100_000))
    segment(tmp_path / "d" / "t-0", 0, *parts, large, batch(501))
    out = tmp_path / "lake"
    options = ["--partition-by", "topic", "--max-file-bytes", "64KiB", "--out", out]
    assert kafkafmt("cat", tmp_path / "d", *options).status == 0
    assert sorted(dataset(out).column("offset").to_pylist()) == [*range(502)]
    files = {name: (out / name).stat().st_size for name in names(out)}
    assert 8 < len(files) < 25
    above = [name for name, size in files.items() if size > 64 * 1024]
    assert [pq.ParquetFile(out / name).read().column("offset").to_pylist() for name in above] == [[500]]


@pytest.mark.slow
def test_memory_and_open_files_are_bounded(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        parts = (batch(at, value=b"v" * 100, timestamp=at * HOUR_MS) for at in range(30))
        segment(tmp_path / "d" / f"t-{number}", 0, *parts)
    most: list[tuple[int, int]] = []
    write = parquet_files.PartitionedOutput.write

    def noting(self: Any, batch: pa.RecordBatch) -> None:
        for row in range(batch.num_rows):
            write(self, batch.slice(row, 1))
            most.append((self._waiting, len(self._open)))

    monkeypatch.setattr(parquet_files.PartitionedOutput, "write", noting)
    monkeypatch.setattr(parquet_files, "_WAITING_BYTES", 20_000)
    monkeypatch.setattr(parquet_files, "_OPEN_FILES", 5)
    out = tmp_path / "lake"
    assert kafkafmt("cat", tmp_path / "d", "--partition-by", "partition,day,hour", "--out", out).status == 0
    assert max(files for _, files in most) == 5
    assert 10_000 < max(waiting for waiting, _ in most) <= 20_000
    found = dataset(out)
    assert Counter(found.column("partition").to_pylist()) == dict.fromkeys(range(8), 30)
    assert len(names(out)) >= 240
    assert sorted(found.column("offset").to_pylist()) == sorted([*range(30)] * 8)


def test_there_is_a_bound_on_directories(kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_files, "_MOST_DIRECTORIES", 3)
    answer = kafkafmt("cat", DATA, "--partition-by", "topic", "--out", tmp_path / "lake")
    assert answer.status == 1
    assert "--partition-by topic would make more than 3 directories" in answer.stderr
    assert not [*tmp_path.iterdir()]


def test_damage_leaves_nothing_or_is_skipped(kafkafmt: Call, tmp_path: Path) -> None:
    arguments = ["cat", DAMAGED, "--partition-by", "topic", "--out", tmp_path / "lake"]
    assert kafkafmt(*arguments).status == 1
    assert not [*tmp_path.iterdir()]
    assert kafkafmt(*arguments, "--on-damage", "skip").status == 1
    assert sorted_rows(dataset(tmp_path / "lake")) == sorted_rows(library.scan(DAMAGED, on_damage="skip").to_table())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--partition-by", "topic"], "--out DIR"),
        (["--partition-by", "topic,value", "--out", "lake"], "'value' is not one of topic, partition, day"),
        (["--partition-by", "topic,topic", "--out", "lake"], "twice"),
        (["--partition-by", "topic", "--out", "lake", "-o", "csv"], "writes parquet"),
        (["--partition-by", "topic", "--columns", "topic", "--out", "lake"], "leaves no column"),
        (["--partition-by", "topic", "--limit", "1", "--out", "lake"], "cannot be combined with"),
        (["--max-file-bytes", "1", "--out", "a.csv"], "needs --partition-by"),
        (["--partition-by", "topic", "--out", DATA / "lake"], "has Kafka files"),
    ],
)
def test_wrong_usage(
    kafkafmt: Call, options: list[object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = kafkafmt("cat", DATA, *options)
    assert answer.status == 2
    assert said in answer.stderr
    assert not [*tmp_path.iterdir()]


def test_a_directory_that_exists_stays_as_it_is(kafkafmt: Call, tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    answer = kafkafmt("cat", DATA, "--partition-by", "topic", "--out", tmp_path / "lake")
    assert answer.status in (2, 3)
    assert not [*(tmp_path / "lake").iterdir()]
