"""Belonging: what the cluster's metadata tell of the partition directories of a survey."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from kafkafmt.survey.facts import NOTE, Finding
from kafkafmt.topics.cluster_metadata.strays import belonging_of

if TYPE_CHECKING:
    from kafkafmt.survey.facts import LogDirFacts, PartitionFacts
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.strays import Belonging


def belonging_in(log_dir: "LogDirFacts", clusters: "Mapping[str | None, ClusterMetadata]") -> "Belonging | None":
    """What is known of the partitions in a log directory: by its cluster, or by the only one if it tells none."""
    return belonging_of(clusters, log_dir.cluster_id, log_dir.node_id, log_dir.directory_id)


def remarks(belonging: "Belonging", facts: "PartitionFacts") -> Iterator[Finding]:
    """What there is to remark on a partition directory: notes, for Kafka puts all of it right by itself."""
    if facts.state != "live" or facts.topic is None:
        return
    placement = belonging.judge(facts.topic, facts.partition, facts.topic_id)
    if placement.remark is not None:
        yield Finding(
            NOTE,
            "metadata",
            facts.path,
            placement.remark,
            placement.advice,
            topic=facts.topic,
            partition=facts.partition,
        )
