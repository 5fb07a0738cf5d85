"""Copies of the metadata log: where they are on these disks, which nodes they belong to, and which is the best.

A copy is a log with raft snapshots (`<end offset>-<epoch>.checkpoint`, KIP-630), or one of these files alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import quorum_state
from kafkafmt.files.damage import ignore
from kafkafmt.files.names import FOREIGN_DIRECTORIES, parse_partition_name, parse_segment_file_name
from kafkafmt.files.wrapped import refuse_wrapped
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir import replicas
from kafkafmt.logdir.checkpoints import CHECKPOINTS
from kafkafmt.logdir.log_dir import META_PROPERTIES, Directory, holds_log_files, list_directory, properties_of, walk
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.sources import Sources
from kafkafmt.reference.header import INT32_MAX, INT64_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyarrow.fs import FileSystem

    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.io.base import DirectoryEntry, Location
    from kafkafmt.logdir.sources import Searchable

DIRECTORY: Final = f"{CLUSTER_METADATA}-0"

BOOTSTRAP = "bootstrap.checkpoint"
"""Written to a log directory by `kafka-storage format`: the first records of an empty metadata log."""

_SNAPSHOT_NAME = re.compile(r"([0-9]{20})-([0-9]{10})\.checkpoint(\.part)?")

Standing = tuple[int, int]
"""Leader epoch and end offset, by which copies are ranked in this order."""


@dataclass(frozen=True, slots=True)
class RaftSnapshot:
    """A raft snapshot, described by its name.

    Attributes:
        end_offset: offset (exclusive) of the state that it holds.
        epoch: leader epoch of the last record before that offset.
        location: location of the file.
        size: size in bytes when it was listed.
        is_partial: whether the broker did not finish it (`.part`).
    """

    end_offset: int
    epoch: int
    location: "Location"
    size: int | None
    is_partial: bool = False

    @property
    def name(self) -> str:
        """Base name."""
        return self.location.name


def snapshot_of(location: "Location", size: int | None = None) -> RaftSnapshot | None:
    """The snapshot that a file name denotes; None for any other name."""
    match = _SNAPSHOT_NAME.fullmatch(location.name)
    if match is None or int(match[1]) > INT64_MAX or int(match[2]) > INT32_MAX:
        return None
    return RaftSnapshot(int(match[1]), int(match[2]), location, size, is_partial=match[3] is not None)


def snapshots_in(listing: "Iterable[DirectoryEntry]") -> list[RaftSnapshot]:
    """The snapshots in a directory, the newest first."""
    found = [snapshot_of(entry.location, entry.size) for entry in listing if entry.is_file]
    known = [snapshot for snapshot in found if snapshot is not None]
    return sorted(known, key=lambda snapshot: (snapshot.end_offset, snapshot.epoch), reverse=True)


@dataclass(eq=False)
class Copy:
    """One node's copy of the metadata log.

    Attributes:
        partition: its directory; for a `bootstrap.checkpoint` alone, or a file given as source, the directory above.
        listing: entries of the directory.
        snapshots: its snapshots, the newest first.
        only: the one file to read, if a snapshot or log file is itself the source.
        bootstrap: `bootstrap.checkpoint` of its log directory, or None.
        broken: called with the fault of a small file beside the log; if it returns, the file is ignored.
    """

    partition: Partition
    listing: "Sequence[DirectoryEntry]"
    snapshots: list[RaftSnapshot] = field(default_factory=list)
    only: "Location | None" = None
    bootstrap: "Location | None" = None
    broken: "Callable[[KafkafmtError], None]" = ignore

    @property
    def path(self) -> str:
        """Path or URI of the source."""
        if self.only is not None:
            return str(self.only)
        return self.partition.path if self.is_log or self.bootstrap is None else str(self.bootstrap)

    @property
    def is_log(self) -> bool:
        """Whether it has a log or a snapshot, not only a `bootstrap.checkpoint`."""
        name = None if self.only is None else self.only.name
        return name != BOOTSTRAP if name is not None else self.has_log or bool(self.snapshots)

    @property
    def has_log(self) -> bool:
        """Whether it has a log, not only snapshots."""
        return holds_log_files(self.listing)

    @property
    def size(self) -> int:
        """Size of its log files and snapshots in bytes."""
        return sum(
            entry.size or 0
            for entry in self.listing
            if entry.is_file and (entry.name.endswith(".log") or ".checkpoint" in entry.name)
        )

    @cached_property
    def properties(self) -> "MetaProperties | None":
        """meta.properties of its log directory; None if it is missing or cannot be read."""
        try:
            return properties_of(self.partition.location.parent)
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
        """Leader epoch and end offset of its log, or of its newest snapshot if that is further; -1 for none.

        A log that cannot be read is reported to `broken`, and ranks last.
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
    """Find the metadata logs at and below paths, without listing the partitions of log directories.

    Args:
        source: a directory at or above `__cluster_metadata-0`, a snapshot, or a list of these; paths or URIs.
        filesystem: as for `kafkafmt.scan`.

    Raises:
        SourceError: a path, or a metadata log below it, cannot be read; for the latter, unless the `Sources` skip it.
            Other directories that cannot be listed are noted in the `Sources`.
        TypeError: a source is not a path.
    """
    searched = opened(source, filesystem)
    copies: dict[str, Copy] = {}
    for place in searched:
        for copy in _below(place, searched):
            copies.setdefault(copy.only.identity if copy.only else copy.partition.location.identity, copy)
    return list(copies.values())


