"""Leader epochs: the epoch of each offset, the end of each epoch, and where replicas diverged."""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import leader_epoch_checkpoint
from kafkafmt.files import segment as segment_file
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

UNKNOWN = -1
"""The leader epoch of a batch whose format has none (v0 and v1), or of a log that shows none."""

UNDEFINED = (-1, -1)
"""Epoch and end offset in the answer to an OffsetForLeaderEpoch where the leader does not know the epoch."""

_MOST_WITNESSES = 1024


class EpochHistory:
    """The leader epochs of one replica, as Kafka takes them from its leader-epoch-checkpoint.

    Args:
        entries: of the checkpoint. As in Kafka's `LeaderEpochFileCache.assign`, an entry removes those before it whose
            epoch or start offset is not lower.

    Attributes:
        entries: those that count; epochs and start offsets rise. Negative ones, on which Kafka throws, do not.
    """

    def __init__(self, entries: Iterable[EpochEntry]) -> None:
        kept: list[EpochEntry] = []
        for entry in entries:
            if entry.is_refused:
                continue
            if kept and kept[-1].epoch == entry.epoch and kept[-1].start_offset <= entry.start_offset:
                continue
            while kept and (kept[-1].epoch >= entry.epoch or kept[-1].start_offset >= entry.start_offset):
                kept.pop()
            kept.append(entry)
        self.entries = tuple(kept)
        self._starts = [entry.start_offset for entry in kept]

    def at(self, offset: int) -> int | None:
        """Leader epoch of an offset; None where the checkpoint does not say, as below its first entry."""
        number = bisect_right(self._starts, offset)
        return self.entries[number - 1].epoch if number else None

    @property
    def latest(self) -> int | None:
        """The newest leader epoch, or None."""
        return self.entries[-1].epoch if self.entries else None

    def end_of(self, epoch: int, log_end: int) -> tuple[int, int]:
        """The leader's answer to an OffsetForLeaderEpoch (`LeaderEpochFileCache.endOffsetFor`).

        Args:
            epoch: the requested leader epoch.
            log_end: log end offset.

        Returns:
            The largest known epoch that is not above the requested one, and the offset at which it ends. Of an epoch
            below all known ones it is that epoch, and the start offset of the first known one. `UNDEFINED` of a
            negative epoch, and of one above all known ones.
        """
        if epoch < 0:
            return UNDEFINED
        if epoch == self.latest:
            return epoch, log_end
        number = bisect_right(self.entries, epoch, key=lambda entry: entry.epoch)
        if number == len(self.entries):
            return UNDEFINED
        return self.entries[number - 1].epoch if number else epoch, self.entries[number].start_offset

    def within(self, start: int, end: int) -> "EpochHistory":
        """The epochs that Kafka keeps when it loads a log: none that begin at or after its end.

        The epoch in force at the log start begins there (`LeaderEpochFileCache.truncateFromStart`).

        Args:
            start: log start offset.
            end: log end offset.
        """
        kept = [entry for entry in self.entries if entry.start_offset < end]
        below = [EpochEntry(entry.epoch, start) for entry in kept if entry.start_offset <= start]
        return EpochHistory([*below[-1:], *(entry for entry in kept if entry.start_offset > start)])

    def led_in(self, epoch: int, log_end: int) -> "EpochHistory":
        """The same in a log whose leader has an epoch, which begins at the log end if no batch of it is there.

        Args:
            epoch: the current leader epoch.
            log_end: log end offset.
        """
        if self.latest is not None and epoch <= self.latest:
            return self
        return EpochHistory([*self.entries, EpochEntry(epoch, log_end)])

    def parting(self, before: "EpochHistory", end: int) -> int | None:
        """The first offset below an end that has another leader epoch here than in an older history; None if none."""
        if not self.entries or not before.entries:
            return None
        begin = max(self.entries[0].start_offset, before.entries[0].start_offset)
        starts = {begin, *(entry.start_offset for entry in (*self.entries, *before.entries))}
        return next((at for at in sorted(starts) if begin <= at < end and self.at(at) != before.at(at)), None)


