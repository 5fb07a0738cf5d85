"""What the coordinator's UniformAssignor makes of a consumer group's target assignment (KIP-848).

Where all members subscribe to the same topics, each keeps what it has up to its quota, and the rest goes to the others.
"""

from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence

from kafkafmt.topics.assignment.group import Assignment, Group, TopicPartition
from kafkafmt.topics.assignment.java_order import (
    java_bucket_order,
    java_hash_set_copy_order,
    java_string_hash,
    kafka_uuid_hash,
)
from kafkafmt.topics.assignment.sticky_racks import kafka_fails
from kafkafmt.topics.assignment.uniform_mixed import Mixed


def assign_uniform(group: Group, topic_ids: Mapping[str, str]) -> Assignment:
    """Assign as UniformAssignor of Kafka's coordinator does; what members own is the target assignment until now.

    Args:
        group: the group.
        topic_ids: ids of its topics, 22 characters each: Kafka goes by them where it has a choice. A topic without one
            comes before those that have one.

    Raises:
        LimitExceededError: that takes too many steps.
        UnsupportedError: Kafka's own assignor fails at this group.
    """
    if not group.counts:
        return {member_id: [] for member_id in group.members}
    bits = {topic: _bits(topic_ids.get(topic, "")) for topic in group.counts}
    subscriptions = {frozenset(member.topics) for member in group.members.values()}
    return _assign_alike(group, bits) if len(subscriptions) == 1 else Mixed(group, bits).assign()


def _assign_alike(group: Group, bits: dict[str, int]) -> Assignment:
    assigned = {partition for member in group.members.values() for partition in member.owned_partitions}
    names = java_hash_set_copy_order(list(dict.fromkeys(next(iter(group.members.values())).topics)), java_string_hash)
    topics = java_hash_set_copy_order(
        [name for name in names if name in bits], lambda name: kafka_uuid_hash(bits[name])
    )
    unassigned = [
        (topic, partition)
        for topic in topics
        for partition in range(group.counts[topic])
        if (topic, partition) not in assigned
    ]
    quota, extra = divmod(len(group.partitions), len(group.members))
    assignment: Assignment = {}
    unfilled: list[tuple[str, int]] = []
    for index, (member_id, member) in enumerate(group.members.items()):
        room = quota + (extra > 0)
        gets_extra = extra > 0
        kept: list[TopicPartition] = []
        for topic, partitions in _by_topic(member.owned_partitions, bits):
            kept += [(topic, partition) for partition in partitions[:room]]
            unassigned += [(topic, partition) for partition in partitions[room:]]
            room -= len(partitions[:room])
        if room and gets_extra and len(group.members) - index > extra:
            room -= 1  # a later member is to get the one more
            gets_extra = False
        if room:
            unfilled.append((member_id, room))
        extra -= gets_extra
        assignment[member_id] = kept
    start = 0
    for member_id, room in unfilled:
        following = unassigned[start : start + room]
        assignment[member_id] += following
        start += len(following)
    if start < len(unassigned):
        raise kafka_fails()
    return {member_id: list(dict.fromkeys(partitions)) for member_id, partitions in assignment.items()}


def _by_topic(owned: Sequence[TopicPartition], bits: dict[str, int]) -> list[tuple[str, list[int]]]:
    """Partitions by topic, of topics that are subscribed to, in the order of the maps that Kafka reads records into."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in owned:
        if topic in bits:
            by_topic.setdefault(topic, []).append(partition)
    topics = java_bucket_order(list(by_topic), lambda topic: kafka_uuid_hash(bits[topic]))
    return [(topic, java_hash_set_copy_order(by_topic[topic], lambda number: number)) for topic in topics]


def _bits(uuid: str) -> int:
    return int.from_bytes(urlsafe_b64decode(f"{uuid}=="), "big") if uuid else 0
