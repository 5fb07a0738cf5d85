"""Tables of kafkafmt as Spark takes them: its types, and times of microseconds that Python can hold."""

from typing import TYPE_CHECKING, Final

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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

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
    """Types of columns in Spark, all nullable."""
    return StructType([StructField(column.name, spark_type(column.type)) for column in columns])


def spark_type(kind: "pa.DataType") -> DataType:
    """Type of an Arrow column in Spark.

    Raises:
        TypeError: a type that no table of kafkafmt has.
    """
    import pyarrow as pa

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
    """Give the rows of a record batch in batches that Spark takes fast; times are null outside the years 1 to 9999."""
    import pyarrow as pa

    from pyspark_kafkafmt.arrow_batches import ROWS

    columns = [_times(column) if pa.types.is_timestamp(column.type) else column for column in batch.columns]
    whole = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
    for begin in range(0, whole.num_rows, ROWS):
        yield whole.slice(begin, ROWS)


def _times(column: "pa.Array") -> "pa.Array":
    import pyarrow as pa
    import pyarrow.compute as pc

    from pyspark_kafkafmt.arrow_batches import microseconds

    if not column.null_count:
        return microseconds(column)
    known = microseconds(column.fill_null(pa.scalar(0, column.type)))
    return pc.if_else(column.is_null(), pa.scalar(None, known.type), known)
