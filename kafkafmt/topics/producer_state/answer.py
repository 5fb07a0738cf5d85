"""The answer of `kafkafmt.topics.producers`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, get_args

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.choices import check_choice
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.findings import Finding
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.phrases import counted_are, listed
from kafkafmt.topics.answers import Replica, absent_names, unless_unset
from kafkafmt.topics.history import HISTORY, LazyHistory, WithHistory
from kafkafmt.topics.producer_state.check import CHECK, PRODUCER_CHECK, ProducerCheck, require_window
from kafkafmt.topics.producer_state.choice import PartitionChoice
from kafkafmt.topics.producer_state.history import PRODUCER_HISTORY, ProducerHistory
from kafkafmt.topics.producer_state.reading import PartitionReading, ProducerStateReader, StateFrom

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.errors import Missing, OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.producer_runs import ProducerRun
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import Time
    from kafkafmt.topics.answers import AtOffset


@dataclass(frozen=True, slots=True)
class PartitionProducers:
    """The producers of one partition.

    Attributes:
        topic: name of the topic, or None for a directory without a Kafka name.
        partition: number of the partition, or None for a directory without a Kafka name.
        path: the partition directory, or the file that is a source itself.
        snapshot_offset: offset of the `.snapshot` from which they are rebuilt; None if only the log was read.
        entries: the producers, by id.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    path: Annotated[str, "string"]
    snapshot_offset: Annotated[int | None, "int64"]
    entries: "tuple[ProducerState, ...]"


class _OfPartition(NamedTuple):
    partition: PartitionProducers
    entry: ProducerState

    @property
    def last_sequence(self) -> Annotated[int, "int32"]:
        """Sequence number of its last record; -1 if it wrote none since its epoch began."""
        return self.entry.last_sequence if self.entry.has_batch else -1

    @property
    def current_transaction_start_offset(self) -> Annotated[int | None, "int64"]:
        """Offset at which its open transaction begins; None if none is open."""
        return self.entry.current_txn_first_offset

    @property
    def coordinator_epoch(self) -> Annotated[int | None, "int32"]:
        """Epoch of the coordinator that wrote its last marker; None without one."""
        return unless_unset(self.entry.coordinator_epoch)

    @property
    def last_offset(self) -> Annotated[int | None, "int64"]:
        """Offset of its last record; None if "lastSequence" is -1."""
        return unless_unset(self.entry.last_offset)


COLUMNS = TableColumns(
    *columns_of(PartitionProducers, "partition", to="partition"),
    *columns_of(ProducerState, "entry", to="producer_epoch"),
    *columns_of(_OfPartition, only=("last_sequence",)),
    *columns_of(ProducerState, "entry", only=("timestamp",)),
    *columns_of(_OfPartition, after="last_sequence"),
    *columns_of(PartitionProducers, "partition", only=("snapshot_offset", "path")),
)
"""Columns of `Producers.to_table`; the first ones are those of AdminClient's `ProducerState`."""


