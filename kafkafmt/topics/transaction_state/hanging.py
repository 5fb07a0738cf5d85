"""Which open transactions hang: nobody will ever end them, and read_committed consumers wait in front of them.

As `kafka-transactions.sh find-hanging` judges: the coordinator has no unfinished transaction of this producer in this
partition. Without the coordinator's log, and there only, by age: open for longer than `transaction.max.timeout.ms`.
"""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kafkafmt.topics.transaction_state.coordinator import Coordinator, TransactionalId
    from kafkafmt.topics.transaction_state.data import DataTransaction

MAX_TRANSACTION_TIMEOUT_MS: Final = 15 * 60 * 1000
"""What a broker allows at most unless `transaction.max.timeout.ms` says else."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be thought of an open transaction.

    Attributes:
        is_hanging: whether it hangs.
        reason: why, or what will become of it.
        transactional_id: whose it is, or None where that is not known.
        coordinator_state: state of that transactional id, or None.
        is_open_question: whether nothing at hand tells that it hangs, nor that it does not.
    """

    is_hanging: bool
    reason: str
    transactional_id: str | None = None
    coordinator_state: str | None = None
    is_open_question: bool = False


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges open transactions.

    Attributes:
        coordinator: what is known of `__transaction_state`.
        as_of: the time, in ms since the epoch, as far as the disks tell it; -1 for unknown.
        max_timeout_ms: how long a transaction may take where the coordinator is not at hand.
    """

    coordinator: "Coordinator"
    as_of: int
    max_timeout_ms: int = MAX_TRANSACTION_TIMEOUT_MS

    def judge(self, transaction: "DataTransaction", topic: str | None, partition: int | None) -> Verdict:
        """Judge an open transaction in a partition."""
        known = self.coordinator
        name = known.id_of_producer.get(transaction.producer_id)
        described = None if name is None else known.ids.get(name)
        state = None if described is None else described.state
        if transaction.is_doubtful:
            reason = "damage lies behind its beginning, in which its marker may be lost"
            return Verdict(is_hanging=False, reason=reason, transactional_id=name, coordinator_state=state)
        if name is None:
            return self._of_unknown(transaction)
        if described is None:
            reason = f"__transaction_state has transactional id {name} no more: it has expired"
            return Verdict(is_hanging=True, reason=reason, transactional_id=name)
        return self._of_known(transaction, described, (topic, partition))

    def duration_ms(self, transaction: "DataTransaction") -> int | None:
        """How long it has been open, or None where its times are unknown."""
        begun = transaction.start_timestamp if transaction.start_timestamp >= 0 else transaction.last_timestamp
        until = max(self.as_of, transaction.last_timestamp)
        return until - begun if begun >= 0 and until >= 0 else None

    def _of_unknown(self, transaction: "DataTransaction") -> Verdict:
        if self.coordinator.is_complete:
            return Verdict(is_hanging=True, reason="the coordinator knows no transactional id of this producer")
        missing = "is missing" if not self.coordinator.partitions else "is incomplete"
        duration = self.duration_ms(transaction)
        if duration is not None and duration > self.max_timeout_ms:
            reason = f"open for longer than {self.max_timeout_ms} ms, and __transaction_state {missing}"
            return Verdict(is_hanging=True, reason=reason)
        reason = f"__transaction_state {missing}"
        return Verdict(is_hanging=False, reason=reason, is_open_question=True)

    def _of_known(
        self, transaction: "DataTransaction", described: "TransactionalId", where: tuple[str | None, int | None]
    ) -> Verdict:
        name, state = described.transactional_id, described.state
        same = described.producer_id == transaction.producer_id
        if not (same and described.is_unfinished and where in described.topic_partitions):
            if not same:
                has = f"has producer {described.producer_id} now"
            elif described.is_unfinished:
                has = f"is {state}, but not in this partition"
            else:
                has = f"is {state}: it has no transaction under way"
            reason = f"transactional id {name} {has}"
            return Verdict(is_hanging=True, reason=reason, transactional_id=name, coordinator_state=state)
        if described.is_overdue:
            reason = (
                f"overdue: its transaction.timeout.ms of {described.transaction_timeout_ms} has passed;"
                " the coordinator aborts it when it runs"
            )
        elif state == "Ongoing":
            reason = "under way"
        else:
            reason = f"the coordinator is about to write its marker ({state})"
        return Verdict(is_hanging=False, reason=reason, transactional_id=name, coordinator_state=state)


def abort_command(bootstrap_server: str, topic: str, partition: int, start_offset: int) -> str:
    """The command that aborts a hanging transaction, for brokers from 3.0 on."""
    return f"{_beginning(bootstrap_server, topic, partition)} --start-offset {start_offset}"


def abort_command_before_3_0(
    bootstrap_server: str, topic: str, partition: int, transaction: "DataTransaction", coordinator_epoch: int
) -> str:
    """The same for older brokers, which do not tell what is open; an unknown epoch of the coordinator is 0."""
    return (
        f"{_beginning(bootstrap_server, topic, partition)} --producer-id {transaction.producer_id}"
        f" --producer-epoch {transaction.producer_epoch} --coordinator-epoch {max(coordinator_epoch, 0)}"
    )


def _beginning(bootstrap_server: str, topic: str, partition: int) -> str:
    return (
        f"kafka-transactions.sh --bootstrap-server {shlex.quote(bootstrap_server)} abort"
        f" --topic {shlex.quote(topic)} --partition {partition}"
    )
