"""Ends of transactions in one log: where each producer's COMMIT and ABORT markers are, from batch headers alone."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_batches import BatchWalk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.segment import Segment

Outcome = Literal["committed", "aborted", "open"]


class TransactionEnds:
    """The markers of one log.

    Args:
        segments: segments of the log, in order.
        end: end offset (exclusive); None for the log end.
        on_damage: "raise" or "skip" damage, which the reading of the records reports too.
        limits: bounds of memory.

    Raises:
        KafkafmtError: damage, with `on_damage="raise"`.
        SourceError: a file cannot be read.
    """

    def __init__(
        self, segments: "Sequence[Segment]", end: int | None, on_damage: "OnDamage", limits: Limits | None
    ) -> None:
        self._offsets: dict[int, array[int]] = defaultdict(lambda: array("q"))
        self._commits: dict[int, bytearray] = defaultdict(bytearray)
        for runs in BatchWalk(segments, on_damage, limits or Limits()).runs(end=end):
            for run in runs:
                if run.kind in (ABORT, COMMIT):
                    self._offsets[run.producer_id].append(run.first_offset)
                    self._commits[run.producer_id].append(run.kind == COMMIT)

    def outcome(self, producer_id: int, offset: int) -> Outcome:
        """How the transaction ended that a record belongs to.

        Args:
            producer_id: producer of the record's batch, which is transactional.
            offset: offset of the record.
        """
        offsets = self._offsets.get(producer_id)
        number = 0 if offsets is None else bisect_left(offsets, offset)
        if offsets is None or number == len(offsets):
            return "open"
        return "committed" if self._commits[producer_id][number] else "aborted"
