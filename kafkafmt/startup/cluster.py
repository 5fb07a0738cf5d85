"""The state of a cluster once all its nodes have started: leaders, truncations, and sound records not served.

`startup.node` starts each node alone; this module simulates how the started nodes interact.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.files.names import parse_partition_name
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.libraries import np
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.truncation import LogState, follow
from kafkafmt.startup.cluster_partition import (
    ClusterPartition,
    Condition,
    FollowingReplica,
    NodeCopy,
    count_served,
    is_damaged,
)
from kafkafmt.startup.controllers import ClusterNode, ElectedController, elect_controller
from kafkafmt.startup.courses import Course, by_controllers, by_doubt, by_order, by_session, by_step, orders
from kafkafmt.startup.elections import NO_LEADER, Elections
from kafkafmt.startup.held_records import END, HeldRecords, read_held
from kafkafmt.startup.topic_configs import index_interval_bytes
from kafkafmt.survey import PartitionSurvey

if TYPE_CHECKING:
    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.startup.outcome import LogDirStart, PartitionStart
    from kafkafmt.startup.reachable_metadata import ReachableMetadata
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_NEW_LOG = LogState(0, 0, None, ())


@dataclass
class ClusterStart:
    """The joint start of a cluster's nodes.

    Attributes:
        cluster_id: id of the cluster, or None.
        nodes: its nodes, by node id.
        quorum: the outcome for the controllers.
        partitions: the metadata log's partitions; without a metadata log, those on the disks.
        missing: brokers in the metadata log whose disks are not here.
    """

    cluster_id: str | None
    nodes: list[ClusterNode]
    quorum: ElectedController
    partitions: list[ClusterPartition]
    missing: tuple[int, ...] = ()


def start_clusters(
    nodes: "Sequence[NodeStart]", known: "ReachableMetadata", surveyed: Mapping[str, PartitionSurvey]
) -> list[ClusterStart]:
    """Start the nodes of each cluster that has several nodes here.

    Args:
        nodes: the nodes, each started alone.
        known: the metadata logs within reach.
        surveyed: the survey of the partition directories, by path.

    Raises:
        SourceError: a file cannot be read.
    """
    by_cluster: dict[str | None, dict[int, ClusterNode]] = defaultdict(dict)
    for each in nodes:
        if each.node_id is not None:
            log = each.metadata_log  # a node that does not start has not read its log
            own = known.of_log(log) if each.own is None and log is not None else each.own
            # The first copy of a node is used: a cluster has each node once.
            by_cluster[each.cluster_id].setdefault(each.node_id, ClusterNode(each.node_id, each, own))
    return [
        _Cluster(cluster_id, [found[number] for number in sorted(found)], surveyed, known.named).start()
        for cluster_id, found in by_cluster.items()
        if len(found) > 1
    ]


class _Cluster:
    def __init__(
        self,
        cluster_id: str | None,
        nodes: list[ClusterNode],
        surveyed: Mapping[str, PartitionSurvey],
        named: "ClusterMetadata | None",
    ) -> None:
        self._id = cluster_id
        self._nodes = {each.number: each for each in nodes}
        self._surveyed = surveyed
        self._quorum = elect_controller(nodes, named)
        self._directories: dict[tuple[str, int], list[tuple[ClusterNode, PartitionStart]]] = defaultdict(list)
        for node in nodes:
            for each in node.partitions:
                if each.topic is not None and each.partition is not None and each.topic != CLUSTER_METADATA:
                    self._directories[each.topic, each.partition].append((node, each))

    def start(self) -> ClusterStart:
        """Elect leaders, let the other replicas follow, and count records."""
        cluster = self._quorum.metadata
        courses = list(self._courses())
        keys = courses[0].elected if cluster is not None else sorted(self._directories)
        partitions = [self._partition(*key, courses) for key in keys]
        if cluster is None:
            partitions = [each for each in partitions if each.copies]
        missing = () if cluster is None else tuple(each for each in cluster.brokers if each not in self._nodes)
        return ClusterStart(self._id, list(self._nodes.values()), self._quorum, partitions, missing)

    def _courses(self) -> Iterator[Course]:
        """The possible starts: by the order of nodes, the controllers that are up first, and without doubtful nodes."""
        nodes = [node for node in self._nodes.values() if node.starts]
        cluster = self._quorum.metadata
        if cluster is None:
            yield Course(frozenset(node.number for node in nodes), {})
            return
        yield self._course(cluster, nodes)
        if self._quorum.is_lost:
            return
        for number, metadata in enumerate(self._quorum.possible or [cluster]):
            for order in orders(nodes):
                condition = by_controllers(metadata) if number else by_order(order)
                yield self._course(metadata, order, condition)
        for node in self._early(cluster, nodes):
            order = [node, *(each for each in nodes if each is not node)]
            yield self._course(cluster, order, by_session(node), early=node.number)
        doubtful = [node for node in nodes if node.start.is_doubtful]
        if doubtful:
            certain = [node for node in nodes if node not in doubtful]
            yield self._course(cluster, certain, by_doubt(doubtful))

    def _course(
        self,
        cluster: "ClusterMetadata",
        nodes: Sequence[ClusterNode],
        condition: Condition | None = None,
        early: int | None = None,
    ) -> Course:
        elections = Elections(cluster, self._configured)
        up = frozenset(node.number for node in nodes)
        has_quorum = not self._quorum.is_lost and self._quorum.is_elected_by(up)
        if has_quorum:
            elections.run((node.broker for node in nodes), early)
        ids = {topic.name: topic.id for topic in cluster.topics.values()}
        return Course(up, elections.partitions, ids, has_quorum, condition)

    def _early(self, cluster: "ClusterMetadata", nodes: Sequence[ClusterNode]) -> Sequence[ClusterNode]:
        """Nodes that may register before the controller ends the sessions of others that were killed, too."""
        expiring = set(Elections(cluster, self._configured).expiring())
        return [node for node in nodes if node.number in expiring and len(expiring) > 1]

    def _configured(self, topic: str, name: str) -> str | None:
        """A config of a topic: its own, or the default for all brokers."""
        cluster = self._quorum.metadata
        if cluster is None:
            return None
        value = cluster.config("TOPIC", topic).get(name) or cluster.config("BROKER", "").get(name)
        return value if isinstance(value, str) else None

    def _partition(self, topic: str, number: int, courses: Sequence[Course]) -> ClusterPartition:
        first = courses[0]
        copies = list(self._copies(topic, number, first.topic_ids.get(topic)))
        _note_right_log(copies)
        known: dict[object, ClusterPartition] = {}
        for course in courses:
            key = course.key(topic, number)
            if key not in known:
                known[key] = self._in_course(topic, number, copies, course)
        found = known[first.key(topic, number)]
        # A partition that no disk here holds loses nothing in any order.
        for course in courses if copies else ():
            if course.condition is not None:
                found.compare(known[course.key(topic, number)], course.condition)
        return found

    def _in_course(self, topic: str, number: int, copies: list[NodeCopy], course: Course) -> ClusterPartition:
        found = self._outcome(topic, number, copies, course)
        node = None if found.leader is None else self._nodes.get(found.leader)
        failing = None if node is None else self._failing(node, course)
        if node is None or failing is None:
            return found
        unserved = self._outcome(topic, number, copies, course, is_unserved=True)
        if found.leading is not None and found.leading.is_unserved:
            return unserved
        found.compare(unserved, by_step(node, failing.path))
        return found

    @staticmethod
    def _failing(node: ClusterNode, course: Course) -> "LogDirStart | None":
        """A log directory at whose partitions a node fails to lead; None if it is to lead none of them."""
        led = {key for key, each in course.elected.items() if each.leader == node.number}
        return next(
            (
                each
                for each in node.log_dirs
                if each.online and each.unserved is not None
                if any((one.topic, one.partition) in led for one in each.partitions if one.is_live)
            ),
            None,
        )

    def _outcome(
        self, topic: str, number: int, copies: list[NodeCopy], course: Course, *, is_unserved: bool = False
    ) -> ClusterPartition:
        found = ClusterPartition(topic, number, copies=copies, is_unserved=is_unserved)
        elected = course.elected.get((topic, number))
        if elected is not None:
            leads = course.has_quorum and elected.leader != NO_LEADER
            if leads:
                self._lead(found, elected.leader, course)
            found.followers = [
                self._follower(found, node, course) for node in elected.replicas if not leads or node != elected.leader
            ]
            if leads:
                caught_up = elected.isr if is_unserved else [elected.leader, *self._catching_up(found)]
                found.in_sync = sorted(caught_up)
        count_served(found)
        return found

    def _copies(self, topic: str, number: int, topic_id: str | None) -> Iterator[NodeCopy]:
        for node, each in self._directories.get((topic, number), ()):
            surveyed = self._surveyed.get(each.path)
            if each.action == "delete" or parse_partition_name(each.name).state == "delete":
                continue
            own_id = _topic_id(each)
            is_right = topic_id is None or own_id in (None, topic_id)
            copy = NodeCopy(node, each, surveyed, partial(self._held, surveyed, topic), is_right)
            copy.state = _state(copy)
            yield copy

    def _held(self, surveyed: PartitionSurvey | None, topic: str) -> HeldRecords | None:
        if surveyed is None or surveyed.directory is None:
            return None
        policy = self._configured(topic, "cleanup.policy") or ""
        checks = is_damaged(surveyed)
        with suppress(KafkafmtError):  # the survey has reported the error
            return read_held(surveyed.directory, Limits(), verify_checksums=checks, has_gaps="compact" in policy)
        return None

    # -- one partition ----------------------------------------------------------------------------------------------

    @staticmethod
    def _live(found: ClusterPartition, node: int, course: Course) -> NodeCopy | None:
        """The log of the partition that a node has loaded, or None."""
        return next(
            (
                each
                for each in found.copies
                if each.node.number == node and each.state is not None and node in course.up and each.start.is_live
            ),
            None,
        )

    def _lead(self, found: ClusterPartition, node: int, course: Course) -> None:
        found.leader, found.leading = node, self._live(found, node, course)
        state = None if found.leading is None else found.leading.state
        found.log_end_offset = 0 if state is None else state.end
        log = None if found.leading is None else found.leading.in_log
        if log is not None and state is not None and log.damaged:
            before = log.up_to_damage().batches
            found.stops_at = int(before["last"].max()) + 1 if len(before) else state.start

    def _follower(self, found: ClusterPartition, node: int, course: Course) -> FollowingReplica:
        of_node = self._nodes.get(node)
        if of_node is None or node not in course.up or self._is_offline(found, of_node):
            return FollowingReplica(node)
        copy = self._live(found, node, course)
        state = _NEW_LOG if copy is None or copy.state is None else copy.state
        # A follower asks its leader where to cut its log; in an unserved directory it does not get that far.
        if found.leader is None or found.is_unserved or (copy is not None and copy.is_unserved):
            return FollowingReplica(node, copy, state.end)
        leading = found.leading.state if found.leading is not None else None
        has_stray = copy is None and any(each.node is of_node for each in found.copies)
        return FollowingReplica(node, copy, state.end, follow(leading or _NEW_LOG, state), has_stray)

    @staticmethod
    def _is_offline(found: ClusterPartition, node: ClusterNode) -> bool:
        return any(each.start.action == "offline" and each.node is node for each in found.copies)

    def _catching_up(self, found: ClusterPartition) -> Iterator[int]:
        """Followers that reach the end of the leader's log; damage before it, or their own offset index, stops them."""
        for each in found.followers:
            is_stopped = each.truncation is None or (
                found.stops_at is not None and each.truncation.end <= found.stops_at
            )
            if not is_stopped and not self._refuses(found, each):
                yield each.node

    def _refuses(self, found: ClusterPartition, follower: FollowingReplica) -> bool:
        """Whether a follower's offset index ends above the offsets it appends, so that it refuses the next entry.

        `OffsetIndex.append` raises InvalidOffsetException; the fetcher marks the partition as failed. Only cutting the
        log cuts the index.
        """
        log = None if follower.copy is None else follower.copy.start.log
        if log is None or follower.truncate_to is not None or log.last_indexed < log.log_end_offset:
            return False
        leading = None if found.leading is None else found.leading.in_log
        if leading is None:
            return False
        fetched = leading.batches[leading.batches["last"] >= log.log_end_offset]
        before = np.cumsum(fetched["size"]) - fetched["size"]
        due = fetched["last"][before > index_interval_bytes(self._quorum.metadata, found.topic)]
        return len(due) > 0 and bool(due[0] <= log.last_indexed)


