"""Directories: what lies in one, and what a caller's path or URI means on this machine."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kafkafmt.errors import SourceError, UnsupportedError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_SCHEME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789+.-"


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One name in a directory; links count as what they lead to.

    Attributes:
        name: base name; undecodable bytes are surrogate escapes.
        path: of the directory, with the name.
        is_directory: whether it is a directory; everything else is treated as a file, which may fail to open.
        size: bytes of the file when it was listed; None for a directory, a dangling link, a file just deleted.
    """

    name: str
    path: str
    is_directory: bool
    size: int | None

    @property
    def is_file(self) -> bool:
        """Whether it is no directory."""
        return not self.is_directory


def list_directory(path: str) -> list[DirectoryEntry]:
    """List a directory in order of names.

    Raises:
        SourceError: it is missing, forbidden, or no directory.
    """
    try:
        with os.scandir(path) as entries:
            return sorted((_entry(entry) for entry in entries), key=lambda entry: entry.name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SourceError(f"the directory cannot be read: {reason}", file=path) from error


def local_path(source: str | os.PathLike[str], filesystem: "FileSystem | None" = None) -> str:
    """Turn a path or a `file://` URI into a path of this machine.

    Raises:
        UnsupportedError: another scheme, host or file system; they come with a later release.
        TypeError: `source` is no path.
    """
    if filesystem is not None and getattr(filesystem, "type_name", None) != "local":
        raise UnsupportedError(
            "only the local file system is read so far",
            expected="None or pyarrow.fs.LocalFileSystem",
            found=repr(filesystem),
        )
    path = os.fspath(source)
    if not isinstance(path, str):
        raise TypeError(f"a source must be a str or a path of str, not {source!r}")
    scheme, colon, rest = path.partition(":")
    if not colon or not rest.startswith("/") or len(scheme) < 2 or set(scheme.lower()) - set(_SCHEME_LETTERS):
        return path
    if scheme.lower() == "file":
        # Not urlsplit: it drops line ends, and takes "?" and "#", which a path may hold, for the end of it.
        host, slash, below = rest[2:].partition("/") if rest.startswith("//") else ("", "/", rest[1:])
        if host in ("", "localhost"):
            return unquote(slash + below, errors="surrogateescape")
    if not rest.startswith("//"):
        return path
    raise UnsupportedError("only local paths and file:// URIs are read so far", found=path)


def _entry(entry: "os.DirEntry[str]") -> DirectoryEntry:
    try:
        if entry.is_dir():
            return DirectoryEntry(entry.name, entry.path, is_directory=True, size=None)
        return DirectoryEntry(entry.name, entry.path, is_directory=False, size=entry.stat().st_size)
    except OSError:
        # Dangling, or gone since the directory was read: opening it will tell, if anybody needs it.
        return DirectoryEntry(entry.name, entry.path, is_directory=False, size=None)
