"""Small files in the root of a log directory: Kafka 4.4.0 on a node with two log directories, compared with verify.

Each was started once with the metadata log in the first directory.
"""

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.io.source import locate
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import BrokerError
from kafkafmt.startup.verification import Verification
from tests.logdir.builders import batch, segment
from tests.startup.test_golden_starts import unpack
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID

FIRST = "00000000000000000000"


def with_line(name: str, value: str | None) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        line = "" if value is None else f"{name}={value}"
        file.write_text(re.sub(rf"^{name}=.*$", line, file.read_text(), flags=re.MULTILINE))

    return change


def as_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


UNREADABLE = (
    with_line("version", "9"),
    with_line("cluster.id", None),
    with_line("node.id", None),
    with_line("directory.id", "xyz"),
    as_directory,
)


def verified(top: Path) -> Verification:
    return kafkafmt.open([top / "d0", top / "d1"]).verify(level="headers")


@pytest.mark.parametrize("change", UNREADABLE)
def test_an_unreadable_meta_properties_takes_its_directory_offline(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    unpack("01-clean", tmp_path)
    file = tmp_path / "d1/meta.properties"
    lost = re.search(r"directory.id=(\S+)", file.read_text())
    assert lost is not None
    change(file)
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [True, True]
    assert answer.verdict["online"].to_pylist() == [True, False]
    assert answer.verdict["led"].to_pylist() == [True, None]
    actions = {row["path"]: row["action"] for row in answer.partitions.to_pylist()}
    assert {action for path, action in actions.items() if path.startswith(str(tmp_path / "d1"))} == {"offline"}
    (finding,) = [each for each in answer.found if each.kind == "offline"]
    assert finding.path == str(file)
    assert f"directory.id={lost[1]}" in finding.advice


@pytest.mark.parametrize("change", UNREADABLE)
def test_that_beside_the_metadata_log_keeps_the_node_down(tmp_path: Path, change: Callable[[Path], None]) -> None:
    unpack("01-clean", tmp_path)
    change(tmp_path / "d0/meta.properties")
    assert verified(tmp_path).verdict["starts"].to_pylist() == [False, False]


def test_a_reserved_directory_id_keeps_the_node_down(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    with_line("directory.id", "AAAAAAAAAAAAAAAAAAAAAQ")(tmp_path / "d1/meta.properties")
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [False, False]
    assert "is one of those that Kafka reserves" in answer.headlines[0]


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_second_metadata_log_keeps_the_node_down(tmp_path: Path, is_empty: bool) -> None:
    unpack("01-clean", tmp_path)
    second = tmp_path / "d1/__cluster_metadata-0"
    second.mkdir() if is_empty else shutil.copytree(tmp_path / "d0/__cluster_metadata-0", second)
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [False, False]
    (finding,) = [each for each in answer.found if each.kind == "does not start"]
    assert finding.path == str(second)


@pytest.mark.parametrize(("case", "is_sure"), [("01-clean", True), ("02-killed", False)])
def test_an_unknown_directory_id_may_be_led_after_a_kill(tmp_path: Path, case: str, is_sure: bool) -> None:
    """After a kill Kafka 4.4.0 assigned the logs to the new id with the old registration, and led them at once."""
    unpack(case, tmp_path)
    with_line("directory.id", "abcdefghijklmnopqrstuA")(tmp_path / "d1/meta.properties")
    answer = verified(tmp_path)
    assert answer.verdict["led"].to_pylist() == [True, False]
    (finding,) = [each for each in answer.found if each.kind == "not led"]
    assert ("before its session ends" in finding.message) != is_sure
    assert (f"11 partitions in {tmp_path / 'd1'} get no leader" in answer.headlines[0]) == is_sure


def test_partitions_that_were_moved_to_a_new_directory_are_led(tmp_path: Path) -> None:
    """Kafka 4.4.0: the directory that the metadata log has for them is online, so the controller elected this node."""
    unpack("01-clean", tmp_path)
    (tmp_path / "d2").mkdir()
    for name in ("orders-0", "audit-0"):
        (found,) = tmp_path.glob(f"d*/{name}")
        found.rename(tmp_path / "d2" / name)
    shutil.copy(tmp_path / "d1/meta.properties", tmp_path / "d2")
    with_line("directory.id", "abcdefghijklmnopqrstuA")(tmp_path / "d2/meta.properties")
    answer = kafkafmt.open([tmp_path / name for name in ("d0", "d1", "d2")]).verify(level="headers")
    assert answer.verdict["led"].to_pylist() == [True, True, True]
    assert not [each for each in answer.found if each.kind == "not led"]


def test_a_new_empty_directory_beside_all_registered_ones_is_no_reformatted_one(tmp_path: Path) -> None:
    unpack("01-clean", tmp_path)
    (tmp_path / "d2").mkdir()
    shutil.copy(tmp_path / "d1/meta.properties", tmp_path / "d2")
    with_line("directory.id", "abcdefghijklmnopqrstuA")(tmp_path / "d2/meta.properties")
    answer = kafkafmt.open([tmp_path / name for name in ("d0", "d1", "d2")]).verify(level="headers")
    assert not [each for each in answer.found if each.kind == "not led"]


def test_partitions_of_a_removed_directory_get_no_leader(tmp_path: Path) -> None:
    """Kafka 4.4.0 elected no leader for them at the first start, and led them all at the second."""
    unpack("01-clean", tmp_path)
    moved = [path for path in (tmp_path / "d1").iterdir() if path.is_dir()]
    for path in moved:
        path.rename(tmp_path / "d0" / path.name)
    shutil.rmtree(tmp_path / "d1")
    answer = kafkafmt.open(tmp_path / "d0").verify(level="headers")
    assert answer.verdict["led"].to_pylist() == [False]
    (finding,) = [each for each in answer.found if each.kind == "not led"]
    assert (
        f"has {len(moved)} partitions of it in a log directory that is not here: they get no leader" in finding.message
    )
    assert finding.advice.startswith("start the node twice")
    assert f"{len(moved)} partitions in {tmp_path / 'd0'} get no leader" in answer.headlines[0]


def declare_less_than_nothing(file: Path) -> None:
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "-1", *lines[2:]]))


def test_high_watermarks_of_a_negative_number_leave_the_directory_online_and_unserved(tmp_path: Path) -> None:
    """`ReplicaManager.applyDelta` ended at the first partition in d1 that the broker was to lead."""
    unpack("01-clean", tmp_path)
    declare_less_than_nothing(tmp_path / "d1/replication-offset-checkpoint")
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [True, True]
    assert answer.verdict["online"].to_pylist() == [True, True]
    assert answer.headlines[0].startswith(f"Node 1 starts, but no replica in {tmp_path / 'd1'} leads or follows")
    assert [each.path for each in answer.found if each.kind == "not served"] == [
        str(tmp_path / "d1/replication-offset-checkpoint")
    ]


@pytest.mark.parametrize("name", ["recovery-point-offset-checkpoint", "log-start-offset-checkpoint"])
def test_others_of_a_negative_number_are_taken_for_empty(tmp_path: Path, name: str) -> None:
    unpack("02-killed", tmp_path)
    before = verified(tmp_path).partitions["logEndOffset"].to_pylist()
    declare_less_than_nothing(tmp_path / "d1" / name)
    answer = verified(tmp_path)
    assert answer.verdict["online"].to_pylist() == [True, True]
    assert answer.partitions["logEndOffset"].to_pylist() == before


def test_a_directory_with_the_name_of_the_mark_is_the_mark(tmp_path: Path) -> None:
    unpack("02-killed", tmp_path)
    (tmp_path / "d1/.kafka_cleanshutdown").mkdir()
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [True, True]
    assert answer.verdict["cleanShutdown"].to_pylist() == [False, True]


@pytest.mark.parametrize(("name", "starts"), [("d0", False), ("d1", True)])
def test_a_mark_that_is_a_directory_with_files_takes_its_directory_offline(
    tmp_path: Path, name: str, starts: bool
) -> None:
    """java.nio.file.DirectoryNotEmptyException; the broker ends if the metadata log is in it."""
    unpack("02-killed", tmp_path)
    (tmp_path / name / ".kafka_cleanshutdown").mkdir()
    (tmp_path / name / ".kafka_cleanshutdown/file").touch()
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [starts, starts]
    assert answer.verdict["online"].to_pylist() == [starts, False]
    (found,) = [each for each in answer.found if each.kind in ("offline", "does not start")]
    assert found.path == str(tmp_path / name / ".kafka_cleanshutdown")


