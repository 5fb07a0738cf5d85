"""Measures how fast a million records of 100 bytes reach a broker, with `kafkafmt replay` and with other tools.

The time is from the first to the last record in the target, found by polling its end offsets; for commands that end,
also the time of the whole process.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

import kafkafmt
from class_path import kafka_tools_class_path, tool
from clients_proof.clients import connect_jars
from clients_proof.served import Served
from clients_proof.transfer import mirror_settings
from kafka_broker.broker import Broker
from kafkafmt.replaying.client_config import ClientConfig
from kafkafmt.replaying.cluster import TargetCluster

TOPIC = "records"

REPLAY = "kafkafmt replay"
"""Name of the tool whose speed has a goal."""

_BYTES = 100
_PARTITIONS = 3
_POLL_SECONDS = 0.05
_LONGEST = 240.0
_QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
_KEEPING = {"log.retention.ms": "-1"}


class Arrivals(threading.Thread):
    """Polls the end offsets of a topic until all records have arrived.

    Attributes:
        first: time of the first poll that found records, in seconds of a monotonic clock.
        last: time of the first poll that found all records.
    """

    def __init__(self, to: str, topic: str, records: int) -> None:
        super().__init__(daemon=True)
        self.first = self.last = 0.0
        self._to, self._topic, self._records = to, topic, records

    def run(self) -> None:
        """Poll until all records have arrived, or until a timeout."""
        deadline = time.monotonic() + _LONGEST
        with TargetCluster(self._to, ClientConfig()) as cluster:
            while not self.last and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)
                found = cluster.metadata([self._topic]).get(self._topic)
                if found is None:
                    continue
                leaders = {(self._topic, each["PartitionIndex"]): each["LeaderId"] for each in found["Partitions"]}
                if min(leaders.values()) < 0:
                    continue
                count = sum(cluster.patiently(partial(cluster.ends, leaders)).values())
                if count and not self.first:
                    self.first = time.monotonic()
                if count >= self._records:
                    self.last = time.monotonic()


def measure(home: Path, records: int, rounds: int) -> Iterator[tuple[str, float, float | None]]:
    """Records a second with each tool.

    Args:
        home: a new directory.
        records: number of records.
        rounds: measurements of each tool except MirrorMaker, which takes half a minute to start.

    Yields:
        the tool's name; records a second from the first to the last; and for the whole process, or None.
    """
    home.mkdir(parents=True)
    source = home / "source"
    _make(source, records)
    with Broker(home / "live", _KEEPING, heap="512m") as broker:
        to = broker.bootstrap_servers
        for number in range(rounds):
            command = [
                sys.executable,
                "-m",
                "kafkafmt",
                "replay",
                str(source),
                "--to",
                to,
                "--create",
                "--run",
                f"r{number}",
            ]
            yield _timed(
                REPLAY,
                [*command, "--topic", f"{TOPIC}=replayed-{number}"],
                to,
                f"replayed-{number}",
                records,
            )
        for number in range(rounds):
            topic = f"produced-{number}"
            _create(to, topic)
            java = [tool("java"), "-Xmx512m", _QUIET, "-cp", kafka_tools_class_path()]
            options = ["--topic", topic, "--num-records", records, "--record-size", _BYTES, "--throughput", -1]
            more = ["--producer-props", f"bootstrap.servers={to}", "acks=all"]
            command = [*java, "org.apache.kafka.tools.ProducerPerformance", *map(str, options), *more]
            yield _timed("kafka-producer-perf-test.sh", command, to, topic, records)
        first = Broker(home / "dead", _KEEPING, heap="512m")
        with first:
            kafkafmt.replay(source, first.bootstrap_servers, create=True)
            yield _mirrored("MirrorMaker 2", home / "mirror", first.bootstrap_servers, records)
    with Served([source], home / "serve.err") as server:
        yield _mirrored("kafkafmt serve and MirrorMaker 2", home / "served", server.bootstrap_servers, records)


def _make(directory: Path, records: int) -> None:
    chance = np.random.default_rng(1)
    offsets = np.arange(0, (records + 1) * _BYTES, _BYTES, dtype=np.int32)
    data = pa.py_buffer(chance.bytes(records * _BYTES))
    columns = {
        "value": pa.Array.from_buffers(pa.binary(), records, [None, pa.py_buffer(offsets.tobytes()), data]),
        "topic": pa.repeat(TOPIC, records),
        "partition": pa.array(np.arange(records) % _PARTITIONS, pa.int32()),
        "timestamp": pa.array(int(time.time() * 1000) - 3_600_000 + np.arange(records) // 1000),
    }
    kafkafmt.write(pa.table(columns), directory, partitions={TOPIC: _PARTITIONS})


def _create(to: str, topic: str) -> None:
    with TargetCluster(to, ClientConfig()) as cluster:
        cluster.metadata([])
        cluster.create(topic, _PARTITIONS, {}, -1, validates=False)


def _timed(name: str, command: Sequence[str], to: str, topic: str, records: int) -> tuple[str, float, float | None]:
    arrivals, begun = Arrivals(to, topic, records), time.monotonic()
    arrivals.start()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    ended = time.monotonic()
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr}")
    arrivals.join(_LONGEST)
    return name, records / (arrivals.last - arrivals.first), records / (ended - begun)


def _mirrored(name: str, home: Path, dead: str, records: int) -> tuple[str, float, float | None]:
    home.mkdir()
    with Broker(home / "live", _KEEPING, heap="512m") as live:
        settings = home / "mirror.properties"
        settings.write_text(mirror_settings(dead, live.bootstrap_servers))
        arrivals = Arrivals(live.bootstrap_servers, TOPIC, records)
        with _running_mirror(settings, home / "mirror.log"):
            arrivals.start()
            arrivals.join(_LONGEST)
    return name, records / (arrivals.last - arrivals.first), None


@contextmanager
def _running_mirror(settings: Path, log: Path) -> Iterator[None]:
    java = [tool("java"), "-Xmx512m", _QUIET, "-cp", str(connect_jars() / "*")]
    command = [*java, "org.apache.kafka.connect.mirror.MirrorMaker", str(settings)]
    with open(log, "wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env={**os.environ})
        try:
            yield
        finally:
            process.terminate()
            process.wait()
