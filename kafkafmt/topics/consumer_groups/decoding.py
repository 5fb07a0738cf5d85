"""Decoding: last records as messages, by group; what cannot be decoded is told with its file and position."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups.last_records import LastRecords, Stored
from kafkafmt.topics.decoding import RECORD, StateMemory

_OFFSET_COMMIT_TYPE = 1
_OFFSET_COMMIT = _OFFSET_COMMIT_TYPE.to_bytes(2, "big")

CLASSIC, CONSUMER, SHARE, STREAMS = "GroupMetadata", "ConsumerGroup", "ShareGroup", "StreamsGroup"
"""How the names of the kinds of records begin by which a group is of its type."""

_FAMILIES = (CLASSIC, CONSUMER, SHARE, STREAMS)

_REMOVED_BY = {
    "GroupMetadata": "",
    "ConsumerGroupMetadata": CONSUMER,
    "ShareGroupMetadata": SHARE,
    "StreamsGroupMetadata": STREAMS,
}
"""Kinds whose tombstone removes a group, and of which family it has to be: a classic one's removes any."""

_GIVEN_BACK = ("CurrentMemberAssignment", "TargetAssignmentMetadata")

Fields = dict[str, Any]

_UNSET = -1
_MOST_TEXTS = 10_000


class Commit(NamedTuple):
    """An offset commit.

    Attributes:
        topic: name of the topic.
        partition: of the topic.
        offset: the offset committed, and so on: fields of Kafka's OffsetCommitValue; None for one that is not set.
        leader_epoch: likewise.
        metadata: likewise.
        commit_timestamp: likewise.
        expire_timestamp: likewise.
        topic_id: likewise.
        record_offset: of the record in `__consumer_offsets`.
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
    """Estimate how many bytes a commit takes, its place in dictionaries included."""
    return RECORD + len(commit.metadata) + len(commit.topic)


class GroupRecord(NamedTuple):
    """A record of a group that is in force.

    Attributes:
        fields: of its value.
        stored: where it is, without its value.
        memory: estimate of the bytes that it takes.
    """

    fields: Fields
    stored: Stored
    memory: int


@dataclass
class GroupRecords:
    """The records of one group.

    Attributes:
        by_kind: those in force, but offset commits: by kind, then by member id, regular expression, or "" where a group
            has only one.
        removed_at: by family the offset of the last tombstone that removed the group; of any family in "".
        replaced_at: offset of the last record of a classic group, which replaces whatever there was; -1 for none.
        commits: in force, by topic and partition; emptied when the group is made.
        pending: in transactions that have not ended, with their producer ids.
        last_commit: offset of the last record that committed an offset, in force or not; -1 for none.
        undecoded: of kinds with a record that could not be decoded, the offset of the last such.
        given_back: by member id the offset of the tombstone by which a member gave back what it had; in "" that of the
            target assignment's.
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
        """Whether a record of a kind is still in force: the group was neither removed nor replaced after it."""
        if kind != CLASSIC and offset < self.replaced_at:
            return False
        return not any(kind.startswith(family) and offset < at for family, at in self.removed_at.items())

    def of(self, kind: str) -> dict[str, GroupRecord]:
        """The records of a kind."""
        return self.by_kind.get(kind, {})

    def one(self, kind: str) -> Fields | None:
        """The fields of the record of a kind that a group has only once, or None."""
        record = self.of(kind).get("")
        return None if record is None else record.fields

    def memory(self) -> int:
        """Estimate how many bytes this takes."""
        commits = (*self.commits.values(), *(commit for _, commit in self.pending))
        records = (record for group in self.by_kind.values() for record in group.values())
        return RECORD + sum(map(commit_memory, commits)) + sum(RECORD + record.memory for record in records)

    @property
    def is_there(self) -> bool:
        """Whether a coordinator knows the group: by records of its own, or as it committed offsets since its removal.

        Offsets that are in force or pending keep it in any case: brokers before 0.10.1 remove the records of a group
        without members, and keep its offsets.
        """
        removed = max(self.removed_at.values(), default=-1)
        left = self.by_kind or self.undecoded or self.commits or self.pending
        return bool(left) or self.last_commit > removed

    @property
    def families(self) -> list[str]:
        """The families that it has records of, the last written first."""
        last: dict[str, int] = {}
        records = [(kind, record.stored.offset) for kind, group in self.by_kind.items() for record in group.values()]
        for kind, offset in (*records, *self.undecoded.items()):
            for family in _FAMILIES:
                if kind.startswith(family):
                    last[family] = max(offset, last.get(family, -1))
        return sorted(last, key=lambda family: -last[family])

    @property
    def is_contradictory(self) -> bool:
        """Whether it has records of several families with which no broker loads it.

        A classic group without protocol and members, as when a member is about to join, is replaced without ado.
        """
        families = self.families
        classic = self.one(CLASSIC)
        if classic is not None and not (classic["protocolType"] or classic["members"]):
            families.remove(CLASSIC)
        return len(families) > 1


