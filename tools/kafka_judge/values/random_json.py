"""Random JSON Schemas with the types that they mean, and values for them; some have other types, some are damaged."""

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any

DRAFTS: Final = ("V4", "V6", "V7", "V201909", "V202012")
"""Drafts by their names in networknt's VersionFlag."""

_URIS: Final = {
    "V4": "http://json-schema.org/draft-04/schema#",
    "V6": "http://json-schema.org/draft-06/schema#",
    "V7": "http://json-schema.org/draft-07/schema#",
    "V201909": "https://json-schema.org/draft/2019-09/schema",
    "V202012": "https://json-schema.org/draft/2020-12/schema",
}
_NAMES: Final = ("a", "b", "price", "größe", "a.b", "with space", "id")
_TEXTS: Final = ("", "x", "grün", "\u2028", '"quoted"', "2026-11-28T09:00:00Z", "\U0001f600" * 3, "long " * 20)
_INTEGERS: Final = (0, -1, 7, 2**31, 2**53 + 1, -(2**63), 2**63 - 1)
_BEYOND: Final = (2**63, -(2**63) - 1, 10**30, 10**400, "half \ud83d")
"""Valid JSON that a column cannot hold."""

_NUMBERS: Final = (0.0, -0.5, 1e300, 5e-324, 12.25, 3)
_SCALARS: Final = ("string", "integer", "number", "boolean")
_ANCHORS: Final = {
    "V4": ("id", "#"),
    "V6": ("$id", "#"),
    "V7": ("$id", "#"),
    "V201909": ("$anchor", ""),
    "V202012": ("$anchor", ""),
}
"""How each draft names a schema inside another one."""

_PIECES: Final = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b" ",
        b"\t",
        b"\n",
        b"\0",
        b"0",
        b"-",
        b"+",
        b".",
        b"e9",
        b"E+1",
        b"1e999",
    ),
    *(b"null", b"true", b"NaN", b"//", b"'", b"\\", b"\\u0000", b"\\ud800", b"\\udc00", b"\\x", b'"a":1,', b'"":{},'),
    *(b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\xaf", b"\xff", b"\xc3"),
)
"""Bytes to insert into a value."""

_LARGE: Final = re.compile(rb"[eE][-+]?[0-9]{5}")
"""A number with an exponent of five digits or more."""

_ANY: Final[Json] = {}
_SILENT: Final[Json] = {"description": "a schema that says nothing of a type"}


class Meant(NamedTuple):
    """A schema, and what a column of its values accepts.

    Attributes:
        schema: the schema, with conditions that no column checks.
        taken: a schema of draft 2020-12 with only types; null is always accepted, and so is any JSON where the schema
            does not have a single type.
    """

    schema: Json
    taken: Json


