"""Transactions as reported by AdminClient while the golden brokers ran, compared with their logs."""

import json
from pathlib import Path
from typing import Any

import pytest

import kafkafmt.topics
from kafkafmt.topics.transaction_state import TransactionalId
from tests.golden_cases import GOLDEN, Case, cases

ASKED = [case for case in cases("modern") if case.has("transactions.json")]
LEGACY = [case for case in cases("legacy") if case.name.startswith("transactions")]
COORDINATOR_ID = 1  # the only broker of these cases


def source(case: Case) -> Path:
    """For crash cases, the directory that the queried broker used."""
    recovered = case.log_dir / "recovered"
    return recovered if recovered.exists() else case.log_dir


def told(each: TransactionalId) -> dict[str, Any]:
    """A transactional id in the form of `transactions.json`."""
    return {
        "transactionalId": each.transactional_id,
        "producerId": each.producer_id,
        "listedState": each.state,
        "state": each.state,
        "producerEpoch": each.producer_epoch,
        "transactionTimeoutMs": each.transaction_timeout_ms,
        "coordinatorId": COORDINATOR_ID,
        "transactionStartTimeMs": each.transaction_start_time_ms,
        "topicPartitions": sorted(f"{topic}-{partition}" for topic, partition in each.topic_partitions),
    }


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_the_answer_is_that_of_describe_transactions(case: Case) -> None:
    expected = json.loads((case.expected / "transactions.json").read_text())["transactions"]
    answer = kafkafmt.topics.transactions(source(case))
    assert [told(each) for each in answer.ids] == sorted(expected, key=lambda each: each["transactionalId"])
    assert (answer.findings, answer.damage) == ((), ())
    assert expected


def test_no_answer_is_left_out() -> None:
    assert len(ASKED) == 14


@pytest.mark.parametrize("case", [*ASKED, *LEGACY], ids=str)
def test_what_is_open_in_the_data_is_what_the_coordinator_has_under_way(case: Case) -> None:
    answer = kafkafmt.topics.transactions(source(case), data="open", on_damage="skip")
    under_way = {
        (each.transactional_id, topic, partition)
        for each in answer.ids
        if each.is_unfinished
        for topic, partition in each.topic_partitions
    }
    opened = {(each.transactional_id, each.topic, each.partition) for each in answer.open if each.state == "open"}
    assert opened <= under_way
    # A partition can be added to a transaction before its first record is written.
    assert {each[0] for each in under_way} == {each[0] for each in opened}


@pytest.mark.parametrize("case", [*ASKED, *LEGACY], ids=str)
def test_open_transactions_begin_where_describe_producers_says(case: Case) -> None:
    if not case.has("producers.json"):
        assert case in LEGACY or case.name == "08-consumer-groups-3.9.1"
        return
    expected = {
        (name, each["producerId"], each["currentTransactionStartOffset"])
        for name, entries in json.loads((case.expected / "producers.json").read_text()).items()
        for each in entries
        if each["currentTransactionStartOffset"] is not None
    }
    answer = kafkafmt.topics.transactions(source(case), data="open", on_damage="skip")
    names = {name for name, _, _ in expected}
    found = {(f"{each.topic}-{each.partition}", each.producer_id, each.first_offset) for each in answer.open}
    assert {each for each in found if each[0] in names} == expected


@pytest.mark.parametrize("case", [*ASKED, *LEGACY], ids=str)
def test_ended_transactions_hold_what_the_records_say(case: Case) -> None:
    """A model takes records batch by batch: all between two markers of a producer is one transaction."""
    answer = kafkafmt.topics.transactions(source(case), data="all", on_damage="skip")
    found = {
        (each.topic, each.partition, each.producer_id, each.first_offset): (
            each.state,
            each.records,
            each.marker_offset,
        )
        for each in answer.data()
        if each.told_by == "log"
    }
    columns = ["topic", "partition", "offset", "producerId", "isTransactional", "controlType"]
    rows = kafkafmt.scan(
        source(case), columns=columns, control_records=True, on_damage="skip", below_log_start=True
    ).to_table()
    opened: dict[tuple[Any, ...], list[int]] = {}
    expected: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in rows.to_pylist():
        key = (row["topic"], row["partition"], row["producerId"])
        if row["controlType"] in ("ABORT", "COMMIT"):
            offsets = opened.pop(key, None)
            if offsets:
                state = "aborted" if row["controlType"] == "ABORT" else "committed"
                expected[*key, offsets[0]] = (state, len(offsets), row["offset"])
        elif row["isTransactional"] and row["controlType"] is None:
            opened.setdefault(key, []).append(row["offset"])
    ended = {key: each for key, each in found.items() if each[0] in ("committed", "aborted")}
    # The first record of a batch may have been cleaned, and a file may begin inside a transaction.
    compacted = case.name.startswith(("05-", "12-"))
    assert set(ended.values()) == set(expected.values()) if compacted else ended == expected
    if not compacted:
        still = {key: len(offsets) for (*key_,), offsets in opened.items() for key in [(*key_, offsets[0])]}
        assert {key: each[1] for key, each in found.items() if key not in ended} == still


def test_the_hanging_transaction_is_found() -> None:
    answer = kafkafmt.topics.transactions(GOLDEN / "modern" / "04-transactions-3.9.1" / "log-dir", data="hanging")
    (each,) = answer.open
    assert (each.topic, each.partition, each.producer_id, each.first_offset) == ("hanging", 0, 77777, 2)
    assert each.state == "hanging"
    assert each.reason == "the coordinator has no transactional id for this producer"
    assert each.abort_command == (
        "kafka-transactions.sh --bootstrap-server localhost:9092 abort --topic hanging --partition 0 --start-offset 2"
    )
    assert each.abort_command_before_3_0 == (
        "kafka-transactions.sh --bootstrap-server localhost:9092 abort --topic hanging --partition 0"
        " --producer-id 77777 --producer-epoch 4 --coordinator-epoch 0"
    )
    assert list(answer.ended()) == []


@pytest.mark.parametrize(
    "case", [case for case in [*ASKED, *LEGACY] if not case.name.startswith("04-transactions-3")], ids=str
)
def test_nothing_else_hangs(case: Case) -> None:
    assert kafkafmt.topics.transactions(source(case), data="hanging", on_damage="skip").open == ()
