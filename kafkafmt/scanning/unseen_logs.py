"""UnseenLogs: logs that were deleted before they were followed, while the broker still has their directories.

`-delete` and `-stray` directories that are new since the last search are read, as a partition may be created and
deleted between two polls. The broker keeps a `-delete` directory for a minute (see `kafkafmt.scanning.left_log`), and a
`-stray` one, of a log deleted while the broker was down, forever. A followed log leaves such a directory, too, and so
does a move to another log directory; topic ids distinguish them. Brokers before Kafka 2.8 do not write topic ids, so
their logs are only noted.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from kafkafmt.errors import KafkafmtError
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.growth import Inode, directory_inode, status_of
from kafkafmt.scanning.arguments import HIGH_WATERMARK

if TYPE_CHECKING:
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning.followed_log import FollowedLog
    from kafkafmt.scanning.selection import Selection

_Name: TypeAlias = tuple[str | None, int | None]
_Log: TypeAlias = tuple[int | None, str]
"""Number of a partition, and its topic id."""

# Limit of logs that are gone but whose other copies may be set aside later.
_MOST_PAST: Final = 10_000
_ASIDE: Final = ("delete", "stray")
# Kafka cuts the topic if the name of a directory to set aside would be too long.
_LONGEST_NAME: Final = 255


class UnseenLogs:
    """Finds, after each search, directories set aside since the previous one with logs that were never seen.

    Directories that exist when a log directory is first found are of logs deleted before it was followed. Its memory is
    bounded by the number of directories that existed, and by `_MOST_PAST`.

    Args:
        selection: the wanted records.
    """

    def __init__(self, selection: "Selection") -> None:
        self._selection = selection
        self._aside: dict[str, set[str]] = {}
        self._followed: set[_Log] = set()
        self._past: dict[_Log, None] = {}
        self._inodes: dict[Inode, tuple[_Name, _Log | None]] = {}
        self._seen: dict[Inode, tuple[_Name, _Log | None]] = {}

    def find(
        self, log_dirs: "Sequence[LogDir]", found: Sequence[Found], followed: "Collection[FollowedLog]"
    ) -> list[list[Found]]:
        """Return the selected logs in the order of their deletion, each with all copies.

        Args:
            log_dirs: all log directories, as listed by this search.
            found: the live partitions there.
            followed: the logs followed since the previous search.
        """
        self._remember(followed)
        new: list[Partition] = []
        for log_dir in log_dirs:
            aside = {each.location.absolute: each for each in log_dir.other_partitions if each.state in _ASIDE}
            # The log directory may have been missing for a while.
            before = self._aside.get(log_dir.location.absolute, aside)
            new += [each for path, each in aside.items() if path not in before and self._is_wanted(each)]
            self._aside[log_dir.location.absolute] = set(aside)
        names = set(map(_name_of, new))
        alive = {_log_of(one.partition) for one in found if one.file is None and _name_of(one.partition) in names}
        followed_names = {_name_of(log.found.partition) for log in followed}
        logs: dict[_Log | str, list[Found]] = {}
        for each in sorted(new, key=_age):
            log = _log_of(each)
            # A live directory may hold the same log, as after a move.
            if (log is None or log not in alive) and not self._was_seen(each, log, followed_names):
                logs.setdefault(log or each.path, []).append(Found(each))
        self._past |= {log: None for log in logs if not isinstance(log, str)}
        return list(logs.values())

    def why_unread(self, partition: "Partition") -> str:
        """Why the records of such a directory are not read; empty if they are, or if the directory is gone."""
        if _is_cut(partition):
            return "the directory's name may have only part of the topic's name"
        if self._selection.end_offset == HIGH_WATERMARK:
            return "its high watermark is no longer known"
        if _log_of(partition) is None and partition.location.is_directory():
            return "without a topic id it may be a copy of a log that is followed"
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
        logs = [(inode, (name, None if topic_id is None else (name[1], topic_id))) for name, (inode, topic_id) in known]
        now = {log for _, (_, log) in logs if log is not None}
        self._past |= dict.fromkeys(self._followed - now)
        self._followed = now
        while len(self._past) > _MOST_PAST:
            del self._past[next(iter(self._past))]
        # A search that overlaps a rename may find neither name: the log is dropped, and set aside at the next search.
        inodes = {inode: of_log for inode, of_log in logs if inode is not None}
        self._seen, self._inodes = self._inodes | inodes, inodes

    def _was_seen(self, partition: "Partition", log: _Log | None, followed: "Collection[_Name]") -> bool:
        """Whether a directory set aside was followed, or is another copy of a followed one."""
        if log is not None and (log in self._followed or log in self._past):
            return True
        inode = directory_inode(partition.location.absolute)
        if inode is None:  # the directory is already gone
            return log is None and _name_of(partition) in followed
        (topic, number), known = self._seen.get(inode, ((None, None), None))
        is_of_name = number == partition.partition and (topic or "").startswith(partition.topic or "")
        # The inode of a deleted directory may be reused for another.
        return is_of_name and None in (log, known)


def _name_of(partition: "Partition") -> _Name:
    return partition.topic, partition.partition


def _age(partition: "Partition") -> tuple[int, str]:
    """Sort key: when its last log file was written; of one name, a log is created after the earlier one has ended."""
    path = partition.location.absolute
    with suppress(KafkafmtError):
        path = partition.segments[-1].location.absolute if partition.segments else path
    status = status_of(path)
    return 0 if status is None else status[3], path


def _log_of(partition: "Partition") -> _Log | None:
    """The log in the directory, if its topic id can be read."""
    with suppress(KafkafmtError):
        topic_id = partition.topic_id
        return None if topic_id is None else (partition.partition, topic_id)
    return None


def _is_cut(partition: "Partition") -> bool:
    """Whether its name may have only part of the topic; a name of full length may also be whole."""
    return len(partition.name) >= _LONGEST_NAME
