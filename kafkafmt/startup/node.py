"""The start of a node: what Kafka's `MetaPropertiesEnsemble`, `LogManager` and `KafkaRaftLog` do with its log.dirs."""

from base64 import urlsafe_b64decode
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.errors import CorruptError, DataError, KafkafmtError, SourceError
from kafkafmt.files import meta_properties
from kafkafmt.files.names import PARTITION_METADATA
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.startup.abandoned_futures import complete_moves
from kafkafmt.startup.bootstrap import check_bootstrap
from kafkafmt.startup.elections import is_online
from kafkafmt.startup.metadata_log import elected_in, load_metadata_log
from kafkafmt.startup.node_logs import NodeLogs, is_forbidden
from kafkafmt.startup.node_start import NodeStart, voters_of
from kafkafmt.startup.outcome import BrokerError, Configured, DirectoryOfflineError, LogDirStart, PartitionStart
from kafkafmt.startup.places import Places
from kafkafmt.startup.quorum import decide_by_quorum, judge_without_log
from kafkafmt.startup.reachable_metadata import newest_first, same_cluster
from kafkafmt.startup.topic_configs import broker_configs, refused_configs
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP

if TYPE_CHECKING:
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.startup.reachable_metadata import ReachableMetadata
    from kafkafmt.startup.topic_configs import Configs
    from kafkafmt.topics.cluster_metadata import BrokerRegistration, ClusterMetadata

_ORDER = "starts or ends at once: that depends on the order in which the file system lists directories"
_NOT_OF_A_NODE = "has no meta.properties, so whether it starts is not known (copied partitions, or a Kafka before 0.9)"
_RESERVED_IDS = 100
_NOT_READ = "cannot be judged: this user may not read all of its files; run as Kafka's user"


