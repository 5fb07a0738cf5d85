"""What sticky assignors send along with a subscription: what a member held, and in which generation of the group."""

from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.messages import consumer_protocol
from kafkafmt.topics.assignment.group import TopicPartition

_UNREADABLE = -1


def previous_assignment(user_data: bytes) -> tuple[list[TopicPartition], int | None]:
    """Read the user data of a StickyAssignor: what a member held, and the generation if it says so.

    What cannot be read counts as nothing held in generation -1, as in Kafka.
    """
    try:
        data = consumer_protocol.decode_sticky_user_data(user_data).data
    except KafkafmtError:
        return [], _UNREADABLE
    partitions = [(each["topic"], number) for each in data["previousAssignment"] for number in each["partitions"]]
    return partitions, data.get("generation")


def generation_of(user_data: bytes) -> int:
    """Read the user data of a CooperativeStickyAssignor: the generation, or -1 where it cannot be read."""
    try:
        generation: int = consumer_protocol.decode_cooperative_sticky_user_data(user_data).data["generation"]
    except KafkafmtError:
        return _UNREADABLE
    return generation
