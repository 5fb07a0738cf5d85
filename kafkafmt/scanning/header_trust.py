"""HeaderTrust: whether a header alone may decide, in one segment, that nothing of its batch is wanted.

To leave a batch unread is to leave its CRC unchecked, so a flipped bit in its header could lose records without a word.
Headers are believed as far as they fit: in themselves, into the segment, and behind the one before. Any other batch is
read and its CRC checked before its header decides.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafkafmt.logdir.transactions import ENOUGH_BEYOND_THE_END
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning.selection import OffsetRange

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Batches


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
