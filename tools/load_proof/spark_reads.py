"""Reads tables with Spark, Delta Lake and Iceberg, and prints their content as JSON on its last line."""

import json
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f


def main(spec: dict[str, str], jars: list[str]) -> None:
    """Read the tables."""
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.jars": ",".join(jars),
        "spark.local.dir": f"{spec['home']}/spark",
        "spark.log.level": "OFF",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": f"{spec['home']}/spark-warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    spark = SparkSession.builder.master("local[2]").appName("kafkafmt load").config(map=settings).getOrCreate()
    try:
        found = {
            "delta": _sums(spark.read.format("delta").load(spec["delta"])),
            "iceberg": _sums(spark.read.format("iceberg").load(spec["iceberg"])),
            "directory": _sums(spark.read.parquet(spec["directory"])),
        }
    finally:
        spark.stop()
    print(json.dumps(found))


def _sums(rows: DataFrame) -> dict[str, int]:
    [sums] = rows.agg(
        f.count("*").alias("rows"),
        f.countDistinct("partition", "offset").alias("places"),
        f.sum(f.unix_millis("timestamp")).alias("timestamps"),
        f.sum(f.crc32("value")).alias("values"),
    ).collect()
    of_a_day = rows.where("timestamp >= '2026-11-19' and timestamp < '2026-11-20'").count()  # skips files
    return {**sums.asDict(), "of_a_day": of_a_day}


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    main(given, given.pop("jars"))
