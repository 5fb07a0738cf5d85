"""Rewrites statements before DuckDB runs them: adds filters implied by their conditions, and reads bytes as text.

The column `timestamp` is TIMESTAMP_MS. DuckDB casts it to compare it with a TIMESTAMP or TIMESTAMP WITH TIME ZONE, and
a cast column cannot be a filter of a scan. Therefore a comparison is added that follows from `timestamp >= X` whatever
the type of X is, with X rounded down to a TIMESTAMP_MS: it is a filter, and does not change an answer. In the same way
`holds_text` is added to conditions on the text of a column, such as `as_text(value) like '%4711%'`, and `holds_one_of`
to conditions that are joined by `or`.
"""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kafkafmt.querying import text
from kafkafmt.querying.pushdown import OF_BYTES
from kafkafmt.querying.statements import (
    OUR_VIEW,
    RECORDS,
    Node,
    arguments_of,
    common_tables,
    dictionaries,
    expression,
    function_of,
    nodes,
    parsed,
    row_of,
    type_of_cast,
)
from kafkafmt.querying.text_bounds import (
    FIXED,
    TEXT_FUNCTIONS,
    TEXT_TYPES,
    Bound,
    conditions_held,
    one_held,
    text_held,
)

if TYPE_CHECKING:
    import duckdb

_TIMESTAMP: Final = "timestamp"
_CONDITIONS: Final = ("where_clause", "condition", "having", "qualify")

Names = frozenset[tuple[str, ...]]
"""Names of columns, some qualified by their tables."""

_TURNED: Final = {
    "COMPARE_GREATERTHAN": "COMPARE_LESSTHAN",
    "COMPARE_GREATERTHANOREQUALTO": "COMPARE_LESSTHANOREQUALTO",
    "COMPARE_LESSTHAN": "COMPARE_GREATERTHAN",
    "COMPARE_LESSTHANOREQUALTO": "COMPARE_GREATERTHANOREQUALTO",
    "COMPARE_EQUAL": "COMPARE_EQUAL",
}
"""Comparisons, with the equivalent ones for exchanged sides."""

_STEADY: Final = frozenset(
    {
        *("+", "-", "*", "trunc", "date_trunc", "datetrunc", "strptime", "timezone"),
        *("now", "today", "get_current_timestamp", "transaction_timestamp"),
        *("epoch_ms", "to_timestamp", "make_date", "make_timestamp", "make_timestamp_ms", "make_timestamptz"),
        *("to_microseconds", "to_milliseconds", "to_seconds", "to_minutes", "to_hours"),
        *("to_days", "to_weeks", "to_months", "to_quarters", "to_years"),
    }
)
"""Functions from which moments are made and which give the same result each time within one statement."""

_CLOCK: Final = frozenset({"current_timestamp", "current_date"})
"""Expressions that look like a column but are the current time."""

# Casting rounds to the nearest ms: one ms more is on the safe side.
_BOUNDS: Final = {
    "GREATER": "stamp >= (moment - interval '1 millisecond')::timestamp::timestamp_ms",
    "LESS": "stamp <= (moment + interval '1 millisecond')::timestamp::timestamp_ms",
}

_MAY_HAVE_BOUNDS: Final = re.compile("|".join([_TIMESTAMP, "::", "cast", r"\bor\b", *TEXT_FUNCTIONS]), re.IGNORECASE)
_JSON_FUNCTIONS: Final = frozenset({"json_extract"})


def with_bytes_as_text(database: "duckdb.DuckDBPyConnection", query: str) -> str | None:
    """A statement that reads bytes as text where it casts a column to text or JSON; None if it casts none.

    DuckDB's own cast escapes double quotes and bytes that are not ASCII, and `->` makes null of those.

    Raises:
        duckdb.Error: DuckDB cannot parse its own output.
    """
    if not any(mark in query.lower() for mark in ("::", "cast", "->", "json_extract")):
        return None
    tree = parsed(database, query)
    places = [] if tree is None else [*filter(None, map(_place_of_text, nodes(tree)))]
    if not places:
        return None
    # Columns keep the names that DuckDB gives them.
    selected = [item for node in dictionaries(tree) for item in node.get("select_list", ())]
    shown = [(item, _name(item, database)) for item in selected if any(map(_place_of_text, nodes(item)))]
    for place, name, function in places:
        place[name] = expression(database, f"{function}(x)", {"x": place[name]})
    for item, name in shown:
        item["alias"] = item["alias"] or name
    return str(row_of(database, "select json_deserialize_sql(?)", json.dumps(tree))[0])


