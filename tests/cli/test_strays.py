"""The note of `cat` and `batches` on directories whose topic no longer exists."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.golden_cases import cases
from tests.logdir.builders import batch, segment
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID

NO_TOPIC = f"belongs to no topic of this cluster (topic id {OTHER_ID})"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A log directory with its metadata, a directory of a topic, and a directory of none."""
    root = tmp_path / "data"
    written.node(root, 1, written.batch(0, written.topic(), written.partition()))
    for name, topic_id in (("orders-0", TOPIC_ID), ("gone-0", OTHER_ID)):
        add(root, name, topic_id)
    return root


def add(root: Path, name: str, topic_id: str) -> None:
    segment(root / name, 0, batch(0))
    (root / name / "partition.metadata").write_text(f"version: 0\ntopic_id: {topic_id}\n")


@pytest.mark.parametrize("command", ["batches", "cat"])
def test_it_is_said_of_what_is_delivered(command: str, kafkafmt: Call, data: Path) -> None:
    said = kafkafmt(command, data, "--topic", "gone")
    assert said.status == 0
    assert said.stderr == (f"kafkafmt: note: by the cluster's metadata, {data}/gone-0 {NO_TOPIC} (see kafkafmt ls)\n")
    assert said.stdout
    assert NO_TOPIC in kafkafmt(command, data).stderr
    for topic in ("orders", "__cluster_metadata"):
        assert kafkafmt(command, data, "--topic", topic).stderr == ""
    assert kafkafmt(command, data / "gone-0").stderr == ""


def test_it_is_said_of_decoded_records(kafkafmt: Call, data: Path) -> None:
    add(data, "__consumer_offsets-0", OTHER_ID)
    add(data, "__consumer_offsets-1", OTHER_ID)
    assert f"__consumer_offsets-0 {NO_TOPIC};" in kafkafmt("cat", data, "--kind", "OffsetCommit").stderr
    one = kafkafmt("cat", data, "--kind", "OffsetCommit", "--partition", 1).stderr
    assert f"__consumer_offsets-1 {NO_TOPIC} (" in one
    assert "__consumer_offsets-0" not in one


def test_a_few_are_named(kafkafmt: Call, data: Path) -> None:
    for number in range(1, 5):
        add(data, f"gone-{number}", OTHER_ID)
    said = kafkafmt("cat", data).stderr
    assert said.count(NO_TOPIC) == 3
    assert said.endswith("; and 2 more (see kafkafmt ls)\n")


def test_nothing_is_said_of_a_replica_that_is_left(kafkafmt: Call, data: Path, tmp_path: Path) -> None:
    add(tmp_path / "other", "gone-0", OTHER_ID)
    segment(tmp_path / "other" / "gone-0", 1, batch(1))
    said = kafkafmt("cat", tmp_path).stderr
    assert f"{tmp_path}/other/gone-0 {NO_TOPIC}" in said
    assert f"{data}/gone-0 {NO_TOPIC}" not in said


def test_metadata_that_nobody_asked_for_stop_nothing(
    kafkafmt: Call, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("kafkafmt.topics.cluster_metadata.strays.AT_HAND_BYTES", 10)
        assert kafkafmt("cat", data).stderr == ""
    log = data / "__cluster_metadata-0" / "00000000000000000000.log"
    log.rename(log.with_name("00000000000000000005.log"))
    broken = kafkafmt("cat", data, "--topic", "gone")
    assert (broken.status, broken.stderr) == (0, "")


def test_of_a_broker_whose_metadata_know_all_of_it_nothing_is_said(kafkafmt: Call) -> None:
    for case in cases("modern"):
        if case.name.startswith("10-"):
            assert kafkafmt("batches", case.log_dir, "--limit", 1).stderr == ""
