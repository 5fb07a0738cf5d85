"""The answer of `kafkafmt.topics.transactions`: the coordinator's transactional ids, and the view of the data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Unpack, get_args

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.choices import check_choice
from kafkafmt.errors import KafkafmtError
from kafkafmt.findings import Finding, finding_of
from kafkafmt.internal_topics import TRANSACTION_STATE
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.logdir import sources
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.answers import (
    Names,
    Replica,
    absent_names,
    check_choices,
    name_filter,
)
from kafkafmt.topics.cluster_metadata import metadata_of
from kafkafmt.topics.history import HISTORY, LazyHistory, WithHistory
from kafkafmt.topics.producer_state.choice import ChoiceArguments, PartitionChoice, wanted_partitions
from kafkafmt.topics.transaction_state.coordinator import Coordinator, TransactionalId, read_coordinator
from kafkafmt.topics.transaction_state.data import Data, DataView
from kafkafmt.topics.transaction_state.data_rows import DATA_COLUMNS, Transaction
from kafkafmt.topics.transaction_state.hanging import MAX_TRANSACTION_TIMEOUT_MS, HangingCheck
from kafkafmt.topics.transaction_state.history import TRANSACTION_HISTORY, TransactionHistory

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset

MOST_ENDED: Final = 1_000_000
"""Default limit of committed and aborted transactions that are kept, the newest of each partition or slightly more."""

ID_COLUMNS = TableColumns(*columns_of(TransactionalId))
"""Columns of the table `ids`; the first ones are those of AdminClient's `TransactionDescription`."""

_OF_TRANSACTION = attrgetter(*Transaction.__dataclass_fields__)


@dataclass(frozen=True, slots=True, repr=False)
class Transactions(WithHistory[TransactionHistory]):
    """Transactional ids and transactions, with the tables `ids` (`ID_COLUMNS`), `data` (`DATA_COLUMNS`) and `history`.

    Attributes:
        ids: transactional ids as the coordinator has them, by name.
        open: open transactions in data partitions, if requested: hanging ones first; by topic, partition and offset.
        as_of: time of the answer for durations, in ms since the epoch: the newest time that brokers wrote; -1 for none.
        dropped: number of ended transactions that are left out, as there are too many.
        findings: faults of producer snapshots and of records of `__transaction_state`.
        notes: notes for the user.
        damage: ranges of logs that were skipped, including incomplete last batches.
        skipped_replicas: partition directories that were skipped in favour of a better replica.
    """

    ids: tuple[TransactionalId, ...]
    open: tuple[Transaction, ...]
    as_of: int
    dropped: int
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    damage: "tuple[Damage, ...]"
    skipped_replicas: "tuple[Partition, ...]"
    _ended: Callable[[], Iterator[Transaction]] = field(repr=False, compare=False)
    _history: LazyHistory[TransactionHistory] = field(repr=False, compare=False)

    @property
    def hanging(self) -> tuple[Transaction, ...]:
        """The open transactions that are hanging."""
        return tuple(each for each in self.open if each.state == "hanging")

    def ended(self) -> Iterator[Transaction]:
        """Committed and aborted transactions, if requested, by topic, partition and first offset."""
        return self._ended()

    def data(self) -> Iterator[Transaction]:
        """All transactions in data partitions: hanging ones, other open ones, then ended ones."""
        return chain(self.open, self.ended())

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each table, by its name; the main table comes first."""
        return {"ids": ID_COLUMNS.schema, "data": DATA_COLUMNS.schema, HISTORY: TRANSACTION_HISTORY.schema}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table."""
        if name == HISTORY:
            return self.history_answer.rows()
        return map(_OF_TRANSACTION, self.data()) if name == "data" else map(ID_COLUMNS.row, self.ids)

    def data_table(self) -> "pa.Table":
        """The table `data`: the transactions in data partitions."""
        return self.to_table("data")


