"""The configs in force for a log: those of its topic, its node and the cluster in the metadata log, or defaults.

As in Kafka, for each name a topic's own value wins over the node's, that over the cluster's default, and that over
Kafka's default (`DynamicBrokerConfig`, `LogConfig`, KIP-226). Settings in server.properties are not on the disks.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Never

from kafkafmt.errors import DataError
from kafkafmt.files.damage import Note
from kafkafmt.findings import Finding, finding_of
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.operations.known_configs import (
    CREATED_WITH,
    KNOWN_CONFIGS,
    TOPIC_CONFIGS,
    ConfigError,
    ConfigSource,
    ConfigValue,
    KnownConfig,
    checked_config,
    parsed_value,
)
from kafkafmt.topics.answers import AsOf
from kafkafmt.topics.cluster_metadata import copies
from kafkafmt.topics.cluster_metadata.reading import metadata as read_metadata
from kafkafmt.topics.cluster_metadata.reading import metadata_of_copies

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

    from kafkafmt.errors import OnDamage
    from kafkafmt.files.damage import Damage
    from kafkafmt.io.base import Location
    from kafkafmt.logdir.partition import Partition
    from kafkafmt.logdir.sources import Searchable, Sources
    from kafkafmt.topics.cluster_metadata import ClusterMetadata


class TopicConfigs:
    """The configs in force for a topic on one node. Made by `Configs`.

    Args:
        values: all values by name.
    """

    def __init__(self, values: Mapping[str, ConfigValue]) -> None:
        self._values = values

    def number(self, name: str) -> int:
        """A whole number, in the unit of the config's name; -1 means no limit where it does in Kafka."""
        value = self._values[name].value
        return value if isinstance(value, int) else self._is_not(name, "number")

    def real(self, name: str) -> float:
        """A fraction, as a float."""
        value = self._values[name].value
        return value if isinstance(value, float) else self._is_not(name, "real")

    def flag(self, name: str) -> bool:
        """A boolean."""
        value = self._values[name].value
        return value if isinstance(value, bool) else self._is_not(name, "flag")

    @property
    def policies(self) -> frozenset[str]:
        """The values in `cleanup.policy`: "compact", "delete", both or none."""
        value = self._values["cleanup.policy"].value
        return frozenset(value if isinstance(value, tuple) else ())

    def text(self, name: str) -> str:
        """The value as text, under the topic's name and in its unit."""
        return self._values[name].text

    def source(self, *names: str) -> str:
        """The sources of values in words: "retention.ms=topic, retention.bytes=default"."""
        return ", ".join(f"{name}={self._values[name].source}" for name in names)

    @staticmethod
    def _is_not(name: str, kind: str) -> Never:
        raise TypeError(f"{name} is a {KNOWN_CONFIGS[name].kind}, not a {kind}")


