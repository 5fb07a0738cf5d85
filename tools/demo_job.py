"""The main part of tools/demo: runs commands on a log directory and writes its records as Parquet."""

import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import kafkafmt
from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS, TRANSACTION_STATE
from kafkafmt.values.registry_log import SCHEMAS_TOPIC

EXIT_FAILED, EXIT_USAGE, EXIT_UNREADABLE, EXIT_INTERRUPTED = 1, 2, 3, 130

# Commands to show, each with the topic that it needs, if any.
_COMMANDS = {
    "verify": None,
    "space": None,
    "metadata --show topics": CLUSTER_METADATA,
    "groups": CONSUMER_OFFSETS,
    "transactions --open": TRANSACTION_STATE,
    "producers": TRANSACTION_STATE,
    "schemas --show topics": SCHEMAS_TOPIC,
}
_LINES = 12


def main(arguments: list[str]) -> int:
    """Read the log directory named by the only argument, and report; returns the exit code."""
    log_dir = Path(arguments[0])
    logging.disable()  # py4j would log an interruption as an error
    try:
        output = choose_output(log_dir, Path.cwd())
        if not _show_answers(log_dir):
            print("\nThere are no records for Spark.")
            return 0
    except (ValueError, kafkafmt.KafkafmtError) as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_UNREADABLE if isinstance(error, kafkafmt.KafkafmtError) else EXIT_USAGE
    scratch = Path(tempfile.mkdtemp(prefix="kafkafmt-demo-"))
    try:
        with _stderr_to(scratch / "spark.log"):
            _write_parquet(_start_spark(scratch), log_dir, output)
    except KeyboardInterrupt:
        print("tools/demo: interrupted", file=sys.stderr)
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(EXIT_INTERRUPTED)  # a normal exit would wait for Spark, which ends once this pipe closes
    except (PySparkException, Py4JError) as error:
        with (scratch / "spark.log").open("a") as log:
            traceback.print_exc(file=log)
        reason = " ".join(str(error).splitlines()[:2])
        print(f"tools/demo: Spark failed: {reason}\nIts log, and the whole error: {log.name}", file=sys.stderr)
        return EXIT_FAILED
    shutil.rmtree(scratch)
    return 0


def choose_output(log_dir: Path, directory: Path) -> Path:
    """Decide where the Parquet files go: below `directory`, named for the path of the log directory.

    Raises:
        ValueError: that is inside the log directory, or holds files that this demo did not write.
    """
    real, here = log_dir.resolve(), directory.resolve()
    shown = real.relative_to(here) if real != here and real.is_relative_to(here) else real
    # Spark takes other characters for a pattern.
    output = here / "demo-output" / (re.sub(r"[^\w.-]", "_", str(shown).strip("/")) or "root")
    if output.is_relative_to(real):
        raise ValueError(f"{output} would be inside the log directory: run this from another directory")
    names = os.listdir(output) if output.is_dir() else [output.name] if os.path.lexists(output) else []
    if foreign := [name for name in names if not name.startswith((".", "_SUCCESS", "part-"))]:
        raise ValueError(f"{output} holds what this demo did not write ({foreign[0]}): move it away")
    if names:
        print(f"{output} is there from an earlier run and will be overwritten.", flush=True)
    return output


def _show_answers(log_dir: Path) -> bool:
    """Show the output of the commands; returns whether there are records.

    Raises:
        KafkafmtError: the directory cannot be read, or holds nothing of Kafka's.
    """
    sizes: Counter[str] = Counter()
    for partition in kafkafmt.scan(log_dir, on_damage="skip").partitions:
        sizes[str(partition.topic)] += sum(segment.size for segment in partition.segments)
    for command, topic in _COMMANDS.items():
        if topic is None or topic in sizes:
            _show(command, log_dir)
    if not +sizes:
        return False
    largest = max(sizes, key=lambda name: (not name.startswith("_"), sizes[name], name))
    typed = "--value-format auto " if SCHEMAS_TOPIC in sizes else ""
    _show(f"cat --topic {shlex.quote(largest)} {typed}--limit 5 --on-damage skip", log_dir)
    return True


