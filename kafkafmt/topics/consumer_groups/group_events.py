"""Group events: the changes that records of one partition of `__consumer_offsets` make, in log order.

A record of a classic group holds the whole group, so comparing two of them shows which members joined or left. A record
of a consumer, share or streams group holds a part of it: an epoch, a member, an assignment.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.phrases import counted
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups.answer import Member, TopicPartitions
from kafkafmt.topics.consumer_groups.describing import (
    CONSUMERS,
    MEMBER_STATES,
    STREAMS_MEMBER_STATES,
    by_id,
    by_name,
    tasks_of,
)
from kafkafmt.topics.consumer_groups.group_records import Fields
from kafkafmt.topics.consumer_groups.group_so_far import (
    NO_EPOCH,
    UNKNOWN_END,
    CommitSoFar,
    GroupEvent,
    GroupSoFar,
    RecordOfGroup,
)
from kafkafmt.topics.consumer_groups.loading import CLASSIC, CONSUMER, SHARE, STREAMS
from kafkafmt.topics.consumer_groups.replay import of_record
from kafkafmt.topics.decoding import RECORD, DecodedRecord, decode_key
from kafkafmt.topics.internal_record import InternalRecord

COMMITS: Final = ("OffsetCommit", "LegacyOffsetCommit")

_NO_PRODUCER: Final = -1

Outcome = Callable[[InternalRecord], str]
Name = Callable[[str], str | None]
Report = Callable[[KafkafmtError], None]


class PartitionEvents:
    """Makes the events of one partition of `__consumer_offsets`.

    Args:
        wanted: tests whether events of a group are wanted.
        name: returns the name of a topic by its id, or None.
        outcome: returns how a record's transaction ended.
        report: called with the error of a record that cannot be decoded.

    Attributes:
        groups: the wanted groups so far, by id.
        topic_names: names of topics by id, from commits so far.
    """

    def __init__(self, wanted: Callable[[str], bool], name: Name, outcome: Outcome, report: Report) -> None:
        self.groups: dict[str, GroupSoFar] = {}
        self.topic_names: dict[str, str] = {}
        self._pending: dict[int, dict[tuple[str, str, int], CommitSoFar]] = {}
        self._wanted = wanted
        self._name = name
        self._outcome = outcome
        self._report = report

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        pending = sum(map(len, self._pending.values()))
        return sum(group.memory() for group in self.groups.values()) + RECORD // 2 * pending

    def take(self, record: InternalRecord) -> Iterator[GroupEvent]:
        """The events of the next record."""
        if record.control_type is not None:
            self._end_transaction(record)
            return
        try:
            if record.key is None:
                raise CorruptError("a record without a key")
            yield from self._take(record, record.key)
        except KafkafmtError as error:
            self._report(of_record(error, CONSUMER_OFFSETS, record.partition, record))

    def _take(self, record: InternalRecord, key: bytes) -> Iterator[GroupEvent]:
        decoded = decode_key(CONSUMER_OFFSETS, key)
        if decoded.key is None or decoded.kind is None or decoded.type is None:
            coordinator_records.decode_key(CONSUMER_OFFSETS, key)  # raises the error
            return
        group_id = decoded.key.get("groupId") or decoded.key.get("group") or ""
        if not self._wanted(group_id):
            return
        value = coordinator_records.decode_value(CONSUMER_OFFSETS, decoded.type, record.value)
        group = self.groups.setdefault(group_id, GroupSoFar())
        of_group = RecordOfGroup(group_id, record, decoded.kind, group)
        fields = None if value is None else value.data
        if decoded.kind in COMMITS:
            yield self._commit(of_group, decoded.key, fields)
        elif decoded.kind == CLASSIC:
            yield from self._classic(of_group, fields)
        else:
            yield from self._part(of_group, decoded, fields)

    # Offsets

    def _commit(self, of: "RecordOfGroup", key: Fields, fields: Fields | None) -> GroupEvent:
        group, record = of.group, of.record
        place = key["topic"], key["partition"]
        before = group.commits.get(place)
        previous = None if before is None else before.offset
        if fields is None:
            group.commits.pop(place, None)
            for offsets in self._pending.values():
                offsets.pop((of.group_id, *place), None)
            return of.event("tombstone", UNKNOWN_END, place=place, previous=previous)
        if fields.get("topicId") is not None:
            self.topic_names[fields["topicId"]] = key["topic"]
        offset = fields["offset"]
        transaction = None
        if record.producer_id == _NO_PRODUCER:
            group.commits[place] = CommitSoFar(offset, record.offset)
        else:
            transaction = self._outcome(record)
            of_producer = self._pending.setdefault(record.producer_id, {})
            of_producer[of.group_id, *place] = CommitSoFar(offset, record.offset)
        detail = None
        if transaction in (None, "committed"):
            detail = _of_move(offset, previous, is_empty=group.family is not None and not group.members)
        elif transaction is not None:
            detail = f"never in effect: its transaction {'was aborted' if transaction == 'aborted' else 'is open'}"
        event = of.event("commit", detail, place=place, offset=offset, previous=previous, transaction=transaction)
        # Before Kafka 0.10 only the commit itself has a time.
        return event if event.timestamp is not None else event._replace(timestamp=fields["commitTimestamp"])

    def _end_transaction(self, record: InternalRecord) -> None:
        if record.control_type not in ("COMMIT", "ABORT"):
            return
        offsets = self._pending.pop(record.producer_id, {})
        if record.control_type == "COMMIT":
            for (group_id, topic, partition), commit in offsets.items():
                commits = self.groups[group_id].commits
                standing = commits.get((topic, partition))
                # Commits are ordered by their own offsets, not by those of the markers that put them into effect.
                if standing is None or commit.record_offset > standing.record_offset:
                    commits[topic, partition] = commit

    # Classic groups

    def _classic(self, of: "RecordOfGroup", fields: Fields | None) -> Iterator[GroupEvent]:
        group = of.group
        if fields is None:
            yield from self._removed(of)
            return
        before = (group.generation, group.protocol, group.leader, group.member_count, group.assigned)
        old = group.members
        protocol_type = fields["protocolType"] or ""
        generation = fields["generation"]
        group.family, group.generation, group.protocol_type = CLASSIC, generation, protocol_type
        group.protocol, group.leader = fields["protocol"], fields["leader"]
        group.members = {
            each["memberId"]: Member(
                each["memberId"], client_id=each["clientId"], host=each["clientHost"], epoch=generation
            )
            for each in fields["members"]
        }
        group.assigned = {
            each["memberId"]: self._assignment(of, each)
            for each in fields["members"]
            if protocol_type in (CONSUMERS, "")
        }
        group.changed()
        after = (generation, group.protocol, group.leader, len(group.members), group.assigned)
        names = ("generation", "protocol", "leader", "members", "assignment")
        yield of.event("metadata", _changes(names, before, after))._replace(assignment=_assignments(group.assigned))
        for member_id, member in old.items():
            if member_id not in group.members:
                yield of.event("member left", None, member=member)
        for member_id, member in group.members.items():
            if member_id not in old:
                assigned = {member_id: group.assigned.get(member_id, ())}
                yield of.event("member joined", None, member=member)._replace(assignment=_assignments(assigned))

    def _assignment(self, of: "RecordOfGroup", member: Fields) -> tuple[TopicPartitions, ...]:
        if not member["assignment"]:
            return ()
        try:
            decoded = coordinator_records.decode_assignment(member["assignment"])
        except KafkafmtError as error:
            named = type(error)(f"assignment of member {member['memberId']}: {error.message}")
            self._report(of_record(named, CONSUMER_OFFSETS, of.record.partition, of.record))
            return ()
        return by_name(decoded.data["assignedPartitions"])

    def _removed(self, of: "RecordOfGroup") -> Iterator[GroupEvent]:
        """The events of a tombstone of a group's own record, and of the members that the group had."""
        gone = list(of.group.members.values())
        of.group.forget()
        yield of.event("deleted", UNKNOWN_END)
        for member in gone:
            yield of.event("member left", None, member=member)

    # Consumer, share and streams groups

    def _part(self, of: "RecordOfGroup", decoded: DecodedRecord, fields: Fields | None) -> Iterator[GroupEvent]:
        family = next(each for each in (CONSUMER, SHARE, STREAMS) if of.kind.startswith(each))
        part = of.kind.removeprefix(family)
        group = of.group
        if part == "Metadata" and fields is None:
            yield from self._removed(of)
            return
        if group.family != family:
            group.forget()  # a classic group of this name is replaced
            group.family = family
        group.changed()
        member_id = (decoded.key or {}).get("memberId")
        if part == "MemberMetadata":
            yield self._member(of, str(member_id), fields)
            return
        detail = self._apply(of, part, member_id, fields)
        event = of.event("metadata", detail)
        if member_id is not None:
            member = group.members.get(member_id)
            event = event._replace(member_id=member_id, client_id=None if member is None else member.client_id)
            if part in ("TargetAssignmentMember", "CurrentMemberAssignment") and family != STREAMS:
                given = (fields or {}).get("topicPartitions") or (fields or {}).get("assignedPartitions") or ()
                event = event._replace(assignment=_assignments({member_id: by_id(given, self._name_of)}))
        yield event

    def _member(self, of: "RecordOfGroup", member_id: str, fields: Fields | None) -> GroupEvent:
        members = of.group.members
        before = members.pop(member_id, None)
        if fields is None:
            return of.event("member left", None, member=before or Member(member_id))
        known = before or Member(member_id, state="STABLE")
        members[member_id] = member = replace(known, client_id=fields["clientId"], host=fields["clientHost"])
        topics = fields.get("subscribedTopicNames") or ()
        regex = fields.get("subscribedTopicRegex")
        subscription = ", ".join([*sorted(topics), *([f"regex {regex}"] if regex else [])])
        detail = f"subscribed to {subscription}" if subscription else None
        is_new = before is None or not before.client_id
        return of.event("member joined" if is_new else "metadata", detail, member=member)

    def _apply(self, of: "RecordOfGroup", part: str, member_id: str | None, fields: Fields | None) -> str:
        """Apply a part of a group; return what changed, in words."""
        group = of.group
        if fields is None:
            if part == "TargetAssignmentMetadata":
                group.assignment_epoch = NO_EPOCH
            return f"{_PARTS.get(part, part)} removed"
        if part == "Metadata":
            before, group.generation = group.generation, fields["epoch"]
            group.validated_epoch = fields.get("validatedTopologyEpoch", group.validated_epoch)
            return f"epoch {_arrow(before, group.generation)}"
        if part == "TargetAssignmentMetadata":
            known = None if group.assignment_epoch == NO_EPOCH else group.assignment_epoch
            group.assignment_epoch = fields["assignmentEpoch"]
            return f"assignment epoch {_arrow(known, group.assignment_epoch)}"
        if part == "CurrentMemberAssignment" and member_id is not None:
            return self._current(group, member_id, fields)
        if part == "Topology":
            group.topology_epoch = fields["epoch"]
            return f"topology epoch {fields['epoch']}, {counted(len(fields['subtopologies']), 'subtopology')}"
        if part == "TargetAssignmentMember" and group.family == STREAMS:
            return f"target assignment: {_in_words(fields, 'Tasks')}"
        return _PARTS.get(part, part)

    def _current(self, group: GroupSoFar, member_id: str, fields: Fields) -> str:
        known = group.members.get(member_id) or Member(member_id)
        is_streams = group.family == STREAMS
        states, unset = (STREAMS_MEMBER_STATES, 1) if is_streams else (MEMBER_STATES, 0)
        state = states.get(fields.get("state", unset), "UNKNOWN")
        epoch = fields["memberEpoch"]
        group.members[member_id] = replace(known, epoch=epoch, state=state)
        tasks = f": {_in_words(fields, 'Tasks')}" if is_streams else ""
        return f"member epoch {_arrow(fields['previousMemberEpoch'], epoch)}, {state}{tasks}"

    def _name_of(self, topic_id: str) -> str | None:
        return self.topic_names.get(topic_id) or self._name(topic_id)


