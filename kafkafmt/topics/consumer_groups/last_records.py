"""Last records: what compaction would leave of `__consumer_offsets`, and what its transactions come to.

A broker that loads a partition replays every record. The state at the end needs only the last of each key, so keys and
values stay bytes until all is read: memory goes by keys, not by records. Only what belongs to a transaction is followed
record by record. Source: `OffsetMetadataManager.replay` and `replayEndTransactionMarker`.
"""

import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.compute as pc

from kafkafmt.topics.decoding import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa
    from numpy.typing import NDArray

    from kafkafmt.topics.decoding import StateMemory
    from kafkafmt.topics.internal_log import InternalLog

COLUMNS = ("offset", "key", "value", "producerId", "controlType", "file", "position")
"""Columns of the batches that `LastRecords.add` takes; there may be others."""

_FILE = COLUMNS.index("file")
_NO_PRODUCER = -1
_COMMIT_KEY_TYPES = (b"\x00\x00", b"\x00\x01")


class Stored(NamedTuple):
    """A record as it stands on disk.

    Attributes:
        offset: of the record in its partition.
        value: None is a tombstone.
        file: the log file.
        position: of its batch in that file, in bytes.
    """

    offset: int
    value: bytes | None
    file: str
    position: int


class LastRecords:
    """What the records of one partition leave.

    Attributes:
        commits: by key, without its type (0 and 1 lay out the same fields), the offset that is committed.
        last_commits: by the key of an offset that is not in force any more the offset of the last record that committed
            it: it made its group known.
        records: by key the last record of any other type, tombstones too.
        pending: by producer id what a transaction committed that has not ended, by key.
        without_key: the first record without a key, which no broker writes, or None.
    """

    def __init__(self) -> None:
        self.commits: dict[bytes, Stored] = {}
        self.last_commits: dict[bytes, int] = {}
        self.records: dict[bytes, Stored] = {}
        self.pending: dict[int, dict[bytes, Stored]] = {}
        self._pending_by_key: dict[bytes, set[int]] = {}
        self.without_key: Stored | None = None

    def add(self, batch: "pa.RecordBatch") -> None:
        """Take the next records of the partition, control records included, in the log's order."""
        rows = batch.take(_rows_that_count(batch))
        columns = [rows.column(name).to_pylist() for name in COLUMNS]
        columns[_FILE] = [sys.intern(name) for name in columns[_FILE]]  # a text of its own for each row is most of it
        for offset, key, value, producer, control, file, position in zip(*columns, strict=True):
            if control is not None:
                self._end_transaction(producer, control)
            elif key is None:
                self.without_key = self.without_key or Stored(offset, value, file, position)
            elif key[:2] in _COMMIT_KEY_TYPES:
                self._commit(key[2:], Stored(offset, value, file, position), producer)
            else:
                self.records[key] = Stored(offset, value, file, position)

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
                # Not the marker decides which commit is newer: both may have been cleaned by compaction since.
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
        """Estimate how many bytes this takes."""
        kept = (self.commits, self.records, *self.pending.values())
        sizes = sum(len(key) + len(record.value or b"") + RECORD for records in kept for key, record in records.items())
        return sizes + sum(len(key) + RECORD // 4 for key in self.last_commits) + RECORD * len(self._pending_by_key)


def by_partition(log: "InternalLog", found: dict[int, LastRecords], memory: "StateMemory") -> None:
    """Fold the records of a log into what each partition leaves.

    Args:
        log: of `__consumer_offsets`.
        found: takes it, by partition.
        memory: bounds it.

    Raises:
        KafkafmtError: as `InternalLog.records`.
        LimitExceededError: it takes too much memory.
    """
    for number, batch in log.record_batches():
        found.setdefault(number, LastRecords()).add(batch)
        stored = (pc.sum(pc.binary_length(batch.column(name)), min_count=0).as_py() for name in ("key", "value"))
        memory.add(
            RECORD * batch.num_rows + sum(stored), *(batch.column(name)[-1].as_py() for name in ("file", "position"))
        )


def _rows_that_count(batch: "pa.RecordBatch") -> "NDArray[np.int64]":
    """Rows that may matter at the end.

    Those that belong to no transaction only as the last value and the last tombstone of a key. That is as good as all
    of them: whatever a transaction does between two of them, the last ones have the last word.
    """
    keys, values = batch.column("key"), batch.column("value")
    codes = pc.dictionary_encode(keys).indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    codes = codes * 2 + values.is_null().to_numpy(zero_copy_only=False)
    producers = batch.column("producerId").to_numpy(zero_copy_only=False)
    plain = (producers == _NO_PRODUCER) & batch.column("controlType").is_null().to_numpy(zero_copy_only=False)
    plain &= keys.is_valid().to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(plain)
    last = np.full(int(codes.max(initial=-1)) + 1, -1, dtype=np.int64)
    last[codes[rows]] = rows  # of rows with the same code the last one is kept
    return np.sort(np.concatenate([last[last >= 0], np.flatnonzero(~plain)]))
