"""Decides which batches a scan reads: by headers, if these can be trusted; and checks the order of batches.

The CRC of an unread batch is unchecked, so a flipped bit in its header could silently lose records. A header is trusted
without its CRC only if its fields agree, its offsets are in the segment, and they follow the previous batch. Any other
batch is read and its CRC checked before its header decides.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from kafkafmt.columnar.headers import Batches, Mask, Positions, descriptions, first_wrong
from kafkafmt.columnar.row_filter import RowFilter
from kafkafmt.files.batch_faults import (
    BatchFault,
    TimeUnit,
    checksum_faults,
    offset_faults,
    sequence_fault,
    time_unit_of,
    time_units,
    wrong_sequences,
)
from kafkafmt.files.damage import Note
from kafkafmt.files.offset_order import MOST_FAULTS, OffsetFault
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.findings import NOTE, Finding
from kafkafmt.libraries import np, npt
from kafkafmt.logdir.batch_order import BatchOrder
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.transactions import ENOUGH_BEYOND_THE_END
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, BatchHeader
from kafkafmt.reference.layout import CONTROL, CURRENT_MAGIC
from kafkafmt.scanning.file_selection import FileSelection, OffsetRange

if TYPE_CHECKING:
    from kafkafmt.files.loss import SegmentBounds
    from kafkafmt.limits import Limits

# Limit of batches per file whose content checksums are compared, as this decompresses a batch a second time.
_MOST_CHECKSUMS = 1000


@dataclass(frozen=True, slots=True)
class BatchMasks:
    """Adjacent batches, classified by their headers.

    Attributes:
        batches: the batches; not empty.
        wanted: batches that may hold wanted records.
        covered: batches in which every record is wanted, if the batch is in `wanted`.
        checked: batches whose CRC is to be checked.
        ends_walk: whether nothing wanted follows them.
    """

    batches: Batches
    wanted: Mask
    covered: Mask
    checked: Mask
    ends_walk: bool

    @property
    def need_decoding(self) -> bool:
        """Whether a wanted batch may also hold unwanted records."""
        return bool((self.wanted & ~self.covered).any())

    def runs(self, rows: RowFilter) -> Iterator[tuple[int, int, RowFilter | None]]:
        """Runs of batches that are decoded the same way: first number, end (exclusive), wanted rows (None for all)."""
        edges = np.flatnonzero(self.covered[1:] != self.covered[:-1]) + 1
        for begin, end in pairwise([0, *edges.tolist(), len(self.covered)]):
            yield begin, end, None if self.covered[begin] else rows

    def before_wanted(self) -> int:
        """Number of batches before the first that is wanted or has a wrong CRC."""
        first = int(self.wanted.argmax()) if self.wanted.any() else len(self.wanted)
        return first_wrong(self.batches[:first], self.checked[:first])


@dataclass(frozen=True, slots=True)
class BatchFilter:
    """Classifies the batches of one file by their headers, window after window.

    Attributes:
        selection: the wanted records.
        trust: decides which headers can be trusted; shared with the walk entry by entry.
        order: checks the order of offsets; shared with the walk entry by entry.
        verify_checksums: whether to check CRCs.
    """

    selection: FileSelection
    trust: "HeaderTrust"
    order: "LogOrder"
    verify_checksums: bool

    def classify(self, window: ReadWindow) -> BatchMasks | None:
        """Classify the ordinary batches that follow in a window; None if there are none. `commit` then takes them."""
        batches = window.batches()
        ends_walk = False
        bounded = self.selection.is_bounded
        if bounded and len(batches):
            count, ends_walk = self.trust.trusted_first(batches)
            batches = batches[:count]
        if not len(batches):
            return None
        unwanted = self.selection.ruled_out(batches)
        covered = self.selection.covered(batches)
        checked = np.full(len(batches), self.verify_checksums)
        if bounded:
            # Brokers' own batches are small, and one bit distinguishes them from data, so they are always read.
            checked &= ~unwanted | ((batches.headers["attributes"] & CONTROL) != 0)
        transactions = self.selection.offsets.transactions
        if transactions is not None:
            unwanted |= transactions.aborted_mask(batches.headers)
        untrue = self.selection.untrue(batches)
        if untrue is not None:
            unwanted |= untrue
        return BatchMasks(batches, ~unwanted, covered, checked, ends_walk)

    def commit(self, window: ReadWindow, masks: BatchMasks, begin: int, end: int) -> None:
        """Take the batches from number `begin` up to `end` from a window, in order, as sound and done with."""
        if begin == end:
            return
        batches = masks.batches[begin:end]
        self.order.see_batches(batches)
        if self.selection.is_bounded:
            self.trust.follow(batches)
        window.take(batches, crc_unchecked=self.verify_checksums and not masks.checked[end - 1])
        window.ends_walk = masks.ends_walk and end == len(masks.batches)

    def check_inside(self, masks: BatchMasks, begin: int, end: int, offsets: Positions, limits: "Limits") -> None:
        """Check offsets and content checksums in the wanted batches from `begin` up to `end`; faults become notes.

        Args:
            masks: the classified batches.
            begin: number of the first batch.
            end: number after the last batch.
            offsets: offsets of all records in these batches.
            limits: bounds of decoding.
        """
        wanted = masks.wanted[begin:end]
        batches = masks.batches[begin:end]
        batches = batches if wanted.all() else batches[np.flatnonzero(wanted)]
        for _, header, fault in offset_faults(batches, offsets, ""):
            self.order.see_inside(fault, header)
        # The comparison decompresses each batch again. A client with this fault has it in all its batches, so the first
        # batches of a file suffice.
        first = batches[: max(0, _MOST_CHECKSUMS - self.order.checksums)]
        self.order.checksums += len(first)
        for number, fault in checksum_faults(first, limits):
            (header,) = descriptions(first[number : number + 1], "")
            self.order.see_inside(fault, header)

    def commit_messages(self, window: ReadWindow, frames: "npt.NDArray[np.void]", end: int) -> None:
        """Take sound messages and wrappers of formats v0 and v1 from a window, in order.

        Args:
            window: the window.
            frames: their positions, of type `kafkafmt.columnar.messages.FRAME`.
            end: position in the window where the last one ends.
        """
        stated, begins, ends = frames["offset"], frames["begin"] + window.position, frames["end"] + window.position
        window.taken = end
        window.last, window.crc_unchecked = int(begins[-1]), False
        self.order.see_all(stated, stated, begins, ends, ~frames["is_wrapper"])
        if self.selection.is_bounded:
            self.trust.follow_messages(stated.tolist())

    def count(self, window: ReadWindow, masks: BatchMasks) -> int:
        """Count and take batches by their headers, up to the first with a wrong CRC; none of them needs decoding."""
        end = first_wrong(masks.batches, masks.checked) if self.verify_checksums else len(masks.batches)
        self.commit(window, masks, 0, end)
        return int(masks.batches.headers["num_records"][:end][masks.wanted[:end]].sum(dtype=np.int64))

    def describe(self, window: ReadWindow, file: str) -> Iterator[BatchHeader]:
        """Take the batches of a window, and describe those that may hold wanted records."""
        masks = self.classify(window)
        if masks is None:
            return
        end = first_wrong(masks.batches) if self.verify_checksums else len(masks.batches)
        headers = descriptions(masks.batches[:end], file, is_valid=True if self.verify_checksums else None)
        self.commit(window, masks, 0, end)
        wanted = masks.wanted[:end].tolist()
        yield from (header for header, is_wanted in zip(headers, wanted, strict=True) if is_wanted)


class HeaderTrust:
    """Decides which headers of one segment can be trusted without their CRC; shown all headers in file order.

    Args:
        wanted: wanted offsets.
        base_offset: base offset of the segment, or None if unknown.
        next_base_offset: base offset of the next segment, or None if unknown.

    Attributes:
        past_the_end: whether no wanted batch can follow, because several consecutive trusted batches of format v2 begin
            at or past the end of the range. Older formats never set it, as their offsets can go back.
    """

    def __init__(self, wanted: OffsetRange, base_offset: int | None, next_base_offset: int | None) -> None:
        self.past_the_end = False
        self._end = wanted.end
        self._lowest = 0 if base_offset is None else base_offset
        self._highest = None if base_offset is None else base_offset + INT32_MAX
        if self._highest is not None and next_base_offset is not None:
            self._highest = min(self._highest, next_base_offset - 1)
        self._beyond = 0

    def trusts(self, entry: Entry, header: BatchHeader) -> bool:
        """Whether the header of the next entry can be trusted without its CRC; a wrapper's never can."""
        first, last = header.base_offset, header.last_offset
        fits = (
            last is not None
            and last >= self._lowest
            and (self._highest is None or last <= self._highest)
            and (first is None or first >= self._lowest)
            and entry.is_plausible(header)
        )
        if fits and last is not None:
            self._lowest = last + 1
        trusted = fits and first is not None
        beyond = trusted and header.magic == CURRENT_MAGIC and self._end is not None and (first or 0) >= self._end
        self._beyond = self._beyond + 1 if beyond else 0
        self.past_the_end = self.past_the_end or self._beyond >= ENOUGH_BEYOND_THE_END
        return trusted

    def trusted_first(self, batches: Batches) -> tuple[int, bool]:
        """Count the next batches that `trusts` would accept, up to the first that it would not; then `follow` them.

        Returns:
            The number of batches, and whether nothing wanted follows the last of them.
        """
        first, last = batches.headers["base_offset"], batches.last_offsets
        fits = batches.plausible()
        fits[1:] &= first[1:] > last[:-1]
        if self._highest is not None:
            fits &= last <= self._highest
        if len(fits) and int(first[0]) < self._lowest:
            fits[0] = False
        count = len(fits) if fits.all() else int(fits.argmin())
        if self._end is not None:
            in_a_row = self._beyond
            for number, beyond in enumerate((first[:count] >= self._end).tolist(), 1):
                in_a_row = in_a_row + 1 if beyond else 0
                if in_a_row >= ENOUGH_BEYOND_THE_END:
                    return number, True
        return count, False

    def follow(self, batches: Batches) -> None:
        """Take batches that are trusted or whose CRC was checked: later offsets must be higher."""
        if self._end is not None:
            for beyond in (batches.headers["base_offset"] >= self._end).tolist():
                self._beyond = self._beyond + 1 if beyond else 0
        if len(batches):
            self._lowest = int(batches.last_offsets[-1]) + 1

    def follow_messages(self, offsets: Iterable[int]) -> None:
        """Take the offsets of messages and wrappers that have been read, in file order."""
        self._beyond = 0
        for offset in offsets:
            if self._lowest <= offset and (self._highest is None or offset <= self._highest):
                self._lowest = offset + 1


