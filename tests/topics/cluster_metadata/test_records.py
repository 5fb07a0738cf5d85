"""The effect of each record on the state, with hand-made logs; Kafka's Delta classes are the model."""

from typing import Any

import pytest
from kafkafmt_specs.kafka_metadata_record import KafkaMetadataRecord

from kafkafmt.errors import UnsupportedError
from kafkafmt.topics.cluster_metadata import PartitionRegistration, replay
from kafkafmt.topics.cluster_metadata.topics import MIGRATING
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import (
    DIRECTORIES,
    ENDPOINT,
    OTHER_ID,
    TOPIC_ID,
    Make,
    change_of_broker,
    record,
)


def test_a_partition_is_what_its_record_says(made: Make) -> None:
    cluster = made(
        written.topic(),
        written.partition(
            3,
            removingReplicas=[1],
            addingReplicas=[4],
            leaderRecoveryState=1,
            directories=DIRECTORIES,
            eligibleLeaderReplicas=[2],
            lastKnownElr=[3],
        ),
    )
    assert cluster.topics["orders"].partitions[3] == PartitionRegistration(
        partition=3,
        replicas=(1, 2, 3),
        isr=(1, 2, 3),
        removing_replicas=(1,),
        adding_replicas=(4,),
        leader=1,
        leader_recovery_state="RECOVERING",
        leader_epoch=5,
        partition_epoch=7,
        elr=(2,),
        last_known_elr=(3,),
        directories=tuple(DIRECTORIES),
    )


def test_of_old_records_directories_and_elr_are_not_known(made: Make) -> None:
    old = record(
        "PartitionRecord",
        0,
        partitionId=0,
        topicId=TOPIC_ID,
        replicas=[1, 2],
        isr=[1],
        removingReplicas=[],
        addingReplicas=[],
        leader=1,
        leaderEpoch=0,
        partitionEpoch=0,
    )
    partition = made(written.topic(), old).topics["orders"].partitions[0]
    assert partition.directories == (MIGRATING, MIGRATING)
    assert partition.elr == partition.last_known_elr == ()
    assert partition.is_under_replicated


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"isr": [1]}, {"isr": (1,)}),
        ({"leader": 2}, {"leader": 2, "leader_epoch": 6}),
        ({"leader": 1}, {"leader": 1, "leader_epoch": 6}),
        ({"leader": -1}, {"leader": -1, "leader_epoch": 6}),
        ({"replicas": [3, 2, 1]}, {"replicas": (3, 2, 1)}),
        ({"replicas": [1, 2]}, {"replicas": (1, 2), "directories": (MIGRATING,) * 2}),
        ({"removingReplicas": [1], "addingReplicas": [4]}, {"removing_replicas": (1,), "adding_replicas": (4,)}),
        ({"leaderRecoveryState": 1}, {"leader_recovery_state": "RECOVERING"}),
        ({"eligibleLeaderReplicas": [2], "lastKnownElr": [3]}, {"elr": (2,), "last_known_elr": (3,)}),
        ({"directories": DIRECTORIES}, {"directories": tuple(DIRECTORIES)}),
        ({"directories": []}, {"directories": (MIGRATING,) * 3}),
    ],
    ids=lambda value: "-".join(map(str, value)),
)
def test_a_change_holds_what_is_new(made: Make, changed: dict[str, Any], expected: dict[str, Any]) -> None:
    before = made(written.topic(), written.partition()).topics["orders"].partitions[0]
    after = made(written.topic(), written.partition(), written.change(**changed)).topics["orders"].partitions[0]
    fields = PartitionRegistration.__slots__
    differences = {name: getattr(after, name) for name in fields if getattr(after, name) != getattr(before, name)}
    unchanged = {name: value for name, value in expected.items() if getattr(before, name) == value}
    assert {**differences, **unchanged} == {**expected, "partition_epoch": 8}


def test_epochs_wrap_as_those_of_java_do(made: Make) -> None:
    cluster = made(
        written.topic(), written.partition(leaderEpoch=2**31 - 1, partitionEpoch=2**31 - 1), written.change(leader=2)
    )
    partition = cluster.topics["orders"].partitions[0]
    assert (partition.leader_epoch, partition.partition_epoch) == (-(2**31), -(2**31))
    assert cluster.to_table("partitions").num_rows == 1


def test_a_removed_topic_takes_its_configs_along_and_may_come_again(made: Make) -> None:
    gone = [
        written.topic(),
        written.partition(),
        written.config("retention.ms", "1"),
        record("RemoveTopicRecord", topicId=TOPIC_ID),
    ]
    cluster = made(*gone)
    assert cluster.topics == {}
    assert cluster.configs == ()
    cluster = made(*gone, written.topic(topic_id=OTHER_ID))
    assert cluster.topics["orders"].id == OTHER_ID
    assert cluster.topics["orders"].partitions == {}
    assert cluster.topic_by_id(TOPIC_ID) is None


def test_of_two_topics_of_one_name_the_later_one_keeps_it(made: Make) -> None:
    cluster = made(written.topic(), written.topic(topic_id=OTHER_ID), record("RemoveTopicRecord", topicId=TOPIC_ID))
    assert [(topic.name, topic.id) for topic in cluster.topics.values()] == [("orders", OTHER_ID)]


def test_an_id_has_one_name(made: Make) -> None:
    cluster = made(written.topic("old"), written.partition(), written.topic("new"))
    assert [(topic.name, len(topic.partitions)) for topic in cluster.topics.values()] == [("new", 0)]


def test_the_elr_is_cleared_of_one_topic_or_all(made: Make) -> None:
    log = [
        written.topic(),
        written.topic("other", OTHER_ID),
        written.partition(eligibleLeaderReplicas=[2]),
        written.partition(1),
        written.partition(topic_id=OTHER_ID, lastKnownElr=[3]),
    ]
    cluster = made(*log, record("ClearElrRecord", topicName="orders"))
    orders, other = cluster.topics["orders"].partitions, cluster.topics["other"].partitions
    assert (orders[0].elr, orders[0].partition_epoch, orders[1].partition_epoch) == ((), 8, 7)
    assert (other[0].last_known_elr, other[0].partition_epoch) == ((3,), 7)
    cluster = made(*log, record("ClearElrRecord", topicName=""))
    assert cluster.topics["other"].partitions[0].last_known_elr == ()


def test_the_elr_is_cleared_of_what_is_there_by_then(made: Make) -> None:
    log = [
        written.topic(),
        written.partition(eligibleLeaderReplicas=[2]),
        written.change(eligibleLeaderReplicas=[]),
        written.topic("other", OTHER_ID),
        written.partition(topic_id=OTHER_ID),
        written.change(topic_id=OTHER_ID, lastKnownElr=[3]),
        written.topic("gone", DIRECTORIES[0]),
        written.partition(topic_id=DIRECTORIES[0], lastKnownElr=[3]),
        record("RemoveTopicRecord", topicId=DIRECTORIES[0]),
        record("ClearElrRecord", topicName=""),
    ]
    cluster = made(*log)
    epochs = {topic.name: (each.last_known_elr, each.partition_epoch) for topic, each in cluster.partitions()}
    assert epochs == {"orders": ((), 8), "other": ((), 9)}
    assert not cluster.ignored_records


