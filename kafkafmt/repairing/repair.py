"""`kafkafmt.repair`: sound copies of log directories, which a broker loads without recovering or cutting anything."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import LogDir, folder_names, log_dirs_of_a_node
from kafkafmt.logdir.sources import Searchable, Sources
from kafkafmt.logdir.tier import TierDir
from kafkafmt.repairing.answer import Repaired, RepairedPartition
from kafkafmt.repairing.copies import copies_of_partitions, merge
from kafkafmt.repairing.log_dir import Only, identities, write_beside, write_partition
from kafkafmt.repairing.metadata_log import KnownMetadata
from kafkafmt.repairing.rebuilt_log import SideFiles
from kafkafmt.topics.answers import name_filter
from kafkafmt.writing.log_writer import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.writing.target import check_target, local_path, new_directory

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow.fs import FileSystem

    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.answers import Names


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
    local = [str(each.location) for each in log_dirs if os.path.isdir(str(each.location))]
    joined = _joined(sources, log_dirs)
    if joined is not None:
        local = sorted({*local, *sources.local_directories})
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
            work = stack.enter_context(new_directory(out, local))
            names = folder_names(log_dirs) if len(log_dirs) > 1 else ["."]
            directories = {each.location.identity: work / name for each, name in zip(log_dirs, names, strict=True)}
            for directory in directories.values():
                directory.mkdir(exist_ok=True)
        elif out is not None:
            check_target(local_path(out), local)
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
    said = (*sources.notes, *(Note(each, is_finding=False) for each in (*notes, *known.notes)))
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
