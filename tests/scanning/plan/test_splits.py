"""The contents of a pickled split, and reading one after its files have changed."""

import pickle
from pathlib import Path

import pytest

import kafkafmt
from kafkafmt import ChecksumError, SourceError
from tests.logdir.builders import batch, file_name, segment
from tests.reads import KIB, sparse_log
from tests.reference import builder
from tests.scanning import united
from tests.scanning.plan.small_batches import SIZE, one, rows
from tests.transactions import ABORT, COMMIT, marker


def test_each_piece_carries_the_transactions_that_its_file_needs(tmp_path: Path) -> None:
    def data(offset: int, producer_id: int) -> bytes:
        attributes = builder.TRANSACTIONAL
        return builder.batch(base_offset=offset, attributes=attributes, producer_id=producer_id, base_sequence=0)

    segments: dict[int, list[bytes]] = {}
    for number in range(5):
        first = 10 * number
        segments[first] = [data(first, number), marker(first + 1, number, ABORT), data(first + 2, 99)]
        segments[first].append(marker(first + 3, 99, COMMIT))
    # As offsets went back, a batch of another transaction is in the last file.
    segments[40] += [data(10, 1), marker(12, 1, ABORT)]
    segments[50] = [batch(50, 3)]
    for base, content in segments.items():
        segment(tmp_path / "t-0", base, *content)
    scan = kafkafmt.scan(tmp_path, isolation_level="read_committed")
    plan = scan.plan(max_split_bytes=1)
    carried = {
        task.base_offset: task.offsets.transactions and [each[:2] for each in task.offsets.transactions.aborted]
        for split in plan.splits
        for task in split.tasks
    }
    every = [(number, 10 * number) for number in range(5)]
    assert carried == {0: every[:1], 10: every[1:2], 20: every[2:3], 30: every[3:4], 40: every[1:], 50: None}
    assert united.of_plan(plan) == united.of_scan(scan, tmp_path)


def test_a_task_is_pickled_whole(log: Path) -> None:
    plan = kafkafmt.scan(log).plan(max_split_bytes=5 * SIZE)
    for split in plan.splits:
        for task, copy in zip(split.tasks, pickle.loads(pickle.dumps(split)).tasks, strict=True):
            assert (copy.file, copy.begin, copy.stop, copy.offsets) == (task.file, task.begin, task.stop, task.offsets)
            assert (copy.topic, copy.partition, copy.base_offset) == (task.topic, task.partition, task.base_offset)
            assert copy.segment.size == task.segment.size


def test_what_is_written_later_is_not_read(log: Path) -> None:
    plan = kafkafmt.scan(log).plan(max_split_bytes=5 * SIZE)
    with (log / "t-0" / file_name(0)).open("ab") as file:
        file.write(one(20))
    assert rows(plan) == list(range(200))


def test_a_file_that_shrank_or_vanished_is_an_error(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    plan = kafkafmt.scan(log).plan(max_split_bytes=5 * SIZE)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(SourceError, match="shrank") as caught:
        plan.reading.count(plan.splits[0])
    assert caught.value.file == str(path)
    path.unlink()
    with pytest.raises(SourceError, match="vanished") as caught:
        list(plan.reading.read(plan.splits[3]))
    assert caught.value.file == str(path)


def test_a_relative_path_is_made_whole(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(log)
    for source in (".", "t-0", f"t-0/{file_name(0)}", "t-0/.."):
        plan = kafkafmt.scan(source, columns=["file"]).plan()
        (task,) = plan.splits[0].tasks
        assert Path(task.file).resolve() == log / "t-0" / file_name(0)
        assert Path(task.file).is_absolute()


def test_progress_is_told(log: Path) -> None:
    segment(log / "t-1", 0, one(0))
    segment(log / "t-1", 10, one(1))
    told: list[tuple[int, int, int]] = []
    kafkafmt.scan(log).plan(progress=lambda *numbers: told.append(numbers))
    assert told == [(1, 1, 20 * SIZE), (2, 3, 22 * SIZE)]


def test_splits_are_counted_by_headers(tmp_path: Path) -> None:
    path = tmp_path / "t-0" / file_name(0)
    sparse_log(path, KIB, 40)
    plan = kafkafmt.scan(tmp_path).plan()
    count = pickle.loads(pickle.dumps(plan.reading.count))
    assert [count(split) for split in plan.splits] == [400]
    with pytest.raises(ChecksumError):
        plan.reading.count(plan.splits[0], verify_checksums=True)


def test_replicas_are_chosen_as_for_a_scan(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    segment(other / "t-0", 0, *map(one, range(5)))
    plan = kafkafmt.scan(log).plan()
    assert [each.path for each in plan.skipped_replicas] == [str(other / "t-0")]
    assert rows(plan) == list(range(200))
    assert len(rows(kafkafmt.scan(log, replica="all").plan())) == 250


def test_few_records_in_many_files_come_in_one_batch(tmp_path: Path) -> None:
    for number in range(50):
        segment(tmp_path / "t-0", 10 * number, one(number))
    plan = kafkafmt.scan(tmp_path).plan()
    (split,) = plan.splits
    assert [each.num_rows for each in plan.reading.read(split)] == [500]
