"""Killed loads: at any moment the rows in the table are those below its offsets, each once."""

import errno
import fcntl
import importlib
import os
import random
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.loading.appended import RECORDS, AppendedDirectory
from kafkafmt.loading.load import offsets_of
from kafkafmt.writing.durable import sync
from tests.cli.conftest import ROOT, environment
from tests.interrupting import Disk
from tests.loading.conftest import Lake, catalog_of, make_lake
from tests.loading.killed import COMMIT_BYTES, ROWS
from tests.logdir.builders import batch, segment

MOMENTS = int(os.environ.get("KAFKAFMT_KILLS", "8"))
PARTITIONS = 3


class Growing:
    """A log directory that gets more records."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.end = 0

    def grow(self, count: int = 120) -> None:
        for number in range(PARTITIONS):
            some = (batch(self.end + each, 10, value=b"x" * 300) for each in range(0, count, 10))
            segment(self.place / f"t-{number}", self.end, *some)
        self.end += count


class Loads:
    """The program that loads in children that are killed."""

    def __init__(self, source: Path, lake: Lake) -> None:
        command = [sys.executable, "-m", "tests.loading.killed", str(source), lake.to()]
        variables = environment(**catalog_of(lake.place))
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=variables
        )

    def run(self, moment: int) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(moment, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait() == 0


@pytest.fixture
def source(tmp_path: Path) -> Growing:
    growing = Growing(tmp_path / "source")
    growing.grow()
    return growing


@pytest.fixture
def loads(source: Growing, lake: Lake) -> Iterator[Loads]:
    loads = Loads(source.place, lake)
    yield loads
    loads.close()


def is_consistent(lake: Lake, *, was_killed: bool = False) -> dict[tuple[str, int], int]:
    """Compare the rows of a table with its offsets, which are returned."""
    rows = lake.offsets()
    if not rows:
        return {}
    offsets = dict(offsets_of(lake.to()))
    expected = {name: [*range(end)] for name, end in offsets.items() if end}
    found = {name: each for name, each in rows.items() if each}
    if was_killed and lake.kind == "directory":
        # The next load puts the last files in place, once the record of them is complete.
        expected = {name: each[: len(found.get(name, ()))] for name, each in expected.items()}
        expected = {name: each for name, each in expected.items() if each}
    assert found == expected
    return offsets


@pytest.mark.slow
def test_a_load_that_is_killed_at_any_call(source: Growing, lake: Lake, loads: Loads) -> None:
    calls = int(loads.run(-1))
    source.grow()
    chosen = random.Random(lake.kind)
    ends = set()
    killed = 0
    for number in range(MOMENTS):
        # Evenly over the load, for most of its calls are before the first commit.
        moment = (number * calls + chosen.randrange(calls)) // MOMENTS
        answer = loads.run(moment)
        killed += answer == "killed"
        assert answer in ("killed", "ended")
        ends.add(tuple(sorted(is_consistent(lake, was_killed=True).items())))
        source.grow(60)
    assert killed > MOMENTS // 2
    assert any(len({end for _, end in each}) > 1 for each in ends)  # some were killed between commits
    loads.run(-1)
    assert is_consistent(lake) == {("t", number): source.end for number in range(PARTITIONS)}


@pytest.mark.slow
def test_a_directory_that_is_killed_at_every_change(
    tmp_path: Path, source: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake("directory", tmp_path / "lake", monkeypatch)
    monkeypatch.setattr("kafkafmt.scanning.batching._ROWS", ROWS)
    number, seen = 0, set()
    disk = Disk(lake.place)
    while disk.killed_at(number, lambda: kafkafmt.load(source.place, lake.to(), commit_bytes=COMMIT_BYTES)):
        found = lake.offsets()
        # A run whose record is complete, but whose files are not all in place, is finished by the next one.
        assert all(each == [*range(len(each))] for each in found.values())
        kafkafmt.load(source.place, lake.to())
        seen.add(len(is_consistent(lake)))
        assert is_consistent(lake) == {("t", each): source.end for each in range(PARTITIONS)}
        source.grow(60)
        number += 1
    assert number > 10


def test_two_loads_at_the_same_time(source: Growing, lake: Lake) -> None:
    kafkafmt.load(source.place, lake.to())
    source.grow()
    errors: list[BaseException] = []
    start = threading.Barrier(2)

    def load() -> None:
        start.wait()
        try:
            kafkafmt.load(source.place, lake.to())
        except kafkafmt.SourceError as error:
            errors.append(error)

    threads = [threading.Thread(target=load) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(errors) < 2
    assert all("at the same time" in str(each) or "another run is writing" in str(each) for each in errors)
    assert is_consistent(lake) == {("t", number): source.end for number in range(PARTITIONS)}


@pytest.mark.parametrize("lake", ["delta", "iceberg"], indirect=True)  # a directory has a lock
@pytest.mark.parametrize("other", ["load", "program"])
def test_a_commit_of_another_between_ours(
    source: Growing, lake: Lake, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Another commit just before ours: one of a load refuses ours; one of another program does not."""
    kafkafmt.load(source.place, lake.to())
    source.grow()
    at = "kafkafmt.loading.delta.DeltaTarget._commit" if lake.kind == "delta" else ICEBERG
    original = getattr(__import__("kafkafmt.loading." + lake.kind, fromlist=["x"]), at.split(".")[3])._commit
    done: list[bool] = []

    def commit(*arguments: object) -> None:
        if not done:
            done.append(True)
            if other == "load":
                kafkafmt.load(source.place, lake.to())
            else:
                delete(lake, 5)
        original(*arguments)

    monkeypatch.setattr(at, commit)
    if other == "load":
        with pytest.raises(kafkafmt.SourceError, match="at the same time"):
            kafkafmt.load(source.place, lake.to())
    else:
        kafkafmt.load(source.place, lake.to())
    found = lake.offsets()
    assert all(len(set(each)) == len(each) for each in found.values())
    expected = [*range(source.end)] if other == "load" else [each for each in range(source.end) if each != 5]
    assert found == {("t", number): expected for number in range(PARTITIONS)}


