"""Leader epochs of replicas from checkpoints and batches: a replica's newest epoch, and where two replicas diverge."""

from collections import Counter, deque
from itertools import pairwise
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import segment as segment_file
from kafkafmt.logdir.leader_epochs import UNKNOWN, EpochHistory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.logdir.partition import Partition
    from kafkafmt.reference.header import BatchHeader


_MOST_WITNESSES = 1024


def trusted_epoch(
    partition: "Partition", history: EpochHistory, last: "BatchHeader | None", log_end: int | None
) -> int:
    """The newest leader epoch of a replica that two batches, or a batch and the checkpoint, confirm; -1 if none.

    As when Kafka loads a log, entries of the checkpoint that begin past the log end are ignored.

    Args:
        partition: the replica.
        history: its leader-epoch-checkpoint; without entries if there is none.
        last: header of the last sound batch in its last segment, or None.
        log_end: its log end offset, or None for a directory without segments.

    Raises:
        SourceError: a segment cannot be read.
    """
    entries = [entry for entry in history.entries if log_end is None or entry.start_offset <= log_end]
    newest = entries[-1] if entries else None
    shown = UNKNOWN if last is None else last.partition_leader_epoch
    if newest is not None and (shown in (newest.epoch, UNKNOWN) or newest.start_offset == log_end):
        return newest.epoch
    if last is not None and shown == UNKNOWN:
        return UNKNOWN
    # Rare: there is no checkpoint, or it contradicts the last batch, so earlier batches decide.
    seen: Counter[int] = Counter()
    for segment in reversed(partition.segments):
        with segment.open() as file:
            headers = deque(segment_file.sound_headers(file, name=segment.file), _MOST_WITNESSES)
        for header in reversed(headers):
            epoch = header.partition_leader_epoch
            seen[epoch] += 1
            if epoch >= 0 and (seen[epoch] > 1 or _confirms(history, header)):
                return epoch
    return UNKNOWN


def parting(one: "Partition", other: "Partition", histories: "Sequence[EpochHistory]") -> int | None:
    """The first offset that two replicas both have with different leader epochs, by their checkpoints; None if none.

    Compaction may have removed the first records of an epoch in one of them, so that it begins later there. So both
    must have a batch where their checkpoints differ.

    Args:
        one: a replica.
        other: another replica of the same partition.
        histories: leader epochs of both.
    """
    first, second = histories
    if not first.entries or not second.entries:
        return None
    try:
        starts = [each for each in (one.log_start_offset, other.log_start_offset) if each is not None]
        ends = [each for each in (one.log_end_offset, other.log_end_offset) if each is not None]
    except KafkafmtError:
        return None  # unreadable files are reported by the readers that need them
    if len(starts) < 2 or len(ends) < 2:
        return None
    begin, end = max(*starts, first.entries[0].start_offset, second.entries[0].start_offset), min(ends)
    bounds = sorted({begin, end, *(entry.start_offset for entry in (*first.entries, *second.entries))})
    for start, stop in pairwise(bounds):
        differs = begin <= start < end and first.at(start) != second.at(start)
        if differs and all(_has_batch(each, start, stop) for each in (one, other)):
            return start
    return None


def _confirms(history: EpochHistory, header: "BatchHeader") -> bool:
    return header.base_offset is not None and history.at(header.base_offset) == header.partition_leader_epoch


def _has_batch(partition: "Partition", start: int, stop: int) -> bool:
    """Whether a batch has these offsets; assumed where damage hides the answer."""
    try:
        found = partition.find_offset(start)
    except KafkafmtError:
        return True
    return found is not None and found.base_offset < stop
