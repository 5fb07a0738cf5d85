"""The reference reader of JSON values: as strict as RFC 8259 and the type of the values require.

A value becomes an object that `pyarrow.array` accepts for the Arrow type. Parts of type "text" stay as they are stored.
The last of several members with the same name counts, as in the parsers of Python and Java.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not have it
from typing import Any, Final, NoReturn

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.limits import Limits
from kafkafmt.values.json.types import JsonType

Read = Callable[[str, int, "Doubts"], tuple[Any, int]]

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INT64: Final = range(-(2**63), 2**63)
# A sign and 19 digits. Longer texts are not converted: the time for that is quadratic, and Python has a limit.
_LONGEST_INT64: Final = 20
_EXACT_DIGITS: Final = 15
"""Decimal digits of integers that a double always represents exactly."""

_MOST_SHOWN: Final = 60
_FREE_FIELDS: Final = 1_000_000
_FIELDS_A_CHARACTER: Final = 100
MOST_FIELDS: Final = Limits().max_fields_per_value
_NAMES: Final = 100


@dataclass
class Doubts:
    """Oddities of a value that was read: unknown names, rounded integers.

    Attributes:
        unknown: the first names that the type does not have, with their paths.
        has_unknown: whether the value has such names.
        rounded: whether the value has an integer that a double cannot represent.
        most_fields: most fields and items of the value, however long it is.
        fields: number of fields and items, set or not.
    """

    unknown: dict[str, None] = field(default_factory=dict)
    has_unknown: bool = False
    rounded: bool = False
    most_fields: int = MOST_FIELDS
    fields: int = 0


class JsonReader:
    """Reads values of one type.

    Args:
        json_type: the type; for "text" the whole value is its text, including "null".
    """

    def __init__(self, json_type: JsonType) -> None:
        self._read = _document if json_type.kind == "text" else _reader(json_type, "$")

    def read(self, data: bytes, doubts: Doubts) -> Any:  # noqa: ANN401 - what `pyarrow.array` takes
        """Read a value.

        Args:
            data: JSON in UTF-8, UTF-16 or UTF-32.
            doubts: collects oddities of the value.

        Raises:
            CorruptError: the bytes are not JSON, or of another type.
            LimitExceededError: the value is nested too deeply, or has too many fields and items.
        """
        text = text_of_json(data)
        doubts.most_fields = min(_FREE_FIELDS + _FIELDS_A_CHARACTER * len(text), doubts.most_fields)
        try:
            value, end = self._read(text, skip_space(text, 0), doubts)
        except RecursionError as error:
            raise LimitExceededError("JSON is nested too deeply") from error
        if (end := skip_space(text, end)) < len(text):
            raise CorruptError("not JSON: there is more after the value", position=end)
        return value


def text_of_json(data: bytes) -> str:
    """The text of JSON, in the encoding that its first bytes show.

    Raises:
        CorruptError: the bytes are not text in that encoding.
    """
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        raise CorruptError(f"not valid UTF-8: {error.reason}", position=error.start) from error


def skip_space(text: str, at: int) -> int:
    """The first position without white space."""
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing too


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


# Numbers stay text: then no number is too long.
SCANNER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)
"""Reads values, and refuses the constants that only Python accepts."""


def _end_of(text: str, at: int) -> int:
    """The end of the value that begins at a position."""
    try:
        end: int = SCANNER.scan_once(text, at)[1]  # type: ignore[attr-defined]
    except StopIteration as error:
        raise CorruptError("not JSON: a value is expected", position=error.value) from None
    except json.JSONDecodeError as error:
        raise CorruptError(f"not JSON: {error.msg}", position=error.pos) from error
    except ValueError as error:
        raise CorruptError(f"not JSON: {error}", position=at) from error
    return end


def _document(text: str, at: int, doubts: Doubts) -> tuple[str, int]:  # noqa: ARG001 - as others
    end = _end_of(text, at)
    return text[at:end], end


def _reader(json_type: JsonType, path: str) -> Read:
    read = _OF_KIND[json_type.kind](json_type, path)

    def of_value(text: str, at: int, doubts: Doubts) -> tuple[Any, int]:
        return (None, at + 4) if text.startswith("null", at) else read(text, at, doubts)

    return of_value


def _text(_: JsonType, __: str) -> Read:
    return _document


def _refused(text: str, at: int, path: str, expected: str) -> CorruptError:
    """The error for a value of another type, or for text that is not JSON."""
    end = _end_of(text, at)
    found = text[at:end] if end - at <= _MOST_SHOWN else f"{text[at : at + _MOST_SHOWN]}.."
    return CorruptError(f"{path} is of another type", expected=expected, found=found)


def _boolean(_: JsonType, path: str) -> Read:
    def read(text: str, at: int, doubts: Doubts) -> tuple[bool, int]:  # noqa: ARG001
        if text.startswith("true", at):
            return True, at + 4
        if text.startswith("false", at):
            return False, at + 5
        raise _refused(text, at, path, "a boolean")

    return read


def _string(_: JsonType, path: str) -> Read:
    def read(text: str, at: int, doubts: Doubts) -> tuple[str, int]:  # noqa: ARG001
        if not text.startswith('"', at):
            raise _refused(text, at, path, "a string")
        return _scanned(text, at, path)

    return read


def _scanned(text: str, at: int, path: str) -> tuple[str, int]:
    try:
        value, end = scanstring(text, at + 1, True)  # noqa: FBT003 - it takes no keywords
    except json.JSONDecodeError as error:
        raise CorruptError(f"not JSON: {error.msg}", position=error.pos) from error
    if end - at - 2 != len(value) and _SURROGATE.search(value):
        raise CorruptError(f"{path} has a lone surrogate, which is not a character", position=at)
    return value, end


def _integer(_: JsonType, path: str) -> Read:
    def read(text: str, at: int, doubts: Doubts) -> tuple[int, int]:  # noqa: ARG001
        number = _NUMBER.match(text, at)
        if number is None:
            raise _refused(text, at, path, "an integer")
        whole = number[1] if number[2] is None and number[3] is None else _whole(number[0])
        if whole is None:
            raise _refused(text, at, path, "an integer")
        if len(whole) > _LONGEST_INT64 or int(whole) not in _INT64:
            raise CorruptError(f"{path} has more than 64 bits", found=number[0][:_MOST_SHOWN])
        return int(whole), number.end()

    return read


def _whole(number: str) -> str | None:
    """The digits of an integer that is written with a fraction or an exponent; None for other numbers."""
    try:
        exact = Decimal(number)
    except ArithmeticError:  # an exponent of twenty digits
        return None
    if not exact:
        return "0"
    if exact.adjusted() >= _LONGEST_INT64:
        return "9" * (_LONGEST_INT64 + 1)
    return format(exact.to_integral_value(), "f") if exact == exact.to_integral_value() else None


def _number(_: JsonType, path: str) -> Read:
    def read(text: str, at: int, doubts: Doubts) -> tuple[float, int]:
        number = _NUMBER.match(text, at)
        if number is None:
            raise _refused(text, at, path, "a number")
        value = float(number[0])
        if value - value != 0:
            raise CorruptError(f"{path} is beyond a double", found=number[0][:_MOST_SHOWN])
        if len(number[0]) > _EXACT_DIGITS and number.end() == number.end(1):
            doubts.rounded |= Decimal(value) != Decimal(number[0])
        return value, number.end()

    return read


def _array(json_type: JsonType, path: str) -> Read:
    item = _reader(json_type.inner, f"{path}[]")  # type: ignore[arg-type]  # an array has items
    width = _width(json_type.inner)

    def read(text: str, at: int, doubts: Doubts) -> tuple[list[Any], int]:
        if not text.startswith("[", at):
            raise _refused(text, at, path, "an array")
        values: list[Any] = []
        at = skip_space(text, at + 1)
        if text.startswith("]", at):
            return values, at + 1
        while True:
            _take(doubts, width, path)
            value, at = item(text, at, doubts)
            values.append(value)
            at = skip_space(text, at)
            if text.startswith("]", at):
                return values, at + 1
            at = _after(text, at, ",", "]")

    return read


def _object(json_type: JsonType, path: str) -> Read:
    items = {name: _reader(each, f"{path}.{name}") for name, each in json_type.fields.items()}

    def read(text: str, at: int, doubts: Doubts) -> tuple[dict[str, Any], int]:
        if not text.startswith("{", at):
            raise _refused(text, at, path, "an object")
        values: dict[str, Any] = {}
        at = skip_space(text, at + 1)
        if text.startswith("}", at):
            return values, at + 1
        while True:
            name, at = _name(text, at)
            item = items.get(name)
            if item is None:
                at = _end_of(text, at)
                doubts.has_unknown = True
                if len(doubts.unknown) < _NAMES:
                    doubts.unknown[f"{path}.{name}".removeprefix("$.")] = None
            else:
                values[name], at = item(text, at, doubts)
            at = skip_space(text, at)
            if text.startswith("}", at):
                return values, at + 1
            at = _after(text, at, ",", "}")

    return read


def _map(json_type: JsonType, path: str) -> Read:
    item = _reader(json_type.inner, f"{path}[]")  # type: ignore[arg-type]  # a map has values
    width = _width(json_type.inner)

    def read(text: str, at: int, doubts: Doubts) -> tuple[list[tuple[str, Any]], int]:
        if not text.startswith("{", at):
            raise _refused(text, at, path, "an object")
        values: dict[str, Any] = {}
        at = skip_space(text, at + 1)
        if text.startswith("}", at):
            return [], at + 1
        while True:
            _take(doubts, width, path)
            name, at = _name(text, at)
            if _SURROGATE.search(name):
                raise CorruptError(f"a name in {path} has a lone surrogate, which is not a character", position=at)
            values[name], at = item(text, at, doubts)
            at = skip_space(text, at)
            if text.startswith("}", at):
                return list(values.items()), at + 1
            at = _after(text, at, ",", "}")

    return read


def _name(text: str, at: int) -> tuple[str, int]:
    """The name of a member, and the position of its value."""
    if not text.startswith('"', at):
        raise CorruptError("not JSON: a name in double quotes is expected", position=at)
    try:
        name, at = scanstring(text, at + 1, True)  # noqa: FBT003 - it takes no keywords
    except json.JSONDecodeError as error:
        raise CorruptError(f"not JSON: {error.msg}", position=error.pos) from error
    return name, _after(text, skip_space(text, at), ":")


def _after(text: str, at: int, expected: str, other: str = "") -> int:
    if not text.startswith(expected, at):
        raise CorruptError(f"not JSON: {' or '.join(filter(None, (expected, other)))} is expected", position=at)
    return skip_space(text, at + 1)


def _width(json_type: JsonType | None) -> int:
    """Number of columns that a value of a type fills, even if all its fields are absent."""
    return 1 if json_type is None else 1 + sum(map(_width, json_type.fields.values()))


def _take(doubts: Doubts, fields: int, path: str) -> None:
    doubts.fields += fields
    if doubts.fields > doubts.most_fields:
        raise LimitExceededError(
            f"{path} has too many items: the value has more fields and items than max_fields_per_value",
            expected=doubts.most_fields,
            found=doubts.fields,
        )


_OF_KIND: Final[dict[str, Callable[[JsonType, str], Read]]] = {
    "null": _text,
    "text": _text,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "string": _string,
    "array": _array,
    "map": _map,
    "object": _object,
}
