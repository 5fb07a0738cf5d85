"""KIP-848 groups: Kafka's GroupCoordinator as members see it, with a manual clock."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.serving.groups import consumer
from kafkafmt.serving.groups.bounds import GroupError, Room
from kafkafmt.serving.groups.consumer import LEAVES, LEAVES_FOR_A_WHILE, ConsumerGroup
from kafkafmt.serving.groups.consumer_member import AssignedPartition, Beat, Beaten
from kafkafmt.serving.groups.subscription import MatchingTopics
from tests.serving.clocks import ManualClock
from tests.serving.test_stored_groups import NEWEST, described, expected, fetched
from tests.serving.wire import Wire, served

TOPIC_IDS = {"orders": UUID(int=1), "clicks": UUID(int=2)}
ORDERS = [(TOPIC_IDS["orders"], number) for number in range(4)]
CLICKS = [(TOPIC_IDS["clicks"], number) for number in (0, 7)]


class Tried:
    """A group of clients of the topics "orders" (4 partitions) and "clicks" (0 and 7)."""

    def __init__(self, room: Room | None = None) -> None:
        self.clock = ManualClock()
        self.emptied: list[str] = []
        self.counts: dict[str, list[int]] = {"orders": [0, 1, 2, 3], "clicks": [0, 7]}
        self.ids = dict(TOPIC_IDS)
        self.group = ConsumerGroup(
            "g",
            5,
            self.clock,
            room or Room(),
            self.emptied.append,
            lambda topic: self.counts.get(topic, []),
            lambda topic: self.ids.setdefault(topic, uuid4()),
        )

    def beat(self, member_id: str, epoch: int, owned: Any = None, **fields: Any) -> Beaten:
        given: dict[str, Any] = dict.fromkeys(Beat.__slots__)
        given |= {"client_id": "client", "host": "/192.0.2.1", "member_id": member_id, "epoch": epoch}
        given["owned"] = None if owned is None else frozenset(owned)
        return self.group.heartbeat(Beat(**given | fields))

    def join(self, member_id: str, *topics: str, **fields: Any) -> Beaten:
        return self.beat(member_id, 0, (), **{"topics": topics or ("orders",), "rebalance_ms": 60_000} | fields)

    def two(self) -> tuple[list[AssignedPartition], list[AssignedPartition]]:
        """Members "a" and "b" that have reconciled."""
        self.join("a")
        self.join("b")
        moving = self.beat("a", 6)
        assert moving.assigned is not None
        assert len(moving.assigned) == 2
        self.beat("a", 6, moving.assigned)
        got = self.beat("b", 7)
        assert got.assigned is not None
        assert self.group.state == "Stable"
        return sorted(moving.assigned), sorted(got.assigned)


def refused(code: ErrorCode, call: Any, *arguments: Any, **keywords: Any) -> None:
    with pytest.raises(GroupError) as caught:
        call(*arguments, **keywords)
    assert caught.value.code == code


def test_the_first_member_has_all_partitions() -> None:
    tried = Tried()
    joined = tried.join("a", "orders", "clicks", "nothing")
    assert sorted(joined.assigned or ()) == [*ORDERS, *CLICKS]
    assert joined.epoch == 6
    assert tried.beat("a", 6).assigned is None
    assert tried.group.state == "Stable"


def test_a_partition_moves_once_its_owner_has_given_it_up() -> None:
    tried = Tried()
    tried.join("a")
    second = tried.join("b")
    assert second.assigned == frozenset()
    assert tried.group.state == "Reconciling"
    moving = tried.beat("a", 6)
    assert moving.epoch == 6
    assert len(moving.assigned or ()) == 2
    assert tried.beat("b", 7).assigned is None  # nothing is free yet
    assert tried.beat("a", 6, ORDERS).assigned is None  # it has not revoked yet
    assert tried.beat("a", 6, moving.assigned).epoch == 7
    got = tried.beat("b", 7)
    assert sorted((got.assigned or frozenset()) | (moving.assigned or frozenset())) == ORDERS
    assert tried.group.state == "Stable"


def test_the_others_get_the_partitions_of_one_that_leaves() -> None:
    tried = Tried()
    tried.two()
    assert tried.beat("a", LEAVES) == Beaten("a", LEAVES)
    assert sorted(tried.beat("b", 7).assigned or ()) == ORDERS
    tried.beat("b", LEAVES)
    assert tried.emptied == ["g"]
    assert tried.clock.waiting == 0
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.beat, "b", 8)


def test_a_member_without_heartbeats_is_fenced() -> None:
    tried = Tried()
    tried.two()
    asyncio.run(tried.clock.advance(44))
    tried.beat("b", 7)
    asyncio.run(tried.clock.advance(2))
    assert sorted(tried.beat("b", 7).assigned or ()) == ORDERS
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.beat, "a", 7)


def test_a_member_that_keeps_what_it_has_to_give_up_is_fenced_after_its_rebalance_timeout() -> None:
    tried = Tried()
    tried.join("a", rebalance_ms=10_000)
    tried.join("b")
    tried.beat("a", 6)
    asyncio.run(tried.clock.advance(9))
    tried.beat("a", 6, ORDERS)
    asyncio.run(tried.clock.advance(2))
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.beat, "a", 6)
    assert sorted(tried.beat("b", 7).assigned or ()) == ORDERS


def test_epochs_that_are_not_the_members_fence_it() -> None:
    tried = Tried()
    mine, _ = tried.two()
    refused(ErrorCode.FENCED_MEMBER_EPOCH, tried.beat, "a", 8)
    refused(ErrorCode.FENCED_MEMBER_EPOCH, tried.beat, "a", 5)
    refused(ErrorCode.FENCED_MEMBER_EPOCH, tried.beat, "a", 6)
    assert tried.beat("a", 6, mine).epoch == 7  # the answer to the previous heartbeat was lost
    assert sorted(tried.join("a").assigned or ()) == mine


def test_a_changed_subscription_and_new_partitions_make_a_new_assignment() -> None:
    tried = Tried()
    tried.join("a")
    changed = tried.beat("a", 6, topics=("clicks",))
    assert changed.assigned == frozenset()
    assert sorted(tried.beat("a", 6, ()).assigned or ()) == CLICKS
    tried.counts["clicks"].append(8)
    assert (TOPIC_IDS["clicks"], 8) in (tried.beat("a", 7).assigned or ())


def test_a_recreated_topic_is_given_up_and_assigned_anew() -> None:
    """As at a broker: consumers fetch by topic id, so the new topic's partitions are different ones."""
    tried = Tried()
    tried.join("a")
    recreated = tried.ids["orders"] = UUID(int=9)
    assert tried.beat("a", 6).assigned == frozenset()
    refused(ErrorCode.STALE_MEMBER_EPOCH, tried.group.check_commit, "a", 5, 9, [("orders", 0)])
    got = tried.beat("a", 6, ())
    assert sorted(got.assigned or ()) == [(recreated, number) for number in range(4)]
    assert got.epoch == 7
    tried.group.check_commit("a", 6, 9, [("orders", 0)])


