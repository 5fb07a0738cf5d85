"""What a cluster does once all its nodes have started: who leads, who cuts, and which sound records nobody serves.

Each node was started by itself before (`startup.node`); here is what happens between them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.leader_epoch_checkpoint import EpochEntry
from kafkafmt.files.names import parse_partition_name
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.leader_epochs import EpochHistory
from kafkafmt.logdir.truncation import LogState, Truncation, follow
from kafkafmt.startup.controllers import ClusterNode, ElectedController, elect_controller
from kafkafmt.startup.elections import NO_LEADER, ElectedPartition, Elections
from kafkafmt.startup.held_records import END, HeldRecords, clipped, common, outside, read_held, united
from kafkafmt.survey import FINDING, PartitionSurvey

if TYPE_CHECKING:
    from kafkafmt.startup.held_records import Range
    from kafkafmt.startup.nodes import NodeStart
    from kafkafmt.startup.outcome import PartitionStart
    from kafkafmt.startup.reachable_metadata import ReachableMetadata
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_NEW_LOG = LogState(0, 0, None, ())
_DAMAGE = ("checksum", "corrupt", "truncated", "unsupported", "limit_exceeded", "offset")


@dataclass(eq=False)
class NodeCopy:
    """A directory of a partition on a node.

    Attributes:
        node: the node.
        start: what becomes of it.
        surveyed: what was found in it.
        read: reads its sound records.
        is_right: whether it is of the topic as the metadata log has it.
        belongs: the offset from which on its records are not those of the right log.
        state: the log after the node's own start; None if it is not loaded.
    """

    node: ClusterNode
    start: "PartitionStart"
    surveyed: PartitionSurvey | None
    read: Callable[[], HeldRecords | None]
    is_right: bool
    belongs: int = END
    state: LogState | None = None

    @cached_property
    def held(self) -> HeldRecords | None:
        """Its sound records; None if they cannot be read."""
        return self.read()

    @property
    def is_damaged(self) -> bool:
        """Whether something was found in its batches."""
        return self.surveyed is not None and _is_damaged(self.surveyed)

    @property
    def in_log(self) -> HeldRecords | None:
        """Its records after the node's own start."""
        log = self.start.log
        if self.held is None or log is None or self.state is None:
            return None
        names = [name for name in self.held.segments if name not in log.deleted_segments]
        return self.held.kept(names, self.state.start, self.state.end)


@dataclass(eq=False)
class FollowingReplica:
    """A replica that does not lead.

    Attributes:
        node: its node id.
        copy: its directory; None where it begins anew.
        log_end_offset: after the node's own start; 0 where it begins anew, None where it does not start.
        truncation: how it gets to the leader's log, or None.
        has_stray: whether it begins anew for the directory that it has is a stray.
    """

    node: int
    copy: NodeCopy | None = None
    log_end_offset: int | None = None
    truncation: Truncation | None = None
    has_stray: bool = False

    @property
    def truncate_to(self) -> int | None:
        """Where it cuts its log; 0 where it begins anew beside a stray, None if it cuts nothing."""
        if self.truncation is None:
            return None
        return 0 if self.has_stray else self.truncation.cut


