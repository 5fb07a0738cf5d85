"""ClassicMember: a member of a classic group, its JoinGroup, and the answers that it waits for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.serving.groups.bounds import LONGEST_SESSION_MS, OBJECT_BYTES, size_of

if TYPE_CHECKING:
    import asyncio

    from kafkafmt.protocol.codec import Value

_PROTOCOL_BYTES = 100


@dataclass(frozen=True, slots=True)
class Joining:
    """The fields of a JoinGroup.

    Attributes:
        member_id: id of the member; "" if it has none yet.
        instance_id: instance id of a static member.
        client_id: id of the client.
        host: address of the client, as in DescribeGroups.
        protocol_type: "consumer", "connect", ..
        protocols: assignors in order of preference without duplicates, each with its subscription.
        session_ms: time in ms without a heartbeat after which the member is removed.
        rebalance_ms: time in ms within which the member joins again.
        knows_ids: whether the client joins with an id that it was given before (version 4).
        skips_assignment: whether a static leader may leave assignments as they are (version 9).
    """

    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    session_ms: int
    rebalance_ms: int
    knows_ids: bool
    skips_assignment: bool

    @property
    def size(self) -> int:
        """Estimated memory of the member in bytes."""
        texts = (self.member_id, self.instance_id, self.client_id, self.protocol_type)
        protocols = sum(size_of(name) + len(data) + _PROTOCOL_BYTES for name, data in self.protocols)
        return OBJECT_BYTES + size_of(*texts) + protocols


@dataclass(slots=True)
class ClassicMember:
    """A member of a classic group.

    Attributes:
        member_id: id of the member.
        joining: the member's first JoinGroup, with the protocols and timeouts of the latest one.
        held: bytes taken from `Room` for the member.
        assignment: the leader's assignment for the member.
        is_new: whether the member waits for the answer to its first JoinGroup.
        join: the answer to JoinGroup that the member waits for.
        sync: the answer to SyncGroup that the member waits for.
    """

    member_id: str
    joining: Joining
    held: int
    assignment: bytes = b""
    is_new: bool = True
    join: "asyncio.Future[Value] | None" = None
    sync: "asyncio.Future[Value] | None" = None

    @property
    def rebalance_ms(self) -> int:
        """The rebalance timeout, cut to `LONGEST_SESSION_MS`."""
        return min(max(self.joining.rebalance_ms, 0), LONGEST_SESSION_MS)

    def subscription(self, protocol: str | None) -> bytes:
        """The member's subscription for an assignor, as sent when it joined; empty for an assignor that it lacks."""
        return dict(self.joining.protocols).get(protocol or "", b"")

    def settle_join(self, answer: "Value") -> None:
        """Answer the waiting JoinGroup, if there is one."""
        if self.join is not None and not self.join.done():
            self.join.set_result(answer)
        self.join = None

    def settle_sync(self, answer: "Value") -> bool:
        """Answer the waiting SyncGroup; returns whether there was one."""
        waits = self.sync is not None
        if self.sync is not None and not self.sync.done():
            self.sync.set_result(answer)
        self.sync = None
        return waits
