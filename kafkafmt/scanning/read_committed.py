"""ReadCommitted: restricts a scan, or following, to the records that a read_committed consumer gets."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafkafmt.errors import OnDamage
from kafkafmt.files.damage import Damage
from kafkafmt.limits import Limits
from kafkafmt.logdir.growth import Inode, inode_of, require_unchanged
from kafkafmt.logdir.producer_batches import BatchWalk
from kafkafmt.logdir.producer_runs import runs_of
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.transaction_plan import TransactionPlan, TransactionPlanner
from kafkafmt.logdir.transactions import AbortedTransactions, TransactionsBuilder
from kafkafmt.reference.header import INT64_MAX, INT64_MIN
from kafkafmt.scanning.file_selection import OffsetRange

if TYPE_CHECKING:
    from kafkafmt.logdir.found import Found
    from kafkafmt.scanning.tasks import ScanTask


@dataclass(eq=False)
class ReadCommitted:
    """Finds the transactions of each partition of one pass, before its records are read.

    Attributes:
        ends_at_high_watermark: whether offsets end at the high watermark, and markers past it are ignored.
        on_damage: "raise" or "skip".
        verify_checksums: whether to check CRCs.
        limits: bounds of memory.
    """

    ends_at_high_watermark: bool
    on_damage: OnDamage
    verify_checksums: bool
    limits: Limits
    _plans: "dict[str, tuple[int | None, TransactionPlan]]" = field(default_factory=dict)

    def narrow(self, found: "Found", offsets: OffsetRange) -> OffsetRange:
        """Restrict the wanted offsets of a partition, or of one of its files, to committed ones.

        For a single file the whole log is walked, as transactions may begin and end in other files.

        Raises:
            SourceError: a file or the directory cannot be read.
        """
        plan = self._plan(found, offsets.end)
        stable = offsets.within(None, plan.transactions.last_stable_offset)
        return replace(stable, transactions=plan.transactions)

    def of_task(self, task: "ScanTask") -> "ScanTask":
        """The same task with only the aborted transactions that are in its file, or None.

        The file's name bounds them, and so do the offsets that the search found in it, as damage can make offsets go
        back.

        Args:
            task: task with offsets returned by `narrow`.
        """
        segment, next_base_offset, offsets = task.segment, task.next_base_offset, task.offsets
        if offsets.transactions is None:
            return task
        reached = [plan.reach[segment.path] for _, plan in self._plans.values() if segment.path in plan.reach]
        begin = min((lowest for lowest, _ in reached), default=INT64_MAX)
        end = max((highest for _, highest in reached), default=INT64_MIN)
        begin = INT64_MIN if segment.base_offset is None else min(begin, segment.base_offset)
        end = INT64_MAX if next_base_offset is None else min(INT64_MAX, max(end + 1, next_base_offset))
        needed = offsets.transactions.within(begin, end)
        needed_or_none = needed if len(needed.producer_ids) else None
        return replace(task, offsets=replace(offsets, transactions=needed_or_none))

    def settle(self, met: list[Damage], report: Callable[[Damage], None]) -> None:
        """Raise the error that ended the search for a partition's transactions, or report damage that only it met.

        To be called after reading the partition's records, which are sound up to that point.

        Args:
            met: damage that the pass has reported.
            report: called with damage met only in the search.

        Raises:
            CorruptError, UnsupportedError, LimitExceededError: the error that ended the search.
        """
        plans = [plan for _, plan in self._plans.values()]
        self._plans.clear()
        for plan in plans:
            if plan.error is not None:
                raise plan.error
        known = DamagedRanges()
        for damage in met if any(plan.damage for plan in plans) else ():
            known.add(damage)
        for damage in (damage for plan in plans for damage in plan.damage):
            if known.add(damage):
                report(damage)

    def _plan(self, found: "Found", end: int | None) -> TransactionPlan:
        segments, file_end = _log_of(found)
        ends = [bound for bound in (end, file_end) if bound is not None]
        needed = min(ends, default=None)
        log = segments[0].path if segments else found.path
        if log in self._plans:
            planned, plan = self._plans[log]
            if planned is None or (needed is not None and needed <= planned):
                return plan
            needed = end  # the second of several named files: one more walk serves all of them
        log_end = end if self.ends_at_high_watermark else None
        planner = TransactionPlanner(segments, needed, log_end, self.on_damage, self.verify_checksums, self.limits)
        plan = planner.plan()
        self._plans[log] = (needed, plan)
        return plan


class DamagedRanges:
    """Damaged ranges of files that do not overlap."""

    def __init__(self) -> None:
        self._by_file: dict[str | None, list[tuple[int, int]]] = defaultdict(list)

    def add(self, damage: Damage) -> bool:
        """Add a range, unless it overlaps a known one; return whether it was added."""
        begin, end = damage.position, damage.position + damage.length
        known = self._by_file[damage.file]
        following = bisect_left(known, (end,))
        if following > 0 and known[following - 1][1] > begin:
            return False
        known.insert(following, (begin, end))
        return True


def _log_of(found: "Found") -> "tuple[list[Segment], int | None]":
    """The log of a partition or a file, and for a file the base offset of the next one."""
    file = found.file
    if file is None:
        return found.segments, None
    # Damage in another file of the log is reported as if that file had been named too.
    prefix = file.file.removesuffix(file.name)
    log = [
        Segment(segment.location, file=prefix + segment.name, size=segment.size) for segment in found.partition.segments
    ]
    for number, segment in enumerate(log, 1):
        if segment.location.identity == file.location.identity:
            return log, log[number].base_offset if number < len(log) else None
    return [file], None


class CommittedTail:
    """The transactions of one partition in the part of its log walked so far; see `TransactionPlanner`.

    A transaction that is open at damage counts as aborted, as its marker may be lost; the reader of the records meets
    the damage too.

    Args:
        limits: bounds of memory.
        verify_checksums: whether to check CRCs of markers.
    """

    def __init__(self, limits: Limits, *, verify_checksums: bool) -> None:
        self._limits = limits
        self._verify_checksums = verify_checksums
        self._builder = TransactionsBuilder()
        # The last walked segment: its base offset and inode, where to continue in it, and whether it can grow no more.
        self._segment: int | None = None
        self._inode: Inode | None = None
        self._position = 0
        self._is_whole = True
        self._next_offset = 0

    def first_of(self, segments: Sequence[Segment]) -> int:
        """Number of the segment to continue with.

        If segments are gone before they were walked completely, as they were deleted or merged by compaction, the walk
        continues after the last walked offset, wherever that is now.

        Args:
            segments: the log, in order.
        """
        if self._segment is None:
            return 0
        base_offsets = [segment.base_offset or 0 for segment in segments]
        following = bisect_right(base_offsets, self._segment)
        if self._is_whole and all(each <= self._next_offset for each in base_offsets[following : following + 1]):
            return following
        if not self._is_whole and self._segment in base_offsets[following - 1 : following]:
            return following - 1
        if base_offsets and base_offsets[0] > self._next_offset:
            self._builder.forget_open()  # their markers may have been deleted
        return max(bisect_right(base_offsets, self._next_offset) - 1, 0)

    def position_in(self, segment: Segment) -> int:
        """Position at which to continue in a segment, in bytes.

        Raises:
            SourceError: the file has vanished.
        """
        is_last_walked = segment.base_offset == self._segment and inode_of(segment) == self._inode
        return self._position if is_last_walked else 0

    def advance(self, segments: Sequence[Segment], number: int, *, may_grow: bool) -> None:
        """Walk over the entries of a segment written since the last call.

        Args:
            segments: the log, in order; this segment has only whole entries if it may grow.
            number: number of the segment.
            may_grow: whether its last entry may still be being written, so that damage in it has to wait.

        Raises:
            LimitExceededError: too many transactions are open.
            SourceError: a file cannot be read, or is not as it was listed.
        """
        segment = segments[number]
        position, inode = self.position_in(segment), inode_of(segment)
        require_unchanged(segment, inode, is_whole=not may_grow)
        # In a file that was replaced, by compaction or a copy, the walk begins again: known batches do not count twice.
        is_first = self._segment is None or (self._is_whole and (segment.base_offset or 0) > self._segment)
        known = 0 if position or is_first else self._next_offset
        self._segment, self._inode, self._is_whole = segment.base_offset or 0, inode, not may_grow
        self._position = max(position, segment.size)
        if position >= segment.size:
            return
        builder = self._builder

        def report(damage: Damage) -> None:
            if may_grow and damage.position + damage.length >= segment.size:
                self._position = damage.position
            elif not damage.is_open_end:
                builder.forget_open()

        walk = BatchWalk(
            segments, "skip", self._limits, report, verify_checksums=self._verify_checksums, as_consumer=True
        )
        for group in walk.of_segment(number, position):
            if group.rows is not None:
                rows = group.rows[group.rows["base_offset"] >= known]
                for run in runs_of(builder.add_ended(rows, number), number):
                    builder.add(run)
            elif group.run is not None and group.run.first_offset >= known:
                builder.add(group.run)
        self._next_offset = max(self._next_offset, walk.next_offset or 0)

    def transactions(self, offset: int) -> AbortedTransactions:
        """The offsets to leave out from an offset on; lower ones must not be requested later."""
        self._builder.forget_before(offset)
        return self._builder.build()
