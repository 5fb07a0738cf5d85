"""What clusters were doing, as DataFrames: `groups`, `transactions`, `producers` and `metadata` of a whole fleet.

One task asks the function of this name in `kafkafmt.topics` about one cluster. A cluster whose files are damaged or
missing is a row with an `error`, and ends no job.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark_kafkafmt.udfs import require_spark

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from kafkafmt.io.source import Source
    from kafkafmt.topics.answers import Answer, TableAnswer
    from pyspark_kafkafmt.paths import Cluster
    from pyspark_kafkafmt.reports import Report

    Paths = Source | Iterable[Source] | Mapping[str, Source | Iterable[Source]]

SOURCE: Final = "source"
ERROR: Final = "error"

_ANSWERS: Final = {
    "groups": "Groups",
    "transactions": "Transactions",
    "producers": "Producers",
    "metadata": "ClusterMetadata",
}
"""Class of the answer of each function of `kafkafmt.topics`."""


def groups(
    spark: "SparkSession",
    paths: "Paths",
    *,
    table: str = "offsets",
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.groups
) -> "DataFrame":
    """Tell where consumer groups stand: `kafkafmt.topics.groups` of each cluster.

        offsets = groups(spark, "/copies/*")
        members = groups(spark, {"prod": ["/copies/prod-1", "/copies/prod-2"]}, table="members")

    Args:
        spark: the session, a classic one or one of Spark Connect.
        paths: log directories or any directories above, each of a cluster of its own, and with wildcards each that
            matches; or the paths of a cluster, which are merged, by its name. Executors open them.
        table: "offsets" for a row a committed offset, "pending_offsets" for those of transactions that are open,
            "members", or "groups".
        report: called on the driver with the source, and a sentence about it: which replica was read, what was damaged
            or could not be decoded; once the task is done, and once only. If None, they are logged as warnings. Not
            with Spark Connect, where executors log them.
        **arguments: all else that `kafkafmt.topics.groups` takes.

    Returns:
        a DataFrame of the columns in docs/groups.md between `source`, the path or name of the cluster, and `error`,
        which is null but on the one row of a cluster that could not be read. Times are null outside the years 1 to
        9999.

    Raises:
        SourceError: nothing matches a path with wildcards.
        ValueError: there is no such table.
        UnsupportedError: this Spark is older than 4.0; `report` with Spark Connect.

        When the job runs, what is wrong with an argument comes out of Spark's own `PythonException`.
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
    """Tell what transactions there are: `kafkafmt.topics.transactions` of each cluster.

        hanging = transactions(spark, "/copies/*", table="data", data="hanging")

    Args:
        spark: as for `groups`.
        paths: as for `groups`.
        table: "ids" for a row a transactional id, "data" for a row a transaction in a data partition (of all that there
            are, unless `data` is said).
        report: as for `groups`.
        **arguments: all else that `kafkafmt.topics.transactions` takes.

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
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.producers
) -> "DataFrame":
    """Tell what partitions remember of their producers: `kafkafmt.topics.producers` of each cluster.

    Args:
        spark: as for `groups`.
        paths: as for `groups`.
        report: as for `groups`.
        **arguments: all else that `kafkafmt.topics.producers` takes.

    Returns:
        as for `groups`, with the columns in docs/producers.md.

    Raises:
        SourceError, UnsupportedError: as for `groups`.
    """
    return _frame(spark, paths, "producers", "producers", report, arguments)


def metadata(
    spark: "SparkSession",
    paths: "Paths",
    *,
    table: str = "topics",
    report: "Callable[[str, str], None] | None" = None,
    **arguments: Any,  # noqa: ANN401 - of kafkafmt.topics.metadata
) -> "DataFrame":
    """Tell what was in clusters: `kafkafmt.topics.metadata` of each.

        partitions = metadata(spark, "/copies/*", table="partitions")

    Args:
        spark: as for `groups`.
        paths: as for `groups`.
        table: a section of docs/metadata.md: "topics", "partitions", "brokers", "configs", ..
        report: as for `groups`.
        **arguments: all else that `kafkafmt.topics.metadata` takes.

    Returns:
        as for `groups`, with the columns in docs/metadata.md. Secrets are null unless `show_secrets` is true.

    Raises:
        SourceError, ValueError, UnsupportedError: as for `groups`.
    """
    return _frame(spark, paths, "metadata", table, report, arguments)


@dataclass(frozen=True)
class AskCluster:
    """Asks about one cluster, on a worker.

    Attributes:
        question: name of the function in `kafkafmt.topics`.
        table: which of its tables.
        schema: of the table.
        arguments: of the function.
        report: takes sentences.
    """

    question: str
    table: str
    schema: "pa.Schema"
    arguments: Mapping[str, Any]
    report: "Report"

    def __call__(self, cluster: "Cluster") -> "Iterator[pa.RecordBatch]":
        """Give the rows of a cluster, or the one row that says why there are none."""
        import pyarrow as pa

        import kafkafmt.topics
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.arrow_batches import spark_batches

        try:
            answer = getattr(kafkafmt.topics, self.question)(list(cluster.paths), **self.arguments)
            for batch in answer.to_table(self.table).to_batches(max_chunksize=_ROWS_A_BATCH):
                yield from spark_batches(self._between(batch, cluster, None))
        except KafkafmtError as error:
            nothing = pa.RecordBatch.from_arrays([pa.nulls(1, each.type) for each in self.schema], schema=self.schema)
            yield from spark_batches(self._between(nothing, cluster, str(error)))
            self.report(cluster.name, str(error))
            return
        for sentence in _said(answer):
            self.report(cluster.name, sentence)

    def _between(self, batch: "pa.RecordBatch", cluster: "Cluster", error: str | None) -> "pa.RecordBatch":
        """The same rows with the columns `source` and `error`."""
        import pyarrow as pa

        rows = batch.num_rows
        source = pa.array([_as_text(cluster.name)] * rows, pa.string())
        errors = pa.array([error] * rows, pa.string())
        return pa.RecordBatch.from_arrays([source, *batch.columns, errors], names=[SOURCE, *batch.schema.names, ERROR])


_ROWS_A_BATCH: Final = 8192


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

    from pyspark_kafkafmt.arrow_batches import spark_schema
    from pyspark_kafkafmt.frames import map_splits
    from pyspark_kafkafmt.paths import clusters_of
    from pyspark_kafkafmt.reports import sentence_report

    known = _schemas(question)
    if table not in known:
        raise ValueError(f"there is no table {table!r} of {question}; there are: {', '.join(known)}")
    schema = known[table]
    clusters = clusters_of(paths, expanded=arguments.get("filesystem") is None)
    ask = AskCluster(question, table, schema, arguments, sentence_report(spark, report))
    columns = [pa.field(SOURCE, pa.string()), *schema, pa.field(ERROR, pa.string())]
    return map_splits(spark, clusters, ask, spark_schema(columns))


def _schemas(question: str) -> "Mapping[str, pa.Schema]":
    """Schema of each table of an answer by its name."""
    import kafkafmt.topics

    answer: type[TableAnswer] = getattr(kafkafmt.topics, _ANSWERS[question])
    return answer.schemas()


def _said(answer: "Answer") -> Iterator[str]:
    """Sentences that go with an answer."""
    yield from map(str, (*answer.notes, *answer.findings))
    for damage in answer.damage:
        if not damage.is_open_end:
            yield f"{damage.error}: {damage.reason}, {damage.length} bytes skipped"


def _as_text(name: str) -> str:
    from kafkafmt.columns import as_text

    return as_text(name) or ""