def test_subscriptions_by_expression() -> None:
    tried = Tried()
    joined = tried.join("a", topics=(), regex="c.*", matched=("clicks",))
    assert sorted(joined.assigned or ()) == CLICKS
    changed = tried.beat("a", 6, (), topics=("orders",), regex="", matched=())
    assert sorted(changed.assigned or ()) == ORDERS
    assert tried.group.members["a"].regex is None


def test_a_static_member_keeps_its_partitions_while_it_is_away() -> None:
    tried = Tried()
    tried.join("a", instance_id="i")
    refused(ErrorCode.UNRELEASED_INSTANCE_ID, tried.join, "new", instance_id="i")
    assert tried.beat("a", LEAVES_FOR_A_WHILE, instance_id="i").epoch == LEAVES_FOR_A_WHILE
    assert tried.join("b").assigned == frozenset()
    again = tried.join("new", instance_id="i")
    assert len(again.assigned or ()) == 2
    assert tried.beat("new", 7, again.assigned, instance_id="i").epoch == 7
    assert len(tried.beat("b", 7).assigned or ()) == 2
    refused(ErrorCode.FENCED_INSTANCE_ID, tried.beat, "a", 6, instance_id="i")
    refused(ErrorCode.FENCED_INSTANCE_ID, tried.beat, "a", LEAVES, instance_id="i")
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.beat, "a", 6, instance_id="j")
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.beat, "a", LEAVES, instance_id="j")


