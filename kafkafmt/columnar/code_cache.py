"""CodeCache: compiled kernels, kept on disk where only this process's user and root can write.

Anyone who can write there can run code as this user. The first usable one of these directories is taken:
`NUMBA_CACHE_DIR`, `__pycache__` beside the kernel's module, and `kafkafmt` in the user's cache directory. Code found in
a later directory is copied to the first writable one. A `NUMBA_CACHE_DIR` to which others can write is not used, and a
warning says so.
"""

import hashlib
import json
import logging
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

_LOG = logging.getLogger("kafkafmt")
_SUFFIX = ".code"
_VARIABLE = "NUMBA_CACHE_DIR"


@cache
def other_writer(directory: Path) -> str | None:
    """Find out whether a user other than this process's and root can write to a directory, or to a kernel in it.

    Parent directories count too, because anyone who can rename their entries can replace this directory. Below a
    directory that no other user may search, nothing is accessible to others.

    Args:
        directory: directory of kernels, existing or not, without links in its path.

    Returns:
        None if only this user and root can write (always on Windows, where access lists are not read), else the
        writable path as text for an error.

    Raises:
        OSError: a directory cannot be examined.
    """
    if os.name != "posix":
        return None
    searchable = True
    for path in _with_kernels(directory):
        found = path.lstat()
        mode = stat.S_IMODE(found.st_mode)
        if found.st_uid not in {0, os.geteuid()}:
            return f"{path} (owner: user id {found.st_uid})"
        if stat.S_ISLNK(found.st_mode):
            return f"{path} (a link)"
        if stat.S_ISDIR(found.st_mode) and not mode & (stat.S_IXGRP | stat.S_IXOTH):
            searchable = False
        # In a sticky directory, like /tmp, others can add files, but not replace existing ones.
        adds_only = bool(mode & stat.S_ISVTX) and path in directory.parents
        if searchable and mode & (stat.S_IWGRP | stat.S_IWOTH) and not adds_only:
            return f"{path} (mode {mode:04o})"
    return None


def _with_kernels(directory: Path) -> Iterator[Path]:
    """Yield the existing directories from the root down to this one, then the kernels in it."""
    for path in (*reversed(directory.parents), directory):
        if not os.path.lexists(path):
            return
        yield path
    with os.scandir(directory) as entries:
        kernels = [entry.path for entry in entries if entry.name.endswith(_SUFFIX)]
    yield from map(Path, kernels)


class CodeCache:
    """The object code of one package's kernels on disk, which may be full, damaged or read-only at any time.

    Args:
        package: directory of the modules that define kernels.
    """

    def __init__(self, package: Path) -> None:
        self._package = package

    def load(self, name: str, key: str, sources: str) -> tuple[dict[str, Any], bytes] | None:
        """Return the cached code of a kernel; code from a later place is also copied to an earlier one.

        Args:
            name: name of the kernel, for people.
            key: identifies the kernel, its argument types and the machine.
            sources: identifies the sources from which it must have been compiled.

        Returns:
            The saved facts and code; None if there are none, or if they are damaged or compiled from other sources.
        """
        places = _private_places(self._package)
        for number, place in enumerate(places):
            with suppress(OSError):
                data = (place / self._file_name(name, key)).read_bytes()
                found = _parsed(data, sources)
                if found is not None:
                    self._write(places[:number], self._file_name(name, key), data)
                    return found
        return None

    def save(self, name: str, key: str, sources: str, facts: dict[str, Any], code: bytes) -> Path | None:
        """Save a kernel, replacing one compiled from other sources; return where, or None if it cannot be written.

        Args:
            name: as for `load`.
            key: as for `load`.
            sources: as for `load`.
            facts: further facts, as JSON.
            code: object code.
        """
        head = json.dumps({"facts": facts, "sources": sources, "sha256": _sum_of(facts, code)}).encode()
        kept_at = self._write(_private_places(self._package), self._file_name(name, key), head + b"\n" + code)
        if kept_at is None:
            _say_nowhere()
        return kept_at

    def _write(self, places: Sequence[Path], name: str, data: bytes) -> Path | None:
        """Write a file in the first of some directories where that is possible."""
        for place in places:
            path = place / name
            part = path.with_name(f"{name}.{token_hex(4)}.part")
            try:
                _make(place)
                part.write_bytes(data)
                part.replace(path)
            except OSError:
                with suppress(OSError):
                    part.unlink()
            else:
                return path
        return None

    def _file_name(self, name: str, key: str) -> str:
        digest = hashlib.sha256(f"{self._package}\n{key}".encode()).hexdigest()
        return f"{name}-{digest[:20]}{_SUFFIX}"


@cache
def _say_nowhere() -> None:
    """Warn that no directory is writable, once per process, as a scan may load a hundred kernels."""
    text = "each process compiles its kernels again, for seconds, as no cache can be written: set %s to a directory"
    _LOG.warning(f"{text} that only this user can write to", _VARIABLE)


def _parsed(data: bytes, sources: str) -> tuple[dict[str, Any], bytes] | None:
    head, _, code = data.partition(b"\n")
    try:
        parsed = json.loads(head)
        facts: dict[str, Any] = parsed["facts"]
        is_sound = parsed["sources"] == sources and parsed["sha256"] == _sum_of(facts, code)
    except (ValueError, KeyError, TypeError):
        return None
    return (facts, code) if is_sound else None


def _sum_of(facts: dict[str, Any], code: bytes) -> str:
    """Checksum of a cached file, verified before the code is loaded."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode() + b"\n" + code).hexdigest()


@cache
def _private_places(package: Path) -> tuple[Path, ...]:
    """The directories, best first, in which no other user can write; resolved once, as a link could lead elsewhere."""
    configured = os.environ.get(_VARIABLE)
    # In its own subdirectory, since another user's may be beside it.
    own = Path(configured) / "kafkafmt" if configured else None
    places = [own] if own is not None else []
    places.append(package / "__pycache__")
    with suppress(RuntimeError):  # a user without a home
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kafkafmt")
    private = []
    for place in places:
        with suppress(OSError):
            real = Path(os.path.realpath(place))
            writable = other_writer(real)
            if writable is None:
                private.append(real)
            elif place is own:
                _LOG.warning("%s=%s is not used, because other users can write to %s", _VARIABLE, configured, writable)
    return tuple(private)


def _make(directory: Path) -> None:
    for missing in reversed([parent for parent in (directory, *directory.parents) if not parent.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
