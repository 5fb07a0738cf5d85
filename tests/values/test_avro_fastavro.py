"""Avro values compared with fastavro: as written, and as resolved to an evolved schema."""

import io
import json
from contextlib import suppress
from random import Random
from typing import Any

import fastavro
import pytest
from fastavro.read import SchemaResolutionError
from hypothesis import given
from hypothesis import strategies as st

from kafkafmt.errors import KafkafmtError
from kafkafmt.values.avro.datum import Branch
from kafkafmt.values.avro.json_values import as_float
from kafkafmt.values.avro.reading import read_value, reading
from kafkafmt.values.avro.schema import Node, parse
from tests.values import random_avro


def without_logical(schema: Any) -> Any:
    """The schema without logical types, which each library maps to its own types."""
    if isinstance(schema, dict):
        return {
            name: without_logical(each)
            for name, each in schema.items()
            if name not in ("logicalType", "precision", "scale")
        }
    return [without_logical(each) for each in schema] if isinstance(schema, list) else schema


def as_fastavro(node: Node, value: Any) -> Any:
    """A value in fastavro's form; NaN as text, since it does not equal itself."""
    if node.type == "union":
        if isinstance(value, Branch):
            (node,) = [each for each in node.inner if each.branch_name == value.name]
            return as_fastavro(node, value.value)
        return None if value is None or node.optional is None else as_fastavro(node.optional, value)
    if node.type == "record":
        return {each.name: as_fastavro(each.type, value[each.name]) for each in node.fields}
    if node.type == "array":
        return [as_fastavro(node.inner[0], each) for each in value]
    if node.type == "map":
        return {name: as_fastavro(node.inner[0], each) for name, each in value}
    return value


def with_defaults(node: Node, value: Any) -> Any:
    """Convert defaults in fastavro's values, which it leaves as in JSON."""
    if node.type == "union":
        # Random unions of several types have one record and no other dict.
        records = [each for each in node.inner if each.type == "record" and isinstance(value, dict)]
        inner = node.optional or next(iter(records), None)
        return value if value is None or inner is None else with_defaults(inner, value)
    if node.type in ("bytes", "fixed"):
        return value.encode("latin-1") if isinstance(value, str) else value
    if node.type in ("float", "double"):
        # fastavro does not round an int that becomes a float.
        return as_float(float(value)) if node.type == "float" else float(value)
    if node.type == "record":
        return {each.name: with_defaults(each.type, value[each.name]) for each in node.fields}
    if node.type == "array":
        return [with_defaults(node.inner[0], each) for each in value]
    return {name: with_defaults(node.inner[0], each) for name, each in value.items()} if node.type == "map" else value


def shown(value: Any) -> str:
    """A value as text, without the order of a dict's names."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {shown(each)}' for name, each in sorted(value.items()))}}}"
    return f"[{', '.join(map(shown, value))}]" if isinstance(value, list) else repr(value)


@given(st.integers(0, 2**32))
def test_values_as_written(seed: int) -> None:
    random = Random(seed)
    schema = without_logical(random_avro.Schemas(random).record())
    node = parse(json.dumps(schema))
    values = random_avro.Values(random, odd=0)
    parsed, read = fastavro.parse_schema(schema), reading(node)
    for _ in range(10):
        data = values.bytes_of(node)
        value, left = read_value(read, data)
        assert left == 0
        assert shown(as_fastavro(node, value)) == shown(fastavro.schemaless_reader(io.BytesIO(data), parsed, None))


@given(st.integers(0, 2**32))
def test_values_as_resolved(seed: int) -> None:
    random = Random(seed)
    schemas = random_avro.Schemas(random)
    written = without_logical(schemas.record())
    grown = without_logical(schemas.grown(written))
    with suppress(KafkafmtError):
        writer, reader = (parse(json.dumps(each)) for each in (written, grown))
        read = reading(writer, reader)
        data = random_avro.Values(random, odd=0).bytes_of(writer)
        theirs = [fastavro.parse_schema(each) for each in (written, grown)]
        try:
            value = shown(as_fastavro(reader, read_value(read, data)[0]))
        except KafkafmtError:
            # A branch or symbol that the reader lacks, or bytes that are not text.
            with pytest.raises((SchemaResolutionError, IndexError, UnicodeDecodeError)):
                fastavro.schemaless_reader(io.BytesIO(data), theirs[0], theirs[1])
        else:
            found = fastavro.schemaless_reader(io.BytesIO(data), theirs[0], theirs[1])
            assert value == shown(with_defaults(reader, found))
