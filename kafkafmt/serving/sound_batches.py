"""SoundBatches: batches of one segment that were read ahead, from which answers to Fetch are cut.

Consumers ask for the next batches in their next Fetch, so these are read and judged together (`segment_judge`). Either
their bytes are kept, or their places in a file from which they are sent.
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
"""Estimated memory of a piece's objects in bytes."""


class Wanted(NamedTuple):
    """The range that a Fetch asks for.

    Attributes:
        offset: offset that the first batch must reach.
        end: offset before which batches must begin.
        most: upper bound in bytes.
        is_first: whether the first batch is taken even if it is larger than `most`.
    """

    offset: int
    end: int
    most: int
    is_first: bool


class StoredBytes(NamedTuple):
    """Bytes of a file.

    Attributes:
        position: position of the first byte.
        size: number of bytes.
    """

    position: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Adjacent batches.

    Attributes:
        data: the batches' bytes; None if they are to be sent from the file.
        position: position of the first batch in the file, in bytes.
        bases: base offset of each batch; a view of int64 like the next two, as Python searches views faster than numpy.
        lasts: last offset of each batch.
        ends: end of each batch, in bytes after the position.
    """

    data: memoryview | None
    position: int
    bases: memoryview
    lasts: memoryview
    ends: memoryview

    @classmethod
    def of(cls, data: memoryview | None, position: int, bases: Positions, lasts: Positions, ends: Positions) -> "Piece":
        """Make a piece of int64 arrays."""
        return cls(data, position, bases.data, lasts.data, ends.data)

    @property
    def size(self) -> int:
        """Size of all batches in bytes."""
        return int(self.ends[-1])

    def part(self, begin: int, end: int) -> memoryview | StoredBytes:
        """The bytes between two positions, counted from the first batch."""
        return StoredBytes(self.position + begin, end - begin) if self.data is None else self.data[begin:end]


class Cut(NamedTuple):
    """The part of the batches read ahead that an answer takes.

    Attributes:
        parts: bytes of the batches.
        begin: position of the first batch in the file; where the walk began if there is none.
        next_offset: offset after the batches.
        size: size of the batches in bytes.
        position: end of the last batch in the file.
        is_full: whether a batch was left out because of its offset or size.
        is_cut: whether a batch was left out because of its size: a broker sends a part of it.
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
        position: position in the file where reading ended, in bytes.
        offset: the offset whose look-up led to the first batch.
        is_last: whether no batch of the segment follows.
        is_whole: whether nothing between the positions was left out.

    Attributes:
        position: position in the file where reading ended, in bytes.
        is_last: whether no batch of the segment follows.
        is_whole: whether nothing between the positions was left out.
        begin: position of the first batch in the file, in bytes.
        offset: the first offset that leads to these batches.
        next_offset: the offset after the batches.
        version: version of the file to send from, as `File.version`; None if the bytes are kept.
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
        """Bytes of memory that the batches keep alive: a small piece of a block keeps all of the block."""
        pieces = self._pieces or ()
        blocks = {id(each.data.obj): memoryview(each.data.obj).nbytes for each in pieces if each.data is not None}
        return sum(blocks.values()) + sum(_PIECE_BYTES + 3 * each.ends.nbytes for each in pieces)

    @property
    def is_shared(self) -> bool:
        """Whether all readers may use the batches: they are sent from the file, and are the same for every reader."""
        return self.version is not None and self.is_whole

    def stored(self, version: "Hashable") -> "SoundBatches":
        """The same batches without their bytes.

        Args:
            version: version of the file.
        """
        found = SoundBatches(
            _joined(self._pieces or ()), self.position, self.offset, is_last=self.is_last, is_whole=self.is_whole
        )
        found.version = version
        return found

    def forget(self) -> None:
        """Release the memory; another thread may still be using some of it."""
        self._pieces = None

    @property
    def is_forgotten(self) -> bool:
        """Whether the memory has been released."""
        return self._pieces is None

    def cut(self, wanted: Wanted, piece: int = 0) -> Cut | None:
        """Take the wanted batches; None if the batches are forgotten.

        Args:
            wanted: the wanted range.
            piece: number of the first piece that may have wanted batches.
        """
        pieces = self._pieces
        return None if pieces is None else _cut(pieces, self.position, wanted, piece)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces without their bytes, with those that are adjacent in the file joined."""
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
    """Take the wanted batches, starting at a piece; `position` is the end of all batches."""
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
    """The end of the first `count` batches of a piece, in bytes after its position."""
    return piece.ends[count - 1] if count else 0
