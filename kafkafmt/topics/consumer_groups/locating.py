"""Locating: which partition of `__consumer_offsets` holds a group, and on which of these disks it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.topics.answers import TableColumns
from kafkafmt.topics.assignment.group import java_string_hash
from kafkafmt.topics.consumer_groups.catalog import TopicCatalog

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.logdir.sources import Searchable

_WRAP = 1 << 32
_SIGN = 1 << 31


def java_hash(text: str) -> int:
    """Hash a text as Java's `String.hashCode` does: a signed 32-bit number."""
    value = java_string_hash(text)
    return value - _WRAP if value & _SIGN else value


def home_partition(group: str, partitions: int) -> int:
    """The partition of `__consumer_offsets` with the offsets, members and state of a group.

    Kafka's `GroupCoordinatorService.partitionFor`: its absolute value of Java's hash of the group id, modulo the count.

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
    # Java's Math.abs of the smallest int is negative: Kafka uses 0 instead.
    return 0 if value == -_SIGN else abs(value) % partitions


@dataclass(frozen=True)
class PartitionCount:
    """The number of partitions of `__consumer_offsets`.

    Attributes:
        count: the number.
        is_certain: whether it is known; else there may be more.
        told_by: how it was found, in a few words.
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

    group_id: str
    partition: int
    partitions: int
    is_certain: bool
    told_by: str
    paths: tuple[str, ...]


_HOMES = TableColumns(
    ("group", pa.string(), "group_id"),
    ("topic", pa.string(), lambda _: CONSUMER_OFFSETS),
    ("partition", pa.int32(), "partition"),
    ("partitions", pa.int64(), "partitions"),
    ("isCertain", pa.bool_(), "is_certain"),
    ("toldBy", pa.string(), "told_by"),
    ("paths", pa.list_(pa.string()), "paths"),
)
HOMES = _HOMES.schema
"""Columns of `homes_table`."""


def homes_table(homes: Iterable[Home]) -> pa.Table:
    """A table with a row a group that was located."""
    return _HOMES.to_table(homes)


def locate_groups(
    group_ids: Iterable[str],
    source: "Searchable | None" = None,
    *,
    partitions: int | None = None,
    filesystem: "FileSystem | None" = None,
) -> tuple[Home, ...]:
    """Find the partitions of `__consumer_offsets` that hold groups; the groups need not exist.

        >>> [home] = locate_groups(["payments"], partitions=50)
        >>> home.partition
        13

    Args:
        group_ids: ids of the groups.
        source: as for `kafkafmt.scan`: the cluster's metadata on these disks has the number of partitions, else it is
            taken from the highest one there.
        partitions: number of partitions of `__consumer_offsets`, if known.
        filesystem: as for `kafkafmt.scan`.

    Raises:
        SourceError: a source is missing or unreadable, or has neither metadata nor a partition of `__consumer_offsets`.
        ValueError: neither source nor partitions, or the number of partitions is not positive.
    """
    catalog = None if source is None else TopicCatalog(source, filesystem, None, _pass_over)
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
    """Number of partitions of `__consumer_offsets`: from the cluster's metadata, else by the highest one on the disks.

    Raises:
        SourceError: neither is there.
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


def _pass_over(error: KafkafmtError) -> None:
    """Ignore metadata that cannot be read: `told_by` says how the number was found."""
