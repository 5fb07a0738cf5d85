"""Replay: the records of `__consumer_offsets` and `__share_group_state` that are in effect at the end of a log.

A broker that loads a partition replays every record. The state at the end needs only the last record of each key, so
keys and values stay bytes until everything is read, and memory grows with keys, not with records. Only records of
transactions are tracked individually. Sources: `OffsetMetadataManager.replay` and `replayEndTransactionMarker`; for
start offsets of share groups `ShareCoordinatorShard.replay`: a snapshot has the whole state of a share partition, later
updates have changes.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.errors import CorruptError, KafkafmtError
from kafkafmt.internal_topics import SHARE_GROUP_STATE
from kafkafmt.libraries import np, pa, pc
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.consumer_groups.loading import Loading
from kafkafmt.topics.decoding import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kafkafmt.topics.decoding import StateMemory
    from kafkafmt.topics.internal_log import InternalLog
    from kafkafmt.topics.internal_record import InternalRecord
    from kafkafmt.topics.log_notes import UnknownRecords

COLUMNS = ("offset", "key", "value", "producerId", "controlType", "file", "position")
"""Columns of the batches that `LastRecords.add` takes; there may be others."""

_FILE = COLUMNS.index("file")
_NO_PRODUCER = -1
_COMMIT_KEY_TYPES = (b"\x00\x00", b"\x00\x01")

_SNAPSHOT_TYPE = 0
_UPDATE_TYPE = 1
_SNAPSHOT = _SNAPSHOT_TYPE.to_bytes(2, "big")
_UPDATE = _UPDATE_TYPE.to_bytes(2, "big")

_UNSET = -1

Report = Callable[[KafkafmtError], None]


class Stored(NamedTuple):
    """A record on disk.

    Attributes:
        offset: offset in its partition.
        value: bytes of the value; None for a tombstone.
        file: log file.
        position: position of its batch in that file, in bytes.
    """

    offset: int
    value: bytes | None
    file: str
    position: int


def of_record(error: KafkafmtError, topic: str, partition: int, record: "Stored | InternalRecord") -> KafkafmtError:
    """Make the same error with the record, its file and position."""
    return type(error)(
        f"record {record.offset} of {topic}-{partition}: {error.message}",
        file=record.file,
        position=record.position,
        expected=error.expected,
        found=error.found,
    )


class LastRecords:
    """The last records of one partition.

    Attributes:
        commits: offset commits in effect, by key without its type (types 0 and 1 have the same fields).
        last_commits: offset of the last commit of a key whose commit is no longer in effect, by which the coordinator
            still knows its group.
        records: last record of any other type by key, including tombstones.
        pending: commits of open transactions, by producer id and key.
        without_key: the first record without a key, which no broker writes, or None.
        loading: detects whether a coordinator replays the whole partition.
    """

    def __init__(self) -> None:
        self.commits: dict[bytes, Stored] = {}
        self.last_commits: dict[bytes, int] = {}
        self.records: dict[bytes, Stored] = {}
        self.pending: dict[int, dict[bytes, Stored]] = {}
        self._pending_by_key: dict[bytes, set[int]] = {}
        self.without_key: Stored | None = None
        self.loading = Loading()

    def add(self, batch: "pa.RecordBatch") -> None:
        """Add the next records of the partition in log order, including control records."""
        self.loading.take(batch)
        rows = batch.take(_rows_in_effect(batch))
        columns = [rows.column(name).to_pylist() for name in COLUMNS]
        columns[_FILE] = [sys.intern(name) for name in columns[_FILE]]  # else file names would take most of the memory
        for offset, key, value, producer, control, file, position in zip(*columns, strict=True):
            self._take(key, Stored(offset, value, file, position), producer, control)

    def add_record(self, record: "InternalRecord") -> None:
        """Add the next single record; the same as `add` for many."""
        stored = Stored(record.offset, record.value, sys.intern(record.file), record.position)
        if record.control_type is None:
            self.loading.take_record(record.key, stored)
        self._take(record.key, stored, record.producer_id, record.control_type)

    def _take(self, key: bytes | None, record: Stored, producer: int, control: str | None) -> None:
        if control is not None:
            self._end_transaction(producer, control)
        elif key is None:
            self.without_key = self.without_key or record
        elif key[:2] in _COMMIT_KEY_TYPES:
            self._commit(key[2:], record, producer)
        else:
            self.records[key] = record

    def _commit(self, key: bytes, record: Stored, producer: int) -> None:
        if record.value is None:
            gone = [self.commits.pop(key, None)]
            gone += [self.pending[other].pop(key, None) for other in self._pending_by_key.pop(key, ())]
            self._note_gone(key, gone)
            return
        if producer == _NO_PRODUCER:
            self.commits[key] = record
            self.last_commits.pop(key, None)
        else:
            self.pending.setdefault(producer, {})[key] = record
            self._pending_by_key.setdefault(key, set()).add(producer)

    def _end_transaction(self, producer: int, control: str) -> None:
        if control not in ("COMMIT", "ABORT"):
            return
        offsets = self.pending.pop(producer, {})
        for key in offsets:
            producers = self._pending_by_key[key]
            producers.discard(producer)
            if not producers:
                del self._pending_by_key[key]
        if control == "COMMIT":
            for key, record in offsets.items():
                standing = self.commits.get(key)
                # The offset determines which commit is newer, not the marker, which compaction may have removed.
                if standing is None or record.offset > standing.offset:
                    self.commits[key] = record
        else:
            for key, record in offsets.items():
                self._note_gone(key, [record])

    def _note_gone(self, key: bytes, records: "Iterable[Stored | None]") -> None:
        offsets = [record.offset for record in records if record is not None]
        if offsets:
            self.last_commits[key] = max(*offsets, self.last_commits.get(key, -1))

    def memory(self) -> int:
        """Estimate of its size in bytes."""
        kept = (self.commits, self.records, *self.pending.values())
        sizes = sum(len(key) + len(record.value or b"") + RECORD for records in kept for key, record in records.items())
        sizes += self.loading.memory()
        return sizes + sum(len(key) + RECORD // 4 for key in self.last_commits) + RECORD * len(self._pending_by_key)


def by_partition(log: "InternalLog", found: dict[int, LastRecords], memory: "StateMemory") -> None:
    """Reduce a log to the last records of each partition.

    Args:
        log: log of `__consumer_offsets`.
        found: mapping to extend by the last records, by partition.
        memory: bounds the memory of the records.

    Raises:
        KafkafmtError: as raised by `InternalLog.records`.
        LimitExceededError: the records take too much memory.
    """
    if log.is_read_by_entry:
        for record in log.records():
            found.setdefault(record.partition, LastRecords()).add_record(record)
            memory.add(record.memory, record.file, record.position)
        return
    for number, batch in log.record_batches():
        found.setdefault(number, LastRecords()).add(batch)
        stored = (pc.sum(pc.binary_length(batch.column(name)), min_count=0).as_py() for name in ("key", "value"))
        memory.add(
            RECORD * batch.num_rows + sum(stored), *(batch.column(name)[-1].as_py() for name in ("file", "position"))
        )


def _rows_in_effect(batch: "pa.RecordBatch") -> "NDArray[np.int64]":
    """Rows that may be in effect at the end.

    Outside transactions these are the last value and the last tombstone of each key: whatever a transaction does
    between two of them, the last ones decide.
    """
    keys, values = batch.column("key"), batch.column("value")
    codes = pc.dictionary_encode(keys).indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    codes = codes * 2 + values.is_null().to_numpy(zero_copy_only=False)
    producers = batch.column("producerId").to_numpy(zero_copy_only=False)
    plain = (producers == _NO_PRODUCER) & batch.column("controlType").is_null().to_numpy(zero_copy_only=False)
    plain &= keys.is_valid().to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(plain)
    last = np.full(int(codes.max(initial=-1)) + 1, -1, dtype=np.int64)
    last[codes[rows]] = rows  # numpy keeps the last of several assignments to one index
    return np.sort(np.concatenate([last[last >= 0], np.flatnonzero(~plain)]))


class ShareOffset(NamedTuple):
    """State of a share partition.

    Attributes:
        group_id: id of the share group.
        topic_id: topic id, 22 characters.
        partition: number of the partition.
        start_offset: first offset whose delivery is not complete.
        delivery_complete_count: records after it whose delivery is complete; -1 if not stored (before Kafka 4.2).
        leader_epoch: leader epoch of the share partition; -1 for none.
        write_timestamp: time of the last snapshot, ms since the epoch; -1 for none.
        coordinator_partition: partition of `__share_group_state`.
        record_offset: offset of its last record.
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
class _ShareRecords:
    """The records of one share partition that are in effect."""

    snapshot: "InternalRecord | None" = None
    updates: "list[InternalRecord]" = field(default_factory=list)

    def memory(self) -> int:
        """Estimate of their size in bytes."""
        return RECORD + sum(record.memory for record in (self.snapshot, *self.updates) if record is not None)


