"""What is synced to disk, and with how many waits; missing parent directories of a target."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafkafmt.errors import SourceError
from kafkafmt.writing import durable
from kafkafmt.writing.target import new_directory

FILES = durable._MANY


@pytest.fixture
def fsynced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The inodes that were synced one by one."""
    found: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: found.append(os.fstat(file).st_ino))
    return found


def fill(directory: Path, files: int) -> None:
    (directory / "t-0").mkdir()
    for number in range(files):
        (directory / "t-0" / str(number)).write_bytes(b"x")


def inodes(directory: Path) -> set[int]:
    return {path.stat().st_ino for path in (directory, *directory.rglob("*"))}


def test_each_file_and_directory_of_a_few_is_synced(tmp_path: Path, fsynced: list[int]) -> None:
    with new_directory(tmp_path / "new") as work:
        fill(work, 3)
    assert set(fsynced) == inodes(tmp_path)
    assert len(fsynced) == 6


def test_many_files_are_one_wait_for_the_file_system(
    tmp_path: Path, fsynced: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []
    monkeypatch.setattr(durable, "_syncfs", lambda: lambda file: waits.append(os.fstat(file).st_ino))
    with new_directory(tmp_path / "new") as work:
        fill(work, FILES)
    assert waits == [(tmp_path / "new").stat().st_ino]
    assert fsynced == [tmp_path.stat().st_ino]  # for the new name


@pytest.mark.parametrize("system", [("Linux", "5.7.19-generic"), ("Darwin", "24.1.0"), ("Linux", "unknown")])
def test_a_system_that_may_hide_failed_writes_syncs_each_file(
    tmp_path: Path, fsynced: list[int], system: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(sysname=system[0], release=system[1]))
    with new_directory(tmp_path / "new") as work:
        fill(work, FILES)
    assert set(fsynced) == inodes(tmp_path)


@pytest.mark.skipif(durable._syncfs() is None, reason="needs Linux 5.8 or later")
def test_the_systems_own_syncfs(tmp_path: Path) -> None:
    syncfs = durable._syncfs()
    assert syncfs is not None
    with durable.Tree(tmp_path) as tree:
        fill(tmp_path, FILES)
        tree.sync()
    with pytest.raises(OSError, match="Bad file descriptor"):
        syncfs(-1)


def test_a_write_that_failed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Callable[[int], None]:
        def syncfs(_: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        return syncfs

    monkeypatch.setattr(durable, "_syncfs", fail)
    with (
        pytest.raises(SourceError, match="cannot be written: Input/output error"),
        new_directory(tmp_path / "n") as work,
    ):
        fill(work, FILES)
    assert list(tmp_path.iterdir()) == []


def test_directories_above_are_made(tmp_path: Path, fsynced: list[int]) -> None:
    before = os.umask(0o027)
    try:
        with new_directory(tmp_path / "a/b/new") as work:
            fill(work, 1)
    finally:
        os.umask(before)
    assert (tmp_path / "a/b/new/t-0/0").exists()
    assert {stat.S_IMODE((tmp_path / each).stat().st_mode) for each in ("a", "a/b")} == {0o750}
    assert set(fsynced) == inodes(tmp_path)


def test_directories_above_are_gone_after_an_error(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(ZeroDivisionError), new_directory(tmp_path / "there/a/b/new"):
        raise ZeroDivisionError
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]


def test_what_others_put_above_stays(tmp_path: Path) -> None:
    made = new_directory(tmp_path / "a/b/new")
    made.__enter__()
    (tmp_path / "a/other").touch()
    assert not made.__exit__(ValueError, ValueError(), None)
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", tmp_path / "a/other"]


def test_a_file_above_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match="cannot be created: Not a directory"), new_directory(tmp_path / "file/a/new"):
        pytest.fail("nothing can be written")
    assert os.listdir(tmp_path) == ["file"]
