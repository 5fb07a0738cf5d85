"""Kafka's internal topics on Spark: their decoded records, and the state of whole fleets of clusters.

`read_internal_topic` gives the rows of `kafkafmt.topics.read`, with one task for each split of the logs. `groups`,
`transactions`, `producers` and `metadata` give the results of `kafkafmt.topics`, with one task for each cluster; a
cluster whose files are damaged or missing is a row with an `error`, and does not end the job.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark_kafkafmt.arrow_batches import spark_batches, spark_schema
from pyspark_kafkafmt.columns import TIMESTAMP_MS
from pyspark_kafkafmt.frames import MAX_SPLIT_BYTES, map_splits
from pyspark_kafkafmt.paths import clusters_of, places_of
from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from typing import Unpack

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.scanning.splits import Split, SplitReader
    from kafkafmt.topics.answers import Answer
    from kafkafmt.topics.tables import KindDecoder
    from pyspark_kafkafmt.frames import ScanArguments
    from pyspark_kafkafmt.paths import Cluster
    from pyspark_kafkafmt.reports import DamageReport, Report

    Paths = Searchable | Mapping[str, Searchable]

SOURCE: Final = "source"
ERROR: Final = "error"

_ANSWERS: Final = {
    "groups": "Groups",
    "transactions": "Transactions",
    "producers": "Producers",
    "metadata": "ClusterMetadata",
}
"""The result class of each function of `kafkafmt.topics`."""

_ROWS_A_BATCH: Final = 8192


def read_internal_topic(
    spark: "SparkSession",
    paths: "Searchable",
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
    """Read the records of one kind, or all records of an internal topic: `kafkafmt.topics.read`, on Spark.

        commits = read_internal_topic(spark, "/copies/*", "OffsetCommit")
        commits.groupBy("key.group").agg(max("value.commitTimestamp"))

    It is planned and read as in `read_log_dirs`. A record that cannot be decoded is a row with the reason in `error`;
    the number of such records in a split, and of records of unknown kinds, is logged as a warning on the driver (with
    Spark Connect, on the executors).

    Args:
        spark: the session, a classic one or one of Spark Connect.
        paths: as for `read_log_dirs`; they are read as one cluster, and if a partition is found several times, the best
            replica is read.
        kind: name of a kind (`kafkafmt.topics.decoding.KINDS`): "OffsetCommit", "TransactionLog", "TopicRecord", ..;
            or of an internal topic, for all kinds in it with key and value as JSON.
        columns: names of the columns, in this order; all if None. There is also `timestampMs`, as in `read_log_dirs`.
        verify_checksums: as for `read_log_dirs`.
        report: as for `read_log_dirs`.
        max_split_bytes: as for `read_log_dirs`.
        min_splits: as for `read_log_dirs`.
        max_records_per_split: as for `read_log_dirs`.
        **as_scan: other arguments of `kafkafmt.scan`; except `topics`, which the kind determines.

    Returns:
        a DataFrame with the columns of `kafkafmt.topics.read`, all nullable; `file` is the full path or URI.

    Raises:
        SourceError, KafkafmtError, UnsupportedError: as for `read_log_dirs`.
        TypeError, ValueError: an argument is invalid, or the kind is unknown.
    """
    require_spark()
    import pyarrow as pa

    import kafkafmt
    from kafkafmt.topics import tables
    from pyspark_kafkafmt.planning import PlanningProgress
    from pyspark_kafkafmt.reports import damage_report, sentence_report

    if "topics" in as_scan:
        raise TypeError("topics: the kind gives the topic; pass its name as the kind for all records in it")
    names = None if columns is None else list(columns)
    wanted = None if names is None else list(dict.fromkeys("timestamp" if n == TIMESTAMP_MS else n for n in names))
    with PlanningProgress() as progress:
        progress.now = "listing"
        found = places_of(paths, expanded=as_scan.get("filesystem") is None)
        scan = kafkafmt.scan(found, verify_checksums=verify_checksums, **as_scan)
        decoded = tables.decode(scan, kind, columns=wanted)
        plan = decoded.scan.without_warnings().plan(  # `damage_report` logs its notes
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
        reading: reads splits.
        decoder: decodes records.
        names: columns of the DataFrame.
        report: called with damage and notes.
        say: called with sentences about records that could not be decoded.
    """

    reading: "SplitReader"
    decoder: "KindDecoder"
    names: tuple[str, ...]
    report: "DamageReport"
    say: "Report"

    def __call__(self, split: "Split") -> "Iterator[pa.RecordBatch]":
        """Give the records in the form that Spark expects."""
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


