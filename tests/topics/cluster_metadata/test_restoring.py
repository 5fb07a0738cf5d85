"""The choice of the snapshot, the records after it, and history no longer on disk."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kafkafmt.errors import ChecksumError, CorruptError, KafkafmtError, SourceError
from kafkafmt.topics.cluster_metadata import metadata, metadata_of
from kafkafmt.topics.cluster_metadata.restoring import NotOnDiskError
from tests.topics.cluster_metadata import written
from tests.topics.cluster_metadata.written import OTHER_ID, TOPIC_ID


def numbered(count: int, start: int = 0) -> list[bytes]:
    """Batches of one record each: config n is set to its offset, at that many seconds."""
    return [
        written.batch(offset, written.config("n", str(offset)), timestamp=offset * 1000)
        for offset in range(start, start + count)
    ]


def value(path: Path, **arguments: Any) -> Any:
    return metadata(path, **arguments).config("TOPIC", "orders").get("n")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Ten records, and snapshots of offsets 4 and 8 with content that no record has."""
    directory = written.node(tmp_path / "node", 1, *numbered(10))
    written.snapshot(directory, 4, 1, written.config("n", "3"), written.config("from", "4"), timestamp=3000)
    written.snapshot(directory, 8, 1, written.config("n", "7"), written.config("from", "8"), timestamp=7000)
    return directory


def began(path: Path, **arguments: Any) -> Any:
    return metadata(path, **arguments).config("TOPIC", "orders").get("from")


def test_the_newest_snapshot_at_or_below_the_offset_is_taken(log: Path) -> None:
    expected = {
        None: ("9", "8"),
        10: ("9", "8"),
        8: ("7", "8"),
        7: ("6", "4"),
        4: ("3", "4"),
        3: ("2", None),
        1: ("0", None),
    }
    for offset, (number, snapshot) in expected.items():
        assert (value(log, at_offset=offset), began(log, at_offset=offset)) == (number, snapshot)
    assert value(log, at_offset=0) is None
    assert metadata(log, at_offset={0: 3}).offset == 3


def test_a_time_takes_what_is_not_later(log: Path) -> None:
    assert (value(log, at_time=6500), began(log, at_time=6500)) == ("6", "4")
    assert (value(log, at_time=7000), began(log, at_time=7000)) == ("7", "8")
    assert value(log, at_time=datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC)) == "2"
    assert value(log, at_time=99_000) == "9"
    assert value(log, at_time=-5) is None


def test_an_offset_beyond_the_end_is_the_end_and_said(log: Path) -> None:
    cluster = metadata(log, at_offset=11)
    assert cluster.offset == 10
    assert "the log ends at offset 10, below offset 11" in cluster.notes


def test_arguments_that_make_no_sense(log: Path) -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        metadata(log, at_offset=1, at_time=1)
    with pytest.raises(ValueError, match="has only partition 0, not 3"):
        metadata(log, at_offset={3: 1})
    with pytest.raises(TypeError, match="at_offset must be an int"):
        metadata(log, at_offset=True)
    with pytest.raises(ValueError, match="on_damage must be"):
        metadata(log, on_damage="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no table 'x'"):
        metadata(log).to_table("x")


def test_a_log_whose_beginning_is_gone_needs_a_snapshot(log: Path) -> None:
    (log / "00000000000000000000.log").unlink()
    written.log(log, *numbered(5, 5), base_offset=5)
    assert (value(log), began(log)) == ("9", "8")
    assert value(log, at_offset=8) == "7"
    assert value(log, at_offset=4) == "3"
    # The record between the older snapshot and the log is gone, and its time is unknown.
    for arguments in ({"at_offset": 7}, {"at_offset": 3}, {"at_time": 2000}, {"at_time": 3000}):
        with pytest.raises(
            NotOnDiskError, match="is no longer in this metadata log: the oldest snapshot is of offset 4"
        ):
            metadata(log, **arguments)  # type: ignore[arg-type]
    for snapshot in log.glob("*.checkpoint"):
        snapshot.unlink()
    with pytest.raises(NotOnDiskError, match="the beginning of the metadata log is missing, which begins with no"):
        metadata(log)


