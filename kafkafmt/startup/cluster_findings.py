"""Faults between the nodes of a cluster, as findings and notes, with what to do before the first node is started."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from shlex import quote
from typing import Final

from kafkafmt.files.damage import Note
from kafkafmt.findings import FINDING, NOTE, Finding
from kafkafmt.phrases import listed, named
from kafkafmt.startup.cluster import ClusterStart
from kafkafmt.startup.cluster_partition import ClusterPartition, FollowingReplica, NodeCopy, count_in
from kafkafmt.startup.commands import election_command, repair_command
from kafkafmt.startup.controllers import ClusterNode, ElectedController
from kafkafmt.startup.held_records import common, outside
from kafkafmt.startup.outcome import copied_while_running
from kafkafmt.startup.quorum import repair_metadata
from kafkafmt.topics.cluster_metadata.difference import differences

CUT: Final = "cluster cut"
ELSEWHERE: Final = "cluster elsewhere"
NO_LEADER: Final = "no leader"
METADATA: Final = "cluster metadata"
NO_QUORUM: Final = "no quorum"

_MOST_NAMES: Final = 3


def cluster_findings(cluster: ClusterStart) -> Iterator[Finding]:
    """Findings on the effect of a cluster's nodes on each other's records."""
    yield from _of_quorum(cluster)
    without_leader: dict[tuple[tuple[int, ...], str], list[ClusterPartition]] = defaultdict(list)
    for partition in cluster.partitions:
        each, condition = partition.worst
        if each.leader is not None:
            yield from (_under(condition, one) for one in _of_partition(cluster, each))
        elif each.elsewhere and not cluster.quorum.is_lost:
            without_leader[tuple(follower.node for follower in each.followers), condition].append(each)
    for (nodes, condition), partitions in without_leader.items():
        yield _under(condition, _without_leader(cluster, nodes, partitions))


def _under(condition: str, found: Finding) -> Finding:
    """The finding with the clause for the order of starts in which it applies."""
    return replace(found, message=f"{condition}, {found.message}") if condition else found


def cluster_notes(cluster: ClusterStart) -> Iterator[Note]:
    """Notes on the assumptions about nodes whose disks are not here, and about the order of starts."""
    quorum = cluster.quorum
    missing = sorted({*cluster.missing, *quorum.absent})
    if quorum.absent:
        text = (
            f"{_nodes(quorum.absent)} of the controllers are not among the paths: assumed to be up, with no newer log"
        )
        yield Note(text, is_finding=False)
    if cluster.missing and set(cluster.missing) != set(quorum.absent):
        text = f"{_nodes(missing)} of this cluster are not among the paths: all nodes together are judged without them"
        yield Note(text, is_finding=False)
    unknown = (each for each in cluster.nodes if each.start.starts is None)
    undecided = [each.number for each in unknown if each.starts and not each.start.is_doubtful]
    if undecided and not quorum.is_lost:
        text = f"unknown whether {_nodes(undecided)} starts: all nodes together are judged as if they do"
        yield Note(text, is_finding=False)
    running = [each.path for node in cluster.nodes for each in node.start.log_dirs if not each.clean_shutdown]
    if running and any(each.lost for each in cluster.partitions):
        yield copied_while_running(running)
    unread = [each for each in cluster.partitions if each.is_unread]
    if unread:
        text = f"what {_names(unread)} would lose is not judged: a copy cannot be read"
        yield Note(text, is_finding=False)
    depends: dict[str, list[ClusterPartition]] = defaultdict(list)
    for each in cluster.partitions:
        for reason in each.depends_on:
            depends[reason].append(each)
    for reason, partitions in depends.items():
        led: dict[str, list[ClusterPartition]] = defaultdict(list)
        for each in partitions:
            led[_leader(each)].append(each)
        leads = "; ".join(f"{leader} leads {_names(some)}" for leader, some in led.items())
        text = (
            f"the outcome for {_names(partitions)} depends on {reason}, so the table has null there; "
            f"if they start by node id, {leads}"
        )
        yield Note(text, is_finding=False)


def _of_quorum(cluster: ClusterStart) -> Iterator[Finding]:
    quorum = cluster.quorum
    path = {each.number: each.path for each in cluster.nodes}
    down = (*quorum.stopped, *quorum.without_vote)
    if quorum.is_lost and down and not quorum.empty:
        does = f"{_do(down)} not {'start' if not quorum.without_vote else 'start, or vote'}"
        message = (
            f"{_nodes(down)}, {_count(quorum)}, {does}: no controller is elected, the other nodes wait, and nothing "
            "is served"
        )
        advice = f"first fix what keeps node {down[0]} down" if quorum.stopped else ""
        yield Finding(FINDING, NO_QUORUM, path[down[0]], message, advice)
    for each in cluster.nodes:
        yield from _of_epochs(cluster, each)
    node = quorum.observer
    if node is not None:
        # A node that does not start, or waits for its controllers, never reaches this step.
        if node.starts and node.start.epoch_of_controllers is None and not quorum.is_lost:
            yield _longer(node, quorum)
    elif quorum.behind and quorum.leading is not None:
        leading = quorum.leading
        message = (
            f"the last records of the metadata log of node {leading.number} are not on a majority of the controllers: "
            "they are lost if others are elected before it is up"
        )
        yield Finding(NOTE, METADATA, leading.path, message, f"start node {leading.number} first")


def _longer(node: ClusterNode, quorum: ElectedController) -> Finding:
    """An observer with a longer metadata log: if its disk was copied later, only by `NoOpRecord`s, two per second."""
    message = (
        f"node {node.number} is not a controller and has a longer metadata log (end offset {node.standing[1]}) "
        "than all controllers: it cuts it to their log end"
    )
    if node.metadata is not None and quorum.metadata is not None and not differences(quorum.metadata, node.metadata):
        text = f"{message}; nothing was changed since then, so it may only have been copied later"
        return Finding(NOTE, METADATA, node.path, text)
    advice = "compare both first"
    if quorum.leading is not None:
        advice += f": kafkafmt metadata --diff {quote(quorum.leading.path)} {quote(node.path)}"
    return Finding(FINDING, METADATA, node.path, f"{message}, and what was changed since then is lost", advice)


def _of_epochs(cluster: ClusterStart, node: ClusterNode) -> Iterator[Finding]:
    """Leader epochs of the metadata log that only this node, or only its controllers, know."""
    start, number = node.start, node.number
    nodes = [each.start for each in cluster.nodes]
    if start.forgotten is not None:
        other, epoch = start.forgotten
        message = (
            f"node {other} knows node {number} as the leader of epoch {epoch} of the metadata log, and node {number} "
            "does not know that it led: if it learns that before another controller leads, it exits"
        )
        can_wait = _can_do_without(cluster.quorum, number)
        advice = (
            f"start the other controllers first, and node {number} when one of them leads"
            if can_wait
            else repair_metadata([number], other, nodes)
        )
        yield Finding(FINDING, METADATA, node.path, message, advice)
    elif start.epoch_of_controllers is not None:
        epoch = start.epoch_of_controllers
        message = f"the metadata log of the controllers went back: they begin with leader epoch {epoch}"
        if start.is_shut_out:
            message += f" and refuse node {number}, which knows epoch {start.epoch}; it waits until they reach that"
        else:
            message += (
                f", of which node {number} has other records; Kafka does not notice that they differ, and node "
                f"{number} continues with a mixture, and may set partitions aside by it"
            )
        yield Finding(FINDING, METADATA, node.path, message, repair_metadata(cluster.quorum.voters, number, nodes))


def _of_partition(cluster: ClusterStart, each: ClusterPartition) -> Iterator[Finding]:
    if each.is_unserved:  # a finding of its log directory says why
        return
    rest = each.unserved_ranges
    for follower in each.followers:
        records, first = (0, None) if follower.copy is None else count_in([follower.copy], each.cut_ranges)
        if (
            follower.copy is not None
            and records
            and follower.truncation is not None
            and follower.truncate_to is not None
        ):
            yield _cut(cluster, each, follower, follower.copy, records, first)
            rest = common(each.unserved_ranges, outside(each.cut_ranges))
    others = [copy for copy in each.copies if copy.is_right and copy is not each.leading]
    if not count_in(others, rest)[0]:
        return
    # Consumers also miss records of the leader's own log after the damage.
    records, first = count_in(each.copies, rest)
    where = ", ".join([copy.start.path for copy in others if count_in([copy], rest)[0]][:_MOST_NAMES])
    if records > count_in(others, rest)[0]:
        where += " and in its own log"
    if each.stops_at is not None:
        why = f"its log is damaged at offset {each.stops_at}, where consumers stop"
    elif each.leading is None:
        why = "it begins with a new, empty log"
    else:
        why = f"its log ends at offset {each.log_end_offset}"
    message = f"node {each.leader} leads, and {why}: sound records in {where} are not served"
    path = others[0].start.path if each.leading is None else each.leading.start.path
    yield Finding(
        FINDING,
        ELSEWHERE,
        path,
        message,
        _repair(cluster, each.leader),
        topic=each.topic,
        partition=each.partition,
        first_offset=first,
        records=records,
    )


def _cut(
    cluster: ClusterStart,
    each: ClusterPartition,
    follower: FollowingReplica,
    copy: NodeCopy,
    records: int,
    first: int | None,
) -> Finding:
    has = "a new, empty log" if each.leading is None else f"a log that ends at {each.log_end_offset}"
    message = (
        f"node {each.leader} leads with {has}, and node {follower.node} cuts its own, which is sound, from "
        f"{follower.log_end_offset} to {follower.truncate_to}"
    )
    advice = _repair(cluster, each.leader)
    if _can_do_without(cluster.quorum, each.leader):
        advice += (
            f"; or leave node {each.leader} stopped, start the others, and elect node {follower.node} uncleanly: "
            f"{election_command(each.topic, each.partition)}"
        )
    return Finding(
        FINDING,
        CUT,
        copy.start.path,
        message,
        advice,
        topic=each.topic,
        partition=each.partition,
        first_offset=first,
        last_offset=None if follower.log_end_offset is None else follower.log_end_offset - 1,
        records=records,
    )


def _repair(cluster: ClusterStart, leader: int | None) -> str:
    """The repair of all partitions that a node leads, as a single command: two would each repair only a part."""
    found = [each.start for each in cluster.nodes if each.number == leader]
    command = repair_command(found, (each.start for each in cluster.nodes))
    advice = f"before the first start repair node {leader} with the other nodes as --from"
    return f"{advice}: {command}" if command else advice


def _can_do_without(quorum: ElectedController, node: int | None) -> bool:
    """Whether a controller can be elected without a node."""
    others = [each for each in quorum.voters if each not in (node, *quorum.stopped, *quorum.empty)]
    return len(others) >= quorum.majority


def _without_leader(cluster: ClusterStart, nodes: Sequence[int], partitions: Sequence[ClusterPartition]) -> Finding:
    records = sum(each.elsewhere for each in partitions)
    stopped = [each for each in cluster.nodes if each.number in nodes and not each.starts]
    who = f"{_nodes([each.number for each in stopped])} {_do(stopped)} not start"
    why = who if stopped else "no replica that starts is in sync and in the log directory that the metadata log names"
    message = f"no node leads {_names(partitions)}: {why}; {records} sound records are not served"
    path = stopped[0].path if stopped else partitions[0].copies[0].start.path
    return Finding(FINDING, NO_LEADER, path, message, "first fix what keeps it down" if stopped else "")


def _name(each: ClusterPartition) -> str:
    return f"{each.topic}-{each.partition}"


def _leader(each: ClusterPartition) -> str:
    return "no node" if each.leader is None else f"node {each.leader}"


def _names(partitions: Sequence[ClusterPartition]) -> str:
    return listed(list(map(_name, partitions)), _MOST_NAMES)


def _nodes(numbers: Iterable[int]) -> str:
    return named("node", list(numbers))


def _do(nodes: Sequence[object]) -> str:
    return "does" if len(nodes) == 1 else "do"


def _count(quorum: ElectedController) -> str:
    return "the only controller" if len(quorum.voters) == 1 else f"of {len(quorum.voters)} controllers"


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
