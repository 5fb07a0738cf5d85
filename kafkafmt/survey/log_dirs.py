"""A survey: the content of these disks, and its faults. Broken or unreadable files do not end it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from kafkafmt.errors import KafkafmtError, SourceError
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint
from kafkafmt.files.names import parse_partition_name
from kafkafmt.files.sizes import Sizes
from kafkafmt.files.wrapped import nothing_found
from kafkafmt.findings import NOTE, Finding, finding_of
from kafkafmt.io.base import DirectoryEntry, Location
from kafkafmt.logdir.checkpoints import CHECKPOINTS
from kafkafmt.logdir.log_dir import META_PROPERTIES, Directory, list_directory, partition_order, walk
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import Sources
from kafkafmt.logdir.tier import TierDir
from kafkafmt.survey.advice import of_checkpoint
from kafkafmt.survey.belonging import belonging_in
from kafkafmt.survey.facts import CheckpointStatus, LeftOut, LogDirFacts
from kafkafmt.survey.left_out import lies_beside_a_log, link_out
from kafkafmt.survey.partitions import (
    Offsets,
    PartitionSurvey,
    Surroundings,
    Watch,
    survey_file,
    survey_partition,
    unread_partition,
    unwatched,
)
from kafkafmt.survey.segments import Depth

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

T = TypeVar("T")
Order = Literal["name", "size"]

_NAMED = 5


@dataclass(frozen=True)
class _Directory:
    """A partition directory, listed and not yet read."""

    partition: Partition
    listing: Sequence[DirectoryEntry]

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes.of(self.listing)


class LogDirSurvey:
    """The content of one log directory; its partitions are read while the caller iterates over them.

    Attributes:
        facts: of the directory.
        findings: faults of its own files, and unlistable parts.
        left_out: files beside the partitions that are not logs.
        partition_count: number of partitions that `partitions()` gives.
        is_whole: whether all of it is shown; False where only one partition directory or file was named.
    """

    def __init__(
        self,
        facts: LogDirFacts,
        findings: Sequence[Finding],
        left_out: Sequence[LeftOut],
        partition_count: int,
        partitions: Callable[[], Iterator[PartitionSurvey]],
        *,
        is_whole: bool = True,
    ) -> None:
        self.facts = facts
        self.findings = tuple(findings)
        self.left_out = tuple(left_out)
        self.partition_count = partition_count
        self.partitions = partitions
        self.is_whole = is_whole

    @property
    def is_log_dir(self) -> bool:
        """Whether it is a log directory, not a directory above with unlistable parts."""
        return bool(self.facts.partitions or self.facts.other_partitions or self.facts.version is not None)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a survey.

    Attributes:
        depth: how much of each segment is read: "quick" (the first and the last header), "headers" (all of them),
            "checksums" (everything, and CRCs are computed), "records" (every record is decoded, too).
        takes: which partitions are wanted.
        everything: read files outside the log, too: `.deleted` files, directories set aside, ...
        order: of partitions in a log directory: by name, or the largest first.
        limits: bounds of a decode.
        clusters: metadata by cluster id: partitions that they do not know, or have elsewhere, get a note.
        watch: called when a part of a log of many segments is surveyed.
    """

    depth: Depth = "headers"
    takes: Callable[[Partition], bool] = lambda _: True
    everything: bool = False
    order: Order = "name"
    limits: "Limits | None" = None
    clusters: "Mapping[str | None, ClusterMetadata]" = field(default_factory=dict)
    watch: Watch = unwatched


def survey(
    source: "Searchable", options: Options | None = None, filesystem: "FileSystem | None" = None
) -> Iterator[LogDirSurvey]:
    """Find log directories at and below a path, in path order, and survey them.

    A partition directory or a log file may also be given: it is shown alone, with the facts of its log directory.

    Args:
        source: a path or URI, an open source, or several, as for `kafkafmt.scan`.
        options: of the survey.
        filesystem: the pyarrow file system that `source` is a path of, unless it is a local path or URI.

    Raises:
        SourceError: a path cannot be read, or has none of Kafka's files.
        TypeError: a source is not a path.
    """
    for place in source if isinstance(source, Sources) else Sources(source, filesystem):
        yield from _survey_place(place, options or Options())


def _survey_place(location: Location, options: Options) -> Iterator[LogDirSurvey]:
    if not location.is_directory():
        yield _survey_file(location, options)
        return
    top = list_directory(location)
    found = False
    if _is_partition(top):
        found = True
        yield _survey_directory(top, options)
    for each in _without_link_targets(_log_dirs(top)):
        # A directory with only links that lead out has nothing to report.
        found |= each.is_of_kafka
        yield each.survey(options)
    if not found:
        raise nothing_found(
            "no Kafka log here or below: no directory has a file named like 00000000000000000000.log", location
        )


