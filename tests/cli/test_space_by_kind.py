"""`space` by kind: every file on the disk exactly once, as `du` counts them."""

import json
import subprocess
from pathlib import Path

import pytest

import kafkafmt
from tests.cli.conftest import ROOT, Call

HOLDS = {
    "meta.properties": 5,
    "recovery-point-offset-checkpoint": 7,
    "notes.txt": 11,
    "orders-0/00000000000000000000.log": 100,
    "orders-0/00000000000000000000.index": 16,
    "orders-0/00000000000000000000.timeindex": 24,
    "orders-0/00000000000000000009.log.deleted": 300,
    "orders-0/00000000000000000009.index.deleted": 8,
    "orders-0/00000000000000000004.log.cleaned": 40,
    "orders-0/00000000000000000012.snapshot": 10,
    "orders-0/leader-epoch-checkpoint": 9,
    "orders-1.0123456789abcdef0123456789abcdef-delete/00000000000000000000.log": 500,
    "orders-2.0123456789abcdef0123456789abcdef-stray/00000000000000000000.log": 700,
    "orders-2.0123456789abcdef0123456789abcdef-stray/00000000000000000000.index": 16,
    "pay-0.0123456789abcdef0123456789abcdef-future/00000000000000000000.log": 60,
    "__cluster_metadata-0/00000000000000000007-0000000001.checkpoint": 77,
    "other/deep/old.log": 13,
}
BY_KIND = {
    "stray": 716,
    "delete": 500,
    "deleted": 308,
    "log": 100,
    "metadata": 5 + 7 + 9 + 77,
    "future": 60,
    "cleaned": 40,
    "index": 40,
    "other": 24,
    "snapshot": 10,
    "directory": 0,
}


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    for name, size in HOLDS.items():
        path = tmp_path / "d0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\1" * size)
    return tmp_path / "d0"


def test_each_file_is_of_one_kind_and_the_sum_is_that_of_du(disk: Path) -> None:
    rows = kafkafmt.open(disk).disk_use().to_table().to_pylist()
    assert {row["kind"]: row["sizeInBytes"] for row in rows} == BY_KIND
    assert [row["sizeInBytes"] for row in rows] == sorted(BY_KIND.values(), reverse=True)
    assert sum(row["files"] for row in rows if row["kind"] != "directory") == len(HOLDS)
    du = subprocess.run(["du", "-s", "--block-size=1", disk], check=True, capture_output=True, text=True).stdout
    assert sum(row["sizeOnDisk"] for row in rows) == int(du.split()[0])


def test_a_path_below_another_counts_once(disk: Path) -> None:
    whole, both = (kafkafmt.open(source).disk_use().to_table() for source in (disk, [disk, disk / "orders-0"]))
    assert both.equals(whole)


def test_topics_and_partitions_are_chosen(disk: Path, kafkafmt: Call) -> None:
    answer = kafkafmt("space", disk, "--by", "partition,kind", "--topic", "orders", "-o", "jsonl")
    rows = [json.loads(line) for line in answer.lines]
    assert {(row["partition"], row["kind"]): row["sizeInBytes"] for row in rows if row["kind"] != "directory"} == {
        (2, "stray"): 716,
        (1, "delete"): 500,
        (0, "deleted"): 308,
        (0, "log"): 100,
        (0, "index"): 40,
        (0, "cleaned"): 40,
        (0, "snapshot"): 10,
        (0, "metadata"): 9,
    }
    assert list(rows[0]) == ["topic", "partition", "kind", "files", "sizeInBytes", "sizeOnDisk"]


def test_tables_of_records_end_with_the_rest_of_the_disk(kafkafmt: Call) -> None:
    shop = ROOT / "docs" / "examples" / "shop" / "log-dir"
    kinds = "delete 8.0 KiB, metadata 1.8 KiB, snapshot 866 B, index 252 B"
    assert f"note: besides the logs: {kinds} (--by kind)\n" in kafkafmt("space", shop).stderr
    assert "besides" not in kafkafmt("space", shop, "--topic", "orders").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "kind,codec"], "kind can be combined with topic and partition"),
        (["--by", "kind", "--start-time", "2026-01-01"], "counts whole files"),
        (["--by", "kind", "--report", "x.html"], "leave out --what-if and --report"),
    ],
)
def test_wrong_usage(disk: Path, kafkafmt: Call, arguments: list[str], said: str) -> None:
    answer = kafkafmt("space", disk, *arguments)
    assert (answer.status, answer.text) == (2, "")
    assert said in answer.stderr


def test_what_makes_no_sense_in_python(disk: Path) -> None:
    disks = kafkafmt.open(disk)
    with pytest.raises(ValueError, match="disk_use adds up those"):
        disks.space("kind")
    with pytest.raises(ValueError, match="not with codec"):
        disks.disk_use("kind,codec")
    with pytest.raises(ValueError, match="by must be kind"):
        disks.disk_use("topic")
    with pytest.raises(kafkafmt.NotFoundError, match="no topic x"):
        disks.disk_use(topics="x")


def test_kind_is_named_among_the_dimensions(kafkafmt: Call) -> None:
    answer = kafkafmt("space", ROOT / "docs" / "examples" / "shop" / "log-dir", "--by", "nosuch")
    assert answer.status == 2
    assert "there are: topic, partition, " in answer.stderr
    assert ", kind (of files: alone, or with topic and partition)" in answer.stderr
