"""Differences between two states."""

from pathlib import Path

import pytest

from kafkafmt.topics.cluster_metadata import metadata
from kafkafmt.topics.cluster_metadata.difference import DIFFERENCE, Change, differences, to_table
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID, record


def quota(value: float, name: str | None) -> bytes:
    entity = [{"entityType": "user", "entityName": name}]
    return record("ClientQuotaRecord", entity=entity, key="producer_byte_rate", value=value, remove=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of ten records up to offset 9, and changes after it."""
    acl = record(
        "AccessControlEntryRecord",
        id=TOPIC_ID,
        resourceType=2,
        resourceName="orders",
        patternType=3,
        principal="User:bob",
        host="*",
        operation=4,
        permissionType=2,
    )
    written.node(
        tmp_path,
        1,
        written.batch(
            0,
            written.topic(),
            written.partition(),
            written.topic("gone", OTHER_ID),
            written.broker(),
            written.config("retention.ms", "1"),
            quota(1.0, None),
            acl,
            written.token(),
            written.credential(),
            record("FeatureLevelRecord", name="metadata.version", featureLevel=29),
        ),
        written.batch(
            10,
            written.change(isr=[1]),
            record("RemoveTopicRecord", topicId=OTHER_ID),
            written.topic("new", OTHER_ID[:-1] + "g"),
            record("UnfenceBrokerRecord", id=1, epoch=10),
            written.config("retention.ms", "2"),
            written.config("min.insync.replicas", "2", kind=4, resource=""),
            quota(2.0, None),
            quota(3.0, "bob"),
            record("RemoveAccessControlEntryRecord", id=TOPIC_ID),
            record("RemoveDelegationTokenRecord", tokenId="a-token-id"),
            written.credential("eve"),
            record("FeatureLevelRecord", name="metadata.version", featureLevel=30),
            record("ProducerIdsRecord", brokerId=1, brokerEpoch=1, nextProducerId=1000),
            record(
                "RegisterControllerRecord",
                controllerId=9,
                incarnationId=OTHER_ID,
                zkMigrationReady=False,
                endPoints=[],
                features=[],
            ),
        ),
    )
    return tmp_path


def test_what_was_added_removed_and_changed(path: Path) -> None:
    changes = differences(metadata(path, at_offset=10), metadata(path))
    assert changes == [
        Change("topics", "removed", "gone"),
        Change("topics", "added", "new", None, None, f"0 partitions, replication factor 0, id {OTHER_ID[:-1]}g"),
        Change("partitions", "changed", "orders-0", "partitionEpoch", "7", "8"),
        Change("partitions", "changed", "orders-0", "isr", "[1, 2, 3]", "[1]"),
        Change("brokers", "changed", "1", "fenced", "true", "false"),
        Change("controllers", "added", "9"),
        Change("features", "changed", "metadata.version", "level", "29", "30"),
        Change("features", "changed", "metadata.version", "name", "4.2-IV1", "4.3-IV0"),
        Change("configs", "added", "BROKER default min.insync.replicas", None, None, "2"),
        Change("configs", "changed", "TOPIC orders retention.ms", "value", "1", "2"),
        Change("quotas", "changed", "user <default> producer_byte_rate", "value", "1.0", "2.0"),
        Change("quotas", "added", "user bob producer_byte_rate", None, None, "3.0"),
        Change("acls", "removed", "DENY User:bob WRITE on LITERAL TOPIC orders from *"),
        Change("scram", "added", "eve SCRAM-SHA-256"),
        Change("tokens", "removed", "of User:alice issued 1"),
        Change("cluster", "changed", "cluster", "nextProducerId", None, "1000"),
    ]
    assert to_table(changes).schema == DIFFERENCE.schema
    assert to_table(changes).num_rows == len(changes)
    back = differences(metadata(path), metadata(path, at_offset=10))
    assert sorted(change.change for change in back) == sorted(
        {"added": "removed", "removed": "added"}.get(change.change, change.change) for change in changes
    )


def test_nothing_changed(path: Path) -> None:
    assert differences(metadata(path), metadata(path)) == []
    assert to_table([]).num_rows == 0


def test_sections_are_chosen(path: Path) -> None:
    before, after = metadata(path, at_offset=10, show_secrets=True), metadata(path, show_secrets=True)
    assert {change.section for change in differences(before, after, ["brokers", "acls"])} == {"brokers", "acls"}
    (token,) = differences(before, after, ["tokens"])
    assert token.key == "a-token-id of User:alice"
    (partition,) = differences(metadata(path, at_offset=1), metadata(path, at_offset=2), ["partitions"])
    assert partition.after == "leader 1, replicas [1, 2, 3], isr [1, 2, 3]"
    (feature,) = differences(metadata(path, at_offset=9), metadata(path, at_offset=10), ["features"])
    assert (feature.change, feature.after) == ("added", "29")
    with pytest.raises(ValueError, match="no section 'x'"):
        differences(before, after, ["x"])
