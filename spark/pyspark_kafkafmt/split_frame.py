"""A DataFrame of splits: one task for each, without a shuffle, by Spark's DataFrame functions alone."""

import pickle
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

T = TypeVar("T")


def map_splits(
    spark: "SparkSession",
    splits: "Sequence[T]",
    read: "Callable[[T], Iterator[pa.RecordBatch]]",
    schema: "StructType",
) -> "DataFrame":
    """Make a DataFrame of what is read from splits, its partitions in their order.

    All splits travel with the function, which Spark sends to an executor once; a task unpickles its own alone.

    Args:
        spark: the session, a classic one or one of Spark Connect.
        splits: what to read: parts of a scan, or whatever else `read` takes.
        read: pickled, and called on a worker for each split.
        schema: columns of what it gives.
    """
    pickled = [pickle.dumps(split, pickle.HIGHEST_PROTOCOL) for split in splits]

    def run(numbers: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        from kafkafmt.errors import KafkafmtError
        from pyspark_kafkafmt.plain_errors import plainly
        from pyspark_kafkafmt.worker_upkeep import lighten_upkeep

        try:
            for batch in numbers:
                for number in batch.column(0).to_pylist():
                    yield from read(pickle.loads(pickled[number]))  # noqa: S301 - what the driver pickled
        except KafkafmtError as error:
            raise plainly(error) from None
        finally:
            lighten_upkeep()

    count = len(pickled)
    return spark.range(0, count, 1, max(count, 1)).mapInArrow(run, schema)
