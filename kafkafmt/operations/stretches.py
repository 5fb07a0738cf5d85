"""Finds where two copies of a log have the same batches, by headers and CRCs, so that only the rest must be decoded.

Two batches with the same offsets, size, format and CRC have the same records: the CRC, which is checked, covers all but
the base offset and the leader epoch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np

from kafkafmt.operations.batch_stream import BATCH, OLD, SAME, BatchRows, BatchStream
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC

_STRETCH_BYTES: Final = 64 * 1024 * 1024
"""Stored bytes of both copies after which a stretch ends: decoded soon, they are still in the page cache."""


@dataclass(frozen=True, slots=True)
class BatchStretch:
    """A range of offsets of two copies, without a gap to the next.

    Attributes:
        start: the first offset.
        end: the offset after the last.
        is_same: whether both copies have the same batches there.
    """

    start: int
    end: int
    is_same: bool


@dataclass(slots=True)
class StretchFinder:
    """Divides the common part of two copies into stretches with the same batches, and stretches with different ones.

    Attributes:
        first: batches of the first copy.
        second: batches of the second copy, between the same offsets.
        other_batches: whether the copies have different batches at the same offsets.
        other_compression: whether batches that differ have different codecs.
        other_formats: whether batches that differ have different message formats.
        other_epochs: whether equal batches have different leader epochs.
        without_epoch: for each copy, the offset of its first batch without leader epoch (-1) where the other has one.
    """

    first: BatchStream
    second: BatchStream
    other_batches: bool = False
    other_compression: bool = False
    other_formats: bool = False
    other_epochs: bool = False
    without_epoch: list[int | None] = field(default_factory=lambda: [None, None])
    _bytes: int = 0

    def stretches(self) -> Iterator[BatchStretch]:
        """The stretches, in order, from the start to the end.

        Raises:
            KafkafmtError: one of the streams raises it.
        """
        start, end = self.first.start, self.first.end
        pending: BatchStretch | None = None
        self._bytes = 0
        for stretch in chain(self._parts(start, end), [BatchStretch(end, end, is_same=True)]):
            if pending is not None and pending.is_same == stretch.is_same and self._bytes < _STRETCH_BYTES:
                pending = BatchStretch(pending.start, stretch.end, pending.is_same)
                continue
            if pending is not None and pending.start < pending.end:
                yield pending
            pending, self._bytes = stretch, 0
        if pending is not None and pending.start < pending.end:
            yield pending

    def _parts(self, start: int, end: int) -> Iterator[BatchStretch]:
        """The stretches as they are found, not yet joined."""
        reached = start
        for first, second, known_to in _in_step(self.first, self.second):
            self._bytes += int(first["size"].sum(dtype=np.int64)) + int(second["size"].sum(dtype=np.int64))
            others = self._others(first, second)
            if others is not None:
                # A batch of one copy that extends past the end of the stretch belongs to it, too.
                begin, stop = (min(max(offset, reached), end) for offset in (min(others[0], known_to), others[1]))
                yield from _unless_empty(reached, begin, is_same=True)
                yield from _unless_empty(begin, stop, is_same=False)
                reached = max(reached, stop)
            yield from _unless_empty(reached, min(known_to, end), is_same=True)
            reached = max(reached, min(known_to, end))
        yield from _unless_empty(reached, end, is_same=True)

    def _others(self, first: BatchRows, second: BatchRows) -> tuple[int, int] | None:
        """First and last offset (exclusive) of the batches that only one of the copies has; None if there are none."""
        places = np.searchsorted(second["base"], first["base"])
        inside = np.flatnonzero(places < len(second))
        ours, theirs = first[inside], second[places[inside]]
        same = theirs["magic"] >= CURRENT_MAGIC
        for name in SAME:
            same &= ours[name] == theirs[name]
        self._compare_epochs(ours[same], theirs[same])
        left = [np.ones(len(each), np.bool_) for each in (first, second)]
        left[0][inside[same]] = False
        left[1][places[inside[same]]] = False
        only = [each[mask] for each, mask in zip((first, second), left, strict=True)]
        rest = [each for each in only if len(each)]
        if not rest:
            return None
        # Batches in only one copy mean compaction, damage or a difference; messages of old formats are not tracked
        # one by one.
        if len(rest) > 1:
            self.other_batches |= any((each["magic"] != OLD).any() for each in rest)
            formats, codecs = ([set(each[name].tolist()) for each in rest] for name in ("magic", "codec"))
            self.other_formats |= formats[0] != formats[1]
            self.other_compression |= OLD not in codecs[0] | codecs[1] and codecs[0] != codecs[1]
        return min(int(each["base"][0]) for each in rest), max(int(each["end"][-1]) for each in rest)

    def _compare_epochs(self, first: BatchRows, second: BatchRows) -> None:
        """Compare the leader epochs of equal batches, as no CRC covers them."""
        known = [each["epoch"] >= 0 for each in (first, second)]
        self.other_epochs |= bool((known[0] & known[1] & (first["epoch"] != second["epoch"])).any())
        for which in range(2):
            lacking = np.flatnonzero(~known[which] & known[1 - which])
            if len(lacking) and self.without_epoch[which] is None:
                self.without_epoch[which] = int(first["base"][lacking[0]])


def _unless_empty(start: int, end: int, *, is_same: bool) -> Iterator[BatchStretch]:
    if start < end:
        yield BatchStretch(start, end, is_same)


def _in_step(one: BatchStream, other: BatchStream) -> Iterator[tuple[BatchRows, BatchRows, int]]:
    """Batches of both streams that end at or before the same offset, and the offset from which more will follow."""
    streams = [iter(one), iter(other)]
    held = [np.empty(0, BATCH), np.empty(0, BATCH)]
    ended = [False, False]
    while True:
        for which in range(2):
            while not len(held[which]) and not ended[which]:
                batches = next(streams[which], None)
                ended[which] = batches is None
                held[which] = held[which] if batches is None else batches
        if not len(held[0]) and not len(held[1]):
            return
        horizon = min((int(held[which]["end"][-1]) for which in range(2) if not ended[which]), default=INT64_MAX)
        counts = [int((each["end"] <= horizon).sum()) for each in held]
        taken = [each[:count] for each, count in zip(held, counts, strict=True)]
        held = [each[count:] for each, count in zip(held, counts, strict=True)]
        yield taken[0], taken[1], min([horizon, *(int(each["base"][0]) for each in held if len(each))])
