"""Wildcards in paths, on disks and in object storage."""

import os
import pickle
from pathlib import Path

import pytest

import kafkafmt
from pyspark_kafkafmt.paths import clusters_of, expand, places_of
from tests.golden_cases import GOLDEN

pytestmark = pytest.mark.volume

NAMES = ["a-0/x.log", "a-1/x.log", "a-10/y.log", "b[1]-0/x.log", ".h-0/x.log", "__c-0/x.log", "file"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("data", ["data"]),
        ("no such place", ["no such place"]),
        ("data/a-*", ["data/a-0", "data/a-1", "data/a-10"]),
        ("data/a-?", ["data/a-0", "data/a-1"]),
        ("data/a-[1-9]", ["data/a-1"]),
        ("data/a-[!1-9]*", ["data/a-0"]),
        ("data/a-[^1-9]*", ["data/a-0"]),
        ("data/*-0", ["data/.h-0", "data/__c-0", "data/a-0", "data/b[1]-0"]),
        ("data/{a-0,a-1,b*}", ["data/a-0", "data/a-1", "data/b[1]-0"]),
        ("data/{a-{0,10},zzz}/*.log", ["data/a-0/x.log", "data/a-10/y.log"]),
        ("{data,nothing}", ["data"]),
        ("data/b[1]-0", ["data/b[1]-0"]),
        ("data/b[[]1]-0", ["data/b[1]-0"]),
        ("data/b[[]1[]]-0", ["data/b[1]-0"]),
        ("d*/a-0/x.log", ["data/a-0/x.log"]),
        ("*/*/y*", ["data/a-10/y.log"]),
        ("data/*/", ["data/" + name for name in (".h-0", "__c-0", "a-0", "a-1", "a-10", "b[1]-0", "file")]),
        ("./d*/a-1", ["./data/a-1"]),
        ("data/*/x.log", [f"data/{name}/x.log" for name in (".h-0", "__c-0", "a-0", "a-1", "b[1]-0")]),
    ],
)
@pytest.mark.parametrize("form", ["relative", "absolute", "file URI"])
def test_wildcards_stand_for_what_is_there(tree: Path, pattern: str, expected: list[str], form: str) -> None:
    if form != "relative":
        pattern, expected = f"{tree}/{pattern}", [f"{tree}/{path}" for path in expected]
    assert expand([f"file://{pattern}" if form == "file URI" else pattern]) == expected


def test_each_path_comes_once(tree: Path) -> None:
    assert expand(["data/a-0", "data/a*", "data/a-0"]) == ["data/a-0", "data/a-1", "data/a-10"]


@pytest.mark.parametrize("pattern", ["data/z*", "data/file/*", "z*/a-0", "data/a-{7,8}", "{x,y}"])
def test_a_pattern_that_matches_nothing_is_told(tree: Path, pattern: str) -> None:
    with pytest.raises(kafkafmt.SourceError, match="nothing matches this path") as caught:
        expand([pattern])
    assert caught.value.file == pattern


def test_a_range_that_is_none_is_told(tree: Path) -> None:
    with pytest.raises(kafkafmt.SourceError, match="not a valid range of characters"):
        expand(["data/[z-a]*"])


def test_a_name_that_is_no_text_is_found(tree: Path) -> None:
    os.mkdir(b"data/n\xff-0")
    assert expand(["data/n*"]) == [os.fsdecode(b"data/n\xff-0")]


@pytest.mark.parametrize("scheme", ["s3a", "S3N"])
def test_hadoops_schemes_are_s3(scheme: str) -> None:
    assert expand([f"{scheme}://bucket/copies?region=eu-west-1"]) == ["s3://bucket/copies?region=eu-west-1"]


def test_what_was_opened_is_where_it_is() -> None:
    disks, log_dir = (
        kafkafmt.open([GOLDEN / "modern"]),
        kafkafmt.LogDir(GOLDEN / "modern" / "01-codecs-4.3.1" / "log-dir"),
    )
    [partition, *_] = log_dir.partitions
    [segment, *_] = partition.segments
    found = [str(place) for place in places_of([disks, log_dir, partition, segment, "no*"], expanded=False)]
    assert found == [*map(str, (GOLDEN / "modern", log_dir.path, partition.path, segment.location.absolute)), "no*"]
    assert pickle.loads(pickle.dumps(places_of(partition, expanded=True)))


def test_a_cluster_is_a_path_or_the_disks_that_were_opened() -> None:
    disks = kafkafmt.open([GOLDEN / "modern", GOLDEN / "legacy"])
    names = [str(GOLDEN / name) for name in ("modern", "legacy")]
    assert [cluster.name for cluster in clusters_of([disks, *names], expanded=True)] == [", ".join(names), *names]
    assert [cluster.name for cluster in clusters_of({"prod": names}, expanded=True)] == ["prod"]
