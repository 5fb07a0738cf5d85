"""Which of the logs that were found are of an internal topic."""

from typing import TYPE_CHECKING

from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.logdir.sources import Found


def of_topic(found: "Sequence[Found]", topic: str) -> "list[Found]":
    """The directories and files that hold a topic, by their names.

    Where none is called so: those whose names leave open what they hold, and files named by themselves, which are read
    whatever their directory is called; but none of another internal topic.

    Args:
        found: what the sources hold.
        topic: the one that is wanted.
    """
    return [each for each in found if each.partition.topic == topic] or [each for each in found if _may_be_any(each)]


def _may_be_any(found: "Found") -> bool:
    topic = found.partition.topic
    return topic is None or (found.file is not None and topic not in INTERNAL_TOPICS)
