"""`serve --follow`: clients soon see the changes that a broker makes on its disks."""

import shutil
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch
from uuid import UUID

import pytest

import kafkafmt
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.kept import KeptAnswer
from tests.golden_cases import cases
from tests.logdir.builders import ABORT_KEY, CONTROL, TRANSACTIONAL, batch, file_name
from tests.scanning.growing import Broker
from tests.serving.test_live_groups import joined
from tests.serving.wire import Wire, fetched, offset_listed

T = TypeVar("T")

_PATIENCE = 30.0
GROUPS = next(case for case in cases("modern") if case.name == "08-consumer-groups-4.3.1")
FIRST_ID, SECOND_ID = "AAAAAAAAAAAAAAAAAAAAEQ", "AAAAAAAAAAAAAAAAAAAAEg"
EARLIEST, LATEST = -2, -1


@pytest.fixture(name="broker")
def _broker(tmp_path: Path) -> Broker:
    broker = Broker(tmp_path / "log-dir")
    broker.write("t-0", 0, batch(0, 10))
    return broker


@contextmanager
def followed(broker: Broker, **options: Any) -> Iterator[Wire]:
    with kafkafmt.serve(broker.log_dir, follow=True, **options) as server, Wire(server.address) as wire:
        yield wire


def eventually(ask: Callable[[], T], wanted: T) -> None:
    """Repeat a request until the answer is the expected one."""
    until = time.monotonic() + _PATIENCE
    while (found := ask()) != wanted and time.monotonic() < until:
        time.sleep(0.02)
    assert found == wanted


def bounds(wire: Wire, isolation: int = 0) -> tuple[int, int]:
    first, end = (offset_listed(wire, "t", 0, each, isolation).get("Offset", -1) for each in (EARLIEST, LATEST))
    return first, end


def end_of(wire: Wire, topic: str, partition: int) -> int:
    found: int = offset_listed(wire, topic, partition, LATEST).get("Offset", -1)
    return found


def content(wire: Wire, offset: int, **asked: Any) -> bytes:
    records = fetched(wire, "t", 0, offset, **asked)["Records"]
    return b"" if records is None else bytes(records)


def long_poll(wire: Wire, offset: int, wait: int, least: int = 1) -> bytes:
    partition = {"Partition": 0, "FetchOffset": offset, "PartitionMaxBytes": 2**20}
    topics = [{"Topic": "t", "Partitions": [partition]}]
    answer = wire.ask("Fetch", {"MaxWaitMs": wait, "MinBytes": least, "MaxBytes": 2**20, "Topics": topics}, 12)
    return bytes(answer["Responses"][0]["Partitions"][0]["Records"] or b"")


def test_a_waiting_fetch_gets_what_is_written(broker: Broker) -> None:
    with followed(broker) as wire:
        new = batch(10, 5)
        writing = threading.Timer(0.3, lambda: broker.write("t-0", 0, new))
        writing.start()
        begun = time.monotonic()
        assert long_poll(wire, 10, 25_000) == new
        assert time.monotonic() - begun < 20
        writing.join()
        assert bounds(wire) == (0, 15)
        assert content(wire, 12) == new


def test_a_fetch_waits_for_enough_bytes(broker: Broker) -> None:
    first, second = batch(10), batch(11)
    with followed(broker) as wire:
        broker.write("t-0", 0, first)
        eventually(lambda: bounds(wire)[1], 11)
        writing = threading.Timer(0.3, lambda: broker.write("t-0", 0, second))
        writing.start()
        assert long_poll(wire, 10, 25_000, len(first) + 1) == first + second
        begun = time.monotonic()
        assert long_poll(wire, 10, 300, 10**6) == first + second
        assert time.monotonic() - begun > 0.25
        writing.join()


