"""Memory kept for partitions that nobody reads, which matters with thousands of them."""

import gc
import shutil
import tracemalloc
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.serving.api import ServeOptions
from kafkafmt.serving.served_disks import ServedDisks

ROOT = Path(__file__).parents[2]
COPIED = ROOT / "docs" / "examples" / "shop" / "log-dir" / "customers-0"
PARTITIONS = 100


def _held(root: Path, partitions: int) -> int:
    """Bytes that a served disk of so many partitions holds."""
    root.mkdir()
    for number in range(partitions):
        shutil.copytree(COPIED, root / f"t-{number}")
    gc.collect()
    tracemalloc.start()
    try:
        served = ServedDisks(kafkafmt.open(root), ServeOptions())
        assert {log.leader_epoch for log in served.logs["t"].values()} == {0}
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        return held
    finally:
        tracemalloc.stop()


def test_a_partition_takes_two_kilobytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # paths count
    # Several times: tables of the whole process may grow in one of them.
    few, many = (
        min(_held(Path(f"{number}-{again}"), number) for again in range(4)) for number in (PARTITIONS, 2 * PARTITIONS)
    )
    assert (many - few) // PARTITIONS < 2048


def test_questions_about_all_partitions_keep_little_of_each(tmp_path: Path) -> None:
    for number in range(PARTITIONS):
        shutil.copytree(COPIED, tmp_path / f"t-{number}")
    served = ServedDisks(kafkafmt.open(tmp_path), ServeOptions())
    logs = list(served.logs["t"].values())
    assert (logs[0].leader_epoch, logs[0].left_open) == (0, 0)
    tracemalloc.start()
    try:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for log in logs[1:]:
            assert (log.leader_epoch, log.left_open) == (0, 0)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 300 * PARTITIONS
