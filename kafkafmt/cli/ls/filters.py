"""--topic, --topic-regex and --partition: which partitions are listed, and which of them are nowhere."""

from re import Pattern
from typing import TYPE_CHECKING

from kafkafmt.cli.messages import listed

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
        self._topics_seen: set[str] = set()
        self._numbers_seen: set[int] = set()

    def takes(self, partition: "Partition") -> bool:
        """Whether a partition is listed."""
        topic, number = partition.topic, partition.partition
        if topic is not None:
            self._topics_seen.add(topic)
        if self._topics is not None and not self._names(topic):
            return False
        if number is not None:
            self._numbers_seen.add(number)
        return not self._numbers or number in self._numbers

    def complaints(self) -> list[str]:
        """What was asked for and is nowhere, a sentence each."""
        complaints = []
        here = listed(sorted(self._topics_seen)) or "none"
        if isinstance(self._topics, Pattern):
            if not any(map(self._topics.fullmatch, self._topics_seen)):
                complaints.append(f"no topic matches {self._topics.pattern}. There are: {here}.")
        else:
            missing = sorted(set(self._topics or ()) - self._topics_seen)
            if missing:
                complaints.append(f"no topic {listed(missing)}. There are: {here}.")
        absent = sorted(set(self._numbers) - self._numbers_seen)
        if absent and self._numbers_seen:
            numbers = listed([*map(str, sorted(self._numbers_seen))])
            complaints.append(f"no partition {listed([*map(str, absent)])}. There are: {numbers}.")
        return complaints

    def _names(self, topic: str | None) -> bool:
        if topic is None or self._topics is None:
            return False
        if isinstance(self._topics, Pattern):
            return self._topics.fullmatch(topic) is not None
        return topic in self._topics
