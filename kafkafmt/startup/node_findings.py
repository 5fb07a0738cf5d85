"""Faults of a node as a whole: its metadata log, its log directories, its vote, as findings."""

from typing import TYPE_CHECKING

from kafkafmt.findings import FINDING, Finding
from kafkafmt.phrases import counted
from kafkafmt.startup.absent_logs import absent_logs
from kafkafmt.startup.commands import repair_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkafmt.startup.node_start import NodeStart


_COPY_METADATA_LOG = (
    "before the start put a copy of __cluster_metadata-0 into one of its log.dirs: another node's, or a backup"
)


def node_findings(node: "NodeStart", nodes: "Sequence[NodeStart]") -> "Iterator[Finding]":
    """Faults of a node as a whole.

    Args:
        node: the node, after its start.
        nodes: all nodes.
    """
    yield from _without_metadata_log(node)
    yield from _without_log_dirs(node, nodes)
    yield from _without_vote(node, nodes)
    yield from _without_logs(node, nodes)


def _advice_without_log(node: "NodeStart") -> str:
    if node.is_of_zookeeper:
        return "migrate the cluster with Kafka 3.9 first (KIP-866)"
    if node.may_be_broker_only:
        return (
            f"{_COPY_METADATA_LOG}; if it is only a broker, or these are copies of some partitions, name the "
            "controllers' log with --metadata"
        )
    return _COPY_METADATA_LOG


def _without_metadata_log(node: "NodeStart") -> "Iterator[Finding]":
    if node.without_metadata_log:
        aside = sum(each.action == "stray" for log_dir in node.log_dirs for each in log_dir.partitions)
        it = "then it" if node.starts is None else "it"
        cost = f"; {it} sets {counted(aside, 'partition')} aside" if node.sets_all_aside and aside else ""
        name = "the node" if node.node_id is None else f"node {node.node_id}"
        yield Finding(
            FINDING,
            "no_metadata_log",
            node.log_dirs[0].path,
            f"{name} has no metadata log: {node.without_metadata_log}{cost}",
            _advice_without_log(node) if node.sets_all_aside else "",
        )


def _without_log_dirs(node: "NodeStart", nodes: "Sequence[NodeStart]") -> "Iterator[Finding]":
    if node.absent_dirs and node.starts is not False:
        total = node.absent_dirs + len(node.log_dirs)
        command = repair_command([node], (each for each in nodes if each.cluster_id == node.cluster_id))
        anew = f"; if it is lost: {command}" if command else ""
        yield Finding(
            FINDING,
            "log directory",
            node.log_dirs[0].path,
            f"the metadata log has {total} log directories of node {node.node_id}, and {len(node.log_dirs)} of them "
            f"{'is' if len(node.log_dirs) == 1 else 'are'} here: without one that is in log.dirs the node does not "
            "start; if it is taken out, the node begins its partitions with empty logs, and may lead with them",
            f"mount the disk, or name all log.dirs of the node one by one if there are no more{anew}",
        )


def _without_logs(node: "NodeStart", nodes: "Sequence[NodeStart]") -> "Iterator[Finding]":
    """Logs that Kafka recreates empty: on the node that led last they become leaders (tests/golden/cluster, 18)."""
    for each in absent_logs(node):
        key = each.topic, each.partition
        holders = [
            other
            for other in nodes
            if other is not node
            and any((one.topic, one.partition) == key for d in other.log_dirs for one in d.partitions)
        ]
        command = repair_command([node], holders)
        follow = ": if this node led last, it leads, and the other replicas cut their logs to 0"
        yield Finding(
            FINDING,
            "absent log",
            each.path,
            f"the metadata log assigns {each.topic}-{each.partition} to this log directory, and checkpoints know it up "
            f"to offset {each.reached}, but no log directory of the node has it",
            f"Kafka makes a new, empty log here{follow if len(each.replicas) > 1 else ''}; put the directory back "
            f"before the start{f', or {command}' if command else ''}",
            topic=each.topic,
            partition=each.partition,
        )


def _without_vote(node: "NodeStart", nodes: "Sequence[NodeStart]") -> "Iterator[Finding]":
    """A controller of a dynamic quorum whose directory id is not that of the voter (KIP-853).

    Kafka 4.4.0: one of three controllers whose directory was formatted again followed; with two of them, no controller
    was elected. Voters with an empty log and their old directory ids voted for the one that had its log.
    """
    if node.lost_vote is None:
        return
    log, old = node.metadata_log, f"directory.id={node.lost_vote}"
    others = node.voters - {each.node_id for each in nodes if each.lost_vote is not None}
    if 2 * len(others) > len(node.voters):
        advice = (
            "when the cluster runs: kafka-metadata-quorum.sh --bootstrap-controller HOST:PORT remove-controller "
            f"--controller-id {node.node_id} --controller-directory-id {node.lost_vote}, then kafka-metadata-quorum.sh "
            "--command-config server.properties --bootstrap-controller HOST:PORT add-controller"
        )
    else:
        advice = (
            f"write {old} back into meta.properties beside its metadata log: then it votes for a controller with a log"
        )
    yield Finding(
        FINDING,
        "no vote",
        node.log_dirs[0].path if log is None else log.path,
        f"the voters have node {node.node_id} with {old}, and its metadata log is in a directory with another id, as "
        "after a format: it follows the controllers, and does not vote",
        advice,
    )
