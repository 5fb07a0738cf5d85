"""Rewords our JSON of internal records as the decoders of older releases print them.

All their output is compared. They omit:

- 3.9.1 of transactions: versions of key and value, and the start time of a transaction; they print the name of its
state.
- up to 2.4 of committed offsets: versions, leader epoch, commit and expire timestamps.
- up to 2.4 of groups: versions, leader, time of the last state change, and all member fields but id and assignment.
- up to 0.11 of groups without members: the protocol type.
- up to 1.1 of tombstones: keys.
"""

import json
import re
from typing import Any

from tests.cli.dump.older_wordings import Reword, as_it_is

_STATES = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
_PARTITIONS = re.compile(rb"(?<=,partitions=\[)[^\]]+(?=\])")
_DELETED = "<DELETE>"


def rewording(version: str, golden_name: str) -> Reword:
    """Choose the function that rewords our text of a record as in a release's golden dump."""
    if golden_name.startswith("dump-transactions"):
        return transactions_of_3_9
    return _OFFSETS.get(version, as_it_is)


def in_any_order(text: bytes) -> bytes:
    """Sort the partitions of a transaction: 3.9 prints them in the order of a hash map."""
    return _PARTITIONS.sub(lambda match: b",".join(sorted(match[0].split(b","))), text)


def transactions_of_3_9(contents: bytes) -> bytes:
    """`key: transaction_metadata::transactionalId=... payload: producerId:...,producerEpoch:...,state=...`."""
    key, value = _parsed(contents)
    said = _DELETED
    if value is not None:
        partitions = [
            f"{topic['topic']}-{partition}"
            for topic in value["transactionPartitions"] or []
            for partition in topic["partitionIds"]
        ]
        said = (
            f"producerId:{value['producerId']},producerEpoch:{value['producerEpoch']},"
            f"state={_STATES[value['transactionStatus']]},partitions=[{','.join(partitions)}],"
            f"txnLastUpdateTimestamp={value['transactionLastUpdateTimestampMs']},"
            f"txnTimeoutMs={value['transactionTimeoutMs']}"
        )
    return in_any_order(
        f" key: transaction_metadata::transactionalId={key['transactionalId']} payload: {said}".encode()
    )


def _offsets_up_to_0_11(contents: bytes) -> bytes:
    """`key: offset::group:topic:0 payload: 1:metadata` and `key: metadata::group payload: type:protocol:1:{...}`."""
    key, value = _parsed(contents)
    if value is None:
        return b""
    if "topic" in key:
        return _offset_up_to_1_1(key, value)
    said = f"{_protocol_type(value)}:{_or_null(value['protocol'])}:{value['generation']}:{_assignments(value)}"
    return f" key: metadata::{key['group']} payload: {said}".encode()


def _offsets_of_1_1(contents: bytes) -> bytes:
    """Groups in JSON, offsets as before."""
    key, value = _parsed(contents)
    if value is None:
        return b""
    if "topic" in key:
        return _offset_up_to_1_1(key, value)
    name = json.dumps({"metadata": key["group"]}, separators=(",", ":"))
    return f" key: {name} payload: {_group_in_json(value)}".encode()


def _offsets_of_2_4(contents: bytes) -> bytes:
    """`key: offset_commit::group=...,partition=topic-0 payload: offset=1,metadata=...`, groups in JSON."""
    key, value = _parsed(contents)
    if "topic" in key:
        name = f"offset_commit::group={key['group']},partition={key['topic']}-{key['partition']}"
        said = _DELETED
        if value is not None:
            said = f"offset={value['offset']}" + (f",metadata={value['metadata']}" if value["metadata"] else "")
    else:
        name = f"group_metadata::group={key['group']}"
        said = _DELETED if value is None else _group_in_json(value)
    return f" key: {name} payload: {said}".encode()


def _parsed(contents: bytes) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The data of key and value; None of a tombstone."""
    text = contents.decode()
    assert text.startswith(" key: ")
    key, end = json.JSONDecoder().raw_decode(text, len(" key: "))
    payload = text[end:].removeprefix(" payload: ")
    return key["data"], None if payload == _DELETED else json.loads(payload)["data"]


def _offset_up_to_1_1(key: dict[str, Any], value: dict[str, Any]) -> bytes:
    metadata = f":{value['metadata']}" if value["metadata"] else ""
    return (
        f" key: offset::{key['group']}:{key['topic']}:{key['partition']} payload: {value['offset']}{metadata}".encode()
    )


def _group_in_json(value: dict[str, Any]) -> str:
    said = {
        "protocolType": value["protocolType"],
        "protocol": value["protocol"],
        "generationId": value["generation"],
        "assignment": _assignments(value),
    }
    return json.dumps(said, separators=(",", ":"))


def _assignments(value: dict[str, Any]) -> str:
    assignments = []
    for member in value["members"]:
        partitions = [
            f"{topic['topic']}-{partition}"
            for topic in member["assignment"]["assignedPartitions"]
            for partition in topic["partitions"]
        ]
        assignments.append(f"{member['memberId']}=[{', '.join(partitions)}]")
    return "{" + ",".join(assignments) + "}"


def _protocol_type(value: dict[str, Any]) -> str:
    return str(value["protocolType"]) if value["members"] else ""


def _or_null(text: str | None) -> str:
    return "null" if text is None else text


_OFFSETS: dict[str, Reword] = {
    "0.9.0.1": _offsets_up_to_0_11,
    "0.10.0.1": _offsets_up_to_0_11,
    "0.10.2.2": _offsets_up_to_0_11,
    "0.11.0.3": _offsets_up_to_0_11,
    "1.1.1": _offsets_of_1_1,
    "2.4.1": _offsets_of_2_4,
}
