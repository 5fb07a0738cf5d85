"""Pass: one reading of a scan's tasks, from the start or from the end, no further than necessary."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from kafkafmt import columns
from kafkafmt.errors import KafkafmtError, OnDamage, SourceError
from kafkafmt.files import entry_points
from kafkafmt.files.damage import Damage, Note
from kafkafmt.files.offset_order import OffsetFault
from kafkafmt.files.read_window import ReusedBuffer
from kafkafmt.findings import finding_of, reason_of
from kafkafmt.libraries import pa
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import EpochHistory, history_beside
from kafkafmt.logdir.segment import Segment
from kafkafmt.reference.entry import without_traceback
from kafkafmt.scanning.batch_filter import LogOrder, note_of
from kafkafmt.scanning.batching import Part, Run, last_of, rows_of
from kafkafmt.scanning.decoders import Decoders
from kafkafmt.scanning.open_task import OpenTask, Visitor
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.tasks import ScanTask

if TYPE_CHECKING:
    from kafkafmt.files.offset_index import RangedOffsetIndex
    from kafkafmt.io.base import File
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.reference.header import BatchHeader

Engine = Literal["columnar", "reference"]
T = TypeVar("T")


@dataclass(frozen=True)
class Pass:
    """Options for reading the records of tasks.

    If offsets are bounded, reading begins at an entry point of the offset index and ends where nothing wanted can
    follow. A batch excluded by its header is not read if the header can be trusted (`HeaderTrust`), so damage in it
    goes unnoticed; control batches are always read.

    Attributes:
        selection: the wanted records.
        on_damage: "raise" or "skip".
        verify_checksums: whether to check CRCs.
        limits: bounds of memory.
        report: called with all damage in reading order.
        note: called with reports that are not damage, perhaps repeatedly with the same.
        engine: "columnar", or "reference" for every record.
        threads: number of threads that decode at once, with "columnar".
        sources: receives errors of unreadable files, and decides whether to continue with the next file; None to raise
            them.
        advance: called with numbers of bytes of the tasks as they are passed, read or not; None for no progress.
        buffer: memory for reading.
    """

    selection: Selection
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    report: Callable[[Damage], None]
    note: Callable[[Note], None]
    engine: Engine = "columnar"
    threads: int = 1
    sources: "Sources | None" = None
    advance: Callable[[int], None] | None = None
    _broken_files: set[str | None] = field(default_factory=set)
    _histories: dict[tuple[str, str], EpochHistory | None] = field(default_factory=dict)
    buffer: ReusedBuffer = field(default_factory=ReusedBuffer, repr=False)

    def broken(self, error: KafkafmtError) -> None:
        """Raise an error of a checkpoint, or report it once for all partitions that use the checkpoint."""
        if isinstance(error, SourceError):
            self.unreadable(error)
            return
        if self.on_damage == "raise":
            raise error
        if error.file not in self._broken_files:
            self._broken_files.add(error.file)
            self.report(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))

    def unreadable(self, error: SourceError) -> None:
        """Raise the error of an unreadable file, unless the sources decide to continue.

        Raises:
            SourceError: the error.
        """
        if self.sources is None:
            raise error
        self.sources.report(error)

    def decode_logs(
        self, logs: Iterable[Sequence[ScanTask]], schema: "pa.Schema", *, to_the_end: bool = True
    ) -> Iterator[Part]:
        """The wanted records of logs, in order: `decode` of each log's tasks."""
        return self.decode(chain.from_iterable(logs), schema, to_the_end=to_the_end)

    def count_logs(self, logs: Iterable[Sequence[ScanTask]], *, verify_decoded: bool = False) -> int:
        """The number of wanted records of logs: `count` of each log's tasks."""
        return self.count(chain.from_iterable(logs), verify_decoded=verify_decoded)

    def decode(self, tasks: Iterable[ScanTask], schema: "pa.Schema", *, to_the_end: bool = True) -> "Iterator[Part]":
        """The wanted records of tasks, in order; a part holds those of one entry, or of many.

        Args:
            tasks: the tasks to read.
            schema: wanted columns.
            to_the_end: whether all records will be requested; else no more is read ahead than the walk needs.
        """
        expression = self.selection.residual
        if expression is None:
            return self._decode_all(tasks, schema, to_the_end=to_the_end)
        return expression.keep(self._decode_all(tasks, expression.reads(schema), to_the_end=to_the_end), schema)

    def _decode_all(self, tasks: Iterable[ScanTask], schema: "pa.Schema", *, to_the_end: bool) -> "Iterator[Part]":
        checks = "offset" in schema.names
        return self._parts(tasks, self._decoders(schema), to_the_end=to_the_end, checks_inside=checks)

    def runs(self, tasks: Iterable[ScanTask]) -> "Iterator[Run]":
        """The wanted records of each entry as the reference engine decodes them, without Arrow.

        Args:
            tasks: the tasks to read, for a selection without an expression.
        """
        return cast("Iterator[Run]", self._parts(tasks, nullcontext(), to_the_end=True, checks_inside=True))

    def _parts(
        self,
        tasks: Iterable[ScanTask],
        decoding: "AbstractContextManager[Decoders | None]",
        *,
        to_the_end: bool,
        checks_inside: bool,
    ) -> Iterator[Part]:
        with decoding as decoders:
            for task in tasks:
                with self._reading(), task.segment.open() as file:
                    opened = OpenTask(self, task, file, decoders, to_the_end=to_the_end, checks_inside=checks_inside)
                    parts = opened.decode(_begin(self, task, file))
                    yield from parts if self.advance is None else self._watched(task, opened, parts, self.advance)

    def count(self, tasks: Iterable[ScanTask], *, verify_decoded: bool = False) -> int:
        """The number of wanted records of tasks, from headers where these suffice.

        Args:
            tasks: the tasks to count.
            verify_decoded: whether to check CRCs at least where an expression has to be evaluated.
        """
        expression = self.selection.expression
        counted = 0
        offsets = columns.select(["offset"])
        with self._decoders(offsets) as decoders:
            for task in tasks:
                origin = {"topic": task.topic, "partition": task.partition, "file": task.file}
                of_file = self.selection.of_file(task.offsets)
                bounds = of_file.bounds
                if expression is not None and not expression.is_certain(origin, bounds):
                    evaluating = replace(self, verify_checksums=self.verify_checksums or verify_decoded)
                    counted += sum(rows_of(part) for part in evaluating.decode([task], offsets))
                    continue
                with self._reading(), task.segment.open() as file:
                    opened = OpenTask(self, task, file, decoders, to_the_end=True, reads_bytes=of_file.needs_records)
                    numbers = opened.count(_begin(self, task, file))
                    if self.advance is not None:
                        numbers = self._watched(task, opened, numbers, self.advance)
                    for number in numbers:
                        counted += number
        return counted

    def show(self, visitor: Visitor, tasks: Iterable[ScanTask], *, reads_bytes: bool) -> None:
        """Show a visitor the entries of tasks that may hold wanted records.

        Args:
            visitor: takes the entries.
            tasks: the tasks to read.
            reads_bytes: whether the visitor reads their bytes, not only headers.
        """
        for task in tasks:
            with self._reading(), task.segment.open() as file:
                opened = OpenTask(self, task, file, to_the_end=True, reads_bytes=reads_bytes)
                opened.show(visitor, _begin(self, task, file))

    def _watched(
        self, task: ScanTask, opened: OpenTask, found: Iterator[T], advance: Callable[[int], None]
    ) -> Iterator[T]:
        """Yield the same items and report progress to `advance`; at the end the whole task counts as passed."""
        reached = task.begin
        for each in found:
            yield each
            position = max(reached, min(opened.reader.position, task.stop))
            advance(position - reached)
            reached = position
        advance(task.stop - reached)

    def describe(self, tasks: Iterable[ScanTask], *, deep: bool) -> "Iterator[BatchHeader]":
        """Headers of the entries of tasks that may hold wanted records."""
        for task in tasks:
            with self._reading(), task.segment.open() as file:
                opened = OpenTask(self, task, file)
                headers = opened.describe(_begin(self, task, file), deep=deep)
                yield from headers if self.advance is None else self._watched(task, opened, headers, self.advance)

    def tail(self, tasks: Sequence[ScanTask], count: int, schema: "pa.Schema") -> "list[Part]":
        """The last wanted records of tasks in order, found from the end and held in memory.

        Args:
            tasks: tasks of one partition, in order.
            count: maximal number of records.
            schema: wanted columns.
        """
        parts: deque[Part] = deque()
        met: deque[Damage | Note] = deque()
        expression = self.selection.residual
        try:
            with self._decoders(schema if expression is None else expression.reads(schema)) as decoders:
                for task in reversed(tasks):
                    if count == 0:
                        break
                    search = _Tail(self, task, decoders, schema)
                    with self._reading(), task.segment.open() as file:
                        search.read(file, count)
                    parts.extendleft(reversed(search.parts))
                    met.extendleft(reversed(search.met))
                    count -= sum(map(rows_of, search.parts))
        finally:
            for damage_or_note in met:
                if isinstance(damage_or_note, Damage):
                    self.report(damage_or_note)
                else:
                    self.note(damage_or_note)
        return list(parts)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Reads one file; if the sources decide to continue, an error of the file ends only its own reading."""
        was_read = True  # also if its reader stops early, or at damage
        try:
            yield
        except SourceError as error:
            was_read = False
            self.unreadable(error)
        finally:
            if was_read and self.sources is not None:
                self.sources.was_read = True

    def _decoders(self, schema: "pa.Schema") -> "AbstractContextManager[Decoders | None]":
        """The decoders of the columnar engine; None for the reference engine."""
        if self.engine == "reference":
            return nullcontext()
        return Decoders(schema, self.verify_checksums, self.limits, self.threads)

    def order_of(
        self,
        task: ScanTask,
        note: Callable[[Note], None] | None = None,
        opening: Callable[[OffsetFault], None] | None = None,
        *,
        is_last: bool = True,
    ) -> LogOrder:
        """The check of the order of a task's batches; an earlier task of the file, if any, checks its first ones.

        Args:
            task: the task, or the task to which the range belongs.
            note: called with faults; None to note them in the pass.
            opening: called with faults of the first batches, if another range ends there.
            is_last: whether the range is the last of the task.
        """
        if opening is None and task.begin > 0:
            opening = lambda _: None  # noqa: E731
        is_last = is_last and task.is_last and task.ends_file
        path = task.segment.path
        kind = (os.path.dirname(path), os.path.splitext(path)[1])
        history = partial(self._history, kind, task.segment)
        return LogOrder(task.bounds, path, note or self.note, history, is_last=is_last, opening=opening)

    def _history(self, kind: tuple[str, str], segment: Segment) -> EpochHistory | None:
        """The leader-epoch-checkpoint of a directory, if it applies to its files of this suffix; read once."""
        if kind not in self._histories:
            self._histories[kind] = history_beside(segment, lambda error: self.note(Note.of(finding_of(error))))
        return self._histories[kind]


@dataclass(eq=False)
class _Tail:
    """The search for the last wanted records of a task, range after range from the end of its file.

    Attributes:
        reading: the pass.
        task: the task.
        decoders: the decoders of the columnar engine, or None.
        schema: wanted columns.
        parts: the parts found so far, in order.
        met: reports so far, in order.
    """

    reading: Pass
    task: ScanTask
    decoders: Decoders | None
    schema: "pa.Schema"
    parts: deque[Part] = field(default_factory=deque)
    met: deque[Damage | Note] = field(default_factory=deque)

    def read(self, file: "File", count: int) -> None:
        """Find the last wanted records, at most `count`."""
        opening: list[OffsetFault] = []
        try:
            with _index_of(self.task, file) as index:
                begin = _begin(self.reading, self.task, file)
                missing = count
                for first, last in entry_points.ranges_from_end(file, index, begin, self.reading.limits):
                    opening = []
                    parts, met, came_to = self._last_of_range(file, missing, first, last, opening)
                    if came_to != last:
                        # Damage, or an index entry that points between batches: walk over the whole file.
                        parts, met, _ = self._last_of_range(file, count, 0, file.size, opening := [])
                        self.parts, self.met = deque(parts), deque(met)
                        return
                    self.parts.extendleft(reversed(parts))
                    self.met.extendleft(reversed(met))
                    missing -= sum(map(rows_of, parts))
                    if missing == 0:
                        break
        finally:
            self.met.extendleft(note_of(self.task.segment.path, fault) for fault in opening)

    def _last_of_range(
        self, file: "File", count: int, begin: int, end: int, opening: list[OffsetFault]
    ) -> tuple[list[Part], list[Damage | Note], int]:
        """The last wanted records of a range of the file, the reports of its reading, and where the walk ended.

        Faults in the order of its first entries go into `opening`, as the earlier range reports them too.
        """
        met: list[Damage | Note] = []
        first = opening.append if begin > 0 else None
        order = self.reading.order_of(self.task, met.append, first, is_last=end == file.size)
        opened = OpenTask(
            self.reading,
            self.task,
            file,
            self.decoders,
            order=order,
            report=met.append,
            checks_inside="offset" in self.schema.names,
        )
        parts: Iterable[Part] = opened.decode(begin, end)
        expression = self.reading.selection.residual
        if expression is not None:
            parts = expression.keep(parts, self.schema)
        return last_of(parts, count), met, opened.reader.position


def _begin(reading: Pass, task: ScanTask, file: "File") -> int:
    """Position to begin at; all earlier offsets are unwanted."""
    index = partial(_index_of, task, file)
    return task.begin or entry_points.begin(file, index, task.base_offset, task.offsets.start, reading.limits)


def _index_of(task: ScanTask, file: "File") -> "AbstractContextManager[RangedOffsetIndex | None]":
    """The offset index of a log file that is large enough to need one."""
    return task.segment.ranged_offset_index() if file.size > file.worth_skipping else nullcontext()
