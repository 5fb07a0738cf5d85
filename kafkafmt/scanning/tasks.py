"""Tasks: the log files that a scan reads, in its order, and which of their offsets."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from kafkafmt.columns import Origin
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.logdir import lookup, replicas
from kafkafmt.logdir.leader_epochs import history_beside
from kafkafmt.logdir.replicas import Divergence
from kafkafmt.scanning.execution import Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.logdir.sources import Found
    from kafkafmt.scanning.read_committed import ReadCommitted
    from kafkafmt.scanning.selection import OffsetRange, Selection

Replica = Literal["best", "all"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A log file of which records are wanted.

    Attributes:
        partition: whose it is.
        segment: the file.
        offsets: which of its records are wanted.
        is_last: whether it is the last one of the partition, which may end open.
        next_base_offset: of the segment behind it, or None if that is unknown.
    """

    partition: "Partition"
    segment: "Segment"
    offsets: "OffsetRange"
    is_last: bool
    next_base_offset: int | None

    def piece(self) -> Piece:
        """The same for a pass over the whole file."""
        segment = self.segment
        origin = Origin(self.partition.topic, self.partition.partition, segment.file)
        return Piece(
            origin,
            segment.open,
            self.offsets,
            self.is_last,
            segment.base_offset,
            self.next_base_offset,
            segment.ranged_offset_index,
            path=segment.path,
            leader_epochs=partial(history_beside, segment),
        )


@dataclass(frozen=True)
class Choice:
    """Chooses the files to read.

    Attributes:
        selection: which records are wanted.
        replica: "best" or "all" of a partition that was found more than once.
        broken: called with what is wrong with a checkpoint, or that a partition cannot be read; if it returns, the
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
        """What is to be read of what the sources hold, in order, and the directories left to a better replica.

        Raises:
            SourceError: what decides between replicas cannot be read.
        """
        taken = [each for each in found if self.selection.takes(each.partition)]
        skipped: list[Partition] = []
        if self.replica == "best":
            taken, skipped = replicas.best(taken, self.broken, self._diverged)
        else:
            with suppress(SourceError):  # nothing that is to be read depends on it
                replicas.best(taken, lambda _: None, self._diverged)
        return sorted(taken, key=_order), skipped

    def _diverged(self, divergence: Divergence) -> None:
        self.note(Note(f"{divergence.other.path}: {divergence}"))

    def files(self, found: "Sequence[Found]") -> "Iterator[list[Wanted]]":
        """The files to read of each partition directory.

        Args:
            found: in order, as `replicas` gives it.

        Raises:
            KafkafmtError: a directory or checkpoint cannot be read, or as `ReadCommitted.narrow` raises.
        """
        for _, group in groupby(found, key=_order):
            wanted: list[Wanted] = []
            for one in group:
                try:
                    wanted += self._files_of(one)
                except SourceError as error:
                    self.broken(error)
            yield sorted(wanted, key=lambda each: -1 if each.segment.base_offset is None else each.segment.base_offset)

    def _files_of(self, found: "Found") -> Iterator[Wanted]:
        partition = found.partition
        segments = found.segments
        offsets = self.selection.offsets(partition, self._log_start_offset(found))
        if self.committed is not None:
            offsets = self.committed.narrow(found, offsets)
        first = 0 if offsets.start is None else max(lookup.floor(segments, offsets.start), 0)
        for number in range(first, len(segments)):
            segment = segments[number]
            last = number == len(segments) - 1
            next_base_offset = None if last else segments[number + 1].base_offset
            if offsets.end is not None and segment.base_offset is not None and segment.base_offset >= offsets.end:
                continue
            yield Wanted(partition, segment, offsets, last, next_base_offset)

    def _log_start_offset(self, found: "Found") -> int | None:
        """Where to cut; None for no cut, as for a file that was named although it is no part of the log."""
        live = found.file is None or (found.file.base_offset is not None and found.file.suffix == "")
        if self.selection.below_log_start or not live:
            return None
        try:
            return found.partition.checkpointed_log_start_offset
        except KafkafmtError as error:
            self.broken(error)
            return None


def _order(found: "Found") -> tuple[bool, str, int, str]:
    partition = found.partition
    # A directory and a file in it, both named, must meet.
    path = partition.location.absolute
    return (partition.topic is None, partition.topic or "", partition.partition or 0, path)
