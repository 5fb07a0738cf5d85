"""Redaction of fields in Avro's JSON encoding, in place, so that the same schema still reads the values.

The rules are those of the binary encoding (`avro_redaction`). A replacement that is shorter than the original text,
such as another symbol of an enum or a number with fewer digits, is padded with spaces.
"""

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not have it
from typing import Final

from kafkafmt.errors import CorruptError, LimitExceededError
from kafkafmt.repairing.avro_redaction import Names, same_form
from kafkafmt.repairing.field_redaction import NUMBER, FieldMask, Paths, Replacement, below, edited, end_of
from kafkafmt.repairing.like_numbers import smaller_digits
from kafkafmt.values.avro.schema import Node
from kafkafmt.values.json.reading import skip_space

_NUMBERS: Final = ("int", "long", "float", "double")
_MOST_DIGITS: Final = 4000
_UUID_CHARACTERS: Final = 36

_CHARACTER: Final = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_ESCAPES: Final = {8: r"\b", 9: r"\t", 10: r"\n", 12: r"\f", 13: r"\r", 34: r"\"", 47: r"\/", 92: r"\\"}
_ASCII: Final = [code for code in range(32, 128) if chr(code) not in '"\\']
_LATIN: Final = range(128, 256)
"""Characters that take two bytes in UTF-8."""


def masked_avro_json(mask: FieldMask, node: Node, data: bytes, names: Names) -> bytes:
    """A value in Avro's JSON encoding with some fields replaced.

    Args:
        mask: the fields to replace; it records which of them occur.
        node: schema that the value was written with.
        data: the value; `binary_of_json` must accept it.
        names: other names of its fields, which paths may use, too.

    Raises:
        CorruptError: a member is not in the schema, or occurs twice; or the value has no fields.
        LimitExceededError: the value is nested too deeply, or has a number with too many digits.
    """
    text = data.decode()
    walk = _Walk(mask, text, names)
    try:
        walk.value(node, skip_space(text, 0), mask.steps, is_inside=False)
    except RecursionError as error:
        raise LimitExceededError("a value is nested too deeply") from error
    return edited(text, walk.edits)


