"""What of a query reaches the scan: columns and filters, also times of any type that it compares `timestamp` with.

DuckDB reads any `pyarrow.dataset.Dataset` by calling `scanner(columns=.., filter=..)` of its class, as it does
with Lance's. What it gives as filter it does not check itself, so that is applied here in full.

The column `timestamp` is TIMESTAMP_MS. DuckDB casts it to compare it with a TIMESTAMP or TIMESTAMP WITH TIME ZONE, and
a cast column is no filter of a scan. So to `timestamp >= X` we add what follows from it whatever the type of X, a
comparison with X rounded to a TIMESTAMP_MS that is earlier: it is a filter, and changes no answer.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.dataset as pads

if TYPE_CHECKING:
    import duckdb
    from pyarrow.compute import Expression

Read = Callable[[Sequence[str], "Expression | None"], Iterator[pa.RecordBatch]]
"""Reads a relation: given names of columns and a filter, makes batches of those columns and the rows it is true for."""

ROWS = "_"
"""Name of the first column, which has no values: DuckDB asks for the first column where it only counts rows."""

_ROWS_FIELD = pa.field(ROWS, pa.null())

Node = dict[str, Any]
"""A node of a statement, as DuckDB's json_serialize_sql has it."""

_TIMESTAMP: Final = "timestamp"
_CONDITIONS: Final = ("where_clause", "condition", "having", "qualify")

_TURNED: Final = {
    "COMPARE_GREATERTHAN": "COMPARE_LESSTHAN",
    "COMPARE_GREATERTHANOREQUALTO": "COMPARE_LESSTHANOREQUALTO",
    "COMPARE_LESSTHAN": "COMPARE_GREATERTHAN",
    "COMPARE_LESSTHANOREQUALTO": "COMPARE_GREATERTHANOREQUALTO",
    "COMPARE_EQUAL": "COMPARE_EQUAL",
}
"""Comparisons, and which they are with both sides exchanged."""

_STEADY: Final = frozenset(
    {
        *("+", "-", "*", "trunc", "date_trunc", "datetrunc", "strptime", "timezone"),
        *("now", "today", "get_current_timestamp", "transaction_timestamp"),
        *("epoch_ms", "to_timestamp", "make_date", "make_timestamp", "make_timestamp_ms", "make_timestamptz"),
        *("to_microseconds", "to_milliseconds", "to_seconds", "to_minutes", "to_hours"),
        *("to_days", "to_weeks", "to_months", "to_quarters", "to_years"),
    }
)
"""Functions that are the same each time that one statement calls them, from which moments are made."""

_CLOCK: Final = frozenset({"current_timestamp", "current_date"})
"""What looks like a column, and is the time."""

# Casting rounds to the nearest ms: one ms beyond is on the safe side.
_BOUNDS: Final = {
    "GREATER": "stamp >= (moment - interval '1 millisecond')::timestamp::timestamp_ms",
    "LESS": "stamp <= (moment + interval '1 millisecond')::timestamp::timestamp_ms",
}


class LazyDataset(pads.Dataset):  # type: ignore[misc]
    """A relation that is read when a query needs it, and only what it needs.

    Args:
        schema: its columns.
        read: reads it.
    """

    def __init__(self, schema: pa.Schema, read: Read) -> None:
        # Dataset's own __init__ refuses to be called; nothing in C++ looks into this object.
        self._schema = pa.schema([_ROWS_FIELD, *map(_without_zone, schema)])
        self._read = read

    @property
    def schema(self) -> pa.Schema:
        """Columns as DuckDB gets them: the one without values, and times without a zone (TIMESTAMP_MS)."""
        return self._schema

    def scanner(
        self,
        columns: Sequence[str] | None = None,
        filter: "Expression | None" = None,  # noqa: A002 - as DuckDB calls it
        **_: object,
    ) -> "_Scanner":
        """Begin to read.

        Args:
            columns: wanted; None for all.
            filter: which rows.
        """
        names = self._schema.names if columns is None else list(columns)
        schema = pa.schema([self._schema.field(name) for name in names])
        wanted = None if filter is None else with_zone(filter)
        batches = (
            pa.RecordBatch.from_arrays(_arrays(batch, schema), schema=schema) for batch in self._read(names, wanted)
        )
        return _Scanner(pa.RecordBatchReader.from_batches(schema, batches))


