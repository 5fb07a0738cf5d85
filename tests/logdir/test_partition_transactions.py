"""Last stable offsets and aborted transactions by snapshots and indexes, compared with a walk over the whole log."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from kafkafmt.logdir import sources
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.logdir.transaction_plan import TransactionPlanner
from tests.golden_cases import Case, cases

WITH_PRODUCERS = [case for case in cases("modern") if case.has("producers.json")]
# The snapshot at 27 has a transaction open since 24, all of whose data the cleaner has removed.
EMPTIED = {"modern-05-compacted-3.9.1 comp-txn-0", "modern-05-compacted-4.3.1 comp-txn-0"}


def partitions(case: Case) -> Iterator[Partition]:
    for found in sources.find(case.log_dir):
        if found.partition.segments:
            yield found.partition


def bounds(partition: Partition) -> tuple[int, int]:
    start, end = partition.log_start_offset, partition.log_end_offset
    assert start is not None
    assert end is not None
    return start, end


def walked(partition: Partition, end: int) -> tuple[int | None, list[tuple[int, int, int]]]:
    """The last stable offset and the aborted transactions by all batches up to an offset."""
    found = TransactionPlanner(partition.segments, end, end, "skip").plan().transactions
    return found.last_stable_offset, found.aborted


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_answers_are_those_of_a_walk_over_the_log(case: Case) -> None:
    chance = random.Random(31)
    for partition in partitions(case):
        start, end = bounds(partition)
        for at in {end, *(chance.randint(start, end) for _ in range(3))}:
            stable, aborted = walked(partition, at)
            if f"{case} {partition.name}" in EMPTIED and 24 <= at < 54:
                continue
            found = PartitionTransactions(partition, start, at)
            assert found.last_stable_offset() == (at if stable is None else max(stable, start)), (partition, at)
            for _ in range(8):
                begin, until = sorted((chance.randint(start, at), chance.randint(start, at)))
                expected = [each for each in aborted if each[2] >= begin and each[1] < until and begin < until]
                given = found.aborted(begin, until)
                assert sorted(given) == sorted(expected), (partition, at, begin, until)
                assert [each.last_offset for each in given] == sorted(each.last_offset for each in given)


@pytest.mark.parametrize("case", WITH_PRODUCERS, ids=str)
def test_the_producers_are_those_of_describe_producers(case: Case) -> None:
    expected: dict[str, Any] = json.loads((case.expected / "producers.json").read_text())
    recovered = case.log_dir / "recovered"
    found: dict[str, list[Any]] = {}
    for each in sources.find(recovered if recovered.exists() else case.log_dir):
        if each.partition.name in expected and each.partition.segments:
            entries = PartitionTransactions(each.partition, *bounds(each.partition)).producers()
            found.setdefault(each.partition.name, []).append(
                [
                    {
                        "producerId": entry.producer_id,
                        "producerEpoch": entry.producer_epoch,
                        "lastSequence": entry.last_sequence,
                        "lastTimestamp": entry.timestamp,
                        "currentTransactionStartOffset": entry.current_txn_first_offset,
                        "coordinatorEpoch": None if entry.coordinator_epoch == -1 else entry.coordinator_epoch,
                    }
                    for entry in entries
                ]
            )
    for name, entries in expected.items():
        assert sorted(entries, key=lambda entry: entry["producerId"]) in found[name]
