"""Kafka's partition assignors, to compare a group's assignment with the one that its assignor computes.

RangeAssignor and RoundRobinAssignor (`org.apache.kafka.clients.consumer`) are here; the others have their own modules.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kafkafmt.errors import UnsupportedError
from kafkafmt.topics.assignment.group import Assignment, GroupSpec, Subscriber, TopicPartition, racks_differ
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
        members: members in the order of the group's record, which matters only where Kafka iterates over hash maps.
        partitions: number of partitions by topic. Other topics do not exist, and are not assigned.
        racks: racks of the replicas of a partition, if the brokers had racks (KIP-881).

    Returns:
        Sorted partitions by member id. The cooperative assignor's are those of the first rebalance: partitions that
        move are left out until the next one.

    Raises:
        LimitExceededError: the group is too large.
        UnsupportedError: the assignor does not exist, or Kafka's own one throws an exception on this group.
    """
    if protocol not in _ASSIGNORS:
        raise UnsupportedError(f"Kafka's clients have no assignor {protocol!r}", expected=", ".join(PROTOCOLS))
    return _sorted(_ASSIGNORS[protocol](GroupSpec.of(members, partitions, racks)), members)


def assign_by_coordinator(
    assignor: str,
    members: Sequence[Subscriber],
    partitions: Mapping[str, int],
    *,
    topic_ids: Mapping[str, str] | None = None,
) -> Assignment:
    """Assign partitions to the members of a consumer group (KIP-848), as the assignor of Kafka 4.3's coordinator does.

    The coordinator starts from the current target assignment, to be passed as `owned_partitions` of the members. A
    target assignment that the assignor would not change is returned unchanged.

    Args:
        assignor: one of `COORDINATOR_ASSIGNORS`.
        members: members with their target assignments as `owned_partitions`; generation, rack and user data are
            ignored.
        partitions: number of partitions by topic.
        topic_ids: topic ids by name, 22 characters each, by which "uniform" breaks ties.

    Returns:
        The new target assignment by member id, sorted.

    Raises:
        LimitExceededError: the group is too large.
        UnsupportedError: the assignor does not exist, or Kafka's own one throws an exception on this group.
    """
    if assignor not in COORDINATOR_ASSIGNORS:
        expected = ", ".join(COORDINATOR_ASSIGNORS)
        raise UnsupportedError(f"Kafka's coordinator has no assignor {assignor!r}", expected=expected)
    group = GroupSpec.of([replace(member, rack=None) for member in members], partitions, None)
    assignment = _ranges(group) if assignor == "range" else assign_uniform(group, topic_ids or {})
    return _sorted(assignment, members)


def _sorted(assignment: Assignment, members: Sequence[Subscriber]) -> Assignment:
    return {member.member_id: sorted(assignment[member.member_id]) for member in members}


def _round_robin(group: GroupSpec) -> Assignment:
    """RoundRobinAssignor: deals all partitions to the subscribers of their topics in turn."""
    assignment: Assignment = {member_id: [] for member_id in group.members}
    order = group.in_static_order
    places: dict[str, list[int]] = {topic: [] for topic in group.counts}
    for place, member_id in enumerate(order):
        for topic in dict.fromkeys(group.members[member_id].topics):
            if topic in places:
                places[topic].append(place)
    turn = 0
    for topic, partition in group.partitions:
        subscribers = places[topic]
        place = subscribers[bisect_left(subscribers, turn) % len(subscribers)]  # the next one, or again the first
        assignment[order[place]].append((topic, partition))
        turn = place + 1
    return assignment


def _ranges(group: GroupSpec) -> Assignment:
    """RangeAssignor: cuts each topic into ranges, first within matching racks (KIP-881).

    Raises:
        LimitExceededError: the assignment takes too many steps.
    """
    assignment: Assignment = {member_id: [] for member_id in group.members}
    topics = _topics(group, assignment)
    if any(topic.heeds_racks for topic in topics):
        for alike in _together(topics):
            if len(alike) > 1:
                _assign_same_partitions(alike)
            elif alike[0].heeds_racks:
                _assign_near(alike[0])
    for topic in topics:
        _assign_rest(topic)
    return assignment


