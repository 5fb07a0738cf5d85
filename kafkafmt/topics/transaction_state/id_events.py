"""Id events: the changes that records of `__transaction_state` make to the previous state of the transactional id."""

from typing import Annotated, Any, Final, NamedTuple

from kafkafmt.answer_columns import TIME
from kafkafmt.errors import CorruptError
from kafkafmt.internal_topics import TRANSACTION_STATE
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.decoding import RECORD, TEXT
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.transaction_state.coordinator import ONGOING, state_of

_EMPTY: Final = "Empty"
_EVENTS: Final = {
    "PrepareCommit": "prepare commit",
    "PrepareAbort": "prepare abort",
    "CompleteCommit": "complete commit",
    "CompleteAbort": "complete abort",
    "Dead": "dead",
    "PrepareEpochFence": "epoch fence",
}
_REMOVED: Final = "removed by the coordinator, as it was unused for transactional.id.expiration.ms"

Partition = tuple[str, int]


class TransactionEvent(NamedTuple):
    """An event of a transactional id, with the columns of the table `history`.

    Attributes:
        timestamp: timestamp of the record or marker, in ms since the epoch; None for none.
        transactional_id: the id.
        event: "initialized" (InitProducerId), "begun", "partitions added", "prepare commit", "prepare abort", "commit
            marker", "abort marker", "complete commit", "complete abort", "expired" (a tombstone); "epoch fence" and
            "dead", which Kafka seldom writes.
        producer_id: its producer id after the event; None for a tombstone.
        producer_epoch: its producer epoch after the event; None for a tombstone; for a marker the epoch in it.
        state: state of the id after the event; None for a marker.
        topic: topic of the data partition that a marker is in.
        partition: number of that partition.
        offset: offset of the record in `__transaction_state`, or of the marker.
        topic_partitions: partitions that were added, as "topic-partition".
        coordinator_partition: partition of `__transaction_state` with the id.
        coordinator_epoch: epoch of the coordinator that wrote a marker.
        detail: what else changed, in words: epochs and producers, how long it took.
    """

    timestamp: Annotated[int | None, TIME]
    transactional_id: Annotated[str, "string"]
    event: Annotated[str, "string"]
    producer_id: Annotated[int | None, "int64"]
    producer_epoch: Annotated[int | None, "int16"]
    state: Annotated[str | None, "string"]
    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    offset: Annotated[int, "int64"]
    topic_partitions: Annotated[list[str] | None, "list<string>"]
    coordinator_partition: Annotated[int, "int32"]
    coordinator_epoch: Annotated[int | None, "int32"]
    detail: Annotated[str | None, "string"]


class _Known(NamedTuple):
    """The state according to the last record of an id."""

    state: str
    producer_id: int
    producer_epoch: int
    partitions: frozenset[Partition]
    started: int


class IdRecord(NamedTuple):
    """A decoded record.

    Attributes:
        transactional_id: the id.
        record: the record.
        value: fields of its value; None for a tombstone.
        partitions: partitions in the transaction.
    """

    transactional_id: str
    record: InternalRecord
    value: dict[str, Any] | None
    partitions: frozenset[Partition]


def decoded(record: InternalRecord) -> IdRecord:
    """Decode a record other than a control record.

    Raises:
        KafkafmtError: the record cannot be decoded.
    """
    if record.key is None:
        raise CorruptError("a record of __transaction_state has no key")
    key = coordinator_records.decode_key(TRANSACTION_STATE, record.key)
    value = coordinator_records.decode_value(TRANSACTION_STATE, key.type, record.value)
    fields = None if value is None else value.data
    partitions = frozenset(
        (each["topic"], number)
        for each in (fields or {}).get("transactionPartitions") or ()
        for number in each["partitionIds"]
    )
    return IdRecord(key.data["transactionalId"], record, fields, partitions)


class IdEvents:
    """Makes the events of transactional ids, in log order."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        return sum(RECORD + 2 * TEXT * len(known.partitions) for known in self._known.values())

    def take(self, of: IdRecord) -> TransactionEvent:
        """The event of the next record."""
        before = self._known.get(of.transactional_id)
        record = of.record
        if of.value is None:
            self._known.pop(of.transactional_id, None)
            return _event(of, "expired", None, None, _REMOVED)
        known = _known_of(of)
        self._known[of.transactional_id] = known
        event = _name_of(before, known)
        added = known.partitions - before.partitions if event == "partitions added" and before else known.partitions
        shown = sorted(added) if event in ("begun", "partitions added") else None
        return _event(of, event, known, shown, _detail(event, before, known, record))


def _known_of(of: IdRecord) -> _Known:
    fields = of.value or {}
    state = state_of(fields["transactionStatus"])
    started = fields["transactionStartTimestampMs"]
    return _Known(state, fields["producerId"], fields["producerEpoch"], of.partitions, started)


def _name_of(before: _Known | None, known: _Known) -> str:
    if known.state == _EMPTY:
        return "initialized"
    if known.state == ONGOING:
        return "partitions added" if before is not None and before.state == ONGOING else "begun"
    return _EVENTS.get(known.state, known.state)


def _detail(event: str, before: _Known | None, known: _Known, record: InternalRecord) -> str | None:
    parts = []
    if before is not None and before.producer_id != known.producer_id:
        parts.append(f"producer {before.producer_id} -> {known.producer_id}")
    if before is not None and before.producer_epoch != known.producer_epoch:
        parts.append(f"epoch {before.producer_epoch} -> {known.producer_epoch}")
    if event.startswith("complete") and known.started >= 0 and record.timestamp >= known.started:
        parts.append(f"{record.timestamp - known.started} ms after it began")
    return ", ".join(parts) or None


def _event(
    of: IdRecord, event: str, known: _Known | None, partitions: list[Partition] | None, detail: str | None
) -> TransactionEvent:
    record = of.record
    return TransactionEvent(
        timestamp=record.timestamp if record.timestamp >= 0 else None,
        transactional_id=of.transactional_id,
        event=event,
        producer_id=None if known is None else known.producer_id,
        producer_epoch=None if known is None else known.producer_epoch,
        state=None if known is None else known.state,
        topic=None,
        partition=None,
        offset=record.offset,
        topic_partitions=None if partitions is None else [f"{topic}-{number}" for topic, number in partitions],
        coordinator_partition=record.partition,
        coordinator_epoch=None,
        detail=detail,
    )
