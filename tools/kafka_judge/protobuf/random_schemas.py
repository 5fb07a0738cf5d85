"""Random Protobuf schemas, as text and as descriptors, with random values. Independent of kafkafmt."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

TYPES: Final = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7, "bool": 8, "string": 9,
    "message": 11, "bytes": 12, "uint32": 13, "enum": 14, "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18,
}  # fmt: skip
_KNOWN: Final = {
    "google.protobuf.Timestamp": [("seconds", 1, "int64"), ("nanos", 2, "int32")],
    "google.protobuf.Duration": [("seconds", 1, "int64"), ("nanos", 2, "int32")],
    "google.protobuf.Int32Value": [("value", 1, "int32")],
    "google.protobuf.StringValue": [("value", 1, "string")],
    "google.protobuf.BytesValue": [("value", 1, "bytes")],
    "google.protobuf.Struct": [],
}
_IMPORTS: Final = ("timestamp", "duration", "struct", "wrappers")
_KEYS: Final = ("int32", "int64", "uint32", "sint64", "fixed32", "bool", "string")
_ENUM: Final = ((0, "ZERO"), (1, "ONE"), (-3, "MINUS"), (70000, "MANY"))
_TEXTS: Final = ("", "a", "Grüße 🦀", "x" * 40, "\x00\x7f\u0800\uffff")
_EDITION_2023: Final = 1000
_INTS: Final = (0, 1, -1, 127, 128, 300, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, -(2**63), 2**63)


@dataclass
class Field:
    """A field of a message.

    Attributes:
        name, number: its name and number.
        type: a scalar type, "enum", or the name of a message.
        label: "optional", "required", "repeated" or "".
        key: type of the keys of a map; None for any other field.
        oneof: whether it is in the oneof.
        packed: the packed option, or None if it is not set.
        implicit: whether, in an edition, the field has implicit presence.
    """

    name: str
    number: int
    type: str
    label: str = ""
    key: str | None = None
    oneof: bool = False
    packed: bool | None = None
    implicit: bool = False

    def features(self) -> dict[str, tuple[int, int]]:
        """The features of the field in an edition: for each text, the number and value in a FeatureSet."""
        found = {}
        if self.implicit or self.label == "required":
            found["field_presence = " + ("IMPLICIT" if self.implicit else "LEGACY_REQUIRED")] = (1, 3 - self.implicit)
        if self.packed is not None:
            found["repeated_field_encoding = " + ("PACKED" if self.packed else "EXPANDED")] = (3, 2 - self.packed)
        return found


@dataclass
class Schema:
    """A schema: messages and an enum.

    Attributes:
        syntax: "proto2", "proto3", or "editions" for edition 2023.
        messages: fields by message name.
    """

    syntax: str
    messages: dict[str, list[Field]] = field(default_factory=dict)

    @classmethod
    def random(cls, random: Random) -> "Schema":
        """Make a random schema."""
        made = cls(random.choice(["proto2", "proto3", "proto3", "editions"]))
        names = [f"M{number}" for number in range(random.randrange(1, 5))]
        for name in names:
            numbers = random.sample([*range(1, 40), 1000, 2047, 2048, 536870911], random.randrange(1, 12))
            fields = [made._field(random, number, names) for number in numbers]
            made.messages[name] = sorted(fields, key=lambda each: each.oneof)
        return made

    def _field(self, random: Random, number: int, names: list[str]) -> Field:
        scalars = [each for each in TYPES if each not in ("message", "enum")]
        kind = random.choice([*scalars, "enum", "enum", *names, *names, *_KNOWN])
        made = Field(f"f_{number}", number, kind)
        what = random.randrange(10)
        if what < 2:
            made.key = random.choice(_KEYS)
        elif what < 5:
            made.label = "repeated"
            if (kind in scalars and kind not in ("string", "bytes")) or kind == "enum":
                made.packed = random.choice([None, True, False])
        elif what < 6:
            made.oneof = True
        elif self.syntax == "proto2":
            made.label = random.choice(["optional", "optional", "required"])
        elif self.syntax == "editions":
            made.label = random.choice(["", "", "required"])
            made.implicit = not made.label and kind in (*scalars, "enum") and random.random() < 0.5
        elif what < 8:
            made.label = "optional"
        return made

    def text(self) -> str:
        """The schema as a .proto file."""
        first = 'edition = "2023";' if self.syntax == "editions" else f'syntax = "{self.syntax}";'
        lines = [first, "package judged;"]
        lines += [f'import "google/protobuf/{each}.proto";' for each in _IMPORTS]
        lines.append("enum E { " + " ".join(f"{name} = {number};" for number, name in _ENUM) + " }")
        for name, fields in self.messages.items():
            lines.append(f"message {name} {{")
            lines += [f"  {self._text(each)}" for each in fields if not each.oneof]
            if any(each.oneof for each in fields):
                inside = " ".join(self._text(each) for each in fields if each.oneof)
                lines.append(f"  oneof choice {{ {inside} }}")
            lines.append("}")
        return "\n".join(lines)

    def _text(self, each: Field) -> str:
        kind = "E" if each.type == "enum" else each.type
        kind = kind if each.key is None else f"map<{each.key}, {kind}>"
        packed = "" if each.packed is None else f" [packed = {str(each.packed).lower()}]"
        label = each.label
        if self.syntax == "editions":
            packed = ", ".join(f"features.{feature}" for feature in each.features())
            packed = packed and f" [{packed}]"
            label = label if label == "repeated" else ""
        return f"{label} {kind} {each.name} = {each.number}{packed};".strip()

    def descriptor(self) -> bytes:
        """The schema as a FileDescriptorProto."""
        values = [_text(1, name) + _number(2, number) for number, name in _ENUM]
        data = _text(1, "judged.proto") + _text(2, "judged") + _text(12, self.syntax)
        for each in _IMPORTS:
            data += _text(3, f"google/protobuf/{each}.proto")
        for name, fields in self.messages.items():
            data += _sized(4, self._descriptor(name, fields))
        if self.syntax == "editions":
            data += _number(14, _EDITION_2023)
        return data + _sized(5, _text(1, "E") + b"".join(_sized(2, each) for each in values))

    def _descriptor(self, name: str, fields: list[Field]) -> bytes:
        data = _text(1, name)
        has_choice = any(each.oneof for each in fields)
        oneofs = ["choice"] * has_choice
        for each in fields:
            label = {"required": 2, "repeated": 3}.get(each.label, 3 if each.key else 1)
            if self.syntax == "editions" and each.label == "required":
                label = 1
            made = _text(1, each.name) + _number(3, each.number) + _number(4, label)
            if each.key is not None:
                entry = f"F{each.name[1:].replace('_', '')}Entry"
                inner = [_text(1, "key") + _number(3, 1) + _number(4, 1) + _number(5, TYPES[each.key])]
                inner.append(_text(1, "value") + _number(3, 2) + _number(4, 1) + _type(each.type))
                nested = _text(1, entry) + b"".join(_sized(2, one) for one in inner) + _sized(7, _number(7, 1))
                data += _sized(3, nested)
                made += _number(5, TYPES["message"]) + _text(6, f".judged.{name}.{entry}")
            else:
                made += _type(each.type)
            if each.oneof:
                made += _number(9, 0)
            elif each.label == "optional" and self.syntax == "proto3":
                made += _number(9, len(oneofs)) + _number(17, 1)
                oneofs.append(f"_{each.name}")
            if self.syntax == "editions":
                features = b"".join(_number(*feature) for feature in each.features().values())
                made += _sized(8, _sized(21, features)) if features else b""
            elif each.packed is not None:
                made += _sized(8, _number(2, each.packed))
            data += _sized(2, made)
        return data + b"".join(_sized(8, _text(1, each)) for each in oneofs)


class Values:
    """Makes values of a schema.

    Args:
        schema: the schema.
        random: source of all random choices.
    """

    def __init__(self, schema: Schema, random: Random) -> None:
        self._schema, self._random = schema, random

    def value(self, message: str) -> bytes:
        """The bytes of a message, usually with its fields in order; some values are damaged."""
        data = bytearray(self._message(message, 0))
        if self._random.random() < 0.3:
            for _ in range(self._random.randrange(1, 3)):
                if data:
                    at = self._random.randrange(len(data))
                    data[at : at + self._random.randrange(3)] = self._random.randbytes(self._random.randrange(3))
        return bytes(data)

    def _message(self, name: str, depth: int) -> bytes:
        if name in _KNOWN:
            return self._known(name)
        parts = [self._field(each, depth) for each in self._schema.messages[name] if self._random.random() < 0.7]
        if self._random.random() < 0.2:
            self._random.shuffle(parts)
        if self._random.random() < 0.1:
            parts.append(_number(self._random.randrange(3000, 3010), self._random.randrange(500)))
        if parts and self._random.random() < 0.1:
            parts.append(self._random.choice(parts))
        return b"".join(parts)

    def _known(self, name: str) -> bytes:
        if name == "google.protobuf.Struct":
            return b"".join(_sized(1, _text(1, key) + _sized(2, self._any_json(2))) for key in self._keys())
        made = {"seconds": self._random.randrange(-(10**9), 10**9), "nanos": 0}
        made["nanos"] = self._random.choice([0, 1, 1000, 123456789]) * (1 if made["seconds"] >= 0 else -1)
        if name == "google.protobuf.Timestamp":
            made["nanos"] = abs(made["nanos"])
        return b"".join(
            _number(number, made[field]) if field in made else self._scalar(number, kind)
            for field, number, kind in _KNOWN[name]
            if self._random.random() < 0.9
        )

    def _keys(self) -> Iterator[str]:
        yield from (f"key {number}" for number in range(self._random.randrange(3)))

    def _any_json(self, depth: int) -> bytes:
        """A random google.protobuf.Value."""
        what = self._random.randrange(6 if depth else 4)
        if what == 0:
            return _number(1, 0)
        if what == 1:
            return b"\x11" + struct.pack("<d", self._random.choice([0.5, -2.0, 1e10]))
        if what == 2:
            return _text(3, self._random.choice(_TEXTS))
        if what == 3:
            return _number(4, self._random.randrange(2))
        if what == 4:
            entries = [_sized(1, _text(1, key) + _sized(2, self._any_json(depth - 1))) for key in self._keys()]
            return _sized(5, b"".join(entries))
        return _sized(6, b"".join(_sized(1, self._any_json(depth - 1)) for _ in range(self._random.randrange(3))))

    def _field(self, each: Field, depth: int) -> bytes:
        if each.key is not None:
            entries = []
            for _ in range(self._random.randrange(4)):
                entry = self._scalar(1, each.key) if self._random.random() < 0.9 else b""
                entries.append(_sized(each.number, entry + self._single(2, each.type, depth)))
            return b"".join(entries)
        if each.label != "repeated":
            return self._single(each.number, each.type, depth)
        count = self._random.randrange(5)
        is_number = each.type == "enum" or (each.type in TYPES and each.type not in ("string", "bytes"))
        if is_number and self._random.random() < 0.7:
            items = [self._scalar(1, each.type)[1:] for _ in range(count)]
            return _sized(each.number, b"".join(items)) if count else b""
        return b"".join(self._single(each.number, each.type, depth) for _ in range(count))

    def _single(self, number: int, kind: str, depth: int) -> bytes:
        if kind in TYPES:
            return self._scalar(number, kind)
        return _sized(number, self._message(kind, depth + 1)) if depth < 4 or kind in _KNOWN else b""

    def _scalar(self, number: int, kind: str) -> bytes:
        if kind == "string":
            return _text(number, self._random.choice(_TEXTS))
        if kind == "bytes":
            return _sized(number, self._random.randbytes(self._random.randrange(5)))
        if kind in ("double", "fixed64", "sfixed64"):
            whole = struct.pack("<d", self._random.choice([0.0, 0.1, -1e300, float("inf")]))
            return _varint(number << 3 | 1) + (whole if kind == "double" else self._random.randbytes(8))
        if kind in ("float", "fixed32", "sfixed32"):
            whole = struct.pack("<f", self._random.choice([0.0, 0.1, 3.4e38, float("-inf")]))
            return _varint(number << 3 | 5) + (whole if kind == "float" else self._random.randbytes(4))
        if kind == "enum":
            return _number(number, self._random.choice([*(each for each, _ in _ENUM), 5]))
        return _number(number, self._random.choice(_INTS))


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _sized(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _text(number: int, value: str) -> bytes:
    return _sized(number, value.encode())


def _type(kind: str) -> bytes:
    if kind == "enum":
        return _number(5, TYPES["enum"]) + _text(6, ".judged.E")
    if kind in TYPES:
        return _number(5, TYPES[kind])
    return _number(5, TYPES["message"]) + _text(6, f".{kind}" if "." in kind else f".judged.{kind}")
