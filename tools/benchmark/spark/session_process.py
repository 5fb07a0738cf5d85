"""A process with a Spark session that reads as it is told: `python -m benchmark.spark.session_process SETTINGS`.

The argument is JSON: Spark's settings, `spark.master` among them. Each line of standard input is a job, each line of
standard output what came of it, both JSON. The first line of output says that the session is ready.
"""

import json
import os
import platform
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypedDict

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from benchmark.spark import programs
from benchmark.spark.programs import Program
from pyspark_kafkafmt import parse_segment, read_log_dirs

_PACKAGES = ("kafkafmt", "numba", "numpy", "pyarrow")
_CAUSE = re.compile(r"\w*(?:OutOfMemoryError|KafkafmtError|CorruptError|SourceError|LimitExceededError)\b")
_LONGEST = 300


class Job(TypedDict):
    """What is to be read, and how.

    Attributes:
        program: key of the program.
        topic: what to read.
        partitions: of the topic.
        log_dir: where it is on disk.
        servers: the broker that has it.
        check: whether to say what the rows are, instead of reading them as fast as it can.
    """

    program: str
    topic: str
    partitions: Sequence[int]
    log_dir: str
    servers: str
    check: bool


def main(arguments: Sequence[str]) -> None:
    """Answer each line of standard input, until it ends."""
    # What Spark or its Java prints must not be taken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        builder = SparkSession.builder.appName("kafkafmt benchmark").config(map=json.loads(arguments[0]))
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        _say(answers.write, versions(spark))
        answers.flush()
        for line in sys.stdin:
            _say(answers.write, answer(spark, json.loads(line)))
            answers.flush()


def versions(spark: SparkSession) -> dict[str, str]:
    """Tell the versions of what is measured here."""
    java = spark.sparkContext._jvm.System.getProperty("java.version")  # type: ignore[union-attr] # noqa: SLF001
    found = {"Spark": spark.version, "Python": platform.python_version(), "Java": java}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _say(write: Callable[[str], object], what: Mapping[str, Any]) -> None:
    write(json.dumps(what) + "\n")


def answer(spark: SparkSession, job: Job) -> dict[str, Any]:
    """Do a job; returns rows and a checksum of them if it is to be checked, or an error."""
    try:
        frame = read(spark, job)
        if not job["check"]:
            frame.write.format("noop").mode("overwrite").save()
            return {}
        hashed = F.bit_xor(F.xxhash64(*frame.columns)).alias("checksum")
        row = frame.agg(F.count(F.lit(1)).alias("rows"), hashed).collect()[0]
        return {"rows": row["rows"], "checksum": row["checksum"], "columns": frame.columns}
    except Exception as error:  # noqa: BLE001 - whatever Spark raises is the result
        return {"error": in_short(str(error) or type(error).__name__, job["log_dir"])}


def read(spark: SparkSession, job: Job) -> DataFrame:
    """Make the DataFrame of a job."""
    program = programs.program(job["program"])
    return _READERS[program.session](spark, program, job)


def _kafka(spark: SparkSession, program: Program, job: Job) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", job["servers"])
    return reader.option("assign", _assigned(job)).load().select(*program.columns)


def _source(spark: SparkSession, program: Program, job: Job) -> DataFrame:
    reader = spark.read.format("kafkafmt").option("assign", _assigned(job))
    if program.key == programs.SOURCE_KEY_VALUE:
        reader = reader.schema("key binary, value binary")
    return reader.load(job["log_dir"]).select(*program.columns)


def _log_dirs(spark: SparkSession, program: Program, job: Job) -> DataFrame:
    return read_log_dirs(spark, job["log_dir"], topics={job["topic"]: job["partitions"]}, columns=program.columns)


def _binary_file(spark: SparkSession, program: Program, job: Job) -> DataFrame:
    log_dir = Path(job["log_dir"])
    paths = [str(path) for each in job["partitions"] for path in sorted(log_dir.glob(f"{job['topic']}-{each}/*.log"))]
    files = spark.read.format("binaryFile").load(paths)
    records = F.explode(parse_segment("path", "content", columns=program.columns))
    return files.select(records.alias("record")).select("record.*")


_READERS: Mapping[str, Callable[[SparkSession, Program, Job], DataFrame]] = {
    programs.KAFKA: _kafka,
    programs.SOURCE: _source,
    programs.LOG_DIRS: _log_dirs,
    programs.BINARY_FILE: _binary_file,
}


def _assigned(job: Job) -> str:
    return json.dumps({job["topic"]: list(job["partitions"])})


def in_short(error: str, log_dir: str) -> str:
    """Tell what went wrong, from a cause that we know on, without directories or names of this machine.

    Args:
        error: all that Spark says.
        log_dir: what was read.
    """
    found = _CAUSE.search(error)
    lines = [line.strip() for line in error[found.start() if found else 0 :].splitlines() if line.strip()]
    return " ".join((lines or ["it said nothing"])[0].replace(log_dir, "").split())[:_LONGEST]


if __name__ == "__main__":
    main(sys.argv[1:])