@dataclass(eq=False)
class ClusterPartition:
    """A partition once all nodes have started.

    Attributes:
        topic: name of its topic.
        partition: its number.
        leader: node id, or None for nobody.
        log_end_offset: of the leader after its own start; None without leader.
        in_sync: nodes that are in sync at last.
        followers: the other replicas.
        copies: all its directories on the disks.
        lost: sound records that no disk holds any more.
        first_lost: the first of them, or None.
        served: records that a consumer gets.
        elsewhere: sound records that lie on a disk before the start and are not served.
        cut_ranges: offsets that no replica of the topic holds any more; a stray may.
        unserved_ranges: offsets that a consumer does not get.
        leading: the leader's directory; None where it begins anew.
        stops_at: offset of damage in the leader's log, at which a consumer stops, or None.
        is_unread: whether a copy cannot be read, so that nothing can be counted.
        stuck: nodes that cannot catch up, for the leader's log is damaged where they would read.
    """

    topic: str
    partition: int
    leader: int | None = None
    log_end_offset: int | None = None
    in_sync: list[int] = field(default_factory=list)
    followers: list[FollowingReplica] = field(default_factory=list)
    copies: list[NodeCopy] = field(default_factory=list)
    lost: int = 0
    first_lost: int | None = None
    served: int = 0
    elsewhere: int = 0
    cut_ranges: "Sequence[Range]" = ()
    unserved_ranges: "Sequence[Range]" = ()
    leading: NodeCopy | None = None
    stops_at: int | None = None
    is_unread: bool = False
    stuck: list[int] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """The row of the table "cluster"."""
        return {
            "topic": self.topic,
            "partition": self.partition,
            "leader": self.leader,
            "leaderLogEndOffset": self.log_end_offset,
            "inSync": self.in_sync,
            "followers": [
                {"node": each.node, "logEndOffset": each.log_end_offset, "truncateTo": each.truncate_to}
                for each in self.followers
            ],
            "lostRecords": None if self.is_unread else self.lost,
            "firstLostOffset": None if self.is_unread else self.first_lost,
            "served": None if self.is_unread else self.served,
            "elsewhere": None if self.is_unread else self.elsewhere,
        }


@dataclass
class ClusterStart:
    """What the nodes of a cluster do together.

    Attributes:
        cluster_id: id of the cluster, or None.
        nodes: its nodes, by node id.
        quorum: the controllers.
        partitions: those of the metadata log; without one, those on the disks.
        missing: brokers of the metadata log whose disks are not at hand.
        by_order: partitions whose leader is another one if the nodes start in the opposite order.
    """

    cluster_id: str | None
    nodes: list[ClusterNode]
    quorum: ElectedController
    partitions: list[ClusterPartition]
    missing: tuple[int, ...] = ()
    by_order: "Sequence[ClusterPartition]" = ()


