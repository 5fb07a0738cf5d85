"""The records of internal topics as a DataFrame, decoded."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark_kafkafmt.arrow_batches import spark_batches, spark_schema
from pyspark_kafkafmt.columns import TIMESTAMP_MS
from pyspark_kafkafmt.frames import MAX_SPLIT_BYTES, ScanArguments
from pyspark_kafkafmt.paths import paths_of
from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.source import Source
    from kafkafmt.scanning.splits import Split, SplitReader
    from kafkafmt.topics.tables import KindDecoder
    from pyspark_kafkafmt.reports import DamageReport, Report


def read_internal_topic(
    spark: "SparkSession",
    paths: "Source | Iterable[Source]",
    kind: str,
    *,
    columns: Sequence[str] | None = None,
    verify_checksums: bool = True,
    report: "Callable[[Damage], None] | None" = None,
    max_split_bytes: int = MAX_SPLIT_BYTES,
    min_splits: int | None = None,
    max_records_per_split: int | None = None,
    **as_scan: "Unpack[ScanArguments]",
) -> "DataFrame":
    """Read the records of one kind, or all of an internal topic: `kafkafmt.topics.read`, with its rows, on Spark.

        commits = read_internal_topic(spark, "/copies/*", "OffsetCommit")
        commits.groupBy("key.group").agg(max("value.commitTimestamp"))

    It is planned and read as `read_log_dirs` does it. A record that cannot be decoded is a row whose `error` says why;
    how many there are in a split, and how many records of kinds that are not known, is logged as a warning on the
    driver (with Spark Connect by the executors).

    Args:
        spark: the session, a classic one or one of Spark Connect.
        paths: as for `read_log_dirs`; what they hold is taken for one cluster, and of a partition found more than once
            the best replica is read.
        kind: name of a kind (`kafkafmt.topics.decoding.KINDS`): "OffsetCommit", "TransactionLog", "TopicRecord", ..;
            or of an internal topic, for all kinds in it with key and value as JSON.
        columns: names of the columns, in this order; all if None. There is also `timestampMs`, as in `read_log_dirs`.
        verify_checksums: as for `read_log_dirs`.
        report: as for `read_log_dirs`.
        max_split_bytes: as for `read_log_dirs`.
        min_splits: as for `read_log_dirs`.
        max_records_per_split: as for `read_log_dirs`.
        **as_scan: other arguments of `kafkafmt.scan`; except `topics`, which the kind gives.

    Returns:
        a DataFrame of the columns of `kafkafmt.topics.read`, all nullable; `file` is the full path or URI.

    Raises:
        SourceError, KafkafmtError, UnsupportedError: as for `read_log_dirs`.
        TypeError, ValueError: an argument that makes no sense, or an unknown kind.
    """
    require_spark()
    import pyarrow as pa

    import kafkafmt
    from kafkafmt.topics import tables
    from pyspark_kafkafmt.frames import map_splits
    from pyspark_kafkafmt.planning import PlanningProgress
    from pyspark_kafkafmt.reports import damage_report, sentence_report

    if "topics" in as_scan:
        raise TypeError("topics: the kind gives the topic; pass its name as the kind for all records in it")
    names = None if columns is None else list(columns)
    wanted = None if names is None else list(dict.fromkeys("timestamp" if n == TIMESTAMP_MS else n for n in names))
    with PlanningProgress() as progress:
        progress.now = "listing"
        found = paths_of(paths, expanded=as_scan.get("filesystem") is None)
        scan = kafkafmt.scan(found, verify_checksums=verify_checksums, **as_scan)
        decoded = tables.decode(scan, kind, columns=wanted)
        plan = decoded.scan.plan(
            max_split_bytes=max_split_bytes,
            min_splits=min_splits,
            max_records_per_split=max_records_per_split,
            progress=progress.planned,
        )
    fields = {field.name: field for field in decoded.schema} | {TIMESTAMP_MS: pa.field(TIMESTAMP_MS, pa.int64())}
    shown = tuple(decoded.schema.names if names is None else names)
    read = ReadDecoded(
        plan.reading,
        decoded.decoder,
        shown,
        damage_report(spark, report, plan),
        sentence_report(spark, None),
    )
    return map_splits(spark, plan.splits, read, spark_schema([fields[name] for name in shown]))


@dataclass(frozen=True)
class ReadDecoded:
    """Reads and decodes the records of a split, on a worker.

    Attributes:
        reading: how to read.
        decoder: how to decode.
        names: columns of the DataFrame.
        report: takes damage and notes.
        say: takes what could not be decoded.
    """

    reading: "SplitReader"
    decoder: "KindDecoder"
    names: tuple[str, ...]
    report: "DamageReport"
    say: "Report"

    def __call__(self, split: "Split") -> "Iterator[pa.RecordBatch]":
        """Give the records as Spark takes them."""
        import pyarrow as pa

        from kafkafmt.topics.tables import Account

        account = Account()
        for batch in self.reading.read(split, self.report, self.report.note):
            for rows in self.decoder.decode(batch, account):
                if TIMESTAMP_MS in self.names:
                    rows = rows.append_column(TIMESTAMP_MS, rows.column("timestamp").view(pa.int64()))  # noqa: PLW2901
                yield from spark_batches(rows.select(self.names))
        for note in account.notes(self.decoder.topic):
            self.say(split.tasks[0].file, note)
