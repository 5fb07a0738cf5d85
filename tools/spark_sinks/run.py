"""The recipes of docs/spark_recipes.md that need Delta Lake or Iceberg, run unchanged on golden data."""

import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame, SparkSession

import kafkafmt
import proof_frame
import proof_jars
from proof_frame import DIFFERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECIPES = ROOT / "docs" / "spark_recipes.md"
GOLDEN = ROOT / "tests" / "golden"

# Timestamps of every kind, and records without any; headers, codecs, and each column type.
CASES = ("modern/02-timestamps-4.3.1", "modern/01-codecs-4.3.1", "legacy/m0-codecs-0.9.0.1")


def main(arguments: list[str]) -> int:
    """Run the recipes and compare; returns the exit status."""
    return proof_frame.run(arguments, lambda _, home: _prove(home))


def _prove(root: Path) -> int:
    for number, case in enumerate(CASES, 1):
        shutil.copytree(GOLDEN / case / "log-dir", root / "copies" / f"broker-{number}")
    expected = _expected(root / "copies")
    spark = _session(root, proof_jars.sink_jars())
    try:
        names = _run(root, "python", first=2)
        differences = [*_delta(spark, root, names, expected), *_iceberg(spark, root, names, expected)]
    finally:
        spark.stop()
    for difference in differences:
        print(difference)
    print(f"2 sinks, {expected.total()} records each, {len(differences)} differ (Spark {pyspark.__version__})")
    return DIFFERS if differences else 0


def _session(root: Path, jars: list[Path]) -> SparkSession:
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.jars": ",".join(map(str, jars)),
        "spark.local.dir": str(root / "spark"),
        "spark.log.level": "OFF",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(root / "iceberg"),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(root / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    return SparkSession.builder.master("local[2]").appName("kafkafmt sinks").config(map=settings).getOrCreate()


def _run(root: Path, language: str, names: dict[str, Any] | None = None, *, first: int | None = None) -> dict[str, Any]:
    """Run the recipes' code blocks, with paths moved below `root`; returns the names that they define."""
    blocks = re.findall(rf"```{language}\n(.*?)```", RECIPES.read_text(encoding="utf-8"), re.DOTALL)
    code = re.sub(r'(["`])(/(?:copies|lake))', rf"\1{root}\2", "\n".join(blocks[:first]))
    bound = {} if names is None else dict(names)
    exec(compile(code, str(RECIPES), "exec"), bound)
    return bound


def _delta(spark: SparkSession, root: Path, names: dict[str, Any], expected: Counter[Any]) -> list[str]:
    _run(root, "python delta", names)
    merged = spark.read.format("delta").load(str(root / "lake" / "delta"))
    return [*_compare("Delta", merged, expected), *_compare("Delta, loaded twice", spark.table("daily"), expected)]


def _iceberg(spark: SparkSession, root: Path, names: dict[str, Any], expected: Counter[Any]) -> list[str]:
    _run(root, "python iceberg", names)
    written, daily = spark.table("lake.kafka.records"), spark.table("lake.kafka.daily")
    return [*_compare("Iceberg", written, expected), *_compare("Iceberg, loaded twice", daily, expected)]


def _expected(copies: Path) -> Counter[Any]:
    table = kafkafmt.scan(copies).to_table()
    ms = table["timestamp"].cast(pa.int64()).to_pylist()
    columns = [table[name].to_pylist() for name in ("topic", "partition", "offset", "value")]
    headers = [_headers(each) for each in table["headers"].to_pylist()]
    return Counter(zip(*columns, ms, headers, strict=True))


def _compare(name: str, frame: DataFrame, expected: Counter[Any]) -> list[str]:
    rows = frame.select("topic", "partition", "offset", "value", "timestampMs", "headers").toArrow().to_pylist()
    found = Counter((*[row[key] for key in list(row)[:-1]], _headers(row["headers"])) for row in rows)
    lost, added = expected - found, found - expected
    return [
        *(f"{name} lacks {number} of {row}" for row, number in list(lost.items())[:5]),
        *(f"{name} has {number} too many of {row}" for row, number in list(added.items())[:5]),
    ]


def _headers(headers: list[dict[str, Any]] | None) -> tuple[Any, ...] | None:
    return headers if headers is None else tuple(tuple(header.values()) for header in headers)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
