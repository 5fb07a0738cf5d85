"""Fetch: the batches of golden disks byte for byte, as Kafka's own classes list them."""

from collections import defaultdict
from typing import Any

import pytest

from kafkafmt.protocol.error_codes import ErrorCode
from tests.golden_cases import Case, cases
from tests.scanning.test_scan_golden import topic_partition
from tests.serving.wire import Wire, fetched, offset_listed, served

Batch = dict[str, Any]

# Cases whose batches are not those of one complete replica: damaged, several nodes, running, strays.
_OTHERS = ("12-crash", "07-", "07b-", "10b-", "14-running", "13b-stray", "05b-", "05c-", "06-")
WHOLE = [case for case in cases("modern") if not case.name.startswith(_OTHERS)]
LEGACY = [case for case in cases("legacy") if not any(word in case.name for word in ("odd", "damaged"))]
_SET_ASIDE = ("-delete", "-stray", "-future")


def stored(case: Case) -> dict[tuple[str, int], list[Batch]]:
    """The batches of live segments by partition, in order."""
    found: dict[tuple[str, int], list[Batch]] = defaultdict(list)
    for batch in case.jsonl("batches.jsonl"):
        directory, _, name = batch["file"].rpartition("/")
        topic, partition = topic_partition(directory.rpartition("/")[2])
        if directory.endswith(_SET_ASIDE):
            continue
        if name.endswith(".log") and topic is not None and partition is not None and topic != "__cluster_metadata":
            found[topic, partition].append(batch)
    return found


def data_of(case: Case, batch: Batch) -> bytes:
    with (case.log_dir / batch["file"]).open("rb") as file:
        file.seek(batch["position"])
        data: bytes = file.read(batch["sizeInBytes"])
    return data


def read_all(wire: Wire, topic: str, partition: int, offset: int, **asked: Any) -> bytes:
    """All records of a partition, read by repeated Fetches."""
    data = b""
    while True:
        answer = fetched(wire, topic, partition, offset, **asked)
        assert answer["ErrorCode"] == 0, ErrorCode(answer["ErrorCode"])
        records = bytes(answer["Records"] or b"")
        if not records:
            return data
        data += records
        offset = end_of(records)


def end_of(records: bytes) -> int:
    """The offset after the last entry of some records."""
    position = after = 0
    while position < len(records):
        base = int.from_bytes(records[position : position + 8], "big")
        size = int.from_bytes(records[position + 8 : position + 12], "big")
        is_batch = records[position + 16] == 2
        after = base + 1 + (int.from_bytes(records[position + 23 : position + 27], "big") if is_batch else 0)
        position += 12 + size
    return after


@pytest.mark.parametrize("most", [1, 2**20], ids=["batch by batch", "at once"])
@pytest.mark.parametrize("case", [*WHOLE, *LEGACY], ids=str)
def test_golden_batches_come_byte_for_byte(case: Case, most: int) -> None:
    partitions = stored(case)
    compared = 0
    with served(case.log_dir) as wire:
        for (topic, partition), batches in partitions.items():
            start = offset_listed(wire, topic, partition, -2)["Offset"]
            wanted = b"".join(data_of(case, batch) for batch in batches if batch["lastOffset"] >= start)
            assert read_all(wire, topic, partition, start, PartitionMaxBytes=most) == wanted
            compared += len(wanted)
    assert compared


def test_offset_inside_a_batch_begins_with_that_batch() -> None:
    case = next(case for case in WHOLE if case.name.startswith("01-codecs-4"))
    compared = 0
    with served(case.log_dir) as wire:
        for (topic, partition), batches in stored(case).items():
            for batch in batches[:5]:
                for offset in {batch["baseOffset"], batch["lastOffset"]}:
                    answer = fetched(wire, topic, partition, offset, PartitionMaxBytes=1)
                    assert bytes(answer["Records"]) == data_of(case, batch)
                    compared += 1
    assert compared


def test_offsets_outside_the_log_are_refused() -> None:
    case = WHOLE[0]
    topic, partition = next(iter(stored(case)))
    with served(case.log_dir) as wire:
        end = offset_listed(wire, topic, partition, -1)["Offset"]
        assert fetched(wire, topic, partition, end)["Records"] == b""
        for offset in (end + 1, -1):
            assert fetched(wire, topic, partition, offset)["ErrorCode"] == ErrorCode.OFFSET_OUT_OF_RANGE
        assert fetched(wire, topic, 9999, 0)["ErrorCode"] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_limits_hold_for_all_but_the_first_batch_of_an_answer() -> None:
    case = next(case for case in WHOLE if case.name.startswith("01-codecs-4"))
    names = [key for key, batches in stored(case).items() if len(batches) > 1][:3]
    topics = [
        {"Topic": topic, "Partitions": [{"Partition": partition, "FetchOffset": 0, "PartitionMaxBytes": 1}]}
        for topic, partition in names
    ]
    with served(case.log_dir) as wire:
        answer = wire.ask("Fetch", {"MaxWaitMs": 0, "MaxBytes": 2**20, "IsolationLevel": 0, "Topics": topics}, 12)
    sizes = [len(each["Partitions"][0]["Records"]) for each in answer["Responses"]]
    assert sizes[0] == stored(case)[names[0]][0]["sizeInBytes"]
    assert sizes[1:] == [0] * (len(names) - 1)
