"""Committed offsets of groups: those of the disk, overridden by those that clients commit, which stay in memory."""

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import NO_ID, uuid_of
from kafkafmt.serving.groups.bounds import COMMIT_BYTES, Room, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafkafmt.serving.groups.bounds import TopicPartition
    from kafkafmt.topics.consumer_groups import Group

NONE = -1


class CommitInEffect(NamedTuple):
    """A committed offset.

    Attributes:
        offset: next offset to read; -1 for none.
        leader_epoch: leader epoch of the last record read before the offset; -1 for none.
        metadata: text of the client.
        topic_id: id of the topic; zero if the commit was stored without one.
    """

    offset: int = NONE
    leader_epoch: int = NONE
    metadata: str = ""
    topic_id: UUID = NO_ID


class CommittedOffsets:
    """Committed offsets by group.

    Args:
        stored: the groups of the disk by id.
        room: bounds the memory of clients' commits.
    """

    def __init__(self, stored: "Mapping[str, Group]", room: Room) -> None:
        self._stored, self._room = stored, room
        self._commits: dict[str, dict[TopicPartition, CommitInEffect]] = {}

    def renew(self, stored: "Mapping[str, Group]") -> None:
        """Take over the disk's current groups."""
        self._stored = stored

    def has_commits(self, group_id: str) -> bool:
        """Whether a client has committed offsets of the group."""
        return group_id in self._commits

    def __iter__(self) -> "Iterator[str]":
        """The groups whose offsets a client has committed."""
        return iter(self._commits)

    def commit(self, group_id: str, place: "TopicPartition", commit: CommitInEffect) -> None:
        """Keep a commit.

        Raises:
            GroupError: no memory is left for it.
        """
        known = self._commits.get(group_id, {})
        size = COMMIT_BYTES + size_of(commit.metadata, place[0])
        if place in known:
            size -= COMMIT_BYTES + size_of(known[place].metadata, place[0])
        elif not known:
            size += COMMIT_BYTES + size_of(group_id)
        self._room.take(size, ErrorCode.INVALID_COMMIT_OFFSET_SIZE)
        self._commits.setdefault(group_id, {})[place] = commit

    def of(self, group_id: str) -> "dict[TopicPartition, CommitInEffect]":
        """The commits in effect for a group."""
        found: dict[TopicPartition, CommitInEffect] = {}
        group = self._stored.get(group_id)
        if group is not None and group.type != "Share":  # a share group has start offsets instead
            for each in group.offsets:
                if each.topic is not None:
                    epoch = NONE if each.leader_epoch is None else each.leader_epoch
                    commit = CommitInEffect(each.offset, epoch, each.metadata or "", uuid_of(each.topic_id))
                    found[each.topic, each.partition] = commit
        return found | self._commits.get(group_id, {})

    def pending(self, group_id: str) -> "frozenset[TopicPartition]":
        """Partitions whose offsets an open transaction of the disk has committed, and no client since then."""
        group = self._stored.get(group_id)
        since = self._commits.get(group_id, {})
        places = () if group is None else ((each.topic, each.partition) for each in group.pending_offsets)
        return frozenset((topic, number) for topic, number in places if topic and (topic, number) not in since)
