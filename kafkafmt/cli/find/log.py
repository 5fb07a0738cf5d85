"""Log: the segments that are searched: those of a partition directory, or files of it that were named themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.logdir import lookup
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import Found

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader


@dataclass(frozen=True)
class Log:
    """What is searched as one log.

    Attributes:
        partition: the directory.
        files: those of it that were named themselves, in order of their base offsets; none for the whole directory.
    """

    partition: Partition
    files: tuple[Segment, ...] = ()

    @property
    def path(self) -> str:
        """Path or URI, to be shown."""
        if len(self.files) == 1:
            return self.files[0].path
        return f"{self.partition.path} ({len(self.files)} files of it)" if self.files else self.partition.path

    @cached_property
    def segments(self) -> Sequence[Segment]:
        """In order.

        Raises:
            SourceError: the directory cannot be read, or all its log files are packed.
        """
        return self.files or Found(self.partition).segments

    @property
    def checkpointed_start(self) -> int | None:
        """The log start offset by the log-start-offset-checkpoint; None where that has none, or cannot be read."""
        return self._checkpoint[0]

    @property
    def checkpoint_error(self) -> KafkafmtError | None:
        """What is wrong with that checkpoint; None if nothing is."""
        return self._checkpoint[1]

    @cached_property
    def start(self) -> int | None:
        """The log start offset; None for a directory without a log.

        Where the checkpoint cannot be read it is the base offset of the first segment, as in Kafka's LogManager.

        Raises:
            KafkafmtError: what is read of the log is damaged, or cannot be read.
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
        """The log end offset, as `Partition.log_end_offset` has it; None for a directory without a log.

        Raises:
            KafkafmtError: the last segment cannot be read.
        """
        if not self.segments:
            return None
        last = self._last_entry
        end = self.segments[-1].base_offset if last is None or last.last_offset is None else last.last_offset + 1
        checkpointed = None if self.files else self.checkpointed_start
        return max((each for each in (end, checkpointed) if each is not None), default=None)

    @property
    def end_place(self) -> tuple[str, int] | None:
        """The file that the next record would be written to, by its name in answers, and where in it, in bytes.

        Raises:
            SourceError: the file cannot be read.
        """
        if not self.segments:
            return None
        last = self._last_entry
        return self.segments[-1].file, 0 if last is None else last.position + last.size_in_bytes

    def leader_epoch_at(self, offset: int) -> int | None:
        """Leader epoch of an offset by the leader-epoch-checkpoint; None where that does not tell.

        Raises:
            KafkafmtError: the checkpoint is broken.
        """
        epochs = [each.epoch for each in self.partition.leader_epochs if each.start_offset <= offset]
        return epochs[-1] if epochs else None

    def with_path(self, error: KafkafmtError) -> KafkafmtError:
        """The same error with a path to be pasted into the next command, instead of the name in answers."""
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
        return self.segments[-1].last_entry()
