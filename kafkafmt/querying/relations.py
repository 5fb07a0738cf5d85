"""Relations: what a query can name, each read when a query does so, with the rows that the commands have too."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from kafkafmt.batch_columns import BATCH_SCHEMA, to_record_batch
from kafkafmt.columns import SCHEMA
from kafkafmt.querying.pushdown import LazyDataset
from kafkafmt.querying.records import read_records
from kafkafmt.scanning import scan
from kafkafmt.survey import Inspection
from kafkafmt.survey.rows import SCHEMAS
from kafkafmt.topics.cluster_metadata import ClusterMetadata, metadata
from kafkafmt.topics.consumer_groups import Groups, groups
from kafkafmt.topics.producer_state import Producers, producers
from kafkafmt.topics.transaction_state import Transactions, transactions

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.errors import KafkafmtError
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.answers import Answer

_HEADERS_A_BATCH = 4096

Asked: TypeAlias = "tuple[Callable[..., Any], type[Any], str]"
"""A function that gives an answer, its class, and the name of one of its tables."""

_ANSWERS: dict[str, Asked] = {
    "commits": (groups, Groups, "offsets"),
    "transactions": (transactions, Transactions, "ids"),
    "producers": (producers, Producers, "producers"),
    "metadata": (metadata, ClusterMetadata, "topics"),
}
_SURVEYED = ("segments", "partitions", "findings")

NAMES = ("records", "batches", *_SURVEYED, *_ANSWERS)
"""All relations."""


class Relations:
    """What queries over a source can name.

    Tables are read once, by the first query that names them; records and batches by each query anew.

    Args:
        sources: what is read.
        arguments: of `kafkafmt.scan`, for records; on_damage and limits hold for what is decoded, too. Batches are
            those of control records too.

    Attributes:
        scans: those of records and batches that queries made, up to the last call of `taken`.
        error: what ended the last query, if it was an error in reading.
        begun: called with each such scan before it is read.

    Raises:
        TypeError, ValueError: an argument that makes no sense.
    """

    def __init__(self, sources: "Sources", arguments: "Mapping[str, Any]") -> None:
        self.scans: list[Scan] = []
        self.error: BaseException | None = None
        self.begun: Callable[[Scan], None] = lambda _: None
        self._answers: list[Answer] = []
        self._invalid: list[KafkafmtError] = []
        self._sources = sources
        self._scan = scan(sources, **arguments)
        self._batches = scan(sources, **{**arguments, "control_records": True})
        self._of_answers = {name: arguments[name] for name in ("on_damage", "limits") if name in arguments}
        self._tables: dict[str, pa.Table] = {}

    def dataset(self, name: str) -> LazyDataset:
        """One of `NAMES`, as DuckDB reads it."""
        if name == "records":
            return LazyDataset(SCHEMA, self._noting_errors(self._read_records))
        if name == "batches":
            return LazyDataset(BATCH_SCHEMA, self._noting_errors(self._read_batches))
        if name in _SURVEYED:
            return LazyDataset(SCHEMAS[name], self._noting_errors(partial(self._read_table, name)))
        _, kind, table = _ANSWERS[name]
        return LazyDataset(kind.schemas()[table], self._noting_errors(partial(self._read_table, name)))

    def taken(self) -> "tuple[list[Scan], list[Answer], list[KafkafmtError]]":
        """Scans, answers and errors of batch headers since the last call."""
        taken = self.scans, self._answers, self._invalid
        self.scans, self._answers, self._invalid = [], [], []
        return taken

    def _read_records(self, columns: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
        yield from read_records(self._scan, columns, expression, self._begun)

    def _begun(self, read: "Scan") -> None:
        self.scans.append(read)
        self.begun(read)

    def _read_batches(self, _: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
        described = self._batches.select(None)
        self._begun(described)
        headers = described.batches()
        while some := list(islice(headers, _HEADERS_A_BATCH)):
            self._invalid += [header.error for header in some if header.error is not None]
            batch = to_record_batch(some)
            if expression is None:
                yield batch
            else:
                yield from pa.Table.from_batches([batch]).filter(expression).to_batches()

    def _read_table(self, name: str, _: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
        if name not in self._tables:
            self._tables[name] = self._surveyed(name) if name in _SURVEYED else self._answered(name)
        self._sources.was_read = True
        table = self._tables[name]
        yield from (table if expression is None else table.filter(expression)).to_batches()

    def _surveyed(self, name: str) -> pa.Table:
        table: pa.Table = getattr(Inspection(self._sources), name)()
        return table

    def _answered(self, name: str) -> pa.Table:
        ask, _, table = _ANSWERS[name]
        answer = ask(self._sources, **self._of_answers)
        self._answers.append(answer)
        return answer.to_table(table)

    def _noting_errors(
        self, read: "Callable[..., Iterable[pa.RecordBatch]]"
    ) -> "Callable[..., Iterator[pa.RecordBatch]]":
        """Keep an error of what is read: DuckDB raises one of its own, with no more than the text of it."""

        def noting(columns: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
            try:
                yield from read(columns, expression)
            except GeneratorExit:
                raise
            except BaseException as error:
                self.error = error
                raise

        return noting
