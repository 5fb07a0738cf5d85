"""Topic catalog: log ends, topic ids, names and numbers of partitions of the topics on the same disks."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.logdir import replicas, sources
from kafkafmt.topics.cluster_metadata import metadata_of
from kafkafmt.topics.consumer_groups.group_records import CoordinatorPartition

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Found, Searchable
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

Report = Callable[[KafkafmtError], None]


@dataclass(frozen=True)
class LogEnd:
    """The end of a partition's log.

    Attributes:
        offset: offset of the next record.
        topic_id: topic id, 22 characters; None if it is not stored (before Kafka 2.8).
    """

    offset: int
    topic_id: str | None


class TopicCatalog:
    """The partition directories whose names have a topic, and the cluster's metadata.

    Args:
        source: as for `kafkafmt.scan`.
        filesystem: likewise.
        at_time: log ends are before the first record with a later timestamp (ms since the epoch); None for the present.
        report: called with what is wrong with a log or another file, whose facts are unknown then.
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
        """The log end of the best replica of a partition; None if no disk has one."""
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
        """Least number of partitions by topic: the highest partition on any disk, plus one."""
        counts: dict[str, int] = defaultdict(int)
        for topic, partition in self._found:
            counts[topic] = max(counts[topic], partition + 1)
        return dict(counts)

    def directories(self, topic: str, partition: int) -> tuple[str, ...]:
        """Paths of all replicas of a partition."""
        return tuple(each.path for each in self._found.get((topic, partition), ()))

    @cached_property
    def metadata(self) -> "ClusterMetadata | None":
        """The cluster's metadata, if the sources have them and they can be read."""
        try:
            return metadata_of(self._sources, None, self._limits)
        except KafkafmtError as error:
            self._report(error)
            return None

    def names_by_id(self, *, of_each_topic: int | None = None) -> dict[str, str]:
        """Names of topics by id, from partition.metadata files.

        Args:
            of_each_topic: number of partitions that are read of each topic; None for all, since replicas of an earlier
                topic of that name may remain.
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
            offset = partition.segments[-1].next_offset()  # fails too unless only log-start-offset-checkpoint is bad
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


class TopicNames:
    """Names of topics by id; a costlier source is read only if the cheaper ones do not have an id.

    Args:
        decoded: partitions of `__consumer_offsets`, whose records have some names.
        catalog: partition.metadata files, and the cluster's metadata.
    """

    def __init__(self, decoded: Iterable[CoordinatorPartition], catalog: TopicCatalog) -> None:
        self._names: dict[str, str] = {}
        self._unread: list[Callable[[], dict[str, str]]] = [
            lambda: {topic_id: name for partition in decoded for topic_id, name in _names_in(partition)},
            lambda: catalog.names_by_id(of_each_topic=1),
            lambda: (
                {} if catalog.metadata is None else {each.id: each.name for each in catalog.metadata.topics.values()}
            ),
            catalog.names_by_id,
        ]

    def name(self, topic_id: str) -> str | None:
        """The name of a topic, or None."""
        while topic_id not in self._names and self._unread:
            self._names |= self._unread.pop(0)()
        return self._names.get(topic_id)


def _names_in(partition: CoordinatorPartition) -> Iterator[tuple[str, str]]:
    yield from partition.topic_names.items()
    for records in partition.groups.values():
        for kind in ("ConsumerGroupPartitionMetadata", "ShareGroupStatePartitionMetadata"):
            for topics in (records.one(kind) or {}).values():
                yield from ((topic["topicId"], topic["topicName"]) for topic in topics)
