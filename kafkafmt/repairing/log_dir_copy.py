"""Writes the copy of a log directory: its partition directories, and what is beside them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from kafkafmt.errors import SourceError
from kafkafmt.files import clean_shutdown, offset_checkpoint, partition_metadata, quorum_state
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.log_dir import CLEAN_SHUTDOWN, META_PROPERTIES
from kafkafmt.logdir.partition import RECOVERY_POINT_CHECKPOINT, REPAIR_CHECKPOINT
from kafkafmt.logdir.tier import TierDir
from kafkafmt.repairing.rebuilt_log import RebuiltLog, SideFiles, agree
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP
from kafkafmt.writing.segment_writer import write_at
from kafkafmt.writing.target import PRIVATE_DIRECTORY, share

if TYPE_CHECKING:
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.io.base import Location
    from kafkafmt.repairing.answer import RepairedPartition
    from kafkafmt.repairing.copies import MergedPartition
    from kafkafmt.repairing.identities import OwnedDir

Only = Literal["indexes", "snapshots", "checkpoints"]

_PARTITION_METADATA: Final = "partition.metadata"
_CHECKPOINTS: Final = ("recovery-point", "replication", "log-start", "cleaner")
_MOST_BYTES: Final = 1 << 30


def write_partition(
    merged: "MergedPartition", directory: Path, made: SideFiles, advance: Callable[[int], None], notes: list[str]
) -> None:
    """Write one partition directory.

    Args:
        merged: what is kept.
        directory: of the partition.
        made: which files are made.
        advance: called with numbers of bytes as they are copied.
        notes: collects whose it is, if not its source's owner's.

    Raises:
        KafkafmtError: it cannot be read or written.
    """
    directory.mkdir(PRIVATE_DIRECTORY)
    log = RebuiltLog(directory, merged.copies, made, advance)
    log.write(merged.rows, merged.bases)
    log.write_epochs(merged.rows, _epochs(merged), merged.log_end_offset)
    if made.logs:
        _write_others(merged, directory)
    notes += share(directory, merged.places)


def _write_others(merged: "MergedPartition", directory: Path) -> None:
    """Write what belongs to the partition besides its log."""
    for snapshot in merged.snapshots:
        write_at(directory / snapshot.location.name, _content(snapshot.location), 0)
    if merged.quorum_state is not None:
        write_at(directory / quorum_state.FILE_NAME, merged.quorum_state, 0)
    if merged.topic_id is not None:
        write_at(directory / _PARTITION_METADATA, partition_metadata.encode(merged.topic_id), 0)


def _epochs(merged: "MergedPartition") -> "Sequence[EpochEntry]":
    """Entries of the first leader-epoch-checkpoint that agrees with what is kept; of the first copy if none does."""
    ends = ([entry for entry in each.epochs if entry.start_offset <= merged.log_end_offset] for each in merged.copies)
    return next((epochs for epochs in ends if agree(epochs, merged.rows)), merged.copies[0].epochs)


def write_beside(owned: "OwnedDir", done: "Sequence[RepairedPartition]", directory: Path, only: Only | None) -> None:
    """Write what is beside the partitions of a log directory.

    Args:
        owned: what it was.
        done: its partitions.
        directory: the new one.
        only: as for `kafkafmt.repair`.
    """
    # Partitions that were copied into a folder are those of no node; marks of one would make verify ask for the others.
    is_of_a_node = (
        owned.made is not None
        or not owned.log_dir.partitions
        or isinstance(owned.log_dir.location, TierDir)
        or any(owned.log_dir.location.child(name).is_file() for name in (META_PROPERTIES, RECOVERY_POINT_CHECKPOINT))
    )
    if only in (None, "checkpoints"):
        _write_checkpoints(owned.log_dir.location, done, directory, makes_all=is_of_a_node)
    if only is not None or not is_of_a_node:
        return
    write_at(directory / CLEAN_SHUTDOWN, clean_shutdown.encode(), 0)
    for name, content in ((META_PROPERTIES, owned.made), (BOOTSTRAP, None)):
        place = owned.log_dir.location.child(name)
        if content is not None or place.is_file():
            write_at(directory / name, _content(place) if content is None else content, 0)


def _write_checkpoints(
    log_dir: "Location", done: "Sequence[RepairedPartition]", directory: Path, *, makes_all: bool
) -> None:
    """Write the four checkpoints, cut to the logs, or those of them that there were."""
    for kind in _CHECKPOINTS:
        name = f"{kind}-offset-checkpoint"
        place = log_dir.child(name)
        known: Mapping[tuple[str, int], int] | None = {}
        if not (makes_all or place.is_file()):
            continue
        if place.is_file():
            read = if_sound(partial(offset_checkpoint.read, place))
            known = None if read is None else read.offsets
        entries = []
        for each in done:
            if each.topic is None or each.partition is None or each.topic == CLUSTER_METADATA:
                continue
            end, start = each.log_end_offset, each.log_start_offset
            offset = None if known is None else known.get((each.topic, each.partition), each.lent.get(kind))
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
