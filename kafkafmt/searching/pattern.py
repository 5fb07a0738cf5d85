r"""Pattern: a text, bytes or an RE2 expression, which Arrow matches with columns.

An expression of text matches characters in UTF-8, and skips other bytes. An expression of bytes, or with an escape such
as `\xff` that is not an ASCII character, matches bytes: each of its characters is one byte.

Batches without a string that every match contains need not be decoded. Parts of an expression that are not understood
give no such string, as a string that a match does not need would lose matches.
"""

import os
import re
import secrets
import string
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.cached import cached_property

_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|.)", re.DOTALL)
_ASCII = 0x80
_PLAIN = frozenset(string.ascii_letters + string.digits)

_NAMED_GROUP = re.compile(r"P?<\w+>")
_REPEAT = re.compile(r"\{\d+(?:,\d*)?\}")
# ASCII letters with only ASCII case variants: k and s also match the Kelvin sign and the long s.
_OF_ASCII = re.compile("[\x00-JL-RT-jl-rt-\x7f]+")
_CLASSES_AND_PLACES = "dDwWsSbBAzC"
_CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
# Bounds the nesting of groups, and the number of strings that are searched at once.
_MOST = 64


class Matcher(Protocol):
    """Decides which values match."""

    @property
    def literals(self) -> tuple[bytes, ...]:
        """Byte strings one of which is in each matching value; none if unknown."""

    @property
    def ignore_case(self) -> bool:
        """Whether the literals may be in upper or lower case."""

    def matches(self, values: pa.Array) -> pa.BooleanArray:
        """Whether each value of a binary column matches; null for nulls."""


@dataclass(frozen=True)
class Pattern:
    r"""A fixed string or a regular expression.

    Attributes:
        text: the string or expression; bytes are an expression of bytes.
        fixed: whether it is a string, without characters of special meaning.
        ignore_case: whether upper and lower case are the same, in all scripts.

    Raises:
        ValueError: the text is not an RE2 expression; or it is an expression of bytes with letters outside ASCII, or
            with `ignore_case`.
    """

    text: str | bytes
    fixed: bool = False
    ignore_case: bool = False

    def __post_init__(self) -> None:
        if self._is_of_bytes:
            if self.ignore_case and not self._is_ascii:
                raise ValueError("bytes have no upper and lower case, so case cannot be ignored")
            if not self.fixed and isinstance(self.text, str) and not self.text.isascii():
                raise ValueError(
                    "an expression with bytes such as \\xff has no letters beyond ASCII: write their bytes"
                )
        try:
            self.matches(pa.array([b""]))
        except pa.ArrowInvalid as error:
            reason = str(error).partition("Invalid regular expression: ")[2] or error
            raise ValueError(f"{str(self)!r} is not a regular expression: {reason}") from None

    @cached_property
    def literals(self) -> tuple[bytes, ...]:
        """Byte strings one of which is in each match; none if unknown."""
        if self.fixed:
            data = self._data
            if self.ignore_case:
                data = longest_of_ascii(data.decode("utf-8", "surrogateescape")).encode()
            literals: tuple[bytes, ...] = (data,) if data else ()
        else:
            encoding = "utf-8" if isinstance(self.text, str) else "latin-1"
            text = self.text if isinstance(self.text, str) else self.text.decode(encoding)
            found = required_literals(text, ignore_case=self.ignore_case)
            literals = tuple(sorted(each.encode(encoding, "surrogateescape") for each in found))
        return literals

    def matches(self, values: pa.Array) -> pa.BooleanArray:
        """Whether each value of a binary column matches; null for nulls."""
        return pc.match_substring_regex(self._typed(values), self._expression, ignore_case=self.ignore_case)

    def spans(self, data: bytes) -> list[tuple[int, int]]:
        """Start and end of each match, from left to right, without empty matches."""
        mark = secrets.token_hex(8).encode()
        while mark in data:
            mark = secrets.token_hex(8).encode()
        expression: str | bytes = self._expression
        if self.ignore_case:
            expression = b"(?i)" + expression if isinstance(expression, bytes) else f"(?i){expression}"
        marked = pc.replace_substring_regex(
            self._typed(pa.array([data], pa.binary())), pattern=expression, replacement=mark + b"\\0" + mark
        )
        found = []
        position = 0
        for number, piece in enumerate(marked.view(pa.binary())[0].as_py().split(mark)):
            if number % 2 and piece:
                found.append((position, position + len(piece)))
            position += len(piece)
        return found

    @property
    def needle(self) -> bytes | None:
        """The only bytes that can match; None if matches can differ."""
        return self._data if self.fixed and not self.ignore_case else None

    def __str__(self) -> str:
        if isinstance(self.text, str):
            return self.text
        return f"hex:{self.text.hex()}"

    @cached_property
    def _data(self) -> bytes:
        return self.text if isinstance(self.text, bytes) else os.fsencode(self.text)

    @cached_property
    def _is_ascii(self) -> bool:
        return self._data.isascii() and not _bytes_named(self._data.decode("latin-1"))

    @cached_property
    def _is_of_bytes(self) -> bool:
        """Whether each character of the expression is a byte."""
        if self.fixed:
            return isinstance(self.text, bytes) or not self.ignore_case or not _is_unicode(self.text)
        return isinstance(self.text, bytes) or not _is_unicode(self.text) or _bytes_named(self.text)

    @cached_property
    def _expression(self) -> str | bytes:
        if not self.fixed:
            return self._data if self._is_of_bytes else self.text
        if self._is_of_bytes:
            return b"".join(b"%c" % byte if chr(byte) in _PLAIN else b"\\x%02x" % byte for byte in self._data)
        return escaped(str(self.text))

    def _typed(self, values: pa.Array) -> pa.Array:
        """The same bytes with the Arrow type of the expression's encoding; nothing is checked or copied."""
        wanted = pa.binary() if self._is_of_bytes else pa.string()
        return values if values.type == wanted else values.view(wanted)


