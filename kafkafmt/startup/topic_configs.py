"""Topic configs that a start depends on, and those that Kafka 4.4 refuses.

`LogManager` reads the configs of all topics before it loads a log.
"""

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.internal_topics import INTERNAL_TOPICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kafkafmt.topics.cluster_metadata import ClusterMetadata
    from kafkafmt.topics.cluster_metadata.settings import Redacted

    Configs = Mapping[str, str | Redacted]


class _Range(NamedTuple):
    bits: int
    least: int | None = None
    most: int | None = None
    default: int | None = None
    """A value allowed in addition to the range."""


_NUMBERS = {
    "compression.gzip.level": _Range(32, 1, 9, -1),
    "compression.lz4.level": _Range(32, 1, 17),
    "compression.zstd.level": _Range(32, -131072, 22),
    "delete.retention.ms": _Range(64, 0),
    "file.delete.delay.ms": _Range(64, 0),
    "flush.messages": _Range(64, 1),
    "flush.ms": _Range(64, 0),
    "index.interval.bytes": _Range(32, 0),
    "internal.segment.bytes": _Range(32),
    "local.retention.bytes": _Range(64, -2),
    "local.retention.ms": _Range(64, -2),
    "max.compaction.lag.ms": _Range(64, 1),
    "max.decompressed.message.bytes": _Range(32, 1, 2147483639),
    "max.message.bytes": _Range(32, 0),
    "message.timestamp.after.max.ms": _Range(64, 0),
    "message.timestamp.before.max.ms": _Range(64, 0),
    "min.compaction.lag.ms": _Range(64, 0),
    "min.insync.replicas": _Range(32, 1),
    "remote.copy.lag.bytes": _Range(64, -1),
    "remote.copy.lag.ms": _Range(64, -1),
    "retention.bytes": _Range(64),
    "retention.ms": _Range(64, -1),
    "segment.bytes": _Range(32, 1024 * 1024),
    "segment.index.bytes": _Range(32, 4),
    "segment.jitter.ms": _Range(64, 0),
    "segment.ms": _Range(64, 1),
}
_WORDS = {
    "cleanup.policy": ("compact", "delete"),
    "compression.type": ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
    "message.timestamp.type": ("CreateTime", "LogAppendTime"),
}
_FLAGS = frozenset(
    {
        "preallocate",
        "remote.log.copy.disable",
        "remote.log.delete.on.disable",
        "remote.storage.enable",
        "unclean.leader.election.enable",
    }
)


def index_interval_bytes(
    cluster: "ClusterMetadata | None", topic: str | None, broker: "Configs" = MappingProxyType({})
) -> int:
    """The `index.interval.bytes` of a topic; the broker's, or Kafka's default, if the metadata log does not have it."""
    default = _size(broker, "log.index.interval.bytes", INDEX_INTERVAL_BYTES)
    return _size(_configs(cluster, topic), "index.interval.bytes", default)


def segment_index_bytes(
    cluster: "ClusterMetadata | None", topic: str | None, broker: "Configs" = MappingProxyType({})
) -> int:
    """The `segment.index.bytes` of a topic; the broker's, or Kafka's default, if the metadata log does not have it."""
    default = _size(broker, "log.index.size.max.bytes", INDEX_MAX_BYTES)
    return _size(_configs(cluster, topic), "segment.index.bytes", default)


def broker_configs(cluster: "ClusterMetadata", node_id: int) -> "Configs":
    """Dynamic configs of a broker: its own, else those of all brokers."""
    return cluster.config("BROKER", "") | cluster.config("BROKER", str(node_id))


def is_tiered(cluster: "ClusterMetadata | None", topic: str | None) -> bool:
    """Whether a topic has remote storage (`UnifiedLog.isRemoteLogEnabled`), by the metadata log."""
    if cluster is None or topic is None or topic in INTERNAL_TOPICS:
        return False
    configs = cluster.config("TOPIC", topic)
    enabled, policy = (str(configs.get(name, "")) for name in ("remote.storage.enable", "cleanup.policy"))
    return enabled.strip().lower() == "true" and "compact" not in policy


def _configs(cluster: "ClusterMetadata | None", topic: str | None) -> "Configs":
    return {} if cluster is None or topic is None else cluster.config("TOPIC", topic)


def _size(configs: "Configs", name: str, default: int) -> int:
    value = configs.get(name, "")
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else default


def refused_configs(cluster: "ClusterMetadata") -> "Iterator[tuple[str, str, str]]":
    """Configs of topics with values that Kafka's `LogConfig` refuses: a broker then ends with a ConfigException.

    Yields:
        topic, name of the config, and the fault in Kafka's words.
    """
    for each in cluster.configs:
        if each.resource_type == "TOPIC" and each.resource_name in cluster.topics and isinstance(each.value, str):
            why = _refusal(each.name, each.value.strip())
            if why is not None:
                message = f"Invalid value {each.value.strip()} for configuration {each.name}: {why}"
                yield each.resource_name, each.name, message


def _refusal(name: str, value: str) -> str | None:
    if name in _NUMBERS:
        return _refused_number(_NUMBERS[name], value)
    if name in _WORDS:
        words = [part.strip() for part in value.split(",") if part.strip()] if name == "cleanup.policy" else [value]
        if any(word not in _WORDS[name] for word in words):
            return f"String must be one of: {', '.join(_WORDS[name])}"
    if name in _FLAGS and value.lower() not in ("true", "false"):
        return "Expected value to be either true or false"
    return None


def _refused_number(known: _Range, value: str) -> str | None:
    digits = value[1:] if value[:1] in ("-", "+") else value
    # Numbers of 64 bits have fewer digits, and int() of very many digits is slow.
    number = int(value) if digits.isascii() and digits.isdigit() and len(digits.lstrip("0")) < 20 else None
    if number is None or not -(1 << known.bits - 1) <= number < 1 << known.bits - 1:
        return f"Not a number of type {'INT' if known.bits == 32 else 'LONG'}"
    if number == known.default:
        return None
    if known.default is not None and not (known.least or 0) <= number <= (known.most or 0):
        return f"Value must be between {known.least} and {known.most} or equal to {known.default}"
    if known.least is not None and number < known.least:
        return f"Value must be at least {known.least}"
    return f"Value must be no more than {known.most}" if known.most is not None and number > known.most else None