def share_offsets(log: "InternalLog", report: Report, unknown: "UnknownRecords") -> "Iterable[ShareOffset]":
    """Read the share partitions that have a start offset, because a member has read them.

    Args:
        log: log of `__share_group_state`.
        report: called with errors of records that cannot be decoded.
        unknown: collects records of unknown types, which a broker skips.

    Raises:
        KafkafmtError: as raised by `InternalLog.records`.
        LimitExceededError: the records in effect take more memory than `limits.max_state_bytes` allows.
    """
    found: dict[tuple[int, bytes], _ShareRecords] = {}
    memory = log.memory(lambda: sum(map(_ShareRecords.memory, found.values())))
    for record in log.records():
        if record.control_type is not None:
            continue
        memory.add(record.memory, record.file, record.position)
        if unknown.takes(SHARE_GROUP_STATE, record):
            continue
        kind, key = (record.key or b"")[:2], (record.key or b"")[2:]
        if kind == _SNAPSHOT:
            if record.value is None:
                found.pop((record.partition, key), None)
            else:
                found[record.partition, key] = _ShareRecords(record)
        elif kind == _UPDATE and record.value is not None:
            found.setdefault((record.partition, key), _ShareRecords()).updates.append(record)
        else:
            what = "an update without a value" if kind == _UPDATE else "a record without a type"
            report(_of(CorruptError(f"{what}: no coordinator of Kafka 4.x loads this partition"), record))
    for (_, key), records in sorted(found.items()):
        offset = _replay(key, records, report)
        if offset is not None and offset.start_offset != _UNSET:
            yield offset


def _replay(key: bytes, records: _ShareRecords, report: Report) -> ShareOffset | None:
    last = records.updates[-1] if records.updates else records.snapshot
    if last is None:  # pragma: no cover: there is a record wherever there is a key
        return None
    try:
        names = coordinator_records.decode_key(SHARE_GROUP_STATE, _SNAPSHOT + key).data
    except KafkafmtError as error:
        report(_of(error, last))
        return None
    known = {"startOffset": _UNSET, "deliveryCompleteCount": _UNSET, "leaderEpoch": _UNSET, "writeTimestamp": _UNSET}
    for record in [records.snapshot, *records.updates]:
        if record is None:
            continue
        number = _SNAPSHOT_TYPE if record is records.snapshot else _UPDATE_TYPE
        try:
            message = coordinator_records.decode_value(SHARE_GROUP_STATE, number, record.value)
        except KafkafmtError as error:
            report(_of(error, record))
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


def _of(error: KafkafmtError, record: "InternalRecord") -> KafkafmtError:
    return of_record(error, SHARE_GROUP_STATE, record.partition, record)
