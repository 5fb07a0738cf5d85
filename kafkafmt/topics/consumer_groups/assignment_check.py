"""Assignment check: compares a group's assignment with the one that its assignor computes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError
from kafkafmt.libraries import pa
from kafkafmt.topics import assignment
from kafkafmt.topics.assignment import Assignment, Subscriber
from kafkafmt.topics.consumer_groups.answer import PARTITIONS, Group, Member, TopicPartitions, in_partitions
from kafkafmt.topics.consumer_groups.catalog import TopicCatalog
from kafkafmt.topics.consumer_groups.describing import CONSUMERS

if TYPE_CHECKING:
    from kafkafmt.logdir.sources import Searchable

_Pairs = list[tuple[str, int]]


@dataclass(frozen=True)
class AssignmentCheck:
    """The assignment of one member, and the one that its assignor computes.

    Attributes:
        group_id: id of the group.
        protocol: assignor of the group.
        member_id: id of the member.
        stored: its assignment; of a consumer group its target assignment.
        expected: assignment by the assignor; None if it cannot be computed.
        agrees: whether they are equal; None if it cannot be computed.
        reason: why it cannot be computed, or if they differ, what the computation assumes; else None.
    """

    group_id: Annotated[str, Named("group", "string")]
    protocol: Annotated[str | None, "string"]
    member_id: Annotated[str, "string"]
    stored: Annotated[tuple[TopicPartitions, ...], PARTITIONS, in_partitions]
    expected: Annotated[tuple[TopicPartitions, ...] | None, PARTITIONS, in_partitions]
    agrees: Annotated[bool | None, "bool"]
    reason: Annotated[str | None, "string"]


_CHECKS = TableColumns(*columns_of(AssignmentCheck))
CHECKS = _CHECKS.schema
"""Columns of `checks_table`."""


def checks_table(checks: Iterable[AssignmentCheck]) -> "pa.Table":
    """Make a table with one row per member."""
    return _CHECKS.to_table(checks)


def check_assignments(groups: Iterable[Group], source: "Searchable") -> tuple[AssignmentCheck, ...]:
    """Compare the assignments of groups with those that their assignors compute.

    Classic groups use range, roundrobin, sticky or cooperative-sticky; consumer groups the coordinator's uniform or
    range, which starts from the current target assignment and keeps it if it is balanced.

    The number of partitions of a topic comes from the cluster's metadata in the sources, else from the highest
    partition there. Racks also come from the metadata.

    Args:
        groups: groups of `kafkafmt.topics.groups`.
        source: as for `kafkafmt.scan`.

    Returns:
        A check for each member of each group, in their order.

    Raises:
        SourceError: a source is missing or unreadable.
    """
    topics = _Topics(TopicCatalog(source, None, None, lambda _: None))
    return tuple(check for group in groups for check in _check(group, topics))


class _Topics:
    """Partition counts, ids and racks of topics."""

    def __init__(self, catalog: TopicCatalog) -> None:
        metadata = catalog.metadata
        self._catalog = catalog
        self.is_certain = metadata is not None and bool(metadata.topics)
        self.counts: Mapping[str, int] = catalog.partition_counts()
        self.racks: dict[tuple[str, int], Collection[str]] | None = None
        if metadata is not None and metadata.topics:
            self.counts = {name: len(topic.partitions) for name, topic in metadata.topics.items()}
            racks = {number: broker.rack for number, broker in metadata.brokers.items()}
            self.racks = {
                (name, number): [rack for each in partition.replicas if (rack := racks.get(each)) is not None]
                for name, topic in metadata.topics.items()
                for number, partition in topic.partitions.items()
            }
            self.racks = self.racks if any(self.racks.values()) else None

    @cached_property
    def ids(self) -> dict[str, str]:
        """Topic ids by name."""
        metadata = self._catalog.metadata
        known = {} if metadata is None else {name: topic.id for name, topic in metadata.topics.items()}
        return {name: topic_id for topic_id, name in self._catalog.names_by_id(of_each_topic=1).items()} | known

    def unknown(self, group: Group) -> list[str]:
        """Topics of a group whose number of partitions is unknown."""
        return [] if self.is_certain else [topic for topic in group.subscribed_topics if topic not in self.counts]


def _check(group: Group, topics: _Topics) -> list[AssignmentCheck]:
    reason = _why_not(group, topics)
    expected: Assignment = {}
    if reason is None:
        try:
            expected = _expected(group, topics)
        except KafkafmtError as error:
            reason = error.message
    assumption = _assumption(group, topics)
    checks = []
    for member in group.members:
        stored = _stored(group, member)
        given = _by_topic(expected[member.member_id]) if member.member_id in expected else None
        agrees = None if given is None else _pairs(stored) == _pairs(given)
        why = reason if agrees is None else None if agrees else assumption
        checks.append(AssignmentCheck(group.group_id, group.protocol, member.member_id, stored, given, agrees, why))
    return checks


def _expected(group: Group, topics: _Topics) -> Assignment:
    protocol = group.protocol or ""
    if group.type == "Classic":
        members = [_subscriber(each, each.subscribed_topics, each.owned_partitions) for each in group.members]
        return assignment.assign(protocol, members, topics.counts, racks=topics.racks)
    members = [
        _subscriber(each, sorted({*each.subscribed_topics, *each.matched_topics}), each.target_assignment)
        for each in group.members
    ]
    return assignment.assign_by_coordinator(protocol, members, topics.counts, topic_ids=topics.ids)


def _why_not(group: Group, topics: _Topics) -> str | None:
    """Why a group's assignment cannot be computed; None if it can."""
    known = assignment.PROTOCOLS if group.type == "Classic" else assignment.COORDINATOR_ASSIGNORS
    if group.type not in ("Classic", "Consumer"):
        return f"assignments of {group.type.lower()} groups are not computed"
    if group.state in (None, "Assigning"):
        return (
            "a record of the group cannot be decoded" if group.state is None else "the coordinator has not assigned yet"
        )
    if group.protocol_type != CONSUMERS:
        return f"protocol type is {group.protocol_type!r}, not {CONSUMERS!r}"
    if group.protocol not in known:
        return f"{group.protocol} is not a built-in assignor ({', '.join(known)})"
    if any(member.raw_subscription is not None or member.raw_assignment is not None for member in group.members):
        return "a member's subscription or assignment cannot be decoded"
    if any(each.topic is None for member in group.members for each in member.target_assignment):
        return "the name of an assigned topic is not on these disks"
    unknown = topics.unknown(group)
    if unknown:
        return f"unknown partition count, neither on these disks nor in the cluster metadata: {', '.join(unknown)}"
    return None


