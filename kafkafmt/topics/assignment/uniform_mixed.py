"""What the coordinator's UniformAssignor gives where members subscribe to different topics."""

from kafkafmt.topics.assignment.group import Assignment, Group, TopicPartition
from kafkafmt.topics.assignment.sticky_racks import kafka_fails

_ROUNDS = 16
_NOBODY = -1


class Mixed:
    """One assignment; members are told by their places in the group."""

    def __init__(self, group: Group, bits: dict[str, int]) -> None:
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
        """Work out who gets what.

        Raises:
            LimitExceededError: that takes too many steps.
            UnsupportedError: Kafka's own assignor fails at this group.
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
        """Topics by partitions for each subscriber, most first; then by subscribers, fewest first; then by id."""

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
        """Go through the topics that are shared until nothing changes in a whole round, or there were enough rounds."""
        topics = self._in_order([topic for topic, members in self._subscribers.items() if len(members) >= 2])
        last_changed = None
        for _ in range(_ROUNDS):
            for topic in topics:
                if topic == last_changed:
                    return
                if self._balance_topic(topic) or last_changed is None:
                    last_changed = topic

    def _balance_topic(self, topic: str) -> bool:
        """Move partitions of a topic from those who have most to those who have least; tells whether any was."""
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
    """Hands out the subscribers that have least and those that have most, levelling both in turn.

    It keeps two ranges of subscribers in order of their sizes: those with least grow from the start, those with most
    from the end. Sizes are read when a range grows, so it is told of no change.
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
        """Whether the two ranges are on a level, or nearly so."""
        return self._most_level - self._least_level <= 1

    def least(self) -> int:
        """The next one that is to get a partition."""
        if self._next_least >= self._least_end:
            self._least_level += 1
            while self._least_end < len(self._members) and self._size(self._least_end) == self._least_level:
                self._least_end += 1
            self._next_least = 0
        self._next_least += 1
        return self._members[self._next_least - 1]

    def most(self) -> int:
        """The next one that is to lose a partition, or -1."""
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
        """Take no more from the one that `most` gave last: it has none left of the topic."""
        self._most_end -= 1
        here, end = self._next_most + 1, self._most_end
        self._members[here], self._members[end] = self._members[end], self._members[here]

    def _size(self, place: int) -> int:
        return self._sizes[self._members[place]]


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits
