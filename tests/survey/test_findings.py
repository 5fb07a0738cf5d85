"""What a survey says of small log directories with one thing wrong, or odd, in each.

It is long because it is a catalogue: a short test for each finding and note, all from one healthy log directory.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from kafkafmt import SourceError
from kafkafmt.io.base import DirectoryEntry
from kafkafmt.io.local import LocalFile, LocalLocation
from kafkafmt.survey import FINDING, NOTE, Finding, Options, PartitionSurvey, survey
from kafkafmt.survey.segments import MAX_FINDINGS
from tests.logdir.builders import batch, checkpoint, segment
from tests.unprivileged import readable_directory


@pytest.fixture
def log_dir(tmp_path: Path) -> Path:
    """A log directory of a broker that was stopped cleanly, with one partition of two segments."""
    path = tmp_path / "data"
    segment(path / "orders-0", 0)
    segment(path / "orders-0", 10)
    for base_offset in (0, 10):
        (path / "orders-0" / f"{base_offset:020d}.index").write_bytes(b"")
    (path / "meta.properties").write_text("version=1\nnode.id=3\ncluster.id=c\n")
    (path / ".kafka_cleanshutdown").write_bytes(b"")
    return path


def surveyed(path: Path, **options: Any) -> tuple[list[Finding], list[PartitionSurvey]]:
    findings: list[Finding] = []
    partitions: list[PartitionSurvey] = []
    for found in survey(path, Options(**options)):
        findings += found.findings
        for partition in found.partitions():
            partitions.append(partition)
            findings += partition.findings
    return findings, partitions


def only(path: Path, **options: Any) -> Finding:
    (finding,) = surveyed(path, **options)[0]
    return finding


def index(log_dir: Path, kind: str, *entries: bytes, base_offset: int = 0) -> Path:
    path = log_dir / "orders-0" / f"{base_offset:020d}.{kind}"
    path.write_bytes(b"".join(entries))
    return path


def offset_entry(relative_offset: int, position: int) -> bytes:
    return struct.pack(">ii", relative_offset, position)


def time_entry(timestamp: int, relative_offset: int) -> bytes:
    return struct.pack(">qi", timestamp, relative_offset)


def test_nothing_is_wrong_with_a_sound_log_dir(log_dir: Path) -> None:
    (found,) = survey(log_dir)
    assert found.findings == ()
    assert (found.facts.node_id, found.facts.cluster_id, found.facts.clean_shutdown) == (3, "c", True)
    assert (found.facts.partitions, found.facts.checkpoints["cleaner-offset-checkpoint"]) == (1, "missing")
    (partition,) = found.partitions()
    assert partition.findings == ()
    assert partition.left_out == ()
    facts = partition.facts
    assert (facts.records, facts.segments, facts.log_start_offset, facts.log_end_offset) == (20, 2, 0, 20)
    assert facts.size == facts.log_size == found.facts.size == sum(each.size for each in partition.segments)


def test_without_mark_of_a_clean_shutdown_there_is_a_note(log_dir: Path) -> None:
    (log_dir / ".kafka_cleanshutdown").unlink()
    assert (only(log_dir).level, only(log_dir).kind) == (NOTE, "no clean shutdown")


def test_a_wrong_checksum_is_found_when_they_are_verified(log_dir: Path) -> None:
    path = log_dir / "orders-0" / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert surveyed(log_dir)[0] == []
    found = only(log_dir, depth="checksums")
    assert (found.level, found.kind, found.path, found.position) == (FINDING, "checksum", str(path), 0)
    assert (found.length, found.topic, found.partition) == (len(data), "orders", 0)
    assert surveyed(log_dir, depth="checksums")[1][0].facts.records == 10


@pytest.mark.parametrize(("clean", "level"), [(True, FINDING), (False, NOTE)], ids=["clean", "unclean"])
def test_a_log_that_ends_in_a_wrong_checksum_ends_before_it(log_dir: Path, clean: bool, level: str) -> None:
    path = segment(log_dir / "orders-0", 10, batch(10, 5), batch(15, 5))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    if not clean:
        (log_dir / ".kafka_cleanshutdown").unlink()
    findings, (partition,) = surveyed(log_dir)
    assert [(found.level, found.kind) for found in findings if found.kind == "checksum"] == [(level, "checksum")]
    assert partition.facts.log_end_offset == partition.segments[-1].next_offset == 15


@pytest.mark.parametrize("tail", [b"\0" * 100, batch(20)[:40]], ids=["zeros", "cut"])
@pytest.mark.parametrize("clean", [True, False], ids=["clean", "unclean"])
@pytest.mark.parametrize("last", [True, False], ids=["last", "earlier"])
def test_a_broken_end_is_a_fault_unless_a_broker_may_have_left_it(
    log_dir: Path, tail: bytes, clean: bool, last: bool
) -> None:
    base_offset = 10 if last else 0
    path = segment(log_dir / "orders-0", base_offset, batch(base_offset, 10), tail)
    if not clean:
        (log_dir / ".kafka_cleanshutdown").unlink()
    (found,) = [each for each in surveyed(log_dir)[0] if each.path == str(path)]
    assert (found.position, found.length) == (path.stat().st_size - len(tail), len(tail))
    assert found.level == (NOTE if last and not clean else FINDING)


def test_a_bad_size_is_found_and_the_walk_goes_on_behind_it(log_dir: Path) -> None:
    bad = bytearray(batch(2, 3))
    bad[8:12] = struct.pack(">i", 3)
    path = segment(log_dir / "orders-0", 0, batch(0, 2), bytes(bad), batch(5, 5))
    findings, (partition,) = surveyed(log_dir)
    assert [(found.kind, found.path, found.length) for found in findings] == [("corrupt", str(path), len(bad))]
    assert (partition.segments[0].batches, partition.segments[0].records) == (2, 7)


@pytest.mark.parametrize("count", [2**31 - 1, -1, 50])
def test_a_count_that_cannot_be_true_is_found_and_not_added_up(log_dir: Path, count: int) -> None:
    untrue = bytearray(batch(10, 10, value=None))
    untrue[57:61] = struct.pack(">i", count)
    path = segment(log_dir / "orders-0", 10, bytes(untrue), batch(20))
    findings, (partition,) = surveyed(log_dir)
    assert [(found.level, found.path, found.position) for found in findings] == [(FINDING, str(path), 0)]
    assert partition.segments[1].records == 1


def test_only_headers_are_read(log_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = segment(log_dir / "orders-0", 10, *(batch(10 + number, value=bytes(200_000)) for number in range(50)))
    read = 0
    really = LocalFile.readinto_at

    def counting(file: LocalFile, position: int, buffer: memoryview) -> int:
        nonlocal read
        count = really(file, position, buffer)
        read += count if file.name == str(path) else 0
        return count

    monkeypatch.setattr(LocalFile, "readinto_at", counting)
    findings, (partition,) = surveyed(log_dir)
    assert (findings, partition.facts.records) == ([], 60)
    # One batch is read whole: the last one must have a right CRC for the log to end behind it.
    assert 200_000 < read < 1_000_000
    read = 0
    surveyed(log_dir, depth="quick")
    assert read < 1_000_000
    read = 0
    surveyed(log_dir, depth="checksums")
    assert read >= path.stat().st_size


def test_offsets_beyond_64_bits_wrap_as_in_java(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 2**63 - 2, batch(2**63 - 2, 2))
    assert surveyed(log_dir)[1][0].facts.log_end_offset == -(2**63)


def test_offsets_that_go_back_are_found(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 0, batch(0, 5), batch(3, 7))
    found = only(log_dir)
    assert (found.kind, found.position) == ("offset", len(batch(0, 5)))


def test_of_very_many_faults_in_a_segment_the_first_are_told_and_the_rest_counted(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 10, *(batch(10) for _ in range(MAX_FINDINGS + 8)))
    findings = surveyed(log_dir)[0]
    assert len(findings) == MAX_FINDINGS + 1
    assert (findings[-1].kind, findings[-1].message) == ("more", "7 more findings")


@pytest.mark.parametrize(
    ("first", "explained"),
    [
        ([batch(0, 5)], False),
        ([batch(0, 2), batch(4)], True),
    ],
    ids=["nothing-explains-it", "compacted"],
)
def test_missing_offsets_between_segments_are_a_fault_unless_compaction_explains_them(
    log_dir: Path, first: list[bytes], explained: bool
) -> None:
    path = segment(log_dir / "orders-0", 0, *first)
    findings = surveyed(log_dir)[0]
    assert [(found.kind, found.path) for found in findings] == ([] if explained else [("gap", str(path))])


def test_what_damage_swallowed_does_not_pass_for_compaction(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 0, batch(0, 2), b"\xff" * 80, batch(3, 2))
    assert [found.kind for found in surveyed(log_dir)[0]] == ["gap", "corrupt"]


def test_the_cleaners_checkpoint_explains_a_gap_too(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 0, batch(0, 5))
    checkpoint(log_dir, "cleaner-offset-checkpoint", {("orders", 0): 10})
    assert surveyed(log_dir)[0] == []


def test_a_topic_that_kafka_always_compacts_may_have_gaps(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 0, batch(0, 5))
    (log_dir / "orders-0").rename(log_dir / "__consumer_offsets-0")
    assert surveyed(log_dir)[0] == []


def test_segments_that_overlap_are_found(log_dir: Path) -> None:
    path = segment(log_dir / "orders-0", 0, batch(0, 12))
    assert (only(log_dir).kind, only(log_dir).path) == ("overlap", str(path))


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


# Indexes

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


# What is left out

ASIDE = "orders-1.0123456789abcdef0123456789abcdef"


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


# What cannot be read


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


# What can be named


def test_codecs_and_formats_of_a_segment(log_dir: Path) -> None:
    (partition,) = surveyed(log_dir)[1]
    assert (partition.segments[0].codecs, partition.segments[0].magics) == (("none",), (2,))


def test_a_directory_without_any_log(log_dir: Path) -> None:
    (log_dir / "gone-0").mkdir()
    (log_dir / "gone-0" / "00000000000000000000.log.deleted").write_bytes(batch(0))
    findings, partitions = surveyed(log_dir)
    facts = partitions[0].facts
    assert (facts.topic, facts.segments, facts.log_end_offset, facts.records) == ("gone", 0, None, 0)
    assert [(found.level, found.kind, found.path) for found in findings] == [
        (FINDING, "no log", str(log_dir / "gone-0"))
    ]


@pytest.mark.parametrize("name", ["00000000000000000000.index", "leader-epoch-checkpoint", "partition.metadata"])
def test_a_partition_that_lost_its_log_is_one_by_what_is_left(log_dir: Path, name: str) -> None:
    (log_dir / "gone-0").mkdir()
    (log_dir / "gone-0" / "readme.txt").write_bytes(b"")
    (log_dir / "noname").mkdir()
    (log_dir / "noname" / name).write_bytes(b"")
    assert surveyed(log_dir)[0] == []
    (log_dir / "gone-0" / name).write_bytes(b"")
    assert ("no log", str(log_dir / "gone-0")) in [(found.kind, found.path) for found in surveyed(log_dir)[0]]


def test_a_directory_set_aside_may_be_without_a_log(log_dir: Path) -> None:
    aside = log_dir / f"gone-0.{'0' * 32}-delete"
    aside.mkdir()
    (aside / "00000000000000000000.index").write_bytes(b"")
    findings, partitions = surveyed(log_dir, everything=True)
    assert (findings, partitions[1].facts.state) == ([], "delete")


def test_a_file_without_base_offset_misses_no_index(tmp_path: Path) -> None:
    (tmp_path / "bootstrap.checkpoint").write_bytes(batch(0))
    _, (partition,) = surveyed(tmp_path / "bootstrap.checkpoint")
    assert [each.status for each in partition.segments[0].indexes] == ["none", "none", "none"]


def test_of_a_damaged_log_the_index_may_be_right(log_dir: Path) -> None:
    (log_dir / "orders-0" / "00000000000000000000.index").write_bytes(offset_entry(9, 70))
    assert "delete it while the broker is stopped" in only(log_dir).advice
    segment(log_dir / "orders-0", 0, batch(0), bytes(20), batch(1, 9))
    advice = [found.advice for found in surveyed(log_dir)[0] if found.kind == "index"]
    assert advice == ["the log is damaged too, so the index may be right: keep it until the log is repaired"]


def test_a_log_file_alone(log_dir: Path) -> None:
    (found,) = survey(log_dir / "orders-0" / "00000000000000000010.log")
    (partition,) = found.partitions()
    assert not found.is_whole
    assert (partition.facts.topic, partition.facts.records, partition.facts.log_start_offset) == ("orders", 10, 10)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("00000000000000000000.index", "an offset index"),
        ("00000000000000000000.snapshot", "a producer snapshot"),
        ("leader-epoch-checkpoint", "a leader epoch checkpoint"),
        ("partition.metadata", "the topic id of a partition directory"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_a_hint(log_dir: Path, name: str, kind: str) -> None:
    path = log_dir / "orders-0" / name
    path.write_bytes(b"")
    with pytest.raises(SourceError, match=f"{kind}.*kafkafmt dump"):
        list(survey(path))


def test_a_file_with_nothing_of_kafkas_in_it_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"\x90nothing to see here, move along, nothing to see here")
    assert (only(path).level, only(path).length) == (FINDING, 53)
    path.write_bytes(bytes(1000))
    assert (only(path).level, only(path).kind) == (NOTE, "zero_tail")


def test_a_quick_survey_reads_the_ends(log_dir: Path) -> None:
    segment(log_dir / "orders-0", 10, batch(10, 5, timestamp=5000), batch(15, 5, timestamp=9000, epoch=3))
    findings, (partition,) = surveyed(log_dir, depth="quick")
    assert findings == []
    assert (partition.facts.records, partition.facts.log_end_offset, partition.facts.max_leader_epoch) == (None, 20, 3)
    assert (partition.facts.min_timestamp, partition.facts.max_timestamp) == (1000, 9004)
    segment(log_dir / "orders-0", 10, b"")
    assert surveyed(log_dir, depth="quick")[1][0].facts.log_end_offset == 10


def test_partitions_come_by_name_or_the_largest_first(log_dir: Path) -> None:
    segment(log_dir / "big-0", 0, batch(0, 100))
    segment(log_dir / "big-1", 0, batch(0))
    segment(log_dir / f"{ASIDE}-delete", 0, batch(0, 500))
    names = [(each.facts.topic, each.facts.partition) for each in surveyed(log_dir)[1]]
    assert names == [("big", 0), ("big", 1), ("orders", 0), ("orders", 1)]
    names = [(each.facts.topic, each.facts.partition) for each in surveyed(log_dir, order="size")[1]]
    assert names == [("orders", 1), ("big", 0), ("orders", 0), ("big", 1)]


def test_another_file_system_is_surveyed_too(log_dir: Path) -> None:
    filesystem = fs.SubTreeFileSystem(str(log_dir.parent), fs.LocalFileSystem())
    (found,) = survey("data", filesystem=filesystem)
    (partition,) = found.partitions()
    assert (partition.facts.records, partition.findings) == (20, ())


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
