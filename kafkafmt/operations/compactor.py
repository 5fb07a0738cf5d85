"""Compactor: judges each log as the cleaner does, and makes one pass over it.

The result can be written as a copy of the log directories, with all other logs unchanged.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from kafkafmt.answer_columns import TableColumns, columns_of
from kafkafmt.errors import SourceError, UnsupportedError
from kafkafmt.files import offset_checkpoint
from kafkafmt.files.names import is_kafka_file, parse_segment_file_name, segment_file_name
from kafkafmt.files.offset_checkpoint import PartitionOffset
from kafkafmt.findings import Finding, finding_of
from kafkafmt.logdir.checkpoints import CHECKPOINTS, CLEANER_CHECKPOINT
from kafkafmt.logdir.leader_epochs import history_beside
from kafkafmt.logdir.partition import Partition
from kafkafmt.operations.cleanable import Cleanable, CompactedLog, cleanable
from kafkafmt.operations.cleaner import CleanerPass, CleanerStats
from kafkafmt.operations.configs import Configs, TopicConfigs
from kafkafmt.operations.header_order import order_findings
from kafkafmt.operations.record_filter import CleanedBatch, CleanerStoppedError
from kafkafmt.operations.stored_batches import BatchReader
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.sizing.grouping import GroupColumns
from kafkafmt.sizing.space import Figures
from kafkafmt.writing.segment_writer import SegmentWriter, write_at
from kafkafmt.writing.target import PRIVATE_DIRECTORY

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import Location
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.logdir.segment import Segment

_OF_A_SEGMENT: Final = ("log", "index", "timeindex", "txnindex")
_SOURCES: Final = (
    "cleanup.policy",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "max.compaction.lag.ms",
    "delete.retention.ms",
)
_GONE: Final = (".deleted", ".cleaned", ".part")
_PIECE: Final = 1 << 20
_NANOS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PartitionCompaction:
    """The cleaner's action on one log.

    Attributes:
        partition: the partition.
        configs: configs in force.
        cleanable: range of the log to clean.
        would_clean: whether Kafka would pick the log if it were the only one.
        reason: why Kafka would pick it, or not.
        stats: what a pass removes, picked or not; None without compact in the policy, without dirty bytes, where
            Kafka's cleaner fails, or at damage.
        cleaned_up_to: the offset in cleaner-offset-checkpoint after that pass; None without one.
        segments_before: number of segments that the pass reads; None without one.
        segments_after: number of segments that they become; None without a pass.
    """

    partition: "Partition"
    configs: TopicConfigs
    cleanable: Cleanable
    would_clean: Annotated[bool, "bool"]
    reason: Annotated[str, "string"]
    stats: CleanerStats | None = None
    cleaned_up_to: Annotated[int | None, "int64"] = None
    segments_before: Annotated[int | None, "int64"] = None
    segments_after: Annotated[int | None, "int64"] = None

    @property
    def cleanup_policy(self) -> Annotated[str, "string"]:
        """`cleanup.policy` in force."""
        return self.configs.text("cleanup.policy")

    @property
    def min_cleanable_dirty_ratio(self) -> Annotated[float, "float64"]:
        """`min.cleanable.dirty.ratio` in force."""
        return self.configs.real("min.cleanable.dirty.ratio")

    @property
    def config_source(self) -> Annotated[str, "string"]:
        """Sources of the deciding configs."""
        return self.configs.source(*_SOURCES)

    @property
    def is_compacted(self) -> bool:
        """Whether `cleanup.policy` has `compact`."""
        return "compact" in self.configs.policies

    @property
    def removable_records(self) -> Annotated[int | None, "int64"]:
        """Records that a pass at `--at` removes; None without `compact`, without dirty bytes, or if it fails."""
        return None if self.stats is None else self.stats.records_read - self.stats.records_written

    @property
    def removable_bytes(self) -> Annotated[int | None, "int64"]:
        """Bytes that a pass at `--at` removes, negative if it adds some; None without a pass."""
        return None if self.stats is None else self.stats.bytes_read - self.stats.bytes_written


TABLES: Final = {
    "partitions": TableColumns(
        *columns_of(Partition, "partition", only=("topic", "partition")),
        *columns_of(PartitionCompaction, only=("cleanup_policy",)),
        *columns_of(Cleanable, "cleanable"),
        *columns_of(PartitionCompaction, only=("min_cleanable_dirty_ratio", "would_clean", "reason")),
        *columns_of(PartitionCompaction, after="is_compacted"),
        *columns_of(CleanerStats, "stats", only=("tombstones", "delete_horizon", "without_key"), optional=True),
        *columns_of(PartitionCompaction, only=("cleaned_up_to", "segments_before", "segments_after", "config_source")),
        *columns_of(Partition, "partition", only=("path",)),
    ),
    "keys": TableColumns(
        *columns_of(GroupColumns, only=("topic", "partition", "key")),
        *columns_of(Figures, only=("records", "record_bytes", "stored_bytes", "max_offset", "records_error")),
    ),
}
"""Tables of `compaction`, by name."""


class Compactor:
    """Judges logs, and makes a pass over those with a range to clean.

    Args:
        configs: the configs in force.
        at: the time of the pass, in ms.
        on_damage: "raise" at damage, or "skip" it.
        limits: bounds of every decode.
        progress: called with the number of bytes that were read.

    Attributes:
        damage: skipped damage.
        findings: logs at which Kafka's cleaner fails, faults of producer snapshots, and batches out of order where
            producers or a pass are read.
    """

    def __init__(
        self, configs: Configs, at: int, on_damage: "OnDamage", limits: "Limits", progress: Callable[[int], None]
    ) -> None:
        self.damage: list[Damage] = []
        self.findings: list[Finding] = []
        self._configs = configs
        self._at = at
        self._on_damage: OnDamage = on_damage
        self._limits = limits
        self._reader = BatchReader(limits, on_damage, self.damage.append, progress)

    def judge(self, found: "Found", directory: Path | None) -> PartitionCompaction:
        """Judge one log.

        Args:
            found: the partition directory.
            directory: directory for the log after a pass; not created if no pass can be made. None to write nothing.

        Raises:
            KafkafmtError: there is damage that is not skipped, or a file cannot be read.
        """
        log = CompactedLog(found, self._on_damage, self._limits)
        partition, configs = log.partition, self._configs.of_partition(log.partition)
        judged = cleanable(log, configs, self._at)
        would_clean, reason = judged.verdict(configs)
        before = len(self.damage)
        self.damage += log.damage
        self.findings += log.findings
        answer = PartitionCompaction(partition, configs, judged, would_clean, reason)
        if "compact" not in configs.policies or not judged.dirty_bytes:
            return answer
        if "delete" in configs.policies:
            reason += "; cleanup.policy has delete, too: see `retention` for what that deletes"
            answer = replace(answer, reason=reason)
        history = cache(partial(history_beside, log.active))
        for segment in log.between(log.start, judged.first_uncleanable):
            found_in = order_findings(partition, segment, log.following(segment), history)
            self.findings += (each for each in found_in if each not in log.findings)
        made = CleanerPass(log, judged, configs, self._at, self._reader)
        try:
            if directory is None:
                made.run()
            else:
                _write_cleaned(made, directory)
        except CleanerStoppedError as error:
            self.findings.append(
                finding_of(error, error.file or partition.path, topic=partition.topic, partition=partition.partition)
            )
            return replace(answer, reason=f"{reason}; but Kafka's cleaner fails: {error.message}")
        if any(not each.is_open_end for each in self.damage[before:]):
            if directory is not None:
                shutil.rmtree(directory)
            return replace(answer, reason=f"{reason}; the log is damaged, so it is unknown what a pass removes")
        return replace(
            answer,
            stats=made.stats,
            cleaned_up_to=made.cleaned_up_to,
            segments_before=sum(map(len, made.groups)),
            segments_after=len(made.groups),
        )


def copy_partition(partition: "Partition", directory: Path) -> None:
    """Copy a partition directory unchanged, without files that a broker deletes, and those that are not Kafka's.

    Raises:
        SourceError: a file cannot be read or written.
    """
    directory.mkdir(PRIVATE_DIRECTORY)
    for entry in partition.listing:
        if entry.is_file and _is_copied(entry.name):
            _copy_file(entry.location, directory / entry.name)


def write_beside(
    log_dir: "LogDir",
    directory: Path,
    partitions: "Iterable[Partition]",
    cleaned_up_to: Mapping[tuple[str, int], int],
) -> None:
    """Write the files beside the partitions of a log directory.

    Args:
        log_dir: the log directory that is copied.
        directory: path of the copy.
        partitions: its partitions that were written.
        cleaned_up_to: the cleaner's new checkpoint for some partitions.

    Raises:
        KafkafmtError: a checkpoint is broken, or a file cannot be read or written.
    """
    for entry in log_dir.location.list():
        if entry.is_file and entry.name not in CHECKPOINTS and _is_copied(entry.name):
            _copy_file(entry.location, directory / entry.name)
    written = {(each.topic, each.partition) for each in partitions}
    checkpoints = {name: dict(checkpoint.offsets) for name, checkpoint in log_dir.checkpoints.items()}
    checkpoints.setdefault(CLEANER_CHECKPOINT, {}).update(cleaned_up_to)
    for name, offsets in checkpoints.items():
        entries = [
            PartitionOffset(topic, partition, offset)
            for (topic, partition), offset in offsets.items()
            if (topic, partition) in written
        ]
        write_at(directory / name, offset_checkpoint.encode(entries), 0)


def _write_cleaned(made: CleanerPass, directory: Path) -> None:
    """Make a pass, and write the partition directory that it leaves.

    Args:
        made: the pass.
        directory: path of the new partition directory; it must not exist.

    Raises:
        CleanerStoppedError: Kafka's cleaner fails; the directory has been removed again.
        KafkafmtError: there is damage, or a file cannot be read or written.
    """
    directory.mkdir(PRIVATE_DIRECTORY)
    try:
        for group in made.groups:
            _write_group(made, group, directory)
        made.see_rest()
    except CleanerStoppedError:
        shutil.rmtree(directory)
        raise
    cleaned = {segment.base_offset for group in made.groups for segment in group}
    bases = {group[0].base_offset for group in made.groups}
    for entry in made.log.partition.listing:
        name = parse_segment_file_name(entry.name)
        if not entry.is_file or not _is_copied(entry.name):
            continue
        # Producer snapshots of removed segments are removed with them (`UnifiedLog.replaceSegments`).
        stays = name is None or name.base_offset not in cleaned or name.base_offset in bases
        if not stays or (name is not None and name.base_offset in cleaned and name.kind in _OF_A_SEGMENT):
            continue
        is_swap = name is not None and name.suffix == ".swap"
        target = segment_file_name(name.base_offset, name.kind) if name is not None and is_swap else entry.name
        _copy_file(entry.location, directory / target)


def _is_copied(name: str) -> bool:
    """Whether a file is copied: not if it is Kafka's lock or about to be deleted, or not a Kafka file."""
    return is_kafka_file(name) and not name.endswith(_GONE)


