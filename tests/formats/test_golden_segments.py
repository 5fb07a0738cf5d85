"""The specs of the log, on every golden segment and snapshot of the metadata log, against Kafka's own readings."""

import base64
import zlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import crc32c
import pytest
from kafkafmt_specs.kafka_control_record_key import KafkaControlRecordKey
from kafkafmt_specs.kafka_end_transaction_marker import KafkaEndTransactionMarker
from kafkafmt_specs.kafka_log_segment import KafkaLogSegment
from kafkafmt_specs.kafka_records import KafkaRecords
from kaitaistruct import BytesIO, EndOfStreamError, KaitaiStream, ValidationGreaterThanError, ValidationLessThanError

from kafkafmt.codec.compression import Compression, decompress
from kafkafmt.limits import Limits
from tests.golden_cases import Case, cases

LOG_OVERHEAD = 12
TIMESTAMP_TYPES = {"NoTimestampType": 0, "CreateTime": 0, "LogAppendTime": 1}
COMPRESSIONS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def stream(data: bytes) -> KaitaiStream:
    return KaitaiStream(BytesIO(data))


def expected_by_file(case: Case, name: str) -> dict[str, list[dict[str, Any]]]:
    by_file = defaultdict(list)
    for line in case.jsonl(name):
        by_file[line["file"]].append(line)
    return by_file


def entry_at(data: bytes, position: int) -> Any:
    io = stream(data)
    io.seek(position)
    return KafkaLogSegment.Entry(position, io)


def entries_of(case: Case) -> Iterator[tuple[dict[str, Any], Any]]:
    """Entries that Kafka found, as read by Kafka and by the spec, without those that the spec refuses."""
    for file, batches in expected_by_file(case, "batches.jsonl").items():
        data = (case.log_dir / file).read_bytes()
        for batch in batches:
            if batch["magic"] <= 2 and not is_broken_message(case, batch):  # those have tests of their own
                yield batch, entry_at(data, batch["position"])


def is_broken_message(case: Case, batch: dict[str, Any]) -> bool:
    """Whether Kafka, too, fails at the key or the value of a message, which the spec reads with the rest of it."""
    if batch["magic"] < 2 and not batch["isValid"] and case.family == "modern":
        return True  # a magic byte that is none: Kafka 3 and 4 write no such messages
    return (batch["file"], batch["position"]) in broken_messages(case)


@cache
def broken_messages(case: Case) -> set[tuple[str, int]]:
    return {
        (record["file"], record["position"])
        for record in case.jsonl("records.jsonl")
        if "keyError" in record or "valueError" in record
    }


@pytest.mark.parametrize("case", cases(), ids=str)
def test_header_fields_are_those_that_kafka_reads(case: Case) -> None:
    for batch, entry in entries_of(case):
        body = entry.body
        assert entry.ofs_entry == batch["position"]
        assert LOG_OVERHEAD + entry.len_body == batch["sizeInBytes"]
        assert (entry.magic, body.magic, body.crc) == (batch["magic"], batch["magic"], batch["crc"])
        if "compressionError" not in batch:
            assert body.attributes.compression == COMPRESSIONS[batch["compression"]]
        if batch["magic"] == 2:
            header = batch_header(entry)
            known = {name for name in header.keys() & batch if (name, batch[name]) != ("count", None)}
            assert {name: header[name] for name in known} == {name: batch[name] for name in known}
        elif batch["compression"] == "none":
            assert entry.base_offset == batch["baseOffset"] == batch["lastOffset"]
            assert getattr(body, "timestamp", -1) == batch["maxTimestamp"]
        else:
            assert entry.base_offset == batch["lastOffset"]


def batch_header(entry: Any) -> dict[str, Any]:
    body = entry.body
    attributes = body.attributes
    header = {
        "baseOffset": entry.base_offset,
        "lastOffset": entry.base_offset + body.last_offset_delta,
        "timestampType": "LogAppendTime" if attributes.timestamp_type == 1 else "CreateTime",
        "baseTimestamp": body.base_timestamp,
        "maxTimestamp": body.max_timestamp,
        "partitionLeaderEpoch": body.partition_leader_epoch,
        "producerId": body.producer_id,
        "producerEpoch": body.producer_epoch,
        "baseSequence": body.base_sequence,
        "isTransactional": attributes.is_transactional,
        "isControlBatch": attributes.is_control,
        "isControl": attributes.is_control,
        "deleteHorizonMs": body.base_timestamp if attributes.has_delete_horizon else None,
        "count": body.num_records,
    }
    if header["lastOffset"] >= 2**63:
        header["lastOffset"] -= 2**64
    return header


@pytest.mark.parametrize("case", cases(), ids=str)
def test_crc_covers_what_kafka_checks(case: Case) -> None:
    for batch, entry in entries_of(case):
        checksum = crc32c.crc32c if batch["magic"] == 2 else zlib.crc32
        matches = checksum(entry.body.crc_input) == entry.body.crc
        # Kafka calls some messages invalid for what is in them, although their CRC is right.
        assert matches == batch["isValid"] or (matches and batch["magic"] < 2)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_records_are_those_that_kafka_delivers(case: Case) -> None:
    records = defaultdict(list)
    for record in case.jsonl("records.jsonl"):
        records[record["file"], record["position"]].append(record)
    for batch, entry in entries_of(case):
        delivered = records[batch["file"], batch["position"]]
        if batch["magic"] == 2 and batch["isValid"]:
            assert [batch_record(entry, record) for record in records_of(entry)] == [
                {
                    "offset": record["offset"],
                    "timestamp": record["timestamp"],
                    "key": record.get("key"),
                    "value": record.get("value"),
                    "headers": record.get("headers", []),
                }
                if "controlValue" not in record
                else {"offset": record["offset"], "control": record["controlTypeId"]}
                for record in delivered
            ]
        elif batch["magic"] < 2 and delivered and case.name != "crafted-odd-wrappers":
            messages = [inner.body for inner in inner_entries(entry) if hasattr(inner, "body")]
            assert [(text(message, "key"), text(message, "value")) for message in messages] == [
                (record["key"], record["value"]) for record in delivered
            ]