def _assumption(group: Group, topics: _Topics) -> str:
    counts = ", ".join(f"{topic} {topics.counts[topic]}" for topic in group.subscribed_topics if topic in topics.counts)
    source = "cluster metadata" if topics.is_certain else "highest on these disks"
    return f"computed with the current partition counts ({source}): {counts or 'none'}"


def _stored(group: Group, member: Member) -> tuple[TopicPartitions, ...]:
    return member.target_assignment if group.type == "Consumer" else member.assignment


def _subscriber(member: Member, topics: Sequence[str], owned: Iterable[TopicPartitions]) -> Subscriber:
    return Subscriber(
        member.member_id,
        topics,
        group_instance_id=member.group_instance_id,
        rack=member.rack_id,
        owned_partitions=_pairs(owned),
        generation=member.generation,
        user_data=member.user_data,
    )


def _pairs(assigned: Iterable[TopicPartitions]) -> _Pairs:
    return sorted((each.topic or "", number) for each in assigned for number in each.partitions)


def _by_topic(pairs: _Pairs) -> tuple[TopicPartitions, ...]:
    by_topic: dict[str, list[int]] = {}
    for topic, number in sorted(pairs):
        by_topic.setdefault(topic, []).append(number)
    return tuple(TopicPartitions(topic, tuple(numbers)) for topic, numbers in by_topic.items())
