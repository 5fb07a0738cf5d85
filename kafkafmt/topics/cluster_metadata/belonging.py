"""Belonging: whether a partition directory is one that the cluster's metadata know, and know here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkafmt.internal_topics import CLUSTER_METADATA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.files.names import PartitionState
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata

AT_HAND_BYTES: Final = 4 * 1024 * 1024
"""Of log and snapshots, above which a cluster's metadata are not read where nobody asked for them."""

# Reserved directory ids (KIP-858): not known yet, not assigned, lost, and others to come.
_RESERVED: Final = "AAAAAAAAAAAAAAAAAAAA"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What cluster metadata tell of one partition directory.

    Attributes:
        belongs: whether it is of a topic that the cluster has, and of a partition that this one has; of a directory
            that the broker has set aside, whether the topic of its id is there. None where that cannot be told.
        topic_of_id: name of the cluster's topic with its topic id, or None.
        remark: what there is to remark on it, to be read after its name, or None.
        advice: what that may come from, or "".
    """

    belongs: bool | None
    topic_of_id: str | None
    remark: str | None = None
    advice: str = ""


def belonging_of(
    clusters: "Mapping[str | None, ClusterMetadata]",
    cluster_id: str | None,
    broker_id: int | None,
    directory_id: str | None,
) -> "Belonging | None":
    """What is known of the partitions in a log directory: by its cluster, or by the only one if it tells none.

    Args:
        clusters: metadata by cluster id.
        cluster_id: of the log directory's meta.properties, or None.
        broker_id: as for `Belonging`.
        directory_id: as for `Belonging`.
    """
    cluster = clusters.get(cluster_id, clusters.get(None))
    if cluster is None and cluster_id is None and len(clusters) == 1:
        cluster = next(iter(clusters.values()))
    return None if cluster is None else Belonging(cluster, broker_id, directory_id)


class Belonging:
    """What cluster metadata tell of the partition directories of one log directory.

    Args:
        cluster: the metadata.
        broker_id: node id of the broker whose log directory it is, or None.
        directory_id: id of the log directory (KIP-858), or None.
    """

    def __init__(self, cluster: "ClusterMetadata", broker_id: int | None, directory_id: str | None) -> None:
        self._cluster = cluster
        self._broker = broker_id
        self._directory = directory_id

    def topic_name(self, topic_id: str | None) -> str | None:
        """Name of the topic with this id, or None."""
        topic = None if topic_id is None else self._cluster.topic_by_id(topic_id)
        return None if topic is None else topic.name

    def judge(
        self, topic: str | None, partition: int | None, topic_id: str | None, state: "PartitionState" = "live"
    ) -> Verdict:
        """Tell whether a partition directory belongs where it is.

        Args:
            topic: by its name, or None.
            partition: by its name, or None.
            topic_id: of its partition.metadata, or None.
            state: by its name.
        """
        of_id = self.topic_name(topic_id)
        if topic == CLUSTER_METADATA:
            return Verdict(belongs=True, topic_of_id=None)
        if state != "live":
            # The name may be cut: the id alone tells.
            known = None if topic_id is None else of_id is not None
            return Verdict(known, of_id, f"was set aside by the broker as -{state}")
        if topic is None:
            return Verdict(None, of_id, "is not called like a partition")
        return self._judge(topic, partition, topic_id, of_id)

    def _judge(self, name: str, number: int | None, topic_id: str | None, of_id: str | None) -> Verdict:
        topics = self._cluster.topics
        if topic_id is not None and of_id is None and name in topics:
            return Verdict(
                belongs=False,
                topic_of_id=None,
                remark=f"is of an earlier topic of this name: topic id {topic_id}, "
                f"and the cluster's is {topics[name].id}",
                advice="the topic was deleted and created anew; "
                "Kafka sets the directory aside as -stray when it starts",
            )
        if of_id is None and (topic_id is not None or name not in topics):
            known_by = "no topic id" if topic_id is None else f"topic id {topic_id}"
            return Verdict(
                belongs=False,
                topic_of_id=None,
                remark=f"belongs to no topic of this cluster ({known_by})",
                advice=f"deleted, or created after offset {self._cluster.offset} of the metadata that were read",
            )
        topic = topics[of_id or name]
        if topic.name != name:
            return Verdict(
                belongs=True,
                topic_of_id=of_id,
                remark=f"is of the topic {topic.name} by its topic id {topic_id}",
                advice="was the directory renamed?",
            )
        partition = topic.partitions.get(number if number is not None else -1)
        if partition is None:
            return Verdict(
                belongs=False,
                topic_of_id=of_id,
                remark=f"is no partition of the cluster's topic {name}, which has {len(topic.partitions)}",
                advice=f"was it added after offset {self._cluster.offset} of the metadata that were read?",
            )
        remark, advice = self._elsewhere(partition.replicas, partition.directories)
        return Verdict(belongs=True, topic_of_id=of_id, remark=remark, advice=advice)

    def _elsewhere(self, replicas: "tuple[int, ...]", directories: "tuple[str, ...]") -> tuple[str | None, str]:
        """What is to be said of a partition whose place is on another broker or in another log directory."""
        if self._broker is None:
            return None, ""
        if self._broker not in replicas:
            return (
                f"is not assigned to broker {self._broker}: the replicas are on {', '.join(map(str, replicas))}",
                "it was reassigned; Kafka sets the directory aside as -stray when it starts",
            )
        directory = directories[replicas.index(self._broker)]
        if self._directory not in (None, directory) and not directory.startswith(_RESERVED):
            return (
                f"is assigned to another log directory of broker {self._broker}: {directory}",
                "it was moved between log directories, or the two were exchanged",
            )
        return None, ""
