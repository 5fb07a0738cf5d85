"""Group records: the last records of `__consumer_offsets`, decoded and sorted by group."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.answers import unless_unset
from kafkafmt.topics.consumer_groups.loading import CLASSIC, CONSUMER, SHARE, STREAMS
from kafkafmt.topics.consumer_groups.replay import LastRecords, Stored, of_record
from kafkafmt.topics.decoding import RECORD, StateMemory
from kafkafmt.topics.log_notes import UnknownRecords

_OFFSET_COMMIT_TYPE = 1
_OFFSET_COMMIT = _OFFSET_COMMIT_TYPE.to_bytes(2, "big")

_FAMILIES = (CLASSIC, CONSUMER, SHARE, STREAMS)

_REMOVED_BY = {
    "GroupMetadata": "",
    "ConsumerGroupMetadata": CONSUMER,
    "ShareGroupMetadata": SHARE,
    "StreamsGroupMetadata": STREAMS,
}
"""Families of groups that the tombstone of a kind removes; that of a classic group removes any."""

_GIVEN_BACK = ("CurrentMemberAssignment", "TargetAssignmentMetadata")

Fields = dict[str, Any]

_MOST_TEXTS = 10_000


class Commit(NamedTuple):
    """An offset commit, with the fields of Kafka's OffsetCommitValue, None for those that are not set.

    Attributes:
        topic: name of the topic.
        partition: number of the partition.
        record_offset: offset of the record in `__consumer_offsets`.
    """

    topic: str
    partition: int
    offset: int
    leader_epoch: int | None
    metadata: str
    commit_timestamp: int
    expire_timestamp: int | None
    topic_id: str | None
    record_offset: int


def commit_memory(commit: Commit) -> int:
    """Estimate of a commit's size in bytes, with its entries in dictionaries."""
    return RECORD + len(commit.metadata) + len(commit.topic)


class GroupRecord(NamedTuple):
    """A record of a group that is in effect.

    Attributes:
        fields: fields of the value.
        stored: the record's place, without its value.
        memory: estimate of its size in bytes.
    """

    fields: Fields
    stored: Stored
    memory: int


@dataclass
class GroupRecords:
    """The records of one group.

    Attributes:
        by_kind: records in effect other than commits, by kind, then by member id or regular expression, or "" if a
            group has only one.
        removed_at: offset of the last tombstone that removed the group, by family; "" stands for any family.
        replaced_at: offset of the last record of a classic group, which replaces any other; -1 for none.
        commits: commits in effect, by topic and partition; emptied when the group is built.
        pending: commits of open transactions, with their producer ids.
        last_commit: offset of the last commit, in effect or not; -1 for none.
        undecoded: offset of the last record that could not be decoded, by kind.
        given_back: offset of the tombstone of a member's current assignment, by member id; "" stands for the target
            assignment.
    """

    by_kind: dict[str, dict[str, GroupRecord]] = field(default_factory=lambda: defaultdict(dict))
    removed_at: dict[str, int] = field(default_factory=dict)
    replaced_at: int = -1
    commits: dict[tuple[str, int], Commit] = field(default_factory=dict)
    pending: list[tuple[int, Commit]] = field(default_factory=list)
    last_commit: int = -1
    undecoded: dict[str, int] = field(default_factory=dict)
    given_back: dict[str, int] = field(default_factory=dict)

    def keeps(self, kind: str, offset: int) -> bool:
        """Whether a record of a kind is in effect: the group was neither removed nor replaced later."""
        if kind != CLASSIC and offset < self.replaced_at:
            return False
        return not any(kind.startswith(family) and offset < at for family, at in self.removed_at.items())

    def of(self, kind: str) -> dict[str, GroupRecord]:
        """The records of a kind."""
        return self.by_kind.get(kind, {})

    def one(self, kind: str) -> Fields | None:
        """The fields of the only record of a kind, or None."""
        record = self.of(kind).get("")
        return None if record is None else record.fields

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        commits = (*self.commits.values(), *(commit for _, commit in self.pending))
        records = (record for group in self.by_kind.values() for record in group.values())
        return RECORD + sum(map(commit_memory, commits)) + sum(RECORD + record.memory for record in records)

    @property
    def exists(self) -> bool:
        """Whether a coordinator has the group: by records of its own, or by commits after its removal.

        Commits in effect or pending are enough: brokers before 0.10.1 remove the records of a group without members,
        but keep its offsets.
        """
        removed = max(self.removed_at.values(), default=-1)
        left = self.by_kind or self.undecoded or self.commits or self.pending
        return bool(left) or self.last_commit > removed

    @property
    def families(self) -> list[str]:
        """The families of its records, the last written one first."""
        last: dict[str, int] = {}
        records = [(kind, record.stored.offset) for kind, group in self.by_kind.items() for record in group.values()]
        for kind, offset in (*records, *self.undecoded.items()):
            for family in _FAMILIES:
                if kind.startswith(family):
                    last[family] = max(offset, last.get(family, -1))
        return sorted(last, key=lambda family: -last[family])

    @property
    def is_contradictory(self) -> bool:
        """Whether it has records of several families, which no broker loads.

        Any group may replace a classic one without protocol and members, such as one before its first member joins.
        """
        families = self.families
        classic = self.one(CLASSIC)
        if classic is not None and not (classic["protocolType"] or classic["members"]):
            families.remove(CLASSIC)
        return len(families) > 1


