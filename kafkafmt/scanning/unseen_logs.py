"""UnseenLogs: logs that were deleted before they were followed, while the broker still has their directories.

A partition may be created and deleted between two looks. What is left of it for a minute is a directory set aside (see
`kafkafmt.scanning.left_log`), or for good a `-stray` one, if it was deleted while the broker was down. A log that was
followed leaves one like that too, and so does a move to another log directory: topic ids tell them apart, or inodes
where a broker before Kafka 2.8 wrote none.
"""

import os
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

# Logs that are gone, of which another copy may be set aside later.
_MOST_PAST: Final = 10_000
# Kafka cuts a topic where the name of a directory that it sets aside would be longer.
_LONGEST_NAME: Final = 255


class UnseenLogs:
    """Tells at each look which directories were set aside since the one before, and hold logs that were never seen.

    Those of the first look were deleted before anything was followed. What is kept is bounded by the directories that
    are there, and by `_MOST_PAST`.

    Args:
        selection: which records are wanted.
    """

    def __init__(self, selection: "Selection") -> None:
        self._selection = selection
        self._aside: set[str] | None = None
        self._alive: dict[Inode, tuple[str, _Name]] = {}
        self._followed: set[_Log] = set()
        self._past: dict[_Log, None] = {}

    def look(
        self, log_dirs: "Sequence[LogDir]", found: Sequence[Found], followed: "Collection[FollowedLog]"
    ) -> list[list[Found]]:
        """Give the logs of which something is wanted, in the order in which they were deleted; each with all copies.

        Args:
            log_dirs: all log directories, as they were listed for this look.
            found: what is alive there.
            followed: what was followed since the look before.
        """
        others = [each for log_dir in log_dirs for each in log_dir.other_partitions]
        aside = {each.location.absolute: each for each in others if each.state in ("delete", "stray")}
        self._remember(followed)
        logs = []
        if self._aside is not None:
            new = [each for path, each in aside.items() if path not in self._aside and self._is_wanted(each)]
            logs = self._unseen(new, found, followed) if new else []
        listed = {log_dir.location.absolute for log_dir in log_dirs}
        # A log directory may be gone for a while.
        self._aside = {*aside, *(path for path in self._aside or () if os.path.dirname(path) not in listed)}
        alive = [one.partition for one in found if one.file is None and self._selection.takes(one.partition)]
        alive += [each for each in others if each.state == "future"]
        inodes = ((directory_inode(each.location.absolute), each) for each in alive)
        self._alive = {inode: (each.path, _name_of(each)) for inode, each in inodes if inode is not None}
        return logs

    def why_unread(self, partition: "Partition") -> str:
        """Why the records of such a directory are not to be given; empty if they are.

        Args:
            partition: the directory.
        """
        if _is_cut(partition):
            return "its name shows the topic's only in part"
        if self._selection.end_offset == HIGH_WATERMARK:
            return "up to which offset it was replicated is not known any more"
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
        known = ((log.found.partition.partition, topic_id) for log in followed for _, topic_id in log.log.directories)
        now = {(number, topic_id) for number, topic_id in known if topic_id is not None}
        self._past |= dict.fromkeys(self._followed - now)
        self._followed = now
        while len(self._past) > _MOST_PAST:
            del self._past[next(iter(self._past))]

    def _unseen(
        self, new: "Sequence[Partition]", found: Sequence[Found], followed: "Iterable[FollowedLog]"
    ) -> list[list[Found]]:
        """Those of directories set aside whose log was never seen, joined to logs."""
        paths = {log.found.path for log in followed}
        # With a topic id a copy of a log that was followed is known by that.
        copies = {inode: name for inode, (path, name) in self._alive.items() if path not in paths}
        seen: dict[Inode, tuple[_Name, str | None]] = {inode: (name, "unknown") for inode, name in copies.items()}
        begun = ((log, each) for log in followed for each in log.log.directories)
        seen |= {inode: (_name_of(log.found.partition), topic_id) for log, (inode, topic_id) in begun if inode}
        alive_now: dict[_Name, list[Partition]] = {}
        for one in found:
            if one.file is None:
                alive_now.setdefault(_name_of(one.partition), []).append(one.partition)
        logs: dict[_Log | str, list[Found]] = {}
        for each in sorted(new, key=_age):
            topic_id = _topic_id(each)
            if self._was_seen(each, topic_id, seen):
                continue
            if any(self._is_copy(topic_id, other) for other in alive_now.get(_name_of(each), ())):
                continue
            log = each.path if topic_id is None else (each.partition, topic_id)
            logs.setdefault(log, []).append(Found(each))
        self._past |= {log: None for log in logs if not isinstance(log, str)}
        return list(logs.values())

    def _is_copy(self, topic_id: str | None, alive: "Partition") -> bool:
        """Whether a directory that is alive now holds the same log as one that was set aside."""
        if topic_id is not None:
            return _topic_id(alive) == topic_id
        return directory_inode(alive.location.absolute) in self._alive  # while that was there, no other was

    def _was_seen(
        self, partition: "Partition", topic_id: str | None, seen: "Mapping[Inode, tuple[_Name, str | None]]"
    ) -> bool:
        """Whether what was set aside was followed, or is another copy of what was."""
        if topic_id is not None:
            log = partition.partition, topic_id
            # What was set aside at this look, too, is another copy.
            if log in self._followed or log in self._past:
                return True
        inode = directory_inode(partition.location.absolute)
        if inode is None:  # it is gone already
            return topic_id is None and any(name == _name_of(partition) for _, name in self._alive.values())
        (topic, number), known_id = seen.get(inode, ((None, None), None))
        is_of_name = number == partition.partition and (topic or "").startswith(partition.topic or "")
        # The inode of a directory that is gone may be given to another.
        return is_of_name and None in (topic_id, known_id)


def _name_of(partition: "Partition") -> _Name:
    return partition.topic, partition.partition


def _age(partition: "Partition") -> tuple[int, str]:
    """Sort key: when its last log file was written to, which was before another log of the name was made."""
    path = partition.location.absolute
    with suppress(KafkafmtError):
        path = partition.segments[-1].location.absolute if partition.segments else path
    status = status_of(path)
    return 0 if status is None else status[3], path


def _topic_id(partition: "Partition") -> str | None:
    with suppress(KafkafmtError):
        return partition.topic_id
    return None


def _is_cut(partition: "Partition") -> bool:
    return len(partition.name) >= _LONGEST_NAME
