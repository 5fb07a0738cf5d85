"""Producer snapshots."""

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.codec.checksum import crc32c
from kafkafmt.errors import ChecksumError, CorruptError, LimitExceededError, TruncatedError, UnsupportedError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.producer_snapshot import ProducerState
from tests.golden_cases import Case, cases

ENTRY = struct.Struct(">qhiqiqiq")


def snapshot(*entries: tuple[int, ...], version: int = 1, count: int | None = None, trailing: bytes = b"") -> bytes:
    """A snapshot with a correct CRC; entry fields are in file order."""
    covered = struct.pack(">i", len(entries) if count is None else count)
    covered += b"".join(ENTRY.pack(*entry) for entry in entries) + trailing
    return struct.pack(">hI", version, crc32c(covered)) + covered


def as_modern(entry: ProducerState) -> dict[str, Any]:
    """The entry in the form of `producer_snapshots.jsonl`."""
    batch = {
        "firstSeq": entry.first_sequence,
        "lastSeq": entry.last_sequence,
        "firstOffset": entry.first_offset,
        "lastOffset": entry.last_offset,
        "offsetDelta": entry.offset_delta,
        "timestamp": entry.timestamp,
    }
    return {
        "producerId": entry.producer_id,
        "producerEpoch": entry.producer_epoch,
        "coordinatorEpoch": entry.coordinator_epoch,
        "lastTimestamp": entry.timestamp,
        "currentTxnFirstOffset": entry.current_txn_first_offset,
        "batchMetadata": [batch] if entry.has_batch else [],
    }


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_producers_are_those_that_kafka_reads(case: Case) -> None:
    expected = {each["file"]: each["producers"] for each in case.jsonl("producer_snapshots.jsonl")}
    found = {path.relative_to(case.log_dir).as_posix() for path in case.files("*.snapshot")}
    assert found <= set(expected)
    for name, producers in expected.items():
        read = producer_snapshot.read(case.log_dir / name)
        assert sorted((as_modern(entry) for entry in read.entries), key=lambda entry: entry["producerId"]) == sorted(
            producers, key=lambda entry: entry["producerId"]
        ), name
        assert (read.version, read.trailing_bytes) == (1, 0)


@pytest.mark.parametrize("case", cases("legacy"), ids=str)
def test_producers_are_those_that_kafka_reads_in_legacy_cases(case: Case) -> None:
    listed = case.jsonl("snapshots.jsonl")
    sizes = {each["file"]: each["entries"] for each in case.jsonl("files.jsonl") if each["file"].endswith(".snapshot")}
    assert {path.relative_to(case.log_dir).as_posix() for path in case.files("*.snapshot")} == set(sizes)
    for name, size in sizes.items():
        read = producer_snapshot.read(case.log_dir / name)
        assert len(read.entries) == size, name
        expected = [
            {key: value for key, value in each.items() if key not in {"file", "n"}}
            for each in listed
            if each["file"] == name
        ]
        assert [
            {
                "producerId": entry.producer_id,
                "producerEpoch": entry.producer_epoch,
                "coordinatorEpoch": entry.coordinator_epoch,
                "lastTimestamp": entry.timestamp,
                "lastSeq": entry.last_sequence,
                "lastDataOffset": entry.last_offset,
                "lastOffsetDelta": entry.offset_delta,
                "currentTxnFirstOffset": entry.current_txn_first_offset,
            }
            for entry in read.entries
        ] == expected, name


def test_snapshots_with_a_further_suffix_are_read() -> None:
    paths = [path for case in cases() for path in case.files("*.snapshot.deleted")]
    assert len(paths) > 50
    for path in paths:
        producer_snapshot.read(path)


def test_the_table_has_nulls_where_there_is_no_batch_and_no_transaction() -> None:
    data = snapshot((7, 1, 9, 109, 4, 1466000000000, 2, 100), (8, 0, -1, -1, 0, 5, 3, -1))
    table = producer_snapshot.parse(data).to_table()
    assert table.schema.field("lastTimestamp").type == pa.timestamp("ms", "UTC")
    plain = table.set_column(3, "lastTimestamp", table["lastTimestamp"].cast(pa.int64()))
    assert plain.to_pylist() == [
        {
            "producerId": 7,
            "producerEpoch": 1,
            "coordinatorEpoch": 2,
            "lastTimestamp": 1466000000000,
            "currentTxnFirstOffset": 100,
            "firstSequence": 5,
            "lastSequence": 9,
            "firstOffset": 105,
            "lastOffset": 109,
            "offsetDelta": 4,
        },
        {
            "producerId": 8,
            "producerEpoch": 0,
            "coordinatorEpoch": 3,
            "lastTimestamp": 5,
            "currentTxnFirstOffset": None,
            "firstSequence": None,
            "lastSequence": None,
            "firstOffset": None,
            "lastOffset": None,
            "offsetDelta": None,
        },
    ]


