"""Every record of internal topics that brokers from 0.8.2 on wrote is read, and is of the kinds and versions it has."""

import base64
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kafkafmt.internal_topics import CLUSTER_METADATA, CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from kafkafmt.reference.messages import coordinator_records, framed_records
from tests.golden_cases import cases


def records() -> Iterator[tuple[str, str, bytes | None, bytes | None]]:
    """Case, topic, key and value of each record of an internal topic, but of control records."""
    for case in cases():
        for row in case.jsonl("records.jsonl"):
            topic = Path(row["file"]).parent.name.rpartition("-")[0]
            if topic.startswith("__") and "controlType" not in row:
                yield case.name, topic, decoded(row["key"]), decoded(row["value"])


def decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def kinds(topic: str) -> Counter[Any]:
    """Count the kinds and versions of records of a topic; None is a tombstone."""
    found: Counter[Any] = Counter()
    for _, where, key, value in records():
        if where == topic:
            assert key is not None
            about = coordinator_records.decode_key(topic, key)
            message = coordinator_records.decode_value(topic, about.type, value)
            found[about.kind, message and message.version] += 1
    return found


def test_consumer_offsets() -> None:
    found = kinds(CONSUMER_OFFSETS)
    assert {version for kind, version in found if kind == "OffsetCommit"} == {None, 1, 2, 3, 4}
    assert {version for kind, version in found if kind == "GroupMetadata"} == {None, 0, 1, 2, 3}
    assert found["LegacyOffsetCommit", 0] == 36
    assert {kind for kind, _ in found} == set(coordinator_records.KINDS[CONSUMER_OFFSETS].values())


def test_transaction_state() -> None:
    assert set(kinds(TRANSACTION_STATE)) == {("TransactionLog", version) for version in (None, 0, 1)}


def test_share_group_state() -> None:
    assert set(kinds(SHARE_GROUP_STATE)) == {("ShareSnapshot", 0), ("ShareUpdate", 0)}


def test_cluster_metadata() -> None:
    found: Counter[Any] = Counter()
    for _, topic, key, value in records():
        if topic == CLUSTER_METADATA:
            assert key is None
            assert value is not None
            record = framed_records.decode(CLUSTER_METADATA, value)
            found[record.type, record.message.version] += 1
    assert len(found) == 25
    assert {version for name, version in found if name == "PARTITION_CHANGE_RECORD"} == {1, 2}
