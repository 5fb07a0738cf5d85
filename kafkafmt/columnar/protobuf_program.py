"""The program of the kernel that decodes Protobuf messages: fields, nodes and columns, as numbers. No numba.

A node is a message at one place in the type of the values, with its fields sorted by number. A table has one row per
value, or one row per item of one list or map. Each column belongs to one table. All columns are int64, and their
further meaning is up to the caller: for bytes and text they hold the position (in the upper half) and the length.
"""

from typing import Final, NamedTuple

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s

(
    INT64, INT32, UINT32, SINT32, SINT64, BOOL,
    FIXED32, SFIXED32, FIXED64,
    BYTES, MESSAGE, TREE,
) = range(12)  # fmt: skip
"""Codes of fields: how the bytes of a value are decoded. A `TREE` is a message whose bytes are decoded elsewhere."""

FIELD: Final = 8
NUMBER, WIRE, CODE, COLUMN, ITEMS, NODE, ONEOF, WEIGHT = range(FIELD)
"""Numbers of a field: its number; wire type; code; column; the table of its items (-1: a single value), whose values
are the next column; the node of a message; the column with the field of its oneof that is set (-1: none); and the part
of the budget that a message takes.
"""

OF_NODE: Final = 5
FIRST, END, DENSE, DENSE_SIZE, IS_ENTRY = range(OF_NODE)
"""Numbers of a node: its first field and the end of its fields; the start in `dense` of its fields by number (-1:
none), and how many numbers are there; whether it is the entry of a map.
"""


class MessageProgram(NamedTuple):
    """A type of values as a program.

    Attributes:
        fields: `FIELD` numbers per field.
        nodes: `OF_NODE` numbers per node; the first node is the value.
        dense: fields of nodes by number.
        tables: table of each column.
        origins: for each table, the column with the row of the value; -1 for the first table.
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
        present: whether each cell is set.
        bases: start of each column.
        counts: number of rows of each table; 0 for the first one.
        rooms: number of rows for which each table has space.
        outcomes: outcome of each value, as in `columnar.outcomes`; a value may be `REFUSED | WITH_MORE`.
    """

    cells: Int64s
    present: UInt8s
    bases: Int64s
    counts: Int64s
    rooms: Int64s
    outcomes: UInt8s
