"""Compares what Kafka's UnifiedLog says about transactions and leader epochs with `PartitionTransactions`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kafkafmt.logdir import Partition
from kafkafmt.logdir.partition_transactions import PartitionTransactions
from kafkafmt.logdir.recovery import loaded_history


def differences(answer: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    """Compare stable offsets, producers, epochs and aborted transactions of a log that ends at several offsets.

    Args:
        answer: answer of TransactionalReads.java.
        scratch: directory of the logs that it left.
    """
    directory = scratch / f"reads-{answer['name']}" / "topic-0"
    _remove_stray_snapshots(directory)
    partition = Partition(directory)
    for view in answer["views"]:
        for each in _of_view(view, partition, is_modern=answer["isModern"]):
            yield f"of a log that ends at {view['end']}, {each}"


def _remove_stray_snapshots(directory: Path) -> None:
    """Leave the snapshots that Kafka leaves when it opens a log (`ProducerStateManager.removeStraySnapshots`).

    Kafka cut the log after that, where kafkafmt reads the whole one as of an earlier end, and may use them all.
    """
    *earlier, _ = [None, *sorted(directory.glob("*.snapshot"))]
    for path in earlier:
        if path is not None and not path.with_suffix(".log").exists():
            path.unlink()


def _of_view(view: Mapping[str, Any], partition: Partition, *, is_modern: bool) -> Iterator[str]:
    start, end = view["start"], view["end"]
    found = PartitionTransactions(partition, start, end)
    begins_in_old_format = not is_modern and any(each.first_offset < start for each in found.open_transactions())
    if found.last_stable_offset() != view["stable"] and not begins_in_old_format:
        yield f"the last stable offset is {view['stable']}, ours {found.last_stable_offset()}"
    producers = [
        [
            *(each.producer_id, each.producer_epoch, each.last_sequence if each.has_batch else -1, each.timestamp),
            *(each.coordinator_epoch, -1 if each.current_txn_first_offset is None else each.current_txn_first_offset),
        ]
        for each in found.producers()
    ]
    if is_modern and producers != sorted(view["producers"]):
        yield f"the producers are {sorted(view['producers'])}, ours {producers}"
    history = loaded_history(partition, start, end)
    for epoch, *expected in view["epochs"]:
        if list(history.end_of(epoch, end)) != expected:
            yield f"epoch {epoch} ends at {expected}, ours at {history.end_of(epoch, end)}"
    for read in view["reads"]:
        aborted = [[each.producer_id, each.first_offset] for each in found.aborted(read["offset"], read["upperBound"])]
        if aborted != read["aborted"]:
            bounds = f"{read['offset']} to {read['upperBound']}"
            yield f"the aborted transactions of {bounds} are {read['aborted']}, ours {aborted}"
