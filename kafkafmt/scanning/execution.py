"""Pass: one reading of a scan's tasks, from the beginning or from the end, no more of them than it takes."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

import pyarrow as pa

from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.columns import SCHEMA
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files import entry_points
from kafkafmt.files.damage import Damage, Note, reason_of
from kafkafmt.files.offset_order import OffsetFault, OffsetOrder
from kafkafmt.files.segment_reader import OnDamage, SegmentReader
from kafkafmt.files.stretch import ReusedBuffer
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import EpochHistory, history_beside
from kafkafmt.logdir.segment import Segment
from kafkafmt.reference.entry import without_traceback
from kafkafmt.scanning import batch_filter
from kafkafmt.scanning.batch_filter import HeaderTrust, Judge, LogOrder, note_of
from kafkafmt.scanning.batching import Part, Run, last_of, rows_of
from kafkafmt.scanning.columnar_engine import Decoders, Reading
from kafkafmt.scanning.selection import Selection, can_be_masked
from kafkafmt.scanning.tasks import ScanTask

if TYPE_CHECKING:
    from kafkafmt.files.offset_index import RangedOffsetIndex
    from kafkafmt.io.base import File
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

T = TypeVar("T")
Engine = Literal["columnar", "reference"]
Keep = Callable[[Iterable[Part]], Iterable[Part]]

# How much is read and decoded at once, in bytes as stored: it stays in a processor's cache.
_STRETCH_BYTES = 4 * 1024 * 1024
_COUNTED = pa.schema([SCHEMA.field("offset")])


def _all(parts: Iterable[Part]) -> Iterable[Part]:
    """All of them, where no expression filters them."""
    return parts


@dataclass(frozen=True)
class Pass:
    """How the records of tasks are read.

    Where offsets are asked for, reading begins at an entry point of the offset index and ends where nothing wanted can
    follow. A batch of which the header tells that nothing in it is wanted is not read, unless the header is not to be
    trusted (`HeaderTrust`) or says that the batch is Kafka's own: those have few bytes, and one bit tells them from
    records. So damage in what is not asked for is not noticed.

    Attributes:
        selection: which records are wanted.
        on_damage: "raise" or "skip".
        verify_checksums: whether CRCs of what is read are checked.
        limits: bounds of memory.
        report: called with all damage in reading order.
        note: called with what is no damage; perhaps more than once with the same.
        engine: "columnar", or "reference" for every record.
        threads: how many decode at once, with "columnar".
        sources: takes what cannot be read, and may let the pass go on with the next file; None to raise it.
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
    _broken_files: set[str | None] = field(default_factory=set)
    _histories: dict[tuple[str, str], EpochHistory | None] = field(default_factory=dict)
    _buffer: ReusedBuffer = field(default_factory=ReusedBuffer)

    def broken(self, error: KafkafmtError) -> None:
        """Raise what is wrong with a checkpoint, or report it once for all partitions that it is asked for."""
        if isinstance(error, SourceError):
            self.unreadable(error)
            return
        if self.on_damage == "raise":
            raise error
        if error.file not in self._broken_files:
            self._broken_files.add(error.file)
            self.report(Damage(error.file, error.position or 0, 0, reason_of(error), without_traceback(error)))

    def unreadable(self, error: SourceError) -> None:
        """Raise that something cannot be read, unless the sources say to go on.

        Raises:
            SourceError: as said.
        """
        if self.sources is None:
            raise error
        self.sources.report(error)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Where one file is read: that it cannot be, or no further, ends this alone if the sources say to go on."""
        try:
            yield
        except SourceError as error:
            self.unreadable(error)
        else:
            if self.sources is not None:
                self.sources.was_read = True

    def decode(self, tasks: Iterable[ScanTask], schema: pa.Schema, *, to_the_end: bool = True) -> Iterator[Part]:
        """The wanted records of the tasks, in their order; those of one entry, or of many, in one part.

        Args:
            tasks: the log files.
            schema: columns wanted.
            to_the_end: whether all are wanted; else no more is read ahead than the walk needs.
        """
        expression = self.selection.expression
        if expression is None:
            return self._decode_all(tasks, schema, to_the_end=to_the_end)
        return expression.keep(self._decode_all(tasks, expression.reads(schema), to_the_end=to_the_end), schema)

    def _decode_all(self, tasks: Iterable[ScanTask], schema: pa.Schema, *, to_the_end: bool) -> Iterator[Part]:
        """The same, whatever the filter that is an expression says."""
        with self._decoders(schema) as decoders:
            for task in tasks:
                with self._reading(), task.segment.open() as file:
                    begin = self._begin(task, file)
                    order = self._order(task)
                    yield from self._decode(task, file, decoders, begin, self.report, order, to_the_end=to_the_end)

    def count(self, tasks: Iterable[ScanTask]) -> int:
        """The number of wanted records of the tasks, from headers where those tell."""
        if self.selection.expression is not None:
            return sum(rows_of(part) for part in self.decode(tasks, _COUNTED))
        with self._decoders(_COUNTED) as decoders:
            return sum(number for task in tasks for number in self._count(task, decoders))

    def describe(self, tasks: Iterable[ScanTask], *, deep: bool) -> "Iterator[BatchHeader]":
        """Headers of the entries of the tasks that may hold wanted records."""

        def visit(task: ScanTask, trust: HeaderTrust, order: OffsetOrder, entry: "Entry") -> "BatchHeader | None":
            header = entry.describe()
            bounded = self.selection.is_bounded(task.offsets)
            trusted = bounded and header.error is None and trust.trusts(entry, header)
            if (self.verify_checksums or deep) and not (trusted and excludes(task, header)):
                header = entry.describe(verify_checksum=self.verify_checksums, deep=deep, limits=self.limits)
            if header.error is None:
                order.see(header)
            if not excludes(task, header):
                return None if task.offsets.leaves_out(header) else header
            entry.passed_over = trusted
            return None

        def excludes(task: ScanTask, header: "BatchHeader") -> bool:
            return self.selection.passes_over(header, task.offsets) or task.offsets.excludes(header)

        for task in tasks:
            trust, order = self._trust(task), self._order(task)
            take = None
            if self._takes_bulk(task) and not self.selection.is_bounded(task.offsets):
                take = partial(batch_filter.describe, self._judge(task, trust, order), task.file)
            with self._reading(), task.segment.open() as file:
                reader = self._reader(task, file, self.report)
                headers = reader.walk(partial(visit, task, trust, order), self._begin(task, file), take=take)
                for header in self._followed(headers, task, file, reader, trust, order):
                    if header is not None:
                        yield header

    def tail(self, tasks: Sequence[ScanTask], count: int, schema: pa.Schema) -> list[Part]:
        """The last wanted records of tasks in order, found from the end and held in memory.

        Args:
            tasks: the log files of one partition, in order.
            count: how many records at most.
            schema: columns wanted.
        """
        parts: deque[Part] = deque()
        met: deque[Damage | Note] = deque()
        expression, decoded = self.selection.expression, schema
        keep: Keep = _all
        if expression is not None:
            keep, decoded = partial(expression.keep, schema=schema), expression.reads(schema)
        try:
            with self._decoders(decoded) as decoders:
                for task in reversed(tasks):
                    if count == 0:
                        break
                    found, reported = self._tail_of(task, count, decoders, keep)
                    parts.extendleft(reversed(found))
                    met.extendleft(reversed(reported))
                    count -= sum(map(rows_of, found))
        finally:
            for each in met:
                if isinstance(each, Damage):
                    self.report(each)
                else:
                    self.note(each)
        return list(parts)

    def _tail_of(
        self, task: ScanTask, count: int, decoders: Decoders | None, keep: Keep
    ) -> tuple[list[Part], list[Damage | Note]]:
        found: deque[Part] = deque()
        met: deque[Damage | Note] = deque()
        opening: list[OffsetFault] = []
        with self._reading(), task.segment.open() as file, _index_of(task, file) as index:
            missing = count
            begin = self._begin(task, file)
            for first, last in entry_points.stretches_from_end(file, index, begin, self.limits):
                opening = []
                parts, reported, came_to = self._last_of_stretch(
                    task, file, missing, decoders, keep, first, last, opening
                )
                if came_to != last:
                    # Damage, or an index that points at what is no entry of this log: only the whole walk tells.
                    whole, reported, _ = self._last_of_stretch(task, file, count, decoders, keep, 0, file.size, [])
                    return whole, reported
                found.extendleft(reversed(parts))
                met.extendleft(reversed(reported))
                missing -= sum(map(rows_of, parts))
                if missing == 0:
                    break
        met.extendleft(note_of(task.segment.path, fault) for fault in opening)
        return list(found), list(met)

    def _last_of_stretch(
        self,
        task: ScanTask,
        file: "File",
        count: int,
        decoders: Decoders | None,
        keep: Keep,
        begin: int,
        end: int,
        opening: list[OffsetFault],
    ) -> tuple[list[Part], list[Damage | Note], int]:
        """The last wanted records of a stretch, what is to be said of it, and where the walk over it came to.

        What is wrong with the order of its first entries goes into `opening`, for the stretch before it says that too.
        """
        met: list[Damage | Note] = []
        came_to: list[int] = []
        is_last = end == file.size
        order = self._order(task, met.append, opening.append if begin > 0 else None, is_last=is_last)
        decoded = self._decode(task, file, decoders, begin, met.append, order, end, came_to.append)
        return last_of(keep(decoded), count), met, came_to[0]

    def _decode(
        self,
        task: ScanTask,
        file: "File",
        decoders: Decoders | None,
        begin: int,
        report: Callable[[Damage], None],
        order: OffsetOrder,
        end: int | None = None,
        ended: Callable[[int], None] = lambda _: None,
        *,
        to_the_end: bool = False,
    ) -> Iterator[Part]:
        """The wanted records of a file, or of a stretch of it; `ended` is told where the walk came to."""
        trust = self._trust(task)
        bounded = self.selection.is_bounded(task.offsets)
        all_up_to = None if not to_the_end else 0 if bounded else task.end or file.size
        reading = self._columnar(task, trust, order, decoders, all_up_to)
        reads_all = to_the_end and reading is not None and not bounded
        reader = self._reader(task, file, report, reads_all=reads_all)
        take = None if reading is None else reading.take
        parts = reader.walk(partial(self._wanted, task, trust, order, reading), begin, end, take=take)
        yield from self._followed(parts, task, file, reader, trust, order, end)
        ended(reader.position)

    def _count(self, task: ScanTask, decoders: Decoders | None) -> Iterator[int]:
        trust, order = self._trust(task), self._order(task)
        reading = self._columnar(task, trust, order, decoders, 0)
        take = None if reading is None else reading.count
        with self._reading(), task.segment.open() as file:
            reader = self._reader(task, file, self.report)
            numbers = reader.walk(partial(self._number, task, trust, order), self._begin(task, file), take=take)
            yield from self._followed(numbers, task, file, reader, trust, order)

    def _followed(
        self,
        walk: Iterator[T],
        task: ScanTask,
        file: "File",
        reader: SegmentReader,
        trust: HeaderTrust,
        order: OffsetOrder,
        end: int | None = None,
    ) -> Iterator[T]:
        """What a walk gives, up to where nothing wanted can follow; then the order of its offsets is complete."""
        end = end or task.end or file.size
        came_to: int | None = None
        try:
            for found in walk:
                yield found
                if trust.past_the_end:
                    return
            position = reader.position
            if position == file.size or (position == end and order.look_beyond(self._headers(file, end))):
                came_to = file.size
        finally:
            order.end(came_to)

    def _headers(self, file: "File", begin: int) -> "Iterator[BatchHeader]":
        """Headers from `begin` on, up to what is no entry."""
        reader = SegmentReader(file, limits=self.limits)
        try:
            yield from reader.walk(lambda entry: entry.header(), begin)
        except DataError:
            return

    def _reader(
        self, task: ScanTask, file: "File", report: Callable[[Damage], None], *, reads_all: bool = False
    ) -> SegmentReader:
        return SegmentReader(
            file,
            name=task.file,
            bounds=task.bounds,
            limits=self.limits,
            on_damage=self.on_damage,
            border=task.end,
            may_end_open=task.may_end_open,
            report=report,
            ahead=_STRETCH_BYTES * self.threads if reads_all else None,
            buffer=self._buffer,
        )

    def _decoders(self, schema: pa.Schema) -> "AbstractContextManager[Decoders | None]":
        """What decodes by kernels; None for the reference engine."""
        if self.engine == "reference":
            return nullcontext()
        return Decoders(schema, self.verify_checksums, self.limits, self.threads)

    def _columnar(
        self, task: ScanTask, trust: HeaderTrust, order: OffsetOrder, decoders: Decoders | None, end: int | None
    ) -> Reading | None:
        if decoders is None or not can_be_masked(self.selection, task.offsets):
            return None
        rows = RowFilter(
            task.offsets.start,
            task.offsets.end,
            self.selection.start_timestamp,
            self.selection.end_timestamp,
            self.selection.key,
        )
        return Reading(decoders, task.origin, self._judge(task, trust, order), rows, end)

    def _takes_bulk(self, task: ScanTask) -> bool:
        return self.engine == "columnar" and can_be_masked(self.selection, task.offsets)

    def _judge(self, task: ScanTask, trust: HeaderTrust, order: OffsetOrder) -> Judge:
        return Judge(self.selection, task.offsets, trust, order, self.verify_checksums, self.limits)

    def _order(
        self,
        task: ScanTask,
        note: Callable[[Note], None] | None = None,
        opening: Callable[[OffsetFault], None] | None = None,
        *,
        is_last: bool = True,
    ) -> OffsetOrder:
        """Notes what is wrong with the order of batches; of offsets of the first ones the task before it does."""
        if opening is None and task.begin > 0:
            opening = lambda _: None  # noqa: E731
        is_last = is_last and task.may_end_open and task.ends_file
        path = task.segment.path
        kind = (os.path.dirname(path), os.path.splitext(path)[1])
        history = partial(self._history, kind, task.segment)
        return LogOrder(task.bounds, path, note or self.note, history, is_last=is_last, opening=opening)

    def _history(self, kind: tuple[str, str], segment: Segment) -> EpochHistory | None:
        """What the leader-epoch-checkpoint of a directory says of its files of one suffix, read once."""
        if kind not in self._histories:
            self._histories[kind] = history_beside(segment)
        return self._histories[kind]

    def _trust(self, task: ScanTask) -> HeaderTrust:
        return HeaderTrust(task.offsets, task.base_offset, task.next_base_offset)

    def _begin(self, task: ScanTask, file: "File") -> int:
        """Where to begin: what lies before holds no offset that is wanted."""
        if task.begin > 0:
            return task.begin
        open_index = partial(_index_of, task, file)
        return entry_points.begin(file, open_index, task.base_offset, task.offsets.start, self.limits)

    def _wanted(
        self, task: ScanTask, trust: HeaderTrust, order: OffsetOrder, reading: Reading | None, entry: "Entry"
    ) -> Part:
        """The wanted records of an entry."""
        header = self._header_of(task, trust, order, entry)
        if header is None:
            return Run(task.origin, ())
        if reading is not None:
            part = reading.entry(entry, header)
            if part is not None:
                return part
        sound = None if reading is None else reading.sound_start(entry)
        records = entry.records(self.limits, header, sound, views=True)
        if not self.selection.keeps_all(header, task.offsets):
            records = self.selection.filter(records, task.offsets)
        return Run(task.origin, records)

    def _number(self, task: ScanTask, trust: HeaderTrust, order: OffsetOrder, entry: "Entry") -> int:
        """The number of wanted records of an entry, from its header where that tells."""
        header = self._header_of(task, trust, order, entry)
        if header is None:
            return 0
        if self.selection.keeps_all(header, task.offsets):
            return entry.count(header, self.limits)
        return sum(1 for _ in self.selection.filter(entry.records(self.limits, header), task.offsets))

    def _header_of(
        self, task: ScanTask, trust: HeaderTrust, order: OffsetOrder, entry: "Entry"
    ) -> "BatchHeader | None":
        """Header of an entry that may hold wanted records, its CRC checked; None if it tells that there are none."""
        header = entry.checked_header(verify_checksum=self.verify_checksums)
        trusted = self.selection.is_bounded(task.offsets) and trust.trusts(entry, header)
        unwanted = self.selection.passes_over(header, task.offsets)
        if self.verify_checksums:
            entry.passed_over = unwanted and trusted and not header.is_control_batch
            if not entry.passed_over:
                entry.verify_checksum()
        order.see(header)
        return None if unwanted or task.offsets.leaves_out(header) else header


def _index_of(task: ScanTask, file: "File") -> "AbstractContextManager[RangedOffsetIndex | None]":
    """The offset index of a log file that is large enough to need one."""
    return task.segment.ranged_offset_index() if file.size > file.worth_skipping else nullcontext()
