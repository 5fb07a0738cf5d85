"""The partition directories that a repair makes: those of each node, and those that a node has lost."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from kafkafmt.files.damage import Note
from kafkafmt.files.names import PARTITION_METADATA, parse_partition_name
from kafkafmt.internal_topics import CLUSTER_METADATA, CLUSTER_METADATA_ID
from kafkafmt.logdir.log_dir import link_targets
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.repairing.copies import right_topic_id
from kafkafmt.repairing.held_copies import HeldCopy, Target
from kafkafmt.repairing.salvage import if_sound
from kafkafmt.startup.abandoned_futures import is_assigned_there
from kafkafmt.startup.absent_logs import AbsentLog, RegisteredDir, absent_in
from kafkafmt.startup.node_start import voters_of
from kafkafmt.startup.reachable_metadata import same_cluster
from kafkafmt.topics.cluster_metadata.copies import BOOTSTRAP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkafmt.errors import SourceError
    from kafkafmt.files.names import PartitionName
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.repairing.identities import Node, OwnedDir
    from kafkafmt.startup.reachable_metadata import ReachableMetadata
    from kafkafmt.topics.cluster_metadata.topics import PartitionRegistration

Key = tuple[str | None, int | None, str]
"""Topic, partition, and the name of a directory that is not named TOPIC-PARTITION."""


def copies_of_partitions(
    dirs: "Sequence[OwnedDir]",
    donors: "Sequence[Partition]",
    takes: Callable[[str], bool],
    notes: list[str],
    joined: "Mapping[str, Partition] | None",
    known: "ReachableMetadata",
) -> dict[Key, list[HeldCopy]]:
    """Find all copies of each partition; those of the metadata log are always wanted.

    Args:
        dirs: log directories of the source.
        donors: copies that only fill gaps.
        takes: whether a topic is wanted.
        notes: list that collects the parts that are not copied.
        joined: partitions that join remote storage and disks, by the identity of their location; None without remote
            storage. Partitions not in it are part of one of these.
        known: the metadata logs within reach.
    """
    groups: dict[Key, list[HeldCopy]] = defaultdict(list)
    links = link_targets(each.log_dir for each in dirs)
    for each in dirs:
        for alone in each.log_dir.partitions:
            link = links.get(alone.location.identity, alone)
            if link is not alone and each.node is None:
                notes.append(of_link(alone, link))
                continue
            if alone.topic is None and each.node is not None:
                notes.append(_of_no_partition(alone))
                continue
            partition = alone if joined is None else joined.get(alone.location.identity)
            if partition is not None and _is_wanted(partition, takes):
                name = partition.name if partition.topic is None else ""
                groups[partition.topic, partition.partition, name].append(HeldCopy(each, partition))
        for aside in each.log_dir.other_partitions:
            if not _is_promoted(aside, each, known):
                notes.append(f"{aside.path} is not copied: the broker has set it aside")
            elif _is_wanted(aside, takes):
                notes.append(f"{aside.path} is used as the partition: the metadata log has it in this log directory")
                groups[aside.topic, aside.partition, ""].append(HeldCopy(each, aside))
        notes += [_not_listed(error, takes) for error in each.log_dir.unreadable]
    own = {copy.partition.location.identity for group in groups.values() for copy in group}
    for partition in donors:
        if partition.topic is not None and _is_wanted(partition, takes) and partition.location.identity not in own:
            groups[partition.topic, partition.partition, ""].append(HeldCopy(None, partition))
    return groups


def _is_promoted(partition: "Partition", place: "OwnedDir", known: "ReachableMetadata") -> bool:
    """Whether it is a `-future` copy that gets the partition's name when the broker starts."""
    cluster = known.of(place.cluster_id)
    if partition.state != "future" or cluster is None or place.node_id is None:
        return False
    topic_id = if_sound(lambda: partition.topic_id)
    return is_assigned_there(cluster, place.node_id, place.directory_id, topic_id, partition.partition)


def of_link(partition: "Partition", link: "Partition") -> str:
    """The note on a directory of no node that a log directory links to: a broker reads it through the link."""
    return f"{partition.path} is written once, as {link.path}, which is a link to it"


def _of_no_partition(partition: "Partition") -> Note:
    """The note on a directory with Kafka's files that is not named TOPIC-PARTITION: a broker does not start with it."""
    what = "it is not named TOPIC-PARTITION, and the node does not start with it"
    return Note(f"{partition.path} is not copied: {what}", path=partition.path)


