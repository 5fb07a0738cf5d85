"""FindCoordinator, ListGroups, DescribeGroups, ConsumerGroupDescribe, DeleteGroups.

Versions 0 to 6, 0 to 5, 0 to 6, 0 to 1, 0 to 3.

This broker coordinates all groups and transactions. Groups of the disk are described with the members that the dead
cluster had, until a client joins. DescribeGroups knows only classic groups and ConsumerGroupDescribe only those of
KIP-848, so that AdminClient, which asks for both, finds the type. DeleteGroups is refused.
"""

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import NOT_ASKED, READ_ONLY, Broker, Handlers, Request, in_turns
from kafkafmt.serving.groups.bounds import GroupError
from kafkafmt.serving.groups.classic import ClassicGroup
from kafkafmt.serving.groups.consumer import ConsumerGroup
from kafkafmt.serving.groups.consumer_member import Partitions, topic_partitions
from kafkafmt.serving.groups.coordinator import GroupCoordinator, coordinator
from kafkafmt.serving.groups.stored import describe_classic, describe_consumer

_GROUP, _TRANSACTION = 0, 1
_NOBODY = {"NodeId": -1, "Host": "", "Port": -1}
# READ, DESCRIBE and DESCRIBE_CONFIGS of a group, as bits of AclOperation.
_OPERATIONS = 1 << 3 | 1 << 8 | 1 << 10
_NAMES_MISSING_VERSION = 6
"""The first version of DescribeGroups with an error for a group that does not exist."""
_CONSUMER_MEMBER = 1


async def find_coordinator(broker: Broker, request: Request) -> Value:
    """This broker, for each group and transactional id; share groups have no coordinator."""
    body = request.body
    host, port = broker.address(request.client)
    found: Value = {"ErrorCode": ErrorCode.NONE, "NodeId": broker.node_id, "Host": host, "Port": port}
    if body.get("KeyType", _GROUP) not in (_GROUP, _TRANSACTION):
        found = {"ErrorCode": ErrorCode.INVALID_REQUEST, "ErrorMessage": "share groups are not served", **_NOBODY}
    if request.version >= 4:
        return {"Coordinators": [{"Key": key, **found} for key in body["CoordinatorKeys"]]}
    return {"ErrorMessage": "NONE", **found}


async def list_groups(broker: Broker, request: Request) -> Value:
    """The groups in the requested states and of the requested types."""
    states = {state.strip().lower() for state in request.body.get("StatesFilter", ())}
    types = {kind.lower() for kind in request.body.get("TypesFilter", ())}
    return {
        "ErrorCode": ErrorCode.NONE,
        "Groups": [
            group
            for group in (await coordinator(broker)).listed()
            if (not states or group["GroupState"].lower() in states) and (not types or group["GroupType"] in types)
        ],
    }


async def describe_groups(broker: Broker, request: Request) -> Value:
    """Classic groups; before version 6 a group that does not exist is a dead group without an error."""
    groups = await coordinator(broker)
    described = []
    async for group_id in in_turns(dict.fromkeys(request.body["Groups"])):
        try:
            fields = _classic(groups, group_id)
        except GroupError as error:
            fields = {"GroupState": "Dead", **(error.fields if request.version >= _NAMES_MISSING_VERSION else {})}
        described.append(_described(group_id, request, fields))
    return {"Groups": described}


async def consumer_group_describe(broker: Broker, request: Request) -> Value:
    """Groups of KIP-848."""
    groups = await coordinator(broker)
    described = []
    async for group_id in in_turns(dict.fromkeys(request.body["GroupIds"])):
        try:
            fields = _consumer(broker, groups, group_id)
        except GroupError as error:
            fields = error.fields
        described.append(_described(group_id, request, fields))
    return {"Groups": described}


def _described(group_id: str, request: Request, fields: Value) -> Value:
    """A group with its fields and, unless they are an error, the operations allowed to anybody."""
    is_asked = request.body.get("IncludeAuthorizedOperations", False) and not fields.get("ErrorCode")
    return {"GroupId": group_id, "AuthorizedOperations": _OPERATIONS if is_asked else NOT_ASKED, **fields}


def _classic(groups: GroupCoordinator, group_id: str) -> Value:
    live, stored = groups.live.get(group_id), groups.stored.get(group_id)
    if isinstance(live, ClassicGroup):
        return live.described()
    if live is None and stored is not None and stored.type == "Classic":
        return describe_classic(stored)
    if live is None and stored is None and groups.offsets.has_commits(group_id):
        return {"GroupState": "Empty"}
    raise _not_found(groups, group_id, "classic")


def _consumer(broker: Broker, groups: GroupCoordinator, group_id: str) -> Value:
    if not group_id.strip():
        raise GroupError(ErrorCode.INVALID_GROUP_ID)
    live, stored = groups.live.get(group_id), groups.stored.get(group_id)
    if isinstance(live, ConsumerGroup):
        return _live_consumer(broker, live)
    if live is None and stored is not None and stored.type == "Consumer":
        return describe_consumer(stored, broker.disks.topic_of)
    raise _not_found(groups, group_id, "consumer")


def _not_found(groups: GroupCoordinator, group_id: str, kind: str) -> GroupError:
    is_other = groups.exists(group_id)
    text = f"Group {group_id} is not a {kind} group." if is_other else f"Group {group_id} not found."
    return GroupError(ErrorCode.GROUP_ID_NOT_FOUND, text)


def _live_consumer(broker: Broker, group: ConsumerGroup) -> Value:
    def named(partitions: Partitions) -> Value:
        return {
            "TopicPartitions": [
                {"TopicId": topic_id, "TopicName": topic, "Partitions": numbers}
                for topic_id, numbers in topic_partitions(partitions).items()
                if (topic := broker.disks.topic_of(topic_id)) is not None
            ]
        }

    return {
        "GroupState": group.state,
        "GroupEpoch": group.epoch,
        "AssignmentEpoch": group.epoch,
        "AssignorName": group.assignor,
        "Members": [
            {
                "MemberId": each.member_id,
                "InstanceId": each.instance_id,
                "RackId": each.rack_id,
                "MemberEpoch": each.epoch,
                "ClientId": each.client_id,
                "ClientHost": each.host,
                "SubscribedTopicNames": list(each.topics),
                "SubscribedTopicRegex": each.regex or "",
                "Assignment": named(each.assigned | each.revoking),
                "TargetAssignment": named(group.targets.get(each.member_id, frozenset())),
                "MemberType": _CONSUMER_MEMBER,
            }
            for each in group.members.values()
        ],
    }


async def delete_groups(_: Broker, request: Request) -> Value:
    """POLICY_VIOLATION for each group; in version 3 with the reason."""
    refused = {"ErrorCode": ErrorCode.POLICY_VIOLATION, "ErrorMessage": READ_ONLY}
    return {"Results": [{"GroupId": group_id, **refused} for group_id in request.body["GroupsNames"]]}


HANDLERS: Handlers = {
    "FindCoordinator": find_coordinator,
    "ListGroups": list_groups,
    "DescribeGroups": describe_groups,
    "ConsumerGroupDescribe": consumer_group_describe,
    "DeleteGroups": delete_groups,
}
