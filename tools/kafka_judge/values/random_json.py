"""Random JSON Schemas with the types that they mean, and values of them, some of which are of other types."""

import json
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any

DRAFTS: Final = ("V4", "V6", "V7", "V201909", "V202012")
"""As networknt's VersionFlag names them."""

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
_BEYOND: Final = (2**63, -(2**63) - 1, 10**30)
_NUMBERS: Final = (0.0, -0.5, 1e300, 5e-324, 12.25, 3)
_SCALARS: Final = ("string", "integer", "number", "boolean")
_ANY: Final[Json] = {}
_SILENT: Final[Json] = {"description": "a schema that says nothing of a type"}


class Meant(NamedTuple):
    """A schema, and what a column of its values takes.

    Attributes:
        schema: with conditions that no column has.
        taken: a schema of draft 2020-12 with nothing but types; null is always taken, and any JSON where the schema has
            no one type.
    """

    schema: Json
    taken: Json


class RandomSchemas:
    """Makes schemas.

    Args:
        random: the source of chance.
        draft: one of `DRAFTS`.
    """

    def __init__(self, random: Random, draft: str) -> None:
        self._random, self._draft = random, draft
        self._definitions = "$defs" if draft in ("V201909", "V202012") else "definitions"
        self._defined: dict[str, Json] = {}

    def schema(self) -> Meant:
        """A schema of objects, most of the time; what refers to all of it is inside of another type."""
        made = self._random.choice([*[self._object] * 6, self._array, self._map, self._merged, self._scalar])(3)
        definitions = {self._definitions: self._defined} if self._defined else {}
        return made._replace(schema={"$schema": _URIS[self._draft], **made.schema, **definitions})

    def _any_kind(self, depth: int) -> Meant:
        kinds: list[Callable[[int], Meant]] = [self._scalar] * 4
        if depth > 0:
            kinds += [self._object, self._object, self._array, self._map, self._merged, self._referred]
            kinds += [self._nullable, self._listed, self._of_numbers, self._alternatives, self._unknown]
        return self._random.choice(kinds)(depth)

    def _scalar(self, _: int) -> Meant:
        random, kind = self._random, self._random.choice(_SCALARS)
        conditions: Json = {
            "string": [{"minLength": 1}, {"pattern": "^[a-z]"}, {"enum": ["x", "grün"]}, {"format": "date-time"}],
            "integer": [{"minimum": 0}, {"multipleOf": 7}, {"enum": [0, 7]}],
            "number": [{"maximum": 100}, {"multipleOf": 0.25}],
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
            schema["additionalProperties"] = random.random() < 0.3
        return Meant(schema, _taken("object", properties={name: each.taken for name, each in fields.items()}))

    def _array(self, depth: int) -> Meant:
        item = self._any_kind(depth - 1)
        more = {"minItems": 1} if self._random.random() < 0.3 else {}
        return Meant({"type": "array", "items": item.schema, **more}, _taken("array", items=item.taken))

    def _map(self, depth: int) -> Meant:
        value = self._any_kind(depth - 1)
        schema = {"type": "object", "additionalProperties": value.schema}
        # Objects of anything are JSON text.
        return Meant(schema, _ANY if value.taken is _SILENT else _taken("object", additionalProperties=value.taken))

    def _merged(self, depth: int) -> Meant:
        """Two objects of which a value is both."""
        first, second = self._object(depth - 1), self._object(depth - 1)
        for each in (first, second):
            each.schema.pop("additionalProperties", None)
        for name in first.schema["properties"]:
            second.schema["properties"].pop(name, None)
            second.taken["properties"].pop(name, None)
        if not second.schema["properties"]:
            return first
        properties = {**first.taken["properties"], **second.taken["properties"]}
        return Meant({"allOf": [first.schema, second.schema]}, _taken("object", properties=properties))

    def _referred(self, depth: int) -> Meant:
        made = self._any_kind(depth - 1)
        name = f"D/{len(self._defined)}"
        self._defined[name] = made.schema
        return made._replace(schema={"$ref": f"#/{self._definitions}/D~1{len(self._defined) - 1}"})

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
            return Meant(self._random.choice([{}, {"description": "anything"}]), _SILENT)
        return Meant(self._random.choice([{"type": "object"}, {"$ref": "#"}]), _ANY)


def _taken(kind: str, **more: Json) -> Json:
    bounds: Json = {
        "integer": {"minimum": -(2**63), "maximum": 2**63 - 1},
        "number": {"minimum": -1.7976931348623157e308, "maximum": 1.7976931348623157e308},
    }
    return {"type": [kind, "null"], **bounds.get(kind, {}), **more}


class RandomValues:
    """Makes values of what a column takes, and some that it does not take.

    Args:
        random: the source of chance.
    """

    def __init__(self, random: Random) -> None:
        self._random = random

    def text(self, taken: Json) -> str:
        """JSON, in one of the ways to write it.

        Args:
            taken: what a column takes.
        """
        self._strange = self._random.choice((0.0, 0.0, 0.05, 0.2))
        indent, ascii_only = self._random.choice((None, 1)), self._random.random() < 0.5
        return json.dumps(self._value(taken), indent=indent, ensure_ascii=ascii_only).replace("\n", "  ")

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
                # 7.0 is an integer from draft 6 on.
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
