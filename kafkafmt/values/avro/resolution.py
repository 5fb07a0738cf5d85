"""Avro values as their writer's schema has them, or resolved to a reader's ("Schema Resolution" of the specification).

A schema pair is compiled to functions, one a node. Where the specification leaves it open they do what Apache Avro's
Java does (`Resolver`, `ResolvingGrammarGenerator`): records resolve at the top whatever their names are, and a record
finds its branch of a union by name, else by structure.
"""

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.avro.datum import Branch, Datum
from kafkafmt.values.avro.schema import MISSING, Node, RecordField

Read = Callable[[Datum], Any]

_READS: Final[Mapping[str, Read]] = {
    "null": lambda datum: None,  # noqa: ARG005 - a null has no bytes
    "boolean": Datum.read_boolean,
    "int": Datum.read_int,
    "long": Datum.read_long,
    "float": Datum.read_float,
    "double": Datum.read_double,
    "bytes": Datum.read_bytes,
    "string": Datum.read_string,
}

_PROMOTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}


class _Mismatch(Exception):  # noqa: N818 - it is no error where another branch fits
    """Two types cannot be resolved."""


def reading(writer: Node, reader: Node | None = None) -> Read:
    """Make the function that reads a value.

    A record becomes a dict, an array a list, a map a list of pairs in which a later key replaces an earlier one, an
    enum its symbol, a logical type the value below it, and a union of several types besides null a `Branch`.

    Args:
        writer: schema that it was written with.
        reader: schema that it is resolved to; None for the writer's.

    Returns:
        Its function, which raises `CorruptError` for bytes that are no such value, and for values that cannot be
        resolved.

    Raises:
        CorruptError: no value of the one schema can be resolved to the other.
    """
    try:
        return _Pairs().read(writer, reader or writer)
    except _Mismatch as mismatch:
        raise CorruptError(f"the schemas cannot be resolved: {mismatch}") from None
    except RecursionError as error:
        raise LimitExceededError("the types of the Avro schemas are nested too deeply") from error


class _Pairs:
    """Compiles pairs of types; a pair inside of itself is compiled once."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], Read] = {}

    def read(self, writer: Node, reader: Node) -> Read:
        if writer.type == "union":
            return self._of_writer_union(writer, reader)
        if reader.type == "union":
            return self._to_branch(writer, reader)
        return self._of_same(writer, reader)

    def _of_same(self, writer: Node, reader: Node) -> Read:
        """Neither of both is a union."""
        if writer.type != reader.type:
            if reader.type in _PROMOTIONS.get(writer.type, ()):
                return _promoted(writer.type, reader.type)
            raise _Mismatch(f"found {writer.branch_name}, expecting {reader.branch_name}")
        if writer.type in _READS:
            return _READS[writer.type]
        if writer.type == "array":
            return _array(self.read(writer.inner[0], reader.inner[0]))
        if writer.type == "map":
            return _map(self.read(writer.inner[0], reader.inner[0]))
        if writer.type == "record":
            return self._record(writer, reader)
        if _short(writer) != _short(reader) and writer.name not in reader.aliases:
            raise _Mismatch(f"found {writer.name}, expecting {reader.name}")
        if writer.type == "enum":
            return _enum(writer, reader)
        if writer.size != reader.size:
            raise _Mismatch(f"{reader.name} has {writer.size} bytes, expecting {reader.size}")
        size = writer.size
        return lambda datum: datum.take(size)

    def _of_writer_union(self, writer: Node, reader: Node) -> Read:
        branches: list[Read] = []
        mismatches: list[_Mismatch] = []
        for each in writer.inner:
            try:
                branches.append(self._branch(writer, each, reader))
            except _Mismatch as mismatch:
                branches.append(_refusing(str(mismatch)))
                mismatches.append(mismatch)
        if branches and len(mismatches) == len(branches):
            raise mismatches[0]
        count = len(branches)

        def read(datum: Datum) -> Any:  # noqa: ANN401 - any value
            at = datum.position
            index = datum.read_int()
            if not 0 <= index < count:
                raise CorruptError("a union has no such branch", position=at, expected=f"below {count}", found=index)
            return branches[index](datum)

        return read

    def _branch(self, writer: Node, branch: Node, reader: Node) -> Read:
        """One branch of the writer's union; of the same union the same branch, whatever comes before it."""
        if writer is reader:
            return _tagged(self._of_same(branch, branch), branch, reader)
        return self.read(branch, reader)

    def _to_branch(self, writer: Node, reader: Node) -> Read:
        """The first branch of the reader's union that fits."""
        structural: tuple[Read, Node] | None = None
        for each in reader.inner:
            if each.type == writer.type:
                if each.name is None or each.name == writer.name or writer.name in each.aliases:
                    return _tagged(self._of_same(writer, each), each, reader)
                if each.type == "record" and structural is None:
                    try:
                        structural = self._of_same(writer, each), each
                    except _Mismatch:
                        continue
        if structural is not None:
            return _tagged(*structural, reader)
        for each in reader.inner:
            if each.type in _PROMOTIONS.get(writer.type, ()):
                return _tagged(self._of_same(writer, each), each, reader)
        raise _Mismatch(f"found {writer.branch_name}, expecting one of {[each.branch_name for each in reader.inner]}")

    def _record(self, writer: Node, reader: Node) -> Read:
        pair = (id(writer), id(reader))
        if pair in self._made:
            return self._made[pair]
        # A record inside of itself gets this function before its steps are known.
        steps: list[tuple[str, Read]] = []
        missing: dict[str, Any] = {}
        order = [each.name for each in reader.fields]
        read = self._made[pair] = _record(steps, missing, order)
        try:
            steps += self._steps(writer, reader)
            found = {name for name, _ in steps}
            missing.update({each.name: _default(reader, each) for each in reader.fields if each.name not in found})
        except _Mismatch:
            del self._made[pair]
            raise
        return read

    def _steps(self, writer: Node, reader: Node) -> Iterator[tuple[str, Read]]:
        """The writer's fields in its order: the name of each in the reader's record, or "" if it is left out."""
        is_same = writer.name == reader.name or writer.name in reader.aliases
        wanted = {alias: each for each in reader.fields for alias in each.aliases} if is_same else {}
        wanted.update({each.name: each for each in reader.fields})
        for each in writer.fields:
            field = wanted.pop(each.name, None)
            if field is None:
                yield "", self.read(each.type, each.type)
            else:
                yield field.name, self.read(each.type, field.type)


