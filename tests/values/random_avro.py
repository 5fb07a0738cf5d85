"""Random Avro schemas, evolved versions of them, and values encoded as by a writer."""

import struct
from random import Random
from typing import TYPE_CHECKING, Any

from kafkafmt.values.avro.schema import Node

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any

LOGICAL = {
    "int": ["date", "time-millis"],
    "long": [
        "time-micros",
        "timestamp-millis",
        "timestamp-micros",
        "timestamp-nanos",
        "local-timestamp-millis",
        "local-timestamp-micros",
        "local-timestamp-nanos",
    ],
    "string": ["uuid"],
}
SIMPLE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
WIDER = {
    "int": ["long", "float", "double"],
    "long": ["float", "double"],
    "float": ["double"],
    "string": ["bytes"],
    "bytes": ["string"],
}
TEXTS = ("", "a", "seven77", "eight888", "a text of more than thirty-two bytes, to be copied", "grün", "日本語", "🐟")


class Schemas:
    """Makes schemas.

    Args:
        random: the random generator.
        flat: probability that a field has a simple type.
    """

    def __init__(self, random: Random, flat: float = 0.6) -> None:
        self._random, self._flat = random, flat
        self._names = 0

    def record(self, depth: int = 3) -> Json:
        """A record with types nested to a depth."""
        fields = [
            {"name": f"f{number}", "type": self.type(depth - 1)} for number in range(self._random.randrange(1, 7))
        ]
        return {"type": "record", "name": self._name("R"), "fields": fields}

    def type(self, depth: int) -> Json:
        """Any type."""
        random = self._random
        if depth <= 0 or random.random() < self._flat:
            return self._leaf()
        match random.randrange(8):
            case 0:
                return self.record(depth)
            case 1:
                return {"type": "array", "items": self.type(depth - 1)}
            case 2:
                return {"type": "map", "values": self.type(depth - 1)}
            case 3 if random.random() < 0.3:
                return ["null", "string", self.record(depth - 1), "long"][random.randrange(2) :]
            case _:
                inner = self.type(depth - 1)
                if inner == "null" or isinstance(inner, list):
                    return inner
                return random.choice([["null", inner], [inner, "null"], [inner]])

    def _leaf(self) -> Json:
        random = self._random
        kind = random.choice([*SIMPLE, "enum", "fixed", "decimal", "decimal", "duration", "uuid"])
        if kind == "enum":
            symbols = [f"S{number}" for number in range(random.randrange(1, 6))]
            return {"type": "enum", "name": self._name("E"), "symbols": symbols}
        if kind == "fixed":
            return {"type": "fixed", "name": self._name("F"), "size": random.choice([1, 2, 8, 17, 40])}
        if kind in ("duration", "uuid"):
            size = {"duration": 12, "uuid": 16}[kind]
            return {"type": "fixed", "name": self._name("F"), "size": size, "logicalType": kind}
        if kind == "decimal":
            precision = random.choice([1, 4, 9, 18, 19, 37, 38, 39, 60, 76])
            logical = {"logicalType": "decimal", "precision": precision, "scale": random.randrange(precision + 1)}
            if random.random() < 0.5:
                return {"type": "bytes", **logical}
            return {"type": "fixed", "name": self._name("F"), "size": random.choice([33, 40]), **logical}
        if kind in LOGICAL and random.random() < 0.5:
            return {"type": kind, "logicalType": random.choice(LOGICAL[kind])}
        return kind

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def grown(self, schema: Json) -> Json:
        """An evolved version of a schema, to which values can often be resolved."""
        random = self._random
        if isinstance(schema, list):
            if random.random() < 0.3:
                return [*reversed(schema)]
            return [self.grown(each) for each in schema] if random.random() < 0.5 else schema
        if isinstance(schema, str):
            if schema in WIDER and random.random() < 0.4:
                schema = random.choice(WIDER[schema])
            return ["null", schema] if schema != "null" and random.random() < 0.2 else schema
        made = dict(schema)
        if made["type"] == "record":
            made["fields"] = self._grown_fields(made["fields"])
        elif made["type"] in ("array", "map"):
            inner = "items" if made["type"] == "array" else "values"
            made[inner] = self.grown(made[inner])
        elif made["type"] == "enum" and random.random() < 0.5:
            made["symbols"] = [*random.sample(made["symbols"], random.randrange(1, len(made["symbols"]) + 1)), "NEW"]
            if random.random() < 0.7:
                made["default"] = "NEW"
        elif made["type"] in WIDER and random.random() < 0.3:
            return random.choice(WIDER[made["type"]])
        return made

    def _grown_fields(self, fields: list[Json]) -> list[Json]:
        random = self._random
        kept = [{**each, "type": self.grown(each["type"])} for each in fields if random.random() < 0.85]
        for each in kept:
            if random.random() < 0.15:
                each["aliases"], each["name"] = [each["name"]], f"renamed_{each['name']}"
        for number in range(random.randrange(3)):
            kind = self.type(1)
            default = self.default(kind)
            kept.append({"name": f"added{number}", "type": kind, "default": default})
        if random.random() < 0.5:
            random.shuffle(kept)
        return kept

    def default(self, schema: Json) -> Json:
        """A default of a type."""
        random = self._random
        if isinstance(schema, list):
            return self.default(schema[0])
        kind = schema if isinstance(schema, str) else schema["type"]
        makers: dict[str, Callable[[], Json]] = {
            "null": lambda: None,
            "boolean": lambda: random.random() < 0.5,
            "int": lambda: random.choice([0, -1, 2**31 - 1]),
            "long": lambda: random.choice([0, -(2**63), 77]),
            "float": lambda: random.choice([0.5, "NaN", 1e10]),
            "double": lambda: random.choice([0.1, "-Infinity", -2]),
            "bytes": lambda: random.choice(["\x01", "\x00\xff", "abc"]),
            "string": lambda: random.choice(TEXTS),
            "enum": lambda: schema["symbols"][0],
            "fixed": lambda: "\x00" * (schema["size"] - 1) + "\x05",
            "array": lambda: [self.default(schema["items"]) for _ in range(random.randrange(3))],
            "map": lambda: {f"k{n}": self.default(schema["values"]) for n in range(random.randrange(3))},
            "record": lambda: {each["name"]: self.default(each["type"]) for each in schema["fields"]},
        }
        made: Json = makers[kind]()
        return made