def _write_group(made: CleanerPass, group: "Sequence[Segment]", directory: Path) -> None:
    base_offset = group[0].base_offset or 0
    writer = SegmentWriter(
        directory,
        base_offset,
        index_interval_bytes=made.configs.number("index.interval.bytes"),
        index_max_bytes=made.configs.number("segment.index.bytes"),
        preallocate=0,
        opened_ms=made.at,
    )
    writer.open_indexes()
    for batches in made.batches(group):
        if batches:
            position = writer.size
            headers = []
            for batch in batches:
                headers.append(_header(batch, position))
                position += len(batch.data)
            try:
                writer.append(headers, b"".join(batch.data for batch in batches))
            except UnsupportedError as error:
                raise CleanerStoppedError(error.message) from None
    writer.append_aborted(made.aborted())
    writer.close()
    changed = group[-1].location.modified()
    if changed is not None:
        for kind in _OF_A_SEGMENT:
            path = directory / segment_file_name(base_offset, kind)
            if path.exists():
                os.utime(path, ns=(changed * _NANOS, changed * _NANOS))


def _header(batch: CleanedBatch, position: int) -> BatchHeader:
    return BatchHeader(
        None,
        position,
        len(batch.data),
        batch.base_offset,
        CURRENT_MAGIC,
        last_offset=batch.last_offset,
        max_timestamp=batch.max_timestamp,
    )


def _copy_file(location: "Location", path: Path) -> None:
    """Copy a file with its modification time.

    Raises:
        SourceError: the file cannot be read, becomes shorter, or cannot be written.
    """
    write_at(path, b"", 0)
    with location.open() as file:
        buffer = memoryview(bytearray(min(_PIECE, file.size)))
        position = 0
        while position < file.size:
            count = file.readinto_at(position, buffer)
            if not count:
                raise SourceError("became shorter while it was read", file=file.name)
            write_at(path, buffer[:count], position)
            position += count
    changed = location.modified()
    if changed is not None:
        os.utime(path, ns=(changed * _NANOS, changed * _NANOS))
