"""All that lies below a directory of an object store: from one listing, by requests under way at the same time.

A store lists names in pages of a thousand, each of which begins where the one before ended: a hundred thousand segments
with their indexes are four hundred requests, one after another. Directories can be listed beside each other, so the
tree is opened from above until there are enough of them. Where they turn out to hold little, pages of a thousand names
are fewer than directories, and what is above them is listed to every depth instead.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileType

if TYPE_CHECKING:
    from kafkafmt.io.keys import DecryptionKeys

_PAGE = 1000
# Deeper than Kafka's files lie below whatever they were copied to; each level is a round of requests.
_LEVELS = 6

Version = tuple[int | None, int | None]


class TreeListing:
    """Files and directories below a root. An empty object where a directory is, is its marker and no file.

    Args:
        root: the directory that was listed.
        found: what was found in it, in any order; directories above a file need not be among it. It is emptied, for
            there may be a million objects.

    Attributes:
        keys: what decrypts encrypted files below, or None.
    """

    def __init__(self, root: str, found: list[FileInfo]) -> None:
        self.keys: DecryptionKeys | None = None
        self._root = _key(root)
        self._below: dict[str, dict[str, Version | None]] = {self._root: {}}
        while found:
            info = found.pop()
            key = _key(info.path)
            if info.type == FileType.Directory:
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
        """Whether something lies below `path`, or it was listed as a directory."""
        return _key(path) in self._below

    def version(self, path: str) -> Version | None:
        """Size in bytes and time of the last change in ns since the epoch, each as far as known; None for no file."""
        key = _key(path)
        parent, _, name = key.rpartition("/")
        version = self._below.get(parent, {}).get(name)
        return None if version is None or self._is_marker(key, version) else version

    def names_in(self, path: str) -> list[tuple[str, bool, int | None]]:
        """Names in a directory, in order, whether each is a directory, and the size of a file."""
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
        """Enter a directory, and those above it up to one that is known."""
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
    # Some file systems of Python's give absolute paths for relative ones.
    return path.removeprefix("/")


def list_below(filesystem: FileSystem, root: str) -> list[FileInfo]:
    """List all that lies below a directory, in any order, as one recursive listing of it does.

    Args:
        filesystem: an object store; several threads call it.
        root: path of the directory.

    Raises:
        Exception: whatever the file system raises.
    """
    found = _entries(filesystem, root, recursive=False)
    level = _directories(root, found)
    if not level:
        return found if level is not None else _entries(filesystem, root, recursive=True)
    # pyarrow has no more requests under way, however many threads ask.
    width = pa.io_thread_count()
    with ThreadPoolExecutor(width, thread_name_prefix="listing") as pool:
        parents = [root]
        for _ in range(_LEVELS):
            if not 0 < len(level) < width:
                break
            listed = _each(pool, filesystem, level, recursive=False)
            below = [_directories(path, entries) for path, entries in zip(level, listed, strict=True)]
            found += chain.from_iterable(listed)
            parents, level = level, list(chain.from_iterable(each or () for each in below))
            if None in below:
                return found + list(chain.from_iterable(_each(pool, filesystem, parents, recursive=True)))
        return found + _shared_out(pool, filesystem, parents, level, width)


def _shared_out(
    pool: ThreadPoolExecutor, filesystem: FileSystem, parents: list[str], level: list[str], width: int
) -> list[FileInfo]:
    """What lies below the directories of a level: some of them are listed first, and tell how large the others are."""
    step = max(1, ceil(len(level) / width))
    sample, rest = level[::step], [path for number, path in enumerate(level) if number % step]
    found = list(chain.from_iterable(_each(pool, filesystem, sample, recursive=True)))
    if not rest:
        return found
    names = len(found) / len(sample)
    rounds = ceil(len(rest) / width) * ceil((names + 1) / _PAGE)
    pages = ceil(names * len(level) / _PAGE) / min(len(parents), width)
    if rounds >= pages:
        return list(chain.from_iterable(_each(pool, filesystem, parents, recursive=True)))
    return found + list(chain.from_iterable(_each(pool, filesystem, rest, recursive=True)))


def _each(
    pool: ThreadPoolExecutor, filesystem: FileSystem, paths: Iterable[str], *, recursive: bool
) -> list[list[FileInfo]]:
    return list(pool.map(partial(_entries, filesystem, recursive=recursive, may_be_gone=True), paths))


def _entries(filesystem: FileSystem, path: str, *, recursive: bool, may_be_gone: bool = False) -> list[FileInfo]:
    selector = FileSelector(path, recursive=recursive, allow_not_found=may_be_gone)
    found: list[FileInfo] = filesystem.get_file_info(selector)
    return found


def _directories(path: str, entries: Iterable[FileInfo]) -> list[str] | None:
    """Directories among what a path holds; None if a name leads elsewhere than below it, as keys with `//` do."""
    found = [entry.path for entry in entries if entry.type == FileType.Directory]
    beginning = f"{path}/" if path else ""
    names = [each.removeprefix(beginning) if each.startswith(beginning) else "" for each in found]
    return None if any(name in ("", ".", "..") or "/" in name for name in names) else found
