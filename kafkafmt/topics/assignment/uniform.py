"""Kafka's UniformAssignor (KIP-848): the coordinator's assignor that changes a target assignment as little as needed.

If all members subscribe to the same topics, each keeps partitions up to its quota, and the others get the rest
(`UniformHomogeneousAssignmentBuilder`); else `UniformHeterogeneousAssignmentBuilder` decides.
"""

from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence

from kafkafmt.codec.java_text import string_hash
from kafkafmt.topics.assignment.group import (
    Assignment,
    GroupSpec,
    TopicPartition,
    java_bucket_order,
    java_hash_set_copy_order,
    kafka_fails,
    kafka_uuid_hash,
)

# MAX_ITERATION_COUNT of Kafka's `UniformHeterogeneousAssignmentBuilder`, on which the result depends.
_ROUNDS = 16
_NOBODY = -1


def assign_uniform(group: GroupSpec, topic_ids: Mapping[str, str]) -> Assignment:
    """UniformAssignor: `owned_partitions` of the members are the current target assignment.

    Args:
        group: the input.
        topic_ids: topic ids (22 characters) by name, by which Kafka breaks ties. Topics without one come first.

    Raises:
        LimitExceededError: it takes too many steps.
        UnsupportedError: Kafka's own assignor fails on this group.
    """
    if not group.counts:
        return {member_id: [] for member_id in group.members}
    bits = {topic: _bits(topic_ids.get(topic, "")) for topic in group.counts}
    subscriptions = {frozenset(member.topics) for member in group.members.values()}
    return _assign_alike(group, bits) if len(subscriptions) == 1 else _Heterogeneous(group, bits).assign()


def _assign_alike(group: GroupSpec, bits: dict[str, int]) -> Assignment:
    assigned = {partition for member in group.members.values() for partition in member.owned_partitions}
    names = java_hash_set_copy_order(list(dict.fromkeys(next(iter(group.members.values())).topics)), string_hash)
    topics = java_hash_set_copy_order(
        [name for name in names if name in bits], lambda name: kafka_uuid_hash(bits[name])
    )
    unassigned = [
        (topic, partition)
        for topic in topics
        for partition in range(group.counts[topic])
        if (topic, partition) not in assigned
    ]
    quota, extra = divmod(len(group.partitions), len(group.members))
    assignment: Assignment = {}
    unfilled: list[tuple[str, int]] = []
    for index, (member_id, member) in enumerate(group.members.items()):
        room = quota + (extra > 0)
        gets_extra = extra > 0
        kept: list[TopicPartition] = []
        for topic, partitions in _by_topic(member.owned_partitions, bits):
            kept += [(topic, partition) for partition in partitions[:room]]
            unassigned += [(topic, partition) for partition in partitions[room:]]
            room -= len(partitions[:room])
        if room and gets_extra and len(group.members) - index > extra:
            room -= 1  # a later member gets the extra partition
            gets_extra = False
        if room:
            unfilled.append((member_id, room))
        extra -= gets_extra
        assignment[member_id] = kept
    start = 0
    for member_id, room in unfilled:
        following = unassigned[start : start + room]
        assignment[member_id] += following
        start += len(following)
    if start < len(unassigned):
        raise kafka_fails()
    return {member_id: list(dict.fromkeys(partitions)) for member_id, partitions in assignment.items()}


