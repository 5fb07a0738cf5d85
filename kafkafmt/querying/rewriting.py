"""Statements rewritten before DuckDB runs them: filters that follow from their conditions, and bytes cast to text.

The column `timestamp` is TIMESTAMP_MS. DuckDB casts it to compare it with a TIMESTAMP or TIMESTAMP WITH TIME ZONE, and
a cast column cannot be a filter of a scan. So a comparison that follows from `timestamp >= X` whatever the type of X is
added, with X rounded to a TIMESTAMP_MS that is earlier: it is a filter, and does not change an answer. In the same way
`holds_text` is added to conditions on the text of a column, such as `as_text(value) like '%4711%'`.
"""

import json
import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from kafkafmt.querying import text

if TYPE_CHECKING:
    import duckdb

Node = dict[str, Any]
"""A node of a statement, in the form of DuckDB's json_serialize_sql."""

Bound = tuple[str, dict[str, Node]]
"""A consequence of a condition: an expression, and the placeholders of its columns."""

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
"""Expressions that look like a column, and are the time."""

# Casting rounds to the nearest ms: one ms more is on the safe side.
_BOUNDS: Final = {
    "GREATER": "stamp >= (moment - interval '1 millisecond')::timestamp::timestamp_ms",
    "LESS": "stamp <= (moment + interval '1 millisecond')::timestamp::timestamp_ms",
}

_TEXT_FUNCTIONS: Final = frozenset({text.AS_TEXT, text.TEXT_OF, "decode"})
_TEXT_TYPES: Final = frozenset({"varchar", "text", "string", "char", "bpchar", "nvarchar"})
_JSON_FUNCTIONS: Final = frozenset({"json_extract"})
_FIXED: Final = ("CONSTANT", "PARAMETER")
_CATALOG_TABLES: Final = ("TABLE_FUNCTION", "SHOW_REF")
"""Tables that may list others: `duckdb_views()`, `show tables`."""


def with_bytes_as_text(database: "duckdb.DuckDBPyConnection", query: str) -> str | None:
    """A statement that reads bytes as text where it casts a column to text or JSON; None if it casts none.

    DuckDB's own cast makes escapes of double quotes and of bytes that are not ASCII, and `->` makes null of those.

    Args:
        database: runs it.
        query: one statement.

    Raises:
        duckdb.Error: DuckDB cannot parse its own output.
    """
    if not any(mark in query.lower() for mark in ("::", "cast", "->", "json_extract")):
        return None
    tree = _parsed(database, query)
    places = [] if tree is None else [*filter(None, map(_place_of_text, _nodes(tree)))]
    if not places:
        return None
    # Columns keep the names that DuckDB gives them.
    selected = [item for node in _dictionaries(tree) for item in node.get("select_list", ())]
    shown = [(item, _name(item, database)) for item in selected if any(map(_place_of_text, _nodes(item)))]
    for place, name, function in places:
        place[name] = _expression(database, f"{function}(x)", {"x": place[name]})
    for item, name in shown:
        item["alias"] = item["alias"] or name
    return str(_row(database, "select json_deserialize_sql(?)", json.dumps(tree))[0])


def _place_of_text(node: Node) -> tuple[Node, str, str] | None:
    """Where a column is cast to text, or is an argument of a JSON function: the text to put around it."""
    if node["class"] == "CAST" and _type(node) in {*_TEXT_TYPES, "json"}:
        place = node, "child", text.TEXT_OF
    elif node["class"] == "FUNCTION" and _function(node) in _JSON_FUNCTIONS:
        place = node["arguments"][0], "expression", text.JSON_OF
    elif node["class"] == "LAMBDA" and node["expr"]["class"] in _FIXED:  # `->` of a column and a path
        place = node, "lhs", text.JSON_OF
    else:
        return None
    return place if place[0][place[1]]["class"] == "COLUMN_REF" else None


def _name(item: Node, database: "duckdb.DuckDBPyConnection") -> str:
    """The name that DuckDB gives a column."""
    tree = json.loads(_row(database, "select json_serialize_sql('select 1')")[0])
    tree["statements"][0]["node"]["select_list"] = [item]
    return str(_row(database, "select json_deserialize_sql(?)", json.dumps(tree))[0]).removeprefix("SELECT ")


def with_bounds(database: "duckdb.DuckDBPyConnection", query: str) -> str | None:
    """A statement with the same answer that reads less; None if nothing can be improved.

    Args:
        database: runs it.
        query: one statement.

    Raises:
        duckdb.Error: DuckDB cannot parse its own output.
    """
    if not any(mark in query.lower() for mark in (_TIMESTAMP, "::", "cast", *_TEXT_FUNCTIONS)):
        return None
    tree = _parsed(database, query)
    # In another zone an hour may come twice.
    has_times = _row(database, "select current_setting('TimeZone')")[0] == "UTC"
    if tree is None or not _add_bounds(tree, database, has_times=has_times):
        return None
    return str(_row(database, "select json_deserialize_sql(?)", json.dumps(tree))[0])


TOPIC: Final = "topic"
"""The schema, in the sense of SQL, of the typed relations of topics."""

_OF_TOPIC: Final = re.compile(r"""'(?:[^']|'')*'|\btopic\s*\.\s*(?:"((?:[^"]|"")+)"|(\w+))""", re.IGNORECASE)


