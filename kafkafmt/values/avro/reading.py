"""Reads Avro values one by one, by functions made from a resolved type, one for each type in it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.avro.datum import Branch, Datum
from kafkafmt.values.avro.json_values import as_float
from kafkafmt.values.avro.resolution import ResolvedType, resolve
from kafkafmt.values.avro.schema import Node
from kafkafmt.values.decoded import LETTERS_A_FIELD

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


def reading(writer: Node, reader: Node | None = None) -> Read:
    """Make the function that reads a value of one schema as one of another, or unchanged; see `function_of`.

    Raises:
        CorruptError: no value of the writer's schema can be resolved to the reader's.
        LimitExceededError: the types are nested too deeply.
    """
    return function_of(resolve(writer, reader or writer))


def function_of(resolved: ResolvedType) -> Read:
    """Make the function that reads a value.

    A record becomes a dict, an array a list, a map a list of pairs in which a later key replaces an earlier one, an
    enum its symbol, a logical type the value of its underlying type, and a union of several types besides null a
    `Branch`.

    Returns:
        The function, which raises `CorruptError` for bytes that are not a value of the type, and for values that cannot
        be resolved.

    Raises:
        LimitExceededError: the types are nested too deeply.
    """
    try:
        return _Functions().read(resolved)
    except RecursionError as error:
        raise LimitExceededError("the types of the Avro schemas are nested too deeply") from error


class _Functions:
    """Makes the functions of resolved types; that of a record is made once, as the record may contain itself."""

    def __init__(self) -> None:
        self._records: dict[ResolvedType, Read] = {}

    def read(self, resolved: ResolvedType) -> Read:
        match resolved.kind:
            case "primitive":
                return _primitive(resolved.writer.type, resolved.reader.type)
            case "fixed":
                size = resolved.writer.size
                return lambda datum: datum.take(size)
            case "enum":
                return _enum(resolved)
            case "array":
                item = resolved.inner[0]
                return _array(self.read(item), _width(item) if item.kind == "record" else 0)
            case "map":
                return _map(self.read(resolved.inner[0]))
            case "record":
                return self._record(resolved)
            case "union":
                return _union([self.read(each) for each in resolved.inner])
            case "branch":
                return _tagged(self.read(resolved.inner[0]), resolved.reader.branch_name)
        return _refusing(resolved.reason)

    def _record(self, resolved: ResolvedType) -> Read:
        if resolved not in self._records:
            reads: list[tuple[str, Read]] = []
            self._records[resolved] = _record(resolved, reads)
            reads += [(name, self.read(each)) for name, each in resolved.fields]
        return self._records[resolved]


def read_value(read: Read, data: bytes) -> tuple[Any, int]:
    """Read one value.

    Args:
        read: the function made for its schemas.
        data: bytes of the value.

    Returns:
        The value, and the number of bytes after it, which readers of Avro ignore.

    Raises:
        CorruptError: the bytes are not such a value, or it cannot be resolved.
        LimitExceededError: the value is nested too deeply, or has too many items.
    """
    datum = Datum(data)
    return read_datum(read, datum), datum.bytes_left


def read_datum(read: Read, datum: Datum) -> Any:  # noqa: ANN401 - any value
    """Read a value from a `Datum`; raises the errors of `read_value`."""
    try:
        return read(datum)
    except RecursionError as error:
        raise LimitExceededError("a value is nested too deeply", position=datum.position) from error


def _width(resolved: ResolvedType) -> int:
    """Approximate number of fields of a record, including its defaults."""
    names = sum(len(each.name) for each in resolved.reader.fields)
    return len(resolved.reader.fields) + names // LETTERS_A_FIELD + sum(map(_weight, resolved.missing.values()))


def _record(resolved: ResolvedType, reads: list[tuple[str, Read]]) -> Read:
    """Read fields in the writer's order, and return them in the reader's."""
    width, missing, order = _width(resolved), resolved.missing, [each.name for each in resolved.reader.fields]

    def read(datum: Datum) -> dict[str, Any]:
        datum.enter(width)
        values: dict[str, Any] = {}
        for name, read_field in reads:
            values[name] = read_field(datum)
        datum.depth -= 1
        values.update(missing)
        return values if list(values) == order else {name: values[name] for name in order}

    return read


def _weight(value: object) -> int:
    """Approximate number of fields of a default; long texts count as several."""
    if isinstance(value, Branch):
        return 1 + _weight(value.value)
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        return sum(1 + _weight(each[1] if isinstance(each, tuple) else each) for each in value)
    return len(value) // LETTERS_A_FIELD if isinstance(value, (str, bytes)) else 0


def _union(branches: list[Read]) -> Read:
    count = len(branches)

    def read(datum: Datum) -> Any:  # noqa: ANN401 - any value
        at = datum.position
        index = datum.read_int()
        if not 0 <= index < count:
            raise CorruptError("a union has no such branch", position=at, expected=f"below {count}", found=index)
        return branches[index](datum)

    return read


def _tagged(read: Read, name: str) -> Read:
    return lambda datum: Branch(name, read(datum))


def _primitive(writer: str, reader: str) -> Read:
    read = _READS[writer]
    if reader in (writer, "long"):
        return read
    if reader == "float":
        return lambda datum: as_float(read(datum))
    if reader == "double":
        return lambda datum: float(read(datum))
    return Datum.read_bytes if reader == "bytes" else Datum.read_string


def _array(item: Read, width: int) -> Read:
    def read(datum: Datum) -> list[Any]:
        datum.enter()
        values = []
        while count := datum.block(width):
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


def _enum(resolved: ResolvedType) -> Read:
    writer, reader, symbols = resolved.writer, resolved.reader, resolved.symbols

    def read(datum: Datum) -> str:
        at = datum.position
        index = datum.read_int()
        if not 0 <= index < len(symbols):
            raise CorruptError("an enum has no such symbol", position=at, expected=f"below {len(symbols)}", found=index)
        symbol = symbols[index]
        if symbol is None:
            raise CorruptError(f"the reader's {reader.name} has no symbol {writer.symbols[index]!r}", position=at)
        if len(symbol) >= LETTERS_A_FIELD:
            datum.add(_weight(symbol))
        return symbol

    return read


def _refusing(reason: str) -> Read:
    def read(datum: Datum) -> Any:  # noqa: ANN401 - none
        raise CorruptError(f"the schemas cannot be resolved: {reason}", position=datum.position)

    return read
