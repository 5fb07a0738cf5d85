"""Planning: divides a scan into splits of similar size, from the names and sizes of its files where these suffice."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.files import entry_points
from kafkafmt.files.damage import Damage, Note
from kafkafmt.libraries import futures, pa
from kafkafmt.limits import Limits
from kafkafmt.notebook import html
from kafkafmt.phrases import counted
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.split_points import RecordDivider, end_of_range, ranges
from kafkafmt.scanning.splits import Split, SplitReader
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.scanning.tasks import Replica, ScanTask

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.read_committed import ReadCommitted
    from kafkafmt.scanning.selection import Selection


def pack(parts: Iterable[ScanTask], most: int, most_records: int | None, most_splits: int) -> list[Split]:
    """Combine parts into splits, in order, up to a size.

    Args:
        parts: the parts, none of which is too large, except those that cannot be cut.
        most: upper bound of a split's size in bytes.
        most_records: upper bound of its records; None for no bound.
        most_splits: upper bound of the number of splits; if there would be more, splits become larger.
    """
    splits = list(_packed(parts, most, most_records))
    total = sum(part.size_in_bytes for split in splits for part in split)
    while len(splits) > most_splits and most < total:
        most = _larger(most, len(splits), most_splits)
        splits = list(_packed((part for split in splits for part in split), most, most_records))
    return [Split(tuple(_joined(split))) for split in splits]


def size_of_splits(tasks: Sequence[ScanTask], most: int, most_splits: int) -> int:
    """Size of splits with which `most_splits` of them hold all tasks, cut anywhere; at least `most`."""
    sizes = [task.size_in_bytes for task in tasks]
    most = max(most, -(-sum(sizes) // most_splits))
    while (count := _count(sizes, most)) > most_splits:
        most = _larger(most, count, most_splits)
    return most


def _packed(parts: Iterable[ScanTask], most: int, most_records: int | None) -> Iterator[list[ScanTask]]:
    held: list[ScanTask] = []
    size = records = 0
    for part in parts:
        size += part.size_in_bytes
        records += part.most_records or 0
        if held and (size > most or (most_records is not None and records > most_records)):
            yield held
            held = []
            size, records = part.size_in_bytes, part.most_records or 0
        held.append(part)
    if held:
        yield held


def _joined(tasks: Iterable[ScanTask]) -> Iterator[ScanTask]:
    """The same tasks; consecutive ones of one file are joined."""
    held: ScanTask | None = None
    for task in tasks:
        if held is not None and _goes_on(held, task):
            most_records = (held.most_records or 0) + (task.most_records or 0) or None
            held = replace(held, end=task.end, most_records=most_records, damage=held.damage + task.damage)
            continue
        if held is not None:
            yield held
        held = task
    if held is not None:
        yield held


def _goes_on(task: ScanTask, following: ScanTask) -> bool:
    return (
        task.segment is following.segment
        and task.stop == following.begin
        and task.offsets is following.offsets
        and not following.is_reported
    )


def _count(sizes: list[int], most: int) -> int:
    """Number of splits of at most this size."""
    count = held = 0
    for size in sizes:
        parts = -(-size // most) or 1
        part = -(-size // parts)
        if count and held + part <= most:
            held += part
            count += parts - 1
        else:
            held = part
            count += parts
        if parts > 1:
            held = part
    return count


def _larger(most: int, count: int, most_splits: int) -> int:
    """A size that gives fewer splits, larger by at least one twentieth."""
    return max(most + most // 20 + 1, most * count // most_splits)


@dataclass(frozen=True, slots=True)
class TaskDivider:
    """Divides tasks that are too large.

    Attributes:
        most_bytes: upper bound of a part's size in bytes, which one entry may exceed.
        most_records: upper bound of its records; None for no bound.
        limits: bounds of an entry's size.
    """

    most_bytes: int
    most_records: int | None
    limits: Limits

    def opens(self, task: ScanTask) -> bool:
        """Whether a file must be opened to divide its task."""
        return task.size_in_bytes > self.most_bytes or self._may_have_too_many(task)

    def divide(self, task: ScanTask) -> list[ScanTask]:
        """Divide a task into parts, in order.

        Raises:
            SourceError: the file cannot be read.
        """
        if not self.opens(task):
            return [replace(task, most_records=self._most_records_of(task))]
        segment = task.segment
        with segment.open() as file, segment.ranged_offset_index() as index:
            if self.most_records is not None and self._may_have_too_many(task):
                return list(RecordDivider(self.most_bytes, self.most_records, self.limits).parts(task, file, index))
            bounds = (task.begin, task.stop)
            found = list(ranges(file, index, bounds, task.offsets.end, self.most_bytes, self.limits))
        records = self._most_records_of(task)
        return [task.part(begin, end, records) for begin, end in found]

    def _may_have_too_many(self, task: ScanTask) -> bool:
        if self.most_records is None:
            return False
        most = self._most_records_of(task)
        return most is None or most > self.most_records

    def _most_records_of(self, task: ScanTask) -> int | None:
        return None if self.most_records is None else task.most_records_by_name


@dataclass(frozen=True, slots=True)
class TaskTrimmer:
    """Leaves out the parts of a file before and after the wanted offsets, by its offset index.

    Attributes:
        least_bytes: files up to this size are not opened.
        limits: bounds of an entry's size.
    """

    least_bytes: int
    limits: Limits

    def opens(self, task: ScanTask) -> bool:
        """Whether a file must be opened to trim it, as its name shows unwanted offsets."""
        return task.size_in_bytes > self.least_bytes and (task.starts_inside or task.ends_inside)

    def trim(self, task: ScanTask) -> ScanTask:
        """The wanted part of a whole file's task.

        Raises:
            SourceError: the file cannot be read.
        """
        if not self.opens(task):
            return task
        start, end = task.offsets.start, task.offsets.end
        segment = task.segment
        begin, stop = 0, task.stop
        with segment.open() as file, segment.ranged_offset_index() as index:
            if index is not None and start is not None and task.starts_inside:
                begin = entry_points.at_or_before(file, index, start, self.limits)
            if index is not None and end is not None and task.ends_inside:
                stop = end_of_range(file, index, end, self.limits)
        return replace(task, begin=begin, end=stop) if begin < stop else task


T = TypeVar("T")
Progress = Callable[[int, int, int], None]

# Batches are not divided, so perhaps no size of splits gives the requested number.
_MOST_ROUNDS = 6
_SHOWN_SPLITS = 10
_SPLIT_COLUMNS = ("split", "topic", "partition", "file", "begin", "end", "sizeInBytes")


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """A scan divided into splits. Made by `Scan.plan`.

    Attributes:
        splits: all splits, in the order of the scan.
        reading: the reader of the splits.
        damage: damage found by planning that no split reports, as in `Scan.damage`.
        skipped_replicas: partition directories skipped in favour of a better replica.
        notes: reports of planning that are not damage, as in `Scan.notes`. Splits have their own notes.
    """

    splits: list[Split]
    reading: SplitReader
    damage: list[Damage]
    skipped_replicas: "list[Partition]"
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return f"<Plan of {counted(len(self.splits), 'split')}, {counted(self.size_in_bytes, 'byte')}>"

    def _repr_html_(self) -> str:
        rows = [
            (split, task.topic, task.partition, task.file, task.begin, task.end, task.size_in_bytes)
            for split, each in enumerate(self.splits[:_SHOWN_SPLITS])
            for task in each.tasks[:_SHOWN_SPLITS]
        ]
        table = pa.Table.from_pylist([dict(zip(_SPLIT_COLUMNS, row, strict=True)) for row in rows])
        tasks = sum(len(each.tasks) for each in self.splits)
        return html(repr(self)[1:-1], table, [*self.damage, *self.notes], of=tasks)

    @property
    def size_in_bytes(self) -> int:
        """Size of the log files in all splits, in bytes."""
        return sum(split.size_in_bytes for split in self.splits)


@dataclass(frozen=True)
class Planning:
    """Options for making splits; see `Scan.plan` for the arguments.

    Raises:
        TypeError, ValueError: an invalid argument.
    """

    max_split_bytes: int
    max_splits: int
    min_splits: int | None
    max_records_per_split: int | None
    progress: Progress | None

    def __post_init__(self) -> None:
        """Check the numbers as soon as they are given."""
        _require_positive("max_split_bytes", self.max_split_bytes)
        _require_positive("max_splits", self.max_splits)
        for name in ("min_splits", "max_records_per_split"):
            if getattr(self, name) is not None:
                _require_positive(name, getattr(self, name))

    def plan(
        self,
        found: "Sequence[Found]",
        selection: "Selection",
        replica: Replica,
        committed: "ReadCommitted | None",
        reading: SplitReader,
        noted: Iterable[Note] = (),
    ) -> Plan:
        """Make the splits.

        Args:
            found: the content of the sources.
            selection: the wanted records.
            replica: "best" or "all".
            committed: narrows offsets to committed records, or None.
            reading: the reader of the splits.
            noted: earlier notes.

        Raises:
            KafkafmtError: as for `Scan.plan`.
        """
        damage: list[Damage] = []
        notes: dict[Note, None] = dict.fromkeys(noted)
        note = notes.setdefault
        met = Pass(selection, reading.on_damage, reading.verify_checksums, reading.limits, damage.append, note)
        selector = TaskSelector(selection, replica, met.broken, note, committed)
        selected, skipped = selector.replicas(found)
        files = selector.tasks([each.anchored() for each in selected])
        tasks = [task for group in self._groups(files, committed, damage) for task in group]
        return Plan(self._divided(tasks, reading.limits), reading, damage, skipped, tuple(notes))

    def _groups(
        self, groups: "Iterable[list[ScanTask]]", committed: "ReadCommitted | None", damage: list[Damage]
    ) -> Iterator[list[ScanTask]]:
        """Tasks for whole files, by partition."""
        files = size = 0
        for partitions, group in enumerate(groups, 1):
            wanted = group if committed is None else [committed.of_task(task) for task in group]
            met = [] if committed is None else _met(committed)
            by_file: dict[str | None, list[Damage]] = defaultdict(list)
            for each in met:
                by_file[each.file].append(each)
            tasks = [
                replace(task, end=task.stop, damage=tuple(by_file.pop(task.file, ())))
                for task in wanted
                if task.size_in_bytes > 0
            ]
            damage += [each for each in met if each.file in by_file]
            yield tasks
            files += len(tasks)
            size += sum(task.size_in_bytes for task in tasks)
            if self.progress is not None:
                self.progress(partitions, files, size)

    def _divided(self, tasks: list[ScanTask], limits: "Limits") -> list[Split]:
        """The splits of all tasks, in order."""
        # With `min_splits`, bytes outside the wanted offsets must not count, or splits would come out too large.
        least = self.max_split_bytes if self.min_splits is None else 0
        trimmer = TaskTrimmer(least, limits)
        tasks = list(_for_each(trimmer.trim, trimmer.opens, tasks))
        most = self.max_split_bytes
        most_splits = self.max_splits
        if self.min_splits is not None:
            most = max(1, min(most, sum(task.size_in_bytes for task in tasks) // self.min_splits))
            # Files of different sizes give more splits than the minimum.
            most_splits = max(most_splits, 2 * self.min_splits)
        most = size_of_splits(tasks, most, most_splits)
        splits = self._packed(tasks, most, most_splits, limits)
        for _ in range(_MOST_ROUNDS if self.min_splits is not None else 0):
            if len(splits) >= (self.min_splits or 0) or most == 1:
                break
            # Batches are not divided, so some parts have become larger.
            most = max(1, most * len(splits) // ((self.min_splits or 0) + 1))
            splits = self._packed(tasks, most, most_splits, limits)
        return splits

    def _packed(self, tasks: list[ScanTask], most: int, most_splits: int, limits: "Limits") -> list[Split]:
        divider = TaskDivider(most, self.max_records_per_split, limits)
        parts = [part for divided in _for_each(divider.divide, divider.opens, tasks) for part in divided]
        return pack(parts, most, self.max_records_per_split, most_splits)


def _met(committed: "ReadCommitted") -> list[Damage]:
    """Damage met in the search for transactions, or the error that ended it."""
    met: list[Damage] = []
    committed.settle([], met.append)
    return met


def _for_each(
    look: Callable[[ScanTask], T], opens: Callable[[ScanTask], bool], tasks: Iterable[ScanTask]
) -> Iterator[T]:
    """The result of `look` for each task, in order; several at once if files are slow to open."""
    with ExitStack() as stack:
        pool: futures.ThreadPoolExecutor | None = None
        made: list[T | futures.Future[T]] = []
        for task in tasks:
            at_once = task.segment.location.read_at_once
            if at_once == 1 or not opens(task):
                made.append(look(task))
                continue
            if pool is None:
                pool = futures.ThreadPoolExecutor(at_once, thread_name_prefix="kafkafmt")
                stack.callback(pool.shutdown, cancel_futures=True)
            made.append(pool.submit(look, task))
        for each in made:
            yield each.result() if isinstance(each, futures.Future) else each


def _require_positive(name: str, number: object) -> None:
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"{name} must be an int, not {number!r}")
    if number < 1:
        raise ValueError(f"{name} must be 1 or more, not {number}")
