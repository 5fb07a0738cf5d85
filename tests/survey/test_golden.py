"""A survey of every golden log directory against what Kafka's own code answered, file by file."""

from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest

from kafkafmt.findings import FINDING
from kafkafmt.survey import LogDirSurvey, Options, PartitionSurvey, SegmentFacts, survey
from tests.golden_cases import Case, cases

# What is wrong there, or odd, was written or made so; everything else must be free of findings.
DAMAGED = ("12-crash", "damaged", "crafted")

# Kafka 0.10.2 built this index at its start; look-ups by time pass over offsets 77 to 107, as Kafka's own would.
ODD_INDEX = ("upgrade-0.8.2.2-to-2.8.2", "long-lived-0/00000000000000000072.timeindex")


@cache
def surveyed(case: Case, depth: Any = "headers") -> list[tuple[LogDirSurvey, list[PartitionSurvey]]]:
    options = Options(everything=True, depth=depth)
    return [(log_dir, list(log_dir.partitions())) for log_dir in survey(case.log_dir, options)]


@cache
def segments(case: Case, depth: Any = "headers") -> dict[str, SegmentFacts]:
    """Facts by the file's name in the expected results; of those in the root too."""
    found = {
        segment.path: segment
        for _, partitions in surveyed(case, depth)
        for partition in partitions
        for segment in partition.segments
    }
    for path in case.log_dir.rglob("bootstrap.checkpoint"):
        (log_dir,) = survey(path)
        (partition,) = log_dir.partitions()
        found[str(path)] = partition.segments[0]
    return {path[len(str(case.log_dir)) + 1 :]: facts for path, facts in found.items()}


def by_file(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["file"]].append(row)
    return grouped


def log_rows(case: Case) -> list[dict[str, Any]]:
    return [row for row in case.jsonl("files.jsonl") if "batches" in row]


def whole(row: dict[str, Any]) -> bool:
    """Whether Kafka's iterator came to the end of the file, or to what we take for one."""
    size = row.get("size", row.get("fileSize"))
    return row["error"] is None and row.get("iteratedBytes", row.get("endPosition")) == size


def times(batch: dict[str, Any]) -> list[int]:
    """What a batch's header says about its records' times: the first one's, unless the field holds something else."""
    known: list[int] = [batch["maxTimestamp"]]
    if batch["timestampType"] == "CreateTime" and batch.get("deleteHorizonMs") is None:
        known += [first for first in [batch.get("baseTimestamp")] if first is not None]
    return known


def unreadable(facts: SegmentFacts) -> bool:
    """Whether some entry cannot be read for what it is; Kafka then says of it what its code happens to say."""
    kinds = {finding.kind for finding in facts.findings if finding.path == facts.path}
    return bool(kinds & {"unsupported", "corrupt", "checksum", "truncated"})


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_log_file_is_found_with_its_size(case: Case) -> None:
    expected = {row["file"]: row.get("size", row.get("fileSize")) for row in log_rows(case)}
    assert {file: facts.size for file, facts in segments(case).items()} == expected


@pytest.mark.parametrize("case", cases(), ids=str)
def test_batches_and_what_they_say_equal_kafkas(case: Case) -> None:
    batches = by_file(case.jsonl("batches.jsonl"))
    for row in log_rows(case):
        facts = segments(case)[row["file"]]
        expected = batches.get(row["file"], [])
        assert facts.batches is not None
        if not whole(row):
            assert facts.batches >= len(expected)
            continue
        assert facts.batches == len(expected)
        if unreadable(facts):
            continue
        counts = Counter((batch["magic"], batch["compression"]) for batch in expected)
        assert {key: share.batches for key, share in facts.shares.items()} == counts
        assert sum(share.size for share in facts.shares.values()) == row.get("iteratedBytes", row.get("endPosition"))
        assert facts.timestamp_types == tuple(sorted({batch["timestampType"] for batch in expected}))
        epochs = [each for batch in expected if (each := batch.get("partitionLeaderEpoch", -1)) >= 0]
        assert (facts.min_leader_epoch, facts.max_leader_epoch) == (
            min(epochs, default=None),
            max(epochs, default=None),
        )
        latest = max((batch["maxTimestamp"] for batch in expected), default=-1)
        assert facts.max_timestamp == (None if latest < 0 else latest)
        earliest = min((time for batch in expected for time in times(batch) if time >= 0), default=None)
        if case.family == "modern" or not any(batch["magic"] == 2 for batch in expected):
            # The legacy answers do not tell the base timestamps of format 2.
            assert facts.min_timestamp == earliest
        if expected and expected[-1]["isValid"]:
            assert facts.next_offset == expected[-1]["lastOffset"] + 1


