"""Relations: the tables of a query, each read when a query names it, with the same rows as the commands."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kafkafmt.batch_columns import BATCH_SCHEMA, to_record_batch
from kafkafmt.cached import cached_property
from kafkafmt.columns import SCHEMA
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.damage import Note
from kafkafmt.findings import finding_of
from kafkafmt.querying.pushdown import ROWS, LazyDataset, held
from kafkafmt.querying.statements import RECORD_TYPE
from kafkafmt.scanning import scan
from kafkafmt.values.decode_arguments import DecodeArguments

if TYPE_CHECKING:
    from pyarrow.compute import Expression

    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.found import Found
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.scanning import Scan
    from kafkafmt.topics.answers import Answer, TableAnswer

_HEADERS_A_BATCH = 4096


class _Answered(NamedTuple):
    """A table of an answer. Its package is loaded when a query names the relation, as loading all takes a second.

    Attributes:
        package: package in `kafkafmt.topics`.
        function: name of the function that gives the answer.
        kind: name of the answer's class.
        table: name of the table.
    """

    package: str
    function: str
    kind: str
    table: str

    def load(self) -> "tuple[Callable[..., Answer], type[TableAnswer]]":
        """The function, and the class of its answer."""
        package = import_module(f"kafkafmt.topics.{self.package}")
        return getattr(package, self.function), getattr(package, self.kind)


_ANSWERS = {
    "commits": _Answered("consumer_groups", "groups", "Groups", "offsets"),
    "transactions": _Answered("transaction_state", "transactions", "Transactions", "ids"),
    "producers": _Answered("producer_state", "producers", "Producers", "producers"),
    "metadata": _Answered("cluster_metadata", "metadata", "ClusterMetadata", "topics"),
}
_SURVEYED = ("segments", "partitions", "findings")

NAMES = ("records", "batches", *_SURVEYED, *_ANSWERS)
"""Names of all relations."""

_OF_PARTITION = pa.schema([SCHEMA.field("topic"), SCHEMA.field("partition")])
_COUNTED_ROWS = 64 * 1024


class Relations:
    """The relations of a source.

    Tables are read once, by the first query that names them; records and batches are read by each query.

    Args:
        sources: the disks to read.
        arguments: arguments of `kafkafmt.scan`, for records; on_damage and limits also apply to decoding. Batches
            include control batches.
        decoding: gives the arguments of decoding for typed relations, when the first one is read.

    Attributes:
        scans: the scans of records and batches that queries made since the last call of `taken`.
        error: the error in reading that ended the last query, if any.
        begun: called with each such scan before it is read.

    Raises:
        TypeError, ValueError: an argument is invalid.
    """

    def __init__(
        self,
        sources: "Sources",
        arguments: "Mapping[str, Any]",
        decoding: "Callable[[], DecodeArguments]" = DecodeArguments,
    ) -> None:
        self.scans: list[Scan] = []
        self.error: BaseException | None = None
        self.begun: Callable[[Scan], None] = lambda _: None
        self._answers: list[Answer] = []
        self._invalid: list[KafkafmtError] = []
        self._sources = sources
        # DuckDB reads them, perhaps in a thread of its own: their warnings are for the caller.
        self._scan = scan(sources, **arguments).without_warnings()
        self._batches = scan(sources, **{**arguments, "control_records": True}).without_warnings()
        self._of_answers = {name: arguments[name] for name in ("on_damage", "limits") if name in arguments}
        self._tables: dict[str, pa.Table] = {}
        self._decoding = cache(decoding)

    def dataset(self, name: str) -> LazyDataset:
        """The relation of one of `NAMES`, as DuckDB reads it."""
        if name == "records":
            return LazyDataset(SCHEMA, self._noting_errors(self._records))
        if name == "batches":
            return LazyDataset(BATCH_SCHEMA, self._noting_errors(self._read_batches))
        if name in _SURVEYED:
            from kafkafmt.survey.rows import TABLES  # noqa: PLC0415 - loaded when a query names the relation

            schema = TABLES[name].schema
        else:
            _, kind = _ANSWERS[name].load()
            schema = kind.schemas()[_ANSWERS[name].table]
        return LazyDataset(schema, self._noting_errors(partial(self._read_table, name)))

    @cached_property
    def topics(self) -> list[str]:
        """Names of the topics, each of which is a typed relation."""
        return sorted({each.topic for each in self._scan.partitions if each.topic is not None})

    @cached_property
    def typed_names(self) -> list[str]:
        """Names of typed relations: the topics, and `topic:record` for the record types that subjects name.

        Such subjects are `orders-com.example.Order` (TopicRecordNameStrategy), which are read from `_schemas` without
        any other record. Other record types of a topic are relations too, but are found only by reading the topic.
        """
        from kafkafmt.values.record_names import record_types_of  # noqa: PLC0415 - as above
        from kafkafmt.values.typed import known_schemas  # noqa: PLC0415 - as above

        found: list[tuple[str, str]] = []
        with suppress(KafkafmtError):  # listing names must not fail; reading the relation reports the error
            found = record_types_of(known_schemas(self._scan, self._decoding()).all, self.topics)
        return [*self.topics, *(f"{topic}{RECORD_TYPE}{record}" for topic, record in found)]

    def typed(self, name: str) -> LazyDataset:
        """A typed relation, as DuckDB reads it: a topic, or one record type of a topic.

        Args:
            name: name of the topic, or `topic:record`.

        Raises:
            KafkafmtError: as for `Scan.decode`.
        """
        from kafkafmt.querying.typed_relations import typed_dataset  # noqa: PLC0415 - loaded when a query names one

        topic, colon, record = name.partition(RECORD_TYPE)
        decoding = self._decoding()
        if colon:
            decoding = decoding._replace(record=record)
        return typed_dataset(self._scan, topic, decoding, _read_records, self._begun, self._noting_errors)

    def check_choice(self) -> None:
        """Check that the schema and the record type of typed relations exist, if they are chosen.

        Raises:
            KafkafmtError: as for `Scan.decode`.
        """
        from kafkafmt.values.chosen import Choice  # noqa: PLC0415 - loaded when one is chosen
        from kafkafmt.values.typed import known_schemas  # noqa: PLC0415 - as above

        decoding = self._decoding()
        Choice.of(known_schemas(self._scan, decoding), decoding.schema, decoding.record)

    def taken(self) -> "tuple[list[Scan], list[Answer], list[KafkafmtError]]":
        """Scans, answers, and errors of batch headers since the last call."""
        taken = self.scans, self._answers, self._invalid
        self.scans, self._answers, self._invalid = [], [], []
        return taken

    def said(self) -> "Iterator[Damage | Note]":
        """Damage and notes of the scans and answers in `taken`, and the findings of answers and headers, lazily."""
        scans, answers, invalid = self.taken()
        for read in scans:
            yield from read.damage
            yield from read.notes
        for answer in answers:
            yield from answer.damage
            yield from (note for note in answer.notes if isinstance(note, Note))
        yield from (Note.of(finding) for answer in answers for finding in answer.findings)
        yield from map(Note.of, map(finding_of, invalid))

    def _records(self, columns: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
        yield from _read_records(self._scan, columns, expression, self._begun)

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
        from kafkafmt.survey import Inspection  # noqa: PLC0415 - loaded when a query names the relation

        table: pa.Table = getattr(Inspection(self._sources), name)()
        return table

    def _answered(self, name: str) -> pa.Table:
        ask, _ = _ANSWERS[name].load()
        answer = ask(self._sources, **self._of_answers)
        self._answers.append(answer)
        return answer.to_table(_ANSWERS[name].table)

    def _noting_errors(
        self, read: "Callable[..., Iterable[pa.RecordBatch]]"
    ) -> "Callable[..., Iterator[pa.RecordBatch]]":
        """Keep an error of reading, as DuckDB raises an error of its own with only the text."""

        def noting(columns: Sequence[str], expression: "Expression | None") -> Iterator[pa.RecordBatch]:
            try:
                yield from read(columns, expression)
            except GeneratorExit:
                raise
            except BaseException as error:
                self.error = error
                raise

        return noting


def _read_records(
    scan: "Scan", columns: Sequence[str], expression: "Expression | None", begun: "Callable[[Scan], None]"
) -> Iterator[pa.RecordBatch]:
    """Read records of a scan, in its order.

    If only topics, partitions or numbers of records are wanted, they are counted as by `Scan.count`: from headers
    alone where the filter allows that, with CRCs unchecked.

    Args:
        scan: the scan to read.
        columns: names of the columns; `ROWS` among them is left out.
        expression: condition on the records; None for all.
        begun: called with each scan before it is read.

    Raises:
        KafkafmtError: as for `Scan.to_reader` and `Scan.count`.
    """
    names = [name for name in columns if name != ROWS]
    if not set(names) <= set(_OF_PARTITION.names):
        wanted = scan.select(names)
        if expression is not None:
            wanted = wanted.filter(expression)
            needles = held(expression)
            if needles is not None:
                wanted = wanted.containing(needles.strings, ignore_case=needles.ignore_case)
        begun(wanted)
        yield from wanted.to_reader()
        return
    for topic, partition, part in _by_partition(scan):
        row = pa.RecordBatch.from_pylist([{"topic": topic, "partition": partition}], _OF_PARTITION)
        holds = None if expression is None else _holds(row, expression)
        if holds is False:
            continue
        wanted = part if expression is None or holds else part.filter(expression)
        begun(wanted)
        yield from _repeated(row.select(names), wanted.count())


def _by_partition(scan: "Scan") -> "Iterator[tuple[str | None, int | None, Scan]]":
    """A scan for each partition, of all its replicas together."""
    names = dict.fromkeys((each.topic, each.partition) for each in scan.partitions)

    def only(name: tuple[str | None, int | None]) -> "Callable[[list[Found]], list[Found]]":
        return lambda found: [each for each in found if (each.partition.topic, each.partition.partition) == name]

    for name in sorted(names, key=lambda name: (name[0] is None, name[0] or "", name[1] or 0)):
        yield *name, scan.of(only(name), ["offset"])


def _holds(row: pa.RecordBatch, expression: "Expression") -> bool | None:
    """Whether an expression is true for a partition; None if that differs between its records."""
    try:
        return bool(pa.Table.from_batches([row]).filter(expression).num_rows == 1)
    except pa.ArrowInvalid:  # the expression uses other columns too
        return None


def _repeated(row: pa.RecordBatch, count: int) -> Iterator[pa.RecordBatch]:
    """Many copies of a row; without columns only their number counts."""
    size = min(count, _COUNTED_ROWS)
    names = row.schema.names or [ROWS]
    arrays = [pa.repeat(column[0], size) for column in row.columns] or [pa.nulls(size)]
    full = pa.RecordBatch.from_arrays(arrays, names)
    for begin in range(0, count, _COUNTED_ROWS):
        yield full.slice(0, min(_COUNTED_ROWS, count - begin))