def topics_read(database: "duckdb.DuckDBPyConnection", query: str) -> tuple[list[str], bool]:
    """The names of the topics whose typed relations a statement reads, and whether that is sure."""
    tree = _parsed(database, query)
    if tree is None:  # as `create table .. as`
        found = _OF_TOPIC.findall(query)
        return [*dict.fromkeys(quoted.replace('""', '"') or plain for quoted, plain in found if quoted or plain)], False
    tables = [node for node in _dictionaries(tree) if node.get("type") == "BASE_TABLE"]
    return [*dict.fromkeys(each["table_name"] for each in tables if each["schema_name"].lower() == TOPIC)], True


def relations_read(database: "duckdb.DuckDBPyConnection", query: str, known: Collection[str]) -> Collection[str]:
    """The relations that a statement may read, or name in an answer or an error: all unless it names known ones only.

    Args:
        database: parses it.
        query: one statement.
        known: names of all relations, in lower case.
    """
    tree = _parsed(database, query)
    nodes = [] if tree is None else [*_dictionaries(tree)]
    tables = [node for node in nodes if node.get("type") == "BASE_TABLE"]
    named = {each["table_name"].lower() for each in tables if each["schema_name"].lower() != TOPIC}
    common = {entry["key"].lower() for node in nodes if "cte_map" in node for entry in node["cte_map"]["map"]}
    is_sure = tree is not None and not any(node.get("type") in _CATALOG_TABLES for node in nodes)
    return named.intersection(known) if is_sure and named.issubset({*known, *common}) else known


def _dictionaries(node: object) -> Iterator[Node]:
    """A node and all below it, expressions or not."""
    if isinstance(node, dict):
        yield node
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _dictionaries(each)


def _parsed(database: "duckdb.DuckDBPyConnection", query: str) -> Node | None:
    """The tree of a statement; None for one that DuckDB has no tree of, such as `pivot`."""
    tree: Node = json.loads(_row(database, "select json_serialize_sql(?)", query)[0])
    return None if tree["error"] else tree


def _row(database: "duckdb.DuckDBPyConnection", query: str, *parameters: str) -> tuple[Any, ...]:
    return database.execute(query, parameters).fetchall()[0]


def _expression(database: "duckdb.DuckDBPyConnection", expression: str, by_name: dict[str, Node]) -> Node:
    """The tree of an expression, with other nodes in the place of its columns."""
    tree = json.loads(_row(database, "select json_serialize_sql(?)", f"select {expression}")[0])
    node: Node = _replaced(tree["statements"][0]["node"]["select_list"][0], by_name)
    return node


def _add_bounds(node: object, database: "duckdb.DuckDBPyConnection", *, has_times: bool) -> int:
    """Add bounds to all conditions below a node; how many there were to add."""
    if isinstance(node, list):
        return sum(_add_bounds(each, database, has_times=has_times) for each in node)
    if not isinstance(node, dict):
        return 0
    added = sum(_add_bounds(each, database, has_times=has_times) for each in node.values())
    for name in _CONDITIONS:
        condition = node.get(name)
        bounds = [*_bounds_of(condition, has_times=has_times)] if isinstance(condition, dict) else []
        if bounds:
            node[name] = _conjunction(node[name], bounds, database)
            added += len(bounds)
    return added


def _bounds_of(condition: Node, *, has_times: bool) -> Iterator[Bound]:
    """A consequence of a condition."""
    kind = condition.get("type", "")
    if kind == "CONJUNCTION_AND":
        for each in condition["children"]:
            yield from _bounds_of(each, has_times=has_times)
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
                yield from _text_held(text.EQUAL, [column, other])
    elif kind == "FUNCTION" and _function(condition) in text.SEARCHES:
        yield from _text_held(_function(condition), _arguments(condition))


def _text_held(function: str, arguments: list[Node]) -> Iterator[Bound]:
    """A consequence for a column where a function is true of its text and a pattern."""
    wrapped, *others = arguments
    column = _column_of_text(wrapped)
    if column is not None and others and all(each["class"] in _FIXED for each in others):
        names = dict(zip(("pattern", "escape"), others, strict=False))
        escape = "escape" if "escape" in names else "''"
        yield f"{text.HOLDS}(bytes, '{function}', pattern, {escape})", {"bytes": column, **names}


def _column_of_text(node: Node) -> Node | None:
    """The column of which a node is the text; None if it is not the text of one."""
    inner = None
    if node["class"] == "CAST" and _type(node) in _TEXT_TYPES:
        inner = node["child"]
    elif node["class"] == "FUNCTION" and _function(node) in _TEXT_FUNCTIONS and len(node["arguments"]) == 1:
        (inner,) = _arguments(node)
    if inner is None:
        return None
    return inner if inner["class"] == "COLUMN_REF" else _column_of_text(inner)


def _conjunction(condition: Node, bounds: list[Bound], database: "duckdb.DuckDBPyConnection") -> Node:
    children = [condition, *(_expression(database, *bound) for bound in bounds)]
    alone = {name: value for name, value in condition.items() if name.startswith("query_location")}
    return {"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "alias": "", **alone, "children": children}


def _function(node: Node) -> str:
    return str(node["function_name"]).lower()


def _arguments(node: Node) -> list[Node]:
    return [each["expression"] for each in node["arguments"]]


def _type(node: Node) -> str:
    """The type that a cast makes."""
    return str(node["type_expr"].get("type_name", "")).lower()


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
    return (each for each in _dictionaries(node) if "class" in each)
