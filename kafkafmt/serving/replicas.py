"""The served replicas: the best one of each partition, as a scan chooses it, without strays."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from kafkafmt.logdir import replicas
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.phrases import counted, counted_are, listed

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.replicas import Divergence
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.strays import Placement

_MOST_NAMED = 5


def best_replicas(partitions: "Iterable[Partition]", report: Callable[[str], None]) -> "list[Partition]":
    """The best replica of each partition.

    Args:
        partitions: partition directories.
        report: takes a line that names replicas whose records differ from the best one's.

    Raises:
        SourceError: a file that decides between replicas cannot be read.
    """
    diverged: list[Divergence] = []
    best, _ = replicas.best(list(map(Found, partitions)), lambda _: None, diverged.append)
    if diverged:
        named = listed([f"{each.other.path} {each}" for each in diverged], _MOST_NAMED, "; ")
        report(f"the disks disagree: {counted_are(len(diverged), 'replica')} not served: {named}")
    return [each.partition for each in best]


def strays(
    partitions: "Iterable[Partition]", cluster: "ClusterMetadata | None", report: Callable[[str], None]
) -> "list[Partition]":
    """The live directories that Kafka sets aside as -stray when it starts.

    Args:
        partitions: partition directories.
        cluster: content of the metadata log; None without one. Damaged metadata may lack topics, so then no directory
            is a stray.
        report: takes a line that names the strays.
    """
    found = [(partition, known.remark) for partition, known in _placed(partitions, cluster) if known.is_stray]
    if found:
        named = listed([f"{partition.path} {remark}" for partition, remark in found], _MOST_NAMED, "; ")
        report(
            f"not served: {counted(len(found), 'directory', 'directories')} that Kafka sets aside as -stray: {named}"
        )
    return [partition for partition, _ in found]


def unknown(partitions: "Iterable[Partition]", cluster: "ClusterMetadata | None") -> "list[Partition]":
    """The directories whose partition is not in the cluster: with metadata as of a time, they were created later.

    Args:
        partitions: partition directories.
        cluster: content of the metadata log, as for `strays`.
    """
    return [partition for partition, known in _placed(partitions, cluster) if known.belongs is False]


def _placed(
    partitions: "Iterable[Partition]", cluster: "ClusterMetadata | None"
) -> "Iterator[tuple[Partition, Placement]]":
    if cluster is None or any(not each.is_open_end for each in cluster.damage):
        return
    from kafkafmt.topics.cluster_metadata.strays import placements  # noqa: PLC0415 - topics are loaded when asked

    local = (each for each in partitions if not isinstance(each.location, TierPartition))
    for partition, _, placement in placements(local, {cluster.cluster_id: cluster}):
        yield partition, placement