class Configs:
    """The configs in force for all logs of some disks. Made by `configs_of`.

    Args:
        clusters: metadata of the clusters, the preferred one first.
        options: values that override, by name, from `checked_config`.
        unread: findings on metadata logs that cannot be read.
        raises: whether a broken meta.properties raises an error, instead of being a finding.

    Attributes:
        damage: damaged parts of the metadata logs that were skipped.
    """

    def __init__(
        self,
        clusters: "Iterable[ClusterMetadata]",
        options: Mapping[str, str],
        unread: Sequence[Finding] = (),
        *,
        raises: bool = True,
    ) -> None:
        self._clusters = [(cluster, _by_resource(cluster)) for cluster in clusters]
        self._options = options
        self._topics: dict[tuple[str | None, int | None, str | None], TopicConfigs] = {}
        self._nodes: dict[str, tuple[int | None, str | None]] = {}
        self._notes: dict[str, Note] = {}
        self._unread = unread
        self._findings: list[Finding] = [*unread]
        self._raises = raises
        self.damage: Sequence[Damage] = [each for cluster, _ in self._clusters for each in cluster.damage]
        wrong = [note for cluster, _ in self._clusters for note in cluster.notes]
        self._notes |= {note: note for note in wrong if isinstance(note, Note) and note.is_finding}

    @property
    def notes(self) -> Sequence[Note]:
        """Notes on the configs looked up so far."""
        return tuple(self._notes.values())

    @property
    def findings(self) -> Sequence[Finding]:
        """Faults found while reading meta.properties and the metadata log."""
        return tuple(self._findings)

    def of_partition(self, partition: "Partition") -> TopicConfigs:
        """The configs of a partition's topic on the node of its log directory, by the meta.properties there.

        Raises:
            KafkafmtError: meta.properties is broken and that is raised, or cannot be read.
        """
        node_id, cluster_id = self._node_of(partition)
        return self.of_topic(partition.topic, node_id, cluster_id)

    def has_metadata_of(self, partition: "Partition") -> bool:
        """Whether the metadata of a partition's cluster is there; else a note says that configs are Kafka's defaults.

        Raises:
            KafkafmtError: as in `of_partition`.
        """
        return self._of_cluster(self._node_of(partition)[1])[0] is not None

    def of_topic(self, topic: str | None, node_id: int | None = None, cluster_id: str | None = None) -> TopicConfigs:
        """The configs of a topic on a node.

        Args:
            topic: name of the topic; None for the configs of any topic.
            node_id: id of the node; None if it is unknown: then settings of single nodes are ignored.
            cluster_id: id of the cluster, as the disks may have several; None if it is unknown.
        """
        key = topic, node_id, cluster_id
        if key not in self._topics:
            self._topics[key] = self._resolved(*key)
        return self._topics[key]

    def _resolved(self, topic: str | None, node_id: int | None, cluster_id: str | None) -> TopicConfigs:
        cluster, configs = self._of_cluster(cluster_id)
        if cluster is None:
            self._note(
                f"{self._missing(cluster_id)}: configs are Kafka's defaults "
                "(--metadata names a log directory that has it, --config sets values)"
            )
        if node_id is None and any(kind == "BROKER" and name for kind, name in configs):
            self._note("no meta.properties says which node this is: configs of single nodes are not applied")
        own = {} if topic is None else configs.get(("TOPIC", topic), {})
        of_node = {} if node_id is None else configs.get(("BROKER", str(node_id)), {})
        of_cluster = configs.get(("BROKER", ""), {})
        is_created = topic is not None and cluster is not None and topic in cluster.topics
        defaults = {} if topic is None or is_created else CREATED_WITH.get(topic, {})
        values: dict[str, ConfigValue] = {}
        for name, known in KNOWN_CONFIGS.items():
            itself, brokers = [(name, 1)], known.broker or [(name, 1)]
            layers: list[tuple[Sequence[tuple[str, int]], Mapping[str, str], ConfigSource]] = [
                (itself, self._options, "option"),
                # The internal name with which Kafka's tests set small segments: unlike segment.bytes it has no lower
                # bound.
                ([(f"internal.{name}", 1), *itself] if name in TOPIC_CONFIGS else [], own, "topic"),
                (brokers, of_node, "node"),
                (brokers, of_cluster, "cluster"),
                (brokers, self._options, "option"),  # like a line of server.properties: weaker than the layers above
                (itself, {name: defaults.get(name, known.default)}, "default"),
            ]
            found = (self._first(known, names, given, source) for names, given, source in layers)
            values[name] = next(value for value in found if value is not None)
        return TopicConfigs(values)

    def _missing(self, cluster_id: str | None) -> str:
        """The reason why there is no metadata for a cluster's disks."""
        if self._clusters:
            known = ", ".join(sorted(str(cluster.cluster_id) for cluster, _ in self._clusters))
            own = "have no cluster id" if cluster_id is None else f"are of {cluster_id}"
            return f"the metadata log is of cluster {known}, the disks {own}"
        return "the metadata log cannot be read" if self._unread else "no metadata log among the paths"

    def _first(
        self, known: KnownConfig, names: Sequence[tuple[str, int]], given: Mapping[str, str], source: ConfigSource
    ) -> ConfigValue | None:
        """The value of the strongest name that is set there and has a valid value."""
        for name, unit in names:
            if name in given:
                try:
                    return parsed_value(known, name, given[name], source, unit)
                except ConfigError as error:
                    self._note(f"{error}: it is not applied")
        return None

    def _of_cluster(
        self, cluster_id: str | None
    ) -> "tuple[ClusterMetadata | None, Mapping[tuple[str, str], Mapping[str, str]]]":
        """The first metadata of a cluster, and its configs; an unknown id matches any."""
        if cluster_id is None and len({cluster.cluster_id for cluster, _ in self._clusters}) > 1:
            return None, {}
        for known in self._clusters:
            if cluster_id is None or known[0].cluster_id in (cluster_id, None):
                return known
        return None, {}

    def _node_of(self, partition: "Partition") -> tuple[int | None, str | None]:
        if isinstance(partition.location, TierPartition):
            return None, None
        log_dir = partition.location.parent
        if log_dir.identity not in self._nodes:
            self._nodes[log_dir.identity] = self._read_node(log_dir)
        return self._nodes[log_dir.identity]

    def _read_node(self, log_dir: "Location") -> tuple[int | None, str | None]:
        try:
            properties = properties_of(log_dir)
        except DataError as error:
            if self._raises:
                raise
            self._findings.append(finding_of(error, error.file or str(log_dir)))
            return None, None
        if properties is None:
            return None, None
        return properties.broker_id if properties.node_id is None else properties.node_id, properties.cluster_id

    def _note(self, text: str) -> None:
        self._notes[text] = Note(text, is_finding=False)


