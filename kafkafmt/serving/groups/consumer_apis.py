"""ConsumerGroupHeartbeat (versions 0 and 1): members of KIP-848, with subscriptions by name and by regular expression.

It answers as a broker does, except that heartbeats are due each second, and that a classic group with members does not
accept members of KIP-848.
"""

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request
from kafkafmt.serving.groups.bounds import GroupError
from kafkafmt.serving.groups.consumer import (
    ASSIGNORS,
    HEARTBEAT_MS,
    LEAVES,
    LEAVES_FOR_A_WHILE,
    ConsumerGroup,
)
from kafkafmt.serving.groups.consumer_member import Beat, Beaten, Partitions, topic_partitions
from kafkafmt.serving.groups.coordinator import coordinator

_MOST_TOPICS = 20_000
"""Most topic names of a subscription."""


async def consumer_group_heartbeat(broker: Broker, request: Request) -> Value:
    """Let a member join, stay alive, take and give up partitions, or leave."""
    body, client = request.body, request.client
    try:
        _check(body, request.version)
        groups = await coordinator(broker, body["GroupId"])
        regex = body.get("SubscribedTopicRegex")
        live = groups.live.get(body["GroupId"])
        member = live.members.get(body["MemberId"]) if isinstance(live, ConsumerGroup) else None
        expression = regex if regex is not None or member is None else member.regex
        matched = None
        if expression is not None:
            disks = broker.disks
            matched = await groups.matches.of(expression, disks.logs, disks.listings) if expression else ()
        group = groups.consumer(body["GroupId"], is_new=body["MemberEpoch"] == 0)
        names = body["SubscribedTopicNames"]
        beaten = group.heartbeat(
            Beat(
                body["MemberId"],
                body["MemberEpoch"],
                body["InstanceId"],
                body["RackId"],
                client.client_id,
                f"/{client.host}",
                None if body["RebalanceTimeoutMs"] < 0 else body["RebalanceTimeoutMs"],
                None if names is None else tuple(sorted(set(names))),
                regex,
                matched,
                body["ServerAssignor"],
                _owned(body["TopicPartitions"]),
            )
        )
    except GroupError as error:
        return error.fields
    return {
        "ErrorCode": ErrorCode.NONE,
        "MemberId": beaten.member_id,
        "MemberEpoch": beaten.epoch,
        "HeartbeatIntervalMs": 0 if beaten.epoch < 0 else HEARTBEAT_MS,
        "Assignment": _assignment(beaten),
    }


def _owned(given: list[Value] | None) -> Partitions | None:
    if given is None:
        return None
    return frozenset((each["TopicId"], number) for each in given for number in each["Partitions"])


def _assignment(beaten: Beaten) -> Value | None:
    if beaten.assigned is None:
        return None
    return {
        "TopicPartitions": [
            {"TopicId": topic_id, "Partitions": numbers}
            for topic_id, numbers in topic_partitions(beaten.assigned).items()
        ]
    }


def _check(body: Value, version: int) -> None:
    """Check the fields of a request.

    Raises:
        GroupError: a broker would refuse the request.
    """
    epoch = body["MemberEpoch"]
    needs_id = version >= 1 or epoch > 0 or epoch == LEAVES
    texts = (("MemberId", needs_id), ("GroupId", True), ("InstanceId", True), ("RackId", True))
    for name, is_checked in texts:
        if is_checked and body[name] is not None and not body[name].strip():
            raise _invalid(f"{name} can't be empty.")
    if epoch == 0:
        if body["RebalanceTimeoutMs"] == -1:
            raise _invalid("RebalanceTimeoutMs must be provided in first request.")
        if body["TopicPartitions"] is None or body["TopicPartitions"]:
            raise _invalid("TopicPartitions must be empty when (re-)joining.")
        if body["SubscribedTopicNames"] is None and body.get("SubscribedTopicRegex") is None:
            raise _invalid("Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.")
    elif epoch == LEAVES_FOR_A_WHILE and body["InstanceId"] is None:
        raise _invalid("InstanceId can't be null.")
    elif epoch < LEAVES_FOR_A_WHILE:
        raise _invalid("MemberEpoch is invalid.")
    if len(body["SubscribedTopicNames"] or ()) > _MOST_TOPICS:
        raise _invalid(f"a subscription has at most {_MOST_TOPICS:,} topics")
    assignor = body["ServerAssignor"]
    if assignor is not None and assignor not in ASSIGNORS:
        raise GroupError(
            ErrorCode.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {assignor[:80]} is not supported. Supported assignors: {', '.join(ASSIGNORS)}.",
        )


def _invalid(message: str) -> GroupError:
    return GroupError(ErrorCode.INVALID_REQUEST, message)


HANDLERS: Handlers = {"ConsumerGroupHeartbeat": consumer_group_heartbeat}
