"""Transactions of a partition: which are open, and which were aborted (KIP-98).

The next marker of its producer, ABORT or COMMIT, decides a transactional batch. It is found by producer id alone, as
Kafka 4 writes markers with an epoch one higher than that of their data (KIP-890). Without a marker the transaction is
open, and a read_committed consumer gets nothing from its first offset on, the last stable offset. A batch without
records does not open a transaction: the cleaner leaves such batches of transactions that have ended.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kafkafmt.columnar.headers import ABORT, COMMIT, Headers, Mask
from kafkafmt.libraries import np
from kafkafmt.logdir.producer_runs import DATA, Int64s, LogTransaction, OngoingTransactions, ProducerRun, Rows
from kafkafmt.reference.header import BatchHeader
from kafkafmt.reference.layout import CONTROL, TRANSACTIONAL

ENOUGH_BEYOND_THE_END: Final = 2
"""Consecutive batches at or past an end that end a walk: one may be a flipped base offset, two cannot be chance."""


@dataclass(frozen=True, slots=True, eq=False)
class AbortedTransactions:
    """The offsets of a partition that read_committed leaves out; small, and can be pickled.

    Ranges are ordered by producer id and first offset; those of one producer do not overlap.

    Attributes:
        last_stable_offset: first offset of the earliest open transaction, or None if all have ended.
        producer_ids: producer of the aborted transaction, for each range.
        first_offsets: first offset of each range.
        last_offsets: last offset of each range, which is the marker's.
    """

    last_stable_offset: int | None
    producer_ids: Int64s
    first_offsets: Int64s
    last_offsets: Int64s

    @classmethod
    def of(cls, stable: int | None, producer_ids: Int64s, first: Int64s, last: Int64s) -> "AbortedTransactions":
        """Sort ranges, and join ranges of a producer that overlap.

        Args:
            stable: the last stable offset, or None.
            producer_ids: producer of the aborted transaction, for each range.
            first: first offset of each range.
            last: last offset of each range.
        """
        order = np.lexsort((first, producer_ids))
        producer_ids, first, last = producer_ids[order], first[order], last[order]
        if ((producer_ids[1:] == producer_ids[:-1]) & (first[1:] <= last[:-1])).any():
            rows = np.array(list(_merged(producer_ids, first, last)), np.int64)
            producer_ids, first, last = (np.ascontiguousarray(column) for column in rows.T)
        return cls(stable, producer_ids, first, last)

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
        """The batches for which `is_aborted` is true, as a mask.

        Args:
            headers: headers of format v2, of type `kafkafmt.columnar.headers.HEADER`.
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
        above = self._first_above(offsets, begin, end)
        last = np.maximum(above - 1, 0)
        mask[data] = (above > begin) & (offsets <= self.last_offsets[last])
        return mask

    def within(self, start: int, end: int) -> "AbortedTransactions":
        """The part needed for batches with base offsets from `start` up to but not including `end`."""
        kept = (self.last_offsets >= start) & (self.first_offsets < end)
        stable = self.last_stable_offset
        return AbortedTransactions(
            stable if stable is not None and stable < end else None,
            self.producer_ids[kept],
            self.first_offsets[kept],
            self.last_offsets[kept],
        )

    def _first_above(self, offsets: Int64s, begin: Int64s, end: Int64s) -> Int64s:
        """For each offset, the first of the ranges `begin` to `end` that starts above it, by bisection."""
        left, right = begin.copy(), end.copy()
        for _ in range(int((end - begin).max()).bit_length()):
            searching = left < right
            middle = (left + right) // 2
            not_above = self.first_offsets[np.minimum(middle, len(self.first_offsets) - 1)] <= offsets
            left = np.where(searching & not_above, middle + 1, left)
            right = np.where(searching & ~not_above, middle, right)
        return left


