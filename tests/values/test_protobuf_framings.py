"""Protobuf in the framings of Apicurio and AWS Glue, as their own serializers wrote it."""

import json
from base64 import b64decode
from collections import Counter
from functools import cache
from hashlib import shake_256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import kafkafmt as library
from kafkafmt.errors import CorruptError, DataError
from kafkafmt.repairing.field_redaction import FieldMask
from kafkafmt.repairing.schema_redaction import SchemaRedaction
from kafkafmt.values import schemas as schemas_of
from kafkafmt.values.framed_topics import SCANNED, framed_topics
from kafkafmt.values.framing import Framing
from kafkafmt.values.protobuf.descriptors import parse_schema
from kafkafmt.values.protobuf.message_names import beginnings, split_message
from kafkafmt.values.protobuf.schema import ProtoSchema, link
from tests.cli.conftest import Call, kafkafmt  # noqa: F401 - a fixture

GOLDEN = Path(__file__).parents[1] / "golden" / "values" / "protobuf-framings"
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
WAYS = (
    "apicurio-4",
    "apicurio-8",
    "apicurio-header",
    "apicurio-header-global",
    "apicurio-header-type",
    "apicurio-indexes",
    "apicurio-8-indexes",
    "apicurio-header-indexes",
    "apicurio-both",
    "glue",
    "glue-zlib",
)
REFUSED = {
    ("apicurio-indexes", "shop.v1.Order.Money"): "the message indexes mean shop.v1.Order.Line or shop.v1.Order.Money",
    ("apicurio-8-indexes", "shop.v1.Order.Money"): "the message indexes mean shop.v1.Order.Line or shop.v1.Order.Money",
}
"""Rejected values, and why; Apicurio's deserializer reads none of them, nor one with a Ref and indexes."""


@cache
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / "values.jsonl").read_text(encoding="utf-8").splitlines()]


def of_way(way: str, schema: str = "orders") -> list[dict[str, Any]]:
    return [row for row in rows() if (row["way"], row["schema"]) == (way, schema)]


def headers_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": b64decode(value)} for name, value in row["headers"]]


def expected(row: dict[str, Any]) -> dict[str, Any]:
    """The deserialized message: if the serializer's own deserializer gives none, by Glue's of the same message."""
    as_glue = of_way("glue", row["schema"])
    same = [each["read"] for each in as_glue if all(each[name] == row[name] for name in ("message", "written"))]
    read: dict[str, Any] = row.get("read") or same[0]
    return read


def log_of(some: list[dict[str, Any]], directory: Path) -> Path:
    count = len(some)
    columns = {"topic": ["orders"] * count, "partition": [0] * count, "timestamp": [0] * count}
    values = [b64decode(row["raw"]) for row in some]
    table = {**columns, "value": values, "headers": pa.array([headers_of(row) for row in some], HEADERS)}
    library.write(pa.table(table), directory)
    return directory


def schema_of(name: str) -> ProtoSchema:
    return link(parse_schema((GOLDEN / f"{name}.proto").read_text(encoding="utf-8")))


def test_ways_are_all_here() -> None:
    assert tuple(dict.fromkeys(row["way"] for row in rows())) == WAYS


@pytest.mark.parametrize("schema", ["orders", "many"])
@pytest.mark.parametrize("way", WAYS)
def test_values_as_their_deserializers_read_them(way: str, schema: str, tmp_path: Path) -> None:
    some = of_way(way, schema)
    scan = library.scan(log_of(some, tmp_path / "log"))
    decoded = (
        scan.decode(schema=str(GOLDEN / f"{schema}.proto"), resolve=False, on_damage="skip").to_table().to_pylist()
    )
    for row, made in zip(some, decoded, strict=True):
        reason = REFUSED.get((way, row["message"]), "a field has no valid number" if way == "apicurio-both" else None)
        if reason is None:
            assert (made["valueError"], json.loads(made["value"])) == (None, expected(row))
        else:
            assert reason in made["valueError"]
            assert "error" in row


@pytest.mark.parametrize("way", [each for each in WAYS if each != "apicurio-both"])
def test_one_message_of_several_as_columns(way: str, tmp_path: Path, kafkafmt: Call) -> None:  # noqa: F811
    """The most frequent message, or that of `--record`, is decoded; bulk and single reading agree."""
    some = of_way(way)
    log = log_of(some, tmp_path / "log")
    chosen = str(GOLDEN / "orders.proto")
    table = library.scan(log).decode(schema=chosen, on_damage="skip").to_table().to_pylist()
    for row, made in zip(some, table, strict=True):
        if row["message"] == "shop.v1.Order":
            assert made["value"]["id"] == int(row["written"].get("id", 0))
            assert [each["sku"] for each in made["value"]["lines"]] == [
                each["sku"] for each in row["written"].get("lines", [])
            ]
        else:
            assert made["value"] is None
            assert made["valueError"]
    options = ("--value-format", "protobuf", "--schema", chosen, "--record", "shop.v1.Address", "-o", "jsonl")
    answer = kafkafmt("cat", log, *options, "--columns", "value", "--on-damage", "skip")
    assert [json.loads(line)["value"] for line in answer.lines] == [{"city": "Kraków"}] + [
        None for row in some if (way, row["message"]) in REFUSED
    ]


