"""JSON paths: the values at `$.customer.orders[0].id` in JSON values, searched or compared.

Each step of a path is a name or a position: `.name`, `['a name']`, `[0]`, or `[*]` for all. Values that are not JSON,
and paths that do not exist in a value, do not match.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final, Literal, NoReturn, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kafkafmt.cached import cached_property
from kafkafmt.plain_values import plain_values
from kafkafmt.searching.pattern import Pattern, escaped

Operator = Literal["=", "!=", "<", "<=", ">", ">="]

_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]=!<>\s'"*]+)"""
    r"""|\[\s*(?:(?P<index>[0-9]{1,18})|(?P<all>\*)|'(?P<single>[^'\\]*)'|(?P<double>"(?:[^"\\]|\\.)*"))\s*\]"""
)
_COMPARISON = re.compile(r"\s*(?P<operator>==|=|!=|<=|<|>=|>)\s*(?P<value>.*)", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_COMPARE: Final = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_SURROGATE = re.compile("[\ud800-\udfff]")
_ALL: Final = object()
# Exponents beyond this would be written as long runs of zeros.
_MOST_DIGITS: Final = 30


@dataclass(frozen=True)
class _Number:
    """A number as written, so that it can be of any size and precision."""

    text: str


@dataclass(frozen=True)
class Comparison:
    """The comparison at the end of a path.

    Attributes:
        operator: operator of the comparison.
        text: the value to compare with; a number is compared with numbers, and all but a quoted number as text with
            strings.
        is_quoted: whether it is compared with strings only.
    """

    operator: Operator
    text: str
    is_quoted: bool = False

    def holds(self, found: object) -> bool:
        """Whether the comparison is true for a value at the path; it never is for objects and arrays."""
        if isinstance(found, (dict, list)):
            return False
        compare = _COMPARE[self.operator]
        if isinstance(found, str):
            return bool(compare(found, self.text))
        number = self._number
        if isinstance(found, _Number) and number is not None:
            try:
                return bool(compare(Decimal(found.text), number))
            except ArithmeticError:  # an exponent of twenty digits
                return self.operator == "!="
        is_same = not self.is_quoted and self.text == _text(found)
        return is_same if self.operator == "=" else self.operator == "!=" and not is_same

    @cached_property
    def literal(self) -> bytes | None:
        """Bytes in each document for which "=" holds, unless they have an escape or exponent; None if unknown."""
        if self.operator != "=" or not self.text:
            return None
        number = self._number
        if number is None:
            return None if _SURROGATE.search(self.text) else self.text.encode()
        if abs(number.adjusted()) >= _MOST_DIGITS:
            return None
        digits = format(number, "f")
        return (digits.rstrip("0").rstrip(".") if "." in digits else digits).encode()

    @cached_property
    def _number(self) -> Decimal | None:
        if self.is_quoted or _NUMBER.fullmatch(self.text) is None:
            return None
        try:
            return Decimal(self.text)
        except ArithmeticError:  # an exponent of twenty digits
            return None


@dataclass(frozen=True)
class JsonPath:
    """A path with its comparison; made by `parse`.

    Attributes:
        text: the path as written.
        steps: names, positions, or all.
        comparison: the comparison; None to search a pattern at the path.
    """

    text: str
    steps: tuple[object, ...]
    comparison: Comparison | None = None

    @classmethod
    def parse(cls, text: str) -> "JsonPath":
        """Parse a path such as `$.customer.id=4711`.

        Raises:
            ValueError: the text is not a JSON path.
        """
        if not text.startswith("$"):
            raise ValueError(f"{text!r} is not a JSON path: it begins with $, as in $.customer.id")
        steps: list[object] = []
        position = 1
        while step := _STEP.match(text, position):
            position = step.end()
            steps.append(_step(step, text))
        if position == len(text):
            return cls(text, tuple(steps))
        compared = _COMPARISON.fullmatch(text, position)
        if compared is None:
            raise ValueError(
                f"{text!r} is not a JSON path: {text[position:]!r} is not .name, ['name'], [0], [*] or a comparison"
            )
        operator: Operator = cast("Operator", compared["operator"].replace("==", "="))
        value = compared["value"].rstrip()
        is_quoted = value.startswith('"')
        if is_quoted:
            value = _string(value, text)
        return cls(text, tuple(steps), Comparison(operator, value, is_quoted))

    def found(self, document: object, *, in_texts: bool = False) -> Iterator[object]:
        """The values at the path in a document: none, one, or several.

        Args:
            document: dicts, lists, texts and numbers.
            in_texts: whether texts that are JSON are documents too.
        """
        found = [document]
        for step in self.steps:
            if in_texts:
                found = [_parsed(each) if isinstance(each, str) else each for each in found]
            found = [below for each in found for below in _below(each, step)]
            if not found:
                break
        if in_texts:
            # A string may be JSON that is again a string, so this repeats.
            found += [_parsed(each) for each in found if isinstance(each, str) and each.startswith('"')]
        return iter(found)


@dataclass(frozen=True)
class JsonMatcher:
    """Matches JSON values by the values at a path.

    Attributes:
        path: the path, with its comparison.
        pattern: pattern to search at the path if there is no comparison: in the text of strings, in numbers, true,
            false and null as written, and in everything below an object or array.
    """

    path: JsonPath
    pattern: Pattern | None = None

    @property
    def ignore_case(self) -> bool:
        """Whether the literals may be in upper or lower case; always False."""
        return False

    @cached_property
    def literals(self) -> tuple[bytes, ...]:
        """Byte strings one of which is in each matching value: the last name, or an escape that may hide it."""
        names = [step for step in self.path.steps if isinstance(step, str)]
        if not names:
            return ()
        return json.dumps(max(names, key=len), ensure_ascii=False).encode("utf-8", "replace"), b"\\"

    def matches(self, values: pa.Array) -> pa.BooleanArray:
        """Whether each value of a binary column matches; null for nulls."""
        rows = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        for needed in self._needed:
            searched = needed.matches(values.take(pa.array(rows)))
            rows = rows[searched.to_numpy(zero_copy_only=False)]
        standing = (
            (row, () if value is None else self._standing(value))
            for row, value in zip(rows.tolist(), values.take(pa.array(rows)).to_pylist(), strict=True)
        )
        return pa.array(self._match(standing, len(values)), mask=values.is_null().to_numpy(zero_copy_only=False))

    def matches_decoded(self, values: pa.Array) -> npt.NDArray[np.bool_]:
        """Whether each value of a column of any type matches, in its JSON form."""
        documents = enumerate(plain_values(values))
        return self._match(((row, self.path.found(each, in_texts=True)) for row, each in documents), len(values))

    def _match(self, standing: Iterable[tuple[int, Iterable[object]]], rows: int) -> npt.NDArray[np.bool_]:
        """Whether each row matches, by the values at the path in it."""
        found = np.zeros(rows, bool)
        texts: list[bytes] = []
        text_rows: list[int] = []
        for row, values in standing:
            for value in values:
                each = _as_number(value)
                if self.path.comparison is not None:
                    found[row] |= self.path.comparison.holds(each)
                else:
                    leaves = list(_leaves(each))
                    texts += leaves
                    text_rows += [row] * len(leaves)
        if self.pattern is not None and texts:
            searched = self.pattern.matches(pa.array(texts, pa.binary()))
            found[np.array(text_rows)[searched.to_numpy(zero_copy_only=False)]] = True
        return found

    @cached_property
    def _needed(self) -> list[Pattern]:
        """Bytes that a value must contain to be worth parsing as JSON; a backslash may hide any character."""
        needed = [Pattern("|".join(map(_quoted, self.literals)))] if self.literals else []
        literal = None if self.path.comparison is None else self.path.comparison.literal
        if literal is not None:
            needed.append(Pattern(rf"{_quoted(literal)}|\\|\d[eE][-+]?\d"))
        return needed

    def _standing(self, value: bytes) -> list[object]:
        try:
            return list(self.path.found(_document(value.decode("utf-8"))))
        except (ValueError, RecursionError):
            return []


def _document(text: str) -> object:
    return json.loads(text, parse_int=_Number, parse_float=_Number, parse_constant=_refuse)


def _parsed(text: str) -> object:
    """The document in a text, or the text if it is not JSON."""
    try:
        return _document(text)
    except (ValueError, RecursionError):
        return text


def _as_number(value: object) -> object:
    """A number as it would be written; other values unchanged."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _Number(repr(value))
    return _Number(format(value, "f")) if isinstance(value, Decimal) else value


def _quoted(literal: bytes) -> str:
    return escaped(literal.decode("utf-8"))


def _step(step: re.Match[str], text: str) -> object:
    if step["name"] is not None:
        return step["name"]
    if step["index"] is not None:
        return int(step["index"])
    if step["all"] is not None:
        return _ALL
    return step["single"] if step["single"] is not None else _string(step["double"], text)


def _string(quoted: str, text: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise ValueError(f"{text!r} is not a JSON path: {quoted} is not a JSON string") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _below(value: object, step: object) -> list[Any]:
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and step in value else []
    if isinstance(value, list):
        return value if step is _ALL else value[step : step + 1] if isinstance(step, int) else []
    return [*value.values()] if step is _ALL and isinstance(value, dict) else []


def _leaves(value: object) -> Iterator[bytes]:
    """The texts of a value that are searched."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
        else:
            yield _text(_as_number(each)).encode("utf-8", "surrogatepass")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, _Number):
        return value.text
    return {None: "null", True: "true", False: "false"}[value]  # type: ignore[index]
