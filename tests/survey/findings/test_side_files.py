"""Findings and notes about indexes, checkpoints, snapshots and the mark of a clean shutdown."""

from pathlib import Path

import pytest

from kafkafmt.findings import FINDING, NOTE
from kafkafmt.survey.advice import (
    INDEX,
    INDEX_OF_DAMAGE,
    INDEX_OF_WRONG_OFFSETS,
    INDEX_RECOVERED,
    TIME_INDEX_MISSING,
)
from kafkafmt.survey.segment_walk import Depth
from tests.logdir.builders import batch, checkpoint, segment
from tests.survey.findings.surveyed import index, offset_entry, only, surveyed, time_entry


def test_without_mark_of_a_clean_shutdown_there_is_a_note(log_dir: Path) -> None:
    (log_dir / ".kafka_cleanshutdown").unlink()
    assert (only(log_dir).level, only(log_dir).kind) == (NOTE, "no clean shutdown")


@pytest.mark.parametrize("name", ["replication-offset-checkpoint", "recovery-point-offset-checkpoint"])
@pytest.mark.parametrize(("clean", "level"), [(True, FINDING), (False, NOTE)], ids=["clean", "unclean"])
def test_a_checkpoint_beyond_the_end_of_the_log(log_dir: Path, name: str, clean: bool, level: str) -> None:
    checkpoint(log_dir, name, {("orders", 0): 25})
    if not clean:
        (log_dir / ".kafka_cleanshutdown").unlink()
    (found,) = [each for each in surveyed(log_dir)[0] if each.kind == "offset"]
    assert found.level == level
    assert "25 is beyond the log end offset 20" in found.message


@pytest.mark.parametrize("name", ["meta.properties", ".kafka_cleanshutdown", "replication-offset-checkpoint"])
def test_a_broken_small_file_is_one_finding_and_no_end(log_dir: Path, name: str) -> None:
    (log_dir / name).write_text("{broken \\u")
    found = only(log_dir)
    assert (found.level, found.path) == (FINDING, str(log_dir / name))


@pytest.mark.parametrize("name", ["partition.metadata", "leader-epoch-checkpoint", "quorum-state"])
def test_a_broken_small_file_of_a_partition(log_dir: Path, name: str) -> None:
    (log_dir / "orders-0" / name).write_text("broken")
    found = only(log_dir)
    assert (found.level, found.path, found.topic) == (FINDING, str(log_dir / "orders-0" / name), "orders")


def test_a_broken_producer_snapshot_is_found_unless_it_is_not_read(log_dir: Path) -> None:
    path = log_dir / "orders-0" / "00000000000000000010.snapshot"
    path.write_bytes(b"\0\1broken")
    assert only(log_dir).path == str(path)
    findings, (partition,) = surveyed(log_dir, depth="quick")
    assert findings == []
    assert [each.has_producer_snapshot for each in partition.segments] == [False, True]


def test_partitions_that_only_a_checkpoint_knows_are_named(log_dir: Path) -> None:
    checkpoint(log_dir, "replication-offset-checkpoint", {("orders", 0): 20, **{("gone", n): 1 for n in range(7)}})
    found = only(log_dir)
    assert (found.level, found.kind) == (NOTE, "not here")
    assert "gone-0, gone-1, gone-2, gone-3, gone-4 and 2 more" in found.message


FIRST = [batch(0, 5, timestamp=1000), batch(5, 5, timestamp=2000)]
SECOND = len(FIRST[0])


