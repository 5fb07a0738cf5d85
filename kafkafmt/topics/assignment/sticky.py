"""Kafka's StickyAssignor and CooperativeStickyAssignor: a balanced assignment that moves few partitions.

`AbstractStickyAssignor` has two algorithms: a constrained one if all members subscribe to the same topics, and a
general one. Both start from the partitions that members owned before, if the members agree on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kafkafmt.errors import KafkafmtError
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.assignment.group import (
    Assignment,
    GroupSpec,
    Racks,
    Subscriber,
    TopicPartition,
    java_string_key,
    kafka_fails,
    without,
)
from kafkafmt.topics.assignment.sticky_general import GeneralSticky

NO_GENERATION = -1


def assign_sticky(group: GroupSpec) -> Assignment:
    """StickyAssignor: members' user data has the partitions that they owned.

    Raises:
        LimitExceededError: it takes too many steps.
        UnsupportedError: Kafka's own assignor fails on this group.
    """
    claims = {
        member_id: Claim(*previous_assignment(member.user_data)) if member.user_data else Claim((), None)
        for member_id, member in group.members.items()
    }
    return _assign(group, claims)[0]


def assign_cooperative_sticky(group: GroupSpec) -> Assignment:
    """CooperativeStickyAssignor: a partition that changes its owner is left out until the old owner has revoked it.

    Raises:
        LimitExceededError: it takes too many steps.
        UnsupportedError: Kafka's own assignor fails on this group.
    """
    claims = {
        member_id: Claim(member.owned_partitions, _cooperative_generation(member))
        for member_id, member in group.members.items()
    }
    assignment, moving = _assign(group, claims)
    if moving is None:
        moving = _moving(group, assignment)
    return {
        member_id: [partition for partition in partitions if moving.get(partition) != member_id]
        for member_id, partitions in assignment.items()
    }


def _cooperative_generation(member: Subscriber) -> int | None:
    if member.known_generation is not None:
        return member.known_generation
    return None if member.user_data is None else generation_of(member.user_data)


@dataclass(frozen=True, slots=True)
class Claim:
    """Partitions that a member claims to have owned, and the generation of the claim (None if not stated)."""

    partitions: Sequence[TopicPartition]
    generation: int | None


def _assign(group: GroupSpec, claims: dict[str, Claim]) -> tuple[Assignment, dict[TopicPartition, str] | None]:
    """The assignment; and the new owner of each partition that moves, None if the algorithm does not compute these."""
    if not group.members:
        return {}, {}
    owned, disputed = _agreed(group, claims)
    racks = Racks(group)
    if _all_subscribe_alike(group):
        constrained = _Constrained(group, racks, owned, disputed)
        return constrained.assign(), constrained.moving
    return GeneralSticky(group, racks, owned, _previous_owners(claims)).assign(), None


def _agreed(group: GroupSpec, claims: dict[str, Claim]) -> tuple[dict[str, list[TopicPartition]], set[TopicPartition]]:
    """Owned partitions by member, where the later generation wins; and partitions claimed twice in one generation."""
    owned: dict[str, dict[TopicPartition, None]] = {}
    owner: dict[TopicPartition, str] = {}
    disputed: set[TopicPartition] = set()
    for member_id, claim in claims.items():
        own = owned.setdefault(member_id, {})
        generation = NO_GENERATION if claim.generation is None else claim.generation
        for partition in claim.partitions:
            if partition[0] not in group.counts:
                continue
            other = owner.get(partition)
            if other is not None:
                # Kafka compares with the generation of the subscription, even if the claim is from user data.
                known = group.members[other].known_generation
                other_generation = NO_GENERATION if known is None else known
                if generation < other_generation:
                    continue
                owned[other].pop(partition, None)
                if generation == other_generation:
                    disputed.add(partition)
                    owner[partition] = member_id
                    continue
            own[partition] = None
            owner[partition] = member_id
    return {member_id: list(partitions) for member_id, partitions in owned.items()}, disputed


def _previous_owners(claims: dict[str, Claim]) -> dict[TopicPartition, str]:
    """Owner of each partition before the members that claim it in the latest generation."""
    generations = {
        member_id: NO_GENERATION if claim.generation is None else claim.generation
        for member_id, claim in claims.items()
    }
    latest = max(NO_GENERATION, *generations.values())
    previous: dict[TopicPartition, str] = {}
    for member_id, claim in claims.items():
        if generations[member_id] < latest:
            for partition in claim.partitions:
                if partition not in previous or generations[member_id] > generations[previous[partition]]:
                    previous[partition] = member_id
    return previous


def _all_subscribe_alike(group: GroupSpec) -> bool:
    first: frozenset[str] = frozenset()
    for member in group.members.values():
        if not first:
            first = frozenset(member.topics)
        elif len(member.topics) != len(first) or not first.issuperset(member.topics):
            return False
    return True


def _moving(group: GroupSpec, assignment: Assignment) -> dict[TopicPartition, str]:
    """New owners of partitions that another member still owns."""
    added: dict[TopicPartition, str] = {}
    revoked: set[TopicPartition] = set()
    for member_id, partitions in assignment.items():
        held = set(group.members[member_id].owned_partitions)
        added.update((partition, member_id) for partition in partitions if partition not in held)
        revoked |= held.difference(partitions)
    return {partition: member_id for partition, member_id in added.items() if partition in revoked}


def previous_assignment(user_data: bytes) -> tuple[list[TopicPartition], int | None]:
    """Decode the user data of a StickyAssignor: owned partitions, and the generation if it is stated.

    As in Kafka, unreadable data means no partitions, in generation -1.
    """
    try:
        data = coordinator_records.decode_sticky_user_data(user_data).data
    except KafkafmtError:
        return [], NO_GENERATION
    partitions = [(each["topic"], number) for each in data["previousAssignment"] for number in each["partitions"]]
    return partitions, data.get("generation")


def generation_of(user_data: bytes) -> int:
    """Decode the user data of a CooperativeStickyAssignor: the generation, or -1 if it cannot be read."""
    try:
        generation: int = coordinator_records.decode_cooperative_sticky_user_data(user_data).data["generation"]
    except KafkafmtError:
        return NO_GENERATION
    return generation


class _Constrained:
    """`AbstractStickyAssignor.ConstrainedAssignmentBuilder`: each member keeps partitions up to its quota.

    Attributes:
        moving: new owner of each partition that another member owned or several members claimed; filled by `assign`.
    """

    def __init__(
        self,
        group: GroupSpec,
        racks: Racks,
        owned: dict[str, list[TopicPartition]],
        disputed: set[TopicPartition],
    ) -> None:
        self._group = group
        self._racks = racks
        self._owned = owned
        self._disputed = disputed
        total, members = len(group.partitions), len(owned)
        self._quota, self._expected_above = divmod(total, members)  # latter: members with one more
        self._most = self._quota + (self._expected_above > 0)
        self._above = 0
        self._assignment: Assignment = {member_id: [] for member_id in owned}
        self._below: list[str] = []  # members with less than the quota
        self._at_quota: list[str] = []  # members that may get one more
        self._given_up: dict[TopicPartition, str] = {}
        self.moving: dict[TopicPartition, str] = {}

    def assign(self) -> Assignment:
        """Compute the assignment.

        Raises:
            LimitExceededError: it takes too many steps.
            UnsupportedError: Kafka's own assignor fails on this group.
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
        """Let a member keep what it owned, up to its quota."""
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
        """Give partitions to members in their racks, in turn; return the partitions without such a member."""
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
        """Give the remaining partitions to members in turn: first up to the quota, then one more."""
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
