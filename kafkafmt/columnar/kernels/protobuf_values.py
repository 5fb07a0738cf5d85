"""Protobuf messages of many records as columns, in any order of fields (`columnar.protobuf_program`).

A value that is damaged, or not encoded as common writers do, is refused and left to the reader in Python. Every access
is bounded by the value or by the space of a table.
"""

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar import protobuf_program as program_of
from kafkafmt.columnar.figures import Int64s
from kafkafmt.columnar.headers import UInt8s
from kafkafmt.columnar.kernels.access import byte_at, copy_exact, little_endian_uint32, little_endian_uint64, put
from kafkafmt.columnar.kernels.compiling import kernel, part, rare_part
from kafkafmt.columnar.kernels.value_reading import is_text
from kafkafmt.columnar.outcomes import REFUSED, SOUND, WITH_MORE
from kafkafmt.columnar.protobuf_program import Filled, MessageProgram

_INT32, _UINT32, _SINT32 = program_of.INT32, program_of.UINT32, program_of.SINT32
_SINT64, _BOOL, _SFIXED32 = program_of.SINT64, program_of.BOOL, program_of.SFIXED32
_BYTES, _MESSAGE = program_of.BYTES, program_of.MESSAGE
_FIELD, _NUMBER, _WIRE, _CODE = program_of.FIELD, program_of.NUMBER, program_of.WIRE, program_of.CODE
_COLUMN, _ITEMS, _NODE, _ONEOF = program_of.COLUMN, program_of.ITEMS, program_of.NODE, program_of.ONEOF
_WEIGHT = program_of.WEIGHT
_OF_NODE, _FIRST, _END, _DENSE = program_of.OF_NODE, program_of.FIRST, program_of.END, program_of.DENSE
_DENSE_SIZE, _IS_ENTRY = program_of.DENSE_SIZE, program_of.IS_ENTRY

Int32s = npt.NDArray[np.int32]

_WIRE_VARINT, _WIRE_64, _WIRE_LENGTH, _WIRE_32 = 0, 1, 2, 5
_LOW_32 = 0xFFFFFFFF
_SIGN_32 = 0x80000000
_LOW_63 = 0x7FFFFFFFFFFFFFFF
_VARINT_BYTES, _SIZE_BYTES = 10, 5

# Outcomes of a value; if a table is too small, the outcome is the table's number.
_DONE, _BAD = -1, -2


@kernel
def read_protobuf(
    source: UInt8s,
    begins: Int64s,
    ends: Int64s,
    first: int,
    free_cells: int,
    cells_a_byte: int,
    most_cells: int,
    program: MessageProgram,
    filled: Filled,
    before: Int64s,
    stack: Int64s,
) -> tuple[int, int]:
    """Decode values from the row `first` on, until all are done or a table is too small.

    Args:
        source: bytes of the values.
        begins: start of each value; -1 for null.
        ends: end of each value.
        first: the first row.
        free_cells: budget of cells for the messages of a value, whatever its length.
        cells_a_byte: additional budget for each byte of the value.
        most_cells: upper bound of the budget.
        program: type of the values.
        filled: output; is written.
        before: as large as `filled.counts`, of any content; is written.
        stack: three numbers for each level of nested messages; is written.

    Returns:
        Number of rows done, and the table that is too small, or -1.
    """
    row = first
    while row < begins.size:
        if begins[row] < 0:
            row += 1
            continue
        for table in range(before.size):
            before[table] = filled.counts[table]
        budget = min(free_cells + cells_a_byte * (ends[row] - begins[row]), most_cells)
        result = _read(source, begins[row], ends[row], row, budget, program, filled, stack)
        if result != _DONE:
            _take_back(row, program, filled, before)
            if result >= 0:
                return row, result
            filled.outcomes[row] = REFUSED
        row += 1
    return row, -1


@kernel
def gather(source: UInt8s, places: Int64s, target: UInt8s, ends: Int32s) -> bool:
    """Copy strings.

    Args:
        source: bytes of the strings.
        places: position and length of each string, as columns hold them.
        target: output, of the total size; is written.
        ends: 0, and the end of each string; is written.

    Returns:
        Whether all bytes are ASCII.
    """
    at = 0
    high = 0
    put(ends, 0, 0)
    for row in range(places.size):
        place = places[np.uint64(row)]
        start, size = place >> 32, place & _LOW_32
        copy_exact(target, at, source, start, size)
        at += size
        put(ends, row + 1, at)
    for index in range(at):
        high |= byte_at(target, index)
    return high < 0x80


