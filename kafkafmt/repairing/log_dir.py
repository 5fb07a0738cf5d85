"""A repaired log directory: its partitions, and the files beside them that a broker needs to start."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import clean_shutdown, offset_checkpoint, partition_metadata
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.log_dir import CLEAN_SHUTDOWN, META_PROPERTIES, LogDir
from kafkafmt.logdir.partition import REPAIR_CHECKPOINT
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.repairing.rebuilt_log import RebuiltLog, SideFiles
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP
from kafkafmt.writing.segment_writer import write_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.io.base import Location
    from kafkafmt.repairing.answer import RepairedPartition
    from kafkafmt.repairing.copies import MergedPartition
    from kafkafmt.repairing.metadata_log import KnownMetadata

Only = Literal["indexes", "snapshots", "checkpoints"]

_PARTITION_METADATA = "partition.metadata"
_QUORUM_STATE = "quorum-state"
_CHECKPOINTS = ("recovery-point", "replication", "log-start", "cleaner")
_MOST_BYTES = 1 << 30


def write_partition(
    merged: "MergedPartition",
    directory: Path,
    made: SideFiles,
    known: "KnownMetadata",
    notes: list[str],
    advance: Callable[[int], None],
) -> None:
    """Write one partition directory.

    Args:
        merged: what is kept.
        directory: of the partition.
        made: which files are made.
        known: what the metadata log says.
        notes: is told what was made anew.
        advance: called with numbers of bytes as they are copied.
    """
    directory.mkdir()
    log = RebuiltLog(directory, merged.copies, made, advance)
    log.write(merged.rows, merged.bases)
    log.write_epochs(merged.rows, merged.copies[0].epochs, merged.log_end_offset)
    if made.logs:
        for snapshot in merged.snapshots:
            write_at(directory / snapshot.location.name, _content(snapshot.location), 0)
        _copy_others(merged, directory, known, notes)


def write_beside(
    log_dir: LogDir, done: "Sequence[RepairedPartition]", directory: Path, only: Only | None, identity: bytes | None
) -> None:
    """Write what is beside the partitions of a log directory.

    Args:
        log_dir: what it was.
        done: its partitions.
        directory: the new one.
        only: as for `kafkafmt.repair`.
        identity: meta.properties; None for that of the source.
    """
    if only in (None, "checkpoints"):
        _write_checkpoints(log_dir, done, directory)
    if only is not None:
        return
    write_at(directory / CLEAN_SHUTDOWN, clean_shutdown.encode(), 0)
    for name, content in ((META_PROPERTIES, identity), (BOOTSTRAP, None)):
        place = log_dir.location.child(name)
        if content is not None or place.is_file():
            write_at(directory / name, _content(place) if content is None else content, 0)


def _copy_others(merged: "MergedPartition", target: Path, known: "KnownMetadata", notes: list[str]) -> None:
    """Copy what belongs to the partition besides its log; restore a lost topic id."""
    location, topic = merged.partition.location, merged.partition.topic
    for entry in location.list():
        if entry.is_file and entry.name == _QUORUM_STATE:
            write_at(target / entry.name, _content(entry.location), 0)
    topic_id = known.topic_id(topic) if known.is_named and isinstance(location, TierPartition) else None
    for copy in merged.copies:
        try:
            topic_id = topic_id or copy.partition.topic_id
        except DataError as error:
            notes.append(f"{error}: it is made anew")
    if topic_id is None and topic != CLUSTER_METADATA:
        topic_id = known.topic_id(topic)
        if topic_id is None:
            notes.append(
                f"{location.child(_PARTITION_METADATA)} is not there, and no metadata log knows the topic's id"
            )
            return
        notes.append(f"{location.child(_PARTITION_METADATA)} is restored from the metadata log: topic id {topic_id}")
    if topic_id is not None:
        write_at(target / _PARTITION_METADATA, partition_metadata.encode(topic_id), 0)


def _write_checkpoints(log_dir: LogDir, done: "Sequence[RepairedPartition]", directory: Path) -> None:
    """Write the four checkpoints, cut to the logs."""
    for kind in _CHECKPOINTS:
        name = f"{kind}-offset-checkpoint"
        place = log_dir.location.child(name)
        known: Mapping[tuple[str, int], int] | None = {}
        if place.is_file():
            read = if_sound(partial(offset_checkpoint.read, place))
            known = None if read is None else read.offsets
        entries = []
        for each in done:
            if each.topic is None or each.partition is None or each.topic == CLUSTER_METADATA:
                continue
            end, start = each.log_end_offset, each.log_start_offset
            offset = None if known is None else known.get((each.topic, each.partition))
            if kind == "recovery-point" or (kind == "replication" and known is None):
                offset = end
            if offset is None or (kind == "log-start" and offset <= start):
                continue
            entries.append(PartitionOffset(each.topic, each.partition, max(start, min(offset, end))))
        write_at(directory / name, offset_checkpoint.encode(entries), 0)
    left_out = [
        PartitionOffset(each.topic, each.partition, each.log_end_offset)
        for each in done
        if each.topic is not None and each.partition is not None and each.has_gaps
    ]
    if left_out:
        write_at(directory / REPAIR_CHECKPOINT, offset_checkpoint.encode(left_out), 0)


def _content(location: "Location") -> bytes:
    with location.open() as file:
        if file.size > _MOST_BYTES:
            raise SourceError(f"is too large to be copied at once: {file.size} bytes", file=str(location))
        return file.read_at(0, file.size)
