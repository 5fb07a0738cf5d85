"""The proof "streaming-kills": a stream into a Delta table that is killed repeatedly loses and repeats no records."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import pyspark
from pyspark.sql import DataFrame, SparkSession

import proof_frame
import proof_jars
from kafka_broker.broker import Broker
from proof_frame import DIFFERS, ProofError, say_after
from spark_stream_proof.feeder import Feeder

Settings: TypeAlias = dict[str, bool | float | int | str | None]

_SETTINGS = {"log.initial.task.delay.ms": "500"}
_SMALL = "internal.segment.bytes=16384"
_START_SECONDS = 180
_END_SECONDS = 300
_MOST_SECONDS = 6.0  # upper bound of a query's life until the next kill, perhaps after its next batch
_PART_AFTER_A_BATCH = 0.5
_PAUSE_SECONDS = 0.2
_SHOWN = 5

Row: TypeAlias = tuple[str, int, int, bytes]


def main(arguments: list[str]) -> int:
    """Run the proof; returns the exit status."""
    return proof_frame.run(arguments, _prove)


def _prove(options: argparse.Namespace, home: Path) -> int:
    begun = time.monotonic()
    chance = random.Random(options.seed)
    settings = _settings(home)
    kills: Counter[str] = Counter()
    with Broker(home / "broker", _SETTINGS) as broker, Feeder(broker, home) as feed:
        feed(f"topic orders 3 {_SMALL}", f"topic paid 2 {_SMALL}")
        with _Query(home, broker, settings) as query, _fed(feed, chance):
            while kills.total() < options.kills:
                query.start()
                while kills.total() < options.kills:
                    if chance.random() < _PART_AFTER_A_BATCH:
                        query.wait_for_a_batch()
                    time.sleep(chance.uniform(0, _MOST_SECONDS))
                    if not query.is_running:  # it has not survived the last kill of a worker
                        break
                    kills[query.kill(chance)] += 1
                say_after(begun, f"{kills.total()} kills, {query.batches} batches")
                query.kill_all()
        with query:
            query.drain()
        missing, repeated, rows = _compare(broker, query, settings)
    for text, found in (("missing", missing), ("too many", repeated)):
        for row, count in list(found.items())[:_SHOWN]:
            print(f"{text}: {count} of {row}")
    by_kind = ", ".join(f"{count} of a {kind}" for kind, count in sorted(kills.items()))
    print(
        f"{kills.total()} kills ({by_kind}), {query.batches} batches, {rows} rows, {missing.total()} lost,"
        f" {repeated.total()} repeated; {time.monotonic() - begun:.0f} s with Spark {pyspark.__version__}"
    )
    return DIFFERS if missing or repeated or not rows else 0


def _settings(home: Path) -> Settings:
    jars = [*proof_jars.sink_jars(), *proof_jars.connector_jars()]
    return {
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars)),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": str(home / "spark"),
        "spark.log.level": "OFF",
        "spark.python.authenticate.socketTimeout": "120s",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


@contextmanager
def _fed(feed: Feeder, chance: random.Random) -> Iterator[None]:
    """Send records and transactions during a `with` block."""
    done = threading.Event()
    failures: list[Exception] = []
    numbers = random.Random(chance.random())

    def run() -> None:
        try:
            while not done.wait(_PAUSE_SECONDS):
                feed(f"send orders {numbers.randrange(3)} {numbers.randrange(1, 40)}")
                if numbers.random() < 0.1:
                    place = f"paid {numbers.randrange(2)} {numbers.randrange(1, 9)}"
                    feed("begin a", f"in a {place}", f"send {place}", numbers.choice(("commit a", "abort a")))
        except Exception as failure:  # noqa: BLE001 - raised again later
            failures.append(failure)

    feeding = threading.Thread(target=run, daemon=True)
    feeding.start()
    try:
        yield
    finally:
        done.set()
        feeding.join()
    if failures:
        raise failures[0]


class _Query:
    """The job, with one driver process at a time.

    Attributes:
        table: table that the job writes.
    """

    def __init__(self, home: Path, broker: Broker, settings: Settings) -> None:
        self.table = home / "table"
        self._checkpoint = home / "checkpoint"
        self._log = home / "job.log"
        self._arguments = [str(broker.log_dir), str(self._checkpoint), str(self.table)]
        self._settings = json.dumps(settings)
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill_all()

    @property
    def batches(self) -> int:
        """Number of committed batches."""
        return len(list((self._checkpoint / "commits").glob("[0-9]*")))

    @property
    def is_running(self) -> bool:
        """Whether the driver runs."""
        return self._process is not None and self._process.poll() is None

    def start(self, mode: str = "forever") -> None:
        """Start the job, and wait until the query runs."""
        command = [sys.executable, "-m", "spark_stream_proof.job", *self._arguments, mode, self._settings]
        with open(self._log, "ab") as errors:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
            )
        limit = threading.Timer(_START_SECONDS, self.kill_all)
        limit.start()
        said = self._process.stdout.readline() if self._process.stdout else ""
        limit.cancel()
        if said != "running\n":
            self.kill_all()
            raise ProofError(f"the query does not start:\n{self._log.read_text(errors='replace')[-3000:]}")

    def kill(self, chance: random.Random) -> str:
        """Kill one of the worker processes, or all processes; returns which."""
        workers = [pid for pid in self._processes() if pid != self._pid and _is_python(pid)]
        if not workers or chance.random() < 0.5:
            self.kill_all()
            return "driver"
        _kill(chance.choice(workers))
        return "worker"

    def kill_all(self) -> None:
        """Kill the driver and all processes that it started; does nothing if the job does not run."""
        for pid in self._processes():
            _kill(pid)
        if self._process is not None:
            self._process.wait()
            self._process = None

    def wait_for_a_batch(self) -> None:
        """Wait until the next batch is committed, or the query has ended."""
        before, until = self.batches, time.monotonic() + _START_SECONDS
        while self.batches == before and time.monotonic() < until:
            if not self.is_running:
                return
            time.sleep(0.05)

    def drain(self) -> None:
        """Run the job until no records are left: with Spark 4.0 a run has one batch, the killed one if there is one."""
        before = -1
        while before < self.batches:
            before = self.batches
            self.start("now")
            self._wait()

    def _wait(self) -> None:
        """Wait until the query ends on its own."""
        try:
            if self._process is None or self._process.wait(_END_SECONDS):
                raise ProofError(f"the query fails:\n{self._log.read_text(errors='replace')[-3000:]}")
        except subprocess.TimeoutExpired as error:
            raise ProofError("the query does not end") from error
        finally:
            self.kill_all()

    @property
    def _pid(self) -> int:
        return -1 if self._process is None else self._process.pid

    def _processes(self) -> list[int]:
        """All processes of the job's session: Spark's daemon of workers makes its own process group."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == self._pid:
                found.append(int(entry.name))
        return found


def _is_python(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"pyspark" in command and b"java" not in command.partition(b"\0")[0]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _compare(broker: Broker, query: _Query, settings: Settings) -> tuple[Counter[Row], Counter[Row], int]:
    """Compare the table with the rows that Spark's kafka source reads from the broker."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    try:
        options = {
            "kafka.bootstrap.servers": broker.bootstrap_servers,
            "kafka.isolation.level": "read_committed",
            "subscribe": "orders,paid",
        }
        expected = _rows(spark.read.format("kafka").options(**options).load())
        found = _rows(spark.read.format("delta").load(str(query.table)))
    finally:
        spark.stop()
    return expected - found, found - expected, found.total()


def _rows(frame: DataFrame) -> Counter[Row]:
    table: Any = frame.select("topic", "partition", "offset", "value").toArrow()
    return Counter(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
