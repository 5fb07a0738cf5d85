"""ClassicMember: a member of a classic group, what it joined with, and the answers that it waits for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.serving.groups.bounds import LONGEST_SESSION_MS, OBJECT_BYTES, size_of

if TYPE_CHECKING:
    import asyncio

    from kafkafmt.protocol.codec import Value

_PROTOCOL_BYTES = 100


@dataclass(frozen=True, slots=True)
class Joining:
    """A JoinGroup.

    Attributes:
        member_id: "" if it has none yet.
        instance_id: of a static member.
        client_id: name of the client.
        host: address of the client, as in DescribeGroups.
        protocol_type: "consumer", "connect", ..
        protocols: assignors by preference, each once, with the subscription for it.
        session_ms: without a heartbeat for so long it is removed.
        rebalance_ms: within so long it joins again.
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
        """Estimate of the member's size in bytes."""
        texts = (self.member_id, self.instance_id, self.client_id, self.protocol_type)
        protocols = sum(size_of(name) + len(data) + _PROTOCOL_BYTES for name, data in self.protocols)
        return OBJECT_BYTES + size_of(*texts) + protocols


@dataclass(slots=True)
class ClassicMember:
    """A member.

    Attributes:
        member_id: its id.
        joining: what it first joined with, and the protocols and timeouts of the last time.
        held: bytes of the room that it takes.
        assignment: what the leader gave it.
        is_new: whether it waits for the answer to its first JoinGroup.
        join: the answer to JoinGroup that it waits for.
        sync: the answer to SyncGroup that it waits for.
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
        """Its rebalance timeout, cut to what is allowed."""
        return min(max(self.joining.rebalance_ms, 0), LONGEST_SESSION_MS)

    def subscription(self, protocol: str | None) -> bytes:
        """Its subscription for an assignor, as sent when it joined; empty for an assignor that it does not know."""
        return dict(self.joining.protocols).get(protocol or "", b"")

    def settle_join(self, answer: "Value") -> None:
        """Answer a JoinGroup that waits."""
        if self.join is not None and not self.join.done():
            self.join.set_result(answer)
        self.join = None

    def settle_sync(self, answer: "Value") -> bool:
        """Answer a SyncGroup that waits; returns whether there was one."""
        waits = self.sync is not None
        if self.sync is not None and not self.sync.done():
            self.sync.set_result(answer)
        self.sync = None
        return waits
