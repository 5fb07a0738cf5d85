"""ServedDisks: the topics of a source, and what else its disks know of their cluster."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, UUID, uuid5

from kafkafmt.errors import KafkafmtError
from kafkafmt.internal_topics import TRANSACTION_STATE
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.serving.api import ServeOptions, uuid_of
from kafkafmt.serving.replicas import served_replicas
from kafkafmt.serving.served_log import ServedLog

if TYPE_CHECKING:
    from kafkafmt.disks import Disks
    from kafkafmt.files.meta_properties import MetaProperties
    from kafkafmt.files.producer_snapshot import ProducerState
    from kafkafmt.topics.cluster_metadata.cluster import ClusterMetadata
    from kafkafmt.topics.consumer_groups import Group
    from kafkafmt.topics.transaction_state.coordinator import TransactionalId

_NO_CLUSTER_ID = "kafkafmt-serve"


class ServedDisks:
    """The partitions of a source, each by its best replica. All but the constructor may block.

    Args:
        opened: the source.
        options: how it is served.
        topics: names, or a pattern; None for all.
        report: takes each fault once, as a line.

    Attributes:
        opened: the source.
        logs: partitions by topic and number, in order.
    """

    def __init__(
        self,
        opened: "Disks",
        options: ServeOptions,
        *,
        topics: "object" = None,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.opened = opened
        self.options = options
        self._report = report
        found: dict[str, dict[int, ServedLog]] = {}
        scan = opened.scan(topics=topics, on_damage="skip")  # type: ignore[arg-type]
        for partition in served_replicas(scan.partitions, self._judging, report):
            log = ServedLog(partition, options, report)
            found.setdefault(log.topic, {})[log.number] = log
        self.logs = {topic: dict(sorted(logs.items())) for topic, logs in sorted(found.items())}
        self._give_epochs()

    def log(self, topic: str | None, partition: int) -> ServedLog | None:
        """A partition, or None."""
        return self.logs.get(topic or "", {}).get(partition)

    def topic_id(self, topic: str) -> UUID:
        """Id of a topic: of its partition.metadata, of the metadata log, or of its name."""
        return self._ids[topic]

    def topic_of(self, topic_id: UUID) -> str | None:
        """Name of the topic with an id, or None."""
        return self._names.get(topic_id)

    @cached_property
    def _ids(self) -> dict[str, UUID]:
        return {topic: self._find_id(topic, logs) for topic, logs in self.logs.items()}

    @cached_property
    def _names(self) -> dict[UUID, str]:
        return {topic_id: topic for topic, topic_id in self._ids.items()}

    def _find_id(self, topic: str, logs: dict[int, ServedLog]) -> UUID:
        for log in logs.values():
            try:
                text = log.partition.topic_id
            except KafkafmtError as fault:
                self._report(str(fault))
                continue
            if text:
                return uuid_of(text)
        if self.cluster is not None and topic in self.cluster.topics:
            return uuid_of(self.cluster.topics[topic].id)
        # Before Kafka 2.8 topics have none; clients of today know topics by nothing else.
        return uuid5(NAMESPACE_OID, f"kafkafmt serve {topic}")

    def _give_epochs(self) -> None:
        if self.cluster is None:
            return
        for topic, logs in self.logs.items():
            registered = self.cluster.topics.get(topic)
            for number, log in logs.items():
                if registered is not None and number in registered.partitions:
                    log.known_leader_epoch = registered.partitions[number].leader_epoch

    @cached_property
    def cluster(self) -> "ClusterMetadata | None":
        """What the metadata log says; None without one, or if it cannot be read."""
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - topics are loaded when asked

        if not find_copies(self.opened):
            return None
        try:
            return self.opened.metadata(on_damage="skip", at_time=self.options.at_time)
        except KafkafmtError as fault:
            self._report(f"served without cluster metadata: {fault}")
            return None

    @property
    def _judging(self) -> "ClusterMetadata | None":
        """The metadata that tell strays: not those with which a cluster begins, in a bootstrap.checkpoint alone."""
        from kafkafmt.topics.cluster_metadata.copies import find_copies  # noqa: PLC0415 - topics are loaded when asked

        return self.cluster if any(copy.is_log for copy in find_copies(self.opened)) else None

    @cached_property
    def configs(self) -> Mapping[tuple[str, str], Mapping[str, str | None]]:
        """What the metadata log sets, by type and name of the resource; None for secrets. Empty without one."""
        found: dict[tuple[str, str], dict[str, str | None]] = defaultdict(dict)
        for each in () if self.cluster is None else self.cluster.configs:
            found[each.resource_type, each.resource_name][each.name] = (
                each.value if isinstance(each.value, str) else None
            )
        return found

    @cached_property
    def transactional_ids(self) -> "Mapping[str, TransactionalId]":
        """The transactional ids of `__transaction_state` by name; none without that topic."""
        if TRANSACTION_STATE not in self.logs:
            return {}
        try:
            answer = self.opened.transactions(on_damage="skip", at_time=self.options.at_time)
        except KafkafmtError as fault:
            self._report(str(fault))
            return {}
        return {each.transactional_id: each for each in answer.ids}

    def producers_of(self, topic: str, partition: int) -> "Sequence[ProducerState]":
        """The producers of a served partition, by id: of its newest snapshot and the log after it."""
        log = self.log(topic, partition)
        try:
            return () if log is None else log.transactions.producers()
        except KafkafmtError as fault:
            self._report(str(fault))
            return ()

    @cached_property
    def groups(self) -> "dict[str, Group]":
        """The groups of `__consumer_offsets` by id; none without that topic, or if they are not to be served."""
        if self.options.groups == "none":
            return {}
        try:
            found = self.opened.groups(at_time=self.options.at_time)
        except KafkafmtError as fault:
            self._report(f"no groups: {fault}")
            return {}
        for error in found.errors:
            self._report(str(error))
        return {group.group_id: group for group in found}

    @cached_property
    def _properties(self) -> "MetaProperties | None":
        for directory in self.opened.log_dirs:
            try:
                found = properties_of(directory.location)
            except KafkafmtError as fault:
                self._report(str(fault))
                continue
            if found is not None:
                return found
        return None

    @cached_property
    def node_id(self) -> int:
        """`node.id` of the first log directory's meta.properties; 0 if unknown."""
        known = self._properties
        return 0 if known is None else known.node_id or known.broker_id or 0

    @cached_property
    def cluster_id(self) -> str:
        """Id of the cluster, by the metadata log or meta.properties."""
        known = None if self.cluster is None else self.cluster.cluster_id
        if known is None and self._properties is not None:
            known = self._properties.cluster_id
        return known or _NO_CLUSTER_ID
