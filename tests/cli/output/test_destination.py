"""Where rows go: whole files or none, and never among Kafka's."""

import os
import stat
import sys
from pathlib import Path

import click
import pyarrow as pa
import pytest

from kafkafmt.cli.output import Kind, open_output
from kafkafmt.cli.output.destination import open_destination

SCHEMA = pa.schema([("offset", pa.int64())])
BATCH = pa.RecordBatch.from_pydict({"offset": [1, 2, 3]}, SCHEMA)
KINDS: tuple[Kind, ...] = ("table", "jsonl", "csv", "arrow", "parquet")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_appears_when_it_is_complete(kind: Kind, tmp_path: Path) -> None:
    target = tmp_path / "rows"
    with open_output(kind, str(target), SCHEMA) as output:
        output.write(BATCH)
        assert not target.exists()
    assert target.stat().st_size
    assert list(tmp_path.iterdir()) == [target]


def write_and_fail(kind: Kind, target: Path) -> None:
    with open_output(kind, str(target), SCHEMA) as output:
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


def test_a_link_stays_a_link_and_permissions_follow_the_mask(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("")
    (tmp_path / "link").symlink_to("real")
    mask = os.umask(0o027)
    try:
        with open_output("csv", str(tmp_path / "link"), SCHEMA) as output:
            output.write(BATCH)
    finally:
        os.umask(mask)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "offset\n1\n2\n3\n"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_device_is_written_to_and_not_replaced() -> None:
    with open_output("csv", "/dev/null", SCHEMA) as output:
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
    (root / "aside").mkdir()
    return root / "data"


@pytest.mark.parametrize(
    "place", ["data/orders-0", "data", "data/plain", pytest.param("aside/link", id="a link into it")]
)
def test_nothing_is_written_among_kafkas_files(place: str, tmp_path: Path) -> None:
    data = log_directory(tmp_path)
    (tmp_path / "aside" / "link").symlink_to(data)
    before = sorted(tmp_path.rglob("*"))
    out = str(tmp_path / place / "rows.csv")
    with pytest.raises(click.UsageError, match="where Kafka's files are"), open_destination(out, "csv", ()):
        pass
    assert sorted(tmp_path.rglob("*")) == before


def test_beside_a_log_directory_is_fine(tmp_path: Path) -> None:
    log_directory(tmp_path)
    with open_output("csv", str(tmp_path / "aside" / "rows.csv"), SCHEMA):
        pass
    assert (tmp_path / "aside" / "rows.csv").read_text() == "offset\n"


def test_what_is_read_is_not_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "a copy of a segment"
    source.write_bytes(b"data")
    (tmp_path / "link").symlink_to(source)
    for out in (source, tmp_path / "link"):
        with (
            pytest.raises(click.UsageError, match="is what is read"),
            open_destination(str(out), "csv", (str(source),)),
        ):
            pass
    assert source.read_bytes() == b"data"


def test_a_uri_is_no_local_file() -> None:
    with pytest.raises(click.UsageError, match="pipe it to what uploads it"), open_destination("s3://b/k", "csv", ()):
        pass


@pytest.mark.parametrize("out", ["", "directory/"])
def test_a_name_of_no_file(out: str) -> None:
    with pytest.raises(click.UsageError, match="names no file"), open_destination(out, "csv", ()):
        pass


class Terminal:
    """A stdout that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_a_binary_form_does_not_go_to_a_terminal(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    with pytest.raises(click.UsageError, match=f"--out rows.{kind}"), open_output(kind, None, SCHEMA):
        pass
