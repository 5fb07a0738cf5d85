"""What tools/demo reads: which files, their records on Spark, and a check of them by kafkafmt alone.

Segments go through `parse_segment` on Spark's binaryFile, up to the size that does well there; larger ones are streamed
by `kafkafmt.scan` on Spark's workers. Which files make up the logs and where each log starts kafkafmt's tree tells, so
that the records are those of `kafkafmt.scan(LOG_DIR, on_damage="skip")`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import kafkafmt
from pyspark_kafkafmt import parse_segment
from pyspark_kafkafmt.columns import RECORD_COLUMNS, select_columns, to_spark

STREAMED_FROM_BYTES = 4 * 1024 * 1024
"""Spark holds a binaryFile and its decompressed records several times over: larger files are streamed instead."""

_GLOB_CHARACTER = re.compile(r"[\\*?\[\]{}]")


@dataclass(frozen=True)
class LogFile:
    """One segment to read.

    Attributes:
        path: absolute.
        name: as kafkafmt's `file` column has it.
        topic: of its partition, or None for a directory without a Kafka name.
        size: in bytes.
        log_start_offset: records below it are not part of the log; None without a checkpoint.
    """

    path: str
    name: str
    topic: str | None
    size: int
    log_start_offset: int | None


@dataclass(frozen=True)
class Survey:
    """What a log directory holds, by its names and batch headers alone.

    Attributes:
        files: the segments of the default view.
        records: number that the headers of their sound batches announce.
        damage: what of them cannot be delivered.
        left_out: a line of text for each thing that is no part of the log.
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
    scan = kafkafmt.scan(log_dir, on_damage="skip")
    records = scan.count(verify_checksums=True)
    damage = scan.damage
    skipped = [partition.path for partition in scan.skipped_replicas]
    log_dirs = _log_dirs(log_dir)
    live = [each for one in log_dirs for each in one.partitions] if log_dirs else [kafkafmt.Partition(str(log_dir))]
    files = []
    suffixes: Counter[str] = Counter()
    for partition in live:
        if partition.path in skipped:
            continue
        start = _log_start_offset(partition)
        for segment in partition.segments:
            path = os.path.abspath(segment.path)
            files.append(LogFile(path, segment.file, partition.topic, segment.size, start))
        suffixes.update(Path(segment.name).suffix for segment in partition.other_segments)
    left_out = [f"{count} {suffix} files, which are no part of the log" for suffix, count in sorted(suffixes.items())]
    set_aside = sum(len(one.other_partitions) for one in log_dirs)
    if set_aside:
        left_out.append(f"{set_aside} partition directories that the broker has set aside (-delete, -future, -stray)")
    if skipped:
        left_out.append(f"{len(skipped)} copies of partitions of which there is a better replica, such as {skipped[0]}")
    if any(file.log_start_offset is not None for file in files):
        below = kafkafmt.scan(log_dir, on_damage="skip", below_log_start=True).count(verify_checksums=True) - records
        left_out.append(f"{below:,} records below the log start offset")
    return Survey(files, records, damage, left_out)


def read_records(spark: SparkSession, files: list[LogFile]) -> DataFrame:
    """Read the records of log files, with the columns of `parse_segment`; damage is left out."""
    listing = spark.createDataFrame(
        [(f"file:{file.path}", file.name, file.log_start_offset, file.size) for file in files],
        "path string, name string, logStartOffset bigint, size bigint",
    )
    small = [f"file:{file.path}" for file in files if file.size < STREAMED_FROM_BYTES]
    parts = []
    if small:
        parts.append(
            spark.read.format("binaryFile")
            .load([escape_glob(uri) for uri in small])
            .join(F.broadcast(listing), "path")
            .select("name", "logStartOffset", F.explode(parse_segment("path", "content", on_damage="skip")).alias("r"))
            .where("logStartOffset is null or r.offset >= logStartOffset")
            .select(*(F.col("name" if name == "file" else f"r.{name}").alias(name) for name in RECORD_COLUMNS))
        )
    large = len(files) - len(small)
    if large:
        streamed = listing.where(F.col("size") >= STREAMED_FROM_BYTES).repartition(large)
        parts.append(streamed.mapInArrow(_stream, select_columns(RECORD_COLUMNS, None)))
    return reduce(DataFrame.union, parts)


def escape_glob(path: str) -> str:
    """Write a path so that Spark, which takes paths for patterns, finds just this one."""
    return _GLOB_CHARACTER.sub(r"\\\g<0>", path)


def _stream(listing: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for rows in listing:
        for row in rows.to_pylist():
            path, start = row["path"].removeprefix("file:"), row["logStartOffset"]
            for batch in kafkafmt.scan(path, start_offset=start, below_log_start=True, on_damage="skip").to_reader():
                structs = to_spark(pa.Table.from_batches([batch]), list(RECORD_COLUMNS))
                columns = dict(zip(RECORD_COLUMNS, structs.flatten(), strict=True))
                columns["file"] = pa.repeat(row["name"], len(batch))
                yield pa.RecordBatch.from_pydict(columns)


def _log_dirs(path: Path) -> list[kafkafmt.LogDir]:
    try:
        return kafkafmt.open_log_dirs(path)
    except kafkafmt.SourceError:
        return []  # `scan` has read it, so it is a partition directory


def _log_start_offset(partition: kafkafmt.Partition) -> int | None:
    try:
        return partition.checkpointed_log_start_offset
    except kafkafmt.SourceError:
        raise
    except kafkafmt.KafkafmtError:
        return None  # a broken checkpoint cuts nothing, and `scan` lists it as damage
