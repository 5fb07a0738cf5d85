"""Compaction, compared with Kafka's LogCleanerManager and Cleaner on the same log directories."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.logdir.log_dir import LogDir
from kafkafmt.operations import Compaction, compaction
from kafkafmt.reference.record import Record
from kafkafmt.startup.verify import verify
from tests.golden_exceptions import OTHER_COMPRESSORS
from tests.operations.golden_operations import Question, questions

QUESTIONS = questions("compaction")
WITH_OUT = [question for question in QUESTIONS if question.asked.get("out")]
WITHOUT_OUT = [question for question in QUESTIONS if not question.asked.get("out")]
CASES = {question.case: question for question in QUESTIONS}
SAME = (
    "cleanupPolicy",
    "cleanerCheckpoint",
    "firstDirtyOffset",
    "firstUncleanableOffset",
    "cleanBytes",
    "dirtyBytes",
    "minCleanableDirtyRatio",
    "wouldClean",
    "removableRecords",
    "removableBytes",
)
AFTER = ("tombstones", "deleteHorizonMs", "recordsWithoutKey", "cleanedUpTo")


class Unpacked(dict[str, kafkafmt.Disks]):
    """An opened log directory for each requested case; nothing is written to it."""

    def __init__(self, make: Callable[[str], Path]) -> None:
        self._make = make

    def __missing__(self, case: str) -> kafkafmt.Disks:
        self[case] = kafkafmt.open(CASES[case].unpack(self._make(case)))
        return self[case]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Unpacked:
    return Unpacked(tmp_path_factory.mktemp)


def answer(disks: kafkafmt.Disks, question: Question, out: Path | None = None) -> Compaction:
    return compaction(disks, at=question.at, config=question.config, out=out)


def compare(found: Compaction, question: Question, *, compressed: int | None = None) -> None:
    """Compare every row; `compressed` is the byte difference of other compressors, None without `out`."""
    rows = {(row["topic"], row["partition"]): row for row in found.to_table().to_pylist()}
    expected = {(row["topic"], row["partition"]): row for row in question.expected()}
    assert set(rows) == set(expected)
    differing = 0
    for place, of_kafka in expected.items():
        row = rows[place]
        if (question.case, place) in OTHER_COMPRESSORS:
            differing += row["removableBytes"] - of_kafka["removableBytes"]
            row["removableBytes"] = of_kafka["removableBytes"]
        assert {name: row[name] for name in SAME} == {name: of_kafka.get(name) for name in SAME}, place
        assert row["dirtyRatio"] == pytest.approx(of_kafka["dirtyRatio"], abs=1e-12)
        assert row["uncleanableReason"] in of_kafka["uncleanableReasons"]
        if "removableRecords" in of_kafka:
            assert {name: row[name] for name in AFTER} == {name: of_kafka[name] for name in AFTER}, place
            untouched = of_kafka["segmentsBefore"] - row["segmentsBefore"]
            assert row["segmentsAfter"] + untouched == of_kafka["segmentsAfter"], place
        assert ("Kafka's cleaner fails" in row["reason"]) == ("error" in of_kafka)
    if compressed is not None:
        assert differing == compressed
    assert len(found.findings) == sum("error" in of_kafka for of_kafka in expected.values())


def test_all_questions_are_asked() -> None:
    assert (len(WITHOUT_OUT), len(WITH_OUT)) == (11, 32)


@pytest.mark.slow
@pytest.mark.parametrize("question", WITHOUT_OUT, ids=str)
def test_what_kafka_says(question: Question, unpacked: Unpacked) -> None:
    compare(answer(unpacked[question.case], question), question)


@pytest.mark.slow
@pytest.mark.parametrize("question", WITH_OUT, ids=str)
def test_what_kafka_leaves(question: Question, unpacked: Unpacked, tmp_path: Path) -> None:
    out = tmp_path / "cleaned"
    found = answer(unpacked[question.case], question, out)
    ours, of_kafka = batches_of(out), question.expected_out()
    assert [without_sizes(batch) for batch in ours] == [without_sizes(batch) for batch in of_kafka]
    sized = [batch for batch in of_kafka if "sizeInBytes" in batch]
    pairs = list(zip((batch for batch in ours if "sizeInBytes" in batch), sized, strict=True))
    others = [pair for pair in pairs if pair[0]["compression"] in ("lz4", "snappy")]
    assert [one["sizeInBytes"] for one, _ in pairs if one["compression"] not in ("lz4", "snappy")] == [
        other["sizeInBytes"] for _, other in pairs if other["compression"] not in ("lz4", "snappy")
    ]
    compare(found, question, compressed=sum(other["sizeInBytes"] - one["sizeInBytes"] for one, other in others))
    cleaned = LogDir(out)
    checkpointed = cleaned.checkpoints["cleaner-offset-checkpoint"].offsets
    for row in question.expected():
        if row["cleanedUpTo"] is not None:
            assert checkpointed[row["topic"], row["partition"]] == row["cleanedUpTo"]


ROUNDS = {
    each.case: each.case.replace(f"round-{number}-", f"round-{number + 1}-")
    for each in WITH_OUT
    for number in range(1, 5)
    if f"round-{number}-" in each.case
}


@pytest.mark.slow
@pytest.mark.parametrize("case", [each for each, following in ROUNDS.items() if following in CASES])
def test_the_files_beside_the_logs_are_those_that_kafka_left(case: str, unpacked: Unpacked, tmp_path: Path) -> None:
    """What Kafka left of a round is where the next one begins, but for records that were written since."""
    found = answer(unpacked[case], CASES[case], tmp_path / "cleaned")
    of_kafka = CASES[ROUNDS[case]].unpack(tmp_path)
    compared = 0
    for each in found.partitions:
        if each.cleaned_up_to is None:
            continue
        name = each.partition.name
        ours, theirs = (files_below(place / name, each.cleaned_up_to) for place in (tmp_path / "cleaned", of_kafka))
        assert set(ours) == set(theirs), name
        beside = [file for file in ours if not file.endswith(".log")]
        assert {file: ours[file] for file in beside} == {file: theirs[file] for file in beside}, name
        compared += len(beside)
    assert compared


@pytest.mark.parametrize("case", ["compaction-producers-4.3.1", "compaction-horizons-round-2-4.3.1"])
def test_verify_finds_nothing_wrong_in_a_cleaned_log(case: str, unpacked: Unpacked, tmp_path: Path) -> None:
    """Neither in what Kafka's cleaner left, where the second case begins, nor in what ours leaves."""
    answer(unpacked[case], CASES[case], tmp_path / "cleaned")
    for source in (unpacked[case], tmp_path / "cleaned"):
        assert verify(source).to_table("findings").to_pylist() == []


