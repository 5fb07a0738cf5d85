"""Transactions in data partitions: gathered from the batches of a partition, and as rows of the answer."""

from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from kafkafmt.columnar.markers import ABORT, COMMIT
from kafkafmt.logdir.producer_batches import ProducerRun
from kafkafmt.logdir.transactions import OngoingTransaction, OngoingTransactions
from kafkafmt.topics.answers import TIME

if TYPE_CHECKING:
    from kafkafmt.files.producer_snapshot import ProducerState

Outcome = Literal["open", "committed", "aborted"]
State = Literal["hanging", "open", "committed", "aborted"]
FoundIn = Literal["log", "snapshot", "both"]

_OUTCOMES: Final[tuple[Outcome, ...]] = ("aborted", "committed")
_A_BLOCK: Final = 4096


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
        ("startTimestamp", TIME),
        ("lastTimestamp", TIME),
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
"""Columns of the table `data`."""


class DataTransaction(NamedTuple):
    """One transaction as the batches of its partition have it.

    Attributes:
        outcome: "open", "committed" or "aborted".
        producer_id: its producer.
        producer_epoch: epoch of its data; its marker can have the next one (KIP-890).
        coordinator_epoch: coordinator epoch of its marker; -1 while it is open.
        first_offset: offset of its first record.
        last_offset: offset of its last record; below `first_offset` if none is on disk.
        marker_offset: offset of its marker; -1 while it is open.
        start_timestamp: timestamp of its first batch, in ms since the epoch; -1 if unknown.
        last_timestamp: timestamp of its last batch, or of its marker.
        records: number of its records on disk.
        bytes: stored size of the batches with them.
        is_partial: whether its first batches are gone, and its first offset is known from a snapshot.
        is_doubtful: whether damage follows its first batch, in which its marker may be lost.
        segment: number of the segment with its first batch on disk; -1 for none.
        position: position of that batch in its file, in bytes.
    """

    outcome: Outcome
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    first_offset: int
    last_offset: int
    marker_offset: int
    start_timestamp: int
    last_timestamp: int
    records: int
    bytes: int
    is_partial: bool
    is_doubtful: bool
    segment: int
    position: int


class DataTransactions:
    """Gathers the transactions of a partition from its batches, in log order.

    Args:
        most_ended: number of committed and aborted transactions that are kept, the newest, or a few thousand more; each
            takes an eighth of a kilobyte. 0 for none.
        producer_ids: only these producers; None for all.

    Attributes:
        ended_count: number of ended transactions that are kept.
        dropped: number of ended transactions that are not kept, as there are more.
        newest_marker: largest timestamp of a marker, by a broker's clock, in ms since the epoch; -1 for none.
    """

    def __init__(self, most_ended: int, producer_ids: frozenset[int] | None = None) -> None:
        self.ended_count = 0
        self.dropped = 0
        self.newest_marker = -1
        self._wanted = producer_ids
        self._most_ended = most_ended
        self._open = OngoingTransactions()
        self._ended: deque[array[int]] = deque()

    def begin(self, entries: "Iterable[ProducerState]") -> None:
        """Add transactions that are open in a snapshot at the beginning of the log."""
        for entry in entries:
            if entry.current_txn_first_offset is not None and self._takes(entry.producer_id):
                self._open[entry.producer_id] = _from_snapshot(entry)

    def see(self, runs: Iterable[ProducerRun]) -> None:
        """Add the next batches.

        Raises:
            LimitExceededError: too many transactions are open at once.
        """
        for run in runs:
            if self._takes(run.producer_id):
                if run.kind in (ABORT, COMMIT):
                    self.newest_marker = max(self.newest_marker, run.timestamp)
                ended = self._open.add(run)
                if ended is not None:
                    self._keep(_transaction(run.producer_id, ended, run))

    def see_damage(self) -> None:
        """Note damage after the batches so far, in which markers may be lost."""
        for known in self._open.values():
            known.is_doubtful = True

    def open(self) -> Iterator[DataTransaction]:
        """Transactions that are open at the end."""
        return (_transaction(producer_id, known) for producer_id, known in self._open.items())

    def ended(self) -> Iterator[DataTransaction]:
        """Ended transactions that are kept, by first offset."""
        if not self._ended:
            return
        width = len(DataTransaction._fields)
        rows = np.concatenate([np.frombuffer(block, np.int64) for block in self._ended]).reshape(-1, width)
        order = np.argsort(rows[:, DataTransaction._fields.index("first_offset")], kind="stable")
        for begin in range(0, len(order), _A_BLOCK):
            for outcome, *numbers in rows[order[begin : begin + _A_BLOCK]].tolist():
                ended = DataTransaction(_OUTCOMES[outcome], *numbers)
                yield ended._replace(is_partial=bool(ended.is_partial), is_doubtful=bool(ended.is_doubtful))

    def _takes(self, producer_id: int) -> bool:
        return self._wanted is None or producer_id in self._wanted

    def _keep(self, ended: DataTransaction) -> None:
        if not self._most_ended:
            self.dropped += 1
            return
        width = len(DataTransaction._fields)
        if not self._ended or len(self._ended[-1]) >= _A_BLOCK * width:
            self._ended.append(array("q"))
        self._ended[-1].extend((_OUTCOMES.index(ended.outcome), *ended[1:]))
        self.ended_count += 1
        if self.ended_count - len(self._ended[0]) // width >= self._most_ended:
            gone = len(self._ended.popleft()) // width
            self.ended_count -= gone
            self.dropped += gone


