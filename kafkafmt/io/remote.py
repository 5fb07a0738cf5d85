"""Every file system that pyarrow knows: object stores, HDFS, and what a program hands over as `filesystem=`.

Files are read in ranges, never whole. What lies below a directory is listed at once, so that a search costs a request
for many names and not one for each; object stores have no directories: what stands before a `/` in a key is one.
"""

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote

import pyarrow as pa
import pyarrow.fs as pafs

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io import uri
from kafkafmt.io.base import DirectoryEntry, File, Location
from kafkafmt.io.listing import TreeListing, Version, list_below

if TYPE_CHECKING:
    from kafkafmt.io.keys import DecryptionKeys

_OBJECT_STORES = ("s3", "gcs", "abfs")
_URI_CHARACTERS = "/%:@!$&'()*+,;=-._~"

# Google's client would try again for a quarter of an hour.
_GS_RETRY_SECONDS = 30
_READ_AT_ONCE = 8 * 1024 * 1024
_BLOCKS_KEPT = 4
_CANARY = 0xC3
# What is shorter would be found within words.
_SHORT = 3
_SECRET_NAME = re.compile(r"secret|access_?key|account_?key|token|password|credential|signature", re.IGNORECASE)
_LOGIN = re.compile(r"://[^/\s'\"@]+@")

_HINTS = {
    r"access.?denied|forbidden|permission|credential|signature|invalid.?access.?key|expired|unauthori|\b40[13]\b": (
        "check the access keys (for s3 in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the URI) and what"
        " they may read"
    ),
    r"bucket does not exist|no_such_bucket|container.*not.*exist": (
        "check the bucket's name, and the URI's region= and endpoint_override="
    ),
    r"network|curl|connect|resolve host|unavailable|timed? ?out|status 30[17]|configured region": (
        "check the network, and the URI's region= and endpoint_override="
    ),
    r"libjvm|libhdfs": "hdfs needs Java and Hadoop here: set JAVA_HOME, HADOOP_HOME and CLASSPATH",
    r"unrecognized filesystem|without .* support|not enabled|not built": (
        "this pyarrow reads s3, gs, abfs and hdfs; copy the files to a disk, or, in Python, give filesystem= what reads"
        " them"
    ),
    r"query param|option": "pyarrow's documentation of this scheme tells which options may follow the ?",
}


