"""The replicas that are served: the best one of each partition, as a scan chooses it; strays are left out."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from kafkafmt.files.damage import listed
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir import replicas
from kafkafmt.logdir.sources import Found
from kafkafmt.logdir.tier import TierPartition

if TYPE_CHECKING:
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.replicas import Divergence
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata

_MOST_NAMED = 5


def served_replicas(
    partitions: "Iterable[Partition]", cluster: "ClusterMetadata | None", report: Callable[[str], None]
) -> "list[Partition]":
    """Choose the replicas.

    Args:
        partitions: all live partition directories that may be served.
        cluster: what the metadata log says, which strays are judged by; None without one.
        report: takes a line that names the strays, and one that names replicas that disagree with the served ones.

    Raises:
        SourceError: a file that decides between replicas cannot be read.
    """
    found = [each for each in partitions if each.topic not in (None, CLUSTER_METADATA) and each.partition is not None]
    strays = dict(_strays(found, cluster))
    if strays:
        named = listed([f"{path} {remark}" for path, remark in strays.items()], _MOST_NAMED, "; ")
        report(f"not served: {_count(strays, 'directory', 'directories')} that Kafka sets aside as -stray: {named}")
    diverged: list[Divergence] = []
    mine = [Found(each) for each in found if each.path not in strays]
    best, _ = replicas.best(mine, lambda _: None, diverged.append)
    if diverged:
        named = listed([f"{each.other.path} {each}" for each in diverged], _MOST_NAMED, "; ")
        report(f"the disks disagree: {_count(diverged, 'replica is', 'replicas are')} not served: {named}")
    return [each.partition for each in best]


def _strays(found: "Iterable[Partition]", cluster: "ClusterMetadata | None") -> Iterator[tuple[str, str]]:
    """Path of each stray, and why it is one. Damaged metadata may lack topics, so nothing is judged by them."""
    if cluster is None or any(not each.is_open_end for each in cluster.damage):
        return
    from kafkafmt.topics.cluster_metadata.strays import placements  # noqa: PLC0415 - topics are loaded when asked

    local = (each for each in found if not isinstance(each.location, TierPartition))
    for partition, _, placement in placements(local, {cluster.cluster_id: cluster}):
        if placement.is_stray:
            yield partition.path, placement.remark or "is a stray"


def _count(things: "Iterable[object]", one: str, several: str) -> str:
    number = len(list(things))
    return f"{number:,} {one if number == 1 else several}"
