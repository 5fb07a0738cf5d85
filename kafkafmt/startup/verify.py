"""verify: whether the data on these disks is whole, and whether a broker would start on them.

`kafkafmt.survey` finds contradictions, as `kafkafmt ls` shows them; `kafkafmt.startup.node` gives a broker's reaction
at a start. This module joins both into one answer.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from kafkafmt.choices import check_choice
from kafkafmt.errors import SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.sizes import Sizes
from kafkafmt.findings import Finding
from kafkafmt.io.source import locate
from kafkafmt.logdir.checkpoints import CLEANER_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT
from kafkafmt.logdir.log_dir import META_PROPERTIES, log_dirs_of_a_node
from kafkafmt.logdir.sources import Sources
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.phrases import are
from kafkafmt.startup.abandoned_futures import futures
from kafkafmt.startup.absent_offsets import absent_offsets
from kafkafmt.startup.cluster import start_clusters
from kafkafmt.startup.cluster_findings import cluster_findings, cluster_notes
from kafkafmt.startup.coordinators import not_loaded
from kafkafmt.startup.costs import by_cost, with_consequences
from kafkafmt.startup.first_steps import with_first_steps
from kafkafmt.startup.lost_by_groups import lost_by_groups
from kafkafmt.startup.node import start
from kafkafmt.startup.node_findings import node_findings
from kafkafmt.startup.node_start import NodeStart
from kafkafmt.startup.nodes import nodes_of
from kafkafmt.startup.outcome import Configured, LogDirStart, PartitionStart, missing_log_dir, open_log_dir
from kafkafmt.startup.places import empty_beside
from kafkafmt.startup.reachable_metadata import ReachableMetadata, metadata_logs
from kafkafmt.startup.start_findings import start_findings
from kafkafmt.startup.verification import Verification
from kafkafmt.survey import Options, PartitionSurvey, diverged, survey
from kafkafmt.survey.partitions import unwatched
from kafkafmt.survey.refused import KIND as REFUSED
from kafkafmt.survey.side_files import compare_producers, has_producers

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.io.base import Location
    from kafkafmt.io.source import Source
    from kafkafmt.limits import Limits
    from kafkafmt.logdir.sources import Searchable
    from kafkafmt.survey import LogDirSurvey

VerifyLevel = Literal["headers", "checksums", "records"]
"""How much of a log is read: all headers; all bytes, with their CRCs; or every record, decompressed."""


class Observer(Protocol):
    """Called with the results of the survey as they arrive."""

    def log_dir(self, found: "LogDirSurvey") -> None:
        """Called with a log directory, before its partitions."""

    def partition(self, found: PartitionSurvey) -> None:
        """Called with a partition that was read."""


class Watcher(Observer, Protocol):
    """An observer that also follows the progress inside large partitions."""

    def part(self, share: float, size: int, /) -> None:
        """Called when a share of the next partition has been read, with its approximate number of bytes."""


_NOT_JUDGED = "whether a broker starts on it is not known"
_NO_LOG_DIR = "no log directory among the paths, so there is no verdict: name the directory above"
_IS_TIER = "no broker starts on remote storage, so there is no verdict: name the log directories of a node for one"
_NO_METADATA = "no metadata log among the paths: which partitions are strays is not judged (--metadata names one)"
_NOT_RUN = (
    f"no broker has run on these directories ({LOG_START_OFFSET_CHECKPOINT} and {CLEANER_CHECKPOINT} are missing), "
    f"so they are judged as copied partitions; {_NO_METADATA}"
)


def verify(
    source: "Searchable",
    *,
    level: VerifyLevel = "checksums",
    cluster_id: str | None = None,
    node_id: int | None = None,
    metadata: "Searchable | None" = None,
    filesystem: "FileSystem | None" = None,
    limits: "Limits | None" = None,
    observer: Watcher | None = None,
    copies: "Source | Sequence[Source]" = (),
) -> Verification:
    """Check whether the data on these disks is whole, and whether a broker would start on them.

    All log directories of a node belong together: name all of them, including the one with the metadata log. Nothing is
    written. The simulated start follows Kafka 4.x in KRaft mode.

        >>> found = kafkafmt.open(["/data/d0", "/data/d1"]).verify()
        >>> found.verdict.column("starts"), found.findings.to_pylist()

    Args:
        source: log directories, as for `kafkafmt.scan`.
        level: how much is read; CRCs of segments that a start would recover are always checked.
        cluster_id: cluster id that the node expects; None for that in its meta.properties.
        node_id: node id (`node.id`) that all these directories belong to; None for those in their meta.properties.
        metadata: directory of the cluster's metadata log, if it is not in `source`.
        filesystem: as for `kafkafmt.scan`.
        limits: bounds of a decode.
        observer: called with the survey's results as they are read.
        copies: directories with copies of log directories (such as snapshots of several days): the log directories
            below each are judged separately.

    Raises:
        SourceError: a path cannot be read, or has none of Kafka's files; or one of `copies` is not a directory.
        KafkafmtError: the metadata that was named cannot be read.
        ValueError: an unknown level.
    """
    check_choice("level", level, get_args(VerifyLevel))
    apart = _directories(copies, filesystem)
    sources = source if isinstance(source, Sources) else Sources(source, filesystem).required()
    found: list[Finding] = []
    surveyed: list[PartitionSurvey] = []
    log_dirs = find_log_dirs(sources)
    empty = [each for each in log_dirs if not each.partitions and each.properties is None]
    options = Options(depth=level, limits=limits, watch=unwatched if observer is None else observer.part)
    for log_dir in _surveyed(sources, options, nothing_else=not empty):
        found += log_dir.findings
        if observer is not None:
            observer.log_dir(log_dir)
        for one in log_dir.partitions():
            found += one.findings
            if observer is not None:
                observer.partition(one)
            surveyed.append(one.condensed())
            del one  # frees the facts of all its segments before nodes are started
    sources.was_read = True
    found += _across_files(surveyed, found, level, limits)
    return conclude(log_dirs, found, surveyed, Configured(node_id, cluster_id), metadata, filesystem, apart)


def survey_some(
    source: "Searchable",
    paths: Collection[str],
    level: VerifyLevel = "checksums",
    filesystem: "FileSystem | None" = None,
    limits: "Limits | None" = None,
) -> tuple[list[PartitionSurvey], list[Finding]]:
    """Check some partitions as `verify` does, one by one; `conclude` joins several such parts.

    Args:
        source: log directories, as for `verify`.
        paths: identities of the places of the partition directories.
        level: as for `verify`.
        filesystem: as for `verify`.
        limits: as for `verify`.

    Returns:
        the survey, and all findings; without paths only the findings on the log directories.

    Raises:
        SourceError: a path cannot be read.
    """
    surveyed: list[PartitionSurvey] = []
    found: list[Finding] = []
    options = Options(depth=level, limits=limits, takes=lambda partition: partition.location.identity in paths)
    for log_dir in _surveyed(Sources(source, filesystem), options, nothing_else=False):
        if paths:
            surveyed += (one.condensed() for one in log_dir.partitions())
        else:
            found += log_dir.findings
    found += (finding for one in surveyed for finding in one.findings)
    found += _across_files(surveyed, found, level, limits)
    return surveyed, found


def conclude(
    log_dirs: Sequence[LogDirStart],
    found: list[Finding],
    surveyed: Sequence[PartitionSurvey],
    configured: Configured,
    metadata: "Searchable | None" = None,
    filesystem: "FileSystem | None" = None,
    copies: "Source | Sequence[Source | Location]" = (),
) -> Verification:
    """Join the findings of the partitions: compare replicas, start the nodes, and name the consequences.

    Args:
        log_dirs: all log directories, not yet started.
        found: findings of the log directories and partitions.
        surveyed: the partitions.
        configured: the node's configuration.
        metadata: as for `verify`.
        filesystem: as for `verify`.
        copies: as for `verify`.

    Raises:
        KafkafmtError: the metadata that was named cannot be read, or one of `copies` is not a directory.
    """
    found = [*found]
    found += diverged([each.directory for each in surveyed if each.directory and each.facts.state == "live"])
    by_path = {each.facts.path: each for each in surveyed}
    known = ReachableMetadata(metadata_logs(log_dirs), metadata, filesystem)
    nodes, notes = _start(log_dirs, configured, by_path, known, _directories(copies, filesystem))
    if not log_dirs:
        of_tier = any(each.directory and isinstance(each.directory.location, TierPartition) for each in surveyed)
        notes = (*notes, Note(_IS_TIER if of_tier else _NO_LOG_DIR, is_finding=False))
    notes = (*notes, *empty_beside(log_dirs))
    for node in nodes:
        found += node_findings(node, nodes)
        found += absent_offsets(node, by_path)
    owners = {each.path: node for node in nodes for each in node.log_dirs}
    for each in log_dirs:
        found += start_findings(each, owners.get(each.path))
    found += futures(log_dirs, by_path)
    clusters = start_clusters(nodes, known, by_path)
    for cluster in clusters:
        found += cluster_findings(cluster)
        notes = (*notes, *cluster_notes(cluster))
    found = by_cost(_once(with_first_steps(_without_refused(with_consequences(found, nodes)), nodes)))
    answer = Verification([*log_dirs], found, notes, surveyed=list(by_path.values()), nodes=nodes, clusters=clusters)
    answer.group_losses = lost_by_groups(log_dirs, clusters, by_path.values())
    return answer


def _directories(copies: "Source | Sequence[Source | Location]", filesystem: "FileSystem | None") -> "list[Location]":
    """The locations of `copies`."""
    places = [locate(each, filesystem) for each in ([copies] if isinstance(copies, (str, os.PathLike)) else copies)]
    for each in places:
        if not each.is_directory():
            raise SourceError("is not a directory of copies: it has none", file=str(each))
    return places


def size_in_bytes(source: "Searchable") -> int:
    """Size of the content of all partition directories that `verify` would read, in bytes.

    Raises:
        SourceError: a path cannot be read.
    """
    sources = source if isinstance(source, Sources) else Sources(source)
    return sum(
        Sizes.of(directory.listing).content
        for log_dir in find_log_dirs(sources)
        for directory in log_dir.directory.listed
    )


def _surveyed(sources: Sources, options: Options, *, nothing_else: bool) -> "Iterator[LogDirSurvey]":
    for place in sources:
        try:
            yield from survey(place, options)
        except SourceError:
            if nothing_else:
                raise


def _across_files(
    surveyed: Iterable[PartitionSurvey], found: Sequence[Finding], level: VerifyLevel, limits: "Limits | None"
) -> list[Finding]:
    """Findings that need all files of a partition: wrong side files, and logs that no coordinator can load."""
    more = [] if level == "headers" else [*_compared_producers(surveyed, found, limits)]
    return [*more, *not_loaded(surveyed, limits)] if level == "records" else more


def _compared_producers(
    surveyed: Iterable[PartitionSurvey], found: Sequence[Finding], limits: "Limits | None"
) -> Iterator[Finding]:
    """Contradictions of snapshots and transaction indexes with their logs; broken snapshots were already reported."""
    known = {finding.path for finding in found if finding.kind == "snapshot"}
    live = [one.directory for one in surveyed if one.directory is not None and one.facts.state == "live"]
    # The survey has reported unreadable files.
    with suppress(SourceError):
        partitions = [each for each in live if has_producers(each.listing)]
        yield from (finding for finding in compare_producers(partitions, limits) if finding.path not in known)


def find_log_dirs(sources: Sources) -> list[LogDirStart]:
    """Log directories among and below the sources, in order."""
    found = [open_log_dir(directory, is_named=is_named) for directory, is_named in log_dirs_of_a_node(sources)]
    of_nodes = {
        each.location.identity
        for log_dir in found
        if log_dir.directory.has(META_PROPERTIES)
        for each in log_dir.partitions
    }
    # A directory that is only the target of a partition's link is not a log directory.
    found = [
        log_dir
        for log_dir in found
        if log_dir.is_named
        or log_dir.directory.has(META_PROPERTIES)
        or any(each.location.identity not in of_nodes for each in log_dir.partitions)
    ]
    # A missing path on its own may be mistyped; named beside existing log directories it is a lost directory.
    return found + [missing_log_dir(place) for place in sources.missing if found]


def _start(
    log_dirs: Sequence[LogDirStart],
    configured: Configured,
    surveyed: Mapping[str, PartitionSurvey],
    known: ReachableMetadata,
    copies: "Sequence[Location]",
) -> tuple[list[NodeStart], tuple[Note, ...]]:
    """Start each node; returns the nodes, and notes on how they were judged."""

    def end_on_disk(each: PartitionStart) -> int | None:
        facts = surveyed.get(each.path)
        return None if facts is None else facts.facts.end_on_disk

    nodes, notes = nodes_of(log_dirs, configured, known, copies)
    start(nodes, configured, known, end_on_disk)
    notes += known.notes
    for node in nodes:
        if not node.judges_strays and node.starts is not False and node.epoch_of_controllers is None:
            beside = node.metadata_log_beside
            text = _NO_METADATA if beside or node.has_run else _NOT_RUN
            notes.append(Note(text + (f"; one is {beside}" if beside else ""), is_finding=False))
        if node.unnamed_dirs and node.node_id not in known.named_nodes:
            named, unnamed = len(node.log_dirs), node.unnamed_dirs
            others = "the other is" if unnamed == 1 else f"the {unnamed} others are"
            text = (
                f"the metadata log has {unnamed + named} log directories of node {node.node_id}, and {named} of them "
                f"{are(named)} named: {others} not judged"
            )
            notes.append(Note(text, is_finding=False))
        log = node.metadata_log
        if log is not None and log not in node.log_dirs[0].partitions:
            text = (
                f"the node starts only if metadata.log.dir is the directory of {log.path}: by default it is the first"
            )
            notes.append(Note(text, is_finding=False, path=log.path))
        if not any(each.blockers or each.directory.has(META_PROPERTIES) for each in node.log_dirs):
            path = node.log_dirs[0].path
            notes.append(Note(f"no meta.properties in {path}: {_NOT_JUDGED}", is_finding=False, path=path))
    return nodes, tuple(dict.fromkeys(notes))


def _without_refused(found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings without refused batches whose effect on a start another finding describes."""
    every = [*found]
    described = {(each.path, each.position) for each in every if each.kind != REFUSED and each.position is not None}
    yield from (each for each in every if each.kind != REFUSED or (each.path, each.position) not in described)


def _once(found: Iterable[Finding]) -> list[Finding]:
    return list(dict.fromkeys(found))