def test_a_snapshot_without_a_log_is_enough(log: Path) -> None:
    (log / "00000000000000000000.log").unlink()
    assert value(log) == "7"
    assert value(log, at_offset=5) == "3"
    assert value(log, at_time=3000) == "3"
    assert metadata(log).epoch == 1


@pytest.mark.parametrize("broken", ["no footer", "no header", "empty", "flipped", "cut"])
def test_a_damaged_or_unfinished_snapshot_is_passed_over_and_told(log: Path, broken: str) -> None:
    path = log / "00000000000000000008-0000000001.checkpoint"
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    path.write_bytes(
        {
            "no footer": whole[: -len(written.control(3, 4, b"\0\0\0"))],
            "no header": written.batch(0, written.topic()),
            "empty": b"",
            "flipped": bytes(flipped),
            "cut": whole[:-3],
        }[broken]
    )
    cluster = metadata(log)
    assert cluster.config("TOPIC", "orders") == {"n": "9", "from": "4"}
    (damage,) = cluster.damage
    assert damage.file == str(path)
    assert isinstance(damage.error, ChecksumError if broken == "flipped" else CorruptError)
    assert any(f"ignored, since it is damaged or incomplete: {path}" in note for note in cluster.notes)
    with pytest.raises(KafkafmtError):
        metadata(path)
    (log / "00000000000000000000.log").unlink()
    written.log(log, *numbered(2, 8), base_offset=8)
    with pytest.raises(KafkafmtError) as caught:
        metadata(log)
    assert caught.value.file == str(path)


def test_a_part_of_a_snapshot_is_passed_over_and_said(log: Path) -> None:
    (log / "00000000000000000009-0000000001.checkpoint.part").write_bytes(b"\0" * 50)
    cluster = metadata(log)
    assert cluster.damage == ()
    assert "00000000000000000009-0000000001.checkpoint.part" in cluster.notes[0]


def test_names_that_no_snapshot_has_are_none(log: Path) -> None:
    for name in ("99999999999999999999-0000000001.checkpoint", "00000000000000000009-9999999999.checkpoint"):
        (log / name).write_bytes(b"x")
    assert metadata(log).damage == ()


def test_damage_of_the_log_is_raised_or_skipped(log: Path) -> None:
    file = log / "00000000000000000000.log"
    content = bytearray(file.read_bytes())
    content[len(content) - 10] ^= 1
    file.write_bytes(content)
    with pytest.raises(ChecksumError, match=r"0{20}\.log: position"):
        metadata(log, on_damage="raise")
    cluster = metadata(log)
    assert value(log) == "8"
    assert [damage.reason for damage in cluster.damage] == ["checksum"]
    assert metadata(log, at_time=5000).offset == 6
    assert metadata_of(log) is not None


def test_an_open_end_is_no_damage(log: Path) -> None:
    file = log / "00000000000000000000.log"
    file.write_bytes(file.read_bytes() + bytes(100))
    cluster = metadata(log)
    assert [damage.is_open_end for damage in cluster.damage] == [True]
    assert cluster.offset == 10


