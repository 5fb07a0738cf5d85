"""`repair`, `ls` and `verify` exit with the same status: 1 for any damage, including repaired damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Call
from tests.golden_cases import cluster_case, field_case
from tests.startup.test_golden_starts import unpack

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"
LEADER_EPOCH, BASE_OFFSET = slice(12, 16), slice(0, 8)


def _epoch(log_dir: Path) -> None:
    _in_second_batch(log_dir, LEADER_EPOCH, (77).to_bytes(4, "big"))


def _offset(log_dir: Path) -> None:
    _in_second_batch(log_dir, BASE_OFFSET, (1000).to_bytes(8, "big"))


def _in_second_batch(log_dir: Path, where: slice, new: bytes) -> None:
    path = log_dir / "orders-0" / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    begin = 12 + int.from_bytes(data[8:12], "big")
    data[begin + where.start : begin + where.stop] = new
    path.write_bytes(data)


def _checkpoint(log_dir: Path) -> None:
    (log_dir / "recovery-point-offset-checkpoint").write_text("0\n5\n")


def _topic_id(log_dir: Path) -> None:
    (log_dir / "orders-0" / "partition.metadata").write_text("version: 0\ntopic_id: ?\n")


def _without_topic_id(log_dir: Path) -> None:
    (log_dir / "orders-0" / "partition.metadata").unlink()


def _of_another_node(log_dir: Path) -> None:
    path = log_dir / "meta.properties"
    path.write_text(path.read_text().replace("node.id=1", "node.id=2"))


@pytest.mark.slow
@pytest.mark.parametrize("damage", [_epoch, _offset, _checkpoint, _topic_id])
def test_what_is_mended_was_damaged(kafkafmt: Call, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    log_dir = shutil.copytree(SHOP, tmp_path / "shop")
    damage(log_dir)
    assert kafkafmt("ls", log_dir).status == 1
    assert kafkafmt("verify", log_dir).status == 1
    assert kafkafmt("repair", log_dir, "--mend-offsets", "--out", tmp_path / "new").status == 1
    assert kafkafmt("repair", tmp_path / "new", "--dry-run").status == 0


@pytest.mark.parametrize("damage", [_without_topic_id, _of_another_node])
def test_what_the_metadata_log_corrects_was_wrong(
    kafkafmt: Call, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    log_dir = shutil.copytree(SHOP, tmp_path / "shop")
    damage(log_dir)
    assert kafkafmt("verify", log_dir).status == 1
    assert kafkafmt("repair", log_dir, "--out", tmp_path / "new").status == 1
    assert kafkafmt("repair", tmp_path / "new", "--dry-run").status == 0


def test_a_donors_faults_do_not_count(kafkafmt: Call, tmp_path: Path) -> None:
    lent = shutil.copytree(SHOP, tmp_path / "lent")
    _epoch(lent)
    assert kafkafmt("repair", SHOP, "--from", lent, "--out", tmp_path / "new").status == 0


def test_a_mended_offset_is_said(kafkafmt: Call, tmp_path: Path) -> None:
    log_dir = shutil.copytree(SHOP, tmp_path / "shop")
    _offset(log_dir)
    said = kafkafmt("repair", log_dir, "--mend-offsets", "--dry-run").stderr
    assert "base offset 1000 becomes " in said


def test_what_is_lost_at_the_end_of_a_log_is_said(kafkafmt: Call, tmp_path: Path) -> None:
    """Case 30: node 1 is an older snapshot in which checkpoints of the newer disk were left."""
    cluster_case(30).unpack(tmp_path)
    alone = kafkafmt("repair", tmp_path / "n1", "--dry-run")
    lost = [line for line in alone.stderr.splitlines() if "lost at its end" in line]
    assert (alone.status, len(lost)) == (1, 3)
    assert "orders-0 ends at offset 53, and its high watermark was 66: 13 offsets are lost at its end" in lost[0]
    filled = kafkafmt("repair", tmp_path / "n1", "--from", tmp_path / "n2", "--dry-run")
    assert "lost at its end" not in filled.stderr
    ended = [line for line in filled.stderr.splitlines() if "its end is filled in from other copies" in line]
    assert (filled.status, len(ended)) == (1, 3)
    assert "orders-0 ended at offset 53, and its high watermark was 66: its end is filled in" in ended[0]


def test_a_lost_log_was_damaged_also_if_it_is_made_from_another_copy(kafkafmt: Call, tmp_path: Path) -> None:
    log_dir = shutil.copytree(SHOP, tmp_path / "shop")
    shutil.rmtree(log_dir / "orders-1")
    assert kafkafmt("verify", log_dir).status == 1
    alone = kafkafmt("repair", log_dir, "--dry-run")
    assert alone.status == 1
    assert "no copy has orders-1, which its checkpoints know up to offset 13: Kafka makes a new" in alone.stderr
    filled = kafkafmt("repair", log_dir, "--from", SHOP, "--out", tmp_path / "new")
    assert filled.status == 1
    assert "the directory has lost orders-1, which its checkpoints know up to offset 13: made from" in filled.stderr
    assert kafkafmt("repair", tmp_path / "new", "--dry-run").status == 0


def test_a_follower_that_lags_is_not_damaged(kafkafmt: Call, tmp_path: Path) -> None:
    """Case 3: node 2 lacks records that node 1 has, above its own high watermark."""
    cluster_case(3).unpack(tmp_path)
    filled = kafkafmt("repair", tmp_path / "n2", "--from", tmp_path / "n1", "--dry-run")
    assert "are filled in from other copies" in filled.stderr
    assert filled.status == 0


def _of_zeros(log_dir: Path) -> None:
    (log_dir / "orders-0" / "leader-epoch-checkpoint").write_bytes(bytes(20))


def _of_another_log(log_dir: Path) -> None:
    (log_dir / "orders-0" / "leader-epoch-checkpoint").write_text("0\n1\n9 0\n")


@pytest.mark.parametrize("damage", [_of_zeros, _of_another_log])
def test_leader_epochs_that_are_made_anew_were_damaged(
    kafkafmt: Call, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    log_dir = shutil.copytree(SHOP, tmp_path / "shop")
    damage(log_dir)
    assert kafkafmt("verify", log_dir).status == 1
    answer = kafkafmt("repair", log_dir, "--out", tmp_path / "new")
    assert (answer.status, answer.stderr.count("leader-epoch-checkpoint")) == (1, 1)
    epochs = Path("orders-0") / "leader-epoch-checkpoint"
    assert (tmp_path / "new" / epochs).read_bytes() == (SHOP / epochs).read_bytes()
    assert kafkafmt("repair", tmp_path / "new", "--dry-run").status == 0


@pytest.mark.parametrize("name", ["epoch-checkpoint-half-line-clean", "epoch-checkpoint-negative-offset"])
def test_leader_epochs_with_which_kafka_does_not_start_are_told(kafkafmt: Call, name: str) -> None:
    answer = kafkafmt("repair", field_case(name).input, "--dry-run")
    assert answer.status == 1
    assert "t-0/leader-epoch-checkpoint" in answer.stderr
    assert ": it is rebuilt" in answer.stderr


def test_a_directory_with_which_no_broker_starts_is_left_behind(kafkafmt: Call, tmp_path: Path) -> None:
    log_dir = shutil.copytree(SHOP, tmp_path / "shop")
    (log_dir / "orders-0").rename(log_dir / "orders-0.old")
    assert kafkafmt("verify", log_dir).status == 1
    answer = kafkafmt("repair", log_dir, "--out", tmp_path / "new")
    assert answer.status == 1
    assert f"{log_dir / 'orders-0.old'} is not copied: it is not named TOPIC-PARTITION" in answer.stderr
    assert not (tmp_path / "new" / "orders-0.old").exists()
    assert kafkafmt("verify", tmp_path / "new").status == 0


def test_a_partition_that_no_copy_has_is_named(kafkafmt: Call, tmp_path: Path) -> None:
    """A broker started on these disks created a new, empty log and served it (golden/cluster, 18: solo-0)."""
    cluster_case(18).unpack(tmp_path)
    alone = kafkafmt("repair", tmp_path / "n1", "--out", tmp_path / "new")
    assert alone.status == 1
    assert (
        f"{tmp_path}/n1/d0/solo-0: no copy has solo-0, which its checkpoints know up to offset 42: Kafka makes a new, "
        "empty log\n" in alone.stderr
    )
    assert kafkafmt("repair", tmp_path / "n1", "--topic", "orders", "--dry-run").status == 0
    filled = kafkafmt("repair", tmp_path / "n1", "--from", tmp_path / "n2", "--dry-run")
    assert (filled.status, "no copy has" in filled.stderr) == (1, False)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (28, "left out: 4 damaged stretches of 1,257 bytes in all, all filled from other copies (see --show dropped)"),
        (30, "note: 55 records and 2 control records of 3 partitions are filled in from other copies (which: "),
    ],
)
def test_what_is_filled_is_counted_as_verify_counts_what_is_lost(
    kafkafmt: Call, tmp_path: Path, number: int, said: str
) -> None:
    """Brokers lost 55 records on the disks of case 30 (golden/cluster, README.md), which does not count markers."""
    cluster_case(number).unpack(tmp_path)
    answer = kafkafmt("repair", tmp_path / "n1", "--from", tmp_path / "n2", "--dry-run")
    assert said in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("52-partition-twice", ": a node has a partition once; it is written in "),
        ("68-metadata-snapshots-missing", ": no snapshot is sound, and the log does not begin with 0"),
        ("69-metadata-snapshot-damaged", "-0000000004.checkpoint is not copied: "),
    ],
)
def test_what_keeps_a_node_from_starting_is_a_finding(kafkafmt: Call, tmp_path: Path, case: str, said: str) -> None:
    """Kafka exited during its start on each of these disks (golden/startup)."""
    info = unpack(case, tmp_path)
    answer = kafkafmt("repair", *(tmp_path / name for name in info["logDirs"]), "--dry-run")
    assert answer.status == 1
    assert [line for line in answer.stderr.splitlines() if said in line and "note: " not in line]
