"""A broker's state of each producer, batch by batch (KIP-98).

This is the package's only implementation of Kafka's `ProducerStateEntry`, `ProducerAppendInfo` and
`ProducerStateManager`; the producers of a log, a log writer's appends, and the replay at a start use it. Appends have
the origin REPLICATION: no sequence number and no epoch is refused.

A batch of data sets the producer's last sequence number, offset and timestamp; the first batch of a transaction sets
its start offset. A marker ends the transaction, and sets the coordinator epoch and the timestamp. A new producer epoch,
also that of a marker (KIP-890 bumps it), clears the last batch, so that the last sequence number is -1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkafmt.errors import CorruptError, DataError, LimitExceededError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.files.transaction_index import AbortedTransaction
from kafkafmt.logdir.producer_runs import DATA, EMPTY_MARKER, ProducerRun
from kafkafmt.reference.control import InvalidRecordError, end_transaction_marker
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import CURRENT_MAGIC

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

MOST_PRODUCERS: Final = 2_000_000
"""Limit of tracked producers of one partition, a third of a kilobyte each."""

_NONE: Final = -1
_NO_PRODUCER: Final = -1
_FIRST_TABLE = 16
_MASK = 0xFFFFFFFF


class Marker(NamedTuple):
    """Content of a transaction marker: whether it aborts, its coordinator's epoch, its timestamp in ms."""

    is_abort: bool
    coordinator_epoch: int
    timestamp: int


class CompletedTransaction(NamedTuple):
    """A transaction that a marker has ended: Kafka's `CompletedTxn`."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


@dataclass(slots=True)
class Producer:
    """State of one producer, Kafka's `ProducerStateEntry`; names as in `ProducerState`, -1 for none.

    Attributes:
        marker_offset: offset of its last marker, or -1; a snapshot has neither this nor the following fields.
        marker_epoch: producer epoch of that marker, or -1.
        data_timestamp: timestamp of its last batch of data, or -1.
    """

    producer_epoch: int = _NONE
    coordinator_epoch: int = _NONE
    last_sequence: int = _NONE
    last_offset: int = _NONE
    offset_delta: int = 0
    timestamp: int = _NONE
    current_txn_first_offset: int | None = None
    marker_offset: int = _NONE
    marker_epoch: int = _NONE
    data_timestamp: int = _NONE

    @classmethod
    def of(cls, entry: ProducerState) -> "Producer":
        """State of a snapshot's entry."""
        return cls(
            entry.producer_epoch,
            entry.coordinator_epoch,
            entry.last_sequence if entry.has_batch else _NONE,
            entry.last_offset,
            entry.offset_delta,
            entry.timestamp,
            entry.current_txn_first_offset,
        )

    def apply(self, run: ProducerRun) -> None:
        """Apply consecutive batches."""
        if run.kind == DATA:
            self.add_data(run.producer_epoch, run.last_sequence, run.last_base_offset, run.last_offset, run.timestamp)
            if run.in_transaction and self.current_txn_first_offset is None:
                self.current_txn_first_offset = run.first_offset
        elif run.kind != EMPTY_MARKER:
            self.end_transaction(run.producer_epoch, run.coordinator_epoch, run.first_offset, run.timestamp)

    def add_data(self, epoch: int, last_sequence: int, base_offset: int, last_offset: int, timestamp: int) -> None:
        """Apply a batch of data (`ProducerStateEntry.addBatch`), without regard to transactions."""
        self.producer_epoch = epoch
        self.timestamp = self.data_timestamp = timestamp
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = last_offset - base_offset

    def end_transaction(self, epoch: int, coordinator_epoch: int, offset: int, timestamp: int) -> None:
        """Apply a marker (`ProducerAppendInfo.appendEndTxnMarker`)."""
        if epoch != self.producer_epoch:
            self.producer_epoch = epoch
            self.last_sequence = self.last_offset = _NONE
            self.offset_delta = 0
        self.timestamp = timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = None
        self.marker_offset = offset
        self.marker_epoch = epoch

    def state(self, producer_id: int) -> ProducerState:
        """The snapshot entry for this state."""
        return ProducerState(
            producer_id,
            self.producer_epoch,
            self.coordinator_epoch,
            self.last_sequence,
            self.last_offset,
            self.offset_delta,
            self.timestamp,
            self.current_txn_first_offset,
        )