def test_a_member_does_not_take_the_place_of_a_static_one_beside_its_own() -> None:
    tried = Tried()
    tried.join("a", instance_id="i")
    tried.join("b", instance_id="j")
    tried.beat("a", LEAVES_FOR_A_WHILE, instance_id="i")
    refused(ErrorCode.INVALID_REQUEST, tried.join, "b", instance_id="i")
    assert set(tried.group.members) == {"a", "b"}


def test_a_static_member_that_does_not_come_again_is_fenced() -> None:
    tried = Tried()
    tried.join("a", instance_id="i")
    tried.beat("a", LEAVES_FOR_A_WHILE, instance_id="i")
    asyncio.run(tried.clock.advance(45))
    assert tried.emptied == ["g"]


def test_commits_and_fetches_of_members() -> None:
    tried = Tried()
    tried.group.check_commit("", -1, 8, ())
    mine, others = ([("orders", number) for _, number in owned] for owned in tried.two())
    tried.group.check_commit("a", 7, 9, others)
    tried.group.check_commit("a", 6, 9, mine)  # it still has them (KIP-1251)
    refused(ErrorCode.STALE_MEMBER_EPOCH, tried.group.check_commit, "a", 6, 9, others)
    refused(ErrorCode.STALE_MEMBER_EPOCH, tried.group.check_commit, "a", 8, 9, mine)
    refused(ErrorCode.UNSUPPORTED_VERSION, tried.group.check_commit, "a", 7, 8, mine)
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.group.check_commit, "", -1, 9, mine)
    tried.group.check_fetch(None, -1)
    tried.group.check_fetch("a", 7)
    refused(ErrorCode.STALE_MEMBER_EPOCH, tried.group.check_fetch, "a", 6)
    refused(ErrorCode.UNKNOWN_MEMBER_ID, tried.group.check_fetch, "nobody", 7)


def test_members_and_their_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "MOST_MEMBERS", 2)
    tried = Tried()
    tried.join("a", "nothing")
    tried.join("b", "nothing")
    refused(ErrorCode.GROUP_MAX_SIZE_REACHED, tried.join, "more", "nothing")
    room = Room(10_000)
    tried = Tried(room)
    refused(ErrorCode.GROUP_MAX_SIZE_REACHED, tried.join, "a", "x" * 10_000)
    assert tried.emptied == ["g"]
    tried.join("a")
    tried.beat("a", LEAVES)
    room.take(10_000)


def test_expressions_are_those_of_re2_and_match_whole_names() -> None:
    topics = ["orders", "orders-2", "x.orders"]

    def matching(regex: str) -> tuple[str, ...]:
        return asyncio.run(MatchingTopics().of(regex, topics, 1))

    assert matching("orders") == ("orders",)
    assert matching("orders.*|y") == ("orders", "orders-2")
    assert matching("(a*)*orders$") == ("orders",)
    for regex in ("(", "a)|(b", r"(?=orders)", r"(o)\1", "a" * 20_000, "((a{100}){100}){100}"):
        refused(ErrorCode.INVALID_REGULAR_EXPRESSION, matching, regex)


def beaten(wire: Wire, group_id: str, epoch: int = 0, version: int = 1, **fields: Any) -> Value:
    """The answer to a heartbeat, by default that of a joining member."""
    asked = {"GroupId": group_id, "MemberId": "me", "MemberEpoch": epoch}
    if epoch == 0:
        asked |= {"RebalanceTimeoutMs": 10_000, "TopicPartitions": [], "SubscribedTopicNames": ["orders"]}
    return wire.ask("ConsumerGroupHeartbeat", asked | fields, version)


