"""Rules about the lines of decoded records of internal topics: how kafkafmt's may differ from those of Kafka's tool."""

import json
import re
from base64 import b64decode
from typing import Any

RULES_OF_RECORDS = {
    "why skipped": "the text after `skipping.` of a record that a decoder cannot read: Kafka's own, and ours",
    "newer version": "Kafka reads a metadata record of a later version as its latest one: we refuse it",
    "tagged field": "Kafka does not look how long a tagged field says to be: we go by that, and miss what is too short",
    "default": "Kafka leaves out a tagged field that holds its default value: we print the stored value",
    "protocol": "Kafka's tool reads some unknown versions of what consumers sent: we read all later ones",
}

_SKIPPED = re.compile(r"(?P<until>(?P<record>\|.*?) (?:key|payload): Error at .*? skipping\.) .*")
_NEWER_VERSION = " of an unknown version"
_WRONG_LENGTH = "the data ends before its declared size"
_PAYLOAD = " payload: {"
_GARBAGE = re.compile(r"(?P<record>\|.*?) payload: Error at .* skipping\. Found [0-9]+ byte\(s\) of garbage after .*")
_SENT = ("subscription", "assignment")
_KNOWN_PROTOCOLS = range(4)


def rule_of(kafka: str, ours: str) -> str | None:
    """Name the rule by which two lines about the same record may differ; None if they may not."""
    skipped = _SKIPPED.fullmatch(ours)
    if skipped is None:
        garbage = _GARBAGE.fullmatch(kafka)
        if garbage and ours.startswith(garbage["record"] + _PAYLOAD):
            return "tagged field"
        return _rule_of_values(kafka, ours)
    if kafka.startswith(skipped["until"]):
        return "why skipped"
    if not kafka.startswith((f"{skipped['record']} key: {{", f"{skipped['record']} payload: ")):
        return None
    if _NEWER_VERSION in ours and kafka.startswith(skipped["record"] + _PAYLOAD):
        return "newer version"
    return "tagged field" if _WRONG_LENGTH in ours else None


def _rule_of_values(kafka: str, ours: str) -> str | None:
    before, _, theirs = kafka.partition(_PAYLOAD)
    own_before, _, own = ours.partition(_PAYLOAD)
    if before != own_before or not theirs or not own:
        return None
    value, own_value = json.loads("{" + theirs), json.loads("{" + own)
    if value == own_value:
        return None  # they differ in order or spaces
    data, own_data = value["data"], own_value["data"]
    added = {name: own_data[name] for name in own_data.keys() - data.keys()}
    if added and own_data == data | added and not any(added.values()):
        return "default"
    return "protocol" if _with_our_protocols(value, own_value) == own_value else None


def _with_our_protocols(value: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """A value as Kafka prints it, with kafkafmt's text for data of members in an unknown version."""
    members = []
    for member, own_member in zip(value["data"].get("members", []), own["data"].get("members", []), strict=False):
        ours = {field: own_member[field] for field in _SENT if _is_unknown(member.get(field), own_member.get(field))}
        members.append(member | ours)
    return value | {"data": value["data"] | {"members": members}}


def _is_unknown(theirs: object, own: object) -> bool:
    """Whether one of the two is decoded and the other is base64 of an unknown version."""
    stored = theirs if isinstance(theirs, str) else own
    if not isinstance(stored, str) or theirs == own:
        return False
    return int.from_bytes(b64decode(stored)[:2], "big", signed=True) not in _KNOWN_PROTOCOLS
