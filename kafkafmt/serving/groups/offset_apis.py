"""OffsetCommit (versions 2 to 10), OffsetFetch (1 to 10), OffsetDelete (0).

Commits stay in memory and are gone when the server ends; OffsetFetch begins with the offsets in `__consumer_offsets` on
the disk. While open transactions are kept, partitions for which one of them has committed offsets are answered with
UNSTABLE_OFFSET_COMMIT to clients that require stable offsets, as by a broker. The leader epochs of requested partitions
are at most those in Metadata: Kafka's consumer reads nothing until Metadata has the epoch, and the newest replica of a
topic may not be on the disks. OffsetDelete is refused.
"""

from collections.abc import Iterator

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import NO_ID, Broker, Handlers, Request, collected, in_turns
from kafkafmt.serving.groups.bounds import LONGEST_METADATA, GroupError
from kafkafmt.serving.groups.coordinator import GroupCoordinator, coordinator
from kafkafmt.serving.groups.offsets import NONE, CommitInEffect
from kafkafmt.serving.served_log import ServedLog

_GROUPS_VERSION = 8
"""The first version whose requests name several groups."""


async def offset_commit(broker: Broker, request: Request) -> Value:
    """Keep commits in memory."""
    body, version = request.body, request.version
    group_id = body["GroupId"]
    groups = await coordinator(broker, group_id)
    found = [(_topic(broker, each), each) for each in body["Topics"]]
    refused = ErrorCode.NONE
    try:
        places = [(name, each["PartitionIndex"]) for name, topic in found if name for each in topic["Partitions"]]
        groups.check_commit(
            group_id,
            body["MemberId"],
            body.get("GroupInstanceId"),
            body["GenerationIdOrMemberEpoch"],
            version,
            places,
        )
    except GroupError as error:
        refused = error.code
    asked = [(name, each) for name, topic in found for each in topic["Partitions"]]
    codes = iter(
        [
            _unknown(broker, name, each) or refused or _commit(broker, groups, group_id, name or "", each)
            async for name, each in in_turns(asked)
        ]
    )
    return {
        "Topics": [
            {
                "Name": topic.get("Name", ""),
                "TopicId": topic.get("TopicId", NO_ID),
                "Partitions": [
                    {"PartitionIndex": each["PartitionIndex"], "ErrorCode": next(codes)} for each in topic["Partitions"]
                ],
            }
            for _, topic in found
        ]
    }


def _topic(broker: Broker, topic: Value) -> str | None:
    """Name of a topic, which later versions identify by id; None if there is none with that id."""
    if "TopicId" in topic:
        return broker.disks.topic_of(topic["TopicId"])
    name: str = topic["Name"]
    return name


def _unknown(broker: Broker, name: str | None, asked: Value) -> ErrorCode:
    if name is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    is_known = broker.disks.log(name, asked["PartitionIndex"]) is not None
    return ErrorCode.NONE if is_known else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _commit(broker: Broker, groups: GroupCoordinator, group_id: str, name: str, asked: Value) -> ErrorCode:
    metadata = asked["CommittedMetadata"] or ""
    if len(metadata) > LONGEST_METADATA:
        return ErrorCode.OFFSET_METADATA_TOO_LARGE
    epoch = asked.get("CommittedLeaderEpoch", NONE)
    commit = CommitInEffect(asked["CommittedOffset"], epoch, metadata, broker.disks.topic_id(name))
    try:
        groups.offsets.commit(group_id, (name, asked["PartitionIndex"]), commit)
    except GroupError as error:
        return error.code
    return ErrorCode.NONE


async def offset_fetch(broker: Broker, request: Request) -> Value:
    """The committed offsets of one group or of several."""
    body = request.body
    groups = await coordinator(broker)
    waits = body.get("RequireStable", False) and broker.options.open_transactions == "keep"
    names_groups = request.version >= _GROUPS_VERSION
    once = {each["GroupId"]: each for each in (body["Groups"] if names_groups else [body])}.values()
    found = [_fetched(broker, groups, each, waits=waits) async for each in in_turns(once)]
    named = [answer for answer, each in zip(found, once, strict=True) if each["Topics"] is not None]
    later = _with_epochs(broker, named)
    if later:
        await collected(_lowered(later))
    return {"Groups": found} if names_groups else found[0]


