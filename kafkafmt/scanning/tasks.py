"""Tasks: the ranges of log files that a scan reads, in its order, and which of their records."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import Damage, Note
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.io.base import MemoryFile
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir import lookup, replicas
from kafkafmt.logdir.replicas import Divergence
from kafkafmt.logdir.segment import Segment
from kafkafmt.record_columns import Origin
from kafkafmt.scanning.selection import OffsetRange

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found
    from kafkafmt.scanning.read_committed import ReadCommitted
    from kafkafmt.scanning.selection import Selection

Replica = Literal["best", "all"]


@dataclass(frozen=True, slots=True)
class ScanTask:
    """A range of one log file, and which of its records are wanted. It can be pickled, and read in any process.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        segment: the log file.
        offsets: which of its records are wanted.
        next_base_offset: base offset of the next segment, or None if that is unknown.
        is_last: whether no segment of its log is known to come after it.
        begin: where the range begins, in bytes; an entry begins there. 0: the offset index decides where to begin.
        end: where it ends, with the first entry of the next task; None for the end of the file.
        most_records: how many records it gives at most; None if that was not asked for.
        is_reported: whether another task reads the same bytes and reports their damage.
        damage: damage that planning met in the range, and reading may not.
    """

    topic: str | None
    partition: int | None
    segment: Segment
    offsets: OffsetRange = OffsetRange()  # noqa: RUF009 (it is immutable)
    next_base_offset: int | None = None
    is_last: bool = True
    begin: int = 0
    end: int | None = None
    most_records: int | None = None
    is_reported: bool = False
    damage: tuple[Damage, ...] = ()

    @property
    def file(self) -> str:
        """The file as the `file` column, errors and damage give it."""
        return self.segment.file

    @property
    def base_offset(self) -> int | None:
        """Base offset of the segment by its name, or None."""
        return self.segment.base_offset

    @property
    def origin(self) -> Origin:
        """Where its records come from."""
        return Origin(self.topic, self.partition, self.file)

    @property
    def bounds(self) -> SegmentBounds:
        """Partition and offsets of the segment."""
        return SegmentBounds(self.topic, self.partition, self.base_offset, self.next_base_offset)

    @property
    def stop(self) -> int:
        """Where the range ends, in bytes, also at the end of the file."""
        return self.segment.size if self.end is None else self.end

    def may_end_open(self) -> bool:
        """Whether an incomplete last entry or zeros at the end of the file are no damage.

        Raises:
            SourceError: as for `Segment.may_end_open`.
        """
        return self.is_last and self.segment.may_end_open()

    @property
    def ends_file(self) -> bool:
        """Whether the range ends where the file does."""
        return self.end is None or self.end >= self.segment.size

    @property
    def size_in_bytes(self) -> int:
        """Number of bytes in the range."""
        return self.stop - self.begin

    @property
    def starts_inside(self) -> bool:
        """Whether by its name the file also has offsets before the wanted ones."""
        start, base_offset = self.offsets.start, self.base_offset
        return start is not None and base_offset is not None and start > base_offset

    @property
    def ends_inside(self) -> bool:
        """Whether by its name and that of the next one the file may also have offsets after the wanted ones."""
        end, following = self.offsets.end, self.next_base_offset
        return end is not None and self.base_offset is not None and (following is None or end < following)

    @property
    def most_records_by_name(self) -> int | None:
        """The most records that the file can give, by its name and that of the next one; None if unknown."""
        base_offset, end = self.base_offset, self.next_base_offset
        if base_offset is None or end is None or end <= base_offset:
            return None
        start = base_offset if self.offsets.start is None else max(base_offset, self.offsets.start)
        return max(0, (end if self.offsets.end is None else min(end, self.offsets.end)) - start)

    def part(self, begin: int, end: int, most_records: int | None) -> "ScanTask":
        """A part of the range, with the damage that planning met in it."""
        damage = tuple(damage for damage in self.damage if begin <= damage.position < end)
        return replace(self, begin=begin, end=end, most_records=most_records, damage=damage)


class SegmentInMemory(Segment):
    """A log file whose bytes are in memory, without any files beside it; `is_live` is False.

    Args:
        file: its path or name, for answers; nothing is opened there.
        content: all its bytes.
    """

    def __init__(self, file: str, content: bytes) -> None:
        super().__init__(LocalLocation(file), file=file, size=len(content))
        self._content = content

    @property
    def is_live(self) -> bool:
        """No: so no leader-epoch-checkpoint is sought."""
        return False

    def may_end_open(self) -> bool:
        """Yes: nothing is known of the broker."""
        return True

    def open(self) -> MemoryFile:
        """Give the bytes, whatever they look like."""
        return MemoryFile(self.file, self._content)

    @contextmanager
    def ranged_offset_index(self, trace: object = None) -> Iterator[None]:  # noqa: ARG002
        """Give None: there is no index."""
        yield None


@dataclass(frozen=True)
class TaskSelector:
    """Chooses the files to read.

    Attributes:
        selection: which records are wanted.
        replica: "best" or "all" of a partition that was found more than once.
        broken: called with an error of a checkpoint, or of a partition that cannot be read; if it returns, the
            checkpoint is ignored, and the other partitions are read.
        note: called with replicas that diverged.
        committed: narrows offsets to committed records; None for all.
    """

    selection: "Selection"
    replica: Replica
    broken: Callable[[KafkafmtError], None]
    note: Callable[[Note], None]
    committed: "ReadCommitted | None" = None

    def replicas(self, found: "Sequence[Found]") -> "tuple[list[Found], list[Partition]]":
        """Select directories and files, in the order of the scan; also returns those left to a better replica.

        Raises:
            SourceError: a file that decides between replicas cannot be read.
        """
        selected = [one for one in found if self.selection.takes(one.partition)]
        skipped: list[Partition] = []
        if self.replica == "best":
            selected, skipped = replicas.best(selected, self.broken, self._diverged)
        else:
            with suppress(SourceError):  # nothing that is read depends on it
                replicas.best(selected, lambda _: None, self._diverged)
        return sorted(selected, key=order_of), skipped

    def _diverged(self, divergence: Divergence) -> None:
        self.note(Note(f"{divergence.other.path}: {divergence}"))

    def tasks(self, found: "Sequence[Found]") -> Iterator[list[ScanTask]]:
        """One task for each file to read, by partition directory.

        Args:
            found: in order, as `replicas` gives it.

        Raises:
            KafkafmtError: a directory or checkpoint cannot be read, or as `ReadCommitted.narrow` raises.
        """
        for _, group in groupby(found, key=order_of):
            tasks: list[ScanTask] = []
            for one in group:
                try:
                    tasks += self._tasks_of(one)
                    for text in one.partition.notes if one.file is None else ():
                        self.note(text)
                except SourceError as error:
                    self.broken(error)
            yield sorted(tasks, key=lambda task: -1 if task.base_offset is None else task.base_offset)

    def end_offset(self, found: "Found") -> int | None:
        """The first offset after the wanted part of a partition, or of a file; None if there is no log.

        Raises:
            KafkafmtError: as `tasks` raises, or the last segment cannot be read.
        """
        if not found.segments:
            return None
        offsets = self._offsets_of(found)
        end = found.partition.log_end_offset if found.file is None else found.file.next_offset()
        return end if end is None or offsets.end is None else min(end, offsets.end)

    def bounds(self, found: "Found") -> tuple[int | None, int | None]:
        """First offset that is wanted of a partition, and first that is not any more; None for no bound.

        Raises:
            KafkafmtError: as `tasks` raises.
        """
        offsets = self._offsets_of(found)
        return offsets.start, offsets.end

    def _offsets_of(self, found: "Found") -> OffsetRange:
        offsets = self.selection.offsets(found.partition, self._log_start_offset(found))
        return offsets if self.committed is None else self.committed.narrow(found, offsets)

    def _tasks_of(self, found: "Found") -> Iterator[ScanTask]:
        topic, partition = found.partition.topic, found.partition.partition
        segments = found.segments
        offsets = self._offsets_of(found)
        first = 0 if offsets.start is None else max(lookup.floor(segments, offsets.start), 0)
        for number in range(first, len(segments)):
            segment = segments[number]
            is_last = number == len(segments) - 1
            next_base_offset = None if is_last else segments[number + 1].base_offset
            if offsets.end is not None and segment.base_offset is not None and segment.base_offset >= offsets.end:
                continue
            if self._rules_out(topic, partition, segment, offsets.start, next_base_offset):
                continue
            yield ScanTask(topic, partition, segment, offsets, next_base_offset, is_last)

    def _rules_out(
        self, topic: str | None, partition: int | None, segment: Segment, start: int | None, end: int | None
    ) -> bool:
        """Whether the expression is false for every record of a file, by its place and the offsets in its name."""
        expression = self.selection.expression
        if expression is None or not expression.is_of_files:
            return False
        first = segment.base_offset if start is None else max(start, segment.base_offset or start)
        return expression.rules_out({"topic": topic, "partition": partition, "file": segment.file}, (first, end))

    def _log_start_offset(self, found: "Found") -> int | None:
        """Lowest offset to read; None for all, as in a named file outside the log."""
        live = found.file is None or (found.file.base_offset is not None and found.file.suffix == "")
        if self.selection.below_log_start or not live:
            return None
        try:
            return found.partition.checkpointed_log_start_offset
        except KafkafmtError as error:
            self.broken(error)
            return None


def order_of(found: "Found") -> tuple[bool, str, int, str]:
    """Sort key: the order of a scan."""
    partition = found.partition
    # A directory and a file in it, both named, must meet.
    path = partition.location.absolute
    return (partition.topic is None, partition.topic or "", partition.partition or 0, path)