def read_value(read: Read, data: bytes) -> tuple[Any, int]:
    """Read one value.

    Args:
        read: the function of its schemas.
        data: its bytes.

    Returns:
        The value, and the number of bytes after it, which no reader of Avro minds.

    Raises:
        CorruptError: the bytes are no such value, or it cannot be resolved.
        LimitExceededError: it is nested too deeply, or has too many items.
    """
    datum = Datum(data)
    try:
        return read(datum), datum.bytes_left
    except RecursionError as error:
        raise LimitExceededError("a value is nested too deeply", position=datum.position) from error


def value_of_json(node: Node, content: object, *, is_default: bool = False) -> Any:  # noqa: ANN401 - any value
    """The value that JSON stands for: as a default of a field, or in Avro's "JSON encoding".

    Args:
        node: its type.
        content: the JSON.
        is_default: a default has the value of the union's first branch that fits; in the encoding it is null, or an
            object with the name of its branch.

    Raises:
        CorruptError: it is no value of the type.
    """
    try:
        return _of_json(node, content, is_default=is_default)
    except _Mismatch as mismatch:
        raise CorruptError(f"JSON that is no value of its Avro schema: {mismatch}") from None
    except RecursionError as error:
        raise LimitExceededError("JSON is nested too deeply") from error


def _of_json(node: Node, content: object, *, is_default: bool) -> Any:  # noqa: ANN401 - one return a type
    match node.type, content:
        case "null", None:
            return None
        case "boolean", bool():
            return content
        case (("int" | "long"), int()) if not isinstance(content, bool) and _fits(node.type, content):
            return content
        case (("float" | "double"), int() | float()) if not isinstance(content, bool):
            return _as_float(content) if node.type == "float" else _as_double(content)
        case (("float" | "double"), "NaN" | "Infinity" | "-Infinity" | "INF" | "-INF"):
            return float(content)
        case "string", str():
            return content
        case (("bytes" | "fixed"), str()):
            data = _latin(content)
            if node.type == "fixed" and len(data) != node.size:
                raise _Mismatch(f"{node.name} has {len(data)} bytes, expecting {node.size}")
            return data
        case "enum", str() if content in node.symbols:
            return content
        case "array", list():
            return [_of_json(node.inner[0], each, is_default=is_default) for each in content]
        case "map", dict():
            return [(name, _of_json(node.inner[0], each, is_default=is_default)) for name, each in content.items()]
        case "record", dict():
            return {each.name: _field_of_json(node, each, content, is_default=is_default) for each in node.fields}
        case "union", _:
            return _branch_of_json(node, content, is_default=is_default)
    raise _Mismatch(f"found {json.dumps(content)[:80]}, expecting {node.branch_name}")


