"""Where two copies of a log hold the same batches, by headers and CRCs: only the other offsets need to be decoded.

Two batches with the same offsets, size, format and CRC hold the same records: the CRC, which is checked, covers all but
the base offset and the leader epoch.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from kafkafmt.columnar.headers import first_wrong
from kafkafmt.files import entry_points
from kafkafmt.files.offset_order import MOST_FAULTS, OffsetFault, OffsetOrder
from kafkafmt.files.read_window import ReadWindow, ReusedBuffer
from kafkafmt.limits import Limits
from kafkafmt.logdir import lookup
from kafkafmt.reference.header import INT64_MAX
from kafkafmt.reference.layout import COMPRESSION, CURRENT_MAGIC, LOG_OVERHEAD, read_frame
from kafkafmt.scanning.batch_filter import note_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage, Note
    from kafkafmt.files.offset_index import RangedOffsetIndex
    from kafkafmt.io.base import File
    from kafkafmt.logdir.segment import Segment
    from kafkafmt.reference.entry import Entry

_WINDOW_BYTES: Final = 4 * 1024 * 1024
_STRETCH_BYTES: Final = 64 * 1024 * 1024
"""Stored bytes of both copies after which a stretch ends: decoded at once, they are still in the page cache."""

_OLD: Final = -1
"""Format in a row of `BATCH` for messages of formats 0 and 1, which always are decoded."""

_DAMAGE: Final = -2
"""Format in a row of `BATCH` for damage before the row after it; its end is -1 where that is unknown."""

_REFUTING: Final = 2
"""Batches after one that can refute its offsets."""

BATCH: Final = np.dtype(
    [
        ("base", "i8"),
        ("end", "i8"),
        ("position", "i8"),
        ("size", "i4"),
        ("crc", "u4"),
        ("epoch", "i4"),
        ("magic", "i1"),
        ("codec", "i1"),
        ("is_sparse", "?"),
    ]
)
"""A batch: base offset, offset after its last, byte position, bytes, CRC, epoch, format, codec, whether it has gaps."""

_SAME: Final = ("base", "end", "size", "crc", "magic")
"""Fields that are equal in two batches with the same records: the CRC covers all but base offset and leader epoch."""

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
        holes: offsets, from and up to, that damage may have cost, in order. A batch whose offsets the batches around it
            refute is damaged, too, and left out.
        compacted_to: offset after the last batch of which compaction removed records; 0 for none.
        refuted: base offsets of the batches that are left out so, as their headers have them.
        faults: notes on their offsets.
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
    refuted: list[int] = field(default_factory=list)
    faults: "list[Note]" = field(default_factory=list)
    _reached: int = 0
    _tip: int = 0
    _left_out: int = 0
    _met: "list[Damage]" = field(default_factory=list)
    _repeats: set[int] = field(default_factory=set)  # positions in the segment
    _is_damaged: bool = False
    _buffer: ReusedBuffer = field(default_factory=ReusedBuffer)

    def __iter__(self) -> Iterator[_Batches]:
        """Some batches at a time, as `BATCH`; base offsets rise.

        Raises:
            KafkafmtError: damage, with `on_damage="raise"`; or a file cannot be read.
        """
        self._reached = self._tip = self.start
        for number in range(max(lookup.floor(self.segments, self.start), 0), len(self.segments)):
            segment = self.segments[number]
            if segment.base_offset is not None and segment.base_offset >= self.end:
                break
            following = self.segments[number + 1] if number + 1 < len(self.segments) else None
            for batches in self._in_order(segment, following):
                kept = self._kept(batches)
                if len(kept):
                    yield kept
        if self._is_damaged:
            self.holes.append((self._reached, max(self.end, min(self._reached + self._left_out, INT64_MAX))))

    def _in_order(self, segment: "Segment", following: "Segment | None") -> Iterator[_Batches]:
        """The batches of a segment, without those whose offsets the batches around them refute."""
        faults: list[OffsetFault] = []
        bounds = segment.bounds(following)
        if self._reached != segment.base_offset:
            bounds = replace(bounds, base_offset=None)  # the first batches of the segment may be skipped
        order = OffsetOrder(bounds, faults.append, most=sys.maxsize)
        held = np.empty(0, BATCH)
        self._repeats.clear()
        end = 0
        for batches in self._of_segment(segment, following):
            held = np.concatenate((held, batches))
            seen = batches[batches["magic"] != _DAMAGE]
            if len(seen):
                ends = seen["position"] + seen["size"] + LOG_OVERHEAD
                end = int(ends[-1])
                order.see_all(seen["base"], seen["end"] - 1, seen["position"], ends, seen["magic"] != _OLD)
            decided = max(len(held) - _REFUTING, 0)
            yield from self._unrefuted(held, decided, segment, faults)
            held = held[decided:]
        order.end(end)
        yield from self._unrefuted(held, len(held), segment, faults)

    def _unrefuted(
        self, held: _Batches, decided: int, segment: "Segment", faults: "list[OffsetFault]"
    ) -> Iterator[_Batches]:
        """The first held batches that no fault refutes; their other reports are noted."""
        wrong, repeated = np.zeros(len(held), np.bool_), np.zeros(len(held), np.bool_)
        waiting = []
        for fault in faults:
            (found,) = np.nonzero((held["position"] == fault.position) & (held["magic"] > _OLD))
            if not len(found):
                continue
            number = int(found[0])
            if number >= decided:
                waiting.append(fault)
            if _has_twin(held[:number], held[number]):
                self._repeats.add(fault.position)
            repeated[number] = fault.position in self._repeats
            wrong[number] = True
            if fault.other is not None and not repeated[number]:
                wrong |= (held["position"] == fault.other) & (held["magic"] > _OLD)
            note = note_of(segment.path, fault)
            if len(self.faults) < MOST_FAULTS and note not in self.faults:
                self.faults.append(note)
        faults[:] = waiting
        if not (wrong[:decided].any() or (held["magic"][:decided] == _DAMAGE).any()):
            yield held[:decided]
            return
        begin = 0
        for number in range(decided):
            row = held[number]
            if not wrong[number] and row["magic"] != _DAMAGE:
                continue
            yield held[begin:number]
            begin = number + 1
            if repeated[number]:
                continue  # nothing is lost
            self._is_damaged = True
            if wrong[number]:
                self.refuted.append(int(row["base"]))
                self._left_out += int(row["end"]) - int(row["base"])
            elif row["end"] >= 0:
                self.holes.append((self._reached, int(row["end"])))
        yield held[begin:decided]

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
            last: list[int] = []
            for found in reader.bulk_walk(self._visit, begin):
                if isinstance(found, ReadWindow):
                    batches = self._take(found)
                    self.advance(found.taken)
                else:
                    batches, size = found
                    self.advance(size)
                yield self._after_damage(batches)
                # The offset of one batch may be wrong, and those after it be wanted.
                last = [*last, *batches["base"][-_REFUTING:].tolist()][-_REFUTING:]
                if len(last) == _REFUTING and min(last) >= self.end:
                    return
            yield self._after_damage(np.empty(0, BATCH))

    def _after_damage(self, batches: _Batches) -> _Batches:
        """Batches, after rows for the damage before them."""
        if len(batches):
            self._tip = max(self._tip, int(batches["end"][-1]))
        if not self._met:
            return batches
        # Damage may hide that a message of format 0 or 1 was a wrapper: then its offset is that of its last record.
        lasts = [each.first_offset if each.last_offset is None else each.last_offset for each in self._met]
        rows = [(-1, -1 if last is None else last + 1, -1, 0, 0, -1, _DAMAGE, _OLD, False) for last in lasts]
        self._met.clear()
        return np.concatenate((np.array(rows, BATCH), batches))

    def _take(self, window: ReadWindow) -> _Batches:
        """Take the sound batches of a window, or its messages of formats 0 and 1."""
        if window.take_messages(crc_unchecked=False):
            last = read_frame(window.data, (window.last or 0) - window.position).offset
            return _of_messages(self._tip, last, window.position, window.taken)
        batches = window.batches()
        batches = batches[: first_wrong(batches)]
        window.take(batches)
        headers = batches.headers
        rows = np.empty(len(batches), BATCH)
        rows["base"] = headers["base_offset"]
        rows["end"] = np.minimum(batches.last_offsets, INT64_MAX - 1) + 1
        rows["position"] = batches.starts + batches.position
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
            return _of_messages(self._tip, header.last_offset or 0, header.position, size), size
        end = min((header.last_offset or 0) + 1, INT64_MAX)
        is_sparse = (header.count or 0) < end - header.base_offset
        place = header.base_offset, end, header.position, size - LOG_OVERHEAD
        row = header.crc, header.partition_leader_epoch, header.magic
        return np.array([(*place, *row, _OLD, is_sparse)], BATCH), size

    def _report(self, damage: "Damage") -> None:
        if not damage.is_open_end:
            self._met.append(damage)
        self.report(damage)

    def _kept(self, batches: _Batches) -> _Batches:
        """Those of some batches that are between the offsets asked for; notes where damage and compaction end."""
        reached = np.maximum.accumulate(np.concatenate(([self._reached], batches["end"])))[:-1]
        # The first batch may begin before the offset at which we do.
        rises = (batches["base"] >= reached) | ((batches["end"] > reached) & (reached == self.start))
        kept: _Batches = batches[rises & (batches["base"] < self.end)]
        if not len(kept):
            return kept
        if self._is_damaged:
            self.holes.append((self._reached, int(kept["base"][0])))
            self._is_damaged = False
            self._left_out = 0
        self._reached = int(kept["end"][-1])
        sparse = kept["end"][kept["is_sparse"]]
        if len(sparse):
            self.compacted_to = max(self.compacted_to, int(sparse[-1]))
        return kept


def _of_messages(start: int, last: int, position: int, size: int) -> _Batches:
    """A row for messages of formats 0 and 1, from an offset to their last one."""
    end = min(max(last + 1, start), INT64_MAX)
    return np.array([(start, end, position, size - LOG_OVERHEAD, 0, -1, _OLD, _OLD, False)], BATCH)


def _has_twin(batches: _Batches, batch: _Batches) -> bool:
    """Whether one of some batches holds the same records as another batch at the same offsets."""
    return bool(np.logical_and.reduce([batches[name] == batch[name] for name in _SAME]).any())


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
    """Divides the common part of two copies into stretches with the same batches, and with others.

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
        """Stretches as found, not joined."""
        reached = start
        for first, second, known_to in _in_step(self.first, self.second):
            self._bytes += int(first["size"].sum(dtype=np.int64)) + int(second["size"].sum(dtype=np.int64))
            others = self._others(first, second)
            if others is not None:
                # A batch that ends after the batches of both belongs to them, too.
                begin, stop = (min(max(offset, reached), end) for offset in (min(others[0], known_to), others[1]))
                yield from _unless_empty(reached, begin, is_same=True)
                yield from _unless_empty(begin, stop, is_same=False)
                reached = max(reached, stop)
            yield from _unless_empty(reached, min(known_to, end), is_same=True)
            reached = max(reached, min(known_to, end))
        yield from _unless_empty(reached, end, is_same=True)

    def _others(self, first: _Batches, second: _Batches) -> tuple[int, int] | None:
        """First and last offset (exclusive) of the batches that only one of the copies has; None without any."""
        places = np.searchsorted(second["base"], first["base"])
        inside = np.flatnonzero(places < len(second))
        ours, theirs = first[inside], second[places[inside]]
        same = theirs["magic"] >= CURRENT_MAGIC
        for name in _SAME:
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
