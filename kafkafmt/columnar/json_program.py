"""What kernels take to read JSON: the types of the values as a program of nodes, and the cells that they fill.

The nodes of a type are in the order of their beginnings, and those inside of a node follow it: the fields of an object,
the items of an array, the keys and then the values of a map.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s

DOCUMENT, TEXT, BOOLEAN, INTEGER, NUMBER, STRING, ARRAY, MAP, OBJECT = range(9)
"""Kinds of nodes: a document is text also where it is null."""

NULL, SET, TO_READ = range(3)
"""States of a cell: null, set, or a number that is to be read from its text."""

ROOM, UNKNOWN, BUDGET = range(3)
"""Fields of `Cells.state`: the node that lacks room; whether a row had unknown names; how many items it may have."""

ESCAPED: Final = 1
"""The lowest bit of a span: whether its text has escapes. Above it are 31 bits of the size, then those of the begin."""


class JsonProgram(NamedTuple):
    """A type.

    Attributes:
        kinds: of each node.
        ends: the number of the first node after those inside of it.
        names: names of fields side by side.
        name_ends: where in `names` the name before each node ends, and at last its own.
        parents: the object that a node is a field of, -1 for others.
        slots: number of a field plus one, by the hash of its object and name; 0 for none. A power of two in length.
    """

    kinds: Int64s
    ends: Int64s
    names: UInt8s
    name_ends: Int64s
    parents: Int64s
    slots: Int64s


class Cells(NamedTuple):
    """The values of each node, in order: numbers, spans of text, or where the items of an array end.

    Attributes:
        cells: of all nodes.
        doubles: the same memory as doubles.
        valid: of each cell NULL, SET or TO_READ.
        bases: where the cells of a node begin.
        room: how many there may be.
        counts: how many there are.
        saved: how many there were before the row.
        frames: three numbers for each object, array or map that is open.
        state: numbers of a pass.
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
