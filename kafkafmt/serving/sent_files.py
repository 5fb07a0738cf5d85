"""FileRange: bytes that the system sends from a file to a client, without a copy in this process."""

import errno
import os
import threading
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Final
from weakref import ref

from kafkafmt.errors import SourceError
from kafkafmt.io.local_file import close_when_short
from kafkafmt.protocol.message_bytes import Elsewhere
from kafkafmt.serving.descriptor_limit import descriptor_limit

if TYPE_CHECKING:
    from kafkafmt.io.base import File
    from kafkafmt.serving.sound_batches import StoredBytes

IS_POSSIBLE: Final = hasattr(os, "sendfile")
"""Whether the system can send from files to sockets."""

LEAST: Final = 32 * 1024
"""Fewer bytes are read instead: a call of sendfile would take as long."""

_MOST_FILES = 256
_WITHOUT_WAITING = getattr(os, "RWF_NOWAIT", 0)
_ONE_BYTE = [bytearray(1)]


# Error numbers by which file systems report that they do not support sending from their files.
_NOT_SENDABLE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)
_OF_THE_FILE = (errno.EIO, errno.ESTALE)


class NotAtHandError(Exception):
    """Raised when a file has to be waited for, as its bytes are not in memory."""


class Descriptors:
    """The number of files that may still be opened for answers. Threads share it.

    It has no lock: a descriptor is given back wherever a file is dropped, even in a thread that is about to take one.
    """

    def __init__(self) -> None:
        self._left = deque([None] * _most_files())

    def take(self) -> bool:
        """Take a descriptor; returns whether one was left."""
        try:
            self._left.pop()
        except IndexError:
            return False
        return True

    def give_back(self) -> None:
        """Give a descriptor back."""
        self._left.append(None)

    @property
    def left(self) -> int:
        """The number of descriptors left."""
        return len(self._left)


def _most_files() -> int:
    return min(_MOST_FILES, descriptor_limit() // 4)


class SentFile:
    """An open file whose ranges are to be sent. It is closed when its last user drops it.

    Args:
        file: the file, which has a descriptor.
        descriptors: where a descriptor was taken for the file.
    """

    def __init__(self, file: "File", descriptors: Descriptors) -> None:
        self.file = file
        self.is_sendable = True
        self._descriptors = descriptors

    def __del__(self) -> None:
        # A finalizer closes the file, as an answer may be dropped anywhere between the disk and the client.
        self.file.close()
        self._descriptors.give_back()


class SentFiles:
    """The files that are open for answers; each is kept open for a while after use. Threads share it.

    Attributes:
        descriptors: the number of files that may still be opened.
    """

    def __init__(self) -> None:
        self.descriptors = Descriptors()
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, SentFile] = OrderedDict()
        self._old: list[str] = []
        self._is_closed = False
        close_when_short(self)

    def find(self, path: str) -> SentFile | None:
        """The open file of a path; None if it is not open. Does not wait for a disk."""
        with self._lock:
            found = self._kept.get(path)
            if found is not None:
                self._kept.move_to_end(path)
            return found

    def keep(self, path: str, file: "File") -> SentFile | None:
        """Keep an open file, in place of the least recently used ones.

        Args:
            path: path of the file.
            file: the open file.

        Returns:
            the file, which from now on is closed automatically; None if too many files are open, or if the file system
            cannot tell without waiting whether bytes are in memory, as on a network: sending would block all clients.
        """
        if self._is_closed or not tells(file):
            return None
        if not self.descriptors.take():
            self._close_oldest()
            if not self.descriptors.take():
                return None
        sent = SentFile(file, self.descriptors)
        with self._lock:
            before, self._kept[path] = self._kept.pop(path, None), sent
        del before
        return sent

    def _close_oldest(self) -> None:
        """Close the least recently used file of those that no answer holds open."""
        for _ in range(len(self._kept)):
            with self._lock:
                if not self._kept:
                    return
                path, sent = self._kept.popitem(last=False)
            known = ref(sent)
            del sent
            held = known()
            if held is None:
                return
            with self._lock:
                if not self._is_closed:
                    self._kept.setdefault(path, held)
            del held

    def drop_old(self) -> None:
        """Close the files that were open at the last call: in a replaced directory, other files have their names."""
        with self._lock:
            dropped = [self._kept.pop(path) for path in self._old if path in self._kept]
            self._old = [*self._kept]
        del dropped

    def close(self) -> None:
        """Close all files, as `let_go` does, and keep none from now on."""
        self._is_closed = True
        self.let_go()

    def let_go(self) -> None:
        """Close all files; those that are being sent are closed afterwards."""
        with self._lock:
            dropped, self._kept = self._kept, OrderedDict()
        del dropped


