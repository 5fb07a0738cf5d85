"""What `kafkafmt ls` does: surveys each PATH, shows what is found, and sums up in an exit code."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from re import Pattern
from typing import TYPE_CHECKING, Protocol

from kafkafmt.cli.command import CLEAN, FINDINGS, UNREADABLE
from kafkafmt.cli.delivery import account_for, open_sources, require_readable
from kafkafmt.cli.ls.cluster import clusters_of
from kafkafmt.cli.ls.filters import Filters
from kafkafmt.cli.ls.progress import Progress
from kafkafmt.cli.messages import say
from kafkafmt.errors import SourceError, UnsupportedError
from kafkafmt.survey import FINDING, LogDirSurvey, Options, PartitionSurvey, diverged, survey

if TYPE_CHECKING:
    from kafkafmt.cli.output import BytesAs, Kind
    from kafkafmt.limits import Limits
    from kafkafmt.logdir import Partition
    from kafkafmt.logdir.sources import Sources
    from kafkafmt.survey import Finding
    from kafkafmt.survey.log_dirs import Order
    from kafkafmt.survey.rows import Level
    from kafkafmt.survey.segments import Depth


Topics = Collection[str] | Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; see its --help."""

    paths: tuple[str, ...]
    topics: Topics = None
    partitions: tuple[int, ...] = ()
    everything: bool = False
    order: "Order" = "name"
    depth: "Depth" = "headers"
    segments: bool = False
    level: "Level | None" = None
    metadata: tuple[str, ...] = ()
    limits: "Limits | None" = None
    report: str | None = None
    kind: "Kind" = "table"
    out: str | None = None
    bytes_as: "BytesAs | None" = None
    header: bool = True


class Sink(Protocol):
    """Where what is found goes, piece by piece."""

    def log_dir(self, found: LogDirSurvey) -> None:
        """Take a log directory; its partitions follow."""

    def partition(self, found: PartitionSurvey) -> None:
        """Take a partition of it."""

    def end_log_dir(self) -> None:
        """Take note that no more partitions follow."""

    def replicas(self, findings: "Sequence[Finding]") -> None:
        """Take what is wrong between replicas, after all log directories."""


@dataclass(slots=True)
class Outcome:
    """What the exit code is made of.

    Attributes:
        findings: number of faults.
        unreadable: whether a topic or partition that was asked for is nowhere.
        read: whether there was anything that could be read.
    """

    findings: int = 0
    unreadable: bool = False
    read: bool = False

    def count(self, findings: "Sequence[Finding]") -> None:
        """Add the faults among these."""
        self.findings += sum(finding.level == FINDING for finding in findings)

    @property
    def exit_code(self) -> int:
        """As `kafkafmt.cli.command` has it."""
        return UNREADABLE if self.unreadable or not self.read else FINDINGS if self.findings else CLEAN


def run(request: Request) -> int:
    """Carry out a request; returns the exit code.

    Raises:
        click.UsageError: the file to write makes no sense.
    """
    outcome = Outcome()
    sources = open_sources(request.paths)
    filters = Filters(request)
    options = Options(
        depth=request.depth,
        takes=filters.takes,
        everything=request.everything,
        order=request.order,
        limits=request.limits,
        clusters=clusters_of(sources, request.metadata),
    )
    with Progress() as progress:
        if request.report is not None:
            from kafkafmt.cli.report import write_report

            write_report(request, lambda sink: _feed(request, sources, options, outcome, progress, sink))
        elif request.level is not None:
            from kafkafmt.cli.ls.rows import write_rows

            write_rows(request, lambda sink: _feed(request, sources, options, outcome, progress, sink))
        else:
            from kafkafmt.cli.ls.listing import Listing

            listing = Listing(request, progress)
            _feed(request, sources, options, outcome, progress, listing)
            listing.end()
    for complaint in filters.complaints():
        outcome.unreadable = True
        say(complaint)
    return account_for(sources, outcome.exit_code)


def _feed(
    request: Request, sources: "Sources", options: Options, outcome: Outcome, progress: Progress, sink: Sink
) -> None:
    """Survey each PATH and hand over what is found."""
    live: list[Partition] = []
    for place in sources:
        try:
            for found in survey(place, options):
                outcome.read |= found.is_log_dir or not found.is_whole
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
            sources.report(error)
        except UnsupportedError as error:
            outcome.unreadable = True
            progress.pause()
            say(error)
    findings = diverged(live)
    outcome.count(findings)
    sink.replicas(findings)
    sources.was_read = outcome.read
    require_readable(sources)


def _partitions(found: LogDirSurvey, progress: Progress) -> Iterator[PartitionSurvey]:
    progress.begin(found.facts.path, found.partition_count)
    for partition in found.partitions():
        yield partition
        progress.advance()
