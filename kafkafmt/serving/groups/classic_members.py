"""ClassicMembers: the members of a classic group, the assignors that they support, and their memory."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.groups.bounds import MOST_MEMBERS, OBJECT_BYTES, GroupError, Room, size_of
from kafkafmt.serving.groups.classic_member import ClassicMember, Joining

if TYPE_CHECKING:
    from kafkafmt.protocol.codec import Value


class ClassicMembers:
    """The members of a group, and the ids given to members that have not joined yet.

    Args:
        room: bounds the memory of the members.

    Attributes:
        by_id: the members.
        leader: id of the member that assigns; None without members.
    """

    def __init__(self, room: Room) -> None:
        self.by_id: dict[str, ClassicMember] = {}
        self.leader: str | None = None
        self._room = room
        self._static: dict[str, str] = {}
        self._expected: dict[str, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there are no members, and none is expected."""
        return not self.by_id and not self._expected

    @property
    def have_joined(self) -> bool:
        """Whether all expected members have joined and wait for the answer."""
        return not self._expected and all(member.join is not None for member in self.by_id.values())

    @property
    def rebalance_ms(self) -> int:
        """The longest rebalance timeout of the members."""
        return max((member.rebalance_ms for member in self.by_id.values()), default=0)

    def expects(self, member_id: str) -> bool:
        """Whether the id was given to a member that has not joined yet."""
        return member_id in self._expected

    def static_id(self, instance_id: str | None) -> str | None:
        """The member id of a static member, by its instance id; None if there is none."""
        return None if instance_id is None else self._static.get(instance_id)

    def require_place(self, member_id: str) -> None:
        """Check that a member may join.

        Raises:
            GroupError: there are too many others.
        """
        is_known = member_id in self.by_id or member_id in self._expected
        if not is_known and len(self.by_id) + len(self._expected) >= MOST_MEMBERS:
            raise GroupError(ErrorCode.GROUP_MAX_SIZE_REACHED)

    def find(self, member_id: str, instance_id: str | None) -> ClassicMember:
        """The member with an id.

        Raises:
            GroupError: there is no such member, or its instance id belongs to another one.
        """
        if instance_id is not None and self._static.get(instance_id, member_id) != member_id:
            raise GroupError(ErrorCode.FENCED_INSTANCE_ID)
        if member_id not in self.by_id or (instance_id is not None and instance_id not in self._static):
            raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID)
        return self.by_id[member_id]

    def expect(self, client_id: str) -> str:
        """Give an id to a client that will join with it.

        Raises:
            GroupError: no memory is left for the member.
        """
        member_id = f"{client_id}-{uuid4()}"
        held = OBJECT_BYTES + size_of(member_id)
        self._room.take(held)
        self._expected[member_id] = held
        return member_id

    def forget(self, member_id: str) -> None:
        """Stop expecting a member."""
        self._room.give_back(self._expected.pop(member_id, 0))

    def add(self, joining: Joining, member_id: str) -> ClassicMember:
        """Add a member.

        Raises:
            GroupError: no memory is left for the member.
        """
        self._room.take(joining.size)
        self.forget(member_id)
        member = self.by_id[member_id] = ClassicMember(member_id, joining, joining.size)
        if joining.instance_id is not None:
            self._static[joining.instance_id] = member_id
        self.leader = self.leader or member_id
        return member

    def update(self, member: ClassicMember, asked: Joining) -> None:
        """Take over the protocols and timeouts of a member that joins again.

        Raises:
            GroupError: no memory is left for them.
        """
        joining = replace(
            member.joining,
            protocols=asked.protocols,
            session_ms=asked.session_ms,
            rebalance_ms=asked.rebalance_ms,
        )
        member.held = self._resized(member, joining)
        member.joining = joining

    def replace(self, old: ClassicMember, joining: Joining) -> ClassicMember:
        """Replace a static member by the one that joins with the same instance id; returns the new member.

        Raises:
            GroupError: no memory is left for the member.
        """
        size = self._resized(old, joining)
        del self.by_id[old.member_id]
        new = ClassicMember(f"{joining.instance_id}-{uuid4()}", joining, size, old.assignment, is_new=False)
        self.by_id[new.member_id] = new
        self._static[joining.instance_id or ""] = new.member_id
        if self.leader == old.member_id:
            self.leader = new.member_id
        return new

    def _resized(self, member: ClassicMember, joining: Joining) -> int:
        size = joining.size + len(member.assignment)
        self._room.take(max(0, size - member.held))
        self._room.give_back(max(0, member.held - size))
        return size

    def drop(self, member: ClassicMember) -> None:
        """Remove a member; another member leads if this one did."""
        self._room.give_back(member.held)
        del self.by_id[member.member_id]
        if member.joining.instance_id is not None:
            del self._static[member.joining.instance_id]
        if self.leader == member.member_id:
            self.leader = next(iter(self.by_id), None)

    def assign(self, member: ClassicMember, assignment: bytes) -> None:
        """Keep the leader's assignment for a member.

        Raises:
            GroupError: no memory is left for it.
        """
        self._room.give_back(len(member.assignment))
        self._room.take(len(assignment))
        member.held += len(assignment) - len(member.assignment)
        member.assignment = assignment

    def elect(self) -> bool:
        """Whether a leader has joined: the present one, or else another member, which becomes the leader."""
        joined = (member.member_id for member in self.by_id.values() if member.join is not None)
        if self.leader is None or self.by_id[self.leader].join is None:
            self.leader = next(joined, self.leader)
        return self.leader is not None and self.by_id[self.leader].join is not None

    def support(self, names: Collection[str]) -> bool:
        """Whether all members support one of the assignors."""
        supported = self._supported
        return any(supported[name] == len(self.by_id) for name in names)

    def vote(self) -> str:
        """The assignor that most members prefer, among those that all members support."""
        supported = self._supported
        votes = Counter(
            next(name for name, _ in member.joining.protocols if supported[name] == len(self.by_id))
            for member in self.by_id.values()
        )
        return votes.most_common(1)[0][0]

    @property
    def _supported(self) -> Counter[str]:
        return Counter(name for member in self.by_id.values() for name, _ in member.joining.protocols)

    def described(self, protocol: str | None, *, is_stable: bool) -> "list[Value]":
        """The members in DescribeGroups.

        Args:
            protocol: the chosen assignor, whose subscriptions are shown.
            is_stable: whether the group is stable; subscriptions are shown only then.
        """
        return [
            {
                "MemberId": each.member_id,
                "GroupInstanceId": each.joining.instance_id,
                "ClientId": each.joining.client_id,
                "ClientHost": each.joining.host,
                "MemberMetadata": each.subscription(protocol) if is_stable else b"",
                "MemberAssignment": each.assignment,
            }
            for each in self.by_id.values()
        ]
