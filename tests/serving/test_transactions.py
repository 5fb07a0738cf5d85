"""DescribeProducers, ListTransactions and DescribeTransactions: the answers of AdminClient on golden disks."""

import json
import time
from typing import Any

import pytest

from kafkafmt.protocol.error_codes import ErrorCode
from tests.golden_cases import Case, cases
from tests.serving.wire import Wire, served

# Cases whose log is not that of one replica at its end.
_OTHERS = ("07-", "07b-", "12-crash", "14-running")
PRODUCED = [case for case in cases("modern") if case.has("producers.json") and not case.name.startswith(_OTHERS)]
TRANSACTED = [case for case in cases("modern") if case.has("transactions.json") and not case.name.startswith(_OTHERS)]
CASE = next(case for case in TRANSACTED if case.name == "09-transaction-state-4.3.1")


# Its only snapshot is at the log start: a broker deletes it at its start (`ProducerStateManager.truncateAndReload`).
_FORGOTTEN = "all-gone-0"


def expected(case: Case, name: str) -> Any:
    return json.loads((case.expected / name).read_text())


def listed(wire: Wire, version: int | None = None, **filters: Any) -> dict[str, tuple[int, str]]:
    asked = {"StateFilters": [], "ProducerIdFilters": [], "DurationFilter": -1, "TransactionalIdPattern": None}
    answer = wire.ask("ListTransactions", asked | filters, version)
    assert answer["ErrorCode"] == 0
    return {
        each["TransactionalId"]: (each["ProducerId"], each["TransactionState"]) for each in answer["TransactionStates"]
    }


@pytest.mark.parametrize("case", PRODUCED, ids=str)
def test_golden_producers(case: Case) -> None:
    compared = 0
    with served(case.log_dir) as wire:
        for name, known in expected(case, "producers.json").items():
            topic, _, partition = name.rpartition("-")
            producers = [] if name == _FORGOTTEN else known
            answer = wire.ask("DescribeProducers", {"Topics": [{"Name": topic, "PartitionIndexes": [int(partition)]}]})
            (found,) = answer["Topics"][0]["Partitions"]
            assert found["ErrorCode"] == 0
            assert sorted(found["ActiveProducers"], key=lambda each: each["ProducerId"]) == [
                {
                    "ProducerId": each["producerId"],
                    "ProducerEpoch": each["producerEpoch"],
                    "LastSequence": each["lastSequence"],
                    "LastTimestamp": each["lastTimestamp"],
                    "CoordinatorEpoch": -1 if each["coordinatorEpoch"] is None else each["coordinatorEpoch"],
                    "CurrentTxnStartOffset": -1
                    if each["currentTransactionStartOffset"] is None
                    else each["currentTransactionStartOffset"],
                }
                for each in sorted(producers, key=lambda each: each["producerId"])
            ]
            compared += 1
    assert compared


@pytest.mark.parametrize("case", TRANSACTED, ids=str)
def test_golden_transactions(case: Case) -> None:
    known = expected(case, "transactions.json")["transactions"]
    assert known
    with served(case.log_dir) as wire:
        assert listed(wire) == {each["transactionalId"]: (each["producerId"], each["listedState"]) for each in known}
        answer = wire.ask("DescribeTransactions", {"TransactionalIds": [each["transactionalId"] for each in known]})
    for found, each in zip(answer["TransactionStates"], known, strict=True):
        start = each["transactionStartTimeMs"]
        places = [f"{topic['Topic']}-{number}" for topic in found["Topics"] for number in topic["Partitions"]]
        assert sorted(places) == sorted(each["topicPartitions"])
        assert found | {"Topics": []} == {
            "ErrorCode": 0,
            "TransactionalId": each["transactionalId"],
            "TransactionState": each["state"],
            "TransactionTimeoutMs": each["transactionTimeoutMs"],
            "TransactionStartTimeMs": -1 if start is None else start,
            "ProducerId": each["producerId"],
            "ProducerEpoch": each["producerEpoch"],
            "Topics": [],
        }


