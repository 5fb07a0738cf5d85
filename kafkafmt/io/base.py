"""Location: the place of a file or directory on any file system. File: an open file of a fixed size, for random access.

The package accesses file systems only through them. `kafkafmt.io.local` and `kafkafmt.io.remote` implement the two
kinds, and `kafkafmt.io.source.locate` makes a location from a caller's name.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kafkafmt.errors import DataError, SourceError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafkafmt.io.keys import DecryptionKeys


class File(ABC):
    """A file open for reading at any position, with the size it had when it was opened.

    Attributes:
        name: path or URI by which it was opened; undecodable bytes are surrogate escapes, as made by `os.fsdecode`.
        size: size of the file in bytes when it was opened.
        worth_skipping: gaps of at least this many bytes are cheaper to skip than to read.
        block: number of bytes that a look-up reads at once, as fewer take as long.
        unit: number of bytes that can only be read together, so that a file is best divided at multiples.
        may_change: whether a broker may write to it meanwhile, so that a second read can return newer bytes.
        version: a value that differs once the file has changed; None if there is none.
    """

    # Measured with files in the page cache: one more call takes as long as reading this many bytes.
    worth_skipping = 64 * 1024
    block = 4 * 1024
    unit = 1
    may_change = False
    version: "Hashable | None" = None

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size

    @property
    def descriptor(self) -> int | None:
        """A file descriptor from which `sendfile` can send the same bytes; None if there is none."""
        return None

    def version_now(self) -> "Hashable | None":
        """The present version; for a file that cannot change, its version when it was opened."""
        return self.version

    @abstractmethod
    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Fill `buffer` from `position` on, up to the file's `size`.

        Args:
            position: position of the first byte to read.
            buffer: writable buffer, one byte per item.

        Returns:
            Number of bytes read: fewer than the buffer holds only at `size`, and 0 from there on.

        Raises:
            SourceError: reading failed, or the file has become shorter than `size`.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the file; closing twice is harmless."""

    def data_end(self) -> int:
        """Position from which on the file is known to hold only zeros, without reading it; else its `size`."""
        return self.size

    def next_data(self, position: int) -> int:
        """First position from `position` on not known to hold zero, without reading; `size` if all are zeros."""
        return position

    def lost(self, begin: int, end: int) -> DataError | None:  # noqa: ARG002
        """Why some bytes in a range that was read are not the file's; usually None.

        A file that is decoded piece by piece has zeros in place of an undecodable piece, and returns the reason here.
        """
        return None

    def read_at(self, position: int, length: int) -> bytes:
        """Return `length` bytes from `position` on, fewer at `size`.

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
    """Bytes in memory that are read like a file."""

    def __init__(self, name: str, data: bytes | memoryview) -> None:
        super().__init__(name, len(data))
        self._data = memoryview(data)

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Copy bytes out; see `File.readinto_at`."""
        piece = self._data[position : position + len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Keep the bytes, which belong to the caller."""


class Location(ABC):
    """A place on a file system, which need not exist. `str()` gives its path or URI.

    A URI is shown without its options and access keys, which stay with the location and with all locations derived from
    it.
    """

    __slots__ = ()

    read_at_once: int = 1
    """Number of files that are best read from at once, for small reads."""

    is_tier: bool = False
    """Whether it is remote storage shown as a log directory, on which no broker starts."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Base name."""

    @property
    @abstractmethod
    def absolute(self) -> str:
        """Path or URI from the root of the file system; links are not followed."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """A text that is the same for every path to the same file or directory; `/` separates its names."""

    @property
    @abstractmethod
    def parent(self) -> "Location":
        """The parent directory; the root's is the root."""

    @abstractmethod
    def child(self, name: str) -> "Location":
        """The location of a name in this directory."""

    @abstractmethod
    def sibling(self, name: str) -> "Location":
        """The location of another file in the directory of this file."""

    def file_beside(self, name: str) -> "Location | None":
        """A regular file in the directory of this file, or None; looked up in a listing, if there is one.

        Raises:
            SourceError: as for `is_directory`.
        """
        place = self.sibling(name)
        return place if place.is_file() else None

    @abstractmethod
    def is_directory(self) -> bool:
        """Whether it is an existing directory.

        Raises:
            SourceError: a remote file system does not respond, or refuses access.
        """

    @abstractmethod
    def is_file(self) -> bool:
        """Whether it is an existing regular file.

        Raises:
            SourceError: as for `is_directory`.
        """

    def is_readable(self) -> bool:
        """Whether its permissions let anyone read it."""
        return True

    @abstractmethod
    def version(self) -> "Hashable | None":
        """A value that changes when the file does; None if there is none.

        Raises:
            SourceError: the file system refuses access.
        """

    def allocated(self) -> int | None:
        """Bytes that the file system has allocated for it; None if unknown.

        Raises:
            SourceError: the file system refuses access.
        """
        return None

    def modified(self) -> int | None:
        """When the file was last changed, in ms since the epoch; None if unknown.

        Raises:
            SourceError: the file system refuses access.
        """
        return None

    @abstractmethod
    def list(self) -> "list[DirectoryEntry]":
        """List the directory in order of names.

        Raises:
            SourceError: it is missing, forbidden, or not a directory.
        """

    def list_anew(self) -> "Sequence[DirectoryEntry]":
        """List the directory like `list`, but do not cache it in a search, as searches are not freed at once."""
        return self.list()

    def list_if_readable(self) -> "Sequence[DirectoryEntry]":
        """List the directory like `list`; without entries if it cannot be listed."""
        try:
            return self.list()
        except SourceError:
            return ()

    @abstractmethod
    def open(self) -> File:
        """Open the regular file for reading.

        Raises:
            SourceError: it is missing, forbidden, or not a regular file.
        """

    def links_out(self, *, below: bool = False) -> "Sequence[Location]":  # noqa: ARG002
        """Links in the directory to files outside the search, or above it, in order of names.

        `list` leaves them out.

        Args:
            below: whether to include links of all directories that the search has listed so far.

        Raises:
            SourceError: as for `list`.
        """
        return ()

    def links_followed(self, *, below: bool = False) -> "Sequence[Location]":  # noqa: ARG002
        """Links in the directory to directories, which `list` includes, in order of names.

        Args:
            below: as for `links_out`.

        Raises:
            SourceError: as for `list`.
        """
        return ()

    @abstractmethod
    def searched(self, *, is_directory: bool = True, keys: "DecryptionKeys | None" = None) -> Self:
        """The same location, to be searched at every depth, where each directory below is listed once.

        Remote file systems list the whole tree at once. On this machine, links to files outside the location are not
        followed; for a file, those beside it that lead out of its directory. Links to directories are followed, as by
        Kafka, unless they lead to a parent directory.

        Args:
            is_directory: whether it is a directory, if known.
            keys: decryption keys for encrypted files below.

        Raises:
            SourceError: it cannot be listed.
        """

    @property
    def decryption_keys(self) -> "DecryptionKeys | None":
        """Decryption keys of the search that found it, or None."""
        return None

    def anchored(self) -> Self:
        """The same location for a process in another working directory.

        Like any location it can be pickled: access keys are included, cached listings are not.
        """
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class DirectoryEntry:
    """One name in a directory; a link counts as its target.

    Listings of many thousand directories are kept, so a location is only made when it is needed.

    Args:
        place: its location, or that of the directory.
        is_below: whether `place` is the directory.

    Attributes:
        name: base name; undecodable bytes are surrogate escapes.
        is_directory: whether it is a directory; everything else is treated as a file, which may fail to open.
        size: size of the file in bytes when it was listed; None for a directory, a dangling link, or a file just
            deleted.
        called: name in answers, if that differs from the directory's name followed by its own.
        leads_out: whether it is a link to a directory outside the search.
        allocated: number of bytes allocated for the file: fewer than `size` if it has holes; None if equal to `size` or
            unknown.
    """

    __slots__ = ("_location", "_place", "allocated", "called", "is_directory", "leads_out", "name", "size")

    def __init__(
        self,
        name: str,
        place: Location,
        is_directory: bool,
        size: int | None,
        called: str | None = None,
        leads_out: bool = False,
        allocated: int | None = None,
        is_below: bool = False,
    ) -> None:
        self.name = name
        self.is_directory = is_directory
        self.size = size
        self.called = called
        self.leads_out = leads_out
        self.allocated = allocated
        self._place = place
        self._location = None if is_below else place

    @property
    def location(self) -> Location:
        """The location of the entry."""
        if self._location is not None:
            return self._location
        location = self._place.child(self.name)
        if self.is_directory:  # not kept for files, of which there may be a million
            self._location = location
        return location

    @property
    def path(self) -> str:
        """Path or URI of the entry."""
        return str(self.location)

    def __repr__(self) -> str:
        return f"<DirectoryEntry {self.path!r}, {'a directory' if self.is_directory else f'{self.size} bytes'}>"

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return not self.is_directory

    def sized(self, size: int | None) -> "DirectoryEntry":
        """The same entry with another size."""
        found = copy(self)
        found.size = size
        return found

    def anchored(self) -> "DirectoryEntry":
        """The same entry with its whole path or URI, which also replaces its name in answers if it has its own."""
        location = self.location.anchored()
        called = None if self.called is None else str(location)
        return DirectoryEntry(self.name, location, self.is_directory, self.size, called, self.leads_out, self.allocated)


def each_directory(*tops: Location) -> Iterator[tuple[Location, list[DirectoryEntry] | SourceError]]:
    """Yield directories and all below them, each once despite links, with their entries or the error."""
    waiting = list(reversed(tops))
    visited = set()
    while waiting:
        directory = waiting.pop()
        if directory.identity in visited:
            continue
        visited.add(directory.identity)
        try:
            listing = directory.list()
        except SourceError as error:
            yield directory, error.with_traceback(None)
            continue
        yield directory, listing
        waiting += [entry.location for entry in reversed(listing) if entry.is_directory]
