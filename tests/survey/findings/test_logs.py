"""Findings and notes about logs: their batches, offsets and sizes."""

import gc
import struct
from pathlib import Path

import pytest

from kafkafmt.findings import FINDING, NOTE
from kafkafmt.io.local_file import LocalFile
from kafkafmt.survey import survey
from kafkafmt.survey.segment_findings import MAX_FINDINGS
from kafkafmt.survey.segment_walk import Depth
from tests.logdir.builders import batch, checkpoint, segment
from tests.survey.findings.surveyed import only, surveyed

OF_A_SEGMENT = {"_SegmentSurvey", "OffsetOrder", "KafkaRecordBatch", "_BatchHeader"}


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


@pytest.mark.parametrize("depth", ["quick", "headers"])
def test_the_survey_of_a_segment_is_freed_without_the_garbage_collector(log_dir: Path, depth: Depth) -> None:
    gc.collect()
    gc.disable()
    try:
        before = of_segments()
        surveyed(log_dir, depth=depth)
        assert of_segments() == before
    finally:
        gc.enable()


def of_segments() -> list[int]:
    """What lives of surveys of segments, in this test and in those before it."""
    return sorted(id(each) for each in gc.get_objects() if type(each).__name__ in OF_A_SEGMENT)


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


@pytest.mark.parametrize(("clean", "level", "end"), [(True, FINDING, 20), (False, NOTE, 15)], ids=["clean", "unclean"])
def test_a_log_that_ends_in_a_wrong_checksum_ends_before_it_if_it_is_cut(
    log_dir: Path, clean: bool, level: str, end: int
) -> None:
    path = segment(log_dir / "orders-0", 10, batch(10, 5), batch(15, 5))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    if not clean:
        (log_dir / ".kafka_cleanshutdown").unlink()
    findings, (partition,) = surveyed(log_dir)
    assert [(found.level, found.kind) for found in findings if found.kind == "checksum"] == [(level, "checksum")]
    assert partition.facts.log_end_offset == partition.segments[-1].next_offset == end


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
    # One batch is read whole: the last one must have a right CRC for the log to end after it.
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
