"""What an assignor is asked: who is in the group, what there is to assign, and in which racks it lies."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from kafkafmt.errors import LimitExceededError
from kafkafmt.topics.assignment.java_order import java_hash_map_order, java_string_key

TopicPartition: TypeAlias = tuple[str, int]
Assignment: TypeAlias = dict[str, list[TopicPartition]]

MAX_PARTITIONS = 1_000_000
MAX_STEPS = 20_000_000


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A member of a classic consumer group, as its subscription (Kafka's ConsumerProtocolSubscription) tells of it.

    Attributes:
        member_id: its id in the group.
        topics: what it subscribes to.
        group_instance_id: its static id, or None.
        rack: where it runs (KIP-881), or None.
        owned_partitions: (topic, partition) that it held when it joined; sent from version 1 on.
        generation: that of the group in which it held them, sent from version 2 on; -1 or None where there is none.
        user_data: what its assignor sent along, or None.
    """

    member_id: str
    topics: Sequence[str]
    group_instance_id: str | None = None
    rack: str | None = None
    owned_partitions: Sequence[TopicPartition] = ()
    generation: int | None = None
    user_data: bytes | None = None

    @property
    def known_generation(self) -> int | None:
        """The generation, or None where the subscription has none."""
        return None if self.generation is None or self.generation < 0 else self.generation


@dataclass(slots=True)
class Effort:
    """Counts steps, so that no group, however large or odd, keeps an assignor busy without end."""

    left: int = field(default_factory=lambda: MAX_STEPS)

    def spend(self, steps: int) -> None:
        """Take so many steps.

        Raises:
            LimitExceededError: there were too many.
        """
        self.left -= steps
        if self.left < 0:
            raise LimitExceededError("too many members and partitions to work out their assignment", expected=MAX_STEPS)


@dataclass(frozen=True)
class Group:
    """A question to an assignor.

    Attributes:
        members: by id, in the order in which Kafka's leader goes through them.
        counts: number of partitions of each topic that somebody subscribes to and that has any, topics sorted.
        racks: where replicas of a partition lie, where that is known.
        effort: that may be spent.
    """

    members: dict[str, Subscriber]
    counts: dict[str, int]
    racks: Mapping[TopicPartition, Collection[str]]
    effort: Effort = field(default_factory=Effort)

    @staticmethod
    def of(
        members: Sequence[Subscriber],
        partitions: Mapping[str, int],
        racks: Mapping[TopicPartition, Collection[str]] | None,
    ) -> "Group":
        """Take what can be assigned at all.

        Raises:
            LimitExceededError: that is too much.
        """
        by_id = {member.member_id: member for member in members}
        subscribed = {topic for member in by_id.values() for topic in member.topics}
        counts = {topic: partitions[topic] for topic in sorted(subscribed) if partitions.get(topic, 0) > 0}
        total = sum(counts.values())
        if total > MAX_PARTITIONS:
            raise LimitExceededError("too many partitions to assign", expected=MAX_PARTITIONS, found=total)
        return Group({name: by_id[name] for name in java_hash_map_order(by_id)}, counts, racks or {})

    @cached_property
    def in_static_order(self) -> list[str]:
        """Ids of members in the order of Kafka's MemberInfo: static ones by their static ids, then the others."""

        def key(member_id: str) -> tuple[bool, bytes]:
            static_id = self.members[member_id].group_instance_id
            return static_id is None, java_string_key(member_id if static_id is None else static_id)

        return sorted(self.members, key=key)

    @cached_property
    def consumer_racks(self) -> dict[str, str]:
        """The racks of members that have one."""
        return {name: member.rack for name, member in self.members.items() if member.rack}

    @cached_property
    def partitions(self) -> list[TopicPartition]:
        """All there is to assign, in order."""
        return [(topic, partition) for topic, count in self.counts.items() for partition in range(count)]

    def racks_of(self, partition: TopicPartition) -> frozenset[str]:
        """The racks of a partition's replicas."""
        return frozenset(self.racks.get(partition, ()))


def racks_differ(consumer_racks: Collection[str], racks_of_each: Collection[frozenset[str]]) -> bool:
    """Decide as Kafka whether an assignment heeds racks: some match, and partitions differ in theirs."""
    all_racks = frozenset().union(*racks_of_each)
    return not all_racks.isdisjoint(consumer_racks) and any(racks != all_racks for racks in racks_of_each)