@dataclass(frozen=True, eq=False, repr=False)
class _Store:
    """A file system, and how its paths are shown.

    Attributes:
        filesystem: pyarrow's.
        root: what is shown in place of `head`; "" if paths are shown as they are.
        head: the beginning of each path that `root` stands for: the bucket.
        key: tells the files of this file system from those of another.
        secrets: what no message may hold, and what stands there instead.
    """

    filesystem: pafs.FileSystem
    root: str = ""
    head: str = ""
    key: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict)

    def show(self, path: str) -> str:
        if not self.root:
            return path
        return self.root + quote(path[len(self.head) :], safe="/:@!$&'()*+,;=")

    @contextmanager
    def reporting(self, place: str, what: str, position: int | None = None) -> Iterator[None]:
        """Turn whatever a file system raises into SourceError; a Python one raises anything."""
        try:
            yield
        except (KafkafmtError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - as said
            message = f"{what} cannot be read: {_reason(error, self.secrets)}"
            # A traceback shows the text of the cause.
            cause = None if _has_secrets(str(error), self.secrets) else error
            raise SourceError(message, file=place, position=position) from cause

    @property
    def is_object_store(self) -> bool:
        filesystem = self.filesystem
        while isinstance(filesystem, pafs.SubTreeFileSystem):
            filesystem = filesystem.base_fs
        return filesystem.type_name in _OBJECT_STORES


def local_base(filesystem: pafs.FileSystem) -> str | None:
    """What to put before a path of `filesystem` to make it one of this machine; None if it is none of this machine.

    Raises:
        TypeError: it is no file system of pyarrow's.
    """
    if not isinstance(filesystem, pafs.FileSystem):
        raise TypeError(
            f"filesystem must be a pyarrow.fs.FileSystem, not {type(filesystem).__name__}; one of fsspec becomes one by"
            " pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(...))"
        )
    if isinstance(filesystem, pafs.LocalFileSystem):
        return ""
    if isinstance(filesystem, pafs.SubTreeFileSystem):
        base = local_base(filesystem.base_fs)
        return None if base is None else base + filesystem.base_path
    return None


def locate_path(filesystem: pafs.FileSystem, path: str) -> "RemoteLocation":
    """The place of a path of a file system."""
    return RemoteLocation(_Store(filesystem), _without_slash(path))


def locate_uri(source: str) -> "RemoteLocation":
    """The place that a URI names; no request is made but, for s3 without a region, one for the bucket's.

    Raises:
        SourceError: the URI makes no sense, or this pyarrow has no file system for it.
    """
    parsed = uri.parse(source)
    place = parsed.root + parsed.path
    if not uri.is_well_formed(source):
        raise SourceError(
            "the parts of the URI are not where they belong: write / and @ in an access key as %2F and %40, a plain @"
            " after the keys, and options after a ?",
            file=place,
        )
    secrets = [parsed.secret, *([parsed.user] if parsed.scheme == "s3" else [])]
    if parsed.user and not parsed.host:
        raise SourceError("a / in an access key must be written as %2F", file=place)
    secrets = [each for secret in secrets if len(secret) > _SHORT for each in (secret, unquote(secret))]
    secrets += _of_environment() + _of_options(parsed.options)
    options = parsed.options
    if parsed.scheme in ("gs", "gcs") and "retry_limit_seconds=" not in options:
        options += f"{'&' if options else ''}retry_limit_seconds={_GS_RETRY_SECONDS}"
    login = f"{parsed.user}{':' if parsed.secret else ''}{parsed.secret}@" if parsed.user or parsed.secret else ""
    text = f"{parsed.scheme}://{login}{parsed.host}"
    try:
        text += quote(parsed.path, safe=_URI_CHARACTERS)
        filesystem, path = _open_uri(f"{text}?{options}" if options else text)
    except (OSError, ValueError, pa.ArrowException, ImportError) as error:
        # Not chained: pyarrow's text can quote the whole URI.
        hidden = dict.fromkeys((source, f"{text}?{options}", text), place) | dict.fromkeys(secrets, "...")
        message = f"the URI cannot be opened: {_reason(error, hidden)}"
        raise SourceError(message, file=place) from None
    if not path.strip("/") and parsed.scheme in ("s3", "gs", "gcs", "abfs", "abfss"):
        raise SourceError("the URI names no bucket", file=place, expected=f"{parsed.scheme}://BUCKET/PATH")
    endpoint = dict(parse_qsl(options)).get("endpoint_override", "")
    path = _without_slash(path)
    below = unquote(parsed.path).rstrip("/")
    if path.rstrip("/").endswith(below):
        root, head = parsed.root, path.rstrip("/").removesuffix(below)
    else:
        root, head = f"{parsed.scheme}://", ""
    return RemoteLocation(_Store(filesystem, root, head, f"{endpoint}:{root}:", dict.fromkeys(secrets, "...")), path)


def _open_uri(text: str) -> tuple[pafs.FileSystem, str]:
    filesystem, path = pafs.FileSystem.from_uri(text)
    return filesystem, path


class RemoteLocation(Location):
    """A path on a pyarrow file system."""

    __slots__ = ("_listed", "_listing", "_path", "_store")

    # All of them wait for answers.
    read_at_once = 16

    def __init__(
        self, store: _Store, path: str, listing: TreeListing | None = None, listed: Version | None = None
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
        """Path or URI; each has one spelling."""
        return str(self)

    @property
    def identity(self) -> str:
        """Endpoint, bucket and path; file systems of pyarrow's have no links."""
        return self._store.key + self._path

    @property
    def parent(self) -> "RemoteLocation":
        """The directory it is in; of a bucket the bucket."""
        if self._path == self._store.head:
            return self
        above, slash, _ = self._path.rpartition("/")
        return self._at(above or slash)

    def child(self, name: str) -> "RemoteLocation":
        """The place of a name in this directory."""
        return self._at(f"{self._path.rstrip('/')}/{name}" if self._path else name)

    def sibling(self, name: str) -> "RemoteLocation":
        """The place of another file in the directory of this file."""
        return self.parent.child(name)

    def is_directory(self) -> bool:
        """Whether a directory, or anything whose key goes on behind this one, is there."""
        if self._listing is not None:
            return self._listing.is_directory(self._path)
        with self.reporting("the path"):
            info = self._info()
            if info.type == pafs.FileType.File and info.size == 0 and self._store.is_object_store:
                # Perhaps a marker: some tools put an empty object where a directory should be.
                below = pafs.FileSelector(self._path, allow_not_found=True)
                return bool(self._store.filesystem.get_file_info(below))
            return bool(info.type == pafs.FileType.Directory)

    def is_file(self) -> bool:
        """Whether a file is there."""
        return self.version() is not None

    def version(self) -> "Version | None":
        """Size and time of the last change; None if no file is there."""
        return self.how_it_is_now() if self._listing is None else self._listing.version(self._path)

    def modified(self) -> int | None:
        """When the object there was written, in ms since the epoch; see `Location.modified`."""
        _, written_ns = self.version() or (None, None)
        return None if written_ns is None else written_ns // 1_000_000

    def list(self) -> list[DirectoryEntry]:
        """List the directory there in order of names, by one request for each thousand; see `Location.list`."""
        listing = self._listing or self._list(recursive=False)
        return [
            DirectoryEntry(name, self.child(name), is_directory=is_directory, size=size)
            for name, is_directory, size in listing.names_in(self._path)
        ]

    def open(self) -> "RemoteFile":
        """Open the file there; see `Location.open`."""
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

    def __reduce__(self) -> "tuple[type[RemoteLocation], tuple[_Store, str, None, Version | None]]":
        """Pickle the place without its listing; with the version that the file had in that."""
        return RemoteLocation, (self._store, self._path, None, self._listed_version())

    def searched(self, *, is_directory: bool = True, keys: "DecryptionKeys | None" = None) -> "RemoteLocation":
        """List all that lies below; see `Location.searched`."""
        if self._listing is not None or not is_directory:
            return self
        listing = self._list(recursive=True)
        listing.keys = keys
        return RemoteLocation(self._store, self._path, listing)

    @property
    def decryption_keys(self) -> "DecryptionKeys | None":
        """Those of the listing; see `Location.decryption_keys`."""
        return None if self._listing is None else self._listing.keys

    def how_it_is_now(self) -> tuple[int, int | None] | None:
        """Ask for size and time of the last change; None if no file is there."""
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
            # A file system of Python's need not bear several threads.
            return TreeListing(self._path, filesystem.get_file_info(pafs.FileSelector(self._path, recursive=recursive)))

    def _info(self) -> pafs.FileInfo:
        return self._store.filesystem.get_file_info(self._path)

    def reporting(self, what: str = "the file", position: int | None = None) -> AbstractContextManager[None]:
        """Turn what the file system raises inside into SourceError with this place."""
        return self._store.reporting(str(self), what, position)


class RemoteFile(File):
    """A file of a remote file system, read in ranges."""

    # A request takes 20 to 50 ms, in which one or two megabytes travel; but far from the store these may cost money.
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
        """Read with one request for each 8 MiB, and none for what the last few little ones brought along."""
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
        # Whoever looks at an entry looks at its header, at the rest of it, and at what lies around it.
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
        # If the object has become shorter, pyarrow's S3 client (26) leaves the rest of the buffer as it was and does
        # not say so: a last byte that is still ours is a reason to ask.
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
            expected=f"{self._whole} bytes",
            found=f"{now} bytes",
        )


def _modified(handle: pa.NativeFile) -> int | None:
    """When an opened object was last changed, in s since the epoch; None where the store does not tell."""
    modified = (handle.metadata() or {}).get("Last-Modified")
    try:
        return None if modified is None else int(datetime.fromisoformat(modified.decode()).timestamp())
    except ValueError:
        return None


def _changed(handle: pa.NativeFile, listed: Version) -> bool:
    """Whether an opened object was changed since it was listed."""
    _, listed_ns = listed
    modified = _modified(handle)
    return modified is not None and listed_ns is not None and modified != listed_ns // 1_000_000_000


def _reason(error: BaseException, secrets: Mapping[str, str]) -> str:
    """What went wrong, in a line without secrets, and what to do about it."""
    if isinstance(error, FileNotFoundError):
        return "No such file or directory"
    text = str(error.strerror or error) if isinstance(error, OSError) else str(error)
    text = (text.strip().splitlines() or [type(error).__name__])[0]
    text = re.sub(r" Detail: \[.*|google::cloud::Status\(|error_info=.*", "", text)
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, secrets[secret])
    text = _LOGIN.sub("://", text)
    hint = next((hint for pattern, hint in _HINTS.items() if re.search(pattern, str(error), re.IGNORECASE)), None)
    return f"{text.rstrip('. ')}; {hint}" if hint else text


def _has_secrets(text: str, secrets: Iterable[str]) -> bool:
    return _LOGIN.search(text) is not None or any(secret in text for secret in secrets)


def _of_environment() -> list[str]:
    """Access keys that file systems take from environment variables, and that their errors may quote."""
    named = [value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) > _SHORT]
    return [each for value in named for each in (value, quote(value, safe=""))]


def _of_options(options: str) -> list[str]:
    """Access keys among the options of a URI, where no file system looks for them; logins of endpoints."""
    secrets = []
    for name, value in parse_qsl(options):
        login, at, _ = value.rpartition("://")[2].rpartition("@")
        secrets += [login] if at else []
        secrets += [value] if _SECRET_NAME.search(name) else []
    return [each for secret in secrets if len(secret) > _SHORT for each in (secret, quote(secret, safe=""))]


def _without_slash(path: str) -> str:
    return path.rstrip("/") or path[:1]