def test_an_incomplete_batch_is_not_served(broker: Broker) -> None:
    whole, lines = batch(10, 5), list[str]()
    with followed(broker, say=lines.append) as wire:
        end = broker.write("t-0", 0, whole[:50]).stat().st_size
        broker.write("t-1", 0, batch(0))
        eventually(lambda: end_of(wire, "t", 1), 1)
        assert (bounds(wire), content(wire, 10)) == ((0, 10), b"")
        wrong = bytearray(whole)
        wrong[-1] ^= 1
        broker.write("t-0", 0, bytes(wrong), at=end - 50)
        broker.write("t-1", 0, batch(1))
        eventually(lambda: end_of(wire, "t", 1), 2)
        assert (bounds(wire), content(wire, 10)) == ((0, 10), b"")
        broker.write("t-0", 0, whole, at=end - 50)
        eventually(lambda: bounds(wire), (0, 15))
        assert content(wire, 10) == whole
    assert lines == []


def test_segments_are_rolled_and_deleted(broker: Broker) -> None:
    with followed(broker) as wire:
        assert len(content(wire, 0)) == len(batch(0, 10))
        broker.write("t-0", 10, batch(10, 10))
        broker.write("t-0", 20, batch(20, 10))
        eventually(lambda: bounds(wire), (0, 30))
        assert content(wire, 15) == batch(10, 10)
        broker.delete("t-0", 0)
        eventually(lambda: bounds(wire), (10, 30))
        assert fetched(wire, "t", 0, 5)["ErrorCode"] == ErrorCode.OFFSET_OUT_OF_RANGE
        broker.checkpoint("log-start-offset-checkpoint", "t-0", 23)
        eventually(lambda: bounds(wire), (23, 30))
        assert fetched(wire, "t", 0, 22)["ErrorCode"] == ErrorCode.OFFSET_OUT_OF_RANGE
        assert content(wire, 23) == batch(20, 10)


def test_a_truncated_log_tells_where_it_parts(broker: Broker) -> None:
    """Truncated as by a follower after an unclean election: clients detect it by the leader epoch (KIP-320)."""
    broker.put("t-0/leader-epoch-checkpoint", "0\n1\n0 0\n")
    broker.write("t-0", 0, batch(10, 10), batch(20, 10))
    size = len(batch(0, 10))
    with followed(broker) as wire:
        assert bounds(wire) == (0, 30)
        assert content(wire, 20) == batch(20, 10)
        broker.truncate("t-0", 0, size)
        eventually(lambda: bounds(wire), (0, 10))
        assert fetched(wire, "t", 0, 30)["ErrorCode"] == ErrorCode.OFFSET_OUT_OF_RANGE
        broker.put("t-0/leader-epoch-checkpoint", "0\n2\n0 0\n3 10\n")
        new = [batch(offset, 10, epoch=3, value=b"new") for offset in (10, 20, 30)]
        broker.write("t-0", 0, *new)
        eventually(lambda: bounds(wire), (0, 40))
        eventually(lambda: fetched(wire, "t", 0, 30, CurrentLeaderEpoch=0)["ErrorCode"], ErrorCode.FENCED_LEADER_EPOCH)
        (topic,) = wire.ask("Metadata", {"Topics": [{"Name": "t"}]})["Topics"]
        assert topic["Partitions"][0]["LeaderEpoch"] == 3
        asked = {"Partition": 0, "CurrentLeaderEpoch": 3, "LeaderEpoch": 0}
        body = {"ReplicaId": -1, "Topics": [{"Topic": "t", "Partitions": [asked]}]}
        (end,) = wire.ask("OffsetForLeaderEpoch", body)["Topics"][0]["Partitions"]
        assert (end["LeaderEpoch"], end["EndOffset"]) == (0, 10)
        diverging = fetched(wire, "t", 0, 30, LastFetchedEpoch=0)["DivergingEpoch"]
        assert (diverging["Epoch"], diverging["EndOffset"]) == (0, 10)
        assert content(wire, 10) == b"".join(new)


