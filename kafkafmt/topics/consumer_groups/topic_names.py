"""Names of topics by their ids: groups of the newer protocols store ids only."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups.decoding import Decoded
    from kafkafmt.topics.consumer_groups.disks import Disks


class TopicNames:
    """Names by id; what costs more to read is read when what costs less does not name an id that is asked for.

    Args:
        decoded: groups' own records, some of which tell names.
        disks: the partition.metadata files, and the cluster's metadata.
    """

    def __init__(self, decoded: "Iterable[Decoded]", disks: "Disks") -> None:
        self._names: dict[str, str] = {}
        self._unread: list[Callable[[], dict[str, str]]] = [
            lambda: {topic_id: name for partition in decoded for topic_id, name in _told_by(partition)},
            lambda: disks.names_by_id(of_each_topic=1),
            lambda: {} if disks.metadata is None else {each.id: each.name for each in disks.metadata.topics.values()},
            disks.names_by_id,
        ]

    def name(self, topic_id: str) -> str | None:
        """The name of a topic, or None."""
        while topic_id not in self._names and self._unread:
            self._names |= self._unread.pop(0)()
        return self._names.get(topic_id)


def _told_by(partition: "Decoded") -> Iterator[tuple[str, str]]:
    yield from partition.topic_names.items()
    for records in partition.groups.values():
        for kind in ("ConsumerGroupPartitionMetadata", "ShareGroupStatePartitionMetadata"):
            for topics in (records.one(kind) or {}).values():
                yield from ((topic["topicId"], topic["topicName"]) for topic in topics)
