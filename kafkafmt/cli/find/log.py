"""Log: the segments that are searched as one log, how a log is chosen, and whether its offsets can be right."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from kafkafmt.cached import cached_property
from kafkafmt.cli import messages
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.offset_order import OffsetFault
from kafkafmt.files.segment import headers_from
from kafkafmt.logdir import lookup, replicas
from kafkafmt.logdir.batch_order import BatchOrder
from kafkafmt.logdir.epoch_check import EpochRun
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.leader_epochs import history_beside
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.trace import BytesScanned, HeaderRead, ScanBegun, Step
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.reference.header import BatchHeader


@dataclass(frozen=True)
class Log:
    """A log to search.

    Attributes:
        partition: the partition directory.
        files: its log files that were named individually, in order of base offset; empty for the whole directory.
    """

    partition: Partition
    files: tuple[Segment, ...] = ()

    @property
    def path(self) -> str:
        """Path or URI for messages."""
        if len(self.files) == 1:
            return self.files[0].path
        return f"{self.partition.path} ({len(self.files)} of its files)" if self.files else self.partition.path

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """The segments in order.

        Raises:
            SourceError: the directory cannot be read, or all its log files are packed.
        """
        return self.files or Found(self.partition).segments

    @property
    def checkpointed_start(self) -> int | None:
        """Log start offset in log-start-offset-checkpoint; None if there is no entry, or it cannot be read."""
        return self._checkpoint[0]

    @property
    def checkpoint_error(self) -> KafkafmtError | None:
        """The error in reading that checkpoint; None if there is none."""
        return self._checkpoint[1]

    @cached_property
    def start(self) -> int | None:
        """The log start offset; None for a directory without a log.

        If the checkpoint cannot be read, it is the base offset of the first segment, as in Kafka's LogManager.

        Raises:
            KafkafmtError: the part of the log that is read is damaged or unreadable.
        """
        if not self.files:
            known = [self.checkpointed_start, *(segment.base_offset for segment in self.segments[:1])]
            return max((offset for offset in known if offset is not None), default=None)
        first = self.files[0]
        if first.base_offset is None or first.suffix:
            found = lookup.find_offset(self.files, 0)
            return None if found is None else found.base_offset
        return max(first.base_offset, self.checkpointed_start or 0)

    @cached_property
    def end(self) -> int | None:
        """The log end offset, as in `Partition.log_end_offset`; None for a directory without a log.

        Raises:
            KafkafmtError: the last segment cannot be read.
        """
        if not self.segments:
            return None
        last = self._last_entry
        end = self.segments[-1].base_offset if last is None or last.last_offset is None else last.last_offset + 1
        checkpointed = None if self.files else self.checkpointed_start
        return max((offset for offset in (end, checkpointed) if offset is not None), default=None)

    @property
    def end_place(self) -> tuple[str, int] | None:
        """The file to which the next record would be written, by its name in answers, and the position in bytes.

        Raises:
            SourceError: the file cannot be read.
        """
        if not self.segments:
            return None
        last = self._last_entry
        return self.segments[-1].file, 0 if last is None else last.position + last.size_in_bytes

    def leader_epoch_at(self, offset: int) -> int | None:
        """Leader epoch of an offset by leader-epoch-checkpoint; None if it has none.

        Raises:
            KafkafmtError: the checkpoint is broken.
        """
        epochs = [entry.epoch for entry in self.partition.leader_epochs if entry.start_offset <= offset]
        return epochs[-1] if epochs else None

    def with_path(self, error: KafkafmtError) -> KafkafmtError:
        """The same error with a path that can be pasted into the next command, instead of the name in answers."""
        path = error.file
        for segment in self.segments[:1]:
            prefix = segment.file.removesuffix(segment.name)
            if path is not None and path.startswith(prefix) and "/" not in path[len(prefix) :]:
                path = str(segment.location.sibling(path[len(prefix) :]))
        return type(error)(
            error.message, file=path, position=error.position, expected=error.expected, found=error.found
        )

    @cached_property
    def _checkpoint(self) -> tuple[int | None, KafkafmtError | None]:
        try:
            return self.partition.checkpointed_log_start_offset, None
        except KafkafmtError as error:
            return None, error

    @cached_property
    def _last_entry(self) -> "BatchHeader | None":
        return self.segments[-1].last_entry() if self.files else self.partition.last_entry()


def choose(disks: "Disks", topic: str | None, number: int | None, replica: str) -> list[Log]:
    """The copies of one partition to search; stderr names the copies that are skipped.

    Args:
        disks: the named disks, which have the topic and the partition.
        topic: topic of the partition, or None if there is only one.
        number: number of the partition, or None if there is only one.
        replica: "best" or "all".

    Raises:
        click.UsageError: there are several partitions, and none is chosen.
        SourceError: a copy cannot be read.
    """
    for error in disks.unlisted(lambda name, which: topic in (None, name) and number in (None, which)):
        disks.report(error)
    found = [
        copy
        for copy in disks.found
        if topic in (None, copy.partition.topic) and number in (None, copy.partition.partition)
    ]
    names = list(dict.fromkeys(copy.partition.name if copy.partition.topic is None else _name(copy) for copy in found))
    if len(names) > 1:
        raise click.UsageError(
            f"there are {len(names)} partitions here: choose one with --topic and --partition, or name its"
            f" directory. There are: {listed(names)}."
        )
    if replica == "best":

        def broken(error: KafkafmtError) -> None:
            if isinstance(error, SourceError):
                disks.report(error)
            else:
                messages.say(error)

        found, skipped = replicas.best(found, broken, lambda divergence: messages.say(divergence.finding))
        messages.report_skipped_replicas(skipped)
    return sorted(_logs(found), key=lambda log: log.path)


def _logs(found: Sequence[Found]) -> Iterator[Log]:
    """Each directory as a log; files of one directory that were named themselves are one log."""
    files: dict[str, list[Found]] = defaultdict(list)
    for copy in found:
        if copy.file is None:
            yield Log(copy.partition)
        else:
            files[copy.partition.location.identity].append(copy)
    for group in files.values():
        segments = [copy.file for copy in group if copy.file is not None]
        yield Log(group[0].partition, tuple(sorted(segments, key=lambda file: file.base_offset or 0)))


def _name(found: Found) -> str:
    return f"{found.partition.topic}-{found.partition.partition}"


class OrderCheck:
    """Checks the headers that a look-up reads, and up to three after them, which show whether the last ones fit.

    Args:
        log: the log that is searched.

    Attributes:
        faults: the faults, each once, with the path of the file.
    """

    def __init__(self, log: Log) -> None:
        self.faults: dict[str, None] = {}
        self._log = log
        self._scan: _Scan | None = None

    def see(self, step: Step) -> None:
        """Take the next step of the look-up.

        Raises:
            SourceError: the log file cannot be read.
        """
        if isinstance(step, ScanBegun):
            self._scan = self._begin(step)
        elif self._scan is not None and isinstance(step, HeaderRead):
            self._scan.see(step)
        elif self._scan is not None and isinstance(step, BytesScanned):
            self._scan.end()
            self._scan = None

    def _begin(self, step: ScanBegun) -> "_Scan":
        segments = self._log.segments
        number = next(number for number, segment in enumerate(segments) if segment.file == step.file)
        segment = segments[number]
        following = segments[number + 1] if number + 1 < len(segments) else None

        def report(fault: OffsetFault) -> None:
            if fault.is_finding:
                self.faults[f"{segment.path}: position {fault.position}: {fault.message}"] = None

        order = BatchOrder(
            segment.bounds(following),
            report,
            partial(history_beside, segment),
            is_last=following is None,
            with_overflow=True,
        )
        return _Scan(segment, order, step.position)


class _Scan:
    """Consecutive headers of one log file that a look-up reads."""

    def __init__(self, segment: "Segment", order: BatchOrder, begin: int) -> None:
        self._segment = segment
        self._order = order
        self._end = begin

    def see(self, step: HeaderRead) -> None:
        first, last, epoch = step.base_offset, step.last_offset, step.leader_epoch
        self._order.see_offsets(first, last, step.position, step.size_in_bytes)
        if first is not None and last is not None and epoch is not None:
            self._order.see_run(EpochRun(epoch, first, last, step.position))
        self._end = step.position + step.size_in_bytes

    def end(self) -> None:
        with self._segment.open() as file:
            if self._end == file.size or self._order.look_beyond(headers_from(file, self._end)):
                self._order.end(file.size)
            else:
                self._order.end()
