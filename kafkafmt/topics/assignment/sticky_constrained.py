"""Kafka's sticky assignment where all members subscribe to the same topics: each keeps up to its quota."""

from kafkafmt.topics.assignment.group import Assignment, Group, TopicPartition
from kafkafmt.topics.assignment.java_order import java_string_key
from kafkafmt.topics.assignment.sticky_racks import Racks, kafka_fails, without


class Constrained:
    """One assignment, that AbstractStickyAssignor calls constrained.

    Attributes:
        moving: partitions that another member held or several claimed, and who gets them; filled by `assign`.
    """

    def __init__(
        self,
        group: Group,
        racks: Racks,
        owned: dict[str, list[TopicPartition]],
        disputed: set[TopicPartition],
    ) -> None:
        self._group = group
        self._racks = racks
        self._owned = owned
        self._disputed = disputed
        total, members = len(group.partitions), len(owned)
        self._quota, self._expected_above = divmod(total, members)  # how many members get one more than the quota
        self._most = self._quota + (self._expected_above > 0)
        self._above = 0
        self._assignment: Assignment = {member_id: [] for member_id in owned}
        self._below: list[str] = []  # members that have less than the quota
        self._at_quota: list[str] = []  # members that may get one more
        self._given_up: dict[TopicPartition, str] = {}
        self.moving: dict[TopicPartition, str] = {}

    def assign(self) -> Assignment:
        """Work out who gets what.

        Raises:
            LimitExceededError: that takes too many steps.
            UnsupportedError: Kafka's own assignor fails at this group.
        """
        for member_id, owned in self._owned.items():
            self._keep(member_id, owned)
        self._below.sort(key=java_string_key)
        self._at_quota.sort(key=java_string_key)
        kept = sorted(partition for partitions in self._assignment.values() for partition in partitions)
        unassigned = self._racks.by_consumers_near(without(self._group.partitions, kept))
        if self._racks.matter:
            unassigned = self._fill_near(unassigned)
        self._fill(unassigned)
        if self._below and (
            self._above != self._expected_above
            or any(len(self._assignment[member_id]) != self._quota for member_id in self._below)
        ):
            raise kafka_fails()
        return self._assignment

    def _keep(self, member_id: str, owned: list[TopicPartition]) -> None:
        """Let a member keep what it held, up to its quota."""
        near = []
        for partition in sorted(owned, key=lambda each: (each[1], each[0])):
            if self._racks.mismatch(member_id, partition):
                self._given_up[partition] = member_id
            elif partition not in self._disputed:
                near.append(partition)
        if len(near) < self._quota:
            self._assignment[member_id] += near
            self._below.append(member_id)
            return
        keeps = self._quota
        if self._above < self._expected_above:
            if len(near) >= self._most:
                keeps = self._most
                self._count_above()
            else:
                self._at_quota.append(member_id)
        self._assignment[member_id] += near[:keeps]
        self._given_up.update(dict.fromkeys(near[keeps:], member_id))

    def _count_above(self) -> None:
        self._above += 1
        if self._above == self._expected_above:
            self._at_quota.clear()

    def _fill_near(self, unassigned: list[TopicPartition]) -> list[TopicPartition]:
        """Give partitions to members in their racks, in turn; returns those for which there is none."""
        turn = 0
        left = []
        for partition in unassigned:
            index = self._racks.next_near(partition, self._below, turn)
            if index is not None:
                member_id = self._below[index]
                count = len(self._assignment[member_id]) + 1
                if count >= self._quota:
                    del self._below[index]
                    if count < self._most and self._above < self._expected_above:
                        self._at_quota.append(member_id)
                else:
                    index += 1
                turn = index % len(self._below) if self._below else 0
            else:
                index = self._racks.next_near(partition, self._at_quota, 0)
                if index is None:
                    left.append(partition)
                    continue
                member_id = self._at_quota[index]
                if len(self._assignment[member_id]) + 1 == self._most:
                    del self._at_quota[index]
                    self._count_above()
            self._give(partition, member_id)
        return left

    def _fill(self, unassigned: list[TopicPartition]) -> None:
        """Give what is left to members in turn: first up to the quota, then one more."""
        turn = 0
        for partition in unassigned:
            if self._below:
                turn %= len(self._below)
                member_id = self._below[turn]
                turn += 1
            elif self._at_quota:
                member_id = self._at_quota.pop(0)
            else:
                raise kafka_fails()
            count = self._give(partition, member_id)
            if count == self._quota:
                turn -= 1
                del self._below[turn]
                self._at_quota.append(member_id)
            elif count == self._most:
                self._above += 1

    def _give(self, partition: TopicPartition, member_id: str) -> int:
        self._assignment[member_id].append(partition)
        if self._given_up.get(partition, member_id) != member_id or partition in self._disputed:
            self.moving[partition] = member_id
        return len(self._assignment[member_id])
