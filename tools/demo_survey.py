"""What tools/demo says of a log directory before Spark reads it: its files, and a check of them by kafkafmt alone."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import kafkafmt


@dataclass(frozen=True)
class LogFile:
    """One segment that is read.

    Attributes:
        topic: of its partition, or None for a directory without a Kafka name.
        size: in bytes.
    """

    topic: str | None
    size: int


@dataclass(frozen=True)
class Survey:
    """What a log directory holds, by its names and batch headers alone.

    Attributes:
        files: the segments of the default view.
        records: number that the headers of their sound batches announce.
        damage: what of them cannot be delivered.
        left_out: a line of text for each thing that is not part of the log.
    """

    files: list[LogFile]
    records: int
    damage: list[kafkafmt.Damage]
    left_out: list[str]


def survey(log_dir: Path) -> Survey:
    """Walk a log directory, or what holds several, as `kafkafmt.scan` does, checksums included.

    Raises:
        KafkafmtError: the directory cannot be read, or holds nothing of Kafka's.
    """
    scan = kafkafmt.scan(log_dir, on_damage="skip").without_warnings()
    records = scan.count(verify_checksums=True)
    damage = scan.damage
    skipped = [partition.path for partition in scan.skipped_replicas]
    log_dirs = _log_dirs(log_dir)
    live = [each for one in log_dirs for each in one.partitions] if log_dirs else [kafkafmt.Partition(str(log_dir))]
    files: list[LogFile] = []
    is_cut = False
    suffixes: Counter[str] = Counter()
    for partition in live:
        if partition.path in skipped:
            continue
        is_cut = is_cut or _is_cut(partition)
        files += [LogFile(partition.topic, segment.size) for segment in partition.segments]
        suffixes.update(Path(segment.name).suffix for segment in partition.other_segments)
    left_out = [f"{count} {suffix} files that are not part of the log" for suffix, count in sorted(suffixes.items())]
    set_aside = sum(len(one.other_partitions) for one in log_dirs)
    if set_aside:
        left_out.append(f"partition directories set aside (-delete, -future, -stray): {set_aside}")
    if skipped:
        left_out.append(f"{len(skipped)} older copies of partitions, such as {skipped[0]}")
    if is_cut:
        below = (
            kafkafmt.scan(log_dir, on_damage="skip", below_log_start=True)
            .without_warnings()
            .count(verify_checksums=True)
            - records
        )
        left_out.append(f"{below:,} records below the log start offset")
    return Survey(files, records, damage, left_out)


def _log_dirs(path: Path) -> list[kafkafmt.LogDir]:
    try:
        return kafkafmt.open_log_dirs(path)
    except kafkafmt.SourceError:
        return []  # `scan` has read it, so it is a partition directory


def _is_cut(partition: kafkafmt.Partition) -> bool:
    try:
        return partition.checkpointed_log_start_offset is not None
    except kafkafmt.SourceError:
        raise
    except kafkafmt.KafkafmtError:
        return False  # a broken checkpoint cuts nothing, and `scan` lists it as damage