def test_a_broker_registers_changes_and_goes(made: Make) -> None:
    features = [{"name": name, "minSupportedVersion": 0, "maxSupportedVersion": 1} for name in ("b", "a")]
    registered = written.broker(
        rack="r1",
        endPoints=[{**ENDPOINT, "name": "B", "host": "::1"}, {**ENDPOINT, "name": "A", "securityProtocol": 9}],
        features=features,
        logDirs=[DIRECTORIES[1], DIRECTORIES[0]],
        cordonedLogDirs=[DIRECTORIES[0]],
    )
    broker = made(registered).brokers[1]
    assert (broker.epoch, broker.rack, broker.fenced, broker.state) == (10, "r1", True, "fenced")
    assert [str(endpoint) for endpoint in broker.endpoints] == ["A://host:9092", "B://[::1]:9092"]
    assert [endpoint.security_protocol for endpoint in broker.endpoints] == ["UNKNOWN(9)", "PLAINTEXT"]
    assert [feature.name for feature in broker.features] == ["a", "b"]
    assert broker.log_dirs == tuple(DIRECTORIES[:2])
    assert broker.cordoned_log_dirs == (DIRECTORIES[0],)

    unfenced = record("UnfenceBrokerRecord", id=1, epoch=10)
    assert made(registered, unfenced).brokers[1].state == "active"
    assert made(registered, unfenced, record("FenceBrokerRecord", id=1, epoch=10)).brokers[1].fenced
    assert made(registered, record("UnregisterBrokerRecord", brokerId=1, brokerEpoch=10)).brokers == {}
    assert made(registered, record("UnregisterBrokerRecord", brokerId=7, brokerEpoch=10)).ignored_records == ()


def test_a_change_of_a_broker_holds_what_is_new(made: Make) -> None:
    broker = made(written.broker(logDirs=DIRECTORIES), change_of_broker(fenced=-1)).brokers[1]
    assert (broker.state, broker.log_dirs, broker.cordoned_log_dirs) == ("active", tuple(DIRECTORIES), None)
    broker = made(
        written.broker(fenced=False), change_of_broker(inControlledShutdown=1, logDirs=DIRECTORIES[:1])
    ).brokers[1]
    assert (broker.state, broker.log_dirs) == ("in controlled shutdown", (DIRECTORIES[0],))
    broker = made(written.broker(fenced=False), change_of_broker(fenced=1, logDirs=[], cordonedLogDirs=[])).brokers[1]
    assert (broker.state, broker.log_dirs, broker.cordoned_log_dirs) == ("fenced", (), ())


def test_a_controller_registers(made: Make) -> None:
    controller = made(
        record(
            "RegisterControllerRecord",
            controllerId=3000,
            incarnationId=OTHER_ID,
            zkMigrationReady=True,
            endPoints=[ENDPOINT],
            features=[{"name": "kraft.version", "minSupportedVersion": 0, "maxSupportedVersion": 1}],
        )
    ).controllers[3000]
    assert (controller.incarnation_id, controller.zk_migration_ready) == (OTHER_ID, True)
    assert controller.features[0].max == 1


def test_a_controller_is_unregistered_whether_or_not_it_is_known(made: Make) -> None:
    def registered(number: int) -> bytes:
        return record(
            "RegisterControllerRecord",
            controllerId=number,
            incarnationId=OTHER_ID,
            zkMigrationReady=False,
            endPoints=[],
            features=[],
        )

    gone = [record("UnregisterControllerRecord", controllerId=number) for number in (3000, 3002)]
    cluster = made(registered(3000), registered(3001), *gone)
    assert (list(cluster.controllers), cluster.ignored_records) == ([3001], ())


def test_configs_are_set_and_unset(made: Make) -> None:
    cluster = made(
        written.config("a", "1"),
        written.config("a", "2"),
        written.config("b", "1"),
        written.config("b", None),
        written.config("nothing", None, resource="other"),
        written.config("c", "", kind=4, resource=""),
        written.config("d", "x", kind=99, resource="r"),
    )
    assert [(each.resource_type, each.resource_name, each.name, each.value) for each in cluster.configs] == [
        ("BROKER", "", "c", ""),
        ("TOPIC", "orders", "a", "2"),
        ("UNKNOWN(99)", "r", "d", "x"),
    ]


