"""The metadata log in a repair: what it says of topics and directories, and the snapshots that it begins with."""

from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files import segment
from kafkafmt.internal_topics import CLUSTER_METADATA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyarrow.fs import FileSystem

    from kafkafmt.io.base import Location
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.repairing.copies import MergedPartition
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.copies import RaftSnapshot


class KnownMetadata:
    """What the metadata log says: ids of topics, directories of nodes. Read once, when it is asked.

    Attributes:
        is_named: whether it was named beside the source.
        notes: what could not be read.
    """

    def __init__(
        self, log_dirs: "Sequence[LogDir]", metadata: "Searchable | None", filesystem: "FileSystem | None"
    ) -> None:
        logs = [each.location for log_dir in log_dirs for each in log_dir.partitions if each.topic == CLUSTER_METADATA]
        # The first one alone: directories of two clusters have no metadata in common.
        self._source: Searchable | None = metadata if metadata is not None or not logs else logs[0]
        self._filesystem = None if metadata is None else filesystem
        self.is_named = metadata is not None
        self.notes: list[str] = []

    @cached_property
    def cluster(self) -> "ClusterMetadata | None":
        """The cluster; None if the metadata log is not there, or cannot be read.

        Raises:
            SourceError: it was named, and cannot be read.
        """
        if self._source is None:
            return None
        from kafkafmt.topics.cluster_metadata.reading import metadata  # noqa: PLC0415 - it takes a while

        try:
            return metadata(self._source, filesystem=self._filesystem, on_damage="skip")
        except KafkafmtError as error:
            if self.is_named and isinstance(error, SourceError):
                raise
            self.notes.append(f"no metadata log can be read: {error}")
            return None

    def topic_id(self, topic: str | None) -> str | None:
        """Id of a topic; None if it is not known."""
        if self.cluster is None or topic is None:
            return None
        found = self.cluster.topics.get(topic)
        return None if found is None else found.id


def cut_to_snapshots(merged: "MergedPartition", notes: list[str]) -> None:
    """Find the sound snapshots; a log that ends below the newest begins anew behind it, as in Kafka.

    Args:
        merged: the metadata log; is changed.
        notes: is told which snapshots stay behind.
    """
    merged.snapshots = snapshots = _sound_snapshots(merged.partition.location, notes)
    if snapshots and snapshots[0].end_offset > merged.log_end_offset:
        merged.rows = merged.rows[:0]
        merged.bases = [snapshots[0].end_offset]
    elif not snapshots and merged.bases[0] > 0:
        notes.append(f"{merged.partition.path}: no snapshot is sound, and the log does not begin with 0")


def _sound_snapshots(location: "Location", notes: list[str]) -> "list[RaftSnapshot]":
    """Snapshots of the metadata log that can be read to their end, the newest first."""
    from kafkafmt.topics.cluster_metadata.copies import snapshots_in  # noqa: PLC0415 - it takes a while

    sound = []
    for each in snapshots_in(location.list()):
        place = each.location
        if each.is_partial:
            notes.append(f"{place} stays behind: the broker did not finish it")
            continue
        try:
            with place.open() as file:
                for batch in segment.batches(file, verify_checksums=True):
                    if batch.error is not None:
                        raise batch.error
        except DataError as error:
            notes.append(f"{place} stays behind: {error}")
        else:
            sound.append(each)
    return sound
