"""File systems that a program hands over: whatever they do, SourceError with the path or records."""

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pytest

import kafkafmt
from kafkafmt import LogDir, SourceError, open_log_dirs
from kafkafmt.io import remote
from kafkafmt.io.remote import TreeListing
from kafkafmt.io.source import locate, open_file
from tests.logdir.builders import batch, file_name, offsets, segment
from tests.remote.counting import CountingHandler


class Failing(CountingHandler):
    """Raises `error` at the calls named."""

    def __init__(self, inner: pafs.FileSystem, error: Exception, *calls: str) -> None:
        super().__init__(inner)
        self._error = error
        self._calls = calls

    def _fail(self, call: str) -> None:
        if call in self._calls:
            raise self._error

    def get_file_info(self, paths: list[str]) -> Any:
        self._fail("info")
        return super().get_file_info(paths)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> Any:
        self._fail("list")
        return super().get_file_info_selector(selector)

    def open_input_file(self, path: str) -> Any:
        self._fail("open")
        file = super().open_input_file(path)
        if "read" in self._calls:
            file.close()
        return file


ERRORS = [
    OSError(5, "Input/output error"),
    PermissionError(13, "Permission denied"),
    FileNotFoundError(2, "gone"),
    RuntimeError("AWS Error ACCESS_DENIED during GetObject"),
    pa.ArrowInvalid("odd path"),
    NotImplementedError("cannot"),
    KeyError("odd"),
    ValueError(""),
]


@pytest.fixture
def data(tmp_path: Path) -> pafs.FileSystem:
    segment(tmp_path / "t-0", 0)
    return pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())


