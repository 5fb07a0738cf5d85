"""Groups in the terms that Kafka's coordinator and kafkafmt share."""

from collections.abc import Iterable
from typing import Any

from kafkafmt.topics.consumer_groups import Group, Groups, Member, TopicPartitions

_LEFT = -1


def kafkas(groups: list[dict[str, Any]]) -> dict[str, Any]:
    """Groups by GroupsJudge, by id."""
    return {each["id"]: _comparable(each) for each in groups}


def ours(found: Groups) -> dict[str, Any]:
    """Groups by kafkafmt, by id."""
    return {group.group_id: _comparable(_group(group)) for group in found}


def _comparable(group: dict[str, Any]) -> dict[str, Any]:
    for member in group["members"]:
        # Left out: members that left, and streams members whose records are incomplete.
        if member.get("epoch") in (_LEFT, None):
            member.pop("state", None)
        if group["type"].lower() == "streams":
            member["client"] = member["client"] or ""
            member["epoch"] = member["epoch"] or 0
            if member["epoch"] <= 0:
                member.pop("state", None)
    members = sorted(group["members"], key=lambda member: str(member["id"]))
    return {**group, "type": group["type"].lower(), "members": members}


def _group(group: Group) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": group.group_id,
        "type": group.type,
        "state": group.state,
        "protocolType": group.protocol_type,
        "epoch": group.epoch or 0,
        "members": [_member(group, member) for member in group.members],
    }
    if group.type != "Classic":
        told["assignmentEpoch"] = group.assignment_epoch
    if group.type in ("Consumer", "Share"):
        told["topics"] = list(group.subscribed_topics)
    if group.type == "Consumer":
        told["assignor"] = group.protocol
    if group.type == "Streams":
        told["topology"] = group.topology_epoch
    return told


def _member(group: Group, member: Member) -> dict[str, Any]:
    told: dict[str, Any] = {"id": member.member_id, "client": member.client_id}
    if group.type == "Streams":
        active = sorted(
            f"{each.subtopology_id}-{number}"
            for each in member.tasks
            if each.role == "active"
            for number in each.partitions
        )
        return {**told, "epoch": member.epoch, "state": member.state, "assigned": active}
    told["host"] = member.host
    if group.type == "Classic":
        timeouts = {"rebalance": member.rebalance_timeout_ms, "session": member.session_timeout_ms}
        return {**told, "instance": member.group_instance_id, **timeouts}
    told |= {"epoch": member.epoch, "target": _pairs(member.target_assignment)}
    if group.type == "Share":
        return {**told, "assigned": _pairs(member.assignment)}
    pending = _pairs(member.pending_revocation)
    return {
        **told,
        "instance": member.group_instance_id,
        "state": member.state,
        "classic": member.protocol == "classic",
        "assigned": sorted({*_pairs(member.assignment)} - {*pending}),
        "pending": pending,
    }


def _pairs(assigned: Iterable[TopicPartitions]) -> list[str]:
    return sorted(f"{each.topic_id}-{number}" for each in assigned for number in each.partitions)
