"""The program of the kernel that decodes Protobuf messages: fields, nodes and columns, as numbers. No numba.

A node is a message at one place of the type of the values, and its fields are sorted by number. A table has a row a
value, or a row an item of one list or map. A column is in one table; all columns are int64, and what else their values
are is for the caller: of bytes and text they have the position (the upper half) and the length.
"""

from typing import Final, NamedTuple

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s

(
    INT64, INT32, UINT32, SINT32, SINT64, BOOL,
    FIXED32, SFIXED32, FIXED64,
    BYTES, MESSAGE, TREE,
) = range(12)  # fmt: skip
"""Codes of fields: how the bytes of a value are decoded. `TREE` is a message whose bytes are decoded elsewhere."""

FIELD: Final = 8
NUMBER, WIRE, CODE, COLUMN, ITEMS, NODE, ONEOF, WEIGHT = range(FIELD)
"""Numbers of a field: its number; wire type; code; column; the table of its items (-1: a single value), whose values
are the next column; of a message its node; the column with the field of its oneof that is set (-1: none); and what a
message takes of the budget.
"""

OF_NODE: Final = 5
FIRST, END, DENSE, DENSE_SIZE, IS_ENTRY = range(OF_NODE)
"""Numbers of a node: its first field and the end of its fields; where in `dense` its fields by number begin (-1: none),
and how many numbers are there; whether it is the entry of a map.
"""


class MessageProgram(NamedTuple):
    """A type of values.

    Attributes:
        fields: `FIELD` numbers a field.
        nodes: `OF_NODE` numbers a node; the first one is the value.
        dense: fields of nodes by number.
        tables: the table of each column.
        origins: of each table the column with the row of the value; of the first one -1.
    """

    fields: Int64s
    nodes: Int64s
    dense: Int64s
    tables: Int64s
    origins: Int64s


class Filled(NamedTuple):
    """The output of the kernel.

    Attributes:
        cells: the columns, one after the other; 0 where nothing is set.
        present: whether a cell is set, at the same places.
        bases: where each column begins.
        counts: rows of each table; of the first one 0.
        rooms: rows that each table has room for.
        outcomes: of each value, as in `columnar.outcomes`; a value may be `REFUSED | WITH_MORE`.
    """

    cells: Int64s
    present: UInt8s
    bases: Int64s
    counts: Int64s
    rooms: Int64s
    outcomes: UInt8s
