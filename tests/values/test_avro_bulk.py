"""Avro values in bulk: the kernel gives the same values, errors and bytes left as the reader of single values."""

import itertools
import json
import os
from collections.abc import Iterable
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import DataError, KafkafmtError
from kafkafmt.limits import Limits
from kafkafmt.values.avro.avro_format import Avro
from kafkafmt.values.avro.schema import Node, parse
from kafkafmt.values.formats import DecodedColumn
from kafkafmt.values.registered import RegisteredFormat
from kafkafmt.values.registry import Schemas
from kafkafmt.values.stored_schema import StoredSchema
from tests.engines import shown
from tests.values import avro_random

MUTATIONS = int(os.environ.get("KAFKAFMT_MUTATIONS", "2000"))
SEED = int(os.environ.get("KAFKAFMT_SEED", "0"))


def stored_schema(schema_id: int, schema: Any) -> StoredSchema:
    return StoredSchema(
        "t-value",
        version=schema_id,
        schema_id=schema_id,
        type="AVRO",
        state="active",
        is_superseded=False,
        references=(),
        metadata=None,
        rule_set=None,
        offsets=(schema_id,),
        schema=schema if isinstance(schema, str) else json.dumps(schema),
    )


def avro(*schemas: Any, reader: int | None = None) -> Avro:
    """The format of a topic whose subject has some schemas, with the ids 1, 2, ..; the last one is the reader's."""
    stored = [stored_schema(number, each) for number, each in enumerate(schemas, 1)]
    known = Schemas(tuple(stored), {}, {})
    return Avro(known, "t-value", "value", Limits(), stored[-1 if reader is None else reader - 1])


def framed(schema_id: int, data: bytes) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big", signed=True) + data


def headers_of(rows: Iterable[list[tuple[str, bytes | None]] | None]) -> pa.Array:
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    pairs = [None if row is None else [{"key": key, "value": value} for key, value in row] for row in rows]
    return pa.array(pairs, kind)


def plain(array: pa.Array) -> list[Any]:
    """Values in which NaN is NaN, 0.0 is not -0.0, and times are numbers."""
    kind = array.type
    valid = array.is_valid().to_pylist()
    if pa.types.is_struct(kind):
        parts = [plain(array.field(number)) for number in range(kind.num_fields)]
        made: list[Any] = [list(each) for each in zip(*parts, strict=True)]
    elif pa.types.is_list(kind) or pa.types.is_map(kind):
        columns = [array.keys, array.items] if pa.types.is_map(kind) else [array.values]
        items = list(zip(*map(plain, columns), strict=True))
        offsets = array.offsets.to_pylist()
        made = [items[begin:end] for begin, end in itertools.pairwise(offsets)]
    elif pa.types.is_temporal(kind):
        made = array.view(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
    elif pa.types.is_floating(kind):
        made = [repr(each) for each in array.to_pylist()]
    else:
        made = array.to_pylist()
    return [each if is_valid else None for each, is_valid in zip(made, valid, strict=True)]


def compare(form: Avro, stored: list[bytes | None], headers: pa.Array | None = None) -> DecodedColumn:
    """Decode in bulk and one by one; returns what both give."""
    column = pa.array(stored, pa.binary())
    beside = headers if headers is not None else headers_of([None] * len(stored))
    one_by_one = RegisteredFormat.decode_all(form, column, beside)
    form.prefer_kernels()
    in_bulk = form.decode_all(column, beside)
    in_bulk.values.validate()
    assert is_valid(in_bulk.values) == is_valid(one_by_one.values)
    assert in_bulk.values.type == form.kind
    assert plain(in_bulk.values) == plain(one_by_one.values)
    assert in_bulk.schema_ids.to_pylist() == one_by_one.schema_ids.to_pylist()
    assert list(in_bulk.errors) == list(one_by_one.errors)
    assert [*map(of_error, in_bulk.errors.values())] == [*map(of_error, one_by_one.errors.values())]
    assert in_bulk.bytes_left == one_by_one.bytes_left
    return in_bulk


def is_valid(array: pa.Array) -> bool:
    """Whether Arrow finds an array in order; a time of day of a value may be beyond its day."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def of_error(error: DataError) -> tuple[object, ...] | None:
    return shown(error)


def pair(random: Random) -> tuple[Any, Any]:
    """A schema and one that it grew into."""
    schemas = avro_random.Schemas(random)
    writer = schemas.record() if random.random() < 0.8 else schemas.type(3)
    return writer, writer if random.random() < 0.2 else schemas.grown(writer)


def format_of(random: Random) -> tuple[Avro, list[Node]] | None:
    """A format, and the schemas of its values; None if the reader's has no columns or too many."""
    writer, reader = pair(random)
    try:
        return avro(writer, reader), [parse(json.dumps(each)) for each in (writer, reader)]
    except KafkafmtError:
        return None


@given(st.integers(0, 2**32))
def test_values_of_random_schemas(seed: int) -> None:
    random = Random(seed)
    made = format_of(random)
    if made is None:
        return
    form, nodes = made
    values = avro_random.Values(random)
    stored: list[bytes | None] = []
    for _ in range(20):
        schema_id = random.randrange(1, 3)
        after = b"more" if random.random() < 0.1 else b""
        stored.append(framed(schema_id, values.bytes_of(nodes[schema_id - 1]) + after))
    stored.insert(random.randrange(20), None)
    compare(form, stored)
