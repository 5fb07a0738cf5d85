"""BatchOrder: finds batches of a log file whose offsets or leader epochs are out of order.

No CRC covers these fields.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import Batches
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.files.damage import Damage
from kafkafmt.files.offset_order import MOST_FAULTS, OffsetFault, OffsetOrder
from kafkafmt.files.segment import headers_from
from kafkafmt.findings import reason_of
from kafkafmt.logdir.epoch_check import EpochCheck, EpochDoubt, EpochRun, runs_of
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.lost_end import clean_end
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.files.loss import SegmentBounds
    from kafkafmt.io.base import File
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

_JUDGED = 3
"""Batches to read at the end of a log: two before the last one show whether its offset or its neighbour's is wrong."""


class BatchOrder(OffsetOrder):
    """Checks the offsets and leader epochs of one log file, or part of one, batch by batch in file order.

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
        """Take the leader epochs of the next batches, whose offsets were taken before."""
        self._doubt(self._epochs.see(run))

    def end(self, position: int | None = None) -> None:
        """Report faults that were waiting for another batch; see `OffsetOrder.end`."""
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


def end_before_refuted(partition: "Partition") -> int | None:
    """Offset up to which a log is in order if its last batch has a wrong base offset; None if that one is right.

    Raises:
        SourceError: a file cannot be read.
    """
    segment = partition.segments[-1] if partition.segments else None
    headers = [] if segment is None else segment.last_entries(_JUDGED)
    if segment is None or not headers:
        return None
    bounds = segment.bounds()
    if headers[0].position > 0:
        bounds = replace(bounds, base_offset=None)
    with suppress(DataError):  # a broken checkpoint bounds nothing
        bounds = replace(bounds, clean_end=clean_end(partition))
    faults: list[OffsetFault] = []
    order = OffsetOrder(bounds, faults.append)
    for header in headers:
        order.see(header)
    last = headers[-1].position
    order.end(last + headers[-1].size_in_bytes)
    known = next((fault.range for fault in faults if fault.position == last), None)
    return None if known is None else known[0]


def refuted(
    segment: "Segment",
    file: "File",
    following: "Segment | None",
    before: "Sequence[BatchHeader]",
    header: "BatchHeader",
) -> Damage | None:
    """Return the entry as damage if its neighbours refute its offsets, else None.

    Args:
        segment: the segment to read.
        file: its open log file; up to three headers after the entry are read.
        following: the next segment of the log; None for the last, or if it is unknown.
        before: headers of the previous two entries, if they were read.
        header: header of the entry.

    Raises:
        SourceError: reading failed.
    """
    bounds = segment.bounds(following)
    if (before[0] if before else header).position > 0:
        bounds = replace(bounds, base_offset=None)
    faults: list[OffsetFault] = []
    order = OffsetOrder(bounds, faults.append)
    for each in (*before, header):
        order.see(each)
    end = header.position + header.size_in_bytes
    if end == file.size or order.look_beyond(headers_from(file, end)):
        order.end(file.size)
    else:
        order.end()
    fault = next((each for each in faults if header.position in (each.position, each.other)), None)
    if fault is None:
        return None
    error = CorruptError(fault.message, file=segment.file, position=fault.position)
    return Damage(
        segment.file,
        header.position,
        header.size_in_bytes,
        reason_of(error),
        error,
        topic=bounds.topic,
        partition=bounds.partition,
        first_offset=fault.first_offset,
        last_offset=fault.last_offset,
        records=None if fault.first_offset is None else header.count,
    )