def start_clusters(
    nodes: "Sequence[NodeStart]", known: "ReachableMetadata", surveyed: Mapping[str, PartitionSurvey]
) -> list[ClusterStart]:
    """Start all nodes of each cluster of which several are at hand.

    Args:
        nodes: the nodes, which were started by themselves.
        known: the metadata logs in reach.
        surveyed: what was found in the partition directories, by path.

    Raises:
        SourceError: a file cannot be read.
    """
    by_cluster: dict[str | None, dict[int, ClusterNode]] = defaultdict(dict)
    for each in nodes:
        if each.node_id is not None:
            log = each.metadata_log
            own = None if log is None else known.of_log(log)
            # Of copies of one node the first counts: a cluster has each node once.
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
        """Elect leaders, let the others follow, and count."""
        cluster = self._quorum.metadata
        nodes = list(self._nodes.values())
        if cluster is None:
            found = [self._partition(topic, number, None, None) for topic, number in sorted(self._directories)]
            return ClusterStart(self._id, nodes, self._quorum, [each for each in found if each.copies])
        elections, reverse = Elections(cluster, self._configured), Elections(cluster, self._configured)
        if not self._quorum.is_lost:
            elections.run(node.broker for node in nodes if node.starts)
            reverse.run(node.broker for node in reversed(nodes) if node.starts)
        partitions = [
            self._partition(topic, number, elected, cluster.topics[topic].id)
            for (topic, number), elected in elections.partitions.items()
        ]
        missing = tuple(number for number in cluster.brokers if number not in self._nodes)
        by_order = [
            each
            for each in partitions
            if reverse.partitions[each.topic, each.partition].leader
            != elections.partitions[each.topic, each.partition].leader
        ]
        return ClusterStart(self._id, nodes, self._quorum, partitions, missing, by_order)

    def _configured(self, topic: str, name: str) -> str | None:
        """A config of a topic: its own, or that of all brokers."""
        cluster = self._quorum.metadata
        if cluster is None:
            return None
        value = cluster.config("TOPIC", topic).get(name) or cluster.config("BROKER", "").get(name)
        return value if isinstance(value, str) else None

    def _partition(
        self, topic: str, number: int, elected: ElectedPartition | None, topic_id: str | None
    ) -> ClusterPartition:
        found = ClusterPartition(topic, number)
        found.copies = list(self._copies(topic, number, topic_id))
        _note_right_log(found.copies)
        if elected is not None:
            leads = not self._quorum.is_lost and elected.leader != NO_LEADER
            if leads:
                self._lead(found, elected.leader)
            found.followers = [
                self._follower(found, node) for node in elected.replicas if not leads or node != elected.leader
            ]
            if leads:
                found.in_sync = sorted([elected.leader, *self._catching_up(found)])
        _count(found)
        return found

    def _copies(self, topic: str, number: int, topic_id: str | None) -> Iterator[NodeCopy]:
        for node, each in self._directories.get((topic, number), ()):
            surveyed = self._surveyed.get(each.path)
            if parse_partition_name(each.name).state == "delete":
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
        is_damaged = _is_damaged(surveyed)
        with suppress(KafkafmtError):  # the survey has said why
            return read_held(surveyed.directory, Limits(), verify_checksums=is_damaged, has_gaps="compact" in policy)
        return None

    # -- one partition ----------------------------------------------------------------------------------------------

    def _live(self, found: ClusterPartition, node: int) -> NodeCopy | None:
        """The log that a node has loaded, if it has it."""
        return next(
            (
                each
                for each in found.copies
                if each.node.number == node
                and each.state is not None
                and each.node.starts
                and parse_partition_name(each.start.name).state == "live"
            ),
            None,
        )

    def _lead(self, found: ClusterPartition, node: int) -> None:
        found.leader, found.leading = node, self._live(found, node)
        state = None if found.leading is None else found.leading.state
        found.log_end_offset = 0 if state is None else state.end
        log = None if found.leading is None else found.leading.in_log
        if log is not None and state is not None and log.damaged:
            before = log.up_to_damage().batches
            found.stops_at = int(before["last"].max()) + 1 if len(before) else state.start

    def _follower(self, found: ClusterPartition, node: int) -> FollowingReplica:
        of_node = self._nodes.get(node)
        if of_node is None or not of_node.starts or self._is_offline(found, of_node):
            return FollowingReplica(node)
        copy = self._live(found, node)
        state = _NEW_LOG if copy is None or copy.state is None else copy.state
        if found.leader is None:
            return FollowingReplica(node, copy, state.end)
        leading = found.leading.state if found.leading is not None else None
        has_stray = copy is None and any(each.node is of_node for each in found.copies)
        return FollowingReplica(node, copy, state.end, follow(leading or _NEW_LOG, state), has_stray)

    @staticmethod
    def _is_offline(found: ClusterPartition, node: ClusterNode) -> bool:
        return any(each.start.action == "offline" and each.node is node for each in found.copies)

    @staticmethod
    def _catching_up(found: ClusterPartition) -> Iterator[int]:
        """Followers that reach the end of the leader's log: damage on the way stops them."""
        for each in found.followers:
            if each.truncation is None:
                continue
            if found.stops_at is not None and each.truncation.end <= found.stops_at:
                found.stuck.append(each.node)
            else:
                yield each.node


def _is_damaged(surveyed: PartitionSurvey) -> bool:
    return any(each.level == FINDING and each.kind in _DAMAGE for each in surveyed.findings)


def _topic_id(each: "PartitionStart") -> str | None:
    with suppress(KafkafmtError):
        return each.topic_id()
    return None


def _state(copy: NodeCopy) -> LogState | None:
    """The log of a copy after the node's own start, with the leader epochs that recovery adds from the batches."""
    log, surveyed = copy.start.log, copy.surveyed
    if log is None or surveyed is None or copy.start.action not in ("keep", "recover"):
        return None
    entries = list(EpochHistory(EpochEntry(*each) for each in surveyed.facts.leader_epochs).entries)
    if log.walked and copy.held is not None:
        for epoch, start in copy.held.kept((f"{base:020d}.log" for base in log.walked), 0, log.log_end_offset).epochs():
            if not entries or epoch > entries[-1].epoch:
                entries.append(EpochEntry(epoch, start))
    return LogState.of(log.log_start_offset, log.log_end_offset, surveyed.facts.high_watermark, entries)


