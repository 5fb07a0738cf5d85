"""TopicIds: the ids of served topics, and the topics of ids."""

from collections.abc import Callable, Iterable, Mapping
from uuid import UUID

from kafkafmt.serving.sent_files import NotAtHandError


class TopicIds:
    """Ids of topics, each found when first asked for.

    Args:
        find: finds the id of a topic.
        topics: gives the names of all served topics.
    """

    def __init__(self, find: Callable[[str], UUID], topics: Callable[[], Iterable[str]]) -> None:
        self._find, self._topics = find, topics
        self._ids: dict[str, UUID] = {}
        self._names: Mapping[UUID, str] | None = None

    def of(self, topic: str) -> UUID:
        """The id of a topic."""
        found = self._ids.get(topic)
        if found is None:
            found = self._ids[topic] = self._find(topic)
        return found

    def topic_of(self, topic_id: UUID, *, waits: bool = True) -> str | None:
        """The name of the topic with an id, or None.

        Args:
            topic_id: the id.
            waits: whether files may be waited for.

        Raises:
            NotAtHandError: a file has to be waited for, but `waits` is False.
        """
        names = self._names
        if names is None:
            if not waits:
                raise NotAtHandError
            names = self._names = {self.of(topic): topic for topic in list(self._topics())}
        return names.get(topic_id)

    def forget(self, topics: Iterable[str]) -> None:
        """Forget the ids of topics whose directories may have been replaced."""
        for topic in topics:
            self._ids.pop(topic, None)
        self._names = None
