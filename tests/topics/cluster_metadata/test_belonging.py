"""`kafkafmt.topics.belonging`: the partition directories of a scan whose topic no longer exists."""

from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.errors import KafkafmtError, LimitExceededError
from kafkafmt.topics import belonging, metadata
from kafkafmt.topics.cluster_metadata.strays import BELONGING, small_clusters
from tests.golden_cases import GOLDEN, cases
from tests.logdir.builders import segment
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID

NOT_AT_HAND = "belongs to a cluster whose metadata log is missing"


def directory(node: Path, name: str, topic_id: str | None = TOPIC_ID) -> Path:
    segment(node / name, 0)
    if topic_id is not None:
        (node / name / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}\n")
    return node / name


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Node 1 of a cluster with one topic."""
    root = tmp_path / "node"
    written.node(root, 1, written.batch(0, written.topic(), written.partition(), written.partition(1, replicas=[2])))
    return root


def told(source: Any, *arguments: Any) -> dict[str, tuple[bool | None, str | None]]:
    """`belongs` and `remark` by directory name."""
    table = belonging(source, *arguments)
    assert table.schema == BELONGING.schema
    return {Path(row["path"]).name: (row["belongs"], row["remark"]) for row in table.to_pylist()}


def test_what_belongs_and_what_does_not(node: Path) -> None:
    for name, topic_id in {
        "gone-0": OTHER_ID,
        "never-0": None,
        "orders-0": TOPIC_ID,
        "orders-1": TOPIC_ID,
        "orders-7": TOPIC_ID,
        "renamed-0": TOPIC_ID,
    }.items():
        directory(node, name, topic_id)
    assert told(node) == {
        "__cluster_metadata-0": (True, None),
        "gone-0": (False, f"belongs to no topic of this cluster (topic id {OTHER_ID})"),
        "never-0": (False, "belongs to no topic of this cluster (no topic id)"),
        "orders-0": (True, None),
        "orders-1": (True, "is not assigned to broker 1: the replicas are on 2"),
        "orders-7": (False, "is not a partition of the cluster's topic orders, which has 2"),
        "renamed-0": (True, f"belongs to the topic orders by its topic id {TOPIC_ID}"),
    }
    names = {row["topic"]: (row["topicId"], row["topicOfId"]) for row in belonging(node).to_pylist()}
    assert names["renamed"] == (TOPIC_ID, "orders")
    assert names["gone"] == (OTHER_ID, None)


def test_an_earlier_topic_of_the_name(node: Path) -> None:
    directory(node, "orders-0", OTHER_ID)
    belongs, remark = told(node)["orders-0"]
    assert belongs is False
    assert remark == f"belongs to an earlier topic of this name: topic id {OTHER_ID}, now {TOPIC_ID}"


def test_a_scan_is_told_of_whatever_its_filters_take(node: Path) -> None:
    directory(node, "gone-0", OTHER_ID)
    scan = kafkafmt.scan(node, topics="orders", missing="note")
    assert belonging(scan).equals(belonging(node))
    assert belonging(scan).num_rows == 2


def test_what_was_set_aside_is_told_of_by_its_topic_id(node: Path) -> None:
    suffix = "0123456789abcdef0123456789abcdef"
    paths = [
        directory(node, f"orde.{suffix}-delete"),
        directory(node, f"gone-0.{suffix}-stray", OTHER_ID),
        directory(node, f"orders-0.{suffix}-future", None),
    ]
    assert [belongs for belongs, _ in told(paths, metadata(node)).values()] == [True, False, None]
    assert [remark for _, remark in told(paths, metadata(node)).values()] == [
        f"was set aside by the broker as -{state}" for state in ("delete", "stray", "future")
    ]


def test_a_directory_is_one_row_however_many_of_its_files_are_named(node: Path) -> None:
    orders = directory(node, "orders-0")
    segment(orders, 10)
    assert told(sorted(orders.glob("*.log")), metadata(node)) == {"orders-0": (True, None)}


def test_of_another_cluster_nothing_is_told(node: Path, tmp_path: Path) -> None:
    written.node(tmp_path / "other", 1, written.batch(0, written.topic()), cluster_id="other")
    directory(node, "gone-0", OTHER_ID)
    assert told(node, metadata(tmp_path / "other"))["gone-0"] == (None, NOT_AT_HAND)
    assert told(tmp_path)["gone-0"][0] is False


def test_what_cannot_be_read_beside_a_log_is_no_end(node: Path, tmp_path: Path) -> None:
    broken = directory(node, "orders-0")
    (broken / "partition.metadata").write_text("version: 0\n")
    directory(node, "no-name-of-kafka")
    found = told(node)
    assert found["orders-0"][0] is None
    assert "has a partition.metadata that cannot be read" in str(found["orders-0"][1])
    assert found["no-name-of-kafka"] == (None, "is not named TOPIC-PARTITION")
    plain = directory(tmp_path / "plain", "gone-0", OTHER_ID)
    (plain.parent / "meta.properties").write_bytes(b"version=seven\n")
    assert told(plain.parent, metadata(node))["gone-0"][0] is False


def test_metadata_that_are_large_or_broken_are_an_error(node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory(node, "orders-0")
    log = node / "__cluster_metadata-0" / "00000000000000000000.log"
    with monkeypatch.context() as patch:
        patch.setattr("kafkafmt.topics.cluster_metadata.strays.AT_HAND_BYTES", 10)
        with pytest.raises(LimitExceededError, match="large"):
            belonging(node)
        assert told(node, metadata(node))["orders-0"] == (True, None)
    scan = kafkafmt.scan(node)
    log.rename(log.with_name("00000000000000000005.log"))
    with pytest.raises(KafkafmtError):
        belonging(node)
    log.with_name("00000000000000000005.log").unlink()
    log.parent.rmdir()
    with pytest.raises(KafkafmtError):
        belonging(scan)
    unreadable: list[KafkafmtError] = []
    assert small_clusters(scan, unreadable.append) == {}
    assert len(unreadable) == 1


@pytest.mark.parametrize("case", [case for case in cases("modern") if case.name.startswith("10")], ids=str)
def test_all_that_a_clean_broker_has_belongs(case: Any) -> None:
    rows = belonging(case.log_dir).to_pylist()
    assert {(row["belongs"], row["remark"]) for row in rows} == {(True, None)}
    assert all(row["topicOfId"] == row["topic"] for row in rows if row["topic"] != "__cluster_metadata")


@pytest.mark.parametrize("name", ["13-names-3.9.1", "13-names-4.3.1", "13b-stray-3.9.1", "13b-stray-4.3.1"])
def test_directories_with_odd_names(name: str, tmp_path: Path) -> None:
    """Their metadata log is not among the files: it is rebuilt from the partition.metadata files."""
    log_dir = GOLDEN / "modern" / name / "log-dir"
    scan = kafkafmt.scan(log_dir)
    set_aside = [each.path for one in kafkafmt.open_log_dirs(log_dir) for each in one.other_partitions]
    assert {row["remark"] for row in belonging(scan).to_pylist()} == {NOT_AT_HAND}
    ids = {each.topic: str(each.topic_id) for each in scan.partitions}
    numbers = {topic: [each.partition for each in scan.partitions if each.topic == topic] for topic in ids}
    missing = min(topic for topic in ids if topic is not None and topic.startswith("a"))
    values = [
        value
        for topic, topic_id in ids.items()
        if topic is not None and topic != missing
        for value in (
            written.topic(topic, topic_id),
            *(written.partition(number, topic_id) for number in numbers[topic] if number is not None),
        )
    ]
    (cluster_id,) = {one.meta_properties.cluster_id for one in kafkafmt.open_log_dirs(log_dir) if one.meta_properties}
    written.node(tmp_path, 1, written.batch(0, *values), cluster_id=str(cluster_id))
    rows = belonging([*(each.path for each in scan.partitions), *set_aside], metadata(tmp_path)).to_pylist()
    live = [row for row in rows if row["path"] not in set_aside]
    assert len(live) == len(scan.partitions)
    assert {row["topic"] for row in live if row["belongs"] is False} == {missing}
    assert all(row["topicOfId"] == row["topic"] for row in live if row["belongs"])
    strays = {row["topicId"] for row in rows if row["path"].endswith("-stray") and row["belongs"] is False}
    assert bool(strays) == ("13b" in name)
