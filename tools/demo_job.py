"""The part of tools/demo that runs in the environment: from a log directory to a report and Parquet files."""

import itertools
import logging
import os
import re
import shlex
import shutil
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
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import demo_report as report
import kafkafmt
from demo_answers import answers
from demo_survey import Survey, survey

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_INTERRUPTED = 130

_SAMPLE_TOPICS = 5
_SAMPLE_ROWS = 3
_SAMPLE_BYTES = 400
_LISTED = 10
_HEAP_MB = 1024

# Spark takes a path for a pattern.
_GLOB_CHARACTER = re.compile(r"[\\*?\[\]{}]")
_ESCAPED = r"\\\g<0>"

# The file that says which log directory the files beside it came from; Spark and pyarrow ignore names with underscores.
_ORIGIN = "_LOG_DIR"


def main(arguments: list[str]) -> int:
    """Read the log directory that is the one argument, and report; returns the exit code."""
    log_dir = Path(arguments[0])
    logging.disable()  # py4j would log an interruption as an error
    try:
        output = choose_output(log_dir, Path.cwd())
        if output.exists():
            print(f"{output} is there from an earlier run and will be overwritten.", flush=True)
        surveyed = survey(log_dir)
    except ValueError as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_USAGE
    except kafkafmt.KafkafmtError as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_UNREADABLE
    size = report.size_cell(sum(file.size for file in surveyed.files))
    print(f"{log_dir.resolve()}: {len(surveyed.files)} segments, {size}, {surveyed.records:,} records", flush=True)
    if not surveyed.files:
        print("There is nothing to read.")
        return 0
    print()
    for line in answers(log_dir, {file.topic for file in surveyed.files}, _width()):
        print(line, flush=True)
    scratch = Path(tempfile.mkdtemp(prefix="kafkafmt-demo-"))
    try:
        with _chatter_to(scratch / "spark.log"):
            spark = _start_spark(scratch)
            _report(spark, log_dir, surveyed, output)
            spark.stop()
    except KeyboardInterrupt:
        print("tools/demo: interrupted", file=sys.stderr)
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(EXIT_INTERRUPTED)  # an orderly end would wait for Spark, which ends when its pipe to us does
    except (PySparkException, Py4JError) as error:
        log = scratch / "spark.log"
        with log.open("a") as file:
            traceback.print_exc(file=file)
        reason = " ".join(str(error).splitlines()[:2])
        print(f"tools/demo: Spark failed: {reason}\nIts log, and the whole error: {log}", file=sys.stderr)
        return EXIT_FAILED
    except kafkafmt.KafkafmtError as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return EXIT_UNREADABLE
    shutil.rmtree(scratch)
    return 0


def read_records(spark: SparkSession, log_dir: Path) -> DataFrame:
    """Read all records of a log directory with all columns; damage is left out."""
    reader = spark.read.format("kafkafmt").option("includeHeaders", True).option("includeMetadata", True)  # noqa: FBT003
    return reader.option("mode", "DROPMALFORMED").load(str(log_dir.resolve()))


def _report(spark: SparkSession, log_dir: Path, surveyed: Survey, output: Path) -> None:
    width = _width()
    with _progress(spark):
        read_records(spark, log_dir).write.mode("overwrite").parquet(str(output))
    records = spark.read.parquet(_GLOB_CHARACTER.sub(_ESCAPED, str(output)))
    counts = show_topics(records, surveyed, width)
    print()
    # The broker's own topics come after the others, which a reader will rather know.
    largest = sorted(counts, key=lambda topic: (topic.startswith("__"), -counts[topic], topic))
    show_samples(records, largest[:_SAMPLE_TOPICS], width)
    show_left_out(surveyed)
    (output / _ORIGIN).write_bytes(os.fsencode(log_dir.resolve()))
    show_output(records, log_dir, output, surveyed)


