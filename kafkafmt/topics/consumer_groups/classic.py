"""Classic groups: those whose members agree among themselves (JoinGroup, SyncGroup), and those that only keep offsets.

Sources: `GroupMetadataManager.replay(GroupMetadataKey, ..)`, `ClassicGroup`, and AdminClient's
`DescribeConsumerGroupsHandler` for what a client is told.
"""

from collections.abc import Callable
from typing import Any

from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.messages import ApiMessage, consumer_protocol
from kafkafmt.topics.consumer_groups.decoding import CLASSIC, GroupRecords
from kafkafmt.topics.consumer_groups.described import Description
from kafkafmt.topics.consumer_groups.model import Member, TopicPartitions

KIND = CLASSIC

CONSUMERS = "consumer"
"""Protocol type of groups whose members are consumers: their subscriptions and assignments have Kafka's layout."""

Report = Callable[[KafkafmtError], None]

_NOTHING = ApiMessage("", 0, {})


def describe(records: GroupRecords, report: Report, hold: Callable[[int], None]) -> Description:
    """Tell what a classic group is.

    Args:
        records: of the group.
        report: called with what is wrong in what a member stored.
        hold: called with the memory that what a member stored takes, in bytes.
    """
    fields = records.one(KIND)
    if fields is None:
        return Description("Classic", "Empty", protocol="", is_simple=True)
    protocol_type = fields["protocolType"] or ""
    members = tuple(_member(each, fields, protocol_type, report, hold) for each in fields["members"])
    stamp = fields.get("currentStateTimestamp", -1)
    return Description(
        "Classic",
        "Stable" if members else "Empty",
        protocol=(fields["protocol"] or "") if members else "",
        protocol_type=protocol_type,
        epoch=fields["generation"],
        leader=fields["leader"],
        state_timestamp=None if stamp == -1 else stamp,
        is_simple=not protocol_type,
        subscribed_topics=tuple(sorted({topic for member in members for topic in member.subscribed_topics})),
        members=members,
    )


def _member(
    fields: dict[str, Any], group: dict[str, Any], protocol_type: str, report: Report, hold: Callable[[int], None]
) -> Member:
    decoded_subscription = decoded_assignment = _NOTHING
    raw_subscription = fields["subscription"]
    raw_assignment = fields["assignment"]
    if protocol_type in (CONSUMERS, ""):
        try:
            decoded_subscription = _decoded(consumer_protocol.decode_subscription, raw_subscription)
            raw_subscription = None
            decoded_assignment = _decoded(consumer_protocol.decode_assignment, raw_assignment)
            raw_assignment = None
        except KafkafmtError as error:
            what = "assignment" if raw_subscription is None else "subscription"
            report(type(error)(f"{what} of member {fields['memberId']}: {error.message}"))
    hold(decoded_subscription.memory + decoded_assignment.memory)
    subscription, assignment = decoded_subscription.data, decoded_assignment.data
    session = fields["sessionTimeout"]
    rebalance = fields.get("rebalanceTimeout", -1)
    return Member(
        fields["memberId"],
        fields["clientId"],
        fields["clientHost"],
        group_instance_id=fields.get("groupInstanceId"),
        rack_id=subscription.get("rackId"),
        epoch=group["generation"],
        rebalance_timeout_ms=session if rebalance == -1 else rebalance,
        session_timeout_ms=session,
        subscribed_topics=tuple(sorted(subscription.get("topics", ()))),
        assignment=by_name(assignment.get("assignedPartitions", ())),
        owned_partitions=by_name(subscription.get("ownedPartitions") or ()),
        generation=subscription.get("generationId", -1),
        user_data=subscription.get("userData"),
        raw_subscription=raw_subscription,
        raw_assignment=raw_assignment,
    )


def by_name(assigned: Any) -> tuple[TopicPartitions, ...]:  # noqa: ANN401 - Kafka's TopicPartition structures
    """Partitions of topics that are stored by name, sorted."""
    return tuple(sorted(TopicPartitions(each["topic"], tuple(sorted(each["partitions"]))) for each in assigned))


def _decoded(decode: Callable[[bytes], ApiMessage], data: bytes) -> ApiMessage:
    """What a member stored; without fields if that is nothing: a member that has not been given anything yet."""
    return decode(data) if data else _NOTHING
