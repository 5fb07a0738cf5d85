"""History of a cluster: the events of each metadata record, compared with the records of Kafka's own decoder."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.errors import SourceError
from kafkafmt.topics.cluster_metadata import metadata
from kafkafmt.topics.cluster_metadata.history import METADATA_HISTORY
from tests.golden_cases import Case, cases
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID
from tests.topics.golden_dumps import Dumped, dumped

Row = dict[str, Any]
CASES = [case for case in cases("modern") if case.name in ("10-cluster-metadata-3.9.1", "10-cluster-metadata-4.3.1")]


def _rows(source: Any, **arguments: Any) -> list[Row]:
    rows: list[Row] = metadata(source, **arguments).history.to_pylist()
    return rows


def _in_log(case: Case) -> list[Dumped]:
    records = [each for each in dumped(case, "dump-metadata.txt") if each.file.startswith("__cluster_metadata-0/0")]
    return sorted((each for each in records if each.file.endswith(".log")), key=lambda each: each.offset)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_topics_partitions_configs_and_leaders_as_the_decoder_has_them(case: Case) -> None:
    names: dict[str, str] = {}
    leaders: dict[tuple[str, int], int] = {}
    isr: dict[tuple[str, int], list[int]] = {}
    configs: dict[tuple[Any, ...], str | None] = {}
    expected: list[tuple[Any, ...]] = []
    for record in _in_log(case):
        data = record.value or {}
        place = data.get("topicId", ""), data.get("partitionId", 0)
        if record.type == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
            expected.append((record.offset, "topic created", data["name"], None, None, None))
        elif record.type == "REMOVE_TOPIC_RECORD":
            count = sum(topic_id == data["topicId"] for topic_id, _ in leaders)
            partitions = "1 partition" if count == 1 else f"{count} partitions"
            expected.append((record.offset, "topic deleted", names[data["topicId"]], None, partitions, None))
        elif record.type == "PARTITION_RECORD":
            leaders[place], isr[place] = data["leader"], data["isr"]
            placed = f"leader {data['leader']}, replicas {data['replicas']}, isr {data['isr']}"
            expected.append((record.offset, "partition", names[place[0]], place[1], None, placed))
        elif record.type == "PARTITION_CHANGE_RECORD":
            if data.get("leader", leaders[place]) != leaders[place]:
                change = str(leaders[place]), str(data["leader"])
                expected.append((record.offset, "leader changed", names[place[0]], place[1], *change))
                leaders[place] = data["leader"]
            if data.get("isr", isr[place]) != isr[place]:
                change = str(isr[place]), str(data["isr"])
                expected.append((record.offset, "ISR changed", names[place[0]], place[1], *change))
                isr[place] = data["isr"]
        elif record.type == "CONFIG_RECORD" and data["resourceType"] == 2:
            key = data["resourceName"], data["name"]
            expected.append((record.offset, "config changed", key[0], None, configs.get(key), data["value"]))
            configs[key] = data["value"]
    found = [
        (
            row["offset"],
            "partition" if row["event"] in ("partition created", "partition added") else row["event"],
            row["topic"],
            row["partition"],
            row["before"],
            row["after"],
        )
        for row in _rows(case.log_dir)
        if row["topic"] is not None and row["event"] != "ELR changed"
    ]
    assert found == expected
    assert {"topic deleted", "leader changed"} < {event for _, event, *_ in expected}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_history_tells_how_the_state_at_the_end_came_about(case: Case) -> None:
    """Created minus deleted topics are those of the answer, which is compared with AdminClient."""
    cluster = kafkafmt.open(case.log_dir).metadata()
    counts = Counter((row["event"], row["topic"]) for row in cluster.history.to_pylist())
    for name, topic in cluster.topics.items():
        assert counts["topic created", name] == counts["topic deleted", name] + 1
        if not counts["topic deleted", name]:
            assert counts["partition created", name] + counts["partition added", name] == len(topic.partitions)


def _events(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [(row["offset"], row["event"], row["broker"], row["field"], row["before"], row["after"]) for row in rows]


def test_a_reassignment_leaders_and_brokers(tmp_path: Path) -> None:
    written.node(
        tmp_path,
        1,
        written.leader_change(0, 1),
        written.batch(1, written.topic(), written.partition()),
        written.batch(3, written.broker(), written.record("UnfenceBrokerRecord", id=1, epoch=10)),
        written.batch(5, written.change(replicas=[1, 2, 3, 4], addingReplicas=[4], removingReplicas=[1])),
        written.batch(6, written.change(isr=[1, 2, 3, 4])),
        written.batch(
            7, written.change(replicas=[2, 3, 4], isr=[2, 3, 4], addingReplicas=[], removingReplicas=[], leader=2)
        ),
        written.batch(8, written.change(leader=2)),
        written.batch(9, written.partition(1)),
        written.batch(10, written.config("password", "hidden"), written.config("password", None)),
        written.batch(12, written.record("FenceBrokerRecord", id=1, epoch=10)),
        written.batch(13, written.record("RemoveTopicRecord", topicId=TOPIC_ID)),
    )
    assert _events(_rows(tmp_path)) == [
        (0, "controller elected", 1, "leader", None, "1"),
        (0, "voters changed", None, "voters", "[]", "[1, 2, 3]"),
        (1, "topic created", None, None, None, None),
        (2, "partition created", 1, "replicas", None, "leader 1, replicas [1, 2, 3], isr [1, 2, 3]"),
        (3, "broker registered", 1, "registration", None, "epoch 10, fenced, PLAINTEXT://host:9092"),
        (4, "broker unfenced", 1, "state", "fenced", "active"),
        (5, "reassignment started", 1, "reassignment", None, "adding [4], removing [1]"),
        (5, "replicas changed", 1, "replicas", "[1, 2, 3]", "[1, 2, 3, 4]"),
        (6, "ISR changed", 1, "isr", "[1, 2, 3]", "[1, 2, 3, 4]"),
        (7, "leader changed", 2, "leader", "1", "2"),
        (7, "ISR changed", 2, "isr", "[1, 2, 3, 4]", "[2, 3, 4]"),
        (7, "reassignment ended", 2, "reassignment", "adding [4], removing [1]", None),
        (7, "replicas changed", 2, "replicas", "[1, 2, 3, 4]", "[2, 3, 4]"),
        (8, "leader epoch raised", 2, "leaderEpoch", "6", "7"),
        (9, "partition added", 1, "replicas", None, "leader 1, replicas [1, 2, 3], isr [1, 2, 3]"),
        (10, "config changed", None, "password", None, "[redacted]"),
        (11, "config changed", None, "password", "[redacted]", None),
        (12, "broker fenced", 1, "state", "active", "fenced"),
        (13, "topic deleted", None, "partitions", "2 partitions", None),
    ]


def test_transactions_of_the_controller(tmp_path: Path) -> None:
    begin = written.record("BeginTransactionRecord", name=None)
    written.node(
        tmp_path,
        1,
        written.batch(0, begin, written.topic()),
        written.batch(2, written.partition(), written.record("EndTransactionRecord")),
        written.batch(4, begin, written.topic("gone", OTHER_ID), written.record("AbortTransactionRecord", reason=None)),
        written.batch(7, begin, written.topic("later", OTHER_ID)),
    )
    answer = metadata(tmp_path).history_answer
    assert [(row["offset"], row["event"]) for row in answer.to_table().to_pylist()] == [
        (1, "topic created"),
        (2, "partition created"),
    ]
    assert [note for note in answer.notes if "is open: its 1 record has no effect" in note]


def test_a_log_without_its_beginning_starts_at_its_oldest_snapshot(tmp_path: Path) -> None:
    directory = written.node(tmp_path, 1)
    (directory / "00000000000000000000.log").unlink()
    written.snapshot(directory, 12, 1, written.topic())
    written.snapshot(directory, 10, 1, written.topic())
    written.log(directory, written.batch(8, *[written.config("n", str(number)) for number in range(5)]), base_offset=8)
    answer = metadata(tmp_path).history_answer
    rows = answer.to_table().to_pylist()
    assert [(row["offset"], row["before"], row["after"]) for row in rows] == [
        (10, None, "2"),
        (11, "2", "3"),
        (12, "3", "4"),
    ]
    assert answer.notes == ["the history begins at offset 10, with the oldest snapshot: earlier records are gone"]


def test_moments_and_what_has_no_history(tmp_path: Path) -> None:
    directory = written.node(
        tmp_path, 1, written.batch(0, written.topic()), written.batch(1, written.config("n", "1"), timestamp=2000)
    )
    assert len(_rows(tmp_path, at_offset=1)) == len(_rows(tmp_path, at_time=1500)) == 1
    assert len(_rows(directory / "00000000000000000000.log", at_time=1500)) == 1
    path = written.snapshot(tmp_path / "alone", 4, 1, written.topic())
    answer = metadata(path).history_answer
    assert answer.to_table().schema == METADATA_HISTORY.schema
    assert not len(answer.to_table())
    assert [note for note in answer.notes if note.startswith("no history")]
    bad = written.node(tmp_path / "bad", 1, written.batch(0, written.topic(), b"\1\x63\0"))
    answer = metadata(bad).history_answer
    assert len(answer.to_table()) == 1
    assert not answer.findings
    assert any("type 99" in note for note in answer.notes)


def test_a_log_whose_beginning_no_snapshot_has(tmp_path: Path) -> None:
    directory = written.node(tmp_path, 1)
    (directory / "00000000000000000000.log").unlink()
    written.snapshot(directory, 8, 1, written.topic())
    written.log(directory, written.batch(8, written.config("n", "1")), base_offset=8)
    answer = metadata(tmp_path).history_answer
    (directory / f"{8:020d}-{1:010d}.checkpoint").write_bytes(b"broken")
    with pytest.raises(SourceError, match="begins at offset 8, and no snapshot has the state before it"):
        answer.to_table()
