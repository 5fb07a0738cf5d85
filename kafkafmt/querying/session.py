"""Sessions: SQL statements run by DuckDB over relations that are read when a statement names them."""

import re
import shutil
import tempfile
import weakref
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from kafkafmt.errors import NotFoundError
from kafkafmt.files.damage import warning_at_end
from kafkafmt.querying.relations import NAMES, Relations
from kafkafmt.querying.rewriting import with_bounds, with_bytes_as_text
from kafkafmt.querying.statements import OUR_VIEW, RECORD_TYPE, TOPIC, relations_read, topics_read
from kafkafmt.querying.text import AS_TEXT, add_functions
from kafkafmt.scanning.batching import Reader
from kafkafmt.values.decode_arguments import DecodeArguments

if TYPE_CHECKING:
    from types import ModuleType

    from duckdb import DuckDBPyRelation, Statement

    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.querying.pushdown import LazyDataset

Parameters = Sequence[Any] | Mapping[str, Any] | None

_ROWS_A_BATCH = 16 * 1024
_MOST_NAMED = 20
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
"""Names that need no quotes in SQL."""
_INTERVAL = re.compile(r"""(?P<quoted>"(?:[^"]|"")*"|'(?:[^']|'')*')|\bINTERVAL\b""")
"""The type INTERVAL in the text of a type, or a quoted name or enum value."""

_REFUSED = ("ATTACH", "CALL", "COPY", "COPY_DATABASE", "EXPORT")
"""Kinds of statements that may write files; refused with a plain error, also as DuckDB does not survive some."""

_INTERRUPTED = re.compile("executing the UDF: KeyboardInterrupt|INTERRUPT Error")
"""DuckDB's error text for Ctrl-C while `as_text` runs, and of `interrupt`."""


class QueryError(ValueError):
    """A statement that DuckDB does not run: wrong syntax, an unknown column, a value that cannot be converted.

    Attributes:
        message: the fault.
        place: the line of the statement, with a mark below the fault; "" if unknown.
        hint: advice, or "".
    """

    def __init__(self, message: str, place: str = "", hint: str = "") -> None:
        super().__init__("\n".join(filter(None, (message, place, hint))))
        self.message = message
        self.place = place
        self.hint = hint