def _by_topic(owned: Sequence[TopicPartition], bits: dict[str, int]) -> list[tuple[str, list[int]]]:
    """Partitions of subscribed topics, in the order of the maps into which Kafka reads records."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in owned:
        if topic in bits:
            by_topic.setdefault(topic, []).append(partition)
    topics = java_bucket_order(list(by_topic), lambda topic: kafka_uuid_hash(bits[topic]))
    return [(topic, java_hash_set_copy_order(by_topic[topic], lambda number: number)) for topic in topics]


def _bits(uuid: str) -> int:
    return int.from_bytes(urlsafe_b64decode(f"{uuid}=="), "big") if uuid else 0


class _Heterogeneous:
    """One assignment, with members numbered by their positions in the group."""

    def __init__(self, group: GroupSpec, bits: dict[str, int]) -> None:
        self._group = group
        self._bits = bits
        self._subscribers: dict[str, list[int]] = {topic: [] for topic in group.counts}
        for index, member in enumerate(group.members.values()):
            for topic in dict.fromkeys(member.topics):
                if topic in group.counts:
                    self._subscribers[topic].append(index)
        self._owners = {topic: [_NOBODY] * count for topic, count in group.counts.items()}
        self._sizes = [0] * len(group.members)

    def assign(self) -> Assignment:
        """Compute the assignment.

        Raises:
            LimitExceededError: it takes too many steps.
            UnsupportedError: Kafka's own assignor fails on this group.
        """
        self._keep()
        for topic in self._in_order([topic for topic in self._owners if _NOBODY in self._owners[topic]]):
            balancer = _Balancer(self._subscribers[topic], self._sizes)
            for partition, owner in enumerate(self._owners[topic]):
                if owner == _NOBODY:
                    self._give(topic, partition, balancer.least())
        self._balance()
        names = list(self._group.members)
        assignment: dict[str, list[TopicPartition]] = {name: [] for name in names}
        for topic, owners in self._owners.items():
            for partition, owner in enumerate(owners):
                assignment[names[owner]].append((topic, partition))
        return assignment

    def _keep(self) -> None:
        for index, member in enumerate(self._group.members.values()):
            subscribed = frozenset(member.topics)
            for topic, partition in dict.fromkeys(member.owned_partitions):
                if topic in subscribed and topic in self._owners:
                    if not 0 <= partition < len(self._owners[topic]):
                        raise kafka_fails()
                    self._sizes[index] += 1
                    self._owners[topic][partition] = index

    def _in_order(self, topics: list[str]) -> list[str]:
        """Topics sorted by partitions per subscriber (descending), then by subscribers (ascending), then by id."""

        def key(topic: str) -> tuple[float, int, int, int]:
            subscribers = len(self._subscribers[topic])
            bits = self._bits[topic]
            return (
                -self._group.counts[topic] / subscribers,
                subscribers,
                _signed(bits >> 64),
                _signed(bits & 0xFFFFFFFFFFFFFFFF),
            )

        return sorted(topics, key=key)

    def _give(self, topic: str, partition: int, member: int) -> None:
        owner = self._owners[topic][partition]
        if owner != _NOBODY:
            self._sizes[owner] -= 1
        self._owners[topic][partition] = member
        self._sizes[member] += 1

    def _balance(self) -> None:
        """Balance shared topics until a whole round changes nothing, or all rounds are used."""
        topics = self._in_order([topic for topic, members in self._subscribers.items() if len(members) >= 2])
        last_changed = None
        for _ in range(_ROUNDS):
            for topic in topics:
                if topic == last_changed:
                    return
                if self._balance_topic(topic) or last_changed is None:
                    last_changed = topic

    def _balance_topic(self, topic: str) -> bool:
        """Move partitions of a topic from members with the most to those with the fewest; return whether any moved."""
        owners = self._owners[topic]
        balancer = _Balancer(self._subscribers[topic], self._sizes)
        if balancer.imbalance <= 1:
            return False
        self._group.effort.spend(len(owners) + len(self._sizes))
        held: dict[int, list[int]] = {}
        for partition, owner in enumerate(owners):
            held.setdefault(owner, []).append(partition)
        moved = False
        while not balancer.is_balanced:
            giver = balancer.most()
            while giver != _NOBODY and not held.get(giver):
                balancer.exclude_most()
                giver = balancer.most()
            if giver == _NOBODY:
                break
            partition = held[giver].pop()
            receiver = balancer.least()
            if balancer.is_balanced:
                break
            self._give(topic, partition, receiver)
            moved = True
        return moved


class _Balancer:
    """Yields the subscribers with the fewest and with the most partitions, levelling both in turn.

    It keeps two ranges of the subscribers sorted by size: "least" grows from the start, "most" from the end. Sizes are
    read when a range grows, so moves need not be reported.
    """

    def __init__(self, members: list[int], sizes: list[int]) -> None:
        self._sizes = sizes
        self._members = sorted(members, key=lambda member: (sizes[member], member))
        least, most = sizes[self._members[0]], sizes[self._members[-1]]
        self.imbalance = most - least
        self._least_end = self._next_least = 0
        self._least_level = least - 1
        self._most_start = self._most_end = len(self._members)
        self._next_most = len(self._members) - 1
        self._most_level = most + 1

    @property
    def is_balanced(self) -> bool:
        """Whether the levels of the two ranges differ by at most one."""
        return self._most_level - self._least_level <= 1

    def least(self) -> int:
        """The next subscriber to receive a partition."""
        if self._next_least >= self._least_end:
            self._least_level += 1
            while self._least_end < len(self._members) and self._size(self._least_end) == self._least_level:
                self._least_end += 1
            self._next_least = 0
        self._next_least += 1
        return self._members[self._next_least - 1]

    def most(self) -> int:
        """The next subscriber to lose a partition, or -1."""
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                self._most_level = self._size(self._most_start - 1)
            else:
                self._most_level -= 1
            while self._most_start > 0 and self._size(self._most_start - 1) == self._most_level:
                self._most_start -= 1
            self._next_most = self._most_end - 1
        if self._next_most < 0:
            return _NOBODY
        self._next_most -= 1
        return self._members[self._next_most + 1]

    def exclude_most(self) -> None:
        """Exclude the subscriber that `most` last returned, which has no partition of the topic left."""
        self._most_end -= 1
        here, end = self._next_most + 1, self._most_end
        self._members[here], self._members[end] = self._members[end], self._members[here]

    def _size(self, place: int) -> int:
        return self._sizes[self._members[place]]


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits
