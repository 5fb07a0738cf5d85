"""What Kafka's StickyAssignor and CooperativeStickyAssignor give: a balance that leaves partitions where they are.

Kafka has two ways to it (AbstractStickyAssignor): a constrained one where all members subscribe to the same topics,
and a general one. Both begin with what members held before, as far as they agree on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kafkafmt.topics.assignment.group import Assignment, Group, Subscriber, TopicPartition
from kafkafmt.topics.assignment.sticky_constrained import Constrained
from kafkafmt.topics.assignment.sticky_general import General
from kafkafmt.topics.assignment.sticky_racks import Racks
from kafkafmt.topics.assignment.sticky_user_data import generation_of, previous_assignment

NO_GENERATION = -1


def assign_sticky(group: Group) -> Assignment:
    """Assign as StickyAssignor does: what members held stands in their user data.

    Raises:
        LimitExceededError: that takes too many steps.
        UnsupportedError: Kafka's own assignor fails at this group.
    """
    claims = {
        member_id: Claim(*previous_assignment(member.user_data)) if member.user_data else Claim((), None)
        for member_id, member in group.members.items()
    }
    return _assign(group, claims)[0]


def assign_cooperative_sticky(group: Group) -> Assignment:
    """Assign as CooperativeStickyAssignor does: a partition that changes hands is left out until it is given up.

    Raises:
        LimitExceededError: that takes too many steps.
        UnsupportedError: Kafka's own assignor fails at this group.
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
    """What a member says that it held, and in which generation of the group (None: it does not say)."""

    partitions: Sequence[TopicPartition]
    generation: int | None


def _assign(group: Group, claims: dict[str, Claim]) -> tuple[Assignment, dict[TopicPartition, str] | None]:
    """Assign, and tell which partitions move to whom where the way taken knows it."""
    if not group.members:
        return {}, {}
    owned, disputed = _agreed(group, claims)
    racks = Racks(group)
    if _all_subscribe_alike(group):
        constrained = Constrained(group, racks, owned, disputed)
        return constrained.assign(), constrained.moving
    return General(group, racks, owned, _previous_owners(claims)).assign(), None


def _agreed(group: Group, claims: dict[str, Claim]) -> tuple[dict[str, list[TopicPartition]], set[TopicPartition]]:
    """Who held what, the later generation being right; and what several claim of the same generation."""
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
                # Kafka compares with the generation of the subscription, even where the claim is from user data.
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
    """Who held a partition before those did that claim it in the latest generation."""
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


def _all_subscribe_alike(group: Group) -> bool:
    first: frozenset[str] = frozenset()
    for member in group.members.values():
        if not first:
            first = frozenset(member.topics)
        elif len(member.topics) != len(first) or not first.issuperset(member.topics):
            return False
    return True


def _moving(group: Group, assignment: Assignment) -> dict[TopicPartition, str]:
    """What a member gets that another one still holds."""
    added: dict[TopicPartition, str] = {}
    revoked: set[TopicPartition] = set()
    for member_id, partitions in assignment.items():
        held = set(group.members[member_id].owned_partitions)
        added.update((partition, member_id) for partition in partitions if partition not in held)
        revoked |= held.difference(partitions)
    return {partition: member_id for partition, member_id in added.items() if partition in revoked}
