"""ComparedCopy: one copy of a partition that is compared with another, its records, and a hash over them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.columns import SCHEMA
from kafkafmt.errors import DataError, KafkafmtError, SourceError
from kafkafmt.files import clean_shutdown
from kafkafmt.files.damage import Damage, Note, ignore
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.findings import Finding, finding_of
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import end_before_refuted
from kafkafmt.logdir.found import Found
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.logdir.truncation import LogState
from kafkafmt.operations.batch_stream import BatchStream
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.scanning.batching import record_batches
from kafkafmt.scanning.execution import Pass
from kafkafmt.scanning.selection import Selection
from kafkafmt.scanning.task_selection import TaskSelector
from kafkafmt.scanning.tasks import ScanTask
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.outcome import BrokerError

if TYPE_CHECKING:
    from kafkafmt.errors import OnDamage
    from kafkafmt.logdir.partition import Partition

HASHED: Final = ("offset", "timestamp", "isControl", "key", "value", "headers")
"""Columns of a scan that the hash covers, in the order in which their hashes are combined."""

_DIGEST_BYTES: Final = 16


@dataclass
class Reported:
    """The reports from reading, each kept once.

    Attributes:
        unreadable: called with the error of a file that cannot be read; may raise it.
        damage: skipped ranges, and incomplete last batches.
        notes: notes for the user.
        findings: faults of checkpoints.
        advance: called with the bytes of log files whose batches were compared.
    """

    unreadable: Callable[[SourceError], None]
    damage: dict[tuple[str | None, int], Damage] = field(default_factory=dict)
    notes: dict[Note, None] = field(default_factory=dict)
    findings: dict[Finding, None] = field(default_factory=dict)
    advance: Callable[[int], None] = ignore

    def report(self, damage: Damage) -> None:
        """Add damage."""
        self.damage.setdefault((damage.file, damage.position), damage)

    def note(self, note: Note) -> None:
        """Add a note."""
        self.notes.setdefault(note)


@dataclass
class ComparedCopy:
    """A copy of a partition.

    Args:
        found: directory of the copy.
        on_damage: "raise" or "skip".
        limits: bounds of memory.
        reported: collects the reports from reading.

    Attributes:
        state: log start and end, high watermark and leader epochs of the log; None if they are unknown. After a
            clean shutdown of its broker the log ends where the next start will load it to: by the header of the last
            batch, regardless of its CRC. Otherwise it ends after the last sound batch. If the offset of the last batch
            is too low, it ends after the previous batch.
        was_stopped: whether its broker was shut down cleanly, by the mark next to it; None outside a node's log
            directory.
        cleaner_offset: offset up to which the cleaner has compacted it, by cleaner-offset-checkpoint; 0 without one.
        topic_id: id in its partition.metadata, or None.
        lost: ranges of offsets (end exclusive) that damage has cost where records were decoded.
        refuted: base offsets of batches left out because the surrounding batches refute them.
    """

    found: Found
    on_damage: "OnDamage"
    limits: Limits
    reported: Reported
    lost: list[tuple[int, int]] = field(default_factory=list)
    refuted: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state: LogState | None = None
        self.was_stopped: bool | None = None
        self.cleaner_offset = 0
        self.topic_id: str | None = None
        self._next_state: LogState | None = None
        # The range being read: damage without known offsets may have cost any of its offsets.
        self._reading = (0, 0)
        partition = self.partition
        try:
            start, end = partition.log_start_offset or 0, partition.log_end_offset
            watermark, epochs = partition.high_watermark, EpochHistory(partition.leader_epochs).entries
            # If the last offset is the largest int64, no int64 is left for the log end.
            end = start if end is None else min(max(end, start), INT64_MAX)
            self.state = LogState.of(start, end, watermark, epochs)
            self.cleaner_offset = partition.cleaner_offset or 0
            self.topic_id = partition.topic_id
            directory = partition.location.parent
            if not isinstance(partition.location, TierPartition) and directory.child(META_PROPERTIES).is_file():
                self.was_stopped = clean_shutdown.is_marked(directory)
            if self._is_clean:
                self.state = self.state_after_start() or self.state
            in_order = end_before_refuted(partition)
            if in_order is not None and in_order > self.state.end:
                self.state = LogState.of(start, in_order, watermark, epochs)
        except DataError as error:
            self._broken(error)
        except SourceError as error:
            self.state = None
            self.reported.unreadable(error)

    @property
    def partition(self) -> "Partition":
        """Its directory."""
        return self.found.partition

    @property
    def _is_clean(self) -> bool:
        """Whether its start walks no segment; the metadata log's start always does."""
        return bool(self.was_stopped) and self.partition.topic != CLUSTER_METADATA

    def _broken(self, error: KafkafmtError) -> None:
        if self.on_damage == "raise" or not isinstance(error, DataError):
            raise error
        finding = finding_of(
            error, error.file or self.partition.path, topic=self.partition.topic, partition=self.partition.partition
        )
        self.reported.findings.setdefault(finding)

    def state_after_start(self) -> LogState | None:
        """State of the log after the next start of its broker, which may cut the log at damage.

        Leader epochs that recovery finds in batches are added. None if the state is unknown: the copy is not in
        the log directory of a node, or the start fails.

        Raises:
            SourceError: a file cannot be read.
        """
        state = self.state
        if state is None or self.was_stopped is None:
            return None
        if self._next_state is None:
            try:
                loaded = load_log(
                    self.partition.location.list(),
                    recovery_point=self.partition.recovery_point or 0,
                    log_start_offset=state.start,
                    clean_shutdown=self._is_clean,
                )
            except (BrokerError, DataError):
                return None
            start = state.start  # its local part may begin later, after its segments in remote storage
            end = min(max(loaded.log_end_offset, start), INT64_MAX)
            epochs = [EpochEntry(*each) for each in (*state.epochs, *loaded.added_epochs)]
            self._next_state = LogState.of(start, end, state.high_watermark, epochs)
        return self._next_state

    @property
    def state_to_follow(self) -> LogState | None:
        """The log when the copy leads or follows: its start may have cut it before, or lowered its end."""
        is_as_now = self.was_stopped is not False and not self._is_clean
        return self.state if is_as_now else self.state_after_start() or self.state

    def batches(self, start: int, end: int) -> BatchStream:
        """Its batches between two offsets."""
        return BatchStream(
            self.found.segments,
            start,
            end,
            self.on_damage,
            self.limits,
            self.reported.report,
            self.reported.advance,
            compacted_to=self.cleaner_offset,
            refuted=self.refuted,
        )

    def records(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Its records between two offsets, including control records.

        Args:
            start: the first offset.
            end: the offset after the last.
            columns: names of scan columns.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
        """
        selection = Selection(start_offset=start, end_offset=end, control_records=True)
        names = [*columns, "baseOffset"] if self.refuted else columns
        schema = pa.schema([SCHEMA.field(name) for name in names])
        self._reading = start, end
        with closing(self._pass(selection).decode(self._tasks(selection), schema)) as parts:  # type: ignore[type-var]
            for records in record_batches(parts, schema):
                yield self._unrefuted(records).select(columns) if self.refuted else records

    def _unrefuted(self, records: pa.RecordBatch) -> pa.RecordBatch:
        wrong = pc.is_in(records.column("baseOffset"), pa.array(self.refuted, pa.int64()))
        return records.filter(pc.invert(wrong))

    def count(self, start: int, end: int | None = None) -> int:
        """Number of data records between two offsets; None for the log end.

        Raises:
            KafkafmtError: as in `records`.
        """
        if end is not None and start >= end:
            return 0
        selection = Selection(start_offset=start, end_offset=end)
        return self._pass(selection).count(self._tasks(selection))

    def _tasks(self, selection: Selection) -> Iterator[ScanTask]:
        selector = TaskSelector(selection, "best", self._broken, self.reported.note)
        return chain.from_iterable(selector.tasks([self.found]))

    def _pass(self, selection: Selection) -> Pass:
        return Pass(selection, self.on_damage, True, self.limits, self._damaged, self.reported.note)  # noqa: FBT003

    def _damaged(self, damage: Damage) -> None:
        self.reported.report(damage)
        if not damage.is_open_end and damage.records != 0:
            start, end = self._reading
            first, last = damage.first_offset, damage.last_offset
            self.lost.append((start if first is None else first, end if last is None else last + 1))


class ContentHash:
    """A hash over records: offset, timestamp, key, value, headers, and whether it is a control record.

    Each column has its own hash (BLAKE2b, 16 bytes): numbers are hashed as little-endian int64, flags as bytes; texts
    have one hash of their lengths as int32, -1 for null, and one of their bytes; headers one of the number of headers
    in each record, then names and values like other texts. The result is the hash over the columns' hashes.

    Attributes:
        records: number of records that it covers.
    """

    def __init__(self) -> None:
        self.records = 0
        self._columns = [blake2b(digest_size=_DIGEST_BYTES) for _ in range(12)]

    def update(self, records: pa.RecordBatch) -> None:
        """Take the next records, which have at least the columns `HASHED`."""
        if not records.num_rows:
            return
        self.records += records.num_rows
        offset, timestamp, is_control, key, value, headers = (records.column(name) for name in HASHED)
        counts = pc.fill_null(pc.list_value_length(headers), 0)
        items = headers.flatten()
        names, values = items.flatten() if len(items) else (pa.array([], pa.string()), pa.array([], pa.binary()))
        parts = [
            _numbers(offset),
            _numbers(timestamp.cast(pa.int64())),
            _contiguous(is_control.cast(pa.int8()).to_numpy()),
            *_texts(key),
            *_texts(value),
            _contiguous(counts.to_numpy(), "<i4"),
            *_texts(names),
            *_texts(values),
        ]
        for column, part in zip(self._columns, parts, strict=True):
            column.update(part)

    def copy(self) -> "ContentHash":
        """A hash of the same records, to which other records can be added."""
        other = ContentHash()
        other.records = self.records
        other._columns = [column.copy() for column in self._columns]
        return other

    def hexdigest(self) -> str:
        """The hash as 32 hexadecimal digits."""
        return blake2b(b"".join(column.digest() for column in self._columns), digest_size=_DIGEST_BYTES).hexdigest()


def _numbers(column: pa.Array) -> Any:  # noqa: ANN401 - a buffer
    return _contiguous(column.to_numpy(), "<i8")


def _contiguous(values: npt.NDArray[Any], kind: str | None = None) -> Any:  # noqa: ANN401 - a buffer
    return np.ascontiguousarray(values, kind).data


def _texts(column: pa.Array) -> tuple[Any, Any]:
    """Lengths and bytes of texts."""
    lengths = pc.fill_null(pc.binary_length(column), -1)
    present = column.drop_null() if column.null_count else column
    _, offsets, data = present.buffers()
    if data is None or not len(present):
        return _contiguous(lengths.to_numpy(), "<i4"), b""
    ends = np.frombuffer(offsets, np.int32)
    begin, end = ends[present.offset], ends[present.offset + len(present)]
    return _contiguous(lengths.to_numpy(), "<i4"), memoryview(data)[begin:end]
