"""DataFrames of whole log directories, with a task for each split: read_log_dirs, count_records, compacted."""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyspark.sql.types import LongType, StructField, StructType

from pyspark_kafkafmt.columns import STORED, TIMESTAMP_MS, record_columns, select_columns, source_columns
from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Unpack

    import pyarrow as pa
    from pyarrow.fs import FileSystem
    from pyspark.sql import DataFrame, SparkSession

    from kafkafmt.files.damage import Damage
    from kafkafmt.keywords import RecordKeywords
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.planning import Plan
    from kafkafmt.scanning.splits import Split, SplitReader
    from kafkafmt.values import Schemas
    from kafkafmt.values.decode_arguments import DecodeArguments
    from pyspark_kafkafmt.reports import DamageReport
    from pyspark_kafkafmt.typed_values import TypedColumns

    class ScanArguments(RecordKeywords, total=False):
        """Arguments of `kafkafmt.scan` that choose records, and how and where they are read; see its documentation."""

        filesystem: "FileSystem | None"
        decryption_keys: "Mapping[str, str] | None"


T = TypeVar("T")

_NUMBER: Final = "_kafkafmt_number"


def map_splits(
    spark: "SparkSession",
    splits: "Sequence[T]",
    read: "Callable[[T], Iterator[pa.RecordBatch]]",
    schema: "StructType",
    tasks: int | None = None,
) -> "DataFrame":
    """Make a DataFrame of the rows of splits; its partitions are in the order of the splits.

    All splits are sent with the function, which Spark sends to an executor once; a task only unpickles its own.

    Args:
        spark: the session, a classic one or one of Spark Connect.
        splits: parts of a scan, or other arguments for `read`.
        read: pickled, and called on a worker for each split.
        schema: columns of its rows.
        tasks: maximum number of tasks, which then read several splits each; None for a task for each split.
    """
    pickled = [pickle.dumps(split, pickle.HIGHEST_PROTOCOL) for split in splits]

    def run(numbers: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.worker import freeze, plainly

        try:
            for batch in numbers:
                for number in batch.column(0).to_pylist():
                    yield from read(pickle.loads(pickled[number]))  # noqa: S301 - what the driver pickled
        except KafkafmtError as error:
            raise plainly(error) from None
        finally:
            freeze()

    count = len(pickled)
    most = count if tasks is None else min(count, tasks)
    return spark.range(0, count, 1, max(most, 1)).mapInArrow(run, schema)


_COUNTED_A_TASK: Final = 8
"""Maximum number of splits that one task counts: 1 GiB by default."""

MAX_SPLIT_BYTES: Final = 128 * 1024 * 1024
"""Default size of a task's part in stored bytes: the same as for Spark's own file readers."""


def read_log_dirs(
    spark: "SparkSession",
    paths: "Searchable",
    *,
    columns: Sequence[str] | None = None,
    value_format: str | None = None,
    key_format: str | None = None,
    schemas: "Schemas | str | None" = None,
    record: str | None = None,
    verify_checksums: bool = True,
    report: "Callable[[Damage], None] | None" = None,
    max_split_bytes: int = MAX_SPLIT_BYTES,
    min_splits: int | None = None,
    max_records_per_split: int | None = None,
    **as_scan: "Unpack[ScanArguments]",
) -> "DataFrame":
    """Read the records of log directories: `kafkafmt.scan`, with its arguments and its rows, on Spark.

        read_log_dirs(spark, "/copies", topics="orders", columns=["offset", "timestamp", "value"])

    It takes less time per row than the data source "kafkafmt", which uses Spark's option names. Only the named
    columns are decoded and sent to Spark: name those you need, because Spark does not prune columns here.

    The driver lists and plans in this call; every evaluation of the DataFrame reads the files as they were listed. Each
    task reads one split: whole batches of about `max_split_bytes`. Rows are in the order of `kafkafmt.scan` within a
    partition of the DataFrame, and so are its partitions. Executors open the files by the same paths as the driver.

    Args:
        spark: the session, a classic one or one of Spark Connect (where this call does the planning).
        paths: as for `kafkafmt.scan`: a segment file, a partition directory, a log directory, any directory above,
            what `kafkafmt` opened, or several of those; and, unless there is a `filesystem`, paths with wildcards, as
            for the data source.
        columns: names of the columns, in this order: those of `kafkafmt.scan`, all of them if None, and `timestampMs`;
            with a format also `keySchemaId`, `valueSchemaId`, `keyError`, `valueError`, and, only if named, `keyBytes`
            and `valueBytes`, which are as they are stored.
        value_format: decode values: "auto", "avro", "json", "string", .. as for `kafkafmt.Scan.decode`; None for bytes.
            A value that cannot be decoded ends the job with `on_damage="raise"`, and is null with "skip".
        key_format: decode keys in the same way.
        schemas: the schemas, or a source of them, as for `kafkafmt.values.schemas`; None for the `_schemas` of the
            paths.
        record: with `value_format`, the full name of a record type, as in "com.x.Order", for a topic with several:
            values of other types are left out.
        verify_checksums: compare the CRC of each batch that is read.
        report: called on the driver with each range that was not delivered, as in `Scan.damage` (with
            `on_damage="raise"` these are the open ends of a running broker's files), once the task that found it is
            done, and only once even if it is found again. It is called in another thread, before the action ends. If
            None, damage with `on_damage="skip"` is logged as a warning, which Python writes to stderr unless configured
            otherwise. Not supported with Spark Connect, where executors log it. `Scan.notes` are always logged as
            warnings.
        max_split_bytes: approximate size of one task's part, in stored bytes; more, if there would be over 20,000
            tasks.
        min_splits: minimum number of tasks, if there are as many batches.
        max_records_per_split: maximum number of records of one task; a batch with more is read by several.
        **as_scan: the other arguments of `kafkafmt.scan`.

    Returns:
        a DataFrame with the types of the data source, all columns nullable. `timestamp` is null outside the years 1 to
        9999, which PySpark cannot represent; `timestampMs` bigint always has the number that Kafka stores. `file` is
        the full path or URI.

    Raises:
        SourceError: a path is missing or unreadable, or has no files of Kafka.
        KafkafmtError: planning finds damage, unless damage is skipped.
        UnsupportedError: this Spark is older than 4.0; `report` is given with Spark Connect.
        TypeError, ValueError: an argument is invalid.

        When the job runs, Spark's own `PythonException` contains the text of a KafkafmtError with file and position:
        for damage with `on_damage="raise"`, and for a file that has become shorter, or is gone.
    """
    require_spark()
    from pyspark_kafkafmt.reports import damage_report

    typed = None
    if record is not None and value_format is None:
        raise ValueError("record goes with value_format")
    if value_format is not None or key_format is not None:
        from kafkafmt.values.decode_arguments import IN_PYTHON, DecodeArguments
        from pyspark_kafkafmt.typed_values import schemas_of

        advised = IN_PYTHON._replace(schema=None, written=None)
        formats = value_format or "bytes", key_format or "bytes"
        decoding = DecodeArguments(*formats, schemas_of(schemas), record=record, advised=advised)
        typed = _typed_columns(paths, as_scan, decoding)
    known = {**record_columns(), **({} if typed is None else typed.types)}
    names = [name for name in known if name not in (TIMESTAMP_MS, *STORED)] if columns is None else columns
    schema = select_columns(known, names)
    sources = source_columns(names)
    scanned = sources if typed is None else typed.among(sources).scanned
    arguments = {**as_scan, "columns": scanned, "verify_checksums": verify_checksums}
    plan = plan_splits(paths, arguments, max_split_bytes, min_splits, max_records_per_split)
    read = ReadSplit(plan.reading, tuple(names), damage_report(spark, report, plan), typed)
    return map_splits(spark, plan.splits, read, schema)


def count_records(
    spark: "SparkSession",
    paths: "Searchable",
    *,
    verify_checksums: bool = False,
    report: "Callable[[Damage], None] | None" = None,
    max_split_bytes: int = MAX_SPLIT_BYTES,
    **as_scan: "Unpack[ScanArguments]",
) -> int:
    """Count the records of log directories, from batch headers alone if the filters and the formats allow that.

        count_records(spark, "/copies", topics="orders", start_timestamp=datetime(2026, 11, 1, tzinfo=UTC))

    This is `kafkafmt.Scan.count` on Spark; see there for the cost, and the accuracy in damaged files.

    Args:
        spark: the session, as for `read_log_dirs`.
        paths: as for `read_log_dirs`.
        verify_checksums: also read all bytes and check CRCs.
        report: as for `read_log_dirs`.
        max_split_bytes: as for `read_log_dirs`; without `verify_checksums` a task counts several such parts.
        **as_scan: the other arguments of `kafkafmt.scan`.

    Raises:
        PythonException: Spark's own, with file and position in its text, for damage, unless damage is skipped.
        KafkafmtError, TypeError, ValueError: as for `read_log_dirs`.
    """
    require_spark()
    from pyspark_kafkafmt.reports import damage_report

    plan = plan_splits(paths, {**as_scan, "columns": ["offset"]}, max_split_bytes)
    count = CountSplit(plan.reading, verify_checksums, damage_report(spark, report, plan))
    schema = StructType([StructField("records", LongType())])
    tasks = None if verify_checksums else _tasks_to_count(spark, len(plan.splits))
    (row,) = map_splits(spark, plan.splits, count, schema, tasks).groupBy().sum("records").collect()
    return int(row[0] or 0)


def _tasks_to_count(spark: "SparkSession", splits: int) -> int | None:
    """Number of tasks that count: a worker's work between two tasks takes longer than reading a split's headers."""
    context = getattr(spark, "sparkContext", None)  # Spark Connect has none
    # If executors are allocated dynamically, there are few cores at first.
    return None if context is None else max(context.defaultParallelism, -(-splits // _COUNTED_A_TASK))


def compacted(records: "DataFrame") -> "DataFrame":
    """The latest record of each key, as with `kafkafmt.scan(compacted=True)`, by a window over any DataFrame.

        compacted(read_log_dirs(spark, "/copies", topics="customers"))
        compacted(spark.read.format("kafkafmt").load("/copies"))

    For each key of a partition it is the record with the highest offset, even if that is a tombstone. Records without a
    key are left out, because compaction deletes them. Records that were filtered out before do not count.

    Args:
        records: has the columns `topic`, `partition`, `offset` and `key`, and no control records.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    latest = Window.partitionBy("topic", "partition", "key").orderBy(f.col("offset").desc())
    numbered = records.where(f.col("key").isNotNull()).withColumn(_NUMBER, f.row_number().over(latest))
    return numbered.where(f.col(_NUMBER) == 1).drop(_NUMBER)


@dataclass(frozen=True)
class ReadSplit:
    """Reads the records of a split, on a worker.

    Attributes:
        reading: reads splits.
        names: columns of the DataFrame.
        report: called with damage and notes.
        typed: decodes keys and values; None to leave them as bytes.
    """

    reading: "SplitReader"
    names: tuple[str, ...]
    report: "DamageReport"
    typed: "TypedColumns | None" = None

    def __call__(self, split: "Split") -> "Iterator[pa.RecordBatch]":
        """Give the records in the form that Spark expects."""
        from pyspark_kafkafmt.arrow_batches import SparkBatches

        batches = SparkBatches(self.names, None, self.typed)
        for batch in self.reading.read(split, self.report, self.report.note):
            yield from batches.convert(batch)
        for note in batches.notes():
            self.report.note(note)


@dataclass(frozen=True)
class CountSplit:
    """Counts the records of a split, on a worker.

    Attributes:
        reading: reads splits.
        verify_checksums: whether CRCs are checked.
        report: called with damage and notes.
    """

    reading: "SplitReader"
    verify_checksums: bool
    report: "DamageReport"

    def __call__(self, split: "Split") -> "Iterator[pa.RecordBatch]":
        """Give one row with the number."""
        import pyarrow as pa

        records = self.reading.count(split, self.report, self.report.note, verify_checksums=self.verify_checksums)
        yield pa.RecordBatch.from_pydict({"records": pa.array([records], pa.int64())})


def _typed_columns(paths: "Searchable", as_scan: "ScanArguments", decoding: "DecodeArguments") -> "TypedColumns":
    import kafkafmt
    from pyspark_kafkafmt.paths import places_of
    from pyspark_kafkafmt.typed_values import TypedColumns

    scan = kafkafmt.scan(places_of(paths, expanded=as_scan.get("filesystem") is None), **as_scan)
    return TypedColumns.of(scan, decoding._replace(on_damage=as_scan.get("on_damage", "raise")))


def plan_splits(
    paths: "Searchable",
    arguments: Mapping[str, Any],
    max_split_bytes: int,
    min_splits: int | None = None,
    max_records_per_split: int | None = None,
) -> "Plan":
    """List and divide the files that the tasks of a job read, on the driver.

    Args:
        paths: as for `read_log_dirs`.
        arguments: arguments of `kafkafmt.scan`.
        max_split_bytes: as for `read_log_dirs`.
        min_splits: as for `read_log_dirs`.
        max_records_per_split: as for `read_log_dirs`.

    Raises:
        KafkafmtError, TypeError, ValueError: as for `read_log_dirs`.
    """
    import kafkafmt
    from pyspark_kafkafmt.paths import places_of
    from pyspark_kafkafmt.planning import PlanningProgress

    with PlanningProgress() as progress:
        progress.now = "listing"
        scan = kafkafmt.scan(places_of(paths, expanded=arguments.get("filesystem") is None), **arguments)
        return scan.without_warnings().plan(  # `damage_report` logs its notes
            max_split_bytes=max_split_bytes,
            min_splits=min_splits,
            max_records_per_split=max_records_per_split,
            progress=progress.planned,
        )
