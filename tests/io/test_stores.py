"""A tree listed by several requests at once is the one that a single listing gives, and costs few requests more."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.io.stores import list_below
from tests.remote.counting import CountingHandler, counting

WIDTH = 4


@pytest.fixture(autouse=True)
def width() -> Iterator[None]:
    before = pa.io_thread_count()
    pa.set_io_thread_count(WIDTH)
    yield
    pa.set_io_thread_count(before)


class Store(pafs.FileSystemHandler):  # type: ignore[misc]
    """Keys of an object store, listed as by pyarrow's stores; records the requests."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        self.asked: list[tuple[str, bool]] = []
        self.together = 0
        self._under_way = 0
        self._lock = threading.Lock()

    def get_type_name(self) -> str:
        return "s3"

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        with self._lock:
            self.asked.append((selector.base_dir, selector.recursive))
            self._under_way += 1
            self.together = max(self.together, self._under_way)
        try:
            return self._listed(selector)
        finally:
            with self._lock:
                self._under_way -= 1

    def _listed(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        base = selector.base_dir
        beginning = f"{base}/" if base else ""
        below = [key[len(beginning) :] for key in self.keys if key.startswith(beginning) and key != beginning]
        if not below and not selector.allow_not_found:
            raise FileNotFoundError(base)
        directories: dict[str, None] = {}
        files = []
        for key in below:
            names = key.split("/")
            depth = len(names) if selector.recursive else 2
            directories.update({"/".join(names[:number]): None for number in range(1, min(len(names), depth))})
            if names[-1] and (selector.recursive or len(names) == 1):
                files.append(pafs.FileInfo(beginning + key, pafs.FileType.File, size=1, mtime_ns=1))
        return [pafs.FileInfo(beginning + each, pafs.FileType.Directory) for each in directories] + files

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("nothing but listings is asked for")

    get_file_info = create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = _refuse
    move = copy_file = open_input_stream = open_input_file = open_output_stream = open_append_stream = _refuse
    normalize_path = _refuse


def listed(infos: list[pafs.FileInfo]) -> set[tuple[str, str, int | None]]:
    return {(info.path, info.type.name, info.size) for info in infos}


def check(keys: list[str], root: str) -> Store:
    store = Store(sorted(keys))
    filesystem = pafs.PyFileSystem(store)
    whole = filesystem.get_file_info(pafs.FileSelector(root, recursive=True))
    store.asked.clear()
    store.together = 0
    assert listed(list_below(filesystem, root)) == listed(whole)
    assert store.together <= WIDTH
    return store


NAMES = st.sampled_from(["a", "b", "t-0", "t-1", "t-2", "u-0", "f.log", " ", "\u00e9"])
ODD = st.sampled_from(["a", "", ".", "..", "b", "t-0"])


@given(st.lists(st.lists(NAMES, min_size=1, max_size=9).map("/".join), min_size=1, max_size=40))
def test_any_tree_is_the_one_that_a_single_listing_gives(keys: list[str]) -> None:
    check([f"bucket/{key}" for key in keys], "bucket")
    check(keys, "")


@given(st.lists(st.lists(ODD, min_size=1, max_size=6).map("/".join), min_size=1, max_size=20))
def test_odd_keys_are_left_to_the_store(keys: list[str]) -> None:
    check([f"bucket/{key}" for key in keys] + ["bucket/x"], "bucket")


def tree(log_dirs: int, partitions: int, files: int) -> list[str]:
    return [
        f"b/dir-{log_dir}/t-{partition}/{file:020d}.log"
        for log_dir in range(log_dirs)
        for partition in range(partitions)
        for file in range(files)
    ]


def test_a_partition_directory_is_one_request() -> None:
    assert check(tree(1, 1, 3000), "b/dir-0/t-0").asked == [("b/dir-0/t-0", False)]


def test_a_small_tree_takes_a_few_requests() -> None:
    for log_dirs, partitions, most in ((1, 1, 3), (1, 3, 5), (1, 20, 7), (2, 30, 9), (3, 2, 11), (50, 1, 6)):
        store = check(tree(log_dirs, partitions, 4), "b")
        assert len(store.asked) <= most, (log_dirs, partitions, store.asked)


def test_large_directories_are_listed_beside_each_other() -> None:
    met = threading.Barrier(2, timeout=900)

    class InPairs(Store):
        def _listed(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
            if selector.base_dir.startswith("b/dir-0/"):
                met.wait()
            return super()._listed(selector)

    store = InPairs(sorted(tree(1, 30, 600)))
    found = list_below(pafs.PyFileSystem(store), "b")
    assert len(found) == 1 + 30 + 30 * 600
    assert len(store.asked) == 2 + 30
    assert all(recursive for path, recursive in store.asked if "/t-" in path)
    assert 1 < store.together <= WIDTH


def test_many_small_directories_are_listed_by_what_is_above_them() -> None:
    store = check(tree(2, 3000, 1), "b")
    assert store.asked.count(("b/dir-0", True)) == store.asked.count(("b/dir-1", True)) == 1
    assert len(store.asked) <= 1 + 2 + WIDTH + 2


def test_a_deep_tree_takes_no_request_for_each_of_its_levels() -> None:
    assert len(check(["b/" + "d/" * 300 + "f"], "b").asked) < 10


def test_a_directory_that_is_gone_meanwhile_is_empty() -> None:
    class Going(Store):
        def _listed(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
            if selector.base_dir == "b/t-1":
                self.keys = [key for key in self.keys if not key.startswith("b/t-1/")]
            return super()._listed(selector)

    store = Going(["b/t-0/f", "b/t-1/f"])
    assert {path for path, kind, _ in listed(list_below(pafs.PyFileSystem(store), "b")) if kind == "File"} == {
        "b/t-0/f"
    }


def test_what_a_thread_meets_is_raised() -> None:
    class Refusing(Store):
        def _listed(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
            if selector.base_dir == "b/dir-0/t-17":
                raise PermissionError(13, "Permission denied")
            return super()._listed(selector)

    with pytest.raises(PermissionError):
        list_below(pafs.PyFileSystem(Refusing(tree(1, 30, 600))), "b")
    with pytest.raises(FileNotFoundError):
        list_below(pafs.PyFileSystem(Store(["b/f"])), "c")


def test_a_tree_of_this_machine_is_listed_likewise(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"t-{number}" / "empty").mkdir(parents=True)
        (tmp_path / f"t-{number}" / "file").write_bytes(b"1")
    filesystem, counts = counting(pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem()))
    assert isinstance(counts, CountingHandler)
    whole = filesystem.get_file_info(pafs.FileSelector("", recursive=True))
    assert listed(list_below(filesystem, "")) == listed(whole)
