"""Groups: the answer of `kafkafmt.topics.groups`, its parts and tables. docs/groups.md describes the columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

from kafkafmt.answer_columns import TIME, Named, TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.findings import Finding, finding_of
from kafkafmt.libraries import pa
from kafkafmt.topics.answers import unless_unset
from kafkafmt.topics.history import HISTORY, LazyHistory, WithHistory

if TYPE_CHECKING:
    from kafkafmt.errors import KafkafmtError
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.consumer_groups.history import GroupHistory

GroupType: TypeAlias = Literal["Classic", "Consumer", "Share", "Streams"]
"""Types as in AdminClient's `GroupType`."""

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


PARTITIONS = "list<struct<topic: string, topicId: string, partitions: list<int32>>>"
_TASKS = "list<struct<role: string, subtopologyId: string, partitions: list<int32>>>"
_TAGS = "list<struct<key: string, value: string>>"
_TEXTS = "list<string>"


def in_partitions(assigned: Iterable[TopicPartitions]) -> list[dict[str, Any]]:
    """Convert to values of the type `PARTITIONS`."""
    return [{"topic": each.topic, "topicId": each.topic_id, "partitions": each.partitions} for each in assigned]


def _in_tasks(given: Iterable[Tasks]) -> list[dict[str, Any]]:
    return [{"role": each.role, "subtopologyId": each.subtopology_id, "partitions": each.partitions} for each in given]


