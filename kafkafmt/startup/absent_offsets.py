"""Finds offsets missing between the batches of a log that was never compacted: evidence that batches were removed.

A broker appends offsets without gaps: transaction markers have offsets of their own, and aborted records stay. Only the
cleaner, or a tool that leaves batches out when it copies a log, removes batches from the middle.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.findings import NOTE, Finding
from kafkafmt.internal_topics import CLUSTER_METADATA, COORDINATORS_TOPICS
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.survey import PartitionSurvey
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_POLICY = "cleanup.policy"
_COMPACT = "compact"
_MOST_NAMED = 3


def absent_offsets(node: "NodeStart", surveyed: "Mapping[str, PartitionSurvey]") -> Iterator[Finding]:
    """Notes on logs of a node with gaps that nothing in the log explains.

    Args:
        node: the node, after its start.
        surveyed: partitions by their paths.
    """
    if node.cluster is None:
        return
    for log_dir in node.log_dirs:
        for each in log_dir.partitions:
            found = surveyed.get(each.path)
            if found is None or each.log is None or each.topic in (None, CLUSTER_METADATA, *COORDINATORS_TOPICS):
                continue
            gaps = [gap for segment in found.segments if segment.state == "live" for gap in segment.gaps]
            if gaps and not _may_be_compacted(found, node.cluster):
                ranges = [str(first) if first == last else f"{first} to {last}" for first, last in gaps]
                yield Finding(
                    NOTE,
                    "gap",
                    each.path,
                    f"offsets {listed(ranges, _MOST_NAMED)} are missing between batches, and nothing in the log "
                    "explains it: its topic is not compacted",
                    "compare it with a replica: a batch was removed, or the copy was made without it",
                    topic=each.topic,
                    partition=each.partition,
                )


def _may_be_compacted(found: "PartitionSurvey", cluster: "ClusterMetadata") -> bool:
    """Whether the cleaner may have compacted the partition, by topic policy, cleaner checkpoint, or gaps in batches."""
    topic = found.facts.topic or ""
    if any(_COMPACT in str(_policy(cluster, kind, name)) for kind, name in (("TOPIC", topic), ("BROKER", ""))):
        return True
    if any(segment.is_sparse or segment.is_unreadable for segment in found.segments):
        return True
    checkpointed = True
    if found.directory is not None:
        with suppress(KafkafmtError):
            checkpointed = found.directory.cleaner_offset is not None or found.directory.left_out_below is not None
    return checkpointed


def _policy(cluster: "ClusterMetadata", kind: str, name: str) -> object:
    return cluster.config(kind, name).get(_POLICY, cluster.config(kind, name).get(f"log.{_POLICY}", ""))
