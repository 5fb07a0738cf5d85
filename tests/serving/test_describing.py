"""The describing APIs on other disks: older releases, several nodes, no metadata; and their limits."""

import asyncio
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.operations.config_definitions import definitions
from kafkafmt.operations.configs import configs_of
from kafkafmt.operations.known_configs import TOPIC_CONFIGS
from kafkafmt.protocol.error_codes import ErrorCode
from kafkafmt.protocol.frames import response
from kafkafmt.serving import credentials, log_dirs, reassignments
from kafkafmt.serving.api import Broker, Client, Request, ServeOptions
from kafkafmt.serving.served_disks import ServedDisks
from tests.golden_cases import GOLDEN, Case, cases, read_jsonl, tier_case
from tests.operations.golden_operations import questions
from tests.serving.wire import Wire, request_frame, served

CONFIGS = "configs-from-metadata-4.3.1"
SOURCES = {
    "DYNAMIC_TOPIC_CONFIG": 1,
    "DYNAMIC_BROKER_CONFIG": 2,
    "DYNAMIC_DEFAULT_BROKER_CONFIG": 3,
    "DEFAULT_CONFIG": 5,
}
TOPIC, BROKER, GROUP = 2, 4, 32


def case(name: str) -> Case:
    return next(each for each in cases() if each.name == name)


def described(wire: Wire, kind: int, name: str, **asked: Any) -> dict[str, Any]:
    resource = {"ResourceType": kind, "ResourceName": name, "ConfigurationKeys": None}
    (found,) = wire.ask("DescribeConfigs", {"Resources": [resource], **asked})["Results"]
    assert found["ErrorCode"] == 0
    return {each["Name"]: each for each in found["Configs"]}


def test_configs_of_topics_are_those_of_admin_client(tmp_path: Path) -> None:
    log_dir = next(each for each in questions("retention") if each.case == CONFIGS).unpack(tmp_path)
    compared = 0
    with served(log_dir) as wire:
        for expected in read_jsonl(GOLDEN / "operations" / CONFIGS / "expected" / "configs.jsonl"):
            found = described(wire, TOPIC, expected.pop("topic"))
            for name, config in expected.items():
                value = found[name]["Value"], found[name]["ConfigSource"]
                assert value == (config["value"], SOURCES[config["source"]])
                compared += 1
    assert compared == 72


def test_configs_are_those_of_the_node_whose_disk_it_is(tmp_path: Path) -> None:
    """The node id of the served broker is that of meta.properties: configs belong to a node."""
    log_dir = shutil.copytree(GOLDEN / "described" / "log-dir", tmp_path / "log-dir")
    with served(log_dir) as wire:
        assert described(wire, TOPIC, "cfg")["retention.bytes"]["Value"] == "123456789"
    properties = log_dir / "meta.properties"
    properties.write_text(properties.read_text().replace("node.id=1", "node.id=7"))
    with served(log_dir) as wire:
        assert described(wire, BROKER, "7").keys() == described(wire, BROKER, "").keys()
        other = {"Resources": [{"ResourceType": BROKER, "ResourceName": "1", "ConfigurationKeys": None}]}
        assert wire.ask("DescribeConfigs", other)["Results"][0]["ErrorCode"] == ErrorCode.INVALID_REQUEST


def test_configs_are_those_by_which_retention_decides() -> None:
    disks = kafkafmt.open(GOLDEN / "described" / "log-dir")
    in_force = configs_of(disks).of_topic("cfg", node_id=1)
    with served(GOLDEN / "described" / "log-dir") as wire:
        found = described(wire, TOPIC, "cfg")
    for name in TOPIC_CONFIGS:
        known = definitions("TOPIC")[name]
        assert found[name]["Value"] == known.text(in_force.text(name))