@kernel
def find_no_text(source: UInt8s, ends: Int32s, bad: UInt8s) -> None:
    """Find strings that are not UTF-8, as Python defines it.

    Args:
        source: the strings.
        ends: 0, and the end of each string.
        bad: set to 1 for strings that are not UTF-8.
    """
    for row in range(bad.size):
        begin = _end(ends, row)
        if not is_text(source, begin, _end(ends, row + 1) - begin):
            bad[row] = 1


@part
def _read(
    source: UInt8s,
    at: int,
    end: int,
    row: int,
    budget: int,
    program: MessageProgram,
    filled: Filled,
    stack: Int64s,
) -> int:
    """Decode a value; return `_DONE`, `_BAD`, or the table that is too small."""
    # One loop, with its own stack for nested messages, as all of its state changes with every field.
    fields, dense, bases = program.fields, program.dense, filled.bases
    cells, present = filled.cells, filled.present
    depth = 0
    node = 0
    item = row
    size = 0
    field = _at(program.nodes, _FIRST)
    while True:
        while at >= end:
            if at > end:
                return _BAD
            if depth == 0:
                return _DONE
            depth -= 1
            end, node, item = _at(stack, 3 * depth), _at(stack, 3 * depth + 1), _at(stack, 3 * depth + 2)
            field = _at(program.nodes, node * _OF_NODE + _FIRST)
        tag, at = _varint(source, at, end, _SIZE_BYTES)
        number, wire = tag >> 3, tag & 7
        if at < 0 or number == 0 or tag > _LOW_32:
            return _BAD
        of_node = node * _OF_NODE
        if field >= _at(program.nodes, of_node + _END) or _at(fields, field * _FIELD + _NUMBER) != number:
            if number < _at(program.nodes, of_node + _DENSE_SIZE):
                field = _at(dense, _at(program.nodes, of_node + _DENSE) + number)
            else:
                field = _find(program, of_node, number)
        if field < 0:
            field = _at(program.nodes, of_node + _FIRST)
            at = _skip(source, at, end, wire)
            if at < 0 or _at(program.nodes, of_node + _IS_ENTRY) != 0:
                return _BAD
            filled.outcomes[row] |= WITH_MORE
            continue
        this = field * _FIELD
        field += 1
        own_wire, code, column, items = (
            _at(fields, this + _WIRE),
            _at(fields, this + _CODE),
            _at(fields, this + _COLUMN),
            _at(fields, this + _ITEMS),
        )
        if wire != own_wire:
            if wire == _WIRE_LENGTH and items >= 0 and code < _BYTES:
                size, at = _varint(source, at, end, _SIZE_BYTES)
                if at < 0 or size > end - at:
                    return _BAD
                inner = at + size
                list_at = _at(bases, column) + item
                values_at = _at(bases, column + 1)
                while at < inner:
                    value, at = _number(source, at, inner, own_wire, code)
                    if at < 0:
                        return _BAD
                    index = _add(program, filled, items, list_at, row)
                    if index < 0:
                        return items
                    put(cells, values_at + index, value)
            else:
                at = _skip(source, at, end, wire)
                if at < 0 or _at(program.nodes, of_node + _IS_ENTRY) != 0:
                    return _BAD
                filled.outcomes[row] |= WITH_MORE
            continue
        to = item
        if items >= 0:
            to = _add(program, filled, items, _at(bases, column) + item, row)
            if to < 0:
                return items
            # The values of a list are in the next column.
            column += 1
        cell = _at(bases, column) + to
        if code != _MESSAGE and present[np.uint64(cell)] != 0:
            # A repeated field: the last one counts, but the first may be damaged, so the reader in Python decides.
            return _BAD
        if code < _BYTES:
            value, at = _number(source, at, end, own_wire, code)
            if at < 0:
                return _BAD
            put(cells, cell, value)
        else:
            size, at = _varint(source, at, end, _SIZE_BYTES)
            if at < 0 or size > end - at:
                return _BAD
            if code != _BYTES and present[np.uint64(cell)] == 0:
                budget -= _at(fields, this + _WEIGHT)
                if budget < 0:
                    return _BAD
            if code == _MESSAGE:
                if 3 * depth == stack.size:
                    return _BAD
                put(stack, 3 * depth, end)
                put(stack, 3 * depth + 1, node)
                put(stack, 3 * depth + 2, item)
                depth += 1
            else:
                put(cells, cell, at << 32 | size)
                at += size
        put(present, cell, 1)
        oneof = _at(fields, this + _ONEOF)
        if oneof >= 0:
            case = _at(bases, oneof) + item
            if _at(cells, case) != 0 and _at(cells, case) != number:
                return _BAD
            put(cells, case, number)
        if code == _MESSAGE:
            end, node, item = at + size, _at(fields, this + _NODE), to
            field = _at(program.nodes, node * _OF_NODE + _FIRST)


