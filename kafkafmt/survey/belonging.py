"""Belonging: whether a partition directory is one that the cluster's metadata know, and know here."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from kafkafmt.survey.facts import NOTE, Finding

if TYPE_CHECKING:
    from kafkafmt.survey.facts import LogDirFacts, PartitionFacts
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_OF_NO_TOPIC: Final = frozenset({"__cluster_metadata"})

# Reserved directory ids (KIP-858): not known yet, not assigned, lost, and others to come.
_RESERVED: Final = "AAAAAAAAAAAAAAAAAAAA"


def belonging_in(log_dir: "LogDirFacts", clusters: "Mapping[str | None, ClusterMetadata]") -> "Belonging | None":
    """What is known of the partitions in a log directory: by its cluster, or by the only one if it tells none."""
    cluster = clusters.get(log_dir.cluster_id, clusters.get(None))
    if cluster is None and log_dir.cluster_id is None and len(clusters) == 1:
        cluster = next(iter(clusters.values()))
    return None if cluster is None else Belonging(cluster, log_dir)


class Belonging:
    """What cluster metadata tell of the partition directories of one log directory.

    Args:
        cluster: the metadata.
        log_dir: the log directory.
    """

    def __init__(self, cluster: "ClusterMetadata", log_dir: "LogDirFacts") -> None:
        self._cluster = cluster
        self._broker = log_dir.node_id
        self._directory = log_dir.directory_id

    def topic_name(self, topic_id: str | None) -> str | None:
        """Name of the topic with this id, or None."""
        topic = None if topic_id is None else self._cluster.topic_by_id(topic_id)
        return None if topic is None else topic.name

    def remarks(self, facts: "PartitionFacts") -> Iterator[Finding]:
        """What there is to remark on a partition directory: notes, for Kafka puts all of it right by itself."""
        if facts.state != "live" or facts.topic is None or facts.topic in _OF_NO_TOPIC:
            return
        remark = self._remark(facts, facts.topic)
        if remark is not None:
            message, advice = remark
            yield Finding(NOTE, "metadata", facts.path, message, advice, topic=facts.topic, partition=facts.partition)

    def _remark(self, facts: "PartitionFacts", name: str) -> tuple[str, str] | None:
        topics: Mapping[str, object] = self._cluster.topics
        of_id = self.topic_name(facts.topic_id)
        if facts.topic_id is not None and of_id is None and name in topics:
            now = self._cluster.topics[name].id
            return (
                f"is of an earlier topic of this name: topic id {facts.topic_id}, and the cluster's is {now}",
                "the topic was deleted and created anew; Kafka sets the directory aside as -stray when it starts",
            )
        if (facts.topic_id is not None and of_id is None) or (facts.topic_id is None and name not in topics):
            known_by = "no topic id" if facts.topic_id is None else f"topic id {facts.topic_id}"
            return (
                f"belongs to no topic of this cluster ({known_by})",
                f"deleted, or created after offset {self._cluster.offset} of the metadata that were read",
            )
        topic = self._cluster.topics[of_id or name]
        if topic.name != name:
            return (f"is of the topic {topic.name} by its topic id {facts.topic_id}", "was the directory renamed?")
        partition = topic.partitions.get(facts.partition if facts.partition is not None else -1)
        if partition is None:
            return (
                f"the cluster's topic {name} has {len(topic.partitions)} partitions, and none of this number",
                f"was it added after offset {self._cluster.offset} of the metadata that were read?",
            )
        if self._broker is None:
            return None
        if self._broker not in partition.replicas:
            replicas = ", ".join(map(str, partition.replicas))
            return (
                f"is not assigned to broker {self._broker}: the replicas are on {replicas}",
                "it was reassigned; Kafka sets the directory aside as -stray when it starts",
            )
        directory = partition.directories[partition.replicas.index(self._broker)]
        if self._directory not in (None, directory) and not directory.startswith(_RESERVED):
            return (
                f"is assigned to another log directory of broker {self._broker}: {directory}",
                "it was moved between log directories, or the two were exchanged",
            )
        return None
