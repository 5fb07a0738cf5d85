"""Copies of the metadata log: where they are on these disks, whose they are, and which one is the best."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import meta_properties
from kafkafmt.files.names import FOREIGN_DIRECTORIES, parse_partition_name, parse_segment_file_name
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir import replicas
from kafkafmt.logdir.log_dir import CHECKPOINTS, META_PROPERTIES, holds_log_files
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.sources import Sources
from kafkafmt.topics.cluster_metadata.snapshots import BOOTSTRAP, Snapshot, snapshot_of, snapshots_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyarrow.fs import FileSystem

    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.io.base import DirectoryEntry, Location
    from kafkafmt.logdir.sources import Searchable

DIRECTORY: Final = f"{CLUSTER_METADATA}-0"
_QUORUM_STATE: Final = "quorum-state"

Standing = tuple[int, int]
"""Leader epoch and end offset: what decides between copies, in this order."""


@dataclass(eq=False)
class Copy:
    """One node's copy of the metadata log.

    Attributes:
        partition: its directory; of a `bootstrap.checkpoint` alone, or a snapshot that was named itself, that above.
        listing: what is in it.
        snapshots: those in it, the newest first.
        only: the one file that counts, where a snapshot or log was named itself.
        bootstrap: the `bootstrap.checkpoint` of its log directory, or None.
        broken: called with what is wrong with a small file beside the log; if it returns, that counts for nothing.
    """

    partition: Partition
    listing: "Sequence[DirectoryEntry]"
    snapshots: list[Snapshot] = field(default_factory=list)
    only: "Location | None" = None
    bootstrap: "Location | None" = None
    broken: "Callable[[KafkafmtError], None]" = field(default_factory=lambda: _pass_over)

    @property
    def path(self) -> str:
        """Path or URI of what is read."""
        if self.only is not None:
            return str(self.only)
        return self.partition.path if self.is_log or self.bootstrap is None else str(self.bootstrap)

    @property
    def is_log(self) -> bool:
        """Whether there is a log or a snapshot of one, and not a `bootstrap.checkpoint` alone."""
        name = None if self.only is None else self.only.name
        return name != BOOTSTRAP if name is not None else self.has_log or bool(self.snapshots)

    @property
    def has_log(self) -> bool:
        """Whether there is a log, and not snapshots alone."""
        return holds_log_files(self.listing)

    @property
    def size(self) -> int:
        """Bytes of its log files and snapshots."""
        return sum(
            entry.size or 0
            for entry in self.listing
            if entry.is_file and (entry.name.endswith(".log") or ".checkpoint" in entry.name)
        )

    @cached_property
    def properties(self) -> "MetaProperties | None":
        """meta.properties of its log directory, or None where there is none that can be read."""
        place = self.partition.location.parent.child(META_PROPERTIES)
        try:
            return meta_properties.read(place) if place.is_file() else None
        except KafkafmtError as error:
            self.broken(error)
            return None

    @property
    def cluster_id(self) -> str | None:
        """Id of its cluster, or None."""
        return self.properties.cluster_id if self.properties else None

    @property
    def node_id(self) -> int | None:
        """Id of its node, or None."""
        return self.properties.node_id if self.properties else None

    @cached_property
    def standing(self) -> Standing:
        """Leader epoch and end offset of its log, or of its newest snapshot where that is ahead; -1 for none.

        A log that cannot be read is `broken`, and the worst.
        """
        standings = [(each.epoch, each.end_offset) for each in self.snapshots if not each.is_partial]
        if self.has_log:
            standings.append(self._log_standing())
        return max(standings, default=(-1, -1))

    def _log_standing(self) -> Standing:
        epoch, _ = replicas.standing(self.partition, self.broken)
        try:
            end = self.partition.log_end_offset
        except SourceError as error:
            self.broken(error)
            return replicas.UNREADABLE
        return epoch, -1 if end is None else end


def find_copies(source: "Searchable", filesystem: "FileSystem | None" = None) -> list[Copy]:
    """Find the metadata logs at and below paths; what lies in a log directory is listed no deeper than its names.

    Args:
        source: a directory at or above `__cluster_metadata-0`, a snapshot, or a list of those; paths or URIs.
        filesystem: as for `kafkafmt.scan`.

    Raises:
        SourceError: a path cannot be read, or a metadata log below it; `Sources` can say to pass over the latter. Other
            directories that cannot be listed are noted there.
        TypeError: a source is no path.
    """
    searched = source if isinstance(source, Sources) else Sources(source, filesystem)
    copies: dict[str, Copy] = {}
    for place in searched:
        for copy in _below(place, searched):
            copies.setdefault(copy.only.identity if copy.only else copy.partition.location.identity, copy)
    return list(copies.values())


def ranked(copies: Iterable[Copy]) -> list[Copy]:
    """The best copy first: that of the highest leader epoch, then of the highest end offset, then in path order."""
    return sorted(copies, key=lambda copy: (-copy.standing[0], -copy.standing[1], copy.path))


def _below(location: "Location", searched: Sources) -> list[Copy]:
    if not location.is_directory():
        return _file(location)
    listing: Sequence[DirectoryEntry] = location.list()
    if _is_copy(location, listing) or (holds_log_files(listing) and parse_partition_name(location.name).topic is None):
        return [_directory(location, listing)]
    found = []
    to_visit: list[tuple[Location, Sequence[DirectoryEntry]]] = [(location, listing)]
    visited: set[str] = set()
    # No recursion: a path can be deeper than Python's stack.
    while to_visit:
        location, listing = to_visit.pop()
        if location.identity in visited:
            continue
        visited.add(location.identity)
        found += _in_log_dir(location, listing, searched)
        below = reversed(_worth_visiting(location, listing))
        to_visit += [(each, entries) for each in below if (entries := _listed(each, searched.note)) is not None]
    return found


def _listed(location: "Location", unreadable: "Callable[[SourceError], None]") -> "Sequence[DirectoryEntry] | None":
    try:
        return location.list()
    except SourceError as error:
        unreadable(error)
        return None


def _file(location: "Location") -> list[Copy]:
    """What a file that was named itself is; none if it is no snapshot, nor a log called like one.

    Raises:
        SourceError: it cannot be read.
    """
    snapshot = snapshot_of(location)
    parsed = parse_segment_file_name(location.name)
    is_log = parsed is not None and parsed.kind == "log"
    with location.open() as file:
        if snapshot is None and location.name != BOOTSTRAP and not is_log:
            refuse_wrapped(file)
            return []
    directory = location.parent
    if is_log and parse_partition_name(directory.name).topic not in (CLUSTER_METADATA, None):
        return []
    return [Copy(Partition(directory, listing=()), (), only=location)]


def _in_log_dir(location: "Location", listing: "Sequence[DirectoryEntry]", searched: Sources) -> list[Copy]:
    """The metadata log in a log directory; where there is none, the records that it would begin with."""
    bootstrap = next((each.location for each in listing if each.is_file and each.name == BOOTSTRAP), None)
    for entry in listing:
        if entry.is_directory and entry.name == DIRECTORY:
            place = location.child(DIRECTORY)
            below = _listed(place, searched.report)
            if below is None:
                return []  # what the cluster began with is no answer where the log cannot be read
            if _is_copy(place, below):
                return [_directory(place, below, bootstrap)]
    if bootstrap is None:
        return []
    return [Copy(Partition(location.child(DIRECTORY), listing=()), (), bootstrap=bootstrap)]


def _is_copy(location: "Location", listing: "Sequence[DirectoryEntry]") -> bool:
    """Whether a directory is a metadata log: by its name, or by what lies in no other."""
    names = parse_partition_name(location.name)
    if (names.topic, names.state) == (CLUSTER_METADATA, "live"):
        return holds_log_files(listing) or bool(snapshots_in(listing))
    return any(entry.is_file and entry.name == _QUORUM_STATE for entry in listing) or bool(snapshots_in(listing))


def _directory(location: "Location", listing: "Sequence[DirectoryEntry]", bootstrap: "Location | None" = None) -> Copy:
    partition = Partition(location, prefix=f"{location}/", listing=listing)
    return Copy(partition, listing, snapshots_in(listing), bootstrap=bootstrap)


def _worth_visiting(location: "Location", listing: "Sequence[DirectoryEntry]") -> "list[Location]":
    """Directories that may be or hold log directories: not the partitions, of which there may be thousands."""
    names = [entry.name for entry in listing if entry.is_directory and entry.name not in FOREIGN_DIRECTORIES]
    like_partitions = [name for name in names if parse_partition_name(name).topic is not None]
    marks = {META_PROPERTIES, *CHECKPOINTS}
    is_log_dir = DIRECTORY in names or any(entry.is_file and entry.name in marks for entry in listing)
    if not is_log_dir and like_partitions:
        # Copies of brokers' directories may be called node-1: one tells what the others are.
        is_log_dir = holds_log_files(_listed(location.child(like_partitions[0]), lambda _: None) or ())
    left_out = set(like_partitions) if is_log_dir else {DIRECTORY}
    return [location.child(name) for name in names if name not in left_out]


def _pass_over(_: KafkafmtError) -> None:
    """What is wrong with a small file is for whoever reads the log."""
