"""Scan: the records of a source as an Arrow stream, each consumer with a pass of its own."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.columnar.row_filter import Needles
from kafkafmt.errors import KafkafmtError, OnDamage, SourceError
from kafkafmt.files.damage import Damage, Note, listed
from kafkafmt.limits import Limits
from kafkafmt.scanning import arguments
from kafkafmt.scanning.arguments import GivenEndOffset, GivenOffset, TopicPartition
from kafkafmt.scanning.batching import Part, Reader, record_batches
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.planning import Planning
from kafkafmt.scanning.read_committed import ReadCommitted
from kafkafmt.scanning.row_expression import row_expression
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.splits import SplitReader
from kafkafmt.scanning.tasks import Replica, ScanTask, TaskSelector

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]
    from pyarrow.compute import Expression

    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Sources
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.scanning.following import Follower
    from kafkafmt.scanning.open_task import Visitor
    from kafkafmt.scanning.planning import Plan


Tasks: TypeAlias = Iterator[list[ScanTask]]
"""Tasks of each partition directory, in the order of the scan."""


@dataclass(eq=False)
class PassReport:
    """What one pass reports beside its records; it grows until the pass ends.

    Attributes:
        damage: as `Scan.damage`.
        notes: those of `Scan.notes` that are of the pass, each once.
        skipped_replicas: as `Scan.skipped_replicas`.
    """

    damage: list[Damage] = field(default_factory=list)
    notes: dict[Note, None] = field(default_factory=dict)
    skipped_replicas: "list[Partition]" = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Scan:
    """Records of a source as an Arrow stream. Made by `kafkafmt.scan`, which says what the arguments mean.

    Each consumer starts a fresh pass over the files as they were listed when the scan was made: `to_reader()`,
    `to_table()`, `count()` and the Arrow C stream interface, by which DuckDB, Polars and pandas read a scan directly.
    `filter()` and `select()` make other scans of the same files, which are not listed again.

    Attributes:
        schema: Arrow schema of the stream.
    """

    _found: "list[Found]"
    _selection: Selection
    schema: pa.Schema
    _replica: Replica
    _on_damage: OnDamage
    _verify_checksums: bool
    _limits: Limits
    _engine: Engine
    _threads: int
    _noted: tuple[Note, ...] = ()
    _sources: "Sources | None" = None
    _advance: Callable[[int], None] | None = None
    _is_compacted: bool = False
    _last: PassReport = field(default_factory=PassReport)

    @property
    def damage(self) -> list[Damage]:
        """What the last pass that ended did not deliver, in reading order; `Reader.damage` is that of one under way.

        With `on_damage="skip"` each damaged range; in both modes the incomplete last entry or the zeros that a running
        broker leaves at the end of a file.
        """
        return self._last.damage

    @property
    def skipped_replicas(self) -> "list[Partition]":
        """Partition directories that the last pass that ended left to a better replica."""
        return self._last.skipped_replicas

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the last pass that ended reports besides damage, each once; `Note.is_finding` if the data is wrong.

        First come directories that cannot be listed and need not hold selected data, and links that lead out of a
        source. Before the first pass also topics and partitions that were named and not found, and empty ranges.
        """
        return (*self._searched, *(tuple(self._last.notes) or (*self.absent, *self._noted)))

    @property
    def absent(self) -> tuple[Note, ...]:
        """Topics and partitions that were named and not found."""
        there = [(each.topic, each.partition) for each in self.source_partitions]
        there += self._sources.unlisted_names if self._sources else ()
        return tuple(Note(text, is_finding=False) for text in self._selection.absent(there))

    @property
    def _searched(self) -> tuple[Note, ...]:
        return self._sources.notes if self._sources else ()

    def filter(self, expression: "Expression") -> "Scan":
        """A scan of the same files that keeps records for which an expression is true too.

            >>> import pyarrow.compute as pc
            >>> scan = kafkafmt.scan("/var/lib/kafka/data").filter(pc.field("partition") == 3).select(["value"])

        What it says of topics, partitions, files, offsets and times is found out, and read as if it were said by the
        arguments of `kafkafmt.scan`; so is a key that must be equal to one. Batches are not decompressed if it is false
        by what all their records share, such as `producerId` or `compression`. The rest is evaluated on decoded
        records. `batches` shows batches that may hold such records by their headers, and `plan` counts records as if
        all were kept of what is read.

        Args:
            expression: of `pyarrow.compute` and type bool, over any columns, whether they are selected or not. Records
                for which it is null are dropped, as in `pyarrow.dataset`.

        Raises:
            TypeError, ValueError: it is no such expression, or names an unknown column.
            pyarrow.ArrowException: from a pass, if it fails on a record, such as a cast of bytes that are no text.
        """
        both = row_expression(expression)
        if self._selection.expression is not None:
            both = self._selection.expression & both
        return self._changed(_selection=replace(self._selection, expression=both))

    def containing(self, strings: Iterable[bytes], *, ignore_case: bool = False) -> "Scan":
        """A scan of the same files without records that hold none of some strings of bytes.

        For a search, before what is found is looked at: some records without a string may be given too, such as one
        with a string where its key and its value meet. A batch that holds none is decompressed, and its CRC is checked,
        but it is not decoded.

            >>> rows = scan.containing([b"4711"]).filter(pc.match_substring(pc.field("value"), b"4711"))

        Args:
            strings: none of them empty. They are sought in keys, values, names of headers and their values.
            ignore_case: whether a letter of ASCII stands for both of its cases.

        Raises:
            ValueError: there is no string, or an empty one.
        """
        needles = Needles(tuple(strings), ignore_case)
        if not needles.strings or not all(needles.strings):
            raise ValueError(f"strings must be some, none of them empty, not {needles.strings}")
        return self._changed(_selection=replace(self._selection, needles=needles))

    def select(self, columns: Sequence[str] | None) -> "Scan":
        """A scan of the same records with other columns, in this order.

        Args:
            columns: names of any columns that a scan has, whatever this one selects; None for all.

        Raises:
            TypeError, ValueError: unknown or repeated names, or none.
        """
        return self._changed(schema=record_columns.select(columns))

    def to_reader(self) -> Reader:
        """Start a pass and give its record batches one by one, in bounded memory.

        Raises:
            KafkafmtError: from the reader, at damage (`on_damage="raise"`) or when a file cannot be read.
        """
        return self._reader(lambda reading, tasks: reading.decode_logs(tasks, self.schema))

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Start a pass and give its record batches one by one, as `to_reader` does.

        Raises:
            KafkafmtError: from the iterator, as for `to_reader`.
        """
        return self.to_reader()

    def to_table(self) -> pa.Table:
        """Read everything into one table.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or when a file cannot be read.
        """
        return self.to_reader().read_all()

    def to_pandas(self) -> "DataFrame":
        """Read everything into a pandas DataFrame, with the types of `pyarrow.Table.to_pandas`.

        Raises:
            ImportError: pandas is not installed.
            KafkafmtError: as for `to_table`.
        """
        return self.to_table().to_pandas()

    def head(self, count: int) -> Reader:
        """Start a pass that ends with the first `count` records of the stream; no batch after them is decoded.

        `damage` is that of what was read, as for all passes.

        Args:
            count: how many records at most.

        Raises:
            ValueError: `count` is negative.
            KafkafmtError: from the reader, as for `to_reader`.
        """
        _require_a_count(count)

        def read(reading: Pass, tasks: Tasks) -> Iterable[Part]:
            return reading.decode_logs(tasks, self.schema, to_the_end=False)

        return self._reader(read, count)

    def tail(self, count: int) -> Reader:
        """Start a pass for the last `count` records of each partition that match the filters, in the stream's order.

        They are searched from the log end, whatever the high watermark, also with an `end_offset` below it: the last
        segment first, from the last entries of its offset index, and backwards as far as needed. If an index does not
        help, the headers of the segment are walked. With `replica="all"` each replica gives its own last records.
        Memory holds those of one partition, and one batch more.

        Damage is reported in what is read, and `damage` lists it in the order of the stream; with `on_damage="raise"`
        the last damage of a partition is met first.

        Args:
            count: how many records of each partition at most.

        Raises:
            ValueError: `count` is negative.
            KafkafmtError: from the reader, as for `to_reader`.
        """
        _require_a_count(count)
        most = min(count, sys.maxsize)

        def read(reading: Pass, tasks: Tasks) -> Iterable[Part]:
            return chain.from_iterable(reading.tail(group, most, self.schema) for group in tasks)

        return self._reader(read, None if count else 0)

    def follow(self, *, last: int | None = None) -> "Follower":
        """Read what is there, and then what is written from now on, as `tail -f` does.

            >>> for batch in kafkafmt.scan("/var/lib/kafka/data", topics="orders").follow(last=0):
            ...     print(batch.to_pylist())

        Partitions are listed when the scan is made, and again whenever one appears or vanishes: new ones that the
        filters take are read from their start. Segments that roll are read to their end, and a partition that several
        replicas have is read from the best one, for as long as that is there. `Follower.notes` says which offsets were
        deleted before they were read, where a log was truncated, and which topics were deleted or created again.

        Args:
            last: begin with the last so many records of each partition that match the filters, 0 for none; None for
                all.

        Raises:
            ValueError: `last` is negative; or `end_offset` is an offset, then nothing would follow; or the scan is
                compacted, and any record may be replaced by one that follows.
            SourceError: a source is remote.
        """
        # Here, as most scans follow nothing.
        from kafkafmt.scanning.following import Follower, Following  # noqa: PLC0415

        if last is not None:
            _require_a_count(last)
        if self._selection.end_offset not in (None, arguments.HIGH_WATERMARK):
            raise ValueError("a scan that ends at an offset cannot be followed: give no end_offset, or high_watermark")
        self._require_records_as_they_come("followed")
        if self._sources is None:
            raise ValueError("only what kafkafmt.scan has searched can be followed")
        return Follower(
            Following(
                self._sources,
                self._found,
                self._selection,
                self.schema,
                self._replica,
                self._on_damage,
                self._verify_checksums,
                self._limits,
                self._engine,
                self._threads,
                None if last is None else min(last, sys.maxsize),
            )
        )

    def count(self, verify_checksums: bool = False) -> int:
        """Count the records, from batch headers alone where the filters and the formats allow.

        Compressed v0 and v1 wrappers, and batches that a filter may divide, are decoded. Unless CRCs are checked, a
        batch with a wrong CRC is counted and its size is trusted: on damaged files the count can be higher or lower
        than the rows of `to_table`. Files of which a filter's expression may be true in part are decoded as there, and
        so is everything with `compacted=True`.

        Args:
            verify_checksums: read all bytes and check CRCs too.

        Raises:
            KafkafmtError: at damage that the walk meets, as for `to_table`.
        """
        report = PassReport()
        with self._pass(report, verify_checksums=verify_checksums) as reading:
            counted = reading.count_logs(self._tasks(reading, report), verify_decoded=self._verify_checksums)
            if counted == 0:
                self._note_offsets_outside(reading, report)
        return counted

    def batches(self, deep: bool = False, verify_checksums: bool = False) -> "Generator[BatchHeader, None, None]":
        """Start a pass and give the headers of the batches, messages and wrappers that may hold selected records.

        Whether a record is the latest of its key (`compacted`) plays no part here.

        A batch with a wrong CRC or an unknown magic is listed as Kafka lists it; `BatchHeader.error` says what is
        wrong. Its size is trusted, so nothing inside it is listed. A v0 or v1 wrapper that is not decompressed is
        selected by its own offset (its last) alone.

        Args:
            deep: decompress v0 and v1 wrappers for their count and first offset, which are None otherwise.
            verify_checksums: compute CRCs, and set `is_valid`.

        Raises:
            KafkafmtError: where an entry's size is broken (`on_damage="raise"`), or when a file cannot be read.
        """
        header = None
        report = PassReport()
        with self._pass(report, verify_checksums=verify_checksums) as reading:
            tasks = chain.from_iterable(self._tasks(reading, report, describing=True))
            for header in reading.describe(tasks, deep=deep):
                yield header
            if header is None:
                self._note_offsets_outside(reading, report)

    def show(
        self,
        visitor: "Visitor",
        *,
        reads_bytes: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Start a pass in which a visitor looks at the entries that may hold selected records, in place of decoders.

        Args:
            visitor: what takes them.
            reads_bytes: whether it looks at all bytes, so that CRCs are checked if `verify_checksums` says so; else
                only headers are read.
            progress: called with the size of each range of a file that was read.

        Raises:
            KafkafmtError: at damage that the walk meets, as for `to_table`.
            ValueError: the scan has a `filter` or is compacted: records would have to be decoded.
        """
        self._require_records_as_they_come("measured")
        if self._selection.expression is not None:
            raise ValueError("records are measured without being decoded, so filter= is not taken here")
        report = PassReport()
        with self._pass(report, verify_checksums=self._verify_checksums and reads_bytes) as reading:
            for task in chain.from_iterable(self._tasks(reading, report)):
                reading.show(visitor, [task], reads_bytes=reads_bytes)
                if progress is not None:
                    progress(task.size_in_bytes)

    def plan(
        self,
        *,
        max_split_bytes: int = 64 * 1024 * 1024,
        max_splits: int = 20_000,
        min_splits: int | None = None,
        max_records_per_split: int | None = None,
        progress: Callable[[int, int, int], None] | None = None,
    ) -> "Plan":
        """Divide the scan into splits that other processes and machines can read independently.

            >>> plan = kafkafmt.scan("/var/lib/kafka/data", topics="orders").plan()
            >>> with multiprocessing.Pool() as pool:
            ...     counts = pool.map(plan.reading.count, plan.splits)

        Together the splits give the rows of a pass, in its order. A file as large as a split is cut between batches, by
        its offset index if that is right, else by a walk over its headers; smaller files share a split and are not
        opened, nor are files outside the offsets by their names. Sizes are those of the listing, when the scan was
        made: what is written later is not read.

        With "read_committed" the transactions of each partition are searched here, which reads all its batch headers,
        one partition after another. Damage met by that is raised here, or reported by the split that holds it; damage
        never hides records after the next cut of a file.

        Args:
            max_split_bytes: most bytes of log files in a split; a batch that does not fit makes it larger. Grows if
                there would be more splits than `max_splits`.
            max_splits: most splits, unless `min_splits` or `max_records_per_split` ask for more.
            min_splits: fewest splits, as far as there are batches.
            max_records_per_split: most records of a split. Files with more are opened; a batch with more is read by
                several splits.
            progress: called with the numbers of partitions, files and bytes found so far.

        Raises:
            KafkafmtError: a file that must be looked into cannot be read; or damage, as said.
            TypeError, ValueError: an argument that makes no sense; or the scan is compacted.
        """
        self._require_records_as_they_come("divided into splits")
        planning = Planning(
            max_split_bytes=max_split_bytes,
            max_splits=max_splits,
            min_splits=min_splits,
            max_records_per_split=max_records_per_split,
            progress=progress,
        )
        reading = SplitReader(
            self.schema,
            self._selection.of_records(),
            self._on_damage,
            self._verify_checksums,
            self._limits,
            self._engine,
            self._threads,
        )
        committed = self._read_committed(verify_checksums=self._verify_checksums)
        noted = (*self._searched, *self.absent, *self._noted)
        return planning.plan(self._found, self._selection, self._replica, committed, reading, noted)

    def end_offsets(self) -> dict[TopicPartition, int]:
        """Where a pass over each partition ends: the first offset after what it reads, as `start_offset` takes it.

            >>> seen = scan.end_offsets()
            >>> later = kafkafmt.scan("/var/lib/kafka/data", topics="orders", start_offset=seen)  # only what is new

        It is the log end as listed when the scan was made, or `end_offset` if that is lower; with "read_committed" the
        last stable offset. Whole batches count, an incomplete last one does not. Partitions without a log file and
        directories without a name of Kafka's are not in it. Of several replicas it is that of the best one.

        Raises:
            KafkafmtError: a checkpoint or the last segment of a partition cannot be read; with "read_committed" also as
                a pass raises.
        """
        ends: dict[TopicPartition, int] = {}
        report = PassReport()
        with self._pass(report, verify_checksums=self._verify_checksums) as reading:
            committed = self._read_committed(verify_checksums=self._verify_checksums)
            selector = TaskSelector(self._selection, "best", reading.broken, reading.note, committed)
            for found in selector.replicas(self._found)[0]:
                name, end = (found.partition.topic, found.partition.partition), selector.end_offset(found)
                if name[0] is not None and name[1] is not None and end is not None:
                    ends[name[0], name[1]] = max(end, ends.get((name[0], name[1]), 0))
                if committed is not None:
                    committed.settle(report.damage, reading.report)
        return ends

    def watch(self, advance: Callable[[int], None]) -> None:
        """Let passes of this scan tell how far they are, from the next one on.

        Args:
            advance: called with numbers of bytes of log files; `size_in_bytes` of them make a whole pass.
        """
        self._advance = advance

    def size_in_bytes(self) -> int:
        """Bytes of the log files that a pass goes through, as listed; what it can jump over in them counts too.

        A compacted scan goes through them twice. What cannot be read counts as nothing: a pass says what is wrong.
        """
        selector = TaskSelector(self._selection, self._replica, lambda _: None, lambda _: None)
        with suppress(KafkafmtError):
            found, _ = selector.replicas(self._found)
            size = sum(task.size_in_bytes for tasks in selector.tasks(found) for task in tasks)
            return 2 * size if self._is_compacted else size
        return 0

    def path_of(self, file: str | None) -> str | None:
        """Path or URI of what the `file` column or an error calls `file`; `file` itself if it is not a log file."""
        return file if file is None else self._paths.get(file, file)

    @cached_property
    def _paths(self) -> dict[str, str]:
        paths: dict[str, str] = {}
        for each in self._found:
            with suppress(SourceError):  # a pass says what cannot be read
                for segment in each.segments:
                    paths.setdefault(segment.file, segment.path)
        return paths

    @property
    def partitions(self) -> "list[Partition]":
        """Partition directories that `topics` and `partitions` select, of all replicas.

        For a file named by itself its directory.
        """
        return [each.partition for each in self._found if self._selection.takes(each.partition)]

    def takes(self, topic: str | None, partition: int | None) -> bool:
        """Whether `topics` and `partitions` select a partition, wherever it may be."""
        return self._selection.takes_named(topic, partition)

    @property
    def control_records(self) -> bool:
        """Whether control records are among the rows."""
        return self._selection.control_records

    @property
    def source_partitions(self) -> "list[Partition]":
        """Partition directories of the source, whatever is selected; for a file named by itself its directory."""
        return [each.partition for each in self._found]

    @property
    def local_directories(self) -> list[str]:
        """Directories of this machine that belong to the source: nothing may be written into them."""
        return self._sources.local_directories if self._sources else []

    def best_partitions(self) -> "list[Partition]":
        """The best replica of each partition that the filters select, in the stream's order, whatever `replica` is.

        A leader-epoch-checkpoint that is broken or cannot be read is ignored here, and a replica that cannot be read is
        the worst; a pass raises it, or lists it.
        """
        found, _ = TaskSelector(self._selection, "best", lambda _: None, lambda _: None).replicas(self._found)
        return [each.partition for each in found]

    def narrowed(
        self,
        topics: Mapping[str, Iterable[int]] | None = None,
        start_offset: GivenOffset | None = None,
        end_offset: GivenEndOffset | None = None,
    ) -> "Scan":
        """A scan of the same files, as listed when this one was made, with these filters instead of its own.

        Args:
            topics: numbers of partitions by topic; None for those of this scan.
            start_offset: as for `kafkafmt.scan`.
            end_offset: as for `kafkafmt.scan`.

        Raises:
            TypeError, ValueError: an argument that makes no sense.
        """
        wanted = replace(
            self._selection,
            topics=self._selection.topics if topics is None else arguments.topics(topics),
            start_offset=arguments.offset_bound(start_offset, "start_offset"),
            end_offset=arguments.end_bound(end_offset, "end_offset"),
        )
        return self._changed(_selection=wanted, _noted=())

    def of(self, choose: "Callable[[list[Found]], list[Found]]", columns: Sequence[str]) -> "Scan":
        """A scan of some of the same files, as they were listed, with the same filters and other columns.

        Args:
            choose: gives the directories and files to keep.
            columns: as for `kafkafmt.scan`.

        Raises:
            ValueError: an unknown column.
        """
        return self._changed(_found=choose(self._found), schema=record_columns.select(columns))

    def _changed(self, **changes: Any) -> "Scan":  # noqa: ANN401 - attributes
        """The same scan but for these attributes; it has had no pass."""
        return replace(self, _last=PassReport(), **changes)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a fresh pass by the Arrow C stream interface; its consumer raises its own error with our text."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        names = [each.location.name for each in self._found if self._selection.takes(each.partition)]
        shown = listed(names) or "none"
        columns = ", ".join(self.schema.names)
        return f"<Scan of {len(names)} of {len(self._found)} partitions or files ({shown}): {columns}>"

    def _reader(self, read: Callable[[Pass, Tasks], Iterable[Part]], most: int | None = None) -> Reader:
        """A pass over the tasks of each partition directory, for at most so many records."""
        report = PassReport()
        return Reader(self.schema, self._batches(report, read, most), report.damage)

    def _batches(
        self, report: PassReport, read: Callable[[Pass, Tasks], Iterable[Part]], most: int | None
    ) -> Generator[pa.RecordBatch, None, None]:
        """The record batches of a pass; if there are no rows, notes say which offsets lie outside of the logs."""
        with self._pass(report, verify_checksums=self._verify_checksums) as reading:
            is_empty = most != 0
            for batch in record_batches(read(reading, self._tasks(reading, report)), self.schema, most):
                is_empty = is_empty and batch.num_rows == 0
                yield batch
            if is_empty:
                self._note_offsets_outside(reading, report)

    def _note_offsets_outside(self, reading: Pass, report: PassReport) -> None:
        skipped = {each.location.identity for each in report.skipped_replicas}
        taken = [each for each in self.partitions if each.location.identity not in skipped]
        for text in self._selection.outside(taken):
            reading.note(Note(text, is_finding=False))

    @contextmanager
    def _pass(self, report: PassReport, *, verify_checksums: bool) -> Iterator[Pass]:
        """A pass that reports to `report`, which is that of the last pass once it ended."""
        report.notes |= dict.fromkeys((*self.absent, *self._noted))
        kind = Pass
        if self._is_compacted:
            from kafkafmt.scanning.compacting import CompactedPass as kind  # noqa: N813, PLC0415 - needs numba
        try:
            yield kind(
                self._selection,
                self._on_damage,
                verify_checksums,
                self._limits,
                report.damage.append,
                report.notes.setdefault,
                self._engine,
                self._threads,
                self._sources,
                self._advance,
            )
        finally:
            self._last = report

    def _tasks(self, reading: Pass, report: PassReport, *, describing: bool = False) -> Tasks:
        """The files to read, in order, of each partition directory."""
        committed = self._read_committed(verify_checksums=reading.verify_checksums, describing=describing)
        # The latest records are sought in the whole log, whatever an expression says of offsets.
        selection = self._selection.of_log() if self._is_compacted else self._selection
        selector = TaskSelector(selection, self._replica, reading.broken, reading.note, committed)
        wanted = [each for each in self._found if self._selection.takes(each.partition)]
        found, report.skipped_replicas = selector.replicas(wanted)
        for tasks in selector.tasks(found):
            yield tasks
            if committed is not None and not describing:
                committed.settle(report.damage, reading.report)

    def _require_records_as_they_come(self, done: str) -> None:
        if self._is_compacted:
            raise ValueError(f"a compacted scan cannot be {done}: which records are the latest is known at its end")

    def _read_committed(self, *, verify_checksums: bool, describing: bool = False) -> ReadCommitted | None:
        """What narrows a pass to committed records. Headers are described whatever is wrong with others."""
        if self._selection.isolation_level == "read_uncommitted":
            return None
        return ReadCommitted(
            self._selection.end_offset == arguments.HIGH_WATERMARK,
            "skip" if describing else self._on_damage,
            describing or verify_checksums,
            self._limits,
        )


def _require_a_count(count: int) -> None:
    if count < 0:
        raise ValueError(f"count must be 0 or more, not {count}")
