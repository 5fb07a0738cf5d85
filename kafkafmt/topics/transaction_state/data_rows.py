"""Rows of the table `data` of `transactions`: a transaction in one data partition, open or ended."""

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

from kafkafmt.answer_columns import TIME, Named, TableColumns, columns_of
from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.topics.answers import unless_unset

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.producer_runs import LogTransaction
    from kafkafmt.topics.transaction_state.hanging import HangingVerdict

State = Literal["hanging", "open", "committed", "aborted"]
FoundIn = Literal["log", "snapshot", "both"]

_OUTCOMES: Final[dict[int, State]] = {ABORT: "aborted", COMMIT: "committed"}


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction in one data partition.

    Attributes:
        topic: name of the topic, or None for a directory without a Kafka name.
        partition: number of the partition, or None for a directory without a Kafka name.
        state: "hanging", "open", "committed" or "aborted".
        transactional_id: its transactional id, if `__transaction_state` has or had it for the producer id.
        producer_id: its producer.
        producer_epoch: producer epoch of its data; the marker can have the next one (KIP-890).
        coordinator_epoch: coordinator epoch of its marker; if it is open, of the producer's last marker; None for none.
        first_offset: offset of its first record.
        last_offset: offset of its last record; None if neither log nor snapshot has it.
        marker_offset: offset of its marker; None for none.
        start_timestamp: timestamp of its first record, in ms since the epoch; None for none.
        last_timestamp: timestamp of its last batch or its marker, in ms since the epoch; None for none.
        duration_ms: time from its first record to its marker, or to the newest time on the disks; None if unknown.
        aborts_at: when the coordinator aborts it unless it ends before (its start and transaction.timeout.ms), in ms
            since the epoch; None if it has ended or hangs, and where that is not known.
        records: number of its records on disk; None if they are gone.
        bytes: stored size of the batches with them; None if they are gone.
        told_by: source of the row: "log"; "snapshot", if its records are gone (by retention); "both", if its first
            ones are.
        coordinator_state: state of its transactional id, if it is open.
        reason: of an open transaction, why it hangs or how it will end.
        abort_command: command that ends a hanging transaction, for brokers from 3.0 on.
        abort_command_before_3_0: the same for older brokers.
        file: log file with its first batch on disk; None if that is gone.
        position: position of that batch in bytes; None if it is gone.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    state: Annotated[State, "string"]
    transactional_id: Annotated[str | None, "string"]
    producer_id: Annotated[int, "int64"]
    producer_epoch: Annotated[int, "int16"]
    coordinator_epoch: Annotated[int | None, "int32"]
    first_offset: Annotated[int, "int64"]
    last_offset: Annotated[int | None, "int64"]
    marker_offset: Annotated[int | None, "int64"]
    start_timestamp: Annotated[int | None, TIME]
    last_timestamp: Annotated[int | None, TIME]
    duration_ms: Annotated[int | None, "int64"]
    aborts_at: Annotated[int | None, TIME]
    records: Annotated[int | None, "int64"]
    bytes: Annotated[int | None, "int64"]
    told_by: Annotated[FoundIn, "string"]
    coordinator_state: Annotated[str | None, "string"] = None
    reason: Annotated[str | None, "string"] = None
    abort_command: Annotated[str | None, "string"] = None
    abort_command_before_3_0: Annotated[str | None, Named("abortCommandBefore30", "string")] = None
    file: Annotated[str | None, "string"] = None
    position: Annotated[int | None, "int64"] = None


DATA_COLUMNS = TableColumns(*columns_of(Transaction))
"""Columns of the table `data`."""


def row_of_open(
    found: "Found", transaction: "LogTransaction", verdict: "HangingVerdict", duration_ms: int | None, server: str
) -> Transaction:
    """Make the row of a transaction that is open at the end of a log.

    Args:
        found: the partition directory, or a file in it.
        transaction: the transaction.
        verdict: whether it hangs, and why.
        duration_ms: time for which it has been open; None if unknown.
        server: bootstrap server in the command that ends it.
    """
    partition = found.partition
    row = _row(found, transaction, "hanging" if verdict.is_hanging else "open", verdict.transactional_id, duration_ms)
    command = older = None
    if verdict.is_hanging and partition.topic is not None and partition.partition is not None:
        abort = (
            f"kafka-transactions.sh --bootstrap-server {shlex.quote(server)} abort"
            f" --topic {shlex.quote(partition.topic)} --partition {partition.partition}"
        )
        command = f"{abort} --start-offset {transaction.first_offset}"
        # Brokers before 3.0 do not list open transactions; an unknown coordinator epoch is 0 there.
        older = (
            f"{abort} --producer-id {transaction.producer_id} --producer-epoch {transaction.producer_epoch}"
            f" --coordinator-epoch {max(transaction.coordinator_epoch, 0)}"
        )
    return replace(
        row,
        coordinator_state=verdict.coordinator_state,
        reason=verdict.reason,
        aborts_at=verdict.aborts_at,
        abort_command=command,
        abort_command_before_3_0=older,
    )


def row_of_ended(found: "Found", transaction: "LogTransaction", name: str | None) -> Transaction:
    """Make the row of a committed or aborted transaction; `name` is its transactional id, if known."""
    begun, ended = transaction.start_timestamp, transaction.last_timestamp
    duration_ms = ended - begun if begun >= 0 and ended >= 0 else None
    return _row(found, transaction, _OUTCOMES[transaction.kind], name, duration_ms)


def _row(
    found: "Found", transaction: "LogTransaction", state: State, transactional_id: str | None, duration_ms: int | None
) -> Transaction:
    on_disk = transaction.segment >= 0
    return Transaction(
        topic=found.partition.topic,
        partition=found.partition.partition,
        state=state,
        transactional_id=transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        coordinator_epoch=unless_unset(transaction.coordinator_epoch),
        first_offset=transaction.first_offset,
        last_offset=unless_unset(transaction.last_offset),
        marker_offset=unless_unset(transaction.marker_offset),
        start_timestamp=unless_unset(transaction.start_timestamp),
        last_timestamp=unless_unset(transaction.last_timestamp),
        duration_ms=duration_ms,
        aborts_at=None,
        records=transaction.records if on_disk else None,
        bytes=transaction.bytes if on_disk else None,
        told_by="log" if not transaction.is_partial else "both" if on_disk else "snapshot",
        file=found.segments[transaction.segment].path if on_disk else None,
        position=transaction.position if on_disk else None,
    )
