"""Open transactions, as a broker that loads a log knows them: a part of Kafka's `ProducerStateManager`."""

from typing import TYPE_CHECKING

from kafkafmt.errors import DataError
from kafkafmt.files import producer_snapshot
from kafkafmt.reference.control import type_name
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import to_int64
from kafkafmt.startup.segment import Batch, LoadedSegment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.io.base import Location

_NO_PRODUCER = -1


class ReplayedTransactions:
    """First offset of the open transaction of each producer, at an offset of a log.

    Args:
        offset: where the log begins.

    Attributes:
        offset: up to where the log was seen.
    """

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self._first_offsets: dict[int, int] = {}

    def __bool__(self) -> bool:
        return bool(self._first_offsets)

    def load(self, snapshots: "Mapping[int, Location]", after: int, end: int) -> None:
        """Begin with the newest snapshot that can be read: Kafka sets a broken one aside.

        Args:
            snapshots: producer snapshots by their offsets.
            after: only those above the log start offset count.
            end: and those up to here.

        Raises:
            SourceError: a snapshot cannot be read.
        """
        for offset in sorted((each for each in snapshots if after < each <= end), reverse=True):
            try:
                found = producer_snapshot.read(snapshots[offset])
            except DataError:
                continue
            self.offset = offset
            self._first_offsets = {
                entry.producer_id: entry.current_txn_first_offset
                for entry in found.entries
                if entry.current_txn_first_offset is not None
            }
            return

    def see(self, segment: LoadedSegment, batch: Batch) -> bool:
        """Take note of a batch; returns whether an aborted transaction ends with it."""
        completes_aborted = False
        if batch.magic >= 2 and batch.producer_id != _NO_PRODUCER:
            if batch.is_control:
                ended = _marker(segment, batch)
                began = self._first_offsets.pop(batch.producer_id, None) if ended else None
                completes_aborted = ended == "ABORT" and began is not None
            elif batch.is_transactional:
                self._first_offsets.setdefault(batch.producer_id, batch.base_offset)
        self.offset = to_int64(batch.last_offset + 1)
        return completes_aborted


def _marker(segment: LoadedSegment, batch: Batch) -> str | None:
    """Type of the transaction marker in a control batch; None if it is none."""
    try:
        entry = Entry(segment.data(batch), segment.name, batch.position)
        for record in entry.records():
            name = type_name(record.control_type_id)
            return name if name in ("ABORT", "COMMIT") else None
    except DataError:
        pass  # verify tells of what is wrong with it; for a start only markers that can be read matter
    return None
