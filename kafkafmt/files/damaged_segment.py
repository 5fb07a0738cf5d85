"""A damaged log file: where the log continues after each damaged range, and the cost of the range.

Only a walk that meets damage uses this; most bytes are then read again. The rules are in `resync` and `loss`.
"""

from kafkafmt.files.damage import GARBAGE_TAIL, TAILS
from kafkafmt.files.entry_finder import EntryFinder
from kafkafmt.files.loss import Loss, first_offset_at, last_offset_at, loss_of
from kafkafmt.files.resync import FileEnd, end_of_file, next_sound
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.reference.layout import (
    CURRENT_MAGIC,
    HEADER_SIZE_UP_TO_MAGIC,
    RECORD_OVERHEAD_V0,
    Frame,
    read_frame,
    require_equal_crcs,
)


class DamagedSegment:
    """Judges the damage of one file, in file order. All methods raise `SourceError` if reading fails.

    Args:
        file: an open file.
        next_base_offset: base offset of the next segment, or None if unknown.
        limits: bounds of decoding.

    Attributes:
        read_in_vain: sum of the sizes that bad entries claimed; larger than the file if they overlap.
    """

    def __init__(self, file: File, next_base_offset: int | None, limits: Limits) -> None:
        self._file = file
        self._next_base_offset = next_base_offset
        self._limits = limits
        self._finder: EntryFinder | None = None
        self.read_in_vain = 0

    def forget(self) -> None:
        """Forget the CRCs of the bytes read so far, as some have been overwritten."""
        self._finder = None

    def require_valid(self, position: int, frame: Frame) -> None:
        """Check the CRC of a whole entry without reading all its bytes again, as large bad entries may overlap.

        Raises:
            ChecksumError: the CRC is wrong.
        """
        require_equal_crcs(*self._find(position).checksums(position, frame))

    def is_valid(self, position: int) -> bool:
        """Whether a whole entry with a valid CRC begins at `position`."""
        return self._find(position).valid_at(position)

    def is_no_entry(self, position: int) -> bool:
        """Whether bytes with nothing sound after them claim a size or a magic that no writer gives to an entry."""
        if self._file.size - position <= HEADER_SIZE_UP_TO_MAGIC:
            return False
        frame = self._frame_at(position)
        if frame.size < RECORD_OVERHEAD_V0:
            return True
        return not 0 <= frame.magic <= CURRENT_MAGIC and not self.is_valid(position)

    def end_of_file(self, position: int, head: bytes) -> FileEnd:
        """Classify the end of the file; see `resync.end_of_file`."""
        return end_of_file(self._file, position, head, self._find(position), self._limits)

    def after(self, position: int, before: int | None) -> int:
        """The position where the log continues after a damaged entry.

        The entry's length may be wrong; then whole entries can lie inside its claimed bytes. But apparent entries there
        may also be part of its payload, such as a record whose value is a batch. The length is right if the bytes at
        the claimed end continue its offsets.

        Args:
            position: position of the entry, in bytes.
            before: last offset before it, or None if unknown.
        """
        size = self._file.size
        if size - position < HEADER_SIZE_UP_TO_MAGIC:
            return size  # too few bytes for an entry: nothing can follow
        frame = self._frame_at(position)
        finder = self._find(position)
        declared_end = position + frame.size_in_bytes
        if frame.size < RECORD_OVERHEAD_V0 or declared_end > size:
            return next_sound(finder, position, None, before, self._next_base_offset)
        if finder.valid_at(position):
            # Unreadable, but whole: entries in its payload, even Kafka's own, do not belong to this log.
            return declared_end if finder.is_followed(declared_end) else finder.next_entry(declared_end)
        self.read_in_vain += frame.size_in_bytes
        return next_sound(finder, position, declared_end, before, self._next_base_offset)

    def has_right_length(self, position: int, frame: Frame, before: int | None) -> bool:
        """Whether the log continues at the stated end of an entry with a wrong CRC.

        Args:
            position: position of the entry, in bytes.
            frame: its first fields.
            before: as for `after`.
        """
        end = position + frame.size_in_bytes
        if self.after(position, before) == end:
            return True
        # The next entry may be damaged too.
        if self._file.size - end < HEADER_SIZE_UP_TO_MAGIC:
            return False
        following = self._frame_at(end)
        last = last_offset_at(self._file, position)
        return last is not None and following.offset == last + 1 and following.magic == frame.magic

    def loss(
        self,
        begin: int,
        end: int,
        before: int | None,
        reason: str | None = None,
        *,
        is_refuted: bool = False,
        is_followed: bool = True,
    ) -> Loss:
        """The cost of a damaged range.

        Args:
            begin: start of the range, in bytes; the file has more than 17 bytes from there on, or the range is a tail.
            end: end of the range.
            before: last offset before it, or None if unknown.
            reason: why it is damage, as in `Damage.reason`; only the reasons of tails matter.
            is_refuted: as for `loss_of`.
            is_followed: whether a sound entry is known to begin at `end`, or the file ends there.
        """
        after = self._next_base_offset
        if self._file.size - end > HEADER_SIZE_UP_TO_MAGIC:
            after = first_offset_at(self._file, end) if is_followed or self.is_valid(end) else None
        crc32c = self._find(begin).crc32c
        is_tail, is_garbage = reason in TAILS, reason == GARBAGE_TAIL
        return loss_of(
            self._file, begin, end, before, after, crc32c, is_tail=is_tail, is_garbage=is_garbage, is_refuted=is_refuted
        )

    def _frame_at(self, position: int) -> Frame:
        return read_frame(self._file.read_at(position, HEADER_SIZE_UP_TO_MAGIC))

    def _find(self, origin: int) -> EntryFinder:
        if self._finder is None:
            self._finder = EntryFinder(self._file, self._limits, origin)
        return self._finder
