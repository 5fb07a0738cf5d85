"""BatchOrder: finds where the offsets or the leader epochs of the batches of a log file are out of order.

No CRC covers either of them.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import Batches
from kafkafmt.files.offset_order import MOST_FAULTS, OffsetFault, OffsetOrder
from kafkafmt.logdir.leader_epochs import EpochCheck, EpochDoubt, EpochHistory, EpochRun, runs_of
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from kafkafmt.files.loss import SegmentBounds
    from kafkafmt.reference.header import BatchHeader


class BatchOrder(OffsetOrder):
    """Follows the offsets and leader epochs of one log file, or of a part of it, batch by batch in file order.

    Args:
        bounds: partition and offsets of the segment.
        report: called with each fault, once the batches around it are known.
        history: reads the leader-epoch-checkpoint beside the file; not called for a log without leader epochs.
        is_last: whether no batch of the log follows.
        opening: as for `OffsetOrder`.
        with_overflow: as for `OffsetOrder`.
    """

    __slots__ = ("_doubts", "_epochs", "_tell_epoch")

    def __init__(
        self,
        bounds: "SegmentBounds",
        report: Callable[[OffsetFault], None],
        history: Callable[[], EpochHistory | None],
        *,
        is_last: bool,
        opening: Callable[[OffsetFault], None] | None = None,
        with_overflow: bool = False,
    ) -> None:
        super().__init__(bounds, report, opening, with_overflow=with_overflow)
        self._tell_epoch = report
        self._epochs = EpochCheck(history, is_first=False, is_last=is_last)
        self._doubts = 0

    def see(self, header: "BatchHeader") -> None:
        """Take the next batch or message, by its header."""
        super().see(header)
        first, last, epoch = header.base_offset, header.last_offset, header.partition_leader_epoch
        if header.magic >= CURRENT_MAGIC and first is not None and last is not None:
            self.see_run(EpochRun(epoch, first, last, header.position))

    def see_batches(self, batches: Batches) -> None:
        """Take the next batches, in bulk where they are in order."""
        super().see_batches(batches)
        for run in runs_of(batches):
            self._doubt(self._epochs.see(run))

    def see_run(self, run: EpochRun) -> None:
        """Take the leader epoch of the next batches, whose offsets were taken by themselves."""
        self._doubt(self._epochs.see(run))

    def end(self, position: int | None = None) -> None:
        """Report faults that wait for another batch, as none follows; see `OffsetOrder.end`."""
        super().end(position)
        self._doubt(self._epochs.end())
        if self._doubts > MOST_FAULTS:
            more = self._doubts - MOST_FAULTS
            self._doubts = 0
            self._tell_epoch(OffsetFault(0, 0, f"{more} more leader epochs that cannot be right", kind="epoch"))

    def _doubt(self, doubts: Iterable[EpochDoubt]) -> None:
        for doubt in doubts:
            self._doubts += 1
            if self._doubts <= MOST_FAULTS:
                run = doubt.run
                self._tell_epoch(
                    OffsetFault(
                        run.position,
                        run.size_in_bytes or 0,
                        f"{doubt} (no CRC covers leader epochs)",
                        run.first_offset,
                        run.last_offset,
                        "epoch",
                        is_finding=doubt.is_fault and not doubt.is_ahead,
                    )
                )
