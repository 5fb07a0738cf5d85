"""SoundBatches: the bytes of one segment that an answer to Fetch takes.

Whole batches whose CRC is right, and whose offsets the batches around them do not refute: a CRC does not cover the base
offset, and after a wrong one a consumer would go on at a wrong offset.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar import header_walk  # noqa: F401 (from now on `read_batches` takes it)
from kafkafmt.columnar.headers import Batches, descriptions, first_wrong
from kafkafmt.columnar.kernels import first_wrong_crc
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import refuted
from kafkafmt.reference.layout import HEADER_SIZE_UP_TO_MAGIC, LOG_OVERHEAD, read_frame, read_size

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

_LIMITS = Limits()
_LEAST_AHEAD = 4096
# For so many batches one call of a kernel is faster than one call for each.
_WORTH_A_KERNEL = 64


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a Fetch asks for.

    Attributes:
        offset: that the first batch reaches.
        end: offset below which batches begin.
        most: bytes.
        is_first: whether the first batch is taken though it is larger.
    """

    offset: int
    end: int
    most: int
    is_first: bool


class SoundBatches:
    """Reads a segment from a position on.

    Args:
        segment: the segment.
        file: it, opened.
        following: the segment after it; None for the last.
        log_end: offset at which the log ends.
        wanted: the batches that are taken.
        report: called with damage, which is skipped; None to raise it.

    Attributes:
        parts: bytes of the batches.
        next_offset: offset after them.
        position: where in the file the last one ends.
        is_full: whether a batch was left because of its offset or size.
    """

    def __init__(
        self,
        segment: "Segment",
        file: "File",
        following: "Segment | None",
        log_end: int,
        wanted: Wanted,
        report: "Callable[[Damage], None] | None",
    ) -> None:
        self.parts: list[memoryview] = []
        self.next_offset = wanted.offset
        self.position = 0
        self.is_full = False
        self._is_cut = False
        self._segment, self._file, self._following, self._report = segment, file, following, report
        self._limit = log_end if following is None or following.base_offset is None else following.base_offset
        self._wanted = wanted
        self._left = wanted.most
        self._before: deque[BatchHeader] = deque(maxlen=2)

    @property
    def taken(self) -> int:
        """Bytes that a broker sends: where a limit cuts a batch, the part of it too."""
        size = self._wanted.most - self._left
        return max(size, self._wanted.most) if self._is_cut else size

    def read(self, position: int, buffer: Callable[[int], memoryview]) -> None:
        """Take the wanted batches from a position on.

        Args:
            position: where an entry begins, in bytes.
            buffer: makes memory, which is given away with `parts`.

        Raises:
            DataError: damage, without `report`.
            SourceError: reading failed.
        """
        reader = self._segment.reader(
            self._file,
            self._following,
            limits=_LIMITS,
            on_damage="raise" if self._report is None else "skip",
            report=self._report or (lambda _: None),
            ahead=max(self._wanted.most, _LEAST_AHEAD),
            buffer=buffer,
            checks_lengths=True,
        )
        for item in reader.bulk_walk(self._visit, position):
            if isinstance(item, ReadWindow):
                self._take(item)
            if self.is_full:
                return

    def _take(self, window: ReadWindow) -> None:
        batches = window.batches()
        sound = batches[: _first_wrong(batches)]
        if len(sound):
            self._check(sound)
            window.take(sound)
        left = window.data[window.taken :]
        if self.parts and len(left) >= HEADER_SIZE_UP_TO_MAGIC and LOG_OVERHEAD + read_size(left, 0) > self._left:
            self.is_full = True  # no window is read for a batch that does not fit
            self._is_cut = read_frame(left).offset < self._wanted.end

    def _check(self, batches: Batches) -> None:
        """Add batches whose offsets rise; where they do not, those that the others do not refute."""
        bases, lasts = batches.headers["base_offset"], batches.last_offsets
        before = self._last_offset()
        rise = bool((bases[1:] > lasts[:-1]).all()) and int(lasts[-1]) < self._limit
        if rise and (before is None or int(bases[0]) > before):
            previous = int(lasts[-2]) if len(batches) > 1 else before
            self._before.extend(descriptions(batches[-3:-1], self._segment.file, is_valid=True))
            (last,) = descriptions(batches[-1:], self._segment.file, is_valid=True)
            is_known = previous is not None and int(bases[-1]) == previous + 1
            is_right = is_known or not self._is_refuted(last)
            if is_right:
                self._before.append(last)
            self._add_some(batches if is_right else batches[:-1])
            return
        for number, header in enumerate(descriptions(batches, self._segment.file, is_valid=True)):
            if not self._is_refuted(header):
                self._before.append(header)
                self._add_some(batches[number : number + 1])

    def _last_offset(self) -> int | None:
        return self._before[-1].last_offset if self._before else None

    def _is_refuted(self, header: "BatchHeader") -> bool:
        first = header.base_offset if header.base_offset is not None else header.last_offset
        last = header.last_offset
        is_known = first is not None and last is not None and first <= self._wanted.offset <= last < self._limit
        if is_known and not self._before:
            return False  # the look-up that led here has judged it
        damage = refuted(self._segment, self._file, self._following, tuple(self._before), header)
        if damage is None:
            return False
        if self._report is None:
            raise damage.error
        self._report(damage)
        return True

    def _add_some(self, batches: Batches) -> None:
        """Add those that are wanted."""
        if not len(batches) or self.is_full:
            return
        lasts, starts, ends = batches.last_offsets, batches.starts, batches.ends
        if int(lasts[-1]) < self._wanted.offset:
            return
        first = int(np.argmax(lasts >= self._wanted.offset))
        below = int(np.argmax(batches.headers["base_offset"][first:] >= self._wanted.end))
        is_below = bool(batches.headers["base_offset"][-1] < self._wanted.end)
        until = len(batches) if is_below else first + below
        fits = first + int(np.count_nonzero(ends[first:until] - starts[first] <= self._left))
        self._is_cut = fits < until
        if fits == first < until and self._takes_any:
            fits += 1
        self.is_full = fits < len(batches)
        if fits > first:
            end = int(ends[fits - 1])
            self._add(batches.data[int(starts[first]) : end], int(lasts[fits - 1]) + 1, batches.position + end)

    @property
    def _takes_any(self) -> bool:
        return self._wanted.is_first and not self.parts

    def _visit(self, entry: "Entry") -> None:
        """Take an entry that windows do not take: of format v0 or v1, or an unusual one.

        Raises:
            DataError: it is damaged.
        """
        entry.verify_checksum()
        header = entry.describe()
        if header.error is not None:
            raise header.error
        last = entry.frame.offset if header.last_offset is None else header.last_offset
        before = self._last_offset()
        if (before is None or last != before + 1) and self._is_refuted(header):
            return
        self._before.append(header)
        if last < self._wanted.offset or self.is_full:
            return
        first = last if header.base_offset is None else header.base_offset
        size = entry.frame.size_in_bytes
        if first >= self._wanted.end or (size > self._left and not self._takes_any):
            self.is_full = True
            self._is_cut = first < self._wanted.end
            return
        self._add(memoryview(bytes(entry.data)), last + 1, entry.position + size)

    def _add(self, part: memoryview, next_offset: int, position: int) -> None:
        self.parts.append(part)
        self.next_offset, self.position = next_offset, position
        self._left -= len(part)


def _first_wrong(batches: Batches) -> int:
    """Number of batches before the first with a wrong CRC."""
    if len(batches) < _WORTH_A_KERNEL:
        return first_wrong(batches)
    source = np.frombuffer(batches.data.toreadonly(), np.uint8)
    return first_wrong_crc(source, batches.starts, batches.ends, batches.headers, np.ones(len(batches), np.bool_))