@dataclass
class _Topic:
    """A topic while its partitions are assigned.

    Attributes:
        name: name of the topic.
        consumers: racks of its subscribers by member id, in order.
        racks: racks of each partition; empty if no consumer has one.
        heeds_racks: whether racks matter for this topic.
        free: unassigned partitions, in order.
        given: number of assigned partitions by consumer.
        share: lowest number of partitions that each consumer gets.
        extra: number of consumers that may still get one more.
    """

    name: str
    consumers: dict[str, str | None]
    racks: list[frozenset[str]]
    heeds_racks: bool
    free: list[int]
    given: dict[str, int]
    share: int
    extra: int
    group: GroupSpec
    assignment: Assignment

    def matches(self, consumer: str, partition: int) -> bool:
        """Whether a replica is in the consumer's rack; true if the consumer has none."""
        rack = self.consumers[consumer]
        return rack is None or (partition < len(self.racks) and rack in self.racks[partition])

    def room(self, consumer: str) -> int:
        """Number of partitions that a consumer may still get."""
        return max(0, self.share + (self.extra > 0) - self.given[consumer])

    def give(self, consumer: str, partitions: list[int]) -> None:
        """Assign partitions, which are no longer in `free`."""
        self.assignment[consumer] += [(self.name, partition) for partition in partitions]
        self.given[consumer] += len(partitions)
        if self.given[consumer] > self.share:
            self.extra -= 1


def _topics(group: GroupSpec, assignment: Assignment) -> list[_Topic]:
    consumers: dict[str, dict[str, str | None]] = {topic: {} for topic in group.counts}
    for member_id in group.in_static_order:
        for topic in group.members[member_id].topics:
            if topic in consumers:
                consumers[topic][member_id] = group.consumer_racks.get(member_id)
    topics = []
    for topic, count in group.counts.items():
        members = consumers[topic]
        consumer_racks = {rack for rack in members.values() if rack is not None}
        racks = [group.racks_of((topic, partition)) for partition in range(count)] if consumer_racks else []
        share, extra = divmod(count, len(members))
        heeds_racks = racks_differ(consumer_racks, racks)
        given = dict.fromkeys(members, 0)
        topics.append(
            _Topic(topic, members, racks, heeds_racks, list(range(count)), given, share, extra, group, assignment)
        )
    return topics


def _together(topics: list[_Topic]) -> list[list[_Topic]]:
    """Topics grouped by consumers and number of partitions; Kafka co-partitions the topics of a group."""
    alike: dict[tuple[tuple[str, ...], int], list[_Topic]] = {}
    for topic in topics:
        alike.setdefault((tuple(topic.consumers), len(topic.racks)), []).append(topic)
    return list(alike.values())


def _assign_same_partitions(topics: list[_Topic]) -> None:
    """Give partitions of the same number to the same consumer if its rack matches all of them."""
    remaining = list(topics[0].consumers)
    taken = set()
    effort = topics[0].group.effort
    for partition in range(len(topics[0].racks)):
        for consumer in remaining:
            effort.spend(len(topics))
            if all(topic.matches(consumer, partition) and topic.room(consumer) for topic in topics):
                break
        else:
            continue
        taken.add(partition)
        for topic in topics:
            topic.give(consumer, [partition])
        if not any(topic.room(consumer) for topic in topics):
            remaining.remove(consumer)
    for topic in topics:
        topic.free = [partition for partition in topic.free if partition not in taken]


def _assign_near(topic: _Topic) -> None:
    """Give each consumer free partitions in its rack, up to its share."""
    for consumer in topic.consumers:
        topic.group.effort.spend(len(topic.free))
        near = [partition for partition in topic.free if topic.matches(consumer, partition)][: topic.room(consumer)]
        if near:
            taken = set(near)
            topic.free = [partition for partition in topic.free if partition not in taken]
            topic.give(consumer, near)


def _assign_rest(topic: _Topic) -> None:
    """Give each consumer the next free partitions, up to its share."""
    start = 0
    for consumer in topic.consumers:
        following = topic.free[start : start + topic.room(consumer)]
        if following:
            start += len(following)
            topic.give(consumer, following)


_ASSIGNORS: dict[str, Callable[[GroupSpec], Assignment]] = {
    "range": _ranges,
    "roundrobin": _round_robin,
    "sticky": assign_sticky,
    "cooperative-sticky": assign_cooperative_sticky,
}
PROTOCOLS = tuple(_ASSIGNORS)
COORDINATOR_ASSIGNORS = ("uniform", "range")
