"""Transactional ids by the coordinator's log."""

import re
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.errors import CorruptError, KafkafmtError, SourceError
from kafkafmt.topics.transaction_state import TransactionalId, transactions
from kafkafmt.topics.transaction_state.coordinator import read_coordinator
from tests.reference.builder import R
from tests.topics.transaction_state.coordinator_logs import (
    COMPLETE_COMMIT,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    Told,
    key,
    write_state,
)


def ids(source: Path, **arguments: Any) -> tuple[TransactionalId, ...]:
    return transactions(source, **arguments).ids


def test_the_last_record_of_an_id_counts(tmp_path: Path) -> None:
    write_state(
        tmp_path,
        Told("b", 1, state=EMPTY, start=-1, partitions={}),
        Told("a", 2),
        Told("b", 1, 3, PREPARE_ABORT, {"t": [2, 0], "s": [1]}, 70_000, 5, 9),
    )
    a, b = ids(tmp_path)
    assert a.transactional_id == "a"
    assert b == TransactionalId(
        *("b", "PrepareAbort", 1, 3, 70_000, 5, (("s", 1), ("t", 0), ("t", 2)), 0, 9, False, -1, -1, 0, 2)
    )
    assert (a.is_unfinished, b.is_unfinished) == (True, True)


def test_a_tombstone_deletes(tmp_path: Path) -> None:
    write_state(tmp_path, Told("a"), Told("b", state=EMPTY), Told("a", state=None), Told("c", state=None))
    assert [each.transactional_id for each in ids(tmp_path)] == ["b"]


def test_one_without_transaction_has_no_start(tmp_path: Path) -> None:
    write_state(tmp_path, Told(state=EMPTY, start=-1, partitions={}))
    (each,) = ids(tmp_path)
    assert (each.state, each.transaction_start_time_ms, each.is_unfinished) == ("Empty", None, False)


def test_a_state_that_is_not_known(tmp_path: Path) -> None:
    write_state(tmp_path, Told(state=77))
    assert [each.state for each in ids(tmp_path)] == ["Unknown(77)"]
    (fault,) = read_coordinator(tmp_path).faults  # TransactionState.fromId throws
    assert (fault.position, fault.found) == (0, 77)


def test_as_of_an_offset_or_a_time(tmp_path: Path) -> None:
    write_state(tmp_path, Told(update=1000), Told(state=COMPLETE_COMMIT, update=2000), Told(state=None, update=3000))
    assert [each.state for each in ids(tmp_path, at_offset=1)] == ["Ongoing"]
    assert [each.state for each in ids(tmp_path, at_offset={0: 2})] == ["CompleteCommit"]
    assert [each.state for each in ids(tmp_path, at_time=1500)] == ["Ongoing"]
    assert ids(tmp_path) == ()


def test_overdue_is_what_runs_longer_than_its_timeout(tmp_path: Path) -> None:
    write_state(
        tmp_path,
        Told("late", start=1000, timeout=500),
        Told("done", state=COMPLETE_COMMIT, start=1000, timeout=500),
        Told("new", start=1000, timeout=5000),
        Told("never", start=-1, timeout=500),
        Told("last", update=1501, start=1501),
    )
    assert [each.transactional_id for each in ids(tmp_path) if each.is_overdue] == ["late"]
    assert [each.transactional_id for each in ids(tmp_path, at_time=9999) if each.is_overdue] == ["late", "new"]


def test_producer_ids_that_an_id_had_are_known(tmp_path: Path) -> None:
    write_state(tmp_path, Told("a", 1), Told("b", 2), Told("a", 3), Told("b", 2, state=None), partition=0)
    write_state(tmp_path, Told("c", 4), partition=2)
    known = read_coordinator(tmp_path)
    assert known.id_of_producer == {1: "a", 2: "b", 3: "a", 4: "c"}
    assert known.partitions == {0, 2}
    assert not known.is_complete
    write_state(tmp_path, partition=1)
    assert read_coordinator(tmp_path).is_complete


