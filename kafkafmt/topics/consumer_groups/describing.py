"""Describing: derives the state, members and subscriptions of a group from its records; offsets are added later.

Members of classic groups agree among themselves (JoinGroup, SyncGroup); a classic group may also only store offsets. In
consumer, share and streams groups the coordinator assigns (KIP-848, KIP-932, KIP-1071). Their state is not stored: it
follows from the epochs of the group, of its target assignment and of its members.

Sources: `GroupMetadataManager.replay(..)`, `ClassicGroup`, AdminClient's `DescribeConsumerGroupsHandler`, and
`maybeUpdateGroupState` and `asDescribedGroup` of `ConsumerGroup`, `ShareGroup` and `StreamsGroup`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.messages import ApiMessage, coordinator_records
from kafkafmt.topics.answers import unless_unset
from kafkafmt.topics.consumer_groups.answer import Group, GroupState, Member, Tasks, TopicPartitions
from kafkafmt.topics.consumer_groups.group_records import Fields, GroupRecords
from kafkafmt.topics.consumer_groups.loading import CLASSIC, CONSUMER, SHARE, STREAMS

CONSUMERS = "consumer"
"""Protocol type of groups of consumers, whose subscriptions and assignments have Kafka's layout."""

DEFAULT_ASSIGNORS = {CONSUMER: "uniform", SHARE: "simple"}
"""The broker's default assignors, for members that do not request one."""

_FIRST_EPOCH = 1  # in Kafka 4.3 and 4.4, before any record has an epoch
_NO_EPOCH = -1
_NOT_YET = 0
_LEFT = -1

MEMBER_STATES = {0: "STABLE", 1: "UNREVOKED_PARTITIONS", 2: "UNRELEASED_PARTITIONS"}
STREAMS_MEMBER_STATES = {1: "STABLE", 2: "UNREVOKED_TASKS", 3: "UNRELEASED_TASKS"}
_ROLES = ("active", "standby", "warmup")

Report = Callable[[KafkafmtError], None]
Name = Callable[[str], str | None]

_NOTHING = ApiMessage("", 0, {})


def describe_classic(group_id: str, records: GroupRecords, report: Report, hold: Callable[[int], None]) -> Group:
    """Describe a classic group.

    Args:
        group_id: id of the group.
        records: records of the group.
        report: called with errors in subscriptions and assignments.
        hold: called with the memory of a subscription and assignment, decoded and as stored, in bytes.
    """
    fields = records.one(CLASSIC)
    if fields is None:
        return Group(group_id, "Classic", "Empty", protocol="", is_simple=True)
    protocol_type = fields["protocolType"] or ""
    members = tuple(_classic_member(each, fields, protocol_type, report, hold) for each in fields["members"])
    return Group(
        group_id,
        "Classic",
        "Stable" if members else "Empty",
        protocol=(fields["protocol"] or "") if members else "",
        protocol_type=protocol_type,
        epoch=fields["generation"],
        leader=fields["leader"],
        state_timestamp=unless_unset(fields.get("currentStateTimestamp", -1)),
        is_simple=not protocol_type,
        subscribed_topics=_sorted_names(*(member.subscribed_topics for member in members)),
        members=members,
    )


def _classic_member(
    fields: dict[str, Any], group: dict[str, Any], protocol_type: str, report: Report, hold: Callable[[int], None]
) -> Member:
    decoded_subscription = decoded_assignment = _NOTHING
    raw_subscription = fields["subscription"]
    raw_assignment = fields["assignment"]
    if protocol_type in (CONSUMERS, ""):
        try:
            decoded_subscription = _decoded(coordinator_records.decode_subscription, raw_subscription)
            raw_subscription = None
            decoded_assignment = _decoded(coordinator_records.decode_assignment, raw_assignment)
            raw_assignment = None
        except KafkafmtError as error:
            what = "assignment" if raw_subscription is None else "subscription"
            report(type(error)(f"{what} of member {fields['memberId']}: {error.message}"))
    stored = fields["subscription"] or b"", fields["assignment"] or b""
    hold(decoded_subscription.memory + decoded_assignment.memory + sum(map(len, stored)))
    subscription, assignment = decoded_subscription.data, decoded_assignment.data
    session = fields["sessionTimeout"]
    rebalance = fields.get("rebalanceTimeout", -1)
    return Member(
        fields["memberId"],
        client_id=fields["clientId"],
        host=fields["clientHost"],
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
        stored_subscription=stored[0],
        stored_assignment=stored[1],
    )


def by_name(assigned: Any) -> tuple[TopicPartitions, ...]:  # noqa: ANN401 - Kafka's TopicPartition structures
    """Partitions of topics stored by name, sorted."""
    return tuple(sorted(TopicPartitions(each["topic"], tuple(sorted(each["partitions"]))) for each in assigned))


