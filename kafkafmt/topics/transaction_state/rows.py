"""Rows of `kafkafmt.topics.transactions`: transactional ids, and transactions in data partitions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from kafkafmt.columns import as_text

if TYPE_CHECKING:
    from kafkafmt.topics.transaction_state.coordinator import TransactionalId

_TIME = pa.timestamp("ms", "UTC")
_AT_A_TIME = 16 * 1024

SCHEMA = pa.schema(
    [
        ("transactionalId", pa.string()),
        ("state", pa.string()),
        ("producerId", pa.int64()),
        ("producerEpoch", pa.int16()),
        ("transactionTimeoutMs", pa.int64()),
        ("transactionStartTimeMs", _TIME),
        ("topicPartitions", pa.list_(pa.string())),
        ("coordinatorPartition", pa.int32()),
        ("lastUpdateTimestamp", _TIME),
        ("isOverdue", pa.bool_()),
        ("previousProducerId", pa.int64()),
        ("nextProducerId", pa.int64()),
        ("clientTransactionVersion", pa.int32()),
        ("offset", pa.int64()),
    ]
)
"""Columns of `Transactions.to_table`; the first ones are those of AdminClient's `TransactionDescription`."""

DATA_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("state", pa.string()),
        ("transactionalId", pa.string()),
        ("producerId", pa.int64()),
        ("producerEpoch", pa.int16()),
        ("coordinatorEpoch", pa.int32()),
        ("firstOffset", pa.int64()),
        ("lastOffset", pa.int64()),
        ("markerOffset", pa.int64()),
        ("startTimestamp", _TIME),
        ("lastTimestamp", _TIME),
        ("durationMs", pa.int64()),
        ("records", pa.int64()),
        ("bytes", pa.int64()),
        ("toldBy", pa.string()),
        ("coordinatorState", pa.string()),
        ("reason", pa.string()),
        ("abortCommand", pa.string()),
        ("abortCommandBefore30", pa.string()),
        ("file", pa.string()),
        ("position", pa.int64()),
    ]
)
"""Columns of `Transactions.data_table`."""

State = Literal["hanging", "open", "committed", "aborted"]
ToldBy = Literal["log", "snapshot", "both"]


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction in one data partition.

    Attributes:
        topic: of the partition, or None for a directory without a Kafka name.
        partition: its number, or None likewise.
        state: "hanging", "open", "committed" or "aborted".
        transactional_id: whose it is, where `__transaction_state` tells it.
        producer_id: likewise.
        producer_epoch: that of its data.
        coordinator_epoch: that of its marker; of an open one that of the producer's last marker. None for none.
        first_offset: of its first record.
        last_offset: of its last record; None if no record is on disk and no snapshot tells it.
        marker_offset: of the marker that ended it, or None.
        start_timestamp: of its first record, in ms since the epoch, or None.
        last_timestamp: of its last batch, or of its marker, or None.
        duration_ms: from its first record to its marker, or to the newest time that the disks tell; None for unknown.
        records: how many of its records are on disk; None if its records are gone.
        bytes: what the batches with them take, as stored; None likewise.
        told_by: "log"; "snapshot": its records are gone; or "both": its first ones are.
        coordinator_state: state of its transactional id, of one that is open.
        reason: of an open one why it hangs, or what will become of it.
        abort_command: of a hanging one what ends it, for brokers from 3.0 on.
        abort_command_before_3_0: the same for older brokers.
        file: the log file in which its first batch on disk stands, or None.
        position: of that batch, in bytes, or None.
    """

    topic: str | None
    partition: int | None
    state: State
    transactional_id: str | None
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int | None
    first_offset: int
    last_offset: int | None
    marker_offset: int | None
    start_timestamp: int | None
    last_timestamp: int | None
    duration_ms: int | None
    records: int | None
    bytes: int | None
    told_by: ToldBy
    coordinator_state: str | None = None
    reason: str | None = None
    abort_command: str | None = None
    abort_command_before_3_0: str | None = None
    file: str | None = None
    position: int | None = None


_OF_TRANSACTION = tuple(Transaction.__dataclass_fields__)


def id_batches(ids: "Iterable[TransactionalId]") -> Iterator[pa.RecordBatch]:
    """Rows of transactional ids, of the schema `SCHEMA`."""
    return _batches(map(_of_id, ids), SCHEMA)


def data_batches(transactions: Iterable[Transaction]) -> Iterator[pa.RecordBatch]:
    """Rows of transactions, of the schema `DATA_SCHEMA`."""
    rows = (tuple(getattr(each, name) for name in _OF_TRANSACTION) for each in transactions)
    return _batches(rows, DATA_SCHEMA)


def _of_id(each: "TransactionalId") -> tuple[Any, ...]:
    return (
        each.transactional_id,
        each.state,
        each.producer_id,
        each.producer_epoch,
        each.transaction_timeout_ms,
        each.transaction_start_time_ms,
        [f"{topic}-{partition}" for topic, partition in each.topic_partitions],
        each.coordinator_partition,
        each.last_update_timestamp,
        each.is_overdue,
        _or_none(each.previous_producer_id),
        _or_none(each.next_producer_id),
        each.client_transaction_version,
        each.offset,
    )


def _batches(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    rest = iter(rows)
    while chunk := list(islice(rest, _AT_A_TIME)):
        columns = zip(*chunk, strict=True)
        arrays = [
            pa.array([as_text(value) if isinstance(value, str) else value for value in column], field.type)
            for column, field in zip(columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _or_none(number: int) -> int | None:
    return None if number == -1 else number