def test_a_leader_epoch_goes_down_only_with_another_topic(broker: Broker) -> None:
    """A follower truncates records of an epoch; clients that have seen it ignore Metadata with an earlier one."""

    def seen() -> tuple[int, int]:
        (topic,) = wire.ask("Metadata", {"Topics": [{"Name": "t"}]})["Topics"]
        return bounds(wire)[1], max((each["LeaderEpoch"] for each in topic["Partitions"]), default=-1)

    broker.put("t-0/leader-epoch-checkpoint", "0\n2\n0 0\n3 10\n")
    broker.write("t-0", 0, batch(10, epoch=3))
    with followed(broker) as wire:
        assert seen() == (11, 3)
        broker.put("t-0/leader-epoch-checkpoint", "0\n1\n0 0\n")
        broker.truncate("t-0", 0, len(batch(0, 10)))
        eventually(seen, (10, 3))
        asked = {"Partition": 0, "CurrentLeaderEpoch": 3, "LeaderEpoch": 3}
        body = {"ReplicaId": -1, "Topics": [{"Topic": "t", "Partitions": [asked]}]}
        (end,) = wire.ask("OffsetForLeaderEpoch", body)["Topics"][0]["Partitions"]
        assert (end["ErrorCode"], end["LeaderEpoch"], end["EndOffset"]) == (0, 3, 10)
        (broker.log_dir / "t-0").rename(broker.log_dir / f"t-0.{'0' * 32}-delete")
        broker.write("t-0", 0, batch(0))
        broker.tick(broker.log_dir)
        eventually(seen, (1, 0))


def test_a_log_that_was_truncated_and_is_longer_again(broker: Broker) -> None:
    broker.write("t-0", 0, batch(10, 10))
    size = len(batch(0, 10))
    with followed(broker) as wire:
        assert content(wire, 10) == batch(10, 10)
        new = batch(10, 3, value=b"longer than the one before"), batch(13, 20)
        broker.write("t-0", 0, *new, at=size)
        eventually(lambda: bounds(wire), (0, 33))
        assert content(wire, 10) == b"".join(new)
        assert content(wire, 20) == new[1]


def test_a_compacted_segment_takes_the_place_of_another(broker: Broker) -> None:
    broker.write("t-0", 10, batch(10, 10))
    with followed(broker) as wire:
        assert content(wire, 0) == batch(0, 10)
        broker.replace("t-0", 0, batch(7))
        eventually(lambda: content(wire, 0), batch(7))
        assert bounds(wire) == (0, 20)
        assert content(wire, 8) == batch(10, 10)


def test_topics_come_and_go_and_come_again(broker: Broker) -> None:
    def topics() -> dict[str, tuple[str, int]]:
        found = wire.ask("Metadata", {"Topics": None})["Topics"]
        return {each["Name"]: (str(each["TopicId"]), len(each["Partitions"])) for each in found}

    def made(topic_id: str, *batches: bytes) -> None:
        broker.put("u-0/partition.metadata", f"version: 0\ntopic_id: {topic_id}")
        broker.write("u-0", 0, *batches)
        broker.tick(broker.log_dir)

    first, second = (f"00000000-0000-0000-0000-0000000000{end}" for end in ("11", "12"))
    with followed(broker) as wire:
        ours = topics()["t"]
        made(FIRST_ID, batch(0, 3))
        eventually(topics, {"t": ours, "u": (first, 1)})
        assert offset_listed(wire, "u", 0, LATEST)["Offset"] == 3
        (broker.log_dir / "u-0").rename(broker.log_dir / f"u-0.{'0' * 32}-delete")
        made(SECOND_ID, batch(0))
        eventually(topics, {"t": ours, "u": (second, 1)})
        eventually(lambda: end_of(wire, "u", 0), 1)
        shutil.rmtree(broker.log_dir / "u-0")
        broker.tick(broker.log_dir)
        eventually(topics, {"t": ours})
        assert offset_listed(wire, "u", 0, LATEST)["ErrorCode"] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_subscription_by_expression_follows_topics(broker: Broker) -> None:
    def names() -> set[str]:
        return {each["Name"] for each in wire.ask("Metadata", {"Topics": None})["Topics"]}

    broker.write("u1-0", 0, batch(0))
    asked: dict[str, Any] = {"GroupId": "g", "MemberId": "m", "TopicPartitions": [], "RebalanceTimeoutMs": 10_000}
    with followed(broker) as wire:
        assert names() == {"t", "u1"}
        answer = wire.ask("ConsumerGroupHeartbeat", asked | {"MemberEpoch": 0, "SubscribedTopicRegex": "u."})
        assert len(answer["Assignment"]["TopicPartitions"]) == 1
        (broker.log_dir / "u1-0").rename(broker.log_dir / "u2-0")
        broker.tick(broker.log_dir)
        eventually(names, {"t", "u2"})
        for _ in range(3):  # it revokes the old topic first
            beat = asked | {"MemberEpoch": answer["MemberEpoch"], "SubscribedTopicRegex": "u."}
            answer = wire.ask("ConsumerGroupHeartbeat", beat)
        (given,) = answer["Assignment"]["TopicPartitions"]
        (topic,) = wire.ask("Metadata", {"Topics": [{"Name": "u2"}]})["Topics"]
        assert given == {"TopicId": topic["TopicId"], "Partitions": [0]}


