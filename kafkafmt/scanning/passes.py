"""The selected logs and records of a scan, and the passes over them.

Nothing is listed again, and a scan made from another one has had no pass. Each pass opens the files again, and reports
damage and notes beside its records.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.columnar.row_filter import Needles
from kafkafmt.errors import KafkafmtError, OnDamage, SourceError
from kafkafmt.files.damage import Absence, Damage, Note, warning_at_end
from kafkafmt.limits import Limits
from kafkafmt.scanning import arguments
from kafkafmt.scanning.arguments import GivenEndOffset, GivenOffset
from kafkafmt.scanning.batching import Part, Reader, record_batches
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.offsets import Offsets, resume
from kafkafmt.scanning.read_committed import ReadCommitted
from kafkafmt.scanning.row_expression import row_expression
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.scanning.tasks import Replica, ScanTask

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Sources

Tasks: TypeAlias = Iterator[list[ScanTask]]
"""Tasks of each partition directory, in the order of the scan."""


@dataclass(eq=False)
class PassReport:
    """The reports of one pass; they grow until the pass ends.

    Attributes:
        damage: as `Scan.damage`.
        notes: the pass's part of `Scan.notes`, each once.
        skipped_replicas: as `Scan.skipped_replicas`.
    """

    damage: list[Damage] = field(default_factory=list)
    notes: dict[Note, None] = field(default_factory=dict)
    skipped_replicas: "list[Partition]" = field(default_factory=list)


@dataclass(eq=False, repr=False, kw_only=True)
class ScanPasses:
    """Logs as they were listed, the selection, how they are read, and the reports of the last pass over them.

    Attributes:
        schema: Arrow schema of the columns that are wanted.
        warns: whether passes warn of findings; see `KafkafmtWarning`.
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
    _is_compacted: bool = False
    _advance: Callable[[int], None] | None = None
    warns: bool = False
    _last: PassReport = field(default_factory=PassReport, init=False)  # a changed scan has had none

    @property
    def limits(self) -> Limits:
        """Bounds of what is decoded."""
        return self._limits

    @property
    def absent(self) -> tuple[Note, ...]:
        """Topics and partitions that were named and not found."""
        return tuple(map(Absence, self._selection.absent(self._there)))

    @property
    def _there(self) -> list[tuple[str | None, int | None]]:
        there = [(each.topic, each.partition) for each in self.source_partitions]
        return there + (self._sources.unlisted_names if self._sources else [])

    @property
    def _known_before(self) -> tuple[Note, ...]:
        """Notes before any pass: names that do not exist, and names that select nothing."""
        unread = (Note(text, is_finding=False) for text in self._selection.unread(self._there))
        return (*self.absent, *unread, *self._noted)

    @property
    def _searched(self) -> tuple[Note, ...]:
        return self._sources.notes if self._sources else ()

    @property
    def partitions(self) -> "list[Partition]":
        """Partition directories that `topics` and `partitions` select, of all replicas.

        For a file given alone its directory.
        """
        return [each.partition for each in self._found if self._selection.takes(each.partition)]

    @property
    def source_partitions(self) -> "list[Partition]":
        """Partition directories of the source, whatever is selected; for a file given alone its directory."""
        return [each.partition for each in self._found]

    def takes(self, topic: str | None, partition: int | None) -> bool:
        """Whether `topics` and `partitions` select a partition, wherever it may be."""
        return self._selection.takes_named(topic, partition)

    @property
    def names_topics(self) -> bool:
        """Whether `topics` selects partitions by their topics."""
        return self._selection.topics is not None

    def without_topics(self, topics: Iterable[str]) -> Self:
        """A scan of the same records without some topics, also as they appear; instead of its own `topics`."""
        others = re.compile(f"(?!(?:{'|'.join(map(re.escape, topics))})$).*")
        return self._changed(_selection=replace(self._selection, topics=others))

    @property
    def control_records(self) -> bool:
        """Whether control records are among the rows."""
        return self._selection.control_records

    @property
    def is_compacted(self) -> bool:
        """Whether only the latest record of each key is among the rows."""
        return self._is_compacted

    @property
    def places(self) -> "list[Location]":
        """The named sources: a copy of their records is not more readable, and not inside them."""
        return list(self._sources or ())

    def best_partitions(self) -> "list[Partition]":
        """The best replica of each partition that the filters select, in the stream's order, whatever `replica` is.

        A leader-epoch-checkpoint that is broken or cannot be read is ignored here, and a replica that cannot be read is
        the worst; a pass raises it, or lists it.
        """
        found, _ = TaskSelector(self._selection, "best", lambda _: None, lambda _: None).replicas(self._found)
        return [each.partition for each in found]

    def size_in_bytes(self) -> int:
        """Bytes of the log files of a pass, as listed, with bytes that it can skip.

        A compacted scan counts them twice. An unreadable file counts as 0: a pass reports it.
        """
        selector = TaskSelector(self._selection, self._replica, lambda _: None, lambda _: None)
        with suppress(KafkafmtError):
            found, _ = selector.replicas(self._found)
            size = sum(task.size_in_bytes for tasks in selector.tasks(found) for task in tasks)
            return 2 * size if self._is_compacted else size
        return 0

    def path_of(self, file: str | None) -> str | None:
        """Path or URI of the file that the `file` column or an error names; the name itself if it is not a log file."""
        return file if file is None else self._paths.get(file, file)

    @cached_property
    def _paths(self) -> dict[str, str]:
        paths: dict[str, str] = {}
        for each in self._found:
            with suppress(SourceError):  # a pass reports unreadable files
                for segment in each.segments:
                    paths.setdefault(segment.file, segment.path)
        return paths

    def filter(self, expression: "Expression") -> Self:
        """A scan of the same files that also requires an expression to be true for a record.

            >>> import pyarrow.compute as pc
            >>> scan = kafkafmt.scan("/var/lib/kafka/data").filter(pc.field("partition") == 3).select(["value"])

        Its conditions on topics, partitions, files, offsets and times are derived, and used like arguments of
        `kafkafmt.scan`; so is a key that must be equal to one. Batches are not decompressed if fields that all their
        records share, such as `producerId` or `compression`, make it false. The rest is evaluated on decoded records.
        `batches` shows batches that may hold such records by their headers, and `plan` counts records as if all read
        ones were kept.

        Args:
            expression: of `pyarrow.compute` and type bool, over any columns, whether they are selected or not. Records
                for which it is null are dropped, as in `pyarrow.dataset`.

        Raises:
            TypeError, ValueError: it is not such an expression, or names an unknown column.
            pyarrow.ArrowException: from a pass, if it fails on a record, such as a cast of bytes that are not text.
        """
        both = row_expression(expression)
        if self._selection.expression is not None:
            both = self._selection.expression & both
        return self._changed(_selection=replace(self._selection, expression=both))

    def containing(self, strings: Iterable[bytes], *, ignore_case: bool = False) -> Self:
        """A scan of the same files without records that hold none of some strings of bytes.

        A first step of a search: some records without a string may remain, such as one with a string across its key and
        value. A batch without the strings is decompressed, and its CRC is checked, but it is not decoded.

            >>> rows = scan.containing([b"4711"]).filter(pc.match_substring(pc.field("value"), b"4711"))

        Args:
            strings: none of them empty. They are searched in keys, values, names of headers and their values.
            ignore_case: whether an ASCII letter matches both of its cases.

        Raises:
            ValueError: there is no string, or an empty one.
        """
        needles = Needles(tuple(strings), ignore_case)
        if not needles.strings or not all(needles.strings):
            raise ValueError(f"strings must be some, none of them empty, not {needles.strings}")
        return self._changed(_selection=replace(self._selection, needles=needles))

    def select(self, columns: Sequence[str] | None, *more: str) -> Self:
        """A scan of the same records with other columns, in this order.

        Args:
            columns: names of any columns that a scan has, whatever this one selects; None for all. Or the first name.
            more: further names, as in `select("offset", "value")`.

        Raises:
            TypeError, ValueError: unknown or repeated names, or none.
        """
        if isinstance(columns, str):
            columns = (columns, *more)
        elif more:
            raise TypeError(f"columns are one list of names, or names alone, not {(columns, *more)}")
        return self._changed(schema=record_columns.select(columns))

    def without_warnings(self) -> Self:
        """A scan of the same records whose passes do not warn: for callers that read `damage` and `notes`."""
        return self._changed(warns=False)

    def with_stored_names(self) -> Self:
        """A scan of the same records in which names of headers are bytes, as stored: `columns.STORED_HEADERS`."""
        return self._changed(schema=record_columns.with_stored_names(self.schema))

    def narrowed(
        self,
        topics: Mapping[str, Iterable[int]] | None = None,
        start_offset: GivenOffset | None = None,
        end_offset: GivenEndOffset | None = None,
    ) -> Self:
        """A scan of the same files, as listed when this one was made, with these filters instead of its own.

        Args:
            topics: numbers of partitions by topic; None for those of this scan.
            start_offset: as for `kafkafmt.scan`.
            end_offset: as for `kafkafmt.scan`.

        Raises:
            TypeError, ValueError: an invalid argument.
        """
        wanted = replace(
            self._selection,
            topics=self._selection.topics if topics is None else arguments.topics(topics),
            start_offset=arguments.offset_bound(start_offset, "start_offset"),
            end_offset=arguments.end_bound(end_offset, "end_offset"),
        )
        return self._changed(_selection=wanted, _noted=()).resumed()

    def continued(self, start_offset: GivenOffset) -> Self:
        """The same scan from other offsets on.

        Args:
            start_offset: as for `kafkafmt.scan`.

        Raises:
            TypeError, ValueError: an invalid argument.
        """
        wanted = replace(self._selection, start_offset=arguments.offset_bound(start_offset, "start_offset"))
        return self._changed(_selection=wanted, _noted=()).resumed()

    @property
    def has_start(self) -> bool:
        """Whether it begins at offsets."""
        return self._selection.start_offset is not None

    @property
    def has_end_time(self) -> bool:
        """Whether it leaves out records that are as late as a timestamp, or later."""
        return self._selection.end_timestamp is not None

    @property
    def unreadable(self) -> "Sequence[SourceError]":
        """What could not be read of the source so far, where that is skipped, and reported by the caller."""
        return self._sources.unreadable if self._sources is not None and self._sources.are_reported else ()

    def resumed(self) -> Self:
        """The same scan; one from `Offsets` continues in the present logs, and notes the recreated ones."""
        offsets = self._selection.start_offset
        if not isinstance(offsets, Offsets):
            return self
        starts, texts = resume(
            offsets, self.best_partitions(), self.takes, below_log_start=self._selection.below_log_start
        )
        noted = (*self._noted, *(each if isinstance(each, Note) else Note(each, is_finding=False) for each in texts))
        return self._changed(_selection=replace(self._selection, start_offset=starts), _noted=noted)

    def of(self, choose: "Callable[[list[Found]], list[Found]]", columns: Sequence[str]) -> Self:
        """A scan of some of the same files, as they were listed, with the same filters and other columns.

        Args:
            choose: gives the directories and files to keep.
            columns: as for `kafkafmt.scan`.

        Raises:
            ValueError: an unknown column.
        """
        return self._changed(_found=choose(self._found), schema=record_columns.select(columns))

    def _changed(self, **changes: Any) -> Self:  # noqa: ANN401 - attributes
        """The same scan with these attributes changed; it has had no pass."""
        return replace(self, **changes)

    @property
    def damage(self) -> list[Damage]:
        """The damage of the last pass that ended, in reading order; `Reader.damage` is that of one under way.

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
        """The other reports of the last pass that ended, each once; `Note.is_finding` if the data is wrong.

        First come directories that cannot be listed and need not hold selected data, and links that lead out of a
        source. Before the first pass also topics and partitions that were named and not found, and empty ranges.
        A pass warns of those that are findings once it has ended (`KafkafmtWarning`).
        """
        return (*self._searched, *(tuple(self._last.notes) or self._known_before))

    def watch(self, advance: Callable[[int], None]) -> None:
        """Let passes of this scan report their progress, from the next one on.

        Args:
            advance: called with numbers of bytes of log files, which add up to `size_in_bytes` in a whole pass.
        """
        self._advance = advance

    def _reader(self, read: Callable[[Pass, Tasks], Iterable[Part]], most: int | None = None) -> Reader:
        """A pass over the tasks of each partition directory, for at most so many records."""
        report = PassReport()
        return Reader(self.schema, self._batches(report, read, most), report.damage)

    def _batches(
        self, report: PassReport, read: Callable[[Pass, Tasks], Iterable[Part]], most: int | None
    ) -> Generator[pa.RecordBatch, None, None]:
        """The record batches of a pass; if there are no rows, notes say which offsets are outside the logs."""
        with self._pass(report, verify_checksums=self._verify_checksums) as reading:
            is_empty = most != 0
            for batch in record_batches(read(reading, self._tasks(reading, report)), self.schema, most):
                is_empty = is_empty and batch.num_rows == 0
                yield batch
            if is_empty:
                self._note_offsets_outside(reading, report)

    @contextmanager
    def _pass(self, report: PassReport, *, verify_checksums: bool) -> Iterator[Pass]:
        """A pass that reports to `report`, which becomes the last pass's once it ends."""
        report.notes |= dict.fromkeys(self._known_before)
        kind = Pass
        if self._is_compacted:
            from kafkafmt.scanning.compacting import CompactedPass as kind  # noqa: N813, PLC0415 - it loads kernels
        try:
            with self._warnings(report):
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

    def _warnings(self, report: PassReport) -> AbstractContextManager[None]:
        """Warns at the end of a pass, if passes of this scan do."""
        searched = self._sources.findings if self._sources else ()
        return warning_at_end(searched, report.notes, report.damage) if self.warns else nullcontext()

    def _tasks(self, reading: Pass, report: PassReport, *, describing: bool = False) -> Tasks:
        """The files to read, in order, of each partition directory."""
        committed = self._read_committed(verify_checksums=reading.verify_checksums, describing=describing)
        # The latest records are sought in the whole log, even if an expression bounds offsets.
        selection = self._selection.of_log() if self._is_compacted else self._selection
        selector = TaskSelector(selection, self._replica, reading.broken, reading.note, committed)
        wanted = [each for each in self._found if self._selection.takes(each.partition)]
        found, report.skipped_replicas = selector.replicas(wanted)
        for tasks in selector.tasks(found):
            yield tasks
            if committed is not None and not describing:
                committed.settle(report.damage, reading.report)

    def _note_offsets_outside(self, reading: Pass, report: PassReport) -> None:
        skipped = {each.location.identity for each in report.skipped_replicas}
        taken = [each for each in self.partitions if each.location.identity not in skipped]
        for text in self._selection.outside(taken):
            reading.note(Note(text, is_finding=False))

    def _read_committed(self, *, verify_checksums: bool, describing: bool = False) -> ReadCommitted | None:
        """Narrows a pass to committed records. Headers are described even if others are damaged."""
        if self._selection.isolation_level == "read_uncommitted":
            return None
        return ReadCommitted(
            self._selection.end_offset == arguments.HIGH_WATERMARK,
            "skip" if describing else self._on_damage,
            describing or verify_checksums,
            self._limits,
        )
