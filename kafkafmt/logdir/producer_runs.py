"""Runs, which merge adjacent batches of one producer, and the transactions that they open and end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, ForwardRef, NamedTuple, Self, TypeAlias

from kafkafmt.errors import LimitExceededError
from kafkafmt.libraries import np, npt

if TYPE_CHECKING:
    from kafkafmt.files.producer_snapshot import ProducerState

DATA: Final = 2
"""Kind of a batch of records; `ABORT` and `COMMIT` are the kinds of markers."""
EMPTY_MARKER: Final = 3
"""Kind of a control batch whose marker the cleaner removed."""

if TYPE_CHECKING:
    Int64s: TypeAlias = npt.NDArray[np.int64]
    Rows: TypeAlias = npt.NDArray[np.void]
else:
    Int64s, Rows = (ForwardRef(f"npt.NDArray[np.{kind}]", module=__name__) for kind in ("int64", "void"))

BATCH: Final = [
    ("producer_id", "i8"),
    ("kind", "i1"),
    ("producer_epoch", "i2"),
    ("in_transaction", "?"),
    ("base_offset", "i8"),
    ("last_offset", "i8"),
    ("base_sequence", "i4"),
    ("last_sequence", "i4"),
    ("first_timestamp", "i8"),
    ("timestamp", "i8"),
    ("records", "i4"),
    ("bytes", "i8"),
    ("coordinator_epoch", "i4"),
    ("position", "i8"),
]
"""Fields and numpy types of a batch of a producer, named as in `ProducerRun`."""

MOST_OPEN: Final = 1_000_000
"""Limit of tracked transactions that are open at once in a partition, half a kilobyte each; brokers have thousands."""


class ProducerRun(NamedTuple):
    """Batches of one producer, even if others wrote between them: data of one epoch, or one marker.

    Attributes:
        producer_id: producer id of all batches.
        kind: `DATA`, `ABORT`, `COMMIT` or `EMPTY_MARKER`.
        producer_epoch: producer epoch of all batches.
        in_transaction: whether they are data of a transaction; false for a batch that the cleaner emptied, as its
            transaction has ended.
        first_offset: base offset of the first batch.
        last_base_offset: base offset of the last batch.
        lowest_offset: lowest base offset; damage can make offsets go back.
        highest_offset: highest base offset.
        last_offset: last offset of the last batch.
        base_sequence: first sequence number of the first batch, or -1; lower ones are invalid.
        last_sequence: last sequence number of the last batch, or -1.
        first_timestamp: timestamp of the first record if the header has it, else the largest of the first batch, in ms
            since the epoch.
        timestamp: largest timestamp of the last batch, or timestamp of the marker, in ms since the epoch.
        records: number of records.
        bytes: size as stored.
        coordinator_epoch: coordinator epoch of a marker, else -1.
        position: position of the first batch in its file, in bytes.
        segment: number of the segment.
    """

    producer_id: int
    kind: int
    producer_epoch: int
    in_transaction: bool
    first_offset: int
    last_base_offset: int
    lowest_offset: int
    highest_offset: int
    last_offset: int
    base_sequence: int
    last_sequence: int
    first_timestamp: int
    timestamp: int
    records: int
    bytes: int
    coordinator_epoch: int
    position: int
    segment: int


# The same as `ProducerRun._make`, without a Python frame per run.
_NEW_RUN: Callable[[Iterable[Any]], ProducerRun] = partial(tuple.__new__, ProducerRun)


def runs_of(rows: Rows, segment: int, split_offset: int | None = None) -> Sequence[ProducerRun]:
    """Merge batches of each producer into runs, ordered by the first batch of each run.

    Args:
        rows: batches of type `BATCH`.
        segment: number of their segment.
        split_offset: no run has batches on both sides of this offset.
    """
    if not len(rows):
        return ()
    order = np.argsort(rows["producer_id"], kind="stable")
    rows = rows[order]
    is_data = rows["kind"] == DATA
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = ~is_data[1:] | ~is_data[:-1]
    for name in ("producer_id", "producer_epoch", "in_transaction"):
        begins[1:] |= rows[name][1:] != rows[name][:-1]
    if split_offset is not None:
        is_after = rows["base_offset"] >= split_offset
        begins[1:] |= is_after[1:] != is_after[:-1]
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(rows)) - 1
    lowest, highest = (of.reduceat(rows["base_offset"], first) for of in (np.minimum, np.maximum))
    records = np.add.reduceat(rows["records"].astype(np.int64), first)
    sizes = np.add.reduceat(rows["bytes"], first)
    in_order = np.argsort(order[first])
    first, last = first[in_order], last[in_order]
    # In the order of the fields of `ProducerRun`.
    columns = (
        *(rows[name][first] for name in ("producer_id", "kind", "producer_epoch", "in_transaction", "base_offset")),
        *(rows["base_offset"][last], lowest[in_order], highest[in_order]),
        *(rows["last_offset"][last], rows["base_sequence"][first], rows["last_sequence"][last]),
        *(rows["first_timestamp"][first], rows["timestamp"][last], records[in_order], sizes[in_order]),
        *(rows["coordinator_epoch"][first], rows["position"][first], np.full(len(first), segment)),
    )
    return list(map(_NEW_RUN, zip(*(column.tolist() for column in columns), strict=True)))


@dataclass(slots=True)
class LogTransaction:
    """A transaction as the batches of its partition show it.

    Attributes:
        producer_id: its producer.
        producer_epoch: epoch of its data; its marker can have the next one (KIP-890).
        first_offset: offset of its first record.
        last_offset: offset of its last record; below `first_offset` if none is on disk.
        start_timestamp: timestamp of its first record, in ms since the epoch; -1 if unknown.
        last_timestamp: timestamp of its last batch, or of its marker.
        lowest_offset: lowest base offset; below `first_offset` only where damage made offsets go back.
        highest_offset: highest base offset.
        records: number of its records on disk.
        bytes: stored size of the batches with them.
        segment: number of the segment with its first batch on disk; -1 for none.
        position: position of that batch in its file, in bytes.
        is_partial: whether its first batches are gone, and its first offset is known from a snapshot.
        is_doubtful: whether its marker may be lost in damage after its first batch.
        kind: kind of its marker, `ABORT` or `COMMIT`; `DATA` while it is open.
        marker_offset: offset of its marker; -1 while it is open.
        coordinator_epoch: coordinator epoch of its marker; -1 while it is open, or if unknown.
    """

    producer_id: int
    producer_epoch: int
    first_offset: int
    last_offset: int
    start_timestamp: int
    last_timestamp: int
    lowest_offset: int
    highest_offset: int
    records: int = 0
    bytes: int = 0
    segment: int = -1
    position: int = -1
    is_partial: bool = False
    is_doubtful: bool = False
    kind: int = DATA
    marker_offset: int = -1
    coordinator_epoch: int = -1

    @classmethod
    def of_snapshot(cls, entry: "ProducerState", offset: int | None = None) -> Self:
        """The open transaction of a producer in a snapshot.

        Args:
            entry: state of a producer with an open transaction.
            offset: offset of the snapshot, below which the transaction may have data; None to leave that open.
        """
        start = -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset
        known = (entry.producer_id, entry.producer_epoch, start, entry.last_offset, -1, entry.timestamp)
        highest = start if offset is None else offset
        return cls(*known, lowest_offset=start, highest_offset=highest, is_partial=True)

    def extend(self, run: ProducerRun) -> None:
        """Add the producer's next batches."""
        if self.segment < 0:
            self.segment, self.position = run.segment, run.position
        self.producer_epoch = run.producer_epoch
        self.last_offset, self.last_timestamp = run.last_offset, run.timestamp
        self.lowest_offset = min(self.lowest_offset, run.lowest_offset)
        self.highest_offset = max(self.highest_offset, run.highest_offset)
        self.records += run.records
        self.bytes += run.bytes


