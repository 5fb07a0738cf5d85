"""What Kafka's assignors would give the members of a group: to be held against what a group was given."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from kafkafmt.errors import UnsupportedError
from kafkafmt.topics.assignment.group import Assignment, Group, Subscriber, TopicPartition
from kafkafmt.topics.assignment.round_robin import assign_round_robin
from kafkafmt.topics.assignment.sticky import assign_cooperative_sticky, assign_sticky
from kafkafmt.topics.assignment.topic_ranges import assign_ranges
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

_ASSIGNORS: dict[str, Callable[[Group], Assignment]] = {
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
    """Assign partitions to the members of a classic group as the assignor of that name in Kafka 4.3's clients does.

    Args:
        protocol: one of `PROTOCOLS`, the name by which the group agreed on its assignor.
        members: in the order in which the leader was told of them, that of the group's record; it matters only where
            Kafka leaves it to its hash maps.
        partitions: the number of partitions of each topic that existed. A topic that is not there is not assigned.
        racks: where the replicas of a partition were, if the brokers had racks (KIP-881).

    Returns:
        By member id the partitions that it gets, in order; an empty list for who gets none. Of the cooperative
        assignor what it hands out at once: partitions that move are left out until the next rebalance.

    Raises:
        LimitExceededError: the group is too large to be worked out.
        UnsupportedError: there is no such assignor, or Kafka's own one throws an exception at this group.
    """
    if protocol not in _ASSIGNORS:
        raise UnsupportedError(f"no assignor of Kafka's clients is called {protocol!r}", expected=", ".join(PROTOCOLS))
    assignment = _ASSIGNORS[protocol](Group.of(members, partitions, racks))
    return {member.member_id: sorted(assignment[member.member_id]) for member in members}


def assign_by_coordinator(
    assignor: str,
    members: Sequence[Subscriber],
    partitions: Mapping[str, int],
    *,
    topic_ids: Mapping[str, str] | None = None,
) -> Assignment:
    """Assign partitions to the members of a consumer group (KIP-848) as the assignor in Kafka 4.3's coordinator does.

    The coordinator works on from the target assignment that there is: given as what members own, a target assignment
    that the assignor would leave alone comes back as it is.

    Args:
        assignor: one of `COORDINATOR_ASSIGNORS`.
        members: with their target assignments as `owned_partitions`; generation, rack and user data do not matter.
        partitions: the number of partitions of each topic that existed.
        topic_ids: ids of topics, 22 characters each, by which "uniform" goes where it has a choice.

    Returns:
        By member id the partitions that it is to have, in order.

    Raises:
        LimitExceededError: the group is too large to be worked out.
        UnsupportedError: there is no such assignor, or Kafka's own one throws an exception at this group.
    """
    if assignor not in COORDINATOR_ASSIGNORS:
        expected = ", ".join(COORDINATOR_ASSIGNORS)
        raise UnsupportedError(f"no assignor of Kafka's coordinator is called {assignor!r}", expected=expected)
    group = Group.of([replace(member, rack=None) for member in members], partitions, None)
    assignment = assign_ranges(group) if assignor == "range" else assign_uniform(group, topic_ids or {})
    return {member.member_id: sorted(assignment[member.member_id]) for member in members}
