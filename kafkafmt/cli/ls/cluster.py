"""Cluster metadata, where they are among what is listed, or were named: they tell what belongs where."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.cli.messages import damage_line, say
from kafkafmt.errors import KafkafmtError, SourceError

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.copies import Copy


def clusters_of(listed: "Sources", named: Sequence[str]) -> "Mapping[str | None, ClusterMetadata]":
    """The metadata of the clusters that are listed, by cluster id; those that are at hand.

    Args:
        listed: what is listed: a large metadata log there is not read, for nobody asked for it.
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
    found = _copies(listed)
    if not found:
        return {}
    # Not before: most disks hold no metadata, and what reads them takes a while to load.
    from kafkafmt.topics.cluster_metadata.reading import small_metadata
    from kafkafmt.topics.cluster_metadata.strays import AT_HAND_BYTES

    return small_metadata(found, max_bytes=AT_HAND_BYTES, unreadable=_not_told)


def _copies(listed: "Sources") -> "list[Copy]":
    """The metadata logs at and below the paths; what cannot be read, the listing complains of."""
    from kafkafmt.topics.cluster_metadata.copies import find_copies

    found: list[Copy] = []
    for place in listed:
        with suppress(SourceError):
            found += (copy for copy in find_copies(place) if copy.is_log)
    return found


def _not_told(error: KafkafmtError) -> None:
    say(f"note: partitions were not compared with the cluster metadata (name them with --metadata): {error}")