def _decoded(decode: Callable[[bytes], ApiMessage], data: bytes) -> ApiMessage:
    """The decoded message; without fields if there are no bytes, as for a member without an assignment."""
    return decode(data) if data else _NOTHING


def describe_consumer(group_id: str, records: GroupRecords, name: Name) -> Group:
    """Describe a consumer group.

    Args:
        group_id: id of the group.
        records: records of the group.
        name: returns the name of a topic by its id, or None.
    """
    epoch, assignment_epoch = _epochs(records, CONSUMER)
    members = tuple(_member(records, CONSUMER, member_id, name) for member_id in _member_ids(records, CONSUMER))
    requested = Counter(member.server_assignor for member in members if member.server_assignor is not None)
    # On a tie Kafka takes any of the most requested assignors; taking the last by name is reproducible.
    protocol = max(requested, key=lambda name: (requested[name], name), default=DEFAULT_ASSIGNORS[CONSUMER])
    matched = records.of("ConsumerGroupRegularExpression").values()
    return Group(
        group_id,
        "Consumer",
        group_state(members, epoch, assignment_epoch),
        protocol=protocol,
        protocol_type="consumer",
        epoch=epoch,
        assignment_epoch=assignment_epoch,
        subscribed_topics=_sorted_names(
            *(member.subscribed_topics for member in members),
            *(record.fields["topics"] for record in matched),
        ),
        members=members,
    )


def describe_share(group_id: str, records: GroupRecords, name: Name) -> Group:
    """Describe a share group, which is never Reconciling.

    Args:
        group_id: id of the group.
        records: records of the group.
        name: returns the name of a topic by its id, or None.
    """
    epoch, assignment_epoch = _epochs(records, SHARE)
    members = tuple(_member(records, SHARE, member_id, name) for member_id in _member_ids(records, SHARE))
    return Group(
        group_id,
        "Share",
        "Stable" if members else "Empty",
        protocol=DEFAULT_ASSIGNORS[SHARE],
        protocol_type="share",
        epoch=epoch,
        assignment_epoch=assignment_epoch,
        subscribed_topics=_sorted_names(*(member.subscribed_topics for member in members)),
        members=members,
    )


def describe_streams(group_id: str, records: GroupRecords) -> Group:
    """Describe a streams group, which is NotReady until its topology is validated."""
    epoch, assignment_epoch = _epochs(records, STREAMS)
    members = tuple(_streams_member(records, member_id) for member_id in _member_ids(records, STREAMS))
    topology = records.one("StreamsGroupTopology")
    topology_epoch = None if topology is None else topology["epoch"]
    metadata = records.one("StreamsGroupMetadata")
    validated = (metadata or {}).get("validatedTopologyEpoch", _NO_EPOCH)
    state = group_state(members, epoch, assignment_epoch)
    if members and (topology_epoch is None or topology_epoch != validated):
        state = "NotReady"
    return Group(
        group_id,
        "Streams",
        state,
        protocol=None,
        protocol_type="streams",
        epoch=epoch,
        assignment_epoch=assignment_epoch,
        topology_epoch=topology_epoch,
        subscribed_topics=_sorted_names(*(each["sourceTopics"] for each in (topology or {}).get("subtopologies", ()))),
        members=members,
    )


def _sorted_names(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name for each in names for name in each}))


def group_state(members: Iterable[Member], epoch: int, assignment_epoch: int) -> GroupState:
    """The state of a consumer or streams group, by its members' epochs (`ConsumerGroup.maybeUpdateGroupState`)."""
    members = list(members)
    if not members:
        return "Empty"
    if epoch > assignment_epoch:
        return "Assigning"
    reconciled = all(member.state == "STABLE" and member.epoch == assignment_epoch for member in members)
    return "Stable" if reconciled else "Reconciling"


def _epochs(records: GroupRecords, family: str) -> tuple[int, int]:
    """Group epoch, and epoch of the target assignment."""
    group = records.one(f"{family}Metadata")
    target = records.one(f"{family}TargetAssignmentMetadata")
    without_target = _NO_EPOCH if "" in records.given_back else _FIRST_EPOCH
    return (
        _FIRST_EPOCH if group is None else group["epoch"],
        without_target if target is None else target["assignmentEpoch"],
    )


def _member_ids(records: GroupRecords, family: str) -> list[str]:
    """Members with at least one of their records, as a broker that stopped may have left out the other."""
    metadata = records.of(f"{family}MemberMetadata")
    current = records.of(f"{family}CurrentMemberAssignment")
    return sorted({*metadata, *current})


