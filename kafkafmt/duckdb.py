"""DuckDB: the content of the disks as relations of a connection, of which a query reads only what it needs.

>>> import duckdb, kafkafmt.duckdb
>>> connection = duckdb.connect()
>>> kafkafmt.duckdb.register(connection, "/var/lib/kafka/data")
>>> connection.sql("select topic, count(*) from records join 'orders.parquet' using (offset) group by topic")
>>> connection.sql("select value.customer, sum(value.total) from topic.orders group by 1")
"""

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Unpack

from kafkafmt.errors import KafkafmtError, NotFoundError
from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.keywords import SqlKeywords

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from duckdb import DuckDBPyConnection
    from pyarrow.compute import Expression

    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.querying.pushdown import LazyDataset
    from kafkafmt.querying.relations import Relations

_DATASET: Final = "_kafkafmt_"
_UNTYPED: Final = INTERNAL_TOPICS | {"_schemas"}
"""Topics that are typed only if they are named."""


def register(
    connection: "DuckDBPyConnection",
    source: "Searchable",
    *,
    prefix: str = "",
    typed: bool = True,
    **arguments: Unpack[SqlKeywords],
) -> list[str]:
    """Make the relations of `kafkafmt sql` in a connection: records, batches, segments, partitions and so on.

    Each relation is a temporary view that is read when a query names it: of records only the columns that the query
    needs, and only the segments and batches that its conditions leave. `as_text` of docs/sql.md is included, the
    rewriting of `kafkafmt sql` is not: compare bytes with `as_text(key) = 'a'` or `key = 'a'::blob`.

    Typed topics are `topic.orders` and so on, as in docs/sql.md, and `topic."events:com.example.Order"` for the record
    types that subjects name (TopicRecordNameStrategy): views of an in-memory database that is attached with
    the name `topic`. Their types are found by this call, from the first records of each topic (about 5 ms a topic):
    name topics if there are thousands of them. Internal topics are typed only if `topics` names them. A topic that
    cannot be decoded has a view that raises the error. All these views belong to this connection, not to its cursors.

    Args:
        connection: the connection of DuckDB.
        source: as for `kafkafmt.scan`.
        prefix: text put before the name of each view, and before `topic`.
        typed: whether there are typed topics.
        **arguments: those of `kafkafmt.scan`, for records; `on_damage` and `limits` apply to the other relations too.
            Also, for all typed topics, those of `Scan.decode`: `schemas`, `schema`, `record`, `resolve`, `unwrap`, and
            its formats as `value_format` and `key_format`.

    Returns:
        The names of the views; names of typed topics are quoted where SQL needs it: `topic."page-views"`.

    Raises:
        KafkafmtError, TypeError: as in `kafkafmt.scan`. Damage that a query meets is an error of DuckDB.
        NotFoundError: there is no such `schema` or `record`.
        ValueError: as in `kafkafmt.scan` and `Scan.decode`; or the connection is read-only, or has a database or schema
            of its own named `topic`, so that typed topics cannot be attached.
    """
    from kafkafmt.logdir.sources import search  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.relations import NAMES, Relations  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.statements import RECORD_TYPE  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.text import AS_TEXT, add_as_text  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.values.decode_arguments import DecodeArguments  # noqa: PLC0415 - it loads Arrow

    scanned: dict[str, Any] = {**arguments}
    decoding = DecodeArguments.taken_from(scanned)
    relations = Relations(search(source), scanned, lambda: decoding)
    if typed and (decoding.schema is not None or decoding.record is not None):
        relations.check_choice()
    known = {name for (name,) in connection.execute("select distinct function_name from duckdb_functions()").fetchall()}
    if AS_TEXT not in known:
        add_as_text(connection)
    views = [_view(connection, prefix, name, relations.dataset(name)) for name in NAMES]
    if typed:
        topics = arguments.get("topics")
        names_topics = topics is not None and not hasattr(topics, "fullmatch")
        wanted = {each for each in relations.topics if names_topics or each not in _UNTYPED}
        types = [each for each in relations.typed_names if each.partition(RECORD_TYPE)[0] in wanted]
        views += _typed_views(connection, prefix, relations, types)
    return views


def _view(connection: "DuckDBPyConnection", prefix: str, name: str, dataset: "LazyDataset", of: str = "") -> str:
    """Make a view of a relation, and return the view's name.

    Args:
        connection: the connection of DuckDB.
        prefix: text put before the name.
        name: name of the view.
        dataset: the relation.
        of: the attached database that gets the view; "" for a temporary view.
    """
    source = f"{_DATASET}{of}.{name}" if of else f"{_DATASET}{prefix}{name}"
    connection.register(source, dataset)
    place = f"{_quoted(of)}.main.{_quoted(name)}" if of else _quoted(prefix + name)
    kind = "view" if of else "temp view"
    connection.execute(f"create or replace {kind} {place} as select * exclude (_) from {_quoted(source)}")  # noqa: S608 - quoted
    return prefix + name


def _typed_views(
    connection: "DuckDBPyConnection", prefix: str, relations: "Relations", topics: "Sequence[str]"
) -> list[str]:
    """Make the views of typed topics, in their own database."""
    from kafkafmt.querying.session import in_sql  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.statements import TOPIC  # noqa: PLC0415 - it loads Arrow

    database = prefix + TOPIC
    _attach(connection, database)
    alike = Counter(topic.lower() for topic in topics)
    for topic in topics:
        dataset: LazyDataset
        try:
            if alike[topic.lower()] > 1:
                raise NotFoundError(f"another topic differs from {topic} only in case: name one of them by topics=")
            dataset = relations.typed(topic)
        except (KafkafmtError, ValueError) as error:
            dataset = _failing(error)
        _view(connection, "", topic, dataset, of=database)
    return [f"{in_sql(database)}.{in_sql(topic)}" for topic in topics]


def _attach(connection: "DuckDBPyConnection", name: str) -> None:
    """Attach an empty in-memory database, replacing that of an earlier call."""
    import duckdb  # noqa: PLC0415 - it is there

    found = connection.execute(
        "select path is not null or exists (select 1 from duckdb_tables() t where t.database_name = d.database_name) "
        "from duckdb_databases() d where lower(database_name) = lower($name) "
        "union all select true from duckdb_schemas() where lower(schema_name) = lower($name)",
        {"name": name},
    ).fetchall()
    if any(is_of_others for (is_of_others,) in found):
        raise ValueError(
            f"the connection has a database or schema {name} of its own, which would hide typed topics: give a prefix, "
            "or typed=False to leave them out"
        )
    if found:
        connection.execute(f"detach {_quoted(name)}")
        before = f"{_DATASET}{name}."
        views = connection.execute("select view_name from duckdb_views() where starts_with(view_name, ?)", [before])
        for (view,) in views.fetchall():
            connection.unregister(view)
    try:
        connection.execute(f"attach ':memory:' as {_quoted(name)}")
    except duckdb.Error as error:
        raise ValueError(
            f"typed topics cannot be added to this connection: give typed=False to leave them out ({error})"
        ) from error


def _failing(error: Exception) -> "LazyDataset":
    """A relation that raises an error when it is read."""
    from kafkafmt.columns import SCHEMA  # noqa: PLC0415 - it loads Arrow
    from kafkafmt.querying.pushdown import LazyDataset  # noqa: PLC0415 - it loads Arrow

    def read(_: "Sequence[str]", __: "Expression | None") -> "Iterator[pa.RecordBatch]":
        raise error

    return LazyDataset(SCHEMA, read)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