@dataclass(frozen=True, slots=True, repr=False)
class Producers(WithHistory[ProducerHistory]):
    """The producers of partitions: tables `producers` (one row per producer and partition), `history` and `check`.

    Attributes:
        partitions: partitions by topic and number, including those without producers.
        findings: differences between snapshots and logs, and broken snapshots and checkpoints.
        notes: notes for the user.
        damage: ranges of logs that were skipped, including incomplete last batches.
        skipped_replicas: partition directories that were skipped in favour of a better replica.
    """

    partitions: tuple[PartitionProducers, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    damage: "tuple[Damage, ...]"
    skipped_replicas: "tuple[Partition, ...]"
    _history: LazyHistory[ProducerHistory] = field(repr=False, compare=False)
    _check: LazyHistory[ProducerCheck] = field(repr=False, compare=False)

    _TABLES: ClassVar = {"producers": COLUMNS, HISTORY: PRODUCER_HISTORY, CHECK: PRODUCER_CHECK}

    @property
    def check(self) -> "pa.Table":
        """The table `check`: lost and repeated records of each partition, with the columns `PRODUCER_CHECK`.

        It reads the logs again; findings, notes and damage are in `check_answer`.
        """
        return self.check_answer.to_table()

    @property
    def check_answer(self) -> ProducerCheck:
        """The check of these partitions as a separate answer."""
        return self._check()

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table: null for no open transaction, no coordinator epoch, no last offset."""
        if name == HISTORY:
            return self.history_answer.rows()
        if name == CHECK:
            return self.check_answer.rows(CHECK)
        return (COLUMNS.row(_OfPartition(each, entry)) for each in self.partitions for entry in each.entries)


def producers(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    producer_ids: int | Iterable[int] | None = None,
    at_offset: "AtOffset | None" = None,
    at_time: "Time | None" = None,
    state_from: StateFrom = "both",
    content_window: int | None = None,
    replica: Replica = "best",
    on_damage: "OnDamage" = "skip",
    limits: Limits | None = None,
    missing: "Missing" = "raise",
) -> Producers:
    """List the producer state of each partition, as AdminClient's `describeProducers` does.

    Kafka keeps this state in memory. It writes it to a `.snapshot` when it rolls a segment and when it shuts down, and
    rebuilds it at start from the newest snapshot and the log after it (`ProducerStateManager`); so does this function.
    A broker expires a producer that is idle for `producer.id.expiration.ms`, a day by default. The disk does not show
    when it last did, so everything in a snapshot is listed, and the log alone also gives producers that expired long
    ago.

    Only headers and transaction markers are read; CRCs of data are not checked.

    Args:
        source: a partition directory, a log directory, any directory above, a segment file (read alone, without
            snapshots), or a list of these; paths or URIs, as for `kafkafmt.scan`.
        filesystem: any pyarrow file system; the sources are then its paths.
        topics: names, or a compiled pattern for the whole name; None for all, including internal topics.
        partitions: numbers; None for all.
        producer_ids: only these producers.
        at_offset: return the state before this offset, of every partition or by partition number.
        at_time: return the state before the first record with a later timestamp; ms since the epoch, or a datetime (UTC
            if it has no zone).
        state_from: "snapshot" for the newest sound snapshot and the log after it; "log" for only the log, as if there
            were no snapshot; "both" for the state of "snapshot", compared with the earlier log, which is read too.
        content_window: for the table `check`, as in `producer_check`.
        replica: if a partition is found several times, read the "best" copy or "all".
        on_damage: "raise" an error at the first damage of a log, or "skip" it. A broken snapshot is always a finding.
        limits: bounds of memory; `kafkafmt.Limits()` if None.
        missing: "raise" an error if a named topic, partition or producer is not found, or "note" it.

    Raises:
        NotFoundError: a named topic, partition or producer is not found.
        SourceError: a source is missing or unreadable, or has no files of Kafka's.
        KafkafmtError: damage of a log, with `on_damage="raise"`.
        LimitExceededError: one partition has more than two million producers.
        TypeError, ValueError: an invalid argument.
    """
    check_choice("state_from", state_from, get_args(StateFrom))
    require_window(content_window)
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
        missing=missing,
    )
    searched = choice.searched
    chosen, skipped, broken = choice.choose()
    seen: set[int] = set()

    def see(runs: "Sequence[ProducerRun]") -> None:
        if choice.producer_ids is not None:
            seen.update(run.producer_id for run in runs if run.producer_id >= 0)

    reader = ProducerStateReader(
        state_from, choice.producer_ids, choice.on_damage, choice.limits, see=see, unreadable=searched.report
    )
    readings = list(searched.read_each(chosen, lambda found: reader.read(found, choice.as_of)))
    seen.update(entry.producer_id for each in readings if each.snapshot for entry in each.snapshot.entries)
    absent = choice.absent
    if topics is None and partitions is None:  # else the producer may be in other partitions
        unknown = absent_names("producer", choice.producer_ids, seen)
        absent = (*absent, *searched.require_found(unknown, missing))
    return Producers(
        partitions=tuple(map(_of_reading, readings)),
        findings=(*broken, *(finding for reading in readings for finding in reading.findings)),
        notes=(*absent, *_notes(readings), *searched.notes),
        damage=tuple(damage for reading in readings for damage in reading.damage),
        skipped_replicas=tuple(skipped),
        _history=LazyHistory(partial(ProducerHistory, choice)),
        _check=LazyHistory(partial(ProducerCheck, choice, content_window)),
    )


def _of_reading(reading: PartitionReading) -> PartitionProducers:
    partition = reading.found.partition
    return PartitionProducers(
        topic=partition.topic,
        partition=partition.partition,
        path=reading.found.path,
        snapshot_offset=None if reading.snapshot is None else reading.snapshot.offset,
        entries=reading.states.entries(),
    )


def _notes(readings: list[PartitionReading]) -> Iterator[str]:
    """Yield notes on harmless differences, one sentence for all partitions."""
    expired = [each for each in readings if each.expired]
    if expired:
        are = counted_are(sum(each.expired for each in expired), "producer")
        yield (
            f"{are} in the logs but not in the snapshots, since a broker expires producers that are idle for"
            f" producer.id.expiration.ms: {_names(expired)}"
        )
    alone = [each for each in readings if each.from_snapshot_alone]
    if alone:
        are = counted_are(sum(each.from_snapshot_alone for each in alone), "producer")
        yield f"{are} known only from snapshots, since the beginning of the log is gone (retention): {_names(alone)}"


def _names(readings: list[PartitionReading]) -> str:
    return listed([each.found.partition.name for each in readings])