def groups(
    spark: "SparkSession",
    paths: "Paths",
    *,
    table: str = "offsets",
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.groups
) -> "DataFrame":
    """Consumer groups and their offsets: `kafkafmt.topics.groups` of each cluster.

        offsets = groups(spark, "/copies/*")
        members = groups(spark, {"prod": ["/copies/prod-1", "/copies/prod-2"]}, table="members")

    Args:
        spark: the session, a classic one or one of Spark Connect.
        paths: log directories, any directories above, or what `kafkafmt` opened, each of them a cluster of its own, as
            is each match of a path with wildcards; or a mapping from the name of a cluster to its paths, which are
            merged. Executors open them.
        table: "offsets" for one row for each committed offset, "pending_offsets" for those of open transactions,
            "members", "groups", or "history" for every commit, tombstone and change of a group.
        report: called on the driver with the source, and a sentence about it: which replica was read, what was damaged
            or could not be decoded; once the task is done, and only once. If None, they are logged as warnings. Not
            supported with Spark Connect, where executors log them.
        **arguments: the other arguments of `kafkafmt.topics.groups`.

    Returns:
        a DataFrame with the columns in docs/groups.md between `source`, the path or name of the cluster, and `error`,
        which is null except in the only row of a cluster that could not be read. Times are null outside the years 1 to
        9999.

    Raises:
        SourceError: nothing matches a path with wildcards.
        TypeError: `kafkafmt.topics.groups` has no such argument.
        ValueError: there is no such table.
        UnsupportedError: this Spark is older than 4.0; `report` is given with Spark Connect.

        When the job runs, an invalid argument is an error in Spark's own `PythonException`.
    """
    return _frame(spark, paths, "groups", table, report, arguments)


def transactions(
    spark: "SparkSession",
    paths: "Paths",
    *,
    table: str = "ids",
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.transactions
) -> "DataFrame":
    """Transactions: `kafkafmt.topics.transactions` of each cluster.

        hanging = transactions(spark, "/copies/*", table="data", data="hanging")

    Args:
        spark: as for `groups`.
        paths: as for `groups`.
        table: "ids" for one row for each transactional id, "data" for one row for each transaction in a data partition
            (all transactions, unless `data` is given), "history" for the history of transactional ids.
        report: as for `groups`.
        **arguments: the other arguments of `kafkafmt.topics.transactions`.

    Returns:
        as for `groups`, with the columns in docs/transactions.md.

    Raises:
        SourceError, ValueError, UnsupportedError: as for `groups`.
    """
    if table == "data":
        arguments.setdefault("data", "all")
    return _frame(spark, paths, "transactions", table, report, arguments)


def producers(
    spark: "SparkSession",
    paths: "Paths",
    *,
    table: str = "producers",
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.producers
) -> "DataFrame":
    """The state of producers in partitions: `kafkafmt.topics.producers` of each cluster.

    Args:
        spark: as for `groups`.
        paths: as for `groups`.
        table: "producers"; "history" for the events of each producer; "check" for lost and repeated records.
        report: as for `groups`.
        **arguments: the other arguments of `kafkafmt.topics.producers`.

    Returns:
        as for `groups`, with the columns in docs/producers.md and docs/lost_or_repeated.md.

    Raises:
        SourceError, UnsupportedError: as for `groups`.
    """
    return _frame(spark, paths, "producers", table, report, arguments)


