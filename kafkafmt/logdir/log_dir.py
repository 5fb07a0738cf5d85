"""LogDir, one entry of a broker's `log.dirs`, and the walk that finds log directories below any directory.

Surveys and metadata logs are found by the same walk.
"""

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property
from kafkafmt.errors import SourceError
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint
from kafkafmt.files.names import FOREIGN_DIRECTORIES, is_log_file, parse_partition_name
from kafkafmt.files.wrapped import nothing_found, refuse_packed
from kafkafmt.io.base import DirectoryEntry, Location
from kafkafmt.io.source import Source, locate
from kafkafmt.io.uri import shown
from kafkafmt.logdir.checkpoints import CHECKPOINTS, RECOVERY_POINT_CHECKPOINT, Checkpoints
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.tier_search import mounted
from kafkafmt.public import Public

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.files.clean_shutdown import CleanShutdown
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.files.offset_checkpoint import OffsetCheckpoint

META_PROPERTIES = "meta.properties"

_NOTHING_BELOW: "Mapping[str, Directory | SourceError]" = {}


@dataclass(eq=False, slots=True)
class Directory:
    """A listed directory.

    Attributes:
        location: location of the directory.
        prefix: prefix of file names in answers: "" or a path that ends with "/".
        listing: its entries, in order of names.
    """

    location: Location
    prefix: str
    listing: Sequence[DirectoryEntry]
    # A cached_property would give each of 20,000 partitions a dictionary.
    _below: "Mapping[str, Directory | SourceError] | None" = field(default=None, init=False, repr=False)

    @property
    def holds_log_files(self) -> bool:
        """Whether it is a partition directory, judged by its contents, not its name."""
        return holds_log_files(self.listing)

    @property
    def is_log_dir(self) -> bool:
        """Whether it directly holds partition directories, or meta.properties."""
        return self.has(META_PROPERTIES) or any(each.holds_log_files for each in self.listed)

    @property
    def is_of_a_node(self) -> bool:
        """Whether it is a node's log.dir: it has meta.properties or checkpoints, or is empty; not copied partitions."""
        is_empty = not any(each.holds_log_files for each in self.listed)
        return is_empty or self.has(META_PROPERTIES) or self.has(RECOVERY_POINT_CHECKPOINT)

    def has(self, name: str) -> bool:
        """Whether it has a file of this name."""
        return any(entry.name == name and entry.is_file for entry in self.listing)

    @property
    def below(self) -> "Mapping[str, Directory | SourceError]":
        """Subdirectories by name, each listed or with the error of listing it; those of other programs are left out."""
        if self._below is None:
            names = [entry.name for entry in self.listing if _may_be_a_partition(entry)]
            self._below = {name: self.child(name) for name in names} if names else _NOTHING_BELOW
        return self._below

    @property
    def listed(self) -> "list[Directory]":
        """Subdirectories that could be listed."""
        return [each for each in self.below.values() if isinstance(each, Directory)]

    @property
    def unreadable(self) -> list[SourceError]:
        """Errors of the subdirectories that could not be listed, in order of names."""
        return [each for each in self.below.values() if isinstance(each, SourceError)]

    def child(self, name: str) -> "Directory | SourceError":
        """The subdirectory of this name, listed, or the error of listing it."""
        try:
            return _listed(self.location.child(name), f"{self.prefix}{name}/")
        except SourceError as error:
            return error.with_traceback(None)


def holds_log_files(listing: Sequence[DirectoryEntry]) -> bool:
    """Whether a directory with these entries is a partition directory."""
    return any(is_log_file(entry.name) and not entry.is_directory for entry in listing)


def list_directory(location: Location, prefix: str = "") -> Directory:
    """List a directory, to be searched at every depth.

    Args:
        location: location of the directory.
        prefix: as for `Directory`.

    Raises:
        SourceError: it cannot be listed.
    """
    return _listed(location.searched(), prefix)


def _listed(searched: Location, prefix: str) -> Directory:
    """List a directory; remote storage in it is shown as a broker's directories."""
    listing = searched.list()
    if any(entry.leads_out for entry in listing):
        listing = [entry for entry in listing if not entry.leads_out or leads_to_logs(entry.location)]
    tier = mounted(searched, listing)
    return Directory(searched, prefix, listing) if tier is None else Directory(tier, prefix, tier.list())


