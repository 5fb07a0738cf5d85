"""Program run in a separate process: decodes few bytes that expand to very many fields, and prints the peak memory."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from kafkafmt.limits import Limits
from kafkafmt.values.avro import bulk as avro_bulk
from kafkafmt.values.avro.avro_format import Avro
from kafkafmt.values.decoding import ValueDecoder, decoded_schema
from kafkafmt.values.formats import Primitive, ValueFormat
from kafkafmt.values.json import columns
from kafkafmt.values.json.json_format import JsonSchema
from kafkafmt.values.protobuf import bulk as protobuf_bulk
from kafkafmt.values.protobuf.protobuf_format import Protobuf
from kafkafmt.values.registered import RegisteredFormat
from kafkafmt.values.registry import Schemas
from kafkafmt.values.stored_schema import StoredSchema
from tests.peak_memory import peak

FRAMING = b"\0\0\0\0\1"
WIDE = 1000
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
# 4,000 zero-byte items as a zigzag varint, and the end of the list.
ITEMS_OF_NO_SIZE = FRAMING + b"\xc0\x3e\0"


def form_of(kind: str, *schemas: str, limits: Limits | None = None) -> Any:
    """The format of a subject whose schemas have ids 1, 2, ..; values are resolved to the last one."""
    stored = [
        StoredSchema(
            "t-value",
            version=number,
            schema_id=number,
            type=kind,
            state="active",
            is_superseded=False,
            references=(),
            metadata=None,
            rule_set=None,
            offsets=(number,),
            schema=schema,
        )
        for number, schema in enumerate(schemas, 1)
    ]
    form = {"AVRO": Avro, "PROTOBUF": Protobuf, "JSON": JsonSchema}[kind]
    return form(Schemas(tuple(stored), {}, {}), "t-value", "value", limits or Limits(), stored[-1])


def avro(*added: dict[str, Any]) -> Any:
    """Lists of zero-byte records, to which the reader's schema adds fields."""
    item = {"type": "record", "name": "Item", "fields": [{"name": "n", "type": "null"}]}
    texts = []
    none: tuple[dict[str, Any], ...] = ()
    for fields in (none, added):
        whole = {**item, "fields": [*item["fields"], *fields]}
        texts.append(
            json.dumps(
                {
                    "type": "record",
                    "name": "R",
                    "fields": [{"name": "items", "type": {"type": "array", "items": whole}}],
                }
            )
        )
    return form_of("AVRO", *texts)


def slice_of(name: str) -> tuple[Any, list[bytes]]:
    """A format and values of it."""
    match name:
        case "protobuf":
            fields = "".join(f"int64 f{number} = {number}; " for number in range(1, WIDE))
            schema = f'syntax = "proto3"; message M {{ repeated Item items = 1; }} message Item {{ {fields} }}'
            # An unknown field makes each value long enough for its items.
            return form_of("PROTOBUF", schema), [FRAMING + b"\0" + b"\x0a\0" * 25 + b"\x12\x90\x03" + bytes(400)] * 4000
        case "json":
            item = {"type": "object", "properties": {f"f{number}": {"type": "integer"} for number in range(WIDE)}}
            schema = json.dumps({"type": "object", "properties": {"items": {"type": "array", "items": item}}})
            return form_of("JSON", schema), [FRAMING + b'{"items":[' + b",".join([b"{}"] * 300) + b"]}"] * 2000
        case "avro columns":
            return avro(*({"name": f"f{n}", "type": "long", "default": 1} for n in range(400))), [
                ITEMS_OF_NO_SIZE
            ] * 4000
    return avro({"name": "text", "type": "string", "default": "x" * 10_000}), [ITEMS_OF_NO_SIZE] * 4000


def decoder_of(form: ValueFormat) -> ValueDecoder:
    """The decoder of a topic's values in a format."""
    key = Primitive("bytes")
    return ValueDecoder(
        "t", {"t": (key, form)}, decoded_schema((key.kind, form.kind), ["offset", "value", "valueError"]), "skip"
    )


def batch_of(values: Sequence[bytes]) -> pa.RecordBatch:
    """A batch of records with these values."""
    rows = len(values)
    return pa.record_batch(
        {
            "key": pa.nulls(rows, pa.binary()),
            "value": pa.array(values, pa.binary()),
            "headers": pa.nulls(rows, HEADERS),
            "topic": pa.repeat("t", rows),
            "partition": pa.array([0] * rows, pa.int32()),
            "offset": pa.array(range(rows), pa.int64()),
        }
    )


def _by_reference(form: Any) -> None:
    if isinstance(form, Avro):
        form._has_kernels = False
    elif isinstance(form, Protobuf):
        form._bulk = None
    else:
        form._columns.read = lambda stored, skip=0: form._columns._read_each(stored, range(len(stored)), skip)


def main(name: str, reader: str) -> None:
    """Decode the first batches."""
    form, values = slice_of(name)
    decoder = decoder_of(form)
    if reader == "kernel":
        avro_bulk.load_kernels()
        protobuf_bulk.load_kernels()
        vars(columns)["_WORTH_IT"] = 0
        if isinstance(form, Avro):
            form.prefer_kernels()
        # Loads the kernels.
        assert isinstance(form, RegisteredFormat)
        form.decode_all(pa.array(values[:1], pa.binary()), pa.nulls(1, HEADERS))
    else:
        _by_reference(form)
    batch = batch_of(values)
    before, most, rows = peak(), 0, 0
    for decoded in decoder.decode(batch, decoder.new_account()):
        rows += len(decoded)
        most = max(most, decoded.nbytes)
        assert not decoded.column("valueError").null_count < len(decoded)
        if rows >= 60:
            break
    print(json.dumps({"rows": rows, "batch": most, "peak": peak() - before}))  # noqa: T201 (its answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
