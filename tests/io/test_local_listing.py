"""Listings of directories, and the meaning of a caller's path or URI."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from kafkafmt.errors import SourceError
from kafkafmt.io.source import locate
from tests.effort import lines


def test_a_directory_is_listed_in_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"12345")
    (tmp_path / "a").mkdir()
    (tmp_path / "c").touch()
    listed = locate(str(tmp_path)).list()
    assert [(e.name, e.path, e.is_directory, e.is_file, e.size) for e in listed] == [
        ("a", str(tmp_path / "a"), True, False, None),
        ("b", str(tmp_path / "b"), False, True, 5),
        ("c", str(tmp_path / "c"), False, True, 0),
    ]


def test_links_count_as_what_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "file").write_bytes(b"123")
    (tmp_path / "dir").symlink_to(tmp_path / "data")
    (tmp_path / "file").symlink_to(tmp_path / "data" / "file")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    listed = {e.name: (e.is_directory, e.size) for e in locate(str(tmp_path)).list()}
    assert listed == {
        "dangling": (False, None),
        "data": (True, None),
        "dir": (True, None),
        "file": (False, 3),
        "loop": (False, None),
    }


def test_names_with_undecodable_bytes_are_kept_as_surrogate_escapes(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/t\xff\xfe-0"
    os.mkdir(raw)
    (entry,) = locate(str(tmp_path)).list()
    assert entry.name == "t\udcff\udcfe-0"
    assert os.fsencode(entry.path) == raw
    assert locate(entry.path).list() == []


@pytest.mark.parametrize("name", ["missing", "file", "file/below", "nul\0byte", "x" * 300])
def test_what_cannot_be_listed_is_a_source_error_with_its_path(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    path = f"{tmp_path}/{name}"
    with pytest.raises(SourceError, match="the directory cannot be read: ") as caught:
        locate(path).list()
    assert caught.value.file == path


def test_an_empty_path_is_no_directory() -> None:
    with pytest.raises(SourceError):
        locate("").list()


def test_a_forbidden_directory_is_a_source_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(path: str) -> Any:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", forbid)
    with pytest.raises(SourceError, match="Permission denied"):
        locate(str(tmp_path)).list()


class Vanishing:
    """An entry of a directory whose file was deleted, or forbidden, after the directory was read."""

    name, path = "gone", "/d/gone"

    def is_dir(self) -> bool:
        return False

    def is_file(self, *, follow_symlinks: bool) -> bool:  # noqa: ARG002
        raise FileNotFoundError(2, "No such file or directory")

    def stat(self) -> os.stat_result:
        raise FileNotFoundError(2, "No such file or directory")


class Hidden(Vanishing):
    """An entry that may not even be asked for its kind."""

    def is_dir(self) -> bool:
        raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("kind", [Vanishing, Hidden])
def test_a_file_that_vanishes_while_it_is_listed_has_no_size(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    class Listing(list[Any]):
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", lambda _: Listing([kind()]))
    (entry,) = locate("/d").list()
    assert (entry.name, entry.is_file, entry.size) == ("gone", True, None)


def test_a_segment_that_rolls_meanwhile_is_listed_with_its_last_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system lists large directories piece by piece: the next segment may be new in a later piece."""
    active, following = tmp_path / "0.log", tmp_path / "9.log"
    active.write_bytes(b"12")
    listed = os.scandir

    class Pieces:
        def __init__(self, path: str) -> None:
            self._path = path

        def __enter__(self) -> Iterator[os.DirEntry[str]]:
            return self._entries()

        def __exit__(self, *_: object) -> None: ...

        def _entries(self) -> Iterator[os.DirEntry[str]]:
            yield from listed(self._path)
            active.write_bytes(b"123")
            following.touch()
            yield from (entry for entry in listed(self._path) if entry.name == following.name)

    monkeypatch.setattr(os, "scandir", Pieces)
    assert [(entry.name, entry.size) for entry in locate(str(tmp_path)).list()] == [("0.log", 3), ("9.log", 0)]


def test_a_listed_search_asks_the_listing_and_not_the_disk(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"12345")
    top = locate(str(tmp_path)).searched()
    (log,) = (entry.location for entry in top.list())
    (tmp_path / "later").touch()
    (tmp_path / "lo").touch()  # a name whose suffix was taken off, as when a broker swaps a file in
    assert log.is_file()
    assert not top.child("later").is_file()
    assert top.child("lo").is_file()
    (tmp_path / "log").unlink()
    assert not log.is_file()
    with pytest.raises(SourceError, match="No such file or directory"):
        log.open()