def test_no_producers_are_an_empty_table_of_the_same_columns() -> None:
    empty = producer_snapshot.parse(snapshot())
    assert (len(snapshot()), empty.entries) == (10, ())
    assert empty.to_table().num_rows == 0
    assert empty.to_table().schema == producer_snapshot.parse(snapshot((7, 1, 9, 109, 4, 5, 2, 100))).to_table().schema


@pytest.mark.parametrize(
    ("last", "delta", "first"),
    [(1, 4, (1 << 31) - 3), (0, 1, (1 << 31) - 1), (0, 0, 0), (9, 9, 0), (9, 10, (1 << 31) - 1)],
)
def test_the_first_sequence_wraps_as_in_kafka(last: int, delta: int, first: int) -> None:
    (entry,) = producer_snapshot.parse(snapshot((7, 1, last, 100, delta, 5, 2, -1))).entries
    assert entry.first_sequence == first


@given(st.tuples(*(st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (64, 16, 32, 64, 32, 64, 32, 64))))
def test_any_fields_with_a_right_checksum_become_an_entry_and_a_row(fields: tuple[int, ...]) -> None:
    parsed = producer_snapshot.parse(snapshot(fields))
    (entry,) = parsed.entries
    assert (entry.producer_id, entry.producer_epoch, entry.last_sequence, entry.last_offset) == fields[:4]
    assert (entry.offset_delta, entry.timestamp, entry.coordinator_epoch) == fields[4:7]
    assert entry.current_txn_first_offset == (fields[7] if fields[7] >= 0 else None)
    assert parsed.to_table().num_rows == 1


def test_bytes_after_the_last_producer_are_covered_by_the_checksum_and_ignored() -> None:
    read = producer_snapshot.parse(snapshot((7, 1, 9, 109, 4, 5, 2, 100), trailing=b"xyz"))
    assert (len(read.entries), read.trailing_bytes) == (1, 3)
    with pytest.raises(ChecksumError):
        producer_snapshot.parse(snapshot((7, 1, 9, 109, 4, 5, 2, 100)) + b"xyz")


def test_a_wrong_checksum_is_told_with_both_values() -> None:
    data = bytearray(snapshot((7, 1, 9, 109, 4, 5, 2, 100)))
    right = data[2:6].hex()
    data[2] ^= 1
    with pytest.raises(ChecksumError) as caught:
        producer_snapshot.parse(bytes(data), file="f")
    error = caught.value
    assert (error.file, error.position) == ("f", 2)
    assert (error.expected, error.found) == (f"0x{right}", f"0x{data[2:6].hex()}")


@pytest.mark.parametrize("version", [0, 2, -1])
def test_another_version_is_unsupported(version: int) -> None:
    with pytest.raises(UnsupportedError) as caught:
        producer_snapshot.parse(snapshot(version=version), file="f")
    assert (caught.value.position, caught.value.found) == (0, version)


def test_a_negative_number_of_producers_is_corrupt() -> None:
    with pytest.raises(CorruptError) as caught:
        producer_snapshot.parse(snapshot(count=-1), file="f")
    assert (caught.value.file, caught.value.position) == ("f", 6)


@pytest.mark.parametrize("count", [2, 1000, (1 << 31) - 1])
def test_more_producers_than_there_are_bytes_is_truncated(count: int) -> None:
    with pytest.raises(TruncatedError) as caught:
        producer_snapshot.parse(snapshot((7, 1, 9, 109, 4, 5, 2, 100), count=count), file="f")
    assert (caught.value.file, caught.value.position) == ("f", 56)


def test_read_refuses_what_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000030.snapshot"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(LimitExceededError):
        producer_snapshot.read(path)
