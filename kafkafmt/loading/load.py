"""`kafkafmt.load`: appends the new records of a log to a table, with the offsets in the same commit."""

import os
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.errors import KafkafmtError, NotFoundError, SourceError
from kafkafmt.files.damage import Note, warn
from kafkafmt.findings import FINDING
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.loading.answer import LoadCommit, Loaded, LoadedPartition
from kafkafmt.loading.pending_batches import PendingBatches
from kafkafmt.loading.table_types import TableRows
from kafkafmt.loading.target import LoadChoices, TableCommit, open_target, text_of
from kafkafmt.phrases import counted, listed
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.scanning import Offsets, Scan, scan
from kafkafmt.scanning.arguments import check_offsets, offset_bound
from kafkafmt.scanning.decoded_scan import DecodedScan, RecordDecoder
from kafkafmt.scanning.offsets import UNREAD, TopicPartition, topic_ids_of

if TYPE_CHECKING:
    from kafkafmt.io.source import Source
    from kafkafmt.keywords import LoadKeywords
    from kafkafmt.loading.pending_batches import ReadBatch
    from kafkafmt.loading.target import LoadTarget
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.arguments import GivenOffset

COLUMNS: Final = ("topic", "partition", "offset", "timestamp", "timestampType", "key", "value", "headers")
"""Default columns of a table: those of Spark's kafka source."""

COMMIT_BYTES: Final = 1024 * 1024 * 1024
"""Size of a commit as Arrow data in bytes; memory holds only a small part of it."""

FILE_BYTES: Final = 128 * 1024 * 1024
"""Most bytes of a file."""

_PLACE: Final = ("topic", "partition", "offset")


def load(
    source: "Searchable | Scan | DecodedScan[RecordDecoder]",
    to: str | os.PathLike[str],
    *,
    decryption_keys: "Mapping[str, Source] | None" = None,
    partition_by: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    decode: bool = False,
    start_offset: "GivenOffset | None" = None,
    commit_bytes: int = COMMIT_BYTES,
    max_file_bytes: int | None = FILE_BYTES,
    **arguments: "Unpack[LoadKeywords]",
) -> Loaded:
    """Append the new records of a log to a table: Delta Lake, Iceberg, or a directory of Parquet files.

    The offsets where the next load begins are in each commit, with the topics' ids, so that a load that is killed at
    any moment neither loses nor repeats a record: the next one continues after the last commit.

        >>> kafkafmt.load("/var/lib/kafka/data", "delta:/lake/orders", topics="orders", decode=True)
        >>> kafkafmt.load("/var/lib/kafka/data", "iceberg:prod.db.orders", topics="orders", partition_by=["day"])

    All topics that are read go to the same table, internal ones only if they are named. A topic that was recreated is
    read from its start; `Loaded.notes` reports that, and offsets that were deleted before they were loaded.

    Args:
        source: as for `kafkafmt.scan`; or a Scan, for other filters, or the result of `Scan.decode`.
        to: "delta:PATH" (a path or a URI of an object store), "iceberg:CATALOG.NAMESPACE.TABLE" (a catalog of
            pyiceberg's own configuration), or a directory. A table that does not exist is created.
        decryption_keys: as for `kafkafmt.open`, if the source is not opened yet.
        partition_by: columns that divide the table: topic, partition, day, hour (of timestamp) ..; None for those of
            the table, or none.
        columns: names of the table's columns, in this order; None for topic, partition, offset, timestamp,
            timestampType, key, value and headers.
        decode: whether keys and values are decoded, as by `Scan.decode` without arguments. New fields become new
            columns.
        start_offset: where a load begins in a table that no load has written, as for `kafkafmt.scan`.
        commit_bytes: bytes of Arrow data after which the rows so far are committed.
        max_file_bytes: most bytes of a file; None for no bound.
        arguments: arguments of `kafkafmt.scan` that choose records. The offsets also move past the other records, so a
            later load does not return to them; a note reports that for records at or after `end_timestamp`.

    Raises:
        ImportError: the table's library is not installed.
        KafkafmtError: the source is damaged, or a file cannot be read; what was committed before stays.
        NotFoundError: a topic or partition, or the catalog, does not exist.
        SourceError: the table has rows, but none of a load, and there is no `start_offset`; its columns or its division
            do not fit; it cannot be written; or another load writes to it.
        TypeError, ValueError: an argument is invalid, or `to` has the prefix of an unknown kind of table.
    """
    if isinstance(source, (Scan, DecodedScan)):
        if arguments or decryption_keys or (decode and isinstance(source, DecodedScan)):
            raise ValueError("a scan has its arguments already: give them to kafkafmt.scan or Scan.decode")
        records = source
    else:
        records = scan(source, decryption_keys=decryption_keys, **arguments)
    if decode and isinstance(records, Scan):
        records = user_records(records).decode(on_damage=arguments.get("on_damage", "raise"))
    loading = Load(
        records,
        to,
        partition_by=partition_by,
        columns=columns,
        start_offset=start_offset,
        commit_bytes=commit_bytes,
        max_file_bytes=max_file_bytes,
    )
    loading.run()
    return loading.loaded


