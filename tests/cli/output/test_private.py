"""No output is more readable than its source, whatever the umask is."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest

from kafkafmt import extract, repair, scan, write
from kafkafmt import open as open_disks
from kafkafmt.io.access import access_of
from kafkafmt.writing.target import share
from tests.cli.conftest import Call
from tests.unprivileged import readable_directory, run_as_nobody

ROWS = pa.table(
    {
        "topic": ["orders", "orders", "users"],
        "partition": pa.array([0, 1, 0], pa.int32()),
        "key": [b"k", b"k", b"k"],
        "value": [b"v", b"w", b"x"],
        "timestamp": [1_700_000_000_000] * 3,
    }
)
MODES = {  # of directories and the files in them
    ".": (0o755, 0o644),
    "orders-0": (0o700, 0o600),
    "orders-1": (0o755, 0o600),
    "users-0": (0o750, 0o640),
}

WRITERS: dict[str, Callable[[Path, Path], object]] = {
    "repair": repair,
    "extract": extract,
    "compaction": lambda source, out: open_disks(source).compaction(out=out, config={"cleanup.policy": "compact"}),
}


@pytest.fixture
def root() -> Iterator[Path]:
    """A directory that every user may enter."""
    with readable_directory() as root:
        yield root


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def mask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def make(path: Path) -> Path:
    write(ROWS, path)
    for name, (directory, files) in MODES.items():
        (path / name).chmod(directory)
        for each in (path / name).iterdir():
            if each.is_file():
                each.chmod(files)
    return path


def modes(path: Path) -> dict[str, set[int]]:
    """Permissions of each directory below a path, and of its files."""
    found = {}
    for directory in (path, *(each for each in path.iterdir() if each.is_dir())):
        files = {stat.S_IMODE(each.stat().st_mode) for each in directory.iterdir() if each.is_file()}
        found[str(directory.relative_to(path))] = {stat.S_IMODE(directory.stat().st_mode), *files}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
def test_a_copy_is_as_open_as_its_source_and_the_mask_let_it_be(root: Path, mask: int, writer: str) -> None:
    source = make(root / "source")
    WRITERS[writer](source, root / "copy")
    assert modes(root / "copy") == {
        name: {directory & ~mask, files & ~mask} for name, (directory, files) in MODES.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
def test_a_closed_directory_above_closes_the_copy(root: Path, writer: str) -> None:
    (root / "home").mkdir()
    source = make(root / "home" / "source")
    (root / "home").chmod(0o700)
    WRITERS[writer](source, root / "copy")
    assert set().union(*modes(root / "copy").values()) == {0o700, 0o600}


def test_of_several_copies_the_most_private_decides_and_a_folder_is_open_for_one_of_its_directories(root: Path) -> None:
    first, second = make(root / "a"), root / "b"
    shutil.copytree(first, second)
    log = first / "users-0" / f"{0:020d}.log"
    log.write_bytes(log.read_bytes()[:-1] + b"\xff")  # so that the other copy fills in
    (second / "users-0").chmod(0o700)
    second.chmod(0o700)
    (first / "extra-0").mkdir()
    repair([first], root / "copy", donors=[second])
    assert stat.S_IMODE((root / "copy").stat().st_mode) == 0o755
    users = root / "copy" / "users-0"
    assert stat.S_IMODE(users.stat().st_mode) == 0o700


def test_rows_of_a_private_file_or_scan_stay_private_and_others_are_as_usual(
    root: Path, kafkafmt: Call, mask: int
) -> None:
    source = make(root / "source")
    assert kafkafmt("cat", source / "users-0", "--out", root / "private.parquet").status == 0
    assert kafkafmt("write", root / "private.parquet", "--out", root / "private").status == 0
    assert set().union(*modes(root / "private").values()) == {0o700, 0o600}
    (root / "private.parquet").chmod(0o644)
    assert kafkafmt("write", root / "private.parquet", "--out", root / "open").status == 0
    assert set().union(*modes(root / "open").values()) == {0o755 & ~mask, 0o644 & ~mask}
    write(scan(source), root / "of-scan")
    assert set().union(*modes(root / "of-scan").values()) == {0o700, 0o600}
    write(ROWS, root / "usual")
    assert set().union(*modes(root / "usual").values()) == {0o777 & ~mask, 0o666 & ~mask}


def test_a_parquet_directory_is_private_with_all_that_is_in_it(root: Path, kafkafmt: Call) -> None:
    source = make(root / "source")
    for path, expected in ((source, {0o700, 0o600}), (source / "users-0", {0o750, 0o640})):
        out = root / f"of-{path.name}"
        assert kafkafmt("cat", path, "--partition-by", "topic", "--out", out).status == 0
        assert {stat.S_IMODE(each.stat().st_mode) for each in (out, *out.rglob("*"))} == expected


def test_what_is_remote_gone_or_cannot_be_examined_is_private(root: Path) -> None:
    assert access_of(["s3://bucket/x"]).is_private
    assert access_of([root / "missing"]).is_private
    assert access_of(["bucket:/malformed"]).is_private
    assert not access_of([root]).is_private
    (root / "link").symlink_to(root / "gone")
    assert not access_of([root]).is_private
    (root / "gone").write_bytes(b"")
    (root / "gone").chmod(0o600)
    assert access_of([root / "link"]).is_private


def test_while_it_is_written_nobody_else_may_look(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make(root / "source")
    before = os.umask(0)
    seen: list[int] = []

    def watched(directory: Path, *arguments: object, **more: bool) -> list[object]:
        work = next(each for each in (directory, *directory.parents) if each.name.endswith(".writing"))
        seen.extend(stat.S_IMODE(each.stat().st_mode) for each in (work, directory, *directory.iterdir()))
        return []

    sharing = (
        "repairing.repair",
        "repairing.log_dir_copy",
        "repairing.extract",
        "operations.compaction",
        "writing.write",
    )
    for module in sharing:
        monkeypatch.setattr(import_module(f"kafkafmt.{module}"), "share", watched)
    try:
        for name, writer in WRITERS.items():
            writer(source, root / name)
        write(ROWS, root / "write")
    finally:
        os.umask(before)
    assert set(seen) == {0o700, 0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_copy_that_root_makes_belongs_to_the_user_of_the_source(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make(root / "source")
    for each in (source, *source.rglob("*")):
        os.chown(each, 1234, 1235)
    assert repair(source, root / "copy").notes == ()
    copied = [root / "copy", *(root / "copy").rglob("*")]
    assert {(each.stat().st_uid, each.stat().st_gid) for each in copied} == {(1234, 1235)}
    assert modes(root / "copy")["users-0"] == {0o750, 0o640}
    os.chown(source / "orders-0", 4321, 1235)
    [note] = repair(source, root / "mixed").notes
    assert "belongs to root, its source to user 1234 and user 4321" in note
    assert (root / "mixed" / "orders-0").stat().st_uid == 0

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    [note] = repair(source, root / "again", topics="users").notes
    assert "its source to user 1234: give it to the broker's user" in note
    # Files readable by the group of the source must not be readable by another group.
    assert modes(root / "again")["users-0"] == {0o700, 0o600}


@pytest.mark.slow
def test_a_group_that_one_is_not_in_gets_what_others_have(root: Path) -> None:
    source, copy = root / "source", root / "copy"
    for directory in (source, copy):
        directory.mkdir()
        (directory / "file").write_bytes(b"")
    source.chmod(0o750)
    (source / "file").chmod(0o664)
    if os.geteuid() == 0:
        os.chown(source, 0, 1235)
        os.chown(source / "file", 0, 1235)
        os.chown(copy, 65534, 65534)
        os.chown(copy / "file", 65534, 65534)
        os.chmod(root, 0o777)
        source.chmod(0o755)
        done = run_as_nobody(
            "from pathlib import Path; share(Path(sys.argv[1]), [sys.argv[2]])",
            str(copy),
            str(source),
            before="import sys; from kafkafmt.writing.target import share",
        )
        assert done.returncode == 0, done.stderr
        assert stat.S_IMODE((copy / "file").stat().st_mode) == 0o644
        assert stat.S_IMODE(copy.stat().st_mode) == 0o755
    else:
        share(copy, [source])
        assert stat.S_IMODE(copy.stat().st_mode) == 0o750
