"""Owners of log directories: cluster, node and directory id of each, by meta.properties and the metadata log."""

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkafmt.errors import DataError, SourceError
from kafkafmt.files import meta_properties
from kafkafmt.files.damage import Note
from kafkafmt.findings import finding_of
from kafkafmt.logdir.log_dir import META_PROPERTIES
from kafkafmt.writing.log_dir import new_id

if TYPE_CHECKING:
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.logdir.log_dir import LogDir
    from kafkafmt.startup.reachable_metadata import ReachableMetadata
    from kafkafmt.topics.cluster_metadata import ClusterMetadata

Node = tuple[str | None, int]
"""Cluster id and node id."""

TopicPartition = tuple[str | None, int | None]


@dataclass(eq=False)
class OwnedDir:
    """A log directory of the source, and its owner.

    Attributes:
        log_dir: the directory.
        cluster_id: id of its cluster, or None.
        node_id: id of its node, or None.
        directory_id: its own id (KIP-858), or None.
        made: its new meta.properties if those of the source are lost or wrong; None if they are right.
        copy_of: the directory that it is another copy of, so that it gets no folder of its own; or None.
        is_registered: whether the metadata log knows its directory id.
    """

    log_dir: "LogDir"
    cluster_id: str | None = None
    node_id: int | None = None
    directory_id: str | None = None
    made: bytes | None = None
    copy_of: "OwnedDir | None" = None
    is_registered: bool = False

    @property
    def path(self) -> str:
        """Path or URI of the directory."""
        return str(self.log_dir.location)

    @property
    def node(self) -> Node | None:
        """The node that it belongs to, or None."""
        return None if self.node_id is None else (self.cluster_id, self.node_id)

    @property
    def held(self) -> set[TopicPartition]:
        """The live partitions in it."""
        return {(each.topic, each.partition) for each in self.log_dir.partitions if each.topic is not None}

    @property
    def written(self) -> "OwnedDir":
        """The directory whose folder gets its content."""
        return self if self.copy_of is None else self.copy_of


@dataclass(frozen=True)
class _Registered:
    """A log directory that a broker registered.

    Attributes:
        cluster: the metadata that has the registration.
        node_id: node id of the broker.
        directory_id: id of the directory.
        placed: the partitions that the controller has recorded in it.
    """

    cluster: "ClusterMetadata"
    node_id: int
    directory_id: str
    placed: set[TopicPartition]


def owned_dirs(
    log_dirs: "Sequence[LogDir]", known: "ReachableMetadata", at_hand: Collection[TopicPartition], notes: list[str]
) -> list[OwnedDir]:
    """Find the owner of each log directory, and make the meta.properties that are lost or wrong.

    A directory belongs to the node that registered its id. A directory whose id is unregistered or missing gets the id
    of its node's missing directory, by its partitions, or because no other is left.

    Args:
        log_dirs: all log directories of the source.
        known: the metadata logs.
        at_hand: partitions of which a copy exists anywhere.
        notes: list that collects changes, and facts that cannot be known.
    """
    found = [OwnedDir(each) for each in log_dirs]
    on_disks = [each for each in found if not each.log_dir.location.is_tier]
    properties = {id(each): _read(each, notes) for each in on_disks}
    if known.clusters:
        _Registrations(on_disks, known.clusters, at_hand, notes).decide()
    else:
        _without_metadata(on_disks, properties, notes)
    for each in on_disks:
        _make(each, properties[id(each)], notes)
    _say_clusters(on_disks, notes)
    return found


def dirs_as_they_say(log_dirs: "Iterable[LogDir]") -> list[OwnedDir]:
    """Owners of log directories by meta.properties alone; None for those whose file cannot be read."""
    found = [OwnedDir(each) for each in log_dirs if not each.location.is_tier]
    for each in found:
        with suppress(SourceError):
            _read(each, [])
    return found


def _read(each: OwnedDir, notes: list[str]) -> "MetaProperties | None":
    """Read meta.properties, and take over its ids."""
    try:
        own = each.log_dir.meta_properties
    except DataError as error:
        notes.append(Note.of(finding_of(error)))
        return None
    if own is not None:
        each.cluster_id, each.directory_id = own.cluster_id, own.directory_id
        each.node_id = own.broker_id if own.node_id is None else own.node_id
    return own


def _without_metadata(
    on_disks: Sequence[OwnedDir], properties: "Mapping[int, MetaProperties | None]", notes: list[str]
) -> None:
    notes.extend(
        f"{each.log_dir.location.child(META_PROPERTIES)} cannot be rebuilt without a metadata log"
        for each in on_disks
        if properties[id(each)] is None
    )
    _note_twice(on_disks, notes)