def leads_to_logs(link: Location) -> bool:
    """Whether Kafka would treat a link's target as a partition or a log directory, judged by names.

    Other links that lead out of the searched directories are not followed: they can lead to a tree of any size.
    """
    if parse_partition_name(link.name).topic is not None:
        return True
    try:
        listing = link.list()
    except SourceError:
        return False
    names = (META_PROPERTIES, *CHECKPOINTS)
    return any(
        entry.name in names or (entry.is_directory and parse_partition_name(entry.name).topic is not None)
        for entry in listing
    )


def walk(
    top: Directory, enter: Callable[[Directory], Sequence[Directory]] = lambda directory: directory.listed
) -> Iterator[Directory]:
    """Yield a directory and all directories below it in path order, without repetition.

    Args:
        top: directory to begin with.
        enter: returns the subdirectories to visit; by default all.
    """
    to_visit = [top]
    visited: set[str] = set()
    # Not recursive: a path can be deeper than Python's stack.
    while to_visit:
        directory = to_visit.pop()
        if directory.location.identity not in visited:
            visited.add(directory.location.identity)
            yield directory
            to_visit += reversed(enter(directory))


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Run the garbage collector rarely: with 20,000 partitions it takes up to half the time, and finds no cycles."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _may_be_a_partition(entry: DirectoryEntry) -> bool:
    """Whether an entry is to be listed: a directory, or a dangling link with a partition's name."""
    dangling = entry.is_file and entry.size is None and parse_partition_name(entry.name).topic is not None
    return (entry.is_directory or dangling) and entry.name not in FOREIGN_DIRECTORIES


class LogDir(Public):
    """A directory that directly holds partition directories. Lazy and read-only.

    Args:
        path: a path, a `file://` URI, a URI of a remote file system (`s3://bucket/key?region=..`, `gs://`, `abfs://`,
            `hdfs://`), or a location.
        filesystem: any pyarrow file system; `path` is then one of its paths.
        directory: the same directory, if it has already been listed.

    Attributes:
        location: location of the directory.
        path: its path or URI, without the URI's options and access keys.

    Raises:
        SourceError: it is not a readable directory, or not a valid URI.
    """

    _INNER = frozenset({"is_of_a_node", "location"})

    def __init__(
        self,
        path: Source | Location,
        filesystem: "FileSystem | None" = None,
        *,
        directory: Directory | None = None,
    ) -> None:
        self._directory = directory or list_directory(locate(path, filesystem))
        self.location = self._directory.location
        self.path = str(self.location)

    @property
    def partitions(self) -> list[Partition]:
        """Live partition directories, by topic and partition; at the end, by name, those without a name of Kafka's."""
        return self._all[0]

    @property
    def other_partitions(self) -> list[Partition]:
        """Directories set aside by the broker: `-delete`, `-future`, `-stray`."""
        return self._all[1]

    @property
    def unreadable(self) -> list[SourceError]:
        """Why directories in it cannot be listed, in order of names; answers lack their content."""
        return self._all[2]

    def __getitem__(self, topic_partition: tuple[str, int]) -> Partition:
        """The live partition of a topic and number.

        Raises:
            KeyError: there is no such partition.
        """
        return self._by_name[topic_partition]

    @property
    def is_of_a_node(self) -> bool:
        """Whether a broker has used it, as defined by `Directory`."""
        return self._directory.is_of_a_node

    @property
    def meta_properties(self) -> "MetaProperties | None":
        """The content of meta.properties, or None if it is missing (before Kafka 0.9)."""
        file = self._beside(META_PROPERTIES)
        return meta_properties.read(file) if file else None

    @property
    def checkpoints(self) -> "dict[str, OffsetCheckpoint]":
        """The existing offset checkpoint files, by file name.

        Raises:
            CorruptError, UnsupportedError: a file is broken.
        """
        files = ((name, self._beside(name)) for name in CHECKPOINTS)
        return {name: offset_checkpoint.read(file) for name, file in files if file}

    @property
    def clean_shutdown(self) -> "CleanShutdown | None":
        """The marker of a clean shutdown, or None: the broker was killed, or was running when the copy was made."""
        file = self._beside(clean_shutdown.FILE_NAME)
        return clean_shutdown.read(file) if file else None

    def __repr__(self) -> str:
        return f"LogDir({self.path!r})"

    @cached_property
    def _all(self) -> tuple[list[Partition], list[Partition], list[SourceError]]:
        checkpoints = Checkpoints(self.location)
        partitions = [
            Partition(each.location, prefix=each.prefix, listing=each.listing, checkpoints=checkpoints)
            for each in self._directory.listed
            if each.holds_log_files
        ]
        partitions.sort(key=partition_order)
        live = [partition for partition in partitions if partition.state == "live"]
        others = [partition for partition in partitions if partition.state != "live"]
        return live, others, self._directory.unreadable

    @cached_property
    def _by_name(self) -> dict[tuple[str | None, int | None], Partition]:
        # If two have the same topic and number (`t-1` and `t-01`), the first one wins.
        return {(each.topic, each.partition): each for each in reversed(self.partitions)}

    def _beside(self, name: str) -> Location | None:
        return next((entry.location for entry in self._directory.listing if entry.name == name and entry.is_file), None)


