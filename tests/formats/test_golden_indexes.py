"""The specs of the indexes and of the producer snapshot, on every golden file, against Kafka's own readings."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import crc32c
import pytest
from kafkafmt_specs.kafka_offset_index import KafkaOffsetIndex
from kafkafmt_specs.kafka_producer_snapshot import KafkaProducerSnapshot
from kafkafmt_specs.kafka_time_index import KafkaTimeIndex
from kafkafmt_specs.kafka_transaction_index import KafkaTransactionIndex

from tests.golden_cases import Case, cases


def indexed(case: Case) -> dict[str, list[Any]]:
    """Entries by file as Kafka's classes read them, without any zeros after the last one."""
    by_file: dict[str, list[Any]] = defaultdict(list)
    for line in case.jsonl("index_entries.jsonl"):
        by_file[line["file"]] = line["entries"]
    for line in case.jsonl("index.jsonl"):
        by_file[line["file"]].append({name: line[name] for name in line if name not in ("file", "n")})
    return by_file


def base_offset(file: str) -> int:
    return int(file.rsplit("/", 1)[-1].split(".", maxsplit=1)[0])


def entries(file: str, case: Case) -> list[Any]:
    """Entries as the spec reads them, in the words of the expected results."""
    base, path = base_offset(file), case.log_dir / file
    if ".timeindex" in file:
        found = [
            {"timestamp": entry.timestamp, "offset": base + entry.relative_offset}
            for entry in KafkaTimeIndex.from_bytes(path.read_bytes()).entries
        ]
    elif ".txnindex" in file:
        return [
            {
                "version": entry.version,
                "producerId": entry.producer_id,
                "firstOffset": entry.first_offset,
                "lastOffset": entry.last_offset,
                "lastStableOffset": entry.last_stable_offset,
            }
            for entry in KafkaTransactionIndex.from_bytes(path.read_bytes()).entries
        ]
    else:
        found = [
            {"offset": base + entry.relative_offset, "position": entry.ofs_entry}
            for entry in KafkaOffsetIndex.from_bytes(path.read_bytes()).entries
        ]
    return found if case.family == "legacy" else [list(entry.values()) for entry in found]


@pytest.mark.parametrize("case", cases(), ids=str)
def test_entries_are_those_that_kafka_reads(case: Case) -> None:
    for file, expected in indexed(case).items():
        found = entries(file, case)
        if expected and isinstance(expected[0], dict):
            found = [{name: entry[name] for name in expected[0]} for entry in found]
        assert found[: len(expected)] == expected
        zero = base_offset(file)
        zeros = ([0, zero], [zero, 0], {"timestamp": 0, "offset": zero}, {"offset": zero, "position": 0})
        assert all(entry in zeros for entry in found[len(expected) :])


def test_the_golden_entries_are_many_and_of_all_kinds() -> None:
    counts: Counter[str] = Counter()
    for case in cases():
        for file, expected in indexed(case).items():
            counts[Path(file).suffixes[0]] += len(expected)
    assert counts.keys() >= {".index", ".timeindex", ".txnindex"}
    assert all(counts[kind] > 100 for kind in (".index", ".timeindex", ".txnindex"))


def producers(snapshot: Any) -> list[dict[str, Any]]:
    return [
        {
            "producerId": producer.producer_id,
            "producerEpoch": producer.epoch,
            "coordinatorEpoch": producer.coordinator_epoch,
            "lastTimestamp": producer.timestamp,
            "lastSeq": producer.last_sequence,
            "lastDataOffset": producer.last_offset,
            "lastOffsetDelta": producer.offset_delta,
            "currentTxnFirstOffset": (
                None if producer.current_txn_first_offset == -1 else producer.current_txn_first_offset
            ),
        }
        for producer in snapshot.producers
    ]


def flattened(case: Case) -> dict[str, list[dict[str, Any]]]:
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in case.jsonl("snapshots.jsonl"):
        by_file[line["file"]].append({name: line[name] for name in line if name not in ("file", "n")})
    for line in case.jsonl("producer_snapshots.jsonl"):
        for producer in line["producers"]:
            batches = producer["batchMetadata"]
            last = batches[-1] if batches else {"lastSeq": -1, "lastOffset": -1, "offsetDelta": 0}
            by_file[line["file"]].append(
                {name: producer[name] for name in producer if name != "batchMetadata"}
                | {
                    "lastSeq": last["lastSeq"],
                    "lastDataOffset": last["lastOffset"],
                    "lastOffsetDelta": last["offsetDelta"],
                }
            )
    return by_file


@pytest.mark.parametrize("case", cases(), ids=str)
def test_snapshots_hold_the_producers_that_kafka_reads(case: Case) -> None:
    for file, wanted in flattened(case).items():
        found = producers(KafkaProducerSnapshot.from_bytes((case.log_dir / file).read_bytes()))
        assert sorted(found, key=lambda producer: producer["producerId"]) == sorted(
            wanted, key=lambda producer: producer["producerId"]
        )


@pytest.mark.parametrize("case", cases(), ids=str)
def test_crc_of_a_snapshot_covers_its_producers(case: Case) -> None:
    for path in case.files("*.snapshot", "*.snapshot.*"):
        snapshot = KafkaProducerSnapshot.from_bytes(path.read_bytes())
        assert (snapshot.version, snapshot.trailing) == (1, b"")
        assert crc32c.crc32c(snapshot.crc_input) == snapshot.crc
        assert len(snapshot.crc_input) == 4 + 46 * snapshot.num_producers
