"""A Spark session in a process of its own, asked from outside, and what that cost."""

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmark.spark.process_tree import CpuTime, PeakMemory, ProcessTree
from benchmark.spark.records import TopicCopy
from benchmark.workers import MeasuringError

SECONDS = 1200
"""How long a session may take to start, or to read something."""
_SHOWN_OF_STDERR = 300


@dataclass(frozen=True)
class Spark:
    """How sessions are started.

    Attributes:
        python: interpreter of the environment that has Spark and kafkafmt.
        variables: its environment.
        jars: Spark's kafka source and what it needs.
        scratch: a directory for what Spark writes.
    """

    python: Path
    variables: Mapping[str, str]
    jars: Sequence[Path]
    scratch: Path


@dataclass(frozen=True)
class Cost:
    """What a job cost.

    Attributes:
        wall: seconds that passed.
        cpu: seconds of CPU of Spark, its Python included.
        answer: what the process said.
    """

    wall: float
    cpu: CpuTime
    answer: dict[str, Any]


class Session:
    """A Spark session with default memory on one machine."""

    def __init__(self, spark: Spark, cores: int, variables: Mapping[str, str] | None = None) -> None:
        """Start it, which takes some seconds.

        Args:
            spark: how.
            cores: on how many its tasks run.
            variables: of its environment, more than others have.

        Raises:
            MeasuringError: it did not start.
        """
        settings = {
            "spark.master": f"local[{cores}]",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraClassPath": os.pathsep.join(map(str, spark.jars)),
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": str(spark.scratch),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": str(spark.scratch / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [str(spark.python), "-m", "benchmark.spark.session_process", json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env={**spark.variables, "PYSPARK_PYTHON": str(spark.python), **(variables or {})},
            cwd=spark.scratch,
        )
        self._tree = ProcessTree(self._process.pid)
        try:
            self.versions: dict[str, str] = self._read()
        except MeasuringError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, program: str, copy: TopicCopy, partitions: Sequence[int], *, check: bool = False) -> Cost:
        """Let it read partitions of a topic.

        Args:
            program: key of the program.
            copy: the topic.
            partitions: which of it.
            check: whether the answer is to tell rows and their checksum.

        Raises:
            MeasuringError: it cannot read it, took too long, or died; after the last two it is gone.
        """
        job = {
            "program": program,
            "topic": copy.topic.name,
            "partitions": list(partitions),
            "log_dir": str(copy.log_dir),
            "servers": copy.servers,
            "check": check,
        }
        before, began = self._tree.cpu_time(), time.monotonic()
        answer = self._ask(job)
        wall = time.monotonic() - began
        cost = Cost(wall, self._tree.cpu_time() - before, answer)
        if "error" in answer:
            raise MeasuringError(answer["error"])
        return cost

    def peak_memory(self) -> PeakMemory:
        """Tell the most memory that each of its processes has held."""
        return self._tree.peak_memory()

    def close(self) -> None:
        """End it, and wait for that."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # it may be gone, and what it was asked unsent
                self._process.stdin.close()  # its Java ends when it does
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._complaints.close()

    def _ask(self, job: Mapping[str, Any]) -> dict[str, Any]:
        if self._process.stdin is None:
            raise MeasuringError("it has no pipes")
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise MeasuringError(self._death()) from None
        return self._read()

    def _read(self) -> dict[str, Any]:
        if self._process.stdout is None:
            raise MeasuringError("it has no pipes")
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        if not ready:
            self._process.kill()
            raise MeasuringError(f"took more than {SECONDS} s")
        line = self._process.stdout.readline()
        if not line:
            raise MeasuringError(self._death())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _death(self) -> str:
        code = self._process.wait()
        self._complaints.seek(0)
        said = " ".join(self._complaints.read().decode(errors="replace").split())
        return f"exit status {code}: {said[-_SHOWN_OF_STDERR:] or 'it said nothing'}"
