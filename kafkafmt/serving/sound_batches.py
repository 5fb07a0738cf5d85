"""SoundBatches: batches of one segment that were read ahead, from which answers to Fetch are cut.

Whole batches whose CRC is right, and whose offsets the batches around them do not refute: a CRC does not cover the base
offset, and after a wrong one a consumer would go on at a wrong offset. Consumers ask for the next batches in their next
Fetch, so these are read and judged together. Their bytes are kept, or their places in a file to be sent from.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kafkafmt.columnar import header_walk  # noqa: F401 (from now on `read_batches` takes it)
from kafkafmt.columnar.headers import Batches, Positions, descriptions, first_wrong
from kafkafmt.columnar.kernels import first_wrong_crc
from kafkafmt.errors import DataError
from kafkafmt.files.read_window import ReadWindow
from kafkafmt.limits import Limits
from kafkafmt.logdir.batch_order import refuted

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry
    from kafkafmt.reference.header import BatchHeader

_LIMITS = Limits()
_LEAST_AHEAD = 4096
_PIECE_BYTES = 1024
"""Estimate of what the objects of a piece take in memory."""
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


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """Bytes of a file.

    Attributes:
        position: where they begin, in bytes.
        size: how many.
    """

    position: int
    size: int

    def __len__(self) -> int:
        return self.size


@dataclass(frozen=True, slots=True)
class Piece:
    """Adjacent batches.

    Attributes:
        data: their bytes; None if they are to be sent from the file.
        position: where in the file they begin, in bytes.
        bases: base offset of each.
        lasts: last offset of each.
        ends: where each ends, in bytes after the position.
    """

    data: memoryview | None
    position: int
    bases: Positions
    lasts: Positions
    ends: Positions

    @property
    def size(self) -> int:
        """Bytes of all batches."""
        return int(self.ends[-1])

    def part(self, begin: int, end: int) -> memoryview | StoredBytes:
        """The bytes from one position to another, counted from the first batch."""
        return StoredBytes(self.position + begin, end - begin) if self.data is None else self.data[begin:end]


@dataclass(frozen=True, slots=True)
class Cut:
    """What an answer takes of the batches that were read ahead.

    Attributes:
        parts: bytes of the batches.
        begin: where in the file the first one begins; where the walk began if there is none.
        next_offset: offset after them.
        position: where in the file the last one ends.
        is_full: whether a batch was left because of its offset or size.
        is_cut: whether it was left because of its size: a broker sends a part of it.
        piece: number of the piece with which the next Fetch begins.
    """

    parts: list[memoryview | StoredBytes]
    begin: int
    next_offset: int
    position: int
    is_full: bool
    is_cut: bool
    piece: int


class SoundBatches:
    """The sound batches of a segment between two positions.

    Args:
        pieces: the batches.
        position: where in the file reading has ended, in bytes.
        offset: that led to the first one.
        is_last: whether no batch of the segment follows.
        is_whole: whether nothing between the positions was left out.

    Attributes:
        position: as above.
        is_last: as above.
        is_whole: as above.
        begin: where in the file the first one begins, in bytes.
        offset: the first offset that leads to them.
        next_offset: the offset after them.
        version: of the file that is to be sent from, as `File.version`; None if they hold their bytes.
    """

    def __init__(
        self, pieces: Sequence[Piece], position: int, offset: int, *, is_last: bool, is_whole: bool = True
    ) -> None:
        self._pieces: Sequence[Piece] | None = pieces
        self.position = position
        self.is_last = is_last
        self.is_whole = is_whole
        self.begin = pieces[0].position if pieces else position
        self.offset = min(offset, int(pieces[0].bases[0])) if pieces else offset
        self.next_offset = int(pieces[-1].lasts[-1]) + 1 if pieces else offset
        self.version: Hashable | None = None

    @property
    def held(self) -> int:
        """Bytes of memory that they hold: a small piece of a block holds all of it."""
        pieces = self._pieces or ()
        blocks = {id(each.data.obj): memoryview(each.data.obj).nbytes for each in pieces if each.data is not None}
        return sum(blocks.values()) + sum(_PIECE_BYTES + 3 * each.ends.nbytes for each in pieces)

    @property
    def is_shared(self) -> bool:
        """Whether any reader may have them: they are sent from the file, and every reader would judge them so."""
        return self.version is not None and self.is_whole

    def stored(self, version: "Hashable") -> "SoundBatches":
        """The same without their bytes.

        Args:
            version: of the file.
        """
        found = SoundBatches(
            _joined(self._pieces or ()), self.position, self.offset, is_last=self.is_last, is_whole=self.is_whole
        )
        found.version = version
        return found

    def forget(self) -> None:
        """Let go of the memory; another thread may be taking some of them."""
        self._pieces = None

    @property
    def is_forgotten(self) -> bool:
        """Whether the memory is gone."""
        return self._pieces is None

    def cut(self, wanted: Wanted, piece: int = 0) -> Cut | None:
        """Take the wanted batches; None if they are forgotten.

        Args:
            wanted: which.
            piece: number of the first piece that may have some.
        """
        pieces = self._pieces
        return None if pieces is None else _cut(pieces, self.position, wanted, piece)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces without their bytes; those that follow each other in the file are one."""
    runs: list[list[Piece]] = []
    for each in pieces:
        if runs and runs[-1][-1].position + runs[-1][-1].size == each.position:
            runs[-1].append(each)
        else:
            runs.append([each])
    found = []
    for run in runs:
        begin = run[0].position
        bases, lasts = (np.concatenate(each) for each in zip(*((one.bases, one.lasts) for one in run), strict=True))
        ends = np.concatenate([one.ends + (one.position - begin) for one in run])
        found.append(Piece(None, begin, bases, lasts, ends))
    return found