def _is_wanted(partition: "Partition | PartitionName", takes: Callable[[str], bool]) -> bool:
    return partition.topic is None or takes(partition.topic) or partition.topic == CLUSTER_METADATA


def _not_listed(error: "SourceError", takes: Callable[[str], bool]) -> Note:
    """The note on a directory that cannot be listed: a finding if it is wanted, as the copy lacks its records."""
    hint = "; run this as Kafka's user, or as root" if isinstance(error.__cause__, PermissionError) else ""
    name = parse_partition_name(os.path.basename(error.file or ""))
    text = f"{error}: it is not copied{hint}"
    is_wanted = _is_wanted(name, takes)
    return Note(text, is_finding=is_wanted, path=error.file, topic=name.topic, partition=name.partition)


class RepairPlan:
    """Decides how the copies of each partition are used.

    Args:
        dirs: log directories of the source.
        lent: log directories of the donors.
        known: the metadata logs.
        restores: whether partitions that a node has lost are made.
        notes: list that collects decisions.
    """

    def __init__(
        self,
        dirs: "Sequence[OwnedDir]",
        lent: "Sequence[OwnedDir]",
        known: "ReachableMetadata",
        notes: list[str],
        *,
        restores: bool,
    ) -> None:
        self._known = known
        self._notes = notes
        self._restores = restores
        self._dirs: dict[Node, list[OwnedDir]] = defaultdict(list)
        for each in dirs:
            if each.node is not None and each.copy_of is None:
                self._dirs[each.node].append(each)
        self._lent = lent
        self._at_hand = {each.node for each in lent if each.node is not None} | set(self._dirs)
        self.restored: dict[Node, int] = defaultdict(int)
        self.left_to_kafka: dict[Node, int] = defaultdict(int)

    def targets(self, key: Key, copies: Sequence[HeldCopy]) -> Iterator[Target]:
        """The partition directories to be made from the copies of one partition.

        Args:
            key: the partition.
            copies: all copies, already read.
        """
        topic, number, _ = key
        by_node: dict[Node | None, list[HeldCopy]] = defaultdict(list)
        for each in copies:
            if each.owned is not None:
                by_node[each.owned.node].append(each)
        clusters = {node[0] for node in self._dirs} or {None}
        for cluster_id in sorted(clusters, key=str):
            nodes = [node for node in self._dirs if node[0] == cluster_id]
            registered = self._known.partition(cluster_id, topic, number)
            if not any(node in by_node for node in nodes) and registered is None and topic != CLUSTER_METADATA:
                continue
            topic_id = right_topic_id(copies, self._topic_id(cluster_id, copies, topic), self._notes)
            accepted = [each for each in copies if each.topic_id in (None, topic_id)]
            if topic == CLUSTER_METADATA:  # its topic id is the same in all clusters
                accepted = [each for each in accepted if same_cluster(cluster_id, each.cluster_id)]
            for node in nodes:
                target = self._of_node(node, registered, by_node[node], accepted, topic_id, topic)
                if target is not None:
                    yield target
        if by_node[None]:
            yield self._of_nobody(key, copies, by_node[None])

    def absent(self) -> Iterator[AbsentLog]:
        """Logs that nodes had and have lost: Kafka recreates them empty.

        Raises:
            SourceError: a log directory cannot be listed, or a checkpoint cannot be read.
        """
        for node, owned in self._dirs.items():
            cluster = self._known.of(node[0])
            if cluster is None:
                continue
            dirs = [RegisteredDir(each.path, each.directory_id, each.log_dir.location.list()) for each in owned]
            names = [parse_partition_name(entry.name) for each in dirs for entry in each.listing if entry.is_directory]
            here = {(name.topic, name.partition) for name in names if name.state != "delete"}
            yield from absent_in(dirs, cluster, node[1], here)

    def sums(self) -> Iterator[str]:
        """Notes on the partitions that nodes have lost."""
        for (_, number), count in self.restored.items():
            yield f"node {number} has lost {_partitions(count)} assigned to it: created from other copies"
        for (_, number), count in self.left_to_kafka.items():
            yield (
                f"node {number} lacks {_partitions(count)} that the metadata log assigns to a directory which is not "
                "in the source: not created here; Kafka copies them from the other replicas, unless this node led "
                "last: then name an empty directory for the lost one too"
            )

    def _topic_id(self, cluster_id: str | None, copies: Sequence[HeldCopy], topic: str | None) -> str | None:
        if topic == CLUSTER_METADATA:
            return self._metadata_id(copies)
        known = self._known.topic_id(cluster_id, topic)
        if known is not None and self._known.named is not None:
            for each in copies:
                if isinstance(each.partition.location, TierPartition):
                    each.topic_id = None  # restored into another cluster it belongs to that cluster's topic
        return known

    def _metadata_id(self, copies: Sequence[HeldCopy]) -> str:
        """The id of the metadata log, which all its copies get."""
        for each in copies:
            if each.topic_id not in (None, CLUSTER_METADATA_ID):
                path = f"{each.partition.path}/{PARTITION_METADATA}"
                text = f"{path} has topic id {each.topic_id}: the metadata log gets its own, {CLUSTER_METADATA_ID}"
                self._notes.append(Note(text, is_finding=each.owned is not None, path=path))
                each.topic_id = CLUSTER_METADATA_ID
        return CLUSTER_METADATA_ID

    def _of_nobody(self, key: Key, copies: Sequence[HeldCopy], own: Sequence[HeldCopy]) -> Target:
        """Merge copies that belong to no node into one, in the folder of the best copy."""
        topic_id = right_topic_id(copies, self._topic_id(None, copies, key[0]), self._notes)
        accepted = [each for each in own if each.topic_id in (None, topic_id)]
        others = [each for each in copies if each not in own and each.topic_id in (None, topic_id)]
        accepted = accepted or list(own)
        _, place = max(_owned(accepted), key=lambda pair: pair[0].standing)
        self._note_lost_id(accepted, topic_id)
        return Target(place, accepted, others, topic_id, None, None)

    def _of_node(
        self,
        node: "Node",
        registered: "PartitionRegistration | None",
        own: Sequence[HeldCopy],
        accepted: Sequence[HeldCopy],
        topic_id: str | None,
        topic: str | None,
    ) -> Target | None:
        replicas = () if registered is None else registered.replicas
        is_assigned = node[1] in replicas
        mine = [each for each in own if each in accepted]
        others = [each for each in accepted if each not in own]
        if own and not mine and not (is_assigned and others):
            # A directory of another topic that nothing replaces stays as it is.
            mine, others = list(own), []
        epoch = None if registered is None else registered.leader_epoch
        at_hand = {other[1] for other in self._at_hand if other[0] == node[0]}
        elsewhere = None if registered is None else tuple(each for each in replicas if each not in at_hand)
        if mine:
            if registered is not None and not is_assigned and self._is_kept_by(node[0], registered, others):
                self._notes += [
                    f"{each.partition.path} is not copied: the metadata log assigns it to "
                    f"{_nodes(replicas)}, whose copy has its records"
                    for each in mine
                ]
                return None
            place = self._place_of_own(node, registered, mine)
            self._note_lost_id(mine, topic_id)
        elif not self._restores or not others or not (is_assigned or topic == CLUSTER_METADATA):
            return None
        else:
            if topic == CLUSTER_METADATA:
                found = self._place_of_metadata_log(node)
            else:
                found = self._place_of_lost(node, registered, own)
            if found is None:
                if topic != CLUSTER_METADATA and not self._is_lent(_directory(node, registered)):
                    self.left_to_kafka[node] += 1
                return None
            self.restored[node] += 1
            place = found
        voters = self._voters(node, place) if topic == CLUSTER_METADATA else {}
        return Target(place, mine, others, topic_id, epoch, elsewhere, voters)

    def _voters(self, node: "Node", place: "OwnedDir") -> "dict[int, str | None]":
        """The voters, if the node is one of them with this directory (KIP-853); else none."""
        cluster = self._known.of(node[0])
        if cluster is None:
            return {}
        voters = dict.fromkeys(voters_of(cluster)) | {each.id: each.directory_id for each in cluster.voters}
        return voters if voters.get(node[1], "") in (None, place.directory_id) else {}

    def _note_lost_id(self, own: Sequence[HeldCopy], topic_id: str | None) -> None:
        """Note that partition.metadata is lost, and whether it is rebuilt."""
        first = own[0].partition
        if first.topic in (None, CLUSTER_METADATA) or isinstance(first.location, TierPartition):
            return
        if all(each.topic_id is None for each in own):
            place = first.location.child("partition.metadata")
            if topic_id is None:
                self._notes.append(f"{place} is missing, and no metadata log has the topic's id")
            else:
                text = f"{place} is restored: topic id {topic_id}"
                self._notes.append(Note(text, path=str(place), topic=first.topic, partition=first.partition))

    def _is_kept_by(
        self, cluster_id: str | None, registered: "PartitionRegistration", others: Sequence[HeldCopy]
    ) -> bool:
        """Whether a node that the partition is assigned to is in the source, and gets it."""
        nodes = [(cluster_id, each) for each in registered.replicas]
        has_it = any(each.owned is not None and each.owned.node in nodes for each in others)
        return has_it or any(
            node in self._dirs and self._place_of_lost(node, registered, ()) is not None for node in nodes
        )

    def _place_of_own(
        self, node: "Node", registered: "PartitionRegistration | None", own: Sequence[HeldCopy]
    ) -> "OwnedDir":
        """The directory of a node's best copy; of equally good ones that in the metadata log, then the first."""
        assigned = _directory(node, registered)
        _, best = max(_owned(own), key=lambda pair: (pair[0].standing, pair[1].directory_id == assigned))
        if len({id(owned.written) for _, owned in _owned(own)}) > 1:
            first = own[0].partition
            text = f"{', '.join(each.partition.path for each in own)}: a node has a partition once; it is written in "
            text += best.written.path
            self._notes.append(Note(text, path=first.path, topic=first.topic, partition=first.partition))
        return best.written

    def _place_of_lost(
        self, node: "Node", registered: "PartitionRegistration | None", own: Sequence[HeldCopy]
    ) -> "OwnedDir | None":
        """The directory that gets a partition its node has lost; None if it may be in a directory that is not here."""
        assigned = _directory(node, registered)
        at_hand = (each for each in self._dirs[node] if each.directory_id == assigned)
        replaced = (each.owned.written for each in own if each.owned is not None)
        return next(at_hand, None) or next(replaced, None)

    def _place_of_metadata_log(self, node: "Node") -> "OwnedDir | None":
        """The directory that gets the metadata log its node has lost; None if it is not in the source.

        A node with two metadata logs does not start, so all its directories must be here, in the source or among the
        donors. metadata.log.dir is known for voters (KIP-853) and by bootstrap.checkpoint. Otherwise it is the first of
        log.dirs: the first one named, or, if some are among the donors, the first by name, regardless of the call.
        """
        cluster = self._known.of(node[0])
        if cluster is None:
            return None
        dirs, broker = self._dirs[node], cluster.brokers.get(node[1])
        count = 0 if broker is None else len(broker.log_dirs)
        unseen = set(() if broker is None else broker.log_dirs) - {each.directory_id for each in dirs}
        lent = list({each.directory_id: each for each in self._lent if each.directory_id in unseen}.values())
        holder = next((each for each in lent if (CLUSTER_METADATA, 0) in each.held), None)
        if holder is not None:
            self._notes.append(f"the metadata log of node {node[1]} is in {holder.path}, which is not in the source")
            return None
        if len(dirs) + len(lent) < count:
            self._notes.append(
                f"node {node[1]} has no metadata log in the source, and {len(dirs) + len(lent)} of its {count} log "
                "directories are named: it is not created, because the node may have it: name all its log directories"
            )
            return None
        voted = {voter.directory_id for voter in cluster.voters if voter.id == node[1]}
        place = min(
            [*dirs, *lent],
            key=lambda each: (
                each.directory_id not in voted,
                not each.log_dir.location.child(BOOTSTRAP).is_file(),
                (each.log_dir.location.name, each.path) if lent else (),
            ),
        )
        self._notes.append(
            f"node {node[1]} has lost its metadata log: it belongs in the copy of {place.path}"
            if place in lent
            else f"node {node[1]} has lost its metadata log: it is created in the copy of {place.path}"
        )
        return None if place in lent else place

    def _is_lent(self, directory_id: str | None) -> bool:
        return directory_id is not None and any(each.directory_id == directory_id for each in self._lent)


def _owned(copies: Sequence[HeldCopy]) -> "list[tuple[HeldCopy, OwnedDir]]":
    """Copies of the source with their log directories; donors are left out."""
    return [(each, each.owned) for each in copies if each.owned is not None]


def _directory(node: "Node", registered: "PartitionRegistration | None") -> str | None:
    """Id of the directory that the metadata log assigns a node's replica to; None if it is unknown."""
    if registered is None or node[1] not in registered.replicas:
        return None
    number = registered.replicas.index(node[1])
    return registered.directories[number] if number < len(registered.directories) else None


def _partitions(count: int) -> str:
    return "1 partition" if count == 1 else f"{count} partitions"


def _nodes(numbers: Sequence[int]) -> str:
    return f"node {numbers[0]}" if len(numbers) == 1 else f"nodes {', '.join(map(str, numbers))}"
