"""State of the transaction coordinator, from `__transaction_state`: the last value of each transactional id."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

from kafkafmt.answer_columns import TIME
from kafkafmt.errors import CorruptError, DataError, KafkafmtError
from kafkafmt.internal_topics import TRANSACTION_STATE
from kafkafmt.moments import milliseconds
from kafkafmt.reference.entry import without_traceback
from kafkafmt.reference.header import to_int64
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.answers import unless_unset
from kafkafmt.topics.decoding import RECORD, TEXT
from kafkafmt.topics.internal_log import InternalLog
from kafkafmt.topics.internal_record import InternalRecord
from kafkafmt.topics.log_notes import UnknownRecords

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.reference.messages import ApiMessage
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset
    from kafkafmt.topics.decoding import StateMemory

STATES: Final = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
"""Names of Kafka's `TransactionState`, as AdminClient spells them, by the number in the log."""

ONGOING: Final = "Ongoing"
DEAD: Final = "Dead"
UNFINISHED: Final = ("Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence")
"""States before all markers are written; a coordinator that loads a Prepare state completes the transaction."""

_STATUS: Final = 16
"""Position of the state in a value, in bytes."""

_WITH_PRODUCER_ID: Final = 10
"""Bytes at the start of a value that map a producer id to its transactional id: version and id."""


def state_of(number: int) -> str:
    """Name of a state; "Unknown(N)" for a number that Kafka 4.4 does not have."""
    return STATES[number] if 0 <= number < len(STATES) else f"Unknown({number})"


def _in_words(partitions: tuple[tuple[str, int], ...]) -> list[str]:
    return [f"{topic}-{number}" for topic, number in partitions]


@dataclass(frozen=True, slots=True)
class TransactionalId:
    """State of one transactional id, named as in AdminClient's `TransactionDescription`.

    Attributes:
        transactional_id: its name.
        state: "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead",
            "PrepareEpochFence", or "Unknown(N)" for a number that Kafka 4.4 does not have.
        producer_id: its current producer id.
        producer_epoch: its current producer epoch.
        transaction_timeout_ms: timeout of its transactions.
        transaction_start_time_ms: start of its last transaction, in ms since the epoch; None for none.
        topic_partitions: topic and partition of all partitions that still need a marker, sorted; in the column as
            "topic-partition".
        coordinator_partition: partition of `__transaction_state` that holds it; the leader of that is its coordinator.
        last_update_timestamp: time of its last update, in ms since the epoch.
        is_overdue: whether it is ongoing for longer than its timeout as of the newest time in the log, so that the
            coordinator has to abort it.
        previous_producer_id: its previous producer id; -1 (in the column null) for none, or if not stored.
        next_producer_id: its next producer id; -1 (in the column null) for none, or if not stored.
        client_transaction_version: protocol version: 2 has an epoch for each transaction (KIP-890); 0 if unknown.
        offset: offset of its record in `__transaction_state`.
    """

    transactional_id: Annotated[str, "string"]
    state: Annotated[str, "string"]
    producer_id: Annotated[int, "int64"]
    producer_epoch: Annotated[int, "int16"]
    transaction_timeout_ms: Annotated[int, "int64"]
    transaction_start_time_ms: Annotated[int | None, TIME]
    topic_partitions: Annotated[tuple[tuple[str, int], ...], "list<string>", _in_words]
    coordinator_partition: Annotated[int, "int32"]
    last_update_timestamp: Annotated[int, TIME]
    is_overdue: Annotated[bool, "bool"]
    previous_producer_id: Annotated[int, "int64", unless_unset]
    next_producer_id: Annotated[int, "int64", unless_unset]
    client_transaction_version: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]

    @property
    def aborts_at(self) -> int | None:
        """When the coordinator begins to abort its ongoing transaction, in ms since the epoch; None without one.

        `TransactionStateManager.timedOutTransactions`: the coordinator checks every 10 s while it runs.
        """
        if self.state != ONGOING or self.transaction_start_time_ms is None:
            return None
        return to_int64(self.transaction_start_time_ms + self.transaction_timeout_ms)

    @property
    def is_unfinished(self) -> bool:
        """Whether some markers have not been written."""
        return self.state in UNFINISHED


