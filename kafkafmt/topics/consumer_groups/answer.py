"""Groups: the answer of `kafkafmt.topics.groups`, its parts and its tables. docs/groups.md describes their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import pyarrow as pa

from kafkafmt.topics.answers import TIME, StateFinding, TableColumns, finding_of, unless_unset
from kafkafmt.topics.history import HISTORY, LazyHistory, WithHistory

if TYPE_CHECKING:
    from kafkafmt.errors import KafkafmtError
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.consumer_groups.history import GroupHistory

GroupType: TypeAlias = Literal["Classic", "Consumer", "Share", "Streams"]
"""As in AdminClient's `GroupType`."""

GroupState: TypeAlias = Literal["Empty", "NotReady", "Assigning", "Reconciling", "Stable"]
"""States of AdminClient's `GroupState` that a group can have once its coordinator has loaded it."""


@dataclass(frozen=True, slots=True, order=True)
class TopicPartitions:
    """Partitions of one topic that are assigned to a member.

    Attributes:
        topic: name of the topic; None if only its id is stored, and no disk has the name.
        partitions: numbers, ascending.
        topic_id: topic id, 22 characters; None if only the name is stored.
    """

    topic: str | None
    partitions: tuple[int, ...]
    topic_id: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Tasks:
    """Tasks of one subtopology that are assigned to a streams member.

    Attributes:
        role: "active", "standby" or "warmup".
        subtopology_id: id of the subtopology.
        partitions: numbers of the tasks, ascending.
    """

    role: str
    subtopology_id: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group. What its type of group does not store is None or empty.

    Attributes:
        member_id: assigned by the coordinator or the member.
        client_id: client id.
        host: address as the broker saw it: `/192.0.2.1`.
        group_instance_id: id of a static member (KIP-345).
        rack_id: rack of the client.
        protocol: "classic", "consumer", "share" or "streams": the protocol that it uses.
        epoch: member epoch; of a classic group the generation. -1: it left; -2: a static member that will rejoin.
        previous_epoch: previous member epoch.
        state: "STABLE", "UNREVOKED_PARTITIONS", ..: Kafka's `MemberState`; None in classic groups, or if it left.
        rebalance_timeout_ms: rebalance timeout.
        session_timeout_ms: session timeout of a classic member.
        subscribed_topics: names, sorted.
        subscribed_regex: regular expression (RE2J) of further topics.
        matched_topics: topics that the coordinator matched with it, sorted.
        server_assignor: assignor that it requests from the coordinator.
        assignment: assigned partitions; of a consumer group with those it has yet to revoke, as AdminClient shows them.
        pending_revocation: the partitions that it has yet to revoke.
        target_assignment: partitions of its target assignment.
        tasks: assigned tasks of a streams member.
        tasks_pending_revocation: those of them that it has yet to revoke.
        target_tasks: tasks of its target assignment.
        owned_partitions: partitions that it claimed to own when it joined a classic group.
        generation: generation in which it owned them; -1 if not stated.
        user_data: user data of its assignor in the subscription.
        raw_subscription: stored bytes, of a classic member whose protocol is not "consumer".
        raw_assignment: stored bytes of its assignment, of such a member.
        process_id: process id of a streams instance.
        topology_epoch: epoch of the topology that a streams member runs.
        user_endpoint: `host:port` of a streams instance.
        client_tags: tags of a streams instance.
    """

    member_id: str
    client_id: str = ""
    host: str = ""
    group_instance_id: str | None = None
    rack_id: str | None = None
    protocol: str = "classic"
    epoch: int = 0
    previous_epoch: int | None = None
    state: str | None = None
    rebalance_timeout_ms: int | None = None
    session_timeout_ms: int | None = None
    subscribed_topics: tuple[str, ...] = ()
    subscribed_regex: str | None = None
    matched_topics: tuple[str, ...] = ()
    server_assignor: str | None = None
    assignment: tuple[TopicPartitions, ...] = ()
    pending_revocation: tuple[TopicPartitions, ...] = ()
    target_assignment: tuple[TopicPartitions, ...] = ()
    tasks: tuple[Tasks, ...] = ()
    tasks_pending_revocation: tuple[Tasks, ...] = ()
    target_tasks: tuple[Tasks, ...] = ()
    owned_partitions: tuple[TopicPartitions, ...] = ()
    generation: int = -1
    user_data: bytes | None = None
    raw_subscription: bytes | None = None
    raw_assignment: bytes | None = None
    process_id: str | None = None
    topology_epoch: int | None = None
    user_endpoint: str | None = None
    client_tags: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    """A committed offset; of a share group the start offset of a share partition.

    Attributes:
        group_id: id of the group.
        topic: name of the topic; None if only its id is known.
        partition: number of the partition.
        offset: next offset to read.
        leader_epoch: leader epoch of the last record read before it; None for none.
        metadata: text of the client.
        commit_timestamp: ms since the epoch.
        expire_timestamp: ms since the epoch; None unless the client requested a retention of its own.
        topic_id: topic id, 22 characters; None for none.
        log_end_offset: log end of the topic's partition on the same disks; None if it is not there, or of another topic
            with that name. It is what a consumer sees as the end once the broker runs again.
        lag: log end offset minus offset; of a share group minus the records delivered after the start offset.
        coordinator_partition: partition of the internal topic with the commit.
        record_offset: offset of the commit in it.
    """

    group_id: str
    topic: str | None
    partition: int
    offset: int
    leader_epoch: int | None
    metadata: str | None
    commit_timestamp: int | None
    expire_timestamp: int | None
    topic_id: str | None
    log_end_offset: int | None
    lag: int | None
    coordinator_partition: int
    record_offset: int


@dataclass(frozen=True, slots=True)
class Group:
    """A group as its coordinator has it after loading its partition of `__consumer_offsets`.

    Attributes:
        group_id: id of the group.
        type: type of the group.
        state: see `GroupState`; None if a record of the group could not be decoded, see `Groups.errors`.
        protocol: the assignor: AdminClient's `partitionAssignor`, "" of a classic group without members. Of consumer
            and share groups what members request, else the broker's default ("uniform", "simple"). None of streams.
        protocol_type: "consumer", "connect", ..; "" of a group that only stores offsets; "share", "streams".
        epoch: group epoch; of a classic group the generation; None without a record that has it.
        assignment_epoch: epoch of the target assignment; None of a classic group, or without a record that has it.
        leader: id of the member that assigns, of a classic group.
        state_timestamp: ms since the epoch, of a classic group's last change of state; None if not stored.
        is_simple: whether it is what AdminClient calls a simple consumer group: offsets without members.
        topology_epoch: epoch of a streams group's topology; None without one.
        subscribed_topics: topics of all members, sorted, with those that match their regular expressions; of a streams
            group the source topics of its topology.
        members: of a classic group in the order of its record, else by id.
        offsets: committed offsets, sorted by topic and partition.
        pending_offsets: offsets committed in open transactions, which are not in effect; sorted by topic and partition.
        coordinator_partition: partition of `__consumer_offsets` with the group.
    """

    group_id: str
    type: GroupType
    state: GroupState | None
    protocol: str | None
    protocol_type: str = ""
    epoch: int | None = None
    assignment_epoch: int | None = None
    leader: str | None = None
    state_timestamp: int | None = None
    is_simple: bool = False
    topology_epoch: int | None = None
    subscribed_topics: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    offsets: tuple[CommittedOffset, ...] = ()
    pending_offsets: tuple[CommittedOffset, ...] = ()
    coordinator_partition: int = -1


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
    ("coordinatorPartition", pa.int32(), lambda row: unless_unset(row.group.coordinator_partition)),
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
    ("coordinatorPartition", pa.int32(), lambda row: unless_unset(row.each.coordinator_partition)),
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

_TABLES: dict[str, tuple[TableColumns, Callable[[Group], Sequence[Group | CommittedOffset | Member]]]] = {
    "groups": (_GROUPS, lambda group: (group,)),
    "offsets": (_OFFSETS, lambda group: group.offsets),
    "pending_offsets": (_OFFSETS, lambda group: group.pending_offsets),
    "members": (_MEMBERS, lambda group: group.members),
}


class LoadFailure(NamedTuple):
    """Why no coordinator of Kafka 4.x loads a partition: whatever it holds is gone until that is mended.

    Attributes:
        offset: offset of the record.
        error: what is wrong with it, with file and position.
    """

    offset: int
    error: "KafkafmtError"


@dataclass(frozen=True, repr=False)
class Groups(WithHistory["GroupHistory"]):
    """Groups, sorted by id: tables `groups`, `offsets`, `pending_offsets`, `members` and `history`.

    Iterate over it, or look a group up by its id: `found["payments"]`.

    Attributes:
        groups: the groups.
        notes: sentences for the user: which replica was read, what is ignored, what an answer as of an earlier moment
            may miss.
        errors: what could not be decoded (corrupt, or of a newer version), and what is wrong with the logs and files of
            lags and topic names, each with file and position.
        damage: stretches of the internal topics' logs that were skipped, as in `Scan.damage`.
        skipped_replicas: partition directories of the internal topics that were left to a better replica.
        load_failures: those of the errors for which no coordinator loads a partition of `__consumer_offsets`.
    """

    groups: tuple[Group, ...]
    notes: tuple[str, ...]
    errors: "tuple[KafkafmtError, ...]"
    damage: "tuple[Damage, ...]"
    skipped_replicas: "tuple[Partition, ...]"
    _history: "LazyHistory[GroupHistory]" = field(repr=False, compare=False)
    load_failures: tuple[LoadFailure, ...] = ()

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
        from kafkafmt.topics.consumer_groups.history import GROUP_HISTORY  # noqa: PLC0415 - it builds on this module

        return {**{name: columns.schema for name, (columns, _) in _TABLES.items()}, HISTORY: GROUP_HISTORY}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table."""
        if name == HISTORY:
            return self.history_answer.rows()
        columns, parts = _TABLES[name]
        return (columns.row(_OfGroup(group, each)) for group in self.groups for each in parts(group))

    @cached_property
    def _by_id(self) -> dict[str, Group]:
        return {group.group_id: group for group in self.groups}