@pytest.mark.parametrize(("broken", "starts"), [("d0", False), ("d1", True)])
def test_a_lost_metadata_log_was_in_the_first_directory(tmp_path: Path, broken: str, starts: bool) -> None:
    """Kafka reads the bootstrap.checkpoint of metadata.log.dir alone, here d0."""
    unpack("01-clean", tmp_path)
    shutil.rmtree(tmp_path / "d0/__cluster_metadata-0")
    (tmp_path / broken / "bootstrap.checkpoint").write_bytes(b"garbage")
    assert verified(tmp_path).verdict["starts"].to_pylist() == [starts, starts]


@pytest.mark.parametrize("place", ["d0", "d1"])
def test_a_metadata_log_outside_the_first_directory_needs_a_config(tmp_path: Path, place: str) -> None:
    """Kafka 4.4.0 with log.dirs alone: "Found unexpected metadata location" if it is in d1."""
    unpack("01-clean", tmp_path)
    if place == "d1":
        (tmp_path / "d0/__cluster_metadata-0").rename(tmp_path / "d1/__cluster_metadata-0")
    answer = verified(tmp_path)
    assert answer.verdict["starts"].to_pylist() == [True, True]
    assert any("metadata.log.dir" in str(note) for note in answer.notes) is (place == "d1")


@pytest.mark.parametrize(("broken", "starts"), [("d0", False), ("d1", None)])
def test_a_new_metadata_log_ends_with_the_first_directory(tmp_path: Path, broken: str, starts: bool | None) -> None:
    """In d1 a log that was renamed as a stray before it went offline keeps the node down, too."""
    unpack("01-clean", tmp_path)
    shutil.rmtree(tmp_path / "d0/__cluster_metadata-0")
    first = min(each for each in (tmp_path / broken).iterdir() if each.is_dir())
    (first / "leader-epoch-checkpoint").write_text("nonsense\n")
    assert verified(tmp_path).verdict["starts"].to_pylist() == [starts, starts]


def grown(tmp_path: Path, *, entries: int) -> Path:
    directory = tmp_path / "orders-0"
    segment(directory, 0, *(batch(offset) for offset in range(entries)))
    return directory


@pytest.mark.parametrize(("kind", "size", "limit"), [("index", 32, 24), ("timeindex", 36, 24)])
def test_an_active_index_above_segment_index_bytes_keeps_the_node_down(
    tmp_path: Path, kind: str, size: int, limit: int
) -> None:
    """Kafka 4.4.0 after an orderly stop: "newPosition > limit: (36 > 24)" when it resizes the index."""
    directory = grown(tmp_path, entries=2)
    (directory / f"{FIRST}.index").write_bytes(b"")
    (directory / f"{FIRST}.timeindex").write_bytes(b"")
    (directory / f"{FIRST}.{kind}").write_bytes(bytes(size))
    listing = locate(str(directory)).list()
    message = rf"newPosition > limit: \({size} > {limit}\)"
    with pytest.raises(BrokerError, match=message):
        load_log(listing, recovery_point=0, log_start_offset=0, clean_shutdown=True, index_bytes=30)
    load_log(listing, recovery_point=0, log_start_offset=0, clean_shutdown=True, index_bytes=size)


def test_recovery_ends_at_a_time_index_without_any_place(tmp_path: Path) -> None:
    """Kafka 4.4.0 with segment.index.bytes=8 after a kill: a BufferOverflowException, though no entry was due."""
    listing = locate(str(grown(tmp_path, entries=1))).list()
    with pytest.raises(BrokerError, match="BufferOverflowException"):
        load_log(listing, recovery_point=0, log_start_offset=0, clean_shutdown=False, index_bytes=11)
    load_log(listing, recovery_point=0, log_start_offset=0, clean_shutdown=False, index_bytes=12)


