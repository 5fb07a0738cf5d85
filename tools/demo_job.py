"""The main part of tools/demo: runs commands on a log directory and writes its records as Parquet."""

import itertools
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

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_INTERRUPTED = 130

# Commands to show, each with the topic that it needs, if any.
_COMMANDS = (
    ("verify", None),
    ("space", None),
    ("metadata --show topics", CLUSTER_METADATA),
    ("groups", CONSUMER_OFFSETS),
    ("transactions --open", TRANSACTION_STATE),
    ("producers", TRANSACTION_STATE),
    ("schemas --show topics", SCHEMAS_TOPIC),
)
_LINES = 12
_HEAP_MB = 1024

# Spark takes a path for a pattern.
_GLOB_CHARACTER = re.compile(r"[\\*?\[\]{}]")
_ESCAPED = r"\\\g<0>"

# The file that says which log directory the files beside it came from; Spark and pyarrow ignore names with underscores.
_ORIGIN = "_LOG_DIR"


def main(arguments: list[str]) -> int:
    """Read the log directory named by the only argument, and report; returns the exit code."""
    log_dir = Path(arguments[0])
    logging.disable()  # py4j would log an interruption as an error
    try:
        output = choose_output(log_dir, Path.cwd())
        if output.exists():
            print(f"{output} is there from an earlier run and will be overwritten.", flush=True)
        has_records = _show_answers(log_dir)
    except ValueError as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_USAGE
    except kafkafmt.KafkafmtError as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_UNREADABLE
    if not has_records:
        print("\nThere are no records for Spark.")
        return 0
    scratch = Path(tempfile.mkdtemp(prefix="kafkafmt-demo-"))
    try:
        with _chatter_to(scratch / "spark.log"):
            spark = _start_spark(scratch)
            _write_parquet(spark, log_dir, output)
            spark.stop()
    except KeyboardInterrupt:
        print("tools/demo: interrupted", file=sys.stderr)
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(EXIT_INTERRUPTED)  # a normal exit would wait for Spark, which ends once this pipe closes
    except (PySparkException, Py4JError) as error:
        log = scratch / "spark.log"
        with log.open("a") as file:
            traceback.print_exc(file=file)
        reason = " ".join(str(error).splitlines()[:2])
        print(f"tools/demo: Spark failed: {reason}\nIts log, and the whole error: {log}", file=sys.stderr)
        return EXIT_FAILED
    shutil.rmtree(scratch)
    return 0


def read_records(spark: SparkSession, log_dir: Path) -> DataFrame:
    """Read all records of a log directory with all columns; damage is left out."""
    reader = spark.read.format("kafkafmt").option("includeHeaders", True).option("includeMetadata", True)  # noqa: FBT003
    return reader.option("mode", "DROPMALFORMED").load(str(log_dir.resolve()))


def _show_answers(log_dir: Path) -> bool:
    """Show the output of the commands; returns whether there are records.

    Raises:
        KafkafmtError: the directory cannot be read, or holds nothing of Kafka's.
    """
    sizes: Counter[str] = Counter()
    for partition in kafkafmt.scan(log_dir, on_damage="skip").partitions:
        sizes[str(partition.topic)] += sum(segment.size for segment in partition.segments)
    for command, topic in _COMMANDS:
        if topic is None or topic in sizes:
            _show(command.split(), log_dir)
    if not +sizes:
        return False
    largest = max(sizes, key=lambda name: (not name.startswith("_"), sizes[name], name))
    typed = ["--value-format", "auto"] if SCHEMAS_TOPIC in sizes else []
    _show(["cat", "--topic", largest, *typed, "--limit", "5", "--on-damage", "skip"], log_dir)
    return True


def _show(command: list[str], log_dir: Path) -> None:
    """Run a command of kafkafmt, and print the beginning of what it says; the lines of a table are cut."""
    is_table = command[0] != "verify"
    command = [command[0], str(log_dir), *command[1:]]
    print(f"\n$ {_program('kafkafmt')} {shlex.join(command)}", flush=True)
    run = subprocess.run(
        [sys.executable, "-m", "kafkafmt", *command],
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
        print(line if len(line) <= width or not is_table else f"{line[: width - 1]}…")
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
        "spark.driver.memory": f"{max(_HEAP_MB, min(_HEAP_MB * cores, memory_mb // 2))}m",
        "spark.local.dir": str(scratch),
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    return SparkSession.builder.master(f"local[{cores}]").appName("kafkafmt demo").config(map=settings).getOrCreate()


def _write_parquet(spark: SparkSession, log_dir: Path, output: Path) -> None:
    """Write all records, and print how many each topic has, and how to read the files."""
    print("\nAll records on Spark, spark.read.format('kafkafmt'), by topic:", flush=True)
    with _progress(spark):
        read_records(spark, log_dir).write.mode("overwrite").parquet(str(output))
    (output / _ORIGIN).write_bytes(os.fsencode(log_dir.resolve()))
    escaped = _GLOB_CHARACTER.sub(_ESCAPED, str(output))
    records = spark.read.parquet(escaped)
    counted = records.groupBy("topic").agg(
        F.count("*").alias("records"), F.min("timestamp").alias("earliest"), F.max("timestamp").alias("latest")
    )
    counted.orderBy(F.desc("records"), "topic").show(_LINES, truncate=False)
    files = list(output.glob("part-*"))
    size = sum(file.stat().st_size for file in files)
    written = f"{records.count():,} records of {log_dir.resolve()}"
    print(f"{written} are now in {output} (Parquet files: {len(files)}, {size:,} bytes). To read them:")
    code = f"import pyarrow.parquet; print(pyarrow.parquet.read_table({str(output)!r}))"
    print(f"  {_program('python')} -c {shlex.quote(code)}")
    print(f"  or in Spark: spark.read.parquet({escaped!r})")


@contextmanager
def _chatter_to(log: Path) -> Iterator[None]:
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
        while not done.wait(0.5):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            text = ", ".join(f"{stage.numCompletedTasks} of {stage.numTasks} tasks" for stage in stages if stage)
            print(f"\rreading: {text:30}", end="", file=sys.stderr)
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=show, daemon=True)
    if sys.stderr.isatty():
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread.is_alive():
            thread.join()


def choose_output(log_dir: Path, directory: Path) -> Path:
    """Decide where the Parquet files go: below `directory`, named for the log directory.

    Another log directory of the same name has its records in a directory with a number after the name.

    Raises:
        ValueError: that is inside the log directory, or holds files that this demo did not write.
    """
    real = log_dir.resolve()
    name = re.sub(r"[^\w.-]", "_", real.name) or "root"  # Spark takes other characters for a pattern
    first = (directory / "demo-output" / name).resolve()
    names = itertools.chain([first], (first.with_name(f"{name}-{number}") for number in itertools.count(2)))
    output = next(path for path in names if _origin(path) in (None, real))
    if output.is_relative_to(real):
        raise ValueError(f"{output} would be inside the log directory: run this from another directory")
    if output.is_dir():
        foreign = [child.name for child in output.iterdir() if not child.name.startswith((".", "_", "part-"))]
    else:
        foreign = [output.name] if os.path.lexists(output) else []
    if foreign:
        raise ValueError(f"{output} holds what this demo did not write ({foreign[0]}): move it away")
    return output


def _origin(output: Path) -> Path | None:
    """The log directory whose records are in `output`; None if unknown."""
    try:
        return Path(os.fsdecode((output / _ORIGIN).read_bytes()))
    except OSError:
        return None


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
