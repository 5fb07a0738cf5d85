"""History of transactional ids: the coordinator's records as decoded by Kafka, and every marker in the data."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.topics.transaction_state import history as module
from kafkafmt.topics.transaction_state import transactions
from kafkafmt.topics.transaction_state.answer import transaction_history
from tests.golden_cases import Case, cases
from tests.logdir.builders import file_name
from tests.reference.builder import R
from tests.topics.golden_dumps import dumped
from tests.topics.producer_logs import ABORT, COMMIT, ProducerLog, Step
from tests.topics.transaction_state.coordinator_logs import (
    COMPLETE_COMMIT,
    EMPTY,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    Told,
    write_state,
)

Row = dict[str, Any]
CASES = [case for case in cases("modern") if case.name in ("04-transactions-4.3.1", "09-transaction-state-4.3.1")]
EVENTS = {
    0: {"initialized"},
    1: {"begun", "partitions added"},
    2: {"prepare commit"},
    3: {"prepare abort"},
    4: {"complete commit"},
    5: {"complete abort"},
}


def _rows(source: Any, **wanted: Any) -> list[Row]:
    rows: list[Row] = transaction_history(source, **wanted).to_table().to_pylist()
    return rows


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_record_of_the_coordinator_is_an_event(case: Case) -> None:
    rows = [row for row in _rows(case.log_dir, on_damage="skip") if row["topic"] is None]
    found = {(row["coordinatorPartition"], row["offset"]): row for row in rows}
    assert len(found) == len(rows)
    count = 0
    for record in dumped(case, "dump-transactions.txt"):
        if "__transaction_state" not in record.file or record.key is None:
            continue
        count += 1
        partition = int(record.file.split("/")[-2].rpartition("-")[2])
        row = found[partition, record.offset]
        assert row["transactionalId"] == record.key["transactionalId"]
        if record.value is None:
            assert (row["event"], row["producerId"]) == ("expired", None)
        else:
            assert row["event"] in EVENTS[record.value["transactionStatus"]]
            assert (row["producerId"], row["producerEpoch"]) == (
                record.value["producerId"],
                record.value["producerEpoch"],
            )
    assert count == len(rows) > 10


@pytest.mark.parametrize("case", CASES, ids=str)
def test_partitions_of_a_transaction_are_those_that_were_added(case: Case) -> None:
    """The partitions added since a transaction began are those of the record that prepares its end."""
    prepared = {}
    for record in dumped(case, "dump-transactions.txt"):
        if record.value is not None and record.value["transactionStatus"] in (2, 3) and "__transaction" in record.file:
            partition = int(record.file.split("/")[-2].rpartition("-")[2])
            prepared[partition, record.offset] = {
                f"{each['topic']}-{number}"
                for each in record.value["transactionPartitions"] or ()
                for number in each["partitionIds"]
            }
    added: dict[str, set[str]] = defaultdict(set)
    for row in _rows(case.log_dir, on_damage="skip"):
        if row["event"] == "begun":
            added[row["transactionalId"]] = set(row["topicPartitions"])
        elif row["event"] == "partitions added":
            added[row["transactionalId"]] |= set(row["topicPartitions"])
        elif row["event"].startswith("prepare"):
            assert added[row["transactionalId"]] == prepared.pop((row["coordinatorPartition"], row["offset"]))
    assert not prepared


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_marker_in_the_data_is_an_event(case: Case) -> None:
    rows = [row for row in _rows(case.log_dir, on_damage="skip") if row["topic"] is not None]
    producers = {row["producerId"] for row in rows}
    epochs = {
        (batch["file"], batch["baseOffset"]): (batch["producerId"], batch["producerEpoch"])
        for batch in case.jsonl("batches.jsonl")
    }
    live = [path.name for path in case.log_dir.iterdir() if path.is_dir() and not path.name.endswith("-delete")]
    expected = set()
    for record in case.jsonl("records.jsonl"):
        directory = record["file"].split("/")[0]
        if record.get("controlType") in ("COMMIT", "ABORT") and directory in live and record["file"].endswith(".log"):
            producer, epoch = epochs[record["file"], record["offset"]]
            if producer in producers:
                kind = f"{record['controlType'].lower()} marker"
                time = record["timestamp"]
                expected.add((directory, record["offset"], kind, time, producer, epoch, record["coordinatorEpoch"]))
    found = {
        (
            f"{row['topic']}-{row['partition']}",
            row["offset"],
            row["event"],
            int(row["timestamp"].timestamp() * 1000 + 0.5),
            row["producerId"],
            row["producerEpoch"],
            row["coordinatorEpoch"],
        )
        for row in rows
    }
    assert found == expected
    assert len(found) == len(rows) > 5


@pytest.mark.parametrize("case", CASES, ids=str)
def test_markers_lie_between_the_decision_and_its_completion(case: Case) -> None:
    """By one broker's clock; a hanging transaction that an administrator aborted has no decision."""
    last: dict[str, str] = {}
    lost = 0
    for row in _rows(case.log_dir, on_damage="skip"):
        name, event = row["transactionalId"], row["event"]
        if event.endswith("marker"):
            lost += last[name] != f"prepare {event.removesuffix(' marker')}"
        else:
            last[name] = event
    assert lost <= 1


