"""What a broker remembers of each producer, kept up batch by batch (Kafka's `ProducerStateManager`, KIP-98).

A batch of data moves the producer's sequence, offset and time; the first one of a transaction says where that begins. A
marker ends it, tells the epoch of the coordinator that wrote it, and its time is the producer's last. A new epoch, be
it that of a marker (KIP-890 raises it by one), leaves no batch to remember: the last sequence is -1 then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kafkafmt.errors import LimitExceededError
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.topics.producer_state.batches import DATA, EMPTY_MARKER, Rows, Run, runs_of

MOST_PRODUCERS: Final = 2_000_000
"""Producers of one partition that are followed; each takes a third of a kilobyte."""

_NONE: Final = -1


@dataclass(slots=True)
class Producer:
    """What is remembered of one producer; the names are those of `ProducerState`, -1 is none.

    Attributes:
        marker_offset: offset of the last marker that was met, or -1; no snapshot has it, nor what follows.
        marker_epoch: the producer's epoch in that marker, or -1.
        data_timestamp: of the last batch of data that was met, or -1.
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

    def apply(self, run: Run) -> None:
        """Take note of batches in a row."""
        if run.kind == EMPTY_MARKER:
            return
        if run.producer_epoch != self.producer_epoch:
            self.producer_epoch = run.producer_epoch
            self.last_sequence = self.last_offset = _NONE
            self.offset_delta = 0
        self.timestamp = run.timestamp
        if run.kind != DATA:
            self.coordinator_epoch = run.coordinator_epoch
            self.current_txn_first_offset = None
            self.marker_offset = run.first_offset
            self.marker_epoch = run.producer_epoch
            return
        self.data_timestamp = run.timestamp
        self.last_sequence = run.last_sequence
        self.last_offset = run.last_offset
        self.offset_delta = run.last_offset - run.last_base_offset
        if run.in_transaction and self.current_txn_first_offset is None:
            self.current_txn_first_offset = run.first_offset

    def state(self, producer_id: int) -> ProducerState:
        """The same as a snapshot has it."""
        return ProducerState(
            producer_id=producer_id,
            producer_epoch=self.producer_epoch,
            coordinator_epoch=self.coordinator_epoch,
            last_sequence=self.last_sequence,
            last_offset=self.last_offset,
            offset_delta=self.offset_delta,
            timestamp=self.timestamp,
            current_txn_first_offset=self.current_txn_first_offset,
        )


class ProducerStates:
    """The producers of one partition.

    Args:
        entries: what is remembered already, as from a snapshot.
        producer_ids: only these are followed; None for all.
    """

    def __init__(self, entries: Iterable[ProducerState] = (), producer_ids: frozenset[int] | None = None) -> None:
        self._wanted = producer_ids
        self._producers = {
            entry.producer_id: Producer(
                entry.producer_epoch,
                entry.coordinator_epoch,
                entry.last_sequence if entry.has_batch else _NONE,
                entry.last_offset,
                entry.offset_delta,
                entry.timestamp,
                entry.current_txn_first_offset,
            )
            for entry in entries
            if producer_ids is None or entry.producer_id in producer_ids
        }

    def __len__(self) -> int:
        return len(self._producers)

    def add(self, rows: Rows) -> None:
        """Take note of batches that follow in the log, of type `kafkafmt.topics.producer_state.batches.BATCH`.

        Raises:
            LimitExceededError: there are more producers than are to be followed.
        """
        for run in runs_of(rows):
            if self._wanted is not None and run.producer_id not in self._wanted:
                continue
            producer = self._producers.get(run.producer_id)
            if producer is None:
                if len(self._producers) >= MOST_PRODUCERS:
                    raise LimitExceededError(
                        "more producers wrote to this partition than can be followed; name some by their ids,"
                        " or go by the newest snapshot alone",
                        expected=f"at most {MOST_PRODUCERS}",
                    )
                producer = self._producers[run.producer_id] = Producer()
            producer.apply(run)

    def get(self, producer_id: int) -> Producer | None:
        """What is remembered of one, or None."""
        return self._producers.get(producer_id)

    def items(self) -> Iterator[tuple[int, Producer]]:
        """Each producer id and what is remembered of it."""
        return iter(self._producers.items())

    def entries(self) -> tuple[ProducerState, ...]:
        """All producers, by id."""
        return tuple(self._producers[each].state(each) for each in sorted(self._producers))
