"""Groups: the answer of `kafkafmt.topics.groups`, and its tables. docs/groups.md describes their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kafkafmt.topics.answers import TIME, StateFinding, TableAnswer, TableColumns, finding_of
from kafkafmt.topics.consumer_groups.model import CommittedOffset, Group, Member, Tasks, TopicPartitions

if TYPE_CHECKING:
    from kafkafmt.errors import KafkafmtError
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition

PARTITIONS = pa.list_(
    pa.struct([("topic", pa.string()), ("topicId", pa.string()), ("partitions", pa.list_(pa.int32()))])
)
_TASKS = pa.list_(
    pa.struct([("role", pa.string()), ("subtopologyId", pa.string()), ("partitions", pa.list_(pa.int32()))])
)
_TAGS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))
_TEXTS = pa.list_(pa.string())


class _OfGroup(NamedTuple):
    """A member or an offset of a group."""

    group: Group
    each: Any


def in_partitions(assigned: Iterable[TopicPartitions]) -> list[dict[str, Any]]:
    """Values of the type `PARTITIONS`."""
    return [{"topic": each.topic, "topicId": each.topic_id, "partitions": each.partitions} for each in assigned]


def _in_tasks(given: Iterable[Tasks]) -> list[dict[str, Any]]:
    return [{"role": each.role, "subtopologyId": each.subtopology_id, "partitions": each.partitions} for each in given]


def _tags(row: _OfGroup) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in row.each.client_tags.items()]


def _lag(row: _OfGroup) -> int | None:
    """The sum of the known lags; null if none is known."""
    lags = [offset.lag for offset in row.group.offsets if offset.lag is not None]
    return sum(lags) if lags and abs(sum(lags)) < 1 << 63 else None


def _known(partition: int) -> int | None:
    return None if partition < 0 else partition


_GROUP = (
    ("group", pa.string(), "group.group_id"),
    ("type", pa.string(), "group.type"),
    ("state", pa.string(), "group.state"),
    ("protocol", pa.string(), "group.protocol"),
)

_GROUPS = TableColumns(
    *_GROUP,
    ("protocolType", pa.string(), "group.protocol_type"),
    ("isSimpleConsumerGroup", pa.bool_(), "group.is_simple"),
    ("members", pa.int32(), lambda row: len(row.group.members)),
    ("offsets", pa.int32(), lambda row: len(row.group.offsets)),
    ("pendingOffsets", pa.int32(), lambda row: len(row.group.pending_offsets)),
    ("topics", _TEXTS, lambda row: sorted({each.topic for each in row.group.offsets if each.topic is not None})),
    ("lag", pa.int64(), _lag),
    ("subscribedTopics", _TEXTS, "group.subscribed_topics"),
    ("epoch", pa.int32(), "group.epoch"),
    ("assignmentEpoch", pa.int32(), "group.assignment_epoch"),
    ("topologyEpoch", pa.int32(), "group.topology_epoch"),
    ("leader", pa.string(), "group.leader"),
    ("stateTimestamp", TIME, "group.state_timestamp"),
    ("coordinatorPartition", pa.int32(), lambda row: _known(row.group.coordinator_partition)),
)
GROUPS = _GROUPS.schema
"""Columns of the table `groups`."""

_OFFSETS = TableColumns(
    *_GROUP,
    ("topic", pa.string(), "each.topic"),
    ("partition", pa.int32(), "each.partition"),
    ("offset", pa.int64(), "each.offset"),
    ("logEndOffset", pa.int64(), "each.log_end_offset"),
    ("lag", pa.int64(), "each.lag"),
    ("leaderEpoch", pa.int32(), "each.leader_epoch"),
    ("metadata", pa.string(), "each.metadata"),
    ("commitTimestamp", TIME, "each.commit_timestamp"),
    ("expireTimestamp", TIME, "each.expire_timestamp"),
    ("topicId", pa.string(), "each.topic_id"),
    ("coordinatorPartition", pa.int32(), lambda row: _known(row.each.coordinator_partition)),
    ("recordOffset", pa.int64(), "each.record_offset"),
)
OFFSETS = _OFFSETS.schema
"""Columns of the tables `offsets` and `pending_offsets`."""

_MEMBERS = TableColumns(
    *_GROUP,
    ("memberId", pa.string(), "each.member_id"),
    ("groupInstanceId", pa.string(), "each.group_instance_id"),
    ("clientId", pa.string(), "each.client_id"),
    ("host", pa.string(), "each.host"),
    ("rackId", pa.string(), "each.rack_id"),
    ("memberProtocol", pa.string(), "each.protocol"),
    ("memberEpoch", pa.int32(), "each.epoch"),
    ("previousMemberEpoch", pa.int32(), "each.previous_epoch"),
    ("memberState", pa.string(), "each.state"),
    ("isLeader", pa.bool_(), lambda row: None if row.group.leader is None else row.each.member_id == row.group.leader),
    ("subscribedTopics", _TEXTS, "each.subscribed_topics"),
    ("subscribedTopicRegex", pa.string(), "each.subscribed_regex"),
    ("matchedTopics", _TEXTS, "each.matched_topics"),
    ("serverAssignor", pa.string(), "each.server_assignor"),
    ("assignment", PARTITIONS, lambda row: in_partitions(row.each.assignment)),
    ("pendingRevocation", PARTITIONS, lambda row: in_partitions(row.each.pending_revocation)),
    ("targetAssignment", PARTITIONS, lambda row: in_partitions(row.each.target_assignment)),
    ("tasks", _TASKS, lambda row: _in_tasks(row.each.tasks)),
    ("tasksPendingRevocation", _TASKS, lambda row: _in_tasks(row.each.tasks_pending_revocation)),
    ("targetTasks", _TASKS, lambda row: _in_tasks(row.each.target_tasks)),
    ("ownedPartitions", PARTITIONS, lambda row: in_partitions(row.each.owned_partitions)),
    ("rebalanceTimeoutMs", pa.int32(), "each.rebalance_timeout_ms"),
    ("sessionTimeoutMs", pa.int32(), "each.session_timeout_ms"),
    ("userData", pa.binary(), "each.user_data"),
    ("rawSubscription", pa.binary(), "each.raw_subscription"),
    ("rawAssignment", pa.binary(), "each.raw_assignment"),
    ("processId", pa.string(), "each.process_id"),
    ("topologyEpoch", pa.int32(), "each.topology_epoch"),
    ("userEndpoint", pa.string(), "each.user_endpoint"),
    ("clientTags", _TAGS, _tags),
)
MEMBERS = _MEMBERS.schema
"""Columns of the table `members`."""

_TABLES = {"groups": _GROUPS, "offsets": _OFFSETS, "pending_offsets": _OFFSETS, "members": _MEMBERS}


@dataclass(frozen=True)
class Groups(TableAnswer):
    """Groups, sorted by id: tables `groups`, `offsets`, `pending_offsets` and `members`.

    Iterate over it, or look a group up by its id: `found["payments"]`.

    Attributes:
        groups: the groups.
        notes: sentences for the user: which replica was read, what is ignored, what an answer as of an earlier moment
            may miss.
        errors: what could not be decoded (corrupt, or of a newer version), and what is wrong with the logs and files of
            lags and topic names, each with file and position.
        damage: stretches of the internal topics' logs that were skipped, as in `Scan.damage`.
        skipped_replicas: partition directories of the internal topics that were left to a better replica.
    """

    groups: tuple[Group, ...]
    notes: tuple[str, ...]
    errors: "tuple[KafkafmtError, ...]"
    damage: "tuple[Damage, ...]"
    skipped_replicas: "tuple[Partition, ...]"

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __contains__(self, group_id: object) -> bool:
        return group_id in self._by_id

    def __getitem__(self, group_id: str) -> Group:
        return self._by_id[group_id]

    @property
    def findings(self) -> tuple[StateFinding, ...]:
        """The errors as findings."""
        return tuple(finding_of(error, None, None) for error in self.errors)

    @property
    def offsets(self) -> pa.Table:
        """The table `offsets`: one row a committed offset; columns `OFFSETS`."""
        return self.to_table("offsets")

    @property
    def pending_offsets(self) -> pa.Table:
        """The table `pending_offsets`: one row an offset committed in an open transaction; columns `OFFSETS`."""
        return self.to_table("pending_offsets")

    @property
    def members(self) -> pa.Table:
        """The table `members`: one row a member; columns `MEMBERS`."""
        return self.to_table("members")

    @classmethod
    def schemas(cls) -> Mapping[str, pa.Schema]:
        """Schema of each table by its name, the main table first."""
        return {name: columns.schema for name, columns in _TABLES.items()}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table."""
        parts = _PARTS[name]
        return (_TABLES[name].row(_OfGroup(group, each)) for group in self.groups for each in parts(group))

    @cached_property
    def _by_id(self) -> dict[str, Group]:
        return {group.group_id: group for group in self.groups}


_PARTS: dict[str, Callable[[Group], Sequence[Group | CommittedOffset | Member]]] = {
    "groups": lambda group: (group,),
    "offsets": lambda group: group.offsets,
    "pending_offsets": lambda group: group.pending_offsets,
    "members": lambda group: group.members,
}