def _member(records: GroupRecords, family: str, member_id: str, name: Name) -> Member:
    metadata = _fields(records, f"{family}MemberMetadata", member_id)
    current = _fields(records, f"{family}CurrentMemberAssignment", member_id)
    target = _fields(records, f"{family}TargetAssignmentMember", member_id)
    has_left = _has_left(records, family, member_id)
    classic = metadata.get("classicMemberMetadata")
    regex = metadata.get("subscribedTopicRegex") or None
    pending = current.get("partitionsPendingRevocation", ())
    return Member(
        member_id,
        client_id=metadata.get("clientId", ""),
        host=metadata.get("clientHost", ""),
        group_instance_id=metadata.get("instanceId"),
        rack_id=metadata.get("rackId"),
        protocol="share" if family == SHARE else "consumer" if classic is None else "classic",
        epoch=current.get("memberEpoch", _LEFT if has_left else _NOT_YET),
        previous_epoch=current.get("previousMemberEpoch"),
        state=None if has_left else MEMBER_STATES.get(current.get("state", 0), "UNKNOWN"),
        rebalance_timeout_ms=unless_unset(metadata.get("rebalanceTimeoutMs", -1)),
        session_timeout_ms=None if classic is None else classic["sessionTimeoutMs"],
        subscribed_topics=tuple(sorted(metadata.get("subscribedTopicNames", ()))),
        subscribed_regex=regex,
        matched_topics=_sorted_names(_fields(records, "ConsumerGroupRegularExpression", regex or "").get("topics", ())),
        server_assignor=metadata.get("serverAssignor"),
        assignment=by_id([*current.get("assignedPartitions", ()), *pending], name),
        pending_revocation=by_id(pending, name),
        target_assignment=by_id(target.get("topicPartitions", ()), name),
    )


def _streams_member(records: GroupRecords, member_id: str) -> Member:
    metadata = _fields(records, "StreamsGroupMemberMetadata", member_id)
    current = _fields(records, "StreamsGroupCurrentMemberAssignment", member_id)
    target = _fields(records, "StreamsGroupTargetAssignmentMember", member_id)
    has_left = _has_left(records, STREAMS, member_id)
    endpoint = metadata.get("userEndpoint")
    return Member(
        member_id,
        client_id=metadata.get("clientId", ""),
        host=metadata.get("clientHost", ""),
        group_instance_id=metadata.get("instanceId"),
        rack_id=metadata.get("rackId"),
        protocol="streams",
        epoch=current.get("memberEpoch", _LEFT if has_left else _NOT_YET),
        previous_epoch=current.get("previousMemberEpoch"),
        state=None if has_left else STREAMS_MEMBER_STATES.get(current.get("state", 1), "UNKNOWN"),
        rebalance_timeout_ms=unless_unset(metadata.get("rebalanceTimeoutMs", -1)),
        tasks=tasks_of(current, "Tasks"),
        tasks_pending_revocation=tasks_of(current, "TasksPendingRevocation"),
        target_tasks=tasks_of(target, "Tasks"),
        process_id=metadata.get("processId"),
        topology_epoch=metadata.get("topologyEpoch"),
        user_endpoint=None if endpoint is None else f"{endpoint['host']}:{endpoint['port']}",
        client_tags={tag["key"]: tag["value"] for tag in metadata.get("clientTags", ())},
    )


def _has_left(records: GroupRecords, family: str, member_id: str) -> bool:
    """Whether the last record of a member is the tombstone of its current assignment."""
    made = records.of(f"{family}MemberMetadata").get(member_id)
    return made is not None and made.stored.offset < records.given_back.get(member_id, -1)


def _fields(records: GroupRecords, kind: str, name: str) -> Fields:
    record = records.of(kind).get(name)
    return {} if record is None else record.fields


def by_id(assigned: Iterable[Any], name: Name) -> tuple[TopicPartitions, ...]:
    """Partitions of topics stored by id, sorted by name, with each topic once."""
    found: dict[str, set[int]] = {}
    for each in assigned:
        found.setdefault(each["topicId"], set()).update(each["partitions"])
    topics = sorted(found, key=lambda topic_id: (name(topic_id) or "", topic_id))
    return tuple(TopicPartitions(name(each), tuple(sorted(found[each])), each) for each in topics)


def tasks_of(fields: Fields, suffix: str) -> tuple[Tasks, ...]:
    """Tasks of a streams member in a record, from fields that end with "Tasks" or "TasksPendingRevocation"."""
    return tuple(
        Tasks(role, each["subtopologyId"], tuple(sorted(each["partitions"])))
        for role in _ROLES
        for each in sorted(fields.get(f"{role}{suffix}", ()), key=lambda task: str(task["subtopologyId"]))
    )
