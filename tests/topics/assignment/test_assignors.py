"""kafkafmt.topics.assignment compared with Kafka's own assignors, for random groups and those of the golden cases.

`tools/judge assignment --groups 360 --seed 8 --vectors FILE` wrote the random ones.
"""

import base64
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics.assignment import (
    COORDINATOR_ASSIGNORS,
    PROTOCOLS,
    Assignment,
    Subscriber,
    assign,
    assign_by_coordinator,
)
from tests.golden_cases import Case, cases

VECTORS = Path(__file__).parent / "assigned_by_kafka.jsonl.gz"
COORDINATOR = "coordinator-"


def ours(question: dict[str, Any]) -> Assignment | None:
    """The assignment by kafkafmt; None if it says that Kafka's own assignor fails."""
    subscribers = [
        Subscriber(
            **member
            | {
                "owned_partitions": [(topic, partition) for topic, partition in member["owned_partitions"]],
                "user_data": None if member["user_data"] is None else base64.b64decode(member["user_data"]),
            }
        )
        for member in question["members"]
    ]
    protocol, partitions = question["protocol"], question["partitions"]
    try:
        if protocol.startswith(COORDINATOR):
            assignor = protocol.removeprefix(COORDINATOR)
            return assign_by_coordinator(assignor, subscribers, partitions, topic_ids=question["topic_ids"])
        racks = {(topic, partition): racks for topic, partition, racks in question["racks"]}
        return assign(protocol, subscribers, partitions, racks=racks)
    except kafkafmt.UnsupportedError:
        return None


def kafkas(question: dict[str, Any]) -> Assignment | None:
    if question["assigned"] is None:
        return None
    return {name: [(topic, number) for topic, number in given] for name, given in question["assigned"].items()}


@pytest.mark.slow
def test_random_groups_are_assigned_as_by_kafka() -> None:
    questions = [json.loads(line) for line in gzip.decompress(VECTORS.read_bytes()).splitlines()]
    wrong = [
        (number, question["protocol"])
        for number, question in enumerate(questions)
        if ours(question) != kafkas(question)
    ]
    assert wrong == []
    assignors = (*PROTOCOLS, *(f"{COORDINATOR}{name}" for name in COORDINATOR_ASSIGNORS))
    assert Counter(question["protocol"] for question in questions) == dict.fromkeys(assignors, 60)
    died = [question["protocol"] for question in questions if question["assigned"] is None]
    assert len(died) == 10
    assert set(died) == {"sticky", "cooperative-sticky", "coordinator-uniform"}


GROUPS = {  # how often an assignor's answer was stored, according to the scenario
    "modern-08-consumer-groups-3.9.1": {"range": 3, "roundrobin": 1, "sticky": 1, "cooperative-sticky": 1},
    "modern-08-consumer-groups-4.3.1": {"range": 3, "roundrobin": 1, "sticky": 1, "cooperative-sticky": 1},
    "legacy-consumer-offsets-0.9.0.1": {"range": 2},
    "legacy-consumer-offsets-2.4.1": {"range": 2},
}


@pytest.mark.parametrize("case", [case for case in cases() if str(case) in GROUPS], ids=str)
def test_what_golden_groups_were_given_is_what_their_assignors_give(case: Case) -> None:
    found: Counter[str] = Counter()
    counts = partition_counts(case)
    for group in stored_groups(case):
        subscribers, given = members(group)
        assert assign(group["protocol"], subscribers, counts) == given
        found[group["protocol"]] += 1
    assert found == GROUPS[str(case)]


def partition_counts(case: Case) -> dict[str, int]:
    counts: dict[str, int] = {}
    for log_dir in kafkafmt.open_log_dirs(str(case.log_dir)):
        for partition in log_dir.partitions:
            if partition.topic is not None and partition.partition is not None:
                counts[partition.topic] = max(counts.get(partition.topic, 0), partition.partition + 1)
    return counts


def stored_groups(case: Case) -> list[dict[str, Any]]:
    scan = kafkafmt.scan(str(case.log_dir), topics="__consumer_offsets", columns=["key", "value"])
    groups = []
    for row in scan.to_table().to_pylist():
        key = coordinator_records.decode_key("__consumer_offsets", row["key"])
        value = coordinator_records.decode_value("__consumer_offsets", key.type, row["value"])
        if key.kind == "GroupMetadata" and value is not None and value.data["members"] and value.data["protocol"]:
            groups.append(value.data)
    return groups


def members(group: dict[str, Any]) -> tuple[list[Subscriber], dict[str, list[tuple[str, int]]]]:
    subscribers, given = [], {}
    for member in group["members"]:
        subscription = coordinator_records.decode_subscription(member["subscription"]).data
        assignment = coordinator_records.decode_assignment(member["assignment"]).data
        given[member["memberId"]] = sorted(partitions(assignment["assignedPartitions"]))
        subscribers.append(
            Subscriber(
                member["memberId"],
                subscription["topics"],
                member.get("groupInstanceId"),
                subscription.get("rackId"),
                partitions(subscription.get("ownedPartitions", [])),
                subscription.get("generationId"),
                subscription["userData"],
            )
        )
    return subscribers, given


def partitions(by_topic: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(each["topic"], number) for each in by_topic for number in each["partitions"]]
