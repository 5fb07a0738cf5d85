"""Resolves a source that a caller names: paths, URIs, wildcards, and objects that are already open."""

import os
import re
from glob import glob
from typing import TYPE_CHECKING, TypeAlias

from kafkafmt.errors import SourceError
from kafkafmt.io.base import Location
from kafkafmt.io.source import Source
from kafkafmt.io.uri import misspelt_scheme, scheme_of
from kafkafmt.logdir.log_dir import LogDir
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

_WILDCARD = re.compile(r"[*?\[]")
OPENED = (LogDir, Partition, Segment)
Readable: TypeAlias = Source | Location | LogDir | Partition | Segment
"""A readable source: a path or URI, or an open directory or file."""


def matching(source: "Readable") -> "Iterator[Readable]":
    """The source itself; for a local path with wildcards its matches. A `~` is replaced by the user's directory.

    Raises:
        SourceError: a path with wildcards matches nothing.
    """
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    if not isinstance(path, str) or scheme_of(path) is not None or misspelt_scheme(path) is not None:
        yield source
        return
    path = os.path.expanduser(path) if path.startswith("~") else path
    if _WILDCARD.search(path) is None or os.path.lexists(path):
        yield path
        return
    found = sorted(glob(path))
    if not found:
        raise SourceError("no file or directory matches this pattern", file=path)
    yield from found