@pytest.mark.parametrize("case", cases(), ids=str)
def test_records_equal_kafkas(case: Case) -> None:
    for row in log_rows(case):
        facts = segments(case, "checksums")[row["file"]]
        if whole(row) and row.get("allValid", True) and not unreadable(facts):
            assert facts.records == row["records"], row


@pytest.mark.parametrize("case", cases(), ids=str)
def test_no_record_is_later_than_the_latest_time(case: Case) -> None:
    records = by_file(case.jsonl("records.jsonl"))
    for file, facts in segments(case).items():
        times = [record["timestamp"] for record in records.get(file, [])]
        # Inner messages of format 1 can be in a wrapper of format 0, which has no time.
        if not unreadable(facts) and facts.magics != (0,) and max(times, default=-1) >= 0:
            assert facts.max_timestamp is not None
            assert facts.max_timestamp >= max(times)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_indexes_are_as_sane_as_kafka_finds_them(case: Case) -> None:
    sanity = {row["file"]: row["sane"] for row in case.jsonl("files.jsonl") if "sane" in row}
    sanity |= {
        row["file"]: row["sanityCheck"] == "ok" for row in case.jsonl("index_entries.jsonl") if "sanityCheck" in row
    }
    padded = {
        row["file"]: row["zeroPaddedFrom"] for row in case.jsonl("index_entries.jsonl") if "zeroPaddedFrom" in row
    }
    root = len(str(case.log_dir)) + 1
    found = {each.path[root:]: each for facts in segments(case).values() for each in facts.indexes if each.path}
    compared = 0
    for file, sane in sanity.items():
        if file in found:
            compared += 1
            assert (found[file].sanity_error is None) == sane, file
    for file, first in padded.items():
        if file in found and first is not None:
            assert found[file].zero_padded_from == (first or 1), file
    assert compared or not sanity or all(file not in found for file in sanity)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_checkpoints_are_known_for_what_they_are(case: Case) -> None:
    names = ("recovery-point", "replication", "log-start", "cleaner")
    expected = {
        row["file"]: row for row in case.jsonl("checkpoints.jsonl") if row["file"].rpartition("/")[2].startswith(names)
    }
    root = len(str(case.log_dir)) + 1
    for log_dir, _ in surveyed(case):
        for name, status in log_dir.facts.checkpoints.items():
            row = expected.get(f"{log_dir.facts.path}/{name}"[root:])
            if row is not None:
                assert status == ("ok" if row.get("offsets") else "empty"), row


@pytest.mark.parametrize("case", [case for case in cases() if not case.name.startswith(DAMAGED)], ids=str)
def test_what_brokers_wrote_has_no_findings(case: Case) -> None:
    found = [
        finding
        for log_dir, partitions in surveyed(case, "checksums")
        for findings in (log_dir.findings, *(partition.findings for partition in partitions))
        for finding in findings
        if finding.level == FINDING
    ]
    root = len(str(case.log_dir)) + 1
    assert [(case.name, finding.path[root:]) for finding in found] == ([ODD_INDEX] if case.name == ODD_INDEX[0] else [])


@pytest.mark.parametrize("case", [case for case in cases("modern") if case.name.startswith("12-")], ids=str)
def test_damage_that_kafka_repaired_is_found(case: Case) -> None:
    findings = {
        finding.path
        for _, partitions in surveyed(case, "checksums")
        for partition in partitions
        for finding in partition.findings
        if finding.level == FINDING
    }
    harmless = {"none", "missing-index", "zero-tail", "trunc-records"}
    for row in case.jsonl("damage.jsonl"):
        directory = row["file"].partition("/")[0]
        damaged = f"{case.log_dir}/damaged/{directory}/"
        assert any(path.startswith(damaged) for path in findings) == (row["kind"] not in harmless), row
