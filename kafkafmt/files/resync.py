"""Resync: where the entries of a log go on after damage, in time linear to the file's size, and how a file ends.

After a damaged entry only its CRC identifies the next one. Wherever 17 bytes look like the beginning of an entry, the
CRC over its declared size decides. Garbage can declare a hundred megabytes at every other byte, so CRCs are derived
from those of the file's prefixes, which are computed once.
"""

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from kafkafmt.codec.checksum import CRC32, CRC32C, CrcShift, crc32, crc32c
from kafkafmt.errors import CorruptError, TruncatedError, UnsupportedError
from kafkafmt.files.damage import GARBAGE_TAIL, INCOMPLETE_TAIL, ZERO_TAIL
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX, INT64_MAX
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    Frame,
    crc_span,
    read_frame,
    smallest_size,
    stored_crc,
)

# Between two CRCs that are kept: at most this much is read again for each place asked for.
_BLOCK = 1024
_READ = 64 * _BLOCK
# Up to this size a CRC is computed faster than derived.
_SMALL = 16 * 1024
# Limits of candidates that may be payload of other entries: after one damage, and in a file.
_MOST_SEEN = 256
_MOST_DOUBTS = 4096
# How often the bytes of a file are searched for the offset that follows a damaged entry.
_MOST_SOUGHT = 4
_SIZE_AT, _ANY_SIZE = 8, (64 * 1024).to_bytes(4, "big")
# Up to this size all that is left of a file may be one batch, whose length is wrong.
_MOST_AHEAD = 16 * 1024 * 1024
_FIRST_WINDOW = 4 * 1024
_WINDOW = 1024 * 1024


