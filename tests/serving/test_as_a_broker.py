"""Answers of a Kafka 4.4 broker on the disk of docs/examples/shop, which another broker left.

The leader epoch on disk is 0; the metadata log has 1, which the node started when it stopped.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.protocol.codec import Encoded
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Broker, ServeOptions
from kafkafmt.serving.served_disks import ServedDisks
from kafkafmt.serving.topics import EncodedTopics
from tests.serving.wire import Wire, offset_listed, served

SHOP = Path(__file__).resolve().parents[2] / "docs" / "examples" / "shop" / "log-dir"


@pytest.fixture(name="wire", scope="module")
def _wire() -> Iterator[Wire]:
    with served(SHOP) as wire:
        yield wire


@pytest.mark.parametrize(
    ("epoch", "found", "end"),
    [(0, 0, 10), (1, 1, 10), (2, -1, -1), (-1, -1, -1)],
    ids=["the last with records", "the current one", "a later one", "none"],
)
def test_end_of_a_leader_epoch(wire: Wire, epoch: int, found: int, end: int) -> None:
    asked = {"Partition": 0, "CurrentLeaderEpoch": -1, "LeaderEpoch": epoch}
    body = {"ReplicaId": -1, "Topics": [{"Topic": "orders", "Partitions": [asked]}]}
    (answer,) = wire.ask("OffsetForLeaderEpoch", body)["Topics"][0]["Partitions"]
    assert (answer["ErrorCode"], answer["LeaderEpoch"], answer["EndOffset"]) == (0, found, end)


def test_an_empty_log_begins_with_the_current_epoch(wire: Wire) -> None:
    assert offset_listed(wire, "__consumer_offsets", 2, -2)["LeaderEpoch"] == 1


def test_a_kind_of_offset_that_is_not_known_comes_before_all_other_errors(wire: Wire) -> None:
    assert offset_listed(wire, "nobody", 0, -100)["ErrorCode"] == ErrorCode.UNSUPPORTED_VERSION


def test_a_client_with_an_earlier_epoch_is_told_the_leader(wire: Wire) -> None:
    topic_id = topics(wire)["orders"]
    partition = {"Partition": 0, "CurrentLeaderEpoch": 0, "FetchOffset": 0, "PartitionMaxBytes": 1}
    body = {"MaxWaitMs": 0, "MaxBytes": 1, "Topics": [{"TopicId": topic_id, "Partitions": [partition]}]}
    for version in (15, 16):
        answer = wire.ask("Fetch", body, version)
        (found,) = answer["Responses"][0]["Partitions"]
        assert found["ErrorCode"] == ErrorCode.FENCED_LEADER_EPOCH
        assert found["AbortedTransactions"] is None
        leader = {"LeaderId": 1, "LeaderEpoch": 1} if version == 16 else {"LeaderId": -1, "LeaderEpoch": -1}
        assert found["CurrentLeader"] == leader
        assert [each["NodeId"] for each in answer.get("NodeEndpoints", ())] == [1] * (version == 16)


def test_an_answer_about_divergence_has_the_last_stable_offset(wire: Wire) -> None:
    asked = {"Partition": 1, "FetchOffset": 14, "LastFetchedEpoch": 0, "PartitionMaxBytes": 1}
    body = {"MaxWaitMs": 0, "MaxBytes": 1, "Topics": [{"Topic": "orders", "Partitions": [asked]}]}
    (found,) = wire.ask("Fetch", body, 12)["Responses"][0]["Partitions"]
    assert found["DivergingEpoch"] == {"Epoch": 0, "EndOffset": 13}
    assert (found["HighWatermark"], found["LastStableOffset"]) == (13, 10)


def test_a_coordinator_is_found_without_an_error_in_words(wire: Wire) -> None:
    answer = wire.ask("FindCoordinator", {"Key": "billing", "KeyType": 0}, 3)
    assert (answer["ErrorCode"], answer["ErrorMessage"], answer["NodeId"]) == (0, "NONE", 1)


def test_operations_are_those_of_groups_that_are_described(wire: Wire) -> None:
    body = {"Groups": ["billing", "search-index"], "IncludeAuthorizedOperations": True}
    classic, other = wire.ask("DescribeGroups", body)["Groups"]
    assert (classic["ErrorCode"], classic["AuthorizedOperations"] > 0) == (0, True)
    assert (other["ErrorCode"], other["AuthorizedOperations"]) == (ErrorCode.GROUP_ID_NOT_FOUND, -(2**31))
    body = {"GroupIds": ["search-index", "billing"], "IncludeAuthorizedOperations": True}
    described, other = wire.ask("ConsumerGroupDescribe", body)["Groups"]
    assert [each["SubscribedTopicRegex"] for each in described["Members"]] == [""]
    assert other["AuthorizedOperations"] == -(2**31)


def test_a_resource_of_no_kind_refuses_all_configs(wire: Wire) -> None:
    resources = [{"ResourceType": kind, "ResourceName": "orders", "ConfigurationKeys": None} for kind in (2, 0)]
    results = wire.ask("DescribeConfigs", {"Resources": resources})["Results"]
    assert [each["ErrorCode"] for each in results] == [ErrorCode.INVALID_REQUEST] * 2


def test_a_limit_counts_the_part_of_a_batch_that_a_broker_sends(wire: Wire) -> None:
    # The log of partition 0 exceeds 1,000 bytes: a broker fills the answer with part of a batch.
    partitions = [{"Partition": number, "FetchOffset": 0, "PartitionMaxBytes": 2**20} for number in (0, 1)]
    topics = [{"Topic": "__consumer_offsets", "Partitions": partitions}]
    answer = wire.ask("Fetch", {"MaxWaitMs": 0, "MaxBytes": 1000, "IsolationLevel": 0, "Topics": topics}, 12)
    first, second = (bytes(each["Records"]) for each in answer["Responses"][0]["Partitions"])
    assert 0 < len(first) <= 1000
    assert second == b""


def test_aborted_transactions_are_null_where_the_first_batch_does_not_fit(wire: Wire) -> None:
    body = {"MaxWaitMs": 0, "MaxBytes": 2**20, "IsolationLevel": 1}
    partitions = [{"Partition": number, "FetchOffset": 0, "PartitionMaxBytes": 1} for number in (0, 1)]
    answer = wire.ask("Fetch", {**body, "Topics": [{"Topic": "page-views", "Partitions": partitions}]}, 12)
    first, second = answer["Responses"][0]["Partitions"]
    assert (bytes(second["Records"]), second["AbortedTransactions"]) == (b"", None)
    assert first["AbortedTransactions"] == []


def test_versions_of_metadata_without_ids_refuse_them(wire: Wire) -> None:
    for version in (10, 11):
        asked = {"Topics": [{"Name": "orders", "TopicId": uuid.uuid4()}]}
        (topic,) = wire.ask("Metadata", asked, version)["Topics"]
        assert (topic["ErrorCode"], topic["Name"]) == (ErrorCode.INVALID_REQUEST, "orders")


def test_pages_of_topics(wire: Wire) -> None:
    names = [{"Name": name} for name in ("payments", "orders", "nobody")]

    def page(limit: int, cursor: tuple[str, int] | None = None) -> tuple[list[str], tuple[str, int] | None]:
        place = None if cursor is None else {"TopicName": cursor[0], "PartitionIndex": cursor[1]}
        body = {"Topics": names, "ResponsePartitionLimit": limit, "Cursor": place}
        answer = wire.ask("DescribeTopicPartitions", body)
        shown = [f"{each['Name']} {each['ErrorCode']} {len(each['Partitions'])}" for each in answer["Topics"]]
        following = answer["NextCursor"]
        return shown, None if following is None else (following["TopicName"], following["PartitionIndex"])

    assert page(4) == (["nobody 3 0", "orders 0 3", "payments 0 1"], ("payments", 1))
    assert page(3) == (["nobody 3 0", "orders 0 3"], ("payments", 0))
    assert page(4, ("payments", 1)) == (["payments 0 1"], None)
    refused = [f"{name} {ErrorCode.INVALID_REQUEST:d} 0" for name in ("payments", "orders", "nobody")]
    assert page(4, ("customers", 0)) == (refused, None)
    assert page(4, ("orders", -1)) == (refused, None)


def test_what_the_client_may_do_is_in_metadata_if_it_asks(wire: Wire) -> None:
    for asked, operations in ((False, -(2**31)), (True, 1288), (False, -(2**31))):
        body = {"Topics": [{"Name": "orders"}], "IncludeTopicAuthorizedOperations": asked}
        (topic,) = wire.ask("Metadata", body)["Topics"]
        assert topic["TopicAuthorizedOperations"] == operations


def test_a_topic_is_encoded_again_once_a_leader_epoch_rises() -> None:
    disks = ServedDisks(kafkafmt.open(SHOP), ServeOptions())
    kept = EncodedTopics(Broker(disks), 12, with_operations=False)
    before = kept.of({"Name": "orders"})
    assert isinstance(before, Encoded)
    assert kept.of({"Name": None, "TopicId": disks.topic_id("orders")}) is before
    disks.logs["orders"][1]._leader_epoch = 0x01020304
    after = kept.of({"Name": "orders"})
    assert isinstance(after, Encoded)
    assert after.data.replace(b"\1\2\3\4", b"\0\0\0\1") == before.data != after.data


def topics(wire: Wire) -> dict[str, uuid.UUID]:
    return {each["Name"]: each["TopicId"] for each in wire.ask("Metadata", {"Topics": None})["Topics"]}


@pytest.mark.parametrize(
    ("cluster_id", "node_id", "code"),
    [
        (None, -1, ErrorCode.NONE),
        ("right", 1, ErrorCode.NONE),
        ("right", 2, ErrorCode.REBOOTSTRAP_REQUIRED),
        ("other", 1, ErrorCode.REBOOTSTRAP_REQUIRED),
    ],
)
def test_a_client_of_another_cluster_or_node_has_to_bootstrap_again(
    wire: Wire, cluster_id: str | None, node_id: int, code: ErrorCode
) -> None:
    """`KafkaApis.handleApiVersionsRequest` answers so to clients with metadata of an earlier broker at this address."""
    expected = wire.ask("DescribeCluster")["ClusterId"] if cluster_id == "right" else cluster_id
    asked = {"ClientSoftwareName": "tests", "ClientSoftwareVersion": "1", "ClusterId": expected, "NodeId": node_id}
    answer = wire.ask("ApiVersions", asked, 5)
    assert (answer["ErrorCode"], bool(answer["ApiKeys"])) == (code, not code)


@pytest.mark.parametrize("session_id", [0, 7])
@pytest.mark.parametrize("epoch", [-1, 0, 1])
def test_only_a_full_fetch_does_without_a_session(wire: Wire, session_id: int, epoch: int) -> None:
    """A client that reconnects ends the earlier broker's session with a full request (`FetchManager.newContext`)."""
    partitions = [{"Partition": 0, "FetchOffset": 0, "PartitionMaxBytes": 1}]
    session = {"SessionId": session_id, "SessionEpoch": epoch}
    body = {"MaxWaitMs": 0, "MaxBytes": 1, "Topics": [{"Topic": "orders", "Partitions": partitions}], **session}
    answer = wire.ask("Fetch", body, 12)
    is_full = epoch < 1
    assert answer["ErrorCode"] == (ErrorCode.NONE if is_full else ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    assert (answer["SessionId"], bool(answer["Responses"])) == (0, is_full)
