"""SegmentJudge: finds the batches of a segment that may be served.

These are whole batches with a correct CRC whose offsets are consistent with the batches around them: the CRC does not
cover the base offset, and after a wrong one a consumer would continue at a wrong offset.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar import header_walk  # noqa: F401 (from now on `read_batches` takes it)
from kafkafmt.columnar.headers import Batches, descriptions, first_wrong
from kafkafmt.columnar.kernels import first_wrong_crc
from kafkafmt.errors import DataError
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import refuted
from kafkafmt.serving.sound_batches import Piece, SoundBatches

if TYPE_CHECKING:
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

_LIMITS = Limits()
_LEAST_AHEAD = 4096
# From this many batches on, one call of a kernel is faster than one call for each.
_WORTH_A_KERNEL = 64


class SegmentJudge:
    """Reads and judges batches of a segment.

    Args:
        segment: the segment.
        file: the segment's open file.
        following: the next segment; None for the last one.
        log_end: offset at which the log ends.
        offset: the offset whose look-up gave the position of the first batch.
        report: called with skipped damage; None to raise damage.
    """

    def __init__(
        self,
        segment: "Segment",
        file: "File",
        following: "Segment | None",
        log_end: int,
        offset: int,
        report: "Callable[[Damage], None] | None",
    ) -> None:
        self._segment, self._file, self._following = segment, file, following
        self._report = report
        self._limit = log_end if following is None or following.base_offset is None else following.base_offset
        self._offset = offset
        self._pieces: list[Piece] = []
        self._before: deque[BatchHeader] = deque(maxlen=2)
        self._is_whole = True

    def _tell(self, damage: "Damage") -> None:
        if self._report is None:
            raise damage.error
        self._is_whole &= damage.is_open_end
        self._report(damage)

    def read(self, position: int, ahead: int, buffer: Callable[[int], memoryview]) -> SoundBatches:
        """Read batches from a position on.

        Args:
            position: where an entry begins, in bytes.
            ahead: approximate number of bytes to read; at least one batch is read.
            buffer: makes memory, which belongs to the batches afterwards.

        Raises:
            DataError: damage before the first batch, without `report`. Later damage ends the batches.
            SourceError: the file cannot be read.
        """
        reader = self._segment.reader(
            self._file,
            self._following,
            limits=_LIMITS,
            on_damage="raise" if self._report is None else "skip",
            report=(lambda _: None) if self._report is None else self._tell,
            ahead=max(ahead, _LEAST_AHEAD),
            buffer=buffer,
            checks_lengths=True,
        )
        is_last = True
        try:
            for item in reader.bulk_walk(self._visit, position):
                if isinstance(item, ReadWindow):
                    self._take(item)
                if self._pieces and sum(each.size for each in self._pieces) >= ahead // 2:
                    is_last = False
                    break
        except DataError:
            if not self._pieces:
                raise
            is_last = False
        last = self._pieces[-1] if self._pieces else None
        end = position if last is None else last.position + last.size
        return SoundBatches(self._pieces, end, self._offset, is_last=is_last, is_whole=self._is_whole)

    def _take(self, window: ReadWindow) -> None:
        batches = window.batches()
        sound = batches[: _first_wrong(batches)]
        if len(sound):
            self._check(sound)
            window.take(sound)

    def _check(self, batches: Batches) -> None:
        """Add batches with rising offsets; where offsets do not rise, those that their neighbours do not refute."""
        bases, lasts = batches.headers["base_offset"], batches.last_offsets
        before = self._last_offset()
        rise = bool((bases[1:] > lasts[:-1]).all()) and int(lasts[-1]) < self._limit
        if rise and (before is None or int(bases[0]) > before):
            previous = int(lasts[-2]) if len(batches) > 1 else before
            self._before.extend(descriptions(batches[-3:-1], self._segment.file, is_valid=True))
            (last,) = descriptions(batches[-1:], self._segment.file, is_valid=True)
            is_known = previous is not None and int(bases[-1]) == previous + 1
            try:
                is_right = is_known or not self._is_refuted(last)
            except DataError:
                self._add(batches[:-1])
                raise
            if is_right:
                self._before.append(last)
            self._add(batches if is_right else batches[:-1])
            return
        for number, header in enumerate(descriptions(batches, self._segment.file, is_valid=True)):
            if not self._is_refuted(header):
                self._before.append(header)
                self._add(batches[number : number + 1])

    def _last_offset(self) -> int | None:
        return self._before[-1].last_offset if self._before else None

    def _is_refuted(self, header: "BatchHeader") -> bool:
        first = header.base_offset if header.base_offset is not None else header.last_offset
        last = header.last_offset
        is_known = first is not None and last is not None and first <= self._offset <= last < self._limit
        if is_known and not self._before:
            return False  # already judged by the look-up that gave the position
        damage = refuted(self._segment, self._file, self._following, tuple(self._before), header)
        if damage is None:
            return False
        self._tell(damage)
        return True

    def _visit(self, entry: "Entry") -> None:
        """Take an entry that is not in a window: one of format v0 or v1, or an unusual one.

        Raises:
            DataError: the entry is damaged.
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
        first = last if header.base_offset is None else header.base_offset
        data = memoryview(bytes(entry.data))
        offsets = (np.array([each], np.int64) for each in (first, last, len(data)))
        self._pieces.append(Piece.of(data, entry.position, *offsets))

    def _add(self, batches: Batches) -> None:
        if len(batches):
            start, end = int(batches.starts[0]), int(batches.ends[-1])
            bases = batches.headers["base_offset"].astype(np.int64)
            piece = batches.data[start:end], batches.position + start, bases, batches.last_offsets, batches.ends - start
            self._pieces.append(Piece.of(*piece))


def _first_wrong(batches: Batches) -> int:
    """The number of batches before the first one with a wrong CRC."""
    if len(batches) < _WORTH_A_KERNEL:
        return first_wrong(batches)
    source = np.frombuffer(batches.data.toreadonly(), np.uint8)
    return first_wrong_crc(source, batches.starts, batches.ends, batches.headers, np.ones(len(batches), np.bool_))
