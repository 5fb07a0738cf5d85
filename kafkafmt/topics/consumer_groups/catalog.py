"""Topic catalog: log ends, ids, names and partition counts of the topics on the same disks.

From the number of partitions of `__consumer_offsets` it also derives the home of a group.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.codec.java_text import string_hash
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.libraries import pa
from kafkafmt.logdir import replicas, sources
from kafkafmt.logdir.lost_end import LOST, LOST_OR_NEWER, LostEnd, lost_end
from kafkafmt.phrases import listed
from kafkafmt.topics.cluster_metadata import metadata_of
from kafkafmt.topics.consumer_groups.group_records import CoordinatorPartition

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

Report = Callable[[KafkafmtError], None]


@dataclass(frozen=True)
class LogEnd:
    """The end of a partition's log.

    Attributes:
        offset: offset of the next record.
        topic_id: topic id, 22 characters; None if it is not stored (before Kafka 2.8).
        lost: the checkpoint beyond the log end; None if there is none, or if the log end is of an earlier moment.
    """

    offset: int
    topic_id: str | None
    lost: LostEnd | None = None


@dataclass(slots=True)
class ShortLogs:
    """Collects logs that end before an offset known from a checkpoint or a group, which makes their lags wrong."""

    _ends: dict[str, LogEnd] = field(default_factory=dict)
    _beyond: list[str] = field(default_factory=list)

    def see(self, group_id: str, offset: int, name: str, end: LogEnd) -> None:
        """Compare a committed offset with the log end.

        Args:
            group_id: id of the group.
            offset: the committed offset.
            name: name of the partition, with its topic.
            end: end of its log.
        """
        if end.lost is not None:
            self._ends.setdefault(name, end)
        if offset > end.offset:
            self._beyond.append(f"{group_id} on {name} ({offset}, the log ends at {end.offset})")

    def notes(self) -> Iterator[Note]:
        """Yield a note for each kind of such logs; a finding where the end of a log is certainly missing."""
        for is_certain, meaning in (
            (True, f"lags are too small: {LOST}"),
            (False, f"lags may be too small: {LOST_OR_NEWER}"),
        ):
            lost = [
                f"{name} ends at {end.lost.log_end}, its {end.lost.what} is {end.lost.offset}"
                for name, end in self._ends.items()
                if end.lost is not None and end.lost.is_certain is is_certain
            ]
            if lost:
                yield Note(f"{meaning} ({listed(lost, separator='; ')})", is_finding=is_certain)
        if self._beyond:
            text = "committed beyond the log end, so auto.offset.reset decides where the group continues"
            yield Note(f"{text}: {listed(self._beyond)}", is_finding=False)


class TopicCatalog:
    """The partition directories whose names have a topic, and the cluster's metadata.

    Args:
        source: as for `kafkafmt.scan`.
        filesystem: as for `kafkafmt.scan`.
        at_time: log ends are taken before the first record with a later timestamp (ms since the epoch); None for the
            present.
        report: called with the fault of a log or another file, whose facts are then unknown.
        limits: memory bounds for the cluster's metadata; `kafkafmt.Limits()` if None.
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
        """Lower bound of the partition count of each topic: the highest partition on any disk, plus one."""
        counts: dict[str, int] = defaultdict(int)
        for topic, partition in self._found:
            counts[topic] = max(counts[topic], partition + 1)
        return dict(counts)

    def directories(self, topic: str, partition: int) -> tuple[str, ...]:
        """Paths of all replicas of a partition."""
        return tuple(each.path for each in self._found.get((topic, partition), ()))

    @cached_property
    def metadata(self) -> "ClusterMetadata | None":
        """The cluster's metadata, if the sources have it and it can be read."""
        try:
            found = metadata_of(self._sources, None, self._limits)
        except KafkafmtError as error:
            self._report(error)
            return None
        for damage in () if found is None else found.damage:
            if not damage.is_open_end:
                self._report(damage.error)
        return found

    def names_by_id(self, *, of_each_topic: int | None = None) -> dict[str, str]:
        """Topic names by id, from partition.metadata files.

        Args:
            of_each_topic: number of partitions to read of each topic; None for all, since replicas of an earlier topic
                of that name may remain.
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
            offset = partition.next_offset()  # fails too unless only log-start-offset-checkpoint is bad
            self._report(error)
        if offset is None:
            return None
        if self._at_time is not None:
            later = partition.first_at(self._at_time + 1)
            return LogEnd(offset if later is None else later.offset, self._topic_id(partition))
        return LogEnd(offset, self._topic_id(partition), self._lost_end(partition, offset))

    def _lost_end(self, partition: "Partition", offset: int) -> LostEnd | None:
        try:
            return lost_end(partition, offset)
        except KafkafmtError as error:
            self._report(error)
            return None

    def _topic_id(self, partition: "Partition") -> str | None:
        try:
            return partition.topic_id
        except KafkafmtError as error:
            self._report(error)
            return None


class TopicNames:
    """Topic names by id; a costlier source is read only if cheaper ones lack an id.

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


# Java's int has 32 bits and a sign.
_WRAP = 1 << 32
_SIGN = 1 << 31


