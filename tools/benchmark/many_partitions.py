"""Figures of `kafkafmt serve`: its start, memory and Metadata with many partitions, and Fetches of single batches."""

import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import environment
from benchmark.asking import Connection
from benchmark.readings import Figure
from benchmark.scans import Say, of_rounds
from benchmark.segments import Segment
from benchmark.servers import connected, serving
from benchmark.worker import MeasuringError, ProcessTree
from class_path import kafka_class_path, tool
from kafka_broker.broker import free_ports, new_cluster_id

TOPICS = 20
START_SECONDS = {1000: 1.0, 20_000: 5.0}
"""Seconds within which the first record should arrive, by number of partitions."""
METADATA_MS = {20_000: 100.0}
"""Milliseconds that Metadata of all partitions should take at most."""
MEMORY_MB, MEMORY_A_PARTITION = 200, 2048 / 1e6
RECORDS_A_SECOND = 10_000

_COPIED = environment.ROOT / "docs" / "examples" / "shop" / "log-dir" / "customers-0"
_ASKED = 5
_IDLE = 0.3  # seconds without work
_LONGEST_WORK = 120.0
_FETCHES = 1000
_BATCH_END = struct.Struct(">23xi30xi")  # last offset delta, record count


def figures(
    variables: Mapping[str, str],
    fetched: Mapping[str, Segment],
    partitions: list[int],
    starts: int,
    scratch: Path,
    say: Say,
) -> list[Figure]:
    """Measure the figures.

    Args:
        variables: environment variables of the servers.
        fetched: segments that are fetched batch by batch, by the size of their batches.
        partitions: numbers of partitions of the disks that are served.
        starts: number of starts for each disk.
        scratch: a directory for disks.
        say: function that takes a line of text.
    """
    found: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=scratch) as directory:
        for number in partitions:
            say(f"a disk of {number:,} partitions")
            disk = make_disk(Path(directory, str(number)), number)
            runs = [_run(variables, disk) for _ in range(starts)]
            found += _of_runs(number, runs)
        for size, segment in fetched.items():
            say(f"Fetches of one batch of {size}")
            disk = Path(directory, segment.name)
            (disk / "small-0").mkdir(parents=True)
            os.link(segment.path, disk / "small-0" / f"{0:020d}.log")
            found += _fetches(variables, disk, size, segment.records)
    return found


def make_disk(path: Path, partitions: int) -> Path:
    """Make the log directory of a node with many partitions, all with the same records, and its metadata log."""
    path.mkdir()
    plan = path.parent / f"{path.name}.tsv"
    lines = []
    for number in range(TOPICS):
        topic, topic_id, count = f"topic-{number:02}", new_cluster_id(), partitions // TOPICS
        lines.append(f"{topic}\t{topic_id}\t{count}\t0\n")
        for partition in range(count):
            copied = path / f"{topic}-{partition}"
            shutil.copytree(_COPIED, copied)
            (copied / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}")
    plan.write_text("".join(lines), encoding="utf-8")
    command = [tool("java"), "-cp", kafka_class_path(), "FormatDisk", str(path), new_cluster_id(), str(plan)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MeasuringError(f"FormatDisk fails: {done.stderr[-300:]}")
    return path


@dataclass(frozen=True)
class _Run:
    """A run of a server, measured from its start.

    Attributes:
        first: seconds from the start to the first record at a client.
        first_cpu: CPU seconds of the server until then.
        metadata: milliseconds of the server's CPU for each request, without the first.
        peak: most bytes of memory that it held.
        anonymous: bytes that it holds at the end without mapped files, as machines map different amounts of its
            libraries.
    """

    first: float
    first_cpu: float
    metadata: list[float]
    peak: int
    anonymous: int


def _run(variables: Mapping[str, str], disk: Path) -> _Run:
    began = time.monotonic()
    with serving(disk, variables, free_ports(1)[0]) as (port, pid):
        tree = ProcessTree(pid)
        with Connection(connected(port)) as client:
            client.topics("topic-00")
            if not len(client.fetch("topic-00", 0, 1 << 20)):
                raise MeasuringError("there is no record")
            first, first_cpu = time.monotonic() - began, sum(tree.cpu_time())
            client.topics()
            _wait_until_idle(tree)  # after the start the server looks for open transactions
            costs = [_cost(tree, client.topics) for _ in range(_ASKED)]
        metadata = [cost * 1000 for cost in costs]
        return _Run(first, first_cpu, metadata, tree.peak_bytes()[1], tree.anonymous_bytes()[1])


def _wait_until_idle(tree: ProcessTree) -> None:
    deadline = time.monotonic() + _LONGEST_WORK
    before, now = -1.0, sum(tree.cpu_time())
    while now > before:
        if time.monotonic() > deadline:
            raise MeasuringError("the server is never idle")
        time.sleep(_IDLE)
        before, now = now, sum(tree.cpu_time())


def _cost(tree: ProcessTree, ask: Callable[[], object]) -> float:
    before = sum(tree.cpu_time())
    ask()
    return sum(tree.cpu_time()) - before


def _of_runs(partitions: int, runs: list[_Run]) -> Iterator[Figure]:
    name = f"{partitions:,} partitions"
    goal = START_SECONDS.get(partitions)
    yield of_rounds(f"start, {name}: first record", [run.first for run in runs], "s", goal, at_most=True)
    yield of_rounds(f"start, {name}: CPU to the first record", [run.first_cpu for run in runs], "s")
    metadata = [each for run in runs for each in run.metadata]
    yield of_rounds(f"Metadata of {name}, CPU", metadata, "ms", METADATA_MS.get(partitions), at_most=True)
    most = MEMORY_MB + MEMORY_A_PARTITION * partitions
    yield of_rounds(f"peak memory, {name}", [run.peak / 1e6 for run in runs], "MB", most, at_most=True)
    anonymous = [run.anonymous / 1e6 for run in runs]
    yield of_rounds(f"memory besides mapped libraries, {name}", anonymous, "MB", at_most=True)


def _fetches(variables: Mapping[str, str], disk: Path, size: str, records: int) -> Iterator[Figure]:
    with serving(disk, variables) as (port, pid), Connection(connected(port)) as client:
        tree = ProcessTree(pid)
        rounds = []
        for _ in range(_ASKED):
            offset = count = 0
            before = sum(tree.cpu_time())
            for _ in range(_FETCHES):
                if offset >= records:
                    offset = 0
                last, number = _BATCH_END.unpack_from(client.fetch("small", offset, 1))
                offset, count = offset + last + 1, count + number
            cost = sum(tree.cpu_time()) - before
            rounds.append((count / cost, cost / _FETCHES))
    speeds, costs = zip(*rounds, strict=True)
    text = f"records in a second of CPU, in Fetches of one batch of {size}"
    yield of_rounds(text, speeds, goal=RECORDS_A_SECOND)
    yield of_rounds(f"a Fetch of one batch of {size}, CPU", [seconds * 1e6 for seconds in costs], "us")
