"""Fetch of a read_committed consumer: the records left after the skipping that Kafka's consumer does."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkafmt.reference.entry import Entry
from tests import reads
from tests.golden_cases import Case, cases
from tests.serving.wire import Wire, fetched, offset_listed, served
from tests.transactions import Log

# Cases whose consumed partitions are not those of one complete replica.
_OTHERS = ("12-crash", "07-", "07b-", "13b-stray")
CONSUMED = [
    case
    for case in cases("modern")
    if case.jsonl("read_committed.jsonl")
    and not case.name.startswith(_OTHERS)
    and (case.log_dir / "meta.properties").exists()
]
ABORT = 0


def consumed(wire: Wire, topic: str, partition: int, **asked: int) -> list[int]:
    """Offsets of the records that a consumer delivers if it skips as `CompletedFetch` does."""
    offset = offset_listed(wire, topic, partition, -2)["Offset"]
    delivered = []
    while True:
        answer = fetched(wire, topic, partition, offset, isolation=1, **asked)
        assert answer["ErrorCode"] == 0
        coming = deque(
            sorted((each["FirstOffset"], each["ProducerId"]) for each in answer["AbortedTransactions"] or ())
        )
        aborted = set()
        begin = offset
        for entry in entries(bytes(answer["Records"] or b"")):
            header = entry.header()
            records = list(entry.records())
            offset = max(offset, (header.last_offset or 0) + 1)
            while coming and coming[0][0] <= (header.last_offset or 0):
                aborted.add(coming.popleft()[1])
            if header.is_control_batch:
                if records and records[0].control_type_id == ABORT:
                    aborted.discard(header.producer_id)
            elif not (header.is_transactional and header.producer_id in aborted):
                delivered += [record.offset for record in records if record.offset >= begin]
        if offset == begin:
            return delivered


def entries(data: bytes) -> Iterator[Entry]:
    position = 0
    while position < len(data):
        size = 12 + int.from_bytes(data[position + 8 : position + 12], "big")
        yield Entry(data[position : position + size])
        position += size


@pytest.mark.parametrize("most", [1, 2**20], ids=["batch by batch", "at once"])
@pytest.mark.parametrize("case", CONSUMED, ids=str)
def test_the_records_are_those_that_a_real_consumer_got(case: Case, most: int) -> None:
    with served(case.log_dir) as wire:
        for answer in case.jsonl("read_committed.jsonl"):
            expected = [offset for first, last in answer["offsetRanges"] for offset in range(first, last + 1)]
            assert consumed(wire, answer["topic"], answer["partition"], PartitionMaxBytes=most) == expected, answer


@pytest.mark.parametrize("most", [1, 2**20], ids=["batch by batch", "at once"])
def test_open_transactions_are_left_out_where_they_count_as_aborted(tmp_path: Path, most: int) -> None:
    log = Log()
    log.data(1, 2)  # 0
    log.data(2)  # 2
    log.abort(1)  # 3
    log.data(1)  # 4
    log.data()  # 5
    log.data(2)  # 6
    log.commit(1)  # 7
    log.data(count=2)  # 8
    log.write(tmp_path / "t-0")
    with served(tmp_path) as wire:
        assert offset_listed(wire, "t", 0, -1, isolation=1)["Offset"] == 2
        assert consumed(wire, "t", 0, PartitionMaxBytes=most) == []
    with served(tmp_path, open_transactions="abort") as wire:
        assert offset_listed(wire, "t", 0, -1, isolation=1)["Offset"] == 10
        assert consumed(wire, "t", 0, PartitionMaxBytes=most) == [4, 5, 8, 9]


def test_aborted_transactions_are_named_up_to_the_next_entry_of_the_offset_index(tmp_path: Path) -> None:
    log = Log()
    for _ in range(4):
        log.data(1)
        log.abort(1)
    partition = log.write(tmp_path / "t-0")
    sizes = [len(each.content) for each in log.batches]

    def named() -> list[int]:
        with served(tmp_path) as wire:
            answer = fetched(wire, "t", 0, 0, isolation=1, PartitionMaxBytes=sizes[0])
            assert bytes(answer["Records"]) == log.batches[0].content
            return [each["FirstOffset"] for each in answer["AbortedTransactions"]]

    assert named() == [0]
    reads.index(partition / f"{0:020d}.log", (4, sum(sizes[:4])))
    assert named() == [0, 2]
    reads.index(partition / f"{0:020d}.log")
    assert named() == [0, 2, 4, 6]
