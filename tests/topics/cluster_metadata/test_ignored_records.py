"""Records without effect: inapplicable ones, those of newer releases, and those of open transactions."""

from pathlib import Path

import pytest

from kafkafmt.errors import CorruptError, UnsupportedError
from kafkafmt.files.damage import is_finding
from kafkafmt.topics.cluster_metadata import metadata
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import (
    DIRECTORIES,
    OTHER_ID,
    Make,
    change_of_broker,
    record,
)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (written.partition(topic_id=OTHER_ID), CorruptError, "a partition of a topic that does not exist"),
        (written.change(7), CorruptError, "a change of a partition that does not exist"),
        (written.change(topic_id=OTHER_ID), CorruptError, "a change of a topic that does not exist"),
        (written.partition(leaderRecoveryState=7), CorruptError, "an unknown leader recovery state"),
        (written.partition(directories=DIRECTORIES[:2]), CorruptError, "as many directories as replicas"),
        (written.change(directories=DIRECTORIES[:1]), CorruptError, "as many directories as replicas"),
        (record("RemoveTopicRecord", topicId=OTHER_ID), CorruptError, "the removal of a topic that does not exist"),
        (
            record("ClearElrRecord", topicName="x"),
            CorruptError,
            "the removal of the ELR of a topic that does not exist",
        ),
        (record("FenceBrokerRecord", id=7, epoch=1), CorruptError, "a change of a broker that is not registered"),
        (record("UnfenceBrokerRecord", id=1, epoch=9), CorruptError, "names another broker epoch"),
        (change_of_broker(fenced=3), CorruptError, "an unknown value of fenced"),
        (change_of_broker(inControlledShutdown=-1), CorruptError, "an unknown value of inControlledShutdown"),
        (
            record("RemoveAccessControlEntryRecord", id=OTHER_ID),
            CorruptError,
            "the removal of an ACL that does not exist",
        ),
        (record("EndTransactionRecord"), CorruptError, "the end of a transaction that has not begun"),
        (record("AbortTransactionRecord"), CorruptError, "the abort of a transaction that has not begun"),
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
