"""Missing offsets: the offsets of a log that have no record on disk, and the causes."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from kafkafmt.libraries import np
from kafkafmt.logdir.producer_runs import Int64s
from kafkafmt.reference.header import INT64_MAX

if TYPE_CHECKING:
    from kafkafmt.logdir.present_offsets import PresentOffsets

COMPACTION: Final = "compaction"
CONTROL_RECORDS: Final = "control records"
ABORTED: Final = "aborted and cleaned"
BELOW_LOG_START: Final = "below log start"
LEFT_OUT: Final = "left out of this copy"
DAMAGE: Final = "damage"
LOST_END: Final = "lost end"
UNEXPLAINED: Final = "unexplained"

HARMLESS: Final = frozenset({COMPACTION, CONTROL_RECORDS, ABORTED, BELOW_LOG_START, LEFT_OUT})
"""Causes by which a consumer loses nothing."""

"""An offset that no record has."""

OffsetRanges = Sequence[tuple[int, int]]
"""First and last offsets of ranges, in order and without overlaps."""


class OffsetGap(NamedTuple):
    """Offsets without a record, all for the same cause.

    Attributes:
        first: first missing offset.
        last: last missing offset.
        cause: cause; None if it is not yet known.
    """

    first: int
    last: int
    cause: str | None = None


class MissingOffsets:
    """Finds the offsets that one log lacks.

    Args:
        start: start offset of the log.
        end: end offset (exclusive) up to which it is checked; None for its own end.

    Attributes:
        next: the offset after the last one so far.
    """

    def __init__(self, start: int, end: int | None = None) -> None:
        self.next = start
        self._end = end
        self._missing = start
        self._gaps = np.empty((2, 0), np.int64)
        self._counts = np.array([start], np.int64)

    def see(self, present: "PresentOffsets", *, after_damage: bool = False) -> list[OffsetGap]:
        """Add the next entries; return the gaps before and between them.

        Args:
            present: offsets of the entries that have a record.
            after_damage: whether damage separates them from earlier entries.
        """
        within = present.first >= 0
        if self._end is not None:
            within &= present.first < self._end
        first, last = present.first[within], present.last[within]
        if self._end is not None:
            last = np.minimum(last, self._end - 1)
        if not len(first):
            self._gaps, self._counts = np.empty((2, 0), np.int64), np.array([self._missing], np.int64)
            return []
        reached = np.maximum.accumulate(np.concatenate([[self.next - 1], last]))
        before = reached[:-1]
        number = np.flatnonzero(first - 1 > before)
        begins, ends = before[number] + 1, first[number] - 1
        is_damage = after_damage and len(number) > 0 and number[0] == 0
        sizes = ends - begins + 1
        if is_damage:
            sizes[0] = 0
        self._gaps = np.stack([ends - sizes + 1, ends])
        self._counts = self._missing + np.concatenate([[0], np.cumsum(sizes)])
        self._missing = int(self._counts[-1])
        self.next = int(reached[-1]) + 1
        gaps = list(map(OffsetGap, begins.tolist(), ends.tolist()))
        if is_damage:
            gaps[0] = gaps[0]._replace(cause=DAMAGE)
        return gaps

    def before(self, offsets: Int64s) -> Int64s:
        """Numbers of offsets missing before some of the entries added last, without those lost to damage."""
        begins, ends = self._gaps
        number = np.searchsorted(ends, offsets)
        # A base offset can itself be in a gap, if its batch has no records left.
        within = offsets - np.append(begins, self.next)[number]
        counts: Int64s = self._counts[number] + np.maximum(within, 0)
        return counts

    def up_to(self, end: int, cause: str | None = None) -> list[OffsetGap]:
        """The gap at the end of a log.

        Args:
            end: end offset of the log (exclusive).
            cause: cause of the gap, if known.
        """
        end = end if self._end is None else min(end, self._end)
        first, self.next = self.next, max(self.next, end)
        return [OffsetGap(first, end - 1, cause)] if first < end else []


class GapCauses:
    """Finds the cause of missing offsets.

    Args:
        log_start: log start offset; lower offsets were deleted.
        cleaned: offset up to which the log cleaner has cleaned, from its checkpoint; None if unknown, so that one batch
            marked by the cleaner shows that the log is compacted.
        left_out: offset up to which offsets are missing because this copy was made without them.
        aborted: returns the offsets of aborted transactions; called once, and only if cleaned offsets are missing.
    """

    def __init__(self, log_start: int, cleaned: int | None, left_out: int, aborted: Callable[[], OffsetRanges]) -> None:
        self._log_start = log_start
        self._cleaned = cleaned or 0
        self._is_checkpointed = cleaned is not None
        self._left_out = left_out
        self._read_aborted = aborted
        self._transactions: OffsetRanges | None = None
        self._emptied: list[tuple[int, int]] = []

    def see(self, present: "PresentOffsets") -> None:
        """Learn from the cleaner's marks on batches how far it has come."""
        if present.cleaned:
            self._cleaned = max(self._cleaned, present.cleaned if self._is_checkpointed else INT64_MAX)
        self._emptied += present.emptied

    @property
    def reach(self) -> int:
        """Offset up to which records may have been removed from between others, as known so far."""
        return max(self._cleaned, self._left_out)

    def is_known(self, gap: OffsetGap) -> bool:
        """Whether later batches cannot change the cause of a gap."""
        return gap.cause is not None or gap.last < max(self._log_start, self.reach)

    def split(self, gap: OffsetGap) -> Iterator[OffsetGap]:
        """Split a gap by causes."""
        if gap.cause is not None and gap.first >= self._log_start:
            yield gap
            return
        if self._log_start <= gap.first and gap.last < self._cleaned and not self._has_others(gap):
            yield OffsetGap(gap.first, gap.last, COMPACTION)
            return
        cuts = {
            gap.first,
            *(at for at in (self._log_start, self._cleaned, self._left_out) if gap.first < at <= gap.last),
        }
        for ranges in (self._emptied, self._aborted(gap)):
            for first, last in _overlapping(ranges, gap):
                cuts.update(at for at in (first, last + 1) if gap.first < at <= gap.last)
        begins = sorted(cuts)
        first, cause = begins[0], self._cause(begins[0], gap)
        for begin in begins[1:]:
            following = self._cause(begin, gap)
            if following != cause:
                yield OffsetGap(first, begin - 1, cause)
                first, cause = begin, following
        yield OffsetGap(first, gap.last, cause)

    def _aborted(self, gap: OffsetGap) -> OffsetRanges:
        """Aborted transactions, if some may have been cleaned from a gap."""
        if gap.first >= self._cleaned:
            return ()
        if self._transactions is None:
            self._transactions = self._read_aborted()
        return self._transactions

    def _has_others(self, gap: OffsetGap) -> bool:
        """Whether a cause other than compaction may have left a gap below the cleaner's offset."""
        return bool(_overlapping(self._emptied, gap) or _overlapping(self._aborted(gap), gap))

    def _cause(self, offset: int, gap: OffsetGap) -> str:
        if offset < self._log_start:
            return BELOW_LOG_START
        if gap.cause is not None:
            return gap.cause
        here = OffsetGap(offset, offset)
        if _overlapping(self._emptied, here):
            return CONTROL_RECORDS
        if offset < self._cleaned:
            return ABORTED if _overlapping(self._aborted(here), here) else COMPACTION
        return LEFT_OUT if offset < self._left_out else UNEXPLAINED


def joined(ranges: "Iterator[tuple[int, int]]") -> OffsetRanges:
    """Join ranges in any order into ordered ranges without overlaps."""
    result: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if result and first <= result[-1][1] + 1:
            result[-1] = result[-1][0], max(result[-1][1], last)
        else:
            result.append((first, last))
    return result


def _overlapping(ranges: OffsetRanges, gap: OffsetGap) -> OffsetRanges:
    """The ranges that overlap a gap."""
    if not ranges:
        return ranges
    begin = bisect_left(ranges, gap.first, key=lambda each: each[1])
    return ranges[begin : bisect_right(ranges, gap.last, key=lambda each: each[0])]
