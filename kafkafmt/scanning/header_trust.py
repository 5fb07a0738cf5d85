"""HeaderTrust: whether a header alone may decide, in one segment, that nothing of its batch is wanted.

To leave a batch unread is to leave its CRC unchecked, so a flipped bit in its header could lose records without a word.
Headers are believed as far as they fit: in themselves, into the segment, and behind the one before. Any other batch is
read and its CRC checked before its header decides.
"""

from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, BatchHeader
from kafkafmt.reference.layout import CURRENT_MAGIC
from kafkafmt.scanning.selection import OffsetRange

# Kafka appends upwards only; one flipped base offset must not end a scan, and two that fit together are none by chance.
_ENOUGH_BEYOND_THE_END = 2


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
        self.past_the_end = self.past_the_end or self._beyond >= _ENOUGH_BEYOND_THE_END
        return trusted
