"""SalvagedFile: a file on a disk that fails, read as far as it can be."""

from contextlib import suppress

from kafkafmt.errors import SourceError
from kafkafmt.io.base import File

_BLOCK = 4096


class SalvagedFile(File):
    """A file whose blocks that cannot be read are zeros, and are noted.

    Args:
        file: is closed with it.

    Attributes:
        unreadable: begin and end of stretches, bytes, in the order in which they were met; they may overlap.
    """

    def __init__(self, file: File) -> None:
        super().__init__(file.name, file.size)
        self._file = file
        self.unreadable: list[tuple[int, int]] = []

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Read what can be read; see `File.readinto_at`.

        Raises:
            SourceError: reading failed for another reason than a failing disk.
        """
        try:
            return self._file.readinto_at(position, buffer)
        except SourceError as error:
            if not isinstance(error.__cause__, OSError):
                raise
        wanted = max(0, min(len(buffer), self.size - position))
        middle = (position + wanted // 2) // _BLOCK * _BLOCK
        if middle <= position:
            middle = position // _BLOCK * _BLOCK + _BLOCK
        if middle >= position + wanted:
            buffer[:wanted] = bytes(wanted)
            self._note(position, position + wanted)
            return wanted
        # Halves of halves: as few calls as there are blocks that fail, and some more.
        self.readinto_at(position, buffer[: middle - position])
        self.readinto_at(middle, buffer[middle - position : wanted])
        return wanted

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
