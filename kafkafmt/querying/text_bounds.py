"""Derives conditions on the bytes of a record from conditions on its text.

`holds_text` follows from a condition on the text of a column, such as `as_text(value) like '%4711%'`, and
`holds_one_of` from several conditions joined by `or`. DuckDB passes both to a scan (see `kafkafmt.querying.text`).
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from kafkafmt.querying import text
from kafkafmt.querying.statements import Node, arguments_of, function_of, type_of_cast

Bound = tuple[str, dict[str, Node]]
"""A consequence of a condition: an expression, and the nodes for its placeholders."""

TEXT_TYPES: Final = frozenset({"varchar", "text", "string", "char", "bpchar", "nvarchar"})
TEXT_FUNCTIONS: Final = frozenset({text.AS_TEXT, text.TEXT_OF, "decode"})
FIXED: Final = ("CONSTANT", "PARAMETER")


class Searched(NamedTuple):
    """A condition on the text of a column.

    Attributes:
        column: the column.
        function: function of the text and a pattern.
        others: the pattern, and perhaps its escape character.
    """

    column: Node
    function: str
    others: list[Node]

    @property
    def name(self) -> tuple[str, ...]:
        """Name of the column in lower case, qualified by its table if that is given."""
        return tuple(each.lower() for each in self.column["column_names"])

    def call(self, number: int) -> str:
        """Arguments of a function that takes the condition, as placeholders with a number."""
        escape = f"escape{number}" if len(self.others) > 1 else "''"
        return f"'{self.function}', pattern{number}, {escape}"

    def placeholders(self, number: int) -> dict[str, Node]:
        """The nodes that replace the placeholders of `call`."""
        return {f"{name}{number}": each for name, each in zip(("pattern", "escape"), self.others, strict=False)}


def text_held(function: str, arguments: list[Node]) -> Iterator[Bound]:
    """The consequence for a column if a function is true for its text and a pattern."""
    found = searched(function, arguments)
    if found is not None and found.column is not arguments[0]:  # otherwise the function on bytes adds the bound itself
        yield f"{text.HOLDS}(bytes, {found.call(0)})", {"bytes": found.column, **found.placeholders(0)}


def one_held(found: list[Searched]) -> Bound:
    """The consequence of conditions one of which is true."""
    needles: list[str] = []
    nodes: dict[str, Node] = {}
    for number, each in enumerate(found):
        needles.append(f"{text.NEEDLE_IN}(bytes{number}, {each.call(number)})")
        nodes |= {f"bytes{number}": each.column, **each.placeholders(number)}
    return f"{text.HOLDS_ONE}(bytes0, [{', '.join(needles)}])", nodes


def conditions_held(condition: Node) -> list[Searched] | None:
    """Conditions on text one of which is true whenever a condition is true; None if unknown."""
    kind = condition.get("type", "")
    if kind == "CONJUNCTION_AND":
        return next((found for found in map(conditions_held, condition["children"]) if found is not None), None)
    if kind == "CONJUNCTION_OR":
        parts = [conditions_held(each) for each in condition["children"]]
        return None if None in parts else [each for part in parts for each in part or ()]
    found = None
    if kind == "COMPARE_EQUAL":
        sides = condition["left"], condition["right"]
        # A constant of bytes may have escapes; one of text has none.
        texts = [each for each in (sides, sides[::-1]) if column_of_text(each[0]) is not None]
        found = searched(text.EQUAL, [*texts[0]]) if texts else None
    elif kind == "FUNCTION" and function_of(condition) in text.SEARCHES:
        found = searched(function_of(condition), arguments_of(condition))
    return None if found is None else [found]


def searched(function: str, arguments: list[Node]) -> Searched | None:
    """A function of a column's text and of constants; None for anything else."""
    wrapped, *others = arguments
    column = wrapped if wrapped["class"] == "COLUMN_REF" else column_of_text(wrapped)
    if column is None or not others or not all(each["class"] in FIXED for each in others):
        return None
    return Searched(column, function, others)


def column_of_text(node: Node) -> Node | None:
    """The column whose text a node is; None if the node is not the text of a column."""
    inner = None
    if node["class"] == "CAST" and type_of_cast(node) in TEXT_TYPES:
        inner = node["child"]
    elif node["class"] == "FUNCTION" and function_of(node) in TEXT_FUNCTIONS and len(node["arguments"]) == 1:
        (inner,) = arguments_of(node)
    if inner is None:
        return None
    return inner if inner["class"] == "COLUMN_REF" else column_of_text(inner)