def _note_twice(on_disks: Iterable[OwnedDir], notes: list[str]) -> None:
    """Find directories with the same id: they are copies of each other if they share partitions."""
    by_id: dict[str, OwnedDir] = {}
    for each in on_disks:
        if each.directory_id is None or each.copy_of is not None:
            continue
        first = by_id.setdefault(each.directory_id, each)
        if first is each:
            continue
        if first.node == each.node and first.held & each.held:
            each.copy_of = first
            notes.append(
                f"{each.path} and {first.path} have the same directory id and share partitions: "
                f"they become one, in the folder of {first.path}"
            )
        else:
            notes.append(
                f"{each.path} and {first.path} have the same directory id: a node starts on one of them at a time"
            )


def _make(each: OwnedDir, own: "MetaProperties | None", notes: list[str]) -> None:
    """Make meta.properties if the existing ones differ from the known ids."""
    wanted = each.cluster_id, each.node_id, each.directory_id
    if each.node_id is None or each.directory_id is None or each.copy_of is not None:
        return
    if own is not None and wanted == (own.cluster_id, own.node_id, own.directory_id):
        return
    if each.cluster_id is None:
        notes.append(
            f"{each.path}: by the metadata log it is directory {each.directory_id} of node {each.node_id}, but "
            f"its cluster id is unknown: write {META_PROPERTIES}, or the node does not start"
        )
        return
    if own is not None and own.node_id is None and not each.is_registered:
        return  # written by a Kafka with ZooKeeper (version 0)
    each.made = meta_properties.encode(
        cluster_id=each.cluster_id,
        node_id=each.node_id,
        directory_id=each.directory_id,
        now_ms=time.time_ns() // 1_000_000,
    )
    place = each.log_dir.location.child(META_PROPERTIES)
    ids = f"cluster {each.cluster_id}, node {each.node_id}, directory {each.directory_id}"
    notes.append(Note(f"{place} is rebuilt: {ids}", path=str(place)))


def _say_clusters(on_disks: Sequence[OwnedDir], notes: list[str]) -> None:
    clusters = {each.cluster_id for each in on_disks if each.cluster_id is not None}
    if len(clusters) > 1:
        notes.append(f"the sources are of {len(clusters)} clusters: each fills gaps only for the same topic id")


