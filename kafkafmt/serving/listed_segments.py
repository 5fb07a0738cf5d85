"""ListedSegments: the segments of a served log as they were listed. Its methods read files, so they block."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property
from kafkafmt.errors import SourceError
from kafkafmt.files.damage import Damage, skipped_text
from kafkafmt.logdir.growth import status_of

if TYPE_CHECKING:
    from kafkafmt.logdir.growth import Inode
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.segment import Segment


class ListedSegments:
    """The segments of one state of a log, whose files may change while they are read.

    Args:
        partition: the replica.
        inodes: inodes of the segments if the replica is followed, else None.
        report: takes a line for each skipped damage.
        skips_damage: whether damage is skipped; otherwise it is raised.
    """

    def __init__(
        self,
        partition: "Partition",
        inodes: "Sequence[Inode] | None",
        report: Callable[[str], None],
        *,
        skips_damage: bool,
    ) -> None:
        self._partition, self._inodes, self._report = partition, inodes, report
        self._skips_damage = skips_damage

    @cached_property
    def segments(self) -> "Sequence[Segment]":
        """The segments in order."""
        return self._partition.segments

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {segment.file: number for number, segment in enumerate(self.segments)}

    @property
    def skip(self) -> Callable[[Damage], None] | None:
        """Takes damage that is skipped; None if damage is raised."""
        return self.note if self._skips_damage else None

    def note(self, damage: Damage) -> None:
        """Report damage, except an open end and damage of a file that has changed since."""
        number = self._numbers.get(damage.file or "")
        if not damage.is_open_end and (number is None or self._is_same(number)):
            self._report(skipped_text(damage, str(damage.error)))

    def place(self, offset: int) -> tuple[int, int] | None:
        """Number of the segment, and position in it, of the batch that has an offset; None if there is no such batch.

        Raises:
            KafkafmtError: the log is damaged and damage is not skipped, or a file cannot be read.
        """
        found = self._partition.find_offset(offset, report=self.skip)
        return None if found is None else (self._numbers[found.file], found.position)

    def require_same(self, numbers: range) -> None:
        """Check that segments of a followed log are still the listed ones, as each is opened by its name.

        Args:
            numbers: numbers of the segments.

        Raises:
            SourceError: a segment was deleted, compacted or truncated.
        """
        for number in numbers if self._inodes is not None else ():
            if not self._is_same(number):
                raise SourceError("the file changed since it was listed", file=self.segments[number].path)

    def _is_same(self, number: int) -> bool:
        segment = self.segments[number]
        status = None if self._inodes is None else status_of(segment.location.absolute)
        known = None if self._inodes is None else self._inodes[number]
        return known is None or (status is not None and status[:2] == known and status[2] >= segment.size)
