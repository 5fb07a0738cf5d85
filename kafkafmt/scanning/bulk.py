"""Bulk: batches that stand side by side are judged by their headers at once, then counted, described or decoded.

What is taken here is what the walk entry by entry would make of it. In front of anything else it stops, and the walk
goes on by one entry: so only the reference engine names errors.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar import checksums
from kafkafmt.columnar.descriptions import descriptions
from kafkafmt.columnar.headers import CONTROL, Batches, Mask, read_batches
from kafkafmt.files.stretch import Stretch
from kafkafmt.limits import Limits
from kafkafmt.reference.header import BatchHeader
from kafkafmt.scanning import batch_masks
from kafkafmt.scanning.header_trust import HeaderTrust
from kafkafmt.scanning.selection import OffsetRange, Selection

if TYPE_CHECKING:
    from kafkafmt.files.offset_order import OffsetOrder


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
        unwanted = batch_masks.passed_over(self.selection, self.offsets, batches)
        kept_whole = batch_masks.kept_whole(self.selection, self.offsets, batches)
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