def transactions(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    data: Data | None = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    transactional_ids: Names = None,
    producer_ids: int | Iterable[int] | None = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    max_transaction_timeout_ms: int = MAX_TRANSACTION_TIMEOUT_MS,
    most_ended: int = MOST_ENDED,
    bootstrap_server: str = "localhost:9092",
    replica: Replica = "best",
    on_damage: "OnDamage" = "skip",
    limits: Limits | None = None,
    missing: "Missing" = "raise",
) -> Transactions:
    """List transactions, as AdminClient's `describeTransactions` and `kafka-transactions.sh` do.

    The coordinator's view comes from `__transaction_state`: the last record of each transactional id. A broker that
    loads it completes prepared transactions, so a live cluster may be a step ahead of its disks.

    The data's view comes from the headers and markers of data partitions, and from their producer snapshots: open,
    committed and aborted transactions. A transaction hangs if it is open in the log but the coordinator has no ongoing
    transaction for that producer and partition; without `__transaction_state`, if it has been open for longer than
    `max_transaction_timeout_ms`. Copies made at different moments can make a sound transaction look hanging.

    Args:
        source: a log directory, any directory above, a partition directory, or a list of these (disks of several
            brokers); paths or URIs, as for `kafkafmt.scan`.
        filesystem: any pyarrow file system; the sources are then its paths.
        data: which transactions of the data's view to include: "all", "open" ones, which include hanging ones, or
            "hanging" ones; None for the coordinator's view alone. "all" reads all headers; the others read the newest
            producer snapshot of each partition, and the headers from the first offset that is open in it.
        topics: names of data topics, or a compiled pattern; None for all. Without `data`: only transactional ids with
            such a partition in an ongoing transaction.
        partitions: numbers of data partitions; None for all. Without `data` as for `topics`.
        transactional_ids: names, or a compiled pattern; None for all; in the data's view, those whose producer is in
            `__transaction_state`.
        producer_ids: only these producers.
        at_offset: return the state before this offset of `__transaction_state`, of every partition or by partition
            number; not with `data`.
        at_time: return the state before the first record with a later timestamp, of every partition; ms since the
            epoch, or a datetime (UTC if it has no zone).
        max_transaction_timeout_ms: see above.
        most_ended: limit of committed and aborted transactions that are kept.
        bootstrap_server: address used in the printed abort commands.
        replica: if a data partition is found several times, read the "best" copy or "all".
        on_damage: "raise" an error at the first damage, or "skip" it; transactions that are open there count as open.
        limits: bounds of memory; `kafkafmt.Limits()` if None.
        missing: "raise" an error if a named topic, partition, transactional id or producer is not found, or "note" it.
            With `data`, a producer counts as missing only if all logs were read completely: with "all" and without
            topics, partitions and `at_time`, or where no snapshot shortens the reading.

    Raises:
        NotFoundError: a named topic, partition, transactional id or producer is not found.
        SourceError: a source is missing or unreadable, or has no files of Kafka's; or without `data`, no partition of
            `__transaction_state`.
        KafkafmtError: damage, or a record of `__transaction_state` that cannot be decoded, with `on_damage="raise"`.
        LimitExceededError: more than a million transactions are open at once in one partition.
        TypeError, ValueError: an invalid argument.
    """
    check_choice("data", data, (None, *get_args(Data)))
    check_choices(on_damage=on_damage, missing=missing)
    if at_offset is not None and data is not None:
        raise ValueError("at_offset is an offset of __transaction_state; with data give at_time")
    takes_name = name_filter(transactional_ids, "transactional_ids")
    choice = PartitionChoice.of(
        source,
        filesystem=filesystem,
        topics=topics,
        partitions=partitions,
        producer_ids=producer_ids,
        at_offset=at_offset,
        at_time=at_time,
        replica=replica,
        on_damage=on_damage,
        limits=limits,
        missing="note",  # the coordinator may know them
    )
    searched = choice.searched
    coordinator = read_coordinator(
        searched,
        at_offset=at_offset,
        at_time=at_time,
        on_damage=on_damage,
        limits=limits,
        required=data is None,
    )
    wanted = _Wanted(None if transactional_ids is None else takes_name, choice.producer_ids, coordinator)
    ongoing_in = wanted_partitions(topics, partitions)
    # A producer that the coordinator does not know may be in the data.
    known_producers = choice.producer_ids if data is None else None
    absent = [
        sentence
        for names in _absent(searched, coordinator, ongoing_in, transactional_ids, known_producers)
        for sentence in searched.require_found(names, missing)
    ]
    view = DataView(coordinator, wanted.producer_ids, data, most_ended, on_damage, choice.limits, searched.report)
    skipped = [] if data is None else _read_data(choice, view)
    if data is not None and choice.is_of_all and view.is_whole and not searched.unreadable:
        names = absent_names("producer", choice.producer_ids, {*coordinator.id_of_producer, *view.producers})
        absent += searched.require_found(names, missing)
    if view.asks_for_unknown_producers and coordinator.is_complete:
        coordinator.partition_count = _partition_count(searched)
    rows = view.open_rows(HangingCheck(coordinator, view.as_of, max_transaction_timeout_ms), bootstrap_server)
    selected = ongoing_in if data is None else Selection()
    by_path = {each.path: each for each in [*coordinator.skipped_replicas, *skipped]}
    return Transactions(
        ids=tuple(each for each in coordinator.ids.values() if wanted.takes(each, selected)),
        open=tuple(rows),
        as_of=view.as_of,
        dropped=view.dropped,
        findings=(*(finding_of(error, topic=TRANSACTION_STATE) for error in coordinator.faults), *view.findings),
        notes=(*absent, *coordinator.notes, *view.notes()),
        damage=(*coordinator.damage, *view.damage),
        skipped_replicas=tuple(by_path.values()),
        _ended=view.ended_rows,
        _history=LazyHistory(partial(TransactionHistory, choice, wanted.takes_name)),
    )


