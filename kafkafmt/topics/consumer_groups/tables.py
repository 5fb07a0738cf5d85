"""Tables: groups, their offsets and their members as Arrow tables. docs/groups.md describes the columns."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.topics.consumer_groups.model import CommittedOffset, Group, Member, Tasks, TopicPartitions

if TYPE_CHECKING:
    from kafkafmt.topics.consumer_groups.assignment_check import AssignmentCheck
    from kafkafmt.topics.consumer_groups.locating import Home

_MILLISECONDS = pa.timestamp("ms", tz="UTC")
PARTITIONS = pa.list_(
    pa.struct([("topic", pa.string()), ("topicId", pa.string()), ("partitions", pa.list_(pa.int32()))])
)
_TASKS = pa.list_(
    pa.struct([("role", pa.string()), ("subtopologyId", pa.string()), ("partitions", pa.list_(pa.int32()))])
)
_TEXTS = pa.list_(pa.string())

_OF_GROUP = [("group", pa.string()), ("type", pa.string()), ("state", pa.string()), ("protocol", pa.string())]

GROUPS = pa.schema(
    [
        *_OF_GROUP,
        ("protocolType", pa.string()),
        ("isSimpleConsumerGroup", pa.bool_()),
        ("members", pa.int32()),
        ("offsets", pa.int32()),
        ("pendingOffsets", pa.int32()),
        ("topics", _TEXTS),
        ("lag", pa.int64()),
        ("subscribedTopics", _TEXTS),
        ("epoch", pa.int32()),
        ("assignmentEpoch", pa.int32()),
        ("topologyEpoch", pa.int32()),
        ("leader", pa.string()),
        ("stateTimestamp", _MILLISECONDS),
        ("coordinatorPartition", pa.int32()),
    ]
)
"""Columns of `Groups.to_table()`."""

OFFSETS = pa.schema(
    [
        *_OF_GROUP,
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("logEndOffset", pa.int64()),
        ("lag", pa.int64()),
        ("leaderEpoch", pa.int32()),
        ("metadata", pa.string()),
        ("commitTimestamp", _MILLISECONDS),
        ("expireTimestamp", _MILLISECONDS),
        ("topicId", pa.string()),
        ("coordinatorPartition", pa.int32()),
        ("recordOffset", pa.int64()),
    ]
)
"""Columns of `Groups.offsets`."""

MEMBERS = pa.schema(
    [
        *_OF_GROUP,
        ("memberId", pa.string()),
        ("groupInstanceId", pa.string()),
        ("clientId", pa.string()),
        ("host", pa.string()),
        ("rackId", pa.string()),
        ("memberProtocol", pa.string()),
        ("memberEpoch", pa.int32()),
        ("previousMemberEpoch", pa.int32()),
        ("memberState", pa.string()),
        ("isLeader", pa.bool_()),
        ("subscribedTopics", _TEXTS),
        ("subscribedTopicRegex", pa.string()),
        ("matchedTopics", _TEXTS),
        ("serverAssignor", pa.string()),
        ("assignment", PARTITIONS),
        ("pendingRevocation", PARTITIONS),
        ("targetAssignment", PARTITIONS),
        ("tasks", _TASKS),
        ("tasksPendingRevocation", _TASKS),
        ("targetTasks", _TASKS),
        ("ownedPartitions", PARTITIONS),
        ("rebalanceTimeoutMs", pa.int32()),
        ("sessionTimeoutMs", pa.int32()),
        ("userData", pa.binary()),
        ("rawSubscription", pa.binary()),
        ("rawAssignment", pa.binary()),
        ("processId", pa.string()),
        ("topologyEpoch", pa.int32()),
        ("userEndpoint", pa.string()),
        ("clientTags", pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))),
    ]
)
"""Columns of `Groups.members`."""

CHECKS = pa.schema(
    [
        ("group", pa.string()),
        ("protocol", pa.string()),
        ("memberId", pa.string()),
        ("stored", PARTITIONS),
        ("expected", PARTITIONS),
        ("agrees", pa.bool_()),
        ("reason", pa.string()),
    ]
)
"""Columns of `checks`."""

HOMES = pa.schema(
    [
        ("group", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("partitions", pa.int64()),
        ("isCertain", pa.bool_()),
        ("toldBy", pa.string()),
        ("paths", _TEXTS),
    ]
)
"""Columns of `homes`."""


def groups(found: Iterable[Group]) -> pa.Table:
    """One row a group; its lag is the sum of those of its offsets that are known, null where none is."""
    return table_of(GROUPS, [(*_of(group), *_group(group)) for group in found])


def offsets(found: Iterable[Group], *, pending: bool = False) -> pa.Table:
    """One row a committed offset.

    Args:
        found: the groups.
        pending: those of transactions that have not ended instead.
    """
    return table_of(
        OFFSETS,
        [
            (*_of(group), *_offset(each))
            for group in found
            for each in (group.pending_offsets if pending else group.offsets)
        ],
    )


def members(found: Iterable[Group]) -> pa.Table:
    """One row a member."""
    return table_of(MEMBERS, [(*_of(group), *_member(group, each)) for group in found for each in group.members])


def checks(found: "Iterable[AssignmentCheck]") -> pa.Table:
    """One row a member of which the assignment was checked."""
    rows = [
        (
            *(each.group_id, each.protocol, each.member_id, _partitions(each.stored)),
            *(None if each.expected is None else _partitions(each.expected), each.agrees, each.reason),
        )
        for each in found
    ]
    return table_of(CHECKS, rows)


def homes(found: "Iterable[Home]") -> pa.Table:
    """One row a group that was located."""
    rows = [
        (each.group_id, CONSUMER_OFFSETS, each.partition, each.partitions, each.is_certain, each.told_by, each.paths)
        for each in found
    ]
    return table_of(HOMES, rows)


def table_of(schema: pa.Schema, rows: Sequence[Sequence[Any]]) -> pa.Table:
    """A table of rows, whose values are in the order of the columns."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    return pa.table([pa.array(values, kind) for values, kind in zip(columns, schema.types, strict=True)], schema=schema)