def test_configs_and_acls_are_those_of_a_moment() -> None:
    log_dir = GOLDEN / "described" / "log-dir"
    history = kafkafmt.open(log_dir).metadata().history.to_pylist()
    created = next(each["timestamp"] for each in history if each["topic"] == "cfg")
    acls = {"ResourceTypeFilter": 1, "PatternTypeFilter": 1, "Operation": 1, "PermissionType": 1}
    with served(log_dir, at_time=int(created.timestamp() * 1000)) as wire:
        assert described(wire, TOPIC, "cfg")["retention.ms"]["ConfigSource"] == 5
        assert described(wire, BROKER, "1").keys() == {"min.insync.replicas"}
        assert wire.ask("DescribeAcls", acls)["ErrorCode"] == ErrorCode.SECURITY_DISABLED


@pytest.mark.parametrize("name", ["01-codecs-4.3.1", "m0-codecs-0.9.0.1"])
def test_without_metadata_there_are_defaults_and_nothing_set(name: str) -> None:
    with served(case(name).log_dir) as wire:
        metadata = wire.ask("Metadata", {"Topics": None})
        configs = described(wire, TOPIC, metadata["Topics"][0]["Name"])
        assert len(configs) == 37
        assert {each["ConfigSource"] for each in configs.values()} <= {1, 3, 5}
        assert described(wire, BROKER, "").keys() <= {"min.insync.replicas"}
        assert described(wire, GROUP, "anybody")["consumer.session.timeout.ms"]["Value"] == "45000"
        for api, asked, array in (
            ("DescribeClientQuotas", {"Components": [], "Strict": False}, "Entries"),
            ("DescribeUserScramCredentials", {"Users": None}, "Results"),
            ("ListPartitionReassignments", {"TimeoutMs": 1, "Topics": None}, "Topics"),
            ("ListTransactions", {"StateFilters": [], "ProducerIdFilters": []}, "TransactionStates"),
        ):
            answer = wire.ask(api, asked)
            assert (answer["ErrorCode"], answer[array]) == (0, [])
        acls = {"ResourceTypeFilter": 1, "PatternTypeFilter": 1, "Operation": 1, "PermissionType": 1}
        answer = wire.ask("DescribeAcls", acls)
        assert (answer["ErrorCode"], answer["ErrorMessage"]) == (
            ErrorCode.SECURITY_DISABLED,
            "No Authorizer is configured on the broker",
        )


def test_quorum_without_a_metadata_log_is_unknown() -> None:
    asked = {"Topics": [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]}
    (legacy,) = [each for each in cases("legacy") if each.name.startswith("transactions")][:1]
    with served(legacy.log_dir) as wire:
        (found,) = wire.ask("DescribeQuorum", asked)["Topics"][0]["Partitions"]
    assert found["ErrorCode"] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_quorum_of_three_disks_has_the_end_of_each() -> None:
    asked = {"Topics": [{"TopicName": "__cluster_metadata", "Partitions": [{"PartitionIndex": 0}]}]}
    log_dirs = case("10b-three-controllers-4.3.1").log_dir
    metadata = kafkafmt.open(log_dirs).metadata()
    with served(log_dirs) as wire:
        found = wire.ask("DescribeQuorum", asked)
    (partition,) = found["Topics"][0]["Partitions"]
    ends = {each["ReplicaId"]: each["LogEndOffset"] for each in partition["CurrentVoters"]}
    assert ends.keys() == {each.id for each in metadata.voters} == {each["NodeId"] for each in found["Nodes"]}
    assert max(ends.values()) == metadata.offset
    assert sorted(ends.values())[1] == partition["HighWatermark"]
    assert partition["LeaderId"] == metadata.leader_id


def test_resources_beyond_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.serving.configs._MOST_ENTRIES", 40)
    resources = [{"ResourceType": GROUP, "ResourceName": f"g{number}"} for number in range(4)]
    with served(GOLDEN / "described" / "log-dir") as wire:
        found = wire.ask("DescribeConfigs", {"Resources": resources})["Results"]
    assert [each["ErrorCode"] for each in found] == [0, 0, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST]
    assert "ask for fewer" in found[2]["ErrorMessage"]


