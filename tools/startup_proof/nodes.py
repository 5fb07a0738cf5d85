"""Starts the nodes of a cluster on their disks; reports their state and the records that they serve."""

import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from class_path import kafka_class_path, tool
from kafka_broker.broker import BrokerError
from kafka_broker.cluster import Cluster, Node
from startup_proof.started import Started, files_of, read

JAVA = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]

_LOGGED = ("org.apache.kafka.storage.internals.log", "kafka.log", "kafka.server.ReplicaManager")
_BROKER_JAVA = [*JAVA, *(f"-Dorg.slf4j.simpleLogger.log.{name}=info" for name in _LOGGED)]
_SETTLE_SECONDS = 1.5  # a broker may take a directory offline shortly after it reported its start
_READ_SECONDS = 300

Partition = tuple[str, int]
Records = Mapping[Partition, Mapping[int, str]]
"""Hashes of records by topic and partition, and by offset; computed by RecordHash.java."""


@dataclass(frozen=True)
class Disks:
    """The log directories of all nodes of a stopped cluster.

    Attributes:
        home: parent of the nodes' directories nID, which hold the log directories.
        nodes: the nodes by id, in the order of their start.
    """

    home: Path
    nodes: Mapping[int, Node]

    def log_dirs(self, node: int) -> list[Path]:
        """The log directories of a node; some may not exist."""
        return [self.home / f"n{node}" / name for name in self.nodes[node].log_dirs]


@dataclass(frozen=True)
class Served:
    """A partition as clients see it.

    Attributes:
        leader: node id of the leader; None for no leader.
        in_sync: node ids of the in-sync replicas.
        start, end: first and next offset; -1 if no node answers.
        stops: why a consumer does not reach the end; empty if it does.
    """

    leader: int | None
    in_sync: tuple[int, ...]
    start: int
    end: int
    stops: str


@dataclass(frozen=True)
class Outcome:
    """The result of starting all nodes.

    Attributes:
        nodes: state of each node's disks.
        partitions: state of each partition for clients.
        records: records that a consumer gets.
        last_errors: last logged error of each node that does not run.
        error: why clients get no answer; empty if they get one.
    """

    nodes: Mapping[int, Started]
    partitions: Mapping[Partition, Served]
    records: Records
    last_errors: Mapping[int, str]
    error: str


def start(disks: Disks, overrides: Mapping[str, str] | None = None) -> Outcome:
    """Start all nodes on their disks, wait until they have settled, consume all records, and kill the nodes.

    Args:
        disks: the disks, which the nodes change.
        overrides: broker properties of all nodes.
    """
    before = {node: files_of(disks.log_dirs(node)) for node in disks.nodes}
    served: tuple[dict[Partition, Served], Records] = {}, {}
    error = ""
    with Cluster(disks.home, disks.nodes, overrides, java_options=_BROKER_JAVA) as cluster:
        began = time.monotonic()
        cluster.start()
        if cluster.running:
            try:
                served = consumed(cluster)
            except BrokerError as failed:
                error = str(failed)
            time.sleep(max(0, began + _SETTLE_SECONDS - time.monotonic()))
        running = cluster.running
        waiting = [node for node, each in cluster.brokers.items() if each.is_running and node not in running]
    logs = {node: each.log() for node, each in cluster.brokers.items()}
    nodes = {
        node: read(
            log,
            disks.log_dirs(node),
            before[node],
            starts=True if node in running else None if node in waiting else False,
        )
        for node, log in logs.items()
    }
    last = {node: _last_error(log) for node, log in logs.items() if node not in running}
    return Outcome(nodes, *served, last, error)


def consumed(cluster: Cluster) -> tuple[dict[Partition, Served], Records]:
    """The state of each partition for clients, and all records that a consumer gets, once the cluster has settled.

    Raises:
        BrokerError: clients get no answer.
    """
    lines = run_java("ReadCluster", cluster.bootstrap_servers, *map(str, cluster.running)).splitlines()
    partitions: dict[Partition, Served] = {}
    records: dict[Partition, dict[int, str]] = defaultdict(dict)
    for line in lines:
        kind, topic, partition, *rest = line.split("\t")
        if kind == "record":
            records[topic, int(partition)][int(rest[0])] = rest[1]
        else:
            leader, in_sync, begin, end, stops = rest
            nodes = tuple(int(each) for each in in_sync.split(",") if each)
            leads = int(leader) if leader != "-1" else None
            partitions[topic, int(partition)] = Served(leads, nodes, int(begin), int(end), stops)
    return partitions, records


def run_java(program: str, *arguments: str) -> str:
    """Run one of the proof's programs with Kafka's classes; returns its output.

    Raises:
        BrokerError: the program fails or takes too long.
    """
    command = [tool("java"), "-Xmx128m", *JAVA, "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
    try:
        done = subprocess.run(
            [*command, "-cp", kafka_class_path(), program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_READ_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BrokerError(f"{program} does not end within {_READ_SECONDS} s") from error
    if done.returncode:
        raise BrokerError(f"{program} fails:\n{done.stderr[-2000:]}")
    return done.stdout


def _last_error(log: str) -> str:
    errors = [line for line in log.splitlines() if "[ERROR]" in line]
    return errors[-1].partition("[ERROR] ")[2] if errors else "it waits, or ended without an error"
