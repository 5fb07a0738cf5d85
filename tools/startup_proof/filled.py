"""Clusters of one to three nodes filled by Kafka's clients, and their disks after a crash, a stop, or a lag."""

import re
import shutil
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

from kafka_broker.cluster import Cluster, Node
from startup_proof.nodes import JAVA, Disks, Partition, Records, consumed, run_java

SETTINGS = {
    "log.retention.ms": "-1",
    "log.cleaner.enable": "false",
    "log.segment.delete.delay.ms": "600000",
    "log.index.size.max.bytes": "4096",
    "transaction.max.timeout.ms": "86400000",
    "transactional.id.expiration.ms": "2147483647",
    "num.recovery.threads.per.data.dir": "1",
    # Long enough for all nodes to start on a busy machine: if a session ends before, leaders change.
    "broker.session.timeout.ms": "20000",
    "broker.heartbeat.interval.ms": "1000",
    "leader.imbalance.check.interval.seconds": "36000",
}
QUIET = {"log.initial.task.delay.ms": "600000"}
"""Settings with which no checkpoint is written, so that only the start itself changes the disks."""

_CHECKPOINTS = {f"log.{name}.checkpoint.interval.ms": "300" for name in ("flush.offset", "flush.start.offset")} | {
    "replica.high.watermark.checkpoint.interval.ms": "300",
    "log.initial.task.delay.ms": "300",
}
_CHECKPOINT_SECONDS = 1.0
_PARTITION = re.compile(r"([^.]+)-(\d+)(?:\..*)?")  # also matches strays


@dataclass(frozen=True)
class Base:
    """The disks of a cluster after one of its ends.

    Attributes:
        name: kind of the end.
        disks: disks of all nodes.
        older: disks of the same nodes at an earlier time.
        served: all records that a consumer got before the end.
    """

    name: str
    disks: Disks
    older: Disks
    served: Records

    @cached_property
    def written(self) -> Mapping[Partition, set[tuple[int, str]]]:
        """Offsets and hashes of all records on `disks` and `older`, by partition."""
        return {key: set(each) for key, each in records_on(self.disks, self.older).items()}


def nodes_of(number: int) -> dict[int, Node]:
    """The nodes of a cluster: one node, a controller and a broker, or three nodes that are both."""
    return {
        node: Node(
            [f"log-dir-{each}" for each in range(1 if number == 3 and node == 1 else 2)],
            is_controller=number == 3 or node == 1,
        )
        for node in range(1, number + 1)
    }


def settings_of(number: int) -> dict[str, str]:
    """Properties of all nodes of a cluster."""
    replicated = ("offsets.topic", "transaction.state.log")
    return SETTINGS | {f"{each}.replication.factor": str(number) for each in replicated}


def bases(home: Path, number: int) -> Iterator[Base]:
    """Fill a cluster, and yield its disks after each of its ends; the next end is made on demand.

    Args:
        home: directory of everything; must not exist.
        number: number of nodes.
    """
    names = count()

    def copied(name: str) -> Disks:
        return copy(Disks(home / "cluster", nodes), home / f"{next(names)}-{name}")

    nodes = nodes_of(number)
    with Cluster(home / "cluster", nodes, settings_of(number) | _CHECKPOINTS, java_options=JAVA) as cluster:
        cluster.start()
        run_java("FillDisks", cluster.bootstrap_servers, str(number))
        time.sleep(_CHECKPOINT_SECONDS)
        older = copied("older")
        run_java("FillDisks", cluster.bootstrap_servers)
        served = consumed(cluster)[1]
        time.sleep(_CHECKPOINT_SECONDS)
        cluster.kill()
        yield Base("killed", copied("killed"), older, served)
        cluster.start()
        served = consumed(cluster)[1]
        cluster.stop()
        yield Base("stopped", copied("stopped"), older, served)
        if number > 1:
            cluster.start()
            before = consumed(cluster)[1]
            cluster.kill([number])
            run_java("FillDisks", cluster.bootstrap_servers)
            served = {**before, **consumed(cluster)[1]}  # records on only the dead node are not served now
            time.sleep(_CHECKPOINT_SECONDS)
            cluster.kill()
            yield Base("lagging", copied("lagging"), older, served)


def copy(disks: Disks, home: Path) -> Disks:
    """Copy the disks of all nodes."""
    for node in disks.nodes:
        for path in disks.log_dirs(node):
            # A running broker may rename its .tmp files at any time.
            without = shutil.ignore_patterns("*.tmp")
            shutil.copytree(path, home / f"n{node}" / path.name, symlinks=True, ignore=without)
    return Disks(home, disks.nodes)


def records_on(*places: Disks) -> dict[Partition, dict[tuple[int, str], set[Path]]]:
    """Offsets and hashes of the sound records in the segments of partitions, with the directories that hold each."""
    found: dict[Partition, dict[tuple[int, str], set[Path]]] = defaultdict(lambda: defaultdict(set))
    for line in run_java("SoundRecords", *(str(each.home) for each in places)).splitlines():
        file, offset, known = line.split("\t")
        directory = Path(file).parent
        if named := _PARTITION.fullmatch(directory.name):
            found[named[1], int(named[2])][int(offset), known].add(directory)
    return found