def user_records(records: Scan) -> Scan:
    """A scan without Kafka's own topics, unless it names topics."""
    there = {each.topic for each in records.partitions} & INTERNAL_TOPICS
    return records if records.names_topics or not there else records.without_topics(INTERNAL_TOPICS)


def offsets_of(to: str | os.PathLike[str], source: "Searchable | Scan | None" = None) -> Offsets:
    """Where the next load into a table begins, to hand over to another program.

    Args:
        to: as for `load`.
        source: as for `load`; names the partitions to look up in a Delta table whose log of commits was cleaned.

    Raises:
        ImportError, ValueError: as for `load`.
        SourceError: no load has written the table, or it cannot be read.
    """
    records = None if source is None else source if isinstance(source, Scan) else scan(source)
    names = [] if records is None else _names(user_records(records))
    target = open_target(to, LoadChoices((), None, lambda _: None))
    try:
        offsets = target.offsets(names)
    finally:
        target.close()
    if offsets is None:
        raise SourceError("no load has written this table", file=os.fspath(to))
    return offsets


class Load:
    """One load.

    Args:
        records: the records, from their start.
        to: the table.
        partition_by: as for `load`, like the other arguments.
        columns: the columns of the table.
        start_offset: where to begin in a table that no load has written.
        commit_bytes: size of a commit, in bytes of Arrow data.
        max_file_bytes: most bytes of a file.
        say: called with sentences to show at once.
        advance: called with the number of rows read.

    Attributes:
        loaded: what has been committed so far.
        scan: the scan that is read, for its damage and notes.
        passes: the same scan, or the one that decodes it.

    Raises:
        SourceError: as for `load`.
        TypeError, ValueError: an argument is invalid; or the scan has a start, is compacted or reads logs without
        names.
    """

    def __init__(
        self,
        records: "Scan | DecodedScan[RecordDecoder]",
        to: str | os.PathLike[str],
        *,
        partition_by: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        start_offset: "GivenOffset | None" = None,
        commit_bytes: int = COMMIT_BYTES,
        max_file_bytes: int | None = FILE_BYTES,
        say: Callable[[str], object] = lambda _: None,
        advance: Callable[[int], object] = lambda _: None,
    ) -> None:
        if commit_bytes < 1 or (max_file_bytes is not None and max_file_bytes < 1):
            raise ValueError("commit_bytes and max_file_bytes must be 1 or more")
        for name, names in (("partition_by", partition_by), ("columns", columns)):
            if isinstance(names, str):
                raise TypeError(f"{name} must be a list of names, not the str {names!r}")
        found = user_records(records if isinstance(records, Scan) else records.scan)
        _check(found)
        self._commit_bytes, self._advance = commit_bytes, advance
        self._target: LoadTarget = open_target(to, LoadChoices(found.places, max_file_bytes, say))
        try:
            self._needed = self._target.divide(partition_by)
            begin = self._begin(found, start_offset, os.fspath(to))
            self.scan = found.continued(begin)
            starts = self.scan.starts
            self.passes = self._selected(records, columns)
            self._ends = self.scan.end_offsets()
        except BaseException:
            self._target.close()
            raise
        self._order = _names(self.scan)
        self._rows: TableRows | None = None
        self._begun = 0
        self._reached: set[TopicPartition] = set()
        self._counts = Counter[TopicPartition]()
        log_starts = {_name(each): _log_start(each) for each in self.scan.best_partitions()}
        self.loaded = Loaded(os.fspath(to), begin)
        for place in self._order:
            start = starts.get(place, log_starts[place])
            self.loaded.done.append(LoadedPartition(*place, start, start))

    def run(self) -> None:
        """Load the records.

        Raises:
            KafkafmtError: as for `load`; `loaded` has what was committed.
        """
        pending = PendingBatches(self._batches())
        try:
            while pending.has_rows:
                self._commit(pending)
            if pending.error is not None:
                raise pending.error
            begun = self.loaded.offsets
            is_given = self._is_first and bool(begun) and not self.loaded.commits
            if is_given or any(self._ends.get(name) != offset for name, offset in begun.items()):
                # Offsets without rows: those of a log that was cut, or a given start, where the next load begins too.
                self._commit(pending)
        finally:
            pending.close()
            self._target.close()
            self._account()

    def _commit(self, pending: "PendingBatches") -> None:
        """Append the rows up to the size of a commit, up to damage, or up to the end."""
        appended = TableCommit(self.loaded.offsets)
        taken, counts = 0, Counter[TopicPartition]()
        if self._rows is None and (pending.has_rows or self._is_first):
            rows = pa.schema([self.passes.schema.field(name) for name in self._columns])
            self._rows = TableRows(self._target.prepare(rows), self._needed, has_days=self._target.has_days)
        end = self.loaded.offsets
        with self._target.appending(appended) as output:
            for batch, parts in pending:
                for rows in parts:
                    output.write(self._rows.conformed(rows) if self._rows is not None else rows)
                    taken += rows.nbytes
                end = self._up_to(batch, end)
                counts += _counted(batch)
                self._advance(batch.num_rows)
                if taken >= self._commit_bytes:
                    break
            if self.scan.unreadable:
                raise SourceError(f"nothing more is loaded: {self.scan.unreadable[0]}")
            appended.end = end if pending.has_rows or pending.error is not None else self._ends
        files, offsets = output.files, appended.end
        rows_and_size = sum(each.rows for each in files), len(files), sum(each.size for each in files)
        self.loaded.commits.append(LoadCommit(appended.name, *rows_and_size, text_of(offsets)))
        self.loaded.offsets = offsets
        self._counts += counts

    def _up_to(self, batch: pa.RecordBatch, before: Offsets) -> Offsets:
        """The offsets after a batch: in its last partition those after the batch, in earlier partitions their ends."""
        name, following = _last(batch)
        read = self._order[self._begun : self._order.index(name)]
        self._begun += len(read)
        offsets = {each: self._ends[each] for each in read if each in self._ends}
        ids = self._ends.topic_ids
        offsets[name] = max(following, before.get(name, 0)) if name in self._reached else following
        self._reached = {name}
        return before | Offsets(offsets, {topic: ids[topic] for topic, _ in offsets if topic in ids})

    def _begin(self, found: Scan, given: "GivenOffset | None", to: str) -> Offsets:
        """Where to begin, in partitions that do not begin at their start."""
        offsets = self._target.offsets(_names(found))
        self._is_first = offsets is None
        if offsets is not None:
            if given is not None:
                raise ValueError(f"{to} says where to begin: give no start_offset")
            return offsets
        if given is None and self._target.has_rows:
            text = (
                "has rows that no load has written, so it is unknown which records it has: say where to begin with "
                "start_offset, or load into another table"
            )
            raise SourceError(text, file=to)
        bound = offset_bound(given, "start_offset")
        list(check_offsets(bound, None))
        if bound is None:
            return Offsets({})
        there = found.best_partitions()
        if isinstance(bound, Mapping) and self._target.has_rows:
            unsaid = [each.name for each in there if _name(each) not in bound]
            if unsaid:
                text = f"start_offset has no offset for {listed(unsaid)}, whose records the table may have already"
                raise ValueError(f"{text}: give 0 to load all of them")
        if isinstance(bound, Offsets):
            return bound
        nowhere = [str(each) for each in found.continued(bound).absent if each not in found.absent]
        if nowhere:
            raise NotFoundError(" ".join(nowhere))
        starts = bound if isinstance(bound, Mapping) else {_name(each): max(bound, _log_start(each)) for each in there}
        beyond = [f"{each.name} ({_log_end(each)})" for each in there if starts.get(_name(each), 0) > _log_end(each)]
        if beyond:
            text = f"start_offset is beyond the log end of {listed(beyond)}"
            raise ValueError(f"{text}: a later load would repeat the offsets between")
        known = topic_ids_of(there)
        return Offsets(starts, {topic: known[topic] for topic, _ in starts if topic in known})

    def _selected(
        self, records: "Scan | DecodedScan[RecordDecoder]", columns: Sequence[str] | None
    ) -> "Scan | DecodedScan[RecordDecoder]":
        """The records with the columns of the table, and other columns that are needed."""
        if isinstance(records, DecodedScan):
            names = _decoded_columns(records.schema) if columns is None else list(columns)
            more = [name for name in self._needed if name not in names]
            self._columns = names
            decoded = replace(records, scan=self.scan).select([*names, *more])
            self.scan = decoded.scan
            return decoded
        self._columns = list(COLUMNS if columns is None else columns)
        self.scan = self.scan.select(list(dict.fromkeys((*self._columns, *self._needed, *_PLACE))))
        return self.scan

    def _batches(self) -> "Generator[ReadBatch, None, None]":
        """The batches read, each with its rows for the table."""
        decoded = self.passes if isinstance(self.passes, DecodedScan) else None
        with self.scan.to_reader() as reader:
            for batch in reader:
                if batch.num_rows:
                    yield batch, [batch] if decoded is None else list(decoded.decode_batch(batch))

    def _account(self) -> None:
        """Fill in the committed offsets and the notes."""
        unread = [each.finding for each in self.scan.notes if each.finding.kind == UNREAD]
        lost = {(each.topic, each.partition): (each.first_offset or 0, each.last_offset or 0) for each in unread}
        for each in self.loaded.done:
            name = (each.topic, each.partition)
            each.end_offset = self.loaded.offsets.get(name, each.start_offset)
            each.records = self._counts[name]
            if name in lost:
                first, last = lost[name]
                each.lost_offsets = last - first + 1
        self.loaded.damage = self.passes.damage
        # Records that a load can never read are a finding, as the table lacks them.
        notes = [
            Note.of(replace(each.finding, level=FINDING)) if each.finding.kind == UNREAD else each
            for each in self.passes.notes
        ]
        if self.scan.has_end_time and self.loaded.commits:
            text = "records at or after end_timestamp are left out, and a later load does not return to them"
            notes.append(Note(text, is_finding=False))
        if self._rows is not None and self._rows.unfit:
            text = f"{counted(self._rows.unfit, 'timestamp')} beyond the years that the table can store: null there"
            notes.append(Note(text))
        self.loaded.notes = notes
        if self.scan.warns:
            known = {str(each) for each in self.scan.notes if each.is_finding}
            warn([each for each in notes if str(each) not in known])


