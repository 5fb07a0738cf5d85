"""Reading from a failing disk: the readable parts of log files; unreadable side files count as broken."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from kafkafmt.errors import DataError, SourceError
from kafkafmt.io.base import File

T = TypeVar("T")

# A page of the file system's cache, the least that a read gets from a disk.
_BLOCK = 4096


def if_sound(read: Callable[[], T]) -> T | None:
    """Read a side file; None if it is damaged, or the disk fails to read it.

    Raises:
        SourceError: the file cannot be read for another reason.
    """
    try:
        return read()
    except DataError:
        return None
    except SourceError as error:
        if not error.is_disk_failure:
            raise
        return None


class SalvagedFile(File):
    """A file whose unreadable blocks read as zeros, and are recorded.

    Args:
        file: the file, which is closed with this one.

    Attributes:
        unreadable: begin and end of unreadable ranges, in bytes, in the order of reads; they may overlap.
    """

    def __init__(self, file: File) -> None:
        super().__init__(file.name, file.size)
        self._file = file
        self.worth_skipping, self.block, self.unit = file.worth_skipping, file.block, file.unit
        self.unreadable: list[tuple[int, int]] = []

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Read the readable part; see `File.readinto_at`.

        Raises:
            SourceError: reading failed for a reason other than a failing disk.
        """
        try:
            return self._file.readinto_at(position, buffer)
        except SourceError as error:
            if not error.is_disk_failure:
                raise
        wanted = max(0, min(len(buffer), self.size - position))
        middle = (position + wanted // 2) // _BLOCK * _BLOCK
        if middle <= position:
            middle = position // _BLOCK * _BLOCK + _BLOCK
        if middle >= position + wanted:
            buffer[:wanted] = bytes(wanted)
            self._note(position, position + wanted)
            return wanted
        # Failed ranges are halved repeatedly, so that the number of reads is proportional to the number of bad blocks.
        self.readinto_at(position, buffer[: middle - position])
        self.readinto_at(middle, buffer[middle - position : wanted])
        return wanted

    def next_data(self, position: int) -> int:
        """`File.next_data` of the underlying file."""
        return self._file.next_data(position)

    def lost(self, begin: int, end: int) -> DataError | None:
        """`File.lost` of the underlying file."""
        return self._file.lost(begin, end)

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def _note(self, begin: int, end: int) -> None:
        with suppress(IndexError):
            before, at = self.unreadable[-1]
            if before <= begin <= at:
                self.unreadable[-1] = before, max(at, end)
                return
        self.unreadable.append((begin, end))
