"""What Kafka's RangeAssignor gives: each topic cut into ranges, by KIP-881 first along racks."""

from dataclasses import dataclass

from kafkafmt.topics.assignment.group import Assignment, Group, racks_differ


def assign_ranges(group: Group) -> Assignment:
    """Assign as RangeAssignor of Kafka's clients does.

    Raises:
        LimitExceededError: that takes too many steps.
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
    """The state of a topic while its partitions are given out.

    Attributes:
        name: of the topic.
        consumers: ids of members that subscribe to it, in order, and their racks.
        racks: of each partition; empty where no consumer has one.
        heeds_racks: whether racks matter here.
        free: partitions that nobody has yet, in order.
        given: how many each consumer has.
        share: how many each consumer gets at least.
        extra: how many consumers may still get one more.
    """

    name: str
    consumers: dict[str, str | None]
    racks: list[frozenset[str]]
    heeds_racks: bool
    free: list[int]
    given: dict[str, int]
    share: int
    extra: int
    group: Group
    assignment: Assignment

    def matches(self, consumer: str, partition: int) -> bool:
        """Tell whether a replica lies in the rack of a consumer; any does if it has none."""
        rack = self.consumers[consumer]
        return rack is None or (partition < len(self.racks) and rack in self.racks[partition])

    def room(self, consumer: str) -> int:
        """How many partitions a consumer may still get."""
        return max(0, self.share + (self.extra > 0) - self.given[consumer])

    def give(self, consumer: str, partitions: list[int]) -> None:
        """Take partitions that are no longer in `free` for a consumer."""
        self.assignment[consumer] += [(self.name, partition) for partition in partitions]
        self.given[consumer] += len(partitions)
        if self.given[consumer] > self.share:
            self.extra -= 1


def _topics(group: Group, assignment: Assignment) -> list[_Topic]:
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
    """Topics with the same consumers and number of partitions, whose partitions Kafka keeps together."""
    alike: dict[tuple[tuple[str, ...], int], list[_Topic]] = {}
    for topic in topics:
        alike.setdefault((tuple(topic.consumers), len(topic.racks)), []).append(topic)
    return list(alike.values())


def _assign_same_partitions(topics: list[_Topic]) -> None:
    """Give partitions of the same number to the same consumer where its rack suits all of them."""
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
    """Give each consumer partitions that lie in its rack, as many as it may have."""
    for consumer in topic.consumers:
        topic.group.effort.spend(len(topic.free))
        near = [partition for partition in topic.free if topic.matches(consumer, partition)][: topic.room(consumer)]
        if near:
            taken = set(near)
            topic.free = [partition for partition in topic.free if partition not in taken]
            topic.give(consumer, near)


def _assign_rest(topic: _Topic) -> None:
    """Give each consumer the next partitions that are free, as many as it may have."""
    start = 0
    for consumer in topic.consumers:
        following = topic.free[start : start + topic.room(consumer)]
        if following:
            start += len(following)
            topic.give(consumer, following)