def _in_tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in tags.items()]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group. Fields that its type of group does not store are None or empty.

    Attributes:
        member_id: assigned by the coordinator or the member.
        group_instance_id: id of a static member (KIP-345).
        client_id: client id.
        host: address as the broker saw it: `/192.0.2.1`.
        rack_id: rack of the client.
        protocol: "classic", "consumer", "share" or "streams": the protocol that it uses.
        epoch: member epoch; of a classic group the generation. -1: it left; -2: a static member that will rejoin.
        previous_epoch: previous member epoch.
        state: "STABLE", "UNREVOKED_PARTITIONS", ..: Kafka's `MemberState`; None in classic groups, or if it left.
        subscribed_topics: topics of its subscription, sorted.
        subscribed_regex: regular expression (RE2J) of further topics.
        matched_topics: topics that the coordinator matched with it, sorted.
        server_assignor: assignor that it requests from the coordinator.
        assignment: assigned partitions; of a consumer group with those it has yet to revoke, as AdminClient shows them.
        pending_revocation: the partitions that it has yet to revoke.
        target_assignment: partitions of its target assignment.
        tasks: assigned tasks of a streams member; the role is "active", "standby" or "warmup".
        tasks_pending_revocation: the tasks that it has yet to revoke.
        target_tasks: tasks of its target assignment.
        owned_partitions: partitions that it claimed to own when it joined a classic group.
        rebalance_timeout_ms: rebalance timeout, in ms.
        session_timeout_ms: session timeout of a classic member, in ms.
        user_data: user data of its assignor in the subscription.
        raw_subscription: stored bytes, of a classic member whose protocol is not "consumer".
        raw_assignment: stored bytes of its assignment, of such a member.
        process_id: process id of a streams instance.
        topology_epoch: epoch of the topology that a streams member runs.
        user_endpoint: `host:port` of a streams instance.
        client_tags: tags of a streams instance.
        generation: generation in which it owned `owned_partitions`; -1 if not stated.
        stored_subscription: stored bytes of a classic member's subscription, decoded or not.
        stored_assignment: stored bytes of its assignment.
    """

    member_id: Annotated[str, "string"]
    group_instance_id: Annotated[str | None, "string"] = None
    client_id: Annotated[str, "string"] = ""
    host: Annotated[str, "string"] = ""
    rack_id: Annotated[str | None, "string"] = None
    protocol: Annotated[str, Named("memberProtocol", "string")] = "classic"
    epoch: Annotated[int, Named("memberEpoch", "int32")] = 0
    previous_epoch: Annotated[int | None, Named("previousMemberEpoch", "int32")] = None
    state: Annotated[str | None, Named("memberState", "string")] = None
    subscribed_topics: Annotated[tuple[str, ...], _TEXTS] = ()
    subscribed_regex: Annotated[str | None, Named("subscribedTopicRegex", "string")] = None
    matched_topics: Annotated[tuple[str, ...], _TEXTS] = ()
    server_assignor: Annotated[str | None, "string"] = None
    assignment: Annotated[tuple[TopicPartitions, ...], PARTITIONS, in_partitions] = ()
    pending_revocation: Annotated[tuple[TopicPartitions, ...], PARTITIONS, in_partitions] = ()
    target_assignment: Annotated[tuple[TopicPartitions, ...], PARTITIONS, in_partitions] = ()
    tasks: Annotated[tuple[Tasks, ...], _TASKS, _in_tasks] = ()
    tasks_pending_revocation: Annotated[tuple[Tasks, ...], _TASKS, _in_tasks] = ()
    target_tasks: Annotated[tuple[Tasks, ...], _TASKS, _in_tasks] = ()
    owned_partitions: Annotated[tuple[TopicPartitions, ...], PARTITIONS, in_partitions] = ()
    rebalance_timeout_ms: Annotated[int | None, "int32"] = None
    session_timeout_ms: Annotated[int | None, "int32"] = None
    user_data: Annotated[bytes | None, "binary"] = None
    raw_subscription: Annotated[bytes | None, "binary"] = None
    raw_assignment: Annotated[bytes | None, "binary"] = None
    process_id: Annotated[str | None, "string"] = None
    topology_epoch: Annotated[int | None, "int32"] = None
    user_endpoint: Annotated[str | None, "string"] = None
    client_tags: Annotated[dict[str, str], _TAGS, _in_tags] = field(default_factory=dict)
    generation: int = -1
    stored_subscription: bytes = field(default=b"", repr=False, compare=False)
    stored_assignment: bytes = field(default=b"", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    """A committed offset; of a share group the start offset of a share partition.

    Attributes:
        group_id: id of the group.
        topic: name of the topic; None if only its id is known.
        partition: number of the partition.
        offset: next offset to read.
        log_end_offset: log end of the topic's partition on the same disks; None if it is missing, or belongs to
            another topic with that name. It is the log end offset after the broker restarts.
        lag: log end offset minus offset; of a share group minus the records delivered after the start offset. Negative
            if the offset is beyond the end.
        leader_epoch: leader epoch of the last record read before it; None for none.
        metadata: text of the client.
        commit_timestamp: when it was committed, in ms since the epoch; of a share group the time of the last snapshot.
        expire_timestamp: when it expires, in ms since the epoch; None unless the client requested a retention.
        topic_id: topic id, 22 characters; None for none, as before Kafka 4.
        coordinator_partition: partition of the internal topic with the commit: of `__consumer_offsets`, or of
            `__share_group_state`.
        record_offset: offset of the commit in it.
    """

    group_id: str
    topic: Annotated[str | None, "string"]
    partition: Annotated[int, "int32"]
    offset: Annotated[int, "int64"]
    log_end_offset: Annotated[int | None, "int64"]
    lag: Annotated[int | None, "int64"]
    leader_epoch: Annotated[int | None, "int32"]
    metadata: Annotated[str | None, "string"]
    commit_timestamp: Annotated[int | None, TIME]
    expire_timestamp: Annotated[int | None, TIME]
    topic_id: Annotated[str | None, "string"]
    coordinator_partition: Annotated[int, "int32", unless_unset]
    record_offset: Annotated[int, "int64"]


@dataclass(frozen=True, slots=True)
class Group:
    """A group as its coordinator has it after loading its partition of `__consumer_offsets`.

    Attributes:
        group_id: id of the group.
        type: "Classic", "Consumer", "Share" or "Streams".
        state: "Empty", "Stable", "Assigning", "Reconciling" or "NotReady"; None if a record of the group could not be
            decoded, see `Groups.errors`.
        protocol: the assignor: AdminClient's `partitionAssignor`, "" in a classic group without members. In
            consumer and share groups the one that members request, else the broker's default ("uniform", "simple");
            None in streams groups.
        protocol_type: "consumer", "connect", ..; "" of a group that only stores offsets; "share", "streams".
        is_simple: whether it is what AdminClient calls a simple consumer group: offsets without members.
        members: members, in a classic group in the order of its record, else by id. The column has their number.
        offsets: committed offsets, sorted by topic and partition. The column has their number.
        pending_offsets: offsets committed in open transactions, which are not in effect; sorted by topic and partition.
            The column has their number.
        subscribed_topics: topics of all members, sorted, with those that match their regular expressions; of a streams
            group the source topics of its topology.
        epoch: group epoch; of a classic group the generation; None without a record that has it.
        assignment_epoch: epoch of the target assignment; None for a classic group, or without a record that has it.
        topology_epoch: epoch of a streams group's topology; None without one.
        leader: id of the member that assigns, of a classic group.
        state_timestamp: a classic group's last change of state, in ms since the epoch; None before Kafka 2.1.
        coordinator_partition: partition of `__consumer_offsets` with the group.
    """

    group_id: Annotated[str, Named("group", "string")]
    type: Annotated[GroupType, "string"]
    state: Annotated[GroupState | None, "string"]
    protocol: Annotated[str | None, "string"]
    protocol_type: Annotated[str, "string"] = ""
    is_simple: Annotated[bool, Named("isSimpleConsumerGroup", "bool")] = False
    members: Annotated[tuple[Member, ...], "int32", len] = ()
    offsets: Annotated[tuple[CommittedOffset, ...], "int32", len] = ()
    pending_offsets: Annotated[tuple[CommittedOffset, ...], "int32", len] = ()
    subscribed_topics: Annotated[tuple[str, ...], _TEXTS] = ()
    epoch: Annotated[int | None, "int32"] = None
    assignment_epoch: Annotated[int | None, "int32"] = None
    topology_epoch: Annotated[int | None, "int32"] = None
    leader: Annotated[str | None, "string"] = None
    state_timestamp: Annotated[int | None, TIME] = None
    coordinator_partition: Annotated[int, "int32", unless_unset] = -1


class _OfGroup(NamedTuple):
    """A group with one of its members or offsets."""

    group: Group
    each: Any


def _topics(row: _OfGroup) -> list[str]:
    """Topics with committed offsets, sorted."""
    return sorted({each.topic for each in row.group.offsets if each.topic is not None})


def _lag(row: _OfGroup) -> int | None:
    """The sum of the known lags; None if none is known."""
    lags = [offset.lag for offset in row.group.offsets if offset.lag is not None]
    return sum(lags) if lags and abs(sum(lags)) < 1 << 63 else None


def _is_leader(row: _OfGroup) -> bool | None:
    """Whether it is the leader of a classic group; None in other groups."""
    return None if row.group.leader is None else row.each.member_id == row.group.leader


_GROUP = tuple(columns_of(Group, "group", to="protocol"))
_GROUPS = TableColumns(
    *columns_of(Group, "group", to="pending_offsets"),
    ("topics", _TEXTS, _topics),
    ("lag", "int64", _lag),
    *columns_of(Group, "group", after="pending_offsets"),
)
GROUPS = _GROUPS.schema
"""Columns of the table `groups`."""

_OFFSETS = TableColumns(*_GROUP, *columns_of(CommittedOffset, "each"))
OFFSETS = _OFFSETS.schema
"""Columns of the tables `offsets` and `pending_offsets`."""

_MEMBERS = TableColumns(
    *_GROUP,
    *columns_of(Member, "each", to="state"),
    ("isLeader", "bool", _is_leader),
    *columns_of(Member, "each", after="state"),
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
    """Why no coordinator of Kafka 4.x loads a partition, whose groups are unavailable until it is repaired.

    Attributes:
        offset: offset of the record.
        error: the record's fault, with file and position.
    """

    offset: int
    error: "KafkafmtError"


@dataclass(frozen=True, repr=False)
class Groups(WithHistory["GroupHistory"]):
    """Groups, sorted by id, with the tables `groups`, `offsets`, `pending_offsets`, `members` and `history`.

    Iterate over it, or look up a group by its id: `found["payments"]`.

    Attributes:
        groups: the groups.
        notes: notes for the user: which replica was read, what is ignored, what an answer as of an earlier moment may
            lack.
        errors: records that could not be decoded (corrupt, or of a newer version), and faults of the logs and files
            that lags and topic names come from, each with file and position.
        damage: ranges of the internal topics' logs that were skipped, as in `Scan.damage`.
        skipped_replicas: partition directories of the internal topics that were skipped in favour of a better replica.
        load_failures: the errors for which no coordinator loads a partition of `__consumer_offsets`.
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
    def findings(self) -> tuple[Finding, ...]:
        """The errors as findings."""
        return tuple(finding_of(error) for error in self.errors)

    @property
    def offsets(self) -> "pa.Table":
        """The table `offsets`: one row per committed offset, with the columns `OFFSETS`."""
        return self.to_table("offsets")

    @property
    def pending_offsets(self) -> "pa.Table":
        """The table `pending_offsets`: one row per offset committed in an open transaction, with columns `OFFSETS`."""
        return self.to_table("pending_offsets")

    @property
    def members(self) -> "pa.Table":
        """The table `members`: one row per member, with the columns `MEMBERS`."""
        return self.to_table("members")

    @classmethod
    def schemas(cls) -> "Mapping[str, pa.Schema]":
        """Schema of each table, by its name; the main table comes first."""
        from kafkafmt.topics.consumer_groups.history import GROUP_HISTORY  # noqa: PLC0415 - it builds on this module

        return {**{name: columns.schema for name, (columns, _) in _TABLES.items()}, HISTORY: GROUP_HISTORY.schema}

    def rows(self, name: str) -> Iterator[Sequence[Any]]:
        """Rows of a table."""
        if name == HISTORY:
            return self.history_answer.rows()
        columns, parts = _TABLES[name]
        return (columns.row(_OfGroup(group, each)) for group in self.groups for each in parts(group))

    @cached_property
    def _by_id(self) -> dict[str, Group]:
        return {group.group_id: group for group in self.groups}
