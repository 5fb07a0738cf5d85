"""Checks leader epochs of batches against each other and against leader-epoch-checkpoint.

No CRC covers the leader epoch of a batch, so one batch alone proves nothing: an epoch counts if the checkpoint and a
batch agree on it, or two batches do.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from kafkafmt.libraries import np
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.reference.layout import LOG_OVERHEAD

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches

REFUSED_BY_FOLLOWERS = "a follower that fetches it stops"
"""The effect of a batch without leader epoch after one with: `LeaderEpochFileCache.assign` throws on it."""


@dataclass(slots=True)
class EpochRun:
    """Consecutive batches with the same leader epoch.

    Attributes:
        epoch: leader epoch of all the batches.
        first_offset: base offset of the first batch.
        last_offset: last offset of the last batch.
        position: position of the first batch in its file, in bytes.
        size_in_bytes: size of the first batch, or None if unknown.
        file: name of the file with the first batch.
        batches: number of batches.
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
    """A run of batches whose leader epoch cannot be right, or is not confirmed.

    Attributes:
        run: the batches.
        message: the fault.
        is_excluded: whether the run is wrong, and so not evidence about neighbouring runs.
        is_fault: whether the epoch cannot be right, or the run has a neighbour on one side only; else it fits between
            its neighbours.
        is_ahead: whether the epoch is newer than all entries of the checkpoint, as when the checkpoint was copied
            before the log.
    """

    run: EpochRun
    message: str
    is_excluded: bool = True
    is_fault: bool = True
    is_ahead: bool = False

    def __str__(self) -> str:
        """The message, preceded by the offsets."""
        run = self.run
        where = f"offset {run.first_offset}" if run.batches == 1 else f"offsets {run.first_offset} to {run.last_offset}"
        return f"{where}: {self.message}"


class EpochCheck:
    """Compares the leader epochs of batches, in the order of a log, with each other and with the checkpoint.

    Args:
        history: entries of the leader-epoch-checkpoint; or a function that reads them (None without a checkpoint),
            called once a batch has an epoch.
        is_first: whether the log begins with the first batch seen; if not, earlier ones may confirm its epoch.
        is_last: whether the log ends with the last batch seen; if not, later ones may confirm its epoch.
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
        # The last runs, which are not judged yet: the run after them decides which one is wrong.
        self._before: EpochRun | None = None
        self._current: EpochRun | None = None
        # Batches after `_current` that have no epoch.
        self._without: EpochRun | None = None

    def see(self, run: EpochRun) -> Iterator[EpochDoubt]:
        """Take the next batches of format 2, and return the faults that they reveal.

        A log may begin with batches of unknown epoch. After a known epoch, a leader never writes an unknown one.
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
        """Take batches without an epoch; consecutive ones become one doubt, once a batch with an epoch follows."""
        without = self._without
        if without is not None:
            without.batches += run.batches
            without.last_offset = run.last_offset
        elif self._current is not None or self._expected(run) is not None:
            self._without = run

    def _end_without(self, doubt: EpochDoubt | None) -> Iterator[EpochDoubt]:
        """Return the faults of the batches without an epoch, unless the run before them is wrong.

        Args:
            doubt: the doubt about that run, if any.
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
            yield EpochDoubt(known, f"leader epoch {known.epoch} is only in this batch, and the next ones have none")

    def _expected(self, run: EpochRun) -> int | None:
        """The leader epoch of the batches according to the checkpoint; None if it does not cover them."""
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
            # Without this run the epochs are in order, so it is the wrong one.
            return EpochDoubt(run, f"leader epoch {run.epoch}, which goes back to {after.epoch} after it")
        has_ends = before is not None and after is not None
        is_end = (self._is_last and before is not None) or (self._is_first and after is not None)
        if run.batches == 1 and (has_ends or is_end):
            message = f"leader epoch {run.epoch} is only in this batch, and no checkpoint confirms it"
            return EpochDoubt(run, message, is_excluded=False, is_fault=not has_ends)
        return None

    def _history(self) -> EpochHistory:
        if callable(self._known_history):
            self._known_history = self._known_history() or EpochHistory(())
        return self._known_history
