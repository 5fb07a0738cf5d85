"""Discovery: the one walk over directories, on which log directories, surveys and metadata logs are found."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kafkafmt.errors import SourceError
from kafkafmt.files.names import FOREIGN_DIRECTORIES, is_log_file, parse_partition_name
from kafkafmt.io.base import DirectoryEntry, Location

META_PROPERTIES = "meta.properties"


@dataclass(frozen=True, eq=False)
class Directory:
    """A directory that has been listed.

    Attributes:
        location: where it is.
        prefix: what its files' names in answers begin with: "" or a path that ends with "/".
        listing: its entries, in order of names.
    """

    location: Location
    prefix: str
    listing: Sequence[DirectoryEntry]

    @property
    def holds_log_files(self) -> bool:
        """Whether it is a partition directory: its contents decide, not its name."""
        return holds_log_files(self.listing)

    @property
    def is_log_dir(self) -> bool:
        """Whether it directly holds partition directories, or meta.properties."""
        return self.has(META_PROPERTIES) or any(each.holds_log_files for each in self.listed)

    def has(self, name: str) -> bool:
        """Whether it has a file of this name."""
        return any(entry.name == name and entry.is_file for entry in self.listing)

    @cached_property
    def below(self) -> "Mapping[str, Directory | SourceError]":
        """Directories in it by their names, listed, or why they cannot be; none of another program's."""
        return {entry.name: self.child(entry.name) for entry in self.listing if _may_be_a_partition(entry)}

    @property
    def listed(self) -> "list[Directory]":
        """Those of `below` that can be listed."""
        return [each for each in self.below.values() if isinstance(each, Directory)]

    @property
    def unreadable(self) -> list[SourceError]:
        """Why others of `below` cannot be listed, in order of names."""
        return [each for each in self.below.values() if isinstance(each, SourceError)]

    def child(self, name: str) -> "Directory | SourceError":
        """The directory of a name in it, listed, or why it cannot be."""
        location = self.location.child(name)
        try:
            return Directory(location, f"{self.prefix}{name}/", location.list())
        except SourceError as error:
            return error.with_traceback(None)


def holds_log_files(listing: Sequence[DirectoryEntry]) -> bool:
    """Whether a directory with these entries is a partition directory."""
    return any(entry.is_file and is_log_file(entry.name) for entry in listing)


def list_directory(location: Location, prefix: str = "") -> Directory:
    """List a directory, to be searched at every depth.

    Args:
        location: where it is.
        prefix: as for `Directory`.

    Raises:
        SourceError: it cannot be listed.
    """
    searched = location.searched()
    return Directory(searched, prefix, searched.list())


def walk(
    top: Directory, enter: Callable[[Directory], Sequence[Directory]] = lambda directory: directory.listed
) -> Iterator[Directory]:
    """Give a directory and all below it, in path order; one that is met twice counts once.

    Args:
        top: where to begin.
        enter: gives the directories in one to go on with; by default all.
    """
    to_visit = [top]
    visited: set[str] = set()
    # No recursion: a path can be deeper than Python's stack.
    while to_visit:
        directory = to_visit.pop()
        if directory.location.identity not in visited:
            visited.add(directory.location.identity)
            yield directory
            to_visit += reversed(enter(directory))


def _may_be_a_partition(entry: DirectoryEntry) -> bool:
    """Whether an entry is to be listed: a directory, or a link to nowhere that is called like a partition."""
    dangling = entry.is_file and entry.size is None and parse_partition_name(entry.name).topic is not None
    return (entry.is_directory or dangling) and entry.name not in FOREIGN_DIRECTORIES
