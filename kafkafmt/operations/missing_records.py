"""Classifies records that only one of two copies has: explained by compaction, by damage, or not at all."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkafmt.operations.batch_stream import BatchStream
from kafkafmt.operations.paired_records import Mask, Offsets, offsets_of

# Keys are held in memory; above this number compaction cannot be shown to explain missing batches.
_MOST_KEYS: Final = 1_000_000


@dataclass(slots=True)
class MissingRecords:
    """Records that one copy lacks and the other has, without an explanation.

    Attributes:
        first: the first offset, or None.
        last: the last offset, or -1.
        count: number of these records.
        compacted: number of other missing records that compaction explains.
        damaged: number of other missing records that damage explains.
        lacking: first and last offset of those, a range for each damaged part.
        superseded: the last record of each key among the unexplained ones: its offset, and whether it has a value; None
            if a record has no key, or there are too many keys.
        markers: producer id and offset of each transaction marker among the unexplained ones.
    """

    first: int | None = None
    last: int = -1
    count: int = 0
    compacted: int = 0
    damaged: int = 0
    lacking: list[tuple[int, int]] = field(default_factory=list)
    superseded: dict[bytes, tuple[int, bool]] | None = field(default_factory=dict)
    markers: list[tuple[int, int]] = field(default_factory=list)

    def add(self, records: pa.RecordBatch, stream: BatchStream, lost: Iterable[tuple[int, int]]) -> None:
        """Add records that only the other copy has; damage explains those in holes and lost ranges."""
        offsets = offsets_of(records)
        if not len(offsets):
            return
        in_damage = inside(offsets, (*stream.holes, *lost))
        below = (offsets < stream.compacted_to) & ~in_damage
        self.damaged += int(in_damage.sum())
        for begin, end in merged((*stream.holes, *lost)):
            here = offsets[(offsets >= begin) & (offsets < end)]
            if len(here):
                self._lacks(int(here[0]), int(here[-1]), begin)
        self.compacted += int(below.sum())
        left = offsets[~in_damage & ~below]
        if len(left):
            self.first = int(left[0]) if self.first is None else min(self.first, int(left[0]))
            self.last = int(left[-1])
            self.count += len(left)
            if self.superseded is not None and "key" in records.schema.names:
                self._remember(records.filter(pa.array(~in_damage & ~below)))

    def _remember(self, records: pa.RecordBatch) -> None:
        """Take the keys of unexplained records, and the producers of control records, which have no such keys."""
        is_control = records.column("isControl")
        data, control = records.filter(pc.invert(is_control)), records.filter(is_control)
        keys = data.column("key")
        if keys.null_count or len(self.superseded or ()) + len(self.markers) + len(records) > _MOST_KEYS:
            self.superseded = None
        elif self.superseded is not None:
            is_data = data.column("value").is_valid().to_pylist()
            for key, offset, has_value in zip(keys.to_pylist(), offsets_of(data).tolist(), is_data, strict=True):
                self.superseded[key] = offset, has_value
            self.markers += zip(control.column("producerId").to_pylist(), offsets_of(control).tolist(), strict=True)

    def _lacks(self, first: int, last: int, begin: int) -> None:
        """Add a range of offsets lost to damage, which begins at a given offset."""
        if self.lacking and (self.lacking[-1][1] >= begin or self.lacking[-1][1] + 1 >= first):
            first, last = self.lacking[-1][0], max(last, self.lacking.pop()[1])
        self.lacking.append((first, last))

    def settle(self, compacted_to: int) -> None:
        """Count all records missing before the last batch from which compaction removed records as explained by it."""
        if self.first is not None and self.first < compacted_to:
            self.compacted += self.count
            self.first, self.count = None, 0
            if self.superseded is not None:
                self.superseded.clear()
            self.markers.clear()


@dataclass(frozen=True, slots=True)
class Explained:
    """Explains why a copy lacks records.

    Attributes:
        compacted_to: offset below which compaction explains missing records.
        damaged: ranges of offsets (end exclusive) in which damage explains them.
    """

    compacted_to: int
    damaged: tuple[tuple[int, int], ...]

    def by_compaction(self, offsets: Offsets) -> Mask:
        """Mask of the offsets that compaction alone explains."""
        mask: Mask = (offsets < self.compacted_to) & ~inside(offsets, self.damaged)
        return mask


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges (end exclusive) in order, with touching ones joined."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def inside(offsets: Offsets, ranges: Iterable[tuple[int, int]]) -> Mask:
    """Mask of the offsets that are in ranges (end exclusive)."""
    mask = np.zeros(len(offsets), np.bool_)
    for begin, end in ranges:
        mask |= (offsets >= begin) & (offsets < end)
    return mask
