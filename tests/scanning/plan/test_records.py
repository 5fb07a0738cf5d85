"""`Scan.plan(max_records_per_split=)`: no split exceeds it, whatever names, indexes and headers say."""

from pathlib import Path

import pytest

import kafkafmt
from tests import reads
from tests.logdir.builders import batch, file_name, segment
from tests.reference import builder
from tests.scanning import united
from tests.scanning.plan.small_batches import BATCHES, SIZE, one, opened, rows, split_rows


@pytest.mark.parametrize("most", [1, 3, 10, 25, 100, 1000])
def test_no_split_gives_more_records_than_asked_for(tmp_path: Path, most: int) -> None:
    segment(tmp_path / "t-0", 0, *map(one, range(6)))
    segment(tmp_path / "t-1", 0, *(batch(offset, 1) for offset in range(30)))
    segment(tmp_path / "t-1", 30, *(batch(30 + 7 * each, 7) for each in range(4)))
    scan = kafkafmt.scan(tmp_path)
    found = split_rows(scan.plan(max_records_per_split=most))
    assert max(map(len, found)) <= most
    assert [offset for split in found for offset in split] == scan.to_table().column("offset").to_pylist()
    assert len(found) <= 118 / most * 2 + 2


def test_offsets_that_compaction_left_out_do_not_count(tmp_path: Path) -> None:
    segment(tmp_path / "t-0", 0, *(batch(1_000_000 * each, 2) for each in range(50)))
    assert len(kafkafmt.scan(tmp_path).plan(max_records_per_split=20).splits) == 5


def test_files_with_few_offsets_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        segment(tmp_path / "t-0", 10 * number, one(number))
    scan = kafkafmt.scan(tmp_path)
    names = opened(monkeypatch)
    plan = scan.plan(max_records_per_split=20)
    # The last one may continue beyond any offset.
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
@pytest.mark.parametrize("most", [7, 35])
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
    found = split_rows(plan)
    assert [len(offsets) for offsets in found] == [1] * 100
    assert [offset for split in found for offset in split] == scan.to_table().column("offset").to_pylist()


def test_records_outside_of_what_the_header_states_are_in_a_split_too(tmp_path: Path) -> None:
    odd = [builder.R(delta) for delta in (-3, 0, 1, 2, 900, 901)]
    segment(tmp_path / "t-0", 0, builder.batch(odd, last_offset_delta=9, count=6), batch(10, 1))
    plan = kafkafmt.scan(tmp_path).plan(max_records_per_split=1)
    assert rows(plan) == [-3, 0, 1, 2, 900, 901, 10]


@pytest.mark.parametrize(("count", "most"), [(102, 1), (205, 2), (102, 3)])
def test_a_batch_of_many_parts_is_decoded_for_them(tmp_path: Path, count: int, most: int) -> None:
    segment(tmp_path / "t-0", 0, batch(0, count), batch(count, 3))
    plan = kafkafmt.scan(tmp_path).plan(max_records_per_split=most)
    found = split_rows(plan)
    assert [offset for split in found for offset in split] == list(range(count + 3))
    assert max(map(len, found)) == most
    assert len(found) == -(-count // most) + -(-3 // most)


@pytest.mark.parametrize("most", [1, 7])
def test_records_with_nearly_all_offsets_between_them_are_divided(most: int) -> None:
    log = Path(__file__).parents[2] / "bad_data" / "files" / "inner-offset-smallest.log"
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
    # invalid zstd under a correct CRC, with a count that only decompression could check
    content = builder.batch([], attributes=4, payload=b"none", last_offset_delta=999_999, count=1_000_000)
    segment(tmp_path / "t-0", 0, content, batch(1_000_000, 5))
    scan = kafkafmt.scan(tmp_path, on_damage="skip")
    plan = scan.plan(max_records_per_split=3)
    assert len(plan.splits) == 3
    assert rows(plan) == [*range(1_000_000, 1_000_005)]
    assert united.of_plan(plan).damage == united.of_scan(scan, tmp_path).damage