class ProducerStates:
    """The producers of one partition, in the order of their first batches.

    Args:
        entries: initial state, as from a snapshot.
        producer_ids: producers to track; None for all.
        only_open: whether to forget producers without an open transaction.

    Attributes:
        ongoing: producer id by first offset of each open transaction: Kafka's `ongoingTxns`. Runs do not change it.
    """

    def __init__(
        self,
        entries: Iterable[ProducerState] = (),
        producer_ids: frozenset[int] | None = None,
        *,
        only_open: bool = False,
    ) -> None:
        self._wanted = producer_ids
        self._only_open = only_open
        self._producers: dict[int, Producer] = {}
        self.ongoing: dict[int, int] = {}
        self._firsts: list[int] = []  # a heap of the keys of `ongoing`, and of some that are gone
        # Capacity of Kafka's HashMap, which never shrinks.
        self._table = _FIRST_TABLE
        for entry in entries:
            first = entry.current_txn_first_offset
            if (producer_ids is None or entry.producer_id in producer_ids) and not (only_open and first is None):
                self._put(entry.producer_id, Producer.of(entry))
                if first is not None:
                    self.begin(first, entry.producer_id)

    def __len__(self) -> int:
        return len(self._producers)

    def add(self, runs: Iterable[ProducerRun]) -> None:
        """Apply the next batches of the log, even those that Kafka would refuse.

        Raises:
            LimitExceededError: there are more than `MOST_PRODUCERS` producers.
        """
        for run in runs:
            if self._wanted is not None and run.producer_id not in self._wanted:
                continue
            producer = self._producers.get(run.producer_id)
            if producer is None:
                if len(self._producers) >= MOST_PRODUCERS:
                    raise LimitExceededError(
                        "too many producers wrote to this partition; name some by their ids,"
                        " or use only the newest snapshot",
                        expected=f"at most {MOST_PRODUCERS}",
                    )
                producer = Producer()
                self._put(run.producer_id, producer)
            producer.apply(run)

    def prepare(self) -> "ProducerAppend":
        """Begin to append one batch or several together; nothing changes before the commit."""
        return ProducerAppend(self)

    def get(self, producer_id: int) -> Producer | None:
        """State of one producer, or None."""
        return self._producers.get(producer_id)

    def items(self) -> Iterator[tuple[int, Producer]]:
        """Producer ids and states."""
        return iter(self._producers.items())

    def entries(self) -> tuple[ProducerState, ...]:
        """Snapshot entries of all producers, by id."""
        return tuple(self._producers[producer_id].state(producer_id) for producer_id in sorted(self._producers))

    def snapshot(self) -> bytes:
        """Make the file of a snapshot, with producers in the order of Java's `HashMap<Long, ..>`."""
        buckets: dict[int, list[ProducerState]] = {}
        for producer_id, producer in self._producers.items():
            buckets.setdefault(_hash(producer_id) & (self._table - 1), []).append(producer.state(producer_id))
        return producer_snapshot.encode([state for bucket in sorted(buckets) for state in buckets[bucket]])

    def take(self, producer_id: int, producer: Producer) -> None:
        """Set the state of a producer (`ProducerStateManager.update`)."""
        if self._only_open and producer.current_txn_first_offset is None:
            self._producers.pop(producer_id, None)
        else:
            self._put(producer_id, producer)

    def begin(self, first_offset: int, producer_id: int) -> None:
        """Note that a transaction is open."""
        self.ongoing[first_offset] = producer_id
        heappush(self._firsts, first_offset)

    def first_of_others(self, producer_id: int) -> int | None:
        """First offset of the earliest open transaction of the other producers, or None."""
        firsts, own = self._firsts, []
        found = None
        while firsts and found is None:
            other = self.ongoing.get(firsts[0])
            if other is not None and other != producer_id:
                found = firsts[0]
            elif (first := heappop(firsts)) in self.ongoing:
                own.append(first)
        for first in own:
            heappush(firsts, first)
        return found

    def _put(self, producer_id: int, producer: Producer) -> None:
        self._producers[producer_id] = producer
        while len(self._producers) > self._table * 3 // 4:
            self._table *= 2


