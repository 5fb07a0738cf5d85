"""Batches with a producer id: their headers, and the transaction markers, of one partition.

Headers of adjacent batches are read by the thousand. Nothing is decompressed, and the only records that are read are
transaction markers, whose CRC is checked; the CRC of data is not.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.headers import CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, TRANSACTIONAL, Batches, read_batches
from kafkafmt.columnar.markers import ABORT, COMMIT, NOT_ORDINARY, marker_types
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.segment_reader import OnDamage, SegmentReader
from kafkafmt.limits import Limits
from kafkafmt.logdir.transaction_walk import first_wrong_marker, old_messages
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, RECORD_BATCH_OVERHEAD

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.stretch import Stretch
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader

DATA: Final = 2
"""Kind of a batch of records; `ABORT` and `COMMIT` are the kinds of markers."""
EMPTY_MARKER: Final = 3
"""Kind of a control batch whose marker the cleaner removed."""

BATCH: Final = np.dtype(
    [
        ("producer_id", "i8"),
        ("kind", "i1"),
        ("producer_epoch", "i2"),
        ("in_transaction", "?"),
        ("base_offset", "i8"),
        ("last_offset", "i8"),
        ("last_sequence", "i4"),
        ("first_timestamp", "i8"),
        ("timestamp", "i8"),
        ("records", "i4"),
        ("bytes", "i8"),
        ("coordinator_epoch", "i4"),
        ("position", "i8"),
    ]
)
"""One batch of a producer.

