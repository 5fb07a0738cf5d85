"""Whole entries of a log file that a broker is writing: how far they extend, and which offsets compaction removed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.files.read_window import ReadWindow, new_buffer
from kafkafmt.files.segment_reader import SegmentReader
from kafkafmt.libraries import np

if TYPE_CHECKING:
    from kafkafmt.columnar.headers import Positions
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import File
    from kafkafmt.limits import Limits
    from kafkafmt.reference.entry import Entry


class Reach(NamedTuple):
    """How far whole entries extend.

    Attributes:
        position: end of the last one, in bytes.
        last: start of the last one; None if there is none.
        next_offset: offset after the last one; None if there is none.
    """

    position: int
    last: int | None = None
    next_offset: int | None = None


def whole_entries(
    file: "File",
    begin: int,
    limits: "Limits",
    *,
    end_offset: int | None = None,
    is_growing: bool = True,
    buffer: Callable[[int], memoryview] = new_buffer,
) -> Reach:
    """Find the end of the last whole entry, by headers alone; damage is skipped if an entry follows it.

    CRCs are not checked.

    Args:
        file: an open log file.
        begin: position of the first entry, in bytes.
        limits: bounds of an entry's size.
        end_offset: the result is before the first entry that ends at this offset or above; None for all.
        is_growing: as for `SegmentReader`.
        buffer: makes a writable buffer of a size in bytes.

    Raises:
        SourceError: reading failed.
    """
    reach = Reach(begin)

    def visit(entry: "Entry") -> Reach:
        header = entry.header()
        last_offset = header.last_offset
        return Reach(
            entry.position + entry.frame.size_in_bytes, entry.position, None if last_offset is None else last_offset + 1
        )

    reader = SegmentReader(file, limits=limits, on_damage="skip", buffer=buffer, is_growing=is_growing)
    for found in reader.bulk_walk(visit, begin):
        if isinstance(found, ReadWindow):
            batches = found.batches()
            if end_offset is not None:
                beyond = np.flatnonzero(batches.last_offsets >= end_offset)
                if len(beyond):
                    batches = batches[: int(beyond[0])]
                    found.ends_walk = True
            found.take(batches)
            if len(batches):
                position = found.position + found.taken
                reach = Reach(position, found.last, int(batches.last_offsets[-1]) + 1)
            del batches  # so that the next window reuses the memory
        elif end_offset is not None and found.next_offset is not None and found.next_offset > end_offset:
            return reach
        else:
            reach = found
    return reach


@dataclass(frozen=True, slots=True)
class Removed:
    """Offsets without a record.

    Attributes:
        first: the lowest such offset, or the base offset of the batch that holds it.
        last: the highest such offset, or the last offset of the batch that holds it.
        count: number of such offsets.
    """

    first: int
    last: int
    count: int

    def __add__(self, other: "Removed") -> "Removed":
        return Removed(min(self.first, other.first), max(self.last, other.last), self.count + other.count)

    def __str__(self) -> str:
        offsets = f"offset {self.first}" if self.first == self.last else f"offsets {self.first} to {self.last}"
        return offsets if self.count == self.last - self.first + 1 else f"{self.count} of the {offsets}"


def removed_offsets(
    file: "File",
    begin: int,
    end: int,
    limits: "Limits",
    *,
    since: int,
    end_offset: int | None = None,
    buffer: Callable[[int], memoryview] = new_buffer,
) -> Removed | None:
    """Find the offsets between and in whole entries that have no record; None if every offset has one.

    The offsets of a log have gaps only where Kafka's cleaner removed records. Offsets missing after damage are left
    out, and so are those in a wrapper, whose header lacks the number of messages.

    Args:
        file: an open log file.
        begin: position of the first entry, in bytes.
        end: end of the last entry.
        limits: bounds of an entry's size.
        since: the lowest offset that counts.
        end_offset: the offset after the last entry; None if unknown.
        buffer: makes a writable buffer of a size in bytes.

    Raises:
        SourceError: reading failed.
    """
    gaps = _Gaps(since)
    reader = SegmentReader(file, limits=limits, on_damage="skip", end=end, report=gaps.meet, buffer=buffer)
    for found in reader.bulk_walk(_offsets_of, begin):
        if isinstance(found, ReadWindow):
            batches = found.batches()
            found.take(batches)
            if len(batches):
                headers = batches.headers
                gaps.see(headers["base_offset"], batches.last_offsets, headers["num_records"].astype(np.int64))
            del batches
        elif found is not None:
            gaps.see(*(np.array([number], np.int64) for number in found))
    if end_offset is not None:
        gaps.see(*(np.array([number], np.int64) for number in (end_offset, end_offset, 1)))
    return gaps.found


def _offsets_of(entry: "Entry") -> tuple[int, int, int] | None:
    """First and last offset of an entry, and its number of records; for a wrapper the first offset is -1."""
    header = entry.header()
    first, last = header.base_offset, header.last_offset
    if last is None:
        return None
    return (-1 if first is None else first), last, (1 if header.count is None else header.count)


class _Gaps:
    """Adds up the gaps between and within entries.

    Args:
        since: the lowest offset that counts.

    Attributes:
        found: the missing offsets, or None.
    """

    def __init__(self, since: int) -> None:
        self.found: Removed | None = None
        self._since = self._next = since
        self._is_after_damage = False

    def meet(self, _: "Damage") -> None:
        """Leave out the gap before the next entry."""
        self._is_after_damage = True

    def see(self, firsts: "Positions", lasts: "Positions", counts: "Positions") -> None:
        """Take the next entries by their first and last offsets and numbers of records."""
        follow = np.maximum.accumulate(np.concatenate([[self._next], lasts[:-1] + 1]))
        between = np.maximum(firsts - follow, 0)
        if self._is_after_damage:
            between[0], self._is_after_damage = 0, False
        within = np.where(firsts >= self._since, np.maximum(lasts - firsts + 1 - counts, 0), 0)
        rows = np.flatnonzero(between + within)
        if len(rows):
            first, last = int(rows[0]), int(rows[-1])
            found = Removed(
                int(follow[first] if between[first] else firsts[first]),
                int(lasts[last] if within[last] else firsts[last] - 1),
                int((between + within).sum()),
            )
            self.found = found if self.found is None else self.found + found
        self._next = max(int(follow[-1]), int(lasts[-1]) + 1)
