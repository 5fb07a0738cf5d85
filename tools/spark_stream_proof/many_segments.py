"""Measures the cost of a streaming trigger with many segments.

    PYTHONPATH=.:generated:spark:tools python -m spark_stream_proof.many_segments --segments 100000

A log directory is made whose partitions have a hundred small segments each, with their indexes. The reader of a stream
is asked as Spark's engine asks it: at its start, where nothing is new, where records, segments and partitions are new.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql.streaming.datasource import ReadAllAvailable

from kafkafmt.writing.batch_builder import BatchBuilder
from pyspark_kafkafmt.options import default_schema
from pyspark_kafkafmt.stream_options import StreamOptions
from pyspark_kafkafmt.streaming import KafkafmtStreamReader

_PER_PARTITION = 100
_CHANGED = 10
_EMPTY_INDEXES = (".index", ".timeindex", ".snapshot")


def main(arguments: list[str]) -> int:
    """Make the segments, and measure; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=100_000, metavar="N", help="how many (default: 100000)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kafkafmt-segments-") as home:
        measure(Path(home), options.segments // _PER_PARTITION, print)
    return 0


def measure(home: Path, partitions: int, say: Callable[[str], object]) -> dict[str, float]:
    """Make a log directory, and measure the calls of a stream reader on it.

    Args:
        home: an empty directory.
        partitions: number of partitions; each has a hundred segments.
        say: called with each line of the report.

    Returns:
        Seconds by name of the call.
    """
    for number in range(partitions):
        make_partition(home / f"many-{number}")
    files = partitions * _PER_PARTITION * (1 + len(_EMPTY_INDEXES))
    say(f"{partitions:,} partitions, {partitions * _PER_PARTITION:,} segments, {files:,} files")
    parsed = StreamOptions.parse({"path": str(home), "startingOffsets": "latest"})
    reader = KafkafmtStreamReader(parsed, default_schema(parsed.source))
    seconds: dict[str, float] = {}
    start: dict[str, Any] = {}

    def trigger(name: str) -> None:
        nonlocal start
        begun, used_before = time.perf_counter(), time.process_time()
        start = start or reader.initialOffset()
        end = _through_json(reader.latestOffset(start, ReadAllAvailable()))
        tasks = [] if end == start else reader.partitions(start, end)
        seconds[name] = time.perf_counter() - begun
        cpu = time.process_time() - used_before
        start = end
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        times = f"{seconds[name] * 1000:8.0f} ms, {cpu * 1000:8.0f} ms of CPU"
        say(f"{name:32} {times}  {len(tasks)} tasks, memory {used} MiB")

    trigger("the first look")
    trigger("nothing is new")
    trigger("nothing is new, again")
    changed = [home / f"many-{number}" for number in range(min(partitions, _CHANGED))]
    for each in changed:
        append(each, _PER_PARTITION - 1, _PER_PARTITION)
    trigger(f"records in {len(changed)} partitions")
    for each in changed:
        roll(each, _PER_PARTITION + 1)
    trigger(f"new segments in {len(changed)} partitions")
    make_partition(home / f"many-{partitions}")
    trigger("a new partition")
    trigger("nothing is new, at the end")
    return seconds


def make_partition(directory: Path) -> None:
    """Make a partition directory with a hundred segments of one record each."""
    directory.mkdir()
    for base_offset in range(_PER_PARTITION):
        roll(directory, base_offset)


def roll(directory: Path, base_offset: int) -> None:
    """Make a segment with one record, and its indexes."""
    for suffix in _EMPTY_INDEXES:
        (directory / f"{base_offset:020d}{suffix}").touch()
    append(directory, base_offset, base_offset)


def append(directory: Path, segment: int, offset: int) -> None:
    """Append a record to a segment."""
    builder = BatchBuilder(base_offset=offset)
    builder.append(1_700_000_000_000, b"key", b"value")
    with open(directory / f"{segment:020d}.log", "ab") as file:
        file.write(builder.build())


def _through_json(offset: dict[str, Any]) -> dict[str, Any]:
    """Convert an offset as Spark does, through JSON."""
    found: dict[str, Any] = json.loads(json.dumps(offset))
    return found


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
