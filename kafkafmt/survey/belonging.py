"""Compares the partition directories of a survey with the cluster's metadata, to note strays."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.findings import NOTE, Finding
from kafkafmt.topics.cluster_metadata.strays import belonging_of

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.survey.facts import LogDirFacts, PartitionFacts
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.copies import Copy
    from kafkafmt.topics.cluster_metadata.strays import Belonging


def clusters_in(
    listed: "Sources", unreadable: Callable[[KafkafmtError], None]
) -> "Mapping[str | None, ClusterMetadata]":
    """Metadata of the clusters in a source, by cluster id; large metadata logs are not read.

    A file given on its own is not read as metadata: it is surveyed as the log file it is.

    Args:
        listed: the source; the survey reports its unreadable parts.
        unreadable: called with the fault if metadata is not read.
    """
    from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415

    found: list[Copy] = []
    for place in listed:
        with suppress(SourceError):
            found += (copy for copy in find_copies(place) if copy.is_log and copy.only is None)
    if not found:
        return {}
    # Imported here, as most disks hold no metadata, and the reader takes a while to load.
    from kafkafmt.topics.cluster_metadata.reading import small_metadata  # noqa: PLC0415
    from kafkafmt.topics.cluster_metadata.strays import AT_HAND_BYTES  # noqa: PLC0415

    return small_metadata(found, max_bytes=AT_HAND_BYTES, unreadable=unreadable)


def belonging_in(log_dir: "LogDirFacts", clusters: "Mapping[str | None, ClusterMetadata]") -> "Belonging | None":
    """The metadata for a log directory's partitions: its cluster's, or the only one if its cluster is unknown."""
    return belonging_of(clusters, log_dir.cluster_id, log_dir.node_id, log_dir.directory_id)


def remarks(belonging: "Belonging", facts: "PartitionFacts") -> Iterator[Finding]:
    """Notes on a partition directory: not findings, as Kafka corrects these states when it starts."""
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
