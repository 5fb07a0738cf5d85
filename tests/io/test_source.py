"""Reading bytes from disk."""

import os
import stat
from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem

from kafkafmt.errors import KafkafmtError, LimitExceededError, SourceError
from kafkafmt.io.source import locate, open_file, read_bytes


def test_read_bytes_gives_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 5000)
    assert read_bytes(path, max_bytes=256 * 5000) == path.read_bytes()
    assert read_bytes(str(path), max_bytes=1 << 40) == path.read_bytes()


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    assert read_bytes(path, max_bytes=0) == b""


def test_a_file_above_the_bound_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(LimitExceededError) as caught:
        read_bytes(path, max_bytes=1000)
    assert caught.value.file == str(path)
    assert str(1 << 42) in str(caught.value)


def test_where_the_zeros_of_a_hole_begin_is_known_without_reading_them(tmp_path: Path) -> None:
    path = tmp_path / "preallocated"
    block = path.parent.stat().st_blksize
    for written in (0, 1, 2):
        with path.open("wb") as file:
            for number in range(written):
                file.seek(number * 64 * block)
                file.write(b"x")
            file.truncate(1000 * block)
        with open_file(path) as opened:
            end = opened.data_end()
            assert not opened.read_at(end, opened.size).strip(b"\0")
        if path.stat().st_blocks * 512 < 500 * block:  # else a file system without holes
            assert end <= written * 64 * block
    path.write_bytes(b"x" * 10)
    with open_file(path) as opened:
        assert opened.data_end() == 10
        path.write_bytes(b"x")
        assert opened.data_end() == 10  # so that reading says that it has shrunk


def test_reads_at_any_position_and_stops_at_the_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with open_file(path) as file:
        assert (file.name, file.size) == (str(path), 10)
        assert file.read_at(3, 4) == b"3456"
        assert file.read_at(8, 4) == b"89"
        assert file.read_at(10, 4) == b""
        assert file.read_at(99, 4) == b""
        assert file.read_at(2, 0) == b""
        assert file.read_at(2, -1) == b""
        buffer = bytearray(b"--------")
        assert file.readinto_at(6, memoryview(buffer)) == 4
        assert buffer == b"6789----"
        assert file.readinto_at(10, memoryview(buffer)) == 0
        with pytest.raises(SourceError, match="position -5"):
            file.read_at(-5, 2)


def test_a_growing_file_keeps_the_size_it_had_when_opened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with open_file(path) as file:
        with path.open("ab") as more:
            more.write(b"new")
        assert file.size == 3
        assert file.read_at(0, 100) == b"old"


def test_a_shrinking_file_is_a_source_error_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    with open_file(path) as file:
        os.truncate(path, 40)
        with pytest.raises(SourceError) as caught:
            file.read_at(30, 30)
    assert (caught.value.file, caught.value.position) == (str(path), 40)
    assert caught.value.expected == "100 bytes"


def test_short_reads_of_the_system_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    real = os.preadv
    monkeypatch.setattr(os, "preadv", lambda fd, buffers, position: real(fd, [buffers[0][:3]], position))
    assert read_bytes(path, max_bytes=10) == b"0123456789"


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    file = open_file(path)
    file.close()
    file.close()


def test_a_missing_file_is_a_source_error_with_the_path(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file") as caught:
        open_file(tmp_path / "missing")
    assert caught.value.file == str(tmp_path / "missing")


@pytest.mark.parametrize("source", ["", "file://"])
def test_an_empty_path_is_told_from_one_that_is_not_there(source: str) -> None:
    for filesystem in (None, LocalFileSystem()):
        with pytest.raises(SourceError, match="the path is empty") as error:
            locate(source, filesystem)
        assert error.value.file == source
    assert str(locate("file:///")) == "/"


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="found a directory"):
        open_file(tmp_path)


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(SourceError, match="found a special file"):
        read_bytes(path, max_bytes=10)


def test_a_device_is_refused() -> None:
    with pytest.raises(SourceError, match="found a special file"):
        read_bytes("/dev/zero", max_bytes=10)


def test_a_pipe_that_takes_the_place_of_a_file_is_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regular = tmp_path / "file"
    regular.touch()
    before = regular.stat()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", lambda _name: before)
        with pytest.raises(SourceError, match="found a special file"):
            open_file(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_symbolic_link_is_followed_and_a_loop_of_them_is_a_source_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"data")
    (tmp_path / "link").symlink_to("file")
    assert read_bytes(tmp_path / "link", max_bytes=10) == b"data"
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SourceError):
        open_file(tmp_path / "loop")


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "", "x" * 5000])
def test_a_name_that_no_file_can_have_is_a_source_error(path: str) -> None:
    with pytest.raises(SourceError) as caught:
        open_file(path)
    assert caught.value.file == path


def test_undecodable_bytes_of_a_path_survive_in_name_and_error(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.log")
    with pytest.raises(SourceError) as caught:
        open_file(path)
    assert os.fsencode(str(caught.value.file)).endswith(b"/caf\xe9.log")
    Path(path).write_bytes(b"data")
    with open_file(Path(path)) as file:
        assert os.fsencode(file.name).endswith(b"/caf\xe9.log")
        assert file.read_at(0, 4) == b"data"


def test_a_failing_read_is_a_source_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"data")

    def fail(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(SourceError, match="position 0: the file cannot be read: Input/output error"):
        read_bytes(path, max_bytes=10)


def test_a_forbidden_file_is_a_source_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.touch()

    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbid)
    with pytest.raises(KafkafmtError, match="Permission denied"):
        open_file(path)


def test_files_are_opened_for_reading_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"data")
    flags: list[int] = []
    real = os.open

    def spy(name: str, mode: int) -> int:
        flags.append(mode)
        return real(name, mode)

    monkeypatch.setattr(os, "open", spy)
    read_bytes(path, max_bytes=10)
    assert [mode & os.O_ACCMODE for mode in flags] == [os.O_RDONLY]
    assert not flags[0] & (os.O_CREAT | os.O_TRUNC)
