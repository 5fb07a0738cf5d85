"""The segments of a log by base offset: Kafka's `LogSegments`. A log can have a quarter of a million of them."""

from bisect import bisect_left, bisect_right, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.startup.segment import LoadedSegment


class LogSegments:
    """Segments in order of base offsets; each look-up is a binary search instead of a pass over all segments."""

    def __init__(self) -> None:
        self._by_base: dict[int, LoadedSegment] = {}
        self._bases: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._bases)

    def __iter__(self) -> "Iterator[LoadedSegment]":
        return map(self._by_base.__getitem__, self._bases)

    @property
    def first_base(self) -> int | None:
        """Base offset of the first segment, or None."""
        return self._bases[0] if self._bases else None

    @property
    def last(self) -> "LoadedSegment | None":
        """The active segment, or None."""
        return self._by_base[self._bases[-1]] if self._bases else None

    def add(self, segment: "LoadedSegment") -> None:
        """Add a segment, replacing one with the same base offset."""
        if segment.base_offset not in self._by_base:
            insort(self._bases, segment.base_offset)
        self._by_base[segment.base_offset] = segment

    def remove(self, base_offset: int) -> bool:
        """Remove a segment; returns whether there was one."""
        if self._by_base.pop(base_offset, None) is None:
            return False
        del self._bases[bisect_left(self._bases, base_offset)]
        return True

    def clear(self) -> None:
        """Remove all segments."""
        self._by_base.clear()
        self._bases.clear()

    def cut(self, offset: int) -> "list[LoadedSegment]":
        """Remove the segments with base offsets at or above an offset; returns them."""
        number = bisect_left(self._bases, offset)
        removed = [self._by_base.pop(base) for base in self._bases[number:]]
        del self._bases[number:]
        return removed

    def values(self, begin: int, end: int | None = None) -> "list[LoadedSegment]":
        """Segments from the one that holds an offset onward (`LogSegments.values`), with base offsets below `end`."""
        first = max(0, bisect_right(self._bases, begin) - 1)
        last = None if end is None else bisect_left(self._bases, end)
        return [self._by_base[base] for base in self._bases[first:last]]

    def base_after(self, base_offset: int) -> int | None:
        """Base offset of the segment after a given one, or None."""
        number = bisect_right(self._bases, base_offset)
        return self._bases[number] if number < len(self._bases) else None
