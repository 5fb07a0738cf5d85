"""Real Kafka brokers of one cluster: nodes with static voters, on loopback.

    nodes = {1: Node(["d0", "d1"]), 2: Node(["d0"], is_controller=False)}
    with Cluster(directory, nodes) as cluster:  # each node below directory/nID
        cluster.start()
        ...  # clients connect to cluster.bootstrap_servers

New log directories are formatted, all with the same cluster id; existing ones are used as they are.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from kafka_broker.broker import Broker, BrokerError, free_ports, new_cluster_id

START_SECONDS = 75

_BETWEEN_CONTROLLERS_SECONDS = 1.5
_WITHOUT_CONTROLLERS_SECONDS = 5.0
_STOP_ALONE_SECONDS = 8.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Node:
    """A node: a broker, and also a controller if it is one of the voters.

    Attributes:
        log_dirs: names of its log directories below the node's directory; cluster metadata is in the first.
        is_controller: whether it is a voter.
        overrides: broker properties that replace or add to those of the cluster.
    """

    log_dirs: Sequence[str]
    is_controller: bool = True
    overrides: Mapping[str, str] | None = None


class Cluster:
    """The nodes of a cluster; running nodes are killed at the end of the block.

    Attributes:
        brokers: the nodes by id; each has its files in nID below the directory of the cluster.
    """

    def __init__(
        self,
        directory: Path,
        nodes: Mapping[int, Node],
        overrides: Mapping[str, str] | None = None,
        *,
        java_options: Sequence[str] = (),
    ) -> None:
        """Prepare the nodes; nothing is started or written yet.

        Args:
            directory: parent of the nodes' directories.
            nodes: the nodes by id, in the order of their start.
            overrides: broker properties of all nodes.
            java_options: further options of the Java virtual machines.
        """
        self._voters = [node for node, each in nodes.items() if each.is_controller]
        ports = free_ports(2 * len(nodes))
        controllers = dict(zip(nodes, ports[len(nodes) :], strict=True))
        voters = ",".join(f"{node}@127.0.0.1:{controllers[node]}" for node in self._voters)
        cluster_id = new_cluster_id()
        self.brokers: dict[int, Broker] = {}
        for (node, each), port in zip(nodes.items(), ports, strict=False):
            listeners = f"PLAINTEXT://127.0.0.1:{port}"
            properties = {
                **(overrides or {}),
                **(each.overrides or {}),
                "node.id": str(node),
                "process.roles": "broker,controller" if each.is_controller else "broker",
                "controller.quorum.voters": voters,
                "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controllers[node]}"
                if each.is_controller
                else listeners,
            }
            self.brokers[node] = Broker(
                directory / f"n{node}",
                properties,
                log_dirs=each.log_dirs,
                cluster_id=cluster_id,
                java_options=java_options,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def running(self) -> list[int]:
        """Ids of the nodes that have started and still run."""
        return [node for node, each in self.brokers.items() if each.is_running and each.has_started]

    @property
    def bootstrap_servers(self) -> str:
        """Addresses for clients of the nodes that run."""
        return ",".join(self.brokers[node].bootstrap_servers for node in self.running)

    def start(self) -> None:
        """Start all nodes that do not run, each as soon as the previous one serves clients or has ended.

        Controllers are started shortly one after the other until they can elect a leader. Nodes that end or never
        become ready are not an error: see `running`.

        Raises:
            ToolError: Java, Maven or a jar is missing.
        """
        deadline = 0.0
        for node, broker in self.brokers.items():
            if broker.is_running:
                continue
            broker.kill()  # it may have ended without a call here
            broker.launch()
            deadline = time.monotonic() + START_SECONDS
            if node in self._voters and len(self._live_voters()) <= len(self._voters) // 2:
                _wait(_BETWEEN_CONTROLLERS_SECONDS, lambda: not broker.is_running)  # noqa: B023 - is called here
                continue
            self._await([node], deadline)
        self._await(list(self.brokers), deadline)

    def stop(self, nodes: Sequence[int] | None = None) -> None:
        """Shut nodes down in order, one after the other; by default all, in the reverse order of their start.

        A node that is left without enough controllers cannot shut down in order: it is killed after a while.

        Raises:
            BrokerError: a node had ended before, does not end in time, or ends with a failure.
        """
        for node in reversed(list(self.brokers)) if nodes is None else nodes:
            if len(self._live_voters()) > len(self._voters) // 2:
                self.brokers[node].stop()
            else:
                with suppress(BrokerError):
                    self.brokers[node].stop(_STOP_ALONE_SECONDS)

    def kill(self, nodes: Sequence[int] | None = None) -> None:
        """End nodes at once, like a crash; by default all."""
        for node in self.brokers if nodes is None else nodes:
            self.brokers[node].kill()

    def _live_voters(self) -> list[int]:
        return [node for node in self._voters if self.brokers[node].is_running]

    def _await(self, nodes: Sequence[int], deadline: float) -> None:
        """Wait until each of the nodes serves clients or has ended; only briefly without enough controllers."""
        alone_since: float | None = None
        while time.monotonic() < deadline:
            waiting = [node for node in nodes if self.brokers[node].is_running and not self.brokers[node].has_started]
            if not waiting:
                return
            if len(self._live_voters()) > len(self._voters) // 2:
                alone_since = None
            else:
                alone_since = alone_since or time.monotonic()
                if time.monotonic() - alone_since > _WITHOUT_CONTROLLERS_SECONDS:
                    return
            time.sleep(_POLL_SECONDS)


def _wait(seconds: float, done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not done():
        time.sleep(_POLL_SECONDS)