def _field_of_json(record: Node, field: RecordField, content: dict[str, Any], *, is_default: bool) -> Any:  # noqa: ANN401
    if field.name in content:
        return _of_json(field.type, content[field.name], is_default=is_default)
    return _default(record, field)


def _branch_of_json(union: Node, content: object, *, is_default: bool) -> Any:  # noqa: ANN401
    for each in union.inner:
        if is_default or each.type == "null":
            try:
                return _wrapped(_of_json(each, content, is_default=is_default), each, union)
            except _Mismatch:
                continue
        elif isinstance(content, dict) and len(content) == 1 and each.branch_name in content:
            return _wrapped(_of_json(each, content[each.branch_name], is_default=False), each, union)
    raise _Mismatch(f"found {json.dumps(content)[:80]}, expecting one of {[each.branch_name for each in union.inner]}")


def _default(record: Node, field: RecordField) -> Any:  # noqa: ANN401 - any value
    if field.default is MISSING:
        raise _Mismatch(f"the writer's {record.name} has no field {field.name!r}, which has no default")
    try:
        return _of_json(field.type, field.default, is_default=True)
    except RecursionError:
        raise _Mismatch(f"the default of {record.name}.{field.name} is nested too deeply") from None


def _short(node: Node) -> str:
    """The name without its namespace, by which enums and fixed match."""
    return (node.name or "").rpartition(".")[2]


def _record(steps: list[tuple[str, Read]], missing: dict[str, Any], order: list[str]) -> Read:
    """Read fields in the writer's order, and give them in the reader's."""

    def read(datum: Datum) -> dict[str, Any]:
        datum.enter()
        values: dict[str, Any] = {}
        for name, step in steps:
            values[name] = step(datum)
        datum.depth -= 1
        values.update(missing)
        return values if list(values) == order else {name: values[name] for name in order}

    return read


def _tagged(read: Read, branch: Node, union: Node) -> Read:
    """Name the branch, where its union has several types besides null."""
    if union.optional is not None or branch.type == "null":
        return read
    name = branch.branch_name
    return lambda datum: Branch(name, read(datum))


def _wrapped(value: object, branch: Node, union: Node) -> object:
    return value if union.optional is not None or branch.type == "null" else Branch(branch.branch_name, value)


def _promoted(writer: str, reader: str) -> Read:
    read = _READS[writer]
    if reader == "long":
        return read
    if reader == "float":
        return lambda datum: _as_float(read(datum))
    if reader == "double":
        return lambda datum: float(read(datum))
    return Datum.read_bytes if reader == "bytes" else Datum.read_string


def _array(item: Read) -> Read:
    def read(datum: Datum) -> list[Any]:
        datum.enter()
        values = []
        while count := datum.block():
            values += [item(datum) for _ in range(count)]
        datum.depth -= 1
        return values

    return read


def _map(value: Read) -> Read:
    def read(datum: Datum) -> list[tuple[str, Any]]:
        datum.enter()
        values = {}
        while count := datum.block():
            for _ in range(count):
                key = datum.read_string()
                values[key] = value(datum)
        datum.depth -= 1
        return list(values.items())

    return read


def _enum(writer: Node, reader: Node) -> Read:
    known = frozenset(reader.symbols)
    symbols = [symbol if symbol in known else reader.default for symbol in writer.symbols]

    def read(datum: Datum) -> str:
        at = datum.position
        index = datum.read_int()
        if not 0 <= index < len(symbols):
            raise CorruptError("an enum has no such symbol", position=at, expected=f"below {len(symbols)}", found=index)
        symbol = symbols[index]
        if symbol is None:
            raise CorruptError(f"the reader's {reader.name} has no symbol {writer.symbols[index]!r}", position=at)
        return symbol

    return read


def _refusing(reason: str) -> Read:
    def read(datum: Datum) -> Any:  # noqa: ANN401 - none
        raise CorruptError(f"the schemas cannot be resolved: {reason}", position=datum.position)

    return read


def _fits(kind: str, value: int) -> bool:
    bits = 31 if kind == "int" else 63
    return -(1 << bits) <= value < 1 << bits


def _as_float(value: float) -> float:
    """The nearest value of a float."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def _as_double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _Mismatch("a number is beyond a double") from None


def _latin(text: str) -> bytes:
    """Bytes that JSON has as the characters of their numbers."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise _Mismatch("a character of bytes is above U+00FF") from None