def _check(found: Scan) -> None:
    """Check that a scan has a next offset for each of its partitions.

    Raises:
        ValueError: it has not.
    """
    unnamed = [each.name for each in found.best_partitions() if not each.topic or each.partition is None]
    if unnamed:
        text = f"{listed(unnamed)} is not named <topic>-<partition>: a table cannot have its offsets. Rename it"
        raise ValueError(text)
    if found.is_compacted:
        raise ValueError("a compacted scan cannot be loaded: its next run would have to replace rows")
    if found.has_start:
        raise ValueError("the table says where to begin, or start_offset of load: give the scan no start_offset")


def _decoded_columns(schema: pa.Schema) -> list[str]:
    """Columns of a table of decoded records; the same whether errors are skipped or not, as a later load may differ."""
    kept = {*COLUMNS, "keySchemaId", "valueSchemaId", "keyError", "valueError", "op", "ts_ms", "source"}
    return [name for name in schema.names if name in kept]


def _name(partition: "Partition") -> TopicPartition:
    return str(partition.topic), partition.partition or 0


def _log_start(partition: "Partition") -> int:
    with suppress(KafkafmtError):  # the pass reports the error
        return partition.log_start_offset or 0
    return 0


def _log_end(partition: "Partition") -> int:
    with suppress(KafkafmtError):  # the pass reports the error
        if partition.log_end_offset is not None:
            return partition.log_end_offset
    return INT64_MAX + 1


def _names(found: Scan) -> list[TopicPartition]:
    """Names of the partitions, in the order of the stream."""
    return list(dict.fromkeys(_name(each) for each in found.best_partitions()))


def _last(batch: pa.RecordBatch) -> tuple[TopicPartition, int]:
    """The partition of the last record of a batch, and the offset after it."""
    topic, partition, offset = (batch.column(name)[batch.num_rows - 1].as_py() for name in _PLACE)
    return (topic, partition), offset + 1


def _counted(batch: pa.RecordBatch) -> Counter[TopicPartition]:
    """Number of records of each partition in a batch."""
    if len(pc.unique(batch.column("partition"))) == 1 and len(pc.unique(batch.column("topic"))) == 1:
        return Counter({_last(batch)[0]: batch.num_rows})
    grouped = pa.table(batch.select(_PLACE)).group_by(["topic", "partition"]).aggregate([("offset", "count")])
    return Counter({(each["topic"], each["partition"]): each["offset_count"] for each in grouped.to_pylist()})
