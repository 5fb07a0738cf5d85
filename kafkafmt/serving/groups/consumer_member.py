"""ConsumerMember: a member of a group of KIP-848, its heartbeats, and the answers to them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import UUID

from kafkafmt.serving.groups.bounds import OBJECT_BYTES, size_of

SESSION_MS: Final = 45_000
"""Milliseconds without a heartbeat after which a member is removed: `group.consumer.session.timeout.ms`."""

AssignedPartition: TypeAlias = tuple[UUID, int]
"""Topic id and partition number: the partitions of a recreated topic are not those of the deleted one."""

Partitions: TypeAlias = frozenset[AssignedPartition]


@dataclass(frozen=True, slots=True)
class Beat:
    """The fields of a ConsumerGroupHeartbeat; None for those that have not changed since the last one.

    Attributes:
        member_id: id that the client has chosen; "" from clients of version 0.
        epoch: member epoch; 0 to join.
        instance_id: instance id of a static member.
        rack_id: rack of the client.
        client_id: id of the client.
        host: address of the client, as in ConsumerGroupDescribe.
        rebalance_ms: time in ms within which the member gives up partitions.
        topics: topics subscribed to by name.
        regex: regular expression of the topics subscribed to; "" to end that subscription.
        matched: topics that match the expression.
        assignor: the assignor that the member prefers.
        owned: partitions that the member owns.
    """

    member_id: str
    epoch: int
    instance_id: str | None
    rack_id: str | None
    client_id: str
    host: str
    rebalance_ms: int | None
    topics: tuple[str, ...] | None
    regex: str | None
    matched: tuple[str, ...] | None
    assignor: str | None
    owned: Partitions | None

    @property
    def is_full(self) -> bool:
        """Whether the heartbeat has all fields, so that its answer has them too."""
        is_subscribed = self.topics is not None or self.regex is not None
        return self.epoch == 0 or (is_subscribed and self.rebalance_ms is not None and self.owned is not None)


@dataclass(slots=True)
class ConsumerMember:
    """A member of a group of KIP-848.

    Attributes:
        epoch: epoch of the member's assignment.
        previous_epoch: the epoch before it, which a client repeats if an answer was lost.
        assigned: partitions that the member may read.
        revoking: partitions that the member has yet to give up.
        is_waiting: whether other members have yet to give up partitions of the member's target.
        held: bytes taken from `Room` for the member.
    """

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    host: str = ""
    rebalance_ms: int = SESSION_MS
    topics: tuple[str, ...] = ()
    regex: str | None = None
    matched: tuple[str, ...] = ()
    assignor: str | None = None
    epoch: int = 0
    previous_epoch: int = 0
    assigned: Partitions = frozenset()
    revoking: Partitions = frozenset()
    is_waiting: bool = False
    held: int = 0

    @property
    def subscribed(self) -> frozenset[str]:
        """Topics subscribed to by name or by expression."""
        return frozenset(self.topics) | frozenset(self.matched)

    @property
    def size(self) -> int:
        """Estimated memory of the member in bytes."""
        texts = (
            self.member_id,
            self.instance_id,
            self.rack_id,
            self.client_id,
            self.regex,
            *self.topics,
            *self.matched,
        )
        return OBJECT_BYTES + size_of(*texts) + 64 * len(texts)

    def advance(self, epoch: int) -> None:
        """Set the member's epoch."""
        self.previous_epoch, self.epoch = self.epoch, epoch


@dataclass(frozen=True, slots=True)
class Beaten:
    """The answer to a heartbeat.

    Attributes:
        member_id: id of the member.
        epoch: the member's epoch.
        assigned: partitions that the member may read; None if the member knows them.
    """

    member_id: str
    epoch: int
    assigned: Partitions | None = None


def topic_partitions(partitions: Collection[AssignedPartition]) -> Mapping[UUID, list[int]]:
    """Partition numbers by topic id, both in order."""
    found: dict[UUID, list[int]] = {}
    for topic_id, number in sorted(partitions):
        found.setdefault(topic_id, []).append(number)
    return found