def test_members_get_the_partitions_of_a_recreated_topic(broker: Broker) -> None:
    """A member revokes the deleted topic's partitions and gets the new topic's, as at a broker."""
    ids = [UUID(int=number) for number in (0x11, 0x12)]
    broker.put("u-0/partition.metadata", f"version: 0\ntopic_id: {FIRST_ID}")
    broker.write("u-0", 0, batch(0))
    asked: dict[str, Any] = {"GroupId": "g", "MemberId": "m", "TopicPartitions": [], "RebalanceTimeoutMs": 10_000}
    with followed(broker) as wire:
        answer = wire.ask("ConsumerGroupHeartbeat", asked | {"MemberEpoch": 0, "SubscribedTopicNames": ["u"]})
        assert answer["Assignment"]["TopicPartitions"] == [{"TopicId": ids[0], "Partitions": [0]}]
        (broker.log_dir / "u-0").rename(broker.log_dir / f"u-0.{'0' * 32}-delete")
        broker.put("u-0/partition.metadata", f"version: 0\ntopic_id: {SECOND_ID}")
        broker.write("u-0", 0, batch(0, 2))
        broker.tick(broker.log_dir)
        eventually(lambda: end_of(wire, "u", 0), 2)
        beat = asked | {"MemberEpoch": answer["MemberEpoch"]}
        owned = answer["Assignment"]["TopicPartitions"]
        assert wire.ask("ConsumerGroupHeartbeat", beat | {"TopicPartitions": owned})["Assignment"] == {
            "TopicPartitions": []
        }
        answer = wire.ask("ConsumerGroupHeartbeat", beat)
        assert answer["Assignment"]["TopicPartitions"] == [{"TopicId": ids[1], "Partitions": [0]}]


def test_the_high_watermark_moves(broker: Broker) -> None:
    broker.checkpoint("replication-offset-checkpoint", "t-0", 0)
    with followed(broker, end="high-watermark") as wire:
        assert bounds(wire) == (0, 0)
        broker.write("t-0", 0, batch(10, 10))
        broker.checkpoint("replication-offset-checkpoint", "t-0", 10)
        eventually(lambda: bounds(wire), (0, 10))
        assert content(wire, 0) == batch(0, 10)
        broker.checkpoint("replication-offset-checkpoint", "t-0", 20)
        eventually(lambda: content(wire, 10), batch(10, 10))


