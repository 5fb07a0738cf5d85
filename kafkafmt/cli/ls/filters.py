"""--topic, --topic-regex and --partition: which partitions are listed, and which of them are nowhere."""

from re import Pattern
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkafmt.cli.ls.run import Request
    from kafkafmt.logdir.partition import Partition


class Filters:
    """Takes partitions, and remembers which names it has met.

    Args:
        request: what the command line asks for.
    """

    def __init__(self, request: "Request") -> None:
        self._topics = request.topics
        self._numbers = request.partitions
        self._seen: set[tuple[str | None, int | None]] = set()

    def takes(self, partition: "Partition") -> bool:
        """Whether a partition is listed."""
        topic, number = partition.topic, partition.partition
        self._seen.add((topic, number))
        if self._topics is not None and not self._names(topic):
            return False
        return not self._numbers or number in self._numbers

    def complaints(self) -> list[str]:
        """What was asked for and is nowhere, a sentence each."""
        from kafkafmt.scanning.selection import Selection

        return list(Selection(topics=self._topics, partitions=self._numbers or None).absent(self._seen))

    def _names(self, topic: str | None) -> bool:
        if topic is None or self._topics is None:
            return False
        if isinstance(self._topics, Pattern):
            return self._topics.fullmatch(topic) is not None
        return topic in self._topics