@dataclass(frozen=True, slots=True)
class _LogDirectory:
    """A directory that holds partition directories or a meta.properties file, or one below which something is amiss."""

    directory: Directory
    directories: Sequence[_Directory]

    @property
    def is_of_kafka(self) -> bool:
        """Whether it is a log directory, by its files."""
        return bool(self.directories or self.directory.unreadable) or self.directory.has(META_PROPERTIES)

    @property
    def is_of_a_node(self) -> bool:
        """Whether its partitions, if any, belong to a broker."""
        return not self.directories or self.directory.has(META_PROPERTIES)

    @property
    def unreadable_names(self) -> list[str]:
        """Base names of the directories that cannot be listed."""
        return [(error.file or "").rstrip("/").rpartition("/")[2] for error in self.directory.unreadable]

    def survey(self, options: Options) -> LogDirSurvey:
        """Read its small files; the partitions later."""
        path = str(self.directory.location)
        small = _SmallFiles(path, self.directory.listing)
        is_tier = isinstance(self.directory.location, TierDir)
        facts = replace(small.facts(self.directories), is_tier=is_tier)
        surroundings = small.surroundings(facts, options)
        wanted = [each for each in self.directories if options.takes(each.partition)]
        wanted.sort(key=lambda each: (-each.sizes.content if options.order == "size" else 0, _rank(each.partition)))
        findings = [finding_of(error, error.file or path) for error in self.directory.unreadable] + small.findings
        if facts.partitions and not facts.clean_shutdown and not is_tier:
            findings.append(_no_clean_shutdown(path))
        links = self.directory.location.links_out()
        here = (
            [each.partition.name for each in self.directories] + self.unreadable_names + [link.name for link in links]
        )
        findings += _not_here(surroundings, here)
        left_out = [*map(link_out, links)]
        left_out += [
            LeftOut(
                kind="checkpoint",
                path=entry.path,
                size=entry.size,
                reason="the first records of the metadata log; name it to read them",
                size_on_disk=entry.allocated,
            )
            for entry in self.directory.listing
            if entry.is_file and entry.name.endswith(".checkpoint")
        ]

        def partitions() -> Iterator[PartitionSurvey]:
            for each in wanted:
                yield _read(each, surroundings, options)

        return LogDirSurvey(facts, findings, left_out, len(wanted), partitions)


class _SmallFiles:
    """The files in the root of a log directory, read once; one that is broken becomes a finding."""

    def __init__(self, path: str, listing: Sequence[DirectoryEntry]) -> None:
        self.findings: list[Finding] = []
        self._path = path
        self._files = {entry.name: entry for entry in listing if entry.is_file}
        self._statuses: dict[str, CheckpointStatus] = {}
        self._offsets: dict[str, Offsets] = {}
        for name in CHECKPOINTS:
            self._statuses[name] = self._read_checkpoint(name)

    def surroundings(self, facts: LogDirFacts, options: Options) -> Surroundings:
        """The facts of the log directory that its partitions need."""
        belonging = belonging_in(facts, options.clusters)
        return Surroundings(self._path, self._offsets, clean_shutdown.FILE_NAME in self._files, belonging)

    def facts(self, directories: Sequence[_Directory]) -> LogDirFacts:
        """Everything about the log directory but its partitions."""
        properties = self._try(META_PROPERTIES, meta_properties.read, "the ids of broker and cluster are unknown")
        mark = self._try(
            clean_shutdown.FILE_NAME, clean_shutdown.read, "Kafka treats it as a mark without broker epoch"
        )
        node_id = None
        if properties is not None:
            node_id = properties.broker_id if properties.node_id is None else properties.node_id
        sizes = sum((each.sizes for each in directories), Sizes())
        return LogDirFacts(
            path=self._path,
            cluster_id=properties.cluster_id if properties else None,
            node_id=node_id,
            directory_id=properties.directory_id if properties else None,
            version=properties.version if properties else None,
            clean_shutdown=clean_shutdown.FILE_NAME in self._files,
            broker_epoch=mark.broker_epoch if mark else None,
            checkpoints=self._statuses,
            partitions=sum(each.partition.state == "live" for each in directories),
            other_partitions=sum(each.partition.state != "live" for each in directories),
            size=sizes.content,
            size_on_disk=sizes.on_disk,
        )

    def _read_checkpoint(self, name: str) -> CheckpointStatus:
        entry = self._files.get(name)
        if entry is None:
            return "missing"
        read = self._try(name, offset_checkpoint.read, of_checkpoint(name))
        if read is None:
            return "unreadable" if self.findings[-1].kind == "unreadable" else "broken"
        self._offsets[name] = read.offsets
        return "ok" if read.entries else "empty"

    def _try(self, name: str, read: Callable[[Location], T], advice: str) -> T | None:
        entry = self._files.get(name)
        try:
            return None if entry is None else read(entry.location)
        except KafkafmtError as error:
            kind = "checkpoint" if name in CHECKPOINTS else name
            self.findings.append(finding_of(error, error.file or self._path, kind=kind, advice=advice))
            return None


