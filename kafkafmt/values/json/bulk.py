"""Many JSON values at once: a kernel fills cells by the program of their type, and they become an Arrow array."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.json_program import (
    ARRAY,
    BOOLEAN,
    INTEGER,
    MAP,
    NUMBER,
    OBJECT,
    ROOM,
    TO_READ,
    Cells,
)
from kafkafmt.columnar.kernels import copy_texts, read_json
from kafkafmt.columnar.outcomes import REFUSED
from kafkafmt.values.decoded import MOST_TOGETHER, check_together
from kafkafmt.values.json.program import CompiledType
from kafkafmt.values.json.types import JsonType

MOST_NODES: Final = 1000
"""Most nodes of a type that kernels read, as each row visits all of them."""

CELL_BYTES: Final = 17
"""Memory of a cell in bytes: value and flag in the kernel's cells, and the value in the array."""


class BulkJson:
    """Reads values of a type with at most `MOST_NODES` nodes.

    Args:
        json_type: the type; for "text" each value is its text, including "null".
    """

    def __init__(self, json_type: JsonType) -> None:
        self._compiled = CompiledType(json_type)
        self.kind = self._compiled.types[0]

    def read(self, source: UInt8s, starts: Int64s, ends: Int64s) -> tuple[pa.Array, UInt8s]:
        """Read values.

        Args:
            source: the bytes of all values.
            starts: start of each value; -1 for a null.
            ends: end of each value.

        Returns:
            The values, and the outcome of each (`columnar.outcomes`).

        Raises:
            ImportError: kernels cannot be compiled.
            TooManyTogetherError: the values take too much memory.
        """
        # Kernels are compiled separately for writable and read-only arrays: here only for read-only ones.
        source = source.view()
        source.flags.writeable = False
        outcomes = np.zeros(len(starts), np.uint8)
        nodes = len(self._compiled.types)
        room = np.full(nodes, len(starts), np.int64)
        check_together(CELL_BYTES * int(room.sum()), len(starts))
        cells = _cells(room, np.zeros(nodes, np.int64))
        done = 0
        while (done := read_json(source, starts, ends, done, self._compiled.program, cells, outcomes)) < len(starts):
            room = self._larger(cells.room, int(cells.state[ROOM]))
            if (size := CELL_BYTES * int(room.sum())) > MOST_TOGETHER:
                check_together(size, len(starts))
                outcomes[:] = REFUSED
                return pa.nulls(len(starts), self.kind), outcomes
            cells = self._grown(cells, room)
        return self._array(0, source, cells), outcomes

    def _larger(self, room: Int64s, node: int) -> Int64s:
        """Double the room for a node, and for all items of the same array or map."""
        around = self._compiled.lists[node]
        inside = slice(around + 1, self._compiled.ends[around])
        larger = room.copy()
        larger[inside] = np.maximum(room[inside], 2 * room[node])
        return larger

    def _grown(self, cells: Cells, room: Int64s) -> Cells:
        """The same cells with other rooms."""
        larger = _cells(room, cells.counts)
        for number, count in enumerate(cells.counts.tolist()):
            for old, new in ((cells.cells, larger.cells), (cells.valid, larger.valid)):
                begin, to = int(cells.bases[number]), int(larger.bases[number])
                new[to : to + count] = old[begin : begin + count]
        return larger

    def _array(self, node: int, source: UInt8s, cells: Cells) -> pa.Array:
        """The values of a node."""
        count, base = int(cells.counts[node]), int(cells.bases[node])
        found, valid = cells.cells[base : base + count], cells.valid[base : base + count]
        kind, arrow = self._compiled.kinds[node], self._compiled.types[node]
        bits = None if valid.all() else pa.py_buffer(np.packbits(valid > 0, bitorder="little"))
        if kind == OBJECT:
            children = [self._array(child, source, cells) for child in self._inside(node)]
            return pa.Array.from_buffers(arrow, count, [bits], children=children)
        if kind in (ARRAY, MAP):
            offsets = pa.py_buffer(np.concatenate([[0], found]).astype(np.int32))
            children = [self._array(child, source, cells) for child in self._inside(node)]
            if kind == MAP:
                fields = [arrow.key_field, arrow.item_field]
                children = [pa.StructArray.from_arrays(children, fields=fields)]
            return pa.Array.from_buffers(arrow, count, [bits, offsets], children=children)
        if kind == INTEGER:
            return pa.Array.from_buffers(arrow, count, [bits, pa.py_buffer(found.copy())])
        if kind == BOOLEAN:
            return pa.Array.from_buffers(arrow, count, [bits, pa.py_buffer(np.packbits(found != 0, bitorder="little"))])
        if kind == NUMBER:
            _read_numbers(source, found, valid)
            return pa.Array.from_buffers(arrow, count, [bits, pa.py_buffer(found.copy())])
        return pa.Array.from_buffers(arrow, count, [bits, *_texts(source, found, valid)])

    def _inside(self, node: int) -> Iterator[int]:
        child = node + 1
        ends = self._compiled.ends
        while child < ends[node]:
            yield child
            child = ends[child]


def _cells(room: Int64s, counts: Int64s) -> Cells:
    ends = np.cumsum(room)
    cells = np.empty(int(ends[-1]), np.int64)
    return Cells(
        cells,
        cells.view(np.float64),
        np.empty(len(cells), np.uint8),
        ends - room,
        room,
        counts.copy(),
        np.zeros(len(room), np.int64),
        np.zeros(3 * len(room), np.int64),
        np.zeros(3, np.int64),
    )


def _texts(source: UInt8s, spans: Int64s, valid: UInt8s) -> tuple[pa.Buffer, pa.Buffer]:
    """The offsets and the bytes of texts."""
    sizes = np.where(valid > 0, (spans & 0xFFFFFFFF) >> 1, 0)
    target = np.empty(int(sizes.sum()), np.uint8)
    offsets = np.empty(len(spans) + 1, np.int32)
    used = copy_texts(source, spans.copy(), valid.copy(), offsets, target)
    return pa.py_buffer(offsets), pa.py_buffer(target[:used])


def _read_numbers(source: UInt8s, cells: Int64s, valid: UInt8s) -> None:
    """Convert the numbers that are still text, each to the nearest double."""
    rows = np.flatnonzero(valid == TO_READ)
    if len(rows):
        texts = pa.Array.from_buffers(pa.string(), len(rows), [None, *_texts(source, cells[rows], valid[rows])])
        doubles: npt.NDArray[np.float64] = pc.cast(texts, pa.float64()).to_numpy()
        cells[rows] = doubles.view(np.int64)


def load_kernels() -> None:
    """Load the kernels, and compile them if that has never been done."""
    value = '"é"'.encode()
    reader = BulkJson(JsonType("string"))
    reader.read(np.frombuffer(value, np.uint8), np.array([0], np.int64), np.array([len(value)], np.int64))
