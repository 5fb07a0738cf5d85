"""The columns of records: names, types, order and sources of values. Uses neither Arrow nor numpy.

A new column needs an entry in `COLUMNS` and a source of its value: a field of `BatchHeader` or `Record`. The schemas of
Arrow (`kafkafmt.columns`) and Spark, both engines and the tables of internal topics derive from it. A column that
differs between the records of a batch is also made in `columnar/outputs.py`, from the kernels' arrays.

The names are those of DumpLogSegments and of Spark's `kafka` source.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from kafkafmt.reference.header import TIMESTAMP_TYPE_IDS
from kafkafmt.reference.layout import COMPRESSION, CONTROL, LOG_APPEND_TIME, TRANSACTIONAL

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader
    from kafkafmt.reference.record import Record

Type = Literal["binary", "bool", "int8", "int16", "int32", "int64", "string", "timestamp", "headers"]
"""Arrow's name of a type; "timestamp" is ms in UTC, "headers" a list of structs of key and value."""

ALWAYS: Final = object()
"""Placeholder for `absent`: kernels fill the column, for all records of v0 and v1, and of v2 if it has no `field`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a run of records: topic, partition and file."""

    topic: str | None
    partition: int | None
    file: str


@dataclass(frozen=True, slots=True)
class RecordColumn:
    """One column. The reference engine calls whichever of `of_record`, `of_batch` and `of_origin` is set.

    Attributes:
        type: type of the column.
        of_record: returns the value of a record.
        of_batch: returns the value for all records of a batch.
        of_origin: returns the value for all records of a file.
        nullable: whether the value can be null.
        field: the columnar engine's source in format 2: a field of `columnar.headers.HEADER`; None if it is filled by
            kernels or comes from the origin.
        of_field: converts an array of the field's values (of codec ids for "compression"); None takes them as they are.
        absent: the value where a format, or a run of records, has none; or a function that gives formats v0 and v1 a
            value, from an array of formats and one of attributes.
    """

    name: str
    type: Type
    _: KW_ONLY
    of_record: Callable[["Record"], Any] | None = None
    of_batch: Callable[["BatchHeader"], Any] | None = None
    of_origin: Callable[[Origin], str | int | None] | None = None
    nullable: bool = False
    field: str | None = None
    of_field: Callable[[Any], Any] | None = None
    absent: int | Callable[[Any, Any], Any] | object | None = ALWAYS


_IN_ORDER = (
    RecordColumn("key", "binary", of_record=lambda record: record.key, nullable=True, absent=None),
    RecordColumn("value", "binary", of_record=lambda record: record.value, nullable=True),
    RecordColumn("topic", "string", of_origin=lambda origin: origin.topic, nullable=True),
    RecordColumn("partition", "int32", of_origin=lambda origin: origin.partition, nullable=True),
    RecordColumn("offset", "int64", of_record=lambda record: record.offset),
    RecordColumn("timestamp", "timestamp", of_record=lambda record: record.timestamp),
    RecordColumn(
        "timestampType",
        "int32",
        of_record=lambda record: TIMESTAMP_TYPE_IDS[record.timestamp_type],
        field="attributes",
        of_field=lambda attributes: (attributes & LOG_APPEND_TIME != 0).astype("int32"),
        absent=lambda magic, attributes: (
            (attributes & LOG_APPEND_TIME != 0).astype("int32") * (magic > 0) - (magic == 0)
        ),
    ),
    RecordColumn("headers", "headers", of_record=lambda record: record.headers or None, nullable=True, absent=None),
    RecordColumn(
        "partitionLeaderEpoch",
        "int32",
        of_batch=lambda batch: batch.partition_leader_epoch,
        field="partition_leader_epoch",
        absent=-1,
    ),
    RecordColumn("producerId", "int64", of_batch=lambda batch: batch.producer_id, field="producer_id", absent=-1),
    RecordColumn(
        "producerEpoch", "int16", of_batch=lambda batch: batch.producer_epoch, field="producer_epoch", absent=-1
    ),
    RecordColumn("sequence", "int32", of_record=lambda record: record.sequence, absent=-1),
    RecordColumn(
        "isTransactional",
        "bool",
        of_batch=lambda batch: batch.is_transactional,
        field="attributes",
        of_field=lambda attributes: attributes & TRANSACTIONAL != 0,
        absent=False,
    ),
    RecordColumn(
        "isControl",
        "bool",
        of_batch=lambda batch: batch.is_control_batch,
        field="attributes",
        of_field=lambda attributes: attributes & CONTROL != 0,
        absent=False,
    ),
    RecordColumn("controlType", "string", of_record=lambda record: record.control_type, nullable=True, absent=None),
    RecordColumn("magic", "int8", of_batch=lambda batch: batch.magic, field="magic", absent=lambda magic, _: magic),
    RecordColumn(
        "compression",
        "string",
        of_batch=lambda batch: batch.compression,
        field="attributes",
        of_field=lambda attributes: attributes & COMPRESSION,
        absent=lambda _, attributes: attributes & COMPRESSION,
    ),
    RecordColumn("baseOffset", "int64", of_batch=lambda batch: batch.base_offset),
    RecordColumn("position", "int64", of_batch=lambda batch: batch.position),
    RecordColumn("file", "string", of_origin=lambda origin: origin.file),
)

COLUMNS: Final = {column.name: column for column in _IN_ORDER}
"""All columns by name, in order."""
