"""`Scan.plan`: how a scan is divided, and what is looked at for that.

It is long because it is a catalogue: a small log for each bound, and each way in which names, indexes or headers lie.
"""

import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

import kafkafmt
from kafkafmt import ChecksumError, CorruptError, LimitExceededError, SourceError
from kafkafmt.io.local import LocalFile
from kafkafmt.scanning import Plan
from tests import reads
from tests.logdir.builders import batch, checkpoint, file_name, segment
from tests.reads import KIB, MIB, sparse_log
from tests.reference import builder
from tests.scanning import united
from tests.transactions import ABORT, COMMIT, marker

BATCHES = 20


def one(number: int, count: int = 10) -> bytes:
    return batch(10 * number, count, value=b"v" * 100)


SIZE = len(one(0))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log directory with one segment of 20 batches, each of 10 records."""
    segment(tmp_path / "t-0", 0, *map(one, range(BATCHES)))
    return tmp_path


def indexed(path: Path, *numbers: int) -> None:
    """An offset index with these batches, in the way Kafka writes it."""
    reads.index(path, *((10 * number + 9, number * SIZE) for number in numbers))


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    initial = LocalFile.__init__

    def noting(self: LocalFile, path: Any) -> None:
        names.append(Path(path).name)
        initial(self, path)

    monkeypatch.setattr(LocalFile, "__init__", noting)
    return names


def stretches(plan: Plan) -> list[list[tuple[str, int, int]]]:
    return [[(Path(each.file).name, each.begin, each.stop) for each in split.tasks] for split in plan.splits]


def rows(plan: Plan) -> list[int]:
    """Offsets of each split."""
    return [offset for split in split_rows(plan) for offset in split]


def split_rows(plan: Plan) -> list[list[int]]:
    return [
        [offset for found in plan.reading.read(split) for offset in found.column("offset").to_pylist()]
        for split in plan.splits
    ]


# Sizes


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
    # What is not between two sound batches of the index is walked over: the last eighth.
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
    # The index says where each batch ends, so one batch in front is read too, as a scan does.
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


# Ranges


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


# Records


@pytest.mark.parametrize("most", [1, 3, 10, 25, 100, 1000])
def test_no_split_gives_more_records_than_asked_for(log: Path, most: int) -> None:
    segment(log / "t-1", 0, *(batch(offset, 1) for offset in range(30)))
    segment(log / "t-1", 30, *(batch(30 + 7 * each, 7) for each in range(4)))
    scan = kafkafmt.scan(log)
    found = split_rows(scan.plan(max_records_per_split=most))
    assert max(map(len, found)) <= most
    assert [offset for split in found for offset in split] == scan.to_table().column("offset").to_pylist()
    assert len(found) <= 258 / most * 2 + 2


def test_offsets_that_compaction_left_out_do_not_count(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, *(batch(1_000_000 * each, 2) for each in range(50)))
    assert len(kafkafmt.scan(tmp_path).plan(max_records_per_split=20).splits) == 5


def test_files_with_few_offsets_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        segment(tmp_path / "t-0", 10 * number, one(number))
    scan = kafkafmt.scan(tmp_path)
    names = opened(monkeypatch)
    plan = scan.plan(max_records_per_split=20)
    # The last one may go on beyond any offset.
    assert names == [file_name(40)]
    assert [len(split.tasks) for split in plan.splits] == [2, 2, 1]


@pytest.mark.parametrize(
    "entries",
    [
        [(9, 0), (19, 10**6), (29, 10**7)],
        [(19, 2 * SIZE + 1), (39, 4 * SIZE + 1), (199, 20 * SIZE - 3)],
        [(10 * number + 9, number * SIZE) for number in reversed(range(BATCHES))],
        [(0, number * SIZE) for number in range(1, BATCHES)],
        [(2**31 - 1, number * SIZE) for number in range(1, BATCHES)],
        [(10 * number + 9, -number * SIZE) for number in range(BATCHES)],
    ],
    ids=["beyond", "inside", "reversed", "low", "high", "negative"],
)
@pytest.mark.parametrize("most", [4, 35])
def test_records_are_bounded_whatever_the_index_says(log: Path, entries: list[tuple[int, int]], most: int) -> None:
    reads.index(log / "t-0" / file_name(0), *entries)
    for end in (None, 150):
        found = split_rows(kafkafmt.scan(log, end_offset=end).plan(max_records_per_split=most))
        assert [offset for split in found for offset in split] == list(range(end or 200))
        assert max(map(len, found)) <= most


def test_records_of_messages_and_of_a_file_of_any_name_are_bounded_too(tmp_path: Path) -> None:
    content = b"".join(builder.message(number, b"v" * 50, magic=1) for number in range(100))
    size = len(content) // 100
    path = segment(tmp_path / "t-0", 0, content)
    reads.index(path, *((number, number * size) for number in range(10, 100, 10)))
    other = tmp_path / "copy.log"
    other.write_bytes(b"".join(map(one, range(5))))
    for source in (path, other):
        found = split_rows(kafkafmt.scan(source).plan(max_records_per_split=15))
        assert max(map(len, found)) <= 15
        assert [offset for split in found for offset in split] == list(range(100 if source == path else 50))


def test_a_batch_in_several_splits_is_reported_once(tmp_path: Path) -> None:
    damaged = bytearray(one(0) + one(1))
    damaged[70] ^= 1
    segment(tmp_path / "t-0", 0, bytes(damaged))
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    expected = united.of_scan(scan, tmp_path)
    found = united.of_plan(scan.plan(max_records_per_split=4))
    assert found.damage == expected.damage
    assert len(found.damage) == 1
    assert found.table.equals(expected.table)


def test_wrappers_are_divided_by_their_messages(tmp_path: Path) -> None:
    inner = b"".join(builder.message(number, b"v", magic=0) for number in range(40))
    content = builder.wrapper(39, inner, magic=0)
    content += b"".join(builder.message(40 + number, b"v", magic=0) for number in range(10))
    segment(tmp_path / "t-0", 0, content)
    scan = kafkafmt.scan(tmp_path)
    plan = scan.plan(max_records_per_split=7)
    assert max(map(len, split_rows(plan))) <= 7
    assert rows(plan) == scan.to_table().column("offset").to_pylist() == list(range(50))


def test_headers_that_claim_all_offsets_do_not_make_a_split_of_each(tmp_path: Path) -> None:
    span = 2**31 - 1
    batches = [
        builder.batch([builder.R(0), builder.R(span - 1)], base_offset=at * span, last_offset_delta=span - 1, count=2)
        for at in range(50)
    ]
    segment(tmp_path / "t-0", 0, *batches)
    scan = kafkafmt.scan(tmp_path)
    plan = scan.plan(max_records_per_split=1)
    assert [len(offsets) for offsets in split_rows(plan)] == [1] * 100
    assert rows(plan) == scan.to_table().column("offset").to_pylist()


def test_records_outside_of_what_the_header_states_are_in_a_split_too(tmp_path: Path) -> None:
    odd = [builder.R(delta) for delta in (-3, 0, 1, 2, 900, 901)]
    segment(tmp_path / "t-0", 0, builder.batch(odd, last_offset_delta=9, count=6), batch(10, 1))
    plan = kafkafmt.scan(tmp_path).plan(max_records_per_split=1)
    assert rows(plan) == [-3, 0, 1, 2, 900, 901, 10]


def test_a_batch_of_many_parts_is_decoded_for_them(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, batch(0, 250), batch(250, 3))
    for most in (1, 2, 3):
        plan = kafkafmt.scan(tmp_path).plan(max_records_per_split=most)
        assert rows(plan) == list(range(253))
        assert max(map(len, split_rows(plan))) == most
        assert len(plan.splits) == -(-250 // most) + -(-3 // most)


@pytest.mark.parametrize("most", [1, 7])
def test_records_with_nearly_all_offsets_between_them_are_divided(most: int) -> None:
    log = Path(__file__).parents[1] / "bad_data" / "files" / "inner-offset-smallest.log"
    plan = kafkafmt.scan(log).plan(max_records_per_split=most)
    assert sorted(rows(plan)) == [-(2**63), 0, 3, 9]
    assert max(map(len, split_rows(plan))) <= most


def test_damage_behind_the_asked_offsets_is_met_as_in_a_scan(tmp_path: Path) -> None:
    large, small = batch(9, 1, value=b"v" * 300), batch(7, 1)
    segment(tmp_path / "t-0", 0, large, small, large, batch(22, 1), batch(23, 1), large)
    scan = kafkafmt.scan(tmp_path, on_damage="skip", end_offset=1, limits=kafkafmt.Limits(max_batch_bytes=100))
    expected = united.of_scan(scan, tmp_path)
    assert [position for _, position, *_ in expected.damage] == [0, len(large) + len(small)]
    assert united.of_plan(scan.plan(max_split_bytes=1)) == expected
    assert united.of_plan(scan.plan(max_records_per_split=1)) == expected


def test_a_batch_that_cannot_be_decoded_is_not_divided(tmp_path: Path) -> None:
    # zstd that is none, with a right CRC and a count that nobody can check without it
    content = builder.batch([], attributes=4, payload=b"none", last_offset_delta=999_999, count=1_000_000)
    segment(tmp_path / "t-0", 0, content, batch(1_000_000, 5))
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    plan = scan.plan(max_records_per_split=3)
    assert len(plan.splits) == 3
    assert rows(plan) == [*range(1_000_000, 1_000_005)]
    assert united.of_plan(plan).damage == united.of_scan(scan, tmp_path).damage


# Damage


def test_damage_ends_where_the_next_split_begins(log: Path) -> None:
    path = log / "t-0" / file_name(0)
    indexed(path, *range(1, BATCHES))
    scan = kafkafmt.scan(log, on_damage="skip")
    plan = scan.plan(max_split_bytes=5 * SIZE)
    content = bytearray(path.read_bytes())
    # A size that leads to batch 8, behind the first cut: what lies between is lost to a scan, and to no split.
    content[3 * SIZE + 8 : 3 * SIZE + 12] = struct.pack(">i", 5 * SIZE - 12)
    path.write_bytes(content)
    found = united.of_plan(plan)
    assert found.table.column("offset").to_pylist() == [*range(30), *range(50, 200)]
    assert [each[1:4] for each in found.damage] == [(3 * SIZE, 2 * SIZE, "checksum")]
    lost = united.of_scan(scan, log)
    assert [each[1:4] for each in lost.damage] == [(3 * SIZE, 5 * SIZE, "checksum")]


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
    # Of the same size, and now one batch goes on where another was.
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


def test_each_piece_carries_the_transactions_that_its_file_needs(tmp_path: Path) -> None:
    def data(offset: int, producer_id: int) -> bytes:
        attributes = builder.TRANSACTIONAL
        return builder.batch(base_offset=offset, attributes=attributes, producer_id=producer_id, base_sequence=0)

    segments: dict[int, list[bytes]] = {}
    for number in range(5):
        first = 10 * number
        segments[first] = [data(first, number), marker(first + 1, number, ABORT), data(first + 2, 99)]
        segments[first].append(marker(first + 3, 99, COMMIT))
    # Where offsets went back, a batch of another transaction lies in the last file.
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


# What changes between


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


# What is told, and counted


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
