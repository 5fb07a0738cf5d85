"""ServedDisks: the topics of a source, and everything else that its disks know about their cluster."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, UUID, uuid5

from kafkafmt.cached import cached_property
from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from kafkafmt.io.local import LocalLocation
from kafkafmt.logdir.growth import directory_inode
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.partition import Partition
from kafkafmt.serving.api import ServeOptions, uuid_of
from kafkafmt.serving.kept import KeptAnswer
from kafkafmt.serving.kept_batches import KeptBatches
from kafkafmt.serving.replicas import best_replicas, strays, unknown
from kafkafmt.serving.served_log import ServedLog
from kafkafmt.serving.topic_ids import TopicIds

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.errors import Missing
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.logdir.growth import Inode
    from kafkafmt.serving.arrivals import Place
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata
    from kafkafmt.topics.consumer_groups import Group
    from kafkafmt.topics.transaction_state.coordinator import TransactionalId

_NO_CLUSTER_ID = "kafkafmt-serve"
_SECONDS_UNTIL_SAID_AGAIN = 3600.0


class ServedDisks:
    """The partitions of a source, each served from its best replica. All methods but the constructor may block.

    Followed disks change: each answer is made from the partitions that were there when it began.

    Args:
        opened: the source.
        options: how the source is served.
        topics: names, or a pattern; None for all topics.
        report: takes a line for each fault, once.
        sends_files: whether bytes may be sent from files.

    Attributes:
        opened: the source, as last listed.
        logs: partitions by topic and number, in order.
        listings: number of listings so far.
    """

    def __init__(
        self,
        opened: "Disks",
        options: ServeOptions,
        *,
        topics: "object" = None,
        report: Callable[[str], None] = lambda _: None,
        sends_files: bool = False,
    ) -> None:
        self.opened = opened
        self.options = options
        self._topics = topics
        self._told: dict[str, float] = {}
        self._say = report
        self._ahead = KeptBatches(sends_files=sends_files)
        self._cluster = KeptAnswer(self._read_cluster)
        self._groups = KeptAnswer(self._read_groups)
        self._transactional_ids = KeptAnswer(self._read_transactional_ids)
        self._ids = TopicIds(self._find_id, lambda: self.logs)
        self._configs: tuple[object, Mapping[tuple[str, str], Mapping[str, str | None]] | None] = None, None
        self.logs: Mapping[str, dict[int, ServedLog]] = {}
        self.listings = 0
        partitions = self._partitions_in(opened, missing="raise")
        hidden = strays(partitions, self._judging(None), self.report)
        if options.at_time is not None:
            hidden += unknown(partitions, self._judging(options.at_time))
        self._hidden = {_directory_of(each) for each in hidden}
        self._serve(partitions)

    def search(self, opened: "Disks") -> "list[Place]":
        """Serve the partitions of a new listing; returns those that are new or gone.

        Args:
            opened: the newly listed source.
        """
        before = {(log.topic, log.number): log for logs in self.logs.values() for log in logs.values()}
        self.opened = opened
        self._serve(self._partitions_in(opened, missing="note"))
        now = {(log.topic, log.number): log for logs in self.logs.values() for log in logs.values()}
        changed = [place for place in before.keys() | now.keys() if before.get(place) is not now.get(place)]
        for place in before.keys() & set(changed):
            before[place].forget_places()
        self._ids.forget({topic for topic, _ in changed})
        return changed

    def close_old(self) -> None:
        """Close the files kept for later answers that were open at the last call."""
        if self._ahead.files is not None:
            self._ahead.files.drop_old()

    def close(self) -> None:
        """Close the files kept for later answers."""
        if self._ahead.files is not None:
            self._ahead.files.close()

    def replace(self, log: ServedLog) -> None:
        """Serve the new state of a partition."""
        topic = self.logs[log.topic]
        if log.is_listed_anew:
            self._ids.forget([log.topic])
        topic[log.number] = log
        if log.topic in (CONSUMER_OFFSETS, SHARE_GROUP_STATE):
            self._groups.outdate()
        elif log.topic == TRANSACTION_STATE:
            self._transactional_ids.outdate()

    def outdate_unserved(self) -> None:
        """Mark answers from internal topics that are not served as outdated, as their files are not watched."""
        if not {CONSUMER_OFFSETS, SHARE_GROUP_STATE} <= self.logs.keys():
            self._groups.outdate()
        if TRANSACTION_STATE not in self.logs:
            self._transactional_ids.outdate()

    def outdate_metadata(self) -> None:
        """Mark the answer from the metadata log as outdated."""
        self._cluster.outdate()

    def _partitions_in(self, opened: "Disks", missing: "Missing") -> list[Partition]:
        scan = opened.scan(topics=self._topics, on_damage="skip", missing=missing)  # type: ignore[arg-type]
        return [
            each
            for each in scan.partitions
            if each.topic not in (None, CLUSTER_METADATA) and each.partition is not None
        ]

    def _serve(self, partitions: Sequence[Partition]) -> None:
        """Serve the best replica of each partition; a replica that is already served stays while it exists."""
        there = {each.path for each in partitions}
        logs = [log for of_topic in self.logs.values() for log in of_topic.values() if log.partition.path in there]
        served = {(log.topic, log.number) for log in logs}
        others = (each for each in partitions if (each.topic, each.partition) not in served)
        best = best_replicas((each for each in others if _directory_of(each) not in self._hidden), self.report)
        logs += [ServedLog(each, self.options, self.report, self._ahead) for each in best]
        found: dict[str, dict[int, ServedLog]] = {}
        for log in sorted(logs, key=lambda log: (log.topic, log.number)):
            found.setdefault(log.topic, {})[log.number] = log
        self.logs = found
        self.listings += 1
        self._give_epochs()

    def report(self, line: str) -> None:
        """Report a line, unless it was reported in the last hour."""
        now = time.monotonic()
        while self._told and now - next(iter(self._told.values())) > _SECONDS_UNTIL_SAID_AGAIN:
            del self._told[next(iter(self._told))]  # in the order in which they were reported
        if line not in self._told:
            self._told[line] = now
            self._say(line)

    def log(self, topic: str | None, partition: int) -> ServedLog | None:
        """A partition, or None."""
        return self.logs.get(topic or "", {}).get(partition)

    def topic_id(self, topic: str) -> UUID:
        """Id of a topic: from partition.metadata, else from the metadata log, else derived from the name."""
        return self._ids.of(topic)

    def topic_of(self, topic_id: UUID, *, waits: bool = True) -> str | None:
        """Name of the topic with an id, or None; see `TopicIds.topic_of`."""
        return self._ids.topic_of(topic_id, waits=waits)

    def _find_id(self, topic: str) -> UUID:
        for log in list(self.logs.get(topic, {}).values()):
            try:
                text = log.partition.topic_id
            except KafkafmtError as fault:
                log.tell(fault)
                continue
            if text:
                return uuid_of(text)
        if self.cluster is not None and topic in self.cluster.topics:
            return uuid_of(self.cluster.topics[topic].id)
        # Topics from before Kafka 2.8 have no id, but newer clients identify topics only by id, so one is made from the
        # name.
        return uuid5(NAMESPACE_OID, f"kafkafmt serve {topic}")

    def _give_epochs(self) -> None:
        """Give each partition its leader epoch in the metadata log."""
        cluster = self.cluster
        for topic, logs in self.logs.items() if cluster is not None else ():
            registered = None if cluster is None else cluster.topics.get(topic)
            for number, log in logs.items():
                if registered is not None and number in registered.partitions:
                    log.known_leader_epoch = max(log.known_leader_epoch, registered.partitions[number].leader_epoch)

    @property
    def cluster(self) -> "ClusterMetadata | None":
        """The cluster according to its metadata log; None without one, or if it cannot be read."""
        return self._cluster.get()

    @property
    def known_cluster(self) -> "ClusterMetadata | None":
        """The cluster as last read, for requests that make other requests wait."""
        return self._cluster.known

    def _read_cluster(self) -> "ClusterMetadata | None":
        return self._metadata(self.options.at_time)

    def _metadata(self, at_time: int | None) -> "ClusterMetadata | None":
        from kafkafmt.topics import metadata  # noqa: PLC0415 - topics are loaded when asked
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - as above

        if not find_copies(self.opened):
            return None
        source = [each.path for each in self.metadata_logs()] if self.options.follow else []
        try:
            return metadata(source or self.opened, on_damage="skip", at_time=at_time)
        except KafkafmtError as fault:
            self.report(f"served without cluster metadata: {fault}")
            return None

    def metadata_logs(self) -> list[Partition]:
        """The directories of the metadata log of all nodes."""
        return [each for each in self.opened.partitions if each.topic == CLUSTER_METADATA]

    def _judging(self, at_time: int | None) -> "ClusterMetadata | None":
        """The metadata that identify strays: None if a cluster has only the records of its bootstrap.checkpoint."""
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - topics are loaded when asked

        if not any(copy.is_log for copy in find_copies(self.opened)):
            return None
        return self.cluster if at_time == self.options.at_time else self._metadata(at_time)

    @property
    def configs(self) -> Mapping[tuple[str, str], Mapping[str, str | None]]:
        """Configs in the metadata log, by type and name of the resource; None for secrets. Empty without a log."""
        cluster, (known_by, known) = self.cluster, self._configs
        if known_by is not cluster or known is None:
            found: dict[tuple[str, str], dict[str, str | None]] = defaultdict(dict)
            for each in () if cluster is None else cluster.configs:
                value = each.value if isinstance(each.value, str) else None
                found[each.resource_type, each.resource_name][each.name] = value
            known = found
            self._configs = cluster, known
        return known

    @property
    def transactional_ids(self) -> "Mapping[str, TransactionalId]":
        """The transactional ids of `__transaction_state` by name; empty without that topic."""
        return self._transactional_ids.get()

    def _read_transactional_ids(self) -> "Mapping[str, TransactionalId]":
        from kafkafmt.topics import transactions  # noqa: PLC0415

        present = self._present(TRANSACTION_STATE)
        if present is None:
            return {}
        try:
            answer = transactions(present, on_damage="skip", at_time=self.options.at_time)
        except KafkafmtError as fault:
            self.report(str(fault))
            return {}
        return {each.transactional_id: each for each in answer.ids}

    def _present(self, topic: str, *others: str) -> "Disks | list[str] | None":
        """The source of an answer about an internal topic: the disks, or their directories now; None without the topic.

        Args:
            topic: the internal topic.
            others: other internal topics that the answer may need.
        """
        partitions = self.opened.partitions
        if all(each.topic != topic for each in partitions):
            return None
        if not self.options.follow:
            return self.opened
        return [each.path for each in partitions if each.topic in (topic, *others, CLUSTER_METADATA)]

    @property
    def groups(self) -> "Mapping[str, Group]":
        """The groups of `__consumer_offsets` by id; empty without that topic, or if groups are not to be served."""
        return self._groups.get()

    def _read_groups(self) -> "Mapping[str, Group]":
        from kafkafmt.topics import groups  # noqa: PLC0415

        present = None if self.options.groups == "none" else self._present(CONSUMER_OFFSETS, SHARE_GROUP_STATE)
        if present is None:
            return {}
        try:
            found = groups(present, at_time=self.options.at_time)
        except KafkafmtError as fault:
            self.report(f"no groups: {fault}")
            return {}
        for error in found.errors:
            self.report(str(error))
        return {group.group_id: group for group in found}

    @cached_property
    def _properties(self) -> "MetaProperties | None":
        for directory in self.opened.log_dirs:
            try:
                found = properties_of(directory.location)
            except KafkafmtError as fault:
                self.report(str(fault))
                continue
            if found is not None:
                return found
        return None

    @cached_property
    def node_id(self) -> int:
        """`node.id` in meta.properties of the first log directory; 0 if unknown."""
        known = self._properties
        return 0 if known is None else known.node_id or known.broker_id or 0

    @cached_property
    def cluster_id(self) -> str:
        """The cluster id from the metadata log or meta.properties."""
        cluster = self.known_cluster
        known = None if cluster is None else cluster.cluster_id
        if known is None and self._properties is not None:
            known = self._properties.cluster_id
        return known or _NO_CLUSTER_ID


def _directory_of(partition: Partition) -> "tuple[str, Inode | None]":
    """Identity of a directory, different from that of a later directory with the same name."""
    place = partition.location
    return partition.path, directory_inode(place.absolute) if isinstance(place, LocalLocation) else None
