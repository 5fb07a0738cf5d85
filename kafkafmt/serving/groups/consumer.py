"""ConsumerGroup: a group of KIP-848, whose partitions this coordinator assigns (ConsumerGroupHeartbeat).

Source: `GroupMetadataManager.consumerGroupHeartbeat` and `CurrentAssignmentBuilder` of Kafka 4.4. Each change of
members, subscriptions or partitions makes a new target assignment. A member reconciles with it: it first gives up
partitions, then gets those that no other member owns.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID, uuid4

from kafkafmt.errors import KafkafmtError
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.serving.groups.bounds import (
    LONGEST_SESSION_MS,
    MOST_MEMBERS,
    OBJECT_BYTES,
    Clock,
    GroupError,
    Room,
    TopicPartition,
)
from kafkafmt.serving.groups.consumer_member import (
    SESSION_MS,
    AssignedPartition,
    Beat,
    Beaten,
    ConsumerMember,
    Partitions,
)
from kafkafmt.serving.groups.timers import Timers
from kafkafmt.topics.assignment import COORDINATOR_ASSIGNORS, Subscriber, assign_by_coordinator

HEARTBEAT_MS: Final = 1000
"""Milliseconds between heartbeats; `group.consumer.heartbeat.interval.ms` of a broker is 5000."""

ASSIGNORS: Final = COORDINATOR_ASSIGNORS
"""Names of the assignors that a member may prefer."""

LEAVES, LEAVES_FOR_A_WHILE = -1, -2
"""Member epochs by which a member leaves; by the second one a static member leaves for a while."""

_SESSION, _REVOCATION, _ASSIGNMENT = "session", "revocation", "assignment"

_PARTITION_BYTES = 500
"""Estimated memory of a partition in the assignments of a group, in bytes."""
_MEMBER_WORK, _LITTLE_WORK, _WORK_A_MILLISECOND = 10, 5000, 40
"""Assignments that cost more than a little work, in subscriptions and partitions, take at most a tenth of the time."""


@dataclass(slots=True)
class ConsumerGroup:
    """A group of KIP-848.

    Attributes:
        group_id: id of the group.
        epoch: epoch of the target assignment; continues from that of the same group on the disk.
        clock: measures the timeouts.
        room: bounds the group's memory.
        emptied: called with the group's id when the last member is gone.
        partitions_of: gives the partition numbers of a topic, in order.
        topic_id: gives the id of a topic; a topic that was deleted and created again has another one.
        members: members by id.
        targets: target assignments by member id.
    """

    group_id: str
    epoch: int
    clock: Clock
    room: Room
    emptied: Callable[[str], None]
    partitions_of: Callable[[str], Sequence[int]]
    topic_id: Callable[[str], UUID]
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    targets: dict[str, Partitions] = field(default_factory=dict)
    _static: dict[str, str] = field(default_factory=dict)
    _owners: dict[AssignedPartition, str] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _ids: dict[str, UUID] = field(default_factory=dict)
    _timers: Timers = field(init=False)
    _charged: dict[str, int] = field(default_factory=dict)
    _is_changed: bool = False

    kind = "consumer"

    def __post_init__(self) -> None:
        self._timers = Timers(self.clock)

    @property
    def state(self) -> str:
        """The state of the group: Empty, Stable or Reconciling."""
        if not self.members:
            return "Empty"
        return "Stable" if all(map(self._is_reconciled, self.members.values())) else "Reconciling"

    @property
    def is_empty(self) -> bool:
        """Whether the group has no members."""
        return not self.members

    @property
    def assignor(self) -> str:
        """The assignor that most members prefer; "uniform" if none prefers any."""
        wanted = [member.assignor for member in self.members.values() if member.assignor]
        return max(ASSIGNORS, key=wanted.count)

    def close(self) -> None:
        """End the group, because another one replaces it."""
        self._timers.close()

    def heartbeat(self, beat: Beat) -> Beaten:
        """Answer a heartbeat.

        Raises:
            GroupError: the member may not join, or has to join again.
        """
        if beat.epoch < 0:
            return self._leave(beat)
        try:
            member = self._member(beat)
        except GroupError:
            if not self.members:
                self.emptied(self.group_id)
            raise
        was = member.assigned
        if self._take(member, beat) or self._have_partitions_changed():
            self._reassign_soon()
        self._reconcile(member, beat.owned)
        self._timers.after(SESSION_MS, (_SESSION, member.member_id), lambda: self._fence(member))
        is_told = beat.is_full or member.assigned != was
        return Beaten(member.member_id, member.epoch, member.assigned if is_told else None)

    def _member(self, beat: Beat) -> ConsumerMember:
        """The member of a heartbeat; with epoch 0 a new one, or one that replaces a static member."""
        if beat.epoch:
            member = self._sender(beat)
            self._check_epoch(member, beat)
            return member
        member_id = beat.member_id or str(uuid4())
        existing = member_id if beat.instance_id is None else self._static.get(beat.instance_id, member_id)
        if existing != member_id:
            return self._replace(beat, self.members[existing], member_id)
        if member_id in self.members:
            return self.members[member_id]
        if len(self.members) >= MOST_MEMBERS:
            raise GroupError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The consumer group has reached its maximum capacity of {MOST_MEMBERS} members.",
            )
        return self._add(ConsumerMember(member_id, beat.instance_id))

    def _sender(self, beat: Beat) -> ConsumerMember:
        """The member that sent a heartbeat, unless another one has replaced it."""
        if beat.instance_id is not None:
            known = self._static.get(beat.instance_id)
            if known is None:
                raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {beat.instance_id} is unknown.")
            if known != beat.member_id:
                raise GroupError(
                    ErrorCode.FENCED_INSTANCE_ID,
                    f"Static member {beat.member_id} with instance id {beat.instance_id} was fenced by member {known}.",
                )
        return self._known(beat.member_id)

    def _add(self, member: ConsumerMember) -> ConsumerMember:
        self.room.take(OBJECT_BYTES)
        member.held = OBJECT_BYTES
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self._static[member.instance_id] = member.member_id
        return member

    def _replace(self, beat: Beat, old: ConsumerMember, member_id: str) -> ConsumerMember:
        """Replace a static member that has left for a while and joins again with another id."""
        if old.epoch != LEAVES_FOR_A_WHILE:
            raise GroupError(
                ErrorCode.UNRELEASED_INSTANCE_ID,
                f"Static member {member_id} with instance id {beat.instance_id} cannot join the group because the "
                f"instance id is owned by {old.member_id} member.",
            )
        if member_id in self.members:
            raise GroupError(ErrorCode.INVALID_REQUEST, f"Member {member_id} is in the group already.")
        target = self.targets.pop(old.member_id, frozenset())
        new = ConsumerMember(
            member_id, old.instance_id, topics=old.topics, regex=old.regex, matched=old.matched, assigned=old.assigned
        )
        self._remove(old)
        self._add(new)
        self.targets[member_id] = target
        self._owners |= dict.fromkeys(new.assigned, member_id)
        return new

    def _check_epoch(self, member: ConsumerMember, beat: Beat) -> None:
        """Check that the epoch is the member's, or the previous one if the answer was lost."""
        is_repeated = beat.epoch == member.previous_epoch and beat.owned is not None and beat.owned <= member.assigned
        if beat.epoch != member.epoch and not is_repeated:
            compared = "greater" if beat.epoch > member.epoch else "smaller"
            raise GroupError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                f"The consumer group member has a {compared} member epoch ({beat.epoch}) than the one known by the "
                f"group coordinator ({member.epoch}). The member must abandon all its partitions and rejoin.",
            )

    def _take(self, member: ConsumerMember, beat: Beat) -> bool:
        """Take over a heartbeat's facts about a member; returns whether the target assignment has to change."""
        was = member.subscribed, member.assignor
        is_new = member.member_id not in self.targets
        member.client_id, member.host = beat.client_id, beat.host
        if beat.rack_id is not None:
            member.rack_id = beat.rack_id
        if beat.rebalance_ms is not None:
            member.rebalance_ms = min(max(beat.rebalance_ms, 0), LONGEST_SESSION_MS)
        if beat.topics is not None:
            member.topics = beat.topics
        if beat.regex is not None:
            member.regex = beat.regex or None
        if beat.matched is not None:
            member.matched = beat.matched
        if beat.assignor is not None:
            member.assignor = beat.assignor
        size = member.size
        try:
            self._charge(member)
            self.room.take(max(0, size - member.held))
        except GroupError:
            self._fence(member)
            raise
        self.room.give_back(max(0, member.held - size))
        member.held = size
        return is_new or was != (member.subscribed, member.assignor)

    def _charge(self, member: ConsumerMember) -> None:
        """Take memory for the partitions of topics to which no member had subscribed before."""
        for topic in member.subscribed - self._charged.keys():
            size = _PARTITION_BYTES * len(self.partitions_of(topic))
            self.room.take(size)
            self._charged[topic] = size

    def _have_partitions_changed(self) -> bool:
        return any(
            len(self.partitions_of(topic)) != count or (count and self.topic_id(topic) != self._ids[topic])
            for topic, count in self._counts.items()
        )

    def _reassign_soon(self) -> None:
        """Make a new target assignment: at once, but for a large group some time after the last assignment."""
        self._is_changed = True
        if (_ASSIGNMENT, "") in self._timers:
            return
        self._reassign()
        work = len(self._counts) + sum(self._counts.values())
        work += sum(_MEMBER_WORK + len(member.topics) + len(member.matched) for member in self.members.values())
        if work > _LITTLE_WORK:
            self._timers.after(work // _WORK_A_MILLISECOND, (_ASSIGNMENT, ""), self._reassign_later)

    def _reassign_later(self) -> None:
        """Make the assignment that changes since the last one require."""
        if self.members and self._is_changed:
            with suppress(GroupError):
                self._reassign_soon()

    def _reassign(self) -> None:
        """Make a new target assignment that changes the last one as little as the assignor can."""
        self._is_changed = False
        self.epoch = min(self.epoch + 1, INT32_MAX)
        topics = {topic for member in self.members.values() for topic in member.subscribed}
        numbers = {topic: self.partitions_of(topic) for topic in topics}
        self._counts = {topic: len(found) for topic, found in numbers.items()}
        self._ids = {topic: self.topic_id(topic) for topic, found in numbers.items() if found}
        names = {topic_id: topic for topic, topic_id in self._ids.items()}
        # Assignors expect partitions 0 to n-1, but the disks may lack some, so they are numbered without gaps here.
        places = {(topic, number): place for topic, found in numbers.items() for place, number in enumerate(found)}
        members = [
            Subscriber(
                member_id,
                sorted(member.subscribed),
                member.instance_id,
                owned_partitions=sorted(
                    (topic, places[topic, number])
                    for topic_id, number in self.targets.get(member_id, ())
                    if (topic := names.get(topic_id, "")) and (topic, number) in places
                ),
            )
            for member_id, member in self.members.items()
        ]
        try:
            assigned = assign_by_coordinator(self.assignor, members, self._counts)
        except KafkafmtError as error:
            raise GroupError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
        self.targets = {
            member_id: frozenset((self._ids[topic], numbers[topic][place]) for topic, place in given)
            for member_id, given in assigned.items()
        }

    def _is_reconciled(self, member: ConsumerMember) -> bool:
        return member.epoch == self.epoch and not member.revoking and not member.is_waiting

    def _reconcile(self, member: ConsumerMember, owned: Partitions | None) -> None:
        """Bring a member one step closer to its target assignment."""
        if self._is_reconciled(member):
            return
        epoch = member.epoch
        if member.revoking:
            if owned is None or not owned.isdisjoint(member.revoking):
                return
            epoch = min(epoch + 1, INT32_MAX)
        target = self.targets.get(member.member_id, member.assigned)
        kept = member.assigned & target
        revoking = member.assigned - target
        self._own(member, kept | revoking)
        if revoking and (owned is None or not owned.isdisjoint(revoking)):
            member.assigned, member.revoking, member.is_waiting = kept, revoking, False
            member.advance(epoch)
            self._timers.after(member.rebalance_ms, (_REVOCATION, member.member_id), lambda: self._fence(member))
            return
        free = frozenset(each for each in target - kept if self._owners.get(each, member.member_id) == member.member_id)
        self._own(member, kept | free)
        member.assigned, member.revoking = kept | free, frozenset()
        member.is_waiting = member.assigned != target
        member.advance(self.epoch)
        self._timers.cancel((_REVOCATION, member.member_id))

    def _own(self, member: ConsumerMember, partitions: Partitions) -> None:
        """Set the partitions that a member owns."""
        for each in member.assigned | member.revoking:
            if each not in partitions and self._owners.get(each) == member.member_id:
                del self._owners[each]
        self._owners |= dict.fromkeys(partitions, member.member_id)

    def _leave(self, beat: Beat) -> Beaten:
        member = self._sender(beat)
        if beat.epoch == LEAVES_FOR_A_WHILE:
            self._own(member, member.assigned)
            member.advance(LEAVES_FOR_A_WHILE)
            member.revoking = frozenset()
            self._timers.cancel((_REVOCATION, member.member_id))
        else:
            self._fence(member)
        return Beaten(member.member_id, beat.epoch)

    def _fence(self, member: ConsumerMember) -> None:
        """Remove a member that leaves or has exceeded a timeout."""
        if self.members.get(member.member_id) is member:
            self._remove(member)
            with suppress(GroupError):
                self._reassign_soon()
            if not self.members:
                self.emptied(self.group_id)

    def _remove(self, member: ConsumerMember) -> None:
        self._own(member, frozenset())
        self._timers.cancel((_SESSION, member.member_id))
        self._timers.cancel((_REVOCATION, member.member_id))
        self.room.give_back(member.held)
        del self.members[member.member_id]
        self.targets.pop(member.member_id, None)
        if member.instance_id is not None:
            del self._static[member.instance_id]
        if not self.members:
            self.room.give_back(sum(self._charged.values()))
            self._charged.clear()

    def check_commit(self, member_id: str, epoch: int, version: int, partitions: Collection[TopicPartition]) -> None:
        """Check a commit of a member.

        Raises:
            GroupError: the commit is not allowed.
        """
        if epoch < 0 and not self.members:
            return
        member = self._known(member_id)
        if version < 9:
            raise GroupError(ErrorCode.UNSUPPORTED_VERSION)
        # A member may commit with an older epoch for partitions that it still owns (KIP-1251).
        is_owner = all((self._ids.get(topic), number) in member.assigned for topic, number in partitions)
        if epoch > member.epoch or (epoch < member.epoch and not is_owner):
            raise GroupError(ErrorCode.STALE_MEMBER_EPOCH)

    def check_fetch(self, member_id: str | None, epoch: int) -> None:
        """Check that a member that fetches offsets is known; AdminClient names none.

        Raises:
            GroupError: the member is unknown or has another epoch.
        """
        if member_id is None and epoch < 0:
            return
        if self._known(member_id or "").epoch != epoch:
            raise GroupError(ErrorCode.STALE_MEMBER_EPOCH)

    def _known(self, member_id: str) -> ConsumerMember:
        if member_id not in self.members:
            raise GroupError(
                ErrorCode.UNKNOWN_MEMBER_ID, f"Member {member_id} is not a member of group {self.group_id}."
            )
        return self.members[member_id]
