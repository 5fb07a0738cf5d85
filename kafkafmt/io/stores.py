"""Stores: the file systems of pyarrow that URIs name, their errors, and the listing of a whole tree.

Messages never contain access keys of a URI or of the environment.

A store lists names in pages of a thousand, each of which begins where the previous one ended: a hundred thousand
segments with their indexes take four hundred requests, one after another. Directories can be listed concurrently, so
the tree is listed level by level from the top until there are enough of them. If they turn out to hold little, pages of
a thousand names are fewer than directories, and the parent directory is listed recursively instead.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import ceil
from urllib.parse import parse_qsl, quote, unquote

import pyarrow as pa
import pyarrow.fs as pafs

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.io import uri

_OBJECT_STORES = ("s3", "gcs", "abfs")
_URI_CHARACTERS = "/%:@!$&'()*+,;=-._~"

# Without this limit Google's client would retry for 15 minutes.
_GS_RETRY_SECONDS = 30
# Shorter secrets are not hidden, as they would match within ordinary words.
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
    r"query param|option": "pyarrow's documentation of this scheme lists the options that may follow the ?",
}

# Largest number of names that S3 lists per request.
_PAGE = 1000
# Largest number of levels that are listed concurrently: Kafka's files are less deep below a copy's root, and each level
# is a round of requests.
_LEVELS = 6


@dataclass(frozen=True, eq=False, repr=False)
class Store:
    """A file system, with the way to show its paths.

    Attributes:
        filesystem: the pyarrow file system.
        root: shown in place of `head`; "" if paths are shown unchanged.
        head: the beginning of each path that `root` replaces: the bucket.
        key: identifies the files of this file system.
        secrets: texts that messages must not contain, and their replacements.
    """

    filesystem: pafs.FileSystem
    root: str = ""
    head: str = ""
    key: str = ""
    secrets: Mapping[str, str] = field(default_factory=dict)

    def show(self, path: str) -> str:
        """A path in the form for names and errors."""
        if not self.root:
            return path
        return self.root + quote(path[len(self.head) :], safe="/:@!$&'()*+,;=")

    @contextmanager
    def reporting(self, place: str, what: str, position: int | None = None) -> Iterator[None]:
        """Turn any error of a file system into SourceError; those written in Python may raise anything."""
        try:
            yield
        except (KafkafmtError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - as said
            message = f"{what} cannot be read: {_reason(error, self.secrets)}"
            # A traceback would show the text of the cause, so a cause with secrets is dropped.
            cause = None if _has_secrets(str(error), self.secrets) else error
            raise SourceError(message, file=place, position=position) from cause

    @property
    def is_object_store(self) -> bool:
        """Whether it has keys instead of real directories."""
        filesystem = self.filesystem
        while isinstance(filesystem, pafs.SubTreeFileSystem):
            filesystem = filesystem.base_fs
        return filesystem.type_name in _OBJECT_STORES


def local_base(filesystem: pafs.FileSystem) -> str | None:
    """The prefix that turns a path of `filesystem` into one of this machine; None for a remote file system.

    Raises:
        TypeError: it is not a file system of pyarrow's.
    """
    if not isinstance(filesystem, pafs.FileSystem):
        raise TypeError(
            f"filesystem must be a pyarrow.fs.FileSystem, not {type(filesystem).__name__}; wrap one of fsspec as"
            " pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(...))"
        )
    if isinstance(filesystem, pafs.LocalFileSystem):
        return ""
    if isinstance(filesystem, pafs.SubTreeFileSystem):
        base = local_base(filesystem.base_fs)
        return None if base is None else base + filesystem.base_path
    return None


def open_store(source: str) -> tuple[Store, str]:
    """The file system and the path that a URI names; no request is made, except to find the region for s3 without one.

    Raises:
        SourceError: the URI is invalid, or this pyarrow has no file system for it.
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
        # Not chained, as pyarrow's text can quote the whole URI.
        hidden = dict.fromkeys((source, f"{text}?{options}", text), place) | dict.fromkeys(secrets, "...")
        message = f"the URI cannot be opened: {_reason(error, hidden)}"
        raise SourceError(message, file=place) from None
    if not path.strip("/") and parsed.scheme in ("s3", "gs", "gcs", "abfs", "abfss"):
        raise SourceError("the URI names no bucket", file=place, expected=f"{parsed.scheme}://BUCKET/PATH")
    endpoint = dict(parse_qsl(options)).get("endpoint_override", "")
    path = without_slash(path)
    below = unquote(parsed.path).rstrip("/")
    if path.rstrip("/").endswith(below):
        root, head = parsed.root, path.rstrip("/").removesuffix(below)
    else:
        root, head = f"{parsed.scheme}://", ""
    return Store(filesystem, root, head, f"{endpoint}:{root}:", dict.fromkeys(secrets, "...")), path


