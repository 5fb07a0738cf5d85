"""Groups of clients on a served disk: they replace the disk's groups and start at their offsets."""

from typing import Any

import pytest

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from tests.serving.test_stored_groups import NEWEST, described, expected, fetched
from tests.serving.wire import Wire, served

JOINING = {
    "SessionTimeoutMs": 10_000,
    "RebalanceTimeoutMs": 10_000,
    "MemberId": "",
    "ProtocolType": "consumer",
    "Protocols": [{"Name": "range", "Metadata": b"subscription"}],
}


def joined(wire: Wire, group_id: str, version: int = 9) -> Value:
    """Join a group as its only member and get an assignment."""
    asked = {"GroupId": group_id, **JOINING}
    answer = wire.ask("JoinGroup", asked, version)
    if version >= 4:
        assert answer["ErrorCode"] == ErrorCode.MEMBER_ID_REQUIRED
        answer = wire.ask("JoinGroup", asked | {"MemberId": answer["MemberId"]}, version)
    assert answer["ErrorCode"] == 0
    member = {"GroupId": group_id, "MemberId": answer["MemberId"], "GenerationId": answer["GenerationId"]}
    assignments = [{"MemberId": answer["MemberId"], "Assignment": b"assignment"}]
    named = {"ProtocolType": "consumer", "ProtocolName": "range"}
    synced = wire.ask("SyncGroup", {**member, **named, "Assignments": assignments})
    assert (synced["ErrorCode"], bytes(synced["Assignment"])) == (0, b"assignment")
    return member


def commit(wire: Wire, group_id: str, topic: Value, version: int = 9, **asked: Any) -> list[int]:
    """Commit offsets of a topic; return the errors of its partitions."""
    answer = wire.ask("OffsetCommit", {"GroupId": group_id, "Topics": [topic]} | asked, version)
    return [each["ErrorCode"] for each in answer["Topics"][0]["Partitions"]]


def at(offset: int, partition: int = 0, metadata: str | None = None) -> Value:
    return {"PartitionIndex": partition, "CommittedOffset": offset, "CommittedMetadata": metadata}


def listed(wire: Wire) -> dict[str, Value]:
    return {each["GroupId"]: each for each in wire.ask("ListGroups")["Groups"]}


@pytest.mark.parametrize("version", range(10))
def test_a_client_has_a_group_of_the_disk_for_itself(version: int) -> None:
    """The dead members are shown until it joins; its generation and offsets continue from the disk's."""
    was = expected(NEWEST)["g-RangeAssignor"]
    with served(NEWEST.log_dir) as wire:
        dead = described(wire, "g-RangeAssignor", "Classic")["Members"]
        assert len(dead) == len(was["members"]) > 1
        stale = {"GroupId": "g-RangeAssignor", "MemberId": dead[0]["MemberId"], "GenerationId": 1}
        assert wire.ask("Heartbeat", stale)["ErrorCode"] == ErrorCode.UNKNOWN_MEMBER_ID
        member = joined(wire, "g-RangeAssignor", version)
        found = described(wire, "g-RangeAssignor", "Classic")
        assert [each["MemberId"] for each in found["Members"]] == [member["MemberId"]]
        assert bytes(found["Members"][0]["MemberAssignment"]) == b"assignment"
        assert member["GenerationId"] > 1
        assert fetched(wire, "g-RangeAssignor") == was["offsets"]
        assert wire.ask("Heartbeat", member)["ErrorCode"] == 0
        left = wire.ask("LeaveGroup", {"GroupId": "g-RangeAssignor", "Members": [{"MemberId": member["MemberId"]}]})
        assert (left["ErrorCode"], left["Members"][0]["ErrorCode"]) == (0, 0)
        assert listed(wire)["g-RangeAssignor"]["GroupState"] == "Empty"