@pytest.mark.parametrize("entries", [3, 2000])
def test_recovery_ends_at_a_full_index(tmp_path: Path, entries: int) -> None:
    """Kafka 4.4.0 after a kill: "Attempt to append to a full time index (size = 1)" for an index of 24 bytes."""
    listing = locate(str(grown(tmp_path, entries=entries))).list()

    def load(index_bytes: int) -> int:
        return load_log(
            listing,
            recovery_point=0,
            log_start_offset=0,
            clean_shutdown=False,
            index_interval_bytes=0,
            index_bytes=index_bytes,
        ).log_end_offset

    assert load(12 * (entries + 1)) == entries
    with pytest.raises(BrokerError, match=r"Attempt to append to a full (time )?index \(size = \d+\)"):
        load(8)


def test_configs_of_topics_come_from_the_metadata_log(tmp_path: Path) -> None:
    """For a log with remote storage only the checkpoint counts, and a small index prevents the start."""
    topics = [written.topic(), written.partition(replicas=[1], isr=[1], directories=[OTHER_ID])]
    written.node(tmp_path, 1, written.batch(0, *topics))
    segment(tmp_path / "orders-0", 5, batch(5))
    (tmp_path / "orders-0/partition.metadata").write_text(f"version: 0\ntopic_id: {TOPIC_ID}\n")
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\norders 0 2\n")
    (tmp_path / ".kafka_cleanshutdown").touch()

    def verified_with(*configs: bytes) -> tuple[bool, int | None]:
        written.node(tmp_path, 1, written.batch(0, *topics, *configs))
        answer = kafkafmt.open(tmp_path).verify()
        (log,) = [row for row in answer.partitions.to_pylist() if row["topic"] == "orders"]
        return answer.verdict["starts"][0].as_py(), log["logStartOffset"]

    assert verified_with() == (True, 5)
    tiered = written.config("remote.storage.enable", "true")
    assert verified_with(tiered) == (True, 2)
    assert verified_with(tiered, written.config("cleanup.policy", "compact")) == (True, 5)
    (tmp_path / "orders-0/00000000000000000005.index").touch()
    (tmp_path / "orders-0/00000000000000000005.timeindex").write_bytes(bytes(24))
    assert verified_with(written.config("segment.index.bytes", "12")) == (False, None)


def test_index_sizes_of_brokers_come_from_the_newest_snapshot(tmp_path: Path) -> None:
    """Kafka 4.4.0 ended with "Attempt to append to a full time index (size = 0)" once a snapshot had the config."""
    topics = [written.topic(), written.partition(replicas=[1], isr=[1], directories=[OTHER_ID])]
    segment(tmp_path / "orders-0", 0, batch(0))
    (tmp_path / "orders-0/partition.metadata").write_text(f"version: 0\ntopic_id: {TOPIC_ID}\n")
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n0\n")
    metadata_log = tmp_path / "__cluster_metadata-0"

    def starts(*configs: bytes, in_snapshot: bool = True, removed: Sequence[bytes] = ()) -> bool:
        shutil.rmtree(metadata_log, ignore_errors=True)
        written.node(tmp_path, 1, written.batch(0, *topics, *configs, *removed))
        if in_snapshot:
            written.snapshot(metadata_log, 2, 1, *topics, *configs)
        found: bool = kafkafmt.open(tmp_path).verify().verdict["starts"][0].as_py()
        return found

    small = written.config("log.index.size.max.bytes", "8", 4, "")
    assert starts()
    assert starts(small, in_snapshot=False)
    assert not starts(small)
    assert not starts(small, removed=[written.config("log.index.size.max.bytes", None, 4, "")])  # after the snapshot
    assert not starts(written.config("log.index.size.max.bytes", "8", 4, "1"))
    assert starts(small, written.config("segment.index.bytes", "1024"))
    assert starts(written.config("log.index.size.max.bytes", "8", 4, "2"))


def test_a_tiered_log_begins_at_its_checkpoint(tmp_path: Path) -> None:
    """`LogLoader.load`: local segments are deleted before the log start offset moves."""
    segment(tmp_path / "orders-0", 5, batch(5))
    listing = locate(str(tmp_path / "orders-0")).list()
    starts = [
        load_log(listing, recovery_point=5, log_start_offset=2, clean_shutdown=True, is_tiered=tiered).log_start_offset
        for tiered in (False, True)
    ]
    assert starts == [5, 2]
