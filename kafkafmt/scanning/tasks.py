"""Tasks: the ranges of log files that a scan reads, in its order, with the wanted records."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from kafkafmt.files.damage import Damage
from kafkafmt.files.loss import SegmentBounds
from kafkafmt.io.base import MemoryFile
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir.segment import Segment
from kafkafmt.record_columns import Origin
from kafkafmt.scanning.file_selection import OffsetRange

Replica = Literal["best", "all"]


@dataclass(frozen=True, slots=True)
class ScanTask:
    """A range of one log file, with the wanted records. It can be pickled, and read in any process.

    Attributes:
        topic: name of the topic, or None.
        partition: number of the partition, or None.
        segment: the log file.
        offsets: wanted offsets.
        next_base_offset: base offset of the next segment, or None if unknown.
        is_last: whether no later segment of its log is known.
        begin: start of the range in bytes, which is the start of an entry; 0 to let the offset index decide where to
            begin.
        end: end of the range, where the first entry of the next task begins; None for the end of the file.
        most_records: upper bound of its records; None if that was not requested.
        is_reported: whether another task reads the same bytes and reports their damage.
        damage: damage that planning met in the range, and reading may miss.
    """

    topic: str | None
    partition: int | None
    segment: Segment
    offsets: OffsetRange = OffsetRange()  # noqa: RUF009 (it is immutable)
    next_base_offset: int | None = None
    is_last: bool = True
    begin: int = 0
    end: int | None = None
    most_records: int | None = None
    is_reported: bool = False
    damage: tuple[Damage, ...] = ()

    @property
    def file(self) -> str:
        """Name of the file in the `file` column, errors and damage."""
        return self.segment.file

    @property
    def base_offset(self) -> int | None:
        """Base offset in the segment's name, or None."""
        return self.segment.base_offset

    @property
    def origin(self) -> Origin:
        """Origin of its records."""
        return Origin(self.topic, self.partition, self.file)

    @property
    def bounds(self) -> SegmentBounds:
        """Partition and offsets of the segment."""
        return SegmentBounds(self.topic, self.partition, self.base_offset, self.next_base_offset)

    @property
    def stop(self) -> int:
        """End of the range in bytes, also if that is the end of the file."""
        return self.segment.size if self.end is None else self.end

    def may_end_open(self) -> bool:
        """Whether an incomplete last entry or zeros at the end of the file are not damage.

        Raises:
            SourceError: as for `Segment.may_end_open`.
        """
        return self.is_last and self.segment.may_end_open()

    @property
    def ends_file(self) -> bool:
        """Whether the range ends where the file does."""
        return self.end is None or self.end >= self.segment.size

    @property
    def size_in_bytes(self) -> int:
        """Size of the range in bytes."""
        return self.stop - self.begin

    @property
    def starts_inside(self) -> bool:
        """Whether the file, by its name, also has offsets before the wanted ones."""
        start, base_offset = self.offsets.start, self.base_offset
        return start is not None and base_offset is not None and start > base_offset

    @property
    def ends_inside(self) -> bool:
        """Whether the file, by its name and that of the next one, may also have offsets after the wanted ones."""
        end, following = self.offsets.end, self.next_base_offset
        return end is not None and self.base_offset is not None and (following is None or end < following)

    @property
    def most_records_by_name(self) -> int | None:
        """Upper bound of the file's records, by its name and that of the next one; None if unknown."""
        base_offset, end = self.base_offset, self.next_base_offset
        if base_offset is None or end is None or end <= base_offset:
            return None
        start = base_offset if self.offsets.start is None else max(base_offset, self.offsets.start)
        return max(0, (end if self.offsets.end is None else min(end, self.offsets.end)) - start)

    def part(self, begin: int, end: int, most_records: int | None) -> "ScanTask":
        """A part of the range, with the damage that planning met there."""
        damage = tuple(damage for damage in self.damage if begin <= damage.position < end)
        return replace(self, begin=begin, end=end, most_records=most_records, damage=damage)


class SegmentInMemory(Segment):
    """A log file whose bytes are in memory, without any files beside it; `is_live` is False.

    Args:
        file: path or name of the file, for answers; nothing is opened there.
        content: all its bytes.
    """

    def __init__(self, file: str, content: bytes) -> None:
        super().__init__(LocalLocation(file), file=file, size=len(content))
        self._content = content

    @property
    def is_live(self) -> bool:
        """False, so that no leader-epoch-checkpoint is searched for."""
        return False

    def may_end_open(self) -> bool:
        """Return true, as nothing is known about the broker."""
        return True

    def open(self) -> MemoryFile:
        """Return a file of the bytes, whatever they look like."""
        return MemoryFile(self.file, self._content)

    @contextmanager
    def ranged_offset_index(self, trace: object = None) -> Iterator[None]:  # noqa: ARG002
        """Yield None, as there is no index."""
        yield None
