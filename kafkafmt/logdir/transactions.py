"""Transactions of a partition: which were aborted, and where the first one begins that is still open (KIP-98).

The fate of a transactional batch is that of its producer's next marker, ABORT or COMMIT. It is found by producer id
alone: Kafka 4 writes markers with an epoch one higher than that of their data (KIP-890). Where no marker follows, the
transaction is open, and a consumer that reads committed records gets nothing at or beyond its first offset: the last
stable offset. A batch without records opens nothing: the cleaner makes those, of transactions that have ended.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.headers import CONTROL, TRANSACTIONAL, Headers, Mask
from kafkafmt.reference.header import BatchHeader

Int64s = npt.NDArray[np.int64]
Place = tuple[int, int]
"""Number of a segment, and a position in its file."""

# Kafka's own brokers hold some thousands; each takes a quarter of a kilobyte here.
MOST_OPEN = 1_000_000
ENOUGH_BEYOND_THE_END = 2
"""Batches in a row at or beyond an end that end a walk: one may be a flipped base offset, two are none by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class AbortedTransactions:
    """What a reader of committed records must know of a partition; small, and can be pickled.

    Ranges are ordered by producer id and first offset, and those of one producer do not overlap.

    Attributes:
        last_stable_offset: first offset of the earliest open transaction, or None: all are decided.
        producer_ids: whose transaction was aborted, for each range.
        first_offsets: where it begins.
        last_offsets: its last offset: that of the marker.
    """

    last_stable_offset: int | None
    producer_ids: Int64s
    first_offsets: Int64s
    last_offsets: Int64s

    @property
    def aborted(self) -> list[tuple[int, int, int]]:
        """Producer id, first and last offset of each range."""
        columns = (self.producer_ids, self.first_offsets, self.last_offsets)
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def is_aborted(self, header: BatchHeader) -> bool:
        """Whether the records of a batch belong to an aborted transaction."""
        offset = header.base_offset
        if not header.is_transactional or header.is_control_batch or offset is None:
            return False
        begin = int(np.searchsorted(self.producer_ids, header.producer_id, "left"))
        end = int(np.searchsorted(self.producer_ids, header.producer_id, "right"))
        last = begin + int(np.searchsorted(self.first_offsets[begin:end], offset, "right")) - 1
        return bool(last >= begin and offset <= self.last_offsets[last])

    def aborted_mask(self, headers: Headers) -> Mask:
        """Of which batches `is_aborted` is true.

        Args:
            headers: of batches of format v2, of type `kafkafmt.columnar.headers.HEADER`.
        """
        mask: Mask = np.zeros(len(headers), np.bool_)
        if not len(self.producer_ids):
            return mask
        data = np.flatnonzero((headers["attributes"] & (TRANSACTIONAL | CONTROL)) == TRANSACTIONAL)
        if not len(data):
            return mask
        producer_ids, offsets = headers["producer_id"][data], headers["base_offset"][data]
        begin = np.searchsorted(self.producer_ids, producer_ids, "left")
        end = np.searchsorted(self.producer_ids, producer_ids, "right")
        behind = self._first_above(offsets, begin, end)
        last = np.maximum(behind - 1, 0)
        mask[data] = (behind > begin) & (offsets <= self.last_offsets[last])
        return mask

    def within(self, start: int, end: int) -> "AbortedTransactions":
        """Give the part that batches with base offsets in a range need, from `start` up to but not including `end`."""
        kept = (self.last_offsets >= start) & (self.first_offsets < end)
        stable = self.last_stable_offset
        return AbortedTransactions(
            stable if stable is not None and stable < end else None,
            self.producer_ids[kept],
            self.first_offsets[kept],
            self.last_offsets[kept],
        )

    def _first_above(self, offsets: Int64s, begin: Int64s, end: Int64s) -> Int64s:
        """For each offset the first of the ranges `begin` to `end` that starts above it; by bisection, all at once."""
        left, right = begin.copy(), end.copy()
        for _ in range(int((end - begin).max()).bit_length()):
            searching = left < right
            middle = (left + right) // 2
            not_above = self.first_offsets[np.minimum(middle, len(self.first_offsets) - 1)] <= offsets
            left = np.where(searching & not_above, middle + 1, left)
            right = np.where(searching & ~not_above, middle, right)
        return left


