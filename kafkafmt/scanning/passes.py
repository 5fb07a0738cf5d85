"""Passes over the selected records of a scan: their start and end, and those that do not give Arrow rows.

Each pass opens the files again, and reports damage and notes besides its records.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import Damage, Note, warning_at_end
from kafkafmt.libraries import pa
from kafkafmt.scanning import arguments
from kafkafmt.scanning.batching import Part, Reader, record_batches
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.read_committed import ReadCommitted
from kafkafmt.scanning.selected_records import SelectedRecords
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.scanning.tasks import ScanTask

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.scanning.open_task import Visitor

Tasks: TypeAlias = Iterator[list[ScanTask]]
"""Tasks of each partition directory, in the order of the scan."""


@dataclass(eq=False)
class PassReport:
    """The reports of one pass, which grow until it ends.

    Attributes:
        damage: as `Scan.damage`.
        notes: the pass's part of `Scan.notes`, each once.
        skipped_replicas: as `Scan.skipped_replicas`.
    """

    damage: list[Damage] = field(default_factory=list)
    notes: dict[Note, None] = field(default_factory=dict)
    skipped_replicas: "list[Partition]" = field(default_factory=list)


@dataclass(eq=False, repr=False, kw_only=True)
class ScanPasses(SelectedRecords):
    """Selected records, and the reports of the last pass over them."""

    _last: PassReport = field(default_factory=PassReport, init=False)  # not copied to scans made from this one

    def size_in_bytes(self) -> int:
        """Size of the log files that a pass reads, as listed, including bytes that it can skip.

        A compacted scan counts them twice. An unreadable file counts as 0; a pass reports it.
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

    @property
    def damage(self) -> list[Damage]:
        """The damage of the last pass that ended, in reading order; for a running pass see `Reader.damage`.

        With `on_damage="skip"`, each damaged range; in both modes also the incomplete last entry or the zeros that a
        running broker leaves at the end of a file.
        """
        return self._last.damage

    @property
    def skipped_replicas(self) -> "list[Partition]":
        """Partition directories that the last pass that ended skipped in favour of a better replica."""
        return self._last.skipped_replicas

    @property
    def notes(self) -> tuple[Note, ...]:
        """The other reports of the last pass that ended, each once; `Note.is_finding` is true if the data is wrong.

        First come directories that cannot be listed and need not hold selected data, and links that lead out of a
        source. Before the first pass, also topics and partitions that were named and not found, and empty ranges. A
        pass warns of the findings among them when it ends (`KafkafmtWarning`).
        """
        return (*self._searched, *(tuple(self._last.notes) or self._known_before))

    def watch(self, advance: Callable[[int], None]) -> None:
        """Let later passes of this scan report their progress.

        Args:
            advance: called with numbers of bytes of log files, which add up to `size_in_bytes` in a complete pass.
        """
        self._advance = advance

    def count(self, verify_checksums: bool = False) -> int:
        """Count the records, from batch headers alone where the filters and the formats allow.

        Compressed v0 and v1 wrappers, and batches that a filter may divide, are decoded. Unless CRCs are checked, a
        batch with a wrong CRC is counted and its size is trusted: on damaged files the count can be higher or lower
        than the number of rows of `to_table`. Files for which a filter's expression may be partly true are decoded as
        in `to_table`, and so is everything with `compacted=True`.

        Args:
            verify_checksums: whether to read all bytes and check CRCs too.

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

        `compacted` has no effect here: batches of outdated records are included.

        A batch with a wrong CRC or an unknown magic is listed as Kafka lists it; `BatchHeader.error` has the fault.
        With `verify_checksums` its size is trusted, so nothing inside it is listed. A v0 or v1 wrapper that is not
        decompressed is selected only by its own offset (its last).

        Args:
            deep: whether to decompress v0 and v1 wrappers for their count and first offset, which are None otherwise.
            verify_checksums: whether to compute CRCs, and set `is_valid`.

        Raises:
            KafkafmtError: an entry's size is broken (`on_damage="raise"`), or a file cannot be read.
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
        self, visitor: "Visitor", *, reads_bytes: bool = True, progress: Callable[[int], None] | None = None
    ) -> None:
        """Start a pass in which a visitor reads the entries that may hold selected records, in place of decoders.

        Args:
            visitor: takes the entries.
            reads_bytes: whether the visitor reads all bytes, so that CRCs are checked if `verify_checksums` is true;
                else only headers are read.
            progress: called with the size of each range of a file that was read.

        Raises:
            KafkafmtError: at damage that the walk meets, as for `to_table`.
            ValueError: the scan has a `filter` or is compacted, so that records would have to be decoded.
        """
        self._require_records_as_they_come("measured")
        if self._selection.expression is not None:
            raise ValueError(
                "filter= cannot be used here, as records are measured without decoding. Choose them by topics, "
                "partitions, offsets, timestamps or key, or add up their values in SQL (Disks.sql)"
            )
        report = PassReport()
        with self._pass(report, verify_checksums=self._verify_checksums and reads_bytes) as reading:
            for task in chain.from_iterable(self._tasks(reading, report)):
                reading.show(visitor, [task], reads_bytes=reads_bytes)
                if progress is not None:
                    progress(task.size_in_bytes)

    def _reader(
        self,
        read: Callable[[Pass, Tasks], Iterable[Part]],
        most: int | None = None,
        schema: "pa.Schema | None" = None,
    ) -> Reader:
        """A pass over the tasks of each partition directory, for at most `most` records; None for the scan's schema."""
        report, schema = PassReport(), schema or self.schema
        return Reader(schema, self._batches(report, read, most, schema), report.damage)

    def _batches(
        self, report: PassReport, read: Callable[[Pass, Tasks], Iterable[Part]], most: int | None, schema: "pa.Schema"
    ) -> "Generator[pa.RecordBatch, None, None]":
        """The record batches of a pass; if there are no rows, notes say which offsets are outside the logs."""
        with self._pass(report, verify_checksums=self._verify_checksums) as reading:
            is_empty = most != 0
            for batch in record_batches(read(reading, self._tasks(reading, report)), schema, most):
                is_empty = is_empty and batch.num_rows == 0
                yield batch
            if is_empty:
                self._note_offsets_outside(reading, report)

    @contextmanager
    def _pass(self, report: PassReport, *, verify_checksums: bool) -> Iterator[Pass]:
        """A pass that reports to `report`, which becomes the last pass's report when it ends."""
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
        """Warns at the end of a pass, if passes of this scan warn."""
        searched = self._sources.findings if self._sources else ()
        return warning_at_end(searched, report.notes, report.damage) if self.warns else nullcontext()

    def _tasks(self, reading: Pass, report: PassReport, *, describing: bool = False) -> Tasks:
        """The files of each partition directory to read, in order."""
        committed = self._read_committed(verify_checksums=reading.verify_checksums, describing=describing)
        # The latest records are searched in the whole log, even if an expression bounds offsets.
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
        """Restricts a pass to committed records. Headers are described even if others are damaged."""
        if self._selection.isolation_level == "read_uncommitted":
            return None
        return ReadCommitted(
            self._selection.end_offset == arguments.HIGH_WATERMARK,
            "skip" if describing else self._on_damage,
            describing or verify_checksums,
            self._limits,
        )
