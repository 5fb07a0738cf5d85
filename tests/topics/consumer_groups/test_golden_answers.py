"""Golden answers: the groups on a stopped broker's disk equal those reported by AdminClient while it ran."""

import gzip
import json
import re
from collections import defaultdict
from typing import Any

import pytest

import kafkafmt.topics
from kafkafmt.topics.consumer_groups import CommittedOffset, Group, Member
from tests.golden_cases import Case, cases
from tests.topics.golden_dumps import dumped

ASKED = [case for case in cases("modern") if case.has("offsets.json")]
DECODED = [case for case in cases("modern") if case.has("dump-offsets.txt")]
LEGACY = [case for case in cases("legacy") if case.has("offsets-decoder.txt") and "consumer-offsets" in case.name]

# Offline, the coordinator is the broker that leads the partition of __consumer_offsets.
NOT_ON_DISK = ("coordinator",)


def as_admin_client(group: Group) -> dict[str, Any]:
    """A group in the form of offsets.json."""
    return {
        "groupId": group.group_id,
        "isSimpleConsumerGroup": group.is_simple,
        "type": group.type,
        "state": group.state,
        "partitionAssignor": group.protocol,
        "members": [_member(each) for each in group.members],
        "offsets": [_offset(each) for each in group.offsets],
    }


def _member(member: Member) -> dict[str, Any]:
    return {
        "memberId": member.member_id,
        "clientId": member.client_id,
        "host": member.host,
        "groupInstanceId": member.group_instance_id,
        "assignment": [f"{each.topic}-{number}" for each in member.assignment for number in each.partitions],
    }


def _offset(offset: CommittedOffset) -> dict[str, Any]:
    return {
        "topic": offset.topic,
        "partition": offset.partition,
        "offset": offset.offset,
        "metadata": offset.metadata,
        "leaderEpoch": offset.leader_epoch,
    }


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_every_group_is_as_admin_client_described_it(case: Case) -> None:
    found = kafkafmt.topics.groups(case.log_dir)
    answers = json.loads((case.expected / "offsets.json").read_text())["groups"]
    for answer in answers:
        expected = {name: value for name, value in answer.items() if name not in NOT_ON_DISK}
        ours = as_admin_client(found[answer["groupId"]])
        for group in (ours, expected):
            group["members"] = sorted(group["members"], key=lambda member: str(member["memberId"]))
        assert ours == expected
    # AdminClient.describeConsumerGroups, which was used, knows neither share nor streams groups.
    others = {group.group_id: group.type for group in found if group.type in ("Classic", "Consumer")}
    assert set(others) == {answer["groupId"] for answer in answers}
    assert not found.errors
    assert not found.damage


@pytest.mark.parametrize("case", DECODED, ids=str)
def test_offsets_are_those_that_kafka_decoded_and_a_simple_replay_keeps(case: Case) -> None:
    standing: dict[tuple[str, str, int], tuple[Any, ...]] = {}
    pending: dict[int, dict[tuple[str, str, int], tuple[Any, ...]]] = defaultdict(dict)
    values = {(each.file, each.offset): each for each in dumped(case, "dump-offsets.txt")}
    producers = {(each["file"], each["position"]): each["producerId"] for each in case.jsonl("batches.jsonl")}
    for record in case.jsonl("records.jsonl"):
        if "__consumer_offsets" not in record["file"]:
            continue
        producer = producers[record["file"], record["position"]]
        if record.get("controlType"):
            ended = pending.pop(producer, {})
            standing.update(ended if record["controlType"] == "COMMIT" else {})
            continue
        each = values[record["file"], record["offset"]]
        if each.type != "1":
            continue
        assert each.key is not None
        key = each.key["group"], each.key["topic"], each.key["partition"]
        if each.value is None:
            standing.pop(key)
        else:
            fields = each.value
            row = (
                *(fields["offset"], fields["metadata"], fields["commitTimestamp"], fields.get("expireTimestamp")),
                *(fields.get("topicId"), fields.get("leaderEpoch", -1), record["offset"]),
            )
            (pending[producer] if producer >= 0 else standing)[key] = row
    found = kafkafmt.topics.groups(case.log_dir)
    ours = {
        (group.group_id, each.topic, each.partition): (
            *(each.offset, each.metadata, each.commit_timestamp, each.expire_timestamp),
            *(each.topic_id, -1 if each.leader_epoch is None else each.leader_epoch, each.record_offset),
        )
        for group in found
        if group.type != "Share"
        for each in group.offsets
    }
    assert ours == standing
    open_ones = {
        (group.group_id, each.topic, each.partition): each.record_offset
        for group in found
        for each in group.pending_offsets
    }
    assert open_ones == {key: row[-1] for offsets in pending.values() for key, row in offsets.items()}


