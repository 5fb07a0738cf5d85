"""`kafkafmt ls` with cluster metadata."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.golden_cases import cases
from tests.logdir.builders import file_name, segment
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID

NO_TOPIC = f"belongs to no topic of this cluster (topic id {OTHER_ID})"


def node(root: Path, *, cluster_id: str = "c") -> Path:
    """A node with its metadata, a directory of a topic, and a directory of none."""
    written.node(root, 1, written.batch(0, written.topic(), written.partition()), cluster_id=cluster_id)
    for name, topic_id in (("orders-0", TOPIC_ID), ("gone-0", OTHER_ID)):
        segment(root / name, 0)
        (root / name / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}\n")
    return root


def test_what_belongs_to_no_topic_is_noted(kafkafmt: Call, tmp_path: Path) -> None:
    root = node(tmp_path / "data")
    answer = kafkafmt("ls", root)
    assert (answer.status, answer.stderr) == (0, "")
    lines = [line.strip() for line in answer.lines]
    assert lines[lines.index(next(line for line in lines if NO_TOPIC in line)) + 1] == f"{root}/gone-0"
    found = [json.loads(line) for line in kafkafmt("ls", root, "--rows", "partitions", "-o", "jsonl").lines]
    assert {row["topic"]: row["topicOfId"] for row in found} == {
        "__cluster_metadata": None,
        "gone": None,
        "orders": "orders",
    }


def test_metadata_may_lie_elsewhere(kafkafmt: Call, tmp_path: Path) -> None:
    data, controller = node(tmp_path / "data"), node(tmp_path / "controller")
    (data / "__cluster_metadata-0" / "00000000000000000000.log").unlink()
    assert NO_TOPIC not in kafkafmt("ls", data).text
    assert NO_TOPIC in kafkafmt("ls", data, "--metadata", controller).text
    assert NO_TOPIC in kafkafmt("ls", tmp_path).text
    absent = kafkafmt("ls", data, "--metadata", tmp_path / "data" / "orders-0")
    assert absent.status == 3
    assert "no cluster metadata there" in absent.stderr


def test_each_cluster_has_its_own(kafkafmt: Call, tmp_path: Path) -> None:
    node(tmp_path / "one", cluster_id="one")
    other = node(tmp_path / "other", cluster_id="other")
    written.log(
        other / "__cluster_metadata-0",
        written.batch(0, written.topic("gone", OTHER_ID), written.partition(topic_id=OTHER_ID)),
    )
    answer = kafkafmt("ls", tmp_path, "--rows", "findings", "-o", "jsonl")
    found = [json.loads(line) for line in answer.lines]
    assert {Path(row["path"]).relative_to(tmp_path).as_posix() for row in found if row["kind"] == "metadata"} == {
        "one/gone-0",
        "other/orders-0",
    }


def test_large_metadata_are_read_when_they_are_named(
    kafkafmt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = node(tmp_path / "data")
    monkeypatch.setattr("kafkafmt.topics.cluster_metadata.strays.AT_HAND_BYTES", 10)
    answer = kafkafmt("ls", root)
    assert NO_TOPIC not in answer.text
    assert "the cluster's metadata are large, and were not read" in answer.stderr
    assert "--metadata" in answer.stderr
    assert NO_TOPIC in kafkafmt("ls", root, "--metadata", root).text


def test_broken_metadata_do_not_stop_a_listing(kafkafmt: Call, tmp_path: Path) -> None:
    root = node(tmp_path / "data")
    (root / "__cluster_metadata-0" / "00000000000000000000.log").rename(
        root / "__cluster_metadata-0" / "00000000000000000005.log"
    )
    answer = kafkafmt("ls", root)
    assert "partitions were not compared with the cluster metadata" in answer.stderr
    assert "orders-0" in answer.text
    named = kafkafmt("ls", root, "--metadata", root)
    assert named.status == 3
    log = root / "__cluster_metadata-0" / "00000000000000000000.log"
    log.write_bytes(written.batch(0, written.topic())[:-1] + b"x" + written.batch(1, written.partition()))
    skipped = kafkafmt("ls", root, "--metadata", root)
    assert "checksum" in skipped.stderr


def test_a_broker_whose_metadata_know_all_of_it_is_not_remarked_on(kafkafmt: Call) -> None:
    for case in cases("modern"):
        if case.name.startswith("10"):
            answer = kafkafmt("ls", case.log_dir, "--rows", "findings", "-o", "jsonl")
            assert not [line for line in answer.lines if json.loads(line)["kind"] == "metadata"]


def test_a_log_file_named_by_itself_is_not_taken_for_metadata(kafkafmt: Call, tmp_path: Path) -> None:
    root = node(tmp_path / "data")
    later = segment(tmp_path / "data" / "orders-0", 10)
    for path in (later, root / "orders-0" / file_name(0), root / "__cluster_metadata-0" / file_name(0)):
        answer = kafkafmt("ls", path)
        assert (answer.status, answer.stderr) == (0, "")