def _with_epochs(broker: Broker, groups: list[Value]) -> list[tuple[Value, ServedLog]]:
    """The partitions whose committed offsets have a leader epoch, with their logs."""
    found = []
    for topic in (topic for group in groups for topic in group["Topics"]):
        name = topic["Name"] or broker.disks.topic_of(topic["TopicId"])
        for each in topic["Partitions"]:
            log = broker.disks.log(name, each["PartitionIndex"])
            if log is not None and each["CommittedLeaderEpoch"] != NONE:
                found.append((each, log))
    return found


def _lowered(partitions: list[tuple[Value, ServedLog]]) -> Iterator[Value]:
    for each, log in partitions:
        each["CommittedLeaderEpoch"] = log.answered_epoch(each["CommittedLeaderEpoch"])
        yield each


def _fetched(broker: Broker, groups: GroupCoordinator, asked: Value, *, waits: bool) -> Value:
    group_id = asked["GroupId"]
    try:
        groups.check_fetch(group_id, asked.get("MemberId"), asked.get("MemberEpoch", NONE))
    except GroupError as error:
        return {"GroupId": group_id, "Topics": [], "ErrorCode": error.code}
    commits = groups.offsets.of(group_id)
    pending = groups.offsets.pending(group_id) if waits else frozenset()
    topics: list[Value] = []
    for topic in _all(commits) if asked["Topics"] is None else asked["Topics"]:
        name = _topic(broker, topic)
        topic_id = topic.get("TopicId", NO_ID)
        if asked["Topics"] is None and name in broker.disks.logs:
            topic_id = broker.disks.topic_id(topic["Name"])
        partitions: list[Value] = []
        for number in topic["PartitionIndexes"]:
            commit, code = commits.get((name or "", number), CommitInEffect()), ErrorCode.NONE
            if name is None:
                code = ErrorCode.UNKNOWN_TOPIC_ID
            elif (name, number) in pending:
                commit, code = CommitInEffect(), ErrorCode.UNSTABLE_OFFSET_COMMIT
            elif "TopicId" in topic and commit.topic_id not in (NO_ID, topic_id):
                commit = CommitInEffect()  # of a deleted topic with that name
            partitions.append(
                {
                    "PartitionIndex": number,
                    "CommittedOffset": commit.offset,
                    "CommittedLeaderEpoch": commit.leader_epoch,
                    "Metadata": commit.metadata,
                    "ErrorCode": code,
                }
            )
        topics.append({"Name": topic.get("Name", ""), "TopicId": topic_id, "Partitions": partitions})
    return {"GroupId": group_id, "Topics": topics, "ErrorCode": ErrorCode.NONE}


def _all(commits: dict[tuple[str, int], CommitInEffect]) -> list[Value]:
    numbers: dict[str, list[int]] = {}
    for topic, number in sorted(commits):
        numbers.setdefault(topic, []).append(number)
    return [{"Name": topic, "PartitionIndexes": found} for topic, found in numbers.items()]


async def offset_delete(_: Broker, request: Request) -> Value:
    """POLICY_VIOLATION: the API has no field for a reason."""
    return {
        "ErrorCode": ErrorCode.POLICY_VIOLATION,
        "Topics": [
            {
                "Name": topic["Name"],
                "Partitions": [
                    {"PartitionIndex": each["PartitionIndex"], "ErrorCode": ErrorCode.POLICY_VIOLATION}
                    for each in topic["Partitions"]
                ],
            }
            for topic in request.body["Topics"]
        ],
    }


HANDLERS: Handlers = {"OffsetCommit": offset_commit, "OffsetFetch": offset_fetch, "OffsetDelete": offset_delete}
