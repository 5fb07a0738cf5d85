"""Rows of batches with a producer id (`producer_runs.BATCH`), from many headers at once or from one entry."""

from typing import TYPE_CHECKING, Any

from kafkafmt.columnar.headers import ABORT, COMMIT, OTHER_MARKER, Batches, marker_types
from kafkafmt.errors import KafkafmtError
from kafkafmt.libraries import np, npt
from kafkafmt.limits import Limits
from kafkafmt.logdir.producer_runs import BATCH, DATA, EMPTY_MARKER, Int64s, ProducerRun, Rows
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import CREATE_TIME, INT32_MAX
from kafkafmt.reference.layout import CONTROL, DELETE_HORIZON, LOG_APPEND_TIME, RECORD_BATCH_OVERHEAD, TRANSACTIONAL

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

_Row = tuple[Any, ...]

# Position of the coordinator epoch in a batch with an ordinary marker, as `kafkafmt.columnar.headers` recognizes it.
_EPOCH_OF_COORDINATOR = RECORD_BATCH_OVERHEAD + 12
_EPOCH_SIZE = 4


def rows_of(batches: Batches, limits: Limits, *, as_consumer: bool) -> tuple[Rows, int]:
    """The rows of adjacent batches, and the number of batches up to the first that cannot be read.

    Args:
        batches: the batches.
        limits: bounds of memory.
        as_consumer: as for `BatchWalk`.
    """
    wanted = batches.headers["producer_id"] >= 0
    if as_consumer:
        wanted &= (batches.headers["attributes"] & (TRANSACTIONAL | CONTROL)) != 0
    chosen = np.flatnonzero(wanted)
    rows = np.empty(len(chosen), BATCH)
    if not len(chosen):
        return rows, len(batches)
    headers = batches.headers[chosen]
    attributes = headers["attributes"]
    is_control = (attributes & CONTROL) != 0
    for name in ("producer_id", "producer_epoch", "base_offset"):
        rows[name] = headers[name]
    rows["kind"] = DATA
    rows["in_transaction"] = ((attributes & TRANSACTIONAL) != 0) & ~is_control & (headers["num_records"] > 0)
    rows["last_offset"] = batches.last_offsets[chosen]
    rows["base_sequence"] = headers["base_sequence"]
    rows["last_sequence"] = _last_sequences(headers["base_sequence"], headers["last_offset_delta"])
    base_counts = ((attributes & (LOG_APPEND_TIME | DELETE_HORIZON)) == 0) & (headers["num_records"] > 0)
    rows["timestamp"] = headers["max_timestamp"]
    rows["first_timestamp"] = np.where(base_counts, headers["base_timestamp"], headers["max_timestamp"])
    rows["records"] = headers["num_records"]
    rows["bytes"] = batches.ends[chosen] - batches.starts[chosen]
    rows["coordinator_epoch"] = -1
    rows["position"] = batches.starts[chosen] + batches.position
    return _with_markers(rows, batches, chosen, np.flatnonzero(is_control), limits, with_epoch=not as_consumer)


def _with_markers(
    rows: Rows,
    batches: Batches,
    chosen: "npt.NDArray[np.intp]",
    control: "npt.NDArray[np.intp]",
    limits: Limits,
    *,
    with_epoch: bool,
) -> tuple[Rows, int]:
    """The rows with the fields of markers; control batches that do not end a transaction are left out."""
    if not len(control):
        return rows, len(batches)
    markers = batches[chosen[control]]
    types = marker_types(markers)
    ordinary = np.flatnonzero(types != OTHER_MARKER)
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
    for which in control[types == OTHER_MARKER].tolist():
        number = int(chosen[which])
        start, end = int(batches.starts[number]), int(batches.ends[number])
        entry = Entry(batches.data[start:end], position=batches.position + start)
        try:
            row = row_of(entry, entry.header(), limits, with_epoch=with_epoch)
        except KafkafmtError:
            kept[which:] = False
            return rows[kept], number
        kept[which] = row is not None
        if row is not None:
            rows[which] = row
    return rows[kept], len(batches)


def row_of(entry: Entry, header: "BatchHeader", limits: Limits, *, with_epoch: bool) -> _Row | None:
    """The row of a batch with a producer id; None for a control batch that does not end a transaction.

    Raises:
        KafkafmtError: the marker cannot be read.
    """
    kind, coordinator_epoch = DATA, -1
    timestamp = -1 if header.max_timestamp is None else header.max_timestamp
    first_timestamp = timestamp
    count = header.count or 0
    if header.is_control_batch:
        record = next(entry.records(limits, header), None) if count > 0 else None
        if record is None:
            kind = EMPTY_MARKER
        elif record.control_type_id in (ABORT, COMMIT):
            kind = ABORT if record.control_type_id == ABORT else COMMIT
            epoch = record.coordinator_epoch if with_epoch else None
            coordinator_epoch = -1 if epoch is None else epoch
            timestamp = first_timestamp = record.timestamp
        else:
            return None
    elif header.timestamp_type == CREATE_TIME and header.delete_horizon_ms is None and count:
        first_timestamp = -1 if header.base_timestamp is None else header.base_timestamp
    return (
        header.producer_id,
        kind,
        header.producer_epoch,
        kind == DATA and header.is_transactional and count > 0,
        header.base_offset,
        header.last_offset,
        header.base_sequence,
        header.last_sequence,
        first_timestamp,
        timestamp,
        count,
        header.size_in_bytes,
        coordinator_epoch,
        entry.position,
    )


def _last_sequences(base: "npt.NDArray[Any]", delta: "npt.NDArray[Any]") -> Int64s:
    """Last sequence numbers of batches: they wrap from 2147483647 to 0 (`DefaultRecordBatch.lastSequence`)."""
    first, more = base.astype(np.int64), delta.astype(np.int64)
    wraps = first > INT32_MAX - more
    return np.where(base == -1, np.int64(-1), np.where(wraps, more - (INT32_MAX - first) - 1, first + more))


def run_of(row: _Row, number: int) -> ProducerRun:
    """The run of one batch."""
    producer_id, kind, epoch, in_transaction, base_offset, *others = row
    return ProducerRun._make((producer_id, kind, epoch, in_transaction, *[base_offset] * 4, *others, number))
