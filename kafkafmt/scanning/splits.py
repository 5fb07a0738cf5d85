"""Splits: independent parts of a scan for other processes and machines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kafkafmt.errors import OnDamage
from kafkafmt.files.damage import Damage, Note, warning_at_end
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.record_columns import Origin
from kafkafmt.scanning.batching import record_batches
from kafkafmt.scanning.execution import Engine, Pass
from kafkafmt.scanning.open_task import Visitor
from kafkafmt.scanning.read_committed import DamagedRanges
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.tasks import ScanTask

Report = Callable[[Damage, Origin], None]
TakeNote = Callable[[Note], None]


@dataclass(frozen=True, slots=True)
class Split:
    """The work of one task; small, and can be pickled.

    Attributes:
        tasks: ranges to read, in the order of the scan.
    """

    tasks: tuple[ScanTask, ...]

    @property
    def size_in_bytes(self) -> int:
        """Size of the log files' ranges in it, in bytes."""
        return sum(task.size_in_bytes for task in self.tasks)


@dataclass(frozen=True, slots=True)
class SplitReader:
    """Reads the splits of one plan, in any order and in any process; can be pickled.

    Attributes:
        schema: wanted columns.
        selection: the wanted records, within the offsets of each task.
        on_damage: "raise" or "skip".
        verify_checksums: whether to check CRCs.
        limits: bounds of memory.
        engine: "columnar" or "reference".
        threads: number of threads that decode at once.
    """

    schema: "pa.Schema"
    selection: Selection
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    engine: Engine
    threads: int

    def read(
        self, split: Split, report: Report | None = None, note: TakeNote | None = None
    ) -> "Iterator[pa.RecordBatch]":
        """The records of a split, in the order of the scan, in bounded memory.

        Args:
            split: the split to read.
            report: called with damage, as in `Scan.damage`, and its origin; None to issue a `KafkafmtWarning` for
                skipped damage at the end.
            note: called with other reports, as in `Scan.notes`, perhaps repeatedly. None to issue a `KafkafmtWarning`
                for findings at the end.

        Raises:
            KafkafmtError: at damage (`on_damage="raise"`), or if a file cannot be read, also because it has become
                shorter or vanished since the plan was made.
        """
        reports = _Reports(split, report, note)
        reading = self._start(reports, verify_checksums=self.verify_checksums)
        parts = reading.decode(reports.tasks(), self.schema)
        with warning_at_end(reports.kept):
            yield from record_batches(parts, self.schema)

    def count(
        self,
        split: Split,
        report: Report | None = None,
        note: TakeNote | None = None,
        *,
        verify_checksums: bool = False,
    ) -> int:
        """Count the records of a split, from batch headers alone where the filters and the formats allow.

        See `Scan.count`, which does the same.

        Args:
            split: the split to count.
            report: as for `read`.
            note: as for `read`.
            verify_checksums: whether to read all bytes and check CRCs too.

        Raises:
            KafkafmtError: as for `read`, at damage that the walk meets.
        """
        reports = _Reports(split, report, note)
        reading = self._start(reports, verify_checksums=verify_checksums)
        with warning_at_end(reports.kept):
            return reading.count(reports.tasks(), verify_decoded=self.verify_checksums)

    def show(
        self,
        split: Split,
        visitor: Visitor,
        report: Report | None = None,
        note: TakeNote | None = None,
        *,
        reads_bytes: bool = True,
    ) -> None:
        """Show a visitor the entries of a split that may hold wanted records.

        See `Scan.show`, which does the same.

        Args:
            split: the split to read.
            visitor: takes the entries.
            report: as for `read`.
            note: as for `read`.
            reads_bytes: as for `Scan.show`.

        Raises:
            KafkafmtError: as for `read`, at damage that the walk meets.
        """
        reports = _Reports(split, report, note)
        reading = self._start(reports, verify_checksums=self.verify_checksums and reads_bytes)
        with warning_at_end(reports.kept):
            reading.show(visitor, reports.tasks(), reads_bytes=reads_bytes)

    def _start(self, reports: "_Reports", *, verify_checksums: bool) -> Pass:
        return Pass(
            self.selection,
            self.on_damage,
            verify_checksums,
            self.limits,
            reports.met,
            reports.note,
            self.engine,
            self.threads,
        )


class _Reports:
    """Hands on notes, and damage with its origin; after reading a task, also damage that only planning met.

    Attributes:
        kept: reports for which there is no callback.
    """

    def __init__(self, split: Split, report: Report | None, note: TakeNote | None) -> None:
        self._split = split
        self._report = report
        self._note = note
        self._task: ScanTask | None = None
        self._known = DamagedRanges()
        self.kept: list[Damage | Note] = []

    def tasks(self) -> Iterator[ScanTask]:
        """The tasks, for a pass that takes the next one when it has finished one."""
        for task in self._split.tasks:
            self._task = task
            self._known = DamagedRanges()
            yield task
            for damage in task.damage:
                if self._known.add(damage):
                    self._hand_on(damage, task)

    def met(self, damage: Damage) -> None:
        """Hand on damage in the task being read."""
        if self._task is not None:
            if self._task.damage:
                self._known.add(damage)
            self._hand_on(damage, self._task)

    def note(self, note: Note) -> None:
        """Hand on a note, unless another task of the same bytes does."""
        if not (self._task is not None and self._task.is_reported):
            (self._note or self.kept.append)(note)

    def _hand_on(self, damage: Damage, task: ScanTask) -> None:
        if task.is_reported:
            return
        if self._report is None:
            self.kept.append(damage)
        else:
            self._report(damage, task.origin)
