"""Disks in use or partly broken: files that vanish, shrink, roll, are unreadable, or number tens of thousands."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import LogDir, SourceError, open_log_dirs
from kafkafmt.io.local_file import LocalFile
from tests.effort import calls
from tests.logdir.builders import batch, checkpoint, file_name, offsets, segment
from tests.unprivileged import readable_directory, run_as_nobody


@pytest.fixture
def log_dir(tmp_path: Path) -> Path:
    segment(tmp_path / "t-0", 0)
    segment(tmp_path / "t-0", 10)
    segment(tmp_path / "t-1", 0)
    return tmp_path


# A broker at work


def test_a_segment_that_vanishes_between_listing_and_reading(log_dir: Path) -> None:
    path = log_dir / "t-0" / file_name(10)
    scan = kafkafmt.scan(log_dir)
    listed = LogDir(log_dir)["t", 0].segments[1]
    path.rename(path.with_name(path.name + ".deleted"))
    reads: list[Any] = [scan.to_table, scan.count, lambda: list(listed.batches()), listed.next_offset]
    for read in reads:
        with pytest.raises(SourceError, match=r"vanished since it was listed.*list it again") as error:
            read()
        assert error.value.file == str(path)
    with pytest.raises(SourceError, match="No such file"):
        kafkafmt.Segment(str(path)).size  # noqa: B018
    assert sorted(offsets(log_dir)) == sorted([*range(10), *range(10)])


def test_a_segment_that_appears_after_listing_is_not_read(log_dir: Path) -> None:
    scan = kafkafmt.scan(log_dir, partitions=1)
    segment(log_dir / "t-1", 10)
    with (log_dir / "t-1" / file_name(0)).open("ab") as file:
        file.write(batch(10))
    assert scan.count() == 10
    assert kafkafmt.scan(log_dir, partitions=1).count() == 21


def test_a_segment_that_is_deleted_while_it_is_read_is_read_to_its_end(log_dir: Path) -> None:
    path = segment(log_dir / "t-2", 0, *(batch(number) for number in range(100)))
    headers = kafkafmt.Segment(str(path)).batches()
    next(headers)
    path.unlink()
    assert len(list(headers)) == 99


def test_a_segment_that_shrinks_while_it_is_read(log_dir: Path) -> None:
    path = segment(log_dir / "t-2", 0, *(batch(number, value=bytes(1_000_000)) for number in range(5)))
    records = kafkafmt.Segment(str(path)).records()
    next(records)
    os.truncate(path, 1_500_000)
    with pytest.raises(SourceError, match="shrank") as error:
        list(records)
    assert error.value.file == str(path)


def test_a_segment_that_grows_while_it_is_read_is_read_to_the_planned_size(log_dir: Path) -> None:
    path = segment(log_dir / "t-2", 0, *(batch(number) for number in range(100)))
    records = kafkafmt.Segment(str(path)).records()
    next(records)
    with path.open("ab") as file:
        file.write(batch(100))
    assert [record.offset for record in records] == list(range(1, 100))


@pytest.mark.parametrize("what", ["index", "checkpoint", "directory"])
def test_other_things_that_vanish(log_dir: Path, what: str) -> None:
    segment(log_dir / "t-1", 0).with_suffix(".index").write_bytes(bytes(8))
    (log_dir / "t-1" / "leader-epoch-checkpoint").write_text("0\n0\n")
    found = LogDir(log_dir)["t", 1]
    each = found.segments[0]
    shutil.rmtree(log_dir / "t-1")
    if what == "index":
        assert each.offset_index.file is None
    elif what == "checkpoint":
        with pytest.raises(SourceError) as error:
            found.leader_epochs  # noqa: B018
        assert error.value.file == str(log_dir / "t-1" / "leader-epoch-checkpoint")
    else:
        with pytest.raises(SourceError) as error:
            kafkafmt.Partition(found.path).segments  # noqa: B018
        assert error.value.file == str(log_dir / "t-1")


def test_a_directory_that_vanishes_while_the_tree_is_searched(log_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def vanishing(path: str) -> Any:
        if path == str(log_dir / "t-1") and os.path.isdir(path):
            shutil.rmtree(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", vanishing)
    with pytest.raises(SourceError, match="No such file") as error:
        kafkafmt.scan(log_dir)
    assert error.value.file == str(log_dir / "t-1")


def test_a_checkpoint_is_read_again_when_it_has_changed(log_dir: Path) -> None:
    partitions = LogDir(log_dir).partitions
    assert [each.high_watermark for each in partitions] == [None, None]
    checkpoint(log_dir, "replication-offset-checkpoint", {("t", 0): 5, ("t", 1): 6})
    assert [each.high_watermark for each in partitions] == [5, 6]
    checkpoint(log_dir, "replication-offset-checkpoint", {("t", 0): 50, ("t", 1): 60})
    assert [each.high_watermark for each in partitions] == [50, 60]


def test_a_broken_checkpoint_is_broken_for_each_partition_and_read_once(
    log_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = log_dir / "replication-offset-checkpoint"
    path.write_text("0\n1\nbroken\n")
    opened: list[str] = []
    open_ = os.open

    def opening(name: str, *more: Any) -> int:
        opened.append(name)
        return open_(name, *more)

    monkeypatch.setattr(os, "open", opening)
    for each in LogDir(log_dir).partitions * 3:
        with pytest.raises(kafkafmt.CorruptError) as error:
            each.high_watermark  # noqa: B018
        assert error.value.file == str(path)
    assert opened == [str(path)]
    path.unlink()
    path.mkdir()
    with pytest.raises(SourceError, match="found a directory"):
        LogDir(log_dir)["t", 0].high_watermark  # noqa: B018


# Permissions


_IMPORTS = """
import os, sys
import kafkafmt
kafkafmt.scan(sys.argv[1] + "/open").to_table()
kafkafmt.open_log_dirs(sys.argv[1] + "/open")[0]["t", 0].high_watermark
"""
_READS = """
for read in (
    lambda: kafkafmt.scan(sys.argv[1] + "/file").to_table(),
    lambda: kafkafmt.scan(sys.argv[1] + "/directory").to_table(),
    lambda: kafkafmt.open_log_dirs(sys.argv[1] + "/directory"),
    lambda: kafkafmt.scan(sys.argv[1] + "/parent/log-dir"),
    lambda: kafkafmt.open_log_dirs(sys.argv[1] + "/checkpoint")[0]["t", 0].high_watermark,
    lambda: kafkafmt.scan(sys.argv[1] + "/checkpoint", end_offset="high_watermark").to_table(),
):
    try:
        print("read", read())
    except kafkafmt.SourceError as error:
        print(os.path.relpath(error.file, sys.argv[1]), "|", error.message)
