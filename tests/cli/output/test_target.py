"""Protected targets: one check for files of rows and for directories, on the command line and in Python."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from kafkafmt import SourceError, extract, repair, scan, write
from kafkafmt import open as open_disks
from tests.cli.conftest import Call
from tests.logdir.builders import batch, segment

DIRECTORIES: dict[str, Callable[[Path, Path], object]] = {
    "repair": repair,
    "extract": extract,
    "compaction": lambda source, out: open_disks(source).compaction(out=out),
    "write": lambda source, out: write(pa.table(scan(source).to_table()), out),
}
FILES = {
    "cat": ["cat", "SOURCE", "--out", "OUT.csv"],
    "partition-by": ["cat", "SOURCE", "--partition-by", "topic", "--out", "OUT"],
    "state": ["cat", "SOURCE", "--state", "OUT.state"],
    "report": ["ls", "SOURCE", "--report", "OUT.html"],
    "evidence": ["grep", "--everywhere", "v", "SOURCE", "--evidence", "OUT.json"],
}
# broker/ is used by a broker; backup/ has only copied partition directories.
HURT = ["broker/x", "broker/plain/x", "broker/orders-0/x", "broker/orders-0/deep/x", "backup/orders-0/x"]
HARMLESS = ["backup/x", "backup/plain/x", "x-1"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for place in ("source", "broker", "backup"):
        segment(tmp_path / place / "orders-0", 0, batch(0))
    for place in ("source", "broker"):
        (tmp_path / place / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=c\n")
    for place in ("broker/plain", "broker/orders-0/deep", "backup/plain"):
        (tmp_path / place).mkdir()
    return tmp_path


def listed(root: Path) -> list[Path]:
    return sorted(root.rglob("*"))


@pytest.mark.parametrize("writer", DIRECTORIES)
def test_a_directory_where_a_broker_would_meet_it_is_refused(root: Path, writer: str) -> None:
    before = listed(root)
    for place in HURT:
        with pytest.raises(SourceError, match="which has Kafka files; choose another directory"):
            DIRECTORIES[writer](root / "source", root / place)
    with pytest.raises(SourceError, match="would be a partition beside those in"):
        DIRECTORIES[writer](root / "source", root / "backup" / "new-0")
    with pytest.raises(SourceError, match="is named like a Kafka file"):
        DIRECTORIES[writer](root / "source", root / "backup" / f"{0:020d}.log")
    assert listed(root) == before


@pytest.mark.parametrize("writer", DIRECTORIES)
def test_a_directory_beside_copied_partitions_is_written(root: Path, writer: str) -> None:
    for place in HARMLESS:
        DIRECTORIES[writer](root / "source", root / place)
        assert (root / place / "orders-0").is_dir()


@pytest.mark.parametrize("command", FILES)
def test_a_file_where_a_broker_would_meet_it_is_refused(root: Path, kafkafmt: Call, command: str) -> None:
    before = listed(root)
    for place in HURT:
        names = {"SOURCE": str(root / "source")}
        answer = kafkafmt(*(names.get(each, each.replace("OUT", str(root / place))) for each in FILES[command]))
        assert answer.status == 2, answer.stderr
        assert "refusing to write" in answer.stderr
    assert listed(root) == before


def test_what_everybody_does_first(root: Path, kafkafmt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "backup")
    assert kafkafmt("cat", "orders-0", "--out", "orders.parquet").status == 0
    assert kafkafmt("cat", ".", "--out", "all.csv", "--state", "all.state").status == 0
    assert kafkafmt("ls", ".", "--report", "page.html").status == 0
    assert kafkafmt("extract", "orders-0", "--out", "some").status == 0
    assert kafkafmt("cat", "orders-0", "--partition-by", "topic", "--out", "divided").status == 0
    assert {each.name for each in Path().iterdir()} == {
        *("orders-0", "plain", "orders.parquet", "all.csv", "all.state", "page.html", "some", "divided")
    }


def test_a_directory_in_what_was_named_is_refused_also_above_the_log_directories(root: Path, kafkafmt: Call) -> None:
    before = listed(root)
    for source in (root, f"file://{root}"):
        answer = kafkafmt("repair", source, "--out", root / "x")
        assert (answer.status, "is inside a source, " in answer.stderr) == (3, True)
        answer = kafkafmt("cat", source, "--partition-by", "topic", "--out", root / "x")
        assert (answer.status, "is inside a source, " in answer.stderr) == (3, True)
    assert listed(root) == before


def test_what_an_interrupted_run_left_is_named_and_kept(root: Path, kafkafmt: Call) -> None:
    source, said = root / "source", "was left by an interrupted run: delete it, unless that run is still going"
    (root / ".out.0123abcd.writing").mkdir()
    (root / "out.csv.0123abcd.part").write_bytes(b"")
    (root / ".other.0123abcd.writing").mkdir()
    for command in (
        ["repair", source, "--out", root / "out"],
        ["extract", source, "--out", root / "out"],
        ["compaction", source, "--out", root / "out"],
        ["cat", source, "--partition-by", "topic", "--out", root / "out"],
        ["cat", source, "--out", root / "out.csv"],
        ["write", root / "rows.parquet", "--out", root / "out"],
    ):
        if command[0] == "write":
            assert kafkafmt("cat", source, "--out", root / "rows.parquet").status == 0
        answer = kafkafmt(*command)
        assert answer.status == 0, answer.stderr
        [line] = [line for line in answer.stderr.split("kafkafmt: ") if said in " ".join(line.split())]
        assert "note: " in line
        assert ".0123abcd." in line
        if (root / "out").exists():
            (root / "out").rename(root / f"done-by-{command[0]}-{command[2]}")
    assert {".out.0123abcd.writing", "out.csv.0123abcd.part"} <= {each.name for each in root.iterdir()}