class _Scanner:
    """As much of a scanner of pyarrow's as DuckDB asks for."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader

    def to_reader(self) -> pa.RecordBatchReader:
        """The rows."""
        return self._reader


def _without_zone(field: pa.Field) -> pa.Field:
    # DuckDB has times with a zone in µs only, and there are timestamps in ms for which these have no room.
    return field.with_type(pa.timestamp(field.type.unit)) if pa.types.is_timestamp(field.type) else field


def _arrays(batch: pa.RecordBatch, schema: pa.Schema) -> list[pa.Array]:
    return [
        pa.nulls(batch.num_rows)
        if field.name == ROWS
        else batch.column(field.name).view(field.type)
        if pa.types.is_timestamp(field.type)
        else batch.column(field.name)
        for field in schema
    ]


def with_zone(expression: "Expression") -> "Expression":
    """The same expression with UTC as the zone of its times, as the columns of kafkafmt have it.

    An expression cannot be taken apart in Python, but pickled: its literals are columns of a record batch then.
    """
    rebuild, (pickled,) = expression.__reduce__()
    literals = pa.ipc.open_file(pickled).get_batch(0)
    for number, field in enumerate(literals.schema):
        kind = _zoned(field.type)
        if kind != field.type:
            literals = literals.set_column(number, field.with_type(kind), literals.column(number).cast(kind))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, literals.schema) as writer:
        writer.write_batch(literals)
    return rebuild(sink.getvalue())


def _zoned(kind: pa.DataType) -> pa.DataType:
    """A type with UTC as the zone of its times, also of lists of times (`in`), which lie in a struct of options."""
    if pa.types.is_timestamp(kind) and kind.tz is None:
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_zoned(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_zoned(field.type)) for field in kind])
    return kind


def with_time_bounds(database: "duckdb.DuckDBPyConnection", query: str) -> str | None:
    """A statement with the same answer that bounds the times it reads; None if it is as good as it is.

    Args:
        database: what runs it. Its zone must be UTC: elsewhere an hour may come twice.
        query: one statement.

    Raises:
        duckdb.Error: DuckDB cannot parse what it has written itself.
    """
    if _TIMESTAMP not in query.lower():
        return None
    tree = _parsed(database, query)
    if tree is None or not _add_bounds(tree, database):
        return None
    zone, bounded = _row(database, "select current_setting('TimeZone'), json_deserialize_sql(?)", json.dumps(tree))
    return str(bounded) if zone == "UTC" else None


def _parsed(database: "duckdb.DuckDBPyConnection", query: str) -> Node | None:
    """The tree of a statement; None for one that DuckDB has no tree of, such as `pivot`."""
    tree: Node = json.loads(_row(database, "select json_serialize_sql(?)", query)[0])
    return None if tree["error"] else tree


def _row(database: "duckdb.DuckDBPyConnection", query: str, *parameters: str) -> tuple[Any, ...]:
    return database.execute(query, parameters).fetchall()[0]


def _add_bounds(node: object, database: "duckdb.DuckDBPyConnection") -> int:
    """Add bounds to all conditions below a node; how many there were to add."""
    if isinstance(node, list):
        return sum(_add_bounds(each, database) for each in node)
    if not isinstance(node, dict):
        return 0
    added = sum(_add_bounds(each, database) for each in node.values())
    for name in _CONDITIONS:
        condition = node.get(name)
        bounds = [*_bounds_of(condition)] if isinstance(condition, dict) else []
        if bounds:
            node[name] = _conjunction(node[name], bounds, database)
            added += len(bounds)
    return added


def _bounds_of(condition: Node) -> Iterator[tuple[str, Node, Node]]:
    """What must hold where a condition does: the name of a bound, the column, and the moment."""
    kind = condition.get("type", "")
    if kind == "CONJUNCTION_AND":
        for each in condition["children"]:
            yield from _bounds_of(each)
    elif kind == "COMPARE_BETWEEN":
        for name, moment in (("GREATER", condition["lower"]), ("LESS", condition["upper"])):
            if _is_column(condition["input"]) and _is_moment(moment):
                yield name, condition["input"], moment
    elif kind in _TURNED:
        sides = condition["left"], condition["right"]
        for (column, moment), compared in zip((sides, sides[::-1]), (kind, _TURNED[kind]), strict=True):
            if _is_column(column) and _is_moment(moment):
                wanted = [name for name in _BOUNDS if name in compared or compared == "COMPARE_EQUAL"]
                yield from ((name, column, moment) for name in wanted)


def _conjunction(condition: Node, bounds: list[tuple[str, Node, Node]], database: "duckdb.DuckDBPyConnection") -> Node:
    children = [condition]
    for name, column, moment in bounds:
        tree = _parsed(database, f"select {_BOUNDS[name]}")
        if tree is not None:
            bound = tree["statements"][0]["node"]["select_list"][0]
            children.append(_replaced(bound, {"stamp": column, "moment": moment}))
    alone = {name: value for name, value in condition.items() if name.startswith("query_location")}
    return {"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "alias": "", **alone, "children": children}


def _replaced(node: Any, by_name: dict[str, Node]) -> Any:  # noqa: ANN401 - whatever a tree holds
    """A copy with other nodes in the place of columns of these names."""
    if isinstance(node, list):
        return [_replaced(each, by_name) for each in node]
    if not isinstance(node, dict):
        return node
    if node.get("class") == "COLUMN_REF":
        return deepcopy(by_name[node["column_names"][0]])
    return {name: _replaced(each, by_name) for name, each in node.items()}


def _is_column(node: Node) -> bool:
    return node["class"] == "COLUMN_REF" and str(node["column_names"][-1]).lower() == _TIMESTAMP


def _is_moment(node: Node) -> bool:
    """Whether it may be a moment that is the same for all rows; plain text needs no help."""
    return node["class"] != "CONSTANT" and all(map(_is_steady, _nodes(node)))


def _is_steady(node: Node) -> bool:
    if node["class"] == "COLUMN_REF":
        return str(node["column_names"][-1]).lower() in _CLOCK
    if node["class"] == "FUNCTION":
        return str(node["function_name"]).lower() in _STEADY
    return node["class"] in ("CONSTANT", "CAST", "PARAMETER", "TYPE")


def _nodes(node: object) -> Iterator[Node]:
    """The expressions in one, itself too."""
    if isinstance(node, dict):
        if "class" in node:
            yield node
        for each in node.values():
            yield from _nodes(each)
    elif isinstance(node, list):
        for each in node:
            yield from _nodes(each)