def files_below(directory: Path, offset: int) -> dict[str, bytes]:
    """Files of segments and producer snapshots below an offset, by name."""
    files = {path.name: path for path in directory.iterdir()}
    return {
        name: path.read_bytes()
        for name, path in files.items()
        if (parsed := parse_segment_file_name(name)) is not None and parsed.base_offset < offset
    }


def batches_of(log_dir: Path) -> list[dict[str, Any]]:
    """Batches of all segments in the form of the golden set."""
    found: list[dict[str, Any]] = []
    for partition in sorted(LogDir(log_dir).partitions, key=lambda each: each.name):
        for segment in partition.segments:
            file = f"{partition.name}/{segment.name}"
            headers = list(segment.batches(verify_checksums=True, deep=True))
            records = list(segment.records())
            if not headers:
                found.append({"file": file, "empty": True})
            at = 0
            for header in headers:
                of_batch = records[at : at + (header.count or 0)]
                at += len(of_batch)
                found.append(
                    {
                        "file": file,
                        "position": header.position,
                        "sizeInBytes": header.size_in_bytes,
                        "baseOffset": header.base_offset,
                        "lastOffset": header.last_offset,
                        "magic": header.magic,
                        "compression": header.compression,
                        "timestampType": header.timestamp_type,
                        "maxTimestamp": header.max_timestamp,
                        "partitionLeaderEpoch": header.partition_leader_epoch,
                        "producerId": header.producer_id,
                        "producerEpoch": header.producer_epoch,
                        "baseSequence": header.base_sequence,
                        "lastSequence": header.last_sequence,
                        "isTransactional": header.is_transactional,
                        "isControl": header.is_control_batch,
                        "isValid": header.is_valid,
                        "deleteHorizonMs": header.delete_horizon_ms,
                        "records": [golden_record(record) for record in of_batch],
                    }
                )
    return found


def golden_record(record: Record) -> list[Any]:
    headers = [[base64_of(name.encode()), base64_of(value)] for name, value in record.headers]
    return [record.offset, record.timestamp, base64_of(record.key), base64_of(record.value), headers]


def base64_of(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def without_sizes(batch: dict[str, Any]) -> dict[str, Any]:
    """A batch without the fields that depend on the compressor."""
    return {name: value for name, value in batch.items() if name not in ("position", "sizeInBytes")}