def configs_of(
    disks: "Sources",
    *,
    metadata: "Searchable | None" = None,
    config: Mapping[str, object] | None = None,
    filesystem: "FileSystem | None" = None,
    on_damage: "OnDamage" = "raise",
    limits: Limits | None = None,
) -> Configs:
    """Read the configs in force: from the metadata logs on the disks or elsewhere, and those that are given.

    Args:
        disks: sources that may have metadata logs, one for each cluster.
        metadata: location of the metadata log, if it is not on these disks.
        config: values by name, which may be below a broker's minimum. They override the metadata log, except for a
            broker's name of a topic's config (`log.retention.hours` for `retention.ms`), which acts as a line of
            server.properties: topic, node and cluster override it.
        filesystem: file system of `metadata`.
        on_damage: as for `kafkafmt.topics.metadata`.
        limits: bounds of memory.

    Raises:
        ConfigError: an unknown name, or an invalid value.
        SourceError: `metadata` cannot be read, or has no metadata log.
        KafkafmtError: a metadata log is damaged.
    """
    options = checked_config(config or {})
    bounds = limits or Limits()
    clusters = []
    if metadata is not None:
        clusters.append(read_metadata(metadata, filesystem=filesystem, on_damage=on_damage, limits=bounds))
    by_cluster: dict[str | None, list[copies.Copy]] = defaultdict(list)
    for copy in copies.find_copies(disks):
        if copy.is_log:
            by_cluster[copy.cluster_id].append(copy)
    unread = []
    for found in by_cluster.values():
        try:
            clusters.append(metadata_of_copies(found, AsOf(), on_damage, bounds, disks, show_secrets=False))
        except DataError as error:
            if on_damage == "raise":
                raise
            unread.append(finding_of(error, error.file or found[0].path, topic=CLUSTER_METADATA, partition=0))
    return Configs(clusters, options, unread, raises=on_damage == "raise")


def _by_resource(cluster: "ClusterMetadata") -> Mapping[tuple[str, str], Mapping[str, str]]:
    """The configs that were set, by type and name of the resource, without secrets."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in cluster.configs:
        if isinstance(each.value, str):
            found[each.resource_type, each.resource_name][each.name] = each.value
    return found
