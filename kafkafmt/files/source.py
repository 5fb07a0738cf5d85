"""The one door to bytes on disk: every module of `kafkafmt.files` reads through `read_bytes` or `open_file`.

Files are opened read-only, and only regular ones: a directory is refused, and so are a pipe and a device, which could
block or change by being opened. A file counts as large as it was when opened, however much a broker appends to it.
"""

import io
import os
import stat
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from kafkafmt.errors import LimitExceededError, SourceError


class File(ABC):
    """A file open for reading at any position, of a size that stays what it was at opening.

    Attributes:
        name: the path it was opened by; undecodable bytes of it are surrogate escapes, as `os.fsdecode` makes them.
        size: bytes in the file when it was opened.
    """

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


class LocalFile(File):
    """A regular file of this machine; positions are its own, so threads may share it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = os.fsdecode(path)
        try:
            # Looked at before opening: to open a pipe or a device can already change it.
            _require_regular(os.stat(name), name)
            self._handle = io.FileIO(name, opener=_open_without_waiting)
            status = os.fstat(self._handle.fileno())
        except (OSError, ValueError) as error:
            raise _failure(name, error) from error
        try:
            _require_regular(status, name)
        except SourceError:
            self._handle.close()
            raise
        super().__init__(name, status.st_size)

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Read with `preadv`, as often as it takes; see `File.readinto_at`."""
        wanted = max(0, min(len(buffer), self.size - position))
        done = 0
        while done < wanted:
            try:
                count = os.preadv(self._handle.fileno(), [buffer[done:wanted]], position + done)
            except OSError as error:
                raise _failure(self.name, error, position + done) from error
            if count == 0:
                raise SourceError(
                    "the file shrank while it was read",
                    file=self.name,
                    position=position + done,
                    expected=f"{self.size} bytes",
                    found=f"{position + done} bytes",
                )
            done += count
        return done

    def close(self) -> None:
        """Release the file descriptor."""
        self._handle.close()


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


def open_file(path: str | os.PathLike[str]) -> File:
    """Open a regular file read-only.

    Raises:
        SourceError: it is missing, forbidden, or no regular file.
    """
    return LocalFile(path)


def read_bytes(path: str | os.PathLike[str], *, max_bytes: int) -> bytes:
    """Return the whole of a file that has a bounded size.

    Args:
        path: a regular file.
        max_bytes: largest size in bytes that a sound file of its kind can have.

    Raises:
        SourceError: the file cannot be read, or shrinks meanwhile.
        LimitExceededError: it is larger than `max_bytes`; nothing has been read of it then.
    """
    with open_file(path) as file:
        if file.size > max_bytes:
            raise LimitExceededError(
                "the file is too large for its kind",
                file=file.name,
                expected=f"at most {max_bytes} bytes",
                found=f"{file.size} bytes",
            )
        return file.read_at(0, file.size)


def _open_without_waiting(name: str, flags: int) -> int:
    # A pipe put there since the look at it must not make us wait for its writer.
    return os.open(name, flags | os.O_NONBLOCK)


def _require_regular(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(
            "this is no regular file",
            file=name,
            found="a directory" if stat.S_ISDIR(status.st_mode) else "a special file",
        )


def _failure(name: str, error: OSError | ValueError, position: int | None = None) -> SourceError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return SourceError(f"the file cannot be read: {reason}", file=name, position=position)
