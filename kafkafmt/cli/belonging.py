"""Belonging: a note on partition directories that are delivered, and belong to no topic of their cluster any more."""

from typing import TYPE_CHECKING

from kafkafmt.cli.messages import say
from kafkafmt.internal_topics import CLUSTER_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.logdir.partition import Partition
    from kafkafmt.scanning import Scan

_MOST_NAMES = 3


def note_belonging(scan: "Scan", partitions: "Iterable[Partition]", skipped_replicas: "Iterable[Partition]") -> None:
    """Say which partition directories belong to no topic any more, where the metadata are small and in the source.

    Nobody asked for the metadata: what is wrong with them is for `kafkafmt metadata`, and for a scan of their log.

    Args:
        scan: where the metadata may be.
        partitions: those of which records were asked for.
        skipped_replicas: those of them that were not read.
    """
    if all(each.topic != CLUSTER_METADATA for each in scan.source_partitions):
        return
    left = {each.location.identity for each in skipped_replicas}
    delivered = [each for each in partitions if each.topic != CLUSTER_METADATA and each.location.identity not in left]
    if not delivered:
        return
    # Not before: most disks hold no metadata, and what reads them takes a while to load.
    from kafkafmt.topics.cluster_metadata.strays import placements, small_clusters

    clusters = small_clusters(scan, lambda _: None)
    foreign = [
        f"{each.path} {placement.remark}"
        for each, _, placement in placements(delivered, clusters)
        if placement.belongs is False
    ]
    if foreign:
        more = len(foreign) - _MOST_NAMES
        named = "; ".join(foreign[:_MOST_NAMES]) + (f"; and {more} more" if more > 0 else "")
        say(f"note: by the cluster's metadata, {named} (see kafkafmt ls)")
