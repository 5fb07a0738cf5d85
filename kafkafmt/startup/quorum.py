"""A node's view of its cluster's controllers: without a metadata log, not starting, or restored from older copies."""

from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.phrases import named
from kafkafmt.startup.commands import repair_command
from kafkafmt.startup.node_start import has_dynamic_quorum
from kafkafmt.startup.outcome import METADATA_DIRECTORY, Blocker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkafmt.startup.node_start import NodeStart

# Most neighbours searched for a metadata log: the parent directory may be any directory, with any number of entries.
_MOST_BESIDE = 64


def judge_without_log(node: "NodeStart", nodes: "Sequence[NodeStart]", elsewhere: frozenset[int]) -> None:
    """Judge a node whose directories hold no metadata log.

    A controller without one starts an empty cluster, unless a majority of the controllers has it; a broker copies it
    from the controllers (`KafkaRaftClient`: a vote is granted to logs that are at least as long).

    Args:
        node: the node.
        nodes: all nodes.
        elsewhere: nodes whose metadata logs the caller named.
    """
    if node.cluster is not None:
        if not node.is_controller or node.node_id in elsewhere:
            return
        lost, voters = _without_log(node, nodes) - elsewhere, node.voters
        is_dynamic = has_dynamic_quorum(node.cluster)
        if lost == voters and is_dynamic:
            node.without_metadata_log = "no controller has one, so none knows the voters, and none is elected"
        elif lost == voters:
            node.sets_all_aside = True
            node.without_metadata_log = (
                "as the cluster's only controller it starts as a new, empty cluster"
                if len(voters) == 1
                else "as no controller has one, it starts as a new, empty cluster"
            )
        elif _is_majority(lost, voters) and not is_dynamic:
            node.sets_all_aside = True
            node.without_metadata_log = (
                f"controllers {_named(lost)}, a majority, have none, and if they are up first they elect a leader with "
                "an empty log"
            )
        else:
            others = voters - lost
            node.without_metadata_log = (
                f"it copies that of controller{'' if len(others) == 1 else 's'} {_named(others)}, if "
                f"{'it is' if len(others) == 1 else 'they are'} up first"
            )
        return
    if node.is_of_zookeeper:
        node.sets_all_aside = True
        node.without_metadata_log = (
            "a Kafka with ZooKeeper wrote these directories, and 4.x starts on them as a new, empty cluster"
        )
    elif (beside := _beside(node)) is not None:
        node.judges_strays = False
        node.metadata_log_beside = beside
    elif not node.has_run:
        node.judges_strays = False  # its role is that of the node whose metadata log it gets
    else:
        node.sets_all_aside = True
        node.without_metadata_log = (
            "a broker has run on it, so it is judged as a controller, which starts as a new, empty cluster"
        )
        node.may_be_broker_only = True


def decide_by_quorum(node: "NodeStart", nodes: "Sequence[NodeStart]", elsewhere: frozenset[int]) -> None:
    """Set the verdict to unknown if a node waits for controllers, or its controllers may elect an empty log."""
    voters = node.voters
    if node.starts is False and not _waits_before_its_logs(node):
        return
    lost = _without_log(node, nodes) - elsewhere
    dead = {each.node_id for each in nodes if each.starts is False and each is not node} & voters
    without_vote = {each.node_id for each in nodes if each.lost_vote is not None} & voters
    is_dynamic = has_dynamic_quorum(node.cluster)
    if (dead or without_vote) and not _is_majority(voters - dead - without_vote, voters):
        reasons = [
            f"{_who(some)} {verb[len(some) != 1]} {what}"
            for some, verb, what in (
                (dead, ("does", "do"), "not start"),
                (without_vote - dead, ("has", "have"), "lost the vote"),
            )
            if some
        ]
        node.decide(starts=None, undecided=f"waits for a controller: {' and '.join(reasons)}")
    elif node.starts is not False and is_dynamic and lost == voters:
        node.decide(starts=None, undecided="waits for a controller: none has a metadata log, so none knows the voters")
    elif node.starts is not False and not is_dynamic and lost != voters and _is_majority(lost, voters):
        node.decide(
            starts=None,
            undecided="can start, but whether it stays up depends on the order of starts: controllers "
            f"{_named(lost)} have no metadata log",
        )
    elif node.starts is not False:
        _decide_by_epochs(node, nodes)