class TransactionsBuilder:
    """Gathers the transactions of a partition from its batches, which are told in the order of the log.

    Where offsets go back, as damage can make them, a transaction spans the lowest to the highest offset that it has: no
    record of an aborted or open one is ever taken for committed, though others of the same producer may be left out.

    Args:
        end: offsets from here on are not asked for; None for all. Markers behind it count.
        log_end: batches and markers from here on do not count, as if the log ended there (the high watermark).

    Attributes:
        next_offset: behind the last batch that was told, or None before the first one.
        reach: lowest and highest base offset of the transactional data in each segment, by its number.
    """

    def __init__(self, end: int | None = None, log_end: int | None = None) -> None:
        self.next_offset: int | None = None
        self.reach: dict[int, tuple[int, int]] = {}
        self._end = min((bound for bound in (end, log_end) if bound is not None), default=None)
        self._log_end = log_end
        self._beyond = 0
        self._open: dict[int, tuple[int, int, Place]] = {}
        self._aborted = (array("q"), array("q"), array("q"))

    @property
    def is_done(self) -> bool:
        """Whether nothing that follows can matter: the end is reached, and the fate of all before it is known."""
        return self._beyond >= ENOUGH_BEYOND_THE_END and self._is_decided

    @property
    def is_full(self) -> bool:
        """Whether more transactions are open than are to be held."""
        return len(self._open) > MOST_OPEN

    def is_done_before(self, base_offset: int | None) -> bool:
        """Whether a segment that begins at this offset, and all behind it, cannot matter."""
        return self._end is not None and base_offset is not None and base_offset >= self._end and self._is_decided

    def passed(self, base_offsets: Int64s, next_offset: int) -> None:
        """Note batches that were told, whatever they hold: their base offsets, and the offset behind the last one."""
        self.next_offset = next_offset
        if self._end is not None and len(base_offsets):
            within = np.flatnonzero(base_offsets < self._end)
            in_a_row = len(base_offsets) - 1 - int(within[-1]) if len(within) else self._beyond + len(base_offsets)
            self._beyond = in_a_row

    def add_data(self, producer_id: int, lowest: int, highest: int, place: Place) -> None:
        """Note transactional batches of a producer with no marker of its own between them.

        Args:
            producer_id: whose they are.
            lowest: their lowest base offset.
            highest: their highest.
            place: where the first of them stands.
        """
        number = place[0]
        least, most = self.reach.get(number, (lowest, highest))
        self.reach[number] = (min(least, lowest), max(most, highest))
        if self._end is not None and lowest >= self._end:
            return
        known = self._open.get(producer_id)
        if known is not None:
            lowest, highest, place = min(lowest, known[0]), max(highest, known[1]), known[2]
        self._open[producer_id] = (lowest, highest, place)

    def add_marker(self, producer_id: int, offset: int, *, is_abort: bool) -> None:
        """Note the end of a producer's transaction; without data in front of it, it says nothing."""
        if self._log_end is not None and offset >= self._log_end:
            return
        ended = self._open.pop(producer_id, None)
        if ended is not None and is_abort:
            self._abort(producer_id, min(ended[0], offset), max(ended[1], offset))

    def forget_open(self) -> None:
        """Note damage, in which markers may be lost: what is open may be aborted, and counts as that up to here."""
        for producer_id, (lowest, highest, _) in self._open.items():
            self._abort(producer_id, lowest, highest)
        self._open.clear()

    def earliest_open(self) -> tuple[int, Place] | None:
        """First offset of the earliest open transaction and where its first batch stands, or None."""
        return min(((lowest, place) for lowest, _, place in self._open.values()), default=None)

    def build(self) -> AbortedTransactions:
        """Put together what is known."""
        producer_ids, first, last = (np.array(column, np.int64) for column in self._aborted)
        order = np.lexsort((first, producer_ids))
        producer_ids, first, last = producer_ids[order], first[order], last[order]
        if ((producer_ids[1:] == producer_ids[:-1]) & (first[1:] <= last[:-1])).any():
            rows = np.array(list(_merged(producer_ids, first, last)), np.int64)
            producer_ids, first, last = (np.ascontiguousarray(column) for column in rows.T)
        earliest = self.earliest_open()
        return AbortedTransactions(None if earliest is None else earliest[0], producer_ids, first, last)

    @property
    def _is_decided(self) -> bool:
        """Whether no marker that counts can follow behind the end, or none is waited for."""
        return self._end == self._log_end or not self._open

    def _abort(self, producer_id: int, first: int, last: int) -> None:
        for column, value in zip(self._aborted, (producer_id, first, last), strict=True):
            column.append(value)


def _merged(producer_ids: Int64s, first: Int64s, last: Int64s) -> Iterator[tuple[int, int, int]]:
    """Sorted ranges, those of one producer that overlap in one."""
    held: tuple[int, int, int] | None = None
    for producer_id, begin, end in zip(producer_ids.tolist(), first.tolist(), last.tolist(), strict=True):
        if held is not None and held[0] == producer_id and begin <= held[2]:
            held = (producer_id, held[1], max(held[2], end))
            continue
        if held is not None:
            yield held
        held = (producer_id, begin, end)
    if held is not None:
        yield held