`in_transaction`: data of a transaction, except a batch that the cleaner emptied: its transaction has ended.
`first_timestamp`: of its first record if the header has it, else its largest; `timestamp`: its largest, or that of the
marker; ms since the epoch. `coordinator_epoch`: of a marker, else -1. `position`: in its file in bytes.
"""

Rows = npt.NDArray[np.void]
Row = tuple[Any, ...]

# Of the coordinator epoch in a batch with an ordinary marker, as `kafkafmt.columnar.markers` recognizes it.
_EPOCH_OF_COORDINATOR = RECORD_BATCH_OVERHEAD + 12
_EPOCH_SIZE = 4


class ProducerRun(NamedTuple):
    """Consecutive batches of one producer: data of one epoch, or one marker.

    Attributes:
        producer_id: producer id of all of them.
        kind: `DATA`, `ABORT`, `COMMIT` or `EMPTY_MARKER`.
        producer_epoch: producer epoch of all of them.
        in_transaction: whether they are data of a transaction.
        first_offset: base offset of the first.
        last_base_offset: base offset of the last.
        last_offset: last offset of the last.
        last_sequence: last sequence number of the last, or -1.
        first_timestamp: timestamp of the first, in ms since the epoch.
        timestamp: timestamp of the last, in ms since the epoch.
        records: number of records.
        bytes: size as stored.
        coordinator_epoch: coordinator epoch of a marker, else -1.
        position: position of the first in its file, in bytes.
    """

    producer_id: int
    kind: int
    producer_epoch: int
    in_transaction: bool
    first_offset: int
    last_base_offset: int
    last_offset: int
    last_sequence: int
    first_timestamp: int
    timestamp: int
    records: int
    bytes: int
    coordinator_epoch: int
    position: int


def runs_of(rows: Rows) -> Iterator[ProducerRun]:
    """Merge consecutive batches of each producer, whatever others wrote between them; in log order."""
    if not len(rows):
        return
    order = np.argsort(rows["producer_id"], kind="stable")
    rows = rows[order]
    is_data = rows["kind"] == DATA
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = ~is_data[1:] | ~is_data[:-1]
    for name in ("producer_id", "producer_epoch", "in_transaction"):
        begins[1:] |= rows[name][1:] != rows[name][:-1]
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(rows)) - 1
    records = np.add.reduceat(rows["records"].astype(np.int64), first)
    sizes = np.add.reduceat(rows["bytes"], first)
    in_order = np.argsort(order[first])
    first, last = first[in_order], last[in_order]
    # In the order of the fields of `ProducerRun`.
    columns = (
        *(rows[name][first] for name in ("producer_id", "kind", "producer_epoch", "in_transaction", "base_offset")),
        *(rows[name][last] for name in ("base_offset", "last_offset", "last_sequence")),
        *(rows["first_timestamp"][first], rows["timestamp"][last], records[in_order], sizes[in_order]),
        *(rows[name][first] for name in ("coordinator_epoch", "position")),
    )
    yield from map(ProducerRun, *(column.tolist() for column in columns))


@dataclass(slots=True)
class BatchWalk:
    """A walk over the segments of one partition.

    Attributes:
        segments: segments of the log, in order.
        on_damage: "raise" at the first damage, or "skip" and report it.
        limits: bounds of memory.
        report: called with each `Damage`, after all batches before it were yielded.
        first_offset: base offset of the first batch so far, or None.
        next_offset: offset after the last batch so far, or None.
        newest_timestamp: largest timestamp of all batches so far, in ms since the epoch; -1 for none.
        has_holes: whether offsets are missing between or in batches, removed by the cleaner or lost to damage.
    """

    segments: "Sequence[Segment]"
    on_damage: OnDamage = "raise"
    limits: Limits = field(default_factory=Limits)
    report: "Callable[[Damage], None]" = lambda _: None
    first_offset: int | None = None
    next_offset: int | None = None
    newest_timestamp: int = -1
    has_holes: bool = False

    def rows(self, number: int = 0, position: int = 0, end: int | None = None) -> "Iterator[tuple[int, Rows]]":
        """Walk the batches of producers, some at a time.

        Args:
            number: number of the first segment to read.
            position: position of an entry in it, in bytes.
            end: the walk ends before the first batch whose base offset is at or above this offset; None for no end.

        Yields:
            The number of a segment, and batches in it.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        for which in range(number, len(self.segments)):
            segment = self.segments[which]
            if end is not None and segment.base_offset is not None and segment.base_offset >= end:
                return
            following = self.segments[which + 1] if which + 1 < len(self.segments) else None
            for rows in self._of_segment(segment, position, end, following):
                yield which, rows
            position = 0

    def _of_segment(
        self, segment: "Segment", position: int, end: int | None, following: "Segment | None"
    ) -> Iterator[Rows]:
        found: list[Damage] = []
        waiting: list[Row] = []
        with segment.open() as file:
            reader = SegmentReader(
                file,
                name=segment.file,
                bounds=segment.bounds(following),
                limits=self.limits,
                on_damage=self.on_damage,
                may_end_open=following is None,
                report=found.append,
            )
            for rows in reader.walk(partial(self._visit, end), position, take=partial(self._take, end)):
                if rows is None:
                    break
                if (found or not isinstance(rows, tuple)) and waiting:
                    yield np.array(waiting, BATCH)
                    waiting.clear()
                self._report(found)
                if isinstance(rows, tuple):
                    waiting += rows
                elif len(rows):
                    yield rows
            if waiting:
                yield np.array(waiting, BATCH)
            self._report(found)

    def _report(self, found: "list[Damage]") -> None:
        for damage in found:
            if not damage.is_open_end:
                self.has_holes = True
            self.report(damage)
        found.clear()

    def _visit(self, end: int | None, entry: Entry) -> "tuple[Row, ...] | Rows | None":
        """The row of one entry, or an empty tuple; None if the walk ends before it."""
        entry.passed_over = True
        if entry.frame.magic < CURRENT_MAGIC:
            return ()
        header = entry.checked_header(verify_checksum=True)
        if header.is_control_batch or (header.is_transactional and header.base_sequence < 0):
            entry.verify_checksum()
        base_offset, last_offset = header.base_offset or 0, header.last_offset or 0
        if end is not None and base_offset >= end:
            return None
        row = None if header.producer_id < 0 else _row_of(entry, header, self.limits)
        self._note(base_offset, last_offset + 1, header.max_timestamp or 0)
        if header.count != last_offset - base_offset + 1:
            self.has_holes = True
        return () if row is None else (row,)

    def _take(self, end: int | None, stretch: "Stretch") -> Iterator[Rows]:
        """Rows of as many entries as are sound."""
        last, stretch.taken = old_messages(stretch.data)
        rows = np.empty(0, BATCH)
        if stretch.taken == 0:
            batches = read_batches(stretch.data, 0, stretch.position, self.limits)
            batches = batches[: first_wrong_marker(batches)]
            if end is not None:
                beyond = batches.headers["base_offset"] >= end
                stretch.ends_walk = bool(beyond.any())
                batches = batches[: int(beyond.argmax())] if stretch.ends_walk else batches
            rows, sound = _rows_of(batches, self.limits)
            stretch.ends_walk &= sound == len(batches)
            batches = batches[:sound]
            if len(batches):
                self._note_all(batches)
                last, stretch.taken = int(batches.starts[-1]), int(batches.ends[-1])
        if stretch.taken:
            stretch.last = stretch.passed_over = stretch.position + last
        yield rows

    def _note_all(self, batches: Batches) -> None:
        base_offsets, last_offsets = batches.headers["base_offset"], batches.last_offsets
        counts = batches.headers["num_records"] != batches.headers["last_offset_delta"].astype(np.int64) + 1
        self.has_holes |= bool((base_offsets[1:] != last_offsets[:-1] + 1).any() or counts.any())
        self._note(int(base_offsets[0]), int(last_offsets[-1]) + 1, int(batches.headers["max_timestamp"].max()))

    def _note(self, base_offset: int, next_offset: int, timestamp: int) -> None:
        if self.first_offset is None:
            self.first_offset = base_offset
        elif base_offset != self.next_offset:
            self.has_holes = True
        self.next_offset = next_offset
        self.newest_timestamp = max(self.newest_timestamp, timestamp)


