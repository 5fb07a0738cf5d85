"""Where two copies of a log hold the same batches, by headers and CRCs: only the other offsets need to be decoded.

Two batches with the same offsets, size, format and CRC hold the same records: the CRC, which is checked, covers all but
the base offset and the leader epoch.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.headers import COMPRESSION, first_wrong
from kafkafmt.files import entry_points
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import CURRENT_MAGIC, LOG_OVERHEAD, read_frame

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.files.offset_index import RangedOffsetIndex
    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry

_WINDOW_BYTES: Final = 4 * 1024 * 1024
_STRETCH_BYTES: Final = 64 * 1024 * 1024
"""Stored bytes of both copies after which a stretch ends: decoded at once, they are still in the page cache."""

_OLD: Final = -1
"""Format of a row of `BATCH` that stands for messages of formats 0 and 1, which always are decoded."""

BATCH: Final = np.dtype(
    [
        ("base", "i8"),
        ("end", "i8"),
        ("size", "i4"),
        ("crc", "u4"),
        ("epoch", "i4"),
        ("magic", "i1"),
        ("codec", "i1"),
        ("is_sparse", "?"),
    ]
)
"""A batch: base offset, offset after its last, bytes, CRC, leader epoch, format, codec, whether records are missing."""

_Batches = npt.NDArray[Any]


@dataclass(slots=True)
class BatchStream:
    """The batches of one copy between two offsets, in order.

    Attributes:
        segments: of the copy.
        start: offset to begin at; the first batch may hold some before.
        end: offset to end before.
        on_damage: "raise" at the first damage, or "skip" and report it.
        limits: bounds of memory.
        report: called with each `Damage`.
        advance: called with numbers of bytes that were read.
        holes: offsets, from and up to, that damage may have cost, in order; where offsets go back, those that are left
            out.
        compacted_to: offset after the last batch of which compaction removed records; 0 for none.
        fallen_back: offset of the first batch that goes back behind one before it, or None. Such batches are left out.
    """

    segments: "list[Segment]"
    start: int
    end: int
    on_damage: "OnDamage"
    limits: Limits
    report: "Callable[[Damage], None]"
    advance: Callable[[int], None]
    holes: list[tuple[int, int]] = field(default_factory=list)
    compacted_to: int = 0
    fallen_back: int | None = None
    _reached: int = 0
    _gap: int = INT64_MAX
    _is_damaged: bool = False
    _buffer: ReusedBuffer = field(default_factory=ReusedBuffer)

    def __iter__(self) -> Iterator[_Batches]:
        """Some batches at a time, as `BATCH`; base offsets rise.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
        """
        self._reached = self.start
        for number in range(max(lookup.floor(self.segments, self.start), 0), len(self.segments)):
            segment = self.segments[number]
            if segment.base_offset is not None and segment.base_offset >= self.end:
                break
            following = self.segments[number + 1] if number + 1 < len(self.segments) else None
            for batches in self._of_segment(segment, following):
                kept = self._in_order(batches)
                if len(kept):
                    yield kept
        if self._is_damaged:
            self.holes.append((self._reached, self.end))

    def _of_segment(self, segment: "Segment", following: "Segment | None") -> Iterator[_Batches]:
        with segment.open() as file:
            reader = segment.reader(
                file,
                following,
                limits=self.limits,
                on_damage=self.on_damage,
                report=self._report,
                ahead=_WINDOW_BYTES,
                buffer=self._buffer,
            )
            index = partial(_index_of, segment, file)
            begin = entry_points.begin(file, index, segment.base_offset, self.start, self.limits)
            for found in reader.bulk_walk(self._visit, begin):
                if isinstance(found, ReadWindow):
                    batches = self._take(found)
                    self.advance(found.taken)
                else:
                    batches, size = found
                    self.advance(size)
                yield batches
                if len(batches) and int(batches["base"][-1]) >= self.end:
                    return

    def _take(self, window: ReadWindow) -> _Batches:
        """Take the sound batches of a window, or its messages of formats 0 and 1."""
        if window.take_messages(crc_unchecked=False):
            last = read_frame(window.data, (window.last or 0) - window.position).offset
            return _of_messages(self._reached, last, window.taken)
        batches = window.batches()
        batches = batches[: first_wrong(batches)]
        window.take(batches)
        headers = batches.headers
        rows = np.empty(len(batches), BATCH)
        rows["base"] = headers["base_offset"]
        rows["end"] = np.minimum(batches.last_offsets, INT64_MAX - 1) + 1
        rows["size"] = headers["size"]
        rows["crc"] = headers["crc"]
        rows["epoch"] = headers["partition_leader_epoch"]
        rows["magic"] = headers["magic"]
        rows["codec"] = headers["attributes"] & COMPRESSION
        rows["is_sparse"] = headers["num_records"] <= headers["last_offset_delta"]
        return rows

    def _visit(self, entry: "Entry") -> tuple[_Batches, int]:
        header = entry.checked_header(verify_checksum=True)
        entry.verify_checksum()
        size = header.size_in_bytes
        if header.magic < CURRENT_MAGIC or header.base_offset is None:
            return _of_messages(self._reached, header.last_offset or 0, size), size
        end = min((header.last_offset or 0) + 1, INT64_MAX)
        is_sparse = (header.count or 0) < end - header.base_offset
        row = header.base_offset, end, size - LOG_OVERHEAD, header.crc, header.partition_leader_epoch, header.magic
        return np.array([(*row, _OLD, is_sparse)], BATCH), size

    def _report(self, damage: "Damage") -> None:
        if not damage.is_open_end:
            self._is_damaged = True
            # Damage may hide that a message of format 0 or 1 was a wrapper: then its offset is that of its last record.
            last = damage.first_offset if damage.last_offset is None else damage.last_offset
            if last is not None:
                self.holes.append((self._reached, last + 1))
        self.report(damage)

    def _in_order(self, batches: _Batches) -> _Batches:
        """The batches at or after the start that follow each other; notes what is wrong, and what is compacted."""
        reached = np.maximum.accumulate(np.concatenate(([self._reached], batches["end"])))[:-1]
        rises = batches["base"] >= reached
        # The first batch may begin before the offset at which we do.
        rises |= (batches["end"] > reached) & (reached == self.start)
        backwards = np.flatnonzero(~rises & (batches["end"] > self.start))
        gaps = np.flatnonzero(rises & (batches["base"] > reached))
        if len(backwards):
            self._leave_out(batches, reached, int(backwards[0]), gaps)
        if len(gaps):
            self._gap = int(reached[gaps[-1]])
        kept = batches[rises & (batches["base"] < self.end)]
        if not len(kept):
            return kept
        if self._is_damaged:
            self.holes.append((self._reached, int(kept["base"][0])))
            self._is_damaged = False
        self._reached = int(kept["end"][-1])
        sparse = kept["end"][kept["is_sparse"]]
        if len(sparse):
            self.compacted_to = max(self.compacted_to, int(sparse[-1]))
        return kept

    def _leave_out(
        self, batches: _Batches, reached: npt.NDArray[np.int64], first: int, gaps: npt.NDArray[np.intp]
    ) -> None:
        """Make a hole of what goes back: from where a batch before it jumps ahead, to the highest offset so far."""
        base = int(batches["base"][first])
        if self.fallen_back is None:
            self.fallen_back = base
        before = gaps[gaps < first]
        begin = min(base, int(reached[before[-1]]) if len(before) else self._gap)
        end = max(int(reached[first]), int(batches["end"][first:].max()))
        if self.holes and begin <= self.holes[-1][1]:
            last = self.holes.pop()
            begin, end = min(begin, last[0]), max(end, last[1])
        self.holes.append((begin, end))


def _of_messages(start: int, last: int, size: int) -> _Batches:
    """A row for messages of formats 0 and 1, from an offset to their last one."""
    return np.array([(start, min(max(last + 1, start), INT64_MAX), size, 0, -1, _OLD, _OLD, False)], BATCH)


def _index_of(segment: "Segment", file: "File") -> "AbstractContextManager[RangedOffsetIndex | None]":
    return segment.ranged_offset_index() if file.size > file.worth_skipping else nullcontext()


@dataclass(frozen=True, slots=True)
class BatchStretch:
    """Offsets of two copies, one after another without a gap.

    Attributes:
        start: the first offset.
        end: the offset after the last.
        is_same: whether both have the same batches there.
    """

    start: int
    end: int
    is_same: bool


@dataclass(slots=True)
class StretchFinder:
    """Divides what two copies have in common into stretches with the same batches, and with others.

    Attributes:
        first: batches of one copy.
        second: batches of the other, between the same offsets.
        other_batches: whether the copies have other batches at the same offsets.
        other_compression: whether batches that differ have other codecs.
        other_formats: whether batches that differ are of other message formats.
        other_epochs: whether the same batches have other leader epochs.
        without_epoch: of each copy, the offset of its first batch without leader epoch (-1) where the other has one.
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
            KafkafmtError: as the streams raise.
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
        """Stretches as small as they are found."""
        reached = start
        for first, second, known_to in _in_step(self.first, self.second):
            self._bytes += int(first["size"].sum(dtype=np.int64)) + int(second["size"].sum(dtype=np.int64))
            others = self._others(first, second)
            if others is not None:
                # A batch that reaches beyond the batches of both is one of them, too.
                begin, stop = (min(max(offset, reached), end) for offset in (min(others[0], known_to), others[1]))
                yield from _unless_empty(reached, begin, is_same=True)
                yield from _unless_empty(begin, stop, is_same=False)
                reached = max(reached, stop)
            yield from _unless_empty(reached, min(known_to, end), is_same=True)
            reached = max(reached, min(known_to, end))
        yield from _unless_empty(reached, end, is_same=True)

    def _others(self, first: _Batches, second: _Batches) -> tuple[int, int] | None:
        """First and last offset (exclusive) of the batches that only one of the copies has; None for none."""
        places = np.searchsorted(second["base"], first["base"])
        inside = np.flatnonzero(places < len(second))
        ours, theirs = first[inside], second[places[inside]]
        same = theirs["magic"] >= CURRENT_MAGIC
        for name in ("base", "end", "size", "crc", "magic"):
            same &= ours[name] == theirs[name]
        self._compare_epochs(ours[same], theirs[same])
        left = [np.ones(len(each), np.bool_) for each in (first, second)]
        left[0][inside[same]] = False
        left[1][places[inside[same]]] = False
        only = [each[mask] for each, mask in zip((first, second), left, strict=True)]
        rest = [each for each in only if len(each)]
        if not rest:
            return None
        # Batches of one copy alone are compaction, damage or a difference; of messages of old formats none are known.
        if len(rest) > 1:
            self.other_batches |= any((each["magic"] != _OLD).any() for each in rest)
            formats, codecs = ([set(each[name].tolist()) for each in rest] for name in ("magic", "codec"))
            self.other_formats |= formats[0] != formats[1]
            self.other_compression |= _OLD not in codecs[0] | codecs[1] and codecs[0] != codecs[1]
        return min(int(each["base"][0]) for each in rest), max(int(each["end"][-1]) for each in rest)

    def _compare_epochs(self, first: _Batches, second: _Batches) -> None:
        """Compare the leader epochs of the same batches, which no CRC covers."""
        known = [each["epoch"] >= 0 for each in (first, second)]
        self.other_epochs |= bool((known[0] & known[1] & (first["epoch"] != second["epoch"])).any())
        for which in range(2):
            lacking = np.flatnonzero(~known[which] & known[1 - which])
            if len(lacking) and self.without_epoch[which] is None:
                self.without_epoch[which] = int(first["base"][lacking[0]])


def _unless_empty(start: int, end: int, *, is_same: bool) -> Iterator[BatchStretch]:
    if start < end:
        yield BatchStretch(start, end, is_same)


def _in_step(one: BatchStream, other: BatchStream) -> Iterator[tuple[_Batches, _Batches, int]]:
    """Batches of both that end at or before the same offset; and the offset from which on more are to come."""
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
