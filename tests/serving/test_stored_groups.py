"""Groups of the disk: AdminClient's answers on golden disks, until a client joins."""

import json
from typing import Any

import pytest

from kafkafmt.protocol.codec import Value
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.reference.messages import coordinator_records
from tests.golden_cases import Case, cases
from tests.serving.wire import Wire, served

ASKED = [case for case in cases("modern") if case.has("offsets.json")]
NEWEST = next(case for case in ASKED if case.name == "08-consumer-groups-4.3.1")


def expected(case: Case) -> dict[str, Any]:
    groups: list[dict[str, Any]] = json.loads((case.expected / "offsets.json").read_text())["groups"]
    return {group["groupId"]: group for group in groups}


def described(wire: Wire, group_id: str, kind: str) -> Value:
    """The group as described by AdminClient, which asks for both types."""
    classic = wire.ask("DescribeGroups", {"Groups": [group_id]})["Groups"][0]
    consumer = wire.ask("ConsumerGroupDescribe", {"GroupIds": [group_id]})["Groups"][0]
    found: Value
    found, other = (classic, consumer) if kind == "Classic" else (consumer, classic)
    assert other["ErrorCode"] == ErrorCode.GROUP_ID_NOT_FOUND
    assert other["ErrorMessage"].startswith(f"Group {group_id} is not a ")
    assert found["ErrorCode"] == 0
    return found


def assigned(member: Value) -> list[str]:
    """Assigned partitions of a member as "topic-0", sorted."""
    if "MemberAssignment" in member:
        data = bytes(member["MemberAssignment"])
        fields = coordinator_records.decode_assignment(data).data["assignedPartitions"] if data else ()
        pairs = [(each["topic"], number) for each in fields for number in each["partitions"]]
    else:
        fields = member["Assignment"]["TopicPartitions"]
        pairs = [(each["TopicName"], number) for each in fields for number in each["Partitions"]]
    return sorted(f"{topic}-{number}" for topic, number in pairs)


def fetched(wire: Wire, group_id: str) -> list[dict[str, Any]]:
    """All committed offsets of a group as offsets.json has them."""
    answer = wire.ask("OffsetFetch", {"Groups": [{"GroupId": group_id, "Topics": None}]}, 9)
    return [
        {
            "topic": topic["Name"],
            "partition": each["PartitionIndex"],
            "offset": each["CommittedOffset"],
            "metadata": each["Metadata"],
            "leaderEpoch": None if each["CommittedLeaderEpoch"] == -1 else each["CommittedLeaderEpoch"],
        }
        for topic in answer["Groups"][0]["Topics"]
        for each in topic["Partitions"]
    ]


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_golden_groups(case: Case) -> None:
    with served(case.log_dir) as wire:
        listed = {each["GroupId"]: each for each in wire.ask("ListGroups")["Groups"]}
        for group_id, group in expected(case).items():
            assert (listed[group_id]["GroupType"], listed[group_id]["GroupState"]) == (
                group["type"].lower(),
                group["state"],
            )
            if group["type"] in ("Share", "Streams"):
                continue
            found = described(wire, group_id, group["type"])
            assert found["GroupState"] == group["state"]
            assert found["ProtocolData" if group["type"] == "Classic" else "AssignorName"] == group["partitionAssignor"]
            members = {each["MemberId"]: each for each in found["Members"]}
            assert set(members) == {each["memberId"] for each in group["members"]}
            for each in group["members"]:
                member = members[each["memberId"]]
                assert (member["ClientId"], member["ClientHost"]) == (each["clientId"], each["host"])
                assert member.get("GroupInstanceId", member.get("InstanceId")) == each["groupInstanceId"]
                assert assigned(member) == each["assignment"]
                if group["type"] == "Classic":
                    subscription = coordinator_records.decode_subscription(bytes(member["MemberMetadata"]))
                    assert subscription.data["topics"]
            assert fetched(wire, group_id) == group["offsets"]