class TransactionsBuilder:
    """Collects the transactions of a partition from its batches, in log order.

    Where damage makes offsets go back, a transaction spans its lowest to its highest offset: a record of an aborted or
    open one never counts as committed, though other records of the same producer may be left out.

    Args:
        end: offsets from here on are not requested; None for all. Later markers count.
        log_end: batches and markers from here on are ignored, as if the log ended there (the high watermark).
        begun: transactions that are open before the first batch.

    Attributes:
        reach: lowest and highest base offset of the transactional data in each segment, by its number.
    """

    def __init__(
        self, end: int | None = None, log_end: int | None = None, begun: Iterable[LogTransaction] = ()
    ) -> None:
        self.reach: dict[int, tuple[int, int]] = {}
        self._end = min((bound for bound in (end, log_end) if bound is not None), default=None)
        self._log_end = log_end
        self._beyond = 0
        self._open = OngoingTransactions((each.producer_id, replace(each)) for each in begun)
        self._aborted = (array("q"), array("q"), array("q"))

    @property
    def is_done(self) -> bool:
        """Whether later batches do not matter: the end is reached, and the outcome of everything before it is known."""
        return self._beyond >= ENOUGH_BEYOND_THE_END and self._is_decided

    def is_done_before(self, base_offset: int | None) -> bool:
        """Whether a segment that begins at this offset, and all later ones, do not matter."""
        return self._end is not None and base_offset is not None and base_offset >= self._end and self._is_decided

    def add(self, run: ProducerRun) -> None:
        """Add the next run of batches.

        Raises:
            LimitExceededError: too many transactions are open; this one is among them.
        """
        if run.kind != DATA:
            if self._log_end is not None and run.first_offset >= self._log_end:
                return
            ended = self._open.add(run)
            if ended is not None and run.kind == ABORT:
                first, last = min(ended.lowest_offset, run.first_offset), max(ended.highest_offset, run.first_offset)
                self._abort(run.producer_id, first, last)
        elif run.in_transaction:
            self._reach(run.segment, run.lowest_offset, run.highest_offset)
            if self._end is None or run.lowest_offset < self._end:
                self._open.add(run)

    def add_ended(self, rows: Rows, segment: int) -> Rows:
        """Add transactions that begin and end within the same batches, all at once.

        Args:
            rows: the batches, of type `BATCH`.
            segment: number of their segment.

        Returns:
            The other batches, to be added as runs.
        """
        offsets, is_marker = rows["base_offset"], rows["kind"] <= COMMIT
        counts = rows["in_transaction"]
        if counts.any():
            self._reach(segment, int(offsets[counts].min()), int(offsets[counts].max()))
        if self._end is not None:
            counts = counts & (offsets < self._end)
        counts = counts | (is_marker if self._log_end is None else is_marker & (offsets < self._log_end))
        rows = rows[counts]
        if not len(rows):
            return rows
        rows = rows[np.argsort(rows["producer_id"], kind="stable")]
        producer_ids, is_marker = rows["producer_id"], rows["kind"] <= COMMIT
        # A part is the rows of one producer up to a marker. Its first row may continue an open transaction.
        begins = np.ones(len(rows), np.bool_)
        begins[1:] = is_marker[:-1] | (producer_ids[1:] != producer_ids[:-1])
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(rows)) - 1
        is_whole = is_marker[last]
        is_whole[0] = False
        is_whole[1:] &= producer_ids[first[1:]] == producer_ids[first[:-1]]
        aborted = is_whole & (rows["kind"][last] == ABORT) & (last > first)
        if aborted.any():
            lowest, highest = (of.reduceat(rows["base_offset"], first) for of in (np.minimum, np.maximum))
            for column, values in zip(self._aborted, (producer_ids[first], lowest, highest), strict=True):
                column.frombytes(values[aborted].tobytes())
        others: Rows = rows[np.repeat(~is_whole, last - first + 1)]
        return others

    def passed(self, base_offsets: "Int64s | Sequence[int]") -> None:
        """Note the base offsets of all batches, with and without a producer, to detect when the end is reached."""
        if self._end is not None and len(base_offsets):
            within = np.flatnonzero(np.asarray(base_offsets) < self._end)
            in_a_row = len(base_offsets) - 1 - int(within[-1]) if len(within) else self._beyond + len(base_offsets)
            self._beyond = in_a_row

    def forget_open(self) -> None:
        """Note damage, in which markers may be lost: open transactions count as aborted up to here."""
        for producer_id, known in self._open.items():
            self._abort(producer_id, known.lowest_offset, known.highest_offset)
        self._open.clear()

    def forget_before(self, offset: int) -> None:
        """Drop aborted transactions that end below an offset, as nothing below it will be requested."""
        _, _, last_offsets = self._aborted
        kept = [number for number, last in enumerate(last_offsets) if last >= offset]
        if len(kept) < len(last_offsets):
            first, second, third = (array("q", [column[number] for number in kept]) for column in self._aborted)
            self._aborted = (first, second, third)

    def earliest_open(self) -> LogTransaction | None:
        """The open transaction with the lowest offset, or None."""
        return min(self._open.values(), key=lambda known: known.lowest_offset, default=None)

    def open(self) -> tuple[LogTransaction, ...]:
        """The open transactions by first offset."""
        return tuple(sorted(self._open.values(), key=lambda known: known.first_offset))

    def build(self) -> AbortedTransactions:
        """Combine the known ranges."""
        earliest = self.earliest_open()
        columns = (np.array(column, np.int64) for column in self._aborted)
        return AbortedTransactions.of(None if earliest is None else earliest.lowest_offset, *columns)

    @property
    def _is_decided(self) -> bool:
        """Whether no relevant marker can follow the end, or none is pending."""
        return self._end == self._log_end or not self._open

    def _reach(self, segment: int, lowest: int, highest: int) -> None:
        known = self.reach.get(segment, (lowest, highest))
        self.reach[segment] = (min(known[0], lowest), max(known[1], highest))

    def _abort(self, producer_id: int, first: int, last: int) -> None:
        for column, value in zip(self._aborted, (producer_id, first, last), strict=True):
            column.append(value)


def _merged(producer_ids: Int64s, first: Int64s, last: Int64s) -> Iterator[tuple[int, int, int]]:
    """Sorted ranges; overlapping ones of one producer are merged."""
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
