"""UnseenLogs: logs that were deleted before they were followed, while the broker still has their directories.

It reads `-delete` and `-stray` directories that are new since the last search: a partition may be created and deleted
between two polls. The broker keeps a `-delete` directory for a minute (see `kafkafmt.scanning.left_log`), and a
`-stray` one, of a log deleted while it was down, for good. A followed log leaves such a directory, too, as does a move
to another log directory: topic ids distinguish them, or inodes where a broker before Kafka 2.8 wrote none.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from kafkafmt.errors import KafkafmtError
from kafkafmt.logdir.growth import Inode, directory_inode, status_of
from kafkafmt.logdir.sources import Found
from kafkafmt.scanning.arguments import HIGH_WATERMARK

if TYPE_CHECKING:
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.followed_log import FollowedLog
    from kafkafmt.scanning.selection import Selection

_Name: TypeAlias = tuple[str | None, int | None]
_Log: TypeAlias = tuple[int | None, str]
"""Number of a partition, and the id of its topic."""

# Logs that are gone, whose other copies may be set aside later.
_MOST_PAST: Final = 10_000
_ASIDE: Final = ("delete", "stray")
# Kafka cuts a topic where the name of a directory that it sets aside would be too long.
_LONGEST_NAME: Final = 255


class UnseenLogs:
    """Finds after each search the directories set aside since the previous one, with logs that were never seen.

    Those that exist when a log directory is first found were deleted before it was followed. Its memory is bounded by
    the directories that existed, and by `_MOST_PAST`.

    Args:
        selection: which records are wanted.
    """

    def __init__(self, selection: "Selection") -> None:
        self._selection = selection
        self._aside: dict[str, set[str]] = {}
        self._alive: dict[Inode, tuple[str, _Name]] = {}
        self._followed: set[_Log] = set()
        self._past: dict[_Log, None] = {}
        self._inodes: dict[Inode, tuple[_Name, str | None]] = {}
        self._seen: dict[Inode, tuple[_Name, str | None]] = {}

    def find(
        self, log_dirs: "Sequence[LogDir]", found: Sequence[Found], followed: "Collection[FollowedLog]"
    ) -> list[list[Found]]:
        """Give the selected logs in the order in which they were deleted; each with all copies.

        Args:
            log_dirs: all log directories, as this search has listed them.
            found: the live ones there.
            followed: the logs followed since the previous search.
        """
        self._remember(followed)
        new: list[Partition] = []
        for log_dir in log_dirs:
            aside = {each.location.absolute: each for each in log_dir.other_partitions if each.state in _ASIDE}
            # A log directory may have been gone for a while.
            before = self._aside.get(log_dir.location.absolute, aside)
            new += [each for path, each in aside.items() if path not in before and self._is_wanted(each)]
            self._aside[log_dir.location.absolute] = set(aside)
        logs = self._logs_of(new, found, followed) if new else []
        alive = [one.partition for one in found if one.file is None and self._selection.takes(one.partition)]
        alive += [each for log_dir in log_dirs for each in log_dir.other_partitions if each.state == "future"]
        # Others are known by their topic ids.
        inodes = ((directory_inode(each.location.absolute), each) for each in alive if not _has_topic_id(each))
        self._alive = {inode: (each.path, _name_of(each)) for inode, each in inodes if inode is not None}
        return logs

    def why_unread(self, partition: "Partition") -> str:
        """Why the records of such a directory are not to be given; empty if they are."""
        if _is_cut(partition):
            return "the directory's name may have only part of the topic"
        if self._selection.end_offset == HIGH_WATERMARK:
            return "its high watermark is no longer known"
        return ""

    def _is_wanted(self, partition: "Partition") -> bool:
        topics, topic = self._selection.topics, partition.topic
        if topic is None:
            return False
        if not _is_cut(partition):
            return self._selection.takes(partition)
        number_is_wanted = self._selection.partitions is None or partition.partition in self._selection.partitions
        names = topics if isinstance(topics, Iterable) else [topic]
        return number_is_wanted and any(name.startswith(topic) for name in names)

    def _remember(self, followed: "Iterable[FollowedLog]") -> None:
        known = [(_name_of(log.found.partition), each) for log in followed for each in log.log.known_logs]
        now = {(name[1], topic_id) for name, (_, topic_id) in known if topic_id is not None}
        self._past |= dict.fromkeys(self._followed - now)
        self._followed = now
        while len(self._past) > _MOST_PAST:
            del self._past[next(iter(self._past))]
        # A search that overlaps a rename may find neither name: the log is dropped, and set aside at the next search.
        inodes = {inode: (name, topic_id) for name, (inode, topic_id) in known if inode is not None}
        self._seen, self._inodes = self._inodes | inodes, inodes

    def _logs_of(
        self, new: "Sequence[Partition]", found: Sequence[Found], followed: "Iterable[FollowedLog]"
    ) -> list[list[Found]]:
        """The directories set aside whose log was never seen, joined to logs."""
        names = {log.found.path: _name_of(log.found.partition) for log in followed}
        copies = {inode: name for inode, (path, name) in self._alive.items() if path not in names}
        alive_now: dict[_Name, list[Partition]] = {}
        for one in found:
            if one.file is None:
                alive_now.setdefault(_name_of(one.partition), []).append(one.partition)
        logs: dict[_Log | str, list[Found]] = {}
        for each in sorted(new, key=_age):
            topic_id = _topic_id(each)
            if self._was_seen(each, topic_id, copies, names.values()):
                continue
            if any(self._is_copy(topic_id, other) for other in alive_now.get(_name_of(each), ())):
                continue
            log = each.path if topic_id is None else (each.partition, topic_id)
            logs.setdefault(log, []).append(Found(each))
        self._past |= {log: None for log in logs if not isinstance(log, str)}
        return list(logs.values())

    def _is_copy(self, topic_id: str | None, alive: "Partition") -> bool:
        """Whether a live directory now holds the same log as one that was set aside."""
        if topic_id is not None:
            return _topic_id(alive) == topic_id
        # One that was alive at the search before, and still is: no other log had the name since.
        return directory_inode(alive.location.absolute) in self._alive

    def _was_seen(
        self,
        partition: "Partition",
        topic_id: str | None,
        copies: "Mapping[Inode, _Name]",
        followed: "Collection[_Name]",
    ) -> bool:
        """Whether a directory set aside was followed, or is another copy of one that was."""
        if topic_id is not None:
            log = partition.partition, topic_id
            # One set aside since the previous search, too, is another copy.
            if log in self._followed or log in self._past:
                return True
        inode = directory_inode(partition.location.absolute)
        if inode is None:  # it is gone already
            return topic_id is None and _name_of(partition) in followed
        copy = copies.get(inode) if topic_id is None else None
        (topic, number), known_id = self._seen.get(inode, (copy or (None, None), None))
        is_of_name = number == partition.partition and (topic or "").startswith(partition.topic or "")
        # The inode of a directory that is gone may be given to another.
        return is_of_name and None in (topic_id, known_id)


def _name_of(partition: "Partition") -> _Name:
    return partition.topic, partition.partition


def _age(partition: "Partition") -> tuple[int, str]:
    """Sort key: when its last log file was written: of one name, a log is made after the one before it has ended."""
    path = partition.location.absolute
    with suppress(KafkafmtError):
        path = partition.segments[-1].location.absolute if partition.segments else path
    status = status_of(path)
    return 0 if status is None else status[3], path


def _topic_id(partition: "Partition") -> str | None:
    with suppress(KafkafmtError):
        return partition.topic_id
    return None


def _has_topic_id(partition: "Partition") -> bool:
    return any(entry.name == "partition.metadata" for entry in partition.listing)


def _is_cut(partition: "Partition") -> bool:
    """Whether its name may have only part of the topic: one of full length may also be whole."""
    return len(partition.name) >= _LONGEST_NAME