@dataclass(slots=True)
class Coordinator:
    """The transactional ids in the partitions of `__transaction_state` that the sources have.

    Attributes:
        partitions: numbers of the partitions that were read.
        partition_count: number of partitions according to the cluster's metadata, or None if unknown.
        ids: the transactional ids, by name.
        id_of_producer: transactional id by its current and former producer ids, as far as the log has them.
        as_of: requested time, else the newest in the log, in ms since the epoch; -1 for none.
        faults: errors of records at which a broker stops loading, as their states are unknown; with `on_damage="skip"`,
            also of records that cannot be decoded.
        is_whole: whether all files of these partitions could be read.
        notes: notes for the user.
        damage: ranges of the log that were skipped.
        skipped_replicas: partition directories that were skipped in favour of a better replica.
    """

    partitions: frozenset[int] = frozenset()
    is_whole: bool = True
    partition_count: int | None = None
    ids: dict[str, TransactionalId] = field(default_factory=dict)
    id_of_producer: dict[int, str] = field(default_factory=dict)
    as_of: int = -1
    faults: list[KafkafmtError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    damage: "list[Damage]" = field(default_factory=list)
    skipped_replicas: "list[Partition]" = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether all partitions were read; if their number is unknown, all up to the highest one found."""
        if not self.is_whole:
            return False
        count = max(self.partitions, default=0) + 1 if self.partition_count is None else self.partition_count
        return self.partitions.issuperset(range(count))


def read_coordinator(
    source: "Searchable",
    *,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    on_damage: "OnDamage" = "raise",
    limits: "Limits | None" = None,
    required: bool = True,
) -> Coordinator:
    """Read `__transaction_state`.

    Args:
        source: as for `kafkafmt.topics.transactions`.
        at_offset: as for `kafkafmt.topics.transactions`.
        at_time: as for `kafkafmt.topics.transactions`.
        on_damage: as for `kafkafmt.topics.transactions`; "skip" also skips records that cannot be decoded, and lists
            their errors in `faults`.
        limits: as for `kafkafmt.topics.transactions`.
        required: whether it is an error, not only a note, if the source has no partition of the topic.

    Raises:
        KafkafmtError: damage, or a record that cannot be decoded, with `on_damage="raise"`.
        SourceError: a source is missing or unreadable, or has no partition of the topic.
        LimitExceededError: the state takes more memory than `limits.max_state_bytes` allows.
    """
    log = InternalLog(
        source,
        TRANSACTION_STATE,
        at_offset=at_offset,
        at_time=at_time,
        on_damage=on_damage,
        limits=limits,
    )
    if required:
        log.required()
    coordinator = Coordinator(frozenset(each.partition for each in log.partitions if each.partition is not None))
    last_time = milliseconds(at_time, "at_time")
    log_state = _LogState(coordinator)
    memory = log.memory(log_state.memory)
    for record in log.records():
        if record.control_type is None:
            coordinator.as_of = max(coordinator.as_of, record.timestamp)
            log_state.take(record, on_damage)
            memory.add(record.memory + RECORD // 2, record.file, record.position)
    if last_time is not None:
        coordinator.as_of = last_time
    log_state.finish(on_damage, memory)
    coordinator.is_whole = log.is_whole
    coordinator.notes = list(log.notes)
    coordinator.notes += log_state.unknown.notes(TRANSACTION_STATE)
    coordinator.damage = list(log.damage)
    coordinator.skipped_replicas = list(log.skipped_replicas)
    return coordinator


@dataclass(slots=True)
class _LogState:
    """The last record of each key; of overwritten records only the producer id is decoded."""

    coordinator: Coordinator
    last: dict[bytes, InternalRecord] = field(default_factory=dict)
    seen: set[tuple[bytes, bytes]] = field(default_factory=set)
    excused: set[tuple[str, int]] = field(default_factory=set)
    described: int = 0
    shapes: set[bytes] = field(default_factory=set)
    unknown: UnknownRecords = field(default_factory=UnknownRecords)

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        seen = sum(len(key) + RECORD // 2 for key, _ in self.seen)
        return sum(each.memory for each in self.last.values()) + seen + self.described

    def take(self, record: InternalRecord, on_damage: "OnDamage") -> None:
        if self.unknown.takes(TRANSACTION_STATE, record):
            return
        with self._excusing(record, on_damage):
            if record.key is None:
                raise CorruptError("a record of __transaction_state has no key")
            if record.value is None:
                self.last.pop(record.key, None)
                return
            self.last[record.key] = record
            beginning = (record.key, record.value[:_WITH_PRODUCER_ID])
            # For nearly all records, these bytes determine whether they can be decoded.
            shape = b"%b%b%d" % (record.value[:2], record.value[_STATUS : _STATUS + 1], len(record.value))
            if beginning not in self.seen or shape not in self.shapes:
                self.seen.add(beginning)
                name, value = _decoded(record)
                self.shapes.add(shape)
                self.coordinator.id_of_producer[value.data["producerId"]] = name
                self._check_state(record, value.data["transactionStatus"])

    def _check_state(self, record: InternalRecord, number: int) -> None:
        if not 0 <= number < len(STATES):
            error = CorruptError("a transaction in an unknown state", expected=f"0 to {len(STATES) - 1}", found=number)
            self.coordinator.faults.append(error.at(record.file, record.position))

    def finish(self, on_damage: "OnDamage", memory: "StateMemory") -> None:
        """Decode the last records, dropping each in turn, so that each is held in only one form.

        Raises:
            LimitExceededError: the decoded records take too much memory.
        """
        found = {}
        self.seen.clear()
        for key in list(self.last):
            record = self.last.pop(key)
            size = 0
            with self._excusing(record, on_damage):
                name, value = _decoded(record)
                found[name] = _described(name, record, value, self.coordinator.as_of)
                # Each partition is a pair.
                size = value.memory + RECORD + 2 * TEXT * len(found[name].topic_partitions)
                for other in (found[name].previous_producer_id, found[name].next_producer_id):
                    if other >= 0:
                        self.coordinator.id_of_producer.setdefault(other, name)
            self.described += size
            memory.add(size, record.file, record.position)
        self.coordinator.ids = dict(sorted(found.items()))

    @contextmanager
    def _excusing(self, record: InternalRecord, on_damage: "OnDamage") -> Iterator[None]:
        """Keep the error of a record that cannot be decoded, once, or raise it."""
        try:
            yield
        except DataError as error:
            error.at(record.file, record.position)
            if on_damage == "raise":
                raise
            if (record.file, record.offset) not in self.excused:
                self.excused.add((record.file, record.offset))
                self.coordinator.faults.append(without_traceback(error))


def _decoded(record: InternalRecord) -> "tuple[str, ApiMessage]":
    """The transactional id of a record, and its value.

    Raises:
        KafkafmtError: the record cannot be decoded.
    """
    key = coordinator_records.decode_key(TRANSACTION_STATE, record.key or b"")
    value = coordinator_records.decode_value(TRANSACTION_STATE, key.type, record.value)
    if value is None:
        raise CorruptError("a record of __transaction_state has no value")
    return key.data["transactionalId"], value


def _described(name: str, record: InternalRecord, value: "ApiMessage", as_of: int) -> TransactionalId:
    data = value.data
    state = state_of(data["transactionStatus"])
    start = data["transactionStartTimestampMs"]
    timeout = data["transactionTimeoutMs"]
    partitions = {
        (each["topic"], number) for each in data["transactionPartitions"] or () for number in each["partitionIds"]
    }
    return TransactionalId(
        transactional_id=name,
        state=state,
        producer_id=data["producerId"],
        producer_epoch=data["producerEpoch"],
        transaction_timeout_ms=timeout,
        transaction_start_time_ms=start if start >= 0 else None,
        topic_partitions=tuple(sorted(partitions)),
        coordinator_partition=record.partition,
        last_update_timestamp=data["transactionLastUpdateTimestampMs"],
        previous_producer_id=data.get("previousProducerId", -1),
        next_producer_id=data.get("nextProducerId", -1),
        client_transaction_version=data.get("clientTransactionVersion", 0),
        offset=record.offset,
        is_overdue=state == ONGOING and start >= 0 and as_of - start > timeout,
    )
