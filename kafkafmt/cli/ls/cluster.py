"""Cluster metadata, where they are among what is listed, or were named: they tell what belongs where."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kafkafmt.cli.messages import damage_line, say
from kafkafmt.errors import KafkafmtError
from kafkafmt.survey.belonging import clusters_in

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.topics.cluster_metadata import ClusterMetadata


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
    return clusters_in(listed, _not_told)


def _not_told(error: KafkafmtError) -> None:
    say(f"note: partitions were not compared with the cluster metadata (name them with --metadata): {error}")