@dataclass(slots=True)
class CoordinatorPartition:
    """The groups of one partition of `__consumer_offsets`.

    Attributes:
        partition: number of the partition.
        bound: bounds the decoded records.
        groups: records by group id.
        topic_names: names of topics by id, from commits.
        failures: offsets of records that could not be decoded, and the errors, with file and position: no broker loads
            them.
        refused: offset and error of the first record that a coordinator refuses, unless it is among the failures.
        unknown: records of types that this release does not know, which a broker skips.
    """

    partition: int
    bound: StateMemory
    groups: dict[str, GroupRecords] = field(default_factory=lambda: defaultdict(GroupRecords))
    topic_names: dict[str, str] = field(default_factory=dict)
    failures: list[tuple[int, KafkafmtError]] = field(default_factory=list)
    refused: tuple[int, KafkafmtError] | None = None
    unknown: UnknownRecords = field(default_factory=UnknownRecords)
    _texts: dict[str, str] = field(default_factory=dict)

    def take(self, last: LastRecords) -> None:
        """Decode the last records, dropping each in turn, so that each is held in only one form.

        Raises:
            LimitExceededError: the decoded records take too much memory.
        """
        self._take_commits(last)
        self._take_records(last)
        if last.without_key is not None:
            self._report(CorruptError("a record without a key"), last.without_key)
        if last.loading.failure is not None:
            offset, file, position, error = last.loading.failure
            if all(offset != known for known, _ in self.failures):
                self.refused = offset, self._named(error, Stored(offset, None, file, position))
                self.refused[1].message += ": no coordinator of Kafka 4.x loads this partition, and none of its groups"
        self.groups = {group_id: records for group_id, records in self.groups.items() if records.exists}

    def memory(self) -> int:
        """Estimate of the groups' size in bytes."""
        return sum(records.memory() for records in self.groups.values())

    def _take_commits(self, last: LastRecords) -> None:
        gone = {key: offset for key, offset in last.last_commits.items() if key not in last.commits}
        for group, commit in self._commits(last.commits):
            place = commit.topic, commit.partition
            other = group.commits.get(place)
            if other is None or other.record_offset < commit.record_offset:
                group.commits[place] = commit
        for producer, offsets in sorted(last.pending.items()):
            for group, commit in self._commits(offsets):
                group.pending.append((producer, commit))
        for key, offset in gone.items():
            try:
                group = self.groups[_commit_key(key)["group"]]
            except KafkafmtError:
                continue  # reported above if it is pending, else it has no effect
            group.last_commit = max(group.last_commit, offset)

    def _commits(self, stored: dict[bytes, Stored]) -> Iterator[tuple[GroupRecords, Commit]]:
        for key in list(stored):
            record = stored.pop(key)
            try:
                names = _commit_key(key)
                value = coordinator_records.decode_value(CONSUMER_OFFSETS, _OFFSET_COMMIT_TYPE, record.value)
            except KafkafmtError as error:
                self._report(error, record)
                continue
            if value is None:
                continue
            commit = self._commit(names, value.data, record.offset)
            group = self.groups[names["group"]]
            group.last_commit = max(group.last_commit, record.offset)
            # The size of its record, which is dropped, has already been added.
            self.bound.add(commit_memory(commit) - RECORD, record.file, record.position)
            yield group, commit

    def _commit(self, names: Fields, fields: Fields, record_offset: int) -> Commit:
        topic, metadata = self._once(names["topic"]), self._once(fields["metadata"])
        topic_id = fields.get("topicId")
        if topic_id is not None:
            topic_id = self._once(topic_id)
            self.topic_names[topic_id] = topic
        return Commit(
            topic,
            names["partition"],
            fields["offset"],
            unless_unset(fields.get("leaderEpoch", -1)),
            metadata,
            fields["commitTimestamp"],
            unless_unset(fields.get("expireTimestamp", -1)),
            topic_id,
            record_offset,
        )

    def _once(self, text: str) -> str:
        """A shared copy of the text, as many commits have the same topic."""
        return self._texts.setdefault(text, text) if len(self._texts) < _MOST_TEXTS else text

    def _take_records(self, last: LastRecords) -> None:
        kept = []
        for key, record in last.records.items():
            unknown = coordinator_records.unknown(CONSUMER_OFFSETS, key)
            if unknown is not None:
                self.unknown.add(unknown, record.offset, record.file, record.position)
                continue
            try:
                decoded = coordinator_records.decode_key(CONSUMER_OFFSETS, key)
            except KafkafmtError as error:
                self._report(error, record)
                continue
            names = decoded.data
            group = self.groups[names.get("groupId") or names.get("group") or ""]
            name = names.get("memberId") or names.get("regularExpression") or ""
            if record.value is not None:
                kept.append((group, decoded, name, key))
                if decoded.kind == CLASSIC:
                    group.replaced_at = record.offset
            elif decoded.kind.endswith(_GIVEN_BACK):
                group.given_back[name] = record.offset
            elif decoded.kind in _REMOVED_BY:
                group.removed_at[_REMOVED_BY[decoded.kind]] = record.offset
        for group, decoded, name, key in kept:
            record = last.records.pop(key)
            if not group.keeps(decoded.kind, record.offset):
                continue
            try:
                value = coordinator_records.decode_value(CONSUMER_OFFSETS, decoded.type, record.value)
            except KafkafmtError as error:
                self._report(error, record)
                group.undecoded[decoded.kind] = max(record.offset, group.undecoded.get(decoded.kind, -1))
                continue
            if value is not None:
                place = record._replace(value=None)
                group.by_kind[decoded.kind][name] = GroupRecord(value.data, place, value.memory)
                self.bound.add(value.memory, record.file, record.position)

    def _report(self, error: KafkafmtError, record: Stored) -> None:
        self.failures.append((record.offset, self._named(error, record)))

    def _named(self, error: KafkafmtError, record: Stored) -> KafkafmtError:
        return of_record(error, CONSUMER_OFFSETS, self.partition, record)


def _commit_key(key: bytes) -> Fields:
    return coordinator_records.decode_key(CONSUMER_OFFSETS, _OFFSET_COMMIT + key).data
