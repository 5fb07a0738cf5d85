"""Growth: detects changes of logs and of the directories above them, on local disks, with one `stat` per path.

The kernel's notifications are not used: they are not portable, and miss changes by another machine on a shared disk.
"""

import math
import os
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files.names import FOREIGN_DIRECTORIES, is_log_file, parse_segment_file_name
from kafkafmt.io.source import locate
from kafkafmt.logdir.checkpoints import LOG_START_OFFSET_CHECKPOINT
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found

_Contents: TypeAlias = tuple[frozenset[str], bool]

Inode: TypeAlias = tuple[int, int]
"""Device and inode."""

Status: TypeAlias = tuple[int, int, int, int]
"""Device, inode, size in bytes, and time of the last change in ns."""

# Largest difference to expect between the clocks of a file server and of this machine, in ns.
_RECENT: Final = 10 * 10**9
# Differs from any status, and from None, so that the first look is always a change.
_NEVER_LOOKED: Final[Status] = (-1, -1, -1, -1)
# In seconds, and longer than a tick of any kernel's clock; polls are further apart.
_TICK: Final = 0.05


def status_of(path: str) -> Status | None:
    """Current status of a path; None if it does not exist or is forbidden."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def directory_inode(path: str) -> Inode | None:
    """Device and inode of a directory, which a rename keeps; None if it is missing."""
    status = status_of(path)
    return None if status is None else status[:2]


class Watch:
    """Detects whether a path has changed since the previous look.

    The kernel's clock ticks every few milliseconds, so two changes within a tick have the same time. So a change is
    reported again at the first look that comes more than a tick later, unless it is seconds old, or the path is a file
    whose size shows every change.

    Args:
        path: an absolute path, or a relative one if the working directory does not change.
        is_file: whether it is a file.

    Attributes:
        path: as given.
        status: at the last look; None if it did not exist.
    """

    __slots__ = ("_is_file", "_to_repeat_after", "path", "status")

    def __init__(self, path: str, *, is_file: bool = False) -> None:
        self.path = path
        self._is_file = is_file
        self.status: Status | None = _NEVER_LOOKED
        self._to_repeat_after = math.inf

    def has_changed(self) -> bool:
        """Look, and return whether there is reason to read; true at the first look."""
        now, status = time.monotonic(), status_of(self.path)
        changed = status != self.status
        is_due = changed or now > self._to_repeat_after
        if is_due:
            sizes = {known[2] for known in (status, self.status) if known is not None}
            has_grown = self._is_file and len(sizes) > 1
            is_settled = not changed or has_grown or status is None or status[3] < time.time_ns() - _RECENT
            self._to_repeat_after = math.inf if is_settled else now + _TICK
        self.status = status
        return is_due

    def unsettle(self) -> None:
        """Make the next look report a change."""
        self._to_repeat_after = -math.inf


class GrowingLog:
    """The segments of a log as they are at each look. A look at an unchanged path costs two calls of `stat`.

    Args:
        found: the directory or file, on this machine.

    Attributes:
        partition: the directory as it was last listed.
        topic_id: topic id from its partition.metadata, or None; to be set if it continues the log of another directory.
        was_replaced: whether the last listing found another log there: a topic that was deleted and created again.
        inode: inode of the directory when it was last listed, before the first listing when it was found; None for a
            file.
        is_begun: whether it was listed, or counts as known after `begin`.
    """

    def __init__(self, found: "Found") -> None:
        self.partition = found.partition
        self.topic_id: str | None = None
        self.was_replaced = False
        self._found = found
        self._directory = None if found.file is not None else Watch(found.location.absolute)
        self.inode = None if self._directory is None else directory_inode(self._directory.path)
        self.is_begun = False
        self._replaced: list[tuple[Inode | None, str | None]] = []
        self._active: Watch | None = None
        self._segments: list[Segment] = []

    def has_changed(self) -> bool:
        """Whether the directory or its last log file has changed since the previous look."""
        if self._directory is not None and self._directory.has_changed():
            self._active = None
        return self._active is None or self._active.has_changed()

    def begin(self) -> None:
        """Treat the found directory as known: a different one at its path counts as its replacement."""
        self.is_begun = True

    def look_again(self) -> None:
        """Make the next look report a change, as the directory could not be read."""
        self._active = None
        if self._directory is not None:
            self._directory.unsettle()

    def require_found(self) -> None:
        """Check before the first look that the directory is the one that was found.

        Raises:
            SourceError: another log has taken its place.
        """
        status = None if self._directory is None else self._directory.status
        if not self.is_begun and self.inode is not None and status is not None and status[:2] != self.inode:
            raise SourceError("the directory was replaced since it was found", file=self.partition.path)

    def segments(self) -> Sequence[Segment]:
        """The log's segments in order, the last one with its current size.

        Raises:
            SourceError: the directory cannot be listed, or the last file has vanished.
        """
        self.was_replaced = False
        if self._active is None:
            before = self.inode, self.topic_id, self.is_begun
            self._segments = self._list()
            if not self._segments:
                return ()
            self._active = Watch(self._segments[-1].location.absolute, is_file=True)
            self._active.has_changed()
            if self._active.status is None:  # the listed directory is gone already
                self.inode, self.topic_id, self.is_begun = before
        last = self._segments[-1]
        if self._active.status is None:
            raise SourceError("the file vanished since it was listed", file=last.path)
        return [*self._segments[:-1], cut(last, self._active.status[2])]

    @property
    def known_logs(self) -> list[tuple[Inode | None, str | None]]:
        """Inode and topic id of the last listed directory, and of the one that it replaced; None where unknown."""
        return [(self.inode, self.topic_id), *self._replaced] if self.is_begun else []

    @property
    def log_start_offset(self) -> int | None:
        """Current entry in the log-start-offset-checkpoint; None without an entry, and for a file given alone.

        Raises:
            SourceError: the checkpoint cannot be read.
            DataError: it is broken.
        """
        partition = self.partition
        topic, number, checkpoints = partition.topic, partition.partition, partition.checkpoints
        if checkpoints is None or topic is None or number is None or partition.state in ("delete", "stray"):
            return None
        file = self._found.file
        parsed = None if file is None else parse_segment_file_name(file.name)
        if file is not None and (parsed is None or parsed.suffix):
            return None
        return checkpoints.offset(LOG_START_OFFSET_CHECKPOINT, topic, number)

    def _list(self) -> list[Segment]:
        file = self._found.file
        if self._directory is None and file is not None:
            return [Segment(file.location, file=file.file)]
        before = self._found.partition
        place = locate(str(before.location)).searched()
        listing = place.list_anew()
        self.partition = Partition(place, prefix=before.prefix, listing=listing, checkpoints=before.checkpoints)
        segments = self.partition.segments
        self._see_directory(None if self._directory is None else self._directory.status)
        return segments

    def _see_directory(self, status: Status | None) -> None:
        """Detect whether it is the same log as before. Brokers write partition.metadata before the first records."""
        inode: Inode | None = None if status is None else status[:2]
        topic_id = None
        with suppress(DataError):  # a broken partition.metadata does not prevent reading the log
            topic_id = self.partition.topic_id
        before = self.inode, self.topic_id
        is_same_directory = inode == self.inode
        if is_same_directory and self.is_begun:
            self.was_replaced = None not in (self.topic_id, topic_id) and topic_id != self.topic_id
            self.topic_id = topic_id or self.topic_id
        else:
            is_first = not self.is_begun and self.topic_id is None
            is_other = topic_id is None or topic_id != self.topic_id
            self.was_replaced = self.inode is not None and not is_same_directory if is_first else is_other
            self.topic_id = topic_id
        self.inode, self.is_begun = inode, True
        self._replaced = [before] if self.was_replaced else self._replaced


class TreeWatch:
    """Watches the directories above partitions, and those that may become partitions.

    A log directory changes every few seconds, as checkpoints are rewritten, so only the names of its subdirectories
    count. Links are not followed.

    Args:
        places: directories that were searched.
        partitions: absolute paths of partition directories, which are ignored.
    """

    def __init__(self, places: Iterable[str], partitions: Collection[str]) -> None:
        self._contents: dict[str, _Contents] = {}
        self._watches: dict[str, Watch] = {}
        self._partitions = partitions
        self._visit(map(os.path.abspath, places))

    def has_changed(self) -> bool:
        """Whether to search again: a directory has appeared or vanished, or a first log file in one."""
        changed = [path for path, watch in self._watches.items() if watch.has_changed()]
        return any(_contents_of(path) != self._contents[path] for path in changed)

    def appeared(self) -> list[str]:
        """Directories that hold log files now, and did not exist or held none at the last look; they become watched.

        For callers that notice vanished directories by other means; others use `has_changed`.
        """
        holding: list[str] = []
        for path in [path for path, watch in self._watches.items() if watch.has_changed()]:
            before, now = self._contents[path], _contents_of(path)
            self._contents[path] = now
            if now[1]:
                holding.append(path)
                del self._watches[path]
            else:
                holding += self._visit(os.path.join(path, name) for name in sorted(now[0] - before[0]))
        return holding

    def _visit(self, paths: Iterable[str]) -> list[str]:
        """Watch directories without log files, and all below them; return those with log files."""
        holding, seen = [], set(self._partitions)
        to_visit = [*paths]
        while to_visit:
            path = to_visit.pop()
            if path in seen:
                continue
            seen.add(path)
            watch = Watch(path)
            watch.has_changed()  # before the listing, so that later changes are seen
            names, holds_logs = self._contents[path] = _contents_of(path)
            if holds_logs:
                holding.append(path)
                continue
            self._watches[path] = watch
            to_visit += [os.path.join(path, name) for name in names]
        return holding


def _contents_of(path: str) -> _Contents:
    """Names of a directory's subdirectories, and whether it holds log files; nothing if it cannot be listed."""
    names, holds_logs = [], False
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                else:
                    holds_logs = holds_logs or is_log_file(entry.name)
    except OSError:
        return frozenset(), False
    return frozenset(names) - FOREIGN_DIRECTORIES, holds_logs


