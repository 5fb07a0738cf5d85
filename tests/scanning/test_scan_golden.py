"""`kafkafmt.scan` against Kafka's own answers: single files in every column, and whole directories as a consumer."""

import base64
from collections import defaultdict
from typing import Any

import pytest

import kafkafmt
from tests import golden_exceptions
from tests.golden_cases import Case, cases

pytestmark = pytest.mark.usefixtures("engine")

Row = dict[str, Any]
Partition = tuple[str, int]

TIMESTAMP_TYPES = {"NoTimestampType": -1, "CreateTime": 0, "LogAppendTime": 1}
CONSUMED = [case for case in cases("modern") if case.jsonl("read_uncommitted.jsonl")]


def unb64(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def topic_partition(directory: str) -> tuple[str | None, int | None]:
    """Topic and partition of a golden file's directory, as the golden README states."""
    for state in ("-delete", "-stray", "-future"):
        if directory.endswith(state):
            directory = directory.removesuffix(state).rpartition(".")[0]
    topic, _, number = directory.rpartition("-")
    return (topic, int(number)) if topic and number.isdecimal() else (None, None)


def expected_row(record: Row, batch: Row) -> Row:
    """The row that `scan` must give for a golden record of a golden batch."""
    name = record["file"].split("/")
    topic, partition = topic_partition(name[-2]) if len(name) > 1 else (None, None)
    headers = [{"key": key, "value": unb64(value)} for key, value in record.get("headers") or []]
    return {
        "key": unb64(record["key"]),
        "value": unb64(record["value"]),
        "topic": topic,
        "partition": partition,
        "offset": record["offset"],
        "timestamp": record["timestamp"],
        "timestampType": TIMESTAMP_TYPES[batch["timestampType"]],
        "headers": headers or None,
        "partitionLeaderEpoch": batch.get("partitionLeaderEpoch", -1),
        "producerId": batch.get("producerId", -1),
        "producerEpoch": batch.get("producerEpoch", -1),
        "sequence": record.get("sequence", -1),
        "isTransactional": batch.get("isTransactional", False),
        "isControl": batch.get("isControlBatch", batch.get("isControl", False)),
        "controlType": record.get("controlType", record.get("control")),
        "magic": batch["magic"],
        "compression": batch["compression"],
        "baseOffset": batch["baseOffset"],
        "position": record["position"],
        "file": name[-1],
    }


def rows(table: Any) -> list[Row]:
    """Rows with timestamps in ms as Kafka stored them, including years beyond 9999."""
    index = table.schema.get_field_index("timestamp")
    as_ms = table.set_column(index, "timestamp", table.column("timestamp").cast("int64"))
    result: list[Row] = as_ms.to_pylist()
    return result


def grouped(golden: list[Row], *keys: str) -> dict[Any, list[Row]]:
    groups = defaultdict(list)
    for row in golden:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_column_of_every_file_is_what_kafka_reads(case: Case) -> None:
    batches = grouped(case.jsonl("batches.jsonl"), "file")
    records = grouped(case.jsonl("records.jsonl"), "file", "position")
    extra = 0
    for info in case.jsonl("files.jsonl"):
        if "batches" not in info:
            continue
        name = info["file"]
        scan = kafkafmt.scan(case.log_dir / name, on_damage="skip", below_log_start=True, control_records=True)
        found = grouped(rows(scan.to_table()), "position")
        damaged = {damage.position for damage in scan.damage}
        kafka_stops = info.get("iteratedBytes", info.get("endPosition"))
        for batch in batches[name,]:
            position = batch["position"]
            golden = records[name, position]
            delivered = found.pop((position,), [])
            if any(not {"keyError", "valueError", "recordError"}.isdisjoint(row) for row in golden):
                # Kafka throws when such a record's key or value is accessed, or its consumer checks the record's CRC.
                assert (delivered, position in damaged) == ([], True)
            elif (case.name, name) in golden_exceptions.NOT_DELIVERED and batch["magic"] == 9:
                assert (delivered, position in damaged) == ([], True)
            elif golden or not delivered:
                expected = [expected_row(row, batch) for row in golden]
                assert comparable(name, delivered) == comparable(name, expected), (name, position)
                assert golden or batch["count"] in (0, None) or position in damaged or not batch["isValid"]
            else:
                found[(position,)] = delivered
            if not batch["isValid"] and not batch.get("error"):
                kafka_stops = min(kafka_stops, position)
        assert all(position >= kafka_stops for (position,) in found), (name, found)
        extra += sum(map(len, found.values()))
    assert extra == golden_exceptions.EXTRA_RECORDS.get(case.name, 0)


def comparable(name: str, delivered: list[Row]) -> list[Row]:
    """Remove the timestamp type if the golden answers do not give one for each record."""
    if name.split("/", maxsplit=1)[0] not in golden_exceptions.NO_TIMESTAMP_TYPE_OF_THEIR_OWN:
        return delivered
    return [{**row, "timestampType": None} for row in delivered]


@pytest.mark.parametrize("case", CONSUMED, ids=str)
def test_the_default_view_is_what_a_real_consumer_got(case: Case) -> None:
    recovered = case.log_dir / "recovered"
    source = recovered if recovered.is_dir() else case.log_dir
    table = kafkafmt.scan(source, columns=["topic", "partition", "offset"], on_damage="skip").to_table()
    found: dict[Partition, list[int]] = defaultdict(list)
    for row in table.to_pylist():
        found[row["topic"], row["partition"]].append(row["offset"])
    for answer in case.jsonl("read_uncommitted.jsonl"):
        offsets = found[answer["topic"], answer["partition"]]
        consumed = [o for first, last in answer["offsetRanges"] for o in range(first, last + 1)]
        if (case.name, answer["topic"]) in golden_exceptions.BEYOND_THE_CONSUMER:
            assert offsets[: len(consumed)] == consumed
            assert len(offsets) > len(consumed)
        else:
            assert offsets == consumed, answer


@pytest.mark.parametrize("case", cases(), ids=str)
def test_count_equals_the_rows_of_the_table(case: Case) -> None:
    for control in (False, True):
        scan = kafkafmt.scan(
            case.log_dir,
            on_damage="skip",
            control_records=control,
            below_log_start=control,
            replica="all",
            columns=["offset"],
        )
        assert scan.count(verify_checksums=True) == scan.to_table().num_rows


@pytest.mark.parametrize("case", [case for case in cases() if case.name not in golden_exceptions.DAMAGED], ids=str)
def test_sound_directories_scan_without_error_and_only_tails_are_reported(case: Case) -> None:
    scan = kafkafmt.scan(case.log_dir, columns=["offset"], replica="all")
    scan.to_table()
    assert {damage.reason for damage in scan.damage} <= {"zero_tail", "incomplete_tail"}
