"""The benchmark of serving: clients read whole topics from a broker and from `kafkafmt serve` in turn.

Both servers have the same log files. The CPU time of the server's process is compared.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from shutil import which

from benchmark import goals
from benchmark.readings import Figure, Reading, compare, jar_versions
from benchmark.scans import Program, Say
from benchmark.topics import Topic
from benchmark.worker import Cost, MeasuringError, ProcessTree
from class_path import TOOLS, fetched_jars, kafka_jars, tool
from kafka_broker.broker import Broker, free_ports

JAVA, KCAT = "java", "kcat"
CLIENTS = {JAVA: "kafka-consumer-perf-test", KCAT: "kcat"}
SERVERS = {"broker": "Kafka's broker", "serve": "kafkafmt serve"}
PROGRAMS = tuple(
    Program(f"{server}-{client}", f"{label}, {read_by}")
    for client, read_by in CLIENTS.items()
    for server, label in SERVERS.items()
)
AT_LEAST = 1.5
"""The goal: how many times the CPU time of `kafkafmt serve` a broker should take."""

_JARS = TOOLS / "clients_proof" / "kafka_4_4"
_WARMING = 1  # rounds over all topics, in which a broker compiles its code, after the first reading of each topic
FIRST = ", first reading"
"""End of the name of a topic that a client reads for the first time: `kafkafmt serve` then checks its CRCs."""
_PASSES = {JAVA: 1, KCAT: 5}  # in a round; most of a pass of Java is its start
_START_SECONDS = 300
_PASS_SECONDS = 600


@contextmanager
def serving(path: Path, variables: Mapping[str, str], port: int = 0) -> Iterator[tuple[int, int]]:
    """Run `kafkafmt serve` on a disk; yields its port and process id, once it listens if no port is given.

    Raises:
        MeasuringError: the process ended.
    """
    number = port or free_ports(1)[0]
    command = [sys.executable, "-m", "kafkafmt", "serve", str(path), "--listen", f"127.0.0.1:{number}"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(variables), cwd=path
    )
    try:
        if not port:
            connected(number).close()
        yield number, process.pid
        if process.poll() is not None:
            raise MeasuringError(f"kafkafmt serve ended with status {process.returncode}")
    finally:
        process.terminate()
        process.wait()


def connected(port: int) -> socket.socket:
    """Connect to a loopback port as soon as a server listens.

    Raises:
        MeasuringError: no server listens within some seconds.
    """
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), _START_SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise MeasuringError(f"the server does not listen within {_START_SECONDS} s") from None
            time.sleep(0.01)


def read_all(
    variables: Mapping[str, str], broker: Broker, topics: Sequence[Topic], rounds: int, say: Say
) -> dict[str, dict[str, Reading]]:
    """Read topics from a running broker, and from the copy of its disk.

    Returns readings as `scans.read_all` does.
    """
    clients = {client: read for client, read in _READERS.items() if client == JAVA or which(client)}
    copy = broker.directory / "copy"
    jobs: dict[str, Callable[[], Cost]] = {}
    found: dict[str, dict[str, Reading]] = {}
    first: dict[str, dict[str, Reading]] = {}
    with serving(copy, variables) as (port, pid):
        addresses = {"broker": broker.bootstrap_servers, "serve": f"127.0.0.1:{port}"}
        trees = {"broker": ProcessTree(broker.pid), "serve": ProcessTree(pid)}
        for topic in topics:
            size = sum(path.stat().st_size for path in copy.glob(f"{topic.name}-*/*.log"))
            found[topic.label] = {}
            for client, server in product(clients, SERVERS):
                key = f"{server}-{client}"
                passes = partial(_cost, trees[server], clients[client], addresses[server], topic, _PASSES[client])
                jobs[f"{topic.label}, {key}"] = passes
                found[topic.label][key] = Reading(topic.visible, size)
        for topic in topics:
            keys = [f"{server}-{JAVA}" for server in SERVERS]
            of_topic = {key: Reading(topic.visible, found[topic.label][key].size) for key in keys}
            compare({key: jobs[f"{topic.label}, {key}"] for key in keys}, of_topic, rounds=1, warming=0)
            first[topic.label + FIRST] = of_topic
        say(f"{len(jobs)} readings by turns, {_WARMING} and {rounds} rounds")
        # All topics in each round: a broker compiles its code for a long time, so that the last topic would be faster.
        readings = {f"{label}, {key}": reading for label, of in found.items() for key, reading in of.items()}
        compare(jobs, readings, rounds, _WARMING)
    return found | first


def serving_goals(readings: goals.Readings) -> list[Figure]:
    """Goals for readings."""
    return [
        goals.ratio(
            readings,
            [topic],
            f"broker-{client}",
            f"serve-{client}",
            text=f"CPU of {SERVERS['broker']} / {SERVERS['serve']}, {CLIENTS[client]}, {topic}",
            at_least=AT_LEAST,
        )
        for client in CLIENTS
        for topic in readings
        if f"serve-{client}" in readings[topic]
    ]


def versions() -> dict[str, str]:
    """Versions of the broker and of clients."""
    known = {"broker": jar_versions([path.name for path in kafka_jars().glob("*.jar")])["kafka-clients"]}
    jars = fetched_jars(_JARS, "kafka-clients")
    known[CLIENTS[JAVA]] = jar_versions([path.name for path in jars.glob("*.jar")])["kafka-clients"]
    if which(KCAT):
        said = subprocess.run([KCAT, "-V"], capture_output=True, text=True, check=False).stdout
        known[KCAT] = said.partition("Version ")[2].partition(" ")[0]
    return known


def _cost(server: ProcessTree, read: Callable[[str, Topic], int], address: str, topic: Topic, passes: int = 1) -> Cost:
    """Cost to the server of one pass of a client over a topic, as the mean of several."""
    before, began = sum(server.cpu_time()), time.monotonic()
    counts = [read(address, topic) for _ in range(passes)]
    cost = Cost((sum(server.cpu_time()) - before) / passes, (time.monotonic() - began) / passes)
    for count in counts:
        if count != topic.visible:
            raise MeasuringError(f"read {count:,} records of {topic.visible:,}")
    return cost


def _isolation(topic: Topic) -> str:
    return f"isolation.level=read_{'' if topic.transaction else 'un'}committed"


def _read_with_java(address: str, topic: Topic) -> int:
    jars = fetched_jars(_JARS, "kafka-clients")
    program = [tool("java"), "-Xmx512m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", f"{jars}/*"]
    arguments = ["--bootstrap-server", address, "--topic", topic.name, "--num-records", str(topic.visible)]
    settings = ["--hide-header", "--timeout", str(_PASS_SECONDS * 1000), "--command-property", _isolation(topic)]
    said = _run([*program, "org.apache.kafka.tools.ConsumerPerformance", *arguments, *settings])
    # start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, ..
    return int(said.split(b", ")[4])


def _read_with_kcat(address: str, topic: Topic) -> int:
    options = ["-e", "-q", "-o", "beginning", "-f", ".", "-X", _isolation(topic)]
    return len(_run(["kcat", "-b", address, "-C", "-t", topic.name, *options]))


def _run(command: Sequence[str]) -> bytes:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PASS_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise MeasuringError(f"{command[0]} has not ended after {_PASS_SECONDS} s") from None
    if done.returncode:
        raise MeasuringError(f"{command[0]} ends with status {done.returncode}: {done.stderr[-300:].decode()}")
    return done.stdout


_READERS = {JAVA: _read_with_java, KCAT: _read_with_kcat}