def records_of(entry: Any) -> list[Any]:
    body = entry.body
    if body.records is not None:
        return list(body.records)
    codec = Compression(body.attributes.compression)
    return list(KafkaRecords(stream(decompress(codec, body.compressed_records, magic=2, limits=Limits()))).records)


def inner_entries(entry: Any) -> list[Any]:
    codec = Compression(entry.body.attributes.compression)
    if codec is Compression.NONE:
        return [entry]
    data = decompress(codec, entry.body.value, magic=entry.body.magic, limits=Limits())
    return list(KafkaLogSegment(stream(data)).entries)


def batch_record(entry: Any, record: Any) -> dict[str, Any]:
    batch, body = entry.body, record.body
    offset = entry.base_offset + body.offset_delta.value
    if batch.attributes.is_control and int.from_bytes(body.key[2:4]) > 1:
        return {"offset": offset, "control": int(KafkaControlRecordKey(stream(body.key)).type)}
    timestamp = (batch.base_timestamp + body.timestamp_delta.value + 2**63) % 2**64 - 2**63
    return {
        "offset": offset,
        "timestamp": batch.max_timestamp if batch.attributes.timestamp_type == 1 else timestamp,
        "key": text(body, "key"),
        "value": text(body, "value"),
        "headers": [[header.key.decode(), text(header, "value")] for header in body.headers],
    }


def text(owner: Any, name: str) -> str | None:
    data = getattr(owner, name, None)
    return None if data is None else base64.b64encode(data).decode()


def test_markers_tell_type_and_coordinator_epoch() -> None:
    seen = set()
    for case in cases("modern"):
        for record in case.jsonl("records.jsonl"):
            if "coordinatorEpoch" not in record:
                continue
            key = KafkaControlRecordKey(stream(base64.b64decode(record["key"])))
            marker = KafkaEndTransactionMarker(stream(base64.b64decode(record["value"])))
            assert (key.version, key.type, key.type.name.upper()) == (0, record["controlTypeId"], record["controlType"])
            assert (marker.version, marker.coordinator_epoch) == (0, record["coordinatorEpoch"])
            assert key.trailing == marker.trailing == b""
            seen.add(record["controlType"])
    assert seen == {"ABORT", "COMMIT"}


def test_every_type_of_control_record_is_named_as_kafka_names_it() -> None:
    seen = {
        (record["controlTypeId"], record["controlType"])
        for case in cases("modern")
        for record in case.jsonl("records.jsonl")
        if "controlType" in record
    }
    types = KafkaControlRecordKey.ControlRecordType
    assert seen == {(kind.value, kind.name.upper()) for kind in types}


@pytest.mark.slow
def test_whole_files_are_parsed_up_to_where_kafka_stops() -> None:
    files = 0
    for case in cases():
        batches = expected_by_file(case, "batches.jsonl")
        for facts in case.jsonl("files.jsonl"):
            path = case.log_dir / facts["file"]
            if "batches" not in facts:
                continue
            expected = batches[facts["file"]]
            if any(batch["magic"] > 2 or is_broken_message(case, batch) for batch in expected):
                continue
            segment = KafkaLogSegment.__new__(KafkaLogSegment)
            parse_to_error(segment, path, expect_error=facts["error"] is not None)
            assert [entry.ofs_entry for entry in segment.entries if entry.is_complete] == [
                batch["position"] for batch in expected
            ]
            whole = sum(LOG_OVERHEAD + entry.len_body for entry in segment.entries if entry.is_complete)
            assert whole == facts.get("iteratedBytes", facts.get("endPosition"))
            files += 1
    assert files > 1000


def parse_to_error(segment: Any, path: Path, *, expect_error: bool) -> None:
    """Run the parser's constructor on an object that keeps the fields read before an error."""
    io = stream(path.read_bytes())
    if expect_error:
        with pytest.raises((ValidationLessThanError, EndOfStreamError)):
            segment.__init__(io)
    else:
        segment.__init__(io)


def test_magic_above_2_is_refused_where_kafkas_consumer_fails() -> None:
    refused = 0
    for case in cases():
        for batch in case.jsonl("batches.jsonl"):
            if batch["magic"] > 2:
                with pytest.raises(ValidationGreaterThanError):
                    entry_at((case.log_dir / batch["file"]).read_bytes(), batch["position"])
                refused += 1
    assert refused >= 6


def test_messages_at_which_kafka_fails_are_refused() -> None:
    refused = 0
    for case in cases():
        for batch in case.jsonl("batches.jsonl"):
            if is_broken_message(case, batch):
                with pytest.raises(EndOfStreamError):
                    entry_at((case.log_dir / batch["file"]).read_bytes(), batch["position"])
                refused += 1
    assert refused == 6