class Values:
    """Generates encoded values.

    Args:
        random: the random generator.
        odd: probability of a value that readers reject or rarely see.
    """

    def __init__(self, random: Random, odd: float = 0.01) -> None:
        self._random, self._odd = random, odd

    def bytes_of(self, node: Node, depth: int = 0) -> bytes:
        """A value of a type."""
        random = self._random
        is_odd = random.random() < self._odd
        match node.type:
            case "null":
                return b""
            case "boolean":
                return bytes([2 if is_odd else random.randrange(2)])
            case "int":
                return varint(random.choice([0, 1, -1, random.randrange(-(2**31), 2**31), 2**31 - 1, -(2**31)]))
            case "long":
                return varint(random.choice([0, 1, -1, random.randrange(-(2**63), 2**63), 2**63 - 1, -(2**63)]))
            case "float":
                return struct.pack("<f", random.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), random.random()]))
            case "double":
                return struct.pack("<d", random.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), random.random()]))
            case "string":
                data = random.choice(TEXTS).encode() if random.random() < 0.7 else b"x" * random.randrange(100)
                data += random.choice([b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x82"]) if is_odd else b""
                return varint(len(data)) + data
            case "bytes" | "fixed":
                return self._bytes(node, is_odd=is_odd)
            case "enum":
                return varint(random.randrange(len(node.symbols) + is_odd))
            case "union":
                index = random.randrange(len(node.inner))
                if depth > 6 and any(each.type == "null" for each in node.inner):
                    index = next(number for number, each in enumerate(node.inner) if each.type == "null")
                return varint(index) + self.bytes_of(node.inner[index], depth + 1)
            case "record":
                return b"".join(self.bytes_of(each.type, depth + 1) for each in node.fields)
        return self._items(node, depth)

    def _bytes(self, node: Node, *, is_odd: bool) -> bytes:
        random = self._random
        if node.logical == "decimal":
            most = 10**node.precision - 1
            number = random.choice([0, 1, -1, most, -most, random.randrange(-most, most + 1)])
            if is_odd:
                number = random.choice([most + 1, -most - 1])
            size: int = node.size or number.bit_length() // 8 + 1 + random.randrange(3)
            data: bytes = number.to_bytes(max(size, number.bit_length() // 8 + 1), "big", signed=True)
            data = b"" if is_odd and not node.size and random.random() < 0.3 else data
        else:
            data = random.randbytes(node.size if node.type == "fixed" else random.randrange(40))
        return data[: node.size] if node.type == "fixed" else varint(len(data)) + data

    def _items(self, node: Node, depth: int) -> bytes:
        random = self._random
        parts = []
        for _ in range(random.choice([0, 1, 1, 2])):
            count = random.randrange(1, 5)
            items = []
            for number in range(count):
                name = b""
                if node.type == "map":
                    key = f"key {0 if random.random() < self._odd else random.randrange(10**6)} {number}".encode()
                    name = varint(len(key)) + key
                items.append(name + self.bytes_of(node.inner[0], depth + 1))
            data = b"".join(items)
            parts.append((varint(-count) + varint(len(data)) if random.random() < 0.2 else varint(count)) + data)
        return b"".join(parts) + b"\0"


def varint(number: int) -> bytes:
    """A number as Avro writes an int or a long."""
    left = (number << 1) ^ (number >> 63)
    made = bytearray()
    while left > 0x7F:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*made, left])


def mutated(random: Random, data: bytes) -> bytes:
    """Bytes with a few mutations: flipped bits, and parts removed, duplicated or inserted."""
    made = bytearray(data)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(made) + 1)
        match random.randrange(5):
            case 0 if at < len(made):
                made[at] ^= 1 << random.randrange(8)
            case 1 if at < len(made):
                made[at] = random.choice([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
            case 2:
                del made[at : at + random.randrange(1, 9)]
            case 3:
                made[at:at] = random.randbytes(random.randrange(1, 12))
            case 4:
                made[at:at] = made[at : at + random.randrange(1, 9)]
    return bytes(made)
