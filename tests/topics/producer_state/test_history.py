"""History of producers, compared with the batches read by Kafka's own iterators."""

from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.topics.producer_state.history import producer_history
from tests.golden_cases import Case, cases
from tests.logdir.builders import file_name
from tests.topics.producer_logs import ABORT, COMMIT, ProducerLog, Step

Row = dict[str, Any]
CASES = [
    case
    for case in cases("modern")
    if case.name in ("03-idempotent-4.3.1", "04-transactions-3.9.1", "04-transactions-4.3.1", "05-compacted-4.3.1")
]


def _expected(case: Case) -> set[tuple[Any, ...]]:
    """Expected events from the fields of each batch, in log order."""
    kinds = {
        (record["file"], record["offset"]): record["controlType"]
        for record in case.jsonl("records.jsonl")
        if record.get("controlType") in ("COMMIT", "ABORT")
    }
    live = [path.name for path in case.log_dir.iterdir() if path.is_dir() and not path.name.endswith("-delete")]
    batches = [
        batch
        for batch in case.jsonl("batches.jsonl")
        if batch["producerId"] >= 0 and batch["file"].split("/")[0] in live and batch["file"].endswith(".log")
    ]
    epochs: dict[tuple[str, int], int] = {}
    opened: dict[tuple[str, int], tuple[int, int]] = {}
    events = set()
    for batch in sorted(batches, key=lambda each: (each["file"].split("/")[0], each["baseOffset"])):
        directory = batch["file"].split("/")[0]
        key = directory, batch["producerId"]
        epoch, offset = batch["producerEpoch"], batch["baseOffset"]
        begin = (directory, batch["producerId"], epoch)
        if batch["isControlBatch"]:
            first, count = opened.pop(key, (None, None))
            kind = kinds.get((batch["file"], offset))
            if kind is not None:
                events.add((*begin, "committed" if kind == "COMMIT" else "aborted", offset, first, count))
        else:
            if key not in epochs:
                events.add((*begin, "first batch", offset, None, None))
            elif epochs[key] != epoch:
                events.add((*begin, "epoch raised", offset, None, None))
            if batch["isTransactional"] and batch["count"]:
                if key not in opened:
                    events.add((*begin, "transaction begun", offset, None, None))
                first, count = opened.get(key, (offset, 0))
                opened[key] = first, count + batch["count"]
        epochs[key] = epoch
    return events


@pytest.mark.parametrize("case", CASES, ids=str)
def test_events_are_those_of_the_batches(case: Case) -> None:
    answer = producer_history(case.log_dir, on_damage="skip")
    rows = answer.to_table().to_pylist()
    found = {
        (
            f"{row['topic']}-{row['partition']}",
            *(row[name] for name in ("producerId", "producerEpoch", "event", "offset")),
            *(row["transactionFirstOffset"], row["transactionRecords"]),
        )
        for row in rows
    }
    assert found == _expected(case)
    assert len(found) == len(rows) > 5


def _log(tmp_path: Path, *steps: Step, begin: int = 0) -> Path:
    directory = tmp_path / "t-0"
    directory.mkdir(parents=True)
    batches = ProducerLog(steps, begin).batches
    (directory / file_name(begin)).write_bytes(b"".join(data for _, _, data in batches))
    return tmp_path


def _events(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [(row["producerId"], row["event"], row["offset"], row["detail"]) for row in rows]


def test_epochs_and_transactions(tmp_path: Path) -> None:
    source = _log(
        tmp_path,
        Step(1, transactional=False),
        Step(2, records=3),
        Step(1, epoch=1, transactional=False),
        Step(2, epoch=1, kind=COMMIT),
        Step(2, epoch=1),
        Step(2, epoch=2, kind=ABORT),
        Step(3, kind=ABORT),
    )
    rows = producer_history(source).to_table().to_pylist()
    assert _events(rows) == [
        (1, "first batch", 0, None),
        (2, "first batch", 1, None),
        (2, "transaction begun", 1, None),
        (1, "epoch raised", 4, "epoch 0 -> 1"),
        (2, "committed", 5, "epoch 0 -> 1"),
        (2, "transaction begun", 6, None),
        (2, "aborted", 7, "epoch 1 -> 2"),
        (3, "aborted", 8, None),
    ]
    assert [(row["transactionFirstOffset"], row["transactionRecords"]) for row in rows[4:7:2]] == [(1, 3), (6, 1)]
    assert rows[7]["transactionFirstOffset"] is None


def test_filters_moments_and_a_log_without_its_beginning(tmp_path: Path) -> None:
    source = _log(tmp_path, Step(1), Step(2, timestamp=5000), begin=100)
    answer = kafkafmt.open(source).producers(producer_ids=2)
    assert answer.tables == ("producers", "history", "check")
    assert answer.history["producerId"].unique().to_pylist() == [2]
    assert answer.history_answer.notes == [
        "the beginning of 1 log is gone (retention), so a first batch there need not be the first: t-0"
    ]
    assert producer_history(source, at_offset=101).to_table()["producerId"].unique().to_pylist() == [1]
    assert producer_history(source, at_time=4000).to_table()["producerId"].unique().to_pylist() == [1]
    assert not len(producer_history(source, topics="x", missing="note").to_table())