ICEBERG = "kafkafmt.loading.iceberg.IcebergTarget._commit"


def delete(lake: Lake, offset: int) -> None:
    if lake.kind == "delta":
        from deltalake import DeltaTable

        DeltaTable(lake.place / "t").delete(f"offset = {offset}")
    else:
        from pyiceberg.catalog import load_catalog

        load_catalog("test").load_table("db.t").delete(f"offset = {offset}")


@pytest.mark.parametrize("lake", ["delta", "iceberg"], indirect=True)  # a directory has a lock
@pytest.mark.parametrize("moment", ["the table is made", "columns are added"])
def test_a_load_between_the_offsets_and_the_columns_of_ours(
    source: Growing, lake: Lake, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The table is looked at again when its columns are prepared: what others have loaded by then is not repeated."""
    if moment == "columns are added":
        kafkafmt.load(source.place, lake.to(), columns=["topic", "partition", "offset"])
        source.grow()
    name = {"delta": "DeltaTarget", "iceberg": "IcebergTarget"}[lake.kind]
    kind = getattr(importlib.import_module(f"kafkafmt.loading.{lake.kind}"), name)
    original = kind.prepare
    done: list[bool] = []

    def prepare(target: object, rows: object) -> object:
        if not done:
            done.append(True)
            kafkafmt.load(source.place, lake.to(), columns=["topic", "partition", "offset"])
        return original(target, rows)

    monkeypatch.setattr(kind, "prepare", prepare)
    with pytest.raises(kafkafmt.SourceError, match="another load has changed it at the same time"):
        kafkafmt.load(source.place, lake.to())
    assert is_consistent(lake) == {("t", number): source.end for number in range(PARTITIONS)}


def test_a_run_of_a_directory_with_a_record_is_finished_whatever_fails_after_it(
    source: Growing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake("directory", tmp_path / "lake", monkeypatch)
    kafkafmt.load(source.place, lake.to())
    source.grow()

    def interrupted(path: Path) -> None:
        if path.name == RECORDS and (path / "00000002.json").exists():
            raise KeyboardInterrupt
        sync(path)

    with monkeypatch.context() as patched:
        patched.setattr("kafkafmt.loading.appended.sync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kafkafmt.load(source.place, lake.to())
    kafkafmt.load(source.place, lake.to())
    assert is_consistent(lake) == {("t", number): source.end for number in range(PARTITIONS)}


def test_a_directory_on_a_file_system_that_locks_files_alone(
    source: Growing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As NFS: a directory cannot be opened for writing, which its locks need."""
    lake = make_lake("directory", tmp_path / "lake", monkeypatch)
    original = fcntl.flock

    def flock(file: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        original(file, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    kafkafmt.load(source.place, lake.to())
    source.grow()
    held = AppendedDirectory(lake.to(), (), lambda _: None)
    with pytest.raises(kafkafmt.SourceError, match="another run is writing"):
        kafkafmt.load(source.place, lake.to())
    held.close()
    kafkafmt.load(source.place, lake.to())
    assert is_consistent(lake) == {("t", number): source.end for number in range(PARTITIONS)}