def escaped(text: str) -> str:
    """The expression that matches exactly a text; RE2 always accepts it, unlike that of `re.escape`."""
    return "".join(each if each in _PLAIN or not each.isascii() else f"\\x{ord(each):02x}" for each in text)


def _bytes_named(expression: str) -> bool:
    return any(found[1] and int(found[1], 16) >= _ASCII for found in _ESCAPE.finditer(expression))


def _is_unicode(text: str | bytes) -> bool:
    """Whether a text can be encoded; a shell's arguments that are not UTF-8 cannot."""
    return isinstance(text, str) and not any("\ud800" <= character <= "\udfff" for character in text)


class _NotUnderstoodError(Exception):
    pass


def required_literals(expression: str, *, ignore_case: bool = False) -> frozenset[str]:
    """Strings one of which is in each match; none if unknown.

    Args:
        expression: a regular expression of RE2.
        ignore_case: whether upper and lower case are the same, also in the result.
    """
    try:
        parser = _Parser(expression)
        found = parser.alternation(0)
        if parser.position < len(expression):
            return frozenset()
    except (_NotUnderstoodError, IndexError):
        return frozenset()
    if found and ignore_case:
        found = frozenset(map(longest_of_ascii, found))
    return frozenset() if not found or "" in found or len(found) > _MOST else found


def longest_of_ascii(text: str) -> str:
    """The longest part of a text whose letters have only ASCII case variants; "" if there is none."""
    return max(_OF_ASCII.findall(text), key=len, default="")


class _Parser:
    """Reads an expression from left to right; each part gives strings one of which it contains, or None."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self.position = 0

    def alternation(self, depth: int) -> frozenset[str] | None:
        if depth > _MOST:
            raise _NotUnderstoodError
        branches = [self._sequence(depth)]
        while self._take("|"):
            branches.append(self._sequence(depth))
        return None if None in branches else frozenset().union(*(each for each in branches if each))

    def _sequence(self, depth: int) -> frozenset[str] | None:
        best: frozenset[str] | None = None
        run = ""
        while self.position < len(self._expression) and self._expression[self.position] not in "|)":
            item = self._item(depth)
            quantifier = self._quantifier()
            if quantifier == "?":
                item = None
            if isinstance(item, str):
                run += item
            if not isinstance(item, str) or quantifier:
                best = _better(best, frozenset({run}) if run else None)
                run = ""
            if isinstance(item, frozenset):
                best = _better(best, item)
        return _better(best, frozenset({run}) if run else None)

    def _item(self, depth: int) -> frozenset[str] | str | None:
        """One part: a character, the alternatives of a group, or None."""
        character = self._next()
        if character == "(":
            if self._take("?") and not self._take(":"):
                named = _NAMED_GROUP.match(self._expression, self.position)
                if named is None:
                    raise _NotUnderstoodError  # flags
                self.position = named.end()
            inner = self.alternation(depth + 1)
            if not self._take(")"):
                raise _NotUnderstoodError
            return inner
        if character == "[":
            self._class()
            return None
        if character == "\\":
            return self._escape()
        if character in "*+?{":
            raise _NotUnderstoodError
        return None if character in ".^$" else character

    def _escape(self) -> str | None:
        character = self._next()
        if character in _CLASSES_AND_PLACES:
            return None
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character.isalnum() or not character.isascii():
            raise _NotUnderstoodError
        return character

    def _class(self) -> None:
        """Skip a class of characters."""
        self._take("^")
        self._take("]")
        while not self._take("]"):
            if self._expression.startswith("[:", self.position):
                self.position = (
                    self._expression.index(":]", self.position) + 2 if ":]" in self._rest else len(self._expression)
                )
            elif self._next() == "\\":
                self._next()

    def _quantifier(self) -> str:
        """A repetition: "" for none, "+" for at least once, "?" for optional."""
        repeat = _REPEAT.match(self._expression, self.position)
        found = ""
        if repeat is not None:
            self.position = repeat.end()
            found = "?"
        else:
            for each in "+*?":
                if self._take(each):
                    found = "+" if each == "+" else "?"
                    break
        if found:
            self._take("?")
        return found

    @property
    def _rest(self) -> str:
        return self._expression[self.position :]

    def _next(self) -> str:
        character = self._expression[self.position]
        self.position += 1
        return character

    def _take(self, character: str) -> bool:
        is_there = self._expression.startswith(character, self.position)
        self.position += is_there
        return is_there


def _better(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """The one of two sets whose shortest string is longer."""
    known = [each for each in (one, other) if each]
    return max(known, key=lambda each: min(map(len, each)), default=None)
