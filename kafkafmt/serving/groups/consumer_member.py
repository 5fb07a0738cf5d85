"""ConsumerMember: a member of a group of KIP-848, its heartbeats, and the answers to them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from kafkafmt.serving.groups.bounds import OBJECT_BYTES, TopicPartition, size_of

SESSION_MS: Final = 45_000
"""Milliseconds without a heartbeat after which a member is gone: `group.consumer.session.timeout.ms`."""

Partitions = frozenset[TopicPartition]


@dataclass(frozen=True, slots=True)
class Beat:
    """A ConsumerGroupHeartbeat; None for what has not changed since the last one.

    Attributes:
        member_id: of the client's choice; "" of the first clients.
        epoch: member epoch; 0 to join.
        instance_id: of a static member.
        rack_id: of the client.
        client_id: name of the client.
        host: address of the client, as in ConsumerGroupDescribe.
        rebalance_ms: within so long it gives partitions up.
        topics: to which it subscribes by name.
        regex: to which topics it subscribes by a regular expression; "" for none any more.
        matched: topics that match it.
        assignor: that it prefers.
        owned: partitions that it has.
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
        """Whether it says everything, so that its answer does too."""
        is_subscribed = self.topics is not None or self.regex is not None
        return self.epoch == 0 or (is_subscribed and self.rebalance_ms is not None and self.owned is not None)


@dataclass(slots=True)
class ConsumerMember:
    """A member.

    Attributes:
        epoch: generation of the assignment that it has.
        previous_epoch: the one before: an answer may have been lost.
        assigned: partitions that it may read.
        revoking: partitions that it has yet to give up.
        is_waiting: whether others have yet to give up some of its target.
        held: bytes of the room that it takes.
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
        """Topics to which it subscribes by name or expression."""
        return frozenset(self.topics) | frozenset(self.matched)

    @property
    def size(self) -> int:
        """Estimate of its size in bytes."""
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
        """Take an epoch."""
        self.previous_epoch, self.epoch = self.epoch, epoch


@dataclass(frozen=True, slots=True)
class Beaten:
    """The answer to a heartbeat.

    Attributes:
        member_id: id of the member.
        epoch: its epoch.
        assigned: partitions that it may read; None if it knows them.
    """

    member_id: str
    epoch: int
    assigned: Partitions | None = None


def topic_partitions(partitions: Collection[TopicPartition]) -> Mapping[str, list[int]]:
    """Numbers by topic, both in order."""
    found: dict[str, list[int]] = {}
    for topic, number in sorted(partitions):
        found.setdefault(topic, []).append(number)
    return found