def _topic_id(each: "PartitionStart") -> str | None:
    with suppress(KafkafmtError):
        return each.topic_id()
    return None


def _state(copy: NodeCopy) -> LogState | None:
    """A copy's log after the node's own start, with the leader epochs that recovery adds from the batches."""
    log, surveyed = copy.start.log, copy.surveyed
    if log is None or surveyed is None or copy.start.action not in ("keep", "recover"):
        return None
    known, high_watermark = surveyed.facts.leader_epochs, surveyed.facts.high_watermark
    if copy.start.is_promoted and surveyed.directory is not None:  # the survey reads no file of directories set aside
        with suppress(KafkafmtError):
            high_watermark = surveyed.directory.high_watermark
            known = tuple((each.epoch, each.start_offset) for each in surveyed.directory.leader_epochs)
    entries = list(EpochHistory(EpochEntry(*each) for each in known).entries)
    entries += [EpochEntry(*each) for each in log.added_epochs]
    return LogState.of(log.log_start_offset, log.log_end_offset, high_watermark, entries)


def _note_right_log(copies: Sequence[NodeCopy]) -> None:
    """Find where each copy diverges from the right log: the one with the newest leader epoch, then the highest end."""
    states = [(each, _on_disk(each)) for each in copies if each.is_right]
    best = max((state for _, state in states), key=lambda state: (_last_epoch(state), state.end), default=None)
    for each, state in states:
        if best is not None and state is not best:
            each.belongs = follow(best, state).end if state.epochs and best.epochs else END


def _on_disk(copy: NodeCopy) -> LogState:
    """A copy's log on the disk, before any start."""
    entries: list[EpochEntry] = []
    if copy.surveyed is not None:
        entries = [EpochEntry(*each) for each in copy.surveyed.facts.leader_epochs]
        facts = copy.surveyed.facts
        if entries and not copy.is_damaged and facts.log_start_offset is not None and facts.log_end_offset is not None:
            return LogState.of(facts.log_start_offset, facts.log_end_offset, None, EpochHistory(entries).entries)
    if copy.held is None or not len(copy.held.batches):
        return LogState.of(0, 0, None, ())
    first, end = int(copy.held.batches["first"].min()), int(copy.held.batches["last"].max()) + 1
    known = list(EpochHistory(entries).entries) or [EpochEntry(*each) for each in copy.held.epochs()]
    return LogState.of(min(first, end), end, None, known)


def _last_epoch(state: LogState) -> int:
    return state.epochs[-1][0] if state.epochs else -1