def _decide_by_epochs(node: "NodeStart", nodes: "Sequence[NodeStart]") -> None:
    """Find out whether a node knows a leader epoch that its controllers do not know, or the reverse.

    A voter exits when it learns that it leads an epoch later than its own (`KafkaRaftClient.maybeTransition`). A leader
    refuses fetches with a later epoch than its own (`validateLeaderOnlyRequest`), and only voters make it begin a later
    one. It ignores a fetch with the same epoch. A node that would have to cut its log below the log start exits
    (`KafkaRaftLog.truncateTo`).
    """
    quorum = [
        each
        for each in nodes
        if each.node_id in node.voters and each.cluster_id == node.cluster_id and each.starts is not False
    ]
    if node.is_controller:
        found = [(each.elected.leader_epoch, each) for each in quorum if each.elected and _remembers(each, node)]
        if found:
            epoch, other = max(found, key=lambda one: one[0])
            node.forgotten = (-1 if other.node_id is None else other.node_id, epoch)
            node.decide(
                starts=None,
                undecided="can start, but whether it stays up depends on the order of starts: node "
                f"{other.node_id} knows it as the leader of epoch {epoch}, and it does not know that it led",
            )
    elif quorum and node.voters <= {each.node_id for each in quorum}:
        epoch, end = 1 + max(each.epoch for each in quorum), max(each.own.offset if each.own else 0 for each in quorum)
        if node.epoch <= epoch and node.metadata_log_start > end:
            _end_below_log_start(node, end, nodes)
            return
        if node.epoch < epoch:
            return
        node.epoch_of_controllers = epoch
        if node.is_shut_out:
            node.decide(
                starts=None,
                undecided=f"waits for a controller: its metadata log is of leader epoch {node.epoch}, and the "
                f"controllers begin with epoch {epoch}",
            )
        else:
            node.judges_strays = False  # which metadata decides depends on how far the controllers have come


def _end_below_log_start(node: "NodeStart", end: int, nodes: "Iterable[NodeStart]") -> None:
    """Fail a node whose metadata log begins after the end of its controllers' log."""
    message = (
        f"java.lang.IllegalArgumentException: Attempt to truncate to offset {end}, which is below the current high "
        f"watermark {node.metadata_log_start}: the controllers' metadata log ends before this one begins"
    )
    log = node.metadata_log
    holder = next((each for each in node.log_dirs if log in each.partitions), node.log_dirs[0])
    holder.blockers.append(
        Blocker(
            message, holder.path if log is None else log.path, None, repair_metadata(node.voters, node.node_id, nodes)
        )
    )
    node.decide(starts=False)
    for each in node.log_dirs:
        each.online = False


def repair_metadata(numbers: "Iterable[int]", donor: int | None, nodes: "Iterable[NodeStart]") -> str:
    """Advice on controllers whose metadata log is older than before, while another node has a newer one.

    Args:
        numbers: node ids of the controllers.
        donor: node id of the other node.
        nodes: all nodes of the cluster that are here.
    """
    found, here = sorted(numbers), list(nodes)
    advice = f"before the first start repair {named('node', found)} with --from the log directories of node {donor}"
    command = repair_command(
        (each for each in here if each.node_id in found), (each for each in here if each.node_id == donor)
    )
    return f"{advice}: {command}" if command else advice


def _remembers(other: "NodeStart", node: "NodeStart") -> bool:
    """Whether a voter begins as the follower of a node that does not know that it led that epoch."""
    elected, own = other.elected, node.elected
    if elected is None or other is node or elected.leader_id != node.node_id or elected.leader_epoch != other.epoch:
        return False
    has_led = own is not None and own.leader_id == node.node_id and own.leader_epoch == node.epoch
    return other.epoch > node.epoch or (other.epoch == node.epoch and not has_led)


def _waits_before_its_logs(node: "NodeStart") -> bool:
    """Whether a node that does not start first waits for a controller, as it loads its logs after that."""
    return node.fails_in_logs and node.is_controller is False


def _without_log(node: "NodeStart", nodes: "Iterable[NodeStart]") -> set[int]:
    return {
        each.node_id
        for each in nodes
        if each.node_id in node.voters and each.metadata_log is None and each.cluster_id == node.cluster_id
    }


def _is_majority(some: "Iterable[int | None]", voters: "Iterable[int]") -> bool:
    return 2 * len(set(some)) > len(set(voters))


def _who(nodes: "Iterable[int | None]") -> str:
    found = list(nodes)
    return f"node{'' if len(found) == 1 else 's'} {_named(found)}"


def _named(nodes: "Iterable[int | None]") -> str:
    return " and ".join(map(str, sorted(each for each in nodes if each is not None)))


def _beside(node: "NodeStart") -> str | None:
    """A metadata log next to a node's directories that may have been left out; None if there is none."""
    for each in node.log_dirs:
        try:
            listing = each.directory.location.parent.list()[:_MOST_BESIDE]
        except KafkafmtError:
            continue
        for entry in listing:
            log = entry.location.child(METADATA_DIRECTORY)
            if entry.is_directory and log.is_directory():
                return str(log)
    return None
