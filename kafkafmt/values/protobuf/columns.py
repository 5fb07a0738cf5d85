"""Arrow arrays made from the columns that the kernel filled, and the values that it left to the other reader."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.columnar import kernels
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.outcomes import REFUSED, WITH_MORE
from kafkafmt.columnar.protobuf_program import Filled
from kafkafmt.errors import DataError
from kafkafmt.times import NAMED_SECONDS
from kafkafmt.values.decoded import check_together
from kafkafmt.values.protobuf.arrow import JSON, MICROS_PER_SECOND, NANOS_PER_MICRO, decimal_text
from kafkafmt.values.protobuf.json_form import DURATIONS, NANOS_PER_SECOND, JsonForm
from kafkafmt.values.protobuf.program import CompiledMessage, Placed
from kafkafmt.values.protobuf.schema import ProtoEnum, ProtoMessage
from kafkafmt.values.protobuf.wire import read_message

# A text is kept as one number: its start, and in the lower 32 bits its length.
_LENGTH: Final = 0xFFFFFFFF


class FilledColumns:
    """Makes the Arrow array.

    Args:
        compiled: the program.
        filled: the columns that the kernel filled.
        source: bytes of the values.
        is_null: whether each value is null.
        json_form: makes JSON text of messages that have no other type.

    Attributes:
        outcomes: outcome of each value, as in `columnar.outcomes`; conversion adds values to be decoded one by one.
        has_nanos: whether a value has nanoseconds that are cut.
    """

    def __init__(
        self,
        compiled: CompiledMessage,
        filled: Filled,
        source: UInt8s,
        is_null: npt.NDArray[np.bool_],
        json_form: JsonForm,
    ) -> None:
        self._compiled, self._filled, self._source, self._json_form = compiled, filled, source, json_form
        self._is_null = is_null
        self.outcomes = filled.outcomes
        self.has_nanos = np.zeros(len(is_null), np.bool_)

    def array(self) -> pa.Array:
        """The values; those to be decoded one by one are arbitrary."""
        root = self._compiled.root
        return self._single(root, ~self._is_null)

    def _rows(self, table: int) -> int:
        return int(self._filled.counts[table]) if table else len(self._is_null)

    def _cells(self, column: int, table: int) -> Int64s:
        base = int(self._filled.bases[column])
        return self._filled.cells[base : base + self._rows(table)]

    def _present(self, column: int, table: int) -> npt.NDArray[np.bool_]:
        base = int(self._filled.bases[column])
        return self._filled.present[base : base + self._rows(table)].view(np.bool_)

    def _bytes_at(self, place: int) -> bytes:
        start = place >> 32
        return self._source[start : start + (place & _LENGTH)].tobytes()

    def _values_of(self, table: int, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The values (rows of the first table) that contain rows of a table."""
        return self._cells(int(self._compiled.program.origins[table]), table)[rows] if table else rows

    def _leave(self, table: int, bad: npt.NDArray[np.bool_]) -> None:
        """Mark the values of bad rows to be decoded one by one."""
        if bad.any():
            self.outcomes[self._values_of(table, np.flatnonzero(bad))] |= REFUSED

    def _column(self, placed: Placed, *, is_entry: bool = False) -> pa.Array:
        """A field: a list, a map, or single values."""
        of = placed.shape.field
        if placed.items < 0 or of is None:
            has_presence = of is None or (of.has_presence and not is_entry)
            return self._single(placed, self._present(placed.column, placed.table) if has_presence else None)
        rows = self._rows(placed.table)
        ends = np.zeros(rows + 1, np.int32)
        np.cumsum(self._cells(placed.column, placed.table), out=ends[1:])
        if of.entry is not None:
            key, value = placed.inner
            keys, values = self._column(key, is_entry=True), self._column(value, is_entry=True)
            self._leave(placed.items, _repeated(keys, ends))
            kind = placed.shape.type
            pairs = pa.Array.from_buffers(
                pa.struct([kind.key_field, kind.item_field]), len(keys), [None], children=[keys, values]
            )
            return pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(ends)], children=[pairs])
        items = self._single(placed, None)
        return pa.Array.from_buffers(placed.shape.type, rows, [None, pa.py_buffer(ends)], children=[items])

    def _single(self, placed: Placed, present: npt.NDArray[np.bool_] | None) -> pa.Array:
        """Single values, or the items of lists; null where they are not present."""
        shape = placed.shape
        if shape.form == "scalar":
            return self._scalar(placed, present)
        if shape.form in {"json", "decimal"} and shape.message is not None:
            return self._trees(placed, shape.message, present)
        if shape.form == "time":
            return self._times(placed, present)
        if shape.form == "wrapper":
            return self._scalar(placed.inner[0], present)
        inner = [self._column(each) for each in placed.inner]
        return pa.Array.from_buffers(shape.item, self._rows(placed.values[1]), [_bits(present)], children=inner)

    def _scalar(self, placed: Placed, present: npt.NDArray[np.bool_] | None) -> pa.Array:
        kind = placed.shape.item
        column, table = placed.values
        cells = self._cells(column, table)
        of = placed.shape.field
        if of is not None and of.enum is not None:
            if of.enum.first and present is None and placed.items < 0:
                cells = np.where(self._present(column, table), cells, of.enum.first)
            return self._enum(of.enum, cells, table, present)
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            return self._strings(kind, cells, table, present)
        if pa.types.is_boolean(kind):
            values = _bits(cells != 0)
        elif pa.types.is_float32(kind):
            values = pa.py_buffer(cells.astype(np.uint32))
        else:
            values = pa.py_buffer(cells.astype(f"i{kind.bit_width // 8}"))
        return pa.Array.from_buffers(kind, len(cells), [_bits(present), values])

    def _strings(self, kind: pa.DataType, cells: Int64s, table: int, present: npt.NDArray[np.bool_] | None) -> pa.Array:
        lengths = cells & _LENGTH
        target = np.empty(int(lengths.sum()), np.uint8)
        ends = np.empty(len(cells) + 1, np.int32)
        is_ascii = kernels.gather(self._source, cells, target, ends)
        if not is_ascii and pa.types.is_string(kind):
            bad = np.zeros(len(cells), np.uint8)
            kernels.find_no_text(target, ends, bad)
            self._leave(table, bad.view(np.bool_))
        return pa.Array.from_buffers(kind, len(cells), [_bits(present), pa.py_buffer(ends), pa.py_buffer(target)])

    def _enum(self, enum: ProtoEnum, cells: Int64s, table: int, present: npt.NDArray[np.bool_] | None) -> pa.Array:
        """Names of enum values; for unknown numbers of an open enum their text."""
        numbers, places = np.unique(cells, return_inverse=True)
        names = [enum.name_of(number) for number in numbers.tolist()]
        check_together(int(np.array([*map(len, names)], np.int64)[places].sum()), len(self._is_null))
        if enum.is_closed:
            unknown = np.isin(cells, list(enum.numbers), invert=True)
            self._leave(table, unknown & present if present is not None else unknown)
        if present is not None:
            return pa.array(names, pa.string()).take(pa.array(places, mask=~present))
        return pa.array(names, pa.string()).take(pa.array(places))

    def _times(self, placed: Placed, present: npt.NDArray[np.bool_] | None) -> pa.Array:
        """Timestamps or durations, in microseconds."""
        table = placed.values[1]
        by_number = {each.shape.number: self._cells(*each.values) for each in placed.inner}
        seconds, nanos = by_number[1], by_number[2]
        if pa.types.is_timestamp(placed.shape.item):
            bad = (seconds < NAMED_SECONDS.start) | (seconds >= NAMED_SECONDS.stop) | (nanos < 0)
            bad |= nanos >= NANOS_PER_SECOND
        else:
            bad = (seconds < DURATIONS.start) | (seconds >= DURATIONS.stop) | (np.abs(nanos) >= NANOS_PER_SECOND)
            bad |= np.sign(seconds) * np.sign(nanos) < 0
        self._leave(table, bad)
        micros = np.where(bad, 0, seconds) * MICROS_PER_SECOND + np.sign(nanos) * (np.abs(nanos) // NANOS_PER_MICRO)
        cut = nanos % NANOS_PER_MICRO != 0
        if cut.any():
            self.has_nanos[self._values_of(table, np.flatnonzero(cut))] = True
        return pa.Array.from_buffers(placed.shape.item, len(seconds), [_bits(present), pa.py_buffer(micros)])

    def _trees(self, placed: Placed, message: ProtoMessage, present: npt.NDArray[np.bool_] | None) -> pa.Array:
        """Messages as text, each decoded by the other reader."""
        column, table = placed.values
        cells = self._cells(column, table)
        text_of = decimal_text if placed.shape.form == "decimal" else self._json_form.text
        texts: list[str | None] = [None] * len(cells)
        bad = np.zeros(len(cells), np.bool_)
        size = 0
        wanted = range(len(cells)) if present is None else np.flatnonzero(present).tolist()
        for row in wanted:
            try:
                read = read_message(message, self._bytes_at(int(cells[row])), depth=placed.depth)
                texts[row] = text = text_of(read)
                size += len(text)
                check_together(size, len(self._is_null))
            except DataError:
                bad[row] = True
                continue
            if read.unknown_fields:
                self.outcomes[self._values_of(table, np.array([row]))] |= WITH_MORE
        self._leave(table, bad)
        return pa.array(texts, JSON)


def _bits(present: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    """A bitmap for Arrow; None if all values are present."""
    if present is None:
        return None
    return pa.py_buffer(np.packbits(present, bitorder="little"))


def _repeated(keys: pa.Array, ends: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Whether each entry of maps has a key that an earlier entry of the same map has."""
    codes = keys.dictionary_encode().indices.to_numpy()
    maps = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    order = np.lexsort((codes, maps))
    same = (np.diff(codes[order]) == 0) & (np.diff(maps[order]) == 0)
    repeated = np.zeros(len(codes), np.bool_)
    repeated[order[1:][same]] = True
    return repeated
