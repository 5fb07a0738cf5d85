"""The configs in force for a log: what the metadata log has for its topic, its node and the cluster, or a default.

As in Kafka, a topic's own value wins over the node's, that over the cluster's default, and that over Kafka's default,
name by name (`DynamicBrokerConfig`, `LogConfig`, KIP-226). What server.properties sets is not on the disks.
"""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Never, assert_never

from kafkafmt.errors import DataError
from kafkafmt.files.damage import Note
from kafkafmt.internal_topics import CLUSTER_METADATA
from kafkafmt.limits import Limits
from kafkafmt.logdir.log_dir import properties_of
from kafkafmt.logdir.tier import TierPartition
from kafkafmt.topics.answers import AsOf, StateFinding, finding_of
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

ConfigSource = Literal["option", "topic", "node", "cluster", "default"]
"""Where a value comes from; "option" is `--config`, "cluster" the default of all nodes in the metadata log."""

_Kind = Literal["number", "real", "flag", "policies"]
_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_POLICIES: Final = ("compact", "delete")
_GREATEST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class _Known:
    """A config that decides what becomes of a log.

    Attributes:
        kind: what its value is.
        default: Kafka 4's default.
        broker: names of a broker's config for the same, the strongest first, each with its unit in ms or bytes.
        bits: of a number.
    """

    kind: _Kind
    default: str
    broker: tuple[tuple[str, int], ...] = ()
    bits: int = 64


