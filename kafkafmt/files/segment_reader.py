"""The walk over the entries of a log segment, with its end and the cost of damage.

The walk holds one entry at a time, and of that no more than needed: 17 bytes for the walk itself, some more for a
header. Large entries are skipped; small ones are read together with the bytes after them.

It ends where Kafka's `FileLogInputStream` ends. Unlike recovery it distinguishes a broken end from damage in the
middle, after which whole entries with a valid CRC follow.

The walk has one position and one end, so it is one class. Its windows are in `read_window`; `damaged_segment` decides
how it continues after damage, and computes the cost.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar, cast, get_args

from kafkafmt.errors import ChecksumError, CorruptError, DataError, KafkafmtError, LimitExceededError, OnDamage
from kafkafmt.files.damage import GARBAGE_TAIL, Damage
from kafkafmt.files.damaged_segment import DamagedSegment
from kafkafmt.files.loss import SegmentBounds, last_offset_at
from kafkafmt.files.read_ahead import Aside, FileWindow
from kafkafmt.files.read_window import ReadWindow, WindowSizes, new_buffer
from kafkafmt.files.wrapped import content_of
from kafkafmt.findings import reason_of
from kafkafmt.io.base import File
from kafkafmt.limits import Limits
from kafkafmt.phrases import sized
from kafkafmt.reference.entry import Entry, without_traceback
from kafkafmt.reference.layout import (
    HEADER_SIZE_UP_TO_MAGIC,
    LOG_OVERHEAD,
    RECORD_BATCH_OVERHEAD,
    RECORD_OVERHEAD_V0,
    read_frame,
    read_size,
)

if TYPE_CHECKING:
    from kafkafmt.files.length_check import LengthCheck

T = TypeVar("T")

_CHOICES: Final = get_args(OnDamage)
_DEFAULT_LIMITS: Final = Limits()
# Reading a larger entry in vain takes long.
_LARGE: Final = 64 * 1024


class SegmentReader:
    """Walks the entries of one open file, one walk at a time.

    Args:
        file: an open file; it is read up to the size it had when it was opened.
        name: its name in errors, headers and damage; the file's own name if None.
        bounds: partition and offsets of the segment, for `Damage`.
        limits: bounds of decoding.
        on_damage: "raise" at the first damage, or "skip" it and continue after it.
        end: start of another reader's part, where a sound entry begins: walks end there, and damage too. None for the
            end of the file.
        may_end_open: called where the file ends with an incomplete entry or zeros: whether these are not damage, as a
            running broker leaves them in the last segment of a partition.
        report: called with each `Damage`, also with an incomplete or zero tail that is not damage.
        ahead: number of bytes to read at once if all are needed; None to read little more than the walk needs.
        buffer: makes a writable buffer of a size in bytes.
        aside: lets another thread read, with `ahead`, the bytes after a window while that is decoded; None to read
            everything in the calling thread.
        checks_lengths: whether to compare the length of a batch with the offsets around it (`LengthCheck`); needed
            where not every CRC is checked.
        is_growing: whether walks end before an incomplete last entry or zeros without checking later bytes, as a broker
            is writing there.

    Attributes:
        damaged: judges damage; to be used in file order.
        position: position of the last walk: after the last entry that it visited, or at its end.

    Raises:
        ValueError: `on_damage` is neither "raise" nor "skip".
    """

    def __init__(
        self,
        file: File,
        *,
        name: str | None = None,
        bounds: SegmentBounds | None = None,
        limits: Limits | None = None,
        on_damage: OnDamage = "raise",
        end: int | None = None,
        may_end_open: Callable[[], bool] = lambda: True,
        report: Callable[[Damage], None] | None = None,
        ahead: int | None = None,
        buffer: Callable[[int], memoryview] = new_buffer,
        aside: Aside | None = None,
        checks_lengths: bool = False,
        is_growing: bool = False,
    ) -> None:
        if on_damage not in _CHOICES:
            raise ValueError(f"on_damage must be 'raise' or 'skip', not {on_damage!r}")
        self._file = file
        self._name = file.name if name is None else name
        self._bounds = bounds or SegmentBounds()
        self._limits = limits or _DEFAULT_LIMITS
        self._on_damage = on_damage
        self._end = file.size if end is None else min(end, file.size)
        self._may_end_open = may_end_open
        self._report = report or (lambda _: None)
        self._reads_all = ahead is not None
        self._window = FileWindow(file, self._end, ahead, buffer, aside)
        self._is_growing = is_growing
        self._lengths = _length_check(file, self._bounds.next_base_offset) if checks_lengths else None
        self._last: int | None = None
        self._last_offset: int | None = None
        self._unchecked: int | None = None  # position of the last entry, if its CRC was left unchecked
        self.damaged = DamagedSegment(file, self._bounds.next_base_offset, self._limits)
        self.position = 0

    def walk(self, visit: Callable[[Entry], T], begin: int = 0, end: int | None = None) -> Iterator[T]:
        """Yield the result of `visit` for each entry, in file order.

        A `DataError` raised by `visit` is damage of that entry: it is raised again, or skipped and reported. Bytes that
        `visit` does not access are not read, and damage in them goes unnoticed. But if the walk meets damage or an
        unclean end after an entry that `visit` marked as `crc_unchecked`, the CRC of that entry is checked, as a wrong
        size in it may have led there. An entry reads from the open file, so it can be used until that is closed.

        Args:
            visit: called with each entry.
            begin: position of the first entry, in bytes.
            end: position at or after which no entry is visited; None to walk to the end.

        Raises:
            CorruptError, UnsupportedError, LimitExceededError: at damage, with `on_damage="raise"`.
            SourceError: reading failed; never skipped.
        """
        return cast("Iterator[T]", self._walk(visit, begin, end, None))

    def bulk_walk(
        self, visit: Callable[[Entry], T], begin: int = 0, end: int | None = None, *, few: int = 0
    ) -> "Iterator[T | ReadWindow]":
        """Yield windows, from which entries can be taken in bulk, and the result of `visit` for each other entry.

        After entries have been taken from a window, the next one is visited, or begins the next window. Entries that
        are worth jumping over are visited, unless all bytes are read (`ahead`). An error raised while the walk waits at
        a window is not damage, so unusual entries should be left to `visit`.

        Args:
            visit: as for `walk`.
            begin: as for `walk`.
            end: as for `walk`; windows end there too.
            few: in windows of at most this many bytes each entry is visited, if that is quicker than calls of numpy.

        Raises:
            CorruptError, UnsupportedError, LimitExceededError, SourceError: as for `walk`.
        """
        is_little = self._end - begin <= few
        return self._walk(visit, begin, end, None if is_little else WindowSizes(self._file.size))

    def _walk(
        self, visit: Callable[[Entry], T], begin: int, end: int | None, sizes: WindowSizes | None
    ) -> "Iterator[T | ReadWindow]":
        self.position = begin
        self._last = None
        self._last_offset = None
        if begin == 0 and self._bounds.base_offset is not None:
            self._last_offset = self._bounds.base_offset - 1
        self._unchecked = None
        end = self._end if end is None else end
        while self.position < end:
            position = self.position
            window = None if sizes is None or sizes.visits() else self._window_at(position, end, sizes.offered)
            if window is not None and sizes is not None:
                yield window
                if window.taken:
                    self.position += window.taken
                    self._last, self._last_offset = window.last, None
                    self._unchecked = window.last if window.crc_unchecked else None
                if window.ends_walk:
                    return
                sizes.see(window)
                window.clear()
                if self.position > position:
                    continue
            try:
                entry = self._entry_at(position)
                if entry is None:
                    self.position = position if self._is_growing else self._file.size
                    return
                result = visit(entry)
                self._require_read(position, entry.frame.size_in_bytes)
                self.require_right_length(entry)
            except DataError as error:
                if not self._was_written(position):
                    self._skip(position, error)
                continue
            self.position += entry.frame.size_in_bytes
            self._last, self._last_offset = position, None
            self._unchecked = position if entry.crc_unchecked else None
            del entry  # it may refer to a window that is no longer needed
            yield result

    def _was_written(self, position: int) -> bool:
        """Whether the bytes of an unsound entry are newer in the file than in memory, and will be read again.

        A broker appends to a preallocated file where an earlier window has zeros or a part of a batch.
        """
        if not self._file.may_change:
            return False
        size = left = self._file.size - position
        if left >= HEADER_SIZE_UP_TO_MAGIC:
            size = read_frame(self._window.at(position, HEADER_SIZE_UP_TO_MAGIC)).size_in_bytes
        # Overlapping sizes are not compared completely, as that would not be linear.
        most = size if size <= left and self.damaged.read_in_vain <= self._file.size else _LARGE
        if not self._window.renew(position, min(left, max(most, RECORD_BATCH_OVERHEAD))):
            return False
        self.damaged.forget()
        return True

    def require_right_length(self, entry: Entry) -> None:
        """Check the length of an entry of this walk, with `checks_lengths`; walks do so after each visit.

        Raises:
            ChecksumError: the offsets after the entry, and its CRC, show that its length is wrong.
            SourceError: reading failed.
        """
        if self._lengths is not None:
            self._lengths.require_right(entry, self._read)

    def _entry_at(self, position: int) -> Entry | None:
        """Read the entry at `position`; None at a clean end."""
        left = self._file.size - position
        if left <= HEADER_SIZE_UP_TO_MAGIC:
            self._finish(position)
            return None
        frame = read_frame(self._window.at(position, HEADER_SIZE_UP_TO_MAGIC))
        size = frame.size_in_bytes
        if frame.size == 0 or size > left:
            self._finish(position)
            return None
        if frame.size < RECORD_OVERHEAD_V0:
            raise CorruptError(
                "the size of the entry is too small", expected=f"at least {RECORD_OVERHEAD_V0}", found=frame.size
            )
        if size > self._limits.max_batch_bytes:
            raise LimitExceededError(
                "the entry is larger than max_batch_bytes", expected=self._limits.max_batch_bytes, found=size
            )
        if position + size > self._end:
            self.damaged.require_valid(position, frame)
            raise _beyond_the_end(self._end - position, size)
        if self.damaged.read_in_vain > self._file.size and size > _LARGE:
            # Overlapping bad entries have been read as often as the file has bytes: from here on the CRC of a large
            # entry is checked, using cached sums, before it is read.
            self.damaged.require_valid(position, frame)
        return Entry(self._window.held(position, size), self._name, position, partial(self._window.at, position))

    def _window_at(self, position: int, end: int, most: int) -> ReadWindow | None:
        """The bytes from the entry at `position` on; None if the entry is not whole, or worth jumping over."""
        left = end - position
        if left <= HEADER_SIZE_UP_TO_MAGIC:
            return None
        size = LOG_OVERHEAD + read_size(self._window.at(position, HEADER_SIZE_UP_TO_MAGIC))
        largest = self._limits.max_batch_bytes
        if not self._reads_all:
            largest = min(largest, self._file.worth_skipping)
        if not LOG_OVERHEAD + RECORD_OVERHEAD_V0 <= size <= min(largest, left):
            return None
        if self.damaged.read_in_vain > self._file.size:
            return None
        self._window.at(position, size)
        if self._file.lost(position, self._window.end) is not None:
            return None
        data, padded = self._window.held_padded(position, min(left, max(size, most)))
        return ReadWindow(data, position, padded, self._limits, lengths=self._lengths)

    def _read(self, position: int, length: int) -> bytes | memoryview:
        """Bytes of the file, also after the end of this reader's part."""
        if position + length > self._end:
            return self._file.read_at(position, length)
        return self._window.at(position, length)

    def _error_of_unchecked(self) -> KafkafmtError | None:
        """The CRC error of the previous entry, if its CRC has not been checked yet."""
        position = self._unchecked
        if position is None:
            return None
        frame = read_frame(self._window.at(position, HEADER_SIZE_UP_TO_MAGIC))
        try:
            # Without reading the entry again: bad entries of a hundred megabytes each can overlap.
            self.damaged.require_valid(position, frame)
        except CorruptError as error:
            return error.at(self._name, position)
        return None

    def _finish(self, position: int) -> None:
        """Raise the error of the tail if it is damage, else report it."""
        if self._is_growing:
            return
        wrong = self._error_of_unchecked()
        if wrong is not None:
            raise wrong
        left = self._file.size - position
        self._window.at(position, min(left, HEADER_SIZE_UP_TO_MAGIC))
        self._require_read(position, min(left, HEADER_SIZE_UP_TO_MAGIC))
        head = bytes(self._window.at(position, min(left, RECORD_BATCH_OVERHEAD)))
        end = self.damaged.end_of_file(position, head)
        end.error.at(self._name, position)
        may_end_open = self._may_end_open()
        if not may_end_open and self._on_damage == "raise":
            raise end.error
        if position == 0:
            self._add_content(end.error)
        is_open_end = may_end_open and end.may_be_open
        self._tell(position, self._end, end.reason, end.error, is_open_end=is_open_end)

    def _require_read(self, position: int, size: int) -> None:
        """Raise the reason if a part of these bytes could not be decoded."""
        lost = self._file.lost(position, position + size)
        if lost is not None:
            raise lost

    def _lost_at(self, position: int) -> DataError | None:
        """Why bytes of the entry at `position` could not be decoded; None if they could."""
        if self._file.lost(position, self._file.size) is None:
            return None
        size = min(self._file.size - position, HEADER_SIZE_UP_TO_MAGIC)
        if size == HEADER_SIZE_UP_TO_MAGIC:
            size = max(size, read_frame(self._window.at(position, size)).size_in_bytes)
        return self._file.lost(position, position + size)

    def _add_content(self, error: KafkafmtError) -> None:
        """Add the file's apparent type to an error about the first entry, if the file is not a log."""
        content = content_of(self._file)
        if content is not None:
            error.message = f"{error.message}; the file begins like {content}"

    def _skip(self, position: int, error: DataError) -> None:
        """Raise an error of the entry at `position`, or report it and continue at the next sound entry."""
        error.at(self._name, position)
        error = self._lost_at(position) or error
        if position == 0:
            self._add_content(error)
        wrong = self._error_of_unchecked()
        if wrong is not None:
            position = self._unchecked or 0
            self._last = self._last_offset = None
        if self._on_damage == "raise":
            if wrong is not None:
                raise wrong from error
            raise error
        cause = wrong or error
        end = self.damaged.after(position, self._offset_before())
        if end > self._end:
            if self.damaged.is_valid(position):
                raise _beyond_the_end(self._end - position, end - position).at(self._name, position)
            end = self._end
        is_garbage = position > 0 and end == self._file.size and self.damaged.is_no_entry(position)
        reason = GARBAGE_TAIL if is_garbage else reason_of(cause)
        self._tell(position, end, reason, cause)
        self.position = end

    def _offset_before(self) -> int | None:
        """Last offset before the position of the walk, or None if unknown."""
        return self._last_offset if self._last is None else last_offset_at(self._file, self._last)

    def _tell(self, begin: int, end: int, reason: str, error: KafkafmtError, *, is_open_end: bool = False) -> None:
        """Report damage and its cost; its last offset bounds later ones."""
        before = self._offset_before()
        is_refuted = isinstance(error, CorruptError) and not isinstance(error, ChecksumError)
        loss = self.damaged.loss(begin, end, before, reason, is_refuted=is_refuted)
        where = (self._name, begin, end - begin, reason, without_traceback(error))
        self._report(Damage(*where, is_open_end, self._bounds.topic, self._bounds.partition, *loss))
        self._last = self._unchecked = None
        self._last_offset = before if loss.records == 0 else loss.last_offset

    def has_right_length(self, entry: Entry) -> bool:
        """Whether the log continues at the stated end of a visited entry whose CRC is wrong.

        Raises:
            SourceError: reading failed.
        """
        return self.damaged.has_right_length(entry.position, entry.frame, self._offset_before())

    def end(self) -> None:
        """Stop reading ahead, as the file will be closed."""
        self._window.drop()


def _length_check(file: File, next_base_offset: int | None) -> "LengthCheck":
    from kafkafmt.files.length_check import LengthCheck  # noqa: PLC0415 (numpy)

    return LengthCheck(file, next_base_offset)


def _beyond_the_end(left: int, size: int) -> CorruptError:
    return CorruptError(
        "an entry continues past the position at which another one was found when this was planned: the file changed"
        " since, or its offset index points into the entry. Plan again, and if that does not help, move the .index"
        " file away first",
        expected=f"at most {left} bytes",
        found=sized(size),
    )
