"""Writes the copy of a log directory: its partition directories, and the files beside them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import clean_shutdown, offset_checkpoint, partition_metadata, quorum_state
from kafkafmt.files.damage import Note
from kafkafmt.files.names import PARTITION_METADATA
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.io.base import DirectoryEntry
from kafkafmt.logdir.checkpoints import REPAIR_CHECKPOINT
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.phrases import counted_are
from kafkafmt.repairing.rebuilt_log import RebuiltLog, SideFiles, agree
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.startup.bootstrap import check_bootstrap
from kafkafmt.startup.outcome import BrokerError
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP
from kafkafmt.writing.segment_writer import write_at
from kafkafmt.writing.target import PRIVATE_DIRECTORY, share

if TYPE_CHECKING:
    from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
    from kafkafmt.io.base import Location
    from kafkafmt.repairing.answer import RepairedPartition
    from kafkafmt.repairing.identities import OwnedDir
    from kafkafmt.repairing.merged_partition import MergedPartition

Only = Literal["indexes", "snapshots", "checkpoints"]

_WITHOUT: Final = {
    "recovery-point": "it is rebuilt with the log ends",
    "replication": "it is rebuilt with the log ends as high watermarks",
    "log-start": "it is rebuilt without offsets; records that DeleteRecords removed are there again if their segment "
    "is",
    "cleaner": "it is rebuilt without offsets; the cleaner starts over",
}
"""For each offset checkpoint how a damaged one is rebuilt."""
# Small files are copied in memory.
_MOST_BYTES: Final = 1 << 30


def write_partition(
    merged: "MergedPartition", directory: Path, made: SideFiles, advance: Callable[[int], None], notes: list[str]
) -> None:
    """Write one partition directory.

    Args:
        merged: the merged partition.
        directory: path of the new partition directory.
        made: the files to write.
        advance: called with numbers of bytes as they are copied.
        notes: list that collects the owner of the files, if it is not that of the source.

    Raises:
        KafkafmtError: the partition cannot be read or written.
    """
    directory.mkdir(PRIVATE_DIRECTORY)
    log = RebuiltLog(directory, merged.copies, made, advance)
    log.write(merged.rows, merged.bases)
    log.write_epochs(merged.rows, _epochs(merged), merged.log_end_offset)
    if made.logs:
        _write_others(merged, directory)
    notes += share(directory, merged.places)


def _write_others(merged: "MergedPartition", directory: Path) -> None:
    """Write the partition's files besides its log."""
    for snapshot in merged.snapshots:
        write_at(directory / snapshot.location.name, _content(snapshot.location), 0)
    if merged.quorum_state is not None:
        write_at(directory / quorum_state.FILE_NAME, merged.quorum_state, 0)
    if merged.topic_id is not None:
        write_at(directory / PARTITION_METADATA, partition_metadata.encode(merged.topic_id), 0)


def _epochs(merged: "MergedPartition") -> "Sequence[EpochEntry]":
    """Entries of the first leader-epoch-checkpoint that agrees with the kept batches, else those of the first copy."""
    ends = ([entry for entry in each.epochs if entry.start_offset <= merged.log_end_offset] for each in merged.copies)
    return next((epochs for epochs in ends if agree(epochs, merged.rows)), merged.copies[0].epochs)


_REACHED: Final = {"replication": "high watermark", "recovery-point": "recovery point"}

KeptOffsets = Mapping[str, Mapping[tuple[str, int], int] | None]
"""Offsets of the existing offset checkpoints, by kind and partition; None if one is damaged."""


def read_checkpoints(log_dir: "Location", notes: list[str]) -> KeptOffsets:
    """Read the offset checkpoints of a log directory.

    Args:
        log_dir: log directory of the source.
        notes: list that collects damaged checkpoints, and how they are rebuilt.

    Raises:
        SourceError: a checkpoint cannot be read, although the disk does not fail.
    """
    found: dict[str, Mapping[tuple[str, int], int] | None] = {}
    for kind, what in _WITHOUT.items():
        place = log_dir.child(f"{kind}-offset-checkpoint")
        if not place.is_file():
            continue
        try:
            found[kind] = offset_checkpoint.read(place).offsets
        except (DataError, SourceError) as error:
            if isinstance(error, SourceError) and not error.is_disk_failure:
                raise
            notes.append(Note(f"{error}: {what}", path=str(place)))
            found[kind] = None
    return found


