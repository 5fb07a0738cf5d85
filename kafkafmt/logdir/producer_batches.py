"""The walk over the batches of a partition with a producer id, for all answers about producers and transactions.

Headers of adjacent batches are read by the thousand. Nothing is decompressed, and transaction markers are the only
records that are read; their CRC is checked, that of data is not.

Only the log is read, not the transaction index, which names only aborted transactions: it shows neither where an open
one begins nor that there is none.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt import columns
from kafkafmt.columnar.headers import Batches, first_wrong
from kafkafmt.errors import OnDamage
from kafkafmt.files.offset_order import OffsetFault
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.files.segment import headers_from
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.libraries import np
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import BatchOrder
from kafkafmt.logdir.leader_epochs import EpochHistory, history_beside
from kafkafmt.logdir.present_offsets import COLUMNS, PresentOffsets, of_batches, of_entry, of_messages
from kafkafmt.logdir.producer_rows import row_of, rows_of, run_of
from kafkafmt.logdir.producer_runs import Int64s, ProducerRun, Rows, runs_of
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC, TRANSACTIONAL

if TYPE_CHECKING:
    from kafkafmt.columnar.decoder import Decoder
    from kafkafmt.files.damage import Damage
    from kafkafmt.logdir.segment import Segment

# Kernels take about as long to load as the reference engine takes for this many bytes.
_KERNELS = "kafkafmt.columnar.decoder"
_WORTH_KERNELS = 1 << 21


class BatchGroup(NamedTuple):
    """Adjacent batches of a segment.

    Attributes:
        base_offsets: base offsets of all batches, also of those without a producer.
        rows: batches with a producer, of type `BATCH`, if there are several.
        run: the batch with a producer, if it was read alone.
        present: the offsets that have a record, if they were requested.
    """

    base_offsets: "Int64s | Sequence[int]"
    rows: Rows | None = None
    run: ProducerRun | None = None
    present: PresentOffsets | None = None


# Segments up to this size are read entry by entry, which is cheaper than setting up numpy: some logs have a segment for
# each batch.
_FEW_BYTES = 512
_NOTHING = BatchGroup(())


@dataclass(slots=True)
class BatchWalk:
    """A walk over the segments of one partition.

    Attributes:
        segments: segments of the log, in order.
        on_damage: "raise" at the first damage, or "skip" and report it.
        limits: bounds of memory.
        report: called with each `Damage`, after all batches before it were yielded.
        split_offset: no run has batches on both sides of this offset.
        verify_checksums: whether to check CRCs of markers, and of headers that decide something.
        verify_data: whether to check CRCs of transactional data, too, which reads each entry alone.
        as_consumer: whether to read only the fields that a consumer needs: neither data outside transactions nor the
            values of markers, so that coordinator epochs are unknown.
        with_present: whether to fill `BatchGroup.present`, for which batches that lack records are decoded.
        note: called with a segment and the fault in the order of its offsets or leader epochs; None to leave the order
            unchecked. Offsets of formats v0 and v1 are seen only `with_present`.
        first_offset: base offset of the first batch so far, or None.
        next_offset: offset after the last batch so far, or None.
        newest_timestamp: largest timestamp of all batches so far, in ms since the epoch; -1 for none.
        has_holes: whether offsets are missing between or in batches, removed by the cleaner or lost to damage.
    """

    segments: "Sequence[Segment]"
    on_damage: OnDamage = "raise"
    limits: Limits = field(default_factory=Limits)
    report: "Callable[[Damage], None]" = lambda _: None
    split_offset: int | None = None
    verify_checksums: bool = True
    verify_data: bool = False
    as_consumer: bool = False
    with_present: bool = False
    note: "Callable[[Segment, OffsetFault], None] | None" = None
    first_offset: int | None = None
    next_offset: int | None = None
    newest_timestamp: int = -1
    has_holes: bool = False
    _kernels: "Decoder | None" = None
    _visited: int = 0
    _history: EpochHistory | None = None
    _is_history_known: bool = False

    def runs(self, number: int = 0, position: int = 0, end: int | None = None) -> "Iterator[Sequence[ProducerRun]]":
        """Walk the batches with a producer, some at a time.

        Args:
            number: number of the first segment to read.
            position: position of an entry in it, in bytes.
            end: the walk ends before the first batch whose base offset is at or above this offset; None for no end.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`.
            SourceError: a file cannot be read.
        """
        for which in range(number, len(self.segments)):
            base_offset = self.segments[which].base_offset
            if end is not None and base_offset is not None and base_offset >= end:
                return
            for group in self.of_segment(which, position, end):
                if group.rows is not None:
                    yield runs_of(group.rows, which, self.split_offset)
                elif group.run is not None:
                    yield (group.run,)
            position = 0

    def of_segment(self, number: int, position: int = 0, end: int | None = None) -> Iterator[BatchGroup]:
        """Walk all batches of one segment, some at a time.

        Args:
            number: number of the segment.
            position: as for `runs`.
            end: as for `runs`.

        Raises:
            KafkafmtError: as for `runs`.
            SourceError: as for `runs`.
        """
        segment = self.segments[number]
        following = self.segments[number + 1] if number + 1 < len(self.segments) else None
        order = None if self.note is None else self._order(segment, following)
        came_to: int | None = None
        with segment.open() as file:
            reader = segment.reader(
                file,
                following,
                limits=self.limits,
                on_damage=self.on_damage,
                report=self._report,
                checks_lengths=self.verify_checksums,
            )
            visit = partial(self._visit, order, number, end)
            walk = (
                reader.walk(visit, position) if self.verify_data else reader.bulk_walk(visit, position, few=_FEW_BYTES)
            )
            try:
                for found in walk:
                    group = self._take(order, end, found) if isinstance(found, ReadWindow) else found
                    if group is None:
                        break
                    yield group
                # Headers past the end are read too: only later offsets show whether those of the last batch are right.
                is_whole = reader.position == file.size
                beyond = headers_from(file, reader.position, limits=self.limits)
                if is_whole or (order is not None and order.look_beyond(beyond)):
                    came_to = file.size
            finally:
                if order is not None:
                    order.end(came_to)

    def _order(self, segment: "Segment", following: "Segment | None") -> BatchOrder:
        def tell(fault: OffsetFault) -> None:
            if self.note is not None and fault.is_finding:
                self.note(segment, fault)

        return BatchOrder(segment.bounds(following), tell, self._epochs_of_log, is_last=following is None)

    def _epochs_of_log(self) -> EpochHistory | None:
        """The leader-epoch-checkpoint beside the log files, read once."""
        if not self._is_history_known:
            self._history, self._is_history_known = history_beside(self.segments[0]), True
        return self._history

    def wrong_checksums(self, number: int, position: int) -> "list[Damage]":
        """Check the CRC of one batch, given by the number of its segment and its position there.

        Returns:
            The fault; empty if the CRC is right.

        Raises:
            ChecksumError: the CRC is wrong, with `on_damage="raise"`.
            SourceError: the file cannot be read.
        """
        segment = self.segments[number]
        wrong: list[Damage] = []
        with segment.open() as file:
            reader = SegmentReader(
                file, name=segment.file, limits=self.limits, on_damage=self.on_damage, report=wrong.append
            )
            for _ in reader.walk(Entry.verify_checksum, position, position + 1):
                pass
        return wrong

    def _report(self, damage: "Damage") -> None:
        if not damage.is_open_end:
            self.has_holes = True
        self.report(damage)

    def _visit(self, order: BatchOrder | None, number: int, end: int | None, entry: Entry) -> BatchGroup | None:
        """Take one entry; None if the walk ends before it."""
        entry.crc_unchecked = self.verify_checksums
        if entry.frame.magic < CURRENT_MAGIC and not self.with_present:
            return _NOTHING
        header = entry.checked_header(verify_checksum=self.verify_checksums)
        present = of_entry(entry, header, self.limits) if self.with_present else None
        self._visited += entry.frame.size_in_bytes
        if order is not None:
            order.see(header)
        if entry.frame.magic < CURRENT_MAGIC:
            return _NOTHING._replace(present=present)
        is_marker = header.is_control_batch or (header.is_transactional and header.base_sequence < 0)
        if self.verify_checksums and (is_marker or (header.is_transactional and self.verify_data)):
            entry.verify_checksum()
        base_offset, last_offset = header.base_offset or 0, header.last_offset or 0
        if end is not None and base_offset >= end:
            return None
        row = None
        if header.producer_id >= 0 and (is_marker or header.is_transactional or not self.as_consumer):
            row = row_of(entry, header, self.limits, with_epoch=not self.as_consumer)
        self._note(base_offset, last_offset + 1, header.max_timestamp or 0)
        if header.count != last_offset - base_offset + 1:
            self.has_holes = True
        run = None if row is None else run_of(row, number)
        return BatchGroup([base_offset], run=run, present=present)

    def _take(self, order: BatchOrder | None, end: int | None, window: ReadWindow) -> BatchGroup:
        """Take the sound entries of a window; messages of v0 and v1 have no producer."""
        offsets: list[int] | None = [] if self.with_present else None
        see = None if order is None or offsets is None else order.see_message
        if window.take_messages(crc_unchecked=self.verify_checksums, offsets=offsets, see=see):
            return _NOTHING if offsets is None else _NOTHING._replace(present=of_messages(offsets))
        batches = window.batches()
        if self.verify_checksums:
            batches = batches[: _first_wrong_marker(batches)]
        ends_walk = False
        if end is not None:
            beyond = batches.headers["base_offset"] >= end
            ends_walk = bool(beyond.any())
            batches = batches[: int(beyond.argmax())] if ends_walk else batches
        before, present = len(batches), None
        if self.with_present:
            present, sound = of_batches(batches, self._decoder())
            batches = batches[:sound]
        rows, sound = rows_of(batches, self.limits, as_consumer=self.as_consumer)
        if present is not None and sound < len(batches):
            present, _ = of_batches(batches[:sound], self._decoder())
        window.ends_walk = ends_walk and sound == before
        batches = batches[:sound]
        if not len(batches):
            return _NOTHING
        self._note_all(batches)
        if order is not None:
            order.see_batches(batches)
        window.take(batches, crc_unchecked=self.verify_checksums)
        return BatchGroup(batches.headers["base_offset"], rows, present=present)

    def _decoder(self) -> "Decoder | None":
        """Decodes offsets in bulk; None while too little has been decoded to be worth loading kernels."""
        if self._kernels is None and (_KERNELS in sys.modules or self._visited >= _WORTH_KERNELS):
            from kafkafmt.columnar.decoder import Decoder  # noqa: PLC0415 (it loads kernels)

            self._kernels = Decoder(columns.select(COLUMNS), verify_checksums=True, limits=self.limits)
        return self._kernels

    def _note_all(self, batches: Batches) -> None:
        base_offsets, last_offsets = batches.headers["base_offset"], batches.last_offsets
        counts = batches.headers["num_records"] != batches.headers["last_offset_delta"].astype(np.int64) + 1
        self.has_holes |= bool((base_offsets[1:] != last_offsets[:-1] + 1).any() or counts.any())
        self._note(int(base_offsets[0]), int(last_offsets[-1]) + 1, int(batches.headers["max_timestamp"].max()))

    def _note(self, base_offset: int, next_offset: int, timestamp: int) -> None:
        if self.first_offset is None:
            self.first_offset = base_offset
        elif base_offset != self.next_offset:
            self.has_holes = True
        self.next_offset = next_offset
        self.newest_timestamp = max(self.newest_timestamp, timestamp)


def _first_wrong_marker(batches: Batches) -> int:
    """Number of batches before the first with a wrong CRC, among the batches that brokers wrote themselves.

    Such batches are few and small. One bit distinguishes them from data; but data of a producer has a sequence number.
    """
    headers = batches.headers
    attributes = headers["attributes"]
    without_sequence = ((attributes & TRANSACTIONAL) != 0) & (headers["base_sequence"] < 0)
    markers = np.flatnonzero(((attributes & CONTROL) != 0) | without_sequence)
    right = first_wrong(batches[markers]) if len(markers) else 0
    return int(markers[right]) if right < len(markers) else len(batches)
