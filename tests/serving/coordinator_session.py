"""A fixed session of group members' requests, and a coordinator's answers without fields that differ between runs.

    python -m tests.serving.coordinator_session 127.0.0.1:9092 > tests/golden/coordinator/answers.jsonl

records a Kafka 4.4 broker with the topic "orders" of 4 partitions and the settings in tests/golden/coordinator.
"""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import UUID

from kafkafmt.protocol.codec import Value
from tests.serving.wire import Wire

_PRIVATE = {"ThrottleTimeMs", "NodeId", "Host", "Port", "HeartbeatIntervalMs", "AuthorizedOperations", "ClientHost"}
_PROTOCOLS = [{"Name": "range", "Metadata": b"m"}]
# Error texts of Java's RE2 and of C++'s, which differ.
_TEXT_OF_RE2 = "is not a valid regular expression"


class Session:
    """Connections to one coordinator.

    Args:
        address: "host:port".
    """

    def __init__(self, address: str) -> None:
        self.answers: list[dict[str, Any]] = []
        self._address = address
        self._wires: dict[int, Wire] = {}
        self._names: dict[str, str] = {}
        self._pool = ThreadPoolExecutor(4)

    def close(self) -> None:
        self._pool.shutdown()
        for wire in self._wires.values():
            wire.socket.close()

    def ask(self, label: str, client: int, api: str, body: Value, version: int | None = None) -> Value:
        """Send a request and record the answer."""
        return self.keep(label, self._wire(client).ask(api, body, version))

    def later(self, client: int, api: str, body: Value, version: int | None = None) -> "Future[Value]":
        """Send a request that is answered only after those of others."""
        return self._pool.submit(self._wire(client).ask, api, body, version)

    def keep(self, label: str, answer: Value) -> Value:
        self._name(answer)
        self.answers.append({"asked": label, "answer": self._masked(answer)})
        return answer

    def until(self, group: str, state: str) -> None:
        """Wait until a group is in a state."""
        asked: Value = {"Groups": [group]}
        for _ in range(2000):
            if self._wire(0).ask("DescribeGroups", asked, 5)["Groups"][0]["GroupState"] == state:
                return
        raise TimeoutError(f"{group} is not {state}")

    def describe(self, label: str, group: str) -> None:
        """Describe and list a group with every API."""
        for version in (5, 6):
            self.ask(f"{label}: DescribeGroups {version}", 0, "DescribeGroups", {"Groups": [group]}, version)
        self.ask(f"{label}: ConsumerGroupDescribe", 0, "ConsumerGroupDescribe", {"GroupIds": [group]})
        groups = self._wire(0).ask("ListGroups")["Groups"]
        self.keep(f"{label}: ListGroups", {"Groups": [each for each in groups if each["GroupId"] == group]})

    def commit(self, label: str, client: int, group: str, member: str = "", epoch: int = -1, **fields: Any) -> None:
        """Commit an offset of a partition."""
        version = fields.pop("version", 9)
        instance = fields.pop("instance", None)
        topic = fields.pop("topic", "orders")
        partition = {"PartitionIndex": 0, "CommittedOffset": 1, "CommittedMetadata": "m"} | fields
        body = {"GroupId": group, "MemberId": member, "GenerationIdOrMemberEpoch": epoch, "GroupInstanceId": instance}
        topics = [{"Name": topic, "Partitions": [partition]}]
        self.ask(f"commit {label}", client, "OffsetCommit", {**body, "Topics": topics}, version)

    def fetch(self, label: str, group: str, member: str | None = None, epoch: int = -1, topics: Any = None) -> None:
        """Fetch committed offsets."""
        asked = {"GroupId": group, "MemberId": member, "MemberEpoch": epoch, "Topics": topics}
        self.ask(f"fetch {label}", 0, "OffsetFetch", {"Groups": [asked]}, 9)

    def _wire(self, client: int) -> Wire:
        if client not in self._wires:
            self._wires[client] = Wire(self._address)
        return self._wires[client]

    def _name(self, answer: Value) -> None:
        member_id = answer.get("MemberId")
        if member_id and len(member_id) > 36 and member_id not in self._names:
            self._names[member_id] = f"<{len(self._names)}>"

    def _masked(self, value: Any) -> Any:
        match value:
            case dict():
                return {name: self._masked(each) for name, each in value.items() if name not in _PRIVATE}
            case list():
                return sorted((self._masked(each) for each in value), key=json.dumps)
            case UUID():
                return "none" if value.int == 0 else "some"
            case str():
                for member_id, name in self._names.items():
                    value = value.replace(member_id, name)
                begin, found, _ = value.partition(_TEXT_OF_RE2)
                return begin + found
            case int() | None:
                return value
            case _:
                return bytes(value).decode("latin-1")


