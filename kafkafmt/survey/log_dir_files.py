"""The files in the root of a log directory, and the facts from them that its partitions need."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import clean_shutdown, meta_properties, offset_checkpoint
from kafkafmt.files.names import parse_partition_name
from kafkafmt.findings import NOTE, Finding, finding_of
from kafkafmt.io.base import DirectoryEntry, Location
from kafkafmt.logdir.checkpoints import CHECKPOINTS
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.survey.advice import of_checkpoint
from kafkafmt.survey.belonging import belonging_in
from kafkafmt.survey.facts import CheckpointStatus, LogDirFacts

if TYPE_CHECKING:
    from kafkafmt.files.sizes import Sizes
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.strays import Belonging

T = TypeVar("T")

Offsets = Mapping[tuple[str, int], int]
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The facts of a log directory that its partitions need.

    Attributes:
        path: path of the log directory.
        checkpoints: offsets of each readable checkpoint, by file name.
        clean_shutdown: whether the mark of a clean shutdown exists.
        belonging: the cluster's metadata on the partitions, or None if there is none.
    """

    path: str
    checkpoints: Mapping[str, Offsets] = field(default_factory=dict)
    clean_shutdown: bool = False
    belonging: "Belonging | None" = None

    def offset(self, checkpoint: str, partition: "Partition") -> int | None:
        """A partition's entry in a checkpoint; directories set aside for deletion have none."""
        if partition.topic is None or partition.partition is None or partition.state in ("delete", "stray"):
            return None
        return self.checkpoints.get(checkpoint, {}).get((partition.topic, partition.partition))


class SmallFiles:
    """The files in the root of a log directory, read once; broken files become findings."""

    def __init__(self, path: str, listing: Sequence[DirectoryEntry]) -> None:
        self.findings: list[Finding] = []
        self._path = path
        self._files = {entry.name: entry for entry in listing if entry.is_file}
        self._statuses: dict[str, CheckpointStatus] = {}
        self._offsets: dict[str, Offsets] = {}
        for name in CHECKPOINTS:
            self._statuses[name] = self._read_checkpoint(name)

    def surroundings(self, facts: LogDirFacts, clusters: "Mapping[str | None, ClusterMetadata]") -> Surroundings:
        """The facts of the log directory that its partitions need."""
        belonging = belonging_in(facts, clusters)
        return Surroundings(self._path, self._offsets, clean_shutdown.FILE_NAME in self._files, belonging)

    def facts(self, partitions: "Sequence[Partition]", sizes: "Sizes") -> LogDirFacts:
        """All facts about the log directory, except those of its partitions.

        Args:
            partitions: the partition directories.
            sizes: sizes of all their files.
        """
        properties = self._try(META_PROPERTIES, meta_properties.read, "the ids of broker and cluster are unknown")
        mark = self._try(
            clean_shutdown.FILE_NAME, clean_shutdown.read, "Kafka treats it as a mark without broker epoch"
        )
        node_id = None
        if properties is not None:
            node_id = properties.broker_id if properties.node_id is None else properties.node_id
        return LogDirFacts(
            path=self._path,
            cluster_id=properties.cluster_id if properties else None,
            node_id=node_id,
            directory_id=properties.directory_id if properties else None,
            version=properties.version if properties else None,
            clean_shutdown=clean_shutdown.FILE_NAME in self._files,
            broker_epoch=mark.broker_epoch if mark else None,
            checkpoints=self._statuses,
            partitions=sum(each.state == "live" for each in partitions),
            other_partitions=sum(each.state != "live" for each in partitions),
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


def no_clean_shutdown(path: str) -> Finding:
    """The note on a log directory without the mark of a clean shutdown."""
    return Finding(
        NOTE,
        "no clean shutdown",
        path,
        "no mark of a clean shutdown: the broker was killed, or was running during the copy",
        "at the next start Kafka checks each log from its recovery point and truncates it at the first damage",
    )


def not_here(surroundings: Surroundings, names: Iterable[str]) -> Iterator[Finding]:
    """Name the partitions that a checkpoint lists but that are not on this disk."""
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
