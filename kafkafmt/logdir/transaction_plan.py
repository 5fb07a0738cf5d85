"""Finds the open and aborted transactions of a partition by a walk over its batches, for read_committed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, KafkafmtError, LimitExceededError, OnDamage
from kafkafmt.files.damage import Damage
from kafkafmt.findings import reason_of
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_runs import LogTransaction, ProducerRun, runs_of
from kafkafmt.logdir.transactions import AbortedTransactions, TransactionsBuilder
from kafkafmt.reference.entry import without_traceback

if TYPE_CHECKING:
    from kafkafmt.logdir.segment import Segment


@dataclass(frozen=True, slots=True)
class TransactionPlan:
    """The transactions found in a partition.

    Attributes:
        transactions: the transactions. If an error ended the walk, the last stable offset is at or before the error.
        damage: damage that was skipped, in log order; empty with `on_damage="raise"`.
        error: the error that ended the walk, or None.
        open: the open transactions, by first offset.
        reach: lowest and highest base offset of the transactional data in each file, by its path.
    """

    transactions: AbortedTransactions
    damage: list[Damage]
    error: KafkafmtError | None = None
    open: tuple[LogTransaction, ...] = ()
    reach: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TransactionPlanner:
    """Finds the offsets that read_committed leaves out of a partition, walking no further than necessary.

    Producer snapshots are not read, so without `begun` a transaction without a batch on disk withholds nothing.

    With `on_damage="raise"` the first damage ends the walk, and transactions open there stay open. With "skip" they
    count as aborted up to the damage, since their markers may be lost; they no longer hold the last stable offset, and
    records that may be aborted never count as committed. A control batch that cannot be read is such damage, too. The
    CRC of data is not computed, except for the first batch of the earliest open transaction, as one flipped bit in a
    producer id would withhold all later records.

    Attributes:
        segments: the log, in order.
        end: offsets from here on are not requested; None for all.
        log_end: offset to treat as the end of the log, if not its real end.
        on_damage: "raise" or "skip".
        verify_checksums: whether to check CRCs.
        limits: bounds of memory.
        place: number of a segment and position of an entry in it, in bytes, where the walk begins.
        begun: transactions that are open there.
    """

    segments: "Sequence[Segment]"
    end: int | None = None
    log_end: int | None = None
    on_damage: OnDamage = "raise"
    verify_checksums: bool = True
    limits: Limits = field(default_factory=Limits)
    place: tuple[int, int] = (0, 0)
    begun: Sequence[LogTransaction] = ()

    def plan(self) -> TransactionPlan:
        """Find the transactions.

        Raises:
            SourceError: a file cannot be read.
        """
        search = _Search(self)
        try:
            search.run()
            earliest = search.builder.earliest_open()
            if self.verify_checksums and earliest is not None and earliest.segment >= 0:
                wrong = search.walk.wrong_checksums(earliest.segment, earliest.position)
                if wrong:
                    # Some header is wrong; only CRCs show which.
                    search = _Search(self, verify_data=True)
                    search.run()
        except DataError as error:
            return TransactionPlan(search.up_to_damage(), [], without_traceback(error))
        reach = {self.segments[number].path: offsets for number, offsets in search.builder.reach.items()}
        return TransactionPlan(search.builder.build(), search.met.damage, open=search.builder.open(), reach=reach)


class _DamageMet:
    """Damage met by a walk. The walk holds this object, which does not refer to the walk, so both are freed at once."""

    def __init__(self, builder: TransactionsBuilder) -> None:
        self.damage: list[Damage] = []
        self._builder = builder

    def note(self, damage: Damage) -> None:
        """Note damage; an open end does not count as damage."""
        if not damage.is_open_end:
            self.damage.append(damage)
            self._builder.forget_open()


class _Search:
    """One walk for a plan."""

    def __init__(self, planner: TransactionPlanner, *, verify_data: bool = False) -> None:
        self.builder = TransactionsBuilder(planner.end, planner.log_end, planner.begun)
        self.met = _DamageMet(self.builder)
        self._place = planner.place
        self.walk = BatchWalk(
            planner.segments,
            planner.on_damage,
            planner.limits,
            self.met.note,
            verify_checksums=planner.verify_checksums,
            verify_data=verify_data,
            as_consumer=True,
        )

    def run(self) -> None:
        """Walk until everything is decided."""
        first, position = self._place
        for number, segment in enumerate(self.walk.segments[first:], first):
            if self.builder.is_done or self.builder.is_done_before(segment.base_offset):
                return
            for group in self.walk.of_segment(number, position if number == first else 0):
                if group.rows is not None:
                    for run in runs_of(self.builder.add_ended(group.rows, number), number):
                        self._add(run)
                elif group.run is not None:
                    self._add(group.run)
                self.builder.passed(group.base_offsets)
                if self.builder.is_done:
                    return

    def up_to_damage(self) -> AbortedTransactions:
        """The transactions up to the damage that ended the walk: nothing after it is stable."""
        found = self.builder.build()
        known = [offset for offset in (found.last_stable_offset, self.walk.next_offset or 0) if offset is not None]
        return replace(found, last_stable_offset=min(known))

    def _add(self, run: ProducerRun) -> None:
        try:
            self.builder.add(run)
        except LimitExceededError as error:
            segment = self.walk.segments[run.segment]
            error.at(segment.file, run.position)
            if self.walk.on_damage == "raise":
                raise
            bounds = segment.bounds(None)
            self.met.note(
                Damage(
                    segment.file,
                    run.position,
                    run.bytes,
                    reason_of(error),
                    without_traceback(error),
                    topic=bounds.topic,
                    partition=bounds.partition,
                )
            )
