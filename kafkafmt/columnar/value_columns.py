"""Columns of any Arrow type that a kernel fills, in one growing block of memory, and the Arrow array made from it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kafkafmt.codec.compression.buffer import SLACK
from kafkafmt.columnar.avro_program import (
    AFTER,
    BITS_OF_VALUES,
    COLUMN,
    DATA,
    ENTRIES,
    FIELDS,
    GREW_DATA,
    GROUP,
    ITEMS,
    LISTS,
    NOTHING,
    NULLS,
    NUMBERS,
    OF_GROUP,
    ROOM,
    SHAPE,
    STRINGS,
    VALIDITY,
    VALUES,
    WIDTH,
)
from kafkafmt.reference.header import INT32_MAX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.columnar.figures import Int64s
    from kafkafmt.columnar.headers import UInt8s

# Arrow recommends that buffers are aligned to 64 bytes.
_ALIGNED: Final = 64
# Least initial space for data and items, as there may be ten thousand columns of items.
_SOME_DATA: Final = 1024
_SOME_ITEMS: Final = 128


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of values, or a child of one.

    Attributes:
        number: number of the column; its children have the next ones.
        kind: Arrow type.
        children: fields of a struct; items of a list; keys and values of a map.
    """

    number: int
    kind: pa.DataType
    children: "tuple[ValueColumn, ...]"


class ColumnLayout:
    """The columns of an Arrow type in the form for the kernel, without memory.

    Args:
        kind: type of the values.

    Attributes:
        column: the column of the values.
        columns: `avro_program.COLUMN` numbers per column, without positions in memory.
        groups: `avro_program.GROUP` numbers per group.
        row_bytes: size of a value in bytes, without data and items.
    """

    def __init__(self, kind: pa.DataType) -> None:
        self._columns: list[list[int]] = []
        self._groups: list[list[int]] = [[0] * GROUP]
        self.column = self._column(kind, 0)
        self.columns: Int64s = np.array(self._columns, np.int64).reshape(-1)
        self.groups: Int64s = np.array(self._groups, np.int64).reshape(-1)
        of_rows = [each for each in self._columns if each[OF_GROUP] == 0]
        self.row_bytes = sum(_width(each) for each in of_rows) + len(of_rows) // 4

    def _column(self, kind: pa.DataType, group: int) -> ValueColumn:
        number = len(self._columns)
        entry = [0] * COLUMN
        self._columns.append(entry)
        self._groups[group][FIELDS] += 1
        entry[OF_GROUP], entry[SHAPE] = group, _shape(kind)
        entry[VALIDITY] = -1 if pa.types.is_null(kind) else 0
        children: tuple[ValueColumn, ...] = ()
        if entry[SHAPE] == NUMBERS:
            entry[WIDTH] = kind.bit_width // 8
        elif entry[SHAPE] == LISTS:
            entry[ITEMS] = len(self._groups)
            self._groups.append([number, group, 0, 0])
            kinds = [kind.key_type, kind.item_type] if pa.types.is_map(kind) else [kind.value_type]
            children = tuple(self._column(each, entry[ITEMS]) for each in kinds)
        elif pa.types.is_struct(kind):
            children = tuple(self._column(field.type, group) for field in kind)
        entry[AFTER] = len(self._columns)
        return ValueColumn(number, kind, children)


def _shape(kind: pa.DataType) -> int:
    if pa.types.is_null(kind) or pa.types.is_struct(kind):
        return NOTHING
    if pa.types.is_boolean(kind):
        return BITS_OF_VALUES
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return STRINGS
    return LISTS if pa.types.is_list(kind) or pa.types.is_map(kind) else NUMBERS


def _width(column: "list[int]") -> int:
    return column[WIDTH] if column[SHAPE] == NUMBERS else 4 if column[SHAPE] in (STRINGS, LISTS) else 0