def test_a_new_group_is_listed_while_it_has_members_or_commits() -> None:
    with served(NEWEST.log_dir) as wire:
        member = joined(wire, "new")
        assert listed(wire)["new"] == {
            "GroupId": "new",
            "ProtocolType": "consumer",
            "GroupState": "Stable",
            "GroupType": "classic",
        }
        leaving = {"GroupId": "new", "Members": [{"MemberId": member["MemberId"]}]}
        wire.ask("LeaveGroup", leaving)
        assert "new" not in listed(wire)
        assert wire.ask("LeaveGroup", leaving)["Members"][0]["ErrorCode"] == ErrorCode.UNKNOWN_MEMBER_ID
        assert commit(wire, "new", {"Name": "orders", "Partitions": [at(7)]}) == [0]
        assert listed(wire)["new"]["GroupState"] == "Empty"
        assert described(wire, "new", "Classic")["Members"] == []


@pytest.mark.parametrize("version", range(2, 10))
def test_commits_stay_in_memory(version: int) -> None:
    """AdminClient's commits take precedence over those of the disk, whose members are dead."""
    with served(NEWEST.log_dir) as wire:
        was = fetched(wire, "g-static")
        errors = commit(
            wire, "g-static", {"Name": "orders", "Partitions": [at(99, metadata="mine"), at(1, 77)]}, version
        )
        assert errors == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        now = fetched(wire, "g-static")
        mine = [each for each in now if (each["topic"], each["partition"]) == ("orders", 0)]
        assert mine == [{"topic": "orders", "partition": 0, "offset": 99, "metadata": "mine", "leaderEpoch": None}]
        assert [each for each in now if each not in mine] == [
            each for each in was if (each["topic"], each["partition"]) != ("orders", 0)
        ]
    with served(NEWEST.log_dir) as wire:
        assert fetched(wire, "g-static") == was


def test_commits_and_offsets_by_topic_id() -> None:
    with served(NEWEST.log_dir) as wire:
        topic_id = wire.ask("Metadata", {"Topics": [{"Name": "orders"}]})["Topics"][0]["TopicId"]
        unknown = type(topic_id)(int=1)
        assert commit(wire, "mine", {"TopicId": topic_id, "Partitions": [at(5)]}, 10) == [0]
        assert commit(wire, "mine", {"TopicId": unknown, "Partitions": [at(5)]}, 10) == [ErrorCode.UNKNOWN_TOPIC_ID]
        topics = [{"TopicId": each, "PartitionIndexes": [0, 1]} for each in (topic_id, unknown)]
        asked = {"Groups": [{"GroupId": "mine", "Topics": topics}, {"GroupId": "g-static", "Topics": None}]}
        mine, other = wire.ask("OffsetFetch", asked, 10)["Groups"]
        found = [
            (each["CommittedOffset"], each["ErrorCode"]) for topic in mine["Topics"] for each in topic["Partitions"]
        ]
        assert found == [(5, 0), (-1, 0), *[(-1, ErrorCode.UNKNOWN_TOPIC_ID)] * 2]
        assert topic_id in [topic["TopicId"] for topic in other["Topics"]]


@pytest.mark.parametrize("version", range(5, 11))
def test_a_leader_epoch_of_an_offset_is_not_above_that_of_metadata(version: int) -> None:
    """Kafka's consumer does not read a partition until Metadata has at least the epoch of its committed offset."""
    with served(NEWEST.log_dir) as wire:
        (topic,) = wire.ask("Metadata", {"Topics": [{"Name": "orders"}]})["Topics"]
        known = next(each["LeaderEpoch"] for each in topic["Partitions"] if each["PartitionIndex"] == 0)
        for epoch, answered in ((known + 9, known), (known, known), (-1, -1)):
            partition = at(5) | {"CommittedLeaderEpoch": epoch}
            assert commit(wire, "mine", {"Name": "orders", "Partitions": [partition]}) == [0]
            named = {"TopicId": topic["TopicId"]} if version == 10 else {"Name": "orders"}
            asked = {"GroupId": "mine", "Topics": [{**named, "PartitionIndexes": [0]}]}
            body = {"Groups": [asked]} if version >= 8 else asked
            answer = wire.ask("OffsetFetch", body, version)
            (found,) = answer.get("Groups", [answer])[0]["Topics"][0]["Partitions"]
            assert (found["CommittedOffset"], found["CommittedLeaderEpoch"]) == (5, answered)


