"""Destinations of rows: a complete file or none, and never among Kafka's files."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pytest

from kafkafmt.cli.output import Form, Kind, destination, open_output
from kafkafmt.cli.output.destination import open_destination
from tests.cli.conftest import Call
from tests.interrupting import interruptions
from tests.logdir.builders import segment
from tests.unprivileged import readable_directory

SCHEMA = pa.schema([("offset", pa.int64())])
BATCH = pa.RecordBatch.from_pydict({"offset": [1, 2, 3]}, SCHEMA)
KINDS: tuple[Kind, ...] = ("table", "jsonl", "csv", "arrow", "parquet")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_appears_when_it_is_complete(kind: Kind, tmp_path: Path) -> None:
    target = tmp_path / "rows"
    with open_output(Form(kind, str(target)), SCHEMA) as output:
        output.write(BATCH)
        assert not target.exists()
    assert target.stat().st_size
    assert list(tmp_path.iterdir()) == [target]


def write_and_fail(kind: Kind, target: Path) -> None:
    with open_output(Form(kind, str(target)), SCHEMA) as output:
        output.write(BATCH)
        raise RuntimeError("the run fails")


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_run_leaves_what_was_there(kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows"
    target.write_text("before")
    with pytest.raises(RuntimeError):
        write_and_fail(kind, target)
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
    assert "rows was not written" in capsys.readouterr().err


@pytest.fixture
def masked() -> Iterator[None]:
    """New files are readable by their group, and by nobody else."""
    mask = os.umask(0o027)
    yield
    os.umask(mask)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("masked")
def test_a_link_stays_a_link_and_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("")
    (tmp_path / "real").chmod(0o604)
    (tmp_path / "link").symlink_to("real")
    with open_output(Form("csv", str(tmp_path / "link")), SCHEMA) as output:
        output.write(BATCH)
        [part] = tmp_path.glob("*.part")
        assert mode(part) == 0o600
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "offset\n1\n2\n3\n"
    assert mode(tmp_path / "real") == 0o604


@pytest.mark.usefixtures("masked")
@pytest.mark.parametrize(
    ("closed", "expected"),
    [(None, 0o640), ("data", 0o600), ("data/orders-0", 0o600), (f"data/orders-0/{0:020d}.log", 0o600)],
)
def test_a_new_file_is_private_where_others_may_not_read_what_it_is_made_of(closed: str | None, expected: int) -> None:
    with readable_directory() as root:
        data = log_directory(root)
        for path in (data, *data.rglob("*")):
            path.chmod(0o755)
        if closed is not None:
            (root / closed).chmod(0o750)
        for source, name in ((str(data), "rows.csv"), (data.as_uri(), "again.csv")):
            with open_output(Form("csv", str(root / name)), SCHEMA, sources=(source,)):
                pass
            assert mode(root / name) == expected
        with open_destination(str(root / "page.html"), "html", (str(data),)):
            pass
        assert mode(root / "page.html") == expected


WAIT = """
import sys, time
from kafkafmt.cli.output.destination import open_destination
with open_destination(sys.argv[1], "csv", ()) as destination:
    destination.write(b"half of it")
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_nothing_is_left_of_a_run_that_a_signal_ends(number: signal.Signals, tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    target.write_text("before")
    with subprocess.Popen(
        [sys.executable, "-c", WAIT, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - nohup has SIGHUP ignored
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"writing\n"
        assert len(list(tmp_path.iterdir())) == 2
        child.send_signal(number)
        child.communicate()
    assert child.returncode == -number
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == "before"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_moment_leaves_a_whole_file_or_none(tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"

    def write() -> None:
        with open_destination(str(target), "csv", ()) as opened:
            opened.write(b"all of it")

    seen = set()
    for _ in interruptions(write, destination):
        left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert left in ({}, {"rows.csv": b"all of it"})
        seen.add(len(left))
        target.unlink(missing_ok=True)
    assert seen == {0, 1}


def test_a_device_is_written_to_and_not_replaced() -> None:
    with open_output(Form("csv", "/dev/null"), SCHEMA) as output:
        output.write(BATCH)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_place_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    out = str(tmp_path / "nowhere" / "rows.csv")
    with pytest.raises(click.UsageError, match="cannot be written"), open_destination(out, "csv", ()):
        pass


def test_a_device_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="cannot be written"), open_destination(str(tmp_path), "csv", ()):
        pass


def log_directory(root: Path) -> Path:
    partition = root / "data" / "orders-0"
    partition.mkdir(parents=True)
    (partition / f"{0:020d}.log").write_bytes(b"")
    (root / "data" / "plain").mkdir()
    (root / "fresh" / "plain").mkdir(parents=True)
    (root / "fresh" / "meta.properties").write_text("version=1\n")
    (root / "aside").mkdir()
    return root / "data"


@pytest.mark.parametrize(
    "place",
    ["data/orders-0", "fresh", "fresh/plain", pytest.param("aside/link", id="a link into it")],
)
def test_nothing_is_written_among_kafkas_files(place: str, tmp_path: Path) -> None:
    data = log_directory(tmp_path)
    (tmp_path / "aside" / "link").symlink_to(data / "orders-0")
    before = sorted(tmp_path.rglob("*"))
    out = str(tmp_path / place / "rows.csv")
    with pytest.raises(click.UsageError, match="refusing to write"), open_destination(out, "csv", ()):
        pass
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["aside", "data", "data/plain"])
def test_beside_a_log_directory_or_copied_partition_directories_is_fine(place: str, tmp_path: Path) -> None:
    log_directory(tmp_path)
    with open_output(Form("csv", str(tmp_path / place / "rows.csv")), SCHEMA):
        pass
    assert (tmp_path / place / "rows.csv").read_text() == "offset\n"


def test_beside_a_log_directory_that_is_called_like_a_partition_is_fine(tmp_path: Path) -> None:
    copy = log_directory(tmp_path).rename(tmp_path / "broker-1")
    (copy / "meta.properties").write_text("version=1\n")
    with open_output(Form("csv", str(tmp_path / "rows.csv")), SCHEMA):
        pass
    assert (tmp_path / "rows.csv").read_text() == "offset\n"


def test_what_is_read_is_not_overwritten_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "a copy of a segment"
    source.write_bytes(b"data")
    (tmp_path / "link").symlink_to(source)
    (tmp_path / "hard").hardlink_to(source)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    given = (str(source), source.as_uri(), f"file:{source}", source.name, f"sub/../{source.name}", "link", "hard")
    for out in (source, tmp_path / "link", tmp_path / "hard", Path(source.name)):
        for each in given:
            with (
                pytest.raises(click.UsageError, match="is one of the files that are read"),
                open_destination(str(out), "csv", ("s3://elsewhere/x?region=r", each)),
            ):
                pass
    assert source.read_bytes() == b"data"


@pytest.mark.parametrize(
    "name",
    [
        "meta.properties",
        "leader-epoch-checkpoint",
        "log-start-offset-checkpoint",
        "partition.metadata",
        f"{0:020d}.snapshot",
        f"{0:020d}.index.deleted",
        f"{4:020d}-{1:010d}.checkpoint",
    ],
)
def test_no_file_of_kafkas_names_is_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(name)
    for out in (name, "link"):
        with pytest.raises(click.UsageError, match="Kafka"), open_destination(str(tmp_path / out), "csv", ()):
            pass
    assert not (tmp_path / name).exists()


def test_a_uri_is_no_local_file() -> None:
    with pytest.raises(click.UsageError, match="a program that uploads it"), open_destination("s3://b/k", "csv", ()):
        pass


@pytest.mark.parametrize("out", ["", "directory/"])
def test_a_name_of_no_file(out: str) -> None:
    with pytest.raises(click.UsageError, match="is not the name of a file"), open_destination(out, "csv", ()):
        pass


class Terminal:
    """A stdout that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_a_binary_form_does_not_go_to_a_terminal(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    with pytest.raises(click.UsageError, match=f"--out rows.{kind}"), open_output(Form(kind, None), SCHEMA):
        pass


def test_a_hard_link_to_a_file_below_a_source_is_replaced_and_the_source_kept(kafkafmt: Call, tmp_path: Path) -> None:
    log = segment(tmp_path / "data" / "t-0", 0)
    sound = log.read_bytes()
    (tmp_path / "rows.jsonl").hardlink_to(log)
    assert kafkafmt("cat", tmp_path / "data", "--out", tmp_path / "rows.jsonl").status == 0
    assert log.read_bytes() == sound
    assert (tmp_path / "rows.jsonl").read_bytes().startswith(b"{")
