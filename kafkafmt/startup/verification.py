"""The answer of `verify` as tables: findings, the verdict for each log directory, partitions, files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.files.kinds import kind_of, without_suffix
from kafkafmt.files.meta_properties import MetaProperties
from kafkafmt.files.sizes import content_size
from kafkafmt.findings import FINDING, Finding
from kafkafmt.libraries import pa
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.startup.cluster import ClusterStart
from kafkafmt.startup.cluster_partition import CLUSTER
from kafkafmt.startup.costs import headlines
from kafkafmt.startup.lost_by_groups import GroupLoss
from kafkafmt.startup.outcome import LoadedLog, LogDirStart, PartitionStart
from kafkafmt.survey import PartitionSurvey
from kafkafmt.survey.rows import TABLES
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Note
    from kafkafmt.startup.node_start import NodeStart


class VerifiedFile(NamedTuple):
    """A file of a log directory.

    Attributes:
        path: the file.
        kind: id of its kind, or None.
        size: bytes of the content, or None.
        size_on_disk: bytes that the file system has given it, or None.
        state: "live", "foreign", or the suffix of its name.
        findings: number of its faults.
    """

    path: Annotated[str, "string"]
    kind: Annotated[str | None, "string"]
    size: Annotated[int | None, Named("sizeInBytes", "int64")]
    size_on_disk: Annotated[int | None, "int64"]
    state: Annotated[str, "string"]
    findings: Annotated[int, "int32"]


@dataclass(repr=False)
class Verification(TableAnswer):
    """Faults of these disks, and a broker's reaction to them: made by `verify`.

    Attributes:
        log_dirs: log directories, with their results of a start.
        found: findings, then notes, by descending cost, else in the order of the disks.
        notes: assumptions, and parts that were not judged.
        surveyed: the partition directories as `kafkafmt ls` describes them, with few of their segments.
        nodes: the nodes that the log directories belong to.
        clusters: the joint start of each cluster with several nodes here.
        group_losses: losses of consumer groups where logs are cut, if `__consumer_offsets` is among the partitions.
    """

    log_dirs: list[LogDirStart]
    found: list[Finding]
    notes: "tuple[Note, ...]" = ()
    surveyed: list[PartitionSurvey] = field(default_factory=list)
    nodes: list["NodeStart"] = field(default_factory=list)
    clusters: list[ClusterStart] = field(default_factory=list)
    group_losses: list[GroupLoss] = field(default_factory=list)

    damage: ClassVar[tuple[()]] = ()
    """Empty: damage is reported as findings."""

    skipped_replicas: ClassVar[tuple[()]] = ()
    """Empty: every copy is verified."""

    _TABLES: ClassVar = {
        "findings": TABLES["findings"],
        "verdict": TableColumns(
            *columns_of(LogDirStart, only=("path", "starts", "online", "led", "blockers")),
            *columns_of(MetaProperties, "properties", only=("cluster_id",), optional=True),
            *columns_of(LogDirStart, only=("node_id",)),
            *columns_of(MetaProperties, "properties", only=("directory_id",), optional=True),
            *columns_of(LogDirStart, only=("clean_shutdown", "partitions")),
            *columns_of(LogDirStart, after="node_id"),
        ),
        "partitions": TableColumns(
            *columns_of(PartitionStart, to="reason"),
            *columns_of(LoadedLog, "log", to="log_end_offset", optional=True),
            *columns_of(PartitionStart, only=("end_on_disk",)),
            *columns_of(LoadedLog, "log", after="log_end_offset", optional=True),
            *columns_of(PartitionStart, after="end_on_disk"),
        ),
        "files": TableColumns(*columns_of(VerifiedFile)),
        "cluster": CLUSTER,
        "groups": TableColumns(*columns_of(GroupLoss)),
    }

    @property
    def findings(self) -> "pa.Table":
        """A table with a row for each finding and note."""
        return self.to_table("findings")

    @property
    def verdict(self) -> "pa.Table":
        """A table with a row for each log directory: whether the node starts, and the result for the directory."""
        return self.to_table("verdict")

    @property
    def partitions(self) -> "pa.Table":
        """A table with a row for each partition directory: its result; for remote storage where logs begin and end."""
        return self.to_table("partitions")

    @property
    def cluster(self) -> "pa.Table":
        """A table with a row for each partition of a cluster with several nodes: its state once all have started."""
        return self.to_table("cluster")

    @property
    def groups(self) -> "pa.Table":
        """A table with a row for each committed offset of a partition whose log end falls: the loss of the group."""
        return self.to_table("groups")

    @property
    def has_findings(self) -> bool:
        """Whether anything is wrong."""
        return any(finding.level == FINDING for finding in self.found)

    @property
    def headlines(self) -> list[str]:
        """A sentence on each node: whether it starts, what is cut or set aside, and what is damaged."""
        return headlines(self.nodes, self.found)

    @property
    def files(self) -> list[VerifiedFile]:
        """The files of the log directories, built at each call, as there may be a million."""
        return list(files_of(self.log_dirs, self.found))

    def rows(self, name: str) -> "Iterator[Sequence[Any]]":
        """Rows of a table, with their values in the order of its columns."""
        if name == "cluster":
            return (tuple(each.row().values()) for cluster in self.clusters for each in cluster.partitions)
        return chain(super().rows(name), self._tier_rows() if name == "partitions" else ())

    def _objects(self, name: str) -> Iterable[object]:
        objects: dict[str, Iterable[object]] = {
            "findings": self.found,
            "verdict": self.log_dirs,
            "partitions": (each for log_dir in self.log_dirs for each in log_dir.partitions),
            "files": files_of(self.log_dirs, self.found),
            "groups": self.group_losses,
        }
        return objects[name]

    def _tier_rows(self) -> "Iterator[Sequence[Any]]":
        """Rows of partitions in remote storage: where each log begins and ends; a start decides nothing there."""
        for each in self.surveyed:
            facts, directory = each.facts, each.directory
            if directory is not None and isinstance(directory.location, TierPartition) and facts.state == "live":
                offsets = facts.log_start_offset, facts.log_end_offset, facts.log_end_offset
                yield facts.topic, facts.partition, facts.path, None, None, *offsets, *[None] * 6


def files_of(log_dirs: Iterable[LogDirStart], found: Iterable[Finding]) -> Iterator[VerifiedFile]:
    """The files of these log directories, with the number of their findings."""
    counts: dict[str, int] = {}
    for finding in found:
        counts[finding.path] = counts.get(finding.path, 0) + (finding.level == FINDING)
    for log_dir in log_dirs:
        listings = [log_dir.directory.listing]
        listings += [each.listing or each.location.list_if_readable() for each in log_dir.partitions]
        for listing in listings:
            for entry in listing:
                if entry.is_file:
                    kind = kind_of(entry.name)
                    yield VerifiedFile(
                        entry.path,
                        None if kind is None else kind.id,
                        None if entry.size is None else content_size(entry),
                        entry.allocated,
                        without_suffix(entry.name)[1].removeprefix(".") or ("foreign" if kind is None else "live"),
                        counts.get(entry.path, 0),
                    )
