"""`Scan.end_offsets`: where a pass ends; a scan from there gives new records only, each once."""

from pathlib import Path

import pytest

import kafkafmt
from kafkafmt import SourceError
from tests.golden_cases import GOLDEN, cases
from tests.logdir.builders import batch, checkpoint, offsets, segment

TRANSACTIONS = next(case for case in cases("modern") if case.name == "04-transactions-4.3.1")
CODECS = next(case for case in cases("modern") if case.name == "01-codecs-4.3.1")


def test_ends_are_the_log_ends_that_kafka_checkpointed() -> None:
    ends = kafkafmt.scan(CODECS.log_dir).end_offsets()
    assert ends == {
        (partition.topic, partition.partition): partition.recovery_point
        for partition in kafkafmt.open(CODECS.log_dir).partitions
        if partition.topic != "__cluster_metadata"
    }
    assert len(ends) > 10


def test_from_there_on_is_what_is_new(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    segment(tmp_path / "t-1", 0, batch(0, 3), batch(7, 2))
    segment(tmp_path / "empty-0", 0, b"")
    (tmp_path / "none-0").mkdir()
    scan = kafkafmt.scan(tmp_path)
    ends = scan.end_offsets()
    assert ends == {("t", 0): 10, ("t", 1): 9, ("empty", 0): 0}
    assert offsets(tmp_path, start_offset=ends) == []
    segment(tmp_path / "t-0", 10)
    segment(tmp_path / "new-0", 5, batch(5, 2))
    assert scan.end_offsets() == ends  # files are read as they were listed
    assert offsets(tmp_path, start_offset=ends) == [5, 6, *range(10, 20)]


def test_an_incomplete_last_batch_is_not_read_yet(tmp_path: Path) -> None:
    path = segment(tmp_path / "t-0", 0, batch(0, 3), batch(3, 3)[:-1])
    ends = kafkafmt.scan(tmp_path).end_offsets()
    assert ends == {("t", 0): 3}
    path.write_bytes(batch(0, 3) + batch(3, 3))
    assert offsets(tmp_path, start_offset=ends) == [3, 4, 5]


def test_bounds_end_a_scan_too(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0)
    checkpoint(tmp_path, "replication-offset-checkpoint", {("t", 0): 7})
    assert kafkafmt.scan(tmp_path, end_offset=4).end_offsets() == {("t", 0): 4}
    assert kafkafmt.scan(tmp_path, end_offset=40).end_offsets() == {("t", 0): 10}
    assert kafkafmt.scan(tmp_path, end_offset="high_watermark").end_offsets() == {("t", 0): 7}
    assert kafkafmt.scan(tmp_path, topics="u", missing="note").end_offsets() == {}
    assert kafkafmt.scan(tmp_path / "t-0" / f"{0:020d}.log").end_offsets() == {("t", 0): 10}


def test_read_committed_ends_where_a_consumer_came_to() -> None:
    came_to = {
        (row["topic"], row["partition"]): row["positionAtEnd"] for row in TRANSACTIONS.jsonl("read_committed.jsonl")
    }
    ends = kafkafmt.scan(TRANSACTIONS.log_dir, isolation_level="read_committed").end_offsets()
    assert {name: end for name, end in ends.items() if name in came_to} == came_to
    assert came_to["tx", 0] < kafkafmt.scan(TRANSACTIONS.log_dir).end_offsets()["tx", 0]


def test_of_replicas_it_is_that_of_the_best() -> None:
    copies = GOLDEN / "modern" / "07-three-nodes-diverged-4.3.1" / "log-dir"
    scan = kafkafmt.scan(copies, topics={"rep": 0})
    assert scan.end_offsets() == {("rep", 0): 85}
    assert max(offsets(copies, topics={"rep": 0})) == 84


def test_a_log_that_cannot_be_read_has_no_end(tmp_path: Path) -> None:
    path = segment(tmp_path / "t-0", 0)
    scan = kafkafmt.scan(tmp_path)
    path.unlink()
    with pytest.raises(SourceError):
        scan.end_offsets()


@pytest.mark.parametrize("name", ["start_offset", "end_offset"])
def test_offsets_by_topic(name: str, tmp_path: Path) -> None:
    for partition in ("t-0", "t-1", "u-0"):
        segment(tmp_path / partition, 0)
    by_topic = {"t": {0: 4, 1: 10}, "u": {0: 9}}
    pairs = {(topic, number): offset for topic, each in by_topic.items() for number, offset in each.items()}
    assert offsets(tmp_path, **{name: by_topic}) == offsets(tmp_path, **{name: pairs})
    assert len(offsets(tmp_path, **{name: by_topic})) == (7 if name == "start_offset" else 23)
    wrong: list[tuple[object, type[Exception]]] = [
        ({"t": 4}, TypeError),
        ({"t": {"0": 4}}, TypeError),
        ({"t": {0: "4"}}, TypeError),
        ({"t": {0: 4}, ("t", 0): 4}, ValueError),
        ({"t": {0: -4}}, ValueError),
    ]
    for given, kind in wrong:
        with pytest.raises(kind, match=name):
            kafkafmt.scan(tmp_path, **{name: given})  # type: ignore[arg-type]