class Session:
    """A database in memory, whose relations are the content of the disks.

    DuckDB spills to a directory of its own among the temporary files; `close` removes it.

    Args:
        relations: the relations of statements.

    Attributes:
        is_typed: whether a statement of the last run names a typed relation.

    Raises:
        ImportError: DuckDB is not installed.
    """

    def __init__(self, relations: "Relations") -> None:
        self.is_typed = False
        self._duckdb = _duckdb()
        self._relations = relations
        # DuckDB would choose the working directory, which may be a log directory, and makes its files readable for all.
        overflow = tempfile.mkdtemp(prefix="kafkafmt-sql-")
        self._remove_overflow = weakref.finalize(self, shutil.rmtree, overflow, ignore_errors=True)
        self._database = self._duckdb.connect(
            config={
                "python_enable_replacements": "false",  # `select * from x` must not find Python variables
                "autoinstall_known_extensions": "false",  # nothing is fetched from the network unasked
                "TimeZone": "UTC",
                "temp_directory": overflow,
            }
        )
        self._datasets: dict[str, LazyDataset] = {}
        self._topics: dict[str, str] = {}
        add_functions(self._database)
        # From here on no statement can read or write files, in whatever form.
        self._database.execute("set enable_external_access = false")

    def run(self, query: str, parameters: Parameters = None) -> Reader | None:
        """Run statements; returns the rows of the last one, or None for a kind without rows, such as `set`.

        Args:
            query: one or more statements.
            parameters: values for `?`, or by name for `$name`, in the last statement.

        Raises:
            NotFoundError: the topic of a typed relation does not exist.
            KafkafmtError: reading a relation fails; raised here, or from the rows.
            QueryError: DuckDB does not run the statement; raised here, or from the rows.
        """
        self._relations.error = None
        self.is_typed = False
        with self._errors():
            statements = self._database.extract_statements(query)
        if not statements:
            raise QueryError("there is no statement in the query")
        for statement in statements:
            if statement.type.name in _REFUSED:
                raise QueryError(f"{statement.type.name} may write files, and is not run here")
            self._make_views(statement)
        *before, last = statements
        first = len(self._relations.scans)
        with self._errors():
            for statement in before:
                self._database.execute(statement).complete()
            # DuckDB splits a pivot into several statements, only one of which returns rows.
            if last.type.name != "MULTI" and last.expected_result_type != [
                self._duckdb.ExpectedResultType.QUERY_RESULT
            ]:
                self._database.execute(last, parameters).complete()
                return None
            rows = self._rows(last, parameters)
        schema = _shown(rows.schema)
        damage: list[Damage] = []
        return Reader(schema, self._batches(rows, schema, damage, first), damage)

    def _make_views(self, statement: "Statement") -> None:
        """Create the views that a statement may read; each loads the package that answers for it."""
        for name in relations_read(self._database, statement.query, NAMES):
            if name not in self._datasets:
                dataset = self._datasets[name] = self._relations.dataset(name)
                columns = ", ".join(map(_quoted, dataset.schema.names[1:]))
                self._database.from_arrow(dataset).project(columns).create_view(name)
                self._database.execute(f"comment on view {name} is '{OUR_VIEW}'")
        self._make_typed_views(statement)

    def _make_typed_views(self, statement: "Statement") -> None:
        """Create the views of the typed topics that a statement names; each reads the first records of its topic."""
        named, is_sure = topics_read(self._database, statement.query)
        made: dict[str, str] = {}
        for name in named:
            topic = self._topic(name, is_sure=is_sure)
            view = f"{TOPIC}.{name.lower()}"
            if topic is not None and made.setdefault(view, topic) != topic:
                raise QueryError(
                    f"{TOPIC}.{made[view]} and {TOPIC}.{topic} differ only in case: name one of them in a statement"
                )
            self.is_typed |= topic is not None
            if topic is None or self._topics.get(view) == topic:
                continue
            if not self._topics:
                self._database.execute(f"create schema {TOPIC}")
            try:
                dataset = self._datasets[view] = self._relations.typed(topic)
            except ValueError as error:
                raise QueryError(f"{TOPIC}.{in_sql(topic)}: {error}") from error
            columns = ", ".join(map(_quoted, dataset.schema.names[1:]))
            source = f"_topic_{len(self._topics)}"
            self._database.register(source, dataset)
            self._database.execute(
                f"create or replace view {TOPIC}.{_quoted(name)} as select {columns} from {source}"  # noqa: S608 - quoted
            )
            self._topics[view] = topic

    def _topic(self, name: str, *, is_sure: bool) -> str | None:
        """The name of a typed relation for `Relations.typed`; None if there is no such topic.

        Args:
            name: name in the statement; its case is ignored if only one topic matches.
            is_sure: whether the statement certainly reads the relation.

        Raises:
            NotFoundError: the topic does not exist, and the statement certainly reads it.
        """
        known = self._relations.topics
        name, colon, record = name.partition(RECORD_TYPE)
        found = [name] if name in known else [each for each in known if each.lower() == name.lower()]
        if len(found) == 1:
            return f"{found[0]}{colon}{record}"
        if not is_sure:
            return None
        close = get_close_matches(name, known, _MOST_NAMED)
        names = self.typed_names(first=close)
        more = f", and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        others = ", ".join(names[:_MOST_NAMED])
        raise NotFoundError(f"no topic {name}. There are: {others or 'none'}{more}.")

    def typed_names(self, *, first: Sequence[str] = ()) -> list[str]:
        """The typed relations as SQL names them; see `Relations.typed_names`.

        Args:
            first: topics to list first, with their record types.
        """
        names = sorted(self._relations.typed_names, key=lambda name: name.partition(RECORD_TYPE)[0] not in first)
        return [f"{TOPIC}.{in_sql(each)}" for each in names]

    def _rows(self, statement: "Statement", parameters: Parameters) -> pa.RecordBatchReader:
        """The rows of a statement, rewritten to read bytes as text where it casts them, and no more than it needs."""

        def asked(query: "Statement | str") -> pa.RecordBatchReader:
            relation = _without_intervals(self._database.sql(query, params=parameters))
            return relation.to_arrow_reader(_ROWS_A_BATCH)

        if statement.type.name != "SELECT":
            return asked(statement)
        of_text = with_bytes_as_text(self._database, statement.query)
        with self._unless_reading_failed():
            bounded = with_bounds(self._database, of_text or statement.query)
            if bounded is not None:
                return asked(bounded)
        if of_text is None:
            return asked(statement)
        try:
            return asked(of_text)
        except self._duckdb.Error:
            if self._relations.error is None and parameters is None:
                self._database.sql(statement)  # errors in a statement quote it as it was written
            raise

    @contextmanager
    def _unless_reading_failed(self) -> Iterator[None]:
        """Ignore the failure of a step that DuckDB refuses, unless reading failed."""
        try:
            yield
        except self._duckdb.Error:
            if self._relations.error is not None:
                raise

    def interrupt(self) -> None:
        """End the running statement, from another thread."""
        self._database.interrupt()

    def close(self) -> None:
        """End the session."""
        self._database.close()
        self._remove_overflow()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _batches(
        self, rows: pa.RecordBatchReader, schema: pa.Schema, damage: "list[Damage]", first: int
    ) -> Generator[pa.RecordBatch, None, None]:
        try:
            with self._errors(), rows:
                for batch in rows:
                    yield pa.RecordBatch.from_arrays([*map(_as_shown, batch.columns, schema.types)], schema=schema)
        finally:
            damage += [each for scan in self._relations.scans[first:] for each in scan.damage]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise the error that ended the reading of a relation instead of DuckDB's; DuckDB's own as QueryError."""
        try:
            yield
        except (self._duckdb.Error, OSError, pa.ArrowException) as error:
            if self._relations.error is not None:
                raise self._relations.error from None
            if _INTERRUPTED.search(str(error)):
                raise KeyboardInterrupt from error
            raise _refused(str(error)) from error
        except RuntimeError as error:
            if "interrupted" in str(error):  # DuckDB's word for Ctrl-C
                raise KeyboardInterrupt from error
            raise


def ask(
    sources: "Sources",
    query: str,
    parameters: Parameters = None,
    **arguments: Any,  # noqa: ANN401 - as said
) -> Reader:
    """Run a query in a session of its own, for `kafkafmt.Disks.sql`, which describes the arguments.

    Raises:
        ImportError, KafkafmtError, QueryError, TypeError, ValueError: as for `kafkafmt.Disks.sql`.
    """
    decoding = DecodeArguments.taken_from(arguments)
    relations = Relations(sources, arguments, lambda: decoding)
    session = Session(relations)
    try:
        rows = session.run(query, parameters)
    except BaseException:
        session.close()
        raise

    def batches() -> Generator[pa.RecordBatch, None, None]:
        with session, warning_at_end(relations.said()):
            yield from rows or ()

    return Reader(rows.schema if rows else pa.schema([]), batches(), rows.damage if rows else [])


def _without_intervals(relation: "DuckDBPyRelation") -> "DuckDBPyRelation":
    """The same rows with intervals as text, also inside structs, lists and maps.

    Parquet has no intervals, and in Arrow their nanoseconds overflow after 292 years.
    """
    kinds = [*map(str, relation.types)]
    texts = [_INTERVAL.sub(lambda found: found["quoted"] or "VARCHAR", kind) for kind in kinds]
    if texts == kinds:
        return relation
    columns = [
        f"#{number}{f'::{text}' if text != kind else ''} as {_quoted(name)}"
        for number, (name, kind, text) in enumerate(zip(relation.columns, kinds, texts, strict=True), 1)
    ]
    return relation.project(", ".join(columns))


def in_sql(name: str) -> str:
    """A name in SQL, quoted if needed."""
    return name if _PLAIN.fullmatch(name) else _quoted(name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _shown(schema: pa.Schema) -> pa.Schema:
    """Columns as kafkafmt has them: times in UTC, enums as text, and no two columns with the same name."""
    fields: list[pa.Field] = []
    names: set[str] = set()
    for field in schema:
        name, number = field.name, 0
        while name in names:
            number += 1
            name = f"{field.name}_{number}"
        names.add(name)
        fields.append(pa.field(name, _type_shown(field.type)))
    return pa.schema(fields)


def _type_shown(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return kind


def _as_shown(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return column.view(kind)
    return column.cast(kind) if pa.types.is_dictionary(column.type) else column


_UNQUOTED_OFFSET = re.compile(r'(?<!")\boffset\b(?!")', re.IGNORECASE)
# DuckDB 2.0 fails to name a time that it cannot cast to TIMESTAMP WITH TIME ZONE.
_TOO_LATE = re.compile("Timestamp to higher precision|ConvertToString INT64")


def _refused(message: str) -> QueryError:
    """DuckDB's error, with advice if these relations are its cause."""
    text, _, place = message.strip().partition("\n\nLINE ")
    hint = ""
    if "syntax error" in text and _UNQUOTED_OFFSET.search(message):
        hint = 'offset is a reserved word of SQL: write the column as "offset", in double quotes'
    elif "(BLOB" in text:
        hint = f"keys and values are bytes: {AS_TEXT}(value) makes text of them"
    elif "STRING -> BLOB" in text:
        hint = "keys and values are bytes: compare them with encode('..')"
    elif _TOO_LATE.search(text):
        hint = "timestamps after the year 294246 only compare with TIMESTAMP_MS, such as now()::timestamp_ms"
    return QueryError(text, place and f"LINE {place}", hint)


def _duckdb() -> "ModuleType":
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("SQL needs DuckDB: pip install 'kafkafmt[sql]'") from error
    return duckdb