def joining(group: str, member: str = "", **fields: Any) -> Value:
    """The fields of a JoinGroup."""
    timeouts = {"SessionTimeoutMs": 10_000, "RebalanceTimeoutMs": 10_000}
    return {
        "GroupId": group,
        "MemberId": member,
        "ProtocolType": "consumer",
        "Protocols": _PROTOCOLS,
        **timeouts,
        **fields,
    }


def syncing(group: str, joined: Value, assignments: dict[str, bytes] | None = None, **fields: Any) -> Value:
    """The fields of a SyncGroup of a joined member."""
    return {
        "GroupId": group,
        "GenerationId": joined["GenerationId"],
        "MemberId": joined["MemberId"],
        "ProtocolType": "consumer",
        "ProtocolName": "range",
        "Assignments": [{"MemberId": each, "Assignment": data} for each, data in (assignments or {}).items()],
        **fields,
    }


def classic(session: Session, group: str) -> None:
    """Run the session of a classic group."""

    def beat(label: str, client: int, member: str, generation: int, **fields: Any) -> None:
        body = {"GroupId": group, "MemberId": member, "GenerationId": generation, **fields}
        session.ask(f"heartbeat {label}", client, "Heartbeat", body)

    def leave(label: str, client: int, member: str) -> None:
        session.ask(f"leave {label}", client, "LeaveGroup", {"GroupId": group, "Members": [{"MemberId": member}]})

    nobody = {"GenerationId": 1, "MemberId": "x"}
    session.describe("no group", group)
    session.fetch("no group", group)
    beat("no group", 1, "x", 1)
    leave("no group", 1, "x")
    session.ask("sync no group", 1, "SyncGroup", syncing(group, nobody))
    session.ask("sync without protocol", 1, "SyncGroup", syncing(group, nobody, ProtocolType=None))
    refused: list[Value] = [
        {"SessionTimeoutMs": 1},
        {"SessionTimeoutMs": 2**31 - 1},
        {"Protocols": []},
        {"ProtocolType": ""},
        {"MemberId": "x"},
        {"GroupId": ""},
    ]
    for fields in refused:
        session.ask(f"join {fields}", 1, "JoinGroup", joining(group) | fields)
    first = session.ask("join without id", 1, "JoinGroup", joining(group))["MemberId"]
    session.describe("pending", group)
    joined = session.ask("join", 1, "JoinGroup", joining(group, first))
    session.describe("joined", group)
    session.commit("before sync", 1, group, first, 1)
    beat("before sync", 1, first, 1)
    session.ask("sync of another generation", 1, "SyncGroup", syncing(group, joined | {"GenerationId": 9}))
    session.ask("sync of another protocol", 1, "SyncGroup", syncing(group, joined, ProtocolName="x"))
    session.ask("sync of another type", 1, "SyncGroup", syncing(group, joined, ProtocolType="x"))
    session.ask("sync", 1, "SyncGroup", syncing(group, joined, {first: b"given"}))
    session.describe("stable", group)
    beat("", 1, first, 1)
    beat("of another generation", 1, first, 7)
    beat("of nobody", 1, "x", 1)
    beat("of no instance", 1, first, 1, GroupInstanceId="i")
    for member, epoch in ((first, 1), (first, 3), (first, -1), ("", -1), ("x", 1)):
        session.commit(f"{bool(member)} {epoch}", 1, group, member, epoch)
    session.commit("version 8", 1, group, first, 1, version=8)
    session.commit("unknown topic", 1, group, first, 1, topic="x")
    session.commit("unknown partition", 1, group, first, 1, PartitionIndex=77)
    session.commit("large metadata", 1, group, first, 1, CommittedMetadata="x" * 4097)
    session.commit("no metadata", 1, group, first, 1, CommittedMetadata=None, PartitionIndex=1)
    session.commit("negative", 1, group, first, 1, CommittedOffset=-1, PartitionIndex=2)
    session.fetch("all", group)
    session.fetch("of a member", group, first, 1)
    names = [{"Name": name, "PartitionIndexes": [0, 3, 77]} for name in ("orders", "x")]
    session.fetch("some", group, topics=names)
    session.ask("join other protocol", 2, "JoinGroup", joining(group, Protocols=[{"Name": "x", "Metadata": b""}]))
    session.ask("join other type", 2, "JoinGroup", joining(group, ProtocolType="connect"))
    again = session.ask("leader joins again", 1, "JoinGroup", joining(group, first))
    session.ask("sync again", 1, "SyncGroup", syncing(group, again, {first: b"again"}))
    waiting = session.later(2, "JoinGroup", joining(group), 3)
    session.until(group, "PreparingRebalance")
    beat("while others join", 1, first, 2)
    session.commit("while others join", 1, group, first, 2)
    session.ask("sync while others join", 1, "SyncGroup", syncing(group, again))
    leading = session.later(1, "JoinGroup", joining(group, first))
    other, leader = session.keep("second joins", waiting.result(30)), session.keep("first joins", leading.result(30))
    second = other["MemberId"]
    synced = session.later(2, "SyncGroup", syncing(group, other))
    session.describe("completing", group)
    session.ask("sync of two", 1, "SyncGroup", syncing(group, leader, {first: b"1", second: b"2"}))
    session.keep("sync of the second", synced.result(30))
    for version in (6, 9):
        session.ask(f"follower joins again {version}", 2, "JoinGroup", joining(group, second), version)
    leave("", 1, first)
    leave("again", 1, first)
    beat("after one has left", 2, second, 3)
    rest = session.ask("the other joins", 2, "JoinGroup", joining(group, second))
    session.ask("the other syncs", 2, "SyncGroup", syncing(group, rest))
    leave("the other", 2, second)
    session.describe("empty", group)
    for member, epoch in (("", -1), ("x", -1), ("x", 5)):
        session.commit(f"empty {member} {epoch}", 1, group, member, epoch)
    session.fetch("empty", group)
    session.ask("leave version 0", 1, "LeaveGroup", {"GroupId": group, "MemberId": "x"}, 0)


