"""The answer of `kafkafmt.topics.producers`: partitions, their producers, and what is wrong with their state."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import pyarrow as pa

from kafkafmt.columns import as_text
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup, replicas, sources
from kafkafmt.reference.entry import without_traceback
from kafkafmt.scanning import selection
from kafkafmt.scanning.selection import Selection
from kafkafmt.topics.producer_state.reading import Finding, PartitionReading, Reader, StateFrom

if TYPE_CHECKING:
    import re

    from pyarrow.fs import FileSystem

    from kafkafmt.files.damage import Damage
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.files.segment_reader import OnDamage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Searchable
    from kafkafmt.scanning.selection import Time

_TIME = pa.timestamp("ms", "UTC")

SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("producerId", pa.int64()),
        ("producerEpoch", pa.int16()),
        ("lastSequence", pa.int32()),
        ("lastTimestamp", _TIME),
        ("currentTransactionStartOffset", pa.int64()),
        ("coordinatorEpoch", pa.int32()),
        ("lastOffset", pa.int64()),
        ("snapshotOffset", pa.int64()),
        ("path", pa.string()),
    ]
)
"""Columns of `Producers.to_table`; the first ones are those of AdminClient's `ProducerState`."""

Replica = Literal["best", "all"]

_MOST_NAMES = 10


@dataclass(frozen=True, slots=True)
class PartitionProducers:
    """The producers of one partition.

    Attributes:
        topic: of the partition, or None for a directory without a Kafka name.
        partition: its number, or None likewise.
        path: the partition directory, or the file that was named by itself.
        snapshot_offset: offset of the snapshot that the answer begins with; None where it is from the log alone.
        entries: the producers, by id.
    """

    topic: str | None
    partition: int | None
    path: str
    snapshot_offset: int | None
    entries: "tuple[ProducerState, ...]"

    def to_batch(self) -> pa.RecordBatch:
        """Its rows, of the schema `SCHEMA`: null for no open transaction, no coordinator epoch, no last offset."""
        entries = self.entries
        columns = (
            [as_text(self.topic)] * len(entries),
            [self.partition] * len(entries),
            [entry.producer_id for entry in entries],
            [entry.producer_epoch for entry in entries],
            [entry.last_sequence if entry.has_batch else -1 for entry in entries],
            [entry.timestamp for entry in entries],
            [entry.current_txn_first_offset for entry in entries],
            [_or_none(entry.coordinator_epoch) for entry in entries],
            [_or_none(entry.last_offset) for entry in entries],
            [self.snapshot_offset] * len(entries),
            [as_text(self.path)] * len(entries),
        )
        arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


