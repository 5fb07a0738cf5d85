"""Kafka's partition assignors, to compare what members of a group were assigned with what their assignor computes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from kafkafmt.errors import UnsupportedError
from kafkafmt.topics.assignment.group import Assignment, GroupSpec, Subscriber, TopicPartition
from kafkafmt.topics.assignment.ranges import assign_ranges, assign_round_robin
from kafkafmt.topics.assignment.sticky import assign_cooperative_sticky, assign_sticky
from kafkafmt.topics.assignment.uniform import assign_uniform

__all__ = [
    "COORDINATOR_ASSIGNORS",
    "PROTOCOLS",
    "Assignment",
    "Subscriber",
    "TopicPartition",
    "assign",
    "assign_by_coordinator",
]

_ASSIGNORS: dict[str, Callable[[GroupSpec], Assignment]] = {
    "range": assign_ranges,
    "roundrobin": assign_round_robin,
    "sticky": assign_sticky,
    "cooperative-sticky": assign_cooperative_sticky,
}
PROTOCOLS = tuple(_ASSIGNORS)
COORDINATOR_ASSIGNORS = ("uniform", "range")


def assign(
    protocol: str,
    members: Sequence[Subscriber],
    partitions: Mapping[str, int],
    *,
    racks: Mapping[TopicPartition, Collection[str]] | None = None,
) -> Assignment:
    """Assign partitions to the members of a classic group, as the assignor of Kafka 4.3's clients does.

    Args:
        protocol: one of `PROTOCOLS`, the name by which the group selected its assignor.
        members: in the order of the group's record, which matters only where Kafka iterates over hash maps.
        partitions: number of partitions by topic. Other topics do not exist, and are not assigned.
        racks: racks of the replicas of a partition, if the brokers had racks (KIP-881).

    Returns:
        By member id its partitions, sorted. For the cooperative assignor those of the first rebalance: partitions that
        move are left out until the next one.

    Raises:
        LimitExceededError: the group is too large.
        UnsupportedError: there is no such assignor, or Kafka's own one throws an exception on this group.
    """
    if protocol not in _ASSIGNORS:
        raise UnsupportedError(f"no assignor of Kafka's clients is called {protocol!r}", expected=", ".join(PROTOCOLS))
    return _sorted(_ASSIGNORS[protocol](GroupSpec.of(members, partitions, racks)), members)


def assign_by_coordinator(
    assignor: str,
    members: Sequence[Subscriber],
    partitions: Mapping[str, int],
    *,
    topic_ids: Mapping[str, str] | None = None,
) -> Assignment:
    """Assign partitions to the members of a consumer group (KIP-848), as the assignor of Kafka 4.3's coordinator does.

    The coordinator starts from the current target assignment: pass it as `owned_partitions` of the members. A target
    assignment that the assignor would not change is returned as it is.

    Args:
        assignor: one of `COORDINATOR_ASSIGNORS`.
        members: with their target assignments as `owned_partitions`; generation, rack and user data are ignored.
        partitions: number of partitions by topic.
        topic_ids: topic ids by name, 22 characters each: "uniform" breaks ties by them.

    Returns:
        By member id its new target assignment, sorted.

    Raises:
        LimitExceededError: the group is too large.
        UnsupportedError: there is no such assignor, or Kafka's own one throws an exception on this group.
    """
    if assignor not in COORDINATOR_ASSIGNORS:
        expected = ", ".join(COORDINATOR_ASSIGNORS)
        raise UnsupportedError(f"no assignor of Kafka's coordinator is called {assignor!r}", expected=expected)
    group = GroupSpec.of([replace(member, rack=None) for member in members], partitions, None)
    assignment = assign_ranges(group) if assignor == "range" else assign_uniform(group, topic_ids or {})
    return _sorted(assignment, members)


def _sorted(assignment: Assignment, members: Sequence[Subscriber]) -> Assignment:
    return {member.member_id: sorted(assignment[member.member_id]) for member in members}