@pytest.mark.parametrize(
    ("kind", "entries", "status", "level"),
    [
        ("index", [offset_entry(9, SECOND)], "ok", None),
        ("index", [], "empty", None),
        ("index", [offset_entry(9, SECOND - 1)], "mismatch", FINDING),
        ("index", [offset_entry(4, SECOND)], "mismatch", FINDING),
        ("index", [offset_entry(9, SECOND), offset_entry(12, 9999)], "mismatch", FINDING),
        ("index", [offset_entry(-1, SECOND)], "broken", FINDING),
        ("index", [offset_entry(9, SECOND), b"abc"], "broken", FINDING),
        ("index", [offset_entry(9, SECOND), bytes(80)], "padded", FINDING),
        ("index", [offset_entry(9, SECOND), offset_entry(-3, SECOND + 1), bytes(80)], "broken", FINDING),
        ("index", [bytes(80)], "padded", FINDING),
        ("timeindex", [time_entry(1004, 4), time_entry(2004, 9)], "ok", None),
        ("timeindex", [time_entry(1500, 9)], "mismatch", FINDING),
        ("timeindex", [time_entry(900, 4), time_entry(2004, 9)], "mismatch", FINDING),
        ("timeindex", [time_entry(2004, 9), time_entry(1004, 4)], "broken", FINDING),
        ("timeindex", [time_entry(2004, 9), time_entry(1004, 4), bytes(120)], "broken", FINDING),
        ("timeindex", [time_entry(1004, 4), time_entry(2004, -9), bytes(120)], "broken", FINDING),
        ("timeindex", [time_entry(1004, 4), time_entry(2004, 9), bytes(120)], "padded", FINDING),
        ("txnindex", [bytes(34)], "ok", None),
        ("txnindex", [bytes(34), b"x"], "broken", FINDING),
        ("txnindex", [b"\0\1" + bytes(32)], "unreadable", FINDING),
    ],
)
def test_an_index_of_an_earlier_segment(
    log_dir: Path, kind: str, entries: list[bytes], status: str, level: str | None
) -> None:
    segment(log_dir / "orders-0", 0, *FIRST)
    path = index(log_dir, kind, *entries)
    findings, (partition,) = surveyed(log_dir)
    facts = next(each for each in partition.segments[0].indexes if each.kind == kind)
    assert facts.status == status
    assert [(found.level, found.path) for found in findings] == ([] if level is None else [(level, str(path))])


@pytest.mark.parametrize("kind", ["index", "timeindex"])
def test_padding_in_the_last_segment_of_an_unclean_copy_is_a_note(log_dir: Path, kind: str) -> None:
    (log_dir / ".kafka_cleanshutdown").unlink()
    index(log_dir, kind, bytes(240), base_offset=10)
    findings, (partition,) = surveyed(log_dir)
    assert {found.level for found in findings} == {NOTE}
    assert "padded from 1" in [str(each) for each in partition.segments[1].indexes]


def test_padding_in_the_metadata_log_is_normal_after_an_orderly_stop(log_dir: Path) -> None:
    # As a 4.4.0 broker leaves it: raft loads its log as after a crash, and rebuilds its indexes.
    index(log_dir, "index", bytes(240), base_offset=10)
    (log_dir / "orders-0").rename(log_dir / "__cluster_metadata-0")
    assert [each for each in surveyed(log_dir)[0] if each.kind == "index"] == []
    index_of_first = log_dir / "__cluster_metadata-0" / "00000000000000000000.index"
    index_of_first.write_bytes(offset_entry(9, SECOND) + bytes(80))
    levels = {each.path: each.level for each in surveyed(log_dir)[0] if each.kind == "index"}
    assert levels[str(index_of_first)] == FINDING


def test_an_index_longer_than_its_log_is_a_note_in_an_unclean_copy(log_dir: Path) -> None:
    (log_dir / ".kafka_cleanshutdown").unlink()
    index(log_dir, "index", offset_entry(9, 0), offset_entry(19, 5000), base_offset=10)
    (found,) = [each for each in surveyed(log_dir)[0] if each.kind == "index"]
    assert found.level == NOTE
    index(log_dir, "index", offset_entry(9, 0), offset_entry(5, 5000), base_offset=10)
    (found,) = [each for each in surveyed(log_dir)[0] if each.kind == "index"]
    assert found.level == FINDING


