"""`kafkafmt.repair`: sound copies of log directories, which a broker loads without recovering or cutting anything."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint, partition_metadata
from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import CLEAN_SHUTDOWN, META_PROPERTIES, LogDir, folder_names, log_dirs_of_a_node
from kafkafmt.logdir.partition import REPAIR_CHECKPOINT
from kafkafmt.logdir.sources import Searchable, Sources
from kafkafmt.logdir.tier import TierDir, TierPartition
from kafkafmt.repairing.answer import Repaired, RepairedPartition
from kafkafmt.repairing.copies import copies_of_partitions, merge
from kafkafmt.repairing.metadata_log import KnownMetadata
from kafkafmt.repairing.rebuilt_log import RebuiltLog, SideFiles
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.topics.answers import name_filter
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP
from kafkafmt.writing.log_writer import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.writing.segment_writer import write_at
from kafkafmt.writing.target import PRIVATE_DIRECTORY, check_target, left_of, local_path, new_directory, share

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.repairing.copies import MergedPartition
    from kafkafmt.topics.answers import Names
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

Only = Literal["indexes", "snapshots", "checkpoints"]

_PARTITION_METADATA = "partition.metadata"
_QUORUM_STATE = "quorum-state"
_CHECKPOINTS = ("recovery-point", "replication", "log-start", "cleaner")
_MOST_BYTES = 1 << 30


def repair(
    source: Searchable,
    out: str | os.PathLike[str] | None,
    *,
    topics: "Names" = None,
    dry_run: bool = False,
    mend_offsets: bool = False,
    only: Only | None = None,
    index_interval_bytes: int = INDEX_INTERVAL_BYTES,
    index_max_bytes: int = INDEX_MAX_BYTES,
    metadata: Searchable | None = None,
    filesystem: "FileSystem | None" = None,
    limits: Limits | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> Repaired:
    """Write sound copies of log directories: a broker loads them without recovering or cutting anything.

    Sound batches stay as they are, byte for byte, under the base offsets of their segments; damaged stretches are left
    out, and the offsets keep their gaps. All other files of segments are made anew. Of several copies of a partition
    one is made: where the best is damaged, another fills in as far as leader epochs and the batches around agree. The
    source is not touched.

    Args:
        source: log directories, as for `kafkafmt.scan`.
        out: what is written: the copy of one log directory, or a folder for each of several. None with `dry_run`.
        topics: names of topics, or a pattern; None for all.
        dry_run: say what would be kept, and write nothing.
        mend_offsets: give a batch with a right CRC and a wrong offset the one that its neighbours leave, instead of
            leaving it out.
        only: write the rebuilt "indexes", "snapshots" or "checkpoints" alone, under their paths in the source.
        index_interval_bytes: bytes of log between index entries.
        index_max_bytes: most bytes of an index.
        metadata: where the metadata log is, if it is not in the source: a lost partition.metadata is restored from it.
            What is repaired from remote storage alone gets the topic ids of this cluster, if it has the topics.
        filesystem: as for `kafkafmt.scan`.
        limits: bounds of a decode.
        advance: called with numbers of bytes as they are read, and as they are copied.

    Raises:
        SourceError: a source cannot be read, or the target exists, lies in a source or cannot be written.
        ValueError: an argument makes no sense.
    """
    if only not in (None, "indexes", "snapshots", "checkpoints"):
        raise ValueError(f"only must be 'indexes', 'snapshots' or 'checkpoints', not {only!r}")
    sources = source if isinstance(source, Sources) else Sources(source, filesystem)
    log_dirs = [LogDir(each.location, directory=each) for each, _ in log_dirs_of_a_node(sources, tiers=True)]
    if not any(each.partitions for each in log_dirs):
        named = next(iter(sources))
        is_partition = named.is_file() or parse_partition_name(named.name).topic is not None
        text = (
            "is no log directory: name the one that it is in" if is_partition else "no log directory with a partition"
        )
        raise SourceError(text if is_partition else f"{text} here or below", file=str(named))
    joined = _joined(sources, log_dirs)
    if joined is not None:
        # A tier all of whose partitions are on the disks too has no folder of its own.
        log_dirs = [
            each
            for each in log_dirs
            if not isinstance(each.location, TierDir)
            or any(partition.location.identity in joined for partition in each.partitions)
        ]
    takes, limits = name_filter(topics, "topics"), limits or Limits()
    notes: list[str] = []
    made = SideFiles(
        index_interval_bytes,
        index_max_bytes,
        logs=only is None,
        indexes=only in (None, "indexes"),
        snapshots=only in (None, "snapshots"),
        epochs=only in (None, "checkpoints"),
    )
    known = KnownMetadata(log_dirs, metadata, filesystem)
    done: dict[str, list[RepairedPartition]] = {each.location.identity: [] for each in log_dirs}
    with ExitStack() as stack:
        directories: dict[str, Path] = {}
        if not dry_run:
            if out is None:
                raise ValueError("without out, dry_run must be True: nothing can be written")
            notes += left_of(out)
            work = stack.enter_context(new_directory(out, sources))
            names = folder_names(log_dirs) if len(log_dirs) > 1 else ["."]
            directories = {each.location.identity: work / name for each, name in zip(log_dirs, names, strict=True)}
            for directory in directories.values():
                directory.mkdir(PRIVATE_DIRECTORY, exist_ok=True)
        elif out is not None:
            check_target(local_path(out), sources)
        groups = copies_of_partitions(log_dirs, takes, notes, joined)
        notes += _about_copies(log_dirs, sum(len(group) > 1 for group in groups))
        for group in groups:
            merged = merge(group, notes, mends=mend_offsets, limits=limits, advance=advance)
            place = merged.log_dir.location.identity
            if directories:
                target = directories[place] / merged.partition.name
                write_partition(merged, target, made, known, notes, advance)
            done[place].append(merged.answer())
        disks = [each for each in log_dirs if not isinstance(each.location, TierDir)]
        made_anew = identities(disks, known.cluster, notes) if only is None and disks else [None] * len(disks)
        identity = dict(zip((each.location.identity for each in disks), made_anew, strict=True))
        for log_dir in log_dirs:
            place = log_dir.location.identity
            if directories:
                write_beside(log_dir, done[place], directories[place], only, identity.get(place))
                notes += share(directories[place], [log_dir.location])
    said = (*sources.notes, *(Note(each, is_finding=False) for each in dict.fromkeys((*notes, *known.notes))))
    return Repaired([each for partitions in done.values() for each in partitions], said)


def _joined(sources: Sources, log_dirs: Sequence[LogDir]) -> "Mapping[str, Partition] | None":
    """Partitions by the identity of their place, where remote storage and disks are one log; None without a tier."""
    if not any(isinstance(each.location, TierDir) for each in log_dirs):
        return None
    return {one.partition.location.identity: one.partition for one in sources.found if one.file is None}


def _about_copies(log_dirs: Sequence[LogDir], count: int) -> list[str]:
    """Say what becomes of partitions that are there several times, and which directories do not go together."""
    said = []
    if count:
        these = "1 partition is" if count == 1 else f"{count} partitions are"
        said.append(f"{these} there more than once: each is written once, in the folder of its best copy")
    ids: dict[str, str] = {}
    clusters: dict[str, str] = {}
    for log_dir in log_dirs:
        try:
            properties = log_dir.meta_properties
        except DataError:
            continue
        if properties is None:
            continue
        place = str(log_dir.location)
        if properties.directory_id is not None:
            other = ids.setdefault(properties.directory_id, place)
            if other != place:
                said.append(f"{place} and {other} have the same directory id: a node starts on one of them at a time")
        if properties.cluster_id is not None:
            clusters.setdefault(properties.cluster_id, place)
    if len(clusters) > 1:
        said.append(f"the sources are of {len(clusters)} clusters: repair each by itself, or partitions are mixed up")
    return said


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
    directory.mkdir(PRIVATE_DIRECTORY)
    log = RebuiltLog(directory, merged.copies, made, advance)
    log.write(merged.rows, merged.bases)
    log.write_epochs(merged.rows, merged.copies[0].epochs, merged.log_end_offset)
    if made.logs:
        for snapshot in merged.snapshots:
            write_at(directory / snapshot.location.name, _content(snapshot.location), 0)
        _copy_others(merged, directory, known, notes)
    notes += share(directory, merged.places)


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
