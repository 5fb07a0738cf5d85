"""Opens sources: every module of `kafkafmt.files` reads files through `read_bytes` or `open_file`.

A source is a path on this machine, a `file://` URI, a URI of a file system known to pyarrow (`s3://`, `gs://`,
`abfs://`, `hdfs://`, ...), or, with a `filesystem`, one of its paths.
"""

import os
from typing import TYPE_CHECKING

from kafkafmt.errors import LimitExceededError, SourceError
from kafkafmt.io.base import File, Location
from kafkafmt.io.local import LocalLocation
from kafkafmt.io.uri import misspelt_scheme, names_no_file, scheme_of, shown, unquoted
from kafkafmt.phrases import sized

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

Source = str | os.PathLike[str]


def locate(source: Source | Location, filesystem: "FileSystem | None" = None) -> Location:
    """Turn a caller's name into a location, without reading anything.

    Args:
        source: a path or URI; a location is returned unchanged.
        filesystem: the pyarrow file system of `source`; None for a local path or a URI.

    Raises:
        SourceError: the URI is invalid, or this machine has no file system for its scheme.
        TypeError: `source` is not a path, or `filesystem` is not one of pyarrow's.
    """
    if isinstance(source, (LocalLocation, Location)):  # the first class saves the look-up of an ABC
        return source
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    if not isinstance(path, str):
        raise TypeError(f"a source must be a str or a path of str, not {source!r}")
    if filesystem is not None:
        return _on(filesystem, path)
    scheme = scheme_of(path)
    if misspelt_scheme(path) is not None:
        raise SourceError("malformed URI: write it like s3://BUCKET/PATH", file=shown(path))
    if scheme in (None, "file"):
        return _on_this_machine(path, scheme)
    # Imported here, as local files do not need Arrow.
    from kafkafmt.io.remote import locate_uri  # noqa: PLC0415

    return locate_uri(path)


def open_file(source: Source | Location, filesystem: "FileSystem | None" = None) -> File:
    """Open a regular file read-only.

    Args:
        source: a path or URI.
        filesystem: the pyarrow file system of `source`, unless that is a local path or URI.

    Raises:
        SourceError: the file is missing, forbidden, or not a regular file.
    """
    return locate(source, filesystem).open()


def read_bytes(source: Source | Location, *, max_bytes: int) -> bytes:
    """Read a whole file of bounded size.

    Args:
        source: a path or URI of a regular file.
        max_bytes: largest size in bytes of a sound file of its kind.

    Raises:
        SourceError: the file cannot be read, or shrinks meanwhile.
        LimitExceededError: the file is larger than `max_bytes`, and was not read.
    """
    with open_bounded(source, max_bytes) as file:
        return file.read_at(0, file.size)


def open_bounded(source: Source | Location, max_bytes: int) -> File:
    """Open a file of bounded size.

    Args:
        source: a path or URI of a regular file.
        max_bytes: largest size in bytes of a sound file of its kind.

    Raises:
        SourceError: as for `open_file`.
        LimitExceededError: the file is larger than `max_bytes`.
    """
    file = locate(source).open()
    if file.size <= max_bytes:
        return file
    file.close()
    raise LimitExceededError(
        "the file is too large for its kind",
        file=file.name,
        expected=f"at most {max_bytes} bytes",
        found=sized(file.size),
    )


def _on(filesystem: "FileSystem", path: str) -> Location:
    from kafkafmt.io import remote, stores  # noqa: PLC0415

    base = stores.local_base(filesystem)
    scheme = scheme_of(path)
    if base == "" and scheme in (None, "file"):
        return _on_this_machine(path, scheme)
    if scheme is not None:
        raise SourceError(
            "with filesystem= a source is a path of that file system: leave out the scheme", file=shown(path)
        )
    if base is not None:
        return LocalLocation(base + path)
    return remote.locate_path(filesystem, path)


def _on_this_machine(path: str, scheme: str | None) -> LocalLocation:
    local = path if scheme is None else _path_of_file_uri(path)
    if not local:
        # Python's error would not name the file.
        raise SourceError("the path is empty: the current directory is called .", file=path)
    return LocalLocation(local)


def _path_of_file_uri(uri: str) -> str:
    if names_no_file(uri):
        raise SourceError("malformed URI: write it like file:///path", file=shown(uri))
    rest = uri.partition(":")[2]
    # Not urlsplit, which drops line ends, and ends the path at "?" and "#", which it may contain.
    host, slash, below = rest[2:].partition("/") if rest.startswith("//") else ("", "/", rest[1:])
    if host not in ("", "localhost"):
        raise SourceError(
            "a file:// URI names a path on this machine, not a host: write file:///path", file=uri, found=host
        )
    return unquoted(slash + below)