def of_snapshot(entry: "ProducerState") -> DataTransaction:
    """The open transaction of a producer that is only in a snapshot."""
    return _transaction(entry.producer_id, _from_snapshot(entry))._replace(coordinator_epoch=entry.coordinator_epoch)


def _from_snapshot(entry: "ProducerState") -> OngoingTransaction:
    start = -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset
    return OngoingTransaction(
        entry.producer_epoch, start, entry.last_offset, -1, entry.timestamp, start, start, is_partial=True
    )


def _transaction(producer_id: int, known: OngoingTransaction, marker: ProducerRun | None = None) -> DataTransaction:
    """A transaction and the marker that ends it."""
    return DataTransaction(
        "open" if marker is None else "aborted" if marker.kind == ABORT else "committed",
        producer_id,
        known.producer_epoch,
        -1 if marker is None else marker.coordinator_epoch,
        known.first_offset,
        known.last_offset,
        -1 if marker is None else marker.first_offset,
        known.start_timestamp,
        known.last_timestamp if marker is None else marker.timestamp,
        *(known.records, known.bytes, known.is_partial, known.is_doubtful, known.segment, known.position),
    )


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction in one data partition.

    Attributes:
        topic: name of the topic, or None for a directory without a Kafka name.
        partition: number of the partition, or None likewise.
        state: "hanging", "open", "committed" or "aborted".
        transactional_id: its transactional id, if `__transaction_state` has it.
        producer_id: its producer.
        producer_epoch: producer epoch of its data.
        coordinator_epoch: coordinator epoch of its marker; if it is open, of the producer's last marker. None for none.
        first_offset: offset of its first record.
        last_offset: offset of its last record; None if neither log nor snapshot has it.
        marker_offset: offset of its marker, or None.
        start_timestamp: timestamp of its first record, in ms since the epoch, or None.
        last_timestamp: timestamp of its last batch or its marker, or None.
        duration_ms: time from its first record to its marker, or to the newest time on the disks; None if unknown.
        records: number of its records on disk; None if they are gone.
        bytes: stored size of the batches with them; None likewise.
        told_by: where it was found: "log"; "snapshot", if its records are gone; "both", if its first ones are.
        coordinator_state: state of its transactional id, if it is open.
        reason: of an open transaction, why it hangs or what happens to it.
        abort_command: command that ends a hanging transaction, for brokers from 3.0 on.
        abort_command_before_3_0: the same for older brokers.
        file: log file with its first batch on disk, or None.
        position: position of that batch in bytes, or None.
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
    told_by: FoundIn
    coordinator_state: str | None = None
    reason: str | None = None
    abort_command: str | None = None
    abort_command_before_3_0: str | None = None
    file: str | None = None
    position: int | None = None
