"""Typed keys and values in Spark: the types of decoded columns, and their Arrow data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from pyspark_kafkafmt.columns import FIRST_MS, LAST_MS, STORED

if TYPE_CHECKING:
    from kafkafmt.scanning import Scan
    from kafkafmt.values import Schemas
    from kafkafmt.values.decode_arguments import DecodeArguments
    from kafkafmt.values.decoding import DecodingErrors, ValueDecoder

TYPED: Final = ("key", "value", "keySchemaId", "valueSchemaId", "keyError", "valueError", *STORED)
"""Columns that decoding creates."""

_TYPES: Final[Mapping[pa.DataType, DataType]] = {
    pa.null(): StringType(),
    pa.bool_(): BooleanType(),
    pa.int8(): ByteType(),
    pa.int16(): ShortType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.uint8(): ShortType(),
    pa.uint16(): IntegerType(),
    pa.uint32(): LongType(),
    pa.uint64(): DecimalType(20, 0),
    pa.float32(): FloatType(),
    pa.float64(): DoubleType(),
    pa.string(): StringType(),
    pa.large_string(): StringType(),
    pa.binary(): BinaryType(),
    pa.large_binary(): BinaryType(),
    pa.date32(): DateType(),
    pa.duration("us"): DayTimeIntervalType(),
}
_A_MS: Final = {"s": (1000, 1), "ms": (1, 1), "us": (1, 1000), "ns": (1, 1_000_000)}
"""Milliseconds in a unit of time, as a fraction."""


@dataclass(frozen=True)
class TypedColumns:
    """Decodes the keys and values of a read; made on the driver, pickled, and used by the tasks.

    Attributes:
        decoder: decodes record batches.
    """

    decoder: "ValueDecoder"

    @classmethod
    def of(cls, scan: "Scan", arguments: "DecodeArguments") -> "TypedColumns":
        """Determine the formats of a scan's topics from their first records, as `Scan.decode` does.

        Args:
            scan: the records.
            arguments: how they are decoded.

        Raises:
            KafkafmtError, ValueError: as for `Scan.decode`; or there are internal topics beside others.
        """
        from kafkafmt.values.typed import decode

        decoder = decode(scan.without_warnings(), arguments).decoder
        if decoder.internal:
            # Spark plans its own scan, which reads them too.
            named = f"the values of {decoder.internal[0]} and {decoder.topic} have different types"
            raise ValueError(f"{named}: decode one topic of {decoder.topic}")
        return cls(decoder.with_columns([*decoder.schema.names, *STORED]))

    @property
    def types(self) -> dict[str, DataType]:
        """The types of the decoded columns in Spark."""
        return {each.name: spark_type_of_values(each.type) for each in self._fields}

    @property
    def arrow_types(self) -> dict[str, pa.DataType]:
        """The same in Arrow."""
        return {each.name: spark_arrow_type(each.type) for each in self._fields}

    @property
    def _fields(self) -> list[pa.Field]:
        schema = self.decoder.schema
        return [schema.field(name) for name in TYPED if name in schema.names]

    def among(self, columns: Sequence[str]) -> "TypedColumns":
        """The same for some columns of the decoded records."""
        schema = self.decoder.schema
        return TypedColumns(self.decoder.with_schema(pa.schema([schema.field(name) for name in columns])))

    @property
    def scanned(self) -> list[str]:
        """The columns to read."""
        return self.decoder.scanned

    def decode(self, batch: pa.RecordBatch, account: "DecodingErrors") -> Iterator[pa.RecordBatch]:
        """Decode a record batch of a scan; the typed columns have Spark's types.

        Raises:
            DataError: a key or value cannot be decoded, unless such values are skipped.
        """
        kinds = self.arrow_types
        for part in self.decoder.decode(batch, account):
            names = part.schema.names
            arrays = [as_spark(part.column(name)) if name in kinds else part.column(name) for name in names]
            yield pa.RecordBatch.from_arrays(arrays, names)


def schemas_of(schemas: "Schemas | str | None") -> "Schemas | None":
    """The schemas of a source, or the given schemas."""
    from kafkafmt.values import Schemas
    from kafkafmt.values import schemas as read

    return schemas if schemas is None or isinstance(schemas, Schemas) else read(schemas)


def spark_type_of_values(kind: pa.DataType) -> DataType:
    """The type in Spark of decoded values; times of day and decimals of more than 38 digits are text.

    Raises:
        TypeError: no format has such a type.
    """
    if pa.types.is_struct(kind):
        return StructType([StructField(each.name, spark_type_of_values(each.type)) for each in kind])
    if pa.types.is_list(kind):
        return ArrayType(spark_type_of_values(kind.value_type))
    if pa.types.is_map(kind):
        return MapType(spark_type_of_values(kind.key_type), spark_type_of_values(kind.item_type))
    if pa.types.is_timestamp(kind):
        return TimestampType() if kind.tz else TimestampNTZType()
    if pa.types.is_decimal128(kind):
        return DecimalType(kind.precision, kind.scale)
    if pa.types.is_time(kind) or pa.types.is_decimal256(kind):
        return StringType()
    if pa.types.is_fixed_size_binary(kind):
        return BinaryType()
    known = _TYPES.get(kind)
    if known is None:
        raise TypeError(f"Spark has no type for {kind}")
    return known


def spark_arrow_type(kind: pa.DataType) -> pa.DataType:
    """The type of Arrow in which Spark expects decoded values."""
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, spark_arrow_type(each.type)) for each in kind])
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", spark_arrow_type(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(spark_arrow_type(kind.key_type), pa.field("value", spark_arrow_type(kind.item_type)))
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_null(kind) or pa.types.is_time(kind) or pa.types.is_decimal256(kind):
        return pa.string()
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    wider = {
        pa.uint8(): pa.int16(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
    }
    return wider.get(kind, kind)


def as_spark(array: pa.Array) -> pa.Array:
    """Convert decoded values to Spark's types; times outside the years 1 to 9999 are null."""
    kind, made = array.type, spark_arrow_type(array.type)
    if pa.types.is_struct(kind):
        inner = [as_spark(array.field(number)) for number in range(kind.num_fields)]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(inner, fields=list(made), mask=mask)
    if pa.types.is_list(kind):
        return pa.ListArray.from_arrays(_offsets(array), as_spark(array.values), made, mask=_mask(array))
    if pa.types.is_map(kind):
        items = pa.MapArray.from_arrays(_offsets(array), as_spark(array.keys), as_spark(array.items), made)
        return _nulled(items, array)
    if pa.types.is_timestamp(kind):
        return _microseconds(array, made)
    return array if kind == made else array.cast(made)


def _offsets(array: pa.Array) -> pa.Array:
    """The offsets of lists or maps, also for a slice; none of them is null."""
    every = np.frombuffer(array.buffers()[1], np.int32)
    return pa.array(every[array.offset : array.offset + len(array) + 1])


def _mask(array: pa.Array) -> pa.Array | None:
    return array.is_null() if array.null_count else None


def _nulled(made: pa.Array, array: pa.Array) -> pa.Array:
    """An array with the nulls of another one."""
    return pc.if_else(array.is_valid(), made, pa.scalar(None, made.type)) if array.null_count else made


def _microseconds(array: pa.Array, made: pa.DataType) -> pa.Array:
    times, parts = _A_MS[array.type.unit]
    numbers = array.view(pa.int64())
    least, most = FIRST_MS * parts // times, (LAST_MS * parts + parts - 1) // times
    fits = pc.and_(pc.greater_equal(numbers, max(least, -(2**63))), pc.less_equal(numbers, min(most, 2**63 - 1)))
    kept = pc.if_else(fits, numbers, pa.scalar(None, pa.int64()))
    return kept.view(array.type).cast(made, safe=False)