def _open_uri(text: str) -> tuple[pafs.FileSystem, str]:
    filesystem, path = pafs.FileSystem.from_uri(text)
    return filesystem, path


def _reason(error: BaseException, secrets: Mapping[str, str]) -> str:
    """The error in one line without secrets, with the remedy."""
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
    """Access keys that file systems read from environment variables, and that their errors may quote."""
    named = [value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) > _SHORT]
    return [each for value in named for each in (value, quote(value, safe=""))]


def _of_options(options: str) -> list[str]:
    """Access keys among the options of a URI, where no file system looks for them, and logins of endpoints."""
    secrets = []
    for name, value in parse_qsl(options):
        login, at, _ = value.rpartition("://")[2].rpartition("@")
        secrets += [login] if at else []
        secrets += [value] if _SECRET_NAME.search(name) else []
    return [each for secret in secrets if len(secret) > _SHORT for each in (secret, quote(secret, safe=""))]


def without_slash(path: str) -> str:
    """A path without the slash at the end, except for the root's."""
    return path.rstrip("/") or path[:1]


def list_below(filesystem: pafs.FileSystem, root: str) -> list[pafs.FileInfo]:
    """List the tree below a directory, in any order, with the same result as one recursive listing.

    Args:
        filesystem: an object store, called by several threads.
        root: path of the directory.

    Raises:
        Exception: as raised by the file system.
    """
    found = _entries(filesystem, root, recursive=False)
    level = _directories(root, found)
    if not level:
        return found if level is not None else _entries(filesystem, root, recursive=True)
    # pyarrow does not run more requests at once, however many threads make them.
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
    pool: ThreadPoolExecutor, filesystem: pafs.FileSystem, parents: list[str], level: list[str], width: int
) -> list[pafs.FileInfo]:
    """List the trees below the directories of a level, beginning with a sample that shows how large the others are."""
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
    pool: ThreadPoolExecutor, filesystem: pafs.FileSystem, paths: Iterable[str], *, recursive: bool
) -> list[list[pafs.FileInfo]]:
    return list(pool.map(partial(_entries, filesystem, recursive=recursive, may_be_gone=True), paths))


def _entries(
    filesystem: pafs.FileSystem, path: str, *, recursive: bool, may_be_gone: bool = False
) -> list[pafs.FileInfo]:
    selector = pafs.FileSelector(path, recursive=recursive, allow_not_found=may_be_gone)
    found: list[pafs.FileInfo] = filesystem.get_file_info(selector)
    return found


def _directories(path: str, entries: Iterable[pafs.FileInfo]) -> list[str] | None:
    """Directories in a listing of a path; None if a name does not lead below it, as with keys that contain `//`."""
    found = [entry.path for entry in entries if entry.type == pafs.FileType.Directory]
    beginning = f"{path}/" if path else ""
    names = [each.removeprefix(beginning) if each.startswith(beginning) else "" for each in found]
    return None if any(name in ("", ".", "..") or "/" in name for name in names) else found
