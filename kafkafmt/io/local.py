"""Paths of this machine: a search lists each directory once, and does not follow links that lead out of it."""

import os
import stat
import sys
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING

from kafkafmt.errors import SourceError
from kafkafmt.io.base import DirectoryEntry, Location
from kafkafmt.io.local_file import LocalFile, reason_of, unreadable_file, version_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafkafmt.io.keys import DecryptionKeys

# The unit of st_blocks, whatever the block size of the file system (POSIX).
_BLOCK = 512
# Interned sizes: most files of small logs have few blocks, so equal numbers share an object.
_ALLOCATED = tuple(blocks * _BLOCK for blocks in range(65))
# Partitions have files of the same names, which are shared; a directory with more files has its own names.
_MOST_INTERNED = 256
_MOST_SHARED = 1024
# Most files that every file system returns in one step, during which none is created.
_AT_ONCE = 64
# Of the offset in the name of a segment's file.
_DIGITS = 20


@dataclass(frozen=True, slots=True)
class _Listing:
    entries: list[DirectoryEntry]
    links_out: "Sequence[LocalLocation]"
    followed: "Sequence[LocalLocation]"
    names: "Sequence[str]"
    """All names, in order."""
    regular: bytes
    """For each name, whether it is a regular file and not a link: 1 or 0."""


@dataclass(eq=False, slots=True)
class _Search:
    """A search below a directory.

    Attributes:
        root: the directory, with all links followed; links to files outside it are not followed.
        named: the path that the caller named, which may itself be such a link.
        listings: for each listed directory, by path, its listing or the error of listing it.
        keys: decryption keys for encrypted files below, or None.
        linked: the few `listings` that have links, as each of thousands of directories may ask for them.
    """

    root: str
    named: str
    keys: "DecryptionKeys | None" = None
    listings: dict[str, _Listing | SourceError] = field(default_factory=dict)
    linked: list[_Listing] = field(default_factory=list)

    def follows(self, path: str) -> bool:
        """Whether a path may be followed; a dangling link may be tried."""
        if path == self.named or not os.path.islink(path):
            return True
        if self.holds(os.path.realpath(path)):
            return True
        try:
            status = os.stat(path)
        except PermissionError:
            return False
        except OSError:
            return True
        return stat.S_ISDIR(status.st_mode) and not self.is_above(path)

    def lists_file(self, path: str) -> bool | None:
        """Whether the listing of its directory has a regular file there (not a link); None if only `stat` can tell."""
        directory, _, name = path.rpartition("/")
        listing = self.listings.get(directory)
        if not isinstance(listing, _Listing):
            return None
        at = bisect_left(listing.names, name)
        following = listing.names[at] if at < len(listing.names) else ""
        if following == name:
            return bool(listing.regular[at]) or None
        # A broker may have removed the suffix from a name since.
        return None if following.startswith(name) else False

    def holds(self, target: str) -> bool:
        """Whether a path without links is the directory, or below it."""
        return target == self.root or target.startswith(f"{self.root.rstrip('/')}/")

    def is_above(self, path: str) -> bool:
        """Whether a link leads to a parent of the searched directory."""
        return f"{self.root.rstrip('/')}/".startswith(f"{os.path.realpath(path).rstrip('/')}/")