@part
def _add(program: MessageProgram, filled: Filled, items: int, list_at: int, row: int) -> int:
    """Add an item to a list; return its row, or -1 if its table is full."""
    index = _at(filled.counts, items)
    if index >= _at(filled.rooms, items):
        return -1
    put(filled.counts, items, index + 1)
    put(filled.cells, list_at, _at(filled.cells, list_at) + 1)
    put(filled.cells, _at(filled.bases, _at(program.origins, items)) + index, row)
    return index


@rare_part
def _take_back(row: int, program: MessageProgram, filled: Filled, before: Int64s) -> None:
    """Clear everything that a value has written."""
    for column in range(program.tables.size):
        table = program.tables[column]
        begin, end = before[table], filled.counts[table]
        if table == 0:
            begin, end = row, row + 1
        base = filled.bases[column]
        for index in range(base + begin, base + end):
            filled.cells[index] = 0
            filled.present[index] = 0
    for table in range(before.size):
        filled.counts[table] = before[table]
    filled.outcomes[row] = SOUND


@part
def _number(source: UInt8s, at: int, end: int, wire: int, code: int) -> tuple[int, int]:
    """Read a number; the second result is negative if it is cut off."""
    if wire == _WIRE_VARINT:
        value, at = _varint(source, at, end, _VARINT_BYTES)
        if code == _INT32:
            value = ((value & _LOW_32) ^ _SIGN_32) - _SIGN_32
        elif code == _UINT32:
            value &= _LOW_32
        elif code == _SINT32:
            value &= _LOW_32
            value = (value >> 1) ^ -(value & 1)
        elif code == _SINT64:
            value = ((value >> 1) & _LOW_63) ^ -(value & 1)
        elif code == _BOOL:
            value = 1 if value != 0 else 0
        return value, at
    if wire == _WIRE_64:
        if end - at < 8:
            return 0, -1
        return np.int64(little_endian_uint64(source, at)), at + 8  # type: ignore[return-value]
    if end - at < 4:
        return 0, -1
    value = little_endian_uint32(source, at)
    if code == _SFIXED32:
        value = (value ^ _SIGN_32) - _SIGN_32
    return value, at + 4


@part
def _varint(source: UInt8s, at: int, end: int, most: int) -> tuple[int, int]:
    """Read a varint of at most `most` bytes; the second result is negative if it is cut off or longer."""
    if at < end:
        first = byte_at(source, at)
        if first < 0x80:
            return first, at + 1
        if at + 1 < end:
            second = byte_at(source, at + 1)
            if second < 0x80:
                return first & 0x7F | second << 7, at + 2
    return _long_varint(source, at, end, most)


@rare_part
def _long_varint(source: UInt8s, at: int, end: int, most: int) -> tuple[int, int]:
    value = 0
    for index in range(min(most, end - at)):
        byte = byte_at(source, at + index)
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, at + index + 1
    return 0, -1


@rare_part
def _skip(source: UInt8s, at: int, end: int, wire: int) -> int:
    """Skip an unknown field; return its end, or -1 if it is a group or invalid."""
    if wire == _WIRE_VARINT:
        _, at = _varint(source, at, end, _VARINT_BYTES)
        return at
    size = 0
    if wire == _WIRE_LENGTH:
        size, at = _varint(source, at, end, _SIZE_BYTES)
        if at < 0:
            return -1
    elif wire == _WIRE_64:
        size = 8
    elif wire == _WIRE_32:
        size = 4
    else:
        return -1
    return at + size if size <= end - at else -1


@rare_part
def _find(program: MessageProgram, of_node: int, number: int) -> int:
    """The field of a node with this number, or -1."""
    low, high = _at(program.nodes, of_node + _FIRST), _at(program.nodes, of_node + _END)
    end = high
    while low < high:
        middle = (low + high) >> 1
        if program.fields[middle * _FIELD + _NUMBER] < number:
            low = middle + 1
        else:
            high = middle
    if low < end and program.fields[low * _FIELD + _NUMBER] == number:
        return low
    return -1


@part
def _end(ends: Int32s, index: int) -> int:
    found: int = np.int64(ends[np.uint64(index)])  # type: ignore[assignment]
    return found


@part
def _at(array: Int64s, index: int) -> int:
    """Read an element; the caller has checked the bounds."""
    found: int = array[np.uint64(index)]
    return found
