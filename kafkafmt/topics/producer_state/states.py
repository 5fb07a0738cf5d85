"""Differences between a producer snapshot and the log before it."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.logdir.producer_states import Producer, ProducerStates

_COMPARED: Final = (
    ("producerEpoch", "producer_epoch"),
    ("lastSequence", "last_sequence"),
    ("lastOffset", "last_offset"),
    ("lastTimestamp", "timestamp"),
    ("coordinatorEpoch", "coordinator_epoch"),
    ("currentTransactionStartOffset", "current_txn_first_offset"),
)


def compare(
    entries: "tuple[ProducerState, ...]",
    log: "ProducerStates",
    offset: int,
    first_offset: int | None,
    *,
    has_holes: bool,
) -> tuple[dict[int, str], int]:
    """Compare a snapshot with the log before it.

    A log that begins at offset 0 without gaps has the whole state of the snapshot. A log shortened by retention or the
    cleaner has less, so that only contradictions are differences.

    Older brokers legitimately differ: Kafka 0.11 kept a marker as the producer's last batch; up to 1.1 at least a
    marker did not set the timestamp, and a new producer epoch cleared the coordinator epoch.

    Args:
        entries: entries of the snapshot.
        log: producers of the log up to the snapshot's offset.
        offset: offset of the snapshot.
        first_offset: first offset of the log, or None if it is empty.
        has_holes: whether offsets are missing in the log before the snapshot.

    Returns:
        Differences by producer id, sorted; and the number of producers that the snapshot legitimately lacks, as a
        broker expires producers that are idle for `producer.id.expiration.ms`, at times that the disk does not show.
    """
    is_complete = first_offset == 0 and not has_holes
    differences: dict[int, str | None] = {}
    for entry in entries:
        logged = log.get(entry.producer_id)
        text = _beyond(entry, offset)
        if text is None and is_complete:
            text = _unequal(entry, logged)
        elif text is None and logged is not None:
            text = _contradicted(entry, logged, first_offset or 0, has_holes=has_holes)
        differences[entry.producer_id] = text
    expired = 0
    for producer_id, producer in log.items():
        if producer_id in differences:
            continue
        start = producer.current_txn_first_offset
        if start is None or has_holes:
            expired += 1
        else:
            differences[producer_id] = (
                f"the snapshot has no such producer, but in the log its transaction is open since {start}"
            )
    return {each: text for each, text in sorted(differences.items()) if text is not None}, expired


def _beyond(entry: "ProducerState", offset: int) -> str | None:
    highest = max(entry.last_offset, -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset)
    return f"the snapshot has offset {highest}, beyond its own offset {offset}" if highest >= offset else None


def _unequal(entry: "ProducerState", logged: "Producer | None") -> str | None:
    """Differences from a complete log."""
    if logged is None:
        return "the snapshot has a producer without a batch in the log, which is complete"
    unequal = []
    for name, attribute in _COMPARED:
        stored, found = getattr(entry, attribute), getattr(logged, attribute)
        if stored != found and not _as_older_brokers(name, entry, logged):
            unequal.append(f"{name} {_shown(stored)} in the snapshot, {_shown(found)} in the log")
    return "; ".join(unequal) or None


def _as_older_brokers(name: str, entry: "ProducerState", logged: "Producer") -> bool:
    """Whether a snapshot has the state that an older broker would have written."""
    if name == "lastOffset":
        return entry.last_offset == logged.marker_offset and entry.offset_delta == 0
    if name == "lastTimestamp":
        return entry.timestamp == logged.data_timestamp
    if name == "coordinatorEpoch":
        return entry.coordinator_epoch == -1 and logged.marker_epoch != logged.producer_epoch
    return False


def _contradicted(entry: "ProducerState", logged: "Producer", first_offset: int, *, has_holes: bool) -> str | None:
    """Contradictions with an incomplete log."""
    if logged.producer_epoch > entry.producer_epoch:
        return f"producerEpoch {entry.producer_epoch} in the snapshot, {logged.producer_epoch} in the log"
    if logged.producer_epoch == entry.producer_epoch:
        if logged.last_offset > entry.last_offset:
            return f"lastOffset {_shown(entry.last_offset)} in the snapshot, {logged.last_offset} in the log"
        if logged.last_offset == entry.last_offset and logged.last_sequence != entry.last_sequence:
            return f"lastSequence {entry.last_sequence} in the snapshot, {logged.last_sequence} in the log"
    start = entry.current_txn_first_offset
    if start is not None and logged.marker_offset > start:
        return (
            f"currentTransactionStartOffset {start} in the snapshot, but the log has the marker that ends it,"
            f" at offset {logged.marker_offset}"
        )
    opened = logged.current_txn_first_offset
    if not has_holes and start is None and opened is not None:
        return f"no open transaction in the snapshot, but in the log one is open since offset {opened}"
    if not has_holes and start is not None and start >= first_offset and start != opened:
        return f"currentTransactionStartOffset {start} in the snapshot, {_shown(opened)} in the log"
    return None


def _shown(number: int | None) -> str:
    return "none" if number is None or number == -1 else str(number)