class Decoded:
    """What one partition of `__consumer_offsets` holds, decoded.

    Args:
        partition: its number.
        memory: bounds what is decoded.

    Attributes:
        partition: as given.
        groups: records by group id.
        topic_names: names of topics by id, as commits tell them.
        errors: what could not be decoded, with file and position.
    """

    def __init__(self, partition: int, memory: StateMemory) -> None:
        self.partition = partition
        self.errors: list[KafkafmtError] = []
        self.topic_names: dict[str, str] = {}
        self._memory = memory
        self._groups: dict[str, GroupRecords] = defaultdict(GroupRecords)
        self._texts: dict[str, str] = {}
        self.groups: dict[str, GroupRecords] = {}

    def take(self, last: LastRecords) -> None:
        """Decode the last records, and take them out on the way, so that none is kept in both forms.

        Raises:
            LimitExceededError: what is decoded takes too much memory.
        """
        self._take_commits(last)
        self._take_records(last)
        if last.without_key is not None:
            self._report(CorruptError("a record without a key"), last.without_key)
        self.groups = {group_id: records for group_id, records in self._groups.items() if records.is_there}

    def memory(self) -> int:
        """Estimate how many bytes the groups take."""
        return sum(records.memory() for records in self._groups.values())

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
                group = self._groups[_commit_key(key)["group"]]
            except KafkafmtError:
                continue  # reported above if it is pending, and else without effect
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
            group = self._groups[names["group"]]
            group.last_commit = max(group.last_commit, record.offset)
            # Of its record, which is dropped, this was added already.
            self._memory.add(commit_memory(commit) - RECORD, record.file, record.position)
            yield group, commit

    def _commit(self, names: Fields, fields: Fields, record_offset: int) -> Commit:
        topic, metadata = self._once(names["topic"]), self._once(fields["metadata"])
        topic_id = fields.get("topicId")
        if topic_id is not None:
            topic_id = self._once(topic_id)
            self.topic_names[topic_id] = topic
        epoch, expires = fields.get("leaderEpoch", _UNSET), fields.get("expireTimestamp", _UNSET)
        return Commit(
            topic,
            names["partition"],
            fields["offset"],
            None if epoch == _UNSET else epoch,
            metadata,
            fields["commitTimestamp"],
            None if expires == _UNSET else expires,
            topic_id,
            record_offset,
        )

    def _once(self, text: str) -> str:
        """The same text, held once: many commits are of one topic."""
        return self._texts.setdefault(text, text) if len(self._texts) < _MOST_TEXTS else text

    def _take_records(self, last: LastRecords) -> None:
        kept = []
        for key, record in last.records.items():
            try:
                decoded = coordinator_records.decode_key(CONSUMER_OFFSETS, key)
            except KafkafmtError as error:
                self._report(error, record)
                continue
            names = decoded.data
            group = self._groups[names.get("groupId") or names.get("group") or ""]
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
                self._memory.add(value.memory, record.file, record.position)

    def _report(self, error: KafkafmtError, record: Stored) -> None:
        self.errors.append(of_record(error, CONSUMER_OFFSETS, self.partition, record))


def of_record(error: KafkafmtError, topic: str, partition: int, record: Stored) -> KafkafmtError:
    """The same error with the record that it is about, and its file and position."""
    return type(error)(
        f"record {record.offset} of {topic}-{partition}: {error.message}",
        file=record.file,
        position=record.position,
        expected=error.expected,
        found=error.found,
    )


def _commit_key(key: bytes) -> Fields:
    return coordinator_records.decode_key(CONSUMER_OFFSETS, _OFFSET_COMMIT + key).data