class OngoingTransactions(dict[int, LogTransaction]):
    """The open transactions of a partition by producer id: data opens one, the producer's next marker ends it."""

    def add(self, run: ProducerRun) -> LogTransaction | None:
        """Add the next run of batches.

        Returns:
            The transaction that the run ends, if it is a marker.

        Raises:
            LimitExceededError: more than `MOST_OPEN` transactions are open now.
        """
        if run.kind != DATA:
            ended = None if run.kind == EMPTY_MARKER else self.pop(run.producer_id, None)
            if ended is not None:
                ended.kind, ended.marker_offset = run.kind, run.first_offset
                ended.coordinator_epoch, ended.last_timestamp = run.coordinator_epoch, run.timestamp
            return ended
        if not run.in_transaction:
            return None
        known = self.get(run.producer_id)
        if known is not None:
            known.extend(run)
            return None
        self[run.producer_id] = LogTransaction(
            run.producer_id,
            run.producer_epoch,
            run.first_offset,
            run.last_offset,
            run.first_timestamp,
            run.timestamp,
            run.lowest_offset,
            run.highest_offset,
            run.records,
            run.bytes,
            run.segment,
            run.position,
        )
        if len(self) > MOST_OPEN:
            raise LimitExceededError(
                "too many transactions are open at once; name producers by their ids, or scan with"
                " isolation_level='read_uncommitted'",
                expected=f"at most {MOST_OPEN}",
            )
        return None