def test_features_have_levels(made: Make) -> None:
    def level(name: str, number: int) -> bytes:
        return record("FeatureLevelRecord", name=name, featureLevel=number)

    cluster = made(
        level("metadata.version", 99),
        level("group.version", 1),
        level("group.version", 0),
        level("kraft.version", 1),
        level("share.version", 2),
    )
    assert cluster.features == {"metadata.version": 99, "share.version": 2}
    assert cluster.metadata_version == "99"
    assert made(level("metadata.version", 7)).metadata_version == "3.3-IV3"
    assert made(level("metadata.version", 33)).metadata_version == "4.4-IV2"
    assert made().metadata_version is None


def test_quotas_are_set_and_removed(made: Make) -> None:
    def quota(key: str, value: float, name: str | None = "bob", *, remove: bool = False) -> bytes:
        entity = [{"entityType": "user", "entityName": name}, {"entityType": "client-id", "entityName": "app"}]
        return record("ClientQuotaRecord", entity=entity, key=key, value=value, remove=remove)

    cluster = made(
        quota("x", 1.5),
        quota("x", 2.5),
        quota("y", 3.0),
        quota("y", 0.0, remove=True),
        quota("x", 4.0, None),
        quota("z", 0.0, "nobody", remove=True),
    )
    assert [(quota.entity, quota.key, quota.value) for quota in cluster.quotas] == [
        ((("client-id", "app"), ("user", None)), "x", 4.0),
        ((("client-id", "app"), ("user", "bob")), "x", 2.5),
    ]


def test_acls_users_tokens_and_ids_come_and_go(made: Make) -> None:
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
    cluster = made(
        acl,
        written.credential(),
        written.credential("eve", 2),
        written.token(),
        record("ProducerIdsRecord", brokerId=1, brokerEpoch=1, nextProducerId=5000),
        record("ZkMigrationStateRecord", zkMigrationState=1),
        record("NoOpRecord"),
    )
    (entry,) = cluster.acls
    assert (entry.permission_type, entry.operation, entry.resource_type, entry.pattern_type) == (
        "DENY",
        "WRITE",
        "TOPIC",
        "LITERAL",
    )
    assert [(each.user, each.mechanism, each.iterations) for each in cluster.scram] == [
        ("bob", "SCRAM-SHA-256", 4096),
        ("eve", "SCRAM-SHA-512", 4096),
    ]
    (token,) = cluster.delegation_tokens
    assert (token.owner, token.renewers, token.expiration_timestamp) == ("User:alice", ("User:carol",), 2)
    assert cluster.next_producer_id == 5000
    assert cluster.zk_migration_state == "MIGRATION"
    cluster = made(
        acl,
        record("RemoveAccessControlEntryRecord", id=TOPIC_ID),
        written.credential(),
        record("RemoveUserScramCredentialRecord", name="bob", mechanism=1),
        record("RemoveUserScramCredentialRecord", name="nobody", mechanism=1),
        written.token(),
        record("RemoveDelegationTokenRecord", tokenId="a-token-id"),
        record("RemoveDelegationTokenRecord", tokenId="no-token"),
    )
    assert (cluster.acls, cluster.scram, cluster.delegation_tokens) == ((), (), ())
    assert cluster.ignored_records == ()


def test_every_record_of_the_release_has_its_effect() -> None:
    known = {kind.name.upper() for kind in KafkaMetadataRecord.RecordType}
    without = known - replay.APPLY.keys() - {f"{each}_TRANSACTION_RECORD" for each in ("BEGIN", "END", "ABORT")}
    assert not without, "name the function of each in APPLY of kafkafmt/topics/cluster_metadata/replay.py"


def test_a_record_that_is_known_and_whose_effect_is_not(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(replay.APPLY, "NO_OP_RECORD")
    (ignored,) = made(record("NoOpRecord")).ignored_records
    assert isinstance(ignored.error, UnsupportedError)
    assert ignored.record_type == "NO_OP_RECORD"
