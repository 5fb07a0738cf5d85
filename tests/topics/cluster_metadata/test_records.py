"""What each record does to the state, by logs of records made here; Kafka's Delta classes are the model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kafkafmt_specs.kafka_metadata_record import KafkaMetadataRecord

from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files.damage import is_finding
from kafkafmt.topics.cluster_metadata import ClusterMetadata, PartitionRegistration, metadata, replay
from kafkafmt.topics.cluster_metadata.topics import MIGRATING
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import ENDPOINT, OTHER_ID, TOPIC_ID, record

DIRECTORIES = ["AAAAAAAAAAAAAAAAAAAAZQ", "AAAAAAAAAAAAAAAAAAAAyQ", "AAAAAAAAAAAAAAAAAAABLQ"]

Make = Callable[..., ClusterMetadata]


@pytest.fixture
def made(tmp_path: Path) -> Make:
    """Metadata of a log of these records; each is in a batch of its own."""

    def make(*values: bytes | None, **arguments: Any) -> ClusterMetadata:
        written.node(tmp_path / "node", 1, *(written.batch(offset, value) for offset, value in enumerate(values)))
        return metadata(tmp_path / "node", **arguments)

    return make


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


def change_of_broker(**fields: Any) -> bytes:
    return record("BrokerRegistrationChangeRecord", 3, brokerId=1, brokerEpoch=10, **fields)


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


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (written.partition(topic_id=OTHER_ID), CorruptError, "a topic that does not exist is given a partition"),
        (written.change(7), CorruptError, "a partition that does not exist is changed"),
        (written.change(topic_id=OTHER_ID), CorruptError, "a topic that does not exist is changed"),
        (written.partition(leaderRecoveryState=7), CorruptError, "an unknown leader recovery state"),
        (written.partition(directories=DIRECTORIES[:2]), CorruptError, "as many directories as replicas"),
        (written.change(directories=DIRECTORIES[:1]), CorruptError, "as many directories as replicas"),
        (record("RemoveTopicRecord", topicId=OTHER_ID), CorruptError, "a topic that does not exist is removed"),
        (record("ClearElrRecord", topicName="x"), CorruptError, "the ELR of a topic that does not exist is cleared"),
        (record("FenceBrokerRecord", id=7, epoch=1), CorruptError, "a broker that is not registered is changed"),
        (record("UnfenceBrokerRecord", id=1, epoch=9), CorruptError, "of another broker epoch"),
        (change_of_broker(fenced=3), CorruptError, "an unknown value of fenced"),
        (change_of_broker(inControlledShutdown=-1), CorruptError, "an unknown value of inControlledShutdown"),
        (record("RemoveAccessControlEntryRecord", id=OTHER_ID), CorruptError, "an ACL that does not exist is removed"),
        (record("EndTransactionRecord"), CorruptError, "a transaction that has not begun ends"),
        (record("AbortTransactionRecord"), CorruptError, "a transaction that has not begun is aborted"),
        (b"\x02\x02\x00", UnsupportedError, "in a frame of another version"),
        (b"", CorruptError, ""),
        (None, CorruptError, "without a value"),
    ],
    ids=[str(number) for number in range(18)],
)
def test_what_cannot_be_applied_is_passed_over_and_told(
    made: Make, value: bytes | None, kind: type[Exception], message: str
) -> None:
    before = (written.topic(), written.partition(), written.broker(), record("NoOpRecord"))
    cluster = made(*before, value, written.config("a", "1"))
    (ignored,) = cluster.ignored_records
    assert isinstance(ignored.error, kind)
    assert message in ignored.error.message
    assert ignored.error.file == ignored.file
    assert ignored.file.endswith("__cluster_metadata-0/00000000000000000000.log")
    assert ignored.offset == 4
    assert ignored.position == ignored.error.position == sum(len(written.batch(0, each)) for each in before)
    sound = made(*before, written.config("a", "1"))
    assert (cluster.topics, cluster.brokers, cluster.configs) == (sound.topics, sound.brokers, sound.configs)


def test_records_of_types_and_versions_of_a_newer_kafka_are_one_note(made: Make) -> None:
    newer = (b"\x01\x7f\x00", b"\x01\x7f\x00", b"\x01\x02\x63\x00")
    cluster = made(written.topic(), *newer, written.config("a", "1"))
    assert (cluster.ignored_records, cluster.ignored_count, cluster.findings) == ((), 0, ())
    (note,) = [note for note in cluster.notes if "does not know" in note]
    assert "2 of type 127, 1 of version 99 of TOPIC_RECORD (the first is at offset 1" in note
    assert not is_finding(note)
    assert list(cluster.topics) == ["orders"]


def test_of_very_many_passed_over_all_are_counted(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkafmt.topics.cluster_metadata.replay.MOST_KEPT", 3)
    cluster = made(*[record("EndTransactionRecord")] * 5)
    assert len(cluster.ignored_records) == 3
    assert cluster.ignored_count == 5


def test_a_transaction_counts_once_it_has_ended(made: Make) -> None:
    begin = record("BeginTransactionRecord", name="big")
    inside = [written.topic(), written.partition()]
    assert made(begin, *inside, record("EndTransactionRecord")).topics["orders"].partitions[0].leader == 1
    open_one = made(written.config("a", "1"), begin, *inside)
    assert open_one.topics == {}
    assert len(open_one.configs) == 1
    assert open_one.open_transaction is not None
    assert (open_one.open_transaction.offset, open_one.open_transaction.name, open_one.open_transaction.records) == (
        1,
        "big",
        2,
    )
    assert "from offset 1 (big) is open: its 2 records have no effect yet" in open_one.notes[-1]
    aborted = made(begin, *inside, record("AbortTransactionRecord", reason="no"), written.topic("later", OTHER_ID))
    assert list(aborted.topics) == ["later"]
    assert aborted.open_transaction is None
    assert aborted.ignored_records == ()
    nameless = made(record("BeginTransactionRecord"))
    assert "from offset 0 is open" in nameless.notes[-1]


def test_what_cannot_be_applied_of_a_transaction_is_told_with_its_own_place(made: Make) -> None:
    cluster = made(
        record("BeginTransactionRecord"),
        written.change(),
        written.topic(),
        record("BeginTransactionRecord"),
        record("EndTransactionRecord"),
    )
    assert [(each.offset, each.record_type) for each in cluster.ignored_records] == [
        (3, "BEGIN_TRANSACTION_RECORD"),
        (1, "PARTITION_CHANGE_RECORD"),
    ]
    assert list(cluster.topics) == ["orders"]


def test_control_records_tell_leader_and_voters(tmp_path: Path) -> None:
    written.node(tmp_path, 1, written.leader_change(0, 2), written.batch(1, record("NoOpRecord")))
    cluster = metadata(tmp_path)
    assert [(voter.id, voter.directory_id) for voter in cluster.voters] == [(1, None), (2, None), (3, None)]
    assert cluster.leader_id == 2


@pytest.mark.parametrize(("kind", "value"), [(2, b"\0"), (77, b""), (5, b"\0\x09\0\0")], ids=str)
def test_control_records_that_cannot_be_read_are_passed_over(tmp_path: Path, kind: int, value: bytes) -> None:
    written.node(tmp_path, 1, written.control(0, kind, value), written.batch(1, written.topic()))
    cluster = metadata(tmp_path)
    assert cluster.ignored_count == 1
    assert list(cluster.topics) == ["orders"]


def test_every_record_of_the_release_has_its_effect() -> None:
    known = {kind.name.upper() for kind in KafkaMetadataRecord.RecordType}
    without = known - replay.APPLY.keys() - {f"{each}_TRANSACTION_RECORD" for each in ("BEGIN", "END", "ABORT")}
    assert not without, "name the function of each in APPLY of kafkafmt/topics/cluster_metadata/replay.py"


def test_a_record_that_is_known_and_whose_effect_is_not(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(replay.APPLY, "NO_OP_RECORD")
    (ignored,) = made(record("NoOpRecord")).ignored_records
    assert isinstance(ignored.error, UnsupportedError)
    assert ignored.record_type == "NO_OP_RECORD"
