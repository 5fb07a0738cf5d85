"""SoundBatches: batches of one segment that were read ahead, from which answers to Fetch are cut.

Consumers ask for the next batches in their next Fetch, so these are read and judged together (`segment_judge`). Their
bytes are kept, or their places in a file to be sent from.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kafkafmt.columnar.headers import Positions

if TYPE_CHECKING:
    from collections.abc import Hashable

_PIECE_BYTES = 1024
"""Estimate of what the objects of a piece take in memory."""


class Wanted(NamedTuple):
    """The range that a Fetch asks for.

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


class StoredBytes(NamedTuple):
    """Bytes of a file.

    Attributes:
        position: where they begin, in bytes.
        size: how many.
    """

    position: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Adjacent batches.

    Attributes:
        data: their bytes; None if they are to be sent from the file.
        position: where in the file they begin, in bytes.
        bases: base offset of each; as the next two a view of int64, in which Python finds numbers faster than numpy.
        lasts: last offset of each.
        ends: where each ends, in bytes after the position.
    """

    data: memoryview | None
    position: int
    bases: memoryview
    lasts: memoryview
    ends: memoryview

    @classmethod
    def of(cls, data: memoryview | None, position: int, bases: Positions, lasts: Positions, ends: Positions) -> "Piece":
        """Make one of arrays of int64."""
        return cls(data, position, bases.data, lasts.data, ends.data)

    @property
    def size(self) -> int:
        """Bytes of all batches."""
        return int(self.ends[-1])

    def part(self, begin: int, end: int) -> memoryview | StoredBytes:
        """The bytes from one position to another, counted from the first batch."""
        return StoredBytes(self.position + begin, end - begin) if self.data is None else self.data[begin:end]


class Cut(NamedTuple):
    """The part of the batches read ahead that an answer takes.

    Attributes:
        parts: bytes of the batches.
        begin: where in the file the first one begins; where the walk began if there is none.
        next_offset: offset after them.
        size: how many bytes they have.
        position: where in the file the last one ends.
        is_full: whether a batch was left because of its offset or size.
        is_cut: whether it was left because of its size: a broker sends a part of it.
        piece: number of the piece with which the next Fetch begins.
    """

    parts: list[memoryview | StoredBytes]
    begin: int
    next_offset: int
    size: int
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
        """Whether any reader may use them: they are sent from the file, and are the same for every reader."""
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
        """Release the memory; another thread may be using some of them at this moment."""
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
        ends = np.concatenate([np.asarray(one.ends) + (one.position - begin) for one in run])
        found.append(Piece.of(None, begin, bases, lasts, ends))
    return found


def _cut(pieces: Sequence[Piece], position: int, wanted: Wanted, number: int) -> Cut:
    """Take the wanted batches from a piece on; `position` is where all of them end."""
    parts: list[memoryview | StoredBytes] = []
    left, begin, next_offset = wanted.most, None, wanted.offset
    is_full = is_cut = False
    while number < len(pieces) and not is_full:
        piece = pieces[number]
        first = bisect_left(piece.lasts, wanted.offset)
        start = _end(piece, first)
        until = bisect_left(piece.bases, wanted.end, first)
        fits = bisect_right(piece.ends, start + left, first, until)
        is_cut = fits < until
        if fits == first < until and wanted.is_first and not parts:
            fits += 1
        end = _end(piece, fits)
        position = piece.position + end
        if fits > first:
            parts.append(piece.part(start, end))
            left -= end - start
            begin = piece.position + start if begin is None else begin
            next_offset = int(piece.lasts[fits - 1]) + 1
        is_full = fits < len(piece.lasts)
        number += not is_full
    size = wanted.most - left
    return Cut(parts, position if begin is None else begin, next_offset, size, position, is_full, is_cut, number)


def _end(piece: Piece, count: int) -> int:
    """Where in a piece the first `count` batches end."""
    return piece.ends[count - 1] if count else 0