def lost_ends(kept: KeptOffsets, done: "Iterable[RepairedPartition]") -> list[Note]:
    """Notes on logs of a log directory that ended before an offset in its checkpoints, whether filled or not."""
    notes = []
    for each in done:
        if each.topic is None or each.partition is None or each.topic == CLUSTER_METADATA:
            continue
        known = {kind: (kept.get(kind) or {}).get((each.topic, each.partition), 0) for kind in _REACHED}
        kind = max(known, key=lambda name: known[name])
        path, was = f"{each.log_dir}/{each.topic}-{each.partition}", f"its {_REACHED[kind]} was {known[kind]}"
        lost = known[kind] - each.log_end_offset
        if lost > 0:
            what = f"{counted_are(lost, 'offset')} lost at its end, which a copy under --from may have"
            text = f"{path} ends at offset {each.log_end_offset}, and {was}: {what}"
        elif known[kind] > each.end_on_disk:
            text = f"{path} ended at offset {each.end_on_disk}, and {was}: its end is filled in from other copies"
        else:
            continue
        notes.append(Note(text, path=path, topic=each.topic, partition=each.partition))
    return notes


def write_beside(
    owned: "OwnedDir",
    done: "Sequence[RepairedPartition]",
    kept: KeptOffsets,
    directory: Path,
    only: Only | None,
    *,
    is_whole: bool,
) -> list[Note]:
    """Write the files beside the partitions of a log directory; returns notes on those that are not copied.

    Args:
        owned: the log directory with its ids.
        done: its partitions.
        kept: its offset checkpoints.
        directory: path of the new log directory.
        only: as for `kafkafmt.repair`.
        is_whole: whether the copy has every record of the source.
    """
    # Folders of copied partitions get no checkpoints or shutdown mark: verify would then expect meta.properties.
    is_of_a_node = owned.made is not None or owned.log_dir.location.is_tier or owned.log_dir.is_of_a_node
    if only in (None, "checkpoints"):
        _write_checkpoints(kept, done, directory, makes_all=is_of_a_node)
    if only is not None or not is_of_a_node:
        return []
    epoch = _broker_epoch(owned.log_dir.location.child(clean_shutdown.FILE_NAME)) if is_whole else None
    write_at(directory / clean_shutdown.FILE_NAME, clean_shutdown.encode(-1 if epoch is None else epoch), 0)
    if owned.made is not None or owned.log_dir.location.child(META_PROPERTIES).is_file():
        place = owned.log_dir.location.child(META_PROPERTIES)
        write_at(directory / META_PROPERTIES, _content(place) if owned.made is None else owned.made, 0)
    return _write_bootstrap(owned.log_dir.location.child(BOOTSTRAP), directory)


def _broker_epoch(mark: "Location") -> int | None:
    """Broker epoch in the source's mark of a clean shutdown, with which the broker stays an eligible leader (KIP-966).

    Its logs must be whole for that: Kafka elects such a broker although other replicas may have more records.
    """
    known = if_sound(partial(clean_shutdown.read, mark)) if mark.is_file() else None
    return None if known is None else known.broker_epoch


def _write_bootstrap(place: "Location", directory: Path) -> list[Note]:
    """Copy bootstrap.checkpoint, unless no node starts with it: a node with a metadata log starts without it."""
    if not place.is_file():
        return []
    content = _content(place)
    try:
        check_bootstrap(DirectoryEntry(BOOTSTRAP, place, is_directory=False, size=len(content)))
    except BrokerError as error:
        text = f"{place} is not copied, as no node starts with it: {error.message}"
        return [Note(text, path=str(place))]
    write_at(directory / BOOTSTRAP, content, 0)
    return []


def _write_checkpoints(
    kept: KeptOffsets, done: "Sequence[RepairedPartition]", directory: Path, *, makes_all: bool
) -> None:
    """Write the four checkpoints, or only those that exist, cut to the logs."""
    for kind in _WITHOUT if makes_all else kept:
        known, entries = kept.get(kind, {}), []
        for each in done:
            if each.topic is None or each.partition is None or each.topic == CLUSTER_METADATA:
                continue
            end, start = each.log_end_offset, each.log_start_offset
            offset = (known or {}).get((each.topic, each.partition), each.lent.get(kind))
            if kind == "recovery-point" or (kind == "replication" and known is None and offset is None):
                offset = end
            if offset is None or (kind == "log-start" and offset <= start):
                continue
            entries.append(PartitionOffset(each.topic, each.partition, max(start, min(offset, end))))
        write_at(directory / f"{kind}-offset-checkpoint", offset_checkpoint.encode(entries), 0)
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
