"""Random pairs of Avro schemas: a writer's schema, and a reader's schema that evolved from it."""

from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any
Pair = tuple[Json, Json]

_PROMOTIONS = {
    "null": [],
    "boolean": [],
    "int": ["long", "float", "double"],
    "long": ["float", "double"],
    "float": ["double"],
    "double": [],
    "bytes": ["string"],
    "string": ["bytes"],
}
_LOGICAL: list[Json] = [
    {"type": "int", "logicalType": "date"},
    {"type": "int", "logicalType": "time-millis"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "long", "logicalType": "local-timestamp-millis"},
    {"type": "string", "logicalType": "uuid"},
    {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 5},
]
_ADDED: list[tuple[Json, Json]] = [
    ("int", -7),
    ("long", 2**40),
    ("double", 0.25),
    ("double", "-Infinity"),
    ("float", 3),
    ("string", "grün"),
    ("bytes", "\x00\xff"),
    ("boolean", True),
    (["null", "int"], None),
    (["long", "null"], 5),
    ({"type": "array", "items": "long"}, [1, 2]),
    ({"type": "map", "values": ["null", "double"]}, {"a": None}),
    ({"type": "map", "values": "string"}, {"a": "b", "c": ""}),
    (["string", "int"], "first"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}, "\x01\x00"),
]
"""Types of added fields, with their defaults."""


class RandomPairs:
    """Makes random pairs of schemas; most of them can be resolved.

    Args:
        random: source of all random choices.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = 0

    def record(self, depth: int = 3) -> Pair:
        """A pair of records, with types nested to the given depth."""
        random, name = self._random, self._name("R")
        written: list[Json] = []
        read: list[Json] = []
        for number in range(random.randrange(1, 6)):
            old, new = self._type(depth - 1)
            written.append({"name": f"f{number}", "type": old})
            if random.random() < 0.85:
                named = {"name": f"new{number}", "aliases": [f"f{number}"]} if random.random() < 0.15 else written[-1]
                read.append({**named, "type": new})
                if "aliases" in named and random.random() < 0.3:
                    # A new field has the old name.
                    read.append({"name": f"f{number}", "type": "int", "default": number})
        for number in range(random.randrange(3)):
            kind, default = random.choice(_ADDED)
            read.append({"name": f"added{number}", "type": kind, "default": default})
        if random.random() < 0.5:
            random.shuffle(read)
        made = {"type": "record", "name": name}
        return {**made, "fields": written}, {**made, "fields": read}

    def _type(self, depth: int) -> Pair:
        random = self._random
        simple: list[Callable[[], Pair]] = [self._primitive, self._primitive, self._logical, self._enum, self._fixed]
        if depth <= 0 or random.random() < 0.5:
            return random.choice(simple)()
        return random.choice([self.record, self._array, self._map, self._optional, self._optional, self._union])(depth)

    def _primitive(self) -> Pair:
        kind = self._random.choice([*_PROMOTIONS])
        return kind, self._random.choice([kind] * 3 + _PROMOTIONS[kind])

    def _logical(self) -> Pair:
        kind = self._random.choice(_LOGICAL)
        return kind, kind

    def _enum(self) -> Pair:
        random, name = self._random, self._name("E")
        symbols = [f"S{number}" for number in range(random.randrange(1, 6))]
        kept = random.sample(symbols, random.randrange(1, len(symbols) + 1))
        default = {"default": kept[0]} if random.random() < 0.7 else {}
        written = {"type": "enum", "name": name, "symbols": symbols}
        return written, {**written, "symbols": kept, **default}

    def _fixed(self) -> Pair:
        kinds: list[Json] = [{"size": 5}, {"size": 16, "logicalType": "uuid"}, {"size": 12, "logicalType": "duration"}]
        kind = {"type": "fixed", "name": self._name("F"), **self._random.choice(kinds)}
        return kind, kind

    def _array(self, depth: int) -> Pair:
        old, new = self._type(depth - 1)
        return {"type": "array", "items": old}, {"type": "array", "items": new}

    def _map(self, depth: int) -> Pair:
        old, new = self._type(depth - 1)
        return {"type": "map", "values": old}, {"type": "map", "values": new}

    def _optional(self, depth: int) -> Pair:
        old, new = self._type(depth - 1)
        if "null" in (old, new) or isinstance(old, list):
            return old, new
        written = self._random.choice([["null", old], [old, "null"], old])
        return written, self._random.choice([["null", new], [new, "null"]])

    def _union(self, depth: int) -> Pair:
        old, new = self.record(depth - 1)
        written = ["null", "string", old, "long"]
        if self._random.random() < 0.3:
            # In another namespace, next to records that may have the same structure.
            like = [{**new, "name": self._name("R"), "fields": [{"name": "f0", "type": "string", "default": ""}]}]
            spaces = [{**new, "namespace": "other"}, {**like[0], "namespace": "other"}]
            return written, ["null", *self._random.sample([*like, *spaces], 2), "string", "long"]
        if self._random.random() < 0.2:
            # Renamed, next to a new record with the old name.
            renamed = {**new, "name": self._name("R"), "aliases": [new["name"]]}
            return written, ["null", *self._random.sample([renamed, new], 2), "string", "long"]
        read = ["long", new, "null", "string", "boolean"]
        return written, self._random.choice([["null", "string", new, "long"], read, ["null", new, "double"]])

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"
