"""The Spark part of tools/demo: `python demo_spark.py LOG_DIR OUTPUT SCRATCH` writes records as Parquet."""

import os
import re
import shlex
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from demo_start import program

_TOPICS = 12


def main(log_dir: Path, output: Path, scratch: Path) -> None:
    """Write all records, and print the number of records by topic and how to read the files."""
    spark = _start(scratch)
    with _progress(spark):
        read_records(spark, log_dir).write.mode("overwrite").parquet(str(output))
    pattern = re.sub(r"[\\*?\[\]{}]", r"\\\g<0>", str(output))  # Spark reads a path as a pattern
    records = spark.read.parquet(pattern)
    counted = records.groupBy("topic").agg(
        F.count("*").alias("records"), F.min("timestamp").alias("earliest"), F.max("timestamp").alias("latest")
    )
    counted.orderBy(F.desc("records"), "topic").show(_TOPICS, truncate=False)
    sizes = [file.stat().st_size for file in output.glob("part-*")]
    written = f"{records.count():,} records of {log_dir}"
    print(f"{written} are now in {output} (Parquet files: {len(sizes)}, {sum(sizes):,} bytes). To read them:")
    code = f"import pyarrow.parquet; print(pyarrow.parquet.read_table({str(output)!r}))"
    print(f"  {program(Path(sys.executable), 'python')} -c {shlex.quote(code)}")
    print(f"  or in Spark: spark.read.parquet({pattern!r})")
    spark.stop()


def _start(scratch: Path) -> SparkSession:
    cores = os.cpu_count() or 1
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": f"{max(1024, min(1024 * cores, memory_mb // 2))}m",
        "spark.local.dir": str(scratch),
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.ui.enabled": "false",
    }
    return SparkSession.builder.master(f"local[{cores}]").appName("kafkafmt demo").config(map=settings).getOrCreate()


def read_records(spark: SparkSession, log_dir: Path) -> DataFrame:
    """Read all records of a log directory with all columns, without damaged ones."""
    options: dict[str, bool | float | int | str | None] = {"includeHeaders": True, "includeMetadata": True}
    reader = spark.read.format("kafkafmt").options(**options, mode="DROPMALFORMED")
    return reader.load(str(log_dir.resolve()))


@contextmanager
def _progress(spark: SparkSession) -> Iterator[None]:
    """Show on a terminal how many Spark tasks are done."""
    done = threading.Event()

    def show() -> None:
        tracker = spark.sparkContext.statusTracker()
        while sys.stdout.isatty() and not done.wait(0.5):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            text = ", ".join(f"{stage.numCompletedTasks} of {stage.numTasks} tasks" for stage in stages if stage)
            print(f"reading: {text:30}", end="\r", flush=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if sys.stdout.isatty():
            print(" " * 40, end="\r", flush=True)


if __name__ == "__main__":
    try:
        main(*map(Path, sys.argv[1:]))
    except (PySparkException, Py4JError) as failure:
        traceback.print_exc()
        sys.exit(f"! {' '.join(str(failure).splitlines()[:2])}")