def test_refs_are_found_in_bulk_and_counted(tmp_path: Path) -> None:
    """Apicurio writes ids as Confluent does: a known id means that schema."""
    some = of_way("apicurio-4")
    log = log_of(some * 50, tmp_path / "log")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "orders-value.v1.id7.proto").write_bytes((GOLDEN / "orders.proto").read_bytes())
    (tmp_path / "schemas" / "orders-key.v1.id8.avsc").write_text('"int"')
    known = schemas_of(str(tmp_path / "schemas"))
    table = library.scan(log).decode(schemas=known, on_damage="skip").to_table()
    count = Counter(row["message"] for row in some)["shop.v1.Order"]
    assert table["value"].null_count == 50 * (len(some) - count)
    assert set(table["valueSchemaId"].to_pylist()) == {7}
    (topic,) = framed_topics(library.scan(log).select(SCANNED), known)
    assert (topic.part, topic.framing) == ("value", "confluent")
    assert dict(topic.record_types) == {
        name: 50 * number for name, number in Counter(row["message"] for row in some).items()
    }


def test_fields_are_redacted_after_a_ref(tmp_path: Path) -> None:
    (tmp_path / "orders-value.v1.id7.proto").write_bytes((GOLDEN / "orders.proto").read_bytes())
    redaction = SchemaRedaction(schemas_of(str(tmp_path)))
    (row, *_) = of_way("apicurio-4")
    payload = b64decode(row["raw"])[5:]
    mask = FieldMask(["customer"], lambda found, size: shake_256(found).digest(size), 8)
    masked = redaction.masked(mask, Framing("confluent", payload, 7), "orders-value")
    assert masked[:8] == payload[:8] == b"\x07\x0a\x05Order"
    assert b"anna" in payload
    assert b"anna" not in masked


SEVERAL = link(
    parse_schema(
        """syntax = "proto3"; package p;
        message A { message Item { int64 n = 1; } message ab {} }
        message B { message Item { int64 n = 1; } }
        message C {} message D {} message E {}
        message F { message X {} message Y {} }
        """
    )
)


@pytest.mark.parametrize(
    ("framing", "says"),
    [
        (Framing("confluent", b"\x06\x0a\x04Item"), "several nested messages Item: p.A.Item, p.B.Item"),
        (Framing("confluent", b"\x07\x0a\x05Other"), "no message of this name"),
        (Framing("apicurio-8", b"\x0a\x05Item"), "a message index is negative"),
        (Framing("apicurio-header", b"", 7, message="Other"), "no message of this name"),
        (Framing("apicurio-header", b"\x04", 7, message="C"), "the message indexes are cut"),
        (Framing("confluent", b"\x04\x0a\x02ab"), "mean p.F.Y as indexes and p.A.ab as a Ref"),
        (Framing("glue", b""), "the message indexes are cut"),
        (Framing("glue", b"\x0b"), "no message of this index"),
        (Framing("glue", b"\xff\xff\xff\xff\xff\xff"), "more than 32 bits"),
    ],
)
def test_what_names_no_message(framing: Framing, says: str) -> None:
    with pytest.raises(DataError, match=says):
        split_message(SEVERAL, framing)


def test_names_of_one_message() -> None:
    assert split_message(SEVERAL, Framing("confluent", b"\x04\x0a\x02"))[0].name == "p.F.Y"
    assert split_message(SEVERAL, Framing("confluent", b"\x04\x0a\x02cd"))[0].name == "p.F.Y"
    assert split_message(SEVERAL, Framing("apicurio-header", b"", 7, message="C"))[0].name == "p.C"
    # A map entry has an index in Glue's framing, but is not a value.
    with pytest.raises(CorruptError, match="no message of this index"):
        split_message(schema_of("orders"), Framing("glue", b"\x02"))


def test_values_are_grouped_by_what_is_before_them() -> None:
    refs = [bytes([len(name) + 2, 0x0A, len(name)]) + name for name in (b"Order", b"Zone", b"Lines")]
    many = [bytes([5, 0x0A, 3]) + f"{number:03}".encode() for number in range(20)]
    values = [
        refs[0] + b"x",
        b"\0abc",
        refs[1],
        b"\x02\x02",
        b"",
        refs[0],
        b"\x01\x0a",
        refs[2],
        *many,
        b"\x07\x0a\x05Ord",
    ]
    ends = np.cumsum([len(each) for each in values]).astype(np.int64)
    begins = ends - np.array([len(each) for each in values], np.int64)
    found = [*beginnings(np.frombuffer(b"".join(values), np.uint8), begins, ends)]
    by_bytes = {before: [*map(int, numbers)] for before, numbers in found}
    assert len(by_bytes) == len(found)
    assert sorted(number for numbers in by_bytes.values() for number in numbers) == [*range(len(values))]
    assert by_bytes[refs[0]] == [0, 5]
    assert (by_bytes[refs[1]], by_bytes[refs[2]]) == ([2], [7])
    assert by_bytes[b"\0"] == [1]
    assert by_bytes[b"\x02\x02"] == [3]
    assert by_bytes[None][:2] == [4, 6]
    assert by_bytes[None][-1] == len(values) - 1
    for before, numbers in by_bytes.items():
        assert before is None or all(values[number].startswith(before) for number in numbers)