class RandomSchemas:
    """Makes random schemas.

    Args:
        random: source of all random choices.
        draft: one of `DRAFTS`.
    """

    def __init__(self, random: Random, draft: str) -> None:
        self._random, self._draft = random, draft
        self._definitions = "$defs" if draft in ("V201909", "V202012") else "definitions"
        self._defined: dict[str, Json] = {}

    def schema(self) -> Meant:
        """A random schema, mostly of objects; references to the whole schema occur only inside another type."""
        made = self._random.choice([*[self._object] * 6, self._array, self._map, self._merged, self._scalar])(3)
        definitions = {self._definitions: self._defined} if self._defined else {}
        return made._replace(schema={"$schema": _URIS[self._draft], **made.schema, **definitions})

    def _any_kind(self, depth: int) -> Meant:
        kinds: list[Callable[[int], Meant]] = [self._scalar] * 4
        if depth > 0:
            kinds += [self._object, self._object, self._array, self._map, self._merged, self._referred]
            kinds += [self._nullable, self._listed, self._of_numbers, self._alternatives, self._unknown]
            kinds += [self._listed_values, self._one_value, self._conditional, self._with_reference]
            kinds += [self._alike, self._tuple]
        return self._random.choice(kinds)(depth)

    def _scalar(self, _: int) -> Meant:
        random, kind = self._random, self._random.choice(_SCALARS)
        conditions: Json = {
            "string": [
                *({"minLength": 1}, {"pattern": "^[a-z]"}, {"enum": ["x", "grün"]}, {"not": {"enum": ["x"]}}),
                *({"format": each} for each in ("date-time", "date", "uuid", "email", "ipv4", "uri")),
            ],
            "integer": [{"minimum": 0}, {"multipleOf": 7}, {"enum": [0, 7]}, {"format": "int32"}],
            "number": [{"maximum": 100}, {"multipleOf": 0.25}, {"not": {"type": "integer"}}],
            "boolean": [{"enum": [True]}],
        }[kind]
        schema = {"type": kind, **(random.choice(conditions) if random.random() < 0.3 else {})}
        if "enum" in schema and random.random() < 0.5:
            del schema["type"]
        return Meant(schema, _taken(kind))

    def _object(self, depth: int) -> Meant:
        random = self._random
        names = random.sample(_NAMES, random.randrange(1, 5))
        fields = {name: self._any_kind(depth - 1) for name in names}
        schema: Json = {"type": "object", "properties": {name: each.schema for name, each in fields.items()}}
        if random.random() < 0.4:
            schema["required"] = random.sample(names, random.randrange(1, len(names) + 1))
        if random.random() < 0.4:
            schema["additionalProperties"] = random.choice((True, False, False, {"type": "string"}))
        if random.random() < 0.2:
            schema.update(random.choice(({"minProperties": 1}, {"patternProperties": {"^z": {"type": "string"}}})))
        return Meant(schema, _taken("object", properties={name: each.taken for name, each in fields.items()}))

    def _array(self, depth: int) -> Meant:
        item = self._any_kind(depth - 1)
        more: Json = self._random.choice(({}, {}, {}, {"minItems": 1}, {"uniqueItems": True}, {"maxItems": 2}))
        return Meant({"type": "array", "items": item.schema, **more}, _taken("array", items=item.taken))

    def _map(self, depth: int) -> Meant:
        value = self._any_kind(depth - 1)
        schema = {"type": "object", "additionalProperties": value.schema}
        # Objects with values of any type are JSON text.
        return Meant(schema, _ANY if value.taken is _SILENT else _taken("object", additionalProperties=value.taken))

    def _merged(self, depth: int) -> Meant:
        """Two object schemas that each value must satisfy."""
        first, second = self._object(depth - 1), self._object(depth - 1)
        for each in (first, second):
            for name in ("additionalProperties", "patternProperties"):
                each.schema.pop(name, None)
        for name in first.schema["properties"]:
            second.schema["properties"].pop(name, None)
            second.taken["properties"].pop(name, None)
        if not second.schema["properties"]:
            return first
        properties = {**first.taken["properties"], **second.taken["properties"]}
        return Meant({"allOf": [first.schema, second.schema]}, _taken("object", properties=properties))

    def _referred(self, depth: int) -> Meant:
        made = self._any_kind(depth - 1)
        number = len(self._defined)
        self._defined[f"D/{number}"] = made.schema
        pointer = f"#/{self._definitions}/D~1{number}"
        if isinstance(made.schema, dict) and "$ref" not in made.schema and self._random.random() < 0.3:
            anchor, value = _ANCHORS[self._draft]
            made.schema[anchor] = f"{value}a{number}"
            pointer = f"#a{number}"
        return made._replace(schema={"$ref": pointer})

    def _nullable(self, depth: int) -> Meant:
        made = self._any_kind(depth - 1)
        alternatives = [{"type": "null"}, made.schema]
        self._random.shuffle(alternatives)
        return made._replace(schema={self._random.choice(("anyOf", "oneOf")): alternatives})

    def _listed(self, _: int) -> Meant:
        kind = self._random.choice(_SCALARS)
        return Meant({"type": [kind, "null"]}, _taken(kind))

    def _of_numbers(self, _: int) -> Meant:
        return Meant({"anyOf": [{"type": "integer"}, {"type": "number"}]}, _taken("number"))

    def _alternatives(self, _: int) -> Meant:
        first, second = self._random.sample(("string", "integer", "boolean"), 2)
        by_list = self._random.random() < 0.5
        return Meant({"type": [first, second]} if by_list else {"oneOf": [{"type": first}, {"type": second}]}, _ANY)

    def _unknown(self, _: int) -> Meant:
        if self._random.random() < 0.5:
            return Meant(self._random.choice([{}, {"description": "anything"}, *self._booleans]), _SILENT)
        return Meant(
            self._random.choice([{"type": "object"}, {"type": "array"}, {"$ref": "#"}, {"type": "null"}]), _ANY
        )

    def _listed_values(self, _: int) -> Meant:
        """A list of allowed values, of one type or of several."""
        kinds: list[tuple[list[Json], Json]] = [
            (["x", "grün", None], _taken("string")),
            ([0, 7], _taken("integer")),
            ([0, 12.25], _taken("number")),
            (["x", 7], _ANY),
            ([{"a": 1}, "x"], _ANY),
        ]
        values, taken = self._random.choice(kinds)
        return Meant({"enum": values}, taken)

    def _one_value(self, _: int) -> Meant:
        value, taken = self._random.choice([("x", _taken("string")), (7, _taken("integer")), ({"a": 1}, _ANY)])
        return Meant({"enum": [value]} if self._draft == "V4" else {"const": value}, taken)

    def _conditional(self, depth: int) -> Meant:
        """An object with conditions on its property names."""
        made = self._object(depth - 1)
        name, *_ = made.schema["properties"]
        if self._draft in ("V4", "V6"):
            return made._replace(schema={**made.schema, "dependencies": {name: ["id"]}})
        condition = {"if": {"required": [name]}, "then": {"maxProperties": 3}, "else": {"minProperties": 1}}
        return made._replace(schema={**made.schema, **condition})

    def _with_reference(self, depth: int) -> Meant:
        """A reference to a definition, with a condition beside it."""
        referred = self._referred(depth)
        return referred._replace(schema={"allOf": [referred.schema, {"description": "more", "not": {"enum": ["x"]}}]})

    def _alike(self, _: int) -> Meant:
        """A choice of two schemas of the same type, one with a condition."""
        kind = self._random.choice(_SCALARS)
        return Meant(
            {self._random.choice(("anyOf", "oneOf")): [{"type": kind, "enum": []}, {"type": kind}]}, _taken(kind)
        )

    def _tuple(self, depth: int) -> Meant:
        """An array whose items have a type for each position."""
        items = [self._any_kind(depth - 1).schema for _ in range(2)]
        return Meant({"type": "array", ("prefixItems" if self._draft == "V202012" else "items"): items}, _ANY)

    @property
    def _booleans(self) -> list[Json]:
        return [] if self._draft == "V4" else [True]


