"""The load of a node's logs, as in `LogManager.loadLogs`: names, checkpoints, strays, and duplicate partitions."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import clean_shutdown, offset_checkpoint
from kafkafmt.files.names import is_log_file, parse_partition_name
from kafkafmt.files.text import IllegalArgumentError
from kafkafmt.logdir.checkpoints import (
    HIGH_WATERMARK_CHECKPOINT,
    LOG_START_OFFSET_CHECKPOINT,
    RECOVERY_POINT_CHECKPOINT,
)
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.node_start import NodeStart
from kafkafmt.startup.outcome import (
    Blocker,
    BrokerError,
    DirectoryOfflineError,
    LogDirStart,
    PartitionStart,
    UnreadableError,
)
from kafkafmt.startup.topic_configs import index_interval_bytes, is_tiered, segment_index_bytes
from kafkafmt.survey.advice import RECOVER_IT, of_checkpoint

if TYPE_CHECKING:
    from kafkafmt.startup.places import Places

_SET_ASIDE = re.compile(r"\S+-\S+\.\S+-(?:delete|future|stray)")
_NOT_THIS_USER = "not judged: this user may not read it; run as Kafka's user"
_LINKED = "not judged: a log file is a link that leads outside the PATH, which is not followed"
EMPTY_CLUSTER = "the node has no metadata log, and starts as a new, empty cluster"
"""Why all partitions of a node are strays."""


class NodeLogs:
    """Loads the logs of a node, one directory after another.

    Args:
        node: the node, whose `cluster` decides which logs are strays.
        places: finder of the owners of misplaced directories.
        end_on_disk: function that returns the offset after the last sound batch of a partition.
    """

    def __init__(self, node: NodeStart, places: "Places", end_on_disk: Callable[[PartitionStart], int | None]) -> None:
        self._node = node
        self._places = places
        self._end_on_disk = end_on_disk

    def check_names(self) -> None:
        """Refuse directories that are not named like a partition."""
        for log_dir in self._node.log_dirs:
            for each in log_dir.partitions if log_dir.online else ():
                if each.topic is None or not _is_named_by_kafka(each.name):
                    message = f"the directory {each.path} is not named TOPIC-PARTITION"
                    self._node.block(log_dir, message, each.path, advice="move it out of the log directory")

    def load(self, log_dir: LogDirStart) -> bool:
        """Load the logs of a directory; returns whether the start may fail, which depends on the order of listing."""
        offline = _held_mark(log_dir)
        if offline is not None:
            log_dir.take_offline(offline)
            return False
        recovery_points, offline = self._checkpoint(log_dir, RECOVERY_POINT_CHECKPOINT, offline)
        log_starts, offline = self._checkpoint(log_dir, LOG_START_OFFSET_CHECKPOINT, offline)
        before, unreadable = offline, None
        refused: PartitionStart | None = None
        for each in log_dir.partitions:
            if each.is_metadata_log:
                continue
            key = (each.topic or "", each.partition or 0)
            if any(is_log_file(link.name) for link in each.location.links_out()):
                each.action, each.log, each.reason = None, None, _LINKED
                continue
            try:
                self._load_log(log_dir, each, recovery_points.get(key, 0), log_starts.get(key, 0))
            except UnreadableError as error:
                if _may_read(each, error.path):
                    unreadable = unreadable or error
                else:
                    self._leave_out(each)
            except SourceError as error:
                if not is_forbidden(error):
                    raise
                self._leave_out(each)
            except DirectoryOfflineError as error:
                offline = offline or error
            except BrokerError as error:
                what = error.advice or (RECOVER_IT if log_dir.clean_shutdown else "")
                self._node.block(log_dir, error.message, error.path, error.position, what)
            # Both steps read from the log, which fails once its directory is offline.
            is_renamed = each.action == "stray" and parse_partition_name(each.name).state == "live"
            if is_renamed or (each.log is not None and each.log.has_open_transaction):
                refused = each
        if refused is not None and before is not None:
            message = f"The log dir {log_dir.path} is already offline due to a previous IO exception."
            refused.action, refused.log = None, None
            self._node.block(log_dir, message, before.path, before.position, before.advice)
            return False
        offline = offline or unreadable
        if offline is None:
            _, offline = self._checkpoint(log_dir, HIGH_WATERMARK_CHECKPOINT, None)
            may_fail = False
        else:
            may_fail = before is None and offline is not unreadable and refused is not None
        if offline is not None:
            log_dir.take_offline(offline)
        return may_fail

    def _leave_out(self, each: PartitionStart) -> None:
        """Leave out the verdict on a log with a file that this user may not read, although Kafka's user may."""
        each.action, each.log, each.reason = None, None, _NOT_THIS_USER
        self._node.reads_all = False

    def _load_log(self, log_dir: LogDirStart, each: PartitionStart, recovery_point: int, log_start: int) -> None:
        each.listing = each.location.list()
        state = parse_partition_name(each.name).state
        each.end_on_disk = self._end_on_disk(each)
        log = load_log(
            each.listing,
            recovery_point=recovery_point,
            log_start_offset=log_start,
            clean_shutdown=log_dir.clean_shutdown,
            is_deleted=state == "delete",
            end_on_disk=each.end_on_disk,
            index_interval_bytes=index_interval_bytes(self._node.cluster, each.topic, self._node.configs),
            index_bytes=segment_index_bytes(self._node.cluster, each.topic, self._node.configs),
            is_tiered=is_tiered(self._node.cluster, each.topic),
        )
        stray = None if state == "delete" else self._stray(each, state)
        if state == "delete":
            each.action = "delete"
            each.reason = "Kafka deletes it after log.segment.delete.delay.ms"
        elif stray is not None:
            each.action, each.reason, each.stray_log = "stray", stray, log
            each.is_made_anew = state == "live" and self._is_assigned(each)
        else:
            each.action, each.log = ("recover" if log.walked else "keep"), log
            each.reason = log.reason or log.why_walked(clean=log_dir.clean_shutdown)

    def _stray(self, each: PartitionStart, state: str) -> str | None:
        """Why a log is a stray, by the rules of `LogManager.isStrayKraftReplica`; None if it is not one."""
        if state == "stray":
            return "it was set aside as -stray before"
        if self._node.sets_all_aside:
            return EMPTY_CLUSTER
        if self._node.cluster is None:
            return None
        topic_id = each.topic_id()
        if topic_id is None:
            return "it has no topic id: partition.metadata is missing"
        topic = self._node.cluster.topic_by_id(topic_id)
        if topic is None:
            return f"the metadata log has no topic with id {topic_id}"
        partition = topic.partitions.get(each.partition if each.partition is not None else -1)
        if partition is None:
            return f"topic {topic.name} has no partition {each.partition}"
        node_id = self._node.node_id
        if node_id is not None and node_id not in partition.replicas:
            each.assigned_to = partition.replicas
            return f"it is assigned to other nodes: {', '.join(map(str, partition.replicas))}"
        return None

    def _is_assigned(self, each: PartitionStart) -> bool:
        """Whether the metadata log assigns a partition with this name to the node."""
        topic = (
            None
            if self._node.cluster is None or self._node.sets_all_aside
            else self._node.cluster.topics.get(each.topic or "")
        )
        partition = None if topic is None else topic.partitions.get(-1 if each.partition is None else each.partition)
        return partition is not None and self._node.node_id in partition.replicas

    @staticmethod
    def _checkpoint(
        log_dir: LogDirStart, name: str, offline: DirectoryOfflineError | None
    ) -> tuple[Mapping[tuple[str, int], int], DirectoryOfflineError | None]:
        entry = next((each for each in log_dir.directory.listing if each.name == name and each.is_file), None)
        if entry is None:
            return {}, offline
        try:
            return offset_checkpoint.read(entry.location).offsets, offline
        except DataError as error:
            if isinstance(error, IllegalArgumentError):
                # `loadLogs` ignores all exceptions; only an IOException takes the directory offline. High watermarks
                # are read each time a partition gets a leader: `ReplicaManager.applyDelta` of Kafka 4.4.0 fails there,
                # and does not go on to later partitions.
                if name == HIGH_WATERMARK_CHECKPOINT:
                    message = f"java.lang.IllegalArgumentException: {error.message} [{entry.path}]"
                    log_dir.unserved = Blocker(message, entry.path, error.position, of_checkpoint(name))
                return {}, offline
            message = f"java.io.IOException: Malformed line in checkpoint file [{entry.path}]"
            advice = of_checkpoint(name)
            return {}, offline or DirectoryOfflineError(message, entry.path, error.position, advice=advice)

    def check_duplicates(self) -> None:
        """Refuse partitions that are in two log directories."""
        places: dict[tuple[str | None, int | None], list[tuple[LogDirStart, PartitionStart]]] = defaultdict(list)
        for log_dir in self._node.log_dirs:
            for each in log_dir.partitions:
                if each.action in ("keep", "recover") and parse_partition_name(each.name).state == "live":
                    places[each.topic, each.partition].append((log_dir, each))
        for several in places.values():
            if len(several) > 1:
                paths = [each.path for _, each in several]
                for _, each in several[1:]:
                    each.action, each.log, each.reason = None, None, "the partition is in two log directories"
                advice = self._places.of_duplicate(self._node, [log_dir for log_dir, _ in several])
                self._node.block(
                    several[-1][0], f"the same partition is in {' and in '.join(paths)}", paths[-1], advice=advice
                )


def _held_mark(log_dir: LogDirStart) -> DirectoryOfflineError | None:
    """The fault of a directory in the place of the mark of a clean shutdown: Kafka deletes only an empty one."""
    found = (each for each in log_dir.directory.listing if each.name == clean_shutdown.FILE_NAME and each.is_directory)
    mark = next((each for each in found if each.location.list()), None)
    if mark is None:
        return None
    message = f"java.nio.file.DirectoryNotEmptyException: {mark.path}"
    return DirectoryOfflineError(message, mark.path, advice="move it out of the log directory")


def _may_read(each: PartitionStart, path: str) -> bool:
    """Whether this user may read a file of a partition although its mode forbids it: then Kafka's user may not."""
    entry = next((one for one in each.listing if one.path == path), None)
    try:
        if entry is not None:
            entry.location.open().close()
    except SourceError:
        return False
    return True


def is_forbidden(error: SourceError) -> bool:
    """Whether an error means that this user may not read a file; Kafka's user may."""
    return isinstance(error.__cause__, PermissionError)


def _is_named_by_kafka(name: str) -> bool:
    set_aside = name.endswith(("-delete", "-future", "-stray"))
    return not set_aside or _SET_ASIDE.fullmatch(name) is not None
