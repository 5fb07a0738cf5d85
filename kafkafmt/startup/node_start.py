"""NodeStart: a node with its log directories, and the result of its start, filled in step by step."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kafkafmt.logdir.checkpoints import CLEANER_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT
from kafkafmt.startup.outcome import Blocker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.files.quorum_state import QuorumState
    from kafkafmt.startup.outcome import LogDirStart, PartitionStart
    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.settings import Redacted


@dataclass(eq=False)
class NodeStart:
    """A node, and the result of its start.

    Attributes:
        node_id: its node id, or None.
        log_dirs: its log directories.
        cluster: the metadata by which it is judged, or None.
        undecided: the text after its name if `starts` is None: "waits for ..", "can start, but ..", or "".
        without_metadata_log: the consequence of a missing metadata log, as a clause, or "".
        may_be_broker_only: whether it is unknown if it is a controller, so that it is judged as one.
        sets_all_aside: whether it starts as a new, empty cluster, so that all its partitions are strays.
        judges_strays: whether it is known which of its partitions are strays.
        metadata_log_beside: a metadata log that was not named, but may be this node's; or None.
        fails_in_logs: whether the fault that prevents its start is in its logs, which it loads last.
        reads_all: whether this user may read all files that the start reads.
        configs: dynamic configs of its broker as it loads its logs.
        own: the metadata by its own metadata log after its load; None without one.
        elected: the elections in its metadata log (quorum-state), or None.
        absent_dirs: number of its log directories in the metadata log that are not here.
        unnamed_dirs: `absent_dirs` if its directories were named one by one, so that they are either all of
            log.dirs, or some were left out.
        forgotten: the node that remembers it as leader of a later epoch than it knows, and that epoch; or None.
        epoch_of_controllers: leader epoch with which its controllers continue, if its own metadata log has that epoch
            or a later one; else None.
    """

    node_id: int | None
    log_dirs: list["LogDirStart"]
    cluster: "ClusterMetadata | None" = None
    undecided: str = ""
    without_metadata_log: str = ""
    may_be_broker_only: bool = False
    sets_all_aside: bool = False
    judges_strays: bool = True
    metadata_log_beside: str | None = None
    fails_in_logs: bool = False
    reads_all: bool = True
    configs: "Mapping[str, str | Redacted]" = field(default_factory=dict)
    own: "ClusterMetadata | None" = None
    elected: "QuorumState | None" = None
    absent_dirs: int = 0
    unnamed_dirs: int = 0
    forgotten: tuple[int, int] | None = None
    epoch_of_controllers: int | None = None

    @property
    def starts(self) -> bool | None:
        """Whether it starts; None if that is unknown, or depends on more than its directories."""
        return self.log_dirs[0].starts

    @property
    def cluster_id(self) -> str | None:
        """Cluster id in the first meta.properties that has one, or None."""
        known = (each.properties.cluster_id for each in self.log_dirs if each.properties is not None)
        return next((cluster_id for cluster_id in known if cluster_id is not None), None)

    @property
    def metadata_log(self) -> "PartitionStart | None":
        """Its copy of the metadata log, or None."""
        logs = (each for log_dir in self.log_dirs for each in log_dir.partitions if each.is_metadata_log)
        return next(logs, None)

    @property
    def epoch(self) -> int:
        """The leader epoch with which it begins, by quorum-state and its metadata log; 0 without either."""
        return max(0, self.own.epoch if self.own else 0, self.elected.leader_epoch if self.elected else 0)

    @property
    def metadata_log_start(self) -> int:
        """Log start offset of its metadata log; 0 without one."""
        log = self.metadata_log
        return 0 if log is None or log.log is None else log.log.log_start_offset

    @property
    def is_shut_out(self) -> bool:
        """Whether it waits for controllers that continue with an earlier leader epoch than its own."""
        return self.epoch_of_controllers is not None and self.epoch > self.epoch_of_controllers

    @property
    def is_doubtful(self) -> bool:
        """Whether the order of starts decides if it takes part in its cluster, or with which metadata."""
        return self.forgotten is not None or (self.epoch_of_controllers is not None and not self.is_shut_out)

    @property
    def fails_after_wait(self) -> bool:
        """Whether it first waits for a controller, and its own logs then end its start."""
        return self.starts is None and any(one.ends_start for each in self.log_dirs for one in each.blockers)

    @property
    def voters(self) -> frozenset[int]:
        """Node ids of the cluster's controllers; empty if they are unknown."""
        return frozenset() if self.cluster is None else voters_of(self.cluster)

    @property
    def is_controller(self) -> bool | None:
        """Whether it is one of the controllers; None if that is unknown."""
        return None if not self.voters or self.node_id is None else self.node_id in self.voters

    @property
    def was_killed(self) -> bool:
        """Whether the metadata log has its broker unfenced, so that its session continues when it starts again."""
        broker = None if self.cluster is None or self.node_id is None else self.cluster.brokers.get(self.node_id)
        return broker is not None and not broker.fenced and not broker.in_controlled_shutdown

    @property
    def lost_vote(self) -> str | None:
        """Its directory id among the voters of a dynamic quorum (KIP-853), if its own directory id differs.

        A voter is a node id with the directory id of its metadata log (`VoterSet.isVoter`): after a new format, the
        node only follows. Without a metadata log any of its log directories may match.
        """
        voters = () if self.cluster is None else self.cluster.voters
        registered = next((each.directory_id for each in voters if each.id == self.node_id), None)
        log = self.metadata_log
        holders = [each for each in self.log_dirs if log is None or log in each.partitions]
        ids = {None if each.properties is None else each.properties.directory_id for each in holders}
        return None if registered is None or registered in ids else registered

    @property
    def is_of_zookeeper(self) -> bool:
        """Whether Kafka with ZooKeeper formatted its directories: meta.properties of version 0 with a broker.id."""
        known = [each.properties for each in self.log_dirs if each.properties is not None]
        return bool(known) and all(each.node_id is None and each.broker_id is not None for each in known)

    @property
    def has_run(self) -> bool:
        """Whether a broker has run on its directories: it writes all four checkpoints, `kafkafmt write` only two."""
        names = (LOG_START_OFFSET_CHECKPOINT, CLEANER_CHECKPOINT)
        return any(each.directory.has(name) for each in self.log_dirs for name in names)

    @property
    def fails(self) -> bool:
        """Whether something ended its start."""
        return any(log_dir.starts is False for log_dir in self.log_dirs)

    def block(
        self, log_dir: "LogDirStart", message: str, path: str, position: int | None = None, advice: str = ""
    ) -> None:
        """End its start because of a fault in one of its directories; the other arguments are those of `Blocker`."""
        log_dir.blockers.append(Blocker(message, path, position, advice))
        self.end()

    def end(self) -> None:
        """End its start: all directories are offline."""
        for log_dir in self.log_dirs:
            log_dir.starts = log_dir.online = False

    def decide(self, *, starts: bool | None, undecided: str = "") -> None:
        """Set the verdict for all directories."""
        self.undecided = undecided
        for each in self.log_dirs:
            each.starts = starts


def voters_of(cluster: "ClusterMetadata") -> frozenset[int]:
    """Node ids of a cluster's controllers: the voters of its quorum, or the registered ones; empty if unknown."""
    return frozenset(voter.id for voter in cluster.voters) or frozenset(cluster.controllers)


def has_dynamic_quorum(cluster: "ClusterMetadata | None") -> bool:
    """Whether the voters are in the metadata log, with directory ids (kraft.version 1, KIP-853)."""
    return cluster is not None and any(each.directory_id is not None for each in cluster.voters)
