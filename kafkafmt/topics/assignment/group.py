"""Input of the assignors: a group's members, the partitions to assign, their racks, and the order of Java's maps.

In some cases Kafka's assignors give a partition to the member that a `HashMap` or `HashSet` of Java yields first, so
the order of those collections is part of the result.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from kafkafmt.cached import cached_property
from kafkafmt.codec.java_text import string_hash
from kafkafmt.errors import LimitExceededError, UnsupportedError

TopicPartition: TypeAlias = tuple[str, int]
Assignment: TypeAlias = dict[str, list[TopicPartition]]

MAX_PARTITIONS = 1_000_000
MAX_STEPS = 20_000_000

# The default capacity of Java's hash maps, on which the iteration order, and so the result, depends.
_LEAST_BUCKETS = 16

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A member of a consumer group, as in its subscription (Kafka's ConsumerProtocolSubscription).

    Attributes:
        member_id: id of the member in the group.
        topics: names of the topics that it subscribes to.
        group_instance_id: id of a static member, or None.
        rack: rack of the client (KIP-881), or None.
        owned_partitions: (topic, partition) pairs that it owned when it joined; in subscriptions from version 1 on.
        generation: generation in which it owned them, from version 2 on; -1 or None if unknown.
        user_data: user data of its assignor, or None.
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
        """The generation, or None if the subscription has none."""
        return None if self.generation is None or self.generation < 0 else self.generation


@dataclass(slots=True)
class Effort:
    """Bounds the steps of an assignor, so that it ends for any group, however large or odd."""

    left: int = field(default_factory=lambda: MAX_STEPS)

    def spend(self, steps: int) -> None:
        """Use up steps.

        Raises:
            LimitExceededError: no steps are left.
        """
        self.left -= steps
        if self.left < 0:
            raise LimitExceededError("too many members and partitions to work out their assignment", expected=MAX_STEPS)


@dataclass(frozen=True)
class GroupSpec:
    """Input of an assignor.

    Attributes:
        members: members by id, in the order in which Kafka's leader iterates over them.
        counts: number of partitions of each topic that has partitions and a subscriber, sorted by topic.
        racks: racks of the replicas of a partition, if known.
        effort: remaining steps.
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
    ) -> "GroupSpec":
        """Keep only topics that exist and have a subscriber.

        Raises:
            LimitExceededError: these topics have too many partitions.
        """
        by_id = {member.member_id: member for member in members}
        subscribed = {topic for member in by_id.values() for topic in member.topics}
        counts = {topic: partitions[topic] for topic in sorted(subscribed) if partitions.get(topic, 0) > 0}
        total = sum(counts.values())
        if total > MAX_PARTITIONS:
            raise LimitExceededError("too many partitions to assign", expected=MAX_PARTITIONS, found=total)
        return GroupSpec({name: by_id[name] for name in java_hash_map_order(by_id)}, counts, racks or {})

    @cached_property
    def in_static_order(self) -> list[str]:
        """Member ids in the order of Kafka's MemberInfo: static members by their static ids, then the others."""

        def key(member_id: str) -> tuple[bool, bytes]:
            static_id = self.members[member_id].group_instance_id
            return static_id is None, java_string_key(member_id if static_id is None else static_id)

        return sorted(self.members, key=key)

    @cached_property
    def consumer_racks(self) -> dict[str, str]:
        """Racks by member id, for members that have one."""
        return {name: member.rack for name, member in self.members.items() if member.rack}

    @cached_property
    def partitions(self) -> list[TopicPartition]:
        """All partitions to assign, in order."""
        return [(topic, partition) for topic, count in self.counts.items() for partition in range(count)]

    def racks_of(self, partition: TopicPartition) -> frozenset[str]:
        """The racks of a partition's replicas."""
        return frozenset(self.racks.get(partition, ()))


def racks_differ(consumer_racks: Collection[str], racks_of_each: Collection[frozenset[str]]) -> bool:
    """Whether Kafka takes racks into account: consumers and replicas share some, and not all partitions have all."""
    all_racks = frozenset().union(*racks_of_each)
    return not all_racks.isdisjoint(consumer_racks) and any(racks != all_racks for racks in racks_of_each)


