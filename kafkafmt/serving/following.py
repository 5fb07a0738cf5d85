"""Following: keeps served disks up to date while a broker, or an updated copy, writes them (`kafkafmt serve --follow`).

A thread looks at each partition's directory and active segment, at the directories above them, and at the checkpoints,
with one `stat` each. It reads no log: requests that wait for records are woken, and read the new ones.
"""

import threading
import time
from typing import TYPE_CHECKING, Final

from kafkafmt.disks import Disks
from kafkafmt.errors import KafkafmtError
from kafkafmt.io.source import locate
from kafkafmt.logdir.checkpoints import HIGH_WATERMARK_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT, Checkpoints
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.growth import GrowingLog, TreeWatch, Watch
from kafkafmt.serving.followed_partition import FollowedPartition

if TYPE_CHECKING:
    from kafkafmt.serving.arrivals import Arrivals, Place
    from kafkafmt.serving.served_disks import ServedDisks
    from kafkafmt.serving.served_log import ServedLog

INTERVAL: Final = 0.1
"""Seconds between two looks, unless a look takes long."""

# A look at a thousand partitions takes some milliseconds.
_PART_FOR_LOOKING: Final = 0.015
_LONGEST: Final = 2.0
_LONGEST_END: Final = 0.5


class DiskFollower:
    """Follows served disks in a thread of its own.

    Args:
        disks: the served disks.
        arrivals: wakes waiting requests.
    """

    def __init__(self, disks: "ServedDisks", arrivals: "Arrivals") -> None:
        self._disks, self._arrivals = disks, arrivals
        self._partitions: dict[str, FollowedPartition] = {}
        self._checkpoints: dict[str, Checkpoints] = {}
        self._checkpoint_files: dict[str, list[Watch]] = {}
        self._metadata = [GrowingLog(Found(each)) for each in disks.metadata_logs()]
        self._tree: TreeWatch | None = None
        self._ended = threading.Event()
        self._needs_search = True  # the disks were listed a while ago
        self._watch()
        self._thread = threading.Thread(target=self._run, name="kafkafmt-follow", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(_LONGEST_END)

    def _run(self) -> None:
        cost = 0.0
        while not self._ended.wait(max(INTERVAL, min(cost / _PART_FOR_LOOKING, _LONGEST))):
            begun = time.thread_time()
            try:
                self._look()
            except KafkafmtError as fault:  # a directory that cannot be listed at the moment
                self._needs_search = True
                self._disks.report(str(fault))
            cost = time.thread_time() - begun

    def _watch(self) -> None:
        """Follow the partitions that are served now."""
        logs = [log for of_topic in self._disks.logs.values() for log in of_topic.values()]
        known, self._partitions = self._partitions, {}
        for log in logs:
            place = log.partition.location
            above = str(place.parent)
            if above not in self._checkpoints:
                names = (LOG_START_OFFSET_CHECKPOINT, HIGH_WATERMARK_CHECKPOINT)
                self._checkpoints[above] = Checkpoints(locate(above))
                self._checkpoint_files[above] = [Watch(locate(above).child(name).absolute) for name in names]
            path = log.partition.path
            self._partitions[path] = known.get(path) or FollowedPartition(log.partition, self._checkpoints[above])

    def _look(self) -> None:
        """Look at everything once, and wake the requests that wait for a changed partition."""
        if self._needs_search or self._tree is None or self._tree.has_changed():
            self._search()
        for metadata_log in self._metadata:
            if metadata_log.has_changed():
                self._disks.outdate_metadata()
                metadata_log.segments()
        looks = {above: [each.has_changed() for each in watches] for above, watches in self._checkpoint_files.items()}
        self._disks.outdate_unserved()
        marked = {above for above, changes in looks.items() if any(changes)}
        changed: list[Place] = []
        for of_topic in list(self._disks.logs.values()):
            for log in list(of_topic.values()):
                found = self._look_at(log, marked)
                if found is not None:
                    changed.append((log.topic, log.number))
                    self._disks.replace(found)
        self._arrivals.announce(changed)

    def _look_at(self, log: "ServedLog", marked: set[str]) -> "ServedLog | None":
        partition = log.partition
        followed = self._partitions[partition.path]
        found = followed.look(log, checks=bool(marked) and str(partition.location.parent) in marked)
        self._needs_search |= followed.is_gone
        return found

    def _search(self) -> None:
        """Search the sources again, as topics and partitions come and go."""
        before = self._disks.opened
        places = [locate(str(place)) for place in before]
        # Made before the search, so that the next look finds changes made during the search.
        partitions = {one.location.absolute for one in before.found if one.file is None}
        self._tree = TreeWatch((place.absolute for place in places if place.is_directory()), partitions)
        self._needs_search = False
        opened = Disks(places, skip_unreadable=True)
        opened.found  # noqa: B018 - it is listed now
        changed = self._disks.search(opened)
        self._watch()
        self._arrivals.announce(changed)