def _place_of_text(node: Node) -> tuple[Node, str, str] | None:
    """The place of a column that is cast to text or is an argument of a JSON function, with the function to add."""
    if node["class"] == "CAST" and type_of_cast(node) in {*TEXT_TYPES, "json"}:
        place = node, "child", text.TEXT_OF
    elif node["class"] == "FUNCTION" and function_of(node) in _JSON_FUNCTIONS:
        place = node["arguments"][0], "expression", text.JSON_OF
    elif node["class"] == "LAMBDA" and node["expr"]["class"] in FIXED:  # `->` of a column and a path
        place = node, "lhs", text.JSON_OF
    else:
        return None
    return place if place[0][place[1]]["class"] == "COLUMN_REF" else None


def _name(item: Node, database: "duckdb.DuckDBPyConnection") -> str:
    """The name that DuckDB gives a column."""
    tree = json.loads(row_of(database, "select json_serialize_sql('select 1')")[0])
    tree["statements"][0]["node"]["select_list"] = [item]
    return str(row_of(database, "select json_deserialize_sql(?)", json.dumps(tree))[0]).removeprefix("SELECT ")


def with_bounds(database: "duckdb.DuckDBPyConnection", query: str) -> str | None:
    """A statement with the same answer that reads less; None if nothing can be improved.

    Raises:
        duckdb.Error: DuckDB cannot parse its own output.
    """
    if not _MAY_HAVE_BOUNDS.search(query):
        return None
    tree = parsed(database, query)
    if tree is None:
        return None
    zone, collation = row_of(database, "select current_setting('TimeZone'), current_setting('default_collation')")
    if collation:
        return None  # with a collation, different texts may be equal
    has_times = zone == "UTC"  # in another zone an hour may come twice
    has_own = RECORDS in common_tables(tree) or not _has_only_our_records(database)
    # Columns keep the names that DuckDB gives them, even if a condition in a subquery is part of the name.
    selected = [item for node in dictionaries(tree) for item in node.get("select_list", ())]
    shown = [(item, _name(item, database)) for item in selected if _needs_name(item)]
    if not _add_bounds(tree, database, has_times=has_times, has_own=has_own):
        return None
    for item, name in shown:
        item["alias"] = name
    return str(row_of(database, "select json_deserialize_sql(?)", json.dumps(tree))[0])


def _has_only_our_records(database: "duckdb.DuckDBPyConnection") -> bool:
    """Whether no table or view of the user's can be called like the relation of all records."""
    query = """
        select count(*) from (
            select schema_name, view_name as name, comment from duckdb_views()
            union all select schema_name, table_name, comment from duckdb_tables()
        ) where lower(name) = ? and comment is distinct from ?"""
    return bool(row_of(database, query, RECORDS, OUR_VIEW)[0] == 0)


def _needs_name(item: Node) -> bool:
    """Whether the generated name of a column contains a subquery, and must be kept when that is rewritten."""
    is_one = item["class"] != "STAR" and not item["alias"]
    return is_one and any(each["class"] == "SUBQUERY" for each in nodes(item))


