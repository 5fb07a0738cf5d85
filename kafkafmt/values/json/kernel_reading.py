"""JSON values read by kernels: a type as a program, and the cells that it fills as an Arrow array."""

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
    DOCUMENT,
    INTEGER,
    MAP,
    NUMBER,
    OBJECT,
    REFUSED,
    ROOM,
    STRING,
    TEXT,
    TO_READ,
    Cells,
    JsonProgram,
)
from kafkafmt.columnar.kernels import copy_texts, read_json
from kafkafmt.values.decoded import MOST_TOGETHER, check_together
from kafkafmt.values.json.types import JsonType, arrow_type

MOST_NODES: Final = 1000
"""Of a type that kernels read: each row looks at all of them."""

_KINDS: Final = {
    "null": TEXT,
    "text": TEXT,
    "boolean": BOOLEAN,
    "integer": INTEGER,
    "number": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "map": MAP,
    "object": OBJECT,
}
CELL_BYTES: Final = 17
"""What a cell takes: its bytes and its flag in the cells of the kernel, and those of the array."""

_MASK = (1 << 64) - 1


class KernelReader:
    """Reads values of a type of at most `MOST_NODES` nodes.

    Args:
        json_type: the type; of "text" each value is its text, also "null".
    """

    def __init__(self, json_type: JsonType) -> None:
        self.kind = arrow_type(json_type)
        self._types: list[pa.DataType] = []
        self._nodes: list[tuple[int, int, str]] = []  # kind, parent, name
        self._ends: list[int] = []
        self._lists: list[int] = []  # the array or map around each node
        self._add(json_type, self.kind, -1, "", -1)
        if self._nodes[0][0] == TEXT:
            self._nodes[0] = (DOCUMENT, -1, "")
        self._program = self._made()

    def __len__(self) -> int:
        return len(self._nodes)

    def read(self, source: UInt8s, starts: Int64s, ends: Int64s) -> tuple[pa.Array, UInt8s]:
        """Read values.

        Args:
            source: the bytes of all of them.
            starts: where each begins; -1 for a null.
            ends: the end of every value.

        Returns:
            The values, and what is to be said of each row: as `kernels.read_json`.

        Raises:
            ImportError: kernels cannot be compiled.
            TooManyTogetherError: they take too much memory.
        """
        # Kernels are compiled for arrays that can be written to and for others: for these once.
        source = source.view()
        source.flags.writeable = False
        rows = np.zeros(len(starts), np.uint8)
        room = np.full(len(self), len(starts), np.int64)
        check_together(CELL_BYTES * int(room.sum()), len(starts))
        cells = _cells(room, np.zeros(len(self), np.int64))
        done = 0
        while (done := read_json(source, starts, ends, done, self._program, cells, rows)) < len(starts):
            room = self._larger(cells.room, int(cells.state[ROOM]))
            if (size := CELL_BYTES * int(room.sum())) > MOST_TOGETHER:
                check_together(size, len(starts))
                rows[:] = REFUSED
                return pa.nulls(len(starts), self.kind), rows
            cells = self._grown(cells, room)
        return self._array(0, source, cells), rows

    def _larger(self, room: Int64s, node: int) -> Int64s:
        """Twice the room for a node, and for those that are items of the same array or map."""
        around = self._lists[node]
        inside = slice(around + 1, self._ends[around])
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
        kind, arrow = self._nodes[node][0], self._types[node]
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
        while child < self._ends[node]:
            yield child
            child = self._ends[child]

    def _add(self, json_type: JsonType, arrow: pa.DataType, parent: int, name: str, around: int) -> None:
        number = len(self._nodes)
        kind = _KINDS[json_type.kind]
        self._nodes.append((kind, parent, name))
        self._types.append(arrow)
        self._ends.append(number + 1)
        self._lists.append(around)
        if kind == OBJECT:
            for each, field in json_type.fields.items():
                self._add(field, arrow.field(each).type, number, each, around)
        elif kind in (ARRAY, MAP) and json_type.inner is not None:
            if kind == MAP:
                self._add(JsonType("string"), arrow.key_type, -1, "", number)
            self._add(json_type.inner, arrow.item_type if kind == MAP else arrow.value_type, -1, "", number)
        self._ends[number] = len(self._nodes)

    def _made(self) -> JsonProgram:
        kinds, parents, names = zip(*self._nodes, strict=True)
        encoded = [name.encode() for name in names]
        slots = np.zeros(1 << (4 * len(kinds)).bit_length(), np.int64)
        for number, (parent, name) in enumerate(zip(parents, encoded, strict=True)):
            if parent >= 0:
                slot = _hash(parent, name) & (len(slots) - 1)
                while slots[slot]:
                    slot = (slot + 1) & (len(slots) - 1)
                slots[slot] = number + 1
        return JsonProgram(
            np.array(kinds, np.int64),
            np.array(self._ends, np.int64),
            np.frombuffer(b"".join(encoded) + b"\0", np.uint8).copy(),
            np.cumsum([0, *map(len, encoded)]).astype(np.int64),
            np.array(parents, np.int64),
            slots,
        )


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
    """Read the numbers that are still text, each to the nearest double."""
    rows = np.flatnonzero(valid == TO_READ)
    if len(rows):
        texts = pa.Array.from_buffers(pa.string(), len(rows), [None, *_texts(source, cells[rows], valid[rows])])
        doubles: npt.NDArray[np.float64] = pc.cast(texts, pa.float64()).to_numpy()
        cells[rows] = doubles.view(np.int64)


def _hash(parent: int, name: bytes) -> int:
    """As the kernel finds the slot of a field."""
    number = 0xCBF29CE484222325 ^ parent
    for byte in name:
        number = (number ^ byte) * 0x100000001B3 & _MASK
    return (number * 0x9E3779B97F4A7C15 & _MASK) >> 33


def load_kernels() -> None:
    """Load the kernels, and compile them where that was never done."""
    value = '"é"'.encode()
    reader = KernelReader(JsonType("string"))
    reader.read(np.frombuffer(value, np.uint8), np.array([0], np.int64), np.array([len(value)], np.int64))
