"""The results of a start for log directories, partitions and logs, and the errors that end it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from kafkafmt.answer_columns import Named, unless_empty
from kafkafmt.files import clean_shutdown, partition_metadata
from kafkafmt.files.damage import Note
from kafkafmt.files.names import PARTITION_METADATA, parse_partition_name
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.logdir.log_dir import Directory
from kafkafmt.phrases import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.io.base import DirectoryEntry, Location

_WORDS = "list<string>"

METADATA_DIRECTORY = f"{CLUSTER_METADATA}-0"
_REMOTE_INDEX_CACHE = "remote-log-index-cache"


def copied_while_running(places: "Sequence[str]") -> Note:
    """The note that directories without the mark of a clean shutdown may have been copied at different times."""
    text = (
        f"no {clean_shutdown.FILE_NAME} in {listed(places, 3)}: if the brokers ran while they were copied, the log "
        "that was copied later is longer, and its last records count as cut or lost"
    )
    return Note(text, is_finding=False)


class BrokerError(Exception):
    """The broker does not start.

    Attributes:
        message: the message that Kafka logs.
        path: path of the file or directory at fault.
        position: position in that file, in bytes, or None.
        advice: which file to change, and how.
    """

    def __init__(self, message: str, path: str, position: int | None = None, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.position = position
        self.advice = advice


class CorruptRecordError(BrokerError):
    """Kafka's CorruptRecordException: recovery cuts the log there; a log that is not recovered ends the start."""


class InvalidOffsetError(BrokerError):
    """Kafka's InvalidOffsetException: offsets do not rise as an index demands; recovery empties the segment."""


class DirectoryOfflineError(BrokerError):
    """An IOException: the log directory goes offline, and the broker continues without it."""


class UnreadableError(DirectoryOfflineError):
    """A path that Kafka's user may not read: the directory goes offline after all its logs are loaded."""


@dataclass
class Blocker:
    """Why a node does not start, or a log directory goes offline.

    Attributes:
        message: the fault.
        path: path of the file or directory to change.
        position: position in that file, in bytes, or None.
        advice: how to change it.
        ends_start: whether the node does not start; False if only its directory goes offline.
    """

    message: str
    path: str
    position: int | None = None
    advice: str = ""
    ends_start: bool = True


def _messages(blockers: list[Blocker]) -> list[str]:
    return [each.message for each in blockers]


@dataclass
class LoadedLog:
    """A log after its load.

    Attributes:
        log_start_offset: log start offset after the start.
        log_end_offset: log end offset after the start.
        truncate_from: offset at which Kafka cuts the log; None where no byte is cut.
        lost_bytes: bytes cut from log files, and those of deleted ones; None where swap files replaced some.
        lost_records: records in the cut and deleted parts, and in batches at or above the log end.
        first_lost_offset: lowest offset of these records, or None.
        deleted_segments: names of log files that are deleted.
        walked: base offsets of segments that were recovered.
        splits: for each segment that is split because its offsets overflow it, the path of its file and the base
            offsets of the segments that it becomes.
        rebuilt: names of index files that are rebuilt and exist afterwards.
        reason: why it was cut, or "".
        cuts_only_a_tail: whether only a partial batch or zeros were cut, as after a kill.
        has_open_transaction: whether a transaction is open at its end.
        added_epochs: leader epochs that recovery adds to the checkpoint's, each with its start offset, below the end.
        last_indexed: last offset in the offset index of the active segment, or -1.
    """

    log_start_offset: Annotated[int, "int64"] = 0
    log_end_offset: Annotated[int, "int64"] = 0
    truncate_from: Annotated[int | None, "int64"] = None
    lost_bytes: Annotated[int | None, "int64"] = 0
    lost_records: Annotated[int, "int64"] = 0
    first_lost_offset: Annotated[int | None, "int64"] = None
    deleted_segments: list[str] = field(default_factory=list)
    walked: list[int] = field(default_factory=list)
    splits: list[tuple[str, list[int]]] = field(default_factory=list)
    rebuilt: list[str] = field(default_factory=list)
    reason: str = ""
    cuts_only_a_tail: bool = False
    has_open_transaction: bool = False
    added_epochs: list[tuple[int, int]] = field(default_factory=list)
    last_indexed: int = -1

    def why_walked(self, *, clean: bool) -> str:
        """Why segments were recovered, or ""; `clean` is whether the shutdown was clean."""
        if not self.walked:
            return ""
        return "an index is missing or broken" if clean else "no clean shutdown"


