"""The configs that retention and compaction use: names, defaults, and how values are parsed (`LogConfig`)."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from kafkafmt.files.index_file import INDEX_INTERVAL_BYTES, INDEX_MAX_BYTES
from kafkafmt.reference.header import INT64_MAX

ConfigSource = Literal["option", "topic", "node", "cluster", "default"]
"""Source of a value: "option" is `--config`, "cluster" the default of all nodes in the metadata log."""

_Kind = Literal["number", "real", "flag", "policies"]
_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_POLICIES: Final = ("compact", "delete")


@dataclass(frozen=True, slots=True)
class KnownConfig:
    """A config that decides how long records are kept.

    Attributes:
        kind: the type of its value.
        default: default of Kafka 4.
        broker: a broker's names for the same config, strongest first, each with its unit in ms or bytes.
        bits: size of a number, in bits.
    """

    kind: _Kind
    default: str
    broker: tuple[tuple[str, int], ...] = ()
    bits: int = 64


def _times(name: str, *units: tuple[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((f"{name}.{unit}", ms) for unit, ms in units)


TOPIC_CONFIGS: Final[Mapping[str, KnownConfig]] = {
    "cleanup.policy": KnownConfig("policies", "delete", (("log.cleanup.policy", 1),)),
    "retention.ms": KnownConfig(
        "number", str(168 * _HOUR), _times("log.retention", ("ms", 1), ("minutes", _MINUTE), ("hours", _HOUR))
    ),
    "retention.bytes": KnownConfig("number", "-1", (("log.retention.bytes", 1),)),
    "local.retention.ms": KnownConfig("number", "-2", (("log.local.retention.ms", 1),)),
    "local.retention.bytes": KnownConfig("number", "-2", (("log.local.retention.bytes", 1),)),
    "remote.storage.enable": KnownConfig("flag", "false"),
    "remote.log.copy.disable": KnownConfig("flag", "false"),
    "segment.bytes": KnownConfig("number", str(2**30), (("log.segment.bytes", 1),), bits=32),
    "segment.ms": KnownConfig("number", str(168 * _HOUR), _times("log.roll", ("ms", 1), ("hours", _HOUR))),
    "segment.index.bytes": KnownConfig("number", str(INDEX_MAX_BYTES), (("log.index.size.max.bytes", 1),), bits=32),
    "index.interval.bytes": KnownConfig(
        "number", str(INDEX_INTERVAL_BYTES), (("log.index.interval.bytes", 1),), bits=32
    ),
    "max.message.bytes": KnownConfig("number", "1048588", (("message.max.bytes", 1),), bits=32),
    "file.delete.delay.ms": KnownConfig("number", "60000", (("log.segment.delete.delay.ms", 1),)),
    "delete.retention.ms": KnownConfig("number", str(24 * _HOUR), (("log.cleaner.delete.retention.ms", 1),)),
    "min.compaction.lag.ms": KnownConfig("number", "0", (("log.cleaner.min.compaction.lag.ms", 1),)),
    "max.compaction.lag.ms": KnownConfig("number", str(INT64_MAX), (("log.cleaner.max.compaction.lag.ms", 1),)),
    "min.cleanable.dirty.ratio": KnownConfig("real", "0.5", (("log.cleaner.min.cleanable.ratio", 1),)),
}
"""Configs of a topic, which a broker may have under other names."""

_BROKER: Final[Mapping[str, KnownConfig]] = {
    "log.retention.check.interval.ms": KnownConfig("number", "300000"),
    "log.cleaner.enable": KnownConfig("flag", "true"),
    "log.cleaner.threads": KnownConfig("number", "1", bits=32),
    "log.cleaner.dedupe.buffer.size": KnownConfig("number", str(128 * 2**20)),
    "log.cleaner.io.buffer.size": KnownConfig("number", str(512 * 2**10), bits=32),
    "log.cleaner.io.buffer.load.factor": KnownConfig("real", "0.9"),
    "producer.id.expiration.ms": KnownConfig("number", str(24 * _HOUR), bits=32),
}
"""Configs that only a broker has."""

KNOWN_CONFIGS: Final[Mapping[str, KnownConfig]] = {**TOPIC_CONFIGS, **_BROKER}
_SYNONYMS: Final = {name: (topic, unit) for topic, of in TOPIC_CONFIGS.items() for name, unit in of.broker}

CREATED_WITH: Final[Mapping[str, Mapping[str, str]]] = {
    "__consumer_offsets": {"cleanup.policy": "compact", "segment.bytes": str(100 * 2**20)},
    "__transaction_state": {"cleanup.policy": "compact", "segment.bytes": str(100 * 2**20)},
    "__share_group_state": {"cleanup.policy": "delete", "retention.ms": "-1", "segment.bytes": str(100 * 2**20)},
    "__remote_log_metadata": {"cleanup.policy": "delete", "retention.ms": "-1"},
}
"""Configs with which Kafka creates its own topics, used without a metadata log."""


class ConfigError(ValueError):
    """A given config has an invalid name or value; the text says which."""


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A value of a config.

    Attributes:
        value: the value, in ms or bytes.
        text: the value in Kafka's form.
        source: origin of the value.
    """

    value: int | float | bool | tuple[str, ...]
    text: str
    source: ConfigSource


def checked_config(config: Mapping[str, object]) -> dict[str, str]:
    """The given configs by name, with their values as text.

    Raises:
        ConfigError: an unknown name, or an invalid value.
    """
    texts = {}
    for name, value in config.items():
        synonym, unit = _SYNONYMS.get(name, (name, 1))
        known = KNOWN_CONFIGS.get(synonym)
        if known is None:
            near = difflib.get_close_matches(name, [*KNOWN_CONFIGS, *_SYNONYMS], n=1)
            hint = f"; {near[0]} is one" if near else ""
            raise ConfigError(f"{name!r} is not a config of retention or compaction{hint}")
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        parsed_value(known, name, texts[name], "option", unit)
    return texts


def parsed_value(known: KnownConfig, name: str, text: str, source: ConfigSource, unit: int = 1) -> ConfigValue:
    """A value parsed as Kafka's ConfigDef does, in ms or bytes.

    Raises:
        ConfigError: the value is invalid.
    """
    stripped = text.strip()
    value: int | float | bool | tuple[str, ...]
    match known.kind:
        case "number":
            value = _whole(name, stripped, known.bits)
            # A negative value means no limit, regardless of the unit.
            value = min(value * unit, INT64_MAX) if value >= 0 else value
            if known is TOPIC_CONFIGS["retention.ms"] and name != "retention.ms":
                value = max(value, -1)  # as KafkaConfig.logRetentionTimeMillis
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
                raise ConfigError(f"{name}={text}: {wrong[0]!r} is not one of {', '.join(_POLICIES)}")
        case _:
            assert_never(known.kind)
    return ConfigValue(value, stripped, source)


def _whole(name: str, text: str, bits: int) -> int:
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 20:
        raise ConfigError(f"{name}={text} is not an integer")
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
        raise ConfigError(f"{name}={text} is not a number from 0 to 1")
    return value
