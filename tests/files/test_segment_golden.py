"""Batches and records of every golden file compared with the answers of Kafka's own code, file by file."""

import base64
from collections import defaultdict
from typing import Any

import pytest

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.files import segment
from kafkafmt.files.damage import Damage
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.io.source import open_file
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.record import Record
from tests.golden_cases import Case, cases

BATCH_FIELDS = {
    "sizeInBytes": "size_in_bytes",
    "baseOffset": "base_offset",
    "lastOffset": "last_offset",
    "magic": "magic",
    "crc": "crc",
    "compression": "compression",
    "timestampType": "timestamp_type",
    "maxTimestamp": "max_timestamp",
    "baseTimestamp": "base_timestamp",
    "partitionLeaderEpoch": "partition_leader_epoch",
    "producerId": "producer_id",
    "producerEpoch": "producer_epoch",
    "baseSequence": "base_sequence",
    "lastSequence": "last_sequence",
    "isTransactional": "is_transactional",
    "isControlBatch": "is_control_batch",
    "isControl": "is_control_batch",
    "deleteHorizonMs": "delete_horizon_ms",
    "count": "count",
}


def by_file(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row["file"]].append(row)
    return grouped


def log_files(case: Case) -> list[dict[str, Any]]:
    return [row for row in case.jsonl("files.jsonl") if "batches" in row]


def unb64(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def expected_record(row: dict[str, Any]) -> dict[str, Any]:
    """A row of records.jsonl as a `Record`."""
    return {
        "position": row["position"],
        "offset": row["offset"],
        "timestamp": row["timestamp"],
        "sequence": row.get("sequence", -1),
        "key": unb64(row["key"]),
        "value": unb64(row["value"]),
        "headers": [(key, unb64(value)) for key, value in row.get("headers") or []],
        "control_type": row.get("controlType", row.get("control")),
    }


def found_record(record: Record) -> dict[str, Any]:
    return {
        "position": record.position,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "sequence": record.sequence,
        "key": record.key,
        "value": record.value,
        "headers": record.headers,
        "control_type": record.control_type,
    }


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_batch_header_equals_what_kafka_says_of_it(case: Case) -> None:
    batches = by_file(case.jsonl("batches.jsonl"))
    for row in log_files(case):
        expected = batches.get(row["file"], [])
        found: list[BatchHeader] = []
        end = None
        with open_file(case.log_dir / row["file"]) as file:
            try:
                for header in segment.batches(file, name=row["file"], deep=True, verify_checksums=True):
                    found.append(header)  # noqa: PERF402 (what came before an error counts)
            except CorruptError as error:
                end = error
        stops = int(row.get("iteratedBytes", row.get("endPosition", 0)))
        if row["error"] is None:
            # Kafka treats any size beyond the end as an unfinished write, even with complete entries after it.
            size = row.get("size", row.get("fileSize", 0))
            assert end is None or (end.position == stops and stops < size), (row, end)
        elif end is None:
            assert "record size 0" in row["error"]  # zeros to the end are a clean end for us
        else:
            assert end.position == stops
        assert [header.position for header in found] == [batch["position"] for batch in expected]
        for header, batch in zip(found, expected, strict=True):
            assert header.file == batch["file"]
            assert header.is_valid == (batch["isValid"] and not batch.get("error")), (header, batch)
            if any(name.endswith("Error") or name == "error" for name in batch):
                assert header.error is not None
            if header.compression is None:
                # We read no field after the first ones; Kafka reads them one by one.
                assert isinstance(header.error, KafkafmtError)
                assert (header.size_in_bytes, header.magic) == (batch["sizeInBytes"], batch["magic"])
                continue
            for name, attribute in BATCH_FIELDS.items():
                if name not in batch or (name == "count" and batch[name] is None):
                    continue
                if header.error is not None and (batch[name] is None or getattr(header, attribute) is None):
                    continue
                assert getattr(header, attribute) == batch[name], (name, header, batch)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_record_equals_what_kafka_delivers(case: Case) -> None:
    records = by_file(case.jsonl("records.jsonl"))
    batches = by_file(case.jsonl("batches.jsonl"))
    for row in log_files(case):
        expected = defaultdict(list)
        undeliverable = set()
        for each in records.get(row["file"], []):
            expected[each["position"]].append(expected_record(each))
            if not {"keyError", "valueError", "recordError"}.isdisjoint(each):
                undeliverable.add(each["position"])
        found = defaultdict(list)
        damage: list[Damage] = []

        def decode(entry: Entry) -> list[Record]:
            entry.verify_checksum()
            return list(entry.records())

        with open_file(case.log_dir / row["file"]) as file:
            reader = SegmentReader(file, name=row["file"], on_damage="skip", report=damage.append)
            for batch in reader.walk(decode):
                for record in batch:
                    found[record.position].append(found_record(record))
        kafka_stops = row.get("iteratedBytes", row.get("endPosition"))
        invalid = [batch["position"] for batch in batches.get(row["file"], []) if not batch["isValid"]]
        kafka_stops = min([kafka_stops, *invalid])
        for position, rows in expected.items():
            if position in undeliverable:
                assert position not in found
                assert any(each.position == position for each in damage)
            elif position in found:
                assert found[position] == rows
            else:
                assert any(each.position == position for each in damage), (row, position)
                assert "bad-magic" in row["file"]
        for position in found.keys() - expected.keys():
            assert position >= kafka_stops, (row, position, found[position][:1], damage)


@pytest.mark.parametrize("case", cases("modern"), ids=str)
def test_valid_bytes_are_what_recovery_keeps(case: Case) -> None:
    for row in log_files(case):
        with open_file(case.log_dir / row["file"]) as file:
            kept, error = segment.valid_bytes(file)
        assert kept == row["validBytes"], row
        assert (error is None) == (kept == row["size"])