class FileRange(Elsewhere):
    """Bytes of a file that are to be sent.

    Args:
        sent: the file.
        stored: position and size of the bytes.
    """

    __slots__ = ("_position", "_sent")

    def __init__(self, sent: SentFile, stored: "StoredBytes") -> None:
        super().__init__(stored.size)
        self._sent, self._position = sent, stored.position

    def send(self, descriptor: int, most: int) -> int:
        """Send as many bytes as the socket accepts at once, at most `most`, and drop them; returns their number.

        Args:
            descriptor: descriptor of the socket.
            most: upper bound in bytes.

        Raises:
            BlockingIOError: the socket accepts no bytes now.
            SourceError: the file has become shorter, or cannot be read.
            OSError: the socket failed.
        """
        file = self._sent.file
        if file.descriptor is None:
            raise SourceError("the file is closed", file=file.name)
        sent = self._send_some(descriptor, file.descriptor, min(most, self.size))
        if not sent:
            raise SourceError("the file shrank while it was read", file=file.name, position=self._position)
        self._position += sent
        self.size -= sent
        return sent

    def _send_some(self, descriptor: int, of_file: int, most: int) -> int:
        """Send by the system, or by reading and writing if the file system does not support that."""
        file = self._sent.file
        if self._sent.is_sendable:
            try:
                return os.sendfile(descriptor, of_file, self._position, most)
            except OSError as error:
                if error.errno in _OF_THE_FILE:
                    raise SourceError(
                        f"the file cannot be read: {error.strerror}", file=file.name, position=self._position
                    ) from error
                if error.errno not in _NOT_SENDABLE:
                    raise
                self._sent.is_sendable = False
        return os.write(descriptor, file.read_at(self._position, most))

    def take(self, most: int) -> bytes:
        """Read at most `most` bytes, and drop them from the range.

        Args:
            most: upper bound in bytes.

        Raises:
            SourceError: the file has become shorter, or cannot be read.
        """
        data = self._sent.file.read_at(self._position, min(most, self.size))
        self._position += len(data)
        self.size -= len(data)
        return data

    def is_cached(self, most: int) -> bool:
        """Whether the first bytes seem to be in the page cache, judged by two of them, so that sending does not wait.

        Args:
            most: number of bytes.
        """
        file = self._sent.file
        return is_cached(file, self._position) and is_cached(file, self._position + min(most, self.size) - 1)

    def fetch(self, most: int) -> None:
        """Read the first bytes, so that they are in the page cache.

        Args:
            most: number of bytes.

        Raises:
            SourceError: the file cannot be read.
        """
        self._sent.file.readinto_at(self._position, memoryview(bytearray(min(most, self.size))))


def is_cached(file: "File", position: int) -> bool:
    """Whether a byte of a file can be read without waiting for a disk; True where the system cannot tell."""
    descriptor = file.descriptor
    if descriptor is None or not _WITHOUT_WAITING:
        return True
    try:
        return os.preadv(descriptor, _ONE_BYTE, position, _WITHOUT_WAITING) > 0
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EOPNOTSUPP):
            return False
        raise SourceError(f"the file cannot be read: {error.strerror}", file=file.name, position=position) from error


def tells(file: "File") -> bool:
    """Whether the file system tells if a byte is cached; True where the operating system cannot tell at all."""
    if file.descriptor is None or not _WITHOUT_WAITING:
        return True
    try:
        os.preadv(file.descriptor, _ONE_BYTE, 0, _WITHOUT_WAITING)
    except OSError as error:
        return error.errno != errno.EOPNOTSUPP
    return True
