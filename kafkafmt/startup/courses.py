"""Course: one of the ways in which the nodes of a cluster may start, and the condition under which it is taken."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.startup.cluster_partition import Condition
from kafkafmt.startup.controllers import ClusterNode
from kafkafmt.startup.elections import NO_LEADER, ElectedPartition

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

# Each order of starts elects all partitions again, so with more nodes than this only two orders are tried.
_MOST_ORDERED = 5


@dataclass(frozen=True)
class Course:
    """One possible start of a cluster.

    Attributes:
        up: the nodes that take part.
        elected: leader and in-sync replicas of each partition, by topic and number.
        topic_ids: ids of topics, by name.
        has_quorum: whether a controller is elected.
        condition: the clause that describes this course; None for the default course, whose results are shown.
    """

    up: frozenset[int]
    elected: Mapping[tuple[str, int], ElectedPartition]
    topic_ids: Mapping[str, str] = field(default_factory=dict)
    has_quorum: bool = False
    condition: Condition | None = None

    def key(self, topic: str, number: int) -> tuple[object, ...]:
        """The facts on which the outcome for a partition depends: courses with equal keys have the same outcome."""
        elected = self.elected.get((topic, number))
        if elected is None:
            return (None,)
        up = self.up.intersection(elected.replicas)
        return self.topic_ids[topic], elected.leader if self.has_quorum else NO_LEADER, elected.replicas, up


def orders(nodes: Sequence[ClusterNode]) -> Iterator[Sequence[ClusterNode]]:
    """Orders of starts that may elect different leaders: by node id, the reverse, and each node first or last."""
    yield nodes
    yield nodes[::-1]
    for node in nodes if len(nodes) <= _MOST_ORDERED else ():
        others = [each for each in nodes if each is not node]
        yield [node, *others]
        yield [*others, node]


def by_order(nodes: Sequence[ClusterNode]) -> Condition:
    """The condition of an order of starts; by default nodes start in the order of their ids."""
    numbers = [node.number for node in nodes]
    return Condition(
        "the order in which the nodes start",
        f"if the nodes start in the order {', '.join(map(str, numbers))}",
        f"if the nodes start in the order {', '.join(map(str, sorted(numbers)))}",
    )


def by_step(node: ClusterNode, path: str) -> Condition:
    """`ReplicaManager.applyDelta`: an exception at one of the partitions to lead ends the step for all later ones."""
    return Condition(
        f"which partitions node {node.number} takes up before one of {path}",
        f"if node {node.number} comes to a partition of {path} first",
        f"if node {node.number} comes to a partition of {path} later",
    )


def by_session(node: ClusterNode) -> Condition:
    """The condition of a killed broker that registers before the controller ends the sessions of all killed ones."""
    return Condition(
        "which broker's session ends first",
        f"if node {node.number} registers as soon as its session ends",
        "if the controller ends all sessions before a node registers",
        only_by_cost=True,
    )


def by_controllers(metadata: "ClusterMetadata") -> Condition:
    """The condition of a quorum whose first controllers lack the newest records of the metadata log."""
    return Condition(
        "which controllers are up first",
        f"if controllers are up first whose metadata log ends at offset {metadata.offset}",
        "if a controller with the newest metadata log is up first",
    )


def by_doubt(nodes: Sequence[ClusterNode]) -> Condition:
    """The condition that nodes whose start is doubtful do not start."""
    names = ", ".join(str(node.number) for node in nodes)
    who, takes, does = ("node", "takes", "does") if len(nodes) == 1 else ("nodes", "take", "do")
    return Condition(
        f"whether {who} {names} {takes} part",
        f"if {who} {names} {does} not take part",
        f"if {who} {names} {takes} part",
    )