class Racks:
    """Racks of consumers and partitions, for the sticky assignors.

    Attributes:
        matter: whether the assignment takes them into account.
    """

    def __init__(self, group: GroupSpec) -> None:
        self._consumers = group.consumer_racks
        self._partitions = {each: group.racks_of(each) for each in group.partitions} if self._consumers else {}
        self._in_rack = Counter(self._consumers.values())
        self._effort = group.effort
        self.matter = racks_differ(set(self._consumers.values()), self._partitions.values())

    def mismatch(self, consumer: str, partition: TopicPartition) -> bool:
        """Whether no replica is in the consumer's rack."""
        if not self.matter:
            return False
        rack = self._consumers.get(consumer)
        return rack is not None and rack not in self._partitions.get(partition, ())

    def by_consumers_near(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Sort partitions by the number of consumers in their racks, ascending."""
        if not self._partitions:
            return partitions  # Kafka sorts whenever consumers have racks, even where racks do not matter
        return sorted(
            partitions, key=lambda partition: sum(self._in_rack[rack] for rack in self._partitions.get(partition, ()))
        )

    def next_near(self, partition: TopicPartition, consumers: Sequence[str], start: int) -> int | None:
        """Index of the first consumer in a rack of a partition, searching from `start`, cyclically; None for none."""
        racks = self._partitions.get(partition)
        if not racks:
            return None
        for step in range(len(consumers)):
            index = (start + step) % len(consumers)
            if self._consumers.get(consumers[index]) in racks:
                self._effort.spend(step + 1)
                return index
        self._effort.spend(len(consumers) + 1)
        return None


def without(partitions: Iterable[TopicPartition], assigned: Iterable[TopicPartition]) -> list[TopicPartition]:
    """Partitions that are not assigned; both arguments must be in the same order.

    As in Kafka's merge of the two lists, an assigned partition that does not exist (its topic shrank) hides all later
    assigned ones.
    """
    remaining = iter(assigned)
    following = next(remaining, None)
    unassigned = []
    for partition in partitions:
        if partition == following:
            following = next(remaining, None)
        else:
            unassigned.append(partition)
    return unassigned


def kafka_fails() -> UnsupportedError:
    """The error for groups on which Kafka's own assignor throws an exception, so that no assignment exists."""
    return UnsupportedError(
        "Kafka's own assignor fails on this group: members claim partitions of a topic that shrank or that they no "
        "longer subscribe to"
    )


def java_string_key(text: str) -> bytes:
    """Sort key with the order of Java's `String.compareTo`: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def kafka_uuid_hash(bits: int) -> int:
    """Kafka's `Uuid.hashCode` of its 128 bits, as an unsigned 32-bit int."""
    folded = bits >> 64 ^ bits & 0xFFFFFFFFFFFFFFFF
    return folded >> 32 ^ folded & 0xFFFFFFFF


def java_hash_map_order(keys: Iterable[str]) -> list[str]:
    """Distinct strings in the iteration order of a `HashMap` filled in the given order."""
    return java_bucket_order(list(keys), string_hash)


def java_bucket_order(keys: Sequence[Key], code: Callable[[Key], int]) -> list[Key]:
    """Distinct keys in the iteration order of a `HashMap` filled in the given order, from their hashes.

    Keys in one bucket keep their order, which is correct unless more than seven share it.
    """
    buckets = _buckets(len(keys))
    return sorted(keys, key=lambda key: _bucket(code(key), buckets))


def java_hash_set_copy_order(keys: Sequence[Key], code: Callable[[Key], int]) -> list[Key]:
    """Distinct keys in the iteration order of a `HashSet` copied from a collection, which has more buckets."""
    buckets = _LEAST_BUCKETS
    while buckets < len(keys) * 4 // 3 + 1:
        buckets *= 2
    return sorted(keys, key=lambda key: _bucket(code(key), buckets))


def first_of_java_hash_set(topic: str, partitions: Sequence[int], most: int) -> int:
    """The partition of a topic that a `HashSet` of `TopicPartition` yields first.

    Args:
        topic: name of the topic.
        partitions: partitions in the order in which they were added.
        most: largest size that the set has had, as it does not shrink.
    """
    topic_hash = string_hash(topic)
    buckets = _buckets(most)
    return min(partitions, key=lambda partition: _bucket(31 * (31 + partition) + topic_hash & 0xFFFFFFFF, buckets))


def _buckets(count: int) -> int:
    buckets = _LEAST_BUCKETS
    while count > buckets * 3 // 4:
        buckets *= 2
    return buckets


def _bucket(code: int, buckets: int) -> int:
    return (code ^ code >> 16) & (buckets - 1)