@pytest.mark.parametrize("call", ["info", "list", "open"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_a_file_system_raises_is_a_source_error_with_the_path(
    data: pafs.FileSystem, error: Exception, call: str
) -> None:
    filesystem = pafs.PyFileSystem(Failing(data, error, call))
    reads: list[Any] = [lambda: kafkafmt.scan("t-0", filesystem=filesystem, on_damage="skip").to_table()]
    if call == "list":
        reads += [lambda: open_log_dirs("t-0", filesystem), lambda: LogDir("t-0", filesystem)]
    for read in reads:
        with pytest.raises(SourceError) as caught:
            read()
        assert caught.value.file in ("t-0", f"t-0/{file_name(0)}")


def test_a_refusal_says_what_to_check(data: pafs.FileSystem) -> None:
    for error in (ERRORS[1], ERRORS[3]):
        filesystem = pafs.PyFileSystem(Failing(data, error, "list"))
        with pytest.raises(SourceError, match="check the access keys"):
            kafkafmt.scan("t-0", filesystem=filesystem)


def test_an_index_that_may_not_be_asked_for_is_none(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, *(batch(number, value=bytes(5000)) for number in range(10)))

    class Closed(CountingHandler):
        def get_file_info(self, paths: list[str]) -> Any:
            # As S3 answers for a key that is not there, if the bucket may not be listed.
            if any(path.endswith(".index") for path in paths):
                raise PermissionError(13, "Permission denied")
            return super().get_file_info(paths)

    filesystem = pafs.PyFileSystem(Closed(pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())))
    path = f"t-0/{file_name(0)}"
    assert offsets(path, filesystem=filesystem, start_offset=8) == [8, 9]
    scan = kafkafmt.scan(path, filesystem=filesystem, columns=["offset"])
    assert scan.tail(2).read_all()["offset"].to_pylist() == [8, 9]


def test_memory_and_interrupts_are_not_hidden(data: pafs.FileSystem) -> None:
    for error in (MemoryError(), KeyboardInterrupt()):
        filesystem = pafs.PyFileSystem(Failing(data, error, "list"))  # type: ignore[arg-type]
        with pytest.raises(type(error)):
            kafkafmt.scan("t-0", filesystem=filesystem)


def test_a_file_that_fails_or_ends_early_while_it_is_read(tmp_path: Path, data: pafs.FileSystem) -> None:
    path = tmp_path / "big"
    path.write_bytes(bytes(100_000))
    filesystem = pafs.PyFileSystem(CountingHandler(data))
    with open_file("big", filesystem) as file:
        path.write_bytes(bytes(50_000))
        for position in (60_000, 49_990):
            with pytest.raises(SourceError, match="shrank") as error:
                file.read_at(position, 100)
            assert (error.value.file, error.value.position) == ("big", position)
        path.unlink()
        with pytest.raises(SourceError, match="vanished"):
            file.read_at(60_000, 10)
        with pytest.raises(SourceError) as error:
            file.read_at(-5, 2)
        assert error.value.position == -5
    with pytest.raises(SourceError):
        open_file("t-0", filesystem)
    with pytest.raises(SourceError, match="closed file"):
        open_file(f"t-0/{file_name(0)}", pafs.PyFileSystem(Failing(data, ERRORS[0], "read")))


def test_a_file_that_cannot_be_read_although_nothing_changed(tmp_path: Path, data: pafs.FileSystem) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() >= 5000:
                raise OSError(5, "Input/output error")
            return b"" if self.tell() >= 4500 else super().read(size)

    class OfBroken(CountingHandler):
        def open_input_file(self, _: str) -> Any:
            return pa.PythonFile(Broken(bytes(10_000)), mode="r")

    (tmp_path / "big").write_bytes(bytes(10_000))
    with open_file("big", pafs.PyFileSystem(OfBroken(data))) as file:
        with pytest.raises(SourceError, match=r"position 6000: the file cannot be read: .*Input/output error"):
            file.read_at(6000, 10)
        with pytest.raises(SourceError, match="position 4600: the file shrank"):
            file.read_at(4600, 10)


def test_the_time_of_an_object_is_compared_where_the_store_tells_it() -> None:
    class Handle:
        def __init__(self, metadata: Any) -> None:
            self._metadata = metadata

        def metadata(self) -> Any:
            return self._metadata

    for metadata, seconds in (
        ({"Last-Modified": b"1970-01-01T00:01:00Z"}, 60),
        ({"Last-Modified": b"Thu, 01 Jan 1970"}, None),
        ({"ETag": b"x"}, None),
        (None, None),
    ):
        assert remote._modified(Handle(metadata)) == seconds


def test_a_growing_file_is_read_to_the_planned_size(tmp_path: Path, data: pafs.FileSystem) -> None:
    filesystem = pafs.PyFileSystem(CountingHandler(data))
    scan = kafkafmt.scan("", filesystem=filesystem)
    with (tmp_path / "t-0" / file_name(0)).open("ab") as file:
        file.write(batch(10, 10))
    assert scan.count() == 10
    assert scan.to_table()["offset"].to_pylist() == list(range(10))


def test_an_fsspec_file_system_that_gives_absolute_paths(data: pafs.FileSystem) -> None:
    class Absolute(CountingHandler):
        def get_file_info_selector(self, selector: pafs.FileSelector) -> Any:
            return [
                pafs.FileInfo("/" + info.path, info.type, size=info.size if info.is_file else None)
                for info in super().get_file_info_selector(selector)
            ]

    filesystem = pafs.PyFileSystem(Absolute(data))
    assert offsets("t-0", filesystem=filesystem) == list(range(10))
    assert [entry.path for entry in locate("t-0", filesystem).list()] == [f"t-0/{file_name(0)}"]


def test_pyarrows_own_file_system_of_the_memory() -> None:
    filesystem = pafs._MockFileSystem()
    filesystem.create_dir("broker/t-0")
    with filesystem.open_output_stream(f"broker/t-0/{file_name(0)}") as stream:
        stream.write(batch(0, 3))
    assert offsets("broker", filesystem=filesystem) == [0, 1, 2]
    assert offsets("/", filesystem=filesystem) == [0, 1, 2]
    (log_dir,) = open_log_dirs("", filesystem)
    assert (log_dir.path, log_dir.partitions[0].path) == ("broker", "broker/t-0")


# Listings


def info(path: str, size: int | None) -> pafs.FileInfo:
    kind = pafs.FileType.Directory if size is None else pafs.FileType.File
    return pafs.FileInfo(path, kind, size=size, mtime_ns=1)


def test_directories_are_known_by_what_lies_below_them() -> None:
    listing = TreeListing("b/top", [info("b/top/x/y/file", 3), info("b/top/x/marker", 0), info("b/top/x/marker/z", 1)])
    assert listing.names_in("b/top") == [("x", True, None)]
    assert listing.names_in("b/top/x") == [("marker", True, None), ("y", True, None)]
    assert (listing.version("b/top/x/marker"), listing.version("b/top/x/y/file")) == (None, (3, 1))
    assert [listing.covers(path) for path in ("b/top", "b/top/q", "b/topper", "b")] == [True, True, False, False]
    assert (listing.is_directory("b/top/x"), listing.is_directory("b/top/q")) == (True, False)


def test_a_name_may_be_a_file_and_a_directory() -> None:
    listing = TreeListing("", [info("both", 4), info("both/in", 1), info("empty", None)])
    assert listing.names_in("") == [("both", True, None), ("both", False, 4), ("empty", True, None)]
    assert listing.covers("anything")


def test_a_deep_or_odd_key_does_no_harm() -> None:
    deep = "b/" + "d/" * 5000 + "f"
    listing = TreeListing("b", [info(deep, 1), info("b//x", 2), info("elsewhere/y", 3)])
    assert listing.version(deep) == (1, 1)
    assert listing.names_in("b") == [("", True, None), ("d", True, None)]
    assert str(locate("b/d", pafs._MockFileSystem()).child("e")) == "b/d/e"
