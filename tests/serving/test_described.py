"""The describing APIs against the answers of a broker of Kafka 4.4 on the same disk."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from kafkafmt.protocol.error_codes import ErrorCode
from tests.golden_cases import GOLDEN, read_jsonl
from tests.serving.wire import Wire, served

LOG_DIR = GOLDEN / "described" / "log-dir"
ANSWERS = read_jsonl(GOLDEN / "described" / "answers.jsonl")
# A path, and fields that depend on the time of the request.
_OF_THE_MOMENT = {
    "LogDir",
    "TotalBytes",
    "UsableBytes",
    "HighWatermark",
    "LeaderEpoch",
    "LogEndOffset",
    "LastFetchTimestamp",
    "LastCaughtUpTimestamp",
    "Nodes",
}


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with served(LOG_DIR) as connection:
        yield connection


def comparable(value: Any) -> Any:
    """An answer without time-dependent fields, its arrays sorted."""
    if isinstance(value, dict):
        return {key: comparable(each) for key, each in value.items() if key not in _OF_THE_MOMENT}
    if isinstance(value, list):
        return sorted(map(comparable, value), key=repr)
    return str(value) if isinstance(value, UUID) else value


def test_id(answer: dict[str, Any]) -> str:
    return f"{answer['api']}-{answer['version']}"


test_id.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("answer", ANSWERS, ids=test_id)
def test_answers_are_those_of_a_broker(wire: Wire, answer: dict[str, Any]) -> None:
    expected = answer["answer"]
    if answer["api"] == "DescribeTransactions":
        # That broker has no __transaction_state yet, so no coordinator; the disk shows that the id does not exist.
        first, *others = expected["TransactionStates"]
        expected = expected | {"TransactionStates": [first | {"ErrorCode": 105}, *others]}
    found = wire.ask(answer["api"], answer["request"], answer["version"])
    assert comparable(found) == comparable(expected)


def test_order_of_synonyms_is_that_of_their_strength(wire: Wire) -> None:
    """`test_answers_are_those_of_a_broker` compares arrays in any order."""
    asked = [each for each in ANSWERS if each["api"] == "DescribeConfigs" and each["request"].get("IncludeSynonyms")]
    compared = 0
    for each in asked:
        found = wire.ask("DescribeConfigs", each["request"], each["version"])
        for ours, theirs in zip(found["Results"], each["answer"]["Results"], strict=True):
            by_name = {config["Name"]: config["Synonyms"] for config in ours["Configs"]}
            for config in theirs["Configs"]:
                assert by_name[config["Name"]] == config["Synonyms"]
                compared += len(config["Synonyms"]) > 1
    assert compared > 50


def test_no_secret_is_sent() -> None:
    """The disk has the password of a key store, and the salt and keys of a SCRAM credential."""
    everything = {"api": "DescribeConfigs", "request": {"Resources": [{"ResourceType": 4, "ResourceName": "1"}]}}
    asked = [*ANSWERS, everything | {"version": 4}]
    with served(LOG_DIR) as wire:
        for each in asked:
            assert "hush" not in repr(wire.ask(each["api"], each["request"], each["version"]))


def test_quorum_is_that_of_the_metadata_log(wire: Wire) -> None:
    asked = {"Topics": [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]}
    found = wire.ask("DescribeQuorum", asked)
    (partition,) = found["Topics"][0]["Partitions"]
    assert (partition["LeaderId"], partition["LeaderEpoch"], partition["HighWatermark"]) == (1, 1, 221)
    (voter,) = partition["CurrentVoters"]
    assert (voter["ReplicaId"], voter["LogEndOffset"]) == (1, 221)
    assert voter["LastCaughtUpTimestamp"] == voter["LastFetchTimestamp"] > 1_700_000_000_000
    (node,) = found["Nodes"]
    assert (node["NodeId"], node["Listeners"][0]["Name"]) == (1, "CONTROLLER")


@pytest.mark.parametrize("field", ["ResourceTypeFilter", "PatternTypeFilter", "Operation", "PermissionType"])
def test_unknown_in_a_filter_of_acls_is_refused(wire: Wire, field: str) -> None:
    """A broker closes the connection; this server says why and continues."""
    asked = {"ResourceTypeFilter": 1, "PatternTypeFilter": 1, "Operation": 1, "PermissionType": 1, field: 0}
    assert wire.ask("DescribeAcls", asked)["ErrorCode"] == ErrorCode.INVALID_REQUEST
