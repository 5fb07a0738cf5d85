"""OffsetOrder: finds where the offsets of a log file go back, or jump ahead and come back.

No CRC covers a batch's base offset, nor the offset of a message, so only neighbouring entries can refute it. Offsets
rise from entry to entry, from the segment's base offset to that of the next segment; compaction leaves gaps, which are
legal. If two entries are out of order, one of them is wrong. If the gap between the neighbours of one is exactly the
size of its offsets, that one is wrong, and its true offset is known. After a clean shutdown the recovery point bounds
the last entry.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from kafkafmt.columnar.headers import Batches, Mask, Positions
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.findings import FINDING, NOTE, Finding
from kafkafmt.reference.header import INT32_MAX, INT64_MAX

if TYPE_CHECKING:
    from kafkafmt.reference.header import BatchHeader

MOST_FAULTS = 100
"""Limit of faults reported individually per file; a last report gives the number of the others."""

_WHY = "no CRC covers offsets"
_HIGH = INT64_MAX - (1 << 32)  # the last offset of a batch that begins below fits an int64


@dataclass(frozen=True, slots=True)
class OffsetFault:
    """An entry whose offset cannot be true, or the first of two entries of which one is wrong.

    Attributes:
        position: position of the entry in the file, in bytes.
        length: size of the entry in bytes.
        message: the fault.
        first_offset: the first offset that it must have had, or None if unknown.
        last_offset: the last offset that it must have had, or None if unknown.
        kind: "offset"; "overlap" if the offsets reach into the next segment and its true start is unknown; "overflow"
            if they are too far from the base offset of the segment for its indexes; "epoch" if the leader epoch cannot
            be true.
        is_finding: whether something is wrong; else it is only worth a note.
        other: position of the previous entry, if that may be the wrong one instead; else None.
        lowest: the lowest first and last offsets that it can have had, as it follows earlier entries; None if unknown.
    """

    position: int
    length: int
    message: str
    first_offset: int | None = None
    last_offset: int | None = None
    kind: Literal["offset", "overlap", "overflow", "epoch"] = "offset"
    is_finding: bool = True
    other: int | None = None
    lowest: tuple[int, int] | None = None

    @property
    def range(self) -> tuple[int, int] | None:
        """The first and last offset that it must have had, or the lowest that it can have had; None if unknown."""
        if self.first_offset is None or self.last_offset is None:
            return self.lowest
        return self.first_offset, self.last_offset

    def finding(
        self, path: str, advice: str = "", *, topic: str | None = None, partition: int | None = None
    ) -> Finding:
        """Make the finding, or note, of a segment with this fault.

        Args:
            path: path of the segment.
            advice: the next step, or "".
            topic: topic of the partition, or None.
            partition: number of the partition, or None.
        """
        return Finding(
            FINDING if self.is_finding else NOTE,
            self.kind,
            path,
            self.message,
            advice,
            self.position,
            self.length,
            topic,
            partition,
            self.first_offset,
            self.last_offset,
        )


class _Seen(NamedTuple):
    """An entry, or a bound of the segment in place of an entry.

    Attributes:
        first: its first offset; for a wrapper its last one, as its header has no other.
        last: its last offset.
        begin: its position in the file, in bytes; -1 for the segment's own bounds.
        end: its end in the file.
        is_exact: whether `first` is really its first offset.
        is_doubtful: whether either its offsets or those of the previous entry are wrong, and it is unknown which.
    """

    first: int
    last: int
    begin: int
    end: int
    is_exact: bool = True
    is_doubtful: bool = False


def is_bounded(before: int, first: int, clean_end: int) -> bool:
    """Whether the last batch of a log must end at or below the log end of a clean shutdown.

    A batch that directly continues its predecessor is right without further evidence, and a checkpoint below the
    predecessor may itself be damaged.

    Args:
        before: the last offset before the batch.
        first: first offset of the batch.
        clean_end: the recovery point after the shutdown.
    """
    return first != before + 1 and clean_end > before


class OffsetOrder:
    """Checks the offsets of one log file, or part of one, entry by entry in file order.

    Args:
        bounds: partition and offsets of the segment.
        report: called with each fault, once the neighbouring entries are known.
        opening: called instead with faults up to the second entry, which the part before this one also reports (by
            `look_beyond`); None if there is no such part.
        most: limit of faults that are reported individually; a last report gives the number of the others.
        with_overflow: whether an offset too far from the base offset is a fault.
    """

    __slots__ = (
        "_back",
        "_before",
        "_bounds",
        "_current",
        "_far",
        "_faults",
        "_first",
        "_most",
        "_opening",
        "_reach",
        "_report",
    )

    def __init__(
        self,
        bounds: SegmentBounds,
        report: Callable[[OffsetFault], None],
        opening: Callable[[OffsetFault], None] | None = None,
        most: int = MOST_FAULTS,
        *,
        with_overflow: bool = False,
    ) -> None:
        self._bounds = bounds
        self._report = report
        self._opening = opening
        self._most = most
        self._faults = 0
        self._first: int | None = None
        self._before: _Seen | None = None
        self._current: _Seen | None = None
        # The second of two entries out of order, until the entry after it shows which of them is wrong.
        self._back: _Seen | None = None
        # Highest offset that the segment's indexes can hold; None once an entry exceeded it.
        self._reach: int | None = None
        # The first entry above it, and the previous one: the next one shows whether only this one is out of order.
        self._far: tuple[_Seen, _Seen] | None = None
        if bounds.base_offset is not None:
            self._reach = bounds.base_offset + INT32_MAX if with_overflow else None
            lowest = bounds.base_offset - 1
            self._current = _Seen(lowest, lowest, -1, 0, is_exact=False)

    @property
    def next_offset(self) -> int | None:
        """Offset after the last entry taken; the base offset before the first one; None if unknown."""
        return None if self._current is None else self._current.last + 1

    def see(self, header: "BatchHeader") -> None:
        """Take the next entry by its header; of a wrapper that is not decompressed only the last offset is known."""
        self.see_offsets(header.base_offset, header.last_offset, header.position, header.size_in_bytes)

    def see_offsets(self, base_offset: int | None, last_offset: int | None, position: int, size: int) -> None:
        """Take the next entry by the given fields of its header."""
        if last_offset is not None:
            first = last_offset if base_offset is None else base_offset
            self._see(_Seen(first, last_offset, position, position + size, is_exact=base_offset is not None))

    def see_message(self, offset: int, position: int, size: int) -> None:
        """Take the next message of formats v0 and v1 that is not a wrapper."""
        self._see(_Seen(offset, offset, position, position + size))

    def see_batches(self, batches: Batches) -> None:
        """Take the next batches, in bulk where they are in order."""
        position = batches.position
        self.see_all(
            batches.headers["base_offset"], batches.last_offsets, batches.starts + position, batches.ends + position
        )

    def see_all(
        self, first: Positions, last: Positions, begins: Positions, ends: Positions, is_exact: Mask | None = None
    ) -> None:
        """Take the next entries, given by the fields of `_Seen`, in bulk where they are in order."""
        count = len(first)
        current = self._current
        begin = 0
        if (
            count > 2
            and self._back is None
            and (current is None or first[0] > current.last)
            and (first[1:] > last[:-1]).all()
            and not (first > _HIGH).any()
        ):
            if self._far is not None:
                self._tell_far()
            begin = count - 2
            if self._reach is not None and last[-1] > self._reach:
                begin = min(begin, int((last > self._reach).argmax()))
            self._first = int(begins[0]) if self._first is None else self._first
            self._current = None if begin else current
        exact = [True] * (count - begin) if is_exact is None else is_exact[begin:].tolist()
        rows = first[begin:].tolist(), last[begin:].tolist(), begins[begin:].tolist(), ends[begin:].tolist(), exact
        for row in zip(*rows, strict=True):
            self._see(_Seen(*row))

    def look_beyond(self, headers: "Iterable[BatchHeader]") -> bool:
        """Take entries after the last one of this part; faults up to the first two of them are reported.

        Args:
            headers: headers of the next entries, of which at most three are read.

        Returns:
            Whether there were fewer entries.
        """
        for number, header in enumerate(headers, 1):
            self.see(header)
            if number > 1 and (self._back is None or number > 2):
                self._back = self._current = None
                return False
        return True

    def end(self, position: int | None = None) -> None:
        """Report faults that were waiting for another entry.

        Args:
            position: end of the file, if the last entry ended there and the next segment follows.
        """
        following = self._bounds.next_base_offset
        if following is None and self._is_bounded():
            following = self._bounds.clean_end
        if position is not None and following is not None and self._current is not None:
            self._see(_Seen(following, following, position, position))
        if self._back is not None and self._current is not None:
            self._tell_both(self._current, self._back)
        self._back = None
        if self._far is not None:
            self._tell_far()
        if self._faults > self._most:
            more = self._faults - self._most
            self._faults = 0
            self._report(OffsetFault(0, 0, f"{more} more places where offsets go back ({_WHY})"))

    def _is_bounded(self) -> bool:
        before, last = (self._before, self._current) if self._back is None else (self._current, self._back)
        end = self._bounds.clean_end
        return end is not None and before is not None and last is not None and is_bounded(before.last, last.first, end)

    def _see(self, entry: _Seen) -> None:
        if self._first is None and entry.begin >= 0:
            self._first = entry.begin
        current, back = self._current, self._back
        if entry.first > _HIGH and entry.last < 0:
            entry = entry._replace(last=entry.last + (1 << 64))  # undo the wrap of Java's addition
        if self._far is not None:
            if entry.first > self._far[1].last:
                self._tell_far()
            self._far = None
        if self._reach is not None and entry.last > self._reach and entry.end > entry.begin >= 0:
            self._far = (current or entry, entry)
        if current is not None and back is not None:
            self._back = None
            if _leaves_its_room(current, back, entry):
                self._tell(current, back, current.last + 1, entry)
                self._before, self._current = _mended(back, current.last + 1), entry
                return
            self._tell_both(current, back)
            current = back._replace(is_doubtful=True)
            self._before, self._current = None, current
        if current is None or entry.first > current.last:
            self._before, self._current = current, entry
        elif self._before is not None and _leaves_its_room(self._before, current, entry):
            self._tell(current, current, self._before.last + 1, entry)
            self._before, self._current = _mended(current, self._before.last + 1), entry
        else:
            self._back = entry

    def _tell_far(self) -> None:
        """Report the first entry that is too far from the base offset."""
        if self._far is not None:
            before, far = self._far
            base = self._bounds.base_offset or 0
            message = (
                f"offset {far.last} is {far.last - base} above the base offset of the segment, whose indexes hold "
                f"{INT32_MAX} at most: Kafka splits the segment at offset {far.first} when it recovers the log"
            )
            self._add(before, OffsetFault(far.begin, far.end - far.begin, message, kind="overflow"))
        self._far = self._reach = None

    def _tell(self, first: _Seen, wrong: _Seen, offset: int, after: _Seen) -> None:
        """Report which of two entries out of order is wrong, with the offset that it must have had."""
        gap = "that is exactly the gap between its neighbours"
        if self._is_clean_end(after):
            gap = f"that is exactly the gap before {after.first}, the log end at the clean shutdown"
        message = f"base offset {wrong.first} should be {offset}: {gap} ({_WHY})"
        last = wrong.last - wrong.first + offset
        self._add(first, OffsetFault(wrong.begin, wrong.end - wrong.begin, message, offset, last))

    def _tell_both(self, first: _Seen, second: _Seen) -> None:
        """Report two entries out of order, one of which is wrong."""
        wrong, other, lowest = second, None, None
        kind: Literal["offset", "overlap", "overflow"] = "offset"
        if first.begin < 0:
            message = f"offset {second.first} is below the base offset of the segment, {first.last + 1} ({_WHY})"
            lowest = first.last + 1, first.last + 1 + second.last - second.first
        elif self._is_clean_end(second):
            wrong = first
            message = (
                f"offsets reach up to {first.last}, but a clean shutdown left the log end at {second.first} ({_WHY})"
            )
        elif second.begin == second.end:
            wrong, kind = first, "overlap"
            message = f"offsets reach up to {first.last}, but the next segment begins at {second.first} ({_WHY})"
        else:
            message = f"offsets go back from {first.last} to {second.first} ({_WHY})"
            if self._before is None or second.first > self._before.last:
                other = first.begin
            else:
                lowest = first.last + 1, first.last + 1 + second.last - second.first
        fault = OffsetFault(wrong.begin, wrong.end - wrong.begin, message, kind=kind, other=other, lowest=lowest)
        self._add(first, fault)

    def _is_clean_end(self, bound: _Seen) -> bool:
        """Whether this is not an entry, but the end of a log after a clean shutdown."""
        return bound.begin == bound.end and self._bounds.next_base_offset is None

    def _add(self, first: _Seen, fault: OffsetFault) -> None:
        if self._opening is not None and first.begin in (-1, self._first):
            self._opening(fault)
            return
        self._faults += 1
        if self._faults <= self._most:
            self._report(fault)


def _leaves_its_room(before: _Seen, wrong: _Seen, after: _Seen) -> bool:
    """Whether three entries are adjacent, and the inner one exactly fills the offsets between the outer two."""
    return (
        wrong.is_exact
        and after.is_exact
        and not before.is_doubtful
        and before.end == wrong.begin
        and wrong.end == after.begin
        and after.first - before.last == wrong.last - wrong.first + 2
    )


def _mended(wrong: _Seen, offset: int) -> _Seen:
    return wrong._replace(first=offset, last=wrong.last - wrong.first + offset)
