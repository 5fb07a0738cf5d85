"""What `LogSegment.recover` makes of a segment: how much of the log is kept, its new indexes, and open transactions.

Transactions are a part of Kafka's `ProducerStateManager`.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar.headers import Batches
from kafkafmt.errors import DataError
from kafkafmt.files import producer_snapshot
from kafkafmt.reference.control import type_name
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import to_int64
from kafkafmt.startup.outcome import InvalidOffsetError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.io.base import Location
    from kafkafmt.startup.segment import Batch, LoadedSegment

_NO_TIMESTAMP = -1
_INT32_MAX = 2**31 - 1

_NO_PRODUCER = -1


@dataclass
class Recovered:
    """What becomes of a segment, batch by batch or in bulk.

    Attributes:
        name: of the log file, in errors.
        base_offset: of the segment.
        index_interval_bytes: the topic's `index.interval.bytes`.
        size: bytes of the log that are kept.
        truncated: bytes cut at its end.
        reason: why it was cut there, or "".
        index: entries of the new offset index: offset and position.
        time_index: entries of the new time index: timestamp and offset.
        completes_aborted: whether a transaction that is aborted ends in it, so that a transaction index is written.
    """

    name: str
    base_offset: int
    index_interval_bytes: int
    size: int = 0
    truncated: int = 0
    reason: str = ""
    index: list[tuple[int, int]] = field(default_factory=list)
    time_index: list[tuple[int, int]] = field(default_factory=list)
    completes_aborted: bool = False
    _indexed: int = 0
    _highest_offset: int = -1
    _max_timestamp: int = _NO_TIMESTAMP
    _offset_of_max: int = _NO_TIMESTAMP

    def add(self, last_offset: int, max_timestamp: int, size: int) -> None:
        """Keep the next batch.

        Raises:
            InvalidOffsetError: the offsets do not rise as an index demands.
        """
        if max_timestamp > self._max_timestamp:
            self._max_timestamp, self._offset_of_max = max_timestamp, last_offset
        self._highest_offset = max(self._highest_offset, last_offset)
        if self.size - self._indexed > self.index_interval_bytes:
            if self.index and last_offset <= self.index[-1][0]:
                raise InvalidOffsetError(
                    f"Attempt to append an offset ({last_offset}) to position {len(self.index)} no "
                    f"larger than the last offset appended ({self.index[-1][0]}) to {self.name}.",
                    self.name,
                    self.size,
                )
            self.index.append((last_offset, self.size))
            self.append_time()
            self._indexed = self.size
        self.size += size

    def takes(self, batches: Batches) -> bool:
        """Whether the offsets of the next batches rise and fit the segment, so that `add_all` may have them."""
        lasts = batches.last_offsets
        return (
            int(lasts[0]) > max(self._highest_offset, self.base_offset - 1)
            and int(lasts[-1]) - self.base_offset <= _INT32_MAX
            and bool((lasts[1:] > lasts[:-1]).all())
        )

    def add_all(self, batches: Batches) -> None:
        """Keep the next batches, which `takes` is true of; the same as `add` of each."""
        lasts, timestamps = batches.last_offsets, batches.headers["max_timestamp"]
        latest = np.maximum.accumulate(np.maximum(timestamps, self._max_timestamp))
        before = np.concatenate([np.array([self._max_timestamp], np.int64), latest[:-1]])
        newest = np.maximum.accumulate(np.where(timestamps > before, np.arange(len(lasts)), -1))
        offsets_of_max = np.where(newest >= 0, lasts[newest], self._offset_of_max)
        begins = (batches.starts + batches.position).tolist()
        chosen = []
        for number, begin in enumerate(begins):
            if begin - self._indexed > self.index_interval_bytes:
                chosen.append(number)
                self._indexed = begin
        self.index += [(offset, begins[number]) for offset, number in zip(lasts[chosen].tolist(), chosen, strict=True)]
        for timestamp, offset in zip(latest[chosen].tolist(), offsets_of_max[chosen].tolist(), strict=True):
            if timestamp > (self.time_index[-1][0] if self.time_index else _NO_TIMESTAMP):
                self.time_index.append((timestamp, offset))
        self._highest_offset = int(lasts[-1])
        self._max_timestamp, self._offset_of_max = int(latest[-1]), int(offsets_of_max[-1])
        self.size = int(batches.ends[-1]) + batches.position

    def append_time(self) -> None:
        """`TimeIndex.maybeAppend`: an entry only if it is later than the last one.

        Raises:
            InvalidOffsetError: its offset is below that of the last one.
        """
        last_timestamp, last_offset = self.time_index[-1] if self.time_index else (_NO_TIMESTAMP, None)
        if last_offset is not None and self._offset_of_max < last_offset:
            raise InvalidOffsetError(
                f"Attempt to append an offset ({self._offset_of_max}) to slot {len(self.time_index)} no larger than "
                f"the last offset appended ({last_offset}) to {self.name}.",
                self.name,
                None,
            )
        if self._max_timestamp > last_timestamp:
            self.time_index.append((self._max_timestamp, self._offset_of_max))


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

    def see(self, segment: "LoadedSegment", batch: "Batch") -> bool:
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


def _marker(segment: "LoadedSegment", batch: "Batch") -> str | None:
    """Type of the transaction marker in a control batch; None if it is none."""
    try:
        entry = Entry(segment.data(batch), segment.name, batch.position)
        for record in entry.records():
            name = type_name(record.control_type_id)
            return name if name in ("ABORT", "COMMIT") else None
    except DataError:
        pass  # verify tells of what is wrong with it; for a start only markers that can be read matter
    return None
