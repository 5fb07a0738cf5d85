"""The run of `kafkafmt ls`: surveys each PATH, shows the results, and determines the exit code."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from kafkafmt.answer_columns import record_batches
from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.frame import CommandFrame
from kafkafmt.cli.ls.request import ListingRequest
from kafkafmt.cli.messages import damage_line, say
from kafkafmt.cli.output import Output, TableShape
from kafkafmt.cli.progress import StepProgress
from kafkafmt.errors import KafkafmtError, SourceError, UnsupportedError
from kafkafmt.findings import FINDING
from kafkafmt.logdir.log_dir import fewer_collections
from kafkafmt.scanning.selection import Selection
from kafkafmt.survey import LogDirSurvey, Options, PartitionSurvey, diverged, survey
from kafkafmt.survey.belonging import clusters_in
from kafkafmt.survey.rows import TABLES, Level, of_log_dir, of_partition

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.findings import Finding
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_SHAPES: "dict[Level, TableShape]" = {
    "log-dirs": TableShape(first=("path", "nodeId", "partitions", "sizeInBytes", "cleanShutdown")),
    "partitions": TableShape(
        first=("topic", "partition", "sizeInBytes", "records", "logStartOffset", "logEndOffset", "maxTimestamp")
    ),
    "segments": TableShape(
        first=("path", "topic", "partition", "nextOffset", "sizeInBytes", "records", "maxTimestamp", "findings")
    ),
    "findings": TableShape(first=("path", "message", "level", "position")),
    "left-out": TableShape(first=("path", "kind", "reason", "sizeInBytes")),
}
_ROWS = 1024


def clusters_of(listed: "Disks", named: Sequence[str]) -> "Mapping[str | None, ClusterMetadata]":
    """The metadata of the listed clusters, by cluster id.

    Args:
        listed: the listed sources, whose large metadata logs are not read.
        named: location of the metadata that the user named; empty to search the listed sources.

    Raises:
        KafkafmtError: the named location cannot be read.
    """
    if named:
        from kafkafmt.topics.cluster_metadata import metadata

        cluster = metadata(named, on_damage="skip")
        for damage in cluster.damage:
            say(damage_line(damage))
        return {cluster.cluster_id: cluster}
    return clusters_in(listed, _say_not_compared)


def _say_not_compared(error: KafkafmtError) -> None:
    say(f"note: partitions were not compared with the cluster metadata (name them with --metadata): {error}")


def write_rows(request: "ListingRequest", level: Level, feed: "Callable[[Sink], None]") -> None:
    """Write the rows of one level while the survey runs.

    Raises:
        click.UsageError: the file to write is in a log directory, or cannot be created.
    """
    with request.rows.open(TABLES[level].schema, _SHAPES[level], (*request.paths, *request.metadata)) as output:
        rows = _Rows(level, output)
        feed(rows)
        rows.flush()


class _Rows:
    """Takes a survey, and writes the rows of one level, a batch at a time."""

    def __init__(self, level: Level, output: Output) -> None:
        self._level: Level = level
        self._table = TABLES[level]
        self._output = output
        self._waiting: list[Sequence[Any]] = []

    def log_dir(self, found: "LogDirSurvey") -> None:
        """Write the rows of the log directory itself."""
        self._add(of_log_dir(self._level, found))

    def partition(self, found: "PartitionSurvey") -> None:
        """Write the rows of a partition."""
        self._add(of_partition(self._level, found))

    def end_log_dir(self) -> None:
        """Write the waiting rows, so that readers do not wait for the next directory."""
        self.flush()

    def replicas(self, findings: "Sequence[Finding]") -> None:
        """Write findings between replicas."""
        self._add(findings if self._level == "findings" else ())

    def flush(self) -> None:
        """Write the waiting rows."""
        for batch in record_batches(self._waiting, self._table.schema):
            self._output.write(batch)
        self._waiting.clear()

    def _add(self, found: Iterable[object]) -> None:
        for row in map(self._table.row, found):
            self._waiting.append(row)
            if len(self._waiting) >= _ROWS:
                self.flush()


class Sink(Protocol):
    """The receiver of a survey, piece by piece."""

    def log_dir(self, found: LogDirSurvey) -> None:
        """Take a log directory; its partitions follow."""

    def partition(self, found: PartitionSurvey) -> None:
        """Take a partition."""

    def end_log_dir(self) -> None:
        """Finish: no more partitions follow."""

    def replicas(self, findings: "Sequence[Finding]") -> None:
        """Take findings between replicas, after all log directories."""


@dataclass(slots=True)
class Outcome:
    """The facts that determine the exit code.

    Attributes:
        findings: number of faults.
        unreadable: whether a topic or partition that was asked for does not exist, or a disk fails.
    """

    findings: int = 0
    unreadable: bool = False

    def count(self, findings: "Sequence[Finding]") -> None:
        """Count the findings that are faults."""
        self.findings += sum(finding.level == FINDING for finding in findings)
        self.unreadable |= any(finding.is_disk_failure for finding in findings)

    @property
    def exit_code(self) -> int:
        """The exit code, as defined in `kafkafmt.cli.command`."""
        return UNREADABLE if self.unreadable else FINDINGS if self.findings else CLEAN


def run(request: ListingRequest) -> int:
    """Run a request; returns the exit code.

    Raises:
        click.UsageError: the file to write is invalid.
    """
    with fewer_collections():
        return _run(request)


def _run(request: ListingRequest) -> int:
    outcome = Outcome()
    # Directories set aside have topics, too, so only the survey knows all names.
    frame = CommandFrame(request.paths, topics=None, partitions=None)
    selection = Selection(topics=request.topics, partitions=request.partitions)
    names: set[tuple[str | None, int | None]] = set()

    def takes(partition: "Partition") -> bool:
        names.add((partition.topic, partition.partition))
        return selection.takes(partition)

    is_listing = request.level is None and request.report is None
    is_narrowed = request.topics is not None or request.partitions is not None
    if is_listing and is_narrowed and not _finds_any(frame, takes):
        for complaint in selection.absent(names):
            say(complaint)
        return frame.end(UNREADABLE)
    progress = StepProgress()
    options = Options(
        depth=request.depth,
        takes=takes,
        everything=request.everything,
        order=request.order,
        limits=request.limits,
        clusters=clusters_of(frame.disks, request.metadata),
        watch=progress.part,
    )
    with progress:
        feed = partial(_feed, request, frame, options, outcome, progress)
        if request.report is not None:
            from kafkafmt.cli.report.page import write_report

            write_report(request, feed)
        elif request.level is not None:
            write_rows(request, request.level, feed)
        else:
            from kafkafmt.cli.ls.listing import Listing

            listing = Listing(request, progress)
            feed(listing)
            listing.end()
    for complaint in selection.absent(names):
        outcome.unreadable = True
        say(complaint)
    outcome.unreadable |= not frame.disks.was_read
    return frame.end(outcome.exit_code)


def _finds_any(frame: CommandFrame, takes: "Callable[[Partition], bool]") -> bool:
    """Whether any partition is wanted; True if a PATH cannot be read, which the survey reports."""
    try:
        found = [each for place in frame.disks for each in survey(place, Options(takes=takes))]
    except KafkafmtError:
        return True
    frame.disks.was_read |= any(each.is_log_dir or not each.is_whole for each in found)
    return any(each.partition_count for each in found)


def _feed(
    request: ListingRequest,
    frame: CommandFrame,
    options: Options,
    outcome: Outcome,
    progress: StepProgress,
    sink: Sink,
) -> None:
    """Survey each PATH and pass the results to the sink."""
    live: list[Partition] = []
    disks = frame.disks
    for place in disks:
        try:
            for found in survey(place, options):
                disks.was_read |= found.is_log_dir or not found.is_whole
                outcome.count(found.findings)
                sink.log_dir(found)
                if request.level != "log-dirs":
                    for partition in _partitions(found, progress):
                        outcome.count(partition.findings)
                        sink.partition(partition)
                        if partition.directory is not None and partition.facts.state == "live":
                            live.append(partition.directory)
                sink.end_log_dir()
        except SourceError as error:
            disks.report(error)
        except UnsupportedError as error:
            outcome.unreadable = True
            progress.pause()
            say(error)
    findings = diverged(live)
    outcome.count(findings)
    sink.replicas(findings)
    frame.require_readable()


def _partitions(found: LogDirSurvey, progress: StepProgress) -> Iterator[PartitionSurvey]:
    progress.begin(found.facts.path, found.partition_count)
    for partition in found.partitions():
        yield partition
        progress.advance()
