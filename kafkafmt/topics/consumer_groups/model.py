"""A group: its type and state, its members, and its committed offsets."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

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
        raw_assignment: stored bytes, likewise.
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
        pending_offsets: offsets committed in open transactions, which are not in effect; sorted likewise.
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