class ValueColumns:
    """Memory for the columns of a layout, which the kernel fills.

    Args:
        layout: the columns.
        rows: number of values.
        room: space needed: bytes of data of each column of strings, and entries of each group, by number, as `used`
            returns them; missing ones begin small.
        most_bytes: upper bound of the memory for all columns, in bytes.

    Attributes:
        columns, groups, counts, memory: arguments of the kernel.

    Raises:
        MemoryError: the columns would take more than `most_bytes`.
    """

    def __init__(self, layout: ColumnLayout, rows: int, room: "Used", most_bytes: int) -> None:
        self._layout, self._rows, self._most_bytes = layout, rows, most_bytes
        self.columns, self.groups = layout.columns.copy(), layout.groups.copy()
        self.counts: Int64s = np.zeros(len(self.groups) // GROUP, np.int64)
        for number in range(0, len(self.columns), COLUMN):
            if self.columns[number + SHAPE] == STRINGS:
                self.columns[number + ROOM] = room.data.get(number // COLUMN, 0) + _SOME_DATA
        for number in range(len(self.counts)):
            self.groups[number * GROUP + ENTRIES] = room.entries.get(number, 0) + _SOME_ITEMS if number else rows
        self._buffer: pa.Buffer
        self.memory: UInt8s
        self._allocate()

    def _allocate(self) -> None:
        """Assign positions in new memory to each column."""
        size = 0
        places: list[tuple[int, int]] = []
        entries = self.groups.reshape(-1, GROUP)[:, ENTRIES].tolist()
        for number, column in enumerate(self.columns.reshape(-1, COLUMN).tolist()):
            # One more entry, as an unfinished item needs space too.
            count = entries[column[OF_GROUP]] + 1
            shape, width = column[SHAPE], _width(column)
            values = (count + 7) // 8 if shape == BITS_OF_VALUES else count * width + 4 * (shape in (STRINGS, LISTS))
            parts = (
                (VALIDITY, (count + 7) // 8 if column[VALIDITY] >= 0 else -1),
                (VALUES, values if shape != NOTHING else -1),
                (DATA, column[ROOM] if shape == STRINGS else -1),
            )
            for part, of_part in parts:
                if of_part >= 0:
                    places.append((number * COLUMN + part, size))
                    size = -(-(size + of_part + SLACK) // _ALIGNED) * _ALIGNED
        if size > self._most_bytes or max(self.columns.reshape(-1, COLUMN)[:, ROOM]) > INT32_MAX:
            raise MemoryError
        self._buffer = pa.allocate_buffer(size)
        self.memory = np.frombuffer(self._buffer, np.uint8)
        for place, at in places:
            self.columns[place] = at
        for column in self.columns.reshape(-1, COLUMN).tolist():
            count = entries[column[OF_GROUP]] + 1
            if column[VALIDITY] >= 0:
                self.memory[column[VALIDITY] : column[VALIDITY] + (count + 7) // 8] = 0xFF
            if column[SHAPE] in (STRINGS, LISTS):
                self.memory[column[VALUES] : column[VALUES] + 4] = 0

    def grow(self, wanted: int, which: int, needed: int) -> None:
        """Make more space, and keep what has been written.

        Args:
            wanted: `GREW_DATA` or `GREW_GROUP`.
            which: number of the column or group.
            needed: least number of bytes or entries.

        Raises:
            MemoryError: as for the constructor.
        """
        before, memory, kept = self.columns.copy().reshape(-1, COLUMN), self.memory, self._buffer
        entries = self.groups.reshape(-1, GROUP)[:, ENTRIES].copy()
        if wanted == GREW_DATA:
            self.columns[which * COLUMN + ROOM] = max(needed, 2 * int(self.columns[which * COLUMN + ROOM]))
        else:
            self.groups[which * GROUP + ENTRIES] = max(needed, 2 * int(entries[which]))
        self._allocate()
        for old, new in zip(before.tolist(), self.columns.reshape(-1, COLUMN).tolist(), strict=True):
            count = int(entries[old[OF_GROUP]]) + 1
            shape, width = old[SHAPE], _width(old)
            values = (count + 7) // 8 if shape == BITS_OF_VALUES else count * width + 4 * (shape in (STRINGS, LISTS))
            bits = (count + 7) // 8 if old[VALIDITY] >= 0 else 0
            for part, size in ((VALIDITY, bits), (VALUES, values if shape != NOTHING else 0), (DATA, old[ROOM])):
                self.memory[new[part] : new[part] + size] = memory[old[part] : old[part] + size]
        del kept

    def used(self) -> "Used":
        """The filled sizes of data and items."""
        data = {
            number: int(self._ends(column)[-1])
            for number, column in enumerate(self.columns.reshape(-1, COLUMN).tolist())
            if column[SHAPE] == STRINGS
        }
        return Used(self._rows, data, dict(enumerate(self.counts.tolist())))

    def _ends(self, column: list[int]) -> "np.typing.NDArray[np.int32]":
        count = self._count(column)
        return self.memory[column[VALUES] : column[VALUES] + 4 * (count + 1)].view(np.int32)

    def _count(self, column: list[int]) -> int:
        group = column[OF_GROUP]
        return int(self.counts[group]) if group else self._rows

    def stored(self, number: int) -> tuple[pa.Array, "Int64s"]:
        """The bytes of a column of strings, and the number of the value to which each entry belongs."""
        entry = self._entry(number)
        array = self._array(ValueColumn(number, pa.binary(), ()), {})
        return array, self._values_of(entry[OF_GROUP])

    def _values_of(self, group: int) -> "Int64s":
        """The number of the value to which each entry of a group belongs."""
        if not group:
            return np.arange(self._rows)
        of_list, parent, *_ = self.groups[group * GROUP : (group + 1) * GROUP].tolist()
        return np.repeat(self._values_of(parent), np.diff(self._ends(self._entry(of_list))))

    def _entry(self, number: int) -> list[int]:
        entry: list[int] = self.columns[number * COLUMN : (number + 1) * COLUMN].tolist()
        return entry

    def array(self, made: "Mapping[int, pa.Array]") -> pa.Array:
        """The values as an Arrow array, which shares this memory.

        Args:
            made: arrays to use in place of columns, by their numbers.
        """
        return self._array(self._layout.column, made)

    def _array(self, column: ValueColumn, made: "Mapping[int, pa.Array]") -> pa.Array:
        if column.number in made:
            return made[column.number]
        entry = self._entry(column.number)
        count, shape = self._count(entry), entry[SHAPE]
        if pa.types.is_null(column.kind):
            return pa.nulls(count)
        validity = self._part(entry[VALIDITY], (count + 7) // 8) if entry[NULLS] else None
        buffers = [validity]
        if shape == BITS_OF_VALUES:
            buffers.append(self._part(entry[VALUES], (count + 7) // 8))
        elif shape == NUMBERS:
            buffers.append(self._part(entry[VALUES], count * entry[WIDTH]))
        elif shape in (STRINGS, LISTS):
            buffers.append(self._part(entry[VALUES], 4 * (count + 1)))
        if shape == STRINGS:
            buffers.append(self._part(entry[DATA], int(self._ends(entry)[-1])))
        children = [self._array(each, made) for each in column.children]
        if pa.types.is_map(column.kind):
            children = [_entries(column.kind, children)]
        return pa.Array.from_buffers(column.kind, count, buffers, children=children or None)

    def _part(self, at: int, size: int) -> pa.Buffer:
        return self._buffer.slice(at, size)


def _entries(kind: pa.DataType, children: list[pa.Array]) -> pa.Array:
    """Keys and values of a map as an array of structs."""
    pair = pa.struct([kind.key_field, kind.item_field])
    return pa.Array.from_buffers(pair, len(children[0]), [None], children=children)


@dataclass(frozen=True, slots=True)
class Used:
    """Filled sizes of columns.

    Attributes:
        rows: number of values.
        data: bytes of each column of strings.
        entries: entries of each group.
    """

    rows: int
    data: dict[int, int]
    entries: dict[int, int]

    def of(self, rows: int, size: int) -> "Used":
        """Estimate the space for more values like these, with a margin; nothing if the estimate is implausibly large.

        Args:
            rows: number of values.
            size: size of these values in bytes.
        """
        factor = 1.25 * rows / max(self.rows, 1)
        data = {number: int(used * factor) for number, used in self.data.items()}
        entries = {number: int(count * factor) for number, count in self.entries.items()}
        if sum(data.values()) + sum(entries.values()) > 4 * (size + rows):
            return Used(rows, {}, {})
        return Used(rows, data, entries)
