"""Consumer groups' losses from a truncation at the start: `verify` joined with committed offsets."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from tests.cli.conftest import ROOT, Call

SHOP = ROOT / "docs" / "examples" / "shop" / "log-dir"


def killed(tmp_path: Path, flips: dict[int, int]) -> Path:
    """The example after a kill, with a flipped bit in partitions of orders; group billing has read up to 4."""
    disk = Path(shutil.copytree(SHOP, tmp_path / "disk"))
    (disk / ".kafka_cleanshutdown").unlink()
    (disk / "recovery-point-offset-checkpoint").write_bytes(b"")
    for partition, position in flips.items():
        path = disk / f"orders-{partition}" / "00000000000000000000.log"
        data = bytearray(path.read_bytes())
        data[position] ^= 1
        path.write_bytes(data)
    return disk


def losses(disk: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = kafkafmt.open(disk).verify().groups.to_pylist()
    return rows


def test_unread_offsets_of_a_log_that_is_cut(tmp_path: Path, kafkafmt: Call) -> None:
    disk = killed(tmp_path, {1: 528, 2: 398})
    common = {"group": "billing", "topic": "orders", "offset": 4, "isOutOfRange": False}
    assert losses(disk) == [
        {**common, "partition": 1, "logEndOffsetOnDisk": 13, "logEndOffset": 6, "unreadLost": 7},
        {**common, "partition": 2, "logEndOffsetOnDisk": 10, "logEndOffset": 4, "unreadLost": 6},
    ]
    line = "Consumer groups: up to 13 unread records lost by 1 group (--show groups)."
    assert line in kafkafmt("verify", disk).lines


def test_an_offset_beyond_the_log_end(tmp_path: Path, kafkafmt: Call) -> None:
    disk = killed(tmp_path, {2: 30})
    (row,) = losses(disk)
    assert (row["logEndOffset"], row["offset"], row["isOutOfRange"], row["unreadLost"]) == (0, 4, True, 6)
    (line,) = [line for line in kafkafmt("verify", disk).lines if line.startswith("Consumer groups: ")]
    assert "1 group has committed an offset beyond the log end, and auto.offset.reset decides" in line


@pytest.mark.parametrize("keeps_offsets", [True, False])
def test_nothing_where_nothing_is_cut_or_no_offsets_are_there(tmp_path: Path, keeps_offsets: bool) -> None:
    disk = killed(tmp_path, {} if keeps_offsets else {1: 528})
    for path in () if keeps_offsets else disk.glob("__consumer_offsets-*"):
        shutil.rmtree(path)
    assert losses(disk) == []