def test_transactions_begin_and_end(broker: Broker) -> None:
    def data(offset: int, producer: int) -> bytes:
        return batch(offset, attributes=TRANSACTIONAL, producer=producer)

    def marker(offset: int, producer: int, kind: bytes) -> bytes:
        value = struct.pack(">hi", 0, 0)
        return batch(offset, key=kind, value=value, attributes=TRANSACTIONAL | CONTROL, producer=producer)

    commit = struct.pack(">hh", 0, 1)
    with followed(broker) as wire:
        broker.write("t-0", 0, data(10, 1), data(11, 2))
        eventually(lambda: bounds(wire, 1), (0, 10))
        assert content(wire, 10, isolation=1) == b""
        broker.write("t-0", 0, marker(12, 1, commit))
        eventually(lambda: bounds(wire, 1), (0, 11))
        broker.write("t-0", 14, data(14, 2))
        broker.write("t-0", 14, marker(15, 2, ABORT_KEY), data(16, 3))
        eventually(lambda: bounds(wire, 1), (0, 16))
        found = fetched(wire, "t", 0, 11, isolation=1)
        assert found["AbortedTransactions"] == [{"ProducerId": 2, "FirstOffset": 11}]
        assert found["LastStableOffset"] == 16


@pytest.mark.slow
@pytest.mark.parametrize("topics", [None, "orders"])
def test_offsets_that_are_committed_meanwhile(topics: str | None, tmp_path: Path) -> None:
    log_dir = shutil.copytree(GROUPS.log_dir, tmp_path / "log-dir")
    logs = {path: path.read_bytes() for path in sorted(log_dir.glob("__consumer_offsets-*/*.log"))}
    for path in logs:
        path.write_bytes(b"")

    def listed() -> set[str]:
        return {each["GroupId"] for each in wire.ask("ListGroups")["Groups"]}

    with kafkafmt.serve(GROUPS.log_dir) as server, Wire(server.address) as wire:
        known = listed()
    assert known
    with kafkafmt.serve(log_dir, follow=True, topics=topics) as server, Wire(server.address) as wire:
        assert listed() == set()
        for path, content_ in logs.items():
            path.write_bytes(content_)
        eventually(listed, known)


def test_heartbeats_do_not_wait_until_groups_are_read_again(broker: Broker) -> None:
    """Reading a large `__consumer_offsets` takes longer than a session timeout."""
    goes_on, began = threading.Event(), threading.Event()

    def read() -> dict[str, Any]:
        began.set()
        assert goes_on.wait(_PATIENCE)
        return {}

    with kafkafmt.serve(broker.log_dir, follow=True) as server, Wire(server.address) as wire:
        assert wire.ask("ListGroups")["Groups"] == []
        member = joined(wire, "g")
        groups = KeptAnswer(read)
        groups._known, groups._is_known = {}, True
        with patch.object(server._disks, "_groups", groups), Wire(server.address) as other:
            listing = threading.Thread(target=other.ask, args=("ListGroups",))
            groups.outdate()
            listing.start()
            assert began.wait(_PATIENCE)
            groups._is_known = False  # like the reading thread, it waits
            for api in ("Heartbeat", "OffsetCommit"):
                asked = member | {"GenerationIdOrMemberEpoch": member["GenerationId"], "Topics": []}
                assert not wire.ask(api, asked, 4 if api == "Heartbeat" else 9).get("ErrorCode")
            assert not goes_on.is_set()
            goes_on.set()
            listing.join()


def test_a_moment_is_not_followed(broker: Broker) -> None:
    with pytest.raises(ValueError, match="at_time"):
        kafkafmt.serve(broker.log_dir, follow=True, at_time=1)


def test_a_link_that_leads_out_is_left_out_as_in_a_scan(broker: Broker, tmp_path: Path) -> None:
    outside = tmp_path / "outside.log"
    outside.write_bytes(batch(10, 10))
    (broker.log_dir / "t-0" / file_name(10)).symlink_to(outside)
    with followed(broker) as wire:
        broker.write("t-0", 20, batch(20, 2))
        eventually(lambda: bounds(wire), (0, 22))
        assert content(wire, 0) == batch(0, 10)
        assert content(wire, 10) == batch(20, 2)
