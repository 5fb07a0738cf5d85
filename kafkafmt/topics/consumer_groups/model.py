"""What a group is: its kind and state, its members, and the offsets that it committed."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

GroupType: TypeAlias = Literal["Classic", "Consumer", "Share", "Streams"]
"""As AdminClient's `GroupType` spells them."""

GroupState: TypeAlias = Literal["Empty", "NotReady", "Assigning", "Reconciling", "Stable"]
"""As AdminClient's `GroupState` spells them: those that a coordinator can be in once it has loaded its partition."""


@dataclass(frozen=True, slots=True, order=True)
class TopicPartitions:
    """Partitions of one topic that a member was given.

    Attributes:
        topic: its name; None where only the id is stored, and nothing at hand names it.
        partitions: numbers, ascending.
        topic_id: 22 characters; None where only the name is stored.
    """

    topic: str | None
    partitions: tuple[int, ...]
    topic_id: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Tasks:
    """Tasks of one subtopology that a streams member was given.

    Attributes:
        role: "active", "standby" or "warmup".
        subtopology_id: of the topology.
        partitions: numbers of the tasks, ascending.
    """

    role: str
    subtopology_id: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a group. What its kind of group does not store is None or empty.

    Attributes:
        member_id: given by the coordinator or the member.
        client_id: of the client.
        host: as the broker saw it: `/192.0.2.1`.
        group_instance_id: of a static member (KIP-345).
        rack_id: of the client.
        protocol: "classic", "consumer", "share" or "streams": by which it takes part.
        epoch: of the member; of a classic group the generation. -1: it left; -2: a static one that will be back.
        previous_epoch: the epoch before.
        state: "STABLE", "UNREVOKED_PARTITIONS", ..: Kafka's `MemberState`; None in classic groups, or of one that left.
        rebalance_timeout_ms: of the member.
        session_timeout_ms: of a classic one.
        subscribed_topics: names, sorted.
        subscribed_regex: a regular expression (RE2J) that names topics too.
        matched_topics: those that the coordinator found it to match, sorted.
        server_assignor: which assignor it asks the coordinator for.
        assignment: what it has been given; of a consumer group with what it has still to give back, as AdminClient
            tells it.
        pending_revocation: that part.
        target_assignment: what it is to have in the end.
        tasks: of a streams group, what it has.
        tasks_pending_revocation: of these, what it has still to give back.
        target_tasks: of a streams group, what it is to have in the end.
        owned_partitions: what it said it had when it joined a classic group.
        generation: of the generation in which it had them; -1 where it said none.
        user_data: what the member's assignor said beside its subscription.
        raw_subscription: of a classic group's member whose protocol is not the consumers' own, as stored.
        raw_assignment: likewise.
        process_id: of a streams instance.
        topology_epoch: of the topology that a streams member runs.
        user_endpoint: `host:port` of a streams instance.
        client_tags: of a streams instance.
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
    """An offset that a group committed; of a share group the start offset of a share partition.

    Attributes:
        group_id: of the group.
        topic: name of the topic.
        partition: of the topic.
        offset: the next offset to be read.
        leader_epoch: of the last record read before it; None where none was stored.
        metadata: text of the client's own.
        commit_timestamp: ms since the epoch.
        expire_timestamp: ms since the epoch; None where the client asked for no retention of its own.
        topic_id: 22 characters; None where none was stored.
        log_end_offset: of the topic's partition on the same disks; None where it is not there, or another topic of
            that name is. What a consumer would see as the end once the broker runs again.
        lag: log end offset minus offset; of a share group less what was delivered beyond the start offset.
        coordinator_partition: of the internal topic that holds the commit.
        record_offset: of the commit itself.
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
    """A group as its coordinator knows it once it has loaded its partition of `__consumer_offsets`.

    Attributes:
        group_id: its name.
        type: kind of group.
        state: see `GroupState`; None where a record of the group could not be decoded, see `Groups.errors`.
        protocol: the assignor: AdminClient's `partitionAssignor`, "" of a classic group without members. Of consumer
            and share groups what members ask for, else the broker's default ("uniform", "simple"). None of streams.
        protocol_type: "consumer", "connect", ..; "" of a group that only stores offsets; "share", "streams".
        epoch: of the group; of a classic one the generation; None without a record that tells it.
        assignment_epoch: of the target assignment; None of a classic group, or without a record that tells it.
        leader: the member that assigns, of a classic group.
        state_timestamp: ms since the epoch, of a classic group's last change of state; None where none was stored.
        is_simple: whether it is what AdminClient calls a simple consumer group: offsets without members.
        topology_epoch: of a streams group's topology; None without one.
        subscribed_topics: of all members, sorted, with those that matched their regular expressions; of a streams group
            the source topics of its topology.
        members: of a classic group in the order of its record, else by id.
        offsets: sorted by topic and partition.
        pending_offsets: likewise, committed in transactions that have not ended: they do not count.
        coordinator_partition: partition of `__consumer_offsets` in which it was found.
    """

    group_id: str
    type: GroupType
    state: GroupState | None
    protocol: str | None
    protocol_type: str
    epoch: int | None
    assignment_epoch: int | None
    leader: str | None
    state_timestamp: int | None
    is_simple: bool
    topology_epoch: int | None
    subscribed_topics: tuple[str, ...]
    members: tuple[Member, ...]
    offsets: tuple[CommittedOffset, ...]
    pending_offsets: tuple[CommittedOffset, ...]
    coordinator_partition: int
