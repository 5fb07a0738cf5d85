"""space on Spark: a task measures a split of the logs, and Spark adds up the groups."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.types import LongType, StructField, StructType

from pyspark_kafkafmt.frames import MAX_SPLIT_BYTES, map_splits, plan_splits
from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.splits import Split, SplitReader
    from kafkafmt.sizing.grouping import Grouping
    from pyspark_kafkafmt.frames import ScanArguments
    from pyspark_kafkafmt.reports import DamageReport

# Milliseconds of the years that PySpark has timestamps for.
_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999
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
    """Measure what takes the space of log directories: `Disks.space`, on Spark.

        space(spark, "/copies", by=["topic", "key"], top=100).show()

    Each task measures a split, and Spark adds up the groups; none is dropped, so all figures are exact.

    Args:
        spark: the session, as for `read_log_dirs`.
        paths: as for `read_log_dirs`.
        by: as for `Disks.space`.
        top: how many groups, those of the most stored bytes; None for all.
        columns: figures to measure; None for all.
        verify_checksums: as for `Disks.space`.
        report: as for `read_log_dirs`.
        max_split_bytes: as for `read_log_dirs`.
        **as_scan: all else that `kafkafmt.scan` takes; `control_records` is true unless it is given.

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
    # Largest first also where stored bytes are not among the columns.
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
        reading: how.
        grouping: what the rows are.
        names: columns wanted.
        report: takes damage and notes.
    """

    reading: "SplitReader"
    grouping: "Grouping"
    names: tuple[str, ...]
    report: "DamageReport"

    def __call__(self, split: "Split") -> "Iterator[pa.RecordBatch]":
        """Give rows of groups, which others of the same group are added to."""
        from kafkafmt.sizing.meter import Meter
        from kafkafmt.sizing.space import rows_of, schema_of
        from kafkafmt.sizing.sums import Sums
        from kafkafmt.topics.answers import record_batches

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
    """The same with times as ms, which Spark cannot spoil."""
    import pyarrow as pa

    arrays = [column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _schema(measured: "pa.Schema") -> StructType:
    """Columns of what a task gives."""
    import pyarrow as pa
    from pyspark.sql.types import BinaryType, ByteType, IntegerType, StringType

    types = {pa.string(): StringType(), pa.int8(): ByteType(), pa.int32(): IntegerType(), pa.binary(): BinaryType()}
    return StructType([StructField(field.name, types.get(field.type, LongType())) for field in measured])


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
    return functions.when(column.between(_FIRST_MS, _LAST_MS), functions.timestamp_millis(column)).alias(field.name)
