"""Directories in place of log files: the reaction of Kafka's LogManager (4.4.0) to each, and our verdict.

`LogManager.loadLogs` started on golden cluster 01's orders-0 and payments-1 with one file replaced by a directory,
after an orderly stop and after a kill, and a consumer read from the first segment: a `FileNotFoundException` of the
index, as `AbstractIndex` opens it, takes the log directory offline.
"""

import shutil
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.files import clean_shutdown
from kafkafmt.logdir.partition import Partition
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import DirectoryOfflineError
from tests.golden_cases import cluster_case

FIRST, LAST = "00000000000000000000", "00000000000000000053"
OFFLINE = (
    ("orders-0", f"{LAST}.index"),
    ("orders-0", f"{LAST}.timeindex"),
    ("orders-0", f"{LAST}.txnindex"),
    ("orders-0", "leader-epoch-checkpoint"),
    ("orders-0", "partition.metadata"),
    ("payments-1", f"{FIRST}.txnindex"),
)
ONLINE = (f"{FIRST}.index", f"{FIRST}.timeindex", "00000000000000000025.snapshot", "junk")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("directories")
    return cluster_case(1).unpack(top)[1][0]


def replaced(node: Path, tmp_path: Path, partition: str, name: str) -> Path:
    shutil.copytree(node / partition, tmp_path / partition)
    path = tmp_path / partition / name
    path.unlink(missing_ok=True)
    path.mkdir()
    return path


def loaded_end(path: Path, *, clean: bool) -> int:
    listing = Partition(path.parent).location.list()
    recovery_point = 0 if path.parent.name == "payments-1" else 66
    return load_log(listing, recovery_point=recovery_point, log_start_offset=0, clean_shutdown=clean).log_end_offset


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(("partition", "name"), OFFLINE)
def test_a_start_takes_the_log_directory_offline(
    node: Path, tmp_path: Path, partition: str, name: str, clean: bool
) -> None:
    path = replaced(node, tmp_path, partition, name)
    with pytest.raises(DirectoryOfflineError, match=f"FileNotFoundException: {path} .Is a directory.") as raised:
        loaded_end(path, clean=clean)
    assert raised.value.advice.startswith("move it out of the partition directory")


def test_a_snapshot_at_the_log_end_cannot_be_written(node: Path, tmp_path: Path) -> None:
    path = replaced(node, tmp_path, "orders-0", "00000000000000000066.snapshot")
    with pytest.raises(DirectoryOfflineError):
        loaded_end(path, clean=True)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("name", ONLINE)
def test_others_are_not_opened_at_the_start(node: Path, tmp_path: Path, name: str, clean: bool) -> None:
    """Kafka does not miss the .index of an earlier segment either: it rebuilds none."""
    assert loaded_end(replaced(node, tmp_path, "orders-0", name), clean=clean) == 66


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (f"{FIRST}.index", "index"),
        (f"{LAST}.index", "index"),
        (f"{LAST}.timeindex", "index"),
        (f"{LAST}.txnindex", "index"),
        ("00000000000000000025.snapshot", "snapshot"),
        ("leader-epoch-checkpoint", "leader-epoch-checkpoint"),
        ("partition.metadata", "partition.metadata"),
        (f"{FIRST}.log", "gap"),
    ],
)
@pytest.mark.parametrize("mark", [True, False])
def test_ls_has_a_finding(node: Path, tmp_path: Path, name: str, kind: str, mark: bool) -> None:
    path = replaced(node, tmp_path, "orders-0", name)
    if mark:
        (tmp_path / clean_shutdown.FILE_NAME).touch()
    rows = kafkafmt.open(tmp_path).inspect.findings().to_pylist()
    (found,) = [row for row in rows if "file is a directory" in row["message"]]
    assert (found["level"], found["kind"], found["path"]) == ("finding", kind, str(path))
    assert not any("file is missing" in row["message"] for row in rows)


@pytest.mark.slow
def test_repair_makes_the_file(node: Path, tmp_path: Path) -> None:
    replaced(node, tmp_path / "source", "orders-0", f"{FIRST}.index")
    kafkafmt.repair(tmp_path / "source", tmp_path / "out")
    assert (tmp_path / "out" / "orders-0" / f"{FIRST}.index").is_file()
    rows = kafkafmt.open(tmp_path / "out").inspect.findings().to_pylist()
    assert [row["message"] for row in rows if row["level"] == "finding"] == []
