"""Resync: finds where the entries of a log continue after damage, and classifies the end of a file.

After a damaged entry only its CRC identifies the next one; later entries and the offsets around distinguish payload
from entries of the log.
"""

from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from kafkafmt.errors import CorruptError, TruncatedError, UnsupportedError
from kafkafmt.files.damage import GARBAGE_TAIL, INCOMPLETE_TAIL, ZERO_TAIL
from kafkafmt.files.entry_finder import FIRST_WINDOW, MOST_AHEAD, WINDOW, EntryFinder, SoundEntry
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.phrases import sized
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, INT64_MAX
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    crc_span,
    read_frame,
    stored_crc,
)

# Limit of candidates after one damaged range that are examined for being payload of another entry.
_MOST_SEEN = 256
_SIZE_AT, _ANY_SIZE = 8, (64 * 1024).to_bytes(4, "big")


def next_sound(
    finder: EntryFinder, position: int, declared_end: int | None, before: int | None, next_base_offset: int | None
) -> int:
    """Find where the log continues after an entry whose CRC is wrong.

    The entry's length is right if the entry at its claimed end continues its offsets, even if that one is damaged too.
    Otherwise the next entry is searched after the header, also in the claimed bytes: by the CRC, if only the length is
    wrong, or by the offsets around. Entries inside the payload, such as a record whose value is a batch, have offsets
    that do not fit there. If they do fit, as in a value that is a batch of the same log, and neither a CRC nor the
    next entry shows where the entry ends, a batch in its payload may be taken for the next entry.

    Args:
        finder: searches for entries.
        position: position of the damaged entry.
        declared_end: end of the entry by its length; None if the file is too short, or the length is impossibly small.
        before: last offset before it, None if unknown.
        next_base_offset: base offset of the next segment, or None.

    Returns:
        Position of a whole entry, or the file's size if there is none.

    Raises:
        SourceError: reading failed.
    """
    damaged = _Damaged.at(finder, position, declared_end, before)
    while (successor := damaged.successor()) is not None:
        if finder.valid_at(successor):
            return successor
        damaged = damaged.next_damaged(successor)
    return _Search(damaged, next_base_offset).position()


@dataclass(frozen=True, slots=True)
class _Damaged:
    """An entry whose CRC is wrong, with the facts from its header and the previous entry.

    Attributes:
        finder: searches for entries in its file.
        position: position of the entry.
        head: its first bytes.
        declared_end: end of the entry by its length; None if the file is too short, or the length is impossibly small.
        lowest: lowest offset that can follow; None if unknown.
        follows: the offset that follows if none is missing; None if unknown.
    """

    finder: EntryFinder
    position: int
    head: bytes
    declared_end: int | None
    lowest: int | None
    follows: int | None

    @classmethod
    def at(cls, finder: EntryFinder, position: int, declared_end: int | None, before: int | None) -> "_Damaged":
        head = finder.head(position)
        return cls(finder, position, head, declared_end, *_offsets_after(head, before))

    def next_damaged(self, position: int) -> "_Damaged":
        """The entry that follows according to its header, damaged too."""
        frame = read_frame(self.finder.head(position))
        end = position + frame.size_in_bytes
        is_possible = frame.size >= RECORD_OVERHEAD_V0 and end <= self.finder.size
        before = None if self.follows is None else self.follows - 1
        return _Damaged.at(self.finder, position, end if is_possible else None, before)

    def successor(self) -> int | None:
        """Position of the entry that follows according to both headers, sound or not; None if that is not certain.

        That entry has the offset that follows, and begins where this one claims to end, or where this one's CRC is
        right.
        """
        finder, follows = self.finder, self.follows
        if follows is None or not 0 <= follows <= INT64_MAX:
            return None
        if self.declared_end is not None and _continues(finder, self.declared_end, follows):
            return self.declared_end
        for at in finder.places_of(follows.to_bytes(_SIZE_AT, "big"), self.position + RECORD_BATCH_OVERHEAD):
            if _continues(finder, at, follows) and finder.may_doubt() and self.is_whole_up_to(at):
                return at
        return None

    def is_whole_up_to(self, end: int) -> bool:
        """Whether it is a batch of format 2 whose CRC is right if it ends here, so that only its length is wrong."""
        head, position = self.head, self.position
        if len(head) < RECORD_BATCH_OVERHEAD or head[MAGIC_OFFSET] != CURRENT_MAGIC:
            return False
        if not len(head) <= end - position <= LOG_OVERHEAD + INT32_MAX:
            return False
        return self.finder.crc32c(position + crc_span(CURRENT_MAGIC)[1], end) == stored_crc(head, CURRENT_MAGIC)


