"""Input and output of the JSON kernels: the types of values as a program of nodes, and the cells that they fill.

The nodes of a type are in the order in which they begin, and a node's inner nodes follow it: the fields of an object,
the items of an array, the keys and then the values of a map.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s

DOCUMENT, TEXT, BOOLEAN, INTEGER, NUMBER, STRING, ARRAY, MAP, OBJECT = range(9)
"""Kinds of nodes; a document is text even if it is null."""

NULL, SET, TO_READ = range(3)
"""States of a cell: null, set, or a number that has yet to be read from its text."""

ROOM, UNKNOWN, BUDGET = range(3)
"""Fields of `Cells.state`: the node that lacks space; whether a row had unknown names; items still allowed."""

ESCAPED: Final = 1
"""The lowest bit of a span: whether its text has escapes. The next 31 bits are the size, the others the start."""


class JsonProgram(NamedTuple):
    """The type of values as a program.

    Attributes:
        kinds: kind of each node.
        ends: number of the first node after each node's inner nodes.
        names: names of fields side by side.
        name_ends: start in `names` of the name of each node, followed by the end of the last one.
        parents: the object of which a node is a field, -1 for other nodes.
        slots: field number plus one, by the hash of the object and the name; 0 for none. Its length is a power of two.
    """

    kinds: Int64s
    ends: Int64s
    names: UInt8s
    name_ends: Int64s
    parents: Int64s
    slots: Int64s


class Cells(NamedTuple):
    """The values of each node, in order: numbers, spans of text, or the ends of the items of arrays.

    Attributes:
        cells: cells of all nodes.
        doubles: the same memory as doubles.
        valid: NULL, SET or TO_READ for each cell.
        bases: start of the cells of each node.
        room: space for cells of each node.
        counts: number of cells of each node.
        saved: number of cells of each node before the current row.
        frames: three numbers for each open object, array or map.
        state: numbers of the current pass.
    """

    cells: Int64s
    doubles: npt.NDArray[np.float64]
    valid: UInt8s
    bases: Int64s
    room: Int64s
    counts: Int64s
    saved: Int64s
    frames: Int64s
    state: Int64s