def _taken(kind: str, **more: Json) -> Json:
    bounds: Json = {
        "integer": {"minimum": -(2**63), "maximum": 2**63 - 1},
        "number": {"minimum": -1.7976931348623157e308, "maximum": 1.7976931348623157e308},
    }
    return {"type": [kind, "null"], **bounds.get(kind, {}), **more}


class RandomValues:
    """Makes random values that a column accepts, and some that it does not accept.

    Args:
        random: source of all random choices.
    """

    def __init__(self, random: Random) -> None:
        self._random = random

    def text(self, taken: Json) -> str:
        """JSON of a random value, with a random layout.

        Args:
            taken: what the column accepts.
        """
        self._strange = self._random.choice((0.0, 0.0, 0.05, 0.2))
        indent, ascii_only = self._random.choice((None, 1)), self._random.random() < 0.5
        return json.dumps(self._value(taken), indent=indent, ensure_ascii=ascii_only)

    def _value(self, taken: Json, depth: int = 0) -> Json:
        random = self._random
        if random.random() < self._strange or "type" not in taken:
            return self._anything(depth)
        if random.random() < 0.1:
            return None
        match taken["type"][0]:
            case "object" if "properties" in taken:
                fields = {name: self._value(each, depth + 1) for name, each in taken["properties"].items()}
                made = {name: value for name, value in fields.items() if random.random() < 0.9}
                return {**made, "other": self._anything(depth)} if random.random() < 0.1 else made
            case "object":
                names = random.sample(_NAMES, random.randrange(4))
                return {name: self._value(taken["additionalProperties"], depth + 1) for name in names}
            case "array":
                return [self._value(taken["items"], depth + 1) for _ in range(random.randrange(4))]
            case kind:
                return self._scalar(kind)

    def _scalar(self, kind: str) -> Json:
        random = self._random
        match kind:
            case "string":
                return random.choice(_TEXTS)
            case "integer":
                # 7.0 is an integer since draft 6.
                return 7.0 if random.random() < 0.1 else random.choice(_INTEGERS)
            case "number":
                return random.choice(_NUMBERS)
        return random.random() < 0.5

    def _anything(self, depth: int) -> Json:
        kind = self._random.randrange(8 if depth < 4 else 6)
        if kind < 4:
            return self._scalar(_SCALARS[kind])
        if kind == 4:
            return self._random.choice(_BEYOND)
        if kind == 5:
            return None
        some = [self._anything(depth + 1) for _ in range(self._random.randrange(3))]
        return some if kind == 6 else dict(zip(_NAMES, some, strict=False))


def damaged(random: Random, text: bytes) -> bytes:
    """The bytes of a value with one change, unless it makes a number that the validator would compute for minutes.

    Args:
        random: the source of chance.
        text: the bytes, at least one.
    """
    made = _changed(random, text)
    return text if _LARGE.search(made) else made


def _changed(random: Random, text: bytes) -> bytes:
    at = random.randrange(len(text))
    match random.randrange(5):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + bytes([random.randrange(256)]) + text[at + 1 :]
        case 2:
            return text[:at] + text[at + random.randrange(1, 4) :]
        case 3:
            return text[:at] + random.choice(_PIECES) + text[at:]
    begin = random.randrange(len(text))
    return text[:at] + text[begin : begin + random.randrange(1, 20)] + text[at:]
