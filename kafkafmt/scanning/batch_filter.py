"""Which batches a scan reads: their headers decide first, as far as they can be trusted, and their order is checked."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar import checksums
from kafkafmt.columnar.descriptions import descriptions
from kafkafmt.columnar.headers import CONTROL, Batches, Mask, read_batches
from kafkafmt.files.damage import Note
from kafkafmt.files.offset_order import MOST_FAULTS, OffsetFault, OffsetOrder
from kafkafmt.files.stretch import Stretch
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import EpochCheck, EpochDoubt, EpochHistory, EpochRun
from kafkafmt.logdir.transactions import ENOUGH_BEYOND_THE_END
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning import selection as masks
from kafkafmt.scanning.selection import OffsetRange, Selection

if TYPE_CHECKING:
    from kafkafmt.files.loss import SegmentBounds


class HeaderTrust:
    """Judges the headers of one segment, which are shown to it in file order.

    Args:
        wanted: offsets that are wanted.
        base_offset: of the segment, or None if that is unknown.
        next_base_offset: of the segment after it, or None likewise.

    Attributes:
        past_the_end: whether nothing wanted can follow: several batches of format 2 in a row, all to be trusted, begin
            at or beyond the end of the range. Older formats never say so, for in them offsets have gone back.
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
        """Whether the header of the next entry can be believed without its CRC; a wrapper's never."""
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

    def trusted_first(self, batches: "Batches") -> tuple[int, bool]:
        """Tell how many of the next batches, from the first on, can be believed without their CRCs; `follow` them then.

        It is what `trusts` would say of each.

        Returns:
            How many, and whether the last of these leads past the end, behind which nothing wanted follows.
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

    def follow(self, batches: "Batches") -> None:
        """Note batches that `trusted_first` believes, so that what follows is measured by them."""
        if self._end is not None:
            for beyond in (batches.headers["base_offset"] >= self._end).tolist():
                self._beyond = self._beyond + 1 if beyond else 0
        if len(batches):
            self._lowest = int(batches.last_offsets[-1]) + 1

    def follow_messages(self, offsets: Iterable[int]) -> None:
        """Note the offsets of messages and wrappers that were read, likewise."""
        self._beyond = 0
        for offset in offsets:
            if self._lowest <= offset and (self._highest is None or offset <= self._highest):
                self._lowest = offset + 1


class LogOrder(OffsetOrder):
    """Follows the batches of one log file, or of a part of it.

    Args:
        bounds: where the offsets of the segment begin and end.
        path: path or URI of the file, for notes.
        note: takes what is wrong.
        history: reads the leader-epoch-checkpoint beside the file; not called for a log without leader epochs.
        is_last: whether no batch of the log follows.
        opening: as for `OffsetOrder`.
    """

    __slots__ = ("_doubts", "_epochs", "_note", "_path")

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
        super().__init__(bounds, lambda fault: note(note_of(path, fault)), opening)
        self._path = path
        self._note = note
        self._epochs = EpochCheck(history, is_first=False, is_last=is_last)
        self._doubts = 0

    def see(self, header: "BatchHeader") -> None:
        """Take the next batch or message, by its header."""
        super().see(header)
        first, last, epoch = header.base_offset, header.last_offset, header.partition_leader_epoch
        if epoch >= 0 and first is not None and last is not None:
            self._doubt(self._epochs.see(EpochRun(epoch, first, last, header.position)))

    def see_batches(self, batches: "Batches") -> None:
        """Take the next batches, in bulk where they are in order."""
        super().see_batches(batches)
        if not len(batches):
            return
        epochs = batches.headers["partition_leader_epoch"]
        begins = [0, *(np.flatnonzero(epochs[1:] != epochs[:-1]) + 1).tolist()]
        for begin, end in zip(begins, [*begins[1:], len(epochs)], strict=True):
            run = EpochRun(
                int(epochs[begin]),
                int(batches.headers["base_offset"][begin]),
                int(batches.last_offsets[end - 1]),
                batches.position + int(batches.starts[begin]),
                batches=end - begin,
            )
            self._doubt(self._epochs.see(run))

    def end(self, position: int | None = None) -> None:
        """Report what is open when no batch follows; see `OffsetOrder.end`."""
        super().end(position)
        self._doubt(self._epochs.end())
        if self._doubts > MOST_FAULTS:
            more = self._doubts - MOST_FAULTS
            self._doubts = 0
            self._note(Note(f"{self._path}: {more} more leader epochs that cannot be right"))

    def _doubt(self, doubts: Iterable[EpochDoubt]) -> None:
        for doubt in doubts:
            self._doubts += 1
            if self._doubts <= MOST_FAULTS:
                text = f"{self._path}: position {doubt.run.position}: {doubt} (no CRC covers leader epochs)"
                self._note(Note(text, is_finding=doubt.is_fault and not doubt.is_ahead))


def note_of(path: str, fault: OffsetFault) -> Note:
    """What to say of offsets that are out of order."""
    return Note(f"{path}: position {fault.position}: {fault.message}")


@dataclass(frozen=True, slots=True)
class Judged:
    """Batches that stand side by side, and what their headers say.

    Attributes:
        batches: the batches; not empty.
        wanted: which of them may hold wanted records.
        kept_whole: of which every record is wanted, if they are wanted at all.
        checked: of which the CRC is to be checked.
        end_the_walk: whether nothing wanted can follow.
    """

    batches: Batches
    wanted: Mask
    kept_whole: Mask
    checked: Mask
    end_the_walk: bool


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges the batches of one file, in order.

    Attributes:
        selection: which records are wanted.
        offsets: which offsets.
        trust: what tells a header that may be believed, shared with the walk entry by entry.
        order: follows the offsets, likewise.
        verify_checksums: whether CRCs of what is read are checked.
        limits: bounds of what is taken.
    """

    selection: Selection
    offsets: OffsetRange
    trust: HeaderTrust
    order: "OffsetOrder"
    verify_checksums: bool
    limits: Limits

    def judge(self, stretch: Stretch) -> Judged | None:
        """Judge the batches that follow what is taken of a stretch; None if no ordinary batch does."""
        whole = len(stretch.data)
        batches = read_batches(stretch.padded, stretch.taken, stretch.position, self.limits, end=whole)
        ends = False
        bounded = self.selection.is_bounded(self.offsets)
        if bounded and len(batches):
            count, ends = self.trust.trusted_first(batches)
            batches = batches[:count]
        if not len(batches):
            return None
        unwanted = masks.passed_over(self.selection, self.offsets, batches)
        kept_whole = masks.kept_whole(self.selection, self.offsets, batches)
        checked = np.full(len(batches), self.verify_checksums)
        if bounded:
            checked &= ~unwanted | ((batches.headers["attributes"] & CONTROL) != 0)
        if self.offsets.transactions is not None:
            unwanted |= self.offsets.transactions.aborted_mask(batches.headers)
        return Judged(batches, ~unwanted, kept_whole, checked, ends)

    def done(self, stretch: Stretch, judged: Judged, count: int) -> None:
        """Note that so many of the judged batches are done with."""
        if count == 0:
            return
        batches = judged.batches
        last = count - 1
        stretch.taken = int(batches.ends[last])
        stretch.last = batches.position + int(batches.starts[last])
        unchecked = self.verify_checksums and not judged.checked[last]
        stretch.passed_over = stretch.last if unchecked else None
        stretch.ends_walk = judged.end_the_walk and count == len(batches)
        if self.selection.is_bounded(self.offsets):
            self.trust.follow(batches[:count])


