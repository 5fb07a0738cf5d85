"""`kafkafmt serve` with clients that take more than their share: the others are still served."""

import asyncio
import socket
import time
from collections.abc import Iterator

import pytest

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.api import Memory
from kafkafmt.serving.groups.bounds import GroupError, Room
from kafkafmt.serving.groups.consumer import ConsumerGroup
from kafkafmt.serving.groups.offsets import CommitInEffect, CommittedOffsets
from kafkafmt.serving.reports import Reports
from tests.hostile.hostile_clients import SHOP
from tests.serving.test_consumer_groups import Tried
from tests.serving.wire import Wire, request_frame, served


@pytest.fixture
def wire() -> Iterator[Wire]:
    with served(SHOP) as opened:
        yield opened


def test_silent_connections_give_way_to_one_that_asks() -> None:
    with served(SHOP, max_connections=8) as known:
        assert known.ask("ApiVersions")["ErrorCode"] == 0
        host, port = known.socket.getpeername()
        silent = [socket.create_connection((host, port)) for _ in range(30)]
        with Wire(f"{host}:{port}") as late:
            assert late.ask("Metadata", {"Topics": None})["Topics"]
        assert known.ask("Metadata", {"Topics": None})["Topics"]
        for each in silent:
            each.close()


@pytest.mark.slow
def test_a_connection_whose_client_is_gone_ends_before_its_answer(wire: Wire) -> None:
    end = wire.ask(
        "ListOffsets", {"Topics": [{"Name": "orders", "Partitions": [{"PartitionIndex": 0, "Timestamp": -1}]}]}
    )
    offset = end["Topics"][0]["Partitions"][0]["Offset"]
    partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 1}
    asked: Value = {"MaxWaitMs": 30_000, "MaxBytes": 1, "Topics": [{"Topic": "orders", "Partitions": [partition]}]}
    # The second request is not read while the first is answered.
    wire.send(request_frame("Fetch", 12, asked) * 2)
    wire.socket.shutdown(socket.SHUT_WR)
    begun = time.monotonic()
    assert wire.receive() == b""
    assert time.monotonic() - begun < 25


def test_a_producer_that_waits_for_no_answer_gets_none(wire: Wire) -> None:
    wire.send(request_frame("Produce", 9, {"Acks": 0, "TimeoutMs": 1, "TopicData": []}))
    assert wire.receive() == b""


def test_transactions_name_topics_by_id(wire: Wire) -> None:
    topics = [{"Partitions": [{"PartitionIndex": 3, "CommittedOffset": 1}]}]
    (answer,) = wire.ask("TxnOffsetCommit", {"TransactionalId": "t", "GroupId": "g", "Topics": topics}, 6)["Topics"]
    assert answer["Partitions"] == [{"PartitionIndex": 3, "ErrorCode": ErrorCode.POLICY_VIOLATION}]


def test_what_is_asked_for_again_and_again_is_answered_once(wire: Wire) -> None:
    topics = wire.ask("Metadata", {"Topics": [{"Name": "orders"}, {"Name": "no"}] * 1000})["Topics"]
    assert [each["Name"] for each in topics] == ["orders", "no"]
    resource = {"ResourceType": 2, "ResourceName": "orders", "ConfigurationKeys": ["retention.ms"]}
    results = wire.ask("DescribeConfigs", {"Resources": [resource] * 1000})["Results"]
    assert [each["ResourceName"] for each in results] == ["orders"]
    groups = wire.ask("DescribeGroups", {"Groups": ["payments"] * 1000})["Groups"]
    assert [each["GroupId"] for each in groups] == ["payments"]
    groups = wire.ask("OffsetFetch", {"Groups": [{"GroupId": "payments", "Topics": None}] * 1000}, 9)["Groups"]
    assert [each["GroupId"] for each in groups] == ["payments"]