def _read_data(choice: PartitionChoice, view: DataView) -> "Sequence[Partition]":
    """Read the data's view; return the directories that were skipped in favour of a better replica."""
    chosen, skipped, broken = choice.choose()
    view.findings += broken
    for _ in choice.searched.read_each(chosen, lambda found: view.read(found, choice.as_of)):
        pass
    return skipped


def _absent(
    searched: sources.Sources,
    coordinator: Coordinator,
    ongoing_in: Selection,
    transactional_ids: Names,
    producer_ids: Iterable[int] | None,
) -> Iterator[Iterable[str]]:
    """Yield sentences on named topics and partitions, transactional ids and producers that are not found."""
    of_transactions = (place for each in coordinator.ids.values() for place in each.topic_partitions)
    yield ongoing_in.absent([*searched.names, *of_transactions])
    known = {*coordinator.ids, *coordinator.id_of_producer.values()}
    yield absent_names("transactional id", transactional_ids, known)
    yield absent_names("producer", producer_ids, coordinator.id_of_producer)


def transaction_history(
    source: "Searchable", *, transactional_ids: Names = None, **wanted: "Unpack[ChoiceArguments]"
) -> TransactionHistory:
    """List what happened to transactional ids, like `transactions(..).history`, without their state at the end.

    Args:
        source: as for `transactions`.
        transactional_ids: names, or a compiled pattern; None for all.
        **wanted: as for `transactions`; topics and partitions are those of the wanted markers, which are left out with
            `at_offset`. With `producer_ids`, only ids that have had one of these.

    Raises:
        SourceError: a source is missing or unreadable.
        TypeError, ValueError: an invalid argument.
    """
    takes_name = name_filter(transactional_ids, "transactional_ids")
    given: ChoiceArguments = {**wanted, "missing": "note"}  # as in `transactions`
    return TransactionHistory(PartitionChoice.of(source, **given), None if transactional_ids is None else takes_name)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The wanted transactional ids and producers."""

    takes_name: Callable[[str], bool] | None
    ids: frozenset[int] | None
    coordinator: Coordinator

    @property
    def producer_ids(self) -> frozenset[int] | None:
        """Producers to include in the data's view; None for all."""
        if self.takes_name is None:
            return self.ids
        named = frozenset(each for each, name in self.coordinator.id_of_producer.items() if self.takes_name(name))
        return named if self.ids is None else named & self.ids

    def takes(self, each: TransactionalId, ongoing_in: Selection) -> bool:
        """Whether a transactional id is wanted: by its name, its producer, and its partitions in the transaction."""
        if self.takes_name is not None and not self.takes_name(each.transactional_id):
            return False
        if self.ids is not None and each.producer_id not in self.ids:
            return False
        if ongoing_in.topics is None and ongoing_in.partitions is None:
            return True
        return any(ongoing_in.takes_named(topic, number) for topic, number in each.topic_partitions)


def _partition_count(searched: sources.Sources) -> int | None:
    """Number of partitions of `__transaction_state`, if the sources hold readable cluster metadata."""
    try:
        known = metadata_of(searched)
    except KafkafmtError:  # the number is only a confirmation, and `kafkafmt metadata` reports the fault
        return None
    topic = None if known is None else known.topics.get(TRANSACTION_STATE)
    return None if topic is None else len(topic.partitions)
