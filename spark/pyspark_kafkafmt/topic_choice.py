"""Which topics and partitions to read: subscribe, subscribePattern, assign, or everything."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark_kafkafmt import option_errors, option_values
from pyspark_kafkafmt.option_errors import TopicPartition
from pyspark_kafkafmt.topic_pattern import compile_pattern

SUBSCRIBE: Final = "subscribe"
SUBSCRIBE_PATTERN: Final = "subscribePattern"
ASSIGN: Final = "assign"

INTERNAL_TOPICS: Final = frozenset(
    ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")
)
"""Topics that a pattern never finds: Kafka's clients do not list them (the last is no topic to them at all)."""


@dataclass(frozen=True)
class TopicChoice:
    """The selected topics and partitions; at most one of the three is set, and none means all.

    Attributes:
        option: name of the option that says so, or None.
        topics: names of topics (`subscribe`).
        pattern: found anywhere in a topic's name (`subscribePattern`); Kafka's internal topics stay out.
        assigned: partitions of each topic (`assign`).
    """

    option: str | None = None
    topics: frozenset[str] | None = None
    pattern: re.Pattern[str] | None = None
    assigned: Mapping[str, tuple[int, ...]] | None = None

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "TopicChoice":
        """Read the options.

        Args:
            options: values by name, in the spelling of the documents.

        Raises:
            OptionError: a wrong value, or more than one of the three.
        """
        given = [name for name in (SUBSCRIBE, SUBSCRIBE_PATTERN, ASSIGN) if name in options]
        if len(given) > 1:
            raise option_errors.more_than_one_choice(given)
        if not given:
            return cls()
        (option,) = given
        value = options[option]
        if option == SUBSCRIBE:
            topics = frozenset(filter(None, (name.strip() for name in value.split(","))))
            if not topics:
                raise option_errors.no_topics(option, value, "allowed: names of topics, with commas between them")
            return cls(option, topics=topics)
        if option == SUBSCRIBE_PATTERN:
            if not value.strip():
                raise option_errors.no_topics(option, value, "allowed: a Java regular expression")
            return cls(option, pattern=compile_pattern(value.strip()))
        return cls(option, assigned=option_values.partitions(option, value.strip()))

    def takes(self, topic: str, partition: int) -> bool:
        """Whether a partition is selected."""
        if self.topics is not None:
            return topic in self.topics
        if self.pattern is not None:
            return topic not in INTERNAL_TOPICS and self.pattern.search(topic) is not None
        return self.assigned is None or partition in self.assigned.get(topic, ())

    @property
    def wanted_topics(self) -> frozenset[str]:
        """Topics selected by name."""
        return self.topics or frozenset(self.assigned or ())

    @property
    def wanted_partitions(self) -> frozenset[TopicPartition]:
        """Partitions selected by number."""
        return frozenset((topic, number) for topic, numbers in (self.assigned or {}).items() for number in numbers)
