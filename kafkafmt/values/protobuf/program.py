"""The program by which the kernel decodes messages: nodes, fields and columns of a shape."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kafkafmt.columnar.protobuf_program import (
    BOOL,
    BYTES,
    FIXED32,
    FIXED64,
    INT32,
    INT64,
    MESSAGE,
    SFIXED32,
    SINT32,
    SINT64,
    TREE,
    UINT32,
    MessageProgram,
)
from kafkafmt.values.protobuf.arrow import Shape
from kafkafmt.values.protobuf.schema import GROUP, LENGTH, ProtoField
from kafkafmt.values.protobuf.wire import MOST_DEPTH

_CODES: Final = {
    "int32": INT32, "enum": INT32, "uint32": UINT32, "sint32": SINT32, "sint64": SINT64, "bool": BOOL,
    "int64": INT64, "uint64": INT64, "float": FIXED32, "fixed32": FIXED32, "sfixed32": SFIXED32,
    "double": FIXED64, "fixed64": FIXED64, "sfixed64": FIXED64, "string": BYTES, "bytes": BYTES,
}  # fmt: skip
_DENSE: Final = 1024
"""Fields with lower numbers are looked up directly."""

_APART: Final = -1
"""Wire type of fields that the kernel leaves to the other reader: groups."""


@dataclass(slots=True)
class Placed:
    """A shape with its place in the kernel's columns.

    Attributes:
        shape: the shape.
        column: column of the values; for a list or map the column of lengths.
        table: the table of that column.
        items: the table of the items of a list or map, or -1.
        depth: number of enclosing messages.
        inner: columns of a struct, of a map's entries, of a wrapper; or the seconds and nanoseconds of a time.
    """

    shape: Shape
    column: int
    table: int
    items: int
    depth: int
    inner: "list[Placed]" = field(default_factory=list)

    @property
    def values(self) -> tuple[int, int]:
        """Column and table of the values; for a list those of its items."""
        return (self.column, self.table) if self.items < 0 else (self.column + 1, self.items)


class CompiledMessage:
    """A compiled shape.

    Args:
        shape: shape of a whole message, which is not JSON text.

    Attributes:
        root: the message.
        program: the program for the kernel.
        depth: largest nesting depth of messages.
        width: number of columns with one row per value.
    """

    def __init__(self, shape: Shape) -> None:
        self._fields: list[list[int]] = []
        self._nodes: list[list[int]] = []
        self._dense: list[int] = []
        self._tables: list[int] = []
        self._origins = [-1]
        self.depth = 0
        self.root = Placed(shape, self._column(0), 0, -1, 0)
        waiting = [(self.root, self._node())]
        while waiting:
            placed, node = waiting.pop()
            waiting += self._fill(placed, node)
        self.width = self._tables.count(0)
        self.program = MessageProgram(
            *(
                np.array(each, np.int64).reshape(-1)
                for each in (self._fields, self._nodes, self._dense, self._tables, self._origins)
            )
        )

    def _fill(self, placed: Placed, node: int) -> list[tuple[Placed, int]]:
        """Make the fields of a node; returns those that are messages, with their nodes."""
        message = placed.shape.message
        table = placed.values[1]
        fields: list[list[int]] = []
        deeper: list[tuple[Placed, int]] = []
        cases: dict[str, int] = {}
        for shape in placed.shape.inner:
            of = shape.field
            if of is None or message is None:
                continue
            column = self._column(table)
            items = self._table() if of.is_repeated else -1
            made = Placed(shape, column, table, items, placed.depth + 1)
            placed.inner.append(made)
            inner_node, code = -1, _code(shape)
            if code == MESSAGE:
                inner_node = self._node()
                deeper.append((made, inner_node))
                self.depth = max(self.depth, made.depth)
            case = -1
            if of.oneof is not None:
                if of.oneof not in cases:
                    cases[of.oneof] = self._column(table)
                case = cases[of.oneof]
            weight = 0 if of.message is None else of.message.width
            fields.append([of.number, _wire(of), code, column, items, inner_node, case, weight])
        fields.sort()
        first = len(self._fields)
        self._fields += fields
        size = min(max((each[0] for each in fields), default=0) + 1, _DENSE)
        dense = [-1] * size
        for place, each in enumerate(fields, first):
            if each[0] < size:
                dense[each[0]] = place
        self._nodes[node] = [
            first,
            len(self._fields),
            len(self._dense),
            size,
            int(message is not None and message.is_map_entry),
        ]
        self._dense += dense
        return deeper

    def _column(self, table: int) -> int:
        self._tables.append(table)
        return len(self._tables) - 1

    def _table(self) -> int:
        """Make a table of items: the column of their values, which comes next, and that of their origins."""
        table = len(self._origins)
        self._column(table)
        self._origins.append(self._column(table))
        return table

    def _node(self) -> int:
        self._nodes.append([])
        return len(self._nodes) - 1


def _code(shape: Shape) -> int:
    if shape.form in {"json", "decimal"}:
        return TREE
    return MESSAGE if shape.message is not None else _CODES["int32" if shape.field is None else shape.field.kind]


def _wire(of: ProtoField) -> int:
    return _APART if of.wire == GROUP else LENGTH if of.message is not None else of.wire


def stack_of(compiled: CompiledMessage) -> "np.typing.NDArray[np.int64]":
    """Memory for the kernel's stack of messages around the one that it reads."""
    return np.zeros(3 * min(compiled.depth, MOST_DEPTH), np.int64)