@pytest.mark.parametrize("name", ["outside", "inside"])
def test_a_link_that_takes_the_place_of_a_listed_file_is_not_followed(tmp_path: Path, name: str) -> None:
    (tmp_path / "top").mkdir()
    (tmp_path / "outside").write_bytes(b"secret")
    (tmp_path / "top" / "inside").write_bytes(b"12")
    (tmp_path / "top" / "log").write_bytes(b"12345")
    listed = {entry.name: entry.location for entry in locate(str(tmp_path / "top")).searched().list()}
    with listed["log"].open() as file:
        assert file.read_at(1, 9) == b"2345"
    (tmp_path / "top" / "log").unlink()
    (tmp_path / "top" / "log").symlink_to(tmp_path / name if name == "outside" else name)
    with pytest.raises(SourceError, match="a link took the place of the file since it was listed"):
        listed["log"].open()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_takes_the_place_of_a_listed_file_is_no_file(tmp_path: Path, make: Any) -> None:
    (tmp_path / "log").touch()
    (entry,) = locate(str(tmp_path)).searched().list()
    (tmp_path / "log").unlink()
    make(tmp_path / "log")
    with pytest.raises(SourceError, match="not a regular file"):
        entry.location.open()


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("/var/lib/kafka", "/var/lib/kafka"),
        ("relative/dir", "relative/dir"),
        ("with:colon", "with:colon"),
        ("c:/windows", "c:/windows"),
        ("odd name:/x", "odd name:/x"),
        ("ab:/one/slash", "ab:/one/slash"),
        ("100%25", "100%25"),
        ("file:///var/lib", "/var/lib"),
        ("FILE:///var/lib", "/var/lib"),
        ("file:/var/lib", "/var/lib"),
        ("file://localhost/var/lib", "/var/lib"),
        ("file:///a%20b%2Fc%25", "/a b/c%"),
        ("file:///a b", "/a b"),
        ("file:///sch%C3%B6n", "/schön"),
        ("file:///schön", "/schön"),
        ("file:///t%FF-0", "/t\udcff-0"),
        ("file:///t\udcff-0", "/t\udcff-0"),
        ("file:///a%zz", "/a%zz"),
        ("file:///a#b?c", "/a#b?c"),
        ("file:///a\nb\t", "/a\nb\t"),
        ("file:////double", "//double"),
        ("file:", "file:"),
        ("file:relative", "file:relative"),
    ],
)
def test_paths_and_file_uris_become_places_of_this_machine(source: str, path: str) -> None:
    assert str(locate(source)) == path


def test_a_file_uri_of_any_path_leads_back_to_it(tmp_path: Path) -> None:
    odd = tmp_path / "a b%20#?;ö\n"
    odd.mkdir()
    assert str(locate(odd.as_uri())) == str(odd)
    assert str(locate(odd)) == str(odd)
    assert locate(odd.as_uri()).list() == []


@pytest.mark.parametrize("source", [b"/x", 5, None, Path])
def test_what_is_no_path_of_text_is_a_type_error(source: Any) -> None:
    with pytest.raises(TypeError):
        locate(source)


def test_links_are_asked_for_without_a_look_at_each_directory(tmp_path: Path) -> None:
    """`verify` asks for each partition: of 20,000 that took 50 seconds."""
    counts = []
    for number in (3, 60):
        top = tmp_path / f"{number}"
        for name in range(number):
            (top / f"t-{name}").mkdir(parents=True)
        (top / "t-1" / "out").symlink_to(__file__)
        searched = locate(str(top)).searched()
        for entry in searched.list():
            entry.location.list()
        assert [link.name for link in searched.links_out(below=True)] == ["out"]
        counts.append(lines(lambda searched=searched: searched.links_out(below=True)))  # type: ignore[misc]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("files", [60, 80])
def test_no_segment_is_missing_before_the_last_of_a_large_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    """ext4 missed a file in 1 of 100 listings during which others were created after it."""
    for number in range(files):
        (tmp_path / f"{number:020d}.log").touch()
    later = [f"{files + number:020d}.log" for number in range(3)]
    scandir, passes = os.scandir, iter(([later[1]], later))

    @contextmanager
    def in_steps(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        for name in later:
            Path(path, name).touch()
        shown = next(passes)
        with scandir(path) as found:
            yield (entry for entry in found if entry.name not in later or entry.name in shown)

    monkeypatch.setattr(os, "scandir", in_steps)
    listed = [entry.name for entry in locate(str(tmp_path)).list()]
    assert listed[files:] == ([later[1]] if files == 60 else later[:2])
    assert len(listed) == len(set(listed))
