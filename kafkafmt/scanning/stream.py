"""Scan: the records of a source as an Arrow stream; each consumer starts its own pass."""

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from kafkafmt.columns import with_stored_names
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import warn
from kafkafmt.notebook import html
from kafkafmt.phrases import listed
from kafkafmt.public import short
from kafkafmt.scanning import arguments
from kafkafmt.scanning.arrow_records import ArrowRecords, require_a_count
from kafkafmt.scanning.batching import Part, Reader
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.offsets import Offsets, TopicPartition, topic_ids_of
from kafkafmt.scanning.passes import PassReport, ScanPasses, Tasks
from kafkafmt.scanning.planning import Planning
from kafkafmt.scanning.splits import SplitReader
from kafkafmt.scanning.task_selection import TaskSelector

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.scanning.decoded_scan import DecodedScan, RecordDecoder
    from kafkafmt.scanning.explaining import ExplainedScan
    from kafkafmt.scanning.following import Follower
    from kafkafmt.scanning.planning import Plan

_SHOWN_ROWS = 5


@dataclass(eq=False, repr=False, kw_only=True)
class Scan(ScanPasses, ArrowRecords):
    """Records of a source as an Arrow stream. Made by `kafkafmt.scan`, which describes the arguments.

    Each consumer starts a fresh pass over the files as they were listed when the scan was made: `to_reader()`,
    `to_table()`, `count()` and the Arrow C stream interface, by which DuckDB, Polars and pandas read a scan directly.
    `filter()` and `select()` make other scans of the same files, which are not listed again.

    When a pass ends, or its reader is closed, it warns of faults: a `KafkafmtWarning` for each of its notes that is a
    finding, and one for skipped damage. There are no warnings after a pass that ends with an error, nor with
    `without_warnings()`, nor from the answers of `kafkafmt.open`, such as `space`, which have their own notes.

    Attributes:
        schema: Arrow schema of the stream.
        warns: whether passes warn.
    """

    _INNER = frozenset(
        {
            *("absent", "best_partitions", "containing", "continued", "control_records", "has_end_time", "has_start"),
            *(
                "names_topics",
                "narrowed",
                "of",
                "of_topic",
                "path_of",
                "places",
                "show",
                "source_partitions",
                "starts",
                "takes",
                "to_stored_reader",
            ),
            *("unreadable", "watch", "with_stored_names", "without_topics"),
        }
    )

    def to_reader(self) -> Reader:
        """Start a pass and return a reader of its record batches, in bounded memory.

        Raises:
            KafkafmtError: from the reader, at damage (`on_damage="raise"`) or when a file cannot be read.
        """
        return self._reader(lambda reading, tasks: reading.decode_logs(tasks, self.schema))

    def to_stored_reader(self) -> Reader:
        """Do the same as `to_reader`, with header names as bytes, as stored: `columns.STORED_HEADERS`."""
        schema = with_stored_names(self.schema)
        return self._reader(lambda reading, tasks: reading.decode_logs(tasks, schema), schema=schema)

    def decode(
        self,
        *,
        value: str = "auto",
        key: str = "auto",
        schemas: object = None,
        schema: object = None,
        record: str | None = None,
        resolve: bool = True,
        columns: Sequence[str] | None = None,
        on_damage: "OnDamage" = "raise",
        unwrap: str | None = None,
    ) -> "DecodedScan[RecordDecoder]":
        """The same records with typed keys and values.

        Avro values are resolved to one schema: the latest version of the topic's subject ("<topic>-value",
        "<topic>-key"), or of the subject with which most of the first records were written. An Avro record is a struct;
        values without an Arrow type (unions of several types, recursive types) are JSON text. Values of JSON Schema
        have the type of that version too, matched by name.

            >>> scan = kafkafmt.scan("/var/lib/kafka/data", topics="orders")
            >>> scan.decode().to_table()["value"].type

        Args:
            value: format of the values: "avro", "json" (typed, if the values have schema ids), "string", "short",
                "int", "long", "float", "double", "boolean", "uuid", "bytes"; or "auto" to take it from the schema ids
                of the first records, else JSON, else text, else bytes.
            key: format of the keys.
            schemas: the answer of `kafkafmt.values.schemas`; None for the `_schemas` of the scan's source.
            schema: the schema that values are resolved to: "SUBJECT" for its latest version, "SUBJECT:VERSION", a file
                (.avsc, .proto, .json), or one of `schemas`. Values without a schema id, or with one of a registry whose
                schemas are unknown (Apicurio, Glue), are taken to be written with it.
            record: the full name of a record type, such as "com.x.Order", where a topic has several: values of other
                types are left out, and counted in a note.
            resolve: whether to resolve values to one schema; else each is JSON text as its writer's schema defines it.
            columns: names of the columns to build, in this order; None for those of a scan with typed `key` and
                `value`, and `keySchemaId`, `valueSchemaId`, `keyError`, `valueError`. `keyBytes` and `valueBytes` have
                the stored bytes.
            on_damage: "raise" an error at a key or value that cannot be decoded, or "skip" it: it is null, and its
                error column says why. For damage of the log, the scan's own setting applies.
            unwrap: "debezium" if the values are Debezium's change events, in any format: `value` is the row (`after`,
                or `before` for a deleted row), and `op`, `ts_ms` and `source` are further columns. A compacted scan
                gives the rows that the table has at the end of the log; see `as_of`.

        Raises:
            TypeError: `schemas` is not an answer of `kafkafmt.values.schemas`.
            ValueError: an unknown format or column; topics whose keys or values have different types; or values that
                are not change events.
            NotFoundError: `schema` does not exist.
            DataError: the latest schema of a subject is invalid.
            SourceError: a file cannot be read.
        """
        # Imported by name, as `kafkafmt.values` depends on this package, and few scans decode values.
        typed = importlib.import_module("kafkafmt.values.typed")
        arguments = typed.DecodeArguments(value, key, schemas, schema, record, resolve, unwrap, on_damage)
        decoded: DecodedScan[RecordDecoder] = typed.decode(self, arguments, columns)
        return decoded

    def head(self, count: int) -> Reader:
        """Start a pass that ends with the first `count` records of the stream; later batches are not decoded.

        `damage` covers the bytes read, as for all passes.

        Args:
            count: maximal number of records.

        Raises:
            ValueError: `count` is negative.
            KafkafmtError: from the reader, as for `to_reader`.
        """
        require_a_count(count)

        def read(reading: Pass, tasks: Tasks) -> Iterable[Part]:
            return reading.decode_logs(tasks, self.schema, to_the_end=False)

        return self._reader(read, count)

    def tail(self, count: int) -> Reader:
        """Start a pass for the last `count` records of each partition that match the filters, in the stream's order.

        They are searched from the log end, whatever the high watermark, even with an `end_offset` below it: first in
        the last segment, from the last entries of its offset index, and backwards as necessary. If an index does not
        help, the headers of the segment are walked. With `replica="all"`, each replica gives its own last records.
        Memory holds the rows of one partition, and one more batch.

        Damage is reported in the part that is read, and `damage` lists it in the order of the stream; with
        `on_damage="raise"` the last damage of a partition is met first.

        Args:
            count: maximal number of records of each partition.

        Raises:
            ValueError: `count` is negative.
            KafkafmtError: from the reader, as for `to_reader`.
        """
        require_a_count(count)
        most = min(count, sys.maxsize)

        def read(reading: Pass, tasks: Tasks) -> Iterable[Part]:
            return chain.from_iterable(reading.tail(group, most, self.schema) for group in tasks)

        return self._reader(read, None if count else 0)

    def follow(self, *, last: int | None = None) -> "Follower":
        """Read the present records, and then new ones as they are written, as `tail -f` does.

            >>> for batch in kafkafmt.scan("/var/lib/kafka/data", topics="orders").follow(last=0):
            ...     print(batch.to_pylist())

        Partitions are listed when the scan is made, and again whenever one appears or vanishes. New ones that match the
        filters are read from their start, even if they were deleted before they were found, as long as the broker has
        their directories. Rolled segments are read to their end, and of several replicas of a partition the best one is
        read as long as it exists. `Follower.notes` reports offsets that were deleted before they were read, logs that
        were truncated, and topics that were deleted or created again.

        Args:
            last: number of the last records of each partition that match the filters to begin with, 0 for none; None
                for all.

        Raises:
            ValueError: `last` is negative; or `end_offset` is an offset, so that nothing would follow; or the scan is
                compacted, where any record may be replaced by a later one.
            SourceError: a source is remote.
        """
        # Imported here, as most scans do not follow.
        from kafkafmt.scanning.following import Follower, Following  # noqa: PLC0415

        if last is not None:
            require_a_count(last)
        if self._selection.end_offset not in (None, arguments.HIGH_WATERMARK):
            raise ValueError("a scan that ends at an offset cannot be followed: give no end_offset, or high_watermark")
        self._require_records_as_they_come("followed")
        if self._sources is None:
            raise ValueError("only a scan made by kafkafmt.scan can be followed")
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
                self.warns,
            )
        )

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

        Reports of planning are in `Plan.notes` and `Plan.damage`, with warnings; splits report the rest.

        Together the splits give the rows of a pass, in its order. A file as large as a split is cut between batches, by
        its offset index if that is right, else by a walk over its headers. Smaller files share a split and are not
        opened, nor are files whose names show that they are outside the offsets. Sizes are those of the listing, made
        with the scan: later records are not read.

        With "read_committed" planning searches the transactions of each partition, which reads all batch headers, one
        partition after another. Damage met by this search is raised here, or reported by the split that contains it;
        damage never hides records after the next cut of a file.

        Args:
            max_split_bytes: upper bound of a split's size in bytes of log files, exceeded by a batch that does not fit.
                Grows if there would be more splits than `max_splits`.
            max_splits: upper bound of the number of splits, unless `min_splits` or `max_records_per_split` require
                more.
            min_splits: lower bound of the number of splits, if there are enough batches.
            max_records_per_split: upper bound of a split's records. Files with more records are opened; a batch with
                more records is read by several splits.
            progress: called with the numbers of partitions, files and bytes found so far.

        Raises:
            KafkafmtError: a file that planning needs cannot be read; or damage met by the search for transactions.
            TypeError, ValueError: an invalid argument; or the scan is compacted.
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
        noted = (*self._searched, *self._known_before)
        plan = planning.plan(self._found, self._selection, self._replica, committed, reading, noted)
        if self.warns:
            warn((*plan.notes, *plan.damage))
        return plan

    def explain(self, *, count: bool = False) -> "ExplainedScan":
        """Explain which segments a pass reads, and which it leaves out and why; no records are read.

            >>> print(kafkafmt.scan("/var/lib/kafka/data", topics="orders", start_offset=1000).explain())

        Args:
            count: whether to count the records too, as `count` does, which reads headers.

        Raises:
            KafkafmtError: a directory or checkpoint cannot be read; with "read_committed", also as raised by a pass.
        """
        from kafkafmt.scanning.explaining import ExplainedScan, explained  # noqa: PLC0415 - few ask

        report, last = PassReport(), self._last
        with self._pass(report, verify_checksums=False) as reading:
            committed = self._read_committed(verify_checksums=False)
            selection = self._selection.of_log() if self._is_compacted else self._selection
            selector = TaskSelector(selection, self._replica, reading.broken, reading.note, committed)
            rows = list(explained(self._found, selector))
        self._last = last
        return ExplainedScan(rows, self.count() if count else None)

    def end_offsets(self) -> Offsets:
        """The end of a pass over each partition: the first offset after it, as `start_offset` takes it.

            >>> seen = scan.end_offsets()
            >>> later = kafkafmt.scan("/var/lib/kafka/data", topics="orders", start_offset=seen)  # only what is new
            >>> Path("orders.offsets").write_text(seen.to_json())  # `Offsets.from_json` reads it

        An end is the log end as listed when the scan was made, or `end_offset` if that is lower; with "read_committed"
        the last stable offset. Whole batches count; an incomplete last one does not. Partitions without a log file, and
        directories without a name of Kafka's, are left out. The best of several replicas counts. The result has topic
        ids, so that a recreated topic is not mistaken for the old one.

        If `start_offset` is an `Offsets`, the result also has its offsets of partitions that are missing or not read,
        and no end is below its start, where the next load begins.

        Raises:
            KafkafmtError: a checkpoint or the last segment of a partition cannot be read; with "read_committed", also
                as raised by a pass.
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
        start = self._selection.start_offset
        if isinstance(start, Offsets):
            # With read_committed, or before `end_offset`, a pass can end below its start.
            ends = {name: max(end, start.get(name, 0)) for name, end in ends.items()}
        offsets = Offsets(ends, topic_ids_of(self.best_partitions()))
        return start | offsets if isinstance(start, Offsets) else offsets

    def __repr__(self) -> str:
        names = [each.location.name for each in self._found if self._selection.takes(each.partition)]
        among = listed(names, 3) or "none"
        columns = ", ".join(self.schema.names)
        return short(f"<Scan of {len(names)} of {len(self._found)} partitions or files ({among}): {columns}>")

    def _repr_html_(self) -> str:
        lines: list[object] = []
        rows = self.schema.empty_table()
        try:
            rows = self.without_warnings().head(_SHOWN_ROWS).read_all()
        except KafkafmtError as error:
            lines.append(error)
        return html(repr(self)[1:-1], rows, [*lines, *self.damage, *self.notes])
