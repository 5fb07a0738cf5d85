"""The election of a controller when all nodes of a cluster start, and the metadata log that wins it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError
from kafkafmt.files import clean_shutdown
from kafkafmt.startup.elections import StartingBroker
from kafkafmt.startup.node_start import has_dynamic_quorum, voters_of

if TYPE_CHECKING:
    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.startup.outcome import LogDirStart, PartitionStart
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_EMPTY = (-1, 0)


@dataclass(eq=False)
class ClusterNode:
    """A node whose disks are here, after its own start.

    Attributes:
        number: its node id.
        start: the result of its start alone.
        metadata: the cluster by its own metadata log, after the start or as stored; None without a metadata log.
    """

    number: int
    start: "NodeStart"
    metadata: "ClusterMetadata | None"

    @property
    def log_dirs(self) -> "Sequence[LogDirStart]":
        """Its log directories."""
        return self.start.log_dirs

    @property
    def starts(self) -> bool:
        """Whether nothing on its disks prevents it from starting, or from following its controllers."""
        return self.start.starts is not False and not self.start.is_shut_out

    @property
    def partitions(self) -> "list[PartitionStart]":
        """All its partition directories."""
        return [each for log_dir in self.log_dirs for each in log_dir.partitions]

    @property
    def path(self) -> str:
        """Path of its metadata log; without one, of its first log directory."""
        return next((each.path for each in self.partitions if each.is_metadata_log), self.log_dirs[0].path)

    @property
    def standing(self) -> tuple[int, int]:
        """Last leader epoch and end offset of its metadata log, which decide an election."""
        return _EMPTY if self.metadata is None else (self.metadata.epoch, self.metadata.offset)

    @cached_property
    def broker(self) -> StartingBroker:
        """The broker as it registers (`LogManager.readBrokerEpochFromCleanShutdownFiles`)."""
        online = (each.properties for each in self.log_dirs if each.online and each.properties is not None)
        epochs = {_clean_epoch(each) for each in self.log_dirs}
        return StartingBroker(
            self.number,
            frozenset(each.directory_id for each in online if each.directory_id is not None),
            any(each.online is False for each in self.log_dirs),
            epochs.pop() if len(epochs) == 1 else None,
        )


@dataclass
class ElectedController:
    """The controllers, and the metadata with which they continue.

    Attributes:
        voters: node ids of the voters.
        metadata: the state with which the elected controller continues; for a cluster without an election, the best
            state of a node; None if there is none.
        is_lost: whether no controller comes up with this state: a majority is missing, or an empty log is elected.
        absent: voters whose disks are not here.
        stopped: voters that do not start.
        empty: voters that start without a metadata log.
        without_vote: voters of a dynamic quorum whose directory id differs from the registered one: they only follow.
        behind: whether records at the end of the best log may be lost, as they are not on a majority of the voters'
            disks.
        observer: a node that is not a voter, with a longer log than all voters; None if there is none.
        leading: the voter that is elected if all are up; None if that is not known.
        possible: metadata of all voters that may be elected, depending on which are up first; the best comes first.
    """

    voters: tuple[int, ...]
    metadata: "ClusterMetadata | None"
    is_lost: bool
    absent: tuple[int, ...] = ()
    stopped: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    without_vote: tuple[int, ...] = ()
    behind: bool = False
    observer: ClusterNode | None = None
    leading: ClusterNode | None = None
    possible: "Sequence[ClusterMetadata]" = ()

    @property
    def majority(self) -> int:
        """Number of voters needed to elect a controller."""
        return len(self.voters) // 2 + 1

    def is_elected_by(self, up: Collection[int]) -> bool:
        """Whether the running nodes, with the voters whose disks are not here, can elect a controller."""
        voting = set(self.voters) - set(self.without_vote)
        return sum(voter in up or voter in self.absent for voter in voting) >= self.majority


def elect_controller(nodes: Sequence[ClusterNode], named: "ClusterMetadata | None" = None) -> ElectedController:
    """Find the metadata log that wins the election among the voters.

    A voter grants its vote to a log at least as new as its own, by last leader epoch, then end offset
    (`KafkaRaftClient`, KIP-595). Voters whose disks are not here are assumed to be up, and not ahead of the others.

    Args:
        nodes: the nodes of one cluster.
        named: metadata that the caller named, for clusters whose nodes have none.
    """
    ranked = sorted(nodes, key=lambda each: each.standing, reverse=True)
    known = next((each.metadata for each in ranked if each.metadata is not None), named)
    voters = _voters(ranked, known)
    by_number = {each.number: each for each in nodes}
    without_vote = tuple(number for number in voters if number in by_number and by_number[number].start.lost_vote)
    voting = [number for number in voters if number not in without_vote]
    up = [each for each in ranked if each.number in voting and each.starts]
    quorum = ElectedController(
        voters,
        known,
        is_lost=False,
        absent=tuple(number for number in voters if number not in by_number),
        stopped=tuple(number for number in voting if number in by_number and not by_number[number].starts),
        empty=tuple(each.number for each in up if each.metadata is None),
        without_vote=without_vote,
    )
    if len(up) + len(quorum.absent) < quorum.majority:
        quorum.is_lost = True
        return quorum
    # A node without its log does not know the voters of a dynamic quorum, so it only votes for others.
    elects_empty = len(quorum.empty) >= quorum.majority and not has_dynamic_quorum(known)
    if elects_empty or (up and up[0].metadata is None and not quorum.absent):
        quorum.is_lost = True
    elif up and up[0].metadata is not None and len(up) >= quorum.majority:
        quorum.leading = up[0]
        quorum.metadata = up[0].metadata
        first = up[: len(up) - quorum.majority + 1]
        by_standing = {each.standing: each.metadata for each in first if each.metadata is not None}
        quorum.possible = list(by_standing.values())
        quorum.behind = up[quorum.majority - 1].standing < up[0].standing
    observers = [each for each in ranked if each.number not in voting and each.metadata is not None]
    best = max((each.standing for each in nodes if each.number in voting), default=_EMPTY)
    if observers and voters and not quorum.absent and observers[0].standing > best:
        quorum.observer = observers[0]
    return quorum


def _voters(ranked: Sequence[ClusterNode], known: "ClusterMetadata | None") -> tuple[int, ...]:
    """The voters by the metadata log or quorum-state; else the registered controllers, or all nodes with the log."""
    for metadata in (*(each.metadata for each in ranked), known):
        if metadata is not None and (voters := voters_of(metadata)):
            return tuple(sorted(voters))
    has_log = sorted(each.number for each in ranked if each.metadata is not None)
    return tuple(has_log or sorted(each.number for each in ranked))


def _clean_epoch(log_dir: "LogDirStart") -> int | None:
    entry = next(
        (each for each in log_dir.directory.listing if each.name == clean_shutdown.FILE_NAME and each.is_file), None
    )
    if entry is None:
        return None
    try:
        return clean_shutdown.read(entry.location).broker_epoch
    except KafkafmtError:
        return None