@pytest.mark.parametrize("version", range(1, 8))
def test_offsets_of_one_group(version: int) -> None:
    with served(NEWEST.log_dir) as wire:
        topics = [{"Name": "orders", "PartitionIndexes": [0, 77]}]
        answer = wire.ask("OffsetFetch", {"GroupId": "g-RangeAssignor", "Topics": topics}, version)
        found = [(each["CommittedOffset"], each["ErrorCode"]) for each in answer["Topics"][0]["Partitions"]]
        assert found == [(5, 0), (-1, 0)]


def test_offsets_of_an_open_transaction_are_unstable_unless_it_is_aborted() -> None:
    topics = [{"Name": "orders", "PartitionIndexes": [2, 3]}]

    def found(wire: Wire, *, is_stable: bool) -> list[tuple[int, int]]:
        asked = {"Groups": [{"GroupId": "g-txn", "Topics": topics}], "RequireStable": is_stable}
        answer = wire.ask("OffsetFetch", asked, 9)["Groups"][0]["Topics"][0]
        return [(each["CommittedOffset"], each["ErrorCode"]) for each in answer["Partitions"]]

    with served(NEWEST.log_dir) as wire:
        assert found(wire, is_stable=True) == [(3, 0), (-1, ErrorCode.UNSTABLE_OFFSET_COMMIT)]
        assert found(wire, is_stable=False) == [(3, 0), (-1, 0)]
        assert commit(wire, "g-txn", {"Name": "orders", "Partitions": [at(1, 3)]}) == [0]
        assert found(wire, is_stable=True) == [(3, 0), (1, 0)]
    with served(NEWEST.log_dir, open_transactions="abort") as wire:
        assert found(wire, is_stable=True) == [(3, 0), (-1, 0)]


def test_members_commit_by_their_generation() -> None:
    topic = {"Name": "orders", "Partitions": [at(7)]}
    with served(NEWEST.log_dir) as wire:
        member = joined(wire, "new")
        known = {"MemberId": member["MemberId"], "GenerationIdOrMemberEpoch": member["GenerationId"]}
        assert commit(wire, "new", topic, **known) == [0]
        stale = known | {"GenerationIdOrMemberEpoch": 77}
        assert commit(wire, "new", topic, **stale) == [ErrorCode.ILLEGAL_GENERATION]
        assert commit(wire, "new", topic) == [ErrorCode.UNKNOWN_MEMBER_ID]
        assert commit(wire, "other", topic, **known) == [ErrorCode.GROUP_ID_NOT_FOUND]
        assert commit(wire, "other", topic, 8, **known) == [ErrorCode.ILLEGAL_GENERATION]
        assert commit(wire, "g-static", topic, **known) == [ErrorCode.UNKNOWN_MEMBER_ID]
        too_long = {"Name": "orders", "Partitions": [at(7, metadata="x" * 4097)]}
        assert commit(wire, "new", too_long, **known) == [ErrorCode.OFFSET_METADATA_TOO_LARGE]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"GroupId": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"SessionTimeoutMs": 1}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"SessionTimeoutMs": 2**31 - 1}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"MemberId": "nobody"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"Protocols": []}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    ],
    ids=str,
)
def test_joins_that_are_refused(fields: Value, code: ErrorCode) -> None:
    with served(NEWEST.log_dir) as wire:
        for version in range(10):
            assert wire.ask("JoinGroup", {"GroupId": "new", **JOINING} | fields, version)["ErrorCode"] == code
        assert "new" not in listed(wire)
        nobody = {"GroupId": fields.get("GroupId", "new"), "MemberId": "nobody", "GenerationId": 1}
        code = ErrorCode.UNKNOWN_MEMBER_ID if nobody["GroupId"] else ErrorCode.INVALID_GROUP_ID
        assert wire.ask("Heartbeat", nobody)["ErrorCode"] == code
        assert wire.ask("SyncGroup", nobody, 4)["ErrorCode"] == code
        assert wire.ask("LeaveGroup", nobody, 0)["ErrorCode"] == code