def test_a_missing_index_is_a_note(log_dir: Path) -> None:
    (log_dir / "orders-0" / "00000000000000000000.index").unlink()
    assert (only(log_dir).level, only(log_dir).message) == (NOTE, "the .index file is missing")
    # Then Kafka rebuilds all of them.
    (log_dir / "orders-0" / "00000000000000000000.timeindex").unlink()
    assert (only(log_dir).level, only(log_dir).message) == (NOTE, "the .index file is missing")


def test_a_missing_time_index_is_a_note(log_dir: Path) -> None:
    (log_dir / "orders-0" / "00000000000000000000.timeindex").unlink()
    found = only(log_dir)
    assert (found.level, found.message) == (NOTE, "the .timeindex file is missing")
    assert found.advice == TIME_INDEX_MISSING


def test_a_file_without_base_offset_misses_no_index(tmp_path: Path) -> None:
    (tmp_path / "bootstrap.checkpoint").write_bytes(batch(0))
    _, (partition,) = surveyed(tmp_path / "bootstrap.checkpoint")
    assert [each.status for each in partition.segments[0].indexes] == ["none", "none", "none"]


def test_of_a_damaged_log_the_index_may_be_right(log_dir: Path) -> None:
    (log_dir / "orders-0" / "00000000000000000000.index").write_bytes(offset_entry(9, 70))
    assert "delete the .index of the segment while the broker is stopped" in only(log_dir).advice
    segment(log_dir / "orders-0", 0, batch(0), bytes(20), batch(1, 9))
    advice = [found.advice for found in surveyed(log_dir)[0] if found.kind == "index"]
    assert advice == [INDEX_OF_DAMAGE]
    # A broker of Kafka 4.4.0 without this .index cut the remains of the last batch alone.
    segment(log_dir / "orders-0", 0, batch(0), batch(1, 9)[:-20])
    (found,) = [found for found in surveyed(log_dir)[0] if found.kind == "index"]
    assert found.advice == INDEX


@pytest.mark.parametrize(
    ("recovery_point", "advice"), [(0, INDEX_RECOVERED), (10, INDEX_OF_DAMAGE)], ids=["recovered", "flushed before"]
)
def test_an_index_that_recovery_makes_anew_is_not_to_be_kept(log_dir: Path, recovery_point: int, advice: str) -> None:
    """Kafka cuts a damaged segment from the recovery point on, and its indexes go with that."""
    (log_dir / ".kafka_cleanshutdown").unlink()
    checkpoint(log_dir, "recovery-point-offset-checkpoint", {("orders", 0): recovery_point})
    index(log_dir, "index", offset_entry(9, 70))
    segment(log_dir / "orders-0", 0, batch(0), bytes(20), batch(1, 9))
    assert [found.advice for found in surveyed(log_dir)[0] if found.kind == "index"] == [advice]


def test_where_offsets_are_wrong_the_index_may_be_right_and_nothing_is_cut(log_dir: Path) -> None:
    first, *rest = batch(0, 4), batch(4, 3), batch(7, 3)
    segment(log_dir / "orders-0", 0, (50).to_bytes(8, "big") + first[8:], *rest)
    index(log_dir, "index", offset_entry(6, len(first)))
    assert {found.kind: found.advice for found in surveyed(log_dir)[0]}["index"] == INDEX_OF_WRONG_OFFSETS


@pytest.mark.parametrize("depth", ["headers", "checksums"])
def test_an_index_that_points_to_a_batch_with_a_wrong_length_is_right(log_dir: Path, depth: Depth) -> None:
    parts = [batch(0), batch(1, 4), batch(5, 3), batch(8, 2)]
    begins = [sum(map(len, parts[:number])) for number in range(len(parts))]
    data = bytearray(b"".join(parts))
    data[begins[1] + 8 : begins[1] + 12] = (begins[3] - begins[1] - 12).to_bytes(4, "big")
    segment(log_dir / "orders-0", 0, bytes(data))
    index(log_dir, "index", offset_entry(4, begins[1]), offset_entry(9, begins[3]))
    assert [found.kind for found in surveyed(log_dir, depth=depth)[0]] == ["checksum"]