class _Search:
    """The search for the next sound entry after a damaged one without a certain successor.

    Args:
        damaged: the damaged entry.
        next_base_offset: base offset of the next segment, or None.
    """

    def __init__(self, damaged: _Damaged, next_base_offset: int | None) -> None:
        self._damaged = damaged
        self._finder = finder = damaged.finder
        self._highest = next_base_offset
        end = damaged.declared_end
        self._is_claimed = end is not None and finder.is_followed(end)
        self._stop = end if end is not None and self._is_claimed else finder.size
        self._seen: list[SoundEntry] = []

    def position(self) -> int:
        """Position of the next sound entry; the file's size if there is none."""
        claimed = self._finder.sound_at(self._stop) if self._is_claimed and self._stop < self._finder.size else None
        if claimed is not None:
            if claimed.first == self._damaged.follows:
                return self._stop
            self._highest = claimed.first
        if self._stop - self._damaged.position <= MOST_AHEAD and self._damaged.is_whole_up_to(self._stop):
            return self._stop
        first_found = self._finder.next_entry(self._damaged.position + 1)
        certain = self._look_at_entries(first_found)
        return self._most_plausible(min(first_found, self._stop)) if certain is None else certain

    def _look_at_entries(self, found: int) -> int | None:
        """Note the sound entries before the stop, from the first one on; return the next entry if it is certain."""
        finder, damaged = self._finder, self._damaged
        while found < self._stop and len(self._seen) < _MOST_SEEN and finder.may_doubt():
            if damaged.is_whole_up_to(found):
                return found
            each = finder.sound_at(found)
            if each is None:
                return None if self._seen else found
            if not self._seen and self._may_be_next(each) and not self._is_claimed and finder.is_followed(each.end):
                return found
            self._seen.append(each)
            found = finder.next_entry(each.end)
        return None

    def _may_be_next(self, entry: SoundEntry) -> bool:
        lowest, follows = self._damaged.lowest, self._damaged.follows
        return entry.first == follows or (follows is None and (lowest is None or entry.first >= lowest))

    def _most_plausible(self, first_found: int) -> int:
        """Choose among the noted entries, some of which may be payload, by their offsets."""
        finder, damaged = self._finder, self._damaged
        within = self._within_offsets()
        for each in within:
            if each.first == damaged.follows and finder.is_followed(each.end):
                return each.begin
        if damaged.declared_end == finder.size and damaged.follows is not None:
            return finder.size  # the header is plausible, and so is its length
        for each, after in zip_longest(within, within[1:]):
            if finder.is_followed(each.end) or (not self._is_claimed and (after is None or after.first >= each.first)):
                return each.begin
        if self._is_claimed:
            return self._stop  # the entries noted are in its payload
        if self._seen and read_frame(damaged.head).magic < CURRENT_MAGIC:
            # Messages in a wrapper compressed by snappy or lz4 can be stored unchanged, except for their offsets.
            return next((each.begin for each in self._seen if finder.is_followed(each.end)), finder.size)
        return first_found

    def _within_offsets(self) -> list[SoundEntry]:
        """Entries with offsets between those of the damaged entry and of the next sound ones."""
        lowest, highest = self._damaged.lowest, self._highest
        if lowest is not None:
            # The span of one segment, as its indexes could not hold more.
            highest = min(lowest + INT32_MAX, INT64_MAX if highest is None else highest)
        return [
            each
            for each in self._seen
            if (lowest is None or each.first >= lowest) and (highest is None or each.last < highest)
        ]


def _continues(finder: EntryFinder, position: int, offset: int) -> bool:
    """Whether a plausible header of a batch with this base offset is stored at this position."""
    head = finder.head(position)
    if len(head) < RECORD_BATCH_OVERHEAD or head[MAGIC_OFFSET] != CURRENT_MAGIC:
        return False
    return read_frame(head).offset == offset and _offsets_after(head, offset - 1)[1] is not None


