"""The start of a node: what Kafka's `MetaPropertiesEnsemble`, `LogManager` and `KafkaRaftLog` do with its log.dirs."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import meta_properties, offset_checkpoint
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.logdir.partition import HIGH_WATERMARK_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT, RECOVERY_POINT_CHECKPOINT
from kafkafmt.startup.log_load import load_log
from kafkafmt.startup.metadata_log import elected_in, load_metadata_log
from kafkafmt.startup.nodes import NodeStart, voters_of
from kafkafmt.startup.outcome import (
    Blocker,
    BrokerError,
    Configured,
    DirectoryOfflineError,
    LogDirStart,
    PartitionStart,
    UnreadableError,
)
from kafkafmt.startup.places import Places
from kafkafmt.startup.quorum import decide_by_quorum, judge_without_log
from kafkafmt.startup.reachable_metadata import newest_first, same_cluster
from kafkafmt.startup.segment import INDEX_INTERVAL_BYTES
from kafkafmt.startup.topic_configs import refused_configs
from kafkafmt.survey.advice import RECOVER_IT, of_checkpoint

if TYPE_CHECKING:
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.startup.reachable_metadata import ReachableMetadata
    from kafkafmt.topics.cluster_metadata import BrokerRegistration, ClusterMetadata

_SET_ASIDE = re.compile(r"\S+-\S+\.\S+-(?:delete|future|stray)")

_ORDER = "starts or ends at once: that depends on the order in which the file system lists directories"
_NOT_OF_A_NODE = "has no meta.properties, so whether it starts is not known (copied partitions, or a Kafka before 0.9)"
_NOT_READ = "cannot be judged: this user may not read all of its files; run as Kafka's user"
_NOT_THIS_USER = "not judged: this user may not read it; run as Kafka's user"
EMPTY_CLUSTER = "the node has no metadata log, and starts as a new, empty cluster"
"""Why all partitions of a node are strays."""


def start(
    nodes: Sequence[NodeStart],
    configured: Configured,
    known: "ReachableMetadata",
    end_on_disk: "Callable[[PartitionStart], int | None]",
) -> None:
    """Start all nodes on their log directories: fills in the outcome for them.

    Args:
        nodes: the nodes; the metadata log of one counts for the others of its cluster, too.
        configured: the node's configuration, if they are of one node.
        known: metadata logs in reach.
        end_on_disk: gives the offset after the last sound batch of a partition.

    Raises:
        SourceError: a file cannot be read, although its permissions allow it.
    """
    places = Places(nodes, known)
    starts = [_Start(node, configured, known, places, end_on_disk) for node in nodes]
    for each in starts:
        each.run(each.begin)
    for each in starts:
        each.run(partial(each.finish, starts))
    for node in nodes:
        decide_by_quorum(node, nodes, known.named_nodes)


class _Start:
    def __init__(
        self,
        node: NodeStart,
        configured: Configured,
        known: "ReachableMetadata",
        places: Places,
        end_on_disk: "Callable[[PartitionStart], int | None]",
    ) -> None:
        self.node = node
        self._log_dirs = node.log_dirs
        self._configured = configured
        self._known = known
        self._places = places
        self._end_on_disk = end_on_disk
        self._cluster: ClusterMetadata | None = None
        self._is_known = False

    def run(self, step: "Callable[[], None]") -> None:
        """Go through steps of the start, up to a file that this user may not read: Kafka's user may.

        Raises:
            SourceError: a file cannot be read, although its permissions allow it.
        """
        try:
            step()
        except SourceError as error:
            if not _is_forbidden(error):
                raise
            self.node.reads_all = False
        if not self.node.reads_all and not self._fails():
            self.node.decide(starts=None, undecided=_NOT_READ)

    def begin(self) -> None:
        """Go through the steps up to the load of the metadata log, each of which may end the start."""
        self._is_known = self._is_of_a_node()
        if self._is_known:
            self._check_properties()
        if self._fails():
            return
        with_log = next(
            ((each, one) for each in self._log_dirs for one in each.partitions if one.is_metadata_log), (None, None)
        )
        self._load_metadata_log(*with_log)
        if with_log[1] is not None and with_log[1].log is not None:
            self.node.own = self._known.of_log(with_log[1])
            self.node.elected = elected_in(with_log[1])

    def finish(self, others: "Sequence[_Start]") -> None:
        """Go through the steps that follow.

        Args:
            others: starts of all nodes, each of which has begun.
        """
        if not self._fails():
            self._check_names()
        if self._fails() or not self.node.reads_all:
            return
        metadata_log = self.node.metadata_log
        self._cluster = self.node.cluster = self._metadata(others)
        if metadata_log is None and self._is_known:
            judge_without_log(self.node, [each.node for each in others], self._known.named_nodes)
        elif self._cluster is None:
            self.node.judges_strays = False
        self._check_configs()
        if self._fails():
            return
        self._judge_led()
        self.node.fails_in_logs = True
        may_fail = False
        for log_dir in self._log_dirs:
            may_fail |= self._load_logs(log_dir)
        self._check_duplicates()
        if any(each is self._of_metadata_log(metadata_log) for each in self._log_dirs if not each.online):
            self._end()
        if self._fails():
            if metadata_log is not None and metadata_log.action != "offline":
                metadata_log.action, metadata_log.log = None, None
        elif not self._is_known:
            self.node.decide(starts=None, undecided=_NOT_OF_A_NODE)
        elif may_fail:
            self.node.decide(starts=None, undecided=_ORDER)

    def _of_metadata_log(self, log: PartitionStart | None) -> LogDirStart | None:
        """The directory that must not go offline: that of the metadata log; a lost one is made in the first."""
        if log is not None:
            return next(each for each in self._log_dirs if log in each.partitions)
        broker = self._broker
        return self._log_dirs[0] if broker is not None and 0 < len(broker.log_dirs) <= len(self._log_dirs) else None

    @property
    def _broker(self) -> "BrokerRegistration | None":
        """The broker's registration in the metadata log."""
        node_id = self.node.node_id
        return None if self._cluster is None or node_id is None else self._cluster.brokers.get(node_id)

    def _metadata(self, others: "Iterable[_Start]") -> "ClusterMetadata | None":
        """The newest metadata of the cluster: a node gets those of its controllers before it loads its logs."""
        cluster_id = self._configured.cluster_id or self.node.cluster_id
        own = self.node.own
        found = [own, self._known.named]
        # One that has no log of its own takes any node's.
        found += (each.node.own for each in others if own is None or _is_controller(each.node))
        return next(
            iter(
                newest_first(each for each in found if each is not None and same_cluster(cluster_id, each.cluster_id))
            ),
            None,
        )

    def _is_of_a_node(self) -> bool:
        """Whether these are log.dirs of Kafka 2.8 or later, and not only partitions that were copied, or older ones."""
        of_nodes = [each for each in self._log_dirs if each.directory.is_of_a_node]
        if any(each.directory.has(META_PROPERTIES) or not each.partitions for each in of_nodes):
            return True
        partitions = [one for each in self._log_dirs for one in each.partitions] if of_nodes else []
        return any(each.location.child("partition.metadata").is_file() for each in partitions)

    # -- meta.properties --------------------------------------------------------------------------------------------

    def _check_properties(self) -> None:
        by_id: dict[str, LogDirStart] = {}
        node_id, cluster_id = self.node.node_id, self._configured.cluster_id
        for log_dir in self._log_dirs:
            path = f"{log_dir.path.rstrip('/')}/{META_PROPERTIES}"
            properties = self._properties(log_dir, path)
            if properties is None:
                continue
            log_dir.properties = properties
            found = log_dir.node_id
            if found is None:
                self._block(
                    log_dir, f"no node id in {path}", path, advice="add the line node.id=, as in the other log.dirs"
                )
                continue
            if node_id is not None and node_id != found:
                message = f"node id {found} in {path}, but the node is {node_id}"
                self._block(log_dir, message, path, advice=self._places.of_node_id(self.node, node_id, log_dir))
            if cluster_id not in (None, properties.cluster_id) and properties.cluster_id is not None:
                message = f"cluster id {properties.cluster_id} in {path}, but the cluster is {cluster_id}"
                self._block(log_dir, message, path, advice=self._places.of_cluster_id(node_id, cluster_id, log_dir))
            node_id = found if node_id is None else node_id
            cluster_id = properties.cluster_id if cluster_id is None else cluster_id
            if properties.directory_id is not None:
                other = by_id.setdefault(properties.directory_id, log_dir)
                if other is not log_dir:
                    message = f"directory id {properties.directory_id} in {path}, which {other.path} has too"
                    advice = self._places.of_directory_id(self.node, log_dir, other)
                    self._block(log_dir, message, path, advice=advice)

    def _properties(self, log_dir: LogDirStart, path: str) -> "MetaProperties | None":
        entry = next(
            (each for each in log_dir.directory.listing if each.name == META_PROPERTIES and each.is_file), None
        )
        if entry is None:
            if log_dir.is_missing:
                message, path = f"the log directory {log_dir.path} does not exist", log_dir.path
            else:
                message = f"no {META_PROPERTIES} in {log_dir.path}"
            self._block(log_dir, message, path, advice=self._places.of_lost_properties(self.node, log_dir))
            return None
        try:
            return meta_properties.read(entry.location)
        except DataError as error:
            advice = "write it again, like those of the other log.dirs, with a directory.id of its own"
            self._block(log_dir, f"{META_PROPERTIES} cannot be read: {error.message}", path, error.position, advice)
            return None

    # -- the metadata log -------------------------------------------------------------------------------------------

    def _load_metadata_log(self, log_dir: LogDirStart | None, log: PartitionStart | None) -> None:
        if log_dir is None or log is None:
            return
        try:
            load_metadata_log(log)
        except DirectoryOfflineError as error:
            self._take_offline(log_dir, error)
        except BrokerError as error:
            log.action, log.log = None, None
            self._block(log_dir, error.message, error.path, error.position, error.advice)

    def _check_configs(self) -> None:
        """`LogManager.fetchTopicConfigOverrides`: a config that Kafka 4 refuses ends any broker of the cluster."""
        log, cluster = self.node.metadata_log, self._cluster
        if cluster is None or self.node.sets_all_aside or (self.node.is_controller and not self._has_partitions()):
            return
        for topic, name, message in refused_configs(cluster):
            path = cluster.provenance.path if log is None else log.path
            advice = (
                f"start Kafka 3.9 on it, and set {name} of topic {topic} with kafka-configs.sh: "
                "the metadata log cannot be changed by hand"
            )
            blocked = next((each for each in self._log_dirs if log in each.partitions), self._log_dirs[0])
            self._block(blocked, f"ConfigException: {message} (topic {topic})", path, advice=advice)

    def _has_partitions(self) -> bool:
        return any(not each.is_metadata_log for log_dir in self._log_dirs for each in log_dir.partitions)

    # -- logs -------------------------------------------------------------------------------------------------------

    def _check_names(self) -> None:
        for log_dir in self._log_dirs:
            for each in log_dir.partitions:
                if each.topic is None or ("." in each.name and not _is_named_by_kafka(each.name)):
                    message = f"the directory {each.path} is not named TOPIC-PARTITION"
                    self._block(log_dir, message, each.path, advice="move it out of the log directory")

    def _load_logs(self, log_dir: LogDirStart) -> bool:
        """Load the logs of a directory; returns whether the start may fail, which the order of listing decides."""
        offline: DirectoryOfflineError | None = None
        recovery_points, offline = self._checkpoint(log_dir, RECOVERY_POINT_CHECKPOINT, offline)
        log_starts, offline = self._checkpoint(log_dir, LOG_START_OFFSET_CHECKPOINT, offline)
        before, unreadable = offline, None
        refused: PartitionStart | None = None
        for each in log_dir.partitions:
            if each.is_metadata_log:
                continue
            key = (each.topic or "", each.partition or 0)
            try:
                self._load(log_dir, each, recovery_points.get(key, 0), log_starts.get(key, 0))
            except UnreadableError as error:
                if _may_read(each, error.path):
                    unreadable = unreadable or error
                else:
                    self._leave_out(each)
            except SourceError as error:
                if not _is_forbidden(error):
                    raise
                self._leave_out(each)
            except DirectoryOfflineError as error:
                offline = offline or error
            except BrokerError as error:
                what = error.advice or (RECOVER_IT if log_dir.clean_shutdown else "")
                self._block(log_dir, error.message, error.path, error.position, what)
            # Both ask the log for something, which a directory that is offline refuses.
            is_renamed = each.action == "stray" and parse_partition_name(each.name).state == "live"
            if is_renamed or (each.log is not None and each.log.has_open_transaction):
                refused = each
        if refused is not None and before is not None:
            message = f"The log dir {log_dir.path} is already offline due to a previous IO exception."
            refused.action, refused.log = None, None
            self._block(log_dir, message, before.path, before.position, before.advice)
            return False
        offline = offline or unreadable
        if offline is None:
            _, offline = self._checkpoint(log_dir, HIGH_WATERMARK_CHECKPOINT, None)
            may_fail = False
        else:
            may_fail = before is None and offline is not unreadable and refused is not None
        if offline is not None:
            self._take_offline(log_dir, offline)
        return may_fail

    def _leave_out(self, each: PartitionStart) -> None:
        """Leave out the verdict on a file that this user may not read: Kafka's user may."""
        each.action, each.log, each.reason = None, None, _NOT_THIS_USER
        self.node.reads_all = False

    def _load(self, log_dir: LogDirStart, each: PartitionStart, recovery_point: int, log_start: int) -> None:
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
            index_interval_bytes=self._index_interval(each.topic),
        )
        stray = None if state == "delete" else self._stray(each, state)
        if state == "delete":
            each.action = "delete"
            each.reason = "Kafka deletes it after log.segment.delete.delay.ms"
        elif stray is not None:
            each.action, each.reason = "stray", stray
            each.is_made_anew = state == "live" and self._is_assigned(each)
        else:
            each.action, each.log = ("recover" if log.walked else "keep"), log
            each.reason = log.reason or log.why_walked(clean=log_dir.clean_shutdown)

    def _stray(self, each: PartitionStart, state: str) -> str | None:
        """Why a log is a stray, as `LogManager.isStrayKraftReplica` finds it; None if it is none."""
        if state == "stray":
            return "it was set aside as -stray before"
        if self.node.sets_all_aside:
            return EMPTY_CLUSTER
        if self._cluster is None:
            return None
        topic_id = each.topic_id()
        if topic_id is None:
            return "it has no topic id: partition.metadata is missing"
        topic = self._cluster.topic_by_id(topic_id)
        if topic is None:
            return f"the metadata log has no topic with id {topic_id}"
        partition = topic.partitions.get(each.partition if each.partition is not None else -1)
        if partition is None:
            return f"topic {topic.name} has no partition {each.partition}"
        node_id = self.node.node_id
        if node_id is not None and node_id not in partition.replicas:
            each.assigned_to = partition.replicas
            return f"it is assigned to other nodes: {', '.join(map(str, partition.replicas))}"
        return None

    def _is_assigned(self, each: PartitionStart) -> bool:
        """Whether the metadata log assigns a partition of this name to the node."""
        topic = (
            None if self._cluster is None or self.node.sets_all_aside else self._cluster.topics.get(each.topic or "")
        )
        partition = None if topic is None else topic.partitions.get(-1 if each.partition is None else each.partition)
        return partition is not None and self.node.node_id in partition.replicas

    def _index_interval(self, topic: str | None) -> int:
        if self._cluster is None or topic is None:
            return INDEX_INTERVAL_BYTES
        value = self._cluster.config("TOPIC", topic).get("index.interval.bytes", "")
        return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else INDEX_INTERVAL_BYTES

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
            message = f"java.io.IOException: Malformed line in checkpoint file [{entry.path}]"
            advice = of_checkpoint(name)
            return {}, offline or DirectoryOfflineError(message, entry.path, error.position, advice=advice)

    def _check_duplicates(self) -> None:
        places: dict[tuple[str | None, int | None], list[tuple[LogDirStart, PartitionStart]]] = defaultdict(list)
        for log_dir in self._log_dirs:
            for each in log_dir.partitions:
                if each.action in ("keep", "recover") and parse_partition_name(each.name).state == "live":
                    places[each.topic, each.partition].append((log_dir, each))
        for several in places.values():
            if len(several) > 1:
                paths = [each.path for _, each in several]
                for _, each in several[1:]:
                    each.action, each.log, each.reason = None, None, "the partition is in two log directories"
                advice = self._places.of_duplicate(self.node, [log_dir for log_dir, _ in several])
                self._block(
                    several[-1][0], f"the same partition is in {' and in '.join(paths)}", paths[-1], advice=advice
                )

    # -- the node ---------------------------------------------------------------------------------------------------

    def _judge_led(self) -> None:
        """Compare directory ids with those that the broker registered: a directory that is lost is one too few."""
        node, broker = self.node, self._broker
        if broker is None or not broker.log_dirs:
            return
        for log_dir in self._log_dirs:
            directory_id = None if log_dir.properties is None else log_dir.properties.directory_id
            log_dir.led = directory_id in broker.log_dirs
        absent = max(0, len(broker.log_dirs) - len(self._log_dirs))
        if all(each.is_named for each in self._log_dirs):  # those that are named one by one are all of log.dirs
            node.unnamed_dirs = absent
        else:
            node.absent_dirs = absent

    def _fails(self) -> bool:
        return any(log_dir.starts is False for log_dir in self._log_dirs)

    def _block(
        self, log_dir: LogDirStart, message: str, path: str, position: int | None = None, advice: str = ""
    ) -> None:
        blocker = Blocker(message, path, position, advice)
        log_dir.blockers.append(blocker)
        self._end()

    def _end(self) -> None:
        for log_dir in self._log_dirs:
            log_dir.starts = False
            log_dir.online = False

    @staticmethod
    def _take_offline(log_dir: LogDirStart, error: DirectoryOfflineError) -> None:
        log_dir.online = False
        log_dir.blockers.append(Blocker(error.message, error.path, error.position, error.advice, ends_start=False))
        for each in log_dir.partitions:
            each.action, each.reason, each.log = "offline", error.message, None


def _may_read(each: PartitionStart, path: str) -> bool:
    """Whether this user may read a file of a partition that nobody may by its mode: then Kafka's user may not."""
    entry = next((one for one in each.listing if one.path == path), None)
    try:
        if entry is not None:
            entry.location.open().close()
    except SourceError:
        return False
    return True


def _is_forbidden(error: SourceError) -> bool:
    return isinstance(error.__cause__, PermissionError)


def _is_controller(node: NodeStart) -> bool:
    return node.own is not None and node.node_id in voters_of(node.own)


def _is_named_by_kafka(name: str) -> bool:
    set_aside = name.endswith(("-delete", "-future", "-stray"))
    return not set_aside or _SET_ASIDE.fullmatch(name) is not None
