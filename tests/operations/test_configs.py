"""The configs in force, against what AdminClient.describeConfigs said, and one layer over another."""

from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.operations.configs import TopicConfigs, configs_of
from kafkafmt.operations.known_configs import ConfigError, checked_config
from tests.golden_cases import GOLDEN, read_jsonl
from tests.operations.golden_operations import questions

SOURCES = {
    "DYNAMIC_TOPIC_CONFIG": "topic",
    "DYNAMIC_BROKER_CONFIG": "node",
    "DYNAMIC_DEFAULT_BROKER_CONFIG": "cluster",
    "DEFAULT_CONFIG": "default",
}
CASE = "configs-from-metadata-4.3.1"
DESCRIBED = read_jsonl(GOLDEN / "operations" / CASE / "expected" / "configs.jsonl")


@pytest.fixture(scope="module")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    question = next(each for each in questions("retention") if each.case == CASE)
    return question.unpack(tmp_path_factory.mktemp("configs"))


def in_force(log_dir: Path, topic: str, config: dict[str, Any]) -> TopicConfigs:
    disks = kafkafmt.open(log_dir)
    return configs_of(disks, config=config).of_partition(disks.partition(topic, 0))


def test_every_config_that_kafka_describes(log_dir: Path) -> None:
    disks = kafkafmt.open(log_dir)
    configs = configs_of(disks)
    compared = 0
    for described in DESCRIBED:
        found = configs.of_partition(disks.partition(described["topic"], 0))
        for name in described.keys() - {"topic"}:
            expected = described[name]
            assert (found.text(name), found.source(name)) == (
                expected["value"],
                f"{name}={SOURCES[expected['source']]}",
            )
            compared += 1
    assert compared == 72
    assert not configs.notes


def test_values_have_types(log_dir: Path) -> None:
    found = in_force(log_dir, "compacted.too", {"remote.storage.enable": True})
    assert (found.number("retention.ms"), found.real("min.cleanable.dirty.ratio")) == (1296000000, 0.5)
    assert found.policies == {"compact", "delete"}
    assert found.flag("remote.storage.enable")
    assert found.source("retention.ms", "retention.bytes", "segment.ms", "remote.storage.enable") == (
        "retention.ms=topic, retention.bytes=node, segment.ms=default, remote.storage.enable=option"
    )
    with pytest.raises(TypeError, match=r"retention\.ms is a number, not a flag"):
        found.flag("retention.ms")


@pytest.mark.parametrize(
    ("topic", "config", "name", "expected"),
    [
        # A topic's name overrides everywhere; a broker's is a line of server.properties, below all of the metadata log.
        ("ms", {"retention.ms": 5}, "retention.ms", (5, "option")),
        ("ms", {"log.retention.ms": 5}, "retention.ms", (1728000005, "topic")),
        ("plain", {"log.retention.ms": 5}, "retention.ms", (2160000000, "cluster")),
        ("plain", {"log.retention.bytes": 9}, "retention.bytes", (1500, "node")),
        ("plain", {"log.retention.ms": 5, "retention.ms": 6}, "retention.ms", (6, "option")),
        ("plain", {"log.roll.hours": 2}, "segment.ms", (7200000, "option")),
        ("plain", {"log.roll.hours": 2, "log.roll.ms": 3}, "segment.ms", (3, "option")),
        ("plain", {"log.roll.hours": -1}, "segment.ms", (-1, "option")),
        ("plain", {"log.roll.hours": 2**62}, "segment.ms", (2**63 - 1, "option")),
        ("plain", {"segment.bytes": 14}, "segment.bytes", (14, "option")),
        ("plain", {}, "log.cleaner.dedupe.buffer.size", (134217728, "default")),
        ("plain", {"log.cleaner.dedupe.buffer.size": 192}, "log.cleaner.dedupe.buffer.size", (192, "option")),
        ("plain", {"producer.id.expiration.ms": " +7 "}, "producer.id.expiration.ms", (7, "option")),
    ],
)
def test_options(log_dir: Path, topic: str, config: dict[str, Any], name: str, expected: tuple[int, str]) -> None:
    found = in_force(log_dir, topic, config)
    assert (found.number(name), found.source(name)) == (expected[0], f"{name}={expected[1]}")


def test_configs_of_another_node_do_not_count(log_dir: Path) -> None:
    configs = configs_of(kafkafmt.open(log_dir))
    assert configs.of_topic("plain", 2).source("retention.ms", "retention.bytes") == (
        "retention.ms=cluster, retention.bytes=cluster"
    )
    assert not configs.notes
    assert configs.of_topic("plain").source("retention.bytes") == "retention.bytes=cluster"
    assert [str(note) for note in configs.notes] == [
        "no meta.properties says which node this is: configs of single nodes are not applied"
    ]


def test_without_a_metadata_log(log_dir: Path) -> None:
    disks = kafkafmt.open(log_dir / "plain-0")
    configs = configs_of(disks)
    assert configs.of_topic("plain", 1).text("retention.ms") == "604800000"
    assert configs.of_topic("__consumer_offsets").policies == {"compact"}
    assert configs.of_topic("__share_group_state").number("retention.ms") == -1
    for name in ("log.retention.hours", "log.retention.ms"):
        assert configs_of(disks, config={name: -5}).of_topic("plain", 1).text("retention.ms") == "-1"
    assert [str(note)[:36] for note in configs.notes] == ["no metadata log among the paths: con"]
    elsewhere = configs_of(disks, metadata=log_dir)
    assert elsewhere.of_partition(disks.partitions[0]).text("retention.bytes") == "1500"
    assert not elsewhere.notes


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("retention.sm", 1, "'retention.sm' is not a config of retention or compaction; retention.ms is one"),
        ("x", 1, "'x' is not a config of retention or compaction"),
        ("retention.ms", "a day", "retention.ms=a day is not an integer"),
        ("retention.ms", "", "retention.ms= is not an integer"),
        ("retention.ms", 2**63, f"retention.ms={2**63} does not fit in 64 bits"),
        ("log.segment.bytes", 2**31, "log.segment.bytes=2147483648 does not fit in 32 bits"),
        ("min.cleanable.dirty.ratio", "1.5", "min.cleanable.dirty.ratio=1.5 is not a number from 0 to 1"),
        ("min.cleanable.dirty.ratio", "nan", "min.cleanable.dirty.ratio=nan is not a number from 0 to 1"),
        ("remote.storage.enable", "yes", "remote.storage.enable=yes is neither true nor false"),
        ("cleanup.policy", "delete,shrink", "cleanup.policy=delete,shrink: 'shrink' is not one of compact, delete"),
    ],
)
def test_what_makes_no_sense(name: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        checked_config({name: value})
    assert str(caught.value) == message