def partition_order(partition: Partition) -> tuple[bool, str, int, str]:
    """Sort key: topic, partition, path; directories without a Kafka name last."""
    return (partition.topic is None, partition.topic or "", partition.partition or 0, partition.path)


def properties_of(log_dir: "Location") -> "MetaProperties | None":
    """Read meta.properties of a log directory; None if it is missing.

    Raises:
        KafkafmtError: it is broken, or cannot be read.
    """
    place = log_dir.child(META_PROPERTIES)
    return meta_properties.read(place) if place.is_file() else None


def find_log_dirs(top: Directory) -> Iterator[LogDir]:
    """Find log directories at a directory and below it, at every depth, in path order, each once.

    Directories with subdirectories that cannot be listed are included: `LogDir.unreadable` has the errors.
    """
    for directory in walk(top):
        if directory.is_log_dir or directory.unreadable:
            yield LogDir(directory.location, directory=directory)


def log_dirs_of_a_node(places: Iterable[Location], *, tiers: bool = False) -> Iterator[tuple[Directory, bool]]:
    """Find log directories as a broker knows them, and whether each was named; a named empty directory counts.

    Kafka ignores subdirectories of a partition directory, and a partition directory alone is not a log directory.

    Args:
        places: locations to search.
        tiers: whether to include remote storage, on which no broker starts.

    Raises:
        SourceError: a place cannot be listed.
    """
    seen: set[str] = set()
    for place in places:
        if not place.is_directory():
            continue
        top = list_directory(place)
        if top.holds_log_files and parse_partition_name(place.name).topic is not None:
            continue
        found = [each for each in walk(top, _above_partitions) if each.is_log_dir]
        for directory in found if found or top.listing else [top]:
            if directory.location.is_tier and not tiers:
                continue
            if directory.location.identity not in seen:
                seen.add(directory.location.identity)
                yield directory, directory.location.identity == top.location.identity


def link_targets(log_dirs: Iterable[LogDir]) -> dict[str, Partition]:
    """Partitions that are symbolic links, by the identity of the directory that each leads to."""
    partitions = [partition for each in log_dirs for partition in each.partitions]
    return {
        each.location.identity: each
        for each in partitions
        if os.path.dirname(each.location.identity) != each.location.parent.identity
    }


def folder_names(log_dirs: Sequence[LogDir]) -> list[str]:
    """Unique folder names for copies: base names, preceded by as many parent names as distinguish them."""
    names = [each.location.name for each in log_dirs]
    if len(set(names)) < len(names):
        names = [f"{each.location.parent.name}-{each.location.name}" for each in log_dirs]
    if len(set(names)) < len(names):
        names = [f"{number}-{name}" for number, name in enumerate(names)]
    return names


def _above_partitions(directory: Directory) -> Sequence[Directory]:
    return () if directory.is_log_dir else directory.listed


def open_log_dirs(source: Source | Sequence[Source], filesystem: "FileSystem | None" = None) -> list[LogDir]:
    """Find the log directories at or below one or several directories, each once.

    A log directory directly holds partition directories or a meta.properties file. Directories below that cannot be
    listed raise nothing: they are in `LogDir.unreadable` of the directory above, which is included even if it is not a
    log directory.

    Args:
        source: a directory, or a list of directories: paths, `file://` URIs or URIs of remote file systems, as for
            `scan`.
        filesystem: any pyarrow file system; `source` then has its paths.

    Raises:
        SourceError: a source cannot be listed, has no log directory, or none of its directories can be listed.
    """
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: dict[str, LogDir] = {}
    for each in sources:
        location = locate(each, filesystem)
        prefix = f"{shown(os.fspath(each)).rstrip('/')}/" if len(sources) > 1 else ""
        if location.is_file():
            refuse_packed([location])
        below = list(find_log_dirs(list_directory(location, prefix)))
        if not any(log_dir.partitions or log_dir.other_partitions for log_dir in below):
            for error in (error for log_dir in below for error in log_dir.unreadable):
                raise error
        if not below:
            raise nothing_found("no log directory here or below", location)
        for log_dir in below:
            found.setdefault(log_dir.location.identity, log_dir)
    return list(found.values())
