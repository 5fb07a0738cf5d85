"""The Spark part of tools/demo: `python demo_spark.py LOG_DIR OUTPUT` writes records as Parquet."""

import os
import re
import shlex
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from demo_start import program


def main(log_dir: Path, output: Path) -> None:
    """Write all records, and print the number of records by topic and how to read the files."""
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": f"{max(1024, min(1024 * (os.cpu_count() or 1), memory_mb // 2))}m",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
    }
    spark = SparkSession.builder.master("local[*]").appName("kafkafmt demo").config(map=settings).getOrCreate()
    print(f"(progress: {spark.sparkContext.uiWebUrl})", flush=True)
    read_records(spark, log_dir).write.mode("overwrite").parquet(str(output))
    pattern = re.sub(r"[\\*?\[\]{}]", r"\\\g<0>", str(output))  # Spark reads a path as a pattern
    records = spark.read.parquet(pattern)
    times = F.min("timestamp").alias("earliest"), F.max("timestamp").alias("latest")
    counted = records.groupBy("topic").agg(F.count("*").alias("records"), *times)
    counted.orderBy(F.desc("records"), "topic").show(12, truncate=False)
    sizes = [file.stat().st_size for file in output.glob("part-*")]
    written = f"{records.count():,} records of {log_dir}"
    print(f"{written} are now in {output} (Parquet files: {len(sizes)}, {sum(sizes):,} bytes). To read them:")
    code = f"import pyarrow.parquet; print(pyarrow.parquet.read_table({str(output)!r}))"
    print(f"  {program(Path(sys.executable), 'python')} -c {shlex.quote(code)}")
    print(f"  or in Spark: spark.read.parquet({pattern!r})")
    spark.stop()


def read_records(spark: SparkSession, log_dir: Path) -> DataFrame:
    """Read all records of a log directory with all columns, without damaged ones."""
    options = {"includeHeaders": "true", "includeMetadata": "true", "mode": "DROPMALFORMED"}
    return spark.read.format("kafkafmt").options(**options).load(str(log_dir.resolve()))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
