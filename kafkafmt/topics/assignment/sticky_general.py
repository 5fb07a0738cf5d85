"""Kafka's general sticky assignment: members subscribe to different topics, and partitions move while that helps.

Source: `AbstractStickyAssignor.GeneralAssignmentBuilder`.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from kafkafmt.topics.assignment.group import (
    Assignment,
    GroupSpec,
    Racks,
    TopicPartition,
    first_of_java_hash_set,
    java_string_key,
    kafka_fails,
    without,
)


class GeneralSticky:
    """`AbstractStickyAssignor.GeneralAssignmentBuilder`."""

    def __init__(
        self,
        group: GroupSpec,
        racks: Racks,
        owned: dict[str, list[TopicPartition]],
        previous_owner: dict[TopicPartition, str],
    ) -> None:
        self._group = group
        self._racks = racks
        self._assignment = owned
        self._previous_owner = previous_owner
        self._topics = {
            member_id: [topic for topic in member.topics if topic in group.counts]
            for member_id, member in group.members.items()
        }
        self._topic_sets = {member_id: frozenset(topics) for member_id, topics in self._topics.items()}
        self._subscribers: dict[str, list[str]] = {topic: [] for topic in group.counts}
        for member_id, topics in self._topics.items():
            for topic in topics:
                self._subscribers[topic].append(member_id)
        self._owner = {partition: member_id for member_id, held in owned.items() for partition in held}
        # A balanced group allows no move, unless a member owns a partition that does not exist; then Kafka checks.
        self._is_odd = any(not 0 <= partition < group.counts[topic] for topic, partition in self._owner)
        self._revoked = False
        self._ranking = _Ranking()
        self._movements = _Movements()

    def assign(self) -> Assignment:
        """Compute the assignment.

        Raises:
            LimitExceededError: it takes too many steps.
            UnsupportedError: Kafka's own assignor fails on this group.
        """
        everything = sorted(self._group.partitions, key=self._fewest_subscribers)
        unassigned = without(everything, sorted(self._keep(), key=self._fewest_subscribers))
        for member_id, held in self._assignment.items():
            self._ranking.add(member_id, len(held))
        was_empty = not self._assignment[self._ranking.last]
        self._assign(unassigned)
        fixed = self._set_aside_fixed()
        before = {member_id: list(held) for member_id, held in self._assignment.items()}
        if not self._revoked:
            self._move([partition for partition in unassigned if self._is_shared(partition[0])])
        moved = self._move([partition for partition in everything if self._is_shared(partition[0])])
        if moved and not was_empty and _imbalance(self._assignment) >= _imbalance(before):
            self._assignment = before
        merged = self._assignment | fixed
        return {member_id: merged[member_id] for member_id in self._group.members}

    def _fewest_subscribers(self, partition: TopicPartition) -> tuple[int, TopicPartition]:
        return len(self._subscribers[partition[0]]), partition

    def _is_shared(self, topic: str) -> bool:
        return len(self._subscribers[topic]) >= 2

    def _keep(self) -> list[TopicPartition]:
        """Revoke partitions that members may no longer own; return those that they keep."""
        kept = []
        for member_id, held in self._assignment.items():
            keeps = [
                partition
                for partition in held
                if partition[0] in self._topic_sets[member_id] and not self._racks.mismatch(member_id, partition)
            ]
            self._revoked |= len(keeps) < len(held)
            self._assignment[member_id] = keeps
            kept += keeps
        return kept

    def _assign(self, unassigned: list[TopicPartition]) -> None:
        """Give each partition to the subscriber with the fewest partitions, in its racks if possible."""
        if self._racks.matter:
            unassigned = [partition for partition in unassigned if not self._give(partition, heed_racks=True)]
        for partition in unassigned:
            self._give(partition, heed_racks=False)

    def _give(self, partition: TopicPartition, *, heed_racks: bool) -> bool:
        for member_id in self._by_rank(partition[0]):
            if not (heed_racks and self._racks.mismatch(member_id, partition)):
                self._assignment[member_id].append(partition)
                self._owner[partition] = member_id
                self._ranking.change(member_id, len(self._assignment[member_id]))
                return True
        return False

    def _by_rank(self, topic: str) -> Iterator[str]:
        """The subscribers of a topic, those with the fewest partitions first."""
        subscribers = self._subscribers[topic]
        if len(subscribers) ** 2 < len(self._ranking.entries):
            self._group.effort.spend(len(subscribers))
            yield from self._ranking.sorted(dict.fromkeys(subscribers))
            return
        for _, _, member_id in self._ranking.entries:
            self._group.effort.spend(1)
            if topic in self._topic_sets[member_id]:
                yield member_id

    def _set_aside_fixed(self) -> Assignment:
        """Remove members that can neither gain nor lose a partition; return their partitions."""
        fixed = {
            member_id: held
            for member_id, held in self._assignment.items()
            if len(held) >= self._could_have(member_id) and not any(self._is_shared(topic) for topic, _ in held)
        }
        for member_id in fixed:
            self._ranking.remove(member_id)
            del self._assignment[member_id]
        return fixed

    def _could_have(self, member_id: str) -> int:
        topics = self._topics[member_id]
        if len(topics) == len(self._group.counts):
            return len(self._group.partitions)
        return sum(self._group.counts[topic] for topic in topics)

    def _move(self, partitions: list[TopicPartition]) -> bool:
        """Move partitions to members that have at least two fewer, until no move is left."""
        moved_any = False
        moved = True
        while moved:
            moved = False
            for partition in partitions:
                self._group.effort.spend(1)
                if self._is_odd and self._is_balanced():
                    return moved_any
                has = len(self._assignment[self._owner[partition]])
                receiver = self._gives_back(partition, has)
                if receiver is not None and partition[0] not in self._topic_sets[receiver]:
                    if self._is_balanced():
                        return moved_any
                    self._is_odd = True
                if receiver is None:
                    receiver = self._least_of(partition[0])
                    if has <= len(self._assignment[receiver]) + 1:
                        continue
                elif receiver not in self._assignment:
                    raise kafka_fails()
                moved = moved_any = True
                self._move_to(partition, receiver)
        return moved_any

    def _gives_back(self, partition: TopicPartition, has: int) -> str | None:
        """The previous owner of a partition, if it now has at least two fewer, or was removed as fixed."""
        previous = self._previous_owner.get(partition)
        if previous is None or (previous in self._assignment and has <= len(self._assignment[previous]) + 1):
            return None
        return previous

    def _least_of(self, topic: str) -> str:
        """The subscriber of a shared topic with the fewest partitions."""
        least = next(self._by_rank(topic), None)
        if least is None:
            raise kafka_fails()
        return least

    def _move_to(self, partition: TopicPartition, receiver: str) -> None:
        topic = partition[0]
        number = self._movements.to_be_moved(topic, partition[1], self._owner[partition], receiver)
        partition = topic, number
        giver = self._owner[partition]
        self._movements.record(topic, number, giver, receiver)
        if partition in self._assignment[giver]:
            self._assignment[giver].remove(partition)
        self._assignment[receiver].append(partition)
        self._owner[partition] = receiver
        self._ranking.change(giver, len(self._assignment[giver]))
        self._ranking.change(receiver, len(self._assignment[receiver]))

    def _is_balanced(self) -> bool:
        """Whether no member could get a partition from one that has at least two more."""
        sizes = {member_id: len(held) for member_id, held in self._assignment.items()}
        if not sizes:
            raise kafka_fails()
        if sizes[self._ranking.first] >= sizes[self._ranking.last] - 1:
            return True
        owner = {partition: member_id for member_id, held in self._assignment.items() for partition in held}
        self._group.effort.spend(len(owner))
        for size, _, member_id in self._ranking.entries:
            if size == self._could_have(member_id):
                continue
            own = set(self._assignment[member_id])
            for topic in self._topics[member_id]:
                self._group.effort.spend(self._group.counts[topic])
                for partition in range(self._group.counts[topic]):
                    if (topic, partition) in own:
                        continue
                    if (topic, partition) not in owner:
                        raise kafka_fails()
                    if size + 1 < sizes[owner[topic, partition]]:
                        return False
        return True


class _Ranking:
    """Members sorted by the number of their partitions, then by id.

    Attributes:
        entries: tuples of number of partitions, sort key of the id, and id, in order.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[int, bytes, str]] = []
        self._sizes: dict[str, int] = {}
        self._keys: dict[str, bytes] = {}

    @property
    def first(self) -> str:
        """The member with the fewest partitions."""
        return self.entries[0][2]

    @property
    def last(self) -> str:
        """The member with the most partitions."""
        return self.entries[-1][2]

    def sorted(self, member_ids: Iterable[str]) -> list[str]:
        """Sort members; those that were removed are left out."""
        entries = [(self._sizes[each], self._keys[each], each) for each in member_ids if each in self._sizes]
        return [member_id for _, _, member_id in sorted(entries)]

    def add(self, member_id: str, size: int) -> None:
        """Add a member."""
        self._sizes[member_id] = size
        key = self._keys.setdefault(member_id, java_string_key(member_id))
        insort(self.entries, (size, key, member_id))

    def remove(self, member_id: str) -> None:
        """Remove a member."""
        entry = self._sizes.pop(member_id), self._keys[member_id], member_id
        del self.entries[bisect_left(self.entries, entry)]

    def change(self, member_id: str, size: int) -> None:
        """Set the number of a member's partitions."""
        self.remove(member_id)
        self.add(member_id, size)