def _times(name: str, *units: tuple[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((f"{name}.{unit}", ms) for unit, ms in units)


_TOPIC: Final[Mapping[str, _Known]] = {
    "cleanup.policy": _Known("policies", "delete", (("log.cleanup.policy", 1),)),
    "retention.ms": _Known(
        "number", str(168 * _HOUR), _times("log.retention", ("ms", 1), ("minutes", _MINUTE), ("hours", _HOUR))
    ),
    "retention.bytes": _Known("number", "-1", (("log.retention.bytes", 1),)),
    "local.retention.ms": _Known("number", "-2", (("log.local.retention.ms", 1),)),
    "local.retention.bytes": _Known("number", "-2", (("log.local.retention.bytes", 1),)),
    "remote.storage.enable": _Known("flag", "false"),
    "remote.log.copy.disable": _Known("flag", "false"),
    "segment.bytes": _Known("number", str(2**30), (("log.segment.bytes", 1),), bits=32),
    "segment.ms": _Known("number", str(168 * _HOUR), _times("log.roll", ("ms", 1), ("hours", _HOUR))),
    "segment.index.bytes": _Known("number", str(10 * 2**20), (("log.index.size.max.bytes", 1),), bits=32),
    "index.interval.bytes": _Known("number", "4096", (("log.index.interval.bytes", 1),), bits=32),
    "max.message.bytes": _Known("number", "1048588", (("message.max.bytes", 1),), bits=32),
    "file.delete.delay.ms": _Known("number", "60000", (("log.segment.delete.delay.ms", 1),)),
    "delete.retention.ms": _Known("number", str(24 * _HOUR), (("log.cleaner.delete.retention.ms", 1),)),
    "min.compaction.lag.ms": _Known("number", "0", (("log.cleaner.min.compaction.lag.ms", 1),)),
    "max.compaction.lag.ms": _Known("number", str(_GREATEST), (("log.cleaner.max.compaction.lag.ms", 1),)),
    "min.cleanable.dirty.ratio": _Known("real", "0.5", (("log.cleaner.min.cleanable.ratio", 1),)),
}
"""Configs of a topic, and of a broker under other names."""

_BROKER: Final[Mapping[str, _Known]] = {
    "log.retention.check.interval.ms": _Known("number", "300000"),
    "log.cleaner.enable": _Known("flag", "true"),
    "log.cleaner.threads": _Known("number", "1", bits=32),
    "log.cleaner.dedupe.buffer.size": _Known("number", str(128 * 2**20)),
    "log.cleaner.io.buffer.size": _Known("number", str(512 * 2**10), bits=32),
    "log.cleaner.io.buffer.load.factor": _Known("real", "0.9"),
    "producer.id.expiration.ms": _Known("number", str(24 * _HOUR), bits=32),
}
"""Configs that only a broker has."""

_KNOWN: Final[Mapping[str, _Known]] = {**_TOPIC, **_BROKER}
_TOPIC_NAMES: Final = {name: (topic, unit) for topic, of in _TOPIC.items() for name, unit in of.broker}

_CREATED_WITH: Final[Mapping[str, Mapping[str, str]]] = {
    "__consumer_offsets": {"cleanup.policy": "compact", "segment.bytes": str(100 * 2**20)},
    "__transaction_state": {"cleanup.policy": "compact", "segment.bytes": str(100 * 2**20)},
    "__share_group_state": {"cleanup.policy": "delete", "retention.ms": "-1", "segment.bytes": str(100 * 2**20)},
    "__remote_log_metadata": {"cleanup.policy": "delete", "retention.ms": "-1"},
}
"""What Kafka sets when it creates its own topics, for where the metadata log is not there to tell."""


class ConfigError(ValueError):
    """A config that is given has a name or value that makes no sense; the text says which."""


@dataclass(frozen=True, slots=True)
class _Value:
    value: int | float | bool | tuple[str, ...]
    text: str
    source: ConfigSource


class TopicConfigs:
    """The configs in force for a topic on one node. Made by `Configs`.

    Args:
        values: by name, all of them.
    """

    def __init__(self, values: Mapping[str, _Value]) -> None:
        self._values = values

    def number(self, name: str) -> int:
        """A whole number, in the unit of the config's name; -1 is no limit where Kafka has it so."""
        value = self._values[name].value
        return value if isinstance(value, int) else self._is_not(name, "number")

    def real(self, name: str) -> float:
        """A ratio."""
        value = self._values[name].value
        return value if isinstance(value, float) else self._is_not(name, "real")

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._values[name].value
        return value if isinstance(value, bool) else self._is_not(name, "flag")

    @property
    def policies(self) -> frozenset[str]:
        """What `cleanup.policy` names: "compact", "delete", both or none."""
        value = self._values["cleanup.policy"].value
        return frozenset(value if isinstance(value, tuple) else ())

    def text(self, name: str) -> str:
        """The value as text, under the topic's name and in its unit."""
        return self._values[name].text

    def source_of(self, name: str) -> ConfigSource:
        """Where one value comes from."""
        return self._values[name].source

    def source(self, *names: str) -> str:
        """Where values come from, in words: "retention.ms=topic, retention.bytes=default"."""
        return ", ".join(f"{name}={self._values[name].source}" for name in names)

    @staticmethod
    def _is_not(name: str, kind: str) -> Never:
        raise TypeError(f"{name} is a {_KNOWN[name].kind}, and no {kind}")


class Configs:
    """The configs in force for all logs of some disks. Made by `configs_of`.

    Args:
        clusters: metadata of clusters, the one that counts first.
        options: values that override, by name, as `checked_config` gives them.
        unread: findings of metadata logs that cannot be read.
        raises: whether a broken meta.properties is raised, not a finding.

    Attributes:
        damage: what was not read of the metadata logs.
    """

    def __init__(
        self,
        clusters: "Iterable[ClusterMetadata]",
        options: Mapping[str, str],
        unread: Sequence[StateFinding] = (),
        *,
        raises: bool = True,
    ) -> None:
        self._clusters = [(cluster, _by_resource(cluster)) for cluster in clusters]
        self._options = options
        self._topics: dict[tuple[str | None, int | None, str | None], TopicConfigs] = {}
        self._nodes: dict[str, tuple[int | None, str | None]] = {}
        self._notes: dict[str, Note] = {}
        self._unread = unread
        self._findings: list[StateFinding] = [*unread]
        self._raises = raises
        self.damage: Sequence[Damage] = [each for cluster, _ in self._clusters for each in cluster.damage]

    @property
    def notes(self) -> Sequence[Note]:
        """What must be said of the configs that were given out so far."""
        return tuple(self._notes.values())

    @property
    def findings(self) -> Sequence[StateFinding]:
        """What cannot be read of meta.properties and the metadata log."""
        return tuple(self._findings)

    def of_partition(self, partition: "Partition") -> TopicConfigs:
        """The configs of a partition's topic on the node that has its directory, by the meta.properties there.

        Raises:
            KafkafmtError: meta.properties is broken, if that is raised; it cannot be read.
        """
        node_id, cluster_id = self._node_of(partition)
        return self.of_topic(partition.topic, node_id, cluster_id)

    def of_topic(self, topic: str | None, node_id: int | None = None, cluster_id: str | None = None) -> TopicConfigs:
        """The configs of a topic on a node.

        Args:
            topic: its name; None for what holds for any topic.
            node_id: id of the node; None if it is not known: then what is set for one node alone does not count.
            cluster_id: id of the cluster, of which several may be on the disks; None if it is not known.
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
            self._note("meta.properties does not tell which node this is: configs of single nodes are not applied")
        own = {} if topic is None else configs.get(("TOPIC", topic), {})
        of_node = {} if node_id is None else configs.get(("BROKER", str(node_id)), {})
        of_cluster = configs.get(("BROKER", ""), {})
        is_created = topic is not None and cluster is not None and topic in cluster.topics
        defaults = {} if topic is None or is_created else _CREATED_WITH.get(topic, {})
        values: dict[str, _Value] = {}
        for name, known in _KNOWN.items():
            itself, brokers = [(name, 1)], known.broker or [(name, 1)]
            layers: list[tuple[Sequence[tuple[str, int]], Mapping[str, str], ConfigSource]] = [
                (itself, self._options, "option"),
                # Kafka's own tests set small segments under this name, which has no lower bound.
                ([(f"internal.{name}", 1), *itself] if name in _TOPIC else [], own, "topic"),
                (brokers, of_node, "node"),
                (brokers, of_cluster, "cluster"),
                (brokers, self._options, "option"),  # as in server.properties, over which those before win
                (itself, {name: defaults.get(name, known.default)}, "default"),
            ]
            found = (self._first(known, names, given, source) for names, given, source in layers)
            values[name] = next(value for value in found if value is not None)
        return TopicConfigs(values)

    def _missing(self, cluster_id: str | None) -> str:
        """Why there is no metadata for the disks of a cluster."""
        if self._clusters:
            known = ", ".join(sorted(str(cluster.cluster_id) for cluster, _ in self._clusters))
            own = "do not tell theirs" if cluster_id is None else f"are of {cluster_id}"
            return f"the metadata log is of cluster {known}, the disks {own}"
        return "the metadata log cannot be read" if self._unread else "no metadata log among the paths"

    def _first(
        self, known: _Known, names: Sequence[tuple[str, int]], given: Mapping[str, str], source: ConfigSource
    ) -> _Value | None:
        """The strongest of the names that are set there and make sense."""
        for name, unit in names:
            if name in given:
                try:
                    return _parsed(known, name, given[name], source, unit)
                except ConfigError as error:
                    self._note(f"{error}: it is not applied")
        return None

    def _of_cluster(
        self, cluster_id: str | None
    ) -> "tuple[ClusterMetadata | None, Mapping[tuple[str, str], Mapping[str, str]]]":
        """The metadata of a cluster, the first of several, and its configs; an unknown id contradicts none."""
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
            self._findings.append(finding_of(error, None, None, str(log_dir)))
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
    """Read which configs are in force: from the metadata logs on the disks or elsewhere, and what is given instead.

    Args:
        disks: where metadata logs may be; one for each cluster.
        metadata: where the metadata log is, if it is not on these disks.
        config: values by name, also below a broker's minimum. They override what the metadata log has, but for a
            broker's name of a topic's config (`log.retention.hours` for `retention.ms`): that counts as a line of
            server.properties, over which topic, node and cluster win.
        filesystem: that `metadata` are paths of.
        on_damage: as for `kafkafmt.topics.metadata`.
        limits: bounds of memory.

    Raises:
        ConfigError: a name that is not known here, or a value that makes no sense.
        SourceError: `metadata` cannot be read, or there is none.
        KafkafmtError: at damage of a metadata log.
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
            unread.append(finding_of(error, CLUSTER_METADATA, 0, found[0].path))
    return Configs(clusters, options, unread, raises=on_damage == "raise")


def _by_resource(cluster: "ClusterMetadata") -> Mapping[tuple[str, str], Mapping[str, str]]:
    """The configs that were set, by type and name of the resource; none of them is a secret."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in cluster.configs:
        if isinstance(each.value, str):
            found[each.resource_type, each.resource_name][each.name] = each.value
    return found


def checked_config(config: Mapping[str, object]) -> dict[str, str]:
    """Configs that are given, by their names; their values as text.

    Raises:
        ConfigError: a name that is not known here, or a value that makes no sense.
    """
    texts = {}
    for name, value in config.items():
        synonym, unit = _TOPIC_NAMES.get(name, (name, 1))
        known = _KNOWN.get(synonym)
        if known is None:
            near = difflib.get_close_matches(name, [*_KNOWN, *_TOPIC_NAMES], n=1)
            hint = f"; {near[0]} is one" if near else ""
            raise ConfigError(f"{name!r} is no config that retention or compaction go by{hint}")
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        _parsed(known, name, texts[name], "option", unit)
    return texts


def _parsed(known: _Known, name: str, text: str, source: ConfigSource, unit: int = 1) -> _Value:
    """A value as Kafka's ConfigDef reads it, in ms or bytes.

    Raises:
        ConfigError: it makes no sense.
    """
    stripped = text.strip()
    value: int | float | bool | tuple[str, ...]
    match known.kind:
        case "number":
            value = _whole(name, stripped, known.bits)
            # Less than nothing is no limit, whatever the unit (KafkaConfig.logRetentionTimeMillis).
            value = min(value * unit, _GREATEST) if value >= 0 else value
            stripped = str(value)
        case "real":
            value = _ratio(name, stripped)
        case "flag":
            if stripped.lower() not in ("true", "false"):
                raise ConfigError(f"{name}={text} is neither true nor false")
            value = stripped.lower() == "true"
        case "policies":
            value = tuple(part.strip() for part in stripped.split(",") if part.strip())
            wrong = [part for part in value if part not in _POLICIES]
            if wrong:
                raise ConfigError(f"{name}={text}: {wrong[0]!r} is none of {', '.join(_POLICIES)}")
        case _:
            assert_never(known.kind)
    return _Value(value, stripped, source)


def _whole(name: str, text: str, bits: int) -> int:
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 20:
        raise ConfigError(f"{name}={text} is no whole number")
    value = int(text)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ConfigError(f"{name}={text} does not fit in {bits} bits")
    return value


def _ratio(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1:
        raise ConfigError(f"{name}={text} is no number from 0 to 1")
    return value