def test_files_named_themselves(log: Path, tmp_path: Path) -> None:
    snapshot = log / "00000000000000000004-0000000001.checkpoint"
    assert value(snapshot) == "3"
    assert value(snapshot, at_offset=4) == "3"
    for arguments in ({"at_offset": 3}, {"at_time": 2999}):
        with pytest.raises(NotOnDiskError, match="this snapshot is of offset 4, not"):
            metadata(snapshot, **arguments)  # type: ignore[arg-type]
    alone = metadata(log / "00000000000000000000.log")
    assert alone.config("TOPIC", "orders") == {"n": "9"}
    assert "only one log file of the metadata log was read" in alone.notes[0]
    assert value(log / "00000000000000000000.log", at_offset=2) == "1"
    assert value(log / "00000000000000000000.log", at_time=4500) == "4"
    later = written.log(tmp_path / "elsewhere", *numbered(2, 5), base_offset=5)
    with pytest.raises(NotOnDiskError, match="name its directory"):
        metadata(later)
    with pytest.raises(SourceError, match="this is the properties of a log directory, not a log segment"):
        metadata(log.parent / "meta.properties")
    with pytest.raises(SourceError, match="cannot be read"):
        metadata(log / "nothing.log")
    other = written.log(tmp_path / "orders-0", *numbered(1))
    with pytest.raises(SourceError, match="no cluster metadata there"):
        metadata(other)
    assert metadata_of(other) is None


def test_a_log_of_any_name_that_is_named_itself(tmp_path: Path) -> None:
    written.log(tmp_path / "copy", written.leader_change(0, 1, [1]), written.batch(1, written.topic()))
    assert list(metadata(tmp_path / "copy").topics) == ["orders"]
    assert metadata(tmp_path / "copy").cluster_id is None


def test_voters_and_leader_come_from_where_the_epoch_begins(tmp_path: Path) -> None:
    batches = [written.leader_change(0, 2), written.batch(1, written.topic()), written.batch(2, written.partition())]
    directory = written.node(tmp_path, 1, *batches, leader_epochs="0\n1\n1 0\n")
    written.snapshot(directory, 2, 1, written.topic())
    cluster = metadata(tmp_path)
    assert (cluster.leader_id, [voter.id for voter in cluster.voters]) == (2, [1, 2, 3])
    (directory / "leader-epoch-checkpoint").write_text("0\n1\n2 7\n")
    assert metadata(tmp_path).leader_id is None
    (directory / "quorum-state").write_text(
        '{"clusterId":"","leaderId":3,"leaderEpoch":1,"votedId":-1,"appliedOffset":0,'
        '"currentVoters":[{"voterId":3},{"voterId":1}],"data_version":0}'
    )
    cluster = metadata(tmp_path)
    assert (cluster.leader_id, [voter.id for voter in cluster.voters]) == (3, [1, 3])
    assert [row["isLeader"] for row in cluster.to_table("voters").to_pylist()] == [False, True]


@pytest.mark.parametrize("name", ["quorum-state", "leader-epoch-checkpoint", "../meta.properties"])
def test_a_small_file_that_is_broken_is_raised_or_listed(tmp_path: Path, name: str) -> None:
    directory = written.node(tmp_path / "node", 1, written.batch(0, written.topic()))
    written.snapshot(directory, 1, 1, written.topic())
    (directory / name).write_bytes(b"version=broken")
    with pytest.raises(KafkafmtError):
        metadata(tmp_path, on_damage="raise")
    cluster = metadata(tmp_path)
    assert list(cluster.topics) == ["orders"]
    assert len(cluster.damage) == 1


def test_a_bootstrap_checkpoint_named_itself(tmp_path: Path) -> None:
    path = tmp_path / "bootstrap.checkpoint"
    path.write_bytes(written.batch(0, written.record("FeatureLevelRecord", name="metadata.version", featureLevel=30)))
    for source in (path, tmp_path):
        cluster = metadata(source)
        assert cluster.metadata_version == "4.3-IV0"
        assert cluster.provenance.path == str(path)
        assert cluster.to_table("cluster").to_pylist()[0]["timestamp"] is None


def test_ids_are_not_mixed_up(tmp_path: Path) -> None:
    written.node(tmp_path, 1, written.batch(0, written.topic(), written.topic("b", OTHER_ID)))
    cluster = metadata(tmp_path)
    assert [cluster.topic_by_id(topic_id).name for topic_id in (TOPIC_ID, OTHER_ID)] == ["orders", "b"]  # type: ignore[union-attr]
