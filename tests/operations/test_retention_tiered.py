"""Retention of topics with remote storage: only uploaded segments are deleted from the disk."""

import shutil
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.operations.retention import retention
from tests.golden_cases import GOLDEN

CASE = GOLDEN / "tiered" / "01-plain-4.3.1"
LOG_DIR = CASE / "log-dir"
AT = 1_900_000_000_000


def fates(source: object, topic: str, **config: object) -> list[tuple[int, str, str]]:
    named = {name.replace("_", "."): value for name, value in config.items()}
    table = retention(source, at=AT, topics=topic, partitions=0, config=named).to_table()  # type: ignore[arg-type]
    columns = ("baseOffset", "decision", "reason")
    return [(row["baseOffset"], row["decision"], row["reason"]) for row in table.select(columns).to_pylist()]


def test_a_stopped_broker_left_nothing_that_can_go() -> None:
    found = [
        (log.path, segment.fate)
        for path in sorted((GOLDEN / "tiered").glob("0*/log-dir"))
        for log in retention(path, at=0).logs
        for segment in log.segments
        if segment.fate.is_deleted
    ]
    # By size and log start, whatever the time: passes had come by before the stop.
    assert not found


def test_only_uploaded_segments_go() -> None:
    assert fates(LOG_DIR, "orders", local_retention_bytes=0) == [
        (345, "delete", "size: 4,696 bytes are left without it, and local.retention.bytes is 0"),
        (448, "keep", "not uploaded: remote storage has offsets up to 447, and the segment ends at 486"),
    ]


def test_local_retention_of_minus_2_is_that_of_the_topic() -> None:
    deleted, kept = fates(LOG_DIR, "orders", local_retention_bytes=-2, retention_bytes=4696)
    assert deleted == (345, "delete", "size: 4,696 bytes are left without it, and retention.bytes is 4696")
    assert kept[1] == "keep"
    answer = retention(LOG_DIR, topics="orders", config={"local.retention.ms": -2})
    (source,) = set(answer.to_table()["configSource"].to_pylist())
    assert source == "retention.ms=topic, local.retention.bytes=topic, cleanup.policy=default"


def test_without_uploads_the_whole_limits_count() -> None:
    assert [each[1:] for each in fates(LOG_DIR, "orders", remote_log_copy_disable=True, retention_bytes=5000)] == [
        ("keep", "size: only 4,696 bytes would be left without it, and retention.bytes is 5000; retention.ms is -1"),
        ("keep", "size: only 0 bytes would be left without it, and retention.bytes is 5000; retention.ms is -1"),
    ]
    assert [each[1] for each in fates(LOG_DIR, "orders", remote_storage_enable=False, retention_bytes=0)] == [
        "delete",
        "delete",
    ]


def test_kafkas_own_topics_are_not_tiered() -> None:
    (log,) = retention(LOG_DIR, topics="__transaction_state", partitions=0, config={"remote.storage.enable": True}).logs
    assert log.facts.uploaded_to is None


def test_without_the_log_of_uploads_nothing_is_known_to_be_there(tmp_path: Path) -> None:
    shutil.copytree(LOG_DIR, tmp_path / "log-dir", ignore=shutil.ignore_patterns("__remote_log_metadata-*"))
    kept = "not uploaded: no __remote_log_metadata among the paths says what is in remote storage"
    assert [each[1:] for each in fates(tmp_path / "log-dir", "orders", local_retention_bytes=0)] == [("keep", kept)] * 2


def test_an_empty_policy_lets_the_local_log_shrink() -> None:
    assert [each[1] for each in fates(LOG_DIR, "orders", cleanup_policy="", local_retention_bytes=0)] == [
        "delete",
        "keep",
    ]


@pytest.mark.parametrize("topic", ["orders", "audit_log"])
def test_the_tier_beside_the_disk_changes_nothing(topic: str) -> None:
    together = kafkafmt.open([LOG_DIR, CASE / "tier"])
    assert fates(together, topic) == fates(LOG_DIR, topic)
    assert not retention(CASE / "tier", at=AT).logs
