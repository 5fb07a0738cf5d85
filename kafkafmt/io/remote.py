"""All file systems that pyarrow knows: object stores, HDFS, and those that a program passes as `filesystem=`.

Files are read in ranges, never whole. The tree below a directory is listed at once, so that a search costs one request
for many names, not one per name. Object stores have no directories: each part of a key before a `/` counts as one.
"""

import threading
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.fs as pafs

from kafkafmt.errors import SourceError
from kafkafmt.io.base import DirectoryEntry, File, Location
from kafkafmt.io.stores import Store, list_below, open_store, without_slash
from kafkafmt.phrases import sized

if TYPE_CHECKING:
    from kafkafmt.io.keys import DecryptionKeys

_READ_AT_ONCE = 8 * 1024 * 1024
_BLOCKS_KEPT = 4
_CANARY = 0xC3

Version = tuple[int | None, int | None]
"""Size in bytes and time of the last change in ns since the epoch, each if known."""


def locate_path(filesystem: pafs.FileSystem, path: str) -> "RemoteLocation":
    """The location of a path on a file system."""
    return RemoteLocation(Store(filesystem), without_slash(path))


def locate_uri(source: str) -> "RemoteLocation":
    """The location that a URI names; see `open_store`."""
    return RemoteLocation(*open_store(source))


class TreeListing:
    """Files and directories below a root. An empty object with the name of a directory is its marker, not a file.

    Args:
        root: the listed directory.
        found: the files found, in any order; parent directories of a file may be missing. It is emptied, as there may
            be a million objects.

    Attributes:
        keys: decryption keys for encrypted files below, or None.
    """

    def __init__(self, root: str, found: list[pafs.FileInfo]) -> None:
        self.keys: DecryptionKeys | None = None
        self._root = _key(root)
        self._below: dict[str, dict[str, Version | None]] = {self._root: {}}
        while found:
            info = found.pop()
            key = _key(info.path)
            if info.type == pafs.FileType.Directory:
                self._enter(key)
            else:
                parent, _, name = key.rpartition("/")
                self._enter(parent)
                self._below[parent][name] = (info.size, info.mtime_ns)

    def covers(self, path: str) -> bool:
        """Whether `path` is the root or below it."""
        key = _key(path)
        return not self._root or key == self._root or key.startswith(f"{self._root}/")

    def is_directory(self, path: str) -> bool:
        """Whether `path` has content, or was listed as a directory."""
        return _key(path) in self._below

    def version(self, path: str) -> Version | None:
        """Size in bytes and time of the last change in ns since the epoch, each if known; None if it is not a file."""
        key = _key(path)
        parent, _, name = key.rpartition("/")
        version = self._below.get(parent, {}).get(name)
        return None if version is None or self._is_marker(key, version) else version

    def names_in(self, path: str) -> list[tuple[str, bool, int | None]]:
        """Names in a directory, in order, with whether each is a directory, and the size of a file."""
        key = _key(path)
        found: list[tuple[str, bool, int | None]] = []
        for name, version in sorted(self._below.get(key, {}).items(), key=lambda each: each[0]):
            below = f"{key}/{name}" if key else name
            if below in self._below:
                found.append((name, True, None))
            if version is not None and not self._is_marker(below, version):
                found.append((name, False, version[0]))
        return found

    def _is_marker(self, key: str, version: Version) -> bool:
        return version[0] == 0 and key in self._below

    def _enter(self, key: str) -> None:
        """Enter a directory, and its parents up to a known one."""
        new = []
        while key not in self._below:
            new.append(key)
            if not key:
                break
            key = key.rpartition("/")[0]
        for each in reversed(new):
            self._below[each] = {}
            parent, _, name = each.rpartition("/")
            if each:
                self._below[parent].setdefault(name, None)


def _key(path: str) -> str:
    # Some file systems written in Python return absolute paths for relative ones.
    return path.removeprefix("/")


