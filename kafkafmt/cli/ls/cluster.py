"""Cluster metadata, where they are among what is listed, or were named: they tell what belongs where."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kafkafmt.cli.messages import damage_line, say
from kafkafmt.errors import KafkafmtError, SourceError

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.copies import Copy


def clusters_of(paths: Sequence[str], named: Sequence[str]) -> "Mapping[str | None, ClusterMetadata]":
    """The metadata of the clusters that are listed, by cluster id; those that are at hand.

    Args:
        paths: what is listed: a large metadata log there is not read, for nobody asked for it.
        named: where the metadata are, as the user says; empty for nothing said.

    Raises:
        KafkafmtError: what was named cannot be read.
    """
    if named:
        from kafkafmt.topics.cluster_metadata import metadata

        cluster = metadata(named, on_damage="skip")
        for damage in cluster.damage:
            say(damage_line(damage))
        return {cluster.cluster_id: cluster}
    found = [copy for path in paths for copy in _copies(path)]
    if not found:
        return {}
    # Not before: most disks hold no metadata, and what reads them takes a while to load.
    from kafkafmt.topics.cluster_metadata.belonging import AT_HAND_BYTES
    from kafkafmt.topics.cluster_metadata.door import metadata_at_hand

    return metadata_at_hand(found, max_bytes=AT_HAND_BYTES, unreadable=_not_told)


def _copies(path: str) -> "list[Copy]":
    """The metadata logs at and below a path; what cannot be read, the listing complains of."""
    from kafkafmt.topics.cluster_metadata.copies import find_copies

    try:
        return [copy for copy in find_copies(path) if copy.is_log]
    except SourceError:
        return []


def _not_told(error: KafkafmtError) -> None:
    say(f"note: partitions were not compared with the cluster metadata (name them with --metadata): {error}")