def history_beside(
    segment: "Segment", refused: Callable[[KafkafmtError], None] = lambda _: None
) -> EpochHistory | None:
    """Read the leader-epoch-checkpoint beside a log file; None if there is none, or it cannot be read.

    It says nothing of files that are no part of the log: raft snapshots, deleted and half-cleaned segments.

    Args:
        segment: the log file.
        refused: called if Kafka does not start with the checkpoint, though it can be read.
    """
    if not segment.is_live:
        return None
    place = segment.location.sibling("leader-epoch-checkpoint")
    with suppress(KafkafmtError):
        if place.is_file():
            found = leader_epoch_checkpoint.read(place)
            if found.refusal is not None:
                refused(found.refusal)
            return EpochHistory(found.entries)
    return None


def trusted_epoch(
    partition: "Partition", history: EpochHistory, last: "BatchHeader | None", log_end: int | None
) -> int:
    """The newest leader epoch of a replica that more than one batch, or a batch and the checkpoint, show; -1 if none.

    As when Kafka loads a log, entries of the checkpoint that begin past its end are left out.

    Args:
        partition: the replica.
        history: of its leader-epoch-checkpoint; without entries if there is none.
        last: header of the last sound batch in its last segment, or None.
        log_end: where its log ends, or None for a directory without segments.

    Raises:
        SourceError: a segment cannot be read.
    """
    entries = [entry for entry in history.entries if log_end is None or entry.start_offset <= log_end]
    newest = entries[-1] if entries else None
    shown = UNKNOWN if last is None else last.partition_leader_epoch
    if newest is not None and (shown in (newest.epoch, UNKNOWN) or newest.start_offset == log_end):
        return newest.epoch
    if last is not None and shown == UNKNOWN:
        return UNKNOWN
    # Rare: there is no checkpoint, or it contradicts the last batch. So the batches before that decide.
    seen: Counter[int] = Counter()
    for segment in reversed(partition.segments):
        with segment.open() as file:
            headers = deque(segment_file.sound_headers(file, name=segment.file), _MOST_WITNESSES)
        for header in reversed(headers):
            epoch = header.partition_leader_epoch
            seen[epoch] += 1
            if epoch >= 0 and (seen[epoch] > 1 or _confirms(history, header)):
                return epoch
    return UNKNOWN


def parting(one: "Partition", other: "Partition", histories: "Sequence[EpochHistory]") -> int | None:
    """The first offset that two replicas both have with different leader epochs, by their checkpoints; None if none.

    An epoch can begin later in one of them where compaction removed its first records; so both must have a batch where
    their checkpoints differ.

    Args:
        one: a replica.
        other: another replica of the same partition.
        histories: of both.
    """
    first, second = histories
    if not first.entries or not second.entries:
        return None
    try:
        starts = [each for each in (one.log_start_offset, other.log_start_offset) if each is not None]
        ends = [each for each in (one.log_end_offset, other.log_end_offset) if each is not None]
    except KafkafmtError:
        return None  # unreadable files are reported where they are read for their own sake
    if len(starts) < 2 or len(ends) < 2:
        return None
    begin, end = max(*starts, first.entries[0].start_offset, second.entries[0].start_offset), min(ends)
    bounds = sorted({begin, end, *(entry.start_offset for entry in (*first.entries, *second.entries))})
    for start, stop in pairwise(bounds):
        differs = begin <= start < end and first.at(start) != second.at(start)
        if differs and all(_has_batch(each, start, stop) for each in (one, other)):
            return start
    return None


def _confirms(history: EpochHistory, header: "BatchHeader") -> bool:
    return header.base_offset is not None and history.at(header.base_offset) == header.partition_leader_epoch


def _has_batch(partition: "Partition", start: int, stop: int) -> bool:
    """Whether there is a batch at these offsets; assumed where damage hides it."""
    try:
        found = partition.find_offset(start)
    except KafkafmtError:
        return True
    return found is not None and found.base_offset < stop