class ProducerAppend:
    """Batches appended together: Kafka's `ProducerAppendInfo` of each producer.

    Args:
        states: changed by `commit`.
    """

    def __init__(self, states: ProducerStates) -> None:
        self._states = states
        self._changed: dict[int, Producer] = {}
        self._started: dict[int, int] = {}
        self._completed: list[CompletedTransaction] = []

    def data(
        self,
        producer_id: int,
        epoch: int,
        last_sequence: int,
        offsets: tuple[int, int],
        timestamp: int,
        *,
        is_transactional: bool,
    ) -> None:
        """Append a batch of data.

        Args:
            producer_id: id of the producer.
            epoch: producer epoch.
            last_sequence: sequence number of the last record, or -1.
            offsets: base offset and last offset.
            timestamp: largest timestamp, in ms since the epoch.
            is_transactional: whether the batch is part of a transaction.

        Raises:
            CorruptError: Kafka throws; the message is the class and text of its exception.
        """
        producer = self._of(producer_id)
        base_offset, last_offset = offsets
        producer.add_data(epoch, last_sequence, base_offset, last_offset, timestamp)
        first = producer.current_txn_first_offset
        if first is None and is_transactional:
            producer.current_txn_first_offset = base_offset
            self._started[base_offset] = producer_id
        elif first is not None and not is_transactional:
            raise CorruptError(
                "org.apache.kafka.common.errors.InvalidTxnStateException: Expected transactional write from producer "
                f"{producer_id} at offset {base_offset}"
            )

    def marker(self, producer_id: int, epoch: int, offset: int, marker: Marker | None) -> None:
        """Append a control batch.

        Args:
            producer_id: id of the producer.
            epoch: producer epoch.
            offset: base offset.
            marker: content of the marker; None if the cleaner removed its record.
        """
        producer = self._of(producer_id)
        if marker is None:
            return
        first = producer.current_txn_first_offset
        if first is not None:
            self._completed.append(CompletedTransaction(producer_id, first, offset, marker.is_abort))
        producer.end_transaction(epoch, marker.coordinator_epoch, offset, marker.timestamp)

    def add(self, header: "BatchHeader", data: bytes | memoryview) -> None:
        """Append an entry by its header; the content of a control batch is read from its bytes.

        Raises:
            CorruptError: Kafka throws; the message is the class and text of its exception.
        """
        if header.magic < CURRENT_MAGIC or header.producer_id <= _NO_PRODUCER:
            return
        base_offset, last_offset = header.base_offset or 0, header.last_offset or 0
        if header.is_control_batch:
            self.marker(header.producer_id, header.producer_epoch, base_offset, marker_of(data))
            return
        self.data(
            header.producer_id,
            header.producer_epoch,
            header.last_sequence,
            (base_offset, last_offset),
            -1 if header.max_timestamp is None else header.max_timestamp,
            is_transactional=header.is_transactional,
        )

    def commit(self) -> list[AbortedTransaction]:
        """Apply the appended batches, and return the aborted transactions that they ended, for the transaction index.

        Raises:
            CorruptError: Kafka throws; the message is the class and text of its exception.
        """
        states = self._states
        for producer_id, producer in self._changed.items():
            states.take(producer_id, producer)
        for first_offset, producer_id in self._started.items():
            states.begin(first_offset, producer_id)
        aborted = []
        for each in self._completed:
            if each.is_aborted:
                stable = states.first_of_others(each.producer_id)
                stable = each.last_offset + 1 if stable is None else stable
                aborted.append(AbortedTransaction(0, each.producer_id, each.first_offset, each.last_offset, stable))
            if states.ongoing.pop(each.first_offset, None) is None:
                raise CorruptError(
                    "java.lang.IllegalArgumentException: Attempted to complete transaction "
                    f"CompletedTxn(producerId={each.producer_id}, firstOffset={each.first_offset}, "
                    f"lastOffset={each.last_offset}, isAborted={str(each.is_aborted).lower()}) which was not started"
                )
        return aborted

    def _of(self, producer_id: int) -> Producer:
        producer = self._changed.get(producer_id)
        if producer is None:
            known = self._states.get(producer_id)
            producer = self._changed[producer_id] = Producer() if known is None else replace(known)
        return producer


def marker_of(data: bytes | memoryview) -> Marker | None:
    """Read the transaction marker of a control batch; None if the cleaner removed its record.

    Args:
        data: bytes of the batch.

    Raises:
        InvalidRecordError: Kafka throws an InvalidRecordException.
        CorruptError: Kafka throws another exception; the message is its class and text.
    """
    entry = Entry(data)
    try:
        header = entry.header()
        if header.count == 0:
            return None
        # Kafka reads the first record; later ones only if it reads to the last.
        record = next(entry.records(header=header) if header.count == 1 else entry.readable_records(header))
    except DataError as error:
        raise InvalidRecordError(f"org.apache.kafka.common.InvalidRecordException: {error.message}") from error
    control_type, coordinator_epoch = end_transaction_marker(record.key, record.value)
    return Marker(control_type == "ABORT", coordinator_epoch, record.timestamp)


def _hash(producer_id: int) -> int:
    """`Long.hashCode`, spread as `HashMap.hash` does."""
    hashed = (producer_id ^ (producer_id & (1 << 64) - 1) >> 32) & _MASK
    return hashed ^ hashed >> 16
