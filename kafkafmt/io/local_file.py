"""Files of this machine: only regular ones, opened read-only.

A directory in place of a file is refused, and so are a pipe and a device, which could block or have side effects when
opened. A file keeps the size it had when it was opened, however much a broker appends to it.
"""

import errno
import os
import stat
import threading
import warnings
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io.base import File
from kafkafmt.phrases import sized

if TYPE_CHECKING:
    from collections.abc import Hashable

_WITHOUT_WAITING = os.O_RDONLY | os.O_NONBLOCK
_WITHOUT_LINKS = _WITHOUT_WAITING | os.O_NOFOLLOW

TOO_MANY_OPEN: Final = (errno.EMFILE, errno.ENFILE)
"""Errors when a process, or the system, may not open more files."""


def is_shortage(fault: KafkafmtError) -> bool:
    """Whether a file could not be opened only because too many others are open."""
    return isinstance(fault.__cause__, OSError) and fault.__cause__.errno in TOO_MANY_OPEN


class SpareFiles(Protocol):
    """Files that are open although nothing reads them now."""

    def let_go(self) -> None:
        """Close the files."""


_spare_files: WeakSet[SpareFiles] = WeakSet()
_spare_files_lock = threading.Lock()


def close_when_short(files: SpareFiles) -> None:
    """Allow spare files to be closed when no more files can be opened; they are registered as long as they exist."""
    with _spare_files_lock:
        _spare_files.add(files)


def let_go() -> None:
    """Close all spare files."""
    with _spare_files_lock:
        registered = list(_spare_files)
    for files in registered:
        files.let_go()


class LocalFile(File):
    """A regular file of this machine, without a file position, so that threads may share it.

    Args:
        path: path of the file.
        listed: whether a listing of its directory shows that it is a regular file and not a link, so that it is opened
            without another check; a link that has taken its place is not followed.

    Raises:
        SourceError: the file cannot be read, or is not a regular file.
    """

    may_change = True
    _descriptor = -1

    def __init__(self, path: str | os.PathLike[str], *, listed: bool = False) -> None:
        name = path if type(path) is str else os.fsdecode(path)
        try:
            if not listed:
                # Checked before opening, because opening a pipe or device may already have an effect.
                _require_regular(os.stat(name), name)
            # Must not wait for the writer of a pipe that has replaced the file since the check.
            handle = _opened(name, _WITHOUT_LINKS if listed else _WITHOUT_WAITING)
            status = os.fstat(handle)
        except (OSError, ValueError) as error:
            if listed and isinstance(error, OSError) and error.errno == errno.ELOOP:
                raise SourceError("a link took the place of the file since it was listed", file=name) from error
            raise unreadable_file(name, error) from error
        # A plain descriptor, as an `io` object would call `fstat` once more.
        self._descriptor = handle
        self.name = name
        self.size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            self.close()
            _require_regular(status, name)
        self.version = version_of(status)

    @property
    def descriptor(self) -> int | None:
        """Descriptor of the open file; see `File`."""
        return self._descriptor if self._descriptor >= 0 else None

    def version_now(self) -> "Hashable | None":
        """The present version: different after any write, and if another file took its name; None if the file is gone.

        It does not change if the directory was renamed and another one took its name; only opening the file again shows
        that.
        """
        try:
            return version_of(os.fstat(self._descriptor))
        except OSError:  # a network file system may remove a file while it is open
            return None

    def read_at(self, position: int, length: int) -> bytes:
        """Read with usually one `preadv`; see `File.read_at`."""
        wanted = min(length, self.size - position)
        if wanted <= 0:
            return b""
        buffer = bytearray(wanted)
        try:
            count = os.preadv(self._descriptor, [memoryview(buffer)], position)
        except OSError as error:
            raise unreadable_file(self.name, error, position) from error
        return bytes(buffer) if count == wanted else super().read_at(position, length)

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Read with as many calls of `preadv` as needed; see `File.readinto_at`."""
        wanted = max(0, min(len(buffer), self.size - position))
        done = 0
        while done < wanted:
            try:
                count = os.preadv(self._descriptor, [buffer[done:wanted]], position + done)
            except OSError as error:
                raise unreadable_file(self.name, error, position + done) from error
            if count == 0:
                raise SourceError(
                    "the file shrank while it was read",
                    file=self.name,
                    position=position + done,
                    expected=sized(self.size),
                    found=sized(position + done),
                )
            done += count
        return done

    def data_end(self) -> int:
        """End of the last extent with data, from the file system; see `File.data_end`."""
        if self.size <= self.block or not hasattr(os, "SEEK_DATA"):
            return self.size
        handle, end = self._descriptor, 0
        try:
            while end < self.size:
                end = os.lseek(handle, os.lseek(handle, end, os.SEEK_DATA), os.SEEK_HOLE)
        except OSError as error:
            # ENXIO: a hole up to the end of the file; if the file has shrunk, reading it will show that.
            if error.errno != errno.ENXIO or os.fstat(handle).st_size < self.size:
                return self.size
        return min(end, self.size)

    def next_data(self, position: int) -> int:
        """Start of the next extent with data, from the file system; see `File.next_data`."""
        if position >= self.size or not hasattr(os, "SEEK_DATA"):
            return position
        try:
            return min(max(position, os.lseek(self._descriptor, position, os.SEEK_DATA)), self.size)
        except OSError as error:
            # As for `data_end`.
            is_hole = error.errno == errno.ENXIO and os.fstat(self._descriptor).st_size >= self.size
            return self.size if is_hole else position

    def close(self) -> None:
        """Release the file descriptor."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        if self._descriptor >= 0:
            warnings.warn(f"unclosed file {self.name!r}", ResourceWarning, stacklevel=1, source=self)
            self.close()


def _opened(name: str, flags: int) -> int:
    try:
        return os.open(name, flags)
    except OSError as error:
        if error.errno not in TOO_MANY_OPEN:
            raise
    let_go()
    return os.open(name, flags)


def version_of(status: os.stat_result) -> tuple[int, ...]:
    """Device, inode, size in bytes, and times of the last write and of the inode's last change in ns."""
    # The time of the last write can be set by programs; that of the inode's last change cannot.
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _require_regular(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(
            "not a regular file",
            file=name,
            found="a directory" if stat.S_ISDIR(status.st_mode) else "a special file",
        )


def unreadable_file(name: str, error: OSError | ValueError, position: int | None = None) -> SourceError:
    """Make the error of a file that cannot be read, with the position in bytes if known."""
    return SourceError(f"the file cannot be read: {reason_of(error)}", file=name, position=position)


def reason_of(error: OSError | ValueError) -> str | None:
    """The system's text for an error."""
    return error.strerror if isinstance(error, OSError) else str(error)
