"""What decoded records look like as columns: a struct of the key's fields and one of the value's, or both as JSON.

The struct of a message has the fields of all its versions, named as in Kafka's schemas; those that a version has not
are null. Times stay numbers of ms, UUIDs are Kafka's text of them, unsigned integers take the next larger signed type.
"""

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from kafkafmt import columns as record_columns
from kafkafmt.record_columns import COLUMNS
from kafkafmt.reference.messages import Field, message
from kafkafmt.topics.kinds import Kind

_TYPES: Final[dict[str, pa.DataType]] = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "uint16": pa.int32(),
    "int32": pa.int32(),
    "uint32": pa.int64(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "bytes": pa.binary(),
    "uuid": pa.string(),
}

_WHERE = ("topic", "partition", "offset", "timestamp")
_OF_CONTENT = ("key", "value", "timestampType", "headers", "isControl", "controlType")
_PROVENANCE = tuple(name for name in COLUMNS if name not in (*_WHERE, *_OF_CONTENT))

OF_SCAN: Final = (*_WHERE, *_PROVENANCE)
"""Columns that are as `kafkafmt.scan` has them."""

DECODED_FROM: Final = ("key", "value", "controlType")
"""Columns of `kafkafmt.scan` that the others are made of."""

_UNDECODED = (pa.field("error", pa.string()), pa.field("keyBytes", pa.binary()), pa.field("valueBytes", pa.binary()))
_AS_JSON = (
    pa.field("kind", pa.string()),
    pa.field("type", pa.int16()),
    pa.field("key", pa.string()),
    pa.field("valueVersion", pa.int16()),
    pa.field("value", pa.string()),
)


def message_type(name: str) -> pa.StructType:
    """The struct of a message, by Kafka's name of it.

    Raises:
        ValueError: there is no such message.
    """
    return _struct(message(name).fields)


def schema_of(kind: Kind | str, columns: Sequence[str] | None) -> pa.Schema:
    """Columns of one kind of record, or of all kinds of a topic.

    Args:
        kind: the kind, or the topic.
        columns: names of those wanted, in this order; None for all.

    Raises:
        ValueError: an unknown or repeated name, or none at all.
        TypeError: `columns` is a str.
    """
    content = _AS_JSON if isinstance(kind, str) else _as_structs(kind)
    whole = pa.schema([*map(_of_scan, _WHERE), *content, *_UNDECODED, *map(_of_scan, _PROVENANCE)])
    if columns is None:
        return whole
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names, not the str {columns!r}")
    names = list(columns)
    unknown = [name for name in names if name not in whole.names]
    if unknown:
        raise ValueError(f"unknown columns {unknown}; known are {whole.names}")
    if not names or len(set(names)) != len(names):
        raise ValueError(f"columns must be one or more different names, not {names}")
    return pa.schema([whole.field(name) for name in names])


def _as_structs(kind: Kind) -> list[pa.Field]:
    """Columns of key and value; a message without fields has no column, for Parquet has no struct without fields."""
    parts = [("key", kind.key), ("valueVersion", None), ("value", kind.value)]
    fields = []
    for column, name in parts:
        if column == "valueVersion":
            fields.append(pa.field(column, pa.int16()))
        elif name is not None and message(name).fields:
            fields.append(pa.field(column, message_type(name)))
    return fields


def _of_scan(name: str) -> pa.Field:
    return record_columns.SCHEMA.field(name)


def _struct(fields: Sequence[Field]) -> pa.StructType:
    return pa.struct([pa.field(field.name, _type(field)) for field in fields])


def _type(field: Field) -> pa.DataType:
    single = _struct(field.fields) if field.type == "struct" else _TYPES[field.type]
    return pa.list_(pa.field("element", single)) if field.is_array else single