class RemoteLocation(Location):
    """A path on a pyarrow file system."""

    __slots__ = ("_listed", "_listing", "_path", "_store")

    # Requests spend their time waiting for responses.
    read_at_once = 16

    def __init__(
        self, store: Store, path: str, listing: TreeListing | None = None, listed: Version | None = None
    ) -> None:
        self._store = store
        self._path = path
        self._listing = listing
        self._listed = listed

    def __str__(self) -> str:
        return self._store.show(self._path)

    @property
    def name(self) -> str:
        """Last name of the path."""
        return self._path.rpartition("/")[2]

    @property
    def absolute(self) -> str:
        """Path or URI, in a single spelling."""
        return str(self)

    @property
    def identity(self) -> str:
        """Endpoint, bucket and path; pyarrow's file systems have no links."""
        return self._store.key + self._path

    @property
    def parent(self) -> "RemoteLocation":
        """The parent directory; a bucket's is the bucket."""
        if self._path == self._store.head:
            return self
        above, slash, _ = self._path.rpartition("/")
        return self._at(above or slash)

    def child(self, name: str) -> "RemoteLocation":
        """The location of a name in this directory."""
        return self._at(f"{self._path.rstrip('/')}/{name}" if self._path else name)

    def sibling(self, name: str) -> "RemoteLocation":
        """The location of another file in the directory of this file."""
        return self.parent.child(name)

    def is_directory(self) -> bool:
        """Whether the directory exists, or any key below it."""
        if self._listing is not None:
            return self._listing.is_directory(self._path)
        with self.reporting("the path"):
            info = self._info()
            if info.type == pafs.FileType.File and info.size == 0 and self._store.is_object_store:
                # May be a directory marker, as some tools create an empty object for a directory.
                below = pafs.FileSelector(self._path, allow_not_found=True)
                return bool(self._store.filesystem.get_file_info(below))
            return bool(info.type == pafs.FileType.Directory)

    def is_file(self) -> bool:
        """Whether it is an existing file."""
        return self.version() is not None

    def version(self) -> "Version | None":
        """Size and time of the last change; None if it is not an existing file."""
        return self.how_it_is_now() if self._listing is None else self._listing.version(self._path)

    def modified(self) -> int | None:
        """When the object was written, in ms since the epoch; see `Location.modified`."""
        _, written_ns = self.version() or (None, None)
        return None if written_ns is None else written_ns // 1_000_000

    def list(self) -> list[DirectoryEntry]:
        """List the directory in order of names, by one request per thousand names; see `Location.list`."""
        listing = self._listing or self._list(recursive=False)
        return [
            DirectoryEntry(name, self.child(name), is_directory=is_directory, size=size)
            for name, is_directory, size in listing.names_in(self._path)
        ]

    def open(self) -> "RemoteFile":
        """Open the file; see `Location.open`."""
        listed = self._listed_version()
        try:
            with self.reporting():
                handle = self._store.filesystem.open_input_file(self._path)
                size = handle.size()
                changed = listed is not None and _changed(handle, listed)
        except SourceError as error:
            if isinstance(error.__cause__, FileNotFoundError) and self.is_directory():
                raise SourceError("not a regular file", file=str(self), found="a directory") from error
            raise
        if changed:
            handle.close()
            raise SourceError("the file was replaced since it was listed; read it again", file=str(self))
        return RemoteFile(self, handle, size)

    def __reduce__(self) -> "tuple[type[RemoteLocation], tuple[Store, str, None, Version | None]]":
        """Pickle the location without its listing, but with the listed version of the file."""
        return RemoteLocation, (self._store, self._path, None, self._listed_version())

    def searched(self, *, is_directory: bool = True, keys: "DecryptionKeys | None" = None) -> "RemoteLocation":
        """List the whole tree; see `Location.searched`."""
        if self._listing is not None or not is_directory:
            return self
        listing = self._list(recursive=True)
        listing.keys = keys
        return RemoteLocation(self._store, self._path, listing)

    @property
    def decryption_keys(self) -> "DecryptionKeys | None":
        """Decryption keys of the listing; see `Location.decryption_keys`."""
        return None if self._listing is None else self._listing.keys

    def how_it_is_now(self) -> tuple[int, int | None] | None:
        """Request size and time of the last change; None if it is not an existing file."""
        with self.reporting():
            info = self._info()
        return (info.size, info.mtime_ns) if info.type == pafs.FileType.File else None

    def _listed_version(self) -> Version | None:
        return self._listing.version(self._path) if self._listing else self._listed

    def _at(self, path: str) -> "RemoteLocation":
        listing = self._listing
        return RemoteLocation(self._store, path, listing if listing and listing.covers(path) else None)

    def _list(self, *, recursive: bool) -> TreeListing:
        filesystem = self._store.filesystem
        with self.reporting("the directory"):
            if recursive and self._store.is_object_store:
                return TreeListing(self._path, list_below(filesystem, self._path))
            # File systems written in Python need not be thread-safe.
            return TreeListing(self._path, filesystem.get_file_info(pafs.FileSelector(self._path, recursive=recursive)))

    def _info(self) -> pafs.FileInfo:
        return self._store.filesystem.get_file_info(self._path)

    def reporting(self, what: str = "the file", position: int | None = None) -> AbstractContextManager[None]:
        """Turn errors of the file system in the block into SourceError for this location."""
        return self._store.reporting(str(self), what, position)