def opened(source: "Searchable", filesystem: "FileSystem | None" = None) -> Sources:
    """Sources whose partitions have not been listed, as a metadata log is found without that."""
    return source if isinstance(source, Sources) else Sources(source, filesystem)


def ranked(copies: Iterable[Copy]) -> list[Copy]:
    """Sort copies, the best first: by leader epoch, end offset (both descending), and path."""
    return sorted(copies, key=lambda copy: (-copy.standing[0], -copy.standing[1], copy.path))


def _below(location: "Location", searched: Sources) -> list[Copy]:
    if not location.is_directory():
        return _file(location)
    top = list_directory(location)
    if _is_copy(top) or (top.holds_log_files and parse_partition_name(location.name).topic is None):
        return [_copy(top)]
    enter = partial(_worth_entering, searched=searched)
    return [copy for directory in walk(top, enter) for copy in _in_log_dir(directory, searched)]


def _file(location: "Location") -> list[Copy]:
    """The copy for a file given as source; none if it is neither a snapshot nor a log file.

    Raises:
        SourceError: the file cannot be read.
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


def _in_log_dir(log_dir: Directory, searched: Sources) -> list[Copy]:
    """The metadata log in a log directory; without one, the records with which it would begin."""
    bootstrap = log_dir.location.child(BOOTSTRAP) if log_dir.has(BOOTSTRAP) else None
    if any(entry.is_directory and entry.name == DIRECTORY for entry in log_dir.listing):
        log = log_dir.child(DIRECTORY)
        if isinstance(log, SourceError):
            searched.report(log)
            return []  # bootstrap.checkpoint does not replace a log that cannot be read
        if _is_copy(log):
            return [_copy(log, bootstrap)]
    if bootstrap is None:
        return []
    return [Copy(Partition(log_dir.location.child(DIRECTORY), listing=()), (), bootstrap=bootstrap)]


def _is_copy(directory: Directory) -> bool:
    """Whether a directory is a metadata log, by its name or by files that no other directory has."""
    names = parse_partition_name(directory.location.name)
    if (names.topic, names.state) == (CLUSTER_METADATA, "live"):
        return directory.holds_log_files or bool(snapshots_in(directory.listing))
    return directory.has(quorum_state.FILE_NAME) or bool(snapshots_in(directory.listing))


def _copy(directory: Directory, bootstrap: "Location | None" = None) -> Copy:
    partition = Partition(directory.location, prefix=f"{directory.location}/", listing=directory.listing)
    return Copy(partition, directory.listing, snapshots_in(directory.listing), bootstrap=bootstrap)


def _worth_entering(directory: Directory, searched: Sources) -> list[Directory]:
    """Subdirectories that may be or hold log directories, without partitions, of which there may be thousands."""
    names = [each.name for each in directory.listing if each.is_directory and each.name not in FOREIGN_DIRECTORIES]
    like_partitions = [name for name in names if parse_partition_name(name).topic is not None]
    is_log_dir = DIRECTORY in names or any(map(directory.has, (META_PROPERTIES, *CHECKPOINTS)))
    if not is_log_dir and like_partitions:
        # A copied log directory may be named like a partition, such as node-1, so the content of the first decides for
        # all.
        first = directory.child(like_partitions[0])
        is_log_dir = isinstance(first, Directory) and first.holds_log_files
    left_out = set(like_partitions) if is_log_dir else {DIRECTORY}
    entered = []
    for below in (directory.child(name) for name in names if name not in left_out):
        if isinstance(below, Directory):
            entered.append(below)
        else:
            searched.note(below)
    return entered