def cut(segment: Segment, size: int) -> Segment:
    """The same file, cut to its first `size` bytes."""
    return Segment(segment.location, file=segment.file, size=size)


def inode_of(segment: Segment) -> Inode:
    """Device and inode of a log file, which show that compaction has replaced it.

    Raises:
        SourceError: the file has vanished.
    """
    return _status_of(segment)[:2]


def require_unchanged(segment: Segment, inode: Inode, *, is_whole: bool) -> None:
    """Check that the path still leads to the file that was listed, not to one that the cleaner has put in its place.

    Args:
        segment: the file as it was listed.
        inode: its device and inode.
        is_whole: whether no more batches are appended to it.

    Raises:
        SourceError: the path leads to another file.
    """
    status = _status_of(segment)
    if status[:2] != inode or (is_whole and status[2] != segment.size):
        raise SourceError("the file was replaced since it was listed", file=segment.path)


def _status_of(segment: Segment) -> Status:
    status = status_of(segment.location.absolute)
    if status is None:
        raise SourceError("the file vanished since it was listed", file=segment.path)
    return status


@dataclass(frozen=True, slots=True)
class ReadingPlace:
    """Position of the reader of a log.

    Attributes:
        base_offset: base offset of the segment, or None if unknown.
        inode: device and inode of its file.
        position: position of the next entry, in bytes.
        mark: position of the previous entry, in bytes.
        marked: first bytes of the previous entry: they differ if the log was truncated and written again.
        next_offset: offset after the previous entry, or None if unknown; the log start may have moved past it.
    """

    base_offset: int | None
    inode: Inode
    position: int
    next_offset: int | None = None
    mark: int = 0
    marked: bytes = b""

    def is_in(self, segment: Segment) -> bool:
        """Whether the file still has the bytes before this position that were read.

        Raises:
            SourceError: the file cannot be read.
        """
        if inode_of(segment) != self.inode or segment.size < self.position:
            return False
        with segment.open() as file:
            return file.read_at(self.mark, len(self.marked)) == self.marked
