"""A survey of log directories: their content and its faults. Broken or unreadable files do not end a survey."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar

from kafkafmt.cached import cached_property
from kafkafmt.files.names import parse_partition_name
from kafkafmt.files.sizes import Sizes
from kafkafmt.files.wrapped import nothing_found
from kafkafmt.findings import Finding, finding_of
from kafkafmt.io.base import DirectoryEntry, Location
from kafkafmt.logdir.log_dir import META_PROPERTIES, Directory, list_directory, partition_order, walk
from kafkafmt.logdir.partition import Partition
from kafkafmt.logdir.segment import Segment
from kafkafmt.logdir.sources import Sources
from kafkafmt.survey.facts import LeftOut, LogDirFacts
from kafkafmt.survey.left_out import lies_beside_a_log, link_out
from kafkafmt.survey.log_dir_files import SmallFiles, Surroundings, no_clean_shutdown, not_here
from kafkafmt.survey.partitions import (
    PartitionSurvey,
    Watch,
    survey_file,
    survey_partition,
    unread_partition,
    unwatched,
)
from kafkafmt.survey.segment_walk import Depth

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

T = TypeVar("T")
Order = Literal["name", "size"]


@dataclass(frozen=True)
class _Directory:
    """A partition directory that is listed but not yet read."""

    partition: Partition
    listing: Sequence[DirectoryEntry]

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes.of(self.listing)


class LogDirSurvey:
    """The content of one log directory; its partitions are read as the caller iterates over them.

    Attributes:
        facts: facts of the directory.
        findings: faults of its own files, and parts that cannot be listed.
        left_out: files next to the partitions that are not part of a log.
        partition_count: number of partitions that `partitions()` yields.
        is_whole: whether the whole directory is shown; False if only one partition directory or file was named.
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
        """Whether it is a log directory, rather than a directory above one with parts that cannot be listed."""
        return bool(self.facts.partitions or self.facts.other_partitions or self.facts.version is not None)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a survey.

    Attributes:
        depth: how much of each segment is read: "quick" (the first and the last header), "headers" (all headers),
            "checksums" (all bytes, to compute CRCs), "records" (all bytes, and every record is decoded).
        takes: function that chooses partitions.
        everything: whether files outside the log are read, too: `.deleted` files, directories set aside, ...
        order: order of partitions in a log directory: by name, or the largest first.
        limits: bounds of a decode.
        clusters: metadata by cluster id: partitions that it lacks, or has elsewhere, get a note.
        watch: called when a part of a log with many segments has been surveyed.
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

    A partition directory or a log file may also be given: it is shown on its own, with the facts of its log directory.

    Args:
        source: a path or URI, an open source, or several, as for `kafkafmt.scan`.
        options: options of the survey.
        filesystem: the pyarrow file system of `source`, unless it is a local path or URI.

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
        # A directory whose only entries are links that lead out has nothing to report.
        found |= each.is_of_kafka
        yield each.survey(options)
    if not found:
        raise nothing_found(
            "no Kafka log here or below: no directory has a file named like 00000000000000000000.log", location
        )


@dataclass(frozen=True, slots=True)
class _LogDirectory:
    """A directory that holds partition directories or a meta.properties file, or parts that cannot be listed."""

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
        """Read the directory's small files; partitions are read later."""
        path = str(self.directory.location)
        small = SmallFiles(path, self.directory.listing)
        is_tier = self.directory.location.is_tier
        facts = replace(small.facts(*_summed(self.directories)), is_tier=is_tier)
        surroundings = small.surroundings(facts, options.clusters)
        wanted = [each for each in self.directories if options.takes(each.partition)]
        wanted.sort(key=lambda each: (-each.sizes.content if options.order == "size" else 0, _rank(each.partition)))
        findings = [finding_of(error, error.file or path) for error in self.directory.unreadable] + small.findings
        if facts.partitions and not facts.clean_shutdown and not is_tier:
            findings.append(no_clean_shutdown(path))
        links = self.directory.location.links_out()
        here = (
            [each.partition.name for each in self.directories] + self.unreadable_names + [link.name for link in links]
        )
        findings += not_here(surroundings, here)
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


def _log_dirs(top: Directory) -> Iterator[_LogDirectory]:
    """Directories to report: those of `kafkafmt.logdir.log_dir.find_log_dirs`, and those with links that lead out."""
    for directory in walk(top, _worth_entering):
        partitions = [_partition_of(each) for each in directory.listed if _is_partition(each)]
        found = _LogDirectory(directory, partitions)
        if found.is_of_kafka or directory.location.links_out():
            yield found


def _without_link_targets(found: Iterable[_LogDirectory]) -> Iterator[_LogDirectory]:
    """Leave out directories of no node that are targets of partition links: a broker reads them through the link."""
    of_nodes: list[Location] = []
    held: list[_LogDirectory] = []  # from the first one without a node on, as links may lead to its partitions
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
    """Subdirectories that may hold log directories; links of a partition directory are part of its own survey."""
    return [
        each
        for each in directory.listed
        if any(entry.is_directory or entry.name == META_PROPERTIES for entry in each.listing)
    ]


def _summed(directories: Sequence[_Directory]) -> tuple[list[Partition], Sizes]:
    """Partitions, and the sum of the sizes of their files."""
    return [each.partition for each in directories], sum((each.sizes for each in directories), Sizes())


def _partition_of(directory: Directory) -> _Directory:
    return _Directory(Partition(directory.location, listing=directory.listing), directory.listing)


def _is_partition(directory: Directory) -> bool:
    """Whether a directory is a partition's, by its log files, or by its name and other files."""
    if directory.holds_log_files:
        return True
    if parse_partition_name(directory.location.name).topic is None:
        return False
    return any(entry.is_file and lies_beside_a_log(entry.name) for entry in directory.listing)


def _survey_file(location: Location, options: Options) -> LogDirSurvey:
    """Survey a log file that was given on its own.

    Raises:
        SourceError: the file cannot be read, or is not a log.
    """
    surveyed = survey_file(Segment(location), depth=options.depth, limits=options.limits)
    directory = location.parent.parent
    small = SmallFiles(str(directory), directory.list_if_readable())
    return LogDirSurvey(small.facts([], Sizes()), [], [], 1, lambda: iter([surveyed]), is_whole=False)


def _survey_directory(top: Directory, options: Options) -> LogDirSurvey:
    """Survey a partition directory that was given on its own, with the facts of its parent directory."""
    parent = top.location.parent
    small = SmallFiles(str(parent), parent.list_if_readable())
    directory = _partition_of(top)
    facts = small.facts(*_summed([directory]))
    surroundings = small.surroundings(facts, options.clusters)
    return LogDirSurvey(
        facts,
        small.findings,
        [],
        1,
        lambda: iter([_survey_partition(directory, surroundings, options)]),
        is_whole=False,
    )


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
    """Sort key of partitions: live ones first, then by topic and partition."""
    return partition.state != "live", partition_order(partition)
