"""A partition of a cluster once all its nodes have started: its copies, its leader, and the records served."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from kafkafmt.answer_columns import Named, TableColumns, columns_of
from kafkafmt.cached import cached_property
from kafkafmt.findings import FINDING
from kafkafmt.startup.held_records import END, HeldRecords, clipped, common, outside, united
from kafkafmt.survey import PartitionSurvey

if TYPE_CHECKING:
    from kafkafmt.logdir.truncation import LogState, Truncation
    from kafkafmt.startup.controllers import ClusterNode
    from kafkafmt.startup.held_records import Range
    from kafkafmt.startup.outcome import LoadedLog, PartitionStart

_BY_LEADER = frozenset({"leaderLogEndOffset", "inSync", "followers"})
_COSTS = frozenset({"lostRecords", "served", "elsewhere"})
_IF_READ = ("lostRecords", "firstLostOffset", "served", "elsewhere")
_DAMAGE = ("checksum", "corrupt", "truncated", "unsupported", "limit_exceeded", "offset")


@dataclass(eq=False)
class NodeCopy:
    """A directory of a partition on a node.

    Attributes:
        node: the node.
        start: the result of the node's own start for the directory.
        surveyed: the survey of the directory.
        read: function that reads its sound records.
        is_right: whether it has the topic id of the metadata log.
        belongs: offset up to which it agrees with the right log.
        state: the log after the node's own start; None if it is not loaded.
    """

    node: "ClusterNode"
    start: "PartitionStart"
    surveyed: PartitionSurvey | None
    read: Callable[[], HeldRecords | None]
    is_right: bool
    belongs: int = END
    state: "LogState | None" = None

    @cached_property
    def held(self) -> HeldRecords | None:
        """Its sound records; None if they cannot be read."""
        return self.read()

    @property
    def is_damaged(self) -> bool:
        """Whether its batches have faults."""
        return self.surveyed is not None and is_damaged(self.surveyed)

    @property
    def is_unserved(self) -> bool:
        """Whether the broker serves nothing from its log directory, although it is online."""
        return any(each.unserved is not None and self.start in each.partitions for each in self.node.log_dirs)

    @property
    def in_log(self) -> HeldRecords | None:
        """Its records in the log after the node's own start."""
        log = self.start.log
        if self.held is None or log is None or self.state is None:
            return None
        names = [name for name in self.held.segments if name not in log.deleted_segments]
        return self.held.kept(names, self.state.start, self.state.end).rising()


@dataclass(eq=False)
class FollowingReplica:
    """A replica that is not the leader.

    Attributes:
        node: its node id.
        copy: its directory; None if it is recreated.
        log_end_offset: log end offset after the node's own start; 0 if it is recreated, None if it does not start.
        truncation: its truncation to the leader's log, or None.
        has_stray: whether it is recreated because its directory is a stray.
    """

    node: int
    copy: NodeCopy | None = None
    log_end_offset: int | None = None
    truncation: "Truncation | None" = None
    has_stray: bool = False

    @property
    def truncate_to(self) -> int | None:
        """Offset at which it truncates its log; 0 if it is recreated beside a stray, None if it does not truncate."""
        if self.truncation is None:
            return None
        return 0 if self.has_stray else self.truncation.cut


_FOLLOWERS = "list<struct<node: int32, logEndOffset: int64, truncateTo: int64>>"


