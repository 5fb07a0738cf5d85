"""Assignment of log directories to nodes: by meta.properties, the metadata log, and neighbouring directories."""

from collections import defaultdict
from typing import TYPE_CHECKING

from kafkafmt.errors import KafkafmtError
from kafkafmt.files import meta_properties
from kafkafmt.files.damage import Note
from kafkafmt.files.names import parse_partition_name
from kafkafmt.logdir.checkpoints import CHECKPOINTS
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.phrases import listed
from kafkafmt.startup.node_start import NodeStart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kafkafmt.io.base import Location
    from kafkafmt.startup.outcome import Configured, LogDirStart
    from kafkafmt.startup.reachable_metadata import ReachableMetadata

_APART = "--copies names the directories above them apart"


def nodes_of(
    log_dirs: "Sequence[LogDirStart]",
    configured: "Configured",
    known: "ReachableMetadata",
    copies: "Sequence[Location]" = (),
) -> tuple[list[NodeStart], list[Note]]:
    """Group log directories by node.

    The owner of the directory id in the metadata log decides, then the node id in meta.properties. A directory without
    node id belongs to the node of its neighbours, or to the only node. Directories with the same directory id are
    copies of one another if they share partitions, and log.dirs of one node if they do not, or were named one by one.

    Args:
        log_dirs: all log directories.
        configured: the node's configuration, if the directories are of one node.
        known: the metadata logs within reach.
        copies: directories that hold copies: the log directories below each are judged separately.

    Returns: the nodes in the order of their first directories, and notes on doubtful directories.
    """
    notes: list[Note] = []
    for each in log_dirs:
        each.properties = _properties(each)
    nodes: list[NodeStart] = []
    for apart in _named_apart(log_dirs, copies):
        if configured.node_id is None:
            found = _Grouping(apart, known, notes).nodes()
        else:
            found = {configured.node_id: apart} if apart else {}
        for node_id, of_node in found.items():
            nodes += (NodeStart(node_id, beside) for beside in _copies_apart(of_node, notes))
    order = {id(each): number for number, each in enumerate(log_dirs)}
    nodes.sort(key=lambda node: order[id(node.log_dirs[0])])
    if configured.node_id is None:
        notes += _told_by_ids(nodes)
    return nodes, notes


def _told_by_ids(nodes: "Sequence[NodeStart]") -> "Iterator[Note]":
    """The note that only ids distinguish the directories of several nodes in one folder."""
    by_parent: dict[str, list[NodeStart]] = defaultdict(list)
    for node in nodes:
        for parent in {_parent(each) for each in node.log_dirs} if node.node_id is not None else ():
            by_parent[parent].append(node)
    for beside in by_parent.values():
        if len({node.node_id for node in beside}) > 1 and any(len(node.log_dirs) > 1 for node in beside):
            whose = "; ".join(f"{_paths(node.log_dirs)}: node {node.node_id}" for node in beside)
            text = (
                f"log directories are grouped by their ids ({whose}); if disks may have been exchanged, verify "
                "the log.dirs of one node at a time, with its --node-id"
            )
            yield Note(text, is_finding=False)


def _properties(log_dir: "LogDirStart") -> "meta_properties.MetaProperties | None":
    try:
        entry = next((each for each in log_dir.directory.listing if each.name == META_PROPERTIES), None)
        return None if entry is None else meta_properties.read(entry.location)
    except KafkafmtError:
        return None


def _named_apart(log_dirs: "Sequence[LogDirStart]", copies: "Sequence[Location]") -> "list[list[LogDirStart]]":
    """Log directories grouped by the copy that they are below, and the rest; the innermost copy decides."""
    groups: dict[str, list[LogDirStart]] = defaultdict(list)
    for each in log_dirs:
        place = f"{each.directory.location.identity}/"
        above = [one.identity for one in copies if place.startswith(f"{one.identity.rstrip('/')}/")]
        groups[max(above, key=len, default="")].append(each)
    return list(groups.values())


