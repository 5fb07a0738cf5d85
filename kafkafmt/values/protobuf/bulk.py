"""Many Protobuf values at once: the kernel fills columns, and values that it leaves are decoded one by one."""

from collections.abc import Callable
from typing import Final

import numpy as np
import pyarrow as pa

from kafkafmt.columnar import kernels
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.outcomes import REFUSED, WITH_MORE
from kafkafmt.columnar.protobuf_program import Filled
from kafkafmt.errors import DataError
from kafkafmt.values.decoded import (
    MOST_TOGETHER,
    NOTHING,
    Decoded,
    DecodedColumn,
    Gathered,
    check_together,
    many_rows,
    replaced,
)
from kafkafmt.values.formats import ReadColumn, Remark
from kafkafmt.values.protobuf.arrow import CUT_NANOS, UNKNOWN_FIELDS, Shape, shape_of
from kafkafmt.values.protobuf.columns import FilledColumns
from kafkafmt.values.protobuf.json_form import JsonForm
from kafkafmt.values.protobuf.program import CompiledMessage, stack_of
from kafkafmt.values.protobuf.schema import link
from kafkafmt.values.protobuf.source import parse_source
from kafkafmt.values.protobuf.wire import FIELDS_A_BYTE, FREE_FIELDS, MOST_FIELDS

_CELL_BYTES: Final = 17
"""Memory of a cell in bytes: value and flag in the kernel's columns, and the value in the array."""

_ROOM: Final = 128
"""Least initial rows of a list's table, as there may be ten thousand columns of items."""


class BulkProtobuf:
    """Decodes many values of one message.

    Args:
        shape: the columns.
        json_form: makes JSON text of messages that have no other type.
        one: decodes a single value, and reports remarks itself.
        most_fields: most fields and items of a value.

    Attributes:
        most_rows: most values to decode at once.
    """

    def __init__(
        self, shape: Shape, json_form: JsonForm, one: Callable[[bytes], Decoded], most_fields: int = MOST_FIELDS
    ) -> None:
        self._shape, self._json_form, self._one, self._most_fields = shape, json_form, one, most_fields
        self._compiled = CompiledMessage(shape)
        self.most_rows = many_rows(_CELL_BYTES * self._compiled.width)
        self._rooms: Int64s | None = None

    def read(self, source: UInt8s, begins: Int64s, ends: Int64s) -> ReadColumn:
        """Decode values.

        Args:
            source: the bytes of all values.
            begins: start of each value; -1 for null.
            ends: end of each value.

        Raises:
            TooManyTogetherError: the values take too much memory.
        """
        # Made read-only, as some Arrow buffers are writable, and each array type would need kernels of its own.
        source = source.view()
        source.flags.writeable = False
        filled = self._fill(source, begins, ends)
        columns = FilledColumns(self._compiled, filled, source, begins < 0, self._json_form)
        values = columns.array()
        refused = np.flatnonzero(columns.outcomes & REFUSED)
        sound = columns.outcomes & REFUSED == 0
        met = {UNKNOWN_FIELDS: columns.outcomes & WITH_MORE != 0, CUT_NANOS: columns.has_nanos}
        counts = {text: int(np.count_nonzero(rows & sound)) for text, rows in met.items()}
        column = DecodedColumn(values, pa.nulls(len(values), pa.int32()), {})
        if len(refused):
            gathered = Gathered(self._shape.type)
            for row in refused.tolist():
                try:
                    gathered.add(self._one(source[begins[row] : ends[row]].tobytes()))
                except DataError as error:
                    gathered.add(NOTHING, error)
            column = replaced(column, refused, gathered.column())
        return ReadColumn(column, [Remark(text, count) for text, count in counts.items() if count])

    def _fill(self, source: UInt8s, begins: Int64s, ends: Int64s) -> Filled:
        program = self._compiled.program
        tables = len(program.origins)
        outcomes = np.zeros(len(begins), np.uint8)
        rooms = np.full(tables, _ROOM, np.int64) if self._rooms is None else self._rooms.copy()
        rooms[0] = len(begins)
        if self._is_too_much(rooms):
            rooms[1:] = _ROOM
        check_together(self._size(rooms), len(begins))
        filled = _filled(rooms, program.tables, np.zeros(tables, np.int64), outcomes)
        before, stack = np.zeros(tables, np.int64), stack_of(self._compiled)
        row, small = 0, 0
        while True:
            row, small = kernels.read_protobuf(
                source,
                begins,
                ends,
                row,
                FREE_FIELDS,
                FIELDS_A_BYTE,
                self._most_fields,
                program,
                filled,
                before,
                stack,
            )
            if small < 0:
                break
            rooms = self._larger(filled, small, row)
            if self._is_too_much(rooms):
                # A single value that does not fit; the kernel has already removed its partial output.
                check_together(self._size(rooms), len(begins))
                outcomes[row] |= REFUSED
                break
            filled = self._grown(filled, rooms)
        self._rooms = filled.counts + _ROOM
        return filled

    def _size(self, rooms: Int64s) -> int:
        return _CELL_BYTES * int(rooms[self._compiled.program.tables].sum())

    def _is_too_much(self, rooms: Int64s) -> bool:
        return self._size(rooms) > MOST_TOGETHER

    def _larger(self, filled: Filled, small: int, row: int) -> Int64s:
        """Rooms with a larger table: doubled, or extrapolated from the rows read so far."""
        rooms = filled.rooms.copy()
        expected = int(filled.counts[small] * 1.2 * rooms[0] / max(row, 1)) if row > _ROOM else 0
        rooms[small] = max(2 * rooms[small], expected)
        return rooms

    def _grown(self, filled: Filled, rooms: Int64s) -> Filled:
        """The same columns with other rooms."""
        tables = self._compiled.program.tables
        made = _filled(rooms, tables, filled.counts, filled.outcomes)
        for column, table in enumerate(tables.tolist()):
            count = int(filled.counts[table]) if table else int(rooms[0])
            old, new = int(filled.bases[column]), int(made.bases[column])
            made.cells[new : new + count] = filled.cells[old : old + count]
            made.present[new : new + count] = filled.present[old : old + count]
        return made


def load_kernels() -> None:
    """Load the kernels, and compile them if that has never been done."""
    schema = link(parse_source("message M { optional string text = 1; }"))
    reader = BulkProtobuf(shape_of(schema.messages[0]), JsonForm({}), lambda _: NOTHING)
    value = b"\x0a\x02" + "é".encode()
    reader.read(np.frombuffer(value, np.uint8), np.array([0], np.int64), np.array([len(value)], np.int64))


def _filled(rooms: Int64s, tables: Int64s, counts: Int64s, outcomes: UInt8s) -> Filled:
    """Empty columns with room."""
    sizes = rooms[tables]
    ends = np.cumsum(sizes)
    return Filled(
        np.zeros(int(ends[-1]), np.int64),
        np.zeros(int(ends[-1]), np.uint8),
        ends - sizes,
        counts,
        rooms,
        outcomes,
    )
