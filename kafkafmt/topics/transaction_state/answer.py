"""The answer of `kafkafmt.topics.transactions`: transactional ids as the coordinator has them, and the data's view."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final, get_args

import pyarrow as pa

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.internal_topics import TRANSACTION_STATE
from kafkafmt.limits import Limits
from kafkafmt.logdir import sources
from kafkafmt.scanning import selection
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.cluster_metadata import metadata_of
from kafkafmt.topics.producer_state.answer import Replica, choose
from kafkafmt.topics.producer_state.reading import Finding
from kafkafmt.topics.transaction_state.coordinator import Coordinator, TransactionalId, read_coordinator
from kafkafmt.topics.transaction_state.data_view import Data, DataView
from kafkafmt.topics.transaction_state.hanging import MAX_TRANSACTION_TIMEOUT_MS, Judge
from kafkafmt.topics.transaction_state.rows import DATA_SCHEMA, SCHEMA, Transaction, data_batches, id_batches

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.selection import Time

MOST_ENDED: Final = 1_000_000
"""Committed and aborted transactions that are kept in all, of each partition the newest, or a few thousand more."""


@dataclass(frozen=True, slots=True)
class Transactions:
    """What is known of transactions.

    Attributes:
        ids: transactional ids as the coordinator has them, by name.
        open: open transactions in data partitions, if asked for: hanging ones first; by topic, partition and offset.
        as_of: the time up to which durations count, in ms since the epoch: the newest that brokers wrote; -1 for none.
        dropped: how many transactions that ended are not told, as there were too many.
        findings: what is wrong with producer snapshots and with records of `__transaction_state`.
        notes: sentences for the user.
        damage: stretches of logs that were passed over, open ends too.
        skipped_replicas: partition directories that were left to a better replica.
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

    @property
    def hanging(self) -> tuple[Transaction, ...]:
        """The open transactions that hang."""
        return tuple(each for each in self.open if each.state == "hanging")

    def ended(self) -> Iterator[Transaction]:
        """Committed and aborted transactions, if asked for, by topic, partition and first offset."""
        return self._ended()

    def data(self) -> Iterator[Transaction]:
        """All transactions in data partitions: hanging ones, other open ones, then those that ended."""
        return chain(self.open, self.ended())

    def data_batches(self) -> Iterator[pa.RecordBatch]:
        """The same as rows of the schema `DATA_SCHEMA`."""
        return data_batches(self.data())

    def to_table(self) -> pa.Table:
        """The transactional ids: transactionalId, state, producerId, producerEpoch, ...; see `SCHEMA`."""
        return pa.Table.from_batches(id_batches(self.ids), schema=SCHEMA)

    def data_table(self) -> pa.Table:
        """The transactions in data partitions: topic, partition, state, transactionalId, ...; see `DATA_SCHEMA`."""
        return pa.Table.from_batches(self.data_batches(), schema=DATA_SCHEMA)


