"""Every record of every internal topic in the golden cases decodes to the output of Kafka's own decoders."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest

from kafkafmt.internal_topics import INTERNAL_TOPICS
from kafkafmt.reference.messages import coordinator_records
from kafkafmt.topics import tables
from kafkafmt.topics.decoding import KINDS
from tests.golden_cases import Case, cases
from tests.topics.golden_dumps import DUMPS, dumped, dumps

NEVER_SEEN = {
    "AbortTransactionRecord",
    "DelegationTokenRecord",
    "FenceBrokerRecord",
    "RemoteLogSegmentMetadataRecord",
    "RemoteLogSegmentMetadataSnapshotRecord",
    "RemoteLogSegmentMetadataUpdateRecord",
    "RemotePartitionDeleteMetadataRecord",
    "RemoveDelegationTokenRecord",
    "UnfenceBrokerRecord",
    "UnregisterBrokerRecord",
    "UnregisterControllerRecord",
}
"""Kinds without a golden case; the decoder's tests compare them with messages from Kafka's own classes."""


def internal(case: Case) -> list[str]:
    """Internal topics of a case."""
    names = {path.parent.name.rpartition("-")[0] for path in case.files("*.log*")}
    return sorted(INTERNAL_TOPICS & names)


@pytest.mark.parametrize("case", [each for each in cases() if internal(each)], ids=str)
def test_every_record_of_internal_topics_decodes(case: Case) -> None:
    for topic in internal(case):
        logs = [path for path in case.files("*.log", "*.checkpoint") if path.parent.name.rpartition("-")[0] == topic]
        decoded = tables.read([*logs], topic, control_records=True, on_damage="skip")
        table = decoded.to_table()
        assert [error for error in table["error"].to_pylist() if error] == []
        assert None not in table["kind"].to_pylist()
        assert decoded.notes == ()


def test_golden_cases_hold_all_kinds_but_these() -> None:
    seen = set()
    for case in cases():
        for topic in internal(case):
            logs = [path for path in case.files("*.log", "*.checkpoint") if path.parent.name.startswith(topic)]
            seen |= set(tables.read([*logs], topic, columns=["kind"], on_damage="skip").to_table()["kind"].to_pylist())
    assert {kind.name for kind in KINDS} - seen == NEVER_SEEN


@pytest.mark.parametrize(("case", "name"), dumps(), ids=str)
def test_topics_as_json_are_what_kafka_printed(case: Case, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.log_dir)
    expected = {(each.file, each.offset): each for each in dumped(case, name)}
    table = tables.read(sorted({file for file, _ in expected}), DUMPS[name], on_damage="skip").to_table()
    found = {(row["file"], row["offset"]): row for row in table.to_pylist()}
    only = next(iter({file for file, _ in expected})) if len({file for file, _ in expected}) == 1 else None
    if only is not None:
        found = {(only, offset): row for (_, offset), row in found.items()}
    assert found.keys() == expected.keys()
    for place, row in found.items():
        kafka = expected[place]
        assert [row["kind"] if row["key"] is None else str(row["type"])] == [_kind(kafka.type)]
        assert (row["key"] and json.loads(row["key"])) == kafka.key
        assert row["valueVersion"] == kafka.version
        assert _with_protocol(row["value"] and json.loads(row["value"])) == kafka.value


@pytest.mark.parametrize(("case", "name"), dumps(), ids=str)
def test_kinds_as_structs_are_what_kafka_printed(case: Case, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case.log_dir)
    expected = list(dumped(case, name))
    files = sorted({each.file for each in expected})
    left = len(expected)
    for kind in KINDS:
        kafka = [each for each in expected if _kind(each.type) in (kind.name, str(kind.type))]
        if kind.topic != DUMPS[name] or not kafka:
            continue
        rows = tables.read(files, kind.name).to_table().to_pylist()
        order = {file: number for number, file in enumerate(files)}
        rows.sort(key=lambda row: (order.get(row["file"], 0), row["offset"]))
        kafka.sort(key=lambda each: (order[each.file], each.offset))
        assert [row["offset"] for row in rows] == [each.offset for each in kafka]
        for row, each in zip(rows, kafka, strict=True):
            assert row.get("key") == each.key
            assert row["valueVersion"] == each.version
            assert _without_nulls(_with_protocol(row.get("value"))) == _without_nulls(each.value or None)
            left -= 1
    assert left == 0


def _kind(type_in_dump: str) -> str:
    """The kind of a metadata record by its type name, such as TOPIC_RECORD; the type of a key unchanged."""
    if type_in_dump.isdigit():
        return type_in_dump
    return "".join(word.capitalize() for word in type_in_dump.split("_"))


def _without_nulls(value: Any) -> Any:
    """The value with bytes as base64, without null fields: a struct also has fields that a version lacks."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value


def _with_protocol(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """Members of a group with their subscription and assignment decoded, as Kafka prints them."""
    for member in (value or {}).get("members", []):
        for name, decode in (
            ("subscription", coordinator_records.decode_subscription),
            ("assignment", coordinator_records.decode_assignment),
        ):
            stored = member[name]
            payload = b64decode(stored) if isinstance(stored, str) else stored
            member[name] = json.loads(decode(payload).to_json()) if payload else payload
    return value
