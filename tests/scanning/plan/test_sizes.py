"""`Scan.plan`: splits by size and by number, requested offsets, and the bytes read for planning."""

from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from tests import reads
from tests.logdir.builders import batch, checkpoint, file_name, segment
from tests.reads import KIB, MIB, sparse_log
from tests.scanning.plan.small_batches import BATCHES, SIZE, indexed, one, opened, rows, split_rows, stretches


def test_small_files_are_put_together_in_order_and_none_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for partition in (0, 1):
        for number in range(5):
            segment(tmp_path / f"t-{partition}", 100 * number, batch(100 * number, 10, value=b"v" * 100))
    scan = kafkafmt.scan(tmp_path)
    names = opened(monkeypatch)
    plan = scan.plan(max_split_bytes=3 * SIZE + 100)
    assert names == []
    assert [len(split.tasks) for split in plan.splits] == [3, 3, 3, 1]
    assert plan.splits[1].size_in_bytes == sum(task.size_in_bytes for task in plan.splits[1].tasks)
    assert [task.partition for task in plan.splits[1].tasks] == [0, 0, 1]
    assert plan.size_in_bytes == sum(path.stat().st_size for path in tmp_path.rglob("*.log"))


def test_a_large_file_is_cut_between_batches_into_equal_parts(log: Path) -> None:
    plan = kafkafmt.scan(log).plan(max_split_bytes=6 * SIZE)
    name = file_name(0)
    assert stretches(plan) == [[(name, begin * SIZE, (begin + 5) * SIZE)] for begin in (0, 5, 10, 15)]
    assert split_rows(plan) == [list(range(50 * part, 50 * part + 50)) for part in range(4)]


@pytest.mark.parametrize("most", [1, SIZE - 1, SIZE, SIZE + 1])
def test_a_split_has_one_batch_at_least(log: Path, most: int) -> None:
    assert [split.size_in_bytes for split in kafkafmt.scan(log).plan(max_split_bytes=most).splits] == [SIZE] * BATCHES


def large_log(directory: Path) -> tuple[Path, int]:
    """A log of 64 MiB with an index, and the size of each of its 4096 batches; those at quarters are real."""
    path = directory / "t-0" / file_name(0)
    sparse_log(path, 16 * KIB, 4096, *(range(each, each + 1) for each in range(0, 4096, 512)))
    size = path.stat().st_size // 4096
    reads.index(path, *((10 * number + 9, number * size) for number in range(0, 4096, 16)))
    return path, size


def test_the_index_is_asked_where_to_cut_and_no_more_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, size = large_log(tmp_path)
    scan = kafkafmt.scan(tmp_path)
    read = reads.record(monkeypatch)
    plan = scan.plan(max_split_bytes=1024 * size)
    assert stretches(plan) == [[(path.name, part * 1024 * size, (part + 1) * 1024 * size)] for part in range(4)]
    assert reads.total(read) < MIB


def test_the_index_is_asked_how_many_records_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, size = large_log(tmp_path)
    scan = kafkafmt.scan(tmp_path)
    read = reads.record(monkeypatch)
    plan = scan.plan(max_records_per_split=5200)
    assert stretches(plan) == [[(path.name, part * 512 * size, (part + 1) * 512 * size)] for part in range(8)]
    # Only the part that is not between two sound batches of the index is walked: the last eighth.
    assert reads.total(read, ".log") < 64 * MIB // 6
    assert [plan.reading.count(split) for split in plan.splits] == [5120] * 8


