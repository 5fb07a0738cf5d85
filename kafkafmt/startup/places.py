"""The owner of a log directory by the metadata log, and the advice for a misplaced one."""

from collections import Counter
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from kafkafmt.errors import SourceError
from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.startup.commands import format_command, repair_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kafkafmt.io.base import Location
    from kafkafmt.startup.node_start import NodeStart
    from kafkafmt.startup.outcome import LogDirStart
    from kafkafmt.startup.reachable_metadata import ReachableMetadata

_COPY = "one is a copy of the other: remove it from log.dirs"
_REPLACE = (
    "repair the node with the other nodes as --from: {}; with new, empty logs it may lead, and the other replicas then "
    "cut their logs to 0"
)
_DUPLICATE = "keep the one with the higher leader epoch and log end, and move the other away"
_OF_THE_FILE_SYSTEM = "lost+found"


def empty_beside(log_dirs: "Sequence[LogDirStart]") -> "Iterator[Note]":
    """Notes on empty directories beside a node's log directories that were not named: a new volume, or a lost one.

    Kafka does not start on an empty directory (golden/cluster, 11).
    """
    known = {each.directory.location.identity for each in log_dirs}
    parents = {
        each.directory.location.parent.identity: each.directory.location.parent
        for each in log_dirs
        if not each.is_named and each.directory.has(META_PROPERTIES)
    }
    for parent in parents.values():
        for place in _empty_in(parent):
            if place.identity not in known:
                text = (
                    f"{place} is empty, next to log directories: not judged; if it is one of log.dirs, the node "
                    "does not start until it is formatted (name it to judge it)"
                )
                yield Note(text, is_finding=False, path=str(place))


def _empty_in(parent: "Location") -> "Iterator[Location]":
    with suppress(SourceError):
        for entry in parent.list():
            if entry.is_directory and not entry.name.startswith(".") and entry.name != _OF_THE_FILE_SYSTEM:
                with suppress(SourceError):
                    if not entry.location.list():
                        yield entry.location