class _Grouping:
    """Finds the node of each log directory."""

    def __init__(self, log_dirs: "list[LogDirStart]", known: "ReachableMetadata", notes: list[Note]) -> None:
        self._log_dirs = log_dirs
        self._known = known
        self._notes = notes
        self._is_plain = len({each.node_id for each in log_dirs}) == 1
        self._keys = {id(each): self._key(each) for each in log_dirs}

    def nodes(self) -> "dict[int | None, list[LogDirStart]]":
        """Log directories by node id."""
        self._exchanged()
        by_parent: dict[str, set[int]] = defaultdict(set)
        for each in self._log_dirs:
            key = self._keys[id(each)]
            if key is not None:
                by_parent[_parent(each)].add(key)
        everywhere = set[int]().union(*by_parent.values())
        groups: dict[int | None, list[LogDirStart]] = defaultdict(list)
        for each in self._log_dirs:
            key = self._keys[id(each)]
            beside = by_parent[_parent(each)]
            if key is not None or not _was_of_a_node(each):
                pass
            elif len(beside) == 1:
                (key,) = beside
            elif len(everywhere) == 1:
                (key,) = everywhere
            groups[key].append(each)
        return groups

    def _key(self, each: "LogDirStart") -> int | None:
        """The node that owns a directory."""
        properties = each.properties
        if self._is_plain or properties is None or properties.directory_id is None:
            return each.node_id
        owner = self._known.owner(properties.cluster_id, properties.directory_id)
        if owner is None or owner == each.node_id:
            return each.node_id
        self._note(
            f"{each.path} has the node id {each.node_id}, and its directory id is node {owner}'s in the metadata log: "
            f"judged as a log.dir of node {owner}"
        )
        return owner

    def _exchanged(self) -> None:
        """Find directories that are next to another node's, while those of their own node are elsewhere."""
        by_parent: dict[str, list[LogDirStart]] = defaultdict(list)
        by_name: dict[str, set[int]] = defaultdict(set)
        for each in self._log_dirs:
            key = self._keys[id(each)]
            if key is not None:
                by_parent[_parent(each)].append(each)
                by_name[each.directory.location.name].add(key)
        are_named_for_nodes = all(len(keys) == 1 for keys in by_name.values())
        for beside in by_parent.values():
            keys = [self._keys[id(each)] for each in beside]
            if len(set(keys)) < 2:
                continue
            is_mixed = not are_named_for_nodes if len(by_parent) > 1 else self._would_be_one_node(beside)
            if is_mixed:
                self._note(
                    f"{_paths(beside)} lie beside one another and are of nodes {', '.join(map(str, sorted(set(keys))))}"  # type: ignore[type-var]
                    f" by their ids: judged as log.dirs of node {keys[0]} (--node-id names another one); if they are "
                    f"of several nodes, {_APART}"
                )
                self._keys.update((id(each), keys[0]) for each in beside)

    def _would_be_one_node(self, beside: "list[LogDirStart]") -> bool:
        """Whether directories in one folder are as many as a node has, and no node has all its directories there."""
        keys = [self._keys[id(each)] for each in beside]
        counts = []
        for each, key in zip(beside, keys, strict=True):
            registered = len(self._known.registered(each.properties.cluster_id if each.properties else None, key))
            counts.append(registered)
            if registered <= keys.count(key):
                return False
        return counts[0] == len(beside)

    def _note(self, text: str) -> None:
        self._notes.append(Note(text, is_finding=False))


def _copies_apart(log_dirs: "list[LogDirStart]", notes: list[Note]) -> "Iterator[list[LogDirStart]]":
    """Separate the directories of a node id if some are copies of others; those in one folder stay together."""
    same: dict[str, list[LogDirStart]] = defaultdict(list)
    for each in log_dirs:
        if each.properties is not None and each.properties.directory_id is not None and not each.is_named:
            same[each.properties.directory_id].append(each)
    twice = [several for several in same.values() if len(several) > 1]
    if not twice:
        if log_dirs:
            yield log_dirs
        return
    alike = next((several for several in twice if _are_copies(several)), None)
    if alike is None:
        notes.append(
            Note(
                f"{_paths(twice[0])} have the same directory id and different partitions: judged as log.dirs of one "
                f"node; if one is a copy, {_APART}",
                is_finding=False,
            )
        )
        yield log_dirs
        return
    notes.append(
        Note(
            f"{_paths(alike)} have the same directory id and share partitions: judged as copies, one by one; if "
            "they are log.dirs of one node, name them one by one",
            is_finding=False,
        )
    )
    by_parent: dict[str, list[LogDirStart]] = defaultdict(list)
    for each in log_dirs:
        by_parent[_parent(each)].append(each)
    if len(by_parent) == 1:
        yield from ([each] for each in log_dirs)
        return
    for beside in by_parent.values():
        yield from _copies_apart(beside, [])


def _was_of_a_node(log_dir: "LogDirStart") -> bool:
    """Whether a directory without a node id is nevertheless one of log.dirs, rather than copied partitions."""
    return log_dir.is_named or any(map(log_dir.directory.has, (META_PROPERTIES, *CHECKPOINTS)))


def _are_copies(several: "Sequence[LogDirStart]") -> bool:
    """Whether some of these directories hold the same partition, or all are empty and in different folders."""
    held = [
        {(each.topic, each.partition) for each in one.partitions if parse_partition_name(each.name).state == "live"}
        for one in several
    ]
    if not any(held):
        return len({_parent(each) for each in several}) > 1
    return sum(map(len, held)) > len(set().union(*held))


def _parent(each: "LogDirStart") -> str:
    return each.directory.location.parent.identity


def _paths(log_dirs: "Iterable[LogDirStart]") -> str:
    return listed([each.path for each in log_dirs], 4)
