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
from kafkafmt.logdir import Partition, replicas, sources
from kafkafmt.logdir.log_dir import find_log_dirs
from pyspark_kafkafmt import parse_segment
from pyspark_kafkafmt.columns import RECORD_COLUMNS, select_columns, to_spark

STREAMED_FROM_BYTES = 16 * 1024 * 1024
"""binaryFile holds a file several times over, and once decompressed: from this size on files are streamed instead."""

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
class Checked:
    """What a walk over the batch headers found, beside the records that Spark read.

    Attributes:
        records: number that the headers announce.
        below_log_start: number that lies below the log start offsets.
        damage: what cannot be delivered.
    """

    records: int
    below_log_start: int
    damage: list[kafkafmt.Damage]


def list_log_files(log_dir: Path) -> tuple[list[LogFile], list[str]]:
    """List the segments of the default view, and say in a line each what is left out of it.

    Raises:
        KafkafmtError: the directory cannot be read, or holds nothing of Kafka's.
    """
    found, skipped = replicas.best(sources.find(log_dir))
    files = []
    others: Counter[str] = Counter()
    for each in found:
        start = _log_start_offset(each.partition)
        for segment in each.segments:
            path = os.path.abspath(segment.path)
            files.append(LogFile(path, segment.file, each.partition.topic, segment.size, start))
        others.update(Path(segment.name).suffix for segment in each.partition.other_segments)
    aside = [each for one in find_log_dirs(str(log_dir)) for each in one.other_partitions]
    left_out = [f"{count} {suffix} files, which are no part of the log" for suffix, count in sorted(others.items())]
    if aside:
        left_out.append(f"{len(aside)} partition directories that the broker has set aside (-delete, -future, -stray)")
    left_out += [f"{each.path}, of which there is a better replica" for each in skipped]
    return files, left_out


def check(log_dir: Path, *, cut: bool) -> Checked:
    """Walk the headers and checksums of the default view; `cut` if any log starts inside a segment."""
    scan = kafkafmt.scan(log_dir, on_damage="skip")
    records = scan.count(verify_checksums=True)
    damage = scan.damage
    whole = kafkafmt.scan(log_dir, on_damage="skip", below_log_start=True).count() if cut else records
    return Checked(records, whole - records, damage)


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
            .load([_GLOB_CHARACTER.sub(r"\\\g<0>", uri) for uri in small])
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


def _stream(listing: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for rows in listing:
        for row in rows.to_pylist():
            for batch in kafkafmt.scan(row["path"].removeprefix("file:"), on_damage="skip").to_reader():
                structs = to_spark(pa.Table.from_batches([batch]), list(RECORD_COLUMNS))
                columns = dict(zip(RECORD_COLUMNS, structs.flatten(), strict=True))
                columns["file"] = pa.repeat(row["name"], len(batch))
                yield pa.RecordBatch.from_pydict(columns)


def _log_start_offset(partition: Partition) -> int | None:
    try:
        return partition.checkpointed_log_start_offset
    except kafkafmt.SourceError:
        raise
    except kafkafmt.KafkafmtError:
        return None  # a broken checkpoint cuts nothing; `check` lists it as damage
