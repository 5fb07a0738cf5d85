"""Leader epochs: leader-epoch-checkpoint's epoch of each offset, the batches that contradict it, and diverged replicas.

No CRC covers the leader epoch of a batch, so one batch alone proves nothing: an epoch counts that the checkpoint and a
batch agree on, or two batches.
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import leader_epoch_checkpoint
from kafkafmt.files import segment as segment_file
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.reference.layout import LOG_OVERHEAD

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

UNKNOWN = -1
"""The leader epoch of a batch whose format has none (v0 and v1), or of a log that shows none."""

UNDEFINED = (-1, -1)
"""Epoch and end offset in the answer to an OffsetForLeaderEpoch where the leader does not know the epoch."""

REFUSED_BY_FOLLOWERS = "a follower that fetches it stops"
"""The effect of a batch without leader epoch after one with: `LeaderEpochFileCache.assign` throws on it."""

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

    def parting(self, before: "EpochHistory", end: int) -> int | None:
        """The first offset below an end that has another leader epoch here than in an older history; None if none."""
        if not self.entries or not before.entries:
            return None
        begin = max(self.entries[0].start_offset, before.entries[0].start_offset)
        starts = {begin, *(entry.start_offset for entry in (*self.entries, *before.entries))}
        return next((at for at in sorted(starts) if begin <= at < end and self.at(at) != before.at(at)), None)


@dataclass(slots=True)
class EpochRun:
    """Batches in a row with the same leader epoch.

    Attributes:
        epoch: of all the batches.
        first_offset: base offset of the first one.
        last_offset: last offset of the last one.
        position: where in its file the first one begins, in bytes.
        size_in_bytes: of the first one, or None if that is not known.
        file: name of the file where the first one is.
        batches: how many there are.
    """

    epoch: int
    first_offset: int
    last_offset: int
    position: int
    size_in_bytes: int | None = None
    file: str | None = None
    batches: int = 1


def runs_of(batches: "Batches", file: str | None = None) -> Iterator[EpochRun]:
    """Divide adjacent batches of a file where the leader epoch changes."""
    epochs, lasts, positions = batches.headers["partition_leader_epoch"], batches.last_offsets, batches.starts
    bounds = [0, *(np.flatnonzero(epochs[1:] != epochs[:-1]) + 1).tolist(), len(epochs)]
    for begin, end in pairwise(bounds if len(epochs) else ()):
        header = batches.headers[begin]
        yield EpochRun(
            int(header["partition_leader_epoch"]),
            int(header["base_offset"]),
            int(lasts[end - 1]),
            batches.position + int(positions[begin]),
            int(header["size"]) + LOG_OVERHEAD,
            file,
            end - begin,
        )


@dataclass(frozen=True, slots=True)
class EpochDoubt:
    """A run of batches whose leader epoch cannot be right, or that nothing confirms.

    Attributes:
        run: the batches.
        message: the fault.
        is_excluded: whether the run is wrong, so that it says nothing about those around it.
        is_fault: whether it cannot be right, or comes first or last; else it fits between those around it.
        is_ahead: whether it is newer than the whole checkpoint, as in a copy of which the checkpoint was made first.
    """

    run: EpochRun
    message: str
    is_excluded: bool = True
    is_fault: bool = True
    is_ahead: bool = False

    def __str__(self) -> str:
        """The message with the offsets in front."""
        run = self.run
        where = f"offset {run.first_offset}" if run.batches == 1 else f"offsets {run.first_offset} to {run.last_offset}"
        return f"{where}: {self.message}"


class EpochCheck:
    """Compares the leader epochs of batches, in the order of a log, with each other and with the checkpoint.

    Args:
        history: of the leader-epoch-checkpoint; or a function that reads it, None without one, called once a batch has
            an epoch.
        is_first: whether the log begins with the first batch that is seen; if not, others may confirm its epoch.
        is_last: whether the log ends with the last one; if not, others may confirm its epoch.
    """

    def __init__(
        self,
        history: "EpochHistory | Callable[[], EpochHistory | None]",
        *,
        is_first: bool = True,
        is_last: bool = True,
    ) -> None:
        self._known_history = history
        self._is_first = is_first
        self._is_last = is_last
        # The last runs that are not judged yet: the run after one decides which is wrong.
        self._before: EpochRun | None = None
        self._current: EpochRun | None = None
        # Batches after `_current` that have no epoch.
        self._without: EpochRun | None = None

    def see(self, run: EpochRun) -> Iterator[EpochDoubt]:
        """Take the next batches of format 2; returns the faults that they show.

        A log may begin with batches of an unknown epoch. After a known one a leader writes none.
        """
        if run.epoch < 0:
            self._see_without(run)
            return
        current = self._current
        if current is None:
            yield from self._end_without(None)
            self._current = run
        elif current.epoch == run.epoch:
            yield from self._end_without(None)
            current.batches += run.batches
            current.last_offset = run.last_offset
        else:
            doubt = self._judge(self._before, current, run)
            if doubt is not None:
                yield doubt
            yield from self._end_without(doubt)
            before = self._before
            if doubt is None or not doubt.is_excluded:
                self._before, self._current = current, run
            elif before is not None and before.epoch == run.epoch:
                before.batches += run.batches
                before.last_offset = run.last_offset
                self._before, self._current = None, before
            else:
                self._current = run

    def end(self) -> Iterator[EpochDoubt]:
        """Return the faults of the last batches."""
        doubt = None
        if self._current is not None:
            doubt = self._judge(self._before, self._current, None)
            if doubt is not None:
                yield doubt
        yield from self._end_without(doubt)
        self._before = self._current = None

    def _see_without(self, run: EpochRun) -> None:
        """Take in batches without an epoch; of those in a row one doubt is made, once the next batch has one."""
        without = self._without
        if without is not None:
            without.batches += run.batches
            without.last_offset = run.last_offset
        elif self._current is not None or self._expected(run) is not None:
            self._without = run

    def _end_without(self, doubt: EpochDoubt | None) -> Iterator[EpochDoubt]:
        """Return the faults of the batches without an epoch, if the run before them is right as far as known.

        Args:
            doubt: about that run.
        """
        run, known = self._without, self._current
        self._without = None
        if run is None:
            return
        expected = self._expected(run)
        if expected is not None:
            yield EpochDoubt(run, f"leader epoch {run.epoch}, but leader-epoch-checkpoint says {expected}")
            return
        if known is None or (doubt is not None and doubt.is_excluded):
            return
        is_confirmed = self._before is not None or known.batches > 1 or self._expected(known) == known.epoch
        if is_confirmed or run.batches == 1:
            yield EpochDoubt(run, f"leader epoch {run.epoch} after leader epoch {known.epoch}: {REFUSED_BY_FOLLOWERS}")
        elif doubt is None:
            yield EpochDoubt(known, f"leader epoch {known.epoch} is in this batch alone, and the next ones have none")

    def _expected(self, run: EpochRun) -> int | None:
        """Leader epoch of the batches by the checkpoint; None if it does not say."""
        history = self._history()
        found = history.at(run.first_offset)
        return history.at(run.last_offset) if found is None else found

    def _judge(self, before: EpochRun | None, run: EpochRun, after: EpochRun | None) -> EpochDoubt | None:
        """The fault of a run's epoch; None if it fits, or another run is wrong."""
        history = self._history()
        if history.entries:
            known = {history.at(run.first_offset), history.at(run.last_offset)} - {None}
            wrong = [epoch for epoch in known if epoch != run.epoch]
            if wrong:
                newest = history.entries[-1]
                rises = run.epoch > newest.epoch and (after is None or run.epoch < after.epoch)
                message = f"leader epoch {run.epoch}, but leader-epoch-checkpoint says {wrong[0]}"
                return EpochDoubt(run, message, is_ahead=rises and run.batches > 1)
            # Kafka moves the first entry to the log start offset, which can be after the first batches.
            first = history.entries[0]
            if known or (run.last_offset < first.start_offset and run.epoch == first.epoch):
                return None
        lower = before is not None and run.epoch < before.epoch
        higher = after is not None and run.epoch > after.epoch
        if lower and before is not None:
            return EpochDoubt(run, f"the leader epoch goes back from {before.epoch} to {run.epoch}")
        if higher and after is not None and run.batches == 1:
            # Without this one the order is right.
            return EpochDoubt(run, f"leader epoch {run.epoch}, which goes back to {after.epoch} after it")
        has_ends = before is not None and after is not None
        is_end = (self._is_last and before is not None) or (self._is_first and after is not None)
        if run.batches == 1 and (has_ends or is_end):
            message = f"leader epoch {run.epoch} is in this batch alone, and no checkpoint confirms it"
            return EpochDoubt(run, message, is_excluded=False, is_fault=not has_ends)
        return None

    def _history(self) -> EpochHistory:
        if callable(self._known_history):
            self._known_history = self._known_history() or EpochHistory(())
        return self._known_history


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
