"""Logs that a node has lost whole: the metadata log and checkpoints know them, and no directory has them."""

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.errors import DataError
from kafkafmt.files import offset_checkpoint
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.partition import HIGH_WATERMARK_CHECKPOINT, RECOVERY_POINT_CHECKPOINT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkafmt.startup.nodes import NodeStart
    from kafkafmt.startup.outcome import LogDirStart


class AbsentLog(NamedTuple):
    """A missing log, which its node recreates empty.

    Attributes:
        path: the directory that it had.
        topic: name of its topic.
        partition: its number.
        reached: offset up to which checkpoints know it.
        replicas: node ids of its replicas.
    """

    path: str
    topic: str
    partition: int
    reached: int
    replicas: tuple[int, ...]


def absent_logs(node: "NodeStart") -> "Iterator[AbsentLog]":
    """Logs of a starting node that the metadata log assigns to one of its directories, and that are in none.

    One that no checkpoint of the directory lists may never have been made, and is left out.

    Raises:
        SourceError: a checkpoint cannot be read.
    """
    cluster, node_id = node.cluster, node.node_id
    if cluster is None or node_id is None or node.sets_all_aside or node.starts is False:
        return
    names = [parse_partition_name(one.name) for each in node.log_dirs for one in each.partitions]
    here = {(name.topic, name.partition) for name in names if name.state != "delete"}
    for log_dir in node.log_dirs:
        directory_id = None if log_dir.properties is None else log_dir.properties.directory_id
        reached = {} if directory_id is None else _checkpointed(log_dir)
        for key, offset in sorted(reached.items()):
            topic = cluster.topics.get(key[0])
            partition = None if topic is None or key in here else topic.partitions.get(key[1])
            if partition is None or node_id not in partition.replicas:
                continue
            assigned = partition.directories[partition.replicas.index(node_id) :][:1]
            if assigned != (directory_id,):
                continue
            yield AbsentLog(f"{log_dir.path.rstrip('/')}/{key[0]}-{key[1]}", *key, offset, partition.replicas)


def _checkpointed(log_dir: "LogDirStart") -> dict[tuple[str, int], int]:
    """The highest offset above 0 that checkpoints of a directory have of each log; nothing of a broken one."""
    found: dict[tuple[str, int], int] = {}
    for entry in log_dir.directory.listing:
        if entry.is_file and entry.name in (HIGH_WATERMARK_CHECKPOINT, RECOVERY_POINT_CHECKPOINT):
            with suppress(DataError):
                for key, offset in offset_checkpoint.read(entry.location).offsets.items():
                    if offset > found.get(key, 0):
                        found[key] = offset
    return found