class Places:
    """Advice on log directories whose meta.properties or partitions belong to another node or directory.

    Args:
        nodes: all nodes, with their log directories.
        known: the metadata logs within reach.
    """

    def __init__(self, nodes: "Sequence[NodeStart]", known: "ReachableMetadata") -> None:
        self._nodes = nodes
        self._known = known

    def of_lost_properties(self, node: "NodeStart", log_dir: "LogDirStart") -> str:
        """Advice for a log directory without meta.properties: only a lost disk should be filled again."""
        command = repair_command([node], self._others(node)) or "kafkafmt repair"
        cluster_id = node.cluster_id
        if log_dir.is_missing:
            return f"mount the disk; if it is lost, mkdir {quote(log_dir.path)}, and {_REPLACE.format(command)}"
        if not log_dir.partitions:
            anew = f"if it never had any, {format_command(cluster_id)}"
            return f"if its partitions are lost, {_REPLACE.format(command)}; {anew}"
        lacking = self._lacking(node, cluster_id, node.node_id)
        directory_id = (
            f"directory.id={lacking[0]}" if len(lacking) == 1 else "its directory.id, which the metadata log has"
        )
        lines = [
            "version=1",
            "its cluster.id, which the other nodes have" if cluster_id is None else f"cluster.id={cluster_id}",
            "its node.id, which server.properties has" if node.node_id is None else f"node.id={node.node_id}",
            directory_id,
        ]
        return f"write it again with the lines {', '.join(lines)}"

    def of_node_id(self, node: "NodeStart", node_id: int, log_dir: "LogDirStart") -> str:
        """Advice for one of a node's log.dirs that has another node id.

        Args:
            node: the node.
            node_id: id of the node.
            log_dir: the directory, whose meta.properties have a node id.
        """
        owner = self._owner(log_dir)
        if owner == node_id:
            return f"write node.id={node_id} into it: by the metadata log its directory.id is of node {node_id}"
        whose = log_dir.node_id if owner is None else owner
        place, other = self._elsewhere(node, node_id, whose)
        if other is not None and place == whose:
            return f"exchange {_both(log_dir, other)}: each belongs to the other's node"
        if other is not None:
            return (
                f"it belongs to node {whose}: put it back there, and in its place {other.path}, which belongs to "
                f"node {node_id}"
            )
        lacking = self._lacking(node, _cluster_id(log_dir), node_id)
        if lacking:
            ids = ", ".join(lacking)
            return (
                f"it belongs to node {whose}: put it back there, and in its place node {node_id}'s own "
                f"(directory.id {ids})"
            )
        if self._known.registered(_cluster_id(log_dir), node_id):
            return f"it belongs to node {whose}, and node {node_id} has all of its own: remove it from log.dirs"
        return (
            f"it belongs to node {whose}: put node {node_id}'s own in its place, or remove it from log.dirs if there "
            "is none"
        )

    def of_cluster_id(self, node_id: int | None, cluster_id: str | None, log_dir: "LogDirStart") -> str:
        """Advice for a directory whose cluster id differs from the node's."""
        directory_id = _directory_id(log_dir)
        owner = None if directory_id is None else self._known.owner(cluster_id, directory_id)
        if owner is not None and owner == node_id:
            return f"write cluster.id={cluster_id} into it: by the metadata log its directory.id is of node {node_id}"
        return "is it a directory of another cluster? Remove it from log.dirs"

    def of_directory_id(self, node: "NodeStart", one: "LogDirStart", other: "LogDirStart") -> str:
        """Advice for two log.dirs of a node with the same directory id: they need not be copies."""
        lacking = self._lacking(node, _cluster_id(one), node.node_id)
        if len(lacking) != 1 or _partitions(one) & _partitions(other):
            return _COPY
        place = node.node_id, lacking[0]
        counts = [self._replicas_in(each)[place] for each in (one, other)]
        chosen = other if counts[1] > counts[0] else one
        return (
            f"write directory.id={lacking[0]} into meta.properties of {chosen.path}: the metadata log has this "
            f"directory of node {node.node_id}, too"
        )

    def of_duplicate(self, node: "NodeStart", several: "Sequence[LogDirStart]") -> str:
        """Advice for a partition in several log.dirs of a node: one of them may hold another directory's partitions."""
        for each in several:
            place = self._contents(node, each)
            if place is None:
                continue
            owner, directory_id = place
            for found in (found for found in self._nodes if found.node_id == owner):
                for other in found.log_dirs:
                    if _directory_id(other) == directory_id and self._contents(found, other) == _place(node, each):
                        return (
                            f"exchange the partitions of {_both(each, other)}, but not their meta.properties: by the "
                            "metadata log each has the other's"
                        )
            return (
                f"by the metadata log {each.path} has the partitions of the log directory {directory_id} of node "
                f"{owner}: put them back there, and its own here"
            )
        return _DUPLICATE

    def _others(self, node: "NodeStart") -> "list[NodeStart]":
        """The other nodes of a node's cluster."""
        cluster_id = node.cluster_id
        return [
            each for each in self._nodes if each.node_id not in (None, node.node_id) and each.cluster_id == cluster_id
        ]

    def _lacking(self, node: "NodeStart", cluster_id: str | None, node_id: int | None) -> list[str]:
        """Directory ids that a node has registered but that none of its log.dirs has."""
        here = {_directory_id(each) for each in node.log_dirs}
        return [each for each in self._known.registered(cluster_id, node_id) if each not in here]

    def _owner(self, log_dir: "LogDirStart") -> int | None:
        directory_id = _directory_id(log_dir)
        return None if directory_id is None else self._known.owner(_cluster_id(log_dir), directory_id)

    def _elsewhere(self, node: "NodeStart", node_id: int, first: int | None) -> "tuple[int | None, LogDirStart | None]":
        """Another node (`first` if possible), and a directory of the given node in its log.dirs; None without one."""
        others = sorted((each for each in self._nodes if each is not node), key=lambda each: each.node_id != first)
        for other in others:
            for each in other.log_dirs:
                owner = self._owner(each)
                if node_id == (each.node_id if owner is None else owner) != other.node_id:
                    return other.node_id, each
        return None, None

    def _contents(self, node: "NodeStart", log_dir: "LogDirStart") -> tuple[int | None, str | None] | None:
        """Node and directory id for which a directory's partitions are registered, if they are more than for itself."""
        counts = self._replicas_in(log_dir)
        place, count = max(counts.items(), key=lambda each: each[1], default=(None, 0))
        return place if count > counts[_place(node, log_dir)] else None

    def _replicas_in(self, log_dir: "LogDirStart") -> "Counter[tuple[int | None, str | None]]":
        """Number of a directory's partitions that the metadata log assigns to each directory of each node."""
        cluster = self._known.newest(_cluster_id(log_dir))
        counts: Counter[tuple[int | None, str | None]] = Counter()
        topics = {} if cluster is None else cluster.topics
        for topic, number in _partitions(log_dir):
            of_topic = topics.get(topic or "")
            found = None if of_topic is None or number is None else of_topic.partitions.get(number)
            if found is not None:
                counts.update(zip(found.replicas, found.directories, strict=False))
        return counts


def _both(one: "LogDirStart", other: "LogDirStart") -> str:
    return " and ".join(sorted((one.path, other.path)))


def _partitions(log_dir: "LogDirStart") -> set[tuple[str | None, int | None]]:
    return {
        (each.topic, each.partition)
        for each in log_dir.partitions
        if parse_partition_name(each.name).state == "live" and not each.is_metadata_log
    }


def _place(node: "NodeStart", log_dir: "LogDirStart") -> tuple[int | None, str | None]:
    return node.node_id, _directory_id(log_dir)


def _cluster_id(log_dir: "LogDirStart") -> str | None:
    return None if log_dir.properties is None else log_dir.properties.cluster_id


def _directory_id(log_dir: "LogDirStart") -> str | None:
    return None if log_dir.properties is None else log_dir.properties.directory_id
