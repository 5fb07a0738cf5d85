"""Passes over selected logs: each opens the files anew, and reports what it met beside its records."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from kafkafmt.errors import OnDamage
from kafkafmt.files.damage import Damage, Note
from kafkafmt.limits import Limits
from kafkafmt.scanning import arguments
from kafkafmt.scanning.batching import Part, Reader, record_batches
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.read_committed import ReadCommitted
from kafkafmt.scanning.selected_logs import SelectedLogs
from kafkafmt.scanning.tasks import ScanTask, TaskSelector

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition


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


@dataclass(eq=False, repr=False, kw_only=True)
class ScanPasses(SelectedLogs):
    """Selected logs, how they are read, and what the last pass over them reported."""

    _on_damage: OnDamage
    _verify_checksums: bool
    _limits: Limits
    _engine: Engine
    _threads: int
    _advance: Callable[[int], None] | None = None
    _last: PassReport = field(default_factory=PassReport, init=False)  # a changed scan has had none

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

    def watch(self, advance: Callable[[int], None]) -> None:
        """Let passes of this scan tell how far they are, from the next one on.

        Args:
            advance: called with numbers of bytes of log files; `size_in_bytes` of them make a whole pass.
        """
        self._advance = advance

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

    @contextmanager
    def _pass(self, report: PassReport, *, verify_checksums: bool) -> Iterator[Pass]:
        """A pass that reports to `report`, which is that of the last pass once it ended."""
        report.notes |= dict.fromkeys((*self.absent, *self._noted))
        kind = Pass
        if self._is_compacted:
            from kafkafmt.scanning.compacting import CompactedPass as kind  # noqa: N813, PLC0415 - it loads kernels
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

    def _note_offsets_outside(self, reading: Pass, report: PassReport) -> None:
        skipped = {each.location.identity for each in report.skipped_replicas}
        taken = [each for each in self.partitions if each.location.identity not in skipped]
        for text in self._selection.outside(taken):
            reading.note(Note(text, is_finding=False))

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