def metadata(
    spark: "SparkSession",
    paths: "Paths",
    *,
    table: str = "topics",
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.metadata
) -> "DataFrame":
    """Metadata of clusters: `kafkafmt.topics.metadata` of each.

        partitions = metadata(spark, "/copies/*", table="partitions")

    Args:
        spark: as for `groups`.
        paths: as for `groups`.
        table: a section of docs/metadata.md: "topics", "partitions", "brokers", "configs", .., or "history".
        report: as for `groups`.
        **arguments: the other arguments of `kafkafmt.topics.metadata`.

    Returns:
        as for `groups`, with the columns in docs/metadata.md. Secrets are null unless `show_secrets` is true.

    Raises:
        SourceError, ValueError, UnsupportedError: as for `groups`.
    """
    return _frame(spark, paths, "metadata", table, report, arguments)


@dataclass(frozen=True)
class AskCluster:
    """Runs a function of `kafkafmt.topics` for one cluster, on a worker.

    Attributes:
        question: name of the function.
        table: which table of its result.
        schema: schema of the table.
        arguments: arguments of the function.
        report: called with sentences about the cluster.
    """

    question: str
    table: str
    schema: "pa.Schema"
    arguments: Mapping[str, Any]
    report: "Report"

    def __call__(self, cluster: "Cluster") -> "Iterator[pa.RecordBatch]":
        """Give the rows of a cluster, or one row with its error."""
        import pyarrow as pa

        import kafkafmt.topics
        from kafkafmt.errors import KafkafmtError

        try:
            answer = getattr(kafkafmt.topics, self.question)(list(cluster.places), **self.arguments)
            for batch in answer.to_table(self.table).to_batches(max_chunksize=_ROWS_A_BATCH):
                yield from spark_batches(self._between(batch, cluster, None))
        except KafkafmtError as error:
            nothing = pa.RecordBatch.from_arrays([pa.nulls(1, each.type) for each in self.schema], schema=self.schema)
            yield from spark_batches(self._between(nothing, cluster, str(error)))
            self.report(cluster.name, str(error))
            return
        for sentence in _said(answer, self.table):
            self.report(cluster.name, sentence)

    def _between(self, batch: "pa.RecordBatch", cluster: "Cluster", error: str | None) -> "pa.RecordBatch":
        """The same rows with the columns `source` and `error`."""
        import pyarrow as pa

        from kafkafmt.arrays import as_text

        rows = batch.num_rows
        source = pa.array([as_text(cluster.name)] * rows, pa.string())
        errors = pa.array([error] * rows, pa.string())
        return pa.RecordBatch.from_arrays([source, *batch.columns, errors], names=[SOURCE, *batch.schema.names, ERROR])


def _frame(
    spark: "SparkSession",
    paths: "Paths",
    question: str,
    table: str,
    report: "Callable[[str, str], None] | None",
    arguments: dict[str, Any],
) -> "DataFrame":
    require_spark()
    import pyarrow as pa

    import kafkafmt.topics
    from pyspark_kafkafmt.reports import sentence_report

    inspect.signature(getattr(kafkafmt.topics, question)).bind(paths, **arguments)
    known: Mapping[str, pa.Schema] = getattr(kafkafmt.topics, _ANSWERS[question]).schemas()
    if table not in known:
        raise ValueError(f"there is no table {table!r} of {question}; there are: {', '.join(known)}")
    schema = known[table]
    clusters = clusters_of(paths, expanded=arguments.get("filesystem") is None)
    ask = AskCluster(question, table, schema, arguments, sentence_report(spark, report))
    columns = [pa.field(SOURCE, pa.string()), *schema, pa.field(ERROR, pa.string())]
    return map_splits(spark, clusters, ask, spark_schema(columns))


def _said(answer: "Answer", table: str) -> Iterator[str]:
    """Sentences about a result, and about the separate read of its table `history`; each only once."""
    answers = [answer, getattr(answer, f"{table}_answer", None)]
    said: dict[str, None] = {}
    for each in filter(None, answers):
        said |= dict.fromkeys(map(str, (*each.notes, *each.findings)))
        skipped = [damage for damage in each.damage if not damage.is_open_end]
        said |= dict.fromkeys(f"{one.error}: {one.reason}, {one.length} bytes skipped" for one in skipped)
    yield from said
