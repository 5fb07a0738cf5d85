"""Disks: what the same disks tell about the topics that groups read: where logs end, names of topic ids, partitions."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir import replicas, sources
from kafkafmt.topics.cluster_metadata import metadata_of

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Searchable
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

Report = Callable[[KafkafmtError], None]


@dataclass(frozen=True)
class LogEnd:
    """Where the log of a partition ends.

    Attributes:
        offset: that the next record would get.
        topic_id: of the topic it belongs to, 22 characters; None where that is not stored (before Kafka 2.8).
    """

    offset: int
    topic_id: str | None


class Disks:
    """Partition directories with a topic in their name.

    Args:
        source: as for `kafkafmt.scan`.
        filesystem: likewise.
        at_time: ms since the epoch: logs end before the first record with a later timestamp; None for where they end.
        report: called with what is wrong with a log or a file beside it; what it would have told is unknown then.
        limits: bounds of memory of the cluster's metadata; `kafkafmt.Limits()` if None.
    """

    def __init__(
        self,
        source: "Searchable",
        filesystem: "FileSystem | None",
        at_time: int | None,
        report: Report,
        limits: "Limits | None" = None,
    ) -> None:
        self._sources = source if isinstance(source, sources.Sources) else sources.Sources(source, filesystem)
        self._at_time = at_time
        self._report = report
        self._limits = limits
        self._ends: dict[tuple[str, int], LogEnd | None] = {}

    def log_end(self, topic: str, partition: int) -> LogEnd | None:
        """Tell where the best replica of a partition ends; None where no disk has one."""
        if (topic, partition) not in self._ends:
            found = self._found.get((topic, partition), [])
            try:
                chosen, _ = replicas.best(found, self._report)
                self._ends[topic, partition] = self._end_of(chosen[0].partition) if chosen else None
            except KafkafmtError as error:
                self._report(error)
                self._ends[topic, partition] = None
        return self._ends[topic, partition]

    def partition_counts(self) -> dict[str, int]:
        """By topic the highest partition that any disk has, plus one: the topic has at least as many."""
        counts: dict[str, int] = defaultdict(int)
        for topic, partition in self._found:
            counts[topic] = max(counts[topic], partition + 1)
        return dict(counts)

    def directories(self, topic: str, partition: int) -> tuple[str, ...]:
        """Paths of all replicas of a partition."""
        return tuple(each.path for each in self._found.get((topic, partition), ()))

    @cached_property
    def metadata(self) -> "ClusterMetadata | None":
        """The cluster's metadata, if any of it is among the sources and can be read."""
        try:
            return metadata_of(self._sources, None, self._limits)
        except KafkafmtError as error:
            self._report(error)
            return None

    def names_by_id(self, *, of_each_topic: int | None = None) -> dict[str, str]:
        """Read names of topic ids from partition.metadata files.

        Args:
            of_each_topic: of how many of its partitions; None for all, as replicas may be left of an earlier topic.
        """
        names = {}
        read: dict[str, int] = defaultdict(int)
        for (topic, _), found in self._found.items():
            for each in found:
                if of_each_topic is None or read[topic] < of_each_topic:
                    read[topic] += 1
                    topic_id = self._topic_id(each.partition)
                    if topic_id is not None:
                        names[topic_id] = topic
        return names

    @cached_property
    def _found(self) -> "dict[tuple[str, int], list[Found]]":
        by_name: dict[tuple[str, int], list[Found]] = defaultdict(list)
        for each in self._sources.found:
            partition = each.partition
            if each.file is None and partition.topic is not None and partition.partition is not None:
                by_name[partition.topic, partition.partition].append(each)
        return dict(sorted(by_name.items()))

    def _end_of(self, partition: "Partition") -> LogEnd | None:
        try:
            offset = partition.log_end_offset
        except SourceError as error:
            offset = partition.segments[-1].next_offset()  # if that can be read, the log-start-offset-checkpoint cannot
            self._report(error)
        if offset is None:
            return None
        if self._at_time is not None:
            later = partition.find_timestamp(self._at_time + 1)
            offset = offset if later is None else later.offset
        return LogEnd(offset, self._topic_id(partition))

    def _topic_id(self, partition: "Partition") -> str | None:
        try:
            return partition.topic_id
        except KafkafmtError as error:
            self._report(error)
            return None
