"""Logs that a node has lost completely: the metadata log and checkpoints list them, but no directory holds them."""

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.errors import DataError
from kafkafmt.files import offset_checkpoint
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.checkpoints import HIGH_WATERMARK_CHECKPOINT, RECOVERY_POINT_CHECKPOINT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from kafkafmt.io.base import DirectoryEntry
    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.topics.cluster_metadata import ClusterMetadata


class AbsentLog(NamedTuple):
    """A missing log, which its node recreates empty.

    Attributes:
        path: the directory it was in.
        topic: name of its topic.
        partition: its number.
        reached: highest offset that the checkpoints have for the log.
        replicas: node ids of its replicas.
    """

    path: str
    topic: str
    partition: int
    reached: int
    replicas: tuple[int, ...]


class RegisteredDir(NamedTuple):
    """A log directory, with the facts that decide which logs must be in it.

    Attributes:
        path: path of the directory.
        directory_id: its id, or None.
        listing: its entries.
    """

    path: str
    directory_id: str | None
    listing: "Sequence[DirectoryEntry]"


def absent_logs(node: "NodeStart") -> "Iterator[AbsentLog]":
    """Logs that the metadata log assigns to a directory of a starting node, but that no directory holds.

    Raises:
        SourceError: a checkpoint cannot be read.
    """
    if node.cluster is None or node.node_id is None or node.sets_all_aside or node.starts is False:
        return
    names = [parse_partition_name(one.name) for each in node.log_dirs for one in each.partitions]
    here = {(name.topic, name.partition) for name in names if name.state != "delete"}
    dirs = [
        RegisteredDir(each.path, each.properties.directory_id if each.properties else None, each.directory.listing)
        for each in node.log_dirs
    ]
    yield from absent_in(dirs, node.cluster, node.node_id, here)


def absent_in(
    dirs: "Iterable[RegisteredDir]",
    cluster: "ClusterMetadata",
    node_id: int,
    here: "Collection[tuple[str | None, int | None]]",
) -> "Iterator[AbsentLog]":
    """Logs that the metadata log assigns to directories of a node, but that are missing there.

    A log that no checkpoint of the directory lists may never have existed, and is left out.

    Args:
        dirs: log directories of the node.
        cluster: the metadata log.
        node_id: id of the node.
        here: the partitions that the node has.

    Raises:
        SourceError: a checkpoint cannot be read.
    """
    for each in dirs:
        reached = {} if each.directory_id is None else _checkpointed(each.listing)
        for key, offset in sorted(reached.items()):
            topic = cluster.topics.get(key[0])
            partition = None if topic is None or key in here else topic.partitions.get(key[1])
            if partition is None or node_id not in partition.replicas:
                continue
            if partition.directory_of(node_id) != each.directory_id:
                continue
            yield AbsentLog(f"{each.path.rstrip('/')}/{key[0]}-{key[1]}", *key, offset, partition.replicas)


def _checkpointed(listing: "Sequence[DirectoryEntry]") -> dict[tuple[str, int], int]:
    """The highest offset of each log in a directory's checkpoints, if above 0; broken checkpoints are skipped."""
    found: dict[tuple[str, int], int] = {}
    for entry in listing:
        if entry.is_file and entry.name in (HIGH_WATERMARK_CHECKPOINT, RECOVERY_POINT_CHECKPOINT):
            with suppress(DataError):
                for key, offset in offset_checkpoint.read(entry.location).offsets.items():
                    if offset > found.get(key, 0):
                        found[key] = offset
    return found
