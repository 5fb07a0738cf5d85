"""GrowingLogs: the partitions of a stream at each trigger. The cost of a trigger depends on what has changed.

On local disks, a look costs two `stat` calls per partition, as for `kafkafmt serve --follow`. Only directories that
have changed are listed again, and only the headers of new batches are read. Remote storage is listed at each look, but
a log is only read if its last segment has changed.
"""

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io.local import LocalLocation
from kafkafmt.io.source import locate
from kafkafmt.logdir.checkpoints import HIGH_WATERMARK_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT, Checkpoints
from kafkafmt.logdir.growth import TreeWatch, Watch, status_of
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.sources import Sources
from kafkafmt.logdir.tiered_partition import TieredPartition
from kafkafmt.reference.layout import HEADER_SIZE_UP_TO_MAGIC
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.serving.api import ServeOptions
from kafkafmt.serving.followed_partition import FollowedPartition
from kafkafmt.serving.kept_batches import KeptBatches
from kafkafmt.serving.served_log import ServedLog
from pyspark_kafkafmt.paths import expand
from pyspark_kafkafmt.planning import RecentTexts, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.segment import Segment
    from pyspark_kafkafmt.option_errors import TopicPartition
    from pyspark_kafkafmt.options import SourceOptions

# A partition that moves between log directories, or is renamed, may be missing from one look.
_LOOKS: Final = 3
_BETWEEN_LOOKS: Final = 0.25
# Seconds without a change after which an incomplete batch is reported: brokers write a batch at once.
_OLD_TAIL: Final = 10


