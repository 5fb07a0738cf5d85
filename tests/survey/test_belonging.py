"""Partition directories by cluster metadata: those of no topic, or misplaced ones."""

import shutil
from pathlib import Path

import pytest

from kafkafmt.survey import Options, survey
from kafkafmt.topics.cluster_metadata import metadata
from tests.logdir.builders import segment
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID

HERE, THERE = "fslrEwXvRDmBZ8aK9v7G4Q", "wiM4a-w-X9jQXM9Z15xIDg"
UNASSIGNED = "AAAAAAAAAAAAAAAAAAAAAQ"


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Node 1 of a cluster with one topic, of which partition 0 is here, 1 elsewhere and 2 on another broker."""
    root = tmp_path / "node"
    written.node(
        root,
        1,
        written.batch(
            0,
            written.topic(),
            written.partition(0, replicas=[1], directories=[HERE]),
            written.partition(1, replicas=[1], directories=[THERE]),
            written.partition(2, replicas=[2, 3], directories=[HERE, HERE]),
            written.partition(3, replicas=[1], directories=[UNASSIGNED]),
        ),
    )
    (root / "meta.properties").write_text(f"version=1\nnode.id=1\ncluster.id=c\ndirectory.id={HERE}\n")
    return root


def directory(node: Path, name: str, topic_id: str | None = TOPIC_ID) -> None:
    segment(node / name, 0)
    if topic_id is not None:
        (node / name / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}\n")


def remarks(node: Path, cluster: Path | None = None) -> dict[str, str]:
    """Remarks by the name of the directory, all of them notes."""
    read = metadata(cluster or node)
    (found,) = [each for each in survey(node, Options(clusters={read.cluster_id: read})) if each.is_log_dir]
    noted = {}
    for partition in found.partitions():
        for finding in partition.findings:
            if finding.kind == "metadata":
                assert (finding.level, finding.topic, finding.partition) == (
                    "note",
                    partition.facts.topic,
                    partition.facts.partition,
                )
                noted[Path(finding.path).name] = finding.message
    return noted


def test_what_belongs_here_is_not_remarked_on(node: Path) -> None:
    for name in ("orders-0", "orders-3"):
        directory(node, name)
    directory(node, "no-name-of-kafka", None)
    directory(node, "orders-9.0123456789abcdef0123456789abcdef-stray", OTHER_ID)
    assert remarks(node) == {}


def test_what_belongs_to_no_topic_or_not_here(node: Path) -> None:
    directory(node, "gone-0", OTHER_ID)
    directory(node, "never-0", None)
    directory(node, "orders-0", OTHER_ID)
    directory(node, "orders-1")
    directory(node, "orders-2")
    directory(node, "orders-7", None)
    directory(node, "renamed-0")
    assert remarks(node) == {
        "gone-0": f"belongs to no topic of this cluster (topic id {OTHER_ID})",
        "never-0": "belongs to no topic of this cluster (no topic id)",
        "orders-0": f"belongs to an earlier topic of this name: topic id {OTHER_ID}, now {TOPIC_ID}",
        "orders-1": f"is assigned to another log directory of broker 1: {THERE}",
        "orders-2": "is not assigned to broker 1: the replicas are on 2, 3",
        "orders-7": "is not a partition of the cluster's topic orders, which has 4",
        "renamed-0": f"belongs to the topic orders by its topic id {TOPIC_ID}",
    }


def test_of_another_cluster_nothing_is_told(node: Path, tmp_path: Path) -> None:
    directory(node, "gone-0", OTHER_ID)
    other = tmp_path / "other"
    shutil.copytree(node, other)
    (other / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=other\n")
    assert remarks(node, other) == {}


def test_without_meta_properties_it_is_the_only_cluster_that_is_known(node: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    directory(plain, "gone-0", OTHER_ID)
    directory(plain, "orders-2")
    assert remarks(plain, node) == {"gone-0": f"belongs to no topic of this cluster (topic id {OTHER_ID})"}


def test_topic_ids_are_named(node: Path) -> None:
    directory(node, "orders-0")
    directory(node, "gone-0", OTHER_ID)
    cluster = metadata(node)
    (found,) = survey(node, Options(clusters={"c": cluster}))
    assert {each.facts.topic: each.facts.topic_of_id for each in found.partitions()} == {
        "orders": "orders",
        "gone": None,
        "__cluster_metadata": None,
    }
    (alone,) = survey(node / "orders-0", Options(clusters={"c": cluster}))
    assert [each.facts.topic_of_id for each in alone.partitions()] == ["orders"]
    (without,) = survey(node)
    assert {each.facts.topic_of_id for each in without.partitions()} == {None}
