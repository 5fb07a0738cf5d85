"""A producer snapshot held against the log in front of it: where the two tell different things of a producer.

A log that begins at offset 0 and has no holes must tell all that the snapshot does. One that retention or the cleaner
has shortened tells less: then only what it saw itself, and the snapshot denies, is a difference.

Older brokers kept some things otherwise, which is none: Kafka 0.11 counted a marker as the producer's last batch; up to
1.1 at least a marker's time did not count, and a new epoch forgot that of the coordinator.
"""

from dataclasses import dataclass
from typing import Final

from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.topics.producer_state.states import Producer, ProducerStates

MOST_DIFFERENCES: Final = 100
"""Differences of one partition that are told one by one."""

_NAMES: Final = (
    ("producerEpoch", "producer_epoch"),
    ("lastSequence", "last_sequence"),
    ("lastOffset", "last_offset"),
    ("lastTimestamp", "timestamp"),
    ("coordinatorEpoch", "coordinator_epoch"),
    ("currentTransactionStartOffset", "current_txn_first_offset"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A producer of which a snapshot says something else than the log in front of it.

    Attributes:
        producer_id: whose.
        text: what each of them says.
    """

    producer_id: int
    text: str


def compare(
    entries: tuple[ProducerState, ...], log: ProducerStates, offset: int, first_offset: int | None, *, has_holes: bool
) -> tuple[list[Difference], int]:
    """Find where a snapshot and the log differ.

    Args:
        entries: those of the snapshot.
        log: what the log tells up to the snapshot's offset.
        offset: that of the snapshot: it tells of the log up to there.
        first_offset: the log's first, or None for an empty one.
        has_holes: whether offsets are missing in the log in front of the snapshot.

    Returns:
        The differences, by producer id, and how many producers the snapshot leaves out without fault: a broker forgets
        those that were idle for `producer.id.expiration.ms`, and when it did cannot be told from its disk.
    """
    is_complete = first_offset == 0 and not has_holes
    differences = []
    for entry in entries:
        seen = log.get(entry.producer_id)
        text = _beyond(entry, offset)
        if text is None and is_complete:
            text = _unequal(entry, seen)
        elif text is None and seen is not None:
            text = _denied(entry, seen, first_offset or 0, has_holes=has_holes)
        if text is not None:
            differences.append(Difference(entry.producer_id, text))
    known = {entry.producer_id for entry in entries}
    forgotten = 0
    for producer_id, producer in log.items():
        if producer_id in known:
            continue
        start = producer.current_txn_first_offset
        if start is None or has_holes:
            forgotten += 1
        else:
            differences.append(
                Difference(
                    producer_id, f"the snapshot has no such producer, in the log its transaction is open since {start}"
                )
            )
    return sorted(differences, key=lambda each: each.producer_id), forgotten


def _beyond(entry: ProducerState, offset: int) -> str | None:
    highest = max(entry.last_offset, -1 if entry.current_txn_first_offset is None else entry.current_txn_first_offset)
    return f"the snapshot tells of offset {highest}, beyond its own offset {offset}" if highest >= offset else None


def _unequal(entry: ProducerState, seen: Producer | None) -> str | None:
    """What differs where the log tells all."""
    if seen is None:
        return "the snapshot has a producer of which the log, which is complete, has no batch"
    unequal = []
    for name, attribute in _NAMES:
        stored, found = getattr(entry, attribute), getattr(seen, attribute)
        if stored != found and not _as_older_brokers(name, entry, seen):
            unequal.append(f"{name} {_shown(stored)} in the snapshot, {_shown(found)} in the log")
    return "; ".join(unequal) or None


def _as_older_brokers(name: str, entry: ProducerState, seen: Producer) -> bool:
    """Whether a snapshot has what an older broker would have written there."""
    if name == "lastOffset":
        return entry.last_offset == seen.marker_offset and entry.offset_delta == 0
    if name == "lastTimestamp":
        return entry.timestamp == seen.data_timestamp
    if name == "coordinatorEpoch":
        return entry.coordinator_epoch == -1 and seen.marker_epoch != seen.producer_epoch
    return False


def _denied(entry: ProducerState, seen: Producer, first_offset: int, *, has_holes: bool) -> str | None:
    """What the log saw, and the snapshot denies."""
    if seen.producer_epoch > entry.producer_epoch:
        return f"producerEpoch {entry.producer_epoch} in the snapshot, {seen.producer_epoch} in the log"
    if seen.producer_epoch == entry.producer_epoch:
        if seen.last_offset > entry.last_offset:
            return f"lastOffset {_shown(entry.last_offset)} in the snapshot, {seen.last_offset} in the log"
        if seen.last_offset == entry.last_offset and seen.last_sequence != entry.last_sequence:
            return f"lastSequence {entry.last_sequence} in the snapshot, {seen.last_sequence} in the log"
    start = entry.current_txn_first_offset
    if start is not None and seen.marker_offset > start:
        return (
            f"currentTransactionStartOffset {start} in the snapshot, but the log has the marker that ends it,"
            f" at offset {seen.marker_offset}"
        )
    opened = seen.current_txn_first_offset
    if not has_holes and start is None and opened is not None:
        return f"no open transaction in the snapshot, in the log one is open since offset {opened}"
    if not has_holes and start is not None and start >= first_offset and start != opened:
        return f"currentTransactionStartOffset {start} in the snapshot, {_shown(opened)} in the log"
    return None


def _shown(number: int | None) -> str:
    return "none" if number is None or number == -1 else str(number)