"""


@pytest.fixture
def forbidden() -> Iterator[Path]:
    """Log directories that other users may read only in part."""
    with readable_directory() as root:
        for name in ("open", "file", "directory", "parent/log-dir", "checkpoint"):
            segment(root / name / "t-0", 0)
            checkpoint(root / name, "replication-offset-checkpoint", {("t", 0): 10})
        for name in (f"file/t-0/{file_name(0)}", "directory/t-0", "parent", "checkpoint/replication-offset-checkpoint"):
            (root / name).chmod(0)
        yield root


def test_what_may_not_be_read_is_a_source_error_with_the_path(forbidden: Path) -> None:
    done = run_as_nobody(_READS, str(forbidden), before=_IMPORTS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"file/t-0/{file_name(0)} | the file cannot be read: Permission denied",
        "directory/t-0 | the directory cannot be read: Permission denied",
        "directory/t-0 | the directory cannot be read: Permission denied",
        "parent/log-dir | the file cannot be read: Permission denied",
        "checkpoint/replication-offset-checkpoint | the file cannot be read: Permission denied",
        "checkpoint/replication-offset-checkpoint | the file cannot be read: Permission denied",
    ]


# Links and names


def test_links_to_files_are_read_where_they_stay_inside_and_broken_ones_named(tmp_path: Path) -> None:
    store = segment(tmp_path / "elsewhere" / "data", 20).rename(tmp_path / "elsewhere" / "data" / "moved")
    log_dir = tmp_path / "log-dir"
    segment(log_dir / "t-0", 0)
    link = log_dir / "t-0" / file_name(20)
    link.symlink_to(store)
    for source in (log_dir, log_dir / "t-0"):
        scan = kafkafmt.scan(source)
        assert scan.to_table()["offset"].to_pylist() == list(range(10))
        assert len(scan.notes) == 1
        assert str(link) in scan.notes[0]
        assert not scan.notes[0].is_finding
    assert offsets(link) == list(range(20, 30))
    link.unlink()
    link.symlink_to(store.rename(log_dir / "moved"))
    assert kafkafmt.scan(log_dir, topics={"t": 0}).count() == 20
    (log_dir / "t-0" / file_name(30)).symlink_to(file_name(30))
    with pytest.raises(SourceError, match="symbolic links") as error:
        offsets(log_dir / "t-0")
    assert error.value.file == str(log_dir / "t-0" / file_name(30))


@pytest.mark.parametrize("name", [b"\xff\xfe", b"line\nend", b"n" * 255, b"\x1b[31m", b" ", b"%s{}"])
def test_unreadable_names_are_read_and_named_in_errors(tmp_path: Path, name: bytes) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    path = segment(directory / "t-0", 0)
    assert offsets(tmp_path) == list(range(10))
    assert LogDir(directory)["t", 0].segments[0].path == str(path)
    path.write_bytes(batch(0)[:-1] + b"?" + batch(1))
    with pytest.raises(kafkafmt.KafkafmtError) as error:
        offsets(tmp_path)
    assert error.value.file == str(path.relative_to(tmp_path))
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(SourceError) as missing:
        offsets(tmp_path)
    assert missing.value.file == str(path)


# Tens of thousands


def test_each_directory_is_listed_once_and_each_checkpoint_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        segment(tmp_path / f"t-{number}", 0)
    for name in ("log-start-offset-checkpoint", "replication-offset-checkpoint"):
        checkpoint(tmp_path, name, {("t", number): 4 for number in range(40)})
    listed: list[str] = []
    opened: list[str] = []
    scandir, open_ = os.scandir, LocalFile.__init__

    def listing(path: str) -> Any:
        listed.append(path)
        return scandir(path)

    def opening(self: LocalFile, path: str, **keywords: bool) -> None:
        opened.append(os.path.basename(path))
        open_(self, path, **keywords)

    monkeypatch.setattr(os, "scandir", listing)
    monkeypatch.setattr(LocalFile, "__init__", opening)
    assert kafkafmt.scan(tmp_path, end_offset="high_watermark").count() == 0
    assert len(listed) == len(set(listed)) == 41
    assert len([name for name in opened if "checkpoint" in name]) == 2
    listed.clear()
    (log_dir,) = open_log_dirs(tmp_path)
    assert len(log_dir.partitions) == 40
    assert len(listed) == 41
    listed.clear()
    assert len(LogDir(tmp_path).partitions) == 40
    assert len(listed) == 41


def test_a_partition_is_found_in_constant_time(tmp_path: Path) -> None:
    for number in range(300):
        segment(tmp_path / f"t-{number}", 0, b"")
    log_dir = LogDir(tmp_path)
    first = log_dir["t", 0]
    assert calls(lambda: log_dir["t", 299]) < 20
    assert log_dir["t", 299] is not first
    segment(tmp_path / "t-01", 0, b"")
    assert LogDir(tmp_path)["t", 1].name == "t-01"