def count(judge: Judge, stretch: Stretch, rows: Callable[[Judged], tuple[int, int]]) -> Iterator[int]:
    """Count wanted records by the headers of a stretch.

    Args:
        judge: judges its batches.
        stretch: where they stand.
        rows: counts the records of judged batches by decoding them; returns their number, and how many batches it took.
    """
    judged = judge.judge(stretch)
    if judged is None:
        return
    divided = judged.wanted & ~judged.kept_whole
    if divided.any():
        number, taken = rows(judged)
    else:
        taken = checksums.first_wrong(judged.batches, judged.checked) if judge.verify_checksums else len(judged.wanted)
        number = int(judged.batches.headers["num_records"][:taken][judged.wanted[:taken]].sum(dtype=np.int64))
    judge.order.see_batches(judged.batches[:taken])
    judge.done(stretch, judged, taken)
    yield number


def describe(judge: Judge, file: str, stretch: Stretch) -> Iterator[BatchHeader]:
    """Describe the batches of a stretch that may hold wanted records."""
    judged = judge.judge(stretch)
    if judged is None:
        return
    verified = judge.verify_checksums
    taken = checksums.first_wrong(judged.batches) if verified else len(judged.batches)
    headers = descriptions(judged.batches[:taken], file, is_valid=True if verified else None)
    wanted = judged.wanted[:taken].tolist()
    judge.order.see_batches(judged.batches[:taken])
    judge.done(stretch, judged, taken)
    yield from (header for header, is_wanted in zip(headers, wanted, strict=True) if is_wanted)