def _of(group: Group) -> tuple[Any, ...]:
    return group.group_id, group.type, group.state, group.protocol


def _group(group: Group) -> tuple[Any, ...]:
    lags = [each.lag for each in group.offsets if each.lag is not None]
    return (
        group.protocol_type,
        group.is_simple,
        len(group.members),
        len(group.offsets),
        len(group.pending_offsets),
        sorted({each.topic for each in group.offsets if each.topic is not None}),
        sum(lags) if lags and abs(sum(lags)) < 1 << 63 else None,
        group.subscribed_topics,
        group.epoch,
        group.assignment_epoch,
        group.topology_epoch,
        group.leader,
        group.state_timestamp,
        _known(group.coordinator_partition),
    )


def _offset(each: CommittedOffset) -> tuple[Any, ...]:
    return (
        each.topic,
        each.partition,
        each.offset,
        each.log_end_offset,
        each.lag,
        each.leader_epoch,
        each.metadata,
        each.commit_timestamp,
        each.expire_timestamp,
        each.topic_id,
        _known(each.coordinator_partition),
        each.record_offset,
    )


def _member(group: Group, each: Member) -> tuple[Any, ...]:
    return (
        each.member_id,
        each.group_instance_id,
        each.client_id,
        each.host,
        each.rack_id,
        each.protocol,
        each.epoch,
        each.previous_epoch,
        each.state,
        each.member_id == group.leader if group.leader is not None else None,
        each.subscribed_topics,
        each.subscribed_regex,
        each.matched_topics,
        each.server_assignor,
        _partitions(each.assignment),
        _partitions(each.pending_revocation),
        _partitions(each.target_assignment),
        _tasks(each.tasks),
        _tasks(each.tasks_pending_revocation),
        _tasks(each.target_tasks),
        _partitions(each.owned_partitions),
        each.rebalance_timeout_ms,
        each.session_timeout_ms,
        each.user_data,
        each.raw_subscription,
        each.raw_assignment,
        each.process_id,
        each.topology_epoch,
        each.user_endpoint,
        [{"key": key, "value": value} for key, value in each.client_tags.items()],
    )


def _partitions(assigned: Iterable[TopicPartitions]) -> list[dict[str, Any]]:
    return [{"topic": each.topic, "topicId": each.topic_id, "partitions": each.partitions} for each in assigned]


def _tasks(given: Iterable[Tasks]) -> list[dict[str, Any]]:
    return [{"role": each.role, "subtopologyId": each.subtopology_id, "partitions": each.partitions} for each in given]


def _known(partition: int) -> int | None:
    return None if partition < 0 else partition