def test_filters() -> None:
    with served(CASE.log_dir) as wire:
        every = listed(wire)
        assert listed(wire, version=0) == every
        assert listed(wire, StateFilters=["Ongoing"]).keys() == {"ongoing"}
        assert listed(wire, StateFilters=["Ongoing", "Empty"]).keys() >= {"ongoing", "empty", "ongoing-empty"}
        assert listed(wire, ProducerIdFilters=[4, 7]).keys() == {"committed", "ongoing"}
        assert listed(wire, ProducerIdFilters=[7], StateFilters=["Empty"]) == {}
        assert listed(wire, TransactionalIdPattern="") == every
        assert listed(wire, TransactionalIdPattern="ongoing").keys() == {"ongoing"}
        assert listed(wire, TransactionalIdPattern="ongoing.*").keys() == {"ongoing", "ongoing-empty"}
        assert listed(wire, TransactionalIdPattern="go") == {}
        assert listed(wire, TransactionalIdPattern="empty|committed").keys() == {"empty", "committed"}
        # Ids that never began a transaction count as begun in 1970 (TransactionStateManager.listTransactionStates).
        begun = {each["transactionalId"] for each in known_begun()}
        assert listed(wire, DurationFilter=0) == every
        assert listed(wire, DurationFilter=50 * 365 * 86_400_000).keys() == every.keys() - begun
        assert listed(wire, DurationFilter=2**62) == {}


def known_begun() -> list[dict[str, Any]]:
    known = expected(CASE, "transactions.json")["transactions"]
    return [each for each in known if each["transactionStartTimeMs"] is not None]


def test_duration_counts_to_the_time_that_is_served() -> None:
    (ongoing,) = [each for each in known_begun() if each["transactionalId"] == "ongoing"]
    at = ongoing["transactionStartTimeMs"] + 100
    with served(CASE.log_dir, at_time=at) as wire:
        assert "ongoing" in listed(wire, DurationFilter=99)
        assert "ongoing" not in listed(wire, DurationFilter=101)


def test_unknown_states_are_said() -> None:
    asked = {"StateFilters": ["Nonsense", "ongoing", "Ongoing"], "ProducerIdFilters": []}
    with served(CASE.log_dir) as wire:
        assert wire.ask("ListTransactions", asked)["UnknownStateFilters"] == ["Nonsense", "ongoing"]


@pytest.mark.parametrize("pattern", ["x(", "*", "(?<=a)b", r"(a)\1", "a{2000}"])
def test_what_is_no_pattern_of_re2_is_an_error(pattern: str) -> None:
    asked = {"StateFilters": [], "ProducerIdFilters": [], "TransactionalIdPattern": pattern}
    with served(CASE.log_dir) as wire:
        assert wire.ask("ListTransactions", asked)["ErrorCode"] == ErrorCode.INVALID_REGULAR_EXPRESSION


def test_patterns_take_linear_time() -> None:
    with served(CASE.log_dir) as wire:
        started = time.monotonic()
        assert listed(wire, TransactionalIdPattern="(((.*)*)*)*!") == {}
        assert time.monotonic() - started < 5


def test_without_internal_topics_there_is_none() -> None:
    case = next(case for case in cases("modern") if case.name == "01-codecs-4.3.1")
    with served(case.log_dir) as wire:
        assert listed(wire) == {}
        answer = wire.ask("DescribeTransactions", {"TransactionalIds": ["tx"]})
        assert answer["TransactionStates"][0]["ErrorCode"] == ErrorCode.TRANSACTIONAL_ID_NOT_FOUND


def test_producers_of_unknown_partitions() -> None:
    asked = [
        {"Name": "nobody", "PartitionIndexes": [0]},
        {"Name": "a b", "PartitionIndexes": [0]},
        {"Name": "ts", "PartitionIndexes": [99]},
    ]
    with served(CASE.log_dir) as wire:
        found = wire.ask("DescribeProducers", {"Topics": asked})["Topics"]
    assert [each["Partitions"][0]["ErrorCode"] for each in found] == [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
