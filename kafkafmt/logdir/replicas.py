"""Replicas: partitions found more than once, as in copies of several brokers' disks, and the choice of the best one."""

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.findings import FINDING, Finding
from kafkafmt.logdir.epoch_evidence import parting, trusted_epoch
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.partition import Partition

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

_NEIGHBOURS = 3
MOST_OFFSETS = 1 << 31
"""Number of offsets a segment can have: Kafka's LogSegment stores them as int32, relative to the base offset."""

UNREADABLE = (-2, -2)
"""Rank of a replica that cannot be read."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two replicas whose leader-epoch-checkpoints show that they hold different records at the same offsets.

    Attributes:
        best: the better replica.
        other: the other replica.
        offset: the first offset that both have with different leader epochs.
        epochs: leader epochs of that offset in both.
    """

    best: Partition
    other: Partition
    offset: int
    epochs: tuple[int | None, int | None]

    def __str__(self) -> str:
        """The divergence in words, without the path of the other replica."""
        return (
            f"diverged from {self.best.path} at offset {self.offset}: leader epoch {self.epochs[1]} here,"
            f" {self.epochs[0]} there"
        )

    @property
    def finding(self) -> Finding:
        """The finding of the other replica."""
        advice = (
            f"the replicas hold different records from offset {self.offset} on, and Kafka would cut one of them"
            " there: compare them before you delete or start one of them"
        )
        return Finding(
            FINDING,
            "diverged",
            self.other.path,
            str(self),
            advice,
            topic=self.other.topic,
            partition=self.other.partition,
            first_offset=self.offset,
        )


def best(
    found: list[Found],
    broken: Callable[[KafkafmtError], None],
    diverged: Callable[[Divergence], None] | None = None,
) -> tuple[list[Found], list[Partition]]:
    """Keep the replica of each partition with the newest last leader epoch, then the highest log end, then path order.

    An epoch counts only if two batches, or a batch and the leader-epoch-checkpoint, confirm it. As no CRC covers
    offsets either, a log end is ignored if earlier batches, or the same batch in another replica, refute it. Files
    given alone, and directories without a topic and partition in their name, are always kept.

    Args:
        found: the content of the sources.
        broken: called with the fault of a leader-epoch-checkpoint, or of a log that cannot be read; if it returns, the
            epochs of batches count, or any readable replica is better.
        diverged: called with each replica that diverged from the best one.

    Returns:
        The partition directories to read, and those left out.
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
        ranked = _without_refuted_ends(sorted((_Replica.of(each, broken) for each in group), key=_Replica.rank))
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
    """The rank of a replica: the newest last leader epoch, then the log end offset; -1 if unknown.

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
    last: "BatchHeader | None" = None
    last_expected: int | None = None

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
            headers = segments[-1].last_entries(_NEIGHBOURS) if segments else []
            start = segments[-1].base_offset if segments else None
            end, expected = _end_of(headers, start)
            last = headers[-1] if headers else None
            epoch = trusted_epoch(partition, history, last, end)
        except SourceError as error:
            broken(error)
            return cls(found, history, *UNREADABLE)
        return cls(found, history, epoch, -1 if end is None else end, last, expected)

    def rank(self) -> tuple[int, int, str]:
        return -self.epoch, -self.end, self.found.path


def _end_of(headers: "list[BatchHeader]", base_offset: int | None) -> tuple[int | None, int | None]:
    """The end of a log.

    Args:
        headers: headers of its last batches, at most `_NEIGHBOURS`.
        base_offset: base offset of its last segment.

    Returns:
        The log end offset; and the offset that its last batch has if no offset is missing before it, None if the batch
        is out of order and therefore ignored.
    """
    ends = [header.last_offset + 1 for header in headers if header.last_offset is not None]
    if not ends:
        return base_offset, None
    last, before = headers[-1], ends[-2] if len(ends) > 1 else base_offset
    first = last.last_offset if last.base_offset is None else last.base_offset
    if before is None or first is None:
        return ends[-1], None
    if base_offset is not None and ends[-1] - base_offset > MOST_OFFSETS:
        return before, None
    if first >= before:
        return ends[-1], before
    # One of the last two is wrong: the second to last, if the last one continues the third to last.
    return (ends[-1] if len(ends) > 2 and first >= ends[-3] else before), None


def _without_refuted_ends(ranked: "list[_Replica]") -> "list[_Replica]":
    """Rank again if another replica has the best one's last batch at another offset, without a gap before it."""
    winner = ranked[0]
    for other in ranked[1:]:
        last, expected = winner.last, winner.last_expected
        if last is None or expected in (None, last.base_offset) or other.epoch != winner.epoch:
            continue
        same = _batch_at(other.found.partition, expected)
        if same is None or (same.crc, same.size_in_bytes) != (last.crc, last.size_in_bytes):
            continue
        if same.base_offset == expected and same.last_offset is not None:
            winner = replace(winner, end=same.last_offset + 1, last=None)
    return sorted([winner, *ranked[1:]], key=_Replica.rank)


def _batch_at(partition: Partition, offset: int) -> "BatchHeader | None":
    """Header of the batch that a Fetch at an offset begins with; None if there is none, or if damage hides it."""
    with suppress(KafkafmtError):
        place = partition.find_offset(offset)
        for segment in partition.segments:
            if place is not None and segment.file == place.file:
                with segment.open() as file:
                    return next(SegmentReader(file).walk(lambda entry: entry.header(), place.position), None)
    return None


def _divergence(best_one: _Replica, other: _Replica) -> Divergence | None:
    partitions = best_one.found.partition, other.found.partition
    histories = best_one.history, other.history
    offset = parting(*partitions, histories)
    if offset is None:
        return None
    return Divergence(*partitions, offset, (histories[0].at(offset), histories[1].at(offset)))
