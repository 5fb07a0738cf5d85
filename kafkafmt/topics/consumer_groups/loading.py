"""Loading: whether a coordinator replays a partition of `__consumer_offsets` to its end, or gives up.

The records are replayed in log order, with every check that can make Kafka's classes throw. Sources, of Kafka 4.4:
`CoordinatorLoaderImpl`, `GroupCoordinatorShard.replay`, `GroupMetadataManager.replay`, `OffsetMetadataManager.replay`,
`ConsumerGroup.addPartitionEpochs`, `ClassicGroup.add`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import CONSUMER_OFFSETS
from kafkafmt.libraries import np, pa, pc
from kafkafmt.phrases import counted
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.decoding import RECORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkafmt.topics.consumer_groups.replay import Stored

Fields = dict[str, Any]

CLASSIC, CONSUMER, SHARE, STREAMS = "GroupMetadata", "ConsumerGroup", "ShareGroup", "StreamsGroup"
"""Prefixes of the kinds of records by type of group, called its family."""

_COMMITS = ("LegacyOffsetCommit", "OffsetCommit")
_COMMIT_TYPES = (b"\0\0", b"\0\1")
_REMOVALS = (b"\0\2", b"\0\3", b"\0\x0b", b"\0\x11")  # types of each family's metadata, whose tombstones remove a group
_TYPE_NAMES = {CONSUMER: "consumer", SHARE: "share", STREAMS: "streams"}

_LEFT = -1
_NO_ASSIGNMENT = -1

_DISTINCT = {
    "ConsumerGroupTargetAssignmentMember": [("topicPartitions", "topicId")],
    "ShareGroupTargetAssignmentMember": [("topicPartitions", "topicId")],
    "ShareGroupCurrentMemberAssignment": [("assignedPartitions", "topicId")],
    "ShareGroupStatePartitionMetadata": [("initializingTopics", "topicId"), ("initializedTopics", "topicId")],
    "StreamsGroupTargetAssignmentMember": [
        (role, "subtopologyId") for role in ("activeTasks", "standbyTasks", "warmupTasks")
    ],
    "StreamsGroupMetadata": [("lastAssignmentConfigs", "key")],
    "StreamsGroupMemberMetadata": [("clientTags", "key")],
    "StreamsGroupTopology": [("subtopologies", "subtopologyId")],
}
"""Arrays from which Kafka makes a map (`Collectors.toMap`), with their keys: it throws on two equal ones."""


@dataclass(slots=True)
class _Member:
    """A member of a consumer group: its epoch, and the partitions that it has or gives back, by topic id."""

    epoch: int = 0
    assigned: dict[str, list[int]] = field(default_factory=dict)
    pending: dict[str, list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class _Group:
    """The state of a group on which the replay of later records depends.

    Attributes:
        family: type of the group.
        is_simple: whether a classic group has neither a protocol nor members, so that others may replace it.
        members: members by id.
        targets: ids of members with a target assignment.
        assignment_epoch: epoch of the target assignment.
        owned: epoch at which a partition is owned, by topic id and partition number.
    """

    family: str
    is_simple: bool = False
    members: dict[str, _Member] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)
    assignment_epoch: int = 1
    owned: dict[tuple[str, int], int] = field(default_factory=dict)

    def update(self, name: str, old: _Member | None, new: _Member | None) -> None:
        """Replace a member by its new state, or remove it."""
        for topic, number in _partitions(old):
            if old is not None and self.owned.get((topic, number)) == old.epoch:
                del self.owned[topic, number]
        if new is None:
            del self.members[name]
            return
        self.members[name] = new
        for place in _partitions(new):
            epoch = self.owned.get(place)
            if epoch is not None and epoch >= new.epoch:
                partition = f"partition {place[1]} of topic id {place[0]}"
                raise CorruptError(f"{partition} goes to a member at epoch {new.epoch}, but is owned at epoch {epoch}")
            self.owned[place] = new.epoch

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        return RECORD * (1 + len(self.members) + len(self.targets) + len(self.owned))


@dataclass(slots=True)
class Loading:
    """The replay of one partition, up to the first record on which Kafka throws.

    Attributes:
        failure: offset, file, position and fault of that record; None if there is none so far.
    """

    failure: tuple[int, str, int, KafkafmtError] | None = None
    _groups: dict[str, _Group] = field(default_factory=dict)
    _committed: set[bytes] = field(default_factory=set)
    _shapes: set[bytes] = field(default_factory=set)

    def take(self, batch: "pa.RecordBatch") -> None:
        """Take the next records of the partition in log order, including control records."""
        if self.failure is not None:
            return
        rows = batch.take(self._rows(batch))
        columns = [rows.column(name).to_pylist() for name in ("offset", "key", "value", "file", "position")]
        for offset, key, value, file, position in zip(*columns, strict=True):
            self._replay_next(offset, key, value, file, position)
            if self.failure is not None:
                return

    def take_record(self, key: bytes | None, record: "Stored") -> None:
        """Take the next single record, other than a control record; the same as `take` for many."""
        if self.failure is None:
            self._replay_next(record.offset, key, record.value, record.file, record.position)

    def _replay_next(self, offset: int, key: bytes | None, value: bytes | None, file: str, position: int) -> None:
        try:
            self._replay(key, value)
        except KafkafmtError as error:
            self.failure = (offset, file, position, error)
            self._groups.clear()
            self._committed.clear()

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        return sum(group.memory() for group in self._groups.values()) + RECORD // 2 * len(self._committed)

    def _rows(self, batch: "pa.RecordBatch") -> "NDArray[np.int64]":
        """Rows to replay: all except most offset commits, which only create a group where there is none."""
        keys, values = batch.column("key"), batch.column("value")
        types = pc.binary_slice(keys, 0, 2)
        commits = _mask(pc.is_in(types, pa.array(_COMMIT_TYPES)))
        records = _mask(batch.column("controlType").is_null())
        taken = records & ~commits
        rows = np.flatnonzero(records & commits & _mask(values.is_valid()))
        if not (taken & _mask(pc.is_in(types, pa.array(_REMOVALS))) & _mask(values.is_null())).any():
            rows = np.union1d(self._of_new_key(keys, rows), self._of_new_shape(values, rows))
        tombstones = np.flatnonzero(records & commits & _mask(values.is_null()))
        return np.sort(np.concatenate([np.flatnonzero(taken), rows, self._of_new_key(keys, tombstones)]))

    def _of_new_key(self, keys: "pa.Array", rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Rows of the first commit of each key that has not been replayed since a group was removed."""
        coded = keys.take(pa.array(rows)).dictionary_encode()
        fresh = np.array([key not in self._committed for key in coded.dictionary.to_pylist()], bool)
        return _first(coded, rows, fresh)

    def _of_new_shape(self, values: "pa.Array", rows: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Rows of the first commit of each shape: versions and lengths, which determine whether it can be decoded."""
        wanted = values.take(pa.array(rows))
        parts = [pc.binary_slice(wanted, start, stop) for start, stop in ((0, 2), (10, 12), (14, 16), (-1, None))]
        lengths = pc.cast(pc.cast(pc.binary_length(wanted), pa.string()), wanted.type)
        shapes = pc.binary_join_element_wise(*parts, lengths, pa.scalar(b".", wanted.type))
        coded = shapes.dictionary_encode()
        fresh = np.array([shape not in self._shapes for shape in coded.dictionary.to_pylist()], bool)
        self._shapes.update(coded.dictionary.to_pylist())
        return _first(coded, rows, fresh)

    def _replay(self, key: bytes | None, value: bytes | None) -> None:
        if key is None:
            raise CorruptError("a record without a key")
        if coordinator_records.unknown(CONSUMER_OFFSETS, key) is not None:
            return
        decoded = coordinator_records.decode_key(CONSUMER_OFFSETS, key)
        message = coordinator_records.decode_value(CONSUMER_OFFSETS, decoded.type, value)
        fields = None if message is None else message.data
        names = decoded.data
        kind, group_id = decoded.kind, names["group"] if "group" in names else names["groupId"]
        if kind in _COMMITS:
            if fields is not None:
                self._groups.setdefault(group_id, _Group(CLASSIC, is_simple=True))
                self._committed.add(key)
        elif kind == CLASSIC:
            if fields is None:
                self._remove(group_id)
            else:
                _check_classic(group_id, fields)
                is_simple = not (fields["protocolType"] or fields["members"])
                self._groups[group_id] = _Group(CLASSIC, is_simple)
        else:
            self._replay_modern(kind, group_id, names.get("memberId", ""), fields)

    def _replay_modern(self, kind: str, group_id: str, member_id: str, fields: Fields | None) -> None:
        family = next(each for each in (CONSUMER, SHARE, STREAMS) if kind.startswith(each))
        group = self._groups.get(group_id)
        if group is None and fields is None:
            return
        if group is None or (group.is_simple and family != SHARE):
            group = self._groups[group_id] = _Group(family)
        elif group.family != family:
            raise CorruptError(f"group {group_id} is not a {_TYPE_NAMES[family]} group")
        for array, name in _DISTINCT.get(kind, ()):
            _check_distinct(array, name, fields)
        replay = _REPLAYS.get(kind.removeprefix(family))
        if replay is not None and replay(group, group_id, member_id, fields):
            self._remove(group_id)

    def _remove(self, group_id: str) -> None:
        self._groups.pop(group_id, None)
        self._committed.clear()


def _metadata(group: _Group, group_id: str, _: str, fields: Fields | None) -> bool:
    """Replay a group's metadata; return whether the group is removed."""
    if fields is not None:
        return False
    if group.members or (group.targets and group.family != STREAMS):
        raise CorruptError(f"a tombstone of group {group_id}, which still has {_holders(group)}")
    if group.assignment_epoch != _NO_ASSIGNMENT:
        raise CorruptError(f"a tombstone of group {group_id} before that of its target assignment")
    return True


def _member(group: _Group, group_id: str, member_id: str, fields: Fields | None) -> bool:
    old = group.members.get(member_id)
    if fields is not None:
        group.update(member_id, old, old or _Member())
    elif old is not None:
        if old.epoch != _LEFT:
            raise CorruptError(f"a tombstone of member {member_id} of group {group_id} before that of its assignment")
        if member_id in group.targets:
            what = "that of its target assignment"
            raise CorruptError(f"a tombstone of member {member_id} of group {group_id} before {what}")
        group.update(member_id, old, None)
    return False


def _current(group: _Group, _: str, member_id: str, fields: Fields | None) -> bool:
    old = group.members.get(member_id)
    if fields is not None:
        owned = (fields.get(name) or () for name in ("assignedPartitions", "partitionsPendingRevocation"))
        by_topic = ({each["topicId"]: each["partitions"] for each in some} for some in owned)
        is_consumer = group.family == CONSUMER
        group.update(member_id, old, _Member(fields["memberEpoch"], *(by_topic if is_consumer else ())))
    elif old is not None:
        group.update(member_id, old, _Member(_LEFT))
    return False


def _target(group: _Group, _: str, member_id: str, fields: Fields | None) -> bool:
    (group.targets.discard if fields is None else group.targets.add)(member_id)
    return False


def _target_metadata(group: _Group, group_id: str, _: str, fields: Fields | None) -> bool:
    if fields is None and group.targets:
        raise CorruptError(f"a tombstone of the target assignment of group {group_id} before those of its members")
    epoch = _NO_ASSIGNMENT if fields is None else fields["assignmentEpoch"]
    timestamp = 0 if fields is None else fields.get("assignmentTimestamp", 0)
    if epoch < _NO_ASSIGNMENT or timestamp < 0:
        what = f"epoch {epoch}" if epoch < _NO_ASSIGNMENT else f"timestamp {timestamp}"
        raise CorruptError(f"a target assignment of group {group_id} with {what}")
    group.assignment_epoch = epoch
    return False


def _topology(_: _Group, group_id: str, __: str, fields: Fields | None) -> bool:
    if fields is not None and fields["epoch"] < 0:
        raise CorruptError(f"a topology of group {group_id} with epoch {fields['epoch']}")
    return False


_REPLAYS: dict[str, Callable[[_Group, str, str, Fields | None], bool]] = {
    "Metadata": _metadata,
    "MemberMetadata": _member,
    "CurrentMemberAssignment": _current,
    "TargetAssignmentMember": _target,
    "TargetAssignmentMetadata": _target_metadata,
    "Topology": _topology,
}
"""The replay of each kind, without its family; records of other kinds only require a group of their family."""


def _check_classic(group_id: str, fields: Fields) -> None:
    """Raise where `ClassicGroup.add` throws."""
    instances: set[str] = set()
    members: set[str] = set()
    for count, member in enumerate(fields["members"]):
        instance = member.get("groupInstanceId")
        if instance is not None and instance in instances:
            raise CorruptError(f"group {group_id} has several members with group.instance.id {instance}")
        if count != len(members):
            raise CorruptError(f"group {group_id} has a member twice")
        instances.add(instance)
        members.add(member["memberId"])


def _check_distinct(array: str, name: str, fields: Fields | None) -> None:
    values = [each[name] for each in (fields or {}).get(array) or ()]
    if len(set(values)) < len(values):
        twice = next(each for each in values if values.count(each) > 1)
        raise CorruptError(f"{array} has {name} {twice} twice")


def _holders(group: _Group) -> str:
    """The number of a group's members, or of its target assignments, in words."""
    return counted(len(group.members), "member") if group.members else counted(len(group.targets), "target assignment")


def _partitions(member: _Member | None) -> Iterator[tuple[str, int]]:
    for assigned in () if member is None else (member.assigned, member.pending):
        for topic, numbers in assigned.items():
            for number in dict.fromkeys(numbers):  # Kafka makes a set of them
                yield topic, number


def _first(coded: "pa.DictionaryArray", rows: "NDArray[np.int64]", wanted: "NDArray[np.bool_]") -> "NDArray[np.int64]":
    """The first of some rows with each wanted value.

    Args:
        coded: values of these rows.
        rows: their numbers.
        wanted: for each distinct value, whether it is wanted.
    """
    codes, first = np.unique(coded.indices.to_numpy(zero_copy_only=False), return_index=True)
    found: NDArray[np.int64] = rows[first[wanted[codes]]]
    return found


def _mask(values: "pa.Array | Iterable[bool]") -> "NDArray[np.bool_]":
    found: NDArray[np.bool_] = pc.fill_null(values, fill_value=False).to_numpy(zero_copy_only=False)
    return found
