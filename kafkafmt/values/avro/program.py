"""The programs by which the kernel reads Avro values: steps (`columnar.avro_program`) of resolved types.

A program makes no JSON text: it leaves the bytes of such a value to the functions of `reading`. Recursive types, and
types that would take very many steps, are left to these functions as a whole.
"""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from functools import partial
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from kafkafmt.columnar import avro_program as steps
from kafkafmt.errors import DataError
from kafkafmt.values.avro.arrow import as_json, converter, is_json
from kafkafmt.values.avro.reading import function_of, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.columnar.value_columns import ColumnLayout, ValueColumn
    from kafkafmt.values.avro.resolution import ResolvedType
    from kafkafmt.values.avro.schema import Node

_MOST_STEPS: Final = 50_000
# Steps of all programs together, as a topic may refer to very many schemas.
_MOST_OF_ALL: Final = 400_000
_MOST_NUMBERS: Final = 1_000_000
_MOST_CONSTANTS: Final = 1 << 24

MOST_CONSTANT: Final = 1000
"""Most bytes of a symbol, and of all defaults of a schema: few bytes of values must not become many."""

_WRITES: Final = {
    ("boolean", "boolean"): steps.BOOLEAN,
    ("int", "int"): steps.INT,
    ("int", "long"): steps.INT_TO_LONG,
    ("int", "float"): steps.INT_TO_FLOAT,
    ("int", "double"): steps.INT_TO_DOUBLE,
    ("long", "long"): steps.LONG,
    ("long", "float"): steps.LONG_TO_FLOAT,
    ("long", "double"): steps.LONG_TO_DOUBLE,
    ("float", "float"): steps.FLOAT,
    ("float", "double"): steps.FLOAT_TO_DOUBLE,
    ("double", "double"): steps.DOUBLE,
    ("bytes", "bytes"): steps.BYTES,
    ("bytes", "string"): steps.TEXT,
    ("string", "bytes"): steps.BYTES,
    ("string", "string"): steps.TEXT,
}
_SKIPS: Final = {
    "boolean": (steps.SKIP_BOOLEAN, 0),
    "int": (steps.SKIP_INT, 0),
    "long": (steps.SKIP_LONG, 0),
    "float": (steps.SKIP_FIXED, 4),
    "double": (steps.SKIP_FIXED, 8),
    "bytes": (steps.SKIP_BYTES, 0),
    "string": (steps.SKIP_TEXT, 0),
}
_FORMATS: Final = {"int": Struct("=i"), "long": Struct("=q"), "float": Struct("=f"), "double": Struct("=d")}
_NO_COLUMN: Final = -1


Emit = Callable[[], None]
"""Adds steps to a program."""


Text = Callable[[bytes], str | None]
"""Makes the text of a value from its bytes."""


class NoProgram(Exception):  # noqa: N818 - the other reader takes it
    """Raised for a resolved type that the kernel cannot read."""


class Programs:
    """The programs of one reader's schema, one for each writer's schema; a program's number is its first step.

    Args:
        layout: the columns of the reader's schema.

    Attributes:
        slots: most lists and marks of a program.
        texts: functions that make JSON text from bytes of a value, by numbers of program and column.
    """

    def __init__(self, layout: "ColumnLayout") -> None:
        self._layout = layout
        self._steps: list[int] = []
        self._numbers: list[int] = []
        self._constants = bytearray()
        self._arrays: tuple[Any, Any, Any] | None = None
        self.slots = 0
        self.texts: dict[tuple[int, int], Text] = {}

    def add(self, resolved: "ResolvedType") -> int:
        """Compile a resolved type.

        Args:
            resolved: the resolution of a writer's schema to the reader's.

        Returns:
            The number of the program.

        Raises:
            NoProgram: the kernel cannot read the type.
        """
        before = len(self._steps), len(self._numbers), len(self._constants)
        compiler = _Compiler(self._layout, self._steps, self._numbers, self._constants)
        try:
            compiler.compile(resolved)
        except (NoProgram, RecursionError, DataError) as error:
            del self._steps[before[0] :], self._numbers[before[1] :], self._constants[before[2] :]
            raise NoProgram from error
        self._arrays = None
        self.slots = max(self.slots, compiler.slots)
        self.texts |= {(before[0], column): text for column, text in compiler.texts.items()}
        return before[0]

    def arrays(self) -> "tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64], np.typing.NDArray[np.uint8]]":
        """The steps of all programs, their numbers and their constants, in the form that the kernel reads."""
        if self._arrays is None:
            constants = np.frombuffer(bytes(self._constants), np.uint8)
            self._arrays = np.array(self._steps, np.int64), np.array(self._numbers, np.int64), constants
        return self._arrays