def _life(tmp_path: Path) -> Path:
    write_state(
        tmp_path,
        Told(state=EMPTY, partitions={}, start=-1, update=1000),
        Told(update=2000),
        Told(partitions={"t": [0], "u": [1]}, update=2100),
        Told("other", producer_id=2, update=2200, partitions={"u": [1]}),
        Told(state=PREPARE_COMMIT, partitions={"t": [0], "u": [1]}, update=3000),
        Told(state=COMPLETE_COMMIT, partitions={}, start=2000, update=3000),
        Told(producer_id=7, state=EMPTY, partitions={}, start=-1, update=4000, epoch=1),
        Told("other", producer_id=2, state=PREPARE_ABORT, partitions={"u": [1]}, update=5000),
        Told(state=None, update=9000),
    )
    end = Step(1, kind=COMMIT, timestamp=3000)
    for name, steps in {
        "t-0": [Step(1), end],
        "u-1": [Step(1), end, Step(2), Step(2, kind=ABORT, timestamp=5000)],
        "w-0": [Step(1), end],
    }.items():
        (tmp_path / name).mkdir()
        batches = ProducerLog(steps).batches
        (tmp_path / name / file_name(0)).write_bytes(b"".join(packed for _, _, packed in batches))
    return tmp_path


def test_the_life_of_an_id(tmp_path: Path) -> None:
    rows = _rows(_life(tmp_path), transactional_ids="id")
    assert [(row["event"], row["topic"], row["offset"], row["topicPartitions"], row["detail"]) for row in rows] == [
        ("initialized", None, 0, None, None),
        ("begun", None, 1, ["t-0"], None),
        ("partitions added", None, 2, ["u-1"], None),
        ("prepare commit", None, 4, None, None),
        ("commit marker", "t", 1, None, None),
        ("commit marker", "u", 1, None, None),
        ("complete commit", None, 5, None, "1000 ms after it began"),
        ("initialized", None, 6, None, "producer 1 -> 7, epoch 0 -> 1"),
        ("expired", None, 8, None, "removed by the coordinator, as it was unused for transactional.id.expiration.ms"),
    ]


def test_filters_and_moments(tmp_path: Path) -> None:
    source = _life(tmp_path)
    assert {row["transactionalId"] for row in _rows(source, producer_ids=7)} == {"id"}
    assert [row["event"] for row in _rows(source, transactional_ids="other")] == [
        *("begun", "prepare abort", "abort marker"),
    ]
    assert {row["topic"] for row in _rows(source, topics="t")} == {None, "t"}
    early = transaction_history(source, at_offset=2)
    assert [row["event"] for row in early.to_table().to_pylist()] == ["initialized", "begun"]
    assert [note for note in early.notes if "the markers as of an offset" in note]
    assert len(_rows(source, at_time=2999)) == 4
    answer = kafkafmt.open(source).transactions(transactional_ids="id")
    assert answer.tables == ("ids", "data", "history")
    assert answer.history["transactionalId"].unique().to_pylist() == ["id"]


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_state(tmp_path, Told(partitions={"gone": [0, 3]}))
    answer = transaction_history(tmp_path)
    assert len(answer.to_table()) == 1
    assert answer.notes == ["markers are unknown in partitions that are not on these disks: gone-0, gone-3"]
    monkeypatch.setattr(module, "MOST_MARKERS", 1)
    answer = transaction_history(_life(tmp_path / "life"))
    assert sum(row["topic"] is not None for row in answer.to_table().to_pylist()) == 1
    assert [note for note in answer.notes if note.startswith("2 markers beyond 1 are left out")]


def test_a_record_that_cannot_be_decoded(tmp_path: Path) -> None:
    write_state(tmp_path, Told(), R(key=b"\0\0\0\2id", value=b"\0\0\x63"), R(key=None, value=b"v"))
    with pytest.raises(kafkafmt.DataError, match="record 1 of __transaction_state-0"):
        _rows(tmp_path, on_damage="raise")
    answer = transactions(tmp_path).history_answer
    assert len(answer.to_table()) == 1
    assert len(answer.findings) == 2