def _width() -> int:
    return shutil.get_terminal_size((120, 40)).columns


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
        ValueError: that lies inside the log directory, or there is something that this demo did not write.
    """
    real = log_dir.resolve()
    name = re.sub(r"[^\w.-]", "_", real.name) or "root"  # Spark takes other characters for a pattern
    first = (directory / "demo-output" / name).resolve()
    names = itertools.chain([first], (first.with_name(f"{name}-{number}") for number in itertools.count(2)))
    output = next(path for path in names if _origin(path) in (None, real))
    if output.is_relative_to(real):
        raise ValueError(f"{output} would lie inside the log directory: run this from another directory")
    if output.is_dir():
        foreign = [child.name for child in output.iterdir() if not child.name.startswith((".", "_", "part-"))]
    else:
        foreign = [output.name] if os.path.lexists(output) else []
    if foreign:
        raise ValueError(f"{output} holds what this demo did not write ({foreign[0]}): move it away")
    return output


def _origin(output: Path) -> Path | None:
    """Tell which log directory a run wrote to `output`; None if that is not known."""
    try:
        return Path(os.fsdecode((output / _ORIGIN).read_bytes()))
    except OSError:
        return None


def show_topics(records: DataFrame, surveyed: Survey, width: int) -> dict[str, int]:
    """Print a line for each topic: its size on disk, number of records, and the time they span; return the numbers."""
    segments = Counter(file.topic for file in surveyed.files)
    sizes: Counter[str | None] = Counter()
    for file in surveyed.files:
        sizes[file.topic] += file.size
    counted = {
        row["topic"]: row
        for row in records.groupBy("topic")
        .agg(
            F.count("*").alias("records"),
            F.min("timestampMs").alias("first"),
            F.max("timestampMs").alias("last"),
        )
        .collect()
    }
    rows: list[tuple[object, ...]] = []
    for topic in sorted(segments, key=lambda name: (name is None, name)):
        row = counted.get(topic)
        span = (row["records"], report.time_cell(row["first"]), report.time_cell(row["last"])) if row else (0, "", "")
        rows.append((topic or "(none in the path)", segments[topic], report.size_cell(sizes[topic]), *span))
    for line in report.table(("topic", "segments", "size", "records", "earliest", "latest"), rows, width):
        print(line)
    return {topic: row["records"] for topic, row in counted.items() if topic is not None}


def show_samples(records: DataFrame, topics: list[str], width: int) -> None:
    """Print the first records of some topics."""
    columns = ["topic", "partition", "offset", "timestampMs"]
    rows = [
        (
            f"{row['topic']}-{row['partition']}",
            row["offset"],
            report.time_cell(row["timestampMs"]),
            report.shorten(report.bytes_cell(row["key"]), width // 6),
            report.bytes_cell(row["value"]),
        )
        for topic in topics
        for row in records.where(F.col("topic") == topic)
        .orderBy("partition", "offset")
        .select(*columns, _start_of("key"), _start_of("value"))
        .limit(_SAMPLE_ROWS)
        .collect()
    ]
    for line in report.table(("partition", "offset", "timestamp", "key", "value"), rows, width):
        print(line)


def show_left_out(surveyed: Survey) -> None:
    """Print what the log directory holds besides these records: what is not part of the log, and damage."""
    if surveyed.left_out:
        print("\nLeft out:")
    for line in surveyed.left_out:
        print(f"  {line}")
    if surveyed.damage:
        print("\nDamaged (an incomplete or zero tail is normal after a crash and in a live copy):")
    for damage in surveyed.damage[:_LISTED]:
        print(f"  {damage.length:,} bytes, {damage.reason}: {damage.error}")
    if len(surveyed.damage) > _LISTED:
        print(f"  and {len(surveyed.damage) - _LISTED} more")


def show_output(records: DataFrame, log_dir: Path, output: Path, surveyed: Survey) -> None:
    """Print where the Parquet files are and how to read them."""
    written = records.count()
    files = list(output.glob("part-*"))
    size = report.size_cell(sum(file.stat().st_size for file in files))
    source = report.printable(str(log_dir.resolve()))
    print(f"\n{written:,} records of {source} are now in {output} (Parquet files: {len(files)}, {size}). To read them:")
    code = f"import pyarrow.parquet; print(pyarrow.parquet.read_table({str(output)!r}))"
    print(f"  {report.program('python')} -c {shlex.quote(code)}")
    print(f"  or in Spark: spark.read.parquet({_GLOB_CHARACTER.sub(_ESCAPED, str(output))!r})")
    if written != surveyed.records:
        print(f"Batch headers declare {surveyed.records:,} records; the others could not be decoded.")


def _start_of(name: str) -> Column:
    return F.substring(name, 1, _SAMPLE_BYTES).alias(name)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