class _Walk:
    def __init__(self, mask: FieldMask, text: str, names: Names) -> None:
        self._mask = mask
        self._text = text
        self._names = names
        self.edits: list[Replacement] = []

    def value(self, node: Node, at: int, paths: Paths, *, is_inside: bool = True) -> int:
        """Walk over a value, and replace it if a path ends here; returns where the value ends.

        Args:
            node: schema of the value.
            at: start of the value in the text.
            paths: for each path its remaining steps, empty to replace the whole value, and the path as given.
            is_inside: whether the value is inside another one.
        """
        is_whole = self._mask.is_whole(paths)
        if node.type == "union":
            return self._union(node, at, paths, is_inside=is_inside)
        if node.type == "record":
            fields = {each.name: each.type for each in node.fields}
            return self._members(
                at,
                lambda name, begin: self.value(
                    self._known(fields, name), begin, below(paths, self._names.get(name, (name,)))
                ),
            )
        if node.type == "map":
            return self._members(at, lambda name, begin: self.value(node.inner[0], begin, below(paths, (name,))))
        if node.type == "array":
            return self._items(at, lambda begin: self.value(node.inner[0], begin, paths))
        if not is_inside and node.type != "null":
            raise CorruptError(f"the value is a {node.type}, which has no fields")
        end = end_of(self._text, at)
        found = self._text[at:end]
        if is_whole and found not in ("null", '""'):
            made = self._leaf(node, found)
            self.edits.append(Replacement(at, end, made + " " * (len(found.encode()) - len(made.encode()))))
        return end

    def _union(self, union: Node, at: int, paths: Paths, *, is_inside: bool) -> int:
        if self._text[at] != "{":  # null
            return end_of(self._text, at)
        branches = {each.branch_name: each for each in union.inner}
        return self._members(
            at, lambda name, begin: self.value(self._known(branches, name), begin, paths, is_inside=is_inside)
        )

    def _members(self, at: int, inside: Callable[[str, int], int]) -> int:
        """Walk over an object; returns where it ends.

        Args:
            at: start of the object in the text.
            inside: function that walks over the value of a name, given where it begins, and returns where it ends.
        """
        seen: set[str] = set()
        at = skip_space(self._text, at + 1)
        while self._text[at] != "}":
            name, at = scanstring(self._text, at + 1, True)  # noqa: FBT003 - it takes no keywords
            if name in seen:  # readers take one of the two, and only that one is known to be in the schema
                raise CorruptError("a member comes twice", found=name)
            seen.add(name)
            at = self._next(inside(name, skip_space(self._text, skip_space(self._text, at) + 1)))
        return at + 1

    def _items(self, at: int, inside: Callable[[int], int]) -> int:
        at = skip_space(self._text, at + 1)
        while self._text[at] != "]":
            at = self._next(inside(at))
        return at + 1

    def _next(self, at: int) -> int:
        """Start of the next member after a value, or end of the object or array."""
        at = skip_space(self._text, at)
        return skip_space(self._text, at + 1) if self._text[at] == "," else at

    def _leaf(self, node: Node, found: str) -> str:
        """The replacement of a value without inner values; it may be shorter."""
        kind = node.type
        if kind == "boolean":
            self._mask.note_size(0)
            return "true"
        if kind in _NUMBERS:
            return self._number(kind, found)
        value, _ = scanstring(found, 1, True)  # noqa: FBT003 - it takes no keywords
        if kind in ("bytes", "fixed"):
            return self._bytes(node, found, value.encode("latin-1"))
        size = len(found.encode()) - 2
        digest = self._mask.digest(kind.encode() + value.encode(), size)
        if kind == "enum":
            self._mask.note_size(0)
            symbols = [each for each in map(json.dumps, node.symbols) if len(each) <= size + 2] or [found]
            return symbols[int.from_bytes(digest, "little") % len(symbols)]
        self._mask.note_size(size)
        is_uuid = node.logical == "uuid" and size == len(value) == _UUID_CHARACTERS
        made = same_form(value.encode(), digest) if is_uuid else self._mask.letters(digest)
        # Characters of several bytes are replaced by as many letters.
        return f'"{made.decode()}"'

    def _number(self, kind: str, found: str) -> str:
        number = NUMBER.fullmatch(found)
        if number is None:  # "NaN", "Infinity"
            return found
        if len(found) > _MOST_DIGITS:
            raise LimitExceededError("a number has too many digits", expected=_MOST_DIGITS, found=len(found))
        self._mask.note_size(len(found))
        digest = self._mask.digest(kind.encode() + found.encode(), len(found))
        sign, fraction = found[: number.start(1)], (number[2] or "")[1:]
        made = smaller_digits(number[1] + fraction, digest, is_negative=bool(sign))
        whole, part = made[: len(number[1])], made[len(number[1]) :]
        return f"{sign}{whole.lstrip('0') or '0'}{'.' if part else ''}{part}{number[3] or ''}"

    def _bytes(self, node: Node, found: str, codes: bytes) -> str:
        """Other bytes, each written in the same way; those of a decimal do not make a larger number."""
        written = _CHARACTER.findall(found[1:-1])
        self._mask.note_size(len(codes))
        is_negative = codes[:1] >= b"\x80"
        digest = self._mask.digest(node.type.encode() + codes, len(codes))
        made = []
        for each, code, chance in zip(written, codes, digest, strict=True):
            alike = _codes_like(each, code)
            if node.logical == "decimal":
                # A two's complement number is nearer to 0 if each byte is nearer to the byte of the sign.
                alike = [other for other in alike if (other >= code if is_negative else other <= code)]
            made.append(_as_written(each, alike[chance % len(alike)]))
        return f'"{"".join(made)}"'

    def _known(self, nodes: dict[str, Node], name: str) -> Node:
        if name not in nodes:
            raise CorruptError("a member is not of the schema", found=name)
        return nodes[name]


def _codes_like(written: str, code: int) -> list[int]:
    """Bytes that can be written like one: escaped by number or letter, or as a character of the same length."""
    if len(written) > 2:
        return [*range(256)]
    if written.startswith("\\"):
        return [*_ESCAPES]
    return [*_LATIN] if code in _LATIN else _ASCII


def _as_written(before: str, code: int) -> str:
    if len(before) > 2:
        return f"\\u{code:04x}"
    return _ESCAPES[code] if before.startswith("\\") else chr(code)