def _offsets_after(head: bytes, before: int | None) -> tuple[int | None, int | None]:
    """The lowest offset that can follow an entry with a wrong CRC, and the offset that follows if none is missing."""
    lowest = None if before is None else before + 1
    if len(head) < RECORD_BATCH_OVERHEAD:
        return lowest, None
    # The size may be the fault.
    entry = Entry(head[:_SIZE_AT] + _ANY_SIZE + head[LOG_OVERHEAD:])
    try:
        header = entry.header()
    except (CorruptError, UnsupportedError):
        return lowest, None
    base, last = header.base_offset, header.last_offset
    if header.magic < CURRENT_MAGIC or base is None or last is None or not entry.is_plausible(header):
        return lowest, None
    if base < (0 if lowest is None else lowest):
        return lowest, None
    # In a compacted batch the count is the number of remaining records; its last offset may be the fault.
    return base + max(header.count or 0, 1), last + 1


class FileEnd(NamedTuple):
    """The bytes after the last whole entry of a file.

    Attributes:
        reason: one of `damage.TAILS`.
        error: the reason as an error.
        may_be_open: whether a broker that is running, or was killed, can have left these bytes.
    """

    reason: str
    error: CorruptError
    may_be_open: bool = True


def end_of_file(file: File, position: int, head: bytes | memoryview, finder: EntryFinder, limits: Limits) -> FileEnd:
    """Distinguish a broken end of a file from damage, after which whole entries follow.

    Args:
        file: the log file.
        position: end of the last whole entry, before the end of the file.
        head: bytes from there on, as many as a batch header has, or up to the end of the file.
        finder: searches for later entries.
        limits: bounds, of which `max_batch_bytes` is used.

    Raises:
        CorruptError: the bytes are damage, or the file is not a log segment.
        SourceError: reading failed.
    """
    left = file.size - position
    found = sized(left)
    if _only_zeros_from(file, position):
        return FileEnd(
            ZERO_TAIL, CorruptError("zeros to the end of the file", expected="entries or the end", found=found)
        )
    incomplete = FileEnd(INCOMPLETE_TAIL, TruncatedError("the last entry is incomplete", found=found))
    if left <= HEADER_SIZE_UP_TO_MAGIC:
        return incomplete
    frame = read_frame(head)
    size = frame.size_in_bytes
    if frame.size == 0:
        raise CorruptError(
            "the size of the entry is 0, and other bytes follow", expected=f"at least {RECORD_OVERHEAD_V0}"
        )
    following = finder.next_entry(position + 1)
    if following < file.size:
        raise CorruptError(f"no batch here: the next one begins at {following}")
    is_known = 0 <= frame.magic <= CURRENT_MAGIC
    if position == 0 and not is_known:
        raise CorruptError(
            "not a log segment: no batch at its start, and none after it",
            expected=f"magic 0 to {CURRENT_MAGIC}",
            found=frame.magic,
        )
    if size > limits.max_batch_bytes or not is_known:
        what = f"garbage to the end of the file: an entry of {size} bytes and magic {frame.magic}"
        error = CorruptError(what, expected="entries or the end", found=found)
        return FileEnd(GARBAGE_TAIL, error, may_be_open=False)
    if frame.magic == CURRENT_MAGIC and left >= RECORD_BATCH_OVERHEAD:
        covered = position + crc_span(CURRENT_MAGIC)[1]
        is_possible = left <= limits.max_batch_bytes
        if is_possible and finder.crc32c(covered, file.size) == stored_crc(head, CURRENT_MAGIC):
            what = "the last entry is whole according to its CRC, but its size is wrong"
            return FileEnd(INCOMPLETE_TAIL, TruncatedError(what, expected=sized(size), found=found), may_be_open=False)
    return incomplete


def _only_zeros_from(file: File, position: int) -> bool:
    length = FIRST_WINDOW
    while (position := file.next_data(position)) < file.size:
        chunk = file.read_at(position, length)
        length = min(2 * length, WINDOW)
        if chunk.count(0) != len(chunk):
            return False
        position += len(chunk)
    return True
