"""Racks as Kafka's sticky assignors heed them, and what both of their ways share."""

from collections import Counter
from collections.abc import Iterable, Sequence

from kafkafmt.errors import UnsupportedError
from kafkafmt.topics.assignment.group import Group, TopicPartition, racks_differ


class Racks:
    """Where consumers and partitions are, if that matters.

    Attributes:
        matter: whether the assignment heeds them.
    """

    def __init__(self, group: Group) -> None:
        self._consumers = group.consumer_racks
        self._partitions = {each: group.racks_of(each) for each in group.partitions} if self._consumers else {}
        self._in_rack = Counter(self._consumers.values())
        self._effort = group.effort
        self.matter = racks_differ(set(self._consumers.values()), self._partitions.values())

    def mismatch(self, consumer: str, partition: TopicPartition) -> bool:
        """Tell whether no replica is where the consumer is."""
        if not self.matter:
            return False
        rack = self._consumers.get(consumer)
        return rack is not None and rack not in self._partitions.get(partition, ())

    def by_consumers_near(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Order partitions so that those come first which have the fewest consumers in their racks."""
        if not self._partitions:
            return partitions  # Kafka orders them wherever consumers have racks, heeded or not
        return sorted(
            partitions, key=lambda partition: sum(self._in_rack[rack] for rack in self._partitions.get(partition, ()))
        )

    def next_near(self, partition: TopicPartition, consumers: Sequence[str], start: int) -> int | None:
        """Find the first of some consumers that is in a rack of a partition, from an index on and around the end."""
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
    """Partitions that are not assigned, where both come in the same order.

    As in Kafka, an assigned one that is not there, of a topic that has shrunk, hides all behind it.
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
    """What to raise where Kafka's own assignor throws an exception, so that there is no assignment to give."""
    return UnsupportedError(
        "Kafka's own assignor fails at this group: members claim partitions that they cannot have, "
        "of a topic that has shrunk or that they do not subscribe to any more"
    )