def start(
    nodes: Sequence[NodeStart],
    configured: Configured,
    known: "ReachableMetadata",
    end_on_disk: "Callable[[PartitionStart], int | None]",
) -> None:
    """Start all nodes on their log directories, and fill in the outcome.

    Args:
        nodes: the nodes; one's metadata log is used for the others of its cluster, too.
        configured: the node's configuration, if the directories are of one node.
        known: the metadata logs within reach.
        end_on_disk: function that returns the offset after the last sound batch of a partition.

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
        self._logs = NodeLogs(node, places, end_on_disk)
        self._is_known = False

    def run(self, step: "Callable[[], None]") -> None:
        """Run a step of the start, up to a file that this user may not read, although Kafka's user may.

        Raises:
            SourceError: a file cannot be read, although its permissions allow it.
        """
        try:
            step()
        except SourceError as error:
            if not is_forbidden(error):
                raise
            self.node.reads_all = False
        if not self.node.reads_all and not self.node.fails:
            self.node.decide(starts=None, undecided=_NOT_READ)

    def begin(self) -> None:
        """Run the steps up to the load of the metadata log, each of which may end the start."""
        self._is_known = self._is_of_a_node()
        if self._is_known:
            self._check_properties()
        if self.node.fails:
            return
        self._check_places()
        if self.node.fails:
            return
        with_log = next(
            ((each, one) for each in self._log_dirs for one in each.partitions if one.is_metadata_log), (None, None)
        )
        of_metadata = self._of_metadata_log()
        if self._is_known and of_metadata is not None:
            self._check_bootstrap(of_metadata)
        if self.node.fails:
            return
        self._load_metadata_log(*with_log)
        if with_log[1] is not None and with_log[1].log is not None:
            self.node.own = self._known.of_log(with_log[1])
            self.node.configs = self._broker_configs(with_log[1])
            self.node.elected = elected_in(with_log[1])

    def finish(self, others: "Sequence[_Start]") -> None:
        """Run the remaining steps.

        Args:
            others: the starts of all nodes, each of which has run `begin`.
        """
        if not self.node.fails:
            self._logs.check_names()
        if self.node.fails or not self.node.reads_all:
            return
        loaded = [each for each in self._log_dirs if each.online]
        metadata_log = self.node.metadata_log
        cluster = self.node.cluster = self._metadata(others)
        if metadata_log is None and self._is_known:
            judge_without_log(self.node, [each.node for each in others], self._known.named_nodes)
        elif cluster is None:
            self.node.judges_strays = False
        self._check_configs()
        if self.node.fails:
            return
        self._judge_led()
        self.node.fails_in_logs = True
        may_fail = False
        for log_dir in loaded:
            may_fail |= self._logs.load(log_dir)
        self._logs.check_duplicates()
        of_metadata = self._of_metadata_log()
        if of_metadata is not None and not of_metadata.online:
            self.node.end()
        if self.node.fails:
            if metadata_log is not None and metadata_log.action != "offline":
                metadata_log.action, metadata_log.log = None, None
        elif not self._is_known:
            self.node.decide(starts=None, undecided=_NOT_OF_A_NODE)
        elif may_fail:
            self.node.decide(starts=None, undecided=_ORDER)
        if not self.node.fails:
            complete_moves(self.node)

    def _of_metadata_log(self) -> LogDirStart | None:
        """The directory of the metadata log (`metadata.log.dir`), which must not go offline.

        A lost one is made in the first of log.dirs, which may be among those that are not here: then None.
        """
        holders = (each for each in self._log_dirs if any(one.is_metadata_log for one in each.partitions))
        registered = () if self._broker is None else self._broker.log_dirs
        is_here = self._is_known and len(registered) <= len(self._log_dirs)
        return next(holders, self._log_dirs[0] if is_here else None)

    @property
    def _broker(self) -> "BrokerRegistration | None":
        """The broker's registration in the metadata log."""
        node_id = self.node.node_id
        cluster = self.node.cluster
        return None if cluster is None or node_id is None else cluster.brokers.get(node_id)

    def _metadata(self, others: "Iterable[_Start]") -> "ClusterMetadata | None":
        """The newest metadata of the cluster: a node gets that of its controllers before it loads its logs."""
        cluster_id = self._configured.cluster_id or self.node.cluster_id
        own = self.node.own
        found = [own, self._known.named]
        # A node without its own metadata log may use that of any node.
        found += (each.node.own for each in others if own is None or _is_controller(each.node))
        return next(
            iter(
                newest_first(each for each in found if each is not None and same_cluster(cluster_id, each.cluster_id))
            ),
            None,
        )

    def _is_of_a_node(self) -> bool:
        """Whether these are log.dirs of Kafka 2.8 or later, not copied partitions or directories of older brokers."""
        of_nodes = [each for each in self._log_dirs if each.directory.is_of_a_node]
        if any(each.directory.has(META_PROPERTIES) or not each.partitions for each in of_nodes):
            return True
        partitions = [one for each in self._log_dirs for one in each.partitions] if of_nodes else []
        return any(each.location.child(PARTITION_METADATA).is_file() for each in partitions)

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
                self.node.block(
                    log_dir, f"no node id in {path}", path, advice="add the line node.id=, as in the other log.dirs"
                )
                continue
            if node_id is not None and node_id != found:
                message = f"node id {found} in {path}, but the node is {node_id}"
                self.node.block(log_dir, message, path, advice=self._places.of_node_id(self.node, node_id, log_dir))
            if properties.cluster_id is None:
                self.node.block(
                    log_dir,
                    f"no cluster id in {path}",
                    path,
                    advice="add the line cluster.id=, as in the other log.dirs",
                )
                continue
            if cluster_id not in (None, properties.cluster_id):
                message = f"cluster id {properties.cluster_id} in {path}, but the cluster is {cluster_id}"
                self.node.block(log_dir, message, path, advice=self._places.of_cluster_id(node_id, cluster_id, log_dir))
            node_id = found if node_id is None else node_id
            cluster_id = properties.cluster_id if cluster_id is None else cluster_id
            if properties.directory_id is not None and _is_reserved(properties.directory_id):
                message = f"directory id {properties.directory_id} in {path} is one of those that Kafka reserves"
                advice = "write the directory.id of the metadata log, or none: then Kafka makes a new one"
                self.node.block(log_dir, message, path, advice=advice)
            elif properties.directory_id is not None:
                other = by_id.setdefault(properties.directory_id, log_dir)
                if other is not log_dir:
                    message = f"directory id {properties.directory_id} in {path}, which {other.path} has too"
                    advice = self._places.of_directory_id(self.node, log_dir, other)
                    self.node.block(log_dir, message, path, advice=advice)

    def _properties(self, log_dir: LogDirStart, path: str) -> "MetaProperties | None":
        found = (each for each in log_dir.directory.listing if each.name == META_PROPERTIES)
        entry = next((each for each in found if each.is_file or each.is_directory), None)
        if entry is None:
            if log_dir.is_missing:
                message, path = f"the log directory {log_dir.path} does not exist", log_dir.path
            else:
                message = f"no {META_PROPERTIES} in {log_dir.path}"
            self.node.block(log_dir, message, path, advice=self._places.of_lost_properties(self.node, log_dir))
            return None
        try:
            if entry.is_directory:
                raise CorruptError("it is a directory", file=path)
            return meta_properties.read(entry.location)
        except DataError as error:
            message = f"{META_PROPERTIES} cannot be read: {error.message}"
            advice = self._places.of_lost_properties(self.node, log_dir)
            if log_dir is self._of_metadata_log():
                self.node.block(log_dir, message, path, error.position, advice)
            else:  # `MetaPropertiesEnsemble.Loader` treats any exception as an I/O error of the directory
                log_dir.take_offline(DirectoryOfflineError(message, path, error.position, advice=advice))
            return None

    # -- the metadata log -------------------------------------------------------------------------------------------

    def _check_places(self) -> None:
        """Refuse a metadata log outside `metadata.log.dir`: of several metadata logs, at least one is outside."""
        readable = [each for each in self._log_dirs if each.properties is not None]
        found = [(each, one) for each in readable for one in each.partitions if one.is_metadata_log]
        for log_dir, log in found[1:]:
            self.node.block(
                log_dir,
                f"KafkaException: Found unexpected metadata location in data directory {log.path} (another metadata "
                f"log is {found[0][1].path})",
                log.path,
                advice="keep the one in metadata.log.dir, by default the first of log.dirs, and move the other away",
            )

    def _check_bootstrap(self, log_dir: LogDirStart) -> None:
        """Read bootstrap.checkpoint in the directory of the metadata log only, as Kafka does."""
        entry = next((each for each in log_dir.directory.listing if each.name == BOOTSTRAP and each.is_file), None)
        if entry is not None:
            try:
                check_bootstrap(entry)
            except BrokerError as error:
                self.node.block(log_dir, error.message, error.path, error.position, error.advice)

    def _load_metadata_log(self, log_dir: LogDirStart | None, log: PartitionStart | None) -> None:
        if log_dir is None or log is None:
            return
        try:
            load_metadata_log(log)
        except DirectoryOfflineError as error:
            log_dir.take_offline(error)
        except BrokerError as error:
            log.action, log.log = None, None
            self.node.block(log_dir, error.message, error.path, error.position, error.advice)

    def _broker_configs(self, log: PartitionStart) -> "Configs":
        """`readDynamicBrokerConfigsFromSnapshot`: only the newest snapshot counts until the logs are loaded."""
        snapshot, node_id = self._known.newest_snapshot(log), self.node.node_id
        return {} if snapshot is None or node_id is None else broker_configs(snapshot, node_id)

    def _check_configs(self) -> None:
        """`LogManager.fetchTopicConfigOverrides`: a config that Kafka 4 refuses ends every broker of the cluster."""
        log, cluster = self.node.metadata_log, self.node.cluster
        if cluster is None or self.node.sets_all_aside or (self.node.is_controller and not self._has_partitions()):
            return
        for topic, name, message in refused_configs(cluster):
            path = cluster.provenance.path if log is None else log.path
            advice = (
                f"start Kafka 3.9 on it, and set {name} of topic {topic} with kafka-configs.sh: "
                "the metadata log cannot be changed by hand"
            )
            blocked = next((each for each in self._log_dirs if log in each.partitions), self._log_dirs[0])
            self.node.block(blocked, f"ConfigException: {message} (topic {topic})", path, advice=advice)

    def _has_partitions(self) -> bool:
        return any(not each.is_metadata_log for log_dir in self._log_dirs for each in log_dir.partitions)

    # -- the node ---------------------------------------------------------------------------------------------------

    def _judge_led(self) -> None:
        """Find partitions that no election lets lead: the metadata log has them in a directory that is not here."""
        node, broker = self.node, self._broker
        if broker is None or not broker.log_dirs:
            return
        here = {None if each.properties is None else each.properties.directory_id for each in self._log_dirs}
        for log_dir in self._log_dirs:
            if log_dir.properties is not None or log_dir.online:
                directory_id = None if log_dir.properties is None else log_dir.properties.directory_id
                log_dir.is_registered = directory_id in broker.log_dirs
                log_dir.without_leader = sum(self._is_unled(each, here) for each in log_dir.partitions)
                is_new = not log_dir.is_registered and not here.issuperset(broker.log_dirs)
                log_dir.led = not (is_new if log_dir.is_empty else log_dir.without_leader)
        absent = max(0, len(broker.log_dirs) - len(self._log_dirs))
        if all(each.is_named for each in self._log_dirs):  # directories named one by one are all of log.dirs
            node.unnamed_dirs = absent
        else:
            node.absent_dirs = absent

    def _is_unled(self, each: "PartitionStart", here: "Collection[str | None]") -> bool:
        """Whether a partition is this node's, but in another log directory than those that are here."""
        cluster, node_id = self.node.cluster, self.node.node_id
        topic = None if cluster is None or each.topic is None else cluster.topics.get(each.topic)
        of_topic = None if topic is None or each.partition is None else topic.partitions.get(each.partition)
        directory = None if of_topic is None or node_id is None else of_topic.directory_of(node_id)
        if topic is None or directory is None or not each.is_live or is_online(directory, here):
            return False
        with suppress(KafkafmtError):
            return each.topic_id() in (None, topic.id)
        return False


def _is_reserved(directory_id: str) -> bool:
    """Whether Kafka reserves a directory id for a meaning of its own, such as "lost" (`DirectoryId.reserved`)."""
    return int.from_bytes(urlsafe_b64decode(f"{directory_id}=="), "big") < _RESERVED_IDS


def _is_controller(node: NodeStart) -> bool:
    return node.own is not None and node.node_id in voters_of(node.own)
