"""A partition of very many segments: the work per segment does not depend on their number."""

import os
import random
import resource
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt.survey import Options, survey
from tests.cli.conftest import Call
from tests.cli.conftest import kafkafmt as command  # noqa: F401 - a fixture
from tests.effort import lines
from tests.reference.builder import R, batch

TIME = 1_700_000_000_000
COUNTS = (30, 90, 270)
MOST = 1.04
"""Permitted growth of the lines run per segment; a search of all segments for each one exceeds it."""


def make(path: Path, count: int, gap: int = 0) -> Path:
    """A log directory with a partition of so many segments of one record, with so many offsets missing between them."""
    directory = path / f"{count}" / "t-0"
    directory.mkdir(parents=True)
    for number in range(count):
        offset, time = number * (1 + gap), TIME + number
        name = directory / f"{offset:020d}"
        data = batch([R()], base_offset=offset, base_timestamp=time, max_timestamp=time)
        name.with_suffix(".log").write_bytes(data)
        name.with_suffix(".index").touch()
        name.with_suffix(".timeindex").write_bytes(struct.pack(">qi", time, 0))
        name.with_suffix(".snapshot").write_bytes(struct.pack(">hIi", 1, 0x48674BC7, 0))
    (directory / "leader-epoch-checkpoint").write_text("0\n1\n0 0\n")
    return directory.parent


def remove(ending: str) -> Callable[[Path], None]:
    def change(log_dir: Path) -> None:
        for file in (log_dir / "t-0").glob(f"*{ending}"):
            file.unlink()

    return change


def set_aside(log_dir: Path) -> None:
    """Mark every second segment as deleted."""
    for number, file in enumerate(sorted((log_dir / "t-0").glob("*.log"))):
        if number % 2:
            file.rename(file.with_suffix(".log.deleted"))


def cut(log_dir: Path) -> None:
    """Damage the second segment, so that a start deletes all later ones."""
    file = sorted((log_dir / "t-0").glob("*.log"))[1]
    file.write_bytes(file.read_bytes()[:-1] + b"\xff")


def shuffled(log_dir: Path) -> None:
    """Remove the index of some segments, so that a start always recovers them."""
    files = sorted((log_dir / "t-0").glob("*.index"))
    for file in random.Random(3).sample(files, len(files) // 3):
        file.unlink()


CHANGES: dict[str, tuple[int, Callable[[Path], None]]] = {
    "whole": (0, lambda _: None),
    "compacted": (2, lambda _: None),
    "without indexes": (0, remove(".index")),
    "some without indexes, compacted": (1, shuffled),
    "without snapshots, compacted": (1, remove(".snapshot")),
    "every second one set aside": (0, set_aside),
    "cut at the second": (0, cut),
}


@pytest.mark.slow
@pytest.mark.parametrize("line", ["ls --quick", "ls", "verify", "cat --last 1"])
@pytest.mark.parametrize("change", CHANGES)
def test_work_is_in_proportion_to_the_number_of_segments(
    change: str,
    line: str,
    tmp_path: Path,
    command: Call,  # noqa: F811
) -> None:
    gap, alter = CHANGES[change]
    found: list[int] = []
    for count in (COUNTS[0], *COUNTS):  # the first run includes one-time work of the process
        log_dir = make(tmp_path / f"{len(found)}", count, gap)
        alter(log_dir)
        found.append(lines(lambda log_dir=log_dir: command(*line.split(), log_dir)))  # type: ignore[misc]
    _, few, some, many = found
    assert (many - some) / (COUNTS[2] - COUNTS[1]) < MOST * (some - few) / (COUNTS[1] - COUNTS[0]), found


def test_a_log_without_indexes_needs_few_descriptors(tmp_path: Path) -> None:
    log_dir = make(tmp_path, 80)
    remove(".index")(log_dir)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 40, before[1]))
    try:
        (row,) = kafkafmt.open(log_dir).verify().partitions.to_pylist()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert row["logEndOffset"] == 80


def test_parts_of_a_large_partition_are_told(tmp_path: Path) -> None:
    parts: list[tuple[float, int]] = []
    log_dir = make(tmp_path, 600)
    (found,) = survey(log_dir, Options(watch=lambda share, size: parts.append((share, size))))
    (partition,) = found.partitions()
    assert partition.facts.segments == 600
    assert [round(share * 600) for share, _ in parts] == [256, 256]
    assert 0 < sum(size for _, size in parts) <= partition.facts.size


def test_all_segments_are_verified(tmp_path: Path) -> None:
    answer = kafkafmt.open(make(tmp_path, 40, 1)).verify()
    (row,) = answer.partitions.to_pylist()
    assert (row["logStartOffset"], row["logEndOffset"], row["lostRecords"]) == (0, 79, 0)
    assert len(row["rebuilt"]) == 80
