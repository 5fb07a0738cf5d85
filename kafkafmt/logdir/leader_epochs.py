"""Leader epochs of a log: the epoch of each offset, and the end of each epoch."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import leader_epoch_checkpoint
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry

if TYPE_CHECKING:
    from kafkafmt.logdir.segment import Segment

UNKNOWN = -1
"""Leader epoch of a batch whose format has none (v0 and v1), or of a log without any."""

UNDEFINED = (-1, -1)
"""Epoch and end offset in an OffsetForLeaderEpoch response, where the leader does not know the epoch."""


class EpochHistory:
    """The leader epochs of one replica, as Kafka takes them from its leader-epoch-checkpoint.

    Args:
        entries: entries of the checkpoint. As in Kafka's `LeaderEpochFileCache.assign`, an entry removes earlier ones
            whose epoch or start offset is not lower.

    Attributes:
        entries: entries in force, with rising epochs and start offsets; without negative ones, on which Kafka throws.
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
        """Leader epoch of an offset; None if the checkpoint does not cover it, as below its first entry."""
        number = bisect_right(self._starts, offset)
        return self.entries[number - 1].epoch if number else None

    @property
    def latest(self) -> int | None:
        """The newest leader epoch, or None."""
        return self.entries[-1].epoch if self.entries else None

    def end_of(self, epoch: int, log_end: int) -> tuple[int, int]:
        """The leader's response to an OffsetForLeaderEpoch request (`LeaderEpochFileCache.endOffsetFor`).

        Args:
            epoch: the requested leader epoch.
            log_end: log end offset.

        Returns:
            The largest known epoch that is not above the requested one, and the offset at which it ends. For an epoch
            below all known ones: that epoch, and the start offset of the first known one. `UNDEFINED` for a
            negative epoch, and for one above all known ones.
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
        """The epochs that Kafka keeps when it loads a log, without those that begin at or after the log end.

        The epoch in force at the log start offset begins there (`LeaderEpochFileCache.truncateFromStart`).

        Args:
            start: log start offset.
            end: log end offset.
        """
        kept = [entry for entry in self.entries if entry.start_offset < end]
        below = [EpochEntry(entry.epoch, start) for entry in kept if entry.start_offset <= start]
        return EpochHistory([*below[-1:], *(entry for entry in kept if entry.start_offset > start)])

    def led_in(self, epoch: int, log_end: int) -> "EpochHistory":
        """The history with the leader's current epoch, which begins at the log end if no batch has that epoch yet.

        Args:
            epoch: the current leader epoch.
            log_end: log end offset.
        """
        if self.latest is not None and epoch <= self.latest:
            return self
        return EpochHistory([*self.entries, EpochEntry(epoch, log_end)])

    def parting(self, before: "EpochHistory", end: int) -> int | None:
        """The first offset below `end` whose leader epoch differs from that in an older history; None if none."""
        if not self.entries or not before.entries:
            return None
        begin = max(self.entries[0].start_offset, before.entries[0].start_offset)
        starts = {begin, *(entry.start_offset for entry in (*self.entries, *before.entries))}
        return next((at for at in sorted(starts) if begin <= at < end and self.at(at) != before.at(at)), None)


def history_beside(
    segment: "Segment", refused: Callable[[KafkafmtError], None] = lambda _: None
) -> EpochHistory | None:
    """Read the leader-epoch-checkpoint beside a log file; None if there is none, or it cannot be read.

    It says nothing of files outside the log: raft snapshots, deleted and half-cleaned segments.

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
