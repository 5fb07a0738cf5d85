"""A process with a Spark session that reads on request: `python -m benchmark.spark_session SETTINGS`.

The argument is JSON: Spark's settings. Each line of standard input is a job, each line of standard output its result,
both JSON, or "! " and an error. The first line of output reports that the session is ready.
"""

import json
import os
import platform
import re
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import TypedDict

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from pyspark_kafkafmt import read_log_dirs

_PACKAGES = ("kafkafmt", "numba", "numpy", "pyarrow")
_CAUSE = re.compile(r"\w*(?:OutOfMemoryError|KafkafmtError|CorruptError|SourceError|LimitExceededError)\b")
_LONGEST = 300


class Job(TypedDict):
    """A request to read a topic.

    Attributes:
        program: one of `spark_reads.READERS`.
        topic: the topic to read.
        partitions: partitions of the topic.
        columns: columns of the result.
        log_dir: log directory that holds the topic.
        servers: address of the broker that has the topic.
        check: whether to return a summary of the rows, instead of reading them as fast as possible.
    """

    program: str
    topic: str
    partitions: list[int]
    columns: list[str]
    log_dir: str
    servers: str
    check: bool


def main(arguments: Sequence[str]) -> None:
    """Answer each line of standard input until it ends."""
    # The output of Spark or its Java must not be mistaken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        builder = SparkSession.builder.appName("kafkafmt benchmark").config(map=json.loads(arguments[0]))
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        print(json.dumps(versions(spark)), file=answers, flush=True)
        for line in sys.stdin:
            print(answer(spark, json.loads(line)), file=answers, flush=True)


def versions(spark: SparkSession) -> dict[str, str]:
    """Versions of the measured programs."""
    java = spark.sparkContext._jvm.System.getProperty("java.version")  # type: ignore[union-attr] # noqa: SLF001
    found = {"Spark": spark.version, "Python": platform.python_version(), "Java": java}
    return found | {name: metadata.version(name) for name in _PACKAGES}


def answer(spark: SparkSession, job: Job) -> str:
    """Run a job; returns the number of rows and a checksum of them if they are to be checked."""
    try:
        frame = read(spark, job)
        if not job["check"]:
            frame.write.format("noop").mode("overwrite").save()
            return "{}"
        hashed = F.bit_xor(F.xxhash64(*frame.columns)).alias("checksum")
        row = frame.agg(F.count(F.lit(1)).alias("rows"), hashed).collect()[0]
        return json.dumps({"rows": row["rows"], "checksum": row["checksum"], "columns": frame.columns})
    except Exception as error:  # noqa: BLE001 - any error of Spark is a result
        return f"! {in_short(str(error) or type(error).__name__, job['log_dir'])}"


def read(spark: SparkSession, job: Job) -> DataFrame:
    """Make the DataFrame of a job."""
    topics = {job["topic"]: job["partitions"]}
    if job["program"] == "log-dirs":
        return read_log_dirs(spark, job["log_dir"], topics=topics, columns=job["columns"])
    if job["program"] == "kafka":
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", job["servers"])
        return reader.option("assign", json.dumps(topics)).load().select(*job["columns"])
    reader = spark.read.format("kafkafmt").option("assign", json.dumps(topics))
    if job["columns"] == ["key", "value"]:
        # Spark does not pass a query's columns to a data source in Python.
        reader = reader.schema("key binary, value binary")
    return reader.load(job["log_dir"]).select(*job["columns"])


def in_short(error: str, log_dir: str) -> str:
    """The text of an error, from a known cause on, without directories and names of this machine."""
    found = _CAUSE.search(error)
    lines = [line.strip() for line in error[found.start() if found else 0 :].splitlines() if line.strip()]
    return " ".join((lines or ["it said nothing"])[0].replace(log_dir, "").split())[:_LONGEST]


if __name__ == "__main__":
    main(sys.argv[1:])
