"""Moves between log directories that the controller has recorded, but the broker had not completed when it stopped.

When a broker starts, it gives such a `-future` directory the partition's name and deletes the copy that it replaces
(`LogManager.recoverAbandonedFutureLogs`). Checked against Kafka 4.4.0.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files.names import parse_partition_name
from kafkafmt.findings import FINDING, NOTE, Finding, Level
from kafkafmt.limits import Limits
from kafkafmt.phrases import counted_are
from kafkafmt.startup.held_records import read_held
from kafkafmt.survey.advice import FILL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.startup.outcome import LoadedLog, LogDirStart, PartitionStart
    from kafkafmt.survey import PartitionSurvey
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

_LOADED = ("keep", "recover")


def is_assigned_there(
    cluster: "ClusterMetadata", node_id: int, directory_id: str | None, topic_id: str | None, number: int | None
) -> bool:
    """Whether the metadata log assigns a node's replica to this log directory.

    Args:
        cluster: the metadata log.
        node_id: id of the node.
        directory_id: id of the log directory, or None.
        topic_id: topic id of the partition, or None.
        number: number of the partition, or None.
    """
    topic = None if topic_id is None else cluster.topic_by_id(topic_id)
    partition = None if topic is None or number is None else topic.partitions.get(number)
    return directory_id is not None and partition is not None and partition.directory_of(node_id) == directory_id


def complete_moves(node: "NodeStart") -> None:
    """Let `-future` copies replace the partitions that the metadata log assigns to their log directories."""
    cluster, node_id = node.cluster, node.node_id
    if cluster is None or node_id is None or node.sets_all_aside:
        return
    for log_dir in node.log_dirs:
        directory_id = None if log_dir.properties is None else log_dir.properties.directory_id
        for each in log_dir.partitions:
            is_future = each.action in _LOADED and parse_partition_name(each.name).state == "future"
            if is_future and is_assigned_there(cluster, node_id, directory_id, each.topic_id(), each.partition):
                each.is_promoted = True
                each.replaces = _replaced(node, each)


def _replaced(node: "NodeStart", future: "PartitionStart") -> "tuple[str, LoadedLog] | None":
    """Delete the log that a `-future` copy replaces; returns its path and the log."""
    for log_dir in node.log_dirs:
        for each in log_dir.partitions:
            is_same = (each.topic, each.partition) == (future.topic, future.partition)
            if is_same and each is not future and each.is_live and each.log is not None:
                log = each.log
                each.action, each.log, each.reason = "delete", None, f"{future.path} takes its place"
                return each.path, log
    return None


def futures(log_dirs: "Sequence[LogDirStart]", surveyed: "Mapping[str, PartitionSurvey]") -> "Iterator[Finding]":
    """Findings on `-future` copies that replace a partition, and on those whose original is gone.

    A broker recreates such a partition empty, and truncates its `-future` copy to it.

    Args:
        log_dirs: the log directories, started.
        surveyed: the survey of the partition directories, by path.
    """
    current = {
        (log_dir.node_id, each.topic, each.partition)
        for log_dir in log_dirs
        for each in log_dir.partitions
        if parse_partition_name(each.name).state == "live"
    }
    for log_dir in log_dirs:
        for each in log_dir.partitions:
            if each.is_promoted:
                yield _promoted(each, surveyed.get(each.path))
                continue
            is_future = parse_partition_name(each.name).state == "future" and each.action in _LOADED
            if is_future and (log_dir.node_id, each.topic, each.partition) not in current:
                message = "a copy whose original is gone: Kafka makes a new, empty log, and cuts the copy to it"
                yield _finding(each, message, "rename it to the partition's name while the broker is stopped")


def _promoted(each: "PartitionStart", surveyed: "PartitionSurvey | None") -> Finding:
    message = "the metadata log has the partition in this log directory: Kafka gives this copy the partition's name"
    advice = ""
    damaged_at = _damaged_at(each, surveyed)
    if damaged_at is not None:
        message += f", with damage at offset {damaged_at}, where consumers stop"
        advice = FILL
    if each.replaces is not None and each.log is not None:
        path, log = each.replaces
        message += f", and deletes {path}"
        lost = log.log_end_offset - max(each.log.log_end_offset, log.log_start_offset)
        if lost > 0:
            message += f", whose last {counted_are(lost, 'offset')} not in the copy"
        if lost > 0 or advice:
            advice = "repair the node, which joins the two copies, or take a copy of the directory that Kafka deletes"
    return _finding(each, message, advice, FINDING if advice else NOTE)


def _damaged_at(each: "PartitionStart", surveyed: "PartitionSurvey | None") -> int | None:
    """Offset of the first damage in the log of a copy, by its CRCs; None without any.

    The survey does not read directories that are set aside.
    """
    if surveyed is None or surveyed.directory is None or each.log is None:
        return None
    with suppress(KafkafmtError):
        held = read_held(surveyed.directory, Limits(), verify_checksums=True, has_gaps=True)
        before = held.up_to_damage().batches
        offset = int(before["last"].max()) + 1 if len(before) else each.log.log_start_offset
        if held.damaged and offset < each.log.log_end_offset:
            return offset
    return None


def _finding(each: "PartitionStart", message: str, advice: str = "", level: Level = FINDING) -> Finding:
    return Finding(level, "future", each.path, message, advice, topic=each.topic, partition=each.partition)
