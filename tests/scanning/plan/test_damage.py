"""`Scan.plan`: damage found while planning, and damage that the splits report."""

import struct
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import ChecksumError, CorruptError, LimitExceededError
from tests.logdir.builders import batch, file_name, segment
from tests.scanning import united
from tests.scanning.plan.small_batches import BATCHES, SIZE, indexed, one, rows


def test_damage_ends_where_the_next_split_begins(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    indexed(path, *range(1, BATCHES))
    scan = kafkafmt.scan(log, on_damage="skip")
    plan = scan.plan(max_split_bytes=5 * SIZE)
    content = bytearray(path.read_bytes())
    # The size leads to batch 8, after the first cut: scans and splits lose only the batch itself.
    content[3 * SIZE + 8 : 3 * SIZE + 12] = struct.pack(">i", 5 * SIZE - 12)
    path.write_bytes(content)
    found = united.of_plan(plan)
    assert found.table.column("offset").to_pylist() == [*range(30), *range(40, 200)]
    assert [each[1:4] for each in found.damage] == [(3 * SIZE, SIZE, "checksum")]
    lost = united.of_scan(scan, log)
    assert [each[1:4] for each in lost.damage] == [(3 * SIZE, SIZE, "checksum")]


def test_with_raise_the_error_is_that_of_the_scan(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    indexed(path, *range(1, BATCHES))
    scan = kafkafmt.scan(log)
    plan = scan.plan(max_split_bytes=5 * SIZE)
    content = bytearray(path.read_bytes())
    content[3 * SIZE + 8 : 3 * SIZE + 12] = struct.pack(">i", 5 * SIZE - 12)
    path.write_bytes(content)
    expected = united.of_scan(scan, log)
    found = united.of_plan(plan)
    assert found.error == expected.error == (ChecksumError, str(path), 3 * SIZE)
    assert found.table.equals(expected.table)


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_cut_inside_of_a_sound_entry_is_an_error(tmp_path: Path, on_damage: Any) -> None:
    path = segment(tmp_path / "t-0", 0, *map(one, range(4)))
    plan = kafkafmt.scan(tmp_path, on_damage=on_damage).plan(max_split_bytes=SIZE)
    # The size is unchanged, and now one batch extends to where another was.
    path.write_bytes(one(0) + batch(10, 1, value=b"v" * (2 * SIZE - 61 - 9)) + one(3))
    assert path.stat().st_size == 4 * SIZE
    assert list(plan.reading.read(plan.splits[0]))
    with pytest.raises(CorruptError, match="Plan again") as caught:
        list(plan.reading.read(plan.splits[1]))
    assert (caught.value.file, caught.value.position) == (str(path), SIZE)


def test_the_tail_is_reported_by_the_last_split(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    with path.open("ab") as file:
        file.write(one(20)[:100])
    plan = kafkafmt.scan(log).plan(max_split_bytes=5 * SIZE)
    met: list[Any] = []
    for split in plan.splits:
        assert met == []
        assert list(plan.reading.read(split, lambda damage, origin: met.append((damage, origin))))
    ((damage, origin),) = met
    assert (damage.reason, damage.position, damage.is_open_end) == ("incomplete_tail", BATCHES * SIZE, True)
    assert (origin.topic, origin.partition, origin.file) == ("t", 0, str(path))


def test_what_planning_met_is_reported_by_the_split_that_it_lies_in(log: Path) -> None:
    segment(log / "t-0", 200, *map(one, range(20, 40)))
    content = bytearray((log / "t-0" / file_name(0)).read_bytes())
    content[7 * SIZE + 16] = 9
    (log / "t-0" / file_name(0)).write_bytes(content)
    for start in (None, 100, 250):
        scan = kafkafmt.scan(log, on_damage="skip", isolation_level="read_committed", start_offset=start)
        expected = united.of_scan(scan, log)
        assert len(expected.damage) == 1
        plan = scan.plan(max_split_bytes=5 * SIZE)
        assert united.of_plan(plan) == expected
        assert len(plan.damage) == (1 if start == 250 else 0)


def test_a_broken_checkpoint_is_told_by_the_plan(log: Path) -> None:
    segment(log / "t-1", 0, one(0))
    (log / "log-start-offset-checkpoint").write_text("no number\n")
    plan = kafkafmt.scan(log, on_damage="skip").plan()
    assert [Path(each.file or "").name for each in plan.damage] == ["log-start-offset-checkpoint"]
    assert len(rows(plan)) == 210
    with pytest.raises(CorruptError):
        kafkafmt.scan(log).plan()


@pytest.mark.parametrize("on_damage", ["raise", "skip"])
def test_a_cut_inside_of_an_entry_beyond_the_limits_is_an_error(tmp_path: Path, on_damage: Any) -> None:
    path = segment(tmp_path / "t-0", 0, *map(one, range(4)))
    limits = kafkafmt.Limits(max_batch_bytes=SIZE + 1)
    plan = kafkafmt.scan(tmp_path, on_damage=on_damage, limits=limits).plan(max_split_bytes=SIZE)
    path.write_bytes(one(0) + batch(10, 1, value=b"v" * (2 * SIZE - 61 - 9)) + one(3))
    error = CorruptError if on_damage == "skip" else LimitExceededError
    with pytest.raises(error):
        list(plan.reading.read(plan.splits[1]))


def test_zeros_where_a_split_ends_are_damage_up_to_there(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    plan = kafkafmt.scan(log, on_damage="skip").plan(max_split_bytes=5 * SIZE)
    path.write_bytes(path.read_bytes()[: 9 * SIZE] + bytes(11 * SIZE))
    found = united.of_plan(plan)
    assert found.table.column("offset").to_pylist() == list(range(90))
    assert [each[1:4] for each in found.damage] == [
        (9 * SIZE, SIZE, "zero_tail"),
        (10 * SIZE, 5 * SIZE, "zero_tail"),
        (15 * SIZE, 5 * SIZE, "zero_tail"),
    ]


def test_damage_that_ends_the_search_for_transactions_ends_the_planning(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    path.write_bytes(path.read_bytes()[: 3 * SIZE] + b"\0\0\0" + path.read_bytes()[3 * SIZE :])
    with pytest.raises(CorruptError):
        kafkafmt.scan(log, isolation_level="read_committed").plan()