def transactions(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    data: Data | None = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    transactional_ids: str | Iterable[str] | None = None,
    producer_ids: int | Iterable[int] | None = None,
    at_offset: int | Mapping[int, int] | None = None,
    at_time: "Time | None" = None,
    max_transaction_timeout_ms: int = MAX_TRANSACTION_TIMEOUT_MS,
    most_ended: int = MOST_ENDED,
    bootstrap_server: str = "localhost:9092",
    replica: Replica = "best",
    on_damage: "OnDamage" = "raise",
    limits: Limits | None = None,
) -> Transactions:
    """List transactions, as AdminClient's `describeTransactions` and `kafka-transactions.sh` do.

    The coordinator's view comes from `__transaction_state`: the last record of each transactional id. A broker that
    loads it completes prepared transactions, so a live cluster may be a step ahead of its disks.

    The data's view comes from the headers and markers of data partitions, and from their producer snapshots: open,
    committed and aborted transactions. A transaction hangs if the log has it open but the coordinator has no ongoing
    one for that producer and partition; without `__transaction_state`, if it has been open for longer than
    `max_transaction_timeout_ms`. Copies made at different moments can make a sound transaction look hanging.

    Args:
        source: a log directory, any directory above, a partition directory, or a list of those (disks of several
            brokers); paths or URIs, as for `kafkafmt.scan`.
        filesystem: any pyarrow file system; the sources are paths of it then.
        data: also the data's view: of "all" transactions, of "open" ones, which includes hanging ones, or of "hanging"
            ones; None for the coordinator's view alone. "all" reads all headers; the others the newest producer
            snapshot of each partition, and the headers from the first offset it has open.
        topics: names of data topics, or a compiled pattern; None for all. Without `data`: transactional ids that have
            such a partition in an ongoing transaction.
        partitions: numbers of data partitions likewise.
        transactional_ids: only these; in the data's view those whose producer `__transaction_state` knows.
        producer_ids: only these producers.
        at_offset: the state before this offset of `__transaction_state`, of every partition or by partition number; not
            with `data`.
        at_time: the state before the first record with a later timestamp, of every partition; ms since the epoch, or a
            datetime (UTC if it has no zone).
        max_transaction_timeout_ms: see above.
        most_ended: how many committed and aborted transactions are kept.
        bootstrap_server: address used in the printed abort commands.
        replica: if a data partition is found several times, read the "best" copy or "all".
        on_damage: "raise" an error at the first damage, or "skip" it; what is open there counts as open.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Raises:
        SourceError: a source is missing or unreadable, or nothing of Kafka's is there; without `data` no partition of
            `__transaction_state`.
        KafkafmtError: damage, or a record of `__transaction_state` that cannot be decoded, with `on_damage="raise"`.
        LimitExceededError: more than a million transactions are open at once in one partition.
        TypeError, ValueError: an argument that makes no sense.
    """
    for name, value, choices in (
        ("data", data, (None, *get_args(Data))),
        ("replica", replica, get_args(Replica)),
        ("on_damage", on_damage, ("raise", "skip")),
    ):
        if value not in choices:
            raise ValueError(f"{name} must be one of {choices}, not {value!r}")
    if at_offset is not None and data is not None:
        raise ValueError("at_offset is one of __transaction_state; with data give at_time")
    names = None if transactional_ids is None else frozenset(_names(transactional_ids))
    wanted_ids = selection.partitions(producer_ids)
    searched = sources.search(source, filesystem)
    coordinator = read_coordinator(
        searched,
        at_offset=at_offset,
        at_time=at_time,
        on_damage=on_damage,
        limits=limits,
        required=data is None,
    )
    wanted = _Wanted(names, None if wanted_ids is None else frozenset(wanted_ids), coordinator)
    under_way = Selection(topics=selection.topics(topics), partitions=selection.partitions(partitions))
    view = DataView(coordinator, wanted.producer_ids, data, most_ended, on_damage, limits or Limits(), searched.report)
    skipped: list[Partition] = []
    if data is not None:
        chosen, skipped, broken = choose(searched, topics, partitions, replica)
        view.findings += broken
        last_time = selection.milliseconds(at_time, "at_time")
        for found in chosen:
            try:
                view.read(found, last_time)
            except SourceError as error:
                searched.report(error)
                continue
            searched.was_read = True
    if view.asks_for_unknown_producers and coordinator.is_complete:
        coordinator.partition_count = _partition_count(searched)
    rows = view.open_rows(Judge(coordinator, view.as_of, max_transaction_timeout_ms), bootstrap_server)
    by_path = {each.path: each for each in [*coordinator.skipped_replicas, *skipped]}
    return Transactions(
        ids=tuple(
            each for each in coordinator.ids.values() if wanted.takes(each, under_way if data is None else Selection())
        ),
        open=tuple(rows),
        as_of=view.as_of,
        dropped=view.dropped,
        findings=(*_faults(coordinator), *view.findings),
        notes=(*coordinator.notes, *view.notes()),
        damage=(*coordinator.damage, *view.damage),
        skipped_replicas=tuple(by_path.values()),
        _ended=view.ended_rows,
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which transactional ids and producers are wanted."""

    names: frozenset[str] | None
    ids: frozenset[int] | None
    coordinator: Coordinator

    @property
    def producer_ids(self) -> frozenset[int] | None:
        """Those that the data's view is about; None for all."""
        if self.names is None:
            return self.ids
        named = frozenset(each for each, name in self.coordinator.id_of_producer.items() if name in self.names)
        return named if self.ids is None else named & self.ids

    def takes(self, each: TransactionalId, under_way: Selection) -> bool:
        """Whether a transactional id is wanted: by its name, its producer, and the partitions it has under way."""
        if self.names is not None and each.transactional_id not in self.names:
            return False
        if self.ids is not None and each.producer_id not in self.ids:
            return False
        if under_way.topics is None and under_way.partitions is None:
            return True
        return any(under_way.takes_named(topic, number) for topic, number in each.topic_partitions)


def _partition_count(searched: sources.Sources) -> int | None:
    """How many partitions `__transaction_state` has, if the cluster's metadata are at hand and can be read."""
    try:
        known = metadata_of(searched)
    except KafkafmtError:  # it is only asked to be surer; `kafkafmt metadata` says what is wrong with it
        return None
    topic = None if known is None else known.topics.get(TRANSACTION_STATE)
    return None if topic is None else len(topic.partitions)


def _faults(coordinator: Coordinator) -> Iterator[Finding]:
    for error in coordinator.faults:
        told = type(error)(error.message, position=error.position, expected=error.expected, found=error.found)
        yield Finding(TRANSACTION_STATE, None, error.file or "", None, str(told))


def _names(wanted: str | Iterable[str]) -> Iterator[str]:
    """Names that were given.

    Raises:
        TypeError: one that is no str.
    """
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if not isinstance(name, str):
            raise TypeError(f"transactional_ids must be names, not {name!r}")
        yield name