def test_encoding_of_many_configs_holds_up_no_other_client(monkeypatch: pytest.MonkeyPatch) -> None:
    other_is_answered, waited = threading.Event(), []

    def slow(api: str, *rest: Any) -> Any:
        if api == "DescribeConfigs":
            waited.append(other_is_answered.wait(10))
        return response(api, *rest)

    monkeypatch.setattr("kafkafmt.serving.server.response", slow)
    asked = {"Resources": [{"ResourceType": TOPIC, "ResourceName": "cfg"}]}
    with (
        kafkafmt.serve(GOLDEN / "described" / "log-dir") as serving,
        Wire(serving.address) as first,
        Wire(serving.address) as second,
    ):
        first.send(request_frame("DescribeConfigs", 4, asked))
        second.ask("ApiVersions", {}, 2)
        other_is_answered.set()
        assert first.receive()
    assert waited == [True]


# Log directories


def sizes(answer: dict[str, Any]) -> dict[tuple[str, str, int, bool], int]:
    return {
        (Path(place["LogDir"]).name, topic["Name"], each["PartitionIndex"], each["IsFutureKey"]): each["PartitionSize"]
        for place in answer["Results"]
        for topic in place["Topics"]
        for each in topic["Partitions"]
    }


@pytest.fixture
def two_dirs(tmp_path: Path) -> Path:
    """Two log directories of a node: a partition in each, and one being moved from the first to the second."""
    log_dir = case("01-codecs-4.3.1").log_dir
    partitions = sorted(path for path in log_dir.iterdir() if path.is_dir() and not path.name.startswith("__"))[:2]
    for number, source in enumerate(partitions):
        shutil.copytree(source, tmp_path / f"d{number}" / source.name)
        shutil.copy(log_dir / "meta.properties", tmp_path / f"d{number}")
    future = tmp_path / "d1" / f"{partitions[0].name}.{'0' * 32}-future"
    future.mkdir()
    (future / f"{0:020}.log").write_bytes(b"")
    return tmp_path


def test_log_directories_have_the_bytes_of_segments(two_dirs: Path) -> None:
    with served(two_dirs / "d0", two_dirs / "d1") as wire:
        every = wire.ask("DescribeLogDirs", {"Topics": None})
        found = sizes(every)
        names = [path.name for path in sorted(two_dirs.glob("d?/*-0")) if not path.name.endswith("-future")]
        for (directory, topic, partition, is_future), size in found.items():
            path = two_dirs / directory / f"{topic}-{partition}"
            expected = 0 if is_future else sum(log.stat().st_size for log in path.glob("*.log"))
            assert size == expected
        assert len(found) == len(names) + 1
        assert [each["LogDir"] for each in every["Results"]] == [str(two_dirs / "d0"), str(two_dirs / "d1")]
        assert all(each["TotalBytes"] >= each["UsableBytes"] > 0 for each in every["Results"])
        (moving,) = [key for key in found if key[3]]
        lag = [
            each["OffsetLag"]
            for place in every["Results"]
            for topic in place["Topics"]
            for each in topic["Partitions"]
            if each["IsFutureKey"]
        ]
        end = wire.ask(
            "ListOffsets", {"Topics": [{"Name": moving[1], "Partitions": [{"PartitionIndex": 0, "Timestamp": -1}]}]}
        )
        assert lag == [end["Topics"][0]["Partitions"][0]["Offset"]]
        # A filter keeps all directories, but only the named partitions.
        only = wire.ask("DescribeLogDirs", {"Topics": [{"Topic": moving[1], "Partitions": [0, 9]}]})
        assert {key[1] for key in sizes(only)} == {moving[1]}
        assert len(only["Results"]) == 2
        nothing = wire.ask("DescribeLogDirs", {"Topics": []})
        assert [each["Topics"] for each in nothing["Results"]] == [[], []]


