"""LogOrder: what a pass checks of batches in their order: that offsets rise, and that leader epochs can be right."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.files.damage import Note
from kafkafmt.files.offset_order import MOST_FAULTS, OffsetFault, OffsetOrder
from kafkafmt.logdir.leader_epochs import EpochCheck, EpochDoubt, EpochHistory, EpochRun

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches
    from kafkafmt.files.loss import SegmentBounds
    from kafkafmt.reference.header import BatchHeader


class LogOrder(OffsetOrder):
    """Follows the batches of one log file, or of a part of it.

    Args:
        bounds: where the offsets of the segment begin and end.
        path: path or URI of the file, for notes.
        note: takes what is wrong.
        history: reads the leader-epoch-checkpoint beside the file; not called for a log without leader epochs.
        is_last: whether no batch of the log follows.
        opening: as for `OffsetOrder`.
    """

    __slots__ = ("_doubts", "_epochs", "_note", "_path")

    def __init__(
        self,
        bounds: "SegmentBounds",
        path: str,
        note: Callable[[Note], None],
        history: Callable[[], EpochHistory | None],
        *,
        is_last: bool,
        opening: Callable[[OffsetFault], None] | None = None,
    ) -> None:
        super().__init__(bounds, lambda fault: note(note_of(path, fault)), opening)
        self._path = path
        self._note = note
        self._epochs = EpochCheck(history, is_first=False, is_last=is_last)
        self._doubts = 0

    def see(self, header: "BatchHeader") -> None:
        """Take the next batch or message, by its header."""
        super().see(header)
        first, last, epoch = header.base_offset, header.last_offset, header.partition_leader_epoch
        if epoch >= 0 and first is not None and last is not None:
            self._doubt(self._epochs.see(EpochRun(epoch, first, last, header.position)))

    def see_batches(self, batches: "Batches") -> None:
        """Take the next batches, in bulk where they are in order."""
        super().see_batches(batches)
        if not len(batches):
            return
        epochs = batches.headers["partition_leader_epoch"]
        begins = [0, *(np.flatnonzero(epochs[1:] != epochs[:-1]) + 1).tolist()]
        for begin, end in zip(begins, [*begins[1:], len(epochs)], strict=True):
            run = EpochRun(
                int(epochs[begin]),
                int(batches.headers["base_offset"][begin]),
                int(batches.last_offsets[end - 1]),
                batches.position + int(batches.starts[begin]),
                batches=end - begin,
            )
            self._doubt(self._epochs.see(run))

    def end(self, position: int | None = None) -> None:
        """Report what is open when no batch follows; see `OffsetOrder.end`."""
        super().end(position)
        self._doubt(self._epochs.end())
        if self._doubts > MOST_FAULTS:
            more = self._doubts - MOST_FAULTS
            self._doubts = 0
            self._note(Note(f"{self._path}: {more} more leader epochs that cannot be right"))

    def _doubt(self, doubts: Iterable[EpochDoubt]) -> None:
        for doubt in doubts:
            self._doubts += 1
            if self._doubts <= MOST_FAULTS:
                text = f"{self._path}: position {doubt.run.position}: {doubt} (no CRC covers leader epochs)"
                self._note(Note(text, is_finding=doubt.is_fault and not doubt.is_ahead))


def note_of(path: str, fault: OffsetFault) -> Note:
    """What to say of offsets that are out of order."""
    return Note(f"{path}: position {fault.position}: {fault.message}")
