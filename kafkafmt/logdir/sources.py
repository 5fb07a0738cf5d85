"""Sources: what the paths that a caller names hold, in the terms of partitions and segments."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.files.source import Source, locate
from kafkafmt.files.uri import shown
from kafkafmt.files.wrapped import nothing_found, refuse_packed
from kafkafmt.logdir.checkpoints import Checkpoints
from kafkafmt.logdir.log_dir import find_log_dirs, holds_log_files
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.location import Location


@dataclass(frozen=True)
class Found:
    """A partition directory, or one file of it that was named by itself.

    Attributes:
        partition: the directory.
        file: the file, or None for the whole directory.
    """

    partition: Partition
    file: Segment | None = None

    @property
    def segments(self) -> list[Segment]:
        """The log files to read.

        Raises:
            SourceError: the directory or a swap file in it cannot be read, or all its log files are packed.
        """
        if self.file is not None:
            return [self.file]
        segments = self.partition.segments
        if not segments:
            refuse_packed([each.location for each in self.partition.other_segments])
        return segments

    def anchored(self) -> "Found":
        """The same, whose files are called by their whole path or URI."""
        return Found(self.partition.anchored(), None if self.file is None else self.file.anchored())

    @property
    def location(self) -> "Location":
        """Place of the directory or file."""
        return self.partition.location if self.file is None else self.file.location

    @property
    def path(self) -> str:
        """Path or URI of the directory or file."""
        return str(self.location)


def find(source: Source | Iterable[Source], filesystem: "FileSystem | None" = None) -> list[Found]:
    """Find what one source or several hold; a directory or file that is met twice counts once.

    Args:
        source: a segment file, a partition directory, a log directory, any directory above, or a list of those; paths
            or URIs.
        filesystem: the pyarrow file system that the sources are paths of, if they are no local paths or URIs.

    Raises:
        SourceError: a source is missing or unreadable, or nothing of Kafka's is there.
        TypeError: a source is no path.
    """
    sources: Sequence[Source] = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    checkpoints: dict[str, Checkpoints] = {}
    found: dict[str, Found] = {}
    for each in sources:
        location = locate(each, filesystem)
        given = shown(os.fspath(each)) if len(sources) > 1 else None
        for one in _below(location, given, checkpoints):
            found.setdefault(one.location.identity, one)
    names: dict[str, set[str]] = {}
    return [one for identity, one in found.items() if one.file is None or not _is_log_of(found, identity, names)]


def _is_log_of(found: dict[str, Found], file: str, names: dict[str, set[str]]) -> bool:
    """Whether a file that was named by itself is read anyway, as part of a directory that was found too."""
    parent, _, name = file.rpartition("/")
    directory = found.get(parent or "/")
    if directory is None:
        return False
    if parent not in names:
        names[parent] = {segment.name for segment in directory.partition.segments}
    return name in names[parent]


def _below(location: "Location", given: str | None, checkpoints: dict[str, Checkpoints]) -> list[Found]:
    """What one source holds; `given` is its name in front of its files', if there are several sources."""
    if not location.is_directory():
        segment = Segment(location, file=given or location.name)
        segment.open().close()
        directory = location.parent
        return [Found(Partition(directory, checkpoints=_beside(directory, checkpoints)), segment)]
    prefix = f"{given.rstrip('/')}/" if given else ""
    location = location.searched()
    listing = location.list()
    found = []
    if holds_log_files(listing):
        beside = _beside(location, checkpoints)
        found.append(Found(Partition(location, prefix=prefix, listing=listing, checkpoints=beside)))
    log_dirs = list(find_log_dirs(location, prefix=prefix, listing=listing))
    found += [Found(partition) for log_dir in log_dirs for partition in log_dir.partitions]
    if not found and not log_dirs:
        raise nothing_found(
            "no Kafka log here or below: no directory holds a file called like 00000000000000000000.log", location
        )
    return found


def _beside(partition: "Location", known: dict[str, Checkpoints]) -> Checkpoints:
    # Shared: thousands of directories of one log directory may be named.
    parent = partition.parent
    return known.setdefault(parent.identity, Checkpoints(parent))