@pytest.mark.parametrize("version", [0, 1])
def test_a_client_has_a_group_of_the_disk_for_itself(version: int) -> None:
    was = expected(NEWEST)["g-next"]
    with served(NEWEST.log_dir) as wire:
        dead = described(wire, "g-next", "Consumer")
        stale = beaten(wire, "g-next", 4, version, MemberId=dead["Members"][0]["MemberId"])
        assert stale["ErrorCode"] == ErrorCode.UNKNOWN_MEMBER_ID
        joined = beaten(wire, "g-next", 0, version)
        (given,) = joined["Assignment"]["TopicPartitions"]
        assert given["Partitions"] == [0, 1, 2, 3]
        assert joined["MemberEpoch"] > dead["GroupEpoch"]
        found = described(wire, "g-next", "Consumer")
        assert [each["MemberId"] for each in found["Members"]] == ["me"]
        assert found["Members"][0]["Assignment"]["TopicPartitions"] == [given | {"TopicName": "orders"}]
        assert fetched(wire, "g-next") == was["offsets"]
        assert beaten(wire, "g-next", -1, version)["ErrorCode"] == 0
        assert described(wire, "g-next", "Consumer")["GroupState"] == "Empty"


def test_types_of_groups_do_not_mix_while_they_have_members() -> None:
    protocols = [{"Name": "range", "Metadata": b""}]
    joining: Value = {"GroupId": "g", "ProtocolType": "consumer", "Protocols": protocols}
    joining |= {"SessionTimeoutMs": 10_000, "RebalanceTimeoutMs": 10_000}
    with served(NEWEST.log_dir) as wire:
        beaten(wire, "g")
        assert wire.ask("JoinGroup", joining, 3)["ErrorCode"] == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
        beaten(wire, "g", -1)
        joined = wire.ask("JoinGroup", joining, 3)
        assert joined["ErrorCode"] == 0
        assert beaten(wire, "g")["ErrorCode"] == ErrorCode.GROUP_ID_NOT_FOUND
        left = wire.ask("LeaveGroup", {"GroupId": "g", "Members": [{"MemberId": joined["MemberId"]}]})
        assert left["Members"][0]["ErrorCode"] == 0
        assert beaten(wire, "g")["ErrorCode"] == 0


@pytest.mark.parametrize(
    ("epoch", "fields", "code"),
    [
        (0, {"GroupId": ""}, ErrorCode.INVALID_REQUEST),
        (0, {"MemberId": ""}, ErrorCode.INVALID_REQUEST),
        (0, {"InstanceId": " "}, ErrorCode.INVALID_REQUEST),
        (0, {"RackId": ""}, ErrorCode.INVALID_REQUEST),
        (0, {"RebalanceTimeoutMs": -1}, ErrorCode.INVALID_REQUEST),
        (0, {"TopicPartitions": None}, ErrorCode.INVALID_REQUEST),
        (0, {"SubscribedTopicNames": None}, ErrorCode.INVALID_REQUEST),
        (0, {"SubscribedTopicNames": ["x"] * 20_001}, ErrorCode.INVALID_REQUEST),
        (0, {"ServerAssignor": "mine"}, ErrorCode.UNSUPPORTED_ASSIGNOR),
        (0, {"SubscribedTopicRegex": "("}, ErrorCode.INVALID_REGULAR_EXPRESSION),
        (-2, {}, ErrorCode.INVALID_REQUEST),
        (-3, {}, ErrorCode.INVALID_REQUEST),
        (1, {}, ErrorCode.GROUP_ID_NOT_FOUND),
        (-1, {}, ErrorCode.GROUP_ID_NOT_FOUND),
    ],
    ids=lambda value: str(value)[:40],
)
def test_heartbeats_that_are_refused(epoch: int, fields: Value, code: ErrorCode) -> None:
    with served(NEWEST.log_dir) as wire:
        answer = beaten(wire, "new", epoch, **fields)
        assert answer["ErrorCode"] == code
        assert answer["ErrorMessage"]
        assert "new" not in [each["GroupId"] for each in wire.ask("ListGroups")["Groups"]]
