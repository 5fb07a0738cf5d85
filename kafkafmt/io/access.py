"""Permissions of sources, by the rule that output must not be more readable than its sources.

A class of users (group, others) may read a source if its mode and the modes of all parent directories allow it. Remote
sources need keys, and the permissions of an unreadable source are unknown, so both count as private.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from kafkafmt.errors import SourceError
from kafkafmt.io.base import Location
from kafkafmt.io.source import Source, locate
from kafkafmt.io.uri import scheme_of, shown

_GROUP_AND_OTHERS = 0o077
_READABLE = stat.S_IROTH
_LISTABLE = stat.S_IROTH | stat.S_IXOTH
# With more files than this, the strictest permissions are assumed instead of checking all of them.
_MOST_LOOKED_AT = 100_000


@dataclass(frozen=True, slots=True)
class Access:
    """The permissions of group and others that all sources grant.

    Attributes:
        directories: permission bits of group and others that all directories have.
        files: permission bits of group and others that all files have.
        owners: user ids of the owners.
        groups: ids of the groups.
    """

    directories: int = _GROUP_AND_OTHERS
    files: int = _GROUP_AND_OTHERS
    owners: frozenset[int] = frozenset()
    groups: frozenset[int] = frozenset()

    @property
    def is_private(self) -> bool:
        """Whether others on this machine may not read one of the sources."""
        return not self.files & _READABLE or self.directories & _LISTABLE != _LISTABLE

    def without_group(self) -> "Access":
        """The same for a copy with another group, as members of the new and the old group may be anyone."""
        directories, files = (bits & (bits >> 3) & 0o007 for bits in (self.directories, self.files))
        return Access(directories * 0o11, files * 0o11, self.owners, self.groups)


def access_of(places: Iterable[Source | Location], *, below: bool = True) -> Access:
    """The permissions of group and others that all sources grant; all permissions if there are no sources.

    Args:
        places: paths, URIs or locations of files and directories.
        below: whether everything below a directory counts, instead of only its own files. Owners and groups are
            complete in either case.
    """
    reach = _reach()
    directories, files = _GROUP_AND_OTHERS, _GROUP_AND_OTHERS
    has_directory = False
    owners: set[int] = set()
    groups: set[int] = set()
    try:
        found = (each for place in places for each in _at_and_below(local_path_of(place), below=below))
        for count, (path, status) in enumerate(found, 1):
            bits = status.st_mode & reach(os.path.dirname(path), status.st_gid)
            if stat.S_ISDIR(status.st_mode):
                directories &= bits
                has_directory = True
            elif stat.S_ISREG(status.st_mode):
                files &= bits
            else:
                continue
            owners.add(status.st_uid)
            groups.add(status.st_gid)
            if below and (not files & directories or count == _MOST_LOOKED_AT):
                directories = files = 0
                break
    except (OSError, ValueError, SourceError):
        return Access(0, 0)
    if owners and not has_directory:
        directories = files & 0o066 | (files & 0o044) >> 2
    return Access(directories, files, frozenset(owners), frozenset(groups))


def _reach() -> Callable[[str, int], int]:
    """Make a function that returns the classes of users, as bits, that may pass a directory and all its parents.

    Its arguments are the directory, without links, and the group of its content.
    """

    @cache
    def reach(directory: str, group: int) -> int:
        status = os.stat(directory)
        others = status.st_mode & stat.S_IXOTH
        # If the directory belongs to another group, members of the content's group count as others there.
        of_group = status.st_mode & stat.S_IXGRP if status.st_gid == group else others
        passing = (0o007 if others else 0) | (0o070 if of_group else 0)
        above = os.path.dirname(directory)
        return passing if above == directory else passing & reach(above, group)

    return reach


def local_path_of(place: Source | Location) -> str:
    """The absolute path of a location on this machine.

    Raises:
        SourceError: the location is not on this machine.
    """
    if not isinstance(place, Location) and scheme_of(os.fspath(place)) not in (None, "file"):
        raise SourceError("is not on this machine", file=shown(os.fspath(place)))
    path = locate(place).absolute
    if not os.path.isabs(path):
        raise SourceError("is not on this machine", file=path)
    return path


def _at_and_below(path: str, *, below: bool) -> Iterator[tuple[str, os.stat_result]]:
    """A path, with links followed, and all paths below it; files that vanish meanwhile are left out.

    Raises:
        OSError: the path does not exist, or a directory cannot be listed.
    """
    real = os.path.realpath(path)
    status = os.stat(real)
    yield real, status
    waiting, seen = [real] if stat.S_ISDIR(status.st_mode) else [], {real}
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                each = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                try:
                    status = os.stat(each)
                except FileNotFoundError:
                    continue
                is_directory = stat.S_ISDIR(status.st_mode)
                if each in seen or (is_directory and not below):
                    continue
                if is_directory:
                    waiting.append(each)
                    seen.add(each)
                yield each, status
