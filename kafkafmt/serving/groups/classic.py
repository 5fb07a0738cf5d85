"""ClassicGroup: members that join together, and a leader that assigns (JoinGroup, SyncGroup, Heartbeat, LeaveGroup).

Source: `GroupMetadataManager` and `ClassicGroup` of Kafka 4.4. A JoinGroup waits until all members have joined, a
SyncGroup until the leader has sent its assignment.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal
from uuid import uuid4

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.serving.groups.bounds import Clock, GroupError, Room
from kafkafmt.serving.groups.classic_member import ClassicMember, Joining
from kafkafmt.serving.groups.classic_members import ClassicMembers
from kafkafmt.serving.groups.timers import Timers

if TYPE_CHECKING:
    import asyncio

    from kafkafmt.protocol.codec import Value
    from kafkafmt.protocol.message_bytes import Buffer

State = Literal["Empty", "PreparingRebalance", "CompletingRebalance", "Stable"]

INITIAL_DELAY: Final = 0.2
"""Seconds that an empty group waits for more members; `group.initial.rebalance.delay.ms` of a broker is 3 s."""

# The timeout of Kafka's group coordinator for new members.
_NEW_MEMBER_MS = 5 * 60 * 1000
_JOIN, _SYNC = "join", "sync"


class ClassicGroup:
    """A group of the classic protocol.

    Args:
        group_id: id of the group.
        generation: generation of the same group on the disk, from which this group continues.
        clock: measures the timeouts.
        room: bounds the group's memory.
        emptied: called with the group's id when the last member is gone.

    Attributes:
        protocol_type: protocol type of the members; "" before the first member.
        protocol: the assignor that the members have chosen; None while the group is empty.
    """

    kind = "classic"

    def __init__(
        self, group_id: str, generation: int, clock: Clock, room: Room, emptied: Callable[[str], None]
    ) -> None:
        self.group_id = group_id
        self.generation = generation
        self.state: State = "Empty"
        self.protocol_type = ""
        self.protocol: str | None = None
        self._members = ClassicMembers(room)
        self._clock, self._room, self._emptied = clock, room, emptied
        self._unsynced: set[str] = set()
        self._timers = Timers(clock)
        self._is_initial = self._has_newcomer = False

    @property
    def members(self) -> Mapping[str, ClassicMember]:
        """The members by id."""
        return self._members.by_id

    @property
    def is_empty(self) -> bool:
        """Whether there are neither members nor given ids of members that are about to join."""
        return self._members.is_empty

    def close(self) -> None:
        """End the group, because another one replaces it."""
        self._timers.close()

    async def join(self, joining: Joining) -> "Value":
        """Answer a JoinGroup, once all members have joined.

        Raises:
            GroupError: the member may not join.
        """
        try:
            answer = self._answer(joining)
        except GroupError:
            self._tell_if_empty()
            raise
        return answer if isinstance(answer, dict) else await answer

    def _answer(self, joining: Joining) -> "asyncio.Future[Value] | Value":
        if not self._supports(joining):
            raise GroupError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        self._members.require_place(joining.member_id)
        if joining.member_id:
            return self._join_again(joining)
        static_id = self._members.static_id(joining.instance_id)
        if static_id is not None:
            return self._replace(self.members[static_id], joining)
        if joining.instance_id is None and joining.knows_ids:
            return self._give_id(joining)
        return self._add(joining, f"{joining.instance_id or joining.client_id}-{uuid4()}")

    def _supports(self, joining: Joining) -> bool:
        names = [name for name, _ in joining.protocols]
        if self.state == "Empty":
            return bool(joining.protocol_type and names)
        return joining.protocol_type == self.protocol_type and self._members.support(names)

    def _give_id(self, joining: Joining) -> "Value":
        member_id = self._members.expect(joining.client_id)
        self._timers.after(joining.session_ms, member_id, lambda: self._expire(member_id))
        return {"ErrorCode": ErrorCode.MEMBER_ID_REQUIRED, "MemberId": member_id}

    def _join_again(self, joining: Joining) -> "asyncio.Future[Value] | Value":
        member_id = joining.member_id
        if self._members.expects(member_id) and joining.instance_id is None:
            return self._add(joining, member_id)
        member = self.validate(member_id, joining.instance_id)
        is_same = member.joining.protocols == joining.protocols
        if self.state == "CompletingRebalance" and is_same:
            return self._joined(member)
        if self.state == "Stable" and is_same and member_id != self._members.leader:
            return self._joined(member)
        self._members.update(member, joining)
        member.settle_join({"ErrorCode": ErrorCode.REBALANCE_IN_PROGRESS, "MemberId": member_id})
        waiting = member.join = self._clock.create_future()
        self._rebalance()
        return waiting

    def _add(self, joining: Joining, member_id: str) -> "asyncio.Future[Value]":
        member = self._members.add(joining, member_id)
        self.protocol_type = joining.protocol_type
        self._has_newcomer = self.state == "PreparingRebalance" and self._is_initial
        waiting = member.join = self._clock.create_future()
        # A client that gives up waiting for its first answer never learns its id, and so cannot leave: it expires
        # instead.
        self._timers.after(_NEW_MEMBER_MS, member_id, lambda: self._expire(member_id))
        self._rebalance()
        return waiting

    def _replace(self, old: ClassicMember, joining: Joining) -> "asyncio.Future[Value]":
        """Give a static member that returns without its id the place of its predecessor, which is fenced."""
        led = self._members.leader
        member = self._members.replace(old, joining)
        old.settle_join({"ErrorCode": ErrorCode.FENCED_INSTANCE_ID, "MemberId": old.member_id})
        old.settle_sync({"ErrorCode": ErrorCode.FENCED_INSTANCE_ID})
        self._timers.cancel(old.member_id)
        self._unsynced.discard(old.member_id)
        self._expect(member)
        waiting = member.join = self._clock.create_future()
        if self.state == "Stable" and self._members.vote() == self.protocol:
            answer = self._joined(member)
            if joining.skips_assignment:
                answer["SkipAssignment"] = self._members.leader == member.member_id
            else:  # not told that it leads, as a leader would compute a new assignment
                answer |= {"Leader": led, "Members": []}
            member.settle_join(answer)
        else:
            self._rebalance()
        return waiting

    def _rebalance(self) -> None:
        if self.state == "PreparingRebalance":
            if not self._is_initial and self._members.have_joined:
                self._complete()
            return
        if self.state == "CompletingRebalance":
            for member in self.members.values():
                self._members.assign(member, b"")
                if member.settle_sync({"ErrorCode": ErrorCode.REBALANCE_IN_PROGRESS}):
                    self._expect(member)
        self._unsynced.clear()
        self._timers.cancel(_SYNC)
        self._is_initial = self.state == "Empty"
        self.state = "PreparingRebalance"
        if self._is_initial:
            self._wait_for_more(INITIAL_DELAY, self._members.rebalance_ms / 1000 - INITIAL_DELAY)
        elif self._members.have_joined:
            self._complete()
        else:
            self._timers.after(self._members.rebalance_ms, _JOIN, self._complete)

    def _wait_for_more(self, delay: float, left: float) -> None:
        def end() -> None:
            if self._has_newcomer and left > 0:
                self._has_newcomer = False
                self._wait_for_more(min(INITIAL_DELAY, left), left - delay)
            else:
                self._complete()

        self._timers.after(delay * 1000, _JOIN, end)

    def _complete(self) -> None:
        """Begin the next generation, with all members that have joined."""
        self._timers.cancel(_JOIN)
        for member in list(self.members.values()):
            if member.join is None and member.joining.instance_id is None:
                self._drop(member)
        if self.members and not self._members.elect():
            self._timers.after(self._members.rebalance_ms, _JOIN, self._complete)
            return
        self.generation = (self.generation + 1) & INT32_MAX
        self._unsynced.clear()
        if not self.members:
            self.state, self.protocol = "Empty", None
            self._tell_if_empty()
            return
        self.protocol = self._members.vote()
        self.state = "CompletingRebalance"
        for member in self.members.values():
            member.settle_join(self._joined(member))
            self._expect(member)
            member.is_new = False
            self._unsynced.add(member.member_id)
        self._timers.after(self._members.rebalance_ms, _SYNC, self._expire_unsynced)

    def _joined(self, member: ClassicMember) -> "Value":
        is_leader = member.member_id == self._members.leader
        return {
            "ErrorCode": ErrorCode.NONE,
            "GenerationId": self.generation,
            "ProtocolType": self.protocol_type,
            "ProtocolName": self.protocol,
            "Leader": self._members.leader,
            "MemberId": member.member_id,
            "Members": [
                {
                    "MemberId": each.member_id,
                    "GroupInstanceId": each.joining.instance_id,
                    "Metadata": each.subscription(self.protocol),
                }
                for each in (self.members.values() if is_leader else ())
            ],
        }

    async def sync(
        self,
        member_id: str,
        instance_id: str | None,
        generation: int,
        protocol: tuple[str | None, str | None],
        assignments: "Mapping[str, Buffer]",
    ) -> "Value":
        """Answer a SyncGroup, once the leader has sent its assignment.

        Args:
            member_id: id of the member.
            instance_id: instance id of a static member.
            generation: generation that the member has joined.
            protocol: protocol type and assignor that the member has joined with; None before version 5.
            assignments: assignments by member id, if the member leads.

        Raises:
            GroupError: the member is unknown or of another generation, or the group rebalances.
        """
        member = self._of_generation(member_id, instance_id, generation)
        known = self.protocol_type, self.protocol
        if any(None not in (ours, theirs) and ours != theirs for ours, theirs in zip(known, protocol, strict=True)):
            raise GroupError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if self.state == "PreparingRebalance":
            raise GroupError(ErrorCode.REBALANCE_IN_PROGRESS)
        if self.state == "Stable":
            self._has_synced(member)
            return self._synced(member)
        if member_id == self._members.leader:
            given = [(each, bytes(assignments.get(each.member_id, b""))) for each in self.members.values()]
            self._room.take(sum(len(assignment) for _, assignment in given))
            for each, assignment in given:
                self._room.give_back(len(assignment))
                self._members.assign(each, assignment)
            self._has_synced(member)
            self.state = "Stable"
            for each in self.members.values():
                if each.settle_sync(self._synced(each)):
                    self._expect(each)
            return self._synced(member)
        self._has_synced(member)
        member.settle_sync({"ErrorCode": ErrorCode.REBALANCE_IN_PROGRESS})
        waiting = member.sync = self._clock.create_future()
        return await waiting

    def _synced(self, member: ClassicMember) -> "Value":
        return {
            "ErrorCode": ErrorCode.NONE,
            "ProtocolType": self.protocol_type,
            "ProtocolName": self.protocol,
            "Assignment": member.assignment,
        }

    def _has_synced(self, member: ClassicMember) -> None:
        self._unsynced.discard(member.member_id)
        if not self._unsynced:
            self._timers.cancel(_SYNC)

    def heartbeat(self, member_id: str, instance_id: str | None, generation: int) -> None:
        """Record that a member is alive.

        Raises:
            GroupError: the member is unknown or of another generation, or the group rebalances.
        """
        member = self._of_generation(member_id, instance_id, generation)
        self._expect(member)
        if self.state == "PreparingRebalance":
            raise GroupError(ErrorCode.REBALANCE_IN_PROGRESS)

    def leave(self, member_id: str, instance_id: str | None) -> None:
        """Remove a member; a static member also by its instance id alone.

        Raises:
            GroupError: there is no such member.
        """
        member_id = member_id or self._members.static_id(instance_id) or ""
        if self._members.expects(member_id):
            self._timers.cancel(member_id)
            self._members.forget(member_id)
        else:
            self._drop(self.validate(member_id, instance_id))
        self._after_removal()

    def check_commit(self, member_id: str, instance_id: str | None, generation: int) -> None:
        """Check a commit; a member's commit counts as a heartbeat.

        Raises:
            GroupError: the commit is not allowed.
        """
        if generation < 0 and self.state == "Empty":
            return
        if generation < 0 and not member_id and instance_id is None:
            raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID)
        member = self._of_generation(member_id, instance_id, generation)
        if self.state == "CompletingRebalance":
            raise GroupError(ErrorCode.REBALANCE_IN_PROGRESS)
        self._expect(member)

    def validate(self, member_id: str, instance_id: str | None) -> ClassicMember:
        """The member with an id.

        Raises:
            GroupError: there is no such member, or its instance id belongs to another one.
        """
        return self._members.find(member_id, instance_id)

    def _of_generation(self, member_id: str, instance_id: str | None, generation: int) -> ClassicMember:
        member = self.validate(member_id, instance_id)
        if generation != self.generation:
            raise GroupError(ErrorCode.ILLEGAL_GENERATION)
        return member

    def described(self) -> "Value":
        """The group's fields in DescribeGroups: assignor and subscriptions only if the group is stable."""
        is_stable = self.state == "Stable"
        return {
            "GroupState": self.state,
            "ProtocolType": self.protocol_type,
            "ProtocolData": self.protocol if is_stable else "",
            "Members": self._members.described(self.protocol, is_stable=is_stable),
        }

    def _expect(self, member: ClassicMember) -> None:
        """Expect the member's next heartbeat within its session timeout."""
        self._timers.after(member.joining.session_ms, member.member_id, lambda: self._expire(member.member_id))

    def _expire(self, member_id: str) -> None:
        member = self.members.get(member_id)
        if member is None:
            self._members.forget(member_id)
        elif not member.is_new and (member.join is not None or member.sync is not None):
            return  # the member waits for the others
        else:
            self._drop(member)
        self._after_removal()

    def _expire_unsynced(self) -> None:
        for member_id in list(self._unsynced):
            self._drop(self.members[member_id])
        self._after_removal()

    def _after_removal(self) -> None:
        if not self.members:
            self._is_initial = False  # nobody is left to wait for more
        if self.state == "Empty":
            self._tell_if_empty()
        else:
            self._rebalance()

    def _drop(self, member: ClassicMember) -> None:
        unknown = {"ErrorCode": ErrorCode.UNKNOWN_MEMBER_ID, "MemberId": ""}
        member.settle_join(unknown)
        member.settle_sync(unknown)
        self._timers.cancel(member.member_id)
        self._unsynced.discard(member.member_id)
        self._members.drop(member)

    def _tell_if_empty(self) -> None:
        if self.state == "Empty" and self.is_empty:
            self._emptied(self.group_id)
