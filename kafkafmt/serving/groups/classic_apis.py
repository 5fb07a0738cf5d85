"""JoinGroup (versions 0 to 9), SyncGroup (0 to 5), Heartbeat (0 to 4), LeaveGroup (0 to 5).

They answer as a broker does, except that an empty group waits 0.2 s instead of 3 s for more members, and that a group
of KIP-848 with members does not accept classic ones.
"""

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, Handlers, Request
from kafkafmt.serving.groups.bounds import LONGEST_SESSION_MS, MOST_PROTOCOLS, SHORTEST_SESSION_MS, GroupError
from kafkafmt.serving.groups.classic_member import Joining
from kafkafmt.serving.groups.coordinator import coordinator


async def join_group(broker: Broker, request: Request) -> Value:
    """Let a member join its group."""
    body, version, client = request.body, request.version, request.client
    session_ms, member_id = body["SessionTimeoutMs"], body["MemberId"]
    joining = Joining(
        member_id,
        body.get("GroupInstanceId"),
        client.client_id,
        f"/{client.host}",
        body["ProtocolType"],
        tuple({each["Name"]: bytes(each["Metadata"]) for each in body["Protocols"]}.items()),
        session_ms,
        body["RebalanceTimeoutMs"] if version >= 1 else session_ms,
        knows_ids=version >= 4,
        skips_assignment=version >= 9,
    )
    try:
        _check_group_id(body)
        _check_joining(joining)
        groups = await coordinator(broker, body["GroupId"])
        answer = await groups.classic(body["GroupId"], is_new=not member_id).join(joining)
    except GroupError as error:
        answer = {"ErrorCode": error.code, "MemberId": member_id}
    no_name = None if version >= 7 else ""
    return {"ProtocolName": no_name} | answer


async def sync_group(broker: Broker, request: Request) -> Value:
    """Give a member its assignment."""
    body = request.body
    assignments = {each["MemberId"]: each["Assignment"] for each in body["Assignments"]}
    try:
        _check_group_id(body)
        _check_protocol(body, request.version)
        group = (await coordinator(broker, body["GroupId"])).classic_member(body["GroupId"])
        return await group.sync(
            body["MemberId"],
            body.get("GroupInstanceId"),
            body["GenerationId"],
            (body.get("ProtocolType"), body.get("ProtocolName")),
            assignments,
        )
    except GroupError as error:
        return error.fields


async def heartbeat(broker: Broker, request: Request) -> Value:
    """Record that a member is alive."""
    body = request.body
    try:
        _check_group_id(body)
        group = (await coordinator(broker, body["GroupId"])).classic_member(body["GroupId"])
        group.heartbeat(body["MemberId"], body.get("GroupInstanceId"), body["GenerationId"])
    except GroupError as error:
        return error.fields
    return {"ErrorCode": ErrorCode.NONE}


async def leave_group(broker: Broker, request: Request) -> Value:
    """Remove members; AdminClient removes static ones by their instance ids alone."""
    body = request.body
    leaving = body["Members"] if request.version >= 3 else [{"MemberId": body["MemberId"], "GroupInstanceId": None}]
    groups = await coordinator(broker, body["GroupId"])
    try:
        _check_group_id(body)
    except GroupError as error:
        return error.fields
    members = []
    for each in leaving:
        code = ErrorCode.NONE
        try:
            groups.classic_member(body["GroupId"]).leave(each["MemberId"], each["GroupInstanceId"])
        except GroupError as error:
            code = error.code
        members.append(
            {"MemberId": each["MemberId"], "GroupInstanceId": each["GroupInstanceId"], "ErrorCode": code},
        )
    return {"ErrorCode": ErrorCode.NONE if request.version >= 3 else members[0]["ErrorCode"], "Members": members}


def _check_joining(joining: Joining) -> None:
    if not SHORTEST_SESSION_MS <= joining.session_ms <= LONGEST_SESSION_MS:
        raise GroupError(ErrorCode.INVALID_SESSION_TIMEOUT)
    if len(joining.protocols) > MOST_PROTOCOLS:
        raise GroupError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _check_protocol(body: Value, version: int) -> None:
    if version >= 5 and None in (body["ProtocolType"], body["ProtocolName"]):
        raise GroupError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _check_group_id(body: Value) -> None:
    if not body["GroupId"].strip():
        raise GroupError(ErrorCode.INVALID_GROUP_ID)


HANDLERS: Handlers = {
    "JoinGroup": join_group,
    "SyncGroup": sync_group,
    "Heartbeat": heartbeat,
    "LeaveGroup": leave_group,
}