class _Compiler:
    def __init__(self, layout: "ColumnLayout", made: list[int], numbers: list[int], constants: bytearray) -> None:
        self._column, self._columns = layout.column, layout.columns
        self._steps, self._numbers, self._constants = made, numbers, constants
        self._most = min(len(made) + steps.STEP * _MOST_STEPS, steps.STEP * _MOST_OF_ALL)
        self.slots = 0
        self.texts: dict[int, Text] = {}
        self._path: list[Node] = []
        self._writers: list[Node] = []
        self._defaults = 0

    def compile(self, resolved: "ResolvedType") -> None:
        if not resolved.is_rest:
            self._read(resolved, resolved.reader, self._column)
        elif resolved.reader.logical == "decimal":
            self._decimal(resolved.reader, self._column, steps.REMAINDER)
        else:
            self._add(steps.REST, self._column.number)
        self._add(steps.END)

    def _add(self, kind: int, first: int = 0, second: int = 0, third: int = 0) -> int:
        if len(self._steps) >= self._most:
            raise NoProgram
        self._steps += (kind, first, second, third)
        return len(self._steps) - steps.STEP

    def _here(self) -> int:
        return len(self._steps)

    def _read(self, resolved: "ResolvedType", reader: "Node", column: "ValueColumn") -> None:
        """Read a value into the column of a reader's type."""
        if self._is_json(reader):
            self._json(resolved, reader, column)
        elif resolved.kind == "union":
            self._union([partial(self._read, each, reader, column) for each in resolved.inner])
        elif resolved.kind == "refused":
            self._add(steps.REFUSE)
        elif resolved.writer.type == "null":
            self._add(steps.NULL, column.number)
        else:
            node = reader.optional or reader
            with self._inside(node):
                self._value(resolved, node, column)

    def _is_json(self, reader: "Node") -> bool:
        """Whether a type's column, which may be optional, is JSON text."""
        return any(is_json(each, tuple(self._path)) for each in (reader, reader.optional) if each is not None)

    def _json(self, resolved: "ResolvedType", reader: "Node", column: "ValueColumn") -> None:
        """Keep the bytes of a value, from which its JSON text is made."""
        read = function_of(resolved)
        self._text(column, lambda data: _json_text(reader, read_value(read, data)[0]))
        slot = self._slot()
        self._add(steps.MARK, slot)
        self._skip(resolved.writer)
        self._add(steps.TAKE, column.number, slot)

    def _text(self, column: "ValueColumn", text: Text) -> None:
        if column.number in self.texts:
            # A column has only one function from bytes to text, so branches that need different ones are refused.
            raise NoProgram
        self.texts[column.number] = text

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    @contextmanager
    def _inside(self, node: "Node") -> "Iterator[None]":
        is_nested = node.type in ("array", "map", "record")
        if is_nested:
            self._path.append(node)
        yield
        if is_nested:
            self._path.pop()

    def _value(self, resolved: "ResolvedType", node: "Node", column: "ValueColumn") -> None:
        number = column.number
        if resolved.kind == "record":
            self._record(resolved, node, column)
        elif resolved.kind in ("array", "map"):
            self._list(resolved, node, column)
        elif resolved.kind == "enum":
            self._add(steps.ENUM, number, self._symbols(resolved.symbols), len(resolved.symbols))
        elif node.logical == "decimal":
            self._decimal(node, column, node.size if resolved.kind == "fixed" else steps.PREFIXED)
        elif resolved.kind == "fixed":
            if node.size == 0 or (node.logical is None and not pa.types.is_fixed_size_binary(column.kind)):
                raise NoProgram
            kind = {"uuid": steps.UUID, "duration": steps.DURATION}.get(node.logical or "", steps.FIXED)
            self._add(kind, number, node.size)
        else:
            self._add(_WRITES[resolved.writer.type, resolved.reader.type], number)

    def _record(self, resolved: "ResolvedType", node: "Node", column: "ValueColumn") -> None:
        columns = dict(zip((each.name for each in node.fields), column.children, strict=True))
        types = {each.name: each.type for each in node.fields}
        names = [name for name, _ in resolved.fields if name]
        if len(set(names)) < len(names):
            # Written twice, under an alias and its name: the second value counts, which the steps cannot express.
            raise NoProgram
        for name, each in resolved.fields:
            if name:
                self._read(each, types[name], columns[name])
            else:
                self._skip(each.writer)
        for name, value in resolved.missing.items():
            self._default(types[name], value, columns[name])

    def _list(self, resolved: "ResolvedType", node: "Node", column: "ValueColumn") -> None:
        group = self._group(column)

        def item() -> None:
            if resolved.kind == "map":
                self._add(steps.TEXT, column.children[0].number)
                self._add(steps.KEY, column.children[0].number, column.number)
            self._read(resolved.inner[0], node.inner[0], column.children[-1])

        self._blocks(group, item)
        self._add(steps.CLOSE, column.number)

    def _blocks(self, group: int, item: Emit) -> None:
        slot = self._slot()
        block = self._add(steps.BLOCK, slot, group)
        item()
        self._add(steps.ITEM, slot, group, block)
        self._steps[block + 3] = self._here()

    def _group(self, column: "ValueColumn") -> int:
        """The group of a list's items."""
        return int(self._columns[column.number * steps.COLUMN + steps.ITEMS])

    def _union(self, branches: Sequence[Emit]) -> None:
        table = len(self._numbers)
        self._numbers += [0] * len(branches)
        self._add(steps.UNION, table, len(branches))
        jumps = []
        for number, branch in enumerate(branches):
            self._numbers[table + number] = self._here()
            branch()
            if number < len(branches) - 1:
                jumps.append(self._add(steps.JUMP))
        for jump in jumps:
            self._steps[jump + 1] = self._here()

    def _symbols(self, symbols: Sequence[str | None]) -> int:
        table = len(self._numbers)
        if table + 2 * len(symbols) > _MOST_NUMBERS:
            raise NoProgram
        for symbol in symbols:
            data = b"" if symbol is None else symbol.encode()
            self._numbers += (-1 if symbol is None else self._constant(data), len(data))
        return table

    def _constant(self, data: bytes) -> int:
        if len(data) > MOST_CONSTANT or len(self._constants) > _MOST_CONSTANTS:
            raise NoProgram
        found = len(self._constants)
        self._constants += data
        return found

    def _decimal(self, node: "Node", column: "ValueColumn", size: int) -> None:
        if not pa.types.is_decimal(column.kind) or size == 0:
            raise NoProgram
        bound = len(self._numbers)
        words = (10**node.precision - 1).to_bytes(column.kind.bit_width // 8, "little")
        self._numbers += np.frombuffer(words, np.int64).tolist()
        self._add(steps.DECIMAL, column.number, size, bound)

    def _skip(self, writer: "Node") -> None:
        """Pass over a value, with the same checks as when reading it."""
        if writer.type == "union":
            self._union([partial(self._skip, each) for each in writer.inner])
        elif writer.type == "record":
            if writer in self._writers:
                raise NoProgram
            self._writers.append(writer)
            for each in writer.fields:
                self._skip(each.type)
            self._writers.pop()
        elif writer.type == "array":
            self._blocks(_NO_COLUMN, partial(self._skip, writer.inner[0]))
        elif writer.type == "map":

            def entry() -> None:
                self._add(steps.SKIP_TEXT)
                self._skip(writer.inner[0])

            self._blocks(_NO_COLUMN, entry)
        elif writer.type == "fixed":
            self._add(steps.SKIP_FIXED, writer.size)
        elif writer.type == "enum":
            self._add(steps.SKIP_ENUM, len(writer.symbols))
        elif writer.type != "null":
            self._add(*_SKIPS[writer.type])

    def _default(self, node: "Node", value: Any, column: "ValueColumn") -> None:  # noqa: ANN401 - any value
        """Set the value of a field that is not written."""
        if self._is_json(node):
            text = _json_text(node, value)
            self._text(column, lambda _: text)
            if len(text or "") > MOST_CONSTANT:
                raise NoProgram
            self._set(steps.SET_BYTES, column, b"")
            return
        if value is None:
            self._add(steps.NULL, column.number)
            return
        node = node.optional or node
        with self._inside(node):
            self._constant_value(node, value, column)

    def _constant_value(self, node: "Node", value: Any, column: "ValueColumn") -> None:  # noqa: ANN401 - any value
        if node.type == "record":
            for each, child in zip(node.fields, column.children, strict=True):
                self._default(each.type, value[each.name], child)
        elif node.type in ("array", "map"):
            self._constant_list(node, value, column)
        elif node.type == "boolean":
            self._add(steps.SET_BOOLEAN, column.number, value)
        elif node.logical == "duration":
            for number, child in zip(converter(node)(value).values(), column.children, strict=True):
                self._set(steps.SET_FIXED, child, _FORMATS["long"].pack(number))
        elif node.logical in ("decimal", "uuid"):
            self._set_text_or_decimal(converter(node)(value), column)
        elif node.type in _FORMATS:
            self._set(steps.SET_FIXED, column, _FORMATS[node.type].pack(value))
        else:
            data = value.encode() if isinstance(value, str) else value
            self._set(steps.SET_FIXED if node.type == "fixed" else steps.SET_BYTES, column, data)

    def _set_text_or_decimal(self, value: Any, column: "ValueColumn") -> None:  # noqa: ANN401 - str or Decimal
        if isinstance(value, str):
            self._set(steps.SET_BYTES, column, value.encode())
        else:
            stored: Any = pa.array([value], column.kind).buffers()[1]
            self._set(steps.SET_FIXED, column, stored.to_pybytes()[: column.kind.bit_width // 8])

    def _constant_list(self, node: "Node", value: Any, column: "ValueColumn") -> None:  # noqa: ANN401 - a list
        group = self._group(column)
        self._add(steps.OPEN, group, len(value))
        for each in value:
            item = each
            if node.type == "map":
                name, item = each
                self._set(steps.SET_BYTES, column.children[0], name.encode())
            self._default(node.inner[0], item, column.children[-1])
            self._add(steps.ADVANCE, group)
        self._add(steps.CLOSE, column.number)

    def _set(self, kind: int, column: "ValueColumn", data: bytes) -> None:
        self._defaults += len(data)
        if self._defaults > MOST_CONSTANT:
            raise NoProgram
        self._add(kind, column.number, self._constant(data), len(data))


def _json_text(node: "Node", value: Any) -> str | None:  # noqa: ANN401 - any value
    return None if value is None and node.type == "union" else as_json(node, value)
