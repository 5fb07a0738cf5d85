"""The answer of `verify` as tables: findings, the verdict for each log directory, partitions, files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from kafkafmt.columns import as_text
from kafkafmt.errors import SourceError
from kafkafmt.files.kinds import kind_of, without_suffix
from kafkafmt.files.sizes import content_size
from kafkafmt.findings import FINDING, Finding
from kafkafmt.io.base import Location
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.startup.cluster import ClusterStart
from kafkafmt.startup.costs import headlines
from kafkafmt.startup.lost_by_groups import GROUPS_SCHEMA, GroupLoss
from kafkafmt.startup.outcome import LogDirStart, PartitionStart
from kafkafmt.survey import PartitionFacts, PartitionSurvey
from kafkafmt.survey.rows import TABLES
from kafkafmt.topics.answers import TableAnswer

if TYPE_CHECKING:
    from kafkafmt.files.damage import Note
    from kafkafmt.startup.nodes import NodeStart

VERDICT_SCHEMA = pa.schema(
    [
        ("logDir", pa.string()),
        ("starts", pa.bool_()),
        ("online", pa.bool_()),
        ("led", pa.bool_()),
        ("blockers", pa.list_(pa.string())),
        ("clusterId", pa.string()),
        ("nodeId", pa.int32()),
        ("directoryId", pa.string()),
        ("cleanShutdown", pa.bool_()),
        ("partitions", pa.int32()),
        ("recovered", pa.int32()),
        ("truncated", pa.int32()),
        ("stray", pa.int32()),
        ("deleted", pa.int32()),
        ("lostRecords", pa.int64()),
    ]
)
PARTITIONS_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("path", pa.string()),
        ("action", pa.string()),
        ("reason", pa.string()),
        ("logStartOffset", pa.int64()),
        ("logEndOffset", pa.int64()),
        ("logEndOffsetOnDisk", pa.int64()),
        ("truncateFrom", pa.int64()),
        ("lostBytes", pa.int64()),
        ("lostRecords", pa.int64()),
        ("firstLostOffset", pa.int64()),
        ("deletedSegments", pa.list_(pa.string())),
        ("rebuilt", pa.list_(pa.string())),
    ]
)
FILES_SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("kind", pa.string()),
        ("sizeInBytes", pa.int64()),
        ("sizeOnDisk", pa.int64()),
        ("state", pa.string()),
        ("findings", pa.int32()),
    ]
)
CLUSTER_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("leader", pa.int32()),
        ("leaderLogEndOffset", pa.int64()),
        ("inSync", pa.list_(pa.int32())),
        (
            "followers",
            pa.list_(pa.struct([("node", pa.int32()), ("logEndOffset", pa.int64()), ("truncateTo", pa.int64())])),
        ),
        ("lostRecords", pa.int64()),
        ("firstLostOffset", pa.int64()),
        ("served", pa.int64()),
        ("elsewhere", pa.int64()),
    ]
)
_SCHEMAS = {
    "findings": TABLES["findings"].schema,
    "verdict": VERDICT_SCHEMA,
    "partitions": PARTITIONS_SCHEMA,
    "files": FILES_SCHEMA,
    "cluster": CLUSTER_SCHEMA,
    "groups": GROUPS_SCHEMA,
}


@dataclass(repr=False)
class Verification(TableAnswer):
    """Faults of these disks, and a broker's reaction: made by `verify`.

    Attributes:
        log_dirs: log directories, with their results of a start.
        found: findings, then notes, those first that cost most; else in the order of the disks.
        notes: assumptions, and parts that were not judged.
        files: rows of the table "files".
        surveyed: the partition directories, as `kafkafmt ls` describes them.
        nodes: the nodes that the log directories are of.
        clusters: the joint starts of nodes, for each cluster with several nodes here.
        group_losses: losses of consumer groups where logs are cut, if `__consumer_offsets` is among the partitions.
    """

    log_dirs: list[LogDirStart]
    found: list[Finding]
    notes: "tuple[Note, ...]" = ()
    files: list[dict[str, Any]] = field(default_factory=list)
    surveyed: list[PartitionSurvey] = field(default_factory=list)
    nodes: list["NodeStart"] = field(default_factory=list)
    clusters: list[ClusterStart] = field(default_factory=list)
    group_losses: list[GroupLoss] = field(default_factory=list)

    damage: ClassVar[tuple[()]] = ()
    """Empty: damage is a finding here."""

    skipped_replicas: ClassVar[tuple[()]] = ()
    """Empty: every copy is verified."""

    @classmethod
    def schemas(cls) -> Mapping[str, pa.Schema]:
        """Schema of each table by its name: "findings" (the main one), "verdict", "partitions", "files"."""
        return _SCHEMAS

    @property
    def findings(self) -> pa.Table:
        """A row for each finding and note."""
        return self.to_table("findings")

    @property
    def verdict(self) -> pa.Table:
        """A row for each log directory: whether the node starts, and the result for the directory."""
        return self.to_table("verdict")

    @property
    def partitions(self) -> pa.Table:
        """A row for each partition directory: its result; for remote storage where each log begins and ends."""
        return self.to_table("partitions")

    @property
    def cluster(self) -> pa.Table:
        """A row for each partition of a cluster with several nodes here: its state once all have started."""
        return self.to_table("cluster")

    @property
    def groups(self) -> pa.Table:
        """A row for each committed offset of a partition whose log end falls: the loss of the group."""
        return self.to_table("groups")

    @property
    def has_findings(self) -> bool:
        """Whether anything is wrong."""
        return any(finding.level == FINDING for finding in self.found)

    @property
    def headlines(self) -> list[str]:
        """A sentence on each node: whether it starts, what is cut, set aside, damaged."""
        return headlines(self.nodes, self.found)

    def rows(self, name: str) -> "Iterator[Sequence[Any]]":
        """Rows of a table, with values in the order of its columns."""
        if name == "findings":
            return map(TABLES[name].row, self.found)
        of_table: dict[str, Callable[[], Iterable[dict[str, Any]]]] = {
            "verdict": lambda: map(_verdict_row, self.log_dirs),
            "partitions": self._partition_rows,
            "files": lambda: self.files,
            "cluster": lambda: (each.row() for cluster in self.clusters for each in cluster.partitions),
            "groups": lambda: (each.row() for each in self.group_losses),
        }
        names = _SCHEMAS[name].names
        return (tuple(row[column] for column in names) for row in of_table[name]())

    def _partition_rows(self) -> Iterator[dict[str, Any]]:
        for log_dir in self.log_dirs:
            yield from map(_partition_row, log_dir.partitions)
        for each in self.surveyed:
            is_of_tier = each.directory is not None and isinstance(each.directory.location, TierPartition)
            if is_of_tier and each.facts.state == "live":
                yield _tier_row(each.facts)


def _verdict_row(each: LogDirStart) -> dict[str, Any]:
    partitions = each.partitions
    logs = [one.log for one in partitions if one.log is not None]
    properties = each.properties
    return {
        "logDir": as_text(each.path),
        "starts": each.starts,
        "online": each.online,
        "led": each.led,
        "blockers": [blocker.message for blocker in each.blockers],
        "clusterId": properties.cluster_id if properties else None,
        "nodeId": each.node_id,
        "directoryId": properties.directory_id if properties else None,
        "cleanShutdown": each.clean_shutdown,
        "partitions": len(partitions),
        "recovered": sum(one.action == "recover" for one in partitions),
        "truncated": sum(log.truncate_from is not None for log in logs),
        "stray": sum(one.action == "stray" for one in partitions),
        "deleted": sum(one.action == "delete" for one in partitions),
        "lostRecords": sum(log.lost_records for log in logs),
    }


def _partition_row(each: PartitionStart) -> dict[str, Any]:
    log = each.log
    return {
        "topic": as_text(each.topic),
        "partition": each.partition,
        "path": as_text(each.path),
        "action": each.action,
        "reason": each.reason or None,
        "logStartOffset": None if log is None else log.log_start_offset,
        "logEndOffset": None if log is None else log.log_end_offset,
        "logEndOffsetOnDisk": each.end_on_disk,
        "truncateFrom": None if log is None else log.truncate_from,
        "lostBytes": None if log is None else log.lost_bytes,
        "lostRecords": None if log is None else log.lost_records,
        "firstLostOffset": None if log is None else log.first_lost_offset,
        "deletedSegments": [] if log is None else sorted(log.deleted_segments),
        "rebuilt": [] if log is None else log.rebuilt,
    }


def _tier_row(facts: PartitionFacts) -> dict[str, Any]:
    """A partition in remote storage: where its log begins and ends; no start decides anything there."""
    return dict.fromkeys(PARTITIONS_SCHEMA.names) | {
        "topic": as_text(facts.topic),
        "partition": facts.partition,
        "path": as_text(facts.path),
        "logStartOffset": facts.log_start_offset,
        "logEndOffset": facts.log_end_offset,
        "logEndOffsetOnDisk": facts.log_end_offset,
    }


def files_of(log_dirs: Iterable[LogDirStart], found: Iterable[Finding]) -> Iterator[dict[str, Any]]:
    """A row for each file of these log directories, with the number of its findings."""
    counts: dict[str, int] = {}
    for finding in found:
        counts[finding.path] = counts.get(finding.path, 0) + (finding.level == FINDING)
    for log_dir in log_dirs:
        listings = [log_dir.directory.listing]
        listings += [each.listing or _listed(each.location) for each in log_dir.partitions]
        for listing in listings:
            for entry in listing:
                if entry.is_file:
                    kind = kind_of(entry.name)
                    yield {
                        "path": as_text(entry.path),
                        "kind": None if kind is None else kind.id,
                        "sizeInBytes": None if entry.size is None else content_size(entry),
                        "sizeOnDisk": entry.allocated,
                        "state": without_suffix(entry.name)[1].removeprefix(".")
                        or ("foreign" if kind is None else "live"),
                        "findings": counts.get(entry.path, 0),
                    }


def _listed(location: Location) -> "Sequence[Any]":
    try:
        return location.list()
    except SourceError:
        return ()