class GrowingLogs:
    """The partitions that a stream reads, each from its best copy, as they grow.

    Args:
        options: which paths and partitions to read.

    Attributes:
        logs: logs by topic and number, as of the last look.
        ids: topic ids from partition.metadata, for the partitions that have one.
    """

    def __init__(self, options: "SourceOptions") -> None:
        self.logs: dict[TopicPartition, ServedLog] = {}
        self.ids: dict[TopicPartition, str] = {}
        self._options = options
        self._followed: dict[TopicPartition, FollowedPartition] = {}
        self._tree: TreeWatch | None = None
        self._is_listed = False
        self._copied: set[TopicPartition] = set()
        # Directories to look at again: they could not be listed, or were gone and may come back.
        self._pending: set[str] = set()
        self._checkpoints: dict[str, Checkpoints] = {}
        self._checkpoint_files: dict[str, list[Watch]] = {}
        # Log directories that have checkpoints, as those that a broker uses do.
        self._used: set[str] = set()
        self._ahead = KeptBatches()
        self._said = RecentTexts()
        self._tails = RecentTexts()

    def look(self, holds: "Callable[[Mapping[TopicPartition, ServedLog]], bool]" = lambda _: True) -> None:
        """Bring `logs` up to date.

        Args:
            holds: whether everything expected is there; if not, the look is repeated a few times.

        Raises:
            SourceError: a path matches nothing, or cannot be read.
        """
        for attempt in range(_LOOKS):
            if attempt:
                time.sleep(_BETWEEN_LOOKS)
            if self._tree is None:
                self._search()
            else:
                self._find_new({*self._tree.appeared(), *filter(os.path.isdir, self._pending)})
            if not self._look_at_all() and holds(self.logs):
                return

    def _look_at_all(self) -> bool:
        """Look at each partition; returns whether one of them is gone.

        Raises:
            SourceError: a log directory and its partitions are gone, as when its disk is not mounted.
        """
        looks = {above: [each.has_changed() for each in files] for above, files in self._checkpoint_files.items()}
        self._used |= {above for above, files in self._checkpoint_files.items() if any(each.status for each in files)}
        gone: list[TopicPartition] = []
        for key, followed in self._followed.items():
            log = self.logs[key]
            changed = followed.look(log, checks=any(looks[_above(log.partition)]))
            if changed is not None:
                self.logs[key] = changed
                if changed.is_listed_anew:
                    self._read_id(key)
            if followed.is_gone:
                gone.append(key)
        for above in {_above(self.logs[key].partition) for key in gone}:
            place = locate(above)
            if not place.is_directory() or (above in self._used and not place.list()):
                raise SourceError("the log directory is gone or empty: is its disk mounted?", file=above)
        for key in gone:
            self._pending.add(_path(self.logs[key].partition))
            del self.logs[key], self._followed[key]
            self.ids.pop(key, None)
        if self._copied.intersection(gone):
            self._tree = None  # forces a new search, as another copy may replace it
        return bool(gone)

    def _search(self) -> None:
        """List all sources."""
        paths = expand(self._options.paths)
        places = [locate(path) for path in paths]
        is_local = all(isinstance(place, LocalLocation) for place in places)
        if is_local:
            # Before the search: the next look finds changes after it.
            self._tree = TreeWatch((place.absolute for place in places if place.is_directory()), ())
        # Later on a directory may be unreadable for a while; in remote storage that would look like a deleted log.
        sources = Sources(
            paths, skip_unreadable=is_local and self._is_listed, decryption_keys=self._options.decryption_keys
        )
        chosen = {(log.topic, log.number): log for log in map(self._log_of, self._chosen(sources.found))}
        for fault in sources.unreadable:
            self._say(str(fault))
        if not (is_local and all(log.is_followed for log in chosen.values())):
            self._tree = None
            before, self.logs = self.logs, {}
            for key, log in chosen.items():
                self.logs[key] = _unless_same(log, before.get(key))
                if self.logs[key] is log:
                    self._read_id(key)
        else:
            self._follow(chosen)
        self._is_listed = True

    def _find_new(self, directories: set[str]) -> None:
        """List directories that have appeared."""
        self._pending.clear()
        if not directories:
            return
        sources = Sources(sorted(directories), skip_unreadable=True)
        found: list[Found] = []
        try:
            found = [one for one in sources.found if one.partition.state == "live"]
        except SourceError:  # usually because all were renamed or deleted meanwhile
            self._pending |= directories
        for fault in sources.unreadable:
            self._pending |= {each for each in directories if (fault.file or "").startswith(each)}
            if os.path.lexists(fault.file or ""):
                self._say(str(fault))
        self._follow({(log.topic, log.number): log for log in map(self._log_of, self._chosen(found))})

    def _follow(self, chosen: "Mapping[TopicPartition, ServedLog]") -> None:
        for key, log in chosen.items():
            known = self.logs.get(key)
            if known is not None:
                self._copied |= {key} if _path(known.partition) != _path(log.partition) else set()
                continue
            self.logs[key] = log
            self._followed[key] = FollowedPartition(log.partition, self._checkpoints_of(log.partition))
        self.logs = dict(sorted(self.logs.items()))

    def _chosen(self, found: "Iterable[Found]") -> "Iterable[Partition]":
        """The best copy of each partition that is read."""
        wanted = []
        for one in found:
            partition = one.partition
            if one.file is not None or partition.topic is None or partition.partition is None:
                self._say(f"{one.path}: left out, as only directories named as <topic>-<partition> are streamed")
            elif self._options.topics.takes(partition.topic, partition.partition):
                wanted.append(one)
        selector = TaskSelector(Selection(), "best", lambda fault: self._say(str(fault)), lambda _: None)
        best, others = selector.replicas(wanted)
        self._copied |= {(each.topic, each.partition) for each in others if each.topic and each.partition is not None}
        return [one.partition for one in best]

    def _log_of(self, partition: Partition) -> ServedLog:
        if isinstance(partition.location, LocalLocation) and not isinstance(partition, TieredPartition):
            # A fresh object, as segments may change; detached, as it would keep the listing of the whole tree in
            # memory.
            checkpoints = self._checkpoints_of(partition)
            partition = Partition(
                locate(str(partition.location)).anchored(), prefix=partition.prefix, checkpoints=checkpoints
            )
            return ServedLog(partition, ServeOptions(), self._say, self._ahead, ())
        return ServedLog(partition, ServeOptions(), self._say, self._ahead)

    def _checkpoints_of(self, partition: Partition) -> Checkpoints:
        above = _above(partition)
        if above not in self._checkpoints:
            directory = locate(above)
            names = (LOG_START_OFFSET_CHECKPOINT, HIGH_WATERMARK_CHECKPOINT)
            self._checkpoints[above] = Checkpoints(directory)
            self._checkpoint_files[above] = [Watch(directory.child(name).absolute) for name in names]
        return self._checkpoints[above]

    def _read_id(self, key: "TopicPartition") -> None:
        topic_id = None
        with suppress(KafkafmtError):  # even if it is damaged, the log can be read
            topic_id = self.logs[key].partition.topic_id
        if topic_id is None:
            self.ids.pop(key, None)
        else:
            self.ids[key] = topic_id

    def warn_of_tails(self) -> None:
        """Warn about bytes after the last whole batch of a log that nobody has written to for a while, once for each.

        A running broker completes such a batch at once. A broker that starts truncates it, if its CRC is wrong.
        """
        for log in self.logs.values():
            tail = log.segments[-1].size - log.sound_size if log.is_followed and log.segments else 0
            place = f"{log.segments[-1].path}: position {log.sound_size}" if tail else ""
            if not tail or _age(log.segments[-1]) < _OLD_TAIL or not self._tails.is_new(place):
                continue
            with suppress(SourceError), log.segments[-1].open() as file:
                if any(file.read_at(log.sound_size, min(tail, HEADER_SIZE_UP_TO_MAGIC))):  # not preallocated
                    warn(
                        f"{place}: {tail} bytes at the end of the log are not a whole batch with a right CRC, and are "
                        "not read: a broker that was killed leaves them, and cuts them off when it starts"
                    )

    def _say(self, text: str) -> None:
        if self._said.is_new(text):
            warn(text)


def _age(segment: "Segment") -> float:
    """Seconds since the last change of a file."""
    status = status_of(segment.location.absolute)
    return 0 if status is None else time.time() - status[3] / 10**9


def _unless_same(log: ServedLog, before: ServedLog | None) -> ServedLog:
    """The earlier object of a log if its segments have not changed, with all that it knows; else the new one."""
    if before is None or _contents(log) != _contents(before):
        return log
    return before


def _contents(log: ServedLog) -> tuple[object, ...]:
    return (_path(log.partition), log.start, *((each.path, each.size) for each in log.segments[-1:]))


def _path(partition: Partition) -> str:
    return partition.location.absolute


def _above(partition: Partition) -> str:
    return str(partition.location.parent)
