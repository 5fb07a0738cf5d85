"""Fill docs/examples/typed with values of Confluent's serializers, and with `_schemas` as its registry writes it.

    python -m example_cluster.fill_typed BOOTSTRAP_SERVERS

Runs in the environment of requirements/example_cluster.txt; `make` starts it. Ids and versions are those that the
serializers get from confluent-kafka's own mock of a registry. All timestamps are fixed, so that documents that show
them stay true when the example is made again.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import grpc_tools
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

_OPENING = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
_MINUTE = timedelta(minutes=1)
_SECONDS = 30

_ORDER: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "namespace": "com.example.shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "customer", "type": "string"},
        {"name": "total", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
        {"name": "placed", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    ],
}
_CHANNEL = {
    "name": "channel",
    "type": {"type": "enum", "name": "Channel", "symbols": ["TILL", "WEB"]},
    "default": "TILL",
}
_PAGE_VIEW = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "PageView",
    "type": "object",
    "properties": {
        "page": {"type": "string"},
        "customer": {"type": ["string", "null"]},
        "millis": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["page"],
}
_PAYMENT = """syntax = "proto3";
package com.example.shop;

import "google/protobuf/timestamp.proto";

message Payment {
  int64 order_id = 1;
  Method method = 2;
  Money amount = 3;
  google.protobuf.Timestamp paid = 4;

  message Money {
    string currency = 1;
    int64 cents = 2;
  }
  enum Method {
    UNKNOWN = 0;
    CARD = 1;
    CASH = 2;
  }
}
"""
"""The text as the registry prints it, although this client sends a descriptor."""

_CUSTOMERS = {"anna": "Wien", "bela": "Pécs", "chen": "Graz", "dora": "Brno"}
_TOPICS = {"orders": 2, "payments": 2, "page-views": 1, "customers": 1, "_schemas": 1}
_COMPACTED = ("customers", "_schemas")


@dataclass(frozen=True)
class _Record:
    topic: str
    key: str
    value: bytes | None
    moment: datetime


def _compact(schema: dict[str, Any]) -> str:
    return json.dumps(schema, separators=(",", ":"))


def _orders(registry: SchemaRegistryClient) -> Iterator[_Record]:
    """Twelve orders; the first four have a schema without a channel."""
    context = SerializationContext("orders", MessageField.VALUE)
    names = list(_CUSTOMERS)
    later = {**_ORDER, "fields": [*_ORDER["fields"], _CHANNEL]}
    before = AvroSerializer(registry, _compact(_ORDER))
    after = AvroSerializer(registry, _compact(later))
    for number in range(12):
        placed = _OPENING + number * 5 * _MINUTE
        order = {
            "id": 1001 + number,
            "customer": names[number * number % len(names)] if number % 3 else names[number % len(names)],
            "total": Decimal(1250 + number * 475) / 100,
            "placed": placed,
            "channel": "WEB" if number % 3 else "TILL",
        }
        yield _Record("orders", f"order-{order['id']}", (before if number < 4 else after)(order, context), placed)


def _payments(registry: SchemaRegistryClient) -> Iterator[_Record]:
    """A payment for each order except the last, a minute later."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "payment.proto").write_text(_PAYMENT, encoding="utf-8")
        known = Path(grpc_tools.__file__).parent / "_proto"
        protoc.main(
            ["protoc", f"-I{folder}", f"-I{known}", f"--descriptor_set_out={folder}/set", f"{folder}/payment.proto"]
        )
        files = descriptor_pb2.FileDescriptorSet.FromString((folder / "set").read_bytes())
    pool = descriptor_pool.Default()
    pool.Add(files.file[0])
    payment = message_factory.GetMessageClass(pool.FindMessageTypeByName("com.example.shop.Payment"))
    serializer = ProtobufSerializer(payment, registry, {"use.deprecated.format": False})
    context = SerializationContext("payments", MessageField.VALUE)
    for number in range(11):
        paid = _OPENING + (number * 5 + 1) * _MINUTE
        message = payment(order_id=1001 + number, method=1 + number % 4 // 3)
        message.amount.currency = "EUR"
        message.amount.cents = 1250 + number * 475
        message.paid.FromDatetime(paid)
        yield _Record("payments", f"order-{message.order_id}", serializer(message, context), paid)


def _page_views(registry: SchemaRegistryClient) -> Iterator[_Record]:
    serializer = JSONSerializer(_compact(_PAGE_VIEW), registry)
    context = SerializationContext("page-views", MessageField.VALUE)
    names = [None, *_CUSTOMERS]
    for number in range(20):
        view = {
            "page": ("/", "/search", "/basket")[number % 3],
            "customer": names[number % len(names)],
            "millis": 20 + number * 37 % 90,
            "tags": ["mobile"] if number % 4 == 1 else [],
        }
        yield _Record("page-views", f"visit-{number % 7}", serializer(view, context), _OPENING + number * 3 * _MINUTE)


def _customers() -> Iterator[_Record]:
    """Plain JSON, as a program without a registry writes it."""
    for name, city in _CUSTOMERS.items():
        value = json.dumps({"name": name.capitalize(), "city": city}, ensure_ascii=False, separators=(",", ":"))
        yield _Record("customers", name, value.encode(), _OPENING - _MINUTE)


def _schemas(registry: SchemaRegistryClient) -> Iterator[_Record]:
    """Records that the registry writes at its start, for these schemas, and for the permanent deletion of the first."""

    def record(key: dict[str, Any], value: dict[str, Any] | None, minutes: int) -> _Record:
        text = None if value is None else json.dumps(value, separators=(",", ":")).encode()
        return _Record("_schemas", json.dumps(key, separators=(",", ":")), text, _OPENING + minutes * _MINUTE)

    yield record({"keytype": "NOOP", "magic": 0}, None, -3)
    found = [
        registry.get_version(subject, version)
        for subject in registry.get_subjects()
        for version in registry.get_versions(subject)
    ]
    rows = [
        {
            "subject": each.subject,
            "version": each.version,
            "id": each.schema_id,
            "schemaType": each.schema.schema_type,
            "schema": _PAYMENT if each.schema.schema_type == "PROTOBUF" else each.schema.schema_str,
            "deleted": False,
        }
        for each in sorted(found, key=lambda each: each.schema_id)
    ]
    keys = [{"keytype": "SCHEMA", "subject": row["subject"], "version": row["version"], "magic": 1} for row in rows]
    for key, row in zip(keys, rows, strict=True):
        yield record(key, row, -2)
    yield record(keys[0], {**rows[0], "deleted": True}, 70)
    yield record(keys[0], None, 71)


def main(servers: str) -> None:
    """Create the topics, and write all records."""
    registry = SchemaRegistryClient.new_client({"url": "mock://"})
    typed = [*_orders(registry), *_payments(registry), *_page_views(registry), *_customers()]
    settings = {"bootstrap.servers": servers}
    topics = [
        NewTopic(name, count, 1, config={"cleanup.policy": "compact"} if name in _COMPACTED else {})
        for name, count in _TOPICS.items()
    ]
    admin = AdminClient(settings)
    for created in admin.create_topics(topics).values():
        created.result(_SECONDS)
    producer = Producer({**settings, "partitioner": "murmur2", "linger.ms": 500, "acks": "all"})
    failures = []
    for each in (*_schemas(registry), *typed):
        producer.produce(
            each.topic,
            each.value,
            each.key,
            timestamp=int(each.moment.timestamp() * 1000),
            on_delivery=lambda error, _: failures.append(error) if error else None,
        )
    if producer.flush(_SECONDS) or failures:
        sys.exit(f"records were not written: {failures[:1]}")
    print("filled")


if __name__ == "__main__":
    main(sys.argv[1])