class LocalLocation(Location):
    """A path on this machine, as the caller spelled it."""

    __slots__ = ("_identity", "_path", "_real_parent", "_search")

    def __init__(self, path: str, *, real_parent: str | None = None, search: _Search | None = None) -> None:
        self._path = path
        self._real_parent = real_parent
        self._identity: str | None = None
        self._search = search

    def __str__(self) -> str:
        return self._path

    @property
    def name(self) -> str:
        """Base name, also for a path like `.`."""
        name = self._path.rpartition("/")[2]
        return os.path.basename(self.absolute) if name in ("", ".", "..") else name

    @property
    def absolute(self) -> str:
        """Absolute path without `.` and `..`."""
        return os.path.abspath(self._path)

    @property
    def identity(self) -> str:
        """Path with all links followed, as they were when it was first needed."""
        if self._identity is None:
            # realpath examines every parent directory, so it is only used where a link can lead elsewhere.
            if self._real_parent is None or os.path.islink(self._path):
                self._identity = os.path.realpath(self._path)
            else:
                self._identity = os.path.join(self._real_parent, os.path.basename(self._path))
        return self._identity

    @property
    def parent(self) -> "LocalLocation":
        """The parent directory, by its absolute path."""
        above = os.path.dirname(self.absolute)
        search = self._search
        if search is not None and self._path == search.named and os.path.realpath(above) != search.root:
            # The parent is outside the search, so it gets its own search.
            search = _Search(os.path.realpath(above), above, search.keys)
        return LocalLocation(above, search=search)

    def file_beside(self, name: str) -> "LocalLocation | None":
        """A regular file in the directory of this file; see `Location.file_beside`."""
        directory, slash, _ = self._path.rpartition("/")
        path = f"{directory}{slash}{name}"
        listed = None if self._search is None else self._search.lists_file(path)
        if listed is False:
            return None
        place = LocalLocation(path, search=self._search)
        return place if listed or place.is_file() else None

    def child(self, name: str) -> "LocalLocation":
        """The location of a name in this directory."""
        return LocalLocation(_joined(self._path, name), real_parent=self._identity, search=self._search)

    def sibling(self, name: str) -> "LocalLocation":
        """The location of another file in the directory of this file; relative if this path is."""
        directory, slash, _ = self._path.rpartition("/")
        return LocalLocation(f"{directory}{slash}{name}", search=self._search)

    def is_directory(self) -> bool:
        """Whether it is an existing directory; False if the check is forbidden."""
        return self._is_followed and os.path.isdir(self._path)

    def is_file(self) -> bool:
        """Whether it is an existing regular file; False if the check is forbidden."""
        listed = self._listed
        return listed is not False and (listed or self._is_followed) and os.path.isfile(self._path)

    def is_readable(self) -> bool:
        """Whether its mode lets anyone read it; a vanished file counts as readable, as for its owner."""
        try:
            return bool(os.stat(self._path).st_mode & (stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH))
        except OSError:
            return True

    def version(self) -> "Hashable | None":
        """Device, inode, size and times of the last change; None if it does not exist."""
        status = self._status()
        return None if status is None else version_of(status)

    def allocated(self) -> int | None:
        """Size of its blocks in bytes; see `Location.allocated`."""
        status = self._status()
        return None if status is None else status.st_blocks * _BLOCK

    def modified(self) -> int | None:
        """When the file was last changed, in ms since the epoch; see `Location.modified`."""
        status = self._status()
        return None if status is None else status.st_mtime_ns // 1_000_000

    def _status(self) -> os.stat_result | None:
        if not self._is_followed:
            return None
        try:
            return os.stat(self._path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError as error:
            raise unreadable_file(self._path, error) from error

    def list(self) -> list[DirectoryEntry]:
        """List the directory in order of names; see `Location.list`."""
        return self._listing().entries

    def list_anew(self) -> "Sequence[DirectoryEntry]":
        """List the directory as it is now; see `Location.list_anew`."""
        return self._list_now().entries

    def links_out(self, *, below: bool = False) -> "Sequence[Location]":
        """Links in the directory that lead out of the search; see `Location.links_out`."""
        return [link for listing in self._listings(below=below) for link in listing.links_out]

    def links_followed(self, *, below: bool = False) -> "Sequence[Location]":
        """Links in the directory to directories; see `Location.links_followed`."""
        return [link for listing in self._listings(below=below) for link in listing.followed]

    def _listings(self, *, below: bool) -> "Sequence[_Listing]":
        here = self._listing()
        return self._search.linked if below and self._search is not None else [here]

    def searched(self, *, is_directory: bool = True, keys: "DecryptionKeys | None" = None) -> "LocalLocation":
        """The same location with the listings of a search; see `Location.searched`."""
        if self._search is not None:
            return self
        directory = self._path if is_directory else os.path.dirname(self.absolute)
        try:
            real = os.path.realpath(directory)
        except ValueError:  # a null byte in the path, which opening it reports
            return self
        search = _Search(real, self._path, keys)
        return LocalLocation(self._path, real_parent=self._real_parent, search=search)

    @property
    def decryption_keys(self) -> "DecryptionKeys | None":
        """Decryption keys of the search; see `Location.decryption_keys`."""
        return None if self._search is None else self._search.keys

    def open(self) -> "LocalFile":
        """Open the regular file; see `Location.open`."""
        listed = self._search is not None and bool(self._search.lists_file(self._path))
        if not listed and not self._is_followed:
            raise SourceError(
                "the link leads outside the source and is not followed; name its target to read it", file=self._path
            )
        return LocalFile(self._path, listed=listed)

    def anchored(self) -> "LocalLocation":
        """The same location by an absolute path."""
        path = os.path.join(os.getcwd(), self._path)
        # The part before a `..` may be a link.
        return LocalLocation(path if ".." in path.split("/") else os.path.normpath(path))

    def __reduce__(self) -> "tuple[type[LocalLocation], tuple[str]]":
        """Pickle only the path, as links may lead elsewhere on another machine."""
        return LocalLocation, (self._path,)

    @property
    def _is_followed(self) -> bool:
        return self._search is None or self._search.follows(self._path)

    @property
    def _listed(self) -> bool | None:
        return None if self._search is None else self._search.lists_file(self._path)

    def _listing(self) -> _Listing:
        if self._search is None:
            return self._list_now()
        known = self._search.listings.get(self._path)
        if known is None:
            try:
                known = self._list_now()
            except SourceError as error:
                known = error
            self._search.listings[self._path] = known
            if isinstance(known, _Listing) and (known.links_out or known.followed):
                self._search.linked.append(known)
        if isinstance(known, SourceError):
            raise known.with_traceback(None)
        return known

    def _list_now(self) -> _Listing:
        files: list[str] = []
        others: list[os.DirEntry[str]] = []
        links_out: list[LocalLocation] = []
        followed: list[LocalLocation] = []
        try:
            # Names alone, as an `os.DirEntry` holds the whole path, and there may be a million.
            with os.scandir(self._path) as found:
                for entry in found:
                    if _is_regular(entry):
                        files.append(entry.name)
                    else:
                        others.append(entry)
            if len(files) > _AT_ONCE:
                files += _missed(self._path, files)
        except (OSError, ValueError) as error:
            raise SourceError(f"the directory cannot be read: {reason_of(error)}", file=self._path) from error
        # Sizes come after all names: a segment has its last size if the next one was listed, too.
        listed = [_file_entry(name, self, partial(os.lstat, _joined(self._path, name))) for name in files]
        for entry in others:
            leads_out = False
            if self._search is not None and entry.is_symlink():
                if not self._search.follows(entry.path):
                    links_out.append(self.child(entry.name))
                    continue
                if entry.path != self._search.named and _leads_to_directory(entry):
                    followed.append(self.child(entry.name))
                    leads_out = not self._search.holds(os.path.realpath(entry.path))
            listed.append(_other_entry(entry, self, leads_out=leads_out))
        for each in (listed, links_out, followed):
            each.sort(key=attrgetter("name"))
        is_shared = len(listed) <= _MOST_INTERNED
        if is_shared:
            for one in listed:
                one.name = sys.intern(one.name)
        names = [one.name for one in listed]
        if not others:
            return _Listing(listed, (), (), *(_all_regular(tuple(names)) if is_shared else _regular(names)))
        irregular = {entry.name for entry in others}
        names = sorted([*names, *(link.name for link in links_out)]) if links_out else names
        regular = bytes(name not in irregular for name in names)
        return _Listing(listed, links_out or (), followed or (), names, regular)


def _missed(path: str, files: "Sequence[str]") -> list[str]:
    """Regular files with a lower number than the last listed one, or the same, that the listing misses.

    A large directory is returned in steps, in the order of hashes. If a broker creates two segments in between, the
    second one may be listed alone; a later pass has the first one, too.
    """
    last = max((name[:_DIGITS] for name in files if name[:_DIGITS].isdigit()), default="")
    known = set(files)
    with os.scandir(path) as found:
        return [
            entry.name
            for entry in found
            if entry.name[:_DIGITS] <= last and entry.name not in known and _is_regular(entry)
        ]


def _regular(names: "Sequence[str]") -> "tuple[Sequence[str], bytes]":
    """Names of regular files, with `_Listing.regular`."""
    return names, b"\1" * len(names)


_all_regular = lru_cache(_MOST_SHARED)(_regular)
"""The same, shared by all partitions with the same names."""


def _joined(directory: str, name: str) -> str:
    """Do the same as `os.path.join` for a name without `/`."""
    return f"{directory}/{name}" if directory and not directory.endswith("/") else f"{directory}{name}"


def _is_regular(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _leads_to_directory(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _other_entry(entry: "os.DirEntry[str]", directory: LocalLocation, *, leads_out: bool) -> DirectoryEntry:
    """A directory, or a link, pipe or other file that is not regular."""
    if _leads_to_directory(entry):
        return DirectoryEntry(entry.name, directory, is_directory=True, size=None, leads_out=leads_out, is_below=True)
    return _file_entry(entry.name, directory, entry.stat)


def _file_entry(name: str, directory: LocalLocation, find_status: Callable[[], os.stat_result]) -> DirectoryEntry:
    try:
        status = find_status()
    except OSError:
        # A dangling link, or deleted since the directory was read; opening it raises if it is needed.
        return DirectoryEntry(name, directory, is_directory=False, size=None, is_below=True)
    blocks = status.st_blocks
    return DirectoryEntry(
        name,
        directory,
        is_directory=False,
        size=status.st_size,
        allocated=_ALLOCATED[blocks] if blocks < len(_ALLOCATED) else blocks * _BLOCK,
        is_below=True,
    )