class RemoteFile(File):
    """A file of a remote file system, read in ranges."""

    # A request takes 20 to 50 ms, in which 1 or 2 MB could be transferred; outside the store's region, transfers cost
    # money.
    worth_skipping = 1024 * 1024
    block = 64 * 1024

    def __init__(self, location: RemoteLocation, handle: pa.NativeFile, size: int) -> None:
        super().__init__(str(location), size)
        self._location = location
        self._handle = handle
        self._lock = threading.Lock()
        self._whole = size
        self._kept: tuple[tuple[int, bytes], ...] = ()

    def readinto_at(self, position: int, buffer: memoryview) -> int:
        """Read with one request per 8 MiB, and none for bytes that the last few small ones have already returned."""
        wanted = max(0, min(len(buffer), self.size - position))
        if 0 < wanted <= self.block and position >= 0:
            buffer[:wanted] = self._from_block(position, wanted)
        else:
            self._fill(position, buffer[:wanted])
        return wanted

    def close(self) -> None:
        """Release the connection."""
        self._handle.close()

    def _from_block(self, position: int, length: int) -> bytes:
        # The reader of an entry reads its header, the rest of the entry, and the bytes around.
        for begin, block in self._kept:
            if begin <= position <= begin + len(block) - length:
                return block[position - begin : position - begin + length]
        read = bytearray(min(self.block, self._whole - position))
        self._fill(position, memoryview(read))
        self._kept = ((position, bytes(read)), *self._kept[: _BLOCKS_KEPT - 1])
        return bytes(read[:length])

    def _fill(self, position: int, buffer: memoryview) -> None:
        done = 0
        while done < len(buffer):
            done += self._read(position + done, buffer[done : done + _READ_AT_ONCE])

    def _read(self, position: int, buffer: memoryview) -> int:
        # If the object has become shorter, pyarrow's S3 client (26) silently leaves the rest of the buffer unchanged.
        # If the last byte still has our value, the size is checked.
        buffer[-1] = _CANARY
        try:
            with self._location.reporting(position=position), self._lock:
                self._handle.seek(position)
                count = self._handle.readinto(buffer)
        except SourceError as error:
            self._require_unchanged(position, error)
            raise
        if count == 0 or buffer[-1] == _CANARY:
            self._require_unchanged(position, None)
        if count == 0:
            raise self._shrank(position, position)
        return int(count)

    def _require_unchanged(self, position: int, cause: SourceError | None) -> None:
        now = self._location.how_it_is_now()
        if now is None:
            raise SourceError("the file vanished while it was read", file=self.name, position=position) from cause
        if now[0] < self._whole:
            raise self._shrank(position, now[0]) from cause

    def _shrank(self, position: int, now: int) -> SourceError:
        return SourceError(
            "the file shrank while it was read",
            file=self.name,
            position=position,
            expected=sized(self._whole),
            found=sized(now),
        )


def _modified(handle: pa.NativeFile) -> int | None:
    """When an opened object was last changed, in s since the epoch; None if the store does not say."""
    modified = (handle.metadata() or {}).get("Last-Modified")
    try:
        return None if modified is None else int(datetime.fromisoformat(modified.decode()).timestamp())
    except ValueError:
        return None


def _changed(handle: pa.NativeFile, listed: Version) -> bool:
    """Whether an opened object has changed since it was listed."""
    _, listed_ns = listed
    modified = _modified(handle)
    return modified is not None and listed_ns is not None and modified != listed_ns // 1_000_000_000