def java_hash(text: str) -> int:
    """Hash a text as Java's `String.hashCode` does: a signed 32-bit number."""
    value = string_hash(text)
    return value - _WRAP if value & _SIGN else value


def home_partition(group: str, partitions: int) -> int:
    """The partition of `__consumer_offsets` with the offsets, members and state of a group.

    Kafka's `GroupCoordinatorService.partitionFor`: the absolute value of Java's hash of the group id, modulo the number
    of partitions.

        >>> home_partition("payments", 50)
        13

    Args:
        group: id of the group.
        partitions: number of partitions of `__consumer_offsets`; brokers create `offsets.topic.num.partitions` (50).

    Raises:
        ValueError: the number of partitions is not positive.
    """
    if partitions < 1:
        raise ValueError(f"partitions must be at least 1, not {partitions}")
    value = java_hash(group)
    # Java's Math.abs of the smallest int is negative; Kafka's `Utils.abs` gives 0 for it.
    return 0 if value == -_SIGN else abs(value) % partitions


@dataclass(frozen=True)
class PartitionCount:
    """The number of partitions of `__consumer_offsets`.

    Attributes:
        count: the number.
        is_certain: whether it is known; else there may be more.
        told_by: source of the number, in a few words.
    """

    count: int
    is_certain: bool
    told_by: str


@dataclass(frozen=True)
class Home:
    """The partition of `__consumer_offsets` that holds a group.

    Attributes:
        group_id: id of the group.
        partition: number of the partition. The broker that leads it is the group's coordinator.
        partitions: number of partitions of `__consumer_offsets`, from which the partition follows.
        is_certain: whether that number is known; else there may be more, and the partition may be another one.
        told_by: how the number was found.
        paths: directories of the partition on these disks.
    """

    group_id: Annotated[str, Named("group", "string")]
    partition: Annotated[int, "int32"]
    partitions: Annotated[int, "int64"]
    is_certain: Annotated[bool, "bool"]
    told_by: Annotated[str, "string"]
    paths: Annotated[tuple[str, ...], "list<string>"]


def _topic(_: Home) -> str:
    """`__consumer_offsets`."""
    return CONSUMER_OFFSETS


_HOMES = TableColumns(
    *columns_of(Home, to="group_id"), ("topic", "string", _topic), *columns_of(Home, after="group_id")
)
HOMES = _HOMES.schema
"""Columns of `homes_table`."""


def homes_table(homes: Iterable[Home]) -> "pa.Table":
    """Make a table with one row per located group."""
    return _HOMES.to_table(homes)


def locate_groups(
    group_ids: Iterable[str],
    source: "Searchable | None" = None,
    *,
    partitions: int | None = None,
    filesystem: "FileSystem | None" = None,
) -> tuple[Home, ...]:
    """Find the partitions of `__consumer_offsets` that hold the given groups, which need not exist.

        >>> [home] = locate_groups(["payments"], partitions=50)
        >>> home.partition
        13

    Args:
        group_ids: ids of the groups.
        source: as for `kafkafmt.scan`. The number of partitions comes from the cluster's metadata on these disks, else
            from the highest partition there.
        partitions: number of partitions of `__consumer_offsets`, if known.
        filesystem: as for `kafkafmt.scan`.

    Raises:
        SourceError: a source is missing or unreadable, or has neither metadata nor a partition of `__consumer_offsets`.
        ValueError: neither a source nor a number is given, or the number is not positive.
    """
    catalog = None if source is None else TopicCatalog(source, filesystem, None, _ignore)
    if partitions is not None:
        count = PartitionCount(partitions, is_certain=True, told_by="as given")
    elif catalog is not None:
        count = coordinator_partitions(catalog)
    else:
        raise ValueError("either a source or a number of partitions is needed")
    homes = {group_id: home_partition(group_id, count.count) for group_id in group_ids}
    return tuple(
        Home(
            group_id,
            home,
            count.count,
            count.is_certain,
            count.told_by,
            () if catalog is None else catalog.directories(CONSUMER_OFFSETS, home),
        )
        for group_id, home in homes.items()
    )


def coordinator_partitions(catalog: TopicCatalog) -> PartitionCount:
    """Number of partitions of `__consumer_offsets`, from the cluster's metadata, else from the highest one on disk.

    Raises:
        SourceError: the disks have neither.
    """
    metadata = catalog.metadata
    if metadata is not None and CONSUMER_OFFSETS in metadata.topics:
        count = len(metadata.topics[CONSUMER_OFFSETS].partitions)
        return PartitionCount(count, is_certain=True, told_by="by the cluster's metadata on these disks")
    seen = catalog.partition_counts().get(CONSUMER_OFFSETS)
    if seen is None:
        raise SourceError(
            f"the number of partitions of {CONSUMER_OFFSETS} is unknown: there is neither the cluster's metadata nor a "
            "partition of it"
        )
    highest = f"{CONSUMER_OFFSETS}-{seen - 1}"
    return PartitionCount(seen, is_certain=False, told_by=f"{highest} is the highest one on these disks")


def _ignore(error: KafkafmtError) -> None:
    """Ignore metadata that cannot be read, as `told_by` names the source of the number."""