_LEGACY_RECORD = re.compile(r"\|? ?offset: \d+ .*[Kk]ey: (\S+) payload: (.*)")
_LEGACY_TOMBSTONE = re.compile(r"offset: .* payloadsize: -1 .* keysize: (\d+)")
_METADATA = re.compile(r'(?:(?:group_)?metadata::(?:group=)?|\{"metadata":")([^"]*)(?:"\})?')
_OFFSET = re.compile(r"offset(?:_commit)?::(?:group=)?([^:,]+)[:,](?:partition=)?(.+)[-:](\d+)")
_COMMITTED = re.compile(r"(?:\[OffsetMetadata\[|offset=)?(\d+)(?:,NO_METADATA|,metadata=|,|:)?(.*?)(?:\].*)?")


@pytest.mark.parametrize("case", LEGACY, ids=str)
def test_offsets_of_old_brokers_are_those_that_their_own_tool_decoded(case: Case) -> None:
    standing, described = legacy_state(case)
    assert standing
    found = kafkafmt.topics.groups(case.log_dir)
    ours = {
        (group.group_id, each.topic, each.partition): (each.offset, each.metadata)
        for group in found
        for each in group.offsets
    }
    assert ours == standing
    assert {group.group_id for group in found} == {key[0] for key in standing}
    # Assignments are printed as {member=[topic-partition]}; that consumer was halted and did not leave.
    stable = {group_id for group_id, text in described.items() if "=[" in text}
    assert {group.group_id for group in found if group.state == "Stable"} == stable
    assert {group.group_id for group in found if group.state == "Empty"} == {key[0] for key in standing} - stable
    for group in found:
        for member in group.members:
            assert f"{member.member_id}=[data-0]" in described[group.group_id]
            assert [(each.topic, each.partitions) for each in member.assignment] == [("data", (0,))]
            assert member.subscribed_topics == ("data",)
    assert not found.errors


def legacy_state(case: Case) -> tuple[dict[tuple[str, str, int], tuple[int, str]], dict[str, str]]:
    """The state left by the records that the tool printed: offsets and metadata, and the last text of each group."""
    text = gzip.decompress((case.expected / "offsets-decoder.txt.gz").read_bytes()).decode()
    standing: dict[tuple[str, str, int], tuple[int, str]] = {}
    groups: dict[str, str] = {}
    for line in text.split("\n"):
        tombstone = _LEGACY_TOMBSTONE.fullmatch(line)
        if tombstone:
            # These tools do not print a tombstone's key; its size identifies the group (after type and length).
            groups = {name: text for name, text in groups.items() if len(name) + 4 != int(tombstone[1])}
        record = _LEGACY_RECORD.fullmatch(line)
        if record is None:
            continue
        key, payload = record.groups()
        metadata, offset = _METADATA.fullmatch(key), _OFFSET.fullmatch(key)
        if metadata:
            groups[metadata[1]] = payload
        elif offset:
            committed = _COMMITTED.fullmatch(payload)
            assert committed, payload
            standing[offset[1], offset[2], int(offset[3])] = int(committed[1]), committed[2]
    return standing, groups