def _log_dirs(top: Directory) -> Iterator[_LogDirectory]:
    """Directories to report: as `kafkafmt.logdir.log_dir.find_log_dirs`, and those with links that lead out."""
    for directory in walk(top, _worth_entering):
        partitions = [_partition_of(each) for each in directory.listed if _is_partition(each)]
        found = _LogDirectory(directory, partitions)
        if found.is_of_kafka or directory.location.links_out():
            yield found


def _without_link_targets(found: Iterable[_LogDirectory]) -> Iterator[_LogDirectory]:
    """Leave out directories of no node that are targets of a log directory's partition links: a broker looks there."""
    of_nodes: list[Location] = []
    held: list[_LogDirectory] = []  # from the first one on whose partitions links may lead to
    for each in found:
        if each.is_of_a_node:
            of_nodes += [one.partition.location for one in each.directories]
        if held or not each.is_of_a_node:
            held.append(each)
        else:
            yield each
    targets = {place.identity for place in of_nodes} if held else set()
    for each in held:
        if each.is_of_a_node or any(one.partition.location.identity not in targets for one in each.directories):
            yield each


def _worth_entering(directory: Directory) -> list[Directory]:
    """Directories in one that may hold log directories: a partition's own survey reports its links."""
    return [
        each
        for each in directory.listed
        if any(entry.is_directory or entry.name == META_PROPERTIES for entry in each.listing)
    ]


def _partition_of(directory: Directory) -> _Directory:
    return _Directory(Partition(directory.location, listing=directory.listing), directory.listing)


def _is_partition(directory: Directory) -> bool:
    """Whether a directory is a partition's: by its log files, or by its name and other files."""
    if directory.holds_log_files:
        return True
    if parse_partition_name(directory.location.name).topic is None:
        return False
    return any(entry.is_file and lies_beside_a_log(entry.name) for entry in directory.listing)


def _survey_file(location: Location, options: Options) -> LogDirSurvey:
    """Survey a log file that was given alone.

    Raises:
        SourceError: it cannot be read, or is another file than a log.
    """
    surveyed = survey_file(Segment(location), depth=options.depth, limits=options.limits)
    directory = location.parent.parent
    small = _SmallFiles(str(directory), _listing(directory))
    return LogDirSurvey(small.facts([]), [], [], 1, lambda: iter([surveyed]), is_whole=False)


def _survey_directory(top: Directory, options: Options) -> LogDirSurvey:
    """Survey a partition directory that was given alone, with the facts of the directory above."""
    parent = top.location.parent
    small = _SmallFiles(str(parent), _listing(parent))
    directory = _partition_of(top)
    facts = small.facts([directory])
    surroundings = small.surroundings(facts, options)
    return LogDirSurvey(
        facts,
        small.findings,
        [],
        1,
        lambda: iter([_survey_partition(directory, surroundings, options)]),
        is_whole=False,
    )


def _listing(location: Location) -> Sequence[DirectoryEntry]:
    """Entries of the directory above the named path; none if it is not readable."""
    try:
        return location.list()
    except SourceError:
        return ()


def _read(directory: _Directory, surroundings: Surroundings, options: Options) -> PartitionSurvey:
    if directory.partition.state != "live" and not options.everything:
        return unread_partition(directory.partition, directory.listing, surroundings, directory.sizes)
    return _survey_partition(directory, surroundings, options)


def _survey_partition(directory: _Directory, surroundings: Surroundings, options: Options) -> PartitionSurvey:
    listing = directory.partition.listing
    return survey_partition(
        directory.partition,
        listing,
        surroundings,
        directory.sizes if listing is directory.listing else Sizes.of(listing),
        depth=options.depth,
        everything=options.everything,
        limits=options.limits,
        watch=options.watch,
    )


def _rank(partition: Partition) -> tuple[bool, tuple[bool, str, int, str]]:
    """Sort key: live ones first, then by topic and partition."""
    return partition.state != "live", partition_order(partition)


def _no_clean_shutdown(path: str) -> Finding:
    return Finding(
        NOTE,
        "no clean shutdown",
        path,
        "no mark of a clean shutdown: the broker was killed, or was running during the copy",
        "at the next start Kafka checks each log from its recovery point and truncates it at the first damage",
    )


def _not_here(surroundings: Surroundings, names: Iterable[str]) -> Iterator[Finding]:
    """Name the partitions that a checkpoint lists and that are not on this disk."""
    here = {(name.topic, name.partition) for name in map(parse_partition_name, names)}
    missing = sorted({key for offsets in surroundings.checkpoints.values() for key in offsets} - here)
    if missing:
        listed = ", ".join(f"{topic}-{partition}" for topic, partition in missing[:_NAMED])
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        yield Finding(
            NOTE,
            "not here",
            surroundings.path,
            f"checkpoints list partitions that have no directory here: {listed}{more}",
            "deleted or moved since, or not copied",
        )
