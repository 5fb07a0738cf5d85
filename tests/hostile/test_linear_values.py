"""Values and schemas take time proportional to their size, for any bytes.

The times are CPU times of one value, or one schema, and of another one four times as long, measured again if they grow
too much. Each case here took time that grew otherwise, or is of a kind that is likely to.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa
import pytest

from kafkafmt.errors import DataError
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.schema import link
from kafkafmt.values.record_names import record_names
from kafkafmt.values.schema_links import linked
from kafkafmt.values.stored_schema import StoredSchema
from tests.effort import is_ever
from tests.values.hostile_values import FRAMING, HEADERS, form_of

SIZE = 60_000
_FIXED = 0.02
"""Seconds independent of size: loading, and the inaccuracy of small values."""


def varint(number: int) -> bytes:
    made = b""
    while number > 127:
        made += bytes([number & 127 | 128])
        number >>= 7
    return made + bytes([number])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def repeated(piece: bytes, size: int) -> bytes:
    return piece * (size // len(piece))


def numbered(piece: str, size: int) -> bytes:
    return "".join(piece % number for number in range(size // len(piece % 0))).encode()


def avro(kind: object) -> str:
    return json.dumps({"type": "record", "name": "R", "fields": [{"name": "f", "type": kind}]})


OBJECT = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}, "any": {}}})
MAP = json.dumps({"type": "object", "additionalProperties": {"type": "integer"}})
MEMBERS = "".join(f"int32 o{number} = {number}; " for number in range(100, 1100))
PROTO = (
    'syntax = "proto3"; import "google/protobuf/struct.proto"; message M { N n = 1; map<string, int32> m = 2; '
    f"repeated int32 p = 3; google.protobuf.Struct s = 4; bytes b = 5; oneof o {{ {MEMBERS} }} }} "
    "message N { string s = 1; N n = 2; }"
)
UNION = avro(["null", "string", {"type": "array", "items": ["long", "string", "bytes"]}])

VALUES: dict[str, tuple[str, str, Callable[[int], bytes]]] = {
    "avro: blocks of one item": (
        "AVRO",
        avro({"type": "array", "items": "long"}),
        lambda n: b"\2\2" * (n // 2) + b"\0",
    ),
    "avro: a key many times": (
        "AVRO",
        avro({"type": "map", "values": "long"}),
        lambda n: repeated(b"\2\2k\2", n) + b"\0",
    ),
    "avro: text of a union": ("AVRO", UNION, lambda n: b"\4" + repeated(b'\2\2\6"\\x', n) + b"\0"),
    "json: a name many times": ("JSON", OBJECT, lambda n: b"{" + repeated(b'"a":1,', n) + b'"a":1}'),
    "json: unknown names": ("JSON", OBJECT, lambda n: b"{" + numbered('"b%06d":1,', n) + b'"a":1}'),
    "json: a key many times": ("JSON", MAP, lambda n: b"{" + repeated(b'"b":1,', n) + b'"b":1}'),
    "json: keys": ("JSON", MAP, lambda n: b"{" + numbered('"b%06d":1,', n) + b'"b":1}'),
    "json: digits": ("JSON", OBJECT, lambda n: b'{"a":' + b"1" * n + b"}"),
    "json: a fraction": ("JSON", OBJECT, lambda n: b'{"a":0.' + b"0" * n + b"1e" + str(n + 1).encode() + b"}"),
    "json: deep text": ("JSON", OBJECT, lambda n: b'{"any":' + b"[" * (n // 2) + b"]" * (n // 2) + b"}"),
    "json: not closed": ("JSON", OBJECT, lambda n: b'{"any":"' + b"\\\\" * (n // 2)),
    "protobuf: messages to merge": ("PROTOBUF", PROTO, lambda n: b"\0" + repeated(field(1, field(1, b"x")), n)),
    "protobuf: scalars to replace": ("PROTOBUF", PROTO, lambda n: b"\0" + repeated(field(5, b"x"), n)),
    "protobuf: packed in pieces": ("PROTOBUF", PROTO, lambda n: b"\0" + repeated(field(3, b"\1"), n)),
    "protobuf: a key many times": ("PROTOBUF", PROTO, lambda n: b"\0" + repeated(field(2, b"\x0a\1k\x10\1"), n)),
    "protobuf: a oneof that changes": (
        "PROTOBUF",
        PROTO,
        lambda n: b"\0" + repeated(varint(100 << 3) + b"\1" + varint(101 << 3) + b"\1", n),
    ),
    "protobuf: unknown groups": (
        "PROTOBUF",
        PROTO,
        lambda n: b"\0" + repeated(varint(50 << 3 | 3) + varint(50 << 3 | 4), n),
    ),
    "protobuf: deep messages": ("PROTOBUF", PROTO, lambda n: b"\0" + deep_messages(n)),
}


def deep_messages(size: int) -> bytes:
    data = b""
    for _ in range(90):
        data = field(2, data) + field(1, b"x" * (size // 100))
    return field(1, data)


def of_value(kind: str, schema: str, value: bytes) -> float:
    form = form_of(kind, schema)
    stored = pa.array([FRAMING + value], pa.binary())
    start = time.process_time()
    form.decode_all(stored, pa.nulls(1, HEADERS))
    return time.process_time() - start


@pytest.mark.volume  # coverage makes it several times slower
@pytest.mark.slow
@pytest.mark.parametrize("name", VALUES)
def test_a_value_takes_time_in_proportion_to_its_bytes(name: str) -> None:
    kind, schema, value = VALUES[name]
    small, large = value(SIZE), value(4 * SIZE)
    of_value(kind, schema, small)
    # Also in absolute terms: 4 µs per byte is several times what the slowest honest value takes.
    assert is_ever(
        lambda: of_value(kind, schema, large) < min(6 * of_value(kind, schema, small) + _FIXED, 4e-6 * len(large) + 0.1)
    )


TEXTS: dict[str, Callable[[int], str]] = {
    "comments that are not closed": lambda n: "/* " * (n // 3),
    "a string that is not closed": lambda n: '"' + '\\"' * (n // 2),
    "another one": lambda n: "'" + "\\'" * (n // 2),
    "messages in each other": lambda n: "message a {" * (n // 11),
    "words": lambda n: "package " * (n // 8),
    "imports": lambda n: 'import "' * (n // 8),
}


def of_schema(text: str, read: Callable[[StoredSchema], object]) -> float:
    stored = StoredSchema(
        "s",
        version=1,
        schema_id=1,
        type="PROTOBUF",
        state="active",
        is_superseded=False,
        references=(),
        metadata=None,
        rule_set=None,
        offsets=(),
        schema=text,
    )
    start = time.process_time()
    with suppress(DataError):
        read(stored)
    return time.process_time() - start


def parsed(stored: StoredSchema) -> object:
    return link(parse_schema('syntax = "proto3"; option x = { ' + stored.schema))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    "read", [record_names, lambda stored: linked([("a.proto", stored)]), parsed], ids=["names", "links", "parsed"]
)
def test_a_schema_takes_time_in_proportion_to_its_text(name: str, read: Callable[[StoredSchema], object]) -> None:
    small, large = TEXTS[name](SIZE), TEXTS[name](4 * SIZE)
    assert is_ever(lambda: of_schema(large, read) < 8 * of_schema(small, read) + _FIXED)
