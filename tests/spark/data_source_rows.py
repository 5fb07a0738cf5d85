"""Expected rows of the data source: those of kafkafmt.scan, sorted."""

import os
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import kafkafmt
from pyspark_kafkafmt.columns import FIRST_MS, LAST_MS

Rows = list[dict[str, Any]]


def load(spark: SparkSession, path: str | os.PathLike[str] | list[str], **options: Any) -> DataFrame:
    reader = spark.read.format("kafkafmt").options(**options)
    return reader.load(path if isinstance(path, list) else str(path))


def load_all_columns(spark: SparkSession, path: str | os.PathLike[str] | list[str], **options: Any) -> DataFrame:
    return load(spark, path, includeHeaders=True, includeMetadata=True, **options)


def rows_of(frame: DataFrame) -> Rows:
    """Rows with times in ms, sorted."""
    table = frame.withColumn("timestamp", F.unix_millis("timestamp")) if "timestamp" in frame.columns else frame
    return sorted(table.toArrow().to_pylist(), key=_order)


def scanned(path: str | os.PathLike[str] | list[str], **options: Any) -> Rows:
    """The expected content of all columns of the data source, from kafkafmt.scan."""
    table = kafkafmt.scan(path, **options).to_table()
    number = table.schema.get_field_index("timestamp")
    rows: Rows = table.set_column(number, "timestamp", table["timestamp"].cast("int64")).to_pylist()
    root = Path(os.fspath(path)) if not isinstance(path, list) else Path()
    for row in rows:
        row["timestampMs"] = row["timestamp"]
        row["timestamp"] = row["timestamp"] if FIRST_MS <= row["timestamp"] <= LAST_MS else None
        row["file"] = str((root.parent if root.is_file() else root) / row["file"])
    return sorted(rows, key=_order)


def _order(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(str(row.get(name)) for name in ("file", "topic", "partition", "offset", "position", "value"))
