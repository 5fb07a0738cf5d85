"""Redaction of single fields: their values in JSON text are replaced in place, and the text around them stays."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not have it
from typing import Final, NamedTuple

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.values.json.reading import SCANNER, skip_space

Digest = Callable[[bytes, int], bytes]
"""Returns a given number of bytes for some input, always the same for the same input."""

NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
"""A JSON number: its whole digits, its fraction with the point, its exponent."""
# 32 characters, so that each is equally likely for a byte.
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_INT32_DIGITS: Final = 10
"""Numbers with this many digits get a leading 1, so that they stay in the range of an int32 or int64."""


Paths = tuple[tuple[tuple[str, ...], str], ...]
"""For each path its remaining steps, and the path as it was given."""


class Replacement(NamedTuple):
    """A part of a text, and its replacement."""

    begin: int
    end: int
    text: str


class FieldMask:
    """Replaces the values of some fields of JSON text.

    A string becomes letters and digits, a number becomes one with as many digits, a boolean becomes true, all with the
    same length in bytes; null and empty strings stay. All values inside an object or array are replaced; a field of an
    array's items is the field of each item.

    Args:
        paths: names separated by dots.
        digest: function that makes the replacements.
        short: size in bytes below which distinct values may become equal.

    Attributes:
        paths: the paths.
        steps: the steps of each path.
        digest: function that makes the replacements.
        found: the paths that occurred in a text.
        without: for each path the number of texts without it.
        met_short: whether a replaced value was too short to stay distinct.
    """

    def __init__(self, paths: Collection[str], digest: Digest, short: int) -> None:
        self.paths = frozenset(paths)
        self.steps: Paths = tuple((tuple(path.split(".")), path) for path in sorted(self.paths))
        self.digest = digest
        self._short = short
        self.found: set[str] = set()
        self.without = Counter[str]()
        self._met: set[str] = set()
        self.met_short = False
        self._has_branches = False

    def masked(self, data: bytes, *, has_branches: bool = False) -> bytes:
        """JSON with these fields replaced.

        Args:
            data: the JSON.
            has_branches: whether it may be Avro's JSON encoding, which wraps a value of a union in an object with the
                name of its type: an object with one member that no path names is then skipped over.

        Raises:
            CorruptError: the value is not a JSON object or array in UTF-8 (or null).
            LimitExceededError: the value is nested too deeply.
        """
        try:
            text = data.decode()
            self._has_branches = has_branches
            edits = [*self._document(text)]
        except RecursionError as error:
            raise LimitExceededError("JSON is nested too deeply") from error
        except ValueError as error:
            raise CorruptError("not a JSON object") from error
        return edited(text, edits) if edits else data

    def is_whole(self, paths: Paths) -> bool:
        """Whether a path ends at a value, which then counts as found."""
        ended = [path for steps, path in paths if not steps]
        self._met.update(ended)
        return bool(ended)

    def end_value(self) -> None:
        """Count which paths the value had, and which it lacked."""
        self.found |= self._met
        self.without.update(self.paths - self._met)
        self._met = set()

    def note_size(self, size: int) -> None:
        """Note the size of a replaced value, as short values may become equal."""
        self.met_short |= size < self._short

    def letters(self, digest: bytes) -> bytes:
        """Letters and digits, one for each byte."""
        return "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest).encode()

    def _document(self, text: str) -> Iterator[Replacement]:
        begin = skip_space(text, 0)
        end = end_of(text, begin)
        if skip_space(text, end) < len(text) or not text.startswith(("{", "[", "null"), begin):
            raise ValueError(text)
        yield from self._value(text, begin, self.steps)[0]

    def _value(self, text: str, at: int, paths: Paths) -> tuple[list[Replacement], int]:
        """The replacements in a value, and the end of the value.

        Args:
            text: valid JSON.
            at: start of the value in the text.
            paths: for each path its remaining steps, none to replace the whole value, and the path as given.
        """
        if not paths:
            return [], end_of(text, at)
        is_whole = self.is_whole(paths)
        if text[at] not in "{[":
            end = end_of(text, at)
            return ([self._replaced(text, at, end)] if is_whole else []), end
        edits: list[Replacement] = []
        is_object = is_first = text[at] == "{"
        at = skip_space(text, at + 1)
        while text[at] not in "}]":
            below = paths
            if is_object:
                name, at = scanstring(text, at + 1, True)  # noqa: FBT003 - it takes no keywords
                at = skip_space(text, skip_space(text, at) + 1)
                # Everything inside a replaced value is replaced, too.
                below = tuple((steps[1:], path) for steps, path in paths if not steps or steps[0] == name)
                if is_first and self._has_branches and text[skip_space(text, end_of(text, at))] == "}":
                    below += tuple((steps, path) for steps, path in paths if steps and steps[0] != name)
                is_first = False
            inside, at = self._value(text, at, below)
            edits += inside
            at = skip_space(text, at)
            if text[at] == ",":
                at = skip_space(text, at + 1)
        return edits, at + 1

    def _replaced(self, text: str, at: int, end: int) -> Replacement:
        """The replacement of a scalar."""
        found = text[at:end]
        if found in ("null", '""'):
            return Replacement(at, end, found)
        if found.startswith('"'):
            value, _ = scanstring(text, at + 1, True)  # noqa: FBT003
            size = len(found.encode()) - 2
            self.note_size(size)
            digest = self.digest(b"text" + value.encode("utf-8", "surrogatepass"), size)
            return Replacement(at, end, f'"{self.letters(digest).decode()}"')
        if found in ("true", "false"):
            self.note_size(0)
            return Replacement(at, end, "true".ljust(len(found)))
        self.note_size(len(found))
        return Replacement(at, end, self._number(found))

    def _number(self, found: str) -> str:
        """A number with as many digits; its sign and exponent stay."""
        number = NUMBER.fullmatch(found)
        whole = number[1] if number else found
        digest = iter(self.digest(b"number" + found.encode(), len(found)))
        begin = found.index(whole)
        end = len(found) - len(number[3] or "") if number else len(found)
        made = []
        for position, letter in enumerate(found):
            digit = next(digest) % 10
            if not letter.isdigit() or position >= end or (position == begin and whole == "0"):
                made.append(letter)
            elif position == begin and len(whole) > 1:
                made.append("1" if len(whole) >= _INT32_DIGITS else str(digit % 9 + 1))
            else:
                made.append(str(digit))
        return "".join(made)


def edited(text: str, edits: Iterable[Replacement]) -> bytes:
    """A text with parts replaced, in UTF-8.

    Args:
        text: the text.
        edits: the replacements, in the order of the text.
    """
    pieces, at = [], 0
    for begin, end, replacement in edits:
        pieces += [text[at:begin], replacement]
        at = end
    return "".join([*pieces, text[at:]]).encode()


def end_of(text: str, at: int) -> int:
    """End of the value that begins at a position.

    Raises:
        ValueError: no value begins there.
    """
    try:
        end: int = SCANNER.scan_once(text, at)[1]  # type: ignore[attr-defined]
    except StopIteration as error:
        raise ValueError(text) from error
    return end


def below(paths: Paths, names: Collection[str]) -> Paths:
    """The remaining steps of some paths inside a field.

    Args:
        paths: the paths, with their remaining steps outside the field.
        names: the names of the field.
    """
    return tuple((steps[1:], path) for steps, path in paths if not steps or steps[0] in names)
