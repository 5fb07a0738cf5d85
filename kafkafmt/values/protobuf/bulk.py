"""Many Protobuf values at once: the kernel fills columns, and what it leaves is decoded one by one."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from kafkafmt.columnar import kernels
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.protobuf_program import APART, UNKNOWN, Filled
from kafkafmt.errors import DataError
from kafkafmt.values.protobuf.arrow import Shape, shape_of
from kafkafmt.values.protobuf.columns import FilledColumns
from kafkafmt.values.protobuf.json_form import JsonForm
from kafkafmt.values.protobuf.program import Compiled, stack_of
from kafkafmt.values.protobuf.schema import link
from kafkafmt.values.protobuf.source import parse_source
from kafkafmt.values.protobuf.wire import CELLS_A_BYTE, FREE_CELLS, MOST_CELLS

_COLUMN_CELLS: Final = 1 << 24
"""Of the columns of values that are decoded at once, without the items of lists."""

_ROOM: Final = 1024
"""Rows that the table of a list begins with."""


class Bulk(NamedTuple):
    """Values that were decoded.

    Attributes:
        values: the array.
        errors: why a row cannot be decoded.
        unknown: number of values with fields that the schema does not have.
        nanos: number of values with nanoseconds that are cut.
    """

    values: pa.Array
    errors: dict[int, DataError]
    unknown: int
    nanos: int


class BulkMessages:
    """Decodes many values of one message.

    Args:
        shape: their columns.
        json_form: makes JSON text of what has no other type.
        one: decodes a value by itself: what `pyarrow.array` takes; tells remarks itself.
    """

    def __init__(self, shape: Shape, json_form: JsonForm, one: Callable[[bytes], Any]) -> None:
        self._shape, self._json_form, self._one = shape, json_form, one
        self._compiled = Compiled(shape)
        self._rooms: Int64s | None = None

    def read(self, source: UInt8s, begins: Int64s, ends: Int64s) -> Bulk:
        """Decode values.

        Args:
            source: holds them.
            begins: where each begins; -1 for null.
            ends: and ends.
        """
        # Of buffers of Arrow some can be written to: the kernels have one type of source alone.
        source = source.view()
        source.flags.writeable = False
        step = max(_COLUMN_CELLS // self._compiled.width, 1)
        if len(begins) > step:
            rows = range(0, len(begins), step)
            return _joined([self.read(source, begins[at : at + step], ends[at : at + step]) for at in rows], step)
        filled = self._fill(source, begins, ends)
        columns = FilledColumns(self._compiled, filled, source, begins < 0, self._json_form)
        values = columns.array()
        apart = np.flatnonzero(columns.flags & APART)
        sound = columns.flags & APART == 0
        unknown = int(np.count_nonzero((columns.flags & UNKNOWN != 0) & sound))
        nanos = int(np.count_nonzero(columns.has_nanos & sound))
        errors: dict[int, DataError] = {}
        if len(apart):
            decoded: list[Any] = []
            for row in apart.tolist():
                value = None
                try:
                    value = self._one(source[begins[row] : ends[row]].tobytes())
                except DataError as error:
                    errors[row] = error
                decoded.append(value)
            places = np.arange(len(values))
            places[apart] = len(values) + np.arange(len(apart))
            values = pa.concat_arrays([values, pa.array(decoded, self._shape.type)]).take(pa.array(places))
        return Bulk(values, errors, unknown, nanos)

    def _fill(self, source: UInt8s, begins: Int64s, ends: Int64s) -> Filled:
        program = self._compiled.program
        tables = len(program.origins)
        rooms = np.full(tables, _ROOM, np.int64) if self._rooms is None else self._rooms.copy()
        rooms[0] = len(begins)
        filled = _filled(rooms, program.tables, np.zeros(tables, np.int64), np.zeros(len(begins), np.uint8))
        before, stack = np.zeros(tables, np.int64), stack_of(self._compiled)
        row, small = 0, 0
        while True:
            row, small = kernels.read_messages(
                source, begins, ends, row, FREE_CELLS, CELLS_A_BYTE, MOST_CELLS, program, filled, before, stack
            )
            if small < 0:
                break
            filled = self._grown(filled, small, row)
        self._rooms = filled.counts + _ROOM
        return filled

    def _grown(self, filled: Filled, small: int, row: int) -> Filled:
        """Make a table larger: twice, or by what the rows until now took."""
        tables = self._compiled.program.tables
        rooms = filled.rooms.copy()
        expected = int(filled.counts[small] * 1.2 * rooms[0] / max(row, 1)) if row > _ROOM else 0
        rooms[small] = max(2 * rooms[small], expected)
        made = _filled(rooms, tables, filled.counts, filled.flags)
        for column, table in enumerate(tables.tolist()):
            count = int(filled.counts[table]) if table else int(rooms[0])
            old, new = int(filled.bases[column]), int(made.bases[column])
            made.cells[new : new + count] = filled.cells[old : old + count]
            made.present[new : new + count] = filled.present[old : old + count]
        return made


def load_kernels() -> None:
    """Load the kernels, and compile them where that was never done."""
    schema = link(parse_source("message M { optional string text = 1; }"))
    reader = BulkMessages(shape_of(schema.messages[0]), JsonForm({}), lambda _: None)
    value = b"\x0a\x02" + "é".encode()
    reader.read(np.frombuffer(value, np.uint8), np.array([0], np.int64), np.array([len(value)], np.int64))


def _joined(parts: list[Bulk], step: int) -> Bulk:
    errors = {number * step + row: error for number, part in enumerate(parts) for row, error in part.errors.items()}
    return Bulk(
        pa.concat_arrays([part.values for part in parts]),
        errors,
        sum(part.unknown for part in parts),
        sum(part.nanos for part in parts),
    )


def _filled(rooms: Int64s, tables: Int64s, counts: Int64s, flags: UInt8s) -> Filled:
    """Empty columns with room."""
    sizes = rooms[tables]
    ends = np.cumsum(sizes)
    return Filled(
        np.zeros(int(ends[-1]), np.int64),
        np.zeros(int(ends[-1]), np.uint8),
        ends - sizes,
        counts,
        rooms,
        flags,
    )
