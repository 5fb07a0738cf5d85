"""The group coordinator: all groups of a broker. It begins with the groups of the disk; changes stay in memory.

A group of the disk is shown with the members of the dead cluster until a client joins. The client has the group for
itself, and begins at the committed offsets of the disk. Generations and epochs continue from the disk's, so that a
client that was a member in the dead cluster learns that it has to join again.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.groups.bounds import GROUP_BYTES, Clock, GroupError, Room, size_of
from kafkafmt.serving.groups.classic import ClassicGroup
from kafkafmt.serving.groups.consumer import ConsumerGroup
from kafkafmt.serving.groups.offsets import CommittedOffsets
from kafkafmt.serving.groups.stored import UNKNOWN_STATE
from kafkafmt.serving.groups.subscription import MatchingTopics

if TYPE_CHECKING:
    from kafkafmt.protocol.codec import Value
    from kafkafmt.serving.api import Broker
    from kafkafmt.serving.groups.bounds import TopicPartition
    from kafkafmt.topics.consumer_groups import Group

LiveGroup = ClassicGroup | ConsumerGroup

_STATE = "groups"
_RENEWED_BY = "stored groups"
_FIRST_EPOCH = 1
"""Epoch of a consumer group before its first assignment."""


class GroupCoordinator:
    """All groups of a broker.

    Args:
        stored: the groups of the disk by id.
        partitions_of: gives the numbers of the served partitions of a topic, in order.
        topic_id: gives the id of a topic.
        clock: measures the timeouts.

    Attributes:
        stored: the groups of the disk, as given or renewed.
        offsets: committed offsets.
        matches: topics that match regular expressions.
        live: groups that clients have joined, by id; an empty one only if it has commits or a later epoch than the
            disk has.
    """

    def __init__(
        self,
        stored: "Mapping[str, Group]",
        partitions_of: Callable[[str], Sequence[int]],
        topic_id: Callable[[str], UUID],
        clock: Clock,
    ) -> None:
        self.stored = stored
        self.live: dict[str, LiveGroup] = {}
        self._room = Room()
        self.offsets = CommittedOffsets(stored, self._room)
        self.matches = MatchingTopics()
        self._partitions_of, self._topic_id, self._clock = partitions_of, topic_id, clock

    def renew(self, stored: "Mapping[str, Group]") -> None:
        """Take over the disk's current groups, except those that clients have joined here.

        Args:
            stored: the groups of the disk by id.
        """
        joined = {group_id: self.stored[group_id] for group_id in self.live if group_id in self.stored}
        self.stored = {**{group_id: stored[group_id] for group_id in stored if group_id not in self.live}, **joined}
        self.offsets.renew(self.stored)

    def classic(self, group_id: str, *, is_new: bool) -> ClassicGroup:
        """The classic group that a client joins.

        Args:
            group_id: id of the group.
            is_new: whether the group may be created, because the client has no member id yet.

        Raises:
            GroupError: the group is of another type, or does not exist.
        """
        group = self.live.get(group_id)
        if isinstance(group, ClassicGroup):
            return group
        if group is not None and not group.is_empty:
            raise GroupError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if not is_new:
            raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID)
        made = ClassicGroup(group_id, self._last_epoch(group_id), self._clock, self._room, self._forget)
        self._replace(made)
        return made

    def consumer(self, group_id: str, *, is_new: bool) -> ConsumerGroup:
        """The consumer group that a client joins.

        Args:
            group_id: id of the group.
            is_new: whether the group may be created, because the client joins.

        Raises:
            GroupError: the group is of another type, or does not exist.
        """
        group = self.live.get(group_id)
        if isinstance(group, ConsumerGroup):
            return group
        if group is not None and not group.is_empty:
            raise GroupError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")
        if not is_new:
            if group_id in self.stored:  # the client was a member in the dead cluster, and has to rejoin
                raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID, f"The members of group {group_id} are gone.")
            raise GroupError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        epoch = max(_FIRST_EPOCH, self._last_epoch(group_id))
        made = ConsumerGroup(
            group_id, epoch, self._clock, self._room, self._forget, self._partitions_of, self._topic_id
        )
        self._replace(made)
        return made

    def _last_epoch(self, group_id: str) -> int:
        group, stored = self.live.get(group_id), self.stored.get(group_id)
        if isinstance(group, ClassicGroup):
            return group.generation
        if group is not None:
            return group.epoch
        return max(0, stored.epoch or 0) if stored is not None else 0

    def _replace(self, made: LiveGroup) -> None:
        old = self.live.get(made.group_id)
        if old is None:
            self._room.take(GROUP_BYTES + size_of(made.group_id))
        else:
            old.close()
        self.live[made.group_id] = made

    def _forget(self, group_id: str) -> None:
        """Drop an empty group about which nothing else is known, so that it is not listed."""
        stored = self.stored.get(group_id)
        has_begun = stored is not None and self._last_epoch(group_id) != max(0, stored.epoch or 0)
        if not has_begun and not self.offsets.has_commits(group_id):
            group = self.live.pop(group_id, None)
            if group is not None:
                group.close()
                self._room.give_back(GROUP_BYTES + size_of(group_id))

    def classic_member(self, group_id: str) -> ClassicGroup:
        """The classic group of a client that claims to be a member.

        Raises:
            GroupError: there is no such group, so the client is not a member.
        """
        group = self.live.get(group_id)
        if not isinstance(group, ClassicGroup):
            raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID)
        return group

    def check_commit(
        self,
        group_id: str,
        member_id: str,
        instance_id: str | None,
        epoch: int,
        version: int,
        partitions: "Collection[TopicPartition]",
    ) -> None:
        """Check a commit. One without a member, as of AdminClient, is accepted even if the disk has members.

        Args:
            group_id: id of the group.
            member_id: id of the committing member, or "".
            instance_id: instance id of a static member.
            epoch: generation or member epoch; -1 without a member.
            version: version of OffsetCommit.
            partitions: the committed partitions.

        Raises:
            GroupError: the commit is not allowed.
        """
        group, stored = self.live.get(group_id), self.stored.get(group_id)
        if isinstance(group, ClassicGroup):
            group.check_commit(member_id, instance_id, epoch)
        elif group is not None:
            group.check_commit(member_id, epoch, version, partitions)
        elif stored is not None and stored.type == "Share":
            raise GroupError(ErrorCode.GROUP_ID_NOT_FOUND)
        elif epoch >= 0 and stored is not None:
            raise GroupError(ErrorCode.UNKNOWN_MEMBER_ID)
        elif epoch >= 0:
            raise GroupError(ErrorCode.GROUP_ID_NOT_FOUND if version >= 9 else ErrorCode.ILLEGAL_GENERATION)

    def check_fetch(self, group_id: str, member_id: str | None, epoch: int) -> None:
        """Check that a client that fetches offsets as a member is one.

        Raises:
            GroupError: the client is not a member.
        """
        group = self.live.get(group_id)
        if isinstance(group, ConsumerGroup):
            group.check_fetch(member_id, epoch)

    def exists(self, group_id: str) -> bool:
        """Whether the group exists, on the disk or by actions of clients."""
        return group_id in self.live or group_id in self.stored or self.offsets.has_commits(group_id)

    def listed(self) -> "Iterator[Value]":
        """The fields of all groups in ListGroups."""
        for group_id, stored in self.stored.items():
            if group_id not in self.live:
                yield _listed(group_id, stored.protocol_type, stored.state or UNKNOWN_STATE, stored.type.lower())
        for group_id, group in self.live.items():
            kind = group.protocol_type if isinstance(group, ClassicGroup) else ConsumerGroup.kind
            yield _listed(group_id, kind, group.state, group.kind)
        for group_id in self.offsets:
            if group_id not in self.live and group_id not in self.stored:
                yield _listed(group_id, "", "Empty", ClassicGroup.kind)


def _listed(group_id: str, protocol_type: str, state: str, kind: str) -> "Value":
    return {"GroupId": group_id, "ProtocolType": protocol_type, "GroupState": state, "GroupType": kind}


async def coordinator(broker: "Broker", group_id: str | None = None) -> GroupCoordinator:
    """The coordinator of a broker; the first request reads the disk's groups, later ones only those that change.

    Args:
        broker: the broker.
        group_id: the only group of the request. If clients have joined it, nothing is read: heartbeats cannot wait.
    """
    if _STATE not in broker.state:
        broker.state[_STATE] = asyncio.ensure_future(_coordinator(broker))
    found: GroupCoordinator = await asyncio.shield(broker.state[_STATE])
    if broker.options.follow and group_id not in found.live:
        stored = await asyncio.to_thread(lambda: broker.disks.groups)
        if broker.state.get(_RENEWED_BY) is not stored:
            broker.state[_RENEWED_BY] = stored
            found.renew(stored)
    return found


async def _coordinator(broker: "Broker") -> GroupCoordinator:
    stored = await asyncio.to_thread(lambda: broker.disks.groups)
    disks, clock = broker.disks, asyncio.get_running_loop()
    return GroupCoordinator(stored, lambda topic: sorted(disks.logs.get(topic, ())), disks.topic_id, clock)
