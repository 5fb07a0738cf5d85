"""Groups of the disk as a coordinator describes them after loading: with the members of the dead cluster."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from uuid import UUID

from kafkafmt.serving.api import uuid_of

if TYPE_CHECKING:
    from kafkafmt.protocol.codec import Value
    from kafkafmt.topics.consumer_groups import Group, Member, TopicPartitions

UNKNOWN_STATE = "Unknown"
"""State of a group with a record that cannot be decoded, and which therefore no broker loads."""

_CLASSIC_MEMBER, _CONSUMER_MEMBER = 0, 1

TopicOf = Callable[[UUID], str | None]


def describe_classic(group: "Group") -> "Value":
    """The fields of a group in DescribeGroups; subscriptions and assignments are the stored bytes."""
    return {
        "GroupState": group.state or UNKNOWN_STATE,
        "ProtocolType": group.protocol_type,
        "ProtocolData": group.protocol or "",
        "Members": [
            {
                "MemberId": each.member_id,
                "GroupInstanceId": each.group_instance_id,
                "ClientId": each.client_id,
                "ClientHost": each.host,
                "MemberMetadata": each.stored_subscription,
                "MemberAssignment": each.stored_assignment,
            }
            for each in group.members
        ],
    }


def describe_consumer(group: "Group", topic_of: TopicOf) -> "Value":
    """The fields of a group in ConsumerGroupDescribe.

    Args:
        group: the group.
        topic_of: gives the name of a topic by its id; topics without a name are left out, as by a broker.
    """
    return {
        "GroupState": group.state or UNKNOWN_STATE,
        "GroupEpoch": group.epoch or 0,
        "AssignmentEpoch": group.assignment_epoch or 0,
        "AssignorName": group.protocol or "",
        "Members": [_consumer_member(each, topic_of) for each in group.members],
    }


def _consumer_member(member: "Member", topic_of: TopicOf) -> "Value":
    return {
        "MemberId": member.member_id,
        "InstanceId": member.group_instance_id,
        "RackId": member.rack_id,
        "MemberEpoch": member.epoch,
        "ClientId": member.client_id,
        "ClientHost": member.host,
        "SubscribedTopicNames": list(member.subscribed_topics),
        "SubscribedTopicRegex": member.subscribed_regex or "",
        "Assignment": {"TopicPartitions": _named(member.assignment, topic_of)},
        "TargetAssignment": {"TopicPartitions": _named(member.target_assignment, topic_of)},
        "MemberType": _CLASSIC_MEMBER if member.protocol == "classic" else _CONSUMER_MEMBER,
    }


def _named(assigned: "Iterable[TopicPartitions]", topic_of: TopicOf) -> "list[Value]":
    found = ((uuid_of(each.topic_id), each.partitions) for each in assigned)
    return [
        {"TopicId": topic_id, "TopicName": topic_of(topic_id), "Partitions": list(partitions)}
        for topic_id, partitions in found
        if topic_of(topic_id) is not None
    ]
