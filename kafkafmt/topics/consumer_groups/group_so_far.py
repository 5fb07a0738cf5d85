"""GroupSoFar: the state of a group after the records read so far; GroupEvent: a row of the table `history`."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple

from kafkafmt.answer_columns import TIME
from kafkafmt.libraries import pa
from kafkafmt.topics.consumer_groups.answer import Member, TopicPartitions
from kafkafmt.topics.consumer_groups.describing import group_state
from kafkafmt.topics.consumer_groups.loading import CLASSIC, SHARE, STREAMS
from kafkafmt.topics.decoding import RECORD
from kafkafmt.topics.internal_record import InternalRecord

GroupEventName = Literal["commit", "tombstone", "metadata", "member joined", "member left", "deleted"]

UNKNOWN_END: Final = "expired or deleted: the log does not say which"
"""Detail of the tombstone of an offset or group."""

NO_EPOCH: Final = -1
"""Epoch of a missing target assignment."""

_ASSIGNMENT = pa.list_(
    pa.struct(
        [
            ("memberId", pa.string()),
            ("topic", pa.string()),
            ("topicId", pa.string()),
            ("partitions", pa.list_(pa.int32())),
        ]
    )
)


class GroupEvent(NamedTuple):
    """An event of a group, with the columns of the table `history`.

    Attributes:
        timestamp: timestamp of the record, in ms since the epoch; None before Kafka 0.10, unless a commit has its own.
        group: id of the group.
        event: "commit", "tombstone", "metadata", "member joined", "member left" or "deleted".
        topic: topic of an offset; None if only its id is known, and for all else.
        partition: number of the partition of an offset; None for all else.
        offset: the committed offset; None for a tombstone.
        previous_offset: the offset that was in effect before, as far as the log has it.
        generation: generation of a classic group, epoch of another, after the record; None if unknown.
        members: number of members after the record; None if unknown.
        record_offset: offset of the record.
        coordinator_partition: partition of the internal topic with the record.
        state: state of the group after the record, as a broker that loads it then derives it; None if unknown.
        detail: what changed, in words.
        transaction: how the transaction of a commit ended: "committed", "aborted" (so that it never took effect), or
            "open"; None without a transaction.
        member_id: the member that joined or left, or that the record is about.
        client_id: its client id.
        host: its address as the broker saw it.
        protocol: assignor of a classic group.
        leader: member id of a classic group's leader.
        assignment: member ids with the partitions that the record gives them.
        kind: kind of the record by Kafka's name: "OffsetCommit", "GroupMetadata", ..
    """

    timestamp: Annotated[int | None, TIME]
    group: Annotated[str, "string"]
    event: Annotated[GroupEventName, "string"]
    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    offset: Annotated[int | None, "int64"]
    previous_offset: Annotated[int | None, "int64"]
    generation: Annotated[int | None, "int32"]
    members: Annotated[int | None, "int32"]
    record_offset: Annotated[int, "int64"]
    coordinator_partition: Annotated[int, "int32"]
    state: Annotated[str | None, "string"]
    detail: Annotated[str | None, "string"]
    transaction: Annotated[str | None, "string"]
    member_id: Annotated[str | None, "string"]
    client_id: Annotated[str | None, "string"]
    host: Annotated[str | None, "string"]
    protocol: Annotated[str | None, "string"]
    leader: Annotated[str | None, "string"]
    assignment: Annotated[list[dict[str, Any]] | None, _ASSIGNMENT]
    kind: Annotated[str, "string"]


class CommitSoFar(NamedTuple):
    """A committed offset, and the offset of its record."""

    offset: int
    record_offset: int


@dataclass(slots=True)
class GroupSoFar:
    """A group after the records read so far.

    Attributes:
        family: type of group by its last record; None if there are only offsets.
        generation: generation of a classic group, epoch of another.
        assignment_epoch: epoch of the target assignment.
        topology_epoch: epoch of a streams group's topology.
        validated_epoch: epoch of the topology that the coordinator has validated.
        protocol_type: protocol type of a classic group.
        protocol: protocol of a classic group.
        leader: member id of a classic group's leader.
        members: members by id.
        assigned: assigned partitions by member id.
        commits: offsets in effect, by topic and partition.
    """

    family: str | None = None
    generation: int | None = None
    assignment_epoch: int = NO_EPOCH
    topology_epoch: int | None = None
    validated_epoch: int | None = None
    protocol_type: str = ""
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    assigned: dict[str, tuple[TopicPartitions, ...]] = field(default_factory=dict)
    commits: dict[tuple[str, int], CommitSoFar] = field(default_factory=dict)
    _state: str | None = None

    @property
    def member_count(self) -> int | None:
        """Number of members; None if no record so far has members."""
        return None if self.family is None else len(self.members)

    @property
    def state(self) -> str | None:
        """State after the records so far; None if there are only offsets."""
        if self._state is None and self.family is not None:
            self._state = self._derived()
        return self._state

    def forget(self) -> None:
        """Forget the group, which was removed; its offsets have their own tombstones."""
        fresh = GroupSoFar(commits=self.commits)
        for name in GroupSoFar.__slots__:
            setattr(self, name, getattr(fresh, name))

    def changed(self) -> None:
        """Forget the state, which is derived again when needed."""
        self._state = None

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        return RECORD * (1 + len(self.members) + len(self.assigned)) + RECORD // 2 * len(self.commits)

    def _derived(self) -> str:
        if not self.members:
            return "Empty"
        if self.family in (CLASSIC, SHARE):
            return "Stable"
        if self.family == STREAMS and (self.topology_epoch is None or self.topology_epoch != self.validated_epoch):
            return "NotReady"
        return group_state(self.members.values(), self.generation or 0, self.assignment_epoch)


@dataclass(frozen=True, slots=True)
class RecordOfGroup:
    """Makes events from one record.

    Attributes:
        group_id: id of the group.
        record: the record.
        kind: kind of the record.
        group: the group, which becomes its state after the record while events are made.
    """

    group_id: str
    record: InternalRecord
    kind: str
    group: GroupSoFar

    def event(
        self,
        event: GroupEventName,
        detail: str | None,
        *,
        place: tuple[str | None, int | None] = (None, None),
        offset: int | None = None,
        previous: int | None = None,
        transaction: str | None = None,
        member: Member | None = None,
    ) -> GroupEvent:
        """Make an event of an offset, a member, or the group itself, with the group's present state."""
        group, record = self.group, self.record
        return GroupEvent(
            record.timestamp if record.timestamp >= 0 else None,
            self.group_id,
            event,
            *place,
            offset,
            previous,
            group.generation,
            group.member_count,
            record.offset,
            record.partition,
            group.state,
            detail,
            transaction,
            None if member is None else member.member_id,
            None if member is None else member.client_id or None,
            None if member is None else member.host or None,
            group.protocol,
            group.leader,
            None,
            self.kind,
        )
