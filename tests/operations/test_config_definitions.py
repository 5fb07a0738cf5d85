"""Kafka's config definitions: those that `tools/judge configs` reads from its ConfigDefs, and the names that we use."""

import pytest

from kafkafmt.operations.config_definitions import ConfigDefinition, definitions
from kafkafmt.operations.known_configs import KNOWN_CONFIGS, TOPIC_CONFIGS

_TYPES = {"number": ("INT", "LONG"), "real": ("DOUBLE",), "flag": ("BOOLEAN",), "policies": ("LIST",)}


@pytest.mark.parametrize("name", TOPIC_CONFIGS)
def test_configs_of_topics_are_as_kafka_defines_them(name: str) -> None:
    ours, kafkas = TOPIC_CONFIGS[name], definitions("TOPIC")[name]
    assert ours.default == kafkas.default
    assert kafkas.type in _TYPES[ours.kind]
    assert kafkas.type not in ("INT", "LONG") or ours.bits == {"INT": 32, "LONG": 64}[kafkas.type]
    assert [broker for broker, _ in ours.broker] == [broker for broker, _ in kafkas.synonyms]


@pytest.mark.parametrize("name", sorted(KNOWN_CONFIGS.keys() & definitions("BROKER").keys() - TOPIC_CONFIGS.keys()))
def test_configs_of_brokers_are_as_kafka_defines_them(name: str) -> None:
    ours, kafkas = KNOWN_CONFIGS[name], definitions("BROKER")[name]
    assert ours.default == kafkas.default
    assert kafkas.type in _TYPES[ours.kind]


def test_all_configs_of_a_topic_are_there() -> None:
    assert len([each for each in definitions("TOPIC").values() if not each.is_internal]) == 37


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("DOUBLE", "0.10", "0.1"),
        ("DOUBLE", " 1 ", "1.0"),
        ("DOUBLE", "1e-5", "1.0E-5"),
        ("DOUBLE", "0.00123", "0.00123"),
        ("DOUBLE", "0.000123", "1.23E-4"),
        ("DOUBLE", "12345678.5", "1.23456785E7"),
        ("DOUBLE", "1e300", "1.0E300"),
        ("DOUBLE", "x", "x"),
        ("BOOLEAN", "TRUE", "true"),
        ("LONG", " +5 ", "5"),
        ("LIST", "compact, delete", "compact,delete"),
        ("STRING", " zstd ", "zstd"),
    ],
)
def test_values_are_printed_as_kafka_prints_them(type_: str, value: str, expected: str) -> None:
    assert ConfigDefinition("x", type_, None, (), None, is_internal=False).text(value) == expected
