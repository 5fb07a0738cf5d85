"""Faults inside sound batches, from public bug reports: the message of each command, and what it still reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from kafkafmt import scan as scan_of
from kafkafmt.codec.checksum import crc32c
from kafkafmt.files.batch_faults import time_unit
from kafkafmt.scanning.decoders import Decoders
from kafkafmt.writing import BatchBuilder
from tests.cli.conftest import Answer, Call
from tests.golden_cases import field_case
from tests.reference.builder import R, batch
from tests.topics.consumer_groups import coordinator_log as pack

INNER_CRC = ("inner-crc-v1-gzip", "inner-crc-v0-gzip-middle")


def json_rows(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize("name", INNER_CRC)
@pytest.mark.parametrize(
    "command", [("verify", "--level", "records"), ("verify",), ("ls", "--verify-checksums", "--show", "findings")]
)
def test_a_wrong_crc_of_an_inner_message_is_a_finding(kafkafmt: Call, name: str, command: tuple[str, ...]) -> None:
    answer = kafkafmt(*command, field_case(name).input, "-o", "jsonl")
    (finding,) = [row for row in json_rows(answer) if row["level"] == "finding"]
    assert (finding["kind"], finding["firstOffset"], finding["lastOffset"]) == ("checksum", 8, 10)
    assert finding["message"].startswith("inner message 1, offset 9: CRC mismatch")
    assert "cannot copy" not in finding["message"]  # RecordBatch.ensureValid, which a follower calls, accepts the batch
    assert answer.status == 1


def test_a_wrong_crc_of_compressed_data_does_not_stop_followers(kafkafmt: Call, tmp_path: Path) -> None:
    """A follower checks only the CRC of the batch, which is correct here (`DefaultRecordBatch.ensureValid`)."""
    builder = BatchBuilder(compression="gzip")
    builder.append(1_700_000_000_000, b"key", b"value" * 20)
    data = bytearray(builder.build())
    data[-8] ^= 1  # in the trailer of the gzip member, at the end of the batch
    data[17:21] = crc32c(data[21:]).to_bytes(4)
    (tmp_path / "t-0").mkdir()
    (tmp_path / "t-0" / f"{0:020d}.log").write_bytes(data)
    (finding,) = found(kafkafmt, tmp_path)
    assert (finding["kind"], finding["firstOffset"]) == ("checksum", 0)
    assert "CRC-32 mismatch in gzip data" in finding["message"]
    assert finding["message"].endswith("consumers stop at offset 0")


@pytest.mark.parametrize("name", INNER_CRC)
def test_what_reads_records_leaves_out_the_wrapper_of_a_wrong_inner_crc(kafkafmt: Call, name: str) -> None:
    source = field_case(name).input
    stopped = kafkafmt("cat", source, "--columns", "offset", "-o", "jsonl")
    assert ([row["offset"] for row in json_rows(stopped)], stopped.status) == ([7], 1)
    assert "inner message 1, offset 9: CRC mismatch" in stopped.stderr
    skipped = kafkafmt("cat", source, "--on-damage", "skip", "--columns", "offset", "-o", "jsonl")
    assert ([row["offset"] for row in json_rows(skipped)], skipped.status) == ([7, 11], 1)
    assert "(offsets 8 to 10)" in skipped.stderr
    measured = kafkafmt("space", source, "--on-damage", "skip", "-o", "jsonl")
    assert ([row["records"] for row in json_rows(measured)], measured.status) == ([2], 1)
    listed = kafkafmt("ls", source, "--verify-checksums", "-o", "jsonl")
    assert [row["records"] for row in json_rows(listed)] == [2]


@pytest.mark.parametrize("name", INNER_CRC)
def test_dump_prints_a_message_of_a_wrong_crc_and_ends_with_1(kafkafmt: Call, name: str) -> None:
    log = field_case(name).input / "t-0" / "00000000000000000000.log"
    answer = kafkafmt("dump", log, "--print-data-log")
    assert answer.status == 1
    assert [line.split()[2] for line in answer.text.splitlines() if "isValid: false" in line] == ["9"]
    assert "inner message, offset 9: CRC mismatch" in answer.stderr


ODD_OFFSETS = {
    "delta-repeated": (74, "offset 1 repeats"),
    "delta-beyond-last-gzip": (74, "offset 8 is beyond the last offset, 3"),
    "last-offset-delta-zero": (74, "5 records up to offset 5, but lastOffsetDelta is 0"),
}


@pytest.mark.parametrize("name", ODD_OFFSETS)
def test_offsets_that_a_batch_cannot_have_are_a_finding_and_a_note(kafkafmt: Call, name: str) -> None:
    position, said = ODD_OFFSETS[name]
    source = field_case(name).input
    (finding,) = found(kafkafmt, source)
    assert (finding["kind"], finding["position"]) == ("offset", position)
    assert said in finding["message"]
    records = kafkafmt("cat", source, "--columns", "offset", "-o", "jsonl")
    (batches,) = next(iter(field_case(name).answer["kafka"].values())).values()
    expected = [record["offset"] for batch in batches["batches"] for record in batch["records"]]
    assert [row["offset"] for row in json_rows(records)] == expected
    assert (
        f"kafkafmt: note: {next(source.rglob('*.log'))}: position {position}: records of one batch: {said}"
        in records.stderr
    )
    assert records.status == 0


def found(kafkafmt: Call, source: Path) -> list[dict[str, Any]]:
    answer = kafkafmt("verify", source, "--level", "records", "-o", "jsonl")
    findings = [row for row in json_rows(answer) if row["level"] == "finding"]
    assert answer.status == (1 if findings else 0)
    return findings


@pytest.mark.parametrize("odd", [0, 1, 2])
def test_both_engines_note_the_same(tmp_path: Path, odd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = [batch([R(delta) for delta in range(3)], base_offset=10 * number) for number in range(3)]
    deltas = [(0, 2, 1), (0, 0, 1), (-1, 0, 1)][odd]
    wrong = batch([R(delta) for delta in deltas], base_offset=30, last_offset_delta=2)
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(b"".join((*sound, wrong, batch(base_offset=50))))
    notes = []
    for engine in ("columnar", "reference"):
        monkeypatch.setattr(Decoders, "met", 1e9)
        scan = scan_of(path, engine=engine)
        offsets = scan.to_table()["offset"].to_pylist()
        assert offsets[9:] == [*(30 + delta for delta in deltas), 50]
        notes.append(scan.notes)
    assert notes[0] == notes[1]
    assert [note.is_finding for note in notes[0]] == [False]
    assert scan_of(path, columns=["value"]).to_table().num_rows == 13


def test_a_sequence_that_brokers_refuse(kafkafmt: Call) -> None:
    case = field_case("sequence-wraps-negative")
    (finding,) = found(kafkafmt, case.input)
    assert (finding["kind"], finding["firstOffset"]) == ("sequence", case.answer["answer"]["row_base_offset"])
    (row,) = json_rows(kafkafmt("producers", case.input, "--check", "-o", "jsonl"))
    assert (row["finding"], row["baseOffset"], row["baseSequence"]) == ("invalid sequence", 5, -(2**31))
    records = kafkafmt("cat", case.input)
    assert records.status == 0
    assert "kafkafmt: note: " in records.stderr
    assert "baseSequence is -2147483648, but the batch has producer id 7 (a broker refuses such" in records.stderr


def test_an_epoch_that_falls_was_not_raised(kafkafmt: Call) -> None:
    answer = kafkafmt("producers", field_case("epoch-exhausted").input, "--history", "-o", "jsonl")
    events = [row["event"] for row in json_rows(answer)]
    assert events == ["first batch", "epoch raised", "epoch lowered", "no epoch", "first epoch"]


def test_timestamps_in_seconds_are_named(kafkafmt: Call) -> None:
    source = field_case("times-in-seconds").input
    assert [finding["kind"] for finding in found(kafkafmt, source)] == ["time_unit"] * 2
    answer = kafkafmt("retention", source, "-o", "jsonl")
    assert {row["decision"] for row in json_rows(answer)} == {"delete"}
    assert all("looks like seconds" in row["reason"] for row in json_rows(answer))
    assert "look like seconds" in kafkafmt("cat", source).stderr
    assert kafkafmt("cat", source).status == 0


@pytest.mark.parametrize(
    ("timestamp", "unit"),
    [
        (-1, None),
        (0, None),
        (-62135596800000, None),
        (1_795_600_000_000, None),
        (4_000_000_000_000, None),
        (86_400_000, None),
        (1_795_600_000, "seconds"),
        (1_795_600_000_000_000, "microseconds"),
        (1_795_600_000_000_000_000, "nanoseconds"),
    ],
)
def test_only_another_unit_is_taken_for_one(timestamp: int, unit: str | None) -> None:
    assert time_unit(timestamp) == unit


@pytest.mark.parametrize("name", ["times-negative", "zstd-two-frames", "snappy-raw", "wrapper-v1-inner-v0"])
def test_what_is_right_has_no_finding(kafkafmt: Call, name: str) -> None:
    assert found(kafkafmt, field_case(name).input) == []


def test_a_wrong_content_checksum_of_lz4_costs_no_record(kafkafmt: Call) -> None:
    source = field_case("lz4-content-checksum-wrong").input
    (finding,) = found(kafkafmt, source)
    assert (finding["kind"], finding["position"]) == ("content_checksum", 74)
    answer = kafkafmt("cat", source, "-o", "jsonl")
    assert (len(answer.text.splitlines()), answer.status) == (8, 0)
    assert answer.stderr.startswith("kafkafmt: note: ")
    assert "position 74: the content checksum of the lz4 frame does not match its content" in answer.stderr
    for engine in ("columnar", "reference"):
        scan = scan_of(source, engine=engine)
        assert len(list(scan.to_reader())) >= 1
        assert len(scan.notes) == 1


def test_a_partition_that_no_coordinator_loads_is_a_finding(kafkafmt: Call) -> None:
    source = field_case("groups-classic-then-consumer").input
    (finding,) = found(kafkafmt, source)
    assert (finding["kind"], finding["firstOffset"]) == ("coordinator_load", 1)
    assert "group g is not a consumer group" in finding["message"]
    assert finding["path"] == str(source / "__consumer_offsets-0" / f"{0:020d}.log")
    answer = kafkafmt("groups", source, "--show", "groups", "-o", "jsonl")
    assert [row["group"] for row in json_rows(answer)] == ["g"]
    assert answer.status == 1


@pytest.mark.parametrize(
    ("record", "refused"),
    [
        ((pack.share_key("s", 0, kind=1), None), 1),  # ShareCoordinatorShard throws a NullPointerException
        ((pack.share_key("s", 0), pack.share_snapshot(1)[:-9]), 1),
        ((pack.share_key("s", 0), None), None),
        ((b"\0\x02", b"newer"), None),
    ],
)
def test_share_state_that_no_coordinator_loads(
    kafkafmt: Call, tmp_path: Path, record: tuple[bytes, bytes | None], refused: int | None
) -> None:
    log = pack.Log()
    log.put((pack.share_key("s", 0), pack.share_snapshot(1)))
    log.put(record)
    findings = found(kafkafmt, log.write(tmp_path, topic="__share_group_state"))
    assert [(each["kind"], each["firstOffset"]) for each in findings] == (
        [] if refused is None else [("coordinator_load", refused)]
    )


@pytest.mark.parametrize("name", ["groups-junk-bytes", "groups-tombstones-only", "metadata-aborted-tx"])
def test_a_coordinator_loads_odd_contents(kafkafmt: Call, name: str) -> None:
    assert found(kafkafmt, field_case(name).input) == []