@dataclass(eq=False)
class PartitionStart:
    """The result for a partition directory.

    Attributes:
        topic: topic by the name of the directory, or None.
        partition: number by the name of the directory, or None.
        path: the directory.
        location: place of the directory.
        action: "keep": loaded as it is; "recover": segments are walked; "stray": renamed `-stray`; "delete": a
            `-delete` directory, or one that a `-future` copy replaces; "offline": with its log directory; None if the
            start ends earlier.
        reason: why, or ""; null in rows.
        log: the log after its load; None where it is not loaded, or becomes a stray.
        end_on_disk: offset after the last sound batch on disk, or None: a log end can fall although no byte is cut.
        stray_log: the log of a stray after its load, which cuts it as any other.
        is_made_anew: whether the broker makes a new, empty log in place of a stray.
        assigned_to: the nodes that have the replicas of a stray which is not this node's.
        is_promoted: whether it is a `-future` copy that becomes the partition's log.
        replaces: path and log of the copy whose place it then takes; None without one.
    """

    topic: Annotated[str | None, "string"]
    partition: Annotated[int | None, "int32"]
    path: Annotated[str, "string"]
    location: "Location"
    listing: "Sequence[DirectoryEntry]" = ()
    action: Annotated[str | None, "string"] = None
    reason: Annotated[str, "string", unless_empty] = ""
    log: LoadedLog | None = None
    end_on_disk: Annotated[int | None, Named("logEndOffsetOnDisk", "int64")] = None
    stray_log: LoadedLog | None = None
    is_made_anew: bool = False
    assigned_to: tuple[int, ...] = ()
    is_promoted: bool = False
    replaces: tuple[str, LoadedLog] | None = None

    @property
    def is_live(self) -> bool:
        """Whether the broker uses it as the partition's log."""
        return self.is_promoted or parse_partition_name(self.name).state == "live"

    @property
    def deleted_segments(self) -> Annotated[list[str], _WORDS]:
        """Log files that Kafka deletes."""
        return sorted(self.log.deleted_segments) if self.log else []

    @property
    def rebuilt(self) -> Annotated[list[str], _WORDS]:
        """Index files that Kafka rebuilds."""
        return self.log.rebuilt if self.log else []

    @property
    def name(self) -> str:
        """Base name of the directory."""
        return self.location.name

    def topic_id(self) -> str | None:
        """Topic id in its partition.metadata, or None.

        Raises:
            DataError: the file is broken.
            SourceError: the file cannot be read.
        """
        listing = self.listing or self.location.list()  # a start that ends early has not listed it
        entry = next((one for one in listing if one.name == PARTITION_METADATA and one.is_file), None)
        return None if entry is None else partition_metadata.read(entry.location).topic_id

    @property
    def is_metadata_log(self) -> bool:
        """Whether it is the metadata log, which the controller loads."""
        return self.name == METADATA_DIRECTORY


@dataclass(eq=False)
class LogDirStart:
    """The result for a log directory.

    Attributes:
        path: the log directory.
        is_named: whether the user named it, and not a directory above.
        is_missing: whether it was named, and does not exist.
        properties: meta.properties, or None.
        clean_shutdown: whether it has the mark of a clean shutdown.
        partitions: its partition directories, by name. The column has their number.
        starts: whether the node starts, the same in each of its rows; None if unknown: the first line says why.
        online: whether the broker uses this directory, or takes it offline.
        led: whether its partitions can get leaders: if the metadata log has one of them in a log directory that is not
            here, that one gets none at this start; None if that is unknown.
        blockers: why the node does not start, or the directory goes offline.
        is_registered: whether the metadata log knows its directory id.
        without_leader: number of its partitions that get no leader.
        unserved: why the broker serves none of its partitions, although it is online; None if it does.
    """

    path: Annotated[str, Named("logDir", "string")]
    directory: "Directory"
    is_named: bool = False
    is_missing: bool = False
    properties: "MetaProperties | None" = None
    clean_shutdown: Annotated[bool, "bool"] = False
    partitions: Annotated[list[PartitionStart], "int32", len] = field(default_factory=list)
    starts: Annotated[bool | None, "bool"] = True
    online: Annotated[bool, "bool"] = True
    led: Annotated[bool | None, "bool"] = None
    blockers: Annotated[list[Blocker], _WORDS, _messages] = field(default_factory=list)
    is_registered: bool = True
    without_leader: int = 0
    unserved: Blocker | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it holds no partition besides the metadata log, whose first snapshot a format writes."""
        return all(each.is_metadata_log for each in self.partitions)

    @property
    def node_id(self) -> Annotated[int | None, "int32"]:
        """Node id in meta.properties, or None."""
        if self.properties is None:
            return None
        return self.properties.broker_id if self.properties.node_id is None else self.properties.node_id

    @property
    def recovered(self) -> Annotated[int, "int32"]:
        """Number of partition directories that are recovered."""
        return self._count("recover")

    @property
    def truncated(self) -> Annotated[int, "int32"]:
        """Number of partition directories whose log is cut."""
        return sum(log.truncate_from is not None for log in self._logs)

    @property
    def stray(self) -> Annotated[int, "int32"]:
        """Number of partition directories that become strays."""
        return self._count("stray")

    @property
    def deleted(self) -> Annotated[int, "int32"]:
        """Number of partition directories that are deleted."""
        return self._count("delete")

    @property
    def lost_records(self) -> Annotated[int, "int64"]:
        """Records that are gone after the start."""
        return sum(log.lost_records for log in self._logs)

    @property
    def _logs(self) -> list[LoadedLog]:
        return [each.log for each in self.partitions if each.log is not None]

    def _count(self, action: str) -> int:
        return sum(each.action == action for each in self.partitions)

    def take_offline(self, error: DirectoryOfflineError) -> None:
        """Continue the start without this directory."""
        self.online = False
        self.blockers.append(Blocker(error.message, error.path, error.position, error.advice, ends_start=False))
        for each in self.partitions:
            each.action, each.reason, each.log = "offline", error.message, None


@dataclass(frozen=True)
class Configured:
    """The node's configuration.

    Attributes:
        node_id: `node.id`; None if it is not given.
        cluster_id: cluster id that the node expects; None if it is not given.
    """

    node_id: int | None = None
    cluster_id: str | None = None


def missing_log_dir(location: "Location") -> LogDirStart:
    """A log directory that was named but does not exist."""
    return LogDirStart(str(location), Directory(location, "", ()), is_named=True, is_missing=True)


def open_log_dir(directory: "Directory", *, is_named: bool) -> LogDirStart:
    """A log directory with its partition directories, which are not read yet."""
    found = LogDirStart(str(directory.location), directory, is_named)
    found.clean_shutdown = any(entry.name == clean_shutdown.FILE_NAME for entry in directory.listing)
    for entry in directory.listing:
        # Kafka takes an empty directory with the name of the mark for the mark, and deletes it.
        if entry.is_directory and entry.name not in (_REMOTE_INDEX_CACHE, clean_shutdown.FILE_NAME):
            name = parse_partition_name(entry.name)
            found.partitions.append(PartitionStart(name.topic, name.partition, entry.path, entry.location))
    return found
