"""The elections of a start: leaders and in-sync replicas, from the metadata log's state until all nodes are up.

Follows the controller of Kafka 4.x: `ClusterControlManager.registerBroker`, `BrokerHeartbeatTracker`,
`ReplicationControlManager.generateLeaderAndIsrUpdates` and `PartitionChangeBuilder`, with eligible leader replicas
(KIP-966) where the cluster has them. Checked against Kafka 4.4.0.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafkafmt.topics.cluster_metadata.topics import MIGRATING

if TYPE_CHECKING:
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration

NO_LEADER: Final = -1

_ELR_FEATURE: Final = "eligible.leader.replicas.version"
_UNASSIGNED: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
_LOST: Final = "AAAAAAAAAAAAAAAAAAAAAg"

_INT64: Final = (1 << 64) - 1
_INT32: Final = (1 << 32) - 1
# The multiplier of Kafka's `BaseHashTable` and the initial size of Java's `ConcurrentHashMap` decide the order.
_FIBONACCI: Final = 0x9E3779B97F4A7C15
_LEAST_BINS: Final = 16


@dataclass(frozen=True, slots=True)
class StartingBroker:
    """A broker that registers.

    Attributes:
        node: its node id.
        directories: ids of its log directories that are online.
        has_offline: whether it also has an offline log directory.
        clean_epoch: its broker epoch at a clean shutdown, if all its log directories agree; else None.
    """

    node: int
    directories: frozenset[str]
    has_offline: bool
    clean_epoch: int | None


@dataclass(slots=True)
class ElectedPartition:
    """A partition as the controller changes it.

    Attributes:
        replicas: node ids, the preferred leader first.
        isr: node ids of the in-sync replicas.
        leader: node id, or `NO_LEADER`.
        elr: eligible leader replicas.
        last_known_leader: the last known leader (lastKnownElr).
        directories: directory id of each replica, by node id.
        min_isr: `min.insync.replicas`, at most the number of replicas.
        is_unclean: whether a replica that is out of sync may lead (`unclean.leader.election.enable`).
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    elr: tuple[int, ...]
    last_known_leader: tuple[int, ...]
    directories: dict[int, str]
    min_isr: int
    is_unclean: bool


