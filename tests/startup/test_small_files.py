"""Small files that Kafka's readers reject: the reaction of a 4.4.0 broker to each, and our verdict.

Each file was written into a copy of startup/base/clean, and a broker was started on it. Kafka's file readers only catch
malformed lines: any other exception stops the broker, or is ignored for a checkpoint of all logs.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.logdir.partition import Partition
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import BrokerError, DirectoryOfflineError
from tests.startup.test_golden_starts import unpack

ID = "VBjUjqf4R4KZ85TKlBTRKg"
EPOCHS, METADATA = "leader-epoch-checkpoint", "partition.metadata"
ENDS = (
    (METADATA, "", "java.lang.NullPointerException"),
    (METADATA, "version: 0\n", "java.lang.NullPointerException"),
    (METADATA, "version: 0\ntopic_id: AAAA", "java.lang.IllegalArgumentException"),
    (METADATA, f"version: 0\ntopic_id: {ID[:-3]}!{ID[-2:]}", "java.lang.IllegalArgumentException"),
    (EPOCHS, "0\n-1\n", "java.lang.IllegalArgumentException"),
)
OFFLINE = (
    (METADATA, "nonsense"),
    (METADATA, "\n"),
    (METADATA, "version: 0\ntopic_id: "),
    (METADATA, "version: 0\ntopic_id: a: b"),
    (METADATA, "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA"),
    (EPOCHS, "nonsense"),
    (EPOCHS, "0\n2\n0 0\n"),
)
LOADS = ((METADATA, f"verqion: 0\nid: {ID}\n"), (EPOCHS, ""), (EPOCHS, "0\n"))


@pytest.fixture(scope="module")
def disks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("small")
    unpack("01-clean", made)
    return made


def written(disks: Path, tmp_path: Path, name: str, text: str) -> Path:
    shutil.copytree(disks, tmp_path, dirs_exist_ok=True)
    place = tmp_path / "d1" if name.endswith("-offset-checkpoint") else tmp_path / "d1" / "orders-1"
    (place / name).write_text(text)
    return place / name


def loaded_end(path: Path) -> int:
    listing = Partition(path.parent).location.list()
    return load_log(listing, recovery_point=91, log_start_offset=0, clean_shutdown=True).log_end_offset


@pytest.mark.parametrize(("name", "text", "exception"), ENDS)
def test_a_broker_ends(disks: Path, tmp_path: Path, name: str, text: str, exception: str) -> None:
    path = written(disks, tmp_path, name, text)
    with pytest.raises(BrokerError, match=exception) as caught:
        loaded_end(path)
    assert not isinstance(caught.value, DirectoryOfflineError)
    verdict = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify(level="headers").verdict
    assert verdict["starts"].to_pylist() == [False, False]


@pytest.mark.parametrize(("name", "text"), OFFLINE)
def test_the_directory_goes_offline(disks: Path, tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(DirectoryOfflineError):
        loaded_end(written(disks, tmp_path, name, text))


@pytest.mark.parametrize(("name", "text"), LOADS)
def test_the_log_is_loaded(disks: Path, tmp_path: Path, name: str, text: str) -> None:
    assert loaded_end(written(disks, tmp_path, name, text)) == 91


@pytest.mark.parametrize("name", ["recovery-point-offset-checkpoint", "log-start-offset-checkpoint"])
def test_a_checkpoint_of_a_negative_number_of_logs_is_ignored(disks: Path, tmp_path: Path, name: str) -> None:
    written(disks, tmp_path, name, "0\n-1\n")
    verdict = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify(level="headers").verdict.to_pylist()
    assert [(row["starts"], row["online"]) for row in verdict] == [(True, True), (True, True)]


def prettier(path: Path) -> bytes:
    return json.dumps(json.loads(path.read_bytes()), indent=1).encode()


def changed(old: bytes, new: bytes) -> Callable[[Path], bytes]:
    return lambda path: path.read_bytes().replace(old, new)


QUORUM, BOOTSTRAP = "d0/__cluster_metadata-0/quorum-state", "d0/bootstrap.checkpoint"
OTHER_TOPIC = b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAFw"
ENDS_NODE: tuple[tuple[str, Callable[[Path], bytes], str], ...] = (
    (QUORUM, lambda _: b"", "Quorum status"),
    (QUORUM, lambda _: b"garbage", "Quorum status"),
    (QUORUM, prettier, "Quorum status"),
    (BOOTSTRAP, lambda _: b"", "No FeatureLevelRecord"),
    (BOOTSTRAP, lambda path: bytes(len(path.read_bytes())), "Found record size 0"),
    (BOOTSTRAP, changed(b"metadata.version", b"metadata.versioo"), "No FeatureLevelRecord"),
    ("d0/__cluster_metadata-0/partition.metadata", lambda _: OTHER_TOPIC, "InconsistentTopicIdException"),
    ("d1/orders-1/copy.snapshot", lambda _: b"x", 'NumberFormatException: For input string: "copy"'),
)
STARTS_NODE: tuple[tuple[str, Callable[[Path], bytes]], ...] = (
    (BOOTSTRAP, lambda path: path.read_bytes()[:17] + b"\0\0\0\0" + path.read_bytes()[21:]),
    (BOOTSTRAP, lambda path: path.read_bytes()[:-10]),
    ("d1/bootstrap.checkpoint", lambda _: b"garbage" * 20),
)


def starts(top: Path) -> list[bool]:
    found: list[bool] = kafkafmt.open([top / "d0", top / "d1"]).verify(level="headers").verdict["starts"].to_pylist()
    return found


@pytest.mark.parametrize(("name", "change", "reason"), ENDS_NODE)
def test_a_node_ends(disks: Path, tmp_path: Path, name: str, change: Callable[[Path], bytes], reason: str) -> None:
    shutil.copytree(disks, tmp_path, dirs_exist_ok=True)
    (tmp_path / name).write_bytes(change(tmp_path / name))
    answer = kafkafmt.open([tmp_path / "d0", tmp_path / "d1"]).verify(level="headers")
    assert answer.verdict["starts"].to_pylist() == [False, False]
    (blocker,) = (row for row in answer.findings.to_pylist() if row["kind"] == "does not start")
    assert blocker["path"] == str(tmp_path / name)
    assert reason in blocker["message"]
    assert blocker["advice"]


@pytest.mark.parametrize(("name", "change"), STARTS_NODE)
def test_a_node_starts(disks: Path, tmp_path: Path, name: str, change: Callable[[Path], bytes]) -> None:
    shutil.copytree(disks, tmp_path, dirs_exist_ok=True)
    (tmp_path / name).write_bytes(change(tmp_path / name))
    assert starts(tmp_path) == [True, True]


@pytest.mark.parametrize("name", [QUORUM, BOOTSTRAP, "d0/__cluster_metadata-0/partition.metadata"])
def test_a_node_starts_without_the_file(disks: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(disks, tmp_path, dirs_exist_ok=True)
    (tmp_path / name).unlink()
    assert starts(tmp_path) == [True, True]


@pytest.mark.parametrize("name", ["orders-1-stray", "orders-1-delete", "orders-1-future"])
def test_a_directory_that_somebody_set_aside_ends_a_broker(disks: Path, tmp_path: Path, name: str) -> None:
    """Kafka's own names have a dot and an id before the suffix."""
    shutil.copytree(disks, tmp_path, dirs_exist_ok=True)
    (tmp_path / "d1" / "orders-1").rename(tmp_path / "d1" / name)
    assert starts(tmp_path) == [False, False]


@pytest.mark.parametrize("clean", [True, False])
def test_a_log_file_of_2_gib_ends_a_broker(disks: Path, tmp_path: Path, clean: bool) -> None:
    shutil.copytree(disks / "d1" / "orders-1", tmp_path / "orders-1")
    path = tmp_path / "orders-1" / "00000000000000000057.log"
    with path.open("r+b") as file:
        file.truncate(1 << 31)
    with pytest.raises(BrokerError, match="larger than the maximum allowed segment size of 2147483647"):
        load_log(Partition(path.parent).location.list(), recovery_point=91, log_start_offset=0, clean_shutdown=clean)


def test_a_log_file_of_a_short_name_is_not_read(disks: Path, tmp_path: Path) -> None:
    """Kafka opens the file with 20 digits, which it creates."""
    shutil.copytree(disks / "d1" / "orders-1", tmp_path / "orders-1")
    path = tmp_path / "orders-1" / "00000000000000000057.log"
    path.rename(path.with_name("57.log"))
    assert loaded_end(path) == 57
