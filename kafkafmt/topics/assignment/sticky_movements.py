"""Which partitions have moved between whom: Kafka rather takes one back than moves another of the topic against it."""

from kafkafmt.topics.assignment.java_order import first_of_java_hash_set


class Movements:
    """What has moved so far, by topic and pair of members."""

    def __init__(self) -> None:
        self._between: dict[str, dict[tuple[str, str], _Moved]] = {}
        self._of: dict[tuple[str, int], tuple[str, str]] = {}

    def to_be_moved(self, topic: str, partition: int, giver: str, receiver: str) -> int:
        """Tell which partition of a topic to move so that a receiver gets one: where possible one that it gave."""
        if topic not in self._between:
            return partition
        giver, _ = self._of.get((topic, partition), (giver, receiver))
        back = self._between[topic].get((receiver, giver))
        if back is None:
            return partition
        return first_of_java_hash_set(topic, list(back.partitions), back.most)

    def record(self, topic: str, partition: int, giver: str, receiver: str) -> None:
        """Note that a partition moves; one that comes back to where it was has not moved."""
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
    """Partitions in the order in which they moved, and how many there were at most."""

    def __init__(self) -> None:
        self.partitions: dict[int, None] = {}
        self.most = 0

    def add(self, partition: int) -> None:
        self.partitions[partition] = None
        self.most = max(self.most, len(self.partitions))