def test_groups_by_state_and_type() -> None:
    groups = expected(NEWEST)

    def listed(**asked: Any) -> set[str]:
        return {each["GroupId"] for each in wire.ask("ListGroups", asked)["Groups"]}

    with served(NEWEST.log_dir) as wire:
        for asked, key in (("StatesFilter", "state"), ("TypesFilter", "type")):
            for value in {group[key] for group in groups.values()}:
                wanted = {group_id for group_id, group in groups.items() if group[key] == value}
                assert listed(**{asked: [value]}) & set(groups) == wanted
                assert listed(**{asked: [value.upper()]}) & set(groups) == wanted
        assert listed(StatesFilter=["Stable"], TypesFilter=["classic"]) == {
            group_id for group_id, group in groups.items() if (group["state"], group["type"]) == ("Stable", "Classic")
        }
        assert not listed(TypesFilter=["nothing"])


def test_none_of_them_where_groups_are_not_to_be_served() -> None:
    with served(NEWEST.log_dir, groups="none") as wire:
        assert wire.ask("ListGroups")["Groups"] == []
        assert fetched(wire, "g-RangeAssignor") == []


def test_groups_that_do_not_exist() -> None:
    with served(NEWEST.log_dir) as wire:
        found = wire.ask("DescribeGroups", {"Groups": ["nobody"]})["Groups"][0]
        assert (found["ErrorCode"], found["GroupState"]) == (ErrorCode.GROUP_ID_NOT_FOUND, "Dead")
        assert found["ErrorMessage"] == "Group nobody not found."
        found = wire.ask("DescribeGroups", {"Groups": ["nobody"]}, 5)["Groups"][0]
        assert (found["ErrorCode"], found["GroupState"]) == (0, "Dead")
        found = wire.ask("ConsumerGroupDescribe", {"GroupIds": ["nobody", ""]})["Groups"]
        assert [each["ErrorCode"] for each in found] == [ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.INVALID_GROUP_ID]
        assert fetched(wire, "nobody") == []


def test_operations_are_those_of_a_reader() -> None:
    with served(NEWEST.log_dir) as wire:
        asked = {"Groups": ["g-static"], "IncludeAuthorizedOperations": True}
        read, describe, describe_configs = 3, 8, 10
        operations = wire.ask("DescribeGroups", asked)["Groups"][0]["AuthorizedOperations"]
        assert operations == 1 << read | 1 << describe | 1 << describe_configs


def test_every_version_of_find_coordinator_names_this_broker() -> None:
    with served(NEWEST.log_dir) as wire:
        port = wire.socket.getpeername()[1]
        for version in range(7):
            keys = {"CoordinatorKeys": ["a", "b"]} if version >= 4 else {"Key": "a"}
            for kind in (0, 1) if version else (0,):
                answer = wire.ask("FindCoordinator", {"KeyType": kind, **keys}, version)
                for each in answer.get("Coordinators", [answer]):
                    assert (each["ErrorCode"], each["Host"], each["Port"]) == (0, "127.0.0.1", port)
        answer = wire.ask("FindCoordinator", {"KeyType": 2, "CoordinatorKeys": ["a:b:0"]})["Coordinators"][0]
        assert answer["ErrorCode"] == ErrorCode.INVALID_REQUEST


def test_nothing_is_deleted() -> None:
    with served(NEWEST.log_dir) as wire:
        found = wire.ask("DeleteGroups", {"GroupsNames": ["g-static"]})["Results"][0]
        assert (found["GroupId"], found["ErrorCode"]) == ("g-static", ErrorCode.POLICY_VIOLATION)
        assert "read-only" in found["ErrorMessage"]
        topics = [{"Name": "orders", "Partitions": [{"PartitionIndex": 0}]}]
        found = wire.ask("OffsetDelete", {"GroupId": "g-static", "Topics": topics})
        assert found["ErrorCode"] == ErrorCode.POLICY_VIOLATION
        assert fetched(wire, "g-static") == expected(NEWEST)["g-static"]["offsets"]