@dataclass(frozen=True, slots=True)
class Producers:
    """What the partitions remember of their producers.

    Attributes:
        partitions: by topic and partition; also those without producers.
        findings: where a snapshot and the log differ, and snapshots that cannot be read.
        notes: sentences for the user.
        damage: stretches of logs that were passed over, open ends too.
        skipped_replicas: partition directories that were left to a better replica.
    """

    partitions: tuple[PartitionProducers, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    damage: "tuple[Damage, ...]"
    skipped_replicas: "tuple[Partition, ...]"

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows of each partition, of the schema `SCHEMA`."""
        return (partition.to_batch() for partition in self.partitions if partition.entries)

    def to_table(self) -> pa.Table:
        """All rows: topic, partition, producerId, producerEpoch, lastSequence, ...; see `SCHEMA`."""
        return pa.Table.from_batches(self.batches(), schema=SCHEMA)


def producers(
    source: "Searchable",
    *,
    filesystem: "FileSystem | None" = None,
    topics: "str | Iterable[str] | re.Pattern[str] | None" = None,
    partitions: int | Iterable[int] | None = None,
    producer_ids: int | Iterable[int] | None = None,
    at_offset: int | Mapping[int, int] | None = None,
    at_time: "Time | None" = None,
    state_from: StateFrom = "both",
    replica: Replica = "best",
    on_damage: "OnDamage" = "raise",
    limits: Limits | None = None,
) -> Producers:
    """List the producer state of each partition, as AdminClient's `describeProducers` does.

    Kafka keeps it in memory, writes it to a `.snapshot` when it rolls a segment and when it shuts down, and rebuilds it
    at start from the newest snapshot and the log after it (`ProducerStateManager`); so does this function. A broker
    expires a producer that is idle for `producer.id.expiration.ms`, a day by default; when it last did is not on disk,
    so everything in a snapshot is listed, and the log alone also gives producers that expired long ago.

    Only headers and transaction markers are read; CRCs of data are not checked.

    Args:
        source: a partition directory, a log directory, any directory above, a segment file (read alone, without
            snapshots), or a list of those; paths or URIs, as for `kafkafmt.scan`.
        filesystem: any pyarrow file system; the sources are paths of it then.
        topics: names, or a compiled pattern for the whole name; None for all, internal topics too.
        partitions: numbers; None for all.
        producer_ids: only these producers.
        at_offset: the state before this offset, of every partition or by partition number.
        at_time: the state before the first record with a later timestamp; ms since the epoch, or a datetime (UTC if it
            has no zone).
        state_from: "snapshot": the newest sound snapshot and the log after it; "log": the log alone, as if there were
            no snapshot; "both": as "snapshot", and the log before it is read too and compared with it.
        replica: if a partition is found several times, read the "best" copy or "all".
        on_damage: "raise" an error at the first damage of a log, or "skip" it. A broken snapshot is always a finding.
        limits: bounds of memory; `kafkafmt.Limits()` if None.

    Raises:
        SourceError: a source is missing or unreadable, or nothing of Kafka's is there.
        KafkafmtError: damage of a log, with `on_damage="raise"`.
        LimitExceededError: one partition has more than two million producers.
        TypeError, ValueError: an argument that makes no sense.
    """
    if at_offset is not None and at_time is not None:
        raise ValueError("at_offset and at_time exclude each other")
    for name, value, choices in (
        ("state_from", state_from, get_args(StateFrom)),
        ("replica", replica, get_args(Replica)),
        ("on_damage", on_damage, ("raise", "skip")),
    ):
        if value not in choices:
            raise ValueError(f"{name} must be one of {choices}, not {value!r}")
    last_time = selection.milliseconds(at_time, "at_time")
    wanted_ids = selection.partitions(producer_ids)
    searched = sources.search(source, filesystem)
    chosen, skipped, broken = choose(searched, topics, partitions, replica)
    reader = Reader(
        state_from,
        None if wanted_ids is None else frozenset(wanted_ids),
        on_damage,
        limits or Limits(),
        unreadable=searched.report,
    )
    readings = []
    for found in chosen:
        passed_over: list[Damage] = []
        try:
            end = _given(at_offset, found) if last_time is None else end_at(found, last_time, on_damage, passed_over)
            reading = reader.read(found, end)
        except SourceError as error:
            searched.report(error)
            continue
        searched.was_read = True
        reading.damage = each_once(passed_over, reading.damage)
        readings.append(reading)
    return Producers(
        partitions=tuple(map(_of_reading, readings)),
        findings=(*broken, *(finding for reading in readings for finding in reading.findings)),
        notes=(*_notes(readings), *searched.notes),
        damage=tuple(damage for reading in readings for damage in reading.damage),
        skipped_replicas=tuple(skipped),
    )


def choose(
    searched: "sources.Sources",
    topics: "str | Iterable[str] | re.Pattern[str] | None",
    partitions: int | Iterable[int] | None,
    replica: Replica,
) -> "tuple[list[Found], list[Partition], list[Finding]]":
    """Choose what to read, in order: what is wanted, the copies left to a better one, and checkpoints that are broken.

    Raises:
        SourceError: what decides between replicas cannot be read.
        TypeError: an argument that makes no sense.
    """
    wanted = Selection(topics=selection.topics(topics), partitions=selection.partitions(partitions))
    for unlisted in searched.unlisted(wanted.takes_named):
        searched.report(unlisted)
    taken = [each for each in searched.found if wanted.takes(each.partition)]
    skipped: list[Partition] = []
    broken: list[Finding] = []
    if replica == "best":

        def note(error: KafkafmtError) -> None:
            if isinstance(error, SourceError):
                searched.report(error)
                return
            broken.append(Finding(None, None, error.file or "", None, without_traceback(error).message))

        def diverged(divergence: replicas.Divergence) -> None:
            other = divergence.other
            broken.append(Finding(other.topic, other.partition, other.path, None, str(divergence)))

        taken, skipped = replicas.best(taken, note, diverged)
    return sorted(taken, key=_order), skipped, broken


def end_at(found: "Found", time: int, on_damage: "OnDamage", passed_over: "list[Damage]") -> int | None:
    """Offset of the first record later than a time (ms since the epoch); None if there is none.

    Raises:
        KafkafmtError: damage on the way, with `on_damage="raise"`; else it is added to `passed_over`.
        SourceError: a file cannot be read.
    """
    start = 0 if found.file is not None else found.partition.log_start_offset or 0
    skip = passed_over.append if on_damage == "skip" else None
    later = lookup.find_timestamp(found.segments, time + 1, start, passed_over=skip)
    return None if later is None else later.offset


def each_once(passed_over: "Iterable[Damage]", met: "Iterable[Damage]") -> "list[Damage]":
    """What finding a time and reading passed over, which may be the same; as reading tells it."""
    return list({(each.file, each.position, each.length): each for each in (*passed_over, *met)}.values())


def _given(at_offset: int | Mapping[int, int] | None, found: "Found") -> int | None:
    number = found.partition.partition
    if isinstance(at_offset, Mapping):
        return None if number is None else at_offset.get(number)
    return at_offset


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
    """What is no fault, but to be known, a sentence for all partitions."""
    forgotten = [each for each in readings if each.forgotten]
    if forgotten:
        number = sum(each.forgotten for each in forgotten)
        are = "1 producer of the logs is" if number == 1 else f"{number} producers of the logs are"
        yield (
            f"{are} not in the snapshots, for a broker forgets those that were idle for producer.id.expiration.ms:"
            f" {_listed(forgotten)}"
        )
    alone = [each for each in readings if each.from_snapshot_alone]
    if alone:
        number = sum(each.from_snapshot_alone for each in alone)
        are = "1 producer is" if number == 1 else f"{number} producers are"
        yield f"{are} known from snapshots alone, for the beginning of the log is gone (retention): {_listed(alone)}"


def _listed(readings: list[PartitionReading]) -> str:
    names = [each.found.partition.name for each in readings[:_MOST_NAMES]]
    more = len(readings) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _order(found: "Found") -> tuple[bool, str, int, str]:
    partition = found.partition
    return (partition.topic is None, partition.topic or "", partition.partition or 0, found.path)


def _or_none(number: int) -> int | None:
    return None if number == -1 else number
