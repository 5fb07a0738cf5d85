"""parse_index on a real session, against Kafka's own reading of the same files."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from pyspark_kafkafmt import parse_index
from pyspark_kafkafmt.columns import IndexKind
from tests.golden_cases import Case, cases

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

INDEX_FULL, RUNNING = "11-index-full-4.3.1", "14-running-4.3.1"


def case(name: str) -> Case:
    return next(each for each in cases("modern") if each.name == name)


def kafkas_entries(of: Case, suffix: str) -> dict[str, list[list[int]]]:
    """By file, the entries read by Kafka's own index classes, without empty files."""
    answers = of.jsonl("index_entries.jsonl")
    return {each["file"]: each["entries"] for each in answers if each["file"].endswith(suffix) and each["entries"]}


def parsed_entries(spark: SparkSession, of: Case, suffix: str, parsed: Any, *fields: str) -> dict[str, list[list[int]]]:
    files = spark.read.format("binaryFile").load(str(of.log_dir / f"*-*[0-9]/*{suffix}"))
    entries: DataFrame = files.select("path", F.explode(parsed).alias("e"))
    found: dict[str, list[list[int]]] = defaultdict(list)
    for row in entries.select("path", *(f"e.{name}" for name in fields)).collect():
        path, *values = row
        found[path.removeprefix(f"file:{of.log_dir}/")].append(values)
    return dict(found)


@pytest.mark.parametrize("name", [INDEX_FULL, RUNNING])
def test_offset_index_entries_are_kafkas_without_padding(spark: SparkSession, name: str) -> None:
    parsed = parse_index("offset", "path", "content")
    found = parsed_entries(spark, case(name), ".index", parsed, "offset", "position")
    assert found == kafkas_entries(case(name), ".index")


@pytest.mark.parametrize("name", [INDEX_FULL, RUNNING])
def test_time_index_entries_are_kafkas_without_padding(spark: SparkSession, name: str) -> None:
    parsed = parse_index("time", "path", "content")
    found = parsed_entries(spark, case(name), ".timeindex", parsed, "timestampMs", "offset")
    assert found == kafkas_entries(case(name), ".timeindex")


def test_columns_are_those_asked_for(spark: SparkSession) -> None:
    offset_indexes = spark.read.format("binaryFile").load(str(case(INDEX_FULL).log_dir / "idxfull-0/*.index"))
    time_indexes = spark.read.format("binaryFile").load(str(case(INDEX_FULL).log_dir / "idxfull-0/*.timeindex"))
    positions = parse_index("offset", "path", "content", columns=["position", "relativeOffset"])
    assert offset_indexes.select(F.explode(positions)).select("col.*").columns == ["position", "relativeOffset"]
    rows = time_indexes.select(F.explode(parse_index("time", "path", "content")).alias("e")).select("e.*")
    assert rows.columns == ["timestamp", "offset", "relativeOffset", "timestampMs"]
    assert rows.where("unix_millis(timestamp) <> timestampMs or timestamp is null").count() == 0


def test_a_name_without_base_offset_leaves_the_offset_null(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "copy.index").write_bytes(bytes.fromhex("0000000300000100"))
    files = spark.read.format("binaryFile").load(str(tmp_path / "copy.index"))
    rows = files.select(F.explode(parse_index("offset", "path", "content")).alias("e")).select("e.*").collect()
    assert [tuple(row) for row in rows] == [(None, 3, 256)]


def test_a_file_without_content_is_null_if_damage_is_skipped(spark: SparkSession) -> None:
    files = spark.sql("select '/t-0/00000000000000000005.index' path, cast(null as binary) content")
    kinds: tuple[IndexKind, ...] = ("offset", "time")
    for kind in kinds:
        assert files.select(parse_index(kind, "path", "content", on_damage="skip")).collect()[0][0] is None
        with pytest.raises(PythonException, match="no content"):
            files.select(parse_index(kind, "path", "content")).collect()