def test_sizes_of_a_tiered_log_are_those_of_its_local_segments() -> None:
    tiered = tier_case(1)
    with served(tiered.tier, tiered.log_dir) as wire:
        found = sizes(wire.ask("DescribeLogDirs", {"Topics": None}))
    assert found
    for (directory, topic, partition, _), size in found.items():
        assert directory == "log-dir"
        assert size == sum(log.stat().st_size for log in (tiered.log_dir / f"{topic}-{partition}").glob("*.log"))
    with served(tiered.tier) as wire:
        answer = wire.ask("DescribeLogDirs", {"Topics": None})
    assert [each["LogDir"] for each in answer["Results"]] == [str(tiered.tier)]
    assert {each["Name"] for each in answer["Results"][0]["Topics"]} == {
        "audit_log",
        "codec-mix-1-2",
        "orders",
        "payments.v1",
    }


def test_directory_that_cannot_be_read_is_offline(two_dirs: Path) -> None:
    broker = broker_of(two_dirs / "d0", two_dirs / "d1")
    shutil.rmtree(two_dirs / "d0")
    answer = asyncio.run(log_dirs.describe_log_dirs(broker, request("DescribeLogDirs", {"Topics": None})))
    first, second = answer["Results"]
    assert (first["LogDir"], first["ErrorCode"]) == (str(two_dirs / "d0"), ErrorCode.KAFKA_STORAGE_ERROR)
    assert second.get("ErrorCode", 0) == 0
    assert len(second["Topics"]) == 2


def broker_of(*paths: Path) -> Broker:
    return Broker(ServedDisks(kafkafmt.open(list(paths)), ServeOptions()))


def request(api: str, body: dict[str, Any], principal: str | None = None) -> Request:
    return Request(api, 0, body, Client("127.0.0.1", 1, "127.0.0.1", 2, principal=principal))


def test_cordoned_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = broker_of(GOLDEN / "described" / "log-dir")
    cluster = broker.disks.cluster
    assert cluster is not None
    directory = cluster.brokers[1].log_dirs[0]
    for cordoned in ((directory,), (), None):
        node = replace(cluster.brokers[1], cordoned_log_dirs=cordoned)
        monkeypatch.setattr(ServedDisks, "cluster", replace(cluster, brokers={1: node}))
        answer = asyncio.run(log_dirs.describe_log_dirs(broker, request("DescribeLogDirs", {"Topics": None})))
        assert [each["IsCordoned"] for each in answer["Results"]] == [bool(cordoned)]


def test_reassignments_are_those_that_have_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = broker_of(GOLDEN / "described" / "log-dir")
    cluster = broker.disks.cluster
    assert cluster is not None
    topic = cluster.topics["cfg"]
    moving = replace(topic.partitions[1], replicas=(1, 2, 3), adding_replicas=(3,), removing_replicas=(1,))
    topics = {"cfg": replace(topic, partitions={**topic.partitions, 1: moving})}
    monkeypatch.setattr(ServedDisks, "cluster", replace(cluster, topics=topics))

    def asked(topics: list[dict[str, Any]] | None) -> Any:
        body = {"TimeoutMs": 1, "Topics": topics}
        given = request("ListPartitionReassignments", body)
        return asyncio.run(reassignments.list_partition_reassignments(broker, given))["Topics"]

    expected = {"PartitionIndex": 1, "Replicas": (1, 2, 3), "AddingReplicas": (3,), "RemovingReplicas": (1,)}
    assert asked(None) == [{"Name": "cfg", "Partitions": [expected]}]
    assert asked([{"Name": "cfg", "PartitionIndexes": [0, 1, 9]}]) == [{"Name": "cfg", "Partitions": [expected]}]
    assert asked([{"Name": "cfg", "PartitionIndexes": [0]}, {"Name": "nobody", "PartitionIndexes": [1]}]) == []


def test_delegation_tokens_are_given_to_nobody() -> None:
    broker = broker_of(GOLDEN / "described" / "log-dir")
    for principal, expected in (
        (None, ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED),
        ("User:alice", ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED),
    ):
        given = request("DescribeDelegationToken", {"Owners": None}, principal)
        assert asyncio.run(credentials.describe_delegation_token(broker, given)) == {"ErrorCode": expected}
