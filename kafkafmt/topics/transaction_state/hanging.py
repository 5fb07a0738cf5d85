"""Decides which open transactions hang: they never end, and read_committed consumers stop before them.

As in `kafka-transactions.sh find-hanging`, a transaction hangs if the coordinator has no ongoing transaction for that
producer and partition. Only without the coordinator's log, the transaction's age decides: it hangs if it has been open
for longer than `transaction.max.timeout.ms`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkafmt.topics.transaction_state.coordinator import ONGOING, Coordinator, TransactionalId

if TYPE_CHECKING:
    from kafkafmt.logdir.producer_runs import LogTransaction

MAX_TRANSACTION_TIMEOUT_MS: Final = 15 * 60 * 1000
"""Default of the broker's `transaction.max.timeout.ms`."""


@dataclass(frozen=True, slots=True)
class HangingVerdict:
    """Whether an open transaction hangs.

    Attributes:
        is_hanging: whether it hangs.
        reason: why it hangs, or what will happen to it.
        transactional_id: its transactional id, or None if unknown.
        coordinator_state: state of that transactional id, or None.
        is_undecided: whether it may hang, but the disks do not show whether it does.
        aborts_at: when the coordinator aborts it unless it ends before, in ms since the epoch; None if it does not.
    """

    is_hanging: bool
    reason: str
    transactional_id: str | None = None
    coordinator_state: str | None = None
    is_undecided: bool = False
    aborts_at: int | None = None


@dataclass(frozen=True, slots=True)
class HangingCheck:
    """Decides which open transactions hang.

    Attributes:
        coordinator: state of `__transaction_state`.
        as_of: newest time on the disks, in ms since the epoch; -1 if unknown.
        max_timeout_ms: longest duration of a transaction that does not hang, if the coordinator's log does not decide.
    """

    coordinator: Coordinator
    as_of: int
    max_timeout_ms: int = MAX_TRANSACTION_TIMEOUT_MS

    def verdict(self, transaction: "LogTransaction", topic: str | None, partition: int | None) -> HangingVerdict:
        """Decide whether an open transaction in a partition hangs."""
        known = self.coordinator
        name = known.id_of_producer.get(transaction.producer_id)
        described = None if name is None else known.ids.get(name)
        state = None if described is None else described.state
        if transaction.is_doubtful:
            reason = "damage follows its first batch, in which its marker may be lost"
            return HangingVerdict(is_hanging=False, reason=reason, transactional_id=name, coordinator_state=state)
        if name is None:
            return self._of_unknown(transaction)
        if described is None:
            reason = f"__transaction_state no longer has transactional id {name}: it has expired"
            return HangingVerdict(is_hanging=True, reason=reason, transactional_id=name)
        return self._of_known(transaction, described, (topic, partition))

    def duration_ms(self, transaction: "LogTransaction") -> int | None:
        """Time for which a transaction has been open, or None if its times are unknown."""
        begun = transaction.start_timestamp if transaction.start_timestamp >= 0 else transaction.last_timestamp
        until = max(self.as_of, transaction.last_timestamp)
        return until - begun if begun >= 0 and until >= 0 else None

    def _of_unknown(self, transaction: "LogTransaction") -> HangingVerdict:
        if self.coordinator.is_complete:
            return HangingVerdict(is_hanging=True, reason="the coordinator has no transactional id for this producer")
        missing = "is missing" if not self.coordinator.partitions else "is incomplete"
        duration = self.duration_ms(transaction)
        if duration is not None and duration > self.max_timeout_ms:
            reason = f"open for longer than {self.max_timeout_ms} ms, and __transaction_state {missing}"
            return HangingVerdict(is_hanging=True, reason=reason)
        reason = f"__transaction_state {missing}"
        return HangingVerdict(is_hanging=False, reason=reason, is_undecided=True)

    def _of_known(
        self, transaction: "LogTransaction", described: TransactionalId, where: tuple[str | None, int | None]
    ) -> HangingVerdict:
        name, state = described.transactional_id, described.state
        same = described.producer_id == transaction.producer_id
        if not (same and described.is_unfinished and where in described.topic_partitions):
            if not same:
                has = f"has producer {described.producer_id} now"
            elif described.is_unfinished:
                has = f"is {state}, but not in this partition"
            else:
                has = f"is {state}: it has no ongoing transaction"
            reason = f"transactional id {name} {has}"
            return HangingVerdict(is_hanging=True, reason=reason, transactional_id=name, coordinator_state=state)
        if described.is_overdue:
            reason = (
                f"overdue: its transaction.timeout.ms of {described.transaction_timeout_ms} has passed;"
                " the coordinator aborts it when it runs"
            )
        elif state == ONGOING:
            reason = "ongoing"
        else:
            reason = f"the coordinator is about to write its marker ({state})"
        return HangingVerdict(
            is_hanging=False,
            reason=reason,
            transactional_id=name,
            coordinator_state=state,
            aborts_at=described.aborts_at,
        )