def test_a_partition_that_is_listed_twice_is_refused_as_by_a_broker(wire: Wire) -> None:
    partitions = [{"PartitionIndex": number, "Timestamp": -2} for number in (0, 1, 0)]
    (topic,) = wire.ask("ListOffsets", {"Topics": [{"Name": "orders", "Partitions": partitions}]})["Topics"]
    codes = [(each["PartitionIndex"], each["ErrorCode"]) for each in topic["Partitions"]]
    assert codes == [(0, ErrorCode.INVALID_REQUEST), (1, ErrorCode.NONE), (0, ErrorCode.INVALID_REQUEST)]


def test_arrays_of_too_many_elements_end_the_connection() -> None:
    lines: list[str] = []
    with served(SHOP, say=lines.append) as wire:
        wire.send(request_frame("DescribeGroups", 5, {"Groups": [""] * 200_000}))
        assert wire.receive() == b""
    assert [line for line in lines if "too many elements" in line]


def test_texts_of_clients_neither_break_lines_nor_reach_a_terminal() -> None:
    lines: list[str] = []
    Reports(lines.append).say("127.0.0.1:9 a\nkafkafmt: b\x1b[2J: Fetch 12")
    assert lines == [r"127.0.0.1:9 a\nkafkafmt: b\x1b[2J: Fetch 12"]
    Reports(lines.append).say("x" * 32_000)
    assert len(lines[1]) < 600


def test_thousands_of_closed_connections_are_a_few_lines() -> None:
    lines: list[str] = []
    reports = Reports(lines.append)
    for _ in range(5000):
        reports.closed("127.0.0.1:9", "HTTP")
    assert lines == ["127.0.0.1:9: closed, HTTP"] * 50


def test_a_rare_character_makes_a_text_take_four_bytes_for_each() -> None:
    offsets = CommittedOffsets({}, Room(16_000))
    offsets.commit("g", ("orders", 0), CommitInEffect(1, metadata="x" * 4096))
    with pytest.raises(GroupError):
        offsets.commit("g", ("orders", 1), CommitInEffect(1, metadata="x" * 4095 + "\N{GRINNING FACE}"))


def test_partitions_of_a_group_take_room_until_it_is_empty() -> None:
    room = Room(200_000)
    tried = Tried(room)
    tried.counts["large"] = list(range(1000))
    with pytest.raises(GroupError):
        tried.join("a", "large")
    assert tried.group.members == {}
    tried.counts["large"] = list(range(300))
    tried.join("b", "large")
    with pytest.raises(GroupError):
        room.take(100_000)
    tried.beat("b", -1)
    room.take(200_000)


def test_a_large_group_is_assigned_a_tenth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = Tried()
    tried.counts["large"] = list(range(6000))
    begun: list[float] = []
    assign = ConsumerGroup._reassign

    def noted(group: ConsumerGroup) -> None:
        begun.append(tried.clock.now)
        assign(group)

    monkeypatch.setattr(ConsumerGroup, "_reassign", noted)
    for number in range(200):
        tried.join(f"m{number}", "large")
    assert begun == [0]
    asyncio.run(tried.clock.advance(2))
    assert len(begun) == 2
    assert [len(target) for target in tried.group.targets.values()] == [30] * 200


@pytest.mark.parametrize("pattern", ["(a|b)" * 2001, "x" * 10_001])
def test_a_long_pattern_of_transactional_ids_is_refused(wire: Wire, pattern: str) -> None:
    answer = wire.ask("ListTransactions", {"TransactionalIdPattern": pattern}, 2)
    assert answer["ErrorCode"] == ErrorCode.INVALID_REGULAR_EXPRESSION


def test_an_answer_counts_whole_where_others_get_little() -> None:
    memory = Memory()
    answer = memory.take(2**30)
    memory.hold(answer)
    assert memory.is_short
    assert memory.take(2**30) == 64 * 1024
    memory.give_back(answer)
    assert not memory.is_short