@dataclass
class _Beginnings:
    """CRCs of a file from `origin` to each multiple of a block after it, computed on demand."""

    file: File
    origin: int
    crc: Callable[[bytes | memoryview, int], int]
    shift: CrcShift
    known: "array[int]" = field(default_factory=lambda: array("I", [0]))

    def up_to(self, position: int) -> int:
        block = (position - self.origin) // _BLOCK
        while len(self.known) <= block:
            data = memoryview(self.file.read_at(self.origin + (len(self.known) - 1) * _BLOCK, _READ))
            for start in range(0, len(data) // _BLOCK * _BLOCK, _BLOCK):
                self.known.append(self.crc(data[start : start + _BLOCK], self.known[-1]))
        begin = self.origin + block * _BLOCK
        return self.crc(self.file.read_at(begin, position - begin), self.known[block])

    def between(self, begin: int, end: int) -> int:
        return self.shift.of_rest(self.up_to(end), self.up_to(begin), end - begin)


class EntryFinder:
    """Looks for entries with a valid CRC in one file, from ever higher positions on.

    Args:
        file: an open file.
        limits: `next_entry` takes no entry above `max_batch_bytes`.
        origin: where the first damage begins; nothing before it will be asked for.
    """

    def __init__(self, file: File, limits: Limits, origin: int) -> None:
        self._file = file
        self._limits = limits
        self._legacy = _Beginnings(file, origin, crc32, CRC32)
        self._v2 = _Beginnings(file, origin, crc32c, CRC32C)
        self._doubts = 0
        self._sought = 0
        # Size: its first byte not above that of the largest possible one, and not below 14; then magic 0, 1 or 2.
        highest = b"\\x%02x" % (min(file.size, limits.max_batch_bytes, INT32_MAX) >> 24)
        self._looks_like_an_entry = re.compile(
            rb"(?=.{8}(?!\0\0\0[\0-\x0d])[\0-" + highest + rb"].{7}[\0-\x02])", re.DOTALL
        )

    def valid_at(self, position: int) -> bool:
        """Tell whether a whole entry with a valid CRC begins at `position`, of whatever size and magic."""
        if self._file.size - position < HEADER_SIZE_UP_TO_MAGIC:
            return False
        return self._valid(position, read_frame(self._file.read_at(position, HEADER_SIZE_UP_TO_MAGIC)))

    def next_entry(self, position: int) -> int:
        """Find the next place from `position` on where an entry of a known format with a valid CRC begins.

        Returns:
            Its position in the file, or the file's size where there is none.
        """
        size = self._file.size
        # Where bad and good entries alternate the next one is near: a large window for each would not be linear.
        length = _FIRST_WINDOW
        while size - position >= HEADER_SIZE_UP_TO_MAGIC:
            window = self._file.read_at(position, length + HEADER_SIZE_UP_TO_MAGIC - 1)
            length = min(2 * length, _WINDOW)
            # Undecodable bytes read as zeros, as holes do: often too many for a regex.
            is_blank = window == bytes(len(window))
            for match in () if is_blank else self._looks_like_an_entry.finditer(window):
                frame = read_frame(window, match.start())
                if frame.size_in_bytes <= self._limits.max_batch_bytes and self._valid(position + match.start(), frame):
                    return position + match.start()
            position += len(window) - HEADER_SIZE_UP_TO_MAGIC + 1
        return size

    def checksums(self, position: int, frame: Frame) -> tuple[int, int]:
        """CRCs of the whole entry at `position`: the stored one and that of its bytes."""
        end = position + frame.size_in_bytes
        crc_at, covered_from = crc_span(frame.magic)
        stored = int.from_bytes(self._file.read_at(position + crc_at, 4), "big")
        if frame.size_in_bytes <= _SMALL:
            crc = crc32c if frame.magic >= CURRENT_MAGIC else crc32
            return stored, crc(self._file.read_at(position + covered_from, end - position - covered_from))
        beginnings = self._v2 if frame.magic >= CURRENT_MAGIC else self._legacy
        return stored, beginnings.between(position + covered_from, end)

    def crc32c(self, begin: int, end: int) -> int:
        """CRC-32C of the file's bytes from `begin` to `end`."""
        if end - begin <= _SMALL:
            return crc32c(self._file.read_at(begin, end - begin))
        return self._v2.between(begin, end)

    def is_followed(self, position: int) -> bool:
        """Whether a whole entry with a valid CRC begins at the end of another, or the file ends there."""
        return position == self._file.size or self.valid_at(position)

    def may_doubt(self) -> bool:
        """Whether one more doubtful candidate is checked: a limited number a file, as it takes long."""
        self._doubts += 1
        return self._doubts <= _MOST_DOUBTS

    def places_of(self, text: bytes, position: int) -> Iterator[int]:
        """Where some bytes occur from a position on; only so much of a file is searched, or it takes too long."""
        length, end = _FIRST_WINDOW, min(self._file.size, position + _MOST_AHEAD)
        while position < end and self._sought <= _MOST_SOUGHT * self._file.size:
            window = self._file.read_at(position, length + len(text) - 1)
            self._sought += len(window)
            found = window.find(text)
            while found >= 0:
                yield position + found
                found = window.find(text, found + 1)
            position += length
            length = min(2 * length, _WINDOW)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    def head(self, position: int) -> bytes:
        """The first bytes of the entry at `position`, as many as a batch header has, or up to the end of the file."""
        return self._file.read_at(position, RECORD_BATCH_OVERHEAD)

    def sound_at(self, position: int) -> "_Sound | None":
        """The whole entry with a valid CRC at `position`; None if there is none, or its header has no offsets."""
        if not self.valid_at(position):
            return None
        # In a message the size of the value comes after the key.
        entry = Entry(self.head(position), first=partial(self._file.read_at, position))
        try:
            header = entry.header()
        except (CorruptError, UnsupportedError):
            return None
        last = header.last_offset
        if last is None:
            return None
        first = last if header.base_offset is None else header.base_offset
        return _Sound(position, position + entry.frame.size_in_bytes, first, last)

    def _valid(self, position: int, frame: Frame) -> bool:
        end = position + frame.size_in_bytes
        if frame.size < smallest_size(frame.magic) or end > self._file.size:
            return False
        stored, computed = self.checksums(position, frame)
        return stored == computed


class _Sound(NamedTuple):
    """A whole entry with a right CRC: where it begins and ends, its offsets as far as its header has them."""

    begin: int
    end: int
    first: int
    last: int


def next_sound(
    finder: EntryFinder, position: int, declared_end: int | None, before: int | None, next_base_offset: int | None
) -> int:
    """Find where the log goes on after an entry whose CRC is wrong.

    Its length is right if the entry at the end that it claims continues its offsets, be that one damaged too. Else the
    next entry is searched after its header, also in the bytes that it claims: by its CRC, if the length alone is wrong,
    or by the offsets around. Entries inside the payload, such as a record whose value is a batch, have offsets that do
    not fit there. If they do fit, as those of a batch of the same log in a value, and neither a CRC nor the next entry
    shows where the entry ends, a batch in its payload may be taken as the next one.

    Args:
        finder: looks for entries.
        position: where the entry begins.
        declared_end: where it ends by its length; None if the file cannot hold so much, or no entry is so short.
        before: last offset before it, None if unknown.
        next_base_offset: of the segment after this one, or None.

    Returns:
        position of a whole entry, or the file's size where there is none.

    Raises:
        SourceError: reading failed.
    """
    size = finder.size
    head = finder.head(position)
    lowest, follows = _offsets_after(head, before)
    while (successor := _successor(finder, position, declared_end, head, follows)) is not None:
        if finder.valid_at(successor):
            return successor
        position, head = successor, finder.head(successor)
        frame = read_frame(head)
        declared_end = position + frame.size_in_bytes
        if frame.size < RECORD_OVERHEAD_V0 or declared_end > size:
            declared_end = None
        before = follows - 1 if follows is not None else None
        lowest, follows = _offsets_after(head, before)
    highest, stop = next_base_offset, size
    if declared_end is not None and (declared_end == size or finder.valid_at(declared_end)):
        claimed = finder.sound_at(declared_end) if declared_end < size else None
        if claimed is not None and claimed.first == follows:
            return declared_end
        highest, stop = next_base_offset if claimed is None else claimed.first, declared_end
    if stop - position <= _MOST_AHEAD and _is_whole_up_to(finder, position, stop, head):
        return stop
    found = finder.next_entry(position + 1)
    first_found = min(found, stop)
    seen: list[_Sound] = []
    while found < stop and len(seen) < _MOST_SEEN and finder.may_doubt():
        if _is_whole_up_to(finder, position, found, head):
            return found
        each = finder.sound_at(found)
        if each is None:
            if not seen:
                return found
            break
        is_next = each.first == follows or (follows is None and (lowest is None or each.first >= lowest))
        if not seen and is_next and stop != declared_end and finder.is_followed(each.end):
            return found
        seen.append(each)
        found = finder.next_entry(each.end)
    if lowest is not None:
        # Of one segment; its indexes could not hold more.
        highest = min(lowest + INT32_MAX, INT64_MAX if highest is None else highest)
    within = [
        each for each in seen if (lowest is None or each.first >= lowest) and (highest is None or each.last < highest)
    ]
    is_claimed = stop == declared_end
    for each in within:
        if each.first == follows and finder.is_followed(each.end):
            return each.begin
    if declared_end == size and follows is not None:
        return size  # its header is plausible, and so is its length
    for each, after in zip_longest(within, within[1:]):
        if finder.is_followed(each.end) or (not is_claimed and (after is None or after.first >= each.first)):
            return each.begin
    if is_claimed:
        return stop  # its content is the payload
    if seen and read_frame(head).magic < CURRENT_MAGIC:
        # Compressed by snappy or lz4, messages of a wrapper can be there as they are, but for their offsets.
        return next((each.begin for each in seen if finder.is_followed(each.end)), size)
    return first_found


def _successor(
    finder: EntryFinder, position: int, declared_end: int | None, head: bytes, follows: int | None
) -> int | None:
    """Where the entry begins that follows a damaged one by their headers, sound or not; None if that is not certain.

    It has the offset that follows, and begins where the damaged one claims to end, or where its CRC is right.
    """
    if follows is None or not 0 <= follows <= INT64_MAX:
        return None
    if declared_end is not None and _continues(finder, declared_end, follows):
        return declared_end
    for at in finder.places_of(follows.to_bytes(_SIZE_AT, "big"), position + RECORD_BATCH_OVERHEAD):
        if _continues(finder, at, follows) and finder.may_doubt() and _is_whole_up_to(finder, position, at, head):
            return at
    return None


def _continues(finder: EntryFinder, position: int, offset: int) -> bool:
    """Whether a plausible header of a batch with this base offset is there."""
    head = finder.head(position)
    if len(head) < RECORD_BATCH_OVERHEAD or head[MAGIC_OFFSET] != CURRENT_MAGIC:
        return False
    return read_frame(head).offset == offset and _offsets_after(head, offset - 1)[1] is not None


def _is_whole_up_to(finder: EntryFinder, position: int, end: int, head: bytes) -> bool:
    """Whether a batch of format 2 is right by its CRC if it ends here, so that only its length is wrong."""
    if len(head) < RECORD_BATCH_OVERHEAD or head[MAGIC_OFFSET] != CURRENT_MAGIC or end - position < len(head):
        return False
    return finder.crc32c(position + crc_span(CURRENT_MAGIC)[1], end) == stored_crc(head, CURRENT_MAGIC)


def _offsets_after(head: bytes, before: int | None) -> tuple[int | None, int | None]:
    """The lowest offset that can follow an entry with a wrong CRC, and the one that follows if none is missing."""
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
    # The count is the number of records left in a compacted batch; its last offset may be the fault.
    return base + max(header.count or 0, 1), last + 1


class FileEnd(NamedTuple):
    """The bytes after the last whole entry of a file.

    Attributes:
        reason: one of `damage.TAILS`.
        error: the same as an error.
        may_be_open: whether a broker that is at work, or was killed, can have left it.
    """

    reason: str
    error: CorruptError
    may_be_open: bool = True


def end_of_file(file: File, position: int, head: bytes | memoryview, finder: EntryFinder, limits: Limits) -> FileEnd:
    """Tell a broken end of a file from damage, after which whole entries follow.

    Args:
        file: the log file.
        position: end of the last whole entry, before the end of the file.
        head: bytes from there on, as many as a batch header has, or up to the end of the file.
        finder: looks for entries that follow.
        limits: `max_batch_bytes` counts.

    Raises:
        CorruptError: they are damage, or the file is not a log segment.
        SourceError: reading failed.
    """
    left = file.size - position
    found = f"{left} bytes"
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
        if finder.crc32c(covered, file.size) == stored_crc(head, CURRENT_MAGIC):
            what = "the last entry is whole, by its CRC, and its size wrong"
            return FileEnd(
                INCOMPLETE_TAIL, TruncatedError(what, expected=f"{size} bytes", found=found), may_be_open=False
            )
    return incomplete


def _only_zeros_from(file: File, position: int) -> bool:
    length = _FIRST_WINDOW
    while position < file.size:
        chunk = file.read_at(position, length)
        length = min(2 * length, _WINDOW)
        if chunk.count(0) != len(chunk):
            return False
        position += len(chunk)
    return True
