"""The batches of one copy of a log between two offsets, as rows of header fields; refuted batches are left out."""

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
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

OLD: Final = -1
"""Format in a `BATCH` row for messages of formats 0 and 1, which are always decoded."""

_DAMAGE: Final = -2
"""Format in a `BATCH` row for damage before the next row; its end is -1 if it is unknown."""

_REFUTING: Final = 2
"""Number of batches after a batch that can refute its offsets."""

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
"""A batch: base offset, end offset, byte position, bytes, CRC, epoch, format, codec, whether records are missing."""

SAME: Final = ("base", "end", "size", "crc", "magic")
"""Fields that are equal in two batches with the same records: the CRC covers all but base offset and leader epoch."""

BatchRows = npt.NDArray[Any]


@dataclass(slots=True)
class BatchStream:
    """The batches of one copy between two offsets, in order.

    Attributes:
        segments: segments of the copy.
        start: offset to begin at; the first batch may hold earlier ones, too.
        end: offset to end before.
        on_damage: "raise" at the first damage, or "skip" and report it.
        limits: bounds of memory.
        report: called with each `Damage`.
        advance: called with the number of bytes that were read.
        holes: ranges of offsets (end exclusive) that damage may have cost, in order. Batches whose offsets the
            surrounding batches refute are damaged, too, and left out.
        compacted_to: offset after the last batch from which compaction removed records; 0 for none.
        refuted: base offsets in the headers of batches left out because others refute them.
        faults: notes on offsets of batches.
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

    def __iter__(self) -> Iterator[BatchRows]:
        """Some batches at a time, as `BATCH` rows with rising base offsets.

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

    def _in_order(self, segment: "Segment", following: "Segment | None") -> Iterator[BatchRows]:
        """The batches of a segment, without those whose offsets the surrounding batches refute."""
        faults: list[OffsetFault] = []
        bounds = segment.bounds(following)
        if self._reached != segment.base_offset:
            bounds = replace(bounds, base_offset=None)  # the walk may begin after the first batches of the segment
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
                order.see_all(seen["base"], seen["end"] - 1, seen["position"], ends, seen["magic"] != OLD)
            decided = max(len(held) - _REFUTING, 0)
            yield from self._unrefuted(held, decided, segment, faults)
            held = held[decided:]
        order.end(end)
        yield from self._unrefuted(held, len(held), segment, faults)

    def _unrefuted(
        self, held: BatchRows, decided: int, segment: "Segment", faults: "list[OffsetFault]"
    ) -> Iterator[BatchRows]:
        """The first held batches that no fault refutes; other faults are noted."""
        wrong, repeated = np.zeros(len(held), np.bool_), np.zeros(len(held), np.bool_)
        waiting = []
        for fault in faults:
            (found,) = np.nonzero((held["position"] == fault.position) & (held["magic"] > OLD))
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
                wrong |= (held["position"] == fault.other) & (held["magic"] > OLD)
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
                continue  # no record is lost
            self._is_damaged = True
            if wrong[number]:
                self.refuted.append(int(row["base"]))
                self._left_out += int(row["end"]) - int(row["base"])
            elif row["end"] >= 0:
                self.holes.append((self._reached, int(row["end"])))
        yield held[begin:decided]

    def _of_segment(self, segment: "Segment", following: "Segment | None") -> Iterator[BatchRows]:
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
                # A batch past the end may have a wrong offset, so a single one does not end the walk: later batches may
                # be wanted.
                last = [*last, *batches["base"][-_REFUTING:].tolist()][-_REFUTING:]
                if len(last) == _REFUTING and min(last) >= self.end:
                    return
            yield self._after_damage(np.empty(0, BATCH))

    def _after_damage(self, batches: BatchRows) -> BatchRows:
        """The batches, after rows for the damage that precedes them."""
        if len(batches):
            self._tip = max(self._tip, int(batches["end"][-1]))
        if not self._met:
            return batches
        # Damage may hide that a message of format 0 or 1 was a wrapper, whose offset is that of its last record.
        lasts = [each.first_offset if each.last_offset is None else each.last_offset for each in self._met]
        rows = [(-1, -1 if last is None else last + 1, -1, 0, 0, -1, _DAMAGE, OLD, False) for last in lasts]
        self._met.clear()
        return np.concatenate((np.array(rows, BATCH), batches))

    def _take(self, window: ReadWindow) -> BatchRows:
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

    def _visit(self, entry: "Entry") -> tuple[BatchRows, int]:
        header = entry.checked_header(verify_checksum=True)
        entry.verify_checksum()
        size = header.size_in_bytes
        if header.magic < CURRENT_MAGIC or header.base_offset is None:
            return _of_messages(self._tip, header.last_offset or 0, header.position, size), size
        end = min((header.last_offset or 0) + 1, INT64_MAX)
        is_sparse = (header.count or 0) < end - header.base_offset
        place = header.base_offset, end, header.position, size - LOG_OVERHEAD
        row = header.crc, header.partition_leader_epoch, header.magic
        return np.array([(*place, *row, OLD, is_sparse)], BATCH), size

    def _report(self, damage: "Damage") -> None:
        if not damage.is_open_end:
            self._met.append(damage)
        self.report(damage)

    def _kept(self, batches: BatchRows) -> BatchRows:
        """The batches between the wanted offsets; records where damage and compaction end."""
        reached = np.maximum.accumulate(np.concatenate(([self._reached], batches["end"])))[:-1]
        # The batch that contains the start offset may begin before it.
        rises = (batches["base"] >= reached) | ((batches["end"] > reached) & (reached == self.start))
        kept: BatchRows = batches[rises & (batches["base"] < self.end)]
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


def _of_messages(start: int, last: int, position: int, size: int) -> BatchRows:
    """A row for messages of formats 0 and 1, from an offset to that of the last message."""
    end = min(max(last + 1, start), INT64_MAX)
    return np.array([(start, end, position, size - LOG_OVERHEAD, 0, -1, OLD, OLD, False)], BATCH)


def _has_twin(batches: BatchRows, batch: BatchRows) -> bool:
    """Whether one of the batches has the same records as another batch, at the same offsets."""
    return bool(np.logical_and.reduce([batches[name] == batch[name] for name in SAME]).any())


def _index_of(segment: "Segment", file: "File") -> "AbstractContextManager[RangedOffsetIndex | None]":
    return segment.ranged_offset_index() if file.size > file.worth_skipping else nullcontext()
