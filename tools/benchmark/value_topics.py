"""Topics with Avro, Protobuf or JSON values: the same records of 12 flat fields, with a registry's schema ids."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

TITLES = {"avro": "Avro", "protobuf": "Protobuf", "json": "JSON"}
FORMATS = tuple(TITLES)
TOPIC = "orders"
FRAMING = b"\0\0\0\0\1"
"""Bytes before each value: the id 1; Protobuf values also have the indexes of the first message."""
VALUES, PAYLOADS = "values.arrow", "payloads.arrow"

_MESSAGE = b"\0"
_AT_ONCE = 1 << 16

_DISTINCT = 20_000
_COUNTRIES = ("DE", "FR", "GB", "NL", "US")

AVRO: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "customer", "type": "string"},
        {"name": "country", "type": {"type": "enum", "name": "Country", "symbols": [*_COUNTRIES]}},
        {"name": "created", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "amount", "type": "double"},
        {"name": "quantity", "type": "int"},
        {"name": "paid", "type": "boolean"},
        {"name": "note", "type": ["null", "string"]},
        {"name": "discount", "type": ["null", "double"]},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "weight", "type": "float"},
        {"name": "sku", "type": "string"},
    ],
}
PROTOBUF = """\
syntax = "proto3";
message Order {
  int64 id = 1;
  string customer = 2;
  Country country = 3;
  int64 created = 4;
  double amount = 5;
  int32 quantity = 6;
  bool paid = 7;
  optional string note = 8;
  optional double discount = 9;
  int32 day = 10;
  float weight = 11;
  string sku = 12;
}
enum Country { DE = 0; FR = 1; GB = 2; NL = 3; US = 4; }
"""
JSON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "customer": {"type": "string"},
        "country": {"type": "string", "enum": [*_COUNTRIES]},
        "created": {"type": "integer"},
        "amount": {"type": "number"},
        "quantity": {"type": "integer"},
        "paid": {"type": "boolean"},
        "note": {"type": ["null", "string"]},
        "discount": {"type": ["null", "number"]},
        "day": {"type": "integer"},
        "weight": {"type": "number"},
        "sku": {"type": "string"},
    },
}
_REGISTERED: dict[str, dict[str, Any]] = {
    "avro": {"schema": json.dumps(AVRO)},
    "protobuf": {"schemaType": "PROTOBUF", "schema": PROTOBUF},
    "json": {"schemaType": "JSON", "schema": json.dumps(JSON)},
}


def make(directory: Path, kind: str, count: int) -> None:
    """Make a topic: columns of its values with and without framing, and `log-dir` with the topic and the registry's.

    Args:
        directory: target directory; must be empty.
        kind: one of `FORMATS`.
        count: number of records; a multiple of 20,000 distinct ones, or fewer.
    """
    import kafkafmt

    distinct = list(_encoded(kind, min(count, _DISTINCT)))
    framing = FRAMING + _MESSAGE if kind == "protobuf" else FRAMING
    for name, before in ((PAYLOADS, b""), (VALUES, framing)):
        values = pa.array([before + data for data in distinct] * (count // len(distinct)), pa.binary())
        table = pa.table({"value": values})
        with pa.OSFile(str(directory / name), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    key = {"keytype": "SCHEMA", "subject": f"{TOPIC}-value", "version": 1, "magic": 1}
    row = {"subject": f"{TOPIC}-value", "version": 1, "id": 1, "deleted": False, **_REGISTERED[kind]}
    registry = _table("_schemas", [json.dumps(key).encode()], pa.array([json.dumps(row).encode()], pa.binary()))
    kafkafmt.write(pa.concat_tables([registry, _table(TOPIC, [None] * len(values), values)]), directory / "log-dir")


def read(directory: Path, name: str) -> Iterator[pa.Array]:
    """The values of a topic, with (`VALUES`) or without (`PAYLOADS`) their framing, in arrays as scans return them."""
    with pa.memory_map(str(directory / name)) as file:
        for chunk in pa.ipc.open_file(file).read_all()["value"].chunks:
            for begin in range(0, len(chunk), _AT_ONCE):
                yield chunk.slice(begin, _AT_ONCE)


def orders(count: int) -> Iterator[dict[str, Any]]:
    """Records, the same at each call."""
    random = Random(1)
    for number in range(count):
        yield {
            "id": number,
            "customer": f"customer-{random.randrange(100_000)}",
            "country": random.choice(_COUNTRIES),
            "created": 1_700_000_000_000 + random.randrange(10**10),
            "amount": round(random.random() * 1000, 2),
            "quantity": random.randrange(1, 100),
            "paid": random.random() < 0.5,
            "note": f"a note of some length {random.randrange(1000)}" if random.random() < 0.5 else None,
            "discount": random.randrange(1, 64) / 64 if random.random() < 0.3 else None,
            "day": 19_000 + random.randrange(1000),
            "weight": random.randrange(1, 1000) / 64,
            "sku": f"SKU-{random.randrange(10**6):06d}",
        }


def order_class() -> Any:  # noqa: ANN401 - a class that protobuf makes
    """The class that protobuf makes for `PROTOBUF`."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="order.proto", syntax="proto3")
    country = file.enum_type.add(name="Country")
    for number, name in enumerate(_COUNTRIES):
        country.value.add(name=name, number=number)
    message = file.message_type.add(name="Order")
    types = descriptor_pb2.FieldDescriptorProto.Type
    lines = [line.split() for line in PROTOBUF.splitlines() if line.endswith(";") and line.startswith("  ")]
    for words in lines:
        kind, name, _, ended = words[-4:]
        field = message.field.add(name=name, number=int(ended.rstrip(";")), label=1)
        if kind == "Country":
            field.type, field.type_name = types.TYPE_ENUM, ".Country"
        else:
            field.type = types.Value(f"TYPE_{kind.upper()}")
        if words[0] == "optional":
            field.proto3_optional, field.oneof_index = True, len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{name}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("Order"))


def _encoded(kind: str, count: int) -> Iterator[bytes]:
    if kind == "json":
        yield from (json.dumps(each).encode() for each in orders(count))
    elif kind == "protobuf":
        order = order_class()
        yield from (order(**each).SerializeToString() for each in orders(count))
    else:
        import fastavro

        # Without logical types, whose values fastavro takes as datetimes.
        schema = fastavro.parse_schema({**AVRO, "fields": [*map(_plain, AVRO["fields"])]})
        for each in orders(count):
            target = BytesIO()
            fastavro.schemaless_writer(target, schema, each)
            yield target.getvalue()


def _plain(field: Any) -> Any:  # noqa: ANN401 - JSON
    kind = field["type"]
    return {**field, "type": kind["type"]} if isinstance(kind, dict) and "logicalType" in kind else field


def _table(topic: str, keys: list[bytes | None], values: pa.Array) -> pa.Table:
    rows = len(values)
    return pa.table(
        {
            "topic": pa.repeat(topic, rows),
            "partition": pa.repeat(0, rows),
            "timestamp": pa.repeat(1_795_234_680_000, rows),
            "key": pa.array(keys, pa.binary()),
            "value": values,
        }
    )
