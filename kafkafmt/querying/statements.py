"""The trees of statements, in the form of DuckDB's json_serialize_sql, and the relations that a statement reads."""

import json
import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import duckdb

Node = dict[str, Any]
"""A node of a tree."""

RECORDS: Final = "records"
"""The relation of all records."""

OUR_VIEW: Final = "a relation of kafkafmt"
"""Comment on the views of relations; views that a user creates do not have it."""

TOPIC: Final = "topic"
"""The SQL schema of the typed relations of topics."""

RECORD_TYPE: Final = ":"
"""Separates topic and record type in the name of a relation; no topic has it in its name."""

_OF_TOPIC: Final = re.compile(r"""'(?:[^']|'')*'|\btopic\s*\.\s*(?:"((?:[^"]|"")+)"|(\w+))""", re.IGNORECASE)

_CATALOG_TABLES: Final = ("TABLE_FUNCTION", "SHOW_REF")
"""Tables that may list others: `duckdb_views()`, `show tables`."""


def topics_read(database: "duckdb.DuckDBPyConnection", query: str) -> tuple[list[str], bool]:
    """The names of the topics whose typed relations a statement reads, and whether that is certain."""
    tree = parsed(database, query)
    if tree is None:  # such as `create table .. as`
        found = _OF_TOPIC.findall(query)
        return [*dict.fromkeys(quoted.replace('""', '"') or plain for quoted, plain in found if quoted or plain)], False
    tables = [node for node in dictionaries(tree) if node.get("type") == "BASE_TABLE"]
    return [*dict.fromkeys(each["table_name"] for each in tables if each["schema_name"].lower() == TOPIC)], True


def relations_read(database: "duckdb.DuckDBPyConnection", query: str, known: Collection[str]) -> Collection[str]:
    """The relations that a statement may read, or name in an answer or error; all unless it names only known ones.

    Args:
        database: parses the statement.
        query: one statement.
        known: names of all relations, in lower case.
    """
    tree = parsed(database, query)
    nodes = [] if tree is None else [*dictionaries(tree)]
    tables = [node for node in nodes if node.get("type") == "BASE_TABLE"]
    named = {each["table_name"].lower() for each in tables if each["schema_name"].lower() != TOPIC}
    common = common_tables(tree)
    is_sure = tree is not None and not any(node.get("type") in _CATALOG_TABLES for node in nodes)
    return named.intersection(known) if is_sure and named.issubset({*known, *common}) else known


def common_tables(tree: Node | None) -> set[str]:
    """The names of a statement's common table expressions."""
    nodes = (node for node in dictionaries(tree) if "cte_map" in node)
    return {entry["key"].lower() for node in nodes for entry in node["cte_map"]["map"]}


def dictionaries(node: object) -> Iterator[Node]:
    """A node and all nodes below it, expressions or not."""
    if isinstance(node, dict):
        yield node
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from dictionaries(each)


def nodes(node: object) -> Iterator[Node]:
    """The expressions in a node, including itself."""
    return (each for each in dictionaries(node) if "class" in each)


def parsed(database: "duckdb.DuckDBPyConnection", query: str) -> Node | None:
    """The tree of a statement; None if DuckDB has no tree of it, such as for `pivot`."""
    tree: Node = json.loads(row_of(database, "select json_serialize_sql(?)", query)[0])
    return None if tree["error"] else tree


def row_of(database: "duckdb.DuckDBPyConnection", query: str, *parameters: str) -> tuple[Any, ...]:
    """The first row of a query."""
    return database.execute(query, parameters).fetchall()[0]


def expression(database: "duckdb.DuckDBPyConnection", expression: str, by_name: dict[str, Node]) -> Node:
    """The tree of an expression, with other nodes in place of its columns."""
    tree = json.loads(row_of(database, "select json_serialize_sql(?)", f"select {expression}")[0])
    node: Node = _replaced(tree["statements"][0]["node"]["select_list"][0], by_name)
    return node


def _replaced(node: Any, by_name: dict[str, Node]) -> Any:  # noqa: ANN401 - whatever a tree holds
    """A copy of a node with other nodes in place of the columns with these names."""
    if isinstance(node, list):
        return [_replaced(each, by_name) for each in node]
    if not isinstance(node, dict):
        return node
    if node.get("class") == "COLUMN_REF":
        return deepcopy(by_name[node["column_names"][0]])
    return {name: _replaced(each, by_name) for name, each in node.items()}


def function_of(node: Node) -> str:
    """The name of the function that a node calls, in lower case."""
    return str(node["function_name"]).lower()


def arguments_of(node: Node) -> list[Node]:
    """The arguments of the function that a node calls."""
    return [each["expression"] for each in node["arguments"]]


def type_of_cast(node: Node) -> str:
    """The type to which a node casts."""
    return str(node["type_expr"].get("type_name", "")).lower()