def _show(command: str, log_dir: Path) -> None:
    """Run a command of kafkafmt, and print the beginning of what it says; the lines of a table are cut."""
    name, *options = shlex.split(command)
    arguments = [name, str(log_dir), *options]
    print(f"\n$ {_program('kafkafmt')} {shlex.join(arguments)}", flush=True)
    run = subprocess.run(
        [sys.executable, "-m", "kafkafmt", *arguments],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    width = shutil.get_terminal_size((120, 40)).columns
    lines = run.stdout.splitlines()
    for line in lines[:_LINES]:
        print(line if len(line) <= width or name == "verify" else f"{line[: width - 1]}…")
    if len(lines) > _LINES:
        print(f"... and {len(lines) - _LINES:,} more lines")


def _program(name: str) -> str:
    """Name a program of this environment as a shell in the current directory finds it."""
    path = os.path.join(sys.prefix, "bin", name)
    relative = os.path.relpath(path)
    return shlex.quote(path if relative.startswith(os.pardir) else relative)


def _start_spark(scratch: Path) -> SparkSession:
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
    """Read all records of a log directory with all columns; damage is left out."""
    options: dict[str, bool | float | int | str | None] = {"includeHeaders": True, "includeMetadata": True}
    reader = spark.read.format("kafkafmt").options(**options, mode="DROPMALFORMED")
    return reader.load(str(log_dir.resolve()))


def _write_parquet(spark: SparkSession, log_dir: Path, output: Path) -> None:
    """Write all records, and print how many each topic has, and how to read the files."""
    print("\nAll records on Spark, spark.read.format('kafkafmt'), by topic:", flush=True)
    with _progress(spark):
        read_records(spark, log_dir).write.mode("overwrite").parquet(str(output))
    pattern = re.sub(r"[\\*?\[\]{}]", r"\\\g<0>", str(output))  # Spark takes a path for a pattern
    records = spark.read.parquet(pattern)
    counted = records.groupBy("topic").agg(
        F.count("*").alias("records"), F.min("timestamp").alias("earliest"), F.max("timestamp").alias("latest")
    )
    counted.orderBy(F.desc("records"), "topic").show(_LINES, truncate=False)
    sizes = [file.stat().st_size for file in output.glob("part-*")]
    written = f"{records.count():,} records of {log_dir.resolve()}"
    print(f"{written} are now in {output} (Parquet files: {len(sizes)}, {sum(sizes):,} bytes). To read them:")
    code = f"import pyarrow.parquet; print(pyarrow.parquet.read_table({str(output)!r}))"
    print(f"  {_program('python')} -c {shlex.quote(code)}\n  or in Spark: spark.read.parquet({pattern!r})")
    spark.stop()


@contextmanager
def _stderr_to(log: Path) -> Iterator[None]:
    """Send what Spark's processes write on stderr to a file; what this process prints there still comes out."""
    descriptor = os.dup(2)
    with log.open("wb") as file, os.fdopen(descriptor, "w", buffering=1) as stderr:
        os.dup2(file.fileno(), 2)
        previous, sys.stderr = sys.stderr, stderr
        try:
            yield
        finally:
            sys.stderr = previous
            os.dup2(descriptor, 2)


@contextmanager
def _progress(spark: SparkSession) -> Iterator[None]:
    """Show on a terminal how many of Spark's tasks are done."""
    done = threading.Event()

    def show() -> None:
        tracker = spark.sparkContext.statusTracker()
        while sys.stderr.isatty() and not done.wait(0.5):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            text = ", ".join(f"{stage.numCompletedTasks} of {stage.numTasks} tasks" for stage in stages if stage)
            print(f"reading: {text:30}", end="\r", file=sys.stderr, flush=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if sys.stderr.isatty():
            print(" " * 40, end="\r", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