_PARTS: Final[Mapping[str, str]] = {
    "PartitionMetadata": "partitions of the subscribed topics",
    "TargetAssignmentMetadata": "target assignment",
    "TargetAssignmentMember": "target assignment",
    "CurrentMemberAssignment": "current assignment",
    "RegularExpression": "topics of a regular expression",
    "StatePartitionMetadata": "partitions with share state",
    "Topology": "topology",
}


def _of_move(offset: int, previous: int | None, *, is_empty: bool) -> str | None:
    """How an offset moved, if unusually: back, or while the group was empty."""
    if previous is None or offset == previous:
        return None
    moved = f"back by {previous - offset:,}" if offset < previous else f"forward by {offset - previous:,}"
    if is_empty:
        return f"reset {moved}: the group had no members"
    return moved if offset < previous else None


def _changes(names: tuple[str, ...], before: tuple[Any, ...], after: tuple[Any, ...]) -> str | None:
    """Describe the change; ids of members have their own columns."""
    texts = []
    for name, old, new in zip(names, before, after, strict=True):
        if old != new:
            short = name in ("leader", "assignment")
            texts.append(f"{name} changed" if short else f"{name} {_arrow(old, new)}")
    return ", ".join(texts) or "nothing changed"


def _arrow(old: object, new: object) -> str:
    shown = "none" if new is None or new == "" else new
    return f"{shown}" if old is None else f"{old or (old if old == 0 else 'none')} -> {shown}"


def _assignments(assigned: Mapping[str, tuple[TopicPartitions, ...]]) -> list[dict[str, Any]]:
    return [
        {"memberId": member_id, "topic": each.topic, "topicId": each.topic_id, "partitions": each.partitions}
        for member_id, partitions in assigned.items()
        for each in partitions
    ]


def _in_words(fields: Fields, suffix: str) -> str:
    tasks = [
        f"{each.role} {each.subtopology_id}({','.join(map(str, each.partitions))})" for each in tasks_of(fields, suffix)
    ]
    return ", ".join(tasks) or "no tasks"
