"""CommittedTail: which records of a growing log are committed, found by one walk that goes on where it ended."""

from collections.abc import Sequence

from kafkafmt.files.damage import Damage
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_runs import runs_of
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.transactions import AbortedTransactions, TransactionsBuilder


class CommittedTail:
    """The transactions of one partition, as far as its log was walked; see `TransactionPlanner`.

    What is open at damage counts as aborted, as its marker may be lost: the reader of the records meets the damage too.

    Args:
        limits: bounds of memory.
        verify_checksums: whether CRCs of markers are compared.
    """

    def __init__(self, limits: Limits, *, verify_checksums: bool) -> None:
        self._limits = limits
        self._verify_checksums = verify_checksums
        self._builder = TransactionsBuilder()
        self._segment: int | None = None  # base offset of the segment that was walked last
        self._position = 0

    def position_in(self, segment: Segment) -> int | None:
        """Up to where a segment was walked, in bytes; None for all of it."""
        base_offset = segment.base_offset or 0
        if self._segment is None or base_offset > self._segment:
            return 0
        return self._position if base_offset == self._segment else None

    def advance(self, segments: Sequence[Segment], number: int, *, may_grow: bool) -> None:
        """Walk over what was written to a segment since.

        Args:
            segments: the log, in order; this one with its whole entries alone if it may grow.
            number: number of the segment.
            may_grow: whether its last entry may be written to yet: then damage in it waits.

        Raises:
            LimitExceededError: too many transactions are open.
            SourceError: a file cannot be read.
        """
        segment = segments[number]
        position = self.position_in(segment)
        if position is None:
            return
        self._segment, self._position = segment.base_offset or 0, max(position, segment.size)
        if position >= segment.size:
            return
        builder = self._builder

        def report(damage: Damage) -> None:
            if may_grow and damage.position + damage.length >= segment.size:
                self._position = damage.position
            elif not damage.is_open_end:
                builder.forget_open()

        walk = BatchWalk(
            segments, "skip", self._limits, report, verify_checksums=self._verify_checksums, as_consumer=True
        )
        for group in walk.of_segment(number, position):
            if group.rows is not None:
                for run in runs_of(builder.add_ended(group.rows, number), number):
                    builder.add(run)
            elif group.run is not None:
                builder.add(group.run)

    def transactions(self, offset: int) -> AbortedTransactions:
        """What is left out of the records from an offset on; nothing below it may be asked for any more."""
        self._builder.forget_before(offset)
        return self._builder.build()