def _note_right_log(copies: Sequence[NodeCopy]) -> None:
    """Find up to where each copy agrees with the one of the newest leader epoch, then of the highest end."""
    states = [(each, _on_disk(each)) for each in copies if each.is_right]
    best = max((state for _, state in states), key=lambda state: (_last_epoch(state), state.end), default=None)
    for each, state in states:
        if best is not None and state is not best:
            each.belongs = follow(best, state).end if state.epochs and best.epochs else END


def _on_disk(copy: NodeCopy) -> LogState:
    """The log of a copy as it lies on the disk before any start."""
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


def _count(found: ClusterPartition) -> None:
    """Count what is served, what lies elsewhere, and what no disk holds any more."""
    leading = None if found.leading is None else found.leading.in_log
    starts = [each.surveyed.facts.log_start_offset or 0 for each in found.copies if each.is_right and each.surveyed]
    served: list[Range] = [(0, min(starts, default=0))]  # what retention has deleted everywhere is not missing
    if leading is not None and found.leading is not None and found.leading.state is not None:
        read = leading.up_to_damage()
        start = found.leading.state.start
        found.served, _ = read.count([(start, END)])
        # What retention has deleted is not missing.
        served = [(0, start), *read.ranges()]
    if _are_alike(found):
        return
    found.is_unread = any(each.is_right and each.held is None for each in found.copies)
    truncated = {each.copy: each.truncate_to for each in found.followers if each.copy is not None}
    remaining = united(each for copy in found.copies for each in _remaining(copy, truncated.get(copy)))
    found.unserved_ranges = outside(served)
    found.cut_ranges = common(found.unserved_ranges, outside(remaining))
    found.elsewhere, _ = count_in(found.copies, found.unserved_ranges)
    found.lost, found.first_lost = count_in(found.copies, common(found.cut_ranges, outside(_in_strays(found.copies))))


def _are_alike(found: ClusterPartition) -> bool:
    """Whether all copies are whole and have the same records as the leader's, so that one is read."""
    if found.leading is None or not all(each.is_right for each in found.copies):
        return False
    described = set()
    for each in found.copies:
        log, facts = each.start.log, None if each.surveyed is None else each.surveyed.facts
        if each.state is None or log is None or facts is None or facts.records is None:
            return False
        if each.is_damaged or log.truncate_from is not None or log.deleted_segments or log.lost_records:
            return False
        if facts.log_end_offset != each.state.end:
            return False
        described.add((each.state.start, each.state.end, facts.records, facts.batches, each.state.epochs))
    return len(described) == 1


def _in_strays(copies: Sequence[NodeCopy]) -> "Sequence[Range]":
    """Offsets of the right log in copies of another topic id: these become strays, in which the batches stay."""
    right = [each.held for each in copies if each.is_right and each.held is not None]
    strays = [each.held for each in copies if not each.is_right and each.held is not None]
    return united(each for held in strays for other in right for each in held.shared_with(other).ranges())


def _remaining(copy: NodeCopy, truncate_to: int | None) -> "Sequence[Range]":
    """Offsets of the right log that a copy still holds after the start."""
    if copy.held is None or not copy.is_right:
        return ()
    if copy.state is None or copy.start.log is None:
        return clipped(copy.held.ranges(), copy.belongs)
    log = copy.start.log
    names = [name for name in copy.held.segments if name not in log.deleted_segments]
    kept = copy.held.kept(names, 0, END).ranges()
    cuts = [each for each in (log.truncate_from, truncate_to) if each is not None]
    return clipped(kept, min([copy.belongs, *cuts]))


def count_in(copies: Sequence[NodeCopy], ranges: "Sequence[Range]") -> tuple[int, int | None]:
    """Count the sound records of the right log in ranges, each offset once; gives the first offset, too."""
    total, lowest = 0, None
    for copy in copies:
        if not copy.is_right or copy.held is None:
            continue
        wanted = clipped(ranges, copy.belongs)
        count, first = copy.held.count(wanted)
        total += count
        lowest = first if lowest is None else lowest if first is None else min(lowest, first)
        ranges = common(ranges, outside(clipped(copy.held.ranges(), copy.belongs)))
    return total, lowest
