"""The memory of verify in a partition of many files."""

import tracemalloc
from pathlib import Path

import pytest

import kafkafmt
from tests.logdir.builders import batch, segment

# 4,300 bytes while locations, rows, and facts of sound segments were kept; 1,900 since.
MOST_BYTES = 2500


def peak(log_dir: Path, segments: int) -> int:
    """Peak memory, in bytes, of verify for a log of so many segments."""
    for number in range(segments):
        segment(log_dir / "t-0", number, batch(number))
    disks = kafkafmt.open(log_dir)
    tracemalloc.start()
    try:
        answer = disks.verify()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(answer.files) == segments
    assert answer.partitions.column("logEndOffset").to_pylist() == [segments]
    return most


@pytest.mark.slow
def test_a_segment_takes_little_memory(tmp_path: Path) -> None:
    peak(tmp_path / "first", 10)
    few, many = 200, 1200
    assert (peak(tmp_path / "many", many) - peak(tmp_path / "few", few)) / (many - few) < MOST_BYTES
