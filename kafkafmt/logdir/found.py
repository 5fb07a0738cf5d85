"""Found: a partition directory or log file that a search has found, with the log files to read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.files.wrapped import refuse_packed
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment

if TYPE_CHECKING:
    from kafkafmt.io.base import Location


@dataclass(frozen=True, slots=True)
class Found:
    """A partition directory, or one file given alone.

    Attributes:
        partition: the directory.
        file: the file, or None for the whole directory.
    """

    partition: Partition
    file: Segment | None = None

    @property
    def segments(self) -> list[Segment]:
        """The log files to read.

        Raises:
            SourceError: the directory or a swap file in it cannot be read, or all its log files are packed.
        """
        if self.file is not None:
            return [self.file]
        segments = self.partition.segments
        if not segments:
            refuse_packed([each.location for each in self.partition.other_segments])
        return segments

    def anchored(self) -> "Found":
        """The same, with files named by their whole path or URI."""
        return Found(self.partition.anchored(), None if self.file is None else self.file.anchored())

    @property
    def location(self) -> "Location":
        """Location of the directory or file."""
        return self.partition.location if self.file is None else self.file.location

    @property
    def path(self) -> str:
        """Path or URI of the directory or file."""
        return str(self.location)