def static(session: Session, group: str) -> None:
    """Run the session of static members of a classic group."""
    mine: Value = {"GroupInstanceId": "i"}

    def beat(label: str, member: str, **fields: Any) -> None:
        body = {"GroupId": group, "MemberId": member, "GenerationId": 1, **fields}
        session.ask(f"static heartbeat {label}", 1, "Heartbeat", body)

    first = session.ask("static join", 1, "JoinGroup", joining(group, **mine))
    session.ask("static sync", 1, "SyncGroup", syncing(group, first, {first["MemberId"]: b"given"}, **mine))
    again = session.ask("static join again", 1, "JoinGroup", joining(group, **mine))
    beat("old", first["MemberId"], **mine)
    session.ask("static sync old", 1, "SyncGroup", syncing(group, first, **mine))
    session.commit("static old", 1, group, first["MemberId"], 1, instance="i")
    session.ask("static sync again", 1, "SyncGroup", syncing(group, again, **mine))
    session.describe("static", group)
    older = session.ask("static join version 8", 1, "JoinGroup", joining(group, **mine), 8)["MemberId"]
    beat("new", older, **mine)
    beat("without instance", older)
    beat("of another", older, GroupInstanceId="j")
    session.ask("static join wrong id", 1, "JoinGroup", joining(group, "x", **mine))
    session.ask("static join other instance", 1, "JoinGroup", joining(group, older, GroupInstanceId="j"))
    for member in ({"MemberId": "", "GroupInstanceId": "j"}, {"MemberId": "x", **mine}, {"MemberId": "", **mine}):
        session.ask(f"static leave {member}", 1, "LeaveGroup", {"GroupId": group, "Members": [member]})
    session.commit("without members", 1, f"{group}-simple", version=2)
    session.describe("simple", f"{group}-simple")
    for version in (8, 9):
        session.commit(f"of no group {version}", 1, f"{group}-none", "x", 1, version=version)