class Elections:
    """The controller's view of brokers and partitions, from the end of its log on.

    Args:
        cluster: metadata of the elected controller.
        configured: function that returns the config of a topic in force, or None.

    Attributes:
        partitions: the partitions by topic and number.
    """

    def __init__(self, cluster: "ClusterMetadata", configured: Callable[[str, str], str | None]) -> None:
        self._cluster = cluster
        self._has_elr = cluster.features.get(_ELR_FEATURE, 0) > 0
        self._active = {
            node for node, each in cluster.brokers.items() if not each.fenced and not each.in_controlled_shutdown
        }
        self._online = {node: frozenset(each.log_dirs) for node, each in cluster.brokers.items()}
        self.partitions = {
            (topic.name, number): _partition(each, topic.name, topic.replication_factor, configured)
            for topic in cluster.topics.values()
            for number, each in topic.partitions.items()
        }

    def run(self, brokers: Iterable[StartingBroker], early: int | None = None) -> None:
        """Expire the sessions of killed brokers, then register and unfence the starting ones in the given order.

        A broker's new incarnation is refused until the session of the old one has expired. The controller
        looks for expired sessions eight times a session: a broker that registers in between is the first to leave the
        in-sync replicas.

        Args:
            brokers: those that start.
            early: node id of one of them that does so.
        """
        brokers = list(brokers)
        for broker in brokers:
            if broker.node == early:
                self._register(broker)
        for node in self.expiring():
            if node != early:
                self._fence(node)
        for broker in brokers:
            if broker.node != early:
                self._register(broker)
            self._unfence(broker.node)
            self._assign(broker)
        for each in self._without_leader():
            if each.is_unclean:
                self._change(each, each.isr, self._active.__contains__)

    def expiring(self) -> Iterator[int]:
        """Brokers with a session, in the order in which the sessions expire: that of the controller's hash maps."""
        registered = list(self._cluster.brokers.values())
        capacity = 2
        while len(registered) * 3 > capacity * 4:
            capacity *= 2
        registered.sort(key=lambda each: (each.id * _FIBONACCI & _INT64) * capacity >> 64)
        tracked = [each for each in registered if not each.fenced]
        bins = _LEAST_BINS
        while len(tracked) * 4 >= bins * 3:
            bins *= 2

        def slot(node: int, epoch: int) -> int:
            code = (31 * node + (epoch ^ epoch >> 32)) & _INT32
            return (code ^ code >> 16) & (bins - 1)

        tracked.sort(key=lambda each: slot(each.id, each.epoch))
        return (each.id for each in tracked)

    # -- events of a broker -----------------------------------------------------------------------------------------

    def _fence(self, node: int) -> None:
        """`handleBrokerFenced`."""
        for each in self._with_isr(node):
            self._change(each, _without(each.isr, node), lambda other: other != node and other in self._active)
        self._active.discard(node)

    def _register(self, broker: StartingBroker) -> None:
        """`registerBroker`: after an unclean shutdown a broker is no longer an eligible leader."""
        node = broker.node
        registered = self._cluster.brokers.get(node)
        is_clean = broker.clean_epoch is not None and registered is not None and broker.clean_epoch == registered.epoch

        def is_acceptable(other: int) -> bool:
            return other != node and other in self._active

        if registered is not None:
            unclean = node if self._has_elr and not is_clean else None
            for each in self._with_isr(node):
                self._change(each, _without(each.isr, node), is_acceptable, unclean)
            if unclean is not None:
                for each in self.partitions.values():
                    if node in each.elr:
                        self._change(each, each.isr, is_acceptable, unclean)
        self._active.discard(node)
        self._online[node] = broker.directories

    def _unfence(self, node: int) -> None:
        """`handleBrokerUnfenced`: partitions without a leader may get one."""
        self._active.add(node)
        for each in self._without_leader():
            self._change(each, each.isr, self._active.__contains__)

    def _assign(self, broker: StartingBroker) -> None:
        """`handleAssignReplicasToDirs`: a broker recreates the replicas of lost directories in other ones.

        The new logs are empty, unless an offline directory may have the old ones
        (`Partition.createLogInAssignedDirectoryId`). The broker reports the new directories once it is unfenced, which
        does not elect a leader (`LeaderAcceptor` has used the directory before); the next unfenced broker causes the
        election.
        """
        if not broker.has_offline:
            for each in self.partitions.values():
                if broker.node in each.replicas and not self._has_directory(each, broker.node):
                    each.directories[broker.node] = _UNASSIGNED

    def _with_isr(self, node: int) -> list[ElectedPartition]:
        return [each for each in self.partitions.values() if node in each.isr]

    def _without_leader(self) -> list[ElectedPartition]:
        return [each for each in self.partitions.values() if each.leader == NO_LEADER]

    # -- events of a partition --------------------------------------------------------------------------------------

    def _change(
        self,
        each: ElectedPartition,
        isr: tuple[int, ...],
        is_active: Callable[[int], bool],
        unclean_shutdown: int | None = None,
    ) -> None:
        """`PartitionChangeBuilder.build`, after a change of the in-sync set or of the brokers that can lead."""
        elr: tuple[int, ...] = ()
        if self._has_elr and len(isr) < each.min_isr:
            candidates = sorted({*each.elr, *each.isr} - set(isr))
            elr = tuple(node for node in candidates if node != unclean_shutdown)
        leader, is_unclean = self._elect(
            each, isr, elr, lambda node: is_active(node) and self._has_directory(each, node)
        )
        if leader != each.leader:
            if leader in elr:
                isr, elr = (leader,), _without(elr, leader)
            elif is_unclean:
                isr, elr = (leader,), ()
            if leader == NO_LEADER and not each.last_known_leader and self._has_elr:
                each.last_known_leader = (each.leader,)
            elif leader != NO_LEADER:
                each.last_known_leader = ()
        each.leader, each.elr = leader, elr
        if isr or self._has_elr:
            each.isr = isr

    def _elect(
        self, each: ElectedPartition, isr: tuple[int, ...], elr: tuple[int, ...], can_lead: Callable[[int], bool]
    ) -> tuple[int, bool]:
        """`electAnyLeader`: the leader, and whether its election is unclean."""
        eligible = isr or elr
        for node in (each.leader, *each.replicas):
            if node in eligible and can_lead(node):
                return node, False
        if self._has_elr and not eligible and len(each.last_known_leader) == 1 and can_lead(each.last_known_leader[0]):
            return each.last_known_leader[0], True
        if each.is_unclean:
            for node in each.replicas:
                if can_lead(node):
                    return node, True
        return NO_LEADER, False

    def _has_directory(self, each: ElectedPartition, node: int) -> bool:
        """Whether the log directory of a replica is among those of its broker."""
        return is_online(each.directories.get(node, _LOST), self._online.get(node, frozenset()))


def is_online(directory: str, online: "Collection[str | None]") -> bool:
    """Whether a replica that the metadata log has in a log directory can lead (`DirectoryId.isOnline`).

    Args:
        directory: id of the log directory.
        online: ids of the log directories of its broker; empty if they are unknown.
    """
    return directory in (MIGRATING, _UNASSIGNED) or (directory != _LOST and (not online or directory in online))


def _partition(
    each: "PartitionRegistration", topic: str, replication_factor: int, configured: Callable[[str, str], str | None]
) -> ElectedPartition:
    minimum = configured(topic, "min.insync.replicas") or ""
    return ElectedPartition(
        replicas=each.replicas,
        isr=each.isr,
        leader=each.leader,
        elr=each.elr,
        last_known_leader=each.last_known_elr,
        directories=dict(zip(each.replicas, each.directories, strict=False)),
        min_isr=min(int(minimum) if minimum.isascii() and minimum.isdigit() else 1, replication_factor),
        is_unclean=configured(topic, "unclean.leader.election.enable") == "true",
    )


def _without(nodes: tuple[int, ...], node: int) -> tuple[int, ...]:
    return tuple(each for each in nodes if each != node)
