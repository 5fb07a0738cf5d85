"""Replicas: a partition found more than once, as in the copies of several brokers, and which copy is the best."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir.leader_epochs import EpochHistory, parting, trusted_epoch
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.sources import Found

UNREADABLE = (-2, -2)
"""Standing of a replica that cannot be read."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two replicas whose leader-epoch-checkpoints show that they hold different records at the same offsets.

    Attributes:
        best: the better replica.
        other: the other one.
        offset: the first offset that both have, with different leader epochs.
        epochs: leader epoch of that offset in both.
    """

    best: Partition
    other: Partition
    offset: int
    epochs: tuple[int | None, int | None]

    def __str__(self) -> str:
        """Say so, without the path of the other replica."""
        return (
            f"diverged from {self.best.path} at offset {self.offset}: leader epoch {self.epochs[1]} here,"
            f" {self.epochs[0]} there"
        )


def best(
    found: list[Found],
    broken: Callable[[KafkafmtError], None],
    diverged: Callable[[Divergence], None] | None = None,
) -> tuple[list[Found], list[Partition]]:
    """Keep of each partition the replica with the newest last leader epoch, then the highest log end, then path order.

    An epoch counts only if a batch and the leader-epoch-checkpoint, or two batches, show it. Files named by themselves,
    and directories without a topic and partition in their name, are kept always.

    Args:
        found: what the sources hold.
        broken: called with what is wrong with a leader-epoch-checkpoint, or with a log that cannot be read; if it
            returns, the batches' epochs count, or any replica that can be read is better.
        diverged: called with each replica that diverged from the best one.

    Returns:
        What to read, and the partition directories left out.
    """
    replicas: dict[tuple[str, int], list[Found]] = defaultdict(list)
    kept = []
    for each in found:
        partition = each.partition
        if each.file is not None or partition.topic is None or partition.partition is None:
            kept.append(each)
        else:
            replicas[partition.topic, partition.partition].append(each)
    skipped = []
    for group in replicas.values():
        if len(group) == 1:
            kept += group
            continue
        ranked = sorted((_Replica.of(each, broken) for each in group), key=_Replica.rank)
        kept.append(ranked[0].found)
        skipped += [each.found.partition for each in ranked[1:]]
        if diverged is not None:
            for other in ranked[1:]:
                divergence = _divergence(ranked[0], other)
                if divergence is not None:
                    diverged(divergence)
    skipped.sort(key=lambda partition: (partition.topic or "", partition.partition or 0, partition.path))
    return kept, skipped


def standing(partition: Partition, broken: Callable[[KafkafmtError], None]) -> tuple[int, int]:
    """What decides between replicas: the newest last leader epoch, then the log end offset; -1 for what is unknown.

    Args:
        partition: one replica.
        broken: as for `best`.

    Returns:
        `UNREADABLE` where the log cannot be read.
    """
    replica = _Replica.of(Found(partition), broken)
    return replica.epoch, replica.end


@dataclass(frozen=True, slots=True)
class _Replica:
    found: Found
    history: EpochHistory
    epoch: int
    end: int

    @classmethod
    def of(cls, found: Found, broken: Callable[[KafkafmtError], None]) -> "_Replica":
        partition = found.partition
        try:
            history = EpochHistory(partition.leader_epochs)
        except KafkafmtError as error:
            broken(error)
            history = EpochHistory(())
        try:
            segments = partition.segments
            last = segments[-1].last_entry() if segments else None
            end = segments[-1].base_offset if segments else None
            if last is not None and last.last_offset is not None:
                end = last.last_offset + 1
            epoch = trusted_epoch(partition, history, last, end)
        except SourceError as error:
            broken(error)
            return cls(found, history, *UNREADABLE)
        return cls(found, history, epoch, -1 if end is None else end)

    def rank(self) -> tuple[int, int, str]:
        return -self.epoch, -self.end, self.found.path


def _divergence(best_one: _Replica, other: _Replica) -> Divergence | None:
    partitions = best_one.found.partition, other.found.partition
    histories = best_one.history, other.history
    offset = parting(*partitions, histories)
    if offset is None:
        return None
    return Divergence(*partitions, offset, (histories[0].at(offset), histories[1].at(offset)))
