"""Finds whole entries with a valid CRC in one file, in time linear to the file's size.

Wherever 17 bytes look like the beginning of an entry, the CRC over its declared size decides. Garbage can declare a
size of a hundred megabytes at every other byte, so CRCs are derived from those of the file's prefixes, which are
computed once.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from kafkafmt.codec.checksum import CRC32, CRC32C, CrcShift, crc32, crc32c
from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.reference.entry import Entry
from kafkafmt.reference.header import INT32_MAX
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    RECORD_BATCH_OVERHEAD,
    Frame,
    crc_span,
    read_frame,
    smallest_size,
)

FIRST_WINDOW = 4 * 1024
"""Size of the first window of a search, in bytes; each next one is twice as large."""

WINDOW = 1024 * 1024
"""Size of the largest window, in bytes."""

MOST_AHEAD = 16 * 1024 * 1024
"""Number of bytes after a damaged entry in which its end is searched."""

# Distance between cached CRCs: at most this much is read again for each requested position.
_BLOCK = 1024
_READ = 64 * _BLOCK
_FAR = 64 * 1024 * 1024
# Up to this size, computing a CRC is faster than deriving it.
_SMALL = 16 * 1024
# Limit of candidates per file that are examined for being payload of another entry.
_MOST_DOUBTS = 4096
# Limit of searches for the offset that follows a damaged entry, in multiples of the file's size.
_MOST_SOUGHT = 4


@dataclass
class _Beginnings:
    """CRCs of a file from an origin to each multiple of a block after it, computed on demand.

    Far after the last requested position, as after a hole, a new origin begins: nothing in between looked like an
    entry.
    """

    file: File
    origin: int
    crc: Callable[[bytes | memoryview, int], int]
    shift: CrcShift
    parts: "list[tuple[int, array[int]]]" = field(init=False)

    def __post_init__(self) -> None:
        self.parts = [(self.origin, array("I", [0]))]

    def between(self, begin: int, end: int) -> int:
        at = max(bisect_right(self.parts, begin, key=itemgetter(0)) - 1, 0)
        origin, known = self.parts[at]
        if begin - origin - (len(known) - 1) * _BLOCK > _FAR:
            origin, known = begin, array("I", [0])
            self.parts.insert(at + 1, (origin, known))
        return self.shift.of_rest(self._up_to(end, origin, known), self._up_to(begin, origin, known), end - begin)

    def _up_to(self, position: int, origin: int, known: "array[int]") -> int:
        block = (position - origin) // _BLOCK
        while len(known) <= block:
            data = memoryview(self.file.read_at(origin + (len(known) - 1) * _BLOCK, _READ))
            for start in range(0, len(data) // _BLOCK * _BLOCK, _BLOCK):
                known.append(self.crc(data[start : start + _BLOCK], known[-1]))
        begin = origin + block * _BLOCK
        return self.crc(self.file.read_at(begin, position - begin), known[block])


class EntryFinder:
    """Searches one file for entries with a valid CRC, at ever higher positions.

    Args:
        file: an open file.
        limits: `next_entry` ignores entries larger than `max_batch_bytes`.
        origin: position of the first damage; nothing before it will be requested.
    """

    def __init__(self, file: File, limits: Limits, origin: int) -> None:
        self._file = file
        self._limits = limits
        self._legacy = _Beginnings(file, origin, crc32, CRC32)
        self._v2 = _Beginnings(file, origin, crc32c, CRC32C)
        self._doubts = 0
        self._sought = 0
        # Size: its first byte at most that of the largest possible one, and the size at least 14; then magic 0, 1 or 2.
        highest = b"\\x%02x" % (min(file.size, limits.max_batch_bytes, INT32_MAX) >> 24)
        self._looks_like_an_entry = re.compile(
            rb"(?=.{8}(?!\0\0\0[\0-\x0d])[\0-" + highest + rb"].{7}[\0-\x02])", re.DOTALL
        )

    def valid_at(self, position: int) -> bool:
        """Whether a whole entry with a valid CRC begins at `position`, of any size and magic."""
        if self._file.size - position < HEADER_SIZE_UP_TO_MAGIC:
            return False
        return self._valid(position, read_frame(self._file.read_at(position, HEADER_SIZE_UP_TO_MAGIC)))

    def next_entry(self, position: int) -> int:
        """Find the next entry of a known format with a valid CRC, from `position` on.

        Returns:
            Its position in the file, or the file's size if there is none.
        """
        size = self._file.size
        # Where bad and good entries alternate, the next one is near: a large window for each would not be linear.
        length = FIRST_WINDOW
        while size - position >= HEADER_SIZE_UP_TO_MAGIC:
            # An entry may begin in a hole, but its size lies outside the hole.
            position = max(position, self._file.next_data(position) - HEADER_SIZE_UP_TO_MAGIC + 1)
            window = self._file.read_at(position, length + HEADER_SIZE_UP_TO_MAGIC - 1)
            length = min(2 * length, WINDOW)
            # Undecodable bytes read as zeros, as holes do: often too many for a regular expression.
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
        """Whether the file ends here, or a whole entry with a valid CRC begins here."""
        return position == self._file.size or self.valid_at(position)

    def may_doubt(self) -> bool:
        """Whether to check one more doubtful candidate; their number per file is limited, as a check takes long."""
        self._doubts += 1
        return self._doubts <= _MOST_DOUBTS

    def places_of(self, text: bytes, position: int) -> Iterator[int]:
        """Positions of a byte string from a position on; the total length of such searches in a file is bounded."""
        length, end = FIRST_WINDOW, min(self._file.size, position + MOST_AHEAD)
        while position < end and self._sought <= _MOST_SOUGHT * self._file.size:
            window = self._file.read_at(position, length + len(text) - 1)
            self._sought += len(window)
            found = window.find(text)
            while found >= 0:
                yield position + found
                found = window.find(text, found + 1)
            position += length
            length = min(2 * length, WINDOW)

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return self._file.size

    def head(self, position: int) -> bytes:
        """The first bytes of the entry at `position`, as many as a batch header has, or up to the end of the file."""
        return self._file.read_at(position, RECORD_BATCH_OVERHEAD)

    def sound_at(self, position: int) -> "SoundEntry | None":
        """The whole entry with a valid CRC at `position`; None if there is none, or if its header has no offsets."""
        if not self.valid_at(position):
            return None
        # The size of a message's value comes after the key.
        entry = Entry(self.head(position), first=partial(self._file.read_at, position))
        try:
            header = entry.header()
        except (CorruptError, UnsupportedError):
            return None
        last = header.last_offset
        if last is None:
            return None
        first = last if header.base_offset is None else header.base_offset
        return SoundEntry(position, position + entry.frame.size_in_bytes, first, last)

    def _valid(self, position: int, frame: Frame) -> bool:
        end = position + frame.size_in_bytes
        if frame.size < smallest_size(frame.magic) or end > self._file.size:
            return False
        stored, computed = self.checksums(position, frame)
        return stored == computed


class SoundEntry(NamedTuple):
    """A whole entry with a valid CRC: start and end, and its offsets as far as the header has them."""

    begin: int
    end: int
    first: int
    last: int