def _imbalance(assignment: Assignment) -> int:
    """The sum of the differences between all pairs of members, as Kafka's 32-bit int."""
    sizes = sorted(len(held) for held in assignment.values())
    total = smaller = 0
    for count, size in enumerate(sizes):
        total += size * count - smaller
        smaller += size
    return (total + 2**31) % 2**32 - 2**31


class _Movements:
    """Moved partitions, with givers and receivers: Kafka takes one back rather than move another of the topic."""

    def __init__(self) -> None:
        self._between: dict[str, dict[tuple[str, str], _Moved]] = {}
        self._of: dict[tuple[str, int], tuple[str, str]] = {}

    def to_be_moved(self, topic: str, partition: int, giver: str, receiver: str) -> int:
        """The partition of a topic to move so that a receiver gets one; if possible one that the receiver gave away."""
        if topic not in self._between:
            return partition
        giver, _ = self._of.get((topic, partition), (giver, receiver))
        back = self._between[topic].get((receiver, giver))
        if back is None:
            return partition
        return first_of_java_hash_set(topic, list(back.partitions), back.most)

    def record(self, topic: str, partition: int, giver: str, receiver: str) -> None:
        """Record a move; a partition that returns to its first owner has not moved."""
        pair = self._of.pop((topic, partition), None)
        if pair is not None:
            moved = self._between[topic][pair]
            del moved.partitions[partition]
            if not moved.partitions:
                del self._between[topic][pair]
                if not self._between[topic]:
                    del self._between[topic]
            giver, _ = pair
            if giver == receiver:
                return
        pair = giver, receiver
        self._of[topic, partition] = pair
        self._between.setdefault(topic, {}).setdefault(pair, _Moved()).add(partition)


class _Moved:
    """Partitions in the order in which they moved, and the largest number of them at any time."""

    def __init__(self) -> None:
        self.partitions: dict[int, None] = {}
        self.most = 0

    def add(self, partition: int) -> None:
        self.partitions[partition] = None
        self.most = max(self.most, len(self.partitions))