def consumer(session: Session, group: str) -> None:
    """Run the session of a KIP-848 group."""

    def beat(label: str, client: int, epoch: int, member: str, **fields: Any) -> Value:
        body = {"GroupId": group, "MemberId": member, "MemberEpoch": epoch}
        if epoch == 0:
            body |= {"RebalanceTimeoutMs": 10_000, "TopicPartitions": [], "SubscribedTopicNames": ["orders"]}
        return session.ask(f"consumer {label} {epoch} {member}", client, "ConsumerGroupHeartbeat", body | fields)

    refused: list[Value] = [
        *({name: " "} for name in ("GroupId", "MemberId", "InstanceId", "RackId")),
        {"RebalanceTimeoutMs": -1},
        {"TopicPartitions": None},
        {"SubscribedTopicNames": None},
        {"ServerAssignor": "x"},
        {"SubscribedTopicRegex": "("},
    ]
    for fields in refused:
        beat(str(fields), 1, 0, "a", **fields)
    for epoch in (-3, -2, -1):
        beat("no group", 1, epoch, "a")
    session.describe("no consumer group", group)
    joined = beat("joins", 1, 0, "a")
    session.describe("consumer", group)
    epoch, owned = joined["MemberEpoch"], joined["Assignment"]["TopicPartitions"]
    subscribed = {"RebalanceTimeoutMs": 10_000, "SubscribedTopicNames": ["orders"]}
    beat("lives", 1, epoch, "a")
    beat("says all", 1, epoch, "a", TopicPartitions=owned, **subscribed)
    beat("joins again", 1, 0, "a")
    beat("is ahead", 1, epoch + 5, "a")
    beat("is behind", 1, epoch - 1, "a")
    for member, asked in (("a", epoch), ("a", epoch + 1), ("x", epoch), ("", -1)):
        session.commit(f"consumer {member} {asked}", 1, group, member, asked)
        session.fetch(f"consumer {member} {asked}", group, member or None, asked)
    session.commit("consumer version 8", 1, group, "a", epoch, version=8)
    second = beat("joins", 2, 0, "b")["MemberEpoch"]
    session.describe("two consumers", group)
    kept = beat("gives up", 1, epoch, "a")["Assignment"]["TopicPartitions"]
    session.describe("revoking", group)
    beat("waits", 2, second, "b")
    beat("has not given up", 1, epoch, "a", TopicPartitions=owned)
    last = beat("has given up", 1, epoch, "a", TopicPartitions=kept)["MemberEpoch"]
    beat("repeats itself", 1, epoch, "a", TopicPartitions=kept)
    beat("gets", 2, second, "b")
    session.describe("reconciled", group)
    session.commit("of an older epoch", 1, group, "a", epoch)
    session.commit("of an older epoch, not its own", 1, group, "b", epoch)
    beat("subscribes to nothing", 1, last, "a", SubscribedTopicNames=["x"])
    session.describe("subscribed to nothing", group)
    beat("leaves", 2, -1, "b")
    beat("has nothing", 1, last, "a", TopicPartitions=[])
    beat("leaves", 1, -1, "a")
    session.describe("no consumers", group)
    beat("leaves again", 1, -1, "a")
    beat("is gone", 1, 3, "a")
    mine: Value = {"InstanceId": "i"}
    session.commit("so that the group stays", 1, group)
    first = beat("static joins", 1, 0, "s", **mine)["MemberEpoch"]
    beat("static twice", 1, 0, "t", **mine)
    beat("static is away", 1, -2, "s", **mine)
    session.describe("static consumer away", group)
    beat("static comes again", 1, 0, "t", **mine)
    session.describe("static consumer", group)
    beat("static old", 1, first, "s", **mine)
    for epoch in (2, -1):
        beat("static of another", 1, epoch, "t", InstanceId="j")
        beat("static with another id", 1, epoch, "x", **mine)
    beat("static leaves", 1, -1, "t", **mine)


def run(address: str) -> Iterator[dict[str, Any]]:
    """Run all sessions and return the answers in order."""
    session = Session(address)
    try:
        classic(session, "classic")
        static(session, "static")
        consumer(session, "consumer")
    finally:
        session.close()
    yield from session.answers


if __name__ == "__main__":
    sys.stdout.writelines(f"{json.dumps(answer, sort_keys=True)}\n" for answer in run(sys.argv[1]))
