"""Loads killed at every disk change and continued: no record is lost or duplicated."""

import json
import shutil
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from kafkafmt.cli.main import run
from tests.interrupting import Disk
from tests.logdir.builders import batch, segment

FIRST, ALL = 10, 13


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source with records 0 to 9; `more` appends 10 to 12."""
    segment(tmp_path / "source" / "t-0", 0)
    return tmp_path / "source"


def more(source: Path) -> None:
    segment(source / "t-0", 10, batch(10, 2), batch(12))


def in_lake(lake: Path) -> list[int]:
    """Offsets in all files that readers treat as data; requires that each file is complete."""
    if not lake.exists():
        return []
    found = ds.dataset(lake, format="parquet", partitioning="hive").to_table()
    return sorted(found.column("offset").to_pylist()) if found.num_columns else []


@pytest.mark.slow
@pytest.mark.parametrize("is_first", [True, False])
def test_a_directory_that_is_appended_to(tmp_path: Path, source: Path, *, is_first: bool) -> None:
    lake, state = tmp_path / "disk" / "lake", tmp_path / "disk" / "s"
    lake.parent.mkdir()
    command = ["cat", str(source), "--columns", "offset", "--partition-by", "topic"]
    command += ["--out", str(lake), "--state", str(state)]
    before = 0
    if not is_first:
        assert run(command) == 0
        before = FIRST
        more(source)
    kept = shutil.copytree(lake.parent, tmp_path / "kept")
    disk, number, seen = Disk(lake.parent), 0, set()
    after = FIRST if is_first else ALL
    while disk.killed_at(number, lambda: run(command)):
        rows = in_lake(lake)
        assert rows in (list(range(before)), list(range(after)))
        seen.add(len(rows))
        at = json.loads(state.read_text())["offsets"]["t"]["0"] if state.exists() else 0
        assert at in (before, after)
        assert at == before or len(rows) == after
        more(source)
        assert run(command) == 0
        assert in_lake(lake) == list(range(ALL))
        assert json.loads(state.read_text())["offsets"] == {"t": {"0": ALL}}
        assert not list(lake.glob("_kafkafmt/*.writing"))
        shutil.rmtree(lake.parent)
        shutil.copytree(kept, lake.parent)
        if is_first:
            (source / "t-0" / f"{10:020d}.log").unlink()
        number += 1
    assert seen == {before, after}
    assert number > 20


def in_file(path: Path) -> list[int]:
    return [json.loads(line)["offset"] for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.slow
def test_a_file_is_complete_when_the_state_is_written(tmp_path: Path, source: Path) -> None:
    disk = tmp_path / "disk"
    out, state = disk / "new.jsonl", disk / "s"
    disk.mkdir()
    command = ["cat", str(source), "--columns", "offset", "--out", str(out), "--state", str(state)]
    assert run(command) == 0
    more(source)
    kept, number, seen = shutil.copytree(disk, tmp_path / "kept"), 0, set()
    while Disk(disk).killed_at(number, lambda: run(command)):
        at = json.loads(state.read_text())["offsets"]["t"]["0"]
        assert (at, in_file(out)) in [(10, list(range(10))), (10, [10, 11, 12]), (13, [10, 11, 12])]
        seen.add((at, len(in_file(out))))
        assert run(command) == 0
        assert in_file(out) == ([10, 11, 12] if at == FIRST else [])
        shutil.rmtree(disk)
        shutil.copytree(kept, disk)
        number += 1
    assert len(seen) == 3


@pytest.mark.slow
def test_two_phases(tmp_path: Path, source: Path) -> None:
    disk, loaded = tmp_path / "disk", list[int]()
    disk.mkdir()
    out, state = disk / "new.jsonl", disk / "s"
    command = ["cat", str(source), "--columns", "offset", "--out", str(out), "--state", str(state), "--commit"]
    commit = ["state", "commit", str(state)]

    def load() -> None:
        """The steps of a script, each only if the previous one succeeded."""
        if run(command) == 0:
            loaded.extend(in_file(out))
            run(commit)

    load()
    assert loaded == list(range(FIRST))
    more(source)
    kept, number = shutil.copytree(disk, tmp_path / "kept"), 0
    while True:
        del loaded[FIRST:]
        was_killed = Disk(disk).killed_at(number, load)
        if not was_killed:
            break
        was_committed = json.loads(state.read_text())["offsets"]["t"]["0"] == ALL
        assert not was_committed or loaded == list(range(ALL))
        if Path(f"{state}.next").exists():  # the committed rows are exactly those available for loading
            assert in_file(out) == [10, 11, 12]
        load()
        # A loader killed before the commit loads again; no row is lost, and no other row comes twice.
        assert sorted(set(loaded)) == list(range(ALL))
        shutil.rmtree(disk)
        shutil.copytree(kept, disk)
        number += 1
    assert number > 10