def _add_bounds(node: object, database: "duckdb.DuckDBPyConnection", *, has_times: bool, has_own: bool) -> int:
    """Add bounds to all conditions below a node; returns the number of bounds added.

    Args:
        node: a node, or a list of nodes.
        database: runs the statement.
        has_times: whether times of the statement are UTC.
        has_own: whether the statement may read a table of the user's that is called `records`.
    """
    if isinstance(node, list):
        return sum(_add_bounds(each, database, has_times=has_times, has_own=has_own) for each in node)
    if not isinstance(node, dict):
        return 0
    added = sum(_add_bounds(each, database, has_times=has_times, has_own=has_own) for each in node.values())
    for name in _CONDITIONS:
        condition = node.get(name)
        if not isinstance(condition, dict):
            continue
        # After window functions and grouping a row combines several records, so bounds on one record do not hold.
        of_record = frozenset() if has_own or name != "where_clause" else _names_in_record(node.get("from_table"))
        bounds = [*_bounds_of(condition, has_times=has_times, of_record=of_record)]
        if bounds:
            node[name] = _conjunction(node[name], bounds, database)
            added += len(bounds)
    return added


def _names_in_record(table: Node | None) -> Names:
    """All names of one record's bytes, if a statement reads from the relation of all records alone; otherwise none.

    Other columns may belong to different records: those of joined tables, or of the query around a subquery.
    """
    if table is None or table["type"] != "BASE_TABLE" or table["column_name_alias"]:
        return frozenset()
    if (table["schema_name"], table["table_name"].lower()) != ("", RECORDS):
        return frozenset()
    alias = str(table["alias"] or RECORDS).lower()
    return frozenset(name for column in OF_BYTES for name in ((column,), (alias, column)))


def _bounds_of(condition: Node, *, has_times: bool, of_record: Names) -> Iterator[Bound]:
    """Consequences of a condition.

    Args:
        condition: the condition.
        has_times: whether times of the statement are UTC.
        of_record: names of columns that belong to the same record.
    """
    kind = condition.get("type", "")
    if kind == "CONJUNCTION_AND":
        for each in condition["children"]:
            yield from _bounds_of(each, has_times=has_times, of_record=of_record)
    elif kind == "CONJUNCTION_OR":
        found = conditions_held(condition)
        names = {each.name for each in found or ()}
        if found is not None and (len(names) == 1 or names <= of_record):
            yield one_held(found)
    elif kind == "COMPARE_BETWEEN" and has_times:
        for name, moment in (("GREATER", condition["lower"]), ("LESS", condition["upper"])):
            if _is_column(condition["input"]) and _is_moment(moment):
                yield _BOUNDS[name], {"stamp": condition["input"], "moment": moment}
    elif kind in _TURNED:
        sides = condition["left"], condition["right"]
        for (column, other), compared in zip((sides, sides[::-1]), (kind, _TURNED[kind]), strict=True):
            if has_times and _is_column(column) and _is_moment(other):
                wanted = [name for name in _BOUNDS if name in compared or compared == "COMPARE_EQUAL"]
                yield from ((_BOUNDS[name], {"stamp": column, "moment": other}) for name in wanted)
            elif compared == "COMPARE_EQUAL":
                yield from text_held(text.EQUAL, [column, other])
    elif kind == "FUNCTION" and function_of(condition) in text.SEARCHES:
        yield from text_held(function_of(condition), arguments_of(condition))


def _conjunction(condition: Node, bounds: list[Bound], database: "duckdb.DuckDBPyConnection") -> Node:
    children = [condition, *(expression(database, *bound) for bound in bounds)]
    alone = {name: value for name, value in condition.items() if name.startswith("query_location")}
    return {"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "alias": "", **alone, "children": children}


def _is_column(node: Node) -> bool:
    return node["class"] == "COLUMN_REF" and str(node["column_names"][-1]).lower() == _TIMESTAMP


def _is_moment(node: Node) -> bool:
    """Whether the node may be a moment that is the same for all rows; plain text needs no bound."""
    return node["class"] != "CONSTANT" and all(map(_is_steady, nodes(node)))


def _is_steady(node: Node) -> bool:
    if node["class"] == "COLUMN_REF":
        return str(node["column_names"][-1]).lower() in _CLOCK
    if node["class"] == "FUNCTION":
        return str(node["function_name"]).lower() in _STEADY
    return node["class"] in ("CONSTANT", "CAST", "PARAMETER", "TYPE")
