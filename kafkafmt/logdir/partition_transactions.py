"""The transactions of a partition as a broker has them in memory: last stable offset, open and aborted transactions.

A broker does not walk over the log to find them. It loads the newest producer snapshot and replays the batches after
it (`ProducerStateManager`), and looks up aborted transactions in the transaction indexes
(`UnifiedLog.collectAbortedTransactions`). This module does the same. It walks over the log only where a broker would
rebuild these files at its start, or where they cannot be right, as no CRC covers a transaction index.
"""

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from threading import RLock
from typing import TYPE_CHECKING, Final

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError
from kafkafmt.files.names import parse_segment_file_name
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup, sound_snapshots
from kafkafmt.logdir.abort_index import AbortedRange, AbortIndex
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_runs import LogTransaction
from kafkafmt.logdir.producer_states import ProducerStates
from kafkafmt.logdir.recovery import recovered_from
from kafkafmt.logdir.transaction_plan import TransactionPlan, TransactionPlanner
from kafkafmt.reference.header import INT64_MAX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment

MOST_KEPT: Final = 50_000
"""Entries of a partition's transaction indexes that are cached, 32 bytes each; more if a single index has more."""

_ENOUGH_STABLE: Final = 2
"""Index entries with a high enough last stable offset that end a search: one alone may be damaged."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """A snapshot, or the log start, and the position where the log continues from there."""

    offset: int
    entries: "tuple[ProducerState, ...]"
    place: tuple[int, int]
    is_snapshot: bool

    def begun(self) -> list[LogTransaction]:
        """The transactions that are open at the snapshot."""
        is_open = (entry for entry in self.entries if entry.current_txn_first_offset is not None)
        return [LogTransaction.of_snapshot(entry, self.offset) for entry in is_open]


@dataclass(frozen=True, slots=True)
class _Tail:
    """The result of a walk from the newest snapshot to the end.

    Attributes:
        begin: offset of the snapshot.
        known_from: the same at the log start, where transactions may be open that no snapshot has; else 0.
        open: transactions that are open at the end, by first offset.
        aborted: aborted transactions whose markers are in the tail.
        in_an_index: those that a transaction index must have, because their data are in the tail.
        is_damaged: whether damage was skipped.
    """

    begin: int
    known_from: int
    open: tuple[LogTransaction, ...]
    aborted: AbortIndex
    in_an_index: AbortIndex
    is_damaged: bool


class PartitionTransactions:
    """The transactions of one partition as of an offset; safe to share between threads.

    Nothing is read before it is needed. Damage in the log is skipped: transactions that are open there count as aborted
    up to the damage, since their markers may be lost. A damaged snapshot or index is not used.

    Args:
        partition: the partition.
        start: log start offset: snapshots up to there are not used, as by a starting broker.
        end: end of the log, or an offset before it: batches and markers from there on do not count.
        aborts_open: whether transactions that are open at the end count as aborted.
        limits: bounds of memory.
        before: the known tail up to an offset before the end, passed on by `grown`.
    """

    def __init__(
        self,
        partition: "Partition",
        start: int,
        end: int,
        *,
        aborts_open: bool = False,
        limits: Limits | None = None,
        before: tuple[_Tail, int] | None = None,
    ) -> None:
        self._partition = partition
        self._start = start
        self._end = end
        self._aborts_open = aborts_open
        self._limits = limits or Limits()
        self._lock = RLock()
        self._lowest: dict[int, int] = {}
        self._read: OrderedDict[int, AbortIndex] = OrderedDict()
        self._read_entries = 0
        self._walked: dict[int, AbortIndex] = {}
        self._refuted: set[int] = set()
        self._before = before

    def grown(self, partition: "Partition", start: int, end: int) -> "PartitionTransactions":
        """The transactions of the same log after it has grown: only the new batches are walked.

        Args:
            partition: the partition now.
            start: log start offset now.
            end: end of the log now.
        """
        tail: _Tail | None = self.__dict__.get("_tail")
        before = self._before if tail is None else (tail, self._end)
        if before is not None and (before[1] > end or len(before[0].aborted) > MOST_KEPT):
            before = None
        return PartitionTransactions(
            partition, start, end, aborts_open=self._aborts_open, limits=self._limits, before=before
        )

    def last_stable_offset(self) -> int:
        """First offset of the earliest open transaction; the end if there is none, or open ones count as aborted.

        If the transaction began below the log start, this is the base offset of the first batch, as in Kafka.

        Raises:
            SourceError: a file cannot be read.
        """
        if self._aborts_open:
            return self._end
        if self.knows_stable:
            return self._stable
        with self._lock:
            return self._stable

    @property
    def knows_stable(self) -> bool:
        """Whether `last_stable_offset` returns without reading or waiting."""
        return self._aborts_open or "_stable" in self.__dict__

    def open_transactions(self) -> tuple[LogTransaction, ...]:
        """The transactions that are open at the end, by first offset; of some only the fields of a snapshot are known.

        Raises:
            SourceError: a file cannot be read.
        """
        with self._lock:
            return self._tail.open

    @property
    def may_have_aborted(self) -> bool:
        """Whether `aborted` may find transactions, as far as known without the transaction indexes.

        Raises:
            SourceError: a file cannot be read.
        """
        if self.knows_aborts:
            return self._may_have_aborted
        with self._lock:
            return self._may_have_aborted

    @property
    def knows_aborts(self) -> bool:
        """Whether `may_have_aborted` returns without reading or waiting."""
        return "_may_have_aborted" in self.__dict__

    def aborted(self, begin: int, end: int) -> list[AbortedRange]:
        """The aborted transactions that overlap a range of offsets, in order of their markers, as in a Fetch response.

        An open transaction that counts as aborted comes last, with the end of the log in place of its marker.

        Args:
            begin: the first offset.
            end: the offset after the last one.

        Raises:
            SourceError: a file cannot be read.
        """
        end = min(end, self._end)
        if begin >= end:
            return []
        found: list[AbortedRange] = []
        with self._lock:
            stable = 0
            numbers = self._with_aborts
            for number in islice(numbers, bisect_left(numbers, self._number_of(begin)), None):
                if self._lowest.get(number, begin) >= end:
                    continue
                part = self._of_segment(number)
                found += part.overlapping(begin, end, self._end)
                stable += part.beyond(end, self._end)
                if stable >= _ENOUGH_STABLE or part.stable_at_end >= end:
                    return found
            opened = self._tail.open if self._aborts_open else ()
        found += (AbortedRange(each.producer_id, each.first_offset, self._end) for each in opened)
        return [each for each in found if each.first_offset < end]

    def producers(self) -> "tuple[ProducerState, ...]":
        """The producers at the end, by id, as DescribeProducers lists them: those of the snapshot and of the later log.

        The disk does not show which producers a broker has expired, after `producer.id.expiration.ms` without a batch.

        Raises:
            SourceError: a file cannot be read.
            LimitExceededError: there are more than two million.
        """
        origin = self._origin(self._unflushed)
        states = ProducerStates(origin.entries)
        walk = BatchWalk(self._partition.segments, "skip", self._limits)
        for runs in walk.runs(*origin.place, end=self._end):
            states.add(runs)
        return states.entries()

    @cached_property
    def _stable(self) -> int:
        opened = self._tail.open
        if not opened:
            return self._end
        first = opened[0].first_offset
        if first < self._start:
            place = lookup.find_offset(self._partition.segments, self._start, report=lambda _: None)
            first = self._start if place is None else place.base_offset
        return min(first, self._end)

    @cached_property
    def _may_have_aborted(self) -> bool:
        return bool(self._with_aborts or (self._aborts_open and self._tail.open))

    @cached_property
    def _unflushed(self) -> int:
        """Offset up to which snapshots and indexes are trusted."""
        begin = recovered_from(self._partition)
        return self._end if begin is None else min(begin, self._end)

    @cached_property
    def _tail(self) -> _Tail:
        if self._before is not None:
            return self._longer_tail(*self._before)
        origin = self._origin(self._unflushed)
        plan = self._walk(origin, self._end)
        aborted = AbortIndex.of_walk(plan.transactions)
        in_an_index = aborted.since(INT64_MAX if plan.damage else origin.offset)
        known_from = 0 if origin.is_snapshot else origin.offset
        return _Tail(origin.offset, known_from, plan.open, aborted, in_an_index, bool(plan.damage))

    def _longer_tail(self, tail: _Tail, end: int) -> _Tail:
        """Extend an earlier tail by the batches after its end."""
        opened = [replace(each, segment=-1, position=-1) for each in tail.open]  # positions of an earlier listing
        planner = TransactionPlanner(
            self._partition.segments,
            self._end,
            self._end,
            "skip",
            limits=self._limits,
            place=self._place_of(end),
            begun=opened,
        )
        plan = planner.plan()
        aborted = tail.aborted + AbortIndex.of_walk(plan.transactions)
        is_damaged = tail.is_damaged or bool(plan.damage)
        in_an_index = aborted.since(INT64_MAX if is_damaged else tail.begin)
        return _Tail(tail.begin, tail.known_from, plan.open, aborted, in_an_index, is_damaged)

    def _origin(self, end: int) -> _Origin:
        """The newest sound snapshot at or before an offset, or the log start."""
        partition = self._partition
        known = (*partition.remote_snapshot_files, *partition.producer_snapshot_files)
        files = sorted((each for each in known if self._start < each[0] <= end), key=itemgetter(0))
        snapshot = next(sound_snapshots.newest_first(files, lambda _, __: None), None)
        offset = self._start if snapshot is None else snapshot.offset
        entries = () if snapshot is None else snapshot.entries
        return _Origin(offset, entries, self._place_of(offset), snapshot is not None)

    def _place_of(self, offset: int) -> tuple[int, int]:
        """Number of a segment and position in it where the batches from an offset on begin."""
        number = self._number_of(offset)
        if offset >= self._end:
            return len(self._partition.segments), 0
        if offset == self._base_offset(number):
            return number, 0
        return lookup.place_from(self._partition.segments, offset, lambda _: None)

    def _walk(self, origin: _Origin, end: int) -> TransactionPlan:
        segments, begun = self._partition.segments, origin.begun()
        return TransactionPlanner(
            segments, end, end, "skip", limits=self._limits, place=origin.place, begun=begun
        ).plan()

    @cached_property
    def _with_aborts(self) -> list[int]:
        """Numbers of the segments that may have markers of aborted transactions, by their file names and the tail.

        A broker rebuilds all indexes of a segment that has no `.index`. If no segment has a `.txnindex`, but the tail
        has an abort that should be in one, these files were lost.
        """
        files = set()
        for entry in self._partition.listing:
            name = parse_segment_file_name(entry.name) if entry.is_file else None
            if name is not None and name.kind in ("index", "txnindex") and name.suffix in ("", ".swap"):
                files.add((name.base_offset, name.kind))
        tail = self._tail
        lost = len(tail.in_an_index) > 0 and not any(kind == "txnindex" for _, kind in files)
        in_tail = self._number_of(tail.begin)
        numbers = []
        for number in range(self._number_of(self._end - 1) + 1):
            base_offset = self._base_offset(number)
            is_damaged = tail.is_damaged and number >= in_tail
            if lost or is_damaged or base_offset >= self._unflushed or (base_offset, "index") not in files:
                self._refuted.add(number)
            if (
                (number in self._refuted and base_offset < tail.begin)
                or (number not in self._refuted and (base_offset, "txnindex") in files)
                or (number >= in_tail and len(tail.aborted.between(base_offset, self._base_offset(number + 1))))
            ):
                numbers.append(number)
        return numbers

    def _of_segment(self, number: int) -> AbortIndex:
        """The aborted transactions whose markers are in a segment."""
        found = self._read.get(number, self._walked.get(number))
        if found is None and number not in self._refuted:
            found = self._by_index(number)
            if found is not None:
                self._read[number] = found
                self._read_entries += len(found)
                self._lowest[number] = found.lowest(self._end)
        if found is None:
            self._refuted.add(number)
            self._walk_segments(number)
            found = self._walked[number]
        if number in self._read:
            self._read.move_to_end(number)
            while self._read_entries > MOST_KEPT and len(self._read) > 1:
                _, dropped = self._read.popitem(last=False)
                self._read_entries -= len(dropped)
        return found

    def _by_index(self, number: int) -> AbortIndex | None:
        """The entries of a transaction index; None if they cannot be right."""
        segment = self._partition.segments[number]
        try:
            index = segment.transaction_index
        except KafkafmtError:
            return None
        if index.trailing_bytes:
            return None
        found = AbortIndex.of_file(index)
        is_last = number + 1 == len(self._partition.segments)
        begin, end = self._base_offset(number), INT64_MAX if is_last else self._base_offset(number + 1)
        must_have = self._tail.in_an_index.between(begin, end)
        is_right = found.is_possible(begin, end) and must_have.is_in(found, self._tail.known_from)
        return found if is_right else None

    def _walk_segments(self, number: int) -> None:
        """Take the result of the walk over a segment whose index is not used.

        If the segment is not in the tail, the walk begins at the last snapshot before it. If that lies in an earlier
        segment, later segments without a usable index are walked too, or each of them would start there again.
        """
        begin, last = self._base_offset(number), number
        known = self._tail.aborted
        stable = -1
        if begin < self._tail.begin:
            origin = self._origin(begin)
            while origin.place[0] < number and last + 1 in self._refuted:
                last += 1
            end = min(self._base_offset(last + 1), self._end)
            plan = self._walk(origin, end)
            known = AbortIndex.of_walk(plan.transactions)
            stable = plan.open[0].first_offset if plan.open else end
        for each in range(number, last + 1):
            part = known.between(self._base_offset(each), self._base_offset(each + 1))
            self._walked[each] = replace(part, stable_at_end=stable if each == last else -1)
            self._lowest[each] = part.lowest(self._end)

    def _number_of(self, offset: int) -> int:
        """Number of the segment that an offset belongs to by file names; 0 before the first."""
        return max(lookup.floor(self._partition.segments, offset), 0)

    def _base_offset(self, number: int) -> int:
        """Base offset of a segment; the end for the number after the last one."""
        segments: Sequence[Segment] = self._partition.segments
        return (segments[number].base_offset or 0) if number < len(segments) else self._end
