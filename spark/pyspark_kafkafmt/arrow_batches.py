"""Arrow batches in the form that Spark processes fast: its types, its batch size, times that Python can represent."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from kafkafmt.arrays import numbers, of_numpy
from kafkafmt.libraries import pc
from pyspark_kafkafmt.columns import FIRST_MS, LAST_MS, TIMESTAMP_MS, source_columns

if TYPE_CHECKING:
    from kafkafmt.files.damage import Note
    from pyspark_kafkafmt.typed_values import TypedColumns

ROWS: Final = 8192
"""Rows of one batch: the number that Spark processes fastest."""

_TIMESTAMP = "timestamp"
_HEADERS = "headers"
_US_A_MS = 1000

_TIMESTAMP_US: Final = pa.timestamp("us", "UTC")
_HEADER: Final = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
_HEADERS_TYPE: Final = pa.list_(pa.field("element", _HEADER))


class SparkBatches:
    """Turns record batches with kafkafmt's columns into record batches with Spark's; only times are copied.

    Args:
        names: columns of the DataFrame, in order.
        corrupt: the column among them that describes damage.
        typed: decodes keys and values; None to leave them as bytes.

    Attributes:
        schema: Arrow schema of the result; every column is nullable.
        source_columns: the kafkafmt columns that the result is made from, at least one; decoded ones if `typed` is
            given.
        scanned: the columns of `kafkafmt.scan` to read.
    """

    def __init__(self, names: Sequence[str], corrupt: str | None, typed: "TypedColumns | None" = None) -> None:
        from kafkafmt.columns import SCHEMA

        self._names = list(names)
        types = {
            **{field.name: field.type for field in SCHEMA},
            _TIMESTAMP: _TIMESTAMP_US,
            TIMESTAMP_MS: pa.int64(),
            _HEADERS: _HEADERS_TYPE,
        }
        if typed is not None:
            types.update(typed.arrow_types)
        if corrupt is not None:
            types[corrupt] = pa.string()
        self.schema = pa.schema([pa.field(name, types[name]) for name in names])
        # A query without columns still needs the number of rows, so one column is always read.
        self.source_columns = source_columns([name for name in names if name != corrupt]) or ["offset"]
        self._typed = None if typed is None else typed.among(self.source_columns)
        self._account: Any = None if self._typed is None else self._typed.decoder.new_account()
        self.scanned = self.source_columns if self._typed is None else self._typed.scanned
        self._corrupt = corrupt
        self._makers: list[Callable[[pa.RecordBatch], pa.Array]] = [self._maker(name) for name in names]
        self._nulls = pa.nulls(ROWS, pa.string())

    def convert(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Give the rows of a record batch that has the columns `scanned`.

        Raises:
            DataError: a key or value cannot be decoded, unless such values are skipped.
        """
        if self._typed is None:
            yield from self._convert(batch)
            return
        for decoded in self._typed.decode(batch, self._account):
            yield from self._convert(decoded)

    def notes(self) -> "Iterator[Note]":
        """Notes on values that could not be decoded so far."""
        if self._typed is not None:
            yield from self._account.notes(self._typed.decoder.topic)

    def _convert(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        rows = batch.num_rows
        if not self._names:
            # `select([])` keeps the number of rows, so slices of it can be counted.
            empty = batch.select([])
            for begin in range(0, rows, ROWS):
                yield empty.slice(begin, ROWS)
            return
        whole = pa.RecordBatch.from_arrays([make(batch) for make in self._makers], schema=self.schema)
        for begin in range(0, rows, ROWS):
            yield whole.slice(begin, ROWS)

    def _maker(self, name: str) -> Callable[[pa.RecordBatch], pa.Array]:
        if name == self._corrupt:
            return self._no_damage
        if name == TIMESTAMP_MS:
            number = self.source_columns.index(_TIMESTAMP)
            return lambda batch: batch.column(number).view(pa.int64())
        number = self.source_columns.index(name)
        if name == _TIMESTAMP:
            return lambda batch: microseconds(batch.column(number))
        if name == _HEADERS:
            return lambda batch: _nullable_headers(batch.column(number))
        return lambda batch: batch.column(number)

    def _no_damage(self, batch: pa.RecordBatch) -> pa.Array:
        if len(self._nulls) < batch.num_rows:
            self._nulls = pa.nulls(batch.num_rows, pa.string())
        return self._nulls.slice(0, batch.num_rows)


def microseconds(timestamps: pa.Array) -> pa.Array:
    """Convert timestamps from milliseconds to microseconds; null outside the years 1 to 9999.

    Args:
        timestamps: without nulls.
    """
    ms = numbers(timestamps)
    if len(ms) and ms.min() >= FIRST_MS and ms.max() <= LAST_MS:
        us = ms * _US_A_MS
        return pa.Array.from_buffers(_TIMESTAMP_US, len(us), [None, pa.py_buffer(us)])
    fits = (ms >= FIRST_MS) & (ms <= LAST_MS)
    us = np.where(fits, ms, 0) * _US_A_MS
    return pc.if_else(of_numpy(fits), of_numpy(us), pa.scalar(None, pa.int64())).view(_TIMESTAMP_US)


def _nullable_headers(headers: pa.ListArray) -> pa.ListArray:
    """The same headers, with a type in which everything is nullable."""
    rows, offset = len(headers), headers.offset
    validity, offsets = headers.buffers()[:2]
    pairs = headers.values
    keys, values = pairs.field(0), pairs.field(1)
    nullable = pa.StructArray.from_arrays([keys, values], fields=list(_HEADER))
    return pa.Array.from_buffers(
        _HEADERS_TYPE, rows, [validity, offsets], null_count=headers.null_count, offset=offset, children=[nullable]
    )


_TYPES: Final[dict[str, DataType]] = {
    "bool": BooleanType(),
    "int8": ByteType(),
    "int16": ShortType(),
    "int32": IntegerType(),
    "int64": LongType(),
    "double": DoubleType(),
    "string": StringType(),
    "binary": BinaryType(),
}


def spark_schema(columns: "Sequence[pa.Field]") -> StructType:
    """Spark types of columns, all nullable."""
    return StructType([StructField(column.name, spark_type(column.type)) for column in columns])


def spark_type(kind: "pa.DataType") -> DataType:
    """Spark type of an Arrow column.

    Raises:
        TypeError: no table of kafkafmt has such a type.
    """
    if pa.types.is_timestamp(kind):
        return TimestampType()
    if pa.types.is_list(kind):
        return ArrayType(spark_type(kind.value_type))
    if pa.types.is_struct(kind):
        return spark_schema([kind.field(number) for number in range(kind.num_fields)])
    known = _TYPES.get(str(kind))
    if known is None:
        raise TypeError(f"Spark has no type for {kind}")
    return known


def spark_batches(batch: "pa.RecordBatch") -> "Iterator[pa.RecordBatch]":
    """Give the rows of a record batch in batches that Spark processes fast; times outside years 1 to 9999 are null."""
    columns = [_times(column) if pa.types.is_timestamp(column.type) else column for column in batch.columns]
    whole = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
    for begin in range(0, whole.num_rows, ROWS):
        yield whole.slice(begin, ROWS)


def _times(column: "pa.Array") -> "pa.Array":
    if not column.null_count:
        return microseconds(column)
    known = microseconds(column.fill_null(pa.scalar(0, column.type)))
    return pc.if_else(column.is_null(), pa.scalar(None, known.type), known)
