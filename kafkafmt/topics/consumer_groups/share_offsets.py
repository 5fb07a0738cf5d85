"""Start offsets of share groups, from `__share_group_state`: where the records that are still in flight begin.

Source: `ShareCoordinatorShard.replay`: a snapshot says all of a share partition, the updates behind it what changed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import SHARE_GROUP_STATE
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups.decoding import of_record
from kafkafmt.topics.consumer_groups.last_records import Stored
from kafkafmt.topics.decoding import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkafmt.topics.internal_log import InternalLog, InternalRecord

_SNAPSHOT_TYPE = 0
_UPDATE_TYPE = 1
_SNAPSHOT = _SNAPSHOT_TYPE.to_bytes(2, "big")
_UPDATE = _UPDATE_TYPE.to_bytes(2, "big")

_UNSET = -1

Report = Callable[[KafkafmtError], None]


class ShareOffset(NamedTuple):
    """What is kept of a share partition.

    Attributes:
        group_id: of the share group.
        topic_id: 22 characters.
        partition: of the topic.
        start_offset: first offset that is not done with.
        delivery_complete_count: how many from there on are done with; -1 where that was not stored (before Kafka 4.2).
        leader_epoch: of the share partition's leader; -1 for none.
        write_timestamp: of the last snapshot, ms since the epoch; -1 for none.
        coordinator_partition: of `__share_group_state`.
        record_offset: of the last record of it.
    """

    group_id: str
    topic_id: str
    partition: int
    start_offset: int
    delivery_complete_count: int
    leader_epoch: int
    write_timestamp: int
    coordinator_partition: int
    record_offset: int


@dataclass
class _Records:
    """The records of one share partition that are in force."""

    snapshot: "InternalRecord | None" = None
    updates: "list[InternalRecord]" = field(default_factory=list)

    def memory(self) -> int:
        """Estimate how many bytes they take."""
        return RECORD + sum(_memory(entry) for entry in (self.snapshot, *self.updates) if entry is not None)


def _memory(entry: "InternalRecord") -> int:
    return RECORD + len(entry.key or b"") + len(entry.value or b"")


def read(log: "InternalLog", report: Report) -> "Iterable[ShareOffset]":
    """Read what share groups have; share partitions that no member has read yet have no start offset, and are left out.

    Args:
        log: of `__share_group_state`.
        report: called with what cannot be decoded.

    Raises:
        KafkafmtError: as `InternalLog.records`.
        LimitExceededError: the records in force take more memory than `limits.max_state_bytes` allows.
    """
    found: dict[tuple[int, bytes], _Records] = {}
    memory = log.memory(lambda: sum(map(_Records.memory, found.values())))
    for entry in log.records():
        if entry.control_type is not None:
            continue
        memory.add(_memory(entry), entry.file, entry.position)
        kind, key = (entry.key or b"")[:2], (entry.key or b"")[2:]
        if kind == _SNAPSHOT:
            if entry.value is None:
                found.pop((entry.partition, key), None)
            else:
                found[entry.partition, key] = _Records(entry)
        elif kind == _UPDATE and entry.value is not None:
            found.setdefault((entry.partition, key), _Records()).updates.append(entry)
        else:
            _tell(CorruptError("neither a share snapshot nor an update of one"), entry, report)
    for (_, key), records in sorted(found.items()):
        offset = _replay(key, records, report)
        if offset is not None and offset.start_offset != _UNSET:
            yield offset


def _replay(key: bytes, records: _Records, report: Report) -> ShareOffset | None:
    last = records.updates[-1] if records.updates else records.snapshot
    if last is None:  # pragma: no cover: there is a record wherever there is a key
        return None
    try:
        names = coordinator_records.decode_key(SHARE_GROUP_STATE, _SNAPSHOT + key).data
    except KafkafmtError as error:
        _tell(error, last, report)
        return None
    known = {"startOffset": _UNSET, "deliveryCompleteCount": _UNSET, "leaderEpoch": _UNSET, "writeTimestamp": _UNSET}
    for entry in [records.snapshot, *records.updates]:
        if entry is None:
            continue
        number = _SNAPSHOT_TYPE if entry is records.snapshot else _UPDATE_TYPE
        try:
            message = coordinator_records.decode_value(SHARE_GROUP_STATE, number, entry.value)
        except KafkafmtError as error:
            _tell(error, entry, report)
            continue
        if message is not None:
            fields = message.data
            known |= {name: fields[name] for name in known if fields.get(name, _UNSET) != _UNSET}
            known["deliveryCompleteCount"] = fields.get("deliveryCompleteCount", _UNSET)
    return ShareOffset(
        names["groupId"],
        names["topicId"],
        names["partition"],
        known["startOffset"],
        known["deliveryCompleteCount"],
        known["leaderEpoch"],
        known["writeTimestamp"],
        last.partition,
        last.offset,
    )


def _tell(error: KafkafmtError, entry: "InternalRecord", report: Report) -> None:
    record = Stored(entry.offset, entry.value, entry.file, entry.position)
    report(of_record(error, SHARE_GROUP_STATE, entry.partition, record))