def _row_of(entry: Entry, header: "BatchHeader", limits: Limits) -> Row | None:
    """The row of a batch with a producer id; None for a control batch that ends no transaction.

    Raises:
        KafkafmtError: its marker cannot be read.
    """
    kind, coordinator_epoch = DATA, -1
    timestamp = -1 if header.max_timestamp is None else header.max_timestamp
    first_timestamp = timestamp
    if header.is_control_batch:
        record = next(entry.records(limits, header), None)
        if record is None:
            kind = EMPTY_MARKER
        elif record.control_type_id in (ABORT, COMMIT):
            kind = ABORT if record.control_type_id == ABORT else COMMIT
            coordinator_epoch = -1 if record.coordinator_epoch is None else record.coordinator_epoch
            timestamp = first_timestamp = record.timestamp
        else:
            return None
    elif header.timestamp_type == CREATE_TIME and header.delete_horizon_ms is None and header.count:
        first_timestamp = -1 if header.base_timestamp is None else header.base_timestamp
    count = header.count or 0
    return (
        header.producer_id,
        kind,
        header.producer_epoch,
        kind == DATA and header.is_transactional and count > 0,
        header.base_offset,
        header.last_offset,
        header.last_sequence,
        first_timestamp,
        timestamp,
        count,
        header.size_in_bytes,
        coordinator_epoch,
        entry.position,
    )


def _rows_of(batches: Batches, limits: Limits) -> tuple[Rows, int]:
    """The rows of adjacent batches, and the number of batches that can be read; the next one cannot."""
    chosen = np.flatnonzero(batches.headers["producer_id"] >= 0)
    headers = batches.headers[chosen]
    attributes = headers["attributes"]
    is_control = (attributes & CONTROL) != 0
    rows = np.empty(len(chosen), BATCH)
    for name in ("producer_id", "producer_epoch", "base_offset"):
        rows[name] = headers[name]
    rows["kind"] = DATA
    rows["in_transaction"] = ((attributes & TRANSACTIONAL) != 0) & ~is_control & (headers["num_records"] > 0)
    rows["last_offset"] = batches.last_offsets[chosen]
    rows["last_sequence"] = _last_sequences(headers["base_sequence"], headers["last_offset_delta"])
    base_counts = ((attributes & (LOG_APPEND_TIME | DELETE_HORIZON)) == 0) & (headers["num_records"] > 0)
    rows["timestamp"] = headers["max_timestamp"]
    rows["first_timestamp"] = np.where(base_counts, headers["base_timestamp"], headers["max_timestamp"])
    rows["records"] = headers["num_records"]
    rows["bytes"] = batches.ends[chosen] - batches.starts[chosen]
    rows["coordinator_epoch"] = -1
    rows["position"] = batches.starts[chosen] + batches.position
    return _with_markers(rows, batches, chosen, np.flatnonzero(is_control), limits)


def _with_markers(
    rows: Rows, batches: Batches, chosen: npt.NDArray[np.intp], control: npt.NDArray[np.intp], limits: Limits
) -> tuple[Rows, int]:
    """The rows with the fields of markers; control batches that end no transaction are left out."""
    if not len(control):
        return rows, len(batches)
    markers = batches[chosen[control]]
    types = marker_types(markers)
    ordinary = np.flatnonzero(types != NOT_ORDINARY)
    known = control[ordinary]
    data = np.frombuffer(batches.data, np.uint8)
    epochs = data[(markers.starts[ordinary] + _EPOCH_OF_COORDINATOR)[:, None] + np.arange(_EPOCH_SIZE)]
    rows["kind"][known] = types[ordinary]
    rows["coordinator_epoch"][known] = np.ascontiguousarray(epochs).view(">i4").ravel()
    headers = markers.headers[ordinary]
    append_time = (headers["attributes"] & LOG_APPEND_TIME) != 0
    times = np.where(append_time, headers["max_timestamp"], headers["base_timestamp"])
    rows["timestamp"][known] = rows["first_timestamp"][known] = times
    kept = np.ones(len(rows), np.bool_)
    for which in control[types == NOT_ORDINARY].tolist():
        number = int(chosen[which])
        start, end = int(batches.starts[number]), int(batches.ends[number])
        entry = Entry(batches.data[start:end], position=batches.position + start)
        try:
            row = _row_of(entry, entry.header(), limits)
        except KafkafmtError:
            kept[which:] = False
            return rows[kept], number
        kept[which] = row is not None
        if row is not None:
            rows[which] = row
    return rows[kept], len(batches)


def _last_sequences(base: npt.NDArray[Any], delta: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Last sequence numbers of batches: they wrap from 2147483647 to 0 (`DefaultRecordBatch.lastSequence`)."""
    first, more = base.astype(np.int64), delta.astype(np.int64)
    wraps = first > INT32_MAX - more
    return np.where(base == -1, np.int64(-1), np.where(wraps, more - (INT32_MAX - first) - 1, first + more))
