"""Retention on changed bytes: an answer, or a KafkafmtError; with damage skipped always an answer."""

import re
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkafmt.errors import KafkafmtError
from kafkafmt.operations.retention import Retention, retention
from tests.operations.golden_operations import questions

AT = 1703888003001
FILES = (
    "plain-0/00000000000000000000.timeindex",
    "plain-0/00000000000000000012.log",
    "plain-0/00000000000000000012.timeindex",
    "plain-0/00000000000000000012.index",
    "plain-0/00000000000000000020.log",
    "plain-0/00000000000000000020.timeindex",
    "__cluster_metadata-0/00000000000000000000.log",
    "meta.properties",
    "replication-offset-checkpoint",
    "recovery-point-offset-checkpoint",
    ".kafka_cleanshutdown",
)


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory with one topic, which each example changes and restores."""
    question = next(each for each in questions("retention") if each.case.startswith("configs"))
    found = question.unpack(tmp_path_factory.mktemp("damage"))
    for other in found.glob("*-0"):
        if other.name not in ("plain-0", "__cluster_metadata-0"):
            shutil.rmtree(other)
    (found / "log-start-offset-checkpoint").write_text("0\n1\nplain 0 2\n")
    return found


def whole(answer: Retention) -> int:
    """Read all tables; returns the number of segments."""
    for name in ("topics", "partitions"):
        assert answer.to_table(name).num_rows <= 1
    rows: int = answer.to_table().num_rows
    return rows


def test_without_changes(log_dir: Path) -> None:
    assert all((log_dir / name).exists() for name in FILES)
    answer = retention(log_dir, at=AT)
    assert whole(answer) == 6
    assert [*answer.damage, *answer.findings, *answer.notes] == []


@pytest.mark.slow
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from((*FILES, "log-start-offset-checkpoint")),
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=4),
    st.one_of(st.none(), st.integers(0, 600)),
    st.booleans(),
)
def test_changed_bytes(
    log_dir: Path, name: str, changes: list[tuple[int, int]], length: int | None, killed: bool
) -> None:
    path, mark = log_dir / name, log_dir / ".kafka_cleanshutdown"
    before, marked = path.read_bytes(), mark.read_bytes()
    data = bytearray(before[:length])
    for position, byte in changes:
        if data:
            data[position % len(data)] = byte
    try:
        path.write_bytes(data)
        if killed:
            mark.unlink()
        with suppress(KafkafmtError):
            whole(retention(log_dir, at=AT))
        assert whole(retention(log_dir, at=AT, on_damage="skip")) == 6
    finally:
        mark.write_bytes(marked)
        path.write_bytes(before)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(("-checkpoint", ".properties"))])
def test_a_broken_file_is_an_error_or_a_finding(log_dir: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "log-dir"
    shutil.copytree(log_dir, copy)
    (copy / ".kafka_cleanshutdown").unlink()
    (copy / name).write_text("x=\\u00\n")
    with pytest.raises(KafkafmtError, match=re.escape(name)):
        retention(copy, at=AT, on_damage="raise")
    found = retention(copy, at=AT)
    assert whole(found) == 6
    assert any(name in str(each) for each in (*found.findings, *found.damage))


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing(log_dir: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "log-dir"
    shutil.copytree(log_dir, copy)
    (copy / name).unlink()
    assert whole(retention(copy, at=AT)) == 6 - name.startswith("plain") * name.endswith(".log")


def crafted(tmp_path: Path, *topics: str) -> Path:
    """Some partitions of a golden log directory, without the files beside them."""
    question = next(each for each in questions("retention") if each.case.startswith("retention-crafted"))
    whole = question.unpack(tmp_path / "whole")
    copied = tmp_path / "copied"
    for topic in topics:
        shutil.copytree(whole / topic, copied / topic)
    return copied


def test_without_recovery_point_and_mark_a_start_makes_time_indexes_anew(tmp_path: Path) -> None:
    log_dir = crafted(tmp_path, "stale-0")
    source = {row["largestTimestampOffset"] for row in retention(log_dir, at=AT).to_table().to_pylist()}
    assert None not in source, "records decide, not the stale entry"
    (log_dir / ".kafka_cleanshutdown").touch()
    assert None in retention(log_dir, at=AT).to_table().column("largestTimestampOffset").to_pylist()


def test_a_copy_without_high_watermark_says_so(tmp_path: Path) -> None:
    reasons = retention(crafted(tmp_path, "plain-0"), at=AT).to_table().column("reason").to_pylist()
    assert reasons[0] == (
        "high watermark: 0 is below 3, where the next segment begins; "
        "replication-offset-checkpoint has no entry for the log"
    )


def test_metadata_of_another_cluster_are_named(log_dir: Path, tmp_path: Path) -> None:
    other = crafted(tmp_path, "plain-0")
    (other / "meta.properties").write_text("version=1\ncluster.id=another\nnode.id=1\n")
    (note,) = [str(each) for each in retention(other, at=AT, metadata=log_dir).notes]
    assert re.match(r"the metadata log is of cluster \S+, the disks are of another: configs are Kafka's defaults", note)