def _followers(followers: list[FollowingReplica]) -> list[tuple[int | None, ...]]:
    return [(each.node, each.log_end_offset, each.truncate_to) for each in followers]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a cluster's start, with one of its possible orders.

    Attributes:
        subject: the condition, as a noun clause.
        here: a clause for this order: "if ..".
        otherwise: a clause for the default order: "if ..".
        only_by_cost: whether it is left out where the same records are served and lost: this order is rare.
    """

    subject: str
    here: str
    otherwise: str
    only_by_cost: bool = False


@dataclass(eq=False)
class ClusterPartition:
    """A partition once all nodes have started.

    Attributes:
        topic: name of its topic.
        partition: its number.
        leader: node id of the leader; None without one, and if it depends on the order of starts: then "inSync" is
            None, too.
        log_end_offset: log end of the leader after its own start; None without a leader.
        in_sync: nodes that are in sync in the end.
        followers: the other replicas: "node", "logEndOffset" after its own start (None if it does not start),
            "truncateTo": where it cuts its log; None if it cuts nothing, 0 if it restarts with an empty log beside a
            stray.
        copies: all its directories on the disks.
        lost: sound records that no disk holds any more.
        first_lost: base offset of the first batch of these records, or None.
        served: records that a consumer gets, up to the log end or to the first damage.
        elsewhere: sound records on a disk before the start that are not served; "lostRecords" are among them.
        cut_ranges: offsets that no replica of the topic holds any more; a stray may.
        unserved_ranges: offsets that a consumer does not get.
        leading: the leader's directory; None if it is recreated.
        is_unserved: whether the leader fails to take it up, so that nobody gets its records.
        stops_at: offset of damage in the leader's log, at which a consumer stops, or None.
        is_unread: whether a copy cannot be read, so that nothing can be counted.
        undecided: names of columns of its row that depend on the order of starts; the row has one order.
        depends_on: the conditions: clauses.
        worst: the partition after the order of starts that costs most sound records, with a clause for that order: "if
        ..", or "" if there is only one. With equal costs, this order.
    """

    topic: Annotated[str, "string"]
    partition: Annotated[int, "int32"]
    leader: Annotated[int | None, "int32"] = None
    log_end_offset: Annotated[int | None, Named("leaderLogEndOffset", "int64")] = None
    in_sync: Annotated[list[int], "list<int32>"] = field(default_factory=list)
    followers: Annotated[list[FollowingReplica], _FOLLOWERS, _followers] = field(default_factory=list)
    copies: list[NodeCopy] = field(default_factory=list)
    lost: Annotated[int, Named("lostRecords", "int64")] = 0
    first_lost: Annotated[int | None, Named("firstLostOffset", "int64")] = None
    served: Annotated[int, "int64"] = 0
    elsewhere: Annotated[int, "int64"] = 0
    cut_ranges: "Sequence[Range]" = ()
    unserved_ranges: "Sequence[Range]" = ()
    leading: NodeCopy | None = None
    is_unserved: bool = False
    stops_at: int | None = None
    is_unread: bool = False
    undecided: set[str] = field(default_factory=set)
    depends_on: list[str] = field(default_factory=list)
    worst: "tuple[ClusterPartition, str]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Start with the only known order of starts as the worst one."""
        self.worst = self, ""

    def row(self) -> dict[str, Any]:
        """The row of `CLUSTER`: columns that depend on the order of starts are null."""
        return {name: None if name in self.undecided else value for name, value in self.values().items()}

    def compare(self, other: "ClusterPartition", condition: Condition) -> None:
        """Note differences to another order of starts, and which order costs most.

        Args:
            other: the partition after that order.
            condition: a clause for that order.
        """
        values, others = self.values(), other.values()
        different = {name for name, value in values.items() if value != others[name]}
        if "leader" in different:
            different |= _BY_LEADER
        if not different or (condition.only_by_cost and different.isdisjoint(_COSTS)):
            return
        self.undecided |= different
        if condition.subject not in self.depends_on:
            self.depends_on.append(condition.subject)
        worst, _ = self.worst
        if (other.lost, other.elsewhere) > (worst.lost, worst.elsewhere):
            self.worst = other, condition.here
        elif not self.worst[1]:
            self.worst = self, condition.otherwise

    def values(self) -> dict[str, Any]:
        """The row for this order of starts."""
        values = dict(zip(CLUSTER.schema.names, CLUSTER.row(self), strict=True))
        return values | dict.fromkeys(_IF_READ) if self.is_unread else values


CLUSTER = TableColumns(
    *columns_of(ClusterPartition, to="partition"), *columns_of(ClusterPartition, after="partition", optional=True)
)
"""Columns of the table "cluster" of `verify`."""


def is_damaged(surveyed: PartitionSurvey) -> bool:
    """Whether the batches of a partition directory have faults."""
    return any(each.level == FINDING and each.kind in _DAMAGE for each in surveyed.findings)


def count_served(found: ClusterPartition) -> None:
    """Count the served records, the sound ones not served, and those that no disk holds any more."""
    is_served = found.leading is not None and not found.is_unserved
    leading = found.leading.in_log if found.leading is not None and is_served else None
    starts = [each.surveyed.facts.log_start_offset or 0 for each in found.copies if each.is_right and each.surveyed]
    served: list[Range] = [(0, max(starts, default=0))]  # records that retention has deleted are not missing
    if leading is not None and found.leading is not None and found.leading.state is not None:
        read = leading.up_to_damage()
        start = found.leading.state.start
        found.served, _ = read.count([(start, END)])
        served = [(0, start), *read.ranges()]
    if (is_served or found.leading is None) and _are_alike(found):
        return
    found.is_unread = any(each.is_right and each.held is None for each in found.copies)
    truncated = {each.copy: each.truncate_to for each in found.followers if each.copy is not None}
    remaining = united(each for copy in found.copies for each in _remaining(copy, truncated.get(copy)))
    found.unserved_ranges = outside(served)
    found.cut_ranges = common(found.unserved_ranges, outside(remaining))
    found.elsewhere, _ = count_in(found.copies, found.unserved_ranges)
    found.lost, found.first_lost = count_in(found.copies, common(found.cut_ranges, outside(_in_strays(found.copies))))


def _are_alike(found: ClusterPartition) -> bool:
    """Whether all copies are whole and have the same records as the leader's, so that reading one is enough."""
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
    """Offsets of the right log in copies with another topic id: these become strays, which keep their batches."""
    right = [each.held for each in copies if each.is_right and each.held is not None]
    strays = [_kept(each.held, each.start.stray_log) for each in copies if not each.is_right and each.held is not None]
    return united(each for held in strays for other in right for each in held.shared_with(other).ranges())


def _remaining(copy: NodeCopy, truncate_to: int | None) -> "Sequence[Range]":
    """Offsets of the right log that a copy still holds after the start."""
    if copy.held is None or not copy.is_right:
        return ()
    kept = _kept(copy.held, copy.start.log or copy.start.stray_log)
    return clipped(kept.ranges(), min(copy.belongs, END if truncate_to is None else truncate_to))


def _kept(held: HeldRecords, log: "LoadedLog | None") -> HeldRecords:
    """The batches that stay in the files when the log is loaded; all batches if it is not loaded."""
    if log is None:
        return held
    names = set(held.segments).difference(log.deleted_segments)
    return held.kept(names, 0, END if log.truncate_from is None else log.truncate_from)


def count_in(copies: Sequence[NodeCopy], ranges: "Sequence[Range]") -> tuple[int, int | None]:
    """Count the sound records of the right log in ranges, each offset once; returns the first offset, too."""
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
