"""Last stable offsets and aborted transactions by snapshots and indexes, compared with a walk over the whole log."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.logdir import sources
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.logdir.transaction_plan import TransactionPlanner
from tests import reads
from tests.golden_cases import Case, TierCase, cases, tier_case, tier_cases

WITH_PRODUCERS = [case for case in cases("modern") if case.has("producers.json")]
# The only snapshots are at the log start: the broker that answered had the state in memory; a start deletes them.
FORGOTTEN = {"modern-06-retention-3.9.1": {"all-gone-0"}, "modern-06-retention-4.3.1": {"all-gone-0"}}
# The snapshot at 27 has a transaction open since 24, all of whose data the cleaner has removed.
EMPTIED = {"modern-05-compacted-3.9.1 comp-txn-0", "modern-05-compacted-4.3.1 comp-txn-0"}


def partitions(case: Case) -> Iterator[Partition]:
    for found in sources.search(case.log_dir).found:
        # An index may know what a flipped base offset hides from a walk.
        if found.partition.segments and found.partition.name != "crash-flip-offset-0":
            yield found.partition


def bounds(partition: Partition) -> tuple[int, int]:
    return partition.log_start_offset or 0, partition.log_end_offset or 0


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
            if not (f"{case} {partition.name}" in EMPTIED and 24 <= at < 54):
                assert_as_walked(partition, start, at, chance)


@pytest.mark.parametrize("has_disk", [True, False])
@pytest.mark.parametrize("case", tier_cases(), ids=str)
def test_the_answers_of_a_tier_are_those_of_a_walk(case: TierCase, has_disk: bool) -> None:
    places = [case.log_dir, case.tier] if has_disk else [case.tier]
    for partition in kafkafmt.open(places, decryption_keys=case.keys).partitions:
        if partition.segments:
            assert_as_walked(partition, *bounds(partition), random.Random(31))


def test_a_remote_segment_with_a_damaged_index_is_walked_from_the_snapshot_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = tier_case(9)
    tier = shutil.copytree(case.tier, tmp_path / "tier")
    (damaged,) = tier.rglob(f"{468:020d}-*.txnindex")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    (partition,) = (each for each in kafkafmt.open([case.log_dir, tier]).partitions if each.name == "payments.v1-0")
    found = PartitionTransactions(partition, *bounds(partition))
    seen = reads.record(monkeypatch)
    assert found.aborted(468, 626)
    assert {name[:20] for name in seen if name.endswith(".log")} == {f"{468:020d}"}
    monkeypatch.undo()
    assert_as_walked(partition, *bounds(partition), random.Random(31))


def assert_as_walked(partition: Partition, start: int, end: int, chance: random.Random) -> None:
    stable, aborted = walked(partition, end)
    found = PartitionTransactions(partition, start, end)
    assert found.last_stable_offset() == (end if stable is None else stable), (partition, end)
    for _ in range(8):
        begin, until = sorted((chance.randint(start, end), chance.randint(start, end)))
        expected = [each for each in aborted if each[2] >= begin and each[1] < until and begin < until]
        given = found.aborted(begin, until)
        assert given == sorted(expected, key=lambda each: each[2]), (partition, end, begin, until)


@pytest.mark.parametrize("case", WITH_PRODUCERS, ids=str)
def test_the_producers_are_those_of_describe_producers(case: Case) -> None:
    expected: dict[str, Any] = json.loads((case.expected / "producers.json").read_text())
    recovered = case.log_dir / "recovered"
    found: dict[str, list[Any]] = {}
    for each in sources.search(recovered if recovered.exists() else case.log_dir).found:
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
    other = {
        name
        for name, entries in expected.items()
        if sorted(entries, key=lambda entry: entry["producerId"]) not in found[name]
    }
    assert other == FORGOTTEN.get(str(case), set())
