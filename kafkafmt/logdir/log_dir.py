"""LogDir: one entry of a broker's `log.dirs`, and how log directories are found below any directory."""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kafkafmt.errors import SourceError
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint
from kafkafmt.files.directory import DirectoryEntry, list_directory, local_path
from kafkafmt.files.names import FOREIGN_DIRECTORIES, is_log_file, parse_partition_name
from kafkafmt.logdir.partition import (
    HIGH_WATERMARK_CHECKPOINT,
    LOG_START_OFFSET_CHECKPOINT,
    RECOVERY_POINT_CHECKPOINT,
    Partition,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.clean_shutdown import CleanShutdown
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.files.offset_checkpoint import OffsetCheckpoint

CHECKPOINTS = (
    RECOVERY_POINT_CHECKPOINT,
    HIGH_WATERMARK_CHECKPOINT,
    LOG_START_OFFSET_CHECKPOINT,
    "cleaner-offset-checkpoint",
)
META_PROPERTIES = "meta.properties"
CLEAN_SHUTDOWN = ".kafka_cleanshutdown"


class LogDir:
    """A directory that directly holds partition directories. Lazy and read-only.

    Args:
        path: where it is; a path or a `file://` URI.
        filesystem: None or a local pyarrow file system.
        prefix: what stands in front of a file's name in answers: "" or a path that ends with "/".
        listing: its entries, if they are at hand.

    Attributes:
        path: where it is.

    Raises:
        SourceError: it is no directory that can be read.
        UnsupportedError: a file system other than the local one.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        filesystem: "FileSystem | None" = None,
        *,
        prefix: str = "",
        listing: Sequence[DirectoryEntry] | None = None,
    ) -> None:
        self.path = local_path(path, filesystem)
        self._prefix = prefix
        self._listing = list_directory(self.path) if listing is None else listing

    @property
    def partitions(self) -> list[Partition]:
        """Live partition directories, by topic and partition; those without a Kafka name at the end, by name."""
        return self._all[0]

    @property
    def other_partitions(self) -> list[Partition]:
        """Directories set aside by the broker: `-delete`, `-future`, `-stray`."""
        return self._all[1]

    def __getitem__(self, topic_partition: tuple[str, int]) -> Partition:
        """The live partition of a topic and number.

        Raises:
            KeyError: there is none.
        """
        for partition in self.partitions:
            if (partition.topic, partition.partition) == topic_partition:
                return partition
        raise KeyError(topic_partition)

    @property
    def meta_properties(self) -> "MetaProperties | None":
        """meta.properties, or None where there is none (before Kafka 0.9)."""
        path = self._beside(META_PROPERTIES)
        return meta_properties.read(path) if path else None

    @property
    def checkpoints(self) -> "dict[str, OffsetCheckpoint]":
        """The offset checkpoint files that are there, by file name.

        Raises:
            CorruptError, UnsupportedError: one of them is broken.
        """
        paths = ((name, self._beside(name)) for name in CHECKPOINTS)
        return {name: offset_checkpoint.read(path) for name, path in paths if path}

    @property
    def clean_shutdown(self) -> "CleanShutdown | None":
        """The marker of a clean shutdown, or None: then the broker was killed, or still ran when the copy was made."""
        path = self._beside(CLEAN_SHUTDOWN)
        return clean_shutdown.read(path) if path else None

    def __repr__(self) -> str:
        return f"LogDir({self.path!r})"

    @cached_property
    def _all(self) -> tuple[list[Partition], list[Partition]]:
        partitions = []
        for entry in self._listing:
            dangling = entry.is_file and entry.size is None and parse_partition_name(entry.name).topic is not None
            if (entry.is_directory or dangling) and entry.name not in FOREIGN_DIRECTORIES:
                # A link named like a partition that leads nowhere is a partition that cannot be read.
                listing = list_directory(entry.path)
                if holds_log_files(listing):
                    partitions.append(Partition(entry.path, prefix=f"{self._prefix}{entry.name}/", listing=listing))
        partitions.sort(key=partition_order)
        live = [partition for partition in partitions if partition.state == "live"]
        return live, [partition for partition in partitions if partition.state != "live"]

    def _beside(self, name: str) -> str | None:
        return next((entry.path for entry in self._listing if entry.name == name and entry.is_file), None)


def partition_order(partition: Partition) -> tuple[bool, str, int, str]:
    """Sort key: topic, partition, path; directories without a Kafka name last."""
    return (partition.topic is None, partition.topic or "", partition.partition or 0, partition.path)


def holds_log_files(listing: Sequence[DirectoryEntry]) -> bool:
    """Whether a directory with these entries is a partition directory: its contents decide, not its name."""
    return any(entry.is_file and is_log_file(entry.name) for entry in listing)


def find_log_dirs(path: str, *, prefix: str = "", listing: Sequence[DirectoryEntry] | None = None) -> Iterator[LogDir]:
    """Find log directories at `path` and below it, at every depth, in path order; links are followed, but only once.

    Raises:
        SourceError: a directory cannot be read.
    """
    if listing is None:
        listing = list_directory(path)
    to_visit = [(path, os.path.realpath(path), prefix, listing)]
    visited: set[str] = set()
    # No recursion: a path can be deeper than Python's stack.
    while to_visit:
        path, real, prefix, listing = to_visit.pop()
        if real in visited:
            continue
        visited.add(real)
        below = [
            (entry.path, _real(entry, real), f"{prefix}{entry.name}/", list_directory(entry.path))
            for entry in listing
            if entry.is_directory and entry.name not in FOREIGN_DIRECTORIES
        ]
        holds_partitions = any(holds_log_files(each) for *_, each in below)
        if holds_partitions or any(entry.name == META_PROPERTIES for entry in listing):
            yield LogDir(path, prefix=prefix, listing=listing)
        to_visit += reversed(below)


def _real(entry: DirectoryEntry, parent: str) -> str:
    # realpath looks at each directory above, so only where a link can lead elsewhere.
    return os.path.realpath(entry.path) if os.path.islink(entry.path) else os.path.join(parent, entry.name)


def open_log_dirs(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], filesystem: "FileSystem | None" = None
) -> list[LogDir]:
    """Find the log directories at or below a directory, or several; one that is met twice counts once.

    A log directory directly holds partition directories, or a meta.properties file.

    Args:
        source: a directory, or a list of those; paths or `file://` URIs.
        filesystem: None or a local pyarrow file system.

    Raises:
        SourceError: a source is no directory that can be read, or no log directory is there.
        UnsupportedError: a file system other than the local one.
    """
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: dict[str, LogDir] = {}
    for each in sources:
        path = local_path(each, filesystem)
        prefix = f"{os.fspath(each).rstrip('/')}/" if len(sources) > 1 else ""
        below = list(find_log_dirs(path, prefix=prefix))
        if not below:
            raise SourceError("no log directory here or below", file=path)
        for log_dir in below:
            found.setdefault(os.path.realpath(log_dir.path), log_dir)
    return list(found.values())
