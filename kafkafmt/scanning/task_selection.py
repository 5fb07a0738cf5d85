"""TaskSelector: chooses the replicas and files that a scan reads, in its order."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.logdir import lookup, replicas
from kafkafmt.logdir.replicas import Divergence
from kafkafmt.logdir.segment import Segment
from kafkafmt.scanning.file_selection import OffsetRange
from kafkafmt.scanning.tasks import Replica, ScanTask

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.read_committed import ReadCommitted
    from kafkafmt.scanning.selection import Selection


@dataclass(frozen=True)
class TaskSelector:
    """Chooses the files to read.

    Attributes:
        selection: the wanted records.
        replica: "best" or "all" replicas of a partition that was found more than once.
        broken: called with an error of a checkpoint, or of a partition that cannot be read; if it returns, the
            checkpoint is ignored, and the other partitions are read.
        note: called with notes on diverged replicas.
        committed: restricts offsets to committed records; None for all.
    """

    selection: "Selection"
    replica: Replica
    broken: Callable[[KafkafmtError], None]
    note: Callable[[Note], None]
    committed: "ReadCommitted | None" = None

    def replicas(self, found: "Sequence[Found]") -> "tuple[list[Found], list[Partition]]":
        """Select directories and files, in the order of the scan; also return those with a better replica.

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
        self.note(Note.of(divergence.finding))

    def tasks(self, found: "Sequence[Found]") -> Iterator[list[ScanTask]]:
        """Make a task for each file to read, grouped by partition directory.

        Args:
            found: directories and files in the order of `replicas`.

        Raises:
            KafkafmtError: a directory or checkpoint cannot be read, or as raised by `ReadCommitted.narrow`.
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
            KafkafmtError: as raised by `tasks`, or because the last segment cannot be read.
        """
        if not found.segments:
            return None
        offsets = self._offsets_of(found)
        end = found.partition.log_end_offset if found.file is None else found.file.next_offset()
        return end if end is None or offsets.end is None else min(end, offsets.end)

    def bounds(self, found: "Found") -> tuple[int | None, int | None]:
        """First wanted offset of a partition, and first offset after the wanted ones; None for no bound.

        Raises:
            KafkafmtError: as raised by `tasks`.
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
        """Whether the expression is false for every record of a file, by its path and the offsets in file names."""
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
    # A directory and a file in it, if both are named, must come together.
    path = partition.location.absolute
    return (partition.topic is None, partition.topic or "", partition.partition or 0, path)
