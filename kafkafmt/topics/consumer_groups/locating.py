"""Locating: in which partition of `__consumer_offsets` a group lives, and on which of these disks that is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.topics.consumer_groups.disks import Disks
from kafkafmt.topics.consumer_groups.home import home_partition

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.logdir.sources import Searchable


@dataclass(frozen=True)
class PartitionCount:
    """How many partitions `__consumer_offsets` has.

    Attributes:
        count: how many.
        is_certain: whether that is known; else there may be more.
        told_by: a few words on how it is known.
    """

    count: int
    is_certain: bool
    told_by: str


@dataclass(frozen=True)
class Home:
    """Where a group lives.

    Attributes:
        group_id: its name.
        partition: of `__consumer_offsets`. The broker that leads it is the group's coordinator.
        partitions: how many partitions `__consumer_offsets` has, by which that follows.
        is_certain: whether that number is known; else there may be more, and the partition another one.
        told_by: how it is known.
        paths: directories of that partition on these disks.
    """

    group_id: str
    partition: int
    partitions: int
    is_certain: bool
    told_by: str
    paths: tuple[str, ...]


def locate_groups(
    group_ids: Iterable[str],
    source: "Searchable | None" = None,
    *,
    partitions: int | None = None,
    filesystem: "FileSystem | None" = None,
) -> tuple[Home, ...]:
    """Tell in which partition of `__consumer_offsets` groups live; they need not exist.

        >>> [home] = locate_groups(["payments"], partitions=50)
        >>> home.partition
        13

    Args:
        group_ids: the groups.
        source: as for `kafkafmt.scan`: the cluster's metadata among these disks tell how many partitions there are,
            else the highest one that is there.
        partitions: how many there are, if that is known better.
        filesystem: as for `kafkafmt.scan`.

    Raises:
        SourceError: a source is missing or unreadable, or nothing there tells how many partitions there are.
        ValueError: neither source nor partitions, or no such number of partitions.
    """
    disks = None if source is None else Disks(source, filesystem, None, _pass_over)
    if partitions is not None:
        count = PartitionCount(partitions, is_certain=True, told_by="as given")
    elif disks is not None:
        count = coordinator_partitions(disks)
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
            () if disks is None else disks.directories(CONSUMER_OFFSETS, home),
        )
        for group_id, home in homes.items()
    )


def coordinator_partitions(disks: Disks) -> PartitionCount:
    """Tell how many partitions `__consumer_offsets` has: from the cluster's metadata, else by the highest one seen.

    Raises:
        SourceError: neither is there.
    """
    metadata = disks.metadata
    if metadata is not None and CONSUMER_OFFSETS in metadata.topics:
        count = len(metadata.topics[CONSUMER_OFFSETS].partitions)
        return PartitionCount(count, is_certain=True, told_by="by the cluster's metadata on these disks")
    seen = disks.partition_counts().get(CONSUMER_OFFSETS)
    if seen is None:
        raise SourceError(
            f"nothing there tells how many partitions {CONSUMER_OFFSETS} has: neither the cluster's metadata nor a "
            "partition of it"
        )
    highest = f"{CONSUMER_OFFSETS}-{seen - 1}"
    return PartitionCount(seen, is_certain=False, told_by=f"{highest} is the highest one on these disks")


def _pass_over(error: KafkafmtError) -> None:
    """Metadata that cannot be read tell nothing; the answer says by what it was found."""
