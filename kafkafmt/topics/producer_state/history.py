"""Producer history: the events of each producer in each partition, the table `history` of `producers`.

It is made from batch headers and markers in log order. A producer that writes without transactions and keeps its epoch
has one event, its first batch; `producers` shows its last batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, Unpack

from kafkafmt.answer_columns import TIME, TableColumns, columns_of
from kafkafmt.columnar.headers import ABORT, COMMIT
from kafkafmt.errors import LimitExceededError, SourceError
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_runs import DATA, ProducerRun
from kafkafmt.logdir.producer_states import MOST_PRODUCERS
from kafkafmt.phrases import counted
from kafkafmt.topics.answers import each_once, order_finding
from kafkafmt.topics.history import History
from kafkafmt.topics.producer_state.choice import ChoiceArguments, PartitionChoice

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.sources import Searchable

_MOST_NAMES: Final = 10
_NO_EPOCH: Final = -1


class ProducerEvent(NamedTuple):
    """An event of a producer in a partition, with the columns of the table `history`.

    Attributes:
        timestamp: timestamp of the first record of the batch, or of the marker, in ms since the epoch; None for none.
        topic: name of the topic, or None for a directory without a Kafka name.
        partition: number of the partition, or None for a directory without a Kafka name.
        producer_id: the producer.
        producer_epoch: its epoch after the event.
        event: "first batch", "epoch raised", "epoch lowered" (Kafka refuses that from a client), "no epoch" (-1 after
            one: a batch without one), "first epoch" (after -1),
            "transaction begun", "committed", "aborted".
        offset: offset of the batch or marker.
        transaction_first_offset: first offset of the transaction that a marker ends; None if the log does not have it.
        transaction_records: number of its records in the log.
        coordinator_epoch: epoch of the coordinator that wrote a marker.
        detail: what else changed, in words.
        path: the partition directory, or the file that is a source itself.
    """

    timestamp: Annotated[int | None, TIME]
    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    producer_id: Annotated[int, "int64"]
    producer_epoch: Annotated[int, "int16"]
    event: Annotated[str, "string"]
    offset: Annotated[int, "int64"]
    transaction_first_offset: Annotated[int | None, "int64"]
    transaction_records: Annotated[int | None, "int64"]
    coordinator_epoch: Annotated[int | None, "int32"]
    detail: Annotated[str | None, "string"]
    path: Annotated[str, "string"]


PRODUCER_HISTORY = TableColumns(*columns_of(ProducerEvent))
"""Columns of the table `history`."""


@dataclass(slots=True)
class _SoFar:
    """State of a producer in a partition after the batches so far."""

    epoch: int
    begun: int | None = None
    records: int = 0


class PartitionProducerEvents:
    """Makes the events of one partition.

    Args:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        path: path of the partition.
        producer_ids: only these producers; None for all.
    """

    def __init__(
        self, topic: str | None, partition: int | None, path: str, producer_ids: frozenset[int] | None = None
    ) -> None:
        self._where = topic, partition
        self._path = path
        self._wanted = producer_ids
        self._known: dict[int, _SoFar] = {}

    def take(self, run: ProducerRun) -> Iterator[ProducerEvent]:
        """The events of the next batches of a producer.

        Raises:
            LimitExceededError: there are more than two million producers.
        """
        if self._wanted is not None and run.producer_id not in self._wanted:
            return
        known = self._known.get(run.producer_id)
        if known is None:
            if len(self._known) >= MOST_PRODUCERS:
                raise LimitExceededError(
                    "too many producers", file=self._path, position=run.position, expected=f"at most {MOST_PRODUCERS}"
                )
            known = self._known[run.producer_id] = _SoFar(run.producer_epoch)
            if run.kind == DATA:
                yield self._event(run, "first batch")
        elif run.producer_epoch != known.epoch and run.kind == DATA:
            yield self._event(
                run, _epoch_event(known.epoch, run.producer_epoch), f"epoch {known.epoch} -> {run.producer_epoch}"
            )
        if run.kind == DATA:
            known.epoch = run.producer_epoch
            yield from self._data(run, known)
        else:
            yield from self._marker(run, known)

    def _data(self, run: ProducerRun, known: _SoFar) -> Iterator[ProducerEvent]:
        if not run.in_transaction:
            return
        if known.begun is None:
            known.begun, known.records = run.first_offset, 0
            yield self._event(run, "transaction begun")
        known.records += run.records

    def _marker(self, run: ProducerRun, known: _SoFar) -> Iterator[ProducerEvent]:
        begun, records = known.begun, known.records
        before, known.epoch, known.begun = known.epoch, run.producer_epoch, None
        if run.kind in (ABORT, COMMIT):
            detail = None if before == run.producer_epoch else f"epoch {before} -> {run.producer_epoch}"
            event = self._event(run, "committed" if run.kind == COMMIT else "aborted", detail)
            yield event._replace(
                transaction_first_offset=begun,
                transaction_records=None if begun is None else records,
                coordinator_epoch=run.coordinator_epoch,
            )

    def _event(self, run: ProducerRun, event: str, detail: str | None = None) -> ProducerEvent:
        time = run.first_timestamp
        return ProducerEvent(
            timestamp=time if time >= 0 else None,
            topic=self._where[0],
            partition=self._where[1],
            producer_id=run.producer_id,
            producer_epoch=run.producer_epoch,
            event=event,
            offset=run.first_offset,
            transaction_first_offset=None,
            transaction_records=None,
            coordinator_epoch=None,
            detail=detail,
            path=self._path,
        )


def _epoch_event(before: int, after: int) -> str:
    """The event of a data batch with another producer epoch; -1 stands for none (`RecordBatch.NO_PRODUCER_EPOCH`)."""
    if _NO_EPOCH in (before, after):
        return "no epoch" if after == _NO_EPOCH else "first epoch"
    return "epoch raised" if after > before else "epoch lowered"


class ProducerHistory(History[ProducerEvent]):
    """The history of producers; each pass reads the batch headers again.

    Args:
        choice: selects what is read.
    """

    COLUMNS = PRODUCER_HISTORY

    def __init__(self, choice: PartitionChoice) -> None:
        super().__init__()
        self._choice = choice

    def size_in_bytes(self) -> int:
        """Size of the log files to read."""
        return self._choice.size_in_bytes()

    def _events(self) -> Iterator[ProducerEvent]:
        chosen, self.skipped_replicas, self.findings = self._choice.choose()
        late: list[str] = []
        for found in chosen:
            try:
                yield from self._of_partition(found, late)
            except SourceError as error:
                self._choice.searched.report(error)
                continue
            self._choice.searched.was_read = True
            self._advance(sum(segment.size for segment in found.segments))
        if late:
            shown = ", ".join(late[:_MOST_NAMES]) + (
                f" and {len(late) - _MOST_NAMES} more" if late[_MOST_NAMES:] else ""
            )
            self.notes.append(
                f"the beginning of {counted(len(late), 'log')} is gone (retention), so a first batch there need not be "
                f"the first: {shown}"
            )

    def _of_partition(self, found: "Found", late: list[str]) -> Iterator[ProducerEvent]:
        partition = found.partition
        damage: list[Damage] = []
        end = self._choice.as_of.end_of(found, self._choice.on_damage, damage, partition.partition)
        walk = BatchWalk(found.segments, self._choice.on_damage, self._choice.limits, damage.append)
        walk.note = lambda *fault: self.findings.append(order_finding(partition, *fault))
        events = PartitionProducerEvents(partition.topic, partition.partition, found.path, self._choice.producer_ids)
        has_any = False
        try:
            for runs in walk.runs(end=end):
                for run in runs:
                    for event in events.take(run):
                        has_any = True
                        yield event
        finally:
            self.damage += each_once(damage)
        if has_any and walk.first_offset:
            late.append(partition.name)


def producer_history(source: "Searchable", **wanted: "Unpack[ChoiceArguments]") -> ProducerHistory:
    """List the events of producers in each partition, like `producers(..).history`, without their state at the end.

    Args:
        source: as for `kafkafmt.topics.producers`.
        **wanted: as for `kafkafmt.topics.producers`.

    Raises:
        SourceError: a source is missing or unreadable, or has no files of Kafka's.
        TypeError, ValueError: an invalid argument.
    """
    return ProducerHistory(PartitionChoice.of(source, **wanted))