class LogOrder(BatchOrder):
    """Checks the offsets and leader epochs of the batches of one log file, or of a range of it, in order.

    Also collects the faults inside batches.

    Args:
        bounds: partition and offsets of the segment.
        path: path or URI of the file, for notes.
        note: called with each fault.
        history: reads the leader-epoch-checkpoint beside the file; not called for a log without leader epochs.
        is_last: whether no batch of the log follows.
        opening: as for `BatchOrder`.

    Attributes:
        checksums: number of batches whose content checksums were compared and are wrong.
    """

    __slots__ = ("_inside", "_note", "_path", "_topic", "_units", "checksums")

    def __init__(
        self,
        bounds: "SegmentBounds",
        path: str,
        note: Callable[[Note], None],
        history: Callable[[], EpochHistory | None],
        *,
        is_last: bool,
        opening: Callable[[OffsetFault], None] | None = None,
    ) -> None:
        super().__init__(
            bounds,
            lambda fault: note(note_of(path, fault)),
            history,
            is_last=is_last,
            opening=opening,
            with_overflow=True,
        )
        self._path = path
        self._note = note
        self._inside = 0
        self.checksums = 0
        self._topic = bounds.topic
        self._units: set[TimeUnit] = set()

    def see(self, header: BatchHeader) -> None:
        """Take the next batch or message, by its header."""
        super().see(header)
        if header.magic >= CURRENT_MAGIC:
            fault, unit = sequence_fault(header, self._topic), time_unit_of(header)
            if fault is not None:
                self.see_inside(fault, header)
            if unit is not None:
                self._units.add(unit)

    def see_batches(self, batches: Batches) -> None:
        """Take the next batches, in bulk where they are in order."""
        super().see_batches(batches)
        self._units.update(time_units(batches.headers))
        for number in np.flatnonzero(wrong_sequences(batches.headers, self._topic)).tolist():
            (header,) = descriptions(batches[number : number + 1], self._path)
            fault = sequence_fault(header, self._topic)
            if fault is not None:
                self.see_inside(fault, header)

    def end(self, position: int | None = None) -> None:
        """Report faults that were waiting for another batch; see `OffsetOrder.end`."""
        super().end(position)
        for unit in sorted(self._units):
            where = self._path.rpartition("/")[0] or self._path
            text = f"{where}: there are timestamps that look like {unit}, not milliseconds"
            self._note(Note(text, is_finding=False, path=where, topic=self._topic))
        self._units.clear()
        if self._inside > MOST_FAULTS:
            more = self._inside - MOST_FAULTS
            self._inside = 0
            text = f"{self._path}: {more} more batches with faults inside"
            self._note(Note(text, is_finding=False, path=self._path, topic=self._topic))

    def see_inside(self, fault: BatchFault, header: BatchHeader) -> None:
        """Note a fault inside a batch. It is not damage: brokers keep the batch, and all its records are delivered."""
        self._inside += 1
        if self._inside <= MOST_FAULTS:
            text = f"{fault.message} ({fault.advice})"
            self._note(Note.of(Finding(NOTE, "batch", self._path, text, position=header.position)))


def note_of(path: str, fault: OffsetFault) -> Note:
    """Make the note of a pass about offsets or leader epochs out of order."""
    return Note.of(fault.finding(path))
