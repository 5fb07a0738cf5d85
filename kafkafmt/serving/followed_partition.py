"""FollowedPartition: a partition directory that a broker writes, looked at repeatedly.

A look costs two `stat` calls, and a listing if the directory has changed; it reads no file. A change gives a new
`ServedLog`, which reads files when it is asked for records.
"""

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io.source import locate
from kafkafmt.logdir.checkpoints import Checkpoints
from kafkafmt.logdir.growth import Inode, Watch, status_of
from kafkafmt.logdir.partition import Partition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.serving.served_log import ServedLog

# A listing is not atomic: a file that is renamed meanwhile may appear twice or not at all.
_JUST_NOW: Final = 50 * 10**6
_MOST_LISTINGS: Final = 5


class FollowedPartition:
    """The directory of a served partition.

    Args:
        partition: the partition as first found.
        checkpoints: the checkpoints of the log directory, read again when they change.

    Attributes:
        is_gone: whether the directory was missing at the last look.
    """

    def __init__(self, partition: Partition, checkpoints: Checkpoints) -> None:
        self._place, self._prefix, self._checkpoints = str(partition.location), partition.prefix, checkpoints
        self._directory = Watch(partition.location.absolute)
        self._active: Watch | None = None
        self._is_due = True
        self._inode: Inode | None = None
        self._listing: Sequence[DirectoryEntry] = ()
        self._inodes: Sequence[Inode] = ()
        self._marks: tuple[int | None, int | None] = (None, None)
        self.is_gone = False

    def look(self, log: "ServedLog", *, checks: bool) -> "ServedLog | None":
        """The log as it is now; None if nothing has changed since the last look.

        Args:
            log: the log at the last look.
            checks: whether the checkpoints may have changed.
        """
        is_listed = self._directory.has_changed() or self._is_due
        self.is_gone = self._directory.status is None
        if self._directory.status is None:
            return None
        try:
            if is_listed:
                inode = self._directory.status[:2]
                found = log.seen_again(self._list(), self._inodes, is_other=self._inode not in (None, inode))
                self._inode = inode
                return found
            if self._active is not None and self._active.has_changed():
                if self._active.status is None:
                    raise SourceError("the file vanished since it was listed", file=self._active.path)
                return log.grown(self._cut(self._active.status[2]), self._inodes)
            if checks:
                before = self._marks
                partition = self._partition()
                return log.grown(partition, self._inodes) if self._marks != before else None
        except KafkafmtError:
            self._is_due = True  # list the directory again at the next look
        return None

    def _list(self) -> Partition:
        """List the directory, repeatedly if it has just changed."""
        place = locate(self._place).searched()
        listing = place.list_anew()
        status = self._directory.status
        for _ in range(_MOST_LISTINGS):
            if status is not None and status[3] < time.time_ns() - _JUST_NOW:
                break
            before, listing = listing, place.list_anew()
            if [each.name for each in before] == [each.name for each in listing]:
                break
            status = status_of(self._directory.path)
        self._listing, self._active = listing, None
        partition = self._partition()
        self._inodes = [_inode_of(each) for each in partition.segments]
        self._is_due = False
        if not partition.segments:
            return partition
        self._active = Watch(partition.segments[-1].location.absolute, is_file=True)
        self._active.has_changed()
        return partition if self._active.status is None else self._cut(self._active.status[2])

    def _cut(self, size: int) -> Partition:
        """The partition with the current size of its active segment."""
        active = "" if self._active is None else self._active.path
        self._listing = [each.sized(size) if each.location.absolute == active else each for each in self._listing]
        return self._partition()

    def _partition(self) -> Partition:
        made = Partition(locate(self._place), prefix=self._prefix, listing=self._listing, checkpoints=self._checkpoints)
        self._marks = None, None
        with suppress(KafkafmtError):  # reported when the checkpoints are asked for
            self._marks = made.checkpointed_log_start_offset, made.high_watermark
        return made


def _inode_of(segment: "Segment") -> Inode:
    status = status_of(segment.location.absolute)
    if status is None:
        raise SourceError("the file vanished since it was listed", file=segment.path)
    return status[:2]