def test_filters(tmp_path: Path) -> None:
    write_state(
        tmp_path, Told("a", 1, partitions={"t": [0]}), Told("b", 2, partitions={"s": [1]}), Told("c", 3, partitions={})
    )

    def names(**arguments: Any) -> str:
        return "".join(each.transactional_id for each in ids(tmp_path, missing="note", **arguments))

    assert names(transactional_ids=["a", "x"]) == "a"
    assert names(transactional_ids="b") == "b"
    assert names(transactional_ids=re.compile("[bc]")) == "bc"
    assert names(producer_ids=3) == "c"
    assert names(topics="s") == "b"
    assert names(topics=re.compile("[st]")) == "ab"
    assert names(topics={"t": [0]}) == "a"
    assert names(partitions=[1]) == "b"
    assert names(topics="t", partitions=1) == ""


def test_rows(tmp_path: Path) -> None:
    write_state(tmp_path, Told("a", 1, 2, ONGOING, {"t": [1, 0]}, 3, 4, 5))
    (row,) = (
        transactions(tmp_path).to_table().drop_columns(["transactionStartTimeMs", "lastUpdateTimestamp"]).to_pylist()
    )
    assert row == {
        "transactionalId": "a",
        "state": "Ongoing",
        "producerId": 1,
        "producerEpoch": 2,
        "transactionTimeoutMs": 3,
        "topicPartitions": ["t-0", "t-1"],
        "coordinatorPartition": 0,
        "isOverdue": False,
        "previousProducerId": None,
        "nextProducerId": None,
        "clientTransactionVersion": 0,
        "offset": 0,
    }


def test_without_any_partition_of_it(tmp_path: Path) -> None:
    write_state(tmp_path, name="other")
    with pytest.raises(SourceError, match="no partition of __transaction_state here"):
        transactions(tmp_path)


class TestRecordsThatCannotBeDecoded:
    @pytest.mark.parametrize(
        ("record", "error"),
        [
            (R(key=None), "a record of __transaction_state has no key"),
            (R(key=b"\0"), "a key of __transaction_state that has no type"),
            (R(key=key(Told()), value=b"\0\0\1"), "the data ends"),
            (R(key=key(Told()), value=b""), "the data ends"),
        ],
    )
    def test_each_is_an_error_with_its_place(self, tmp_path: Path, record: R, error: str) -> None:
        write_state(tmp_path, Told("a"), record, Told("b"))
        with pytest.raises(KafkafmtError, match=error) as raised:
            transactions(tmp_path, on_damage="raise")
        assert raised.value.position is not None
        assert str(raised.value.file).endswith(".log")
        answer = transactions(tmp_path)
        assert [each.transactional_id for each in answer.ids] == ["a", "b"]
        (finding,) = answer.findings
        assert finding.topic == "__transaction_state"
        assert finding.path == raised.value.file

    def test_one_of_an_unknown_type_is_a_note(self, tmp_path: Path) -> None:
        newer = R(key=key(Told("a")), value=b"\0\2" + bytes(40))
        write_state(tmp_path, Told("a"), R(key=b"\0\7\0\0"), R(key=b"\0\7\0\1"), newer)
        answer = transactions(tmp_path)
        assert [each.transactional_id for each in answer.ids] == ["a"]  # TransactionStateManager skips newer ones
        assert not answer.findings
        (note,) = [note for note in answer.notes if "does not know" in note]
        assert "2 of type 7, 1 of version 2 of TransactionLogValue (the first is at offset 1" in note
        history = answer.history_answer
        assert [row[1] for row in history.rows()] == ["a"]
        assert (history.findings, [each for each in history.notes if "does not know" in each]) == ([], [note])

    def test_one_that_was_overwritten_does_not_matter(self, tmp_path: Path) -> None:
        write_state(tmp_path, Told("a"), R(key=key(Told("a")), value=b"\0\0" + bytes(8)), Told("a", epoch=4))
        with pytest.raises(CorruptError):
            transactions(tmp_path, on_damage="raise")
        (each,) = transactions(tmp_path).ids
        assert each.producer_epoch == 4
