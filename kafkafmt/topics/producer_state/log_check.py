"""Check of one log: finds faults of sequence numbers and gaps of offsets in batch headers, in log order."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from kafkafmt.errors import DataError
from kafkafmt.files import producer_snapshot
from kafkafmt.internal_topics import COORDINATORS_TOPICS
from kafkafmt.libraries import np
from kafkafmt.logdir.lost_end import lost_end
from kafkafmt.logdir.producer_batches import BatchGroup, BatchWalk
from kafkafmt.logdir.producer_runs import BATCH
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.topics.producer_state.missing_offsets import (
    DAMAGE,
    LOST_END,
    GapCauses,
    MissingOffsets,
    OffsetGap,
    OffsetRanges,
    joined,
)
from kafkafmt.topics.producer_state.sequences import SequenceCheck, SequenceFault

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_order import OffsetFault
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.lost_end import LostEnd
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.topics.producer_state.choice import PartitionChoice

_MOST_PENDING: Final = 1_000_000

T = TypeVar("T")


class LogCheck:
    """The check of one log: faults of sequence numbers, and gaps of offsets, in log order.

    The cause of a gap may depend on later batches, so all rows after it wait.

    Args:
        found: the partition directory, or a file in it.
        end: end offset of the check (exclusive); None for the log end.
        choice: options for reading.
        say: called with the error of a checkpoint, snapshot or index that is broken, and therefore not used.
        note: called with a segment and a fault in the order of its offsets.

    Attributes:
        start: base offset of the first segment.
        lost_end: the checkpoint that is beyond the log end, if the log is read to its end; None if there is none.
        seen: ids of producers whose batches were read: all of the wanted ones, else at most one.
    """

    def __init__(
        self,
        found: "Found",
        end: int | None,
        choice: "PartitionChoice",
        say: "Callable[[DataError], None]",
        note: "Callable[[Segment, OffsetFault], None]",
    ) -> None:
        self._found = found
        self._end = end
        self._producer_ids = choice.producer_ids
        self.seen: set[int] = set()
        self._say = say
        segments, partition = found.segments, found.partition
        self.start = (segments[0].base_offset or 0) if segments else 0
        is_directory = found.file is None
        log_start = self._checkpoint(lambda: partition.checkpointed_log_start_offset) if is_directory else None
        cleaned = self._checkpoint(lambda: partition.cleaner_offset) if is_directory else None
        left_out = self._checkpoint(lambda: partition.left_out_below) if is_directory else None
        self.lost_end = self._lost_end(log_start or 0) if is_directory and end is None else None
        of_coordinator = partition.topic in COORDINATORS_TOPICS
        if of_coordinator:
            cleaned = INT64_MAX
        self._causes = GapCauses(log_start or 0, cleaned, left_out or 0, self._aborted)
        self._missing = MissingOffsets(self.start, end)
        self._sequences = SequenceCheck(
            self._snapshot(), self.start, choice.producer_ids, of_coordinator=of_coordinator
        )
        self._pending: deque[OffsetGap | SequenceFault] = deque()
        self._damage: list[Damage] = []
        self._new_damage: list[Damage] = []
        self._walk = BatchWalk(segments, choice.on_damage, choice.limits, self._report, with_present=True, note=note)

    def rows(self, damage: "list[Damage]") -> Iterator[OffsetGap | SequenceFault]:
        """Yield the rows of a pass.

        Args:
            damage: list to extend by skipped damage.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        try:
            for number, segment in enumerate(self._walk.segments):
                if self._end is not None and segment.base_offset is not None and segment.base_offset >= self._end:
                    break
                for group in self._walk.of_segment(number, end=self._end):
                    self._see(group, number)
                    yield from self._known()
            yield from self._rest()
        finally:
            damage += self._damage

    def _see(self, group: BatchGroup, number: int) -> None:
        """Add adjacent batches."""
        if group.present is None:
            return
        self._causes.see(group.present)
        gaps = self._missing.see(group.present, after_damage=bool(self._new_damage))
        if len(group.present.first):
            self._new_damage.clear()
        faults: list[SequenceFault] = []
        rows = group.rows
        if group.run is not None:
            run = group.run
            rows = np.zeros(1, BATCH)
            for name, _ in BATCH:
                rows[name] = run.first_offset if name == "base_offset" else getattr(run, name)
        if rows is not None and len(rows):
            found = self._sequences.check(rows, self._missing.before(rows["base_offset"]))
            faults += (fault for fault in found if not self._is_damaged(number, fault))
            self._note_producers(rows["producer_id"])
        if self._producer_ids is not None:
            gaps = []
        if gaps and faults:
            self._pending += sorted([*gaps, *faults], key=_offset)
        else:
            self._pending += gaps or faults

    def _note_producers(self, ids: "NDArray[np.int64]") -> None:
        if self._producer_ids is not None:
            self.seen.update(self._producer_ids.intersection(ids.tolist()))
        elif not self.seen:
            self.seen.update(ids[ids >= 0][:1].tolist())

    def _report(self, damage: "Damage") -> None:
        self._damage.append(damage)
        if not damage.is_open_end:
            self._new_damage.append(damage)

    def _is_damaged(self, number: int, fault: SequenceFault) -> bool:
        """Whether a header contradicts its CRC, which is reported as damage."""
        wrong = self._walk.wrong_checksums(number, fault.batch.position)
        self._damage += wrong
        return bool(wrong)

    def _known(self) -> Iterator[OffsetGap | SequenceFault]:
        """The rows that do not depend on later batches."""
        pending = self._pending
        while pending:
            row = pending[0]
            if isinstance(row, SequenceFault):
                if row.may_be_removed and row.batch.base_offset > self._causes.reach and len(pending) < _MOST_PENDING:
                    return
            elif not self._causes.is_known(row) and len(pending) < _MOST_PENDING:
                return
            yield from self._decided(pending.popleft())

    def _decided(self, row: OffsetGap | SequenceFault) -> Iterator[OffsetGap | SequenceFault]:
        if isinstance(row, OffsetGap):
            yield from self._causes.split(row)
        elif not (row.may_be_removed and row.batch.base_offset <= self._causes.reach):
            yield row

    def _rest(self) -> Iterator[OffsetGap | SequenceFault]:
        """The remaining rows at the end of the log."""
        lost = [each.last_offset for each in self._new_damage if each.last_offset is not None]
        ends = [segment.base_offset for segment in self._walk.segments[-1:] if segment.base_offset is not None]
        if self._producer_ids is None:
            if lost:
                self._pending += self._missing.up_to(lost[-1] + 1, DAMAGE)
            if ends:
                self._pending += self._missing.up_to(ends[-1])
            if self.lost_end is not None and self.lost_end.is_certain:
                # Damage with unknown offsets is at this end too.
                is_damaged = bool(self._new_damage) and not lost
                self._pending += self._missing.up_to(self.lost_end.offset, DAMAGE if is_damaged else LOST_END)
        while self._pending:
            yield from self._decided(self._pending.popleft())

    def _checkpoint(self, read: Callable[[], T | None]) -> T | None:
        try:
            return read()
        except DataError as error:
            self._say(error)
            return None

    def _lost_end(self, log_start: int) -> "LostEnd | None":
        log_end = self._found.partition.next_offset()
        return (
            None
            if log_end is None
            else self._checkpoint(lambda: lost_end(self._found.partition, max(log_end, log_start)))
        )

    def _snapshot(self) -> "tuple[ProducerState, ...]":
        """The producers at the start of the log, from the snapshot there; none if there is no such file."""
        if self._found.file is not None:
            return ()
        for offset, place in self._found.partition.producer_snapshot_files:
            if offset == self.start:
                try:
                    return producer_snapshot.read(place).entries
                except DataError as error:
                    self._say(error)
        return ()

    def _aborted(self) -> OffsetRanges:
        """The offsets of aborted transactions, from the transaction indexes."""
        ranges = []
        for segment in self._found.segments:
            try:
                ranges += [(each.first_offset, each.last_offset) for each in segment.transaction_index.entries]
            except DataError as error:
                self._say(error)
        return joined(iter(ranges))


def _offset(row: OffsetGap | SequenceFault) -> int:
    return row.first if isinstance(row, OffsetGap) else row.batch.base_offset
