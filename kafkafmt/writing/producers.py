"""Producer states: what a broker remembers of producers while it appends (Kafka's `ProducerStateManager`)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from kafkafmt.errors import CorruptError
from kafkafmt.files import producer_snapshot
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.files.transaction_index import AbortedTransaction
from kafkafmt.reference.control import TRANSACTION_MARKERS
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC

_NO_PRODUCER = -1
_NOTHING = {"last_sequence": -1, "last_offset": -1, "offset_delta": 0}
_FIRST_TABLE = 16
_MASK = 0xFFFFFFFF


class Marker(NamedTuple):
    """What a transaction marker says: whether it aborts, its coordinator's epoch, its timestamp in ms."""

    is_abort: bool
    coordinator_epoch: int
    timestamp: int


class ProducerUpdate(NamedTuple):
    """What an append makes of the producers; nothing has changed yet.

    Attributes:
        states: of the producers that wrote something.
        aborted: entries for the transaction index.
    """

    states: Mapping[int, ProducerState]
    aborted: list[AbortedTransaction]


class RememberedProducers:
    """The producers of a partition, in the order in which a snapshot lists them.

    Args:
        states: as a snapshot has them.
    """

    def __init__(self, states: Iterable[ProducerState] = ()) -> None:
        self._states: dict[int, ProducerState] = {}
        # Capacity of the HashMap, which never shrinks.
        self._table = _FIRST_TABLE
        for state in states:
            self._put(state)

    def prepare(self, batches: Iterable[tuple[BatchHeader, bytes | memoryview]]) -> ProducerUpdate:
        """Compute what batches appended together change, as a follower takes them (`ProducerAppendInfo`).

        Args:
            batches: header and bytes of each, in order.

        Raises:
            CorruptError: a marker that cannot be read, or data without transaction within a transaction.
        """
        states: dict[int, ProducerState] = {}
        completed: list[tuple[int, int, int, bool]] = []
        opened: dict[int, int] = {}
        for header, data in batches:
            producer_id = header.producer_id
            if header.magic < CURRENT_MAGIC or producer_id == _NO_PRODUCER:
                continue
            state = states.get(producer_id) or self._states.get(producer_id) or _new(header)
            if state.producer_epoch != header.producer_epoch:
                state = replace(state, producer_epoch=header.producer_epoch, **_NOTHING)
            if header.is_control_batch:
                marker = marker_of(header, data)
                if marker is None:
                    continue
                first = state.current_txn_first_offset
                if first is not None:
                    completed.append((producer_id, first, header.base_offset or 0, marker.is_abort))
                state = replace(
                    state,
                    coordinator_epoch=marker.coordinator_epoch,
                    timestamp=marker.timestamp,
                    current_txn_first_offset=None,
                )
            else:
                state = _with_data(state, header)
                if header.is_transactional and state.current_txn_first_offset is not None:
                    opened.setdefault(state.current_txn_first_offset, producer_id)
            states[producer_id] = state
        return ProducerUpdate(states, self._aborted(completed, opened))

    def commit(self, change: ProducerUpdate) -> None:
        """Take over what was prepared."""
        for state in change.states.values():
            self._put(state)

    def snapshot(self) -> bytes:
        """Make the file, its producers in the order of Java's `HashMap<Long, ..>`."""
        buckets: dict[int, list[ProducerState]] = {}
        for producer_id, state in self._states.items():
            buckets.setdefault(_hash(producer_id) & (self._table - 1), []).append(state)
        return producer_snapshot.encode([state for bucket in sorted(buckets) for state in buckets[bucket]])

    def _put(self, state: ProducerState) -> None:
        self._states[state.producer_id] = state
        while len(self._states) > self._table * 3 // 4:
            self._table *= 2

    def _aborted(
        self, completed: list[tuple[int, int, int, bool]], opened: Mapping[int, int]
    ) -> list[AbortedTransaction]:
        if not completed:
            return []
        ongoing = {
            state.current_txn_first_offset: state.producer_id
            for state in self._states.values()
            if state.current_txn_first_offset is not None
        }
        ongoing.update(opened)
        entries = []
        for producer_id, first_offset, marker_offset, is_abort in completed:
            others = [offset for offset, other in ongoing.items() if other != producer_id]
            if is_abort:
                stable = min(others, default=marker_offset + 1)
                entries.append(AbortedTransaction(0, producer_id, first_offset, marker_offset, stable))
            ongoing.pop(first_offset, None)
        return entries


def marker_of(header: BatchHeader, data: bytes | memoryview) -> Marker | None:
    """Read the transaction marker of a control batch; None if it holds none (the cleaner took it, or it is another).

    Raises:
        CorruptError: it cannot be read.
    """
    for record in Entry(data, header.file, header.position).records():
        name = record.control_type
        if name not in TRANSACTION_MARKERS:
            return None
        epoch = record.coordinator_epoch
        return Marker(name == "ABORT", -1 if epoch is None else epoch, record.timestamp)
    return None


def _new(header: BatchHeader) -> ProducerState:
    return ProducerState(header.producer_id, header.producer_epoch, -1, -1, -1, 0, -1, None)


def _with_data(state: ProducerState, header: BatchHeader) -> ProducerState:
    first = state.current_txn_first_offset
    if first is not None and not header.is_transactional:
        raise CorruptError(
            f"a batch of producer {header.producer_id} that is not transactional, while its transaction is open",
            file=header.file,
            position=header.position,
        )
    base_offset, last_offset = header.base_offset or 0, header.last_offset or 0
    return replace(
        state,
        last_sequence=header.last_sequence,
        last_offset=last_offset,
        offset_delta=last_offset - base_offset,
        timestamp=-1 if header.max_timestamp is None else header.max_timestamp,
        current_txn_first_offset=base_offset if first is None and header.is_transactional else first,
    )


def _hash(producer_id: int) -> int:
    """`Long.hashCode`, spread as `HashMap.hash` does."""
    hashed = (producer_id ^ (producer_id & (1 << 64) - 1) >> 32) & _MASK
    return hashed ^ hashed >> 16
