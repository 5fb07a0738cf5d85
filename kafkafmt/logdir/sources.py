"""Sources: what the paths that a caller names hold, in the terms of partitions and segments."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import SourceError
from kafkafmt.files.directory import list_directory, local_path
from kafkafmt.logdir.log_dir import find_log_dirs, holds_log_files
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

Source = str | os.PathLike[str]


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
        """The log files to read."""
        return self.partition.segments if self.file is None else [self.file]

    @property
    def path(self) -> str:
        """Path of the directory or file."""
        return self.partition.path if self.file is None else self.file.path


def find(source: Source | Iterable[Source], filesystem: "FileSystem | None" = None) -> list[Found]:
    """Find what one source or several hold; a directory or file that is met twice counts once.

    Args:
        source: a segment file, a partition directory, a log directory, any directory above, or a list of those.
        filesystem: None or a local pyarrow file system.

    Raises:
        SourceError: a source is missing or unreadable, or nothing of Kafka's is there.
        UnsupportedError: a file system other than the local one.
        TypeError: a source is no path.
    """
    sources: Sequence[Source] = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: dict[str, Found] = {}
    for each in sources:
        path = local_path(each, filesystem)
        given = os.fspath(each) if len(sources) > 1 else None
        for one in _below(path, given):
            found.setdefault(os.path.realpath(one.path), one)
    return [one for real, one in found.items() if one.file is None or not _is_log_of(found, real)]


def _is_log_of(found: dict[str, Found], file: str) -> bool:
    """Whether a file that was named by itself is read anyway, as part of a directory that was found too."""
    directory = found.get(os.path.dirname(file))
    return directory is not None and any(segment.name == os.path.basename(file) for segment in directory.segments)


def _below(path: str, given: str | None) -> list[Found]:
    """What one source holds; `given` is its name in front of its files', if there are several sources."""
    if not os.path.isdir(path):
        segment = Segment(path, file=given or os.path.basename(path))
        segment.open().close()
        return [Found(Partition(os.path.dirname(os.path.abspath(path))), segment)]
    prefix = f"{given.rstrip('/')}/" if given else ""
    listing = list_directory(path)
    found = [Found(Partition(path, prefix=prefix, listing=listing))] if holds_log_files(listing) else []
    log_dirs = list(find_log_dirs(path, prefix=prefix, listing=listing))
    found += [Found(partition) for log_dir in log_dirs for partition in log_dir.partitions]
    if not found and not log_dirs:
        raise SourceError(
            "no Kafka log here or below: no directory holds a file called like 00000000000000000000.log", file=path
        )
    return found