def _cut(pieces: Sequence[Piece], position: int, wanted: Wanted, number: int) -> Cut:
    """Take the wanted batches from a piece on; `position` is where all of them end."""
    parts: list[memoryview | StoredBytes] = []
    left, begin, next_offset = wanted.most, None, wanted.offset
    is_full = is_cut = False
    while number < len(pieces) and not is_full:
        piece = pieces[number]
        first = int(piece.lasts.searchsorted(wanted.offset))
        start = _end(piece, first)
        until = max(first, int(piece.bases.searchsorted(wanted.end)))
        fits = min(until, int(piece.ends.searchsorted(start + left, side="right")))
        is_cut = fits < until
        if fits == first < until and wanted.is_first and not parts:
            fits += 1
        end = _end(piece, fits)
        position = piece.position + end
        if fits > first:
            parts.append(piece.part(start, end))
            left -= len(parts[-1])
            begin = piece.position + start if begin is None else begin
            next_offset = int(piece.lasts[fits - 1]) + 1
        is_full = fits < len(piece.lasts)
        number += not is_full
    return Cut(parts, position if begin is None else begin, next_offset, position, is_full, is_cut, number)


def _end(piece: Piece, count: int) -> int:
    """Where in a piece so many batches end."""
    return int(piece.ends[count - 1]) if count else 0


class SegmentJudge:
    """Reads and judges batches of a segment.

    Args:
        segment: the segment.
        file: it, opened.
        following: the segment after it; None for the last.
        log_end: offset at which the log ends.
        offset: that led to the position of the first one.
        report: called with damage, which is skipped; None to raise it.
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
            ahead: about how many bytes, one batch at least.
            buffer: makes memory, which is given away with the batches.

        Raises:
            DataError: damage before the first batch, without `report`. Later damage ends the batches.
            SourceError: reading failed.
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
        """Add batches whose offsets rise; where they do not, those that the others do not refute."""
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
            return False  # the look-up that led here has judged it
        damage = refuted(self._segment, self._file, self._following, tuple(self._before), header)
        if damage is None:
            return False
        self._tell(damage)
        return True

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
        first = last if header.base_offset is None else header.base_offset
        data = memoryview(bytes(entry.data))
        offsets = (np.array([each], np.int64) for each in (first, last, len(data)))
        self._pieces.append(Piece(data, entry.position, *offsets))

    def _add(self, batches: Batches) -> None:
        if len(batches):
            start, end = int(batches.starts[0]), int(batches.ends[-1])
            bases = batches.headers["base_offset"].astype(np.int64)
            piece = batches.data[start:end], batches.position + start, bases, batches.last_offsets, batches.ends - start
            self._pieces.append(Piece(*piece))


def _first_wrong(batches: Batches) -> int:
    """Number of batches before the first with a wrong CRC."""
    if len(batches) < _WORTH_A_KERNEL:
        return first_wrong(batches)
    source = np.frombuffer(batches.data.toreadonly(), np.uint8)
    return first_wrong_crc(source, batches.starts, batches.ends, batches.headers, np.ones(len(batches), np.bool_))
