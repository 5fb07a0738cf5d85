"""The topics that Kafka keeps its own state in: their names, and where the logs of one are among what was found."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.logdir.sources import Found

CONSUMER_OFFSETS: Final = "__consumer_offsets"
"""Committed offsets and groups (Kafka's `GroupCoordinator`)."""

TRANSACTION_STATE: Final = "__transaction_state"
"""Transactional ids (KIP-98)."""

SHARE_GROUP_STATE: Final = "__share_group_state"
"""What share groups have acquired and acknowledged (KIP-932)."""

REMOTE_LOG_METADATA: Final = "__remote_log_metadata"
"""Segments in tiered storage (KIP-405)."""

CLUSTER_METADATA: Final = "__cluster_metadata"
"""The KRaft metadata log (KIP-500, KIP-630)."""

INTERNAL_TOPICS: Final = frozenset(
    {CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE, REMOTE_LOG_METADATA, CLUSTER_METADATA}
)


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
