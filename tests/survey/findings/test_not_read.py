"""What a survey does not read: files outside the log, and files that it cannot read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kafkafmt import SourceError
from kafkafmt.findings import FINDING, NOTE
from kafkafmt.io.base import DirectoryEntry
from kafkafmt.io.local import LocalLocation
from kafkafmt.survey import survey
from tests.logdir.builders import batch, checkpoint, segment
from tests.survey.findings.surveyed import ASIDE, surveyed
from tests.unprivileged import readable_directory


def test_directories_set_aside_are_told_and_not_read_unless_everything_is(log_dir: Path) -> None:
    for state in ("delete", "future", "stray"):
        segment(log_dir / f"{ASIDE}-{state}", 0, batch(0, 10)[:30])
    findings, partitions = surveyed(log_dir)
    assert findings == []
    assert [each.facts.state for each in partitions] == ["live", "delete", "future", "stray"]
    assert [each.left_out[0].kind for each in partitions[1:]] == ["delete", "future", "stray"]
    assert [(each.facts.records, each.facts.segments, each.segments) for each in partitions[1:]] == [(None, 1, ())] * 3
    findings, partitions = surveyed(log_dir, everything=True)
    assert [each.facts.records for each in partitions] == [20, 0, 0, 0]
    assert {(found.level, found.kind) for found in findings} == {(NOTE, "incomplete_tail"), (NOTE, "index")}
    (aside,) = surveyed(log_dir / f"{ASIDE}-stray")[1]
    assert aside.facts.batches == 0


def test_files_left_out_say_why(log_dir: Path) -> None:
    partition = log_dir / "orders-0"
    segment(partition, 20, suffix=".cleaned")
    segment(partition, 0, suffix=".deleted")
    segment(partition, 30, suffix=".swap")
    segment(partition, 0, suffix=".odd")
    (partition / "00000000000000000000-0000000001.checkpoint").write_bytes(batch(0))
    findings, (found,) = surveyed(log_dir)
    assert findings == []
    assert {each.kind for each in found.left_out} == {"cleaned", "deleted", "swap", "other", "checkpoint"}
    assert len(found.segments) == 2
    states = {each.state for each in surveyed(log_dir, everything=True)[1][0].segments}
    assert states == {"live", "cleaned", "deleted", "swap", "other", "checkpoint"}


def test_a_file_that_a_swap_replaces_is_left_out(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 0, batch(0, 2), batch(4, 6), suffix=".swap")
    (found,) = surveyed(log_dir)[1]
    assert [each.kind for each in found.left_out] == ["replaced"]


def test_records_below_the_log_start_are_left_out(log_dir: Path) -> None:
    checkpoint(log_dir, "log-start-offset-checkpoint", {("orders", 0): 13})
    (found,) = surveyed(log_dir)[1]
    assert [(each.kind, each.first_offset, each.last_offset, each.size) for each in found.left_out] == [
        ("below log start", 0, 9, found.segments[0].size),
        ("below log start", 10, 12, None),
    ]
    assert (found.facts.log_start_offset, found.facts.records) == (13, 20)


def test_a_partition_that_leads_nowhere_is_a_finding(log_dir: Path) -> None:
    (log_dir / "lost-0").symlink_to(log_dir / "nowhere")
    checkpoint(log_dir, "replication-offset-checkpoint", {("orders", 0): 20, ("lost", 0): 5})
    findings, partitions = surveyed(log_dir)
    assert [(found.kind, found.path) for found in findings] == [("unreadable", str(log_dir / "lost-0"))]
    assert len(partitions) == 1


def test_a_segment_that_cannot_be_read_is_a_finding(log_dir: Path) -> None:
    path = log_dir / "orders-0" / "00000000000000000000.log"
    path.unlink()
    path.symlink_to(log_dir / "nowhere")
    findings, (partition,) = surveyed(log_dir)
    assert [(found.kind, found.path) for found in findings] == [("unreadable", str(path))]
    assert partition.facts.records is None
    assert partition.segments[1].records == 10


def test_a_swap_that_cannot_be_read_leaves_the_plain_names(log_dir: Path) -> None:
    (log_dir / "orders-0" / "00000000000000000010.log.swap").symlink_to(log_dir / "nowhere")
    findings, (partition,) = surveyed(log_dir)
    assert [found.kind for found in findings] == ["unreadable"]
    assert [each.name for each in partition.segments] == [f"{n:020d}.log" for n in (0, 10)]


def test_links_that_lead_back_end_somewhere(log_dir: Path) -> None:
    (log_dir / "again").symlink_to(log_dir.parent)
    (log_dir.parent / "twice").symlink_to(log_dir)
    assert len(surveyed(log_dir.parent)[1]) == 1


def test_a_directory_above_that_cannot_be_listed_tells_nothing(log_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint(log_dir, "replication-offset-checkpoint", {("orders", 0): 15})
    assert surveyed(log_dir / "orders-0")[1][0].facts.high_watermark == 15
    entries = LocalLocation.list

    def refuse(location: LocalLocation) -> list[DirectoryEntry]:
        if str(location) == str(log_dir):
            raise SourceError("forbidden", file=str(log_dir))
        return entries(location)

    monkeypatch.setattr(LocalLocation, "list", refuse)
    findings, (partition,) = surveyed(log_dir / "orders-0")
    assert (partition.facts.high_watermark, partition.facts.records) == (None, 20)
    assert findings == []


@contextmanager
def as_a_user_with_few_rights() -> Iterator[None]:
    """Root may read everything, so that nothing can be tested with it."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_directory_that_is_forbidden_is_a_finding() -> None:
    with readable_directory() as root:
        segment(root / "data" / "orders-0", 0)
        forbidden = segment(root / "other" / "secret-0", 0).parents[1]
        assert len(surveyed(root)[1]) == 2  # and all is loaded that this takes
        forbidden.chmod(0)
        with as_a_user_with_few_rights():
            findings, partitions = surveyed(root)
    assert [(found.kind, found.path) for found in findings if found.level == FINDING] == [
        ("unreadable", str(forbidden))
    ]
    assert len(partitions) == 1


def test_what_is_not_there_or_none_of_kafkas_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(SourceError):
            list(survey(path))


def test_a_log_that_is_a_link_out_is_left_out_and_not_lost(log_dir: Path, tmp_path: Path) -> None:
    log = log_dir / "orders-0" / "00000000000000000000.log"
    elsewhere = log.rename(tmp_path / "elsewhere.log")
    for other in log.parent.glob("*.log"):
        other.unlink()
    assert ("no log", str(log.parent)) in [(found.kind, found.path) for found in surveyed(log_dir)[0]]
    log.symlink_to(elsewhere)
    assert "no log" not in [found.kind for found in surveyed(log_dir)[0]]
    left_out = [each for partition in surveyed(log_dir)[1] for each in partition.left_out]
    assert [each.path for each in left_out if each.kind == "link"] == [str(log)]
