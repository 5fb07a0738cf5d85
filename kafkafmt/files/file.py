"""What every reader of bytes works on: a file of a fixed size, read at any position."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class File(ABC):
    """A file open for reading at any position, of a size that stays what it was at opening.

    Attributes:
        name: the path or URI it was opened by; undecodable bytes are surrogate escapes, as `os.fsdecode` makes them.
        size: bytes in the file when it was opened.
        worth_skipping: bytes that must lie in between for a jump over them to cost less than reading them.
        block: bytes that a look-up reads at once: fewer take as long.
    """

    # From the page cache, and with a disk's read-ahead more so: a call takes as long as these bytes do.
    worth_skipping = 64 * 1024
    block = 4 * 1024

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size

    @abstractmethod
    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Fill `buffer` from `position` on, up to the file's `size`.

        Args:
            position: first byte to read, counted from the start of the file.
            buffer: writable, one byte an item.

        Returns:
            Bytes read: less than the buffer holds only where `size` ends, and 0 from there on.

        Raises:
            SourceError: reading failed, or the file has become shorter than `size`.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the file; closing twice is harmless."""

    def read_at(self, position: int, length: int) -> bytes:
        """Return `length` bytes from `position` on, or what there is up to `size`.

        Raises:
            SourceError: reading failed, or the file has become shorter than `size`.
        """
        buffer = bytearray(max(0, min(length, self.size - position)))
        self.readinto_at(position, memoryview(buffer))
        return bytes(buffer)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class MemoryFile(File):
    """Bytes in memory that are read as a file is."""

    def __init__(self, name: str, data: bytes | memoryview) -> None:
        super().__init__(name, len(data))
        self._data = memoryview(data)

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Copy bytes out; see `File.readinto_at`."""
        piece = self._data[position : position + len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Keep the bytes: they belong to the caller."""