def test_an_index_that_is_wrong_is_not_believed(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    reads.index(path, *((10 * number + 9, number * SIZE + 7) for number in range(BATCHES)))
    assert rows(kafkafmt.scan(log).plan(max_split_bytes=3 * SIZE)) == list(range(10 * BATCHES))


def test_no_cut_lies_in_front_of_a_damaged_batch(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    damaged = bytearray(path.read_bytes())
    for number in (9, 10, 11):
        damaged[number * SIZE + 100] ^= 1
    path.write_bytes(damaged)
    for numbers in ((), range(1, BATCHES)):
        indexed(path, *numbers)
        plan = kafkafmt.scan(log, on_damage="skip").plan(max_split_bytes=10 * SIZE)
        assert stretches(plan) == [[(path.name, 0, 8 * SIZE)], [(path.name, 8 * SIZE, 20 * SIZE)]]
        assert rows(plan) == [*range(90), *range(120, 200)]


def test_large_batches_are_checked_too(tmp_path: Path) -> None:
    size = 3 * 64 * KIB
    content = bytearray(b"".join(batch(each, 1, value=b"v" * size) for each in range(6)))
    size = len(content) // 6
    content[3 * size - 1] ^= 1
    path = segment(tmp_path / "t-0", 0, bytes(content))
    reads.index(path, *((each, each * size) for each in range(1, 6)))
    plan = kafkafmt.scan(tmp_path, on_damage="skip").plan(max_split_bytes=size)
    assert [split[0][1] for split in stretches(plan)] == [0, size, 3 * size, 4 * size, 5 * size]
    assert rows(plan) == [0, 1, 3, 4, 5]


def test_an_index_that_points_beyond_the_file_is_no_help(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    reads.index(path, *((10 * number + 9, number * SIZE * 3) for number in range(1, BATCHES)))
    scan = kafkafmt.scan(log, end_offset=170)
    for plan in (scan.plan(max_split_bytes=3 * SIZE), scan.plan(max_records_per_split=30), scan.plan(min_splits=9)):
        assert rows(plan) == list(range(170))
        assert len(plan.splits) >= 6


def test_there_are_no_more_splits_than_asked_for(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 40):
        segment(log / f"t-{number}", 0, *map(one, range(number % 7)))
    scan = kafkafmt.scan(log)
    for most in (1, 2, 3, 7, 30):
        plan = scan.plan(max_split_bytes=1, max_splits=most)
        assert most // 2 <= len(plan.splits) <= most
        assert sum(split.size_in_bytes for split in plan.splits) == plan.size_in_bytes
    names = opened(monkeypatch)
    scan.plan(max_split_bytes=1, max_splits=3)
    assert names == []


def test_100_terabytes_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        path = segment(tmp_path / "t-0", 10_000 * number, b"")
        with path.open("r+b") as file:
            file.truncate(2**40)
    scan = kafkafmt.scan(tmp_path)
    names = opened(monkeypatch)
    plan = scan.plan(max_splits=10)
    assert names == []
    assert [split.size_in_bytes for split in plan.splits] == [3 * 2**40] * 10


def test_there_are_as_many_splits_as_asked_for(log: Path) -> None:
    scan = kafkafmt.scan(log)
    for least in (1, 2, 7, 13, 20):
        assert least <= len(scan.plan(min_splits=least).splits) <= min(20, 2 * least)
    assert len(scan.plan(min_splits=1000).splits) == 20
    assert len(scan.plan(min_splits=15, max_splits=1).splits) >= 15


def test_what_lies_outside_does_not_count_for_the_number_of_splits(log: Path) -> None:
    indexed(log / "t-0" / file_name(0), *range(1, BATCHES))
    plan = kafkafmt.scan(log, start_offset=100, end_offset=140).plan(min_splits=4)
    # The index says where each batch ends, so the batch before is read too, as in a scan.
    assert [split.size_in_bytes for split in plan.splits] == [SIZE] * 5
    assert rows(plan) == list(range(100, 140))


def test_an_empty_log_has_no_splits(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, b"")
    plan = kafkafmt.scan(tmp_path).plan(min_splits=3)
    assert (plan.splits, plan.damage, plan.size_in_bytes) == ([], [], 0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_split_bytes": 0}, ValueError),
        ({"max_splits": -1}, ValueError),
        ({"min_splits": 0}, ValueError),
        ({"max_records_per_split": 0}, ValueError),
        ({"max_split_bytes": None}, TypeError),
        ({"max_splits": "2"}, TypeError),
        ({"min_splits": True}, TypeError),
        ({"max_records_per_split": 1.5}, TypeError),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else next(iter(value)),
)
def test_numbers_that_make_no_sense_are_refused(log: Path, arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(arguments))):
        kafkafmt.scan(log).plan(**arguments)


def test_files_outside_of_the_offsets_are_left_out_and_others_narrowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        path = segment(tmp_path / "t-0", 200 * number, *(one(20 * number + each) for each in range(20)))
        reads.index(path, *((10 * each + 9, each * SIZE) for each in range(1, 20)))
    scan = kafkafmt.scan(tmp_path, start_offset=355, end_offset=411)
    names = opened(monkeypatch)
    assert stretches(scan.plan()) == [[(file_name(200), 0, 20 * SIZE), (file_name(400), 0, 20 * SIZE)]]
    assert names == []
    plan = scan.plan(max_split_bytes=4 * SIZE)
    assert stretches(plan) == [
        [(file_name(200), 15 * SIZE, 18 * SIZE)],
        [(file_name(200), 18 * SIZE, 20 * SIZE), (file_name(400), 0, 2 * SIZE)],
    ] or rows(plan) == list(range(355, 411))
    assert plan.size_in_bytes <= 9 * SIZE
    assert {file_name(0), file_name(600)}.isdisjoint(names)
    assert rows(plan) == list(range(355, 411))


def test_without_an_index_what_lies_behind_the_offsets_is_left_out_too(log: Path) -> None:
    plan = kafkafmt.scan(log, end_offset=50).plan(max_split_bytes=SIZE)
    assert [task.stop for split in plan.splits for task in split.tasks] == [SIZE * end for end in range(1, 6)]
    assert rows(plan) == list(range(50))


def test_the_log_start_offset_counts(log: Path) -> None:
    checkpoint(log, "log-start-offset-checkpoint", {("t", 0): 137})
    assert rows(kafkafmt.scan(log).plan(max_split_bytes=3 * SIZE)) == list(range(137, 200))
    assert rows(kafkafmt.scan(log, below_log_start=True).plan(max_split_bytes=3 * SIZE)) == list(range(200))
