"""Differences between a snapshot and the log: which are findings, and which are not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.errors import ChecksumError, SourceError
from kafkafmt.files.producer_snapshot import ProducerState
from kafkafmt.topics.producer_state import Producers, producers, reading
from kafkafmt.topics.transaction_state import transactions
from tests.logdir.builders import checkpoint
from tests.topics.producer_logs import ABORT, COMMIT, ProducerLog, Step, write_snapshot

STEPS = [
    Step(0, transactional=False, sequence=0),
    Step(1, sequence=0, records=2),
    Step(1, kind=COMMIT, coordinator_epoch=4),
    Step(1, sequence=2),
    Step(0, transactional=False, sequence=1),
]


def told(directory: Path, steps: list[Step] = STEPS, begin: int = 0, **changes: Any) -> Producers:
    """The answer if the snapshot at the log end has a different state of producer 1."""
    log = ProducerLog(steps, begin)
    entries = [replace(entry, **changes) if entry.producer_id == 1 else entry for entry in log.states().values()]
    write_snapshot(log.write(directory / "t-0"), log.end, entries)
    return producers(directory)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"producer_epoch": 3}, "producerEpoch 3 in the snapshot, 0 in the log"),
        ({"last_sequence": 9}, "lastSequence 9 in the snapshot, 2 in the log"),
        ({"last_offset": 1}, "lastOffset 1 in the snapshot, 4 in the log"),
        ({"timestamp": 7}, "lastTimestamp 7 in the snapshot, 1500 in the log"),
        ({"coordinator_epoch": 9}, "coordinatorEpoch 9 in the snapshot, 4 in the log"),
        ({"current_txn_first_offset": None}, "currentTransactionStartOffset none in the snapshot, 4 in the log"),
        ({"last_offset": 6}, "the snapshot has offset 6, beyond its own offset 6"),
        ({"producer_id": 8}, "the snapshot has a producer without a batch in the log, which is complete"),
    ],
)
def test_a_complete_log_must_tell_the_same(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    findings = told(tmp_path, **changes).findings
    assert [each.message for each in findings if each.producer_id in (1, 8)][-1] == text
    finding = findings[-1]
    assert (finding.topic, finding.partition) == ("t", 0)
    assert str(finding) == f"{tmp_path}/t-0/{6:020d}.snapshot: producer {finding.producer_id}: {finding.message}"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"producer_epoch": -1}, "producerEpoch -1 in the snapshot, 0 in the log"),
        ({"last_offset": 11}, "lastOffset 11 in the snapshot, 14 in the log"),
        ({"last_sequence": 9}, "lastSequence 9 in the snapshot, 2 in the log"),
        (
            {"current_txn_first_offset": 11},
            "currentTransactionStartOffset 11 in the snapshot, but the log has the marker that ends it, at offset 13",
        ),
        (
            {"current_txn_first_offset": None},
            "no open transaction in the snapshot, but in the log one is open since offset 14",
        ),
        ({"current_txn_first_offset": 15}, "currentTransactionStartOffset 15 in the snapshot, 14 in the log"),
    ],
)
def test_what_a_shortened_log_saw_must_be_in_the_snapshot(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    assert [each.message for each in told(tmp_path, begin=10, **changes).findings] == [text]


@pytest.mark.parametrize(
    "changes", [{"producer_epoch": 9}, {"coordinator_epoch": 9}, {"timestamp": 1}, {"last_offset": 15}]
)
def test_what_a_shortened_log_cannot_have_seen_is_no_finding(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert told(tmp_path, begin=10, **changes).findings == ()


@pytest.mark.parametrize(
    ("steps", "changes"),
    [
        # Kafka 0.11 counted the marker as the last batch.
        ([Step(1), Step(1, kind=ABORT)], {"last_offset": 1}),
        # Up to 1.1 its time did not count, and a new epoch forgot that of the coordinator.
        ([Step(1), Step(1, kind=ABORT, timestamp=9)], {"timestamp": 1500}),
        ([Step(1), Step(1, kind=ABORT), Step(1, epoch=1, transactional=False)], {"coordinator_epoch": -1}),
    ],
)
def test_what_older_brokers_kept_otherwise_is_no_finding(
    tmp_path: Path, steps: list[Step], changes: dict[str, Any]
) -> None:
    assert told(tmp_path, steps, **changes).findings == ()


def test_producers_that_were_forgotten_are_a_note(tmp_path: Path) -> None:
    log = ProducerLog([*STEPS, Step(7, transactional=False)])
    write_snapshot(log.write(tmp_path / "t-0"), log.end, [log.states()[1]])
    answer = producers(tmp_path)
    assert answer.findings == ()
    (note,) = answer.notes
    assert note == (
        "2 producers are in the logs but not in the snapshots, since a broker expires producers that are idle for"
        " producer.id.expiration.ms: t-0"
    )
    assert [each.producer_id for each in answer.partitions[0].entries] == [1]


def test_none_is_forgotten_whose_transaction_is_open(tmp_path: Path) -> None:
    log = ProducerLog(STEPS)
    write_snapshot(log.write(tmp_path / "t-0"), log.end, [log.states()[0]])
    (finding,) = producers(tmp_path).findings
    assert finding.message == "the snapshot has no such producer, but in the log its transaction is open since 4"


def test_producers_of_whom_only_the_snapshot_knows_are_a_note(tmp_path: Path) -> None:
    states = ProducerLog(STEPS).states()
    ProducerLog([], begin=6).write(tmp_path / "t-0")
    write_snapshot(tmp_path / "t-0", 6, states.values())
    answer = producers(tmp_path)
    assert answer.findings == ()
    assert answer.notes == (
        "2 producers are known only from snapshots, since the beginning of the log is gone (retention): t-0",
    )
    assert answer.partitions[0].entries == (states[0], states[1])


def test_an_empty_partition_has_no_producers(tmp_path: Path) -> None:
    ProducerLog([]).write(tmp_path / "t-0")
    write_snapshot(tmp_path / "t-0", 0, [])
    answer = producers(tmp_path)
    assert (answer.findings, answer.notes, len(answer.to_table())) == ((), (), 0)


def test_many_differences_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading.MOST_DIFFERENCES == 100
    monkeypatch.setattr(reading, "MOST_DIFFERENCES", 2)
    log = ProducerLog([Step(each, transactional=False) for each in range(5)])
    entries = [replace(entry, last_sequence=9) for entry in log.states().values()]
    write_snapshot(log.write(tmp_path / "t-0"), log.end, entries)
    findings = producers(tmp_path).findings
    assert [each.producer_id for each in findings] == [0, 1, None]
    assert findings[-1].message == "3 more producers differ"


class TestSnapshotsThatDoNotCount:
    def test_a_broken_one(self, tmp_path: Path) -> None:
        log = ProducerLog(STEPS)
        partition = log.write(tmp_path / "t-0")
        log.write_snapshot(partition, 3)
        newest = log.write_snapshot(partition, 6)
        newest.write_bytes(newest.read_bytes()[:-1] + b"x")
        answer = producers(tmp_path)
        assert answer.partitions[0].snapshot_offset == 3
        assert answer.partitions[0].entries == tuple(log.states().values())
        (finding,) = answer.findings
        assert finding.path == str(newest)
        assert "checksum mismatch in the producer snapshot" in finding.message
        assert "the previous snapshot is used, as Kafka does, which deletes it" in finding.message

    def test_one_beyond_the_log_end(self, tmp_path: Path) -> None:
        log = ProducerLog(STEPS)
        partition = log.write(tmp_path / "t-0")
        write_snapshot(partition, 9, log.states().values())
        answer = producers(tmp_path)
        assert answer.partitions[0].snapshot_offset is None
        assert "the log ends at offset 6, but it reached offset 9 when this snapshot was written" in str(
            answer.findings[0]
        )

    def test_one_behind_the_offset_asked_for(self, tmp_path: Path) -> None:
        log = ProducerLog(STEPS)
        partition = log.write(tmp_path / "t-0")
        for offset in (1, 6):
            log.write_snapshot(partition, offset)
        answer = producers(tmp_path, at_offset={0: 3})
        assert answer.partitions[0].snapshot_offset == 1
        assert answer.partitions[0].entries == tuple(log.states(3).values())
        assert producers(tmp_path, at_offset={1: 3}).partitions[0].snapshot_offset == 6

    def test_one_that_cannot_be_read(self, tmp_path: Path) -> None:
        log = ProducerLog(STEPS)
        partition = log.write(tmp_path / "t-0")
        (partition / f"{6:020d}.snapshot").write_bytes(bytes(33 * 1024 * 1024))
        (finding,) = producers(tmp_path).findings
        assert finding.message.startswith("the file is too large for its kind")
        assert finding.message.endswith("the previous snapshot is used")

    def test_beside_a_file_that_is_named_itself(self, tmp_path: Path) -> None:
        log = ProducerLog(STEPS)
        partition = log.write(tmp_path / "t-0")
        write_snapshot(partition, 6, [])
        answer = producers(partition / f"{0:020d}.log")
        assert (answer.findings, answer.partitions[0].snapshot_offset) == ((), None)
        assert len(answer.partitions[0].entries) == 2


def test_a_broken_checkpoint_is_a_finding(tmp_path: Path) -> None:
    log = ProducerLog(STEPS)
    log.write_snapshot(log.write(tmp_path / "t-0"), 6)
    checkpoint(tmp_path, "log-start-offset-checkpoint", {}).write_text("0\nno number\n")
    answer = producers(tmp_path)
    assert len(answer.findings) == 1
    assert len(answer.partitions[0].entries) == 2


class TestDamage:
    def test_it_is_raised(self, tmp_path: Path) -> None:
        self.damaged(tmp_path)
        with pytest.raises(ChecksumError):
            producers(tmp_path, on_damage="raise")

    def test_it_is_skipped(self, tmp_path: Path) -> None:
        self.damaged(tmp_path)
        answer = producers(tmp_path, on_damage="skip")
        (damage,) = answer.damage
        assert damage.reason == "checksum"
        assert [each.producer_id for each in answer.partitions[0].entries] == [0, 1]

    def test_what_finding_a_time_and_reading_both_meet_is_told_once(self, tmp_path: Path) -> None:
        self.damaged(tmp_path)
        assert len(producers(tmp_path, at_time=10**6, on_damage="skip").damage) == 1
        assert len(transactions(tmp_path, data="all", at_time=10**6, on_damage="skip").damage) == 1

    def damaged(self, directory: Path) -> None:
        """Flip one bit of the marker."""
        log = ProducerLog(STEPS)
        partition = log.write(directory / "t-0")
        path = partition / f"{0:020d}.log"
        data = bytearray(path.read_bytes())
        begin = len(log.batches[0][2]) + len(log.batches[1][2])
        data[begin + 45] ^= 1
        path.write_bytes(data)


class TestArguments:
    @pytest.mark.parametrize(
        "arguments",
        [{"state_from": "memory"}, {"replica": "worst"}, {"on_damage": "mend"}, {"at_offset": 1, "at_time": 1}],
    )
    def test_those_that_make_no_sense(self, tmp_path: Path, arguments: dict[str, Any]) -> None:
        ProducerLog(STEPS).write(tmp_path / "t-0")
        with pytest.raises(ValueError, match=r"must be one of|exclude each other"):
            producers(tmp_path, **arguments)

    def test_no_source(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError):
            producers(tmp_path / "nowhere")


def test_as_of_a_time(tmp_path: Path) -> None:
    steps = [Step(each, transactional=False, timestamp=1000 * (each + 1)) for each in range(3)]
    ProducerLog(steps).write(tmp_path / "t-0")
    for time, number in ((999, 0), (1000, 1), (2999, 2), (9999, 3)):
        assert len(producers(tmp_path, at_time=time).partitions[0].entries) == number


def test_the_better_replica_tells(tmp_path: Path) -> None:
    ProducerLog(STEPS[:1]).write(tmp_path / "a" / "t-0")
    ProducerLog(STEPS).write(tmp_path / "b" / "t-0")
    answer = producers([tmp_path / "a", tmp_path / "b"])
    assert [each.path for each in answer.partitions] == [str(tmp_path / "b" / "t-0")]
    assert [each.path for each in answer.skipped_replicas] == [str(tmp_path / "a" / "t-0")]
    both = producers([tmp_path / "a", tmp_path / "b"], replica="all")
    assert [len(each.entries) for each in both.partitions] == [1, 2]
    (tmp_path / "a" / "t-0" / "leader-epoch-checkpoint").write_text("nonsense")
    (finding,) = producers([tmp_path / "a", tmp_path / "b"]).findings
    assert finding.path.endswith("leader-epoch-checkpoint")


def test_a_state_without_batch_is_null(tmp_path: Path) -> None:
    ProducerLog([Step(1, epoch=0), Step(1, epoch=1, kind=COMMIT, coordinator_epoch=3)]).write(tmp_path / "t-0")
    (row,) = producers(tmp_path).to_table().drop_columns(["lastTimestamp", "path"]).to_pylist()
    assert row == {
        "topic": "t",
        "partition": 0,
        "producerId": 1,
        "producerEpoch": 1,
        "lastSequence": -1,
        "currentTransactionStartOffset": None,
        "coordinatorEpoch": 3,
        "lastOffset": None,
        "snapshotOffset": None,
    }


def test_a_state_is_what_a_snapshot_holds() -> None:
    (state,) = ProducerLog([Step(1)]).states().values()
    assert isinstance(state, ProducerState)