class _Registrations:
    """Matches log directories with the directories that brokers registered."""

    def __init__(
        self,
        on_disks: Sequence[OwnedDir],
        clusters: "Sequence[ClusterMetadata]",
        at_hand: Collection[TopicPartition],
        notes: list[str],
    ) -> None:
        self._on_disks = on_disks
        self._at_hand = at_hand
        self._notes = notes
        self._registered = {each.directory_id: each for cluster in clusters for each in _registered(cluster)}
        self._clusters = clusters
        self._unknown: list[OwnedDir] = []
        self._taken: set[str] = set()

    def decide(self) -> None:
        """Give each directory its node and ids."""
        claims: dict[str, list[OwnedDir]] = defaultdict(list)
        for each in self._on_disks:
            if each.directory_id in self._registered:
                claims[each.directory_id].append(each)
            else:
                self._unknown.append(each)
        for directory_id, claimants in claims.items():
            self._settle(self._registered[directory_id], claimants, claims)
        by_node: dict[Node, list[OwnedDir]] = defaultdict(list)
        for each in self._unknown:
            node = self._node_of(each)
            if node is None:
                self._notes.append(f"{each.path}: its node is unknown")
            else:
                by_node[node].append(each)
        for node, unknown in by_node.items():
            self._match(node, unknown)

    def _settle(self, registered: _Registered, claimants: Sequence[OwnedDir], claimed: Collection[str]) -> None:
        """If several directories have one id, the one with its partitions keeps it; the others are copies, or lose it.

        Args:
            registered: the registration of the id.
            claimants: the directories with the id.
            claimed: all ids that directories have.
        """
        ordered = sorted(claimants, key=lambda each: -len(each.held & registered.placed))
        first, *others = ordered
        if len(first.held & registered.placed) == len(claimants[0].held & registered.placed):
            first = claimants[0]
            others = list(claimants[1:])
        self._take(first, registered)
        for each in others:
            cluster, here = registered.cluster, len(each.held & registered.placed)
            free = [one for node_id in cluster.brokers for one in self._free(cluster, node_id)]
            free = [one for one in free if one.directory_id not in claimed]
            fitting = max(free, key=lambda one: len(each.held & one.placed), default=None)
            if fitting is not None and len(each.held & fitting.placed) > here:
                each.directory_id = None
                each.cluster_id, each.node_id = cluster.cluster_id, fitting.node_id
                self._unknown.append(each)
            elif each.held:
                each.copy_of, each.node_id, each.cluster_id = first, first.node_id, first.cluster_id
                self._notes.append(
                    f"{each.path} and {first.path} have the same directory id and are copies of one directory: they "
                    f"become one, in the folder of {first.path}"
                )
            else:
                each.directory_id = None
                self._unknown.append(each)

    def _take(self, each: OwnedDir, registered: _Registered) -> None:
        self._taken.add(registered.directory_id)
        each.directory_id, each.node_id, each.is_registered = registered.directory_id, registered.node_id, True
        each.cluster_id = registered.cluster.cluster_id or each.cluster_id or self._usual_cluster()

    def _usual_cluster(self) -> str | None:
        counts = Counter(each.cluster_id for each in self._on_disks if each.cluster_id is not None)
        return next((cluster_id for cluster_id, _ in counts.most_common(1)), None)

    def _free(self, cluster: "ClusterMetadata", node_id: int) -> list[_Registered]:
        return [
            each
            for each in self._registered.values()
            if each.cluster is cluster and each.node_id == node_id and each.directory_id not in self._taken
        ]

    def _cluster(self, cluster_id: str | None) -> "ClusterMetadata | None":
        named = [each for each in self._clusters if each.cluster_id == cluster_id]
        return named[0] if named else self._clusters[0] if len(self._clusters) == 1 else None

    def _node_of(self, each: OwnedDir) -> Node | None:
        """The node of a directory with an unknown id: by meta.properties, its partitions, or its neighbours."""
        cluster = self._cluster(each.cluster_id)
        if each.node_id is not None:
            return each.cluster_id, each.node_id
        if cluster is None:
            return None
        free = [one for node_id in cluster.brokers for one in self._free(cluster, node_id)]
        fitting = max(free, key=lambda one: len(each.held & one.placed), default=None)
        if fitting is not None and each.held & fitting.placed:
            return cluster.cluster_id, fitting.node_id
        parent = each.log_dir.location.parent.identity
        beside = {
            one.node
            for one in self._on_disks
            if one.is_registered and one.log_dir.location.parent.identity == parent and one.node is not None
        }
        nodes = beside or {one.node for one in self._on_disks if one.node is not None}
        nodes = nodes or {(cluster.cluster_id, node_id) for node_id in cluster.brokers}
        with_room = {node for node in nodes if self._free(cluster, node[1])}
        return next(iter(with_room)) if len(with_room) == 1 else next(iter(nodes)) if len(nodes) == 1 else None

    def _match(self, node: Node, unknown: list[OwnedDir]) -> None:
        """Assign to a node's directories the ids of its missing registered directories."""
        cluster = self._cluster(node[0])
        if cluster is None:
            return
        free = self._free(cluster, node[1])
        pairs = [
            (len(each.held & one.placed), number, place)
            for number, each in enumerate(unknown)
            for place, one in enumerate(free)
        ]
        matched: dict[int, int] = {}
        for score, number, place in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
            if score and number not in matched and place not in matched.values():
                matched[number] = place
        left = [number for number in range(len(unknown)) if number not in matched]
        empty = [number for number in left if not unknown[number].held]
        rest = [place for place in range(len(free)) if place not in matched.values()]
        if len(left) == 1 and len(rest) == 1 and not empty:
            matched[left[0]] = rest[0]
        else:
            matched.update(zip(empty, rest, strict=False))
        for number, each in enumerate(unknown):
            registered = free[matched[number]] if number in matched else None
            if registered is not None and (each.held or self._can_be_filled(registered)):
                self._take(each, registered)
                continue
            broker = cluster.brokers.get(node[1])
            self._stays_apart(node, each, registered, has_registered=broker is not None and bool(broker.log_dirs))

    def _can_be_filled(self, registered: _Registered) -> bool:
        """Whether an empty directory may count as a lost one: other replicas would be truncated to logs left empty."""
        topics = registered.cluster.topics
        return all(
            each in self._at_hand or len(topics[each[0] or ""].partitions[each[1] or 0].replicas) < 2
            for each in registered.placed
        )

    def _stays_apart(self, node: Node, each: OwnedDir, registered: _Registered | None, *, has_registered: bool) -> None:
        own_id, each.node_id = each.directory_id, node[1]
        each.cluster_id = node[0] or each.cluster_id
        if registered is not None:
            each.directory_id = own_id or new_id()
            count = len(registered.placed)
            self._notes.append(
                f"{each.path} is empty, and no copy of the {count} partitions of directory {registered.directory_id} "
                f"is among the sources: it is a new directory, {each.directory_id}, to which Kafka copies what "
                "other brokers have"
            )
        elif own_id is None and has_registered:
            each.node_id = None
            self._notes.append(f"{each.path}: its directory.id is not in the metadata log")
        elif own_id is not None and has_registered:
            self._notes.append(f"{each.path}: its directory.id {own_id} is not in the metadata log")


def _registered(cluster: "ClusterMetadata") -> Iterator[_Registered]:
    placed: dict[tuple[int, str], set[TopicPartition]] = defaultdict(set)
    for topic, partition in cluster.partitions():
        for node_id, directory_id in zip(partition.replicas, partition.directories, strict=False):
            placed[node_id, directory_id].add((topic.name, partition.partition))
    for node_id, broker in cluster.brokers.items():
        for directory_id in broker.log_dirs:
            yield _Registered(cluster, node_id, directory_id, placed[node_id, directory_id])
