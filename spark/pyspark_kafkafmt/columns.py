"""Records in Spark: the types of kafkafmt's columns, and their Arrow data.

Each type is the one that Spark's `kafka` source has for the column, or the closest one for kafkafmt's own columns.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

if TYPE_CHECKING:
    import pyarrow as pa

IndexKind = Literal["offset", "time"]

TIMESTAMP_MS: Final = "timestampMs"
"""Our addition to the columns of a scan: the timestamp as the number that Kafka stores, whatever its size."""

STORED: Final = ("keyBytes", "valueBytes")
"""Keys and values as they are stored, if `key` and `value` are decoded; only on request."""

_HEADER = StructType([StructField("key", StringType()), StructField("value", BinaryType())])

_TYPES: Final[dict[str, DataType]] = {
    "binary": BinaryType(),
    "bool": BooleanType(),
    "int8": ByteType(),
    "int16": ShortType(),
    "int32": IntegerType(),
    "int64": LongType(),
    "string": StringType(),
    "timestamp": TimestampType(),
    "headers": ArrayType(_HEADER),
}


@cache
def record_columns() -> dict[str, DataType]:
    """Types of all record columns by name: those of `kafkafmt.record_columns`, and `timestampMs`."""
    from kafkafmt.record_columns import COLUMNS

    return {**{column.name: _TYPES[column.type] for column in COLUMNS.values()}, TIMESTAMP_MS: LongType()}


@cache
def index_columns(kind: IndexKind) -> dict[str, DataType]:
    """Types of the columns of an index by name: those of its entries, and `timestampMs` for a time index."""
    from kafkafmt.files import offset_index, time_index

    if kind == "offset":
        return {column.name: _TYPES[str(column.kind)] for column in offset_index.COLUMNS.columns}
    columns = {column.name: _TYPES[str(column.kind)] for column in time_index.COLUMNS.columns}
    return {**columns, TIMESTAMP_MS: LongType()}


# PySpark cannot convert timestamps outside the years 1 to 9999 to Python: collecting one would end the job.
FIRST_MS: Final = -62_135_596_800_000
LAST_MS: Final = 253_402_300_799_999


def select_columns(all_columns: dict[str, DataType], names: Sequence[str] | None) -> StructType:
    """Make the struct of these columns, in this order; of all columns if `names` is None.

    Raises:
        ValueError: a name is unknown or given twice, or there are no names.
        TypeError: `names` is a str.
    """
    if isinstance(names, str):
        raise TypeError(f"columns must be a list of names, not the str {names!r}")
    chosen = list(all_columns) if names is None else list(names)
    unknown = [name for name in chosen if name not in all_columns]
    if unknown:
        raise ValueError(f"no such column: {', '.join(map(repr, unknown))}; there are {', '.join(all_columns)}")
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError("columns must name at least one column, and none twice")
    return StructType([StructField(name, all_columns[name]) for name in chosen])


def source_columns(names: Sequence[str]) -> list[str]:
    """The kafkafmt columns that these Spark columns are made from."""
    return list(dict.fromkeys("timestamp" if name == TIMESTAMP_MS else name for name in names))


def to_spark(table: "pa.Table", names: Sequence[str]) -> "pa.StructArray":
    """Turn a table with kafkafmt's columns into structs with Spark's.

    Timestamps are converted to microseconds, and are null outside the years 1 to 9999; `timestampMs` keeps all of them.

    Args:
        table: has at least the `source_columns` of `names`; no column may have 2 GiB or more.
        names: fields of the structs, in order.
    """
    import pyarrow as pa

    return pa.StructArray.from_arrays([_column(table, name).combine_chunks() for name in names], names=list(names))


def _column(table: "pa.Table", name: str) -> "pa.ChunkedArray":
    import pyarrow as pa

    from pyspark_kafkafmt.arrow_batches import microseconds

    if name == TIMESTAMP_MS:
        return table["timestamp"].cast(pa.int64())
    column = table[name]
    if name != "timestamp":
        return column
    return pa.chunked_array([microseconds(chunk) for chunk in column.chunks], pa.timestamp("us", "UTC"))
