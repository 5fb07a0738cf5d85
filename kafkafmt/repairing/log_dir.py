"""A repaired log directory: its partitions, and the files beside them that a broker needs to start."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint, partition_metadata
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
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.io.base import Location
    from kafkafmt.repairing.answer import RepairedPartition
    from kafkafmt.repairing.copies import MergedPartition
    from kafkafmt.repairing.metadata_log import KnownMetadata
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

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


def identities(log_dirs: Sequence[LogDir], cluster: "ClusterMetadata | None", notes: list[str]) -> list[bytes | None]:
    """Make the meta.properties that differ from those of the source; None for a directory whose own is right.

    A directory that the metadata log knows by its id belongs to the node that registered it. One that it does not know
    gets the one id of the nodes at hand that no directory has.

    Args:
        log_dirs: all of the source.
        cluster: what the metadata log says; None without one.
        notes: is told what was changed, and what cannot be known.
    """
    found = [_read(each, notes) for each in log_dirs]
    if cluster is None:
        for each, properties in zip(log_dirs, found, strict=True):
            if properties is None:
                notes.append(f"{each.location.child(META_PROPERTIES)} cannot be made anew without a metadata log")
        return [None] * len(log_dirs)
    owners = {directory: broker for broker, each in cluster.brokers.items() for directory in each.log_dirs}
    cluster_id = _cluster_id(log_dirs, found) or cluster.cluster_id
    known: dict[int, str] = {}
    for number, properties in enumerate(found):
        directory = None if properties is None else properties.directory_id
        if directory in owners and directory not in known.values():
            known[number] = directory
    nodes = {owners[each] for each in known.values()}
    ids = {each.node_id for each in found if each is not None and each.node_id is not None}
    nodes |= ids & set(cluster.brokers)
    # Without any sound meta.properties all nodes may be meant.
    nodes = nodes or set(cluster.brokers)
    free = [each for each, owner in owners.items() if owner in nodes and each not in known.values()]
    unknown = [number for number in range(len(found)) if number not in known]
    if len(unknown) == 1 and len(free) == 1:
        known[unknown[0]] = free[0]
    else:
        notes.extend(
            f"{log_dirs[number].location}: the metadata log does not say whose directory it is" for number in unknown
        )
    made: list[bytes | None] = [None] * len(found)
    for number, directory in known.items():
        properties = found[number]
        node = owners[directory]
        if cluster_id is None:
            notes.append(
                f"{log_dirs[number].location}: by the metadata log it is directory {directory} of node {node}, but "
                f"nothing says its cluster id: write {META_PROPERTIES}, or the node does not start"
            )
        right = None if properties is None else (properties.cluster_id, properties.node_id, properties.directory_id)
        if cluster_id is not None and (right != (cluster_id, node, directory)):
            made[number] = meta_properties.encode(
                cluster_id=cluster_id, node_id=node, directory_id=directory, now_ms=time.time_ns() // 1_000_000
            )
            place = log_dirs[number].location.child(META_PROPERTIES)
            notes.append(f"{place} is made anew: cluster {cluster_id}, node {node}, directory {directory}")
    return made


def _cluster_id(log_dirs: Sequence[LogDir], found: "Sequence[MetaProperties | None]") -> str | None:
    """Cluster id of the directory with the metadata log, or the one that most directories have."""
    ids = [each.cluster_id for each in found if each is not None and each.cluster_id is not None]
    for log_dir, properties in zip(log_dirs, found, strict=True):
        has_log = any(each.topic == CLUSTER_METADATA for each in log_dir.partitions)
        if has_log and properties is not None and properties.cluster_id is not None:
            return properties.cluster_id
    return max(ids, key=ids.count, default=None)


def _read(log_dir: LogDir, notes: list[str]) -> "MetaProperties | None":
    try:
        return log_dir.meta_properties
    except DataError as error:
        notes.append(str(error))
        return None
