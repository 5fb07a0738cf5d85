"""What a remote file system holds below a directory, from one listing of it."""

from typing import TYPE_CHECKING

from pyarrow.fs import FileType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyarrow.fs import FileInfo

Version = tuple[int | None, int | None]


class Listing:
    """Files and directories below a root. An empty object where a directory is, is its marker and no file.

    Args:
        root: the directory that was listed.
        found: what was found in it, in any order; directories above a file need not be among it.
    """

    def __init__(self, root: str, found: "Iterable[FileInfo]") -> None:
        self._root = _key(root)
        self._files: dict[str, Version] = {}
        self._below: dict[str, dict[str, None]] = {self._root: {}}
        for info in found:
            key = _key(info.path)
            if info.type == FileType.Directory:
                if key not in self._below:
                    self._below[key] = {}
                    self._link(key)
            else:
                self._files[key] = (info.size, info.mtime_ns)
                self._link(key)
        for key in [key for key, (size, _) in self._files.items() if size == 0 and key in self._below]:
            del self._files[key]

    def covers(self, path: str) -> bool:
        """Whether `path` is the root or below it."""
        key = _key(path)
        return not self._root or key == self._root or key.startswith(f"{self._root}/")

    def is_directory(self, path: str) -> bool:
        """Whether something lies below `path`, or it was listed as a directory."""
        return _key(path) in self._below

    def version(self, path: str) -> Version | None:
        """Size in bytes and time of the last change in ns since the epoch, each as far as known; None for no file."""
        return self._files.get(_key(path))

    def names_in(self, path: str) -> list[tuple[str, bool, int | None]]:
        """Names in a directory, in order, whether each is a directory, and the size of a file."""
        key = _key(path)
        found: list[tuple[str, bool, int | None]] = []
        for name in sorted(self._below.get(key, ())):
            below = f"{key}/{name}" if key else name
            if below in self._below:
                found.append((name, True, None))
            if below in self._files:
                found.append((name, False, self._files[below][0]))
        return found

    def _link(self, key: str) -> None:
        """Enter a name in its directory, and that in the one above, up to one that is known."""
        while key and key != self._root:
            parent, _, name = key.rpartition("/")
            known = parent in self._below
            self._below.setdefault(parent, {})[name] = None
            if known:
                return
            key = parent


def _key(path: str) -> str:
    # Some file systems of Python's give absolute paths for relative ones.
    return path.removeprefix("/")
