"""`Disks.space` and `Disks.verify` on Spark, by tasks that each measure or check a part of the log directories.

Spark sums the groups of `space`; the driver joins the results of `verify_log_dirs`, and simulates the broker's start.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.types import BinaryType, StructField, StructType

from pyspark_kafkafmt.columns import FIRST_MS, LAST_MS
from pyspark_kafkafmt.frames import MAX_SPLIT_BYTES, map_splits, plan_splits
from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa
    from pyarrow.fs import FileSystem
    from pyspark.sql import Column, DataFrame, SparkSession

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.source import Source
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.splits import Split, SplitReader
    from kafkafmt.sizing.grouping import Grouping
    from kafkafmt.startup.outcome import LogDirStart
    from kafkafmt.startup.verification import Verification
    from kafkafmt.startup.verify import VerifyLevel
    from pyspark_kafkafmt.frames import ScanArguments
    from pyspark_kafkafmt.reports import DamageReport

MAX_GROUP_BYTES: Final = 1 << 30
"""Approximate size of the partition directories that one task reads, in bytes; a larger partition has its own task."""

_LOWEST: Final = frozenset({"minOffset", "minTimestamp"})
_HIGHEST: Final = frozenset({"maxOffset", "maxTimestamp"})


def space(
    spark: "SparkSession",
    paths: "Searchable",
    by: str | Iterable[str] = "topic",
    *,
    top: int | None = None,
    columns: Sequence[str] | None = None,
    verify_checksums: bool = True,
    report: "Callable[[Damage], None] | None" = None,
    max_split_bytes: int = MAX_SPLIT_BYTES,
    **as_scan: "Unpack[ScanArguments]",
) -> "DataFrame":
    """Measure the space that groups of records take: `Disks.space`, on Spark.

        space(spark, "/copies", by=["topic", "key"], top=100).show()

    Each task measures a split, and Spark sums the groups; no group is dropped, so all figures are exact.

    Args:
        spark: the session, as for `read_log_dirs`.
        paths: as for `read_log_dirs`.
        by: as for `Disks.space`.
        top: number of groups to return, those with the most stored bytes; None for all.
        columns: figures to measure; None for all.
        verify_checksums: as for `Disks.space`.
        report: as for `read_log_dirs`.
        max_split_bytes: as for `read_log_dirs`.
        **as_scan: the other arguments of `kafkafmt.scan`; `control_records` is true by default.

    Returns:
        a DataFrame with the columns of `Disks.space`, the largest group first. Times outside the years 1 to 9999, which
        PySpark cannot represent, are null.

    Raises:
        KafkafmtError, TypeError, ValueError: as for `read_log_dirs`.
    """
    require_spark()
    from pyspark.sql import functions

    from kafkafmt.sizing.grouping import Grouping
    from kafkafmt.sizing.space import schema_of
    from pyspark_kafkafmt.reports import damage_report

    grouping = Grouping.of(by)
    wanted = schema_of(grouping, columns)
    arguments: dict[str, Any] = {"control_records": True, **as_scan, "verify_checksums": verify_checksums}
    plan = plan_splits(paths, {**arguments, "columns": ["offset"]}, max_split_bytes)
    measure = MeasureSplit(plan.reading, grouping, tuple(wanted.names), damage_report(spark, report, plan))
    # Stored bytes are always measured, to sort by them even if they are not among the columns.
    measured = schema_of(grouping, [*wanted.names, "storedBytes"])
    partial = map_splits(spark, plan.splits, measure, _schema(measured))
    sums = [_added_up(name).alias(name) for name in measured.names if name not in grouping.columns]
    groups = partial.groupBy(*grouping.columns).agg(*sums)
    groups = groups.orderBy(functions.desc("storedBytes"), *grouping.columns)
    if top is not None:
        groups = groups.limit(top)
    return groups.select(*[_shown(field) for field in wanted])


@dataclass(frozen=True)
class MeasureSplit:
    """Measures a split, on a worker.

    Attributes:
        reading: reads splits.
        grouping: which groups the records belong to.
        names: the columns to measure.
        report: called with damage and notes.
    """

    reading: "SplitReader"
    grouping: "Grouping"
    names: tuple[str, ...]
    report: "DamageReport"

    def __call__(self, split: "Split") -> "Iterator[pa.RecordBatch]":
        """Give rows of groups; rows of the same group are summed later."""
        from kafkafmt.answer_columns import record_batches
        from kafkafmt.sizing.meter import Meter
        from kafkafmt.sizing.space import rows_of, schema_of
        from kafkafmt.sizing.sums import Sums

        schema = schema_of(self.grouping, [*self.names, "storedBytes"])
        full: list[pa.RecordBatch] = []

        def batches() -> "Iterator[pa.RecordBatch]":
            return map(_with_numbers, record_batches(rows_of(sums, schema, None), schema))

        limits = self.reading.limits
        sums = Sums(self.grouping, limits.max_state_bytes, lambda: full.extend(batches()))
        meter = Meter([sums], self.names, limits, verify_checksums=self.reading.verify_checksums)
        self.reading.show(split, meter, self.report, self.report.note, reads_bytes=meter.reads_bytes)
        yield from full
        yield from batches()


def _with_numbers(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """The same batch with times as milliseconds, which Spark does not change."""
    import pyarrow as pa

    arrays = [column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _schema(measured: "pa.Schema") -> StructType:
    """Columns of the rows of a task."""
    import pyarrow as pa

    from pyspark_kafkafmt.arrow_batches import spark_schema

    return spark_schema([each.with_type(pa.int64()) if pa.types.is_timestamp(each.type) else each for each in measured])


def _added_up(name: str) -> "Column":
    from pyspark.sql import functions

    if name in _LOWEST:
        return functions.min(name)
    return functions.max(name) if name in _HIGHEST else functions.sum(name)


def _shown(field: "pa.Field") -> "Column":
    import pyarrow as pa
    from pyspark.sql import functions

    column = functions.col(field.name)
    if not pa.types.is_timestamp(field.type):
        return column
    return functions.when(column.between(FIRST_MS, LAST_MS), functions.timestamp_millis(column)).alias(field.name)


def verify_log_dirs(
    spark: "SparkSession",
    paths: "Searchable",
    *,
    level: "VerifyLevel" = "checksums",
    cluster_id: str | None = None,
    node_id: int | None = None,
    metadata: "Searchable | None" = None,
    filesystem: "FileSystem | None" = None,
    limits: "Limits | None" = None,
    max_group_bytes: int = MAX_GROUP_BYTES,
    copies: "Source | Sequence[Source]" = (),
) -> "Verification":
    """Check log directories, and predict how a broker starts on them: `Disks.verify`, on Spark.

        verify_log_dirs(spark, ["/data/d0", "/data/d1"]).findings

    Each task checks a group of partitions. The driver joins the results: it compares replicas, and reads the files that
    a start reads (after a kill, the segments from the recovery points on).

    Args:
        spark: the session, a classic one or one of Spark Connect.
        paths: as for `kafkafmt.open`; executors open the files by the same paths as the driver.
        level: as for `Disks.verify`.
        cluster_id: as for `Disks.verify`.
        node_id: as for `Disks.verify`.
        metadata: as for `Disks.verify`.
        filesystem: as for `Disks.verify`.
        limits: as for `Disks.verify`.
        max_group_bytes: approximate number of stored bytes that one task reads.
        copies: as for `Disks.verify`.

    Returns:
        the result of `Disks.verify`: `.findings`, `.verdict`, `.partitions` are Arrow tables, which
        `spark.createDataFrame` accepts.

    Raises:
        SourceError: a path cannot be read, or has no files of Kafka.
        KafkafmtError: the given metadata cannot be read.
        UnsupportedError: this Spark is older than 4.0.
    """
    require_spark()
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.startup.outcome import Configured
    from kafkafmt.startup.verify import conclude, find_log_dirs, survey_some, verify

    log_dirs = find_log_dirs(Sources(paths, filesystem))
    if not log_dirs:  # only partition directories or files: nothing to divide
        return verify(
            paths,
            level=level,
            cluster_id=cluster_id,
            node_id=node_id,
            metadata=metadata,
            filesystem=filesystem,
            limits=limits,
            copies=copies,
        )
    check = CheckGroup(paths, level, filesystem, limits)
    schema = StructType([StructField("found", BinaryType())])
    groups = _groups(log_dirs, max_group_bytes)
    _, found = survey_some(paths, (), level, filesystem, limits)
    surveyed = []
    for row in map_splits(spark, groups, check, schema).collect() if groups else ():
        part, findings = pickle.loads(row.found)  # noqa: S301 - what a task pickled
        surveyed += part
        found += findings
    return conclude(log_dirs, found, surveyed, Configured(node_id, cluster_id), metadata, filesystem, copies)


@dataclass(frozen=True)
class CheckGroup:
    """Checks a group of partitions, on a worker.

    Attributes:
        paths: log directories.
        level: as for `Disks.verify`.
        filesystem: the file system of the paths, or None.
        limits: bounds of decoding.
    """

    paths: "Searchable"
    level: "VerifyLevel"
    filesystem: "FileSystem | None"
    limits: "Limits | None"

    def __call__(self, group: frozenset[str]) -> "Iterator[pa.RecordBatch]":
        """Give one row: the survey without its segments, and the findings, pickled."""
        from dataclasses import replace

        import pyarrow as pa

        from kafkafmt.logdir.partition import Partition
        from kafkafmt.startup.verify import survey_some

        surveyed, found = survey_some(self.paths, group, self.level, self.filesystem, self.limits)
        # A partition object keeps what it has read, but the driver only needs its location, so a fresh one is sent.
        small = [
            replace(each, segments=(), directory=each.directory and Partition(each.directory.location))
            for each in surveyed
        ]
        value = pickle.dumps((small, found), pickle.HIGHEST_PROTOCOL)
        yield pa.RecordBatch.from_pydict({"found": pa.array([value], pa.binary())})


def _groups(log_dirs: "list[LogDirStart]", max_bytes: int) -> list[frozenset[str]]:
    """Group neighbouring partition directories until they are large enough for a task."""
    groups: list[frozenset[str]] = []
    waiting: set[str] = set()
    total = 0
    for log_dir in log_dirs:
        for directory in log_dir.directory.listed:
            size = sum(entry.size or 0 for entry in directory.listing if entry.is_file)
            if waiting and total + size > max_bytes:
                groups.append(frozenset(waiting))
                waiting, total = set(), 0
            waiting.add(directory.location.identity)
            total += size
    return [*groups, frozenset(waiting)] if waiting else groups
