"""The walk over a partition that finds its transactions: over the headers of batches, and Kafka's own small batches.

The markers in the log are the truth. The transaction index beside a segment is not read: it names aborted transactions
only, so it cannot tell where an open one begins, nor that there is none; the walk that tells this meets their markers
too, and what an index that is stale, damaged or lost would spare is the reading of these few bytes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar import checksums
from kafkafmt.columnar.headers import CONTROL, TRANSACTIONAL, Batches, read_batches
from kafkafmt.columnar.markers import ABORT, COMMIT, NOT_ORDINARY, marker_types
from kafkafmt.errors import DataError, KafkafmtError, LimitExceededError
from kafkafmt.files.damage import Damage
from kafkafmt.files.segment_reader import OnDamage, SegmentReader
from kafkafmt.limits import Limits
from kafkafmt.logdir.transactions import MOST_OPEN, AbortedTransactions, Place, TransactionsBuilder
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_OVERHEAD_V0,
    read_size,
)

if TYPE_CHECKING:
    from kafkafmt.files.stretch import Stretch
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.header import BatchHeader


@dataclass(frozen=True, slots=True)
class TransactionPlan:
    """What was found of a partition's transactions.

    Attributes:
        transactions: the transactions. Where an error ended the walk, the last stable offset lies in front of it.
        damage: stretches that were passed over, in the order of the log; empty with `on_damage="raise"`.
        error: what ended the walk, or None.
        reach: lowest and highest base offset of the transactional data in each file, by its path.
    """

    transactions: AbortedTransactions
    damage: list[Damage]
    error: KafkafmtError | None = None
    reach: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TransactionWalk:
    """A walk over the segments of one partition, as far as it takes.

    Neither producer snapshots nor anything else but the log is read: so a transaction of which no batch is left in it
    counts for nothing.

    With `on_damage="raise"` the first damage ends the walk, and what is open there counts as open. With "skip" it is
    passed over, and what is open there counts as aborted up to there, for its marker may be lost; it holds the last
    stable offset no longer, and nothing that may be aborted is taken for committed. That is so of a control batch that
    cannot be read, too. The CRC of data is not computed, but for the batch with which the earliest open transaction
    begins: one flipped bit in a producer id would withhold all that follows.

    Attributes:
        segments: the log, in order.
        end: offsets from here on are not asked for; None for all.
        log_end: where the log counts as ended, if that is not its end.
        on_damage: "raise" or "skip".
        verify_checksums: whether CRCs are compared.
        limits: bounds of memory.
    """

    segments: "Sequence[Segment]"
    end: int | None = None
    log_end: int | None = None
    on_damage: OnDamage = "raise"
    verify_checksums: bool = True
    limits: Limits = field(default_factory=Limits)

    def plan(self) -> TransactionPlan:
        """Find the transactions.

        Raises:
            SourceError: a file cannot be read.
        """
        found = _Found(TransactionsBuilder(self.end, self.log_end))
        try:
            self._walk(found)
            if self.verify_checksums and not self._is_earliest_open_sound(found):
                # Some batch is not what its header says: only their CRCs tell which.
                found = _Found(TransactionsBuilder(self.end, self.log_end), checks_data=True)
                self._walk(found)
        except DataError as error:
            return TransactionPlan(_up_to_damage(found.builder), [], without_traceback(error))
        reach = {self.segments[number].path: offsets for number, offsets in found.builder.reach.items()}
        return TransactionPlan(found.builder.build(), found.damage, reach=reach)

    def _walk(self, found: "_Found") -> None:
        for number, segment in enumerate(self.segments):
            if found.builder.is_done or found.builder.is_done_before(segment.base_offset):
                return
            is_last = number == len(self.segments) - 1
            with segment.open() as file:
                reader = SegmentReader(
                    file,
                    name=segment.file,
                    bounds=segment.bounds(None if is_last else self.segments[number + 1]),
                    limits=self.limits,
                    on_damage=self.on_damage,
                    may_end_open=is_last,
                    report=found.report,
                )
                take = None if found.checks_data else partial(self._take, found.builder, number)
                for _ in reader.walk(partial(self._visit, found, number), take=take):
                    if found.builder.is_done:
                        return

    def _is_earliest_open_sound(self, found: "_Found") -> bool:
        """Whether the CRC of the batch with which the earliest open transaction begins is right.

        Raises:
            ChecksumError: it is not, with `on_damage="raise"`.
        """
        earliest = found.builder.earliest_open()
        if earliest is None:
            return True
        _, (number, position) = earliest
        segment = self.segments[number]
        wrong: list[Damage] = []
        with segment.open() as file:
            reader = SegmentReader(
                file, name=segment.file, limits=self.limits, on_damage=self.on_damage, report=wrong.append
            )
            for _ in reader.walk(Entry.verify_checksum, position, position + 1):
                pass
        return not wrong

    def _visit(self, found: "_Found", number: int, entry: Entry) -> None:
        """Tell of one entry."""
        entry.passed_over = self.verify_checksums
        if entry.frame.magic < CURRENT_MAGIC:
            return
        header = entry.checked_header(verify_checksum=self.verify_checksums)
        is_marker = header.is_control_batch or (header.is_transactional and header.base_sequence < 0)
        if self.verify_checksums and (is_marker or (header.is_transactional and found.checks_data)):
            entry.verify_checksum()
        matters = header.is_transactional or header.is_control_batch
        if matters and header.producer_id >= 0 and (header.count or 0) > 0:
            self._tell(found.builder, entry, header, (number, entry.position))
        if found.builder.is_full:
            raise LimitExceededError(
                "more transactions are open at once than can be followed; scan with isolation_level='read_uncommitted'",
                expected=f"at most {MOST_OPEN}",
            )
        found.builder.passed(np.array([header.base_offset], np.int64), (header.last_offset or 0) + 1)

    def _tell(self, builder: TransactionsBuilder, entry: Entry, header: "BatchHeader", place: Place) -> None:
        offset = header.base_offset or 0
        if not header.is_control_batch:
            builder.add_data(header.producer_id, offset, offset, place)
            return
        record = next(entry.records(self.limits, header), None)
        marker = None if record is None else record.control_type_id
        if marker in (ABORT, COMMIT):
            builder.add_marker(header.producer_id, offset, is_abort=marker == ABORT)

    def _take(self, builder: TransactionsBuilder, number: int, stretch: "Stretch") -> Iterator[None]:
        """Tell of as many entries as are in order."""
        last, stretch.taken = old_messages(stretch.data)
        if stretch.taken == 0 and not builder.is_full:
            batches = read_batches(stretch.data, 0, stretch.position, self.limits)
            batches = batches[: self._tell_all(builder, number, batches)]
            if len(batches):
                builder.passed(batches.headers["base_offset"], int(batches.last_offsets[-1]) + 1)
                last, stretch.taken = int(batches.starts[-1]), int(batches.ends[-1])
        if stretch.taken:
            stretch.last = stretch.position + last
            stretch.passed_over = stretch.last if self.verify_checksums else None
        stretch.ends_walk = builder.is_done
        yield

    def _tell_all(self, builder: TransactionsBuilder, number: int, batches: Batches) -> int:
        """Tell of batches in order; returns the number of the first one that cannot be read, or how many there are."""
        if self.verify_checksums:
            batches = batches[: first_wrong_marker(batches)]
        headers = batches.headers
        attributes = headers["attributes"]
        matter = ((attributes & (TRANSACTIONAL | CONTROL)) != 0) & (headers["producer_id"] >= 0)
        chosen = np.flatnonzero(matter & (headers["num_records"] > 0))
        if not len(chosen):
            return len(batches)
        is_control = (attributes[chosen] & CONTROL) != 0
        producer_ids = headers["producer_id"][chosen]
        types = iter(marker_types(batches[chosen[is_control]]).tolist())
        # Batches of one producer behind each other count as one.
        begins = np.ones(len(chosen), np.bool_)
        begins[1:] = (producer_ids[1:] != producer_ids[:-1]) | is_control[1:] | is_control[:-1]
        first = np.flatnonzero(begins)
        offsets = headers["base_offset"][chosen]
        told = zip(
            chosen[first].tolist(),
            is_control[first].tolist(),
            producer_ids[first].tolist(),
            np.minimum.reduceat(offsets, first).tolist(),
            np.maximum.reduceat(offsets, first).tolist(),
            strict=True,
        )
        for which, control, producer_id, lowest, highest in told:
            marker = next(types) if control else NOT_ORDINARY
            place = (number, batches.position + int(batches.starts[which]))
            if not control:
                builder.add_data(producer_id, lowest, highest, place)
            elif marker != NOT_ORDINARY:
                builder.add_marker(producer_id, lowest, is_abort=marker == ABORT)
            else:
                start, end = int(batches.starts[which]), int(batches.ends[which])
                entry = Entry(batches.data[start:end])
                try:
                    self._tell(builder, entry, entry.header(), place)
                except KafkafmtError:
                    return int(which)
        return len(batches)


@dataclass(slots=True)
class _Found:
    """What one walk found; with `checks_data` one that compares the CRC of all transactional batches."""

    builder: TransactionsBuilder
    damage: list[Damage] = field(default_factory=list)
    checks_data: bool = False

    def report(self, damage: Damage) -> None:
        """Note damage at which the walk is; an open end is none."""
        if not damage.is_open_end:
            self.damage.append(damage)
            self.builder.forget_open()


def _up_to_damage(builder: TransactionsBuilder) -> AbortedTransactions:
    """What was found up to damage that ended the walk: nothing behind it is stable."""
    found = builder.build()
    known = [offset for offset in (found.last_stable_offset, builder.next_offset or 0) if offset is not None]
    return AbortedTransactions(min(known), found.producer_ids, found.first_offsets, found.last_offsets)


def first_wrong_marker(batches: Batches) -> int:
    """Number of batches in front of the first whose CRC is wrong, of those that are Kafka's own.

    They are few and small. One bit tells them from data; but those of a producer have a sequence.
    """
    headers = batches.headers
    attributes = headers["attributes"]
    without_sequence = ((attributes & TRANSACTIONAL) != 0) & (headers["base_sequence"] < 0)
    markers = np.flatnonzero(((attributes & CONTROL) != 0) | without_sequence)
    right = checksums.first_wrong(batches[markers]) if len(markers) else 0
    return int(markers[right]) if right < len(markers) else len(batches)


def old_messages(data: memoryview) -> tuple[int, int]:
    """Where the last of the whole messages begins with which a stretch begins, and where it ends.

    They are of formats v0 and v1, which know no transactions.
    """
    last = end = 0
    while end + HEADER_SIZE_UP_TO_MAGIC <= len(data):
        size = read_size(data, end)
        behind = end + LOG_OVERHEAD + size
        if data[end + MAGIC_OFFSET] >= CURRENT_MAGIC or size < RECORD_OVERHEAD_V0 or behind > len(data):
            break
        last, end = end, behind
    return last, end
