"""ClassicGroup: members that join together and whose leader assigns (JoinGroup, SyncGroup, Heartbeat, LeaveGroup).

Source: `GroupMetadataManager` and `ClassicGroup` of Kafka 4.4. A JoinGroup waits until all members have joined, a
SyncGroup until the leader has sent its assignment.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal
from uuid import uuid4

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.groups.bounds import MOST_MEMBERS, OBJECT_BYTES, Clock, GroupError, Room, size_of
from kafkafmt.serving.groups.classic_member import ClassicMember, Joining

if TYPE_CHECKING:
    import asyncio

    from kafkafmt.protocol.codec import Buffer, Value

State = Literal["Empty", "PreparingRebalance", "CompletingRebalance", "Stable"]

INITIAL_DELAY: Final = 0.2
"""Seconds that an empty group waits for more members: `group.initial.rebalance.delay.ms`, 3 s of a broker."""

_LARGEST = 2**31 - 1
_NEW_MEMBER_MS = 5 * 60 * 1000
_JOIN, _SYNC = "join", "sync"


class ClassicGroup:
    """A group.

    Args:
        group_id: its id.
        generation: that of the same group on the disk, from which it goes on.
        clock: tells the time.
        room: bounds it.
        emptied: called when its last member is gone.

    Attributes:
        protocol_type: of its members; "" before the first.
        protocol: the assignor that its members have chosen; None while it is empty.
        members: by id.
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
        self.members: dict[str, ClassicMember] = {}
        self._leader: str | None = None
        self._clock, self._room, self._emptied = clock, room, emptied
        self._static: dict[str, str] = {}
        self._pending: dict[str, int] = {}
        self._unsynced: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._is_initial = self._has_newcomer = False

    @property
    def is_empty(self) -> bool:
        """Whether it has neither members nor some that are about to join."""
        return not self.members and not self._pending

    def close(self) -> None:
        """Another group takes its place."""
        for key in list(self._timers):
            self._cancel(key)

    async def join(self, joining: Joining) -> "Value":
        """Answer a JoinGroup, once all members have joined.

        Raises:
            GroupError: it may not join.
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
        is_known = joining.member_id in self.members or joining.member_id in self._pending
        if not is_known and len(self.members) + len(self._pending) >= MOST_MEMBERS:
            raise GroupError(ErrorCode.GROUP_MAX_SIZE_REACHED)
        if joining.member_id:
            return self._join_again(joining)
        if joining.instance_id is not None and joining.instance_id in self._static:
            return self._replace(joining)
        if joining.instance_id is None and joining.knows_ids:
            return self._give_id(joining)
        return self._add(joining, f"{joining.instance_id or joining.client_id}-{uuid4()}")

    def _supports(self, joining: Joining) -> bool:
        names = [name for name, _ in joining.protocols]
        if self.state == "Empty":
            return bool(joining.protocol_type and names)
        if joining.protocol_type != self.protocol_type:
            return False
        supported = Counter(name for member in self.members.values() for name, _ in member.joining.protocols)
        return any(supported[name] == len(self.members) for name in names)

    def _give_id(self, joining: Joining) -> "Value":
        member_id = f"{joining.client_id}-{uuid4()}"
        held = OBJECT_BYTES + size_of(member_id)
        self._room.take(held)
        self._pending[member_id] = held
        self._after(joining.session_ms, member_id, lambda: self._expire(member_id))
        return {"ErrorCode": ErrorCode.MEMBER_ID_REQUIRED, "MemberId": member_id}

    def _join_again(self, joining: Joining) -> "asyncio.Future[Value] | Value":
        member_id = joining.member_id
        if member_id in self._pending and joining.instance_id is None:
            return self._add(joining, member_id)
        member = self.validate(member_id, joining.instance_id)
        is_same = member.joining.protocols == joining.protocols
        if self.state == "CompletingRebalance" and is_same:
            return self._joined(member)
        if self.state == "Stable" and is_same and member_id != self._leader:
            return self._joined(member)
        waiting = self._update(member, joining)
        self._rebalance()
        return waiting

    def _add(self, joining: Joining, member_id: str) -> "asyncio.Future[Value]":
        self._room.take(joining.size)
        self._forget_pending(member_id)
        member = self.members[member_id] = ClassicMember(member_id, joining, joining.size)
        if joining.instance_id is not None:
            self._static[joining.instance_id] = member_id
        self.protocol_type = joining.protocol_type
        self._leader = self._leader or member_id
        self._has_newcomer = self.state == "PreparingRebalance" and self._is_initial
        waiting = member.join = self._clock.create_future()
        # It may give up waiting for its first answer without ever having heard its id.
        self._after(_NEW_MEMBER_MS, member_id, lambda: self._expire(member_id))
        self._rebalance()
        return waiting

    def _update(self, member: ClassicMember, asked: Joining) -> "asyncio.Future[Value]":
        joining = replace(
            member.joining,
            protocols=asked.protocols,
            session_ms=asked.session_ms,
            rebalance_ms=asked.rebalance_ms,
        )
        size = joining.size + len(member.assignment)
        self._room.take(max(0, size - member.held))
        self._room.give_back(max(0, member.held - size))
        member.joining, member.held = joining, size
        member.settle_join({"ErrorCode": ErrorCode.REBALANCE_IN_PROGRESS, "MemberId": member.member_id})
        waiting = member.join = self._clock.create_future()
        return waiting

    def _replace(self, joining: Joining) -> "asyncio.Future[Value] | Value":
        """A static member comes again, without its id: it has the place of the one before it, which is fenced."""
        old_id = self._static[joining.instance_id or ""]
        new_id = f"{joining.instance_id}-{uuid4()}"
        member = self.members[old_id]
        size = joining.size + len(member.assignment)
        self._room.take(max(0, size - member.held))
        self._room.give_back(max(0, member.held - size))
        fenced = {"ErrorCode": ErrorCode.FENCED_INSTANCE_ID, "MemberId": old_id}
        member.settle_join(fenced)
        member.settle_sync({"ErrorCode": ErrorCode.FENCED_INSTANCE_ID})
        self._cancel(old_id)
        del self.members[old_id]
        self._unsynced.discard(old_id)
        member = ClassicMember(new_id, joining, size, member.assignment, is_new=False)
        self.members[new_id] = member
        self._static[joining.instance_id or ""] = new_id
        led = self._leader
        if led == old_id:
            self._leader = new_id
        self._expect(member)
        waiting = member.join = self._clock.create_future()
        if self.state == "Stable" and self._vote() == self.protocol:
            answer = self._joined(member)
            if joining.skips_assignment:
                answer["SkipAssignment"] = self._leader == new_id
            else:  # it would assign again if it knew that it leads
                answer |= {"Leader": led, "Members": []}
            member.settle_join(answer)
        else:
            self._rebalance()
        return waiting

    def _rebalance(self) -> None:
        if self.state == "PreparingRebalance":
            if not self._is_initial and self._all_joined:
                self._complete()
            return
        if self.state == "CompletingRebalance":
            for member in self.members.values():
                self._assign(member, b"")
                member.settle_sync({"ErrorCode": ErrorCode.REBALANCE_IN_PROGRESS})
        self._unsynced.clear()
        self._cancel(_SYNC)
        self._is_initial = self.state == "Empty"
        self.state = "PreparingRebalance"
        if self._is_initial:
            self._wait_for_more(INITIAL_DELAY, self._rebalance_ms / 1000 - INITIAL_DELAY)
        elif self._all_joined:
            self._complete()
        else:
            self._after(self._rebalance_ms, _JOIN, self._complete)

    def _wait_for_more(self, delay: float, left: float) -> None:
        def end() -> None:
            if self._has_newcomer and left > 0:
                self._has_newcomer = False
                self._wait_for_more(min(INITIAL_DELAY, left), left - delay)
            else:
                self._complete()

        self._after(delay * 1000, _JOIN, end)

    def _complete(self) -> None:
        """Begin the next generation with all members that have joined."""
        self._cancel(_JOIN)
        for member in list(self.members.values()):
            if member.join is None and member.joining.instance_id is None:
                self._drop(member)
        if self.members and not self._elect():
            self._after(self._rebalance_ms, _JOIN, self._complete)
            return
        self.generation = (self.generation + 1) & _LARGEST
        self._unsynced.clear()
        if not self.members:
            self.state, self.protocol = "Empty", None
            self._tell_if_empty()
            return
        self.protocol = self._vote()
        self.state = "CompletingRebalance"
        for member in self.members.values():
            member.settle_join(self._joined(member))
            self._expect(member)
            member.is_new = False
            self._unsynced.add(member.member_id)
        self._after(self._rebalance_ms, _SYNC, self._expire_unsynced)

    def _elect(self) -> bool:
        """Whether the leader has joined, or another member that leads from now on."""
        joined = (member.member_id for member in self.members.values() if member.join is not None)
        if self._leader is None or self.members[self._leader].join is None:
            self._leader = next(joined, self._leader)
        return self._leader is not None and self.members[self._leader].join is not None

    def _vote(self) -> str:
        """The assignor that most members prefer, of those that all support."""
        supported = Counter(name for member in self.members.values() for name, _ in member.joining.protocols)
        votes = Counter(
            next(name for name, _ in member.joining.protocols if supported[name] == len(self.members))
            for member in self.members.values()
        )
        return votes.most_common(1)[0][0]

    def _joined(self, member: ClassicMember) -> "Value":
        is_leader = member.member_id == self._leader
        return {
            "ErrorCode": ErrorCode.NONE,
            "GenerationId": self.generation,
            "ProtocolType": self.protocol_type,
            "ProtocolName": self.protocol,
            "Leader": self._leader,
            "MemberId": member.member_id,
            "Members": [
                {
                    "MemberId": each.member_id,
                    "GroupInstanceId": each.joining.instance_id,
                    "Metadata": self._metadata(each),
                }
                for each in (self.members.values() if is_leader else ())
            ],
        }

    def _metadata(self, member: ClassicMember) -> bytes:
        return dict(member.joining.protocols).get(self.protocol or "", b"")

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
            member_id: of the member.
            instance_id: of a static member.
            generation: that it has joined.
            protocol: protocol type and assignor that it has joined with; None before version 5.
            assignments: by member id, if it leads.

        Raises:
            GroupError: of no member, of another generation, or the members join again.
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
        if member_id == self._leader:
            given = [(each, bytes(assignments.get(each.member_id, b""))) for each in self.members.values()]
            self._room.take(sum(len(assignment) for _, assignment in given))
            for each, assignment in given:
                self._room.give_back(len(assignment))
                self._assign(each, assignment)
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
            self._cancel(_SYNC)

    def _assign(self, member: ClassicMember, assignment: bytes) -> None:
        self._room.give_back(len(member.assignment))
        self._room.take(len(assignment))
        member.held += len(assignment) - len(member.assignment)
        member.assignment = assignment

    def heartbeat(self, member_id: str, instance_id: str | None, generation: int) -> None:
        """Take note that a member lives.

        Raises:
            GroupError: of no member, of another generation, or the members join again.
        """
        member = self._of_generation(member_id, instance_id, generation)
        self._expect(member)
        if self.state == "PreparingRebalance":
            raise GroupError(ErrorCode.REBALANCE_IN_PROGRESS)

    def leave(self, member_id: str, instance_id: str | None) -> None:
        """Remove a member; a static one also without its id.

        Raises:
            GroupError: there is no such member.
        """
        if not member_id and instance_id in self._static:
            member_id = self._static[instance_id]
        if member_id in self._pending:
            self._cancel(member_id)
            self._forget_pending(member_id)
        else:
            self._drop(self.validate(member_id, instance_id))
        self._after_removal()

    def check_commit(self, member_id: str, instance_id: str | None, generation: int) -> None:
        """Check a commit; one of a member is a sign of life.

        Raises:
            GroupError: it may not be made.
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
            GroupError: there is none, or another one has its static id.
        """
        if instance_id is not None and self._static.get(instance_id, member_id) != member_id:
            raise GroupError(ErrorCode.FENCED_INSTANCE_ID)
        if member_id not in self.members or (instance_id is not None and instance_id not in self._static):
            raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID)
        return self.members[member_id]

    def _of_generation(self, member_id: str, instance_id: str | None, generation: int) -> ClassicMember:
        member = self.validate(member_id, instance_id)
        if generation != self.generation:
            raise GroupError(ErrorCode.ILLEGAL_GENERATION)
        return member

    def described(self) -> "Value":
        """Its fields in DescribeGroups: assignor and subscriptions only of a stable group."""
        is_stable = self.state == "Stable"
        return {
            "GroupState": self.state,
            "ProtocolType": self.protocol_type,
            "ProtocolData": self.protocol if is_stable else "",
            "Members": [
                {
                    "MemberId": each.member_id,
                    "GroupInstanceId": each.joining.instance_id,
                    "ClientId": each.joining.client_id,
                    "ClientHost": each.joining.host,
                    "MemberMetadata": self._metadata(each) if is_stable else b"",
                    "MemberAssignment": each.assignment,
                }
                for each in self.members.values()
            ],
        }

    @property
    def _all_joined(self) -> bool:
        return not self._pending and all(member.join is not None for member in self.members.values())

    @property
    def _rebalance_ms(self) -> int:
        return max((member.rebalance_ms for member in self.members.values()), default=0)

    def _expect(self, member: ClassicMember) -> None:
        """Its next heartbeat comes within its session timeout."""
        self._after(member.joining.session_ms, member.member_id, lambda: self._expire(member.member_id))

    def _expire(self, member_id: str) -> None:
        member = self.members.get(member_id)
        if member is None:
            self._forget_pending(member_id)
        elif not member.is_new and (member.join is not None or member.sync is not None):
            return  # it waits for the others
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
        self._cancel(member.member_id)
        self._unsynced.discard(member.member_id)
        self._room.give_back(member.held)
        del self.members[member.member_id]
        if member.joining.instance_id is not None:
            del self._static[member.joining.instance_id]
        if self._leader == member.member_id:
            self._leader = next(iter(self.members), None)

    def _forget_pending(self, member_id: str) -> None:
        self._room.give_back(self._pending.pop(member_id, 0))

    def _tell_if_empty(self) -> None:
        if self.state == "Empty" and self.is_empty:
            self._emptied(self.group_id)

    def _after(self, milliseconds: float, key: str, callback: Callable[[], None]) -> None:
        self._cancel(key)
        self._timers[key] = self._clock.call_later(milliseconds / 1000, lambda: self._ring(key, callback))

    def _ring(self, key: str, callback: Callable[[], None]) -> None:
        self._timers.pop(key, None)
        callback()

    def _cancel(self, key: str) -> None:
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()
